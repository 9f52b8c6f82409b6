/* Import of surfaces that are near a rank's own (part_surface.h says which). All ranks decide
   by the same numbers: ranks that share a node of an element know its position, to the
   last bit, and whether it is on a surface.

   Passes of an import (ig_frac_import): the part's tables to the host (scene); a box grid around
   wanted facets and a box around what may be sent, exchanged between all ranks; a parcel for
   each rank whose box is near; counts, then contents by messages. A parcel is one block of
   bytes: nodes, slots, elements. */
#include "fracture/engine/part_surface.h"
#include "ranks/allgather.h"

#include <stdlib.h>
#include <string.h>

const size_t ig_frac_record[IG_PARCEL_LISTS] = {sizeof(ig_frac_surface_node), sizeof(int64_t),
                                                sizeof(ig_frac_surface_element)};

/* What of a rank others have to know.
   Sent to all ranks as bytes: of fixed size, without pointers. */
typedef struct {
  ig_box_grid fence; /* around facets at nodes whose forces it needs */
  ig_box cover;      /* around what it may send */
} place;

/* The part's tables.
   Host copies of the part's tables (not owned) and marks (owned). */
typedef struct {
  const ig_frac_model *m;
  const ig_frac_part *p;
  const int32_t *conn, *opp, *list;
  const ig_frac_node *node;
  const void *x, *u, *v, *minv, *mass, *gap;
  const int64_t *pressed;
  uint8_t *surface;   /* nodes: on a facet that is free or may come to be */
  int32_t *candidate; /* elements at own nodes that have such a node */
  int32_t candidates;
} scene;

/* Present position; z is 0 in the plane. */
static void node_at(const scene *s, int64_t n, double at[3]) {
  const int dim = s->m->shape.dim;
  for (int d = 0; d < 3; d++)
    at[d] = d < dim ? ig_frac_model_real(s->m, s->x, n * dim + d) +
                          ig_frac_model_real(s->m, s->u, n * dim + d)
                    : 0;
}

/* Node j of face f of element e, number in the part. */
static int32_t facet_node(const scene *s, int64_t e, int f, int j) {
  return s->conn[ig_frac_face_node(s->m->kind, f, j) * (int64_t)s->m->s.ne + e];
}

/* Whether a facet is free, or may come to be.
   A cracked facet counts: it may lose its traction before the next import. */
static bool may_be_free(const scene *s, int64_t e, int f) {
  const int32_t o = s->opp[e * s->m->shape.faces + f];
  return o < 0 || o >= s->m->s.ne;
}

/* What is across an element of the rim may be missing here. */
static bool neighbours_known(const scene *s, int64_t e) {
  return s->p->element_layer[e] <= s->p->reach + 1;
}

/* The mesh comes from the device only where facets have opened since. Where there is no contact,
   and somebody looks how far bodies overlap, there are none of its tables.
   Arrays that do not exist (no contact: no masses and gaps) stay NULL. */
static ig_status scene_read(ig_frac_model *m, scene *s) {
  bool *known = &m->part.contact->mesh_known;
  const struct {
    const char *name;
    const void **at;
    bool mesh;
  } all[] = {{"conn", (const void **)&s->conn, true},
             {"opp", (const void **)&s->opp, true},
             {"list", (const void **)&s->list, true},
             {"node", (const void **)&s->node, true},
             {"x", &s->x, true},
             {"minv", &s->minv, true},
             {"u", &s->u, false},
             {"v", &s->v, false},
             {"surface_mass", &s->mass, false},
             {"surface_gap", &s->gap, false},
             {"pressed", (const void **)&s->pressed, false}};
  *s = (scene){.m = m, .p = &m->part};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ig_arrays_entry *e = ig_arrays_find(&m->arrays, all[i].name);
    ig_array *a = e ? ig_arrays_memory(e) : NULL;
    if (a && (!all[i].mesh || !*known))
      IG_TRY(ig_array_pull(m->cx, a));
    *all[i].at = a ? a->host : NULL;
  }
  *known = true;
  return IG_OK;
}

/* candidate: elements of layer 1 only, since each element at an own node is sent by a rank that
   owns one of its nodes. */
