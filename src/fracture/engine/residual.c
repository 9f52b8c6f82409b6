/* Residual stress at the start: the stress of a snapshot, cell by cell, and displacements that
   bring it into balance on this mesh, whose elements and supports are not those it was computed
   with.

   The stress of another run is taken at the centres of the tetrahedra. As it is, its forces do
   not vanish: the meshes differ, and notches have cut it. The difference is removed by the
   displacements of one linear elastic solution before the first step; what remains is reported
   as residual_unbalance. */
#include "fracture/engine/cracks.h"
#include "fracture/engine/tables.h"
#include "ingot_io.h"
#include "model/read_snapshot.h"
#ifdef INGOT_HAVE_IO
#include "io/result/snapshot_locate.h"
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_IO
/* Mean of the four corners. */
static ig_status centres_of(ig_ctx *cx, const ig_mesh *mesh, double **x) {
  const ig_lid elements = ig_mesh_elements(mesh);
  IG_TRY(IG_NEW(cx, x, 3 * (size_t)elements + 1, "residual stress"));
  for (ig_lid e = 0; e < elements; e++) {
    ig_lid local;
    const ig_block *b = ig_mesh_element(mesh, e, &local);
    const int nodes = ig_elem_info_get(b->type)->nodes;
    for (int i = 0; i < 12; i++) /* by the corners, which come first */
      (*x)[3 * (int64_t)e + i % 3] +=
          0.25 * mesh->x[3 * (int64_t)b->conn[(int64_t)local * nodes + i / 3] + i % 3];
  }
  return IG_OK;
}

/* Stress at x in a hexahedron with values at its 2 x 2 x 2 points: linear in each natural
   coordinate between and beyond them. Those of x by the Jacobian at the centre.
   Natural coordinates by one Newton step from the centre, exact for parallelepipeds; limited to
   the element. Points are at +-1/sqrt(3), hence the factor sqrt(3). */
static void stress_within(const ig_snapshot *snap, const ig_field *points, int64_t cell,
                          const double *x, double *stress) {
  static const int sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                 {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  const int64_t *corner = snap->corner + snap->offset[cell];
  double far[2] = {0}, r[3], j[3][3] = {{0}};
  const ig_field *moved = ig_snapshot_field(snap, IG_AT_POINTS, "displacement", 3);
  double middle[2][3] = {{0}};
  for (int d = 0; d < 3; d++) {
    for (int a = 0; a < 8; a++) {
      const double at = snap->point[3 * corner[a] + d];
      middle[0][d] += at / 8;
      middle[1][d] += (at + (moved ? ig_field_component(moved, corner[a], d) : 0)) / 8;
      for (int k = 0; k < 3; k++)
        j[d][k] += sign[a][k] * at / 8;
    }
    for (int k = 0; k < 2; k++)
      far[k] += (x[d] - middle[k][d]) * (x[d] - middle[k][d]);
  }
  for (int d = 0; d < 3; d++) /* the drawn place or the moved one, whichever is nearer */
    r[d] = x[d] - middle[far[1] < far[0]][d];
  double c[3][3], det = 0, natural[3];
  for (int k = 0; k < 3; k++) {
    const int l = (k + 1) % 3, n = (k + 2) % 3;
    for (int d = 0; d < 3; d++)
      c[k][d] = j[(d + 1) % 3][l] * j[(d + 2) % 3][n] - j[(d + 2) % 3][l] * j[(d + 1) % 3][n];
  }
  for (int d = 0; d < 3; d++)
    det += c[0][d] * j[d][0];
  for (int k = 0; k < 3; k++) {
    natural[k] = sqrt(3.0) * (c[k][0] * r[0] + c[k][1] * r[1] + c[k][2] * r[2]) / det;
    natural[k] = fmin(fmax(natural[k], -sqrt(3.0)), sqrt(3.0));
  }
  for (int i = 0; i < 6; i++)
    stress[i] = 0;
  for (int q = 0; q < 8; q++) {
    double w = 0.125;
    for (int d = 0; d < 3; d++)
      w *= 1 + (q >> d & 1 ? natural[d] : -natural[d]);
    for (int i = 0; i < 6; i++)
      stress[i] += w * ig_field_component(points, cell, 6 * q + i);
  }
}

/* `point_stress` (2 x 2 x 2 points of hexahedra) is used where the snapshot has it, else the
   cell's mean. */
static ig_status stress_take(ig_job *job, ig_frac_model *m, const ig_snapshot *snap,
                             const double *x, const int64_t *cell) {
  const ig_frac_case *c = job->room_case;
  const ig_field *f = ig_snapshot_field(snap, IG_AT_CELLS, "stress", 6),
                 *points = ig_snapshot_field(snap, IG_AT_CELLS, "point_stress", 48);
  void *to = ig_frac_model_host(m, "s0");
  if (!f)
    return ig_fail_at(job->cx, &c->residual.at,
                      "'%s' has no field 'stress' with 6 components at its cells",
                      c->residual.file);
  for (int64_t e = 0; e < m->s.ne; e++) {
    if (cell[e] < 0)
      return ig_fail_at(job->cx, &c->residual.at,
                        "'%s' has no cell at (%g, %g, %g) m: the two runs need the same part",
                        c->residual.file, x[3 * e], x[3 * e + 1], x[3 * e + 2]);
    const bool fine = points && snap->offset[cell[e] + 1] - snap->offset[cell[e]] == 8;
    double within[6];
    if (fine)
      stress_within(snap, points, cell[e], x + 3 * e, within);
    for (int i = 0; i < 6; i++) {
      const double value = fine ? within[i] : ig_field_component(f, cell[e], i);
      if (!isfinite(value))
        return ig_fail_at(job->cx, &c->residual.at, "'%s': the stress of cell %lld is no number",
                          c->residual.file, (long long)cell[e]);
      ig_frac_model_put(m, to, 6 * e + i, value);
    }
  }
  return IG_OK;
}

static ig_status file_take(ig_job *job, ig_frac_model *m) {
  ig_ctx *cx = job->cx;
  const ig_frac_case *c = job->room_case;
  ig_snapshot *snap = NULL;
  double *x = NULL;
  int64_t *cell = NULL;
  ig_status status;
  IG_TRY(ig_ranks_read_snapshot(cx, c->residual.file, &snap));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &cell, m->s.ne, "residual stress"));
  IG_TRY_GOTO(status, done, centres_of(cx, job->mesh, &x));
  IG_TRY_GOTO(status, done, ig_snapshot_cells_near(cx, snap, false, x, m->s.ne, cell));
  status = stress_take(job, m, snap, x, cell);
