/* Natural frequencies: K x = w^2 M x by subspace iteration (Bathe and Wilson 1972), with the
   inverse of K, or of K - shift M where K has motions that nothing resists. */
#include "structure/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ig_system *y;
  double *K, *M; /* values in the pattern of the system */
  int32_t n;
  int q;                     /* vectors */
  double *X, *Y;             /* q x n */
  double *A, *B, *Q, *value; /* q x q, q x q, q x q, q */
} modes;

static void times(const modes *m, const double *value, const double *x, double *y) {
  for (int32_t i = 0; i < m->n; i++) {
    double sum = 0;
    for (int64_t k = m->y->first[i]; k < m->y->first[i + 1]; k++)
      sum += value[k] * x[m->y->column[k]];
    y[i] = sum;
  }
}

static double dot(const double *a, const double *b, int32_t n) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* A z = l B z of small matrices, B positive: by the Cholesky factor of B and Jacobi's rotations.
   The eigenvectors are the columns of Q, eigenvalues rise. False: B is not positive. */
static bool dense_solve(int q, double *A, double *B, double *Q, double *value) {
  for (int j = 0; j < q; j++) { /* B = L L^T, below the diagonal */
    for (int k = 0; k < j; k++)
      B[j * q + j] -= B[j * q + k] * B[j * q + k];
    if (!(B[j * q + j] > 0))
      return false;
    B[j * q + j] = sqrt(B[j * q + j]);
    for (int i = j + 1; i < q; i++) {
      for (int k = 0; k < j; k++)
        B[i * q + j] -= B[i * q + k] * B[j * q + k];
      B[i * q + j] /= B[j * q + j];
    }
  }
  for (int side = 0; side < 2; side++) { /* A <- L^-1 A, then the same of its transpose */
    for (int c = 0; c < q; c++)
      for (int i = 0; i < q; i++) {
        for (int k = 0; k < i; k++)
          A[i * q + c] -= B[i * q + k] * A[k * q + c];
        A[i * q + c] /= B[i * q + i];
      }
    for (int i = 0; i < q; i++)
      for (int j = 0; j < i; j++) {
        const double t = A[i * q + j];
        A[i * q + j] = A[j * q + i];
        A[j * q + i] = t;
      }
  }
  for (int i = 0; i < q * q; i++)
    Q[i] = i / q == i % q;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, on = 0;
    for (int i = 0; i < q; i++)
      for (int j = 0; j < q; j++)
        *(i == j ? &on : &off) += A[i * q + j] * A[i * q + j];
    if (off <= 1e-28 * on)
      break;
    for (int i = 0; i < q; i++)
      for (int j = i + 1; j < q; j++) {
        if (A[i * q + j] == 0)
          continue;
        const double x = (A[j * q + j] - A[i * q + i]) / (2 * A[i * q + j]);
        const double t = (x < 0 ? -1 : 1) / (fabs(x) + sqrt(x * x + 1));
        const double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < q; k++) {
          const double a = A[k * q + i], b = A[k * q + j], u = Q[k * q + i], v = Q[k * q + j];
          A[k * q + i] = c * a - s * b;
          A[k * q + j] = s * a + c * b;
          Q[k * q + i] = c * u - s * v;
          Q[k * q + j] = s * u + c * v;
        }
        for (int k = 0; k < q; k++) {
          const double a = A[i * q + k], b = A[j * q + k];
          A[i * q + k] = c * a - s * b;
          A[j * q + k] = s * a + c * b;
        }
      }
  }
  for (int i = 0; i < q; i++)
    value[i] = A[i * q + i];
  for (int i = 0; i < q; i++) { /* by size */
    int least = i;
    for (int j = i + 1; j < q; j++)
      least = value[j] < value[least] ? j : least;
    const double v = value[i];
    value[i] = value[least];
    value[least] = v;
    for (int k = 0; k < q; k++) {
      const double t = Q[k * q + i];
      Q[k * q + i] = Q[k * q + least];
      Q[k * q + least] = t;
    }
  }
  for (int c = 0; c < q; c++) /* back: Q <- L^-T Q */
    for (int i = q - 1; i >= 0; i--) {
      for (int k = i + 1; k < q; k++)
        Q[i * q + c] -= B[k * q + i] * Q[k * q + c];
      Q[i * q + c] /= B[i * q + i];
    }
  return true;
}

