/* Windows: boxes of fine cells that follow the beams.

   Every beam has a box of its own. It moves when the beam comes near its side, to where it holds
   the beam's way ahead and as much as fits of the way behind, where the pool's tail is. A beam that
   jumps leaves its box to linger until nothing in it is molten. Boxes that meet are one window.

   Boxes have the size that the case gives, or are fitted: they hold the beam's way of two coarse
   steps and all that is molten, with three beam radii around, and are at least 12 radii wide. */
#include "powder/powder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places of a beam's way that are looked at ahead and behind, a coarse step apart; coarse steps
   between looks at lingering boxes; coarse steps that a fitted box holds ahead; places looked at
   within a step. Looks cost a copy from the device, and so a wait: not in every step. */
enum { SAMPLES = 64, LOOK_EVERY = 4, AHEAD = 2, PLACES = 8 };

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

/* The distance from a window's sides at which a beam is too near: 3 radii, where the intensity has
   fallen to exp(-18). */
static double margin(const ig_powder_run *r) {
  return 3 * r->radius;
}

/* A box of the given size: first so much of the way ahead as half of it holds, so that it need not
   move soon again, then of the way behind. */
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
  /* windows reach up to the bed's top */
  const int top = (int)((r->bed + r->r - 1) / r->r);
  box->at[2] = top > r->size[2] ? top - r->size[2] : 0;
  memcpy(box->size, r->size, sizeof box->size);
}

/* Along an axis: whole coarse cells that hold low to high, at least `least`. */
static void span_fit(const ig_powder_run *r, int d, double low, double high, int least,
                     ig_powder_box *box) {
  const double H = r->coarse.edge;
  int at = (int)floor((low - r->low[d]) / H), end = (int)ceil((high - r->low[d]) / H);
  if (end - at < least) {
    at -= (least - (end - at) + 1) / 2;
    end = at + least;
  }
  const int n = r->coarse.n[d];
  if (at < 0)
    end = end - at < n ? end - at : n, at = 0; /* moved, not cut */
  if (end > n)
    at = at - (end - n) > 0 ? at - (end - n) : 0, end = n;
  box->at[d] = at;
  box->size[d] = end - at;
}

/* A cluster of blocks shares the planes of the longer side (fine_cuda.cu): as many for each. The
   side grows to where the beam goes. */
static void box_even(const ig_powder_run *r, const double *way, ig_powder_box *box) {
  const int d = box->size[0] >= box->size[1] ? 0 : 1;
  int unit = 16;
  while (unit > 1 && unit / 2 * r->r % 16 == 0)
    unit /= 2;
  int more = (unit - box->size[d] % unit) % unit;
  for (int side = 0; side < 2; side++) {
    const bool high = (way[d] >= 0) == (side == 0);
    const int room = high ? r->coarse.n[d] - box->at[d] - box->size[d] : box->at[d];
    const int take = more < room ? more : room;
    box->at[d] -= high ? 0 : take;
    box->size[d] += take;
    more -= take;
  }
}

/* How far what is molten reaches along an axis, of a beam's box or one that lingers; false: nothing
   is. Of counts that were pulled. */
static bool molten_span(const ig_powder_run *r, int which, int d, double *low, double *high) {
  const int *extent = r->molten + IG_MOLTEN_EXTENT + 6 * which + 2 * d;
  if (extent[1] == 0)
    return false;
  *low = r->low[d] + (double)(r->nf[d] - extent[0]) * r->cell;
  *high = r->low[d] + extent[1] * r->cell;
  return true;
}

