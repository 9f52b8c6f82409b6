/* Building the engine, step by step, and releasing it. ig_heat_make is the entry; heat_make.h lists
   its steps. On several ranks it runs twice: once for an outline of the whole mesh, which has
   connectivity and checks but no state, and once for this rank's part of it (heat_part.c). */
#include "thermal/engine/heat_make.h"
#include "core/threads.h"
#include "backend/backend.h"
#include "thermal/kernels/heat_ops.h"
#include "thermal/kernels/heat_rows.h"
#include "thermal/engine/heat_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "thermal/engine/heat.inc"

/* Absorptivity over temperature, for nodes. */
static ig_status absorb_make(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
  heat_table_f64 wide;
  heat_table_f32 narrow;
  if (!setup->absorptivity)
    return IG_OK;
  IG_TRY(ig_heat_absorb_make(cx, setup->absorptivity, &wide, &narrow));
  return h->precision == IG_SINGLE
             ? ig_array_from(cx, &h->material.absorb, &narrow, 1, sizeof narrow, "absorptivity")
             : ig_array_from(cx, &h->material.absorb, &wide, 1, sizeof wide, "absorptivity");
}

/* Tables of all materials: in double on the host, rounded or not on the device. With mixed
   precision elements work on floats and nodes on doubles, so both sets of tables are there. Also
   decides whether conductivity is constant and which form the capacity takes. */
static ig_status materials_make(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h) {
  heat_material_f64 *m;
  IG_TRY(IG_NEW(cx, &m, h->material.count, "materials"));
  h->material.table = m;
  IG_TRY(IG_NEW(cx, &h->material.capacity, h->material.count, "capacities"));
  IG_TRY(IG_NEW(cx, &h->material.conductivity, h->material.count, "conductivities"));
  h->material.constant = true;
  h->capacity = IG_HEAT_CONSTANT;
  for (int i = 0; i < h->material.count; i++) {
    IG_TRY(ig_heat_material_make(cx, setup->material[i], &m[i]));
    h->material.powder |= m[i].powdered != 0;
    h->material.constant &= m[i].conductivity.knots == 1 && m[i].powdered == 0;
    if (m[i].capacity.knots > 1)
      h->capacity = setup->enthalpy ? IG_HEAT_ENTHALPY : IG_HEAT_APPARENT;
    h->material.capacity[i] = heat_table_at_f64(&m[i].capacity, setup->initial);
    h->material.conductivity[i] = heat_table_at_f64(&m[i].conductivity, setup->initial);
  }
  IG_TRY(absorb_make(cx, setup, h));
  const size_t count = (size_t)h->material.count;
  if (h->precision == IG_DOUBLE)
    return ig_array_from(cx, &h->material.work, m, count, sizeof *m, "material tables");
  if (h->precision == IG_MIXED)
    IG_TRY(ig_array_from(cx, &h->material.state, m, count, sizeof *m, "material tables"));
  IG_TRY(ig_array_new(cx, &h->material.work, count, sizeof(heat_material_f32), "material tables"));
  for (int i = 0; i < h->material.count; i++)
    ig_heat_material_round(&m[i], (heat_material_f32 *)h->material.work.host + i);
  return ig_array_push(cx, &h->material.work);
}

/* Neighbours of cells, in birth order. place: cells, where each stands in that order. */
static ig_status neighbors_make(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h,
                                const ig_heat_cells *cells, const ig_lid *place) {
  const size_t faces = 6 * (size_t)h->elements;
  IG_TRY(IG_NEW(cx, &h->face.kind, faces, "face conditions"));
  IG_TRY(IG_NEW(cx, &h->face.exposed, faces, "outer surface"));
  if (setup->bare)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &h->face.neighbor, faces, "neighbours"));
  if (!cells->collapsed && !h->node.repeated &&
      ig_heat_cells_across(cx, h->elements, h->elems.conn.host, &h->node.around, h->face.neighbor))
    return IG_OK;
  ig_lid *across;
  IG_TRY(IG_NEW(cx, &across, faces, "neighbours"));
  const ig_status status = ig_heat_cells_neighbors(cx, setup->mesh, cells, across);
  if (status == IG_OK) {
#pragma omp parallel for num_threads(ig_team(cx, h->elements, IG_WORK_NODE)) schedule(static)
    for (ig_lid c = 0; c < h->elements; c++)
      for (int f = 0; f < 6; f++) {
        const ig_lid other = across[6 * (int64_t)c + f];
        h->face.neighbor[6 * (int64_t)place[c] + f] = other < 0 ? -1 : place[other];
      }
  }
  free(across);
  return status;
}