static ig_status iterate(ig_structure *s, modes *m, int wanted, ig_direct *direct, double shift) {
  const int q = m->q;
  const size_t n = (size_t)m->n;
  double *before;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(s->cx, &before, q, "modes"));
  uint64_t seed = 88172645463325252u;
  for (size_t i = 0; i < (size_t)q * n; i++) { /* the same every time */
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    m->X[i] = (double)(seed >> 11) / 9007199254740992. - 0.5;
  }
  bool done = false;
  for (int round = 0; round < 200 && !done && status == IG_OK; round++) {
    for (int a = 0; a < q && status == IG_OK; a++) {
      times(m, m->M, m->X + (size_t)a * n, m->Y + (size_t)a * n);
      memcpy(m->X + (size_t)a * n, m->Y + (size_t)a * n, n * sizeof *m->X);
      status = ig_direct_solve(direct, m->X + (size_t)a * n);
    }
    if (status != IG_OK)
      break;
    for (int a = 0; a < q; a++)
      for (int b = 0; b < q; b++)
        m->A[a * q + b] = dot(m->X + (size_t)a * n, m->Y + (size_t)b * n, m->n);
    for (int a = 0; a < q; a++)
      times(m, m->M, m->X + (size_t)a * n, m->Y + (size_t)a * n);
    for (int a = 0; a < q; a++)
      for (int b = 0; b < q; b++) {
        m->B[a * q + b] = dot(m->X + (size_t)a * n, m->Y + (size_t)b * n, m->n);
        if (b < a) /* both are symmetric but for rounding */
          m->A[a * q + b] = m->A[b * q + a] = (m->A[a * q + b] + m->A[b * q + a]) / 2;
      }
    if (!dense_solve(q, m->A, m->B, m->Q, m->value)) {
      status = IG_FAIL(s->cx, IG_NUMERIC,
                       "the mass matrix is not positive: give a density to "
                       "every material");
      break;
    }
    memset(m->Y, 0, (size_t)q * n * sizeof *m->Y);
    for (int a = 0; a < q; a++)
      for (int b = 0; b < q; b++)
        for (size_t i = 0; i < n; i++)
          m->Y[(size_t)a * n + i] += m->Q[b * q + a] * m->X[(size_t)b * n + i];
    memcpy(m->X, m->Y, (size_t)q * n * sizeof *m->X);
    done = round > 0;
    for (int a = 0; a < wanted; a++)
      done = done && fabs(m->value[a] - before[a]) <= 1e-9 * fabs(m->value[wanted - 1]);
    memcpy(before, m->value, (size_t)q * sizeof *before);
    if (s->cx->interrupted)
      status = IG_FAIL(s->cx, IG_INTERRUPTED, "interrupted");
  }
  free(before);
  for (int a = 0; a < q; a++)
    m->value[a] += shift;
  if (status == IG_OK && !done)
    ig_warn(s->cx, "natural frequencies: the iteration did not converge to 1e-9");
  return status;
}

static ig_status assemble(ig_structure *s, const ig_implicit_group *group, double *value) {
  double *zero, *f, size[2], count[2];
  ig_trouble trouble;
  int which;
  IG_TRY(IG_NEW(s->cx, &zero, s->unknowns, "modes"));
  ig_status status = IG_NEW(s->cx, &f, s->unknowns, "modes");
  const ig_trial at = {.u = zero, .time = s->time, .step = 0};
  if (status == IG_OK)
    status = ig_system_assemble(s->system, s->groups, group, &at, true, NULL, f, size, count,
                                &which, &trouble);
  if (status == IG_OK)
    memcpy(value, s->system->value, (size_t)s->system->first[s->system->equations] * sizeof *value);
  free(zero);
  free(f);
  return status;
}

