/* A model from a mesh, with what moves and loads it.

   Order of use: ig_frac_model_new (tables and topology), motions, loads and laws by the
   functions below, ig_frac_model_start (pushes to the device, computes masses). All of it runs
   on the host, on every rank for the whole mesh; part.c cuts it down afterwards. */
#include "fracture/engine/tables.h"

#include "assembly/assembly.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

/* A row of bc_row that is not used yet; and how many different rows there may be. */
enum { NO_ROW = -2, ROWS = 512 };

/* Plane stress: c11 = E / (1 - nu^2), c12 = nu c11; else lambda + 2 mu and lambda. */
ig_frac_elastic ig_frac_elastic_of(double young, double poisson, double rho, int plane_stress) {
  const double mu = 0.5 * young / (1 + poisson);
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  if (plane_stress)
    return (ig_frac_elastic){young / (1 - poisson * poisson),
                             poisson * young / (1 - poisson * poisson), mu, rho};
  return (ig_frac_elastic){lambda + 2 * mu, lambda, mu, rho};
}

static const ig_elem_type elem_types[4] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};

/* The mesh numbers faces by its own table; here face f is the one without corner f. */
int ig_frac_face_of_mesh(const ig_frac_model *m, int mesh_face) {
  const int *local = ig_elem_face(elem_types[m->kind], mesh_face);
  for (int f = 0; f < m->shape.faces; f++) {
    bool has = false;
    for (int j = 0; j < m->shape.dim; j++)
      has = has || local[j] == f;
    if (!has)
      return f;
  }
  return 0;
}

/* One element type in the whole mesh: kernels are compiled per type, and a facet joins equal
   elements. */
static ig_status kind_of(ig_ctx *cx, const ig_mesh *mesh, int *kind) {
  for (int b = 0; b < mesh->blocks; b++)
    if (mesh->block[b].type != mesh->block[0].type)
      return IG_FAIL(
          cx, IG_INPUT, "fracture needs a mesh of one element type: this one has %s and %s",
          ig_elem_info_get(mesh->block[0].type)->name, ig_elem_info_get(mesh->block[b].type)->name);
  for (*kind = 0; mesh->blocks && *kind < 4; (*kind)++)
    if (elem_types[*kind] == mesh->block[0].type)
      return IG_OK;
  return IG_FAIL(cx, IG_INPUT, "fracture needs a mesh of tri3, tri6, tet4 or tet10%s%s",
                 mesh->blocks ? ": this one has " : "",
                 mesh->blocks ? ig_elem_info_get(mesh->block[0].type)->name : "");
}

/* The slots around each node. They lie with their elements: a node that splits takes its part of
   the list, no slot moves.
   ig_slots_number counts corners per node in the order of elements, which is the order of all
   sums at nodes. */
static ig_status fill_list(ig_frac_model *m, const ig_mesh *mesh) {
  const int nn = m->shape.nodes;
  const int64_t ne = m->s.ne;
  int32_t *list = ig_frac_model_host(m, "list");
  ig_frac_node *node = ig_frac_model_host(m, "node");
  ig_lid *slot = NULL, *first = NULL;
  ig_slot_block *block = NULL;
  ig_status status = IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &slot, ne * nn, "slots"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &first, mesh->nodes + 1, "slots"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &block, mesh->blocks, "slots"));
  int64_t at = 0;
  for (int b = 0; b < mesh->blocks; at += mesh->block[b++].count)
    block[b] = (ig_slot_block){mesh->block[b].count, nn, mesh->block[b].conn, slot + at * nn};
  IG_TRY_GOTO(status, done, ig_slots_number(m->cx, mesh->nodes, mesh->blocks, block, first));
  for (int64_t e = 0; e < ne; e++)
    for (int a = 0; a < nn; a++)
      list[slot[e * nn + a]] = (int32_t)(a * ne + e);
  for (int32_t n = 0; n < mesh->nodes; n++)
    node[n] =
        (ig_frac_node){.first = first[n], .used = first[n + 1] - first[n], .bc = -1, .origin = n};
done:
  free(slot);
  free(first);
  free(block);
  return status;
}

/* conn and opp, and the list of slots around each node.
   m->facets: inner facets, each counted at its lower element. */
