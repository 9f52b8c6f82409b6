/* The heat engine: transient heat conduction in a body that grows element by element.

   It advances   rho c(T) dT/dt = div(k(T) grad T) + q   by explicit steps, with q from beams and
   body sources, and on faces a prescribed temperature, a flux, convection and radiation. Elements
   are hexahedra of eight nodes ("cells", heat_cells.h: other shapes are one or several of them with
   nodes that coincide). Capacity is lumped at nodes, so a step needs no linear system. Steps above
   the critical one are taken in stages (ig_heat_stage).

   The room around the engine decides when and what; the engine knows how. Births, sources and steps
   depend on the toolpath, never on temperatures. So the host writes a batch of steps ahead, and the
   device works through it without asking.

   Data. All of it is this rank's part of the mesh.

     cells    elements, numbered as they are born: those that are there are the first
              `now.elements`. elems.conn (x 8), material.of, face.neighbor (x 6), past.track
     nodes    numbered as in the part's mesh: node.T [K], node.H [J] where heat content is the
              state, node.R [W] what flows in, node.inverse [K/J], node.volume [m^3] of each
              material, node.film, node.ledger [J]
     faces    where `surface` sums over faces: those that can be bare, in birth order
     rows     stencil form: classes of alike nodes, whose coefficients replace the elements
     events   the distinct births of the whole mesh, the same on all ranks (ig_heat_births)
     batch    steps, patches (nodes that change with a birth), watts and the nodes they go to

   The engine owns its arrays. The setup's mesh, materials, initial temperatures and conditions
   belong to the caller and must outlive it. What makes up the state (T, H, ledgers, past, powder)
   is registered in heat_arrays.c: checkpoints, fields for programs and exchanges follow from that.

   A part. A rank owns nodes. Its part has every element that touches one of them; the other nodes
   of these elements are ghosts, which their owners compute. Numbers of a part rise with those of
   the whole mesh, and every sum is taken in the order of the whole: any number of ranks gives the
   same bits. One rank's part is the mesh itself: `part` is then without lists, ghosts and messages,
   and cell_of, node_of are NULL. Ranks exchange values in heat_part*.c, heat_run.c, beam_part.c and
   snapshot.c; the rest of the code sees a mesh, and hardly asks how many ranks there are.

   A batch, on the host:          ig_heat_batch_births, _source or _list and _powers, _step; again
   ig_heat_batch_run, then:
     1  nodes that inherit from another rank's node, to all ranks                   batch_share
     2  patches, rows and watts to the device                                       batch_push
     3  prescribed temperatures that have changed                                   ops->patch
     and for each step:
     4  births before it: inherited temperatures from other ranks, patches, ghosts  step_births
     5  watts, conduction of cells and films of faces, summed at nodes in R         ops->steps
     6  each node: lumped films, ledger, then H or T from R                         ops->steps
     7  ghosts travel; cells without ghosts do 5 of the next step meanwhile         step_exchange
     8  powder that is molten through becomes solid                                 ops->melt
     9  where a look is due: peaks, melting and cooling of each cell                ops->track
   On one rank steps without births or looks between them are one call of ops->steps, which does 5,
   6 and 8; a GPU may run the whole batch in one launch (ops->resident).

   Calls: ig_heat_new; ig_heat_begin, or ig_heat_begin_at and ig_heat_restore; then batches; in
   between ig_heat_ask (sums and extremes), ig_heat_temperatures, ig_heat_save; ig_heat_free. On
   several ranks all ranks make the same calls in the same order. The engine may not be moved once
   it is made. */
#ifndef IG_HEAT_H
#define IG_HEAT_H

#include "assembly/assembly.h"
#include "assembly/cluster.h"
#include "core/output.h"
#include "material/material.h"
#include "mesh/topology.h"
#include "ranks/partition.h"
#include "thermal/engine/heat_types.h"

/* A boundary condition on a set of faces, or on whatever is the outer surface at the time. Several
   parts of it may be given at once: flux, convection and radiation add up; a prescribed temperature
   overrides them at its nodes. A number is NaN where it is not given. */
