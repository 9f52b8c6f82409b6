/* The part at the end of a run on a mesh: what its surface (mesh_surface.c) and its pieces are
   found from. Where ranks have ranges of the mesh each looks at its own elements; what is behind
   their faces on other ranks is kept from when all was set up. */
#include "topopt/mesh/mesh_model.h"
#include "backend/backend.h"
#include "mesh/topology.h"
#include "topopt/surface/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Host pointers into the model, valid as long as it is; of a part the host side of the plan's
   connectivity. */
ig_topopt_mesh_body ig_topopt_mesh_body_of(const ig_topopt_mesh_model *m) {
  const ig_topopt_mesh_part *p = &m->part;
  const ig_lid *held = m->plan.conn.host;
  if (!p->divided)
    return (ig_topopt_mesh_body){.nodes = m->nodes,
                                 .elements = m->elements,
                                 .held = m->elements,
                                 .x = m->mesh->x,
                                 .conn = m->conn,
                                 .held_conn = m->conn,
                                 .share = m->shares};
  return (ig_topopt_mesh_body){.nodes = p->nodes,
                               .elements = p->cells.to - p->cells.from,
                               .held = p->held,
                               .first = p->cells.from,
                               .x = m->x.host,
                               .conn = held + (size_t)m->info->nodes * (size_t)p->element_at,
                               .held_conn = held,
                               .node = p->node,
                               .share = m->share.host};
}

/* --- densities at nodes --- */

/* Values of own elements (device), and those of the elements around them, to the host. A rank
   that has failed takes part in the exchange with its status, so that the others hear of it. */
static ig_status around_take(ig_topopt_mesh_model *m, const double *own, double *around,
                             ig_status status) {
  if (status == IG_OK)
    status = ig_topopt_mesh_surround(m, 1, &own);
  else
    status = ig_halo_refresh(m->cx, &m->part.moduli, NULL, sizeof *own, status);
  if (status == IG_OK)
    status = m->cx->backend->copy_out(m->cx, around, own, (size_t)m->part.held * sizeof *around);
  return status == IG_OK ? m->cx->backend->sync(m->cx) : status;
}

/* Values of nodes of other ranks, in own elements, become their owners'. */
static ig_status ghosts_take(ig_topopt_mesh_model *m, double *value, ig_status status) {
  ig_array on = {0};
  const size_t n = (size_t)m->part.nodes;
  if (status == IG_OK)
    status = ig_array_from(m->cx, &on, value, n, sizeof *value, "surface");
  status = ig_halo_refresh(m->cx, &m->part.states, on.dev, sizeof *value, status);
  if (status == IG_OK)
    status = m->cx->backend->copy_out(m->cx, value, on.dev, n * sizeof *value);
  if (status == IG_OK)
    status = m->cx->backend->sync(m->cx);
  ig_array_free(m->cx, &on);
  return status;
}

/* Means of the elements around each node, in their order: of own nodes all are there.
   Volume-weighted means; the order of elements is that of the whole, so bits agree between
   ranks. */
static ig_status means_make(const ig_topopt_mesh_model *m, const ig_topopt_mesh_body *b,
                            const double *density, const double *share, double *value) {
  const size_t npe = (size_t)m->info->nodes;
  double *weight;
  IG_TRY(IG_NEW(m->cx, &weight, b->nodes, "surface"));
  for (ig_lid e = 0; e < b->held; e++)
    for (size_t a = 0; a < npe; a++) {
      const ig_lid n = b->held_conn[npe * (size_t)e + a];
      value[n] += share[e] * density[e];
      weight[n] += share[e];
    }
  for (ig_lid n = 0; n < b->nodes; n++)
    value[n] = weight[n] > 0 ? value[n] / weight[n] : 0;
  free(weight);
  return IG_OK;
}

/* Of a part: densities and volumes of elements around own nodes come first, means are made, then
   nodes of other ranks take their owners' values. Every value is computed once, by one rank. */
ig_status ig_topopt_mesh_values(ig_topopt_mesh_model *m, const double *density, double **value) {
  const ig_topopt_mesh_body b = ig_topopt_mesh_body_of(m);
  const bool part = m->part.divided;
  const double *all = density, *share = b.share;
  double *around[2] = {NULL, NULL};
  ig_array own = {0};
  ig_status status = IG_NEW(m->cx, value, b.nodes, "surface");
  if (part) {
    if (status == IG_OK)
      status = ig_array_from(m->cx, &own, density, (size_t)b.elements, sizeof *density, "surface");
    for (int i = 0; i < 2 && status == IG_OK; i++)
      status = IG_NEW(m->cx, &around[i], b.held, "surface");
    status = around_take(m, own.dev, around[0], status);
    status = around_take(m, m->share.dev, around[1], status);
    all = around[0];
    share = around[1];
  }
  if (status == IG_OK)
    status = means_make(m, &b, all, share, *value);
  ig_array_free(m->cx, &own);
  free(around[0]);
  free(around[1]);
  return part ? ghosts_take(m, *value, status) : status;
}

/* --- faces --- */

/* Elements of others that may share a face with an own one: three of its nodes. Two elements
   that share a face have at least three nodes in common; the list may contain a few that share
   only edges, which the adjacency sorts out. */
