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
  const ig_grid *g = &l->whole;
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

/* --- the part of a rank --- */

/* From places of the whole grid to those of the part; -1: not stored there. */
static int32_t part_place(const ig_stress_lattice *l, int32_t at) {
  const int64_t to = at - l->whole.first + l->grid.first - l->grid.from * l->grid.plane;
  return to >= 0 && to < l->grid.stored ? (int32_t)to : -1;
}

/* The rank whose planes a place of the whole lies in. */
static int32_t place_owner(const ig_stress_lattice *l, int32_t at) {
  const int64_t plane = (at - l->whole.first) / l->whole.plane;
  int32_t r = 0;
  while (l->slab->start[r + 1] <= plane)
    r++;
  return r;
}

/* An array of those `count` items that `to` does not mark with -1: their numbers and what `to`
   says. Where the grid is whole there are no numbers. */
static ig_status chosen(ig_stress *m, bool divided, ig_lid count, const int32_t *to, ig_lid *kept,
                        ig_array *item, ig_array *place) {
  *kept = 0;
  for (ig_lid i = 0; i < count; i++)
    *kept += to[i] >= 0;
  IG_TRY(ig_array_new(m->cx, place, (size_t)*kept, sizeof *to, "places of the grid"));
  if (divided)
    IG_TRY(ig_array_new(m->cx, item, (size_t)*kept, sizeof *to, "places of the grid"));
  for (ig_lid i = 0, k = 0; i < count; i++)
    if (to[i] >= 0) {
      ((int32_t *)place->host)[k] = to[i];
      if (divided)
        ((int32_t *)item->host)[k] = i;
      k++;
    }
  IG_TRY(ig_array_push(m->cx, place));
  return divided ? ig_array_push(m->cx, item) : IG_OK;
}

/* Nodes and elements of this rank's part of the grid. cell: of each element, in the whole. */
static ig_status part_lists(ig_stress *m, ig_stress_lattice *l, const int32_t *cell) {
  const int rank = ig_ranks_rank(m->cx->ranks);
  int32_t *owner = NULL, *to = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &owner, m->nodes, "places of nodes"));
  IG_TRY_GOTO(status, done,
              IG_NEW(m->cx, &to, m->nodes > m->elements ? m->nodes : m->elements, "places"));
  for (ig_lid n = 0; n < m->nodes; n++) {
    owner[n] = l->slab ? place_owner(l, l->at[n]) : rank;
    to[n] = owner[n] == rank ? part_place(l, l->at[n]) : -1;
  }
  IG_TRY_GOTO(status, done, chosen(m, l->slab, m->nodes, to, &l->nodes, &l->node, &l->place));
  for (ig_lid e = 0; e < m->elements; e++)
    to[e] = part_place(l, cell[e]);
  IG_TRY_GOTO(status, done, chosen(m, l->slab, m->elements, to, &l->cells, &l->item, &l->cell));
  if (l->slab)
    status = ig_stress_nodes_exchange(m, owner, 3 * sizeof(float), &l->correction);
done:
  free(owner);
  free(to);
  return status;
}

static ig_multigrid_options options_of(const ig_stress_lattice *l) {
  ig_multigrid_options options = IG_MULTIGRID_DEFAULT;
  options.inner = true;
  options.fine_steps = options.steps = 2;
  options.slab = l->slab;
  return options;
}

/* Slabs, where the elements are divided, too; not of a grid with few planes. */
static ig_status divide(ig_stress *m, ig_stress_lattice *l) {
  const ig_multigrid_options options = options_of(l);
  int levels;
  l->grid = l->whole;
  if (!ig_stress_divided(m))
    return IG_OK;
  IG_TRY(ig_multigrid_levels(m->cx, &l->whole, &options, &levels));
  /* 2: coarsening looks at two planes of elements below */
  IG_TRY(ig_slab_new(m->cx, l->whole.n[2] + 1, levels, 2, &l->slab));
  if (l->slab)
    l->grid = ig_slab_grid(l->slab, 0, &l->whole);
  return IG_OK;
}

/* The grid with these cells; *good: the mesh is part of it. */
static ig_status lattice_make(ig_stress *m, ig_stress_lattice *l, const double low[3],
                              const double h[3], bool *good) {
  ig_ctx *cx = m->cx;
  uint8_t *taken = NULL;
  int32_t *cell = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &taken, l->whole.stored, "places of the grid"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &l->at, m->nodes, "places of nodes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &cell, m->elements, "places"));
  *good = places_of(m, l, low, h, l->at, cell, taken);
  if (!*good)
    goto done;
  if (m->args.assumed)
    assumed_brick(&l->brick, h, m->material.poisson);
  else
    ig_brick_elastic(&l->brick, 3, h, m->material.poisson);
  IG_TRY_GOTO(status, done, divide(m, l));
  IG_TRY_GOTO(status, done, part_lists(m, l, cell));
  IG_TRY_GOTO(
      status, done,
      ig_array_new_device(cx, &l->b, 3 * (size_t)l->grid.stored, sizeof(float), "residual"));
  IG_TRY_GOTO(status, done, ig_array_zero(cx, &l->b));
  status = ig_array_new_device(cx, &l->z, 3 * (size_t)m->nodes, sizeof(float), "correction");
done:
  free(taken);
  free(cell);
  return status;
}