typedef struct {
  const ig_set *faces;  /* NULL: the outer surface, whatever it is at the time */
  double temperature;   /* held at, K */
  double flux;          /* into the body, W/m^2 */
  double h, emissivity; /* W/(m^2 K); 1 */
  double ambient;       /* K */
  bool boils;           /* what is molten evaporates */
  /* where not NULL, the same node by node; the number above is then any that is not NaN, of h the
     largest. Not copied. `moment` differs where they have changed */
  const double *temperature_of, *flux_of, *h_of, *ambient_of;
  double moment;
} ig_heat_condition;

/* Temperature of newborn elements: the ambient; the liquidus of their material; that of the nearest
   node which was there before (ig_heat_donor). The first two bring heat of their own, which the
   ledger counts as `born`. */
typedef enum { IG_BORN_AMBIENT, IG_BORN_MELT, IG_BORN_INHERITED } ig_heat_newborn;

typedef struct {
  /* Everything ig_heat_new needs. Pointers belong to the caller and must outlive the engine, unless
     a comment says otherwise. */
  const ig_mesh *mesh; /* of elements that heat_cells.h knows */
  ig_precision precision;
  ig_assembly assembly;
  /* of assembly `gather`: where elements put their contributions (assembly.h) */
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
  double body;                  /* W/m^3 */
  int track;                    /* steps between looks at every element's past; 0: none is kept */
  bool crossings;               /* all meltings and solidifications are listed */
  const ig_table *absorptivity; /* of watts over their node's temperature; NULL: watts are heat */
  bool no_rows;                 /* not the stencil form, where a form is chosen */
  bool leaps;                   /* steps above the critical one will be asked for */
  bool bare;            /* nobody asks for the outer surface: no births, conditions or beams */
  double until;         /* when the run ends, s; 0: not known. For weights of parts */
  int cluster;          /* assembly `cluster`: elements of one at most; 0: what suits the kernels */
  double anisotropy[3]; /* conductivity along x, y, z over the material's; all 0: 1 */
} ig_heat_setup;

/* The heat balance of a run, J. Exact arithmetic would give

        stored - start = source + flux + body + born - convected - radiated - evaporated - held

   Every term is summed node by node while the steps are made, in double precision, so the gap that
   remains is rounding; with apparent capacity also the change of c(T) within a step. */
typedef struct {
  double start, stored;
  double source, flux, body, born;
  double convected, radiated, evaporated, held;
} ig_heat_ledger;
double ig_heat_ledger_gap(const ig_heat_ledger *l); /* what is missing, J */

struct ig_heat_ops;
struct ig_heat_rows;

/* Sizes of one element: volume and faces as its nodes share them, unit conductivity matrix. */
typedef struct {
  double volume[8], area[6][4], K[36];
} ig_heat_shape;

/* Births. Elements are numbered in the order in which they are born. Events are those of the whole
   mesh on every rank; one that brings nothing to a part has an empty range of its elements. */
typedef struct {
  ig_lid *order;    /* elements: the mesh's element of each */
  const double *of; /* elements of the mesh: s; the setup's, or the part's copy; NULL: all there */
  int events;       /* distinct births, the start among them */
  double *time;     /* events: s; the start: -infinity */
  ig_lid *start;    /* events + 1: first element of each */
  ig_lid *whole;    /* events + 1: the same in the whole mesh; one rank: `start` itself */
  ig_lid *mesh;     /* events + 1: elements of the whole mesh, not cells of it, before each */
  ig_lid never;     /* elements that no birth reaches: at the end of the order */
} ig_heat_births;

typedef struct {
  int count;
  bool constant;        /* conductivity depends on nothing but the material */
  bool powder;          /* some material begins as powder */
  double born_at[16];   /* temperature of newborn elements, K */
  void *table;          /* heat_material_f64 of each */
  double *capacity;     /* rho c at the initial temperature, J/(m^3 K) */
  double *conductivity; /* at the initial temperature, W/(m K) */
  ig_array work, state; /* tables for element work; for nodes, where that differs */
  ig_array absorb;      /* table of absorptivity for nodes; none: watts are heat */
  ig_array of;          /* elements: material */
  ig_array solid;       /* elements: 1 once molten or never powder; none: no powder */
} ig_heat_materials;

