/* Lack of fusion from the sizes of pools: lines h apart with pools w wide and d deep melt a layer
   of thickness l through if (h/w)^2 + (l/d)^2 <= 1 (Tang, Pistorius and Beuth, 2017): half-ellipses
   that overlap down to the layer's bottom. Where they do not, the share that stays unmelted follows
   from the same half-ellipses. And the map of keyhole indices. */
#include "powder/powder.h"
#include "backend/backend.h"

#include <math.h>

double ig_fusion_index(double h, double w, double l, double d) {
  return h / w * (h / w) + l / d * (l / d);
}

/* How far a pool reaches to one side at a depth z, m. */
static double half_width(const ig_fusion_pool *p, double z) {
  return z < p->depth ? 0.5 * p->width * sqrt(1 - z / p->depth * (z / p->depth)) : 0;
}

/* At a depth z two pools beside each other leave h - a(z) - b(z) between them, nothing where that
   is below 0. What one layer leaves the next ones may melt, l higher each; where their lines are
   turned, they hit or miss it by chance. */
double ig_fusion_porosity(double h, double l, const ig_fusion_pool *a, const ig_fusion_pool *b,
                          bool turned) {
  enum { DEPTHS = 200 };
  const double deepest = fmax(a->depth, b->depth);
  double sum = 0;
  for (int i = 0; i < DEPTHS; i++) {
    double left = 1;
    for (double z = (i + 0.5) / DEPTHS * l; z < deepest && left > 0; z = turned ? z + l : INFINITY)
      left *= fmax(0, 1 - (half_width(a, z) + half_width(b, z)) / h);
    sum += left / DEPTHS;
  }
  return sum;
}

/* Heat of the spot over what melting takes (King et al., 2014): A P / (pi h sqrt(D v a^3)), with
   the heat h up to the solidus, J/m^3, the diffusivity D there, the radius a. About 6 and more: the
   surface may boil, and a keyhole form. Pieces of a line count by their time; those that stand have
   none, nor has a beam without a radius. */
double ig_powder_enthalpy(const ig_powder_run *r, const ig_powder_line *l) {
  const ig_powder_tables *t = r->tables;
  const ig_toolpath *p = &r->laser[l->beam].path;
  double strength = 0, moves = 0; /* mean of P / sqrt(v) */
  for (int64_t i = l->first; i <= l->last; i++) {
    const double *x = &p->x[3 * i], takes = p->t[i + 1] - p->t[i],
                 v = hypot(x[3] - x[0], x[4] - x[1]) / takes;
    if (takes > 0 && v > 0)
      strength += (p->power[i] / sqrt(v) - strength) * takes / (moves += takes);
  }
  const bool known = r->across.kind == IG_PROFILE_GAUSSIAN || r->across.kind == IG_PROFILE_ORDER;
  if (!isfinite(t->solidus) || !(moves > 0) || !known)
    return NAN;
  const double T = r->material->solidus, step = 1 / t->per, a = r->c->beam.radius;
  const double low = t->solidus - step,
               slope = (ig_powder_table_T(t, t->solidus, 1) - ig_powder_table_T(t, low, 1)) / step,
               D = slope / ig_powder_table_resist(t, low, 1),
               h = t->solidus - ig_powder_table_heat(t, r->c->initial_temperature);
  const double absorbed = isnan(r->c->beam.powder_absorptivity)
                              ? ig_table_at(&r->material->absorptivity, T)
                              : r->c->beam.powder_absorptivity;
  return absorbed * strength / (M_PI * h * sqrt(D * a * a * a));
}

double ig_powder_drawn(const ig_powder_run *r, const ig_powder_line *l) {
  const double *t = r->laser[l->beam].path.t, begin = t[l->first], end = t[l->last + 1];
  return r->time >= end * (1 - 1e-12) ? 1 : r->time > begin ? (r->time - begin) / (end - begin) : 0;
}

