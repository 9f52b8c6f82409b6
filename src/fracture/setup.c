/* From a job to a model that is ready to step. */
#include "fracture/run.h"
#include "material/material.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    set->elastic[i] = ig_frac_elastic_of(m->young, m->poisson, m->density.y[0],
                                         job->mesh->dim == 2 && c->plane == 1);
  }
  return IG_OK;
}

/* The law of facets is the first material's; another may only repeat it. */
static ig_status cohesive_read(ig_job *job, ig_cohesive *law) {
  const ig_frac_cohesive_case *z = &((const ig_frac_case *)job->room_case)->cohesive;
  const ig_material_case *m = IG_ITEM(const ig_material_case, *job->materials, 0);
  IG_TRY(ig_material_require(job->cx, m, "fracture_energy|cohesive_strength", "fracture"));
  for (int i = 1; i < job->materials->count; i++) {
    const ig_material_case *o = IG_ITEM(const ig_material_case, *job->materials, i);
    if ((o->fracture_energy > 0 && o->fracture_energy != m->fracture_energy) ||
        (o->cohesive_strength > 0 && o->cohesive_strength != m->cohesive_strength))
      return ig_fail_at(job->cx, &o->at,
                        "material '%.60s' has its own fracture_energy or cohesive_strength: all "
                        "facets open by those of the first material, '%.60s'",
                        o->name, m->name);
  }
  law->kind = z->law;
  law->phi_n = m->fracture_energy;
  law->phi_t = m->fracture_energy_shear > 0 ? m->fracture_energy_shear : m->fracture_energy;
  law->sigma = m->cohesive_strength;
  law->tau = m->cohesive_strength_shear > 0 ? m->cohesive_strength_shear : m->cohesive_strength;
  law->alpha = z->shape;
  law->beta = isnan(z->shape_shear) ? z->shape : z->shape_shear;
  law->friction = z->friction;
  law->rigid = z->contact == 1;
  return IG_OK;
}

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

/* Which nodes an entry holds for: NULL for all, else a flag a node, to be freed. */
static ig_status initial_where(ig_job *job, const ig_frac_initial_case *in, ig_frac_model *m,
                               uint8_t **on) {
  *on = NULL;
  if (!in->set)
    return IG_OK;
  const ig_set *nodes = ig_mesh_find_set(job->mesh, in->set, IG_SET_NODES);
  const ig_set *elements = nodes ? NULL : ig_mesh_find_set(job->mesh, in->set, IG_SET_ELEMENTS);
  if (!nodes && !elements)
    return ig_fail_at(job->cx, &in->at, "the mesh has no node or element set '%s'", in->set);
  IG_TRY(IG_NEW(job->cx, on, job->mesh->nodes, "initial state"));
  const int32_t *conn = ig_frac_model_host(m, "conn");
  for (ig_lid i = 0; nodes && i < nodes->count; i++)
    (*on)[nodes->item[i]] = 1;
  for (ig_lid i = 0; elements && i < elements->count; i++)
    for (int a = 0; a < m->shape.nodes; a++)
      (*on)[conn[(int64_t)a * m->s.ne + elements->item[i]]] = 1;
  return IG_OK;
}

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
  uint8_t *on;
  IG_TRY(initial_where(job, in, m, &on));
  void *u = ig_frac_model_host(m, "u"), *v = ig_frac_model_host(m, "v");
  const void *x = ig_frac_model_host(m, "x");
  for (int64_t n = 0; n < job->mesh->nodes; n++) {
    double r[3] = {0};
    if (on && !on[n])
      continue;
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
  free(on);
  return IG_OK;
}

