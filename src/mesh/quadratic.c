/* Linear to quadratic elements: a node in the middle of each edge, one for all elements at it.
   Elements stay straight. Numbers of corners stay; new nodes come after them, in the order in
   which elements meet their edges. */
#include "mesh/mesh_builder.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

/* Edges in the order of the mid-side nodes of each type, as in VTK. */
static const int tri_edge[][2] = {{0, 1}, {1, 2}, {2, 0}};
static const int quad_edge[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const int tet_edge[][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int hex_edge[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                  {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const int wedge_edge[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                    {5, 3}, {0, 3}, {1, 4}, {2, 5}};
static const struct {
  ig_elem_type from, to;
  const int (*edge)[2];
} kin[] = {{IG_TRI3, IG_TRI6, tri_edge},
           {IG_QUAD4, IG_QUAD8, quad_edge},
           {IG_TET4, IG_TET10, tet_edge},
           {IG_HEX8, IG_HEX20, hex_edge},
           {IG_WEDGE6, IG_WEDGE15, wedge_edge}};

/* Index into kin; -1: the type has no quadratic kind. */
static int kin_of(ig_elem_type type) {
  for (int i = 0; i < (int)(sizeof kin / sizeof *kin); i++)
    if (kin[i].from == type)
      return i;
  return -1;
}
static size_t corners_of(int k) {
  return (size_t)ig_elem_info_get(kin[k].from)->nodes;
}
int ig_elem_corners(ig_elem_type type) {
  for (int i = 0; i < (int)(sizeof kin / sizeof *kin); i++)
    if (kin[i].to == type)
      return (int)corners_of(i);
  return ig_elem_info_get(type)->nodes;
}
static size_t edges_of(int k) {
  return (size_t)ig_elem_info_get(kin[k].to)->nodes - corners_of(k);
}

/* Table of edges: those with the same lowest node form a list that starts at head[low] (edge + 1;
   0: end). low, high: nodes of each edge. */
typedef struct {
  ig_lid *head, *next, *high, *low;
  ig_lid count;
  uint8_t *inner; /* of each edge: inside a solid, with both ends on its surface; NULL: not known */
} edges;

static void edges_free(edges *list) {
  free(list->head);
  free(list->next);
  free(list->high);
  free(list->low);
  free(list->inner);
}

/* The number of edge a-b, which is added if it is new. Lists are short: the edges at one node. */
static ig_lid edge_number(edges *list, ig_lid a, ig_lid b) {
  const ig_lid low = a < b ? a : b, high = a < b ? b : a;
  ig_lid *at = &list->head[low];
  while (*at && list->high[*at - 1] != high)
    at = &list->next[*at - 1];
  if (!*at) {
    list->low[list->count] = low;
    list->high[list->count] = high;
    *at = ++list->count;
  }
  return *at - 1;
}

/* All edges of elements that have a quadratic kind. */
static ig_status edges_find(ig_ctx *cx, const ig_mesh *mesh, edges *list) {
  int64_t most = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const int k = kin_of(mesh->block[b].type);
    most += k < 0 ? 0 : (int64_t)mesh->block[b].count * (int64_t)edges_of(k);
    if (k >= 0 &&
        (int64_t)mesh->block[b].count * (int64_t)ig_elem_info_get(kin[k].to)->nodes > INT32_MAX)
      most = INT32_MAX;
  }
  if (most + mesh->nodes > INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "%d quadratic elements are more than one mesh can number",
                   ig_mesh_elements(mesh));
  IG_TRY(IG_NEW(cx, &list->head, mesh->nodes, "edges"));
  IG_TRY(IG_NEW(cx, &list->next, most, "edges"));
  IG_TRY(IG_NEW(cx, &list->high, most, "edges"));
  IG_TRY(IG_NEW(cx, &list->low, most, "edges"));
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int k = kin_of(block->type);
    for (size_t e = 0; k >= 0 && e < (size_t)block->count; e++) {
      const ig_lid *corner = block->conn + e * corners_of(k);
      for (size_t i = 0; i < edges_of(k); i++)
        edge_number(list, corner[kin[k].edge[i][0]], corner[kin[k].edge[i][1]]);
    }
  }
  return IG_OK;
}

/* Marks edges that run through a solid from one place of its surface to another. */
static ig_status inner_mark(ig_ctx *cx, const ig_mesh *mesh, edges *list) {
  ig_boundary boundary = {0};
  uint8_t *skin = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &list->inner, (size_t)list->count + 1, "edges"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &skin, (size_t)mesh->nodes + 1, "surface"));
  IG_TRY_GOTO(status, done, ig_mesh_boundary(cx, mesh, &boundary));
  memset(list->inner, 1, (size_t)list->count);
  for (ig_lid i = 0; i < boundary.count; i++) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, boundary.element[i], &local);
    const ig_elem_info *info = ig_elem_info_get(block->type);
    if (info->dim != 3 || kin_of(block->type) < 0)
      continue;
    const int *face = ig_elem_face(block->type, boundary.face[i]);
    const int corners = ig_elem_face_distinct(block->type, boundary.face[i]);
    const ig_lid *node = block->conn + (size_t)local * (size_t)info->nodes;
    for (int c = 0; c < corners; c++) {
      skin[node[face[c]]] = 1;
      list->inner[edge_number(list, node[face[c]], node[face[(c + 1) % corners]])] = 0;
    }
  }
  for (ig_lid i = 0; i < list->count; i++)
    list->inner[i] &= skin[list->low[i]] & skin[list->high[i]];
  /* edges of plane elements and shells are no such edges */
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int k = kin_of(block->type);
    const bool plane = ig_elem_info_get(block->type)->dim == 2;
    for (size_t e = 0; plane && k >= 0 && e < (size_t)block->count; e++) {
      const ig_lid *corner = block->conn + e * corners_of(k);
      for (size_t i = 0; i < edges_of(k); i++)
        list->inner[edge_number(list, corner[kin[k].edge[i][0]], corner[kin[k].edge[i][1]])] = 0;
    }
  }