static ig_status fill_topology(ig_frac_model *m, const ig_mesh *mesh) {
  const int nn = m->shape.nodes, nf = m->shape.faces;
  const int64_t ne = m->s.ne;
  int32_t *conn = ig_frac_model_host(m, "conn"), *opp = ig_frac_model_host(m, "opp");
  int64_t at = 0;
  for (int b = 0; b < mesh->blocks; b++)
    for (ig_lid e = 0; e < mesh->block[b].count; e++, at++)
      for (int a = 0; a < nn; a++)
        conn[a * ne + at] = mesh->block[b].conn[(int64_t)e * nn + a];
  ig_adjacency adj;
  IG_TRY(ig_mesh_adjacency(m->cx, mesh, &adj));
  ig_status status = IG_OK;
  for (int64_t e = 0; e < ne; e++)
    for (int mf = 0; mf < nf; mf++) {
      const int32_t o = adj.neighbor[e * nf + mf];
      if (o == IG_JUNCTION)
        status = IG_FAIL(m->cx, IG_INPUT, "face %d of element %lld has more than two elements", mf,
                         (long long)e);
      opp[e * nf + ig_frac_face_of_mesh(m, mf)] = o < 0 ? -1 : o;
      m->facets += o > e;
    }
  ig_adjacency_free(&adj);
  IG_TRY(status);
  return fill_list(m, mesh);
}

/* For assembly `color` only. Colors stay valid as cracks open: splitting nodes only removes
   conflicts. */
static ig_status fill_colors(ig_frac_model *m) {
  const int nn = m->shape.nodes;
  const int64_t ne = m->s.ne;
  const int32_t *conn = ig_frac_model_host(m, "conn");
  ig_lid *rows;
  IG_TRY(IG_NEW(m->cx, &rows, ne * nn, "coloring"));
  for (int64_t e = 0; e < ne; e++)
    for (int a = 0; a < nn; a++)
      rows[e * nn + a] = conn[a * ne + e];
  ig_coloring coloring;
  const ig_status status = ig_mesh_color(m->cx, m->nodes_start, (ig_lid)ne, nn, rows, &coloring);
  free(rows);
  IG_TRY(status);
  m->colors = coloring.colors;
  memcpy(ig_frac_model_host(m, "order"), coloring.order, (size_t)ne * sizeof(ig_lid));
  m->color_start = coloring.start;
  coloring.start = NULL;
  ig_coloring_free(&coloring);
  return IG_OK;
}

/* The arrays that every model has (state.h says what they are).
   Flags: SAVED in checkpoints, NUMBERS translated by arrays.c, FIXED given once, GHOSTED
   exchanged after steps, DEVICE without a host side, ONE_RANK not made on several. A width of 0
   makes no array. */
