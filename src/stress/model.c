/* Making the model: connectivity, materials, arrays, supports, loads; and freeing it. Order
   matters in make(): the number of values per point follows from the materials, kernels get
   their pointers when all arrays exist, and births at the start need the complete kernel
   arguments. */
#include "stress/model.h"
#include "backend/backend.h"
#include "mesh/face_share.h"
#include "mesh/load_check.h"
#include "mesh/named.h"
#include "mesh/support.h"
#include "mesh/topology.h"
#include "solid/solid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"

/* Connectivity of all blocks in mesh order. All elements have one type. */
static ig_status connectivity(ig_stress *m, ig_assembly how) {
  const ig_mesh *mesh = m->mesh;
  m->type = mesh->blocks ? mesh->block[0].type : IG_HEX8;
  m->npe = ig_elem_info_get(m->type)->nodes;
  m->faces = ig_elem_info_get(m->type)->faces;
  m->points = m->type == IG_TET10 ? 4 : 8;
  size_t at = 0;
  if (mesh->blocks == 1)
    m->conn = mesh->block[0].conn;
  else {
    IG_TRY(IG_NEW(m->cx, &m->joined, (size_t)m->npe * (size_t)m->elements, "elements"));
    m->conn = m->joined;
  }
  for (int b = 0; b < mesh->blocks; b++) {
    const size_t count = (size_t)m->npe * (size_t)mesh->block[b].count;
    if (mesh->block[b].type != m->type || (m->type != IG_HEX8 && m->type != IG_TET10))
      return IG_FAIL(m->cx, IG_INPUT,
                     "the stress room computes with hex8 alone or tet10 alone, the mesh has %s",
                     ig_elem_info_get(mesh->block[b].type)->name);
    if (m->joined)
      memcpy(m->joined + at, mesh->block[b].conn, sizeof(ig_lid) * count);
    at += count;
  }
  if (m->type == IG_TET10 && m->c->rotations == IG_ROTATIONS_FINITE)
    return ig_fail_at(m->cx, &m->c->at,
                      "`rotations: finite` needs hexahedra: the mesh has tetrahedra");
  if (m->type == IG_TET10 && how == IG_CLUSTER)
    return IG_FAIL(m->cx, IG_INPUT, "assembly: cluster needs hexahedra: take color or gather");
  return IG_OK;
}

/* Materials and inherent strains of elements, from the sets that each claims. Rows of inherent
   strain that turn from layer to layer are added later (scan.c). */
static ig_status materials_place(ig_stress *m, const ig_list *materials) {
  int *owner = NULL;
  ig_status status;
  /* laws are numbered by a byte per element */
  if (materials->count > 250)
    return IG_FAIL(m->cx, IG_INPUT, "at most 250 materials");
  IG_TRY(IG_NEW(m->cx, &owner, m->elements, "materials"));
  IG_TRY_GOTO(status, done,
              IG_CLAIM(m->cx, m->mesh, materials, ig_material_case, "material", owner));
  uint8_t *law = m->material.law.host;
  for (ig_lid e = 0; e < m->elements; e++)
    law[e] = (uint8_t)owner[e];
  IG_TRY_GOTO(status, done, ig_stress_elements_push(m, &m->material.law));
  /* inherent strains: row 0 is none */
  const ig_list *list = &m->c->inherent;
  double *rows = m->material.inherent.host;
  uint16_t *which = m->material.which.host;
  for (int i = 0; i < list->count; i++)
    ig_stress_inherent_row(m->c, i, rows + 4 * (i + 1));
  if (list->count > 0)
    IG_TRY_GOTO(status, done, IG_CLAIM(m->cx, m->mesh, list, ig_stress_inherent, NULL, owner));
  for (ig_lid e = 0; list->count > 0 && e < m->elements; e++)
    which[e] = (uint16_t)(owner[e] + 1);
  IG_TRY_GOTO(status, done, ig_array_push(m->cx, &m->material.inherent));
  status = ig_stress_elements_push(m, &m->material.which);
done:
  free(owner);
  return status;
}