done:
  ig_boundary_free(&boundary);
  free(skin);
  return status;
}

/* Marks in whole[] the edges of elements whose corners are all in the set. */
static void whole_mark(const ig_mesh *mesh, edges *list, const uint8_t *in, uint8_t *whole) {
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int k = kin_of(block->type);
    for (size_t e = 0; k >= 0 && e < (size_t)block->count; e++) {
      const ig_lid *corner = block->conn + e * corners_of(k);
      bool all = true;
      for (size_t a = 0; a < corners_of(k) && all; a++)
        all = in[corner[a]];
      for (size_t i = 0; all && i < edges_of(k); i++)
        whole[edge_number(list, corner[kin[k].edge[i][0]], corner[kin[k].edge[i][1]])] = 1;
    }
  }
}

/* A node in the middle of an edge is in a set of nodes if both ends are; not where the edge runs
   through a solid from one face of the set to another, unless an element there is in it whole.
   in, whole: zeroed, for nodes and edges; zero again afterwards. */
static ig_status set_extend(ig_ctx *cx, const ig_mesh *mesh, edges *list, ig_set *set, uint8_t *in,
                            uint8_t *whole) {
  const ig_lid nodes = mesh->nodes;
  bool doubtful = false;
  ig_lid more = 0;
  for (ig_lid i = 0; i < set->count; i++)
    in[set->item[i]] = 1;
  for (ig_lid i = 0; i < set->count; i++)
    for (ig_lid e = list->head[set->item[i]]; e; e = list->next[e - 1]) {
      more += in[list->high[e - 1]];
      doubtful |= in[list->high[e - 1]] && list->inner[e - 1];
    }
  if (doubtful)
    whole_mark(mesh, list, in, whole);
  const size_t room = ((size_t)set->count + (size_t)more + 1) * sizeof *set->item;
  ig_lid *item = realloc(set->item, room), added = 0;
  if (!item)
    return IG_FAIL(cx, IG_MEMORY, "no memory for set '%s'", set->name);
  set->item = item;
  for (ig_lid i = 0; i < set->count; i++)
    for (ig_lid e = list->head[item[i]]; e; e = list->next[e - 1])
      if (in[list->high[e - 1]] && (!list->inner[e - 1] || whole[e - 1]))
        item[set->count + added++] = nodes + e - 1;
  ig_lids_sort(item + set->count, added);
  for (ig_lid i = 0; i < set->count; i++)
    in[item[i]] = 0;
  if (doubtful)
    memset(whole, 0, (size_t)list->count);
  set->count += added;
  return IG_OK;
}

