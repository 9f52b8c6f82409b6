/* The part at the end of a run: islands removed, surface, files, and the analysis of that shape. */
#include "backend/backend.h"
#include "ranks/ranks.h"
#include "solver/krylov/chunks.h"
#include "topopt/output.h"
#include "topopt/surface/pieces.h"
#include "topopt/design/stress.h"
#include "topopt/surface/surface.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static ig_status put_figures(ig_sink *sink, const ig_topopt_run *r, const ig_topopt_part *part,
                             double wanted) {
  const ig_surface_case *c = &r->s->c->surface;
  ig_topopt_part_shape shape;
  IG_TRY(ig_topopt_part_look(r->s->cx, part, &shape));
  IG_TRY(sink->result(sink, "surface_area", "m^2", part->area));
  IG_TRY(sink->result(sink, "surface_volume", "m^3", part->volume));
  IG_TRY(sink->result(sink, "surface_level", "", part->level));
  IG_TRY(sink->result(sink, "surface_open_edges", "", (double)shape.open));
  IG_TRY(sink->result(sink, "surface_shells", "", (double)shape.shells));
  IG_TRY(sink->result(sink, "surface_handles", "", (double)shape.handles));
  if (shape.open > 0)
    ig_warn(r->s->cx, "the surface is not closed: %" PRId64 " edges have no one opposite",
            shape.open);
  if (shape.pinched > 0)
    ig_warn(r->s->cx,
            "the surface touches itself at %" PRId64 " points: not every program that "
            "reads it will like that",
            shape.pinched);
  wanted *= ig_topopt_copies(r->s->c);
  if (isnan(c->level) && !r->s->loading->candidates && fabs(part->volume - wanted) > 0.02 * wanted)
    ig_warn(r->s->cx,
            "the surface holds %.4g m^3, the design %.4g m^3: no level of the density keeps the "
            "volume; %s",
            part->volume, wanted,
            r->e.grayness > 5
                ? "the design is gray: use a projection, or more iterations"
                : "its members are few elements thick: use smaller elements or a larger "
                  "filter.radius, or choose surface.level");
  return IG_OK;
}

/* The sum of an array of elements (host), in the order of the whole. */
static ig_status total(ig_ctx *cx, const ig_discretisation *d, const double *v, double *sum) {
  const ig_chunks k = ig_chunks_of(d->grid, d->places);
  double *part;
  ig_status status = IG_NEW(cx, &part, (size_t)k.count + 1, "sums");
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(cx, status);
  for (int64_t c = 0; status == IG_OK && c < k.count; c++)
    for (int64_t i = ig_chunk_begin(&k, c); i < ig_chunk_end(&k, c); i++)
      part[c] += v[i];
  if (status == IG_OK)
    status = ig_chunks_total(d->grid, &k, 1, part, sum);
  free(part);
  return status;
}

/* Removes islands at the level of the surface, which is made again without them, at the level that
   was asked for (NaN: the one that keeps what is left). */
static ig_status remove_islands(ig_topopt_run *r, ig_sink *sink, double *density,
                                const uint8_t *touched, double level, ig_topopt_part *part,
                                double *wanted) {
  const ig_topopt_design *s = r->s;
  const ig_surface_case *c = &s->c->surface;
  int64_t islands, elements;
  double all, left;
  if (c->islands)
    return IG_OK;
  IG_TRY(total(s->cx, s->d, density, &all));
  IG_TRY(ig_topopt_islands_clear(s->cx, s->d, density, part->level, touched, &islands, &elements));
  IG_TRY(sink->result(sink, "islands_removed", "", (double)islands));
  if (islands == 0)
    return IG_OK;
  IG_TRY(total(s->cx, s->d, density, &left));
  *wanted *= left / all;
  ig_warn(s->cx,
          "%" PRId64 " island%s removed from the part: %" PRId64
          " elements, %.2g %% of its volume, that touch neither a load nor a support",
          islands, islands == 1 ? "" : "s", elements, 100 * (all - left) / all);
  ig_topopt_part_free(part);
  return s->d->surface(s->d->self, density, level, c->mirror, part);
}

/* States of the part beside the design's, which stay as they are: exchanged twice. */
static void exchange(ig_topopt_design *s, ig_array *density, ig_array *u, ig_array *adjoint) {
  const int last = s->realisations - 1;
#define SWAP(a, b)                                                                                 \
  do {                                                                                             \
    const ig_array swap = (a);                                                                     \
    (a) = (b);                                                                                     \
    (b) = swap;                                                                                    \
  } while (0)
  SWAP(s->density[last], *density);
  SWAP(s->adjoint[last], *adjoint);
  for (int q = 0; q < s->loading->cases; q++)
    SWAP(s->u[last][q], u[q]);
#undef SWAP
}

static ig_status zeros(ig_ctx *cx, ig_array *a, int64_t n) {
  IG_TRY(ig_array_new_device(cx, a, (size_t)n, sizeof(double), "analysis of the part"));
  return ig_array_zero(cx, a);
}

