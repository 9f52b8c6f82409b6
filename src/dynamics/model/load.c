/* What holds and pushes particles: histories, motions, forces, tools, velocities at the start.
   All lists are made on the host once and uploaded; kernels read histories by the device's
   clock, so the host does nothing per step. */
#include "dynamics/model/part.h"
#include "dynamics/model/model.h"
#include "dynamics/model/solids.h"
#include "core/table_acts.h"
#include "mesh/face_share.h"
#include "mesh/load_check.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node set of this name is used as it is; else the nodes of the faces or elements of the set
   are collected, once per call, and kept in m->made until the model is freed. */
ig_status ig_dyn_nodes_of(ig_dyn_model *m, const ig_src *at, const char *name, const ig_set **set) {
  *set = ig_mesh_find_set(m->mesh, name, IG_SET_NODES);
  if (*set)
    return IG_OK;
  ig_dyn_nodes *made;
  IG_TRY(IG_NEW(m->cx, &made, 1, "a set's nodes"));
  made->next = m->made;
  m->made = made;
  made->set.kind = IG_SET_NODES;
  *set = &made->set;
  return ig_mesh_named_nodes(m->cx, m->mesh, at, name, &made->set.item, &made->set.count);
}

static ig_led led_of(const ig_dyn_motion *m, int d) {
  return (ig_led){(ig_move)m->kind[d], m->scale[d], m->history[d]};
}

/* Adds to `to` what support number `support` (-1: a rigid body's own) prescribes. A later
   support replaces an earlier one component by component; where they differ a warning is
   given. */
static ig_status motion_read(ig_ctx *cx, ig_histories *hs, const ig_support_case *c, int support,
                             int dofs, ig_dyn_motion *to) {
  ig_support_motion read;
  ig_history history;
  if (dofs < 6 && !isnan(c->spin[0]))
    return ig_fail_at(cx, &c->at, "`spin` leads nodes of beams and shells, and rigid bodies");
  IG_TRY(ig_support_read(cx, c, dofs, &read));
  if (support >= 0)
    IG_TRY(ig_support_holds(cx, c, &read));
  IG_TRY(ig_histories_add(cx, hs, &c->history, &history));
  for (int d = 0; d < dofs; d++)
    if (read.kind[d] != IG_MOVE_FREE) {
      const ig_led now = {(ig_move)read.kind[d], read.scale[d], history}, was = led_of(to, d);
      if (was.kind != IG_MOVE_FREE && !ig_led_same(&was, &now, hs))
        ig_warn_at(cx, &c->at,
                   "nodes of '%s' are held or led along %s%c by another support too: this one "
                   "counts there",
                   c->set, d < 3 ? "" : "r", 'x' + d % 3);
      to->kind[d] = read.kind[d];
      to->scale[d] = to->given[d] = read.scale[d];
      to->support[d] = support;
      to->history[d] = history;
    }
  return IG_OK;
}

/* Space for one more kind of motion; it starts as a copy of kind `like`. Kind 0 is free. */
static ig_status motion_more(ig_ctx *cx, ig_dyn_motion **motion, int *kinds, int *space, int like) {
  if (*kinds == *space) {
    *space *= 2;
    void *more = realloc(*motion, sizeof **motion * (size_t)*space);
    if (!more)
      return IG_FAIL(cx, IG_MEMORY, "out of memory for supports");
    *motion = more;
  }
  (*motion)[*kinds] = (*motion)[like];
  (*kinds)++;
  return IG_OK;
}

/* Whether component d of a particle does what `to` says, with what it is itself held by: one of a
   body where the body is held still in all six components, and `to` is still. */
static bool does(const ig_dyn_model *m, const ig_dyn_motion *motion, const int32_t *move,
                 ig_lid node, int d, const ig_led *to, const ig_histories *hs) {
  const int32_t bound = ((int32_t *)m->carried.bound.host)[node];
  int from = d, last = d, kind = move[node];
  if (bound > 0) {
    const ig_dyn_body *b = m->carried.body.host;
    while (bound > b->first + b->count)
      b++;
    kind = b->motion, from = 0, last = 5;
  }
  for (int k = from; k <= last; k++) {
    const ig_led own = led_of(&motion[kind], k);
    if (own.kind == IG_MOVE_FREE || !ig_led_same(&own, to, hs))
      return false;
  }
  return true;
}

