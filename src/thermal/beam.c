/* What beams deposit: models, the elements and faces they touch, exact power. */
#include "thermal/beam.h"
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

static const int binary[8] = {0, 1, 3, 2, 4, 5, 7, 6};

static const ig_lid *conn_of(const ig_heat *h, ig_lid e) {
  return (const ig_lid *)h->elems.conn.host + 8 * (int64_t)e;
}

static void face_corners(const ig_heat *h, ig_lid target, double x[4][3], ig_lid *node) {
  const int *corner = ig_elem_face(IG_HEX8, (int)(target % 6));
  for (int a = 0; a < 4; a++) {
    node[a] = conn_of(h, target / 6)[binary[corner[a]]];
    memcpy(x[a], &h->point[3 * (int64_t)node[a]], sizeof x[a]);
  }
}

/* Elements, or faces that look up. */
static ig_status targets_find(ig_ctx *cx, const ig_heat *h, ig_beam *b) {
  const bool faces = b->model == IG_BEAM_SURFACE;
  for (int pass = 0; pass < 2; pass++) {
    b->targets = 0;
    for (ig_lid e = 0; e < h->elements; e++)
      for (int f = 0; f < (faces ? 6 : 1); f++) {
        double x[8][3];
        ig_lid node[8];
        const int corners = faces ? 4 : 8;
        if (faces) {
          face_corners(h, 6 * e + f, x, node);
          double u[3], v[3], n[3];
          for (int d = 0; d < 3; d++) {
            u[d] = x[2][d] - x[0][d];
            v[d] = x[3][d] - x[1][d];
          }
          for (int d = 0; d < 3; d++)
            n[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
          if (!(n[2] > 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])))
            continue;
        } else {
          for (int a = 0; a < 8; a++)
            memcpy(x[a], &h->point[3 * (int64_t)conn_of(h, e)[a]], sizeof x[a]);
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
        const double slack = d == 2 ? b->reach + b->cutoff : b->cutoff;
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

static ig_status beam_new(ig_ctx *cx, const ig_beam_case *c, ig_toolpath *path, const ig_heat *h,
                          double absorptivity, double reach, const ig_mesh *mesh, ig_beam *b) {
  b->model = (ig_beam_model)c->model;
  b->radius = c->radius;
  b->depth = isnan(c->depth) ? c->radius : c->depth;
  b->front = isnan(c->front) ? c->radius : c->front;
  b->rear = isnan(c->rear) ? 2 * b->front : c->rear;
  b->reach = isnan(c->reach) ? fmax(reach, c->radius) : c->reach;
  b->absorptivity = isnan(c->absorptivity) ? absorptivity : c->absorptivity;
  if (isnan(b->absorptivity))
    return ig_fail_at(
        cx, &c->at, "how much of the beam is absorbed? give absorptivity here or in the material");
  b->path = *path;
  memset(path, 0, sizeof *path);
  const double longest = fmax(fmax(b->front, b->rear), fmax(b->radius, b->depth));
  b->cutoff = b->model == IG_BEAM_SURFACE    ? 2.2 * b->radius
              : b->model == IG_BEAM_GOLDAK   ? 1.8 * longest
              : b->model == IG_BEAM_GAUSSIAN ? 1.8 * fmax(b->radius, b->depth)
                                             : fmax(2.2 * b->radius, b->depth);
  IG_TRY(path_check(cx, c, b, mesh));
  b->near_margin = 0.25 * b->radius;
  b->near_event = -1;
  return targets_find(cx, h, b);
}

ig_status ig_beams_new(ig_ctx *cx, const ig_list *cases, ig_toolpath *paths, const ig_heat *h,
                       double absorptivity, double reach, const ig_mesh *mesh, ig_beams *beams) {
  memset(beams, 0, sizeof *beams);
  IG_TRY(IG_NEW(cx, &beams->beam, cases->count, "beams"));
  beams->count = cases->count;
  IG_TRY(IG_NEW(cx, &beams->power, h->nodes, "beam power"));
  IG_TRY(IG_NEW(cx, &beams->touched, h->nodes, "beam power"));
  for (int i = 0; i < cases->count; i++)
    IG_TRY(beam_new(cx, IG_ITEM(const ig_beam_case, *cases, i), &paths[i], h, absorptivity, reach,
                    mesh, &beams->beam[i]));
  return IG_OK;
}

void ig_beams_free(ig_beams *beams) {
  for (int i = 0; i < beams->count; i++) {
    ig_beam *b = &beams->beam[i];
    ig_toolpath_free(&b->path);
    ig_bins_free(&b->bins);
    free(b->target);
    free(b->place);
    free(b->near);
    free(b->near_node);
    free(b->near_weight);
  }
  free(beams->beam);
  free(beams->power);
  free(beams->touched);
  memset(beams, 0, sizeof *beams);
}

static bool target_there(const ig_heat *h, const ig_beam *b, ig_lid target) {
  if (b->model != IG_BEAM_SURFACE)
    return target < h->next.elements;
  const ig_lid other = h->neighbor[target];
  return target / 6 < h->next.elements && (other < 0 || other >= h->next.elements);
}

/* Targets within the cutoff, and a margin for the beam to move in before looking again. */
static ig_status near_look(ig_ctx *cx, const ig_heat *h, ig_beam *b, const double *x) {
  const double across = b->cutoff + b->near_margin + 0.5 * b->size;
  const double up = b->model == IG_BEAM_SURFACE ? b->reach + b->near_margin : across;
  const double low[3] = {x[0] - across, x[1] - across, x[2] - up};
  const double high[3] = {x[0] + across, x[1] + across, x[2] + up};
  int from[3], to[3];
  b->near_count = 0;
  b->near_event = h->next.event;
  memcpy(b->near_at, x, sizeof b->near_at);
  if (!ig_bins_range(&b->bins, low, high, from, to))
    return IG_OK;
  for (int k = from[2]; k <= to[2]; k++)
    for (int j = from[1]; j <= to[1]; j++)
      for (int i = from[0]; i <= to[0]; i++) {
        const int64_t c = i + (int64_t)b->bins.cells[0] * (j + (int64_t)b->bins.cells[1] * k);
        for (int32_t n = b->bins.start[c]; n < b->bins.start[c + 1]; n++) {
          const int32_t t = b->bins.item[n];
          const double *p = &b->place[3 * (int64_t)t];
          if (p[0] < low[0] || p[0] > high[0] || p[1] < low[1] || p[1] > high[1] || p[2] < low[2] ||
              p[2] > high[2] || !target_there(h, b, b->target[t]))
            continue;
          if (b->near_count == b->near_room) {
            const int32_t room = b->near_room ? 2 * b->near_room : 256;
            int32_t *bigger = realloc(b->near, (size_t)room * sizeof *bigger);
            b->near = bigger ? bigger : b->near;
            ig_lid *nodes = realloc(b->near_node, 8 * (size_t)room * sizeof *nodes);
            b->near_node = nodes ? nodes : b->near_node;
            double *weights = realloc(b->near_weight, 8 * (size_t)room * sizeof *weights);
            b->near_weight = weights ? weights : b->near_weight;
            if (!bigger || !nodes || !weights)
              return IG_FAIL(cx, IG_MEMORY, "no memory for a beam's targets");
            b->near_room = room;
          }
          b->near[b->near_count++] = t;
        }
      }
  return IG_OK;
}

/* Relative intensity at a place; d: unit vector of travel in the plane. */
static double intensity(const ig_beam *b, const double *x, const double *at, const double *d) {
  const double r[3] = {x[0] - at[0], x[1] - at[1], x[2] - at[2]};
  const double flat = r[0] * r[0] + r[1] * r[1], R2 = b->radius * b->radius;
  switch (b->model) {
  case IG_BEAM_SURFACE:
    return exp(-2 * flat / R2);
  case IG_BEAM_GAUSSIAN:
    return exp(-3 * (flat / R2 + r[2] * r[2] / (b->depth * b->depth)));
  case IG_BEAM_GOLDAK: {
    const double along = r[0] * d[0] + r[1] * d[1], side2 = flat - along * along;
    const double length = along > 0 ? b->front : b->rear;
    return exp(-3 * (along * along / (length * length) + side2 / R2 +
                     r[2] * r[2] / (b->depth * b->depth)));
  }
  default:
    return r[2] <= 1e-9 && r[2] >= -b->depth ? exp(-2 * flat / R2) : 0;
  }
}

/* Points a side so that none is further apart than a third of the smallest length of the source. */
static int points_for(const ig_beam *b) {
  double least = b->radius;
  if (b->model != IG_BEAM_SURFACE)
    least = fmin(least, b->depth);
  if (b->model == IG_BEAM_GOLDAK)
    least = fmin(least, fmin(b->front, b->rear));
  const double n = ceil(b->size / (0.4 * least));
  return n < 2 ? 2 : n > 8 ? 8 : (int)n;
}

static void deposit(ig_beams *beams, ig_lid node, double power) {
  if (beams->power[node] == 0)
    beams->touched[beams->touched_count++] = node;
  beams->power[node] += power;
}

/* Shape-function weighted intensity of one target; returns its sum. */
static double target_weigh(const ig_heat *h, const ig_beam *b, ig_lid target, const double *at,
                           const double *d, int n, ig_lid *node, double *weight) {
  double sum = 0;
  if (b->model == IG_BEAM_SURFACE) {
    double x[4][3];
    face_corners(h, target, x, node);
    memset(weight, 0, 4 * sizeof *weight);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const double s = (i + 0.5) / n, t = (j + 0.5) / n;
        const double N[4] = {(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t};
        double y[3], u[3], v[3];
        for (int k = 0; k < 3; k++) {
          y[k] = N[0] * x[0][k] + N[1] * x[1][k] + N[2] * x[2][k] + N[3] * x[3][k];
          u[k] = (1 - t) * (x[1][k] - x[0][k]) + t * (x[2][k] - x[3][k]);
          v[k] = (1 - s) * (x[3][k] - x[0][k]) + s * (x[2][k] - x[1][k]);
        }
        /* the beam comes from above: what counts is the area it sees */
        const double area = u[0] * v[1] - u[1] * v[0];
        const double w = intensity(b, y, at, d) * area / (n * n);
        for (int a = 0; a < 4; a++)
          weight[a] += w * N[a];
        sum += w;
      }
    return sum;
  }
  const ig_lid *conn = conn_of(h, target);
  memcpy(node, conn, 8 * sizeof *node);
  memset(weight, 0, 8 * sizeof *weight);
  const double *x = h->point;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const double s[3] = {(i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n};
        double N[8], y[3] = {0}, J[3][3] = {{0}};
        for (int a = 0; a < 8; a++) {
          const double f[3] = {a & 1 ? s[0] : 1 - s[0], a & 2 ? s[1] : 1 - s[1],
                               a & 4 ? s[2] : 1 - s[2]};
          const double g[3] = {a & 1 ? 1 : -1, a & 2 ? 1 : -1, a & 4 ? 1 : -1};
          N[a] = f[0] * f[1] * f[2];
          for (int c = 0; c < 3; c++) {
            const double p = x[3 * (int64_t)conn[a] + c];
            y[c] += N[a] * p;
            J[0][c] += g[0] * f[1] * f[2] * p;
            J[1][c] += f[0] * g[1] * f[2] * p;
            J[2][c] += f[0] * f[1] * g[2] * p;
          }
        }
        const double det = J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
                           J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                           J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
        const double w = intensity(b, y, at, d) * det / (n * n * n);
        for (int a = 0; a < 8; a++)
          weight[a] += w * N[a];
        sum += w;
      }
  return sum;
}

/* Whether a target is near enough to count; the same whenever it was last looked for. */
static bool in_range(const ig_beam *b, int32_t t, const double *at) {
  const double *p = &b->place[3 * (int64_t)t], far = b->cutoff + 0.5 * b->size;
  const double r[3] = {p[0] - at[0], p[1] - at[1], p[2] - at[2]};
  if (b->model == IG_BEAM_SURFACE)
    return r[0] * r[0] + r[1] * r[1] <= far * far && fabs(r[2]) <= b->reach;
  return r[0] * r[0] + r[1] * r[1] + r[2] * r[2] <= far * far;
}

/* Deposits `power` W around a place: every watt of it, shared by intensity among what is there. */
static ig_status place_deposit(ig_ctx *cx, ig_beams *beams, ig_beam *b, const ig_heat *h,
                               const double *at, const double *d, double power, bool *found) {
  const double moved = fmax(fmax(fabs(at[0] - b->near_at[0]), fabs(at[1] - b->near_at[1])),
                            fabs(at[2] - b->near_at[2]));
  if (b->near_event != h->next.event || !(moved <= b->near_margin))
    IG_TRY(near_look(cx, h, b, at));
  const int n = points_for(b), corners = b->model == IG_BEAM_SURFACE ? 4 : 8;
  int32_t nearest = -1;
  double least = INFINITY, sum = 0;
  for (int32_t i = 0; i < b->near_count; i++) {
    double *weight = &b->near_weight[8 * (int64_t)i];
    ig_lid *node = &b->near_node[8 * (int64_t)i];
    node[0] = -1;
    if (!in_range(b, b->near[i], at))
      continue;
    const double *p = &b->place[3 * (int64_t)b->near[i]];
    const double far = pow(p[0] - at[0], 2) + pow(p[1] - at[1], 2) + pow(p[2] - at[2], 2);
    if (far < least) {
      least = far;
      nearest = i;
    }
    sum += target_weigh(h, b, b->target[b->near[i]], at, d, n, node, weight);
  }
  *found = nearest >= 0;
  if (!*found)
    return IG_OK;
  if (!(sum > 1e-30)) { /* between the points of all of them: the nearest takes it */
    for (int a = 0; a < corners; a++)
      deposit(beams, b->near_node[8 * (int64_t)nearest + a], power / corners);
    return IG_OK;
  }
  for (int64_t i = 0; i < b->near_count; i++)
    for (int a = 0; a < corners && b->near_node[8 * i] >= 0; a++)
      deposit(beams, b->near_node[8 * i + a], power * b->near_weight[8 * i + a] / sum);
  return IG_OK;
}

/* One beam over one step: its energy piece by piece of the path, at as many places as its speed
   asks for. */
static ig_status beam_step(ig_ctx *cx, ig_beams *beams, ig_beam *b, const ig_heat *h, double time,
                           double dt) {
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
    const double places_real = ceil(speed * (until - at) / (0.5 * b->radius));
    const int places = places_real < 1 ? 1 : places_real > 64 ? 64 : (int)places_real;
    for (int k = 0; k < places; k++) {
      const double when = at + (until - at) * (k + 0.5) / places - p->t[i];
      const double x[3] = {p->x[3 * i] + v[0] * when, p->x[3 * i + 1] + v[1] * when,
                           p->x[3 * i + 2] + v[2] * when};
      const double energy = b->absorptivity * p->power[i] * (until - at) / places;
      bool found;
      IG_TRY(place_deposit(cx, beams, b, h, x, d, energy / dt, &found));
      beams->asked += energy;
      beams->given += found ? energy : 0;
    }
    at = until;
  }
  return IG_OK;
}

ig_status ig_beams_step(ig_ctx *cx, ig_beams *beams, ig_heat *h, double time, double dt) {
  beams->touched_count = 0;
  for (int i = 0; i < beams->count; i++)
    IG_TRY(beam_step(cx, beams, &beams->beam[i], h, time, dt));
  for (ig_lid i = 0; i < beams->touched_count; i++) {
    const ig_lid n = beams->touched[i];
    IG_TRY(ig_heat_batch_source(cx, h, n, beams->power[n]));
    beams->power[n] = 0;
  }
  return IG_OK;
}
