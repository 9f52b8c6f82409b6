/* Building the engine: births, surfaces, shapes, capacities, the critical step; writing batches. */
#include "thermal/heat.h"
#include "backend/backend.h"
#include "thermal/heat_ops.h"
#include "thermal/heat_rows.h"
#include "thermal/heat_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "thermal/hex.inc"
#include "thermal/heat.inc"

const int ig_heat_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

/* --- shapes */

static void corners_of(const double *point, const ig_lid *conn, double *x) {
  for (int a = 0; a < 8; a++)
    for (int d = 0; d < 3; d++)
      x[8 * d + a] = point[3 * (int64_t)conn[a] + d] - point[3 * (int64_t)conn[0] + d];
}

/* Unit conductivity matrix, and volumes along the way. */
static void shape_matrix(const double *point, const ig_lid *conn, ig_heat_shape *shape) {
  double x[24], det[8], r[8];
  static const double one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  corners_of(point, conn, x);
  for (int b = 0; b < 8; b++) {
    double T[8] = {0};
    T[b] = 1;
    hex_conduct_f64(x, T, one, r, det);
    for (int a = b; a < 8; a++)
      shape->K[a * (a + 1) / 2 + b] = -r[a];
  }
  hex_points_f64(det);
  memcpy(shape->volume, det, sizeof det);
}

static void shape_sizes(const double *point, const ig_lid *conn, ig_heat_shape *shape) {
  double x[24], det[8], r[8];
  static const double one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  static const heat_surface_class_f64 unit = {.flux = 1};
  corners_of(point, conn, x);
  hex_conduct_f64(x, x, one, r, det);
  hex_points_f64(det);
  memcpy(shape->volume, det, sizeof det);
  for (int f = 0; f < 6; f++) {
    const int *corner = ig_elem_face(IG_HEX8, f);
    double y[12], zero[4] = {0}, out[3] = {0};
    for (int a = 0; a < 4; a++)
      for (int d = 0; d < 3; d++)
        y[3 * a + d] = x[8 * d + ig_heat_corner[corner[a]]];
    memset(shape->area[f], 0, sizeof shape->area[f]);
    heat_face_f64(&unit, y, zero, shape->area[f], out);
  }
}

const ig_heat_shape *ig_heat_shape_of(const ig_heat *h, ig_lid e, ig_heat_shape *room) {
  if (h->classes.count)
    return &h->class_shape[h->classes.of[e]];
  shape_sizes(h->point, ig_heat_conn(h, e), room);
  return room;
}

/* Largest eigenvalue of C^-1 K of one element at unit diffusivity: bounded row by row; exact, by
   power iteration from above, only where the bound exceeds `best`. 1/m^2 */
static double shape_rate(const ig_heat_shape *s, double best) {
  double A[8][8], bound = 0;
  for (int a = 0; a < 8; a++) {
    double row = 0;
    for (int b = 0; b < 8; b++) {
      A[a][b] = s->K[a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a] /
                sqrt(s->volume[a] * s->volume[b]);
      row += fabs(A[a][b]);
    }
    bound = fmax(bound, row);
  }
  if (bound <= best)
    return bound;
  /* squaring eight times: the 256th power's norm, from above and within 8^(1/256) */
  double scale = 0;
  for (int i = 0; i < 8; i++) {
    double B[8][8], norm = 0;
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++)
        norm += A[a][b] * A[a][b];
    norm = sqrt(norm);
    scale += log(norm) / (double)(1 << i);
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++) {
        B[a][b] = 0;
        for (int c = 0; c < 8; c++)
          B[a][b] += A[a][c] / norm * (A[c][b] / norm);
      }
    memcpy(A, B, sizeof A);
  }
  double norm = 0;
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++)
      norm += A[a][b] * A[a][b];
  return fmin(bound, exp(scale + log(sqrt(norm)) / 256));
}

/* --- births */

typedef struct {
  double birth;
  ig_lid element;
} born;
static int by_birth(const void *a, const void *b) {
  const born *p = a, *q = b;
  if (p->birth != q->birth)
    return p->birth < q->birth ? -1 : 1;
  return (p->element > q->element) - (p->element < q->element);
}

/* Elements sorted by birth; those never born go last and are left out of the events. */
static ig_status births_sort(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
  const ig_lid n = h->elements;
  IG_TRY(IG_NEW(cx, &h->order, n, "birth order"));
  for (ig_lid e = 0; e < n; e++)
    h->order[e] = e;
  ig_lid at_start = n;
  double *birth = NULL;
  if (setup->birth) {
    born *sorted;
    IG_TRY(IG_NEW(cx, &sorted, n, "birth order"));
    for (ig_lid e = 0; e < n; e++)
      sorted[e] = (born){setup->birth[e], e};
    qsort(sorted, (size_t)n, sizeof *sorted, by_birth);
    const ig_status status = IG_NEW(cx, &birth, n, "births");
    for (ig_lid e = 0; e < n && status == IG_OK; e++) {
      h->order[e] = sorted[e].element;
      birth[e] = sorted[e].birth;
    }
    free(sorted);
    IG_TRY(status);
    at_start = 0;
    while (at_start < n && birth[at_start] == -INFINITY)
      at_start++;
    while (h->never < n && birth[n - 1 - h->never] == INFINITY)
      h->never++;
  }
  const ig_lid end = n - h->never;
  int events = 1;
  for (ig_lid e = at_start; e < end; e++)
    events += e == at_start || birth[e] != birth[e - 1];
  ig_status status = IG_NEW(cx, &h->event_time, events, "births");
  if (status == IG_OK)
    status = IG_NEW(cx, &h->event_start, (size_t)events + 1, "births");
  if (status == IG_OK) {
    h->event_time[0] = -INFINITY;
    h->events = 1;
    for (ig_lid e = at_start; e < end; e++)
      if (e == at_start || birth[e] != birth[e - 1]) {
        h->event_time[h->events] = birth[e];
        h->event_start[h->events++] = e;
      }
    h->event_start[h->events] = end;
  }
  free(birth);
  return status;
}