/* What a support says of a particle that is tied (tie: its number) or part of a body (-1) does
   nothing: refused where those that carry it are not led in the same way. */
static ig_status carried_check(ig_dyn_model *m, const ig_dyn_motion *motion, const int32_t *move,
                               const ig_histories *hs, ig_lid n, int32_t tie) {
  const int32_t *to = (int32_t *)m->carried.tie_to.host + 3 * (int64_t)(tie < 0 ? 0 : tie);
  const double *share = (double *)m->carried.tie_share.host + 3 * (int64_t)(tie < 0 ? 0 : tie);
  const ig_dyn_motion *own = &motion[move[n]];
  for (int d = 0; d < m->p.dofs && move[n]; d++) {
    const ig_led led = led_of(own, d);
    bool same = true;
    for (int a = 0; a < 3 && led.kind != IG_MOVE_FREE; a++)
      if (tie < 0 || share[a] > 1e-6)
        same &= does(m, motion, move, tie < 0 ? n : to[a], d, &led, hs);
    if (same)
      continue;
    const ig_support_case *c = IG_ITEM(const ig_support_case, m->c->supports, own->support[d]);
    return ig_fail_at(m->cx, &c->at,
                      "node %d of '%s' is %s, so that this support does nothing there: take it "
                      "out of the set, or hold %s",
                      n, c->set, tie < 0 ? "part of a rigid body" : "tied",
                      tie < 0 ? "the body, by `bodies[].fix` or its motions" : "what carries it");
  }
  return IG_OK;
}

/* All of them; their entries of `move` become 0. */
static ig_status carried_free(ig_dyn_model *m, const ig_dyn_motion *motion, int32_t *move,
                              const ig_histories *hs) {
  const int32_t *bound = m->carried.bound.host;
  for (int32_t i = 0; i < m->p.ties.count; i++)
    IG_TRY(carried_check(m, motion, move, hs, ((int32_t *)m->carried.tie_node.host)[i], i));
  for (ig_lid n = 0; bound && n < m->mesh->nodes; n++)
    if (bound[n] > 0)
      IG_TRY(carried_check(m, motion, move, hs, n, -1));
  for (ig_lid n = 0; bound && n < m->mesh->nodes; n++)
    move[n] = bound[n] != 0 ? 0 : move[n];
  return IG_OK;
}

/* Particles with the same set of supports share a kind of motion. For each support in turn, each
   kind that occurs in its set gets a successor (next): the old kind with this support added. So
   there are at most as many kinds as combinations that occur. */
ig_status ig_dyn_motions_new(ig_dyn_model *m, ig_histories *hs) {
  ig_ctx *cx = m->cx;
  const int n = m->c->supports.count, bodies = m->c->bodies.count;
  if (n + bodies == 0)
    return IG_OK;
  ig_status status = IG_OK;
  int kinds = 1, space = 2;
  ig_dyn_motion *motion = calloc((size_t)space, sizeof *motion);
  int *next = NULL; /* kind x support -> kind after it, 0: not made yet */
  int32_t *move = NULL;
  if (!motion)
    return IG_FAIL(cx, IG_MEMORY, "out of memory for supports");
  IG_TRY_GOTO(status, done, IG_NEW(cx, &move, m->mesh->nodes, "supports"));
  for (int i = 0; i < n; i++) {
    const ig_support_case *c = IG_ITEM(const ig_support_case, m->c->supports, i);
    const ig_set *set;
    IG_TRY_GOTO(status, done, ig_dyn_nodes_of(m, &c->at, c->set, &set));
    free(next);
    next = calloc((size_t)kinds, sizeof *next);
    if (!next) {
      status = IG_FAIL(cx, IG_MEMORY, "out of memory for supports");
      goto done;
    }
    const int before = kinds;
    for (ig_lid k = 0; k < set->count; k++) {
      int32_t *at = &move[set->item[k]];
      if (*at >= before)
        continue; /* twice in one set */
      if (next[*at] == 0) {
        next[*at] = kinds;
        IG_TRY_GOTO(status, done, motion_more(cx, &motion, &kinds, &space, *at));
        IG_TRY_GOTO(status, done, motion_read(cx, hs, c, i, m->p.dofs, &motion[next[*at]]));
      }
      *at = next[*at];
    }
  }
  /* a body's own prescribed motion: a kind of its own, of six components whatever the particles
     have */
  for (int i = 0; i < bodies; i++) {
    const int k = kinds;
    IG_TRY_GOTO(status, done, motion_more(cx, &motion, &kinds, &space, 0));
    IG_TRY_GOTO(
        status, done,
        motion_read(cx, hs, IG_ITEM(const ig_support_case, m->c->bodies, i), -1, 6, &motion[k]));
    ((ig_dyn_body *)m->carried.body.host)[i].motion = k;
  }
  IG_TRY_GOTO(status, done, carried_free(m, motion, move, hs));
  if (bodies > 0)
    IG_TRY_GOTO(status, done, ig_array_push(cx, &m->carried.body));
  IG_TRY_GOTO(
      status, done,
      ig_array_from(cx, &m->held.move, move, (size_t)m->mesh->nodes, sizeof *move, "supports"));
  IG_TRY_GOTO(
      status, done,
      ig_array_from(cx, &m->held.motion, motion, (size_t)kinds, sizeof *motion, "supports"));
done:
  free(motion);
  free(next);
  free(move);
  return status;
}

