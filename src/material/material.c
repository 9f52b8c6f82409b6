/* The option tables of a material (their texts are the manual's reference), and what becomes of
   keys that are given in several ways: by the case, by a material file, as numbers, as tables. */
#include "material/material.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A modulus below the least one has no meaning and leads to numbers that overflow. */
#define LEAST_YOUNG 1e-60

#define J ig_johnson_case
static const ig_option johnson_options[] = {
    IG_REAL(J, b, "Pa", "0", 0, 1e12, "hardening factor B"),
    IG_REAL(J, n, "", "1", IG_POSITIVE, 10, "hardening exponent"),
    IG_REAL(J, c, "", "0", 0, 10, "rate factor C"),
    IG_REAL(J, rate0, "1/s", "1", IG_POSITIVE, 1e9, "reference plastic strain rate"),
    IG_REAL(J, m, "", "1", IG_POSITIVE, 10, "softening exponent"),
    IG_REAL(J, room, "K", "293.15", 0, 1e5, "temperature at which nothing has softened"),
    IG_REAL(J, melt, "K", "1800", 0, 1e5, "temperature at which no strength is left"),
    IG_REAL(
        J, heat_share, "", "0.9", 0, 1,
        "share of plastic work that heats the material; without `specific_heat` nothing heats up"),
    IG_VECTOR(J, failure, 5, "", NULL, "failure parameters d1 to d5; left out: no failure"),
    IG_END};
#undef J

#define J ig_creep_case
static const ig_option creep_options[] = {
    IG_REAL(J, factor, "", IG_REQUIRED, 0, IG_UNBOUNDED, "factor, in 1/s for a stress in Pa"),
    IG_REAL(J, power, "", IG_REQUIRED, 1, 50, "power of the stress"),
    IG_REAL(J, energy, "J/mol", "0", 0, 1e7, "activation energy"),
    IG_REAL(J, time_power, "", "0", -0.99, 0,
            "structure: power of the time, of primary creep; the rate at a stress that stays is "
            "factor stress^power time^time_power"),
    IG_CHOICE(J, hardening, "time|strain", "time",
              "with `time_power`, where the stress changes: by the time, or by the creep strain so "
              "far"),
    IG_END};
#undef J
#define J ig_transformation_case
static const ig_option transformation_options[] = {
    IG_REAL(J, martensite_start, "K", IG_REQUIRED, IG_POSITIVE, 1e5,
            "temperature M_s below which martensite forms on cooling"),
    IG_REAL_USUAL(J, rate, "1/K", "0.011", IG_POSITIVE, 10, 1e-3, 0.2,
                  "coefficient b of Koistinen and Marburger: the fraction is 1 - exp(-b "
                  "(martensite_start - T))"),
    IG_REAL(J, austenite_start, "K", IG_REQUIRED, IG_POSITIVE, 1e5,
            "temperature Ac1 above which austenite forms on heating"),
    IG_REAL(J, austenite_end, "K", IG_REQUIRED, IG_POSITIVE, 1e5,
            "temperature Ac3 at which all is austenite; linear in between"),
    IG_REAL(J, strain, "", IG_REQUIRED, -0.1, 0.1,
            "linear strain of austenite that becomes martensite, at `strain_temperature`"),
    IG_REAL(J, strain_temperature, "K", "293.15", 0, 1e5, "temperature at which `strain` is given"),
    IG_TABLE_USUAL(J, yield, "K", "Pa", NULL, IG_POSITIVE, 1e13, 1e3, 1e11,
                   "initial yield stress of austenite; left out: as martensite"),
    IG_TABLE(J, hardening, "K", "Pa", NULL, 0, 1e13,
             "isotropic plastic modulus of austenite; left out: as martensite"),
    IG_TABLE(J, expansion, "K", "1/K", NULL, 0, 0,
             "coefficient of thermal expansion of austenite, instantaneous; left out: as "
             "martensite"),
    IG_REAL(J, trip, "1/Pa", "0", 0, 1,
            "transformation plasticity K: a full transformation under a constant uniaxial stress "
            "leaves the strain K times that stress (Greenwood and Johnson)"),
    IG_CHOICE(J, saturation, IG_TRIP_CHOICES, "desalos",
              "how that strain grows with the fraction z; desalos: z (2 - z), leblond: z (1 - ln "
              "z)"),
    IG_END};
