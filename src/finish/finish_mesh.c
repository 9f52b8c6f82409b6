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

ig_status ig_finish_surface_copy(ig_ctx *cx, const ig_topopt_part *from, ig_topopt_part *to) {
  *to = *from;
  to->vertex = NULL;
  to->triangle = NULL;
  IG_TRY(IG_NEW(cx, &to->vertex, (size_t)from->vertices + 1, "surface"));
  IG_TRY(IG_NEW(cx, &to->triangle, (size_t)from->triangles + 1, "surface"));
  memcpy(to->vertex, from->vertex, (size_t)from->vertices * sizeof *to->vertex);
  memcpy(to->triangle, from->triangle, (size_t)from->triangles * sizeof *to->triangle);
  return IG_OK;
}

/* --- closed surfaces: the outer one, and those of cavities */

static int32_t root_of(int32_t *parent, int32_t v) {
  while (parent[v] != v)
    v = parent[v] = parent[parent[v]];
  return v;
}

/* shell[triangle], from 0; *shells of them. */
static ig_status shells_find(ig_ctx *cx, const ig_topopt_part *s, int32_t *shell, int *shells) {
  int32_t *parent, *number = NULL;
  *shells = 0;
  IG_TRY(IG_NEW(cx, &parent, (size_t)s->vertices + 1, "surface"));
  const ig_status status = IG_NEW(cx, &number, (size_t)s->vertices + 1, "surface");
  for (int64_t v = 0; v < s->vertices; v++)
    parent[v] = (int32_t)v;
  for (int64_t t = 0; status == IG_OK && t < s->triangles; t++)
    for (int i = 1; i < 3; i++)
      parent[root_of(parent, s->triangle[t][i])] = root_of(parent, s->triangle[t][0]);
  for (int64_t t = 0; status == IG_OK && t < s->triangles; t++) {
    int32_t *own = &number[root_of(parent, s->triangle[t][0])];
    if (*own == 0)
      *own = ++*shells;
    shell[t] = *own - 1;
  }
  free(parent);
  free(number);
  return status;
}

/* Volume that a shell encloses; negative: it is a cavity. */
static double shell_volume(const ig_topopt_part *s, const int32_t *shell, int number) {
  double sum = 0;
  for (int64_t t = 0; t < s->triangles; t++) {
    const float *a = s->vertex[s->triangle[t][0]], *b = s->vertex[s->triangle[t][1]],
                *c = s->vertex[s->triangle[t][2]];
    for (int d = 0; d < 3 && shell[t] == number; d++) {
      const int e = (d + 1) % 3, g = (d + 2) % 3;
      sum += (double)a[d] * ((double)b[e] * (double)c[g] - (double)b[g] * (double)c[e]) / 6;
    }
  }
  return sum;
}

/* One shell as a mesh of triangles, which io writes. */
static ig_status shell_store(ig_ctx *cx, const ig_topopt_part *s, const int32_t *shell, int number,
                             const char *path) {
  ig_mesh *mesh = NULL;
  ig_block *block;
  ig_lid count = 0;
  ig_status status;
  for (int64_t t = 0; t < s->triangles; t++)
    count += shell[t] == number;
  IG_TRY_GOTO(status, done, ig_mesh_new(cx, 3, (ig_lid)s->vertices, &mesh));
  for (int64_t i = 0; i < 3 * s->vertices; i++)
    mesh->x[i] = (double)s->vertex[i / 3][i % 3];
  IG_TRY_GOTO(status, done, ig_mesh_add_block(cx, mesh, IG_TRI3, count, &block));
  count = 0;
  for (int64_t t = 0; t < s->triangles; t++)
    if (shell[t] == number)
      memcpy(block->conn + 3 * (size_t)count++, s->triangle[t], sizeof *s->triangle);
  status = ig_mesh_write(cx, mesh, path);
done:
  ig_mesh_free(mesh);
  return status;
}

/* --- the mesh */

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
                   "Gmsh did not fill it",
                   m->volume, enclosed);
  return IG_OK;
}

