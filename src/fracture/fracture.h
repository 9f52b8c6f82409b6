/* The fracture room's case, and the parts of a run. */
#ifndef IG_FRACTURE_H
#define IG_FRACTURE_H

#include "core/room.h"
#include "fracture/model.h"
#include "material/material.h"

typedef struct {
  ig_src at;
  double end, step, safety;
  int64_t check_every;
} ig_frac_time_case;

typedef struct {
  ig_src at;
  int law, criterion, start, contact;
  double energy, energy_shear, strength, strength_shear, shape, shape_shear;
  double friction, penalty, weibull;
  int64_t seed;
} ig_frac_cohesive_case;

typedef struct {
  ig_src at;
  ig_reals from, to, depth;
  bool closed;
} ig_frac_crack_case;

typedef struct {
  ig_src at;
  const char *set; /* NULL: everywhere */
  ig_reals displacement, strain, velocity, center;
  double expansion, spin;
} ig_frac_initial_case;

typedef struct {
  ig_src at;
  const char *set;
  int direction; /* x y z all */
  ig_table velocity, displacement;
} ig_frac_motion_case;

typedef struct {
  ig_src at;
  const char *set;
  ig_table pressure, traction;
  ig_reals direction;
} ig_frac_load_case;

typedef struct {
  ig_src at;
  double amount;
  int64_t seed;
} ig_frac_perturbation_case;

typedef struct {
  ig_src at;
  int64_t batches, seed;
} ig_frac_insertion_case;

typedef struct {
  ig_src at;
  int plane, rotation;
  double thickness;
  ig_frac_time_case time;
  ig_frac_cohesive_case cohesive;
  ig_list initial, cracks, motions, loads;
  ig_frac_perturbation_case perturbation;
  ig_frac_insertion_case insertion;
} ig_frac_case;
extern const ig_option ig_frac_options[];

/* A model from a job: materials, initial state, motions, loads, notches. Time step chosen. */
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
  ig_frac_motion_case motion[4];
  ig_frac_load_case load[2];
  double number[16]; /* what the lists point to */
  ig_job job;
} ig_frac_problem;
void ig_frac_problem_init(ig_frac_problem *p, ig_ctx *cx);
/* The strip of the paper: 16 x 4 mm of PMMA, `cells` across its height (48: 36,864 triangles). */
IG_MUST_CHECK ig_status ig_frac_problem_strip(ig_frac_problem *p, ig_ctx *cx, int cells,
                                              ig_elem_type type);
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
