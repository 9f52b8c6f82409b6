/* Problems built in C: defaults, small meshes. */
#include "verify/dynamics/problem.h"
#include "mesh/mesh_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_dyn_problem_new(ig_ctx *cx, ig_dyn_problem *q) {
  memset(q, 0, sizeof *q);
  q->cx = cx;
  q->section = ig_dyn_section_default;
  q->c.inertia_scale = 0.125;
  q->c.energy_error = 1e9;
  q->c.added_mass = 1e9;
  q->material.name = "material";
  q->material.yield = q->material.tangent = q->material.hardening = NAN;
  q->material.law = IG_MATERIAL_AUTO;
  IG_TRY(IG_NEW(cx, &q->material.density.x, 1, "density"));
  IG_TRY(IG_NEW(cx, &q->material.density.y, 1, "density"));
  q->material.density.count = 1;
  ig_dyn_problem_material(q, 7850, 210e9, 0.3);
  return IG_OK;
}

void ig_dyn_problem_material(ig_dyn_problem *q, double density, double young, double poisson) {
  q->material.density.y[0] = density;
  q->material.young = young;
  q->material.poisson = poisson;
}

void ig_dyn_problem_free(ig_dyn_problem *q) {
  free(q->material.density.x);
  free(q->material.density.y);
  ig_mesh_free(q->mesh);
  memset(q, 0, sizeof *q);
}

ig_status ig_dyn_problem_open(ig_dyn_problem *q, ig_precision precision, ig_assembly assembly,
                              ig_dyn_model **m) {
  q->c.sections = (ig_list){1, &q->section};
  q->materials = (ig_list){1, &q->material};
  return ig_dyn_model_new(q->cx, q->mesh, &q->materials, &q->c, precision, assembly, m);
}

/* --- meshes -------------------------------------------------------------------------------------
 */

ig_status ig_dyn_problem_set(ig_dyn_problem *q, const char *name, ig_inside_fn *in, void *user) {
  return ig_set_where(q->cx, q->mesh, name, in, user);
}

static ig_status box_nodes(ig_dyn_problem *q, const double size[3], const int n[3]) {
  const int64_t nodes = (int64_t)(n[0] + 1) * (n[1] + 1) * (n[2] + 1);
  if (nodes > INT32_MAX)
    return IG_FAIL(q->cx, IG_ARG, "box too large");
  IG_TRY(ig_mesh_new(q->cx, 3, (ig_lid)nodes, &q->mesh));
  int64_t k = 0;
  for (int z = 0; z <= n[2]; z++)
    for (int y = 0; y <= n[1]; y++)
      for (int x = 0; x <= n[0]; x++, k++) {
        q->mesh->x[3 * k] = size[0] * x / n[0];
        q->mesh->x[3 * k + 1] = size[1] * y / n[1];
        q->mesh->x[3 * k + 2] = size[2] * z / n[2];
      }
  return IG_OK;
}

static ig_status box_sets(ig_dyn_problem *q, const double size[3]) {
  static const char *const name[6] = {"x0", "x1", "y0", "y1", "z0", "z1"};
  for (int i = 0; i < 6; i++) {
    ig_plane s = {i / 2, i % 2 ? size[i / 2] : 0, 0};
    s.near = 1e-9 * (1 + fabs(s.at));
    IG_TRY(ig_dyn_problem_set(q, name[i], ig_plane_holds, &s));
  }
  return IG_OK;
}

static void cell_nodes(const int n[3], int x, int y, int z, ig_lid c[8]) {
  const int row = n[0] + 1, plane = row * (n[1] + 1), a = x + row * y + plane * z;
  const ig_lid corner[8] = {a,         a + 1,         a + 1 + row,         a + row,
                            a + plane, a + 1 + plane, a + 1 + row + plane, a + row + plane};
  memcpy(c, corner, sizeof corner);
}

ig_status ig_dyn_problem_box(ig_dyn_problem *q, const double size[3], const int n[3]) {
  ig_block *b;
  IG_TRY(box_nodes(q, size, n));
  IG_TRY(ig_mesh_add_block(q->cx, q->mesh, IG_HEX8, n[0] * n[1] * n[2], &b));
  ig_lid *c = b->conn;
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++, c += 8)
        cell_nodes(n, x, y, z, c);
  return box_sets(q, size);
}

