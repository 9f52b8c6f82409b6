/* From a case with a mesh of hexahedra or tetrahedra to a discretisation. Vectors are node after
   node, three components each, or one of heat problems.

     supports, loads, roles                     placing.c, mesh_place.c
     filters                                    mesh_filter.c
     patterns, what can be drawn or printed     mesh_making.c, mesh_groups.c, mesh_print.c
     on the plate of a printer                  mesh_plate.c
     products, preconditioners, energies        mesh_system.c, ebe.c, mesh_amg.c
     pieces and surface of the part             mesh_finish.c, mesh_surface.c
     snapshots, arrays of checkpoints           mesh_output.c  */
#include "topopt/mesh/mesh_model.h"
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"
#include "mesh/geometry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One type for all blocks. Kernels are written per element type, and all arrays have one stride:
   one type for the whole mesh. */
static ig_status find_type(ig_topopt_mesh_model *m) {
  const ig_mesh *mesh = m->mesh;
  m->type = IG_ELEM_TYPES;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_elem_type type = mesh->block[b].type;
    if (mesh->block[b].count == 0)
      continue;
    if (type != IG_HEX8 && type != IG_TET4 && type != IG_TET10)
      return ig_fail_at(m->cx, &m->c->at,
                        "topopt takes meshes of hex8, tet4 or tet10: this one has %s elements",
                        ig_elem_info_get(type)->name);
    if (m->type != IG_ELEM_TYPES && m->type != type)
      return ig_fail_at(m->cx, &m->c->at,
                        "topopt takes one element type per mesh: this one has %s and %s; for a "
                        "file, mesh: {split: true} cuts hexahedra into tetrahedra",
                        ig_elem_info_get(m->type)->name, ig_elem_info_get(type)->name);
    m->type = type;
  }
  m->info = ig_elem_info_get(m->type);
  if (m->type == IG_TET4 && m->c->problem != IG_PROBLEM_HEAT)
    ig_warn_at(m->cx, &m->c->at,
               "mesh: tetrahedra of four nodes (tet4) are too stiff in bending, by 20 %% where a "
               "member is four elements thick: use tet10 (stl: `element: tet10`; a mesh of a file: "
               "`quadratic: true`) or hexahedra where stiffness and stress count");
  return IG_OK;
}

/* One array for all blocks of the mesh, in their order: elements are numbered through. */
ig_status ig_topopt_mesh_connect(ig_topopt_mesh_model *m) {
  const size_t npe = (size_t)m->info->nodes;
  size_t at = 0;
  IG_TRY(IG_NEW(m->cx, &m->conn, npe * (size_t)m->elements, "connectivity"));
  for (int b = 0; b < m->mesh->blocks; b++) {
    const ig_block *block = &m->mesh->block[b];
    if (block->count)
      memcpy(&m->conn[npe * at], block->conn, npe * sizeof *block->conn * (size_t)block->count);
    at += (size_t)block->count;
  }
  return IG_OK;
}

/* Quadratic tetrahedra may be curved: their volume is integrated. */
ig_status ig_topopt_mesh_volumes(const ig_topopt_mesh_model *m, double *volume) {
  size_t at = 0;
  for (int b = 0; b < m->mesh->blocks; b++)
    for (ig_lid e = 0; e < m->mesh->block[b].count; e++, at++)
      volume[at] = m->type == IG_TET10 ? ig_topopt_mesh_weights(m, (ig_lid)at, NULL)
                                       : ig_elem_measure(m->mesh, &m->mesh->block[b], e, NULL);
  return IG_OK;
}

/* `slack` is a millionth of the shortest edge: points that close are on a plane or in a region. */
static ig_status make_geometry(ig_topopt_mesh_model *m) {
  const ig_mesh *mesh = m->mesh;
  double shortest = INFINITY, all = 0;
  m->nodes = mesh->nodes;
  m->elements = ig_mesh_elements(mesh);
  if (m->elements == 0)
    return ig_fail_at(m->cx, &m->c->at, "the mesh has no elements");
  IG_TRY(find_type(m));
  IG_TRY(ig_topopt_mesh_connect(m));
  IG_TRY(ig_array_new(m->cx, &m->share, (size_t)m->elements, sizeof(double), "volumes"));
  IG_TRY(ig_array_new(m->cx, &m->center, 3 * (size_t)m->elements, sizeof(double), "centres"));
  double *share = m->share.host, *center = m->center.host;
  for (int b = 0; b < mesh->blocks; b++) {
    for (ig_lid e = 0; e < mesh->block[b].count; e++) {
      double s, l;
      ig_elem_edges(mesh, &mesh->block[b], e, &s, &l);
      shortest = fmin(shortest, s);
    }
  }
  IG_TRY(ig_topopt_mesh_volumes(m, share));
  for (ig_lid e = 0; e < m->elements; e++)
    all += share[e];
  m->shares = share;
  m->centers = center;
  m->d.volume = all / m->elements;
  m->slack = 1e-6 * shortest;
  for (ig_lid e = 0; e < m->elements; e++) {
    share[e] /= m->d.volume;
    ig_topopt_mesh_center(m, e, -1, &center[3 * (size_t)e]);
  }
  IG_TRY(ig_array_push(m->cx, &m->share));
  IG_TRY(ig_array_push(m->cx, &m->center));
  return ig_array_from(m->cx, &m->x, mesh->x, 3 * (size_t)m->nodes, sizeof(double), "positions");
}

/* --- what others ask for --- */

/* Lines of `ingot check`: how products are made and what they store, the hierarchy, what can be
   made. */
