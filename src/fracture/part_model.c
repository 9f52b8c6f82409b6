/* The model of a part: its tables, cut out of those of the whole. */
#include "fracture/part.h"

#include <stdlib.h>
#include <string.h>

/* Where the tables of the whole are: a checkpoint, or the model itself. */
typedef struct {
  ig_frac_model *m;
  const ig_restart *from;
} source;

/* Items of the whole: number in the part, -1; items of the part: number in the whole. */
typedef struct {
  int32_t *element, *node, *cohesive, *load;
  int32_t *node_of, *cohesive_of, *load_of;
  int32_t nodes, cohesives, loads;
  int32_t bare; /* nodes of no element here */
} maps;

static void maps_free(maps *a) {
  int32_t *const all[] = {a->element, a->node,        a->cohesive, a->load,
                          a->node_of, a->cohesive_of, a->load_of};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
}

int64_t ig_frac_items(const ig_frac_model *m, ig_frac_per per) {
  switch (per) {
  case IG_FRAC_PER_ELEMENT:
    return m->s.ne;
  case IG_FRAC_PER_NODE:
    return m->count.nodes;
  case IG_FRAC_PER_COHESIVE:
    return m->count.cohesive;
  case IG_FRAC_PER_LOAD:
    return m->s.drive.loads_on;
  default:
    return 1;
  }
}

/* A table of the whole on the host, as the part's table of that name asks for it. */
static ig_status whole_get(const source *w, const char *name, const void **data) {
  const ig_array_def *t = &ig_arrays_find(&w->m->divided->local.arrays, name)->def;
  const int64_t bytes = ig_frac_items(w->m, (ig_frac_per)t->place) * t->width * (int64_t)t->size;
  *data = NULL;
  if (!bytes)
    return IG_OK;
  if (w->from)
    return ig_restart_find(w->m->cx, w->from, name, IG_U8, bytes, data);
  void *host;
  IG_TRY(ig_frac_model_pull(w->m, name, &host));
  *data = host;
  return IG_OK;
}

/* --- numbers */

/* A checkpoint may hold anything: what is used as a number must be one. */
static bool within(const int32_t *value, int64_t count, int64_t low, int64_t high) {
  for (int64_t i = 0; i < count; i++)
    if (value[i] < low || value[i] >= high)
      return false;
  return true;
}

static ig_status topology_check(const ig_frac_model *m, const int32_t *conn, const int32_t *opp,
                                const int32_t *coh, const int32_t *list, const ig_frac_node *node) {
  const int64_t ne = m->s.ne, slots = ne * m->shape.nodes, facets = ne * m->shape.faces;
  bool good = within(conn, slots, 0, m->count.nodes) && within(list, slots, 0, slots) &&
              within(opp, facets, -1 - (int64_t)m->s.drive.loads_on, ne + m->count.cohesive) &&
              within(coh, 2 * (int64_t)m->count.cohesive, 0, facets);
  for (int64_t n = 0; n < m->count.nodes && good; n++)
    good = node[n].first >= 0 && node[n].used >= 0 &&
           (int64_t)node[n].first + node[n].used <= slots && node[n].origin >= 0 &&
           node[n].origin < m->nodes_start;
  return good ? IG_OK
              : IG_FAIL(m->cx, IG_INPUT,
                        "the checkpoint does not belong to this mesh: its "
                        "elements name nodes or facets that do not exist");
}

static ig_status elements_map(ig_frac_model *m, maps *a) {
  const ig_frac_part *p = m->divided;
  IG_TRY(IG_NEW(m->cx, &a->element, (size_t)m->s.ne + 1, "numbers of a part"));
  memset(a->element, 0xff, (size_t)m->s.ne * sizeof *a->element);
  for (int32_t e = 0; e < p->local.s.ne; e++)
    a->element[p->element[e]] = e;
  return IG_OK;
}

