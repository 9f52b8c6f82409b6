/* Beams from a case: their paths, intensity profiles, and the targets they may touch. Targets are
   found once; which of them are born and bare changes with time and is looked at per zone
   (beam_targets.c). */
#include "thermal/source/beam.h"
#include "core/threads.h"
#include "mesh/topology.h"
#include "thermal/engine/heat_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- paths */

ig_status ig_beam_path(ig_ctx *cx, const ig_beam_case *c, ig_toolpath *path) {
  if (c->path.at.given + c->raster.at.given + (c->laser > 0) != 1)
    return ig_fail_at(cx, &c->at, "a beam needs one of path, raster and laser");
  if (c->raster.at.given)
    return ig_raster_make(cx, &c->raster, path);
  return ig_path_read(cx, &c->path, path);
}

/* From the cursor on, as time mostly runs forward; by bisection where it has gone back. */
int64_t ig_path_piece(const ig_toolpath *p, int64_t *cursor, double time) {
  int64_t i = *cursor;
  if (i >= p->count || (i >= 0 && p->t[i] > time)) {
    int64_t low = -1, high = p->count - 1; /* last i with t[i] <= time */
    while (low < high) {
      const int64_t middle = low + (high - low + 1) / 2;
      if (p->t[middle] <= time)
        low = middle;
      else
        high = middle - 1;
    }
    i = low;
  }
  while (i + 1 < p->count && p->t[i + 1] <= time)
    i++;
  return *cursor = i;
}

double ig_beam_next_on(const ig_beam *b, double time) {
  int64_t cursor = b->cursor;
  const ig_toolpath *p = &b->path;
  int64_t i = ig_path_piece(p, &cursor, time);
  for (i = i < 0 ? 0 : i; i + 1 < p->count; i++)
    if (p->power[i] > 0 && p->t[i + 1] > p->t[i])
      return fmax(time, p->t[i]);
  return INFINITY;
}

/* Between two points the beam moves at constant speed; the power is that of the piece, not
   interpolated. Before the first and after the last point it is off. */
double ig_path_at(const ig_toolpath *p, int64_t *cursor, double time, double *x) {
  const int64_t i = ig_path_piece(p, cursor, time);
  const int64_t a = i < 0 ? 0 : i, b = a + 1 < p->count ? a + 1 : a;
  const double length = p->t[b] - p->t[a];
  double s = length > 0 ? (time - p->t[a]) / length : 0;
  s = s < 0 ? 0 : s > 1 ? 1 : s;
  for (int d = 0; d < 3; d++)
    x[d] = p->x[3 * a + d] + s * (p->x[3 * b + d] - p->x[3 * a + d]);
  return i < 0 || i + 1 >= p->count ? 0 : p->power[i];
}

/* --- targets */

/* Targets of a surface beam are faces (element x 6 + face), of the others elements. */
int ig_beam_target_nodes(const ig_heat *h, const ig_beam *b, ig_lid target, ig_lid *node) {
  if (b->shape.model != IG_BEAM_SURFACE) {
    memcpy(node, ig_heat_conn(h, target), 8 * sizeof *node);
    return 8;
  }
  const int *corner = ig_elem_face(IG_HEX8, (int)(target % 6));
  for (int a = 0; a < 4; a++)
    node[a] = ig_heat_conn(h, target / 6)[ig_heat_corner[corner[a]]];
  return 4;
}

/* Bins of half the beam's cutoff: a look at a zone opens few of them. live: targets of each that
   may still be bare; those that are covered for good drop out with time. */
ig_status ig_beam_bins(ig_ctx *cx, ig_beam *b) {
  ig_bins_free(&b->bins);
  free(b->live);
  b->live = NULL;
  b->event = 0;
  IG_TRY(ig_bins_within(cx, &b->bins, &b->extent, b->targets, b->place,
                        fmax(0.5 * b->cutoff, 0.3 * b->size)));
  const size_t count =
      (size_t)b->bins.cells[0] * (size_t)b->bins.cells[1] * (size_t)b->bins.cells[2];
  IG_TRY(IG_NEW(cx, &b->live, count, "beam targets"));
  for (size_t i = 0; i < count; i++)
    b->live[i] = b->bins.start[i + 1] - b->bins.start[i];
  return IG_OK;
}

/* Whether a face with this normal looks towards the beam: up, within 60 degrees; of a tilted one,
   not more than 84 degrees away from it. */
