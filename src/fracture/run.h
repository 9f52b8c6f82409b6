/* The parts of a run, between the room's own files. */
#ifndef IG_FRAC_RUN_H
#define IG_FRAC_RUN_H

#include "fracture/fracture.h"
#include "fracture/engine/model.h"

/* A model from a job: materials, initial state, supports, loads, notches. Time step chosen. */
IG_MUST_CHECK ig_status ig_frac_setup(ig_job *job, ig_frac_model *m);
/* Opens every facet, in random order, in batches, without mechanics; seconds is the time spent on
   the device, passes (IG_FRAC_PASSES, or NULL) that of each pass: tables must then have space
   (ig_frac_settings.reserve). */
IG_MUST_CHECK ig_status ig_frac_open_all(ig_frac_model *m, int batches, uint64_t seed,
                                         double *seconds, double *passes);
/* The probes of the case, with the tables they need: after supports, before ig_frac_model_start. */
IG_MUST_CHECK ig_status ig_frac_probes_open(ig_job *job, ig_frac_model *m);
int ig_frac_probes_count(const ig_frac_model *m);
/* Whether some of them need velocities or forces of the current step (ig_frac_model_ready). */
bool ig_frac_probes_shows(const ig_frac_model *m);
/* Their columns and values as things stand. */
IG_MUST_CHECK ig_status ig_frac_probes_read(ig_frac_model *m, const char **column, double *value);
/* The last values, as figures of the summary. */
IG_MUST_CHECK ig_status ig_frac_probes_results(ig_frac_model *m, ig_sink *to);
/* Mean stress of an element, from the table "se": xx yy xy, or xx yy zz xy yz zx. */
void ig_frac_element_stress(const ig_frac_model *m, const void *se, int64_t e, double t[6]);
double ig_frac_principal(const ig_frac_model *m, const double t[6]);
/* Means over the points of a cohesive element, from the table "cs", normal and tangential: what 0
   opening, 1 traction. */
void ig_frac_cohesive_mean(const ig_frac_model *m, const void *cs, int64_t c, int what,
                           double mean[2]);

/* Everything matches from both sides: adjacencies, cohesive elements, node lists. */
IG_MUST_CHECK ig_status ig_frac_tables_check(ig_frac_model *m);

/* Pieces: connected elements, also through cohesive elements that still have traction.

   Owned by the caller (ig_frac_pieces_free). On several ranks elements of others have no valid
   entry. */
typedef struct {
  int32_t count;
  /* ne: number of the lowest element of its piece; on ranks those of the part, of own ones alone,
     with numbers of the whole */
  int32_t *of;
} ig_frac_pieces;
IG_MUST_CHECK ig_status ig_frac_pieces_find(ig_frac_model *m, ig_frac_pieces *p);
void ig_frac_pieces_free(ig_frac_pieces *p);
/* Numbers of pieces from 0 on in the order of their lowest elements, for a caller that meets all
   elements in their order; `name` is freed by the caller.

   Start with zeros; `last` is the piece of the element before, since neighbours in number are
   mostly of one piece. */
typedef struct {
  int32_t *name, count, last;
} ig_frac_numbering;
IG_MUST_CHECK ig_status ig_frac_piece_number(ig_ctx *cx, ig_frac_numbering *n, int32_t name,
                                             int64_t element, int32_t *number);

/* A tip that is followed: an end of a notch, or a point the case names. */
enum { IG_FRAC_WINDOW = 16, IG_FRAC_TIPS = 8 };
typedef struct {
  double start[3], way[3]; /* where the crack starts, and the notch's direction there */
  double depth[3];         /* along its front, in space: a unit vector */
  double at[3];            /* where it has come to: its farthest point without traction */
  double extension, speed; /* of the last sample */
  double deviation; /* of facets without traction: the largest distance from its notch's line */
  double past_extension[IG_FRAC_WINDOW]; /* samples, a ring */
} ig_frac_tip;

/* A run as it goes. Where the crack is and what hangs together is the host's to find out: it looks
   so many times in the window over which speeds are taken, since a crack grows by facets. */
typedef struct {
  int tips;
  ig_frac_tip tip[IG_FRAC_TIPS];
  double length, past_time[IG_FRAC_WINDOW];
  double end, gap; /* of the run, between samples, s */
  int samples;
  double last_time, top_speed;
  double energy0, worst_error, scale; /* balance: at the start, farthest from it, largest sum */
  bool started;
  double figures[IG_FRAC_FIGURES];
  int32_t pieces;
  bool said_turned, said_overlap; /* warnings come once */
} ig_frac_track;
/* For a run that ends at `end`: follows the tips of the notches (`to`, and `from` where that is not
   on the boundary) and those the case names. */
IG_MUST_CHECK ig_status ig_frac_track_start(ig_frac_track *track, ig_job *job,
                                            const ig_frac_model *m, double end);
/* Where tips have come to.
   Collective; where there are no cohesive elements it does nothing. */
IG_MUST_CHECK ig_status ig_frac_tips_follow(ig_frac_model *m, ig_frac_track *track);
/* How far a crack has turned from its notch's direction, in degrees; 0 before it has grown. */
double ig_frac_tip_angle(const ig_frac_tip *tip);
/* Largest error of the energy balance so far, relative. */
double ig_frac_track_drift(const ig_frac_track *track);
/* `to` NULL: only followed, and nothing is written. */
IG_MUST_CHECK ig_status ig_frac_history(ig_job *job, ig_frac_model *m, ig_frac_track *track,
                                        ig_sink *to);
/* Writes the fields that the case asks for. Collective. */
IG_MUST_CHECK ig_status ig_frac_snapshot(ig_job *job, ig_frac_model *m, ig_sink *to);
/* Figures of the summary, fragments.csv and crack.csv. Collective. */
IG_MUST_CHECK ig_status ig_frac_results(ig_job *job, ig_frac_model *m, ig_frac_track *track,
                                        ig_sink *to);
/* For other programs: displacements and velocities of all nodes there are, those of the mesh first;
   a load of the case times a factor. */
bool ig_frac_field(ig_frac_model *m, int i, ig_room_field *field);
IG_MUST_CHECK ig_status ig_frac_field_get(ig_frac_model *m, const char *name, double *values);
IG_MUST_CHECK ig_status ig_frac_field_set(ig_frac_model *m, ig_frac_track *track, const char *name,
                                          const double *values);
IG_MUST_CHECK ig_status ig_frac_load_scale(ig_frac_model *m, int load, double factor);
/* What a support of the case leads, times a factor. */
IG_MUST_CHECK ig_status ig_frac_support_scale(ig_frac_model *m, int support, double factor);
/* Checkpoint, and reading one into a model that was set up from the same case. Collective. */
IG_MUST_CHECK ig_status ig_frac_save(ig_frac_model *m, const ig_frac_track *track, ig_sink *to);
IG_MUST_CHECK ig_status ig_frac_restore(ig_job *job, ig_frac_model *m, ig_frac_track *track,
                                        const ig_restart *from);

#endif