/* Nodes of the mesh that are here, and all that elements of the part have: both rise. Where a node
   came apart its number stays with the lowest element of the whole, which may be elsewhere. */
static ig_status nodes_map(ig_frac_model *m, const int32_t *conn, maps *a) {
  const ig_frac_part *p = m->divided;
  IG_TRY(IG_NEW(m->cx, &a->node, (size_t)m->count.nodes + 1, "numbers of a part"));
  for (int32_t n = 0; n < p->local.nodes_start; n++)
    a->node[p->mesh_node[n]] = 1;
  for (int i = 0; i < m->shape.nodes; i++)
    for (int32_t e = 0; e < p->local.s.ne; e++)
      a->node[conn[i * (int64_t)m->s.ne + p->element[e]]] = 2;
  for (int32_t n = 0; n < m->count.nodes; n++) {
    a->bare += a->node[n] == 1;
    a->node[n] = a->node[n] ? a->nodes++ : -1;
  }
  IG_TRY(IG_NEW(m->cx, &a->node_of, (size_t)a->nodes + 1, "numbers of a part"));
  for (int32_t n = 0; n < m->count.nodes; n++)
    if (a->node[n] >= 0)
      a->node_of[a->node[n]] = n;
  return IG_OK;
}

/* Cohesive elements whose elements are both here; loads on elements that are. */
static ig_status rest_map(ig_frac_model *m, const int32_t *coh, maps *a) {
  const int faces = m->shape.faces;
  const int32_t cracks = m->count.cohesive, loads = m->s.drive.loads_on;
  IG_TRY(IG_NEW(m->cx, &a->cohesive, (size_t)cracks + 1, "numbers of a part"));
  IG_TRY(IG_NEW(m->cx, &a->cohesive_of, (size_t)cracks + 1, "numbers of a part"));
  IG_TRY(IG_NEW(m->cx, &a->load, (size_t)loads + 1, "numbers of a part"));
  IG_TRY(IG_NEW(m->cx, &a->load_of, (size_t)loads + 1, "numbers of a part"));
  for (int32_t c = 0; c < cracks; c++) {
    const bool here = a->element[coh[2 * (int64_t)c] / faces] >= 0 &&
                      a->element[coh[2 * (int64_t)c + 1] / faces] >= 0;
    a->cohesive[c] = here ? a->cohesives : -1;
    if (here)
      a->cohesive_of[a->cohesives++] = c;
  }
  for (int32_t k = 0; k < loads; k++) {
    const bool here = a->element[m->load_face[3 * k] / faces] >= 0;
    a->load[k] = here ? a->loads : -1;
    if (here)
      a->load_of[a->loads++] = k;
  }
  return IG_OK;
}

/* --- tables whose values are numbers */

static void conn_cut(ig_frac_model *m, const maps *a, const int32_t *conn) {
  const ig_frac_part *p = m->divided;
  const int64_t ne = m->s.ne, here = p->local.s.ne;
  int32_t *to = ig_frac_model_host((ig_frac_model *)&p->local, "conn");
  for (int i = 0; i < m->shape.nodes; i++)
    for (int64_t e = 0; e < here; e++)
      to[i * here + e] = a->node[conn[i * ne + p->element[e]]];
}

static void opp_cut(ig_frac_model *m, const maps *a, const int32_t *opp) {
  ig_frac_part *p = m->divided;
  const int32_t ne = m->s.ne, here = p->local.s.ne;
  const int faces = m->shape.faces;
  int32_t *to = ig_frac_model_host(&p->local, "opp");
  for (int32_t e = 0; e < here; e++)
    for (int f = 0; f < faces; f++) {
      const int32_t o = opp[p->element[e] * (int64_t)faces + f];
      int32_t *at = &to[e * (int64_t)faces + f];
      if (o < -1)
        *at = -2 - a->load[-2 - o];
      else if (o < 0)
        *at = -1;
      else if (o < ne)
        *at = a->element[o];
      else
        *at = a->cohesive[o - ne] < 0 ? -1 : here + a->cohesive[o - ne];
    }
}

