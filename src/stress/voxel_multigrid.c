/* Meshes that are part of a regular grid of bricks, as voxels and boxes are: geometric multigrid of
   the whole grid precedes conjugate gradients on the mesh. Cells without an element have no
   stiffness, so that what is not built yet, or cut off, costs nothing but its place. */
#include "stress/voxel_multigrid.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "kern/hex8.inc"
#include "stress/assumed.inc"
#define STORED double
#include "stress/product.inc"
#undef STORED

/* Limits beyond which the grid is not used. EMPTIEST: cells of the grid per element, as empty
   cells still cost memory and work. LONGEST: ratio of brick edges, as point smoothers fail on
   long cells. FEWEST: elements; below it aggregation is as quick. */
enum { EMPTIEST = 4, LONGEST = 3, FEWEST = 2000 };

/* Sizes of the grid's cells, if the first element is a brick along the axes. */
static bool brick_of(const ig_stress *m, double h[3]) {
  const double *x = m->mesh->x, *a = x + 3 * (int64_t)m->conn[0];
  for (int d = 0; d < 3; d++) {
    h[d] = 0;
    for (int k = 1; k < 8; k++)
      h[d] = fmax(h[d], fabs(x[3 * (int64_t)m->conn[k] + d] - a[d]));
  }
  const double most = fmax(h[0], fmax(h[1], h[2])), least = fmin(h[0], fmin(h[1], h[2]));
  return least > 0 && most <= LONGEST * least;
}

/* Positive where the corners are in the usual order; elements that are not are named elsewhere. */
static double handed(const double *x, const ig_lid *c) {
  double edge[3][3];
  static const int to[3] = {1, 3, 4};
  for (int i = 0; i < 9; i++)
    edge[i / 3][i % 3] = x[3 * (int64_t)c[to[i / 3]] + i % 3] - x[3 * (int64_t)c[0] + i % 3];
  double normal[3];
  cross_f64(edge[0], edge[1], normal);
  return normal[0] * edge[2][0] + normal[1] * edge[2][1] + normal[2] * edge[2][2];
}

/* Places of nodes and cells of elements; false: this is no grid. */
static bool places_of(const ig_stress *m, const ig_stress_lattice *l, const double low[3],
                      const double h[3], int32_t *place, int32_t *cell, uint8_t *taken) {
  const ig_grid *g = &l->grid;
  for (ig_lid n = 0; n < m->nodes; n++) {
    int i[3];
    for (int d = 0; d < 3; d++) {
      const double at = (m->mesh->x[3 * (int64_t)n + d] - low[d]) / h[d];
      i[d] = (int)lround(at);
      /* 1e-5 of a cell: files with six digits are accepted */
      if (!(fabs(at - i[d]) < 1e-5))
        return false;
    }
    const int64_t to = ig_grid_place(g, i[0], i[1], i[2]);
    if (taken[to]) /* two nodes in one place: parts that touch and are not joined */
      return false;
    taken[to] = 1;
    place[n] = (int32_t)to;
  }
  /* an element is a cell if its corners are the eight grid points next to the lowest one; bit 2
     of `taken` marks used cells */
  for (ig_lid e = 0; e < m->elements; e++) {
    const ig_lid *c = m->conn + 8 * (int64_t)e;
    int32_t first = INT32_MAX;
    for (int a = 0; a < 8; a++)
      first = place[c[a]] < first ? place[c[a]] : first;
    for (int a = 0; a < 8; a++) {
      const int64_t off = place[c[a]] - first, k = off / g->plane, j = off % g->plane / g->row;
      if (k > 1 || j > 1 || off % g->row > 1)
        return false;
    }
    if ((taken[first] & 2) || !(handed(m->mesh->x, c) > 0))
      return false;
    taken[first] |= 2;
    cell[e] = first;
  }
  return true;
}

/* The brick of the assumed-strain element, of Young's modulus 1: multigrid of trilinear bricks,
   which shear instead of bending, needs a fifth more iterations. */
static void assumed_brick(ig_brick *b, const double h[3], double poisson) {
  /* corners of the hexahedron by the bits x, y, z of a grid's node */
  static const int corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  double k[24][24], x[24], slope[16];
  for (int i = 0; i < 16; i++)
    slope[i] = i < 8 ? 1 / (1 + poisson) : 1 / (3 * (1 - 2 * poisson));
  for (int i = 0; i < 24; i++)
    x[3 * corner[i / 3] + i % 3] = i / 3 >> i % 3 & 1 ? h[i % 3] : 0;
  for (int i = 0; i < 24; i++) {
    double u[24] = {0}, f[24];
    u[3 * corner[i / 3] + i % 3] = 1;
    stress_product_assumed_f64(x, u, slope, 1, 2, false, f);
    for (int j = 0; j < 24; j++)
      k[j][i] = f[3 * corner[j / 3] + j % 3];
  }
  ig_brick_of(b, h, (const double(*)[24])k);
}

