/* Surveys of all parts. Rows of own items go to rank 0 in pieces and are added there exactly as one
   rank adds them (heat_survey.inc): item i to partial sum i modulo the number of sums, then the
   partial sums in their order. A sum of the ranks' own sums would be cheaper, but its rounding
   would depend on how the mesh is divided. On a GPU the partial sums are those of threads, added by
   warps and blocks; rank 0 repeats that order on the host. */
#include "backend/backend.h"
#include "ranks/allgather.h"
#include "thermal/kernels/heat_ops.h"
#include "thermal/engine/heat_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPAN = 1 << 13 }; /* items of the part in hand at a time */

/* Item i is added to sum i modulo `sums`, as threads of the survey do. */
typedef struct {
  ig_ctx *cx;
  ig_heat *h;
  const ig_heat_question *q;
  ig_survey_kind kind;
  const ig_collect *items;
  int columns;
  char *span;     /* rows of items in hand */
  ig_array *rows; /* the same on the device, where that has its own memory */
  int64_t sums;
  double *sum; /* sums x IG_SURVEY_SUMS */
} adding;

/* Rows of items [first, first + count) of the part. */
static ig_status rows_fill(const adding *a, int32_t first, int32_t count, void *rows) {
  const size_t bytes = (size_t)count * (size_t)a->columns * sizeof(double);
  if (a->h->elements == 0) {
    memset(rows, 0, bytes);
    return IG_OK;
  }
  double *dev = a->cx->backend->separate ? a->rows->dev : rows;
  IG_TRY(a->h->ops->rows(a->cx, a->h, a->q, a->kind, first, count, a->columns, dev));
  return dev == rows ? IG_OK : a->cx->backend->copy_out(a->cx, rows, dev, bytes);
}

/* Own items stand between ghosts: as many as lie within a span are filled with those between. */
static ig_status own_give(void *user, int64_t begin, int64_t count, void *rows) {
  const adding *a = user;
  const int32_t *mine = a->items->mine + begin;
  const size_t size = (size_t)a->columns * sizeof(double);
  for (int64_t i = 0, end; i < count; i = end) {
    const int32_t first = mine[i];
    for (end = i + 1; end < count && mine[end] - first < SPAN;)
      end++;
    IG_TRY(rows_fill(a, first, mine[end - 1] - first + 1, a->span));
    for (int64_t k = i; k < end; k++)
      memcpy((char *)rows + (size_t)k * size, a->span + (size_t)(mine[k] - first) * size, size);
  }
  return IG_OK;
}

/* A row's columns to the sums they belong to, in the order of survey_row (heat_survey.inc). */
static void node_add(double *sum, const double *row) {
  for (int c = 0; c < IG_LEDGER_COLUMNS; c++)
    sum[c] += row[c];
  sum[IG_SURVEY_STORED] += row[IG_LEDGER_COLUMNS];
  sum[IG_SURVEY_LAYER] += row[IG_LEDGER_COLUMNS + 1];
  sum[IG_SURVEY_LAYER_NODES] += row[IG_LEDGER_COLUMNS + 2];
  sum[IG_SURVEY_EVAPORATED] += row[IG_LEDGER_COLUMNS + 3];
}
static void cell_add(double *sum, const double *row) {
  for (int a = 0; a < 8; a++)
    sum[IG_SURVEY_MOLTEN] += row[a];
  for (int c = 0; c < 4; c++)
    sum[IG_SURVEY_FROZEN + c] += row[8 + c];
}
static void face_add(double *sum, const double *row) {
  static const int column[IG_SURVEY_FACE] = {IG_LEDGER_FLUX, IG_LEDGER_CONVECTED,
                                             IG_LEDGER_RADIATED};
  for (int c = 0; c < IG_SURVEY_FACE; c++)
    sum[column[c]] += row[c];
}

/* Rows arrive in the order of the whole: `first` is the number of the first. */
static ig_status sums_add(void *user, const void *rows, int64_t first, int64_t count) {
  const adding *a = user;
  const double *row = rows;
  for (int64_t i = 0; i < count; i++, row += a->columns) {
    double *sum = a->sum + IG_SURVEY_SUMS * ((first + i) % a->sums);
    if (a->kind == IG_SURVEY_NODES)
      node_add(sum, row);
    else if (a->kind == IG_SURVEY_CELLS)
      cell_add(sum, row);
    else
      face_add(sum, row);
  }
  return IG_OK;
}

/* The sums of a block of 256 threads, as its warps add them by halves, then one warp after the
   other. x: the block's, a column. */
static double block_sum(const double *x) {
  double all = 0;
  for (int warp = 0; warp < 8; warp++) {
    double lane[32];
    for (int l = 0; l < 32; l++)
      lane[l] = x[(int64_t)IG_SURVEY_SUMS * (32 * warp + l)];
    for (int half = 16; half; half /= 2)
      for (int l = 0; l < half; l++)
        lane[l] += lane[l + half];
    all = warp ? all + lane[0] : lane[0];
  }
  return all;
}

