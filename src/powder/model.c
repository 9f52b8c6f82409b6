/* From the case to the bed: tables of the material, paths, lines and layers, grids, the plate at
   the start. ig_powder_open is the entry, for a run and for `ingot check`. What a user may have got
   wrong is found here, before anything large is allocated, with the place in the case. */
#include "powder/powder.h"
#include "io/toolpath/path_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* above the boiling point of any metal that is printed; tables go on straight beyond */
#define HOTTEST 6000.0    /* K, of the tables */
#define MOST_CELLS 4e9    /* fine cells of the bed: a byte each */
#define MOST_COARSE 400e6 /* and coarse ones */

/* --- tables */

/* Heat content between two temperatures, J/m^3, by the midpoint rule in steps of a quarter of a
   kelvin or finer; latent heat is spread over solidus to liquidus, at least 0.02 K. */
static double heat_at(const ig_material_case *m, double from, double to) {
  const double low = m->solidus, high = fmax(m->liquidus, m->solidus + 0.02);
  const int steps = (int)ceil((to - from) * 4) + 1;
  const double d = (to - from) / steps;
  double sum = 0;
  for (int i = 0; i < steps; i++) {
    const double a = from + i * d, T = a + 0.5 * d, b = a + d;
    const double density = ig_table_at(&m->density, T);
    sum += density * ig_table_at(&m->specific_heat, T) * d;
    if (m->latent_heat > 0 && b > low && a < high)
      sum += density * m->latent_heat * (fmin(b, high) - fmax(a, low)) / (high - low);
  }
  return sum;
}

/* What flow multiplies the conductivity by: nothing in the solid, all of it in the melt. */
static double mixed(const ig_material_case *m, const ig_powder_case *c, double T) {
  const double most = c->liquid_conductivity > 0 ? c->liquid_conductivity : 1,
               range = m->liquidus - m->solidus;
  if (most == 1 || !(T > m->solidus))
    return 1;
  return T < m->liquidus ? 1 + (most - 1) * (T - m->solidus) / range : most;
}

/* Heat content over temperature is inverted to tables over heat content, equally spaced, so that a
   look-up is one multiplication. The largest diffusivity, k / (dH/dT), of solid and powder bounds
   the time step. */
static ig_status tables_make(ig_powder_run *r) {
  const ig_material_case *m = r->material;
  ig_powder_tables *t;
  enum { POINTS = 6001 };
  IG_TRY(ig_material_require(r->cx, m, "density|specific_heat|conductivity", "physics: powder"));
  if (m->latent_heat > 0 && !(m->liquidus >= m->solidus))
    return ig_fail_at(r->cx, &m->at,
                      "material '%s' has a latent heat: give its solidus and a liquidus not below "
                      "it",
                      m->name);
  for (int i = 0; i < m->conductivity.count; i++)
    if (!(m->conductivity.y[i] > 0))
      return ig_fail_at(
          r->cx, &m->at,
          "material '%s': conductivity is %g W/(m K), physics: powder needs one above "
          "0",
          m->name, m->conductivity.y[i]);
  if (r->c->liquid_conductivity > 0 && r->c->liquid_conductivity != 1)
    IG_TRY(ig_material_require(r->cx, m, "solidus|liquidus", "liquid_conductivity"));
  IG_TRY(ig_array_new(r->cx, &r->array.tables, 1, sizeof *t, "tables"));
  r->tables = t = r->array.tables.host;
  /* by integration up to each kelvin, POINTS of them, and inverted below */
  double *heat; /* at 0, 1, 2, ... K */
  IG_TRY(IG_NEW(r->cx, &heat, POINTS, "tables"));
  for (int i = 1; i < POINTS; i++)
    heat[i] = heat[i - 1] + heat_at(m, i - 1, i);
  t->start = 0;
  t->packing = r->c->packing;
  t->unpack = 1 / t->packing;
  t->per = IG_POWDER_ROWS / heat[POINTS - 1];
  for (int row = 0, i = 0; row <= IG_POWDER_ROWS; row++) {
    const double u = row / t->per;
    while (i + 2 < POINTS && heat[i + 1] < u)
      i++;
    t->T[row] = i + (u - heat[i]) / (heat[i + 1] - heat[i]);
    const double k = ig_table_at(&m->conductivity, t->T[row]) * mixed(m, r->c, t->T[row]);
    t->solid[row] = 1 / k;
    t->powder[row] =
        m->powder_conductivity.count ? 1 / ig_table_at(&m->powder_conductivity, t->T[row]) : 1 / k;
  }
  for (int row = 0; row < IG_POWDER_ROWS; row++) {
    const double slope = (t->T[row + 1] - t->T[row]) * t->per; /* K per J/m^3 */
    const double resist = fmin(t->solid[row], t->solid[row + 1]);
    const double powder = fmin(t->powder[row], t->powder[row + 1]);
    t->diffusivity = fmax(t->diffusivity, fmax(slope / resist, slope / (powder * t->packing)));
  }
  free(heat);
  t->solidus = isnan(m->solidus) ? INFINITY : ig_powder_table_heat(t, m->solidus);
  t->liquidus = isnan(m->liquidus) ? INFINITY : ig_powder_table_heat(t, m->liquidus);
  t->sink = (1 - t->packing) * ig_powder_table_heat(t, ig_powder_new_T(r));
  return IG_OK;
}

