/* The statement at the end of a run: why it stopped, whether the design is feasible, each
   constraint with its bound, pieces, grayness, and the part's surface.

   Order in ig_topopt_finish: analyse the last design, look at the densities (find), figures of
   the run (put_run), the surface and its files (put_density), the analysis of the finished part,
   and last whether the design is feasible, which depends on all of these. Functions named put_
   write to the sink. On a divided grid all ranks take part. */
#include "topopt/output.h"
#include "core/number.h"
#include "topopt/design/buckling.h"
#include "topopt/design/large.h"
#include "topopt/design/modes.h"
#include "topopt/design/pnorm.h"
#include "topopt/part_analysis.h"
#include "topopt/surface/pieces.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "ranks/ranks.h"
#include "solver/krylov/slab.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run that ends before its ramps do has solved another problem than the case states: said
   here. */
static ig_status put_stopped(ig_sink *sink, const ig_topopt_run *r) {
  const ig_topopt_design *s = r->s;
  const ig_evaluation *e = &r->e;
  ig_evaluation last = {0};
  char text[300] = "the design no longer changes";
  ig_topopt_design_continue(s->c, INT64_MAX / 2, &last);
  if (!r->arrived) {
    const struct {
      const char *name;
      double now, last;
    } ramp[] = {{"penalty", e->penalty, last.penalty},
                {"gray", e->gray, last.gray},
                {"beta", e->beta, last.beta}};
    int used = r->iteration < s->c->iterations
                   ? ig_format(text, sizeof text, "stopped at iteration %" PRId64 " of %" PRId64,
                               r->iteration, s->c->iterations)
                   : ig_format(text, sizeof text, "iteration limit");
    const char *before = ", before the ramps arrived: ";
    for (int i = 0; i < 3; i++)
      if (ramp[i].now != ramp[i].last) {
        used += ig_format(text + used, sizeof text - (size_t)used, "%s%s %.4g of %.4g", before,
                          ramp[i].name, ramp[i].now, ramp[i].last);
        before = ", ";
      }
  }
  if (r->went_back) {
    const size_t used = strlen(text);
    ig_format(text + used, sizeof text - used,
              "; its last design oversteps a bound, the best feasible one is taken, that of "
              "iteration %" PRId64,
              r->feasible_at + 1);
  }
  return sink->result_text(sink, "stopped", text);
}

/* Mass of the part as it is exported, and of the model where planes of symmetry make it a piece
   of the part; only where the materials have densities. The sum over elements of density x
   volume x material density, by the deterministic sum of ops->stats. */
static ig_status put_mass(ig_sink *sink, const ig_topopt_run *r) {
  const ig_topopt_design *s = r->s;
  const ig_loading *l = s->loading;
  const int64_t n = s->d->places;
  const double *const by[] = {s->d->share, l->heavy.dev};
  if (!(l->element_mass > 0) || !r->job->materials || r->job->materials->count == 0)
    return IG_OK;
  IG_TRY(
      s->ops->mix(s->cx, n, 1, s->density[s->realisations - 1].dev, 0, s->work.dev, s->work.dev));
  for (int i = 0; i < 2; i++)
    if (by[i])
      IG_TRY(
          s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, s->work.dev, by[i], NULL, s->work.dev));
  IG_TRY(s->ops->mix(s->cx, n, l->element_mass, s->work.dev, 0, s->work.dev, s->work.dev));
  ig_topopt_design_stats st;
  const ig_law none = {0};
  IG_TRY(s->ops->stats(s->cx, s->d->grid, n, s->d->role, &none, s->work.dev, s->work.dev, &st));
  const double copies = ig_topopt_copies(s->c);
  if (copies > 1)
    IG_TRY(sink->result(sink, "model_mass", "kg", st.sum));
  return sink->result(sink, "mass", "kg", copies * st.sum);
}

/* What the densities at the end fall into: at the level of the statement, and whether loads are
   connected with supports (text: why not). */
typedef struct {
  double *density; /* host, owned */
  uint8_t *touched;
  double level;
  ig_topopt_tally tally;
  char loose[200];
  bool gray; /* gray material connects them */
} finding;

/* Heat flows through void, too, and mechanisms have hinges of elements that touch in a node:
   there one connected load will do. t->firm counts loaded pieces with a support, t->loose those
   without. */
static bool carries(const ig_topopt_design *s, const ig_topopt_tally *t) {
  const bool all = s->c->problem != IG_PROBLEM_HEAT && s->c->problem != IG_PROBLEM_MECHANISM;
  return t->loaded == 0 || (t->firm > 0 && !(all && t->loose > 0));
}

