/* Drivers of the element-by-element product, one each backend and precision, and what fills the
   matrices of the kinds that store them. ig_ebe_apply (ebe.c) chooses. */
#ifndef IG_SOLVER_MESH_EBE_OPS_H
#define IG_SOLVER_MESH_EBE_OPS_H

#include "solver/mesh/ebe.h"

IG_C_BEGIN

/* What fills the matrices; device pointers. */
typedef struct {
  ig_lid count, elements;
  const int32_t *list; /* elements whose matrices are wanted; NULL: all */
  const int32_t *conn;
  const double *x;
  int half, coalesced; /* the symmetric form; an entry beside the next thread's */
  double lame, shear;
} ig_ebe_fill;

ig_status ig_ebe_cpu_f32(ig_ctx *cx, const ig_ebe *op, const float *modulus, const float *u,
                         float *y);
ig_status ig_ebe_cpu_f64(ig_ctx *cx, const ig_ebe *op, const double *modulus, const double *u,
                         double *y);
ig_status ig_ebe_cuda_f32(ig_ctx *cx, const ig_ebe *op, const float *modulus, const float *u,
                          float *y);
ig_status ig_ebe_cuda_f64(ig_ctx *cx, const ig_ebe *op, const double *modulus, const double *u,
                          double *y);
ig_status ig_ebe_fill_cpu_f32(ig_ctx *cx, const ig_ebe_fill *p, float *matrix);
ig_status ig_ebe_fill_cpu_f64(ig_ctx *cx, const ig_ebe_fill *p, double *matrix);
ig_status ig_ebe_fill_cuda_f32(ig_ctx *cx, const ig_ebe_fill *p, float *matrix);
ig_status ig_ebe_fill_cuda_f64(ig_ctx *cx, const ig_ebe_fill *p, double *matrix);
IG_C_END

#endif
