/* Material tables as kernels read them. */
#ifndef IG_HEAT_TABLES_H
#define IG_HEAT_TABLES_H

#include "material/material.h"
#include "thermal/engine/heat.h"

#include "kern/prec_f32.h"
#include "thermal/engine/heat_types.inc"
#include "kern/prec_f64.h"
#include "thermal/engine/heat_types.inc"

/* The material in double precision; fails naming what is missing or impossible. */
IG_MUST_CHECK ig_status ig_heat_material_make(ig_ctx *cx, const ig_material_case *from,
                                              heat_material_f64 *to);
/* Absorptivity over temperature, in both precisions. */
IG_MUST_CHECK ig_status ig_heat_absorb_make(ig_ctx *cx, const ig_table *from, heat_table_f64 *wide,
                                            heat_table_f32 *narrow);
void ig_heat_material_round(const heat_material_f64 *from, heat_material_f32 *to);
/* Largest conductivity over smallest capacity, m^2/s: bounds the diffusivity at any temperature. */
double ig_heat_material_diffusivity(const heat_material_f64 *m);
/* The same with conductivity and capacity at one temperature. */
double ig_heat_material_diffusivity_at_one(const heat_material_f64 *m);
double ig_heat_material_capacity_min(const heat_material_f64 *m);
/* Of element e (birth order). */
static inline const heat_material_f64 *ig_heat_material_of(const ig_heat *h, ig_lid e) {
  return (const heat_material_f64 *)h->material.table + ((uint8_t *)h->material.of.host)[e];
}

#endif
