/* Stiffness of contact, from that of the elements. A layer of elements of height h under a
   surface has the stiffness E/h per area, its particles half of its mass: a particle of mass M
   gets the spring penalty E / (rho h^2) M, so that two surfaces that touch, each by its own
   particles, are penalty E/h per area together. Shells and lines have no height: the least
   altitude of their elements stands for it, and half of that, since their particles have the
   whole mass.

   Because springs are proportional to E / rho h^2, which is also the square of 1 / critical step
   of the elements, contact shortens the step by a factor that depends mainly on the penalty. */
#include "dynamics/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of an element: E / rho, volume (of shells and lines the squared height). */
typedef struct {
  double wave2, volume;
} layer;

/* Of a particle: mass, mean of wave^2 / height^2, and what it is weighed by; half thickness. */
typedef struct {
  double mass, rate, weight, offset, area;
} share;

/* As the case gives it, else 1 in dynamics and 10 in statics, where a long step is worth less
   than little penetration. */
double ig_dyn_penalty(const ig_dyn_model *m) {
  bool dynamic = false;
  for (int i = 0; i < m->c->analysis.count; i++)
    dynamic |= IG_ITEM(const ig_dyn_analysis, m->c->analysis, i)->kind == IG_ANALYSIS_DYNAMIC;
  if (m->c->contact.penalty > 0)
    return m->c->contact.penalty;
  return dynamic || m->c->analysis.count == 0 ? 1 : 10;
}

/* Least altitude of a shell element (2 A over the longest side; of a quadrilateral A over it),
   length of a line. */
static double height_of(int npe, const double *const *x) {
  double longest = 0, area = 0;
  for (int a = 0; a < npe; a++) {
    double d[3];
    ig_dyn_sub(x[(a + 1) % npe], x[a], d);
    longest = fmax(longest, sqrt(dot_f64(d, d)));
  }
  for (int a = 1; a + 1 < npe; a++) {
    double d[3], e[3], n[3];
    ig_dyn_sub(x[a], x[0], d);
    ig_dyn_sub(x[a + 1], x[0], e);
    cross_f64(d, e, n);
    area += sqrt(dot_f64(n, n)) / 2;
  }
  return npe == 2 ? longest : (npe == 3 ? 2 : 1) * area / longest;
}

/* Elements of a group: their layers; masses, offsets (weighed by mass) and of lines rates of
   their particles. */
static void group_look(const ig_dyn_model *m, const ig_dyn_group *g, layer *of, share *at) {
  const int npe = g->g_f64.npe, dim = ig_elem_info_get(g->type)->dim;
  const mech_f64 *mat = &g->g_f64.mat;
  const double half = dim == 2   ? 0.5 * g->g_f64.thickness
                      : dim == 1 ? sqrt(g->g_f64.area / 3.14159265358979323846)
                                 : 0;
  for (ig_lid s = 0; s < g->slots; s++) {
    const int32_t *conn = (const int32_t *)g->conn.host + (int64_t)s * npe;
    const double *x[IG_DYN_CORNERS];
    double mass, inertia;
    if (g->element[s] < 0)
      continue;
    for (int a = 0; a < npe; a++)
      x[a] = m->x0 + 3 * (int64_t)conn[a];
    ig_dyn_element_of[g->kind].size(g, m->c->inertia_scale, x, &mass, &inertia);
    const double height = dim < 3 ? height_of(npe, x) : 0;
    of[g->element[s]] =
        (layer){mat->young / mat->density, dim < 3 ? height * height : mass / mat->density};
    for (int a = 0; a < npe; a++) {
      share *to = &at[conn[a]];
      to->mass += ig_dyn_mass_share(g->kind, mass, a);
      if (dim == 3)
        continue;
      to->offset += half * mass;
      to->area += mass;
      if (dim == 1) { /* counts where there is no surface */
        /* 1e-9: any triangle at the particle outweighs its lines */
        to->rate += 1e-9 * mass * 0.5 * mat->young / (mat->density * height * height);
        to->weight += 1e-9 * mass;
      }
    }
  }
}