typedef struct {
  ig_classes classes; /* count 0: shapes are computed when asked for */
  ig_heat_shape *of_class;
  /* K: symmetric 8 x 8 matrix of unit conductivity, lower triangle: a (a + 1) / 2 + b for b <= a */
  ig_array class_of, K; /* on the device: elements; classes x 36 */
} ig_heat_shapes;

/* Faces: of elements (x 6), and the list of those that can be bare, in birth order. A class is a
   set of conditions that act on a face together. */
typedef struct {
  ig_lid *neighbor; /* elements x 6, -1: none */
  uint8_t *kind;    /* elements x 6: class where bare */
  uint8_t *exposed; /* elements x 6: class now, 0 covered */
  int classes;      /* class 0: nothing happens */
  heat_film_f64 *film;
  uint32_t mask[256];              /* conditions that act in each class */
  bool varies[256];                /* its film differs from node to node */
  ig_heat_condition condition[32]; /* as they are now */
  int conditions;
  double ambient;       /* K */
  ig_array work_film;   /* the classes' films for element work */
  ig_lid count, *start; /* listed faces; events + 1: where those of an event begin */
  ig_plan plan;
  /* death: the event whose elements cover the face, INT32_MAX: never; ledger: x 3, J, flux,
     convected and radiated; slots: of assembly `gather` */
  ig_array death, class_of, ledger, slots; /* listed faces */
} ig_heat_faces;

/* Nodes: what they are made of, their state, what flows into them. */
typedef struct {
  const double *point;      /* x 3, the mesh's, m */
  double initial;           /* K */
  const double *initial_of; /* the setup's */
  double *held;             /* temperature they are held at, NaN: free; NULL: none is */
  ig_csr around;            /* elements at each */
  bool repeated;            /* some element has a node twice */
  /* Arrays on the device, in the precision of the state (x and nothing else: of element work). x: x
     3, m, only where something needs it. T_next: stencil form only, which reads one copy and writes
     the other; a step swaps the two. R: W into each node, zero between steps. H: only with
     enthalpy. volume: x materials, m^3. inverse: 1 / capacity; its sign says what a node is: > 0
     free, 0 not there or a ghost, < 0 prescribed temperature. film, body: only where they are used.
     ledger: x IG_LEDGER_COLUMNS, always double. */
  ig_array x, T, T_next, R, slots, H, volume, inverse, film, body, ledger;
  ig_array evaporated; /* J, double; only where something evaporates */
  ig_array filmed; /* 1 where the film does something: most nodes have none, and need not read it */
  /* Runge-Kutta-Legendre stages need the state at the start, its rate there, and the stage before
     the last one */
  ig_array base, base_rate, previous; /* of long steps */
} ig_heat_nodes;

/* Assembly `cluster`: the clusters; materials and classes of elements in their order. */
typedef struct {
  ig_clusters of;
  ig_array material, shape;
} ig_heat_clusters;

/* Assembly `gather` on a CPU. Slots lie corner after corner, those of corner a of all elements side
   by side, so that elements on end write on end; `list` names those of each node, in the order of
   elements, from first[n] of the plan on. How many elements or nodes follow each other, from each
   one on, up to 255: elements of one class and material, whose nodes are those of the one before
   plus one; nodes whose slots are. In a grid most do, and are loaded and stored as vectors. */
enum { IG_HEAT_NODE_BLOCK = 1024 };
typedef struct {
  ig_array element, node, list;
  ig_array span, done; /* blocks of nodes: their first and last element; whether they are done */
} ig_heat_runs;

/* Stencil form: rows of nodes; what drivers derive from them, anew after births: CUDA nodes that
   have no row deep inside a grid, the CPU runs of alike nodes. */