/* Nodes lie in the list one after the other, each with those of its slots that are here. */
static void list_cut(ig_frac_model *m, const maps *a, const int32_t *list,
                     const ig_frac_node *node) {
  ig_frac_part *p = m->divided;
  const int32_t ne = m->s.ne, here = p->local.s.ne;
  int32_t *to = ig_frac_model_host(&p->local, "list"), at = 0;
  ig_frac_node *out = ig_frac_model_host(&p->local, "node");
  for (int32_t n = 0; n < a->nodes; n++) {
    const ig_frac_node *from = &node[a->node_of[n]];
    out[n] = (ig_frac_node){.first = at, .bc = from->bc, .origin = a->node[from->origin]};
    p->shift[n] = from->first - at;
    for (int32_t i = from->first; i < from->first + from->used; i++) {
      const int32_t e = a->element[list[i] % ne];
      if (e >= 0)
        to[at++] = list[i] / ne * here + e;
    }
    out[n].used = at - out[n].first;
  }
}

static void coh_cut(ig_frac_model *m, const maps *a, const int32_t *coh) {
  ig_frac_part *p = m->divided;
  const int faces = m->shape.faces;
  int32_t *to = ig_frac_model_host(&p->local, "coh");
  for (int32_t c = 0; c < a->cohesives; c++)
    for (int side = 0; side < 2; side++) {
      const int32_t facet = coh[2 * (int64_t)a->cohesive_of[c] + side];
      to[2 * (int64_t)c + side] = a->element[facet / faces] * faces + facet % faces;
    }
}

static void load_face_cut(ig_frac_model *m, const maps *a) {
  ig_frac_part *p = m->divided;
  const int faces = m->shape.faces;
  int32_t *to = ig_frac_model_host(&p->local, "load_face");
  for (int32_t k = 0; k < a->loads; k++) {
    const int32_t *from = m->load_face + 3 * (int64_t)a->load_of[k];
    to[3 * k] = a->element[from[0] / faces] * faces + from[0] % faces;
    to[3 * k + 1] = from[1];
    to[3 * k + 2] = from[2] < 0 ? -1 : a->load[from[2]];
  }
}

/* --- and those that are copied row by row */

typedef enum { NUMBERED, ROWS, SLOTS, ALL_OF_IT, SCRATCH } cutting;
static cutting cutting_of(const char *name) {
  static const struct {
    const char *name;
    cutting how;
  } known[] = {{"conn", NUMBERED},
               {"opp", NUMBERED},
               {"list", NUMBERED},
               {"node", NUMBERED},
               {"coh", NUMBERED},
               {"load_face", NUMBERED},
               {"number", NUMBERED},
               {"attach", ROWS},
               {"mat", ROWS},
               {"impact", ROWS},
               {"facet_law", ROWS},
               {"s0", ROWS},
               {"x", ROWS},
               {"u", ROWS},
               {"v", ROWS},
               {"minv", ROWS},
               {"work", ROWS},
               {"pressed", ROWS},
               {"surface_mass", ROWS},
               {"surface_gap", ROWS},
               {"surface_force", ROWS},
               {"surface_work", ROWS},
               {"turn", ROWS},
               {"cs", ROWS},
               {"cf", ROWS},
               {"ck", ROWS},
               {"cw", ROWS},
               {"cwork", ROWS},
               {"lf", ROWS},
               {"lwork", ROWS},
               {"fc", SLOTS},
               {"laws", ALL_OF_IT},
               {"bc_row", ALL_OF_IT},
               {"history_x", ALL_OF_IT},
               {"history_y", ALL_OF_IT}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, name) == 0)
      return known[i].how;
  return SCRATCH;
}

static void rows_copy(char *to, const char *from, const int32_t *of, int64_t count, size_t row) {
  for (int64_t i = 0; i < count; i++)
    memcpy(to + (size_t)i * row, from + (size_t)of[i] * row, row);
}