static ig_status sets_extend(ig_ctx *cx, ig_mesh *mesh, edges *list) {
  uint8_t *in = NULL, *whole = NULL;
  ig_status status = IG_OK;
  bool any = false;
  for (int i = 0; i < mesh->sets; i++)
    any |= mesh->set[i].kind == IG_SET_NODES;
  if (!any)
    return IG_OK;
  IG_TRY_GOTO(status, done, inner_mark(cx, mesh, list));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &in, (size_t)mesh->nodes + 1, "sets"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &whole, (size_t)list->count + 1, "sets"));
  for (int i = 0; i < mesh->sets && status == IG_OK; i++)
    if (mesh->set[i].kind == IG_SET_NODES)
      status = set_extend(cx, mesh, list, &mesh->set[i], in, whole);
done:
  free(in);
  free(whole);
  return status;
}

/* New connectivity of a block; corners are numbered as before. */
static ig_status block_raise(ig_ctx *cx, const ig_mesh *mesh, edges *list, ig_block *block) {
  const int k = kin_of(block->type);
  if (k < 0)
    return IG_OK;
  const size_t from = corners_of(k), per = edges_of(k), npe = from + per;
  ig_lid *conn;
  IG_TRY(IG_NEW(cx, &conn, (size_t)block->count * npe, "connectivity"));
  for (size_t e = 0; e < (size_t)block->count; e++) {
    const ig_lid *corner = block->conn + e * from;
    memcpy(conn + e * npe, corner, from * sizeof *conn);
    for (size_t i = 0; i < per; i++)
      conn[e * npe + from + i] =
          mesh->nodes + edge_number(list, corner[kin[k].edge[i][0]], corner[kin[k].edge[i][1]]);
  }
  free(block->conn);
  block->conn = conn;
  block->type = kin[k].to;
  return IG_OK;
}

/* Coordinates, side marks (NULL: none) and numbers of the file for the new nodes. A node is on a
   side if both its ends are, hence the bitwise and of marks; numbers go on after the largest. */
static ig_status nodes_add(ig_ctx *cx, ig_mesh *mesh, const edges *list, uint8_t **sides) {
  const size_t nodes = (size_t)mesh->nodes + (size_t)list->count;
  double *x = realloc(mesh->x, 3 * nodes * sizeof *x);
  mesh->x = x ? x : mesh->x;
  uint8_t *side = *sides ? realloc(*sides, nodes) : NULL;
  *sides = side ? side : *sides;
  int64_t last = 0, *number = NULL;
  if (mesh->node_number)
    number = realloc(mesh->node_number, nodes * sizeof *number);
  mesh->node_number = number ? number : mesh->node_number;
  if (!x || (*sides && !side) || (mesh->node_number && !number))
    return IG_FAIL(cx, IG_MEMORY, "no memory for mid-side nodes");
  for (ig_lid n = 0; number && n < mesh->nodes; n++)
    last = number[n] > last ? number[n] : last;
  for (size_t i = 0; i < (size_t)list->count; i++) {
    const size_t to = (size_t)mesh->nodes + i, a = (size_t)list->low[i], b = (size_t)list->high[i];
    for (size_t d = 0; d < 3; d++)
      x[3 * to + d] = 0.5 * (x[3 * a + d] + x[3 * b + d]);
    if (side)
      side[to] = side[a] & side[b];
    if (number)
      number[to] = last + 1 + (int64_t)i;
  }
  mesh->nodes = (ig_lid)nodes;
  return IG_OK;
}

