/* Designs on regular grids: read, smoothed, sampled at another size. A design comes from topopt
   as a snapshot of equal boxes; a grid is rebuilt from their places, as a snapshot does not
   keep it. */
#include "shape/shape.h"
#include "io/result/vtkhdf.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* VTK's number of a hexahedron; and 2^29 voxels of 8 bytes are 4 GiB. */
enum { HEXAHEDRON = 12, MOST_VOXELS = 1 << 29 };

void ig_voxels_free(ig_voxels *v) {
  free(v->density);
  v->density = NULL;
}

static int64_t count_of(const int *n) {
  return (int64_t)n[0] * n[1] * n[2];
}

/* --- reading */

/* Bounding box of a cell, m. */
static void cell_box(const ig_snapshot *snap, int64_t cell, double low[3], double high[3]) {
  for (int d = 0; d < 3; d++) {
    low[d] = INFINITY, high[d] = -INFINITY;
    for (int64_t i = snap->offset[cell]; i < snap->offset[cell + 1]; i++) {
      const double x = snap->point[3 * snap->corner[i] + d];
      low[d] = fmin(low[d], x);
      high[d] = fmax(high[d], x);
    }
  }
}

/* Bounds, edge and counts from the cells; every one must be a box of the same size in its place. */
static ig_status grid_find(ig_ctx *cx, const char *path, const ig_snapshot *snap, ig_voxels *v) {
  double high[3], one[3], two[3];
  if (snap->cells == 0)
    return IG_FAIL(cx, IG_INPUT, "%s: there are no cells: expected a design", path);
  for (int d = 0; d < 3; d++)
    v->low[d] = INFINITY, high[d] = -INFINITY;
  for (int64_t c = 0; c < snap->cells; c++) {
    cell_box(snap, c, one, two);
    for (int d = 0; d < 3; d++) {
      v->low[d] = fmin(v->low[d], one[d]);
      high[d] = fmax(high[d], two[d]);
      if (c == 0)
        v->edge[d] = two[d] - one[d];
      if (snap->type[c] != HEXAHEDRON || !(v->edge[d] > 0) ||
          fabs(two[d] - one[d] - v->edge[d]) > 1e-3 * v->edge[d])
        return IG_FAIL(cx, IG_INPUT,
                       "%s: cell %" PRId64
                       " is no box like the first one: expected a design on a regular grid "
                       "(topopt with `grid`)",
                       path, c);
    }
  }
  /* Counted in double first, as a wrong cell may give more than an int holds. */
  double cells = 1;
  for (int d = 0; d < 3; d++)
    cells *= round((high[d] - v->low[d]) / v->edge[d]);
  if (!(cells >= 1 && cells <= MOST_VOXELS))
    return IG_FAIL(cx, IG_INPUT, "%s: a grid of %.3g cells is more than can be handled", path,
                   cells);
  for (int d = 0; d < 3; d++)
    v->n[d] = (int)lround((high[d] - v->low[d]) / v->edge[d]);
  return IG_OK;
}

/* Puts each cell's value to its place by its middle; cells that the snapshot lacks stay 0. A field
   that is missing or has several components is refused. */
static ig_status density_read(ig_ctx *cx, const char *path, const ig_snapshot *snap,
                              const char *field, ig_voxels *v) {
  const ig_field *f = ig_snapshot_find(snap, IG_AT_CELLS, field);
  if (!f)
    return IG_FAIL(cx, IG_INPUT, "%s: there is no cell field '%s' of single numbers", path, field);
  IG_TRY(grid_find(cx, path, snap, v));
  IG_TRY(IG_NEW(cx, &v->density, count_of(v->n), "design"));
  for (int64_t c = 0; c < snap->cells; c++) {
    double low[3], high[3];
    int64_t at = 0;
    cell_box(snap, c, low, high);
    for (int d = 2; d >= 0; d--) {
      const int i = (int)floor((0.5 * (low[d] + high[d]) - v->low[d]) / v->edge[d]);
      at = at * v->n[d] + (i < 0 ? 0 : i >= v->n[d] ? v->n[d] - 1 : i);
    }
    v->density[at] = ig_field_number(f, c);
    if (!isfinite(v->density[at]))
      return IG_FAIL(cx, IG_INPUT, "%s: '%s' of cell %" PRId64 " is no number", path, field, c);
  }
  return IG_OK;
}

/* The snapshot is read whole and freed here; on failure `design` may have memory, which the caller
   frees as well. */
ig_status ig_voxels_read(ig_ctx *cx, const char *path, const char *field, ig_voxels *design) {
  ig_snapshot *snap;
  memset(design, 0, sizeof *design);
  IG_TRY(ig_snapshot_read(cx, path, &snap));
  const ig_status status = density_read(cx, path, snap, field, design);
  ig_snapshot_free(snap);
  return status;
}

/* --- smoothing and sampling */

