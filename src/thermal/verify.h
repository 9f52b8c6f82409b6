/* What the room's verification problems share. */
#ifndef IG_THERMAL_VERIFY_H
#define IG_THERMAL_VERIFY_H

#include "mesh/mesh_case.h"
#include "thermal/thermal.h"

/* A material of constant properties. */
typedef struct {
  double zero[1], rho[1], c[1], k[1];
  ig_material_case m;
} ig_simple_metal;
const ig_material_case *ig_simple_metal_of(ig_simple_metal *s, double rho, double c, double k);

/* A condition that says nothing yet. faces NULL: the outer surface. */
ig_heat_condition ig_verify_condition(const ig_mesh *mesh, const char *faces);
void ig_verify_say(const ig_verify_sink *sink, const char *quantity, const char *source,
                   double expected, double computed, double tolerance, bool relative);
/* Steps without births or sources. */
IG_MUST_CHECK ig_status ig_verify_steps(ig_ctx *cx, ig_heat *h, double dt, int64_t steps);
double ig_slab_series(double bi, double fo, double x); /* x: share of the thickness */

/* verify_beam.c */
ig_status ig_verify_beam(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_sources(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_lasers(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_ambench(ig_ctx *cx, const ig_verify_sink *sink);
/* verify_melt.c */
ig_status ig_verify_stefan(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_latent(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_powder(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_solidification(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_dwell(ig_ctx *cx, const ig_verify_sink *sink);

/* A bar and one condition on it; temperatures after a time. */
typedef struct {
  double size[3];
  int cells[3];
  const ig_material_case *material;
  const char *where; /* face set, NULL: everywhere */
  ig_heat_condition c;
  double initial, time, step; /* step: share of the critical one */
  bool enthalpy;
} ig_verify_bar;
/* T: of the nodes along its first edge, cells[0] + 1 of them. */
IG_MUST_CHECK ig_status ig_verify_bar_run(ig_ctx *cx, const ig_verify_bar *b,
                                          ig_precision precision, ig_heat_conduction conduction,
                                          double *T, ig_heat_ledger *ledger);

#endif