static bool face_meets(const ig_beam_shape *s, const double *n) {
  const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  /* cos 60 degrees = 0.5; cos 84 degrees = 0.1 */
  return s->tilted ? -(n[0] * s->axis[0] + n[1] * s->axis[1] + n[2] * s->axis[2]) > 0.1 * size
                   : n[2] > 0.5 * size;
}

/* Sample points per side of a target, so that none is further apart than the beam's spacing. */
static uint8_t points_for(const ig_beam *b, double size) {
  const double n = ceil(size / b->spacing);
  return (uint8_t)(n < 2 ? 2 : n > b->most_points ? b->most_points : n);
}

/* Elements, or faces that look towards the beam. */
static int target_points(const ig_heat *h, const ig_beam *b, ig_lid target, double x[8][3]) {
  ig_lid node[8];
  const int corners = ig_beam_target_nodes(h, b, target, node);
  for (int a = 0; a < corners; a++)
    memcpy(x[a], &h->node.point[3 * (int64_t)node[a]], sizeof x[a]);
  return corners;
}

/* Whether the beam can heat an element or a face that this rank looks after. */
static bool target_meets(const ig_heat *h, const ig_beam *b, ig_lid target) {
  const bool face = b->shape.model == IG_BEAM_SURFACE;
  if (!ig_heat_is_own(h, face ? target / 6 : target))
    return false;
  if (!face)
    return true;
  double x[8][3], u[3], v[3], n[3];
  target_points(h, b, target, x);
  for (int d = 0; d < 3; d++) {
    u[d] = x[2][d] - x[0][d];
    v[d] = x[3][d] - x[1][d];
  }
  for (int d = 0; d < 3; d++)
    n[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
  return face_meets(&b->shape, n);
}

/* Middle of target i and how many points it takes; returns its size. */
static double target_place(const ig_heat *h, ig_beam *b, ig_lid i) {
  double x[8][3], *place = &b->place[3 * (int64_t)i], far = 0;
  const int corners = target_points(h, b, b->target[i], x);
  for (int d = 0; d < 3; d++) {
    place[d] = 0;
    for (int a = 0; a < corners; a++)
      place[d] += x[a][d] / corners;
  }
  for (int a = 0; a < corners; a++)
    far = fmax(far, sqrt(pow(x[a][0] - place[0], 2) + pow(x[a][1] - place[1], 2) +
                         pow(x[a][2] - place[2], 2)));
  b->points[i] = points_for(b, 2 * far);
  return 2 * far;
}

/* Targets among the elements of this rank: each element belongs to one rank, so no watt is counted
   twice. Two passes over all candidates, both by all threads: which are targets, then where they
   are. */
static ig_status targets_own(ig_ctx *cx, const ig_heat *h, ig_beam *b) {
  const ig_lid all = h->elements * (b->shape.model == IG_BEAM_SURFACE ? 6 : 1);
  uint8_t *met;
  IG_TRY(IG_NEW(cx, &met, all, "beam targets"));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, all, IG_WORK_NODE))
  for (ig_lid i = 0; i < all; i++)
    met[i] = target_meets(h, b, i);
  const ig_status status = ig_lids_where(cx, met, all, &b->target, &b->targets);
  free(met);
  IG_TRY(status);
  IG_TRY(IG_NEW(cx, &b->place, 3 * (size_t)b->targets, "beam targets"));
  IG_TRY(IG_NEW(cx, &b->points, b->targets, "beam targets"));
  double size = b->size;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, b->targets, IG_WORK_ELEMENT))    \
    reduction(max                                                                                  \
              : size)
  for (ig_lid i = 0; i < b->targets; i++)
    size = fmax(size, target_place(h, b, i));
  b->size = size;
  b->extent = ig_bins_extent_of(b->targets, b->place);
  return IG_OK;
}

/* Size and extent are those of all ranks, so that bins, and with them the order of sums, are alike.
 */
static ig_status targets_find(ig_ctx *cx, const ig_heat *h, ig_beam *b) {
  IG_TRY(ig_heat_part_most(cx, &b->size, 1, targets_own(cx, h, b)));
  IG_TRY(ig_bins_extent_join(cx, &b->extent));
  return ig_beam_bins(cx, b);
}

/* Refuses a path whose beam is on outside the bounding box of the mesh, mostly a wrong unit; warns
   of one that is never on. With `normalise: false` a beam may miss the part on purpose and is not
   checked. */
