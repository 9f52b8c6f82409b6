/* Particles that others carry: tied to a surface or to particles, or parts of a rigid body.
   m->carried.bound says for each particle what it is: 0 on its own, -1 tied, else 1 + its place
   in the lists of bodies. Made while the model is built; kernels are tie_step (particle.inc) and
   body.inc. */
#include "dynamics/model/model.h"
#include "mesh/named.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/kernels/body.inc"
#include "dynamics/contact/contact.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- ties ---------------------------------------------------------------------------------------
 */

/* What a tie may be attached to: a triangle, or a particle three times over; low: its least x.
   The list is sorted by `low`, `width` is the largest extent along x: both bound the stretch
   that a search must look at. */
typedef struct {
  int32_t node[3];
  double low; /* along x */
} target;
typedef struct {
  int64_t count;
  target *item;
  double width; /* most along x */
} targets;

static int by_low(const void *a, const void *b) {
  const target *p = a, *q = b;
  return p->low < q->low ? -1 : p->low > q->low;
}

static ig_status target_add(ig_dyn_model *m, targets *t, ig_lid a, ig_lid b, ig_lid c) {
  IG_TRY(IG_MORE(m->cx, &t->item, t->count, "ties"));
  target *to = &t->item[t->count++];
  const double x[3] = {m->x0[3 * (int64_t)a], m->x0[3 * (int64_t)b], m->x0[3 * (int64_t)c]};
  *to = (target){{a, b, c}, fmin(x[0], fmin(x[1], x[2]))};
  t->width = fmax(t->width, fmax(x[0], fmax(x[1], x[2])) - to->low);
  return IG_OK;
}

/* Targets of a tie: triangles of faces or shells, or single particles; sorted by their lowest x,
   so that a search looks at a stretch of them. */
static ig_status targets_of(ig_dyn_model *m, const ig_dyn_tie *c, targets *t) {
  const ig_set *set = ig_mesh_find_set(m->mesh, c->to, IG_SET_FACES);
  if (!set)
    set = ig_mesh_find_set(m->mesh, c->to, IG_SET_ELEMENTS);
  for (ig_lid k = 0; set && k < set->count; k++) {
    ig_lid local;
    const ig_block *b = ig_dyn_block_of(m->mesh, set->item[k], &local);
    const ig_elem_info *info = ig_elem_info_get(b->type);
    const bool shell = b->type == IG_TRI3 || b->type == IG_QUAD4;
    if (!shell && (info->dim != 3 || set->kind != IG_SET_FACES))
      return ig_fail_at(m->cx, &c->at, "`to` needs faces of solids, shell elements or nodes");
    ig_lid cut[4][3];
    const int n = ig_dyn_face_triangles(b, local, shell ? -1 : set->face[k], cut);
    for (int i = 0; i < n; i++)
      IG_TRY(target_add(m, t, cut[i][0], cut[i][1], cut[i][2]));
  }
  if (!set) {
    IG_TRY(ig_mesh_named_set(m->cx, m->mesh, &c->at, c->to, IG_OF_ANY, &set));
    for (ig_lid k = 0; k < set->count; k++)
      IG_TRY(target_add(m, t, set->item[k], set->item[k], set->item[k]));
  }
  qsort(t->item, (size_t)t->count, sizeof *t->item, by_low);
  return IG_OK;
}

/* The target nearest to particle n within `reach`, and its shares (barycentric coordinates); -1:
   none. Targets that contain the particle itself do not count. */
