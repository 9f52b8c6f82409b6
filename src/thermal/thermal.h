/* The thermal room: transient heat of a part while it is printed. This header has the case as the
   options table reads it (ig_thermal_case), the run between set-up and results (ig_thermal_run),
   and the functions that the room's files give each other.

   Layers of the room, each knows only those below it:

        thermal.c           the table of functions that the time loop calls (ig_room)
        case/               keys of a case, time steps, output: all that has a unit or a file
        source/             beams, births and fields of files: what the toolpath decides
        engine/             the heat engine: state, batches, ranks (read heat.h first)
        kernels/            one step on a CPU or a GPU

   Beside them adjoint/: a run backward, for gradients (run/gradient.c).

   The toolpath alone decides where heat goes and which elements exist; temperatures never do. So a
   run writes steps ahead of the device. Three counters say how far it is:

        done <= step <= steps       given to the device; written into a batch; of the whole run

   Values of a case are in SI units from here on: the options table converts them. */
#ifndef IG_THERMAL_H
#define IG_THERMAL_H

#include "core/schedule.h"
#include "scan/hatch.h"
#include "thermal/source/beam.h"
#include "thermal/source/birth.h"
#include "thermal/engine/heat.h"

/* One entry of `from` of a boundary: the fields of one file, which hold at one time. Between the
   times of two entries values are interpolated linearly. */
typedef struct {
  ig_src at;
  double time;
  const char *file;
  const char *temperature, *flux, *convection, *ambient; /* names of fields, NULL: not given */
} ig_thermal_given;

/* One entry of `boundary`. */
typedef struct {
  ig_src at;
  ig_texts set; /* face sets; `surface`: the outer surface, whatever it is at the time */
  ig_table temperature, flux, convection, ambient; /* over time */
  double emissivity;                               /* NaN: not given */
  bool evaporation;                                /* what is molten there loses heat as vapour */
  ig_list from;                                    /* of ig_thermal_given, in order of time */
} ig_thermal_boundary;

/* What a boundary can take from the fields of files. The order is that of ig_thermal_given's names
   and of `kinds` in boundary_fields.c. */
enum { IG_GIVEN_TEMPERATURE, IG_GIVEN_FLUX, IG_GIVEN_H, IG_GIVEN_AMBIENT, IG_GIVEN_KINDS };
/* Values of a boundary that come from files: at its nodes for each file, and interpolated for the
   step in hand. Filled by ig_thermal_fields_read on the whole mesh; ig_thermal_fields_part reduces
   the arrays to the nodes of this rank's part. */
typedef struct {
  int times;
  ig_lid count, *node;           /* nodes of its faces */
  double *value[IG_GIVEN_KINDS]; /* times x count; NULL: not given */
  double *now[IG_GIVEN_KINDS];   /* nodes of the mesh */
  /* number of the file plus the share of the way to the next one (ig_thermal_fields_moment). The
     engine compares it to find out whether values have changed */
  double moment;         /* of `now` */
  double some, steepest; /* a temperature; the largest convection; of all its nodes */
} ig_thermal_fields;

/* One entry of `initial`: a temperature, or another run's snapshot. */
typedef struct {
  ig_src at;
  /* node, face or element set */
  const char *set; /* NULL: everywhere */
  double temperature;
  const char *file, *field;
} ig_thermal_initial;

typedef struct {
  ig_src at;
  const char *name;
  /* one point, or the ends of a line of probes, m */
  double point[3], to[3]; /* to: a line of `count` points */
  int64_t count;
} ig_thermal_probe;

typedef struct {
  ig_src at;
  double initial_temperature;
  ig_table ambient; /* over time */
  /* s; s, NaN: safety x critical step; share of the critical step; K that a long step may change a
     temperature by while all beams are off, NaN: no long steps */
  double duration, time_step, safety, dwell_change;
  /* conduction, surface: 0 auto, else 1 + the engine's enum (heat_types.h); latent: 0 enthalpy,
     1 apparent */
  int conduction, surface, latent;
  int step_limit;  /* 0: tables, 1: state */
  ig_list initial; /* of ig_thermal_initial */
  /* W/m^3, everywhere and always */
  double body_source;
  ig_list boundary; /* of ig_thermal_boundary */
  ig_hatch_case hatch;
  ig_list beams; /* of ig_beam_case */
  ig_birth_case birth;
  ig_list probes; /* of ig_thermal_probe */
  /* steps between looks at the past of elements (peaks, melting, cooling rates) */
  int64_t track_every;
  int exaca;            /* IG_THERMAL_EXACA_* */
  double anisotropy[3]; /* conductivity along x, y, z over the material's */
} ig_thermal_case;

