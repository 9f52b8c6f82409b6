/* Coarse to fine: the design is found on coarser grids first, where an iteration costs an eighth (a
   quarter in a plane), and handed on. */
#include "backend/backend.h"
#include "topopt/output.h"
#include "topopt/stress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A design on a grid, packed, x first. */
typedef struct {
  int n[3];
  double *x; /* NULL: none yet */
} field;

static const int64_t LATER = INT64_MAX / 2; /* an iteration at which all ramps have ended */

int64_t ig_topopt_ramp_at(const ig_topopt_case *c, int64_t iteration) {
  return c->sequence.at.given && c->sequence.grids > 0 ? LATER : iteration;
}

/* Every element takes the density of the element of `from` that holds its centre. */
static ig_status hand_on(const field *from, ig_topopt_design *s, const ig_grid *g) {
  if (!from->x)
    return IG_OK;
  const size_t n = (size_t)s->d->places;
  uint8_t *role;
  double *x = s->x.host;
  IG_TRY(IG_NEW(s->cx, &role, n, "roles"));
  ig_status status = s->cx->backend->copy_out(s->cx, role, s->d->role, n);
  const int nz = g->dim == 3 ? g->n[2] : 1;
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const int64_t to = ig_grid_place(g, i, j, k);
        const int64_t a = (2 * (int64_t)i + 1) * from->n[0] / (2 * (int64_t)g->n[0]);
        const int64_t b = (2 * (int64_t)j + 1) * from->n[1] / (2 * (int64_t)g->n[1]);
        const int64_t c = (2 * (int64_t)k + 1) * from->n[2] / (2 * (int64_t)nz);
        if (status == IG_OK && role[to] == IG_ROLE_DESIGN)
          x[to] = from->x[(c * from->n[1] + b) * from->n[0] + a];
      }
  free(role);
  IG_TRY(status);
  IG_TRY(ig_array_push(s->cx, &s->x));
  return ig_topopt_design_link(s, s->x.dev);
}

static ig_status keep(const ig_topopt_design *s, const ig_grid *g, field *f) {
  const size_t n = (size_t)s->d->places;
  const int nz = g->dim == 3 ? g->n[2] : 1;
  double *all, *x;
  IG_TRY(IG_NEW(s->cx, &all, n, "design"));
  ig_status status = IG_NEW(s->cx, &x, s->d->elements, "design");
  if (status == IG_OK)
    status = s->cx->backend->copy_out(s->cx, all, s->x.dev, n * sizeof *all);
  if (status == IG_OK) {
    free(f->x);
    *f = (field){{g->n[0], g->n[1], nz}, x};
    for (int k = 0; k < nz; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++)
          *x++ = all[ig_grid_place(g, i, j, k)];
  }
  free(all);
  return status;
}

/* The case on a grid `depth` halvings coarser; false where that would be no grid any more. */
static bool coarsen(const ig_topopt_case *c, int depth, ig_topopt_case *to) {
  enum { LEAST = 4 }; /* elements along an axis, unless there are fewer from the start */
  const int dim = c->grid.elements[2] > 0 ? 3 : 2;
  double widest = 0;
  *to = *c;
  for (int d = 0; d < dim; d++) {
    const int64_t n = c->grid.elements[d], less = (n + (1 << depth) - 1) >> depth;
    to->grid.elements[d] = less < LEAST ? (n < LEAST ? n : LEAST) : less;
    if (to->grid.elements[d] >= n && n > LEAST)
      return false;
    if (isnan(c->grid.size[d]))
      to->grid.size[d] = (double)n;
    widest = fmax(widest, to->grid.size[d] / (double)to->grid.elements[d]);
  }
  if (!isnan(c->filter.radius)) /* no less than this grid can tell apart */
    to->filter.radius = fmax(c->filter.radius, 1.5 * widest);
  return true;
}

/* Design iterations on one grid, from the field handed on. */
static ig_status improve(ig_topopt_run *r, const ig_topopt_case *c, ig_topopt_grid_model *m,
                         field *f) {
  ig_ctx *cx = r->job->cx;
  ig_topopt_design *s;
  ig_evaluation e = {0};
  ig_topopt_design_stats st = {.change = 1};
  const bool first = !f->x;
  const double start = ig_now();
  int64_t i = 0;
  bool arrived = false;
  IG_TRY(ig_topopt_design_new(cx, c, &m->d, &s));
  ig_status status = hand_on(f, s, &m->grid);
  while (status == IG_OK && i < c->sequence.iterations && !arrived) {
    ig_topopt_design_continue(c, first ? i + 1 : LATER, &e);
    IG_TRY_GOTO(status, done, ig_topopt_design_evaluate(s, &e));
    IG_TRY_GOTO(status, done, ig_topopt_design_update(s, &e));
    IG_TRY_GOTO(
        status, done,
        s->ops->stats(cx, s->d->grid, s->d->places, s->d->role, s->x.dev, s->trial.dev, &st));
    if (c->solver.tolerance == 0)
      s->tolerance = ig_topopt_design_tolerance(st.change);
    arrived = st.change <= c->change && ig_topopt_design_ramped(c, &e);
    r->job->element_steps += (double)s->d->dofs * e.iterations;
    i++;
    if (cx->interrupted)
      status = IG_FAIL(cx, IG_INTERRUPTED, "interrupted on a coarser grid; nothing is written");
  }
  if (status == IG_OK)
    status = keep(s, &m->grid, f);
  if (status == IG_OK) {
    char size[64];
    snprintf(size, sizeof size, m->grid.dim == 3 ? "%d x %d x %d" : "%d x %d", m->grid.n[0],
             m->grid.n[1], m->grid.n[2]);
    ig_info(cx, "grid %s: %" PRId64 " iterations, objective %.6g, change %.3f, %.2g s", size, i,
            e.objective, st.change, ig_now() - start);
  }
done:
  ig_topopt_design_free(s);
  return status;
}