/* The event element e (birth order) is born with; `events` if never. */
static int event_of(const ig_heat *h, ig_lid e) {
  int low = 0, high = h->events;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (h->event_start[middle + 1] <= e)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* --- surfaces */

/* The class of a face under the conditions in `mask`, made if new. */
static ig_status class_find(ig_ctx *cx, ig_heat *h, const ig_heat_setup *setup, uint32_t mask,
                            uint32_t *masks, uint8_t *class) {
  for (int c = 0; c < h->surface_classes; c++)
    if (masks[c] == mask) {
      *class = (uint8_t)c;
      return IG_OK;
    }
  if (h->surface_classes == 256)
    return IG_FAIL(cx, IG_INPUT, "boundary conditions overlap in more than 255 ways");
  const double sigma = 5.670374419e-8;
  double sum[5] = {0};
  for (int i = 0; i < setup->conditions; i++) {
    const ig_heat_condition *c = &setup->condition[i];
    if (!(mask >> i & 1))
      continue;
    const double Ta = isnan(c->ambient) ? setup->ambient : c->ambient;
    if (!isnan(c->flux))
      sum[0] += c->flux;
    if (!isnan(c->h)) {
      sum[1] += c->h;
      sum[2] += c->h * Ta;
    }
    if (!isnan(c->emissivity)) {
      sum[3] += sigma * c->emissivity;
      sum[4] += sigma * c->emissivity * Ta * Ta * Ta * Ta;
    }
  }
  masks[h->surface_classes] = mask;
  memcpy(h->surface_class_of[h->surface_classes], sum, sizeof sum);
  *class = (uint8_t)h->surface_classes++;
  return IG_OK;
}

/* Which conditions act on each element face if it is exposed, and which nodes are held. */
static ig_status surfaces_mark(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h,
                               const ig_lid *place) {
  if (setup->conditions > 32)
    return IG_FAIL(cx, IG_INPUT, "%d boundary conditions: at most 32", setup->conditions);
  uint32_t everywhere = 0, masks[256] = {0};
  IG_TRY(IG_NEW(cx, &h->surface_class_of, 256, "surface classes"));
  h->surface_classes = 1; /* class 0: nothing */
  uint32_t *mask;
  IG_TRY(IG_NEW(cx, &mask, (size_t)h->elements * 6, "face conditions"));
  ig_status status = IG_OK;
  for (int i = 0; i < setup->conditions && status == IG_OK; i++) {
    const ig_heat_condition *c = &setup->condition[i];
    if (!c->faces) {
      everywhere |= 1u << i;
      continue;
    }
    if (!isnan(c->temperature) && !h->held) {
      status = IG_NEW(cx, &h->held, h->nodes, "held temperatures");
      for (ig_lid n = 0; n < h->nodes && status == IG_OK; n++)
        h->held[n] = NAN;
    }
    for (ig_lid j = 0; j < c->faces->count && status == IG_OK; j++) {
      const ig_lid e = place[c->faces->item[j]];
      const int f = c->faces->face[j];
      mask[6 * (int64_t)e + f] |= 1u << i;
      if (!isnan(c->temperature))
        for (int a = 0; a < 4; a++)
          h->held[ig_heat_conn(h, e)[ig_heat_corner[ig_elem_face(IG_HEX8, f)[a]]]] = c->temperature;
    }
  }
  for (int64_t i = 0; i < 6 * (int64_t)h->elements && status == IG_OK; i++)
    status = class_find(cx, h, setup, mask[i] | everywhere, masks, &h->kind[i]);
  free(mask);
  return status;
}

/* Faces alive from their owner's birth to their neighbour's, in birth order. */
static ig_status faces_collect(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
  IG_TRY(IG_NEW(cx, &h->face_start, (size_t)h->events + 1, "surface births"));
  ig_lid *conn = NULL;
  ig_status status = IG_OK;
  const ig_lid end = h->elements - h->never;
  for (int pass = 0; pass < 2 && status == IG_OK; pass++) {
    int64_t count = 0;
    int event = 0;
    for (ig_lid e = 0; e < end; e++) {
      while (h->event_start[event + 1] <= e)
        h->face_start[++event] = (ig_lid)count;
      for (int f = 0; f < 6; f++) {
        const ig_lid other = h->neighbor[6 * (int64_t)e + f];
        const uint8_t kind = h->kind[6 * (int64_t)e + f];
        if (kind == 0 || (other >= 0 && other < h->event_start[event + 1]))
          continue;
        if (pass == 1) {
          for (int a = 0; a < 4; a++)
            conn[4 * count + a] = ig_heat_conn(h, e)[ig_heat_corner[ig_elem_face(IG_HEX8, f)[a]]];
          ((int32_t *)h->death.host)[count] = other < 0 ? INT32_MAX : event_of(h, other);
          ((uint8_t *)h->face_class.host)[count] = kind;
        }
        count++;
      }
    }
    while (event < h->events)
      h->face_start[++event] = (ig_lid)count;
    if (pass == 1)
      break;
    if (count > INT32_MAX / 4)
      return IG_FAIL(cx, IG_INPUT, "%lld surfaces are more than can be numbered", (long long)count);
    h->face_count = (ig_lid)count;
    if ((status = IG_NEW(cx, &conn, count * 4, "surface nodes")) == IG_OK &&
        (status = ig_array_new(cx, &h->death, (size_t)count, 4, "surface deaths")) == IG_OK &&
        (status = ig_array_new(cx, &h->face_class, (size_t)count, 1, "surface classes")) == IG_OK)
      status = ig_array_new(cx, &h->face_ledger, 3 * (size_t)count, 8, "surface ledger");
  }
  if (status == IG_OK)
    status =
        ig_plan_new(cx, setup->assembly, setup->slots, h->nodes, h->face_count, 4, conn, &h->faces);
  free(conn);
  IG_TRY(status);
  IG_TRY(ig_array_push(cx, &h->death));
  IG_TRY(ig_array_push(cx, &h->face_class));
  return ig_array_zero(cx, &h->face_ledger);
}

/* --- materials, capacity, critical step */

static ig_status materials_make(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
  heat_material_f64 *m;
  IG_TRY(IG_NEW(cx, &m, h->materials, "materials"));
  h->material_tables = m;
  IG_TRY(IG_NEW(cx, &h->capacity_low, h->materials, "capacities"));
  IG_TRY(IG_NEW(cx, &h->conductivity, h->materials, "conductivities"));
  h->constant = true;
  h->capacity = IG_HEAT_CONSTANT;
  for (int i = 0; i < h->materials; i++) {
    IG_TRY(ig_heat_material_make(cx, setup->material[i], &m[i]));
    h->powder |= m[i].powdered != 0;
    h->constant &= m[i].conductivity.knots == 1 && m[i].powdered == 0;
    if (m[i].capacity.knots > 1)
      h->capacity = setup->enthalpy ? IG_HEAT_ENTHALPY : IG_HEAT_APPARENT;
    h->capacity_low[i] = heat_table_at_f64(&m[i].capacity, setup->initial);
    h->conductivity[i] = heat_table_at_f64(&m[i].conductivity, setup->initial);
  }
  const size_t count = (size_t)h->materials;
  if (h->precision == IG_DOUBLE)
    return ig_array_from(cx, &h->work_materials, m, count, sizeof *m, "material tables");
  if (h->precision == IG_MIXED)
    IG_TRY(ig_array_from(cx, &h->state_materials, m, count, sizeof *m, "material tables"));
  IG_TRY(ig_array_new(cx, &h->work_materials, count, sizeof(heat_material_f32), "material tables"));
  for (int i = 0; i < h->materials; i++)
    ig_heat_material_round(&m[i], (heat_material_f32 *)h->work_materials.host + i);
  return ig_array_push(cx, &h->work_materials);
}

static const heat_material_f64 *material_of(const ig_heat *h, ig_lid e) {
  return (const heat_material_f64 *)h->material_tables + ((uint8_t *)h->material.host)[e];
}

/* Heat content of node volumes at a temperature, J. */
static double content_of(const ig_heat *h, const double *volume, double T) {
  double content = 0;
  for (int m = 0; m < h->materials; m++)
    if (volume[m] > 0)
      content += volume[m] * heat_content_f64((const heat_material_f64 *)h->material_tables + m, T);
  return content;
}

/* Rate of one element, and what films add at most to a corner of it; < 0: it is inverted. *flat: it
   has a face without area. */
static double element_rate(const ig_heat *h, ig_lid e, double best, double steepest, double *film,
                           bool *flat) {
  const heat_material_f64 *m = material_of(h, e);
  const double alpha = ig_heat_material_diffusivity(m);
  ig_heat_shape room;
  const ig_heat_shape *s = ig_heat_shape_of(h, e, &room);
  if (!h->classes.count)
    shape_matrix(h->point, ig_heat_conn(h, e), &room);
  for (int a = 0; a < 8; a++)
    if (!(s->volume[a] > 0))
      return -1;
  double most = 0;
  for (int f = 0; f < 6; f++) {
    const double *area = s->area[f], sum = area[0] + area[1] + area[2] + area[3];
    *flat = *flat || sum <= 1e-9 * most;
    most = fmax(most, sum);
  }
  /* a corner may have three faces bare */
  for (int f = 0; f < 6 && steepest > 0; f++)
    for (int a = 0; a < 4; a++)
      *film = fmax(*film, 3 * steepest * s->area[f][a] /
                              (ig_heat_material_capacity_min(m) *
                               s->volume[ig_heat_corner[ig_elem_face(IG_HEX8, f)[a]]]));
  return alpha * shape_rate(s, best / alpha);
}

/* The largest rate any element can reach bounds that of the whole, with any subset of them there.
 */
static ig_status rate_bound(ig_ctx *cx, ig_heat *h) {
  double steepest = 0; /* of the films, W/(m^2 K), up to a temperature metals boil at */
  for (int c = 0; c < h->surface_classes; c++)
    steepest = fmax(steepest, h->surface_class_of[c][1] +
                                  4 * h->surface_class_of[c][3] * 3500. * 3500. * 3500.);
  uint8_t *met; /* class x material */
  IG_TRY(IG_NEW(cx, &met, (size_t)h->classes.count * (size_t)h->materials, "critical step"));
  double film = 0, best = 0;
  ig_lid limiting = h->elements, inverted = h->elements, flattened = h->elements;
  const int threads = h->classes.count ? 1 : cx->threads; /* classes: few are looked at */
#pragma omp parallel for schedule(static, 4096) num_threads(threads) reduction(max                 \
                                                                               : film)             \
    reduction(min                                                                                  \
              : inverted, flattened)
  for (ig_lid e = 0; e < h->elements; e++) {
    if (h->classes.count) {
      uint8_t *mark =
          &met[(int64_t)h->classes.of[e] * h->materials + ((uint8_t *)h->material.host)[e]];
      uint8_t seen;
#pragma omp atomic read
      seen = *mark;
      if (seen)
        continue;
#pragma omp atomic write
      *mark = 1;
    }
    double bar, more = 0;
#pragma omp atomic read
    bar = best;
    bool flat = false;
    const double rate = element_rate(h, e, bar, steepest, &more, &flat);
    if (flat)
      flattened = e < flattened ? e : flattened;
    film = fmax(film, more);
    if (rate < 0)
      inverted = e < inverted ? e : inverted;
    if (rate >= bar) {
#pragma omp critical(ig_heat_rate)
      if (rate > best * (1 + 1e-12) || (rate > best * (1 - 1e-12) && e < limiting)) {
        best = fmax(rate, best);
        limiting = e;
      }
    }
  }
  free(met);
  if (inverted < h->elements)
    return IG_FAIL(cx, IG_INPUT,
                   "element %d is inverted or flat: reorder its nodes or mend the mesh",
                   (int)h->order[inverted]);
  if (flattened < h->elements)
    ig_warn(cx, "element %d has a face without area: nothing passes through it",
            (int)h->order[flattened]);
  h->limiting = h->order[limiting];
  h->rate = best + film;
  h->film_rate = film;
  return IG_OK;
}