enum { IG_THERMAL_EXACA_NONE, IG_THERMAL_EXACA_TEXT, IG_THERMAL_EXACA_BINARY };

/* Options and fields of snapshots: the room's tables. */
extern const ig_option ig_thermal_options[];
#define IG_THERMAL_FIELDS "T|T_peak|time_above_liquidus|melts|cooling_rate|G|R|birth|powder"
#define IG_THERMAL_FIGURES                                                                         \
  "T_min|T_max|T_peak|stored|source|beam|beam_sent|beam_missed|beam_reflected|flux|body|born|"     \
  "born_above_ambient|convected|radiated|held|evaporated|energy_gap|volume|surface|time_step|"     \
  "critical_step|evaluations|time_above_liquidus_max|melt_length*_max|melt_width*_max|"            \
  "melt_depth*_max|melt_volume*_max|interlayer_last|events"

/* What a checkpoint holds of a run beside the engine's state, doubles throughout. */
typedef struct {
  double layer_z, interlayer; /* path height of the layer in work, m; K, NaN: none yet */
  double sent, asked, met;    /* of the beams so far (ig_beams), J */
  /* as in ig_thermal_run */
  double leap, wait, critical;
  double dt; /* s */
} ig_thermal_kept;

/* Limit of the engine: the conditions that act on a face are bits of an uint32_t (ig_heat_faces).
 */
enum { IG_THERMAL_CONDITIONS = 32 };

/* A run: the engine and everything around it. Opened by ig_thermal_open, which also makes the
   engine; closed by ig_thermal_close, also after a failure. `job` (mesh, context, schedule) and `c`
   belong to the caller.

   Where beams are off for long ("dwell"), steps are merged: `leap` counts plain steps up from a
   negative number to SHORTEST_LEAP (advance.c), then says how many steps to take at once. The size
   of a long step follows from how far temperatures went in the last one. */
typedef struct {
  ig_job *job;
  const ig_thermal_case *c;
  ig_heat heat;
  const ig_material_case *material[16];
  /* elements of the mesh: index into `material`; NULL: all 0 */
  uint8_t *material_of;
  ig_beams beams;
  /* conditions as they are now, the entry of `boundary` each is from; ambient, K; steps that values
     hold for, 0: for good */
  int conditions, condition_of[IG_THERMAL_CONDITIONS];
  ig_heat_condition condition[IG_THERMAL_CONDITIONS];
  ig_thermal_fields *fields; /* entries of `boundary`; NULL: none has fields */
  double ambient;
  int64_t hold;
  double *birth;   /* elements, mesh order; NULL: all there */
  ig_lid unborn;   /* elements whose birth is due after the end */
  bool divides;    /* births within a step divide it */
  double *initial; /* nodes, K; NULL: all at the initial temperature */
  int64_t steps;   /* of the whole run */
  int64_t step;    /* written so far */
  int64_t done;    /* given to the device */
  /* done <= step <= steps, see the head */
  int64_t before; /* evaluations of runs that this one continues */
  int most;       /* steps in a batch */
  double dt;
  int64_t leap;    /* steps to take at once while beams are off; plain ones count it up */
  int64_t wait;    /* plain steps after a long one that went too far */
  int64_t leaping; /* steps the batch in hand takes at once; 0: plain steps */
  double rate;     /* the largest that steps are made for, 1/s: 2 / rate is the critical step */
  double critical; /* a step that is stable in a dwell, as the state was last seen, s */
  int probes;
  struct ig_probe {
    char name[64];
    ig_lid node[8];
    double weight[8];
  } * probe;
  /* a probe is a mean of the eight nodes of its element, by their shape functions */
  ig_array pick, picked;      /* probes x 8: nodes of the part, their temperatures */
  double layer_z, interlayer; /* path height of the layer in work, m; K, NaN: none yet */
  bool step_warned;           /* of a step above what the state surely allows */
  int pools;                  /* melt pools in rows of history: one per beam, then all as one */
  double (*melt_most)[4];     /* pools: longest, widest, deepest, largest */
  ig_thermal_kept as_done;    /* as of `done` */
  /* of this rank's elements, since the start: what `exaca` makes events of */
  ig_heat_crossing *crossing;
  int64_t crossings, crossings_room;
  double *factor; /* entries of `boundary`: see ig_thermal_support; NULL: none is changed */
} ig_thermal_run;

