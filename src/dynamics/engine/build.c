/* From a case and a mesh to particles and groups of elements on the device. build() makes the
   whole model in an order that follows from dependencies: bodies and ties mark their particles
   before groups; groups decide about rotations (dofs); masses need groups; velocities of bodies
   need masses; loads need inertia (moments) and bodies; contact needs groups for its springs.
   Pointers of the kernels' view (m->p) are set last. */
#include "dynamics/model/pairs.h"
#include "dynamics/model/rigid_body_check.h"
#include "dynamics/contact/overlap.h"
#include "dynamics/model/part.h"
#include "backend/backend.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What moves with time, and the rows of its histories. Histories of all loads, motions and tools
   are rows of two arrays, on the device; m->held owns them. */
static ig_status histories_new(ig_dyn_model *m, ig_histories *hs) {
  ig_dyn_particles *p = &m->p;
  IG_TRY(ig_dyn_motions_new(m, hs));
  IG_TRY(ig_dyn_loads_new(m, hs));
  IG_TRY(ig_dyn_tools_new(m, hs));
  if (m->c->gravity.at.given) {
    p->loads.has_gravity = 1;
    memcpy(p->loads.gravity, m->c->gravity.acceleration, sizeof p->loads.gravity);
    IG_TRY(ig_dyn_history_add(m, hs, &m->c->gravity.history, &p->loads.gravity_history));
  }
  const size_t n = (size_t)hs->rows;
  if (n == 0)
    return IG_OK;
  IG_TRY(ig_array_from(m->cx, &m->held.history_x, hs->x, n, sizeof *hs->x, "histories"));
  return ig_array_from(m->cx, &m->held.history_y, hs->y, n, sizeof *hs->y, "histories");
}

/* What friction of tools remembers in statics by Newton's method. */
static ig_status tool_pull_new(ig_dyn_model *m) {
  bool rubs = false, newton = false;
  for (int i = 0; i < m->c->tools.count; i++)
    rubs |= IG_ITEM(const ig_dyn_tool_case, m->c->tools, i)->friction > 0;
  for (int i = 0; i < m->c->analysis.count; i++) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, m->c->analysis, i);
    newton |= a->kind == IG_ANALYSIS_STATIC && ig_dyn_method_of(m, a) != IG_STATIC_RELAXATION;
  }
  if (!rubs || !newton)
    return IG_OK;
  const size_t count = 3 * (size_t)m->mesh->nodes * (size_t)m->c->tools.count;
  return IG_NEW(m->cx, &m->loading.tool_pull, count + 1, "tools");
}

/* Steps, in order: backend and host arrays; bodies and ties; groups of elements; arrays of
   particles; masses; velocities; motions, loads, tools and their histories; slots; contact;
   clock; numbers for faults; pointers for kernels; residual stress; checks.

   Fails at the first error, with what was made so far in m: the caller frees it. */
