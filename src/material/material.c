/* The option table of a material. */
#include "material/material.h"

#include <string.h>

#define M ig_material_case
const ig_option ig_material_options[] = {
    IG_TEXT(M, name, IG_REQUIRED, "name of the material"),
    IG_TEXT(M, file, NULL,
            "material file, by name or path, whose values the keys given here override"),
    IG_TEXTS(M, tags, NULL, "element sets made of it; left out: every element not claimed"),
    IG_TABLE(M, density, "K", "kg/m^3", NULL, IG_TINY, 1e6, "density"),
    IG_TABLE(M, conductivity, "K", "W/(m K)", NULL, 0, 1e6, "thermal conductivity"),
    IG_TABLE(M, specific_heat, "K", "J/(kg K)", NULL, IG_TINY, 1e7, "specific heat"),
    IG_TABLE(M, powder_conductivity, "K", "W/(m K)", NULL, IG_TINY, 1e6,
             "thermal conductivity as loose powder; given: newborn elements are powder until they "
             "have been molten"),
    IG_REAL(M, solidus, "K", NULL, 0, 1e5, "solidus temperature"),
    IG_REAL(M, liquidus, "K", NULL, 0, 1e5, "liquidus temperature"),
    IG_REAL(M, latent_heat, "J/kg", "0", 0, 1e8, "latent heat of fusion"),
    IG_REAL(M, absorptivity, "", NULL, 0, 1, "share of the beam's power that is absorbed"),
    IG_REAL(M, emissivity, "", NULL, 0, 1, "surface emissivity"),
    IG_REAL(M, young, "Pa", NULL, IG_TINY, 1e15, "Young's modulus"),
    IG_REAL(M, poisson, "", NULL, -0.999, 0.4999, "Poisson's ratio"),
    IG_END};
#undef M

const ig_material_case *ig_material_find(const ig_list *materials, const char *name) {
  for (int i = 0; i < materials->count; i++) {
    const ig_material_case *m = IG_ITEM(const ig_material_case, *materials, i);
    if (strcmp(m->name, name) == 0)
      return m;
  }
  return NULL;
}
