/* Nodes: their arrays, volumes, surface films and heat content. A node's volume is the sum of its
   shares of the elements there (lumped capacity); its film is the sum over bare faces. The same
   sums are taken at the start for all nodes and at births for those that change
   (ig_heat_node_values), in the same order, so that a run continued from a checkpoint has the same
   bits. */
#include "core/threads.h"
#include "thermal/engine/heat_make.h"
#include "thermal/engine/heat_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "thermal/engine/heat.inc"

/* J/m^3 of material m, from 0 K on. */
double ig_heat_content_at(const ig_heat *h, int m, double T) {
  return heat_content_f64((const heat_material_f64 *)h->material.table + m, T);
}

/* Heat content of node volumes at a temperature, J. */
double ig_heat_content_of(const ig_heat *h, const double *volume, double T) {
  double content = 0;
  for (int m = 0; m < h->material.count; m++)
    if (volume[m] > 0)
      content += volume[m] * ig_heat_content_at(h, m, T);
  return content;
}

/* 1 / capacity and body source of a node from its volumes; the only place that sums them, so that a
   continued run has the bits of the whole one. */
static void node_capacity(const ig_heat *h, ig_lid n, const double *volume, double *inverse,
                          double *body) {
  double all = 0, capacity = 0;
  for (int m = 0; m < h->material.count; m++) {
    all += volume[m];
    capacity += volume[m] * h->material.capacity[m];
  }
  const bool ghost = h->ghost && h->ghost[n]; /* its temperature comes from another rank */
  *inverse = all == 0 || ghost ? 0 : ig_heat_held(h, n) ? -1 : 1 / capacity;
  *body = all * h->body;
}

/* What the conditions in `mask` do together at node n; n < 0: anywhere, as numbers. */
heat_film_f64 ig_heat_class_sum(const ig_heat_condition *condition, int count, double ambient,
                                uint32_t mask, ig_lid n) {
  /* Stefan-Boltzmann constant, W/(m^2 K^4), CODATA 2018 */
  const double sigma = 5.670374419e-8;
  heat_film_f64 sum = {0};
  for (int i = 0; i < count; i++) {
    const ig_heat_condition *c = &condition[i];
    if (!(mask >> i & 1))
      continue;
    const double here = ig_heat_value_at(c->ambient_of, c->ambient, n);
    const double Ta = isnan(here) ? ambient : here;
    if (!isnan(c->flux))
      sum.flux += ig_heat_value_at(c->flux_of, c->flux, n);
    if (!isnan(c->h)) {
      const double h = ig_heat_value_at(c->h_of, c->h, n);
      sum.h += h;
      sum.h_amb += h * Ta;
    }
    if (!isnan(c->emissivity)) {
      sum.e += sigma * c->emissivity;
      sum.e_amb += sigma * c->emissivity * Ta * Ta * Ta * Ta;
    }
    if (c->boils)
      sum.boils = 1; /* for any caller, and how often */
  }
  return sum;
}

/* Of classes with values from fields node by node; of all others one film per class. */
heat_film_f64 ig_heat_film_at(const ig_heat *h, int class, ig_lid n) {
  return h->face.varies[class] ? ig_heat_class_sum(h->face.condition, h->face.conditions,
                                                   h->face.ambient, h->face.mask[class], n)
                               : h->face.film[class];
}

/* Adds the film of element face f, where it is bare now, at node n. */
static void film_sum(const ig_heat *h, ig_lid e, int f, ig_lid n, double area, heat_film_f64 *sum) {
  const heat_film_f64 bare = ig_heat_film_at(h, h->face.exposed[6 * (int64_t)e + f], n);
  ig_heat_film_add(sum, &bare, area);
}
/* Whether face f of element e counts in films of nodes: lumped surfaces only; the other forms
   integrate faces in kernels (heat_face). */
static bool bare_face(const ig_heat *h, ig_lid e, int f) {
  return h->surface == IG_HEAT_LUMPED && h->face.exposed[6 * (int64_t)e + f] != 0;
}

/* Sizes of what is there at node n, summed element by element, to zeros. volume: materials */
static void node_sizes(const ig_heat *h, ig_lid n, double *volume, heat_film_f64 *film) {
  for (ig_lid i = h->node.around.start[n]; i < h->node.around.start[n + 1]; i++) {
    const ig_lid e = h->node.around.item[i];
    if (e >= h->next.elements)
      continue;
    ig_heat_shape own;
    const ig_heat_shape *s = ig_heat_shape_of(h, e, &own);
    const ig_lid *conn = ig_heat_conn(h, e);
    for (int a = 0; a < 8; a++)
      if (conn[a] == n)
        volume[((uint8_t *)h->material.of.host)[e]] += s->volume[a];
    for (int f = 0; f < 6; f++)
      for (int b = 0; b < 4 && bare_face(h, e, f); b++)
        if (conn[ig_heat_corner[ig_elem_face(IG_HEX8, f)[b]]] == n)
          film_sum(h, e, f, n, s->area[f][b], film);
  }
}

