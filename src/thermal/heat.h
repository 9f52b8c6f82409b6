/* The heat engine: a mesh with its births, surfaces, materials and conditions, ready to be stepped
   on any backend. The room around it decides when and what; the engine only knows how.

   Births, steps and sources depend on the toolpath alone, so the host writes them down a batch of
   steps ahead and the device works through the batch without asking. */
#ifndef IG_HEAT_H
#define IG_HEAT_H

#include "assembly/assembly.h"
#include "core/output.h"
#include "material/material.h"
#include "mesh/topology.h"
#include "thermal/heat_types.h"

/* A condition on a set of faces, or on the current outer surface; NaN where not asked for. */
typedef struct {
  const ig_set *faces;  /* NULL: the outer surface, whatever it is at the time */
  double temperature;   /* held at, K */
  double flux;          /* into the body, W/m^2 */
  double h, emissivity; /* W/(m^2 K); 1 */
  double ambient;       /* K */
} ig_heat_condition;

typedef enum { IG_BORN_AMBIENT, IG_BORN_MELT, IG_BORN_INHERITED } ig_heat_newborn;

typedef struct {
  const ig_mesh *mesh; /* hex8 only */
  ig_precision precision;
  ig_assembly assembly;
  ig_slot_form slots;
  ig_heat_conduction conduction;
  ig_heat_surface surface;
  bool enthalpy; /* else apparent capacity, where it is not constant */
  int materials;
  const ig_material_case *const *material;
  const uint8_t *material_of; /* elements, mesh order; NULL: all 0 */
  const double *birth;        /* elements, mesh order, s; NULL: all there from the start */
  int conditions;
  const ig_heat_condition *condition;
  double initial, ambient;  /* K */
  const double *initial_of; /* nodes, K; NULL: all `initial`. Not copied */
  ig_heat_newborn newborn;
  double body; /* W/m^3 */
  int track;   /* steps between looks at every element's past; 0: none is kept */
  bool leaps;  /* steps above the critical one will be asked for */
  bool bare;   /* nobody asks for the outer surface: no births, conditions or beams */
} ig_heat_setup;

/* A run's heat, J: stored - start = source + flux + body + born - convected - radiated - held. */
typedef struct {
  double start, stored;
  double source, flux, body, born;
  double convected, radiated, held;
} ig_heat_ledger;
double ig_heat_ledger_gap(const ig_heat_ledger *l); /* what is missing, J */

struct ig_heat_ops;
struct ig_heat_rows;

/* Sizes of one element: volume and faces as its nodes share them, unit conductivity matrix. */
typedef struct {
  double volume[8], area[6][4], K[36];
} ig_heat_shape;

typedef struct ig_heat {
  const struct ig_heat_ops *ops;
  ig_precision precision;
  ig_heat_conduction conduction;
  ig_heat_surface surface;
  ig_heat_capacity capacity;
  bool constant; /* conductivity depends on nothing but the material */
  bool powder;   /* some material begins as powder */
  int materials;
  ig_lid nodes, elements, face_count;
  double initial, body;
  const double *initial_of; /* the setup's */
  ig_heat_newborn newborn;
  double born_at[16]; /* materials: temperature of newborn elements, K */
  double rate; /* bound of the largest eigenvalue of C^-1 K, 1/s: steps to 2 / rate are stable */
  double rate_state; /* the same where k and c are those of one temperature */
  double film_rate;  /* what films have in both */
  ig_lid limiting;   /* the element (mesh number) that sets it */

  /* births, on the host; elements in birth order */
  ig_lid *order;       /* mesh number of each */
  int events;          /* distinct births, the start among them */
  double *event_time;  /* s; the start: -infinity */
  ig_lid *event_start; /* events + 1 */
  ig_lid never;        /* elements that no birth reaches: at the end of the order */

  /* shapes and neighbours, on the host */
  const double *point; /* nodes x 3, the mesh's */
  double *held;        /* nodes: temperature they are held at, NaN: free; NULL: none is */
  ig_classes classes;  /* count 0: shapes are worked out when asked for */
  ig_heat_shape *class_shape;
  ig_csr around;       /* elements at each node */
  ig_lid *neighbor;    /* elements x 6, -1: none */
  uint8_t *kind;       /* elements x 6: surface class where exposed */
  uint8_t *exposed;    /* elements x 6: surface class now, 0 covered */
  int surface_classes; /* class 0: nothing happens */
  double (*surface_class_of)[5];
  uint32_t class_mask[256]; /* conditions that act in each */
  void *material_tables;    /* materials: heat_material_f64 */
  double *capacity_low;     /* materials: rho c at the initial temperature */
  double *conductivity;     /* materials: k at the initial temperature */
  ig_lid *face_start;       /* events + 1: faces in birth order */
  struct ig_heat_rows *row_book;

  /* on the device */
  ig_plan elems, faces;
  ig_array x, T, T_next, R, slots, face_slots, H, volume, inverse, film, body_power;
  ig_array material, solid, shape, K, work_materials, state_materials;
  ig_array death, face_class, surface_class, face_ledger, node_ledger;
  ig_array row, rows;
  ig_array track; /* track columns x elements */
  ig_array patch, patch_value, source_node, source_power, steps, survey;
  ig_array base, base_rate, previous; /* of leaps */
  ig_array met;                       /* CUDA: meetings of the resident grid */
  ig_array special;                   /* CUDA: how many nodes are of no bulk, and which */
  int32_t special_rows[4];            /* the bulks, when the list was made */
  bool special_known;                 /* as rows are now */

  int track_every;
  double track_time;   /* s since the last look */
  int unlooked;        /* steps since */
  int resident_blocks; /* CUDA: that stay on the GPU for a whole batch */
  bool resident;       /* batches are run that way */

  /* the batch in hand, on the host */
  ig_heat_range now;  /* as the device has it */
  ig_heat_range next; /* after the births in the batch */
  int step_count, step_room;
  ig_heat_step *step, open; /* open: the step being written */
  int32_t patch_count, source_count, list_count;
  int32_t held_count;   /* patches before all steps: held nodes that take a new temperature */
  bool powers_given;    /* some of its watts come from the host */
  double start_content; /* J */
  double totals[4];     /* as saved: start content, steps, time and steps since a look */
  double time;
  int64_t steps_done;
  double element_steps;
} ig_heat;

