/* Drivers of the element-by-element product, one each backend and precision. */
#ifndef IG_TOPOPT_EBE_OPS_H
#define IG_TOPOPT_EBE_OPS_H

#include "topopt/ebe.h"

IG_C_BEGIN
ig_status ig_ebe_cpu_f32(ig_ctx *cx, const ig_ebe *op, const float *modulus, const float *u,
                         float *y);
ig_status ig_ebe_cpu_f64(ig_ctx *cx, const ig_ebe *op, const double *modulus, const double *u,
                         double *y);
ig_status ig_ebe_cuda_f32(ig_ctx *cx, const ig_ebe *op, const float *modulus, const float *u,
                          float *y);
ig_status ig_ebe_cuda_f64(ig_ctx *cx, const ig_ebe *op, const double *modulus, const double *u,
                          double *y);
IG_C_END

#endif
