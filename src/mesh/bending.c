/* Layers of hexahedra below the faces of a surface (bending.h). */
#include "mesh/bending.h"
#include "mesh/geometry.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  double area, excess;
} patch;

static int by_excess(const void *a, const void *b) {
  const patch *p = a, *q = b;
  return p->excess > q->excess ? -1 : p->excess < q->excess;
}

/* The face of a hexahedron that shares no node with another one. */
static int across(int face) {
  const int *own = ig_elem_face(IG_HEX8, face);
  for (int f = 0; f < 6; f++) {
    const int *node = ig_elem_face(IG_HEX8, f);
    bool shared = false;
    for (int a = 0; a < 16; a++)
      shared |= own[a / 4] == node[a % 4];
    if (!shared)
      return f;
  }
  return face;
}

static void middle(const ig_mesh *mesh, const ig_lid *conn, int face, double x[3]) {
  const int *node = ig_elem_face(IG_HEX8, face);
  for (int d = 0; d < 3; d++) {
    x[d] = 0;
    for (int a = 0; a < 4; a++)
      x[d] += mesh->x[3 * (size_t)conn[node[a]] + (size_t)d] / 4;
  }
}

/* Distance of two opposite faces, and the longer edge of the first one. */
static void sizes(const ig_mesh *mesh, const ig_lid *conn, int face, double *thick,
                  double *length) {
  const int *node = ig_elem_face(IG_HEX8, face);
  double a[3], b[3], edge[4] = {0};
  middle(mesh, conn, face, a);
  middle(mesh, conn, across(face), b);
  *thick = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
  for (int k = 0; k < 4; k++)
    for (size_t d = 0; d < 3; d++)
      edge[k] += pow(mesh->x[3 * (size_t)conn[node[k]] + d] -
                         mesh->x[3 * (size_t)conn[node[(k + 1) % 4]] + d],
                     2);
  *length = sqrt(fmax(fmax(edge[0], edge[1]), fmax(edge[2], edge[3])));
}

/* From a face on through opposite faces, until the body ends or four elements are counted. */
static int layers_below(const ig_mesh *mesh, const ig_adjacency *adj, ig_lid element, int face) {
  int n = 1;
  while (n < 4) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, element, &local);
    if (block->type != IG_HEX8)
      break;
    const ig_lid at = adj->start[block - mesh->block] + 6 * local + across(face);
    if (adj->neighbor[at] < 0)
      break;
    element = adj->neighbor[at];
    face = adj->back[at];
    n++;
  }
  return n;
}

/* The mean over the worst third of the area. */
static double worst_third(patch *list, size_t count) {
  double all = 0, sum = 0, area = 0;
  qsort(list, count, sizeof *list, by_excess);
  for (size_t i = 0; i < count; i++)
    all += list[i].area;
  for (size_t i = 0; i < count && area < all / 3; i++) {
    sum += list[i].area * list[i].excess;
    area += list[i].area;
  }
  return area > 0 && sum > 0.05 * area ? sum / area : 0;
}

ig_status ig_mesh_bending_excess(ig_ctx *cx, const ig_mesh *mesh, const uint8_t *mark,
                                 double *excess) {
  ig_boundary boundary = {0};
  ig_adjacency adj = {0};
  patch *list = NULL;
  size_t count = 0;
  ig_status status;
  *excess = 0;
  IG_TRY_GOTO(status, done, ig_mesh_boundary(cx, mesh, &boundary));
  IG_TRY_GOTO(status, done, ig_mesh_adjacency(cx, mesh, &adj));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &list, (size_t)boundary.count + 1, "layers"));
  for (ig_lid i = 0; i < boundary.count; i++) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, boundary.element[i], &local);
    double thick, length;
    if (block->type != IG_HEX8 || (mark && !mark[boundary.element[i]]))
      continue;
    sizes(mesh, block->conn + 8 * (size_t)local, boundary.face[i], &thick, &length);
    list[count++] =
        (patch){ig_face_measure(mesh, block, local, boundary.face[i]),
                ig_bending_excess(length, thick,
                                  layers_below(mesh, &adj, boundary.element[i], boundary.face[i]))};
  }
  *excess = worst_third(list, count);
done:
  ig_boundary_free(&boundary);
  ig_adjacency_free(&adj);
  free(list);
  return status;
}
