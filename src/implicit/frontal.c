/* The multifrontal factorization of frontal.h.

   Analysis, once per pattern (ig_frontal_new):
      - quotient_make: equations with equal rows become one vertex, for a smaller graph;

   - ig_order_dissect: order of elimination with little fill;
      - tree_make, tree_walk: elimination tree, renumbered in post order: children come before their
     parents, and the vertices of a subtree are consecutive;

   - columns_make: rows of each column of the factor (symbolic factorization);
   - supernodes, fronts_make: columns with nearly the same rows together, one front each.

   Factorization, once per matrix (ig_frontal_factor), front by front in post order:

           pivots  rest
          +-------+-----+    1. entries of the matrix, and the remainders of the children
   pivots |  L D  |  U  |    2. pivots are eliminated, BLOCK columns at a time
          +-------+-----+    3. the two left blocks are kept (of U its transpose, where K is not
   rest   |   L   |  R  |       symmetric)
          +-------+-----+    4. R, the remainder, goes on the pile for the parent


   Post order makes the pile a stack. Fronts are done one after the other, threads share the work
   inside of one: the order of every sum, and so the bits, do not depend on their number. Almost all
   time is in tile(), for large fronts.

   Solution, per right-hand side (ig_frontal_solve): forward by fronts, backward in reverse. */
#include "implicit/frontal.h"
#include "implicit/order.h"
#include "core/threads.h"
#include "core/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A supernode: `pivots` equations from number `at` on (in the order of elimination) and the
   `rows` - pivots equations they are coupled to, row[] in that order, the pivots among them. */
typedef struct {
  int32_t at, pivots, rows, parent;
  const int32_t *row;
  double *lower; /* rows x pivots: L, unit diagonal left out; its diagonal has the pivots */
  double *upper; /* rows x pivots: U transposed, where it is not D L^T; NULL */
} front;

struct ig_frontal {
  ig_ctx *cx;
  int32_t n, fronts, most; /* most: rows of the largest front */
  /* pattern: the caller's, see ig_direct_new */

  const int64_t *first;
  const int32_t *column;
  int64_t *across;        /* entries: where (j, i) is */
  int32_t *order, *place; /* equation eliminated k-th; the other way round */
  int32_t *rows;          /* of all fronts */
  front *front;
  /* lower of all fronts, then upper of all; kept from matrix to matrix */
  double *factor;
  int64_t entries; /* of `lower` of all fronts */
  /* of the last matrix; `factor` has space for both */
  bool symmetric, two;
  double *work; /* n */
};

static ig_status stopped(ig_ctx *cx) {
  return cx->interrupted ? IG_FAIL(cx, IG_INTERRUPTED, "interrupted in a factorization") : IG_OK;
}

/* --- analysis */

/* Vertices: equations with the same pattern, one after the other. */
typedef struct {
  /* next[first[v]] ... next[first[v + 1] - 1]: neighbours of vertex v without itself */
  int32_t count, *of, *start; /* of: equations; start: count + 1, equations of each */
  int64_t *first;
  int32_t *next, *weight;
} quotient;

static bool same_row(const int64_t *first, const int32_t *column, int32_t i, int32_t j) {
  const int64_t n = first[i + 1] - first[i];
  return n == first[j + 1] - first[j] &&
         memcmp(column + first[i], column + first[j], (size_t)n * sizeof *column) == 0;
}

/* Only neighbours in number are compared: the equations of a node are consecutive, which is where
   equal rows come from. The first equation of a vertex stands for all in its list of neighbours. */
