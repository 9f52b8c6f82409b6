/* The grid of a case, divided between ranks where it can be.

   Two ways for ranks to work on one case: share the linear systems (every rank has the whole
   grid and solves some of the systems, design/solve_groups.c), or divide the grid into slabs of
   planes along z (solver/krylov/slab.h). Sharing needs no messages inside a solve, so it is
   faster where there are as many systems as ranks; dividing is for single systems and for grids
   too large for one machine.

   A slab owns whole planes of nodes. Beside them it stores `ghosts` planes of its neighbours on
   both sides: at least two for the coarsening of multigrid, and as many as filters and balls
   reach.

     z  ^   ghosts of rank 2 and above
        |   planes rank 1 owns: from ... from + n[2]
        |   ghosts of rank 0 and below

   This file makes the grid (ig_topopt_grid_make), says why a case is not divided, estimates
   memory for `check`, and prints the table of ranks. */
#include "topopt/grid/divide.h"
#include "topopt/design/large_items.h"
#include "core/number.h"
#include "topopt/grid/grid_pattern.h"
#include "topopt/design/load.h"
#include "topopt/case/boundary_conditions.h"
#include "topopt/design/stress.h"
#include "backend/backend.h"
#include "material/material.h"
#include "ranks/allgather.h"
#include "ranks/partition.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A grid with more elements is divided for its memory's sake: it takes more than 10 GB. */
static const double LARGEST_SHARED = 20e6;

/* Systems that can be solved at the same time: load cases and port; then, where there are any,
   the adjoint systems of bounds and objectives. The fewer of the two. A stress bound over all
   load cases has an adjoint system per load case and cluster. */
static int systems_at_once(const ig_topopt_case *c) {
  const int cases = ig_topopt_load_cases(c), direct = cases + ig_topopt_has_port(c);
  const bool peak = c->minimise == IG_MINIMISE_STRESS || c->minimise == IG_MINIMISE_TEMPERATURE ||
                    c->minimise == IG_MINIMISE_BUCKLING;
  int adjoint = peak ? cases : 0;
  for (int i = 0; i < c->constraints.count; i++) {
    const ig_limit_case *limit = IG_ITEM(ig_limit_case, c->constraints, i);
    const int of = limit->load_case > 0 ? 1 : cases;
    if (!isnan(limit->stress))
      adjoint += of * (int)c->stress.clusters;
    else if (!isnan(limit->temperature) || !isnan(limit->buckling))
      adjoint += of;
    else
      adjoint += !isnan(limit->displacement);
  }
  return adjoint > 0 && adjoint < direct ? adjoint : direct;
}

/* Whether ranks share systems though the grid could be divided. */
static bool shares(const ig_ctx *cx, const ig_topopt_case *c) {
  const int64_t *n = c->grid.elements;
  return c->ranks == IG_RANKS_AUTO && systems_at_once(c) >= ig_ranks_count(cx->ranks) &&
         (double)n[0] * (double)n[1] * (double)n[2] <= LARGEST_SHARED;
}

typedef struct {
  bool there;
  const char *name;
} unfit;

static const char *first_of(const unfit *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (list[i].there)
      return list[i].name;
  return NULL;
}

/* The first reason that applies is reported to the user. */
bool ig_topopt_divisible(const ig_ctx *cx, const ig_topopt_case *c, const char **why) {
  const unfit list[] = {
      {c->ranks == IG_RANKS_SHARE, "ranks: share"},
      {c->grid.elements[2] <= 0, "a plane problem"},
      {c->solver.storage == IG_STORE_HALF && cx->backend->kernels != IG_KERNELS_CUDA,
       "storage half on a CPU"},
      {c->printing.at.given, "printing"},
      {c->draw_direction.angle > 0, "draw_direction: angle"},
      {c->analysis.large_deflections, "large_deflections"},
      {shares(cx, c), "there are as many systems as ranks"},
  };
  *why = first_of(list, sizeof list / sizeof *list);
  return !*why;
}

/* Equal bits on any number of ranks need sums at nodes in one order: colours and gathering have
   that, atomics and clusters do not. */
