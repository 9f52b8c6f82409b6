/* Smoothed aggregation multigrid for elasticity on meshes. The hierarchy is made on the host from
   the moduli; a cycle runs on the device in single precision: the finest level through the
   element-by-element product, coarse ones as block matrices, the coarsest by its inverse. */
#ifndef IG_TOPOPT_MESH_AMG_H
#define IG_TOPOPT_MESH_AMG_H

#include "topopt/ebe.h"

IG_C_BEGIN

enum { IG_AMG_LEVELS = 12, IG_AMG_BLOCK = 6 }; /* six rigid-body modes an aggregate */

/* A matrix of br x bc blocks in compressed rows; device pointers. */
typedef struct {
  int32_t rows;
  int br, bc;
  const int32_t *start, *column;
  const float *value; /* block after block, each row by row */
} ig_bsr;

typedef struct {
  int32_t nodes;
  int size; /* unknowns a node: 3, then 6 */
  double lambda;
  ig_array inverse;                    /* nodes x size x size: of the diagonal blocks */
  ig_array a_start, a_column, a_value; /* not on the finest */
  ig_array p_start, p_column, p_value; /* from the next coarser level */
  ig_array r_start, r_column, r_value; /* its transpose */
  ig_array b, x, d, ax;                /* vectors; b is not the finest's own */
  ig_bsr a, p, r;
} ig_amg_level;

typedef struct ig_amg_ops {
  /* y = A x, or y += A x */
  ig_status (*product)(ig_ctx *cx, const ig_bsr *a, bool add, const float *x, float *y);
  /* r = b - ax - spring x, then d = c0 d + c1 D^-1 r, x += d; first: ax and x are zero */
  ig_status (*smooth)(ig_ctx *cx, int32_t nodes, int size, const float *inverse,
                      const double *spring, const float *b, const float *ax, bool first, float c0,
                      float c1, float *d, float *x);
  /* ax = b - ax - spring x */
  ig_status (*residual)(ig_ctx *cx, int64_t n, const double *spring, const float *b, const float *x,
                        float *ax);
  /* x = M b, dense */
  ig_status (*dense)(ig_ctx *cx, int n, const float *m, const float *b, float *x);
  ig_status (*to_single)(ig_ctx *cx, int64_t n, const double *x, float *y);
} ig_amg_ops;
extern const ig_amg_ops ig_amg_cpu;
#ifdef INGOT_HAVE_CUDA
extern const ig_amg_ops ig_amg_cuda;
#endif

typedef struct ig_amg ig_amg;

/* x: nodes x 3, conn: elements x 8, fix: bits a node, spring: nodes x 3 or NULL; host, kept by the
   caller. `spring_dev` is its device side. */
typedef struct {
  ig_lid nodes, elements;
  const double *x;
  const ig_lid *conn;
  const uint8_t *fix;
  const double *spring, *spring_dev;
  double poisson;
  int steps; /* of smoothing, before and after */
} ig_amg_problem;

IG_MUST_CHECK ig_status ig_amg_new(ig_ctx *cx, const ig_amg_problem *problem, ig_ebe_kind kind,
                                   ig_assembly race, ig_amg **out);
void ig_amg_free(ig_amg *s);
/* A new hierarchy for these moduli (device). */
IG_MUST_CHECK ig_status ig_amg_update(ig_amg *s, const double *modulus);
/* One cycle; *z is left where the result is. */
IG_MUST_CHECK ig_status ig_amg_cycle(ig_amg *s, const float *r, const float **z);
int ig_amg_levels(const ig_amg *s, int32_t *coarsest);

IG_C_END
#endif
