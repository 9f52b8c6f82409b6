/* The keyhole that vapour presses into the melt under a beam: a law of the material, the beam's
   power, speed and radius, and the temperature of the ground.

   A keyhole is far narrower than a pool is wide and costs a flow simulation to resolve. Its two
   effects on heat are how much light it absorbs, by reflections between its walls, and how deep it
   brings it. Both follow from its depth e over its radius a, that of the beam:

     depth         the walls boil, and the heat they lose sideways is the light they absorb: a
                   cylinder at temperature T_b that moves through ground at T_0 loses
                   k (T_b - T_0) g(Pe) per depth, Pe = v a / (2 D)  (Rosenthal 1946; Lankalapalli,
                   Tu and Gartner 1996), so e = A P / (k (T_b - T_0) g)
     absorptivity  A = A(e / a) of a conical cavity (Gouffe 1945), from that of a flat melt

   The two are solved together; nothing is fitted. A beam that is
   slow or stands loses at least what half a spheroid at rest does. One that has stood for a time t
   has not come that far: a cylinder at rest loses 4 pi k (T_b - T_0) / (ln(4 D t / a^2) - 2 gamma)
   then, which is what a slow one loses at the speed 2 sqrt(D / t), so it counts with that speed.
   Where e is less than about a there is no keyhole, and light stays at the surface. k and D are
   those of the melt at the boiling temperature.

   Left out: the time a keyhole takes to form, its fluctuations, flow in the pool. */
#ifndef IG_MATERIAL_KEYHOLE_H
#define IG_MATERIAL_KEYHOLE_H

#include "material/material.h"

/* As cases give it; all rooms have the same keys. */
typedef struct {
  ig_src at;
  double absorptivity; /* of a flat melt; NaN: the material's at the boiling point */
  double depth_factor; /* depth of the source over that of the keyhole */
  double transition;   /* conduction up to a depth of 1 - this radii, keyhole from 1 + this on */
} ig_keyhole_case;
extern const ig_option ig_keyhole_options[];

/* Depth of absorption (1/e^2, m; 0: no keyhole); the share of the light that goes into it, and what
   it absorbs of that. */
typedef struct {
  double depth, share, absorptivity;
} ig_keyhole;

/* g: heat flow from a cylinder at one temperature that moves through a solid, over length,
   conductivity and temperature rise; `peclet`: speed x radius / (2 diffusivity). */
double ig_keyhole_flow(double peclet);
/* What a cavity of this depth over radius absorbs, of walls that absorb `flat`. */
double ig_keyhole_absorbed(double flat, double aspect);
/* Heat that warms a volume of melt at the boiling temperature by a kelvin, J/(m^3 K). */
double ig_keyhole_capacity(const ig_material_case *m);
/* g of a beam of a radius (m) and a speed (m/s); the speed that one that rests for a time (s)
   counts with. */
double ig_keyhole_moving(const ig_material_case *m, double radius, double speed);
double ig_keyhole_rest_speed(const ig_material_case *m, double rest);
/* The keyhole of a power (W) in ground at temperature T (K); `moving`: its g. */
ig_keyhole ig_keyhole_of(const ig_keyhole_case *c, const ig_material_case *m, double radius,
                         double power, double moving, double T);

#endif
