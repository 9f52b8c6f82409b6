/* Temperatures by conduction: C dT/dt + K(T) T = Q, by backward differences in time (Euler), or
   steady; films, radiation to a sink, prescribed temperatures, heat from outside. Unknowns are the
   temperatures of the nodes, the increments those of Newton's method (implicit/newton.h).

   A heat analysis uses the same mesh and groups as the others, with one unknown per node instead
   of three: ig_structure_heat_begin makes groups, system and model of its own. Callbacks of
   Newton's method: heat_in (loads), prescribe (motions), heat_accepted. at->u are increments of
   temperature from s->T. Later analyses see the temperatures reached by s->heated. */
#include "structure/constrain.h"
#include "mesh/face_place.h"
#include "mesh/named.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Faces of one number of nodes that exchange heat; load: entry of heat_loads of each. */
typedef struct {
  ig_structure *of;
  int nodes; /* of a face */
  int32_t count;
  int32_t *node; /* count x nodes: the unknowns */
  int *load;
} exchange_faces;

/* Owned by the model, made anew for each heat analysis. node[]: one array per group, ended by
   NULL. */
struct ig_structure_exchange {
  exchange_faces faces[IG_FACE_KINDS]; /* with films or radiation */
  int32_t **node;                      /* of groups: unknowns */
  int *prescribed;                     /* node -> prescribed_temperatures, -1: none */
  int32_t *number;                     /* node -> constraint */
  double rate_off;                     /* 0: steady, 1: transient */
};

void ig_structure_exchange_free(ig_structure_exchange *x) {
  if (!x)
    return;
  for (int k = 0; k < IG_FACE_KINDS; k++) {
    free(x->faces[k].node);
    free(x->faces[k].load);
  }
  for (int i = 0; x->node && x->node[i]; i++)
    free(x->node[i]);
  free(x->node);
  free(x->prescribed);
  free(x->number);
  free(x);
}

/* Conductivity and its like of an element's material.
   Tables of the case; they live as long as the job. */
static ig_solid_thermal thermal_of(const ig_structure_group *g, int32_t e) {
  const ig_material_case *m = g->of->material[g->material[e]];
  return (ig_solid_thermal){&m->conductivity, &m->density, &m->specific_heat};
}

/* flux: points x 3, W/m^2. Temperature 0 where the model has none. */
ig_status ig_structure_flux(const ig_structure *s, const ig_structure_group *g, int32_t e,
                            double *flux) {
  const ig_solid_thermal m = thermal_of(g, e);
  double X[3 * IG_SOLID_NODES], T[IG_SOLID_NODES];
  IG_TRY(ig_material_require(s->cx, s->material[g->material[e]], "conductivity", "heat_flux"));
  for (int a = 0; a < ig_solid_info_get(g->kind)->nodes; a++) {
    memcpy(X + 3 * a, s->mesh->x + 3 * (size_t)g->node[e][a], 3 * sizeof *X);
    T[a] = s->T ? s->T[g->node[e][a]] : 0;
  }
  ig_solid_flux(g->kind, &m, X, T, flux);
  return IG_OK;
}

/* No history: the factor 1 from the beginning. */
static double factor_at(const ig_table *history, double time) {
  return history->count ? ig_table_at(history, time) : 1;
}

/* rate = 1 / time step, 0 in a steady analysis: then no storage. */
static ig_status conduct(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                         double *k, ig_trouble *trouble) {
  const ig_structure_group *g = self;
  const ig_structure *s = g->of;
  const int npe = ig_solid_info_get(g->kind)->nodes;
  const double rate = at->step > 0 ? s->exchange->rate_off / at->step : 0;
  (void)trouble;
  for (int32_t e = begin; e < end; e++) {
    double X[3 * IG_SOLID_NODES], T[IG_SOLID_NODES], before[IG_SOLID_NODES];
    const ig_solid_thermal m = thermal_of(g, e);
    for (int a = 0; a < npe; a++) {
      const size_t n = (size_t)g->node[e][a];
      memcpy(X + 3 * a, s->mesh->x + 3 * n, 3 * sizeof *X);
      before[a] = s->T[n];
      T[a] = before[a] + (at->u ? at->u[n] : 0);
    }
    ig_solid_conduct(g->kind, &m, X, T, before, rate, f + (size_t)(e - begin) * (size_t)npe,
                     k ? k + (size_t)(e - begin) * (size_t)(npe * npe) : NULL);
  }
  return IG_OK;
}

