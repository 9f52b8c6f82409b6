/* Arrays of a powder bed and the view that kernels have of them. Host code never touches a grid's
   values directly while steps run: it pulls what it wants to see (ig_powder_pull). */
#include "powder/powder.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Coarse cells with the layer of ghosts around them. */
static size_t ghosted(const ig_powder_run *r) {
  return ig_level_count(&r->coarse);
}

/* With a host side, or on the device alone, zeroed: what only kernels use. */
static ig_status doubles(ig_powder_run *r, ig_array *a, size_t count) {
  return ig_array_new(r->cx, a, count, sizeof(double), "powder bed");
}
static ig_status device_doubles(ig_powder_run *r, ig_array *a, size_t count) {
  IG_TRY(ig_array_new_device(r->cx, a, count, sizeof(double), "powder bed"));
  return ig_array_zero(r->cx, a);
}

/* Arrays of the bed. `shape` is `fill` with 1 in place of 0: a divisor. `ones` is that of windows,
   whose fine levels are full or empty. Ghosts start closed. */
static ig_status bed_make(ig_powder_run *r) {
  ig_powder_arrays *a = &r->array;
  const int *n = r->coarse.n;
  const size_t all = ghosted(r), cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2],
               columns = (size_t)n[0] * (size_t)n[1], fine = (size_t)r->nf[0] * (size_t)r->nf[1];
  IG_TRY(doubles(r, &a->heat, all));
  IG_TRY(device_doubles(r, &a->T, all));
  IG_TRY(doubles(r, &a->resist, all));
  IG_TRY(device_doubles(r, &a->old, all));
  IG_TRY(device_doubles(r, &a->before, all));
  IG_TRY(doubles(r, &a->solid, cells));
  IG_TRY(ig_array_new(r->cx, &a->part_cells, cells, sizeof(float), "cells of the parts"));
  IG_TRY(ig_array_new(r->cx, &a->part_unfused, cells, sizeof(float), "cells of the parts"));
  IG_TRY(ig_array_new(r->cx, &a->part_porosity, cells, sizeof(float), "cells of the parts"));
  IG_TRY(ig_array_new(r->cx, &a->part_keyhole, cells, sizeof(float), "cells of the parts"));
  IG_TRY(ig_array_new(r->cx, &a->part_melts, cells, sizeof(float), "cells of the parts"));
  IG_TRY(doubles(r, &a->fill, (size_t)n[2]));
  IG_TRY(doubles(r, &a->fill_was, (size_t)n[2]));
  IG_TRY(doubles(r, &a->shape, (size_t)n[2] + 2));
  IG_TRY(doubles(r, &a->ones, (size_t)r->nf[2] + 2));
  IG_TRY(doubles(r, &a->source, fine));
  IG_TRY(doubles(r, &a->lost, fine));
  IG_TRY(doubles(r, &a->held, fine));
  if (r->c->evaporation) {
    IG_TRY(doubles(r, &a->evaporated, fine));
    IG_TRY(device_doubles(r, &a->light, fine));
    IG_TRY(device_doubles(r, &a->surface, fine));
  }
  IG_TRY(doubles(r, &a->coarse_lost, columns));
  IG_TRY(doubles(r, &a->coarse_held, columns));
  IG_TRY(device_doubles(r, &a->lost_now, columns));
  IG_TRY(device_doubles(r, &a->lost_before, columns));
  IG_TRY(device_doubles(r, &a->held_now, columns));
  IG_TRY(device_doubles(r, &a->held_before, columns));
  for (size_t i = 0; i < all; i++)
    ig_powder_host(&a->resist)[i] = IG_LEVEL_CLOSED;
  for (int k = 0; k < n[2] + 2; k++)
    ig_powder_host(&a->shape)[k] = 1;
  for (int64_t k = 0; k < r->nf[2] + 2; k++)
    ig_powder_host(&a->ones)[k] = 1;
  IG_TRY(ig_array_new(r->cx, &a->below, fine, 1, "states of a level"));
  IG_TRY(ig_array_new(r->cx, &a->top, fine, 1, "states of a level"));
  return ig_powder_states_make(r);
}

/* The middle of the fine cell that a probe is in: it is read there whether a window is over it or
   coarse cells are interpolated, and does not jump when a window comes. On a face between two the
   lower cell, so that a probe on the surface of a layer or the plate is in it. */
