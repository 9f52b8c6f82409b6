/* Loads: forces, pressures, accelerations, and inertia.

   Dead loads (forces, accelerations, pressures of small displacements) are summed at each
   evaluation by ig_structure_loads_at. Pressures and rotations of large displacements follow faces
   and places and have a stiffness: they are groups of the engine (ig_structure_press,
   ig_structure_spin). Entries of a case add
   up; those of decks are checked for the one situation in which decks would replace instead
   (given_check). */
#include "structure/constrain.h"
#include "structure/expand.h"
#include "structure/points.h"
#include "core/table_acts.h"
#include "mesh/load_check.h"
#include "mesh/named.h"
#include "solid/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Index of s->faces by nodes of a face: 3, 4, 6, 8. */
static int face_kind(int nodes) {
  return nodes == 3 ? 0 : nodes == 4 ? 1 : nodes == 6 ? 2 : 3;
}

/* 0 outside of the analyses that the entry names. */
static double factor_at(const ig_structure *s, const ig_structure_load *c, double time) {
  if (!ig_structure_acts(s->analysis, c->first, c->last))
    return 0;
  return ig_structure_factor(s, &c->history, time);
}

/* The sides of a beam's solid are those of its section where that is a rectangle.
   Other profiles are hex20 with curved or missing sides, on which a pressure would have another
   resultant. */
static ig_status beams_flat(ig_structure *s, const ig_structure_load *c) {
  for (int i = 0; i < s->c->beams.count; i++)
    if (IG_ITEM(const ig_structure_beam, s->c->beams, i)->profile != IG_PROFILE_RECTANGLE)
      return ig_fail_at(s->cx, &c->at,
                        "`pressure` is for solids, shells and beams with rectangular sections: "
                        "'%s' has other beams; give forces on nodes",
                        c->set);
  return IG_OK;
}

/* Whether a load acts on the masses of nodes: their set is none of elements. */
static bool of_masses(const ig_structure *s, const ig_structure_load *c) {
  return !isnan(c->acceleration[0]) && ig_mesh_find_set(s->mesh, c->set, IG_SET_NODES) &&
         !ig_mesh_find_set(s->mesh, c->set, IG_SET_ELEMENTS);
}

/* Loads whose histories are zero until the last analysis ends. */
static void idle_warn(const ig_structure *s) {
  double end = 0;
  for (int i = 0; i < s->c->analysis.count; i++)
    end += IG_ITEM(const ig_structure_analysis, s->c->analysis, i)->duration;
  for (int i = 0; i < s->c->loads.count; i++) {
    const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
    if (!ig_table_acts(&c->history, end))
      ig_warn_never_acts(s->cx, &c->at, end);
  }
}

/* Shares of the nodes of a `total`; a word where `force` hardly means what it says. Decks mean it.
 */
static ig_status shares_new(ig_structure *s) {
  IG_TRY(IG_NEW(s->cx, &s->share, s->c->loads.count + 1, "loads"));
  s->shares = s->c->loads.count;
  for (int i = 0; i < s->shares; i++) {
    const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
    ig_lid *node, count;
    if (isnan(c->total[0]) && (isnan(c->force[0]) || c->given.count))
      continue;
    IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
    const bool each = isnan(c->total[0]);
    ig_status status = IG_OK;
    if (!each)
      status = ig_mesh_face_shares(s->cx, s->job->mesh, c->set, node, count, ig_solid_face_weights,
                                   &s->share[i]);
    if (status == IG_OK && !s->share[i])
      status = ig_warn_equal_forces(s->cx, &c->at, s->job->mesh, c->set, node, count,
                                    each ? c->force : NULL);
    free(node);
    IG_TRY(status);
  }
  return IG_OK;
}

/* Accelerations and rotations act on mass: every element they are for has some. The history of a
   rotation is that of the square of its rate.
   Checked once per model, so that a missing density is an error and not a load of zero. */
