/* What a run leaves behind: energies and crack growth as rows, the opened mesh as snapshots, the
   pieces as a table, and a checkpoint to go on from. */
#include "core/schedule.h"
#include "fracture/fracture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Node of cohesive element c at place j of its lower facet: its own side, or the one across. */
static int32_t coh_node(const ig_frac_model *m, const int32_t *conn, const int32_t *coh,
                        const uint8_t *turn, int64_t c, int j, bool upper) {
  const int64_t ne = m->s.ne, nf = m->shape.faces, facet = coh[2 * c + upper];
  const int k = upper ? ig_frac_across(m->kind, turn[c], j) : j;
  return conn[ig_frac_face_node(m->kind, (int)(facet % nf), k) * ne + facet / nf];
}

static int32_t root(int32_t *up, int32_t n) {
  while (up[n] != n)
    n = up[n] = up[up[n]];
  return n;
}

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
  void *conn, *coh, *turn, *x, *origin, *unused;
  IG_TRY(ig_frac_model_pull(m, "conn", &conn));
  IG_TRY(ig_frac_model_pull(m, "coh", &coh));
  IG_TRY(ig_frac_model_pull(m, "turn", &turn));
  IG_TRY(ig_frac_model_pull(m, "x", &x));
  IG_TRY(ig_frac_model_pull(m, "origin", &origin));
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
        at[j] = ((int32_t *)origin)[coh_node(m, conn, coh, turn, c, j, false)];
        if (pass == 0)
          up[root(up, at[j])] = root(up, at[0]);
      }
      if (pass == 0 && near(m, x, at, track->tip))
        up[root(up, at[0])] = root(up, tip);
      if (pass == 0 || root(up, at[0]) != root(up, tip))
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

