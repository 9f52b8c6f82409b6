/* Nodes tied to faces: a node moves with the point of the nearest face that it was nearest to;
   nodes that are moved onto the faces they are tied to or touch, before anything is computed. Also
   faces of elements and numbers of nodes, which constraints look up. */
#include "structure/constrain.h"
#include "mesh/face_place.h"
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

/* Nodes of shells' solids have the number 0 and are never found. */
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
        ig_face_nearest(n, (const double(*)[3])x, s->mesh->x + 3 * (size_t)node, at, N);
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
    const ig_contact_case *c = IG_ITEM(const ig_contact_case, s->c->contacts, i);
    const ig_set *faces;
    if (!c->adjust_nodes && isnan(c->adjust))
      continue;
    IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->to, IG_OF_FACES, &faces));
    if (c->adjust_nodes)
      IG_TRY(onto(s, &c->at, c->adjust_nodes, faces, INFINITY));
    if (!isnan(c->adjust))
      IG_TRY(onto(s, &c->at, c->set, faces, c->adjust));
  }
  return IG_OK;
}
