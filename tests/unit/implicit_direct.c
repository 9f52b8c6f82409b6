/* Sparse direct solvers: both give the solution, count negative pivots and find zero ones. */
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "one_context.h"
#include "implicit/mumps.h"
#include "implicit/direct.h"
#include "implicit/modes.h"

typedef struct {
  int32_t n;
  int64_t *first;
  int32_t *column;
  double *value;
} matrix;

/* A grid of `cells`^3 points with `dofs` unknowns each, coupled to their 27 neighbours. */
static matrix grid(int cells, int dofs, double skew, double shift) {
  const int points = cells * cells * cells;
  matrix m = {points * dofs, calloc((size_t)points * dofs + 1, 8),
              calloc((size_t)points * dofs * 27 * dofs, 4),
              calloc((size_t)points * dofs * 27 * dofs, 8)};
  int64_t at = 0;
  for (int p = 0; p < points; p++)
    for (int a = 0; a < dofs; a++) {
      for (int q = 0; q < points; q++) {
        const int d[3] = {p % cells - q % cells, p / cells % cells - q / cells % cells,
                          p / cells / cells - q / cells / cells};
        if (abs(d[0]) > 1 || abs(d[1]) > 1 || abs(d[2]) > 1)
          continue;
        for (int b = 0; b < dofs; b++) {
          const bool own = p == q && a == b;
          m.column[at] = q * dofs + b;
          m.value[at++] = own ? 30.0 + shift : (a == b ? -1.0 : 0.1) * (p > q ? 1 + skew : 1);
        }
      }
      m.first[p * dofs + a + 1] = at;
    }
  return m;
}
static void matrix_free(matrix *m) {
  free(m->first);
  free(m->column);
  free(m->value);
}