/* A force or a face's pressure as it concerns one particle; a face appears once for each corner. */
typedef struct {
  int32_t node;
  size_t place; /* the order they were given in */
  int load;     /* of the case */
  bool is_face;
  ig_dyn_force force;
  ig_dyn_face face;
} push;
typedef struct {
  size_t count;
  push *item;
} pushes;

static ig_status push_add(ig_ctx *cx, pushes *p, const push *item) {
  IG_TRY(IG_MORE(cx, &p->item, p->count, "loads"));
  p->item[p->count] = *item;
  p->item[p->count].place = p->count;
  p->count++;
  return IG_OK;
}

/* A face with the pressure of `load`, for each of its corners. scale: see pressure_add. */
static ig_status face_add(ig_dyn_model *m, pushes *list, const ig_dyn_load *load,
                          ig_history history, const ig_lid *node, int corners, double scale) {
  push item = {.is_face = true, .load = (int)(load - IG_ITEM(const ig_dyn_load, m->c->loads, 0))};
  item.face.history = history;
  item.face.corners = corners;
  item.face.pressure = scale * load->pressure;
  for (int a = 0; a < corners; a++)
    item.face.node[a] = node[a];
  for (int a = 0; a < corners; a++) {
    item.node = node[a];
    IG_TRY(push_add(m->cx, list, &item));
  }
  return IG_OK;
}

/* Faces of a set of faces of solids, or the elements of a set of shells. Faces of solids that
   have elements of their own (solids.c) are passed on there. */
static ig_status pressure_add(ig_dyn_model *m, pushes *list, const ig_dyn_load *load,
                              ig_history history) {
  const ig_set *set;
  IG_TRY(
      ig_mesh_named_set(m->cx, m->mesh, &load->at, load->set, IG_OF_FACES | IG_OF_ELEMENTS, &set));
  for (ig_lid k = 0; k < set->count; k++) {
    ig_lid local, node[4];
    const ig_block *b = ig_dyn_block_of(m->mesh, set->item[k], &local);
    const ig_elem_info *info = ig_elem_info_get(b->type);
    const ig_lid *conn = b->conn + (int64_t)local * info->nodes;
    const bool shell = b->type == IG_TRI3 || b->type == IG_QUAD4;
    if (shell && set->kind == IG_SET_FACES)
      return ig_fail_at(m->cx, &load->at,
                        "'%s' is a set of edges of shells: pressure acts on a set of their "
                        "elements (`of: elements`), forces on its nodes",
                        load->set);
    if (ig_dyn_solid_has(m, set->item[k]) && set->kind == IG_SET_FACES)
      IG_TRY(ig_dyn_solids_press(m, set->item[k], set->face[k], load->pressure, history,
                                 (int)(load - IG_ITEM(const ig_dyn_load, m->c->loads, 0))));
    else if (shell)
      IG_TRY(face_add(m, list, load, history, conn, info->nodes, 1));
    else if (info->dim == 3 && set->kind == IG_SET_FACES) {
      /* a quadratic face: all of it on the mid-sides, a third each, whose triangle is a quarter */
      const bool mids = b->type == IG_TET10;
      const int corners = b->type == IG_HEX8 ? 4 : 3, *face = ig_elem_face(b->type, set->face[k]);
      for (int a = 0; a < corners; a++)
        node[a] = conn[face[mids ? 3 + a : a]];
      IG_TRY(face_add(m, list, load, history, node, corners, mids ? 4 : 1));
    } else
      return ig_fail_at(m->cx, &load->at, "pressure needs faces of solids or shell elements");
  }
  return IG_OK;
}

