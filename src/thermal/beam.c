/* What beams deposit: models, the elements and faces they touch, exact power. */
#include "thermal/beam.h"
#include "backend/backend.h"
#include "thermal/beam_ops.h"
#ifdef INGOT_HAVE_IO
#include "io/toolpath.h"
#else
#define IG_TOOLPATH_FORMATS "auto|csv|crs|segments|gcode"
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define P ig_path_case
static const ig_option path_options[] = {
    IG_FILE(P, file, IG_REQUIRED, "toolpath file"),
    IG_CHOICE(P, format, IG_TOOLPATH_FORMATS, "auto", "its dialect; auto: by extension or content"),
    IG_REAL(P, power, "W", NULL, 0, 1e6, "nominal power, where the file gives none"),
    IG_REAL(P, unit, "m", NULL, IG_TINY, 1, "length unit of the file; left out: the dialect's own"),
    IG_REAL(P, travel, "m/s", "1 m/s", IG_TINY, 1e3, "speed of G-code's G0"),
    IG_REAL(P, start, "s", "0", 0, 1e9, "time of the first point, where the file gives none"),
    IG_END};
#undef P

#define B ig_beam_case
const ig_option ig_beam_options[] = {
    IG_CHOICE(B, model, "surface|gaussian|goldak|cylinder", "surface",
              "flux on the current top surface, or heat in the volume: ellipsoid, Goldak's double "
              "ellipsoid, cylinder"),
    IG_REAL(B, radius, "m", IG_REQUIRED, IG_TINY, 1,
            "beam radius: where a surface flux has fallen to 1/e^2, an ellipsoid to 1/e^3"),
    IG_REAL(B, depth, "m", NULL, IG_TINY, 1, "volume models: depth; left out: the radius"),
    IG_REAL(B, front, "m", NULL, IG_TINY, 1, "goldak: length ahead; left out: the radius"),
    IG_REAL(B, rear, "m", NULL, IG_TINY, 1, "goldak: length behind; left out: twice the front"),
    IG_REAL(B, absorptivity, "", NULL, 0, 1, "share absorbed; left out: the first material's"),
    IG_REAL(B, reach, "m", NULL, IG_TINY, 1,
            "surface: how far above or below the path a face may lie; left out: the radius, or 1.5 "
            "bead heights if that is more"),
    IG_MAP(B, path, ig_path_case, path_options, NULL, "toolpath from a file"),
    IG_MAP(B, raster, ig_raster_case, ig_raster_options, NULL, "or made from hatched layers"),
    IG_END};
#undef B

/* --- paths */

ig_status ig_beam_path(ig_ctx *cx, const ig_beam_case *c, ig_toolpath *path) {
  if (c->path.at.given == c->raster.at.given)
    return ig_fail_at(cx, &c->at, "a beam needs either a path or a raster");
  if (c->raster.at.given)
    return ig_raster_make(cx, &c->raster, path);
#ifdef INGOT_HAVE_IO
  const ig_toolpath_options options = {.format = (ig_toolpath_format)c->path.format,
                                       .power = c->path.power,
                                       .unit = c->path.unit,
                                       .travel = c->path.travel,
                                       .start = c->path.start};
  return ig_toolpath_read(cx, c->path.file, &options, path);
#else
  return IG_FAIL(cx, IG_UNSUPPORTED, "%s: this build reads no files: configure with -DINGOT_IO=ON",
                 c->path.file);
#endif
}

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

/* Nodes of a target: of a face (element x 6 + face), else of an element. */
static int target_nodes(const ig_heat *h, const ig_beam *b, ig_lid target, ig_lid *node) {
  if (b->shape.model != IG_BEAM_SURFACE) {
    memcpy(node, ig_heat_conn(h, target), 8 * sizeof *node);
    return 8;
  }
  const int *corner = ig_elem_face(IG_HEX8, (int)(target % 6));
  for (int a = 0; a < 4; a++)
    node[a] = ig_heat_conn(h, target / 6)[ig_heat_corner[corner[a]]];
  return 4;
}

