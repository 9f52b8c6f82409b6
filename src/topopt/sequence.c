/* Coarse to fine: the design is found on coarser grids first, where an iteration costs an eighth
   (a quarter in a plane), and handed on.

   Each grid halves the elements along every axis of the one before. Ramps run on the coarsest
   grid only and stand at their ends afterwards: a design that is handed on must not become gray
   again. Regions of the case are looked up anew on each grid; where one is empty on a coarse
   grid, that grid is left out.

   The file also makes the start of a run: a density from a file, or one dense enough for its
   bounds (start_dense). */
#include "backend/backend.h"
#include "ranks/ranks.h"
#include "topopt/output.h"
#include "topopt/design/buckling.h"
#include "topopt/design/modes.h"
#include "topopt/design/overheat.h"
#include "topopt/design/pnorm.h"
#include "topopt/design/stress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A design on a grid: planes `from` to `to` of it, packed, x first. Of a grid divided between ranks
   a rank has its own. */
typedef struct {
  int n[3], from, to;
  int *start; /* of a divided one: first plane of each rank, and how many there are; else NULL */
  double *x;  /* NULL: none yet */
} field;

static void field_free(field *f) {
  free(f->x);
  free(f->start);
  *f = (field){.x = NULL};
}

static const int64_t LATER = INT64_MAX / 2; /* an iteration at which all ramps have ended */

/* After coarser grids the ramps stand at their ends. */
int64_t ig_topopt_ramp_at(const ig_topopt_case *c, int64_t iteration) {
  return c->sequence.at.given && c->sequence.grids > 0 ? LATER : iteration;
}

/* Of `n` elements along an axis, the element of a coarser grid of `coarse` that holds the centre
   of i. In whole numbers: the centre (2 i + 1) / 2n of the axis times the number of coarse
   elements. */
static int64_t holds(int coarse, int n, int64_t i) {
  return (2 * i + 1) * coarse / (2 * (int64_t)n);
}

typedef struct {
  int from, to;
} planes;

/* Planes of elements of a grid that a rank has. */
static planes planes_of(const ig_topopt_grid_model *m, int rank) {
  planes p = {0, m->grid.dim == 3 ? m->whole.n[2] : 1};
  if (m->slab) {
    const int all = p.to;
    ig_slab_range(m->slab, 0, rank, &p.from, &p.to);
    p.to = p.to < all ? p.to : all;
  }
  return p;
}

/* Planes of the coarser grid that a rank needs for its own. */
static planes needed(const field *f, const ig_topopt_grid_model *m, int rank) {
  const planes own = planes_of(m, rank);
  const int n = m->grid.dim == 3 ? m->whole.n[2] : 1;
  return (planes){(int)holds(f->n[2], n, own.from), (int)holds(f->n[2], n, own.to - 1) + 1};
}

/* Each rank gets the planes it needs from those that have them. Ranks may have other planes of
   the coarse grid than of the fine one: every rank knows all ranges, so no message is needed to
   find out who sends what. */
static ig_status planes_fetch(ig_ctx *cx, field *f, const ig_topopt_grid_model *m) {
  const int ranks = ig_ranks_count(cx->ranks), rank = ig_ranks_rank(cx->ranks);
  const size_t plane = (size_t)f->n[0] * (size_t)f->n[1];
  const planes mine = needed(f, m, rank);
  ig_message *message = NULL;
  double *x = NULL;
  int messages = 0;
  ig_status status = IG_NEW(cx, &message, ranks, "design");
  if (status == IG_OK)
    status = IG_NEW(cx, &x, (size_t)(mine.to - mine.from) * plane, "design");
  for (int r = 0; status == IG_OK && r < ranks; r++) {
    /* what rank r needs of this rank, and what this rank needs of rank r: overlaps of two ranges
       of planes */
    const planes theirs = needed(f, m, r), has = {f->start[r], f->start[r + 1]};
    const planes give = {theirs.from > f->from ? theirs.from : f->from,
                         theirs.to < f->to ? theirs.to : f->to};
    const planes take = {mine.from > has.from ? mine.from : has.from,
                         mine.to < has.to ? mine.to : has.to};
    const size_t gives = give.to > give.from ? (size_t)(give.to - give.from) * plane : 0;
    const size_t takes = take.to > take.from ? (size_t)(take.to - take.from) * plane : 0;
    double *to = takes ? x + (size_t)(take.from - mine.from) * plane : NULL;
    const double *from = gives ? f->x + (size_t)(give.from - f->from) * plane : NULL;
    if (r == rank && gives)
      memcpy(to, from, gives * sizeof *to);
    else if (gives || takes)
      message[messages++] = (ig_message){.rank = r,
                                         .send = from,
                                         .send_size = gives * sizeof *to,
                                         .receive = to,
                                         .receive_size = takes * sizeof *to};
  }
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = ig_ranks_exchange(cx, message, messages);
  free(message);
  free(f->x);
  f->x = x;
  f->from = mine.from;
  f->to = mine.to;
  return status;
}

