/* A run: the phases of a case as a list of steps, and what it shows.

   steps.c turns the phases into ig_stress_step entries and carries out one of them at a time
   (ig_stress_steps_next); room.c is the interface to the time loop and writes checkpoints;
   output.c evaluates probes, figures and snapshots. The model (model.h) knows no phases. */
#ifndef IG_STRESS_RUN_H
#define IG_STRESS_RUN_H

#include "mesh/probe.h"
#include "solid/nodal.h"
#include "stress/model.h"

/* One step of the run. Steps of a phase are grouped: a group is a layer of a build or a stretch
   of a cut, and its pieces are the steps of that group. */
typedef struct {
  int phase, group, groups, piece, pieces; /* group: layer, or part of a cut; piece: step of it */
  double start, time;                      /* s since the start of the run; of the phase's start */
  double state;                            /* heat: time of the state in its thermal run, s */
} ig_stress_step;

/* What a thermal run says about elements at a time; arrays of `elements` entries, host. */
typedef struct {
  double time;
  double *peak;  /* highest temperatures so far, NaN: not known */
  double *melts; /* how often they have melted */
  /* 1: deposited */
  uint8_t *there;
} ig_stress_heat;

/* How finely the steps of heat phases follow what melts. */
typedef struct {
  double melted, unseen; /* elements that melted; those of them that were solid at the next state */
  double hot, states;    /* elements above `anneal`, over all states; states that have some */
  double length;         /* of all of them together, x or y, the longer: sum over those states, m */
  double time;           /* of steps in which something melted: sum, s */
  double steps;          /* their number */
} ig_stress_melting;
enum { IG_MELTING_NUMBERS = sizeof(ig_stress_melting) / sizeof(double) };

/* Most runs of an iterated compensation; the limit of compensation_runs in options.c. */
enum { IG_STRESS_ROUNDS = 20 };
typedef struct {
  double round, time, steps;      /* of this run: its number from 0; time and steps before it */
  double worst[IG_STRESS_ROUNDS]; /* distortion at the end of each */
} ig_stress_rounds;

/* Planes of symmetry: those of x and y, at the low and at the high end of the mesh as drawn. */
typedef struct {
  bool on[2][2];
  double at[2][2], near; /* m; a point that is nearer lies on it */
} ig_stress_mirror;

/* The run. Owns the model and all of its arrays; job and case belong to the caller. */
typedef struct ig_stress_run {
  ig_job *job;
  const ig_stress_case *c;
  ig_stress *m;
  ig_stress_step *step;
  int64_t steps, at; /* at: done so far */
  int *group;        /* host: elements, group of the phase in `grouped`; -1: none */
  int *group_node;   /* the same of nodes that a cut lets go */
  int grouped;       /* phase, -1: none */
  bool broken;       /* the step that comes next was interrupted */
  bool given;        /* T1 holds the temperatures that a program set for the next step */
  /* temperatures of nodes, excess temperatures and shares of inherent strain of elements, at the
     start (0) and at the end (1) of the next step */
  double *T0, *T1, *warm0, *warm1, *share0, *share1; /* host */
  double *recoater; /* host: nodes, height above the drawn place when their layer was done; NaN */
  double recoater_now;
  double touches; /* layers that stood higher than the clearance of their phase */
  bool rotated;   /* a warning has said that elements rotate far */
  ig_look *look;  /* of the probes */
  int *since;     /* probes: the phase whose start counts as 0, -1: none */
  double *after;  /* phases x probes: values at the end of each, whatever `since` */
  /* columns of the history: names, pointers to them, values */
  char (*name)[64];
  const char **column;
  double *value;
  int columns;
  ig_stress_heat heat, next; /* at the last step of a heat phase; at the one that is computed */
  ig_stress_melting melting, next_melting; /* up to those states */
  double live_end, live_spacing; /* of the live run opened last; time from state to state */
  /* compensation in several runs: the shape that is built, and what came before this run */
  ig_mesh shape;   /* as the drawn mesh, but for its nodes */
  double *shape_x; /* NULL: the drawn shape is built */
  ig_stress_rounds rounds;
  ig_stress_mirror mirror;
  /* largest values over the run so far: m, Pa, 1 */
  double u_max, mises_max, plastic_max;
  double work;
} ig_stress_run;

/* Time that has passed, in all runs. */
static inline double ig_stress_time(const ig_stress_run *r) {
  return r->rounds.time + (r->at ? r->step[r->at - 1].time : 0);
}

/* steps.c

   Makes the list of steps of all phases. For heat phases the snapshots are counted, and their
   times read, before anything is written. */
IG_MUST_CHECK ig_status ig_stress_steps_make(ig_stress_run *r);
/* Carries out the next step: births or removals, temperatures, equilibrium, probes. */
IG_MUST_CHECK ig_status ig_stress_steps_next(ig_stress_run *r);
/* Groups of the phase that the next step is in. */
IG_MUST_CHECK ig_status ig_stress_steps_group(ig_stress_run *r, int phase);
IG_MUST_CHECK ig_status ig_stress_steps_regroup(ig_stress_run *r, int phase, int *groups);
/* scan.c: rows of inherent strain that turns from layer to layer. */
IG_MUST_CHECK ig_status ig_stress_scan(ig_stress_run *r);
/* Supports as they are in a phase; `taken`: those that come to hold take nodes where they are. */
IG_MUST_CHECK ig_status ig_stress_steps_supports(ig_stress_run *r, int phase, bool taken);

