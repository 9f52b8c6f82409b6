/* Operations on whole meshes: keep a part, weld nodes, cut hexahedra into tetrahedra or wedges,
   move nodes at random (jitter). Used by the generators of src/geometry on a draft
   (mesh_builder.h), before sets are made. Mid-side nodes: quadratic.c. */
#include "mesh/mesh_builder.h"
#include "core/require.h"
#include "mesh/geometry.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The mesh goes with the draft, unless the caller has taken it out before. */
void ig_mesh_builder_free(ig_mesh_builder *draft) {
  ig_mesh_free(draft->mesh);
  free(draft->side);
  memset(draft, 0, sizeof *draft);
}

/* --- keep: removes elements and the nodes that no element uses any more */

/* Compacts blocks in place and writes the new number of each element (-1: removed). Blocks that
   become empty are removed. Moves what is kept to the front of its block; new_element is -1 for
   what goes. Memory is not given back. */
static void blocks_keep(ig_mesh *mesh, const uint8_t *keep, ig_lid *new_element) {
  ig_lid e = 0, kept = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    ig_block *block = &mesh->block[b];
    const size_t npe = (size_t)ig_elem_info_get(block->type)->nodes;
    ig_lid to = 0;
    for (ig_lid i = 0; i < block->count; i++, e++) {
      new_element[e] = keep[e] ? kept++ : -1;
      if (!keep[e])
        continue;
      memmove(block->conn + (size_t)to * npe, block->conn + (size_t)i * npe,
              npe * sizeof *block->conn);
      block->tag[to++] = block->tag[i];
    }
    block->count = to;
  }
  int blocks = 0; /* none that came out empty */
  for (int b = 0; b < mesh->blocks; b++) {
    if (mesh->block[b].count)
      mesh->block[blocks++] = mesh->block[b];
    else {
      free(mesh->block[b].conn);
      free(mesh->block[b].tag);
    }
  }
  mesh->blocks = blocks;
}

/* keep: a flag per element. Nodes, sets, and numbers of the file follow; a set may become empty.
   *old_node (NULL: not wanted) gets the old number of each new node, freed by the caller. Memory is
   not returned. old_node may be NULL; otherwise *old_node gives the former number of each node, for
   the caller to free. Sets, numbers of files and nodes follow. */
ig_status ig_mesh_keep(ig_ctx *cx, ig_mesh *mesh, const uint8_t *keep, ig_lid **old_node) {
  IG_REQUIRE_ARGS(cx, cx && mesh && keep);
  ig_lid *new_element = NULL, *new_node = NULL, *old = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &new_element, ig_mesh_elements(mesh), "element numbers"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &new_node, mesh->nodes, "node numbers"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &old, mesh->nodes, "node numbers"));
  const ig_lid elements = ig_mesh_elements(mesh);
  blocks_keep(mesh, keep, new_element);
  for (ig_lid e = 0; mesh->element_number && e < elements; e++)
    if (new_element[e] >= 0)
      mesh->element_number[new_element[e]] = mesh->element_number[e];
  for (int b = 0; b < mesh->blocks; b++) {
    const size_t npe = (size_t)ig_elem_info_get(mesh->block[b].type)->nodes;
    for (size_t i = 0; i < (size_t)mesh->block[b].count * npe; i++)
      new_node[mesh->block[b].conn[i]] = 1;
  }
  ig_lid nodes = 0;
  for (ig_lid n = 0; n < mesh->nodes; n++) {
    const bool used = new_node[n];
    new_node[n] = used ? nodes : -1;
    if (!used)
      continue;
    memmove(mesh->x + 3 * (size_t)nodes, mesh->x + 3 * (size_t)n, 3 * sizeof *mesh->x);
    if (mesh->node_number)
      mesh->node_number[nodes] = mesh->node_number[n];
    old[nodes++] = n;
  }
  mesh->nodes = nodes;
  for (int b = 0; b < mesh->blocks; b++) {
    const size_t npe = (size_t)ig_elem_info_get(mesh->block[b].type)->nodes;
    for (size_t i = 0; i < (size_t)mesh->block[b].count * npe; i++)
      mesh->block[b].conn[i] = new_node[mesh->block[b].conn[i]];
  }
  for (int s = 0; s < mesh->sets; s++) {
    ig_set *set = &mesh->set[s];
    const ig_lid *to = set->kind == IG_SET_NODES ? new_node : new_element;
    ig_lid count = 0;
    for (ig_lid i = 0; i < set->count; i++)
      if (to[set->item[i]] >= 0) {
        if (set->face)
          set->face[count] = set->face[i];
        set->item[count++] = to[set->item[i]];
      }
    set->count = count;
  }
  if (old_node) {
    *old_node = old;
    old = NULL;
  }
