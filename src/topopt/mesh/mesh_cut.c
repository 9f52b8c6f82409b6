/* From a mesh that was set up as a whole to the part of it that a rank needs: own elements of
   the design, elements that touch own nodes, the nodes of both, and nodes that own aggregates of
   multigrid reach. The rest is let go.

   Why not read parts from the start: supports, loads, sets and filters are found with the code
   for one rank, on the whole mesh, and are therefore the same on any number of ranks. The price
   is that every rank has the whole mesh in memory for the time of the set-up.

   Three ranges have to be distinguished:

     own nodes        rows.from .. rows.to: this rank computes their values
     own elements     cells.from .. cells.to: their densities are this rank's
     held elements    own ones and all that touch own nodes: K u at own nodes needs their moduli

   Numbers in the part rise as those of the whole do, so that sums over the elements of a node
   have the same order, and the same bits, as on one rank. */
#include "topopt/mesh/mesh_model.h"
#include "assembly/part.h"
#include "backend/backend.h"
#include "core/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the whole by those of the part, and the other way (-1: not there). */
typedef struct {
  ig_lid *node, *element;
  ig_lid *node_number, *element_number;
  uint8_t *mine; /* elements of the whole that touch own nodes */
  double *x;     /* of the part */
  ig_lid *conn;
} cutting;

/* c->node is not freed: the part keeps it (part.node). */
static void cutting_free(cutting *c) {
  free(c->element);
  free(c->node_number);
  free(c->element_number);
  free(c->mine);
  free(c->x);
  free(c->conn);
}

/* The two directions of a numbering: part to whole (list), whole to part (number). */
static ig_status list_make(ig_ctx *cx, ig_lid all, const uint8_t *mark, ig_lid **list,
                           ig_lid *number, ig_lid *count) {
  *count = 0;
  for (ig_lid i = 0; i < all; i++)
    number[i] = mark[i] ? (*count)++ : -1;
  IG_TRY(IG_NEW(cx, list, *count, "part of the mesh"));
  for (ig_lid i = 0, at = 0; i < all; i++)
    if (mark[i])
      (*list)[at++] = i;
  return IG_OK;
}

/* Which elements and nodes are needed. p->elements counts those that touch own nodes: the work
   of this rank in a product. */
static ig_status choose(ig_topopt_mesh_model *m, cutting *c) {
  ig_topopt_mesh_part *p = &m->part;
  const int npe = m->info->nodes;
  uint8_t *node = NULL;
  ig_status status;
  IG_TRY(IG_NEW(m->cx, &c->mine, m->elements, "part of the mesh"));
  IG_TRY(IG_NEW(m->cx, &c->node_number, m->nodes, "part of the mesh"));
  IG_TRY(IG_NEW(m->cx, &c->element_number, m->elements, "part of the mesh"));
  IG_TRY(IG_NEW(m->cx, &node, m->nodes, "part of the mesh"));
  for (int64_t i = 0; i < (int64_t)npe * m->elements; i++)
    if (m->conn[i] >= p->rows.from && m->conn[i] < p->rows.to)
      c->mine[i / npe] = 1;
  for (ig_lid e = 0; e < m->elements; e++) {
    p->elements += c->mine[e];
    c->mine[e] |= e >= p->cells.from && e < p->cells.to;
    for (int a = 0; a < npe && c->mine[e]; a++)
      node[m->conn[(int64_t)npe * e + a]] = 1;
  }
  for (ig_lid n = p->rows.from; n < p->rows.to; n++) /* some may be in no element */
    node[n] = 1;
  IG_TRY_GOTO(status, done, m->amg ? ig_amg_needs(m->amg, node) : IG_OK);
  IG_TRY_GOTO(status, done, list_make(m->cx, m->nodes, node, &p->node, c->node_number, &p->nodes));
  status = list_make(m->cx, m->elements, c->mine, &c->element, c->element_number, &p->held);
  c->node = p->node;
  p->node_at = (ig_lid)ig_sorted_below(c->node, p->nodes, p->rows.from);
  if (status == IG_OK)
    p->element_at = (ig_lid)ig_sorted_below(c->element, p->held, p->cells.from);
done:
  free(node);
  return status;
}

/* Lists of ghosts, from the whole mesh. Three exchanges: values of nodes in elements that touch
   own nodes (ghosts: products), values of nodes in own elements (states: energies and strains),
   moduli of elements at own nodes (moduli). */
