/* Rows divided between ranks: ranges, ghosts, and vectors made whole again (rows.h). Lists of what
   is sent and received are derived by both sides from the same pattern, in the same order, without
   messages. */
#include "solver/krylov/rows.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

/* units * r / ranks: ranges differ by one unit at most. */
ig_status ig_rows_new(ig_ctx *cx, ig_lid count, ig_lid unit, ig_rows *rows) {
  const int64_t units = ((int64_t)count + unit - 1) / unit;
  memset(rows, 0, sizeof *rows);
  rows->cx = cx;
  rows->rank = ig_ranks_rank(cx->ranks);
  rows->ranks = ig_ranks_count(cx->ranks);
  IG_TRY(IG_NEW(cx, &rows->start, (size_t)rows->ranks + 1, "division of rows"));
  for (int r = 0; r <= rows->ranks; r++) {
    const int64_t at = units * r / rows->ranks * unit;
    rows->start[r] = at < count ? (ig_lid)at : count;
  }
  rows->from = rows->start[rows->rank];
  rows->to = rows->start[rows->rank + 1];
  return IG_OK;
}

/* For arrays with several items per row, such as the blocks of matrix rows: at = where rows start.
 */
ig_status ig_rows_like(ig_ctx *cx, const ig_rows *from, const ig_lid *at, ig_rows *rows) {
  IG_TRY(ig_rows_new(cx, 0, 1, rows));
  for (int r = 0; r <= from->ranks; r++)
    rows->start[r] = at[from->start[r]];
  rows->from = rows->start[rows->rank];
  rows->to = rows->start[rows->rank + 1];
  return IG_OK;
}

void ig_rows_free(ig_rows *rows) {
  if (rows->host)
    rows->cx->backend->host_free(rows->cx, rows->host);
  free(rows->start);
  memset(rows, 0, sizeof *rows);
}

