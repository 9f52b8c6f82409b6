/* What rank 0 sees of the whole engine without holding all of it: balances of energy come to it a
   piece at a time, and are added as the survey of one rank adds them (heat_survey.inc). */
#include "backend/backend.h"
#include "thermal/heat_make.h"
#include "thermal/heat_part.h"

#include <stdlib.h>
#include <string.h>

enum { FACE_COLUMNS = 3, PIECE = 4 << 20 }; /* bytes */

void ig_heat_look_lighten(ig_ctx *cx, ig_heat *h) {
  ig_plan_free(cx, &h->face.plan);
  ig_array_free(cx, &h->face.death);
  ig_array_free(cx, &h->face.class_of);
  if (h->purpose != IG_HEAT_BOOKS)
    return;
  ig_plan_free(cx, &h->elems);
  ig_classes_free(&h->shape.classes);
  ig_csr_free(&h->node.around);
  ig_array_free(cx, &h->material.of);
  void **const lists[] = {(void **)&h->birth.order,   (void **)&h->shape.of_class,
                          (void **)&h->face.neighbor, (void **)&h->face.kind,
                          (void **)&h->face.exposed,  (void **)&h->node.held};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    free(*lists[i]);
    *lists[i] = NULL;
  }
  h->node.point = h->node.initial_of = NULL;
  h->calendar = true;
}

/* What a patch says of its node's material, as heat_patch_apply does on a device. Temperatures are
   the parts'. */
void ig_heat_look_patch(ig_heat *h, int32_t first, int32_t last) {
  const size_t state = ig_heat_state_size(h), materials = (size_t)h->material.count;
  const ig_heat_patch *patch = h->batch.patch.host;
  if (h->calendar)
    return;
  for (int32_t i = first; i < last; i++) {
    const ig_lid n = patch[i].node;
    if (patch[i].donor == IG_PATCH_HELD)
      continue;
    h->part->patched = true;
    if (h->rows.of.host) {
      ((int32_t *)h->rows.of.host)[n] = patch[i].row;
      continue;
    }
    const double *volume = (const double *)h->batch.patch_volume.host + (size_t)i * materials;
    for (size_t m = 0; m < materials; m++)
      ig_heat_put(h->node.volume.host, state, n * (int64_t)materials + (int64_t)m, volume[m]);
    ig_heat_put(h->node.inverse.host, state, n, patch[i].inverse);
  }
}

ig_status ig_heat_look_push(ig_ctx *cx, ig_heat *h) {
  ig_array *const arrays[] = {&h->node.volume, &h->node.inverse, &h->rows.of};
  for (int i = 0; i < 3 && h->part->patched; i++)
    if (arrays[i]->host)
      IG_TRY(ig_array_push(cx, arrays[i]));
  h->part->patched = false;
  return IG_OK;
}

/* --- the balance of energy */

/* Item i is added to sum i modulo `sums`, as threads of the survey do. */
typedef struct {
  int64_t sums;
  double *sum; /* sums x ledger columns */
} adding;

static void nodes_add(void *user, const void *items, int64_t first, int64_t count) {
  const adding *a = user;
  const double *row = items;
  for (int64_t i = 0; i < count; i++, row += IG_LEDGER_COLUMNS)
    for (int c = 0; c < IG_LEDGER_COLUMNS; c++)
      a->sum[IG_LEDGER_COLUMNS * ((first + i) % a->sums) + c] += row[c];
}

static void faces_add(void *user, const void *items, int64_t first, int64_t count) {
  static const int column[FACE_COLUMNS] = {IG_LEDGER_FLUX, IG_LEDGER_CONVECTED, IG_LEDGER_RADIATED};
  const adding *a = user;
  const double *row = items;
  for (int64_t i = 0; i < count; i++, row += FACE_COLUMNS)
    for (int c = 0; c < FACE_COLUMNS; c++)
      a->sum[IG_LEDGER_COLUMNS * ((first + i) % a->sums) + column[c]] += row[c];
}

/* The sums of a block of 256 threads, as its warps add them by halves, then one warp after the
   other. x: the block's, a column. */
