/* Solid elements of implicit analyses: forces and consistent tangents of one element.

   Unknowns are the displacements u of the nodes, from the positions X at the start. An element's
   force is f = integral of B^T S over the volume at the start, its tangent K = df/du.
     small: S = stress of the linear strain e = sym(grad u), B its derivative.
     large: total Lagrangian. F = 1 + grad u, E = (F^T F - 1) / 2, S the second Piola-Kirchhoff
            stress. Linear elastic materials are St. Venant-Kirchhoff's, S = D (E - thermal strain);
            plastic ones are Hencky's with F = Fe Fp and the exponential map (Simo 1992; de Souza
            Neto, Peric, Owen 2008), so that the return mapping is that of small strains
            (material/j2.inc) in principal axes; with kinematic hardening they are those of
            small strains in the logarithmic strain (Miehe, Apel, Lambrecht 2002); neo-Hookean
            ones are material/j2.inc's. K has the geometric stiffness.
   K is symmetric in all cases.

   History (`past`, `now`): ig_solid_states() numbers per element, zeros at the start. Points come
   first: plastic strain xx yy zz xy yz zx (large, isotropic hardening: Cp^-1 - 1), accumulated
   plastic strain, back stress of kinematic hardening; of a program's law what it keeps. Then the
   amplitudes of incompatible modes, 3 per mode. `past` is that of the last accepted step and is
   only read; an evaluation depends on u and `past` alone.

   Everything here is pure: no memory is allocated, calls on different elements are independent.
   Arrays are in the order of the element's nodes: X, u, f: nodes x 3; K: (3 nodes)^2 by rows.
   Components of strains and stresses: xx yy zz xy yz zx; strains with engineering shears. SI. */
#ifndef IG_SOLID_H
#define IG_SOLID_H

#include "core/option.h"
#include "material/j2_law.h"
#include <ingot/mesh.h>

/* kind, name, type of the mesh, nodes, modes (3 more unknowns each), points, mean dilatation */
#define IG_SOLID_LIST(X)                                                                           \
  X(HEX8, "hex8", HEX8, 8, 0, 8, 0)                                                                \
  X(HEX8_BBAR, "hex8 bbar", HEX8, 8, 0, 8, 1)                                                      \
  X(HEX8_INCOMPATIBLE, "hex8 incompatible", HEX8, 8, 3, 8, 0)                                      \
  X(HEX20, "hex20", HEX20, 20, 0, 27, 0)                                                           \
  X(HEX20_REDUCED, "hex20 reduced", HEX20, 20, 0, 8, 0)                                            \
  X(TET4, "tet4", TET4, 4, 0, 1, 0)                                                                \
  X(TET10, "tet10", TET10, 10, 0, 4, 0)                                                            \
  X(WEDGE6, "wedge6", WEDGE6, 6, 0, 2, 0)                                                          \
  X(WEDGE15, "wedge15", WEDGE15, 15, 0, 9, 0)                                                      \
  X(BAR2, "bar2", BEAM2, 2, 0, 1, 0)                                                               \
  X(BAR3, "bar3", BEAM3, 3, 0, 2, 0)

typedef enum {
#define X(kind, name, type, nodes, modes, points, mean) IG_SOLID_##kind,
  IG_SOLID_LIST(X)
#undef X
      IG_SOLID_KINDS,
  IG_SOLID_VOLUMES = IG_SOLID_BAR2 /* kinds before the bars */
} ig_solid_kind;
/* Bars of trusses come last: stress along their axis alone, by the same laws; the section contracts
   as it does in a tensile test. Their area is in the `rule` of the law (ig_solid_bar_rule), which
   they must have. Axes of the mesh, isotropic laws only; no heat conduction, no ig_solid_lumped. */
enum {
  IG_SOLID_NODES = 20, /* most of an element */
  IG_SOLID_POINTS = 32,
  IG_SOLID_REPORT = 14 /* of a point: stress 6, strain 6, accumulated plastic strain, von Mises */
};

typedef struct {
  const char *name;
  ig_elem_type type;
  int nodes, modes, points;
} ig_solid_info;
/* Never NULL; valid for the run of the program. */
const ig_solid_info *ig_solid_info_get(ig_solid_kind kind);

/* A strain energy of volume-preserving stretches and of the volume J (see solid_energy in
   point.inc): polynomials of the invariants, Ogden's terms, penalties of the volume. */
typedef struct {
  double polynomial[9]; /* C10 C01 C20 C11 C02 C30 C21 C12 C03, Pa */
  int ogden;            /* terms */
  double mu[3], alpha[3];
  double d[3]; /* 1/Pa; 0: no such term */
} ig_solid_hyper;

