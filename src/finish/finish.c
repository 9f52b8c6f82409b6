/* ig_finish: the result of an optimisation as a part that is analysed on its own. */
#include "finish/finish.h"
#include "core/require.h"
#include "io/format/atomic_file.h"
#include "io/format/case_yaml.h"
#include "io/result/result_folder.h"
#include "mesh/geometry.h"
#include "mesh/tri_surface.h"
#include "run/rooms.h"
#include "topopt/case/boundary_conditions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the result */

static ig_status summary_read(ig_finished *f, const char *folder) {
  char *path = ig_path_join(folder, IG_SUMMARY);
  ig_node *root = NULL;
  if (!path)
    return IG_FAIL(f->cx, IG_MEMORY, "no memory for a path");
  const ig_status status =
      access(path, R_OK) == 0
          ? ig_yaml_open(f->cx, f->c->arena, path, &root)
          : IG_FAIL(f->cx, IG_INPUT, "'%s' holds no result: expected a folder of 'ingot run'",
                    folder);
  free(path);
  IG_TRY(status);
  const ig_node *state = ig_node_find(root, "status"), *physics = ig_node_find(root, "physics");
  if (!physics || !physics->text || strcmp(physics->text, "topopt") != 0)
    return IG_FAIL(f->cx, IG_INPUT, "'%s' is no result of a topology optimisation", folder);
  if (!state || !state->text || strcmp(state->text, "complete") != 0)
    return IG_FAIL(f->cx, IG_INPUT, "the run in '%s' has not ended: finish it with --resume first",
                   folder);
  f->summary = root;
  return IG_OK;
}

static ig_status case_read(ig_finished *f, const char *folder) {
  char *path = ig_path_join(folder, IG_CASE);
  if (!path)
    return IG_FAIL(f->cx, IG_MEMORY, "no memory for a path");
  const ig_status status =
      access(path, R_OK) == 0
          ? ig_case_open(f->cx, path, &f->c)
          : IG_FAIL(f->cx, IG_INPUT, "'%s' holds no case.yaml: expected a folder of 'ingot run'",
                    folder);
  free(path);
  return status;
}

/* Bounds and element size of the model. */
static void model_look(ig_finished *f) {
  const ig_topopt_case *t = f->t;
  f->edge = INFINITY;
  if (f->job.mesh) {
    const ig_mesh *mesh = f->job.mesh;
    double volume = 0;
    ig_mesh_bounds(mesh, f->low, f->high);
    for (ig_lid e = 0; e < ig_mesh_elements(mesh); e++)
      volume += fabs(ig_mesh_measure(mesh, e));
    const bool tets = mesh->block[0].type == IG_TET4 || mesh->block[0].type == IG_TET10;
    /* A regular tetrahedron of edge 1 has the volume 1/(6 sqrt 2). */
    f->edge = cbrt((tets ? 6 * sqrt(2) : 1) * volume / ig_mesh_elements(mesh));
    return;
  }
  for (int d = 0; d < 3; d++) {
    const double n = (double)t->grid.elements[d];
    f->low[d] = 0;
    f->high[d] = isnan(t->grid.size[d]) ? n : t->grid.size[d];
    f->edge = fmin(f->edge, f->high[d] / n);
  }
}

static ig_status planes_look(ig_finished *f) {
  for (int d = 0; d < 3; d++)
    f->plane[d] = NAN;
  for (int i = 0; i < f->t->symmetry.count; i++) {
    int axis, side;
    if (!ig_topopt_plane_read(f->t->symmetry.value[i], 3, &axis, &side))
      return ig_fail_at(f->cx, &f->t->at, "symmetry: '%.20s' is no plane", f->t->symmetry.value[i]);
    f->plane[axis] = side ? f->high[axis] : f->low[axis];
    f->mirrored[axis] = f->t->surface.mirror;
  }
  return IG_OK;
}

