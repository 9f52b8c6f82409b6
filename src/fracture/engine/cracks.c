/* Lines and planes through the mesh: notches, and facets with laws of their own.

   A crack of a case is a segment, in space a parallelogram (segment and depth). Facets lie on it
   if all their corners do, to 1e-6 of its length: the mesh must have been made to fit. Marks are
   written on the host before the model starts, and are opened by the same passes as facets that
   break later. */
#include "fracture/engine/cracks.h"
#include "material/material.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point's place on a crack: 0 to 1 along it (and along its depth) and within reach of it.
   x = a + s (b - a) + t d: s and t by least squares (normal equations of two vectors), then the
   distance from that point. The ends are included, to `reach`. */
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

/* A line, drawn out along `depth` in space, as a case gives it. */
typedef struct {
  const ig_src *at;
  const double *from, *to, *depth;
  const char *what; /* "crack" */
} line;

/* Gives `value` to the facets inside the mesh that lie on a line, on both their sides if `both`.
   Of the two sides of an inner facet the lower element's is marked, since `mark` counts facets
   there; laws (`both`) need both sides. */
static ig_status line_mark(ig_job *job, ig_frac_model *m, line l, uint8_t value, bool both,
                           uint8_t *mark) {
  const int dim = m->shape.dim, nf = m->shape.faces;
  const int64_t ne = m->s.ne;
  const int32_t *opp = ig_frac_model_host(m, "opp"), *conn = ig_frac_model_host(m, "conn");
  double a[3], b[3], d[3] = {0};
  IG_TRY(ig_axes_read(job->cx, l.at, "from", l.from, dim, a));
  IG_TRY(ig_axes_read(job->cx, l.at, "to", l.to, dim, b));
  if (dim == 3 && isnan(l.depth[0]))
    return ig_fail_at(job->cx, l.at, "a %s in space has a `depth`", l.what);
  if (l.at->given && dim == 2 && !isnan(l.depth[0]))
    return ig_fail_at(job->cx, l.at, "a %s in the plane has no `depth`", l.what);
  if (dim == 3)
    IG_TRY(ig_axes_read(job->cx, l.at, "depth", l.depth, dim, d));
  const double length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                             (b[2] - a[2]) * (b[2] - a[2]));
  if (!(length > 0))
    return ig_fail_at(job->cx, l.at, "the %s has no length", l.what);
  int64_t found = 0;
  for (int64_t f = 0; f < nf * ne; f++) {
    if (opp[f] <= f / nf && !(both && opp[f] >= 0))
      continue;
    bool on = true;
    for (int j = 0; on && j < dim; j++) {
      const int32_t n = conn[ig_frac_face_node(m->kind, (int)(f % nf), j) * ne + f / nf];
      on = on_crack(job->mesh->x + 3 * (int64_t)n, a, b, d, dim, 1e-6 * length);
    }
    if (on)
      mark[f] = value;
    found += on;
  }
  if (!found)
    return ig_fail_at(job->cx, l.at,
                      "no facet of the mesh lies on this %s: it must run along element edges "
                      "(mesh.jitter.keep holds them where they are)",
                      l.what);
  return IG_OK;
}

/* Whether a node of the mesh is at this point, to a millionth of an edge, and not on the boundary.

   Decides whether the beginning of a notch is a second tip: a notch from the boundary has one
   tip, one within the body two. Any boundary facet at the node makes it one of the boundary. */
static bool is_inside(const ig_job *job, ig_frac_model *m, const double point[3]) {
  const int32_t *opp = ig_frac_model_host(m, "opp"), *conn = ig_frac_model_host(m, "conn");
  const int dim = m->shape.dim, nf = m->shape.faces;
  const int64_t ne = m->s.ne;
  bool found = false;
  for (int64_t f = 0; f < nf * ne; f++)
    for (int j = 0; j < dim; j++) {
      const int32_t n = conn[ig_frac_face_node(m->kind, (int)(f % nf), j) * ne + f / nf];
      const int32_t o =
          conn[ig_frac_face_node(m->kind, (int)(f % nf), (j + 1) % dim) * ne + f / nf];
      double r2 = 0, l2 = 0;
      for (int d = 0; d < dim; d++) {
        const double x = job->mesh->x[3 * (int64_t)n + d];
        const double r = x - (isnan(point[d]) ? 0 : point[d]);
        r2 += r * r;
        l2 += (x - job->mesh->x[3 * (int64_t)o + d]) * (x - job->mesh->x[3 * (int64_t)o + d]);
      }
      const bool here = r2 <= 1e-12 * l2;
      if (here && opp[f] < 0)
        return false;
      found = found || here;
    }
  return found;
}

