/* Sums over the arrays of one engine: surveys, sizes, heat contents. The kernels sum into
   IG_HEAT_SURVEY_PARTS partial sums; these are added here in order. Sums over ranks are made in
   heat_part_survey.c. */
#include "thermal/engine/heat_make.h"
#include "backend/backend.h"
#include "core/sorted.h"
#include "thermal/kernels/heat_ops.h"

#include <math.h>
#include <string.h>

ig_status ig_heat_next_fill(ig_ctx *cx, ig_heat *h) {
  if (!h->node.T_next.dev)
    return IG_OK;
  return cx->backend->copy(cx, h->node.T_next.dev, h->node.T.dev,
                           (size_t)h->nodes * ig_heat_state_size(h));
}

/* One launch looks at everything that a question asks for. Parts are joined on the host in their
   order: the same bits whatever the number of threads or blocks that worked at once. */
ig_status ig_heat_survey_make(ig_ctx *cx, ig_heat *h, const ig_heat_question *q,
                              ig_heat_survey *found) {
  if (!h->survey.dev)
    IG_TRY(ig_array_new(cx, &h->survey, IG_HEAT_SURVEY_PARTS, sizeof(ig_heat_survey), "survey"));
  if (q->layered) /* asks for heights, which nothing else may need */
    IG_TRY(ig_heat_nodes_place(cx, h));
  IG_TRY(h->ops->survey(cx, h, q, h->survey.dev, IG_HEAT_SURVEY_PARTS));
  IG_TRY(ig_array_pull(cx, &h->survey));
  const ig_heat_survey *part = h->survey.host;
  *found = part[0];
  for (int p = 1; p < IG_HEAT_SURVEY_PARTS; p++) {
    for (int i = 0; i < IG_SURVEY_SUMS; i++)
      found->sum[i] += part[p].sum[i];
    for (int i = 0; i < IG_SURVEY_EXTREMES; i++) {
      found->low[i] = fmin(found->low[i], part[p].low[i]);
      found->high[i] = fmax(found->high[i], part[p].high[i]);
    }
  }
  return IG_OK;
}

bool ig_heat_is_covered(const ig_heat *h, const ig_heat_range *range, ig_lid e, int f) {
  const ig_lid other = h->face.neighbor[6 * (int64_t)e + f];
  const ig_heat_far *far = &h->part.far;
  const ig_lid at = other < 0 ? ig_sorted_find(far->face, far->count, 6 * e + f) : -1;
  return other >= 0 ? other < range->elements
                    : at >= 0 && far->neighbor[at] < h->birth.whole[range->event + 1];
}

/* Apart, as the rows of surveys are: no product is rounded together with a sum. */
__attribute__((noinline)) void ig_heat_sizes_of(const ig_heat *h, ig_lid e, double *row) {
  ig_heat_shape own;
  const ig_heat_shape *s = ig_heat_shape_of(h, e, &own);
  memset(row, 0, IG_HEAT_SIZES * sizeof *row);
  for (int a = 0; a < 8; a++)
    row[a] = s->volume[a];
  for (int f = 0; f < 6; f++) {
    const bool covered = ig_heat_is_covered(h, &h->now, e, f);
    for (int a = 0; a < 4 && !covered; a++)
      row[8 + 4 * f + a] = s->area[f][a];
  }
}

__attribute__((noinline)) void ig_heat_contents_of(const ig_heat *h, ig_lid e, double T,
                                                   double *row) {
  ig_heat_shape own;
  const ig_heat_shape *s = ig_heat_shape_of(h, e, &own);
  const double content = ig_heat_content_at(h, ((uint8_t *)h->material.of.host)[e], T);
  for (int a = 0; a < 8; a++)
    row[a] = s->volume[a] * content;
}
