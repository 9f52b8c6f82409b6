/* What a run leaves behind: the opened mesh as snapshots, its figures, the pieces as a table. */
#include "core/schedule.h"
#include "core/number.h"
#include "assembly/scatter.h"
#include "fracture/part.h"
#include "fracture/run.h"
#include "kern/prec_f64.h"
#include "material/cohesive.inc"
#include "assembly/scatter.inc"
#include "fracture/types.inc"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
      s->corner[at++] = ig_frac_cohesive_node(m, conn, coh, turn, c, j, false);
    for (int j = 0; j < dim; j++)
      s->corner[at++] = ig_frac_cohesive_node(m, conn, coh, turn, c, dim == 2 ? 1 - j : j, true);
  }
  s->offset[cell] = at;
}

void ig_frac_element_stress(const ig_frac_model *m, const void *se, int64_t e, double t[6]) {
  const int nst = m->shape.stresses;
  const int corners = m->shape.nodes > m->shape.corners ? m->shape.corners : 1;
  for (int c = 0; c < 6; c++)
    t[c] = 0;
  for (int k = 0; k < corners; k++)
    for (int c = 0; c < nst; c++)
      t[c] += ig_frac_model_real(m, se, (e * corners + k) * nst + c) / corners;
}
double ig_frac_principal(const ig_frac_model *m, const double t[6]) {
  return m->shape.dim == 2 ? tri3_largest_principal_f64(t) : tet4_largest_principal_f64(t);
}

