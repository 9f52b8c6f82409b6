/* All that a continuation needs: heat and states of both grids, the window, what was counted. */
#include "powder/powder.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of a run, doubles throughout: whole numbers in them are exact. */
typedef struct {
  double time, step, layer, line, bed, open, at[3], dt_dwell, molten, left_molten;
  double fine_steps, coarse_steps, moves, work, hottest, hottest_ever, stored0;
  ig_powder_ledger ledger;
  ig_powder_pool pool, pool_most;
} kept;
enum { KEPT = sizeof(kept) / sizeof(double), LINE = 7, LAYER = 3 };

static size_t ghosted(const ig_level *l) {
  return (size_t)(l->n[0] + 2) * (size_t)(l->n[1] + 2) * (size_t)(l->n[2] + 2);
}

/* The arrays a checkpoint holds, as they lie in a run. */
enum { ARRAYS = 6 };
static void arrays(ig_powder_run *r, ig_saved *s) {
  const int64_t cells = (int64_t)r->coarse.n[0] * r->coarse.n[1] * r->coarse.n[2];
  const int64_t probes = r->c->probes.count;
  const ig_saved all[ARRAYS] = {{"coarse", IG_F64, (int64_t)ghosted(&r->coarse), r->coarse.heat},
                                {"fine", IG_F64, (int64_t)ghosted(&r->fine), r->fine.heat},
                                {"solid", IG_F64, cells, r->solid},
                                {"state", IG_U8, r->nf[0] * r->nf[1] * r->nf[2], r->state},
                                {"probe_now", IG_F64, probes, r->probe_now},
                                {"probe_peak", IG_F64, probes, r->probe_peak}};
  memcpy(s, all, sizeof all);
}

ig_status ig_powder_save(void *self, ig_sink *to) {
  ig_powder_run *r = self;
  ig_saved saved[ARRAYS + 3];
  kept k = {.time = r->time,
            .step = (double)r->step,
            .layer = (double)r->layer,
            .line = (double)r->line,
            .bed = (double)r->bed,
            .open = r->open,
            .at = {r->at[0], r->at[1], r->at[2]},
            .dt_dwell = r->dt_dwell,
            .molten = (double)r->molten,
            .left_molten = (double)r->left_molten,
            .fine_steps = (double)r->fine_steps,
            .coarse_steps = (double)r->coarse_steps,
            .moves = (double)r->moves,
            .work = r->work,
            .hottest = r->hottest,
            .hottest_ever = r->hottest_ever,
            .stored0 = r->stored0,
            .ledger = r->ledger,
            .pool = r->pool,
            .pool_most = r->pool_most};
  double(*line)[LINE] = NULL, (*layer)[LAYER] = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(r->cx, &line, r->lines, "checkpoint"));
  IG_TRY_GOTO(status, done, IG_NEW(r->cx, &layer, r->layers, "checkpoint"));
  for (int64_t i = 0; i < r->lines; i++) {
    const ig_powder_line *l = &r->line_of[i];
    const double row[LINE] = {l->most.length, l->most.width, l->most.depth,   l->most.volume,
                              l->width_mean,  l->depth_mean, (double)l->looks};
    memcpy(line[i], row, sizeof row);
  }
  for (int64_t i = 0; i < r->layers; i++) {
    const ig_powder_layer *l = &r->layer_of[i];
    const double row[LAYER] = {l->interlayer, l->melted, (double)l->cells};
    memcpy(layer[i], row, sizeof row);
  }
  arrays(r, saved);
  saved[ARRAYS] = (ig_saved){"kept", IG_F64, KEPT, &k};
  saved[ARRAYS + 1] = (ig_saved){"lines", IG_F64, LINE * r->lines, line};
  saved[ARRAYS + 2] = (ig_saved){"layers", IG_F64, LAYER * r->layers, layer};
  status = to->checkpoint(to, r->time, r->step, saved, ARRAYS + 3);
done:
  free(line);
  free(layer);
  return status;
}

/* Whether what was kept can be of this case. */
static bool sensible(const ig_powder_run *r, const kept *k) {
  bool good = k->layer >= 0 && k->layer <= (double)r->layers && k->line >= 0 &&
              k->line < (double)r->lines && k->bed >= (double)r->plate &&
              k->bed <= (double)r->nf[2] && k->time >= 0;
  for (int d = 0; d < 3; d++)
    good = good && k->at[d] >= 0 && k->at[d] <= r->coarse.n[d] - r->size[d];
  return good;
}

static void rows_take(ig_powder_run *r, const double *line, const double *layer) {
  for (int64_t i = 0; i < r->lines; i++, line += LINE) {
    ig_powder_line *l = &r->line_of[i];
    l->most = (ig_powder_pool){line[0], line[1], line[2], line[3]};
    l->width_mean = line[4], l->depth_mean = line[5], l->looks = (int64_t)line[6];
  }
  for (int64_t i = 0; i < r->layers; i++, layer += LAYER) {
    ig_powder_layer *l = &r->layer_of[i];
    l->interlayer = layer[0], l->melted = layer[1], l->cells = (int64_t)layer[2];
  }
}

ig_status ig_powder_restore(void *self, const ig_restart *from) {
  ig_powder_run *r = self;
  const void *data, *line, *layer;
  ig_saved all[ARRAYS];
  kept k;
  IG_TRY(ig_restart_find(r->cx, from, "kept", IG_F64, KEPT, &data));
  memcpy(&k, data, sizeof k);
  if (!sensible(r, &k))
    return IG_FAIL(r->cx, IG_INPUT, "the checkpoint is not of this case");
  IG_TRY(ig_restart_find(r->cx, from, "lines", IG_F64, LINE * r->lines, &line));
  IG_TRY(ig_restart_find(r->cx, from, "layers", IG_F64, LAYER * r->layers, &layer));
  arrays(r, all);
  for (int i = 0; i < ARRAYS; i++) {
    if (all[i].count == 0)
      continue;
    IG_TRY(ig_restart_find(r->cx, from, all[i].name, all[i].dtype, all[i].count, &data));
    memcpy(all[i].data, data, (size_t)all[i].count * ig_dtype_size(all[i].dtype));
  }
  rows_take(r, line, layer);
  r->time = k.time;
  r->step = (int64_t)k.step;
  r->layer = (int64_t)k.layer;
  r->line = (int64_t)k.line;
  r->bed = (int64_t)k.bed;
  r->open = k.open != 0;
  for (int d = 0; d < 3; d++)
    r->at[d] = (int)k.at[d];
  r->dt_dwell = k.dt_dwell;
  r->molten = (int64_t)k.molten;
  r->left_molten = (int64_t)k.left_molten;
  r->fine_steps = (int64_t)k.fine_steps;
  r->coarse_steps = (int64_t)k.coarse_steps;
  r->moves = (int64_t)k.moves;
  r->work = k.work;
  r->hottest = k.hottest;
  r->hottest_ever = k.hottest_ever;
  r->stored0 = k.stored0;
  r->ledger = k.ledger;
  r->pool = k.pool;
  r->pool_most = k.pool_most;
  ig_powder_fill(r);
  return IG_OK;
}
