/* From a job to a model that is ready to step.

   Order: settings and laws, tables, materials of elements, notches marked, initial fields,
   supports, loads, residual stress, probes; start (device); step; notches opened; clusters;
   balance of residual stress. Messages name the keys of the case. */
#include "fracture/engine/cracks.h"
#include "fracture/engine/tables.h"
#include "material/material.h"
#include "mesh/face_share.h"
#include "mesh/load_check.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elastic constants of each material; other laws are refused. */
static ig_status materials_read(ig_job *job, const ig_frac_case *c, ig_frac_settings *set) {
  ig_ctx *cx = job->cx;
  const int n = job->materials ? job->materials->count : 0;
  if (n < 1 || n > IG_FRAC_MATERIALS)
    return ig_fail_at(cx, &c->at, "materials: %d given: fracture takes 1 to %d", n,
                      IG_FRAC_MATERIALS);
  set->materials = n;
  for (int i = 0; i < n; i++) {
    const ig_material_case *m = IG_ITEM(const ig_material_case, *job->materials, i);
    IG_TRY(ig_material_require(cx, m, "young|poisson|density", "fracture"));
    if (m->law != IG_MATERIAL_AUTO && m->law != IG_MATERIAL_ELASTIC)
      return ig_fail_at(cx, &m->at, "material '%s': fracture knows law: elastic alone", m->name);
    set->elastic[i] = ig_frac_elastic_of(m->young, m->poisson, m->density.y[0],
                                         job->mesh->dim == 2 && c->plane == 1);
  }
  return IG_OK;
}

/* Each element is claimed by one material, by sets or as the rest. */
static ig_status materials_place(ig_job *job, ig_frac_model *m) {
  uint8_t *mat = ig_frac_model_host(m, "mat");
  int *owner;
  IG_TRY(IG_NEW(job->cx, &owner, m->s.ne, "materials"));
  const ig_status status =
      IG_CLAIM(job->cx, job->mesh, job->materials, ig_material_case, "material", owner);
  for (int e = 0; e < m->s.ne && status == IG_OK; e++)
    mat[e] = (uint8_t)owner[e];
  free(owner);
  return status;
}

/* u = u0 + e (x - about), v = v0 + expansion (x - about) (x and y) + spin x (x - about). Entries
   add up, sets may overlap. */
static ig_status initial_add(ig_job *job, const ig_frac_initial_case *in, ig_frac_model *m) {
  ig_ctx *cx = job->cx;
  const int dim = m->shape.dim, want = dim == 2 ? 3 : 6;
  double about[3], u0[3], v0[3], spin[3], e[3][3] = {{0}};
  IG_TRY(ig_axes_read(cx, &in->at, "about", in->about, dim, about));
  IG_TRY(ig_axes_read(cx, &in->at, "displacement", in->displacement, dim, u0));
  IG_TRY(ig_axes_read(cx, &in->at, "velocity", in->velocity, dim, v0));
  IG_TRY(ig_axes_read(cx, &in->at, "spin", in->spin, 3, spin));
  if (dim == 2 && (spin[0] != 0 || spin[1] != 0))
    return ig_fail_at(cx, &in->at, "`spin`: a plane mesh turns about z alone: [0, 0, %g]", spin[2]);
  if (in->strain.count && in->strain.count != want)
    return ig_fail_at(cx, &in->at, "`strain`: %d numbers: expected %d", in->strain.count, want);
  for (int i = 0; in->strain.count && i < dim; i++)
    e[i][i] = in->strain.value[i];
  if (in->strain.count && dim == 2)
    e[0][1] = e[1][0] = in->strain.value[2];
  else if (in->strain.count)
    for (int i = 0; i < 3; i++)
      e[i][(i + 1) % 3] = e[(i + 1) % 3][i] = in->strain.value[3 + i];
  ig_lid *node = NULL, count = job->mesh->nodes;
  if (in->set)
    IG_TRY(ig_mesh_named_nodes(cx, job->mesh, &in->at, in->set, &node, &count));
  void *u = ig_frac_model_host(m, "u"), *v = ig_frac_model_host(m, "v");
  const void *x = ig_frac_model_host(m, "x");
  for (ig_lid place = 0; place < count; place++) {
    const int64_t n = node ? node[place] : place;
    double r[3] = {0};
    for (int d = 0; d < dim; d++)
      r[d] = ig_frac_model_real(m, x, n * dim + d) - about[d];
    for (int i = 0; i < dim; i++) {
      const int64_t at = n * dim + i;
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const double away = (i < 2 ? in->expansion * r[i] : 0) + spin[j] * r[k] - spin[k] * r[j];
      ig_frac_model_put(m, v, at, ig_frac_model_real(m, v, at) + v0[i] + away);
      ig_frac_model_put(m, u, at,
                        ig_frac_model_real(m, u, at) + u0[i] + e[i][0] * r[0] + e[i][1] * r[1] +
                            e[i][2] * r[2]);
    }
  }
  free(node);
  return IG_OK;
}