static ig_status densities_check(ig_structure *s) {
  for (int i = 0; i < s->c->loads.count; i++) {
    const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
    const ig_set *set;
    if (of_masses(s, c) && s->c->masses.count == 0)
      return ig_fail_at(s->cx, &c->at,
                        "`acceleration` acts on mass: '%s' is a set of nodes, which have no "
                        "`masses`; name a set of elements",
                        c->set);
    if ((isnan(c->acceleration[0]) && isnan(c->rate)) || of_masses(s, c))
      continue;
    for (int k = 0; k < c->history.count && !isnan(c->rate); k++)
      if (c->history.y[k] < 0)
        return ig_fail_at(s->cx, &c->at,
                          "`history` of a `rate` is that of its square: expected none below 0, not "
                          "%g",
                          c->history.y[k]);
    IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_ELEMENTS, &set));
    for (ig_lid k = 0; k < set->count; k++) {
      const ig_material_case *m = s->material[s->owner[set->item[k]]];
      if (!m->density.count)
        return ig_fail_at(s->cx, &c->at, "`%s` acts on mass: give the material '%s' a `density`",
                          isnan(c->rate) ? "acceleration" : "rate", m->name);
    }
  }
  return IG_OK;
}

/* Notes that load i has a place, and fails where a load that other analyses give has it.
   owner: number of the load from 1, 0: none yet. A deck's later step replaces a load on the same
   place; entries of a case add up. The two agree where both loads are given by the same steps,
   or where the earlier has ended. */
static ig_status place_take(ig_structure *s, int i, int32_t *owner) {
  const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
  const ig_structure_load *other =
      *owner ? IG_ITEM(const ig_structure_load, s->c->loads, *owner - 1) : NULL;
  /* The two loads are given by different steps. */
  bool apart = other && other->given.count != c->given.count;
  for (int k = 0; other && !apart && k < c->given.count; k++)
    apart = other->given.value[k] != c->given.value[k];
  if (apart) {
    const ig_structure_load *early = other->first < c->first ? other : c;
    const ig_structure_load *late = early == c ? other : c;
    if (early->last == 0 || early->last > late->first)
      return ig_fail_at(s->cx, &c->at,
                        "the loads of '%s' and '%s' share a node or a face, and other steps give "
                        "the one than the other, where the later would replace the earlier: give "
                        "sets that share none, or end the earlier load (OP=NEW)",
                        early->set, late->set);
  }
  *owner = i + 1;
  return IG_OK;
}

/* Places are component k % 6 (three forces, three moments) of a node. */
static ig_status nodes_take(ig_structure *s, int i, int32_t *owner) {
  const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
  ig_lid *node, count;
  IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
  ig_status status = IG_OK;
  for (ig_lid k = 0; k < 6 * count && status == IG_OK; k++) {
    const double *value = k % 6 < 3 ? c->force : c->moment;
    if (!isnan(value[0]) && value[k % 3] != 0)
      status = place_take(s, i, &owner[6 * (size_t)node[k / 6] + (size_t)(k % 6)]);
  }
  free(node);
  return status;
}

/* Loads of decks: one owner of each component of a node and of each face in all steps.
   owner: 6 per node, then 6 per element (faces). */
static ig_status given_check(ig_structure *s) {
  const size_t faces = 6 * (size_t)ig_mesh_elements(s->mesh), nodes = 6 * (size_t)s->nodes;
  int32_t *owner;
  IG_TRY(IG_NEW(s->cx, &owner, nodes + faces + 1, "loads"));
  ig_status status = IG_OK;
  for (int i = 0; i < s->c->loads.count && status == IG_OK; i++) {
    const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
    const ig_set *set = NULL;
    if (c->given.count && (!isnan(c->force[0]) || !isnan(c->moment[0])))
      status = nodes_take(s, i, owner);
    if (!c->given.count || isnan(c->pressure) || status != IG_OK)
      continue;
    status = ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_FACES, &set);
    for (ig_lid k = 0; status == IG_OK && k < set->count; k++)
      status = place_take(s, i, &owner[nodes + 6 * (size_t)set->item[k] + set->face[k]]);
  }
  free(owner);
  return status;
}