static double off(const matrix *m, const double *x, const double *b) {
  double worst = 0;
  for (int32_t i = 0; i < m->n; i++) {
    double sum = -b[i];
    for (int64_t k = m->first[i]; k < m->first[i + 1]; k++)
      sum += m->value[k] * x[m->column[k]];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

static void solvers_solve(void **state) {
  (void)state;
  for (int kind = IG_DIRECT_OWN; kind <= IG_DIRECT_MUMPS; kind++)
    for (int dofs = 1; dofs <= 3; dofs += 2)
      for (int skew = 0; skew < 2; skew++) {
        if (kind == IG_DIRECT_MUMPS && !ig_mumps_there())
          continue;
        matrix m = grid(9, dofs, 0.3 * skew, 0);
        ig_direct *d = NULL;
        ig_direct_info info;
        double *b = calloc((size_t)m.n, 8), *x = calloc((size_t)m.n, 8);
        assert_int_equal(ig_direct_new(cx, m.n, m.first, m.column, kind, &d), IG_OK);
        for (int again = 0; again < 2; again++) {
          assert_int_equal(ig_direct_factor(d, m.value, !skew, &info), IG_OK);
          assert_int_equal(info.zero, 0);
          assert_int_equal(info.negative, skew ? -1 : 0);
          for (int32_t i = 0; i < m.n; i++)
            x[i] = b[i] = sin(i);
          assert_int_equal(ig_direct_solve(d, x), IG_OK);
          assert_true(off(&m, x, b) < 1e-12);
        }
        ig_direct_free(d);
        free(b);
        free(x);
        matrix_free(&m);
      }
}

/* -30 on the diagonal of one unknown: one negative eigenvalue. A row of zeros: one zero pivot. */
static void pivots_are_counted(void **state) {
  (void)state;
  for (int kind = IG_DIRECT_OWN; kind <= IG_DIRECT_MUMPS; kind++) {
    if (kind == IG_DIRECT_MUMPS && !ig_mumps_there())
      continue;
    matrix m = grid(6, 3, 0, 0);
    ig_direct *d = NULL;
    ig_direct_info info;
    for (int32_t i = 0; i < m.n; i++)
      for (int64_t k = m.first[i]; k < m.first[i + 1]; k++) {
        if (i == 100 && m.column[k] == 100)
          m.value[k] = -60;
        if (i == 301 || m.column[k] == 301)
          m.value[k] = 0;
      }
    assert_int_equal(ig_direct_new(cx, m.n, m.first, m.column, kind, &d), IG_OK);
    assert_int_equal(ig_direct_factor(d, m.value, true, &info), IG_OK);
    assert_int_equal(info.negative, 1);
    assert_int_equal(info.zero, 1);
    assert_int_equal(info.first_zero, 301);
    double *x = calloc((size_t)m.n, 8), *b = calloc((size_t)m.n, 8);
    for (int32_t i = 0; i < m.n; i++)
      x[i] = b[i] = i == 301 ? 0 : cos(i);
    assert_int_equal(ig_direct_solve(d, x), IG_OK);
    assert_true(fabs(x[301]) < 1e-12);
    assert_true(off(&m, x, b) < 1e-12);
    free(x);
    free(b);
    ig_direct_free(d);
    matrix_free(&m);
  }
}

/* A signal ends a factorization within a block of one front; the next one is whole again. */
static void factorizations_can_be_interrupted(void **state) {
  (void)state;
  enum { N = 600 }; /* a full matrix: one front of many blocks */
  matrix m = {N, calloc(N + 1, 8), calloc((size_t)N * N, 4), calloc((size_t)N * N, 8)};
  for (int i = 0; i < N; i++) {
    m.first[i + 1] = (int64_t)(i + 1) * N;
    for (int j = 0; j < N; j++) {
      m.column[i * N + j] = j;
      m.value[i * N + j] = i == j ? -N : 0.1;
    }
  }
  ig_direct *d = NULL;
  ig_direct_info info;
  assert_int_equal(ig_direct_new(cx, m.n, m.first, m.column, IG_DIRECT_OWN, &d), IG_OK);
  ig_ctx_interrupt(cx);
  assert_int_equal(ig_direct_factor(d, m.value, true, &info), IG_INTERRUPTED);
  assert_int_equal(info.negative, 0); /* no pivot was eliminated */
  cx->interrupted = 0;
  assert_int_equal(ig_direct_factor(d, m.value, true, &info), IG_OK);
  assert_int_equal(info.negative, N);
  ig_direct_free(d);
  matrix_free(&m);
}

/* METIS sets a handler of SIGTERM of its own, by which a signal made it fail (more fill by another
   order, and the signal was lost) or crash. */
static volatile sig_atomic_t signals_come;
static volatile bool signals_end;
static void signal_count(int sig) {
  (void)sig;
  signals_come++;
}
static void *signals_send(void *self) {
  int *sent = self;
  while (!signals_end) {
    struct timespec pause = {0, 5000000};
    nanosleep(&pause, NULL);
    kill(getpid(), SIGTERM);
    ++*sent;
  }
  return NULL;
}
static void signals_come_while_equations_are_ordered(void **state) {
  (void)state;
  matrix m = grid(18, 3, 0, 0);
  struct sigaction count = {.sa_handler = signal_count, .sa_flags = SA_RESTART}, before, after;
  double entries[2];
  int sent = 0;
  sigaction(SIGTERM, &count, &before);
  for (int pass = 0; pass < 2; pass++) {
    ig_direct *d = NULL;
    ig_direct_info info;
    pthread_t sender;
    sigset_t term, mask;
    if (pass == 1) { /* the sender does not take it */
      sigemptyset(&term);
      sigaddset(&term, SIGTERM);
      pthread_sigmask(SIG_BLOCK, &term, &mask);
      assert_int_equal(pthread_create(&sender, NULL, signals_send, &sent), 0);
      pthread_sigmask(SIG_SETMASK, &mask, NULL);
    }
    assert_int_equal(ig_direct_new(cx, m.n, m.first, m.column, IG_DIRECT_OWN, &d), IG_OK);
    if (pass == 1) {
      signals_end = true;
      pthread_join(sender, NULL);
      assert_true(sent > 2 && signals_come > sent / 2); /* some came together */
    }
    assert_int_equal(ig_direct_factor(d, m.value, true, &info), IG_OK);
    entries[pass] = info.entries;
    ig_direct_free(d);
  }
  assert_true(entries[0] == entries[1]);
  sigaction(SIGTERM, &before, &after);
  assert_true(after.sa_handler == signal_count && after.sa_flags & SA_RESTART);
  assert_false(after.sa_flags & (int)SA_RESETHAND);
  matrix_free(&m);
}

/* A diagonal problem whose third solution comes with a signal. */
typedef struct {
  int solved;
} signalled;
static ig_status signalled_solve(void *self, double *x) {
  signalled *s = self;
  (void)x;
  if (++s->solved == 3)
    ig_ctx_interrupt(cx);
  return IG_OK;
}
static void signalled_times(void *self, const double *x, double *y) {
  (void)self;
  for (int i = 0; i < 400; i++)
    y[i] = x[i] / (1 + i);
}
static void searches_for_modes_can_be_interrupted(void **state) {
  (void)state;
  signalled s = {0};
  const ig_modes_model model = {400, &s, signalled_solve, signalled_times};
  double mu[10], error, *x = calloc((size_t)400 * 10, 8);
  int count = 10;
  assert_int_equal(ig_modes_find(cx, &model, &count, mu, x, &error), IG_INTERRUPTED);
  assert_int_equal(s.solved, 3); /* the other vectors of the block were not begun */
  cx->interrupted = 0;
  assert_int_equal(ig_modes_find(cx, &model, &count, mu, x, &error), IG_OK);
  assert_true(fabs(mu[9] - 0.1) < 1e-9);
  free(x);
}

/* A chain of n equal masses and springs between walls, whose frequencies are known. */
typedef struct {
  int n;
  double stiffness, *mass;
} chain;
static ig_status chain_solve(void *self, double *x) {
  const chain *c = self;
  double d[64];
  for (int i = 0; i < c->n; i++) { /* Thomas' algorithm */
    d[i] = i ? 2 - 1 / d[i - 1] : 2;
    x[i] = x[i] / c->stiffness + (i ? x[i - 1] / d[i - 1] : 0);
  }
  for (int i = c->n - 1; i >= 0; i--)
    x[i] = (x[i] + (i + 1 < c->n ? x[i + 1] : 0)) / d[i];
  return IG_OK;
}
static void chain_times(void *self, const double *x, double *y) {
  const chain *c = self;
  for (int i = 0; i < c->n; i++)
    y[i] = c->mass[i] * x[i];
}

/* Of every size and number of modes: the space of trial vectors is then used up in some of them,
   and what is left of a vector in it is rounding, which was taken for a mode below all others. */
static void modes_of_small_models_are_right(void **state) {
  (void)state;
  double mass[64], mu[64], *x = calloc(64 * 64, 8), error;
  for (int i = 0; i < 64; i++)
    mass[i] = 1e-7;
  for (int n = 1; n <= 40; n++)
    for (int wanted = 1; wanted <= n && wanted <= 16; wanted++) {
      chain c = {n, 1e9, mass};
      const ig_modes_model model = {n, &c, chain_solve, chain_times};
      int count = wanted;
      GOOD(cx, ig_modes_find(cx, &model, &count, mu, x, &error));
      assert_int_equal(count, wanted);
      for (int k = 0; k < wanted; k++) {
        const double root = 2 * sin((k + 1) * 3.14159265358979323846 / (2 * (n + 1)));
        assert_near(mu[k], 1e-16 / (root * root), 1e-8 * 1e-16 / (root * root));
      }
    }
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(modes_of_small_models_are_right),
      cmocka_unit_test(solvers_solve),
      cmocka_unit_test(pivots_are_counted),
      cmocka_unit_test(factorizations_can_be_interrupted),
      cmocka_unit_test(signals_come_while_equations_are_ordered),
      cmocka_unit_test(searches_for_modes_can_be_interrupted),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