/* --- nodes */

static bool node_held(const ig_heat *h, ig_lid n) {
  return h->held && !isnan(h->held[n]);
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
static void node_values(const ig_heat *h, ig_lid n, double *value) {
  double *volume = value + 1, *film = volume + h->materials, *body = film + 5;
  memset(value, 0, (7 + (size_t)h->materials) * sizeof *value);
  double all = 0, capacity = 0;
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
    all += s->volume[a];
    capacity += s->volume[a] * h->capacity_low[m];
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
  value[0] = all == 0 ? 0 : node_held(h, n) ? -1 : 1 / capacity;
  *body = all * h->body;
}

/* Covers and exposes faces as the elements of the next event arrive. */
static void event_expose(ig_heat *h) {
  const int event = ++h->next.event;
  const ig_lid begin = h->event_start[event], end = h->event_start[event + 1];
  h->next.elements = end;
  if (h->face_start)
    h->next.faces = h->face_start[event + 1];
  for (ig_lid e = begin; e < end; e++) {
    for (int f = 0; f < 6; f++) {
      const int64_t at = 6 * (int64_t)e + f;
      const ig_lid other = h->neighbor ? h->neighbor[at] : -1;
      h->exposed[at] = other >= 0 && other < end ? 0 : h->kind[at];
      if (other >= 0 && other < begin)
        for (int g = 0; g < 6; g++)
          if (h->neighbor[6 * (int64_t)other + g] == e)
            h->exposed[6 * (int64_t)other + g] = 0;
    }
    for (int a = 0; a < 8; a++)
      if (ig_heat_conn(h, e)[a] >= h->next.nodes)
        h->next.nodes = ig_heat_conn(h, e)[a] + 1;
  }
}

/* --- setup */

static size_t state_size(const ig_heat *h) {
  return h->precision == IG_SINGLE ? sizeof(float) : sizeof(double);
}
static size_t work_size(const ig_heat *h) {
  return h->precision == IG_DOUBLE ? sizeof(double) : sizeof(float);
}
static void put(void *array, size_t size, int64_t i, double value) {
  if (size == sizeof(float))
    ((float *)array)[i] = (float)value;
  else
    ((double *)array)[i] = value;
}
static double get(const void *array, size_t size, int64_t i) {
  return size == sizeof(float) ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static ig_status shapes_make(ig_ctx *cx, ig_heat *h) {
  if (h->conduction == IG_HEAT_RECOMPUTE)
    return IG_OK;
  IG_TRY(ig_mesh_classes(cx, h->point, h->elements, 8, h->elems.conn.host, &h->classes));
  if (h->classes.count > 65536 || h->classes.count > h->elements / 8 + 8) {
    ig_classes_free(&h->classes); /* hardly any two alike */
    return IG_FAIL(cx, IG_INPUT,
                   "the elements of this mesh are not alike: conduction must be 'recompute'");
  }
  IG_TRY(IG_NEW(cx, &h->class_shape, h->classes.count, "element classes"));
  for (ig_lid c = 0; c < h->classes.count; c++) {
    shape_matrix(h->point, ig_heat_conn(h, h->classes.representative[c]), &h->class_shape[c]);
    shape_sizes(h->point, ig_heat_conn(h, h->classes.representative[c]), &h->class_shape[c]);
  }
  if (h->conduction != IG_HEAT_CLASSES)
    return IG_OK;
  const size_t size = work_size(h);
  IG_TRY(ig_array_from(cx, &h->shape, h->classes.of, (size_t)h->elements, 4, "element classes"));
  IG_TRY(ig_array_new(cx, &h->K, 36 * (size_t)h->classes.count, size, "class matrices"));
  for (ig_lid c = 0; c < h->classes.count; c++)
    for (int i = 0; i < 36; i++)
      put(h->K.host, size, 36 * (int64_t)c + i, h->class_shape[c].K[i]);
  return ig_array_push(cx, &h->K);
}

static ig_status neighbors_make(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h,
                                const ig_lid *place) {
  const size_t faces = 6 * (size_t)h->elements;
  ig_status status;
  if (setup->bare) {
    IG_TRY(IG_NEW(cx, &h->kind, faces, "face conditions"));
    return IG_NEW(cx, &h->exposed, faces, "outer surface");
  }
  ig_adjacency adj;
  IG_TRY(ig_mesh_adjacency(cx, setup->mesh, &adj));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &h->neighbor, faces, "neighbours"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &h->kind, faces, "face conditions"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &h->exposed, faces, "outer surface"));
  for (ig_lid e = 0; e < h->elements; e++)
    for (int f = 0; f < 6; f++) {
      const ig_lid other = adj.neighbor[6 * (int64_t)h->order[e] + f];
      if (other == IG_JUNCTION) {
        status = IG_FAIL(cx, IG_INPUT, "element %d shares a face with two others: mend the mesh",
                         (int)h->order[e]);
        goto done;
      }
      h->neighbor[6 * (int64_t)e + f] = other < 0 ? -1 : place[other];
    }
done:
  ig_adjacency_free(&adj);
  return status;
}