/* Rates of the particles of triangle k, weighed by its area. */
static void triangle_look(const ig_dyn_model *m, int64_t k, const layer *of, share *at) {
  const int32_t *t = m->contact.skin + 3 * k;
  ig_lid local, cut[4][3];
  const ig_lid e = m->contact.skin_owner[2 * k];
  const ig_block *b = ig_dyn_block_of(m->mesh, e, &local);
  double d[3], f[3], n[3], rate = 0.5 * of[e].wave2 / of[e].volume;
  ig_dyn_sub(m->x0 + 3 * (int64_t)t[1], m->x0 + 3 * (int64_t)t[0], d);
  ig_dyn_sub(m->x0 + 3 * (int64_t)t[2], m->x0 + 3 * (int64_t)t[0], f);
  cross_f64(d, f, n);
  const double area = sqrt(dot_f64(n, n)) / 2;
  const ig_elem_info *info = ig_elem_info_get(b->type);
  if (info->dim == 3) {
    const int cuts = ig_dyn_face_triangles(b, local, 0, cut);
    /* height of a tetrahedron over its face 3 V / A, of a prism V / A */
    const double height = (info->faces == 4 ? 3 : 1) * of[e].volume / (cuts * area);
    rate = of[e].wave2 / (height * height);
  }
  for (int i = 0; i < 3 && area > 0; i++) {
    at[t[i]].rate += area * rate;
    at[t[i]].weight += area;
  }
}

/* Where everything is rigid the case gives the step: springs of a fiftieth of what it bears (M /
   step^2). */
static double rate_borne(const ig_dyn_model *m) {
  double step = 0;
  for (int i = 0; i < m->c->analysis.count; i++)
    step = fmax(step, IG_ITEM(const ig_dyn_analysis, m->c->analysis, i)->time_step);
  return step > 0 ? 0.02 / (step * step) : 0;
}

/* Springs of all nodes. What moves with a body has no stiffness of its own: it gets that of the
   stiffest of the others, per mass. */
static void springs_put(const ig_dyn_model *m, const share *at, double *spring) {
  const int32_t *bound = m->carried.bound.host;
  const double penalty = ig_dyn_penalty(m);
  double most = 0;
  for (ig_lid n = 0; n < m->mesh->nodes; n++) {
    spring[n] = at[n].weight > 0 ? penalty * at[n].rate / at[n].weight * at[n].mass : 0;
    if (!(bound && bound[n] > 0) && at[n].mass > 0)
      most = fmax(most, spring[n] / at[n].mass);
  }
  if (!(most > 0))
    most = rate_borne(m);
  for (ig_lid n = 0; n < m->mesh->nodes && most > 0; n++)
    if (bound && bound[n] > 0)
      spring[n] = most * at[n].mass;
}

/* Springs and offsets of all nodes, and the gap: nearer than this, pairs are looked at. */
ig_status ig_dyn_springs_new(ig_dyn_model *m) {
  ig_ctx *cx = m->cx;
  ig_dyn_touching *t = &m->contact;
  const size_t nodes = (size_t)m->mesh->nodes;
  const double given = m->c->contact.thickness;
  layer *of = NULL;
  share *at = NULL;
  double widest = 0;
  ig_status status = IG_OK;
  IG_TRY(ig_array_new(cx, &t->spring, nodes, sizeof(double), "contact surfaces"));
  IG_TRY(ig_array_new(cx, &t->offset, nodes, sizeof(double), "contact surfaces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &of, ig_mesh_elements(m->mesh), "contact surfaces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &at, nodes, "contact surfaces"));
  for (int k = 0; k < m->groups; k++)
    group_look(m, &m->group[k], of, at);
  for (int64_t k = 0; k < t->skins; k++)
    triangle_look(m, k, of, at);
  springs_put(m, at, t->spring.host);
  for (size_t n = 0; n < nodes; n++) {
    double *offset = (double *)t->offset.host + n;
    *offset = given > 0 ? 0.5 * given : at[n].area > 0 ? at[n].offset / at[n].area : 0;
    widest = fmax(widest, *offset);
  }
  m->p.contact.gap = fmax(2 * widest, t->margin);
  IG_TRY_GOTO(status, done, ig_array_push(cx, &t->spring));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &t->offset));
done:
  free(of);
  free(at);
  return status;
}
