/* Fields of elements in snapshots: which are wanted, their values. */
#include "thermal/thermal.h"

#include <math.h>
#include <string.h>

/* Fields of elements: what is kept of their past, when they were born, which are powder. */
static const struct {
  const char *name, *unit;
} past_field[IG_TRACK_FIELDS] = {
    {NULL, NULL},  {"T_peak", "K"},         {"time_above_liquidus", "s"},
    {"melts", ""}, {"cooling_rate", "K/s"}, {"G", "K/m"},
    {"R", "m/s"}};

int ig_thermal_fields_list(const ig_thermal_run *run, ig_thermal_shown *list) {
  const ig_heat *h = &run->heat;
  int count = 0;
  for (int c = IG_TRACK_PEAK; c < IG_TRACK_FIELDS && h->past.every; c++)
    if (ig_output_wants(run->job->output, past_field[c].name))
      list[count++] = (ig_thermal_shown){past_field[c].name, past_field[c].unit, c};
  if (run->c->birth.at.given && ig_output_wants(run->job->output, "birth"))
    list[count++] = (ig_thermal_shown){"birth", "s", IG_SHOWN_BIRTH};
  if (h->material.powder && ig_output_wants(run->job->output, "powder"))
    list[count++] = (ig_thermal_shown){"powder", "", IG_SHOWN_POWDER};
  return count;
}

/* Of cell e, in birth order. */
static float cell_value(const ig_heat *h, int what, ig_lid e) {
  if (what == IG_SHOWN_BIRTH)
    return (float)fmax(h->birth.of[h->birth.order[e]], 0);
  if (what == IG_SHOWN_POWDER)
    return ((const uint8_t *)h->material.solid.host)[e] ? 0 : 1;
  return ((const float *)h->past.track.host)[(int64_t)what * h->elements + e];
}

void ig_thermal_elements_fill(const ig_heat *h, int what, float *value) {
  const ig_lid elements = ig_mesh_elements(h->mesh);
  const bool whole = elements == h->elements; /* else: the largest of an element's cells */
  memset(value, 0, (size_t)elements * sizeof *value);
  for (ig_lid e = 0; e < h->now.elements; e++) {
    float *to = &value[h->birth.order[e]], from = cell_value(h, what, e);
    *to = whole || from > *to ? from : *to;
  }
}
