/* What printing the part takes: volume of its supports, their contact with the part, the force that
   tears them off, and where it overheats. Measured on the elements at the end of a run, void or
   solid at the level of the surface. The bounds of the case see densities between the two: what
   the part has in place of each is measured, too, and decides whether it holds. */
#include "backend/backend.h"
#include "topopt/design/overheat.h"
#include "topopt/design/support.h"
#include "topopt/part_analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the underside that needs supports; less than that is the rim of ceilings. */
static const double MISSED = 0.2;

/* What the part has in place of the bound of slot i, over the bound, and in the unit of the case.
 */
static ig_status put_limit(const ig_topopt_run *r, ig_sink *sink, int i, double value,
                           ig_topopt_part_figures *to) {
  const ig_topopt_design *s = r->s;
  const ig_topopt_bound b = ig_topopt_bound_of(s, &r->e, i);
  char key[64];
  to->limit[s->limit_of[i]].value = value / b.bound;
  snprintf(key, sizeof key, "part_constraint_%d_%s", s->limit_of[i] + 1, b.what);
  return sink->result(sink, key, b.unit, value);
}

/* The elements that slot i counts, by place (host). */
static ig_status members_of(const ig_topopt_run *r, int i, double *count) {
  ig_ctx *cx = r->s->cx;
  IG_TRY(cx->backend->copy_out(cx, count, r->s->loading->limit[i].dev,
                               (size_t)r->d->places * sizeof *count));
  return cx->backend->sync(cx);
}

static ig_status put_limits(const ig_topopt_run *r, ig_sink *sink, const double *part,
                            ig_support_counter *counter, double *count,
                            ig_topopt_part_figures *to) {
  const ig_topopt_design *s = r->s;
  for (int i = 0; i < s->limits; i++) {
    const ig_limit_case *limit = ig_topopt_limit_case(s, i);
    const bool volume = !isnan(limit->support_volume), force = !isnan(limit->removal_force);
    double v, contact;
    if (!volume && !force && isnan(limit->overheating))
      continue;
    IG_TRY(members_of(r, i, count));
    if (volume || force) {
      ig_support_counter_find(counter, part, count, &v, &contact);
      v = volume ? v : contact * s->c->printing.support_strength;
    } else {
      int layer;
      IG_TRY(ig_topopt_overheat_measure(r->s, part, count, &v, &layer));
    }
    IG_TRY(put_limit(r, sink, i, v, to));
  }
  return IG_OK;
}

static ig_status put_supports(const ig_topopt_run *r, ig_sink *sink, const double *part,
                              double *count, ig_topopt_part_figures *to) {
  const ig_printing_case *c = &r->s->c->printing;
  const double copies = ig_topopt_copies(r->s->c);
  ig_support_counter counter;
  double volume, contact, flat = 0, missed = 0;
  ig_status status = ig_support_counter_new(r->s, &counter);
  if (status == IG_OK) {
    ig_support_counter_find(&counter, part, NULL, &volume, &contact);
    if (!counter.mesh)
      ig_support_columns_missed(&counter.columns, part, c->angle, &flat, &missed);
    status = put_limits(r, sink, part, &counter, count, to);
  }
  ig_support_counter_free(&counter);
  IG_TRY(status);
  if (!r->s->support)
    ig_topopt_support_warn(r->s);
  if (missed > MISSED * flat)
    ig_warn_at(r->s->cx, &c->at,
               "supports: %.3g mm2 of the part's underside is less steep than %g degrees, and "
               "%.0f %% of it rests on steps of these elements: support_volume and support_contact "
               "count too little there, and bounds of them hold for what is counted; elements "
               "whose height is a fifth of their width count it",
               1e6 * copies * flat, c->angle, 100 * missed / flat);
  IG_TRY(sink->result(sink, "support_volume", "m^3", copies * volume));
  IG_TRY(sink->result(sink, "support_contact", "m^2", copies * contact));
  return isnan(c->support_strength)
             ? IG_OK
             : sink->result(sink, "removal_force", "N", copies * contact * c->support_strength);
}

static ig_status put_heat(const ig_topopt_run *r, ig_sink *sink, const double *part) {
  double most;
  int layer;
  if (!r->s->overheat)
    return IG_OK;
  IG_TRY(ig_topopt_overheat_measure(r->s, part, NULL, &most, &layer));
  IG_TRY(sink->result(sink, "overheating", "", most));
  const double height = r->d->build ? r->d->build->height : r->d->layers->height;
  return sink->result(sink, "overheating_height", "m", (layer + 1) * height);
}

/* The level at which the part was cut, or would be where it has no surface. */
static ig_status level_find(const ig_topopt_run *r, double *density, double *level) {
  double *share;
  if (!isnan(*level))
    return IG_OK;
  IG_TRY(IG_NEW(r->s->cx, &share, r->d->places, "print"));
  const ig_status status = r->d->inside(r->d->self, density, level, share);
  free(share);
  return status;
}

ig_status ig_topopt_print_put(const ig_topopt_run *r, ig_sink *sink, double *density, double level,
                              ig_topopt_part_figures *to) {
  double *part, *count = NULL;
  ig_topopt_part_none(to);
  if (!r->d->layers && !r->d->build)
    return IG_OK;
  IG_TRY(level_find(r, density, &level));
  IG_TRY(IG_NEW(r->s->cx, &part, r->d->places, "print"));
  for (int64_t i = 0; i < r->d->places; i++)
    part[i] = density[i] >= level;
  ig_status status = IG_NEW(r->s->cx, &count, r->d->places, "print");
  if (status == IG_OK)
    status = put_supports(r, sink, part, count, to);
  if (status == IG_OK)
    status = put_heat(r, sink, part);
  free(part);
  free(count);
  return status;
}