/* *out stays NULL, with IG_OK, where the mesh does not fit a grid; nothing is allocated then. */
ig_status ig_stress_lattice_new(ig_stress *m, ig_stress_lattice **out) {
  ig_ctx *cx = m->cx;
  double low[3], high[3], h[3], cells = 1;
  int n[3];
  *out = NULL;
  if (m->elements < FEWEST || !brick_of(m, h))
    return IG_OK;
  ig_mesh_bounds(m->mesh, low, high);
  for (int d = 0; d < 3; d++) {
    const double count = round((high[d] - low[d]) / h[d]);
    cells *= count;
    n[d] = count < 1e6 ? (int)count : 1000000;
  }
  if (!(cells <= (double)EMPTIEST * m->elements) || !(cells < 1e9))
    return IG_OK;
  ig_stress_lattice *l;
  uint8_t *taken = NULL;
  ig_status status;
  IG_TRY(IG_NEW(cx, &l, 1, "grid of the part"));
  bool good = false;
  IG_TRY_GOTO(status, done, ig_grid_init(cx, &l->grid, 3, 3, n));
  const size_t stored = (size_t)l->grid.stored;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &taken, stored, "places of the grid"));
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &l->place, (size_t)m->nodes, sizeof(int32_t), "places of nodes"));
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &l->cell, (size_t)m->elements, sizeof(int32_t), "places"));
  good = places_of(m, l, low, h, l->place.host, l->cell.host, taken);
  if (!good)
    goto done;
  if (m->args.assumed)
    assumed_brick(&l->brick, h, m->material.poisson);
  else
    ig_brick_elastic(&l->brick, 3, h, m->material.poisson);
  IG_TRY_GOTO(status, done, ig_array_push(cx, &l->place));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &l->cell));
  IG_TRY_GOTO(status, done, ig_array_new_device(cx, &l->b, 3 * stored, sizeof(float), "residual"));
  IG_TRY_GOTO(status, done, ig_array_zero(cx, &l->b));
  status = ig_array_new_device(cx, &l->z, 3 * (size_t)m->nodes, sizeof(float), "correction");
done:
  free(taken);
  if (status == IG_OK && good)
    *out = l;
  else
    ig_stress_lattice_free(cx, l);
  return status;
}

void ig_stress_lattice_free(ig_ctx *cx, ig_stress_lattice *l) {
  if (!l)
    return;
  ig_multigrid_free(l->multigrid);
  ig_array_free(cx, &l->place);
  ig_array_free(cx, &l->cell);
  ig_array_free(cx, &l->b);
  ig_array_free(cx, &l->z);
  free(l);
}

/* Coarse levels know what is held, so they are made anew with it. */
ig_status ig_stress_lattice_hold(ig_stress *m, ig_stress_lattice *l) {
  ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
  const int32_t *place = l->place.host;
  uint8_t *fix;
  options.inner = true;
  options.fine_steps = options.steps = 2;
  ig_multigrid_free(l->multigrid);
  l->multigrid = NULL;
  IG_TRY(IG_NEW(m->cx, &fix, l->grid.stored, "supports"));
  for (ig_lid n = 0; n < m->nodes; n++)
    fix[place[n]] = m->held.bits[n];
  const ig_status status =
      ig_multigrid_new(m->cx, &l->grid, &l->brick, fix, NULL, 0, &options, &l->multigrid);
  free(fix);
  if (status == IG_OK)
    l->multigrid->cautious = true; /* the same from the start and after a restart */
  return status;
}

ig_status ig_stress_lattice_build(ig_stress *m, ig_stress_lattice *l, const double *young) {
  IG_TRY(ig_array_zero(m->cx, &l->multigrid->modulus));
  IG_TRY(m->ops->to_cells(m->cx, m->elements, l->cell.dev, young, l->multigrid->modulus.dev));
  return ig_multigrid_update(l->multigrid);
}

/* r: nodes x 3, floats. The grid stores component after component; places without a node stay 0. */
ig_status ig_stress_lattice_cycle(ig_stress *m, ig_stress_lattice *l, const float *r,
                                  const float **z) {
  const ig_linear linear = ig_multigrid_linear(l->multigrid);
  const float *on_grid;
  IG_TRY(m->ops->to_grid(m->cx, m->nodes, l->grid.stored, l->place.dev, r, l->b.dev));
  IG_TRY(linear.precondition(linear.self, l->b.dev, &on_grid));
  *z = l->z.dev;
  return m->ops->from_grid(m->cx, m->nodes, l->grid.stored, l->place.dev, on_grid, l->z.dev);
}