/* What a load says is either pressure or forces, and moments only where something turns. */
static ig_status load_check(ig_dyn_model *m, const ig_dyn_load *c) {
  const bool forces = !isnan(c->force[0]) || !isnan(c->total[0]) || !isnan(c->moment[0]);
  if (forces == !isnan(c->pressure))
    return ig_fail_at(m->cx, &c->at,
                      forces ? "a load has either `pressure` or forces: make it two entries"
                             : "this load pushes nothing: give `force`, `total`, `moment` or "
                               "`pressure`");
  if (isnan(c->moment[0]))
    return IG_OK;
  const ig_set *set;
  const int32_t *bound = m->carried.bound.host;
  IG_TRY(ig_dyn_nodes_of(m, &c->at, c->set, &set));
  for (ig_lid k = 0; k < set->count; k++) {
    const ig_lid n = set->item[k];
    if (m->p.dofs < 6 || !(m->weight.inertia[n] > 0 || (bound && bound[n] != 0)))
      return ig_fail_at(m->cx, &c->at,
                        "node %d does not turn: a `moment` acts on nodes of beams and shells", n);
  }
  return IG_OK;
}

/* By particle; forces before faces; then as given: loads of a particle are summed in this order. */
static int by_node(const void *a, const void *b) {
  const push *p = a, *q = b;
  if (p->node != q->node)
    return p->node < q->node ? -1 : 1;
  if (p->is_face != q->is_face)
    return p->is_face - q->is_face;
  return p->place < q->place ? -1 : p->place > q->place;
}

/* Where material can yield and statics come first, loads without a history grow over their ramp: in
   full at once they would make it yield on the way. */
ig_status ig_dyn_history_add(ig_dyn_model *m, ig_histories *hs, const ig_table *given,
                             ig_history *history) {
  double until = INFINITY, y[2] = {0, 1};
  for (int i = 0; i < m->c->analysis.count; i++) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, m->c->analysis, i);
    if (i == 0 && a->kind != IG_ANALYSIS_STATIC)
      until = 0;
    if (a->kind == IG_ANALYSIS_STATIC)
      until = fmin(until, a->at_time);
  }
  double x[2] = {0, until};
  const ig_table grows = {2, x, y};
  const bool own = given->count == 0 && isfinite(until) && until > 0 && ig_dyn_yields(m);
  return ig_histories_add(m->cx, hs, own ? &grows : given, history);
}
/* Forces and moments of a set: given per node, or in total by the nodes' shares of its faces. */
static ig_status forces_add(ig_dyn_model *m, pushes *list, const ig_dyn_load *c, int load,
                            ig_history history) {
  const ig_set *set;
  double *share = NULL;
  push item = {.force.history = history, .load = load};
  IG_TRY(ig_dyn_nodes_of(m, &c->at, c->set, &set));
  if (!isnan(c->force[0]))
    IG_TRY(ig_warn_equal_forces(m->cx, &c->at, m->mesh, c->set, set->item, set->count, c->force));
  ig_status status = ig_mesh_face_shares(m->cx, m->mesh, c->set, set->item, set->count,
                                         ig_solid_face_weights, &share);
  if (status == IG_OK && !share && !isnan(c->total[0]))
    status = ig_warn_equal_forces(m->cx, &c->at, m->mesh, c->set, set->item, set->count, NULL);
  for (ig_lid k = 0; k < set->count && status == IG_OK; k++) {
    const double part = share ? share[k] : 1.0 / set->count;
    for (int d = 0; d < 3; d++) {
      item.force.value[d] =
          (isnan(c->force[d]) ? 0 : c->force[d]) + (isnan(c->total[d]) ? 0 : c->total[d] * part);
      item.force.value[3 + d] = isnan(c->moment[d]) ? 0 : c->moment[d];
    }
    item.node = set->item[k];
    status = push_add(m->cx, list, &item);
  }
  free(share);
  return status;
}