/* What an evaluation leaves behind is forgotten: a run begins as if there had been none. */
static ig_status forget(ig_topopt_design *s, bool learnt) {
  for (int r = 0; r < s->realisations; r++) {
    for (int q = 0; q < s->loading->cases; q++)
      IG_TRY(ig_array_zero(s->cx, &s->u[r][q]));
    IG_TRY(s->adjoint[r].dev ? ig_array_zero(s->cx, &s->adjoint[r]) : IG_OK);
  }
  for (int i = 0; i < s->limits; i++)
    IG_TRY(s->limit_state[i].dev ? ig_array_zero(s->cx, &s->limit_state[i]) : IG_OK);
  memset(s->stress->correction, 0, sizeof s->stress->correction);
  memset(s->seconds, 0, sizeof s->seconds);
  if (s->d->learnt)
    *s->d->learnt = learnt;
  return IG_OK;
}

/* Least volume within a stress: a start above the bound does not find back. Less material lowers
   the relaxed stress of an element faster than more of it, so that slopes lead to void, where
   stresses are lower still. The start is made denser until it is feasible. */
static ig_status start_dense(ig_topopt_run *r) {
  ig_topopt_design *s = r->s;
  const bool learnt = s->d->learnt && *s->d->learnt;
  double density = s->c->volume, excess = 0;
  if (s->c->minimise != IG_MINIMISE_VOLUME || !s->stress)
    return IG_OK;
  uint8_t *role;
  const size_t n = (size_t)s->d->places;
  IG_TRY(IG_NEW(s->cx, &role, n, "roles"));
  ig_status status = s->cx->backend->copy_out(s->cx, role, s->d->role, n);
  for (bool more = true; status == IG_OK && more;) {
    ig_evaluation e = {0};
    ig_topopt_design_continue(s->c, ig_topopt_ramp_at(s->c, 1), &e);
    IG_TRY_GOTO(status, done, ig_topopt_design_evaluate(s, &e));
    IG_TRY_GOTO(status, done, forget(s, learnt));
    excess = ig_topopt_excess(s, &e);
    more = excess > 0 && density < 1;
    if (!more)
      break;
    density = fmin(1, 1.2 * density);
    double *x = s->x.host;
    for (size_t i = 0; i < n; i++)
      x[i] = role[i] == IG_ROLE_DESIGN ? density : role[i] == IG_ROLE_SOLID;
    status = ig_array_push(s->cx, &s->x);
  }
  if (status == IG_OK && excess > 0)
    ig_warn(s->cx, "even the full body is above a bound: no design may be feasible");
  if (status == IG_OK && density > s->c->volume)
    ig_info(s->cx, "the run begins with a density of %.3g: at %.3g a bound is exceeded", density,
            s->c->volume);
done:
  free(role);
  return status;
}

ig_status ig_topopt_begin(void *self) {
  ig_topopt_run *r = self;
  ig_ctx *cx = r->job->cx;
  const ig_topopt_case *c = r->s->c;
  field f = {.x = NULL};
  ig_status status = IG_OK;
  const bool sequence = c->sequence.at.given && c->sequence.grids > 0;
  if (c->start.at.given && sequence)
    return ig_fail_at(cx, &c->sequence.at,
                      "sequence: the design begins with a file: give one of "
                      "'start' and 'sequence'");
  if (sequence && c->draw.at.given)
    return ig_fail_at(cx, &c->sequence.at,
                      "sequence: not with 'draw', whose densities depend on how many elements are "
                      "drawn past each other");
  if (!sequence) {
    IG_TRY(c->start.at.given ? ig_topopt_start_read(r) : start_dense(r));
    return c->start.at.given ? ig_topopt_design_link(r->s, r->s->x.dev) : IG_OK;
  }
  if (r->job->mesh)
    return ig_fail_at(cx, &c->sequence.at, "sequence: is for grids; a mesh has no coarser one");
  for (int depth = (int)c->sequence.grids; depth > 0 && status == IG_OK; depth--) {
    ig_topopt_case coarse;
    ig_topopt_grid_model *m;
    if (!coarsen(c, depth, &coarse))
      continue;
    /* a region may be too small for a coarse grid: begin on the next one */
    if (ig_topopt_grid_model_new(cx, &coarse, r->job->materials, &m) != IG_OK) {
      ig_info(cx, "no grid %d times coarser: %s", 1 << depth, ig_ctx_message(cx));
      continue;
    }
    status = improve(r, &coarse, m, &f);
    ig_topopt_grid_model_free(m);
  }
  if (status == IG_OK && !f.x)
    status = ig_fail_at(cx, &c->sequence.at,
                        "sequence: no coarser grid can be made: its regions would be empty or it "
                        "would have fewer than 4 elements along an axis");
  if (status == IG_OK)
    status = hand_on(&f, r->s, &((ig_topopt_grid_model *)r->d->self)->grid);
  free(f.x);
  return status;
}