static void materials_look(ig_finished *f) {
  f->materials = 1;
  f->material[0] = (ig_finish_material){.young = 1, .poisson = 0.3, .density = NAN};
  if (!f->job.materials || f->job.materials->count == 0)
    return;
  f->materials = f->job.materials->count;
  for (int i = 0; i < f->materials; i++) {
    const ig_material_case *m = IG_ITEM(const ig_material_case, *f->job.materials, i);
    f->material[i] = (ig_finish_material){m, m->young, m->poisson, NAN};
    if (m->density.count > 0)
      f->material[i].density = m->density.y[0];
  }
}

static void weights_look(ig_finished *f) {
  if (f->t->temperature_change != 0) /* the run has made sure that there is one number */
    f->expansion = f->t->temperature_change * f->material[0].of->mechanical.expansion.y[0];
  f->cases = ig_topopt_load_cases(f->t);
  for (int q = 0; q < f->cases; q++)
    f->weight[q] = q < f->t->weights.count ? f->t->weights.value[q] : 1;
}

/* --- its surface */

static ig_status surface_convert(ig_finished *f, const ig_tri_surface *from) {
  ig_topopt_part *s = &f->surface;
  IG_TRY(IG_NEW(f->cx, &s->vertex, (size_t)from->nodes + 1, "surface"));
  IG_TRY(IG_NEW(f->cx, &s->triangle, (size_t)from->triangles + 1, "surface"));
  s->vertices = from->nodes;
  s->triangles = from->triangles;
  for (int64_t i = 0; i < 3 * s->vertices; i++)
    s->vertex[i / 3][i % 3] = (float)from->x[i];
  for (int64_t i = 0; i < 3 * s->triangles; i++)
    s->triangle[i / 3][i % 3] = from->corner[i];
  ig_topopt_part_measure(f->cx, s);
  return IG_OK;
}

static ig_status surface_check(ig_finished *f, const char *path) {
  ig_topopt_part_shape shape;
  IG_TRY(ig_topopt_part_look(f->cx, &f->surface, &shape));
  if (shape.open > 0 || !(f->surface.volume > 0))
    return IG_FAIL(f->cx, IG_INPUT, "%s: the surface is not closed: %lld edges are open", path,
                   (long long)shape.open);
  if (shape.pinched > 0)
    ig_finish_warn(f, "the surface touches itself in %lld points", (long long)shape.pinched);
  return IG_OK;
}

static ig_status surface_read(ig_finished *f, const char *folder) {
  static const char *const names[] = {"part.stl", "part.ply", "part.obj", "part.3mf"};
  for (int i = 0; i < 4; i++) {
    char *path = ig_path_join(folder, names[i]);
    if (!path)
      return IG_FAIL(f->cx, IG_MEMORY, "no memory for a path");
    if (access(path, R_OK) != 0) {
      free(path);
      continue;
    }
    ig_tri_surface soup = {0};
    ig_status status = ig_tri_surface_read(f->cx, path, i < 3 ? f->t->surface.unit : 0, 0, &soup);
    if (status == IG_OK)
      status = ig_tri_surface_weld(f->cx, &soup);
    if (status == IG_OK)
      status = surface_convert(f, &soup);
    if (status == IG_OK)
      status = surface_check(f, path);
    ig_tri_surface_free(&soup);
    free(path);
    return status;
  }
  return IG_FAIL(f->cx, IG_INPUT,
                 "'%s' holds no surface of the part: run the case with surface.formats: [stl]",
                 folder);
}

/* --- the whole */

/* Files of the finest mesh; before the analysis, which adds sets of its own. */
static ig_status files_write(ig_finished *f, const ig_finish_options *o, const ig_finish_model *m) {
  char *inp = ig_path_join(f->out, "part.inp"), *msh = ig_path_join(f->out, "part.msh"),
       *step = ig_path_join(f->out, "part.step");
  ig_status status = inp && msh && step ? IG_OK : IG_FAIL(f->cx, IG_MEMORY, "no memory for a path");
  if (status == IG_OK)
    status = ig_finish_deck(f, m, inp);
  if (status == IG_OK)
    status = ig_mesh_write(f->cx, m->mesh, msh);
  if (status == IG_OK && o->step)
    status = ig_finish_step(f, step);
  free(step);
  free(inp);
  free(msh);
  return status;
}