void ig_frac_track_notch(ig_frac_track *k, const ig_frac_crack_case *notch, double end) {
  k->gap = end / (20 * IG_FRAC_WINDOW);
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

ig_status ig_frac_history(ig_job *job, ig_frac_model *m, ig_frac_track *k) {
  double *f = k->figures;
  IG_TRY(ig_frac_model_figures(m, f));
  const double t = (double)m->count.step * m->s.dt;
  if (f[IG_FRAC_FAILED] != k->length)
    IG_TRY(extension_find(m, k));
  const int oldest = k->samples % IG_FRAC_WINDOW;
  if (k->samples >= IG_FRAC_WINDOW && t > k->past_time[oldest])
    k->speed = (k->extension - k->past_extension[oldest]) / (t - k->past_time[oldest]);
  if (!k->samples || t - k->last_time >= k->gap) {
    k->past_time[oldest] = k->last_time = t;
    k->past_extension[oldest] = k->extension;
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
  k->worst_error = fmax(k->worst_error, fmax(fabs(total - k->energy0), f[IG_FRAC_RETURNED]));
  const double drift = k->scale > 0 ? (total - k->energy0) / k->scale : 0;
  if (!(total < INFINITY && total > -INFINITY) || (k->scale > 0 && k->worst_error > k->scale))
    return IG_FAIL(job->cx, IG_NUMERIC,
                   "the run blew up before t = %.4g s: take a smaller step (time_step, safety)", t);
  const bool grown = f[IG_FRAC_FAILED] != k->length;
  k->length = f[IG_FRAC_FAILED];
  if (!job->sink)
    return IG_OK;
  if (grown || !k->pieces) {
    ig_frac_pieces pieces = {0};
    IG_TRY(ig_frac_pieces_find(m, &pieces));
    k->pieces = pieces.count;
    ig_frac_pieces_free(&pieces);
  }
  const bool space = m->shape.dim == 3;
  const char *const names[] = {"time [s]",
                               "step",
                               "kinetic [J]",
                               "strain [J]",
                               "external_work [J]",
                               "dissipated [J]",
                               "recoverable [J]",
                               "contact [J]",
                               "drift",
                               "cohesive",
                               "nodes",
                               space ? "opened [m^2]" : "opened [m]",
                               space ? "crack_area [m^2]" : "crack_length [m]",
                               "extension [m]",
                               "tip_x [m]",
                               "tip_y [m]",
                               "tip_z [m]",
                               "tip_speed [m/s]",
                               "pieces"};
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
  return job->sink->history(job->sink, (int)(sizeof row / sizeof *row), names, row);
}

/* ---- snapshots
 * ----------------------------------------------------------------------------------- */

const char ig_frac_fields[] = "displacement|velocity|stress|principal_stress|energy_density|damage|"
                              "opening|traction|block|fragment";

static void cells_fill(const ig_frac_model *m, ig_snapshot *s, const int32_t *conn,
                       const int32_t *coh, const uint8_t *turn) {
  static const uint8_t bulk[4] = {5, 22, 10, 24};
  const int64_t ne = m->s.ne;
  const int nn = m->shape.nodes, dim = m->shape.dim;
  int64_t at = 0, cell = 0;
  for (int64_t e = 0; e < ne; e++) {
    s->offset[cell] = at;
    s->type[cell++] = bulk[m->kind];
    for (int a = 0; a < nn; a++)
      s->corner[at++] = conn[a * ne + e];
  }
  for (int64_t c = 0; c < m->count.cohesive; c++) { /* quadrilaterals, wedges */
    s->offset[cell] = at;
    s->type[cell++] = dim == 2 ? 9 : 13;
    for (int j = 0; j < dim; j++)
      s->corner[at++] = coh_node(m, conn, coh, turn, c, j, false);
    for (int j = 0; j < dim; j++)
      s->corner[at++] = coh_node(m, conn, coh, turn, c, dim == 2 ? 1 - j : j, true);
  }
  s->offset[cell] = at;
}

/* Stress fields of the bulk; cohesive cells hold zeros. */
static ig_status stress_fields(const ig_job *job, ig_frac_model *m, ig_snapshot *s) {
  const int64_t ne = m->s.ne;
  const int nst = m->shape.stresses, dim = m->shape.dim;
  const int corners = m->shape.nodes > m->shape.corners ? m->shape.corners : 1;
  void *se, *out[3] = {0};
  IG_TRY(ig_frac_model_pull(m, "se", &se));
  const uint8_t *mat = ig_frac_model_host(m, "mat");
  static const char *const names[3] = {"stress", "principal_stress", "energy_density"};
  static const char *const units[3] = {"Pa", "Pa", "J/m^3"};
  for (int i = 0; i < 3; i++)
    if (ig_output_wants(job->output, names[i])) {
      IG_TRY(ig_snapshot_add(s, names[i], units[i], IG_AT_CELLS, IG_F32, i == 0 ? 6 : 1, NULL,
                             &out[i]));
      memset(out[i], 0, (size_t)s->cells * (i == 0 ? 6 : 1) * sizeof(float));
    }
  for (int64_t e = 0; e < ne; e++) {
    double t[6] = {0}, sig[6] = {0};
    for (int k = 0; k < corners; k++)
      for (int c = 0; c < nst; c++)
        t[c] += ig_frac_model_real(m, se, (e * corners + k) * nst + c) / corners;
    static const int place[3] = {0, 1, 3};
    for (int c = 0; c < nst; c++)
      sig[dim == 2 ? place[c] : c] = t[c];
    for (int c = 0; out[0] && c < 6; c++)
      ((float *)out[0])[6 * e + c] = (float)sig[c];
    const ig_frac_elastic *el = &m->s.elastic[mat[e]];
    const double trace = sig[0] + sig[1] + sig[2];
    double first, density = 0;
    if (dim == 2) {
      first = 0.5 * (sig[0] + sig[1]) +
              sqrt(0.25 * (sig[0] - sig[1]) * (sig[0] - sig[1]) + sig[3] * sig[3]);
    } else { /* Newton from above on the characteristic polynomial */
      const double i2 = sig[0] * sig[1] + sig[1] * sig[2] + sig[2] * sig[0] - sig[3] * sig[3] -
                        sig[4] * sig[4] - sig[5] * sig[5];
      const double i3 = sig[0] * sig[1] * sig[2] + 2 * sig[3] * sig[4] * sig[5] -
                        sig[0] * sig[4] * sig[4] - sig[1] * sig[5] * sig[5] -
                        sig[2] * sig[3] * sig[3];
      const double spread = sqrt(fmax(0, trace * trace - 3 * i2));
      first = trace / 3 + 2 * spread / 3;
      for (int it = 0; it < 40; it++) {
        const double p = ((first - trace) * first + i2) * first - i3;
        const double dp = (3 * first - 2 * trace) * first + i2;
        if (!(dp > 0) || fabs(p) <= 1e-12 * fabs(dp) * spread)
          break;
        first -= p / dp;
      }
    }
    for (int d = 0; d < 3; d++) {
      const double strain = d < dim ? (sig[d] - el->c12 / (el->c11 + (dim - 1) * el->c12) * trace) /
                                          (el->c11 - el->c12)
                                    : 0;
      density += 0.5 * sig[d] * strain + 0.5 * sig[3 + d] * sig[3 + d] / el->mu;
    }
    if (out[1])
      ((float *)out[1])[e] = (float)first;
    if (out[2])
      ((float *)out[2])[e] = (float)density;
  }
  return IG_OK;
}

/* Opening, traction and damage of cohesive cells: means over their points, normal and tangential.
 */
static ig_status cohesive_fields(const ig_job *job, ig_frac_model *m, ig_snapshot *s) {
  const int64_t ne = m->s.ne;
  const int dim = m->shape.dim, np = m->shape.points;
  const void *cs = ig_frac_model_host(m, "cs");
  void *out[4] = {0};
  static const char *const names[4] = {"damage", "opening", "traction", "block"};
  static const char *const units[4] = {"", "m", "Pa", ""};
  for (int i = 0; i < 4; i++)
    if (ig_output_wants(job->output, names[i])) {
      const int width = i == 1 || i == 2 ? 2 : 1;
      IG_TRY(ig_snapshot_add(s, names[i], units[i], IG_AT_CELLS, i == 3 ? IG_U8 : IG_F32, width,
                             NULL, &out[i]));
      memset(out[i], 0, (size_t)(s->cells * width) * (i == 3 ? 1 : sizeof(float)));
    }
  for (int64_t c = 0; c < m->count.cohesive; c++) {
    double mean[2][2] = {{0}};
    for (int p = 0; p < np; p++)
      for (int what = 0; what < 2; what++) {
        const int64_t at = (c * np + p) * m->shape.state + what * dim;
        double t = 0;
        for (int d = 1; d < dim; d++)
          t += ig_frac_model_real(m, cs, at + d) * ig_frac_model_real(m, cs, at + d);
        mean[what][0] += ig_frac_model_real(m, cs, at) / np;
        mean[what][1] += sqrt(t) / np;
      }
    if (out[0])
      ((float *)out[0])[ne + c] = (float)fmin(1, ig_frac_model_damage(m, c));
    for (int what = 0; what < 2; what++)
      for (int i = 0; out[1 + what] && i < 2; i++)
        ((float *)out[1 + what])[2 * (ne + c) + i] = (float)mean[what][i];
    if (out[3])
      ((uint8_t *)out[3])[ne + c] = 1;
  }
  return IG_OK;
}

static ig_status point_field(const ig_job *job, ig_frac_model *m, ig_snapshot *s, const char *name,
                             const char *unit, const void *from) {
  void *out;
  if (!ig_output_wants(job->output, name))
    return IG_OK;
  IG_TRY(ig_snapshot_add(s, name, unit, IG_AT_POINTS, IG_F32, 3, NULL, &out));
  for (int64_t n = 0; n < m->count.nodes; n++)
    for (int d = 0; d < 3; d++)
      ((float *)out)[3 * n + d] =
          d < m->shape.dim ? (float)ig_frac_model_real(m, from, n * m->shape.dim + d) : 0;
  return IG_OK;
}

static ig_status snapshot_fill(ig_job *job, ig_frac_model *m, ig_snapshot *s,
                               const ig_frac_pieces *pieces) {
  void *conn, *turn, *x, *u, *v, *of;
  IG_TRY(ig_frac_model_pull(m, "conn", &conn));
  IG_TRY(ig_frac_model_pull(m, "turn", &turn));
  IG_TRY(ig_frac_model_pull(m, "x", &x));
  IG_TRY(ig_frac_model_pull(m, "u", &u));
  IG_TRY(ig_frac_model_pull(m, "v", &v));
  for (int64_t n = 0; n < m->count.nodes; n++)
    for (int d = 0; d < 3; d++) {
      const int64_t at = n * m->shape.dim + d;
      s->point[3 * n + d] = d < m->shape.dim ? ig_frac_model_real(m, x, at) : 0;
    }
  cells_fill(m, s, conn, ig_frac_model_host(m, "coh"), turn);
  IG_TRY(point_field(job, m, s, "displacement", "m", u));
  IG_TRY(point_field(job, m, s, "velocity", "m/s", v));
  IG_TRY(stress_fields(job, m, s));
  IG_TRY(cohesive_fields(job, m, s));
  if (!ig_output_wants(job->output, "fragment"))
    return IG_OK;
  IG_TRY(ig_snapshot_add(s, "fragment", "", IG_AT_CELLS, IG_I32, 1, NULL, &of));
  memcpy(of, pieces->of, (size_t)m->s.ne * sizeof(int32_t));
  for (int64_t i = m->s.ne; i < s->cells; i++)
    ((int32_t *)of)[i] = -1;
  return IG_OK;
}

ig_status ig_frac_snapshot(ig_job *job, ig_frac_model *m) {
  if (!job->sink)
    return IG_OK;
  const int64_t cells = (int64_t)m->s.ne + m->count.cohesive;
  const int64_t corners =
      (int64_t)m->s.ne * m->shape.nodes + (int64_t)m->count.cohesive * 2 * m->shape.dim;
  IG_TRY(ig_frac_model_stress(m));
  ig_frac_pieces pieces = {0};
  IG_TRY(ig_frac_pieces_find(m, &pieces));
  ig_snapshot *s;
  ig_status status = ig_snapshot_new(job->cx, m->count.nodes, cells, corners,
                                     (double)m->count.step * m->s.dt, m->count.step, &s);
  if (status == IG_OK) {
    status = snapshot_fill(job, m, s, &pieces);
    if (status == IG_OK)
      status = job->sink->snapshot(job->sink, s);
    else
      ig_snapshot_free(s);
  }
  ig_frac_pieces_free(&pieces);
  return status;
}

/* ---- results
 * ------------------------------------------------------------------------------------- */

/* Mass, centre and velocity of each piece, largest number of elements first in the file's order. */
static ig_status pieces_table(ig_job *job, ig_frac_model *m, const ig_frac_pieces *p) {
  const int dim = m->shape.dim, nn = m->shape.nodes, nc = m->shape.corners;
  const int64_t ne = m->s.ne;
  enum { MASS, X, V = X + 3, ELEMENTS = V + 3, WIDTH };
  double *sum;
  IG_TRY(IG_NEW(job->cx, &sum, (int64_t)p->count * WIDTH, "pieces"));
  const int32_t *conn = ig_frac_model_host(m, "conn");
  const void *x = ig_frac_model_host(m, "x"), *u = ig_frac_model_host(m, "u"),
             *v = ig_frac_model_host(m, "v");
  const uint8_t *mat = ig_frac_model_host(m, "mat");
  for (int64_t e = 0; e < ne; e++) {
    double c[4][3] = {{0}}, edge[3][3] = {{0}}, size;
    for (int a = 0; a < nc; a++)
      for (int d = 0; d < dim; d++)
        c[a][d] = ig_frac_model_real(m, x, (int64_t)conn[a * ne + e] * dim + d);
    for (int i = 0; i < dim; i++)
      for (int d = 0; d < dim; d++)
        edge[i][d] = c[i + 1][d] - c[0][d];
    if (dim == 2)
      size = 0.5 * m->s.thickness * (edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]);
    else
      size = (edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
              edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
              edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0])) /
             6;
    const double mass = size * m->s.elastic[mat[e]].rho;
    double *to = sum + (int64_t)p->of[e] * WIDTH;
    to[MASS] += mass;
    to[ELEMENTS]++;
    for (int a = 0; a < nn; a++) {
      const double share = nn == nc   ? 1.0 / nc
                           : dim == 2 ? (a < nc ? 1 / 19.0 : 16 / 57.0)
                                      : (a < nc ? 1 / 36.0 : 4 / 27.0);
      for (int d = 0; d < dim; d++) {
        const int64_t at = (int64_t)conn[a * ne + e] * dim + d;
        to[X + d] += share * mass * (ig_frac_model_real(m, x, at) + ig_frac_model_real(m, u, at));
        to[V + d] += share * mass * ig_frac_model_real(m, v, at);
      }
    }
  }
  const size_t room = 64 + (size_t)p->count * 200;
  char *text = malloc(room);
  ig_status status = text ? IG_OK : IG_FAIL(job->cx, IG_MEMORY, "no memory for the pieces' table");
  if (text) {
    size_t at = (size_t)snprintf(text, room,
                                 "fragment,elements,mass [kg],x [m],y [m],z [m],"
                                 "vx [m/s],vy [m/s],vz [m/s]\n");
    for (int32_t i = 0; i < p->count && at < room; i++) {
      const double *f = sum + (int64_t)i * WIDTH, w = f[MASS];
      at += (size_t)snprintf(text + at, room - at,
                             "%" PRId32 ",%.0f,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", i,
                             f[ELEMENTS], w, f[X] / w, f[X + 1] / w, f[X + 2] / w, f[V] / w,
                             f[V + 1] / w, f[V + 2] / w);
    }
    status = job->sink->file(job->sink, "fragments.csv", text, at < room ? at : room);
  }
  free(text);
  free(sum);
  return status;
}

