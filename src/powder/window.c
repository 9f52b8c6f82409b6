/* Windows: boxes of fine cells that follow the beams.

   Every beam has a box of its own. It moves when the beam comes near its side, to where it holds
   the beam's way ahead and as much as fits of the way behind, where the pool's tail is. A beam that
   jumps leaves its box to linger until nothing in it is molten. Boxes that meet are one window. */
#include "powder/powder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64, LOOK_EVERY = 4 };

/* --- where a beam wants its box */

/* Takes a place into a rectangle, unless that becomes wider than `most`. */
static bool rect_take(double low[2], double high[2], const double *x, const double most[2]) {
  double a[2], b[2];
  for (int d = 0; d < 2; d++) {
    a[d] = fmin(low[d], x[d]);
    b[d] = fmax(high[d], x[d]);
    if (b[d] - a[d] > most[d])
      return false;
  }
  memcpy(low, a, sizeof a);
  memcpy(high, b, sizeof b);
  return true;
}

/* The distance from a window's sides at which a beam is too near. */
static double margin(const ig_powder_run *r) {
  return 3 * r->c->beam.radius;
}

static void box_choose(ig_powder_run *r, int beam, double when, double dt, ig_powder_box *box) {
  const double H = r->coarse.edge;
  double x[3], low[2], high[2], ahead[2], most[2];
  ig_powder_beam_at(r, beam, when, x);
  for (int d = 0; d < 2; d++) {
    low[d] = high[d] = x[d];
    most[d] = fmax(0, r->size[d] * H - 2 * margin(r) - H); /* the box lies on whole cells */
    ahead[d] = 0.5 * most[d];
  }
  for (int n = 1; n <= SAMPLES; n++) /* so that it need not move soon again */
    if (ig_powder_beam_at(r, beam, when + n * dt, x) <= 0 || !rect_take(low, high, x, ahead))
      break;
  for (int n = 1; n <= SAMPLES && when - n * dt >= 0; n++)
    if (ig_powder_beam_at(r, beam, when - n * dt, x) > 0 && !rect_take(low, high, x, most))
      break;
  for (int d = 0; d < 2; d++) {
    const double middle = 0.5 * (low[d] + high[d]);
    const int at = (int)floor((middle - r->low[d]) / H - 0.5 * r->size[d] + 0.5);
    const int end = r->coarse.n[d] - r->size[d];
    box->at[d] = at < 0 ? 0 : at > end ? end : at;
  }
  const int top = (int)((r->bed + r->r - 1) / r->r);
  box->at[2] = top > r->size[2] ? top - r->size[2] : 0;
  memcpy(box->size, r->size, sizeof box->size);
}

/* Whether a place is too near to the sides of a box, those of the bed excepted. */
static bool near_side(const ig_powder_run *r, const ig_powder_box *box, const double *x) {
  const double H = r->coarse.edge;
  for (int d = 0; d < 2; d++) {
    const double low = r->low[d] + box->at[d] * H, high = low + box->size[d] * H;
    if ((box->at[d] > 0 && x[d] < low + margin(r)) ||
        (box->at[d] + box->size[d] < r->coarse.n[d] && x[d] > high - margin(r)))
      return true;
  }
  return false;
}

/* --- boxes */

static void linger_add(ig_powder_run *r, const ig_powder_box *box) {
  if (r->lingers == IG_POWDER_BOXES) { /* the oldest goes */
    memmove(r->linger, r->linger + 1, (IG_POWDER_BOXES - 1) * sizeof *box);
    r->lingers--;
  }
  r->linger[r->lingers++] = *box;
}

static void laser_follow(ig_powder_run *r, int beam, double until) {
  ig_powder_laser *l = &r->laser[beam];
  const double next = ig_powder_beam_next(r, beam, r->time), dt = until - r->time;
  if (next >= until) { /* off; a beam that is off for long needs no box */
    if (l->has_box && next - until > 20 * dt) {
      linger_add(r, &l->box);
      l->has_box = false;
    }
    return;
  }
  if (l->has_box) {
    double x[3];
    ig_powder_beam_at(r, beam, next, x);
    bool near = near_side(r, &l->box, x);
    if (ig_powder_beam_at(r, beam, until, x) > 0)
      near |= near_side(r, &l->box, x);
    if (!near)
      return;
  }
  ig_powder_box box;
  box_choose(r, beam, next, dt, &box);
  bool jump = false;
  for (int d = 0; d < 2; d++)
    jump |= 2 * abs(box.at[d] - l->box.at[d]) > box.size[d];
  if (l->has_box && jump)
    linger_add(r, &l->box);
  l->box = box;
  l->has_box = true;
}

static bool meet(const ig_powder_box *a, const ig_powder_box *b) {
  for (int d = 0; d < 3; d++)
    if (a->at[d] > b->at[d] + b->size[d] || b->at[d] > a->at[d] + a->size[d])
      return false;
  return true;
}

static void join(ig_powder_box *a, const ig_powder_box *b) {
  for (int d = 0; d < 3; d++) {
    const int ea = a->at[d] + a->size[d], eb = b->at[d] + b->size[d];
    a->at[d] = a->at[d] < b->at[d] ? a->at[d] : b->at[d];
    a->size[d] = (ea > eb ? ea : eb) - a->at[d];
  }
}