static ig_status path_check(ig_ctx *cx, const ig_beam_case *c, const ig_beam *b,
                            const ig_mesh *mesh) {
  /* the box around the mesh */
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (ig_lid n = 0; n < mesh->nodes; n++)
    for (int d = 0; d < 3; d++) {
      low[d] = fmin(low[d], mesh->x[3 * (int64_t)n + d]);
      high[d] = fmax(high[d], mesh->x[3 * (int64_t)n + d]);
    }
  const ig_toolpath *p = &b->path;
  bool on = false;
  for (int64_t i = 0; i + 1 < p->count; i++) {
    if (p->power[i] <= 0 || p->t[i + 1] <= p->t[i])
      continue;
    on = true;
    for (int64_t k = c->normalise ? i : i + 2; k <= i + 1; k++)
      for (int d = 0; d < 3; d++) {
        const double slack = d == 2 ? b->shape.reach + b->cutoff : b->cutoff;
        if (p->x[3 * k + d] < low[d] - slack || p->x[3 * k + d] > high[d] + slack)
          return ig_fail_at(cx, &c->at,
                            "the beam is on at (%g, %g, %g) m, point %lld of its path, outside "
                            "the mesh (%g to %g, %g to %g, %g to %g m): is the unit right?",
                            p->x[3 * k], p->x[3 * k + 1], p->x[3 * k + 2], (long long)k + 1, low[0],
                            high[0], low[1], high[1], low[2], high[2]);
      }
  }
  if (!on)
    ig_warn_at(cx, &c->at, "this beam is never on");
  return IG_OK;
}

/* Of the table over depth, m. */
static double deep_length(const ig_beam_shape *s) {
  double sum = s->deep[0] * s->deep_level[0];
  for (int i = 1; i < s->deep_knots; i++)
    sum += 0.5 * (s->deep[i] - s->deep[i - 1]) * (s->deep_level[i] + s->deep_level[i - 1]);
  return sum;
}

/* Integral of the relative intensity: over the plane (m^2), or over the half space below the path
   (m^3). Gaussian surface: exp(-2 r^2 / R^2) over the plane gives pi R^2 / 2. Ellipsoid: exp(-3
   (r/R)^2 ...) over the half space gives (pi / 3)^(3/2) / 2 times its three lengths (Goldak and
   others, 1984). */
static double intensity_whole(const ig_beam_shape *s) {
  const double ball = 0.5 * pow(M_PI / 3, 1.5);
  const double circle = ig_profile_area(&s->across);
  switch (s->model) {
  case IG_BEAM_SURFACE:
    return circle;
  case IG_BEAM_CYLINDER:
    return circle * (s->deep_knots ? deep_length(s) : s->depth);
  case IG_BEAM_GAUSSIAN:
    return ball * s->radius * s->radius * s->depth;
  default:
    return ball * s->radius * s->depth * 0.5 * (s->front + s->rear);
  }
}

/* The profile across the axis, and where it ends, m. */
static ig_status profile_make(ig_ctx *cx, const ig_beam_case *c, ig_beam_shape *s, double *end) {
  const ig_profile_given given = {c->at, c->radius, c->order, &c->ring, &c->profile};
  /* exp(-2 x 2.2^2) = 6e-5 of the peak is left there */
  *end = 2.2 * s->radius;
  IG_TRY(ig_profile_make(cx, &given, &s->across, end));
  if (s->across.kind != IG_PROFILE_GAUSSIAN && c->model != IG_BEAM_SURFACE &&
      c->model != IG_BEAM_CYLINDER)
    return ig_fail_at(cx, &c->at,
                      "a beam has `order`, `ring` or `profile` only in the models surface and "
                      "cylinder");
  return IG_OK;
}

/* The table over depth; it ends where heating does. */
static ig_status deep_make(ig_ctx *cx, const ig_beam_case *c, ig_beam_shape *s) {
  if (!c->depth_profile.count)
    return IG_OK;
  if (c->model != IG_BEAM_CYLINDER || !isnan(c->depth))
    return ig_fail_at(cx, &c->at,
                      "depth_profile is for model: cylinder, and ends where heating does: leave "
                      "out depth");
  if (c->depth_profile.count < 2 || c->depth_profile.count > IG_PROFILE_KNOTS)
    return ig_fail_at(cx, &c->at, "a depth_profile has 2 to %d rows (found %d)", IG_PROFILE_KNOTS,
                      c->depth_profile.count);
  s->deep_knots = c->depth_profile.count;
  for (int i = 0; i < s->deep_knots; i++) {
    s->deep[i] = c->depth_profile.x[i];
    s->deep_level[i] = c->depth_profile.y[i];
  }
  if (s->deep[0] < 0 || !(deep_length(s) > 0))
    return ig_fail_at(cx, &c->at, "a depth_profile needs depths from 0 on and some heat");
  s->depth = s->deep[s->deep_knots - 1];
  return IG_OK;
}