#undef J
#define J ig_mechanical_case
static const ig_option mechanical_options[] = {
    IG_TABLE_USUAL(J, young, "K", "Pa", NULL, LEAST_YOUNG, 1e15, 1e6, 1.5e12, "Young's modulus"),
    IG_TABLE_USUAL(J, poisson, "K", "", NULL, -0.999, 0.4999, 0, 0.4999, "Poisson's ratio"),
    IG_TABLE_USUAL(J, yield, "K", "Pa", NULL, IG_POSITIVE, 1e13, 1e3, 1e11, "initial yield stress"),
    IG_TABLE(J, hardening, "K", "Pa", NULL, 0, 1e13, "isotropic plastic modulus"),
    IG_TABLE(J, kinematic, "K", "Pa", NULL, 0, 1e13, "kinematic plastic modulus (Prager)"),
    IG_TABLE(J, tangent, "K", "Pa", NULL, 0, 1e13,
             "tangent modulus beyond yield (instead of hardening and kinematic)"),
    IG_REAL(J, kinematic_share, "", "0", 0, 1,
            "with `tangent`: share of the plastic modulus that is kinematic"),
    IG_TABLE(J, thermal_strain, "K", "", NULL, 0, 0,
             "thermal strain itself; only its differences matter"),
    IG_TABLE(J, expansion, "K", "1/K", NULL, 0, 0,
             "coefficient of thermal expansion, instantaneous (instead of thermal_strain)"),
    IG_TABLE(J, expansion_mean, "K", "1/K", NULL, 0, 0,
             "mean coefficient of thermal expansion from expansion_reference on, as handbooks give "
             "it (instead of thermal_strain)"),
    IG_REAL(J, expansion_reference, "K", "293.15", 0, 1e5,
            "temperature from which expansion_mean is the mean"),
    IG_REAL(J, anneal, "K", NULL, 0, 1e5,
            "above it there is no history and no thermal strain counts; left out: the solidus"),
    IG_REAL(J, recovery_start, "K", NULL, 0, 1e5,
            "hardening is multiplied after each step by a factor that falls from 1 here"),
    IG_REAL(J, recovery_end, "K", NULL, 0, 1e5, "to 0 here; depends on the length of steps"),
    IG_MAP(J, creep, ig_creep_case, creep_options, NULL,
           "creep by Norton's law, in `structure` in analyses with `creep: true`"),
    IG_MAP(J, transformation, ig_transformation_case, transformation_options, NULL,
           "austenite that becomes martensite on cooling; the values beside it are those of "
           "martensite"),
    IG_END};
#undef J

#define J ig_homogenised_case
static const ig_option homogenised_options[] = {
    IG_REAL(J, share, "", NULL, IG_POSITIVE, 1, "volume share of metal"),
    IG_REAL(J, wall, "m", NULL, IG_POSITIVE, 1e3, "or the thickness of upright walls"),
    IG_REAL(J, spacing, "m", NULL, IG_POSITIVE, 1e3, "and their spacing"),
    IG_CHOICE(J, kind, IG_WALLS_CHOICES, "block",
              "walls in two directions (share 2 t/L - (t/L)^2) or in one (t/L)"),
    IG_REAL(J, perforation, "", "0", 0, 0.9, "share of the area of a wall that holes take"),
    IG_REAL(J, stiffness_exponent, "", "1", 0, 10,
            "Young's modulus is that of the metal times the share to this power; lattices: 2"),
    IG_REAL(J, strength_exponent, "", "1", 0, 10,
            "the same of yield stress, hardening and strengths; lattices: 1.5"),
    IG_REAL(J, conductivity_exponent, "", "1", 0, 10,
            "the same of the conductivity; lattices: 1 to 1.5"),
    IG_END};