static ig_status elements_make(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h, ig_lid *place) {
  const ig_block *block = &setup->mesh->block[0];
  ig_lid *conn;
  IG_TRY(IG_NEW(cx, &conn, 8 * (size_t)h->elements, "connectivity"));
  for (ig_lid e = 0; e < h->elements; e++) {
    place[h->order[e]] = e;
    for (int a = 0; a < 8; a++)
      conn[8 * (int64_t)e + ig_heat_corner[a]] = block->conn[8 * (int64_t)h->order[e] + a];
  }
  const ig_assembly how = h->conduction == IG_HEAT_STENCIL ? IG_ATOMIC : setup->assembly;
  ig_status status = ig_plan_new(cx, how, setup->slots, h->nodes, h->elements, 8, conn, &h->elems);
  if (status == IG_OK)
    status = ig_mesh_node_elements(cx, h->nodes, h->elements, 8, conn, &h->around);
  free(conn);
  IG_TRY(status);
  IG_TRY(ig_array_new(cx, &h->material, (size_t)h->elements, 1, "element materials"));
  for (ig_lid e = 0; e < h->elements && setup->material_of; e++)
    ((uint8_t *)h->material.host)[e] = setup->material_of[h->order[e]];
  IG_TRY(ig_array_push(cx, &h->material));
  if (!h->powder)
    return IG_OK;
  IG_TRY(ig_array_new(cx, &h->solid, (size_t)h->elements, 1, "powder"));
  for (ig_lid e = 0; e < h->elements; e++)
    ((uint8_t *)h->solid.host)[e] = e < h->event_start[1] || material_of(h, e)->powdered == 0;
  return ig_array_push(cx, &h->solid);
}