static void table_copy(const ig_frac_model *m, const maps *a, const ig_arrays_entry *e, cutting how,
                       const char *from) {
  const ig_frac_part *p = m->divided;
  const ig_array_def *t = &e->def;
  const size_t row = (size_t)t->width * t->size;
  const int columns = m->shape.nodes;
  if (how == ALL_OF_IT)
    memcpy(e->own.host, from, e->own.count * t->size);
  else if (how == SLOTS)
    for (int i = 0; i < columns; i++)
      rows_copy((char *)e->own.host + (size_t)i * (size_t)p->local.s.ne * (row / (size_t)columns),
                from + (size_t)i * (size_t)m->s.ne * (row / (size_t)columns), p->element,
                p->local.s.ne, row / (size_t)columns);
  else if (t->place == IG_FRAC_PER_ELEMENT)
    rows_copy(e->own.host, from, p->element, p->local.s.ne, row);
  else if (t->place == IG_FRAC_PER_NODE)
    rows_copy(e->own.host, from, a->node_of, a->nodes, row);
  else if (t->place == IG_FRAC_PER_COHESIVE)
    rows_copy(e->own.host, from, a->cohesive_of, a->cohesives, row);
  else
    rows_copy(e->own.host, from, a->load_of, a->loads, row);
}

/* All tables that hold something, from the whole. `fixed`: also those that never change. */
static ig_status tables_fill(const source *w, const maps *a, bool fixed) {
  ig_frac_model *m = w->m, *q = &m->divided->local;
  for (int i = 0; i < q->arrays.count; i++) {
    ig_arrays_entry *e = &q->arrays.entry[i];
    const ig_array_def *t = &e->def;
    const bool saved = t->flags & SAVED;
    const cutting how = cutting_of(t->name);
    const void *from;
    if (how == SCRATCH && saved)
      return IG_FAIL(m->cx, IG_NUMERIC, "table '%s' is not known to parts", t->name);
    if (how == SCRATCH || !(fixed || saved))
      continue;
    if (how != NUMBERED) {
      IG_TRY(whole_get(w, t->name, &from));
      if (from)
        table_copy(m, a, e, how, from);
    }
    IG_TRY(ig_array_push(m->cx, &e->own));
  }
  return IG_OK;
}

/* --- the model */

static int64_t width_of(const ig_frac_model *q, const ig_array_def *t) {
  const int64_t slots = (int64_t)q->s.ne * q->shape.nodes + q->nodes_start; /* with bare ones */
  const int64_t most = slots > q->s.node_max ? slots : q->s.node_max;
  if (t->flags & ONE_RANK)
    return 0;
  return strcmp(t->name, "chain") == 0 ? most / IG_FRAC_APART + 2 : t->width;
}

/* Tables as the whole has them, for what is here. */
static ig_status tables_make(ig_frac_model *m, const maps *a) {
  ig_frac_part *p = m->divided;
  ig_frac_model *q = &p->local;
  const int32_t ne = q->s.ne, nodes = q->nodes_start;
  *q = *m;
  ig_arrays_open(&q->arrays, m->cx, &ig_frac_arrays_room, q);
  q->nodes_start = nodes;
  q->divided = NULL;
  q->graph = NULL;
  q->probes = NULL;
  q->color_start = NULL;
  q->load_face = NULL;
  q->histories = (ig_histories){0};
  q->s.ne = ne;
  q->s.magic = UINT64_MAX / (uint64_t)(ne ? ne : 1) + 1;
  q->s.node_max = a->nodes + a->nodes / 8 + 64;
  q->s.coh_max = a->cohesives + ne / 16 + 64;
  q->s.drive.loads_on = a->loads;
  const ig_array_def more[] = {{"number", &q->s.topo.number, IG_FRAC_PER_ELEMENT, 1, 4, .flags = 0},
                               {"worn", &q->s.surface.worn, IG_FRAC_PER_ELEMENT, 1, 4, .flags = 0}};
  for (int i = 0; i < m->arrays.count; i++) {
    ig_array_def t = m->arrays.entry[i].def;
    t.at = (char *)&q->s + ((char *)t.at - (char *)&m->s);
    t.width = width_of(q, &t);
    IG_TRY(ig_frac_arrays_add(q, &t, 1));
  }
  IG_TRY(ig_frac_arrays_add(q, more, m->s.surface.on ? 2 : 1));
  if (ne)
    memcpy(ig_frac_model_host(q, "number"), p->element, (size_t)ne * sizeof *p->element);
  if (m->laws)
    q->laws = ig_frac_model_host(q, "laws");
  return ig_arrays_push(&q->arrays); /* zeros */
}