bool ig_powder_undeveloped(const ig_powder_run *r, int64_t line) {
  const ig_powder_line *l = &r->line_of[line];
  const ig_toolpath *p = &r->laser[l->beam].path;
  const double drawn = ig_powder_drawn(r, l),
               *q = ig_powder_host(&r->array.line) + IG_LINE_COLUMNS * line;
  double way = 0;
  for (int64_t i = l->first; i <= l->last; i++)
    way += hypot(p->x[3 * i + 3] - p->x[3 * i], p->x[3 * i + 4] - p->x[3 * i + 1]);
  return drawn < 1 && drawn * way < 2 * q[IG_LINE_LENGTH];
}

/* The length of a straight line; 0: it is none, as contours. */
static double straight(const ig_toolpath *p, const ig_powder_line *l) {
  const double *a = &p->x[3 * l->first], *b = &p->x[3 * l->last + 3];
  double way = 0;
  for (int64_t i = l->first; i <= l->last; i++)
    way += hypot(p->x[3 * i + 3] - p->x[3 * i], p->x[3 * i + 4] - p->x[3 * i + 1]);
  const double length = hypot(b[0] - a[0], b[1] - a[1]);
  return length > 0.999 * way ? length : 0;
}

/* How far a line is from the one before or after it, m; NaN: these are not beside it. */
static double spacing_to(const ig_powder_run *r, const ig_powder_line *l,
                         const ig_powder_line *other) {
  const double *a = &r->laser[l->beam].path.x[3 * l->first],
               *b = &r->laser[l->beam].path.x[3 * l->last + 3],
               *c = &r->laser[other->beam].path.x[3 * other->first],
               *e = &r->laser[other->beam].path.x[3 * other->last + 3];
  const double u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {e[0] - c[0], e[1] - c[1]},
               length = hypot(u[0], u[1]), both = length * hypot(v[0], v[1]);
  if (!(both > 0) || fabs(u[0] * v[1] - u[1] * v[0]) > 0.01 * both)
    return NAN;
  return fabs((c[0] - a[0]) * u[1] - (c[1] - a[1]) * u[0]) / length;
}
static double spacing_of(const ig_powder_run *r, const ig_powder_layer *layer, int64_t i) {
  if (r->c->hatch.parts.count)
    return r->c->hatch.spacing;
  const double before = i > layer->line ? spacing_to(r, &r->line_of[i], &r->line_of[i - 1]) : NAN,
               after = i + 1 < layer->line + layer->lines
                           ? spacing_to(r, &r->line_of[i], &r->line_of[i + 1])
                           : NAN;
  return fmin(before, after); /* a number, where one of them is */
}

/* The mean pool of a line. */
static ig_fusion_pool pool_of(const ig_powder_run *r, int64_t line) {
  const double *q = ig_powder_host(&r->array.line) + IG_LINE_COLUMNS * line;
  return (ig_fusion_pool){q[IG_LINE_WIDTH_MEAN], q[IG_LINE_DEPTH_MEAN]};
}

/* What stays beside a line: between it and those drawn right before and after it, half of each gap
   is its own. Where one of these is not beside it, a pool as large as its own. */
static double unmelted(const ig_powder_run *r, const ig_powder_layer *layer, int64_t i, double h,
                       bool turned) {
  const ig_fusion_pool own = pool_of(r, i);
  double sum = 0;
  for (int64_t j = i - 1; j <= i + 1; j += 2) {
    const double apart = j >= layer->line && j < layer->line + layer->lines
                             ? spacing_to(r, &r->line_of[i], &r->line_of[j])
                             : NAN;
    const bool beside = apart > 0.5 * h && apart < 1.5 * h &&
                        ig_powder_host(&r->array.line)[IG_LINE_COLUMNS * j + IG_LINE_LOOKS] > 0 &&
                        !ig_powder_undeveloped(r, j);
    const ig_fusion_pool other = beside ? pool_of(r, j) : own;
    sum += 0.5 * ig_fusion_porosity(h, r->layer_height, &own, &other, turned);
  }
  return sum;
}

