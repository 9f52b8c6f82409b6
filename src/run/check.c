/* `ingot check` and `ingot mesh`: describes a case and its mesh without running it. */
#include "mesh/quality.h"
#include "core/require.h"
#include "ranks/ranks.h"
#include "run/job.h"
#include "run/plausible.h"
#include "run/rooms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Formats one line of the description; `text`, `line` and `user` are the caller's. */
#define LINE(label, ...)                                                                           \
  do {                                                                                             \
    snprintf(text, sizeof text, __VA_ARGS__);                                                      \
    line(user, label, text);                                                                       \
  } while (0)

/* Quantities of the mesh as lines of label and value. Lengths in m. Lines and faces of lower
   dimension are listed only if there are any. */
ig_status ig_mesh_describe(ig_ctx *cx, const ig_mesh *mesh, ig_line_fn *line, void *user) {
  IG_REQUIRE_ARGS(cx, cx && mesh && line);
  char text[512], label[128];
  ig_quality q;
  IG_TRY(ig_mesh_quality(cx, mesh, &q));
  LINE("nodes", "%" PRId32, mesh->nodes);
  LINE("elements", "%" PRId32, ig_mesh_elements(mesh));
  for (int b = 0; b < mesh->blocks; b++) {
    snprintf(label, sizeof label, "  %s", ig_elem_info_get(mesh->block[b].type)->name);
    LINE(label, "%" PRId32, mesh->block[b].count);
  }
  LINE("congruent classes", "%" PRId32, q.classes);
  double low[3], high[3];
  ig_mesh_bounds(mesh, low, high);
  LINE("bounds", "%.6g %.6g %.6g to %.6g %.6g %.6g m", low[0], low[1], low[2], high[0], high[1],
       high[2]);
  static const char *const what[] = {"", "length", "area", "volume"};
  static const char *const unit[] = {"", "m", "m2", "m3"};
  for (int d = 1; d <= 3; d++)
    if (q.measure[d] != 0)
      LINE(what[d], "%.8g %s", q.measure[d], unit[d]);
  /* Highest dimension of elements: a solid's boundary is an area, a plane mesh's a length. */
  const int top = q.measure[3] != 0 ? 3 : q.measure[2] != 0 ? 2 : 1;
  if (top > 1)
    LINE("boundary", "%" PRId32 " faces, %.8g %s", q.faces, q.boundary, unit[top - 1]);
  if (ig_mesh_elements(mesh)) {
    LINE("edges", "%.6g to %.6g m, at most %.4g to 1 in one element", q.shortest, q.longest,
         q.aspect);
    LINE("least Jacobian", "%.4g of the mean, in element %" PRId32, q.jacobian, q.worst);
  }
  for (int i = 0; i < mesh->sets; i++) {
    static const char *const kinds[] = {"nodes", "elements", "faces"};
    snprintf(label, sizeof label, "set %.100s", mesh->set[i].name);
    LINE(label, "%" PRId32 " %s", mesh->set[i].count, kinds[mesh->set[i].kind]);
  }
  return IG_OK;
}

/* On ranks: collective; only lines of rank 0 are of use, but all ranks make them, because the
   room's check may communicate. */
ig_status ig_check(ig_case *c, ig_line_fn *line, void *user) {
  char text[512], stamp[IG_STAMP_TEXT];
  ig_job job;
  ig_status status;
  IG_TRY(ig_case_usable(c));
  IG_REQUIRE_ARGS(c->cx, line);
  if (c->cx->ranks)
    c->cx->ranks->failed = false; /* something new, for everybody */
  IG_TRY_GOTO(status, done, ig_ranks_agree(c->cx, ig_job_open(c, ig_rooms_of(c->cx), &job)));
  if (ig_ranks_count(c->cx->ranks) > 1)
    IG_TRY_GOTO(status, done, ig_job_same(c, &job, IG_JOB_CHECK, stamp));
  if (ig_ranks_first(c->cx))
    IG_TRY_GOTO(status, done, ig_case_plausible(c, job.mesh));
  LINE("physics", "%s", c->room->name);
  if (*job.title)
    LINE("title", "%.400s", job.title);
  LINE("backend", "%s: %s", ig_ctx_backend(c->cx), ig_ctx_device(c->cx));
  line(user, "precision", ig_choice_text(IG_PRECISION_CHOICES, job.precision, text, sizeof text));
  if (job.mesh)
    IG_TRY_GOTO(status, done, ig_mesh_describe(c->cx, job.mesh, line, user));
  if (c->room->check)
    IG_TRY_GOTO(status, done, c->room->check(&job, line, user));
  line(user, "assembly", ig_choice_text(IG_ASSEMBLY_CHOICES, job.assembly, text, sizeof text));
done:
  ig_job_close(&job);
  return ig_ranks_agree(c->cx, status);
}

/* The section `mesh` alone, so that a file may contain a mesh and no analysis. */
typedef struct {
  ig_src at;
  ig_mesh_case mesh;
} mesh_section;
static const ig_option mesh_section_options[] = {
    IG_MAP(mesh_section, mesh, ig_mesh_case, ig_mesh_options, NULL, "the mesh"), IG_END};

/* A tree with `mesh` as its only key is made on the stack and read through a table of its own: the
   other keys of the case are not checked. */
ig_status ig_case_mesh(ig_case *c, ig_mesh **mesh) {
  IG_TRY(ig_case_usable(c));
  IG_REQUIRE_ARGS(c->cx, mesh);
  *mesh = NULL;
  if (c->mesh)
    return ig_case_mesh_copy(c, mesh);
  const ig_node *found = c->root->child;
  while (found && !(found->key && strcmp(found->key, "mesh") == 0))
    found = found->next;
  if (!found)
    return ig_fail_at(c->cx, &c->root->at, "there is no section 'mesh' here");
  ig_node section = *found, root = *c->root;
  section.next = NULL;
  root.child = &section;
  mesh_section *read;
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&read, 1, sizeof *read));
  const ig_option_table table = {mesh_section_options, read};
  IG_TRY(ig_options_read(c->cx, c->arena, &root, &table, 1));
  return ig_mesh_generate(c->cx, &read->mesh, mesh);
}