/* One pass along an axis: a quarter of each neighbour, half of itself; the rim mirrors. */
static void smooth_along(const ig_voxels *v, int axis, double *line) {
  const int *n = v->n;
  const int64_t stride = axis == 0 ? 1 : axis == 1 ? n[0] : (int64_t)n[0] * n[1];
  const int64_t lines = count_of(n) / n[axis];
  /* Lines of the grid along the axis; l counts them, stride is the step along one. */
  for (int64_t l = 0; l < lines; l++) {
    double *at = v->density + l % stride + l / stride * stride * n[axis];
    for (int i = 0; i < n[axis]; i++)
      line[i] = at[i * stride];
    for (int i = 0; i < n[axis]; i++) {
      const double before = line[i > 0 ? i - 1 : i], after = line[i + 1 < n[axis] ? i + 1 : i];
      at[i * stride] = 0.25 * before + 0.5 * line[i] + 0.25 * after;
    }
  }
}

/* A pass runs along each axis in turn: in space the weights are products of 1/4, 1/2, 1/4. It keeps
   the sum of densities, but for rounding, since the rim mirrors. */
ig_status ig_voxels_smooth(ig_ctx *cx, ig_voxels *v, int64_t passes) {
  /* One line of the longest axis, as the values before the pass are needed beside the new ones. */
  double *line;
  IG_TRY(IG_NEW(cx, &line, v->n[0] > v->n[1] ? fmax(v->n[0], v->n[2]) : fmax(v->n[1], v->n[2]),
                "design"));
  for (int64_t i = 0; i < passes; i++)
    for (int axis = 0; axis < 3; axis++)
      smooth_along(v, axis, line);
  free(line);
  return IG_OK;
}

/* Trilinear between the middles of cells, level beyond them; `p` in cells from the first middle. */
static double between(const ig_voxels *v, const double p[3]) {
  int low[3], high[3];
  double w[3], value = 0;
  for (int d = 0; d < 3; d++) {
    const double q = fmin(fmax(p[d], 0), v->n[d] - 1);
    low[d] = (int)q;
    high[d] = low[d] + 1 < v->n[d] ? low[d] + 1 : low[d];
    w[d] = q - low[d];
  }
  for (int c = 0; c < 8; c++) {
    const int i = c & 1 ? high[0] : low[0], j = c >> 1 & 1 ? high[1] : low[1],
              k = c >> 2 ? high[2] : low[2];
    value += (c & 1 ? w[0] : 1 - w[0]) * (c >> 1 & 1 ? w[1] : 1 - w[1]) *
             (c >> 2 ? w[2] : 1 - w[2]) * v->density[((int64_t)k * v->n[1] + j) * v->n[0] + i];
  }
  return value;
}

/* The grid keeps its outer size: the edge is rounded so that whole voxels fit, and may differ a
   little from axis to axis. */
ig_status ig_voxels_sample(ig_ctx *cx, const ig_voxels *from, double edge, ig_voxels *to) {
  double cells = 1;
  memset(to, 0, sizeof *to);
  for (int d = 0; d < 3; d++)
    cells *= fmax(1, round(from->n[d] * from->edge[d] / edge));
  if (!(cells <= MOST_VOXELS))
    return IG_FAIL(cx, IG_INPUT, "voxels of %g m would be %.3g: take larger ones", edge, cells);
  for (int d = 0; d < 3; d++) {
    const double length = from->n[d] * from->edge[d];
    to->n[d] = (int)fmax(1, round(length / edge));
    to->edge[d] = length / to->n[d];
    to->low[d] = from->low[d];
  }
  IG_TRY(IG_NEW(cx, &to->density, count_of(to->n), "voxels"));
  double *out = to->density;
  for (int k = 0; k < to->n[2]; k++)
    for (int j = 0; j < to->n[1]; j++)
      for (int i = 0; i < to->n[0]; i++) {
        const int at[3] = {i, j, k};
        double p[3];
        for (int d = 0; d < 3; d++)
          p[d] = (at[d] + 0.5) * from->n[d] / to->n[d] - 0.5;
        *out++ = between(from, p);
      }
  return IG_OK;
}

/* Order of qsort, largest first. */
static int falling(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* The density of the voxel that completes the volume when all are taken from the densest down.
   Equal densities at the level make the part somewhat larger than that. */
ig_status ig_voxels_level(ig_ctx *cx, const ig_voxels *v, double volume, double *level) {
  const int64_t n = count_of(v->n);
  /* At least one voxel, at most all of them. */
  int64_t want = llround(volume / (v->edge[0] * v->edge[1] * v->edge[2]));
  want = want < 1 ? 1 : want > n ? n : want;
  double *sorted;
  IG_TRY(IG_NEW(cx, &sorted, n, "voxels"));
  memcpy(sorted, v->density, (size_t)n * sizeof *sorted);
  qsort(sorted, (size_t)n, sizeof *sorted, falling);
  *level = sorted[want - 1];
  free(sorted);
  return IG_OK;
}
