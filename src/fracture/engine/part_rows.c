/* Figures of a model on several ranks: rows of own items go to the first rank in pieces, in the
   order of the whole, and are added by chunks as one rank adds them.

   Sums of floating-point numbers depend on their order. One rank adds chunks of IG_FRAC_CHUNK
   items and then the chunks; here the first rank does the same with rows in the order of the
   whole, which makes histories equal to the last bit. The cost is a message of all rows, at
   output only. */
#include "fracture/engine/tables.h"

#include <string.h>

/* Sum and running chunk on the first rank; `from` on all. */
typedef struct {
  const double *from; /* of the part */
  int row, columns;   /* numbers in a row there; those that are sent */
  double *sum, chunk[IG_FRAC_SUMS];
} adding;

static void figures_row(void *user, int64_t item, void *row) {
  const adding *a = user;
  memcpy(row, a->from + (int64_t)item * a->row, (size_t)a->columns * sizeof(double));
}

/* A chunk's sum goes to the total; the next chunk begins at 0. */
static void chunk_close(adding *a) {
  for (int k = 0; k < a->columns; k++) {
    a->sum[k] += a->chunk[k];
    a->chunk[k] = 0;
  }
}

/* first: number of the first row in the whole, which decides where chunks begin. */
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

/* One kind of items: its rows in the part, made by kernels.
   list NULL: loads, whose rows are in the table lwork already. */
typedef struct {
  ig_frac_per per;
  ig_frac_item item;
  const ig_frac_list *list;
  int64_t count;
  int row, columns, sums;
} figures_kind;

/* The kernel writes rows of its list's items into an array of all items of the part. */
static ig_status rows_make(ig_frac_model *m, const figures_kind *k, ig_array *rows) {
  ig_frac_state s = m->s;
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
  ig_status status = k->list ? rows_make(m, k, &rows) : ig_frac_model_pull(m, "lwork", &host);
  a.from = k->list ? rows.host : host;
  status = ig_arrays_rows(&m->arrays, k->per, (size_t)k->columns * sizeof(double), figures_row,
                          figures_add, &a, status);
  chunk_close(&a);
  ig_array_free(m->cx, &rows);
  return status;
}

/* sum: zeros on entry; the same on all ranks at the end. */
ig_status ig_frac_part_sums(ig_frac_model *m, double sum[IG_FRAC_SUMS]) {
  const ig_frac_part *p = &m->part;
  const figures_kind kinds[] = {
      {IG_FRAC_PER_ELEMENT, IG_FRAC_bulk_row, &p->elements, m->s.ne, IG_FRAC_BULK_ROW,
       m->s.zone.law.rigid ? IG_FRAC_BULK_ROW : IG_FRAC_ROW_IMPACT, IG_FRAC_BULK_SUMS},
      {IG_FRAC_PER_NODE, IG_FRAC_node_row, &p->nodes, m->count.nodes, IG_FRAC_NODE_ROW,
       m->s.surface.on ? IG_FRAC_NODE_ROW : IG_FRAC_ROW_SURFACE, IG_FRAC_NODE_SUMS},
      {IG_FRAC_PER_LOAD, IG_FRAC_load, NULL, 0, 2, IG_FRAC_LOAD_ROW, IG_FRAC_LOAD_SUMS},
      {IG_FRAC_PER_COHESIVE, IG_FRAC_crack_row, &p->cohesive, m->count.cohesive, IG_FRAC_CRACK_ROW,
       IG_FRAC_CRACK_ROW, IG_FRAC_CRACK_SUMS}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    IG_TRY(kind_add(m, &kinds[i], sum));
  return ig_ranks_bcast(m->cx, 0, sum, IG_FRAC_SUMS * sizeof *sum);
}
