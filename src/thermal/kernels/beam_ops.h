/* Watts of every step of a batch of the beams, into v->power and v->met: one function per backend.
   The CUDA one returns while the device works. */
#ifndef IG_BEAM_OPS_H
#define IG_BEAM_OPS_H

#include "core/ctx.h"
#include "thermal/source/beam_types.h"

IG_C_BEGIN
IG_MUST_CHECK ig_status ig_beam_power_cpu(ig_ctx *cx, const ig_beam_view *v);
IG_MUST_CHECK ig_status ig_beam_power_cuda(ig_ctx *cx, const ig_beam_view *v);
/* From bars of watts to those of the spots' powers: the transpose, on a CPU. */
void ig_beam_power_back_cpu(const ig_beam_view *v, const double *bar, double *spot_bar);
/* Watts, into as->power, of other beams in the zones of v: spot i reaches the targets that spot
   pair[i] of v reaches. On a CPU, in one thread. */
void ig_beam_power_as_cpu(const ig_beam_view *v, const ig_beam_view *as, const int32_t *pair);
IG_C_END

#endif