static void probe_centre(const ig_powder_run *r, const double *point, double *to) {
  for (int d = 0; d < 3; d++) {
    const double most = (double)r->nf[d] - 1,
                 at = ceil((point[d] - r->low[d]) / r->cell - 1e-6) - 1;
    to[d] = r->low[d] + (fmin(fmax(at, 0), most) + 0.5) * r->cell;
  }
}

/* What is looked at: pools, lines, counts of molten cells, probes. Probes start at the initial
   temperature. */
static ig_status looks_make(ig_powder_run *r) {
  ig_powder_arrays *a = &r->array;
  const size_t probes = (size_t)r->c->probes.count;
  IG_TRY(ig_array_new(r->cx, &a->keys, IG_POWDER_KEYS, sizeof(uint64_t), "pool"));
  /* rows of bits of the largest window there may be */
  const size_t words = (size_t)((r->nf[0] + 31) / 32 * r->nf[1]);
  IG_TRY(ig_array_new(r->cx, &a->wet, words, sizeof(uint32_t), "pool"));
  IG_TRY(ig_array_new(r->cx, &a->own_pool, words * (size_t)r->beams, sizeof(uint32_t), "pool"));
  IG_TRY(doubles(r, &a->pool, IG_POOL_COLUMNS));
  IG_TRY(doubles(r, &a->ground, IG_POWDER_BEAMS));
  for (int b = 0; b < IG_POWDER_BEAMS; b++)
    ig_powder_host(&a->ground)[b] = r->c->initial_temperature;
  IG_TRY(doubles(r, &a->line, IG_LINE_COLUMNS * (size_t)r->lines));
  IG_TRY(ig_array_new(r->cx, &a->molten, IG_MOLTEN_COUNT, sizeof(int), "pool"));
  IG_TRY(ig_array_new(r->cx, &a->sunk, 1, sizeof(uint64_t), "powder bed"));
  IG_TRY(doubles(r, &a->probe_at, 3 * probes));
  IG_TRY(doubles(r, &a->probe_now, probes));
  IG_TRY(doubles(r, &a->probe_peak, probes));
  for (size_t i = 0; i < probes; i++) {
    const ig_powder_probe *p = IG_ITEM(const ig_powder_probe, r->c->probes, i);
    probe_centre(r, p->point, ig_powder_host(&a->probe_at) + 3 * i);
    ig_powder_host(&a->probe_now)[i] = r->c->initial_temperature;
    ig_powder_host(&a->probe_peak)[i] = r->c->initial_temperature;
  }
  return IG_OK;
}

/* 1e-6 of a cell is forgiven on the way from metres to cells. */
bool ig_powder_cells_in(const ig_powder_run *r, const double *min, const double *max, int64_t *at,
                        int64_t *n, double *cells) {
  *cells = 1;
  for (int d = 0; d < 3; d++) {
    const double low = fmax(0, floor((min[d] - r->low[d]) / r->cell + 1e-6));
    const double high = fmin((double)r->nf[d], ceil((max[d] - r->low[d]) / r->cell - 1e-6));
    if (!(high > low))
      return false;
    at[d] = (int64_t)low;
    n[d] = (int64_t)(high - low);
    *cells *= high - low;
  }
  return true;
}

/* Memory of the cells whose history is kept. */
static ig_status map_make(ig_powder_run *r) {
  const ig_powder_map_case *c = &r->c->map;
  ig_powder_map *m = &r->view.map;
  if (!c->at.given)
    return IG_OK;
  double cells;
  if (!ig_powder_cells_in(r, c->min, c->max, m->at, m->n, &cells))
    return ig_fail_at(r->cx, &c->at, "the map is not in the bed");
  /* of images 17 GB, of tables 2 GB at most. cells: 17 bytes each in an image, about 100 bytes each
     as text */
  const double most = c->format == IG_MAP_VTI ? 1e9 : 20e6;
  if (cells > most)
    return ig_fail_at(r->cx, &c->at, "a map of %.3g cells; at most %g are kept%s", cells, most,
                      c->format == IG_MAP_VTI ? "" : " as csv: take `format: vti`");
  IG_TRY(ig_array_new(r->cx, &r->array.map, (size_t)cells * IG_MAP_COLUMNS, sizeof(float), "map"));
  float *value = r->array.map.host;
  for (size_t i = 0; i < (size_t)cells; i++)
    for (int k = 0; k < IG_MAP_COLUMNS; k++)
      value[IG_MAP_COLUMNS * i + (size_t)k] = k == IG_MAP_PEAK ? 0 : NAN;
  m->value = r->array.map.dev;
  return IG_OK;
}