/* Files of the surface, one for each shell, and a script that names them. */
static ig_status surface_write(const ig_finished *f, const ig_topopt_part *s, ig_text *script,
                               int *shells) {
  int32_t *shell;
  char line[96];
  int outer = 0;
  IG_TRY(IG_NEW(f->cx, &shell, (size_t)s->triangles + 1, "surface"));
  ig_status status = shells_find(f->cx, s, shell, shells);
  for (int k = 0; status == IG_OK && k < *shells; k++)
    outer += shell_volume(s, shell, k) > 0;
  if (status == IG_OK && (outer != 1 || *shells > IG_FINISH_SHELLS))
    status = IG_FAIL(f->cx, IG_INPUT,
                     "the part is in %d pieces with %d cavities: one piece with at most %d "
                     "cavities can be finished",
                     outer, *shells - outer, IG_FINISH_SHELLS - 1);
  for (int k = 0; status == IG_OK && k < *shells; k++) {
    snprintf(line, sizeof line, "surface-%d.stl", k + 1);
    char *path = ig_path_join(f->out, line);
    status = path ? shell_store(f->cx, s, shell, k, path)
                  : IG_FAIL(f->cx, IG_MEMORY, "no memory for a path");
    free(path);
    snprintf(line, sizeof line, "Merge \"surface-%d.stl\";\nSurface Loop(%d) = {%d};\n", k + 1,
             k + 1, k + 1);
    ig_text_add(script, line);
  }
  free(shell);
  /* Edges stay straight; the outer shell is bounded by those of cavities. */
  ig_text_add(script, "s() = {1");
  for (int k = 1; k < *shells; k++) {
    snprintf(line, sizeof line, ", %d", k + 1);
    ig_text_add(script, line);
  }
  ig_text_add(script,
              "};\nVolume(1) = s();\nMesh.ElementOrder = 2;\nMesh.SecondOrderLinear = 1;\n");
  return status;
}

void ig_finish_surface_remove(const char *folder, int shells) {
  for (int k = 0; k <= shells; k++) {
    char name[32] = "surface.geo";
    if (k < shells)
      snprintf(name, sizeof name, "surface-%d.stl", k + 1);
    char *path = ig_path_join(folder, name);
    if (path)
      (void)!unlink(path);
    free(path);
  }
}

static ig_status fill(ig_finished *f, const ig_finish_options *o, const ig_topopt_part *s,
                      ig_finish_model *m) {
  ig_text script = {0};
  int shells = 0;
  char *geo = ig_path_join(f->out, "surface.geo");
  ig_status status = geo ? surface_write(f, s, &script, &shells)
                         : IG_FAIL(f->cx, IG_MEMORY, "no memory for a path");
  if (status == IG_OK)
    status = ig_store_text(f->cx, f->out, "surface.geo", &script);
  /* STL files are in millimetres. */
  const ig_mesh_read_options how = {
      .unit = 1e-3, .time_limit = o->time_limit, .memory_limit = o->memory_limit};
  if (status == IG_OK)
    status = ig_mesh_read(f->cx, geo, &how, &m->mesh);
  ig_finish_surface_remove(f->out, shells);
  free(script.at);
  free(geo);
  return status;
}

static ig_status mesh_of(ig_finished *f, const ig_finish_options *options, double size,
                         ig_finish_model *m) {
  ig_topopt_part s = {0};
  ig_status status;
  m->size = size;
  IG_TRY_GOTO(status, done, ig_finish_surface_copy(f->cx, &f->surface, &s));
  IG_TRY_GOTO(status, done, ig_topopt_part_remesh(f->cx, &s, size, 0.05 * fmin(size, f->edge)));
  IG_TRY_GOTO(status, done, fill(f, options, &s, m));
  status = model_measure(f, s.volume, m);
done:
  ig_topopt_part_free(&s);
  return status;
}

/* Triangles of another size may cut through each other where walls are thin or nearly touch, which
   Gmsh refuses. A little finer, they lie otherwise. */
ig_status ig_finish_mesh(ig_finished *f, const ig_finish_options *options, double size,
                         ig_finish_model *m) {
  const double start = ig_now(), patience = options->time_limit > 0 ? options->time_limit : 60;
  ig_status status = mesh_of(f, options, size, m);
  for (double share = 0.95; status == IG_INPUT && share > 0.72; share -= 0.05) {
    if (ig_now() - start > patience)
      break;
    ig_finish_model_free(m);
    status = mesh_of(f, options, share * size, m);
  }
  return status;
}

void ig_finish_model_free(ig_finish_model *m) {
  ig_mesh_free(m->mesh);
  ig_boundary_free(&m->boundary);
  free(m->material);
  free(m->fix);
  free(m->value);
  for (int q = 0; q < IG_LOAD_CASES; q++)
    free(m->force[q]);
  memset(m, 0, sizeof *m);
}