/* Bit f: what is across face f of an element is here, and they may part. */
static void inside_find(ig_frac_part *p) {
  const int faces = p->local.shape.faces;
  const int32_t *opp = ig_frac_model_host(&p->local, "opp"), ne = p->local.s.ne;
  for (int32_t e = 0; e < ne; e++)
    for (int f = 0; f < faces; f++) {
      const int32_t o = opp[e * (int64_t)faces + f];
      if (o >= 0 && o < ne)
        p->inside[e] |= (uint8_t)(1u << f);
    }
}

static ig_status cut(const source *w, maps *a, bool fixed) {
  ig_frac_model *m = w->m, *q = &m->divided->local;
  static const char *const names[] = {"conn", "opp", "coh", "list", "node"};
  const void *table[5];
  if (fixed) /* sizes are asked of the part's tables, which are not there yet */
    for (int i = 0; i < 5; i++) {
      void *host;
      IG_TRY(ig_frac_model_pull(m, names[i], &host));
      table[i] = host;
    }
  else
    for (int i = 0; i < 5; i++)
      IG_TRY(whole_get(w, names[i], &table[i]));
  const int32_t *conn = table[0], *opp = table[1], *coh = table[2], *list = table[3];
  if (!fixed)
    IG_TRY(topology_check(m, conn, opp, coh, list, table[4]));
  IG_TRY(elements_map(m, a));
  IG_TRY(nodes_map(m, conn, a));
  IG_TRY(rest_map(m, coh, a));
  if (fixed)
    IG_TRY(tables_make(m, a));
  q->count = (ig_frac_count){.step = m->count.step, .nodes = a->nodes, .cohesive = a->cohesives};
  q->s.bare = a->bare;
  IG_TRY(ig_frac_tables_grow(q)); /* and tells the device */
  IG_TRY(ig_frac_numbers_put(m, a->node_of, a->cohesive_of));
  conn_cut(m, a, conn);
  opp_cut(m, a, opp);
  list_cut(m, a, list, table[4]);
  coh_cut(m, a, coh);
  load_face_cut(m, a);
  IG_TRY(tables_fill(w, a, fixed));
  if (!fixed)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &m->divided->load_number, (size_t)a->loads + 1, "loads of a part"));
  if (a->loads)
    memcpy(m->divided->load_number, a->load_of, (size_t)a->loads * sizeof *a->load_of);
  inside_find(m->divided);
  return m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_weigh, &q->s, 0, q->s.ne);
}

ig_status ig_frac_part_cut(ig_frac_model *m) {
  maps a = {0};
  const ig_status status = cut(&(source){.m = m}, &a, true);
  maps_free(&a);
  return status;
}

ig_status ig_frac_part_restore(ig_frac_model *m, const ig_restart *from) {
  maps a = {0};
  if (!m->divided)
    return IG_OK;
  ig_status status = cut(&(source){m, from}, &a, false);
  maps_free(&a);
  IG_TRY(ig_ranks_agree(m->cx, status));
  return ig_frac_part_list(m);
}

void ig_frac_part_drop(ig_frac_part *p) {
  ig_arrays_free(&p->local.arrays);
}
