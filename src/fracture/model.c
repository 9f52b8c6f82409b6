/* Tables, capacity, steps. The host decides when, the device does the rest. */
#include "fracture/model.h"

#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

frac_elastic frac_elastic_of(double young, double poisson, double rho, int plane_stress) {
  const double mu = 0.5 * young / (1 + poisson);
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  if (plane_stress)
    return (frac_elastic){young / (1 - poisson * poisson),
                          poisson * young / (1 - poisson * poisson), mu, rho};
  return (frac_elastic){lambda + 2 * mu, lambda, mu, rho};
}

int frac_face_node(int kind, int f, int j) {
  static const signed char tet[4][6] = {
      {1, 2, 3, 5, 9, 8}, {0, 3, 2, 7, 9, 6}, {0, 1, 3, 4, 8, 7}, {0, 2, 1, 6, 5, 4}};
  if (frac_shapes[kind].dim == 3)
    return tet[f][j];
  return j == 0 ? (f + 1) % 3 : j == 1 ? (f + 2) % 3 : 3 + (f + 1) % 3;
}

int frac_across(int kind, int turn, int j) {
  if (frac_shapes[kind].dim == 2)
    return j < 2 ? 1 - j : j;
  return j < 3 ? (turn + 3 - j) % 3 : 3 + (turn + 5 - j) % 3;
}

static const ig_elem_type elem_types[4] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};