static ig_status tables_add(ig_frac_model *m, const ig_mesh *mesh) {
  enum { E = IG_FRAC_PER_ELEMENT, N = IG_FRAC_PER_NODE, C = IG_FRAC_PER_COHESIVE };
  ig_frac_state *s = &m->s;
  const ig_frac_shape *h = &m->shape;
  const size_t real = m->wide ? 8 : 4;
  const int corners = h->nodes > h->corners ? h->corners : 1, vectors = h->nodes * h->dim;
  const int64_t ne = s->ne, most = ne > mesh->nodes ? ne : mesh->nodes;
  const bool rigid = s->zone.law.rigid, slots = s->how == IG_GATHER || s->how == IG_CLUSTER;
  const int speeds = rigid || s->surface.on ? GHOSTED : 0; /* contact needs those of ghosts */
  const ig_array_def def[] = {
      {"conn", &s->topo.conn, E, h->nodes, 4, .flags = SAVED | NUMBERS, .columns = h->nodes},
      {"opp", &s->topo.opp, E, h->faces, 4, .flags = SAVED | NUMBERS},
      {"list", &s->topo.list, E, h->nodes, 4, .flags = SAVED | NUMBERS},
      {"attach", &s->topo.attach, E, 1, 1, .flags = SAVED},
      {"mat", &s->topo.mat, E, 1, 1, .flags = FIXED},
      {"mark", &s->grow.mark, E, h->faces, 1, .flags = 0},
      {"opened", &s->grow.opened, E, (h->faces + 1) / 2 + 1, 4, .flags = DEVICE},
      {"se", &s->bulk.stress, E, corners * h->stresses, real, .flags = 0},
      {"st", &s->bulk.share, E, 1, real, .flags = DEVICE},
      {"me", &s->bulk.mass, E, 1, real, .flags = DEVICE},
      {"fe", &s->bulk.force, E, slots ? vectors : 0, real, .flags = DEVICE},
      {"fc", &s->bulk.contact, E, rigid ? vectors : 0, real, .flags = SAVED, .columns = h->nodes},
      {"impact", &s->bulk.impact, E, rigid ? 1 : 0, 8, .flags = SAVED},
      {"node", &s->topo.node, N, 1, sizeof(ig_frac_node), .flags = SAVED | NUMBERS},
      {"x", &s->nodal.x, N, h->dim, real, .flags = SAVED},
      {"u", &s->nodal.u, N, h->dim, real, .flags = SAVED | GHOSTED},
      {"v", &s->nodal.v, N, h->dim, real, .flags = SAVED | speeds},
      {"f", &s->nodal.f, N, h->dim, real, .flags = ONE_RANK},
      {"minv", &s->nodal.minv, N, 1, real, .flags = SAVED},
      {"work", &s->nodal.work, N, 1, 8, .flags = SAVED},
      {"sp", &s->nodal.share, N, 1, real, .flags = DEVICE},
      {"touch", &s->grow.touch, N, 1, 1, .flags = 0},
      {"touched", &s->grow.touched, N, 1, 4, .flags = DEVICE},
      {"extra", &s->grow.extra, N, 1, 4, .flags = DEVICE},
      {"chain", &s->grow.chain, IG_PLACE_NONE, ne * h->nodes / IG_FRAC_APART + 2, 8,
       .flags = DEVICE},
      {"part", &s->part, IG_PLACE_NONE, (most * h->nodes / IG_FRAC_CHUNK + 16) * IG_FRAC_SUMS, 8,
       .flags = ONE_RANK},
      {"coh", &s->topo.coh, C, 2, 4, .flags = SAVED | NUMBERS},
      {"turn", &s->topo.turn, C, 1, 1, .flags = SAVED},
      {"cs", &s->crack.state, C, h->points * h->state, real, .flags = SAVED},
      {"cf", &s->crack.force, C, h->face_nodes * h->dim, real, .flags = SAVED},
      {"ck", &s->crack.stiffness, C, 1, real, .flags = SAVED},
      {"cw", &s->crack.strength, C, 1, real, .flags = SAVED},
      {"cwork", &s->crack.work, C, 1, 8, .flags = SAVED},
      {"count", &s->count, IG_PLACE_NONE, 1, sizeof(ig_frac_count), .flags = 0},
      {"bc_row", &s->drive.bc_row, IG_PLACE_NONE, 3 * ROWS, 4, .flags = FIXED}};
  const ig_array_def loose[] = {{"loose", &s->patch.loose, N, 1, 4, .flags = 0},
                                {"looses", &s->patch.looses, IG_PLACE_NONE, 1, 4, .flags = 0}};
  const ig_array_def order = {"order", &s->topo.order, E, 1, 4, .flags = 0};
  IG_TRY(ig_frac_arrays_add(m, def, sizeof def / sizeof *def));
  if (s->how == IG_CLUSTER)
    IG_TRY(ig_frac_arrays_add(m, loose, 2));
  return s->how == IG_COLOR ? ig_frac_arrays_add(m, &order, 1) : IG_OK;
}

