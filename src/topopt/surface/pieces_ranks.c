/* Pieces that reach over several ranks: each tells what it has of them, and who touches whom
   across the cuts; all join these in the same way.

   Steps of ig_topopt_pieces_meet: number the pieces at seams (seams_list); exchange these
   numbers face by face with the neighbours (ig_crossings_exchange); list pairs of equal kind once
   (bonds_list); gather all seam pieces and pairs on all ranks; join them by union-find
   (bonds_tie). Only pieces at cuts travel, not elements. */
#include "topopt/surface/pieces.h"
#include "core/union_find.h"
#include "ranks/allgather.h"

#include <stdlib.h>

/* A piece that another rank's touches: its number among these, on its rank. */
typedef struct {
  int32_t rank, number;
} seam;
/* Two that are one. */
typedef struct {
  seam a, b;
} bond;

typedef struct {
  int32_t *piece; /* of this rank, by their numbers at seams */
  int32_t *seam;  /* and the other way; -1: at none */
  int32_t count;
  int64_t *out,
      *in; /* of crossings: 2 x number at a seam + whether it is solid; own, the other's */
} seams;

/* Only pieces that touch a cut get a number; all others are complete on their rank. */
static ig_status seams_list(ig_topopt_pieces *p, seams *s) {
  const size_t n = (size_t)p->crossings;
  IG_TRY(IG_NEW(p->cx, &s->piece, (size_t)p->count + 1, "pieces"));
  IG_TRY(IG_NEW(p->cx, &s->seam, (size_t)p->count + 1, "pieces"));
  IG_TRY(IG_NEW(p->cx, &s->out, n + 1, "pieces"));
  IG_TRY(IG_NEW(p->cx, &s->in, n + 1, "pieces"));
  for (int32_t i = 0; i < p->count; i++)
    s->seam[i] = -1;
  ig_crossings_sort(p->crossing, p->crossings);
  for (size_t i = 0; i < n; i++) {
    const int32_t piece = p->of[p->crossing[i].own];
    if (s->seam[piece] < 0) {
      s->piece[s->count] = piece;
      s->seam[piece] = s->count++;
    }
    s->out[i] = 2 * (int64_t)s->seam[piece] + p->piece[piece].solid;
  }
  return IG_OK;
}

static int by_seams(const void *a, const void *b) {
  const bond *p = a, *q = b;
  if (p->b.rank != q->b.rank)
    return (p->b.rank > q->b.rank) - (p->b.rank < q->b.rank);
  return p->a.number != q->a.number ? (p->a.number > q->a.number) - (p->a.number < q->a.number)
                                    : (p->b.number > q->b.number) - (p->b.number < q->b.number);
}

/* Bonds to higher ranks, each once. */
static ig_status bonds_list(const ig_topopt_pieces *p, const seams *s, bond **bonds,
                            int64_t *count) {
  const int32_t rank = ig_ranks_rank(p->cx->ranks);
  int64_t n = 0;
  for (int64_t i = 0; i < p->crossings; i++)
    n += p->crossing[i].rank > rank && (s->out[i] & 1) == (s->in[i] & 1);
  IG_TRY(IG_NEW(p->cx, bonds, (size_t)n + 1, "pieces"));
  n = 0;
  for (int64_t i = 0; i < p->crossings; i++)
    if (p->crossing[i].rank > rank && (s->out[i] & 1) == (s->in[i] & 1))
      (*bonds)[n++] = (bond){{rank, (int32_t)(s->out[i] >> 1)},
                             {p->crossing[i].rank, (int32_t)(s->in[i] >> 1)}};
  if (n)
    qsort(*bonds, (size_t)n, sizeof **bonds, by_seams);
  for (int64_t i = 0; i < n; i++)
    if (!*count || by_seams(&(*bonds)[*count - 1], &(*bonds)[i]) != 0)
      (*bonds)[(*count)++] = (*bonds)[i];
  return IG_OK;
}

/* What all ranks have at their seams, joined; own pieces become what they are in the whole.
   Every rank computes the same forest from the same gathered lists. */
static ig_status bonds_tie(ig_topopt_pieces *p, const seams *s, ig_topopt_piece *all, int64_t sum,
                           const int64_t *each, const bond *bonds, int64_t count) {
  const int ranks = ig_ranks_count(p->cx->ranks);
  int64_t *start = NULL;
  int32_t *up = NULL;
  ig_status status;
  if (sum > INT32_MAX)
    return IG_FAIL(p->cx, IG_UNSUPPORTED, "%lld pieces at the cuts between ranks are too many",
                   (long long)sum);
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, &start, (size_t)ranks + 1, "pieces"));
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, &up, (size_t)sum + 1, "pieces"));
  for (int r = 0; r < ranks; r++)
    start[r + 1] = start[r] + each[r];
  for (int32_t i = 0; i < sum; i++)
    up[i] = i;
  for (int64_t i = 0; i < count; i++)
    ig_union_join(up, (int32_t)start[bonds[i].a.rank] + bonds[i].a.number,
                  (int32_t)start[bonds[i].b.rank] + bonds[i].b.number);
  for (int32_t i = 0; i < sum; i++) { /* a root comes before the rest of its tree */
    ig_topopt_piece *root = &all[ig_union_root(up, i)];
    if (root == &all[i])
      continue;
    root->first = all[i].first < root->first ? all[i].first : root->first;
    root->last = all[i].last > root->last ? all[i].last : root->last;
    root->size += all[i].size;
    root->touched |= all[i].touched;
    root->open |= all[i].open;
  }
  for (int32_t i = 0; i < s->count; i++) {
    ig_topopt_piece *own = &p->piece[s->piece[i]];
    const int64_t first = own->first;
    *own = all[ig_union_root(up, (int32_t)start[ig_ranks_rank(p->cx->ranks)] + i)];
    own->mine = own->first == first;
  }
done:
  free(start);
  free(up);
  return status;
}

/* A rank that has failed before still takes part in the messages, with its status. */
ig_status ig_topopt_pieces_meet(ig_topopt_pieces *p, ig_status status) {
  seams s = {0};
  ig_topopt_piece *own = NULL;
  bond *bonds = NULL;
  void *all = NULL, *ties = NULL;
  int64_t *each = NULL, sum = 0, count = 0, tied = 0;
  if (status == IG_OK)
    status = seams_list(p, &s);
  status =
      ig_crossings_exchange(p->cx, status, p->crossing, p->crossings, sizeof *s.out, s.out, s.in);
  if (status == IG_OK)
    status = bonds_list(p, &s, &bonds, &count);
  if (status == IG_OK)
    status = IG_NEW(p->cx, &each, (size_t)ig_ranks_count(p->cx->ranks), "pieces");
  if (status == IG_OK)
    status = IG_NEW(p->cx, &own, (size_t)s.count + 1, "pieces");
  for (int32_t i = 0; status == IG_OK && i < s.count; i++)
    own[i] = p->piece[s.piece[i]];
  status = ig_ranks_allgatherv(p->cx, status, own, s.count, sizeof *own, NULL, &all, &sum, each);
  if (status == IG_OK)
    status =
        ig_ranks_allgatherv(p->cx, status, bonds, count, sizeof *bonds, NULL, &ties, &tied, NULL);
  if (status == IG_OK)
    status = bonds_tie(p, &s, all, sum, each, ties, tied);
  free(s.piece);
  free(s.seam);
  free(s.out);
  free(s.in);
  free(own);
  free(bonds);
  free(all);
  free(ties);
  free(each);
  return ig_ranks_agree(p->cx, status);
}
