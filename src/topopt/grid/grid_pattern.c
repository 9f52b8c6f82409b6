/* Elements of a grid that share a density: extruded, repeated, mirrored. The grid is folded into
   one cell, axis by axis; each place of the cell has the mean of the elements that lie on it.

   Of a grid in slabs, planes of the cell are those that a rank's own planes lie on. Where planes of
   several ranks lie on one, its sum goes from rank to rank, each adding its elements: they are
   added in the order of the whole grid. Then it goes back the same way. */
#include "topopt/grid/grid_pattern.h"
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

struct ig_topopt_grid_pattern {
  ig_fold fold;
  ig_array lists;      /* of the fold */
  ig_array sum, count; /* of each place of the cell */
  /* of each plane of the cell: the next rank below and above that has elements on it; -1: none */
  int *below, *above;
};

/* --- the fold --- */

/* Place in the cell of the element i of n along an axis. Mirrored: the upper half of a period
   falls on the lower one. */
static int folded(const ig_topopt_sameness *s, int axis, int n, int i) {
  if (s->extruded[axis])
    return 0;
  const int period = n / (int)s->repeat[axis], at = i % period;
  return s->mirrored[axis] && at >= period - at ? period - 1 - at : at;
}

/* Elements `from` to `to` of n along an axis sorted by their place; places of the cell that none
   lies on are left out. Returns how many are not; `number`, n values: which of these a place is.
   A counting sort by place in the cell: start[c] to start[c + 1] are the elements of place c in
   `order`, counted from the rank's first. */
static int axis_fold(const ig_topopt_sameness *s, int axis, int n, int from, int to, int32_t *start,
                     int32_t *order, int *number) {
  int cells = 0;
  for (int p = 0; p < n; p++)
    number[p] = 0;
  for (int i = from; i < to; i++)
    number[folded(s, axis, n, i)]++;
  int32_t count = 0;
  for (int p = 0; p < n; p++) {
    const int here = number[p];
    number[p] = here ? cells : -1;
    if (here)
      start[cells++] = count;
    count += here;
  }
  for (int i = from; i < to; i++)
    order[start[number[folded(s, axis, n, i)]]++] = i - from;
  for (int c = cells; c > 0; c--) /* each has become the next one's */
    start[c] = start[c - 1];
  start[0] = 0;
  return cells;
}

/* Who else has elements on each plane of the cell. Places of the cell that several ranks share
   form a chain from rank to rank. */
static void neighbours_find(const ig_topopt_grid_model *m, const ig_topopt_sameness *s,
                            const int *number) {
  struct ig_topopt_grid_pattern *p = m->pattern;
  const int n = m->whole.n[2];
  for (int c = 0; c < p->fold.cells[2]; c++)
    p->below[c] = p->above[c] = -1;
  for (int r = 0; r < m->slab->ranks; r++) {
    int from, to;
    ig_slab_range(m->slab, 0, r, &from, &to);
    for (int k = from; k < to && k < n; k++) {
      const int c = number[folded(s, 2, n, k)];
      if (c >= 0 && r < m->slab->rank)
        p->below[c] = r; /* the last one is the nearest */
      else if (c >= 0 && r > m->slab->rank && p->above[c] < 0)
        p->above[c] = r;
    }
  }
}

/* The lists of all three axes lie in one array on the device, start and order of each after the
   other. */