static bool edge_known(const edges *list, ig_lid a, ig_lid b) {
  const ig_lid low = a < b ? a : b, high = a < b ? b : a;
  ig_lid at = list->head[low];
  while (at && list->high[at - 1] != high)
    at = list->next[at - 1];
  return at > 0;
}

/* Triangles on a quadrilateral have an edge along its diagonal, whose middle would be a node of
   theirs alone: a gap opens there. */
static ig_status diagonals_check(ig_ctx *cx, const ig_mesh *mesh, const edges *list) {
  ig_lid number = 0;
  for (int b = 0; b < mesh->blocks; number += mesh->block[b++].count) {
    const ig_block *block = &mesh->block[b];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    if (block->type != IG_HEX8 && block->type != IG_WEDGE6)
      continue;
    for (ig_lid e = 0; e < block->count; e++)
      for (int f = 0; f < info->faces; f++) {
        const int *face = ig_elem_face(block->type, f);
        const ig_lid *node = block->conn + (size_t)e * (size_t)info->nodes;
        if (ig_elem_face_distinct(block->type, f) == 4 &&
            (edge_known(list, node[face[0]], node[face[2]]) ||
             edge_known(list, node[face[1]], node[face[3]])))
          return IG_FAIL(cx, IG_INPUT,
                         "quadratic: a quadrilateral of element %d (%s) meets triangles, which "
                         "would come apart there: `split: true` cuts all into tetrahedra",
                         (int)(number + e), info->name);
      }
  }
  return IG_OK;
}

/* Sets first: they are extended by the linear elements. On failure the mesh is fit for
   ig_mesh_free only. */
static ig_status mesh_raise(ig_ctx *cx, ig_mesh *mesh, uint8_t **sides) {
  edges list = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, edges_find(cx, mesh, &list));
  IG_TRY_GOTO(status, done, diagonals_check(cx, mesh, &list));
  IG_TRY_GOTO(status, done, sets_extend(cx, mesh, &list));
  for (int b = 0; b < mesh->blocks; b++)
    IG_TRY_GOTO(status, done, block_raise(cx, mesh, &list, &mesh->block[b]));
  status = nodes_add(cx, mesh, &list, sides);
done:
  edges_free(&list);
  return status;
}

/* Blocks of types that have no quadratic kind stay as they are. */
ig_status ig_mesh_builder_quadratic(ig_ctx *cx, ig_mesh_builder *draft) {
  return mesh_raise(cx, draft->mesh, &draft->side);
}

/* A linear element beside a quadratic one would have a gap between them. */
ig_status ig_mesh_quadratic(ig_ctx *cx, ig_mesh *mesh) {
  const char *linear = NULL, *other = NULL;
  uint8_t *none = NULL;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_elem_info *info = ig_elem_info_get(mesh->block[b].type);
    if (mesh->block[b].count && kin_of(mesh->block[b].type) >= 0)
      linear = info->name;
    else if (mesh->block[b].count && info->dim > 1)
      other = info->name;
  }
  if (other && strcmp(other, "pyramid5") == 0)
    return IG_FAIL(cx, IG_INPUT,
                   "quadratic: pyramids have no quadratic kind here, and would not fit beside "
                   "their neighbours: `split: true` cuts them into tetrahedra first");
  if (!linear)
    return IG_FAIL(cx, IG_INPUT,
                   "quadratic: has no effect here: the mesh has no linear solids or faces%s%s; "
                   "leave it out",
                   other ? ", but " : "", other ? other : "");
  if (other)
    return IG_FAIL(cx, IG_INPUT,
                   "quadratic: the mesh has %s beside %s: nodes in the middle of edges are there "
                   "already for some elements: mesh all of it in one order",
                   other, linear);
  return mesh_raise(cx, mesh, &none);
}