done:
  free(new_element);
  free(new_node);
  free(old);
  return status;
}

/* As above, and the side marks of nodes follow. */
ig_status ig_mesh_builder_keep(ig_ctx *cx, ig_mesh_builder *draft, const uint8_t *keep) {
  ig_lid *old;
  IG_TRY(ig_mesh_keep(cx, draft->mesh, keep, &old));
  for (ig_lid n = 0; draft->side && n < draft->mesh->nodes; n++)
    draft->side[n] = draft->side[old[n]];
  free(old);
  return IG_OK;
}

/* --- weld: hash of cells some tolerances wide; a node near the wall of a cell also looks into the
   next */

/* Finalizer of splitmix64 (Steele et al. 2014). */
static uint64_t mix(uint64_t h) {
  h ^= h >> 30;
  h *= 0xbf58476d1ce4e5b9u;
  h ^= h >> 27;
  h *= 0x94d049bb133111ebu;
  return h ^ h >> 31;
}

static uint64_t cell_hash(const int64_t *cell) {
  return mix((uint64_t)cell[0] + mix((uint64_t)cell[1] + mix((uint64_t)cell[2])));
}

/* A node equal to p within the tolerance, -1: none. The box of p +- tolerance touches at most two
   cells per axis, eight in all; a repeated cell is skipped. The cells of the hash grid that a ball
   of the tolerance about the point can reach: up to eight, as a cell is wider than the ball. -1: no
   node is there. */
static ig_lid weld_find(const double *x, const ig_lid *slot, uint64_t mask, const double *p,
                        double tolerance, double width) {
  for (int corner = 0; corner < 8; corner++) {
    int64_t cell[3];
    bool repeat = false;
    for (int d = 0; d < 3; d++) {
      const int64_t low = (int64_t)floor((p[d] - tolerance) / width);
      const int64_t high = (int64_t)floor((p[d] + tolerance) / width);
      cell[d] = corner >> d & 1 ? high : low;
      repeat = repeat || ((corner >> d & 1) && high == low);
    }
    if (repeat)
      continue;
    for (uint64_t h = cell_hash(cell) & mask; slot[h]; h = (h + 1) & mask) {
      const double *q = x + 3 * (size_t)(slot[h] - 1);
      if (fabs(p[0] - q[0]) <= tolerance && fabs(p[1] - q[1]) <= tolerance &&
          fabs(p[2] - q[2]) <= tolerance)
        return slot[h] - 1;
    }
  }
  return -1;
}

/* The first of equal nodes stays; its side marks are united. Nodes not `outer` are copied without a
   search: grids are welded only along their seams. */
/* Nodes by their new numbers, rising, each once. */
static void set_renumber(ig_set *set, const ig_lid *to) {
  ig_lid kept = 0;
  for (ig_lid i = 0; i < set->count; i++)
    set->item[i] = to[set->item[i]];
  ig_lids_sort(set->item, set->count);
  for (ig_lid i = 0; i < set->count; i++)
    if (kept == 0 || set->item[kept - 1] != set->item[i])
      set->item[kept++] = set->item[i];
  set->count = kept;
}

