/* Pieces: connected elements, named by their lowest element. On ranks each joins its own elements;
   across a facet between elements of two ranks these exchange the names of their pieces, and
   all learn which names are one.

   Union-find (core/union_find.h) over elements joined through closed or not yet failed facets.
   The name of a piece is its lowest element, since the root of a tree is kept the lowest. Across
   ranks: names of both sides of each crossing facet are exchanged, duplicates removed, and the
   list of equal names is given to all. */
#include "core/union_find.h"
#include "core/sorted.h"
#include "ranks/allgather.h"
#include "fracture/run.h"

#include <stdlib.h>
#include <string.h>

/* Tables that are read here, on the host. */
typedef struct {
  const ig_frac_model *m;
  const int32_t *opp, *coh;
} mesh_now;

static ig_status mesh_pull(ig_frac_model *m, mesh_now *w) {
  static const char *const names[] = {"opp", "coh", "cs", "cw"};
  void *host[4];
  w->m = m;
  for (int i = 0; i < 4; i++)
    IG_TRY(ig_frac_model_pull(w->m, names[i], &host[i]));
  w->opp = host[0], w->coh = host[1];
  return IG_OK;
}

/* The element that a facet's own hangs together with there, through a cohesive element too that
   still holds; -1.
   Damage below 1 at some point of the cohesive element: it still carries traction. */
static int32_t joined(const mesh_now *w, int64_t facet) {
  const int32_t o = w->opp[facet], faces = w->m->shape.faces, ne = w->m->s.ne;
  if (o < ne)
    return o < 0 ? -1 : o;
  const int64_t c = o - ne;
  if (ig_frac_model_damage(w->m, c) >= 1)
    return -1;
  return w->coh[2 * c + (w->coh[2 * c] == facet)] / faces;
}

/* --- across ranks */

/* A facet between an own element and one of another rank; both list it in the same place. */
typedef struct {
  int32_t rank, low, high; /* of the other; elements in the whole */
  int32_t own;             /* element of the part */
} crossing;

static int by_place(const void *a, const void *b) {
  const crossing *p = a, *q = b;
  if (p->rank != q->rank)
    return (p->rank > q->rank) - (p->rank < q->rank);
  return p->low != q->low ? (p->low > q->low) - (p->low < q->low)
                          : (p->high > q->high) - (p->high < q->high);
}

/* Names of two pieces that are one; the lower first. */
typedef struct {
  int32_t low, high;
} alias;

static int by_names(const void *a, const void *b) {
  const alias *p = a, *q = b;
  return p->low != q->low ? (p->low > q->low) - (p->low < q->low)
                          : (p->high > q->high) - (p->high < q->high);
}

/* Facets to other ranks, with the names of the pieces on both sides; owned. */
typedef struct {
  crossing *item;
  int64_t count;
  int32_t *out, *in; /* names of pieces: own, the other's */
} crossings;

/* Own elements are joined; others are listed.
   Crossings are sorted by (rank, low, high): both ranks list the same facets in the same order,
   so that names alone travel. */
static ig_status own_join(ig_frac_model *m, const mesh_now *w, int32_t *up, crossings *x) {
  const ig_frac_part *p = &m->part;
  const int faces = m->shape.faces;
  for (int32_t e = 0; e < m->s.ne; e++)
    for (int f = 0; f < faces && ig_frac_element_owner(p, e) == p->rank; f++) {
      const int32_t o = joined(w, (int64_t)e * faces + f);
      if (o < 0)
        continue;
      if (ig_frac_element_owner(p, o) == p->rank) {
        ig_union_join(up, e, o);
        continue;
      }
      const int32_t a = ig_frac_element_number(p, e), b = ig_frac_element_number(p, o);
      IG_TRY(IG_MORE(m->cx, &x->item, x->count, "pieces"));
      x->item[x->count++] =
          (crossing){ig_frac_element_owner(p, o), a < b ? a : b, a < b ? b : a, e};
    }
  IG_TRY(IG_NEW(m->cx, &x->out, (size_t)x->count + 1, "pieces"));
  IG_TRY(IG_NEW(m->cx, &x->in, (size_t)x->count + 1, "pieces"));
  if (x->count)
    qsort(x->item, (size_t)x->count, sizeof *x->item, by_place);
  for (int64_t i = 0; i < x->count; i++)
    x->out[i] = ig_frac_element_number(p, ig_union_root(up, x->item[i].own));
  return IG_OK;
}

/* Both sides list their crossings in the same order, so that messages need no numbers. */
static ig_status names_swap(ig_frac_model *m, const crossings *x, ig_status status) {
  ig_message *message = NULL;
  int messages = 0;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &message, (size_t)m->part.ranks, "messages");
  status = ig_ranks_agree(m->cx, status);
  for (int64_t i = 0, end; i < x->count && status == IG_OK; i = end) {
    for (end = i; end < x->count && x->item[end].rank == x->item[i].rank;)
      end++;
    const size_t bytes = (size_t)(end - i) * sizeof *x->out;
    message[messages++] = (ig_message){.rank = x->item[i].rank,
                                       .send = x->out + i,
                                       .send_size = bytes,
                                       .receive = x->in + i,
                                       .receive_size = bytes};
  }
  if (status == IG_OK)
    status = ig_ranks_exchange(m->cx, message, messages);
  free(message);
  return status;
}

/* All names that are one, of all ranks, on all of them.
   Sorted and without duplicates before they are sent: two large pieces may meet in thousands of
   facets. */