static int64_t target_near(const ig_dyn_model *m, const targets *t, ig_lid n, double reach,
                           double share[3]) {
  const double *x = m->x0 + 3 * (int64_t)n;
  int64_t lo = 0, hi = t->count, found = -1;
  double best = reach * reach;
  while (lo < hi) {
    const int64_t mid = (lo + hi) / 2;
    /* targets below x - reach - width cannot reach it */
    if (t->item[mid].low < x[0] - reach - t->width)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (int64_t i = lo; i < t->count && t->item[i].low <= x[0] + reach; i++) {
    const int32_t *k = t->item[i].node;
    double r[3][3], w[3] = {1, 0, 0}, d;
    if (k[0] == n || k[1] == n || k[2] == n)
      continue;
    for (int a = 0; a < 3; a++)
      ig_dyn_sub(m->x0 + 3 * (int64_t)k[a], x, r[a]);
    d = k[0] == k[1] ? dot_f64(r[0], r[0]) : contact_closest_f64(r[0], r[1], r[2], w);
    if (d < best || (d == best && found < 0)) {
      best = d;
      found = i;
      memcpy(share, w, sizeof w);
    }
  }
  return found;
}

/* Each node of a set within the distance is tied to its nearest target and moved onto it. A
   carrier must not be tied itself: forces would have to pass twice. */
ig_status ig_dyn_ties_new(ig_dyn_model *m) {
  ig_ctx *cx = m->cx;
  const int n = m->c->ties.count;
  const ig_lid nodes = m->mesh->nodes;
  if (n == 0)
    return IG_OK;
  ig_status status = IG_OK;
  int32_t *bound = m->carried.bound.host, *node = NULL, *to = NULL, *first = NULL, *carry = NULL;
  double *share = NULL;
  targets t = {0};
  int32_t ties = 0;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &node, nodes, "ties"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &to, 3 * (size_t)nodes, "ties"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &share, 3 * (size_t)nodes, "ties"));
  for (int i = 0; i < n; i++) {
    const ig_dyn_tie *c = IG_ITEM(const ig_dyn_tie, m->c->ties, i);
    const ig_set *set;
    IG_TRY_GOTO(status, done, ig_dyn_nodes_of(m, &c->at, c->set, &set));
    t.count = 0, t.width = 0;
    IG_TRY_GOTO(status, done, targets_of(m, c, &t));
    int32_t made = 0, inside = 0;
    for (ig_lid k = 0; k < set->count; k++) {
      const ig_lid s = set->item[k];
      double w[3] = {1, 0, 0};
      const int64_t found = target_near(m, &t, s, c->distance, w);
      inside += found >= 0 && bound[s] > 0;
      if (found < 0 || bound[s] != 0)
        continue;
      bound[s] = -1;
      node[ties] = s;
      double x[3] = {0, 0, 0};
      for (int a = 0; a < 3; a++) {
        to[3 * ties + a] = t.item[found].node[a];
        share[3 * ties + a] = w[a];
        for (int d = 0; d < 3; d++)
          x[d] += w[a] * m->x0[3 * (int64_t)to[3 * ties + a] + d];
      }
      memcpy(m->x0 + 3 * (int64_t)s, x, sizeof x); /* onto the surface: the tie has no lever */
      ties++, made++;
    }
    if (inside)
      ig_warn_at(cx, &c->at,
                 "%d nodes of '%s' are part of a rigid body, with which they go: they are not tied "
                 "to '%s'",
                 inside, c->set, c->to);
    if (made == 0) {
      status = ig_fail_at(cx, &c->at, "no node of '%s' lies within %g m of '%s': raise `distance`",
                          c->set, c->distance, c->to);
      goto done;
    }
  }
  for (int32_t i = 0; i < 3 * ties; i++)
    if (share[i] > 0 && bound[to[i]] < 0) {
      status = ig_fail_at(cx, &m->c->at,
                          "node %d is tied and carries a tied one: swap `set` and `to`", to[i]);
      goto done;
    }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &first, (size_t)nodes + 1, "ties"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &carry, 3 * (size_t)ties, "ties"));
  /* lists by carrier: counting sort, rising order within a carrier */
  for (int32_t i = 0; i < 3 * ties; i++)
    first[to[i] + 1]++;
  for (ig_lid k = 0; k < nodes; k++)
    first[k + 1] += first[k];
  for (int32_t i = 0; i < 3 * ties; i++)
    carry[first[to[i]]++] = i;
  for (ig_lid k = nodes; k > 0; k--)
    first[k] = first[k - 1];
  first[0] = 0;
  const size_t count = (size_t)ties;
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->carried.tie_node, node, count, sizeof *node, "ties"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->carried.tie_to, to, 3 * count, sizeof *to, "ties"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->carried.tie_share, share, 3 * count, sizeof *share, "ties"));
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &m->carried.tie_turns, count, sizeof(int32_t), "ties"));
  IG_TRY_GOTO(
      status, done,
      ig_array_from(cx, &m->carried.carry_first, first, (size_t)nodes + 1, sizeof *first, "ties"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->carried.carry, carry, 3 * count, sizeof *carry, "ties"));
  m->p.ties.count = ties;
  m->p.ties.node = m->carried.tie_node.dev, m->p.ties.to = m->carried.tie_to.dev;
  m->p.ties.share = m->carried.tie_share.dev, m->p.ties.turns = m->carried.tie_turns.dev;
  m->p.ties.carry_first = m->carried.carry_first.dev, m->p.ties.carry = m->carried.carry.dev;
done:
  free(node);
  free(to);
  free(share);
  free(first);
  free(carry);
  free(t.item);
  return status;
}