static ig_status quotient_make(ig_ctx *cx, int32_t n, const int64_t *first, const int32_t *column,
                               quotient *q) {
  IG_TRY(IG_NEW(cx, &q->of, (size_t)n + 1, "factorization"));
  IG_TRY(IG_NEW(cx, &q->start, (size_t)n + 2, "factorization"));
  for (int32_t i = 0; i < n; i++) {
    if (i == 0 || !same_row(first, column, i - 1, i))
      q->start[q->count++] = i;
    q->of[i] = q->count - 1;
  }
  q->start[q->count] = n;
  IG_TRY(IG_NEW(cx, &q->first, (size_t)q->count + 1, "factorization"));
  IG_TRY(IG_NEW(cx, &q->next, (size_t)first[n] + 1, "factorization"));
  IG_TRY(IG_NEW(cx, &q->weight, (size_t)q->count + 1, "factorization"));
  int64_t at = 0;
  for (int32_t v = 0; v < q->count; v++) {
    const int32_t i = q->start[v];
    int32_t last = -1;
    q->weight[v] = q->start[v + 1] - i;
    for (int64_t k = first[i]; k < first[i + 1]; k++) {
      const int32_t w = q->of[column[k]];
      if (w != last && w != v)
        q->next[at++] = w;
      last = w;
    }
    q->first[v + 1] = at;
  }
  return IG_OK;
}

static void quotient_free(quotient *q) {
  free(q->of);
  free(q->start);
  free(q->first);
  free(q->next);
  free(q->weight);
}

/* Elimination tree of vertices in `order` (Liu 1990), parents by rank. root: the highest rank found
   so far above each, shortened on the way (path compression), so that the cost is almost linear in
   the entries. */
static void tree_make(const quotient *q, const int32_t *order, const int32_t *rank, int32_t *parent,
                      int32_t *root) {
  for (int32_t k = 0; k < q->count; k++) {
    parent[k] = root[k] = -1;
    for (int64_t e = q->first[order[k]]; e < q->first[order[k] + 1]; e++) {
      int32_t i = rank[q->next[e]];
      while (i < k && i >= 0) {
        const int32_t up = root[i];
        root[i] = k;
        if (up < 0)
          parent[i] = k;
        if (up < 0 || up == k)
          break;
        i = up;
      }
    }
  }
}

/* Numbers of the tree in post order: post[k] is the rank that comes k-th. */
static void tree_walk(int32_t n, const int32_t *parent, int32_t *child, int32_t *sibling,
                      int32_t *stack, int32_t *post) {
  int32_t done = 0;
  for (int32_t i = 0; i < n; i++)
    child[i] = -1;
  for (int32_t i = n - 1; i >= 0; i--)
    if (parent[i] >= 0) {
      sibling[i] = child[parent[i]];
      child[parent[i]] = i;
    }
  for (int32_t r = 0; r < n; r++) {
    int32_t depth = 0;
    if (parent[r] >= 0)
      continue;
    stack[depth++] = r;
    while (depth > 0) {
      const int32_t i = stack[depth - 1];
      if (child[i] >= 0) {
        stack[depth++] = child[i];
        child[i] = sibling[child[i]];
      } else {
        post[done++] = i;
        depth--;
      }
    }
  }
}

/* Columns of the factor by vertices: list[from[k]] … list[from[k + 1] - 1], ranks above k,
   ascending. */
typedef struct {
  int64_t *from;
  int32_t *list;
  size_t space;
} columns;

/* The rows of column k are those of the matrix below k, and those of its children's columns (Liu
   1990). mark: the last column that has seen a row; head, link: lists of children. The list grows
   by doubling, as its length is not known before. */
static ig_status columns_make(ig_ctx *cx, const quotient *q, const int32_t *order,
                              const int32_t *rank, const int32_t *parent, columns *c) {
  const int32_t n = q->count;
  int32_t *mark = NULL, *head = NULL, *link = NULL;
  ig_status status = IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &c->from, (size_t)n + 1, "factorization"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &mark, 3 * (size_t)n + 1, "factorization"));
  head = mark + n;
  link = head + n;
  for (int32_t i = 0; i < n; i++)
    mark[i] = head[i] = -1;
  int64_t at = 0;
  for (int32_t k = 0; k < n; k++) {
    const int64_t begin = at;
    size_t need = (size_t)(q->first[order[k] + 1] - q->first[order[k]]);
    for (int32_t i = head[k]; i >= 0; i = link[i])
      need += (size_t)(c->from[i + 1] - c->from[i]);
    if ((size_t)at + need > c->space) {
      const size_t space = 2 * ((size_t)at + need) + 1024;
      void *more = realloc(c->list, space * sizeof *c->list);
      if (!more) {
        status = IG_FAIL(cx, IG_MEMORY, "out of memory for the factorization");
        goto done;
      }
      c->list = more;
      c->space = space;
    }
    mark[k] = k;
    for (int64_t e = q->first[order[k]]; e < q->first[order[k] + 1]; e++) {
      const int32_t i = rank[q->next[e]];
      if (i > k && mark[i] != k) {
        mark[i] = k;
        c->list[at++] = i;
      }
    }
    for (int32_t i = head[k]; i >= 0; i = link[i])
      for (int64_t e = c->from[i]; e < c->from[i + 1]; e++) {
        const int32_t j = c->list[e];
        if (mark[j] != k) {
          mark[j] = k;
          c->list[at++] = j;
        }
      }
    if (at > begin + 1) // an uncoupled system has no list to point at
      qsort(c->list + begin, (size_t)(at - begin), sizeof *c->list, ig_rising_i32);
    c->from[k] = begin;
    c->from[k + 1] = at;
    if (parent[k] >= 0) {
      link[k] = head[parent[k]];
      head[parent[k]] = k;
    }
  }
