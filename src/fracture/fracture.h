/* The fracture room's case, and the parts of a run. */
#ifndef IG_FRACTURE_H
#define IG_FRACTURE_H

#include "core/room.h"
#include "fracture/model.h"
#include "material/material.h"

typedef struct {
  ig_src at;
  int law, criterion, start, contact;
  int64_t check_every; /* steps; 0: nothing breaks */
  double shape, shape_shear, friction, penalty, weibull;
  int64_t seed;
} ig_frac_cohesive_case;

/* Vectors have two numbers in the plane, three in space (ig_axes_read). */
typedef struct {
  ig_src at;
  double from[3], to[3], depth[3];
  bool closed;
} ig_frac_crack_case;

typedef struct {
  ig_src at;
  const char *set; /* NULL: everywhere */
  double displacement[3], velocity[3], spin[3], about[3];
  ig_reals strain;
  double expansion;
} ig_frac_initial_case;

typedef struct {
  ig_src at;
  const char *set;
  double pressure, traction[3]; /* NaN: the other */
  ig_table history;
} ig_frac_load_case;

typedef struct {
  ig_src at;
  int64_t batches, seed;
} ig_frac_insertion_case;

typedef struct {
  ig_src at;
  int plane, rotation;
  double thickness;
  double duration, time_step, safety; /* time_step NaN: from the critical one */
  ig_frac_cohesive_case cohesive;
  ig_list initial, cracks, loads;
  ig_list supports; /* of ig_support_case */
  ig_frac_insertion_case insertion;
} ig_frac_case;
extern const ig_option ig_frac_options[];
extern const char ig_frac_fields[]; /* of its snapshots */

/* A model from a job: materials, initial state, supports, loads, notches. Time step chosen. */
IG_MUST_CHECK ig_status ig_frac_setup(ig_job *job, ig_frac_model *m);
/* Opens every facet, in random order, in batches; seconds is the time spent on the device, passes
   (IG_FRAC_PASSES, or NULL) that of each pass: tables must then have room
   (ig_frac_settings.reserve). */
IG_MUST_CHECK ig_status ig_frac_open_all(ig_frac_model *m, int batches, uint64_t seed,
                                         double *seconds, double *passes);
/* Everything matches from both sides: adjacencies, cohesive elements, node lists. */
IG_MUST_CHECK ig_status ig_frac_tables_check(ig_frac_model *m);

/* Pieces: elements that hang together, through cohesive elements too that still hold. */
typedef struct {
  int32_t count;
  int32_t *of; /* ne */
} ig_frac_pieces;
IG_MUST_CHECK ig_status ig_frac_pieces_find(ig_frac_model *m, ig_frac_pieces *p);
void ig_frac_pieces_free(ig_frac_pieces *p);

/* What a run leaves behind. A crack grows by facets: its speed is taken over so many samples, a
   twentieth of the run. */
enum { IG_FRAC_WINDOW = 16 };
typedef struct {
  double tip[3], way[3]; /* where the crack started, and the notch's direction there */
  double depth[3];       /* along its front, in space: a unit vector */
  double at[3];          /* where it has come to: its farthest point without traction */
  bool has_tip;
  double length, extension, speed;                                  /* of the last row */
  double past_time[IG_FRAC_WINDOW], past_extension[IG_FRAC_WINDOW]; /* samples, a ring */
  double gap;                                                       /* between samples, s */
  int samples;
  double last_time, top_speed;
  double energy0, worst_error, scale; /* balance: at the start, farthest from it, largest sum */
  bool started;
  double figures[IG_FRAC_FIGURES];
  int32_t pieces;
} ig_frac_track;
/* Follows the crack from the end of a notch, in a run that ends at `end`. */
void ig_frac_track_notch(ig_frac_track *track, const ig_frac_crack_case *notch, double end);
/* How far the crack has turned from the notch's direction, in degrees; 0 before it has grown. */
double ig_frac_track_angle(const ig_frac_track *track);
double ig_frac_track_drift(const ig_frac_track *track);
IG_MUST_CHECK ig_status ig_frac_history(ig_job *job, ig_frac_model *m, ig_frac_track *track);
IG_MUST_CHECK ig_status ig_frac_snapshot(ig_job *job, ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_results(ig_job *job, ig_frac_model *m, ig_frac_track *track);
IG_MUST_CHECK ig_status ig_frac_save(ig_job *job, ig_frac_model *m, const ig_frac_track *track);
IG_MUST_CHECK ig_status ig_frac_restore(ig_job *job, ig_frac_model *m, ig_frac_track *track);

/* A case put together in C, as verification and benchmarks do: fill `c`, `material` and the mesh,
   then ig_frac_problem_open makes the job. Members that are zero hold defaults. */
typedef struct {
  ig_material_case material;
  ig_list materials;
  ig_frac_case c;
  ig_frac_initial_case initial;
  ig_frac_crack_case crack;
  ig_support_case support[4];
  ig_frac_load_case load[2];
  double density[2], strain[6], history[2][6]; /* what they point to */
  ig_job job;
} ig_frac_problem;
void ig_frac_problem_init(ig_frac_problem *p, ig_ctx *cx);
void ig_frac_problem_material(ig_frac_problem *p, double young, double poisson, double density,
                              double fracture_energy, double cohesive_strength);
/* The strip of the paper: 16 x 4 mm of PMMA, `cells` across its height (48: 36,864 triangles), its
   nodes moved by up to `jitter` of an edge. */
IG_MUST_CHECK ig_status ig_frac_problem_strip(ig_frac_problem *p, ig_ctx *cx, int cells,
                                              ig_elem_type type, double jitter);
/* The pressurised ring of the paper. */
IG_MUST_CHECK ig_status ig_frac_problem_ring(ig_frac_problem *p, ig_ctx *cx, int radial,
                                             int around);
/* A ring without loads, for insertion alone. */
IG_MUST_CHECK ig_status ig_frac_problem_annulus(ig_frac_problem *p, ig_ctx *cx, int radial,
                                                int around, ig_elem_type type);
/* Kalthoff and Winkler's plate, upper half; the edge of `cells`. */
IG_MUST_CHECK ig_status ig_frac_problem_kalthoff(ig_frac_problem *p, ig_ctx *cx, int cells);
/* A thin ring of alumina that expands at 10,000 1/s. */
IG_MUST_CHECK ig_status ig_frac_problem_mott(ig_frac_problem *p, ig_ctx *cx, int around);
void ig_frac_problem_free(ig_frac_problem *p);

extern const ig_verify_entry ig_frac_verify[];
extern const ig_bench_entry ig_frac_bench[];

#endif