static double length_of(const double *v) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The direction of the beam: the path's, where it turns the part, or else the case's. */
static ig_status axis_make(ig_ctx *cx, const ig_beam_case *c, const ig_toolpath *path,
                           ig_beam_shape *s) {
  const bool own = path->direction[0] != 0 || path->direction[1] != 0,
             given = length_of(c->axis) > 0;
  const double *axis = own ? path->direction : c->axis, size = length_of(axis);
  s->axis[2] = -1;
  if (own && given)
    return ig_fail_at(cx, &c->at,
                      "its path turns the part and says the beam's direction: leave "
                      "out `axis`");
  if (!own && !given)
    return IG_OK;
  for (int d = 0; d < 3; d++)
    s->axis[d] = axis[d] / size;
  s->tilted = s->axis[0] != 0 || s->axis[1] != 0;
  return !s->tilted && s->axis[2] > 0
             ? ig_fail_at(cx, &c->at, "the beam points up: its axis is the way light travels")
             : IG_OK;
}

/* Density of sample points within a target: none further apart than 0.4 (`sampling`) of the
   smallest length of the source. With the default at most 8 per side, since weights are normalised
   and their sum is exact anyway; a user who asks for another density gets up to 32. */
static void sampling_choose(const ig_beam_case *c, double depth, ig_beam *b) {
  const ig_beam_shape *s = &b->shape;
  double least = s->radius;
  if (s->across.kind == IG_PROFILE_RING)
    least = fmin(least, ig_profile_least(&s->across));
  if (s->model != IG_BEAM_SURFACE)
    least = fmin(least, depth);
  if (s->model == IG_BEAM_GOLDAK)
    least = fmin(least, fmin(s->front, s->rear));
  b->spacing = (c->sampling > 0 ? c->sampling : 0.4) * least;
  b->most_points = c->sampling > 0 && c->sampling != 0.4 ? 32 : 8;
  if (s->whole > 0 && s->model == IG_BEAM_CYLINDER) { /* its end is sharp, and nothing scales an
                                                         error away: as many as may be */
    b->spacing = 1e-300;
    b->most_points = 8;
  }
}

/* What a keyhole does not go with. */
static ig_status keyhole_check(ig_ctx *cx, const ig_beam_case *c) {
  if (c->model != IG_BEAM_SURFACE || c->order > 0 || c->ring.at.given || c->profile.count ||
      !isnan(c->reach))
    return ig_fail_at(
        cx, &c->keyhole.at,
        "a keyhole is that of a Gaussian beam whose radius is where the intensity has "
        "fallen to 1/e^2: give it with model: surface, without order, ring, "
        "profile and reach");
  if (!c->normalise)
    return ig_fail_at(cx, &c->keyhole.at, "a keyhole needs `normalise: true`");
  return IG_OK;
}

/* Keyholes of the pieces of a beam's path (material/keyhole.h): 1/e^2 depth in m, and what all
   light is absorbed by. Where there is none, light goes down to `depth`, or half a radius. Powers
   and speeds repeat: the last one is kept. */
static ig_status keyholes_make(ig_ctx *cx, const ig_beam_case *c, const ig_material_case *m,
                               double ground, ig_beam *b) {
  const ig_toolpath *p = &b->path;
  const double least = isnan(c->depth) ? 0.5 * c->radius : c->depth;
  double power = NAN, speed = NAN;
  ig_keyhole now = {least, 0, b->absorptivity};
  IG_TRY(ig_material_require(cx, m, "boiling|conductivity|density|specific_heat", "keyhole"));
  IG_TRY(IG_NEW(cx, &b->hole, p->count, "keyholes"));
  for (int64_t i = 0; i < p->count; i++) {
    const double takes = i + 1 < p->count ? p->t[i + 1] - p->t[i] : 0;
    if (takes > 0 && p->power[i] > 0) {
      const double *x = &p->x[3 * i], way = hypot(x[3] - x[0], x[4] - x[1]),
                   v = way > 1e-6 * c->radius ? way / takes : ig_keyhole_rest_speed(m, takes);
      if (!(p->power[i] == power && fabs(v - speed) <= 1e-6 * speed)) {
        power = p->power[i], speed = v;
        now = ig_keyhole_of(&c->keyhole, m, c->radius, power, ig_keyhole_moving(m, c->radius, v),
                            ground);
        now.absorptivity = b->absorptivity + now.share * (now.absorptivity - b->absorptivity);
        now.depth = fmax(now.depth, least);
      }
    }
    b->hole[i] = now;
  }
  return IG_OK;
}