/* Points of hex20 instead of the kind's own, for a solid that does not fill it: natural coordinates
   and weight of each. Of a bar the first coordinate alone, and the weight times the area. */
typedef struct {
  int points;
  double at[IG_SOLID_POINTS][4];
} ig_solid_rule;

/* The rule of a bar, kind BAR2 or BAR3, of a section. area in m^2. */
ig_solid_rule ig_solid_bar_rule(ig_solid_kind kind, double area);

/* Moduli at a point, at its temperature T (NaN: the model has none). */
typedef struct {
  double T, young, poisson, yield, hardening;
} ig_solid_here;

/* A law of a program or of the owner: stress, tangent and history at a point, in double. */
typedef struct ig_solid_own {
  bool (*stress)(const struct ig_solid_own *own, const ig_solid_here *here, const double strain[6],
                 const double *past, double *now, double stress[6], double tangent[36]);
  const void *law, *constant; /* whose: the owner's */
  double step, time;          /* s: since the last accepted state; time at the end of the step */
  int plastic;                /* 1 + place of the accumulated plastic strain, 0: none */
} ig_solid_own;

/* A material. Fill by ig_solid_isotropic or ig_solid_orthotropic, then set what goes beyond. */
typedef struct ig_solid_law {
  int law;              /* IG_LAW_ELASTIC, J2, KINEMATIC, TABLE, NEOHOOKE, OWN + states */
  bool large;           /* large displacements and rotations */
  double stiffness[36]; /* elastic: stress = stiffness strain, in the axes of the mesh */
  double expansion[6];  /* thermal strain per unit of `warm` */
  double young, poisson;
  double yield, hardening, kinematic; /* Pa: yield stress at the start, plastic moduli */
  int rows;                           /* TABLE: yield stress over plastic strain */
  double strain[IG_HARDENING_ROWS], stress[IG_HARDENING_ROWS];
  /* Depends on temperature: changes a copy of the law to that at T, and gives what `expansion`
     multiplies there. `warm` then has the temperatures of the nodes, followed by those of the
     start. NULL: it does not. */
  void (*heat)(const void *material, double T, double T0, struct ig_solid_law *law, double *warm);
  const void *material;
  const ig_solid_rule
      *rule;             /* ELASTIC hex20, bars: where it is integrated; NULL: as its kind says */
  const double *initial; /* ELASTIC: `points` x 6, stresses at no strain; NULL: none */
  int points;
  bool hyperelastic; /* NEOHOOKE: with the energy `hyper` */
  ig_solid_hyper hyper;
  ig_solid_own own; /* from IG_LAW_OWN on */
} ig_solid_law;
ig_solid_law ig_solid_isotropic(double young, double poisson, double expansion);
/* The moduli of small strains are those of the energy. Without a d[] Poisson's ratio is 0.475 and
   d[0] is made so, as CalculiX does. False: the energy does not resist shear. */
bool ig_solid_hyperelastic(const ig_solid_hyper *hyper, double expansion, ig_solid_law *law);
/* Engineering constants in the material's axes: moduli 1 2 3 (Pa), Poisson's ratios 12 23 13
   (strain along the second by stress along the first), shear moduli 12 23 13, expansion 1 2 3.
   axes: rows are the material's axes in those of the mesh, NULL: the same. Returns false where they
   are not those of a material: the stiffness is not positive definite. */
bool ig_solid_orthotropic(const double young[3], const double poisson[3], const double shear[3],
                          const double expansion[3], const double *axes, ig_solid_law *law);

int ig_solid_states(ig_solid_kind kind, int law);

/* Force f and tangent K (NULL: not wanted) at displacements u, from the history `past`, with the
   history `now` that this configuration would leave (past and now must differ). warm: per node,
   what `expansion` multiplies, a temperature above the stress-free one or the thermal strain
   itself; NULL: 0; law->heat: temperatures instead. Returns IG_FAULT_NONE, or what
   prevents the evaluation (kern/fault.h): IG_FAULT_JACOBIAN, IG_FAULT_RETURN. */
int ig_solid_evaluate(ig_solid_kind kind, const ig_solid_law *law, const double *X, const double *u,
                      const double *warm, const double *past, double *now, double *f, double *K);

/* Across a plane (z): nothing moves, or nothing acts. */
typedef enum { IG_SOLID_SPACE, IG_SOLID_PLANE_STRAIN, IG_SOLID_PLANE_STRESS } ig_solid_across;
/* Cauchy's stress where the displacements have the gradient H (rows: components; in a plane z is
   not read) and its derivative by H, slope[9 i + j] (NULL: not wanted). Laws without history. */
int ig_solid_stress(const ig_solid_law *law, ig_solid_across across, const double H[9],
                    double stress[6], double slope[54]);
