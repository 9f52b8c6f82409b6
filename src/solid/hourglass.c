/* Stiffness of the motions that the points of a reduced hex20 do not see; see solid.h.

   With P(s) = 1 - 3 s^2, which vanishes at the points, these motions are in natural components
   (xi P(eta), -eta P(xi), 0), the same times zeta, and so around the axes: six. Their strains go as
   P. An element resists the part of its displacements that is orthogonal (over its nodes) to
   fields of second order, as gamma projections do for eight nodes (Flanagan and Belytschko 1981):
   patch tests and bending stay as they are. First to those in natural coordinates, then to the
   positions: exactly to these, so that no rigid motion is resisted, and to the others as far as
   positions have nothing of the motions themselves, which states under load do. How much: the
   energy of the motion integrated by 27 points, with the moduli that the element's own tangent has
   for constant strains. */
#include "solid/solid.h"

#include <math.h>
#include <string.h>

#include "kern/prec_f64.h"

enum { NODES = 20, SIZE = 60, MOTIONS = 6, QUADRATIC = 10, LINEAR = 4 };

/* Derivatives by x of the shape functions at one of 27 points, inverse by rows d(xi)/dx; its share
   of the volume. */
static double gradients(const double *x, const double at[3], double G[NODES][3],
                        double inverse[9]) {
  double d[NODES][3], J[9] = {0};
  hex20_slopes_f64(at, d);
  for (int a = 0; a < NODES; a++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        J[3 * i + k] += x[3 * a + i] * d[a][k];
  double det = 0;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) { /* transposed cofactors */
      const int p = (i + 1) % 3, q = (i + 2) % 3, r = (k + 1) % 3, s = (k + 2) % 3;
      inverse[3 * k + i] = J[3 * p + r] * J[3 * q + s] - J[3 * p + s] * J[3 * q + r];
    }
  for (int i = 0; i < 3; i++)
    det += J[3 * i] * inverse[i];
  for (int i = 0; i < 9; i++)
    inverse[i] /= det;
  for (int a = 0; a < NODES; a++)
    for (int i = 0; i < 3; i++)
      G[a][i] = d[a][0] * inverse[i] + d[a][1] * inverse[3 + i] + d[a][2] * inverse[6 + i];
  return det;
}

static double over_nodes(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < NODES; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Takes out of v what the first `count` fields have of it. */
static void leave(double (*field)[NODES], int count, double v[NODES]) {
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < count; k++) {
      const double share = over_nodes(field[k], v);
      for (int a = 0; a < NODES; a++)
        v[a] -= share * field[k][a];
    }
}

/* Orthonormal over the nodes. */
static void fields_order(double (*field)[NODES], int count) {
  for (int k = 0; k < count; k++) {
    leave(field, k, field[k]);
    const double left = sqrt(over_nodes(field[k], field[k]));
    for (int a = 0; a < NODES; a++)
      field[k][a] /= left;
  }
}

/* Fields that the points do resist: `quadratic` in natural coordinates; 1 and the positions. */
static void fields_make(const double *x, double quadratic[QUADRATIC][NODES],
                        double linear[LINEAR][NODES]) {
  for (int a = 0; a < NODES; a++) {
    const double s[3] = {hex27_side_f64(a, 0), hex27_side_f64(a, 1), hex27_side_f64(a, 2)};
    quadratic[0][a] = linear[0][a] = 1;
    for (int k = 0; k < 3; k++) {
      quadratic[1 + k][a] = s[k];
      quadratic[4 + k][a] = s[k] * s[k];
      quadratic[7 + k][a] = s[k] * s[(k + 1) % 3];
      linear[1 + k][a] = x[3 * a + k];
    }
  }
  fields_order(quadratic, QUADRATIC);
  fields_order(linear, LINEAR);
}

