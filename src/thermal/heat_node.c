/* Nodes: their arrays, volumes, films and heat content. */
#include "thermal/heat_make.h"
#include "thermal/heat_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "thermal/heat.inc"

double ig_heat_content_at(const ig_heat *h, int m, double T) {
  return heat_content_f64((const heat_material_f64 *)h->material_tables + m, T);
}

/* Heat content of node volumes at a temperature, J. */
double ig_heat_content_of(const ig_heat *h, const double *volume, double T) {
  double content = 0;
  for (int m = 0; m < h->materials; m++)
    if (volume[m] > 0)
      content += volume[m] * ig_heat_content_at(h, m, T);
  return content;
}

double ig_heat_born_content(const ig_heat *h, double T) {
  double content = 0;
  for (ig_lid e = h->event_start[1]; e < h->now.elements; e++) {
    ig_heat_shape room;
    const ig_heat_shape *s = ig_heat_shape_of(h, e, &room);
    for (int a = 0; a < 8; a++)
      content += s->volume[a] * ig_heat_content_at(h, ((uint8_t *)h->material.host)[e], T);
  }
  return content;
}

/* 1 / capacity and body source of a node from its volumes; the only place that sums them, so that a
   continued run has the bits of the whole one. */
static void node_capacity(const ig_heat *h, ig_lid n, const double *volume, double *inverse,
                          double *body) {
  double all = 0, capacity = 0;
  for (int m = 0; m < h->materials; m++) {
    all += volume[m];
    capacity += volume[m] * h->capacity_low[m];
  }
  *inverse = all == 0 ? 0 : ig_heat_held(h, n) ? -1 : 1 / capacity;
  *body = all * h->body;
}

/* Sizes of what is there, summed element by element: nodes x (materials + 5), volumes and film. */
static void sizes_sum(const ig_heat *h, double *sum) {
  const int stride = h->materials + 5;
  for (ig_lid e = 0; e < h->next.elements; e++) {
    ig_heat_shape room;
    const ig_heat_shape *s = ig_heat_shape_of(h, e, &room);
    const ig_lid *conn = ig_heat_conn(h, e);
    const int m = ((uint8_t *)h->material.host)[e];
    for (int a = 0; a < 8; a++)
      sum[(int64_t)conn[a] * stride + m] += s->volume[a];
    for (int f = 0; f < 6 && h->surface == IG_HEAT_LUMPED; f++) {
      const uint8_t class = h->exposed[6 * (int64_t)e + f];
      for (int b = 0; b < 4 && class; b++)
        for (int k = 0; k < 5; k++)
          sum[(int64_t)conn[ig_heat_corner[ig_elem_face(IG_HEX8, f)[b]]] * stride + h->materials +
              k] += h->surface_class_of[class][k] * s->area[f][b];
    }
  }
}

/* What node n is now: 1 / capacity, volumes, film, body source. value: 7 + materials */
void ig_heat_node_values(const ig_heat *h, ig_lid n, double *value) {
  double *volume = value + 1, *film = volume + h->materials, *body = film + 5;
  memset(value, 0, (7 + (size_t)h->materials) * sizeof *value);
  for (ig_lid i = h->around.start[n]; i < h->around.start[n + 1]; i++) {
    const ig_lid e = h->around.item[i];
    if (e >= h->next.elements)
      continue;
    ig_heat_shape room;
    const ig_heat_shape *s = ig_heat_shape_of(h, e, &room);
    const ig_lid *conn = ig_heat_conn(h, e);
    int a = 0;
    while (conn[a] != n)
      a++;
    const int m = ((uint8_t *)h->material.host)[e];
    volume[m] += s->volume[a];
    for (int f = 0; f < 6 && h->surface == IG_HEAT_LUMPED; f++) {
      const uint8_t class = h->exposed[6 * (int64_t)e + f];
      if (class == 0)
        continue;
      for (int b = 0; b < 4; b++)
        if (ig_heat_corner[ig_elem_face(IG_HEX8, f)[b]] == a)
          for (int k = 0; k < 5; k++)
            film[k] += h->surface_class_of[class][k] * s->area[f][b];
    }
  }
  node_capacity(h, n, volume, value, body);
}

