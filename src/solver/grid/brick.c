/* Element matrices of bricks and rectangles, and their Walsh-Hadamard form (brick.h). Made once per
   problem, in double: by Gauss integration, exact for boxes, then transformed by H k H / nodes^2, H
   being the matrix of signs of the modes. */
#include "solver/grid/brick.h"
#include "kern/hd.h"
#include "solver/grid/block.inc"

#include <math.h>
#include <string.h>

/* (-1)^popcount: the entry of the Walsh-Hadamard matrix at (node, mode). */
static int sign(int node, int mode) {
  return __builtin_popcount((unsigned)(node & mode)) & 1 ? -1 : 1;
}

/* b = H k H / nodes^2, sorted by parity class; what is zero by symmetry is not kept. */
static void to_modes(ig_brick *b) {
  const int n = b->nodes, dof = b->dof;
  memset(b->b, 0, sizeof b->b);
  for (int class = 0; class < n; class ++)
    for (int c = 0; c < dof; c++)
      for (int d = 0; d < dof; d++) {
        const int mc = dof == 1 ? class : class ^ (1 << c),
                  md = dof == 1 ? class : class ^ (1 << d);
        double s = 0;
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++)
            s += sign(i, mc) * sign(j, md) * b->k[i * dof + c][j * dof + d];
        b->b[class][c][d] = s / (n * n);
      }
  /* rigid translations carry no force: exactly */
  for (int c = 0; dof > 1 && c < dof; c++)
    for (int d = 0; d < dof; d++)
      b->b[1 << c][c][d] = b->b[1 << c][d][c] = 0;
  for (int c = 0; c < dof; c++)
    b->diagonal[c] = b->k[c][c];
}

/* Power iteration in the inner product of D, for a matrix of at most 24: cheap, and done once. */
double ig_brick_lambda(int n, const double *k, int stride, int block) {
  double x[24], y[24], inverse[24][3], lambda = 0;
  for (int i = 0; i < n; i += block) {
    double a[9], b[9];
    for (int q = 0; q < block * block; q++)
      a[q] = k[(i + q / block) * stride + i + q % block];
    ig_block_inverse(block, a, b);
    for (int q = 0; q < block * block; q++)
      inverse[i + q / block][q % block] = b[q];
  }
  for (int i = 0; i < n; i++)
    x[i] = sin(1.0 + 3 * i); /* no symmetry: not orthogonal to any mode */
  for (int it = 0; it < 2000; it++) {
    double norm = 0;
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < n; j++)
        y[i] += k[i * stride + j] * x[j];
    }
    for (int i = 0; i < n; i++) {
      x[i] = 0;
      for (int c = 0; c < block; c++)
        x[i] += inverse[i][c] * y[i - i % block + c];
      norm += x[i] * y[i]; /* (D^-1 k x) . k x: x was of unit size in D */
    }
    const double last = lambda;
    lambda = sqrt(norm);
    for (int i = 0; i < n; i++)
      x[i] /= lambda > 0 ? lambda : 1;
    if (fabs(lambda - last) <= 1e-10 * lambda)
      break;
  }
  return lambda;
}

/* Sums over the 2^dim Gauss points, exact for boxes; `point` adds one point's share. */
typedef void point_fn(ig_brick *b, const double (*grad)[3], double weight, const double *material);

/* 2^dim Gauss points integrate products of the gradients of (bi-, tri-)linear shape functions on a
   box exactly. grad[a][d]: derivative of node a's shape function along axis d, 1/m. */
