/* Elements of the room as groups of the implicit engine. Forces of trials are computed by the
   same packed kernels as explicit steps, tangents one element at a time with dual numbers
   (tangent.cpp), so that they are exact derivatives of those forces. States are copied for each
   trial: only `accept` lets them move on. */
#include "dynamics/statics/statics_parts.h"
#include "dynamics/model/solids.h"
#include "dynamics/elements/tangent.h"
#include "core/threads.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Place of a value of a slot's state, in blocks. */
static int64_t state_at(const dyn_group_f64 *g, int64_t slot, int value) {
  return (slot / IG_DYN_BLOCK * g->states + value) * IG_DYN_BLOCK + slot % IG_DYN_BLOCK;
}

/* The kernels take velocities and a step: rates are increments over IG_STATIC_SECONDS. */
void ig_static_place(ig_dyn_statics *s, const double *u) {
  const int D = s->m->p.dofs;
  for (int64_t n = 0; n < s->m->p.nodes; n++) {
    for (int c = 0; c < 3; c++)
      s->trial[3 * n + c] = s->x[3 * n + c] + u[D * n + c];
    for (int c = 0; c < D; c++)
      s->rate[D * n + c] = u[D * n + c] / IG_STATIC_SECONDS;
  }
}

/* The packed kernels on slots begin … end - 1 of a group; `state` is theirs and moves on. Forces
   go to `to`, slots x npe x dofs of the model. A view of particles is made up for them: trial
   positions, rates as velocities, slots as destination; faults go to a word of their own, as a
   trial may fail without harm. */
static void kernels_run(const ig_static_group *p, int32_t begin, int32_t end, double *state,
                        double *to, int32_t *places, ig_trouble *trouble) {
  const ig_dyn_statics *s = p->s;
  const int npe = p->g.npe;
  ig_fault fault = {~0ull};
  ig_ctx own = *s->m->cx; /* faults of trials are not those of the run */
  /* the law's step: so long that rates vanish */
  ig_dyn_clock clock = {.dt = IG_STATIC_SECONDS};
  ig_dyn_particles view = {.nodes = s->m->p.nodes, .dofs = s->m->p.dofs, .pitch = s->m->p.dofs};
  dyn_group_f64 g = p->g;
  own.fault = &fault;
  own.threads = 1;
  view.x = s->trial;
  view.v = s->rate;
  view.clock = &clock;
  view.slots.gather = 1;
  view.slots.value = to;
  g.state = state;
  g.first = 0;
  for (int32_t i = 0; i < (end - begin) * npe; i++)
    places[i] = i;
  const ig_dyn_range range = {
      .kind = p->from->kind,
      .law = p->from->law,
      .g_f64 = &g,
      .view = {.how = IG_GATHER,
               .npe = npe,
               .nodes = view.nodes,
               .elements = end - begin,
               .conn = (const int32_t *)p->from->conn.host + (int64_t)begin * npe,
               .slot = places},
      .begin = 0,
      .end = end - begin,
      .whole = end - begin};
  if (ig_dyn_cpu[IG_DOUBLE].elements(&own, &view, &range) != IG_OK)
    fault.word = IG_FAULT_BREAKDOWN;
  if (fault.word != ~0ull) {
    static const char *const text[] = {
#define X(name, words) words,
        IG_FAULT_LIST(X)
#undef X
    };
    *trouble = (ig_trouble){begin + (int32_t)(fault.word >> 8), text[fault.word & 255]};
  }
}

/* Forces of slots begin … end - 1, block by block, with a scratch copy of the states. Called by
   several threads, so it has memory of its own. */