/* --- path */

/* Whether the beam is on in piece i of a path, for some time. */
static bool on(const ig_toolpath *p, int64_t i) {
  return i + 1 < p->count && p->power[i] > 0 && p->t[i + 1] > p->t[i];
}

/* The next line of a beam from a piece on: runs of pieces with the beam on. */
static bool line_next(const ig_toolpath *p, int64_t *piece, ig_powder_line *l) {
  int64_t i = *piece;
  while (i < p->count && !on(p, i))
    i++;
  if (i >= p->count)
    return false;
  l->first = l->last = i;
  while (on(p, l->last + 1))
    l->last++;
  *piece = l->last + 1;
  return true;
}

/* Lines of all beams in the order in which they begin; a new layer where a path is higher than all
   before. Two passes over a merge of the beams' lines: count, then fill. */
static ig_status lines_find(ig_powder_run *r) {
  /* lines below a layer that was spread before, and the first of them (time, z), for the warning */
  int64_t below = 0;
  double first_below[2] = {0, 0};
  for (int pass = 0; pass < 2; pass++) {
    int64_t piece[IG_POWDER_BEAMS] = {0};
    ig_powder_line next[IG_POWDER_BEAMS];
    bool more[IG_POWDER_BEAMS];
    double top = -INFINITY;
    r->lines = r->layers = 0;
    for (int b = 0; b < r->beams; b++)
      more[b] = line_next(&r->laser[b].path, &piece[b], &next[b]);
    /* of the beams' next lines the one that begins first */
    for (;;) {
      int first = -1;
      for (int b = 0; b < r->beams; b++)
        if (more[b] && (first < 0 || r->laser[b].path.t[next[b].first] <
                                         r->laser[first].path.t[next[first].first]))
          first = b;
      if (first < 0)
        break;
      const ig_toolpath *p = &r->laser[first].path;
      const int64_t i = next[first].first;
      if (p->x[3 * i + 2] > top + 1e-9) {
        top = p->x[3 * i + 2];
        if (pass)
          r->layer_of[r->layers] = (ig_powder_layer){.birth = p->t[i],
                                                     .z = top,
                                                     .line = r->lines,
                                                     .interlayer = NAN,
                                                     .melted = NAN,
                                                     .melts = NAN,
                                                     .reached = NAN,
                                                     .hottest = NAN,
                                                     .hot = {NAN, NAN},
                                                     .index = NAN,
                                                     .weakest = {NAN, NAN},
                                                     .porosity = NAN,
                                                     .keyhole = NAN};
        r->layers++;
      }
      if (pass && p->x[3 * i + 2] < top - 1e-9 && below++ == 0)
        first_below[0] = p->t[i], first_below[1] = p->x[3 * i + 2];
      if (pass) {
        next[first].beam = first;
        r->line_of[r->lines] = next[first];
        r->layer_of[r->layers - 1].lines++;
      }
      r->lines++;
      more[first] = line_next(p, &piece[first], &next[first]);
    }
    if (!pass) {
      IG_TRY(IG_NEW(r->cx, &r->line_of, r->lines, "scan lines"));
      IG_TRY(IG_NEW(r->cx, &r->layer_of, r->layers, "layers"));
    }
  }
  if (below)
    ig_warn_at(r->cx, &r->c->at,
               "%lld lines lie below a layer that was spread before them: their beam works on its "
               "top; the first begins at %g s, at z = %g m",
               (long long)below, first_below[0], first_below[1]);
  if (r->lines == 0)
    return ig_fail_at(r->cx, &r->c->at, "the beam is never on");
  return IG_OK;
}