/* The shape of a beam with keyholes: exp(-3 r^2 / R^2) of an ellipsoid is exp(-2 r^2 / a^2) with
   R = sqrt(1.5) a. `shallow`: the least depth, for the density of sample points. */
static void keyhole_shape(const ig_beam_case *c, ig_beam *b, double *shallow) {
  const double to = sqrt(1.5);
  ig_beam_shape *s = &b->shape;
  s->model = IG_BEAM_GAUSSIAN;
  s->radius = to * c->radius;
  s->depth = 0;
  *shallow = INFINITY;
  for (int64_t i = 0; i < b->path.count; i++) {
    b->hole[i].depth *= to;
    s->depth = fmax(s->depth, b->hole[i].depth);
    *shallow = fmin(*shallow, b->hole[i].depth);
  }
}

/* Lengths that the model does not know were meant for another one: a `depth` beside the default
   model, say. */
static ig_status lengths_check(ig_ctx *cx, const ig_beam_case *c) {
  const bool flux = c->model == IG_BEAM_SURFACE;
  if (c->keyhole.at.given)
    return keyhole_check(cx, c);
  if (flux && !isnan(c->depth))
    return ig_fail_at(cx, &c->at,
                      "model: surface has no `depth`: leave it out, or give a model that heats "
                      "the volume (gaussian, goldak, cylinder)");
  if (!flux && !isnan(c->reach))
    return ig_fail_at(cx, &c->at, "`reach` is for model: surface");
  if (c->model != IG_BEAM_GOLDAK && (!isnan(c->front) || !isnan(c->rear)))
    return ig_fail_at(cx, &c->at, "`front` and `rear` are for model: goldak");
  return IG_OK;
}

/* A beam from its case: checks, profile, direction, cutoff, targets. The path is moved into the
   beam. Collective, because targets' extents are joined. */
static ig_status beam_new(ig_ctx *cx, const ig_beam_case *c, ig_toolpath *path, const ig_heat *h,
                          const ig_material_case *material, double ground, double reach,
                          const ig_mesh *mesh, ig_beam *b) {
  ig_beam_shape *s = &b->shape;
  s->model = c->model;
  s->radius = c->radius;
  s->depth = isnan(c->depth) ? c->radius : c->depth;
  s->front = isnan(c->front) ? c->radius : c->front;
  s->rear = isnan(c->rear) ? 2 * s->front : c->rear;
  s->reach = isnan(c->reach) ? fmax(reach, c->radius) : c->reach;
  b->factor = 1;
  double end;
  IG_TRY(lengths_check(cx, c));
  IG_TRY(profile_make(cx, c, s, &end));
  IG_TRY(deep_make(cx, c, s));
  IG_TRY(axis_make(cx, c, path, s));
  s->whole = c->normalise ? 0 : intensity_whole(s);
  /* a table with one row is a number; of a real table the engine takes care, node by node */
  const ig_table *absorptivity = c->absorptivity.count ? &c->absorptivity : &material->absorptivity;
  b->absorptivity = absorptivity->count == 1 ? absorptivity->y[0] : 1;
  b->path = *path;
  memset(path, 0, sizeof *path);
  double shallow = s->depth;
  if (c->keyhole.at.given) {
    IG_TRY(keyholes_make(cx, c, material, ground, b));
    keyhole_shape(c, b, &shallow);
  }
  const double longest = fmax(fmax(s->front, s->rear), fmax(s->radius, s->depth));
  /* exp(-3 x 1.8^2) = 6e-5 of the peak of an ellipsoid is left at 1.8 lengths */
  b->cutoff = s->model == IG_BEAM_SURFACE    ? end
              : s->model == IG_BEAM_GOLDAK   ? 1.8 * longest
              : s->model == IG_BEAM_GAUSSIAN ? 1.8 * fmax(s->radius, s->depth)
                                             : fmax(end, s->depth);
  IG_TRY(path_check(cx, c, b, mesh));
  /* a zone serves several steps of a beam that moves: larger zones are made less often, but each
     step looks at more targets */
  b->margin = 0.4 * s->radius;
  sampling_choose(c, shallow, b);
  IG_TRY(targets_find(cx, h, b));
  s->far = b->cutoff + 0.5 * b->size;
  return IG_OK;
}

