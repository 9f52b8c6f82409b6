/* The grid of a case, divided between ranks where it can be, and what the design sees of that. */
#include "topopt/divide.h"
#include "core/number.h"
#include "topopt/load.h"
#include "topopt/placing.h"
#include "topopt/stress.h"
#include "backend/backend.h"
#include "material/material.h"
#include "ranks/part.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Loads that follow the design. */
static bool follows(const ig_topopt_case *c) {
  for (int i = 0; i < c->loads.count; i++)
    if (ig_topopt_load_weighs(IG_ITEM(ig_load_case, c->loads, i)))
      return true;
  for (int i = 0; i < c->supports.count; i++) {
    const ig_hold_case *hold = IG_ITEM(ig_hold_case, c->supports, i);
    if (hold->temperature > 0 || hold->temperature < 0)
      return true;
    for (int d = 0; d < 3; d++)
      if (hold->displacement[d] > 0 || hold->displacement[d] < 0)
        return true;
  }
  return c->masses.count > 0;
}

/* A grid with more elements is divided for its memory's sake: it takes more than 10 GB. */
static const double LARGEST_SHARED = 20e6;

/* Systems that can be solved at the same time: load cases and port; then, where there are any, the
   adjoint systems of bounds and objectives. The fewer of the two. */
static int systems_at_once(const ig_topopt_case *c) {
  const int cases = ig_topopt_load_cases(c), direct = cases + ig_topopt_has_port(c);
  const bool peak = c->minimise == IG_MINIMISE_STRESS || c->minimise == IG_MINIMISE_TEMPERATURE;
  int adjoint = peak ? cases : 0;
  for (int i = 0; i < c->constraints.count; i++) {
    const ig_limit_case *limit = IG_ITEM(ig_limit_case, c->constraints, i);
    const int of = limit->load_case > 0 ? 1 : cases;
    if (!isnan(limit->stress))
      adjoint += of * (int)c->stress.clusters;
    else if (!isnan(limit->temperature))
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

const char *ig_topopt_unfit(const ig_topopt_case *c) {
  bool frequency = c->problem == IG_PROBLEM_FREQUENCY;
  bool peaks = c->minimise == IG_MINIMISE_TEMPERATURE;
  for (int i = 0; i < c->constraints.count; i++) {
    const ig_limit_case *limit = IG_ITEM(ig_limit_case, c->constraints, i);
    frequency |= !isnan(limit->frequency);
    peaks |= !isnan(limit->temperature) || !isnan(limit->member);
  }
  const unfit list[] = {
      {c->filter.kind == IG_FILTER_HELMHOLTZ, "filter helmholtz"},
      {c->overhang.at.given, "overhang"},
      {c->draw.at.given, "draw"},
      {c->pattern.at.given, "pattern"},
      {ig_topopt_stress_asked(c), "stresses"},
      {frequency, "frequencies"},
      {peaks, "highest temperatures and sizes of members"},
      {c->sequence.at.given, "sequence"},
      {c->start.at.given, "start"},
  };
  return first_of(list, sizeof list / sizeof *list);
}

bool ig_topopt_divisible(const ig_ctx *cx, const ig_topopt_case *c, const ig_list *materials,
                         const char **why) {
  const ig_material_case *first =
      materials && materials->count == 1 ? IG_ITEM(ig_material_case, *materials, 0) : NULL;
  const unfit list[] = {
      {c->ranks == IG_RANKS_SHARE, "ranks: share"},
      {c->grid.elements[2] <= 0, "a plane problem"},
      {ig_topopt_unfit(c) != NULL, ig_topopt_unfit(c)},
      {follows(c), "gravity, masses and displacements that are held"},
      {c->choose_material || (materials && materials->count > 1) || (first && first->set.count),
       "several materials"},
      {c->solver.storage == IG_STORE_HALF && cx->backend->kernels != IG_KERNELS_CUDA,
       "storage half on a CPU"},
      {shares(cx, c), "there are as many systems as ranks"},
  };
  *why = first_of(list, sizeof list / sizeof *list);
  return !*why;
}

bool ig_topopt_mesh_divisible(const ig_ctx *cx, const ig_topopt_case *c, ig_assembly how,
                              const char **why) {
  const bool petsc = c->solver.preconditioner == IG_PRECONDITIONER_PETSC;
  const bool mpi = cx->ranks && cx->ranks->communicator;
  const bool gpu = cx->backend->kernels == IG_KERNELS_CUDA;
  *why = NULL;
  if (c->ranks == IG_RANKS_SHARE)
    *why = "ranks: share";
  else if (gpu && mpi && ig_ranks_count(cx->ranks) > 2) /* seen; not tried since it was mended */
    *why = "on GPUs more than two processes of MPI may wait for each other without end";
  else if (how != IG_COLOR && how != IG_GATHER)
    *why = "assembly: only color and gather add in the order of one rank";
  else if (petsc && !mpi)
    *why = "PETSc needs MPI to divide";
  else if (petsc && c->ranks != IG_RANKS_DIVIDE) /* its iterates depend on the number of ranks */
    *why = "preconditioner: petsc, whose bits depend on the division";
  else if (shares(cx, c))
    *why = "there are as many systems as ranks";
  return ig_ranks_count(cx->ranks) > 1 && !*why;
}

/* --- the grid, or this rank's part --- */

double ig_topopt_grid_radius(const ig_topopt_grid_model *m) {
  return isnan(m->c->filter.radius) ? 1.5 * m->h[0] : m->c->filter.radius;
}
/* Elements that the cone of a filter reaches along an axis. */
int ig_topopt_grid_reach(const ig_topopt_grid_model *m, int axis) {
  const int reach = (int)fmin(ceil(ig_topopt_grid_radius(m) / m->h[axis]) - 1, m->whole.n[axis]);
  return reach < 0 ? 0 : reach;
}

/* The grid of the case, one or three values per node. */
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

ig_multigrid_options ig_topopt_grid_options(const ig_topopt_case *c) {
  const bool multigrid = c->solver.preconditioner == IG_PRECONDITIONER_MULTIGRID;
  return (ig_multigrid_options){.precondition =
                                    multigrid ? IG_PRECONDITION_MULTIGRID : IG_PRECONDITION_JACOBI,
                                .smoother = (ig_smoother)c->solver.smoother,
                                .cycle = (ig_cycle)c->solver.cycle,
                                .visits = (int)c->solver.visits,
                                .fine_steps = (int)c->solver.fine_steps,
                                .steps = (int)c->solver.steps,
                                .damping = c->solver.damping,
                                .storage = (ig_storage)c->solver.storage,
                                .limit = (int)c->solver.limit};
}

/* The part of this rank, where the grid is divided between them; else all of it. */
ig_status ig_topopt_grid_make(ig_topopt_grid_model *m, const ig_list *materials) {
  ig_ctx *cx = m->cx;
  const char *why = NULL;
  IG_TRY(make_outline(m));
  if (ig_ranks_count(cx->ranks) > 1 && ig_topopt_divisible(cx, m->c, materials, &why)) {
    const ig_multigrid_options options = ig_topopt_grid_options(m->c);
    const int reach = m->c->filter.kind == IG_FILTER_NONE ? 0 : ig_topopt_grid_reach(m, 2);
    int levels;
    IG_TRY(ig_multigrid_levels(cx, &m->whole, &options, &levels));
    /* coarsening looks at two planes of elements below */
    IG_TRY(ig_slab_new(cx, m->whole.n[2] + 1, levels, reach > 2 ? reach : 2, &m->slab));
  }
  if (m->c->ranks == IG_RANKS_DIVIDE && ig_ranks_count(cx->ranks) > 1 && !m->slab)
    return ig_fail_at(cx, &m->c->at, "ranks: divide: this grid cannot be divided: %s",
                      why ? why : "too few planes along z");
  m->grid = m->slab ? ig_slab_grid(m->slab, 0, &m->whole) : m->whole;
  m->cells = m->grid;
  m->cells.dof = 1;
  return ig_grid_check(cx, &m->grid);
}

ig_status ig_topopt_grid_model_bytes(ig_ctx *cx, const ig_topopt_case *c, const ig_list *materials,
                                     double *bytes) {
  ig_topopt_grid_model m = {.cx = cx, .c = c};
  ig_multigrid_options options = ig_topopt_grid_options(c);
  double filter = 0;
  const ig_status status = ig_topopt_grid_make(&m, materials);
  if (status != IG_OK) {
    ig_slab_free(m.slab);
    return status;
  }
  options.slab = m.slab;
  const ig_status counted = ig_multigrid_bytes(cx, &m.whole, &options, bytes);
  options.slab = NULL;
  ig_slab_free(m.slab);
  IG_TRY(counted);
  if (c->filter.kind == IG_FILTER_HELMHOLTZ) {
    options.precondition = IG_PRECONDITION_MULTIGRID;
    IG_TRY(ig_multigrid_bytes(cx, &m.cells, &options, &filter));
    filter += 2 * 8 * (double)m.cells.stored;
  }
  const int cases = ig_topopt_load_cases(c);
  const double n = (double)m.grid.stored, nu = n * m.grid.dof;
  const bool port = ig_topopt_has_port(c);
  *bytes += filter + n + 8 * nu * (cases + port) + ig_topopt_design_bytes(c, n, nu, cases);
  return IG_OK;
}

/* --- the table of ranks --- */

typedef struct {
  char host[64], device[64];
  int64_t from, to, elements;
  double bytes;
} facts;

static void tell(const facts *f, int rank, bool divided, ig_check_line *line, void *user) {
  char label[32], text[256];
  const int used = snprintf(text, sizeof text, "%s, %s: ", f->host, f->device);
  const bool large = f->bytes >= 1e9;
  const double memory = f->bytes * (large ? 1e-9 : 1e-6);
  const char *unit = large ? "GB" : "MB";
  snprintf(label, sizeof label, "rank %d", rank);
  if (divided)
    snprintf(text + used, sizeof text - (size_t)used,
             "planes %" PRId64 " to %" PRId64 ", %" PRId64 " elements, %.4g %s", f->from, f->to,
             f->elements, memory, unit);
  else
    ig_format(text + used, sizeof text - (size_t)used, "%" PRId64 " elements (all), %.4g %s",
              f->elements, memory, unit);
  line(user, label, text);
}

ig_status ig_topopt_ranks_tell(ig_ctx *cx, const ig_topopt_case *c, const ig_list *materials,
                               ig_check_line *line, void *user) {
  const int ranks = ig_ranks_count(cx->ranks);
  ig_topopt_grid_model m = {.cx = cx, .c = c};
  const char *why = NULL;
  facts mine = {.from = 0}, *all = NULL;
  ig_ranks_work work = {0};
  if (ranks == 1)
    return IG_OK;
  ig_status status = ig_topopt_grid_make(&m, materials);
  if (status == IG_OK)
    status = ig_topopt_grid_model_bytes(cx, c, materials, &mine.bytes);
  if (status == IG_OK)
    status = IG_NEW(cx, &all, ranks, "table of ranks");
  const bool divided = m.slab != NULL;
  mine.from = m.grid.from;
  mine.to = m.grid.from + m.grid.n[2];
  mine.elements = ig_grid_elements(&m.grid);
  snprintf(mine.host, sizeof mine.host, "%s", cx->ranks->host);
  snprintf(mine.device, sizeof mine.device, "%.60s", ig_ctx_device(cx));
  ig_slab_free(m.slab);
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = ig_ranks_collect(cx, &mine, sizeof mine, all);
  if (status == IG_OK && ig_ranks_first(cx)) {
    char text[160] = "the grid is divided between them, in slabs along z";
    if (!divided && !ig_topopt_divisible(cx, c, materials, &why))
      snprintf(text, sizeof text, "share the linear systems; the grid is not divided (%s)", why);
    else if (!divided)
      snprintf(text, sizeof text,
               "share the linear systems; the grid has too few planes along z to be divided");
    line(user, "ranks", text);
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

/* --- what the design sees --- */

ig_status ig_topopt_dot(ig_ctx *cx, const ig_discretisation *d, const double *a, const double *b,
                        double *result) {
  return ig_pcg_dot(cx, d->grid, d->places, a, b, result);
}
ig_status ig_topopt_dot_states(ig_ctx *cx, const ig_discretisation *d, const double *a,
                               const double *b, double *result) {
  const int64_t from = d->own_states[0];
  return d->states ? ig_pcg_dot(cx, d->states, d->own_states[1] - from, a + from, b + from, result)
                   : ig_pcg_dot(cx, d->grid, d->unknowns, a, b, result);
}

ig_status ig_topopt_most(ig_ctx *cx, const ig_discretisation *d, const double *v, double *result) {
  const ig_grid *g = d->grid;
  if (!ig_topopt_divided(d))
    return cx->backend->absmax_f64(cx, (size_t)d->places, v, result);
  const int64_t own = (g->n[2] + 1) * g->plane; /* the last block of a mesh may be short */
  *result = 0;
  if (own > 0 && d->places > 0)
    IG_TRY(cx->backend->absmax_f64(cx, (size_t)(own < d->places ? own : d->places),
                                   v + g->ghosts * g->plane, result));
  return ig_slab_most(g->slab, result, 1);
}

ig_status ig_topopt_fetch(ig_ctx *cx, const ig_discretisation *d, bool states, int count,
                          const double *from, bool everyone, double *to) {
  if (d->fetch)
    return d->fetch(d->self, states, count, from, everyone, to);
  if (ig_topopt_divided(d))
    return ig_slab_collect(d->grid, states ? count * d->layout.size : count, from, everyone, to);
  return cx->backend->copy_out(
      cx, to, from, (size_t)count * (size_t)(states ? d->unknowns : d->places) * sizeof *to);
}

ig_status ig_topopt_place(ig_ctx *cx, const ig_discretisation *d, bool states, int count,
                          const double *from, double *to) {
  if (d->place)
    return d->place(d->self, states, count, from, to);
  if (ig_topopt_divided(d))
    return ig_slab_cut(d->grid, states ? count * d->layout.size : count, from, to);
  return cx->backend->copy_in(
      cx, to, from, (size_t)count * (size_t)(states ? d->unknowns : d->places) * sizeof *to);
}

ig_status ig_topopt_elements_mark(ig_ctx *cx, const ig_discretisation *d, uint8_t *mark) {
  if (ig_topopt_divided(d)) {
    d->present(d->self, mark);
    return IG_OK;
  }
  IG_TRY(cx->backend->copy_out(cx, mark, d->role, (size_t)d->places));
  for (int64_t i = 0; i < d->places; i++)
    mark[i] = mark[i] != IG_ROLE_NONE;
  return IG_OK;
}

bool ig_topopt_looks(const ig_ctx *cx, const ig_discretisation *d) {
  return !ig_topopt_divided(d) || ig_ranks_first(cx);
}

ig_status ig_topopt_meet(ig_ctx *cx, const ig_discretisation *d) {
  return ig_topopt_divided(d) ? ig_ranks_agree(cx, IG_OK) : IG_OK;
}
