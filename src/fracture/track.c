/* A run as it goes: energies and their balance, how far the crack has come, a row of the history.
 */
#include "fracture/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether a facet is within two of its own lengths of a point. */
static bool near(const ig_frac_model *m, const void *x, const int32_t *at, const double *point) {
  const int dim = m->shape.dim;
  double far = 0, length = 0;
  for (int d = 0; d < dim; d++) {
    const double a = ig_frac_model_real(m, x, (int64_t)at[0] * dim + d);
    const double b = ig_frac_model_real(m, x, (int64_t)at[1] * dim + d);
    far += (a - point[d]) * (a - point[d]);
    length += (a - b) * (a - b);
  }
  return far <= 4 * length;
}

/* How far the crack has come from its notch's tip: the farthest facet without traction that hangs
   together with the tip through facets that part. Nodes count as one with those they were split
   from. */
static ig_status extension_find(ig_frac_model *m, ig_frac_track *track) {
  if (!track->has_tip || !m->count.cohesive)
    return IG_OK;
  void *conn, *coh, *turn, *x, *node, *unused;
  IG_TRY(ig_frac_model_pull(m, "conn", &conn));
  IG_TRY(ig_frac_model_pull(m, "coh", &coh));
  IG_TRY(ig_frac_model_pull(m, "turn", &turn));
  IG_TRY(ig_frac_model_pull(m, "x", &x));
  IG_TRY(ig_frac_model_pull(m, "node", &node));
  IG_TRY(ig_frac_model_pull(m, "cs", &unused));
  IG_TRY(ig_frac_model_pull(m, "cw", &unused));
  const int dim = m->shape.dim;
  int32_t *up;
  IG_TRY(IG_NEW(m->cx, &up, m->nodes_start, "crack"));
  int32_t tip = 0;
  double nearest = INFINITY;
  for (int32_t n = 0; n < m->nodes_start; n++) {
    double far = 0;
    for (int d = 0; d < dim; d++) {
      const double r = ig_frac_model_real(m, x, (int64_t)n * dim + d) - track->tip[d];
      far += r * r;
    }
    up[n] = n;
    if (far < nearest)
      nearest = far, tip = n;
  }
  for (int pass = 0; pass < 2; pass++)
    for (int64_t c = 0; c < m->count.cohesive; c++) {
      const double damage = ig_frac_model_damage(m, c);
      if (damage < (pass == 0 ? 0.1 : 1)) /* facets that have begun to part link those that have */
        continue;
      int32_t at[3];
      for (int j = 0; j < dim; j++) {
        at[j] =
            ((ig_frac_node *)node)[ig_frac_cohesive_node(m, conn, coh, turn, c, j, false)].origin;
        if (pass == 0)
          up[ig_frac_root(up, at[j])] = ig_frac_root(up, at[0]);
      }
      if (pass == 0 && near(m, x, at, track->tip))
        up[ig_frac_root(up, at[0])] = ig_frac_root(up, tip);
      if (pass == 0 || ig_frac_root(up, at[0]) != ig_frac_root(up, tip))
        continue;
      double far = 0, mid[3] = {0}, deep = 0;
      for (int d = 0; d < dim; d++) {
        for (int j = 0; j < dim; j++)
          mid[d] += ig_frac_model_real(m, x, (int64_t)at[j] * dim + d) / dim;
        deep += (mid[d] - track->tip[d]) * track->depth[d];
      }
      for (int d = 0; d < dim; d++) { /* across the notch's depth */
        mid[d] -= deep * track->depth[d];
        far += (mid[d] - track->tip[d]) * (mid[d] - track->tip[d]);
      }
      if (sqrt(far) > track->extension) {
        track->extension = sqrt(far);
        memcpy(track->at, mid, sizeof mid);
      }
    }
  free(up);
  return IG_OK;
}

void ig_frac_track_start(ig_frac_track *k, const ig_frac_case *c, double end) {
  *k = (ig_frac_track){.end = end, .gap = end / (10 * IG_FRAC_WINDOW)};
  if (!c->cracks.count)
    return;
  const ig_frac_crack_case *notch = IG_ITEM(const ig_frac_crack_case, c->cracks, 0);
  const double *deep = notch->depth;
  const double length = sqrt(deep[0] * deep[0] + deep[1] * deep[1] + deep[2] * deep[2]);
  for (int d = 0; d < 3; d++) {
    k->depth[d] = length > 0 ? deep[d] / length : 0;
    k->tip[d] = k->at[d] = isnan(notch->to[d]) ? 0 : notch->to[d];
    k->way[d] = k->tip[d] - (isnan(notch->from[d]) ? 0 : notch->from[d]);
  }
  k->has_tip = true;
}

double ig_frac_track_angle(const ig_frac_track *k) {
  double dot = 0, a = 0, b = 0;
  for (int d = 0; d < 3; d++) {
    const double r = k->at[d] - k->tip[d];
    dot += r * k->way[d];
    a += r * r;
    b += k->way[d] * k->way[d];
  }
  return a > 0 && b > 0 ? acos(fmax(-1, fmin(1, dot / sqrt(a * b)))) * (180 / 3.14159265358979) : 0;
}

double ig_frac_track_drift(const ig_frac_track *k) {
  return k->scale > 0 ? k->worst_error / k->scale : 0;
}

/* What the case leaves out and the run turns out to need. */
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

ig_status ig_frac_history(ig_job *job, ig_frac_model *m, ig_frac_track *k, ig_sink *to) {
  double *f = k->figures;
  IG_TRY(ig_frac_model_figures(m, f));
  const double t = (double)m->count.step * m->s.dt;
  const bool sample = !k->samples || t - k->last_time >= k->gap || t >= (1 - 1e-9) * k->end;
  const bool grown = sample && f[IG_FRAC_FAILED] != k->length;
  if (grown)
    IG_TRY(extension_find(m, k));
  const int oldest = k->samples % IG_FRAC_WINDOW;
  if (sample) {
    if (k->samples >= IG_FRAC_WINDOW && t > k->past_time[oldest])
      k->speed = (k->extension - k->past_extension[oldest]) / (t - k->past_time[oldest]);
    k->past_time[oldest] = k->last_time = t;
    k->past_extension[oldest] = k->extension;
    k->length = f[IG_FRAC_FAILED];
    k->samples++;
  }
  k->top_speed = fmax(k->top_speed, k->speed);
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
  const bool space = m->shape.dim == 3;
  const char *const names[] = {"time [s]",
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
                               "crack_extension [m]",
                               "tip_x [m]",
                               "tip_y [m]",
                               "tip_z [m]",
                               "tip_speed [m/s]",
                               "fragments"};
  const double row[] = {t,
                        (double)m->count.step,
                        f[IG_FRAC_KINETIC],
                        f[IG_FRAC_STRAIN],
                        f[IG_FRAC_EXTERNAL],
                        f[IG_FRAC_COHESIVE_WORK] - f[IG_FRAC_RECOVERABLE] - f[IG_FRAC_CONTACT],
                        f[IG_FRAC_RECOVERABLE],
                        f[IG_FRAC_CONTACT],
                        drift,
                        m->count.cohesive,
                        m->count.nodes,
                        f[IG_FRAC_OPENED],
                        f[IG_FRAC_FAILED],
                        k->extension,
                        k->at[0],
                        k->at[1],
                        k->at[2],
                        k->speed,
                        k->pieces};
  return to->history(to, (int)(sizeof row / sizeof *row), names, row);
}