/* A hatch makes a path for each of its lasers; files are one path each. */
static int paths_count(const ig_powder_case *c) {
  return c->hatch.parts.count ? (int)c->hatch.lasers : c->paths.count;
}

/* All paths; on failure none is left. */
static ig_status paths_make(ig_ctx *cx, const ig_powder_case *c, ig_toolpath *path) {
  const int count = paths_count(c);
  if ((c->hatch.parts.count > 0) + (c->paths.count > 0) != 1)
    return ig_fail_at(cx, &c->at, "physics: powder needs one of hatch and paths");
  if (count > IG_POWDER_BEAMS)
    return ig_fail_at(cx, &c->at, "physics: powder has at most %d lasers (found %d)",
                      IG_POWDER_BEAMS, count);
  if (c->hatch.parts.count && c->layer_height > 0 && c->layer_height != c->hatch.layer_height)
    return ig_fail_at(cx, &c->at, "`layer_height` is for `paths`: hatch has its own");
  if (c->hatch.parts.count)
    return ig_hatch_make(cx, &c->hatch, path);
  if (!(c->layer_height > 0))
    return ig_fail_at(cx, &c->at, "paths from files need `layer_height`");
  ig_status status = IG_OK;
  for (int b = 0; b < count && status == IG_OK; b++)
    status = ig_path_read(cx, IG_ITEM(const ig_path_case, c->paths, b), &path[b]);
  for (int b = 0; b < count && status != IG_OK; b++)
    ig_toolpath_free(&path[b]);
  return status;
}

/* For `ingot path`: all paths are made, one is handed over. */
ig_status ig_powder_path(ig_ctx *cx, const void *room_case, int beam, ig_toolpath *path) {
  const ig_powder_case *c = room_case;
  ig_toolpath all[IG_POWDER_BEAMS] = {{0}};
  if (beam < 0 || beam >= paths_count(c))
    return ig_fail_at(cx, &c->at, "beam %d of %d", beam + 1, paths_count(c));
  IG_TRY(paths_make(cx, c, all));
  *path = all[beam];
  for (int b = 0; b < IG_POWDER_BEAMS; b++)
    if (b != beam)
      ig_toolpath_free(&all[b]);
  return IG_OK;
}

/* --- grids */

/* Where the parts are, or the lines of paths from files. */
static ig_status extent(const ig_powder_run *r, double *low, double *high) {
  for (int i = 0; i < r->c->hatch.parts.count; i++)
    for (int d = 0; d < 2; d++) {
      low[d] = fmin(low[d], r->body[i].low[d]);
      high[d] = fmax(high[d], r->body[i].high[d]);
    }
  for (int b = 0; b < r->beams && r->c->hatch.parts.count == 0; b++) {
    ig_toolpath_survey s;
    IG_TRY(ig_toolpath_look(r->cx, &r->laser[b].path, &s));
    for (int d = 0; d < 2 && s.time_on > 0; d++) {
      low[d] = fmin(low[d], s.low[d]);
      high[d] = fmax(high[d], s.high[d]);
    }
  }
  return IG_OK;
}

/* Sizes of the grids. A layer must be a whole number of fine cells, else its top would lie within a
   cell; the parts' lowest corner lies on a corner of coarse cells. A window is at least 12 beam
   radii wide. */
