/* A mesh over its build plate: layers, elements that hold others up, upright lines through the
   mesh, and faces that look up and down (ig_topopt_build). What is done with them is in
   design/support_lines.c and design/overheat_mesh.c.

   Lines stand two to an element of mean width along each axis, off all planes of regular meshes: an
   even mesh of hexahedra has four alike in each of its columns. An element begins and ends where
   its faces do; a quadrilateral is four triangles around its middle, as its neighbour has it. */
#include "topopt/mesh/mesh_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Off the middle of what a line stands for, over its width. */
static const double SHIFT[2] = {0.1137, -0.0823};
/* Cosine of faces that are too steep to be melted onto. */
static const double STEEP = 0.3;
enum { MOST = 1 << 24 }; /* lines */

static const double *node_at(const ig_topopt_mesh_model *m, ig_lid e, int corner) {
  const size_t at = (size_t)e * (size_t)m->info->nodes + (size_t)corner;
  return &m->mesh->x[3 * (size_t)m->conn[at]];
}

/* Where an element begins and ends along an axis. */
static void reach(const ig_topopt_mesh_model *m, ig_lid e, int axis, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int a = 0; a < m->info->nodes; a++) {
    const double x = node_at(m, e, a)[axis];
    *low = fmin(*low, x);
    *high = fmax(*high, x);
  }
}

/* Mean extent of the elements along the axes. */
static void widths(const ig_topopt_mesh_model *m, double width[3]) {
  for (int d = 0; d < 3; d++) {
    width[d] = 0;
    for (ig_lid e = 0; e < m->elements; e++) {
      double low, high;
      reach(m, e, d, &low, &high);
      width[d] += (high - low) / m->elements;
    }
  }
}

/* --- layers --- */

static bool layers_number(const ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r, int layers,
                          uint8_t *any, int32_t *layer) {
  int count = 0;
  memset(any, 0, (size_t)layers);
  for (ig_lid e = 0; e < m->elements; e++) {
    const double height = r->sign * m->centers[3 * (size_t)e + (size_t)r->axis] - r->low;
    const int k = (int)(height / (r->high - r->low) * layers);
    layer[e] = k < 0 ? 0 : k >= layers ? layers - 1 : k;
    count += !any[layer[e]];
    any[layer[e]] = 1;
  }
  return count == layers;
}

/* As high as an element, and none without one. */
static ig_status layers_find(ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r, double width) {
  ig_topopt_build *b = &m->build;
  int layers = (int)fmin(m->elements, fmax(1, floor((r->high - r->low) / width + 0.5)));
  uint8_t *any;
  IG_TRY(IG_NEW(m->cx, &b->layer, m->elements, "printing"));
  IG_TRY(IG_NEW(m->cx, &any, layers, "printing"));
  while (!layers_number(m, r, layers, any, b->layer))
    layers--;
  free(any);
  b->layers = layers;
  b->height = (r->high - r->low) / layers;
  return IG_OK;
}

/* --- faces --- */

static void face_take(const ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r, ig_lid e, int f,
                      double area, ig_topopt_build_face *to) {
  const int *local = ig_elem_face(m->type, f);
  double middle[3];
  ig_topopt_mesh_center(m, e, f, middle);
  *to = (ig_topopt_build_face){
      .element = e, .area = area, .height = r->sign * middle[r->axis] - r->low};
  for (int a = 0; a < m->info->face_nodes; a++)
    to->node[a] = m->conn[(size_t)e * (size_t)m->info->nodes + (size_t)local[a]];
}

/* 1: heat comes in through a face, -1: it looks down out of the mesh, 0: neither. */
static int face_kind(const ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r, ig_lid e, int f,
                     ig_lid behind, double *area) {
  const ig_topopt_build *b = &m->build;
  double n[3];
  ig_topopt_mesh_normal(m, e, f, n);
  const double up = r->sign * n[r->axis], size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  *area = fabs(up);
  if (up > STEEP * size && (behind < 0 || b->layer[behind] > b->layer[e]))
    return 1;
  return up < -1e-9 * size && behind < 0 ? -1 : 0;
}