/* Rotations, and the elements of their sets. */
static ig_status spins_new(ig_structure *s) {
  const size_t elements = (size_t)ig_mesh_elements(s->mesh);
  for (int i = 0; i < s->c->loads.count; i++)
    s->spins += !isnan(IG_ITEM(const ig_structure_load, s->c->loads, i)->rate);
  if (!s->spins)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &s->spin, s->spins, "rotations"));
  IG_TRY(IG_NEW(s->cx, &s->spun, (size_t)s->spins * elements + 1, "rotations"));
  for (int i = 0, n = 0; i < s->c->loads.count; i++) {
    const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
    const ig_set *set;
    if (isnan(c->rate))
      continue;
    IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_ELEMENTS, &set));
    for (ig_lid k = 0; k < set->count; k++)
      s->spun[(size_t)n * elements + (size_t)set->item[k]] = 1;
    s->spin[n++] = i;
  }
  return IG_OK;
}

/* Faces under pressure, by the number of their nodes.
   First pass counts, second fills. */
ig_status ig_structure_faces_new(ig_structure *s) {
  IG_TRY(densities_check(s));
  idle_warn(s);
  IG_TRY(shares_new(s));
  IG_TRY(given_check(s));
  IG_TRY(spins_new(s));
  for (int pass = 0; pass < 2; pass++) {
    int32_t count[IG_FACE_KINDS] = {0};
    for (int i = 0; i < s->c->loads.count; i++) {
      const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
      const ig_set *set;
      if (isnan(c->pressure))
        continue;
      IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_FACES, &set));
      for (ig_lid k = 0; k < set->count; k++) {
        ig_lid node[8], local;
        if (ig_structure_is_truss(s, set->item[k]))
          return ig_fail_at(s->cx, &c->at,
                            "`pressure` acts on faces, and '%s' has trusses: give forces on nodes",
                            c->set);
        if (ig_elem_info_get(ig_mesh_element(s->job->mesh, set->item[k], &local)->type)->dim == 1)
          IG_TRY(beams_flat(s, c));
        const int nodes = ig_mesh_face_nodes(s->mesh, set->item[k], set->face[k], node);
        ig_structure_faces *f = &s->faces[face_kind(nodes)];
        const int32_t at = count[face_kind(nodes)]++;
        if (pass == 0)
          continue;
        f->load[at] = i;
        for (int a = 0; a < nodes; a++) {
          f->node[at * nodes + a] = node[a];
          for (int d = 0; d < 3; d++)
            f->unknown[(at * nodes + a) * 3 + d] = 3 * node[a] + d;
        }
      }
    }
    static const int nodes[IG_FACE_KINDS] = {3, 4, 6, 8};
    for (int k = 0; k < IG_FACE_KINDS && pass == 0; k++) {
      ig_structure_faces *f = &s->faces[k];
      const size_t n = (size_t)count[k] * (size_t)nodes[k];
      *f = (ig_structure_faces){.of = s, .nodes = nodes[k], .count = count[k]};
      IG_TRY(IG_NEW(s->cx, &f->node, n + 1, "faces"));
      IG_TRY(IG_NEW(s->cx, &f->unknown, 3 * n + 1, "faces"));
      IG_TRY(IG_NEW(s->cx, &f->load, count[k] + 1, "faces"));
    }
  }
  return IG_OK;
}

/* Of one face: forces of its pressure at positions X + u; K: minus df/dx.
   add: increments, NULL: none; moved: the face as displaced, else as drawn. */
static void face_press(const ig_structure_faces *g, int32_t i, double time, const double *add,
                       bool moved, double *f, double *k) {
  const ig_structure *s = g->of;
  const int n = 3 * g->nodes;
  const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, g->load[i]);
  double X[24], u[24];
  ig_structure_gather(s, g->node + (size_t)i * (size_t)g->nodes, g->nodes, add, X, u);
  for (int a = 0; a < n && moved; a++)
    X[a] += u[a];
  memset(f, 0, (size_t)n * sizeof *f);
  if (k)
    memset(k, 0, (size_t)(n * n) * sizeof *k);
  ig_solid_pressure(g->nodes, X, c->pressure * factor_at(s, c, time), f, k, false);
  ig_structure_to_local(s, g->node + (size_t)i * (size_t)g->nodes, g->nodes, f, k);
}

