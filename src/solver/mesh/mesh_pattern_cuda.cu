/* Patterns of matrices on the GPU. A warp makes a row: its columns go into a table in shared memory
   (hashing with linear probing), each once, then to their places by counting how many are smaller.
   The result does not depend on the order in which lanes came: it is a sorted set. */
#include "backend/cuda/launch.cuh"
extern "C" {
#include "solver/mesh/mesh_pattern.h"
}

/* Places of a table: of usual rows, eight in a block; of a row that has more columns, as many as a
   block may have on every GPU (64 kB; workstation GPUs give 99 kB to a block). */
enum { USUAL = 256, LONG = 16384, WARPS = 8, UNKNOWN = -1 };
/* Columns that a table takes: a warp adds up to 32 at once, and a quarter stays free. */
static __host__ __device__ constexpr int most_of(int size) {
  return size / 4 * 3 - 32;
}

/* A pattern as kernels see it. */
typedef struct {
  ig_lid rows;
  const ig_lid *start, *column;
} view;
static view view_of(const ig_pattern *p) {
  return {p->rows, (const ig_lid *)p->start.dev, (const ig_lid *)p->column.dev};
}

/* Whether the column is new. */
static __device__ bool put(ig_lid *table, int size, ig_lid column) {
  /* Knuth's multiplicative hash; size is a power of two */
  int at = (int)((uint32_t)column * 2654435761u >> 7) & (size - 1);
  for (;;) {
    const ig_lid there = atomicCAS(&table[at], UNKNOWN, column);
    if (there == UNKNOWN)
      return true;
    if (there == column)
      return false;
    at = (at + 1) & (size - 1);
  }
}

/* All columns of row i into the table; how many there are. It ends where they are too many. */
static __device__ int row_put(view a, view b, ig_lid i, ig_lid *table, int size) {
  const int lane = threadIdx.x % 32, most = most_of(size);
  for (int k = lane; k < size; k += 32)
    table[k] = UNKNOWN;
  __syncwarp();
  int n = 0;
  for (ig_lid first = a.start[i]; first < a.start[i + 1]; first += 32) {
    /* each lane walks one row of b; all go on until the longest of 32 is done */
    const ig_lid k = first + lane;
    const bool mine = k < a.start[i + 1];
    const ig_lid end = mine ? b.start[a.column[k] + 1] : 0;
    ig_lid j = mine ? b.start[a.column[k]] : 0;
    for (; n <= most && __any_sync(0xffffffffu, j < end); j++)
      n += __popc(__ballot_sync(0xffffffffu, j < end && put(table, size, b.column[j])));
  }
  __syncwarp();
  return n;
}

/* What is in the table, at its beginning. */
static __device__ void row_pack(ig_lid *table, int size) {
  const int lane = threadIdx.x % 32;
  int n = 0;
  for (int at = 0; at < size; at += 32) {
    const ig_lid column = table[at + lane];
    const unsigned there = __ballot_sync(0xffffffffu, column != UNKNOWN);
    if (column != UNKNOWN)
      table[n + __popc(there & ((1u << lane) - 1))] = column;
    n += __popc(there);
    __syncwarp();
  }
}