/* The coarse cells of the layer that a line goes over: the largest value of each. */
static void line_mark(const ig_powder_run *r, const ig_powder_line *l, double z, float *field,
                      double value) {
  const ig_toolpath *p = &r->laser[l->beam].path;
  const double H = r->coarse.edge;
  const int k = (int)fmin(fmax(floor((z - 0.5 * r->cell - r->low[2]) / H), 0), r->coarse.n[2] - 1);
  for (int64_t i = l->first; i <= l->last; i++) {
    const double *x = &p->x[3 * i];
    const int parts = 1 + (int)(hypot(x[3] - x[0], x[4] - x[1]) / (0.5 * H));
    for (int n = 0; n <= parts; n++) {
      int c[2];
      for (int d = 0; d < 2; d++)
        c[d] = (int)fmin(fmax((x[d] + n * (x[3 + d] - x[d]) / parts - r->low[d]) / H, 0),
                         r->coarse.n[d] - 1);
      float *at = &field[ig_powder_cell(r, c[0], c[1], k)];
      *at = fmaxf(*at, (float)value);
    }
  }
}

/* Records of the layer's lines, from the device. */
static ig_status lines_pull(const ig_powder_run *r, const ig_powder_layer *layer) {
  const size_t from = IG_LINE_COLUMNS * (size_t)layer->line * sizeof(double);
  if (!r->cx->backend->separate || layer->lines == 0)
    return IG_OK;
  return r->cx->backend->copy_out(r->cx, (char *)r->array.line.host + from,
                                  (const char *)r->array.line.dev + from,
                                  IG_LINE_COLUMNS * (size_t)layer->lines * sizeof(double));
}

ig_status ig_powder_fusion(ig_powder_run *r, ig_powder_layer *layer) {
  IG_TRY(lines_pull(r, layer));
  float *porosity = r->array.part_porosity.host, *keyhole = r->array.part_keyhole.host;
  const bool turned = r->c->hatch.parts.count == 0 || r->c->hatch.rotation != 0;
  double all = 0;
  layer->porosity = layer->index = layer->keyhole = NAN;
  for (int64_t i = layer->line; i < layer->line + layer->lines; i++) {
    const ig_powder_line *l = &r->line_of[i];
    const double *q = ig_powder_host(&r->array.line) + IG_LINE_COLUMNS * i,
                 w = q[IG_LINE_WIDTH_MEAN], d = q[IG_LINE_DEPTH_MEAN],
                 long_for = straight(&r->laser[l->beam].path, l), h = spacing_of(r, layer, i);
    if (q[IG_LINE_LOOKS] == 0)
      continue;
    const double enthalpy = ig_powder_enthalpy(r, l);
    layer->keyhole = fmax(layer->keyhole, enthalpy);
    if (enthalpy > 0)
      line_mark(r, l, layer->z, keyhole, enthalpy);
    if (!(long_for > 0) || isnan(h) || ig_powder_undeveloped(r, i))
      continue;
    const double share = unmelted(r, layer, i, h, turned);
    const double index = w > 0 && d > 0 ? ig_fusion_index(h, w, r->layer_height, d) : INFINITY;
    if (isnan(layer->index) || index > layer->index) {
      const double *a = &r->laser[l->beam].path.x[3 * l->first];
      const double *b = &r->laser[l->beam].path.x[3 * l->last + 3];
      layer->index = index;
      layer->weakest[0] = 0.5 * (a[0] + b[0]), layer->weakest[1] = 0.5 * (a[1] + b[1]);
    }
    all += long_for;
    const double was = isnan(layer->porosity) ? 0 : layer->porosity;
    layer->porosity = was + (share - was) * long_for / all;
    line_mark(r, l, layer->z, porosity, share);
  }
  return IG_OK;
}