/* The engine wants internal forces: minus those of the pressure. */
ig_status ig_structure_press(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                             double *k, ig_trouble *trouble) {
  const ig_structure_faces *g = self;
  const int n = 3 * g->nodes;
  (void)trouble;
  for (int32_t i = begin; i < end; i++) {
    double *fe = f + (size_t)(i - begin) * (size_t)n;
    double *ke = k ? k + (size_t)(i - begin) * (size_t)(n * n) : NULL;
    face_press(g, i, at->time, at->u, true, fe, ke);
    for (int a = 0; a < n; a++)
      fe[a] = -fe[a];
    for (int a = 0; ke && a < n * n; a++)
      ke[a] = -ke[a];
  }
  return IG_OK;
}

/* Adds the inertia of one rotation of an element at places x, and its derivative. */
static void spin_add(const ig_structure_group *g, int32_t e, const ig_structure_load *c,
                     double factor, const double *X, const double *x, double *f, double *k) {
  const ig_structure *s = g->of;
  const ig_material_case *m = s->material[g->material[e]];
  const double density = ig_table_at(&m->density, s->T ? s->T[g->node[e][0]] : 0);
  double axis[3], length = 0;
  for (int d = 0; d < 3; d++)
    length += c->axis[d] * c->axis[d];
  for (int d = 0; d < 3; d++)
    axis[d] = c->axis[d] / sqrt(length);
  /* an arc length may give the load a negative factor */
  ig_solid_centrifugal(g->kind, ig_structure_law(g, e)->rule, X, x, factor < 0 ? -density : density,
                       c->rate * sqrt(fabs(factor)), c->point, axis, f, k);
}

/* Internal forces: minus those of the rotations. */
ig_status ig_structure_spin(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                            double *k, ig_trouble *trouble) {
  const ig_structure_group *g = self;
  const ig_structure *s = g->of;
  const int npe = ig_solid_info_get(g->kind)->nodes, n = 3 * npe;
  const size_t elements = (size_t)ig_mesh_elements(s->mesh);
  (void)trouble;
  for (int32_t e = begin; e < end; e++) {
    double *fe = f + (size_t)(e - begin) * (size_t)n;
    double *ke = k ? k + (size_t)(e - begin) * (size_t)(n * n) : NULL;
    double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES];
    memset(fe, 0, (size_t)n * sizeof *fe);
    if (ke)
      memset(ke, 0, (size_t)(n * n) * sizeof *ke);
    ig_structure_gather(s, g->node[e], npe, at->u, X, u);
    for (int i = 0; i < n; i++)
      u[i] += X[i];
    for (int i = 0; i < s->spins; i++) {
      const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, s->spin[i]);
      if (s->spun[(size_t)i * elements + (size_t)g->element[e]])
        spin_add(g, e, c, factor_at(s, c, at->time), X, u, fe, ke);
    }
    for (int i = 0; i < n; i++)
      fe[i] = -fe[i];
    for (int i = 0; ke && i < n * n; i++)
      ke[i] = -ke[i];
    ig_structure_to_local(s, g->node[e], npe, fe, ke);
  }
  return IG_OK;
}

ig_status ig_structure_followers_at(ig_structure *s, double time, double *f) {
  const ig_trial still = {.u = NULL, .time = time};
  ig_trouble trouble = {.element = -1};
  double fe[3 * IG_SOLID_NODES];
  for (int k = 0; k < IG_FACE_KINDS && s->large; k++) {
    ig_structure_faces *g = &s->faces[k];
    const size_t n = 3 * (size_t)g->nodes;
    for (int32_t i = 0; i < g->count; i++) {
      IG_TRY(ig_structure_press(g, &still, i, i + 1, fe, NULL, &trouble));
      for (size_t a = 0; a < n; a++)
        f[g->unknown[(size_t)i * n + a]] -= fe[a];
    }
  }
  for (int k = 0; k < s->groups && s->large && s->spins; k++) {
    ig_structure_group *g = &s->group[k];
    const size_t n = 3 * (size_t)ig_solid_info_get(g->kind)->nodes;
    for (int32_t e = 0; e < g->count; e++) {
      IG_TRY(ig_structure_spin(g, &still, e, e + 1, fe, NULL, &trouble));
      for (size_t a = 0; a < n; a++)
        f[g->unknown[(size_t)e * n + a]] -= fe[a];
    }
  }
  return IG_OK;
}