typedef struct {
  struct ig_heat_rows *book;
  ig_array of, row;    /* nodes: row; rows */
  ig_array bulk;       /* rows deep inside a grid of boxes, ordered for speed */
  ig_array border;     /* of a part: its own nodes with a ghost beside them, rising */
  ig_lid border_nodes; /* how many they are */
  ig_lid low, high;    /* of a part whose ghosts are its first and last nodes: how many; else -1 */
  int ahead, taken;    /* CPU, of a part: steps of a pass that are done where no ghost reaches,
                          and how many of them are whole */
  ig_array special;    /* how many nodes are of no bulk, and which */
  ig_array mask;       /* columns of the bulks' marches: which nodes of them are theirs */
  int32_t special_rows[4];             /* the bulks, when list and masks were made */
  int32_t march_low[4], march_high[4]; /* their lowest and highest nodes, then */
  int march_planes;                    /* planes in a slab of a march, then */
  ig_lid special_nodes;                /* how many nodes there were, then */
  bool special_known;                  /* as rows are now */
  ig_array alike; /* CPU: how many nodes from each on have one row, up to 255 */
} ig_heat_row_arrays;

/* Of a rank's part: a step in two phases. What needs no ghost is computed while these travel, the
   rest once they are there. */
typedef enum { IG_HEAT_ALL, IG_HEAT_EARLY, IG_HEAT_LATE } ig_heat_phase;

/* What is kept of the elements' past. */
typedef struct {
  ig_array track; /* track columns x elements */
  /* crossings since the list was emptied, in any order; how many, also of those that found no room.
     Elements of borders are in the lists of all ranks that compute them */
  ig_array crossing, crossings;
  int every;   /* steps between looks; 0: none is kept */
  double time; /* s since the last look */
  int steps;   /* since the last look */
} ig_heat_past;

/* CUDA, small models: batches run by one grid that stays on the GPU. */
typedef struct {
  bool on;
  int blocks;
  ig_array met; /* arrivals at meetings of the grid */
  /* of each block, from halo_start on, rising: nodes of others beside its own; the most a block has
   */
  ig_array halo, halo_start;
  int32_t halo_most;
  ig_array relay; /* 2 x nodes: temperatures with the number of their step, for those beside */
} ig_heat_resident;

/* The batch in hand, written on the host. */
typedef struct {
  int step_count, step_capacity;
  ig_heat_step *step, open; /* open: the step being written */
  int32_t patch_count, source_count, list_count;
  int32_t held_count; /* patches before all steps: held nodes that take a new temperature */
  int sourced;        /* steps with watts of a list, however many these are */
  bool powers_given;  /* some of its watts come from the host */
  ig_array patch, patch_volume, source_node, source_power, steps;
} ig_heat_batch;

/* Bounds of the largest eigenvalue of C^-1 K, 1/s. The explicit step is stable up to 2 / rate. The
   largest eigenvalue of the assembled system is at most that of its worst element (Irons and
   Treharne, 1971), so the bound stays true whatever subset of the elements is there. */
typedef struct {
  double rate;       /* bound of the largest eigenvalue of C^-1 K */
  double rate_state; /* the same where k and c are those of one temperature */
  double film;       /* what films have in both */
  ig_lid element;    /* the element (mesh number) that sets it */
} ig_heat_limit;

/* --- the part of the mesh that this rank has */

/* Faces (element x 6 + face, rising) of own elements whose neighbours other ranks have, and these
   neighbours, as the whole numbers them. */
typedef struct {
  int64_t count;
  ig_lid *face, *neighbor;
} ig_heat_far;

/* Elements around the part's nodes, one layer more than the part has: a new node finds there the
   node that it inherits its temperature from. One rank: none, the part's own elements serve. */
typedef struct {
  ig_csr around;
  ig_lid *conn, *cell, *first;
  ig_lid *node;   /* in the whole, rising */
  int32_t *owner; /* their ranks */
  double *point;  /* nodes x 3, m */
  ig_lid nodes, cells;
} ig_heat_neighbourhood;

/* A node born before `step` of the batch that inherits from a node of another rank. Both as the
   whole numbers them, with their ranks. */
typedef struct {
  ig_lid node, donor;
  int32_t owner, from, step;
} ig_heat_inheritor;