/* The same for all nodes of elements that have no classes: their shapes, by all threads, so many at
   a time; then they are added one after the other, to have the order of node_sizes. */
static ig_status sizes_without_classes(ig_ctx *cx, const ig_heat *h, double *volume,
                                       heat_film_f64 *film) {
  enum { SHAPES = 2048 };
  ig_heat_shape *shape;
  IG_TRY(IG_NEW(cx, &shape, SHAPES, "element shapes"));
  for (ig_lid first = 0; first < h->next.elements; first += SHAPES) {
    const ig_lid left = h->next.elements - first, count = left < SHAPES ? left : SHAPES;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, count, IG_WORK_ELEMENT))
    for (ig_lid i = 0; i < count; i++)
      ig_heat_shape_of(h, first + i, &shape[i]);
    for (ig_lid e = first; e < first + count; e++) {
      const ig_heat_shape *s = &shape[e - first];
      const ig_lid *conn = ig_heat_conn(h, e);
      const int m = ((uint8_t *)h->material.of.host)[e];
      for (int a = 0; a < 8; a++)
        volume[(int64_t)conn[a] * h->material.count + m] += s->volume[a];
      for (int f = 0; f < 6; f++)
        for (int b = 0; b < 4 && bare_face(h, e, f); b++) {
          const ig_lid n = conn[ig_heat_corner[ig_elem_face(IG_HEX8, f)[b]]];
          film_sum(h, e, f, n, s->area[f][b], &film[n]);
        }
    }
  }
  free(shape);
  return IG_OK;
}

/* The sizes of all nodes. volume: nodes x materials; film: nodes */
static ig_status sizes_sum(ig_ctx *cx, const ig_heat *h, double *volume, heat_film_f64 *film) {
  if (!h->shape.classes.count)
    return sizes_without_classes(cx, h, volume, film);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, h->nodes, IG_WORK_ELEMENT))
  for (ig_lid n = 0; n < h->nodes; n++)
    node_sizes(h, n, &volume[(int64_t)n * h->material.count], &film[n]);
  return IG_OK;
}

/* For births: what node n is with the elements of the next step. */
void ig_heat_node_values(const ig_heat *h, ig_lid n, ig_heat_patch *patch, double *volume) {
  memset(volume, 0, (size_t)h->material.count * sizeof *volume);
  node_sizes(h, n, volume, &patch->film);
  node_capacity(h, n, volume, &patch->inverse, &patch->body);
}

/* In the precision of element work; made by whichever form first asks. */
ig_status ig_heat_nodes_place(ig_ctx *cx, ig_heat *h) {
  const size_t n = (size_t)h->nodes, work = ig_heat_work_size(h);
  if (h->node.x.dev)
    return IG_OK;
  IG_TRY(ig_array_new(cx, &h->node.x, 3 * n, work, "coordinates"));
  for (int64_t i = 0; i < 3 * (int64_t)n; i++)
    ig_heat_put(h->node.x.host, work, i, h->node.point[i]);
  return ig_array_push(cx, &h->node.x);
}

/* What a rank without elements has, too: its nodes take part in exchanges and sums. */
ig_status ig_heat_state_make(ig_ctx *cx, ig_heat *h) {
  const size_t n = (size_t)h->nodes, state = ig_heat_state_size(h);
  IG_TRY(ig_array_new(cx, &h->node.T, n, state, "temperature"));
  if (h->capacity == IG_HEAT_ENTHALPY)
    IG_TRY(ig_array_new(cx, &h->node.H, n, state, "heat content"));
  if (h->boils) {
    IG_TRY(ig_array_new(cx, &h->node.evaporated, n, 8, "ledger"));
    IG_TRY(ig_array_zero(cx, &h->node.evaporated));
  }
  IG_TRY(ig_array_new(cx, &h->node.ledger, n * IG_LEDGER_COLUMNS, 8, "ledger"));
  return ig_array_zero(cx, &h->node.ledger);
}

/* Allocates what this engine needs and nothing else: each array has a condition of its own. With
   the stencil form rows replace volumes, films and capacities. */
