/* Solids of static analyses: elements of solid/ within the dynamics room; see solids.h.
   Functions do nothing in models without them. */
#include "dynamics/model/solids.h"
#include "dynamics/model/model.h"
#include "backend/backend.h"
#include "core/threads.h"
#include "kern/fault.h"
#include "mesh/topology.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether all analyses solve equations (static by Newton's method, frequencies, buckling), on one
   rank: explicit steps know other elements. */
static bool implicit_alone(const ig_dyn_model *m) {
  for (int i = 0; i < m->c->analysis.count; i++) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, m->c->analysis, i);
    if (a->kind == IG_ANALYSIS_DYNAMIC || ig_dyn_method_of(m, a) == IG_STATIC_RELAXATION)
      return false;
  }
  return m->c->analysis.count > 0 && ig_ranks_count(m->cx->ranks) == 1;
}

/* By element type, integration and law. `only`: elements that exist here alone, so that other
   analyses are an error; `fits`: the integration exists for the type. TET10 with bbar or single
   is passed on to the model's own groups. */
ig_status ig_dyn_solid_kind(const ig_dyn_model *m, const ig_dyn_section *s,
                            const ig_material_case *mat, ig_elem_type type, int law,
                            ig_solid_kind *kind, bool *solid) {
  static const char *const integration[] = {"auto",   "bbar",         "full",
                                            "single", "incompatible", "reduced"};
  const char *name = ig_elem_info_get(type)->name;
  const int way = s->integration;
  const bool statics = implicit_alone(m) && !m->c->residual.at.given;
  const bool known =
      law == IG_LAW_ELASTIC || law == IG_LAW_J2 || law == IG_LAW_TABLE || law == IG_LAW_NEOHOOKE;
  const bool other = way == IG_INTEGRATE_BBAR || way == IG_INTEGRATE_SINGLE;
  bool only = false, fits = true; /* only: these elements exist here alone */
  *solid = false;
  switch (type) {
  case IG_HEX8:
    only = way == IG_INTEGRATE_INCOMPATIBLE;
    fits = way != IG_INTEGRATE_REDUCED;
    *solid = only || (way == IG_INTEGRATE_AUTO && statics && known);
    *kind = IG_SOLID_HEX8_INCOMPATIBLE;
    break;
  case IG_TET10:
    fits = !other && way != IG_INTEGRATE_INCOMPATIBLE && way != IG_INTEGRATE_REDUCED;
    *solid = statics && known;
    *kind = IG_SOLID_TET10;
    break;
  case IG_HEX20:
    only = *solid = true;
    fits = !other && way != IG_INTEGRATE_INCOMPATIBLE;
    *kind = way == IG_INTEGRATE_FULL ? IG_SOLID_HEX20 : IG_SOLID_HEX20_REDUCED;
    break;
  case IG_WEDGE6:
  case IG_WEDGE15:
    only = *solid = true;
    fits = way == IG_INTEGRATE_AUTO || way == IG_INTEGRATE_FULL;
    *kind = type == IG_WEDGE6 ? IG_SOLID_WEDGE6 : IG_SOLID_WEDGE15;
    break;
  default:
    return IG_OK;
  }
  if (!fits && !(type == IG_TET10 && other))
    return ig_fail_at(m->cx, &s->at, "`integration: %s` is none of %s elements", integration[way],
                      name);
  if (only && !statics)
    return ig_fail_at(
        m->cx, s->at.given ? &s->at : &m->c->at,
        "%s%s elements are for static analyses by Newton's method, frequencies and buckling "
        "alone (one rank, no `residual`): %s",
        name, type == IG_HEX8 ? " incompatible" : "",
        type == IG_HEX8    ? "leave `integration` out"
        : type == IG_HEX20 ? "take hex8 or tet10, or `mesh: {corners: true}`"
                           : "take hexahedra or tetrahedra");
  if (only && !known)
    return ig_fail_at(m->cx, &mat->at,
                      "the law of material '%s' is not there for %s elements of this kind: `law: "
                      "plastic` takes its yield stress and hardening alone, `law: elastic` neither",
                      mat->name, name);
  return IG_OK;
}