static ig_status forces(const ig_static_group *p, int32_t begin, int32_t end, double *f,
                        ig_trouble *trouble) {
  const int npe = p->g.npe, dofs = p->g.dofs, D = p->s->m->p.dofs;
  const size_t states = (size_t)p->g.states * IG_DYN_BLOCK;
  /* states of a block, then forces: memory of a piece */
  void *room;
  if (posix_memalign(&room, 64,
                     (states + (size_t)IG_DYN_BLOCK * npe * D) * sizeof(double) +
                         (size_t)IG_DYN_BLOCK * npe * sizeof(int32_t)) != 0)
    return IG_MEMORY;
  double *state = room, *to = state + states;
  int32_t *places = (int32_t *)(to + (size_t)IG_DYN_BLOCK * npe * D);
  for (int32_t b = begin; b < end; b += IG_DYN_BLOCK) {
    const int32_t stop = b + IG_DYN_BLOCK < end ? b + IG_DYN_BLOCK : end;
    ig_trouble mine = {-1, NULL};
    memcpy(state, p->state + state_at(&p->g, b, 0), states * sizeof *state);
    kernels_run(p, b, stop, state, to, places, &mine);
    /* pads may fail: they repeat an element, which reports itself */
    if (mine.element >= 0 && trouble->element < 0 && p->from->element[mine.element] >= 0)
      *trouble = mine;
    for (int32_t e = b; e < stop; e++)
      for (int i = 0; i < npe * dofs; i++)
        f[(int64_t)(e - begin) * npe * dofs + i] =
            to[((int64_t)(e - b) * npe + i / dofs) * D + i % dofs];
  }
  free(room);
  return IG_OK;
}

/* Called by the engine for slots begin … end - 1: forces, and with k != NULL tangents (n x n
   each, by rows). *trouble names the first element that failed; the engine then shortens the
   step. */
static ig_status evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                          double *k, ig_trouble *trouble) {
  const ig_static_group *p = self;
  const ig_dyn_statics *s = p->s;
  const int npe = p->g.npe, dofs = p->g.dofs, n = npe * dofs, D = s->m->p.dofs;
  if (!k)
    return forces(p, begin, end, f, trouble);
  double room[IG_TANGENT_ROOM] __attribute__((aligned(64)));
  for (int32_t e = begin; e < end; e++, f += n, k += n * n) {
    double x[IG_DYN_POSITIONS], u[IG_DYN_MOTIONS], left = 0;
    const int32_t *node = (const int32_t *)p->from->conn.host + (int64_t)e * npe;
    memset(f, 0, (size_t)n * sizeof *f);
    memset(k, 0, (size_t)n * (size_t)n * sizeof *k);
    if (p->from->element[e] < 0)
      continue;
    for (int i = 0; i < 3 * npe; i++)
      x[i] = s->trial[3 * (int64_t)node[i / 3] + i % 3];
    for (int i = 0; i < n; i++)
      u[i] = at->u[D * (int64_t)node[i / dofs] + i % dofs];
    const double bad =
        ig_dyn_tangent(p->from->kind, p->from->law, &p->g, p->state + state_at(&p->g, e, 0),
                       IG_DYN_BLOCK, IG_STATIC_SECONDS, x, u, f, k, &left, room);
    /* 1e-3: relative residual of a return mapping; as in explicit steps (step_cpu.inc) */
    if ((!(bad > 0) || left > 1e-3) && trouble->element < 0)
      *trouble = (ig_trouble){e, !(bad > 0) ? "is inverted or flat"
                                            : "did not converge in its plastic return"};
  }
  return IG_OK;
}

/* The step is accepted: kernels run once more at the trial positions, with the states
   themselves. */
static ig_status accept(void *self, const ig_trial *at) {
  ig_static_group *p = self;
  const int32_t slots = p->from->slots, blocks = (slots + IG_DYN_BLOCK - 1) / IG_DYN_BLOCK;
  const int team = ig_team(p->s->m->cx, slots, IG_WORK_ROW);
  bool fine = true;
  (void)at;
#pragma omp parallel for schedule(static) num_threads(team) reduction(&& : fine)
  for (int32_t b = 0; b < blocks; b++) {
    double to[IG_DYN_BLOCK * IG_DYN_CORNERS * 6];
    int32_t places[IG_DYN_BLOCK * IG_DYN_CORNERS];
    ig_trouble mine = {-1, NULL};
    const int32_t begin = b * IG_DYN_BLOCK;
    const int32_t end = begin + IG_DYN_BLOCK < slots ? begin + IG_DYN_BLOCK : slots;
    kernels_run(p, begin, end, p->state + state_at(&p->g, begin, 0), to, places, &mine);
    fine = fine && (mine.element < 0 || p->from->element[mine.element] < 0);
  }
  return fine ? IG_OK : IG_FAIL(p->s->m->cx, IG_NUMERIC, "static: an element failed on acceptance");
}