/* One rank: `of` has no lists, the collections are all items in their order, the rest is empty. */
typedef struct {
  ig_partition of;
  ig_halo halo;                             /* temperatures of ghosts */
  ig_collect nodes, cells, faces, elements; /* cells in birth order, elements in the mesh's */
  ig_lid *face_of; /* faces: their numbers in the whole, -1: another rank's; NULL: the same */
  /* the setup's, of the part */
  uint8_t *material_of;
  double *birth, *initial_of;
  ig_set set[32];       /* faces of conditions */
  double *value[32][4]; /* their values node by node, as the engine was made */
  ig_heat_far far;
  ig_heat_neighbourhood kin;
  ig_heat_inheritor
      *heir; /* of the batch: this rank's, after ig_heat_part_inheritors those of all */
  int64_t heirs;
  bool counted; /* since the balance was summed no step was taken */
  double balance[IG_SURVEY_SUMS];
} ig_heat_part;

/* The engine itself. Members are grouped by owner: what the setup chose, the part of the mesh, the
   model (fixed once it is made, apart from `exposed` faces and materials' `solid`), the batch, and
   how far it is. Zero it and call ig_heat_new; ig_heat_free works on whatever a failure left. */
typedef struct ig_heat {
  /* how: from the setup */
  const struct ig_heat_ops *ops;
  ig_precision precision;
  ig_heat_conduction conduction;
  ig_heat_surface surface;
  ig_heat_capacity capacity;
  ig_heat_newborn newborn;
  double body;  /* W/m^3 */
  bool boils;   /* some condition evaporates */
  bool outline; /* of a whole mesh that is to be divided: it has no state */
  /* the part */
  const ig_mesh *mesh;    /* the setup's, or the part's */
  ig_lid nodes, elements; /* elements: cells, see heat_cells.h */
  const uint8_t *ghost;   /* nodes that other ranks compute; NULL: none */
  ig_lid *cell_of;        /* elements: their numbers in the whole; NULL: the same */
  const ig_lid *node_of;  /* nodes: their numbers in the whole; NULL: the same */
  ig_heat_part part;
  /* the model */
  ig_plan elems;
  ig_heat_clusters cluster;
  ig_heat_runs run;
  ig_heat_births birth;
  ig_heat_materials material;
  ig_heat_shapes shape;
  ig_heat_faces face;
  ig_heat_nodes node;
  ig_heat_row_arrays rows;
  ig_heat_limit limit;
  ig_heat_past past;
  struct ig_heat_state *state; /* register of the state's arrays: heat_arrays.h */
  /* the batch, and what drivers need for it */
  ig_heat_batch batch;
  ig_heat_phase phase; /* what the next call does of a step or of melting */
  ig_heat_resident resident;
  ig_array survey;
  /* how far it is */
  ig_heat_range now;    /* what is there, as the device has it */
  ig_heat_range next;   /* after the births in the batch */
  double start_content; /* J */
  double totals[4];     /* as saved: start content, steps, time and steps since a look */
  double time;
  int64_t steps_done;
  double element_steps;
} ig_heat;

/* The engine of this rank's part of the setup's mesh. On several ranks each makes an outline of the
   whole first, and keeps nothing of it. */
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
   elements are born at; before the first step of a batch. Faces are those of face.condition, values
   by node are as the part numbers nodes. */
IG_MUST_CHECK ig_status ig_heat_conditions_set(ig_ctx *cx, ig_heat *h,
                                               const ig_heat_condition *condition, int count,
                                               double ambient);

/* Writing a batch, on the host; nothing is computed yet. For each step in this order: births due by
   a time (optional), sources (optional), then the step that uses them. All ranks write the same
   steps and births. Fails only for lack of memory or, on births, where a row of a stencil cannot be
   made. */
IG_MUST_CHECK ig_status ig_heat_batch_births(ig_ctx *cx, ig_heat *h, double time);
/* A node is given power once per step at most. A step takes either such watts or those of one list:
   a list of nodes, rising, for any number of steps, and space for watts that somebody computes on
   the device before the batch runs. */