int frac_face_of_mesh(const frac_model *m, int mesh_face) {
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

/* ---- tables
 * -------------------------------------------------------------------------------------- */

static size_t table_rows(const frac_model *m, frac_per per) {
  switch (per) {
  case FRAC_PER_ELEMENT:
    return (size_t)m->s.ne;
  case FRAC_PER_NODE:
    return (size_t)m->s.node_max;
  case FRAC_PER_COHESIVE:
    return (size_t)m->s.coh_max;
  case FRAC_PER_LOAD:
    return (size_t)m->s.loads_on;
  default:
    return 1;
  }
}

enum { SAVED = 1, DEVICE_ONLY = 2, NO_ROW = -2, ROWS = 512 };
static ig_status add(frac_model *m, const char *name, void *at, frac_per per, int64_t width,
                     size_t size, int flags) {
  frac_table *t = &m->table[m->tables];
  const size_t rows = table_rows(m, per);
  t->name = name;
  t->per = per;
  t->width = (int)width;
  t->saved = flags & SAVED;
  t->at = at;
  IG_TRY(flags & DEVICE_ONLY ? ig_array_new_device(m->cx, &t->a, rows * (size_t)width, size, name)
                             : ig_array_new(m->cx, &t->a, rows * (size_t)width, size, name));
  m->tables++;
  *t->at = t->a.dev;
  return IG_OK;
}

static frac_table *find(frac_model *m, const char *name) {
  for (int i = 0; i < m->tables; i++)
    if (strcmp(m->table[i].name, name) == 0)
      return &m->table[i];
  return NULL;
}

void *frac_model_host(frac_model *m, const char *name) {
  return find(m, name)->a.host;
}

double frac_model_real(const frac_model *m, const void *p, int64_t i) {
  return m->wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
void frac_model_put(const frac_model *m, void *p, int64_t i, double value) {
  if (m->wide)
    ((double *)p)[i] = value;
  else
    ((float *)p)[i] = (float)value;
}

ig_status frac_model_pull(frac_model *m, const char *name, void **host) {
  frac_table *t = find(m, name);
  IG_TRY(ig_array_pull(m->cx, &t->a));
  *host = t->a.host;
  return IG_OK;
}

static ig_status count_pull(frac_model *m) {
  IG_TRY(m->cx->backend->copy_out(m->cx, &m->count, m->s.count, sizeof m->count));
  return IG_OK;
}
static ig_status count_push(frac_model *m) {
  return m->cx->backend->copy_in(m->cx, m->s.count, &m->count, sizeof m->count);
}

static void graph_drop(frac_model *m) {
  if (m->graph)
    m->cx->backend->graph_free(m->cx, m->graph);
  m->graph = NULL;
}

static ig_status temp_new(frac_model *m) {
  size_t bytes = 0;
  IG_TRY(m->ops->temp(m->cx, &m->s, m->shape.faces, &bytes));
  frac_table *t = find(m, "temp");
  if (!t)
    IG_TRY(add(m, "temp", &m->s.temp, FRAC_ONE, (int64_t)bytes, 1, DEVICE_ONLY));
  else {
    IG_TRY(ig_array_grow(m->cx, &t->a, bytes));
    *t->at = t->a.dev;
  }
  m->s.temp_bytes = bytes;
  return IG_OK;
}

/* More room for nodes and cohesive elements: half as much again, or what is asked for. */
static ig_status grow(frac_model *m) {
  const int64_t all = (int64_t)m->s.ne * m->shape.nodes;
  int64_t n = m->count.nodes + (int64_t)m->count.broken * m->shape.face_nodes;
  int64_t c = m->count.cohesive + (int64_t)m->count.broken;
  if (n <= m->s.node_max)
    n = m->s.node_max;
  else if (n < m->s.node_max + (int64_t)m->s.node_max / 2)
    n = m->s.node_max + (int64_t)m->s.node_max / 2;
  if (n > all)
    n = all > m->s.node_max ? all : m->s.node_max;
  if (c <= m->s.coh_max)
    c = m->s.coh_max;
  else if (c < 2 * (int64_t)m->s.coh_max)
    c = 2 * (int64_t)m->s.coh_max;
  if (n > INT32_MAX || c > INT32_MAX)
    return IG_FAIL(m->cx, IG_MEMORY, "the cracked mesh needs more than 2^31 nodes");
  m->s.node_max = (int32_t)n;
  m->s.coh_max = (int32_t)c;
  for (int i = 0; i < m->tables; i++) {
    frac_table *t = &m->table[i];
    if (t->per != FRAC_PER_NODE && t->per != FRAC_PER_COHESIVE)
      continue;
    IG_TRY(ig_array_grow(m->cx, &t->a, table_rows(m, t->per) * (size_t)t->width));
    *t->at = t->a.dev;
  }
  IG_TRY(temp_new(m));
  graph_drop(m);
  m->count.full = 0;
  return count_push(m);
}

ig_status frac_model_resume(frac_model *m, const frac_count *count) {
  m->count = *count;
  m->count.broken = 0;
  m->begun = false;
  return grow(m);
}

/* ---- from a mesh
 * --------------------------------------------------------------------------------- */

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

/* conn, opp and the list of slots around each node. */
static ig_status fill_topology(frac_model *m, const ig_mesh *mesh) {
  const int nn = m->shape.nodes, nf = m->shape.faces;
  const int64_t ne = m->s.ne;
  int32_t *conn = frac_model_host(m, "conn"), *opp = frac_model_host(m, "opp");
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
      opp[frac_face_of_mesh(m, mf) * ne + e] = o < 0 ? -1 : o;
      m->facets += o > e;
    }
  ig_adjacency_free(&adj);
  IG_TRY(status);
  int32_t *list = frac_model_host(m, "list"), *first = frac_model_host(m, "first");
  int32_t *used = frac_model_host(m, "used");
  for (int64_t i = 0; i < nn * ne; i++)
    used[conn[i]]++;
  for (int32_t n = 0, sum = 0; n < mesh->nodes; n++) {
    first[n] = sum;
    sum += used[n];
    used[n] = 0;
  }
  for (int64_t e = 0; e < ne; e++)
    for (int a = 0; a < nn; a++) {
      const int32_t n = conn[a * ne + e];
      list[first[n] + used[n]++] = (int32_t)(a * ne + e);
    }
  return IG_OK;
}

static ig_status fill_colors(frac_model *m) {
  const int nn = m->shape.nodes;
  const int64_t ne = m->s.ne;
  const int32_t *conn = frac_model_host(m, "conn");
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
  memcpy(frac_model_host(m, "order"), coloring.order, (size_t)ne * sizeof(ig_lid));
  m->color_start = coloring.start;
  coloring.start = NULL;
  ig_coloring_free(&coloring);
  return IG_OK;
}

ig_status frac_model_new(ig_ctx *cx, const ig_mesh *mesh, const frac_settings *set, frac_model *m) {
  memset(m, 0, sizeof *m);
  m->cx = cx;
  m->ops = frac_ops_of(cx);
  IG_TRY(kind_of(cx, mesh, &m->kind));
  if (set->precision == IG_MIXED)
    return IG_FAIL(cx, IG_INPUT, "fracture runs in single or double precision, not mixed");
  m->shape = frac_shapes[m->kind];
  m->wide = set->precision == IG_DOUBLE;
  m->check_every = set->check_every;
  m->nodes_start = mesh->nodes;
  frac *s = &m->s;
  const frac_shape *h = &m->shape;
  const int64_t ne = ig_mesh_elements(mesh);
  if (ne * h->nodes > INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "the mesh has %lld elements: at most %d", (long long)ne,
                   INT32_MAX / h->nodes);
  s->ne = (int32_t)ne;
  s->node_max = mesh->nodes + mesh->nodes / 8 + 64;
  s->coh_max = (int32_t)(ne / 16) + 64;
  if (set->reserve) {
    s->node_max = (int32_t)(ne * h->nodes);
    s->coh_max = (int32_t)(ne * h->faces / 2);
  }
  s->how = set->assembly;
  s->fault = cx->fault;
  s->materials = set->materials;
  s->rotation = set->finite_rotation;
  memcpy(s->elastic, set->elastic, sizeof s->elastic);
  s->thickness = set->thickness;
  s->dt = set->dt;
  s->law = set->law;
  s->criterion = set->criterion;
  s->hold = set->hold;
  s->penalty = set->penalty;
  s->weibull = set->weibull;
  s->seed = set->seed;
  m->count = (frac_count){.nodes = mesh->nodes};

  const size_t real = m->wide ? 8 : 4;
  const int corners = h->nodes > h->corners ? h->corners : 1;
  const int64_t most = ne > mesh->nodes ? ne : mesh->nodes;
  IG_TRY(add(m, "conn", &s->conn, FRAC_PER_ELEMENT, h->nodes, 4, SAVED));
  IG_TRY(add(m, "opp", &s->opp, FRAC_PER_ELEMENT, h->faces, 4, SAVED));
  IG_TRY(add(m, "list", &s->list, FRAC_PER_ELEMENT, h->nodes, 4, SAVED));
  IG_TRY(add(m, "attach", &s->attach, FRAC_PER_ELEMENT, 1, 1, SAVED));
  IG_TRY(add(m, "mat", &s->mat, FRAC_PER_ELEMENT, 1, 1, 0));
  IG_TRY(add(m, "mark", &s->mark, FRAC_PER_ELEMENT, h->faces, 1, 0));
  IG_TRY(add(m, "opened", &s->opened, FRAC_PER_ELEMENT, (h->faces + 1) / 2 + 1, 4, DEVICE_ONLY));
  IG_TRY(add(m, "se", &s->se, FRAC_PER_ELEMENT, corners * h->stresses, real, 0));
  IG_TRY(add(m, "me", &s->me, FRAC_PER_ELEMENT, 1, real, DEVICE_ONLY));
  IG_TRY(add(m, "fe", &s->fe, FRAC_PER_ELEMENT, s->how == IG_GATHER ? h->nodes * h->dim : 0, real,
             DEVICE_ONLY));
  IG_TRY(add(m, "first", &s->first, FRAC_PER_NODE, 1, 4, SAVED));
  IG_TRY(add(m, "used", &s->used, FRAC_PER_NODE, 1, 4, SAVED));
  IG_TRY(add(m, "bc", &s->bc, FRAC_PER_NODE, 1, 4, SAVED));
  IG_TRY(add(m, "origin", &s->origin, FRAC_PER_NODE, 1, 4, SAVED));
  IG_TRY(add(m, "x", &s->x, FRAC_PER_NODE, h->dim, real, SAVED));
  IG_TRY(add(m, "u", &s->u, FRAC_PER_NODE, h->dim, real, SAVED));
  IG_TRY(add(m, "v", &s->v, FRAC_PER_NODE, h->dim, real, SAVED));
  IG_TRY(add(m, "f", &s->f, FRAC_PER_NODE, h->dim, real, 0));
  IG_TRY(add(m, "minv", &s->minv, FRAC_PER_NODE, 1, real, SAVED));
  IG_TRY(add(m, "work", &s->work, FRAC_PER_NODE, 1, 8, SAVED));
  IG_TRY(add(m, "sn", &s->sn, FRAC_PER_NODE, h->stresses, real, 0));
  IG_TRY(add(m, "sp", &s->sp, FRAC_PER_NODE, 1, real, DEVICE_ONLY));
  IG_TRY(add(m, "touch", &s->touch, FRAC_PER_NODE, 1, 1, 0));
  IG_TRY(add(m, "extra", &s->extra, FRAC_PER_NODE, 1, 4, DEVICE_ONLY));
  IG_TRY(
      add(m, "part", &s->part, FRAC_ONE, (most * h->nodes / FRAC_CHUNK + 16) * FRAC_FIGURES, 8, 0));
  IG_TRY(add(m, "coh", &s->coh, FRAC_PER_COHESIVE, 2, 4, SAVED));
  IG_TRY(add(m, "turn", &s->turn, FRAC_PER_COHESIVE, 1, 1, SAVED));
  IG_TRY(add(m, "cs", &s->cs, FRAC_PER_COHESIVE, h->points * h->state, real, SAVED));
  IG_TRY(add(m, "cf", &s->cf, FRAC_PER_COHESIVE, h->face_nodes * h->dim, real, DEVICE_ONLY));
  IG_TRY(add(m, "ck", &s->ck, FRAC_PER_COHESIVE, 1, real, SAVED));
  IG_TRY(add(m, "cw", &s->cw, FRAC_PER_COHESIVE, 1, real, SAVED));
  IG_TRY(add(m, "cwork", &s->cwork, FRAC_PER_COHESIVE, 1, 8, SAVED));
  IG_TRY(add(m, "count", &s->count, FRAC_ONE, 1, sizeof(frac_count), 0));
  IG_TRY(add(m, "bc_row", &s->bc_row, FRAC_ONE, 3 * ROWS, 4, 0));
  for (int i = 0; i < 3 * ROWS; i++)
    ((int32_t *)frac_model_host(m, "bc_row"))[i] = NO_ROW;
  if (s->how == IG_COLOR)
    IG_TRY(add(m, "order", &s->order, FRAC_PER_ELEMENT, 1, 4, 0));
  IG_TRY(temp_new(m));
  IG_TRY(fill_topology(m, mesh));
  if (s->how == IG_COLOR)
    IG_TRY(fill_colors(m));
  void *x = frac_model_host(m, "x");
  int32_t *bc = frac_model_host(m, "bc"), *origin = frac_model_host(m, "origin");
  for (int64_t n = 0; n < mesh->nodes; n++) {
    bc[n] = -1;
    origin[n] = (int32_t)n;
    for (int d = 0; d < h->dim; d++)
      frac_model_put(m, x, n * h->dim + d, mesh->x[3 * n + d]);
  }
  return IG_OK;
}

void frac_model_free(frac_model *m) {
  if (!m->cx)
    return;
  graph_drop(m);
  for (int i = 0; i < m->tables; i++)
    ig_array_free(m->cx, &m->table[i].a);
  free(m->color_start);
  free(m->curve);
  free(m->load_face);
  memset(m, 0, sizeof *m);
}

/* ---- motions and loads
 * --------------------------------------------------------------------------- */

static ig_status curve_add(frac_model *m, int points, const double *t, const double *y,
                           frac_curve *c) {
  double *more = realloc(m->curve, (size_t)(m->curve_points + points) * 2 * sizeof *more);
  if (!more)
    return IG_FAIL(m->cx, IG_MEMORY, "no memory for curves");
  m->curve = more;
  *c = (frac_curve){m->curve_points, points};
  for (int i = 0; i < points; i++) {
    more[2 * (m->curve_points + i)] = t[i];
    more[2 * (m->curve_points + i) + 1] = y[i];
  }
  m->curve_points += points;
  return IG_OK;
}

ig_status frac_model_motion(frac_model *m, frac_motion_kind kind, int points, const double *t,
                            const double *y, int *id) {
  if (m->motions == FRAC_MOTIONS)
    return IG_FAIL(m->cx, IG_INPUT, "at most %d motions", FRAC_MOTIONS);
  m->s.motion[m->motions].kind = kind;
  *id = m->motions++;
  return curve_add(m, points, t, y, &m->s.motion[*id].curve);
}

/* Rows of bc_row are the combinations of motions met so far; nodes with the same share one. */
ig_status frac_model_guide(frac_model *m, ig_lid node, int d, int motion) {
  frac_table *t = find(m, "bc_row");
  int32_t *row = t->a.host, *bc = frac_model_host(m, "bc");
  const int32_t *used = frac_model_host(m, "used");
  const int most = (int)(t->a.count / 3);
  int32_t want[3] = {-1, -1, -1};
  if (!used[node])
    return IG_OK;
  if (bc[node] >= 0)
    memcpy(want, row + 3 * bc[node], sizeof want);
  want[d] = motion;
  int r = 0;
  while (r < most && row[3 * r] != NO_ROW && memcmp(row + 3 * r, want, sizeof want) != 0)
    r++;
  if (r == most)
    return IG_FAIL(m->cx, IG_INPUT, "too many different combinations of motions");
  memcpy(row + 3 * r, want, sizeof want);
  bc[node] = r;
  return IG_OK;
}

ig_status frac_model_load(frac_model *m, int points, const double *t, const double *y,
                          bool pressure, const double way[3], int *id) {
  if (m->loads == FRAC_LOADS)
    return IG_FAIL(m->cx, IG_INPUT, "at most %d loads", FRAC_LOADS);
  frac_load *load = &m->s.load[m->loads];
  load->pressure = pressure;
  for (int d = 0; d < 3; d++)
    load->way[d] = way ? way[d] : 0;
  *id = m->loads++;
  return curve_add(m, points, t, y, &load->curve);
}

ig_status frac_model_load_face(frac_model *m, ig_lid element, int mesh_face, int load) {
  const int64_t facet = (int64_t)frac_face_of_mesh(m, mesh_face) * m->s.ne + element;
  int32_t *opp = frac_model_host(m, "opp");
  if (opp[facet] != -1)
    return IG_FAIL(m->cx, IG_INPUT, "face %d of element %d is not free to be loaded (%s)",
                   mesh_face, element,
                   opp[facet] < -1 ? "it is loaded already" : "it is inside the mesh");
  int32_t *more = realloc(m->load_face, (size_t)(m->loaded + 1) * 2 * sizeof *more);
  if (!more)
    return IG_FAIL(m->cx, IG_MEMORY, "no memory for loads");
  m->load_face = more;
  more[2 * m->loaded] = (int32_t)facet;
  more[2 * m->loaded + 1] = load;
  opp[facet] = -2 - m->loaded++;
  ((uint8_t *)frac_model_host(m, "attach"))[element] = 1;
  return IG_OK;
}

/* ---- steps
 * --------------------------------------------------------------------------------------- */

static ig_status run(frac_model *m, frac_item item, int64_t begin, int64_t n) {
  return m->ops->run(m->cx, m->kind, m->wide, item, &m->s, begin, n);
}
static ig_status run_all(frac_model *m, frac_item item, int64_t most) {
  return most ? run(m, item, 0, -most) : IG_OK;
}

ig_status frac_model_start(frac_model *m) {
  frac *s = &m->s;
  s->loads_on = m->loaded;
  IG_TRY(add(m, "lf", &s->lf, FRAC_PER_LOAD, m->shape.face_nodes * m->shape.dim, m->wide ? 8 : 4,
             DEVICE_ONLY));
  IG_TRY(add(m, "lwork", &s->lwork, FRAC_PER_LOAD, 2, 8, SAVED));
  IG_TRY(add(m, "load_face", &s->load_face, FRAC_PER_LOAD, 2, 4, 0));
  if (m->loaded)
    memcpy(frac_model_host(m, "load_face"), m->load_face, (size_t)m->loaded * 8);
  IG_TRY(add(m, "curve", &s->curve, FRAC_ONE, 2 * (int64_t)m->curve_points, 8, 0));
  if (m->curve_points)
    memcpy(frac_model_host(m, "curve"), m->curve, (size_t)m->curve_points * 16);
  for (int i = 0; i < m->tables; i++)
    if (m->table[i].a.host)
      IG_TRY(ig_array_push(m->cx, &m->table[i].a));
  IG_TRY(count_push(m));
  IG_TRY(run(m, FRAC_weigh, 0, s->ne));
  IG_TRY(ig_fault_check(m->cx, "element", NULL));
  return run(m, FRAC_mass, 0, m->count.nodes);
}

void frac_model_set_step(frac_model *m, double dt) {
  m->s.dt = dt;
  graph_drop(m);
}

ig_status frac_model_critical(frac_model *m, double *dt) {
  ig_array limit;
  double most;
  IG_TRY(ig_array_new_device(m->cx, &limit, (size_t)m->s.ne, sizeof(double), "critical step"));
  m->s.limit = limit.dev;
  ig_status status = run(m, FRAC_critical, 0, m->s.ne);
  if (status == IG_OK)
    status = m->cx->backend->absmax_f64(m->cx, (size_t)m->s.ne, limit.dev, &most);
  m->s.limit = NULL;
  ig_array_free(m->cx, &limit);
  IG_TRY(status);
  *dt = 2 / sqrt(1.01 * most); /* the iteration comes from below */
  return IG_OK;
}

/* Marked facets become cohesive elements: filter and compact, see that there is room, open, take
   nodes apart. */
static ig_status insert(frac_model *m) {
  IG_TRY(m->ops->compact(m->cx, &m->s, m->shape.faces));
  IG_TRY(run(m, FRAC_room, 0, 1));
  IG_TRY(run_all(m, FRAC_open, m->facets));
  IG_TRY(run_all(m, FRAC_part, m->s.node_max));
  IG_TRY(m->ops->scan(m->cx, &m->s));
  IG_TRY(run_all(m, FRAC_split, m->s.node_max));
  return run(m, FRAC_settle, 0, 1);
}

static ig_status check(frac_model *m) {
  IG_TRY(frac_model_stress(m));
  IG_TRY(run_all(m, FRAC_check, (int64_t)m->shape.faces * m->s.ne));
  return insert(m);
}

static ig_status force(frac_model *m) {
  IG_TRY(run_all(m, FRAC_load, m->s.loads_on));
  IG_TRY(run_all(m, FRAC_cohesive, m->s.coh_max));
  if (m->s.how != IG_COLOR)
    return run_all(m, FRAC_element, m->s.ne);
  for (int c = 0; c < m->colors; c++)
    IG_TRY(run(m, FRAC_element, m->color_start[c], m->color_start[c + 1] - m->color_start[c]));
  return IG_OK;
}

static ig_status finish(frac_model *m) {
  IG_TRY(run_all(m, FRAC_node, m->s.node_max));
  return run_all(m, FRAC_advance, 1);
}

ig_status frac_model_stress(frac_model *m) {
  IG_TRY(run_all(m, FRAC_stress, m->s.ne));
  return run_all(m, FRAC_average, m->s.node_max);
}

ig_status frac_model_insert(frac_model *m, bool cut) {
  m->s.cut = cut;
  graph_drop(m);
  do {
    IG_TRY(insert(m));
    IG_TRY(count_pull(m));
    if (m->count.full)
      IG_TRY(grow(m));
    else
      break;
  } while (true);
  m->s.cut = 0;
  return IG_OK;
}

static bool due(const frac_model *m, int64_t step) {
  return m->check_every && step % m->check_every == 0;
}

/* The forces of the current step, after the check it may be due: where figures are taken. */
static ig_status begin(frac_model *m) {
  if (m->begun)
    return IG_OK;
  if (due(m, m->count.step))
    do {
      IG_TRY(check(m));
      IG_TRY(count_pull(m));
      if (m->count.full)
        IG_TRY(grow(m));
      else
        break;
    } while (true);
  IG_TRY(force(m));
  m->begun = true;
  return IG_OK;
}

static ig_status steps(frac_model *m, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    if (due(m, i))
      IG_TRY(check(m));
    IG_TRY(force(m));
    IG_TRY(finish(m));
  }
  return IG_OK;
}