bool ig_topopt_mesh_divisible(const ig_ctx *cx, const ig_topopt_case *c, ig_assembly how,
                              const char **why) {
  const bool petsc = c->solver.preconditioner == IG_PRECONDITIONER_PETSC;
  const bool mpi = cx->ranks && cx->ranks->communicator;
  *why = NULL;
  if (c->ranks == IG_RANKS_SHARE)
    *why = "ranks: share";
  else if (how != IG_COLOR && how != IG_GATHER)
    *why = "assembly: only color and gather add in the order of one rank";
  else if (petsc && !mpi)
    *why = "PETSc needs MPI to divide";
  else if (petsc && c->ranks != IG_RANKS_DIVIDE) /* its iterates depend on the number of ranks */
    *why = "preconditioner: petsc, whose bits depend on the division";
  else if (shares(cx, c))
    *why = "there are as many systems as ranks";
  else if (c->printing.at.given)
    *why = "printing";
  else if (c->analysis.large_deflections)
    *why = "large_deflections";
  return ig_ranks_count(cx->ranks) > 1 && !*why;
}

/* --- the grid, or this rank's part --- */

/* 1.5 elements where the case names none: the least that suppresses checkerboards. */
double ig_topopt_grid_radius(const ig_topopt_grid_model *m) {
  return isnan(m->c->filter.radius) ? 1.5 * m->h[0] : m->c->filter.radius;
}
/* Elements that the cone of a filter reaches along an axis. An element exactly at the radius has
   weight zero, hence the - 1. */
int ig_topopt_grid_reach(const ig_topopt_grid_model *m, int axis) {
  const int reach = (int)fmin(ceil(ig_topopt_grid_radius(m) / m->h[axis]) - 1, m->whole.n[axis]);
  return reach < 0 ? 0 : reach;
}
/* The same of the balls that bound members, elements at the rim in part. Elements whose centre
   is up to half an element outside of the ball still have a part of their weight in it
   (make_ball in grid_model.c). */
int ig_topopt_grid_ball_reach(const ig_topopt_grid_model *m, int axis) {
  const double h = fmin(m->h[0], fmin(m->h[1], m->whole.dim == 3 ? m->h[2] : m->h[0]));
  const double radius = 0.5 * ig_topopt_member(m->c);
  return radius > 0 ? (int)fmin(m->whole.n[axis], floor((radius + 0.5 * h) / m->h[axis])) : 0;
}

/* The grid of the case, one or three values per node. Also refuses sizes and numbers of elements
   that make no grid. */
static ig_status make_outline(ig_topopt_grid_model *m) {
  ig_ctx *cx = m->cx;
  const ig_grid_case *gc = &m->c->grid;
  const int dim = gc->elements[2] > 0 ? 3 : 2;
  int n[3];
  if (m->c->solver.preconditioner == IG_PRECONDITIONER_PETSC)
    return ig_fail_at(cx, &m->c->solver.at, "preconditioner: petsc is for meshes: use multigrid");
  for (int d = 0; d < 3; d++) {
    n[d] = (int)gc->elements[d];
    if (d < dim && n[d] < 1)
      return ig_fail_at(cx, &gc->at, "grid: elements must be at least 1 along x and y");
    m->h[d] = d >= dim ? 1 : isnan(gc->size[d]) ? 1 : gc->size[d] / n[d];
    if (!(m->h[d] > 0))
      return ig_fail_at(cx, &gc->at, "grid: size must be more than 0 along every axis in use");
  }
  return ig_grid_outline(cx, &m->whole, dim, m->c->problem == IG_PROBLEM_HEAT ? 1 : dim, n);
}

/* Unless asked for: three of mechanisms, whose parts hang in the void by hinges for many designs;
   there they save half of the iterations. */
static int fine_steps(const ig_topopt_case *c) {
  if (c->solver.fine_smoothing_steps)
    return (int)c->solver.fine_smoothing_steps;
  return c->problem == IG_PROBLEM_MECHANISM ? 3 : 1;
}

ig_multigrid_options ig_topopt_grid_options(const ig_topopt_case *c) {
  const bool multigrid = c->solver.preconditioner == IG_PRECONDITIONER_MULTIGRID;
  return (ig_multigrid_options){.precondition =
                                    multigrid ? IG_PRECONDITION_MULTIGRID : IG_PRECONDITION_JACOBI,
                                .smoother = (ig_smoother)c->solver.smoother,
                                .cycle = (ig_cycle)c->solver.cycle,
                                .visits = (int)c->solver.coarse_cycles,
                                .fine_steps = fine_steps(c),
                                .steps = (int)c->solver.smoothing_steps,
                                .damping = c->solver.damping,
                                .storage = (ig_storage)c->solver.storage,
                                .limit = (int)c->solver.limit};
}

/* The Helmholtz filter has multigrid even where the case asks for Jacobi in the body's own
   system. */
ig_multigrid_options ig_topopt_grid_filter_options(const ig_topopt_case *c) {
  ig_multigrid_options options = ig_topopt_grid_options(c);
  options.precondition = IG_PRECONDITION_MULTIGRID;
  return options;
}

