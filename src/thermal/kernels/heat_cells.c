/* Elements as cells (heat_cells.h): collapsed hexahedra, their faces and neighbours. Faces are
   matched by their sorted nodes; in a mesh of plain hexahedra, where that sort would cost more than
   everything else at set-up, through the elements at each node instead (ig_heat_cells_across). */
#include "thermal/kernels/heat_cells.h"
#include "core/threads.h"
#include "thermal/engine/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Six times the volume of a tetrahedron; negative where its nodes turn the other way. */
static double volume6(const ig_mesh *mesh, const ig_lid *n) {
  double e[3][3];
  for (int k = 0; k < 3; k++)
    for (int d = 0; d < 3; d++)
      e[k][d] = mesh->x[3 * (int64_t)n[k + 1] + d] - mesh->x[3 * (int64_t)n[0] + d];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
         e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* Corners in the engine's order, by bits of x, y and z: the fourth node is the whole upper face,
   the third node two corners of the lower one. */
static void tet_collapse(const ig_lid *n, ig_lid *conn) {
  const ig_lid all[8] = {n[0], n[1], n[2], n[2], n[3], n[3], n[3], n[3]};
  memcpy(conn, all, sizeof all);
}

/* The square of the distance. */
static double apart(const ig_mesh *mesh, ig_lid a, ig_lid b) {
  double sum = 0;
  for (int d = 0; d < 3; d++)
    sum += pow(mesh->x[3 * (int64_t)a + d] - mesh->x[3 * (int64_t)b + d], 2);
  return sum;
}

/* A quadratic tetrahedron as eight linear ones: four at the corners, and four about a diagonal of
   the octahedron between them. The shortest diagonal gives the best shapes; the factor 1 - 1e-9
   keeps the first of equal ones, so that rounding does not decide. */
static void tet10_cut(const ig_mesh *mesh, const ig_lid *n, ig_lid (*conn)[8]) {
  static const int corner[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};
  static const int diagonal[3][2] = {{4, 9}, {5, 7}, {6, 8}};
  static const int ring[3][4] = {{5, 6, 7, 8}, {4, 6, 9, 8}, {4, 5, 9, 7}};
  int best = 0;
  for (int k = 1; k < 3; k++)
    if (apart(mesh, n[diagonal[k][0]], n[diagonal[k][1]]) <
        (1 - 1e-9) * apart(mesh, n[diagonal[best][0]], n[diagonal[best][1]]))
      best = k;
  for (int k = 0; k < 8; k++) {
    ig_lid tet[4];
    for (int a = 0; a < 4; a++)
      tet[a] = n[corner[k % 4][a]];
    if (k >= 4) {
      tet[0] = n[diagonal[best][0]];
      tet[1] = n[diagonal[best][1]];
      tet[2] = n[ring[best][k - 4]];
      tet[3] = n[ring[best][(k - 3) % 4]];
      if (volume6(mesh, tet) < 0) {
        const ig_lid other = tet[2];
        tet[2] = tet[3];
        tet[3] = other;
      }
    }
    tet_collapse(tet, conn[k]);
  }
}

int ig_heat_cells_of(const ig_mesh *mesh, const ig_block *block, ig_lid local, ig_lid (*conn)[8]) {
  /* a wedge with two upper and lower corners in one; a pyramid with its tip for all upper corners;
     in the order of a hexahedron's corners in VTK */
  static const int collapsed[2][8] = {{0, 1, 2, 2, 3, 4, 5, 5}, {0, 1, 2, 3, 4, 4, 4, 4}};
  const ig_lid *n = &block->conn[ig_elem_info_get(block->type)->nodes * (int64_t)local];
  switch (block->type) {
  case IG_HEX8:
    for (int a = 0; a < 8; a++)
      conn[0][ig_heat_corner[a]] = n[a];
    return 1;
  case IG_TET4:
    tet_collapse(n, conn[0]);
    return 1;
  case IG_TET10:
    tet10_cut(mesh, n, conn);
    return 8;
  case IG_WEDGE6:
  case IG_PYRAMID5:
    for (int a = 0; a < 8; a++)
      conn[0][ig_heat_corner[a]] = n[collapsed[block->type == IG_PYRAMID5][a]];
    return 1;
  default:
    return 0;
  }
}

/* A quadratic tetrahedron has nodes at mid-sides, which no face of another type has. */
static ig_status orders_check(ig_ctx *cx, const ig_mesh *mesh) {
  uint8_t *owner; /* nodes: type + 1 */
  IG_TRY(IG_NEW(cx, &owner, mesh->nodes, "types at nodes"));
  ig_status status = IG_OK;
  for (int b = 0; b < mesh->blocks && status == IG_OK; b++) {
    const ig_block *block = &mesh->block[b];
    const int64_t corners = (int64_t)block->count * ig_elem_info_get(block->type)->nodes;
    for (int64_t i = 0; i < corners && status == IG_OK; i++) {
      uint8_t *mine = &owner[block->conn[i]];
      if (*mine && (*mine == IG_TET10 + 1) != (block->type == IG_TET10))
        status = IG_FAIL(cx, IG_INPUT,
                         "elements %s and %s share node %d, but their faces do not match: use "
                         "linear or quadratic elements throughout",
                         ig_elem_info_get((ig_elem_type)(*mine - 1))->name,
                         ig_elem_info_get(block->type)->name, (int)block->conn[i]);
      *mine = (uint8_t)(block->type + 1);
    }
  }
  free(owner);
  return status;
}

/* Insertion sort of at most four nodes, duplicates dropped; node needs room for five. */
int ig_heat_face_nodes(const ig_lid *conn, int face, ig_lid *node) {
  /* up to four: a node that is twice in a collapsed face counts once */
  int count = 0;
  for (int a = 0; a < 4; a++) {
    const ig_lid n = conn[ig_heat_corner[ig_elem_face(IG_HEX8, face)[a]]];
    int i = count;
    while (i > 0 && node[i - 1] > n)
      i--;
    if (i > 0 && node[i - 1] == n)
      continue;
    memmove(&node[i + 1], &node[i], (size_t)(count - i) * sizeof *node);
    node[i] = n;
    count++;
  }
  return count;
}

typedef struct {
  ig_lid key[4], id; /* nodes, rising, the last -1 of a triangle; cell x 6 + face */
} keyed_face;
/* Equal nodes come together; then by number, so that the order is always the same. */
static int by_nodes(const void *a, const void *b) {
  const keyed_face *p = a, *q = b;
  for (int k = 0; k < 4; k++)
    if (p->key[k] != q->key[k])
      return p->key[k] < q->key[k] ? -1 : 1;
  return (p->id > q->id) - (p->id < q->id);
}

/* All faces of all cells, sorted by their nodes. */
static ig_status faces_list(ig_ctx *cx, const ig_heat_cells *cells, keyed_face **list,
                            int64_t *count) {
  /* six per cell, less the collapsed ones */
  keyed_face *all;
  *count = 0;
  IG_TRY(IG_NEW(cx, &all, 6 * (size_t)cells->count, "faces of cells"));
  for (ig_lid c = 0; c < cells->count; c++)
    for (int f = 0; f < 6; f++) {
      ig_lid node[5];
      const int nodes = ig_heat_face_nodes(&cells->conn[8 * (int64_t)c], f, node);
      if (nodes >= 3)
        all[(*count)++] = (keyed_face){{node[0], node[1], node[2], nodes == 4 ? node[3] : -1},
                                       (ig_lid)(6 * c + f)};
    }
  qsort(all, (size_t)*count, sizeof *all, by_nodes);
  *list = all;
  return IG_OK;
}

/* Where the run of faces with the nodes of face i ends. */
static int64_t face_run(const keyed_face *all, int64_t count, int64_t i) {
  int64_t next = i + 1;
  while (next < count && memcmp(all[next].key, all[i].key, sizeof all[i].key) == 0)
    next++;
  return next;
}

/* Whether a bare triangle lies on the bare quadrilateral q: three of its nodes. `bare` is sorted.
 */
static const keyed_face *triangle_on(const keyed_face *bare, int64_t count, const keyed_face *q) {
  for (int skip = 0; skip < 4; skip++) {
    keyed_face want = {{-1, -1, -1, -1}, 0};
    for (int k = 0, a = 0; k < 4; k++)
      if (k != skip)
        want.key[a++] = q->key[k];
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (by_nodes(&bare[middle], &want) < 0)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < count && memcmp(bare[low].key, want.key, sizeof want.key) == 0)
      return &bare[low];
  }
  return NULL;
}