/* Whole blocks between checks are replayed as one graph where the backend has them. A table that
   fills up stops every kernel that follows: the step then stands at that check, the host makes room
   and goes on from there. */
ig_status frac_model_run(frac_model *m, int64_t step) {
  if (m->begun && m->count.step < step) {
    IG_TRY(finish(m));
    m->count.step++;
    m->begun = false;
  }
  const int64_t block = m->check_every ? m->check_every : 16;
  while (m->count.step < step) {
    const int64_t at = m->count.step, next = (at / block + 1) * block;
    if (at % block || next > step || !m->cx->backend->graph_begin) {
      const int64_t to = next < step ? next : step;
      IG_TRY(steps(m, at, to));
    } else {
      if (!m->graph) {
        IG_TRY(m->cx->backend->graph_begin(m->cx));
        const ig_status status = steps(m, at, next);
        const ig_status ended = m->cx->backend->graph_end(m->cx, &m->graph);
        IG_TRY(status);
        IG_TRY(ended);
      }
      int64_t times = (step - at) / block;
      times = times > 256 ? 256 : times;
      IG_TRY(m->cx->backend->graph_run(m->cx, m->graph, (int)times));
    }
    IG_TRY(count_pull(m));
    if (m->count.full)
      IG_TRY(grow(m));
    if (m->cx->interrupted)
      return IG_OK;
  }
  return IG_OK;
}