static ig_status ghosts_list(ig_topopt_mesh_model *m, cutting *c) {
  ig_topopt_mesh_part *p = &m->part;
  ig_ctx *cx = m->cx;
  const int npe = m->info->nodes;
  const size_t state = sizeof(double) * (size_t)m->size;
  ig_csr around = {0};
  ig_lid *corner = NULL;
  uint8_t *mine = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &mine, m->elements, "ghosts"));
  IG_TRY_GOTO(status, done,
              ig_rows_halo_elements(cx, &p->rows, m->elements, npe, m->conn, c->node_number, state,
                                    mine, &p->ghosts));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &corner, (size_t)m->elements + 1, "ghosts"));
  for (ig_lid e = 0; e <= m->elements; e++)
    corner[e] = npe * e;
  IG_TRY_GOTO(status, done,
              ig_rows_halo(cx, &p->cells, &p->rows, (ig_rows_pattern){corner, m->conn},
                           c->node_number, state, &p->states));
  IG_TRY_GOTO(status, done,
              ig_mesh_node_elements(cx, m->nodes, m->elements, npe, m->conn, &around));
  status = ig_rows_halo(cx, &p->rows, &p->cells, (ig_rows_pattern){around.start, around.item},
                        c->element_number, sizeof(double), &p->moduli);
done:
  free(mine);
  free(corner);
  ig_csr_free(&around);
  return status;
}

/* --- arrays --- */

/* Items list[0 … count) of an array, or `count` from `first` on (list NULL); `size` bytes each.
   Copies items of `size` bytes, whatever they are. */
static ig_status array_cut(ig_ctx *cx, const ig_lid *list, ig_lid first, ig_lid count, size_t size,
                           const void *from, ig_array *to, const char *what) {
  IG_TRY(ig_array_new(cx, to, (size_t)count, size, what));
  for (ig_lid i = 0; i < count; i++)
    memcpy((char *)to->host + (size_t)i * size,
           (const char *)from + (size_t)(list ? list[i] : first + i) * size, size);
  return ig_array_push(cx, to);
}

/* In place; device arrays that may have no host side. The array goes to the host and back once:
   cutting happens at the set-up only. */
static ig_status replace(ig_topopt_mesh_model *m, const ig_lid *list, ig_lid first, ig_lid count,
                         size_t size, ig_array *a) {
  ig_array part;
  char *host;
  const size_t all = a->count * a->size;
  if (!a->dev)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &host, all + 1, "part of the mesh"));
  ig_status status = m->cx->backend->copy_out(m->cx, host, a->dev, all);
  if (status == IG_OK)
    status = m->cx->backend->sync(m->cx);
  if (status == IG_OK)
    status = array_cut(m->cx, list, first, count, size, host, &part, "part of the mesh");
  free(host);
  IG_TRY(status);
  ig_array_free(m->cx, a);
  *a = part;
  return IG_OK;
}

static ig_status state_replace(ig_topopt_mesh_model *m, ig_array *a) {
  return replace(m, m->part.node, 0, m->part.nodes, sizeof(double) * (size_t)m->size, a);
}
static ig_status design_replace(ig_topopt_mesh_model *m, ig_array *a, size_t size) {
  const ig_rows *cells = &m->part.cells;
  return replace(m, NULL, cells->from, cells->to - cells->from, size, a);
}

/* What the end of a run asks of own elements: which are held or loaded, and whose stress counts.
   Kept from the whole mesh, since supports and loads of others are not known later. */
static ig_status touched_cut(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_part *p = &m->part;
  const size_t own = (size_t)(p->cells.to - p->cells.from);
  uint8_t *mark;
  IG_TRY(IG_NEW(m->cx, &mark, m->elements, "elements held or loaded"));
  ig_status status = ig_topopt_mesh_touched(m, mark);
  if (status == IG_OK)
    status = IG_NEW(m->cx, &p->touched, own + 1, "elements held or loaded");
  if (status == IG_OK && own)
    memcpy(p->touched, mark + p->cells.from, own);
  free(mark);
  return status;
}
static ig_status counted_cut(ig_topopt_mesh_model *m) {
  const ig_limit_case everywhere = {
      .at = m->c->at, .volume = NAN, .displacement = NAN, .temperature = NAN, .stress = 1};
  double count;
  if (m->size == 1)
    return IG_OK;
  IG_TRY(ig_topopt_mesh_limit(m, &everywhere, &m->part.counted, &count));
  return design_replace(m, &m->part.counted, sizeof(double));
}