/* Elements at nodes. An element appears once, even where a node is several of its corners (wedges,
   pyramids and other shapes are hexahedra with nodes that coincide); the duplicates are removed in
   place. Lists rise, so the first element of a list is the one that is born first. */
static ig_status around_make(ig_ctx *cx, ig_heat *h, const ig_lid *conn) {
  ig_csr *around = &h->node.around;
  IG_TRY(ig_mesh_node_elements(cx, h->nodes, h->elements, 8, conn, around));
  bool twice = false; /* none is in a mesh of hexahedra: nothing to move */
#pragma omp parallel for num_threads(ig_team(cx, h->nodes, IG_WORK_NODE)) schedule(static)         \
    reduction(||                                                                                   \
              : twice)
  for (ig_lid n = 0; n < h->nodes; n++)
    for (ig_lid i = around->start[n] + 1; i < around->start[n + 1]; i++)
      twice = twice || around->item[i] == around->item[i - 1];
  h->node.repeated = twice;
  if (!twice)
    return IG_OK;
  ig_lid at = 0, begin = 0;
  for (ig_lid n = 0; n < h->nodes; n++) {
    const ig_lid end = around->start[n + 1];
    around->start[n] = at;
    for (ig_lid i = begin; i < end; i++)
      if (i == begin || around->item[i] != around->item[at - 1])
        around->item[at++] = around->item[i];
    begin = end;
  }
  around->start[h->nodes] = at;
  return IG_OK;
}

/* Connectivity in birth order, assembly plan, elements at nodes, materials of elements. `place` is
   filled: where each cell stands in birth order. birth.order changes its meaning here, from the
   cell to the mesh element that the cell is a piece of. */
static ig_status elements_make(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h,
                               const ig_heat_cells *cells, ig_lid *place) {
  ig_lid *conn;
  IG_TRY(IG_NEW(cx, &conn, 8 * (size_t)h->elements, "connectivity"));
#pragma omp parallel for num_threads(ig_team(cx, h->elements, IG_WORK_NODE)) schedule(static)
  for (ig_lid e = 0; e < h->elements; e++) {
    const ig_lid cell = h->birth.order[e];
    place[cell] = e;
    memcpy(&conn[8 * (int64_t)e], &cells->conn[8 * (int64_t)cell], 8 * sizeof *conn);
    h->birth.order[e] = cells->parent[cell];
  }
  /* rows of nodes need no assembly, and an outline computes nothing */
  const ig_assembly how = h->conduction == IG_HEAT_STENCIL || h->outline
                              ? IG_ATOMIC /* nothing but the connectivity */
                              : setup->assembly;
  ig_status status = ig_plan_new(cx, how, setup->slots, h->nodes, h->elements, 8, conn, &h->elems);
  h->elems.how = h->outline && h->conduction != IG_HEAT_STENCIL ? setup->assembly : how;
  if (status == IG_OK && how == IG_CLUSTER)
    status = ig_clusters_new(cx, h->nodes, h->elements, 8, conn, h->node.point,
                             ig_heat_cluster_size(h, setup), 1, &h->cluster.of);
  if (status == IG_OK)
    status = around_make(cx, h, conn);
  free(conn);
  IG_TRY(status);
  IG_TRY(ig_array_new(cx, &h->material.of, (size_t)h->elements, 1, "element materials"));
  if (setup->material_of) {
#pragma omp parallel for num_threads(ig_team(cx, h->elements, IG_WORK_VALUE)) schedule(static)
    for (ig_lid e = 0; e < h->elements; e++)
      ((uint8_t *)h->material.of.host)[e] = setup->material_of[h->birth.order[e]];
  }
  IG_TRY(ig_array_push(cx, &h->material.of));
  if (!h->material.powder || h->outline)
    return IG_OK;
  IG_TRY(ig_array_new(cx, &h->material.solid, (size_t)h->elements, 1, "powder"));
  for (ig_lid e = 0; e < h->elements; e++)
    ((uint8_t *)h->material.solid.host)[e] =
        e < h->birth.start[1] || ig_heat_material_of(h, e)->powdered == 0;
  return ig_array_push(cx, &h->material.solid);
}

