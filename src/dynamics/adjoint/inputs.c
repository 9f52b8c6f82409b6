/* Inputs of a run: all numbers that the set-up of a case hands to the steps, as one list. */
#include "dynamics/adjoint/adjoint.h"

#include <stdlib.h>
#include <string.h>

/* Rows of all histories, kinds of motion: as many as their arrays have. */
static int64_t rows_of(const ig_dyn_model *m) {
  return (int64_t)m->held.history_y.count;
}
static int64_t motions_of(const ig_dyn_model *m) {
  return (int64_t)m->held.motion.count;
}

static void put(ig_dyn_inputs *in, int64_t *at, int64_t count) {
  *at = in->count;
  in->count += count;
}

/* Where everything is; values come after it. */
static ig_status layout(ig_ctx *cx, const ig_dyn_model *m, ig_dyn_inputs *in) {
  const int64_t n = m->p.nodes;
  *in = (ig_dyn_inputs){.groups = m->groups};
  IG_TRY(IG_NEW(cx, &in->number, m->groups + 1, "inputs"));
  IG_TRY(IG_NEW(cx, &in->state, m->groups + 1, "inputs"));
  for (int k = 0; k < m->groups; k++) {
    put(in, &in->number[k], IG_DYN_NUMBERS);
    put(in, &in->state[k], (int64_t)m->group[k].slots * m->group[k].g_f64.states);
  }
  put(in, &in->mass, n);
  put(in, &in->inertia, n);
  put(in, &in->heavy, m->heavy.count ? n : 0);
  put(in, &in->v, n * m->p.dofs);
  put(in, &in->x, 3 * n);
  put(in, &in->force, 6 * (int64_t)m->loading.forces);
  put(in, &in->face, m->loading.faces);
  put(in, &in->scale, 6 * motions_of(m));
  put(in, &in->history, rows_of(m));
  put(in, &in->gravity, 3);
  put(in, &in->tool, (int64_t)m->p.tools * IG_TOOL_NUMBERS);
  put(in, &in->damping, 1);
  return IG_NEW(cx, &in->value, in->count + 1, "inputs");
}

static void copy(double *to, const void *from, int64_t count) {
  if (count > 0)
    memcpy(to, from, (size_t)count * sizeof *to);
}

static void tool_take(const ig_dyn_tool *tool, double *to) {
  memcpy(to + IG_TOOL_AT, tool->at, sizeof tool->at);
  memcpy(to + IG_TOOL_AXIS, tool->axis, sizeof tool->axis);
  memcpy(to + IG_TOOL_VELOCITY, tool->velocity, sizeof tool->velocity);
  memcpy(to + IG_TOOL_TRAVEL, tool->travel, sizeof tool->travel);
  to[IG_TOOL_RADIUS] = tool->radius;
  to[IG_TOOL_FRICTION] = tool->friction;
}

/* Of a model in double precision on the CPU, whose arrays are the host's. */
ig_status ig_dyn_inputs_take(ig_ctx *cx, const ig_dyn_model *m, ig_dyn_inputs *in) {
  IG_TRY(layout(cx, m, in));
  const int64_t n = m->p.nodes;
  double *to = in->value;
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    ig_dyn_numbers(&g->g_f64, to + in->number[k]);
    copy(to + in->state[k], g->state.host, (int64_t)g->slots * g->g_f64.states);
  }
  copy(to + in->mass, m->mass.host, n);
  copy(to + in->inertia, m->inertia.host, n);
  copy(to + in->heavy, m->heavy.host, m->heavy.count ? n : 0);
  copy(to + in->v, m->v.host, n * m->p.dofs);
  copy(to + in->x, m->x.host, 3 * n);
  for (int32_t i = 0; i < m->loading.forces; i++)
    copy(to + in->force + 6 * i, ((const ig_dyn_force *)m->loading.force.host)[i].value, 6);
  for (int32_t i = 0; i < m->loading.faces; i++)
    to[in->face + i] = ((const ig_dyn_face *)m->loading.face.host)[i].pressure;
  for (int64_t i = 0; i < motions_of(m); i++)
    copy(to + in->scale + 6 * i, ((const ig_dyn_motion *)m->held.motion.host)[i].scale, 6);
  copy(to + in->history, m->held.history_y.host, rows_of(m));
  copy(to + in->gravity, m->p.loads.gravity, 3);
  for (int i = 0; i < m->p.tools; i++)
    tool_take((const ig_dyn_tool *)m->loading.tool.host + i,
              to + in->tool + (int64_t)i * IG_TOOL_NUMBERS);
  to[in->damping] = ((const ig_dyn_clock *)m->clock.host)->damping;
  return IG_OK;
}

