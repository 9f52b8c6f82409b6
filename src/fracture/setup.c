/* From a job to a model that is ready to step. */
#include "fracture/fracture.h"

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
    if (isnan(m->young) || isnan(m->poisson) || m->density.count == 0)
      return ig_fail_at(cx, &m->at, "material '%s' lacks %s, which fracture needs", m->name,
                        isnan(m->young)     ? "young"
                        : isnan(m->poisson) ? "poisson"
                                            : "density");
    set->elastic[i] = ig_frac_elastic_of(m->young, m->poisson, m->density.y[0],
                                         job->mesh->dim == 2 && c->plane == 1);
  }
  return IG_OK;
}

/* The law of facets: what the case says, else what its first material does. */
static ig_status cohesive_read(ig_job *job, ig_cohesive *law) {
  const ig_frac_cohesive_case *z = &((const ig_frac_case *)job->room_case)->cohesive;
  const ig_material_case *m = IG_ITEM(const ig_material_case, *job->materials, 0);
  const double energy = isnan(z->energy) ? m->fracture_energy : z->energy;
  const double strength = isnan(z->strength) ? m->cohesive_strength : z->strength;
  if (isnan(energy) || isnan(strength))
    return ig_fail_at(job->cx, &z->at,
                      "cohesive: %s is missing: give it here, or the material's '%s'",
                      isnan(energy) ? "energy" : "strength",
                      isnan(energy) ? "fracture_energy" : "cohesive_strength");
  law->kind = z->law;
  law->phi_n = energy;
  law->phi_t = isnan(z->energy_shear) ? energy : z->energy_shear;
  law->sigma = strength;
  law->tau = isnan(z->strength_shear) ? strength : z->strength_shear;
  law->alpha = z->shape;
  law->beta = isnan(z->shape_shear) ? z->shape : z->shape_shear;
  law->friction = z->friction;
  law->rigid = z->contact == 1;
  return IG_OK;
}

/* Which material each element is made of: the one that names its set, else the one without a set.
 */
static ig_status materials_place(ig_job *job, ig_frac_model *m) {
  uint8_t *mat = ig_frac_model_host(m, "mat");
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < job->materials->count; i++) {
      const ig_material_case *c = IG_ITEM(const ig_material_case, *job->materials, i);
      if (pass == 0 && c->set.count == 0)
        memset(mat, i, (size_t)m->s.ne);
      for (int k = 0; pass == 1 && k < c->set.count; k++) {
        const ig_set *set = ig_mesh_find_set(job->mesh, c->set.value[k], IG_SET_ELEMENTS);
        if (!set)
          return ig_fail_at(job->cx, &c->at, "material '%s': the mesh has no element set '%s'",
                            c->name, c->set.value[k]);
        for (ig_lid e = 0; e < set->count; e++)
          mat[set->item[e]] = (uint8_t)i;
      }
    }
  return IG_OK;
}

static ig_status vector_read(ig_ctx *cx, const ig_src *at, const char *key, const ig_reals *r,
                             int dim, double out[3]) {
  memset(out, 0, 3 * sizeof *out);
  if (r->count != dim)
    return ig_fail_at(cx, at, "%s: %d numbers: expected %d", key, r->count, dim);
  memcpy(out, r->value, (size_t)dim * sizeof *out);
  return IG_OK;
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
  const int dim = m->shape.dim, want = dim == 2 ? 3 : 6;
  double center[3] = {0}, u0[3] = {0}, v0[3] = {0}, e[3][3] = {{0}};
  if (in->center.count)
    IG_TRY(vector_read(job->cx, &in->at, "initial.center", &in->center, dim, center));
  if (in->displacement.count)
    IG_TRY(vector_read(job->cx, &in->at, "initial.displacement", &in->displacement, dim, u0));
  if (in->velocity.count)
    IG_TRY(vector_read(job->cx, &in->at, "initial.velocity", &in->velocity, dim, v0));
  if (in->strain.count && in->strain.count != want)
    return ig_fail_at(job->cx, &in->at, "initial.strain: %d numbers: expected %d", in->strain.count,
                      want);
  for (int i = 0; in->strain.count && i < dim; i++)
    e[i][i] = in->strain.value[i];
  if (in->strain.count && dim == 2)
    e[0][1] = e[1][0] = in->strain.value[2];
  else if (in->strain.count)
    for (int i = 0; i < 3; i++)
      e[i][(i + 1) % 3] = e[(i + 1) % 3][i] = in->strain.value[3 + i];
  const double rate[2][2] = {{in->expansion, -in->spin}, {in->spin, in->expansion}};
  uint8_t *on;
  IG_TRY(initial_where(job, in, m, &on));
  void *u = ig_frac_model_host(m, "u"), *v = ig_frac_model_host(m, "v");
  const void *x = ig_frac_model_host(m, "x");
  for (int64_t n = 0; n < job->mesh->nodes; n++) {
    double r[3] = {0};
    if (on && !on[n])
      continue;
    for (int d = 0; d < dim; d++)
      r[d] = ig_frac_model_real(m, x, n * dim + d) - center[d];
    for (int i = 0; i < dim; i++) {
      const int64_t at = n * dim + i;
      const double away = i < 2 ? rate[i][0] * r[0] + rate[i][1] * r[1] : 0;
      ig_frac_model_put(m, v, at, ig_frac_model_real(m, v, at) + v0[i] + away);
      ig_frac_model_put(m, u, at,
                        ig_frac_model_real(m, u, at) + u0[i] + e[i][0] * r[0] + e[i][1] * r[1] +
                            e[i][2] * r[2]);
    }
  }
  free(on);
  return IG_OK;
}

