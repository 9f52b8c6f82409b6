/* Groups of solid elements and of pressures for the implicit engine.

   The engine calls `evaluate` for ranges of elements, on several threads at once: it reads the
   group and writes only f and k of its range. `accept` follows once per converged step and is
   the only function that changes history. */
#include "solid/group.h"
#include "core/threads.h"
#include "kern/fault.h"
#include <ingot/law.h>

#include <stdlib.h>
#include <string.h>

/* Sizes of local arrays: numbers a point of a program's law, 9 amplitudes of modes; a face has at
   most 8 nodes with 3 unknowns. */
enum { MOST_STATES = IG_LAW_MOST_STATES * IG_SOLID_POINTS + 9, FACE = 24 };

ig_status ig_solid_group_new(ig_ctx *cx, ig_solid_kind kind, const ig_solid_law *law, int32_t count,
                             const int32_t *node, int dofs, ig_solid_group *g) {
  const int64_t npe = ig_solid_info_get(kind)->nodes, all = count * npe;
  *g = (ig_solid_group){.cx = cx, .kind = kind, .law = *law, .count = count};
  IG_TRY(IG_NEW(cx, &g->node, all + 1, "solid elements"));
  IG_TRY(IG_NEW(cx, &g->unknown, 3 * all + 1, "solid elements"));
  IG_TRY(IG_NEW(cx, &g->state, ig_solid_group_saved(g) + 1, "histories of solid elements"));
  memcpy(g->node, node, (size_t)all * sizeof *node);
  ig_solid_group_number(g, dofs);
  return IG_OK;
}

void ig_solid_group_number(ig_solid_group *g, int dofs) {
  const int64_t all = (int64_t)g->count * ig_solid_info_get(g->kind)->nodes;
  for (int64_t i = 0; i < 3 * all; i++)
    g->unknown[i] = g->node[i / 3] * dofs + (int32_t)(i % 3);
}

int64_t ig_solid_group_saved(const ig_solid_group *g) {
  return (int64_t)g->count *
         (ig_solid_states(g->kind, g->law.law) + 1 + 3 * ig_solid_info_get(g->kind)->nodes);
}

/* Layout of g->state: [histories: count x states] [work: count] [last forces: count x 3 nodes].
   One array, so that checkpoints save it in one piece. */
static double *work_of(const ig_solid_group *g) {
  return g->state + (int64_t)g->count * ig_solid_states(g->kind, g->law.law);
}
const double *ig_solid_group_work(const ig_solid_group *g) {
  return work_of(g);
}

void ig_solid_group_free(ig_solid_group *g) {
  free(g->node);
  free(g->unknown);
  free(g->state);
  memset(g, 0, sizeof *g);
}

void ig_solid_group_gather(const ig_solid_group *g, int32_t e, double *X, double *u, double *warm) {
  const int npe = ig_solid_info_get(g->kind)->nodes;
  for (int a = 0; a < npe; a++) {
    const int64_t n = g->node[(int64_t)e * npe + a];
    for (int d = 0; d < 3; d++) {
      X[3 * a + d] = g->start[3 * n + d];
      u[3 * a + d] = g->trial[3 * n + d] - g->start[3 * n + d];
    }
    if (warm)
      warm[a] = g->warm ? g->warm[n] : 0;
  }
}

/* Element e at the trial positions; k NULL: only the force. */
static int one(const ig_solid_group *g, int32_t e, double *now, double *f, double *k) {
  double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], warm[IG_SOLID_NODES];
  ig_solid_group_gather(g, e, X, u, warm);
  const int fault =
      ig_solid_evaluate(g->kind, &g->law, X, u, g->warm ? warm : NULL,
                        g->state + (int64_t)e * ig_solid_states(g->kind, g->law.law), now, f, k);
  if (g->modal && k && fault == IG_FAULT_NONE) {
    for (int i = 0; i < 3 * ig_solid_info_get(g->kind)->nodes; i++)
      X[i] += g->law.large ? u[i] : 0;
    ig_solid_hourglass(g->kind, &g->law, X, k);
  }
  return fault;
}

/* A faulty element gives zero force and stiffness and is named in `trouble`: the engine cuts the
   step. The first one of a range is kept, so that messages do not depend on what comes after. */
static ig_status evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                          double *k, ig_trouble *trouble) {
  const ig_solid_group *g = self;
  const int n = 3 * ig_solid_info_get(g->kind)->nodes;
  double now[MOST_STATES];
  (void)at;
  for (int32_t e = begin; e < end; e++, f += n, k = k ? k + n * n : NULL) {
    const int fault = one(g, e, now, f, k);
    if (fault == IG_FAULT_NONE)
      continue;
    if (trouble->element < 0)
      *trouble =
          (ig_trouble){e, fault == IG_FAULT_JACOBIAN ? "is inverted or flat"
                                                     : "did not converge in its law or its modes"};
    memset(f, 0, (size_t)n * sizeof *f);
    if (k)
      memset(k, 0, (size_t)n * (size_t)n * sizeof *k);
  }
  return IG_OK;
}

