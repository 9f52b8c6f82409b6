/* What can be made of a design on a mesh: kernels, one table per backend; see mesh/mesh_making.c
   (drawing) and mesh/overhang_mesh.c (printing). The lists are made once on the host; kernels
   are called in every evaluation, forwards for densities and backwards for gradients. */
#ifndef IG_TOPOPT_KERNELS_MAKING_OPS_H
#define IG_TOPOPT_KERNELS_MAKING_OPS_H

#include "core/array.h"
#include "topopt/kernels/design.h"

IG_C_BEGIN

/* Elements that hold others up while they are printed. Those of one level stand on those of the
   levels before it; in a part of a mesh on other ranks', too, which have numbers after its own.
   Device pointers but `level`. */
typedef struct {
  int levels;
  const int64_t *level; /* host: levels + 1, where each begins in `order` */
  const int32_t *order; /* own elements by level */
  const int64_t *below_start, *above_start;
  const int32_t *below, *above; /* what holds each up, and what it holds up */
  const uint8_t *plate;         /* 1: stands on the plate */
  double most;                  /* elements below one, the largest number */
} ig_topopt_supports;

/* Arrays of elements. X(name, arguments). */
#define IG_TOPOPT_MAKING_OPS(X)                                                                    \
  /* the printed density, of levels `from` to `to` - 1; slopes by it become slopes by `in`, from   \
     the last level to the first, `work` a value each */                                           \
  X(print, (ig_ctx * cx, const ig_topopt_supports *s, int from, int to, const uint8_t *role,       \
            const double *in, double *out))                                                        \
  X(print_back, (ig_ctx * cx, const ig_topopt_supports *s, int from, int to, const uint8_t *role,  \
                 const double *in, const double *printed, double *work, double *slope))            \
  /* the density that can be drawn, column by column from where the tool is, and slopes back */    \
  X(draw, (ig_ctx * cx, const ig_links *columns, double power, const uint8_t *role,                \
           const double *in, double *out))                                                         \
  X(draw_back, (ig_ctx * cx, const ig_links *columns, double power, const uint8_t *role,           \
                const double *in, const double *drawn, double *slope))

#define IG_OP(name, args) ig_status(*name) args;
#define IG_ON_CPU(name, args) ig_status ig_topopt_making_cpu_##name args;
#define IG_ON_CUDA(name, args) ig_status ig_topopt_making_cuda_##name args;
typedef struct {
  IG_TOPOPT_MAKING_OPS(IG_OP)
} ig_topopt_making_ops;
IG_TOPOPT_MAKING_OPS(IG_ON_CPU)
IG_TOPOPT_MAKING_OPS(IG_ON_CUDA)
#undef IG_OP
#undef IG_ON_CPU
#undef IG_ON_CUDA
const ig_topopt_making_ops *ig_topopt_making_ops_of(const ig_ctx *cx);

IG_C_END
#endif