/* Created with the first group. x starts as drawn; factors of loads are 1. */
static ig_status solids_new(ig_dyn_model *m) {
  const size_t nodes = (size_t)m->mesh->nodes + 1;
  IG_TRY(IG_NEW(m->cx, &m->solids, 1, "solids"));
  IG_TRY(IG_NEW(m->cx, &m->solids->x, 3 * nodes, "solids"));
  IG_TRY(IG_NEW(m->cx, &m->solids->mine, (size_t)ig_mesh_elements(m->mesh) + 1, "solids"));
  IG_TRY(IG_NEW(m->cx, &m->solids->factor, (size_t)m->c->loads.count + 1, "solids"));
  for (int i = 0; i < m->c->loads.count; i++)
    m->solids->factor[i] = 1;
  memcpy(m->solids->x, m->x0, 3 * (size_t)m->mesh->nodes * sizeof(double));
  return IG_OK;
}

/* A group of elements with large-strain kinematics (l.large). `list` has their numbers in the
   mesh; all is copied. */
ig_status ig_dyn_solids_add(ig_dyn_model *m, ig_solid_kind kind, const mech_f64 *mat, int law,
                            const ig_lid *list, ig_lid count) {
  const int npe = ig_solid_info_get(kind)->nodes;
  ig_solid_law l = ig_solid_isotropic(mat->young, mat->poisson, 0);
  l.law = law;
  l.large = true;
  l.yield = mat->yield;
  l.hardening = mat->hardening;
  l.rows = mat->rows;
  memcpy(l.strain, mat->strain, sizeof l.strain);
  memcpy(l.stress, mat->stress, sizeof l.stress);
  if (!m->solids)
    IG_TRY(solids_new(m));
  ig_dyn_solids *all = m->solids;
  IG_TRY(IG_MORE(m->cx, &all->item, (size_t)all->count, "solids"));
  ig_dyn_solid *to = &all->item[all->count++];
  memset(to, 0, sizeof *to);
  to->density = mat->density;
  IG_TRY(IG_NEW(m->cx, &to->element, (size_t)count + 1, "solids"));
  memcpy(to->element, list, (size_t)count * sizeof *list);
  int32_t *node;
  IG_TRY(IG_NEW(m->cx, &node, (size_t)count * (size_t)npe + 1, "solids"));
  for (ig_lid i = 0; i < count; i++) {
    ig_lid local;
    const ig_block *b = ig_dyn_block_of(m->mesh, list[i], &local);
    memcpy(node + (int64_t)i * npe, b->conn + (int64_t)local * npe, (size_t)npe * sizeof *node);
    all->mine[list[i]] = 1;
  }
  const ig_status status = ig_solid_group_new(m->cx, kind, &l, count, node, 3, &to->g);
  free(node);
  IG_TRY(status);
  for (int i = 0; i < all->count; i++) { /* `item` may have moved */
    all->item[i].g.start = m->x0;
    all->item[i].g.trial = all->x;
  }
  IG_TRY(ig_array_from(m->cx, &to->ids, list, (size_t)count, sizeof *list, "solids"));
  return ig_array_new(m->cx, &to->report, (size_t)count * IG_DYN_REPORT, sizeof(double), "solids");
}

/* Frees groups, faces and lists; m->solids is NULL afterwards. */
void ig_dyn_solids_free(ig_dyn_model *m) {
  ig_dyn_solids *all = m->solids;
  if (!all)
    return;
  for (int i = 0; i < all->count; i++) {
    ig_solid_group_free(&all->item[i].g);
    ig_array_free(m->cx, &all->item[i].ids);
    ig_array_free(m->cx, &all->item[i].report);
    free(all->item[i].element);
  }
  ig_solid_faces_free(&all->faces);
  free(all->item);
  free(all->x);
  free(all->mine);
  free(all->press);
  free(all->factor);
  free(all);
  m->solids = NULL;
}

/* Whether an element of the mesh is computed here and not by the model's groups. */
bool ig_dyn_solid_has(const ig_dyn_model *m, ig_lid element) {
  return m->solids && m->solids->mine[element];
}

/* Whether some law of theirs has a history. */
bool ig_dyn_solids_yield(const ig_dyn_model *m) {
  for (int i = 0; m->solids && i < m->solids->count; i++)
    if (ig_solid_states(IG_SOLID_TET4, m->solids->item[i].g.law.law) > 0)
      return true;
  return false;
}

/* --- masses and loads */

/* Masses by the diagonal of the consistent matrix, weights by its row sums: the former must be
   positive, the latter give exact resultants of gravity. */
