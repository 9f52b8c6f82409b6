/* Smoothed aggregation multigrid on meshes (Vanek, Mandel and Brezina, 1996), for three unknowns
   per node (elasticity) or one (heat). It is used as a preconditioner of conjugate gradients: it
   needs no hierarchy of meshes, and the rigid-body modes in its coarse spaces make it work for
   elasticity.

   Which nodes form aggregates, the tentative prolongators and the patterns of all matrices depend
   on the mesh and its supports alone: they are made once (mesh_amg_setup.c), on the device but for
   the aggregates. A new design (other moduli of elements) refills the values, on the device:

        A0            from the element matrices and the moduli
        P             (I - omega D^-1 A) P0
        A1            P^T (A P), and so on down
        coarsest      inverted

   D is the block diagonal of A, P0 the tentative prolongator: modes of each aggregate, orthonormal.

   A cycle runs in single precision: the finest level through the caller's own product
   (matrix-free), coarse ones as block matrices, the coarsest by its inverse. Single precision is
   enough, because the outer iteration is in double and only asks for a rough inverse.

   Files: mesh_amg.c the cycle; mesh_amg_setup.c what depends on the mesh; mesh_amg_values.c what
   depends on the design; mesh_amg.inc the work on one block, row or node; mesh_amg_cpu.c and .cu
   loops over them; mesh_amg_parts.* and mesh_amg_cut.c one hierarchy on several ranks. */
#ifndef IG_SOLVER_AMG_MESH_AMG_H
#define IG_SOLVER_AMG_MESH_AMG_H

#include "solver/mesh/mesh_ops.h"
#include "solver/mesh/mesh_pattern.h"
#include "solver/krylov/replay.h"

IG_C_BEGIN

/* Coarsening is about 27 to 1 in three dimensions, so 12 levels are never reached. A dense inverse
   of 600 unknowns costs less than another level's launches. */
enum { IG_AMG_LEVELS = 12, IG_AMG_BLOCK = 6 }; /* six rigid-body modes an aggregate, or one */
enum { IG_AMG_DENSE = 600 };                   /* a level with so many unknowns is inverted */

/* A matrix of br x bc blocks in compressed rows, columns rising; device pointers. Block k is in
   row[k] and column[k]: kernels have a thread per block, and need not search for its row. */
typedef struct {
  int32_t rows;
  int64_t blocks;
  int br, bc;
  const int32_t *start, *column, *row; /* rows + 1; blocks; blocks: row of each */
  float *value;                        /* block after block, each row by row */
} ig_bsr;

/* The device arrays behind one. `value` is allocated only while it is needed, for the two largest
   matrices of the finest level (ig_amg_update); m.value is then NULL. */
typedef struct {
  ig_array start, column, row, value;
  ig_bsr m;
} ig_amg_matrix;

/* A level. Level 0 is the mesh. Vectors have nodes x size floats. All arrays are device arrays; on
   several ranks patterns, aggregates and noise are on the host, too, where they are cut. */
typedef struct {
  int32_t nodes;

  int size;      /* unknowns per node: 3 or 1, then one per mode */
  double lambda; /* of D^-1 A, a little more than the largest */
  /* a: the level's matrix; ap: A P, an intermediate of P^T A P */
  ig_amg_matrix a, p, r, ap;   /* p: from the next coarser level; r: its transpose */
  ig_array diagonal;           /* nodes: places of the diagonal blocks in a */
  ig_array of, tentative;      /* nodes: aggregate, -1: none; nodes x size x modes */
  ig_array from;               /* blocks of r: places in p */
  ig_array inverse;            /* nodes x size x size: of the diagonal blocks */
  ig_array b, x, d, ax, noise; /* vectors; b is not the finest's own */
} ig_amg_level;

/* Where rigid-body motions turn, and their unit: with coordinates about the middle over the size,
   rotations are of the order of translations. */
typedef struct {
  double middle[3], size;
} ig_amg_frame;
/* Nodes of each aggregate, rising. */
typedef struct {
  int32_t aggregates;
  const int32_t *start, *item;
} ig_amg_members;