/* Bits of the components that a text names: 1 x, 2 y, 4 z; blanks and commas are allowed; -1: it
   names others. */
static int components(const char *text) {
  int bits = 0;
  if (!text)
    return 0;
  if (strcmp(text, "all") == 0)
    return 7;
  for (const char *c = text; *c; c++) {
    if (*c == ' ' || *c == ',')
      continue;
    if (*c < 'x' || *c > 'z')
      return -1;
    bits |= 1 << (*c - 'x');
  }
  return bits;
}

ig_status ig_stress_phase_named(ig_stress *m, const ig_src *at, const char *name, int none,
                                int *phase) {
  *phase = none;
  if (!name)
    return IG_OK;
  for (int i = 0; i < m->c->phases.count; i++) {
    const char *own = IG_ITEM(const ig_stress_phase, m->c->phases, i)->name;
    if (own && strcmp(own, name) == 0) {
      *phase = i;
      return IG_OK;
    }
  }
  return ig_fail_at(m->cx, at, "no phase has the name '%.60s'", name);
}

/* Whether two supports have component d at the same places at all times. */
static bool led_alike(const ig_stress *m, int i, int k, int d, const ig_histories *rows) {
  const ig_stress_hold *h = m->held.list + i, *o = m->held.list + k;
  ig_led led[2] = {{IG_MOVE_FIXED, 0, h->history}, {IG_MOVE_FIXED, 0, o->history}};
  for (int n = 0; n < 2; n++)
    if ((n ? o : h)->lead >> d & 1) {
      led[n].kind = IG_MOVE_DISPLACEMENT;
      led[n].scale = (n ? o : h)->to[d];
    }
  return ig_led_same(&led[0], &led[1], rows);
}

/* Supports that act at the same time and have a component of a node at different places. */
static ig_status supports_agree(const ig_stress *m, const ig_histories *rows) {
  int *owner; /* of components of nodes: the last entry before, from 1 */
  IG_TRY(IG_NEW(m->cx, &owner, 3 * (size_t)m->nodes + 1, "supports"));
  for (int i = 0; i < m->held.count; i++) {
    const ig_stress_hold *h = m->held.list + i;
    bool said = false;
    for (int64_t k = 0; k < 3 * (int64_t)h->count; k++) {
      const int d = (int)(k % 3);
      int *of = &owner[3 * (int64_t)h->node[k / 3] + d];
      if (!((h->fix | h->lead) >> d & 1))
        continue;
      const ig_stress_hold *o = *of ? m->held.list + *of - 1 : NULL;
      if (o && !said && o->since < h->until && h->since < o->until &&
          !led_alike(m, i, *of - 1, d, rows)) {
        const ig_stress_support *own = IG_ITEM(const ig_stress_support, m->c->supports, i),
                                *other = IG_ITEM(const ig_stress_support, m->c->supports, *of - 1);
        ig_warn_at(m->cx, &own->at,
                   "nodes of '%s' are held or led along %c by the support of line %d too, at other "
                   "places: what leads them counts, of two that do the later one; take them out of "
                   "one of the two sets",
                   own->set, 'x' + d, other->at.line);
        said = true;
      }
      *of = i + 1;
    }
  }
  free(owner);
  return IG_OK;
}

/* Supports of the case: sets become node lists, letters become bits of components, names of
   phases become numbers. `rows` collects their histories. */