/* Films and radiation.
   Heat out of the body: film (T - sink) + emissivity sigma ((T - T0)^4 - (sink - T0)^4), T0
   absolute zero on the scale of the case; ke is its exact derivative.
   Radiation is linearised exactly, 4 sigma T^3: Newton's method converges quadratically. */
static ig_status exchange(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                          double *k, ig_trouble *trouble) {
  const exchange_faces *g = self;
  const ig_structure *s = g->of;
  const int n = g->nodes;
  (void)trouble;
  for (int32_t i = begin; i < end; i++) {
    const ig_structure_heat_load *c =
        IG_ITEM(const ig_structure_heat_load, s->c->heat_loads, g->load[i]);
    const int32_t *node = g->node + (size_t)i * (size_t)n;
    double *fe = f + (size_t)(i - begin) * (size_t)n;
    double *ke = k ? k + (size_t)(i - begin) * (size_t)(n * n) : NULL;
    double place[9][2], weight[9];
    const double sink = c->sink * factor_at(&c->history, at->time), zero = s->c->absolute_zero;
    const double shine = isnan(c->emissivity) ? 0 : c->emissivity * s->c->stefan_boltzmann;
    const double film = isnan(c->film) ? 0 : c->film;
    memset(fe, 0, (size_t)n * sizeof *fe);
    if (ke)
      memset(ke, 0, (size_t)(n * n) * sizeof *ke);
    const int points = ig_face_rule(n, place, weight);
    for (int q = 0; q < points; q++) {
      double N[8], d[8][2], t[2][3] = {{0}}, T = 0, area = 0;
      ig_face_values(n, place[q], N, d);
      for (int a = 0; a < n; a++) {
        T += N[a] * (s->T[node[a]] + (at->u ? at->u[node[a]] : 0));
        for (int j = 0; j < 6; j++)
          t[j / 3][j % 3] += d[a][j / 3] * s->mesh->x[3 * (size_t)node[a] + (size_t)(j % 3)];
      }
      for (int j = 0; j < 3; j++) {
        const double c1 =
            t[0][(j + 1) % 3] * t[1][(j + 2) % 3] - t[0][(j + 2) % 3] * t[1][(j + 1) % 3];
        area += c1 * c1;
      }
      area = sqrt(area) * weight[q];
      /* W/m^2 out of the body; change: its derivative by T. */
      const double flow = film * (T - sink) + shine * (pow(T - zero, 4) - pow(sink - zero, 4));
      const double change = film + 4 * shine * pow(T - zero, 3);
      for (int a = 0; a < n; a++) {
        fe[a] += area * N[a] * flow;
        for (int b = 0; ke && b < n; b++)
          ke[a * n + b] += area * N[a] * N[b] * change;
      }
    }
  }
  return IG_OK;
}

/* Heat from outside at a time, into f[nodes].
   Loads of power (nodes), flux (faces) and source (elements). The sets are looked up at each
   evaluation; they are few. */
static ig_status heat_in(void *self, const ig_trial *at, double *f) {
  ig_structure *s = self;
  for (int i = 0; i < s->c->heat_loads.count; i++) {
    const ig_structure_heat_load *c = IG_ITEM(const ig_structure_heat_load, s->c->heat_loads, i);
    const double factor =
        ig_structure_acts(s->analysis, c->first, c->last) ? factor_at(&c->history, at->time) : 0;
    if (!isnan(c->power)) {
      ig_lid *node, count;
      IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
      for (ig_lid k = 0; k < count; k++)
        f[node[k]] += factor * c->power;
      free(node);
    }
    if (!isnan(c->flux)) {
      const ig_set *set;
      IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_FACES, &set));
      for (ig_lid k = 0; k < set->count; k++) {
        ig_lid node[8];
        double w[8];
        const int n = ig_mesh_face_nodes(s->mesh, set->item[k], set->face[k], node);
        ig_structure_face_weights(s->mesh, n, node, w);
        for (int a = 0; a < n; a++)
          f[node[a]] += factor * c->flux * w[a];
      }
    }
    if (!isnan(c->source)) {
      const ig_set *set;
      uint8_t *in;
      IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_ELEMENTS, &set));
      IG_TRY(IG_NEW(s->cx, &in, ig_mesh_elements(s->mesh) + 1, "heat"));
      for (ig_lid k = 0; k < set->count; k++)
        in[set->item[k]] = 1;
      for (int j = 0; j < s->groups; j++) {
        const ig_structure_group *g = &s->group[j];
        const int npe = ig_solid_info_get(g->kind)->nodes;
        for (int32_t e = 0; e < g->count; e++) {
          double X[3 * IG_SOLID_NODES], w[IG_SOLID_NODES];
          if (!in[g->element[e]])
            continue;
          for (int a = 0; a < npe; a++)
            memcpy(X + 3 * a, s->mesh->x + 3 * (size_t)g->node[e][a], 3 * sizeof *X);
          ig_solid_weights(g->kind, NULL, X, w);
          for (int a = 0; a < npe; a++)
            f[g->node[e][a]] += factor * c->source * w[a];
        }
      }
      free(in);
    }
  }
  return IG_OK;
}

