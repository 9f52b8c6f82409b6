/* What the user asks for: the melt pool along every line, what of a layer has melted. */
#include "powder/powder.h"

#include <math.h>
#include <stdlib.h>

/* Extents of the points where the liquidus is crossed, along (u), across (v) and in depth. */
typedef struct {
  double low[3], high[3];
} extent;

static void extent_take(extent *e, const double *x, const double *way) {
  const double q[3] = {x[0] * way[0] + x[1] * way[1], x[1] * way[0] - x[0] * way[1], x[2]};
  for (int d = 0; d < 3; d++) {
    e->low[d] = fmin(e->low[d], q[d]);
    e->high[d] = fmax(e->high[d], q[d]);
  }
}

/* The line at a time, -1: none; r->line runs ahead with the time. */
static int64_t line_at(ig_powder_run *r, double time) {
  const ig_toolpath *p = &r->path;
  while (r->line + 1 < r->lines && p->t[r->line_of[r->line + 1].first] <= time)
    r->line++;
  const ig_powder_line *l = &r->line_of[r->line];
  return time >= p->t[l->first] && time <= p->t[l->last + 1] ? r->line : -1;
}

/* Crossings around one molten cell. */
static void cell_cross(const ig_powder_run *r, const int *c, int top, double T_liquidus,
                       const double *way, extent *e) {
  const ig_level *l = &r->fine;
  const double T = l->T[ig_level_at(l, c[0], c[1], c[2])];
  double x[3];
  for (int d = 0; d < 3; d++)
    x[d] = r->low[d] + (r->at[d] * r->r + c[d] + 0.5) * l->edge;
  extent_take(e, x, way);
  for (int d = 0; d < 3; d++)
    for (int s = -1; s <= 1; s += 2) {
      int n[3] = {c[0], c[1], c[2]};
      n[d] += s;
      if (n[d] < 0 || n[d] >= l->n[d] || n[2] > top)
        continue;
      const double next = l->T[ig_level_at(l, n[0], n[1], n[2])];
      if (next >= T_liquidus)
        continue;
      double y[3] = {x[0], x[1], x[2]};
      y[d] += s * l->edge * (T - T_liquidus) / (T - next);
      extent_take(e, y, way);
    }
}

void ig_powder_pool_look(ig_powder_run *r, double time) {
  const ig_level *l = &r->fine;
  const int top = (int)(r->bed - (int64_t)r->at[2] * r->r) - 1;
  const double T_liquidus = ig_powder_table_T(&r->tables, r->tables.liquidus);
  const int64_t line = line_at(r, time);
  extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  double way[2] = {1, 0};
  const double *a = &r->path.x[3 * r->line_of[r->line].first], *b = a + 3;
  const double length = hypot(b[0] - a[0], b[1] - a[1]);
  if (length > 0)
    way[0] = (b[0] - a[0]) / length, way[1] = (b[1] - a[1]) / length;
  r->hottest = 0;
  int64_t cells = 0;
  for (int k = 0; r->open && k <= top; k++)
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        const int c[3] = {i, j, k};
        const double T = l->T[ig_level_at(l, i, j, k)];
        r->hottest = fmax(r->hottest, T);
        if (T < T_liquidus)
          continue;
        cells++;
        cell_cross(r, c, top, T_liquidus, way, &e);
      }
  r->hottest_ever = fmax(r->hottest_ever, r->hottest);
  const double surface = r->low[2] + (double)r->bed * l->edge;
  r->pool = (ig_powder_pool){0};
  if (cells) {
    r->pool = (ig_powder_pool){.length = e.high[0] - e.low[0],
                               .width = e.high[1] - e.low[1],
                               .depth = surface - e.low[2],
                               .volume = (double)cells * l->edge * l->edge * l->edge};
  }
#define MOST(where, what) (where).what = fmax((where).what, r->pool.what)
  MOST(r->pool_most, length), MOST(r->pool_most, width), MOST(r->pool_most, depth);
  MOST(r->pool_most, volume);
  if (line < 0)
    return;
  ig_powder_line *q = &r->line_of[line];
  MOST(q->most, length), MOST(q->most, width), MOST(q->most, depth), MOST(q->most, volume);
#undef MOST
  q->looks++;
  q->width_mean += (r->pool.width - q->width_mean) / (double)q->looks;
  q->depth_mean += (r->pool.depth - q->depth_mean) / (double)q->looks;
}

double ig_powder_interlayer(const ig_powder_run *r) {
  const ig_level *l = &r->coarse;
  const int k = (int)((r->bed - 1) / r->r);
  double sum = 0, weight = 0;
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) {
      const double s = r->solid[ig_powder_cell(r, i, j, k)];
      sum += s * ig_powder_table_T(&r->tables, l->heat[ig_level_at(l, i, j, k)]);
      weight += s;
    }
  return weight > 0 ? sum / weight : NAN;
}

/* Cells of the layer inside a part: how many, how many of them melted. */
static ig_status part_count(ig_powder_run *r, const ig_scan_body *body, double z, int64_t thick,
                            int64_t *cells, int64_t *melted) {
  ig_outline outline;
  ig_spans in = {0};
  const double h = r->fine.edge, d[2] = {1, 0};
  IG_TRY(ig_scan_body_cut(r->cx, body, z, &outline));
  ig_status status = IG_OK;
  for (int64_t j = 0; j < r->nf[1] && status == IG_OK; j++) {
    const double o[2] = {r->low[0], r->low[1] + ((double)j + 0.5) * h};
    status = ig_outline_inside(r->cx, &outline, o, d, &in);
    for (int s = 0; s < in.count && status == IG_OK; s++) {
      const int64_t from = (int64_t)fmax(0, ceil(in.span[s].from / h - 0.5));
      const int64_t to = (int64_t)fmin((double)r->nf[0], ceil(in.span[s].to / h - 0.5));
      for (int64_t k = r->bed - thick; k < r->bed; k++)
        for (int64_t i = from; i < to; i++) {
          ++*cells;
          *melted += r->state[ig_powder_state_at(r, i, j, k)] >> IG_POWDER_MELTS > 0;
        }
    }
  }
  ig_spans_free(&in);
  ig_outline_free(&outline);
  return status;
}

ig_status ig_powder_layer_done(ig_powder_run *r, int64_t layer) {
  ig_powder_layer *l = &r->layer_of[layer];
  const double height = r->c->hatch.layer_height;
  const int64_t thick = (int64_t)llround(height / r->fine.edge);
  int64_t melted = 0;
  l->cells = 0;
  for (int i = 0; i < r->c->hatch.parts.count; i++)
    IG_TRY(part_count(r, &r->body[i], l->z - 0.5 * height, thick, &l->cells, &melted));
  l->melted = l->cells ? (double)melted / (double)l->cells : NAN;
  return IG_OK;
}
