/* The drivers of a backend: a table of functions for each kind of state (single, double, mixed).
   The engine calls nothing else that depends on the backend. On CUDA all of them return while the
   device works; errors that kernels meet are noted in the fault word and read later
   (ig_fault_check). */
#ifndef IG_HEAT_OPS_H
#define IG_HEAT_OPS_H

#include "thermal/engine/heat.h"

IG_C_BEGIN

typedef struct ig_heat_ops {
  /* once, when the engine is made; NULL: nothing to do */
  ig_status (*open)(ig_ctx *cx, ig_heat *h);
  /* steps [first, last) of the batch; no birth among them; where h->phase is not IG_HEAT_ALL, that
     phase of one step (IG_HEAT_EARLY: of the first; of others what can be done before their time)
   */
  ig_status (*steps)(ig_ctx *cx, ig_heat *h, int first, int last);
  /* powder that is molten through; of a part, whose ghosts come after a step. Else steps do it */
  ig_status (*melt)(ig_ctx *cx, ig_heat *h);
  /* patches [first, last) of the batch */
  ig_status (*patch)(ig_ctx *cx, ig_heat *h, int32_t first, int32_t last);
  /* looks at the elements that are there, dt seconds after the last look */
  ig_status (*track)(ig_ctx *cx, ig_heat *h, float dt, double time);
  /* looks at everything, in `parts` parts; survey: parts, on the device */
  ig_status (*survey)(ig_ctx *cx, ig_heat *h, const ig_heat_question *q, ig_heat_survey *survey,
                      int parts);
  /* all of the batch, births and looks among them, in one launch; where `open` set h->resident.on
   */
  ig_status (*resident)(ig_ctx *cx, ig_heat *h);
  /* what each kernel of a step costs, apart; leaves temperatures as they are. NULL: not known */
  ig_status (*kernels)(ig_ctx *cx, ig_heat *h, ig_heat_kernel_cost *cost, int *count);
  /* what items [first, first + count) add to the sums of a survey; rows: count x columns of that
     kind, on the device */
  ig_status (*rows)(ig_ctx *cx, ig_heat *h, const ig_heat_question *q, ig_survey_kind kind,
                    int32_t first, int32_t count, int columns, double *rows);
} ig_heat_ops;

/* The ranges of the elements' plan that the phase asks for: those of a part are two, see
   ig_plan_split. */
static inline int ig_heat_first_range(const ig_heat *h) {
  return h->phase == IG_HEAT_LATE ? 1 : 0;
}
static inline int ig_heat_last_range(const ig_heat *h) {
  return h->phase == IG_HEAT_EARLY ? 1 : h->elems.colors;
}

/* indexed by ig_precision */
extern const ig_heat_ops ig_heat_cpu[3], ig_heat_cuda[3];

#define IG_HEAT_CUDA(kind)                                                                         \
  ig_status ig_heat_open_cuda_##kind(ig_ctx *cx, ig_heat *h);                                      \
  ig_status ig_heat_steps_cuda_##kind(ig_ctx *cx, ig_heat *h, int first, int last);                \
  ig_status ig_heat_melt_cuda_##kind(ig_ctx *cx, ig_heat *h);                                      \
  ig_status ig_heat_patch_cuda_##kind(ig_ctx *cx, ig_heat *h, int32_t first, int32_t last);        \
  ig_status ig_heat_track_cuda_##kind(ig_ctx *cx, ig_heat *h, float dt, double time);              \
  ig_status ig_heat_survey_cuda_##kind(ig_ctx *cx, ig_heat *h, const ig_heat_question *q,          \
                                       ig_heat_survey *survey, int parts);                         \
  ig_status ig_heat_resident_cuda_##kind(ig_ctx *cx, ig_heat *h);                                  \
  ig_status ig_heat_kernels_cuda_##kind(ig_ctx *cx, ig_heat *h, ig_heat_kernel_cost *cost,         \
                                        int *count);                                               \
  ig_status ig_heat_rows_cuda_##kind(ig_ctx *cx, ig_heat *h, const ig_heat_question *q,            \
                                     ig_survey_kind what, int32_t first, int32_t count,            \
                                     int columns, double *rows);
IG_HEAT_CUDA(f32)
IG_HEAT_CUDA(f64)
IG_HEAT_CUDA(mix)

IG_C_END
#endif
