/* Conditions on faces. The conditions that act on a face are a bit mask; each distinct mask is a
   class, and a face stores its class as a byte. Two forms exist: lumped surfaces sum films at nodes
   when geometry changes (heat_node.c); `switch` and `branch` list all faces that are ever bare,
   with the event at which each is covered, and integrate them in every step. */
#include "core/threads.h"
#include "thermal/engine/heat_make.h"
#include "thermal/kernels/heat_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The engine's own copy; face sets and fields stay the room's. */
static void conditions_keep(ig_heat *h, const ig_heat_condition *condition, int count,
                            double ambient) {
  if (count > 0)
    memcpy(h->face.condition, condition, (size_t)count * sizeof *condition);
  h->face.conditions = count;
  h->face.ambient = ambient;
}

/* The class of a face under the conditions in `mask`, made if new. */
static ig_status class_find(ig_ctx *cx, ig_heat *h, const ig_heat_setup *setup, uint32_t mask,
                            uint8_t *class) {
  for (int c = 0; c < h->face.classes; c++)
    if (h->face.mask[c] == mask) {
      *class = (uint8_t)c;
      return IG_OK;
    }
  if (h->face.classes == 256)
    return IG_FAIL(cx, IG_INPUT, "boundary conditions overlap in more than 255 ways");
  h->face.mask[h->face.classes] = mask;
  h->face.film[h->face.classes] =
      ig_heat_class_sum(setup->condition, setup->conditions, setup->ambient, mask, -1);
  for (int i = 0; i < setup->conditions; i++) {
    const ig_heat_condition *c = &setup->condition[i];
    if (mask >> i & 1 && (c->flux_of || c->h_of || c->ambient_of))
      h->face.varies[h->face.classes] = true;
  }
  *class = (uint8_t)h->face.classes++;
  return IG_OK;
}

/* Prescribed temperatures of the nodes on a condition's faces, into `held` (nodes). Where faces of
   two conditions share a node, the later condition counts. */
static void held_mark(const ig_mesh *mesh, const ig_heat_condition *c, double *held) {
  for (ig_lid j = 0; j < c->faces->count; j++) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, c->faces->item[j], &local);
    const ig_elem_info *info = ig_elem_info_get(block->type);
    for (int a = 0; a < info->face_nodes; a++) {
      const ig_lid n = block->conn[info->nodes * (int64_t)local +
                                   ig_elem_face(block->type, c->faces->face[j])[a]];
      held[n] = ig_heat_value_at(c->temperature_of, c->temperature, n);
    }
  }
}

/* Films per area, rounded to the precision of element work. */
ig_status ig_heat_classes_push(ig_ctx *cx, ig_heat *h) {
  for (int c = 0; c < h->face.classes; c++)
    ig_heat_film_put(h->face.work_film.host, h->precision != IG_DOUBLE, c, &h->face.film[c]);
  return ig_array_push(cx, &h->face.work_film);
}

/* Held nodes whose temperature changes; those that are there take it with the next batch. */
static ig_status held_set(ig_ctx *cx, ig_heat *h, const ig_heat_condition *condition, int count) {
  if (!h->node.held)
    return IG_OK;
  double *held;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(cx, &held, h->nodes, "held temperatures"));
  for (ig_lid n = 0; n < h->nodes; n++)
    held[n] = NAN;
  for (int i = 0; i < count; i++)
    if (condition[i].faces && !isnan(condition[i].temperature))
      held_mark(h->mesh, &condition[i], held);
  for (ig_lid n = 0; n < h->nodes && status == IG_OK; n++) {
    if (isnan(held[n]) || held[n] == h->node.held[n])
      continue;
    h->node.held[n] = held[n];
    if (h->node.around.item[h->node.around.start[n]] < h->next.elements)
      status = ig_heat_batch_hold(cx, h, n);
  }
  free(held);
  return status;
}

/* Films go to the device only where some value has changed: most batches of a case with histories
   keep the values of the last one. */