done:
  ig_snapshot_free(snap);
  free(x);
  free(cell);
  return status;
}

ig_status ig_frac_residual_read(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  if (!c->residual.at.given)
    return IG_OK;
  if (m->shape.dim != 3)
    return ig_fail_at(job->cx, &c->residual.at,
                      "residual stress is for tetrahedra: a plane cut through a stress in space is "
                      "not in balance");
  const ig_array_def def = {"s0", &m->s.bulk.residual, IG_FRAC_PER_ELEMENT,
                            6,    m->wide ? 8 : 4,     .flags = FIXED};
  IG_TRY(ig_frac_arrays_add(m, &def, 1));
  return ig_ranks_agree(job->cx, file_take(job, m));
}
#else
ig_status ig_frac_residual_read(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  (void)m;
  return c->residual.at.given ? ig_fail_at(job->cx, &c->residual.at,
                                           "this build reads no files: configure with "
                                           "-DINGOT_IO=ON")
                              : IG_OK;
}
#endif

/* --- balance: K u = -(forces of the residual stress), by conjugate gradients weighed with masses
 */

/* Vectors are on the host in double precision, products on the device in that of the model.
   The matrix is not formed: each product is one pass of element forces, which also serves every
   assembly. Free bodies need no supports: the right side has no resultant, and conjugate
   gradients stay in that space. */
typedef struct {
  ig_frac_model *m;
  int64_t n;      /* numbers: nodes x 3 */
  double *minv;   /* 0: held, or no mass */
  double all;     /* forces there are: stress times the area of an element */
  void *residual; /* where the device has it */
} balance;

/* f = forces of the elements on free nodes at displacements u (NULL: none); `stressed`: with the
   residual stress.
   Uses the model's own force pass as matrix-vector product: f = -K u, plus the forces of the
   residual stress. Displacements of the model are overwritten. */
static ig_status forces_at(const balance *b, const double *u, bool stressed, double *f) {
  ig_frac_model *m = b->m;
  void *to = ig_frac_model_host(m, "u"), *from;
  for (int64_t i = 0; i < b->n; i++)
    ig_frac_model_put(m, to, i, u ? u[i] : 0);
  IG_TRY(ig_array_push(m->cx, ig_arrays_at(&m->arrays, "u")));
  const int rotation = m->s.rotation;
  m->s.bulk.residual = stressed ? b->residual : NULL;
  m->s.rotation = 0; /* linear; what turning changes at this size is of second order */
  const ig_status status = ig_frac_model_forces(m);
  m->s.bulk.residual = b->residual;
  m->s.rotation = rotation;
  IG_TRY(status);
  IG_TRY(ig_frac_model_pull(m, "f", &from));
  for (int64_t i = 0; i < b->n; i++)
    f[i] = b->minv[i] > 0 ? ig_frac_model_real(m, from, i) : 0;
  return IG_OK;
}

