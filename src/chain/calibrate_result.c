/* calibration.json. */
#include "chain/calibrate.h"
#include "core/version.h"
#include "io/format/atomic_file.h"
#include "io/format/json.h"

#include <math.h>
#include <stdlib.h>

static void matrix_put(ig_json *json, const char *name, const double *a, int n) {
  ig_json_list(json, name);
  for (int i = 0; i < n; i++) {
    ig_json_list(json, NULL);
    for (int j = 0; j < n; j++)
      ig_json_real(json, NULL, a[i * n + j]);
    ig_json_end(json, ']');
  }
  ig_json_end(json, ']');
}

static void key_put(ig_json *json, const ig_calibrated_key *k) {
  ig_json_object(json, NULL);
  ig_json_text(json, "key", k->key);
  ig_json_real(json, "value", k->value);
  ig_json_real(json, "standard_error", k->deviation);
  ig_json_text(json, "unit", k->unit);
  ig_json_real(json, "start", k->start);
  if (isfinite(k->from))
    ig_json_real(json, "from", k->from);
  if (isfinite(k->to))
    ig_json_real(json, "to", k->to);
  if (isfinite(k->prior)) {
    ig_json_real(json, "prior_mean", k->prior);
    ig_json_real(json, "prior_deviation", k->prior_deviation);
  }
  ig_json_text(json, "state",
               k->bound < 0    ? "at the bound 'from'"
               : k->bound > 0  ? "at the bound 'to'"
               : k->determined ? "determined"
                               : "not determined");
  ig_json_end(json, '}');
}

static void figure_put(ig_json *json, const ig_calibrated_figure *f) {
  ig_json_object(json, NULL);
  if (*f->run)
    ig_json_text(json, "case", f->run);
  ig_json_text(json, "figure", f->figure);
  if (!isnan(f->time))
    ig_json_real(json, "time", f->time);
  ig_json_text(json, "unit", f->unit);
  ig_json_real(json, "measured", f->measured);
  if (isfinite(f->uncertainty))
    ig_json_real(json, "uncertainty", f->uncertainty);
  ig_json_real(json, "at_start", f->at_start);
  ig_json_real(json, "computed", f->computed);
  ig_json_real(json, "residual", f->residual);
  ig_json_end(json, '}');
}

/* Directions by the names of their keys, small entries left out. */
static void directions_put(ig_json *json, const ig_calibration *r) {
  ig_json_list(json, "undetermined");
  for (int d = 0; d < r->undetermined; d++) {
    ig_json_object(json, NULL);
    for (int k = 0; k < r->keys; k++)
      if (fabs(r->direction[d * r->keys + k]) >= 1e-3)
        ig_json_real(json, r->key[k].key, r->direction[d * r->keys + k]);
    ig_json_end(json, '}');
  }
  ig_json_end(json, ']');
}

ig_status ig_cal_store(const ig_cal *c, const ig_calibration *r) {
  ig_json json = {0};
  IG_TRY(ig_folder_make(c->cx, c->o->out));
  ig_json_object(&json, NULL);
  ig_json_text(&json, "ingot", ig_version());
  ig_json_text(&json, "commit", ig_commit());
  ig_json_text(&json, "calibration", r->file);
  ig_json_text(&json, "title", r->title);
  ig_json_text(&json, "status", r->status);
  ig_json_text(&json, "reason", r->reason);
  ig_json_list(&json, "keys");
  for (int k = 0; k < r->keys; k++)
    key_put(&json, &r->key[k]);
  ig_json_end(&json, ']');
  ig_json_list(&json, "figures");
  for (int i = 0; i < r->figures; i++)
    figure_put(&json, &r->figure[i]);
  ig_json_end(&json, ']');
  matrix_put(&json, "covariance", r->covariance, r->keys);
  matrix_put(&json, "correlation", r->correlation, r->keys);
  directions_put(&json, r);
  ig_json_real(&json, "sum_of_squares", r->sum);
  ig_json_int(&json, "degrees_of_freedom", r->freedom);
  ig_json_text(&json, "errors_from", r->from_residuals ? "residuals" : "uncertainties");
  ig_json_real(&json, "noise", r->noise);
  ig_json_int(&json, "iterations", r->iterations);
  ig_json_int(&json, "runs", r->runs);
  ig_json_int(&json, "runs_failed", r->failed);
  ig_json_int(&json, "runs_kept", r->kept);
  ig_json_end(&json, '}');
  const ig_status status = ig_store_text(c->cx, c->o->out, "calibration.json", &json.text);
  free(json.text.at);
  return status;
}
