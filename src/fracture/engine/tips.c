/* How far cracks have come from their tips: the farthest facet without traction that is connected
   with the tip through facets that part. Nodes count as one with those they were split from. On
   ranks the first gets what the facets that part need to say, in their order.

   Steps of ig_frac_tips_follow: the mesh node nearest to each tip; all cohesive elements with
   damage above 0.1 joined by shared (original) nodes; the farthest failed facet in the tip's
   tree. Rows of facets pass to the first rank twice, first to build the trees, then to measure,
   instead of being stored. */
#include "core/union_find.h"
#include "core/sorted.h"
#include "fracture/run.h"
#include "ranks/allgather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTING = 1, GONE = 2 }; /* it has begun to part; it has no traction any more */

/* A cohesive element. */
typedef struct {
  double x[3][3]; /* its corners, in the mesh as it was */
  int32_t node[3], state;
} facet_row;

/* A search on its way.
   Tables on the host, not owned; node, near, name and up are allocated on the first rank. */
typedef struct {
  ig_frac_model *m;
  const int32_t *conn, *coh;
  const uint8_t *turn;
  const void *x;
  const ig_frac_node *of;
  ig_frac_track *track;
  int32_t tip[IG_FRAC_TIPS]; /* the node nearest to each, in the whole */
  /* facets that part: dim nodes each, and a word that says near which tips they are */
  int32_t *node;
  uint32_t *near;
  int64_t count;
  int32_t *name, *up; /* these nodes, rising, and their trees (union-find) */
  int64_t names;
} search;

/* Tables to the host; damage is computed from "cs" and "cw" there. */
static ig_status search_open(search *s) {
  static const char *const names[] = {"conn", "coh", "turn", "x", "cs", "cw", "node"};
  void *host[7];
  for (int i = 0; i < 7; i++)
    IG_TRY(ig_frac_model_pull(s->m, names[i], &host[i]));
  s->conn = host[0], s->coh = host[1], s->turn = host[2], s->x = host[3];
  s->of = host[6];
  return IG_OK;
}

/* The node of the mesh that n was split from, in the whole. */
static int32_t origin_of(const search *s, int32_t n) {
  return ig_frac_mesh_number(&s->m->part, s->of[n].origin);
}

/* --- the nodes nearest to tips */

typedef struct {
  double far;
  int64_t node;
} candidate;

static bool nearer(const candidate *a, const candidate *b) {
  return a->far < b->far || (a->far == b->far && a->node < b->node);
}

static void nearest_find(const search *s, candidate *found) {
  const int dim = s->m->shape.dim;
  for (int i = 0; i < IG_FRAC_TIPS; i++)
    found[i] = (candidate){INFINITY, 0};
  for (int32_t n = 0; n < s->m->nodes_start; n++)
    for (int i = 0; i < s->track->tips; i++) {
      candidate here = {0, origin_of(s, n)};
      for (int d = 0; d < dim; d++) {
        const double r =
            ig_frac_model_real(s->m, s->x, (int64_t)n * dim + d) - s->track->tip[i].start[d];
        here.far += r * r;
      }
      if (nearer(&here, &found[i]))
        found[i] = here;
    }
}

/* Nodes of ghosts have the same places: of all that ranks find the nearest is that of the whole.
   Ties are decided by the lower number, so that ranks agree. */
static ig_status tips_find(search *s, ig_status status) {
  candidate found[IG_FRAC_TIPS], *all = NULL;
  const int ranks = ig_ranks_count(s->m->cx->ranks);
  if (status == IG_OK)
    nearest_find(s, found);
  status = ig_ranks_gather(s->m->cx, status, found, sizeof found, (void **)&all);
  for (int i = 0; status == IG_OK && i < s->track->tips; i++) {
    for (int r = 0; r < ranks && ig_ranks_first(s->m->cx); r++)
      if (nearer(&all[r * IG_FRAC_TIPS + i], &found[i]))
        found[i] = all[r * IG_FRAC_TIPS + i];
    s->tip[i] = (int32_t)found[i].node;
  }
  free(all);
  return status;
}

/* --- facets that part */