done:
  free(mark);
  return status;
}

/* Supernodes as ranges of ranks: begin[s] ... begin[s + 1] - 1. A column joins the next one where
   that is its parent and few entries that are zero are gained by it: none, or together up to 24
   pivots (a front that small costs more in handling than in arithmetic), or zeros of up to a
   quarter of the entries that the lower one has (relaxed amalgamation, Ashcraft and Grimes 1989).
   Joining goes on backwards, as long as the front before ends in this one. */
static int32_t supernodes(const quotient *q, const int32_t *order, const int32_t *parent,
                          const columns *c, int32_t *begin, double *height, double *wide) {
  int32_t count = 0;
  for (int32_t k = 0; k < q->count; k++) {
    double rows = 0;
    for (int64_t e = c->from[k]; e < c->from[k + 1]; e++)
      rows += q->weight[order[c->list[e]]];
    begin[count] = k;
    wide[count] = q->weight[order[k]]; /* pivots, and rows below them */
    height[count++] = rows;
    while (count > 1) {
      const int32_t up = parent[begin[count - 1] - 1];
      if (up < begin[count - 1] || up > k)
        break;
      const double a = wide[count - 2], b = wide[count - 1], below = height[count - 2];
      const double zeros = a * (b + height[count - 1] - below), own = a * (a + below);
      if (zeros > 0 && a + b > 24 && zeros > 0.25 * own)
        break;
      wide[count - 2] = a + b;
      height[count - 2] = height[count - 1];
      count--;
    }
  }
  begin[count] = q->count;
  return count;
}

/* Equations get their final numbers here, vertex after vertex. Two passes: sizes, then lists. The
   rows of a front are those of its last column, together with its pivots. */
static ig_status fronts_make(ig_frontal *s, const quotient *q, const int32_t *order,
                             const int32_t *parent, const columns *c, const int32_t *begin) {
  int32_t *home, at = 0; /* supernode of a rank; its first equation */
  int64_t total = 0;
  IG_TRY(IG_NEW(s->cx, &home, 2 * (size_t)q->count + 1, "factorization"));
  int32_t *first = home + q->count;
  for (int32_t f = 0; f < s->fronts; f++)
    for (int32_t k = begin[f]; k < begin[f + 1]; k++) {
      home[k] = f;
      first[k] = at;
      for (int32_t i = q->start[order[k]]; i < q->start[order[k] + 1]; i++) {
        s->order[at] = i;
        s->place[i] = at++;
      }
    }
  ig_status status = IG_OK;
  for (int pass = 0; pass < 2 && status == IG_OK; pass++) {
    total = 0;
    for (int32_t f = 0; f < s->fronts; f++) {
      front *g = &s->front[f];
      const int32_t top = begin[f + 1] - 1;
      g->at = first[begin[f]];
      g->pivots = first[top] + q->weight[order[top]] - g->at;
      g->rows = g->pivots;
      g->parent = parent[top] < 0 ? -1 : home[parent[top]];
      for (int64_t e = c->from[top]; e < c->from[top + 1]; e++)
        g->rows += q->weight[order[c->list[e]]];
      if (pass == 1) {
        int32_t *row = s->rows + total;
        g->row = row;
        for (int32_t i = 0; i < g->pivots; i++)
          *row++ = g->at + i;
        for (int64_t e = c->from[top]; e < c->from[top + 1]; e++)
          for (int32_t i = 0; i < q->weight[order[c->list[e]]]; i++)
            *row++ = first[c->list[e]] + i;
      }
      total += g->rows;
      s->most = g->rows > s->most ? g->rows : s->most;
    }
    if (pass == 0)
      status = IG_NEW(s->cx, &s->rows, (size_t)total + 1, "factorization");
  }
  free(home);
  s->entries = 0;
  for (int32_t f = 0; f < s->fronts; f++)
    s->entries += (int64_t)s->front[f].rows * s->front[f].pivots;
  return status;
}

