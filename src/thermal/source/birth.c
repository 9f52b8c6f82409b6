/* Birth times from toolpaths, lists or fields. ig_birth_times is the entry; it runs once, at
   set-up.

   Bead: an element is born when the beam, scanning, comes nearest to its centre and the centre lies
   in the bead (width across the path, height below it); `lead` moves the birth ahead along the
   path. Touch: the same with the boxes of bead and element. Layers: with the first pass at the
   layer's height.

   A slicer may write one straight line as one piece or as a thousand. Results must not depend on
   that, so consecutive scanning pieces are one run, distances are taken along the run, and times
   are rounded to a grid far below any step (time_snap). */
#include "thermal/source/birth.h"
#include "mesh/named.h"
#include "thermal/source/bins.h"
#include "thermal/source/file_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements that are to be born, and the initial value of `birth`: infinity for them, -infinity for
   those that are there from the start. A field without a set is about all elements. */
static ig_status born_set(ig_ctx *cx, const ig_birth_case *c, const ig_mesh *mesh, ig_lid **items,
                          ig_lid *count, double *birth) {
  const ig_lid elements = ig_mesh_elements(mesh);
  for (ig_lid e = 0; e < elements; e++)
    birth[e] = c->set.count ? -INFINITY : INFINITY; /* a field may be of all */
  for (int s = 0; s < c->set.count; s++) {
    const ig_set *set;
    IG_TRY(ig_mesh_named_set(cx, mesh, &c->at, c->set.value[s], IG_OF_ELEMENTS, &set));
    for (ig_lid i = 0; i < set->count; i++)
      birth[set->item[i]] = INFINITY;
  }
  *count = 0;
  for (ig_lid e = 0; e < elements; e++)
    *count += birth[e] == INFINITY;
  IG_TRY(IG_NEW(cx, items, *count, "elements to be born"));
  ig_lid n = 0;
  for (ig_lid e = 0; e < elements; e++)
    if (birth[e] == INFINITY)
      (*items)[n++] = e;
  return IG_OK;
}

/* --- beads: where a place is nearest to the path */

/* A piece that scans: power on, time passing. Pieces on end make a run; births must not depend on
   how many points a run's line was cut into. */
static bool scans(const ig_toolpath *p, int64_t i) {
  return i >= 0 && i + 1 < p->count && p->power[i] > 0 && p->t[i + 1] > p->t[i];
}

/* In the plane; a piece that hardly moves there stands still. */
static double piece_length(const ig_birth_case *c, const ig_toolpath *p, int64_t i) {
  const double *a = &p->x[3 * i], *b = &p->x[3 * i + 3];
  const double d[2] = {b[0] - a[0], b[1] - a[1]}, length = sqrt(d[0] * d[0] + d[1] * d[1]);
  return length > 1e-6 * c->width ? length : 0;
}

/* How far along piece i, which moves, the place q is, m. */
static double piece_along(const ig_birth_case *c, const ig_toolpath *p, int64_t i,
                          const double *q) {
  const double *a = &p->x[3 * i], *b = &p->x[3 * i + 3];
  return ((q[0] - a[0]) * (b[0] - a[0]) + (q[1] - a[1]) * (b[1] - a[1])) / piece_length(c, p, i);
}

/* The next piece of the run that moves, from `i` on in direction `step`; -1: the run ends. */
static int64_t piece_moving(const ig_birth_case *c, const ig_toolpath *p, int64_t i, int step) {
  while (scans(p, i) && piece_length(c, p, i) == 0)
    i += step;
  return scans(p, i) ? i : -1;
}

/* When the beam was `back` metres before the start of piece i (which moves), along its run; before
   the run at the speed it begins with. */
static double time_before(const ig_birth_case *c, const ig_toolpath *p, int64_t i, double back) {
  for (;;) {
    const int64_t before = back > 0 ? piece_moving(c, p, i - 1, -1) : -1;
    if (before < 0)
      return p->t[i] - back * (p->t[i + 1] - p->t[i]) / piece_length(c, p, i);
    i = before;
    const double length = piece_length(c, p, i);
    if (back <= length)
      return p->t[i] + (length - back) * (p->t[i + 1] - p->t[i]) / length;
    back -= length;
  }
}

