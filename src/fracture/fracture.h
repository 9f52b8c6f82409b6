/* What a case of the fracture room may say. */
#ifndef IG_FRACTURE_H
#define IG_FRACTURE_H

#include "core/room.h"
#include "mesh/support.h"

/* `cohesive`. law, criterion, initial_traction, contact: places in the choices of options.c.
   friction: Coulomb; penalty in N/m^3, 0: from the step; weibull: modulus, 0: none. */
typedef struct {
  ig_src at;
  int law, criterion, initial_traction, contact;
  int64_t check_every; /* steps; 0: nothing breaks */
  double shape, shape_shear, friction, penalty, weibull, insertion_threshold;
  int64_t seed;
} ig_frac_cohesive_case;

/* Vectors have two numbers in the plane, three in space (ig_axes_read).
   `cracks`: from `from` to `to`, m; depth in space. closed: the sides keep contact. */
typedef struct {
  ig_src at;
  double from[3], to[3], depth[3];
  bool closed;
} ig_frac_crack_case;

/* Facets with a law of their own: between two materials, or on a plane.

   Energies in J/m^2, strengths in Pa; those of shear 0: as in mode I. */
typedef struct {
  ig_src at;
  ig_texts between;
  double from[3], to[3], depth[3];
  double fracture_energy, fracture_energy_shear, cohesive_strength, cohesive_strength_shear;
} ig_frac_interface_case;

/* A tip to follow where the notch is part of the mesh. */
typedef struct {
  ig_src at;
  double point[3], direction[3], depth[3];
} ig_frac_tip_case;

/* `initial`. displacement in m, velocity in m/s, spin in rad/s, expansion in 1/s; strain: 3 or 6
   numbers. */
typedef struct {
  ig_src at;
  const char *set; /* NULL: everywhere */
  double displacement[3], velocity[3], spin[3], about[3];
  ig_reals strain;
  double expansion;
} ig_frac_initial_case;

/* `residual`: stress at the start. */
typedef struct {
  ig_src at;
  const char *file; /* a snapshot */
} ig_frac_residual_case;

/* `loads`. Pa, times `history`. */
typedef struct {
  ig_src at;
  const char *set;
  double pressure, traction[3]; /* NaN: the other */
  ig_table history;
} ig_frac_load_case;

/* `probes`. quantity: place in IG_FRAC_PROBE_CHOICES; set or point. */
typedef struct {
  ig_src at;
  const char *name;
  const char *set; /* nodes: mean motion, sum of forces; elements: mean stress */
  double point[3]; /* or the nearest */
  int quantity;
} ig_frac_probe_case;
#define IG_FRAC_PROBE_CHOICES "ux|uy|uz|vx|vy|vz|fx|fy|fz|sxx|syy|szz|sxy|syz|szx|principal_stress"
enum {
  IG_FRAC_PROBE_VELOCITY = 3,
  IG_FRAC_PROBE_FORCE = 6,
  IG_FRAC_PROBE_STRESS = 9,
  IG_FRAC_PROBE_PRINCIPAL = 15
};

/* `insertion`: benchmark of opening all facets, without mechanics. */
typedef struct {
  ig_src at;
  int64_t batches, seed;
} ig_frac_insertion_case;

/* The case as read; lists hold the structs above. */
typedef struct {
  ig_src at;
  int plane, rotation;
  bool surface_contact;
  double thickness;
  double duration, time_step, safety; /* time_step NaN: from the critical one */
  ig_frac_cohesive_case cohesive;
  double tip_window; /* s, NaN: a tenth of the run */
  ig_list initial, cracks, tips, interfaces, loads, probes;
  ig_list supports; /* of ig_support_case */
  ig_frac_insertion_case insertion;
  ig_frac_residual_case residual;
} ig_frac_case;
extern const ig_option ig_frac_options[];
extern const char ig_frac_fields[]; /* of its snapshots */

#endif