static ig_status supports(ig_stress *m, ig_histories *rows) {
  const ig_list *list = &m->c->supports;
  m->held.count = list->count;
  IG_TRY(IG_NEW(m->cx, &m->held.list, list->count + 1, "supports"));
  for (int i = 0; i < list->count; i++) {
    const ig_stress_support *s = IG_ITEM(const ig_stress_support, *list, i);
    ig_stress_hold *h = m->held.list + i;
    h->factor = 1;
    IG_TRY(ig_mesh_named_nodes(m->cx, m->mesh, &s->at, s->set, &h->node, &h->count));
    h->fix = components(s->fix);
    h->equal = components(s->equal);
    h->lead = isnan(s->displacement[0]) ? 0 : components(s->components);
    if (h->fix < 0 || h->lead < 0 || h->equal < 0)
      return ig_fail_at(m->cx, &s->at, "components are named by x, y, z or all");
    if (!(h->fix | h->lead | h->equal))
      return ig_fail_at(m->cx, &s->at,
                        "this support holds nothing: give `fix`, `displacement` or `equal`");
    if (s->at.given && !h->lead && (s->history.count || strcmp(s->components, "xyz") != 0))
      return ig_fail_at(m->cx, &s->at, "`%s` is that of a `displacement`, which is not given",
                        s->history.count ? "history" : "components");
    for (int d = 0; d < 3; d++)
      h->to[d] = h->lead >> d & 1 ? s->displacement[d] : 0;
    IG_TRY(ig_stress_phase_named(m, &s->at, s->since, 0, &h->since));
    IG_TRY(ig_stress_phase_named(m, &s->at, s->until, INT32_MAX, &h->until));
    IG_TRY(ig_histories_add(m->cx, rows, &s->history, &h->history));
  }
  return IG_OK;
}

/* The same of one face of a tetrahedron, whose corners are `conn`. */
static void face_pressure_tet(const ig_mesh *mesh, const ig_lid *conn, const int *face,
                              double pressure, double *f) {
  double x[18], g[18] = {0};
  for (int i = 0; i < 18; i++)
    x[i] = mesh->x[3 * (int64_t)conn[face[i / 3]] + i % 3];
  ig_solid_pressure(6, x, pressure, g, NULL, false);
  for (int i = 0; i < 18; i++)
    f[3 * (int64_t)conn[face[i / 3]] + i % 3] += g[i];
}

/* Adds the nodal forces of a pressure on the faces of a set, on the drawn shape: 2 x 2 Gauss
   points per face, N_k p times the cross product of the face's tangents. Faces are numbered
   outward, so a positive pressure pushes inward. */
static void face_pressure(const ig_mesh *mesh, const ig_set *set, double pressure, double *f) {
  for (ig_lid i = 0; i < set->count; i++) {
    ig_lid local;
    const ig_block *b = ig_mesh_element(mesh, set->item[i], &local);
    const int *face = ig_elem_face(b->type, set->face[i]);
    if (b->type == IG_TET10) {
      face_pressure_tet(mesh, b->conn + 10 * (int64_t)local, face, pressure, f);
      continue;
    }
    for (int q = 0; q < 4; q++) {
      const double at[2] = {gauss2_f64(q & 1), gauss2_f64(q >> 1)};
      double n[4], slope[4][2], out[3];
      quad4_values_f64(at, n);
      quad4_slopes_f64(at, slope);
      double a[3] = {0}, c[3] = {0};
      for (int k = 0; k < 4; k++) {
        const double *x = mesh->x + 3 * (int64_t)b->conn[8 * (int64_t)local + face[k]];
        for (int d = 0; d < 3; d++) {
          a[d] += slope[k][0] * x[d];
          c[d] += slope[k][1] * x[d];
        }
      }
      cross_f64(a, c, out);
      for (int k = 0; k < 4; k++)
        for (int d = 0; d < 3; d++)
          f[3 * (int64_t)b->conn[8 * (int64_t)local + face[k]] + d] -= pressure * n[k] * out[d];
    }
  }
}

/* Of nodes, the components that supports hold or lead in all phases; the caller frees it. */
static ig_status held_throughout(const ig_stress *m, uint8_t **held) {
  IG_TRY(IG_NEW(m->cx, held, (size_t)m->nodes + 1, "supports"));
  for (int i = 0; i < m->held.count; i++) {
    const ig_stress_hold *h = m->held.list + i;
    for (ig_lid k = 0; k < h->count && h->since == 0 && h->until == INT32_MAX; k++)
      (*held)[h->node[k]] |= (uint8_t)(h->fix | h->lead);
  }
  return IG_OK;
}

