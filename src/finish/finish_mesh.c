/* A mesh of quadratic tetrahedra that fits the surface. Triangles get the size asked for first
   (ig_topopt_part_remesh); Gmsh fills the inside, by the confined process that reads geometry. It
   leaves the triangles as they are: reparametrising the whole surface fails where a part has many
   holes. */
#include "finish/finish.h"
#include "io/format/atomic_file.h"
#include "mesh/geometry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char script[] = "Merge \"surface.stl\";\n"
                             "s() = Surface{:};\n"
                             "Surface Loop(1) = s();\n"
                             "Volume(1) = {1};\n"
                             "Mesh.ElementOrder = 2;\n"
                             "Mesh.SecondOrderLinear = 1;\n"; /* edges stay straight */

static ig_status surface_copy(ig_ctx *cx, const ig_topopt_part *from, ig_topopt_part *to) {
  *to = *from;
  to->vertex = NULL;
  to->triangle = NULL;
  IG_TRY(IG_NEW(cx, &to->vertex, (size_t)from->vertices + 1, "surface"));
  IG_TRY(IG_NEW(cx, &to->triangle, (size_t)from->triangles + 1, "surface"));
  memcpy(to->vertex, from->vertex, (size_t)from->vertices * sizeof *to->vertex);
  memcpy(to->triangle, from->triangle, (size_t)from->triangles * sizeof *to->triangle);
  return IG_OK;
}

/* As a mesh of triangles, which io writes. */
static ig_status surface_store(ig_ctx *cx, const ig_topopt_part *s, const char *path) {
  ig_mesh *mesh = NULL;
  ig_block *block;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_new(cx, 3, (ig_lid)s->vertices, &mesh));
  for (int64_t i = 0; i < 3 * s->vertices; i++)
    mesh->x[i] = (double)s->vertex[i / 3][i % 3];
  IG_TRY_GOTO(status, done, ig_mesh_add_block(cx, mesh, IG_TRI3, (ig_lid)s->triangles, &block));
  memcpy(block->conn, s->triangle, (size_t)s->triangles * sizeof *s->triangle);
  status = ig_mesh_write(cx, mesh, path);
done:
  ig_mesh_free(mesh);
  return status;
}

/* Boundary, volume and area; and whether the whole inside of the surface was meshed. */
static ig_status model_measure(ig_finished *f, double enclosed, ig_finish_model *m) {
  if (m->mesh->blocks != 1 || m->mesh->block[0].type != IG_TET10)
    return IG_FAIL(f->cx, IG_INPUT, "Gmsh made no mesh of tet10 of the finished part");
  IG_TRY(ig_mesh_boundary(f->cx, m->mesh, &m->boundary));
  for (ig_lid e = 0; e < m->mesh->block[0].count; e++)
    m->volume += ig_elem_measure(m->mesh, &m->mesh->block[0], e, NULL);
  for (ig_lid i = 0; i < m->boundary.count; i++)
    m->area +=
        ig_face_measure(m->mesh, &m->mesh->block[0], m->boundary.element[i], m->boundary.face[i]);
  if (fabs(m->volume - enclosed) > 0.005 * enclosed)
    return IG_FAIL(f->cx, IG_INPUT,
                   "the mesh of the finished part has %.5g m^3, its surface encloses %.5g m^3: "
                   "cavities and parts in several pieces cannot be meshed yet",
                   m->volume, enclosed);
  return IG_OK;
}

static ig_status fill(ig_finished *f, const ig_finish_options *o, const ig_topopt_part *s,
                      ig_finish_model *m) {
  char *stl = ig_path_join(f->out, "surface.stl"), *geo = ig_path_join(f->out, "surface.geo");
  ig_status status = stl && geo ? IG_OK : IG_FAIL(f->cx, IG_MEMORY, "no memory for a path");
  if (status == IG_OK)
    status = surface_store(f->cx, s, stl);
  if (status == IG_OK)
    status = ig_store(f->cx, geo, script, sizeof script - 1);
  /* STL files are in millimetres. */
  const ig_mesh_read_options how = {
      .unit = 1e-3, .time_limit = o->time_limit, .memory_limit = o->memory_limit};
  if (status == IG_OK)
    status = ig_mesh_read(f->cx, geo, &how, &m->mesh);
  if (stl)
    (void)!unlink(stl);
  if (geo)
    (void)!unlink(geo);
  free(stl);
  free(geo);
  return status;
}

ig_status ig_finish_mesh(ig_finished *f, const ig_finish_options *options, double size,
                         ig_finish_model *m) {
  ig_topopt_part s = {0};
  ig_status status;
  m->size = size;
  IG_TRY_GOTO(status, done, surface_copy(f->cx, &f->surface, &s));
  IG_TRY_GOTO(status, done, ig_topopt_part_remesh(f->cx, &s, size, 0.05 * fmin(size, f->edge)));
  IG_TRY_GOTO(status, done, fill(f, options, &s, m));
  status = model_measure(f, s.volume, m);
done:
  ig_topopt_part_free(&s);
  return status;
}

void ig_finish_model_free(ig_finish_model *m) {
  ig_mesh_free(m->mesh);
  ig_boundary_free(&m->boundary);
  free(m->fix);
  free(m->value);
  for (int q = 0; q < IG_LOAD_CASES; q++)
    free(m->force[q]);
  memset(m, 0, sizeof *m);
}