/* Bits of inner_from are kept for the first 64 cracks. */
ig_status ig_frac_cracks_mark(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  uint8_t *mark = ig_frac_model_host(m, "mark");
  memset(mark, 0, (size_t)(m->shape.faces * (int64_t)m->s.ne));
  for (int i = 0; i < c->cracks.count; i++) {
    const ig_frac_crack_case *k = IG_ITEM(const ig_frac_crack_case, c->cracks, i);
    IG_TRY(line_mark(job, m, (line){&k->at, k->from, k->to, k->depth, "crack"},
                     k->closed ? IG_FRAC_BROKEN : IG_FRAC_CUT, false, mark));
    if (i < 64 && is_inside(job, m, k->from))
      m->inner_from |= UINT64_C(1) << i;
  }
  return IG_OK;
}

/* Two insertions: free notches (CUT), then closed ones (BROKEN). The marks are kept aside,
   because the device's copy has one kind at a time. */
ig_status ig_frac_cracks_open(ig_job *job, ig_frac_model *m) {
  uint8_t *mark = ig_frac_model_host(m, "mark");
  const size_t all = (size_t)m->shape.faces * (size_t)m->s.ne;
  uint8_t *kind;
  IG_TRY(IG_NEW(job->cx, &kind, all, "notches"));
  memcpy(kind, mark, all);
  ig_status status = IG_OK;
  for (int into = IG_FRAC_CUT; status == IG_OK && into <= IG_FRAC_BROKEN; into++) {
    for (size_t i = 0; i < all; i++)
      mark[i] = kind[i] == into;
    status = job->cx->backend->copy_in(job->cx, m->s.grow.mark, mark, all);
    if (status == IG_OK)
      status = ig_frac_model_insert(m, (ig_frac_opening)into);
  }
  free(kind);
  return status;
}

/* ---- laws of facets ---- */

/* Strengths and energies in mode I, and in mode II where they are given.
   given: fracture energies I and II (J/m^2), strengths I and II (Pa); 0: as mode I. */
static ig_cohesive law_of(const ig_frac_case *c, const double given[4]) {
  const ig_frac_cohesive_case *z = &c->cohesive;
  return (ig_cohesive){.kind = z->law,
                       .phi_n = given[0],
                       .phi_t = given[1] > 0 ? given[1] : given[0],
                       .sigma = given[2],
                       .tau = given[3] > 0 ? given[3] : given[2],
                       .alpha = z->shape,
                       .beta = isnan(z->shape_shear) ? z->shape : z->shape_shear,
                       .friction = z->friction,
                       .rigid = z->contact == 1};
}

/* A material without figures of its own has those of the first one.
   Missing figures fall back one by one to those of the first material, so that a second elastic
   material needs none. */
static ig_cohesive law_of_material(ig_job *job, int i) {
  const ig_material_case *m = IG_ITEM(const ig_material_case, *job->materials, i);
  const ig_material_case *first = IG_ITEM(const ig_material_case, *job->materials, 0);
  if (!(m->fracture_energy > 0) && !(m->cohesive_strength > 0))
    m = first;
  const double energy = m->fracture_energy > 0 ? m->fracture_energy : first->fracture_energy;
  const double strength =
      m->cohesive_strength > 0 ? m->cohesive_strength : first->cohesive_strength;
  return law_of(job->room_case,
                (double[]){energy, m->fracture_energy_shear, strength, m->cohesive_strength_shear});
}

/* The first material must have fracture_energy and cohesive_strength; others may leave them out. */
ig_status ig_frac_law_first(ig_job *job, ig_cohesive *law) {
  const ig_material_case *m = IG_ITEM(const ig_material_case, *job->materials, 0);
  IG_TRY(ig_material_require(job->cx, m, "fracture_energy|cohesive_strength", "fracture"));
  *law = law_of_material(job, 0);
  return IG_OK;
}