ig_status ig_mesh_builder_weld(ig_ctx *cx, ig_mesh_builder *draft, double tolerance,
                               const uint8_t *outer) {
  ig_mesh *mesh = draft->mesh;
  uint64_t size = 16;
  while (size < 2 * (uint64_t)mesh->nodes)
    size *= 2;
  ig_lid *slot = NULL, *to = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &slot, size, "weld table"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &to, mesh->nodes, "weld table"));
  double low[3], high[3], reach = 0;
  ig_mesh_bounds(mesh, low, high);
  for (int d = 0; d < 3; d++)
    reach = fmax(reach, fmax(fabs(low[d]), fabs(high[d])));
  /* Cell numbers stay within 64 bits however small the tolerance is. */
  const double width = fmax(16 * tolerance, reach * 1e-15); /* cell numbers stay within 64 bits */
  ig_lid nodes = 0;
  for (ig_lid n = 0; n < mesh->nodes; n++) {
    double p[3];
    memcpy(p, mesh->x + 3 * (size_t)n, sizeof p);
    const bool alone = outer && !outer[n];
    const ig_lid same = alone ? -1 : weld_find(mesh->x, slot, size - 1, p, tolerance, width);
    to[n] = same >= 0 ? same : nodes;
    if (same >= 0) {
      if (draft->side)
        draft->side[same] |= draft->side[n];
      continue;
    }
    const int64_t cell[3] = {(int64_t)floor(p[0] / width), (int64_t)floor(p[1] / width),
                             (int64_t)floor(p[2] / width)};
    uint64_t h = cell_hash(cell) & (size - 1);
    while (!alone && slot[h])
      h = (h + 1) & (size - 1);
    if (!alone)
      slot[h] = nodes + 1;
    memcpy(mesh->x + 3 * (size_t)nodes, p, sizeof p);
    if (draft->side)
      draft->side[nodes] = draft->side[n];
    nodes++;
  }
  mesh->nodes = nodes;
  for (int b = 0; b < mesh->blocks; b++) {
    const size_t npe = (size_t)ig_elem_info_get(mesh->block[b].type)->nodes;
    for (size_t i = 0; i < (size_t)mesh->block[b].count * npe; i++)
      mesh->block[b].conn[i] = to[mesh->block[b].conn[i]];
  }
  for (int s = 0; s < mesh->sets; s++)
    if (mesh->set[s].kind == IG_SET_NODES)
      set_renumber(&mesh->set[s], to);
done:
  free(slot);
  free(to);
  return status;
}

/* --- hexahedra to tetrahedra */

/* Six tetrahedra around the diagonal 0-6 (Kuhn's subdivision). On a regular grid, where all
   elements are oriented alike, the cuts of common faces match. */
