/* What the user asks for: the melt pool along every line, and how much of a layer has melted.
   Kernels look at cells in each step (powder_pool); here their aim is set and layers are counted
   when they are done. */
#include "powder/powder.h"
#include "backend/backend.h"

#include <math.h>

/* The line of a beam at a time, -1: none. l->line only moves on: times rise. */
static int64_t line_at(ig_powder_run *r, int beam, double time) {
  ig_powder_laser *l = &r->laser[beam];
  const double *t = l->path.t;
  for (int64_t i = l->line + 1; i < r->lines; i++)
    if (r->line_of[i].beam == beam) {
      if (t[r->line_of[i].first] > time)
        break;
      l->line = i;
    }
  if (l->line < 0)
    return -1;
  const ig_powder_line *q = &r->line_of[l->line];
  return time >= t[q->first] && time <= t[q->last + 1] ? l->line : -1;
}

/* For each beam its line, place and direction, and how far behind it the pool may reach: to the
   beginning of the line, or to where it turned, since beyond a corner the tail lies across and
   would be measured as width. */
void ig_powder_pool_aim(ig_powder_run *r, double time) {
  ig_powder_args *g = &r->view.a;
  for (int b = 0; b < r->beams; b++) {
    const ig_toolpath *path = &r->laser[b].path;
    double x[3], when = time;
    g->line[b] = line_at(r, b, time);
    const ig_powder_line *q = r->laser[b].line < 0 ? NULL : &r->line_of[r->laser[b].line];
    if (q && g->line[b] < 0) /* off: its pool is where the line ended */
      when = path->t[q->last] + (1 - 1e-9) * (path->t[q->last + 1] - path->t[q->last]);
    ig_powder_beam_at(r, b, when, x);
    g->here[b][0] = x[0], g->here[b][1] = x[1];
    g->box[b] = r->laser[b].has_box ? r->laser[b].box : (ig_powder_box){0};
    const double speed = ig_powder_beam_way(r, b, when, g->direction[b]);
    g->behind[b] = q ? speed * fmax(0, when - path->t[q->first]) : 0;
    /* ahead of a moving source temperatures fall by exp(-distance x speed / diffusivity) */
    g->ahead[b] = 2 * r->radius + fmin(4 * r->tables->diffusivity / speed, 10 * r->radius);
    bool corner = false;
    const double reach = q ? ig_powder_beam_straight(r, b, q->first, when, &corner) : INFINITY,
                 radius = r->radius;
    /* where it turned its tail lies across; the kernels look three radii farther back than this */
    if (isfinite(reach))
      g->behind[b] = corner ? reach - 4.5 * radius : fmax(0, reach - 3 * radius);
    if (corner && reach < 3 * radius)
      g->line[b] = -1;
  }
}

/* Mean over the topmost coarse level, weighted with the share that is solid: what was melted of the
   last layer. Of the host's arrays, once per layer. */
ig_status ig_powder_interlayer(ig_powder_run *r, ig_powder_layer *layer) {
  const ig_powder_level *l = &r->coarse;
  const int k = (int)((r->bed - 1) / r->r);
  const double *solid = r->array.solid.host;
  double sum = 0, weight = 0;
  IG_TRY(ig_powder_pull(r, IG_PULL_HEAT | IG_PULL_SOLID));
  layer->hottest = 0;
  for (int j = 0; j < l->n[1]; j++)
    for (int i = 0; i < l->n[0]; i++) {
      const double s = solid[ig_powder_cell(r, i, j, k)];
      const double T = ig_powder_table_T(r->tables, l->heat[ig_level_at(l, i, j, k)], s);
      sum += s * T;
      weight += s;
      if (s > 0 && T > layer->hottest) {
        layer->hottest = T;
        layer->hot[0] = r->low[0] + (i + 0.5) * l->edge;
        layer->hot[1] = r->low[1] + (j + 0.5) * l->edge;
      }
    }
  layer->interlayer = weight > 0 ? sum / weight : NAN;
  return IG_OK;
}

/* Levels of states are consecutive in memory: one copy. */
ig_status ig_powder_levels_pull(ig_powder_run *r, int64_t from, int64_t count, uint8_t *to) {
  const size_t level = (size_t)r->nf[0] * (size_t)r->nf[1];
  const uint8_t *at = (const uint8_t *)r->array.state.dev + (size_t)(from - r->live) * level;
  return r->cx->backend->copy_out(r->cx, to, at, (size_t)count * level);
}