ig_status ig_frac_results(ig_job *job, ig_frac_model *m, ig_frac_track *k) {
  ig_frac_pieces pieces = {0};
  IG_TRY(ig_frac_pieces_find(m, &pieces));
  k->pieces = pieces.count;
  const double drift = ig_frac_track_drift(k);
  if (drift > 0.01)
    ig_warn(job->cx, "the energy balance is off by up to %.2g %%: take a smaller step",
            100 * drift);
  ig_status status = IG_OK;
  if (job->sink) {
    const double *f = k->figures;
    const struct {
      const char *key, *unit;
      double value;
    } rows[] = {
        {"time_step", "s", m->s.dt},
        {"cohesive_elements", "", m->count.cohesive},
        {"initial_nodes", "", m->nodes_start},
        {"nodes", "", m->count.nodes},
        {"fragments", "", pieces.count},
        {m->shape.dim == 3 ? "crack_area" : "crack_length", m->shape.dim == 3 ? "m^2" : "m",
         f[IG_FRAC_FAILED]},
        {m->shape.dim == 3 ? "opened_area" : "opened_length", m->shape.dim == 3 ? "m^2" : "m",
         f[IG_FRAC_OPENED]},
        {"crack_extension", "m", k->extension},
        {"crack_angle", "deg", ig_frac_track_angle(k)},
        {"top_tip_speed", "m/s", k->top_speed},
        {"kinetic_energy", "J", f[IG_FRAC_KINETIC]},
        {"strain_energy", "J", f[IG_FRAC_STRAIN]},
        {"external_work", "J", f[IG_FRAC_EXTERNAL]},
        {"dissipated_energy", "J",
         f[IG_FRAC_COHESIVE_WORK] - f[IG_FRAC_RECOVERABLE] - f[IG_FRAC_CONTACT]},
        {"recoverable_cohesive_energy", "J", f[IG_FRAC_RECOVERABLE]},
        {"contact_energy", "J", f[IG_FRAC_CONTACT]},
        {"energy_drift", "", drift},
    };
    for (size_t i = 0; status == IG_OK && i < sizeof rows / sizeof *rows; i++)
      status = job->sink->result(job->sink, rows[i].key, rows[i].unit, rows[i].value);
    static const char *const need[] = {"conn", "x", "u", "v"};
    void *unused;
    for (size_t i = 0; status == IG_OK && i < sizeof need / sizeof *need; i++)
      status = ig_frac_model_pull(m, need[i], &unused);
    if (status == IG_OK)
      status = pieces_table(job, m, &pieces);
  }
  ig_frac_pieces_free(&pieces);
  return status;
}