static void cut_regular(const ig_lid *node, ig_lid *tet) {
  static const int cut[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  for (int t = 0; t < 6; t++)
    for (int a = 0; a < 4; a++)
      tet[4 * t + a] = node[cut[t][a]];
}

/* Six tetrahedra from the lowest-numbered node (apex) to the three faces without it; each of these
   faces is cut from its own lowest node. The cut of a face depends on its node numbers only, so two
   neighbours cut a common face alike on any mesh (Dompierre et al. 1999). */
void ig_hex_cut(const ig_lid *node, ig_lid *tet) {
  int apex = 0;
  for (int a = 1; a < 8; a++)
    apex = node[a] < node[apex] ? a : apex;
  for (int f = 0; f < 6; f++) {
    const int *face = ig_elem_face(IG_HEX8, f);
    int low = 0;
    bool touches = false;
    for (int a = 0; a < 4; a++) {
      touches = touches || face[a] == apex;
      low = node[face[a]] < node[face[low]] ? a : low;
    }
    for (int a = 1; a < 3 && !touches; a++, tet += 4) {
      tet[0] = node[face[low]];
      tet[1] = node[face[(low + a + 1) % 4]]; /* faces turn the other way round, seen from inside */
      tet[2] = node[face[(low + a) % 4]];
      tet[3] = node[apex];
    }
  }
}

/* Writes 6 x 4 nodes of tetrahedra for the 8 nodes of a hexahedron. */
typedef void cut_fn(const ig_lid *node, ig_lid *tet);
/* The limit keeps 24 x count within an int32_t. Cuts one block; the new block is returned in *tets
   and owned by the caller. Tags are inherited. */
static ig_status block_cut(ig_ctx *cx, const ig_block *block, cut_fn *cut, ig_block *tets) {
  if (block->count > INT32_MAX / 24)
    return IG_FAIL(cx, IG_INPUT, "%d cells cut into six are more than one mesh can number",
                   block->count);
  ig_lid *conn;
  int32_t *tag;
  IG_TRY(IG_NEW(cx, &conn, 24 * (size_t)block->count, "tetrahedra"));
  const ig_status status = IG_NEW(cx, &tag, 6 * (size_t)block->count, "tetrahedra");
  if (status != IG_OK) {
    free(conn);
    return status;
  }
  for (size_t e = 0; e < (size_t)block->count; e++) {
    cut(&block->conn[8 * e], &conn[24 * e]);
    for (size_t t = 0; t < 6; t++)
      tag[6 * e + t] = block->tag[e];
  }
  *tets = (ig_block){IG_TET4, 6 * block->count, conn, tag};
  return IG_OK;
}

/* Number of boundary faces: a test whether cuts match, because unmatched faces inside count as
   boundary. */
static ig_status boundary_count(ig_ctx *cx, const ig_mesh *mesh, ig_lid *count) {
  ig_boundary boundary;
  IG_TRY(ig_mesh_boundary(cx, mesh, &boundary));
  *count = boundary.count;
  ig_boundary_free(&boundary);
  return IG_OK;
}

/* Replaces block b by another cut of the hexahedra `was`, which stay the caller's. */
static ig_status block_recut(ig_ctx *cx, ig_mesh *mesh, int b, const ig_block *was, cut_fn *cut) {
  ig_block tets;
  IG_TRY(block_cut(cx, was, cut, &tets));
  if (mesh->block[b].conn != was->conn) {
    free(mesh->block[b].conn);
    free(mesh->block[b].tag);
  }
  mesh->block[b] = tets;
  return IG_OK;
}

/* The cut along one diagonal gives better shapes and is tried first. If it matches, each boundary
   quadrilateral became two triangles and the boundary has twice the faces; otherwise (grids around
   an axis, welded seams) the cut by lowest nodes is used. */
ig_status ig_mesh_builder_tets(ig_ctx *cx, ig_mesh_builder *draft) {
  ig_mesh *mesh = draft->mesh;
  for (int b = 0; b < mesh->blocks; b++) {
    if (mesh->block[b].type != IG_HEX8)
      continue;
    const ig_block hexahedra = mesh->block[b];
    ig_lid before, after;
    IG_TRY(boundary_count(cx, mesh, &before));
    ig_status status = block_recut(cx, mesh, b, &hexahedra, cut_regular);
    if (status != IG_OK)
      return status;
    status = boundary_count(cx, mesh, &after);
    if (status == IG_OK && mesh->blocks == 1 && after != 2 * before)
      status = block_recut(cx, mesh, b, &hexahedra, ig_hex_cut);
    free(hexahedra.conn);
    free(hexahedra.tag);
    IG_TRY(status);
  }
  return IG_OK;
}

/* --- hexahedra to wedges */

/* Two wedges per hexahedron, cut through the diagonal of bottom and top that contains the lowest of
   the four bottom nodes. Hexahedra stacked along the third direction are cut alike. */
static void cut_wedges(const ig_lid *node, ig_lid *wedge) {
  /* Lowest node on each of the two diagonals of the bottom. */
  const ig_lid low[2] = {node[0] < node[2] ? node[0] : node[2],
                         node[1] < node[3] ? node[1] : node[3]};
  static const int cut[2][12] = {{0, 1, 2, 4, 5, 6, 0, 2, 3, 4, 6, 7},
                                 {1, 2, 3, 5, 6, 7, 1, 3, 0, 5, 7, 4}};
  for (int a = 0; a < 12; a++)
    wedge[a] = node[cut[low[1] < low[0]][a]];
}

/* Only faces 4 and 5 (bottom and top) are cut, so the boundary must grow by exactly the number of
   those on it. Otherwise a cut does not match its neighbour and the shape is refused. Each
   hexahedron becomes two wedges along its z direction. The number of boundary faces before and
   after shows whether the cuts of neighbours agree. */
ig_status ig_mesh_builder_wedges(ig_ctx *cx, ig_mesh_builder *draft) {
  ig_lid before, after;
  IG_TRY(boundary_count(cx, draft->mesh, &before));
  ig_lid flat = 0; /* faces at bottoms and tops become two */
  ig_boundary boundary;
  IG_TRY(ig_mesh_boundary(cx, draft->mesh, &boundary));
  for (ig_lid i = 0; i < boundary.count; i++)
    flat += boundary.face[i] > 3;
  ig_boundary_free(&boundary);
  for (int b = 0; b < draft->mesh->blocks; b++) {
    ig_block *block = &draft->mesh->block[b];
    if (block->type != IG_HEX8)
      continue;
    if (block->count > INT32_MAX / 12)
      return IG_FAIL(cx, IG_INPUT, "%d cells cut into two are more than one mesh can number",
                     block->count);
    ig_lid *conn;
    int32_t *tag;
    IG_TRY(IG_NEW(cx, &conn, 12 * (size_t)block->count, "wedges"));
    const ig_status status = IG_NEW(cx, &tag, 2 * (size_t)block->count, "wedges");
    if (status != IG_OK) {
      free(conn);
      return status;
    }
    for (size_t e = 0; e < (size_t)block->count; e++) {
      cut_wedges(&block->conn[8 * e], &conn[12 * e]);
      tag[2 * e] = tag[2 * e + 1] = block->tag[e];
    }
    free(block->conn);
    free(block->tag);
    *block = (ig_block){IG_WEDGE6, 2 * block->count, conn, tag};
  }
  IG_TRY(boundary_count(cx, draft->mesh, &after));
  if (after != before + flat)
    return IG_FAIL(cx, IG_INPUT,
                   "this shape cannot be cut into wedges whose faces match: choose element tet4");
  return IG_OK;
}

/* --- jitter: random displacement of inner nodes, for tests of elements on distorted meshes */

/* A number in [-1, 1) from a hash of seed, node and axis: independent of order and threads. 53 bits
   of the hash fill the mantissa of a double. */
static double noise(uint64_t seed, uint64_t node, uint64_t d) {
  const uint64_t h = mix(seed * 0x9e3779b97f4a7c15u + 3 * node + d + 1);
  return (double)(h >> 11) / (double)(UINT64_C(1) << 52) - 1; /* -1 to 1 */
}

/* Largest displacement of each node: the shortest edge of its elements; 0 on the boundary and at
   places that the case keeps. The length of which each node may move a share, m: the shortest edge
   of the elements at it, and zero on the boundary and where the case keeps nodes. */
static ig_status jitter_limits(ig_ctx *cx, const ig_mesh *mesh, const ig_jitter_case *c,
                               double *limit) {
  for (ig_lid n = 0; n < mesh->nodes; n++)
    limit[n] = INFINITY;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const size_t npe = (size_t)ig_elem_info_get(block->type)->nodes;
    for (ig_lid e = 0; e < block->count; e++) {
      double shortest, longest;
      ig_elem_edges(mesh, block, e, &shortest, &longest);
      for (size_t a = 0; a < npe; a++) {
        double *r = &limit[block->conn[(size_t)e * npe + a]];
        *r = fmin(*r, shortest);
      }
    }
  }
  ig_boundary boundary;
  IG_TRY(ig_mesh_boundary(cx, mesh, &boundary));
  for (ig_lid i = 0; i < boundary.count; i++) {
    ig_lid e;
    const ig_block *block = ig_mesh_element(mesh, boundary.element[i], &e);
    const ig_elem_info *info = ig_elem_info_get(block->type);
    const int *local = ig_elem_face(block->type, boundary.face[i]);
    for (int a = 0; a < info->face_nodes; a++)
      limit[block->conn[(size_t)e * (size_t)info->nodes + (size_t)local[a]]] = 0;
  }
  ig_boundary_free(&boundary);
  uint8_t *stays;
  IG_TRY(IG_NEW(cx, &stays, mesh->nodes, "jitter"));
  ig_status status = IG_OK;
  for (int i = 0; status == IG_OK && i < c->keep.count; i++) {
    ig_lid found = 0;
    const ig_place *place = IG_ITEM(const ig_place, c->keep, i);
    status = ig_mesh_pick_nodes(cx, mesh, place, stays, &found);
    if (status == IG_OK && !found)
      status = ig_fail_at(cx, &place->at, "keep: no node of the mesh is there");
    for (ig_lid n = 0; status == IG_OK && n < mesh->nodes; n++)
      limit[n] = stays[n] ? 0 : limit[n];
  }
  free(stays);
  return status;
}