/* To the last bit. */
static bool tables_equal(const ig_table *a, const ig_table *b) {
  bool equal = a->count == b->count;
  for (int i = 0; equal && i < a->count; i++)
    equal = a->x[i] == b->x[i] && a->y[i] == b->y[i];
  return equal;
}

/* One table for all beams: watts of several beams are added at a node before the device multiplies
   them by the absorptivity of its temperature. */
ig_status ig_beams_absorptivity(ig_ctx *cx, const ig_list *cases, const ig_table *own,
                                const ig_table **table) {
  const ig_table *first = NULL;
  *table = NULL;
  for (int i = 0; i < cases->count; i++) {
    const ig_beam_case *c = IG_ITEM(const ig_beam_case, *cases, i);
    const ig_table *mine = c->absorptivity.count ? &c->absorptivity : own;
    if (!mine->count)
      return ig_fail_at(
          cx, &c->at,
          "how much of the beam is absorbed? give absorptivity here or in the material");
    if (mine->count > 1)
      *table = mine;
    if (mine->count > 1 && c->keyhole.at.given)
      return ig_fail_at(cx, &c->keyhole.at,
                        "a keyhole needs an absorptivity of the flat melt that is one number, not "
                        "a table over temperature: give `absorptivity` beside it");
    if (i > 0 && (mine->count > 1 || *table) && !tables_equal(mine, first))
      return ig_fail_at(cx, &c->at,
                        "where absorptivity depends on temperature, all beams must have the same "
                        "table");
    first = first ? first : mine;
  }
  return IG_OK;
}

/* All beams of a case. Collective, as targets are joined over ranks. paths[i] becomes beam i's. */
ig_status ig_beams_new(ig_ctx *cx, const ig_list *cases, ig_toolpath *paths, const ig_heat *h,
                       const ig_material_case *material, double ground, double reach,
                       const ig_mesh *mesh, ig_beams *beams) {
  const ig_table *table;
  memset(beams, 0, sizeof *beams);
  if (cases->count == 0)
    return IG_OK;
  IG_TRY(ig_beams_absorptivity(cx, cases, &material->absorptivity, &table));
  beams->heated = table != NULL;
  IG_TRY(IG_NEW(cx, &beams->beam, cases->count, "beams"));
  beams->count = cases->count;
  IG_TRY(IG_NEW(cx, &beams->number, h->nodes, "beam zones"));
  IG_TRY(
      ig_array_new(cx, &beams->shape, (size_t)beams->count, sizeof(ig_beam_shape), "beam shapes"));
  for (int i = 0; i < cases->count; i++) {
    IG_TRY(beam_new(cx, IG_ITEM(const ig_beam_case, *cases, i), &paths[i], h, material, ground,
                    reach, mesh, &beams->beam[i]));
    ((ig_beam_shape *)beams->shape.host)[i] = beams->beam[i].shape;
  }
  return ig_array_push(cx, &beams->shape);
}

void ig_beams_free(ig_ctx *cx, ig_beams *beams) {
  for (int i = 0; i < beams->count; i++) {
    ig_beam *b = &beams->beam[i];
    ig_bins_free(&b->bins);
    free(b->live);
    free(b->target);
    free(b->place);
    free(b->points);
    free(b->hole);
    ig_toolpath_free(&b->path);
  }
  free(beams->number);
  free(beams->near);
  free(beams->turn);
  free(beams->beam);
  free(beams->node);
  ig_array *arrays[] = {&beams->shape,   &beams->step,   &beams->spot,      &beams->zone,
                        &beams->x,       &beams->corner, &beams->ref_start, &beams->ref,
                        &beams->scratch, &beams->of,     &beams->points,    &beams->landed};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(cx, arrays[i]);
  memset(beams, 0, sizeof *beams);
}