/* Supports, springs, loads; roles and volumes of own elements. The whole's that placing needs
   stay until all is set up. Bounds of constraints are placed after this, on the whole: its
   supports and volumes are kept in part.fix and part.share until release_global. */
static ig_status placed_cut(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_part *p = &m->part;
  const ig_lid own = p->cells.to - p->cells.from;
  IG_TRY(touched_cut(m));
  IG_TRY(counted_cut(m));
  p->fix = m->fix;
  p->share = m->share;
  m->fix = m->share = (ig_array){0};
  IG_TRY(array_cut(m->cx, p->node, 0, p->nodes, 1, p->fix.host, &m->fix, "supports"));
  IG_TRY(array_cut(m->cx, NULL, p->cells.from, own, sizeof(double), p->share.host, &m->share,
                   "volumes"));
  IG_TRY(state_replace(m, &m->spring));
  return design_replace(m, &m->role, 1);
}

/* Centres of own elements, needed if densities are read from a file after set-up. */
static ig_status centers_keep(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_part *p = &m->part;
  const size_t own = (size_t)(p->cells.to - p->cells.from);
  m->d.centers = NULL;
  if (!m->c->initial_design.at.given)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &p->centers, 3 * own + 1, "centres"));
  memcpy(p->centers, m->centers + 3 * (size_t)p->cells.from, 3 * own * sizeof *p->centers);
  m->d.centers = p->centers;
  return IG_OK;
}

/* Loads, and materials where there are several. Poisson's ratios are needed of all elements in a
   product, the other material arrays of own ones. */
static ig_status loading_cut(ig_topopt_mesh_model *m, const cutting *c) {
  const ig_topopt_mesh_part *p = &m->part;
  ig_loading *l = &m->loading;
  for (int q = 0; q < l->cases; q++) {
    IG_TRY(state_replace(m, &l->f[q]));
    IG_TRY(state_replace(m, &l->gravity[q]));
  }
  IG_TRY(state_replace(m, &l->port));
  IG_TRY(state_replace(m, &l->held));
  IG_TRY(state_replace(m, &l->expanded));
  IG_TRY(replace(m, p->node, 0, p->nodes, sizeof(double), &l->added));
  IG_TRY(design_replace(m, &l->heavy, sizeof(double)));
  IG_TRY(design_replace(m, &m->scale, sizeof(double)));
  return replace(m, c->element, 0, p->held, sizeof(double), &m->poissons);
}

/* --- products --- */

/* c->x and c->conn are the host's copies for the products and the preconditioner. */
static ig_status geometry_cut(ig_topopt_mesh_model *m, cutting *c) {
  const ig_topopt_mesh_part *p = &m->part;
  const size_t npe = (size_t)m->info->nodes;
  IG_TRY(IG_NEW(m->cx, &c->x, 3 * (size_t)p->nodes, "part of the mesh"));
  IG_TRY(IG_NEW(m->cx, &c->conn, npe * (size_t)p->held, "part of the mesh"));
  for (ig_lid n = 0; n < p->nodes; n++)
    memcpy(c->x + 3 * (size_t)n, m->mesh->x + 3 * (size_t)c->node[n], 3 * sizeof *c->x);
  for (ig_lid e = 0; e < p->held; e++)
    for (size_t a = 0; a < npe; a++)
      c->conn[npe * (size_t)e + a] = c->node_number[m->conn[npe * (size_t)c->element[e] + a]];
  ig_array_free(m->cx, &m->x);
  return ig_array_from(m->cx, &m->x, c->x, 3 * (size_t)p->nodes, sizeof(double), "positions");
}

static ig_status plan_cut(ig_topopt_mesh_model *m, const cutting *c, ig_plan *plan) {
  ig_plan part;
  if (!plan->start)
    return IG_OK;
  IG_TRY(ig_plan_cut(m->cx, plan, m->part.nodes, m->part.held, c->element, c->conn, &part));
  ig_plan_free(m->cx, plan);
  *plan = part;
  return IG_OK;
}