ig_status ig_dyn_solids_masses(ig_dyn_model *m) {
  for (int k = 0; m->solids && k < m->solids->count; k++) {
    const ig_dyn_solid *s = &m->solids->item[k];
    const int npe = ig_solid_info_get(s->g.kind)->nodes;
    for (int32_t e = 0; e < s->g.count; e++) {
      double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], lumped[IG_SOLID_NODES],
          weight[IG_SOLID_NODES];
      ig_solid_group_gather(&s->g, e, X, u, NULL);
      const double volume = ig_solid_weights(s->g.kind, NULL, X, weight);
      if (!(volume > 0))
        return IG_FAIL(m->cx, IG_NUMERIC, "element %d is inverted or flat", s->element[e]);
      ig_solid_lumped(s->g.kind, X, lumped);
      m->weight.total += s->density * volume;
      for (int a = 0; a < npe; a++) {
        const int32_t n = s->g.node[(int64_t)e * npe + a];
        m->weight.mass[n] += s->density * lumped[a];
        m->weight.heavy[n] += s->density * weight[a];
      }
    }
  }
  return IG_OK;
}

/* The nodes of a face, corners first. Triangular faces, which the tables of wedges list with a
   repeated corner, become triangles. */
static ig_solid_face face_of(const ig_dyn_model *m, ig_lid element, int face) {
  /* of an 8-node face with two corners in one: a triangle with its mid-sides */
  static const int triangle[6] = {0, 1, 2, 4, 5, 7};
  ig_lid local;
  const ig_block *b = ig_dyn_block_of(m->mesh, element, &local);
  const ig_elem_info *info = ig_elem_info_get(b->type);
  const ig_lid *conn = b->conn + (int64_t)local * info->nodes;
  const int *side = ig_elem_face(b->type, face);
  ig_solid_face to = {.nodes = info->face_nodes};
  if (ig_elem_face_distinct(b->type, face) == 3)
    to.nodes = info->face_nodes > 4 ? 6 : 3;
  for (int a = 0; a < to.nodes; a++)
    to.node[a] = conn[side[info->face_nodes == 8 && to.nodes == 6 ? triangle[a] : a]];
  return to;
}

/* Pressures become faces of the engine when an analysis begins (statics_loads.c). */
ig_status ig_dyn_solids_press(ig_dyn_model *m, ig_lid element, int face, double pressure,
                              ig_history history, int load) {
  ig_dyn_solids *all = m->solids;
  IG_TRY(
      ig_more(m->cx, (void **)&all->press, (size_t)all->pressed, sizeof *all->press, "pressures"));
  all->press[all->pressed].history = history;
  all->press[all->pressed].load = load;
  all->press[all->pressed].face = face_of(m, element, face);
  all->press[all->pressed++].face.pressure = pressure;
  return IG_OK;
}

/* Factor of a load, for pressures here; other loads are scaled in fields.c. */
void ig_dyn_solids_load(ig_dyn_model *m, int load, double factor) {
  if (m->solids)
    m->solids->factor[load] = factor;
}

/* Pressure of face i at a time, Pa, with its factor. */
static double pressure_at(const ig_dyn_model *m, int32_t i, double time) {
  const ig_dyn_solids *all = m->solids;
  return all->press[i].face.pressure * all->factor[all->press[i].load] *
         ig_history_at(all->press[i].history, m->held.history_x.host, m->held.history_y.host, time);
}

/* Of all faces; positions do not enter yet. */
void ig_dyn_solids_pressures(ig_dyn_model *m, double time) {
  ig_dyn_solids *all = m->solids;
  for (int32_t i = 0; all && i < all->faces.count; i++)
    all->faces.face[i].pressure = pressure_at(m, i, time);
}

/* What pressures push at a time and the accepted positions, without the faces of statics, which a
   run that was restored at its end never makes. */
void ig_dyn_solids_pushed(const ig_dyn_model *m, double time, bool at_nodes, double *sum) {
  const ig_dyn_solids *all = m->solids;
  for (int32_t i = 0; all && i < all->pressed; i++) {
    const ig_solid_face *f = &all->press[i].face;
    double x[24], push[24] = {0};
    for (int k = 0; k < 3 * f->nodes; k++)
      x[k] = all->x[3 * (int64_t)f->node[k / 3] + k % 3];
    ig_solid_pressure(f->nodes, x, pressure_at(m, i, time), push, NULL, false);
    for (int k = 0; k < 3 * f->nodes; k++)
      sum[(at_nodes ? 3 * (int64_t)f->node[k / 3] : 0) + k % 3] += push[k];
  }
}

/* --- what they report */

/* Element e where the model stands. One that cannot be evaluated (inverted) reports zeros:
   output must not fail. */