#undef J
#define J ig_fatigue_case
static const ig_option fatigue_options[] = {
    IG_REAL_USUAL(J, coefficient, "Pa", NULL, IG_POSITIVE, 1e13, 1e6, 1e11,
                  "amplitude to and fro that is endured for half a cycle, by extrapolation"),
    IG_REAL(J, exponent, "", NULL, -1, -1e-3,
            "the amplitude falls with reversals to this power (Basquin), -0.1 for example"),
    IG_REAL_USUAL(J, ultimate, "Pa", NULL, IG_POSITIVE, 1e13, 1e6, 1e11,
                  "tensile strength, for mean stresses after Goodman"),
    IG_REAL(J, mean_stress, "", NULL, 0, 10,
            "weight of the mean stress (sum of its normal components) beside the amplitude, after "
            "Sines, instead of Goodman; ultimate then bounds the stress alone, and may be left "
            "out"),
    IG_REAL(J, limit, "Pa", "0", 0, 1e13, "amplitudes up to it do no harm"),
    IG_END};
#undef J
#define M ig_material_case
const ig_option ig_material_options[] = {
    IG_TEXT(M, name, IG_REQUIRED, "name of the material"),
    IG_TEXT(M, file, NULL,
            "material file, by name or path; keys given here override its values one by one, also "
            "inside its sections, and tables as a whole"),
    IG_TEXTS(M, set, NULL,
             "element sets made of it, of several that name an element the last holds; left out, "
             "by one material at most: every element not claimed"),
    IG_TABLE(M, density, "K", "kg/m^3", NULL, IG_POSITIVE, 1e6, "density"),
    IG_TABLE(M, conductivity, "K", "W/(m K)", NULL, 0, 1e6, "thermal conductivity"),
    IG_TABLE(M, specific_heat, "K", "J/(kg K)", NULL, IG_POSITIVE, 1e12, "specific heat"),
    IG_TABLE(M, powder_conductivity, "K", "W/(m K)", NULL, IG_POSITIVE, 1e6,
             "thermal conductivity as loose powder; given: newborn elements are powder until they "
             "have been molten"),
    IG_REAL(M, solidus, "K", NULL, 0, 1e5, "solidus temperature"),
    IG_REAL(M, liquidus, "K", NULL, 0, 1e5, "liquidus temperature"),
    IG_REAL(M, latent_heat, "J/kg", "0", 0, 1e8, "latent heat of fusion"),
    IG_REAL(M, boiling, "K", NULL, IG_POSITIVE, 1e5, "boiling temperature at 101325 Pa"),
    IG_REAL_USUAL(M, evaporation_heat, "J/kg", NULL, IG_POSITIVE, 1e9, 2e5, 1e8,
                  "latent heat of evaporation"),
    IG_REAL_USUAL(M, molar_mass, "kg/mol", NULL, IG_POSITIVE, 10, 1e-3, 0.5,
                  "molar mass of the vapour"),
    IG_TABLE(M, absorptivity, "K", "", NULL, 0, 1,
             "share of the beam's power that is absorbed, over temperature"),
    IG_REAL(M, emissivity, "", NULL, 0, 1,
            "surface emissivity, for reference: a boundary radiates with its own"),
    IG_REAL_USUAL(M, young, "Pa", NULL, LEAST_YOUNG, 1e15, 1e6, 1.5e12, "Young's modulus"),
    IG_REAL_USUAL(M, poisson, "", NULL, -0.999, 0.4999, 0, 0.4999,
                  "Poisson's ratio; left out in dynamics: 0.3"),
    IG_REALS(
        M, stiffness, "Pa", NULL, 0, 0,
        "structure: instead of young and poisson 9 constants of an orthotropic material, D1111 "
        "D1122 D2222 D1133 D2233 D3333 D1212 D1313 D2323, or all 21, as Abaqus and CalculiX "
        "order them"),
    IG_REALS(M, engineering_constants, "", NULL, 0, 0,
             "structure: or E1 E2 E3 nu12 nu13 nu23 G12 G13 G23, moduli in Pa"),
    IG_CHOICE(
        M, law, IG_MATERIAL_LAWS, "auto",
        "mechanical law; auto: johnson_cook where that is given (in structure its `mechanical` "
        "values), plastic where a yield stress is, else elastic"),
    IG_TEXT(M, own_law, NULL,
            "structure: instead of `law` one that the program has added by ig_law_add"),
    IG_REALS(M, constants, "", NULL, 0, 0, "of `own_law`, in SI, in the order it expects"),
    IG_REAL_USUAL(M, yield, "Pa", NULL, IG_POSITIVE, 1e13, 1e3, 1e11, "initial yield stress"),
    IG_REAL_USUAL(M, tangent, "Pa", NULL, 0, 1e13, 1e3, 1e12,
                  "tangent modulus beyond yield (instead of hardening)"),
    IG_REAL_USUAL(M, hardening, "Pa", NULL, 0, 1e13, 1e3, 1e12,
                  "isotropic plastic modulus: yield stress per strain"),
    IG_REAL_USUAL(M, kinematic, "Pa", "0", 0, 1e13, 1e3, 1e12,
                  "kinematic plastic modulus, a stress: no share"),
    IG_TABLE_USUAL(M, hardening_curve, "", "Pa", NULL, IG_POSITIVE, 1e13, 1e3, 1e11,
                   "yield stress over plastic strain (instead of yield and hardening)"),
    IG_MAP(M, johnson_cook, ig_johnson_case, johnson_options, NULL,
           "Johnson-Cook flow stress and failure; its A is `yield`"),
    IG_MAP(
        M, mechanical, ig_mechanical_case, mechanical_options, NULL,
        "mechanical values over temperature, for the stress room; where the single value is left "
        "out, rooms that compute at one temperature take that at 293.15 K"),
    IG_MAP(M, homogenised, ig_homogenised_case, homogenised_options, NULL,
           "supports of walls or struts that the mesh does not resolve: all values of the material "
           "are those of the metal, and become those of the support by its share of volume"),
    IG_MAP(M, fatigue, ig_fatigue_case, fatigue_options, NULL,
           "stress amplitudes that it endures, for `finish.spectrum` of topopt"),
    IG_REAL(M, fracture_energy, "J/m^2", NULL, IG_POSITIVE, 1e12,
            "energy to open a crack, by area"),
    IG_REAL(M, fracture_energy_shear, "J/m^2", NULL, IG_POSITIVE, 1e12,
            "in mode II; left out: as in mode I"),
    IG_REAL_USUAL(M, cohesive_strength, "Pa", NULL, IG_POSITIVE, 1e13, 1e3, 1e11,
                  "traction at which a crack opens"),
    IG_REAL(M, cohesive_strength_shear, "Pa", NULL, IG_POSITIVE, 1e13,
            "in shear; left out: as in tension"),
    IG_END};