static ig_status faces_find(ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r) {
  ig_topopt_build *b = &m->build;
  const int faces = m->info->faces;
  ig_adjacency adj;
  int64_t count[2] = {0};
  b->face_nodes = m->info->face_nodes;
  for (int a = 0; a < b->face_nodes; a++)
    b->share[a] = b->face_nodes == 4 ? 0.25 : b->face_nodes == 3 || a >= 3 ? 1 / 3.0 : 0;
  IG_TRY(IG_NEW(m->cx, &b->top_first, (size_t)b->layers + 2, "printing"));
  IG_TRY(ig_mesh_adjacency(m->cx, m->mesh, &adj));
  ig_status status = IG_OK;
  for (int pass = 0; pass < 2 && status == IG_OK; pass++) {
    for (ig_lid e = 0; e < m->elements; e++)
      for (int f = 0; f < faces; f++) {
        double area;
        const ig_lid behind = adj.neighbor[(size_t)faces * (size_t)e + (size_t)f];
        const int kind = face_kind(m, r, e, f, behind, &area);
        if (kind == 0)
          continue;
        if (pass == 0 && kind > 0)
          b->top_first[b->layer[e] + 2]++;
        else if (pass > 0)
          face_take(m, r, e, f, area,
                    kind > 0 ? &b->top[b->top_first[b->layer[e] + 1]++] : &b->under[b->unders++]);
        count[kind > 0] += pass == 0;
      }
    if (pass > 0)
      continue;
    for (int k = 0; k < b->layers; k++)
      b->top_first[k + 2] += b->top_first[k + 1];
    status = IG_NEW(m->cx, &b->top, count[1] + 1, "printing");
    if (status == IG_OK)
      status = IG_NEW(m->cx, &b->under, count[0] + 1, "printing");
  }
  ig_adjacency_free(&adj);
  return status;
}

/* --- lines --- */

/* An element on a line. */
typedef struct {
  int64_t line;
  double low, high;
  ig_lid element;
} piece;

/* From the top down; the number of the element decides between equal heights. */
static int by_line(const void *a, const void *b) {
  const piece *p = a, *q = b;
  if (p->line != q->line)
    return p->line < q->line ? -1 : 1;
  if (p->high != q->high)
    return p->high > q->high ? -1 : 1;
  return (p->element > q->element) - (p->element < q->element);
}

/* The lines: (i + 0.5 + shift) x width from `low` on, along both axes. */
typedef struct {
  int axis[2];
  int64_t n[2];
  double low[2], width[2];
} raster;

static double line_at(const raster *g, int d, int64_t i) {
  return g->low[d] + ((double)i + 0.5 + SHIFT[d]) * g->width[d];
}

/* Height of a triangle at a point seen from above; NaN: it is not there. */
static double height_of(const ig_topopt_mesh_rise *r, const raster *g, const double *const x[3],
                        const double at[2]) {
  double p[3][2], w[3], all = 0, height = 0;
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 2; d++)
      p[i][d] = x[i][g->axis[d]] - at[d];
  for (int i = 0; i < 3; i++) {
    const double *a = p[(i + 1) % 3], *b = p[(i + 2) % 3];
    w[i] = a[0] * b[1] - a[1] * b[0];
    all += w[i];
  }
  if (!(fabs(all) > 1e-12 * g->width[0] * g->width[1]))
    return NAN;
  for (int i = 0; i < 3; i++) {
    if (w[i] / all < -1e-9)
      return NAN;
    height += w[i] / all * (r->sign * x[i][r->axis] - r->low);
  }
  return height;
}

/* Where a line enters and leaves an element, by its faces. */
static bool crosses(const ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r, const raster *g,
                    ig_lid e, const double at[2], piece *to) {
  to->low = INFINITY;
  to->high = -INFINITY;
  for (int f = 0; f < m->info->faces; f++) {
    const int *local = ig_elem_face(m->type, f);
    const int corners = m->info->face_nodes == 4 ? 4 : 3;
    double middle[3] = {0};
    for (int a = 0; a < corners; a++)
      for (int d = 0; d < 3; d++)
        middle[d] += node_at(m, e, local[a])[d] / corners;
    for (int a = 0; a < (corners == 4 ? 4 : 1); a++) {
      const double *const x[3] = {node_at(m, e, local[a]), node_at(m, e, local[(a + 1) % corners]),
                                  corners == 4 ? middle : node_at(m, e, local[2])};
      const double height = height_of(r, g, x, at);
      to->low = fmin(to->low, height);
      to->high = fmax(to->high, height);
    }
  }
  return to->high - to->low > m->slack;
}

static void raster_make(const ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r,
                        const double *width, raster *g) {
  double low[3], high[3];
  ig_mesh_bounds(m->mesh, low, high);
  double finer = 2;
  for (;; finer *= 0.5) { /* a mesh that is fine in places alone */
    for (int d = 0; d < 2; d++) {
      const int axis = g->axis[d] = (r->axis + 1 + d) % 3;
      const double size = high[axis] - low[axis];
      g->low[d] = low[axis];
      g->n[d] = (int64_t)fmax(1, floor(fmin(finer * size / width[axis], MOST) + 0.5));
      g->width[d] = size / (double)g->n[d];
    }
    if (g->n[0] * g->n[1] <= MOST)
      return;
  }
}