/* Stress fields of the bulk; cohesive cells hold zeros. */
static ig_status stress_fields(const ig_job *job, ig_frac_model *m, ig_snapshot *s) {
  const int64_t ne = m->s.ne;
  const int nst = m->shape.stresses, dim = m->shape.dim;
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
    double t[6], sig[6] = {0};
    ig_frac_element_stress(m, se, e, t);
    static const int place[3] = {0, 1, 3};
    for (int c = 0; c < nst; c++)
      sig[dim == 2 ? place[c] : c] = t[c];
    for (int c = 0; out[0] && c < 6; c++)
      ((float *)out[0])[6 * e + c] = (float)sig[c];
    const ig_frac_elastic *el = &m->s.elastic[mat[e]];
    const double trace = sig[0] + sig[1] + sig[2];
    double density = 0;
    const double first = ig_frac_principal(m, t);
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

ig_status ig_frac_snapshot(ig_job *job, ig_frac_model *m, ig_sink *to) {
  const int64_t cells = (int64_t)m->s.ne + m->count.cohesive;
  const int64_t corners =
      (int64_t)m->s.ne * m->shape.nodes + (int64_t)m->count.cohesive * 2 * m->shape.dim;
  IG_TRY(ig_frac_gather(m));
  if (!ig_frac_has_whole(m))
    return IG_OK;
  IG_TRY(ig_frac_model_stress(m));
  ig_frac_pieces pieces = {0};
  IG_TRY(ig_frac_pieces_find(m, &pieces));
  ig_snapshot *s;
  ig_status status = ig_snapshot_new(job->cx, m->count.nodes, cells, corners,
                                     (double)m->count.step * m->s.dt, m->count.step, &s);
  if (status == IG_OK) {
    status = snapshot_fill(job, m, s, &pieces);
    if (status == IG_OK)
      status = to->snapshot(to, s);
    else
      ig_snapshot_free(s);
  }
  ig_frac_pieces_free(&pieces);
  return status;
}

/* Mass, centre and velocity of each piece, largest number of elements first in the file's order. */
static ig_status pieces_table(ig_job *job, ig_frac_model *m, const ig_frac_pieces *p,
                              ig_sink *sink) {
  const int dim = m->shape.dim, nn = m->shape.nodes, nc = m->shape.corners;
  const int64_t ne = m->s.ne;
  enum { MASS, X, V = X + 3, ELEMENTS = V + 3, WIDTH };
  static double (*const shares[4])(int) = {tri3_share_f64, tri6_share_f64, tet4_share_f64,
                                           tet10_share_f64};
  double *sum;
  IG_TRY(IG_NEW(job->cx, &sum, (int64_t)p->count * WIDTH, "pieces"));
  const int32_t *conn = ig_frac_model_host(m, "conn");
  const void *x = ig_frac_model_host(m, "x"), *u = ig_frac_model_host(m, "u"),
             *v = ig_frac_model_host(m, "v");
  const uint8_t *mat = ig_frac_model_host(m, "mat");
  for (int64_t e = 0; e < ne; e++) {
    double c2[3][2], c3[4][3], g2[3][2], g3[4][3];
    for (int a = 0; a < nc; a++)
      for (int d = 0; d < dim; d++) {
        const double at = ig_frac_model_real(m, x, (int64_t)conn[a * ne + e] * dim + d);
        *(dim == 2 ? &c2[a][d] : &c3[a][d]) = at;
      }
    const double size =
        dim == 2 ? tri3_gradients_f64(c2, g2) * m->s.thickness : tet4_gradients_f64(c3, g3);
    const double mass = size * m->s.elastic[mat[e]].rho;
    double *to = sum + (int64_t)p->of[e] * WIDTH;
    to[MASS] += mass;
    to[ELEMENTS]++;
    for (int a = 0; a < nn; a++) {
      const double share = shares[m->kind](a);
      for (int d = 0; d < dim; d++) {
        const int64_t at = (int64_t)conn[a * ne + e] * dim + d;
        to[X + d] += share * mass * (ig_frac_model_real(m, x, at) + ig_frac_model_real(m, u, at));
        to[V + d] += share * mass * ig_frac_model_real(m, v, at);
      }
    }
  }
  const size_t capacity = 64 + (size_t)p->count * 200;
  char *text = malloc(capacity);
  ig_status status = text ? IG_OK : IG_FAIL(job->cx, IG_MEMORY, "no memory for the pieces' table");
  if (text) {
    size_t at = (size_t)snprintf(text, capacity,
                                 "fragment,elements,mass [kg],x [m],y [m],z [m],"
                                 "vx [m/s],vy [m/s],vz [m/s]\n");
    for (int32_t i = 0; i < p->count && at < capacity; i++) {
      const double *f = sum + (int64_t)i * WIDTH, w = f[MASS];
      at += (size_t)ig_format(text + at, capacity - at,
                              "%" PRId32 ",%.0f,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", i,
                              f[ELEMENTS], w, f[X] / w, f[X + 1] / w, f[X + 2] / w, f[V] / w,
                              f[V + 1] / w, f[V + 2] / w);
    }
    status = sink->file(sink, "fragments.csv", text, at < capacity ? at : capacity);
  }
  free(text);
  free(sum);
  return status;
}

/* The crack as a table: where each cohesive element is (its corners in the mesh as it was), how far
   gone, how far open and slid, means over its points. */
static ig_status crack_table(ig_job *job, ig_frac_model *m, ig_sink *to) {
  const int dim = m->shape.dim, np = m->shape.points;
  const int32_t *conn = ig_frac_model_host(m, "conn"), *coh = ig_frac_model_host(m, "coh");
  const uint8_t *turn = ig_frac_model_host(m, "turn");
  const void *x = ig_frac_model_host(m, "x"), *cs = ig_frac_model_host(m, "cs");
  const size_t capacity = 160 + (size_t)m->count.cohesive * 260;
  char *text = malloc(capacity);
  if (!text)
    return IG_FAIL(job->cx, IG_MEMORY, "no memory for the crack's table");
  size_t at = 0;
  for (int j = 1; j <= dim; j++)
    at += (size_t)snprintf(text + at, capacity - at, "x%d [m],y%d [m],%s", j, j,
                           dim == 2 ? ""
                           : j == 1 ? "z1 [m],"
                           : j == 2 ? "z2 [m],"
                                    : "z3 [m],");
  at += (size_t)snprintf(text + at, capacity - at, "damage,opening [m],sliding [m]\n");
  for (int64_t c = 0; c < m->count.cohesive && at < capacity; c++) {
    double open = 0, slid = 0;
    for (int p = 0; p < np; p++) {
      const int64_t state = (c * np + p) * m->shape.state;
      double t = 0;
      for (int d = 1; d < dim; d++)
        t += ig_frac_model_real(m, cs, state + d) * ig_frac_model_real(m, cs, state + d);
      open += ig_frac_model_real(m, cs, state) / np;
      slid += sqrt(t) / np;
    }
    for (int j = 0; j < dim; j++) {
      const int64_t n = ig_frac_cohesive_node(m, conn, coh, turn, c, j, false);
      for (int d = 0; d < dim && at < capacity; d++)
        at += (size_t)ig_format(text + at, capacity - at, "%.9g,",
                                ig_frac_model_real(m, x, n * dim + d));
    }
    if (at < capacity)
      at += (size_t)ig_format(text + at, capacity - at, "%.6g,%.6g,%.6g\n",
                              fmin(1, ig_frac_model_damage(m, c)), open, slid);
  }
  const ig_status status = to->file(to, "crack.csv", text, at < capacity ? at : capacity);
  free(text);
  return status;
}

ig_status ig_frac_results(ig_job *job, ig_frac_model *m, ig_frac_track *k, ig_sink *to) {
  ig_frac_pieces pieces = {0};
  IG_TRY(ig_frac_probes_shows(m) ? ig_frac_model_ready(m) : ig_frac_gather(m));
  if (!ig_frac_has_whole(m))
    return IG_OK;
  IG_TRY(ig_frac_pieces_find(m, &pieces));
  k->pieces = pieces.count;
  const double drift = ig_frac_track_drift(k);
  if (drift > 0.01)
    ig_warn(job->cx, "the energy balance is off by up to %.2g %%: take a smaller step",
            100 * drift);
  ig_status status = IG_OK;
  if (to) {
    const double *f = k->figures;
    const int32_t inserted = m->count.cohesive - m->cohesive_cut;
    const struct {
      const char *key, *unit;
      double value;
    } rows[] = {
        {"time_step", "s", m->s.dt},
        {"cohesive_elements", "", m->count.cohesive},
        {"initial_nodes", "", m->nodes_cut},
        {"nodes", "", m->count.nodes},
        {"new_nodes_per_cohesive_element", "",
         inserted ? (double)(m->count.nodes - m->nodes_cut) / inserted : 0},
        {"fragments", "", pieces.count},
        {m->shape.dim == 3 ? "crack_area" : "crack_length", m->shape.dim == 3 ? "m^2" : "m",
         f[IG_FRAC_FAILED]},
        {m->shape.dim == 3 ? "opened_area" : "opened_length", m->shape.dim == 3 ? "m^2" : "m",
         f[IG_FRAC_OPENED]},
        {"crack_extension", "m", k->tip[0].extension},
        {"crack_angle", "deg", ig_frac_tip_angle(&k->tip[0])},
        {"tip_speed_max", "m/s", k->top_speed},
        {"kinetic_energy", "J", f[IG_FRAC_KINETIC]},
        {"strain_energy", "J", f[IG_FRAC_STRAIN]},
        {"external_work", "J", f[IG_FRAC_EXTERNAL]},
        {"dissipated_energy", "J",
         f[IG_FRAC_COHESIVE_WORK] - f[IG_FRAC_RECOVERABLE] - f[IG_FRAC_CONTACT]},
        {"recoverable_cohesive_energy", "J", f[IG_FRAC_RECOVERABLE]},
        {"contact_energy", "J", f[IG_FRAC_CONTACT]},
        {"surface_contact_energy", "J", f[IG_FRAC_SURFACE]},
        {"energy_error", "", drift},
    };
    for (size_t i = 0; status == IG_OK && i < sizeof rows / sizeof *rows; i++)
      status = to->result(to, rows[i].key, rows[i].unit, rows[i].value);
    for (int i = 1; status == IG_OK && i < k->tips; i++) {
      char key[40];
      snprintf(key, sizeof key, "crack_extension_%d", i + 1);
      status = to->result(to, key, "m", k->tip[i].extension);
      snprintf(key, sizeof key, "crack_angle_%d", i + 1);
      if (status == IG_OK)
        status = to->result(to, key, "deg", ig_frac_tip_angle(&k->tip[i]));
    }
    if (status == IG_OK && m->s.bulk.residual)
      status = to->result(to, "residual_given_unbalance", "", m->unbalance[0]);
    if (status == IG_OK && m->s.bulk.residual)
      status = to->result(to, "residual_unbalance", "", m->unbalance[1]);
    if (status == IG_OK && m->colors)
      status = to->result(to, "colors", "", m->colors);
    if (status == IG_OK)
      status = ig_frac_probes_results(m, to);
    static const char *const need[] = {"conn", "x", "u", "v", "turn"};
    void *unused;
    for (size_t i = 0; status == IG_OK && i < sizeof need / sizeof *need; i++)
      status = ig_frac_model_pull(m, need[i], &unused);
    if (status == IG_OK)
      status = pieces_table(job, m, &pieces, to);
    if (status == IG_OK)
      status = crack_table(job, m, to);
  }
  ig_frac_pieces_free(&pieces);
  return status;
}