/* Partial sums in their order, on a GPU block by block. */
static void sums_finish(const adding *a, int parts, bool cuda, double *found) {
  for (int c = 0; c < IG_SURVEY_SUMS; c++)
    for (int i = 0; i < parts; i++) {
      const double *sum = a->sum + c + (int64_t)i * IG_SURVEY_SUMS * (cuda ? 256 : 1);
      const double part = cuda ? block_sum(sum) : *sum;
      found[c] = i ? found[c] + part : part;
    }
}

/* All sums of a question, on rank 0. */
static ig_status sums_find(ig_ctx *cx, ig_heat *h, const ig_heat_question *q, int parts,
                           double *found) {
  const ig_heat_part *p = &h->part;
  const bool cuda = cx->backend->kernels == IG_KERNELS_CUDA;
  ig_array rows = {0};
  adding a = {.cx = cx, .h = h, .q = q, .rows = &rows, .sums = (int64_t)parts * (cuda ? 256 : 1)};
  const struct {
    bool asked;
    ig_survey_kind kind;
    const ig_collect *items;
    int columns;
  } list[] = {{q->melt, IG_SURVEY_CELLS, &p->cells, IG_SURVEY_CELL},
              {!q->pools, IG_SURVEY_NODES, &p->nodes, IG_SURVEY_NODE},
              {!q->pools && p->faces.whole_count > 0, IG_SURVEY_FACES, &p->faces, IG_SURVEY_FACE}};
  ig_status status = IG_NEW(cx, &a.sum, (size_t)a.sums * IG_SURVEY_SUMS, "sums of a survey");
  if (status == IG_OK)
    status = ig_alloc(cx, (void **)&a.span, SPAN * (size_t)IG_SURVEY_CELL, sizeof(double), "rows");
  if (status == IG_OK && cx->backend->separate)
    status = ig_array_new_device(cx, &rows, SPAN * (size_t)IG_SURVEY_CELL, sizeof(double), "rows");
  status = ig_ranks_agree(cx, status);
  for (int i = 0; i < 3 && status == IG_OK; i++) {
    a.kind = list[i].kind;
    a.items = list[i].items;
    a.columns = list[i].columns;
    if (list[i].asked)
      status = ig_collect_stream(cx, a.items, (size_t)a.columns * sizeof(double), own_give,
                                 sums_add, &a, IG_OK);
  }
  if (status == IG_OK)
    sums_finish(&a, parts, cuda, found);
  ig_array_free(cx, &rows);
  free(a.span);
  free(a.sum);
  return status;
}

/* Lowest and highest of all ranks. */
static ig_status extremes_find(ig_ctx *cx, ig_status status, ig_heat_survey *found) {
  void *list;
  int64_t ranks;
  status = ig_ranks_allgatherv(cx, status, found, 1, sizeof *found, NULL, &list, &ranks, NULL);
  const ig_heat_survey *all = list;
  for (int64_t r = 0; r < ranks && status == IG_OK; r++)
    for (int i = 0; i < IG_SURVEY_EXTREMES; i++) {
      found->low[i] = fmin(found->low[i], all[r].low[i]);
      found->high[i] = fmax(found->high[i], all[r].high[i]);
    }
  free(list);
  return status;
}

/* The largest of all ranks, of each of `count` numbers; also tells all of a failure. */
ig_status ig_heat_part_most(ig_ctx *cx, double *value, int count, ig_status status) {
  void *list;
  int64_t values;
  if (ig_ranks_count(cx->ranks) == 1)
    return status;
  status = ig_ranks_allgatherv(cx, status, value, count, sizeof *value, NULL, &list, &values, NULL);
  for (int64_t i = 0; i < values && status == IG_OK; i++)
    value[i % count] = fmax(value[i % count], ((const double *)list)[i]);
  free(list);
  return status;
}

/* Extremes need no order: each rank sends its own. The plain heat balance is kept until the next
   step (`counted`), since history, snapshot and summary ask for it one after the other. */
ig_status ig_heat_part_survey(ig_ctx *cx, ig_heat *h, const ig_heat_question *q, ig_status status,
                              ig_heat_survey *found) {
  ig_heat_part *p = &h->part;
  if (!ig_heat_is_divided(h))
    return status;
  IG_TRY(extremes_find(cx, status, found));
  memset(found->sum, 0, sizeof found->sum);
  const bool balance = !q->change && !q->pools && !q->layered && !q->melt;
  if (balance && p->counted)
    memcpy(found->sum, p->balance, sizeof found->sum);
  else if (!q->change)
    IG_TRY(sums_find(cx, h, q, IG_HEAT_SURVEY_PARTS, found->sum));
  if (balance) {
    memcpy(p->balance, found->sum, sizeof found->sum);
    p->counted = true;
  }
  IG_TRY(ig_ranks_agree(cx, IG_OK));
  return ig_ranks_bcast(cx, 0, found->sum, sizeof found->sum);
}
