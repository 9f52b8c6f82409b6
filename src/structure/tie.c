/* Nodes tied to faces: a node moves with the point of the nearest face that it was nearest to;
   nodes that are moved onto the faces they are tied to or touch, before anything is computed. Also
   faces of elements and numbers of nodes, which constraints look up. */
#include "structure/constrain.h"
#include "kern/prec_f64.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets of nodes are copied as they are; other sets go through the general function, which marks
   nodes of the whole mesh. */
ig_status ig_structure_nodes(const ig_structure *s, const ig_src *at, const char *name,
                             ig_lid **node, ig_lid *count) {
  const ig_set *set = ig_mesh_find_set(s->mesh, name, IG_SET_NODES);
  if (!set)
    return ig_mesh_named_nodes(s->cx, s->mesh, at, name, node, count);
  IG_TRY(IG_NEW(s->cx, node, set->count + 1, "nodes of a set"));
  *count = set->count;
  memcpy(*node, set->item, (size_t)set->count * sizeof **node);
  return IG_OK;
}

/* Order of qsort and bsearch. */
static int number_compare(const void *a, const void *b) {
  const ig_structure_number *p = a, *q = b;
  return p->number < q->number ? -1 : p->number > q->number;
}

/* Nodes of shells' solids have the number 0 and are found by nobody. */
ig_status ig_structure_numbers(ig_structure *s) {
  IG_TRY(IG_NEW(s->cx, &s->number_of, s->nodes, "numbers"));
  for (ig_lid n = 0; n < s->nodes; n++)
    s->number_of[n] =
        (ig_structure_number){s->mesh->node_number ? s->mesh->node_number[n] : n + 1, n};
  qsort(s->number_of, (size_t)s->nodes, sizeof *s->number_of, number_compare);
  return IG_OK;
}

/* ig_structure_numbers must have been called. */
ig_lid ig_structure_numbered(const ig_structure *s, int64_t number) {
  const ig_structure_number key = {number, 0};
  const ig_structure_number *found =
      bsearch(&key, s->number_of, (size_t)s->nodes, sizeof key, number_compare);
  return found ? found->node : -1;
}

/* N: nodes; d: derivatives by the two natural coordinates. at: -1 to 1, triangles 0 to 1. */
void ig_structure_face_values(int nodes, const double at[2], double *N, double d[8][2]) {
  if (nodes == 3) {
    tri3_values_f64(at, N);
    tri3_slopes_f64(at, (double(*)[2])d);
  } else if (nodes == 6) {
    tri6_values_f64(at, N);
    tri6_slopes_f64(at, (double(*)[2])d);
  } else if (nodes == 4) {
    quad4_values_f64(at, N);
    quad4_slopes_f64(at, (double(*)[2])d);
  } else {
    quad8_values_f64(at, N);
    quad8_slopes_f64(at, (double(*)[2])d);
  }
}

/* The nearest point of a face: the square of its distance, and the shares of its nodes.
   Gauss-Newton on |x(at) - p|^2 from the middle of the face, clamped to the face after each
   step; 30 passes are a guard. Curvature of the face is left out of the matrix, which only costs
   passes. */
double ig_structure_nearest(int nodes, const double (*x)[3], const double p[3], double at[2],
                            double *N) {
  const bool triangle = nodes == 3 || nodes == 6;
  double d[8][2];
  at[0] = at[1] = triangle ? 1. / 3 : 0;
  for (int i = 0; i < 30; i++) {
    double off[3] = {-p[0], -p[1], -p[2]}, t[2][3] = {{0}};
    ig_structure_face_values(nodes, at, N, d);
    for (int a = 0; a < nodes; a++)
      for (int k = 0; k < 3; k++) {
        off[k] += N[a] * x[a][k];
        t[0][k] += d[a][0] * x[a][k];
        t[1][k] += d[a][1] * x[a][k];
      }
    double g[2], A[3] = {0, 0, 0};
    for (int m = 0; m < 2; m++)
      g[m] = t[m][0] * off[0] + t[m][1] * off[1] + t[m][2] * off[2];
    for (int k = 0; k < 3; k++) {
      A[0] += t[0][k] * t[0][k];
      A[1] += t[0][k] * t[1][k];
      A[2] += t[1][k] * t[1][k];
    }
    const double det = A[0] * A[2] - A[1] * A[1];
    double step[2] = {-(A[2] * g[0] - A[1] * g[1]) / det, -(A[0] * g[1] - A[1] * g[0]) / det};
    double to[2] = {at[0] + step[0], at[1] + step[1]};
    /* Clamping: to the square 0 to 1, then onto the hypotenuse. */
    if (triangle) {
      to[0] = fmax(0, fmin(1, to[0]));
      to[1] = fmax(0, fmin(1, to[1]));
      const double over = to[0] + to[1] - 1;
      if (over > 0) {
        to[0] = fmax(0, to[0] - over / 2);
        to[1] = 1 - to[0] < to[1] ? 1 - to[0] : to[1];
      }
    } else {
      to[0] = fmax(-1, fmin(1, to[0]));
      to[1] = fmax(-1, fmin(1, to[1]));
    }
    const double moved = fabs(to[0] - at[0]) + fabs(to[1] - at[1]);
    at[0] = to[0];
    at[1] = to[1];
    if (moved < 1e-12)
      break;
  }
  ig_structure_face_values(nodes, at, N, d);
  double square = 0;
  for (int k = 0; k < 3; k++) {
    double off = -p[k];
    for (int a = 0; a < nodes; a++)
      off += N[a] * x[a][k];
    square += off * off;
  }
  return square;
}