ig_status ig_dyn_problem_tets(ig_dyn_problem *q, const double size[3], const int n[3]) {
  /* five per cell, mirrored in every other one so that faces meet */
  static const int even[5][4] = {
      {0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 7, 5, 6}, {0, 2, 7, 5}};
  static const int odd[5][4] = {
      {1, 3, 0, 4}, {1, 2, 3, 6}, {1, 6, 4, 5}, {3, 4, 6, 7}, {1, 3, 4, 6}};
  ig_block *b;
  IG_TRY(box_nodes(q, size, n));
  IG_TRY(ig_mesh_add_block(q->cx, q->mesh, IG_TET4, 5 * n[0] * n[1] * n[2], &b));
  ig_lid *c = b->conn, corner[8];
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++) {
        cell_nodes(n, x, y, z, corner);
        for (int t = 0; t < 5; t++)
          for (int a = 0; a < 4; a++)
            *c++ = corner[((x + y + z) % 2 ? odd : even)[t][a]];
      }
  if (q->quadratic)
    IG_TRY(ig_mesh_builder_quadratic(q->cx, &(ig_mesh_builder){.mesh = q->mesh}));
  return box_sets(q, size);
}

ig_status ig_dyn_problem_sheet(ig_dyn_problem *q, int nu, int nv, bool closed, ig_dyn_place *place,
                               void *user) {
  const int row = closed ? nu : nu + 1;
  ig_block *b;
  IG_TRY(ig_mesh_new(q->cx, 3, row * (nv + 1), &q->mesh));
  for (int j = 0; j <= nv; j++)
    for (int i = 0; i < row; i++)
      place(user, (double)i / nu, (double)j / nv, q->mesh->x + 3 * ((int64_t)j * row + i));
  const int elements = (q->quads ? 1 : 2) * nu * nv;
  IG_TRY(ig_mesh_add_block(q->cx, q->mesh, q->quads ? IG_QUAD4 : IG_TRI3, elements, &b));
  ig_lid *c = b->conn;
  for (int j = 0; j < nv; j++)
    for (int i = 0; i < nu; i++) {
      const ig_lid p = j * row + i, r = j * row + (i + 1) % row, s = p + row, t = r + row;
      /* diagonals alternate, so that the mesh has no grain */
      const ig_lid two[2][6] = {{p, r, t, p, t, s}, {p, r, s, r, t, s}};
      const ig_lid one[4] = {p, r, t, s};
      if (q->quads)
        memcpy(c, one, sizeof one);
      else
        memcpy(c, two[(i + j) % 2], sizeof two[0]);
      c += q->quads ? 4 : 6;
    }
  static const char *const name[4] = {"u0", "u1", "v0", "v1"};
  for (int k = 0; k < 4; k++) {
    ig_set *set;
    const int count = k < 2 ? nv + 1 : row;
    if (k < 2 && closed)
      continue;
    IG_TRY(ig_mesh_add_set(q->cx, q->mesh, name[k], IG_SET_NODES, count, &set));
    for (int i = 0; i < count; i++)
      set->item[i] = k < 2 ? i * row + (k == 1 ? nu : 0) : i + (k == 3 ? nv * row : 0);
  }
  ig_set *all;
  IG_TRY(ig_mesh_add_set(q->cx, q->mesh, "sheet", IG_SET_ELEMENTS, elements, &all));
  for (int i = 0; i < elements; i++)
    all->item[i] = i;
  return IG_OK;
}

ig_status ig_dyn_problem_chain(ig_dyn_problem *q, int n, ig_dyn_place *place, void *user) {
  ig_block *b;
  ig_set *set;
  IG_TRY(ig_mesh_new(q->cx, 3, n + 1, &q->mesh));
  for (int i = 0; i <= n; i++)
    place(user, (double)i / n, 0, q->mesh->x + 3 * i);
  IG_TRY(ig_mesh_add_block(q->cx, q->mesh, IG_BEAM2, n, &b));
  for (int i = 0; i < n; i++) {
    b->conn[2 * i] = i;
    b->conn[2 * i + 1] = i + 1;
  }
  IG_TRY(ig_mesh_add_set(q->cx, q->mesh, "u0", IG_SET_NODES, 1, &set));
  set->item[0] = 0;
  IG_TRY(ig_mesh_add_set(q->cx, q->mesh, "u1", IG_SET_NODES, 1, &set));
  set->item[0] = n;
  return IG_OK;
}

/* --- pieces of a case ---------------------------------------------------------------------------
 */

ig_dyn_load ig_dyn_force_on(const char *set, double x, double y, double z) {
  return (ig_dyn_load){.set = set,
                       .force = {x, y, z},
                       .moment = {NAN, NAN, NAN},
                       .total = {NAN, NAN, NAN},
                       .pressure = NAN};
}
