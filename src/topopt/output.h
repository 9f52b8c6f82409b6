/* A run and what it leaves: iterations (steps.c), start (sequence.c, case/start.c), snapshots
   and history (output.c), checkpoints (checkpoint.c), fields for other programs (fields.c), the
   statement and the part at the end (finish.c, final_part.c). Functions that take `self` are
   those of the room's table. */
#ifndef IG_TOPOPT_OUTPUT_H
#define IG_TOPOPT_OUTPUT_H

#include "topopt/topopt.h"

/* All fields of snapshots, whatever the problem. */
#define IG_TOPOPT_FIELDS "density|strain_energy|displacement|dissipation|temperature|stress"
/* Those of the finished part come with the section `finish`. */
#define IG_TOPOPT_FIGURES                                                                          \
  "objective|max_stress|max_temperature|frequency_*|buckling_*|load_case_*|load_sum_x|load_sum_y|" \
  "load_sum_z|reaction_sum_x|reaction_sum_y|reaction_sum_z|heat_in|heat_out|volume|volume_bound|"  \
  "large_compliance|large_displacement|load_steps|newton_iterations|"                              \
  "constraint_*|mass|model_mass|grayness|share_*|pieces|cavities|seconds_solve|"                   \
  "seconds_sensitivities|seconds_filter|seconds_update|surface_area|surface_volume|"               \
  "surface_level|surface_triangles|surface_good|surface_open_edges|surface_shells|"                \
  "surface_handles|surface_off_faces|islands_removed|overhang_area|overhang_area_*|outline_area|"  \
  "outline_length|outline_polygons|milling_unreached|support_volume|support_contact|"              \
  "removal_force|overheating|overheating_height|draft_angle|draft_area_below|draft_area_sides|"    \
  "part_objective*|part_compliance*|"                                                              \
  "part_displacement*|part_stress*|part_constraint_*|finished_*"
/* A field that is asked for and that this problem does not have, or a rhythm in time, fails. */
IG_MUST_CHECK ig_status ig_topopt_output_check(const ig_job *job);

typedef struct ig_topopt_state ig_topopt_state; /* what a checkpoint holds */
/* A run: the design, and what its last iteration found. */
typedef struct {
  ig_job *job;
  ig_discretisation *d;
  ig_topopt_design *s;
  int64_t iteration, evaluated; /* done; the one whose design is analysed, -1: none */
  ig_evaluation e;              /* of the last analysis */
  double change, last;          /* of the design; the objective before the last update */
  bool arrived;                 /* the design no longer changes */
  /* Constraints: designs jump over them and back. The best feasible design so far, its
     objective, after how many updates it was there (-1: none), and whether it was gone back to. */
  ig_array feasible;
  double feasible_objective;
  int64_t feasible_at;
  bool went_back;
  /* What a checkpoint holds, as it was before a design was analysed early, for a snapshot:
     solutions are first guesses for the next ones. NULL where it was not. */
  ig_topopt_state *kept;
  double seconds; /* that the last analysis took */
  bool loads_put; /* loads.csv was handed over */
} ig_topopt_run;
/* --- steps.c: the design as it stands, analysed once: for the next iteration, or for the end; one
   design iteration; whether it was the last. */
IG_MUST_CHECK ig_status ig_topopt_analyse(ig_topopt_run *r);
IG_MUST_CHECK ig_status ig_topopt_advance(void *self, int64_t most, int64_t ahead);
bool ig_topopt_ended(const ig_topopt_run *r);

/* The start of a run: designs of coarser grids, one after the other (sequence.c). */
IG_MUST_CHECK ig_status ig_topopt_begin(void *self);
/* The densities of a file; start.c. */
IG_MUST_CHECK ig_status ig_topopt_start_read(ig_topopt_run *r);
/* The iteration whose ramps count: after coarser grids they have ended. */
int64_t ig_topopt_ramp_at(const ig_topopt_case *c, int64_t iteration);