ig_status ig_powder_layer_begin(ig_powder_run *r) {
  return ig_powder_levels_pull(r, r->bed - 1, 1, r->array.below.host);
}

/* Cells of the part, those that melted, their meltings; columns, those that melted the cell below.
 */
typedef struct {
  int64_t cells, melted, melts, columns, reached;
} layer_count;

/* A cell of the part, into the map of what did not melt. */
static void cell_count(const ig_powder_run *r, int64_t i, int64_t j, int64_t k, bool melted) {
  const size_t at = ig_powder_cell(r, (int)(i / r->r), (int)(j / r->r), (int)(k / r->r));
  ((float *)r->array.part_cells.host)[at] += 1;
  ((float *)r->array.part_unfused.host)[at] += melted ? 0 : 1;
}

/* A column of the part in the layer; `first`: the layer has not been counted before. */
static void column_count(const ig_powder_run *r, int64_t i, int64_t j, int64_t thick, bool first,
                         layer_count *n) {
  const uint8_t *below = r->array.below.host;
  for (int64_t k = r->bed - thick; k < r->bed; k++) {
    const int melts = r->state[ig_powder_state_at(r, i, j, k)] >> IG_POWDER_MELTS;
    n->cells++;
    n->melted += melts > 0;
    n->melts += melts;
    if (first)
      cell_count(r, i, j, k, melts > 0);
  }
  const uint8_t now = r->state[ig_powder_state_at(r, i, j, r->bed - thick - 1)];
  n->columns++;
  n->reached +=
      now >> IG_POWDER_MELTS > below[(size_t)j * (size_t)r->nf[0] + (size_t)i] >> IG_POWDER_MELTS;
}

/* Cells of the part in a layer: its outline at half height, cut with each row of cells; a cell
   belongs to the part if its middle does. */
static ig_status part_count(ig_powder_run *r, const ig_scan_body *body, double z, int64_t thick,
                            bool first, layer_count *n) {
  ig_outline outline;
  ig_spans in = {0};
  const double h = r->cell, d[2] = {1, 0};
  IG_TRY(ig_scan_body_cut(r->cx, body, z, &outline));
  ig_status status = IG_OK;
  for (int64_t j = 0; j < r->nf[1] && status == IG_OK; j++) {
    const double o[2] = {r->low[0], r->low[1] + ((double)j + 0.5) * h};
    status = ig_outline_inside(r->cx, &outline, o, d, &in);
    for (int s = 0; s < in.count && status == IG_OK; s++) {
      const int64_t from = (int64_t)fmax(0, ceil(in.span[s].from / h - 0.5));
      const int64_t to = (int64_t)fmin((double)r->nf[0], ceil(in.span[s].to / h - 0.5));
      for (int64_t i = from; i < to; i++)
        column_count(r, i, j, thick, first, n);
    }
  }
  ig_spans_free(&in);
  ig_outline_free(&outline);
  return status;
}

/* Called when the next layer is spread, and at the end: cells of the layer and the one level below
   it are pulled, not the whole bed. A layer that is counted twice adds to the map of unfused cells
   once. */
ig_status ig_powder_layer_done(ig_powder_run *r, int64_t layer) {
  ig_powder_layer *l = &r->layer_of[layer];
  const double height = r->layer_height;
  const int64_t thick = (int64_t)llround(height / r->cell), from = r->bed - thick - 1;
  layer_count n = {0};
  IG_TRY(ig_powder_windows_share(r, &r->set[r->now], IG_PULL_STATE));
  if (r->cx->backend->separate)
    IG_TRY(ig_powder_levels_pull(r, from, thick + 1, r->state + ig_powder_state_at(r, 0, 0, from)));
  for (int i = 0; i < r->c->hatch.parts.count; i++)
    IG_TRY(part_count(r, &r->body[i], l->z - 0.5 * height, thick, isnan(l->melted), &n));
  l->cells = n.cells;
  l->melted = n.cells ? (double)n.melted / (double)n.cells : NAN;
  l->melts = n.melted ? (double)n.melts / (double)n.melted : NAN;
  l->reached = n.columns ? (double)n.reached / (double)n.columns : NAN;
  return ig_powder_fusion(r, l);
}