/* ---- checkpoints
 * --------------------------------------------------------------------------------- */

static size_t saved_rows(const ig_frac_model *m, const ig_frac_table *t) {
  return t->per == IG_FRAC_PER_NODE       ? (size_t)m->count.nodes
         : t->per == IG_FRAC_PER_COHESIVE ? (size_t)m->count.cohesive
         : t->width                       ? t->a.count / (size_t)t->width
                                          : 0;
}

/* Taken between steps; raw bytes of the tables up to what is in use. */
ig_status ig_frac_save(ig_job *job, ig_frac_model *m, const ig_frac_track *track) {
  if (!job->sink)
    return IG_OK;
  ig_saved saved[IG_FRAC_TABLES + 2];
  int n = 0;
  ig_frac_track copy = *track;
  saved[n++] = (ig_saved){"count", IG_U8, sizeof m->count, &m->count};
  saved[n++] = (ig_saved){"track", IG_U8, sizeof copy, &copy};
  for (int i = 0; i < m->tables; i++) {
    ig_frac_table *t = &m->table[i];
    const size_t bytes = saved_rows(m, t) * (size_t)t->width * t->a.size;
    if (!t->saved || !bytes)
      continue;
    void *host;
    IG_TRY(ig_frac_model_pull(m, t->name, &host));
    saved[n++] = (ig_saved){t->name, IG_U8, (int64_t)bytes, host};
  }
  return job->sink->checkpoint(job->sink, (double)m->count.step * m->s.dt, m->count.step, saved, n);
}