ig_status ig_frac_model_new(ig_ctx *cx, const ig_mesh *mesh, const ig_frac_settings *set,
                            ig_frac_model *m) {
  memset(m, 0, sizeof *m);
  m->cx = cx;
  m->part.ranks = 1;
  ig_arrays_open(&m->arrays, cx, &ig_frac_arrays_room, m);
  m->ops = ig_frac_ops_of(cx);
  IG_TRY(kind_of(cx, mesh, &m->kind));
  if (set->precision == IG_MIXED)
    return IG_FAIL(cx, IG_INPUT, "fracture runs in single or double precision, not mixed");
  m->shape = ig_frac_shapes[m->kind];
  m->wide = set->precision == IG_DOUBLE;
  m->check_every = set->check_every;
  m->nodes_start = m->nodes_cut = mesh->nodes;
  ig_frac_state *s = &m->s;
  const ig_frac_shape *h = &m->shape;
  const int64_t ne = ig_mesh_elements(mesh);
  if (ne * h->nodes > INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "the mesh has %lld elements: at most %d", (long long)ne,
                   INT32_MAX / h->nodes);
  s->ne = (int32_t)ne;
  /* Division by ne as a multiplication (ig_frac_divide); 0 for one element, by overflow. */
  s->magic = UINT64_MAX / (uint64_t)(ne ? ne : 1) + 1;
  /* First room for copies of nodes (an eighth) and cohesive elements (a sixteenth of the
     elements); ig_frac_tables_grow enlarges them. `reserve`: the most that can be needed, for
     the benchmark of insertion, in which nothing may wait for memory. */
  s->node_max = mesh->nodes + mesh->nodes / 8 + 64;
  s->coh_max = (int32_t)(ne / 16) + 64;
  if (set->reserve) {
    s->node_max = (int32_t)(ne * h->nodes);
    s->coh_max = (int32_t)(ne * h->faces / 2);
  }
  s->how = set->assembly;
  s->surface.on = set->surface;
  s->fault = cx->fault;
  s->materials = set->materials;
  s->rotation = set->finite_rotation;
  memcpy(s->elastic, set->elastic, sizeof s->elastic);
  s->thickness = set->thickness;
  s->dt = set->dt;
  s->zone.law = ig_cohesive_ready(set->law);
  s->zone.criterion = set->criterion;
  s->zone.hold = set->hold;
  s->zone.penalty = set->penalty;
  s->zone.weibull = set->weibull;
  s->zone.seed = set->seed;
  s->zone.threshold = set->threshold > 0 ? set->threshold : 1;
  m->count = (ig_frac_count){.nodes = mesh->nodes};

  IG_TRY(tables_add(m, mesh));
  for (int i = 0; i < 3 * ROWS; i++)
    ((int32_t *)ig_frac_model_host(m, "bc_row"))[i] = NO_ROW;
  IG_TRY(fill_topology(m, mesh));
  if (s->how == IG_COLOR)
    IG_TRY(fill_colors(m));
  void *x = ig_frac_model_host(m, "x");
  for (int64_t n = 0; n < mesh->nodes; n++)
    for (int d = 0; d < h->dim; d++)
      ig_frac_model_put(m, x, n * h->dim + d, mesh->x[3 * n + d]);
  ig_frac_surface_size(m);
  return set->surface ? ig_frac_surface_open(m) : IG_OK;
}

void ig_frac_model_free(ig_frac_model *m) {
  if (!m->cx)
    return;
  ig_frac_graph_drop(m);
  ig_frac_part_free(m);
  ig_arrays_free(&m->arrays);
  free(m->color_start);
  ig_frac_patches_free(m);
  ig_histories_free(&m->histories);
  free(m->load_face);
  ig_frac_probes_free(m->probes);
  memset(m, 0, sizeof *m);
}

/* ---- motions and loads ---- */

/* Equal motions share an entry: a plate with a thousand fixed nodes has one. */
ig_status ig_frac_model_motion(ig_frac_model *m, const ig_frac_motion *motion, int *id) {
  for (*id = 0; *id < m->motions; (*id)++) {
    const ig_frac_motion *like = &m->s.drive.motion[*id];
    if (like->kind == motion->kind && like->value == motion->value &&
        like->support == motion->support && like->history.first == motion->history.first &&
        like->history.rows == motion->history.rows)
      return IG_OK;
  }
  if (m->motions == IG_FRAC_MOTIONS)
    return IG_FAIL(m->cx, IG_INPUT, "more than %d different motions", IG_FRAC_MOTIONS);
  m->s.drive.motion[m->motions++] = *motion;
  return IG_OK;
}

const ig_frac_motion *ig_frac_model_led(const ig_frac_model *m, ig_lid node, int d) {
  const int32_t *row = ig_arrays_at(&m->arrays, "bc_row")->host;
  const ig_frac_node *at = (const ig_frac_node *)ig_frac_model_host(m, "node") + node;
  const int32_t id = at->used && at->bc >= 0 ? row[3 * at->bc + d] : -1;
  return id < 0 ? NULL : &m->s.drive.motion[id];
}

/* Rows of bc_row are the combinations of motions met so far; nodes with the same share one. */
ig_status ig_frac_model_lead(ig_frac_model *m, ig_lid node, int d, int motion) {
  const ig_array *rows = ig_arrays_at(&m->arrays, "bc_row");
  int32_t *row = rows->host;
  ig_frac_node *at = (ig_frac_node *)ig_frac_model_host(m, "node") + node;
  const int most = (int)(rows->count / 3);
  int32_t want[3] = {-1, -1, -1};
  if (!at->used)
    return IG_OK;
  if (at->bc >= 0)
    memcpy(want, row + 3 * at->bc, sizeof want);
  want[d] = motion;
  int r = 0;
  while (r < most && row[3 * r] != NO_ROW && memcmp(row + 3 * r, want, sizeof want) != 0)
    r++;
  if (r == most)
    return IG_FAIL(m->cx, IG_INPUT, "too many different combinations of motions");
  memcpy(row + 3 * r, want, sizeof want);
  at->bc = r;
  return IG_OK;
}