IG_MUST_CHECK ig_status ig_heat_batch_source(ig_ctx *cx, ig_heat *h, ig_lid node, double power);
IG_MUST_CHECK ig_status ig_heat_batch_list(ig_ctx *cx, ig_heat *h, const ig_lid *nodes,
                                           int32_t count, int32_t *list);
IG_MUST_CHECK ig_status ig_heat_batch_powers(ig_ctx *cx, ig_heat *h, int32_t list, int32_t count,
                                             int32_t *first);
bool ig_heat_batch_full(const ig_heat *h); /* better run it now */
IG_MUST_CHECK ig_status ig_heat_batch_step(ig_ctx *cx, ig_heat *h, double dt);
/* The same for a piece of a step that more pieces follow: elements are looked at after whole steps.
 */
IG_MUST_CHECK ig_status ig_heat_batch_piece(ig_ctx *cx, ig_heat *h, double dt);
/* The time at which the next step begins, s, from its number: sums of steps would round otherwise
   in a run that was continued. */
void ig_heat_clock(ig_heat *h, double time);
/* When the next elements are born, s; infinite: none are. */
double ig_heat_next_birth(const ig_heat *h);
/* A step of any length, in about 2 sqrt(dt / critical) stages, each the work of a plain step; for
   smooth fields, without sources. `critical`: a step that is stable now. */
enum { IG_HEAT_STAGES = 101 };
IG_MUST_CHECK ig_status ig_heat_batch_leap(ig_ctx *cx, ig_heat *h, double dt, double critical);
/* Runs what was written, and clears it. */
IG_MUST_CHECK ig_status ig_heat_batch_run(ig_ctx *cx, ig_heat *h);

/* Temperatures on the host, whatever the precision of the state. T: nodes of the whole mesh */
IG_MUST_CHECK ig_status ig_heat_temperatures(ig_ctx *cx, ig_heat *h, double *T);
IG_MUST_CHECK ig_status ig_heat_set_temperatures(ig_ctx *cx, ig_heat *h, const double *T);
/* Sums and extremes over everything there; the host sees only those. */
IG_MUST_CHECK ig_status ig_heat_ask(ig_ctx *cx, ig_heat *h, const ig_heat_question *q,
                                    ig_heat_survey *found);
ig_heat_ledger ig_heat_ledger_of(const ig_heat *h, const ig_heat_survey *s);
IG_MUST_CHECK ig_status ig_heat_ledger_read(ig_ctx *cx, ig_heat *h, ig_heat_ledger *ledger);
/* A checkpoint: `own` and the state; the state from one. */
IG_MUST_CHECK ig_status ig_heat_save(ig_heat *h, double time, int64_t step, const ig_saved *own,
                                     int count, ig_sink *to);
IG_MUST_CHECK ig_status ig_heat_restore(ig_ctx *cx, ig_heat *h, const ig_restart *restart);
/* Bytes a step must move, every array counted once. */
double ig_heat_step_bytes(const ig_heat *h);
/* Heat content at temperature T of the elements born since the start, J. */
IG_MUST_CHECK ig_status ig_heat_born_content(ig_ctx *cx, ig_heat *h, double T, double *content);
/* Volume and outer area of what is there. */
IG_MUST_CHECK ig_status ig_heat_measure(ig_ctx *cx, ig_heat *h, double *volume, double *area);

/* Corners of element e (birth order), in binary order; VTK's corner -> binary, and back. */
static inline const ig_lid *ig_heat_conn(const ig_heat *h, ig_lid e) {
  return (const ig_lid *)h->elems.conn.host + 8 * (int64_t)e;
}
extern const int ig_heat_corner[8];
/* Arrays written on the host from the start each batch: space for item `count`; and the first
   `count` of them to the device. */
IG_MUST_CHECK ig_status ig_heat_reserve(ig_ctx *cx, ig_array *a, size_t count, size_t size);
IG_MUST_CHECK ig_status ig_heat_push(ig_ctx *cx, ig_array *a, size_t count);
/* Sizes of an element (birth order); `own` holds them, without K, where classes are not kept. */
const ig_heat_shape *ig_heat_shape_of(const ig_heat *h, ig_lid e, ig_heat_shape *own);

#endif
