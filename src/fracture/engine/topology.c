/* The mesh as tables: opening everything, seeing that all is consistent. */
#include "fracture/run.h"

#include <stdlib.h>
#include <string.h>

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* A batch, each pass waited for. */
static ig_status insert_timed(ig_frac_model *m, double passes[IG_FRAC_PASSES]) {
  m->s.zone.opening = IG_FRAC_BARE;
  for (int i = 0; i < IG_FRAC_PASSES; i++) {
    const double start = ig_now();
    IG_TRY(ig_frac_model_pass(m, i));
    IG_TRY(m->cx->backend->sync(m->cx));
    passes[i] += ig_now() - start;
  }
  return m->cx->backend->copy_out(m->cx, &m->count, m->s.count, sizeof m->count);
}

/* Fisher-Yates shuffle of the inner facets, opened in batches of equal size. The time is that of
   the insertions, each with a synchronisation at its end. */
ig_status ig_frac_open_all(ig_frac_model *m, int batches, uint64_t seed, double *seconds,
                           double *passes) {
  ig_ctx *cx = m->cx;
  const int64_t ne = m->s.ne, all = m->shape.faces * ne;
  void *opp_host;
  IG_TRY(ig_frac_model_pull(m, "opp", &opp_host));
  const int32_t *opp = opp_host;
  uint8_t *mark = ig_frac_model_host(m, "mark");
  int32_t *order;
  IG_TRY(IG_NEW(cx, &order, m->facets, "facet order"));
  int64_t n = 0;
  for (int64_t i = 0; i < all; i++)
    if (opp[i] > i / m->shape.faces && opp[i] < ne)
      order[n++] = (int32_t)i;
  for (int64_t i = n - 1; i > 0; i--) {
    const int64_t j = (int64_t)(next_random(&seed) % (uint64_t)(i + 1));
    const int32_t swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
  ig_status status = IG_OK;
  *seconds = 0;
  for (int b = 0; status == IG_OK && b < batches; b++) {
    memset(mark, 0, (size_t)all);
    for (int64_t i = n * b / batches; i < n * (b + 1) / batches; i++)
      mark[order[i]] = 1;
    status = cx->backend->copy_in(cx, m->s.grow.mark, mark, (size_t)all);
    const double start = ig_now();
    if (status == IG_OK)
      status = passes ? insert_timed(m, passes) : ig_frac_model_insert(m, IG_FRAC_BARE);
    if (status == IG_OK)
      status = cx->backend->sync(cx);
    *seconds += ig_now() - start;
  }
  free(order);
  return status;
}

/* Invariants of state.h seen from both sides: neighbours know each other and share all nodes of
   the facet; cohesive elements lie between their facets; every corner is listed once, by its
   node. */
ig_status ig_frac_tables_check(ig_frac_model *m) {
  const int64_t ne = m->s.ne;
  const int nf = m->shape.faces, nfn = m->shape.face_nodes;
  void *p[5];
  const char *const names[5] = {"opp", "conn", "coh", "list", "node"};
  for (int i = 0; i < 5; i++)
    IG_TRY(ig_frac_model_pull(m, names[i], &p[i]));
  const int32_t *opp = p[0], *conn = p[1], *coh = p[2], *list = p[3];
  const ig_frac_node *node = p[4];
  for (int64_t i = 0; i < nf * ne; i++) {
    const int64_t e = i / nf, o = opp[i];
    if (o >= ne + m->count.cohesive)
      return IG_FAIL(m->cx, IG_NUMERIC, "element %lld has a neighbour that does not exist",
                     (long long)e);
    if (o >= ne && coh[2 * (o - ne)] != i && coh[2 * (o - ne) + 1] != i)
      return IG_FAIL(m->cx, IG_NUMERIC, "cohesive element %lld does not know element %lld",
                     (long long)(o - ne), (long long)e);
    if (o < 0 || o >= ne)
      continue;
    int back = -1;
    for (int f = 0; f < nf; f++)
      if (opp[o * nf + f] == e)
        back = f;
    int shared = 0;
    for (int j = 0; back >= 0 && j < nfn; j++)
      for (int k = 0; k < nfn; k++)
        shared += conn[ig_frac_face_node(m->kind, (int)(i % nf), j) * ne + e] ==
                  conn[ig_frac_face_node(m->kind, back, k) * ne + o];
    if (shared != nfn)
      return IG_FAIL(m->cx, IG_NUMERIC, "elements %lld and %lld do not meet as they should",
                     (long long)e, (long long)o);
  }
  for (int64_t c = 0; c < m->count.cohesive; c++)
    for (int side = 0; side < 2; side++)
      if (opp[coh[2 * c + side]] != ne + c)
        return IG_FAIL(m->cx, IG_NUMERIC, "cohesive element %lld is not between its elements",
                       (long long)c);
  int64_t slots = 0;
  for (int64_t n = 0; n < m->count.nodes; n++, slots += node[n - 1].used)
    for (int i = 0; i < node[n].used; i++)
      if (conn[list[node[n].first + i]] != n)
        return IG_FAIL(m->cx, IG_NUMERIC, "node %lld lists an element that does not have it",
                       (long long)n);
  if (slots != m->shape.nodes * ne)
    return IG_FAIL(m->cx, IG_NUMERIC, "the nodes list %lld of %lld places", (long long)slots,
                   (long long)(m->shape.nodes * ne));
  return IG_OK;
}