static ig_status guide_set(ig_job *job, ig_frac_model *m, const ig_frac_motion_case *c,
                           int motion) {
  const int dim = m->shape.dim;
  const int from = c->direction == 3 ? 0 : c->direction, to = c->direction == 3 ? dim : from + 1;
  if (to > dim)
    return ig_fail_at(job->cx, &c->at, "direction z: this mesh is plane");
  const ig_set *nodes = ig_mesh_find_set(job->mesh, c->set, IG_SET_NODES);
  const ig_set *faces = nodes ? NULL : ig_mesh_find_set(job->mesh, c->set, IG_SET_FACES);
  if (!nodes && !faces)
    return ig_fail_at(job->cx, &c->at, "the mesh has no node or face set '%s'", c->set);
  const int32_t *conn = ig_frac_model_host(m, "conn");
  const ig_set *set = nodes ? nodes : faces;
  for (ig_lid i = 0; i < set->count; i++)
    for (int j = 0; j < (nodes ? 1 : m->shape.face_nodes); j++) {
      ig_lid n = set->item[i];
      if (faces) {
        const int f = ig_frac_face_of_mesh(m, faces->face[i]);
        n = conn[(int64_t)ig_frac_face_node(m->kind, f, j) * m->s.ne + faces->item[i]];
      }
      for (int d = from; d < to; d++)
        IG_TRY(ig_frac_model_guide(m, n, d, motion));
    }
  return IG_OK;
}

static ig_status motions_set(ig_job *job, const ig_frac_case *c, ig_frac_model *m) {
  for (int i = 0; i < c->motions.count; i++) {
    const ig_frac_motion_case *mo = IG_ITEM(const ig_frac_motion_case, c->motions, i);
    if (mo->velocity.count && mo->displacement.count)
      return ig_fail_at(job->cx, &mo->at, "velocity and displacement both given: take one");
    const double zero = 0;
    const ig_table *t = mo->displacement.count ? &mo->displacement : &mo->velocity;
    int id;
    IG_TRY(ig_frac_model_motion(m, mo->displacement.count ? IG_FRAC_DISPLACEMENT : IG_FRAC_VELOCITY,
                                t->count ? t->count : 1, t->count ? t->x : &zero,
                                t->count ? t->y : &zero, &id));
    IG_TRY(guide_set(job, m, mo, id));
  }
  return IG_OK;
}

static ig_status loads_set(ig_job *job, const ig_frac_case *c, ig_frac_model *m) {
  for (int i = 0; i < c->loads.count; i++) {
    const ig_frac_load_case *l = IG_ITEM(const ig_frac_load_case, c->loads, i);
    if (!l->pressure.count == !l->traction.count)
      return ig_fail_at(job->cx, &l->at, "a load has either pressure or traction");
    const ig_set *set = ig_mesh_find_set(job->mesh, l->set, IG_SET_FACES);
    if (!set)
      return ig_fail_at(job->cx, &l->at, "the mesh has no face set '%s'", l->set);
    const bool pressure = l->pressure.count;
    const ig_table *t = pressure ? &l->pressure : &l->traction;
    double way[3] = {0};
    if (!pressure)
      IG_TRY(vector_read(job->cx, &l->at, "direction", &l->direction, m->shape.dim, way));
    int id;
    IG_TRY(ig_frac_model_load(m, t->count, t->x, t->y, pressure, way, &id));
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
    IG_TRY(vector_read(job->cx, &k->at, "from", &k->from, dim, a));
    IG_TRY(vector_read(job->cx, &k->at, "to", &k->to, dim, b));
    if (dim == 3)
      IG_TRY(vector_read(job->cx, &k->at, "depth", &k->depth, dim, d));
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
                        "no facet of the mesh lies on this crack: it must run along element edges");
  }
  return IG_OK;
}

