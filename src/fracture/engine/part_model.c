/* The tables of a part, cut out of those of the whole. Rows of items are copied by the register
   (ig_arrays_take); tables that hold numbers of items are translated here.

   Two uses: at the start the whole model is cut down (ig_frac_part_cut), and a checkpoint, which
   has the tables of the whole, is read (ig_frac_part_restore). Both make maps from numbers of
   the whole to those of the part, then translate. */
#include "fracture/engine/tables.h"

#include <stdlib.h>
#include <string.h>

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

/* --- numbers */

/* A checkpoint may hold anything: what is used as a number must be one. */
static bool within(const int32_t *value, int64_t count, int64_t low, int64_t high) {
  for (int64_t i = 0; i < count; i++)
    if (value[i] < low || value[i] >= high)
      return false;
  return true;
}

/* Every number is checked before it is used as an index: a damaged or foreign checkpoint fails
   with a message. */
static ig_status topology_check(const ig_frac_model *m, const int32_t *conn, const int32_t *opp,
                                const int32_t *coh, const int32_t *list, const ig_frac_node *node) {
  const int64_t ne = ig_frac_all(m, IG_FRAC_PER_ELEMENT), slots = ne * m->shape.nodes,
                facets = ne * m->shape.faces, loads = ig_frac_all(m, IG_FRAC_PER_LOAD),
                nodes = ig_frac_counts(m)->nodes, cohesive = ig_frac_counts(m)->cohesive,
                start = m->part.ranks > 1 ? m->part.total.mesh_nodes : m->nodes_start,
                rows = (int64_t)ig_arrays_at(&m->arrays, "bc_row")->count / 3;
  bool good = within(conn, slots, 0, nodes) && within(list, slots, 0, slots) &&
              within(opp, facets, -1 - loads, ne + cohesive) &&
              within(coh, 2 * cohesive, 0, facets);
  for (int64_t n = 0; n < nodes && good; n++)
    good = node[n].first >= 0 && node[n].used >= 0 &&
           (int64_t)node[n].first + node[n].used <= slots && node[n].origin >= 0 &&
           node[n].origin < start && node[n].bc >= -1 && node[n].bc < rows;
  return good ? IG_OK
              : IG_FAIL(m->cx, IG_INPUT,
                        "the checkpoint does not belong to this mesh: its "
                        "elements name nodes or facets that do not exist");
}

/* 0xff bytes: -1 for elements that are not here. */
static ig_status elements_map(ig_frac_model *m, maps *a) {
  const ig_frac_part *p = &m->part;
  IG_TRY(IG_NEW(m->cx, &a->element, (size_t)p->total.elements + 1, "numbers of a part"));
  memset(a->element, 0xff, (size_t)p->total.elements * sizeof *a->element);
  for (int32_t e = 0; e < m->s.ne; e++)
    a->element[p->element[e]] = e;
  return IG_OK;
}

/* Nodes of the mesh that are here, and all that elements of the part have: both rise. Where a node
   came apart its number stays with the lowest element of the whole, which may be elsewhere.
   1: a node of the mesh that is listed here, 2: one that an element here has. Nodes of value 1
   alone are `bare`: their elements here belong to a copy. */
static ig_status nodes_map(ig_frac_model *m, const int32_t *conn, maps *a) {
  const ig_frac_part *p = &m->part;
  const int32_t all = p->total.count.nodes;
  IG_TRY(IG_NEW(m->cx, &a->node, (size_t)all + 1, "numbers of a part"));
  for (int32_t n = 0; n < m->nodes_start; n++)
    a->node[p->mesh_node[n]] = 1;
  for (int i = 0; i < m->shape.nodes; i++)
    for (int32_t e = 0; e < m->s.ne; e++)
      a->node[conn[i * (int64_t)p->total.elements + p->element[e]]] = 2;
  for (int32_t n = 0; n < all; n++) {
    a->bare += a->node[n] == 1;
    a->node[n] = a->node[n] ? a->nodes++ : -1;
  }
  IG_TRY(IG_NEW(m->cx, &a->node_of, (size_t)a->nodes + 1, "numbers of a part"));
  for (int32_t n = 0; n < all; n++)
    if (a->node[n] >= 0)
      a->node_of[a->node[n]] = n;
  return IG_OK;
}

/* Cohesive elements whose elements are both here; loads on elements that are. */
static ig_status rest_map(ig_frac_model *m, const int32_t *coh, maps *a) {
  const int faces = m->shape.faces;
  const int32_t cracks = m->part.total.count.cohesive, loads = m->part.total.loads;
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
  const ig_frac_part *p = &m->part;
  const int64_t ne = p->total.elements, here = m->s.ne;
  int32_t *to = ig_frac_model_host(m, "conn");
  for (int i = 0; i < m->shape.nodes; i++)
    for (int64_t e = 0; e < here; e++)
      to[i * here + e] = a->node[conn[i * ne + p->element[e]]];
}

