/* One step of the finite particle method as a sequence of passes; a backend brings a table of them
   for each precision. All pointers are device ones. */
#ifndef IG_DYNAMICS_STEP_H
#define IG_DYNAMICS_STEP_H

#include "dynamics/group.h"

IG_C_BEGIN

#include "kern/prec_f32.h"
#include "material/j2.inc"
#include "dynamics/element.inc"
#include "kern/prec_f64.h"
#include "material/j2.inc"
#include "dynamics/element.inc"

/* A run of elements that may be added to the particles side by side: a color, or all. */
typedef struct {
  ig_dyn_kind kind;
  int law;
  const dyn_group_f32 *g_f32; /* the one of the run's element precision is used */
  const dyn_group_f64 *g_f64;
  ig_scatter_view view;
  int32_t begin, end; /* begin is a multiple of IG_DYN_BLOCK */
  bool ticks;         /* moves the clock on: the last run of a step */
} ig_dyn_run;

typedef struct {
  ig_status (*loads)(ig_ctx *cx, const ig_dyn_particles *p);
  ig_status (*particles)(ig_ctx *cx, const ig_dyn_particles *p);
  /* bodies, after the particles; without `commit` only their energies and what they would do */
  ig_status (*bodies)(ig_ctx *cx, const ig_dyn_particles *p, bool commit);
  ig_status (*ties)(ig_ctx *cx, const ig_dyn_particles *p); /* after bodies */
  ig_status (*elements)(ig_ctx *cx, const ig_dyn_particles *p, const ig_dyn_run *run);
  /* out: elements x IG_DYN_REPORT floats, in the run's own numbering */
  ig_status (*report)(ig_ctx *cx, const ig_dyn_particles *p, const ig_dyn_run *run, double *out);
  /* contact forces at the positions now, into touch */
  ig_status (*contact)(ig_ctx *cx, const ig_dyn_particles *p);
  /* f from slots (gather) */
  ig_status (*sum)(ig_ctx *cx, const ig_dyn_particles *p);
  /* energy: nodes x IG_DYN_PARTICLE_ENERGIES, as particle_energy gives them; after bodies */
  ig_status (*energy)(ig_ctx *cx, const ig_dyn_particles *p, double *energy);
  /* many steps of a small model in one launch; *taken: false where that cannot be. NULL: never */
  ig_status (*steps)(ig_ctx *cx, const ig_dyn_particles *p, const ig_dyn_run *run, int64_t steps,
                     bool *taken);
} ig_dyn_ops;

/* single, double, mixed (particles in double, elements in single) */
extern const ig_dyn_ops ig_dyn_cpu[3];
#ifdef INGOT_HAVE_CUDA
extern const ig_dyn_ops ig_dyn_cuda[3];
#endif

IG_C_END
#endif
