/* Patterns of matrices, on the CPU. A product is made row by row in two passes, count and fill; a
   thread marks the columns that a row has seen with the row's number, so marks need not be cleared.
 */
#include "solver/mesh/mesh_pattern.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "mesh/topology.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Row i of c: how many columns it has, or, with `list`, which. Each has marks of its own for what
   it has seen. */
static ig_lid row_times(const ig_pattern *a, const ig_pattern *b, ig_lid i, ig_lid seen,
                        ig_lid *mark, ig_lid *list) {
  /* device memory is host memory here, but for the `debug` backend, on which the CPU may read it,
     too */
  const ig_lid *a_start = a->start.dev, *a_column = a->column.dev;
  const ig_lid *b_start = b->start.dev, *b_column = b->column.dev;
  ig_lid n = 0;
  for (ig_lid k = a_start[i]; k < a_start[i + 1]; k++)
    for (ig_lid j = b_start[a_column[k]]; j < b_start[a_column[k] + 1]; j++) {
      const ig_lid col = b_column[j];
      if (mark[col] == seen)
        continue;
      mark[col] = seen;
      if (list)
        list[n] = col;
      n++;
    }
  if (list)
    ig_lids_sort(list, n);
  return n;
}

/* Marks of the second pass are negative, so that those of the first need not be cleared. */
static ig_status times(ig_ctx *cx, const ig_pattern *a, const ig_pattern *b, ig_pattern *c) {
  /* a row of marks per thread: width x threads numbers */
  ig_lid *marks = NULL; /* 0: none */
  const size_t width = (size_t)b->cols;
  const int team = ig_team(cx, a->rows, IG_WORK_ROW);
  IG_TRY(ig_pattern_begin(cx, a->rows, b->cols, c));
  ig_status status = IG_NEW(cx, &marks, (size_t)cx->threads * width, "multigrid setup");
  if (status == IG_OK) {
    ig_lid *count = (ig_lid *)c->start.host + 1;
#pragma omp parallel for schedule(static) num_threads(team)
    for (ig_lid i = 0; i < a->rows; i++)
      count[i] = row_times(a, b, i, 1 + i, marks + (size_t)omp_get_thread_num() * width, NULL);
    status = ig_pattern_room(cx, c);
  }
  if (status == IG_OK) {
    const ig_lid *start = c->start.host;
    ig_lid *column = c->column.dev;
#pragma omp parallel for schedule(static) num_threads(team)
    for (ig_lid i = 0; i < a->rows; i++)
      row_times(a, b, i, -1 - i, marks + (size_t)omp_get_thread_num() * width, column + start[i]);
  }
  free(marks);
  if (status != IG_OK)
    ig_pattern_free(cx, c);
  return status;
}

/* Every thread looks at all entries and takes those of its own rows, in their order. `next`: where
   each row goes on. */
static void turn_fill(ig_ctx *cx, const ig_pattern *a, ig_lid *next, ig_lid *column, ig_lid *from) {
  const ig_lid *start = a->start.dev, *old = a->column.dev;
  const int team = ig_team(cx, start[a->rows], IG_WORK_VALUE);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int part = 0; part < team; part++) {
    const ig_lid low = (ig_lid)((int64_t)a->cols * part / team);
    const ig_lid high = (ig_lid)((int64_t)a->cols * (part + 1) / team);
    for (ig_lid i = 0; i < a->rows; i++)
      for (ig_lid k = start[i]; k < start[i + 1]; k++)
        if (old[k] >= low && old[k] < high) {
          const ig_lid at = next[old[k]]++;
          column[at] = i;
          from[at] = k;
        }
  }
}

/* A counting sort by columns; entries of a new row stay in the order of their old rows. */
static ig_status turn(ig_ctx *cx, const ig_pattern *a, ig_pattern *t, ig_array *from) {
  const size_t entries = ig_pattern_entries(a);
  const ig_lid *old = a->column.dev;
  ig_lid *next = NULL;
  memset(from, 0, sizeof *from);
  IG_TRY(ig_pattern_begin(cx, a->cols, a->rows, t));
  ig_lid *count = (ig_lid *)t->start.host + 1;
  for (size_t k = 0; k < entries; k++)
    count[old[k]]++;
  ig_status status = ig_pattern_room(cx, t);
  if (status == IG_OK)
    status = ig_array_new_device(cx, from, entries, sizeof(ig_lid), "transpose");
  if (status == IG_OK)
    status = IG_NEW(cx, &next, (size_t)a->cols + 1, "transpose");
  if (status == IG_OK) {
    memcpy(next, t->start.host, (size_t)a->cols * sizeof *next);
    turn_fill(cx, a, next, t->column.dev, from->dev);
  } else {
    ig_pattern_free(cx, t);
    ig_array_free(cx, from);
  }
  free(next);
  return status;
}

const ig_pattern_ops ig_pattern_cpu = {.times = times, .turn = turn};
#ifdef INGOT_HAVE_CUDA
const ig_pattern_ops ig_pattern_cuda = {.times = ig_pattern_times_cuda,
                                        .turn = ig_pattern_turn_cuda};
#endif