static ig_status held_warn(const ig_stress *m) {
  uint8_t *held;
  IG_TRY(held_throughout(m, &held));
  for (int i = 0; i < m->c->loads.count; i++) {
    ig_load_reach reach = {0};
    for (int64_t n = 0; n < m->nodes; n++)
      ig_load_reaches(&reach, m->loads.unit + 3 * ((int64_t)m->nodes * i + n), 3, held[n]);
    ig_warn_held(m->cx, &IG_ITEM(const ig_stress_load, m->c->loads, i)->at, &reach);
  }
  free(held);
  return IG_OK;
}

/* Loads of the case as nodal forces without their history. A `total` on faces is distributed by
   the integrals of the shape functions, on other sets equally. */
static ig_status loads(ig_stress *m, ig_histories *rows) {
  const ig_list *list = &m->c->loads;
  const size_t n = 3 * (size_t)m->nodes;
  IG_TRY(IG_NEW(m->cx, &m->loads.unit, n * (size_t)list->count + 1, "loads"));
  IG_TRY(IG_NEW(m->cx, &m->loads.history, list->count + 1, "loads"));
  IG_TRY(IG_NEW(m->cx, &m->loads.factor, list->count + 1, "loads"));
  for (int i = 0; i < list->count; i++) {
    const ig_stress_load *l = IG_ITEM(const ig_stress_load, *list, i);
    double *f = m->loads.unit + n * (size_t)i;
    if (isnan(l->pressure) == isnan(l->total[0]))
      return ig_fail_at(m->cx, &l->at, "a load is a `pressure` on faces or a `total` force");
    if (!isnan(l->pressure)) {
      const ig_set *set;
      IG_TRY(ig_mesh_named_set(m->cx, m->mesh, &l->at, l->set, IG_OF_FACES, &set));
      face_pressure(m->mesh, set, l->pressure, f);
    } else {
      ig_lid *node, count;
      IG_TRY(ig_mesh_named_nodes(m->cx, m->mesh, &l->at, l->set, &node, &count));
      double *share = NULL;
      ig_status status =
          ig_mesh_face_shares(m->cx, m->mesh, l->set, node, count, ig_solid_face_weights, &share);
      if (status == IG_OK && !share)
        status = ig_warn_equal_forces(m->cx, &l->at, m->mesh, l->set, node, count, NULL);
      for (ig_lid k = 0; k < count && status == IG_OK; k++)
        for (int d = 0; d < 3; d++)
          f[3 * (int64_t)node[k] + d] += l->total[d] * (share ? share[k] : 1.0 / count);
      free(share);
      free(node);
      IG_TRY(status);
    }
    IG_TRY(ig_histories_add(m->cx, rows, &l->history, m->loads.history + i));
    m->loads.factor[i] = 1;
  }
  return IG_OK;
}

/* Supports and loads share the rows of histories, which are read on the host: loads are few
   numbers per step, and their sum is uploaded. */
static ig_status places(ig_stress *m) {
  ig_histories rows = {0};
  ig_status status = supports(m, &rows);
  if (status == IG_OK)
    status = supports_agree(m, &rows);
  if (status == IG_OK)
    status = loads(m, &rows);
  if (status == IG_OK)
    status = held_warn(m);
  m->history_x = rows.x; /* kept */
  m->history_y = rows.y;
  return status;
}

/* Those of the mesh, on the device. */
static ig_status positions(ig_stress *m) {
  const size_t n = 3 * (size_t)m->nodes;
  if (!m->cx->backend->separate) { /* model_free leaves them */
    m->x = (ig_array){NULL, m->mesh->x, n, sizeof(double)};
    return IG_OK;
  }
  IG_TRY(ig_array_new_device(m->cx, &m->x, n, sizeof(double), "positions"));
  IG_TRY(m->cx->backend->copy_in(m->cx, m->x.dev, m->mesh->x, n * sizeof(double)));
  return m->cx->backend->sync(m->cx);
}