/* Boxes of beams and those that linger, joined where they meet. */
static int boxes_join(const ig_powder_run *r, ig_powder_box *box) {
  int count = 0;
  for (int b = 0; b < r->beams; b++)
    if (r->laser[b].has_box)
      box[count++] = r->laser[b].box;
  for (int i = 0; i < r->lingers; i++)
    box[count++] = r->linger[i];
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      if (meet(&box[i], &box[j])) {
        join(&box[i], &box[j]);
        box[j] = box[--count];
        i = -1; /* the larger one may meet others */
        break;
      }
  return count;
}

/* --- windows on boxes */

static ig_status grown(ig_powder_run *r, ig_array *a, size_t count) {
  if (a->count >= count)
    return IG_OK;
  ig_array_free(r->cx, a);
  return ig_array_new_device(r->cx, a, count, sizeof(double), "window");
}

ig_status ig_powder_windows_make(ig_powder_run *r, int which, const ig_powder_box *box, int count) {
  ig_powder_windows *set = &r->set[which];
  for (int i = 0; i < count; i++) {
    ig_powder_window *w = &set->window[i];
    *w = (ig_powder_window){.box = box[i]};
    w->fine = (ig_level){.edge = r->cell, .fill = r->array.ones.dev};
    for (int d = 0; d < 3; d++)
      w->fine.n[d] = box[i].size[d] * r->r;
    const int *n = w->fine.n;
    const size_t rim = 2 * ((size_t)n[0] * (size_t)n[1] + (size_t)n[1] * (size_t)n[2] +
                            (size_t)n[2] * (size_t)n[0]);
    IG_TRY(grown(r, &set->heat[i], ig_level_count(&w->fine)));
    IG_TRY(grown(r, &set->T[i], ig_level_count(&w->fine)));
    IG_TRY(grown(r, &set->resist[i], ig_level_count(&w->fine)));
    IG_TRY(grown(r, &set->rim[i], rim));
    w->fine.heat = set->heat[i].dev;
    w->fine.T = set->T[i].dev;
    w->fine.resist = set->resist[i].dev;
    w->rim = set->rim[i].dev;
    for (int b = 0; b < r->beams; b++)
      if (r->laser[b].has_box && meet(&r->laser[b].box, &box[i]))
        w->beam[w->beams++] = b;
  }
  set->count = count;
  r->view.list = set->list.dev;
  for (int i = 0; i < count; i++) {
    r->view.w = set->window[i];
    r->view.a.slot = i;
    IG_TRY(ig_powder_do_all(r, IG_DO_put));
  }
  r->now = which;
  r->view.windows = set->list.dev;
  r->view.window_count = count;
  return IG_OK;
}

ig_status ig_powder_windows_place(ig_powder_run *r, const ig_powder_box *box, int count) {
  const ig_powder_windows *were = &r->set[r->now];
  r->view.were = were->list.dev;
  r->view.were_count = were->count;
  IG_TRY(ig_powder_windows_make(r, 1 - r->now, box, count));
  for (int i = 0; i < were->count; i++) {
    r->view.w = were->window[i];
    IG_TRY(ig_powder_do_all(r, IG_DO_leave));
  }
  for (int i = 0; i < count; i++) {
    r->view.w = r->set[r->now].window[i];
    IG_TRY(ig_powder_do_all(r, IG_DO_remap));
  }
  r->moves++;
  return IG_OK;
}

/* Boxes without a beam go when nothing in them is molten any more. */
static ig_status lingers_look(ig_powder_run *r) {
  if (r->lingers == 0 || r->step % LOOK_EVERY)
    return IG_OK;
  const int *molten = r->array.molten.host;
  int kept = 0;
  IG_TRY(ig_powder_pull(r, IG_PULL_POOL));
  for (int i = 0; i < r->lingers; i++)
    if (i >= r->view.lingers || molten[1 + i] > 0) /* new ones have not been counted yet */
      r->linger[kept++] = r->linger[i];
  r->lingers = kept;
  return IG_OK;
}

ig_status ig_powder_windows_follow(ig_powder_run *r, double until) {
  ig_powder_box box[IG_POWDER_BEAMS + IG_POWDER_BOXES];
  IG_TRY(lingers_look(r));
  for (int b = 0; b < r->beams; b++)
    laser_follow(r, b, until);
  int count = boxes_join(r, box);
  while (count > IG_POWDER_WINDOWS) {
    r->lingers--; /* too many: the youngest that lingers is given up */
    count = boxes_join(r, box);
  }
  if (r->lingers != r->view.lingers ||
      memcmp(r->array.linger.host, r->linger, (size_t)r->lingers * sizeof *r->linger) != 0) {
    memcpy(r->array.linger.host, r->linger, (size_t)r->lingers * sizeof *r->linger);
    r->view.lingers = r->lingers;
    IG_TRY(ig_array_push(r->cx, &r->array.linger));
  }
  const ig_powder_windows *set = &r->set[r->now];
  bool same = set->count == count;
  for (int i = 0; i < count && same; i++)
    same = memcmp(&set->window[i].box, &box[i], sizeof *box) == 0;
  return same ? IG_OK : ig_powder_windows_place(r, box, count);
}

ig_status ig_powder_windows_close(ig_powder_run *r) {
  for (int b = 0; b < r->beams; b++)
    r->laser[b].has_box = false;
  r->lingers = r->view.lingers = 0;
  return r->set[r->now].count ? ig_powder_windows_place(r, NULL, 0) : IG_OK;
}