/* The tree is made twice: for the order as it is, and again after renumbering in post order, which
   changes neither fill nor work. */
static ig_status analyse(ig_frontal *s, quotient *q, columns *c) {
  ig_ctx *cx = s->cx;
  int32_t *room = NULL;
  double *size = NULL;
  ig_status status = IG_OK;
  IG_TRY(quotient_make(cx, s->n, s->first, s->column, q));
  const size_t n = (size_t)q->count + 1;
  IG_TRY(IG_NEW(cx, &room, 9 * n, "factorization"));
  int32_t *order = room, *rank = room + n, *parent = rank + n, *root = parent + n,
          *child = root + n, *sibling = child + n, *post = sibling + n, *moved = post + n,
          *begin = moved + n;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &size, 2 * n, "factorization"));
  IG_TRY_GOTO(status, done, ig_order_dissect(cx, q->count, q->first, q->next, q->weight, order));
  for (int32_t k = 0; k < q->count; k++)
    rank[order[k]] = k;
  tree_make(q, order, rank, parent, root);
  tree_walk(q->count, parent, child, sibling, root, post);
  for (int32_t k = 0; k < q->count; k++)
    moved[k] = order[post[k]];
  for (int32_t k = 0; k < q->count; k++) {
    order[k] = moved[k];
    rank[moved[k]] = k;
  }
  tree_make(q, order, rank, parent, root);
  IG_TRY_GOTO(status, done, columns_make(cx, q, order, rank, parent, c));
  s->fronts = supernodes(q, order, parent, c, begin, size, size + n);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &s->front, (size_t)s->fronts + 1, "factorization"));
  status = fronts_make(s, q, order, parent, c, begin);
done:
  free(room);
  free(size);
  return status;
}

ig_status ig_frontal_new(ig_ctx *cx, int32_t n, const int64_t *first, const int32_t *column,
                         ig_frontal **to) {
  ig_frontal *s;
  quotient q = {0};
  columns c = {0};
  IG_TRY(IG_NEW(cx, &s, 1, "factorization"));
  *to = s;
  s->cx = cx;
  s->n = n;
  s->first = first;
  s->column = column;
  ig_status status = IG_NEW(cx, &s->order, (size_t)n + 1, "factorization");
  if (status == IG_OK)
    status = IG_NEW(cx, &s->place, (size_t)n + 1, "factorization");
  if (status == IG_OK)
    status = IG_NEW(cx, &s->work, (size_t)n + 1, "factorization");
  if (status == IG_OK)
    status = IG_NEW(cx, &s->across, (size_t)first[n] + 1, "factorization");
  if (status == IG_OK) {
    for (int32_t i = 0; i < n; i++)
      s->place[i] = 0;
    for (int32_t i = 0; i < n; i++) /* columns rise, so that those of a row come in turn */
      for (int64_t k = first[i]; k < first[i + 1]; k++)
        s->across[k] = first[column[k]] + s->place[column[k]]++;
    status = analyse(s, &q, &c);
  }
  quotient_free(&q);
  free(c.from);
  free(c.list);
  return status;
}

void ig_frontal_free(ig_frontal *s) {
  if (!s)
    return;
  free(s->order);
  free(s->across);
  free(s->place);
  free(s->rows);
  free(s->front);
  free(s->factor);
  free(s->work);
  free(s);
}

/* --- factorization */

/* A tile of 4 x 16 sums is eight registers of 64 bytes; a block's 48 columns of 16 numbers of U are
   6 KB, which stay in the first-level cache while rows of L pass by. On machines with shorter
   registers the compiler splits `lanes`. */