/* 0.1: facets with less damage are not counted as part of a crack. */
static void facet_fill(void *user, int64_t c, void *row) {
  const search *s = user;
  const int dim = s->m->shape.dim;
  const double damage = ig_frac_model_damage(s->m, c);
  facet_row *to = row;
  memset(to, 0, sizeof *to);
  if (damage < 0.1)
    return;
  to->state = damage < 1 ? PARTING : PARTING | GONE;
  for (int j = 0; j < dim; j++) {
    const int32_t n = ig_frac_cohesive_node(s->m, s->conn, s->coh, s->turn, c, j, false);
    to->node[j] = origin_of(s, n);
    for (int d = 0; d < dim; d++)
      to->x[j][d] = ig_frac_model_real(s->m, s->x, (int64_t)n * dim + d);
  }
}

/* Whether a facet is within two of its own lengths of a point. Facets of regular meshes are at two
   lengths exactly: rounding does not decide.
   Connects a tip with facets that start beside its node, within two facet lengths. */
static bool near(const facet_row *f, const double *point, int dim) {
  double far = 0, length = 0;
  for (int d = 0; d < dim; d++) {
    const double a = f->x[0][d], b = f->x[1][d];
    far += (a - point[d]) * (a - point[d]);
    length += (a - b) * (a - b);
  }
  return far <= 4 * length * (1 + 1e-5);
}

/* First pass on the first rank: facets that part, and near which tips they lie. */
static ig_status facets_keep(void *user, const void *rows, int64_t first, int64_t count) {
  search *s = user;
  const facet_row *f = rows;
  const int dim = s->m->shape.dim;
  (void)first;
  for (int64_t i = 0; i < count; i++) {
    if (!f[i].state)
      continue;
    uint32_t tips = 0;
    for (int k = 0; k < s->track->tips; k++)
      tips |= (uint32_t)near(&f[i], s->track->tip[k].start, dim) << k;
    IG_TRY(IG_MORE(s->m->cx, &s->near, s->count, "crack"));
    s->near[s->count] = tips;
    for (int j = 0; j < dim; j++) {
      IG_TRY(IG_MORE(s->m->cx, &s->node, s->count * dim + j, "crack"));
      s->node[s->count * dim + j] = f[i].node[j];
    }
    s->count++;
  }
  return IG_OK;
}

/* --- connected facets */

static int32_t root_of(const search *s, int32_t node) {
  return ig_union_root(s->up, ig_sorted_find(s->name, s->names, node));
}

/* Trees over the numbers that occur; names sorted for bisection. */
static ig_status crack_join(search *s) {
  const int dim = s->m->shape.dim;
  const int64_t all = s->count * dim + s->track->tips;
  IG_TRY(IG_NEW(s->m->cx, &s->name, (size_t)all + 1, "crack"));
  IG_TRY(IG_NEW(s->m->cx, &s->up, (size_t)all + 1, "crack"));
  if (s->count)
    memcpy(s->name, s->node, (size_t)(s->count * dim) * sizeof *s->name);
  memcpy(s->name + s->count * dim, s->tip, (size_t)s->track->tips * sizeof *s->name);
  qsort(s->name, (size_t)all, sizeof *s->name, ig_rising_i32);
  for (int64_t i = 0; i < all; i++)
    if (!s->names || s->name[s->names - 1] != s->name[i])
      s->name[s->names++] = s->name[i];
  for (int64_t i = 0; i < s->names; i++)
    s->up[i] = (int32_t)i;
  for (int64_t i = 0; i < s->count; i++) {
    const int32_t at = root_of(s, s->node[i * dim]);
    for (int j = 1; j < dim; j++)
      ig_union_join(s->up, at, root_of(s, s->node[i * dim + j]));
    for (int k = 0; k < s->track->tips; k++)
      if (s->near[i] >> k & 1)
        ig_union_join(s->up, at, root_of(s, s->tip[k]));
  }
  return IG_OK;
}

/* A place in the frame of a notch: `ahead` of its tip in lengths of the notch, and `off` its line.
   Both are 0 where a tip has no notch.

   Lengths of the notch make it independent of units; `off` is in m. */
typedef struct {
  double ahead, off, length;
} notch_place;

