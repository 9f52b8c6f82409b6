/* Snapshots of a grid, and arrays of one that is divided between ranks: planes go to the first rank
   one after the other. */
#include "topopt/grid/grid_output.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "ranks/partition.h"
#include "solver/krylov/slab.h"

#include <stdlib.h>
#include <string.h>

/* --- points and cells, plane by plane --- */

static int64_t plane_points(const ig_grid *g) {
  return (int64_t)(g->n[0] + 1) * (g->n[1] + 1);
}
static int64_t plane_cells(const ig_grid *g) {
  return (int64_t)g->n[0] * g->n[1];
}

/* Points and cells of plane k: coordinates follow from the numbers, nothing is stored. */
static void points_fill(const ig_topopt_grid_model *m, int k, double *x) {
  const ig_grid *g = &m->whole;
  for (int j = 0; j <= g->n[1]; j++)
    for (int i = 0; i <= g->n[0]; i++) {
      *x++ = i * m->h[0];
      *x++ = j * m->h[1];
      *x++ = g->dim == 3 ? k * m->h[2] : 0;
    }
}

/* VTK's hexahedron and quadrilateral go round each face; corners here are numbered by bits. */
static void corners_fill(const ig_topopt_grid_model *m, int k, int64_t *corner) {
  static const int order[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* VTK goes round, bits do not */
  const ig_grid *g = &m->whole;
  const int64_t row = g->n[0] + 1, plane = row * (g->n[1] + 1);
  for (int j = 0; j < g->n[1]; j++)
    for (int i = 0; i < g->n[0]; i++)
      for (int a = 0; a < m->d.corners; a++) {
        const int q = order[a];
        *corner++ = i + (q & 1) + (j + (q >> 1 & 1)) * row + (k + (q >> 2)) * plane;
      }
}

static int type_of(const ig_grid *g) {
  return ig_elem_info_get(g->dim == 3 ? IG_HEX8 : IG_QUAD4)->vtk;
}

/* Planes of points or cells of the whole. */
static int planes_of(const ig_grid *g, bool points) {
  return points ? g->n[2] + 1 : ig_grid_layers(g);
}

/* Quadrilaterals of a plane problem are cells with arrays: a flat image is read differently by
   different programs. */
ig_status ig_topopt_grid_snapshot(void *self, int64_t step, ig_snapshot **snap) {
  const ig_topopt_grid_model *m = self;
  const ig_grid *g = &m->whole;
  if (m->d.regular) {
    ig_image_grid image = {.nodes = {0}}; /* from the origin on */
    for (int d = 0; d < 3; d++) {
      image.nodes[d] = g->n[d] + 1;
      image.spacing[d] = m->h[d];
    }
    return ig_snapshot_of_image(m->cx, &image, (double)step, step, snap);
  }
  IG_TRY(ig_snapshot_new(m->cx, m->d.nodes, m->d.elements, m->d.elements * m->d.corners,
                         (double)step, step, snap));
  const int team = ig_team(m->cx, m->d.elements, IG_WORK_NODE); /* it is the pages that take time */
#pragma omp parallel for schedule(static) num_threads(team)
  for (int k = 0; k < planes_of(g, true); k++)
    points_fill(m, k, (*snap)->point + 3 * k * plane_points(g));
#pragma omp parallel for schedule(static) num_threads(team)
  for (int k = 0; k < planes_of(g, false); k++)
    corners_fill(m, k, (*snap)->corner + m->d.corners * k * plane_cells(g));
#pragma omp parallel for schedule(static) num_threads(team)
  for (int64_t e = 0; e <= m->d.elements; e++)
    (*snap)->offset[e] = e * m->d.corners;
  memset((*snap)->type, type_of(g), (size_t)m->d.elements);
  return IG_OK;
}

/* Packs a field of elements or nodes without the halo. A plane problem has two components of
   displacement; the third is written as zero. */
void ig_topopt_grid_pack(void *self, bool nodes, int components, const double *from, float *to) {
  const ig_topopt_grid_model *m = self;
  const ig_grid *g = &m->whole;
  const int more = nodes ? 1 : 0;
  const int64_t plane = components * (nodes ? plane_points(g) : plane_cells(g));
#pragma omp parallel for schedule(static) num_threads(ig_team(m->cx, g->stored, IG_WORK_NODE))
  for (int k = 0; k < planes_of(g, nodes); k++) {
    float *at = to + k * plane;
    for (int j = 0; j < g->n[1] + more; j++)
      for (int i = 0; i < g->n[0] + more; i++)
        for (int c = 0; c < components; c++)
          *at++ = c < g->dof || components == 1
                      ? (float)from[c * g->stored + ig_grid_place(g, i, j, k)]
                      : 0;
  }
}

/* --- divided --- */

/* Everybody knows points and cells: the first rank makes them as they are written. Ranks above 0
   have nothing to give: take is NULL there. */
ig_status ig_topopt_grid_outline(void *self, int array, ig_stream_take *take, void *user) {
  const ig_topopt_grid_model *m = self;
  const ig_grid *g = &m->whole;
  const bool points = array == IG_STREAM_POINTS;
  const int64_t count = points                     ? plane_points(g)
                        : array == IG_STREAM_TYPES ? plane_cells(g)
                                                   : m->d.corners * plane_cells(g);
  char *rows;
  if (!take)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &rows, 3 * sizeof(double) * (size_t)count, "a plane of a snapshot"));
  ig_status status = IG_OK;
  for (int k = 0; k < planes_of(g, points) && status == IG_OK; k++) {
    if (points)
      points_fill(m, k, (double *)rows);
    else if (array == IG_STREAM_TYPES)
      memset(rows, type_of(g), (size_t)count);
    else
      corners_fill(m, k, (int64_t *)rows);
    status = take(user, rows, count);
  }
  free(rows);
  return status;
}

