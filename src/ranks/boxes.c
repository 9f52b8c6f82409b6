/* Partition by recursive coordinate bisection (Berger and Bokhari 1987): the nodes are cut by a
   plane across the longest axis into two sets whose weights are in proportion to the number of
   ranks on each side, and each set is cut again.

   On a structured grid the parts are boxes, so lines and planes of nodes stay whole. Rooms with
   stencil kernels depend on that: their inner loops run along such lines.

   The plane is found from a histogram of weights along the axis instead of by sorting coordinates:
   O(nodes) per level, and all nodes of one grid plane fall into the same bin and stay together. */
#include "ranks/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bins of the histogram along an axis. Much finer than the spacing of nodes in usual meshes, so
   that a bin is one plane of a structured grid; small enough to stay in the cache. */
enum { PLACES = 4096 };

/* State of the recursion. All arrays are the caller's, except node, spare and sum, which
   ig_divide_boxes owns. */
typedef struct {
  const double *x;      /* nodes x 3 */
  const double *weight; /* nodes; NULL: all 1 */
  int axes;             /* cuts are made across the first so many */
  ig_lid *node, *spare; /* all nodes, sorted into parts; space */
  double *sum;          /* PLACES */
  int32_t *owner;
} cutter;

static double weight_of(const cutter *c, ig_lid n) {
  return c->weight ? c->weight[n] : 1;
}

/* The axis along which nodes [begin, end) reach furthest, and from where to where. Of equal ones
   the last: grids are numbered along the first, so that lines and planes of a part stay whole. */
static int axis_longest(const cutter *c, ig_lid begin, ig_lid end, double *low, double *high) {
  int axis = 0;
  /* The factor 1 - 1e-9 treats extents that differ by rounding as equal, so that the choice does
     not depend on the last bits of coordinates. */
  for (int d = 0; d < c->axes; d++) {
    double least = INFINITY, most = -INFINITY;
    for (ig_lid i = begin; i < end; i++) {
      const double x = c->x[3 * (int64_t)c->node[i] + d];
      least = fmin(least, x);
      most = fmax(most, x);
    }
    if (d == 0 || most - least >= (*high - *low) * (1 - 1e-9)) {
      axis = d;
      *low = least;
      *high = most;
    }
  }
  return axis;
}

/* Chooses the plane from the histogram `sum`. Returns the number of bins below the plane.

   A plane between bins is taken if it misses the wanted weight `share` by at most a twentieth.
   Otherwise (few, heavy bins: a thin plate cut across its thickness) a bin is split: *part is the
   weight of bin `at` that still belongs below. Nodes of that bin are then assigned in their order
   until this weight is used up. */
static int plane_choose(const double *sum, double share, double *part) {
  double below = 0;
  int at = 0;
  while (at < PLACES - 1 && below + sum[at] <= share)
    below += sum[at++];
  *part = 0;
  if (below + sum[at] - share < share - below) {
    if (below + sum[at] - share <= 0.05 * share)
      return at + 1;
  } else if (share - below <= 0.05 * share) {
    return at;
  }
  *part = share - below;
  return at;
}

/* Sorts nodes [begin, end) into those below and those above the cut. Returns where the latter
   begin. The order within each half is kept, so the result does not depend on the number of threads
   or on the C library's sort. */
static ig_lid range_cut(cutter *c, ig_lid begin, ig_lid end, double fraction) {
  double low = 0, high = 0, all = 0, part;
  const int axis = axis_longest(c, begin, end, &low, &high);
  const double scale = high > low ? (PLACES - 1) / (high - low) : 0;
  memset(c->sum, 0, PLACES * sizeof *c->sum);
  for (ig_lid i = begin; i < end; i++) {
    const ig_lid n = c->node[i];
    c->sum[(int)((c->x[3 * (int64_t)n + axis] - low) * scale + 0.5)] += weight_of(c, n);
    all += weight_of(c, n);
  }
  const int at = plane_choose(c->sum, fraction * all, &part);
  ig_lid below = begin, above = 0;
  for (ig_lid i = begin; i < end; i++) {
    const ig_lid n = c->node[i];
    const int place = (int)((c->x[3 * (int64_t)n + axis] - low) * scale + 0.5);
    if (place < at || (place == at && part > 0)) {
      part -= place == at ? weight_of(c, n) : 0;
      c->node[below++] = n;
    } else {
      c->spare[above++] = n;
    }
  }
  memcpy(c->node + below, c->spare, (size_t)above * sizeof *c->node);
  return below;
}

/* Assigns nodes [begin, end) to ranks [first, first + ranks). The recursion is log2(ranks) deep. An
   odd number of ranks is cut in the proportion half : ranks - half. */
static void range_divide(cutter *c, ig_lid begin, ig_lid end, int first, int ranks) {
  if (ranks == 1) {
    for (ig_lid i = begin; i < end; i++)
      c->owner[c->node[i]] = first;
    return;
  }
  const int half = ranks / 2;
  const ig_lid middle = range_cut(c, begin, end, (double)half / ranks);
  range_divide(c, begin, middle, first, half);
  range_divide(c, middle, end, first + half, ranks - half);
}

ig_status ig_divide_boxes(ig_ctx *cx, const ig_mesh *mesh, int axes, const double *weight,
                          int ranks, int32_t *owner) {
  cutter c = {.x = mesh->x, .weight = weight, .axes = axes, .owner = owner};
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &c.node, (size_t)mesh->nodes + 1, "division"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &c.spare, (size_t)mesh->nodes + 1, "division"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &c.sum, PLACES, "division"));
  for (ig_lid n = 0; n < mesh->nodes; n++)
    c.node[n] = n;
  range_divide(&c, 0, mesh->nodes, 0, ranks);
done:
  free(c.node);
  free(c.spare);
  free(c.sum);
  return status;
}