/* Paths are on the host as well: the host decides where windows go, the device where heat goes.
   IG_WAY_T and so on are arrays of beam b from way[IG_POWDER_WAY b] on. */
static ig_status beams_make(ig_powder_run *r) {
  ig_powder_arrays *a = &r->array;
  const ig_table *t = &r->material->absorptivity;
  IG_TRY(ig_array_from(r->cx, &a->absorb_T, t->x, (size_t)t->count, sizeof(double), "material"));
  IG_TRY(ig_array_from(r->cx, &a->absorb, t->y, (size_t)t->count, sizeof(double), "material"));
  for (int b = 0; b < r->beams; b++) {
    const ig_toolpath *p = &r->laser[b].path;
    const size_t n = (size_t)p->count;
    ig_array *way = &a->way[IG_POWDER_WAY * b];
    IG_TRY(ig_array_from(r->cx, &way[IG_WAY_T], p->t, n, sizeof(double), "path"));
    IG_TRY(ig_array_from(r->cx, &way[IG_WAY_X], p->x, 3 * n, sizeof(double), "path"));
    IG_TRY(ig_array_from(r->cx, &way[IG_WAY_POWER], p->power, n, sizeof(double), "path"));
    if (r->c->beam.keyhole.at.given)
      IG_TRY(ig_array_new(r->cx, &way[IG_WAY_KIND], n, sizeof(int), "keyholes"));
    r->view.way[b] = (ig_powder_way){.t = way[IG_WAY_T].dev,
                                     .x = way[IG_WAY_X].dev,
                                     .power = way[IG_WAY_POWER].dev,
                                     .kind = way[IG_WAY_KIND].dev,
                                     .count = p->count};
    r->way[b] = (ig_powder_way){
        .t = p->t, .x = p->x, .power = p->power, .kind = way[IG_WAY_KIND].host, .count = p->count};
  }
  return ig_powder_keyholes_make(r);
}

/* What a look at a cell needs of the tables. Powder mostly has one conductivity, and then its
   resistance is a number instead of a second table look-up. */
static ig_powder_law law_of(const ig_powder_tables *t) {
  bool even = true;
  for (int i = 0; i <= IG_POWDER_ROWS && even; i++)
    even = t->powder[i] == t->powder[0];
  return (ig_powder_law){.start = t->start,
                         .per = t->per,
                         .solidus = t->solidus,
                         .liquidus = t->liquidus,
                         .packed = t->packing * t->liquidus,
                         .unpack = t->unpack,
                         .powder = even ? t->powder[0] : NAN};
}

/* The view is made once; bed height, windows and arguments of launches change in it later. Device
   addresses do not change later, but for windows, whose arrays grow. */
static void view_make(ig_powder_run *r) {
  ig_powder_view *v = &r->view;
  const ig_powder_arrays *a = &r->array;
  const ig_powder_case *c = r->c;
  v->tables = a->tables.dev;
  v->law = law_of(r->tables);
  v->coarse = r->coarse;
  v->coarse.heat = a->heat.dev;
  v->coarse.T = a->T.dev;
  v->coarse.resist = a->resist.dev;
  v->coarse.fill = a->shape.dev;
  v->old = a->old.dev;
  v->before = a->before.dev;
  v->solid = a->solid.dev;
  v->fill = a->fill.dev;
  memcpy(v->nf, r->nf, sizeof v->nf);
  memcpy(v->low, r->low, sizeof v->low);
  v->r = r->r;
  v->plate = c->plate_temperature;
  v->ambient = c->ambient;
  v->convection = c->convection;
  v->emissivity = c->emissivity;
  v->radius = r->radius;
  v->within = a->within.dev;
  v->depth = c->beam.depth;
  v->powder_absorptivity = c->beam.powder_absorptivity;
  v->absorb_count = r->material->absorptivity.count;
  v->absorb_T = a->absorb_T.dev;
  v->absorb = a->absorb.dev;
  v->beams = r->beams;
  v->ground = a->ground.dev;
  v->evaporated = a->evaporated.dev;
  v->light = a->light.dev;
  v->surface = a->surface.dev;
  v->source = a->source.dev, v->lost = a->lost.dev, v->held = a->held.dev;
  v->coarse_lost = a->coarse_lost.dev, v->coarse_held = a->coarse_held.dev;
  v->stage_lost[0] = a->lost_now.dev, v->stage_lost[1] = a->lost_before.dev;
  v->stage_held[0] = a->held_now.dev, v->stage_held[1] = a->held_before.dev;
  v->liquidus_T = isfinite(r->tables->liquidus)
                      ? ig_powder_table_T(r->tables, r->tables->liquidus, 1)
                      : INFINITY;
  v->solidus_T = isfinite(r->tables->solidus) ? r->material->solidus : INFINITY;
  v->fits = r->fits;
  v->keys = a->keys.dev;
  v->wet = a->wet.dev;
  v->own_pool = a->own_pool.dev;
  v->pool = a->pool.dev;
  v->line = a->line.dev;
  v->molten = a->molten.dev;
  v->sunk = a->sunk.dev;
  v->probes = c->probes.count;
  v->probe_at = a->probe_at.dev;
  v->probe_now = a->probe_now.dev;
  v->probe_peak = a->probe_peak.dev;
}