enum { BLOCK = 48, TILE_ROWS = 4, TILE_COLUMNS = 16, LANES = 8 };
typedef double lanes __attribute__((vector_size(64), aligned(8)));

/* c (rows x columns of it, pitch apart) -= a b: a[row][k], pitch BLOCK; b[k][column], pitch
   `wide`. */
static inline void tile(int depth, const double *restrict a, const double *restrict b, int64_t wide,
                        double *restrict c, int64_t pitch) {
  lanes s[TILE_ROWS][2] = {{{0}}};
  for (int k = 0; k < depth; k++) {
    const lanes x = *(const lanes *)(b + k * wide), y = *(const lanes *)(b + k * wide + 8);
    for (int i = 0; i < TILE_ROWS; i++) {
      s[i][0] += a[i * BLOCK + k] * x;
      s[i][1] += a[i * BLOCK + k] * y;
    }
  }
  for (int i = 0; i < TILE_ROWS; i++) {
    *(lanes *)(c + i * pitch) -= s[i][0];
    *(lanes *)(c + i * pitch + 8) -= s[i][1];
  }
}

/* One front on its way: m x m, row after row, `pitch` apart; rows and columns are padded to whole
   tiles. */
typedef struct {
  double *f, *left, *right; /* left: L of a block, row by row; right: its U, column by column */
  int32_t m, pivots;
  int64_t pitch;
} dense;

/* Of the columns from `k` on, `nb` are eliminated; what is beyond them and beyond row k + nb is
   updated. symmetric: only the lower triangle is kept right. */
static void block_update(ig_ctx *cx, const dense *d, int32_t k, int32_t nb, bool symmetric) {
  const int32_t from = k + nb, count = d->m - from;
  const int32_t bands = (count + TILE_ROWS - 1) / TILE_ROWS;
  const int64_t wide = d->pitch;
  const int team = ig_team(cx, (int64_t)count * count * nb / 8, IG_WORK_VALUE);
#pragma omp parallel for schedule(dynamic, 8) num_threads(team)
  for (int32_t i = 0; i < bands; i++) {
    const int32_t r = from + TILE_ROWS * i;
    const int32_t end = symmetric ? (r + TILE_ROWS < d->m ? r + TILE_ROWS : d->m) : d->m;
    for (int32_t c = from; c < end; c += TILE_COLUMNS)
      tile(nb, d->left + (int64_t)r * BLOCK, d->right + c, wide, d->f + r * d->pitch + c, d->pitch);
  }
}

/* LANES rows below a square that is eliminated, at once, one per lane: rows of L solve l (square's
   U) = row, columns of U (square's L) u = column. Lanes beyond the last row are padding. */
static void panel_solve(const dense *d, int32_t k, int32_t nb, int32_t i, bool symmetric) {
  const int32_t count = d->m - i < LANES ? d->m - i : LANES;
  lanes l[BLOCK], u[BLOCK];
  for (int32_t j = 0; j < nb; j++) {
    l[j] = (lanes){0};
    for (int32_t r = 0; r < count; r++)
      l[j][r] = d->f[(i + r) * d->pitch + k + j];
  }
  for (int32_t j = 0; j < nb; j++) {
    const double *square = d->f + (k + j) * d->pitch + k;
    const lanes v = l[j] / square[j];
    l[j] = v;
    for (int32_t c = j + 1; c < nb; c++)
      l[c] -= v * square[c];
  }
  for (int32_t j = 0; j < nb; j++) {
    const double *square = d->f + (k + j) * d->pitch + k;
    double *column = d->f + (k + j) * d->pitch + i;
    if (symmetric)
      u[j] = l[j] * square[j];
    else {
      u[j] = *(const lanes *)column;
      for (int32_t c = 0; c < j; c++)
        u[j] -= square[c] * u[c];
      *(lanes *)column = u[j];
    }
    *(lanes *)(d->right + j * d->pitch + i) = u[j];
    for (int32_t r = 0; r < count; r++) {
      d->f[(i + r) * d->pitch + k + j] = l[j][r];
      d->left[(int64_t)(i + r) * BLOCK + j] = l[j][r];
    }
  }
}

