/* Distortion, and deviation from the nominal surface. Distortion is displacement less a rigid
   motion. Deviation is its part along the outward normal of the nominal surface: what a scan of the
   printed part shows, positive where there is more than was drawn. */
#include "mesh/named.h"
#include "mesh/topology.h"
#include "stress/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"

/* --- the best-fit rigid motion --- */

/* Solves a 6 x 6 system by elimination with pivots; unknowns without a pivot stay 0. */
static void solve6(double a[6][7]) {
  for (int k = 0; k < 6; k++) {
    int best = k;
    for (int i = k + 1; i < 6; i++)
      if (fabs(a[i][k]) > fabs(a[best][k]))
        best = i;
    for (int j = 0; j < 7; j++) {
      const double t = a[k][j];
      a[k][j] = a[best][j];
      a[best][j] = t;
    }
    /* six points on a line, or one point alone, leave motions undetermined: they are set to 0 */
    if (fabs(a[k][k]) < 1e-12) {
      memset(a[k], 0, sizeof a[k]);
      a[k][k] = 1;
    }
    for (int i = 0; i < 6; i++) {
      const double f = i == k ? 0 : a[i][k] / a[k][k];
      for (int j = k; j < 7; j++)
        a[i][j] -= f * a[k][j];
    }
  }
  for (int i = 0; i < 6; i++)
    a[i][6] /= a[i][i];
}

/* y = R(w) x, Rodrigues. */
static void turn(const double w[3], const double x[3], double y[3]) {
  const double angle = norm_f64(w);
  /* both quotients by their limits below 1e-8, where the next terms are beyond double precision */
  const double s = angle > 1e-8 ? sin(angle) / angle : 1,
               c = angle > 1e-8 ? (1 - cos(angle)) / (angle * angle) : 0.5;
  double k[3], kk[3];
  cross_f64(w, x, k);
  cross_f64(w, k, kk);
  for (int d = 0; d < 3; d++)
    y[d] = x[d] + s * k[d] + c * kk[d];
}

/* Motions of the six that a mirror image does not share. A plane across an axis leaves those in it
   and the rotation about its normal. */
static void asymmetric(const bool meets[2], bool no[6]) {
  for (int k = 0; k < 3; k++) {
    no[k] = k < 2 && meets[k];
    no[3 + k] = (meets[0] && k != 0) || (meets[1] && k != 1);
  }
}

/* A node that lies on a plane of symmetry is there once in the whole, others twice. */
static double share_of(const ig_stress_mirror *mirror, const double x[3]) {
  double share = 1;
  for (int a = 0; a < 2; a++)
    share /= ig_stress_mirror_meets(mirror, x, a) ? 2 : 1;
  return share;
}

/* The moved shape x + u, rotated and shifted onto x as well as the nodes of the set allow (least
   squares), less x. Gauss-Newton on the six rigid motions, with the exact rotation applied in
   each of six passes; lengths are divided by the size of the set, so that rotations and shifts
   have the same scale. x, u, out: nodes x 3; `node` has `count` entries, which may be 0 only if
   the caller skips it. */