/* load_given keeps the values of the case, for programs that scale loads. */
ig_status ig_frac_model_load(ig_frac_model *m, const ig_frac_load *load, int *id) {
  if (m->loads == IG_FRAC_LOADS)
    return IG_FAIL(m->cx, IG_INPUT, "more than %d loads", IG_FRAC_LOADS);
  *id = m->loads++;
  m->s.drive.load[*id] = *load;
  memcpy(m->load_given[*id], load->value, sizeof load->value);
  return IG_OK;
}

/* A facet may have several loads: each names the next one (third number), and `opp` the last
   that was added (-2 - number). */
ig_status ig_frac_model_load_face(ig_frac_model *m, ig_lid element, int mesh_face, int load) {
  const int64_t facet = (int64_t)element * m->shape.faces + ig_frac_face_of_mesh(m, mesh_face);
  int32_t *opp = ig_frac_model_host(m, "opp");
  if (opp[facet] >= 0)
    return IG_FAIL(m->cx, IG_INPUT, "face %d of element %d is inside the mesh", mesh_face, element);
  int32_t *more = realloc(m->load_face, (size_t)(m->loaded + 1) * 3 * sizeof *more);
  if (!more)
    return IG_FAIL(m->cx, IG_MEMORY, "no memory for loads");
  m->load_face = more;
  more[3 * m->loaded] = (int32_t)facet;
  more[3 * m->loaded + 1] = load;
  more[3 * m->loaded + 2] = opp[facet] < -1 ? -2 - opp[facet] : -1;
  opp[facet] = -2 - m->loaded++;
  ((uint8_t *)ig_frac_model_host(m, "attach"))[element] = 1;
  return IG_OK;
}

/* zone.law becomes the least strength of all: the quick test of nodes (check.inc) must not miss
   a facet. */
ig_status ig_frac_model_laws(ig_frac_model *m, const ig_cohesive *laws, int count) {
  ig_frac_state *s = &m->s;
  const ig_array_def def[] = {
      {"laws", &s->zone.laws, IG_PLACE_NONE, count, sizeof *laws, .flags = FIXED},
      {"facet_law", &s->zone.facet_law, IG_FRAC_PER_ELEMENT, m->shape.faces, 1, .flags = FIXED}};
  IG_TRY(ig_frac_arrays_add(m, def, 2));
  ig_cohesive *own = ig_frac_model_host(m, "laws");
  for (int i = 0; i < count; i++) {
    own[i] = ig_cohesive_ready(laws[i]);
    s->zone.law.sigma = own[i].sigma < s->zone.law.sigma ? own[i].sigma : s->zone.law.sigma;
    s->zone.law.tau = own[i].tau < s->zone.law.tau ? own[i].tau : s->zone.law.tau;
  }
  m->laws = own;
  return IG_OK;
}

/* Masses are computed on the device, elements first; an element of no volume is reported by the
   fault word. */
ig_status ig_frac_model_start(ig_frac_model *m) {
  ig_frac_state *s = &m->s;
  s->drive.loads_on = m->loaded;
  enum { L = IG_FRAC_PER_LOAD };
  const ig_histories *h = &m->histories;
  const ig_array_def def[] = {
      {"lf", &s->drive.face_force, L, m->shape.face_nodes * m->shape.dim, m->wide ? 8 : 4,
       .flags = SAVED},
      {"lwork", &s->drive.face_work, L, 2, 8, .flags = SAVED},
      {"load_face", &s->drive.load_face, L, 3, 4, .flags = FIXED | NUMBERS},
      {"history_x", &s->drive.history_x, IG_PLACE_NONE, h->rows, 8, .flags = FIXED},
      {"history_y", &s->drive.history_y, IG_PLACE_NONE, h->rows, 8, .flags = FIXED}};
  IG_TRY(ig_frac_arrays_add(m, def, sizeof def / sizeof *def));
  if (m->loaded)
    memcpy(ig_frac_model_host(m, "load_face"), m->load_face, (size_t)m->loaded * 12);
  if (h->rows) {
    memcpy(ig_frac_model_host(m, "history_x"), h->x, (size_t)h->rows * sizeof *h->x);
    memcpy(ig_frac_model_host(m, "history_y"), h->y, (size_t)h->rows * sizeof *h->y);
  }
  IG_TRY(ig_arrays_push(&m->arrays));
  IG_TRY(ig_frac_count_push(m));
  IG_TRY(m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_weigh, s, 0, s->ne));
  IG_TRY(ig_fault_check(m->cx, "element", NULL));
  return m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_mass, s, 0, m->count.nodes);
}