/* A step of the run, as the schedule sees it. */
static inline ig_moment ig_thermal_moment(const ig_thermal_run *run, int64_t step) {
  return (ig_moment){step, (double)step * run->dt};
}

/* --- model.c: everything before the first step; the same for a run and for a check */

/* Also for `ingot check`. Close the run also after a failure. */
IG_MUST_CHECK ig_status ig_thermal_open(ig_job *job, ig_thermal_run *run);
/* The same; `elements`: conduction by elements, not by rows, as the adjoint needs it. */
IG_MUST_CHECK ig_status ig_thermal_open_for(ig_job *job, ig_thermal_run *run, bool elements);
void ig_thermal_close(ig_thermal_run *run);
/* Frees what only set-up needs of the whole mesh. Called once, after everything is made and, in a
   check, after warnings that look at the mesh. On one rank it does nothing. */
void ig_thermal_drop(ig_thermal_run *run);

/* --- paths.c: where the beams go */

/* One per beam. Free them, also after a failure. */
IG_MUST_CHECK ig_status ig_thermal_paths(ig_ctx *cx, const ig_thermal_case *c, ig_toolpath *paths);
/* The same for `ingot path`: a function of the room. */
IG_MUST_CHECK ig_status ig_thermal_path(ig_ctx *cx, const void *room_case, int beam,
                                        ig_toolpath *path);

/* --- boundary_history.c: boundary values over time */

/* Conditions and their sets from the case, without values; all at a time; with the largest
   convection of all times, which bounds the step. */
IG_MUST_CHECK ig_status ig_thermal_conditions(ig_thermal_run *run);
void ig_thermal_conditions_at(const ig_thermal_run *run, double time, ig_heat_condition *c);
void ig_thermal_conditions_steepest(const ig_thermal_run *run, ig_heat_condition *c);
double ig_thermal_ambient(const ig_thermal_run *run, double time);
/* For how many steps values hold; whether they change with `step`; taking them over; how many steps
   of the coming `most` have the values of `step`. */
void ig_thermal_surroundings_start(ig_thermal_run *run);
bool ig_thermal_surroundings_change(const ig_thermal_run *run, int64_t step);
IG_MUST_CHECK ig_status ig_thermal_surroundings_set(ig_thermal_run *run, int64_t step);
int64_t ig_thermal_surroundings_ahead(const ig_thermal_run *run, int64_t step, int64_t most);

/* --- boundary_fields.c: boundary values from files */

/* Reads the fields of entry i of `boundary`, for the faces of `set` (NULL: all nodes). */
IG_MUST_CHECK ig_status ig_thermal_fields_read(ig_thermal_run *run, int i);
/* Where between the files' times `time` is: their number, and the share of the way to the next. */
double ig_thermal_fields_moment(const ig_thermal_run *run, int i, double time);
/* Points a condition at the values of entry i; takes those of `moment`; its largest convection. */
void ig_thermal_fields_condition(const ig_thermal_run *run, int i, ig_heat_condition *c);
void ig_thermal_fields_set(ig_thermal_run *run, int i, double moment);
double ig_thermal_fields_steepest(const ig_thermal_run *run, int i);
void ig_thermal_fields_free(ig_thermal_run *run);
/* Conditions and their values become those of the part, once the engine is made: from then on
   faces and nodes are as the part counts them. */
IG_MUST_CHECK ig_status ig_thermal_fields_part(ig_thermal_run *run);

/* --- initial.c: temperatures at the start, where `initial` gives them */