/* A box around the beam's way and what is molten in its box so far. */
static void box_fit(ig_powder_run *r, int beam, double when, double dt, bool pool,
                    ig_powder_box *box) {
  double x[3], low[3], high[3], way[2] = {0, 0}, a, b;
  ig_powder_beam_at(r, beam, when, x);
  memcpy(low, x, sizeof low);
  memcpy(high, x, sizeof high);
  high[2] = r->low[2] + (double)r->bed * r->cell;
  low[2] = high[2] - r->layer_height;
  for (int n = 1; n <= AHEAD * PLACES; n++) { /* a beam may turn, or jump, within a step */
    const double from[2] = {x[0], x[1]};
    if (ig_powder_beam_at(r, beam, when + n * dt / PLACES, x) <= 0) {
      if (n > PLACES)
        break;
      continue;
    }
    for (int d = 0; d < 2; d++) {
      low[d] = fmin(low[d], x[d]);
      high[d] = fmax(high[d], x[d]);
      way[d] += x[d] - from[d];
    }
  }
  for (int d = 0; d < 3; d++) {
    if (pool && molten_span(r, beam, d, &a, &b))
      low[d] = fmin(low[d], a), high[d] = fmax(high[d], b);
    span_fit(r, d, low[d] - margin(r), high[d] + (d < 2 ? margin(r) : 0), r->size[d], box);
  }
  const int top = (int)((r->bed + r->r - 1) / r->r);
  box->at[2] = box->at[2] < top - r->size[2] ? box->at[2] : top - r->size[2];
  box->at[2] = box->at[2] > 0 ? box->at[2] : 0;
  box->size[2] = top - box->at[2];
  box_even(r, way, box);
}