/* Turns about a shell's normal: with w the rotation of its corners about it (least squares) each
   corner's turn less w meets a spring. Its moment counts from the last accepted state on: it
   keeps the matrix regular and vanishes with the steps. Without it a flat shell would have a
   zero pivot per particle. */
static ig_status drill(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                       double *k, ig_trouble *trouble) {
  const ig_static_group *p = self;
  const ig_dyn_statics *s = p->s;
  const int npe = p->g.npe, n = 6 * npe;
  /* about a hundredth of the bending stiffness E t^3 / 12 (1 - nu^2): weak beside it, strong
     enough for the factorisation */
  const double stiff = 1e-3 * p->g.mat.young * pow(p->g.thickness, 3);
  (void)trouble;
  for (int32_t e = begin; e < end; e++, f += n, k = k ? k + n * n : NULL) {
    const int32_t *node = (const int32_t *)p->from->conn.host + (int64_t)e * npe;
    double middle[3] = {0}, normal[3], a[3], b[3], row[4][24] = {{0}}, size = 0;
    memset(f, 0, (size_t)n * sizeof *f);
    if (k)
      memset(k, 0, (size_t)n * (size_t)n * sizeof *k);
    if (p->from->element[e] < 0)
      continue;
    /* geometry of the last accepted state: constant during a step, so that its tangent is exact */
    for (int i = 0; i < 3 * npe; i++)
      middle[i % 3] += s->x[3 * (int64_t)node[i / 3] + i % 3] / npe;
    for (int c = 0; c < 3; c++) {
      a[c] = s->x[3 * (int64_t)node[npe == 4 ? 2 : 1] + c] - s->x[3 * (int64_t)node[0] + c];
      b[c] = s->x[3 * (int64_t)node[npe - 1] + c] - s->x[3 * (int64_t)node[npe == 4] + c];
    }
    cross_f64(a, b, normal);
    (void)normalise_f64(normal);
    for (int i = 0; i < npe; i++) {
      double r[3], way[3];
      minus_f64(s->x + 3 * (int64_t)node[i], middle, r);
      cross_f64(normal, r, way);
      size += dot_f64(way, way);
      for (int j = 0; j < npe; j++)
        for (int c = 0; c < 3; c++)
          row[j][6 * i + c] = -way[c];
      for (int c = 0; c < 3; c++)
        row[i][6 * i + 3 + c] = normal[c];
    }
    for (int j = 0; j < npe; j++) {
      double turn = 0;
      for (int i = 0; i < n; i++) {
        row[j][i] /= i % 6 < 3 ? size : 1;
        turn += row[j][i] * at->u[6 * (int64_t)node[i / 6] + i % 6];
      }
      for (int i = 0; i < n; i++)
        f[i] += stiff * turn * row[j][i];
      for (int i = 0; k && i < n * n; i++)
        k[i] += stiff * row[j][i / n] * row[j][i % n];
    }
  }
  return IG_OK;
}