static ig_status build(ig_dyn_model *m, const ig_list *materials) {
  ig_ctx *cx = m->cx;
  const size_t n = (size_t)m->mesh->nodes;
  /* particles in single precision only where all is; `mixed` has elements in single alone */
  m->part = m->precision == IG_SINGLE ? sizeof(float) : sizeof(double);
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    m->ops = &ig_dyn_cuda[m->precision];
  else
#endif
    m->ops = &ig_dyn_cpu[m->precision];
  IG_TRY(ig_dyn_method_find(m));
  IG_TRY(IG_NEW(cx, &m->x0, 3 * n, "positions"));
  ig_memory_copy(cx->threads, m->x0, m->mesh->x, 3 * n * sizeof(double));
  IG_TRY(IG_NEW(cx, &m->weight.mass, n, "masses"));
  IG_TRY(IG_NEW(cx, &m->weight.inertia, n, "inertias"));
  IG_TRY(IG_NEW(cx, &m->weight.added, n, "masses"));
  IG_TRY(IG_NEW(cx, &m->weight.heavy, n, "masses"));
  ig_dyn_particles *p = &m->p;
  /* bodies before ties: a particle of a body cannot be tied */
  if (m->c->bodies.count + m->c->ties.count > 0) {
    IG_TRY(ig_array_new(cx, &m->carried.bound, n, sizeof(int32_t), "bodies and ties"));
    IG_TRY(ig_dyn_bodies_new(m));
    IG_TRY(ig_dyn_ties_new(m));
    IG_TRY(ig_array_push(cx, &m->carried.bound));
    p->bound = m->carried.bound.dev;
  }
  IG_TRY(ig_dyn_groups_new(m, materials));

  p->nodes = m->mesh->nodes;
  p->dofs = 3;
  for (int k = 0; k < m->groups; k++)
    if (m->group[k].g_f64.dofs == 6)
      p->dofs = 6;
  const size_t d = n * (size_t)p->dofs;
  IG_TRY(ig_dyn_upload(m, &m->x, m->part, m->x0, 3 * n, "positions"));
  /* three floats and a pad: a GPU adds four in one request */
  p->pitch = p->dofs == 3 && m->part == sizeof(float) ? 4 : p->dofs;
  IG_TRY(ig_dyn_upload(m, &m->f, m->part, NULL, n * (size_t)p->pitch, "forces"));
  IG_TRY(ig_dyn_upload(m, &m->mass, m->part, NULL, n, "masses"));
  IG_TRY(ig_dyn_upload(m, &m->inertia, m->part, NULL, n, "inertias"));
  if (m->c->gravity.at.given)
    IG_TRY(ig_dyn_upload(m, &m->heavy, m->part, NULL, n, "weights"));
  IG_TRY(ig_dyn_upload(m, &m->work, sizeof(double), NULL, n * IG_WORKS, "work"));
  /* the scratch holds energies of particles or reports of one group, whichever is larger */
  size_t space = n * IG_DYN_PARTICLE_ENERGIES;
  for (int k = 0; k < m->groups; k++)
    if (space < (size_t)m->group[k].slots * IG_DYN_REPORT)
      space = (size_t)m->group[k].slots * IG_DYN_REPORT;
  IG_TRY(ig_dyn_upload(m, &m->scratch, sizeof(double), NULL, space, "sums"));
  IG_TRY(ig_array_new_device(cx, &m->partial, (size_t)IG_DYN_REPORT * IG_DYN_PARTIAL,
                             sizeof(double), "sums"));
  IG_TRY(ig_array_from(cx, &m->x_start, m->x0, 3 * n, sizeof(double), "positions"));
  IG_TRY(ig_dyn_masses(m, 0));
  double *v = NULL;
  IG_TRY(IG_NEW(cx, &v, d, "velocities"));
  ig_status status = ig_dyn_start_velocities(m, v);
  if (status == IG_OK)
    status = ig_dyn_bodies_start(m, v);
  if (status == IG_OK)
    status = ig_dyn_upload(m, &m->v, m->part, v, d, "velocities");
  free(v);
  IG_TRY(status);

  /* histories are collected on the host and freed once they are on the device */
  ig_histories hs = {0};
  status = histories_new(m, &hs);
  ig_histories_free(&hs);
  IG_TRY(status);
  if (p->loads.count > 0)
    IG_TRY(ig_dyn_upload(m, &m->load, m->part, NULL, d, "loads"));
  IG_TRY(ig_dyn_slots_new(m));
  IG_TRY(ig_dyn_contact_new(m));
  IG_TRY(ig_dyn_pairs_new(m));
  IG_TRY(ig_dyn_touch_find(m));
  if (m->c->tools.count > 0 || p->contact.surfaces > 0 || m->pairs.on)
    IG_TRY(ig_dyn_upload(m, &m->contact.press, m->part, NULL, 3 * n, "contact forces"));
  IG_TRY(ig_array_new(cx, &m->clock, 1, sizeof(ig_dyn_clock), "clock"));
  IG_TRY(ig_array_push(cx, &m->clock));

  /* kernels number elements through all groups; fault_ids leads back to the mesh */
  ig_lid all = 0;
  for (int k = 0; k < m->groups; k++)
    all += m->group[k].slots;
  IG_TRY(IG_NEW(cx, &m->fault_ids, all, "element numbers"));
  for (int k = 0; k < m->groups; k++)
    memcpy(m->fault_ids + m->group[k].g_f64.first, m->group[k].element,
           sizeof(ig_lid) * (size_t)m->group[k].slots);

  IG_TRY(ig_dyn_arrays_new(m));
  p->clock = m->clock.dev;
  p->held.motion = m->held.motion.dev;
  p->history_x = m->held.history_x.dev, p->history_y = m->held.history_y.dev;
  p->loads.node = m->loading.loaded_node.dev;
  p->loads.force_start = m->loading.force_start.dev,
  p->loads.face_start = m->loading.face_start.dev;
  p->loads.force = m->loading.force.dev, p->loads.face = m->loading.face.dev;
  p->tools = m->c->tools.count;
  p->tool = m->loading.tool.dev;
  p->slots.first = m->slot_first.dev, p->slots.value = m->slots.dev;
  m->fresh = true;
  IG_TRY(ig_dyn_residual_new(m));
  IG_TRY(tool_pull_new(m));
  /* checks that need the complete model: nodes inside tools, loads that nothing resists */
  IG_TRY(ig_dyn_tools_check(m));
  for (int i = 0; i < m->c->analysis.count; i++)
    IG_TRY(ig_dyn_free_check(m, IG_ITEM(const ig_dyn_analysis, m->c->analysis, i)));
  return IG_OK;
}

