/* Rows of items in the order of the whole, a piece at a time: for output, which needs no more at
   once. On ranks the first one gets them, and nobody has the whole. */
#include "fracture/part.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 13 }; /* rows, on one rank */

/* --- own items of a part */

static ig_status own_items(ig_frac_model *m, ig_frac_per per, ig_collect *c) {
  const ig_frac_part *p = m->divided;
  const ig_frac_list *listed = per == IG_FRAC_PER_NODE   ? &p->nodes
                               : per == IG_FRAC_PER_LOAD ? &p->own_loads
                                                         : NULL;
  const bool bulk = per == IG_FRAC_PER_ELEMENT;
  const int32_t *rank = bulk ? p->element_owner : p->crack_owner.a.host;
  const int32_t *number = bulk                      ? p->element
                          : per == IG_FRAC_PER_NODE ? p->whole
                          : per == IG_FRAC_PER_LOAD ? p->load_number
                                                    : p->crack_number.a.host;
  const int64_t all = listed ? listed->count : bulk ? p->local.s.ne : p->crack_owner.count;
  IG_TRY(IG_NEW(m->cx, &c->mine, (size_t)all + 1, "own items"));
  IG_TRY(IG_NEW(m->cx, &c->whole, (size_t)all + 1, "own items"));
  for (int64_t i = 0; i < all; i++) {
    if (!listed && rank[i] != p->rank)
      continue;
    const int32_t item = listed ? ((int32_t *)listed->a.host)[i] : (int32_t)i;
    c->mine[c->mine_count] = item;
    c->whole[c->mine_count++] = number[item];
  }
  return IG_OK;
}

static ig_status alone(ig_frac_model *m, int64_t count, size_t size, ig_collect_row *row,
                       ig_collect_put *put, void *user) {
  char *rows;
  ig_status status = ig_alloc(m->cx, (void **)&rows, PIECE, size, "rows");
  for (int64_t first = 0; first < count && status == IG_OK; first += PIECE) {
    const int64_t here = count - first < PIECE ? count - first : PIECE;
    for (int64_t i = 0; i < here; i++)
      row(user, first + i, rows + (size_t)i * size);
    status = put(user, rows, first, here);
  }
  free(rows);
  return status;
}

ig_status ig_frac_stream(ig_frac_model *m, ig_frac_per per, size_t size, ig_collect_row *row,
                         ig_collect_put *put, void *user, ig_status status) {
  ig_collect c = {.whole_count = ig_frac_items(m, per)};
  if (!m->divided)
    return status == IG_OK ? alone(m, c.whole_count, size, row, put, user) : status;
  if (status == IG_OK)
    status = own_items(m, per, &c);
  status = ig_collect_rows(m->cx, &c, size, row, put, user, status);
  ig_collect_free(&c);
  return status;
}

/* --- figures: rows of own items, added by chunks as one rank adds them */

typedef struct {
  const double *from; /* of the part */
  int row, columns;   /* numbers in a row there; those that are sent */
  double *sum, chunk[IG_FRAC_SUMS];
} adding;

static void figures_row(void *user, int64_t item, void *row) {
  const adding *a = user;
  memcpy(row, a->from + (int64_t)item * a->row, (size_t)a->columns * sizeof(double));
}

static void chunk_close(adding *a) {
  for (int k = 0; k < a->columns; k++) {
    a->sum[k] += a->chunk[k];
    a->chunk[k] = 0;
  }
}

static ig_status figures_add(void *user, const void *rows, int64_t first, int64_t count) {
  adding *a = user;
  const double *row = rows;
  for (int64_t i = first; i < first + count; i++, row += a->columns) {
    if (i % IG_FRAC_CHUNK == 0)
      chunk_close(a);
    for (int k = 0; k < a->columns; k++)
      a->chunk[k] += row[k];
  }
  return IG_OK;
}

/* One kind of items: its rows in the part, made by kernels. */
typedef struct {
  ig_frac_per per;
  ig_frac_item item;
  const ig_frac_list *list;
  int64_t count;
  int row, columns, sums;
} figures_kind;

static ig_status rows_make(ig_frac_model *m, const figures_kind *k, ig_array *rows) {
  ig_frac_state s = m->divided->local.s;
  IG_TRY(ig_array_new(m->cx, rows, (size_t)(k->count * k->row) + 1, sizeof(double), "figures"));
  s.part = rows->dev;
  s.pick = k->list->a.dev;
  if (k->list->count)
    IG_TRY(m->ops->run(m->cx, m->kind, m->wide, k->item, &s, 0, k->list->count));
  return ig_array_pull(m->cx, rows);
}

static ig_status kind_add(ig_frac_model *m, const figures_kind *k, double *sum) {
  adding a = {.row = k->row, .columns = k->columns, .sum = sum + k->sums};
  ig_array rows = {0};
  void *host = NULL;
  ig_status status =
      k->list ? rows_make(m, k, &rows) : ig_frac_model_pull(&m->divided->local, "lwork", &host);
  a.from = k->list ? rows.host : host;
  status = ig_frac_stream(m, k->per, (size_t)k->columns * sizeof(double), figures_row, figures_add,
                          &a, status);
  chunk_close(&a);
  ig_array_free(m->cx, &rows);
  return status;
}

ig_status ig_frac_part_sums(ig_frac_model *m, double sum[IG_FRAC_SUMS]) {
  const ig_frac_part *p = m->divided;
  const ig_frac_model *q = &p->local;
  const figures_kind kinds[] = {
      {IG_FRAC_PER_ELEMENT, IG_FRAC_bulk_row, &p->elements, q->s.ne, IG_FRAC_BULK_ROW,
       m->s.zone.law.rigid ? IG_FRAC_BULK_ROW : IG_FRAC_ROW_IMPACT, IG_FRAC_BULK_SUMS},
      {IG_FRAC_PER_NODE, IG_FRAC_node_row, &p->nodes, q->count.nodes, IG_FRAC_NODE_ROW,
       m->s.surface.on ? IG_FRAC_NODE_ROW : IG_FRAC_ROW_SURFACE, IG_FRAC_NODE_SUMS},
      {IG_FRAC_PER_LOAD, IG_FRAC_load, NULL, 0, 2, IG_FRAC_LOAD_ROW, IG_FRAC_LOAD_SUMS},
      {IG_FRAC_PER_COHESIVE, IG_FRAC_crack_row, &p->cohesive, q->count.cohesive, IG_FRAC_CRACK_ROW,
       IG_FRAC_CRACK_ROW, IG_FRAC_CRACK_SUMS}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    IG_TRY(kind_add(m, &kinds[i], sum));
  return ig_ranks_share(m->cx, 0, sum, IG_FRAC_SUMS * sizeof *sum);
}