#undef M

/* Keys that state the same thing in other ways. A key stands in the material or in `mechanical`. */
static const struct {
  const char *given, *replaced;
} instead[] = {
    {"young", "young"},
    {"poisson", "poisson"},
    {"yield", "yield|hardening_curve"},
    {"hardening", "hardening|tangent|kinematic_share|hardening_curve"},
    {"kinematic", "kinematic|tangent|kinematic_share|hardening_curve"},
    {"tangent", "tangent|hardening|kinematic|hardening_curve"},
    {"hardening_curve", "yield|tangent|hardening|kinematic|kinematic_share"},
    {"thermal_strain", "expansion|expansion_mean|expansion_reference"},
    {"expansion", "thermal_strain|expansion_mean|expansion_reference"},
    {"expansion_mean", "thermal_strain|expansion"},
};

static ig_node *mechanical_of(const ig_node *material) {
  ig_node *const section = ig_node_find(material, "mechanical");
  return section && section->kind == IG_NODE_MAP ? section : NULL;
}

/* First what the case's keys replace is dropped from the file's tree (`instead`), then the rest of
   the file fills what the case leaves out. */
void ig_material_fold(ig_node *material, ig_node *file) {
  ig_node *const own = mechanical_of(material), *const theirs = mechanical_of(file);
  for (size_t i = 0; i < sizeof instead / sizeof *instead; i++) {
    if (!ig_node_find(material, instead[i].given) && !(own && ig_node_find(own, instead[i].given)))
      continue;
    for (const char *p = instead[i].replaced; *p;) {
      char key[32];
      const size_t length = strcspn(p, "|");
      snprintf(key, sizeof key, "%.*s", (int)length, p);
      ig_node_drop(file, key);
      if (theirs)
        ig_node_drop(theirs, key);
      p += length + (p[length] == '|');
    }
  }
  ig_node_fold(material, file);
}

