/* Small meshes for fracture tests: quads cut in four, flat or closed to a ring; boxes of tets. */
#ifndef IG_TESTS_FRACTURE_MESH_H
#define IG_TESTS_FRACTURE_MESH_H

#include "core/ctx.h"
#include <ingot/mesh.h>

/* nx x ny quads of a plate lx x ly, or (ring) nx radially from lx to ly and ny around. Mid-sides
   are numbered after corners when quadratic. */
static ig_mesh *crossed_mesh(ig_ctx *cx, int nx, int ny, double lx, double ly, int ring,
                             int quadratic) {
  const int rows = ring ? ny : ny + 1, across = nx + 1, corners = across * rows + nx * ny;
  /* edges: along i, along j, and four spokes a quad */
  const int ei = nx * rows, ej = across * ny, spokes = 4 * nx * ny;
  ig_mesh *mesh;
  ig_block *block;
  assert_int_equal(ig_mesh_new(cx, 2, corners + (quadratic ? ei + ej + spokes : 0), &mesh), IG_OK);
  assert_int_equal(ig_mesh_add_block(cx, mesh, quadratic ? IG_TRI6 : IG_TRI3, 4 * nx * ny, &block),
                   IG_OK);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < across; i++) {
      double *x = mesh->x + 3 * (j * across + i);
      const double r = lx + (ly - lx) * i / nx, a = 2 * 3.141592653589793 * j / ny;
      x[0] = ring ? r * cos(a) : lx * i / nx;
      x[1] = ring ? r * sin(a) : ly * j / ny;
    }
  ig_lid *conn = block->conn;
  const int nn = quadratic ? 6 : 3;
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      const int jn = (j + 1) % rows, quad = j * nx + i, center = across * rows + quad;
      const int q[4] = {j * across + i, j * across + i + 1, jn * across + i + 1, jn * across + i};
      for (int d = 0; d < 2; d++)
        mesh->x[3 * center + d] = 0.25 * (mesh->x[3 * q[0] + d] + mesh->x[3 * q[1] + d] +
                                          mesh->x[3 * q[2] + d] + mesh->x[3 * q[3] + d]);
      const int side[4] = {corners + j * nx + i, corners + ei + j * across + i + 1,
                           corners + jn * nx + i, corners + ei + j * across + i};
      for (int a = 0; a < 4; a++, conn += nn) {
        conn[0] = q[a];
        conn[1] = q[(a + 1) % 4];
        conn[2] = center;
        if (quadratic) {
          conn[3] = side[a];
          conn[4] = corners + ei + ej + 4 * quad + (a + 1) % 4;
          conn[5] = corners + ei + ej + 4 * quad + a;
        }
      }
    }
  for (int e = 0; quadratic && e < block->count; e++)
    for (int k = 0; k < 3; k++)
      for (int d = 0; d < 2; d++)
        mesh->x[3 * block->conn[6 * e + 3 + k] + d] =
            0.5 * (mesh->x[3 * block->conn[6 * e + k] + d] +
                   mesh->x[3 * block->conn[6 * e + (k + 1) % 3] + d]);
  return mesh;
}

#endif
