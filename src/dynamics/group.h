/* Groups of elements of one kind, law and section: what element kernels are stamped for. */
#ifndef IG_DYNAMICS_GROUP_H
#define IG_DYNAMICS_GROUP_H

#include "core/array.h"
#include "assembly/scatter.h"
#include "dynamics/particle.h"

typedef enum {
  IG_DYN_HEX8,   /* hexahedron, eight points */
  IG_DYN_HEX1,   /* hexahedron, one point and hourglass control */
  IG_DYN_TET,    /* tetrahedron, one point */
  IG_DYN_SHELL,  /* triangular shell, elastic: stress resultants */
  IG_DYN_LAYERS, /* triangular shell, integrated through the thickness */
  IG_DYN_BEAM,   /* Euler-Bernoulli beam */
  IG_DYN_FIBRE,  /* the same, stress at fibres of two sections */
  IG_DYN_BAR,    /* bar or cable */
  IG_DYN_KINDS
} ig_dyn_kind;

/* kind, law: every kernel there is, once */
#define IG_DYN_STAMPS(X)                                                                           \
  X(HEX8, ELASTIC)                                                                                 \
  X(HEX8, J2)                                                                                      \
  X(HEX8, KINEMATIC)                                                                               \
  X(HEX8, TABLE)                                                                                   \
  X(HEX8, JOHNSON)                                                                                 \
  X(HEX8, NEOHOOKE)                                                                                \
  X(HEX1, ELASTIC)                                                                                 \
  X(HEX1, J2)                                                                                      \
  X(HEX1, KINEMATIC)                                                                               \
  X(HEX1, TABLE)                                                                                   \
  X(HEX1, JOHNSON)                                                                                 \
  X(TET, ELASTIC)                                                                                  \
  X(TET, J2)                                                                                       \
  X(TET, KINEMATIC)                                                                                \
  X(TET, TABLE)                                                                                    \
  X(TET, JOHNSON)                                                                                  \
  X(TET, NEOHOOKE)                                                                                 \
  X(SHELL, ELASTIC)                                                                                \
  X(LAYERS, J2)                                                                                    \
  X(LAYERS, KINEMATIC)                                                                             \
  X(LAYERS, TABLE)                                                                                 \
  X(LAYERS, JOHNSON)                                                                               \
  X(BEAM, ELASTIC)                                                                                 \
  X(FIBRE, J2)                                                                                     \
  X(FIBRE, KINEMATIC)                                                                              \
  X(FIBRE, TABLE)                                                                                  \
  X(BAR, ELASTIC)                                                                                  \
  X(BAR, J2)                                                                                       \
  X(BAR, KINEMATIC)                                                                                \
  X(BAR, TABLE)

/* Where a hexahedron's state keeps what: frame, internal energy, points. */
enum { IG_HEX_FRAME = 0, IG_HEX_ENERGY = 4, IG_HEX_POINT = 5 };
/* Shells: resultants N (3) and the moments' linear field (9), energy. Layers: thickness as a share,
   energy, points. Beams: width axis (3), N, Mx, M1y, M1z, M2y, M2z, energy, fibres. Bars: stress,
   energy, history. */
enum { IG_SHELL_ENERGY = 12, IG_SHELL_STATES = 13 };
enum { IG_LAYERS_THICK = 0, IG_LAYERS_ENERGY = 1, IG_LAYERS_POINT = 2 };
enum { IG_BEAM_FORCE = 3, IG_BEAM_ENERGY = 9, IG_BEAM_STATES = 10 };
enum { IG_BAR_STRESS = 0, IG_BAR_ENERGY = 1, IG_BAR_HISTORY = 2, IG_BAR_STATES = 4 };
/* What an element reports: mean stress in space (6), von Mises, plastic strain, internal energy,
   how much of it is not stored, section forces (6): N Vy Vz T My Mz of a beam half way along it,
   Nxx Nyy Nxy Mxx Myy Mxy of a shell; its stress xx yy xy at the top and at the bottom surface (6).
   A shell's x is the section's `along` laid onto it, z its normal, y = z x x. */
enum {
  IG_REPORT_MISES = 6,
  IG_REPORT_PLASTIC,
  IG_REPORT_ENERGY,
  IG_REPORT_LOST,
  IG_REPORT_SECTION,
  IG_REPORT_SURFACE = IG_REPORT_SECTION + 6
};
enum { IG_DYN_REPORT = IG_REPORT_SURFACE + 6 };

#endif