/* Builds the whole model, then divides it where the context has several ranks. */
ig_status ig_dyn_model_new(ig_ctx *cx, const ig_mesh *mesh, const ig_list *materials,
                           const ig_dyn_case *c, ig_precision precision, ig_assembly assembly,
                           ig_dyn_model **model) {
  ig_dyn_model *m = NULL;
  *model = NULL;
  IG_TRY(IG_NEW(cx, &m, 1, "model"));
  m->cx = cx;
  m->mesh = mesh;
  m->c = c;
  m->precision = precision;
  m->assembly = assembly;
  ig_status status = ig_dyn_part_whole(m);
  if (status == IG_OK)
    status = build(m, materials);
  if (status == IG_OK)
    status = ig_dyn_part_new(&m);
  if (status != IG_OK) {
    ig_dyn_model_free(m);
    return status;
  }
  *model = m;
  return IG_OK;
}

/* Traffic of a step for the performance lines: what must be moved at least, each number once. */
double ig_dyn_step_bytes(const ig_dyn_model *m) {
  const double part = (double)m->part, D = m->p.dofs, real = (double)ig_dyn_state_size(m),
               nodes = (double)ig_dyn_nodes_all(m);
  /* positions and velocities read and written, forces written by elements and read, mass */
  double bytes = nodes * part * (2 * 3 + 2 * D + 2 * D + 1);
  if (ig_dyn_joins(m)) { /* but for others, motion is read once and no force is seen in memory */
    const ig_dyn_group *g = &m->group[0];
    const double others = (double)m->others.count, places = (double)g->cluster.node.count;
    return nodes * part * (2 * 3 + 2 * D + 1) + others * (4 + part * (3 + D)) + 6 * places +
           (places - nodes + others) * (4 + 2 * D * part) +
           (double)g->whole * (2.0 * g->g_f64.states * real + 8.0 * g->g_f64.npe);
  }
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    const double npe = g->g_f64.npe;
    bytes += (double)g->whole * (2.0 * g->g_f64.states * real + 4 * npe);
    bytes += nodes * part * (3 + D); /* each particle's motion read once */
    if (m->assembly == IG_GATHER)
      bytes += (double)g->whole * npe * (4 + 2 * D * part);
    if (m->assembly == IG_CLUSTER)
      bytes += (double)g->cluster.node.count * (6 + 2 * D * part) + (double)g->whole * 4 * npe;
  }
  return bytes;
}