/* *out stays NULL, with IG_OK, where the mesh does not fit a grid; nothing is allocated then. */
ig_status ig_stress_lattice_new(ig_stress *m, ig_stress_lattice **out) {
  ig_ctx *cx = m->cx;
  double low[3], high[3], h[3], cells = 1;
  int n[3];
  *out = NULL;
  if (m->type != IG_HEX8 || m->elements < FEWEST || !brick_of(m, h))
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
  bool good = false;
  IG_TRY(IG_NEW(cx, &l, 1, "grid of the part"));
  ig_status status = ig_grid_init(cx, &l->whole, 3, 3, n);
  if (status == IG_OK)
    status = lattice_make(m, l, low, h, &good);
  if (status == IG_OK && good)
    *out = l;
  else
    ig_stress_lattice_free(cx, l);
  return status;
}

void ig_stress_lattice_free(ig_ctx *cx, ig_stress_lattice *l) {
  if (!l)
    return;
  ig_array *const all[] = {&l->node, &l->place, &l->item, &l->cell, &l->young, &l->b, &l->z};
  ig_multigrid_free(l->multigrid);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ig_array_free(cx, all[i]);
  ig_halo_free(cx, &l->correction);
  ig_slab_free(l->slab);
  free(l->at);
  free(l);
}

/* A failure of one rank within a cycle or an update: it goes on there, since others wait for its
   planes. */
static ig_status fault_of(const ig_stress_lattice *l) {
  return l->slab ? l->slab->fault : IG_OK;
}

/* Coarse levels know what is held, so they are made anew with it. */
ig_status ig_stress_lattice_hold(ig_stress *m, ig_stress_lattice *l) {
  const ig_multigrid_options options = options_of(l);
  uint8_t *fix;
  ig_multigrid_free(l->multigrid);
  l->multigrid = NULL;
  IG_TRY(IG_NEW(m->cx, &fix, l->grid.stored, "supports"));
  for (ig_lid n = 0; n < m->nodes; n++) {
    const int32_t at = part_place(l, l->at[n]);
    if (at >= 0)
      fix[at] = m->held.bits[n];
  }
  const ig_status status =
      ig_multigrid_new(m->cx, &l->grid, &l->brick, fix, NULL, 0, &options, &l->multigrid);
  free(fix);
  if (status == IG_OK)
    l->multigrid->cautious = true; /* the same from the start and after a restart */
  return status;
}

/* Moduli of the part's cells from the ranks that have their elements. */
static ig_status moduli_fetch(ig_stress *m, ig_stress_lattice *l) {
  if (!l->young.dev)
    IG_TRY(ig_array_new(m->cx, &l->young, (size_t)l->cells, sizeof(double), "moduli"));
  IG_TRY(ig_stress_elements_fetch(m, sizeof(double), m->built.host, l->item.host, l->cells,
                                  l->young.host));
  return ig_array_push(m->cx, &l->young);
}

ig_status ig_stress_lattice_build(ig_stress *m, ig_stress_lattice *l) {
  const bool divided = ig_stress_divided(m);
  IG_TRY(ig_array_zero(m->cx, &l->multigrid->modulus));
  if (divided)
    IG_TRY(moduli_fetch(m, l));
  IG_TRY(m->ops->to_cells(m->cx, l->cells, NULL, l->cell.dev, divided ? l->young.dev : m->built.dev,
                          l->multigrid->modulus.dev));
  IG_TRY(ig_multigrid_update(l->multigrid));
  return l->slab ? ig_ranks_agree(m->cx, fault_of(l)) : IG_OK;
}

/* r: nodes x 3, floats. The grid stores component after component; places without a node stay 0. */
ig_status ig_stress_lattice_cycle(ig_stress *m, ig_stress_lattice *l, const float *r,
                                  const float **z) {
  const ig_linear linear = ig_multigrid_linear(l->multigrid);
  const float *on_grid;
  IG_TRY(m->ops->to_grid(m->cx, l->nodes, l->grid.stored, l->node.dev, l->place.dev, r, l->b.dev));
  IG_TRY(linear.precondition(linear.self, l->b.dev, &on_grid));
  *z = l->z.dev;
  IG_TRY(m->ops->from_grid(m->cx, l->nodes, l->grid.stored, l->node.dev, l->place.dev, on_grid,
                           l->z.dev));
  return l->slab ? ig_halo_refresh(m->cx, &l->correction, l->z.dev, 3 * sizeof(float), fault_of(l))
                 : IG_OK;
}