/* Counts (to `count`, UNKNOWN: too many for a table), or with `column` the columns themselves. */
template <int SIZE, int ROWS>
static __global__ void __launch_bounds__(32 * ROWS)
    times_pass(view a, view b, ig_lid *count, const ig_lid *start, ig_lid *column) {
  extern __shared__ ig_lid tables[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const ig_lid i = (ig_lid)(blockIdx.x * (int64_t)ROWS + warp);
  ig_lid *table = tables + warp * SIZE;
  if (i >= a.rows)
    return;
  if (!column) {
    if (SIZE == LONG && count[i] != UNKNOWN)
      return;
    const int n = row_put(a, b, i, table, SIZE);
    if (lane == 0)
      count[i] = n <= most_of(SIZE) ? n : UNKNOWN;
    return;
  }
  const int n = start[i + 1] - start[i];
  if ((n > most_of(USUAL)) != (SIZE == LONG))
    return;
  row_put(a, b, i, table, SIZE);
  row_pack(table, SIZE);
  /* n^2 comparisons: rows are short, and nothing is exchanged between lanes */
  for (int k = lane; k < n; k += 32) {
    int place = 0;
    for (int other = 0; other < n; other++)
      place += table[other] < table[k];
    column[start[i] + place] = table[k];
  }
}

/* Both kinds of launches visit all rows; each takes those that are its own by their length. */
static ig_status pass(ig_ctx *cx, bool longer, const ig_pattern *a, const ig_pattern *b,
                      ig_pattern *c) {
  ig_lid *start = (ig_lid *)c->start.dev, *column = (ig_lid *)c->column.dev;
  const cudaStream_t stream = ig_cuda_stream(cx);
  if (longer) {
    const size_t bytes = LONG * sizeof(ig_lid);
    /* more than the 48 kB that a kernel may have without asking */
    IG_CUDA(cx, cudaFuncSetAttribute(times_pass<LONG, 1>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    times_pass<LONG, 1><<<ig_cuda_blocks(a->rows, 1), 32, bytes, stream>>>(
        view_of(a), view_of(b), start + 1, start, column);
  } else {
    times_pass<USUAL, WARPS>
        <<<ig_cuda_blocks(a->rows, WARPS), 32 * WARPS, WARPS * USUAL * sizeof(ig_lid), stream>>>(
            view_of(a), view_of(b), start + 1, start, column);
  }
  IG_LAUNCHED(cx);
  return IG_OK;
}

static bool any_unknown(const ig_pattern *c) {
  const ig_lid *start = (const ig_lid *)c->start.host;
  for (ig_lid i = 0; i < c->rows; i++)
    if (start[i + 1] == UNKNOWN)
      return true;
  return false;
}

/* Count with small tables; rows that overflow again with a large one; then the columns in the same
   two kinds of launches. */
static ig_status times_make(ig_ctx *cx, const ig_pattern *a, const ig_pattern *b, ig_pattern *c) {
  IG_TRY(pass(cx, false, a, b, c));
  IG_TRY(ig_array_pull(cx, &c->start));
  const bool longer = any_unknown(c);
  if (longer) {
    IG_TRY(pass(cx, true, a, b, c));
    IG_TRY(ig_array_pull(cx, &c->start));
    if (any_unknown(c))
      return IG_FAIL(cx, IG_MEMORY,
                     "a node of the mesh has more than %d neighbours: use block_jacobi",
                     most_of(LONG));
  }
  IG_TRY(ig_pattern_room(cx, c));
  IG_TRY(pass(cx, false, a, b, c));
  return longer ? pass(cx, true, a, b, c) : IG_OK;
}

extern "C" ig_status ig_pattern_times_cuda(ig_ctx *cx, const ig_pattern *a, const ig_pattern *b,
                                           ig_pattern *c) {
  IG_TRY(ig_pattern_begin(cx, a->rows, b->cols, c));
  const ig_status status = times_make(cx, a, b, c);
  if (status != IG_OK)
    ig_pattern_free(cx, c);
  return status;
}

/* --- the transpose --- */

/* Entries of each column: whole numbers, whose sum has no order. */
static __global__ void count_pass(ig_lid entries, const ig_lid *column, ig_lid *count) {
  const ig_lid k = (ig_lid)(blockIdx.x * (int64_t)blockDim.x + threadIdx.x);
  if (k < entries)
    atomicAdd(&count[column[k]], 1);
}

/* Entries to their rows, in any order; `next`: where each row goes on. */
static __global__ void spread_pass(ig_lid entries, const ig_lid *column, ig_lid *next,
                                   ig_lid *any) {
  const ig_lid k = (ig_lid)(blockIdx.x * (int64_t)blockDim.x + threadIdx.x);
  if (k < entries)
    any[atomicAdd(&next[column[k]], 1)] = k;
}

/* The row in which entry k is. */
static __device__ ig_lid row_of(view a, ig_lid k) {
  ig_lid low = 0, high = a.rows;
  while (high - low > 1) {
    const ig_lid middle = low + (high - low) / 2;
    if (a.start[middle] <= k)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* A warp puts the entries of a row in their order: that of the rows they come from. */
static __global__ void order_pass(view a, ig_lid rows, const ig_lid *start, const ig_lid *any,
                                  ig_lid *column, ig_lid *from) {
  const int64_t i = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (i >= rows)
    return;
  const ig_lid begin = start[i], n = start[i + 1] - begin;
  for (ig_lid k = lane; k < n; k += 32) {
    const ig_lid entry = any[begin + k];
    ig_lid place = begin;
    for (ig_lid other = 0; other < n; other++)
      place += any[begin + other] < entry;
    from[place] = entry;
    column[place] = row_of(a, entry);
  }
}

/* Entries reach their rows in any order (atomics) and are then sorted within the row: the result
   does not depend on the order in which threads came. */
static ig_status turn_make(ig_ctx *cx, const ig_pattern *a, ig_pattern *t, ig_array *from,
                           ig_array *next, ig_array *any) {
  const ig_lid entries = (ig_lid)ig_pattern_entries(a);
  const ig_lid *old = (const ig_lid *)a->column.dev;
  const cudaStream_t stream = ig_cuda_stream(cx);
  const unsigned blocks = ig_cuda_blocks(entries, 256);
  IG_TRY(ig_array_zero(cx, &t->start));
  count_pass<<<blocks, 256, 0, stream>>>(entries, old, (ig_lid *)t->start.dev + 1);
  IG_LAUNCHED(cx);
  IG_TRY(ig_array_pull(cx, &t->start));
  IG_TRY(ig_pattern_room(cx, t));
  IG_TRY(ig_array_new_device(cx, from, (size_t)entries, sizeof(ig_lid), "transpose"));
  IG_TRY(ig_array_new_device(cx, any, (size_t)entries, sizeof(ig_lid), "transpose"));
  IG_TRY(ig_array_new_device(cx, next, t->start.count, sizeof(ig_lid), "transpose"));
  IG_TRY(cx->backend->copy(cx, next->dev, t->start.dev, t->start.count * sizeof(ig_lid)));
  spread_pass<<<blocks, 256, 0, stream>>>(entries, old, (ig_lid *)next->dev, (ig_lid *)any->dev);
  IG_LAUNCHED(cx);
  order_pass<<<ig_cuda_blocks(32 * (int64_t)t->rows, 128), 128, 0, stream>>>(
      view_of(a), t->rows, (const ig_lid *)t->start.dev, (const ig_lid *)any->dev,
      (ig_lid *)t->column.dev, (ig_lid *)from->dev);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* Temporary arrays are freed in any case, results after a failure. */
extern "C" ig_status ig_pattern_turn_cuda(ig_ctx *cx, const ig_pattern *a, ig_pattern *t,
                                          ig_array *from) {
  ig_array next = {}, any = {};
  *from = ig_array{};
  IG_TRY(ig_pattern_begin(cx, a->cols, a->rows, t));
  const ig_status status = turn_make(cx, a, t, from, &next, &any);
  ig_array_free(cx, &next);
  ig_array_free(cx, &any);
  if (status != IG_OK) {
    ig_pattern_free(cx, t);
    ig_array_free(cx, from);
  }
  return status;
}
