/* Output of a run: rows of history.csv, snapshots, figures of the summary. */
#include "grains/grains.h"
#include "core/schedule.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_grains_history(void *self, ig_sink *to) {
  static const char *const names[] = {"step", "time [s]", "liquid_fraction", "active_cells"};
  ig_grains_run *r = self;
  ig_grains_count count;
  if (!to)
    return IG_OK;
  IG_TRY(ig_grains_count_now(r, &count));
  const double values[] = {(double)r->step, ig_grains_time(r),
                           (double)count.liquid / (double)r->view.cells, (double)count.active};
  return to->history(to, 4, names, values);
}

/* --- fields of cells */

enum { GRAIN, IPF, TILT, UNDER, MELTS, STATE, FIELDS };
static const struct {
  const char *name, *unit;
  ig_dtype dtype;
  int components;
} fields[FIELDS] = {
    {"grain", "", IG_I32, 1},         {"ipf", "", IG_F32, 3},  {"misorientation", "rad", IG_F32, 1},
    {"undercooling", "K", IG_F32, 1}, {"melts", "", IG_U8, 1}, {"state", "", IG_U8, 1}};

/* Values of one component, as they are written; liquid has no orientation: NaN. */
static double value_of(const ig_grains_run *r, int field, int64_t c, int component) {
  const ig_grains_arrays *a = &r->array;
  const int32_t grain = ((const int32_t *)a->grain.host)[c];
  float rgb[3];
  switch (field) {
  case GRAIN:
    return grain;
  case IPF:
    if (grain == 0)
      return NAN;
    ig_grains_color(ig_grains_axes_of(r, grain), r->c->ipf_axis, rgb);
    return rgb[component];
  case TILT:
    return grain == 0 ? NAN : ig_grains_tilt(ig_grains_axes_of(r, grain));
  case UNDER:
    return ((const float *)a->under.host)[c];
  case MELTS:
    return ((const uint8_t *)a->melts.host)[c];
  default:
    return ((const uint8_t *)a->state.host)[c];
  }
}

bool ig_grains_field_of(void *self, int i, ig_room_field *f) {
  const ig_grains_run *r = self;
  if (i >= FIELDS)
    return false;
  *f = (ig_room_field){.name = fields[i].name,
                       .unit = fields[i].unit,
                       .where = IG_AT_ELEMENTS,
                       .dtype = IG_F64,
                       .components = fields[i].components,
                       .count = r->view.cells};
  return true;
}

ig_status ig_grains_get(void *self, const char *name, double *values) {
  ig_grains_run *r = self;
  int field = 0;
  while (strcmp(name, fields[field].name) != 0)
    field++;
  IG_TRY(ig_grains_pull(r));
  for (int64_t c = 0; c < r->view.cells; c++)
    for (int k = 0; k < fields[field].components; k++)
      *values++ = value_of(r, field, c, k);
  return IG_OK;
}

/* --- snapshots: every cell of the grid */

static void field_fill(const ig_grains_run *r, int field, void *data) {
  const int components = fields[field].components;
#pragma omp parallel for schedule(static) num_threads(ig_team(r->cx, r->view.cells, IG_WORK_NODE))
  for (int64_t i = 0; i < r->view.cells * components; i++) {
    const double value = value_of(r, field, i / components, (int)(i % components));
    if (fields[field].dtype == IG_I32)
      ((int32_t *)data)[i] = (int32_t)value;
    else if (fields[field].dtype == IG_F32)
      ((float *)data)[i] = (float)value;
    else
      ((uint8_t *)data)[i] = (uint8_t)value;
  }
}