/* Whether the run comes nearest to q on piece i: between its ends, or at an end behind which it
   leads away. *along: where, m from the piece's start. */
static bool piece_nearest(const ig_birth_case *c, const ig_toolpath *p, int64_t i, const double *q,
                          double *along) {
  const double length = piece_length(c, p, i);
  const int64_t before = piece_moving(c, p, i - 1, -1), after = piece_moving(c, p, i + 1, 1);
  const double tie = 1e-9 * c->width; /* at a corner, give or take rounding: both pieces are */
  const bool comes = before < 0 || piece_along(c, p, before, q) >= piece_length(c, p, before) - tie;
  const bool goes = after < 0 || piece_along(c, p, after, q) <= tie;
  const double at = length > 0 ? piece_along(c, p, i, q) : 0;
  *along = fmin(fmax(at, 0), length);
  if (length == 0)
    return comes && goes;
  if (at < -tie)
    return before < 0; /* a corner belongs to the piece before it */
  return at <= length || goes;
}

/* Where between heights z0 and z1 a path first has q in the layer below it, as a share of the way
   from 0 to 1; above 1: nowhere. The layer reaches from q to q + height, with a slack of 1e-6
   heights, since centres of elements and path heights are both rounded. */
static double layer_entered(const ig_birth_case *c, double q, double z0, double z1) {
  const double slack = 1e-6 * c->height, low = q - slack, high = q + c->height + slack;
  const double enter = z0 < low ? low : z0 > high ? high : z0;
  if (enter == z0)
    return 0;
  return z1 == z0 ? 2 : (enter - z0) / (z1 - z0) >= 0 ? (enter - z0) / (z1 - z0) : 2;
}

/* Rounds a time to 2^-40 (1e-12) of the whole path's duration: times that differ by rounding only
   become one event, however a line was cut into pieces. */
static double time_snap(double t, double whole) {
  const double grid = ldexp(1, ilogb(whole) - 40);
  return round(t / grid) * grid;
}

/* Birth of the place q by piece i, where the run is nearest to q on this piece; *when becomes the
   earliest of all passes. A piece that stands still (a spot weld, a rising head) counts from the
   moment its layer is entered. */
static void bead_birth(const ig_birth_case *c, const ig_toolpath *p, int64_t i, const double *q,
                       double *when) {
  const double half = 0.5 * c->width * (1 + 1e-9), length = piece_length(c, p, i);
  const double *a = &p->x[3 * i], *b = &p->x[3 * i + 3], time = p->t[i + 1] - p->t[i];
  double along, apart = 0, t;
  if (!piece_nearest(c, p, i, q, &along))
    return;
  const double s = length > 0 ? along / length : 0;
  for (int d = 0; d < 2; d++)
    apart += pow(q[d] - (a[d] + s * (b[d] - a[d])), 2);
  if (apart > half * half)
    return;
  if (length > 0) {
    const double top = a[2] + s * (b[2] - a[2]);
    if (layer_entered(c, q[2], top, top) > 0)
      return;
    t = along >= c->lead ? p->t[i] + (along - c->lead) * time / length
                         : time_before(c, p, i, c->lead - along);
  } else { /* it stands, or rises where it stands */
    const double risen = layer_entered(c, q[2], a[2], b[2]);
    if (risen > 1)
      return;
    t = p->t[i] + risen * time;
  }
  *when = fmin(*when, time_snap(fmax(t, 0), p->t[p->count - 1]));
}

/* The same by touch: the box of the bead grows along the piece, `lead` ahead of the beam, and
   meets the box about an element (half its sides: `half`). Pieces on end of one line give the same
   time, wherever it was cut. */