static double block_sum(const double *x) {
  double all = 0;
  for (int warp = 0; warp < 8; warp++) {
    double lane[32];
    for (int l = 0; l < 32; l++)
      lane[l] = x[(int64_t)IG_LEDGER_COLUMNS * (32 * warp + l)];
    for (int half = 16; half; half /= 2)
      for (int l = 0; l < half; l++)
        lane[l] += lane[l + half];
    all = warp ? all + lane[0] : lane[0];
  }
  return all;
}

ig_status ig_heat_look_balance(ig_ctx *cx, ig_heat *h, int parts) {
  ig_heat_part *p = h->part;
  const ig_heat *l = &p->local;
  const bool cuda = cx->backend->kernels == IG_KERNELS_CUDA;
  const size_t row = IG_LEDGER_COLUMNS * sizeof(double), face = FACE_COLUMNS * sizeof(double);
  adding a = {.sums = (int64_t)parts * (cuda ? 256 : 1)};
  if (p->counted)
    return IG_OK;
  const ig_status ready =
      IG_NEW(cx, &a.sum, (size_t)a.sums * IG_LEDGER_COLUMNS, "balance of energy");
  ig_status status = ig_ranks_agree(cx, ready);
  if (status == IG_OK)
    status = ig_collect_pass(cx, &p->nodes, l->node.ledger.dev, p->idle ? 0 : l->nodes, row,
                             PIECE / (int64_t)row, nodes_add, &a);
  if (status == IG_OK)
    status = ig_collect_pass(cx, &p->faces, l->face.ledger.dev, p->idle ? 0 : l->face.count, face,
                             PIECE / (int64_t)face, faces_add, &a);
  for (int c = 0; c < IG_LEDGER_COLUMNS && status == IG_OK; c++) {
    p->balance[c] = 0;
    for (int i = 0; i < parts; i++) {
      const double *sum = a.sum + c + (int64_t)i * IG_LEDGER_COLUMNS * (cuda ? 256 : 1);
      const double part = cuda ? block_sum(sum) : *sum;
      p->balance[c] = i ? p->balance[c] + part : part;
    }
  }
  free(a.sum);
  p->counted = status == IG_OK;
  return status;
}

/* --- for a checkpoint */

typedef struct {
  char *to;
  size_t size;
} putting;

static void items_put(void *user, const void *items, int64_t first, int64_t count) {
  const putting *p = user;
  memcpy(p->to + (size_t)first * p->size, items, (size_t)count * p->size);
}

void ig_heat_look_free(ig_heat_part *p) {
  for (int i = 0; i < 2; i++) {
    free(p->saved[i]);
    p->saved[i] = NULL;
  }
}

ig_status ig_heat_look_ledgers(ig_ctx *cx, ig_heat *h, ig_saved *saved, int *count) {
  ig_heat_part *p = h->part;
  const ig_heat *l = &p->local;
  const struct {
    const char *name;
    const ig_collect *items;
    const ig_array *part;
    int64_t locals;
    int columns;
  } list[] = {{"node_ledger", &p->nodes, &l->node.ledger, l->nodes, IG_LEDGER_COLUMNS},
              {"face_ledger", &p->faces, &l->face.ledger, l->face.count, FACE_COLUMNS}};
  ig_heat_look_free(p);
  for (int i = 0; i < 2; i++) {
    const int64_t all = list[i].items->whole_count;
    const size_t size = (size_t)list[i].columns * sizeof(double);
    if (all == 0)
      continue;
    ig_status status = IG_OK;
    if (ig_ranks_first(cx))
      status = ig_alloc(cx, (void **)&p->saved[i], (size_t)all, size, "ledgers");
    IG_TRY(ig_ranks_agree(cx, status));
    putting to = {(char *)p->saved[i], size};
    IG_TRY(ig_collect_pass(cx, list[i].items, list[i].part->dev, p->idle ? 0 : list[i].locals, size,
                           PIECE / (int64_t)size, items_put, &to));
    if (ig_ranks_first(cx))
      saved[(*count)++] = (ig_saved){list[i].name, IG_F64, all * list[i].columns, p->saved[i]};
  }
  return IG_OK;
}