/* Pivots below this share of the matrix's diagonal are zero. */
static const double ZERO = 1e-13;

/* Eliminates the pivots of a front. `least`: pivots below it, per row, are zero. The front of the
   last separator alone can take minutes: a signal is looked for before every block. */
static ig_status front_eliminate(ig_ctx *cx, const dense *d, const int32_t *equation,
                                 const double *least, bool symmetric, ig_direct_info *info) {
  for (int32_t k = 0; k < d->pivots; k += BLOCK) {
    IG_TRY(stopped(cx));
    const int32_t nb = d->pivots - k < BLOCK ? d->pivots - k : BLOCK;
    /* the square on the diagonal, unblocked; symmetric: its upper half from its lower one */
    for (int32_t j = k; j < k + nb; j++) {
      double *row = d->f + j * d->pitch;
      if (symmetric)
        for (int32_t i = j + 1; i < k + nb; i++)
          row[i] = d->f[i * d->pitch + j];
      if (fabs(row[j]) <= least[j]) {
        if (info->first_zero < 0)
          info->first_zero = equation[j];
        info->zero++;
        /* so large that the unknown becomes 0 and nothing is left of its row in others */
        row[j] = IG_DIRECT_OUT;
      } else if (row[j] < 0)
        info->negative++;
      if (fabs(row[j]) * ZERO < info->least * least[j]) {
        info->least = fabs(row[j]) * ZERO / least[j];
        info->least_at = equation[j];
      }
      for (int32_t i = j + 1; i < k + nb; i++) {
        double *below = d->f + i * d->pitch;
        const double l = below[j] / row[j];
        below[j] = l;
        for (int32_t c = j + 1; c < k + nb; c++)
          below[c] -= l * row[c];
      }
    }
    const int32_t from = k + nb, count = d->m - from;
    const int team = ig_team(cx, (int64_t)count * nb * nb / 4, IG_WORK_VALUE);
    /* L below it, and U beside it */
#pragma omp parallel for schedule(static) num_threads(team)
    for (int32_t i = from; i < d->m; i += LANES)
      panel_solve(d, k, nb, i, symmetric);
    block_update(cx, d, k, nb, symmetric);
  }
  return IG_OK;
}

/* Rows of the largest front, padded. */
static int64_t padded(int32_t rows) {
  return (rows + TILE_COLUMNS - 1) / TILE_COLUMNS * TILE_COLUMNS + TILE_COLUMNS;
}

/* What fronts have left for their parents, one after the other. */
typedef struct {
  double *value;
  int64_t used, space;
} pile;

/* Grows by doubling. What lies on the pile may move: it is addressed by offsets (`kept`). */
static ig_status pile_room(ig_ctx *cx, pile *p, int64_t count) {
  if (p->used + count <= p->space)
    return IG_OK;
  p->space = 2 * (p->used + count);
  void *more = realloc(p->value, (size_t)p->space * sizeof *p->value);
  if (!more)
    return IG_FAIL(cx, IG_MEMORY, "out of memory for the factorization");
  p->value = more;
  return IG_OK;
}

typedef struct {
  int32_t *local; /* equations: row in the front */
  int32_t *child; /* fronts: first and next to be added */
  int32_t *sibling;
  int64_t *kept; /* fronts: where in the pile */
  double *f, *left, *right, *least, *scale;
} factoring;

/* Entries of the matrix whose row or column is a pivot of the front. Those of rows that are
   eliminated before are in the fronts of these. Symmetric: only the lower triangle is filled, with
   the mean of (i, j) and (j, i). */
static void matrix_add(const ig_frontal *s, const front *g, const double *value, bool symmetric,
                       const factoring *w, int64_t pitch) {
  for (int32_t i = 0; i < g->pivots; i++) {
    const int32_t e = s->order[g->at + i];
    for (int64_t k = s->first[e]; k < s->first[e + 1]; k++) {
      const int32_t to = s->place[s->column[k]];
      if (to < g->at)
        continue;
      const int32_t j = w->local[to];
      const double other = value[s->across[k]];
      if (symmetric && j >= i)
        w->f[j * pitch + i] = 0.5 * (value[k] + other);
      else if (!symmetric) {
        w->f[i * pitch + j] = value[k];
        w->f[j * pitch + i] = other;
      }
    }
  }
}