static ig_status near_list(const ig_topopt_mesh_model *m, ig_lid **list, ig_lid *count) {
  const ig_rows *cells = &m->part.cells;
  const int64_t npe = m->info->nodes;
  uint8_t *mark = NULL, *near = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &mark, m->nodes, "faces between ranks"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &near, m->elements, "faces between ranks"));
  for (int64_t i = npe * cells->from; i < npe * cells->to; i++)
    mark[m->conn[i]] = 1;
  for (ig_lid e = 0; e < m->elements; e++) {
    int common = 0;
    for (int64_t a = 0; a < npe; a++)
      common += mark[m->conn[npe * e + a]];
    near[e] = common >= 3 && !(e >= cells->from && e < cells->to);
  }
  status = ig_lids_where(m->cx, near, m->elements, list, count);
done:
  free(mark);
  free(near);
  return status;
}

/* Faces of own elements are numbered first, up to adj->start[1], since they are the first block. */
static ig_status crossings_list(ig_topopt_mesh_part *p, ig_ctx *cx, const ig_adjacency *adj,
                                const ig_lid *near) {
  const ig_lid own = p->cells.to - p->cells.from;
  for (ig_lid i = 0; i < adj->start[1]; i++) {
    const ig_lid other = adj->neighbor[i];
    if (other == IG_NO_NEIGHBOR || (other >= 0 && other < own))
      continue;
    IG_TRY(IG_MORE(cx, &p->crossing, p->crossings, "faces between ranks"));
    p->crossing[p->crossings++] =
        (ig_topopt_mesh_crossing){i, other < 0 ? IG_JUNCTION : near[other - own]};
  }
  return IG_OK;
}

/* A mesh of two blocks, own elements and those near them, goes through the usual search for
   neighbours. Done at the set-up, as the other ranks' elements are not there at the end. */
ig_status ig_topopt_mesh_crossings(ig_topopt_mesh_model *m) {
  const ig_rows *cells = &m->part.cells;
  const size_t npe = (size_t)m->info->nodes;
  ig_lid *near = NULL, count = 0;
  ig_adjacency adj = {0};
  ig_block block[2] = {{.type = m->type,
                        .count = cells->to - cells->from,
                        .conn = m->conn + npe * (size_t)cells->from},
                       {.type = m->type}};
  const ig_mesh beside = {.dim = 3, .nodes = m->nodes, .blocks = 2, .block = block};
  ig_status status;
  IG_TRY_GOTO(status, done, near_list(m, &near, &count));
  IG_TRY_GOTO(status, done,
              IG_NEW(m->cx, &block[1].conn, npe * (size_t)count, "faces between ranks"));
  block[1].count = count;
  for (ig_lid i = 0; i < count; i++)
    memcpy(block[1].conn + npe * (size_t)i, m->conn + npe * (size_t)near[i], npe * sizeof *near);
  IG_TRY_GOTO(status, done, ig_mesh_adjacency(m->cx, &beside, &adj));
  status = crossings_list(&m->part, m->cx, &adj, near);
done:
  ig_adjacency_free(&adj);
  free(block[1].conn);
  free(near);
  return status;
}

/* Faces whose neighbour is on another rank look free to the search on own elements; crossings
   correct that. */
ig_status ig_topopt_mesh_behind(const ig_topopt_mesh_model *m, ig_adjacency *adj) {
  const ig_topopt_mesh_part *p = &m->part;
  const ig_topopt_mesh_body b = ig_topopt_mesh_body_of(m);
  ig_block block = {.type = m->type, .count = b.elements, .conn = (ig_lid *)b.conn};
  const ig_mesh own = {.dim = 3, .nodes = b.nodes, .blocks = 1, .block = &block};
  IG_TRY(ig_mesh_adjacency(m->cx, &own, adj));
  for (ig_lid i = 0; i < p->crossings; i++) /* of a junction two may be here */
    adj->neighbor[p->crossing[i].face] =
        p->crossing[i].other < 0 ? IG_JUNCTION : IG_TOPOPT_MESH_ELSEWHERE;
  return IG_OK;
}

/* Junctions, where more than two elements share a face, count as open: what is behind is not
   known. */
ig_status ig_topopt_mesh_faces(void *self, ig_topopt_pieces *p) {
  const ig_topopt_mesh_model *m = self;
  const ig_topopt_mesh_body b = ig_topopt_mesh_body_of(m);
  const ig_topopt_mesh_part *part = &m->part;
  const int faces = m->info->faces;
  ig_status status = IG_OK;
  ig_adjacency adj;
  IG_TRY(ig_topopt_mesh_behind(m, &adj));
  for (ig_lid i = 0; i < adj.faces; i++) {
    const ig_lid e = i / faces, other = adj.neighbor[i];
    bool open = other == IG_NO_NEIGHBOR || other == IG_JUNCTION;
    double x[3];
    if (other >= 0 && other < e)
      ig_topopt_pieces_join(p, e, other);
    if (open)
      ig_topopt_mesh_middle(m->type, b.x, b.conn + (size_t)m->info->nodes * (size_t)e,
                            (int)(i % faces), x);
    for (int s = 0; s < 6 && open; s++)
      open = isnan(m->plane[s]) || fabs(x[s / 2] - m->plane[s]) > m->slack;
    if (open)
      ig_topopt_pieces_open(p, e);
  }
  ig_adjacency_free(&adj);
  for (ig_lid i = 0; i < part->crossings && status == IG_OK; i++) {
    const ig_topopt_mesh_crossing *c = &part->crossing[i];
    if (c->other >= 0)
      status = ig_topopt_pieces_cross(p, c->face / faces, ig_rows_owner(&part->cells, c->other),
                                      c->other);
  }
  return status;
}