/* Allocates all arrays of the model but those that depend on the materials, and sets initial
   values. `device`: only there; others have a host side, too. */
static ig_status arrays(ig_stress *m, int materials) {
  ig_ctx *cx = m->cx;
  const size_t n = (size_t)m->nodes, e = (size_t)m->elements, part = (size_t)m->part.elements;
  /* values of elements for the host: all at once would double the memory of large models */
  const size_t portion = ig_stress_portion(m) / sizeof(double), points = part * IG_STRESS_POINTS;
  const size_t values = points < portion ? points : portion;
  const struct {
    ig_array *a;
    size_t count, size;
    bool device;
  } all[] = {{&m->u, 3 * n, sizeof(double), false},
             {&m->T, n, sizeof(double), false},
             {&m->material.inherent, 4 * ((size_t)m->c->inherent.count + 1), sizeof(double), false},
             {&m->material.laws, (size_t)materials, sizeof(ig_stress_law), false},
             {&m->fix, n, 1, false},
             {&m->load, 3 * n, sizeof(double), false},
             {&m->force, 3 * n, sizeof(double), false},
             {&m->work.right, 3 * n, sizeof(double), true},
             {&m->work.step, 3 * n, sizeof(double), true},
             {&m->work.old, 3 * n, sizeof(double), false},
             {&m->work.bulk, part, sizeof(float), true},
             {&m->work.T_past, n, sizeof(double), false},
             {&m->grown, IG_GROWN * part, sizeof(double), false},
             {&m->young, part, sizeof(double), false},
             {&m->built, part, sizeof(double), false},
             {&m->work.excess, part, sizeof(double), false},
             {&m->warmer, part, sizeof(double), false},
             {&m->share, part, sizeof(double), false},
             {&m->work.warmer_past, part, sizeof(double), false},
             {&m->work.values, values, sizeof(double), true},
             {&m->work.partial, IG_MESH_CHUNKS, sizeof(double), true}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(all[i].device
               ? ig_array_new_device(cx, all[i].a, all[i].count, all[i].size, "state of the part")
               : ig_array_new(cx, all[i].a, all[i].count, all[i].size, "state of the part"));
  const struct {
    ig_array *a;
    size_t per, size;
  } of_elements[] = {
      {&m->alive, 1, 1}, {&m->soft, 1, 1}, {&m->material.law, 1, 1}, {&m->material.which, 1, 2}};
  for (size_t i = 0; i < sizeof of_elements / sizeof *of_elements; i++)
    IG_TRY(ig_stress_elements_new(m, of_elements[i].a, of_elements[i].per, of_elements[i].size,
                                  "state of the part"));
  /* rotations start as the identity */
  if (m->c->rotations == IG_ROTATIONS_FINITE)
    IG_TRY(ig_array_new(cx, &m->turn, IG_TURNED * part, sizeof(double), "rotations"));
  IG_TRY(positions(m));
  IG_TRY(IG_NEW(cx, &m->held.bits, n, "supports"));
  IG_TRY(IG_NEW(cx, &m->held.freed, n, "supports"));
  IG_TRY(IG_NEW(cx, &m->scratch, n, "supports"));
  IG_TRY(IG_NEW(cx, &m->balance.force, 3 * n, "forces"));
  IG_TRY(IG_NEW(cx, &m->balance.load, 3 * n, "forces"));
  if (!cx->ranks) {
    IG_TRY(IG_NEW(cx, &m->mark.load, 3 * n, "forces"));
    IG_TRY(IG_NEW(cx, &m->mark.built, part, "moduli"));
  }
  /* all elements are alive; steps.c takes away what is built later */
  memset(m->alive.host, 1, e);
  for (size_t i = 0; i < n; i++)
    ((double *)m->T.host)[i] = m->c->temperature;
  IG_TRY(IG_NEW(cx, &m->report, IG_STRESS_REPORT * part, "values of elements"));
  ig_array *const push[] = {&m->u,     &m->T,      &m->load,  &m->fix,        &m->grown,
                            &m->built, &m->warmer, &m->share, &m->work.excess};
  for (size_t i = 0; i < sizeof push / sizeof *push; i++)
    IG_TRY(ig_array_push(cx, push[i]));
  ig_array *const elements[] = {&m->alive, &m->soft};
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    IG_TRY(ig_stress_elements_push(m, elements[i]));
  return ig_array_zero(cx, &m->work.bulk);
}

/* Strengths of what can tear. */
static ig_status strengths_place(ig_stress *m, const ig_list *materials) {
  const ig_list *list = &m->c->tearing;
  const uint8_t *law = m->material.law.host;
  int *owner;
  if (list->count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &m->tears.strength, m->elements, "strengths"));
  IG_TRY(IG_NEW(m->cx, &m->tears.level, m->elements, "strengths"));
  IG_TRY(IG_NEW(m->cx, &m->tears.principal, m->elements, "strengths"));
  IG_TRY(IG_NEW(m->cx, &m->tears.layer, m->nodes, "torn elements"));
  IG_TRY(IG_NEW(m->cx, &owner, m->elements, "strengths"));
  ig_status status = IG_CLAIM(m->cx, m->mesh, list, ig_stress_tearing, NULL, owner);
  for (ig_lid e = 0; status == IG_OK && e < m->elements; e++) {
    const ig_stress_tearing *t =
        owner[e] < 0 ? NULL : IG_ITEM(const ig_stress_tearing, *list, owner[e]);
    const ig_material_case *of = IG_ITEM(const ig_material_case, *materials, law[e]);
    m->tears.strength[e] = !t ? INFINITY : isnan(t->strength) ? of->yield : t->strength;
    if (isnan(m->tears.strength[e]))
      status = ig_fail_at(m->cx, &t->at,
                          "`tearing` needs a strength: give `strength`, or a `yield` to the "
                          "material '%.60s'",
                          of->name);
    m->tears.principal[e] = t && t->stress == IG_TEARS_BY_PRINCIPAL;
  }
  for (ig_lid n = 0; n < m->nodes; n++)
    m->tears.layer[n] = NAN;
  free(owner);
  return status;
}