/* The remainder `left` of a child, n x n, into the rows it has in this front (extend-add). Each row
   is one thread's: no two write to the same place. */
static void child_add(const ig_frontal *s, const front *child, const double *left, bool symmetric,
                      const factoring *w, int64_t pitch) {
  const int32_t n = child->rows - child->pivots;
  const int team = ig_team(s->cx, (int64_t)n * n, IG_WORK_VALUE);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int32_t i = 0; i < n; i++) {
    double *to = w->f + w->local[child->row[child->pivots + i]] * pitch;
    const double *from = left + (int64_t)i * n;
    for (int32_t j = 0; j < (symmetric ? i + 1 : n); j++)
      to[w->local[child->row[child->pivots + j]]] += from[j];
  }
}

/* One front from zero to its factors and its remainder. `local` of rows of other fronts is left
   over from before and never read. */
static ig_status front_do(ig_frontal *s, int32_t number, const double *value, bool symmetric,
                          factoring *w, pile *p, ig_direct_info *info) {
  front *g = &s->front[number];
  const int64_t pitch = padded(g->rows);
  const int32_t left = g->rows - g->pivots;
  /* Symmetric: the lower triangle alone is read, to the end of a tile. */
  for (int64_t i = 0; i < g->rows + TILE_ROWS; i++) {
    const int64_t end = symmetric && i + TILE_COLUMNS < pitch ? i + TILE_COLUMNS : pitch;
    memset(w->f + i * pitch, 0, (size_t)end * sizeof *w->f);
  }
  for (int32_t i = 0; i < g->rows; i++)
    w->local[g->row[i]] = i;
  matrix_add(s, g, value, symmetric, w, pitch);
  for (int32_t c = w->child[number]; c >= 0; c = w->sibling[c])
    child_add(s, &s->front[c], p->value + w->kept[c], symmetric, w, pitch);
  if (w->child[number] >= 0) /* children are the last on the pile, the first of them lowest */
    p->used = w->kept[w->child[number]];
  for (int32_t i = 0; i < g->pivots; i++)
    /* of the matrix's diagonal: about what rounding leaves of a pivot that is zero */
    w->least[i] = ZERO * w->scale[s->order[g->at + i]];
  memset(w->left + (int64_t)g->rows * BLOCK, 0, TILE_ROWS * BLOCK * sizeof *w->left);
  const dense d = {w->f, w->left, w->right, g->rows, g->pivots, pitch};
  IG_TRY(front_eliminate(s->cx, &d, s->order + g->at, w->least, symmetric, info));
  for (int32_t i = 0; i < g->rows; i++)
    memcpy(g->lower + (int64_t)i * g->pivots, w->f + i * pitch, (size_t)g->pivots * sizeof *w->f);
  if (!symmetric)
    for (int32_t i = 0; i < g->rows; i++)
      for (int32_t j = 0; j < g->pivots; j++)
        g->upper[(int64_t)i * g->pivots + j] = w->f[j * pitch + i];
  w->kept[number] = p->used;
  IG_TRY(pile_room(s->cx, p, (int64_t)left * left));
  for (int32_t i = 0; i < left; i++)
    memcpy(p->value + p->used + (int64_t)i * left, w->f + (g->pivots + i) * pitch + g->pivots,
           (size_t)(symmetric ? i + 1 : left) * sizeof *w->f);
  p->used += (int64_t)left * left;
  return IG_OK;
}

/* A symmetric matrix after one that was not keeps the space of both. */
static ig_status factors_room(ig_frontal *s, bool symmetric) {
  s->symmetric = symmetric;
  if (s->factor && (symmetric || s->two))
    return IG_OK;
  free(s->factor);
  s->two = !symmetric;
  IG_TRY(IG_NEW(s->cx, &s->factor, (size_t)s->entries * (symmetric ? 1 : 2) + 1, "factors"));
  int64_t at = 0;
  for (int32_t f = 0; f < s->fronts; f++) {
    s->front[f].lower = s->factor + at;
    s->front[f].upper = symmetric ? NULL : s->factor + s->entries + at;
    at += (int64_t)s->front[f].rows * s->front[f].pivots;
  }
  return IG_OK;
}

