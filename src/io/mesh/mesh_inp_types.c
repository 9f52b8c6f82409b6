/* Element names of Abaqus and CalculiX, and their numbering of sides. */
#include "io/mesh/mesh_inp.h"

#include <string.h>
#include <strings.h>

/* Names by their beginning (a suffix selects integration or formulation: C3D8R, C3D8I); longer
   beginnings come before shorter ones. */
static const ig_inp_type types[] = {
    {"C3D10", IG_TET10, false},
    {"C3D15", IG_WEDGE15, false},
    {"C3D20", IG_HEX20, false},
    {"C3D27", IG_CELL_HEX27, false},
    /* Beginnings of names: what follows (R, H, I, T …) is a formulation, not a shape. `true`: a
       plane type. */
    {"C3D8", IG_HEX8, false},
    {"C3D4", IG_TET4, false},
    {"C3D6", IG_WEDGE6, false},
    {"C3D5", IG_PYRAMID5, false},
    {"F3D8", IG_HEX8, false}, /* fluids of CalculiX */
    {"F3D4", IG_TET4, false},
    {"F3D6", IG_WEDGE6, false},
    {"SC8", IG_HEX8, false}, /* solids computed as shells */
    {"SC6", IG_WEDGE6, false},
    /* Plane stress, plane strain and axial symmetry. */
    {"CPS3", IG_TRI3, true},
    {"CPE3", IG_TRI3, true},
    {"CAX3", IG_TRI3, true},
    {"C2D3", IG_TRI3, true},
    {"CPS6", IG_TRI6, true},
    {"CPE6", IG_TRI6, true},
    {"CAX6", IG_TRI6, true},
    {"C2D6", IG_TRI6, true},
    {"CPS8", IG_QUAD8, true},
    {"CPE8", IG_QUAD8, true},
    {"CAX8", IG_QUAD8, true},
    {"C2D8", IG_QUAD8, true},
    {"CPS4", IG_QUAD4, true},
    {"CPE4", IG_QUAD4, true},
    {"CAX4", IG_QUAD4, true},
    {"C2D4", IG_QUAD4, true},
    /* Shells and membranes. */
    {"STRI3", IG_TRI3, false},
    {"STRI65", IG_TRI6, false},
    {"S3", IG_TRI3, false},
    {"S4", IG_QUAD4, false},
    {"S6", IG_TRI6, false},
    {"S8", IG_QUAD8, false},
    {"S9", IG_CELL_QUAD9, false},
    {"M3D3", IG_TRI3, false},
    {"M3D4", IG_QUAD4, false},
    {"M3D6", IG_TRI6, false},
    {"M3D8", IG_QUAD8, false},
    {"B31", IG_BEAM2, false},
    {"B33", IG_BEAM2, false},
    {"B32", IG_BEAM3, false},
    {"T3D2", IG_BEAM2, false},
    {"T3D3", IG_BEAM3, false},
    {"T2D2", IG_BEAM2, false},
    {"B21", IG_BEAM2, false},
    {"PIPE31", IG_BEAM2, false},
    {"PIPE32", IG_BEAM3, false},
    {"US3", IG_TRI3, false},
    {"MASS", IG_INP_PASSED_OVER, true},
    {"ROTARYI", IG_INP_PASSED_OVER, true},
    {"SPRING", IG_INP_PASSED_OVER, true},
    {"DASHPOT", IG_INP_PASSED_OVER, true},
    {"GAP", IG_INP_PASSED_OVER, true},
    {"DCOUP3D", IG_INP_PASSED_OVER, true},
    {"CONN3D", IG_INP_PASSED_OVER, true},
    {"R3D", IG_INP_PASSED_OVER, true},
    {"RAX", IG_INP_PASSED_OVER, true},
    {"RB3D", IG_INP_PASSED_OVER, true},
    {"CONN2D", IG_INP_PASSED_OVER, true},
    {"JOINTC", IG_INP_PASSED_OVER, true},
    {"SFM3D", IG_INP_PASSED_OVER, true},
};
/* Names that must match as a whole: D (network elements of CalculiX) and U (user elements, with a
   number). */
static const ig_inp_type whole[] = {
    {"D", IG_INP_PASSED_OVER, true},
    {"U", IG_INP_PASSED_OVER, true},
};

/* The first type whose name begins the word: longer names stand before shorter ones in the
   table. */
static const ig_inp_type *begins(const char *from, const char *stop) {
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    const size_t length = strlen(types[k].name);
    if ((size_t)(stop - from) >= length && strncasecmp(from, types[k].name, length) == 0)
      return &types[k];
  }
  return NULL;
}

/* Heat-transfer elements have a D in front: DC3D8, DS4. */
const ig_inp_type *ig_inp_type_find(const char *from, const char *stop) {
  const ig_inp_type *found = begins(from, stop);
  if (found)
    return found;
  if (stop - from > 2 && (*from & ~0x20) == 'D') /* heat transfer: DC3D8, DS4 */
    return begins(from + 1, stop);
  const char *end = stop;
  while (end > from + 1 && end[-1] >= '0' && end[-1] <= '9')
    end--;
  for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
    if (end - from == 1 && (*from & ~0x20) == *whole[k].name && (k == 1 || end == stop))
      return &whole[k];
  return NULL;
}

/* Sides of hexahedra: S1 bottom, S2 top, S3 front, S4 right, S5 back, S6 left; other types are
   numbered as ours. */
int ig_inp_face(int code, int side) {
  static const int hex[] = {4, 5, 2, 1, 3, 0};
  return ig_cell_type(code) == IG_HEX8 && side <= 6 ? hex[side - 1] : side - 1;
}