IG_MUST_CHECK ig_status ig_heat_new(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h);
/* The fastest form of conduction that fits: stencil, else classes, else recompute. */
IG_MUST_CHECK ig_status ig_heat_new_fastest(ig_ctx *cx, ig_heat_setup *setup, ig_heat *h);
void ig_heat_free(ig_ctx *cx, ig_heat *h);
/* The start: what is there from the start has the initial temperature, and so have all nodes of
   elements that are not born yet; elements with a birth up to time 0 are born on top of it. */
IG_MUST_CHECK ig_status ig_heat_begin(ig_ctx *cx, ig_heat *h);
/* Elements born up to `time` are there, all at the initial temperature: for a checkpoint, whose
   temperatures follow, and for benchmarks. */
IG_MUST_CHECK ig_status ig_heat_begin_at(ig_ctx *cx, ig_heat *h, double time);

/* New values of the conditions the engine was made with, in their order, and of the ambient that
   elements are born at; before the first step of a batch. */
IG_MUST_CHECK ig_status ig_heat_conditions_set(ig_ctx *cx, ig_heat *h,
                                               const ig_heat_condition *condition, int count,
                                               double ambient);

/* Writing a batch: births due by a time, then sources, then the step that uses them. */
IG_MUST_CHECK ig_status ig_heat_batch_births(ig_ctx *cx, ig_heat *h, double time);
/* A node is given power once a step at most. A step takes either such watts or those of one list:
   a list of nodes, rising, for any number of steps, and room for watts that somebody computes on
   the device before the batch runs. */
IG_MUST_CHECK ig_status ig_heat_batch_source(ig_ctx *cx, ig_heat *h, ig_lid node, double power);
IG_MUST_CHECK ig_status ig_heat_batch_list(ig_ctx *cx, ig_heat *h, const ig_lid *nodes,
                                           int32_t count, int32_t *list);
IG_MUST_CHECK ig_status ig_heat_batch_powers(ig_ctx *cx, ig_heat *h, int32_t list, int32_t count,
                                             int32_t *first);
bool ig_heat_batch_full(const ig_heat *h); /* better run it now */
IG_MUST_CHECK ig_status ig_heat_batch_step(ig_ctx *cx, ig_heat *h, double dt);
/* A step of any length, in about 2 sqrt(dt / critical) stages, each the work of a plain step; for
   smooth fields, without sources. `critical`: a step that is stable now. */
enum { IG_HEAT_STAGES = 101 };
IG_MUST_CHECK ig_status ig_heat_batch_leap(ig_ctx *cx, ig_heat *h, double dt, double critical);
/* Runs what was written, and clears it. */
IG_MUST_CHECK ig_status ig_heat_batch_run(ig_ctx *cx, ig_heat *h);

/* Temperatures on the host, whatever the precision of the state. T: nodes */
IG_MUST_CHECK ig_status ig_heat_temperatures(ig_ctx *cx, ig_heat *h, double *T);
IG_MUST_CHECK ig_status ig_heat_set_temperatures(ig_ctx *cx, ig_heat *h, const double *T);
/* Sums and extremes over everything there; the host sees only those. */
IG_MUST_CHECK ig_status ig_heat_ask(ig_ctx *cx, ig_heat *h, const ig_heat_question *q,
                                    ig_heat_survey *found);
ig_heat_ledger ig_heat_ledger_of(const ig_heat *h, const ig_heat_survey *s);
IG_MUST_CHECK ig_status ig_heat_ledger_read(ig_ctx *cx, ig_heat *h, ig_heat_ledger *ledger);
/* The state for a checkpoint: host memory of the engine's own, good until it steps on. */
enum { IG_HEAT_SAVED = 12 };
IG_MUST_CHECK ig_status ig_heat_save(ig_ctx *cx, ig_heat *h, ig_saved *saved, int *count);
IG_MUST_CHECK ig_status ig_heat_restore(ig_ctx *cx, ig_heat *h, const ig_restart *restart);
/* Bytes a step must move, every array counted once. */
double ig_heat_step_bytes(const ig_heat *h);
/* Heat content at temperature T of the elements born since the start, J. */
double ig_heat_born_content(const ig_heat *h, double T);
/* Volume and outer area of what is there. */
void ig_heat_measure(const ig_heat *h, double *volume, double *area);

/* Corners of element e (birth order), in binary order; VTK's corner -> binary, and back. */
static inline const ig_lid *ig_heat_conn(const ig_heat *h, ig_lid e) {
  return (const ig_lid *)h->elems.conn.host + 8 * (int64_t)e;
}
extern const int ig_heat_corner[8];
/* Arrays written on the host from the start each batch: room for item `count`; and the first
   `count` of them to the device. */
IG_MUST_CHECK ig_status ig_heat_room(ig_ctx *cx, ig_array *a, size_t count, size_t size);
IG_MUST_CHECK ig_status ig_heat_push(ig_ctx *cx, ig_array *a, size_t count);
/* Sizes of an element (birth order); `room` holds them, without K, where classes are not kept. */
const ig_heat_shape *ig_heat_shape_of(const ig_heat *h, ig_lid e, ig_heat_shape *room);

#endif