void ig_stress_distortion(const ig_stress_mirror *mirror, const double *x, const double *u,
                          const ig_lid *node, ig_lid count, ig_lid nodes, double *out) {
  double centre[3] = {0}, size = 0;
  bool meets[2] = {false, false}, no[6];
  for (ig_lid i = 0; i < 2 * count; i++)
    meets[i % 2] |= ig_stress_mirror_meets(mirror, x + 3 * (int64_t)node[i / 2], i % 2);
  asymmetric(meets, no);
  for (ig_lid i = 0; i < 3 * nodes; i++)
    out[i] = x[i] + u[i];
  for (ig_lid i = 0; i < 3 * count; i++)
    centre[i % 3] += x[3 * (int64_t)node[i / 3] + i % 3] / count;
  for (ig_lid i = 0; i < 3 * count; i++)
    size = fmax(size, fabs(x[3 * (int64_t)node[i / 3] + i % 3] - centre[i % 3]));
  size = size > 0 ? size : 1;
  for (int again = 0; again < 6; again++) {
    double a[6][7] = {{0}};
    for (ig_lid i = 0; i < count; i++) {
      const double share = share_of(mirror, x + 3 * (int64_t)node[i]);
      double y[3], off[3];
      for (int d = 0; d < 3; d++) {
        y[d] = (out[3 * (int64_t)node[i] + d] - centre[d]) / size;
        off[d] = (x[3 * (int64_t)node[i] + d] - out[3 * (int64_t)node[i] + d]) / size;
      }
      const double row[3][6] = {
          {1, 0, 0, 0, y[2], -y[1]}, {0, 1, 0, -y[2], 0, y[0]}, {0, 0, 1, y[1], -y[0], 0}};
      for (int d = 0; d < 3; d++)
        for (int j = 0; j < 6; j++) {
          for (int k = 0; k < 6 && !no[j]; k++)
            a[j][k] += no[k] ? 0 : share * row[d][j] * row[d][k] / count;
          a[j][6] += no[j] ? 0 : share * row[d][j] * off[d] / count;
        }
    }
    solve6(a);
    const double w[3] = {a[3][6], a[4][6], a[5][6]};
    for (ig_lid n = 0; n < nodes; n++) {
      double y[3], z[3];
      for (int d = 0; d < 3; d++)
        y[d] = out[3 * (int64_t)n + d] - centre[d];
      turn(w, y, z);
      for (int d = 0; d < 3; d++)
        out[3 * (int64_t)n + d] = centre[d] + z[d] + size * a[d][6];
    }
  }
  for (ig_lid i = 0; i < 3 * nodes; i++)
    out[i] -= x[i];
}

/* Displacements from the drawn shape: those of the run, and what a compensated shape differs by. */
static ig_status moved_new(const ig_stress_run *r, double **moved) {
  const double *u = r->m->u.host, *drawn = r->job->mesh->x;
  IG_TRY(IG_NEW(r->m->cx, moved, 3 * (size_t)r->m->nodes, "distortion"));
  for (int64_t i = 0; i < 3 * (int64_t)r->m->nodes; i++)
    (*moved)[i] = u[i] + (r->shape_x ? r->shape_x[i] - drawn[i] : 0);
  return IG_OK;
}

/* Distortion of the run against the drawn shape. Where a compensated shape is built, its own
   difference from the drawn one counts as displacement. `out` (nodes x 3) is untouched if no
   node is alive; *worst: largest length over nodes of living elements, m. Needs m->u on the
   host. */