static ig_status nodes_make(ig_ctx *cx, ig_heat *h, bool leaps) {
  const size_t n = (size_t)h->nodes, state = state_size(h), work = work_size(h);
  IG_TRY(ig_array_new(cx, &h->T, n, state, "temperature"));
  IG_TRY(ig_array_new(cx, &h->R, n, state, "heat into nodes"));
  IG_TRY(ig_array_zero(cx, &h->R));
  IG_TRY(ig_array_new(cx, &h->node_ledger, n * IG_LEDGER_COLUMNS, 8, "ledger"));
  IG_TRY(ig_array_zero(cx, &h->node_ledger));
  if (h->conduction == IG_HEAT_RECOMPUTE || h->track_every || h->face_count || h->events > 1) {
    IG_TRY(ig_array_new(cx, &h->x, 3 * n, work, "coordinates"));
    for (int64_t i = 0; i < 3 * (int64_t)n; i++)
      put(h->x.host, work, i, h->point[i]);
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

static ig_status setup_check(ig_ctx *cx, const ig_heat_setup *setup) {
  const ig_mesh *mesh = setup->mesh;
  if (mesh->blocks != 1 || mesh->block[0].type != IG_HEX8)
    return IG_FAIL(cx, IG_INPUT, "thermal analysis needs a mesh of hex8 elements only");
  if (mesh->block[0].count == 0)
    return IG_FAIL(cx, IG_INPUT, "the mesh has no elements");
  if (setup->materials < 1 || setup->materials > 16)
    return IG_FAIL(cx, IG_INPUT, "%d materials: expected 1 to 16", setup->materials);
  return IG_OK;
}

ig_status ig_heat_new(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
  memset(h, 0, sizeof *h);
  IG_TRY(setup_check(cx, setup));
  h->precision = setup->precision;
  h->conduction = setup->conduction;
  h->surface = setup->surface;
  h->materials = setup->materials;
  h->nodes = setup->mesh->nodes;
  h->elements = setup->mesh->block[0].count;
  h->point = setup->mesh->x;
  h->initial = setup->initial;
  h->newborn = setup->newborn;
  h->body = setup->body;
  h->track_every = setup->track;
  h->newborn_temperature =
      setup->newborn == IG_BORN_MELT ? setup->material[0]->liquidus : setup->ambient;
  if (isnan(h->newborn_temperature))
    return ig_fail_at(cx, &setup->material[0]->at,
                      "material '%s' has no liquidus, at which elements are to be born",
                      setup->material[0]->name);
#ifdef INGOT_HAVE_CUDA
  h->ops = cx->backend->kernels == IG_KERNELS_CUDA ? ig_heat_cuda : ig_heat_cpu;
#else
  h->ops = ig_heat_cpu;
#endif
  h->ops += h->precision;
  ig_lid *place = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, materials_make(cx, setup, h));
  if (h->conduction == IG_HEAT_STENCIL && (!h->constant || h->capacity != IG_HEAT_CONSTANT)) {
    status = IG_FAIL(cx, IG_INPUT,
                     "conduction 'stencil' needs properties that do not depend on temperature");
    goto done;
  }
  if (h->conduction == IG_HEAT_STENCIL)
    h->surface = IG_HEAT_LUMPED;
  IG_TRY_GOTO(status, done, births_sort(cx, setup, h));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &place, h->elements, "birth order"));
  IG_TRY_GOTO(status, done, elements_make(cx, setup, h, place));
  IG_TRY_GOTO(status, done, neighbors_make(cx, setup, h, place));
  IG_TRY_GOTO(status, done, shapes_make(cx, h));
  IG_TRY_GOTO(status, done, surfaces_mark(cx, setup, h, place));
  if (h->surface != IG_HEAT_LUMPED)
    IG_TRY_GOTO(status, done, faces_collect(cx, setup, h));
  IG_TRY_GOTO(status, done, rate_bound(cx, h));
  const size_t size = work_size(h);
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &h->surface_class, 5 * (size_t)h->surface_classes, size, "films"));
  for (int c = 0; c < h->surface_classes; c++)
    for (int k = 0; k < 5; k++)
      put(h->surface_class.host, size, 5 * c + k, h->surface_class_of[c][k]);
  IG_TRY_GOTO(status, done, ig_array_push(cx, &h->surface_class));
  IG_TRY_GOTO(status, done, nodes_make(cx, h, setup->leaps));
  if (h->conduction == IG_HEAT_STENCIL)
    IG_TRY_GOTO(status, done, ig_heat_rows_new(cx, h));
  if (h->ops->open)
    IG_TRY_GOTO(status, done, h->ops->open(cx, h));
done:
  free(place);
  if (status != IG_OK)
    ig_heat_free(cx, h);
  return status;
}

ig_status ig_heat_new_fastest(ig_ctx *cx, ig_heat_setup *setup, ig_heat *h) {
  static const ig_heat_conduction forms[] = {IG_HEAT_STENCIL, IG_HEAT_CLASSES, IG_HEAT_RECOMPUTE};
  ig_status status = IG_OK;
  for (int i = 0; i < 3; i++) {
    setup->conduction = forms[i];
    if (forms[i] == IG_HEAT_STENCIL && setup->surface != IG_HEAT_LUMPED)
      continue;
    status = ig_heat_new(cx, setup, h);
    if (status != IG_INPUT)
      return status;
    if (i < 2) { /* it does not fit: no failure of the run */
      cx->status = IG_OK;
      cx->message[0] = '\0';
    }
  }
  return status;
}

void ig_heat_free(ig_ctx *cx, ig_heat *h) {
  ig_array *arrays[] = {&h->track,
                        &h->x,
                        &h->T,
                        &h->T_next,
                        &h->R,
                        &h->slots,
                        &h->face_slots,
                        &h->H,
                        &h->volume,
                        &h->inverse,
                        &h->film,
                        &h->body_power,
                        &h->material,
                        &h->solid,
                        &h->shape,
                        &h->K,
                        &h->work_materials,
                        &h->death,
                        &h->face_class,
                        &h->surface_class,
                        &h->face_ledger,
                        &h->row,
                        &h->rows,
                        &h->patch,
                        &h->patch_value,
                        &h->source_node,
                        &h->source_power,
                        &h->steps,
                        &h->node_ledger,
                        &h->survey,
                        &h->base,
                        &h->base_rate,
                        &h->previous,
                        &h->met,
                        &h->state_materials};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(cx, arrays[i]);
  ig_plan_free(cx, &h->elems);
  ig_plan_free(cx, &h->faces);
  ig_classes_free(&h->classes);
  ig_csr_free(&h->around);
  ig_heat_rows_free(h);
  free(h->order);
  free(h->event_time);
  free(h->event_start);
  free(h->held);
  free(h->class_shape);
  free(h->neighbor);
  free(h->kind);
  free(h->exposed);
  free(h->surface_class_of);
  free(h->material_tables);
  free(h->capacity_low);
  free(h->conductivity);
  free(h->face_start);
  free(h->step);
  memset(h, 0, sizeof *h);
}

/* The arrays of all nodes, as the elements of the start make them. */
static ig_status nodes_begin(ig_ctx *cx, ig_heat *h) {
  const size_t state = state_size(h);
  const int M = h->materials, stride = M + 5;
  double *sums;
  IG_TRY(IG_NEW(cx, &sums, (size_t)h->nodes * (size_t)stride, "node sizes"));
  sizes_sum(h, sums);
  for (ig_lid n = 0; n < h->nodes; n++) {
    const double *sum = &sums[(int64_t)n * stride];
    double all = 0, capacity = 0;
    for (int m = 0; m < M; m++) {
      all += sum[m];
      capacity += sum[m] * h->capacity_low[m];
      put(h->volume.host, state, (int64_t)n * M + m, sum[m]);
    }
    put(h->inverse.host, state, n, all == 0 ? 0 : node_held(h, n) ? -1 : 1 / capacity);
    if (h->H.host)
      put(h->H.host, state, n, content_of(h, sum, node_held(h, n) ? h->held[n] : h->initial));
    for (int k = 0; k < 5 && h->film.host; k++)
      put(h->film.host, state, 5 * (int64_t)n + k, sum[M + k]);
    if (h->body_power.host)
      put(h->body_power.host, state, n, all * h->body);
  }
  free(sums);
  return IG_OK;
}

