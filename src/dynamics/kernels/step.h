/* One step of the finite particle method as a sequence of passes; a backend brings a table of
   them for each precision (ig_dyn_ops). All pointers are device ones unless stated. Passes of a
   GPU are enqueued and return at once; those that give numbers to the host (totals) wait. Within
   a pass no particle is written by two threads, except by atomics under assembly `atomic`. */
#ifndef IG_DYNAMICS_STEP_H
#define IG_DYNAMICS_STEP_H

#include "assembly/cluster.h"
#include "dynamics/elements/group.h"

IG_C_BEGIN

#include "kern/prec_f32.h"
#include "material/j2.inc"
#include "dynamics/elements/element.inc"
#include "dynamics/elements/erode.inc"
#include "kern/prec_f64.h"
#include "material/j2.inc"
#include "dynamics/elements/element.inc"
#include "dynamics/elements/erode.inc"

/* A range of elements that may be added to the particles side by side: a color, or all. What a
   pass of elements gets, by value on a GPU. */
typedef struct {
  ig_dyn_kind kind;
  int law;
  const dyn_group_f32 *g_f32; /* the one of the run's element precision is used */
  const dyn_group_f64 *g_f64;
  ig_scatter_view view;
  ig_cluster_view cluster; /* assembly `cluster`: of the whole group; `view.slot` is of its nodes */
  int32_t begin, end;      /* begin is a multiple of IG_DYN_BLOCK */
  bool ticks;              /* moves the clock on: the last range of a step */
  int64_t whole; /* elements of the group in the whole model: shapes of launches follow it */
} ig_dyn_range;

/* Groups below so many elements get small blocks on a GPU; up to so many hexahedra two threads
   each. Against ig_dyn_range.whole. */
enum { IG_DYN_FEW = 65536, IG_DYN_TWO_LANES = 16384 };

/* Where element results go, by mesh element. */
typedef struct {
  float *stress, *mises, *plastic, *section, *surface; /* x 6, 1, 1, 6, 6 */
} ig_dyn_fields;
/* Sums on a GPU: blocks, and threads of each. Ranks add on the host in the same order
   (ig_dyn_totals), so that energies have the same bits. */
enum { IG_DYN_PARTIAL = 128, IG_DYN_TOTAL_THREADS = 256 };

/* What a kernel needs on a GPU, for reports of benchmarks. */
typedef struct {
  int registers, spilled; /* spilled: bytes of local memory per thread */
  double occupancy;       /* warps that fit on a multiprocessor, of those it can hold */
} ig_dyn_kernel_cost;

/* Passes in the order of a step: loads, contact, particles, bodies, ties, elements; then passes
   for output. Members that may be NULL say so. */
typedef struct {
  /* loads at the clock's time into p->load, for particles that have some */
  ig_status (*loads)(ig_ctx *cx, const ig_dyn_particles *p);
  /* velocities at t + dt/2 and positions at t + dt of all particles that move on their own */
  ig_status (*particles)(ig_ctx *cx, const ig_dyn_particles *p);
  /* bodies, after the particles; without `commit` only their energies and what they would do */
  ig_status (*bodies)(ig_ctx *cx, const ig_dyn_particles *p, bool commit);
  ig_status (*ties)(ig_ctx *cx, const ig_dyn_particles *p); /* after bodies */
  /* own.shift of other ranks, whose velocities have come */
  ig_status (*shift)(ig_ctx *cx, const ig_dyn_particles *p);
  /* own.far, if a watched particle has left the skin */
  ig_status (*watch)(ig_ctx *cx, const ig_dyn_particles *p);
  /* forces of a range at the new positions, into f or slots; states move on */
  ig_status (*elements)(ig_ctx *cx, const ig_dyn_particles *p, const ig_dyn_range *range);
  /* The clock moves on; loads; then, with assembly `cluster`, forces of elements, and the next step
     of all particles: those of one cluster alone as soon as their force is summed, which spares
     its way through memory, then the `others`. NULL: not here (on a GPU last digits of steps in a
     row were not those of single steps). For elements of IG_DYN_JOINED, in a model of one
     group where nothing is tied, carried, touches or is pushed by tools. */
  ig_status (*joined)(ig_ctx *cx, const ig_dyn_particles *p, const ig_dyn_range *range,
                      const int32_t *others, int32_t count);
  /* out: elements x IG_DYN_REPORT floats, in the range's own numbering */
  ig_status (*report)(ig_ctx *cx, const ig_dyn_particles *p, const ig_dyn_range *range,
                      double *out);
  /* alive[element[slot]] of a range of elements with Johnson and Cook's law */
  ig_status (*alive)(ig_ctx *cx, const ig_dyn_range *range, const int32_t *element, uint8_t *alive);
  /* contact forces at the positions now, into touch */
  ig_status (*contact)(ig_ctx *cx, const ig_dyn_particles *p);
  /* f from slots (gather) */
  ig_status (*sum)(ig_ctx *cx, const ig_dyn_particles *p);
  /* energy: nodes x IG_DYN_PARTICLE_ENERGIES, as particle_energy gives them; after bodies */
  ig_status (*energy)(ig_ctx *cx, const ig_dyn_particles *p, double *energy);
  /* displacement and velocity, nodes x 3 */
  ig_status (*show)(ig_ctx *cx, const ig_dyn_particles *p, double *displacement, double *velocity);
  /* reports of `slots` elements into the mesh's numbering; element -1: a pad */
  ig_status (*spread)(ig_ctx *cx, int32_t slots, const int32_t *element, const double *report,
                      const ig_dyn_fields *to);
  /* sums of `count` columns from `first` on of a table, rows x columns, in a fixed order; total: on
     the host; work: IG_DYN_PARTIAL x count on the device */
  ig_status (*totals)(ig_ctx *cx, const double *table, int64_t rows, int columns, int first,
                      int count, double *work, double *total);
  /* of the element pass and of the particle pass; NULL: there are no kernels */
  ig_status (*kernels)(ig_ctx *cx, const ig_dyn_particles *p, const ig_dyn_range *range,
                       ig_dyn_kernel_cost cost[2]);
} ig_dyn_ops;

/* The fields of one element from its report: e is its number in the mesh. Fields are floats. */
IG_HD void ig_dyn_spread(const double *report, int64_t e, const ig_dyn_fields *to) {
  for (int i = 0; i < 6; i++) {
    to->stress[6 * e + i] = (float)report[i];
    to->section[6 * e + i] = (float)report[IG_REPORT_SECTION + i];
    to->surface[6 * e + i] = (float)report[IG_REPORT_SURFACE + i];
  }
  to->mises[e] = (float)report[IG_REPORT_MISES];
  to->plastic[e] = (float)report[IG_REPORT_PLASTIC];
}

/* single, double, mixed (particles in double, elements in single) */
extern const ig_dyn_ops ig_dyn_cpu[3];
extern const ig_dyn_ops ig_dyn_cuda[3];

IG_C_END
#endif
