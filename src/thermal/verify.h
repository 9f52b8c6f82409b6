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

/* A mesh of one metal, conditions on it, the engine: the start of most problems. Made with the
   defaults of its setup (double precision, gather, classes, lumped surfaces, 300 K), which may be
   changed until it is started; freed whatever came of it. */
typedef struct {
  ig_ctx *cx;
  ig_mesh *mesh;
  ig_simple_metal metal;
  const ig_material_case *material;
  ig_heat_condition condition[6];
  ig_heat_setup setup;
  ig_heat heat;
  double *T; /* nodes: see ig_scene_read and _write */
} ig_scene;
IG_MUST_CHECK ig_status ig_scene_box(ig_ctx *cx, const double *size, const int *cells, ig_scene *s);
IG_MUST_CHECK ig_status ig_scene_box_of(ig_ctx *cx, ig_elem_type type, const double *size,
                                        const int *cells, ig_scene *s);
IG_MUST_CHECK ig_status ig_scene_mesh(ig_ctx *cx, const ig_mesh_case *mesh, ig_scene *s);
void ig_scene_metal(ig_scene *s, double rho, double c, double k);
/* Another condition, which says nothing yet. faces NULL: the outer surface. */
ig_heat_condition *ig_scene_condition(ig_scene *s, const char *faces);
IG_MUST_CHECK ig_status ig_scene_start(ig_scene *s); /* at time 0 */
/* Steps without births or sources. */
IG_MUST_CHECK ig_status ig_scene_steps(ig_scene *s, double dt, int64_t steps);
IG_MUST_CHECK ig_status ig_scene_read(ig_scene *s);  /* temperatures of the engine into T */
IG_MUST_CHECK ig_status ig_scene_write(ig_scene *s); /* and back */
/* The volume each node stands for, m^3; freed by the caller. */
IG_MUST_CHECK ig_status ig_scene_volumes(const ig_scene *s, double **volume);
void ig_scene_free(ig_scene *s); /* one of zeros: nothing to do */

void ig_verify_say(const ig_verify_sink *sink, const char *quantity, const char *source,
                   double expected, double computed, double tolerance, bool relative);
extern const char *const ig_verify_precision[], *const ig_verify_form[]; /* their names */

/* verify_slab.c */
ig_status ig_verify_slab(ig_ctx *cx, const ig_verify_sink *sink);
ig_status ig_verify_dwell(ig_ctx *cx, const ig_verify_sink *sink);
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

#endif