static ig_status supports_set(ig_job *job, const ig_frac_case *c, ig_frac_model *m) {
  const int dim = m->shape.dim;
  for (int i = 0; i < c->supports.count; i++) {
    const ig_support_case *support = IG_ITEM(const ig_support_case, c->supports, i);
    const ig_set *set = ig_mesh_find_set(job->mesh, support->set, IG_SET_NODES);
    if (!set)
      return ig_fail_at(job->cx, &support->at, "the mesh has no node set '%s'", support->set);
    ig_support_motion motion;
    ig_history history;
    IG_TRY(ig_support_read(job->cx, support, dim, &motion));
    IG_TRY(ig_histories_add(job->cx, &m->histories, &support->history, &history));
    bool any = false;
    for (int d = 0; d < dim; d++) {
      if (motion.kind[d] == IG_MOVE_FREE)
        continue;
      any = true;
      int id;
      const bool still = motion.kind[d] == IG_MOVE_FIXED;
      IG_TRY(ig_frac_model_motion(
          m, &(ig_frac_motion){motion.kind[d], still ? (ig_history){0} : history, motion.scale[d]},
          &id));
      for (ig_lid k = 0; k < set->count; k++)
        IG_TRY(ig_frac_model_lead(m, set->item[k], d, id));
    }
    if (!any)
      return ig_fail_at(job->cx, &support->at,
                        "this support holds nothing: give `fix` or a motion, `velocity` say");
  }
  return IG_OK;
}

static ig_status loads_set(ig_job *job, const ig_frac_case *c, ig_frac_model *m) {
  for (int i = 0; i < c->loads.count; i++) {
    const ig_frac_load_case *l = IG_ITEM(const ig_frac_load_case, c->loads, i);
    if (isnan(l->pressure) == isnan(l->traction[0]))
      return ig_fail_at(job->cx, &l->at, "a load has either `pressure` or `traction`");
    const ig_set *set = ig_mesh_find_set(job->mesh, l->set, IG_SET_FACES);
    if (!set)
      return ig_fail_at(job->cx, &l->at, "the mesh has no face set '%s'", l->set);
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
  }
  return IG_OK;
}

/* A point's place on a crack: 0 to 1 along it (and along its depth) and within reach of it. */
static bool on_crack(const double x[3], const double a[3], const double b[3], const double d[3],
                     int dim, double reach) {
  double e1[3], w[3], e1e1 = 0, we1 = 0, e2e2 = 0, we2 = 0, e12 = 0;
  for (int k = 0; k < 3; k++) {
    e1[k] = b[k] - a[k];
    w[k] = x[k] - a[k];
    e1e1 += e1[k] * e1[k];
    we1 += w[k] * e1[k];
    e2e2 += d[k] * d[k];
    we2 += w[k] * d[k];
    e12 += e1[k] * d[k];
  }
  double s, t = 0;
  if (dim == 2 || e2e2 == 0)
    s = we1 / e1e1;
  else {
    const double det = e1e1 * e2e2 - e12 * e12;
    s = (we1 * e2e2 - we2 * e12) / det;
    t = (we2 * e1e1 - we1 * e12) / det;
  }
  double off = 0;
  for (int k = 0; k < 3; k++) {
    const double r = w[k] - s * e1[k] - t * d[k];
    off += r * r;
  }
  const double slack_s = reach / sqrt(e1e1), slack_t = e2e2 > 0 ? reach / sqrt(e2e2) : 1;
  return off <= reach * reach && s >= -slack_s && s <= 1 + slack_s && t >= -slack_t &&
         t <= 1 + slack_t;
}

