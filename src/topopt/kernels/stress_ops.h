/* Kernels of stresses, one table per backend; see design/stress.h for the formulas and
   design/stress.inc for the functions of one element. The X-macro below declares the table and
   the functions of both backends, so that their signatures cannot differ. */
#ifndef IG_TOPOPT_KERNELS_STRESS_OPS_H
#define IG_TOPOPT_KERNELS_STRESS_OPS_H

#include "core/array.h"
#include "solver/grid/grid.h"

IG_C_BEGIN

/* Hooke's law at unit Young's modulus; plane stress has its own lame. Plane strain is plane stress
   of another material (case/materials.c), which has a stress across the plane, too. */
typedef struct {
  int dim, strain;
  double lame, shear;
  const double *poisson; /* of each element (device), in space; NULL: as above */
  double mean; /* share of the trace that counts beside von Mises' stress (cycles); usually 0 */
} ig_topopt_hooke;

/* One constraint's stresses under one load case. */
typedef struct {
  const double *member;                  /* 1: counts; NULL: all do */
  const double *cluster;                 /* number of each element's; NULL: there is one */
  int number;                            /* the cluster in question */
  const double *density, *scale, *mises; /* scale NULL: 1 */
  double factor;                         /* from unit states to multiples of the bound */
  double relaxation, exponent, norm;     /* norm: of the whole, where it is known */
} ig_topopt_stressed;

/* Arrays of elements, [6][places]: xx yy zz xy yz zx, shear strains as angles. X(name, arguments).
 */
#define IG_TOPOPT_STRESS_OPS(X)                                                                    \
  /* strains at the centres of a grid's elements, and the transpose: 0 where held */               \
  X(strain, (ig_ctx * cx, const ig_grid *g, const double *h, const double *u, double *tensor))     \
  X(strain_back, (ig_ctx * cx, const ig_grid *g, const double *h, const uint8_t *fix,              \
                  const double *tensor, double *f))                                                \
  /* displacement gradients there, [9][places], du_i / dx_j at 3 i + j, and the transpose */       \
  X(gradient, (ig_ctx * cx, const ig_grid *g, const double *h, const double *u, double *gradient)) \
  X(gradient_back, (ig_ctx * cx, const ig_grid *g, const double *h, const uint8_t *fix,            \
                    const double *gradient, double *f))                                            \
  /* strains become stresses of the solid; von Mises' of each, and law->mean x trace */            \
  X(mises, (ig_ctx * cx, int64_t n, const uint8_t *role, const ig_topopt_hooke *law,               \
            double *tensor, double *mises))                                                        \
  /* relaxed stress in units of the bound; 0 where it does not count */                            \
  X(relaxed,                                                                                       \
    (ig_ctx * cx, int64_t n, const uint8_t *role, const ig_topopt_stressed *s, double *out))       \
  /* out = (in x inverse)^power */                                                                 \
  X(power, (ig_ctx * cx, int64_t n, const double *in, double inverse, double power, double *out))  \
  /* slope of the norm by the density alone; stresses become its slope by strains */               \
  X(slopes, (ig_ctx * cx, int64_t n, const uint8_t *role, const ig_topopt_hooke *law,              \
             const ig_topopt_stressed *s, const double *relaxed, double *tensor, double *direct))  \
  /* modulus of the stresses that make a body softer, over the solid's, or its slope */            \
  X(modulus, (ig_ctx * cx, int64_t n, const uint8_t *role, double penalty, double threshold,       \
              bool slope, const double *density, double *out))                                     \
  /* gradients become -weight x gradient . stress; square (+)= factor x gradient^T gradient, as a  \
     strain; sums of the products of two tensors, stress and strain */                             \
  X(geometric, (ig_ctx * cx, int64_t n, const uint8_t *role, const double *weight,                 \
                const double *stress, double *gradient))                                           \
  X(square, (ig_ctx * cx, int64_t n, const uint8_t *role, double factor, bool add,                 \
             const double *gradient, double *square))                                              \
  X(contract,                                                                                      \
    (ig_ctx * cx, int64_t n, const uint8_t *role, const double *a, const double *b, double *out))

#define IG_OP(name, args) ig_status(*name) args;
#define IG_ON_CPU(name, args) ig_status ig_topopt_stress_cpu_##name args;
#define IG_ON_CUDA(name, args) ig_status ig_topopt_stress_cuda_##name args;
typedef struct {
  IG_TOPOPT_STRESS_OPS(IG_OP)
} ig_topopt_stress_ops;
IG_TOPOPT_STRESS_OPS(IG_ON_CPU)
IG_TOPOPT_STRESS_OPS(IG_ON_CUDA)
#undef IG_OP
#undef IG_ON_CPU
#undef IG_ON_CUDA
const ig_topopt_stress_ops *ig_topopt_stress_ops_of(const ig_ctx *cx);

IG_C_END
#endif