/* State and tangent of the points: as many values as the materials need. Elastic cases keep 6
   instead of 19 numbers per point and a tangent of 1 instead of 6. */
static ig_status point_arrays(ig_stress *m) {
  const size_t tiles = ((size_t)m->part.elements + IG_STRESS_TILE - 1) / IG_STRESS_TILE;
  const size_t points = 8 * IG_STRESS_TILE * tiles;
  m->args.states = m->material.transforms  ? IG_STATES_PHASE
                   : m->material.kinematic ? IG_STATES_BACK
                   : m->material.plastic   ? IG_STATES_FLOW
                                           : IG_STATES_ELASTIC;
  m->args.assumed = m->c->element == IG_ELEMENT_ASSUMED;
  m->args.slopes = (m->material.plastic ? IG_SLOPES_FLOW : IG_SLOPES_ELASTIC) + m->args.assumed;
  IG_TRY(ig_array_new(m->cx, &m->state, points * (size_t)m->args.states, sizeof(double),
                      "state of the points"));
  IG_TRY(ig_array_new_device(m->cx, &m->work.slope, points * (size_t)m->args.slopes, sizeof(float),
                             "tangent"));
  if (m->args.assumed && m->material.plastic && m->type == IG_HEX8)
    IG_TRY(ig_array_new_device(m->cx, &m->work.alpha, 3 * (size_t)m->part.elements, sizeof(double),
                               "internal unknowns"));
  IG_TRY(ig_array_push(m->cx, &m->state));
  IG_TRY(ig_stress_alpha_clear(m));
  return ig_array_zero(m->cx, &m->work.slope);
}

/* Nothing is stressed at the start, at its temperature: all elements are `born` at it, which
   sets the reference of each point. */