/* From what was reached to the prescribed temperature.
   g is the increment from the temperature reached, so that rounding does not add up over steps. */
static ig_status prescribe(void *self, double from, double to) {
  ig_structure *s = self;
  const ig_structure_exchange *x = s->exchange;
  (void)from;
  for (ig_lid n = 0; n < s->nodes; n++)
    if (x->prescribed[n] >= 0) {
      const ig_structure_prescribed *c =
          IG_ITEM(const ig_structure_prescribed, s->c->prescribed_temperatures, x->prescribed[n]);
      s->system->constraint[x->number[n]].g = c->temperature * factor_at(&c->history, to) - s->T[n];
    }
  return IG_OK;
}

/* heat_flow is evaluated before T moves on: conduct adds at->u itself. */
static ig_status heat_accepted(void *self, const ig_trial *at) {
  ig_structure *s = self;
  memset(s->heat_flow, 0, (size_t)s->nodes * sizeof *s->heat_flow);
  for (int i = 0; i < s->groups; i++) {
    ig_structure_group *g = &s->group[i];
    const int npe = ig_solid_info_get(g->kind)->nodes;
    double f[IG_SOLID_NODES];
    for (int32_t e = 0; e < g->count; e++) {
      IG_TRY(conduct(g, at, e, e + 1, f, NULL, NULL));
      for (int a = 0; a < npe; a++)
        s->heat_flow[g->node[e][a]] += f[a];
    }
  }
  for (ig_lid n = 0; n < s->nodes; n++)
    s->heated[n] = s->T[n] += at->u[n];
  s->time = at->time;
  return IG_OK;
}

/* Faces are grouped by their number of nodes, since a group of the engine has a fixed number of
   unknowns per item. */
static ig_status faces_find(ig_structure *s, ig_structure_exchange *x) {
  static const int nodes[IG_FACE_KINDS] = {3, 4, 6, 8};
  for (int k = 0; k < IG_FACE_KINDS; k++)
    x->faces[k] = (exchange_faces){.of = s, .nodes = nodes[k]};
  for (int i = 0; i < s->c->heat_loads.count; i++) {
    const ig_structure_heat_load *c = IG_ITEM(const ig_structure_heat_load, s->c->heat_loads, i);
    const ig_set *set;
    if (isnan(c->film) && isnan(c->emissivity))
      continue;
    if (isnan(c->sink))
      return ig_fail_at(s->cx, &c->at, "`film` and `emissivity` need the temperature `sink`");
    if (!ig_structure_acts(s->analysis, c->first, c->last))
      continue;
    IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_FACES, &set));
    for (ig_lid f = 0; f < set->count; f++) {
      ig_lid node[8];
      const int n = ig_mesh_face_nodes(s->mesh, set->item[f], set->face[f], node);
      exchange_faces *g = &x->faces[n == 3 ? 0 : n == 4 ? 1 : n == 6 ? 2 : 3];
      IG_TRY(IG_MORE(s->cx, &g->load, g->count, "films"));
      int32_t *more = realloc(g->node, (size_t)(g->count + 1) * (size_t)n * sizeof *more);
      if (!more)
        return IG_FAIL(s->cx, IG_MEMORY, "no memory for films");
      g->node = more;
      for (int a = 0; a < n; a++)
        g->node[(size_t)g->count * (size_t)n + (size_t)a] = node[a];
      g->load[g->count++] = i;
    }
  }
  return IG_OK;
}

