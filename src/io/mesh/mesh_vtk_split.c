/* Cells of VTK with any number of corners, cut into lines and triangles: poly-lines (4), triangle
   strips (6), polygons (7). Polygons of three and four corners are triangles and quadrilaterals. */
#include "io/format/vtk.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 3, POLY_LINE = 4, TRIANGLE = 5, STRIP = 6, POLYGON = 7, QUAD = 9 };

static bool is_cut(const ig_vtk_grid *g, int64_t cell) {
  return g->type[cell] == POLY_LINE || g->type[cell] == STRIP || g->type[cell] == POLYGON;
}

static void cross_add(const double *o, const double *a, const double *b, double n[3]) {
  const double u[3] = {a[0] - o[0], a[1] - o[1], a[2] - o[2]},
               v[3] = {b[0] - o[0], b[1] - o[1], b[2] - o[2]};
  n[0] += u[1] * v[2] - u[2] * v[1];
  n[1] += u[2] * v[0] - u[0] * v[2];
  n[2] += u[0] * v[1] - u[1] * v[0];
}

/* The corner from which a fan of triangles covers a polygon: each of them faces as the polygon
   does. -1: there is none. */
static int64_t fan_find(const ig_vtk_grid *g, const int64_t *corner, int64_t n) {
  double normal[3] = {0, 0, 0};
  for (int64_t i = 1; i + 1 < n; i++)
    cross_add(&g->point[3 * corner[0]], &g->point[3 * corner[i]], &g->point[3 * corner[i + 1]],
              normal);
  for (int64_t first = 0; first < n; first++) {
    bool covers = true;
    for (int64_t i = 1; i + 1 < n && covers; i++) {
      double one[3] = {0, 0, 0};
      cross_add(&g->point[3 * corner[first]], &g->point[3 * corner[(first + i) % n]],
                &g->point[3 * corner[(first + i + 1) % n]], one);
      covers = one[0] * normal[0] + one[1] * normal[1] + one[2] * normal[2] > 0;
    }
    if (covers)
      return first;
  }
  return -1;
}

/* Appends one cell with corners `at` of the cell that is cut, NULL: all of them. Triangles with
   equal corners, by which strips turn, are left out. */
static void piece_add(ig_vtk_grid *made, int type, const int64_t *corner, const int64_t *at,
                      int64_t n) {
  if (at && type == TRIANGLE &&
      (corner[at[0]] == corner[at[1]] || corner[at[1]] == corner[at[2]] ||
       corner[at[0]] == corner[at[2]]))
    return;
  for (int64_t i = 0; i < n; i++)
    made->corner[made->corners++] = corner[at ? at[i] : i];
  made->type[made->cells++] = (uint8_t)type;
  made->offset[made->cells] = made->corners;
}

static ig_status cell_split(const ig_vtk_grid *g, const char *path, int64_t cell,
                            ig_vtk_grid *made) {
  const int64_t *corner = g->corner + g->offset[cell], n = g->offset[cell + 1] - g->offset[cell];
  const int type = g->type[cell];
  if (!is_cut(g, cell))
    piece_add(made, type, corner, NULL, n);
  for (int64_t i = 0; type == POLY_LINE && i + 1 < n; i++)
    piece_add(made, LINE, corner, (int64_t[]){i, i + 1}, 2);
  for (int64_t i = 0; type == STRIP && i + 2 < n; i++)
    piece_add(made, TRIANGLE, corner, (int64_t[]){i + i % 2, i + 1 - i % 2, i + 2}, 3);
  if (type == POLYGON && (n == 3 || n == 4))
    piece_add(made, n == 3 ? TRIANGLE : QUAD, corner, NULL, n);
  if (type != POLYGON || n < 5)
    return IG_OK;
  for (int64_t i = 0; i < n; i++)
    if (corner[i] < 0 || corner[i] >= g->points)
      return IG_FAIL(g->cx, IG_INPUT, "%s: cell %lld uses point %lld: there are %lld", path,
                     (long long)cell, (long long)corner[i], (long long)g->points);
  const int64_t first = fan_find(g, corner, n);
  if (first < 0)
    return IG_FAIL(g->cx, IG_INPUT,
                   "%s: cell %lld is a polygon of %lld corners that is not convex: cut it into "
                   "triangles (vtkTriangleFilter)",
                   path, (long long)cell, (long long)n);
  for (int64_t i = 1; i + 1 < n; i++)
    piece_add(made, TRIANGLE, corner, (int64_t[]){first, (first + i) % n, (first + i + 1) % n}, 3);
  return IG_OK;
}

/* Values of cells, once for each of their pieces. */
static ig_status fields_copy(const ig_vtk_grid *g, const int64_t *from, ig_vtk_grid *made) {
  for (int i = 0; i < g->fields; i++) {
    const ig_vtk_field *f = &g->field[i];
    const bool of_cells = !f->at_points && f->count == g->cells;
    const int64_t count = of_cells ? made->cells : f->count;
    int64_t *value;
    IG_TRY(ig_vtk_field_add(made, f->name, f->at_points, count, &value));
    for (int64_t c = 0; value && c < count; c++)
      value[c] = f->value[of_cells ? from[c] : c];
  }
  return IG_OK;
}

ig_status ig_vtk_split(const ig_vtk_grid *g, const char *path, ig_vtk_grid *made) {
  int64_t cells = 0, corners = 0, cut = 0;
  *made = (ig_vtk_grid){.cx = g->cx, .points = g->points, .point = g->point};
  for (int64_t c = 0; c < g->cells; c++) {
    const int64_t n = g->offset[c + 1] - g->offset[c];
    cut += is_cut(g, c);
    cells += is_cut(g, c) ? n : 1; /* at most so many pieces of three corners */
    corners += is_cut(g, c) ? 3 * n + 1 : n;
  }
  if (!cut)
    return IG_OK;
  if (cells > INT32_MAX / 2)
    return IG_FAIL(g->cx, IG_INPUT, "%s: %lld cells are more than can be numbered", path,
                   (long long)cells);
  int64_t *from = NULL;
  IG_TRY(IG_NEW(g->cx, &from, cells, "cells"));
  ig_status status = IG_NEW(g->cx, &made->type, cells, "cells");
  if (status == IG_OK)
    status = IG_NEW(g->cx, &made->offset, cells + 1, "cells");
  if (status == IG_OK)
    status = IG_NEW(g->cx, &made->corner, corners, "cells");
  for (int64_t c = 0; c < g->cells && status == IG_OK; c++) {
    const int64_t before = made->cells;
    status = cell_split(g, path, c, made);
    for (int64_t k = before; k < made->cells; k++)
      from[k] = c;
  }
  if (status == IG_OK)
    status = fields_copy(g, from, made);
  free(from);
  return status;
}

void ig_vtk_split_free(ig_vtk_grid *made) {
  made->point = NULL;
  ig_vtk_free(made);
}
