/* The thermal room: what a case says, and the run between its parts. */
#ifndef IG_THERMAL_H
#define IG_THERMAL_H

#include "core/room.h"
#include "thermal/beam.h"
#include "thermal/birth.h"
#include "thermal/heat.h"

/* One entry of `boundary`. */
typedef struct {
  ig_src at;
  ig_texts on; /* face sets; `surface`: the outer surface, whatever it is at the time */
  double temperature, flux, convection, ambient, emissivity; /* NaN: not given */
} ig_thermal_boundary;

typedef struct {
  ig_src at;
  const char *name;
  double point[3], to[3]; /* to: a line of `count` points */
  int64_t count;
} ig_thermal_probe;

typedef struct {
  ig_src at;
  double initial_temperature, ambient;
  double duration, time_step, safety, dwell_change;
  int conduction, surface, latent;
  double body_source;
  ig_list boundary; /* of ig_thermal_boundary */
  ig_list beams;    /* of ig_beam_case */
  ig_birth_case birth;
  ig_list probes; /* of ig_thermal_probe */
  int64_t track_every;
} ig_thermal_case;

extern const ig_option ig_thermal_options[];
extern const ig_verify_entry ig_thermal_verify[];
extern const ig_bench_entry ig_thermal_bench[];

/* A run: the engine and everything around it. */
typedef struct {
  ig_job *job;
  const ig_thermal_case *c;
  ig_heat heat;
  const ig_material_case *material[16];
  uint8_t *material_of;
  ig_beams beams;
  double *birth; /* elements, mesh order; NULL: all there */
  int64_t steps; /* of the whole run */
  int64_t step;  /* written so far */
  int64_t done;  /* given to the device */
  int64_t shown; /* put out */
  double dt;
  int64_t leap;      /* steps to take at once while beams are off */
  int64_t leaping;   /* steps the batch in hand takes at once; 0: plain steps */
  double critical;   /* a step that is stable in a dwell, as the state was last seen, s */
  int64_t leap_done; /* the two as of `done`, for the checkpoint */
  double critical_done;
  int probes;
  struct ig_probe {
    char name[64];
    ig_lid node[8];
    double weight[8];
  } * probe;
  ig_array pick, picked;      /* probes x 8: nodes, their temperatures */
  double layer_z, interlayer; /* path height of the layer in work, m; K, NaN: none yet */
  double melt_most[4];        /* longest, widest, deepest, largest melt pool */
  double asked;               /* by the beams, as of `done`, J */
} ig_thermal_run;

/* Everything before the first step; the same for a run and for a check. */
IG_MUST_CHECK ig_status ig_thermal_open(ig_job *job, ig_thermal_run *run);
void ig_thermal_close(ig_thermal_run *run);
/* Writes a batch: up to `most` steps, fewer where something is due. */
IG_MUST_CHECK ig_status ig_thermal_write(ig_thermal_run *run, int most);
/* Gives it to the device; returns while that works. */
IG_MUST_CHECK ig_status ig_thermal_advance(ig_thermal_run *run);
/* Finds the element each probe is in. */
IG_MUST_CHECK ig_status ig_thermal_probes(ig_thermal_run *run);
/* A row of history.csv. */
IG_MUST_CHECK ig_status ig_thermal_history(ig_thermal_run *run);
/* When the path rises to a new layer: how warm is the last one? */
bool ig_thermal_layer_begins(ig_thermal_run *run, double time);
IG_MUST_CHECK ig_status ig_thermal_interlayer(ig_thermal_run *run, double time);
IG_MUST_CHECK ig_status ig_thermal_snapshot(ig_thermal_run *run);
IG_MUST_CHECK ig_status ig_thermal_results(ig_thermal_run *run);

#endif