ig_status ig_heat_begin(ig_ctx *cx, ig_heat *h, double time) {
  h->time = time;
  h->next = (ig_heat_range){.event = -1};
  do
    event_expose(h);
  while (h->next.event + 1 < h->events && h->event_time[h->next.event + 1] <= time);
  for (ig_lid n = 0; n < h->nodes; n++)
    put(h->T.host, state_size(h), n, node_held(h, n) ? h->held[n] : h->initial);
  if (h->conduction == IG_HEAT_STENCIL)
    for (ig_lid n = 0; n < h->nodes; n++)
      IG_TRY(ig_heat_row_find(cx, h, n, &((int32_t *)h->row.host)[n]));
  else
    IG_TRY(nodes_begin(cx, h));
  ig_array *arrays[] = {&h->T, &h->inverse, &h->volume, &h->H, &h->film, &h->body_power, &h->row};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (arrays[i]->host)
      IG_TRY(ig_array_push(cx, arrays[i]));
  h->now = h->next;
  if (h->conduction == IG_HEAT_STENCIL)
    IG_TRY(ig_heat_rows_push(cx, h));
  ig_heat_ledger ledger;
  IG_TRY(ig_heat_ledger_read(cx, h, &ledger));
  h->start_content = h->totals[0] = ledger.stored;
  return IG_OK;
}

/* --- batches */

ig_status ig_heat_room(ig_ctx *cx, ig_array *a, size_t count, size_t size) {
  if (count < a->count)
    return IG_OK;
  if (!a->dev)
    return ig_array_new(cx, a, count + 1024, size, "batch");
  return ig_array_grow(cx, a, 2 * count);
}

ig_status ig_heat_push(ig_ctx *cx, ig_array *a, size_t count) {
  return cx->backend->separate && count ? cx->backend->copy_in(cx, a->dev, a->host, count * a->size)
                                        : IG_OK;
}

/* A node already there that a new one touches through the elements born now; -1: none. `deep`: or
   touches through another new node. */
static ig_lid donor_of(const ig_heat *h, ig_lid n, ig_lid begin, bool deep) {
  for (ig_lid i = h->around.start[n]; i < h->around.start[n + 1]; i++) {
    const ig_lid e = h->around.item[i];
    if (e >= h->next.elements)
      continue;
    for (int a = 0; a < 8; a++) {
      const ig_lid other = ig_heat_conn(h, e)[a];
      if (h->around.item[h->around.start[other]] < begin)
        return other;
      const ig_lid further = deep && other != n ? donor_of(h, other, begin, false) : -1;
      if (further >= 0)
        return further;
    }
  }
  return -1;
}

/* One node's change. */
static ig_status patch_write(ig_ctx *cx, ig_heat *h, ig_lid n, bool there, ig_lid begin) {
  const int stride = 7 + h->materials;
  IG_TRY(ig_heat_room(cx, &h->patch, (size_t)h->patch_count, sizeof(ig_heat_patch)));
  ig_heat_patch *p = (ig_heat_patch *)h->patch.host + h->patch_count;
  *p = (ig_heat_patch){.node = n, .donor = -1};
  if (there)
    p->donor = -2;
  else if (h->newborn == IG_BORN_INHERITED && (p->donor = donor_of(h, n, begin, false)) < 0)
    p->donor = donor_of(h, n, begin, true);
  if (h->conduction == IG_HEAT_STENCIL) {
    IG_TRY(ig_heat_row_find(cx, h, n, &p->row));
  } else {
    IG_TRY(ig_heat_room(cx, &h->patch_value, (size_t)(h->patch_count + 1) * (size_t)stride, 8));
    node_values(h, n, (double *)h->patch_value.host + (int64_t)h->patch_count * stride);
  }
  h->patch_count++;
  return IG_OK;
}

/* The nodes of all elements born by then change, each once. */
ig_status ig_heat_batch_births(ig_ctx *cx, ig_heat *h, double time) {
  const ig_lid begin = h->next.elements;
  while (h->next.event + 1 < h->events && h->event_time[h->next.event + 1] <= time)
    event_expose(h);
  for (ig_lid e = begin; e < h->next.elements; e++)
    for (int a = 0; a < 8; a++) {
      const ig_lid n = ig_heat_conn(h, e)[a];
      ig_lid i = h->around.start[n];
      const bool there = h->around.item[i] < begin;
      while (h->around.item[i] < begin)
        i++;
      if (h->around.item[i] == e) /* its first new element writes it */
        IG_TRY(patch_write(cx, h, n, there, begin));
    }
  h->open.patch_last = h->patch_count;
  return IG_OK;
}

ig_status ig_heat_batch_list(ig_ctx *cx, ig_heat *h, const ig_lid *nodes, int32_t count,
                             int32_t *list) {
  IG_TRY(ig_heat_room(cx, &h->source_node, (size_t)(h->list_count + count), sizeof(ig_lid)));
  memcpy((ig_lid *)h->source_node.host + h->list_count, nodes, (size_t)count * sizeof *nodes);
  *list = h->list_count;
  h->list_count += count;
  return IG_OK;
}

ig_status ig_heat_batch_powers(ig_ctx *cx, ig_heat *h, int32_t list, int32_t count,
                               int32_t *first) {
  IG_TRY(ig_heat_room(cx, &h->source_power, (size_t)(h->source_count + count), sizeof(double)));
  *first = h->open.first = h->source_count;
  h->open.list = list;
  h->source_count += count;
  return IG_OK;
}

bool ig_heat_batch_full(const ig_heat *h) {
  return h->source_count > 1 << 23 || h->list_count > 1 << 22 || h->patch_count > 1 << 21;
}

ig_status ig_heat_batch_source(ig_ctx *cx, ig_heat *h, ig_lid node, double power) {
  const int32_t count = h->source_count - h->open.first;
  if (count == 0)
    h->open.list = h->list_count;
  IG_TRY(ig_heat_room(cx, &h->source_node, (size_t)h->list_count, sizeof(ig_lid)));
  IG_TRY(ig_heat_room(cx, &h->source_power, (size_t)h->source_count, sizeof(double)));
  ig_lid *nodes = (ig_lid *)h->source_node.host + h->open.list;
  double *powers = (double *)h->source_power.host + h->open.first;
  int32_t at = count;
  for (; at > 0 && nodes[at - 1] > node; at--) {
    nodes[at] = nodes[at - 1];
    powers[at] = powers[at - 1];
  }
  nodes[at] = node;
  powers[at] = power;
  h->source_count++;
  h->list_count++;
  h->powers_given = true;
  return IG_OK;
}

/* An empty step at the end of what is written. */
static void step_open(ig_heat *h) {
  h->open = (ig_heat_step){.first = h->source_count,
                           .list = h->list_count,
                           .patch_first = h->patch_count,
                           .patch_last = h->patch_count};
}

/* The open step, written down. */
static ig_status step_close(ig_ctx *cx, ig_heat *h) {
  if (h->step_count == h->step_room) {
    const int room = h->step_room ? 2 * h->step_room : 256;
    ig_heat_step *bigger = realloc(h->step, (size_t)room * sizeof *bigger);
    if (!bigger)
      return IG_FAIL(cx, IG_MEMORY, "no memory for a batch of steps");
    h->step = bigger;
    h->step_room = room;
  }
  ig_heat_step *step = &h->step[h->step_count++];
  h->open.time = h->time;
  h->open.last = h->source_count;
  h->open.there = h->next;
  h->element_steps += h->next.elements;
  *step = h->open;
  step_open(h);
  return IG_OK;
}