/* Coordinates of nodes: count x 3; free it. */
IG_MUST_CHECK ig_status ig_thermal_places(ig_ctx *cx, const ig_mesh *mesh, const ig_lid *node,
                                          ig_lid count, double **place);

/* Fills run->initial from the case's `initial`, entry after entry: later ones override earlier
   ones. Leaves it NULL where the case has none. */
IG_MUST_CHECK ig_status ig_thermal_initials(ig_thermal_run *run);

/* --- probe.c: the element each probe is in */

IG_MUST_CHECK ig_status ig_thermal_probes(ig_thermal_run *run);
/* After a survey: the temperatures that it has picked, of all ranks. */
IG_MUST_CHECK ig_status ig_thermal_probes_read(ig_thermal_run *run);

/* --- advance.c: batches of steps */

/* Whether births divide steps of this length. */
void ig_thermal_births_start(ig_thermal_run *run);
/* Births up to this time have happened when `step` steps are made, s. */
double ig_thermal_births_until(const ig_thermal_run *run, int64_t step);
/* Plain steps before the first long one of a dwell. */
enum { IG_THERMAL_FIRST_WAIT = 8 };
/* Energy of a path, J, and how much of it falls beside the part seen from above, `reach` around it
   counted as the part, or passes more than `above` over it; where that first happens. */
IG_MUST_CHECK ig_status ig_thermal_beam_land(ig_ctx *cx, const ig_mesh *mesh,
                                             const ig_toolpath *path, double reach, double above,
                                             double *all, double *nowhere, double first[3]);
/* Events, where the case asks for them: whether they can be had; what a batch has added; all of all
   ranks as rows of four numbers, which the caller frees, and from them; the file. */
IG_MUST_CHECK ig_status ig_thermal_exaca_check(const ig_thermal_run *run);
IG_MUST_CHECK ig_status ig_thermal_exaca_drain(ig_thermal_run *run);
IG_MUST_CHECK ig_status ig_thermal_exaca_keep(ig_thermal_run *run, double **rows, int64_t *count);
IG_MUST_CHECK ig_status ig_thermal_exaca_take(ig_thermal_run *run, const double *rows,
                                              int64_t count);
IG_MUST_CHECK ig_status ig_thermal_exaca(ig_thermal_run *run, ig_sink *sink);
/* Looks, at the step to be written next, whether a layer begins, and how warm the last one is. */
IG_MUST_CHECK ig_status ig_thermal_layer_look(ig_thermal_run *run);
/* Writes a batch: up to `most` steps, fewer where something is due. A long step is taken whole,
   even if it is more; `plain`: none is written (the caller may stop before it). */
IG_MUST_CHECK ig_status ig_thermal_write(ig_thermal_run *run, int64_t most, bool plain);
/* Gives it to the device; returns while that works. */
IG_MUST_CHECK ig_status ig_thermal_advance(ig_thermal_run *run);
/* Notes what a checkpoint needs that writing ahead changes. */
void ig_thermal_note(ig_thermal_run *run);

/* --- output.c, snapshot.c */

/* Whether this run has the fields that the case names. */
IG_MUST_CHECK ig_status ig_thermal_fields_check(const ig_thermal_run *run);

/* A row of history.csv, a snapshot, a checkpoint and what was in one, the final figures: functions
   of the room, `self` is an ig_thermal_run. */
IG_MUST_CHECK ig_status ig_thermal_history(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_thermal_snapshot(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_thermal_save(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_thermal_restore(void *self, const ig_restart *from);
IG_MUST_CHECK ig_status ig_thermal_results(void *self, ig_sink *to);

/* --- fields.c: for other programs; functions of the room */

/* The i-th field that programs may read or set; false: there are no more. */
bool ig_thermal_field(void *self, int i, ig_room_field *field);
IG_MUST_CHECK ig_status ig_thermal_get(void *self, const char *name, double *values);
IG_MUST_CHECK ig_status ig_thermal_set(void *self, const char *name, const double *values);
/* Multiplies the temperature or the flux that an entry of `boundary` prescribes. */
IG_MUST_CHECK ig_status ig_thermal_support(void *self, int support, double factor);
IG_MUST_CHECK ig_status ig_thermal_load(void *self, int load, double factor);

#endif