/* What is not given follows from the section `finish` of the case. */
static ig_finish_options asked(const ig_finished *f, const ig_finish_options *given) {
  const ig_finish_case *c = &f->t->finish;
  ig_finish_options o = *given;
  o.size = o.size > 0 ? o.size : c->size > 0 ? c->size : f->edge / sqrt(2);
  o.meshes = o.meshes > 0 ? o.meshes : (int)c->meshes;
  o.meshes = o.meshes > 0 && o.meshes < 3 ? o.meshes : 3;
  o.frequencies = o.frequencies > 0 ? o.frequencies : (int)c->frequencies;
  o.buckling = o.buckling > 0 ? o.buckling : (int)c->buckling;
  o.step = o.step || c->step;
  for (int i = 0; i < f->t->constraints.count; i++) { /* bounded ones */
    const ig_limit_case *l = IG_ITEM(const ig_limit_case, f->t->constraints, i);
    if (!isnan(l->frequency) && !isnan(f->material[0].density))
      o.frequencies = o.frequencies > 0 ? o.frequencies : 1;
    if (!isnan(l->buckling))
      o.buckling = o.buckling > 0 ? o.buckling : 1;
  }
  o.buckling = o.buckling < IG_FINISH_BUCKLINGS ? o.buckling : IG_FINISH_BUCKLINGS;
  return o;
}

/* Files of an analysis, and of the surface that Gmsh reads (finish_mesh.c), which an end by force
   may have left. The summary comes last, and goes first: where it is, all is of one analysis. */
static const char *const kept[] = {"part.inp", "part.msh", "part.step", IG_SUMMARY};
enum { KEPT = sizeof kept / sizeof *kept };
static void file_remove(const char *folder, const char *name) {
  char *path = ig_path_join(folder, name);
  if (path)
    (void)!unlink(path);
  free(path);
}
static void folder_remove(const char *folder) {
  for (int i = KEPT - 1; i >= 0; i--)
    file_remove(folder, kept[i]);
  ig_finish_surface_remove(folder, IG_FINISH_SHELLS);
  (void)!rmdir(folder);
}

/* From the folder in work into that of the results, in place of those of an analysis before. */
static ig_status files_move(ig_finished *f, const char *to) {
  ig_status status = ig_folder_make(f->cx, to);
  for (int i = KEPT - 1; i >= 0 && status == IG_OK; i--)
    file_remove(to, kept[i]);
  for (int i = 0; i < KEPT && status == IG_OK; i++) {
    char *from = ig_path_join(f->out, kept[i]), *at = ig_path_join(to, kept[i]);
    if (!from || !at)
      status = IG_FAIL(f->cx, IG_MEMORY, "no memory for a path");
    else if (access(from, R_OK) == 0 && rename(from, at) != 0)
      status = IG_FAIL(f->cx, IG_IO, "%s: %s", at, strerror(errno));
    free(from);
    free(at);
  }
  return status;
}

static ig_status meshes_run(ig_finished *f, const ig_finish_options *given) {
  const ig_finish_options whole = asked(f, given), *o = &whole;
  const int meshes = o->meshes;
  const double finest = o->size;
  ig_finish_figures figures[3];
  ig_finish_model m = {0};
  ig_status status = IG_OK;
  for (int k = 0; k < meshes && status == IG_OK; k++) {
    const bool last = k == meshes - 1;
    ig_finish_model_free(&m);
    f->mesh = k + 1, f->meshes = meshes;
    status = ig_finish_mesh(f, o, finest * pow(sqrt(2), meshes - 1 - k), &m);
    if (status == IG_OK)
      status = ig_finish_materials(f, &m);
    if (status == IG_OK)
      status = ig_finish_loads(f, last, &m);
    if (status == IG_OK && last)
      status = files_write(f, o, &m);
    if (status == IG_OK)
      status = ig_finish_analyse(f, &m, o, &figures[k]);
    if (status == IG_OK && last && f->t->finish.large_deflections)
      status = ig_finish_analyse_large(f, &m, &figures[k]);
    if (status == IG_OK)
      ig_info(f->cx, "mesh %d of %d: %d tet10, compliance %.5g J, stress %.5g Pa", k + 1, meshes,
              figures[k].elements, figures[k].compliance, figures[k].stress);
  }
  if (status == IG_OK)
    status = ig_finish_report(f, o, meshes, figures, &m);
  ig_finish_model_free(&m);
  return status;
}