static double random_share(uint64_t *state) { /* -1 to 1 */
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Moves corners that are neither on the boundary nor on a crack; mid-sides follow, so that edges
   stay straight. */
static ig_status perturb(ig_job *job, const ig_frac_case *c, ig_frac_model *m) {
  const int dim = m->shape.dim, nc = m->shape.corners, nn = m->shape.nodes, nf = m->shape.faces;
  const int64_t ne = m->s.ne;
  const double amount = c->perturbation.at.given ? c->perturbation.amount : 0;
  if (!(amount > 0))
    return IG_OK;
  const int32_t *conn = ig_frac_model_host(m, "conn"), *opp = ig_frac_model_host(m, "opp");
  const uint8_t *mark = ig_frac_model_host(m, "mark");
  void *x = ig_frac_model_host(m, "x");
  double *edge; /* shortest at each corner; 0: stays */
  IG_TRY(IG_NEW(job->cx, &edge, m->nodes_start, "perturbation"));
  for (int64_t n = 0; n < m->nodes_start; n++)
    edge[n] = INFINITY;
  for (int64_t e = 0; e < ne; e++)
    for (int a = 0; a < nc; a++)
      for (int b = 0; b < a; b++) {
        const int32_t p = conn[a * ne + e], q = conn[b * ne + e];
        double l = 0;
        for (int d = 0; d < dim; d++) {
          const double r = job->mesh->x[3 * (int64_t)p + d] - job->mesh->x[3 * (int64_t)q + d];
          l += r * r;
        }
        edge[p] = fmin(edge[p], sqrt(l));
        edge[q] = fmin(edge[q], sqrt(l));
      }
  for (int64_t f = 0; f < m->shape.faces * ne; f++)
    if (opp[f] < 0 || mark[f])
      for (int j = 0; j < dim; j++)
        edge[conn[ig_frac_face_node(m->kind, (int)(f % nf), j) * ne + f / nf]] = 0;
  uint64_t state = (uint64_t)c->perturbation.seed;
  for (int64_t n = 0; n < m->nodes_start; n++) {
    double way[3], length = 0;
    do { /* a direction without preference, then a length */
      length = 0;
      for (int d = 0; d < dim; d++) {
        way[d] = random_share(&state);
        length += way[d] * way[d];
      }
    } while (length > 1 || length == 0);
    if (edge[n] > 0 && edge[n] < INFINITY)
      for (int d = 0; d < dim; d++)
        ig_frac_model_put(m, x, n * dim + d, job->mesh->x[3 * n + d] + amount * edge[n] * way[d]);
  }
  for (int64_t e = 0; nn > nc && e < ne; e++)
    for (int f = 0; f < m->shape.faces; f++)
      for (int j = dim; j < m->shape.face_nodes; j++) {
        const int32_t mid = conn[ig_frac_face_node(m->kind, f, j) * ne + e];
        const int32_t a = conn[ig_frac_face_node(m->kind, f, j - dim) * ne + e];
        const int32_t b = conn[ig_frac_face_node(m->kind, f, (j - dim + 1) % dim) * ne + e];
        for (int d = 0; d < dim; d++)
          ig_frac_model_put(m, x, (int64_t)mid * dim + d,
                            0.5 * (ig_frac_model_real(m, x, (int64_t)a * dim + d) +
                                   ig_frac_model_real(m, x, (int64_t)b * dim + d)));
      }
  free(edge);
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
                          .check_every = (int)c->time.check_every,
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
  IG_TRY(perturb(job, c, m));
  for (int i = 0; i < c->initial.count; i++)
    IG_TRY(initial_add(job, IG_ITEM(const ig_frac_initial_case, c->initial, i), m));
  IG_TRY(motions_set(job, c, m));
  IG_TRY(loads_set(job, c, m));
  IG_TRY(ig_frac_model_start(m));
  double critical;
  IG_TRY(ig_frac_model_critical(m, &critical));
  /* a corner alone in its element may come to hang on the springs of all its facets, each of which
     takes 1 / dt^2 of the 4 / dt^2 the update bears */
  const double bears = c->time.check_every ? sqrt(1 - 0.25 * m->shape.dim) : 1;
  const double dt = isnan(c->time.step) ? c->time.safety * critical : c->time.step;
  if (dt > bears * critical)
    return ig_fail_at(job->cx, &c->time.at,
                      "time.step: %.4g s is beyond the critical step, %.4g s%s", dt,
                      bears * critical, bears < 1 ? " with facets that may open" : "");
  ig_frac_model_set_step(m, dt);
  return c->cracks.count ? cracks_open(job, m) : IG_OK;
}