static void integrate(ig_brick *b, point_fn *point, const double *material) {
  /* places of two Gauss points on -1 to 1 */
  const double g = 1 / sqrt(3.0);
  double volume = 1;
  for (int d = 0; d < b->dim; d++)
    volume *= b->h[d];
  memset(b->k, 0, sizeof b->k);
  for (int q = 0; q < b->nodes; q++) {
    double grad[8][3];
    for (int a = 0; a < b->nodes; a++)
      for (int d = 0; d < b->dim; d++) {
        double v = (a >> d & 1 ? 1 : -1) / b->h[d];
        for (int e = 0; e < b->dim; e++)
          if (e != d)
            v *= 0.5 * (1 + (a >> e & 1 ? 1 : -1) * (q >> e & 1 ? g : -g));
        grad[a][d] = v;
      }
    point(b, (const double(*)[3])grad, volume / b->nodes, material);
  }
  b->load = volume / b->nodes;
  to_modes(b);
  b->lambda = ig_brick_lambda(b->size, &b->k[0][0], 24, 1);
}

/* sigma = lambda tr(eps) I + 2 mu eps */
static void elastic_point(ig_brick *b, const double (*grad)[3], double w, const double *material) {
  const double lambda = material[0], mu = material[1];
  for (int i = 0; i < b->nodes; i++)
    for (int j = 0; j < b->nodes; j++) {
      double dot = 0;
      for (int d = 0; d < b->dim; d++)
        dot += grad[i][d] * grad[j][d];
      for (int c = 0; c < b->dim; c++)
        for (int d = 0; d < b->dim; d++)
          b->k[i * b->dof + c][j * b->dof + d] +=
              w * (lambda * grad[i][c] * grad[j][d] + mu * grad[i][d] * grad[j][c] +
                   (c == d ? mu * dot : 0));
    }
}

static void conduction_point(ig_brick *b, const double (*grad)[3], double w,
                             const double *material) {
  (void)material;
  for (int i = 0; i < b->nodes; i++)
    for (int j = 0; j < b->nodes; j++)
      for (int d = 0; d < b->dim; d++)
        b->k[i][j] += w * grad[i][d] * grad[j][d];
}

/* What does not depend on the matrix. */
static void shape(ig_brick *b, int dim, int dof, const double *h) {
  memset(b, 0, sizeof *b);
  b->dim = dim;
  b->dof = dof;
  b->nodes = 1 << dim;
  b->size = b->nodes * dof;
  for (int d = 0; d < dim; d++)
    b->h[d] = h[d];
}

void ig_brick_elastic(ig_brick *brick, int dim, const double *h, double poisson) {
  shape(brick, dim, dim, h);
  const double nu = poisson, mu = 0.5 / (1 + nu);
  /* plane stress replaces lambda by 2 lambda mu / (lambda + 2 mu) */
  const double lambda = dim == 2 ? nu / (1 - nu * nu) : nu / ((1 + nu) * (1 - 2 * nu));
  integrate(brick, elastic_point, (const double[2]){lambda, mu});
}

void ig_brick_of(ig_brick *brick, const double *h, const double k[24][24]) {
  shape(brick, 3, 3, h);
  memcpy(brick->k, k, sizeof brick->k);
  brick->load = h[0] * h[1] * h[2] / 8;
  to_modes(brick);
  brick->lambda = ig_brick_lambda(brick->size, &brick->k[0][0], 24, 1);
}

void ig_brick_conduction(ig_brick *brick, int dim, const double *h) {
  shape(brick, dim, 1, h);
  integrate(brick, conduction_point, NULL);
  brick->b[0][0][0] = 0; /* exactly */
}

/* The exact mass matrix of a box is a product over axes: 1/3 on the diagonal, 1/6 beside it, times
   the edge. */
void ig_brick_helmholtz(ig_brick *brick, int dim, const double *h, double length) {
  ig_brick_conduction(brick, dim, h);
  const double volume = brick->load * brick->nodes;
  for (int i = 0; i < brick->nodes; i++)
    for (int j = 0; j < brick->nodes; j++) {
      double mass = volume;
      for (int d = 0; d < dim; d++)
        mass *= (i >> d & 1) == (j >> d & 1) ? 1 / 3.0 : 1 / 6.0;
      brick->k[i][j] = length * length * brick->k[i][j] + mass;
    }
  to_modes(brick);
  brick->lambda = ig_brick_lambda(brick->size, &brick->k[0][0], 24, 1);
}
