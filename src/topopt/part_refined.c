/* The finished part on a grid twice as fine: the same surface, since its tetrahedra divide those
   of the grid, with loads and supports of the case placed anew.

   The difference between the two grids is the best estimate of the discretisation error there
   is, and costs about eight times the analysis on the design's grid. It is left out where memory
   does not suffice; recovery then estimates the error. */
#include "topopt/part_analysis.h"
#include "core/memory.h"
#include "ranks/ranks.h"
#include "topopt/case/boundary_conditions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A case on a grid twice as fine, with what its lists own. */
typedef struct {
  ig_topopt_case c;
  int of[IG_LIMITS]; /* constraint of the design's case */
} finer;

static void finer_free(finer *f) {
  free(f->c.loads.items);
  free(f->c.constraints.items);
}

static void count(void *user, int64_t place, double weight) {
  (void)place, (void)weight;
  ++*(int64_t *)user;
}

/* Forces that every node of a region gets in full become their sum, shared by the nodes. */
static ig_status loads_copy(const ig_topopt_run *r, finer *f) {
  const ig_topopt_points points = ig_topopt_grid_points(r->d->self);
  const ig_list from = r->s->c->loads;
  IG_TRY(
      ig_alloc(r->s->cx, &f->c.loads.items, (size_t)from.count + 1, sizeof(ig_load_case), "loads"));
  for (int i = 0; i < from.count; i++) {
    ig_load_case *l = IG_ITEM(ig_load_case, f->c.loads, i);
    int64_t nodes = 0;
    *l = *IG_ITEM(ig_load_case, from, i);
    if (l->spread != IG_SPREAD_EACH)
      continue;
    IG_TRY(ig_topopt_points_visit(&points, IG_WHERE(l), IG_POINT_NODES, count, &nodes));
    l->spread = IG_SPREAD_NODES;
    l->heat *= (double)nodes;
    for (int d = 0; d < 3; d++)
      l->force[d] *= (double)nodes;
  }
  return IG_OK;
}

/* Those that the analysis of a part gives a value to. */
static ig_status constraints_copy(const ig_topopt_run *r, finer *f) {
  const ig_list from = r->s->c->constraints;
  f->c.constraints.count = 0;
  IG_TRY(ig_alloc(r->s->cx, &f->c.constraints.items, (size_t)from.count + 1, sizeof(ig_limit_case),
                  "constraints"));
  for (int i = 0; i < from.count; i++) {
    const ig_limit_case *l = IG_ITEM(ig_limit_case, from, i);
    if (isnan(l->stress) && isnan(l->compliance) && isnan(l->displacement))
      continue;
    f->of[f->c.constraints.count] = i;
    *IG_ITEM(ig_limit_case, f->c.constraints, f->c.constraints.count++) = *l;
  }
  return IG_OK;
}

/* Everything that concerns designs is switched off; the optimiser is set to mma only since that
   allows constraints. */
static ig_status case_make(const ig_topopt_run *r, finer *f) {
  ig_topopt_case *c = &f->c;
  *c = *r->s->c;
  c->loads.items = c->constraints.items = NULL;
  for (int d = 0; d < 3 && c->grid.elements[d] > 0; d++) {
    if (isnan(c->grid.size[d]))
      c->grid.size[d] = (double)c->grid.elements[d];
    c->grid.elements[d] *= 2;
  }
  /* nothing is designed here */
  c->filter = (ig_filter_case){.at = c->filter.at, .kind = IG_FILTER_NONE, .radius = NAN};
  c->projection.beta = 0;
  c->overhang.at.given = c->draw_direction.at.given = c->pattern.at.given = false;
  c->milling.at.given = false;
  c->sequence.at.given = c->initial_design.at.given = false;
  c->optimiser.method = IG_OPTIMISER_MMA;
  c->stress.clusters = 1;
  c->volume = 1;
  if (ig_topopt_divided(r->d))
    c->ranks = IG_RANKS_DIVIDE_IF;
  if (c->problem == IG_PROBLEM_FREQUENCY)
    c->problem = IG_PROBLEM_STIFFNESS;
  if (c->minimise != IG_MINIMISE_DISPLACEMENT)
    c->minimise = IG_MINIMISE_RESPONSE;
  IG_TRY(loads_copy(r, f));
  return constraints_copy(r, f);
}

