/* A design that begins with the densities of a file: each element takes that of the nearest
   cell. The file may be of another grid or mesh. Cells are sorted into boxes; the search looks
   at shells of boxes around the element's centre and ends when no box further out can be nearer. */
#include "topopt/output.h"
#include "backend/backend.h"
#include "model/read_snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points in boxes of a regular grid, about two in each. */
typedef struct {
  const double *point;
  int n[3];
  double low[3], size;
  int64_t *first, *order; /* boxes + 1; points by box */
} boxes;

static int box_along(const boxes *b, int d, double x) {
  const double i = floor((x - b->low[d]) / b->size);
  return i < 0 ? 0 : i >= b->n[d] ? b->n[d] - 1 : (int)i;
}
static int64_t box_of(const boxes *b, const double *x) {
  return ((int64_t)box_along(b, 2, x[2]) * b->n[1] + box_along(b, 1, x[1])) * b->n[0] +
         box_along(b, 0, x[0]);
}

/* Flat sets of cells (a plane problem) have no volume: a thousandth of the widest extent stands
   for the missing one, which also bounds the number of boxes. */
static ig_status boxes_make(ig_ctx *cx, boxes *b, int64_t count) {
  double high[3], volume = 1, widest = 0;
  for (int d = 0; d < 3; d++) {
    b->low[d] = INFINITY;
    high[d] = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
      b->low[d] = fmin(b->low[d], b->point[3 * i + d]);
      high[d] = fmax(high[d], b->point[3 * i + d]);
    }
    widest = fmax(widest, high[d] - b->low[d]);
  }
  if (!(widest > 0))
    widest = 1;
  for (int d = 0; d < 3; d++)
    volume *= fmax(high[d] - b->low[d], 1e-3 * widest);
  b->size = fmax(cbrt(2 * volume / (double)count), 1e-3 * widest);
  for (int d = 0; d < 3; d++)
    b->n[d] = 1 + (int)((high[d] - b->low[d]) / b->size);
  const int64_t all = (int64_t)b->n[0] * b->n[1] * b->n[2];
  IG_TRY(IG_NEW(cx, &b->first, all + 2, "boxes"));
  IG_TRY(IG_NEW(cx, &b->order, count, "boxes"));
  for (int64_t i = 0; i < count; i++)
    b->first[box_of(b, b->point + 3 * i) + 2]++;
  for (int64_t i = 0; i < all; i++)
    b->first[i + 2] += b->first[i + 1];
  for (int64_t i = 0; i < count; i++)
    b->order[b->first[box_of(b, b->point + 3 * i) + 1]++] = i;
  return IG_OK;
}

/* Looks through the shell of boxes `ring` away from x; the nearest point so far and its distance
   squared are kept. */
static void look(const boxes *b, const double *x, int ring, int64_t *nearest, double *least) {
  const int at[3] = {box_along(b, 0, x[0]), box_along(b, 1, x[1]), box_along(b, 2, x[2])};
  for (int k = at[2] - ring; k <= at[2] + ring; k++)
    for (int j = at[1] - ring; j <= at[1] + ring; j++) {
      const bool edge = abs(k - at[2]) == ring || abs(j - at[1]) == ring;
      if (k < 0 || j < 0 || k >= b->n[2] || j >= b->n[1])
        continue;
      for (int i = at[0] - ring; i <= at[0] + ring; i += edge || ring == 0 ? 1 : 2 * ring) {
        if (i < 0 || i >= b->n[0])
          continue;
        const int64_t box = ((int64_t)k * b->n[1] + j) * b->n[0] + i;
        for (int64_t q = b->first[box]; q < b->first[box + 1]; q++) {
          const double *p = b->point + 3 * b->order[q];
          const double away = (p[0] - x[0]) * (p[0] - x[0]) + (p[1] - x[1]) * (p[1] - x[1]) +
                              (p[2] - x[2]) * (p[2] - x[2]);
          if (away < *least) {
            *least = away;
            *nearest = b->order[q];
          }
        }
      }
    }
}

/* After shell r - 1 every point within (r - 1) box sizes has been seen. */
static int64_t nearest_to(const boxes *b, const double *x) {
  const int most = b->n[0] + b->n[1] + b->n[2];
  int64_t nearest = 0;
  double least = INFINITY;
  for (int ring = 0; ring <= most; ring++) {
    if (least < INFINITY && ring > 1 && least <= (ring - 1) * b->size * (ring - 1) * b->size)
      break;
    look(b, x, ring, &nearest, &least);
  }
  return nearest;
}

/* Of a body in parts each rank looks at its own elements; those held solid or void stay so. */
static ig_status take(ig_topopt_run *r, const ig_snapshot *from, const ig_field *density) {
  ig_ctx *cx = r->job->cx;
  const ig_discretisation *d = r->d;
  const size_t n = (size_t)d->places;
  uint8_t *role = NULL;
  double *there = NULL, *x = NULL;
  boxes b = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, ig_snapshot_centres(cx, from, &there));
  b.point = there;
  IG_TRY_GOTO(status, done, boxes_make(cx, &b, from->cells));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &role, n, "roles"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &x, n, "densities"));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, role, d->role, n));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, x, r->s->x.dev, n * sizeof *x));
  for (size_t i = 0; i < n; i++)
    if (role[i] == IG_ROLE_DESIGN)
      x[i] = fmin(1, fmax(0, ig_field_number(density, nearest_to(&b, d->centers + 3 * i))));
  status = cx->backend->copy_in(cx, r->s->x.dev, x, n * sizeof *x);
done:
  free(there);
  free(role);
  free(x);
  free(b.first);
  free(b.order);
  return status;
}

/* Every rank reads the file and takes what its own elements need. */
ig_status ig_topopt_start_read(ig_topopt_run *r) {
  ig_ctx *cx = r->job->cx;
  const ig_topopt_case *c = r->s->c;
  ig_snapshot *snap = NULL;
  IG_TRY(ig_ranks_read_snapshot(cx, c->initial_design.file, &snap));
  const ig_field *density = ig_snapshot_find(snap, IG_AT_CELLS, c->initial_design.field);
  const ig_status status =
      density && snap->cells > 0
          ? take(r, snap, density)
          : ig_fail_at(cx, &c->initial_design.at,
                       "initial_design: '%s' has no field '%s' with a number per cell",
                       c->initial_design.file, c->initial_design.field);
  ig_snapshot_free(snap);
  return status;
}