/* The last entry that names a node counts. */
static ig_status prescribed_find(ig_structure *s, ig_structure_exchange *x) {
  IG_TRY(IG_NEW(s->cx, &x->prescribed, s->nodes, "temperatures"));
  IG_TRY(IG_NEW(s->cx, &x->number, s->nodes, "temperatures"));
  for (ig_lid n = 0; n < s->nodes; n++)
    x->prescribed[n] = -1;
  for (int i = 0; i < s->c->prescribed_temperatures.count; i++) {
    const ig_structure_prescribed *c =
        IG_ITEM(const ig_structure_prescribed, s->c->prescribed_temperatures, i);
    ig_lid *node, count;
    if (s->analysis + 1 < c->first || (c->last && s->analysis + 1 > c->last))
      continue;
    IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
    for (ig_lid k = 0; k < count; k++)
      x->prescribed[node[k]] = i;
    free(node);
  }
  for (ig_lid n = 0; n < s->nodes; n++)
    if (x->prescribed[n] >= 0)
      IG_TRY(ig_system_constrain(s->system, (int32_t)n, 0, NULL, NULL, 0, &x->number[n]));
  return IG_OK;
}

ig_status ig_structure_heat_check(const ig_structure *s, const ig_structure_analysis *a) {
  if (s->c->ties.count || s->c->contacts.count)
    return ig_fail_at(s->cx, &a->at, "heat does not pass through `ties` and `contacts` yet");
  for (int i = 0; i < s->laws; i++)
    IG_TRY(ig_material_require(s->cx, s->material[i],
                               a->steady ? "conductivity" : "conductivity|density|specific_heat",
                               "a heat analysis"));
  return IG_OK;
}

/* For messages of Newton's method. */
static void node_name(void *self, int32_t unknown, char *text, size_t size) {
  const ig_structure *s = self;
  snprintf(text, size, "node %lld",
           (long long)(s->mesh->node_number ? s->mesh->node_number[unknown] : unknown + 1));
}

/* `length` is not used: there are no moments to compare with forces. */
ig_status ig_structure_heat_begin(ig_structure *s, const ig_structure_analysis *a) {
  int n = 0;
  ig_structure_exchange *x;
  ig_structure_exchange_free(s->exchange);
  s->exchange = NULL;
  IG_TRY(IG_NEW(s->cx, &x, 1, "heat"));
  s->exchange = x;
  x->rate_off = a->steady ? 0 : 1;
  IG_TRY(IG_NEW(s->cx, &x->node, s->groups + 1, "heat"));
  if (!s->heated) {
    IG_TRY(IG_NEW(s->cx, &s->heated, s->nodes, "temperatures"));
    IG_TRY(IG_NEW(s->cx, &s->heat_flow, s->nodes, "temperatures"));
  }
  IG_TRY(faces_find(s, x));
  for (int i = 0; i < s->groups; i++) {
    ig_structure_group *g = &s->group[i];
    const int npe = ig_solid_info_get(g->kind)->nodes;
    IG_TRY(IG_NEW(s->cx, &x->node[i], (size_t)g->count * (size_t)npe + 1, "heat"));
    for (size_t k = 0; k < (size_t)g->count * (size_t)npe; k++)
      x->node[i][k] = g->node[k / (size_t)npe][k % (size_t)npe];
    s->implicit[n++] = (ig_implicit_group){.name = "conduction",
                                           .self = g,
                                           .count = g->count,
                                           .unknowns = npe,
                                           .unknown = x->node[i],
                                           .evaluate = conduct};
  }
  for (int k = 0; k < IG_FACE_KINDS; k++)
    if (x->faces[k].count)
      s->implicit[n++] = (ig_implicit_group){.name = "film",
                                             .self = &x->faces[k],
                                             .count = x->faces[k].count,
                                             .unknowns = x->faces[k].nodes,
                                             .unknown = x->faces[k].node,
                                             .evaluate = exchange};
  s->implicit_groups = n;
  IG_TRY(ig_system_new(s->cx, (int32_t)s->nodes, &s->system));
  IG_TRY(prescribed_find(s, x));
  IG_TRY(ig_system_close(s->system, n, s->implicit));
  s->model = (ig_newton_model){.system = s->system,
                               .groups = n,
                               .group = s->implicit,
                               .begin = s->begin,
                               .end = s->begin + a->duration,
                               .length = 1,
                               .moving = true,
                               .self = s,
                               .loads = heat_in,
                               .motions = prescribe,
                               .accepted = heat_accepted,
                               .name = node_name};
  return IG_OK;
}