static ig_status sizes_choose(ig_powder_run *r) {
  int *n = r->coarse.n;
  const ig_powder_grid *g = &r->c->grid;
  const double h = g->cell, H = h * (double)g->ratio, layer = r->layer_height;
  double part_low[2] = {INFINITY, INFINITY}, part_high[2] = {-INFINITY, -INFINITY};
  IG_TRY(extent(r, part_low, part_high));
  if (fabs(layer / h - round(layer / h)) > 1e-6 || layer < 0.5 * h)
    return ig_fail_at(r->cx, &g->at,
                      "a layer of %g m is no whole number of cells of %g m: expected, for example, "
                      "cell: %.12g m",
                      layer, h, layer / fmax(1, round(layer / h)));
  /* the first layer lies on the plate, whose top is `base`; the plate is whole coarse cells deep */
  const double base = r->layer_of[0].z - layer, deep = ceil(g->plate / H - 1e-9) * H;
  const double top = r->layer_of[r->layers - 1].z;
  double cells = 1;
  for (int d = 0; d < 3; d++) {
    /* the lowest corner of the parts is a corner of coarse cells. powder around the parts, in whole
       coarse cells */
    const double around = ceil(g->margin / H - 1e-6) * H;
    const double low = d < 2 ? part_low[d] - around : base - deep;
    const double wide = (d < 2 ? part_high[d] + g->margin : top) - low;
    const double count = fmax(1, ceil(wide / H - 1e-6));
    if (!(count < 1e6) || !((cells *= count) < MOST_COARSE))
      return ig_fail_at(r->cx, &g->at,
                        "a bed of %.4g m has too many cells of %g m: take larger "
                        "ones",
                        wide, H);
    n[d] = (int)count;
    r->low[d] = low;
    r->nf[d] = n[d] * g->ratio;
    r->fits = isnan(g->window[0]);
    const double least = d < 2 ? 12 * r->radius : layer + 3 * r->radius;
    const double want = ceil((r->fits ? least : g->window[d]) / H - 1e-6);
    if (!(want > 0))
      return ig_fail_at(r->cx, &g->at, "the window needs a size in x, y and z");
    r->size[d] = want < n[d] ? (int)want : n[d];
    if (d < 2 && r->size[d] < n[d] && !r->fits && g->window[d] < least * (1 - 1e-9))
      return ig_fail_at(r->cx, &g->at, "the window needs at least 12 beam radii in x and y: %g m",
                        least);
  }
  if (cells * pow((double)g->ratio, 3) > MOST_CELLS)
    return ig_fail_at(r->cx, &g->at, "a bed of %.3g cells of %g m: take larger ones",
                      cells * pow((double)g->ratio, 3), h);
  r->r = (int)g->ratio;
  r->cell = h;
  r->coarse.edge = H;
  r->plate = r->bed = (int64_t)round(deep / h);
  return IG_OK;
}

/* Probes lie in the bed, once all layers are there. */
static ig_status probes_check(const ig_powder_run *r) {
  const ig_list *probes = &r->c->probes;
  if (probes->count > IG_POWDER_PROBES)
    return ig_fail_at(r->cx, &IG_ITEM(const ig_powder_probe, *probes, IG_POWDER_PROBES)->at,
                      "%d probes: at most %d", probes->count, IG_POWDER_PROBES);
  for (int i = 0; i < probes->count; i++) {
    const ig_powder_probe *p = IG_ITEM(const ig_powder_probe, *probes, i);
    double high[3];
    bool in = true;
    for (int d = 0; d < 3; d++) {
      high[d] = d < 2 ? r->low[d] + r->coarse.n[d] * r->coarse.edge : r->layer_of[r->layers - 1].z;
      in &= p->point[d] >= r->low[d] - 1e-9 && p->point[d] <= high[d] + 1e-9;
    }
    if (!in)
      return ig_fail_at(r->cx, &p->at,
                        "probe '%s' at (%.4g, %.4g, %.4g) m is not in the bed, from (%.4g, %.4g, "
                        "%.4g) to (%.4g, %.4g, %.4g) m",
                        p->name, p->point[0], p->point[1], p->point[2], r->low[0], r->low[1],
                        r->low[2], high[0], high[1], high[2]);
  }
  return IG_OK;
}

/* The plate, at the start. */
static ig_status bed_start(ig_powder_run *r) {
  const double u = ig_powder_table_heat(r->tables, r->c->initial_temperature);
  const ig_powder_level *l = &r->coarse;
  double *solid = r->array.solid.host;
  for (int k = 0; k < l->n[2]; k++) {
    const bool plate = (int64_t)k * r->r < r->plate;
    for (int j = 0; j < l->n[1]; j++)
      for (int i = 0; i < l->n[0]; i++) {
        l->heat[ig_level_at(l, i, j, k)] = plate ? u : 0;
        solid[ig_powder_cell(r, i, j, k)] = plate ? 1 : 0;
      }
  }
  ig_powder_states_plate(r);
  IG_TRY(ig_powder_fill(r));
  return ig_powder_push(r);
}