/* Of nodes that two supports lead along d the later one counts: said where the two differ. */
static void others_warn(ig_job *job, const ig_support_case *support, const ig_lid *node,
                        ig_lid count, int d, const ig_frac_motion *now, const ig_frac_model *m) {
  for (ig_lid k = 0; k < count; k++) {
    const ig_frac_motion *was = ig_frac_model_led(m, node[k], d);
    if (!was || ig_led_same(&(ig_led){(ig_move)was->kind, was->value, was->history},
                            &(ig_led){(ig_move)now->kind, now->value, now->history}, &m->histories))
      continue;
    ig_warn_at(job->cx, &support->at,
               "nodes of '%s' are held or led along %c by another support too: this one counts "
               "there",
               support->set, 'x' + d);
    return;
  }
}

/* number: of the support in the case, by which programs scale it later; fixed components are
   shared by all supports (-1). */
static ig_status support_set(ig_job *job, const ig_support_case *support, int number,
                             ig_frac_model *m) {
  const int dim = m->shape.dim;
  ig_support_motion motion;
  ig_history history;
  ig_lid *node, count;
  IG_TRY(ig_support_read(job->cx, support, dim, &motion));
  IG_TRY(ig_support_holds(job->cx, support, &motion));
  IG_TRY(ig_histories_add(job->cx, &m->histories, &support->history, &history));
  IG_TRY(ig_mesh_named_nodes(job->cx, job->mesh, &support->at, support->set, &node, &count));
  ig_status status = IG_OK;
  for (int d = 0; status == IG_OK && d < dim; d++) {
    if (motion.kind[d] == IG_MOVE_FREE)
      continue;
    int id;
    const bool still = motion.kind[d] == IG_MOVE_FIXED;
    const ig_frac_motion now = {motion.kind[d], still ? (ig_history){0} : history, motion.scale[d],
                                motion.scale[d], still ? -1 : number};
    others_warn(job, support, node, count, d, &now, m);
    status = ig_frac_model_motion(m, &now, &id);
    for (ig_lid k = 0; status == IG_OK && k < count; k++)
      status = ig_frac_model_lead(m, node[k], d, id);
  }
  free(node);
  return status;
}

/* Pressure and traction on sides whose nodes supports hold or lead along them. */
static void held_warn(ig_job *job, const ig_frac_load_case *l, const ig_set *set,
                      const ig_frac_load *load, const ig_frac_model *m) {
  ig_load_reach reach = {0};
  for (ig_lid k = 0; k < set->count; k++) {
    ig_lid node[8];
    double x[3][3], normal[3];
    const int nodes = ig_mesh_face_nodes(job->mesh, set->item[k], set->face[k], node);
    for (int a = 0; a < m->shape.dim; a++)
      memcpy(x[a], job->mesh->x + 3 * (int64_t)node[a], sizeof x[a]);
    ig_load_normal(m->shape.dim, x, normal);
    for (int d = 0; d < 3; d++)
      normal[d] *= load->value[0];
    for (int a = 0; a < nodes; a++) {
      unsigned held = 0;
      for (int d = 0; d < m->shape.dim; d++)
        held |= ig_frac_model_led(m, node[a], d) ? 1u << d : 0;
      ig_load_reaches(&reach, load->pressure ? normal : load->value, m->shape.dim, held);
    }
  }
  ig_warn_held(job->cx, &l->at, &reach);
}

/* A face inside the mesh is refused with the message of the model and the place of the case. */
static ig_status loads_set(ig_job *job, const ig_frac_case *c, ig_frac_model *m) {
  for (int i = 0; i < c->loads.count; i++) {
    const ig_frac_load_case *l = IG_ITEM(const ig_frac_load_case, c->loads, i);
    if (isnan(l->pressure) == isnan(l->traction[0]))
      return ig_fail_at(job->cx, &l->at, "a load has either `pressure` or `traction`");
    const ig_set *set;
    IG_TRY(ig_mesh_named_set(job->cx, job->mesh, &l->at, l->set, IG_OF_FACES, &set));
    ig_frac_load load = {.pressure = !isnan(l->pressure)};
    IG_TRY(ig_axes_read(job->cx, &l->at, "traction", l->traction, m->shape.dim, load.value));
    if (load.pressure)
      load.value[0] = l->pressure;
    IG_TRY(ig_histories_add(job->cx, &m->histories, &l->history, &load.history));
    int id;
    IG_TRY(ig_frac_model_load(m, &load, &id));
    for (ig_lid k = 0; k < set->count; k++) {
      const ig_status status = ig_frac_model_load_face(m, set->item[k], set->face[k], id);
      if (status == IG_INPUT)
        return ig_fail_at(job->cx, &l->at, "set '%s': %s", l->set, ig_ctx_message(job->cx));
      IG_TRY(status);
    }
    held_warn(job, l, set, &load, m);
  }
  return IG_OK;
}

