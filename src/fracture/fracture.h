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
} frac_time_case;

typedef struct {
  ig_src at;
  int law, criterion, start, contact;
  double energy, energy_shear, strength, strength_shear, shape, shape_shear;
  double friction, penalty, weibull;
  int64_t seed;
} frac_cohesive_case;

typedef struct {
  ig_src at;
  ig_reals from, to, depth;
  bool closed;
} frac_crack_case;

typedef struct {
  ig_src at;
  const char *set; /* NULL: everywhere */
  ig_reals displacement, strain, velocity, center;
  double expansion, spin;
} frac_initial_case;

typedef struct {
  ig_src at;
  const char *set;
  int direction; /* x y z all */
  ig_table velocity, displacement;
} frac_motion_case;

typedef struct {
  ig_src at;
  const char *set;
  ig_table pressure, traction;
  ig_reals direction;
} frac_load_case;

typedef struct {
  ig_src at;
  double amount;
  int64_t seed;
} frac_perturbation_case;

typedef struct {
  ig_src at;
  int64_t batches, seed;
} frac_insertion_case;

typedef struct {
  ig_src at;
  int plane, rotation;
  double thickness;
  frac_time_case time;
  frac_cohesive_case cohesive;
  ig_list initial, cracks, motions, loads;
  frac_perturbation_case perturbation;
  frac_insertion_case insertion;
} frac_case;
extern const ig_option frac_options[];

/* A model from a job: materials, initial state, motions, loads, notches. Time step chosen. */
IG_MUST_CHECK ig_status frac_setup(ig_job *job, frac_model *m);
/* Opens every facet, in random order, in batches; seconds is the time spent on the device, passes
   (FRAC_PASSES, or NULL) that of each pass: tables must then have room (frac_settings.reserve). */
IG_MUST_CHECK ig_status frac_open_all(frac_model *m, int batches, uint64_t seed, double *seconds,
                                      double *passes);
/* Everything matches from both sides: adjacencies, cohesive elements, node lists. */
IG_MUST_CHECK ig_status frac_tables_check(frac_model *m);

/* Pieces: elements that hang together, through cohesive elements too that still hold. */
typedef struct {
  int32_t count;
  int32_t *of; /* ne */
} frac_pieces;
IG_MUST_CHECK ig_status frac_pieces_find(frac_model *m, frac_pieces *p);
void frac_pieces_free(frac_pieces *p);

/* What a run leaves behind. A crack grows by facets: its speed is taken over so many samples, a
   twentieth of the run. */
enum { FRAC_WINDOW = 16 };
typedef struct {
  double tip[3], way[3]; /* where the crack started, and the notch's direction there */
  double depth[3];       /* along its front, in space: a unit vector */
  double at[3];          /* where it has come to: its farthest point without traction */
  bool has_tip;
  double length, extension, speed;                            /* of the last row */
  double past_time[FRAC_WINDOW], past_extension[FRAC_WINDOW]; /* samples, a ring */
  double gap;                                                 /* between samples, s */
  int samples;
  double last_time, top_speed;
  double energy0, worst_error, scale; /* balance: at the start, farthest from it, largest sum */
  bool started;
  double figures[FRAC_FIGURES];
  int32_t pieces;
} frac_track;
/* Follows the crack from the end of a notch, in a run that ends at `end`. */
void frac_track_notch(frac_track *track, const frac_crack_case *notch, double end);
/* How far the crack has turned from the notch's direction, in degrees; 0 before it has grown. */
double frac_track_angle(const frac_track *track);
double frac_track_drift(const frac_track *track);
IG_MUST_CHECK ig_status frac_history(ig_job *job, frac_model *m, frac_track *track);
IG_MUST_CHECK ig_status frac_snapshot(ig_job *job, frac_model *m);
IG_MUST_CHECK ig_status frac_results(ig_job *job, frac_model *m, frac_track *track);
IG_MUST_CHECK ig_status frac_save(ig_job *job, frac_model *m, const frac_track *track);
IG_MUST_CHECK ig_status frac_restore(ig_job *job, frac_model *m, frac_track *track);

/* A case put together in C, as verification and benchmarks do: fill `c`, `material` and the mesh,
   then frac_problem_open makes the job. Members that are zero hold defaults. */
typedef struct {
  ig_material_case material;
  ig_list materials;
  frac_case c;
  frac_initial_case initial;
  frac_crack_case crack;
  frac_motion_case motion[4];
  frac_load_case load[2];
  double number[16]; /* what the lists point to */
  ig_job job;
} frac_problem;
void frac_problem_init(frac_problem *p, ig_ctx *cx);
/* The strip of the paper: 16 x 4 mm of PMMA, `cells` across its height (48: 36,864 triangles). */
IG_MUST_CHECK ig_status frac_problem_strip(frac_problem *p, ig_ctx *cx, int cells,
                                           ig_elem_type type);
/* The pressurised ring of the paper. */
IG_MUST_CHECK ig_status frac_problem_ring(frac_problem *p, ig_ctx *cx, int radial, int around);
/* A ring without loads, for insertion alone. */
IG_MUST_CHECK ig_status frac_problem_annulus(frac_problem *p, ig_ctx *cx, int radial, int around,
                                             ig_elem_type type);
/* Kalthoff and Winkler's plate, upper half; the edge of `cells`. */
IG_MUST_CHECK ig_status frac_problem_kalthoff(frac_problem *p, ig_ctx *cx, int cells);
/* A thin ring of alumina that expands at 10,000 1/s. */
IG_MUST_CHECK ig_status frac_problem_mott(frac_problem *p, ig_ctx *cx, int around);
void frac_problem_free(frac_problem *p);

extern const ig_verify_entry frac_verify[];
extern const ig_bench_entry frac_bench[];

#endif