/* Natural component c of motion m at node a. */
static double motion_at(int m, int c, int a) {
  const int i = m % 3, k = (m + 1) % 3, l = (m + 2) % 3;
  const double s[3] = {hex27_side_f64(a, 0), hex27_side_f64(a, 1), hex27_side_f64(a, 2)};
  const double by = m < 3 ? 1 : s[l];
  return c == i   ? by * s[i] * (1 - 3 * s[k] * s[k])
         : c == k ? -by * s[k] * (1 - 3 * s[i] * s[i])
                  : 0;
}

/* Strains xx yy zz xy yz zx of displacements h. */
static void strain_of(double (*G)[3], const double *h, double e[6]) {
  memset(e, 0, 6 * sizeof *e);
  for (int a = 0; a < NODES; a++)
    for (int i = 0; i < 3; i++) {
      const int k = (i + 1) % 3;
      e[i] += G[a][i] * h[3 * a + i];
      e[3 + i] += G[a][i] * h[3 * a + k] + G[a][k] * h[3 * a + i];
    }
}

/* V D: energy of constant strains, by the tangent. */
static void moduli(const double *x, const double *K, double D[6][6]) {
  double E[6][SIZE] = {{0}};
  for (int a = 0; a < NODES; a++)
    for (int i = 0; i < 3; i++) {
      const int k = (i + 1) % 3;
      E[i][3 * a + i] = x[3 * a + i];
      E[3 + i][3 * a + i] = 0.5 * x[3 * a + k];
      E[3 + i][3 * a + k] = 0.5 * x[3 * a + i];
    }
  memset(D, 0, 36 * sizeof **D);
  for (int j = 0; j < 6; j++)
    for (int r = 0; r < SIZE; r++) {
      double f = 0;
      for (int c = 0; c < SIZE; c++)
        f += K[r * SIZE + c] * E[j][c];
      for (int i = 0; i < 6; i++)
        D[i][j] += E[i][r] * f;
    }
}

void ig_solid_hourglass(ig_solid_kind kind, const ig_solid_law *law, const double *x, double *K) {
  double quadratic[QUADRATIC][NODES], linear[LINEAR][NODES], G[NODES][3], inverse[9], D[6][6],
      h[MOTIONS][SIZE];
  double dual[MOTIONS][SIZE], energy[MOTIONS] = {0}, volume = 0, at[3] = {0};
  if (kind != IG_SOLID_HEX20_REDUCED || law->rule)
    return;
  fields_make(x, quadratic, linear);
  gradients(x, at, G, inverse);
  for (int m = 0; m < MOTIONS; m++) {
    memset(h[m], 0, sizeof h[m]);
    memset(dual[m], 0, sizeof dual[m]);
    for (int c = 0; c < 3; c++) {
      double v[NODES], rest[NODES];
      for (int a = 0; a < NODES; a++)
        v[a] = rest[a] = motion_at(m, c, a);
      leave(quadratic, QUADRATIC, rest);
      leave(linear, LINEAR, rest);
      for (int a = 0; a < NODES; a++)
        for (int i = 0; i < 3; i++) {
          h[m][3 * a + i] += inverse[3 * c + i] * v[a];
          dual[m][3 * a + i] += inverse[3 * c + i] * rest[a];
        }
    }
  }
  moduli(x, K, D);
  for (int q = 0; q < 27; q++) {
    const double w = brick3_f64(q, at), share = w * gradients(x, at, G, inverse);
    volume += share;
    for (int m = 0; m < MOTIONS; m++) {
      double e[6];
      strain_of(G, h[m], e);
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
          energy[m] += share * e[i] * D[i][j] * e[j];
    }
  }
  for (int m = 0; m < MOTIONS; m++) {
    double seen = 0, own = 0;
    for (int i = 0; i < SIZE; i++) {
      seen += dual[m][i] * h[m][i];
      own += h[m][i] * h[m][i];
    }
    if (!(seen > 1e-3 * own) || !(energy[m] > 0))
      continue; /* so bent that hardly anything of it is left */
    const double k = energy[m] / volume / (seen * seen);
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++)
        K[i * SIZE + j] += k * dual[m][i] * dual[m][j];
  }
}