/* Two situations: no load reaches a support at all, or some loaded pieces do not. */
static void say_loose(const ig_topopt_tally *t, double level, char *text, size_t size) {
  if (t->firm == 0)
    ig_format(text, size,
              "no load acts on elements of density %.3g and more that are connected to a "
              "support",
              level);
  else
    ig_format(text, size,
              "%" PRId64
              " piece%s of density %.3g and more under a load %s connected to no support",
              t->loose, t->loose == 1 ? "" : "s", level, t->loose == 1 ? "is" : "are");
}

/* Whether loads and supports are connected: by the part at the level of the statement, else by
   gray material, a thousandth as stiff as the solid or more, which nobody can make. Else the
   design carries nothing. A tenth of the solid's density is, with the usual penalty of 3, a
   thousandth of its stiffness. */
static ig_status connection_find(const ig_topopt_design *s, double solid, finding *f) {
  const double least = fmin(0.1 * solid, f->level);
  char text[160];
  ig_topopt_tally t;
  if (carries(s, &f->tally))
    return IG_OK;
  say_loose(&f->tally, f->level, text, sizeof text);
  IG_TRY(ig_topopt_pieces_count(s->cx, s->d, f->density, least, f->touched, &t));
  f->gray = carries(s, &t);
  if (f->gray && s->c->penalty == 1)
    return IG_OK; /* densities are thicknesses, which can be made */
  if (f->gray)
    ig_format(f->loose, sizeof f->loose, "only gray material carries: %s", text);
  else
    say_loose(&t, least, f->loose, sizeof f->loose);
  return IG_OK;
}

/* A bound that the part oversteps by its own figures, though the density model keeps it: the
   worst one, as a share. Compares the bound with what the part has at most, its estimated error
   included. */
static double part_excess(const ig_topopt_design *s, const ig_evaluation *e,
                          const ig_topopt_part_figures *part, char *text, size_t size) {
  double worst = 0;
  for (int i = 0; i < s->limits; i++) {
    ig_topopt_bound b = ig_topopt_bound_of(s, e, i);
    const ig_topopt_figure *f = &part->limit[s->limit_of[i]];
    const double design = b.value;
    b.value = b.bound * ig_topopt_figure_most(f);
    const double over = isnan(b.value) ? 0 : ig_topopt_bound_excess(&b);
    if (!isnan(worst) && !(over <= worst)) {
      worst = over;
      ig_format(
          text, size,
          "no: constraint %d (%s) of the finished part is %.5g%s%s, its bound %.5g; the density "
          "model has %.5g",
          s->limit_of[i] + 1, b.what, b.value, *b.unit ? " " : "", b.unit, b.bound, design);
    }
  }
  return worst;
}

/* The worst bound is named. Order: bounds of the density model, then loads without support, then
   bounds that the finished part does not meet: by its analysis, then those of its print. */
static ig_status put_feasible(ig_sink *sink, const ig_topopt_design *s, const ig_evaluation *e,
                              const char *loose, bool gray, const ig_topopt_part_figures *part,
                              const ig_topopt_part_figures *print) {
  char text[240] = "yes";
  double worst = 0;
  for (int i = -1; i < s->limits; i++) {
    const ig_topopt_bound b = ig_topopt_bound_of(s, e, i);
    const double over = ig_topopt_bound_excess(&b);
    if (!isnan(worst) && !(over <= worst)) {
      char name[48] = "the volume";
      worst = over;
      if (i >= 0)
        ig_format(name, sizeof name, "constraint %d (%s)", i + 1, b.what);
      ig_format(text, sizeof text, "no: %s is %.5g%s%s, its bound %.5g", name, b.value,
                *b.unit ? " " : "", b.unit, b.bound);
    }
  }
  const char *remedy = "";
  if (worst == 0 && *loose) {
    ig_format(text, sizeof text, "no: %s", loose);
    remedy = gray ? "; let it run longer, or use a projection"
                  : "; hold elements under loads solid ('passive'), or allow more volume";
  } else if (worst == 0 && part && !s->c->finish.at.given && /* which has better figures */
             part_excess(s, e, part, text, sizeof text) > 0) {
    remedy =
        "; lower the bound by that, use smaller elements, or, where the stress of a corner or a "
        "point load grows with every finer grid, leave its set out (stress.exclude)";
  } else if (worst == 0 && part_excess(s, e, print, text, sizeof text) > 0) {
    remedy = "; lower the bound by that, or let the run end with a sharper projection";
  }
  if (text[0] != 'y')
    ig_warn(s->cx, "the design is not feasible: %s%s", text + 4, remedy);
  return sink->result_text(sink, "feasible", text);
}