/* Elements of several types must match face by face: no quadrilateral against two triangles. */
static ig_status faces_check(ig_ctx *cx, const ig_mesh *mesh, const ig_heat_cells *cells) {
  keyed_face *all;
  int64_t count, bare = 0;
  IG_TRY(faces_list(cx, cells, &all, &count));
  for (int64_t i = 0, next; i < count; i = next) {
    next = face_run(all, count, i);
    if (next - i == 1)
      all[bare++] = all[i];
  }
  ig_status status = IG_OK;
  for (int64_t i = 0; i < bare && status == IG_OK; i++) {
    const keyed_face *met = all[i].key[3] >= 0 ? triangle_on(all, bare, &all[i]) : NULL;
    if (!met)
      continue;
    ig_lid local;
    const ig_lid one = cells->parent[all[i].id / 6], two = cells->parent[met->id / 6];
    const ig_elem_type types[2] = {ig_mesh_element(mesh, one, &local)->type,
                                   ig_mesh_element(mesh, two, &local)->type};
    status = IG_FAIL(cx, IG_INPUT,
                     "a quadrilateral of element %d (%s) meets a triangle of element %d (%s): put "
                     "pyramids between them, or read the mesh with split: true",
                     (int)one, ig_elem_info_get(types[0])->name, (int)two,
                     ig_elem_info_get(types[1])->name);
  }
  free(all);
  return status;
}