ig_status ig_grains_snapshot(void *self, ig_sink *to) {
  ig_grains_run *r = self;
  ig_image_grid image;
  for (int d = 0; d < 3; d++) {
    image.nodes[d] = r->view.n[d] + 1;
    image.origin[d] = r->low[d];
    image.spacing[d] = r->c->grid.cell;
  }
  ig_snapshot *s;
  IG_TRY(ig_grains_pull(r));
  IG_TRY(ig_snapshot_of_image(r->cx, &image, ig_grains_time(r), r->step, &s));
  ig_status status = IG_OK;
  for (int f = 0; f < FIELDS && status == IG_OK; f++) {
    void *data;
    if (!ig_output_wants(r->job->output, fields[f].name))
      continue;
    status = ig_snapshot_add(s, fields[f].name, fields[f].unit, IG_AT_CELLS, fields[f].dtype,
                             fields[f].components, NULL, &data);
    if (status == IG_OK)
      field_fill(r, f, data);
  }
  if (status != IG_OK) {
    ig_snapshot_free(s);
    return status;
  }
  return to->snapshot(to, s);
}

/* --- figures at the end */

/* Mean undercooling at which cells were captured in the upper half: that of the steady front. */
static double front_undercooling(const ig_grains_run *r) {
  const float *under = r->array.under.host;
  const uint8_t *state = r->array.state.host, *melts = r->array.melts.host;
  double sum = 0;
  int64_t count = 0;
  for (int64_t c = r->view.cells / 2; c < r->view.cells; c++)
    if (state[c] != IG_GRAINS_LIQUID && melts[c]) {
      sum += (double)under[c];
      count++;
    }
  return sum / (double)count;
}

static ig_status figures(const ig_grains_run *r, const ig_grains_measure *m, ig_sink *to) {
  const double cell = r->c->grid.cell;
  int64_t sections = 0, cells = 0, liquid = 0;
  const uint8_t *state = r->array.state.host;
  for (int k = 0; k < r->view.n[2]; k++) {
    sections += m->level[k].grains;
    cells += m->level[k].cells;
  }
  for (int64_t c = 0; c < r->view.cells; c++)
    liquid += state[c] == IG_GRAINS_LIQUID;
  const struct {
    const char *key, *unit;
    double value;
  } row[] = {{"grains", "", (double)m->grains},
             {"solidified_volume", "m^3", (double)m->cells * cell * cell * cell},
             {"liquid_fraction", "", (double)liquid / (double)r->view.cells},
             {"grain_area_mean", "m^2", cell * cell * (double)cells / (double)sections},
             {"aspect_ratio_mean", "", m->aspect},
             {"nucleated_grains", "", (double)m->nucleated_grains},
             {"nucleated_fraction", "", (double)m->nucleated_cells / (double)m->cells},
             {"misorientation_mean", "rad", m->tilt},
             {"undercooling_mean", "K", front_undercooling(r)},
             {"time_step", "s", r->dt}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (isfinite(row[i].value))
      IG_TRY(to->result(to, row[i].key, row[i].unit, row[i].value));
  if (liquid > 0 && isnan(r->c->duration))
    ig_warn_at(
        r->cx, &r->c->at,
        "%lld of %lld cells are still liquid at %.4g s: no grain has reached them; give more "
        "undercooling or a longer duration",
        (long long)liquid, (long long)r->view.cells, ig_grains_time(r));
  return IG_OK;
}

static ig_status files(ig_grains_run *r, const ig_grains_measure *m, ig_sink *to) {
  IG_TRY(ig_grains_tables(r, m, to));
  IG_TRY(ig_grains_poles(r, m, to));
  IG_TRY(ig_grains_picture(r, to));
  return ig_grains_image(r, to);
}

ig_status ig_grains_results(void *self, ig_sink *to) {
  ig_grains_run *r = self;
  ig_grains_measure m;
  IG_TRY(ig_grains_pull(r));
  ig_status status = ig_grains_measure_make(r, &m);
  if (status == IG_OK)
    status = figures(r, &m, to);
  if (status == IG_OK && !to->no_files)
    status = files(r, &m, to);
  ig_grains_measure_free(&m);
  return status;
}
