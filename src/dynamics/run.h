/* A run of the room on its way; between the room's own files. */
#ifndef IG_DYNAMICS_RUN_H
#define IG_DYNAMICS_RUN_H

#include "core/schedule.h"
#include "dynamics/dynamics.h"

typedef struct {
  ig_job *job;
  const ig_dyn_case *c;
  ig_dyn_model *m;
  double duration; /* of all dynamic analyses */
  double worst_error;
  double static_error; /* the largest that a static analysis ended with */
  int columns;
  char (*name)[64]; /* of the probes */
  const char **column;
  double *values;
  ig_lid *probe_node;       /* of point probes */
  const ig_set **probe_set; /* of the others */
  double *report;           /* host: elements x IG_DYN_REPORT */
  ig_array moved, fields;   /* device: what snapshots are made of */
  int64_t element_steps;
  int64_t analysis; /* the one under way, and its start */
  double analysis_start;
  bool over; /* that one has reached its end */
} ig_dyn_job;

static inline const ig_dyn_clock *ig_dyn_clock_of(const ig_dyn_job *r) {
  return r->m->clock.host;
}

/* Finds the probes' nodes and names the columns of the history. */
IG_MUST_CHECK ig_status ig_dyn_probes_open(ig_dyn_job *r);
/* A row of the history (`to` NULL: none is written); gives the energies. */
IG_MUST_CHECK ig_status ig_dyn_history_write(ig_dyn_job *r, ig_dyn_energy *e, ig_sink *to);
/* Functions of the room, `self` is an ig_dyn_job. */
IG_MUST_CHECK ig_status ig_dyn_snapshot_write(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_dyn_results_write(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_dyn_checkpoint_write(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_dyn_checkpoint_read(void *self, const ig_restart *from);
/* For other programs. */
bool ig_dyn_field(void *self, int i, ig_room_field *field);
IG_MUST_CHECK ig_status ig_dyn_field_get(void *self, const char *name, double *values);
IG_MUST_CHECK ig_status ig_dyn_field_set(void *self, const char *name, const double *values);
IG_MUST_CHECK ig_status ig_dyn_field_load(void *self, int load, double factor);
IG_MUST_CHECK ig_status ig_dyn_field_support(void *self, int support, double factor);

#endif