/* Masses of tied particles go to those that carry them, by their shares; so does inertia, where
   all of them turn. Where some do not, the tied particle keeps its inertia and turns by itself. */
ig_status ig_dyn_ties_mass(ig_dyn_model *m) {
  int32_t *turns = m->carried.tie_turns.host;
  if (m->p.ties.count == 0)
    return IG_OK;
  for (int32_t k = 0; k < m->p.ties.count; k++) {
    const int32_t n = ((int32_t *)m->carried.tie_node.host)[k],
                  *to = (int32_t *)m->carried.tie_to.host + 3 * k;
    const double *share = (double *)m->carried.tie_share.host + 3 * k;
    /* rotations follow only if the tied particle and all its carriers have them */
    turns[k] = m->weight.inertia[n] > 0;
    for (int a = 0; a < 3; a++)
      turns[k] &= share[a] == 0 || m->weight.inertia[to[a]] > 0;
    for (int a = 0; a < 3; a++) {
      m->weight.mass[to[a]] += share[a] * m->weight.mass[n];
      m->weight.heavy[to[a]] += share[a] * m->weight.heavy[n];
      if (turns[k])
        m->weight.inertia[to[a]] += share[a] * m->weight.inertia[n];
    }
    if (turns[k])
      m->weight.inertia[n] = 0;
  }
  return ig_array_push(m->cx, &m->carried.tie_turns);
}

/* --- bodies -------------------------------------------------------------------------------------
 */

/* Bodies in the order of the case; a particle belongs to one at most. Arms hold positions until
   masses are known (ig_dyn_bodies_mass). */
ig_status ig_dyn_bodies_new(ig_dyn_model *m) {
  ig_ctx *cx = m->cx;
  const int n = m->c->bodies.count;
  if (n == 0)
    return IG_OK;
  int32_t *bound = m->carried.bound.host;
  int32_t count = 0;
  IG_TRY(ig_array_new(cx, &m->carried.body, (size_t)n, sizeof(ig_dyn_body), "bodies"));
  IG_TRY(
      ig_array_new(cx, &m->carried.body_node, (size_t)m->mesh->nodes, sizeof(int32_t), "bodies"));
  for (int i = 0; i < n; i++) {
    const ig_support_case *c = IG_ITEM(const ig_support_case, m->c->bodies, i);
    ig_dyn_body *b = (ig_dyn_body *)m->carried.body.host + i;
    const ig_set *set;
    IG_TRY(ig_dyn_nodes_of(m, &c->at, c->set, &set));
    b->first = count;
    b->q[0] = 1;
    for (ig_lid k = 0; k < set->count; k++) {
      const ig_lid s = set->item[k];
      if (bound[s] != 0)
        return ig_fail_at(cx, &c->at, "node %d of '%s' is in another body already", s, c->set);
      ((int32_t *)m->carried.body_node.host)[count++] = s;
      bound[s] = count;
    }
    b->count = count - b->first;
    if (b->count == 0)
      return ig_fail_at(cx, &c->at, "node set '%s' is empty", c->set);
  }
  IG_TRY(ig_array_new(cx, &m->carried.body_arm, 3 * (size_t)count, sizeof(double), "bodies"));
  IG_TRY(ig_array_new_device(cx, &m->carried.body_pull, (size_t)count * IG_DYN_PULL, sizeof(double),
                             "bodies"));
  IG_TRY(ig_array_push(cx, &m->carried.body_node));
  for (int32_t i = 0; i < count; i++)
    memcpy((double *)m->carried.body_arm.host + 3 * i,
           m->x0 + 3 * (int64_t)((int32_t *)m->carried.body_node.host)[i], 3 * sizeof(double));
  IG_TRY(ig_array_push(cx, &m->carried.body));
  m->p.bodies.count = n;
  m->p.bodies.of = m->carried.body.dev, m->p.bodies.node = m->carried.body_node.dev;
  m->p.bodies.arm = m->carried.body_arm.dev, m->p.bodies.pull = m->carried.body_pull.dev;
  return IG_OK;
}

/* The inverse of a symmetric matrix. Directions without inertia (particles on a line) get 1e-12
   of the trace, which keeps the inverse finite; no moment acts there. */
static void inverse_of(const double a[9], double inv[9]) {
  double b[9], c[9];
  const double little = 1e-12 * (a[0] + a[4] + a[8]);
  memcpy(b, a, sizeof b);
  for (int i = 0; i < 9; i += 4)
    b[i] += little;
  const double det = hex8_cofactors_f64(b, c);
  for (int i = 0; i < 9; i++)
    inv[i] = c[i] / det;
}