/* Levels of multigrid: the fewest, where the filter has a hierarchy of its own. Slabs are cut at
   planes that all levels have: with two hierarchies the one with fewer levels decides. */
static ig_status levels_find(const ig_topopt_grid_model *m, int *levels) {
  const ig_multigrid_options options = ig_topopt_grid_options(m->c);
  const ig_multigrid_options filter = ig_topopt_grid_filter_options(m->c);
  ig_grid cells = m->whole;
  int more;
  cells.dof = 1;
  IG_TRY(ig_multigrid_levels(m->cx, &m->whole, &options, levels));
  if (m->c->filter.kind != IG_FILTER_HELMHOLTZ)
    return IG_OK;
  IG_TRY(ig_multigrid_levels(m->cx, &cells, &filter, &more));
  *levels = *levels > 1 && *levels < more ? *levels : more;
  return IG_OK;
}

/* Why slabs cannot be made of a grid (ig_slab_new). */
static const char *too_small(const ig_topopt_grid_model *m) {
  return m->whole.n[2] / 4 < ig_ranks_count(m->cx->ranks)
             ? "a rank would have fewer than 4 planes of elements along z"
             : "it has too few elements for three levels of multigrid";
}

/* The part of this rank, where the grid is divided between them; else all of it. `cells` is the
   same grid with one value per place, for the filter's own equation. */
ig_status ig_topopt_grid_make(ig_topopt_grid_model *m) {
  ig_ctx *cx = m->cx;
  const char *why = NULL;
  IG_TRY(make_outline(m));
  if (ig_ranks_count(cx->ranks) > 1 && ig_topopt_divisible(cx, m->c, &why)) {
    const int kind = m->c->filter.kind, ball = ig_topopt_grid_ball_reach(m, 2);
    const bool cone = kind == IG_FILTER_SENSITIVITY || kind == IG_FILTER_DENSITY;
    int ghosts = 2, levels; /* coarsening looks at two planes of elements below */
    if (cone && ig_topopt_grid_reach(m, 2) > ghosts)
      ghosts = ig_topopt_grid_reach(m, 2);
    IG_TRY(levels_find(m, &levels));
    IG_TRY(ig_slab_new(cx, m->whole.n[2] + 1, levels, ball > ghosts ? ball : ghosts, &m->slab));
  }
  if (m->c->ranks == IG_RANKS_DIVIDE && ig_ranks_count(cx->ranks) > 1 && !m->slab)
    return ig_fail_at(cx, &m->c->at, "ranks: divide: this grid cannot be divided: %s",
                      why ? why : too_small(m));
  m->grid = m->slab ? ig_slab_grid(m->slab, 0, &m->whole) : m->whole;
  m->cells = m->grid;
  m->cells.dof = 1;
  return ig_grid_check(cx, &m->grid);
}

/* Follows what grid_model.c and the solver allocate, without allocating it. */
ig_status ig_topopt_grid_model_bytes(ig_ctx *cx, const ig_topopt_case *c, double *bytes) {
  ig_topopt_grid_model m = {.cx = cx, .c = c};
  ig_multigrid_options options = ig_topopt_grid_options(c);
  ig_multigrid_options filter_options = ig_topopt_grid_filter_options(c);
  double filter = 0;
  ig_status status = ig_topopt_grid_make(&m);
  ig_grid cells = m.whole;
  cells.dof = 1;
  options.slab = filter_options.slab = m.slab;
  if (status == IG_OK)
    status = ig_multigrid_bytes(cx, &m.whole, &options, bytes);
  if (status == IG_OK && c->filter.kind == IG_FILTER_HELMHOLTZ) {
    status = ig_multigrid_bytes(cx, &cells, &filter_options, &filter);
    filter += 2 * 8 * (double)m.cells.stored;
  }
  const bool shared = ig_ranks_count(cx->ranks) > 1 && !m.slab;
  ig_slab_free(m.slab);
  IG_TRY(status);
  const int cases = ig_topopt_load_cases(c);
  const double n = (double)m.grid.stored, nu = n * m.grid.dof;
  const bool port = ig_topopt_has_port(c);
  *bytes += filter + n + ig_topopt_grid_pattern_bytes(c, n) + 8 * nu * (cases + port) +
            ig_topopt_design_bytes(c, n, nu, cases);
  if (ig_topopt_large_without_matrix(cx, c, m.grid.dim,
                                     (double)ig_grid_nodes(&m.grid) * m.grid.dof))
    *bytes += ig_topopt_large_items_bytes((double)ig_grid_elements(&m.grid), nu, m.grid.dim,
                                          1 << m.grid.dim);
  if (c->analysis.large_deflections && shared) /* an adjoint state for each load case (large.c) */
    *bytes += 8 * nu * (cases - 1);
  return IG_OK;
}