/* The plan of the whole is cut, not made anew: its order of additions must stay. */
static ig_status product_new(ig_topopt_mesh_model *m, const cutting *c, bool single, ig_ebe *op) {
  const ig_ebe_whole whole = {m->mesh->x, m->conn, m->elements, c->element};
  ig_plan plan;
  IG_TRY(ig_plan_cut(m->cx, &m->plan, m->part.nodes, m->part.held, c->element, c->conn, &plan));
  return ig_ebe_new_part(m->cx, (ig_ebe_kind)m->c->solver.operator, single, &whole, c->x, c->conn,
                         m->poisson, &plan, op);
}

/* Products in both precisions while the whole's plan is there, then that itself. `part.own` is
   the view of own elements alone: the same connectivity from element_at on. */
static ig_status products_cut(ig_topopt_mesh_model *m, const cutting *c) {
  ig_topopt_mesh_part *p = &m->part;
  if (m->size == 3)
    IG_TRY(product_new(m, c, false, &m->op));
  if (m->size == 3 && m->amg)
    IG_TRY(product_new(m, c, true, &m->op_single));
  m->op.args.poisson = m->op_single.args.poisson = m->poissons.dev;
  IG_TRY(plan_cut(m, c, &m->plan));
  IG_TRY(plan_cut(m, c, &m->colors));
  if (m->slots.dev) {
    ig_array_free(m->cx, &m->slots);
    IG_TRY(ig_array_new_device(m->cx, &m->slots, (size_t)m->plan.slots * (m->size == 1 ? 1 : 6),
                               sizeof(double), "slots"));
  }
  m->hex.x = m->hex_colors.x = m->x.dev;
  m->hex.slots = m->hex_colors.slots = m->slots.dev;
  m->hex.poisson = m->hex_colors.poisson = m->poissons.dev;
  m->hex.scatter = ig_plan_view(&m->plan);
  m->hex_colors.scatter = ig_plan_view(&m->colors);
  m->ground = (ig_ground){p->nodes, m->size, m->fix.dev, m->spring.dev};
  p->own = m->hex;
  p->own.scatter.elements = p->cells.to - p->cells.from;
  p->own.scatter.conn += (int64_t)m->info->nodes * p->element_at;
  if (p->own.poisson)
    p->own.poisson += p->element_at;
  return IG_OK;
}

/* --- what the design sees --- */

/* Own ranges of all ranks, joined in order, are the whole array. */
static ig_status fetch(void *self, bool states, int count, const double *from, bool everyone,
                       double *to) {
  const ig_topopt_mesh_model *m = self;
  const ig_topopt_mesh_part *p = &m->part;
  const ig_discretisation *d = &m->d;
  for (int i = 0; i < count; i++) {
    if (states)
      IG_TRY(ig_rows_collect(m->cx, &p->rows, sizeof *to * (size_t)m->size,
                             from + i * d->unknowns + d->own_states[0], everyone,
                             to + i * d->all_unknowns));
    else
      IG_TRY(ig_rows_collect(m->cx, &p->cells, sizeof *to, from + i * d->places, everyone,
                             to + i * d->all_places));
  }
  return IG_OK;
}

/* Own ranges of arrays of the whole (host) to the device; ghosts are not filled. */
static ig_status place(void *self, bool states, int count, const double *from, double *to) {
  const ig_topopt_mesh_model *m = self;
  const ig_topopt_mesh_part *p = &m->part;
  const ig_discretisation *d = &m->d;
  const size_t own = (size_t)(states ? d->own_states[1] - d->own_states[0] : d->places);
  for (int i = 0; i < count && own; i++)
    IG_TRY(m->cx->backend->copy_in(
        m->cx, to + (states ? i * d->unknowns + d->own_states[0] : i * d->places),
        from + (states ? i * d->all_unknowns + (int64_t)m->size * p->rows.from
                       : i * d->all_places + p->cells.from),
        own * sizeof *to));
  return m->cx->backend->sync(m->cx);
}

/* Asked for at the end, too: elements whose stress counts. While all is set up constraints are
   measured on the whole mesh and then cut; at the end only the stress of the part is asked for,
   whose elements were kept. */
static ig_status limit(void *self, const ig_limit_case *limit, ig_array *to, double *norm) {
  ig_topopt_mesh_model *m = self;
  const bool elements = isnan(limit->displacement) && isnan(limit->temperature);
  if (m->part.ready) {
    const ig_array *counted = &m->part.counted;
    *norm = NAN;
    return ig_array_from(m->cx, to, counted->host, counted->count, counted->size, "constraint");
  }
  IG_TRY(ig_topopt_mesh_limit(m, limit, to, norm));
  return elements ? design_replace(m, to, sizeof(double)) : state_replace(m, to);
}