ig_status ig_heat_conditions_set(ig_ctx *cx, ig_heat *h, const ig_heat_condition *condition,
                                 int count, double ambient) {
  if (h->elements == 0)
    return IG_OK;
  for (int m = 0; m < h->material.count && h->newborn != IG_BORN_MELT; m++)
    h->material.born_at[m] = ambient;
  IG_TRY(held_set(cx, h, condition, count));
  /* fields have a moment in time, which stands for all their values */
  bool changed = false;
  for (int i = 0; i < count; i++)
    changed |= condition[i].moment != h->face.condition[i].moment;
  conditions_keep(h, condition, count, ambient);
  for (int c = 0; c < h->face.classes; c++) {
    const heat_film_f64 sum = ig_heat_class_sum(condition, count, ambient, h->face.mask[c], -1);
    /* bit by bit, so that a -0 that was 0 counts:
     * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    changed |= memcmp(&sum, &h->face.film[c], sizeof sum) != 0;
    h->face.film[c] = sum;
  }
  if (!changed)
    return IG_OK;
  IG_TRY(ig_heat_classes_push(cx, h));
  if (h->rows.book)
    return ig_heat_rows_renew(cx, h);
  return ig_heat_films_fill(cx, h);
}

/* The class of every face from its conditions. Classes are numbered as faces are met, one after the
   other; that takes a look at the faces where the conditions change from one to the next, which all
   threads find: few beside those where they do not. mask: elements x 6 */
static ig_status kinds_find(ig_ctx *cx, ig_heat *h, const ig_heat_setup *setup,
                            const ig_heat_cells *cells, const uint32_t *mask, uint32_t everywhere) {
  enum { PIECE = 1 << 12 };
  const int64_t faces = 6 * (int64_t)h->elements, pieces = (faces + PIECE - 1) / PIECE;
  const int team = ig_team(cx, h->elements, IG_WORK_NODE);
  uint8_t *mixed; /* pieces of faces: 1: they are not all alike */
  IG_TRY(IG_NEW(cx, &mixed, pieces, "face conditions"));
#pragma omp parallel for num_threads(team) schedule(static)
  for (int64_t p = 0; p < pieces; p++) {
    const int64_t end = faces - p * PIECE < PIECE ? faces : (p + 1) * PIECE;
    uint32_t other = cells->collapsed; /* some of those have no face: looked at one by one */
    for (int64_t i = p * PIECE; i < end; i++)
      other |= mask[i] ^ mask[p * PIECE];
    mixed[p] = other != 0;
  }
  ig_status status = IG_OK;
  uint8_t kind = 0; /* of the face before: most are of one kind */
  uint32_t former = 0;
  bool known = false;
  for (int64_t p = 0; p < pieces && status == IG_OK; p++) {
    const int64_t begin = p * PIECE, end = faces - begin < PIECE ? faces : begin + PIECE;
    for (int64_t i = begin; i < (mixed[p] ? end : begin + 1) && status == IG_OK; i++) {
      ig_lid node[5];
      if (cells->collapsed &&
          ig_heat_face_nodes(ig_heat_conn(h, (ig_lid)(i / 6)), (int)(i % 6), node) <= 2)
        continue;
      if (!known || (mask[i] | everywhere) != former) {
        former = mask[i] | everywhere;
        known = true;
        status = class_find(cx, h, setup, former, &kind);
      }
      h->face.kind[i] = kind;
    }
  }
#pragma omp parallel for num_threads(team) schedule(static)
  for (int64_t p = 0; p < pieces; p++)
    if (!mixed[p]) {
      const int64_t end = faces - p * PIECE < PIECE ? faces : (p + 1) * PIECE;
      memset(&h->face.kind[p * PIECE], h->face.kind[p * PIECE], (size_t)(end - p * PIECE));
    }
  free(mixed);
  return status;
}

/* Which conditions act on each element face if it is exposed, and which nodes are held. */
ig_status ig_heat_surfaces_mark(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h,
                                const ig_heat_cells *cells, const ig_lid *place) {
  if (setup->conditions > 32)
    return IG_FAIL(cx, IG_INPUT, "%d boundary conditions: at most 32", setup->conditions);
  /* conditions of the outer surface: a bit in the mask of every face */
  uint32_t everywhere = 0;
  conditions_keep(h, setup->condition, setup->conditions, setup->ambient);
  IG_TRY(IG_NEW(cx, &h->face.film, 256, "surface classes"));
  h->face.classes = 1; /* class 0: nothing */
  uint32_t *mask;
  IG_TRY(IG_NEW(cx, &mask, (size_t)h->elements * 6, "face conditions"));
  ig_status status = IG_OK;
  for (int i = 0; i < setup->conditions && status == IG_OK; i++) {
    const ig_heat_condition *c = &setup->condition[i];
    if (!c->faces) {
      everywhere |= 1u << i;
      continue;
    }
    if (!isnan(c->temperature) && !h->node.held) {
      status = IG_NEW(cx, &h->node.held, h->nodes, "held temperatures");
      const ig_lid nodes = status == IG_OK ? h->nodes : 0;
#pragma omp parallel for num_threads(ig_team(cx, nodes, IG_WORK_VALUE)) schedule(static)
      for (ig_lid n = 0; n < nodes; n++)
        h->node.held[n] = NAN;
    }
    for (ig_lid j = 0; j < c->faces->count && status == IG_OK; j++) {
      ig_lid part[4];
      const int parts =
          ig_heat_cells_face(cells, setup->mesh, c->faces->item[j], c->faces->face[j], part);
      for (int k = 0; k < parts; k++)
        mask[6 * (int64_t)place[part[k] / 6] + part[k] % 6] |= 1u << i;
    }
    if (!isnan(c->temperature) && status == IG_OK)
      held_mark(h->mesh, c, h->node.held);
  }
  if (status == IG_OK)
    status = kinds_find(cx, h, setup, cells, mask, everywhere);
  free(mask);
  return status;
}

/* Lists the faces that are bare at some time, in birth order: alive from their owner's birth to
   their neighbour's. The faces of an event begin at face.start[event]. Two passes: count, then
   fill. */
ig_status ig_heat_faces_collect(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
  IG_TRY(IG_NEW(cx, &h->face.start, (size_t)h->birth.events + 1, "surface births"));
  /* of the faces, in the order of the list: four nodes each */
  ig_lid *conn = NULL;
  ig_status status = IG_OK;
  const ig_lid end = h->elements - h->birth.never;
  for (int pass = 0; pass < 2 && status == IG_OK; pass++) {
    int64_t count = 0;
    int event = 0;
    for (ig_lid e = 0; e < end; e++) {
      while (h->birth.start[event + 1] <= e)
        h->face.start[++event] = (ig_lid)count;
      for (int f = 0; f < 6; f++) {
        const ig_lid other = h->face.neighbor[6 * (int64_t)e + f];
        const uint8_t kind = h->face.kind[6 * (int64_t)e + f];
        if (kind == 0 || (other >= 0 && other < h->birth.start[event + 1]))
          continue;
        if (pass == 1) {
          for (int a = 0; a < 4; a++)
            conn[4 * count + a] = ig_heat_conn(h, e)[ig_heat_corner[ig_elem_face(IG_HEX8, f)[a]]];
          ((int32_t *)h->face.death.host)[count] =
              other < 0 ? INT32_MAX : ig_heat_event_of(h, other);
          ((uint8_t *)h->face.class_of.host)[count] = kind;
        }
        count++;
      }
    }
    while (event < h->birth.events)
      h->face.start[++event] = (ig_lid)count;
    if (pass == 1)
      break;
    if (count > INT32_MAX / 4)
      return IG_FAIL(cx, IG_INPUT, "%lld surfaces are more than can be numbered", (long long)count);
    h->face.count = (ig_lid)count;
    if ((status = IG_NEW(cx, &conn, count * 4, "surface nodes")) == IG_OK &&
        (status = ig_array_new(cx, &h->face.death, (size_t)count, 4, "surface deaths")) == IG_OK &&
        (status = ig_array_new(cx, &h->face.class_of, (size_t)count, 1, "surface classes")) ==
            IG_OK &&
        !h->outline)
      status = ig_array_new(cx, &h->face.ledger, 3 * (size_t)count, 8, "surface ledger");
  }
  if (status == IG_OK)
    status = ig_plan_new(cx,
                         h->outline                      ? IG_ATOMIC
                         : setup->assembly == IG_CLUSTER ? IG_COLOR
                                                         : setup->assembly,
                         setup->slots, h->nodes, h->face.count, 4, conn, &h->face.plan);
  free(conn);
  IG_TRY(status);
  IG_TRY(ig_array_push(cx, &h->face.death));
  IG_TRY(ig_array_push(cx, &h->face.class_of));
  return h->face.ledger.dev ? ig_array_zero(cx, &h->face.ledger) : IG_OK;
}