static ig_status scene_open(ig_frac_model *m, scene *s) {
  IG_TRY(scene_read(m, s));
  IG_TRY(IG_NEW(m->cx, &s->surface, (size_t)m->count.nodes + 1, "surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->candidate, (size_t)m->s.ne + 1, "surfaces"));
  for (int32_t e = 0; e < m->s.ne; e++)
    for (int f = 0; f < m->shape.faces && neighbours_known(s, e); f++)
      for (int j = 0; j < m->shape.face_nodes && may_be_free(s, e, f); j++)
        s->surface[facet_node(s, e, f, j)] = 1;
  for (int32_t e = 0; e < m->s.ne; e++) {
    bool some = false;
    for (int a = 0; a < m->shape.nodes && s->p->element_layer[e] == 1; a++)
      some = some || s->surface[s->conn[a * (int64_t)m->s.ne + e]];
    if (some)
      s->candidate[s->candidates++] = e;
  }
  return IG_OK;
}

/* --- boxes */

static bool facet_wanted(const scene *s, int64_t e, int f) {
  for (int j = 0; j < s->m->shape.face_nodes && may_be_free(s, e, f); j++)
    if (ig_frac_wanted(s->m, facet_node(s, e, f, j)))
      return true;
  return false;
}

/* First pass the outer box, second its cells: each facet's box is added to the cell of its centre.
 */
static void fence_make(const scene *s, ig_box_grid *fence) {
  fence->all = ig_box_none;
  ig_box_grid_clear(fence);
  for (int pass = 0; pass < 2; pass++)
    for (int32_t e = 0; e < s->m->s.ne; e++)
      for (int f = 0; f < s->m->shape.faces && neighbours_known(s, e); f++) {
        ig_box b = ig_box_none;
        if (!facet_wanted(s, e, f))
          continue;
        for (int j = 0; j < s->m->shape.face_nodes; j++) {
          double at[3];
          node_at(s, facet_node(s, e, f, j), at);
          ig_box_add(pass ? &b : &fence->all, at);
        }
        if (pass)
          ig_box_grid_add(fence, &b);
      }
}

/* Around its nodes as displaced. */
static ig_box element_box(const scene *s, int64_t e) {
  ig_box b = ig_box_none;
  for (int a = 0; a < s->m->shape.nodes; a++) {
    double at[3];
    node_at(s, s->conn[a * (int64_t)s->m->s.ne + e], at);
    ig_box_add(&b, at);
  }
  return b;
}

static void place_find(const scene *s, place *mine) {
  memset(mine, 0, sizeof *mine);
  fence_make(s, &mine->fence);
  mine->cover = ig_box_none;
  for (int32_t i = 0; i < s->candidates; i++) {
    const ig_box b = element_box(s, s->candidate[i]);
    ig_box_add(&mine->cover, b.low);
    ig_box_add(&mine->cover, b.high);
  }
}

/* --- what goes to whom */

static bool point_near(const ig_box_grid *to, const double at[3], double reach) {
  ig_box b = ig_box_none;
  ig_box_add(&b, at);
  return ig_box_grid_near(to, &b, reach);
}

/* The tests of part_surface.h: a surface node within 2 h + s of the other's fence, or the middle
   of a facet within twice that. */
static bool goes(const scene *s, int32_t e, const ig_box_grid *to) {
  const ig_frac_shape *shape = &s->m->shape;
  const double reach = ig_frac_node_reach(s->m);
  const ig_box b = element_box(s, e);
  double at[3];
  if (!ig_box_grid_near(to, &b, 2 * reach))
    return false;
  for (int a = 0; a < shape->nodes; a++) {
    const int32_t n = s->conn[a * (int64_t)s->m->s.ne + e];
    node_at(s, n, at);
    if (s->surface[n] && point_near(to, at, reach))
      return true;
  }
  for (int f = 0; f < shape->faces; f++) {
    double mid[3] = {0};
    for (int j = 0; j < shape->dim; j++) {
      node_at(s, facet_node(s, e, f, j), at);
      for (int d = 0; d < 3; d++)
        mid[d] += at[d] / shape->dim;
    }
    if (may_be_free(s, e, f) && point_near(to, mid, 2 * reach))
      return true;
  }
  return false;
}

static ig_status parcel_add(ig_frac_model *m, ig_parcel *a, int list, int32_t item) {
  IG_TRY(IG_MORE(m->cx, &a->item[list], a->count[list], "import of surfaces"));
  a->item[list][a->count[list]++] = item;
  return IG_OK;
}

/* Own elements that go to a rank, and own nodes of all that do.
   Nodes are sent by their owner, elements by theirs, so that nothing comes twice. */
static ig_status parcel_choose(ig_frac_model *m, const scene *s, const ig_box_grid *to,
                               ig_parcel *a) {
  const ig_frac_part *p = &m->part;
  const int32_t nodes = m->count.nodes;
  uint8_t *mark;
  IG_TRY(IG_NEW(m->cx, &mark, (size_t)nodes + 1, "import of surfaces"));
  ig_status status = IG_OK;
  for (int32_t i = 0; i < s->candidates && status == IG_OK; i++) {
    const int32_t e = s->candidate[i];
    if (!goes(s, e, to))
      continue;
    for (int k = 0; k < m->shape.nodes; k++) {
      const int32_t n = s->conn[k * (int64_t)m->s.ne + e];
      mark[n] = mark[n] || p->owner[p->origin[n]] == p->rank;
    }
    if (p->element_owner[e] != p->rank)
      continue;
    status = parcel_add(m, a, IG_FRAC_ELEMENTS, e);
  }
  for (int32_t n = 0; n < nodes && status == IG_OK; n++)
    if (mark[n]) {
      status = parcel_add(m, a, IG_FRAC_NODES, n);
      a->count[IG_FRAC_SLOTS] += s->node[n].used;
    }
  free(mark);
  return status;
}

/* Slots are numbered element x nodes + corner of the whole, in their order in the list. */
static void node_write(const scene *s, int32_t n, int64_t *slots, ig_frac_surface_node *to,
                       int64_t *slot) {
  const ig_frac_model *m = s->m;
  const int dim = m->shape.dim;
  *to = (ig_frac_surface_node){.number = s->p->node[n],
                               .origin = s->p->mesh_node[s->p->origin[n]],
                               .used = s->node[n].used,
                               .surface = s->surface[n],
                               .first = *slots,
                               .part = s->pressed ? s->pressed[n] : -1,
                               .minv = ig_frac_model_real(m, s->minv, n),
                               .mass = s->mass ? ig_frac_model_real(m, s->mass, n) : 0,
                               .gap = s->gap ? ig_frac_model_real(m, s->gap, n) : 0};
  for (int d = 0; d < dim; d++) {
    to->x[d] = ig_frac_model_real(m, s->x, (int64_t)n * dim + d);
    to->u[d] = ig_frac_model_real(m, s->u, (int64_t)n * dim + d);
    to->v[d] = ig_frac_model_real(m, s->v, (int64_t)n * dim + d);
  }
  for (int32_t i = 0; i < to->used; i++) {
    const int32_t k = s->list[s->node[n].first + i];
    slot[(*slots)++] = (int64_t)s->p->element[k % m->s.ne] * m->shape.nodes + k / m->s.ne;
  }
}

/* open: free or cracked facets; worn: bits of free ones at this moment, two per facet. */
static ig_frac_surface_element element_write(const scene *s, int32_t e) {
  const ig_frac_shape *shape = &s->m->shape;
  ig_frac_surface_element to = {.number = s->p->element[e]};
  for (int a = 0; a < shape->nodes; a++)
    to.node[a] = s->p->node[s->conn[a * (int64_t)s->m->s.ne + e]];
  for (int f = 0; f < shape->faces; f++) {
    const int32_t o = s->opp[(int64_t)e * shape->faces + f];
    to.open |= (uint32_t)may_be_free(s, e, f) << f;
    to.worn |= (uint32_t)(o < 0) << 2 * f;
    to.cracked |= o >= s->m->s.ne;
  }
  return to;
}

static ig_status parcel_fill(ig_frac_model *m, const scene *s, ig_parcel *a) {
  int64_t slots = 0;
  IG_TRY(ig_parcel_open(m->cx, a, ig_frac_record));
  void *const to[] = {ig_parcel_list(a->out, a->count, ig_frac_record, IG_FRAC_NODES),
                      ig_parcel_list(a->out, a->count, ig_frac_record, IG_FRAC_SLOTS),
                      ig_parcel_list(a->out, a->count, ig_frac_record, IG_FRAC_ELEMENTS)};
  for (int32_t i = 0; i < a->count[IG_FRAC_NODES]; i++)
    node_write(s, a->item[IG_FRAC_NODES][i], &slots, (ig_frac_surface_node *)to[IG_FRAC_NODES] + i,
               to[IG_FRAC_SLOTS]);
  for (int32_t i = 0; i < a->count[IG_FRAC_ELEMENTS]; i++)
    ((ig_frac_surface_element *)to[IG_FRAC_ELEMENTS])[i] =
        element_write(s, a->item[IG_FRAC_ELEMENTS][i]);
  return IG_OK;
}

/* A parcel for each rank that may be near, and this one itself: both sides find the same pairs.
   Both directions are tested, so that both ranks agree to exchange, even if one parcel is empty. */
static ig_status parcels_make(ig_frac_model *m, const scene *s, const place *all, ig_parcel *list,
                              int *count) {
  const ig_frac_part *p = &m->part;
  const double reach = 2 * ig_frac_node_reach(m);
  for (int r = 0; r < p->ranks; r++)
    if (r == p->rank || ig_box_near(&all[p->rank].cover, &all[r].fence.all, reach) ||
        ig_box_near(&all[r].cover, &all[p->rank].fence.all, reach))
      list[(*count)++].rank = r;
  for (int i = 0; i < *count; i++) {
    IG_TRY(parcel_choose(m, s, &all[list[i].rank].fence, &list[i]));
    IG_TRY(parcel_fill(m, s, &list[i]));
  }
  return IG_OK;
}

/* Collective. Failures are agreed on after each stage that could fail on one rank alone. */
ig_status ig_frac_import(ig_frac_model *m, ig_parcel **list, int *count) {
  scene s;
  place mine, *all;
  *list = NULL;
  *count = 0;
  memset(&s, 0, sizeof s);
  ig_status status = scene_open(m, &s);
  if (status == IG_OK) {
    place_find(&s, &mine);
    m->part.contact->fence = mine.fence;
  }
  status = ig_ranks_allgather(m->cx, status, &mine, sizeof mine, (void **)&all);
  if (status == IG_OK) {
    status = IG_NEW(m->cx, list, (size_t)m->part.ranks, "import of surfaces");
    if (status == IG_OK)
      status = parcels_make(m, &s, all, *list, count);
    status = ig_parcels_exchange(m->cx, status, *list, *count, ig_frac_record);
  }
  free(s.surface);
  free(s.candidate);
  free(all);
  return status;
}