/* Faces are only checked where a mesh has several blocks: one element type always matches itself.
 */
ig_status ig_heat_cells_make(ig_ctx *cx, const ig_mesh *mesh, ig_heat_cells *cells) {
  memset(cells, 0, sizeof *cells);
  int64_t count = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    if (ig_elem_info_get(block->type)->dim != 3)
      return IG_FAIL(cx, IG_INPUT,
                     "thermal analysis takes hex8, tet4, tet10, wedge6 and pyramid5 elements, "
                     "not %s",
                     ig_elem_info_get(block->type)->name);
    count += (int64_t)block->count * (block->type == IG_TET10 ? 8 : 1);
    cells->collapsed |= block->count > 0 && block->type != IG_HEX8;
  }
  if (mesh->blocks > 1)
    IG_TRY(orders_check(cx, mesh));
  if (count > INT32_MAX / 8)
    return IG_FAIL(cx, IG_INPUT, "%lld cells are more than can be numbered", (long long)count);
  cells->count = (ig_lid)count;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &cells->conn, 8 * (size_t)count, "cells"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &cells->parent, count, "cells"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &cells->start, (size_t)ig_mesh_elements(mesh) + 1, "cells"));
  ig_lid at = 0, element = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int parts = block->type == IG_TET10 ? 8 : 1;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, block->count, IG_WORK_NODE))
    for (ig_lid e = 0; e < block->count; e++) {
      const ig_lid first = at + e * parts;
      ig_heat_cells_of(mesh, block, e, (ig_lid(*)[8])(cells->conn + 8 * (int64_t)first));
      cells->start[element + e] = first;
      for (int k = 0; k < parts; k++)
        cells->parent[first + k] = element + e;
    }
    element += block->count;
    at += block->count * parts;
  }
  cells->start[element] = at;
  if (mesh->blocks > 1)
    status = faces_check(cx, mesh, cells);