static ig_status born_at_start(ig_stress *m) {
  ig_array birth = {0};
  IG_TRY(ig_array_new(m->cx, &birth, (size_t)m->part.elements, sizeof(double), "births"));
  for (ig_lid e = 0; e < m->part.elements; e++)
    ((double *)birth.host)[e] = m->c->temperature;
  ig_status status = ig_array_push(m->cx, &birth);
  m->args.start = true;
  if (status == IG_OK)
    status = m->ops->wipe(m->cx, &m->args, m->u.dev, false, NULL, birth.dev, m->part.elements);
  m->args.start = false;
  if (status == IG_OK)
    status = ig_stress_past(m);
  if (status == IG_OK)
    status = m->cx->backend->sync(m->cx);
  ig_array_free(m->cx, &birth);
  return status;
}

/* What counts as a force before any was met: that of a strain of 1e-3 in a mean element. Without it
   the rounding of a body at rest would be taken for a load. */
static void scale_start(ig_stress *m) {
  const ig_stress_law *law = m->material.laws.host;
  double volume = 0, young = 0;
  for (ig_lid e = 0; e < m->elements; e++)
    volume += fabs(ig_mesh_measure(m->mesh, e));
  for (size_t i = 0; i < m->material.laws.count; i++)
    young = fmax(young, ((const double *)m->material.row_y.host)[law[i].young.first]);
  /* 1e-8 = (1e-4)^2: twice the energy of a strain of 1e-4 */
  m->energy = 1e-8 * young * volume;
  m->scale = 1e-3 * young * pow(volume / m->elements, 2.0 / 3) * sqrt((double)m->nodes);
  /* a rotated element has its displacements as differences of positions: a strain of epsilon */
  m->rounding = m->c->rotations == IG_ROTATIONS_FINITE ? 8 * DBL_EPSILON * 1e3 * m->scale : 0;
}

/* The steps in the order of their dependencies, see the head of the file. */
static ig_status make(ig_stress *m, const ig_list *materials, ig_assembly how) {
  ig_ctx *cx = m->cx;
  IG_TRY(connectivity(m, how));
  IG_TRY(ig_stress_division_new(m, how));
  IG_TRY(arrays(m, materials->count));
  IG_TRY(materials_place(m, materials));
  IG_TRY(ig_stress_laws(m, materials));
  IG_TRY(point_arrays(m));
  scale_start(m);
  IG_TRY(places(m));
  IG_TRY(strengths_place(m, materials));
  /* prescribed displacements need an array for their motion; most cases have none */
  bool leads = false;
  for (int i = 0; i < m->held.count; i++)
    leads |= m->held.list[i].lead != 0;
  if (leads) {
    IG_TRY(IG_NEW(cx, &m->held.u, 3 * (size_t)m->nodes, "supports"));
    IG_TRY(ig_array_new(cx, &m->work.moved, 3 * (size_t)m->nodes, sizeof(double), "held motion"));
  }
  IG_TRY(ig_stress_division_plan(m, how, &m->plan));
  if (how == IG_CLUSTER)
    IG_TRY(ig_clusters_new_sized(cx, m->nodes, m->elements, m->npe, m->conn, m->mesh->x,
                                 IG_STRESS_CLUSTER, IG_STRESS_CLUSTER_NODES, &m->cluster));
  const int64_t slots = how == IG_CLUSTER ? m->cluster.slots : m->plan.slots;
  if (slots)
    IG_TRY(ig_array_new_device(cx, &m->work.slots, 3 * (size_t)slots, sizeof(double), "slots"));
  m->args = (ig_stress_args){.scatter = ig_plan_view(&m->plan),
                             .cluster = ig_clusters_view(&m->cluster),
                             .clusters = &m->cluster,
                             .x = m->x.dev,
                             .T = m->T.dev,
                             .warmer = m->warmer.dev,
                             .share = m->share.dev,
                             .alive = m->alive.dev,
                             .soft = m->soft.dev,
                             .law = m->material.law.dev,
                             .which = m->material.which.dev,
                             .inherent = m->material.inherent.dev,
                             .laws = m->material.laws.dev,
                             .row_x = m->material.row_x.dev,
                             .row_y = m->material.row_y.dev,
                             .state = m->state.dev,
                             .slope = m->work.slope.dev,
                             .bulk = m->work.bulk.dev,
                             .states = m->args.states,
                             .slopes = m->args.slopes,
                             .grown = m->grown.dev,
                             .T_past = m->work.T_past.dev,
                             .warmer_past = m->work.warmer_past.dev,
                             .alpha = m->work.alpha.dev,
                             .turn = m->turn.dev,
                             .slots = m->work.slots.dev,
                             .assumed = m->args.assumed,
                             .tet = m->type == IG_TET10,
                             .nominal = m->c->reference == IG_REFERENCE_NOMINAL};
  IG_TRY(ig_mesh_adjacency(cx, m->mesh, &m->adjacency));
  IG_TRY(ig_stress_system_new(m));
  return born_at_start(m);
}