/* Value and bound of each, in the unit of the case; "constraint_1_stress", "constraint_1_bound". */
static ig_status put_constraints(ig_sink *sink, const ig_topopt_design *s, const ig_evaluation *e) {
  char key[64];
  IG_TRY(sink->result(sink, "volume", "", e->volume));
  IG_TRY(sink->result(sink, "volume_bound", "", ig_topopt_volume(s->c)));
  for (int i = 0; i < s->limits; i++) {
    const ig_topopt_bound b = ig_topopt_bound_of(s, e, i);
    ig_format(key, sizeof key, "constraint_%d_%s", i + 1, b.what);
    IG_TRY(sink->result(sink, key, b.unit, b.value));
    ig_format(key, sizeof key, "constraint_%d_bound", i + 1);
    IG_TRY(sink->result(sink, key, b.unit, b.bound));
    if (ig_topopt_bound_excess(&b) < -0.02)
      ig_info(s->cx, "constraint %d (%s) does not act on this design: %.5g%s%s, its bound %.5g",
              i + 1, b.what, b.value, *b.unit ? " " : "", b.unit, b.bound);
  }
  const ig_topopt_bound whole = ig_topopt_bound_of(s, e, -1);
  if (whole.bound < 1 && ig_topopt_bound_excess(&whole) < -0.02)
    ig_info(s->cx, "the bound on the volume does not act on this design: %.4g, its bound %.4g",
            whole.value, whole.bound);
  return IG_OK;
}

/* Warns of what makes a part useless though its figures are good: several pieces, nothing left,
   closed cavities. */
static ig_status put_pieces(ig_sink *sink, const ig_topopt_design *s, const finding *f) {
  const double solid = s->loading->candidates ? s->loading->candidate_density[0] : 1;
  const double *density = f->density, level = f->level;
  const int64_t pieces = f->tally.pieces, cavities = f->tally.cavities;
  if (pieces > 1)
    ig_warn(s->cx, "the part is in %" PRId64 " pieces (elements of density %g and more)", pieces,
            level);
  double most = 0;
#pragma omp parallel for num_threads(ig_team(s->cx, s->d->places, IG_WORK_VALUE))                  \
    reduction(max                                                                                  \
              : most)
  for (int64_t i = 0; i < s->d->places; i++)
    most = fmax(most, density[i]);
  if (ig_topopt_divided(s->d))
    IG_TRY(ig_slab_most(s->d->grid->slab, &most, 1));
  if (most < 0.01 * solid)
    ig_warn(s->cx, "nothing is left of the part: no element has a density above %.2g; %s", most,
            s->c->constraints.count ? "a bound far below what the design begins with can empty it: "
                                      "begin with less 'volume'"
                                    : "allow more 'volume'");
  if (cavities > 0)
    ig_warn(s->cx,
            "the part encloses %" PRId64 " cavit%s: powder, resin or supports in there cannot be "
            "taken out",
            cavities, cavities == 1 ? "y" : "ies");
  IG_TRY(sink->result(sink, "pieces", "", (double)pieces));
  return sink->result(sink, "cavities", "", (double)cavities);
}

static const char *const problem_unit[] = {[IG_PROBLEM_STIFFNESS] = "J",
                                           [IG_PROBLEM_HEAT] = "W K",
                                           [IG_PROBLEM_MECHANISM] = "m",
                                           [IG_PROBLEM_FREQUENCY] = "s^2"};

/* Of the figures of single load cases. */
const char *ig_topopt_response_unit(const ig_topopt_design *s) {
  return problem_unit[s->c->problem];
}

/* The frequency problem minimises 1 / lambda, in s^2. */
const char *ig_topopt_objective_unit(const ig_topopt_design *s) {
  switch (s->c->minimise) {
  case IG_MINIMISE_VOLUME:
  case IG_MINIMISE_BUCKLING:
  case IG_MINIMISE_OVERHEATING:
    return "";
  case IG_MINIMISE_STRESS:
    return "Pa";
  case IG_MINIMISE_DISPLACEMENT:
  case IG_MINIMISE_DISTORTION:
    return "m";
  case IG_MINIMISE_TEMPERATURE:
    return "K";
  case IG_MINIMISE_SUPPORT_VOLUME:
    return "m^3";
  default:
    return problem_unit[s->c->problem];
  }
}