/* Materials and classes of elements, in the order of clusters. */
static ig_status clusters_fill(ig_ctx *cx, ig_heat *h) {
  const size_t n = (size_t)h->elements;
  const int32_t *order = h->cluster.of.order.host;
  IG_TRY(ig_array_new(cx, &h->cluster.material, n, 1, "element materials"));
  for (ig_lid i = 0; i < h->elements; i++)
    ((uint8_t *)h->cluster.material.host)[i] = ((uint8_t *)h->material.of.host)[order[i]];
  IG_TRY(ig_array_push(cx, &h->cluster.material));
  if (h->conduction != IG_HEAT_CLASSES)
    return IG_OK;
  IG_TRY(ig_array_new(cx, &h->cluster.shape, n, sizeof(int32_t), "element classes"));
  for (ig_lid i = 0; i < h->elements; i++)
    ((int32_t *)h->cluster.shape.host)[i] = ((int32_t *)h->shape.class_of.host)[order[i]];
  return ig_array_push(cx, &h->cluster.shape);
}

/* Numbers of the part's cells in the whole, in birth order of both. An element's cells follow each
   other in both numberings, and both have the elements of an event sorted by number. */
static ig_status cells_place(ig_ctx *cx, const ig_heat *whole, ig_heat *h) {
  const ig_lid *element = h->part.of.element;
  /* of each mesh element the first of its cells, in birth order of the whole */
  ig_lid *first;
  IG_TRY(IG_NEW(cx, &h->cell_of, h->elements, "cells of a part"));
  IG_TRY(IG_NEW(cx, &first, ig_mesh_elements(whole->mesh), "cells of the whole"));
  for (ig_lid e = whole->elements - 1; e >= 0; e--)
    first[whole->birth.order[e]] = e;
  for (ig_lid e = 0; e < h->elements; e++) {
    const bool again = e > 0 && h->birth.order[e] == h->birth.order[e - 1];
    h->cell_of[e] = again ? h->cell_of[e - 1] + 1 : first[element[h->birth.order[e]]];
  }
  free(first);
  return IG_OK;
}

/* Every material that is born must say at which temperature. Only elements that are born later need
   it; those that never are do not. */
static ig_status births_check(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *h) {
  for (ig_lid e = h->birth.start[1]; e < h->elements - h->birth.never; e++) {
    const ig_material_case *m = setup->material[((uint8_t *)h->material.of.host)[e]];
    if (isnan(h->material.born_at[((uint8_t *)h->material.of.host)[e]]))
      return ig_fail_at(cx, &m->at,
                        "material '%s' has no liquidus, at which its elements are to be born",
                        m->name);
  }
  return IG_OK;
}

/* Limits: 16 materials are the size of fixed arrays (born_at, temporaries of kernels). */
static ig_status setup_check(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *whole) {
  if (ig_mesh_elements(setup->mesh) == 0 && !whole)
    return IG_FAIL(cx, IG_INPUT, "the mesh has no elements");
  for (int i = 0; i < setup->conditions; i++) {
    const ig_heat_condition *c = &setup->condition[i];
    if (!c->flux_of && !c->h_of && !c->ambient_of)
      continue;
    if (setup->conduction == IG_HEAT_STENCIL)
      return IG_FAIL(cx, IG_INPUT,
                     "conduction 'stencil' takes no boundary values from a field: "
                     "choose 'classes' or 'recompute'");
    if (setup->surface != IG_HEAT_LUMPED)
      return IG_FAIL(cx, IG_INPUT, "boundary values from a field need surface 'lumped'");
  }
  if (setup->materials < 1 || setup->materials > 16)
    return IG_FAIL(cx, IG_INPUT, "%d materials: expected 1 to 16", setup->materials);
  return IG_OK;
}

/* Refuses forms of conduction that do not fit. Classes have one matrix per shape for a conductivity
   that is one number per element; a stencil has one row per node, made once: neither can follow a
   temperature inside a collapsed element or a row. ig_heat_new_fastest relies on IG_INPUT here. */