/* Functions of the room, `self` is an ig_topopt_run. */
IG_MUST_CHECK ig_status ig_topopt_snapshot(void *self, ig_sink *to);
/* Of the objective; "": it is a share. */
const char *ig_topopt_objective_unit(const ig_topopt_design *s);
const char *ig_topopt_response_unit(const ig_topopt_design *s);
IG_MUST_CHECK ig_status ig_topopt_history(void *self, ig_sink *to);
/* checkpoint.c: the state as it stands, or the one kept; that one is kept, on each rank its part;
   it is no longer needed. */
IG_MUST_CHECK ig_status ig_topopt_checkpoint(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_topopt_restore(void *self, const ig_restart *from);
IG_MUST_CHECK ig_status ig_topopt_keep(ig_topopt_run *run);
IG_MUST_CHECK ig_status ig_topopt_put_back(ig_topopt_run *run); /* what was kept */
void ig_topopt_forget(ig_topopt_run *run);
/* For other programs. */
bool ig_topopt_field(void *self, int i, ig_room_field *field);
IG_MUST_CHECK ig_status ig_topopt_get(void *self, const char *name, double *values);
IG_MUST_CHECK ig_status ig_topopt_set(void *self, const char *name, const double *values);
/* part.c. The part at the end: islands removed from `density` (host, as `touched`, see
   ig_topopt_islands_clear), surface, files; the level of the surface and, unless NULL, the share of
   each element that is inside. Whether the part is to be analysed (part_analysis.h). */
IG_MUST_CHECK ig_status ig_topopt_part_put(ig_topopt_run *r, ig_sink *sink, double *density,
                                           const uint8_t *touched, double *level, double *share);
/* An array of the design's elements (host), as a whole, on all ranks; freed by the caller. */
IG_MUST_CHECK ig_status ig_topopt_part_whole(const ig_topopt_run *r, const double *from,
                                             double **to);
bool ig_topopt_part_analysed(const ig_topopt_run *r);
/* milling.c: the share of the void that no tool reaches; nothing without `milling`. */
IG_MUST_CHECK ig_status ig_topopt_milling_put(const ig_topopt_run *r, ig_sink *sink,
                                              const double *density, double level);
/* surface_overhang.c: middle, unit normal (zero of a degenerate triangle) and area of a triangle.
 */
void ig_topopt_part_facet(const ig_topopt_part *s, int64_t t, double *middle, double *normal,
                          double *area);
/* surface_draft.c: draft of the surface's walls; nothing without draw_direction.angle. */
IG_MUST_CHECK ig_status ig_topopt_draft_put(const ig_topopt_run *r, ig_sink *sink,
                                            const ig_topopt_part *part);
/* surface_overhang.c: area of the surface that hangs over, by angle. */
IG_MUST_CHECK ig_status ig_topopt_overhang_put(const ig_topopt_run *r, ig_sink *sink,
                                               const ig_topopt_part *part);
/* balance.c: sums of loads and reactions of each load case. */
IG_MUST_CHECK ig_status ig_topopt_sums_put(const ig_topopt_run *r, ig_sink *sink);
/* applied_loads.c: loads and supports of the model, loads.csv. Collective. */
IG_MUST_CHECK ig_status ig_topopt_loads_put(ig_topopt_run *r, ig_sink *to);
/* The statement at the end: figures of summary.json, the part's surface; finish.c. */
IG_MUST_CHECK ig_status ig_topopt_finish(void *self, ig_sink *to);

/* --- bounds.c: a constraint in words, value and bound in its unit. */
typedef struct {
  const char *what, *unit;
  double value, bound, slack;
  bool least; /* the value may not be below it */
} ig_topopt_bound;
/* Constraint i; -1: the volume. */
ig_topopt_bound ig_topopt_bound_of(const ig_topopt_design *s, const ig_evaluation *e, int i);
/* How far it is above its bound and what is tolerated, as a share; at most 0: feasible. */
double ig_topopt_bound_excess(const ig_topopt_bound *b);
/* Of the worst constraint. */
double ig_topopt_excess(const ig_topopt_design *s, const ig_evaluation *e);

#endif