static ig_status aliases_share(ig_frac_model *m, const crossings *x, ig_status status, void **all,
                               int64_t *sum) {
  alias *mine = NULL;
  int64_t kept = 0;
  if (status == IG_OK)
    status = IG_NEW(m->cx, &mine, (size_t)x->count + 1, "pieces");
  for (int64_t i = 0; i < x->count && status == IG_OK; i++) {
    const int32_t a = x->out[i], b = x->in[i];
    if (m->part.rank < x->item[i].rank) /* one of the two reports it */
      mine[kept++] = (alias){a < b ? a : b, a < b ? b : a};
  }
  if (kept)
    qsort(mine, (size_t)kept, sizeof *mine, by_names);
  int64_t once = 0;
  for (int64_t i = 0; i < kept; i++)
    if (!once || by_names(&mine[once - 1], &mine[i]) != 0)
      mine[once++] = mine[i];
  status = ig_ranks_allgatherv(m->cx, status, mine, once, sizeof *mine, by_names, all, sum, NULL);
  free(mine);
  return status;
}

/* Names that have another one, rising, and their place in a forest. */
typedef struct {
  int32_t *name, *up;
  int64_t count;
} names;

/* Trees over the names that occur in aliases; all other names stay as they are. */
static ig_status names_join(ig_frac_model *m, const alias *all, int64_t sum, names *n) {
  IG_TRY(IG_NEW(m->cx, &n->name, 2 * (size_t)sum + 1, "pieces"));
  IG_TRY(IG_NEW(m->cx, &n->up, 2 * (size_t)sum + 1, "pieces"));
  for (int64_t i = 0; i < sum; i++) {
    n->name[2 * i] = all[i].low;
    n->name[2 * i + 1] = all[i].high;
  }
  if (sum)
    qsort(n->name, 2 * (size_t)sum, sizeof *n->name, ig_rising_i32);
  for (int64_t i = 0; i < 2 * sum; i++)
    if (!n->count || n->name[n->count - 1] != n->name[i])
      n->name[n->count++] = n->name[i];
  for (int64_t i = 0; i < n->count; i++)
    n->up[i] = (int32_t)i;
  for (int64_t i = 0; i < sum; i++)
    ig_union_join(n->up, ig_sorted_find(n->name, n->count, all[i].low),
                  ig_sorted_find(n->name, n->count, all[i].high));
  return IG_OK;
}

/* `up`: roots of own elements in the part, becomes names in the whole; *own: pieces whose lowest
   element is this rank's. */
static void names_give(const ig_frac_model *m, names *n, int32_t *up, int64_t *own) {
  const ig_frac_part *p = &m->part;
  for (int32_t e = 0; e < m->s.ne; e++)
    up[e] = ig_union_root(up, e);
  for (int32_t e = m->s.ne - 1; e >= 0; e--) { /* roots, which are lower, last */
    const int32_t name = ig_frac_element_number(p, up[e]),
                  at = ig_sorted_find(n->name, n->count, name);
    up[e] = at < 0 ? name : n->name[ig_union_root(n->up, at)];
    *own += ig_frac_element_owner(p, e) == p->rank && up[e] == ig_frac_element_number(p, e);
  }
}

static ig_status pieces_join(ig_frac_model *m, ig_frac_pieces *p, ig_status status) {
  mesh_now w = {0};
  crossings x = {0};
  names n = {0};
  void *all = NULL;
  int64_t sum = 0, own = 0, count = 0;
  if (status == IG_OK)
    status = mesh_pull(m, &w);
  if (status == IG_OK)
    status = own_join(m, &w, p->of, &x);
  status = names_swap(m, &x, status);
  status = aliases_share(m, &x, status, &all, &sum);
  if (status == IG_OK)
    status = names_join(m, all, sum, &n);
  if (status == IG_OK)
    names_give(m, &n, p->of, &own);
  status = ig_ranks_sum_lists(m->cx, status, own, &count);
  p->count = (int32_t)count;
  free(x.item);
  free(x.out);
  free(x.in);
  free(n.name);
  free(n.up);
  free(all);
  return status;
}

/* Collective. p->of is owned by p, also after a failure. */
ig_status ig_frac_pieces_find(ig_frac_model *m, ig_frac_pieces *p) {
  const ig_status status = IG_NEW(m->cx, &p->of, (size_t)m->s.ne + 1, "pieces");
  for (int32_t e = 0; e < m->s.ne && status == IG_OK; e++)
    p->of[e] = e;
  return pieces_join(m, p, status);
}

void ig_frac_pieces_free(ig_frac_pieces *p) {
  free(p->of);
  memset(p, 0, sizeof *p);
}

/* --- numbers of pieces, where elements are met in the order of the whole */

/* Elements arrive in order, so that the first of a piece is its lowest and its name. */
ig_status ig_frac_piece_number(ig_ctx *cx, ig_frac_numbering *n, int32_t name, int64_t element,
                               int32_t *number) {
  if (name == element) { /* its lowest element: a new one */
    IG_TRY(IG_MORE(cx, &n->name, n->count, "pieces"));
    n->name[n->count++] = name;
    n->last = n->count - 1;
  } else if (n->last >= n->count || n->name[n->last] != name)
    n->last = ig_sorted_find(n->name, n->count, name);
  if (n->last < 0)
    return IG_FAIL(cx, IG_NUMERIC, "element %lld is of a piece that does not exist",
                   (long long)element);
  *number = n->last;
  return IG_OK;
}