/* Planes on their way. */
typedef struct {
  const ig_topopt_grid_model *m;
  const double *from; /* of the component in hand, or of the first */
  bool host, states;
  double scale;
  double *plane; /* of all components */
  ig_stream_take *take;
  void *user;
} passing;

static ig_status values_out(const passing *p, const double *from, int64_t count, double *to) {
  const ig_ctx *cx = p->m->cx;
  if (p->host) {
    memcpy(to, from, (size_t)count * sizeof *to);
    return IG_OK;
  }
  IG_TRY(cx->backend->copy_out(p->m->cx, to, from, (size_t)count * sizeof *to));
  return cx->backend->sync(p->m->cx);
}

static ig_status planes_give(void *user, int64_t begin, int64_t count, void *items) {
  const passing *p = user;
  const ig_grid *g = &p->m->grid;
  return values_out(p, p->from + (g->ghosts + begin) * g->plane, count * g->plane, items);
}

static ig_status planes_put(void *user, const void *items, int64_t first, int64_t count) {
  const passing *p = user;
  (void)first;
  return p->take(p->user, items, count * p->m->whole.plane);
}

/* A component has a plane of halo below and above. A checkpoint has the arrays of the undivided
   grid with their halo: planes of zeros first and last. */
static ig_status component_stream(passing *p, const double *halo, ig_status status) {
  const ig_grid *g = &p->m->whole;
  if (status == IG_OK && p->take)
    status = p->take(p->user, halo, g->plane);
  status = ig_ranges_stream(p->m->cx, p->m->slab->start, sizeof(double) * (size_t)g->plane,
                            planes_give, planes_put, p, status);
  return status == IG_OK && p->take ? p->take(p->user, halo, g->plane) : status;
}

/* Component after component, each with its halo: the layout of the undivided grid. */
ig_status ig_topopt_grid_stream(void *self, bool states, const double *from, bool host,
                                ig_stream_take *take, void *user) {
  const ig_topopt_grid_model *m = self;
  ig_ctx *cx = m->cx;
  passing p = {.m = m, .host = host, .take = take, .user = user};
  double *halo = NULL;
  ig_status status = IG_NEW(cx, &halo, m->whole.plane, "a plane of a checkpoint");
  for (int c = 0; c < (states ? m->grid.dof : 1); c++) {
    p.from = from + c * m->grid.stored;
    status = component_stream(&p, halo, status);
    if (status != IG_OK)
      break;
  }
  free(halo);
  return status;
}

/* A plane without its halo, components side by side. */
static void plane_pack(const passing *p, float *to) {
  const ig_grid *g = &p->m->whole;
  const int more = p->states ? 1 : 0, components = p->states ? g->dof : 1;
  const int64_t first = g->first - g->plane;
  for (int j = 0; j < g->n[1] + more; j++)
    for (int i = 0; i < g->n[0] + more; i++)
      for (int c = 0; c < components; c++)
        *to++ = (float)(p->scale * p->plane[c * g->plane + first + i + j * g->row]);
}

/* Values of a plane of a snapshot. */
static int64_t shown_values(const passing *p) {
  const ig_grid *g = &p->m->whole;
  return p->states ? plane_points(g) * g->dof : plane_cells(g);
}

/* Packs on the sending rank: single precision without halo is less than half of what would
   travel. */
static ig_status shown_give(void *user, int64_t begin, int64_t count, void *items) {
  const passing *p = user;
  const ig_grid *g = &p->m->grid;
  float *to = items;
  for (int64_t k = begin; k < begin + count; k++, to += shown_values(p)) {
    for (int c = 0; c < (p->states ? g->dof : 1); c++)
      IG_TRY(values_out(p, p->from + c * g->stored + (g->ghosts + k) * g->plane, g->plane,
                        p->plane + c * g->plane));
    plane_pack(p, to);
  }
  return IG_OK;
}

/* The highest plane of places has nodes and no cells. */
static ig_status shown_put(void *user, const void *items, int64_t first, int64_t count) {
  const passing *p = user;
  const int64_t planes = planes_of(&p->m->whole, p->states); /* cells are not above the last */
  if (first + count > planes)
    count = planes - first;
  return p->take(p->user, items,
                 count * (p->states ? plane_points(&p->m->whole) : shown_values(p)));
}

/* For snapshots: without halo, components side by side, in single precision and scaled to SI. */
ig_status ig_topopt_grid_show(void *self, bool states, double scale, const double *from,
                              ig_stream_take *take, void *user) {
  const ig_topopt_grid_model *m = self;
  passing p = {.m = m, .from = from, .states = states, .scale = scale, .take = take, .user = user};
  ig_status status =
      IG_NEW(m->cx, &p.plane, m->whole.plane * (states ? m->grid.dof : 1), "a plane of a snapshot");
  status = ig_ranges_stream(m->cx, m->slab->start, sizeof(float) * (size_t)shown_values(&p),
                            shown_give, shown_put, &p, status);
  free(p.plane);
  return status;
}
