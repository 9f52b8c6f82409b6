/* Files at the end of a run: grains.csv (a row per grain), heights.csv (a row per level) and
   grains.vti (an image of all cells). */
#include "grains/grains.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table as text in memory. */
typedef struct {
  ig_ctx *cx;
  FILE *f;
  char *text;
  size_t size;
} page;

static ig_status page_open(ig_ctx *cx, page *p, const char *head) {
  *p = (page){.cx = cx};
  p->f = open_memstream(&p->text, &p->size);
  if (!p->f)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a table");
  fprintf(p->f, "%s\n", head);
  return IG_OK;
}

/* Numbers in the shortest form that reads back to the same bits. */
static void page_row(page *p, const double *value, int count) {
  char text[IG_NUMBER_TEXT];
  for (int i = 0; i < count; i++) {
    ig_number_text(value[i], text);
    fprintf(p->f, "%s%c", text, i + 1 < count ? ',' : '\n');
  }
}

static ig_status page_close(page *p, ig_sink *to, const char *name) {
  const bool failed = ferror(p->f);
  ig_status status = fclose(p->f) != 0 || failed
                         ? IG_FAIL(p->cx, IG_MEMORY, "no memory for %s", name)
                         : to->file(to, name, p->text, p->size);
  free(p->text);
  return status;
}

/* Bunge's angles of an orientation whose rows are the crystal's axes. */
static void euler_of(const float *a, double *e) {
  const double c = fmin(1, fmax(-1, (double)a[8]));
  e[1] = acos(c);
  if (fabs(c) < 1 - 1e-7) {
    e[0] = atan2((double)a[6], -(double)a[7]);
    e[2] = atan2((double)a[2], (double)a[5]);
  } else { /* both turns are about z */
    e[0] = atan2((double)a[1], (double)a[0]);
    e[2] = 0;
  }
}

static ig_status grains_write(const ig_grains_run *r, const ig_grains_measure *m, ig_sink *to) {
  const double cell = r->c->grid.cell;
  page p;
  IG_TRY(page_open(r->cx, &p,
                   "grain,nucleated,cells,volume [m^3],x [m],y [m],z [m],z_min [m],z_max [m],"
                   "aspect_ratio,misorientation [rad],phi1 [rad],Phi [rad],phi2 [rad]"));
  for (int64_t i = 0; i < m->grains; i++) {
    const ig_grains_grain *g = &m->grain[i];
    double e[3];
    euler_of(ig_grains_axes_of(r, g->id), e);
    const double row[14] = {g->id,
                            g->id >= r->nucleus_first,
                            (double)g->cells,
                            (double)g->cells * cell * cell * cell,
                            g->centre[0],
                            g->centre[1],
                            g->centre[2],
                            r->low[2] + g->low * cell,
                            r->low[2] + (g->high + 1) * cell,
                            g->aspect,
                            g->tilt,
                            e[0],
                            e[1],
                            e[2]};
    page_row(&p, row, 14);
  }
  return page_close(&p, to, "grains.csv");
}

static ig_status heights_write(const ig_grains_run *r, const ig_grains_measure *m, ig_sink *to) {
  const double cell = r->c->grid.cell;
  page p;
  IG_TRY(page_open(r->cx, &p, "z [m],cells,grains,area_mean [m^2],misorientation_mean [rad]"));
  for (int k = 0; k < r->view.n[2]; k++) {
    const ig_grains_level *l = &m->level[k];
    const double row[5] = {r->low[2] + (k + 0.5) * cell, (double)l->cells, (double)l->grains,
                           cell * cell * (double)l->cells / (double)l->grains, l->tilt};
    if (l->cells)
      page_row(&p, row, 5);
  }
  return page_close(&p, to, "heights.csv");
}

ig_status ig_grains_tables(const ig_grains_run *r, const ig_grains_measure *m, ig_sink *to) {
  IG_TRY(grains_write(r, m, to));
  return heights_write(r, m, to);
}

/* --- an image of VTK's XML format, data appended raw: a head in XML, then the arrays, each
   preceded by its number of bytes as UInt64 */

typedef struct {
  const char *name, *type;
  const void *data;
  size_t size; /* bytes per cell */
} column;

static void head_write(const ig_grains_run *r, const column *col, int columns, FILE *f) {
  const int *n = r->view.n;
  size_t offset = 0;
  char text[IG_NUMBER_TEXT];
  fprintf(f,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" "
          "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<ImageData WholeExtent=\"0 %d 0 %d "
          "0 %d\" Origin=\"",
          n[0], n[1], n[2]);
  for (int d = 0; d < 6; d++) {
    ig_number_text(d < 3 ? r->low[d] : r->c->grid.cell, text);
    fprintf(f, "%s%s", d == 0 ? "" : d == 3 ? "\" Spacing=\"" : " ", text);
  }
  fprintf(f, "\">\n<Piece Extent=\"0 %d 0 %d 0 %d\"><CellData>\n", n[0], n[1], n[2]);
  for (int i = 0; i < columns; i++) {
    fprintf(f, "<DataArray type=\"%s\" Name=\"%s\"%s format=\"appended\" offset=\"%zu\"/>\n",
            col[i].type, col[i].name, col[i].size == 3 ? " NumberOfComponents=\"3\"" : "", offset);
    offset += 8 + col[i].size * (size_t)r->view.cells;
  }
  fprintf(f, "</CellData></Piece></ImageData>\n<AppendedData encoding=\"raw\">_");
}

/* Colours as bytes; liquid is black. */
static ig_status colors_make(const ig_grains_run *r, uint8_t **rgb) {
  const int32_t *grain = r->array.grain.host;
  IG_TRY(IG_NEW(r->cx, rgb, 3 * (size_t)r->view.cells, "an image of grains"));
  for (int64_t c = 0; c < r->view.cells; c++) {
    float color[3] = {0, 0, 0};
    if (grain[c])
      ig_grains_color(ig_grains_axes_of(r, grain[c]), r->c->ipf_axis, color);
    for (int d = 0; d < 3; d++)
      (*rgb)[3 * c + d] = (uint8_t)(255 * color[d] + 0.5f);
  }
  return IG_OK;
}

ig_status ig_grains_image(const ig_grains_run *r, ig_sink *to) {
  const ig_grains_arrays *a = &r->array;
  uint8_t *rgb = NULL;
  page p = {.cx = r->cx};
  IG_TRY(colors_make(r, &rgb));
  const column col[] = {{"grain", "Int32", a->grain.host, 4},
                        {"ipf", "UInt8", rgb, 3},
                        {"undercooling [K]", "Float32", a->under.host, 4},
                        {"melts", "UInt8", a->melts.host, 1}};
  enum { COLS = sizeof col / sizeof *col };
  p.f = open_memstream(&p.text, &p.size);
  if (!p.f) {
    free(rgb);
    return IG_FAIL(r->cx, IG_MEMORY, "no memory for grains.vti");
  }
  head_write(r, col, COLS, p.f);
  for (int i = 0; i < COLS; i++) {
    const uint64_t bytes = col[i].size * (uint64_t)r->view.cells;
    fwrite(&bytes, sizeof bytes, 1, p.f);
    fwrite(col[i].data, 1, bytes, p.f);
  }
  fputs("\n</AppendedData></VTKFile>\n", p.f);
  free(rgb);
  return page_close(&p, to, "grains.vti");
}