static ig_status material_place(ig_job *job, const ig_frac_interface_case *w, const char *name,
                                int *place) {
  const ig_material_case *m = ig_material_find(job->materials, name);
  if (!m)
    return ig_fail_at(job->cx, &w->at, "`between`: no material is called '%.60s'", name);
  *place = (int)(m - (const ig_material_case *)job->materials->items);
  return IG_OK;
}

/* The facets an interface names take its law. */
static ig_status interface_place(ig_job *job, ig_frac_model *m, const ig_frac_interface_case *w,
                                 uint8_t law, uint8_t *of) {
  const uint8_t *mat = ig_frac_model_host(m, "mat");
  const int32_t *opp = ig_frac_model_host(m, "opp");
  if (!isnan(w->from[0]) || !isnan(w->to[0]))
    return line_mark(job, m, (line){&w->at, w->from, w->to, w->depth, "weak plane"}, law, true, of);
  int a = 0, b = 0;
  IG_TRY(material_place(job, w, w->between.value[0], &a));
  IG_TRY(material_place(job, w, w->between.value[1], &b));
  int64_t found = 0;
  for (int64_t f = 0; f < (int64_t)m->shape.faces * m->s.ne; f++) {
    const int64_t e = f / m->shape.faces, o = opp[f];
    if (o < 0 || !((mat[e] == a && mat[o] == b) || (mat[e] == b && mat[o] == a)))
      continue;
    of[f] = law;
    found++;
  }
  if (!found)
    return ig_fail_at(job->cx, &w->at, "no facet lies between '%.60s' and '%.60s'",
                      w->between.value[0], w->between.value[1]);
  return IG_OK;
}

/* Exactly one of the two ways to name facets. */
static ig_status interface_check(ig_job *job, const ig_frac_interface_case *w) {
  const bool plane = !isnan(w->from[0]) || !isnan(w->to[0]);
  if (plane == (w->between.count > 0) || (!plane && w->between.count != 2))
    return ig_fail_at(
        job->cx, &w->at,
        "an interface is either `between` two materials, [a, b], or a weak plane with "
        "`from` and `to`");
  return IG_OK;
}

/* One law for all is the usual case and needs no table per facet. Between two materials the
   weaker one decides, unless an interface is given. Indices: materials first, then interfaces. */
ig_status ig_frac_laws_set(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  ig_cohesive law[IG_FRAC_LAWS];
  const int materials = job->materials->count, n = materials + c->interfaces.count;
  bool several = c->interfaces.count > 0;
  if (n > IG_FRAC_LAWS)
    return ig_fail_at(job->cx, &c->at, "interfaces: more than %d laws with those of materials",
                      IG_FRAC_LAWS);
  for (int i = 0; i < materials; i++) {
    law[i] = law_of_material(job, i);
    several = several || law[i].sigma != law[0].sigma || law[i].tau != law[0].tau ||
              law[i].phi_n != law[0].phi_n || law[i].phi_t != law[0].phi_t;
  }
  if (!several)
    return IG_OK;
  for (int i = 0; i < c->interfaces.count; i++) {
    const ig_frac_interface_case *w = IG_ITEM(const ig_frac_interface_case, c->interfaces, i);
    IG_TRY(interface_check(job, w));
    law[materials + i] = law_of(c, (double[]){w->fracture_energy, w->fracture_energy_shear,
                                              w->cohesive_strength, w->cohesive_strength_shear});
  }
  IG_TRY(ig_frac_model_laws(m, law, n));
  const uint8_t *mat = ig_frac_model_host(m, "mat");
  const int32_t *opp = ig_frac_model_host(m, "opp");
  uint8_t *of = ig_frac_model_host(m, "facet_law");
  for (int64_t f = 0; f < (int64_t)m->shape.faces * m->s.ne; f++) {
    const int64_t e = f / m->shape.faces, o = opp[f] < 0 ? e : opp[f];
    const int lower = mat[e] < mat[o] ? mat[e] : mat[o], upper = mat[e] < mat[o] ? mat[o] : mat[e];
    of[f] = (uint8_t)(law[upper].sigma < law[lower].sigma ? upper : lower);
  }
  for (int i = 0; i < c->interfaces.count; i++)
    IG_TRY(interface_place(job, m, IG_ITEM(const ig_frac_interface_case, c->interfaces, i),
                           (uint8_t)(materials + i), of));
  return IG_OK;
}