/* Every element takes the density of the element of `from` that holds its centre. */
static ig_status hand_on(field *from, ig_topopt_design *s, const ig_topopt_grid_model *m) {
  const ig_grid *g = &m->grid;
  if (!from->x)
    return IG_OK;
  if (from->start)
    IG_TRY(planes_fetch(s->cx, from, m));
  const size_t n = (size_t)s->d->places;
  uint8_t *role;
  double *x = s->x.host;
  IG_TRY(IG_NEW(s->cx, &role, n, "roles"));
  ig_status status = s->cx->backend->copy_out(s->cx, role, s->d->role, n);
  const planes own = planes_of(m, ig_ranks_rank(s->cx->ranks));
  const int nz = g->dim == 3 ? m->whole.n[2] : 1;
  for (int k = own.from; k < own.to; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const int64_t to = ig_grid_place(g, i, j, k - g->from);
        const int64_t a = holds(from->n[0], g->n[0], i), b = holds(from->n[1], g->n[1], j);
        const int64_t c = holds(from->n[2], nz, k) - from->from;
        if (status == IG_OK && role[to] == IG_ROLE_DESIGN)
          x[to] = from->x[(c * from->n[1] + b) * from->n[0] + a];
      }
  free(role);
  IG_TRY(status);
  IG_TRY(ig_array_push(s->cx, &s->x));
  return ig_topopt_design_link(s, s->x.dev);
}

/* Packs own elements without halo, so that the model can be freed. */
static ig_status keep(const ig_topopt_design *s, const ig_topopt_grid_model *m, field *f) {
  const ig_grid *g = &m->grid;
  const size_t n = (size_t)s->d->places;
  const int ranks = ig_ranks_count(s->cx->ranks);
  const planes own = planes_of(m, ig_ranks_rank(s->cx->ranks));
  double *all = NULL;
  ig_status status;
  field_free(f);
  *f = (field){{g->n[0], g->n[1], g->dim == 3 ? m->whole.n[2] : 1}, own.from, own.to, NULL, NULL};
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &all, n, "design"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &f->x, ig_grid_elements(g), "design"));
  if (m->slab) {
    IG_TRY_GOTO(status, done, IG_NEW(s->cx, &f->start, (size_t)ranks + 1, "design"));
    for (int r = 0; r < ranks; r++) {
      const planes p = planes_of(m, r);
      f->start[r] = p.from;
      f->start[r + 1] = p.to;
    }
  }
  IG_TRY_GOTO(status, done, s->cx->backend->copy_out(s->cx, all, s->x.dev, n * sizeof *all));
  double *x = f->x;
  for (int k = 0; k < own.to - own.from; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        *x++ = all[ig_grid_place(g, i, j, k)];
done:
  free(all);
  return status;
}

/* The case on a grid `depth` halvings coarser; false where that would be no grid any more. A
   filter radius below 1.5 elements would filter nothing on the coarse grid. */
