/* Faces and points of contact by Newton's method; see pairs.h. */
#include "dynamics/model/pairs.h"
#include "dynamics/model/rigid_body_check.h"
#include "dynamics/model/solids.h"
#include "mesh/geometry.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- bodies as contact sees them while the model is made */

static void drawn_place(const void *self, ig_lid node, const double *add, double x[3]) {
  (void)add;
  memcpy(x, ((const ig_dyn_model *)self)->x0 + 3 * (size_t)node, 3 * sizeof *x);
}

static double young_of(const void *self, ig_lid element) {
  return ((const ig_dyn_model *)self)->pairs.of->young[element];
}

static ig_status young_find(ig_dyn_model *m, ig_dyn_pairs *to) {
  const int64_t elements = ig_mesh_elements(m->mesh);
  double most = 0;
  IG_TRY(IG_NEW(m->cx, &to->young, (size_t)elements + 1, "contact"));
  for (int k = 0; k < m->groups; k++)
    for (ig_lid s = 0; s < m->group[k].slots; s++)
      if (m->group[k].element[s] >= 0)
        to->young[m->group[k].element[s]] = m->group[k].g_f64.mat.young;
  for (int k = 0; m->solids && k < m->solids->count; k++)
    for (int32_t e = 0; e < m->solids->item[k].g.count; e++)
      to->young[m->solids->item[k].element[e]] = m->solids->item[k].g.law.young;
  for (int64_t e = 0; e < elements; e++)
    most = fmax(most, to->young[e]);
  if (!(most > 0))
    return ig_fail_at(m->cx, &m->c->contact.at,
                      "static: all bodies in contact are rigid: give `method: relaxation`");
  for (int64_t e = 0; e < elements; e++)
    to->young[e] = to->young[e] > 0 ? to->young[e] : most;
  return IG_OK;
}

/* --- faces */

/* A part: its number, the faces it has and their mean area. */
typedef struct {
  int32_t number;
  ig_lid faces;
  double size;
} body;
static int by_size(const void *a, const void *b) {
  const body *p = a, *q = b;
  return p->size < q->size ? -1 : p->size > q->size ? 1 : p->number - q->number;
}

static int32_t part_of(const ig_dyn_model *m, ig_lid element) {
  ig_lid local;
  const ig_block *b = ig_mesh_element(m->mesh, element, &local);
  return m->overlap.part[b->conn[(int64_t)local * ig_elem_info_get(b->type)->nodes]];
}

/* Faces of parts in the order of their size; start: parts + 1, order: parts, both the caller's. */
static ig_status faces_sort(ig_dyn_model *m, const ig_boundary *b, ig_dyn_pairs *to, body *order,
                            ig_lid *start) {
  const int32_t parts = m->overlap.parts;
  ig_lid *at;
  for (int32_t k = 0; k < parts; k++)
    order[k].number = k;
  for (ig_lid f = 0; f < b->count; f++) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(m->mesh, b->element[f], &local);
    body *o = &order[part_of(m, b->element[f])];
    o->size += ig_face_measure(m->mesh, block, local, b->face[f]);
    o->faces++;
  }
  for (int32_t k = 0; k < parts; k++)
    order[k].size /= fmax(1, order[k].faces);
  qsort(order, (size_t)parts, sizeof *order, by_size);
  IG_TRY(IG_NEW(m->cx, &at, (size_t)parts + 1, "contact"));
  for (int32_t k = 0; k < parts; k++) {
    at[order[k].number] = start[k];
    start[k + 1] = start[k] + order[k].faces;
  }
  for (ig_lid f = 0; f < b->count; f++) {
    const ig_lid i = at[part_of(m, b->element[f])]++;
    to->element[i] = b->element[f];
    to->face[i] = (uint8_t)b->face[f];
  }
  free(at);
  return IG_OK;
}

/* The entry of a part: its faces from `from` on against those from `next` on. */
static void entry_put(const ig_dyn_model *m, ig_dyn_pairs *to, bool loose, ig_lid from, ig_lid next,
                      ig_lid end) {
  const int k = to->list.count++;
  const ig_dyn_contact *c = &m->c->contact;
  ig_contact_case *e = (ig_contact_case *)to->list.items + k;
  static char name[] = "bodies";
  for (int side = 0; side < 2; side++) {
    const ig_lid begin = side ? next : from;
    to->set[2 * k + side] = (ig_set){.name = name,
                                     .kind = IG_SET_FACES,
                                     .count = (side ? end : next) - begin,
                                     .item = to->element + begin,
                                     .face = to->face + begin};
  }
  *e = (ig_contact_case){.at = c->at,
                         .set = name,
                         .to = name,
                         .penetration = NAN,
                         .stiffness = NAN,
                         .length = NAN,
                         .decay = {NAN, NAN},
                         .friction = c->friction,
                         .stick = NAN,
                         .distance = NAN,
                         .clearance = NAN,
                         .tension = NAN,
                         .adjust = NAN,
                         .faces = {&to->set[2 * k], &to->set[2 * k + 1]},
                         .times = c->penalty > 0 ? c->penalty : 0,
                         .facing = true,
                         .loose = loose};
}

static ig_status entries_make(ig_dyn_model *m, const ig_boundary *b, ig_dyn_pairs *to) {
  const int32_t parts = m->overlap.parts;
  body *order = NULL;
  ig_lid *start = NULL;
  ig_status status = IG_OK;
  bool loose;
  IG_TRY(ig_dyn_free_look(m, &loose));
  IG_TRY(IG_NEW(m->cx, &to->element, (size_t)b->count + 1, "contact"));
  IG_TRY(IG_NEW(m->cx, &to->face, (size_t)b->count + 1, "contact"));
  IG_TRY(IG_NEW(m->cx, &to->set, 2 * (size_t)parts + 1, "contact"));
  ig_contact_case *item;
  IG_TRY(IG_NEW(m->cx, &item, (size_t)parts + 1, "contact"));
  to->list.items = item;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &order, (size_t)parts + 1, "contact"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &start, (size_t)parts + 2, "contact"));
  IG_TRY_GOTO(status, done, faces_sort(m, b, to, order, start));
  for (int32_t k = 0; k + 1 < parts; k++)
    if (order[k].faces) /* a node without elements is a part, too */
      entry_put(m, to, loose, start[k], start[k + 1], b->count);
done:
  free(order);
  free(start);
  return status;
}

ig_status ig_dyn_pairs_new(ig_dyn_model *m) {
  ig_boundary boundary = {0};
  if (!m->pairs.on)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &m->pairs.of, 1, "contact"));
  ig_dyn_pairs *to = m->pairs.of;
  IG_TRY(young_find(m, to));
  IG_TRY(ig_mesh_boundary(m->cx, m->mesh, &boundary));
  const ig_status status = entries_make(m, &boundary, to);
  ig_boundary_free(&boundary);
  IG_TRY(status);
  to->contact = (ig_contact){.bodies = {.cx = m->cx,
                                        .mesh = m->mesh,
                                        .dofs = m->p.dofs,
                                        .self = m,
                                        .place = drawn_place,
                                        .young = young_of},
                             .list = &to->list,
                             .tools = &to->tools,
                             .large = true};
  return ig_contact_new(&to->contact, 0);
}

void ig_dyn_pairs_free(ig_dyn_model *m) {
  ig_dyn_pairs *p = m->pairs.of;
  if (!p)
    return;
  ig_contact_free(&p->contact);
  free(p->list.items);
  free(p->set);
  free(p->element);
  free(p->face);
  free(p->young);
  free(p);
  m->pairs.of = NULL;
}