/* A load whose history is zero until the last analysis ends. */
static void idle_warn(const ig_dyn_model *m, const ig_dyn_load *c) {
  double end = 0;
  bool acts = false;
  for (int i = 0; i < m->c->analysis.count; i++) {
    const ig_dyn_analysis *a = IG_ITEM(const ig_dyn_analysis, m->c->analysis, i);
    end += a->kind == IG_ANALYSIS_DYNAMIC ? a->duration : 0;
    acts |= a->kind != IG_ANALYSIS_DYNAMIC && ig_table_acts(&c->history, a->at_time);
  }
  if (!acts && !ig_table_acts(&c->history, end))
    ig_warn_never_acts(m->cx, &c->at, end);
}

static unsigned held_at(const ig_dyn_model *m, ig_lid node) {
  const int32_t *move = m->held.move.host;
  const ig_dyn_motion *motion = m->held.motion.host;
  unsigned held = 0;
  for (int d = 0; d < 6 && move && move[node] > 0; d++)
    held |= motion[move[node]].kind[d] != IG_MOVE_FREE ? 1u << d : 0;
  return held;
}

/* Forces and pressures from item `first` on, all of which act where supports prescribe the motion;
   faces of solids that have elements of their own are in no list and count as free. */
static ig_status held_warn(ig_dyn_model *m, ig_status status, const ig_dyn_load *c,
                           const pushes *list, size_t first) {
  ig_load_reach reach = {0};
  double number[IG_REACH_NUMBERS];
  for (size_t k = first; k < list->count; k++) {
    const push *p = &list->item[k];
    double x[4][3], normal[3];
    for (int a = 0; a < p->face.corners && p->is_face; a++)
      for (int d = 0; d < 3; d++)
        x[a][d] = m->mesh->x[3 * (int64_t)p->face.node[a] + d];
    if (p->is_face) {
      ig_load_normal(p->face.corners, x, normal);
      for (int d = 0; d < 3; d++)
        normal[d] *= p->face.pressure;
    }
    ig_load_reaches(&reach, p->is_face ? normal : p->force.value, p->is_face ? 3 : 6,
                    held_at(m, p->node));
  }
  ig_load_reach_get(&reach, number); /* other ranks may have free ones */
  IG_TRY(ig_dyn_most(m, status, number, IG_REACH_NUMBERS));
  ig_load_reach_set(&reach, number);
  ig_warn_held(m->cx, &c->at, &reach);
  return IG_OK;
}

/* All loads of the case, sorted, so that rows of a particle stand together and sums have one
   order. */
static ig_status pushes_list(ig_dyn_model *m, ig_histories *hs, pushes *list) {
  for (int i = 0; i < m->c->loads.count; i++) {
    const ig_dyn_load *c = IG_ITEM(const ig_dyn_load, m->c->loads, i);
    ig_history history;
    IG_TRY(load_check(m, c));
    idle_warn(m, c);
    const size_t first = list->count;
    IG_TRY(ig_dyn_history_add(m, hs, &c->history, &history));
    const ig_status added =
        isnan(c->pressure) ? forces_add(m, list, c, i, history) : pressure_add(m, list, c, history);
    IG_TRY(held_warn(m, added, c, list, first));
  }
  if (list->count > INT32_MAX / 2)
    return IG_FAIL(m->cx, IG_INPUT, "too many loads");
  if (list->count)
    qsort(list->item, list->count, sizeof *list->item, by_node);
  return IG_OK;
}

/* Loads in rows by particle: node, then ranges of forces and of faces. The given values stay on
   the host (force_given, face_given), for factors that a program sets; the model frees them. */
ig_status ig_dyn_loads_new(ig_dyn_model *m, ig_histories *hs) {
  ig_ctx *cx = m->cx;
  pushes list = {0};
  int32_t *node = NULL, *fs = NULL, *as = NULL;
  ig_dyn_force *force = NULL;
  ig_dyn_face *face = NULL;
  ig_status status = pushes_list(m, hs, &list);
  if (status != IG_OK || list.count == 0)
    goto done;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &node, list.count, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &fs, list.count + 1, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &as, list.count + 1, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &force, list.count + 1, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &face, list.count + 1, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &m->loading.force_of, list.count + 1, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &m->loading.face_of, list.count + 1, "loads"));
  int32_t nodes = 0, nf = 0, na = 0;
  for (size_t i = 0; i < list.count; i++) {
    if (nodes == 0 || node[nodes - 1] != list.item[i].node) {
      node[nodes] = list.item[i].node;
      fs[nodes] = nf;
      as[nodes] = na;
      nodes++;
    }
    if (list.item[i].is_face) {
      m->loading.face_of[na] = list.item[i].load;
      face[na++] = list.item[i].face;
    } else {
      m->loading.force_of[nf] = list.item[i].load;
      force[nf++] = list.item[i].force;
    }
  }
  fs[nodes] = nf;
  as[nodes] = na;
  m->p.loads.count = nodes;
  const size_t n = (size_t)nodes;
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->loading.loaded_node, node, n, sizeof *node, "loads"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->loading.force_start, fs, n + 1, sizeof *fs, "loads"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->loading.face_start, as, n + 1, sizeof *as, "loads"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->loading.force, force, (size_t)nf + 1, sizeof *force, "loads"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->loading.face, face, (size_t)na + 1, sizeof *face, "loads"));
  m->loading.forces = nf;
  m->loading.faces = na;