void ig_dyn_inputs_free(ig_dyn_inputs *in) {
  free(in->value);
  free(in->number);
  free(in->state);
}

static bool same_bytes(const ig_array *a, const ig_array *b) {
  return a->count == b->count &&
         (a->count == 0 || memcmp(a->host, b->host, a->count * a->size) == 0);
}

/* Whether two models differ in numbers alone. */
static bool alike(const ig_dyn_model *a, const ig_dyn_model *b) {
  bool same = a->groups == b->groups && a->p.nodes == b->p.nodes && a->p.dofs == b->p.dofs &&
              a->loading.forces == b->loading.forces && a->loading.faces == b->loading.faces &&
              a->p.tools == b->p.tools && motions_of(a) == motions_of(b) &&
              same_bytes(&a->held.move, &b->held.move) &&
              same_bytes(&a->held.history_x, &b->held.history_x) &&
              same_bytes(&a->loading.loaded_node, &b->loading.loaded_node);
  for (int k = 0; same && k < a->groups; k++) {
    const ig_dyn_group *g = &a->group[k], *h = &b->group[k];
    same = g->kind == h->kind && g->law == h->law && g->slots == h->slots &&
           g->g_f64.states == h->g_f64.states && g->g_f64.bbar == h->g_f64.bbar &&
           g->g_f64.planes == h->g_f64.planes && g->g_f64.thinning == h->g_f64.thinning &&
           g->g_f64.cable == h->g_f64.cable && same_bytes(&g->conn, &h->conn);
  }
  for (int64_t i = 0; same && i < motions_of(a); i++)
    same = memcmp(((const ig_dyn_motion *)a->held.motion.host)[i].kind,
                  ((const ig_dyn_motion *)b->held.motion.host)[i].kind, 6) == 0;
  for (int i = 0; same && i < a->p.tools; i++)
    same = ((const ig_dyn_tool *)a->loading.tool.host)[i].shape ==
           ((const ig_dyn_tool *)b->loading.tool.host)[i].shape;
  return same;
}

/* Whether a number of a material or section that is 0 changes: it is no variable of the tape. */
static bool zero_changes(const ig_dyn_inputs *in, const double *other) {
  for (int k = 0; k < in->groups; k++)
    for (int i = 0; i < IG_DYN_NUMBERS; i++) {
      const int64_t at = in->number[k] + i;
      if (i != IG_NUMBER_POISSON && in->value[at] == 0 && other[at] != 0)
        return true;
    }
  return false;
}

ig_status ig_dyn_inputs_difference(const ig_dyn_tape *t, const ig_dyn_model *other, const char *key,
                                   double *sum) {
  ig_dyn_inputs in;
  if (!alike(t->run->m, other))
    return IG_FAIL(t->cx, IG_INPUT,
                   "'%s' changes what the model is made of, or times of a history, which are taken "
                   "as they are",
                   key);
  ig_status status = ig_dyn_inputs_take(t->cx, other, &in);
  if (status == IG_OK && zero_changes(&t->in, in.value))
    status = IG_FAIL(t->cx, IG_INPUT,
                     "it is 0, which switches off what it is for: take the gradient at a small "
                     "value above 0");
  for (int64_t i = 0; status == IG_OK && i < in.count; i++)
    if (in.value[i] != t->in.value[i]) /* infinite numbers are none */
      *sum += t->bar[i] * (in.value[i] - t->in.value[i]);
  ig_dyn_inputs_free(&in);
  return status;
}