static void touch_birth(const ig_birth_case *c, const ig_toolpath *p, int64_t i, const double *q,
                        const double *half, double *when) {
  const double length = piece_length(c, p, i), slack = 1e-6 * fmin(c->width, c->height);
  const double *a = &p->x[3 * i], *b = &p->x[3 * i + 3], time = p->t[i + 1] - p->t[i];
  double t, along = 0;
  if (length > 0) {
    const double u[2] = {(b[0] - a[0]) / length, (b[1] - a[1]) / length};
    const double reach = fabs(u[0]) * half[0] + fabs(u[1]) * half[1];
    const double side = fabs(u[1]) * half[0] + fabs(u[0]) * half[1];
    const double across = fabs((q[1] - a[1]) * u[0] - (q[0] - a[0]) * u[1]);
    along = piece_along(c, p, i, q);
    if (across > 0.5 * c->width + side - slack || along < -reach + slack ||
        along > length + reach - slack)
      return;
    const double front = along - reach - c->lead;
    t = front >= 0 ? p->t[i] + front * time / length : time_before(c, p, i, -front);
  } else {
    for (int d = 0; d < 2; d++)
      if (fabs(q[d] - a[d]) > 0.5 * c->width + half[d] - slack)
        return;
    t = p->t[i];
  }
  const double s = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
  const double top = a[2] + s * (b[2] - a[2]);
  if (q[2] - half[2] > top - slack || q[2] + half[2] < top - c->height + slack)
    return;
  *when = fmin(*when, time_snap(fmax(t, 0), p->t[p->count - 1]));
}

/* Elements to be born: centres, half sides of the boxes about them, times. */
typedef struct {
  ig_lid count;
  double *place, *half, *when; /* x 3, x 3, s */
  double widest;               /* half side of any */
  ig_bins bins;
} newborns;

/* Elements in the bead of a scanning piece. */
static void bead_births(const ig_birth_case *c, const ig_toolpath *p, newborns *all) {
  const bool touch = c->rule == IG_BIRTH_TOUCH;
  const double more = touch ? all->widest : 0;
  const double half = 0.5 * c->width * (1 + 1e-9) + more, slack = 1e-6 * c->height + more;
  const ig_bins *bins = &all->bins;
  for (int64_t i = 0; i + 1 < p->count; i++) {
    const double *a = &p->x[3 * i], *b = &p->x[3 * i + 3];
    double low[3], high[3];
    int from[3], to[3];
    if (!scans(p, i))
      continue;
    for (int k = 0; k < 2; k++) {
      low[k] = fmin(a[k], b[k]) - half;
      high[k] = fmax(a[k], b[k]) + half;
    }
    low[2] = fmin(a[2], b[2]) - c->height - slack;
    high[2] = fmax(a[2], b[2]) + slack;
    if (!ig_bins_range(bins, low, high, from, to))
      continue;
    for (int z = from[2]; z <= to[2]; z++)
      for (int y = from[1]; y <= to[1]; y++)
        for (int x = from[0]; x <= to[0]; x++) {
          const int64_t bin = x + (int64_t)bins->cells[0] * (y + (int64_t)bins->cells[1] * z);
          for (int32_t n = bins->start[bin]; n < bins->start[bin + 1]; n++) {
            const int32_t e = bins->item[n];
            if (touch)
              touch_birth(c, p, i, &all->place[3 * (int64_t)e], &all->half[3 * (int64_t)e],
                          &all->when[e]);
            else
              bead_birth(c, p, i, &all->place[3 * (int64_t)e], &all->when[e]);
          }
        }
  }
}

/* --- layers: when the path first scans at a height */

typedef struct {
  double z;
  ig_lid element;
} level;
static int by_height(const void *a, const void *b) {
  const level *p = a, *q = b;
  return (p->z > q->z) - (p->z < q->z);
}

/* Elements whose centre lies under the path, within the layer's height: from the moment it is
   there, also in the middle of a piece that rises or falls. */
