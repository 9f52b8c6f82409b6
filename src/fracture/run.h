/* The parts of a run, between the room's own files. */
#ifndef IG_FRAC_RUN_H
#define IG_FRAC_RUN_H

#include "fracture/fracture.h"
#include "fracture/model.h"

/* A model from a job: materials, initial state, supports, loads, notches. Time step chosen. */
IG_MUST_CHECK ig_status ig_frac_setup(ig_job *job, ig_frac_model *m);
/* Opens every facet, in random order, in batches, without mechanics; seconds is the time spent on
   the device, passes (IG_FRAC_PASSES, or NULL) that of each pass: tables must then have room
   (ig_frac_settings.reserve). */
IG_MUST_CHECK ig_status ig_frac_open_all(ig_frac_model *m, int batches, uint64_t seed,
                                         double *seconds, double *passes);
/* Everything matches from both sides: adjacencies, cohesive elements, node lists. */
IG_MUST_CHECK ig_status ig_frac_tables_check(ig_frac_model *m);

/* What hangs together: up[i] leads to the root of i's tree, which is its own. */
static inline int32_t ig_frac_root(int32_t *up, int32_t i) {
  while (up[i] != i)
    i = up[i] = up[up[i]];
  return i;
}

/* Pieces: elements that hang together, through cohesive elements too that still hold. */
typedef struct {
  int32_t count;
  int32_t *of; /* ne */
} ig_frac_pieces;
IG_MUST_CHECK ig_status ig_frac_pieces_find(ig_frac_model *m, ig_frac_pieces *p);
void ig_frac_pieces_free(ig_frac_pieces *p);

/* A run as it goes. Where the crack is and what hangs together is the host's to find out: it looks
   so many times in a tenth of the run, over which the crack's speed is taken, since it grows by
   facets. */
enum { IG_FRAC_WINDOW = 16 };
typedef struct {
  double tip[3], way[3]; /* where the crack started, and the notch's direction there */
  double depth[3];       /* along its front, in space: a unit vector */
  double at[3];          /* where it has come to: its farthest point without traction */
  bool has_tip;
  double length, extension, speed;                                  /* of the last sample */
  double past_time[IG_FRAC_WINDOW], past_extension[IG_FRAC_WINDOW]; /* samples, a ring */
  double end, gap; /* of the run, between samples, s */
  int samples;
  double last_time, top_speed;
  double energy0, worst_error, scale; /* balance: at the start, farthest from it, largest sum */
  bool started;
  double figures[IG_FRAC_FIGURES];
  int32_t pieces;
} ig_frac_track;
/* For a run that ends at `end`; follows the crack from the end of its first notch, if it has one.
 */
void ig_frac_track_start(ig_frac_track *track, const ig_frac_case *c, double end);
/* How far the crack has turned from the notch's direction, in degrees; 0 before it has grown. */
double ig_frac_track_angle(const ig_frac_track *track);
double ig_frac_track_drift(const ig_frac_track *track);
/* `to` NULL: only followed, and nothing is written. */
IG_MUST_CHECK ig_status ig_frac_history(ig_job *job, ig_frac_model *m, ig_frac_track *track,
                                        ig_sink *to);
IG_MUST_CHECK ig_status ig_frac_snapshot(ig_job *job, ig_frac_model *m, ig_sink *to);
IG_MUST_CHECK ig_status ig_frac_results(ig_job *job, ig_frac_model *m, ig_frac_track *track,
                                        ig_sink *to);
/* For other programs: displacements and velocities of all nodes there are, those of the mesh first;
   a load of the case times a factor. */
bool ig_frac_field(ig_frac_model *m, int i, ig_room_field *field);
IG_MUST_CHECK ig_status ig_frac_field_set(ig_frac_model *m, ig_frac_track *track, const char *name,
                                          const double *values);
IG_MUST_CHECK ig_status ig_frac_load_scale(ig_frac_model *m, int load, double factor);
IG_MUST_CHECK ig_status ig_frac_save(ig_frac_model *m, const ig_frac_track *track, ig_sink *to);
IG_MUST_CHECK ig_status ig_frac_restore(ig_job *job, ig_frac_model *m, ig_frac_track *track,
                                        const ig_restart *from);

#endif