ig_status ig_stress_new(ig_ctx *cx, const ig_mesh *mesh, const ig_list *materials,
                        const ig_stress_case *c, ig_assembly how, ig_stress **out) {
  ig_stress *m;
  *out = NULL;
  IG_TRY(IG_NEW(cx, &m, 1, "model"));
  m->cx = cx;
  m->mesh = mesh;
  m->c = c;
  m->nodes = mesh->nodes;
  m->elements = ig_mesh_elements(mesh);
  m->ops = IG_OPS_OF(cx, &ig_stress_cpu, &ig_stress_cuda);
  m->mesh_ops = ig_solver_mesh_ops_of(cx);
  const ig_status status = make(m, materials, how);
  if (status != IG_OK) {
    ig_stress_free(m);
    return status;
  }
  *out = m;
  return IG_OK;
}

void ig_stress_free(ig_stress *m) {
  if (!m)
    return;
  ig_array *const all[] = {&m->x,
                           &m->u,
                           &m->T,
                           &m->warmer,
                           &m->share,
                           &m->alive,
                           &m->soft,
                           &m->material.law,
                           &m->material.which,
                           &m->material.inherent,
                           &m->material.laws,
                           &m->material.row_x,
                           &m->material.row_y,
                           &m->state,
                           &m->fix,
                           &m->load,
                           &m->force,
                           &m->work.right,
                           &m->work.step,
                           &m->work.old,
                           &m->work.moved,
                           &m->young,
                           &m->built,
                           &m->work.slope,
                           &m->work.slots,
                           &m->work.partial,
                           &m->work.excess,
                           &m->work.list,
                           &m->work.birth,
                           &m->work.bulk,
                           &m->work.alpha,
                           &m->work.T_past,
                           &m->work.warmer_past,
                           &m->work.values,
                           &m->held.tie_start,
                           &m->held.tie_item,
                           &m->grown,
                           &m->mark.u,
                           &m->mark.state,
                           &m->mark.grown,
                           &m->mark.soft,
                           &m->mark.T_past,
                           &m->mark.warmer_past,
                           &m->turn};
  ig_stress_system_free(m);
  if (!m->cx->backend->separate)
    m->x = (ig_array){0};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ig_array_free(m->cx, all[i]);
  ig_stress_division_free(m);
  ig_plan_free(m->cx, &m->plan);
  ig_clusters_free(m->cx, &m->cluster);
  ig_adjacency_free(&m->adjacency);
  for (int i = 0; m->held.list && i < m->held.count; i++)
    free(m->held.list[i].node);
  free(m->held.list);
  free(m->tears.strength);
  free(m->tears.level);
  free(m->tears.principal);
  free(m->tears.layer);
  free(m->report);
  free(m->joined);
  free(m->held.bits);
  free(m->held.freed);
  free(m->scratch);
  free(m->held.u);
  free(m->balance.force);
  free(m->balance.load);
  free(m->mark.load);
  free(m->mark.built);
  free(m->loads.unit);
  free(m->loads.history);
  free(m->loads.factor);
  free(m->history_x);
  free(m->history_y);
  free(m);
}
