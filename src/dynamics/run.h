/* A run of the room on its way; between the room's own files. ig_dyn_job is the `self` of the
   room's functions. It owns the model and all its arrays; job and case belong to the caller.
   Numbers that a checkpoint needs are listed in checkpoint.c. */
#ifndef IG_DYNAMICS_RUN_H
#define IG_DYNAMICS_RUN_H

#include "solid/nodal.h"
#include "core/schedule.h"
#include "dynamics/statics/modes.h"
#include "dynamics/statics/statics.h"
#include "ranks/partition.h"

/* Grouped: sizes of errors so far; statics under way; modes; output; progress in the queue of
   analyses. */
typedef struct {
  ig_job *job;
  const ig_dyn_case *c;
  ig_dyn_model *m;
  double duration; /* of all dynamic analyses */
  double worst_error;
  double static_error; /* the largest that a static analysis ended with */
  double static_path;  /* and the largest share of its work that was lost: ig_dyn_relaxing */
  double ramp;         /* of the statics under way, where it is found: steps; 0: the first trial */
  ig_keeper start;     /* the state that trials, or Newton's method, begin from: see start_keep */
  ig_dyn_statics *statics; /* Newton's method under way; NULL */
  struct {
    int64_t steps, iterations, negative, zero;
    const char *solver;
  } newton; /* of all analyses; pivots at the end of the last, -1: unknown */
  struct {
    bool buckling;
    int64_t analysis;
    int shown;       /* shapes put out so far */
    ig_dyn_modes of; /* count 0: none were found yet */
    double *x;       /* positions they are about, nodes x 3 */
    /* values of analyses before the last one */
    struct {
      int64_t analysis;
      bool buckling;
      int number;
      double value;
    } * before;
    int befores;
  } modes;
  char residuals[200];
  char failed[512]; /* why an analysis ended early: reported after its state was put out */
  int columns;
  char (*name)[64]; /* of the probes */
  const char **column;
  double *values;
  ig_lid *probe_node;       /* of point probes */
  const ig_set **probe_set; /* of the others */
  double *probe_middle;     /* x 3: of their nodes at the start; moments are about it */
  ig_collect *probe_item;   /* what each of them looks at, in its order */
  double *report;           /* host: elements x IG_DYN_REPORT; on ranks of the part */
  ig_array moved, fields;   /* device: what snapshots are made of (snapshot.c) */
  int64_t element_steps;
  int64_t analysis; /* the one under way, and its start */
  double analysis_start;
  double blow_step; /* most that contact allows at the speeds the analysis began with; 0: unknown */
  int64_t look;     /* step of the next look for bodies inside each other */
  bool over;        /* that one has reached its end */
} ig_dyn_job;

static inline const ig_dyn_clock *ig_dyn_clock_of(const ig_dyn_job *r) {
  return r->m->clock.host;
}

/* Finds the probes' nodes and names the columns of the history. Fails if a probe names a set
   that does not exist or a quantity that its elements do not have. */
IG_MUST_CHECK ig_status ig_dyn_probes_open(ig_dyn_job *r);
/* A row of the history (`to` NULL: none is written); gives the energies. */
IG_MUST_CHECK ig_status ig_dyn_history_write(ig_dyn_job *r, ig_dyn_energy *e, ig_sink *to);
/* Functions of the room's table (core/room.h), `self` is an ig_dyn_job. Collective on ranks. */
IG_MUST_CHECK ig_status ig_dyn_snapshot_write(void *self, ig_sink *to);
/* nodal.c: whether the case has stresses at nodes (equilibrium alone, one rank); whether there are
   elements with such (all but beams), and shells; the stresses, on the host. */
bool ig_dyn_at_rest(const ig_dyn_job *r);
bool ig_dyn_has_stresses(const ig_dyn_model *m);
bool ig_dyn_has_shells(const ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_stresses(ig_dyn_model *m, ig_nodal_stress *out);
/* loads.c: the table of loads and supports as they act now. Collective. */
IG_MUST_CHECK ig_status ig_dyn_loads_put(ig_dyn_job *r, ig_sink *to);
IG_MUST_CHECK ig_status ig_dyn_results_write(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_dyn_checkpoint_write(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_dyn_checkpoint_read(void *self, const ig_restart *from);
/* For other programs (ig_sim): fields to read and set, factors of loads and supports. */
bool ig_dyn_field(void *self, int i, ig_room_field *field);
IG_MUST_CHECK ig_status ig_dyn_field_get(void *self, const char *name, double *values);
IG_MUST_CHECK ig_status ig_dyn_field_set(void *self, const char *name, const double *values);
IG_MUST_CHECK ig_status ig_dyn_field_load(void *self, int load, double factor);
IG_MUST_CHECK ig_status ig_dyn_field_support(void *self, int support, double factor);

#endif
