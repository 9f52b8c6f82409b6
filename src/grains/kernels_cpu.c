/* The automaton on the CPU: segments of cells between the threads. */
#include "grains/view.h"
#include "core/threads.h"

#include "grains/cells.inc"

static int segment_end(const ig_grains_view *v, int x) {
  return x + IG_GRAINS_SEGMENT < v->n[0] ? x + IG_GRAINS_SEGMENT : v->n[0];
}

static void segment_own(const ig_grains_view *v, int64_t s) {
  int x, y, z;
  unsigned flags = 0;
  double wake = INFINITY;
  grains_segment(v, s, &x, &y, &z);
  const int64_t row = ((int64_t)z * v->n[1] + y) * v->n[0];
  for (int i = x; i < segment_end(v, x); i++) {
    double next;
    flags |= grains_own(v, row + i, z, &next);
    wake = next < wake ? next : wake;
  }
  v->flags[s] = (uint8_t)flags;
  v->wake[s] = wake;
  v->woken[s] = 0;
}

static void segment_take(const ig_grains_view *v, int64_t s) {
  int x, y, z;
  unsigned near = 0;
  bool woken = false;
  grains_segment(v, s, &x, &y, &z);
  for (int i = 0; i < 27; i++)
    near |= grains_flags_near(v, x, y, z, i);
  const bool alone = !(near & (IG_GRAINS_HAS_ACTIVE | IG_GRAINS_HAS_SOLID));
  const int64_t row = ((int64_t)z * v->n[1] + y) * v->n[0];
  for (int i = x; i < segment_end(v, x) && !alone; i++)
    woken |= grains_take(v, row + i, i, y, z, near);
  for (int32_t i = v->nuclei[s]; i < v->nuclei[s + 1]; i++)
    woken |= grains_nucleate(v, &v->nucleus[i]);
  if (woken)
    v->woken[s] = 1;
}

/* Chunks are handed out as threads ask for them: only the front has work. */
ig_status ig_grains_own_cpu(ig_ctx *cx, const ig_grains_view *v) {
  const int64_t count = grains_own_segments(v);
  const int team = ig_team(cx, count, IG_WORK_NODE);
#pragma omp parallel for schedule(dynamic, 256) num_threads(team)
  for (int64_t i = 0; i < count; i++) {
    const int64_t s = grains_own_segment(v, i);
    if (grains_own_due(v, s))
      segment_own(v, s);
  }
  return IG_OK;
}
ig_status ig_grains_take_cpu(ig_ctx *cx, const ig_grains_view *v) {
  const int64_t count = grains_own_segments(v);
  const int team = ig_team(cx, count, IG_WORK_NODE);
#pragma omp parallel for schedule(dynamic, 256) num_threads(team)
  for (int64_t i = 0; i < count; i++) {
    const int64_t s = grains_own_segment(v, i);
    if (v->flags[s] & (IG_GRAINS_HAS_LIQUID | IG_GRAINS_HAS_ACTIVE))
      segment_take(v, s);
  }
  return IG_OK;
}

ig_status ig_grains_ghosts_cpu(ig_ctx *cx, const ig_grains_view *v, int y, bool from,
                               ig_grains_ghost *list) {
  (void)cx;
  for (int64_t i = 0; i < (int64_t)v->n[0] * v->n[2]; i++)
    grains_ghost(v, y, i, from, list);
  return IG_OK;
}

void ig_grains_count_cpu(ig_ctx *cx, const ig_grains_view *v, ig_grains_count *count) {
  const int64_t own = grains_own_segments(v);
  const int team = ig_team(cx, own, IG_WORK_NODE);
  unsigned long long liquid = 0, active = 0;
  double wake = INFINITY;
#pragma omp parallel for schedule(static) num_threads(team) reduction(+ : liquid, active) reduction(min : wake)
  for (int64_t of = 0; of < own; of++) {
    const int64_t s = grains_own_segment(v, of);
    int x, y, z;
    wake = v->wake[s] < wake ? v->wake[s] : wake;
    if (!(v->flags[s] & (IG_GRAINS_HAS_LIQUID | IG_GRAINS_HAS_ACTIVE)))
      continue;
    grains_segment(v, s, &x, &y, &z);
    const uint8_t *state = &v->state[((int64_t)z * v->n[1] + y) * v->n[0]];
    for (int i = x; i < segment_end(v, x); i++) {
      liquid += state[i] == IG_GRAINS_LIQUID;
      active += state[i] == IG_GRAINS_ACTIVE;
    }
  }
  *count = (ig_grains_count){liquid, active, wake};
}