/* The place of a set of faces that is nearest to a node: the square of its distance, and the shares
   of the nodes that carry it. Negative: the node is one of theirs.
   Exhaustive search. A node that belongs to the faces itself is not tied: -1. */
static double place_find(const ig_structure *s, const ig_set *faces, ig_lid node, ig_lid on[8],
                         int *nodes, double share[8]) {
  double best = INFINITY;
  *nodes = 0;
  for (ig_lid f = 0; f < faces->count; f++) {
    ig_lid its[8];
    double x[8][3], N[8], at[2];
    const int n = ig_mesh_face_nodes(s->mesh, faces->item[f], faces->face[f], its);
    for (int a = 0; a < n; a++) {
      if (its[a] == node)
        return -1;
      memcpy(x[a], s->mesh->x + 3 * (size_t)its[a], sizeof x[a]);
    }
    const double square =
        ig_structure_nearest(n, (const double(*)[3])x, s->mesh->x + 3 * (size_t)node, at, N);
    if (square < best) {
      best = square;
      *nodes = n;
      memcpy(on, its, sizeof its);
      memcpy(share, N, sizeof N);
    }
  }
  return best;
}

/* How far a tied node may be: a twentieth of the size of the faces where nothing is given.
   Size of a face: the root of its mean area over the set. CalculiX's default is 2.5 % of the
   typical element size; a deck that depends on it gives POSITION TOLERANCE. */
static double tie_reach(const ig_structure *s, const ig_structure_tie *c, const ig_set *faces) {
  double area = 0;
  if (!isnan(c->distance))
    return c->distance;
  for (ig_lid f = 0; f < faces->count; f++) {
    ig_lid node[8];
    double w[8];
    const int n = ig_mesh_face_nodes(s->mesh, faces->item[f], faces->face[f], node);
    area += ig_structure_face_weights(s->mesh, n, node, w);
  }
  return 0.05 * sqrt(area / (faces->count > 0 ? faces->count : 1));
}

/* Nodes too far away are left free and counted in a warning. */
ig_status ig_structure_tie_read(ig_structure *s, const ig_structure_tie *c) {
  const ig_set *faces;
  ig_lid *node, count, left = 0;
  IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->to, IG_OF_FACES, &faces));
  IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
  const double reach = tie_reach(s, c, faces);
  ig_status status = IG_OK;
  for (ig_lid k = 0; k < count && status == IG_OK; k++) {
    double share[8];
    ig_lid on[8];
    int nodes;
    const double square = place_find(s, faces, node[k], on, &nodes, share);
    if (square < 0)
      continue;
    if (!(square <= reach * reach)) {
      left++;
      continue;
    }
    status = ig_structure_unframed(s, &c->at, &node[k], 1);
    if (status == IG_OK)
      status = ig_structure_unframed(s, &c->at, on, nodes);
    for (int d = 0; d < 3 && status == IG_OK; d++) {
      int32_t master[8];
      for (int a = 0; a < nodes; a++)
        master[a] = 3 * on[a] + d;
      status = ig_system_constrain(s->system, 3 * node[k] + d, nodes, master, share, 0, NULL);
    }
  }
  if (left && status == IG_OK)
    ig_warn_at(s->cx, &c->at, "%d of %d nodes of '%s' are further from '%s' than %g: not tied",
               (int)left, (int)count, c->set, c->to, reach);
  free(node);
  return status;
}

/* Moves the nodes of a set onto the faces, those no further away than `reach`.
   Changes the mesh (that of the job, or the expanded one) before anything is computed: no
   strain. Nodes of shells and beams are left, since their sections were made from them. */
static ig_status onto(ig_structure *s, const ig_src *at, const char *set, const ig_set *faces,
                      double reach) {
  ig_lid *node, count;
  IG_TRY(ig_structure_nodes(s, at, set, &node, &count));
  double *x = s->expanded ? s->expanded->x : s->job->mesh->x;
  for (ig_lid k = 0; k < count; k++) {
    double share[8];
    ig_lid on[8];
    int nodes;
    const double square = place_find(s, faces, node[k], on, &nodes, share);
    if (square < 0 || !(square <= reach * reach) ||
        (s->cluster && node[k] < s->drawn && s->cluster[node[k]].count))
      continue;
    for (int d = 0; d < 3; d++) {
      double place = 0;
      for (int a = 0; a < nodes; a++)
        place += share[a] * x[3 * (size_t)on[a] + (size_t)d];
      x[3 * (size_t)node[k] + (size_t)d] = place;
    }
  }
  free(node);
  return IG_OK;
}

/* Ties first, then contacts, in the order of the case. */
ig_status ig_structure_adjust(ig_structure *s) {
  for (int i = 0; i < s->c->ties.count; i++) {
    const ig_structure_tie *c = IG_ITEM(const ig_structure_tie, s->c->ties, i);
    const ig_set *faces;
    IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->to, IG_OF_FACES, &faces));
    if (c->adjust)
      IG_TRY(onto(s, &c->at, c->set, faces, tie_reach(s, c, faces)));
  }
  for (int i = 0; i < s->c->contacts.count; i++) {
    const ig_structure_contact *c = IG_ITEM(const ig_structure_contact, s->c->contacts, i);
    const ig_set *faces;
    IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->to, IG_OF_FACES, &faces));
    if (c->adjust_nodes)
      IG_TRY(onto(s, &c->at, c->adjust_nodes, faces, INFINITY));
    if (!isnan(c->adjust))
      IG_TRY(onto(s, &c->at, c->set, faces, c->adjust));
  }
  return IG_OK;
}
