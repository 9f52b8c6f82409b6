/* Groups of elements of one kind, law and section: what element kernels are stamped for. */
#ifndef IG_DYNAMICS_GROUP_H
#define IG_DYNAMICS_GROUP_H

#include "core/array.h"
#include "assembly/scatter.h"
#include "dynamics/kernels/particle.h"

/* Every element of the room, a row each: kind, mesh element, particles, degrees of freedom of
   each, family, how its mass and critical step are found (ig_dyn_size_*), what a check calls it.
   With element_KIND and report_KIND in force.inc, states_KIND in element.c and lines in the list
   of laws below it is all that the drivers of both backends are made from; the order means
   nothing.

   State of a group, S values per element, in blocks of 32 slots:

     block 0: value 0 of slots 0 … 31, value 1 of slots 0 … 31, … value S - 1
     block 1: value 0 of slots 32 … 63, …

   so that a warp, or the lanes of a pack, read one value of neighbouring elements side by side.
   Value k of slot s is at ((s / 32) S + k) 32 + s % 32. */
#define IG_DYN_ELEMENTS(X)                                                                         \
  X(HEX8, HEX8, 8, 3, SOLID, hex, "hexahedra, 8 points")                                           \
  X(HEX1, HEX8, 8, 3, SOLID, hex, "hexahedra, 1 point")                                            \
  X(TET, TET4, 4, 3, SOLID, tet, "tetrahedra")                                                     \
  X(TET10, TET10, 10, 3, SOLID, tet10, "quadratic tetrahedra")                                     \
  X(SHELL, TRI3, 3, 6, SHELL, triangle, "shells, elastic")                                         \
  X(LAYERS, TRI3, 3, 6, SHELL, triangle, "shells, layered")                                        \
  X(QUAD, QUAD4, 4, 6, SHELL, quad, "quadrilateral shells, elastic")                               \
  X(QUAD_LAYERS, QUAD4, 4, 6, SHELL, quad, "quadrilateral shells, layered")                        \
  X(BEAM, BEAM2, 2, 6, LINE, line, "beams")                                                        \
  X(FIBRE, BEAM2, 2, 6, LINE, line, "beams, fibres")                                               \
  X(BAR, BEAM2, 2, 3, LINE, line, "bars")

typedef enum {
#define X(kind, type, particles, freedoms, family, size, text) IG_DYN_##kind,
  IG_DYN_ELEMENTS(X)
#undef X
      IG_DYN_KINDS
} ig_dyn_kind;
/* What an element is: decides about section keys, fields of output, contact offsets. */
typedef enum { IG_FAMILY_SOLID, IG_FAMILY_SHELL, IG_FAMILY_LINE } ig_dyn_family;

/* Elements of a cluster, a thread each on a GPU; particles of one at most: of elements that share
   few, a cluster has one block. */
enum { IG_DYN_CLUSTER = 128, IG_DYN_CLUSTER_NODES = 320 };

/* Sizes of scratch arrays of the largest element, found at compile time: a union is as large as
   its largest member. Positions: 3 per node; motions or forces: dofs per node. */
typedef union {
#define X(kind, type, particles, freedoms, family, size, text) char kind[3 * (particles)];
  IG_DYN_ELEMENTS(X)
#undef X
} ig_dyn_positions;
typedef union {
#define X(kind, type, particles, freedoms, family, size, text) char kind[(particles) * (freedoms)];
  IG_DYN_ELEMENTS(X)
#undef X
} ig_dyn_motions;
enum { IG_DYN_POSITIONS = sizeof(ig_dyn_positions), IG_DYN_MOTIONS = sizeof(ig_dyn_motions) };
enum { IG_DYN_CORNERS = IG_DYN_POSITIONS / 3 };

/* Elements with little to compute, and clusters in which most particles are inner ones (of solids
   most are not): they move the particles that are theirs alone (ig_dyn_ops.joined). */
#define IG_DYN_JOINED(X)                                                                           \
  X(SHELL, ELASTIC)                                                                                \
  X(QUAD, ELASTIC)                                                                                 \
  X(BEAM, ELASTIC)                                                                                 \
  X(BAR, ELASTIC)
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
  X(TET10, ELASTIC)                                                                                \
  X(TET10, J2)                                                                                     \
  X(TET10, KINEMATIC)                                                                              \
  X(TET10, TABLE)                                                                                  \
  X(TET10, JOHNSON)                                                                                \
  X(TET10, NEOHOOKE)                                                                               \
  X(SHELL, ELASTIC)                                                                                \
  X(LAYERS, J2)                                                                                    \
  X(LAYERS, KINEMATIC)                                                                             \
  X(LAYERS, TABLE)                                                                                 \
  X(LAYERS, JOHNSON)                                                                               \
  X(QUAD, ELASTIC)                                                                                 \
  X(QUAD_LAYERS, J2)                                                                               \
  X(QUAD_LAYERS, KINEMATIC)                                                                        \
  X(QUAD_LAYERS, TABLE)                                                                            \
  X(QUAD_LAYERS, JOHNSON)                                                                          \
  X(BEAM, ELASTIC)                                                                                 \
  X(FIBRE, J2)                                                                                     \
  X(FIBRE, KINEMATIC)                                                                              \
  X(FIBRE, TABLE)                                                                                  \
  X(BAR, ELASTIC)                                                                                  \
  X(BAR, J2)                                                                                       \
  X(BAR, KINEMATIC)                                                                                \
  X(BAR, TABLE)

/* Where a solid's state keeps what: frame, internal energy, points. */
enum { IG_HEX_FRAME = 0, IG_HEX_ENERGY = 4, IG_HEX_POINT = 5 };
/* Shells: resultants N (3) and the moments' linear field (9), energy. Layers: thickness as a share,
   energy, points. Beams: width axis (3), N, Mx, M1y, M1z, M2y, M2z, energy, fibres. Bars: stress,
   energy, history. */
enum { IG_SHELL_ENERGY = 12, IG_SHELL_STATES = 13 };
enum { IG_LAYERS_THICK = 0, IG_LAYERS_ENERGY = 1, IG_LAYERS_POINT = 2 };
enum { IG_QUAD_CUTS = 4 }; /* triangles of a quadrilateral: both ways to cut it, half of each */
enum { IG_BEAM_FORCE = 3, IG_BEAM_ENERGY = 9, IG_BEAM_STATES = 10 };
enum { IG_BAR_STRESS = 0, IG_BAR_ENERGY = 1, IG_BAR_HISTORY = 2, IG_BAR_STATES = 4 };
/* What an element reports: mean stress in space (6), von Mises, plastic strain, internal energy,
   how much of it is not stored, section forces (6): N Vy Vz T My Mz of a beam half way along it,
   Nxx Nyy Nxy Mxx Myy Mxy of a shell; its stress xx yy xy at the top and at the bottom surface (6).
   A shell's x is the section's `local_x` laid onto it, z its normal, y = z x x. */
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