static double dot(int64_t n, const double *a, const double *b) {
  double s = 0;
  for (int64_t i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

/* r . M^-1 r: preconditioning with lumped masses evens out different element sizes. */
static double weighed(const balance *b, const double *r) {
  double s = 0;
  for (int64_t i = 0; i < b->n; i++)
    s += b->minv[i] * r[i] * r[i];
  return s;
}

/* all: a norm of the forces that the stress would exert if nothing balanced, sigma V^(2/3) per
   element. */
static ig_status weights(const ig_job *job, balance *b) {
  ig_frac_model *m = b->m;
  void *node, *minv;
  const int32_t *row = ig_frac_model_host(m, "bc_row");
  IG_TRY(ig_frac_model_pull(m, "node", &node));
  IG_TRY(ig_frac_model_pull(m, "minv", &minv));
  for (int64_t i = 0; i < b->n; i++) {
    const int32_t bc = ((const ig_frac_node *)node)[i / 3].bc;
    const double w = ig_frac_model_real(m, minv, i / 3);
    b->minv[i] = (bc >= 0 && row[3 * bc + i % 3] >= 0) || !isfinite(w) ? 0 : w;
  }
  const void *s0 = ig_frac_model_host(m, "s0");
  for (ig_lid e = 0; e < m->s.ne; e++) {
    const double area = pow(fabs(ig_mesh_measure(job->mesh, e)), 2.0 / 3);
    for (int i = 0; i < 6; i++) {
      const double s = area * ig_frac_model_real(m, s0, 6 * (int64_t)e + i);
      b->all += (i < 3 ? 1 : 2) * s * s;
    }
  }
  b->all = sqrt(b->all);
  return IG_OK;
}

/* Most iterations; a guard. */
enum { MOST = 20000 };

/* Conjugate gradients for K u = r0. r: forces out of balance; p: direction; q: -K p. The
   tolerance follows the precision. pq <= 0 ends it: rounding, or free bodies. */
static ig_status solve(balance *b, double *u, double *r, double *p, double *q) {
  ig_frac_model *m = b->m;
  const double enough = (m->wide ? 1e-10 : 1e-5) * b->all;
  IG_TRY(forces_at(b, NULL, true, r));
  double size = sqrt(dot(b->n, r, r)), rz = weighed(b, r);
  m->unbalance[0] = b->all > 0 ? size / b->all : 0;
  for (int64_t i = 0; i < b->n; i++)
    p[i] = b->minv[i] * r[i];
  for (int it = 0; it < MOST && size > enough; it++) {
    IG_TRY(forces_at(b, p, false, q)); /* -K p */
    const double pq = -dot(b->n, p, q), step = rz / pq;
    if (!(pq > 0))
      break;
    for (int64_t i = 0; i < b->n; i++) {
      u[i] += step * p[i];
      r[i] += step * q[i];
    }
    const double next = weighed(b, r), share = next / rz;
    for (int64_t i = 0; i < b->n; i++)
      p[i] = b->minv[i] * r[i] + share * p[i];
    rz = next;
    size = sqrt(dot(b->n, r, r));
    if (m->cx->interrupted)
      return IG_OK;
  }
  IG_TRY(forces_at(b, u, true, r)); /* what is left, not what the recurrence thinks */
  m->unbalance[1] = b->all > 0 ? sqrt(dot(b->n, r, r)) / b->all : 0;
  return IG_OK;
}

/* Initial displacements of the case are kept and added to those of the balance. */
ig_status ig_frac_residual_balance(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  balance b = {.m = m, .n = 3 * (int64_t)m->count.nodes, .residual = m->s.bulk.residual};
  double *work = NULL, *was = NULL;
  void *u;
  ig_status status;
  if (!m->s.bulk.residual)
    return IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(job->cx, &b.minv, b.n, "balance"));
  IG_TRY_GOTO(status, done, IG_NEW(job->cx, &work, 4 * b.n, "balance"));
  IG_TRY_GOTO(status, done, IG_NEW(job->cx, &was, b.n, "balance"));
  IG_TRY_GOTO(status, done, ig_frac_model_pull(m, "u", &u));
  for (int64_t i = 0; i < b.n; i++)
    was[i] = ig_frac_model_real(m, u, i);
  IG_TRY_GOTO(status, done, weights(job, &b));
  IG_TRY_GOTO(status, done, solve(&b, work, work + b.n, work + 2 * b.n, work + 3 * b.n));
  for (int64_t i = 0; i < b.n; i++)
    ig_frac_model_put(m, u, i, was[i] + work[i]);
  IG_TRY_GOTO(status, done, ig_array_push(m->cx, ig_arrays_at(&m->arrays, "u")));
  if (m->s.how != IG_GATHER)
    IG_TRY_GOTO(status, done, ig_array_zero(m->cx, ig_arrays_at(&m->arrays, "f")));
  if (m->unbalance[1] > 1e-4)
    ig_warn_at(job->cx, &c->residual.at,
               "%.2g of the forces of the residual stress are not in balance at the start",
               m->unbalance[1]);
done:
  free(b.minv);
  free(work);
  free(was);
  return status;
}
