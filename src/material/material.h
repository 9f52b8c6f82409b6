/* A material as a case file or materials/NAME.yaml gives it: one block for all rooms; a
   room asks for the values it needs and says which are missing. */
#ifndef IG_MATERIAL_H
#define IG_MATERIAL_H

#include "core/option.h"

typedef enum {
  IG_MATERIAL_AUTO, /* plastic where a yield stress is given, elastic where none is */
  IG_MATERIAL_ELASTIC,
  IG_MATERIAL_PLASTIC,
  IG_MATERIAL_JOHNSON_COOK,
  IG_MATERIAL_NEO_HOOKEAN
} ig_material_law;
#define IG_MATERIAL_LAWS "auto|elastic|plastic|johnson_cook|neo_hookean"

/* Johnson and Cook's flow stress (yield + b ep^n)(1 + c ln(rate/rate0))(1 - T*^m) and failure. */
typedef struct {
  ig_src at;
  double b, n, c, rate0, m, room, melt, heat_share;
  double failure[5]; /* d1 to d5; NaN: no failure */
} ig_johnson_case;

/* Creep by Norton: rate = factor q^power exp(-energy / (R T)), and with a power of the time
   (material/creep.inc). */
enum { IG_CREEP_TIME, IG_CREEP_STRAIN };
typedef struct {
  ig_src at;
  double factor, power, energy;
  double time_power;
  int hardening; /* IG_CREEP_* */
} ig_creep_case;

/* Austenite that becomes martensite on cooling and forms again on heating. The other mechanical
   values of the material are those of martensite; elastic ones are common to both. */
typedef struct {
  ig_src at;
  double martensite_start,
      rate; /* 1 - exp(-rate (martensite_start - T)) is martensite, K and 1/K */
  double austenite_start, austenite_end; /* on heating, K */
  double strain, strain_temperature;     /* martensite less austenite, linear, at a temperature */
  ig_table yield, hardening, expansion;  /* of austenite; none: as martensite */
  double trip;                           /* Greenwood and Johnson's coefficient, 1/Pa */
  int saturation;                        /* IG_TRIP_* */
} ig_transformation_case;
enum { IG_TRIP_DESALOS, IG_TRIP_LEBLOND };
#define IG_TRIP_CHOICES "desalos|leblond"

/* Mechanical values over temperature, for analyses of heating and cooling. What is left out comes
   from the single numbers of the material. Thermal strain is given in one of three ways. */
typedef struct {
  ig_src at;
  ig_table young, poisson, yield, hardening, kinematic, tangent;
  double kinematic_share;  /* of the plastic modulus that `tangent` gives */
  ig_table thermal_strain; /* the strain itself */
  ig_table expansion;      /* instantaneous coefficient */
  ig_table expansion_mean; /* mean coefficient from `expansion_reference` */
  double expansion_reference;
  double anneal;                       /* above it history is wiped, NaN: at the solidus */
  double recovery_start, recovery_end; /* hardening is lost between these, NaN: never */
  ig_creep_case creep;
  ig_transformation_case transformation;
} ig_mechanical_case;

/* A support of walls or struts, seen as a continuum: what its metal becomes. */
typedef struct {
  ig_src at;
  double share;         /* volume share of metal; NaN: by `wall` and `spacing` */
  double wall, spacing; /* of upright walls, m; NaN: none */
  int kind;             /* IG_WALLS_* */
  double perforation;   /* share of the area of a wall that holes take */
  double stiffness_exponent, strength_exponent, conductivity_exponent; /* of the share */
} ig_homogenised_case;
enum { IG_WALLS_BLOCK, IG_WALLS_LINE };
#define IG_WALLS_CHOICES "block|line"

/* Endurance: stress amplitude of 2N reversals, coefficient x (2N)^exponent (Basquin 1910). */
typedef struct {
  ig_src at;
  double coefficient, exponent, ultimate; /* Pa, negative, tensile strength in Pa; NaN: not given */
  double mean_stress;                     /* weight of the mean trace, instead of Goodman; NaN */
  double limit;                           /* amplitudes up to it do no harm, Pa */
} ig_fatigue_case;

typedef struct {
  ig_src at;
  const char *name;
  const char *file; /* a material file whose values the keys here override */
  ig_texts set;     /* element sets this material fills; none: everything not claimed */
  /* thermal; tables over temperature in K, SI */
  ig_table density, conductivity, specific_heat;
  ig_table powder_conductivity; /* given: the material begins as powder */
  double solidus, liquidus, latent_heat, emissivity;
  double boiling, evaporation_heat, molar_mass; /* K at 101325 Pa, J/kg, kg/mol */
  ig_table absorptivity;                        /* over temperature, K */
  /* mechanical */
  double young, poisson;
  ig_reals stiffness, engineering_constants; /* instead of them, anisotropic: see material.c */
  /* mechanical, beyond elasticity */
  int law; /* ig_material_law */
  double yield, tangent, hardening, kinematic;
  ig_table hardening_curve; /* yield stress over plastic strain */
  const char *own_law;      /* of a program, see material/own_law.h */
  ig_reals constants;
  ig_johnson_case johnson_cook;
  ig_mechanical_case mechanical;
  ig_homogenised_case homogenised;
  ig_fatigue_case fatigue;
  /* a crack's faces, in mode I and II */
  double fracture_energy, fracture_energy_shear, cohesive_strength, cohesive_strength_shear;
} ig_material_case;

extern const ig_option ig_material_options[];

/* Gives a material of a case the values of its file where it has none, at every depth. A value of
   the case also replaces what the file gives instead of it: `young` the table `mechanical.young`,
   `tangent` the moduli of hardening, one form of thermal strain the others. `file` is used up. */
void ig_material_fold(ig_node *material, ig_node *file);
/* Single values that are left out and have a table in `mechanical`: those of the table at
   IG_ROOM_TEMPERATURE, for rooms that compute at one temperature. */
#define IG_ROOM_TEMPERATURE 293.15 /* K */
void ig_material_complete(ig_material_case *m);
/* The values of a support from those of its metal, where the material is `homogenised`. */
IG_MUST_CHECK ig_status ig_material_homogenise(ig_ctx *cx, ig_material_case *m);
/* The material of that name in a case's list, NULL if there is none. */
const ig_material_case *ig_material_find(const ig_list *materials, const char *name);
/* Fails unless the material gives every one of the keys, "density|young": numbers or tables of
   ig_material_options. `who` needs them, in the message. */
IG_MUST_CHECK ig_status ig_material_require(ig_ctx *cx, const ig_material_case *m, const char *keys,
                                            const char *who);

#endif