/* The box of a beam that has gone, around what is molten in it; false: nothing is. */
static bool box_shrink(const ig_powder_run *r, int beam, ig_powder_box *box) {
  for (int d = 0; d < 2; d++) {
    double low, high;
    if (!molten_span(r, beam, d, &low, &high))
      return false;
    const int end = box->at[d] + box->size[d];
    const int from = (int)floor((low - margin(r) - r->low[d]) / r->coarse.edge),
              to = (int)ceil((high + margin(r) - r->low[d]) / r->coarse.edge);
    box->at[d] = from > box->at[d] ? from : box->at[d];
    box->size[d] = (to < end ? to : end) - box->at[d];
  }
  return true;
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

/* A box that is given up freezes unseen: the coarse grid goes on with its mean heat. */
static void linger_add(ig_powder_run *r, int beam) {
  if (r->lingers == IG_POWDER_BOXES) { /* the oldest goes */
    memmove(r->linger, r->linger + 1, (IG_POWDER_BOXES - 1) * sizeof *r->linger);
    r->lingers--;
  }
  r->linger[r->lingers++] = r->laser[beam].box;
}

/* A beam leaves its box, at a jump or because it is off for long. */
static ig_status laser_leave(ig_powder_run *r, int beam) {
  ig_powder_laser *l = &r->laser[beam];
  bool molten = true;
  if (r->fits) {
    IG_TRY(ig_powder_molten_pull(r));
    molten = box_shrink(r, beam, &l->box);
  }
  if (molten)
    linger_add(r, beam);
  l->has_box = false;
  return IG_OK;
}

/* Whether a beam has left its box: of fitted boxes where the two do not overlap, else where the box
   would move by more than half its size. */
static bool box_jump(const ig_powder_box *from, const ig_powder_box *to, bool fits) {
  bool jump = false;
  for (int d = 0; d < 2; d++)
    jump |= fits
                ? to->at[d] >= from->at[d] + from->size[d] || from->at[d] >= to->at[d] + to->size[d]
                : 2 * abs(to->at[d] - from->at[d]) > to->size[d];
  return jump;
}

/* A box stays as long as the beam keeps its distance from the sides over the next coarse step. A
   beam that jumps away leaves its box to linger. */
static ig_status laser_follow(ig_powder_run *r, int beam, double until) {
  ig_powder_laser *l = &r->laser[beam];
  const double next = ig_powder_beam_next(r, beam, r->time), dt = until - r->time;
  if (next >= until) /* off; a beam that is off for long needs no box */
    return l->has_box && next - until > 20 * dt ? laser_leave(r, beam) : IG_OK;
  if (l->has_box) {
    double x[3];
    ig_powder_beam_at(r, beam, next, x);
    bool near = near_side(r, &l->box, x);
    for (int n = 1; n <= PLACES && !near; n++)
      near = ig_powder_beam_at(r, beam, next + n * (until - next) / PLACES, x) > 0 &&
             near_side(r, &l->box, x);
    if (!near)
      return IG_OK;
  }
  ig_powder_box box;
  if (r->fits)
    box_fit(r, beam, next, dt, false, &box);
  else
    box_choose(r, beam, next, dt, &box);
  if (l->has_box && box_jump(&l->box, &box, r->fits)) {
    IG_TRY(laser_leave(r, beam));
  } else if (l->has_box && r->fits) {
    IG_TRY(ig_powder_molten_pull(r));
    box_fit(r, beam, next, dt, true, &box);
  }
  l->box = box;
  l->has_box = true;
  return IG_OK;
}

/* Boxes that only touch meet, too: a coarse cell must not lie between two windows' rims at once. */
static bool meet(const ig_powder_box *a, const ig_powder_box *b) {
  for (int d = 0; d < 3; d++)
    if (a->at[d] > b->at[d] + b->size[d] || b->at[d] > a->at[d] + a->size[d])
      return false;
  return true;
}

/* The smallest box that holds both. */
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

/* Contents are not kept: windows are filled anew whenever they are placed. */
static ig_status grown(ig_powder_run *r, ig_array *a, size_t count) {
  if (a->count >= count)
    return IG_OK;
  ig_array_free(r->cx, a);
  return ig_array_new_device(r->cx, a, count, sizeof(double), "window");
}

/* Arrays of a window only grow. Of one that another rank computes there is its heat alone, which
   that rank sends before the window moves. */
static ig_status arrays_fit(ig_powder_run *r, ig_powder_windows *set, int i) {
  ig_powder_window *w = &set->window[i];
  const int *n = w->fine.n;
  const size_t cells = ig_level_count(&w->fine),
               rim = 2 * ((size_t)n[0] * (size_t)n[1] + (size_t)n[1] * (size_t)n[2] +
                          (size_t)n[2] * (size_t)n[0]);
  IG_TRY(grown(r, &set->heat[i], cells));
  w->fine.heat = set->heat[i].dev;
  if (w->away)
    return IG_OK;
  IG_TRY(grown(r, &set->T[i], cells));
  IG_TRY(grown(r, &set->resist[i], cells));
  IG_TRY(grown(r, &set->rim[i], rim));
  w->fine.T = set->T[i].dev;
  w->fine.resist = set->resist[i].dev;
  w->rim = set->rim[i].dev;
  return IG_OK;
}

ig_status ig_powder_windows_make(ig_powder_run *r, int which, const ig_powder_box *box,
                                 const unsigned *beams, int count) {
  ig_powder_windows *set = &r->set[which];
  for (int i = 0; i < count; i++)
    IG_TRY(ig_powder_states_reach(r, (int64_t)box[i].at[2] * r->r));
  for (int i = 0; i < count; i++) {
    ig_powder_window *w = &set->window[i];
    *w = (ig_powder_window){.box = box[i]};
    w->fine = (ig_powder_level){.edge = r->cell, .fill = r->array.ones.dev};
    for (int d = 0; d < 3; d++)
      w->fine.n[d] = box[i].size[d] * r->r;
    const int64_t filled = r->bed - (int64_t)box[i].at[2] * r->r; /* nothing is above the bed */
    w->fine.n[2] = filled < w->fine.n[2] ? (int)filled : w->fine.n[2];
    for (int b = 0; b < r->beams; b++)
      if (beams ? beams[i] >> b & 1 : r->laser[b].has_box && meet(&r->laser[b].box, &box[i]))
        w->beam[w->beams++] = b;
    w->away = ig_powder_away(r, w);
    IG_TRY(arrays_fit(r, set, i));
  }
  set->count = count;
  r->now = which;
  r->view.list = set->list.dev;
  r->view.windows = set->list.dev;
  r->view.window_count = r->view.own_count = count;
  r->view.own = set->list.dev;
  for (int i = 0; i < count; i++)
    r->view.own_count -= set->window[i].away;
  if (ig_powder_ranks(r))
    r->view.own = set->own.dev;
  return IG_OK;
}

/* By kernels, in the order of the stream: a copy from the host would have to wait for launches that
   still read the old list. */
ig_status ig_powder_windows_put(ig_powder_run *r) {
  const ig_powder_windows *set = &r->set[r->now];
  for (int i = 0; i < set->count; i++) {
    r->view.w = set->window[i];
    r->view.a.slot = i;
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_put));
  }
  if (!ig_powder_ranks(r))
    return IG_OK;
  r->view.list = set->own.dev;
  r->view.a.slot = 0;
  for (int i = 0; i < set->count; i++)
    if (!set->window[i].away) {
      r->view.w = set->window[i];
      IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_put));
      r->view.a.slot++;
    }
  r->view.list = set->list.dev;
  return IG_OK;
}

