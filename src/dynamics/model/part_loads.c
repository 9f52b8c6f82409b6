/* Forces and pressures of a part: those on its own particles, in the order of the whole model.
   Ghosts need none, as their owner moves them. */
#include "dynamics/model/part.h"

#include <stdlib.h>

/* Room for all that acts on own particles: counts come first, so that arrays have their final
   size. */
static ig_status loads_room(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  const ig_partition *p = &m->division->part;
  const ig_dyn_loading *from = &w->loading;
  ig_dyn_loading *to = &m->loading;
  ig_ctx *cx = m->cx;
  size_t nodes = 1, forces = 1, faces = 1;
  for (int32_t k = 0; k < w->p.loads.count; k++) {
    const int32_t *force = (const int32_t *)from->force_start.host + k;
    const int32_t *face = (const int32_t *)from->face_start.host + k;
    if (p->owner[((const int32_t *)from->loaded_node.host)[k]] != p->rank)
      continue;
    nodes++;
    forces += (size_t)(force[1] - force[0]);
    faces += (size_t)(face[1] - face[0]);
  }
  IG_TRY(ig_array_new(cx, &to->loaded_node, nodes, sizeof(int32_t), "loads"));
  IG_TRY(ig_array_new(cx, &to->force_start, nodes, sizeof(int32_t), "loads"));
  IG_TRY(ig_array_new(cx, &to->face_start, nodes, sizeof(int32_t), "loads"));
  IG_TRY(ig_array_new(cx, &to->force, forces, sizeof(ig_dyn_force), "loads"));
  IG_TRY(ig_array_new(cx, &to->face, faces, sizeof(ig_dyn_face), "loads"));
  IG_TRY(IG_NEW(cx, &to->force_of, forces, "loads"));
  IG_TRY(IG_NEW(cx, &to->face_of, faces, "loads"));
  IG_TRY(IG_NEW(cx, &to->force_given, forces, "loads"));
  return IG_NEW(cx, &to->face_given, faces, "loads");
}

/* Force i of the whole becomes the next one of the part. */
static void force_take(const ig_dyn_loading *from, int32_t i, ig_dyn_loading *to) {
  const int32_t k = to->forces++;
  ((ig_dyn_force *)to->force.host)[k] = ((const ig_dyn_force *)from->force.host)[i];
  to->force_given[k] = from->force_given[i];
  to->force_of[k] = from->force_of[i];
}

/* Corners in numbers of the part. */
static void face_take(const ig_partition *p, const ig_dyn_loading *from, int32_t i,
                      ig_dyn_loading *to) {
  const int32_t k = to->faces++;
  ig_dyn_face *face = (ig_dyn_face *)to->face.host + k;
  *face = ((const ig_dyn_face *)from->face.host)[i];
  for (int a = 0; a < face->corners; a++)
    face->node[a] = p->local[face->node[a]];
  to->face_given[k] = from->face_given[i];
  to->face_of[k] = from->face_of[i];
}

/* Rows of own particles are copied; corners of pressure faces are all in the part, as the face
   belongs to an element of the part. */
ig_status ig_dyn_part_loads(ig_dyn_model *m) {
  const ig_dyn_model *w = m->division->whole;
  const ig_partition *p = &m->division->part;
  const ig_dyn_loading *from = &w->loading;
  ig_dyn_loading *to = &m->loading;
  m->p.loads.count = 0;
  if (w->p.loads.count == 0)
    return IG_OK;
  IG_TRY(loads_room(m));
  for (int32_t k = 0; k < w->p.loads.count; k++) {
    const int32_t n = ((const int32_t *)from->loaded_node.host)[k];
    const int32_t *force = (const int32_t *)from->force_start.host + k;
    const int32_t *face = (const int32_t *)from->face_start.host + k;
    if (p->owner[n] != p->rank)
      continue;
    ((int32_t *)to->loaded_node.host)[m->p.loads.count++] = p->local[n];
    for (int32_t i = force[0]; i < force[1]; i++)
      force_take(from, i, to);
    for (int32_t i = face[0]; i < face[1]; i++)
      face_take(p, from, i, to);
    ((int32_t *)to->force_start.host)[m->p.loads.count] = to->forces;
    ((int32_t *)to->face_start.host)[m->p.loads.count] = to->faces;
  }
  ig_array *const all[] = {&to->loaded_node, &to->force_start, &to->face_start, &to->force,
                           &to->face};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(ig_array_push(m->cx, all[i]));
  return IG_OK;
}