/* Elements, or faces that look up. */
static ig_status targets_find(ig_ctx *cx, const ig_heat *h, ig_beam *b) {
  const bool faces = b->shape.model == IG_BEAM_SURFACE;
  for (int pass = 0; pass < 2; pass++) {
    b->targets = 0;
    for (ig_lid e = 0; e < h->elements; e++)
      for (int f = 0; f < (faces ? 6 : 1); f++) {
        double x[8][3];
        ig_lid node[8];
        const int corners = target_nodes(h, b, faces ? 6 * e + f : e, node);
        for (int a = 0; a < corners; a++)
          memcpy(x[a], &h->point[3 * (int64_t)node[a]], sizeof x[a]);
        if (faces) {
          double u[3], v[3], n[3];
          for (int d = 0; d < 3; d++) {
            u[d] = x[2][d] - x[0][d];
            v[d] = x[3][d] - x[1][d];
          }
          for (int d = 0; d < 3; d++)
            n[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
          if (!(n[2] > 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])))
            continue;
        }
        if (pass) {
          double *place = &b->place[3 * (int64_t)b->targets], far = 0;
          b->target[b->targets] = faces ? 6 * e + f : e;
          for (int d = 0; d < 3; d++) {
            place[d] = 0;
            for (int a = 0; a < corners; a++)
              place[d] += x[a][d] / corners;
          }
          for (int a = 0; a < corners; a++)
            far = fmax(far, sqrt(pow(x[a][0] - place[0], 2) + pow(x[a][1] - place[1], 2) +
                                 pow(x[a][2] - place[2], 2)));
          b->size = fmax(b->size, 2 * far);
        }
        b->targets++;
      }
    if (pass)
      break;
    IG_TRY(IG_NEW(cx, &b->target, b->targets, "beam targets"));
    IG_TRY(IG_NEW(cx, &b->place, 3 * (size_t)b->targets, "beam targets"));
  }
  return ig_bins_new(cx, &b->bins, b->targets, b->place, fmax(0.5 * b->cutoff, 0.3 * b->size));
}

