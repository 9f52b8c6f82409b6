/* What printing the part takes: volume of its supports, their contact with the part, the force that
   tears them off, and where it overheats. Measured on the elements at the end of a run, void or
   solid at the level of the surface: the bounds of the case see densities between the two. */
#include "topopt/design/overheat.h"
#include "topopt/design/support.h"
#include "topopt/output.h"

#include <math.h>
#include <stdlib.h>

/* Of the underside that needs supports; less than that is the rim of ceilings. */
static const double MISSED = 0.2;

static ig_status put_supports(const ig_topopt_run *r, ig_sink *sink, const double *part) {
  const ig_printing_case *c = &r->s->c->printing;
  const double copies = ig_topopt_copies(r->s->c);
  ig_support_columns columns;
  double volume, contact, flat = 0, missed = 0;
  const ig_status status =
      ig_support_columns_new(r->s->cx, r->d->layers, (size_t)r->d->places, c->angle, &columns);
  if (status == IG_OK) {
    ig_support_columns_find(&columns, part, NULL, &volume, &contact);
    ig_support_columns_missed(&columns, part, c->angle, &flat, &missed);
  }
  ig_support_columns_free(&columns);
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
  IG_TRY(ig_topopt_overheat_measure(r->s, part, &most, &layer));
  IG_TRY(sink->result(sink, "overheating", "", most));
  return sink->result(sink, "overheating_height", "m", (layer + 1) * r->d->layers->height);
}

ig_status ig_topopt_print_put(const ig_topopt_run *r, ig_sink *sink, const double *density,
                              double level) {
  double *part;
  if (!r->d->layers)
    return IG_OK;
  IG_TRY(IG_NEW(r->s->cx, &part, r->d->places, "print"));
  for (int64_t i = 0; i < r->d->places; i++)
    part[i] = density[i] >= level;
  ig_status status = put_supports(r, sink, part);
  if (status == IG_OK)
    status = put_heat(r, sink, part);
  free(part);
  return status;
}
