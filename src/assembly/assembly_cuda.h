/* CUDA passes of the assembly layer. */
#ifndef IG_ASSEMBLY_CUDA_H
#define IG_ASSEMBLY_CUDA_H

#include "assembly/assembly.h"

IG_C_BEGIN
ig_status ig_plan_sum_cuda_f32(ig_ctx *cx, ig_scatter_view view, int m, const float *slots,
                               float *sum);
ig_status ig_plan_sum_cuda_f64(ig_ctx *cx, ig_scatter_view view, int m, const double *slots,
                               double *sum);
IG_C_END

#endif