/* Beams start on no line (-1); the first step finds theirs. */
static ig_status paths_open(ig_powder_run *r) {
  ig_toolpath path[IG_POWDER_BEAMS] = {{0}};
  IG_TRY(paths_make(r->cx, r->c, path));
  r->beams = paths_count(r->c);
  r->layer_height = r->c->hatch.parts.count ? r->c->hatch.layer_height : r->c->layer_height;
  for (int b = 0; b < r->beams; b++) {
    r->laser[b].path = path[b];
    r->laser[b].line = -1;
    for (int64_t i = 0; i < path[b].count; i++)
      path[b].power[i] *= 1 - r->c->beam.loss;
  }
  return lines_find(r);
}

/* What `duration` cuts off: layers that are spread later, light that is sent later. */
static void cut_warn(const ig_powder_run *r) {
  double later = 0, all = 0, last = 0, on;
  int64_t layers = 0;
  for (int64_t i = 0; i < r->layers; i++)
    layers += r->layer_of[i].birth >= r->duration;
  for (int b = 0; b < r->beams; b++) {
    later += ig_toolpath_after(&r->laser[b].path, r->duration, &on);
    all += ig_toolpath_after(&r->laser[b].path, -INFINITY, &on);
    last = fmax(last, on);
  }
  if (later > 1e-6 * all)
    ig_warn_at(r->cx, &r->c->at,
               "`duration` ends the case at %g s, before its path: %lld of %lld layers are not "
               "spread, lasers are on until %.6g s, and %.3g J of %.3g J are not sent: leave it "
               "out, or give a longer one",
               r->duration, (long long)layers, (long long)r->layers, last, later, all);
}

/* Order: tables, paths (which give layers), parts, sizes (which need both), arrays, the plate. */
ig_status ig_powder_open(ig_job *job, ig_powder_run *r) {
  memset(r, 0, sizeof *r);
  r->job = job;
  r->cx = job->cx;
  r->c = job->room_case;
  if (!job->materials || job->materials->count != 1)
    return ig_fail_at(r->cx, &r->c->at, "physics: powder needs one material");
  r->material = IG_ITEM(const ig_material_case, *job->materials, 0);
  IG_TRY(ig_material_require(r->cx, r->material, "absorptivity", "physics: powder"));
  if (isnan(r->material->solidus))
    ig_warn_at(r->cx, &r->material->at,
               "material '%.60s' has no `solidus`: nothing melts, and powder stays powder",
               r->material->name);
  IG_TRY(tables_make(r));
  IG_TRY(paths_open(r));
  IG_TRY(IG_NEW(r->cx, &r->body, r->c->hatch.parts.count, "parts"));
  for (int i = 0; i < r->c->hatch.parts.count; i++)
    IG_TRY(
        ig_scan_body_open(r->cx, IG_ITEM(const ig_scan_part, r->c->hatch.parts, i), &r->body[i]));
  IG_TRY(ig_powder_profile_make(r));
  IG_TRY(sizes_choose(r));
  IG_TRY(probes_check(r));
  IG_TRY(ig_powder_arrays_make(r));
  IG_TRY(ig_powder_events_make(r));
  IG_TRY(bed_start(r));
  const double h = r->cell;
  /* explicit conduction in three dimensions is stable up to h^2 / (6 D) */
  r->dt_fine = r->c->safety * h * h / (6 * r->tables->diffusivity);
  r->duration = r->c->duration;
  if (isnan(r->duration)) {
    r->duration = 0;
    for (int b = 0; b < r->beams; b++)
      if (r->laser[b].path.count > 0)
        r->duration = fmax(r->duration, r->laser[b].path.t[r->laser[b].path.count - 1]);
  }
  cut_warn(r);
  ig_powder_advise(r);
  ig_powder_host(&r->array.pool)[IG_POOL_MOST + 4] = r->c->initial_temperature;
  IG_TRY(ig_array_push(r->cx, &r->array.pool));
  /* the balance counts from here */
  r->stored0 = ig_powder_stored(r);
  return IG_OK;
}

/* Also of a run that opened in part. */
void ig_powder_close(ig_powder_run *r) {
  for (int b = 0; b < IG_POWDER_BEAMS; b++)
    ig_toolpath_free(&r->laser[b].path);
  if (r->cx)
    ig_powder_arrays_free(r);
  free(r->layer_of);
  free(r->line_of);
  for (int i = 0; r->body && i < r->c->hatch.parts.count; i++)
    ig_scan_body_close(&r->body[i]);
  free(r->body);
}