static void report_one(const ig_dyn_model *m, const ig_dyn_solid *s, int32_t e, double *out) {
  ig_solid_group g = s->g;
  double point[IG_SOLID_POINTS * IG_SOLID_REPORT], X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES],
      weight[IG_SOLID_NODES], stored = 0;
  const int points = ig_solid_info_get(g.kind)->points;
  g.trial = m->solids->x;
  memset(out, 0, IG_DYN_REPORT * sizeof *out);
  if (ig_solid_group_report(&g, e, point) != IG_FAULT_NONE)
    return;
  const double shear = g.law.young / (2 * (1 + g.law.poisson)),
               bulk = g.law.young / (3 * (1 - 2 * g.law.poisson));
  for (int q = 0; q < points; q++) {
    const double *p = point + q * IG_SOLID_REPORT, mean = (p[0] + p[1] + p[2]) / 3;
    for (int c = 0; c < 6; c++)
      out[c] += p[c] / points;
    out[IG_REPORT_PLASTIC] += p[12] / points;
    stored += (mean * mean / (2 * bulk) + p[13] * p[13] / (6 * shear)) / points;
  }
  out[IG_REPORT_MISES] = von_mises_f64(out);
  out[IG_REPORT_ENERGY] = ig_solid_group_work(&g)[e];
  ig_solid_group_gather(&g, e, X, u, NULL);
  if (out[IG_REPORT_PLASTIC] > 0)
    out[IG_REPORT_LOST] =
        fmax(0, out[IG_REPORT_ENERGY] - stored * ig_solid_weights(g.kind, NULL, X, weight));
}

/* `out` by mesh element; elements of other groups are left alone. */
ig_status ig_dyn_solids_report(ig_dyn_model *m, double *out) {
  for (int k = 0; m->solids && k < m->solids->count; k++) {
    const ig_dyn_solid *s = &m->solids->item[k];
#pragma omp parallel for schedule(static) num_threads(ig_team(m->cx, s->g.count, IG_WORK_ROW))
    for (int32_t e = 0; e < s->g.count; e++)
      report_one(m, s, e, out + (int64_t)s->element[e] * IG_DYN_REPORT);
  }
  return IG_OK;
}

/* The same to fields on the device, by ops->spread. */
ig_status ig_dyn_solids_fields(ig_dyn_model *m, const ig_dyn_fields *to) {
  for (int k = 0; m->solids && k < m->solids->count; k++) {
    ig_dyn_solid *s = &m->solids->item[k];
    for (int32_t e = 0; e < s->g.count; e++)
      report_one(m, s, e, (double *)s->report.host + (int64_t)e * IG_DYN_REPORT);
    IG_TRY(ig_array_push(m->cx, &s->report));
    IG_TRY(m->ops->spread(m->cx, s->g.count, s->ids.dev, s->report.dev, to));
  }
  return IG_OK;
}

/* The first group of this material. */
static int first_alike(const ig_dyn_solids *all, int k) {
  const ig_solid_law *a = &all->item[k].g.law;
  for (int j = 0; j < k; j++) {
    const ig_solid_law *b = &all->item[j].g.law;
    if (a->law == b->law && a->young == b->young && a->poisson == b->poisson &&
        a->yield == b->yield && a->hardening == b->hardening)
      return j;
  }
  return k;
}

/* Elements that cannot be evaluated have no part in it. */
ig_status ig_dyn_solids_stresses(const ig_dyn_model *m, int key, ig_nodal *to) {
  for (int k = 0; m->solids && k < m->solids->count; k++) {
    ig_solid_group g = m->solids->item[k].g;
    const int npe = ig_solid_info_get(g.kind)->nodes, own = key + first_alike(m->solids, k);
    g.trial = m->solids->x;
    for (int32_t e = 0; e < g.count; e++) {
      double point[IG_SOLID_POINTS * IG_SOLID_REPORT];
      if (ig_solid_group_report(&g, e, point) == IG_FAULT_NONE)
        IG_TRY(ig_nodal_add_solid(to, g.kind, NULL, g.node + (int64_t)e * npe, own, point,
                                  IG_SOLID_REPORT));
    }
  }
  return IG_OK;
}

void ig_dyn_solids_energy(ig_dyn_model *m, double sum[2]) {
  for (int k = 0; m->solids && k < m->solids->count; k++)
    for (int32_t e = 0; e < m->solids->item[k].g.count; e++) {
      double out[IG_DYN_REPORT];
      report_one(m, &m->solids->item[k], e, out);
      sum[0] += out[IG_REPORT_ENERGY];
      sum[1] += out[IG_REPORT_LOST];
    }
}