ig_status ig_frac_restore(ig_job *job, ig_frac_model *m, ig_frac_track *track) {
  const void *data;
  IG_TRY(ig_restart_find(job->cx, job->restart, "track", IG_U8, sizeof *track, &data));
  memcpy(track, data, sizeof *track);
  IG_TRY(ig_restart_find(job->cx, job->restart, "count", IG_U8, sizeof(ig_frac_count), &data));
  ig_frac_count count;
  memcpy(&count, data, sizeof count);
  const int64_t most = (int64_t)m->s.ne * m->shape.nodes;
  if (count.nodes < 1 || count.nodes > most || count.cohesive < 0 || count.cohesive > m->facets ||
      count.step < 0)
    return IG_FAIL(job->cx, IG_INPUT, "the checkpoint does not belong to this mesh");
  IG_TRY(ig_frac_model_resume(m, &count));
  for (int i = 0; i < m->tables; i++) {
    ig_frac_table *t = &m->table[i];
    const size_t bytes = saved_rows(m, t) * (size_t)t->width * t->a.size;
    if (!t->saved || !bytes)
      continue;
    IG_TRY(ig_restart_find(job->cx, job->restart, t->name, IG_U8, (int64_t)bytes, &data));
    IG_TRY(job->cx->backend->copy_in(job->cx, t->a.dev, data, bytes));
  }
  return IG_OK;
}