/* fields.c: for other programs (core/room.h). */
bool ig_stress_field_at(void *self, int i, ig_room_field *field);
IG_MUST_CHECK ig_status ig_stress_field_get(void *self, const char *name, double *values);
IG_MUST_CHECK ig_status ig_stress_field_set(void *self, const char *name, const double *values);
IG_MUST_CHECK ig_status ig_stress_field_load(void *self, int load, double factor);
IG_MUST_CHECK ig_status ig_stress_field_support(void *self, int support, double factor);

/* output.c */
IG_MUST_CHECK ig_status ig_stress_probes_open(ig_stress_run *r);
/* Warns of elements that are too long for the body to bend (locking_check.c). */
IG_MUST_CHECK ig_status ig_stress_slender_warn(const ig_stress_run *r);
/* Warns once of elements that rotate far where rotations count as small (rotation_check.c). */
void ig_stress_rotation_warn(ig_stress_run *r);
IG_MUST_CHECK ig_status ig_stress_history(void *self, ig_sink *to);
/* Nodes of elements that are there; free *there. */
IG_MUST_CHECK ig_status ig_stress_nodes_there(ig_stress *m, bool **there);
/* nodal.c: stresses at nodes, on the first rank; to be freed with ig_nodal_free, also after a
   failure. The largest, and where it is. Collective. */
IG_MUST_CHECK ig_status ig_stress_nodal_find(ig_stress *m, ig_nodal *all);
IG_MUST_CHECK ig_status ig_stress_nodal_results(ig_stress_run *r, ig_sink *to);
/* snapshot.c; collective */
IG_MUST_CHECK ig_status ig_stress_snapshot(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_stress_results(void *self, ig_sink *to);
/* What probes and figures are now; after every step. */
IG_MUST_CHECK ig_status ig_stress_look_now(ig_stress_run *r);
/* mirror.c: finds planes of symmetry among the supports; whether a point lies on one across `axis`,
   0 or 1. */
IG_MUST_CHECK ig_status ig_stress_mirror_find(ig_stress_run *r);
bool ig_stress_mirror_meets(const ig_stress_mirror *m, const double x[3], int axis);

/* distortion.c

   Displacements less the best-fit rigid motion of a set of nodes (NULL: of all that are alive). Of
   a set that meets planes of symmetry it is that of the whole, of which the set is a piece. */
void ig_stress_distortion(const ig_stress_mirror *mirror, const double *x, const double *u,
                          const ig_lid *node, ig_lid count, ig_lid nodes, double *out);

/* The same of the run, against the drawn shape; and the largest of living nodes. */
IG_MUST_CHECK ig_status ig_stress_distortion_now(ig_stress_run *r, double *out, double *worst);
/* Parts of the case: whether their sets exist; deviations from the nominal surface, into a field of
   nodes (NaN: no surface) and as figures, each NULL where it is not asked for. */
IG_MUST_CHECK ig_status ig_stress_parts_check(ig_stress_run *r);
IG_MUST_CHECK ig_status ig_stress_parts_look(ig_stress_run *r, double *field, ig_sink *to);
/* compensate.c: off: distortion of all nodes. The next shape to build, into x (nodes x 3). */
IG_MUST_CHECK ig_status ig_stress_shape_next(ig_stress_run *r, double *x);
IG_MUST_CHECK ig_status ig_stress_compensate(ig_stress_run *r, ig_sink *to);

/* heat_phase.c: before anything is written: whether all that the snapshots deposit can become
 * solid.
 */
IG_MUST_CHECK ig_status ig_stress_heat_check(ig_stress_run *r, const ig_stress_phase *p,
                                             int64_t states);
/* Temperatures of the next state, with what was deposited and remelted. *dt: time since the last
   one; *calm: it is passed over. */
IG_MUST_CHECK ig_status ig_stress_heat_begin(ig_stress_run *r, const ig_stress_phase *p,
                                             const ig_stress_step *s, double *dt, bool *calm);

/* The step has been computed: what comes next is compared with it. `end`: it was the last one. */
IG_MUST_CHECK ig_status ig_stress_heat_done(ig_stress_run *r, bool end);

/* heat.c: whether the thermal run goes along in this process; states of it: how many; the time of
 * one; and one of them. */
bool ig_stress_heat_live(const ig_stress_phase *p);
IG_MUST_CHECK ig_status ig_stress_heat_open(ig_stress_run *r, const ig_stress_phase *p,
                                            int64_t *count);
IG_MUST_CHECK ig_status ig_stress_heat_time(ig_stress_run *r, const ig_stress_phase *p, int64_t i,
                                            double *time);
IG_MUST_CHECK ig_status ig_stress_heat_read(ig_stress_run *r, const ig_stress_phase *p, int64_t i,
                                            double time, double *T, ig_stress_heat *h);

#endif