/* A path whose beam is on outside the mesh is a mistake, and so is one that never is. */
static ig_status path_check(ig_ctx *cx, const ig_beam_case *c, const ig_beam *b,
                            const ig_mesh *mesh) {
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
    for (int64_t k = i; k <= i + 1; k++)
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

/* Points a side so that none is further apart than 0.4 of the smallest length of the source. */
static int points_for(const ig_beam *b) {
  const ig_beam_shape *s = &b->shape;
  double least = s->radius;
  if (s->model != IG_BEAM_SURFACE)
    least = fmin(least, s->depth);
  if (s->model == IG_BEAM_GOLDAK)
    least = fmin(least, fmin(s->front, s->rear));
  const double n = ceil(b->size / (0.4 * least));
  return n < 2 ? 2 : n > 8 ? 8 : (int)n;
}

static ig_status beam_new(ig_ctx *cx, const ig_beam_case *c, ig_toolpath *path, const ig_heat *h,
                          double absorptivity, double reach, const ig_mesh *mesh, ig_beam *b) {
  ig_beam_shape *s = &b->shape;
  s->model = c->model;
  s->radius = c->radius;
  s->depth = isnan(c->depth) ? c->radius : c->depth;
  s->front = isnan(c->front) ? c->radius : c->front;
  s->rear = isnan(c->rear) ? 2 * s->front : c->rear;
  s->reach = isnan(c->reach) ? fmax(reach, c->radius) : c->reach;
  b->absorptivity = isnan(c->absorptivity) ? absorptivity : c->absorptivity;
  if (isnan(b->absorptivity))
    return ig_fail_at(
        cx, &c->at, "how much of the beam is absorbed? give absorptivity here or in the material");
  b->path = *path;
  memset(path, 0, sizeof *path);
  const double longest = fmax(fmax(s->front, s->rear), fmax(s->radius, s->depth));
  b->cutoff = s->model == IG_BEAM_SURFACE    ? 2.2 * s->radius
              : s->model == IG_BEAM_GOLDAK   ? 1.8 * longest
              : s->model == IG_BEAM_GAUSSIAN ? 1.8 * fmax(s->radius, s->depth)
                                             : fmax(2.2 * s->radius, s->depth);
  IG_TRY(path_check(cx, c, b, mesh));
  b->margin = 0.4 * s->radius;
  IG_TRY(targets_find(cx, h, b));
  s->far = b->cutoff + 0.5 * b->size;
  s->points = points_for(b);
  return IG_OK;
}

ig_status ig_beams_new(ig_ctx *cx, const ig_list *cases, ig_toolpath *paths, const ig_heat *h,
                       double absorptivity, double reach, const ig_mesh *mesh, ig_beams *beams) {
  memset(beams, 0, sizeof *beams);
  if (cases->count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &beams->beam, cases->count, "beams"));
  beams->count = cases->count;
  IG_TRY(IG_NEW(cx, &beams->number, h->nodes, "beam scenes"));
  IG_TRY(
      ig_array_new(cx, &beams->shape, (size_t)beams->count, sizeof(ig_beam_shape), "beam shapes"));
  for (int i = 0; i < cases->count; i++) {
    IG_TRY(beam_new(cx, IG_ITEM(const ig_beam_case, *cases, i), &paths[i], h, absorptivity, reach,
                    mesh, &beams->beam[i]));
    ((ig_beam_shape *)beams->shape.host)[i] = beams->beam[i].shape;
  }
  return ig_array_push(cx, &beams->shape);
}

void ig_beams_free(ig_ctx *cx, ig_beams *beams) {
  for (int i = 0; i < beams->count; i++) {
    ig_beam *b = &beams->beam[i];
    ig_toolpath_free(&b->path);
    ig_bins_free(&b->bins);
    free(b->target);
    free(b->place);
  }
  free(beams->beam);
  free(beams->number);
  free(beams->node);
  ig_array *arrays[] = {&beams->shape,   &beams->step,   &beams->shot,      &beams->scene,
                        &beams->x,       &beams->corner, &beams->ref_start, &beams->ref,
                        &beams->scratch, &beams->of};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(cx, arrays[i]);
  memset(beams, 0, sizeof *beams);
}

/* --- scenes: what is near the beams */

static bool target_there(const ig_heat *h, const ig_beam *b, ig_lid target) {
  if (b->shape.model != IG_BEAM_SURFACE)
    return target < h->next.elements;
  const ig_lid other = h->neighbor[target];
  return target / 6 < h->next.elements && (other < 0 || other >= h->next.elements);
}

static ig_status target_add(ig_ctx *cx, const ig_heat *h, ig_beams *beams, int beam,
                            ig_lid target) {
  IG_TRY(ig_heat_room(cx, &beams->of, (size_t)beams->targets, sizeof(int32_t)));
  IG_TRY(ig_heat_room(cx, &beams->corner, 8 * (size_t)(beams->targets + 1), sizeof(int32_t)));
  ((int32_t *)beams->of.host)[beams->targets] = beam;
  ig_lid node[8];
  const int corners = target_nodes(h, &beams->beam[beam], target, node);
  for (int a = 0; a < 8; a++) /* mesh numbers at first; see scene_number */
    ((int32_t *)beams->corner.host)[8 * (int64_t)beams->targets + a] = a < corners ? node[a] : -1;
  beams->targets++;
  return IG_OK;
}