/* Share of the body that each material to choose from has: elements whose density is next to its.
 */
static ig_status put_materials(ig_sink *sink, const ig_topopt_design *s) {
  const ig_loading *l = s->loading;
  const size_t n = (size_t)s->d->places;
  int64_t count[IG_CANDIDATES + 1] = {0};
  uint8_t *role = NULL;
  double *density = NULL;
  if (!l->candidates)
    return IG_OK;
  ig_status status = IG_NEW(s->cx, &role, n, "roles");
  if (status == IG_OK)
    status = IG_NEW(s->cx, &density, n, "densities");
  if (status == IG_OK)
    status = s->cx->backend->copy_out(s->cx, role, s->d->role, n);
  if (status == IG_OK)
    status = s->cx->backend->copy_out(s->cx, density, s->density[s->realisations - 1].dev,
                                      n * sizeof *density);
  for (int64_t i = 0; status == IG_OK && i < s->d->places; i++) {
    int near = -1;
    for (int m = 0; m < l->candidates; m++)
      if (fabs(density[i] - l->candidate_density[m]) <
          fabs(density[i] - (near < 0 ? 0 : l->candidate_density[near])))
        near = m;
    count[near + 1] += role[i] != IG_ROLE_NONE;
  }
  free(role);
  free(density);
  if (ig_topopt_divided(s->d)) {
    IG_TRY(ig_ranks_agree(s->cx, status));
    IG_TRY(ig_slab_count(s->d->grid->slab, count, l->candidates + 1));
  }
  IG_TRY(status);
  for (int m = 0; m < l->candidates; m++) {
    char key[64];
    ig_format(key, sizeof key, "share_%.40s", l->candidate[m]);
    IG_TRY(sink->result(sink, key, "", (double)count[m + 1] / (double)s->d->elements));
  }
  return IG_OK;
}

/* Load factors, lowest first; of several load cases with its number before each. */
static ig_status put_buckling(ig_sink *sink, const ig_topopt_design *s) {
  for (int q = 0; q < s->loading->cases; q++)
    for (int i = 0; i < s->buckling->wanted; i++) {
      const double factor = ig_topopt_buckling_factor(s, q, i);
      char key[48], before[24] = "";
      if (s->loading->cases > 1)
        snprintf(before, sizeof before, "load_case_%d_", q + 1);
      ig_format(key, sizeof key, "%sbuckling_%d", before, i + 1);
      if (isfinite(factor))
        IG_TRY(sink->result(sink, key, "", factor));
    }
  return IG_OK;
}

/* How far the loads bend the body, and what they do there at full load. */
static ig_status put_large(ig_sink *sink, const ig_topopt_design *s) {
  const ig_topopt_large *g = s->large;
  for (int q = 0; q < s->loading->cases; q++) {
    char key[64], before[24] = "";
    double work, most;
    if (s->loading->cases > 1)
      snprintf(before, sizeof before, "load_case_%d_", q + 1);
    IG_TRY(ig_topopt_large_figures(s, q, &work, &most));
    snprintf(key, sizeof key, "%slarge_compliance", before);
    IG_TRY(sink->result(sink, key, "J", work));
    snprintf(key, sizeof key, "%slarge_displacement", before);
    IG_TRY(sink->result(sink, key, "m", most));
  }
  IG_TRY(sink->result(sink, "load_steps", "", (double)g->steps));
  IG_TRY(sink->result(sink, "newton_iterations", "", (double)g->iterations));
  if (g->negative > 0)
    ig_warn(s->cx,
            "large_deflections: the equilibrium of the design is not stable (%lld negative pivots "
            "of its tangent): it buckles or snaps through before its full load",
            (long long)g->negative);
  return IG_OK;
}