/* Group k on the host: states in double precision, unknowns of each slot (pads: -1). */
static ig_status group_new(ig_dyn_statics *s, int k) {
  ig_dyn_model *m = s->m;
  ig_static_group *p = &s->part[k];
  const ig_dyn_group *from = &m->group[k];
  const int states = from->g_f64.states, npe = from->g_f64.npe, dofs = from->g_f64.dofs;
  const int64_t count = (int64_t)from->slots * states;
  void *state;
  p->s = s;
  p->from = from;
  p->g = from->g_f64;
  if (states > IG_TANGENT_STATES)
    return IG_FAIL(m->cx, IG_UNSUPPORTED, "static: an element has %d values of state, at most %d",
                   states, IG_TANGENT_STATES);
  IG_TRY(ig_array_pull(m->cx, &m->group[k].state));
  if (posix_memalign(&state, 64, (size_t)(count + IG_DYN_BLOCK) * sizeof(double)) != 0)
    return IG_FAIL(m->cx, IG_MEMORY, "out of memory for states");
  p->state = p->g.state = state;
  for (int64_t i = 0; i < count; i++)
    p->state[i] = from->state.size == sizeof(double) ? ((const double *)from->state.host)[i]
                                                     : (double)((const float *)from->state.host)[i];
  IG_TRY(IG_NEW(m->cx, &p->unknown, (size_t)from->slots * npe * dofs + 1, "unknowns"));
  for (int64_t i = 0; i < (int64_t)from->slots * npe * dofs; i++) {
    const int64_t slot = i / (npe * dofs);
    const int at = (int)(i % (npe * dofs));
    p->unknown[i] =
        from->element[slot] < 0
            ? -1
            : ((const int32_t *)from->conn.host)[slot * npe + at / dofs] * m->p.dofs + at % dofs;
  }
  s->group[s->groups++] = (ig_implicit_group){.name = ig_dyn_element_of[from->kind].name,
                                              .self = p,
                                              .count = from->slots,
                                              .unknowns = npe * dofs,
                                              .unknown = p->unknown,
                                              .evaluate = evaluate,
                                              .accept = accept};
  return IG_OK;
}

/* Groups of elements first, solids next, then turns of shells; s->elements counts the first two. */
ig_status ig_static_elements_new(ig_dyn_statics *s) {
  ig_dyn_model *m = s->m;
  IG_TRY(IG_NEW(m->cx, &s->part, (size_t)m->groups + 1, "statics"));
  const int solids = m->solids ? m->solids->count : 0;
  IG_TRY(IG_NEW(m->cx, &s->group, 2 * (size_t)m->groups + (size_t)solids + 4, "statics"));
  for (int k = 0; k < m->groups; k++)
    IG_TRY(group_new(s, k));
  for (int k = 0; k < solids; k++) {
    ig_solid_group *g = &m->solids->item[k].g;
    g->trial = s->trial;
    ig_solid_group_number(g, m->p.dofs);
    s->group[s->groups++] = ig_solid_group_of(g);
  }
  s->elements = s->groups;
  for (int k = 0; k < m->groups; k++)
    if (ig_dyn_element_of[m->group[k].kind].family == IG_FAMILY_SHELL) {
      s->group[s->groups] = s->group[k];
      s->group[s->groups].name = "turns of shells";
      s->group[s->groups].evaluate = drill;
      s->group[s->groups++].accept = NULL;
    }
  return IG_OK;
}

/* Solids look at the accepted positions again, as trial positions are freed with the problem. */
void ig_static_elements_free(ig_dyn_statics *s) {
  for (int k = 0; s->m->solids && k < s->m->solids->count; k++)
    s->m->solids->item[k].g.trial = s->m->solids->x;
  for (int k = 0; s->part && k < s->m->groups; k++) {
    free(s->part[k].state);
    free(s->part[k].unknown);
  }
  free(s->part);
  free(s->group);
}

/* States of all groups to the model and its device, in its precision. */
ig_status ig_static_states_back(ig_dyn_statics *s) {
  ig_dyn_model *m = s->m;
  for (int k = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
    const int64_t count = (int64_t)g->slots * g->g_f64.states;
    for (int64_t i = 0; i < count; i++)
      if (g->state.size == sizeof(double))
        ((double *)g->state.host)[i] = s->part[k].state[i];
      else
        ((float *)g->state.host)[i] = (float)s->part[k].state[i];
    IG_TRY(ig_array_push(m->cx, &g->state));
  }
  return IG_OK;
}