/* amount: share of the limit. The direction is uniform in a ball, by rejection of points outside
   it. Random numbers depend on the seed and the node's number alone, so a mesh is the same on every
   machine. */
ig_status ig_mesh_builder_jitter(ig_ctx *cx, ig_mesh_builder *draft, const ig_jitter_case *c) {
  ig_mesh *mesh = draft->mesh;
  for (int b = 0; b < mesh->blocks; b++)
    if (ig_elem_info_get(mesh->block[b].type)->dim != mesh->dim)
      return ig_fail_at(cx, &c->at,
                        "jitter moves the nodes of plane and solid meshes: shells and beams would "
                        "leave their surface");
  double *limit;
  IG_TRY(IG_NEW(cx, &limit, mesh->nodes, "jitter"));
  const ig_status status = jitter_limits(cx, mesh, c, limit);
  for (size_t n = 0; status == IG_OK && n < (size_t)mesh->nodes; n++) {
    double way[3] = {0}, far = 2;
    for (uint64_t k = 0; far > 1; k++) { /* no direction is preferred: within a ball */
      far = 0;
      for (size_t d = 0; d < (size_t)mesh->dim; d++) {
        way[d] = noise(mix((uint64_t)c->seed + k), n, d);
        far += way[d] * way[d];
      }
    }
    for (size_t d = 0; d < (size_t)mesh->dim && isfinite(limit[n]); d++)
      mesh->x[3 * n + d] += c->amount * limit[n] * way[d];
  }
  free(limit);
  return status;
}