/* The rectangle that is filmed, in fine cells; all of the bed where the case gives none. */
static ig_status film_make(ig_powder_run *r) {
  const ig_powder_film_case *c = &r->c->movie;
  ig_powder_film *f = &r->view.film;
  if (!c->at.given)
    return IG_OK;
  if (c->layer > r->layers)
    return ig_fail_at(r->cx, &c->at, "movie: layer %lld: the build has %lld layers",
                      (long long)c->layer, (long long)r->layers);
  for (int d = 0; d < 2; d++) {
    const double low = isnan(c->min[d]) ? 0 : floor((c->min[d] - r->low[d]) / r->cell + 1e-6);
    const double high =
        isnan(c->max[d]) ? (double)r->nf[d] : ceil((c->max[d] - r->low[d]) / r->cell - 1e-6);
    f->at[d] = (int64_t)fmax(0, low);
    f->n[d] = (int64_t)fmin((double)r->nf[d], high) - f->at[d];
    if (f->n[d] <= 0)
      return ig_fail_at(r->cx, &c->at, "movie: the rectangle `min` to `max` is not in the bed");
  }
  const ig_output_case *o = r->job->output;
  if (o && (o->every || !isnan(o->interval) || o->times.count || o->count != 10))
    ig_warn_at(r->cx, &o->at,
               "`every`, `interval`, `count` and `times` have no effect beside `movie`, whose "
               "frames are the snapshots of the run");
  IG_TRY(ig_array_new(r->cx, &r->array.film, (size_t)f->n[0] * (size_t)f->n[1], sizeof(float),
                      "film"));
  f->T = r->array.film.dev;
  return IG_OK;
}

/* Order: arrays first, then the view of their device addresses. */
ig_status ig_powder_arrays_make(ig_powder_run *r) {
  IG_TRY(bed_make(r));
  IG_TRY(looks_make(r));
  IG_TRY(beams_make(r));
  IG_TRY(map_make(r));
  IG_TRY(film_make(r));
  IG_TRY(ig_powder_vapour(r));
  for (int s = 0; s < 2; s++) {
    IG_TRY(ig_array_new(r->cx, &r->set[s].list, IG_POWDER_WINDOWS, sizeof(ig_powder_window),
                        "windows"));
    if (ig_powder_ranks(r))
      IG_TRY(ig_array_new(r->cx, &r->set[s].own, IG_POWDER_WINDOWS, sizeof(ig_powder_window),
                          "windows"));
    IG_TRY(IG_NEW(r->cx, &r->set[s].window, IG_POWDER_WINDOWS, "windows"));
  }
  r->coarse.heat = r->array.heat.host;
  view_make(r);
  return IG_OK;
}

/* What was never made is freed as nothing. */
void ig_powder_arrays_free(ig_powder_run *r) {
  free(r->event);
  free(r->event_lines);
  ig_powder_states_free(r);
  IG_IF_CUDA(ig_powder_cluster_close(&r->cluster);)
#define X(name) ig_array_free(r->cx, &r->array.name);
  IG_POWDER_ARRAYS(X)
#undef X
  for (int i = 0; i < IG_POWDER_WAY * IG_POWDER_BEAMS; i++)
    ig_array_free(r->cx, &r->array.way[i]);
  for (int s = 0; s < 2; s++) {
    ig_array_free(r->cx, &r->set[s].list);
    ig_array_free(r->cx, &r->set[s].own);
    free(r->set[s].window);
    for (int w = 0; w < IG_POWDER_WINDOWS; w++) {
      ig_array_free(r->cx, &r->set[s].heat[w]);
      ig_array_free(r->cx, &r->set[s].T[w]);
      ig_array_free(r->cx, &r->set[s].resist[w]);
      ig_array_free(r->cx, &r->set[s].rim[w]);
    }
  }
}

/* --- copies */

