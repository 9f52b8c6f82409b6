/* Conditions on faces, and faces with their lives. */
#include "thermal/heat_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
ig_status ig_heat_surfaces_mark(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h,
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