static ig_status pieces_find(const ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r,
                             const raster *g, piece **list, int64_t *count) {
  for (ig_lid e = 0; e < m->elements; e++) {
    int64_t from[2], to[2];
    for (int d = 0; d < 2; d++) {
      double low, high;
      reach(m, e, g->axis[d], &low, &high);
      from[d] = (int64_t)fmax(0, floor((low - g->low[d]) / g->width[d] - 0.5 - SHIFT[d]));
      to[d] = (int64_t)fmin((double)g->n[d] - 1,
                            ceil((high - g->low[d]) / g->width[d] - 0.5 - SHIFT[d]));
    }
    for (int64_t j = from[1]; j <= to[1]; j++)
      for (int64_t i = from[0]; i <= to[0]; i++) {
        const double at[2] = {line_at(g, 0, i), line_at(g, 1, j)};
        piece p = {.line = i + j * g->n[0], .element = e};
        if (!crosses(m, r, g, e, at, &p))
          continue;
        IG_TRY(IG_MORE(m->cx, list, *count, "printing"));
        (*list)[(*count)++] = p;
      }
  }
  qsort(*list, (size_t)*count, sizeof **list, by_line);
  return IG_OK;
}

/* Pieces end where the next begins; what is between them, and below the last, is air. At most twice
   as many segments as pieces. */
static void segments_make(ig_topopt_build *b, double slack, const piece *list, int64_t count) {
  int64_t n = 0, lines = 0;
  double above = 0; /* the lowest end so far */
  for (int64_t i = 0; i < count; i++) {
    const bool begins = i == 0 || list[i - 1].line != list[i].line;
    const bool ends = i + 1 == count || list[i + 1].line != list[i].line;
    const piece *p = &list[i];
    if (begins) {
      b->line[lines++] = n;
      above = p->high;
    }
    if (above - p->high > slack) {
      b->segment[n] = -1;
      b->length[n++] = above - p->high;
    }
    const double high = fmin(above, p->high);
    if (high - p->low > slack) {
      b->segment[n] = p->element;
      b->length[n++] = high - p->low;
    }
    above = fmin(above, p->low);
    if (ends && above > slack) {
      b->segment[n] = -1;
      b->length[n++] = above;
    }
  }
  b->line[lines] = n;
  b->lines = lines;
}

static ig_status lines_find(ig_topopt_mesh_model *m, const ig_topopt_mesh_rise *r,
                            const double *width) {
  ig_topopt_build *b = &m->build;
  raster g;
  piece *list = NULL;
  int64_t count = 0;
  raster_make(m, r, width, &g);
  b->area = g.width[0] * g.width[1];
  ig_status status = pieces_find(m, r, &g, &list, &count);
  if (status == IG_OK)
    status = IG_NEW(m->cx, &b->line, count + 1, "printing");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &b->segment, 3 * count + 1, "printing");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &b->length, 3 * count + 1, "printing");
  if (status == IG_OK)
    segments_make(b, m->slack, list, count);
  free(list);
  return status;
}

/* --- */

ig_status ig_topopt_mesh_build_new(ig_topopt_mesh_model *m) {
  const ig_printing_case *c = &m->c->printing;
  ig_topopt_build *b = &m->build;
  ig_topopt_mesh_rise r;
  double width[3];
  if (!c->at.given || m->part.divided)
    return IG_OK;
  IG_TRY(ig_topopt_mesh_rise_find(m, &r));
  widths(m, width);
  *b = (ig_topopt_build){.elements = m->elements,
                         .nodes = m->nodes,
                         .corners = m->info->nodes,
                         .conn = m->conn,
                         .x = m->mesh->x};
  IG_TRY(layers_find(m, &r, width[r.axis]));
  IG_TRY(ig_topopt_mesh_holders(m, r.axis, r.sign, c->angle, &b->held_start, &b->held, &b->plate));
  IG_TRY(faces_find(m, &r));
  IG_TRY(lines_find(m, &r, width));
  m->d.build = b;
  return IG_OK;
}

void ig_topopt_mesh_build_free(ig_topopt_mesh_model *m) {
  ig_topopt_build *b = &m->build;
  void *const arrays[] = {b->layer,   b->held_start, b->held,      b->plate, b->line,
                          b->segment, b->length,     b->top_first, b->top,   b->under};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
  *b = (ig_topopt_build){0};
}