/* Evaluates every element once more for its history: trial evaluations do not store it, since
   most of them are rejected. The work of internal forces grows by the trapezoidal rule, (f_old +
   f_new) / 2 . du. */
static ig_status accept(void *self, const ig_trial *at) {
  ig_solid_group *g = self;
  const int states = ig_solid_states(g->kind, g->law.law),
            n = 3 * ig_solid_info_get(g->kind)->nodes;
  double *work = work_of(g), *last = work + g->count;
  bool fine = true;
#pragma omp parallel for schedule(static) num_threads(ig_team(g->cx, g->count, IG_WORK_ROW))       \
    reduction(&& : fine)
  for (int32_t e = 0; e < g->count; e++) {
    double now[MOST_STATES], f[3 * IG_SOLID_NODES];
    if (one(g, e, now, f, NULL) != IG_FAULT_NONE) {
      fine = false;
      continue;
    }
    memcpy(g->state + (int64_t)e * states, now, (size_t)states * sizeof *now);
    double *was = last + (int64_t)e * n;
    for (int i = 0; i < n; i++)
      work[e] += 0.5 * (was[i] + f[i]) * at->u[g->unknown[(int64_t)e * n + i]];
    memcpy(was, f, (size_t)n * sizeof *f);
  }
  return fine ? IG_OK : IG_FAIL(g->cx, IG_NUMERIC, "a solid element failed on acceptance");
}

ig_implicit_group ig_solid_group_of(ig_solid_group *g) {
  return (ig_implicit_group){.name = ig_solid_info_get(g->kind)->name,
                             .self = g,
                             .count = g->count,
                             .unknowns = 3 * ig_solid_info_get(g->kind)->nodes,
                             .unknown = g->unknown,
                             .evaluate = evaluate,
                             .accept = accept};
}

int ig_solid_group_report(const ig_solid_group *g, int32_t e, double *out) {
  double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], warm[IG_SOLID_NODES];
  ig_solid_group_gather(g, e, X, u, warm);
  return ig_solid_report(g->kind, &g->law, X, u, g->warm ? warm : NULL,
                         g->state + (int64_t)e * ig_solid_states(g->kind, g->law.law), out);
}

/* --- pressures */

/* Every face has room for 24 unknowns; those of missing nodes are -1, which the engine skips. */
ig_status ig_solid_faces_new(ig_ctx *cx, int32_t count, const ig_solid_face *face, int dofs,
                             ig_solid_faces *g) {
  *g = (ig_solid_faces){.count = count};
  IG_TRY(IG_NEW(cx, &g->face, (int64_t)count + 1, "pressures"));
  IG_TRY(IG_NEW(cx, &g->unknown, FACE * (int64_t)count + 1, "pressures"));
  memcpy(g->face, face, (size_t)count * sizeof *face);
  for (int64_t i = 0; i < FACE * (int64_t)count; i++) {
    const ig_solid_face *at = &face[i / FACE];
    const int a = (int)(i % FACE) / 3;
    g->unknown[i] = a < at->nodes ? at->node[a] * dofs + (int32_t)(i % 3) : -1;
  }
  return IG_OK;
}

void ig_solid_faces_free(ig_solid_faces *g) {
  free(g->face);
  free(g->unknown);
  memset(g, 0, sizeof *g);
}

/* Internal forces: the other way round.
   A pressure that follows its face (large) has a stiffness of its own, which is not symmetric in
   general. */
static ig_status press(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                       double *k, ig_trouble *trouble) {
  const ig_solid_faces *g = self;
  (void)at;
  (void)trouble;
  for (int32_t e = begin; e < end; e++, f += FACE, k = k ? k + FACE * FACE : NULL) {
    const ig_solid_face *face = &g->face[e];
    const int n = 3 * face->nodes;
    double x[FACE], K[FACE * FACE];
    memset(f, 0, FACE * sizeof *f);
    for (int i = 0; i < n; i++)
      x[i] = (g->large ? g->trial : g->start)[3 * (int64_t)face->node[i / 3] + i % 3];
    const bool follows = k && g->large;
    memset(K, 0, sizeof K);
    ig_solid_pressure(face->nodes, x, -face->pressure, f, follows ? K : NULL, false);
    if (!k)
      continue;
    memset(k, 0, FACE * FACE * sizeof *k);
    for (int i = 0; follows && i < n * n; i++)
      k[i / n * FACE + i % n] = K[i];
  }
  return IG_OK;
}

ig_implicit_group ig_solid_faces_of(ig_solid_faces *g) {
  return (ig_implicit_group){.name = "pressures",
                             .self = g,
                             .count = g->count,
                             .unknowns = FACE,
                             .unknown = g->unknown,
                             .evaluate = press};
}