static ig_status forms_check(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *h,
                             const ig_heat_cells *cells) {
  if (h->conduction == IG_HEAT_RECOMPUTE && ig_heat_is_anisotropic(setup->anisotropy))
    return IG_FAIL(cx, IG_INPUT,
                   "conduction 'recompute' has no `anisotropy`: choose 'classes', on a mesh whose "
                   "elements are alike");
  if (h->conduction == IG_HEAT_STENCIL &&
      (!h->material.constant || h->capacity != IG_HEAT_CONSTANT))
    return IG_FAIL(cx, IG_INPUT,
                   "conduction 'stencil' needs properties that do not depend on temperature");
  if (h->conduction == IG_HEAT_STENCIL && h->material.absorb.dev)
    return IG_FAIL(cx, IG_INPUT,
                   "conduction 'stencil' takes no absorptivity that depends on temperature: choose "
                   "'classes' or 'recompute'");
  if (h->conduction == IG_HEAT_STENCIL && cells->collapsed)
    return IG_FAIL(cx, IG_INPUT,
                   "conduction 'stencil' needs hexahedra: choose 'classes' or 'recompute'");
  if (h->conduction == IG_HEAT_CLASSES && cells->collapsed && !h->material.constant)
    return IG_FAIL(cx, IG_INPUT,
                   "conduction 'classes' with elements other than hexahedra needs a conductivity "
                   "that does not depend on temperature: choose 'recompute'");
  return IG_OK;
}

/* whole: NULL for an engine of its own, or for the outline of a divided mesh; else the outline of
   which this engine is a part. A part takes classes, events and the critical step from the outline,
   because they depend on all elements and must be equal on all ranks. */
ig_status ig_heat_make(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *whole, ig_heat *h) {
  IG_TRY(setup_check(cx, setup, whole));
  /* what the setup says, and nothing that is allocated, until the cells are known */
  h->precision = setup->precision;
  h->conduction = setup->conduction;
  h->outline = !whole && ig_ranks_count(cx->ranks) > 1;
  h->surface = setup->surface;
  h->material.count = setup->materials;
  h->nodes = setup->mesh->nodes;
  h->mesh = setup->mesh;
  h->node.point = setup->mesh->x;
  h->node.initial = setup->initial;
  h->node.initial_of = setup->initial_of;
  h->newborn = setup->newborn;
  h->body = setup->body;
  for (int i = 0; i < setup->conditions; i++)
    h->boils |= setup->condition[i].boils;
  h->past.every = setup->track;
  h->ghost = h->part.of.ghost;
  h->node_of = h->part.of.node;
  /* liquidus may be NaN here: births_check looks at materials that are born */
  for (int m = 0; m < h->material.count; m++)
    h->material.born_at[m] =
        setup->newborn == IG_BORN_MELT ? setup->material[m]->liquidus : setup->ambient;
  h->ops = &IG_OPS_OF(cx, ig_heat_cpu, ig_heat_cuda)[h->precision];
  ig_lid *place = NULL;
  ig_heat_cells cells;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_heat_cells_make(cx, setup->mesh, &cells));
  h->elements = cells.count;
  IG_TRY_GOTO(status, done, materials_make(cx, setup, h));
  IG_TRY_GOTO(status, done, forms_check(cx, setup, h, &cells));
  if (h->conduction == IG_HEAT_STENCIL)
    h->surface = IG_HEAT_LUMPED;
  /* from here on elements are cells in birth order */
  IG_TRY_GOTO(status, done, ig_heat_births_sort(cx, setup, whole, cells.parent, h));
  if (h->elements == 0) { /* a rank without elements has but the state of its nodes */
    status = ig_heat_state_make(cx, h);
    goto done;
  }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &place, h->elements, "birth order"));
  IG_TRY_GOTO(status, done, elements_make(cx, setup, h, &cells, place));
  /* elements have materials now */
  IG_TRY_GOTO(status, done, births_check(cx, setup, h));
  IG_TRY_GOTO(status, done, neighbors_make(cx, setup, h, &cells, place));
  if (whole)
    IG_TRY_GOTO(status, done, cells_place(cx, whole, h));
  IG_TRY_GOTO(status, done, ig_heat_shapes_make(cx, h, whole, setup->anisotropy));
  if (h->elems.how == IG_CLUSTER && !h->outline)
    IG_TRY_GOTO(status, done, clusters_fill(cx, h));
  /* stretches of elements and nodes that follow each other, for vectors (heat_runs.c) */
  if (h->elems.how == IG_GATHER && h->elems.first.host && cx->backend->kernels == IG_KERNELS_CPU)
    IG_TRY_GOTO(status, done, ig_heat_runs_make(cx, h));
  IG_TRY_GOTO(status, done, ig_heat_surfaces_mark(cx, setup, h, &cells, place));
  if (h->surface != IG_HEAT_LUMPED)
    IG_TRY_GOTO(status, done, ig_heat_faces_collect(cx, setup, h));
  if (!whole)
    IG_TRY_GOTO(status, done, ig_heat_rate_bound(cx, h));
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &h->face.work_film, (size_t)h->face.classes,
                           ig_heat_film_size(h->precision != IG_DOUBLE), "films"));
  IG_TRY_GOTO(status, done, ig_heat_classes_push(cx, h));
  if (!h->outline)
    IG_TRY_GOTO(status, done, ig_heat_nodes_make(cx, h, setup->leaps, setup->crossings));
  if (h->conduction == IG_HEAT_STENCIL)
    IG_TRY_GOTO(status, done, ig_heat_rows_new(cx, h));
  if (h->outline) /* an outline fails where the engine of one rank does */
    ig_heat_rows_free(h);
  if (h->ops->open && !h->outline)
    IG_TRY_GOTO(status, done, h->ops->open(cx, h));