ig_status ig_stress_distortion_now(ig_stress_run *r, double *out, double *worst) {
  const ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host;
  const double *drawn = r->job->mesh->x;
  ig_lid *node = NULL, count = 0;
  if (r->c->distortion)
    IG_TRY(ig_mesh_named_nodes(m->cx, m->mesh, &r->c->at, r->c->distortion, &node, &count));
  else {
    memset(m->scratch, 0, (size_t)m->nodes);
    for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
      if (alive[i / m->npe])
        m->scratch[m->conn[i]] = 1;
    IG_TRY(IG_NEW(m->cx, &node, m->nodes, "distortion"));
    for (ig_lid n = 0; n < m->nodes; n++)
      if (m->scratch[n])
        node[count++] = n;
  }
  double *moved = NULL;
  ig_status status = moved_new(r, &moved);
  if (status == IG_OK && count > 0)
    ig_stress_distortion(&r->mirror, drawn, moved, node, count, m->nodes, out);
  free(moved);
  free(node);
  *worst = 0;
  for (int64_t i = 0; status == IG_OK && i < m->npe * (int64_t)m->elements; i++)
    if (alive[i / m->npe]) {
      const double *v = out + 3 * (int64_t)m->conn[i];
      *worst = fmax(*worst, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
  return status;
}

/* --- parts --- */

static const ig_stress_part *part_of(const ig_stress_run *r, int i) {
  return IG_ITEM(const ig_stress_part, r->c->parts, i);
}

/* Names of parts are parts of figures, and a datum is a set. */
ig_status ig_stress_parts_check(ig_stress_run *r) {
  ig_ctx *cx = r->m->cx;
  for (int i = 0; i < r->c->parts.count; i++) {
    const ig_stress_part *p = part_of(r, i);
    const ig_set *set;
    IG_TRY(ig_mesh_named_set(cx, r->m->mesh, &p->at, p->set, IG_OF_ELEMENTS, &set));
    if (p->datum == IG_DATUM_SET && !p->datum_set)
      return ig_fail_at(cx, &p->at, "`datum: set` needs the `datum_set`: the plate, say");
    if (p->datum != IG_DATUM_SET && p->datum_set)
      return ig_fail_at(cx, &p->at, "`datum_set` has an effect with `datum: set` only");
    if (p->datum_set)
      IG_TRY(ig_mesh_named_set(cx, r->m->mesh, &p->at, p->datum_set, IG_OF_ANY, &set));
    for (int k = 0; k < i; k++)
      if (strcmp(part_of(r, k)->name, p->name) == 0)
        return ig_fail_at(cx, &p->at, "two parts have the name '%.60s'", p->name);
  }
  return IG_OK;
}

/* Nodes of the living elements of a part, or those of them that its datum is. */
static ig_status datum_nodes(ig_stress_run *r, const ig_stress_part *p, const uint8_t *in,
                             ig_lid **node, ig_lid *count) {
  ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host;
  if (p->datum == IG_DATUM_SET)
    return ig_mesh_named_nodes(m->cx, m->mesh, &p->at, p->datum_set, node, count);
  memset(m->scratch, 0, (size_t)m->nodes);
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    if (alive[i / m->npe] && in[i / m->npe])
      m->scratch[m->conn[i]] = 1;
  IG_TRY(IG_NEW(m->cx, node, m->nodes, "parts"));
  for (ig_lid n = *count = 0; n < m->nodes; n++)
    if (m->scratch[n])
      (*node)[(*count)++] = n;
  return IG_OK;
}

/* Distortion of the part's datum, nodes x 3. */
static ig_status part_distortion(ig_stress_run *r, const ig_stress_part *p, const uint8_t *in,
                                 double *off) {
  double *moved = NULL;
  ig_lid *node = NULL, count = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, moved_new(r, &moved));
  memcpy(off, moved, 3 * sizeof *off * (size_t)r->m->nodes);
  if (p->datum == IG_DATUM_MACHINE)
    goto done;
  IG_TRY_GOTO(status, done, datum_nodes(r, p, in, &node, &count));
  if (count > 0)
    ig_stress_distortion(&r->mirror, r->job->mesh->x, moved, node, count, r->m->nodes, off);
done:
  free(moved);
  free(node);
  return status;
}

/* Deviations of a part, m, weighted by area where they are means. */
typedef struct {
  double most, least, square, area, outside; /* outside: area beyond the tolerance */
  double distortion;
} figures;

/* Face f of element e, as drawn: normal times area, outward. */
static void face_normal(const ig_stress_run *r, ig_lid e, int f, ig_lid corner[4], double n[3]) {
  const ig_stress *m = r->m;
  const int *c = ig_elem_face(m->type, f);
  double a[3], b[3];
  for (int i = 0; i < 4; i++) /* the first corner of a triangle stands for its fourth */
    corner[i] = m->conn[m->npe * (int64_t)e + c[m->type == IG_HEX8 ? i : i % 3]];
  for (int d = 0; d < 3; d++) { /* diagonals */
    a[d] =
        r->job->mesh->x[3 * (int64_t)corner[2] + d] - r->job->mesh->x[3 * (int64_t)corner[0] + d];
    b[d] =
        r->job->mesh->x[3 * (int64_t)corner[3] + d] - r->job->mesh->x[3 * (int64_t)corner[1] + d];
  }
  cross_f64(a, b, n);
  for (int d = 0; d < 3; d++)
    n[d] *= 0.5;
}

/* Whether a face is a cut through the whole part, and no surface of it. */
static bool on_mirror(const ig_stress_run *r, const ig_lid corner[4]) {
  for (int a = 0; a < 2; a++) {
    int met = 0;
    for (int i = 0; i < 4; i++)
      met += ig_stress_mirror_meets(&r->mirror, r->job->mesh->x + 3 * (int64_t)corner[i], a);
    if (met == 4)
      return true;
  }
  return false;
}

/* Faces of the part that nothing touches. A corner has the deviation of each of its faces: an edge
   that moves along one of them is off by the other. The field has the largest. */
static void part_look(const ig_stress_run *r, const ig_stress_part *p, const uint8_t *in,
                      const double *off, double *field, figures *g) {
  const ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host;
  *g = (figures){.most = -INFINITY, .least = INFINITY};
  for (ig_lid e = 0; e < m->elements; e++)
    for (int f = 0; in[e] && alive[e] && f < m->faces; f++) {
      const ig_lid other = m->adjacency.neighbor[m->faces * (int64_t)e + f];
      ig_lid corner[4];
      double n[3];
      if (other >= 0 && alive[other])
        continue;
      face_normal(r, e, f, corner, n);
      if (on_mirror(r, corner))
        continue;
      const double area = norm_f64(n);
      const int corners = m->type == IG_HEX8 ? 4 : 3;
      for (int i = 0; i < corners; i++) {
        const double *v = off + 3 * (int64_t)corner[i], d = dot_f64(v, n) / area;
        const double share = area / corners;
        g->most = fmax(g->most, d);
        g->least = fmin(g->least, d);
        g->square += share * d * d;
        g->area += share;
        g->outside += fabs(d) > p->tolerance ? share : 0;
        if (field && !(fabs(field[corner[i]]) > fabs(d)))
          field[corner[i]] = d;
      }
    }
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    if (in[i / m->npe] && alive[i / m->npe])
      g->distortion = fmax(g->distortion, norm_f64(off + 3 * (int64_t)m->conn[i]));
}

static ig_status part_write(const ig_stress_part *p, const figures *g, ig_sink *to) {
  const struct {
    const char *key, *unit;
    double value;
  } all[] = {{"distortion_max", "m", g->distortion},
             {"deviation_max", "m", g->most},
             {"deviation_min", "m", g->least},
             {"deviation_rms", "m", sqrt(g->square / g->area)},
             {"out_of_tolerance", "", g->outside / g->area}};
  for (size_t i = 0; i < sizeof all / sizeof *all - isnan(p->tolerance); i++) {
    char key[128];
    snprintf(key, sizeof key, "%.60s_%s", p->name, all[i].key);
    IG_TRY(to->result(to, key, all[i].unit, all[i].value));
  }
  return IG_OK;
}

/* field: nodes, NaN where there is no surface, or NULL; to: figures, or NULL. */
ig_status ig_stress_parts_look(ig_stress_run *r, double *field, ig_sink *to) {
  ig_stress *m = r->m;
  uint8_t *in = NULL;
  double *off = NULL;
  ig_status status;
  for (ig_lid n = 0; field && n < m->nodes; n++)
    field[n] = NAN;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &in, m->elements, "parts"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &off, 3 * (size_t)m->nodes, "parts"));
  for (int i = 0; i < r->c->parts.count; i++) {
    const ig_stress_part *p = part_of(r, i);
    const ig_set *set;
    figures g;
    IG_TRY_GOTO(status, done,
                ig_mesh_named_set(m->cx, m->mesh, &p->at, p->set, IG_OF_ELEMENTS, &set));
    memset(in, 0, (size_t)m->elements);
    for (ig_lid k = 0; k < set->count; k++)
      in[set->item[k]] = 1;
    IG_TRY_GOTO(status, done, part_distortion(r, p, in, off));
    part_look(r, p, in, off, field, &g);
    if (to && g.area > 0)
      IG_TRY_GOTO(status, done, part_write(p, &g, to));
  }
done:
  free(in);
  free(off);
  return status;
}