int ig_rows_owner(const ig_rows *rows, ig_lid row) {
  int low = 0, high = rows->ranks - 1;
  while (low < high) { /* the last range that begins at or before it; empty ones begin there, too */
    const int middle = (low + high + 1) / 2;
    if (rows->start[middle] <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Sums over a mesh's vectors reuse the machinery of slabs: a "plane" is a block of `length` rows.
   There are no ghosts and one level. */
ig_status ig_rows_slab(ig_ctx *cx, const ig_rows *rows, ig_lid length, ig_slab **out) {
  ig_slab *s;
  IG_TRY(IG_NEW(cx, &s, 1, "division of sums"));
  s->cx = cx;
  s->rank = rows->rank;
  s->ranks = rows->ranks;
  s->depth = 1;
  ig_status status = IG_NEW(cx, &s->start, (size_t)s->ranks + 1, "division of sums");
  if (status == IG_OK)
    status = IG_NEW(cx, &s->message, s->ranks, "division of sums");
  if (status == IG_OK)
    status = IG_NEW(cx, &s->size, s->ranks, "division of sums");
  for (int r = 0; r <= s->ranks && status == IG_OK; r++) /* the last block may be short */
    s->start[r] = (rows->start[r] + length - 1) / length;
  if (status != IG_OK) {
    ig_slab_free(s);
    return status;
  }
  s->planes = s->start[s->ranks];
  *out = s;
  return IG_OK;
}

ig_grid ig_rows_blocks(int64_t count, int64_t length, int size) {
  const int blocks = (int)((count + length - 1) / length);
  return (ig_grid){.dim = 3,
                   .dof = 1,
                   .n = {0, 0, blocks - 1},
                   .row = 1,
                   .all = blocks - 1,
                   .plane = length * size,
                   .stored = count * size};
}

ig_status ig_rows_sums(ig_ctx *cx, const ig_rows *rows, ig_lid length, int size, ig_slab **slab,
                       ig_grid *sums) {
  int to;
  *sums = ig_rows_blocks(rows->start[rows->ranks], length, size);
  IG_TRY(ig_rows_slab(cx, rows, length, slab));
  sums->slab = *slab;
  ig_slab_range(*slab, 0, rows->rank, &sums->from, &to);
  sums->n[2] = to - sums->from - 1;
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    sums->stored = (int64_t)size * (rows->to - rows->from);
  return IG_OK;
}

/* Whether this rank computes the row. */
static bool own(const ig_rows *rows, ig_lid row) {
  return row >= rows->from && row < rows->to;
}

/* --- ghosts --- */

/* Pairs become a halo, or are freed where making them failed. */
static ig_status pairs_use(ig_ctx *cx, ig_status status, ig_halo_pairs *give, ig_halo_pairs *take,
                           size_t item, ig_halo *halo) {
  if (status == IG_OK)
    return ig_halo_of_pairs(cx, give, take, item, halo);
  free(give->item);
  free(take->item);
  return status;
}

/* A column as one item, or as all items it stands for (blocks of a matrix row). */
static ig_status column_add(ig_ctx *cx, int rank, ig_lid at, const ig_lid *of, ig_halo_pairs *all) {
  if (!of)
    return ig_halo_pair_add(cx, all, rank, at);
  for (ig_lid k = of[at]; k < of[at + 1]; k++)
    IG_TRY(ig_halo_pair_add(cx, all, rank, k));
  return IG_OK;
}

/* All rows of all ranks are looked at: a column that is mine and read by another rank's row is
   given, one that is another's and read by my row is taken. */
ig_status ig_rows_pairs(ig_ctx *cx, const ig_rows *rows, const ig_rows *columns,
                        ig_rows_pattern pattern, const ig_lid *number, const ig_lid *of,
                        ig_halo_pairs *give, ig_halo_pairs *take) {
  for (int r = 0; r < rows->ranks; r++)
    for (ig_lid k = pattern.start[rows->start[r]]; k < pattern.start[rows->start[r + 1]]; k++) {
      const ig_lid column = pattern.column[k];
      /* own rows that read own columns, and others' rows that read others' columns: no concern of
         this rank */
      const bool mine = own(columns, column);
      if (mine == (r == rows->rank))
        continue;
      IG_TRY(column_add(cx, mine ? r : ig_rows_owner(columns, column),
                        number ? number[column] : column, of, mine ? give : take));
    }
  return IG_OK;
}

ig_status ig_rows_halo(ig_ctx *cx, const ig_rows *rows, const ig_rows *columns,
                       ig_rows_pattern pattern, const ig_lid *number, size_t item, ig_halo *halo) {
  ig_halo_pairs give = {0}, take = {0};
  const ig_status status = ig_rows_pairs(cx, rows, columns, pattern, number, NULL, &give, &take);
  return pairs_use(cx, status, &give, &take, item, halo);
}

/* Where an element has own nodes and others, each owner needs all of them. */
static ig_status element_look(ig_ctx *cx, const ig_rows *nodes, int npe, const ig_lid *conn,
                              const ig_lid *number, ig_halo_pairs *give, ig_halo_pairs *take) {
#define NUMBER(n) (number ? number[n] : (n))
  for (int a = 0; a < npe; a++) {
    if (own(nodes, conn[a]))
      continue;
    const int other = ig_rows_owner(nodes, conn[a]);
    IG_TRY(ig_halo_pair_add(cx, take, other, NUMBER(conn[a])));
    for (int c = 0; c < npe; c++)
      if (own(nodes, conn[c]))
        IG_TRY(ig_halo_pair_add(cx, give, other, NUMBER(conn[c])));
  }
#undef NUMBER
  return IG_OK;
}

/* An element is computed by every rank that owns one of its nodes: sums at own nodes are then
   complete without adding contributions of other ranks, in the order of one rank. */
ig_status ig_rows_halo_elements(ig_ctx *cx, const ig_rows *nodes, ig_lid elements, int npe,
                                const ig_lid *conn, const ig_lid *number, size_t item,
                                uint8_t *mine, ig_halo *halo) {
  ig_halo_pairs give = {0}, take = {0};
  ig_status status = IG_OK;
  for (ig_lid e = 0; e < elements && status == IG_OK; e++) {
    const ig_lid *corner = conn + (int64_t)npe * e;
    int owned = 0;
    for (int a = 0; a < npe; a++)
      owned += own(nodes, corner[a]);
    mine[e] = owned > 0;
    if (owned > 0 && owned < npe)
      status = element_look(cx, nodes, npe, corner, number, &give, &take);
  }
  return pairs_use(cx, status, &give, &take, item, halo);
}

/* --- whole vectors --- */

/* Memory of the host for a whole vector: the vector itself where the device has none of its own. */
static ig_status host_room(ig_ctx *cx, ig_rows *rows, size_t size, void *values, char **host) {
  *host = values;
  if (!cx->backend->separate)
    return IG_OK;
  if (size > rows->room) {
    if (rows->host)
      cx->backend->host_free(cx, rows->host);
    rows->host = NULL;
    rows->room = 0;
    IG_TRY(cx->backend->host_alloc(cx, (void **)&rows->host, size));
    rows->room = size;
  }
  *host = rows->host;
  return IG_OK;
}

/* Rows [from, to) of a vector between the device and the host. */
static ig_status rows_copy(ig_ctx *cx, const ig_rows *rows, int rank, size_t item, char *host,
                           char *device, bool out) {
  const size_t at = (size_t)rows->start[rank] * item;
  const size_t size = (size_t)(rows->start[rank + 1] - rows->start[rank]) * item;
  if (host == device || size == 0)
    return IG_OK;
  return out ? cx->backend->copy_out(cx, host + at, device + at, size)
             : cx->backend->copy_in(cx, device + at, host + at, size);
}

/* All-gather in place. On a GPU through pinned memory of the host, which is kept for the next call.
 */
ig_status ig_rows_gather(ig_ctx *cx, ig_rows *rows, size_t item, void *values) {
  ig_message *message = NULL;
  char *host = NULL;
  int messages = 0;
  ig_status status = IG_NEW(cx, &message, rows->ranks, "messages");
  if (status == IG_OK)
    status = host_room(cx, rows, (size_t)rows->start[rows->ranks] * item, values, &host);
  if (status == IG_OK)
    status = rows_copy(cx, rows, rows->rank, item, host, values, true);
  status = ig_ranks_agree(cx, status);
  for (int r = 0; r < rows->ranks && status == IG_OK; r++)
    if (r != rows->rank)
      message[messages++] =
          (ig_message){.rank = r,
                       .send = host + (size_t)rows->from * item,
                       .send_size = (size_t)(rows->to - rows->from) * item,
                       .receive = host + (size_t)rows->start[r] * item,
                       .receive_size = (size_t)(rows->start[r + 1] - rows->start[r]) * item};
  if (status == IG_OK)
    status = ig_ranks_exchange(cx, message, messages);
  for (int r = 0; r < rows->ranks && status == IG_OK; r++)
    if (r != rows->rank)
      status = rows_copy(cx, rows, r, item, host, values, false);
  free(message);
  return status;
}

/* Messages have size 0 in the direction in which nothing is asked for. The context's ranks agree
   first, so that a rank without memory does not leave others waiting. */
ig_status ig_rows_collect(ig_ctx *cx, const ig_rows *rows, size_t item, const void *own,
                          bool everyone, void *whole) {
  const bool takes = everyone || rows->rank == 0;
  const size_t mine = (size_t)(rows->to - rows->from) * item;
  ig_message *message = NULL;
  char *buffer = NULL, *all = whole;
  int messages = 0;
  ig_status status = IG_NEW(cx, &message, rows->ranks, "messages");
  if (status == IG_OK && !takes)
    status = IG_NEW(cx, &buffer, mine + 1, "messages");
  char *from = takes ? all + (size_t)rows->from * item : buffer;
  if (status == IG_OK && mine)
    status = cx->backend->copy_out(cx, from, own, mine);
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  status = ig_ranks_agree(cx, status);
  for (int r = 0; r < rows->ranks && status == IG_OK; r++) {
    const bool gives = everyone || r == 0;
    if (r == rows->rank || !(takes || gives))
      continue;
    message[messages++] = (ig_message){
        .rank = r,
        .send = from,
        .send_size = gives ? mine : 0,
        .receive = takes ? all + (size_t)rows->start[r] * item : NULL,
        .receive_size = takes ? (size_t)(rows->start[r + 1] - rows->start[r]) * item : 0};
  }
  if (status == IG_OK)
    status = ig_ranks_exchange(cx, message, messages);
  free(message);
  free(buffer);
  return status;
}
