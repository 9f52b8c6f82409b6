/* Whether a beam's path lies over the part, seen from above, and near its surface: what `ingot
   check` warns about. The part is drawn as a height map on squares, grown by the beam's radius; the
   path is sampled along its lit pieces. A picture of 512 squares a side is coarse but enough for a
   warning. */
#include "thermal/thermal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* squares along the longer side at most; samples of a path's piece at most */
enum { SIDE = 512, SAMPLES = 1000 };

/* The part's shadow on a grid of squares: its highest z, m, -infinity where it is not; grown by the
   beam's reach. */
typedef struct {
  double low[2], edge;
  ig_lid n[2];
  double *part, *grown;
} shadow;

/* The squares under an element's box get its highest point, where that is higher than before. */
static void element_mark(shadow *s, const ig_mesh *mesh, const ig_lid *conn, int nodes) {
  ig_lid from[2], to[2];
  double top = -INFINITY;
  for (int a = 0; a < nodes; a++)
    top = fmax(top, mesh->x[3 * (int64_t)conn[a] + 2]);
  for (int d = 0; d < 2; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int a = 0; a < nodes; a++) {
      low = fmin(low, mesh->x[3 * (int64_t)conn[a] + d]);
      high = fmax(high, mesh->x[3 * (int64_t)conn[a] + d]);
    }
    from[d] = (ig_lid)fmax(0, floor((low - s->low[d]) / s->edge + 1e-6));
    to[d] = (ig_lid)fmin(s->n[d] - 1, ceil((high - s->low[d]) / s->edge - 1e-6) - 1);
  }
  for (ig_lid j = from[1]; j <= to[1]; j++)
    for (ig_lid i = from[0]; i <= to[0]; i++) {
      double *part = &s->part[(size_t)j * (size_t)s->n[0] + (size_t)i];
      *part = fmax(*part, top);
    }
}

/* A square counts where the part is within `reach` squares of it in x and y. */
static void shadow_grow(shadow *s, ig_lid reach) {
  for (ig_lid j = 0; j < s->n[1]; j++)
    for (ig_lid i = 0; i < s->n[0]; i++)
      for (ig_lid q = j - reach < 0 ? 0 : j - reach; q <= j + reach && q < s->n[1]; q++)
        for (ig_lid p = i - reach < 0 ? 0 : i - reach; p <= i + reach && p < s->n[0]; p++) {
          double *grown = &s->grown[(size_t)j * (size_t)s->n[0] + (size_t)i];
          *grown = fmax(*grown, s->part[(size_t)q * (size_t)s->n[0] + (size_t)p]);
        }
}

/* Squares of at least a quarter of the radius: growing the shadow looks at (2 reach + 1)^2 squares
   each. */
static ig_status shadow_make(ig_ctx *cx, const ig_mesh *mesh, double reach, shadow *s) {
  double low[3], high[3];
  ig_mesh_bounds(mesh, low, high);
  const double wide = fmax(high[0] - low[0], high[1] - low[1]) + 2 * reach;
  s->edge = fmax(wide / SIDE, reach / 4);
  for (int d = 0; d < 2; d++) {
    s->low[d] = low[d] - reach;
    s->n[d] = (ig_lid)fmax(1, ceil((high[d] + reach - s->low[d]) / s->edge));
  }
  const size_t squares = (size_t)s->n[0] * (size_t)s->n[1];
  IG_TRY(IG_NEW(cx, &s->part, squares, "the part seen from above"));
  IG_TRY(IG_NEW(cx, &s->grown, squares, "the part seen from above"));
  for (size_t i = 0; i < squares; i++)
    s->part[i] = s->grown[i] = -INFINITY;
  for (int b = 0; b < mesh->blocks; b++) {
    const int nodes = ig_elem_info_get(mesh->block[b].type)->nodes;
    for (ig_lid e = 0; e < mesh->block[b].count; e++)
      element_mark(s, mesh, mesh->block[b].conn + (int64_t)nodes * e, nodes);
  }
  shadow_grow(s, (ig_lid)ceil(reach / s->edge));
  return IG_OK;
}

/* Whether something of the part is not more than `above` below the beam. */
static bool lands(const shadow *s, const double *x, double above) {
  const double i = floor((x[0] - s->low[0]) / s->edge), j = floor((x[1] - s->low[1]) / s->edge);
  return i >= 0 && j >= 0 && i < s->n[0] && j < s->n[1] &&
         x[2] - above <= s->grown[(size_t)j * (size_t)s->n[0] + (size_t)i];
}

/* Energy of a path, J, and how much of it finds nothing to land on (all layers built); first: where
   that begins. For the check of a case: a picture of the part from above, not exact. */
ig_status ig_thermal_beam_land(ig_ctx *cx, const ig_mesh *mesh, const ig_toolpath *p, double reach,
                               double above, double *all, double *nowhere, double first[3]) {
  shadow s = {.part = NULL};
  *all = *nowhere = 0;
  ig_status status = shadow_make(cx, mesh, reach, &s);
  for (int64_t i = 0; status == IG_OK && i + 1 < p->count; i++) {
    const double *a = &p->x[3 * i], *b = &p->x[3 * (i + 1)];
    const double energy = p->power[i] * (p->t[i + 1] - p->t[i]);
    if (!(energy > 0))
      continue;
    const double length = hypot(b[0] - a[0], b[1] - a[1]);
    const int samples = (int)fmin(SAMPLES, 1 + ceil(length / s.edge));
    for (int k = 0; k < samples; k++) {
      double x[3];
      for (int d = 0; d < 3; d++)
        x[d] = a[d] + (k + 0.5) / samples * (b[d] - a[d]);
      *all += energy / samples;
      if (lands(&s, x, above))
        continue;
      if (*nowhere == 0)
        memcpy(first, x, sizeof x);
      *nowhere += energy / samples;
    }
  }
  free(s.part);
  free(s.grown);
  return status;
}
