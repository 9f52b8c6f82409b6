/* Sizes of one element: mass, inertia of a particle, critical step. The step of an element is 2
   / w with w a bound of its highest frequency, or characteristic length over wave speed; the
   mesh's step is the least of them, as the highest frequency of a mesh is at most that of its
   worst element.

   Functions get corner positions x and return the critical step in s; a volume that is not
   positive gives a mass that is not positive, which the caller reports. */
#include "dynamics/model/model.h"

#include <math.h>

/* Largest squared frequency of a bending strip of length l: stiffness EI, mass and inertia of
   each end. Row sums of the scaled stiffness matrix bound the largest eigenvalue. */
static double bending_frequency2(double ei, double l, double mass, double inertia) {
  const double mixed = 12 * ei / (l * l * sqrt(mass * inertia));
  return fmax(24 * ei / (l * l * l * mass) + mixed, mixed + 6 * ei / (l * inertia));
}

/* Squared frequency of a free hexahedron's uniform strains, by the inverse g of its Jacobian in the
   middle: a bound, reached by a lone cube that breathes. Deep in a mesh neighbours hold each other
   and V / A / c would do; a voxel that hangs by one face, or a bar one element thick, needs this.
 */
static double hex_frequency2(const mech_f64 *mat, const double *const *x) {
  static const int side[3][8] = {
      {-1, 1, 1, -1, -1, 1, 1, -1}, {-1, -1, 1, 1, -1, -1, 1, 1}, {-1, -1, -1, -1, 1, 1, 1, 1}};
  double j[3][3] = {{0}}, g[3][3], all = 0, most = 0;
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 8; a++)
      for (int d = 0; d < 3; d++)
        j[i][d] += side[i][a] * x[a][d] / 8;
  for (int i = 0; i < 3; i++) /* columns of the inverse, times the determinant */
    cross_f64(j[(i + 1) % 3], j[(i + 2) % 3], g[i]);
  const double det = dot_f64(j[0], g[0]);
  for (int i = 0; i < 3;
       i++) { /* of the matrix of their products: trace, and a bound on the rest */
    double row = 0;
    for (int k = 0; k < 3; k++)
      row += fabs(dot_f64(g[i], g[k]));
    most = fmax(most, row);
    all += dot_f64(g[i], g[i]);
  }
  const double lame = mat->bulk - mat->shear * 2 / 3;
  return (lame * all + 2 * mat->shear * most) / (mat->density * det * det);
}

/* Share of the critical step that linear bulk viscosity leaves: sqrt(1 + d^2) - d, with d the
   damping ratio of a solid that breathes at its highest frequency, b1 times the modulus of the wave
   over that of the volume. The quadratic term depends on the rate and is not counted. */
static double viscous_share(const ig_dyn_group *g) {
  const mech_f64 *mat = &g->g_f64.mat;
  const double d = g->g_f64.bulk_linear * (mat->bulk + mat->shear * 4 / 3) / mat->bulk;
  return sqrt(1 + d * d) - d;
}

/* Volume by the divergence theorem over the six faces, exact for bilinear faces. Step: the
   lesser of volume over largest face over wave speed, and of hex_frequency2. */
