/* Axis-aligned bricks and rectangles: exact element matrices, and the same in the Walsh-Hadamard
   basis of the corner nodes, where they are almost diagonal. A product with the dense 24 x 24
   matrix takes 576 multiplications; transforms (additions only) and 45 entries of the modes take a
   fraction of that.

   Local nodes are numbered by bits: bit 0 is x, bit 1 y, bit 2 z. Mode m has the sign
   (-1)^popcount(node & m) at a node. A reflection of the brick flips one bit's sign, so modes of
   different parity under reflections do not couple: component c of mode m belongs to class m ^ (1
   << c), and each of the classes is a dof x dof matrix. */
#ifndef IG_SOLVER_GRID_BRICK_H
#define IG_SOLVER_GRID_BRICK_H

#include "core/ctx.h"

typedef struct {
  int dim, dof;    /* 2 or 3; 1 (conduction) or dim (elasticity, plane stress in 2D) */
  int nodes, size; /* 2^dim, nodes * dof */
  double h[3];
  /* 24: eight nodes of three components; smaller elements use the upper left corner */
  double k[24][24];   /* local dof = node * dof + component, unit modulus */
  double b[8][3][3];  /* [class][component][component]; one component: b[mode][0][0] */
  double diagonal[3]; /* of k, per component: the same at every node */
  double lambda;      /* largest eigenvalue of diag(k)^-1 k */
  double load;        /* consistent nodal share of a unit source: volume / nodes */
} ig_brick;

/* h: dim edges, m. Matrices for Young's modulus 1 (conductivity 1); dim 2 is plane stress of unit
   thickness. Fill all members; nothing to free. */
void ig_brick_elastic(ig_brick *brick, int dim, const double *h, double poisson);
/* Of another element of eight nodes and three components that has the symmetries of a box and no
   force under translations; k as in the struct. */
void ig_brick_of(ig_brick *brick, const double *h, const double k[24][24]);
void ig_brick_conduction(ig_brick *brick, int dim, const double *h);
/* length^2 x conduction + mass: the matrix of a Helmholtz filter. */
void ig_brick_helmholtz(ig_brick *brick, int dim, const double *h, double length);

/* Largest eigenvalue of D^-1 k for a symmetric positive semi-definite k of size n <= 24, D being
   the diagonal blocks of k of the size given (1: the diagonal). It bounds that of D^-1 A for any
   sum A of such elements with any moduli (Irons and Treharne 1971). */
double ig_brick_lambda(int n, const double *k, int stride, int block);

#endif
