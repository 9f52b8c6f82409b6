/* A run as it goes: energies and their balance, how far the crack has come, a row of the history.

   ig_frac_history is called for each row. Energies come with every row; tips and pieces need a
   look at the whole mesh and are sampled IG_FRAC_WINDOW times per window, when the crack has
   grown. */
#include "fracture/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double or_zero(double x) {
  return isnan(x) ? 0 : x;
}
/* Coordinates left out (plane meshes) are 0. */
static ig_status tip_add(ig_frac_track *k, ig_job *job, const ig_src *at, const double start[3],
                         const double way[3], const double deep[3]) {
  if (k->tips == IG_FRAC_TIPS)
    return ig_fail_at(job->cx, at, "more than %d crack tips to follow", IG_FRAC_TIPS);
  ig_frac_tip *tip = &k->tip[k->tips++];
  const double length = sqrt(deep[0] * deep[0] + deep[1] * deep[1] + deep[2] * deep[2]);
  for (int d = 0; d < 3; d++) {
    tip->depth[d] = length > 0 ? deep[d] / length : 0;
    tip->start[d] = tip->at[d] = or_zero(start[d]);
    tip->way[d] = or_zero(way[d]);
  }
  return IG_OK;
}

/* gap: time between samples, a sixteenth of the window. */
ig_status ig_frac_track_start(ig_frac_track *k, ig_job *job, const ig_frac_model *m, double end) {
  const ig_frac_case *c = job->room_case;
  *k = (ig_frac_track){.end = end,
                       .gap = c->tip_window > 0 ? c->tip_window / IG_FRAC_WINDOW
                                                : end / (10 * IG_FRAC_WINDOW)};
  for (int i = 0; i < c->cracks.count; i++) {
    const ig_frac_crack_case *notch = IG_ITEM(const ig_frac_crack_case, c->cracks, i);
    double way[3], back[3];
    for (int d = 0; d < 3; d++) {
      way[d] = or_zero(notch->to[d]) - or_zero(notch->from[d]);
      back[d] = -way[d];
    }
    IG_TRY(tip_add(k, job, &notch->at, notch->to, way, notch->depth));
    if (i < 64 && (m->inner_from >> i & 1))
      IG_TRY(tip_add(k, job, &notch->at, notch->from, back, notch->depth));
  }
  for (int i = 0; i < c->tips.count; i++) {
    const ig_frac_tip_case *t = IG_ITEM(const ig_frac_tip_case, c->tips, i);
    IG_TRY(tip_add(k, job, &t->at, t->point, t->direction, t->depth));
  }
  return IG_OK;
}

/* Between the notch's direction and the line from its tip to the farthest point reached. */
double ig_frac_tip_angle(const ig_frac_tip *tip) {
  double dot = 0, a = 0, b = 0;
  for (int d = 0; d < 3; d++) {
    const double r = tip->at[d] - tip->start[d];
    dot += r * tip->way[d];
    a += r * r;
    b += tip->way[d] * tip->way[d];
  }
  return a > 0 && b > 0 ? acos(fmax(-1, fmin(1, dot / sqrt(a * b)))) * (180 / 3.14159265358979) : 0;
}

/* Largest error so far over the largest energy or work. */
double ig_frac_track_drift(const ig_frac_track *k) {
  return k->scale > 0 ? k->worst_error / k->scale : 0;
}

/* What the case leaves out and the run turns out to need.
   Each warning comes once per run. 0.05: a node inside another element by this barycentric
   coordinate is no rounding. */
static ig_status warnings(ig_job *job, ig_frac_model *m, ig_frac_track *k, double t, bool sample) {
  const ig_frac_case *c = job->room_case;
  if (k->figures[IG_FRAC_TURNED] > 0 && !k->said_turned) {
    k->said_turned = true;
    ig_warn_at(
        job->cx, &c->at,
        "at %.4g s pieces have turned so far that this alone is a stress beyond the strength "
        "where strains are small: `rotation: finite` lets them turn freely",
        t);
  }
  if (!sample || m->s.surface.on || k->said_overlap || k->pieces < 2)
    return IG_OK;
  double deepest;
  IG_TRY(ig_frac_surface_watch(m, &deepest));
  if (deepest > 0.05) {
    k->said_overlap = true;
    ig_warn_at(job->cx, &c->at,
               "at %.4g s bodies or fragments pass through each other: `surface_contact: true` "
               "keeps them apart",
               t);
  }
  return IG_OK;
}

/* A row: energies and counts, then the tips (a case without any has the columns of one), then
   probes. */