static ig_status layer_births(ig_ctx *cx, const ig_birth_case *c, const ig_toolpath *p,
                              ig_lid count, const double *place, double *when) {
  const double slack = 1e-6 * c->height;
  level *sorted;
  IG_TRY(IG_NEW(cx, &sorted, count, "layers"));
  for (ig_lid e = 0; e < count; e++)
    sorted[e] = (level){place[3 * (int64_t)e + 2], e};
  qsort(sorted, (size_t)count, sizeof *sorted, by_height);
  double done = NAN; /* the last level that was flat */
  for (int64_t i = 0; i + 1 < p->count; i++) {
    const double z0 = p->x[3 * i + 2], z1 = p->x[3 * i + 5];
    const bool flat = fabs(z1 - z0) < slack;
    if (!scans(p, i) || (flat && fabs(z0 - done) < slack))
      continue;
    done = flat ? z0 : NAN;
    const double low = fmin(z0, z1) - c->height - slack, high = fmax(z0, z1) + slack;
    ig_lid first = 0, last = count;
    while (first < last) {
      const ig_lid middle = first + (last - first) / 2;
      if (sorted[middle].z > low)
        last = middle;
      else
        first = middle + 1;
    }
    for (; first < count && sorted[first].z <= high; first++) {
      const double entered = layer_entered(c, sorted[first].z, z0, z1);
      if (entered > 1)
        continue;
      const double t = p->t[i] + entered * (p->t[i + 1] - p->t[i]);
      double *born = &when[sorted[first].element];
      *born = fmin(*born, time_snap(t, p->t[p->count - 1]));
    }
  }
  free(sorted);
  return IG_OK;
}

/* --- lists */

/* Elements in no entry are there from the start; of several entries the earliest counts. */
static ig_status list_births(ig_ctx *cx, const ig_birth_case *c, const ig_mesh *mesh,
                             double *birth) {
  for (ig_lid e = 0; e < ig_mesh_elements(mesh); e++)
    birth[e] = -INFINITY;
  for (int i = 0; i < c->list.count; i++) {
    const ig_birth_entry *entry = IG_ITEM(const ig_birth_entry, c->list, i);
    for (int s = 0; s < entry->set.count; s++) {
      const ig_set *set;
      IG_TRY(ig_mesh_named_set(cx, mesh, &entry->at, entry->set.value[s], IG_OF_ELEMENTS, &set));
      for (ig_lid k = 0; k < set->count; k++) {
        double *born = &birth[set->item[k]];
        *born = *born == -INFINITY ? entry->time : fmin(*born, entry->time);
      }
    }
  }
  return IG_OK;
}

/* --- a field */

/* The field of another run's snapshot, say: NaN or a negative time means there from the start,
   infinite (or no cell at that place) means never. */
static ig_status field_births(ig_ctx *cx, const ig_birth_case *c, const ig_lid *item, newborns *all,
                              double *birth, ig_lid *never) {
  IG_TRY(ig_given_read(cx, &c->at, c->file, c->field, IG_AT_CELLS, all->count, all->place,
                       all->when, never));
  if (*never == all->count)
    return ig_fail_at(
        cx, &c->at,
        "'%s' has a cell at none of the %d elements that are to be born: the two runs "
        "need the same mesh",
        c->file, (int)all->count);
  for (ig_lid i = 0; i < all->count; i++)
    birth[item[i]] = isnan(all->when[i]) || all->when[i] < 0 ? -INFINITY : all->when[i];
  return IG_OK;
}

/* Keys of another way of being born, which would have no effect; a default counts as left out. */
static ig_status unused_check(ig_ctx *cx, const ig_birth_case *c) {
  const bool bead = c->by == IG_BIRTH_BEAD, layers = c->by == IG_BIRTH_LAYERS;
  const struct {
    bool given;
    const char *key, *by;
  } unused[] = {
      {!bead && c->rule != IG_BIRTH_CENTRE, "rule", "bead"},
      {!bead && !isnan(c->width), "width", "bead"},
      {!bead && c->lead > 0, "lead", "bead"},
      {!bead && !layers && !isnan(c->height), "height", "bead and layers"},
      {c->by != IG_BIRTH_FIELD && c->field && strcmp(c->field, "birth") != 0, "field", "field"}};
  for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
    if (unused[i].given)
      return ig_fail_at(cx, &c->at, "`%s` is for births by %s", unused[i].key, unused[i].by);
  return IG_OK;
}