done:
  if (status != IG_OK)
    ig_heat_cells_free(cells);
  return status;
}

void ig_heat_cells_free(ig_heat_cells *cells) {
  free(cells->conn);
  free(cells->parent);
  free(cells->start);
  memset(cells, 0, sizeof *cells);
}

/* Of hexahedra alone the mesh knows them. IG_JUNCTION: more than two elements meet at a face. */
static ig_status neighbors_of_mesh(ig_ctx *cx, const ig_mesh *mesh, ig_lid count,
                                   ig_lid *neighbor) {
  ig_adjacency adj;
  IG_TRY(ig_mesh_adjacency(cx, mesh, &adj));
  int64_t junction = INT64_MAX;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, count, IG_WORK_NODE))            \
    reduction(min                                                                                  \
              : junction)
  for (int64_t i = 0; i < 6 * (int64_t)count; i++) {
    if (adj.neighbor[i] == IG_JUNCTION)
      junction = i < junction ? i : junction;
    neighbor[i] = adj.neighbor[i] < 0 ? -1 : adj.neighbor[i];
  }
  ig_adjacency_free(&adj);
  return junction == INT64_MAX
             ? IG_OK
             : IG_FAIL(cx, IG_INPUT, "element %d shares a face with two others: repair the mesh",
                       (int)(junction / 6));
}

/* A face that two cells have joins them; one that three have is an error of the mesh. */
ig_status ig_heat_cells_neighbors(ig_ctx *cx, const ig_mesh *mesh, const ig_heat_cells *cells,
                                  ig_lid *neighbor) {
  if (!cells->collapsed)
    return neighbors_of_mesh(cx, mesh, cells->count, neighbor);
  keyed_face *all;
  int64_t count;
  IG_TRY(faces_list(cx, cells, &all, &count));
  for (int64_t i = 0; i < 6 * (int64_t)cells->count; i++)
    neighbor[i] = -1;
  ig_status status = IG_OK;
  for (int64_t i = 0, next; i < count && status == IG_OK; i = next) {
    next = face_run(all, count, i);
    if (next - i > 2)
      status = IG_FAIL(cx, IG_INPUT, "element %d shares a face with two others: repair the mesh",
                       (int)cells->parent[all[i].id / 6]);
    if (next - i == 2) {
      neighbor[all[i].id] = all[i + 1].id / 6;
      neighbor[all[i + 1].id] = all[i].id / 6;
    }
  }
  free(all);
  return status;
}

/* Whether face f of cell p is the opposite face of cell q, corner by corner, as in a grid. */
static bool cells_meet(const ig_lid *p, const ig_lid *q, int f) {
  const int axis = 1 << f / 2, side = f % 2 ? axis : 0;
  bool same = true;
  for (int a = 0; a < 8; a++)
    if (!(a & axis))
      same = same && p[a | side] == q[a | (axis - side)];
  return same;
}

/* Which face of a cell has these four nodes, -1: none. */
static int face_of(const ig_lid *conn, const ig_lid *node) {
  for (int g = 0; g < 6; g++) {
    const int *corner = ig_elem_face(IG_HEX8, g);
    int met = 0;
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++)
        met += conn[ig_heat_corner[corner[a]]] == node[b];
    if (met == 4)
      return g;
  }
  return -1;
}

/* The cell across face f of cell e, among those at two corners that face each other; -1: none, -2:
   several. */