static ig_status fold_make(ig_topopt_grid_model *m, const ig_topopt_sameness *s) {
  struct ig_topopt_grid_pattern *p = m->pattern;
  const ig_grid *g = &m->grid;
  const int n[3] = {g->n[0], g->n[1], ig_grid_layers(g)};
  const int whole[3] = {n[0], n[1], g->dim == 3 ? m->whole.n[2] : 1};
  int *number = NULL, most = 0;
  size_t count = 0, at = 0;
  ig_status status;
  for (int d = 0; d < 3; d++) {
    count += 2 * (size_t)n[d] + 1;
    most = whole[d] > most ? whole[d] : most;
  }
  IG_TRY(ig_array_new(m->cx, &p->lists, count, sizeof(int32_t), "pattern"));
  IG_TRY(IG_NEW(m->cx, &number, most, "pattern"));
  for (int d = 0; d < 3; d++) {
    const int from = d == 2 ? g->from : 0;
    int32_t *start = (int32_t *)p->lists.host + at, *order = start + n[d] + 1;
    p->fold.start[d] = (const int32_t *)p->lists.dev + at;
    p->fold.order[d] = p->fold.start[d] + n[d] + 1;
    p->fold.cells[d] = axis_fold(s, d, whole[d], from, from + n[d], start, order, number);
    at += 2 * (size_t)n[d] + 1;
  }
  if (m->slab) {
    IG_TRY_GOTO(status, done, IG_NEW(m->cx, &p->below, p->fold.cells[2], "pattern"));
    IG_TRY_GOTO(status, done, IG_NEW(m->cx, &p->above, p->fold.cells[2], "pattern"));
    neighbours_find(m, s, number);
  }
  status = ig_array_push(m->cx, &p->lists);
done:
  free(number);
  return status;
}

/* --- sums --- */

/* Planes of the cell that are shared with the ranks of `with`: sums are sent there, or come.
   Sums travel through the slab's message buffers; planes of one rank go in one message, in the
   order of the cell. */
static ig_status relay(const ig_topopt_grid_model *m, const int *with, bool send) {
  const struct ig_topopt_grid_pattern *p = m->pattern;
  const ig_backend *b = m->cx->backend;
  ig_slab *s = m->slab;
  const size_t places = (size_t)p->fold.cells[0] * (size_t)p->fold.cells[1];
  const size_t plane = places * sizeof(double);
  size_t used = 0;
  int messages = 0;
  for (int c = 0; c < p->fold.cells[2]; c++)
    used += with[c] >= 0 ? plane : 0;
  if (!used)
    return IG_OK;
  IG_TRY(ig_slab_reserve(s, send ? used : 0, send ? 0 : used));
  IG_SLAB_TRY(s, b->sync(m->cx)); /* what is in s->in was taken */
  char *buffer = send ? s->out : s->in;
  used = 0;
  for (int r = 0; r < s->ranks; r++) {
    const size_t begin = used;
    for (int c = 0; c < p->fold.cells[2]; c++) {
      if (with[c] != r)
        continue;
      if (send)
        IG_SLAB_TRY(s, b->copy_out(m->cx, buffer + used,
                                   (const double *)p->sum.dev + (size_t)c * places, plane));
      used += plane;
    }
    if (used == begin)
      continue;
    s->message[messages++] =
        send ? (ig_message){.rank = r, .send = buffer + begin, .send_size = used - begin}
             : (ig_message){.rank = r, .receive = buffer + begin, .receive_size = used - begin};
  }
  IG_SLAB_TRY(s, b->sync(m->cx));
  IG_TRY(ig_ranks_exchange(m->cx, s->message, messages));
  used = 0;
  for (int r = 0; r < s->ranks && !send; r++)
    for (int c = 0; c < p->fold.cells[2]; c++)
      if (with[c] == r) {
        IG_SLAB_TRY(
            s, b->copy_in(m->cx, (double *)p->sum.dev + (size_t)c * places, buffer + used, plane));
        used += plane;
      }
  return IG_OK;
}

/* p->sum becomes that of all designed elements on each place of the cell. Upwards: take the
   partial sum from below, add own elements, pass it on. Then the total comes down again. Equal
   bits for any number of ranks, since the additions are those of one rank in its order. */
static ig_status sum_make(const ig_topopt_grid_model *m, const double *v) {
  struct ig_topopt_grid_pattern *p = m->pattern;
  IG_SLAB_TRY(m->slab, ig_array_zero(m->cx, &p->sum));
  if (m->slab)
    IG_TRY(relay(m, p->below, false));
  IG_SLAB_TRY(m->slab, ig_topopt_design_ops_of(m->cx)->fold_sum(m->cx, &m->grid, &p->fold,
                                                                m->role.dev, v, p->sum.dev));
  if (!m->slab)
    return IG_OK;
  IG_TRY(relay(m, p->above, true));
  IG_TRY(relay(m, p->above, false));
  return relay(m, p->below, true);
}

