/* From a case to a job that a room can run: reads the case, opens the backend it names, makes the
   mesh. Also the check that all ranks have the same job. */
#include "run/job.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "ranks/ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Refuses element types that the room does not have, at the place of the section `mesh`, with the
   key that would convert the mesh. */
static ig_status elements_check(const ig_case *c, const ig_mesh *mesh) {
  const char *known = c->room->elements;
  char list[96];
  for (int b = 0; known && b < mesh->blocks; b++) {
    const char *type = ig_elem_info_get(mesh->block[b].type)->name;
    if (ig_choices_find(known, type) >= 0)
      continue;
    ig_choices_list(known, list, sizeof list);
    const bool solid = ig_elem_info_get(mesh->block[b].type)->dim == 3,
               cut = solid && ig_choices_find(known, "tet4") >= 0,
               raised = solid && !cut && ig_choices_find(known, "tet10") >= 0,
               locks = raised && mesh->block[b].type == IG_TET4;
    return ig_fail_at(c->cx, &c->common.mesh.at, "%s takes meshes of %s: this one has %s%s",
                      c->room->name, list, type,
                      c->common.mesh.quadratic ? "; leave `quadratic` out"
                      : locks && c->common.mesh.file
                          ? ", which lock: `quadratic: true` makes tet10 of them"
                      : locks ? ", which lock: give them second order (tet10)"
                      : raised && c->common.mesh.file
                          ? "; `split: true, quadratic: true` makes tet10 of all elements"
                      : raised              ? "; `element: tet10` makes tetrahedra"
                      : !cut                ? ""
                      : c->common.mesh.file ? "; `split: true` cuts it into tetrahedra"
                                            : "; `element: tet4` makes tetrahedra");
  }
  return IG_OK;
}

/* Curved elements (mid-side nodes) are kept only if the room has such elements; the generator and
   readers are informed by two flags. */
ig_status ig_job_mesh(ig_case *c, ig_job *job) {
  const char *known = c->room ? c->room->elements : NULL;
  c->common.mesh.takes_hex20 = known && ig_choices_find(known, "hex20") >= 0;
  c->common.mesh.curved = known && ig_choices_find(known, "quad8") >= 0;
  return c->mesh ? ig_case_mesh_copy(c, &job->mesh)
                 : ig_mesh_generate(c->cx, &c->common.mesh, &job->mesh);
}

/* The backend is opened before the mesh, because mesh generation uses its threads. If the user
   chose no thread count, it is reduced afterwards for small meshes, where starting threads costs
   more than they save. */
ig_status ig_job_open(ig_case *c, const ig_room *const *rooms, ig_job *job) {
  ig_ctx *cx = c->cx;
  memset(job, 0, sizeof *job);
  IG_TRY(ig_case_read_for(c, rooms));
  for (const struct ig_case_warning *w = c->warning; w; w = w->next)
    ig_warn(cx, "%s", w->text);
  const int wish = (int)c->common.threads, all = wish ? wish : ig_ranks_all_threads(cx);
  IG_TRY(ig_ctx_follow(cx, c->common.backend, all));
  job->cx = cx;
  job->title = c->common.title;
  job->precision = (ig_precision)c->common.precision;
  /* Choices beyond IG_CLUSTER mean "auto": the room may replace the default `gather` by what is
     fastest for it. */
  job->assembly_free = c->common.assembly > IG_CLUSTER;
  job->assembly = job->assembly_free ? IG_GATHER : (ig_assembly)c->common.assembly;
  if (job->assembly == IG_CLUSTER && !c->room->clusters)
    return ig_fail_at(cx, &c->common.at,
                      "%s has no assembly 'cluster': choose atomic, color or gather",
                      c->room->name);
  job->room = c->room;
  job->output = &c->common.output;
  job->materials = &c->common.materials;
  job->room_case = c->room_case;
  job->tree = c->root;
  job->state_of = c->state_of;
  job->state_user = c->state_user;
  c->common.mesh.make = c->mesh_make;
  c->common.mesh.user = c->mesh_user;
  if (c->mesh && c->common.mesh.at.given)
    return ig_fail_at(cx, &c->common.mesh.at,
                      "the program brings a mesh of its own: leave out the section 'mesh'");
  if (c->mesh || c->common.mesh.at.given) {
    IG_TRY(ig_job_mesh(c, job));
    ig_status status = elements_check(c, job->mesh);
    /* a GPU's host threads only pack results */
    if (status == IG_OK && !wish && cx->backend->kernels != IG_KERNELS_CUDA)
      status =
          ig_ctx_follow(cx, c->common.backend, ig_threads_for(ig_mesh_elements(job->mesh), all));
    if (status != IG_OK)
      ig_job_close(job);
    return status;
  }
  if (c->room->needs_mesh)
    return ig_fail_at(cx, &c->common.at, "physics: %s needs a mesh: add a section 'mesh'",
                      c->room->name);
  return IG_OK;
}

/* Frees the mesh; everything else in the job is borrowed from the case. */
void ig_job_close(ig_job *job) {
  ig_mesh_free(job->mesh);
  job->mesh = NULL;
}

/* Computers of a cluster may see different files under one path. Rank 0 broadcasts its stamp; a
   rank that differs reports what differs as far as it can tell. The mesh is compared by node count
   first, for a better message. */
ig_status ig_job_same(const ig_case *c, const ig_job *job, ig_job_purpose purpose,
                      char stamp[IG_STAMP_TEXT]) {
  ig_ctx *cx = c->cx;
  ig_status status = IG_OK;
  ig_job_stamp(c, job, stamp);
  struct {
    char stamp[IG_STAMP_TEXT];
    int32_t nodes, purpose;
  } first = {.nodes = job->mesh ? job->mesh->nodes : 0, .purpose = (int32_t)purpose};
  const int32_t nodes = first.nodes;
  memcpy(first.stamp, stamp, sizeof first.stamp);
  IG_TRY(ig_ranks_bcast(cx, 0, &first, sizeof first));
  if (first.purpose != (int32_t)purpose)
    status = IG_FAIL(
        cx, IG_INPUT, "this rank is to %s the case, the first to %s it: all must do the same",
        purpose == IG_JOB_RUN ? "run" : "check", purpose == IG_JOB_RUN ? "check" : "run");
  else if (nodes != first.nodes)
    status = IG_FAIL(cx, IG_INPUT,
                     "the mesh has %" PRId32 " nodes here and %" PRId32
                     " on the first rank: all must read the same files",
                     nodes, first.nodes);
  else if (memcmp(first.stamp, stamp, sizeof first.stamp) != 0)
    status = IG_FAIL(cx, IG_INPUT,
                     "the case, a file that it names or this version of Ingot is not that of the "
                     "first rank: all must read the same files");
  return ig_ranks_agree(cx, status);
}