static ig_lid across_find(const ig_lid *conn, const ig_csr *around, ig_lid e, int f) {
  const int *corner = ig_elem_face(IG_HEX8, f);
  ig_lid node[4], found = -1;
  for (int a = 0; a < 4; a++)
    node[a] = conn[8 * (int64_t)e + ig_heat_corner[corner[a]]];
  ig_lid i = around->start[node[0]], j = around->start[node[2]];
  const ig_lid i_end = around->start[node[0] + 1], j_end = around->start[node[2] + 1];
  while (i < i_end && j < j_end) {
    const ig_lid p = around->item[i], q = around->item[j];
    i += p <= q;
    j += q <= p;
    if (p == q && p != e && face_of(conn + 8 * (int64_t)p, node) >= 0)
      found = found == -1 ? p : -2;
  }
  return found;
}

/* The neighbour across a face is guessed from the element before (in a grid the step is the same),
   and searched only where the guess fails. Threads have their own guesses; results do not depend on
   them. */
bool ig_heat_cells_across(ig_ctx *cx, ig_lid count, const ig_lid *conn, const ig_csr *around,
                          ig_lid *neighbor) {
  const int team = ig_team(cx, count, IG_WORK_ELEMENT);
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_TOPOLOGY);
  bool plain = true;
#pragma omp parallel num_threads(team) reduction(&& : plain)
  {

    ig_lid step[6] = {0}; /* to the last one found, face by face: in a grid to the next, too */
#pragma omp for schedule(static)
    for (ig_lid e = 0; e < count; e++)
      for (int f = 0; f < 6; f++) {
        const ig_lid guess = step[f] > count - 1 - e ? -1 : e + step[f];
        ig_lid o = guess;
        if (guess < 0 || guess == e ||
            !cells_meet(conn + 8 * (int64_t)e, conn + 8 * (int64_t)guess, f))
          o = across_find(conn, around, e, f);
        neighbor[6 * (int64_t)e + f] = o;
        plain = plain && o != -2;
        step[f] = o >= 0 ? o - e : step[f];
      }
      /* a third cell at a face is not the neighbour of its neighbour */
#pragma omp for schedule(static)
    for (ig_lid e = 0; e < count; e++)
      for (int f = 0; f < 6; f++) {
        const ig_lid o = neighbor[6 * (int64_t)e + f];
        bool back = o < 0 || neighbor[6 * (int64_t)o + (f ^ 1)] == e; /* as in a grid */
        for (int g = 0; g < 6 && !back; g++)
          back = neighbor[6 * (int64_t)o + g] == e;
        plain = plain && back;
      }
  }
  ig_phase_end(cx, former);
  return plain;
}

/* A face of a tet10 is four faces of cells, found by their nodes being on it; `corners` are the
   different nodes of the element's face (a wedge stores triangles as quadrilaterals). */
int ig_heat_cells_face(const ig_heat_cells *cells, const ig_mesh *mesh, ig_lid element, int face,
                       ig_lid *cell_face) {
  ig_lid local;
  const ig_block *block = ig_mesh_element(mesh, element, &local);
  const ig_elem_info *info = ig_elem_info_get(block->type);
  const ig_lid *conn = &block->conn[info->nodes * (int64_t)local];
  if (block->type == IG_HEX8) {
    cell_face[0] = 6 * cells->start[element] + face;
    return 1;
  }
  const int corners =
      info->face_nodes == 4 ? ig_elem_face_distinct(block->type, face) : info->face_nodes;
  int count = 0;
  for (ig_lid c = cells->start[element]; c < cells->start[element + 1]; c++)
    for (int f = 0; f < 6 && count < 4; f++) {
      ig_lid node[5];
      const int nodes = ig_heat_face_nodes(&cells->conn[8 * (int64_t)c], f, node);
      int on = 0; /* its nodes that are on the element's face */
      for (int k = 0; k < nodes; k++)
        for (int a = 0; a < corners; a++)
          on += node[k] == conn[ig_elem_face(block->type, face)[a]];
      if (nodes >= 3 && on == nodes)
        cell_face[count++] = 6 * c + f;
    }
  return count;
}