/* Keys of another law of facets, which would have no effect.
   A key that has no effect is an error, so that nobody believes in a scatter or a softening that
   is not there. */
static ig_status unused_check(ig_ctx *cx, const ig_frac_cohesive_case *z) {
  if (z->law != 0 && (z->shape != 2 || !isnan(z->shape_shear)))
    return ig_fail_at(cx, &z->at, "`shape` and `shape_shear` are for law: ppr");
  if (z->weibull == 0 && z->seed != 1)
    return ig_fail_at(cx, &z->at, "`seed` is that of the scatter of strength: give `weibull`");
  return IG_OK;
}

/* On failure the caller frees m. */
ig_status ig_frac_setup(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  const ig_frac_cohesive_case *z = &c->cohesive;
  ig_frac_settings set = {.precision = job->precision,
                          .assembly = job->assembly,
                          .thickness = c->thickness,
                          .check_every = (int)z->check_every,
                          .finite_rotation = c->rotation == 1,
                          .reserve = c->insertion.at.given,
                          .criterion = z->criterion,
                          .hold = z->initial_traction == 1,
                          .penalty = z->penalty,
                          .weibull = z->weibull,
                          .threshold = z->insertion_threshold,
                          .surface = c->surface_contact,
                          .seed = (uint64_t)z->seed};
  if (z->at.given)
    IG_TRY(unused_check(job->cx, z));
  if (job->precision == IG_MIXED)
    return ig_fail_at(job->cx, &c->at, "precision: fracture runs in single or double, not mixed");
  IG_TRY(materials_read(job, c, &set));
  IG_TRY(ig_frac_law_first(job, &set.law));
  const ig_status made = ig_frac_model_new(job->cx, job->mesh, &set, m);
  if (made == IG_INPUT)
    return ig_fail_at(job->cx, &c->at, "mesh: %s", ig_ctx_message(job->cx));
  IG_TRY(made);
  IG_TRY(materials_place(job, m));
  IG_TRY(ig_frac_laws_set(job, m));
  IG_TRY(ig_frac_cracks_mark(job, m));
  for (int i = 0; i < c->initial.count; i++)
    IG_TRY(initial_add(job, IG_ITEM(const ig_frac_initial_case, c->initial, i), m));
  for (int i = 0; i < c->supports.count; i++)
    IG_TRY(support_set(job, IG_ITEM(const ig_support_case, c->supports, i), i, m));
  IG_TRY(loads_set(job, c, m));
  IG_TRY(ig_frac_residual_read(job, m));
  IG_TRY(ig_frac_probes_open(job, m));
  IG_TRY(ig_frac_model_start(m));
  m->plane_strain = m->shape.dim == 2 && c->plane == 0;
  double bulk, critical;
  IG_TRY(ig_frac_model_critical(m, &bulk, &critical));
  const bool given = z->penalty > 0 && (z->check_every || c->cracks.count);
  const bool opens = z->check_every || given;
  /* a corner alone in its element may come to be supported by the springs of all its facets, each
     of which takes 1 / dt^2 of the 4 / dt^2 the update bears; contact of surfaces takes another 0.8
     / dt^2 (surface.inc: four pairs of a tenth, each at most twice that with its other side).
     Facets with a penalty that is given are in `critical`, and the damping of their contact takes a
     fifth of the step. */
  const double bears = sqrt(1 - 0.25 * (z->check_every && !given ? m->shape.dim : 0) -
                            (c->surface_contact ? 0.2 : 0));
  const double most = given ? fmin(bears * bulk, 0.8 * bears * critical) : bears * bulk;
  const double dt = !isnan(c->time_step) ? c->time_step
                    : given              ? fmin(c->safety * bulk, most)
                                         : c->safety * bulk;
  if (dt > most)
    return ig_fail_at(
        job->cx, &c->at, "%s: a step of %.4g s is beyond the critical one, %.4g s%s%s",
        isnan(c->time_step) ? "safety" : "time_step", dt, most,
        opens && c->surface_contact ? " with facets that may open and contact of surfaces"
        : opens                     ? " with facets that may open"
        : c->surface_contact        ? " with contact of surfaces"
                                    : "",
        given ? ": give a smaller one, or leave cohesive.penalty out" : "");
  if (dt < 0.999 * c->safety * bulk && isnan(c->time_step))
    ig_info(job->cx,
            "cohesive.penalty: facets of %.4g N/m^3 need a step of %.4g s, the bulk %.4g s",
            z->penalty, dt, c->safety * bulk);
  ig_frac_model_set_step(m, dt);
  if (c->cracks.count)
    IG_TRY(ig_frac_cracks_open(job, m));
  IG_TRY(ig_frac_patches_new(m));
  IG_TRY(ig_frac_residual_balance(job, m));
  m->nodes_cut = m->count.nodes;
  m->cohesive_cut = m->count.cohesive;
  return IG_OK;
}
