/* Conditions on faces, and faces with their lives. */
#include "thermal/heat_make.h"
#include "thermal/heat_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the conditions in `mask` do together: flux, h, h Ta, sigma e, sigma e Ta^4. */
static void class_sum(const ig_heat_condition *condition, int count, double ambient, uint32_t mask,
                      double *sum) {
  const double sigma = 5.670374419e-8;
  for (int k = 0; k < 5; k++)
    sum[k] = 0;
  for (int i = 0; i < count; i++) {
    const ig_heat_condition *c = &condition[i];
    if (!(mask >> i & 1))
      continue;
    const double Ta = isnan(c->ambient) ? ambient : c->ambient;
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
}

/* The class of a face under the conditions in `mask`, made if new. */
static ig_status class_find(ig_ctx *cx, ig_heat *h, const ig_heat_setup *setup, uint32_t mask,
                            uint8_t *class) {
  for (int c = 0; c < h->surface_classes; c++)
    if (h->class_mask[c] == mask) {
      *class = (uint8_t)c;
      return IG_OK;
    }
  if (h->surface_classes == 256)
    return IG_FAIL(cx, IG_INPUT, "boundary conditions overlap in more than 255 ways");
  h->class_mask[h->surface_classes] = mask;
  class_sum(setup->condition, setup->conditions, setup->ambient, mask,
            h->surface_class_of[h->surface_classes]);
  *class = (uint8_t)h->surface_classes++;
  return IG_OK;
}

/* Held temperatures of the nodes on a condition's faces. `place`: of elements in birth order. */
static void held_mark(ig_heat *h, const ig_heat_condition *c, const ig_lid *place, double *held) {
  for (ig_lid j = 0; j < c->faces->count; j++)
    for (int a = 0; a < 4; a++)
      held[ig_heat_conn(
          h,
          place[c->faces->item[j]])[ig_heat_corner[ig_elem_face(IG_HEX8, c->faces->face[j])[a]]]] =
          c->temperature;
}

ig_status ig_heat_classes_push(ig_ctx *cx, ig_heat *h) {
  for (int c = 0; c < h->surface_classes; c++)
    for (int k = 0; k < 5; k++)
      ig_heat_put(h->surface_class.host, ig_heat_work_size(h), 5 * c + k,
                  h->surface_class_of[c][k]);
  return ig_array_push(cx, &h->surface_class);
}

/* Held nodes whose temperature changes; those that are there take it with the next batch. */
static ig_status held_set(ig_ctx *cx, ig_heat *h, const ig_heat_condition *condition, int count) {
  if (!h->held)
    return IG_OK;
  ig_lid *place = NULL;
  double *held = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &place, h->elements, "held temperatures"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &held, h->nodes, "held temperatures"));
  for (ig_lid e = 0; e < h->elements; e++)
    place[h->order[e]] = e;
  for (ig_lid n = 0; n < h->nodes; n++)
    held[n] = NAN;
  for (int i = 0; i < count; i++)
    if (condition[i].faces && !isnan(condition[i].temperature))
      held_mark(h, &condition[i], place, held);
  for (ig_lid n = 0; n < h->nodes; n++) {
    if (isnan(held[n]) || held[n] == h->held[n])
      continue;
    h->held[n] = held[n];
    if (h->around.item[h->around.start[n]] < h->next.elements)
      IG_TRY_GOTO(status, done, ig_heat_batch_hold(cx, h, n));
  }
done:
  free(place);
  free(held);
  return status;
}

ig_status ig_heat_conditions_set(ig_ctx *cx, ig_heat *h, const ig_heat_condition *condition,
                                 int count, double ambient) {
  for (int m = 0; m < h->materials && h->newborn != IG_BORN_MELT; m++)
    h->born_at[m] = ambient;
  IG_TRY(held_set(cx, h, condition, count));
  bool changed = false;
  for (int c = 0; c < h->surface_classes; c++) {
    double sum[5];
    class_sum(condition, count, ambient, h->class_mask[c], sum);
    changed |= memcmp(sum, h->surface_class_of[c], sizeof sum) != 0;
    memcpy(h->surface_class_of[c], sum, sizeof sum);
  }
  if (!changed)
    return IG_OK;
  IG_TRY(ig_heat_classes_push(cx, h));
  if (h->conduction == IG_HEAT_STENCIL)
    return ig_heat_rows_renew(cx, h);
  return ig_heat_films_fill(cx, h);
}

/* Which conditions act on each element face if it is exposed, and which nodes are held. */
ig_status ig_heat_surfaces_mark(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h,
                                const ig_lid *place) {
  if (setup->conditions > 32)
    return IG_FAIL(cx, IG_INPUT, "%d boundary conditions: at most 32", setup->conditions);
  uint32_t everywhere = 0;
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
    }
    if (!isnan(c->temperature) && status == IG_OK)
      held_mark(h, c, place, h->held);
  }
  for (int64_t i = 0; i < 6 * (int64_t)h->elements && status == IG_OK; i++)
    status = class_find(cx, h, setup, mask[i] | everywhere, &h->kind[i]);
  free(mask);
  return status;
}

/* Faces alive from their owner's birth to their neighbour's, in birth order. */
ig_status ig_heat_faces_collect(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
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
          ((int32_t *)h->death.host)[count] = other < 0 ? INT32_MAX : ig_heat_event_of(h, other);
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