/* IG_INTERRUPTED: the factors are not complete, and a later call begins anew. */
ig_status ig_frontal_factor(ig_frontal *s, const double *value, bool symmetric,
                            ig_direct_info *info) {
  factoring w = {0};
  pile p = {0};
  ig_status status = IG_OK;
  *info = (ig_direct_info){.solver = "own", .first_zero = -1, .least = 1, .least_at = -1};
  info->entries = (double)s->entries * (symmetric ? 1 : 2);
  const int64_t pitch = padded(s->most);
  IG_TRY(factors_room(s, symmetric));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w.local, (size_t)s->n + 1, "fronts"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w.child, 2 * (size_t)s->fronts + 1, "fronts"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w.kept, (size_t)s->fronts + 1, "fronts"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w.f, (size_t)((s->most + TILE_ROWS) * pitch), "fronts"));
  IG_TRY_GOTO(status, done,
              IG_NEW(s->cx, &w.left, (size_t)(s->most + TILE_ROWS) * BLOCK, "fronts"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w.right, (size_t)pitch * BLOCK, "fronts"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w.least, (size_t)s->most + 1, "fronts"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w.scale, (size_t)s->n + 1, "fronts"));
  w.sibling = w.child + s->fronts;
  for (int32_t f = 0; f < s->fronts; f++)
    w.child[f] = -1;
  for (int32_t f = s->fronts - 1; f >= 0; f--)
    if (s->front[f].parent >= 0) {
      w.sibling[f] = w.child[s->front[f].parent];
      w.child[s->front[f].parent] = f;
    }
  for (int32_t i = 0; i < s->n; i++)
    for (int64_t k = s->first[i]; k < s->first[i + 1]; k++)
      if (s->column[k] == i)
        w.scale[i] = fabs(value[k]);
  for (int32_t f = 0; f < s->fronts && status == IG_OK; f++)
    status = front_do(s, f, value, symmetric, &w, &p, info);
  if (!symmetric)
    info->negative = -1;
done:
  free(w.local);
  free(w.child);
  free(w.kept);
  free(w.f);
  free(w.left);
  free(w.right);
  free(w.least);
  free(w.scale);
  free(p.value);
  return status;
}

/* L y = b, then D L^T x = y or U x = y. In the order of elimination the pivots of a front are
   consecutive, its other rows are not. One thread: fronts of the top are too small to share, and
   each of the factors' numbers is used once, so that memory is the limit. */
void ig_frontal_solve(ig_frontal *s, double *b) {
  double *x = s->work;
  for (int32_t i = 0; i < s->n; i++)
    x[i] = b[s->order[i]];
  for (int32_t f = 0; f < s->fronts; f++) {
    const front *g = &s->front[f];
    for (int32_t i = 0; i < g->rows; i++) {
      const double *l = g->lower + (int64_t)i * g->pivots;
      const int32_t end = i < g->pivots ? i : g->pivots;
      double sum = 0;
      for (int32_t j = 0; j < end; j++)
        sum += l[j] * x[g->at + j];
      x[g->row[i]] -= sum;
    }
  }
  for (int32_t f = s->fronts - 1; f >= 0; f--) {
    const front *g = &s->front[f];
    double *y = x + g->at;
    if (s->symmetric)
      for (int32_t j = 0; j < g->pivots; j++)
        y[j] /= g->lower[(int64_t)j * g->pivots + j];
    const double *u = s->symmetric ? g->lower : g->upper;
    for (int32_t i = g->rows - 1; i >= g->pivots; i--) {
      const double *row = u + (int64_t)i * g->pivots, v = x[g->row[i]];
      for (int32_t j = 0; j < g->pivots; j++)
        y[j] -= row[j] * v;
    }
    for (int32_t i = g->pivots - 1; i >= 0; i--) {
      const double *row = u + (int64_t)i * g->pivots;
      if (!s->symmetric)
        y[i] /= row[i];
      for (int32_t j = 0; j < i; j++)
        y[j] -= row[j] * y[i];
    }
  }
  for (int32_t i = 0; i < s->n; i++)
    b[s->order[i]] = x[i];
}