/* What is asked for as the case would ask for it, so that it is read and checked the same way. */
static ig_status case_change(ig_finished *f, const ig_finish_options *o) {
  char number[16];
  snprintf(number, sizeof number, "%d", o->frequencies);
  if (o->frequencies > 0)
    IG_TRY(ig_case_set(f->c, "finish.frequencies", number));
  snprintf(number, sizeof number, "%d", o->buckling);
  if (o->buckling > 0)
    IG_TRY(ig_case_set(f->c, "finish.buckling", number));
  if (o->large_deflections)
    IG_TRY(ig_case_set(f->c, "finish.large_deflections", "true"));
  return o->spectrum ? ig_case_set(f->c, "finish.spectrum", o->spectrum) : IG_OK;
}

static ig_status finish(ig_finished *f, const char *folder, const ig_finish_options *o) {
  IG_TRY(case_read(f, folder));
  IG_TRY(case_change(f, o));
  IG_TRY(summary_read(f, folder));
  IG_TRY(ig_job_open(f->c, ig_rooms_of(f->cx), &f->job));
  f->t = f->job.room_case;
  IG_TRY(ig_topopt_finish_check(f->cx, f->t, f->job.mesh, f->job.materials));
  model_look(f);
  IG_TRY(planes_look(f));
  materials_look(f);
  weights_look(f);
  if (f->materials > 1)
    ig_finish_warn(f, "the meshes of the finished part do not follow the faces between materials: "
                      "stresses there depend on the mesh");
  IG_TRY(surface_read(f, folder));
  f->out = ig_path_join(folder, IG_FINISHED "-in-work");
  char *to = ig_path_join(folder, IG_FINISHED);
  ig_status status = f->out && to ? IG_OK : IG_FAIL(f->cx, IG_MEMORY, "no memory for a path");
  if (status == IG_OK)
    folder_remove(f->out);
  if (status == IG_OK)
    status = ig_folder_make(f->cx, f->out);
  if (status == IG_OK)
    status = meshes_run(f, o);
  if (status == IG_OK)
    status = files_move(f, to);
  free(to);
  return status;
}

/* What there is after a signal. */
static ig_status stopped(const ig_finished *f, const char *folder) {
  char *before = ig_path_join(folder, IG_FINISHED "/" IG_SUMMARY);
  const bool old = before && access(before, R_OK) == 0;
  char of[48] = "";
  free(before);
  f->cx->interrupted = 0;
  if (f->meshes)
    snprintf(of, sizeof of, ", at mesh %d of %d", f->mesh, f->meshes);
  return IG_FAIL(
      f->cx, IG_INTERRUPTED,
      "interrupted while the part was analysed%s: nothing of that is kept; the design in "
      "'%s' is as it was%s",
      of, folder, old ? ", and so is its finished part of before" : "");
}

ig_status ig_finish(ig_ctx *cx, const char *folder, const ig_finish_options *options) {
  static const ig_finish_options defaults;
  ig_finished f = {.cx = cx};
  IG_REQUIRE_ARGS(cx, folder);
  ig_status status = finish(&f, folder, options ? options : &defaults);
  if (f.out)
    folder_remove(f.out);
  if (status == IG_INTERRUPTED)
    status = stopped(&f, folder);
  ig_topopt_part_free(&f.surface);
  ig_job_close(&f.job);
  ig_case_close(f.c);
  free(f.out);
  free(f.warned.at);
  return status;
}