/* What each way of being born needs, and nothing else. */
static ig_status case_check(ig_ctx *cx, const ig_birth_case *c) {
  if (c->at.given)
    IG_TRY(unused_check(cx, c));
  if (c->by == IG_BIRTH_LIST) {
    if (c->list.count == 0)
      return ig_fail_at(cx, &c->at, "birth by list needs a list: [{set: NAME, time: 1 s}, …]");
    if (c->set.count)
      return ig_fail_at(cx, &c->at, "birth by list names its sets in the list: leave out `set`");
    return IG_OK;
  }
  if (c->list.count)
    return ig_fail_at(cx, &c->at, "a list of births needs `by: list`");
  if ((c->by == IG_BIRTH_FIELD) != (c->file != NULL))
    return ig_fail_at(cx, &c->at, "births from a field need `by: field` and a file");
  if (c->by == IG_BIRTH_FIELD)
    return IG_OK;
  if (c->set.count == 0)
    return ig_fail_at(cx, &c->at, "which elements are born? give their set");
  if (isnan(c->height))
    return ig_fail_at(cx, &c->at, "birth by bead or layers needs the height of a layer");
  if (c->by == IG_BIRTH_BEAD && isnan(c->width))
    return ig_fail_at(cx, &c->at, "birth by bead needs the bead's width");
  return IG_OK;
}

/* Centres of the elements, and the boxes about them. */
static ig_status newborns_make(ig_ctx *cx, const ig_mesh *mesh, const ig_lid *item, ig_lid count,
                               newborns *all) {
  all->count = count;
  IG_TRY(IG_NEW(cx, &all->place, 3 * (size_t)count, "births"));
  IG_TRY(IG_NEW(cx, &all->half, 3 * (size_t)count, "births"));
  IG_TRY(IG_NEW(cx, &all->when, count, "births"));
  for (ig_lid i = 0; i < count; i++) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, item[i], &local);
    const int nodes = ig_elem_info_get(block->type)->nodes;
    const ig_lid *conn = &block->conn[nodes * (int64_t)local];
    for (int d = 0; d < 3; d++) {
      double low = INFINITY, high = -INFINITY;
      for (int a = 0; a < nodes; a++) {
        const double x = mesh->x[3 * (int64_t)conn[a] + d];
        all->place[3 * (int64_t)i + d] += x / nodes;
        low = fmin(low, x);
        high = fmax(high, x);
      }
      all->half[3 * (int64_t)i + d] = 0.5 * (high - low);
      all->widest = fmax(all->widest, 0.5 * (high - low));
    }
    all->when[i] = INFINITY;
  }
  return IG_OK;
}

/* By list or field the times are given; by bead or layers they are found from the paths: the
   earliest of all beams counts. */
ig_status ig_birth_times(ig_ctx *cx, const ig_birth_case *c, const ig_mesh *mesh,
                         const ig_toolpath *paths, int count, double *birth, ig_lid *never) {
  *never = 0;
  IG_TRY(case_check(cx, c));
  if (c->by == IG_BIRTH_LIST)
    return list_births(cx, c, mesh, birth);
  ig_lid *item = NULL, items = 0;
  newborns all;
  memset(&all, 0, sizeof all);
  ig_status status;
  IG_TRY_GOTO(status, done, born_set(cx, c, mesh, &item, &items, birth));
  IG_TRY_GOTO(status, done, newborns_make(cx, mesh, item, items, &all));
  if (c->by == IG_BIRTH_FIELD) {
    status = field_births(cx, c, item, &all, birth, never);
    goto done;
  }
  if (c->by == IG_BIRTH_BEAD)
    IG_TRY_GOTO(status, done, ig_bins_new(cx, &all.bins, items, all.place, c->width));
  for (int p = 0; p < count; p++)
    if (c->by == IG_BIRTH_BEAD)
      bead_births(c, &paths[p], &all);
    else
      IG_TRY_GOTO(status, done, layer_births(cx, c, &paths[p], items, all.place, all.when));
  for (ig_lid i = 0; i < items; i++) {
    birth[item[i]] = all.when[i];
    *never += all.when[i] == INFINITY;
  }
  if (*never == items && items > 0)
    status = ig_fail_at(cx, &c->at,
                        "no pass of a beam reaches any element that is to be born: "
                        "check the path's z, unit and the bead's size");
done:
  ig_bins_free(&all.bins);
  free(item);
  free(all.place);
  free(all.half);
  free(all.when);
  return status;
}