/* Accelerations and rotations of the elements of a set, as drawn. */
static ig_status bodies_load(ig_structure *s, const ig_structure_load *c, const ig_set *set,
                             double factor, double time, double *f) {
  uint8_t *in;
  IG_TRY(IG_NEW(s->cx, &in, (size_t)ig_mesh_elements(s->mesh) + 1, "elements under a load"));
  for (ig_lid k = 0; k < set->count; k++)
    in[set->item[k]] = 1;
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    const int npe = ig_solid_info_get(g->kind)->nodes;
    for (int32_t e = 0; e < g->count; e++) {
      const ig_material_case *m = s->material[g->material[e]];
      double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], w[IG_SOLID_NODES],
          fe[3 * IG_SOLID_NODES] = {0};
      if (!in[g->element[e]])
        continue;
      const double density = ig_table_at(&m->density, s->T ? s->T[g->node[e][0]] : 0);
      ig_structure_gather(s, g->node[e], npe, NULL, X, u);
      if (!isnan(c->acceleration[0])) {
        ig_solid_weights(g->kind, ig_structure_law(g, e)->rule, X, w);
        for (int a = 0; a < npe; a++)
          for (int d = 0; d < 3; d++)
            fe[3 * a + d] = factor * density * w[a] * c->acceleration[d];
      } else {
        spin_add(g, e, c, factor, X, X, fe, NULL);
      }
      ig_structure_to_local(s, g->node[e], npe, fe, NULL);
      for (int a = 0; a < 3 * npe; a++)
        f[g->unknown[(size_t)e * (size_t)(3 * npe) + (size_t)a]] += fe[a];
    }
  }
  (void)time;
  free(in);
  return IG_OK;
}

/* Of load i at node k of its set: 1 of a `force`, which acts on each. */
static double share_of(const ig_structure *s, int i, ig_lid k, ig_lid count) {
  const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
  return isnan(c->total[0]) ? 1 : s->share[i] ? s->share[i][k] : 1.0 / count;
}

/* f: unknowns, added to, in the axes of nodes. */
ig_status ig_structure_loads_at(ig_structure *s, double time, double *f) {
  for (int i = 0; i < s->c->loads.count; i++) {
    const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
    const double factor = factor_at(s, c, time);
    /* An entry with an acceleration on a set of nodes acts on point masses there; on elements it
       acts on their mass. */
    const bool nodal = !isnan(c->force[0]) || !isnan(c->total[0]) || !isnan(c->moment[0]);
    const ig_set *set;
    if (factor == 0)
      continue;
    if (of_masses(s, c)) {
      ig_lid *node, count;
      IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
      ig_structure_points_weight(s, node, count, c->acceleration, factor, f);
      free(node);
    } else if (!isnan(c->acceleration[0]) || (!isnan(c->rate) && !s->large)) {
      IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_ELEMENTS, &set));
      IG_TRY(bodies_load(s, c, set, factor, time, f));
    } else if (nodal) {
      ig_lid *node, count;
      IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
      ig_status status = IG_OK;
      const double *force = isnan(c->force[0]) ? c->total : c->force;
      for (ig_lid k = 0; k < count && !isnan(force[0]); k++)
        ig_structure_expansion_load(s, node[k], force, factor * share_of(s, i, k, count), f);
      for (ig_lid k = 0; k < count && status == IG_OK; k++)
        for (int d = 0; d < 3 && status == IG_OK; d++) {
          if (isnan(c->moment[0]))
            continue;
          if (!s->turn || s->turn[node[k]] < 0)
            status = ig_fail_at(s->cx, &c->at,
                                "`moment`: node %d does not turn: it is no reference of a coupling",
                                (int)node[k]);
          else
            f[s->turn[node[k]] + d] += factor * c->moment[d];
        }
      free(node);
      IG_TRY(status);
    }
  }
  for (int k = 0; k < IG_FACE_KINDS && !s->large; k++) {
    const ig_structure_faces *g = &s->faces[k];
    double fe[24];
    for (int32_t i = 0; i < g->count; i++) {
      face_press(g, i, time, NULL, false, fe, NULL);
      for (int a = 0; a < 3 * g->nodes; a++)
        f[g->unknown[(size_t)i * (size_t)(3 * g->nodes) + (size_t)a]] += fe[a];
    }
  }
  return IG_OK;
}