/* The passes of set-up, update and cycle that a backend provides. All pointers are device pointers.
   On CUDA they return while the device works. */
typedef struct ig_amg_ops {
  /* A of the finest level; held unknowns cut off, springs added */
  ig_status (*assemble)(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan, const ig_ground *g,
                        const double *modulus, ig_bsr *a);
  /* inverses of the diagonal blocks, 0 for what is held (fix NULL: nothing) */
  ig_status (*invert)(ig_ctx *cx, const ig_bsr *a, const int32_t *diagonal, const uint8_t *fix,
                      float *inverse);
  /* places of the blocks on the diagonal */
  ig_status (*diagonal)(ig_ctx *cx, const ig_bsr *a, int32_t *place);
  /* the row of each block, from where rows start */
  ig_status (*rows)(ig_ctx *cx, const ig_bsr *a, int32_t *row);
  /* squares of the blocks' norms; each node's largest to another; which are strong */
  ig_status (*norms)(ig_ctx *cx, const ig_bsr *a, double *norm, double *largest, uint8_t *strong);
  /* where nodes in no aggregate belong, of the first `count`: joined, -1 where to none */
  ig_status (*join)(ig_ctx *cx, const ig_bsr *a, const double *norm, const uint8_t *strong,
                    const int32_t *of, int32_t count, int32_t *joined);
  /* nodes x size x modes: rigid-body motions or the constant, 0 where held */
  ig_status (*modes)(ig_ctx *cx, const ig_amg_frame *frame, int32_t nodes, int size,
                     const double *x, const uint8_t *fix, double *modes);
  /* modes cut to the aggregates whose members these are and made orthonormal, in place; coarse: the
     modes of the aggregates; tentative: the result, single */
  ig_status (*orthonormal)(ig_ctx *cx, const ig_amg_members *m, int32_t nodes, int size, int count,
                           double *modes, double *coarse, float *tentative);
  /* P = (I - omega D^-1 A) P0; R = P^T, by places in P; A P; R (A P): values for patterns that
     exist */
  ig_status (*prolongator)(ig_ctx *cx, const ig_bsr *a, const float *inverse, const int32_t *of,
                           const float *tentative, float omega, ig_bsr *p);
  ig_status (*transpose)(ig_ctx *cx, const ig_bsr *p, const int32_t *from, ig_bsr *r);
  ig_status (*times)(ig_ctx *cx, const ig_bsr *a, const ig_bsr *p, ig_bsr *ap);
  ig_status (*coarse)(ig_ctx *cx, const ig_bsr *r, const ig_bsr *ap, ig_bsr *a);
  /* the inverse of a, n x n; work: 2 n^2 + n doubles */
  ig_status (*dense_invert)(ig_ctx *cx, const ig_bsr *a, int n, double *work, float *inverse);
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
} ig_amg_ops;
extern const ig_amg_ops ig_amg_cpu;
extern const ig_amg_ops ig_amg_cuda;

/* What the caller provides; it is copied, and what it points at must outlive the hierarchy. */
struct ig_amg;
typedef struct ig_amg_problem {
  ig_lid nodes, elements;
  int size; /* unknowns per node: 3 or 1 */
  /* x and fix are read at set-up only */
  const double *x;         /* nodes x 3, host */
  const uint8_t *fix;      /* bits per node, host */
  const ig_mesh_args *hex; /* device */
  const ig_ground *ground; /* device */
  const ig_plan *plan;
  int steps;      /* of smoothing, before and after */
  int cycle;      /* 1: V, 2: W */
  double damping; /* of Jacobi smoothing, a share of the largest stable one; 0: Chebyshev */
  void *self;
  ig_status (*apply)(void *self, const float *x, float *y); /* without springs and supports */
  /* nodes of each rank, of which `apply` computes its own, wherever ghosts come from; NULL: all.
     ig_amg_cut has to follow */
  const struct ig_rows *rows;
  /* With `rows`, or NULL: chooses this rank's nodes and makes the problem on them, as ig_amg_cut
     takes them, while the hierarchy is made: matrices of the finest level then have values of own
     rows alone, and ig_amg_cut is not called. ig_amg_needs says what `s` needs; *node has to live
     until ig_amg_new returns. */
  ig_status (*cut)(void *self, struct ig_amg *s, struct ig_amg_problem *own, const ig_lid **node,
                   ig_lid *nodes);
} ig_amg_problem;

