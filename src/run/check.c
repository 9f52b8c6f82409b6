/* Saying what a case holds, without running it. */
#include "mesh/geometry.h"
#include "run/job.h"
#include "run/rooms.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE(label, ...)                                                                           \
  do {                                                                                             \
    snprintf(text, sizeof text, __VA_ARGS__);                                                      \
    line(user, label, text);                                                                       \
  } while (0)

void ig_mesh_describe(const ig_mesh *mesh, ig_line_fn *line, void *user) {
  char text[512], label[128];
  LINE("nodes", "%" PRId32, mesh->nodes);
  LINE("elements", "%" PRId32, ig_mesh_elements(mesh));
  double shortest = INFINITY, longest = 0, measure[4] = {0};
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    snprintf(label, sizeof label, "  %s", info->name);
    LINE(label, "%" PRId32, block->count);
    for (ig_lid e = 0; e < block->count; e++) {
      double s, l;
      ig_elem_edges(mesh, block, e, &s, &l);
      shortest = fmin(shortest, s);
      longest = fmax(longest, l);
      measure[info->dim] += ig_elem_measure(mesh, block, e, NULL);
    }
  }
  double low[3], high[3];
  ig_mesh_bounds(mesh, low, high);
  LINE("bounds", "%.6g %.6g %.6g to %.6g %.6g %.6g m", low[0], low[1], low[2], high[0], high[1],
       high[2]);
  if (longest > 0)
    LINE("edges", "%.6g to %.6g m", shortest, longest);
  static const char *const what[] = {"", "length", "area", "volume"};
  static const char *const unit[] = {"", "m", "m2", "m3"};
  for (int d = 1; d <= 3; d++)
    if (measure[d] != 0)
      LINE(what[d], "%.8g %s", measure[d], unit[d]);
  for (int i = 0; i < mesh->sets; i++) {
    static const char *const kinds[] = {"nodes", "elements", "faces"};
    snprintf(label, sizeof label, "set %.100s", mesh->set[i].name);
    LINE(label, "%" PRId32 " %s", mesh->set[i].count, kinds[mesh->set[i].kind]);
  }
}

ig_status ig_check(ig_case *c, ig_line_fn *line, void *user) {
  char text[512];
  ig_job job;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_job_open(c, ig_rooms(), &job));
  LINE("physics", "%s", c->room->name);
  if (*job.title)
    LINE("title", "%.400s", job.title);
  LINE("backend", "%s: %s", ig_ctx_backend(c->cx), ig_ctx_device(c->cx));
  line(user, "precision", ig_choice_text(IG_PRECISION_CHOICES, job.precision, text, sizeof text));
  line(user, "assembly", ig_choice_text(IG_ASSEMBLY_CHOICES, job.assembly, text, sizeof text));
  if (job.mesh)
    ig_mesh_describe(job.mesh, line, user);
  status = c->room->check ? c->room->check(&job, line, user) : IG_OK;
done:
  ig_job_close(&job);
  return status;
}

ig_status ig_case_mesh(ig_case *c, ig_mesh **mesh) {
  *mesh = NULL;
  IG_TRY(ig_case_read(c));
  if (!c->common.mesh.at.given)
    return ig_fail_at(c->cx, &c->common.at, "there is no section 'mesh' here");
  return ig_mesh_generate(c->cx, &c->common.mesh, mesh);
}