/* The mean over all elements of each place; used for densities and, as its own transpose, for
   gradients. */
static ig_status grid_link(void *self, double *v) {
  const ig_topopt_grid_model *m = self;
  const struct ig_topopt_grid_pattern *p = m->pattern;
  IG_TRY(sum_make(m, v));
  IG_SLAB_TRY(m->slab, ig_topopt_design_ops_of(m->cx)->fold_spread(
                           m->cx, &m->grid, &p->fold, m->role.dev, p->sum.dev, p->count.dev, v));
  return IG_OK;
}

/* --- making it --- */

/* Elements on each place of the cell; how many are there alone, of all ranks. The number of
   designed elements on each place is the sum of ones. A place on several ranks is counted by the
   lowest of them. */
static ig_status count_make(ig_topopt_grid_model *m, int64_t *single) {
  struct ig_topopt_grid_pattern *p = m->pattern;
  const int *cells = p->fold.cells;
  const size_t n = (size_t)cells[0] * (size_t)cells[1], all = n * (size_t)cells[2];
  ig_array one = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, ig_array_new(m->cx, &p->count, all, sizeof(double), "pattern"));
  IG_TRY_GOTO(status, done, ig_array_new_device(m->cx, &p->sum, all, sizeof(double), "pattern"));
  IG_TRY_GOTO(status, done,
              ig_array_new(m->cx, &one, (size_t)m->grid.stored, sizeof(double), "pattern"));
  for (int64_t i = 0; i < m->grid.stored; i++)
    ((double *)one.host)[i] = 1;
  IG_TRY_GOTO(status, done, ig_array_push(m->cx, &one));
  IG_TRY_GOTO(status, done, sum_make(m, one.dev));
  IG_TRY_GOTO(status, done,
              m->cx->backend->copy_out(m->cx, p->count.host, p->sum.dev, all * sizeof(double)));
  IG_TRY_GOTO(status, done, ig_array_push(m->cx, &p->count));
  *single = 0;
  for (size_t i = 0; i < all; i++)
    if (!m->slab || p->below[i / n] < 0)
      *single += ((const double *)p->count.host)[i] == 1;
done:
  ig_array_free(m->cx, &one);
  return status;
}

/* Fails where more than half of the designed elements are alone on their place. */
ig_status ig_topopt_grid_pattern_new(ig_topopt_grid_model *m) {
  const ig_topopt_points points = ig_topopt_grid_points(m);
  ig_topopt_sameness s;
  int64_t single;
  if (!m->c->pattern.at.given)
    return IG_OK;
  IG_TRY(ig_topopt_points_sameness(&points, &s));
  IG_TRY(IG_NEW(m->cx, &m->pattern, 1, "pattern"));
  IG_TRY(fold_make(m, &s));
  IG_TRY(count_make(m, &single));
  if (m->slab)
    IG_TRY(ig_slab_count(m->slab, &single, 1));
  if (2 * single > m->d.designed)
    return ig_fail_at(m->cx, &m->c->pattern.at,
                      "pattern: most elements have no counterpart: give 'extrude', 'repeat' or "
                      "'mirror' along an axis that has several elements");
  m->d.link = grid_link;
  return IG_OK;
}

void ig_topopt_grid_pattern_free(ig_topopt_grid_model *m) {
  struct ig_topopt_grid_pattern *p = m->pattern;
  if (!p)
    return;
  ig_array_free(m->cx, &p->lists);
  ig_array_free(m->cx, &p->sum);
  ig_array_free(m->cx, &p->count);
  free(p->below);
  free(p->above);
  free(p);
}

/* At most: elements that have no mirror image, and planes that no other of the rank lies on. An
   upper bound for `check`. */
double ig_topopt_grid_pattern_bytes(const ig_topopt_case *c, double stored) {
  const ig_pattern_case *p = &c->pattern;
  double share = 1;
  if (!p->at.given)
    return 0;
  for (int d = 0; d < 2; d++)
    share /= p->extrude && p->extrude[0] == 'x' + d ? (double)c->grid.elements[d]
             : p->repeat[d] > 0                     ? (double)p->repeat[d]
                                                    : 1;
  return 2 * 8 * share * stored;
}