/* Targets within reach of one beam's shots from `first` on, and a margin for it to move in. */
static ig_status beam_look(ig_ctx *cx, const ig_heat *h, ig_beams *beams, int beam, int32_t first) {
  ig_beam *b = &beams->beam[beam];
  const double across = b->cutoff + 0.5 * b->size;
  const double up = b->shape.model == IG_BEAM_SURFACE ? b->shape.reach : across;
  double low[3], high[3];
  int from[3], to[3];
  for (int d = 0; d < 3; d++) {
    b->low[d] = INFINITY;
    b->high[d] = -INFINITY;
    for (int32_t i = first; i < beams->shots; i++) {
      const ig_beam_shot *s = (const ig_beam_shot *)beams->shot.host + i;
      if (s->beam != beam)
        continue;
      b->low[d] = fmin(b->low[d], s->at[d] - b->margin);
      b->high[d] = fmax(b->high[d], s->at[d] + b->margin);
    }
    low[d] = b->low[d] - (d < 2 ? across : up);
    high[d] = b->high[d] + (d < 2 ? across : up);
  }
  if (!(low[0] <= high[0]) || !ig_bins_range(&b->bins, low, high, from, to))
    return IG_OK;
  for (int k = from[2]; k <= to[2]; k++)
    for (int j = from[1]; j <= to[1]; j++)
      for (int i = from[0]; i <= to[0]; i++) {
        const int64_t c = i + (int64_t)b->bins.cells[0] * (j + (int64_t)b->bins.cells[1] * k);
        for (int32_t n = b->bins.start[c]; n < b->bins.start[c + 1]; n++) {
          const int32_t t = b->bins.item[n];
          const double *p = &b->place[3 * (int64_t)t];
          if (p[0] >= low[0] && p[0] <= high[0] && p[1] >= low[1] && p[1] <= high[1] &&
              p[2] >= low[2] && p[2] <= high[2] && target_there(h, b, b->target[t]))
            IG_TRY(target_add(cx, h, beams, beam, b->target[t]));
        }
      }
  return IG_OK;
}

static int by_number(const void *a, const void *b) {
  const ig_lid p = *(const ig_lid *)a, q = *(const ig_lid *)b;
  return (p > q) - (p < q);
}

/* The nodes of the scene's targets, rising; corners and references in terms of them. */
static ig_status scene_number(ig_ctx *cx, const ig_heat *h, ig_beams *beams, ig_beam_scene *c) {
  int32_t *corner = (int32_t *)beams->corner.host + 8 * (int64_t)c->targets;
  const int64_t corners = 8 * (int64_t)c->target_count;
  if (corners > beams->node_room) {
    ig_lid *bigger = realloc(beams->node, (size_t)corners * sizeof *bigger);
    if (!bigger)
      return IG_FAIL(cx, IG_MEMORY, "no memory for what is near the beams");
    beams->node = bigger;
    beams->node_room = corners;
  }
  int32_t count = 0, refs = 0;
  for (int64_t i = 0; i < corners; i++)
    if (corner[i] >= 0 && beams->number[corner[i]]++ == 0)
      beams->node[count++] = corner[i];
  qsort(beams->node, (size_t)count, sizeof *beams->node, by_number);
  c->node_count = count;
  IG_TRY(ig_heat_room(cx, &beams->x, 3 * (size_t)(c->nodes + count), sizeof(double)));
  IG_TRY(ig_heat_room(cx, &beams->ref_start, (size_t)(c->nodes + beams->scenes + count + 1),
                      sizeof(int32_t)));
  IG_TRY(ig_heat_room(cx, &beams->ref, (size_t)c->refs + (size_t)corners, sizeof(int32_t)));
  int32_t *start = (int32_t *)beams->ref_start.host + c->nodes + beams->scenes;
  int32_t *ref = (int32_t *)beams->ref.host + c->refs;
  for (int32_t n = 0; n < count; n++) {
    memcpy((double *)beams->x.host + 3 * (int64_t)(c->nodes + n),
           &h->point[3 * (int64_t)beams->node[n]], 3 * sizeof(double));
    start[n] = refs;
    refs += beams->number[beams->node[n]];
    beams->number[beams->node[n]] = n;
  }
  start[count] = refs;
  for (int64_t i = 0; i < corners; i++)
    if (corner[i] >= 0) {
      corner[i] = beams->number[corner[i]];
      ref[start[corner[i]]++] = (int32_t)i; /* target x 8 + corner, rising */
    }
  for (int32_t n = count; n > 0; n--)
    start[n] = start[n - 1];
  start[0] = 0;
  for (int32_t n = 0; n < count; n++)
    beams->number[beams->node[n]] = 0;
  beams->refs = c->refs + refs;
  beams->nodes = c->nodes + count;
  return IG_OK;
}