/* The box of the spots grown by the margin is kept in low and high of the beam: as long as spots
   stay in it, the zone serves. Targets are sought in a box that is larger by the cutoff and half a
   target. */
bool ig_beam_box(const ig_beams *beams, ig_beam *b, int beam, int32_t first, double *low,
                 double *high) {
  const double across = b->cutoff + 0.5 * b->size;
  const double up = b->shape.model == IG_BEAM_SURFACE ? b->shape.reach : across;
  for (int d = 0; d < 3; d++) {
    b->low[d] = INFINITY;
    b->high[d] = -INFINITY;
    for (int32_t i = first; i < beams->spots; i++) {
      const ig_beam_spot *s = (const ig_beam_spot *)beams->spot.host + i;
      if (s->beam != beam)
        continue;
      b->low[d] = fmin(b->low[d], s->at[d] - b->margin);
      b->high[d] = fmax(b->high[d], s->at[d] + b->margin);
    }
    const double far = b->shape.tilted && b->shape.model == IG_BEAM_SURFACE
                           ? across + b->shape.reach * fabs(b->shape.axis[d])
                       : d < 2 ? across
                               : up;
    low[d] = b->low[d] - far;
    high[d] = b->high[d] + far;
  }
  return low[0] <= high[0];
}

/* Space for one zone more, before it is filled; contents stay. */
ig_status ig_beams_zone_reserve(ig_ctx *cx, ig_beams *beams, const ig_beam_zone *c, int32_t zone) {
  const size_t nodes = (size_t)c->nodes + (size_t)c->node_count;
  IG_TRY(ig_heat_reserve(cx, &beams->x, 3 * nodes, sizeof(double)));
  IG_TRY(ig_heat_reserve(cx, &beams->ref_start, nodes + (size_t)zone + 1, sizeof(int32_t)));
  return ig_heat_reserve(cx, &beams->ref, (size_t)c->refs + 8 * (size_t)c->target_count,
                         sizeof(int32_t));
}

/* Counting sort: for each node of the zone the corners (target x 8 + corner) that are this node.
   Kernels let each node add up its own corners, in rising order: no atomics, the same bits every
   time. */
void ig_beams_zone_refs(ig_beams *beams, const ig_beam_zone *c, int32_t zone) {
  const int32_t *corner = (const int32_t *)beams->corner.host + 8 * (int64_t)c->targets;
  const int64_t corners = 8 * (int64_t)c->target_count;
  int32_t *start = (int32_t *)beams->ref_start.host + c->nodes + zone, refs = 0;
  int32_t *ref = (int32_t *)beams->ref.host + c->refs;
  memset(start, 0, ((size_t)c->node_count + 1) * sizeof *start);
  for (int64_t i = 0; i < corners; i++)
    if (corner[i] >= 0)
      start[corner[i]]++;
  for (int32_t n = 0; n <= c->node_count; n++) {
    const int32_t own = start[n];
    start[n] = refs;
    refs += own;
  }
  for (int64_t i = 0; i < corners; i++)
    if (corner[i] >= 0)
      ref[start[corner[i]]++] = (int32_t)i; /* target x 8 + corner, rising */
  for (int32_t n = c->node_count; n > 0; n--)
    start[n] = start[n - 1];
  start[0] = 0;
  beams->refs = c->refs + refs;
  beams->nodes = c->nodes + c->node_count;
}

/* Radix sort: zones have thousands of nodes in a narrow range of numbers, and mostly two passes
   over the bytes suffice, where qsort compares about 12 times as often. */
void ig_numbers_sort(ig_lid *item, int32_t count, ig_lid *spare) {
  ig_lid low = INT32_MAX, high = 0;
  for (int32_t i = 0; i < count; i++) {
    low = item[i] < low ? item[i] : low;
    high = item[i] > high ? item[i] : high;
  }
  ig_lid *from = item, *to = spare;
  for (int shift = 0; count > 0 && (high - low) >> shift > 0; shift += 8) {
    int32_t start[257] = {0};
    for (int32_t i = 0; i < count; i++)
      start[(((from[i] - low) >> shift) & 255) + 1]++;
    for (int d = 0; d < 256; d++)
      start[d + 1] += start[d];
    for (int32_t i = 0; i < count; i++)
      to[start[((from[i] - low) >> shift) & 255]++] = from[i];
    ig_lid *done = to;
    to = from;
    from = done;
  }
  if (from != item)
    memcpy(item, from, (size_t)count * sizeof *item);
}