ig_status ig_heat_nodes_make(ig_ctx *cx, ig_heat *h, bool leaps) {
  const size_t n = (size_t)h->nodes, state = ig_heat_state_size(h), work = ig_heat_work_size(h);
  IG_TRY(ig_array_new(cx, &h->T, n, state, "temperature"));
  IG_TRY(ig_array_new(cx, &h->R, n, state, "heat into nodes"));
  IG_TRY(ig_array_zero(cx, &h->R));
  IG_TRY(ig_array_new(cx, &h->node_ledger, n * IG_LEDGER_COLUMNS, 8, "ledger"));
  IG_TRY(ig_array_zero(cx, &h->node_ledger));
  if (h->conduction == IG_HEAT_RECOMPUTE || h->track_every || h->face_count || h->events > 1) {
    IG_TRY(ig_array_new(cx, &h->x, 3 * n, work, "coordinates"));
    for (int64_t i = 0; i < 3 * (int64_t)n; i++)
      ig_heat_put(h->x.host, work, i, h->point[i]);
    IG_TRY(ig_array_push(cx, &h->x));
  }
  if (h->track_every) {
    IG_TRY(ig_array_new(cx, &h->track, IG_TRACK_COLUMNS * (size_t)h->elements, sizeof(float),
                        "elements' past"));
    IG_TRY(ig_array_zero(cx, &h->track));
  }
  if (leaps) {
    IG_TRY(ig_array_new_device(cx, &h->base, n, state, "long steps"));
    IG_TRY(ig_array_new_device(cx, &h->base_rate, n, state, "long steps"));
    IG_TRY(ig_array_new_device(cx, &h->previous, n, state, "long steps"));
  }
  if (h->conduction == IG_HEAT_STENCIL) {
    IG_TRY(ig_array_new_device(cx, &h->T_next, n, state, "temperature"));
    return ig_array_new(cx, &h->row, n, sizeof(int32_t), "node rows");
  }
  IG_TRY(ig_array_new(cx, &h->inverse, n, state, "capacity"));
  IG_TRY(ig_array_new(cx, &h->volume, n * (size_t)h->materials, state, "node volumes"));
  if (h->capacity == IG_HEAT_ENTHALPY)
    IG_TRY(ig_array_new(cx, &h->H, n, state, "heat content"));
  if (h->surface == IG_HEAT_LUMPED)
    IG_TRY(ig_array_new(cx, &h->film, 5 * n, state, "surface films"));
  if (h->body != 0)
    IG_TRY(ig_array_new(cx, &h->body_power, n, state, "body source"));
  if (h->elems.how == IG_GATHER) {
    IG_TRY(ig_array_new_device(cx, &h->slots, (size_t)h->elems.slots, state, "gather slots"));
    IG_TRY(ig_array_zero(cx, &h->slots));
    if (h->face_count) {
      IG_TRY(
          ig_array_new_device(cx, &h->face_slots, (size_t)h->faces.slots, state, "gather slots"));
      IG_TRY(ig_array_zero(cx, &h->face_slots));
    }
  }
  return IG_OK;
}

ig_status ig_heat_films_fill(ig_ctx *cx, ig_heat *h) {
  if (!h->film.host)
    return IG_OK;
  const int M = h->materials, stride = M + 5;
  double *sums;
  IG_TRY(IG_NEW(cx, &sums, (size_t)h->nodes * (size_t)stride, "node sizes"));
  sizes_sum(h, sums);
  for (ig_lid n = 0; n < h->nodes; n++)
    for (int k = 0; k < 5; k++)
      ig_heat_put(h->film.host, ig_heat_state_size(h), 5 * (int64_t)n + k,
                  sums[(int64_t)n * stride + M + k]);
  free(sums);
  return ig_array_push(cx, &h->film);
}

/* The arrays of all nodes, as the elements of the start make them. */
ig_status ig_heat_nodes_begin(ig_ctx *cx, ig_heat *h) {
  const size_t state = ig_heat_state_size(h);
  const int M = h->materials, stride = M + 5;
  double *sums;
  IG_TRY(IG_NEW(cx, &sums, (size_t)h->nodes * (size_t)stride, "node sizes"));
  sizes_sum(h, sums);
  for (ig_lid n = 0; n < h->nodes; n++) {
    const double *sum = &sums[(int64_t)n * stride];
    double inverse, body;
    node_capacity(h, n, sum, &inverse, &body);
    for (int m = 0; m < M; m++)
      ig_heat_put(h->volume.host, state, (int64_t)n * M + m, sum[m]);
    ig_heat_put(h->inverse.host, state, n, inverse);
    if (h->H.host)
      ig_heat_put(h->H.host, state, n, ig_heat_content_of(h, sum, ig_heat_start(h, n)));
    for (int k = 0; k < 5 && h->film.host; k++)
      ig_heat_put(h->film.host, state, 5 * (int64_t)n + k, sum[M + k]);
    if (h->body_power.host)
      ig_heat_put(h->body_power.host, state, n, body);
  }
  free(sums);
  return IG_OK;
}