/* A scene for the shots from `first` on. */
static ig_status scene_make(ig_ctx *cx, ig_beams *beams, ig_heat *h, int32_t first) {
  IG_TRY(ig_heat_room(cx, &beams->scene, (size_t)beams->scenes, sizeof(ig_beam_scene)));
  ig_beam_scene *c = (ig_beam_scene *)beams->scene.host + beams->scenes;
  *c = (ig_beam_scene){
      .nodes = beams->nodes, .targets = beams->targets, .refs = beams->refs, .node_count = 0};
  for (int i = 0; i < beams->count; i++)
    IG_TRY(beam_look(cx, h, beams, i, first));
  c->target_count = beams->targets - c->targets;
  IG_TRY(scene_number(cx, h, beams, c));
  if (c->target_count > beams->most_targets)
    beams->most_targets = c->target_count;
  beams->event = h->next.event;
  beams->scenes++;
  return ig_heat_batch_list(cx, h, beams->node, c->node_count, &beams->list);
}

/* --- steps */

/* Whether the last scene still serves shots [first, shots): nothing was born, none is far off. */
static bool scene_serves(const ig_beams *beams, const ig_heat *h, int32_t first) {
  if (beams->scenes == 0 || beams->event != h->next.event)
    return false;
  for (int32_t i = first; i < beams->shots; i++) {
    const ig_beam_shot *s = (const ig_beam_shot *)beams->shot.host + i;
    const ig_beam *b = &beams->beam[s->beam];
    for (int d = 0; d < 3; d++)
      if (!(s->at[d] >= b->low[d] && s->at[d] <= b->high[d]))
        return false;
  }
  return true;
}

/* One beam over one step: its energy piece by piece of the path, at as many places as its speed
   asks for. */
static ig_status beam_shots(ig_ctx *cx, ig_beams *beams, int beam, double time, double dt) {
  ig_beam *b = &beams->beam[beam];
  double at = time;
  const ig_toolpath *p = &b->path;
  while (at < time + dt) {
    const int64_t i = ig_path_piece(p, &b->cursor, at);
    if (i + 1 >= p->count)
      return IG_OK;
    double until = fmin(time + dt, p->t[i + 1]);
    if (i < 0 || p->power[i] <= 0 || until <= at) {
      at = until > at ? until : p->t[i + 1];
      continue;
    }
    const double length = p->t[i + 1] - p->t[i];
    double v[3], speed = 0, d[2] = {1, 0};
    for (int k = 0; k < 3; k++) {
      v[k] = (p->x[3 * (i + 1) + k] - p->x[3 * i + k]) / length;
      speed += v[k] * v[k];
    }
    speed = sqrt(speed);
    const double flat = sqrt(v[0] * v[0] + v[1] * v[1]);
    if (flat > 0)
      d[0] = v[0] / flat, d[1] = v[1] / flat;
    const double places_real = ceil(speed * (until - at) / (0.5 * b->shape.radius));
    const int places = places_real < 1 ? 1 : places_real > 64 ? 64 : (int)places_real;
    for (int k = 0; k < places; k++) {
      const double when = at + (until - at) * (k + 0.5) / places - p->t[i];
      const double energy = b->absorptivity * p->power[i] * (until - at) / places;
      IG_TRY(ig_heat_room(cx, &beams->shot, (size_t)beams->shots, sizeof(ig_beam_shot)));
      ((ig_beam_shot *)beams->shot.host)[beams->shots++] = (ig_beam_shot){
          {p->x[3 * i] + v[0] * when, p->x[3 * i + 1] + v[1] * when, p->x[3 * i + 2] + v[2] * when},
          {d[0], d[1]},
          energy / dt,
          beam};
      beams->asked += energy;
    }
    at = until;
  }
  return IG_OK;
}

