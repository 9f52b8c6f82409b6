/* Is every part of the living body supported? A part that can move as a rigid body makes the
   equations singular: it is named here instead of iterated on.

   Elements that share faces are one piece. A piece is at rest if its prescribed unknowns, and
   the nodes it shares with pieces at rest, leave none of the six rigid-body motions. Each
   prescribed component is a row of six numbers; their rank is the number of motions that are
   prevented. The entry is ig_stress_anchor; cost is linear in elements for each round of rests. */
#include "stress/model.h"
#include "core/union_find.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds the row of one condition on the rigid motions, if it is new: Gram-Schmidt. */
static void row_add(double basis[6][6], int *rank, const double row[6]) {
  double r[6], before = 0, after = 0;
  if (*rank == 6)
    return;
  memcpy(r, row, sizeof r);
  for (int i = 0; i < 6; i++)
    before += r[i] * r[i];
  /* twice: one pass loses orthogonality where rows are nearly dependent */
  for (int again = 0; again < 2; again++)
    for (int k = 0; k < *rank; k++) {
      double dot = 0;
      for (int i = 0; i < 6; i++)
        dot += r[i] * basis[k][i];
      for (int i = 0; i < 6; i++)
        r[i] -= dot * basis[k][i];
    }
  for (int i = 0; i < 6; i++)
    after += r[i] * r[i];
  /* 1e-12 of the squared length: a remainder below 1e-6 of the row is rounding, not a new
     direction */
  if (!(after > 1e-12 * before))
    return;
  for (int i = 0; i < 6; i++)
    basis[*rank][i] = r[i] / sqrt(after);
  ++*rank;
}

/* Motion of component d at y under the six rigid motions. */
static void motion_row(const double y[3], int d, double row[6]) {
  const double turn[3][3] = {{0, y[2], -y[1]}, {-y[2], 0, y[0]}, {y[1], -y[0], 0}};
  for (int i = 0; i < 3; i++) {
    row[i] = i == d;
    row[3 + i] = turn[d][i];
  }
}

/* A piece. Coordinates are taken from its centre in units of the
   body's size, so that rotations and translations have rows of like length. */
typedef struct {
  double basis[6][6], centre[3], size;
  int rank;
  ig_lid elements;
  bool rests;
  bool solid; /* has elements that do not tear, or nothing has torn yet */
} piece;

typedef struct {
  ig_stress *m;
  ig_lid *of;    /* elements: the piece; -1: not alive */
  ig_lid *first; /* nodes: a piece that uses it, -1: none */
  piece *p;
  ig_lid pieces;
} look;

/* Pieces by union-find over faces between living elements, in the order of their roots. */
static void pieces_number(look *l) {
  ig_stress *m = l->m;
  const uint8_t *alive = m->alive.host;
  for (ig_lid e = 0; e < m->elements; e++)
    l->of[e] = alive[e] ? e : -1;
  for (ig_lid e = 0; e < m->elements; e++)
    for (int f = 0; alive[e] && f < m->faces; f++) {
      const ig_lid other = m->adjacency.neighbor[m->faces * (int64_t)e + f];
      if (other >= 0 && alive[other])
        l->of[ig_union_root(l->of, e)] = ig_union_root(l->of, other);
    }
  for (ig_lid e = 0; e < m->elements; e++)
    if (alive[e])
      l->of[e] = ig_union_root(l->of, e);
  for (ig_lid e = 0; e < m->elements; e++) /* -2 - k: the root of piece k */
    if (l->of[e] == e)
      l->of[e] = -2 - l->pieces++;
  for (ig_lid e = 0; e < m->elements; e++)
    if (l->of[e] >= 0)
      l->of[e] = l->of[l->of[e]];
  for (ig_lid e = 0; e < m->elements; e++)
    if (alive[e])
      l->of[e] = -2 - l->of[e];
}

/* Pieces, with sums of their centres. */
static ig_status pieces_find(look *l) {
  ig_stress *m = l->m;
  pieces_number(l);
  IG_TRY(IG_NEW(m->cx, &l->p, (size_t)l->pieces + 1, "pieces"));
  for (ig_lid e = 0; e < m->elements; e++) {
    if (l->of[e] < 0)
      continue;
    piece *p = l->p + l->of[e];
    p->elements++;
    for (int i = 0; i < 3 * m->npe; i++)
      p->centre[i % 3] +=
          m->mesh->x[3 * (int64_t)m->conn[m->npe * (int64_t)e + i / 3] + i % 3] / m->npe;
  }
  return IG_OK;
}

/* Position of a node in the scaled coordinates of piece r. */
static void node_at(const look *l, ig_lid r, ig_lid node, double y[3]) {
  const piece *p = l->p + r;
  for (int d = 0; d < 3; d++)
    y[d] = (l->m->mesh->x[3 * (int64_t)node + d] - p->centre[d]) / p->size;
}