static bool coarsen(const ig_topopt_case *c, bool divided, int depth, ig_topopt_case *to) {
  enum { LEAST = 4 }; /* elements along an axis, unless there are fewer from the start */
  const int dim = c->grid.elements[2] > 0 ? 3 : 2;
  double widest = 0;
  *to = *c;
  if (divided) /* it may have too few planes for that, and is small then */
    to->ranks = IG_RANKS_DIVIDE_IF;
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

/* Design iterations on one grid, from the field handed on. The loop of a run without output; an
   interrupt ends it without results. */
static ig_status improve(ig_topopt_run *r, const ig_topopt_case *c, ig_topopt_grid_model *m,
                         field *f) {
  ig_ctx *cx = r->job->cx;
  ig_topopt_design *s;
  ig_evaluation e = {0};
  ig_topopt_design_stats st = {.change = 1};
  const ig_law none = {0};
  const bool first = !f->x;
  const double start = ig_now();
  int64_t i = 0;
  bool arrived = false;
  IG_TRY(ig_topopt_design_new(cx, c, &m->d, &s));
  ig_status status = hand_on(f, s, m);
  while (status == IG_OK && i < c->sequence.iterations && !arrived) {
    /* only the first grid sees the ramps */
    ig_topopt_design_continue(c, first ? i + 1 : LATER, &e);
    IG_TRY_GOTO(status, done, ig_topopt_design_evaluate(s, &e));
    IG_TRY_GOTO(status, done, ig_topopt_design_update(s, &e));
    IG_TRY_GOTO(status, done,
                s->ops->stats(cx, s->d->grid, s->d->places, s->d->role, &none, s->x.dev,
                              s->trial.dev, &st));
    if (c->solver.tolerance == 0)
      s->tolerance = ig_topopt_design_tolerance(st.change);
    arrived = st.change <= c->change && ig_topopt_design_ramped(c, &e);
    r->job->element_steps += (double)s->d->dofs * e.iterations;
    i++;
    /* an interrupt may reach one rank only: all stop if any was asked to */
    bool stop = cx->interrupted != 0;
    IG_TRY_GOTO(status, done, ig_ranks_agree_any(cx, IG_OK, &stop));
    if (stop)
      status = IG_FAIL(cx, IG_INTERRUPTED, "interrupted on a coarser grid; nothing is written");
  }
  if (status == IG_OK)
    status = keep(s, m, f);
  if (status == IG_OK) {
    char size[64];
    snprintf(size, sizeof size, m->grid.dim == 3 ? "%d x %d x %d" : "%d x %d", m->whole.n[0],
             m->whole.n[1], m->whole.n[2]);
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
  if (s->stress)
    memset(s->stress->correction, 0, sizeof s->stress->correction);
  if (s->peaks)
    memset(s->peaks->correction, 0, sizeof s->peaks->correction);
  if (s->overheat)
    memset(s->overheat->correction, 0, sizeof s->overheat->correction);
  if (s->modes)
    s->modes->known = false;
  if (s->buckling)
    s->buckling->known = false;
  memset(s->seconds, 0, sizeof s->seconds);
  if (s->d->learnt)
    *s->d->learnt = learnt;
  return IG_OK;
}

/* Least volume within bounds: a start far above one does not find back. Where densities are low,
   compliances grow by far more than approximations tell if some of them fall: those are removed
   that carried the rest. Less material lowers the relaxed stress of an element faster than more of
   it, so that slopes lead to void, where stresses are lower still. The start is made denser until
   no bound is exceeded twice, and none at all where one is a stress. */
static ig_status start_dense(ig_topopt_run *r) {
  ig_topopt_design *s = r->s;
  const bool learnt = s->d->learnt && *s->d->learnt;
  const double most = s->stress ? 0 : 1;
  double density = s->d->start > 0 ? s->d->start : s->c->volume, first = 0;
  ig_evaluation e = {0};
  if (s->c->minimise != IG_MINIMISE_VOLUME)
    return IG_OK;
  for (int tries = 0;; tries++) {
    e = (ig_evaluation){0};
    ig_topopt_design_continue(s->c, ig_topopt_ramp_at(s->c, 1), &e);
    IG_TRY(ig_topopt_design_evaluate(s, &e));
    IG_TRY(forget(s, learnt));
    first = tries == 0 ? e.volume : first;
    if (ig_topopt_excess(s, &e) <= most || density >= 1)
      break;
    density = fmin(1, 1.2 * density);
    IG_TRY(ig_topopt_design_fill(s, density));
  }
  if (density >= 1 && ig_topopt_excess(s, &e) > 0)
    ig_warn(s->cx, "even the full body is above a bound: no design may be feasible");
  if (e.volume > first)
    ig_info(s->cx, "the run begins with a volume of %.3g: at %.3g a bound is exceeded%s", e.volume,
            first, most > 0 ? " by far" : "");
  return IG_OK;
}

/* One of three starts: a file, coarser grids, or the uniform design, made denser where bounds
   need it. From the coarsest grid to the finest; a grid on which a region would be empty is
   passed over. */
ig_status ig_topopt_begin(void *self) {
  ig_topopt_run *r = self;
  ig_ctx *cx = r->job->cx;
  const ig_topopt_case *c = r->s->c;
  field f = {.x = NULL};
  ig_status status = IG_OK;
  const bool sequence = c->sequence.at.given && c->sequence.grids > 0;
  if (c->initial_design.at.given && sequence)
    return ig_fail_at(cx, &c->sequence.at,
                      "sequence: the design begins with a file: give one of "
                      "'initial_design' and 'sequence'");
  if (sequence && ig_topopt_swept(c))
    return ig_fail_at(
        cx, &c->sequence.at,
        "sequence: not with '%s', whose densities depend on how many elements are drawn past each "
        "other",
        c->milling.at.given ? "milling" : "draw_direction");
  if (!sequence) {
    IG_TRY(c->initial_design.at.given ? ig_topopt_start_read(r) : start_dense(r));
    return c->initial_design.at.given ? ig_topopt_design_link(r->s, r->s->x.dev) : IG_OK;
  }
  if (r->job->mesh)
    return ig_fail_at(cx, &c->sequence.at, "sequence: is for grids; a mesh has no coarser one");
  for (int depth = (int)c->sequence.grids; depth > 0 && status == IG_OK; depth--) {
    ig_topopt_case coarse;
    ig_topopt_grid_model *m;
    if (!coarsen(c, ig_topopt_divided(r->d), depth, &coarse))
      continue;
    ig_status made = ig_topopt_grid_model_new(cx, &coarse, r->job->materials, &m);
    if (made != IG_OK)
      made = ig_ranks_agree(cx, made);
    if (made == IG_INPUT) { /* a region may be too small for a coarse grid: begin on the next one */
      ig_info(cx, "no grid %d times coarser: %s", 1 << depth, ig_ctx_message(cx));
      if (cx->ranks)
        cx->ranks->failed = false; /* all begin on it together */
    } else {
      status = made;
    }
    if (made != IG_OK)
      continue;
    status = improve(r, &coarse, m, &f);
    ig_topopt_grid_model_free(m);
  }
  if (status == IG_OK && !f.x)
    status = ig_fail_at(cx, &c->sequence.at,
                        "sequence: no coarser grid can be made: its regions would be empty or it "
                        "would have fewer than 4 elements along an axis");
  if (status == IG_OK)
    status = hand_on(&f, r->s, r->d->self);
  field_free(&f);
  return status;
}