ig_status ig_heat_nodes_make(ig_ctx *cx, ig_heat *h, bool leaps, bool crossings) {
  const size_t n = (size_t)h->nodes, state = ig_heat_state_size(h);
  IG_TRY(ig_heat_state_make(cx, h));
  IG_TRY(ig_array_new(cx, &h->node.R, n, state, "heat into nodes"));
  IG_TRY(ig_array_zero(cx, &h->node.R));
  if (h->conduction == IG_HEAT_RECOMPUTE || h->past.every || h->face.count || h->birth.events > 1)
    IG_TRY(ig_heat_nodes_place(cx, h));
  if (h->past.every) {
    IG_TRY(ig_array_new(cx, &h->past.track, IG_TRACK_COLUMNS * (size_t)h->elements, sizeof(float),
                        "elements' past"));
    IG_TRY(ig_array_zero(cx, &h->past.track));
  }
  if (crossings && h->past.every) {
    /* a batch is milliseconds long: few elements melt and freeze again in one */
    IG_TRY(ig_array_new(cx, &h->past.crossing, (size_t)h->elements + 65536,
                        sizeof(ig_heat_crossing), "melting and solidification"));
    IG_TRY(ig_array_new(cx, &h->past.crossings, 1, sizeof(uint64_t), "melting and solidification"));
    IG_TRY(ig_array_zero(cx, &h->past.crossings));
  }
  if (leaps) {
    IG_TRY(ig_array_new_device(cx, &h->node.base, n, state, "long steps"));
    IG_TRY(ig_array_new_device(cx, &h->node.base_rate, n, state, "long steps"));
    IG_TRY(ig_array_new_device(cx, &h->node.previous, n, state, "long steps"));
  }
  if (h->conduction == IG_HEAT_STENCIL) {
    IG_TRY(ig_array_new_device(cx, &h->node.T_next, n, state, "temperature"));
    return ig_array_new(cx, &h->rows.of, n, sizeof(int32_t), "node rows");
  }
  IG_TRY(ig_array_new(cx, &h->node.inverse, n, state, "capacity"));
  IG_TRY(ig_array_new(cx, &h->node.volume, n * (size_t)h->material.count, state, "node volumes"));
  if (h->surface == IG_HEAT_LUMPED) {
    IG_TRY(ig_array_new(cx, &h->node.film, n, ig_heat_film_size(state == sizeof(float)),
                        "surface films"));
    IG_TRY(ig_array_new(cx, &h->node.filmed, n, 1, "nodes with films"));
  }
  if (h->body != 0)
    IG_TRY(ig_array_new(cx, &h->node.body, n, state, "body source"));
  if (h->elems.how == IG_CLUSTER)
    IG_TRY(ig_array_new_device(cx, &h->node.slots, (size_t)h->cluster.of.slots, state,
                               "cluster slots"));
  if (h->elems.how == IG_GATHER) {
    IG_TRY(ig_array_new_device(cx, &h->node.slots, (size_t)h->elems.slots, state, "gather slots"));
    IG_TRY(ig_array_zero(cx, &h->node.slots));
    if (h->face.count) {
      IG_TRY(ig_array_new_device(cx, &h->face.slots, (size_t)h->face.plan.slots, state,
                                 "gather slots"));
      IG_TRY(ig_array_zero(cx, &h->face.slots));
    }
  }
  return IG_OK;
}

/* `filmed`: kernels read a byte and look at the film only where it does something. */
static void film_put(ig_heat *h, ig_lid n, const heat_film_f64 *film) {
  ig_heat_film_put(h->node.film.host, h->precision == IG_SINGLE, n, film);
  ((uint8_t *)h->node.filmed.host)[n] = heat_film_acts_f64(film);
}

/* After a change of boundary values all films are summed again from the faces, rather than scaled:
   a node may touch faces of several classes. */
ig_status ig_heat_films_fill(ig_ctx *cx, ig_heat *h) {
  if (!h->node.film.host)
    return IG_OK;
  double *volume = NULL;
  heat_film_f64 *film = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, &volume, (size_t)h->nodes * (size_t)h->material.count, "node sizes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &film, h->nodes, "node sizes"));
  IG_TRY_GOTO(status, done, sizes_sum(cx, h, volume, film));
  for (ig_lid n = 0; n < h->nodes; n++)
    film_put(h, n, &film[n]);
  IG_TRY_GOTO(status, done, ig_array_push(cx, &h->node.film));
  status = ig_array_push(cx, &h->node.filmed);
done:
  free(volume);
  free(film);
  return status;
}

/* The arrays of all nodes, as the elements of the start make them. */
ig_status ig_heat_nodes_begin(ig_ctx *cx, ig_heat *h) {
  const size_t state = ig_heat_state_size(h);
  const int M = h->material.count;
  double *volume = NULL;
  heat_film_f64 *film = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &volume, (size_t)h->nodes * (size_t)M, "node sizes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &film, h->nodes, "node sizes"));
  IG_TRY_GOTO(status, done, sizes_sum(cx, h, volume, film));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, h->nodes, IG_WORK_NODE))
  for (ig_lid n = 0; n < h->nodes; n++) {
    const double *sum = &volume[(int64_t)n * M];
    double inverse, body;
    node_capacity(h, n, sum, &inverse, &body);
    for (int m = 0; m < M; m++)
      ig_heat_put(h->node.volume.host, state, (int64_t)n * M + m, sum[m]);
    ig_heat_put(h->node.inverse.host, state, n, inverse);
    if (h->node.H.host)
      ig_heat_put(h->node.H.host, state, n, ig_heat_content_of(h, sum, ig_heat_start(h, n)));
    if (h->node.film.host)
      film_put(h, n, &film[n]);
    if (h->node.body.host)
      ig_heat_put(h->node.body.host, state, n, body);
  }
done:
  free(volume);
  free(film);
  return status;
}