static ig_status solve(ig_structure *s, modes *m, int wanted) {
  const size_t entries = (size_t)m->y->first[m->n];
  const size_t q = (size_t)m->q;
  ig_direct *direct = NULL;
  ig_direct_info info;
  double *shifted = NULL, shift = 0;
  ig_status status;
  ig_implicit_group mass[16];
  IG_TRY(IG_NEW(s->cx, &m->K, entries, "modes"));
  IG_TRY(IG_NEW(s->cx, &m->M, entries, "modes"));
  IG_TRY(IG_NEW(s->cx, &m->X, q * (size_t)m->n, "modes"));
  IG_TRY(IG_NEW(s->cx, &m->Y, q * (size_t)m->n, "modes"));
  IG_TRY(IG_NEW(s->cx, &m->A, q * q, "modes"));
  IG_TRY(IG_NEW(s->cx, &m->B, q * q, "modes"));
  IG_TRY(IG_NEW(s->cx, &m->Q, q * q, "modes"));
  IG_TRY(IG_NEW(s->cx, &m->value, q, "modes"));
  IG_TRY(assemble(s, s->implicit, m->K));
  for (int i = 0; i < s->groups; i++) {
    mass[i] = s->implicit[i];
    mass[i].evaluate = ig_structure_inertia;
  }
  s->planned = s->beta = 1;
  s->alpha = 0;
  IG_TRY(assemble(s, mass, m->M));
  IG_TRY(ig_direct_new(s->cx, m->n, m->y->first, m->y->column, IG_DIRECT_AUTO, &direct));
  IG_TRY_GOTO(status, done, ig_direct_factor(direct, m->K, true, &info));
  if (info.zero > 0) {
    double k = 0, mm = 0;
    IG_TRY_GOTO(status, done, IG_NEW(s->cx, &shifted, entries, "modes"));
    for (int32_t i = 0; i < m->n; i++)
      for (int64_t e = m->y->first[i]; e < m->y->first[i + 1]; e++)
        if (m->y->column[e] == i) {
          k += m->K[e];
          mm += m->M[e];
        }
    shift = -1e-6 * k / mm;
    for (size_t e = 0; e < entries; e++)
      shifted[e] = m->K[e] - shift * m->M[e];
    IG_TRY_GOTO(status, done, ig_direct_factor(direct, shifted, true, &info));
  }
  status = iterate(s, m, wanted, direct, shift);
done:
  ig_direct_free(direct);
  free(shifted);
  return status;
}

ig_status ig_structure_modes(ig_structure *s, const ig_structure_analysis *a) {
  if (a->kind == IG_STRUCTURE_BUCKLING)
    return ig_fail_at(s->cx, &a->at, "critical load factors are not computed yet");
  if (a->large || s->touches.count)
    return ig_fail_at(s->cx, &a->at,
                      "frequencies are those of the drawn, unloaded state, and "
                      "without contact: leave out `large` and `contacts`");
  modes m = {.y = s->system, .n = s->system->equations};
  const int wanted = a->modes < m.n ? (int)a->modes : m.n;
  m.q = 2 * wanted < wanted + 8 ? 2 * wanted : wanted + 8;
  m.q = m.q < wanted + 2 ? wanted + 2 : m.q;
  m.q = m.q > m.n ? m.n : m.q;
  double *reached = s->u; /* without `large` about the state at the start */
  if (!a->large)
    IG_TRY(IG_NEW(s->cx, &s->u, s->unknowns, "modes"));
  const ig_status status = solve(s, &m, wanted);
  if (!a->large) {
    free(s->u);
    s->u = reached;
  }
  if (status == IG_OK) {
    free(s->frequencies);
    s->frequencies = NULL;
    IG_TRY(IG_NEW(s->cx, &s->frequencies, wanted, "modes"));
    s->found = wanted;
    for (int i = 0; i < wanted; i++) {
      s->frequencies[i] = (m.value[i] < 0 ? -1 : 1) * sqrt(fabs(m.value[i])) / (2 * M_PI);
      ig_structure_row(s, "frequency", "", i + 1, 0, 1, &s->frequencies[i]);
    }
  }
  double *const all[] = {m.K, m.M, m.X, m.Y, m.A, m.B, m.Q, m.value};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  return status;
}