/* All that the host has set up or restored; later only what changes is pushed, by who changes it.
 */
ig_status ig_powder_push(ig_powder_run *r) {
  ig_powder_arrays *a = &r->array;
  ig_array *const all[] = {
      &a->tables,      &a->heat,        &a->resist, &a->solid,    &a->fill,      &a->shape,
      &a->ones,        &a->state,       &a->source, &a->lost,     &a->held,      &a->keys,
      &a->pool,        &a->line,        &a->molten, &a->probe_at, &a->probe_now, &a->probe_peak,
      &a->coarse_lost, &a->coarse_held, &a->sunk,   &a->ground};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    IG_TRY(ig_array_push(r->cx, all[i]));
  if (a->evaporated.count)
    IG_TRY(ig_array_push(r->cx, &a->evaporated));
  if (a->event_cells.count)
    IG_TRY(ig_array_push(r->cx, &a->event_cells));
  return a->map.count ? ig_array_push(r->cx, &a->map) : IG_OK;
}

/* In the order of columns, by one thread. */
static double sum(const ig_array *a) {
  const double *x = a->host;
  double all = 0;
  for (size_t i = 0; i < a->count; i++)
    all += x[i];
  return all;
}

/* what: bits of IG_PULL_*. With the ledger its sums are taken on the host, in the order of columns:
   the same bits on every backend's own results. */
ig_status ig_powder_pull(ig_powder_run *r, unsigned what) {
  ig_powder_arrays *a = &r->array;
  const struct {
    unsigned what;
    ig_array *array;
  } all[] = {{IG_PULL_HEAT, &a->heat},          {IG_PULL_LEDGER, &a->source},
             {IG_PULL_LEDGER, &a->lost},        {IG_PULL_LEDGER, &a->held},
             {IG_PULL_LEDGER, &a->coarse_lost}, {IG_PULL_LEDGER, &a->coarse_held},
             {IG_PULL_LEDGER, &a->sunk},        {IG_PULL_POOL, &a->pool},
             {IG_PULL_LINES, &a->line},         {IG_PULL_LINES, &a->ground},
             {IG_PULL_STATE, &a->state},        {IG_PULL_PROBES, &a->probe_now},
             {IG_PULL_PROBES, &a->probe_peak},  {IG_PULL_SOLID, &a->solid}};
  IG_TRY(ig_powder_windows_share(r, &r->set[r->now], what & ~(unsigned)IG_PULL_WINDOWS));
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].what & what)
      IG_TRY(ig_array_pull(r->cx, all[i].array));
  if (ig_powder_ranks(r) && what & (IG_PULL_POOL | IG_PULL_LEDGER)) {
    IG_TRY(ig_powder_looks_join(r));
  } else {
    if (what & IG_PULL_POOL) {
      IG_TRY(ig_array_pull(r->cx, &a->molten));
      memcpy(r->molten, a->molten.host, sizeof r->molten);
    }
    r->sunk = *(const uint64_t *)a->sunk.host;
  }
  if (what & IG_PULL_MAP && a->map.count)
    IG_TRY(ig_array_pull(r->cx, &a->map));
  if (what & IG_PULL_MAP && a->event_cells.count)
    IG_TRY(ig_array_pull(r->cx, &a->event_cells));
  if (what & IG_PULL_LEDGER && a->evaporated.count) {
    IG_TRY(ig_array_pull(r->cx, &a->evaporated));
    r->ledger.evaporated = sum(&a->evaporated);
  }
  if (what & IG_PULL_LEDGER) {
    r->ledger.source = sum(&a->source);
    r->ledger.sunk = (double)r->sunk * r->tables->sink * pow(r->cell, 3);
    r->ledger.lost = sum(&a->lost) + sum(&a->coarse_lost);
    r->ledger.held = sum(&a->held) + sum(&a->coarse_held);
  }
  return IG_OK;
}

/* A GPU has written them where the host can read them; before its first step they are only in the
   array. */
ig_status ig_powder_molten_pull(ig_powder_run *r) {
  IG_IF_CUDA(if (r->cx->backend->kernels == IG_KERNELS_CUDA &&
                 r->cluster.turn > 0) return ig_powder_told_cuda(r->cx, &r->cluster, r->molten);)
  if (ig_powder_ranks(r))
    return IG_OK; /* ig_powder_looks_join has them */
  IG_TRY(ig_array_pull(r->cx, &r->array.molten));
  memcpy(r->molten, r->array.molten.host, sizeof r->molten);
  return IG_OK;
}