/* Objective and largest stress of elements whose stiffness is their share inside the surface. */
static ig_status solve_part(ig_topopt_run *r, const double *share, double *objective,
                            double *stress) {
  ig_topopt_design *s = r->s;
  ig_ctx *cx = s->cx;
  const bool port = ig_topopt_has_port(s->c);
  const bool learnt = s->d->learnt && *s->d->learnt;
  const double tolerance = s->tolerance;
  const ig_law law = {.penalty = 1, .least = ig_topopt_void_ratio(s->c)};
  ig_array inside = {0}, density = {0}, adjoint = {0}, u[IG_LOAD_CASES] = {{0}};
  ig_evaluation e = {0};
  double kept[IG_LOAD_CASES];
  ig_status status = zeros(cx, &density, s->d->places);
  for (int q = 0; q < s->loading->cases; q++) {
    kept[q] = s->response[q];
    if (status == IG_OK)
      status = zeros(cx, &u[q], s->d->unknowns);
  }
  if (status == IG_OK && port)
    status = zeros(cx, &adjoint, s->d->unknowns);
  if (status == IG_OK)
    status = zeros(cx, &inside, s->d->places);
  if (status == IG_OK)
    status = cx->backend->copy_in(cx, inside.dev, share, (size_t)s->d->places * sizeof *share);
  exchange(s, &density, u, &adjoint);
  s->tolerance = fmin(tolerance, 1e-6);
  if (status == IG_OK)
    status = s->ops->physical(cx, s->d->places, s->d->role, &law, inside.dev,
                              s->density[s->realisations - 1].dev, s->d->modulus);
  if (status == IG_OK)
    status = ig_topopt_design_stiffen(s, s->d->modulus);
  if (status == IG_OK)
    status = ig_topopt_design_analyse(s, s->realisations - 1, objective, &e);
  *stress = NAN;
  if (status == IG_OK && s->d->strain)
    status = ig_topopt_stress_largest(s, 1, stress);
  exchange(s, &density, u, &adjoint);
  s->tolerance = tolerance;
  if (s->d->learnt)
    *s->d->learnt = learnt;
  for (int q = 0; q < s->loading->cases; q++) {
    s->response[q] = kept[q];
    ig_array_free(cx, &u[q]);
  }
  ig_array_free(cx, &inside);
  ig_array_free(cx, &density);
  ig_array_free(cx, &adjoint);
  r->evaluated = -1; /* moduli in place are the part's */
  return status;
}

ig_status ig_topopt_part_analyse(ig_topopt_run *r, ig_sink *sink, const double *share) {
  static const char *const unit[] = {[IG_PROBLEM_STIFFNESS] = "J",
                                     [IG_PROBLEM_HEAT] = "W K",
                                     [IG_PROBLEM_MECHANISM] = "m",
                                     [IG_PROBLEM_FREQUENCY] = "s^2"};
  ig_topopt_design *s = r->s;
  double objective, stress, design_stress = NAN, design = r->e.objective;
  if (s->c->minimise != IG_MINIMISE_RESPONSE) {
    design = 0;
    for (int q = 0; q < s->loading->cases; q++)
      design += s->loading->weight[q] * s->response[q];
  }
  if (s->d->strain)
    IG_TRY(ig_topopt_stress_largest(s, s->c->stress.relaxation, &design_stress));
  const ig_status status = solve_part(r, share, &objective, &stress);
  if (status == IG_NUMERIC) {
    ig_warn(s->cx, "the part was not analysed: %s", ig_ctx_message(s->cx));
    return IG_OK;
  }
  IG_TRY(status);
  IG_TRY(sink->result(sink, "part_objective", unit[s->c->problem], objective));
  IG_TRY(sink->result(sink, "part_objective_difference", "%", 100 * (objective / design - 1)));
  if (s->c->problem != IG_PROBLEM_MECHANISM && fabs(objective) > 10 * fabs(design))
    ig_warn(s->cx,
            "the part gives way %.2g times as far as the design: loads act where it has no "
            "material, or it does not hang together; hold elements under loads solid ('passive'), "
            "or let the run end with a design that is not gray",
            objective / design);
  if (!s->d->strain)
    return IG_OK;
  IG_TRY(sink->result(sink, "part_stress", "Pa", stress));
  return sink->result(sink, "part_stress_difference", "%", 100 * (stress / design_stress - 1));
}

/* Whether there is a part: it has a surface, which is asked for. */
static bool made(const ig_topopt_run *r) {
  return r->d->surface && ig_topopt_formats(&r->s->c->surface).count > 0;
}

bool ig_topopt_part_analysed(const ig_topopt_run *r) {
  const ig_loading *l = r->s->loading;
  return made(r) && r->s->c->surface.analyse && l->cases > 0 && !l->candidates;
}

/* What the triangles give: files and figures. */
static ig_status put_surface(ig_topopt_run *r, ig_sink *sink, const ig_topopt_part *part,
                             double wanted) {
  const ig_surface_case *c = &r->s->c->surface;
  const ig_texts formats = ig_topopt_formats(c);
  for (int f = 0; f < formats.count; f++)
    IG_TRY(ig_topopt_part_write(r->s->cx, part, formats.value[f], c->unit, sink));
  return put_figures(sink, r, part, wanted);
}

ig_status ig_topopt_part_put(ig_topopt_run *r, ig_sink *sink, double *density,
                             const uint8_t *touched, double *share) {
  const ig_topopt_design *s = r->s;
  const ig_surface_case *c = &s->c->surface;
  ig_topopt_part part = {0};
  if (!made(r))
    return IG_OK;
  double wanted = r->e.volume * (double)s->d->elements * s->d->volume;
  double level = c->level; /* any material is solid */
  if (isnan(level) && s->loading->candidates)
    level = 0.5 * s->loading->candidate_density[0];
  ig_status status = s->d->surface(s->d->self, density, level, c->mirror, &part);
  if (status == IG_OK)
    status = remove_islands(r, sink, density, touched, level, &part, &wanted);
  if (status == IG_OK && share)
    status = s->d->inside(s->d->self, density, part.level, share);
  if (status == IG_OK && (!ig_topopt_divided(s->d) || ig_ranks_first(s->cx)))
    status = put_surface(r, sink, &part, wanted);
  ig_topopt_part_free(&part);
  return status;
}