/* Component bits of a node prescribe motions of piece r. */
static void node_hold(look *l, ig_lid r, ig_lid node, int bits) {
  double y[3], row[6];
  node_at(l, r, node, y);
  for (int d = 0; d < 3; d++)
    if (bits >> d & 1) {
      motion_row(y, d, row);
      row_add(l->p[r].basis, &l->p[r].rank, row);
    }
}

/* Nodes with equal components do not move against each other. */
static void ties_hold(look *l) {
  const ig_stress *m = l->m;
  const int32_t *start = m->held.tie_start.host, *item = m->held.tie_item.host;
  for (int g = 0; g < m->held.ties; g++) {
    const ig_lid a = item[start[g]] / 3;
    for (int32_t i = start[g] + 1; i < start[g + 1]; i++) {
      const ig_lid b = item[i] / 3, r = l->first[a];
      double ya[3], yb[3], row[6], other[6];
      if (r < 0 || l->first[b] != r)
        continue;
      node_at(l, r, a, ya);
      node_at(l, r, b, yb);
      motion_row(ya, item[i] % 3, row);
      motion_row(yb, item[i] % 3, other);
      for (int k = 0; k < 6; k++)
        row[k] -= other[k];
      row_add(l->p[r].basis, &l->p[r].rank, row);
    }
  }
}

/* Support bits and ties first; then, round by round, pieces at rest support their neighbours
   through shared nodes (an edge or a corner). */
static ig_status examine(look *l) {
  ig_stress *m = l->m;
  const uint8_t *alive = m->alive.host;
  double low[3], high[3];
  IG_TRY(pieces_find(l));
  ig_mesh_bounds(m->mesh, low, high);
  const double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  for (ig_lid k = 0; k < l->pieces; k++) {
    l->p[k].size = size;
    for (int d = 0; d < 3; d++)
      l->p[k].centre[d] /= l->p[k].elements;
  }
  for (ig_lid n = 0; n < m->nodes; n++)
    l->first[n] = -1;
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    if (alive[i / m->npe] && l->first[m->conn[i]] < 0)
      l->first[m->conn[i]] = l->of[i / m->npe];
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    if (alive[i / m->npe] && m->held.bits[m->conn[i]])
      node_hold(l, l->of[i / m->npe], m->conn[i], m->held.bits[m->conn[i]]);
  ties_hold(l);
  for (bool more = true; more;) { /* what rests holds what it touches */
    more = false;
    for (ig_lid k = 0; k < l->pieces; k++)
      if (l->p[k].rank == 6 && !l->p[k].rests)
        l->p[k].rests = more = true;
    if (!more)
      break;
    uint8_t *calm = m->scratch;
    memset(calm, 0, (size_t)m->nodes);
    for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
      if (alive[i / m->npe] && l->p[l->of[i / m->npe]].rests)
        calm[m->conn[i]] = 1;
    for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
      if (alive[i / m->npe] && !l->p[l->of[i / m->npe]].rests && calm[m->conn[i]])
        node_hold(l, l->of[i / m->npe], m->conn[i], 7);
  }
  return IG_OK;
}

/* Pieces that do not rest are an error, unless supports have torn and these are more of them: they
   have lost their hold and are removed. */
static ig_status loose_remove(look *l) {
  ig_stress *m = l->m;
  const uint8_t *alive = m->alive.host;
  ig_lid *list = NULL, count = 0;
  for (ig_lid e = 0; e < m->elements; e++)
    if (alive[e] && !(m->tears.torn.elements > 0 && ig_stress_can_tear(m, e)))
      l->p[l->of[e]].solid = true;
  for (const piece *p = l->p; p < l->p + l->pieces; p++)
    if (!p->rests && p->solid)
      return ig_fail_at(m->cx, &m->c->at,
                        "%d element%s around (%.4g, %.4g, %.4g) m %s free to move as a rigid body "
                        "(%d of 6 motions held): %s",
                        p->elements, p->elements == 1 ? "" : "s", p->centre[0], p->centre[1],
                        p->centre[2], p->elements == 1 ? "is" : "are", p->rank,
                        m->tears.torn.elements > 0
                            ? "what held it has torn off (`tearing`); give it more supports"
                            : "add a support there, or connect it to the rest");
  for (ig_lid e = 0; e < m->elements; e++)
    count += alive[e] && !l->p[l->of[e]].rests;
  if (count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &list, count, "torn elements"));
  count = 0;
  for (ig_lid e = 0; e < m->elements; e++)
    if (alive[e] && !l->p[l->of[e]].rests)
      list[count++] = e;
  const ig_status status = ig_stress_tear_off(m, list, count);
  free(list);
  return status;
}

/* Called whenever supports or living elements have changed. */
ig_status ig_stress_anchor(ig_stress *m) {
  look l = {.m = m};
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &l.of, m->elements, "pieces"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &l.first, m->nodes, "pieces"));
  IG_TRY_GOTO(status, done, examine(&l));
  status = loose_remove(&l);
done:
  free(l.of);
  free(l.first);
  free(l.p);
  return status;
}