static ig_status touched(void *self, uint8_t *mark) {
  const ig_topopt_mesh_model *m = self;
  memcpy(mark, m->part.touched, (size_t)m->d.places);
  return IG_OK;
}

/* Called when model and design are complete (d->lighten): from now on no rank has the whole
   mesh's connectivity. */
void ig_topopt_mesh_release_global(void *self) {
  ig_topopt_mesh_model *m = self;
  ig_topopt_mesh_part *p = &m->part;
  ig_array *const arrays[] = {&p->fix, &p->share, &m->center};
  for (int i = 0; i < 3; i++)
    ig_array_free(m->cx, arrays[i]);
  free(m->conn);
  m->conn = NULL;
  m->fixed = NULL;
  m->shares = m->centers = NULL;
  p->ready = true;
}

/* --- */

/* From here on the design sees this rank's part: sizes, roles, and the functions that differ. */
static void see(ig_topopt_mesh_model *m) {
  ig_discretisation *d = &m->d;
  ig_topopt_mesh_part *p = &m->part;
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(m);
  p->own_values[0] = (int64_t)m->size * own.from;
  p->own_values[1] = (int64_t)m->size * (own.from + own.count);
  m->system.n = (int64_t)m->size * p->nodes;
  m->system.own = p->own_values;
  d->places = p->cells.to - p->cells.from;
  d->unknowns = m->system.n;
  memcpy(d->own_states, p->own_values, sizeof d->own_states);
  d->own_from = (int64_t)m->size * p->rows.from;
  d->layout.nodes = p->nodes;
  d->role = m->role.dev;
  d->share = m->share.dev;
  d->scale = m->scale.dev;
  d->hooke.poisson = p->own.poisson;
  d->fix = m->fix.dev;
  d->fetch = fetch;
  d->place = place;
  d->stream = ig_topopt_mesh_stream;
  d->show = ig_topopt_mesh_show;
  d->outline = ig_topopt_mesh_outline;
  d->measure = limit;
  d->touched = touched;
  d->lighten = ig_topopt_mesh_release_global;
}

/* The order matters: ghosts, faces and filters are found from the whole mesh, then arrays are
   replaced. */
static ig_status cut(ig_topopt_mesh_model *m, cutting *c) {
  ig_topopt_mesh_part *p = &m->part;
  IG_TRY(choose(m, c));
  IG_TRY(ghosts_list(m, c));
  IG_TRY(ig_topopt_mesh_crossings(m));
  IG_TRY(ig_topopt_mesh_filter_cut(m));
  IG_TRY(placed_cut(m));
  IG_TRY(loading_cut(m, c));
  IG_TRY(centers_keep(m));
  IG_TRY(geometry_cut(m, c));
  IG_TRY(products_cut(m, c));
  see(m);
  IG_TRY(ig_topopt_mesh_system_arrays(m, p->nodes, p->held));
  if (m->c->filter.kind == IG_FILTER_HELMHOLTZ)
    IG_TRY(ig_topopt_mesh_helmholtz_new(m, c->element, c->conn));
  IG_TRY(ig_array_zero(m->cx, &m->modulus));
  m->d.modulus = (double *)m->modulus.dev + p->element_at;
  return IG_OK;
}

/* Ranks agree before the preconditioner is made, as that exchanges messages. */
ig_status ig_topopt_mesh_cut(ig_topopt_mesh_model *m) {
  cutting c = {0};
  ig_status status = cut(m, &c);
  status = ig_ranks_agree(m->cx, status);
  ig_amg_problem own = ig_topopt_mesh_problem(m);
  own.nodes = m->part.nodes;
  own.elements = m->part.held;
  own.x = c.x;
  if (status == IG_OK && m->c->solver.preconditioner == IG_PRECONDITIONER_PETSC)
    status = ig_topopt_mesh_petsc(m, &own);
  own.x = NULL; /* which were for setting it up */
  own.fix = NULL;
  if (status == IG_OK && m->amg)
    status = ig_amg_cut(m->amg, &own, m->part.node, m->part.nodes);
  cutting_free(&c);
  return status;
}