typedef struct ig_amg {
  ig_ctx *cx;
  const ig_amg_ops *ops;
  const ig_pattern_ops *patterns;
  ig_amg_problem problem;
  ig_array unit, dense, work; /* moduli of 1; inverse of the coarsest, and space to make it */
  int dense_n, levels;
  ig_amg_level level[IG_AMG_LEVELS];
  ig_replay replay;           /* of a cycle */
  struct ig_amg_parts *parts; /* mesh_amg_parts.h; NULL: every rank computes all rows */
} ig_amg;

/* The finest matrix alone, with its pattern on the host, for other preconditioners or solvers. It
   has no levels: ig_amg_cycle must not be called. */
IG_MUST_CHECK ig_status ig_amg_new_finest(ig_ctx *cx, const ig_amg_problem *problem, ig_amg **out);
/* The whole hierarchy, for unit moduli; ig_amg_update must follow before the first cycle. Cost:
   some ten cycles. *out is NULL after a failure. */
IG_MUST_CHECK ig_status ig_amg_new(ig_ctx *cx, const ig_amg_problem *problem, ig_amg **out);
void ig_amg_free(ig_amg *s);
/* With problem.rows: lets go of what other ranks compute. own: the problem on this rank's nodes,
   whose numbers in the whole are node[0] < node[1] < …; among these have to be those that
   ig_amg_needs marks with 1. */
IG_MUST_CHECK ig_status ig_amg_needs(const ig_amg *s, uint8_t *mark);
IG_MUST_CHECK ig_status ig_amg_cut(ig_amg *s, const ig_amg_problem *own, const ig_lid *node,
                                   ig_lid nodes);
/* New values for these moduli (device), level by level from the finest down; collective on ranks.
      The next cycle is recorded anew. */
IG_MUST_CHECK ig_status ig_amg_update(ig_amg *s, const double *modulus);
/* One cycle: *z = M r, in memory of the hierarchy, valid until the next call. r: device, nodes x
   size. M is symmetric positive definite up to rounding, as conjugate gradients need it. On a GPU
   and one rank the launches of a cycle are recorded once and replayed. */
IG_MUST_CHECK ig_status ig_amg_cycle(ig_amg *s, const float *r, const float **z);

/* --- between setup and update --- */

/* Values of one level from those of its matrix a: smoother, and prolongator and next matrix where
   there is one. */
IG_MUST_CHECK ig_status ig_amg_fill(ig_amg *s, int depth);
/* Values of the finest matrix; of a level's smoother: inverse blocks and the largest eigenvalue. */
IG_MUST_CHECK ig_status ig_amg_assemble(ig_amg *s, const double *modulus);
IG_MUST_CHECK ig_status ig_amg_smoother(ig_amg *s, int depth);
/* How far the prolongator is smoothed. */
float ig_amg_omega(const ig_amg_level *l);
/* Space for values, and no longer. */
IG_MUST_CHECK ig_status ig_amg_open_values(ig_amg *s, ig_amg_matrix *m);
void ig_amg_close_values(ig_amg *s, ig_amg_matrix *m);
void ig_amg_matrix_free(ig_ctx *cx, ig_amg_matrix *m);
IG_MUST_CHECK ig_status ig_amg_setup_finest(ig_amg *s);
IG_MUST_CHECK ig_status ig_amg_setup(ig_amg *s);
/* Its pattern on the host, too. */
IG_MUST_CHECK ig_status ig_amg_show_pattern(ig_amg *s, ig_amg_matrix *m);

IG_C_END
#endif
