/* What a backend does for the stress room: loops over elements and nodes. Pointers are device
   pointers unless stated. On CUDA functions enqueue work on the context's stream and return;
   errors of launches are returned, results are there after backend->sync or a pull. `p` is read
   on the host and passed to kernels by value. A backend is one constant table (step_cpu.c,
   step_cuda.c). */
#ifndef IG_STRESS_OPS_H
#define IG_STRESS_OPS_H

#include "assembly/assembly.h"
#include "stress/kernel.h"

IG_C_BEGIN

typedef struct ig_stress_ops {
  /* f = internal forces at u; keeps the tangent. `past`: of the stress that a step starts from; no
     tangent */
  ig_status (*force)(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan, bool past,
                     const double *u, double *f);
  /* y = tangent x */
  ig_status (*product)(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan, const double *x,
                       double *y);
  /* history moves on */
  ig_status (*commit)(ig_ctx *cx, const ig_stress_args *p, const double *u);
  /* no stress, no history: of `count` elements at their birth, or where they are too hot; value: of
     each of them, see ig_stress_wipe */
  ig_status (*wipe)(ig_ctx *cx, const ig_stress_args *p, const double *u, bool hot,
                    const int32_t *list, const double *value, int64_t count);
  /* values of `count` elements from `begin` on, element after element: means or points at u, energy
     stored at the last equilibrium u, or energies of a step from `old` to u and the growth they
     start from next time */
  ig_status (*values)(ig_ctx *cx, const ig_stress_args *p, ig_stress_value what, const double *old,
                      const double *u, ig_lid begin, ig_lid count, double *out);
  /* out = Young's modulus of each element now, mean of its points; 0 where it is not alive */
  ig_status (*young)(ig_ctx *cx, const ig_stress_args *p, double *out);
  /* y += a x */
  ig_status (*add)(ig_ctx *cx, int64_t n, double a, const double *x, double *y);
  /* group g holds the unknowns item[start[g]] … item[start[g+1] - 1]: all get their mean */
  ig_status (*tie_f64)(ig_ctx *cx, int groups, const int32_t *start, const int32_t *item,
                       double *x);
  ig_status (*tie_f32)(ig_ctx *cx, int groups, const int32_t *start, const int32_t *item, float *x);
  /* nodes x 3 to places of a grid, component after component, and back; elements to cells. The
     `nodes` or `elements` are those that a list has, NULL: the first ones */
  ig_status (*to_grid)(ig_ctx *cx, int64_t nodes, int64_t stored, const int32_t *list,
                       const int32_t *place, const float *x, float *y);
  ig_status (*from_grid)(ig_ctx *cx, int64_t nodes, int64_t stored, const int32_t *list,
                         const int32_t *place, const float *x, float *y);
  ig_status (*to_cells)(ig_ctx *cx, int64_t elements, const int32_t *list, const int32_t *cell,
                        const double *x, double *y);
  /* y = R x at each node, or its transpose; turn: nodes x 9, by rows. y may be x */
  ig_status (*turn)(ig_ctx *cx, int64_t nodes, const float *turn, bool back, const float *x,
                    float *y);
  /* x = 0 where held */
  ig_status (*still)(ig_ctx *cx, int64_t nodes, const uint8_t *fix, float *x);
} ig_stress_ops;

extern const ig_stress_ops ig_stress_cpu;
extern const ig_stress_ops ig_stress_cuda;

IG_C_END
#endif
