/* One grid of cubic cells: heat, temperature, resistance; and a step of conduction in it. Both the
   coarse grid of the bed and the fine grid of a window are such levels.

   Finite volumes: the state of a cell is its heat per volume, from which temperature and
   conductivity follow by tables. 1/k ("resistance", m K/W) is stored instead of k, because the flux
   through a face between unlike cells needs the sum of both halves' resistances. */
#ifndef IG_POWDER_LEVEL_H
#define IG_POWDER_LEVEL_H

#include "core/ctx.h"
#include "kern/hd.h"

/* Rows of the tables: about 1.5 K each up to 6000 K, and small enough for a GPU's shared memory. */
enum { IG_POWDER_ROWS = 4096 };
/* Material over the heat content of the solid, equally spaced: temperature and 1/conductivity,
   solid and powder. Powder at the same temperature holds `packing` of that heat. */
typedef struct {
  double start, per;        /* J/m^3; rows per J/m^3 */
  double solidus, liquidus; /* J/m^3; infinite: never melts */
  double diffusivity;       /* the largest, m^2/s */
  double packing, unpack;   /* density of powder over that of the solid; 1 / that */
  double sink;              /* heat of the powder that fills up a cell of it as it melts, J/m^3 */
  double T[IG_POWDER_ROWS + 1], solid[IG_POWDER_ROWS + 1], powder[IG_POWDER_ROWS + 1];
} ig_powder_tables;

/* No heat that could be seen passes a face to a cell of this resistance, m K/W; small enough that a
   quotient with it is an ordinary number, which GPUs divide faster. */
#define IG_LEVEL_CLOSED 1e30

/* All arrays have one more cell on each side: ghosts, in which T and `resist` are set by whoever
   knows the surroundings. A face passes 2 (T2 - T1) / (f1 resist1 + f2 resist2) / edge, W/m^2,
   where f is the filled share of a level for faces in z, and 1 for the others. */
typedef struct {
  int n[3];
  double edge;
  /* J/m^3, K, m K/W; heat is the state, the other two are derived from it by a look before each
     step */
  double *heat, *T, *resist;
  const double *fill; /* n[2] + 2: of the levels, ghosts included; 1 for empty ones */
} ig_powder_level;

/* Place of cell (i, j, k), each from -1 (ghost) to n (ghost); x fastest. */
IG_HD size_t ig_level_at(const ig_powder_level *l, int i, int j, int k) {
  return ((size_t)(k + 1) * (size_t)(l->n[1] + 2) + (size_t)(j + 1)) * (size_t)(l->n[0] + 2) +
         (size_t)(i + 1);
}
/* Cells and ghosts: the length of a level's arrays. */
IG_HD size_t ig_level_count(const ig_powder_level *l) {
  return (size_t)(l->n[0] + 2) * (size_t)(l->n[1] + 2) * (size_t)(l->n[2] + 2);
}

IG_C_BEGIN
/* On the CPU: heat += dt x what conduction brings; cells of closed resistance keep theirs. */
void ig_level_conduct(ig_ctx *cx, const ig_powder_level *level, double dt);

/* Of a cell of which the share `solid` is solid. */
double ig_powder_table_T(const ig_powder_tables *t, double heat, double solid);
double ig_powder_table_resist(const ig_powder_tables *t, double heat, double solid);
/* The heat content of the solid at a temperature. */
double ig_powder_table_heat(const ig_powder_tables *t, double T);
IG_C_END

#endif