double ig_dyn_size_hex(const ig_dyn_group *g, double inertia_scale, const double *const *x,
                       double *mass, double *inertia) {
  const mech_f64 *mat = &g->g_f64.mat;
  const double solid = sqrt((mat->bulk + mat->shear * 4 / 3) / mat->density);
  double volume = 0, face = 0, a[3], b[3], n[3];
  (void)inertia_scale;
  for (int f = 0; f < 6; f++) {
    const int *k = ig_elem_face(IG_HEX8, f);
    ig_dyn_sub(x[k[2]], x[k[0]], a);
    ig_dyn_sub(x[k[3]], x[k[1]], b);
    cross_f64(a, b, n);
    double c[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
      c[i] = (x[k[0]][i] + x[k[1]][i] + x[k[2]][i] + x[k[3]][i]) / 4 - x[0][i];
    volume += dot_f64(c, n) / 6;
    face = fmax(face, sqrt(dot_f64(n, n)) / 2);
  }
  *inertia = 0;
  *mass = mat->density * volume;
  return viscous_share(g) * fmin(volume / face / solid, 2 / sqrt(hex_frequency2(mat, x)));
}

/* Half of the least altitude over the wave speed. */
double ig_dyn_size_tet(const ig_dyn_group *g, double inertia_scale, const double *const *x,
                       double *mass, double *inertia) {
  const mech_f64 *mat = &g->g_f64.mat;
  const double solid = sqrt((mat->bulk + mat->shear * 4 / 3) / mat->density);
  double a[3], b[3], c[3], n[3], face = 0;
  (void)inertia_scale;
  ig_dyn_sub(x[1], x[0], a);
  ig_dyn_sub(x[2], x[0], b);
  ig_dyn_sub(x[3], x[0], c);
  cross_f64(a, b, n);
  const double volume = dot_f64(n, c) / 6;
  for (int f = 0; f < 4; f++) {
    const int *k = ig_elem_face(IG_TET4, f);
    ig_dyn_sub(x[k[1]], x[k[0]], a);
    ig_dyn_sub(x[k[2]], x[k[0]], b);
    cross_f64(a, b, n);
    face = fmax(face, sqrt(dot_f64(n, n)) / 2);
  }
  *inertia = 0;
  *mass = mat->density * volume;
  return viscous_share(g) * (3 * volume / face / solid * 0.5);
}

/* The strain energy at a point is at most volume (lame (div u)^2 + 2 mu |grad u|^2) / 2; with
   G = sum of g g^T / m over the particles, g their gradients there, that is bounded by
   (lame tr G + 2 mu |G|) times the kinetic norm. The sum over the points bounds the square of any
   frequency of the element alone. */
double ig_dyn_size_tet10(const ig_dyn_group *g, double inertia_scale, const double *const *x,
                         double *mass, double *inertia) {
  const mech_f64 *mat = &g->g_f64.mat;
  const double lame = mat->bulk - mat->shear * 2 / 3;
  double volume = 0, sum = 0;
  (void)inertia_scale;
  for (int q = 0; q < 4; q++) {
    double at[3], d[10][3], j[9] = {0}, c[9], n[3][3] = {{0}}, most = 0;
    const double weight = tetrahedron4_f64(q, at);
    tet10_slopes_f64(at, d);
    for (int a = 0; a < 10; a++)
      for (int i = 0; i < 9; i++)
        j[i] += d[a][i / 3] * x[a][i % 3];
    const double det = hex8_cofactors_f64(j, c);
    volume += weight * det;
    for (int a = 0; a < 10; a++) {
      double s[3];
      for (int i = 0; i < 3; i++)
        s[i] = d[a][0] * c[i] + d[a][1] * c[3 + i] + d[a][2] * c[6 + i]; /* gradient x det */
      for (int i = 0; i < 9; i++)
        n[i / 3][i % 3] += s[i / 3] * s[i % 3] / ig_dyn_tet10_share(a);
    }
    for (int i = 0; i < 3; i++) /* rows bound the norm */
      most = fmax(most, fabs(n[i][0]) + fabs(n[i][1]) + fabs(n[i][2]));
    sum += weight / det * (lame * (n[0][0] + n[1][1] + n[2][2]) + 2 * mat->shear * most);
  }
  *inertia = 0;
  *mass = mat->density * volume;
  return viscous_share(g) * (2 / sqrt(sum / *mass));
}

/* Membrane: least altitude h over the plate's wave speed. Bending: a strip of length h, unit
   width. Rotary inertia is raised to inertia_scale x area x mass: the physical one of a thin
   shell would make rotations the fastest motion, although they matter little. */
double ig_dyn_size_triangle(const ig_dyn_group *g, double inertia_scale, const double *const *x,
                            double *mass, double *inertia) {
  const mech_f64 *mat = &g->g_f64.mat;
  double a[3], b[3], c[3], n[3];
  ig_dyn_sub(x[1], x[0], a);
  ig_dyn_sub(x[2], x[0], b);
  ig_dyn_sub(x[2], x[1], c);
  cross_f64(a, b, n);
  const double area = sqrt(dot_f64(n, n)) / 2, t = g->g_f64.thickness;
  const double side = sqrt(fmax(dot_f64(a, a), fmax(dot_f64(b, b), dot_f64(c, c)))),
               h = 2 * area / side;
  const double wave = sqrt(mat->young / (mat->density * (1 - mat->poisson * mat->poisson)));
  *mass = mat->density * t * area;
  const double k2 = fmax(t * t / 12, inertia_scale * area);
  *inertia = *mass / 3 * k2;
  const double d = mat->young * t * t * t / (12 * (1 - mat->poisson * mat->poisson));
  const double m = mat->density * t * h / 2;
  return fmin(h / wave, 2 / sqrt(bending_frequency2(d, h, m, m * k2)));
}

/* Half of its four triangles. Each particle has three of them, each third of their masses is half
   of a triangle's: a particle weighs what the three stiffnesses' halves ask for, so that the
   critical step is the least of the triangles'. */
double ig_dyn_size_quad(const ig_dyn_group *g, double inertia_scale, const double *const *x,
                        double *mass, double *inertia) {
  static const int cut[IG_QUAD_CUTS][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
  double least = INFINITY;
  *mass = *inertia = 0;
  for (int k = 0; k < IG_QUAD_CUTS; k++) {
    const double *const corner[3] = {x[cut[k][0]], x[cut[k][1]], x[cut[k][2]]};
    double part, turn;
    least = fmin(least, ig_dyn_size_triangle(g, inertia_scale, corner, &part, &turn));
    *mass += 0.5 * part;
    *inertia = fmax(*inertia, 1.5 * turn);
  }
  return least;
}

/* Least of axial, bending and torsional frequency. */
double ig_dyn_size_line(const ig_dyn_group *g, double inertia_scale, const double *const *x,
                        double *mass, double *inertia) {
  const mech_f64 *mat = &g->g_f64.mat;
  const double rod = sqrt(mat->young / mat->density);
  double a[3];
  ig_dyn_sub(x[1], x[0], a);
  const double l = sqrt(dot_f64(a, a)), area = g->g_f64.area;
  *inertia = 0;
  *mass = mat->density * area * l;
  if (g->kind == IG_DYN_BAR)
    return l / rod;
  const double i = fmax(g->g_f64.iy, g->g_f64.iz);
  /* at least the physical inertia about the axis; at least a share of that of a rod of the
     element's length */
  *inertia = fmax(mat->density * l / 2 * (g->g_f64.iy + g->g_f64.iz),
                  mat->density * l / 2 * i + *mass * l * l / 24 * inertia_scale);
  const double twist = sqrt(2 * mat->shear * g->g_f64.torsion / l / *inertia);
  return fmin(l / rod, fmin(2 / sqrt(bending_frequency2(mat->young * i, l, *mass / 2, *inertia)),
                            2 / twist));
}