ig_status ig_heat_batch_step(ig_ctx *cx, ig_heat *h, double dt) {
  h->open.dt = h->open.weight = dt;
  h->time += dt;
  h->track_time += dt;
  if (h->track_every && ++h->unlooked >= h->track_every) {
    h->open.look = (float)h->track_time;
    h->track_time = h->unlooked = 0;
  }
  return step_close(cx, h);
}

int ig_heat_stages(double ratio) {
  int s = 3;
  while (s * s + s - 2 < 4 * ratio)
    s += 2;
  return s;
}

/* Meyer, Balsara and Aslam's second-order scheme. The ledger counts a stage's fluxes by the weight
   with which they enter the last one; weights follow the recursion of the stages. */
ig_status ig_heat_batch_leap(ig_ctx *cx, ig_heat *h, double dt, double critical) {
  const int s = ig_heat_stages(dt / critical);
  if (s > IG_HEAT_STAGES)
    return IG_FAIL(cx, IG_INPUT, "a step of %g critical ones is too long", dt / critical);
  double b[IG_HEAT_STAGES + 1], mu[IG_HEAT_STAGES + 1], nu[IG_HEAT_STAGES + 1];
  double ahead[IG_HEAT_STAGES + 1], first[IG_HEAT_STAGES + 1];
  const double w = 4. / (s * s + s - 2);
  for (int j = 0; j <= s; j++)
    b[j] = j < 2 ? 1. / 3 : (j * j + j - 2.) / (2. * j * (j + 1));
  mu[1] = nu[1] = first[1] = 0;
  ahead[1] = b[1] * w * dt;
  for (int j = 2; j <= s; j++) {
    mu[j] = (2. * j - 1) / j * b[j] / b[j - 1];
    nu[j] = -(j - 1.) / j * b[j] / b[j - 2];
    ahead[j] = mu[j] * w * dt;
    first[j] = -(1 - b[j - 1]) * ahead[j];
  }
  h->time += dt;
  h->track_time += dt;
  for (int k = 0; k < s; k++) {
    /* how much of the rate at stage k is in stages k + 1, k + 2, … s */
    double before = 0, at = ahead[k + 1];
    for (int j = k + 2; j <= s; j++) {
      const double next = mu[j] * at + nu[j] * before + (k == 0 ? first[j] : 0);
      before = at;
      at = next;
    }
    h->open.dt = critical;
    h->open.weight = at;
    h->open.stage = (ig_heat_stage){k + 1, mu[k + 1], nu[k + 1], ahead[k + 1], first[k + 1]};
    if (k + 1 == s && h->track_every) {
      h->open.look = (float)h->track_time;
      h->track_time = h->unlooked = 0;
    }
    IG_TRY(step_close(cx, h));
  }
  return IG_OK;
}

/* What a checkpoint keeps besides arrays, as of the steps that were run. */
static void totals_note(ig_heat *h) {
  h->totals[0] = h->start_content;
  h->totals[1] = (double)h->steps_done;
  h->totals[2] = h->track_time;
  h->totals[3] = h->unlooked;
}

static bool births_before(const ig_heat_step *step) {
  return step->patch_last > step->patch_first;
}

/* Steps by launches: as many together as have no birth or look between them. */
static ig_status steps_launch(ig_ctx *cx, ig_heat *h) {
  for (int i = 0, stop; i < h->step_count; i = stop) {
    const ig_heat_step *step = &h->step[i];
    if (births_before(step))
      IG_TRY(h->ops->patch(cx, h, step->patch_first, step->patch_last));
    h->now = step->there;
    for (stop = i + 1; stop < h->step_count; stop++)
      if (births_before(&h->step[stop]) || h->step[stop - 1].look > 0)
        break;
    IG_TRY(h->ops->steps(cx, h, i, stop));
    if (h->step[stop - 1].look > 0)
      IG_TRY(h->ops->track(cx, h, h->step[stop - 1].look));
  }
  return IG_OK;
}

ig_status ig_heat_batch_run(ig_ctx *cx, ig_heat *h) {
  if (h->conduction == IG_HEAT_STENCIL)
    IG_TRY(ig_heat_rows_push(cx, h));
  IG_TRY(ig_heat_push(cx, &h->source_node, (size_t)h->list_count));
  if (h->powers_given)
    IG_TRY(ig_heat_push(cx, &h->source_power, (size_t)h->source_count));
  IG_TRY(ig_heat_push(cx, &h->patch, (size_t)h->patch_count));
  if (h->patch_value.dev)
    IG_TRY(ig_heat_push(cx, &h->patch_value, (size_t)h->patch_count * (7 + (size_t)h->materials)));
  if (h->resident && h->step_count) {
    if (h->steps.count < (size_t)h->step_count) {
      ig_array_free(cx, &h->steps);
      IG_TRY(
          ig_array_new_device(cx, &h->steps, 2 * (size_t)h->step_count, sizeof *h->step, "steps"));
    }
    IG_TRY(
        cx->backend->copy_in(cx, h->steps.dev, h->step, (size_t)h->step_count * sizeof *h->step));
    IG_TRY(h->ops->resident(cx, h));
    h->now = h->step[h->step_count - 1].there;
  } else {
    IG_TRY(steps_launch(cx, h));
  }
  h->steps_done += h->step_count;
  h->step_count = 0;
  h->patch_count = h->source_count = h->list_count = 0;
  h->powers_given = false;
  step_open(h);
  totals_note(h);
  return IG_OK;
}

/* --- reading the state */

ig_status ig_heat_temperatures(ig_ctx *cx, ig_heat *h, double *T) {
  IG_TRY(ig_array_pull(cx, &h->T));
  for (ig_lid n = 0; n < h->nodes; n++)
    T[n] = get(h->T.host, state_size(h), n);
  return IG_OK;
}

static void volume_of(const ig_heat *h, ig_lid n, double *volume) {
  for (int m = 0; m < h->materials; m++)
    volume[m] = get(h->volume.host, state_size(h), (int64_t)n * h->materials + m);
}

ig_status ig_heat_set_temperatures(ig_ctx *cx, ig_heat *h, const double *T) {
  const size_t size = state_size(h);
  double volume[16];
  if (h->H.host)
    IG_TRY(ig_array_pull(cx, &h->volume));
  for (ig_lid n = 0; n < h->nodes; n++) {
    put(h->T.host, size, n, T[n]);
    if (h->H.host) {
      volume_of(h, n, volume);
      put(h->H.host, size, n, content_of(h, volume, T[n]));
    }
  }
  if (h->H.host)
    IG_TRY(ig_array_push(cx, &h->H));
  IG_TRY(ig_array_push(cx, &h->T));
  ig_heat_ledger ledger;
  IG_TRY(ig_heat_ledger_read(cx, h, &ledger));
  h->start_content = h->totals[0] = ledger.stored;
  return IG_OK;
}

