/* Kernels of large deflections, element by element and without a matrix, one table per backend;
   see design/large.h for the formulas and large.inc for the functions of one element. Everything
   is in double and over the solid's modulus (loading->stiffness); displacements u are in m. */
#ifndef IG_TOPOPT_KERNELS_LARGE_OPS_H
#define IG_TOPOPT_KERNELS_LARGE_OPS_H

#include "core/array.h"
#include "topopt/kernels/design.h"

IG_C_BEGIN

typedef enum { IG_LARGE_QUAD4, IG_LARGE_HEX8, IG_LARGE_TET4, IG_LARGE_TET10 } ig_large_shape;

/* At unit modulus. `plane`: Lame's constant of stresses in the plane where nothing acts across it;
   else it is `lame`. */
typedef struct {
  int neo, stress; /* neo-Hookean; plane stress */
  double lame, plane, shear;
} ig_topopt_large_law;

/* Device pointers. Nodes are given by their places: layout.step and layout.stride lead from there
   to the components of a state. Element e leaves the force of component c at corner a in
   slot[(c corners + a) elements + e]; a point adds up those of its `item`s, corner x elements +
   element, in their order. */
typedef struct {
  ig_topopt_large_law law;
  int shape, dim, corners;
  int32_t elements, points;
  int64_t step, stride;
  const int32_t *node; /* [corners][elements] */
  const double *x;     /* of places, dim each; not read where `alike` is there */
  /* elements are all alike: for each point its weight, then the slopes of the shape functions by
     the position, corner by corner; NULL: they are not */
  const double *alike;
  const int64_t *place;  /* of elements */
  const int32_t *at;     /* places of points */
  const int32_t *first;  /* of each point, points + 1, in `item` */
  const int32_t *item;   /* elements x corners */
  const double *spring;  /* points x dim; NULL: none */
  const uint8_t *fix;    /* of places: bits of the components held */
  const double *modulus; /* of elements: E, g, E dg/dE */
  const double *blend, *slope;
} ig_topopt_large_body;

/* X(name, arguments) */
#define IG_TOPOPT_LARGE_OPS(X)                                                                     \
  /* forces of the elements into their slots; *fault: the first that is inverted, or as it was */  \
  X(force,                                                                                         \
    (ig_ctx * cx, const ig_topopt_large_body *b, const double *u, double *slot, int32_t *fault))   \
  /* tangents at u times v into the slots */                                                       \
  X(product,                                                                                       \
    (ig_ctx * cx, const ig_topopt_large_body *b, const double *u, const double *v, double *slot))  \
  /* out = by x load + sign x (sums of slots + springs x u), 0 where held and where no element is; \
     size (may be NULL): sums of the magnitudes of the slots there */                              \
  X(gather, (ig_ctx * cx, const ig_topopt_large_body *b, const double *slot, const double *u,      \
             double by, const double *load, double sign, double *out, double *size))               \
  /* out[place] += scale x d(v . force)/dE */                                                      \
  X(energy, (ig_ctx * cx, const ig_topopt_large_body *b, const double *u, const double *v,         \
             double scale, double *out))

#define IG_OP(name, args) ig_status(*name) args;
#define IG_ON_CPU(name, args) ig_status ig_topopt_large_cpu_##name args;
#define IG_ON_CUDA(name, args) ig_status ig_topopt_large_cuda_##name args;
typedef struct {
  IG_TOPOPT_LARGE_OPS(IG_OP)
} ig_topopt_large_ops;
IG_TOPOPT_LARGE_OPS(IG_ON_CPU)
IG_TOPOPT_LARGE_OPS(IG_ON_CUDA)
#undef IG_OP
#undef IG_ON_CPU
#undef IG_ON_CUDA
const ig_topopt_large_ops *ig_topopt_large_ops_of(const ig_ctx *cx);

IG_C_END
#endif