/* Force and tangent (NULL: not wanted) of a quadrilateral of four nodes in a plane, of unit
   thickness at the start, with 2 x 2 points. X, u, f: 4 x 2; K: 8 x 8. Laws without history. */
int ig_solid_plane(const ig_solid_law *law, ig_solid_across across, const double *X,
                   const double *u, double *f, double *K);

/* Stresses (Cauchy's) and strains (of Green and Lagrange where large) of each point, from an
   accepted history: out is points x IG_SOLID_REPORT. */
int ig_solid_report(ig_solid_kind kind, const ig_solid_law *law, const double *X, const double *u,
                    const double *warm, const double *state, double *out);
/* How values of points are continued to the nodes: nodes x points factors, of the field through 27
   points of a hexahedron, else of the least-squares fit of a field that is trilinear (hexahedra),
   linear (tetrahedra) or linear by linear (wedges); the mean at all nodes of tet4 and bars, along
   one line of wedge6. rule: NULL where the element is
   filled. */
void ig_solid_continuation(ig_solid_kind kind, const ig_solid_rule *rule, double *fit);
/* The same for `width` values of each point. */
void ig_solid_to_nodes(ig_solid_kind kind, int width, const double *at_points, double *at_nodes);

/* For modes: adds to the tangent K of a reduced hex20 the stiffness of the six motions that its
   points do not see, which stacks of such elements have, too, and which would be the lowest of all
   (hourglass.c). x: nodes x 3, present positions. Of other kinds, and with a rule, K stays. */
void ig_solid_hourglass(ig_solid_kind kind, const ig_solid_law *law, const double *x, double *K);
/* Geometric stiffness of stresses (points x 6, Cauchy's) about the positions X: K = integral of
   grad N_a . stress grad N_b; incompatible modes move with the nodes as they do in statics. */
void ig_solid_geometric(ig_solid_kind kind, const ig_solid_law *law, const double *X,
                        const double *stress, double *K);

/* Volume, and per node the integral of its shape function. rule, here and below: NULL where the
   element is filled. */
double ig_solid_weights(ig_solid_kind kind, const ig_solid_rule *rule, const double *X,
                        double *weight);
/* Integrals of the products of shape functions, nodes x nodes: times density, the mass of one
   direction. */
void ig_solid_mass(ig_solid_kind kind, const ig_solid_rule *rule, const double *X, double *M);
/* The same of hex8 with incompatible modes, which move with the nodes as they do in statics:
   (3 nodes)^2. False: the kind has no modes, its mass is that of ig_solid_mass. */
bool ig_solid_mass_of_modes(ig_solid_kind kind, const ig_solid_law *law, const double *X,
                            double *M);
/* Its diagonal scaled to the volume, positive for every node (Hinton, Rock, Zienkiewicz 1976). */
void ig_solid_lumped(ig_solid_kind kind, const double *X, double *m);
/* Adds to f (nodes x 3) the inertia of a rotation at `rate` rad/s about an axis through `point`
   along the unit vector `axis`, times density, at positions x; K (NULL: not wanted) gets its
   derivative df/dx. */
void ig_solid_centrifugal(ig_solid_kind kind, const ig_solid_rule *rule, const double *X,
                          const double *x, double density, double rate, const double point[3],
                          const double axis[3], double *f, double *K);

/* Conduction and storage of heat in an element: tables over temperature. */
typedef struct {
  const ig_table *conductivity, *density, *specific_heat; /* the last two: where `rate` is not 0 */
} ig_solid_thermal;
/* f (nodes) = integral of grad N . k grad T + N density c (T - before) rate, rate = 1 / time step,
   0: steady; K = df/dT (NULL: not wanted), not symmetric where k or c change with T. */
void ig_solid_conduct(ig_solid_kind kind, const ig_solid_thermal *m, const double *X,
                      const double *T, const double *before, double rate, double *f, double *K);
/* Heat flux, -k grad T, of each point: points x 3. */
void ig_solid_flux(ig_solid_kind kind, const ig_solid_thermal *m, const double *X, const double *T,
                   double *flux);

/* Adds the force of a pressure on a face to f (nodes x 3), at positions x: nodes are 3, 4, 6 or 8,
   corners first, counter-clockwise from outside. K (NULL: not wanted) gets df/dx, which is
   symmetric only for closed surfaces; `symmetric`: its symmetric part. */
void ig_solid_pressure(int nodes, const double *x, double pressure, double *f, double *K,
                       bool symmetric);
/* Per node the integral of its shape function over the face at x; returns the area. */
double ig_solid_face_weights(int nodes, const double *x, double *weight);

#endif