/* Windows on other boxes, without their heat. New ones are made beside the old ones, which are
   still needed; the two sets take turns. */
static ig_status windows_move(ig_powder_run *r, const ig_powder_box *box, int count) {
  IG_TRY(ig_powder_windows_fill(r)); /* an earlier move that no step has followed */
  r->view.were = r->set[r->now].list.dev;
  r->view.were_count = r->set[r->now].count;
  IG_TRY(ig_powder_windows_make(r, 1 - r->now, box, NULL, count));
  r->moved = true;
  r->moves++;
  return IG_OK;
}

/* Heat of cells that were fine before is copied, of others made from the coarse cells
   (powder_remap). */
ig_status ig_powder_windows_fill(ig_powder_run *r) {
  const ig_powder_windows *set = &r->set[r->now], *were = &r->set[1 - r->now];
  if (!r->moved)
    return IG_OK;
  r->moved = false;
  IG_TRY(ig_powder_windows_put(r));
  for (int i = 0; i < were->count; i++) {
    r->view.w = were->window[i];
    if (!r->view.w.away)
      IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_leave));
  }
  IG_TRY(ig_powder_windows_share(
      r, were, IG_PULL_STATE | IG_PULL_LEDGER | IG_PULL_MAP | (set->count ? IG_PULL_WINDOWS : 0)));
  for (int i = 0; i < set->count; i++) {
    r->view.w = set->window[i];
    if (r->view.w.away)
      continue;
    IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_remap));
    if (r->view.map.n[0] || r->view.events.n[0])
      IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_enter));
  }
  return IG_OK;
}

ig_status ig_powder_windows_place(ig_powder_run *r, const ig_powder_box *box, int count) {
  IG_TRY(windows_move(r, box, count));
  return ig_powder_windows_fill(r);
}

/* Boxes without a beam go when nothing in them is molten any more. */
static ig_status lingers_look(ig_powder_run *r) {
  if (r->lingers == 0 || r->step % LOOK_EVERY)
    return IG_OK;
  int kept = 0;
  IG_TRY(ig_powder_molten_pull(r));
  for (int i = 0; i < r->lingers; i++)
    if (i >= r->view.lingers ||
        r->molten[IG_MOLTEN_LINGER + i] > 0) /* new ones have not been counted yet */
      r->linger[kept++] = r->linger[i];
  r->lingers = kept;
  return IG_OK;
}

/* Whether a window is on a box and lights it with the beams that are in it: a beam may come into a
   box that does not change by it. */
static bool window_same(const ig_powder_run *r, const ig_powder_window *w,
                        const ig_powder_box *box) {
  int beams = 0;
  if (memcmp(&w->box, box, sizeof *box) != 0)
    return false;
  for (int b = 0; b < r->beams; b++)
    if (r->laser[b].has_box && meet(&r->laser[b].box, box)) {
      if (beams >= w->beams || w->beam[beams] != b)
        return false;
      beams++;
    }
  return beams == w->beams;
}

/* Called before every coarse step. Windows are placed anew only where the joined boxes, or the
   beams in them, differ from the present ones. */
ig_status ig_powder_windows_follow(ig_powder_run *r, double until) {
  ig_powder_box box[IG_POWDER_BEAMS + IG_POWDER_BOXES];
  IG_TRY(lingers_look(r));
  for (int b = 0; b < r->beams; b++)
    IG_TRY(laser_follow(r, b, until));
  int count = boxes_join(r, box);
  while (count > IG_POWDER_WINDOWS) {
    r->lingers--; /* too many: the youngest that lingers is given up */
    count = boxes_join(r, box);
  }
  memcpy(r->view.linger, r->linger, sizeof r->linger);
  r->view.lingers = r->lingers;
  const ig_powder_windows *set = &r->set[r->now];
  bool same = set->count == count;
  for (int i = 0; i < count && same; i++)
    same = window_same(r, &set->window[i], &box[i]);
  return same ? IG_OK : windows_move(r, box, count);
}

/* Between layers and in long pauses: everything is coarse then. */
ig_status ig_powder_windows_close(ig_powder_run *r) {
  for (int b = 0; b < r->beams; b++)
    r->laser[b].has_box = false;
  r->lingers = r->view.lingers = 0;
  return r->set[r->now].count ? ig_powder_windows_place(r, NULL, 0) : IG_OK;
}