/* A neighbour beyond the rim becomes -1 (a->element is -1 there): facets at the rim look free,
   which is why nothing of the rim is computed. */
static void opp_cut(ig_frac_model *m, const maps *a, const int32_t *opp) {
  ig_frac_part *p = &m->part;
  const int32_t ne = p->total.elements, here = m->s.ne;
  const int faces = m->shape.faces;
  int32_t *to = ig_frac_model_host(m, "opp");
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

/* Nodes lie in the list one after the other, each with those of its slots that are here.
   shift: where the node's stretch begins in the whole, less where it begins here. It stays the
   same for copies, since a stretch is only divided. */
static void list_cut(ig_frac_model *m, const maps *a, const int32_t *list,
                     const ig_frac_node *node) {
  ig_frac_part *p = &m->part;
  const int32_t ne = p->total.elements, here = m->s.ne;
  int32_t *to = ig_frac_model_host(m, "list"), at = 0;
  ig_frac_node *out = ig_frac_model_host(m, "node");
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
  const int faces = m->shape.faces;
  int32_t *to = ig_frac_model_host(m, "coh");
  for (int32_t c = 0; c < a->cohesives; c++)
    for (int side = 0; side < 2; side++) {
      const int32_t facet = coh[2 * (int64_t)a->cohesive_of[c] + side];
      to[2 * (int64_t)c + side] = a->element[facet / faces] * faces + facet % faces;
    }
}

/* The chain of loads on one facet (third number) is translated as well: all loads of a facet are
   here or none. */
static void load_face_cut(ig_frac_model *m, const maps *a) {
  const int faces = m->shape.faces;
  int32_t *to = ig_frac_model_host(m, "load_face");
  for (int32_t k = 0; k < a->loads; k++) {
    const int32_t *from = m->load_face + 3 * (int64_t)a->load_of[k];
    to[3 * k] = a->element[from[0] / faces] * faces + from[0] % faces;
    to[3 * k + 1] = from[1];
    to[3 * k + 2] = from[2] < 0 ? -1 : a->load[from[2]];
  }
}

/* --- all tables */

/* Tables that hold numbers, as the whole has them. */
enum { CONN, OPP, COH, LIST, NODE, NUMBERED };
static const char *const numbered[NUMBERED] = {"conn", "opp", "coh", "list", "node"};

static ig_status maps_make(ig_frac_model *m, const void *const table[NUMBERED], maps *a) {
  IG_TRY(elements_map(m, a));
  IG_TRY(nodes_map(m, table[CONN], a));
  return rest_map(m, table[COH], a);
}

/* The part's items are those of the maps; its numbers from the whole's. */
static ig_status numbers_cut(ig_frac_model *m, const void *const table[NUMBERED], const maps *a) {
  m->count = (ig_frac_count){
      .step = m->part.total.count.step, .nodes = a->nodes, .cohesive = a->cohesives};
  m->s.bare = a->bare;
  IG_TRY(ig_frac_tables_grow(m)); /* and copies the counts to the device */
  IG_TRY(ig_frac_numbers_put(m, a->node_of, a->cohesive_of));
  conn_cut(m, a, table[CONN]);
  opp_cut(m, a, table[OPP]);
  list_cut(m, a, table[LIST], table[NODE]);
  coh_cut(m, a, table[COH]);
  load_face_cut(m, a);
  for (int i = 0; i < NUMBERED; i++)
    IG_TRY(ig_array_push(m->cx, ig_arrays_at(&m->arrays, numbered[i])));
  return ig_array_push(m->cx, ig_arrays_at(&m->arrays, "load_face"));
}

/* Tables as the whole has them, for what is here; without contents.
   The register is opened anew with the same definitions; arrays of ONE_RANK get no rows.
   `number` is for random strengths, which are drawn from the number in the whole. */
static ig_status tables_make(ig_frac_model *m, const ig_arrays *whole, const maps *a) {
  ig_frac_part *p = &m->part;
  ig_frac_state *s = &m->s;
  const int64_t slots = (int64_t)s->ne * m->shape.nodes + m->nodes_start; /* with bare ones */
  s->magic = UINT64_MAX / (uint64_t)(s->ne ? s->ne : 1) + 1;
  s->node_max = a->nodes + a->nodes / 8 + 64;
  s->coh_max = a->cohesives + s->ne / 16 + 64;
  s->drive.loads_on = a->loads;
  const int64_t most = slots > s->node_max ? slots : s->node_max;
  const ig_array_def more[] = {{"number", &s->topo.number, IG_FRAC_PER_ELEMENT, 1, 4, .flags = 0},
                               {"worn", &s->surface.worn, IG_FRAC_PER_ELEMENT, 1, 4, .flags = 0}};
  ig_arrays_open(&m->arrays, m->cx, &ig_frac_arrays_room, m);
  for (int i = 0; i < whole->count; i++) {
    ig_array_def t = whole->entry[i]->def;
    if (t.flags & ONE_RANK)
      t.width = 0;
    if (strcmp(t.name, "chain") == 0)
      t.width = most / IG_FRAC_APART + 2;
    IG_TRY(ig_frac_arrays_add(m, &t, 1));
  }
  IG_TRY(ig_frac_arrays_add(m, more, s->surface.on ? 2 : 1));
  if (s->ne)
    memcpy(ig_frac_model_host(m, "number"), p->element, (size_t)s->ne * sizeof *p->element);
  if (m->laws)
    m->laws = ig_frac_model_host(m, "laws");
  IG_TRY(IG_NEW(m->cx, &p->load_number, (size_t)a->loads + 1, "loads of a part"));
  if (a->loads)
    memcpy(p->load_number, a->load_of, (size_t)a->loads * sizeof *a->load_of);
  return ig_arrays_push(&m->arrays);
}

/* Rows of what is here.
   Rows of SAVED and FIXED arrays; others are computed in a step. */
static ig_status tables_fill(ig_frac_model *m, const ig_arrays *whole) {
  for (int i = 0; i < whole->count; i++) {
    ig_arrays_entry *e = m->arrays.entry[i];
    void *from;
    if (!(e->def.flags & (SAVED | FIXED)) || e->def.flags & NUMBERS)
      continue;
    IG_TRY(ig_arrays_pull(whole, e->def.name, &from));
    if (e->def.place != IG_PLACE_NONE) {
      IG_TRY(ig_arrays_take(&m->arrays, e, from));
      continue;
    }
    if (e->own.count) /* every rank has it whole, and reads it on the host, too */
      memcpy(e->own.host, from, e->own.count * e->own.size);
    IG_TRY(ig_array_push(m->cx, &e->own));
  }
  return IG_OK;
}

/* Bit f: what is across face f of an element is here, and they may part. */
static void inside_find(ig_frac_model *m) {
  const int faces = m->shape.faces;
  const int32_t *opp = ig_frac_model_host(m, "opp"), ne = m->s.ne;
  for (int32_t e = 0; e < ne; e++)
    for (int f = 0; f < faces; f++) {
      const int32_t o = opp[e * (int64_t)faces + f];
      if (o >= 0 && o < ne)
        m->part.inside[e] |= (uint8_t)(1u << f);
    }
}

static ig_status cut(ig_frac_model *m, const ig_arrays *whole, maps *a) {
  const void *table[NUMBERED];
  for (int i = 0; i < NUMBERED; i++) {
    void *host;
    IG_TRY(ig_arrays_pull(whole, numbered[i], &host));
    table[i] = host;
  }
  IG_TRY(maps_make(m, table, a));
  IG_TRY(tables_make(m, whole, a));
  IG_TRY(numbers_cut(m, table, a));
  IG_TRY(tables_fill(m, whole));
  inside_find(m);
  return ig_frac_run(m, IG_FRAC_weigh, 0, m->s.ne);
}

/* The whole tables are freed at the end: from here on memory is that of the part. */
ig_status ig_frac_part_cut(ig_frac_model *m) {
  maps a = {0};
  ig_arrays whole = m->arrays;
  m->arrays = (ig_arrays){.cx = m->cx};
  const ig_status status = cut(m, &whole, &a);
  maps_free(&a);
  ig_arrays_free(&whole);
  return status;
}

static ig_status numbers_restore(ig_frac_model *m, const ig_restart *from, maps *a) {
  const void *table[NUMBERED] = {NULL};
  for (int i = 0; i < NUMBERED; i++) {
    const int64_t bytes = ig_arrays_saved(&m->arrays, ig_arrays_find(&m->arrays, numbered[i]));
    if (bytes)
      IG_TRY(ig_restart_find(m->cx, from, numbered[i], IG_U8, bytes, &table[i]));
  }
  IG_TRY(topology_check(m, table[CONN], table[OPP], table[COH], table[LIST], table[NODE]));
  if (m->part.ranks == 1) /* the register takes them as they are */
    return IG_OK;
  IG_TRY(maps_make(m, table, a));
  return numbers_cut(m, table, a);
}

/* Numbers first, by which a part finds its rows. */
static ig_status tables_restore(ig_frac_model *m, const ig_restart *from) {
  maps a = {0};
  if (m->part.ranks == 1) {
    m->count = m->part.total.count;
    IG_TRY(ig_frac_tables_grow(m));
  }
  const ig_status status = numbers_restore(m, from, &a);
  maps_free(&a);
  IG_TRY(status);
  return ig_arrays_restore(&m->arrays, from);
}

/* Collective. count: of the whole, checked by the caller. */
ig_status ig_frac_part_restore(ig_frac_model *m, const ig_frac_count *count,
                               const ig_restart *from) {
  m->part.total.count = *count;
  IG_TRY(ig_ranks_agree(m->cx, tables_restore(m, from)));
  return ig_frac_part_list(m);
}