ig_status ig_beams_step(ig_ctx *cx, ig_beams *beams, ig_heat *h, double time, double dt) {
  if (beams->count == 0)
    return IG_OK;
  const int32_t first = beams->shots;
  for (int i = 0; i < beams->count; i++)
    IG_TRY(beam_shots(cx, beams, i, time, dt));
  IG_TRY(ig_heat_room(cx, &beams->step, (size_t)beams->steps, sizeof(ig_beam_step)));
  ig_beam_step *step = (ig_beam_step *)beams->step.host + beams->steps++;
  *step = (ig_beam_step){.scene = -1, .shots = first, .shot_count = beams->shots - first};
  if (beams->shots == first)
    return IG_OK;
  if (!scene_serves(beams, h, first))
    IG_TRY(scene_make(cx, beams, h, first));
  step->scene = beams->scenes - 1;
  return ig_heat_batch_powers(cx, h, beams->list,
                              ((ig_beam_scene *)beams->scene.host)[step->scene].node_count,
                              &step->power);
}

ig_status ig_beams_power(ig_ctx *cx, ig_beams *beams, ig_heat *h) {
  if (beams->shots > 0) {
    const bool cuda = cx->backend->kernels == IG_KERNELS_CUDA;
    const int rooms = cuda ? 256 : cx->threads;
    const int64_t room = IG_BEAM_SCRATCH * ((int64_t)beams->most_targets + 1);
    if (beams->scratch.count < (size_t)(rooms * room)) {
      ig_array_free(cx, &beams->scratch);
      IG_TRY(ig_array_new_device(cx, &beams->scratch, 2 * (size_t)(rooms * room), sizeof(double),
                                 "beam scratch"));
    }
    IG_TRY(ig_heat_push(cx, &beams->step, (size_t)beams->steps));
    IG_TRY(ig_heat_push(cx, &beams->shot, (size_t)beams->shots));
    IG_TRY(ig_heat_push(cx, &beams->scene, (size_t)beams->scenes));
    IG_TRY(ig_heat_push(cx, &beams->x, 3 * (size_t)beams->nodes));
    IG_TRY(ig_heat_push(cx, &beams->of, (size_t)beams->targets));
    IG_TRY(ig_heat_push(cx, &beams->corner, 8 * (size_t)beams->targets));
    IG_TRY(ig_heat_push(cx, &beams->ref_start, (size_t)(beams->nodes + beams->scenes)));
    IG_TRY(ig_heat_push(cx, &beams->ref, (size_t)beams->refs));
    const ig_beam_view v = {.steps = beams->steps,
                            .rooms = rooms,
                            .room = room,
                            .shape = beams->shape.dev,
                            .step = beams->step.dev,
                            .shot = beams->shot.dev,
                            .scene = beams->scene.dev,
                            .x = beams->x.dev,
                            .beam = beams->of.dev,
                            .corner = beams->corner.dev,
                            .ref_start = beams->ref_start.dev,
                            .ref = beams->ref.dev,
                            .scratch = beams->scratch.dev,
                            .power = h->source_power.dev};
#ifdef INGOT_HAVE_CUDA
    IG_TRY(cuda ? ig_beam_power_cuda(cx, &v) : ig_beam_power_cpu(cx, &v));
#else
    IG_TRY(ig_beam_power_cpu(cx, &v));
#endif
  }
  beams->steps = beams->shots = beams->scenes = beams->nodes = beams->targets = beams->refs = 0;
  return IG_OK;
}