enum { ALWAYS = 14, PER_TIP = 5 };
/* Columns are the same in every row of a run; names are valid until the sink returns. */
static ig_status row_fill(ig_frac_model *m, const ig_frac_track *k, double t, double drift,
                          const char **names, double *row, ig_sink *to) {
  const double *f = k->figures;
  const ig_frac_count *count = ig_frac_counts(m);
  const bool space = m->shape.dim == 3;
  const int tips = k->tips ? k->tips : 1;
  static const char *const each[PER_TIP] = {"crack_extension", "tip_x", "tip_y", "tip_z",
                                            "tip_speed"};
  const char *const fixed[ALWAYS - 1] = {
      "time [s]",
      "step",
      "kinetic [J]",
      "strain [J]",
      "external [J]",
      "dissipated [J]",
      "recoverable [J]",
      "contact [J]",
      "error",
      "cohesive_elements",
      "nodes",
      space ? "opened [m^2]" : "opened [m]",
      space ? "crack_area [m^2]" : "crack_length [m]",
  };
  const double value[ALWAYS - 1] = {t,
                                    (double)count->step,
                                    f[IG_FRAC_KINETIC],
                                    f[IG_FRAC_STRAIN],
                                    f[IG_FRAC_EXTERNAL],
                                    f[IG_FRAC_COHESIVE_WORK] - f[IG_FRAC_RECOVERABLE] -
                                        f[IG_FRAC_CONTACT],
                                    f[IG_FRAC_RECOVERABLE],
                                    f[IG_FRAC_CONTACT],
                                    drift,
                                    count->cohesive,
                                    count->nodes,
                                    f[IG_FRAC_OPENED],
                                    f[IG_FRAC_FAILED]};
  memcpy(names, fixed, sizeof fixed);
  memcpy(row, value, sizeof value);
  char text[PER_TIP * IG_FRAC_TIPS][40];
  int n = ALWAYS - 1;
  for (int i = 0; i < tips; i++) {
    const ig_frac_tip *p = &k->tip[i];
    const double now[PER_TIP] = {p->extension, p->at[0], p->at[1], p->at[2], p->speed};
    for (int j = 0; j < PER_TIP; j++, n++) {
      char *name = text[i * PER_TIP + j], number[16] = "";
      if (i)
        snprintf(number, sizeof number, "_%d", i + 1);
      snprintf(name, sizeof text[0], "%s%s [%s]", each[j], number, j == 4 ? "m/s" : "m");
      names[n] = name;
      row[n] = now[j];
    }
  }
  names[n] = "fragments";
  row[n++] = k->pieces;
  IG_TRY(ig_frac_probes_read(m, names + n, row + n));
  return to->history(to, n + ig_frac_probes_count(m), names, row);
}
static ig_status row_write(ig_frac_model *m, const ig_frac_track *k, double t, double drift,
                           ig_sink *to) {
  const int most = ALWAYS + PER_TIP * IG_FRAC_TIPS + ig_frac_probes_count(m);
  const char **names = NULL;
  double *row = NULL;
  ig_status status = IG_NEW(m->cx, &names, most, "history");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &row, most, "history");
  if (status == IG_OK)
    status = row_fill(m, k, t, drift, names, row, to);
  free((void *)names);
  free(row);
  return status;
}

/* Speed: change of the extension over the window, by a ring of samples. A worst error beyond the
   scale itself means an unstable run, which is ended. */
ig_status ig_frac_history(ig_job *job, ig_frac_model *m, ig_frac_track *k, ig_sink *to) {
  double *f = k->figures;
  IG_TRY(ig_frac_model_figures(m, f));
  const double t = (double)m->count.step * m->s.dt;
  const bool sample = !k->samples || t - k->last_time >= k->gap || t >= (1 - 1e-9) * k->end;
  const bool grown = sample && f[IG_FRAC_FAILED] != k->length;
  if (grown)
    IG_TRY(ig_frac_tips_follow(m, k));
  if (sample) {
    const int oldest = k->samples % IG_FRAC_WINDOW;
    for (int i = 0; i < k->tips; i++) {
      ig_frac_tip *tip = &k->tip[i];
      if (k->samples >= IG_FRAC_WINDOW && t > k->past_time[oldest])
        tip->speed = (tip->extension - tip->past_extension[oldest]) / (t - k->past_time[oldest]);
      tip->past_extension[oldest] = tip->extension;
      k->top_speed = fmax(k->top_speed, tip->speed);
    }
    k->past_time[oldest] = k->last_time = t;
    k->length = f[IG_FRAC_FAILED];
    k->samples++;
  }
  const double total =
      f[IG_FRAC_KINETIC] + f[IG_FRAC_STRAIN] + f[IG_FRAC_COHESIVE_WORK] - f[IG_FRAC_EXTERNAL];
  if (!k->started)
    k->energy0 = total;
  k->started = true;
  /* what there was and what was done; what cohesive elements gave out of nothing counts as well */
  k->scale = fmax(k->scale, fmax(fabs(k->energy0), fabs(f[IG_FRAC_EXTERNAL])));
  k->worst_error = fmax(k->worst_error, fmax(fabs(total - k->energy0),
                                             f[IG_FRAC_RETURNED] + fmax(0, -f[IG_FRAC_SURFACE])));
  const double drift = k->scale > 0 ? (total - k->energy0) / k->scale : 0;
  if (!(total < INFINITY && total > -INFINITY) || (k->scale > 0 && k->worst_error > k->scale))
    return IG_FAIL(job->cx, IG_NUMERIC,
                   "the run blew up before t = %.4g s: take a smaller step (time_step, safety)", t);
  if (!to)
    return IG_OK;
  if (grown || !k->pieces) {
    ig_frac_pieces pieces = {0};
    IG_TRY(ig_frac_pieces_find(m, &pieces));
    k->pieces = pieces.count;
    ig_frac_pieces_free(&pieces);
  }
  IG_TRY(warnings(job, m, k, t, sample));
  return row_write(m, k, t, drift, to);
}