/* A number that is missing (NaN) from a table that is there. */
static void value_complete(double *value, const ig_table *table) {
  if (isnan(*value) && table->count > 0)
    *value = ig_table_at(table, IG_ROOM_TEMPERATURE);
}

/* With `tangent` E_t: plastic modulus H = E E_t / (E - E_t), of which kinematic_share is kinematic.
 */
void ig_material_complete(ig_material_case *m) {
  const ig_mechanical_case *t = &m->mechanical;
  value_complete(&m->young, &t->young);
  value_complete(&m->poisson, &t->poisson);
  if (m->hardening_curve.count > 0)
    return;
  value_complete(&m->yield, &t->yield);
  if (!isnan(m->hardening) || !isnan(m->tangent) || m->kinematic > 0)
    return;
  value_complete(&m->hardening, &t->hardening);
  if (t->kinematic.count > 0)
    m->kinematic = ig_table_at(&t->kinematic, IG_ROOM_TEMPERATURE);
  value_complete(&m->tangent, &t->tangent);
  if (!isnan(m->tangent) && t->kinematic_share > 0 && m->tangent < m->young) {
    const double plastic = m->young * m->tangent / (m->young - m->tangent);
    m->kinematic = t->kinematic_share * plastic;
    m->hardening = plastic - m->kinematic;
    m->tangent = NAN;
  }
}

const ig_material_case *ig_material_find(const ig_list *materials, const char *name) {
  for (int i = 0; i < materials->count; i++) {
    const ig_material_case *m = IG_ITEM(const ig_material_case, *materials, i);
    if (strcmp(m->name, name) == 0)
      return m;
  }
  return NULL;
}

/* What is missing, with meaning and unit, and what to do. */
static ig_status lacks(ig_ctx *cx, const ig_material_case *m, const ig_option *o, const char *who) {
  const char *unit = o->unit ? o->unit : "", *in = *unit ? ", in " : "";
  /* the name of a shipped file; others are paths */
  if (m->file && !strpbrk(m->file, "/."))
    return ig_fail_at(cx, &m->at,
                      "material '%.60s' lacks '%s', which %s needs: %s%s%s; give it beside `file` "
                      "('ingot materials %.40s' has what is known)",
                      m->name, o->key, who, o->help, in, unit, m->file);
  return ig_fail_at(cx, &m->at, "material '%.60s' lacks '%s', which %s needs: %s%s%s", m->name,
                    o->key, who, o->help, in, unit);
}

/* Keys are looked up in the option table, so that the message can give meaning and unit. */
ig_status ig_material_require(ig_ctx *cx, const ig_material_case *m, const char *keys,
                              const char *who) {
  for (const char *key = keys; *key;) {
    const size_t length = strcspn(key, "|");
    const ig_option *o = ig_material_options;
    while (o->key && !(strncmp(o->key, key, length) == 0 && !o->key[length]))
      o++;
    if (!o->key || (o->kind != IG_OPT_REAL && o->kind != IG_OPT_TABLE))
      return IG_FAIL(cx, IG_ARG, "'%.*s' is no number or table of a material", (int)length, key);
    const void *value = (const char *)m + o->offset;
    const bool given = o->kind == IG_OPT_REAL ? !isnan(*(const double *)value)
                                              : ((const ig_table *)value)->count > 0;
    if (!given)
      return lacks(cx, m, o, who);
    key += length + (key[length] == '|');
  }
  return IG_OK;
}