enum { SURVEY_PARTS = 264 };

ig_status ig_heat_ask(ig_ctx *cx, ig_heat *h, const ig_heat_question *q, ig_heat_survey *found) {
  if (!h->survey.dev)
    IG_TRY(ig_array_new(cx, &h->survey, SURVEY_PARTS, sizeof(ig_heat_survey), "survey"));
  IG_TRY(h->ops->survey(cx, h, q, h->survey.dev, SURVEY_PARTS));
  IG_TRY(ig_array_pull(cx, &h->survey));
  const ig_heat_survey *part = h->survey.host;
  *found = part[0];
  for (int p = 1; p < SURVEY_PARTS; p++) {
    for (int i = 0; i < IG_SURVEY_SUMS; i++)
      found->sum[i] += part[p].sum[i];
    for (int i = 0; i < 6; i++) {
      found->low[i] = fmin(found->low[i], part[p].low[i]);
      found->high[i] = fmax(found->high[i], part[p].high[i]);
    }
  }
  return IG_OK;
}

ig_heat_ledger ig_heat_ledger_of(const ig_heat *h, const ig_heat_survey *s) {
  return (ig_heat_ledger){.start = h->start_content,
                          .stored = s->sum[IG_SURVEY_STORED],
                          .source = s->sum[IG_LEDGER_SOURCE],
                          .flux = s->sum[IG_LEDGER_FLUX],
                          .body = s->sum[IG_LEDGER_BODY],
                          .born = s->sum[IG_LEDGER_BORN],
                          .convected = s->sum[IG_LEDGER_CONVECTED],
                          .radiated = s->sum[IG_LEDGER_RADIATED],
                          .held = s->sum[IG_LEDGER_HELD]};
}

ig_status ig_heat_ledger_read(ig_ctx *cx, ig_heat *h, ig_heat_ledger *l) {
  const ig_heat_question nothing = {0};
  ig_heat_survey s;
  IG_TRY(ig_heat_ask(cx, h, &nothing, &s));
  *l = ig_heat_ledger_of(h, &s);
  return IG_OK;
}

/* What a checkpoint holds of each array. */
static int saved_list(ig_heat *h, ig_array **arrays, const char **names, ig_dtype *types) {
  const ig_dtype state = h->precision == IG_SINGLE ? IG_F32 : IG_F64;
  ig_array *all[] = {&h->T, &h->H, &h->node_ledger, &h->face_ledger, &h->solid, &h->track};
  static const char *const name[] = {"T", "H", "node_ledger", "face_ledger", "solid", "track"};
  const ig_dtype type[] = {state, state, IG_F64, IG_F64, IG_U8, IG_F32};
  int n = 0;
  for (int i = 0; i < 6; i++)
    if (all[i]->host && all[i]->count) {
      arrays[n] = all[i];
      names[n] = name[i];
      types[n++] = type[i];
    }
  return n;
}

ig_status ig_heat_save(ig_ctx *cx, ig_heat *h, ig_saved *saved, int *count) {
  ig_array *arrays[IG_HEAT_SAVED];
  const char *names[IG_HEAT_SAVED];
  ig_dtype types[IG_HEAT_SAVED];
  *count = saved_list(h, arrays, names, types);
  for (int i = 0; i < *count; i++) {
    IG_TRY(ig_array_pull(cx, arrays[i]));
    saved[i] = (ig_saved){names[i], types[i], (int64_t)arrays[i]->count, arrays[i]->host};
  }
  saved[(*count)++] = (ig_saved){"totals", IG_F64, 4, h->totals};
  return IG_OK;
}

ig_status ig_heat_restore(ig_ctx *cx, ig_heat *h, const ig_restart *restart) {
  ig_array *arrays[IG_HEAT_SAVED];
  const char *names[IG_HEAT_SAVED];
  ig_dtype types[IG_HEAT_SAVED];
  const int count = saved_list(h, arrays, names, types);
  const void *data;
  for (int i = 0; i < count; i++) {
    IG_TRY(ig_restart_find(cx, restart, names[i], types[i], (int64_t)arrays[i]->count, &data));
    memcpy(arrays[i]->host, data, arrays[i]->count * arrays[i]->size);
    IG_TRY(ig_array_push(cx, arrays[i]));
  }
  IG_TRY(ig_restart_find(cx, restart, "totals", IG_F64, 4, &data));
  memcpy(h->totals, data, sizeof h->totals);
  h->start_content = h->totals[0];
  h->steps_done = (int64_t)h->totals[1];
  h->track_time = h->totals[2];
  h->unlooked = (int)h->totals[3];
  return IG_OK;
}

double ig_heat_ledger_gap(const ig_heat_ledger *l) {
  return l->stored - l->start - l->source - l->flux - l->body - l->born + l->convected +
         l->radiated + l->held;
}

void ig_heat_measure(const ig_heat *h, double *volume, double *area) {
  *volume = *area = 0;
  for (ig_lid e = 0; e < h->now.elements; e++) {
    ig_heat_shape room;
    const ig_heat_shape *s = ig_heat_shape_of(h, e, &room);
    for (int a = 0; a < 8; a++)
      *volume += s->volume[a];
    for (int f = 0; f < 6; f++) {
      const ig_lid other = h->neighbor[6 * (int64_t)e + f];
      for (int a = 0; a < 4 && (other < 0 || other >= h->now.elements); a++)
        *area += s->area[f][a];
    }
  }
}

double ig_heat_step_bytes(const ig_heat *h) {
  const double state = (double)state_size(h), work = (double)work_size(h);
  const double nodes = h->now.nodes, elements = h->now.elements, faces = h->now.faces;
  if (h->conduction == IG_HEAT_STENCIL) /* row number, temperature in and out */
    return nodes * (4 + 2 * state);
  double bytes = nodes * (2 * state + state + 2 * state) + elements * 32; /* T, 1/C, R; conn */
  bytes += h->conduction == IG_HEAT_RECOMPUTE ? nodes * 3 * work : elements * 4;
  if (h->elems.how == IG_GATHER)
    bytes += elements * (32 + 16 * state);
  if (h->surface == IG_HEAT_LUMPED)
    bytes += nodes * 5 * state;
  if (h->capacity == IG_HEAT_ENTHALPY)
    bytes += nodes * 2 * state;
  return bytes + elements + faces * (16 + 5 + 48);
}