/* Figures of the run itself; all ranks have them. */
static ig_status put_run(ig_topopt_run *r, ig_sink *sink) {
  const ig_topopt_design *s = r->s;
  const ig_evaluation *e = &r->e;
  IG_TRY(put_stopped(sink, r));
  const int minimise = s->c->minimise;
  IG_TRY(sink->result(sink, "objective", ig_topopt_objective_unit(s), e->objective));
  if (minimise == IG_MINIMISE_STRESS)
    IG_TRY(sink->result(sink, "max_stress", "Pa", e->peak[IG_LIMITS]));
  if (minimise == IG_MINIMISE_TEMPERATURE)
    IG_TRY(sink->result(sink, "max_temperature", "K", e->peak[IG_LIMITS]));
  for (int i = 0; s->modes && i < s->modes->wanted; i++) {
    char key[32];
    ig_format(key, sizeof key, "frequency_%d", i + 1);
    IG_TRY(sink->result(sink, key, "Hz", ig_topopt_modes_hertz(s, i)));
  }
  IG_TRY(s->buckling ? put_buckling(sink, s) : IG_OK);
  IG_TRY(s->large ? put_large(sink, s) : IG_OK);
  for (int q = 0; s->loading->cases > 1 && q < s->loading->cases; q++) {
    char key[32];
    ig_format(key, sizeof key, "load_case_%d", q + 1);
    IG_TRY(sink->result(sink, key, ig_topopt_response_unit(s), s->response[q]));
  }
  IG_TRY(ig_topopt_sums_put(r, sink));
  IG_TRY(put_constraints(sink, s, e));
  IG_TRY(put_mass(sink, r));
  IG_TRY(sink->result(sink, "grayness", "%", e->grayness));
  return put_materials(sink, s);
}

/* What is there to see of the densities; share: see ig_topopt_part_put. */
static ig_status put_density(ig_topopt_run *r, ig_sink *sink, finding *f, double *level,
                             double *share) {
  static const char *const stage[] = {"seconds_solve", "seconds_sensitivities", "seconds_filter",
                                      "seconds_update"};
  const ig_topopt_design *s = r->s;
  IG_TRY(put_pieces(sink, s, f));
  for (int i = 0; i < 4; i++)
    IG_TRY(sink->result(sink, stage[i], "s", s->seconds[i]));
  return ig_topopt_part_put(r, sink, f->density, f->touched, level, share);
}

/* Densities, elements that are held or loaded, and what these fall into. */
static ig_status find(const ig_topopt_design *s, finding *f) {
  const ig_discretisation *d = s->d;
  const bool divided = ig_topopt_divided(d);
  const size_t n = (size_t)d->places;
  const double solid = s->loading->candidates ? s->loading->candidate_density[0] : 1;
  f->level = isnan(s->c->surface.level) ? 0.5 * solid : s->c->surface.level;
  ig_status status = IG_NEW(s->cx, &f->density, n + 1, "surface");
  if (status == IG_OK)
    status = IG_NEW(s->cx, &f->touched, n + 1, "surface");
  if (divided)
    status = ig_ranks_agree(s->cx, status);
  if (status == IG_OK)
    status = s->cx->backend->copy_out(s->cx, f->density, s->density[s->realisations - 1].dev,
                                      n * sizeof *f->density);
  if (status == IG_OK)
    status = s->cx->backend->sync(s->cx);
  if (status == IG_OK)
    status = d->touched(d->self, f->touched);
  if (divided)
    status = ig_ranks_agree(s->cx, status);
  IG_TRY(status);
  IG_TRY(ig_topopt_pieces_count(s->cx, d, f->density, f->level, f->touched, &f->tally));
  return connection_find(s, solid, f);
}

/* `share` is needed for the analysis of the part alone. Ranks agree after each stage that a
   single one may fail in. */
ig_status ig_topopt_finish(void *self, ig_sink *sink) {
  ig_topopt_run *r = self;
  const ig_discretisation *d = r->d;
  const bool analysed = ig_topopt_part_analysed(r);
  ig_topopt_part_figures part, print;
  finding f = {0};
  double *share = NULL, level = NAN;
  IG_TRY(ig_topopt_analyse(r));
  ig_status status = find(r->s, &f);
  if (status == IG_OK)
    status = put_run(r, sink);
  if (status == IG_OK)
    status = ig_topopt_loads_put(r, sink);
  if (status == IG_OK && analysed)
    status = IG_NEW(r->s->cx, &share, d->places, "part");
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(r->s->cx, status);
  if (status == IG_OK)
    status = put_density(r, sink, &f, &level, share);
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(r->s->cx, status);
  if (status == IG_OK)
    status = ig_topopt_milling_put(r, sink, f.density, f.level);
  if (status == IG_OK)
    status = ig_topopt_print_put(r, sink, f.density, level, &print);
  const ig_topopt_part_field field = {f.density, f.touched, level, share, carries(r->s, &f.tally)};
  if (status == IG_OK && analysed)
    status = ig_topopt_part_analyse(r, sink, &field, &part);
  if (status == IG_OK)
    status = put_feasible(sink, r->s, &r->e, f.loose, f.gray, analysed ? &part : NULL, &print);
  free(f.density);
  free(f.touched);
  free(share);
  return status;
}