done:
  m->loading.force_given = force;
  m->loading.face_given = face;
  free(list.item);
  free(node);
  free(fs);
  free(as);
  return status;
}

/* Tools of the case with unit axes. A tool moves by its velocity and by travel times its
   history. */
ig_status ig_dyn_tools_new(ig_dyn_model *m, ig_histories *hs) {
  const int n = m->c->tools.count;
  if (n == 0)
    return IG_OK;
  IG_TRY(ig_array_new(m->cx, &m->loading.tool, (size_t)n, sizeof(ig_dyn_tool), "tools"));
  for (int i = 0; i < n; i++) {
    const ig_dyn_tool_case *c = IG_ITEM(const ig_dyn_tool_case, m->c->tools, i);
    ig_dyn_tool *t = (ig_dyn_tool *)m->loading.tool.host + i;
    t->shape = c->shape;
    IG_TRY(ig_histories_add(m->cx, hs, &c->history, &t->history));
    const double l = sqrt(dot_f64(c->axis, c->axis));
    if (!(l > 0))
      return ig_fail_at(m->cx, &c->at, "a tool's `axis` must have a length");
    if (c->shape != IG_TOOL_PLANE && !(c->radius > 0))
      return ig_fail_at(m->cx, &c->at, "this tool needs a `radius`");
    if (c->shape == IG_TOOL_PLANE && c->radius > 0)
      return ig_fail_at(
          m->cx, &c->at,
          "a plane has no `radius`: give `shape: sphere` or cylinder, or leave it out");
    const bool travels = dot_f64(c->displacement, c->displacement) > 0;
    if (travels && c->history.count < 2)
      return ig_fail_at(
          m->cx, &c->at,
          "`displacement` without a `history` moves nothing: say how it grows, [[0 s, 0], "
          "[1 ms, 1]]");
    if (!travels && c->history.count > 0)
      return ig_fail_at(m->cx, &c->at,
                        "a tool's `history` is that of its `displacement`: give that too");
    for (int k = 0; k < 3; k++) {
      t->at[k] = c->point[k];
      t->axis[k] = c->axis[k] / l;
      t->velocity[k] = c->velocity[k];
      t->travel[k] = c->displacement[k];
    }
    t->radius = c->radius;
    t->friction = c->friction;
  }
  return ig_array_push(m->cx, &m->loading.tool);
}

/* Where entries share nodes the last one counts. Rotations of particles (dofs 6) get the spin. */
ig_status ig_dyn_start_velocities(ig_dyn_model *m, double *v) {
  const int D = m->p.dofs;
  for (int i = 0; i < m->c->initial.count; i++) {
    const ig_dyn_initial *c = IG_ITEM(const ig_dyn_initial, m->c->initial, i);
    const ig_set *set = NULL;
    if (dot_f64(c->about, c->about) > 0 && dot_f64(c->spin, c->spin) == 0)
      return ig_fail_at(m->cx, &c->at, "`about` is the point of a `spin`, which is not given");
    if (c->set)
      IG_TRY(ig_dyn_nodes_of(m, &c->at, c->set, &set));
    const ig_lid count = set ? set->count : m->mesh->nodes;
    for (ig_lid k = 0; k < count; k++) {
      const int64_t n = set ? set->item[k] : k;
      double r[3], w[3];
      ig_dyn_sub(m->x0 + 3 * n, c->about, r);
      cross_f64(c->spin, r, w);
      for (int d = 0; d < 3; d++) {
        v[D * n + d] = c->velocity[d] + w[d];
        if (D == 6)
          v[D * n + 3 + d] = c->spin[d];
      }
    }
  }
  return IG_OK;
}