static notch_place notch_place_of(const ig_frac_tip *tip, const double *x, int dim) {
  double along = 0, way = 0, off2 = 0;
  for (int d = 0; d < dim; d++) {
    along += (x[d] - tip->start[d]) * tip->way[d];
    way += tip->way[d] * tip->way[d];
  }
  for (int d = 0; d < dim && way > 0; d++) {
    const double off = x[d] - tip->start[d] - along / way * tip->way[d];
    off2 += off * off;
  }
  return (notch_place){way > 0 ? along / way : 0, sqrt(off2), sqrt(way)};
}

/* Facets of a closed notch have no traction from the start: the crack has not come to them. */
static bool is_of_notch(notch_place p) {
  return p.ahead < 0 && p.ahead > -1 && p.off < 1e-5 * p.length;
}

/* A facet without traction: it belongs to the nearest tip, and lies that far off the line of its
   notch, whether or not it is connected with it: ahead of a crack facets fail on their own. Where
   tips are connected with it (`joined`), the nearest of them has come so far.
   Depth is projected out: a front in space counts by its distance from the line of the tip. */
static void tip_reach(ig_frac_track *k, const bool *joined, const double *mid, int dim) {
  int nearest = -1, any = -1;
  double least = INFINITY, least_any = INFINITY, off = 0, far[3] = {0}, best[3] = {0};
  for (int i = 0; i < k->tips; i++) {
    const ig_frac_tip *tip = &k->tip[i];
    double deep = 0, r2 = 0;
    for (int d = 0; d < dim; d++)
      deep += (mid[d] - tip->start[d]) * tip->depth[d];
    for (int d = 0; d < dim; d++) { /* across the notch's depth */
      far[d] = mid[d] - deep * tip->depth[d];
      r2 += (far[d] - tip->start[d]) * (far[d] - tip->start[d]);
    }
    const notch_place place = notch_place_of(tip, far, dim);
    if (is_of_notch(place))
      return;
    if (r2 < least_any) {
      least_any = r2;
      any = i;
      off = place.off;
    }
    if (joined[i] && r2 < least) {
      least = r2;
      nearest = i;
      memcpy(best, far, sizeof best);
    }
  }
  if (any >= 0)
    k->tip[any].deviation = fmax(k->tip[any].deviation, off);
  if (nearest < 0 || !(sqrt(least) > k->tip[nearest].extension))
    return;
  k->tip[nearest].extension = sqrt(least);
  memcpy(k->tip[nearest].at, best, sizeof best);
}

/* Second pass: failed facets and the tips they are connected with. */
static ig_status facets_reach(void *user, const void *rows, int64_t first, int64_t count) {
  search *s = user;
  const facet_row *f = rows;
  const int dim = s->m->shape.dim;
  (void)first;
  for (int64_t i = 0; i < count; i++) {
    double mid[3] = {0};
    bool joined[IG_FRAC_TIPS];
    if (!(f[i].state & GONE))
      continue;
    for (int j = 0; j < dim; j++)
      for (int d = 0; d < dim; d++)
        mid[d] += f[i].x[j][d] / dim;
    for (int k = 0; k < s->track->tips; k++)
      joined[k] = root_of(s, f[i].node[0]) == root_of(s, s->tip[k]);
    tip_reach(s->track, joined, mid, dim);
  }
  return IG_OK;
}

ig_status ig_frac_tips_follow(ig_frac_model *m, ig_frac_track *track) {
  search s = {.m = m, .track = track};
  if (!track->tips || !ig_frac_counts(m)->cohesive)
    return IG_OK;
  ig_status status = tips_find(&s, search_open(&s));
  status = ig_arrays_rows(&m->arrays, IG_FRAC_PER_COHESIVE, sizeof(facet_row), facet_fill,
                          facets_keep, &s, status);
  if (status == IG_OK)
    status = crack_join(&s);
  status = ig_arrays_rows(&m->arrays, IG_FRAC_PER_COHESIVE, sizeof(facet_row), facet_fill,
                          facets_reach, &s, status);
  free(s.node);
  free(s.near);
  free(s.name);
  free(s.up);
  IG_TRY(status);
  return ig_ranks_bcast(m->cx, 0, track->tip, sizeof track->tip);
}