/* Whether memory is left for the model. What a GPU has left is not known before it is asked.
   Four fifths of what is left, as a margin. All
   ranks decide alike. */
static ig_status fits(ig_ctx *cx, const ig_topopt_case *c, bool *yes) {
  double bytes;
  *yes = false;
  for (int d = 0; d < 3; d++)
    if (c->grid.elements[d] > 1 << 16)
      return IG_OK;
  IG_TRY(ig_topopt_grid_model_bytes(cx, c, &bytes));
  bool full = bytes > 0.8 * ig_memory_left();
  IG_TRY(ig_ranks_agree_any(cx, IG_OK, &full));
  *yes = !full;
  return IG_OK;
}

/* Elements under loads keep at least the share they have on the design's grid: otherwise a
   rounded edge could leave a loaded node without material. */
static ig_status analyse(const ig_topopt_run *r, const ig_topopt_part_field *part, const finer *f,
                         ig_topopt_grid_model *m, ig_topopt_part_figures *to) {
  ig_ctx *cx = r->s->cx;
  const ig_topopt_grid_model *from = r->d->self;
  ig_topopt_design *s = NULL;
  double *share = NULL, *density = NULL, *least = NULL, *loaded = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_topopt_design_new(cx, &f->c, &m->d, &s));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &share, m->d.places, "part"));
  /* loads act on nodes of elements, which a surface may round off */
  IG_TRY_GOTO(status, done, IG_NEW(cx, &loaded, r->d->places, "part"));
  for (int64_t i = 0; i < r->d->places; i++)
    loaded[i] = part->touched[i] & IG_TOUCH_LOADED ? part->share[i] : 0;
  IG_TRY_GOTO(status, done, ig_topopt_part_whole(r, part->density, &density));
  IG_TRY_GOTO(status, done, ig_topopt_part_whole(r, loaded, &least));
  IG_TRY_GOTO(
      status, done,
      ig_topopt_part_inside_fine(cx, &from->whole, density, part->level, least, &m->grid, share));
  s->tolerance = fmin(r->s->tolerance, 1e-6);
  status = ig_topopt_part_measure_figures(s, share, f->of, to);
done:
  free(share);
  free(density);
  free(least);
  free(loaded);
  ig_topopt_design_free(s);
  return status;
}

/* What a finer grid says of its case has been said of the design's. The log is switched off for
   the duration, and warnings are not counted twice. */
static ig_status quietly(const ig_topopt_run *r, const ig_topopt_part_field *part, const finer *f,
                         ig_topopt_part_figures *to) {
  ig_ctx *cx = r->s->cx;
  ig_log_fn *log = cx->log;
  const int warnings = cx->warnings;
  ig_topopt_grid_model *m = NULL;
  cx->log = NULL;
  ig_status status = ig_topopt_grid_model_new(cx, &f->c, r->job->materials, &m);
  if (status == IG_OK)
    status = analyse(r, part, f, m, to);
  ig_topopt_grid_model_free(m);
  cx->log = log;
  cx->warnings = warnings;
  return status;
}

/* A failure here (regions, memory, solver) is reported and costs only the better estimate. */
ig_status ig_topopt_part_refine(const ig_topopt_run *r, const ig_topopt_part_field *part,
                                ig_topopt_part_figures *to, bool *done) {
  ig_ctx *cx = r->s->cx;
  finer f = {0};
  bool room = false;
  *done = false;
  ig_status status = case_make(r, &f);
  if (status == IG_OK)
    status = fits(cx, &f.c, &room);
  if (status == IG_OK && room) {
    status = quietly(r, part, &f, to);
    *done = status == IG_OK;
  }
  finer_free(&f);
  if (status == IG_OK && !room)
    ig_info(cx, "the part is not analysed on a grid twice as fine: no memory for it; errors are "
                "estimated by recovery");
  if (status == IG_INPUT || status == IG_MEMORY || status == IG_NUMERIC) {
    if (ig_ranks_agree(cx, status) != IG_OK && cx->ranks)
      cx->ranks->failed = false; /* all go on together */
    ig_info(cx,
            "the part is not analysed on a grid twice as fine (%s); errors are estimated by "
            "recovery",
            ig_ctx_message(cx));
    status = IG_OK;
  }
  return status;
}