/* Mass, centre and inertia of every body from its particles, where it is now; the motion stays.
   Arms are moved so that they start at the new centre; the first call turns positions into arms. */
ig_status ig_dyn_bodies_mass(ig_dyn_model *m) {
  if (m->p.bodies.count == 0)
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->carried.body));
  for (int k = 0; k < m->p.bodies.count; k++) {
    ig_dyn_body *b = (ig_dyn_body *)m->carried.body.host + k;
    const int32_t *node = (int32_t *)m->carried.body_node.host + b->first;
    double *arm = (double *)m->carried.body_arm.host + 3 * (int64_t)b->first, shift[3] = {0}, w[3],
           r[3];
    b->mass = 0;
    memset(b->inertia, 0, sizeof b->inertia);
    for (int32_t i = 0; i < b->count; i++) {
      b->mass += m->weight.mass[node[i]];
      for (int c = 0; c < 3; c++)
        shift[c] += m->weight.mass[node[i]] * arm[3 * i + c];
    }
    for (int c = 0; c < 3; c++)
      shift[c] /= b->mass;
    for (int32_t i = 0; i < b->count; i++) {
      double *y = arm + 3 * i;
      ig_dyn_sub(y, shift, y);
      const double mass = m->weight.mass[node[i]], square = dot_f64(y, y);
      for (int c = 0; c < 9; c++)
        b->inertia[c] += (c % 4 == 0 ? mass * square + m->weight.inertia[node[i]] : 0) -
                         mass * y[c / 3] * y[c % 3];
    }
    inverse_of(b->inertia, b->inverse);
    /* the centre moves with the masses: velocity there follows from the spin */
    ig_dyn_turn(b->q, shift, r);
    cross_f64(b->spin, r, w);
    for (int c = 0; c < 3; c++) {
      b->at[c] += r[c];
      b->v[c] += w[c];
    }
    ig_dyn_body_times(b->q, b->inertia, b->spin, b->momentum);
  }
  IG_TRY(ig_array_push(m->cx, &m->carried.body_arm));
  return ig_array_push(m->cx, &m->carried.body);
}

/* Bodies take over the momentum of their particles, and the particles then move with them. Tied
   particles get the velocities of their carriers. v: nodes x dofs, host. */
ig_status ig_dyn_bodies_start(ig_dyn_model *m, double *v) {
  const int D = m->p.dofs;
  for (int k = 0; k < m->p.bodies.count; k++) {
    ig_dyn_body *b = (ig_dyn_body *)m->carried.body.host + k;
    const int32_t *node = (int32_t *)m->carried.body_node.host + b->first;
    const double *arm = (double *)m->carried.body_arm.host + 3 * (int64_t)b->first;
    memset(b->v, 0, sizeof b->v);
    memset(b->momentum, 0, sizeof b->momentum);
    for (int32_t i = 0; i < b->count; i++) {
      const double *u = v + (int64_t)D * node[i], mass = m->weight.mass[node[i]];
      double l[3];
      cross_f64(arm + 3 * i, u, l);
      for (int c = 0; c < 3; c++) {
        b->v[c] += mass * u[c] / b->mass;
        b->momentum[c] += mass * l[c] + (D == 6 ? m->weight.inertia[node[i]] * u[3 + c] : 0);
      }
    }
    ig_dyn_body_times(b->q, b->inverse, b->momentum, b->spin);
    for (int32_t i = 0; i < b->count; i++) {
      double *u = v + (int64_t)D * node[i], w[3];
      cross_f64(b->spin, arm + 3 * i, w);
      for (int c = 0; c < 3; c++) {
        u[c] = b->v[c] + w[c];
        if (D == 6)
          u[3 + c] = b->spin[c];
      }
    }
  }
  for (int32_t k = 0; k < m->p.ties.count; k++) {
    const int64_t n = ((int32_t *)m->carried.tie_node.host)[k];
    for (int c = 0; c < (((int32_t *)m->carried.tie_turns.host)[k] ? D : 3); c++) {
      v[D * n + c] = 0;
      for (int a = 0; a < 3; a++)
        v[D * n + c] += ((double *)m->carried.tie_share.host)[3 * k + a] *
                        v[(int64_t)D * ((int32_t *)m->carried.tie_to.host)[3 * k + a] + c];
    }
  }
  return m->p.bodies.count ? ig_array_push(m->cx, &m->carried.body) : IG_OK;
}