done:
  free(place);
  ig_heat_cells_free(&cells);
  return status;
}

/* Every array of the engine is in this list or freed below; ig_array_free accepts arrays that were
   never made. The register of the state and the part are freed by ig_heat_free. */
void ig_heat_release(ig_ctx *cx, ig_heat *h) {
  ig_array *arrays[] = {&h->past.track,
                        &h->past.crossing,
                        &h->past.crossings,
                        &h->node.x,
                        &h->node.T,
                        &h->node.T_next,
                        &h->node.R,
                        &h->node.slots,
                        &h->face.slots,
                        &h->node.H,
                        &h->node.volume,
                        &h->node.inverse,
                        &h->node.film,
                        &h->node.filmed,
                        &h->cluster.material,
                        &h->cluster.shape,
                        &h->run.element,
                        &h->run.node,
                        &h->run.list,
                        &h->run.span,
                        &h->run.done,
                        &h->node.body,
                        &h->material.of,
                        &h->material.absorb,
                        &h->material.solid,
                        &h->shape.class_of,
                        &h->shape.K,
                        &h->material.work,
                        &h->face.death,
                        &h->face.class_of,
                        &h->face.work_film,
                        &h->face.ledger,
                        &h->rows.of,
                        &h->rows.row,
                        &h->rows.bulk,
                        &h->rows.border,
                        &h->batch.patch,
                        &h->batch.patch_volume,
                        &h->batch.source_node,
                        &h->batch.source_power,
                        &h->batch.steps,
                        &h->node.ledger,
                        &h->node.evaporated,
                        &h->survey,
                        &h->node.base,
                        &h->node.base_rate,
                        &h->node.previous,
                        &h->resident.met,
                        &h->resident.halo,
                        &h->resident.halo_start,
                        &h->resident.relay,
                        &h->rows.special,
                        &h->rows.mask,
                        &h->rows.alike,
                        &h->material.state};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(cx, arrays[i]);
  ig_plan_free(cx, &h->elems);
  ig_clusters_free(cx, &h->cluster.of);
  ig_plan_free(cx, &h->face.plan);
  ig_classes_free(&h->shape.classes);
  ig_csr_free(&h->node.around);
  ig_heat_rows_free(h);
  free(h->birth.order);
  free(h->birth.time);
  if (h->birth.whole != h->birth.start)
    free(h->birth.whole);
  free(h->birth.start);
  free(h->birth.mesh);
  free(h->node.held);
  free(h->shape.of_class);
  free(h->face.neighbor);
  free(h->face.kind);
  free(h->face.exposed);
  free(h->face.film);
  free(h->material.table);
  free(h->material.capacity);
  free(h->material.conductivity);
  free(h->face.start);
  free(h->batch.step);
  free(h->cell_of);
  memset(h, 0, sizeof *h);
}
