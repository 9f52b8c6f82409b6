/* A tree of boxes: parts of at most LEAF faces, each other one divided into two halves along its
   longest axis. Parts are numbered as in a heap, so that it needs no links. */
#include "contact/search.h"
#include "core/sorted.h"
#include "mesh/face_place.h"
#include "mesh/face_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 4 };

void ig_contact_search_free(ig_contact_search *s) {
  free(s->face);
  free(s->order);
  free(s->box);
  *s = (ig_contact_search){0};
}

static double middle(const ig_contact_search *s, int32_t face, int axis) {
  return s->face[face].low[axis] + s->face[face].high[axis];
}

/* Puts the faces of [begin, end) so that those before `half` are not beyond the others along an
   axis: quickselect. */
static void divide(ig_contact_search *s, int32_t begin, int32_t end, int32_t half, int axis) {
  while (end - begin > 1) {
    const double at = middle(s, s->order[begin + (end - begin) / 2], axis);
    int32_t low = begin, high = end - 1;
    while (low <= high) {
      while (middle(s, s->order[low], axis) < at)
        low++;
      while (middle(s, s->order[high], axis) > at)
        high--;
      if (low <= high) {
        const int32_t kept = s->order[low];
        s->order[low++] = s->order[high];
        s->order[high--] = kept;
      }
    }
    if (half <= high)
      end = high + 1;
    else if (half >= low)
      begin = low;
    else
      return;
  }
}

static void part_make(ig_contact_search *s, size_t part, int32_t begin, int32_t end) {
  double *box = s->box[part];
  int axis = 0;
  for (int d = 0; d < 3; d++) {
    box[d] = INFINITY;
    box[3 + d] = -INFINITY;
    for (int32_t i = begin; i < end; i++) {
      box[d] = fmin(box[d], s->face[s->order[i]].low[d]);
      box[3 + d] = fmax(box[3 + d], s->face[s->order[i]].high[d]);
    }
    axis = box[3 + d] - box[d] > box[3 + axis] - box[axis] ? d : axis;
  }
  if (end - begin <= LEAF)
    return;
  const int32_t half = begin + (end - begin) / 2;
  divide(s, begin, end, half, axis);
  part_make(s, 2 * part + 1, begin, half);
  part_make(s, 2 * part + 2, half, end);
}

ig_status ig_contact_search_new(const ig_contact *s, const ig_set *set, bool drawn,
                                ig_contact_search *to) {
  size_t parts = 1;
  while (parts * LEAF < (size_t)set->count)
    parts *= 2;
  IG_TRY(IG_NEW(s->bodies.cx, &to->face, (size_t)set->count + 1, "contact"));
  IG_TRY(IG_NEW(s->bodies.cx, &to->order, (size_t)set->count + 1, "contact"));
  IG_TRY(IG_NEW(s->bodies.cx, &to->box, 2 * parts + 1, "contact"));
  to->count = (int32_t)set->count;
  for (int32_t f = 0; f < to->count; f++) {
    ig_contact_face *c = &to->face[f];
    to->order[f] = f;
    c->nodes = ig_mesh_face_nodes(s->bodies.mesh, set->item[f], set->face[f], c->node);
    for (int a = 0; a < c->nodes; a++) {
      if (drawn)
        memcpy(c->x[a], s->bodies.mesh->x + 3 * (size_t)c->node[a], sizeof c->x[a]);
      else
        s->bodies.place(s->bodies.self, c->node[a], NULL, c->x[a]);
      for (int d = 0; d < 3; d++) {
        c->low[d] = a ? fmin(c->low[d], c->x[a][d]) : c->x[a][d];
        c->high[d] = a ? fmax(c->high[d], c->x[a][d]) : c->x[a][d];
      }
    }
  }
  part_make(to, 0, 0, to->count);
  return IG_OK;
}

/* How far p is from a box; *wide: its longest edge. */
static double apart(const double *low, const double *high, const double p[3], double *wide) {
  double square = 0;
  *wide = 0;
  for (int d = 0; d < 3; d++) {
    const double by = fmax(0, fmax(low[d] - p[d], p[d] - high[d]));
    square += by * by;
    *wide = fmax(*wide, high[d] - low[d]);
  }
  return sqrt(square);
}

typedef struct {
  const double *p;
  double best, at[2]; /* best: square of the distance */
  int32_t face;
} nearest;

/* The curved side of a quadratic face may leave the box of its nodes by less than a quarter of its
   size: a part is looked at where one of its faces may be nearer than the best. */
static void part_look(const ig_contact_search *s, size_t part, int32_t begin, int32_t end,
                      nearest *n) {
  double wide;
  const double far = apart(s->box[part], s->box[part] + 3, n->p, &wide);
  if (far > sqrt(n->best) + 0.25 * wide)
    return;
  for (int32_t i = begin; i < end && end - begin <= LEAF; i++) {
    const ig_contact_face *f = &s->face[s->order[i]];
    double at[2], N[8];
    if (apart(f->low, f->high, n->p, &wide) > sqrt(n->best) + 0.25 * wide)
      continue;
    const double square = ig_face_nearest(f->nodes, (const double(*)[3])f->x, n->p, at, N);
    if (!(square < n->best) && !(square == n->best && s->order[i] < n->face))
      continue;
    n->best = square;
    n->face = s->order[i];
    memcpy(n->at, at, sizeof n->at);
  }
  if (end - begin <= LEAF)
    return;
  const int32_t half = begin + (end - begin) / 2;
  const double *one = s->box[2 * part + 1], *two = s->box[2 * part + 2];
  const bool first = apart(one, one + 3, n->p, &wide) <= apart(two, two + 3, n->p, &wide);
  for (int k = 0; k < 2; k++)
    if ((k == 0) == first)
      part_look(s, 2 * part + 1, begin, half, n);
    else
      part_look(s, 2 * part + 2, half, end, n);
}

int32_t ig_contact_search_nearest(const ig_contact_search *s, const double p[3], double reach,
                                  double at[2]) {
  nearest n = {.p = p, .best = reach * reach, .face = -1};
  if (s->count)
    part_look(s, 0, 0, s->count, &n);
  memcpy(at, n.at, sizeof n.at);
  return n.face;
}

static bool box_near(const double *low, const double *high, const double l[3], const double h[3],
                     double reach) {
  for (int d = 0; d < 3; d++)
    if (low[d] > h[d] + reach || high[d] < l[d] - reach)
      return false;
  return true;
}

static int32_t part_near(const ig_contact_search *s, size_t part, int32_t begin, int32_t end,
                         const double low[3], const double high[3], double reach, int32_t *found,
                         int32_t count) {
  if (!box_near(s->box[part], s->box[part] + 3, low, high, reach))
    return count;
  if (end - begin > LEAF) {
    const int32_t half = begin + (end - begin) / 2;
    count = part_near(s, 2 * part + 1, begin, half, low, high, reach, found, count);
    return part_near(s, 2 * part + 2, half, end, low, high, reach, found, count);
  }
  for (int32_t i = begin; i < end; i++)
    if (box_near(s->face[s->order[i]].low, s->face[s->order[i]].high, low, high, reach))
      found[count++] = s->order[i];
  return count;
}

int32_t ig_contact_search_near(const ig_contact_search *s, const double low[3],
                               const double high[3], double reach, int32_t *found) {
  const int32_t count = s->count ? part_near(s, 0, 0, s->count, low, high, reach, found, 0) : 0;
  if (count > 1)
    qsort(found, (size_t)count, sizeof *found, ig_rising_i32);
  return count;
}