/* Marks the facets that lie on the cracks. */
static ig_status cracks_mark(ig_job *job, const ig_frac_case *c, ig_frac_model *m) {
  const int dim = m->shape.dim, nf = m->shape.faces;
  const int64_t ne = m->s.ne;
  uint8_t *mark = ig_frac_model_host(m, "mark");
  const int32_t *opp = ig_frac_model_host(m, "opp"), *conn = ig_frac_model_host(m, "conn");
  memset(mark, 0, (size_t)(m->shape.faces * ne));
  for (int i = 0; i < c->cracks.count; i++) {
    const ig_frac_crack_case *k = IG_ITEM(const ig_frac_crack_case, c->cracks, i);
    double a[3], b[3], d[3] = {0};
    IG_TRY(ig_axes_read(job->cx, &k->at, "from", k->from, dim, a));
    IG_TRY(ig_axes_read(job->cx, &k->at, "to", k->to, dim, b));
    if (dim == 3 && isnan(k->depth[0]))
      return ig_fail_at(job->cx, &k->at, "a crack in space has a `depth`");
    if (dim == 3)
      IG_TRY(ig_axes_read(job->cx, &k->at, "depth", k->depth, dim, d));
    const double length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                               (b[2] - a[2]) * (b[2] - a[2]));
    if (!(length > 0))
      return ig_fail_at(job->cx, &k->at, "the crack has no length");
    int64_t found = 0;
    for (int64_t f = 0; f < m->shape.faces * ne; f++) {
      if (opp[f] <= f / nf)
        continue;
      bool on = true;
      for (int j = 0; on && j < dim; j++) {
        const int32_t n = conn[ig_frac_face_node(m->kind, (int)(f % nf), j) * ne + f / nf];
        on = on_crack(job->mesh->x + 3 * (int64_t)n, a, b, d, dim, 1e-6 * length);
      }
      if (on)
        mark[f] = k->closed ? IG_FRAC_BROKEN : IG_FRAC_CUT;
      found += on;
    }
    if (!found)
      return ig_fail_at(job->cx, &k->at,
                        "no facet of the mesh lies on this crack: it must run along element edges "
                        "(mesh.jitter.keep holds them where they are)");
  }
  return IG_OK;
}

/* Free notches, then those whose sides keep contact. */
static ig_status cracks_open(ig_job *job, ig_frac_model *m) {
  uint8_t *mark = ig_frac_model_host(m, "mark");
  const size_t all = (size_t)m->shape.faces * (size_t)m->s.ne;
  uint8_t *kind;
  IG_TRY(IG_NEW(job->cx, &kind, all, "notches"));
  memcpy(kind, mark, all);
  ig_status status = IG_OK;
  for (int into = IG_FRAC_CUT; status == IG_OK && into <= IG_FRAC_BROKEN; into++) {
    for (size_t i = 0; i < all; i++)
      mark[i] = kind[i] == into;
    status = job->cx->backend->copy_in(job->cx, m->s.mark, mark, all);
    if (status == IG_OK)
      status = ig_frac_model_insert(m, (ig_frac_opening)into);
  }
  free(kind);
  return status;
}

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
                          .hold = z->start == 1,
                          .penalty = z->penalty,
                          .weibull = z->weibull,
                          .seed = (uint64_t)z->seed};
  if (job->precision == IG_MIXED)
    return ig_fail_at(job->cx, &c->at, "precision: fracture runs in single or double, not mixed");
  IG_TRY(materials_read(job, c, &set));
  IG_TRY(cohesive_read(job, &set.law));
  IG_TRY(ig_frac_model_new(job->cx, job->mesh, &set, m));
  IG_TRY(materials_place(job, m));
  IG_TRY(cracks_mark(job, c, m));
  for (int i = 0; i < c->initial.count; i++)
    IG_TRY(initial_add(job, IG_ITEM(const ig_frac_initial_case, c->initial, i), m));
  IG_TRY(supports_set(job, c, m));
  IG_TRY(loads_set(job, c, m));
  IG_TRY(ig_frac_model_start(m));
  double critical;
  IG_TRY(ig_frac_model_critical(m, &critical));
  /* a corner alone in its element may come to hang on the springs of all its facets, each of which
     takes 1 / dt^2 of the 4 / dt^2 the update bears */
  const double bears = z->check_every ? sqrt(1 - 0.25 * m->shape.dim) : 1;
  const double dt = isnan(c->time_step) ? c->safety * critical : c->time_step;
  if (dt > bears * critical)
    return ig_fail_at(job->cx, &c->at, "%s: a step of %.4g s is beyond the critical one, %.4g s%s",
                      isnan(c->time_step) ? "safety" : "time_step", dt, bears * critical,
                      bears < 1 ? " with facets that may open" : "");
  ig_frac_model_set_step(m, dt);
  return c->cracks.count ? cracks_open(job, m) : IG_OK;
}