ig_status frac_model_figures(frac_model *m, double figures[FRAC_FIGURES]) {
  IG_TRY(begin(m));
  IG_TRY(count_pull(m));
  int64_t n = m->s.ne > m->count.nodes ? m->s.ne : m->count.nodes;
  n = n > m->count.cohesive ? n : m->count.cohesive;
  n = n > m->s.loads_on ? n : m->s.loads_on;
  const int64_t chunks = (n + FRAC_CHUNK - 1) / FRAC_CHUNK;
  IG_TRY(run(m, FRAC_figures, 0, chunks));
  void *host;
  frac_table *t = find(m, "part");
  host = t->a.host;
  IG_TRY(m->cx->backend->copy_out(m->cx, host, t->a.dev, (size_t)chunks * FRAC_FIGURES * 8));
  for (int k = 0; k < FRAC_FIGURES; k++)
    figures[k] = 0;
  for (int64_t i = 0; i < chunks; i++)
    for (int k = 0; k < FRAC_FIGURES; k++)
      figures[k] += ((double *)host)[i * FRAC_FIGURES + k];
  return IG_OK;
}

double frac_model_damage(const frac_model *m, int64_t c) {
  const ig_cohesive *law = &m->s.law;
  const void *cs = find((frac_model *)m, "cs")->a.host, *cw = find((frac_model *)m, "cw")->a.host;
  const double f = frac_model_real(m, cw, c);
  const bool ppr = law->kind == IG_COHESIVE_PPR;
  const double dn = (ppr ? law->alpha : 2) * law->phi_n / (law->sigma * f);
  const double dt = law->beta * law->phi_t / (law->tau * f);
  double least = 1;
  for (int p = 0; p < m->shape.points; p++) {
    const int64_t at = (c * m->shape.points + p) * m->shape.state + 2 * m->shape.dim;
    const double n = frac_model_real(m, cs, at) / dn, t = frac_model_real(m, cs, at + 1) / dt;
    const double d = ppr && t > n ? t : n;
    least = d < least ? d : least;
  }
  return least;
}