/* Callback of Newton's method: temperatures of the trial time first, then external forces. */
ig_status ig_structure_loads(void *self, const ig_trial *at, double *f) {
  ig_structure *s = self;
  IG_TRY(ig_structure_heat(s, at->time));
  IG_TRY(ig_structure_loads_at(s, at->time, f));
  if (!s->dynamic)
    return IG_OK;
  const double share = s->alpha / (1 + s->alpha); /* HHT: what the state before is out of balance */
  for (int32_t i = 0; i < s->unknowns; i++)
    f[i] -= share * s->force_before[i];
  return IG_OK;
}

/* --- loads on what is held */

/* The first analysis in which a load acts, from 0; -1: none. */
static int acts_first(const ig_structure *s, const ig_structure_load *c) {
  double begin = 0;
  for (int i = 0; i < s->c->analysis.count; i++) {
    const double end = begin + IG_ITEM(const ig_structure_analysis, s->c->analysis, i)->duration;
    bool acts = !c->history.count || ig_table_at(&c->history, begin) != 0 ||
                ig_table_at(&c->history, end) != 0;
    for (int k = 0; k < c->history.count; k++)
      acts |= c->history.x[k] >= begin && c->history.x[k] <= end && c->history.y[k] != 0;
    if (acts && ig_structure_acts(i, c->first, c->last))
      return i;
    begin = end;
  }
  return -1;
}

static unsigned held_at(const ig_structure *s, ig_lid node) {
  unsigned held = 0;
  for (int d = 0; d < 6; d++) {
    const int32_t unknown = ig_structure_unknown_at(s, node, d);
    held |= unknown < 0 || s->held_of[unknown] >= 0 ? 1u << d : 0;
  }
  return held;
}

/* Forces, moments and pressures, whose nodes are those of solids as expanded. */
static ig_status reach_of(ig_structure *s, int i, ig_load_reach *reach) {
  const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
  const double *force = isnan(c->force[0]) ? c->total : c->force;
  if (!isnan(force[0]) || !isnan(c->moment[0])) {
    double both[6] = {0};
    ig_lid *node, count;
    for (int d = 0; d < 3; d++) {
      both[d] = isnan(force[0]) ? 0 : force[d];
      both[3 + d] = isnan(c->moment[0]) ? 0 : c->moment[d];
    }
    IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
    for (ig_lid k = 0; k < count; k++)
      ig_load_reaches(reach, both, 6, held_at(s, node[k]));
    free(node);
  }
  for (int k = 0; k < IG_FACE_KINDS && !isnan(c->pressure); k++) {
    const ig_structure_faces *g = &s->faces[k];
    for (int32_t face = 0; face < g->count; face++) {
      double X[24], u[24], f[24] = {0};
      if (g->load[face] != i)
        continue;
      const ig_lid *node = g->node + (size_t)face * (size_t)g->nodes;
      ig_structure_gather(s, node, g->nodes, NULL, X, u);
      ig_solid_pressure(g->nodes, X, c->pressure, f, NULL, false);
      ig_structure_to_local(s, node, g->nodes, f, NULL);
      for (int a = 0; a < g->nodes; a++)
        ig_load_reaches(reach, f + 3 * a, 3, held_at(s, node[a]));
    }
  }
  return IG_OK;
}

ig_status ig_structure_held_loads(ig_structure *s) {
  for (int i = 0; i < s->c->loads.count; i++) {
    const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
    ig_load_reach reach = {0};
    if (acts_first(s, c) != s->analysis)
      continue;
    IG_TRY(reach_of(s, i, &reach));
    ig_warn_held(s->cx, &c->at, &reach);
  }
  return IG_OK;
}