/* --- the table of ranks --- */

typedef struct {
  char host[64], device[64];
  int64_t from, to, elements;
  double bytes, end; /* end: of the host, while the finished part is looked at */
} facts;

/* What each rank takes at the end: densities, marks and shares of its elements; at a time marks
   of its nodes, pieces, or values at the nodes of the mirrored grid. The surface is the first's.
   Bytes per place: 8 + 1 for densities and marks, 8 for shares; values at mirrored nodes are 4
   bytes each, doubled for every plane of symmetry. */
static double end_bytes(const ig_topopt_grid_model *m) {
  const ig_surface_case *c = &m->c->surface;
  const bool made = ig_topopt_formats(c).count > 0;
  const double values = made ? ldexp(4, c->mirror ? m->c->symmetry.count : 0) : 0;
  return (double)m->grid.stored *
         (9 + (ig_topopt_analysed(m->c) ? 8 : 0) + fmax(values, 1 + 8 * m->grid.dof));
}

/* One line of the table; memory in MB or GB, whichever is readable. */
static void tell(const facts *f, int rank, bool divided, ig_check_line *line, void *user) {
  char label[32], text[256];
  const int used = snprintf(text, sizeof text, "%s, %s: ", f->host, f->device);
  const bool large = f->bytes >= 1e9;
  const double scale = large ? 1e-9 : 1e-6, memory = f->bytes * scale;
  const char *unit = large ? "GB" : "MB";
  snprintf(label, sizeof label, "rank %d", rank);
  if (divided)
    ig_format(text + used, sizeof text - (size_t)used,
              "planes %" PRId64 " to %" PRId64 ", %" PRId64
              " elements, %.4g %s; at the end %.3g %s of the host more",
              f->from, f->to, f->elements, memory, unit, f->end * scale, unit);
  else
    ig_format(text + used, sizeof text - (size_t)used, "%" PRId64 " elements (all), %.4g %s",
              f->elements, memory, unit);
  line(user, label, text);
}

/* Every rank sends its facts to rank 0, which prints one line for each. */
ig_status ig_topopt_ranks_tell(ig_ctx *cx, const ig_topopt_case *c, ig_check_line *line,
                               void *user) {
  const int ranks = ig_ranks_count(cx->ranks);
  ig_topopt_grid_model m = {.cx = cx, .c = c};
  const char *why = NULL;
  facts mine = {.from = 0}, *all = NULL;
  ig_ranks_work work = {0};
  if (ranks == 1)
    return IG_OK;
  ig_status status = ig_topopt_grid_make(&m);
  if (status == IG_OK)
    status = ig_topopt_grid_model_bytes(cx, c, &mine.bytes);
  const bool divided = m.slab != NULL;
  mine.from = m.grid.from;
  mine.to = m.grid.from + m.grid.n[2];
  mine.elements = ig_grid_elements(&m.grid);
  mine.end = end_bytes(&m);
  snprintf(mine.host, sizeof mine.host, "%s", cx->ranks->host);
  snprintf(mine.device, sizeof mine.device, "%.60s", ig_ctx_device(cx));
  ig_slab_free(m.slab);
  status = ig_ranks_gather(cx, status, &mine, sizeof mine, (void **)&all);
  if (status == IG_OK && ig_ranks_first(cx)) {
    char text[160] = "the grid is divided between them, in slabs along z";
    if (!divided && ig_topopt_divisible(cx, c, &why))
      why = too_small(&m);
    if (!divided)
      snprintf(text, sizeof text, "share the linear systems; the grid is not divided (%s)", why);
    line(user, "ranks", text);
    if (divided && ig_topopt_formats(&m.c->surface).count > 0)
      line(user, "the end", "about 140 bytes more on the first for each triangle of the part");
    for (int r = 0; r < ranks; r++) {
      tell(&all[r], r, divided, line, user);
      if (divided) { /* elements have one owner; slabs have one or two neighbours */
        work.all = work.sum += (double)all[r].elements;
        work.most = fmax(work.most, (double)all[r].elements);
        work.bytes = 2 * 8.0 * m.whole.dof * (double)m.whole.plane;
      }
    }
  }
  free(all);
  return status == IG_OK ? ig_ranks_tell(cx, &work, line, user) : status;
}
