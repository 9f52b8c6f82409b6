/* Numbers of parts on their way to rank 0, which has none of them as a whole: they come in
   pieces, in the order of one rank, and are added as there. So sums have the same bits for any
   number of ranks. */
#include "dynamics/model/part.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

/* --- particles */

typedef struct {
  ig_dyn_particle_row *row;
  ig_dyn_particle_add *add;
  void *user;
  int numbers;
} adding;

static void particle_row(void *user, int64_t n, void *row) {
  const adding *a = user;
  a->row(a->user, n, row);
}
static ig_status particles_put(void *user, const void *rows, int64_t first, int64_t count) {
  const adding *a = user;
  const double *row = rows;
  (void)first;
  for (int64_t i = 0; i < count; i++, row += a->numbers)
    a->add(a->user, row);
  return IG_OK;
}

/* `numbers` is at most MOST. With ranks collective; `add` runs on rank 0 only. */
ig_status ig_dyn_particles_add(ig_dyn_model *m, ig_status status, int numbers,
                               ig_dyn_particle_row *row, ig_dyn_particle_add *add, void *user) {
  enum { MOST = 16 };
  double buffer[MOST];
  adding a = {row, add, user, numbers};
  if (!ig_dyn_alone(m))
    return ig_collect_rows(m->cx, &m->division->nodes, (size_t)numbers * sizeof(double),
                           particle_row, particles_put, &a, status);
  for (int64_t n = 0; n < m->p.nodes && status == IG_OK; n++) {
    row(user, n, buffer);
    add(user, buffer);
  }
  return status;
}

/* --- elements of a group */

/* On one rank pads are passed over, and each row is put as it is made. */
ig_status ig_dyn_group_rows(ig_dyn_model *m, int k, size_t size, ig_collect_row *row,
                            ig_collect_put *put, void *user, ig_status status) {
  enum { MOST = 64 };
  const ig_dyn_group *g = &m->group[k];
  double buffer[MOST]; /* of any kind: aligned */
  if (!ig_dyn_alone(m))
    return ig_collect_rows(m->cx, &m->division->group[k], size, row, put, user, status);
  if (status == IG_OK && size > sizeof buffer)
    return IG_FAIL(m->cx, IG_ARG, "a row of %zu bytes: at most %zu", size, sizeof buffer);
  for (ig_lid s = 0, n = 0; s < g->slots && status == IG_OK; s++)
    if (g->element[s] >= 0) {
      row(user, s, buffer);
      status = put(user, buffer, n++, 1);
    }
  return status;
}

/* --- what all learn */

/* Until a model is divided its ranks need not meet: each makes the same. */
ig_status ig_dyn_agree(ig_dyn_model *m, ig_status status) {
  return ig_dyn_alone(m) ? status : ig_ranks_agree(m->cx, status);
}

/* Rank 0's bytes to all. */
ig_status ig_dyn_share(ig_dyn_model *m, ig_status status, void *bytes, size_t size) {
  if (ig_dyn_alone(m))
    return status;
  IG_TRY(ig_ranks_agree(m->cx, status));
  return ig_ranks_bcast(m->cx, 0, bytes, size);
}

/* Numbers that are not negative have the order of their bits as integers, so that an integer
   maximum serves. At most MOST of them. */
ig_status ig_dyn_most(ig_dyn_model *m, ig_status status, double *values, int count) {
  enum { MOST = 6 };
  int64_t word[MOST] = {0};
  if (ig_dyn_alone(m))
    return status;
  memcpy(word, values, (size_t)count * sizeof *values);
  IG_TRY(ig_ranks_max(m->cx, status, word, count));
  memcpy(values, word, (size_t)count * sizeof *values);
  return IG_OK;
}

/* Without separate memory *host is the device pointer itself and *own NULL. */
ig_status ig_dyn_seen(ig_ctx *cx, const void *dev, size_t bytes, void **own, const void **host) {
  *own = NULL;
  *host = dev;
  if (!cx->backend->separate || bytes == 0)
    return IG_OK;
  IG_TRY(ig_alloc(cx, own, bytes, 1, "values of a part"));
  *host = *own;
  return cx->backend->copy_out(cx, *own, dev, bytes);
}

/* --- totals */

/* On a CPU one sum, with the rounding carried along. On a GPU row i goes to thread i of the blocks,
   around and around; each block adds its threads by halves, then come the blocks (step_cuda.cu). */
ig_status ig_dyn_totals_new(ig_ctx *cx, int columns, ig_dyn_totals *t) {
  *t = (ig_dyn_totals){.columns = columns, .sums = 1};
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    t->sums = IG_DYN_PARTIAL * IG_DYN_TOTAL_THREADS;
  IG_TRY(IG_NEW(cx, &t->sum, (size_t)(2 * t->sums * columns), "sums"));
  t->lost = t->sum + t->sums * columns;
  return IG_OK;
}

/* Kahan's summation on a CPU: `lost` is what the last addition rounded off. */
void ig_dyn_totals_add(ig_dyn_totals *t, const double *rows, int64_t count) {
  for (int64_t i = 0; i < count; i++, rows += t->columns) {
    double *sum = t->sum + t->rows++ % t->sums * t->columns;
    for (int c = 0; c < t->columns; c++) {
      if (t->sums > 1) {
        sum[c] += rows[c];
        continue;
      }
      const double y = rows[c] - t->lost[c], all = sum[c] + y;
      t->lost[c] = (all - sum[c]) - y;
      sum[c] = all;
    }
  }
}

/* The order of totals_kernel: within a block by halves, blocks one after the other. */
static double blocks_add(const ig_dyn_totals *t, int column) {
  double total = 0;
  for (int b = 0; b < IG_DYN_PARTIAL; b++) {
    double part[IG_DYN_TOTAL_THREADS];
    for (int i = 0; i < IG_DYN_TOTAL_THREADS; i++)
      part[i] = t->sum[(int64_t)(b * IG_DYN_TOTAL_THREADS + i) * t->columns + column];
    for (int half = IG_DYN_TOTAL_THREADS / 2; half > 0; half /= 2)
      for (int i = 0; i < half; i++)
        part[i] += part[i + half];
    total += part[0];
  }
  return total;
}

void ig_dyn_totals_end(ig_dyn_totals *t, double *total) {
  for (int c = 0; c < t->columns && t->sum && total; c++)
    total[c] = t->sums > 1 ? blocks_add(t, c) : t->sum[c];
  free(t->sum);
  *t = (ig_dyn_totals){0};
}