static void mesh_describe(void *self, ig_check_line *line, void *user) {
  const ig_topopt_mesh_model *m = self;
  char text[128];
  const size_t bytes =
      m->size == 1 ? ig_plan_bytes(&m->plan) + 24 * (size_t)m->plan.nodes : ig_ebe_bytes(&m->op);
  snprintf(text, sizeof text, "%s, %.0f bytes per element",
           ig_ebe_name(m->size == 1 ? IG_EBE_RECOMPUTE : m->op.kind),
           (double)bytes / (m->plan.elements > 0 ? m->plan.elements : 1));
  line(user, "operator", text);
  if (m->amg) {
    const ig_amg_level *l = &m->amg->level[m->amg->levels - 1];
    snprintf(text, sizeof text, "algebraic, %d levels, coarsest %d unknowns", m->amg->levels,
             l->nodes * l->size);
    line(user, "multigrid", text);
  }
  ig_topopt_mesh_making_describe(m, line, user);
}

static ig_linear mesh_linear(void *self) {
  return ((const ig_topopt_mesh_model *)self)->system;
}

/* --- making it --- */

static void mesh_free(void *self) {
  ig_topopt_mesh_model *m = self;
  ig_array *const arrays[] = {&m->x,     &m->fix,    &m->spring, &m->role,
                              &m->share, &m->center, &m->scale,  &m->poissons};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(m->cx, arrays[i]);
  ig_topopt_loading_free(m->cx, &m->loading);
  ig_topopt_mesh_filter_free(m);
  ig_topopt_mesh_making_free(m);
  ig_topopt_mesh_plate_free(m);
  ig_topopt_mesh_build_free(m);
  ig_topopt_mesh_system_free(m);
  free(m->conn);
  free(m);
}

/* As on a grid: materials, placing, the system, filters, what can be made, then the table of
   functions; last the mesh is cut, if ranks divide it. */
static ig_status build(ig_topopt_mesh_model *m, const ig_list *materials, ig_assembly how) {
  m->size = m->c->problem == IG_PROBLEM_HEAT ? 1 : 3;
  IG_TRY(make_geometry(m));
  const ig_topopt_points points = ig_topopt_mesh_points(m);
  double density;
  if (m->c->choose_material) {
    IG_TRY(ig_topopt_points_candidates(&points, materials, &m->loading.stiffness, &m->poisson,
                                       &density, &m->loading));
  } else {
    IG_TRY(ig_topopt_points_materials(&points, materials, &m->loading.stiffness, &m->poisson,
                                      &m->scale, &m->poissons));
    IG_TRY(ig_topopt_points_densities(&points, materials, &density, &m->loading.heavy));
  }
  IG_TRY(ig_topopt_points_expansion(&points, materials, &m->loading.expansion));
  m->loading.element_mass = isnan(density) ? 0 : density * m->d.volume;
  IG_TRY(ig_topopt_mesh_place(m));
  IG_TRY(ig_topopt_mesh_system_new(m, how));
  IG_TRY(ig_topopt_mesh_filter_new(m));
  IG_TRY(ig_topopt_mesh_making_new(m));
  ig_discretisation *d = &m->d;
  d->loading = &m->loading;
  d->places = d->all_places = d->elements = m->elements;
  d->nodes = m->nodes;
  d->dofs = d->unknowns = d->all_unknowns = m->system.n;
  if (m->system.grid) {
    d->grid = &m->cells;
    d->states = &m->sums;
    d->own_states[1] = m->system.n;
  }
  d->role = m->role.dev;
  d->share = m->share.dev;
  d->scale = m->scale.dev;
  d->faces = ig_topopt_mesh_faces;
  d->thickness = 1;
  d->layout = (ig_node_layout){m->nodes, m->size, 1, m->size};
  d->fix = m->fix.dev;
  d->hooke = (ig_topopt_hooke){3, 0, m->hex.lame, m->hex.shear, m->poissons.dev, 0};
  d->filter = ig_topopt_mesh_filter;
  d->around = ig_topopt_mesh_around;
  d->corners = m->info->nodes;
  d->snapshot = ig_topopt_mesh_snapshot;
  d->pack = ig_topopt_mesh_pack;
  d->centers = m->centers;
  d->measure = ig_topopt_mesh_limit;
  d->surface = ig_topopt_mesh_surface;
  d->inside = ig_topopt_mesh_inside;
  d->touched = ig_topopt_mesh_touched;
  d->describe = mesh_describe;
  d->linear = mesh_linear;
  d->body = m->size == 3 ? ig_topopt_mesh_elements : NULL;
  IG_TRY(ig_topopt_mesh_plate_new(m));
  IG_TRY(ig_topopt_mesh_build_new(m));
  return m->part.divided ? ig_topopt_mesh_cut(m) : IG_OK;
}

/* *out is a member of the model; its `free` frees all of it. */
ig_status ig_topopt_mesh_model_new(ig_ctx *cx, const ig_topopt_case *c, const ig_list *materials,
                                   const ig_mesh *mesh, ig_assembly how, ig_discretisation **out) {
  *out = NULL;
  ig_topopt_mesh_model *m;
  IG_TRY(IG_NEW(cx, &m, 1, "mesh model"));
  m->cx = cx;
  m->c = c;
  m->mesh = mesh;
  m->ops = ig_solver_mesh_ops_of(cx);
  m->d.self = m;
  m->d.ends = &m->pcg.ends;
  m->d.free = mesh_free;
  const ig_status status = build(m, materials, how);
  if (status != IG_OK) {
    mesh_free(m);
    return status;
  }
  *out = &m->d;
  return IG_OK;
}
