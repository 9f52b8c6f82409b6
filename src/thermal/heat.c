/* Building the engine, part by part, and letting it go. */
#include "thermal/heat_make.h"
#include "backend/backend.h"
#include "thermal/heat_ops.h"
#include "thermal/heat_rows.h"
#include "thermal/heat_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "thermal/heat.inc"

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
    ((uint8_t *)h->solid.host)[e] =
        e < h->event_start[1] || ig_heat_material_of(h, e)->powdered == 0;
  return ig_array_push(cx, &h->solid);
}

/* Every material that is born must say at which temperature. */
static ig_status births_check(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *h) {
  for (ig_lid e = h->event_start[1]; e < h->elements - h->never; e++) {
    const ig_material_case *m = setup->material[((uint8_t *)h->material.host)[e]];
    if (isnan(h->born_at[((uint8_t *)h->material.host)[e]]))
      return ig_fail_at(cx, &m->at,
                        "material '%s' has no liquidus, at which its elements are to be born",
                        m->name);
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
  h->initial_of = setup->initial_of;
  h->newborn = setup->newborn;
  h->body = setup->body;
  h->track_every = setup->track;
  for (int m = 0; m < h->materials; m++)
    h->born_at[m] = setup->newborn == IG_BORN_MELT ? setup->material[m]->liquidus : setup->ambient;
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
  IG_TRY_GOTO(status, done, ig_heat_births_sort(cx, setup, h));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &place, h->elements, "birth order"));
  IG_TRY_GOTO(status, done, elements_make(cx, setup, h, place));
  IG_TRY_GOTO(status, done, births_check(cx, setup, h));
  IG_TRY_GOTO(status, done, neighbors_make(cx, setup, h, place));
  IG_TRY_GOTO(status, done, ig_heat_shapes_make(cx, h));
  IG_TRY_GOTO(status, done, ig_heat_surfaces_mark(cx, setup, h, place));
  if (h->surface != IG_HEAT_LUMPED)
    IG_TRY_GOTO(status, done, ig_heat_faces_collect(cx, setup, h));
  IG_TRY_GOTO(status, done, ig_heat_rate_bound(cx, h));
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &h->surface_class, 5 * (size_t)h->surface_classes,
                           ig_heat_work_size(h), "films"));
  IG_TRY_GOTO(status, done, ig_heat_classes_push(cx, h));
  IG_TRY_GOTO(status, done, ig_heat_nodes_make(cx, h, setup->leaps));
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
                        &h->special,
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

ig_status ig_heat_begin_at(ig_ctx *cx, ig_heat *h, double time) {
  h->time = time;
  h->special_known = false;
  h->next = (ig_heat_range){.event = -1};
  do
    ig_heat_event_expose(h);
  while (h->next.event + 1 < h->events && h->event_time[h->next.event + 1] <= time);
  for (ig_lid n = 0; n < h->nodes; n++) {
    const bool there = h->around.start[n] < h->around.start[n + 1] &&
                       h->around.item[h->around.start[n]] < h->next.elements;
    ig_heat_put(h->T.host, ig_heat_state_size(h), n, there ? ig_heat_start(h, n) : h->initial);
  }
  if (h->conduction == IG_HEAT_STENCIL)
    for (ig_lid n = 0; n < h->nodes; n++)
      IG_TRY(ig_heat_row_find(cx, h, n, &((int32_t *)h->row.host)[n]));
  else
    IG_TRY(ig_heat_nodes_begin(cx, h));
  ig_array *arrays[] = {&h->T, &h->inverse, &h->volume, &h->H, &h->film, &h->body_power, &h->row};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (arrays[i]->host)
      IG_TRY(ig_array_push(cx, arrays[i]));
  IG_TRY(ig_heat_next_fill(cx, h));
  h->now = h->next;
  if (h->conduction == IG_HEAT_STENCIL)
    IG_TRY(ig_heat_rows_push(cx, h));
  ig_heat_ledger ledger;
  IG_TRY(ig_heat_ledger_read(cx, h, &ledger));
  h->start_content = h->totals[0] = ledger.stored;
  return IG_OK;
}

ig_status ig_heat_begin(ig_ctx *cx, ig_heat *h) {
  IG_TRY(ig_heat_begin_at(cx, h, -INFINITY));
  h->time = 0;
  return ig_heat_births_now(cx, h, 0);
}
