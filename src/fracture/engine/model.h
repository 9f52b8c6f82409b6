/* The engine of the fracture room: a mesh of simplices that comes apart along its facets.

   It solves M a = f_ext - f_int(u) - f_coh - f_contact with lumped masses by the explicit Newmark
   method (beta 0, gamma 1/2). Facets whose stress reaches their strength become cohesive elements,
   and the nodes that they held together are copied (Alhadeff, Celes and Paulino, 2015).

   Data. All arrays are registered in `arrays` (model/arrays.h) and reached by kernels through `s`
   (state.h, which explains the tables of the mesh). They belong to four places:

     elements   conn opp list attach mat, se st (stress), me (mass), fe fc (forces)
     nodes      node x u v f minv work, sp (averaged stress), touch touched extra (insertion)
     cohesive   coh turn, cs (state at points), cf ck cw cwork
     loads      load_face lf lwork: loaded faces

   The number of elements never changes. Nodes and cohesive elements are added at the end: node_max
   and coh_max are what there is memory for, `count` (a copy of the device's) what there is. The
   model owns all of it; cases, tracks of cracks and output are the room's (run.h).

   Partition. A model has the tables of one part of the mesh (`part`, part.h). On one rank that is
   the whole mesh. What other files need to know of parts is small: ig_frac_counts and ig_frac_all
   are sizes of the whole, ig_arrays_rows passes rows of all items to the first rank in the order of
   the whole, and ig_frac_node_number and its like translate numbers.

   A step, in order (steps.c). `over` runs a pass over all items, on several ranks over a list of
   the part:

     every check_every steps
       stress     stress at the corners of elements
       average    nodal averages against the strength
       check      facets against their strength; those beyond are marked
       insert     seven passes (passes.c): list marked facets, see that there is room, open them,
                  give them their state, list their nodes, take these apart, settle the counts
     each step
       load       forces of loaded faces
       cohesive   tractions and forces of cohesive elements
       surfaces   contact of free surfaces, if the case asks for it: wipe, link, press, react
       element    internal forces, and those of facets attached to an element
       contact    rigid contact of facets, where the law is rigid
       node       sums of forces, Newmark update
       advance    the step is counted
     on several ranks, after `node`: ghosts take their owners' motion (part_steps.c)

   On one rank the host takes no part in this: a block of steps is one graph where the backend has
   graphs. Where a table is full, `capacity` raises count->full and every later pass does nothing;
   the host sees it after the block, grows the tables and goes on at that check.

   Calls. ig_frac_model_new, then what moves and loads the model, then ig_frac_model_start,
   ig_frac_model_set_step, notches (ig_frac_model_insert), and ig_frac_part_new, which divides it
   between ranks. Then ig_frac_model_run. Between steps: ig_frac_model_ready takes the check and the
   forces of the current step ahead (`begun`), which figures and probes need. All ranks call all
   functions of a divided model in the same order.

   Example of an insertion in the plane. Elements A, B, C have node 2, which is on the boundary;
   A and B meet at facet 2-4, B and C at facet 2-5. When facet 2-4 opens, A is no longer
   connected with B and C around node 2:

          1-----2-----3             1----2   2'----3
           \ A / \ C /               \ A /   / \ C /       list of node 2:  A B C  ->  A | B C
            \ / B \ /                 \ /   / B \ /
             4-----5                   4-----5            node 2 has A, node 2' has B and C

   The slots of node 2 are sorted by component within their stretch of `list`; the first
   component keeps the number 2, the second becomes a new node at the end of all tables, with the
   same position and motion and the mass of its own elements. */
#ifndef IG_FRAC_MODEL_H
#define IG_FRAC_MODEL_H

#include "assembly/cluster_sum.h"
#include "core/array.h"
#include "core/output.h"
#include "model/arrays.h"
#include "backend/backend.h"
#include "fracture/engine/part.h"
#include "fracture/kernels/state.h"
#include "mesh/support.h"

/* What a model is made with; filled by setup.c from a case, or by tests. Lengths in m, penalty
   in N/m^3, threshold as a share of the strength. */
typedef struct {
  ig_precision precision; /* single or double */
  ig_assembly assembly;
  double thickness, dt; /* dt 0: set later, before stepping */
  int check_every;      /* steps between checks, 0: never */
  bool finite_rotation;
  bool reserve; /* space for every facet open, from the start */
  bool surface; /* surfaces press on each other */
  int materials;
  ig_frac_elastic elastic[IG_FRAC_MATERIALS];
  ig_cohesive law;
  int criterion;
  bool hold;
  double penalty, weibull, threshold;
  uint64_t seed;
} ig_frac_settings;

/* Elastic constants: plane 0 solid or plane strain, 1 plane stress. */
ig_frac_elastic ig_frac_elastic_of(double young, double poisson, double rho, int plane_stress);

/* Places of its arrays (model/arrays.h). */
typedef enum {
  IG_FRAC_PER_ELEMENT,
  IG_FRAC_PER_NODE,
  IG_FRAC_PER_COHESIVE,
  IG_FRAC_PER_LOAD
} ig_frac_per;
typedef struct ig_frac_probes ig_frac_probes; /* probe.c */

/* Owned by the caller; everything in it is freed by ig_frac_model_free. `s` is handed to kernels
   by value: its pointers are those of the device. */
struct ig_frac_model {
  ig_ctx *cx;
  const ig_frac_ops *ops;
  ig_frac_shape shape;
  int kind, wide;
  int check_every;
  ig_frac_state s;
  ig_frac_count count; /* as last seen */
  ig_arrays arrays;
  int64_t facets;                  /* interior, at the start */
  int32_t nodes_start;             /* of the mesh, before notches */
  int32_t nodes_cut, cohesive_cut; /* once they are cut */
  uint64_t inner_from;             /* bit i: crack i begins inside the mesh, so it has two tips */
  const ig_cohesive *laws;         /* on the host, where facets have their own */
  int colors;
  ig_lid *color_start;
  ig_clusters cluster; /* assembly `cluster` */
  ig_array rank, home, where, cluster_slots;
  int32_t *valence; /* slots of each node when clusters were made */
  bool plane_strain;
  bool begun;          /* the forces of this step are there */
  double unbalance[2]; /* of the residual stress: as given, and at the start; over all its forces */
  int motions, loads, loaded;
  double load_given[IG_FRAC_LOADS][3]; /* as the case gives them */
  ig_histories histories;
  int32_t *load_face;
  ig_graph *graph;        /* check_every steps */
  ig_frac_probes *probes; /* NULL: none */
  ig_frac_part part;      /* of the mesh that the tables are of */
};

/* Items of the whole, all parts together: counts, as last seen; those of a place. */
static inline const ig_frac_count *ig_frac_counts(const ig_frac_model *m) {
  return m->part.ranks > 1 ? &m->part.total.count : &m->count;
}
static inline int64_t ig_frac_all(const ig_frac_model *m, ig_frac_per per) {
  return m->arrays.of->place(m, per).whole;
}

/* Tables of a mesh (one type of simplex); displacements and velocities zero.
   The mesh is read only here. Failure leaves a model that ig_frac_model_free accepts. */
IG_MUST_CHECK ig_status ig_frac_model_new(ig_ctx *cx, const ig_mesh *mesh,
                                          const ig_frac_settings *settings, ig_frac_model *m);
void ig_frac_model_free(ig_frac_model *m);

/* Before ig_frac_model_start. Host side of a table by name. */
static inline void *ig_frac_model_host(const ig_frac_model *m, const char *name) {
  return ig_arrays_at(&m->arrays, name)->host;
}
/* Entry i of a host table of reals (single or double, by m->wide). */
double ig_frac_model_real(const ig_frac_model *m, const void *p, int64_t i);
void ig_frac_model_put(const ig_frac_model *m, void *p, int64_t i, double value);
/* *id: number of the motion, for ig_frac_model_lead. At most IG_FRAC_MOTIONS different ones. */
IG_MUST_CHECK ig_status ig_frac_model_motion(ig_frac_model *m, const ig_frac_motion *motion,
                                             int *id);
/* The motion that component d of a node follows so far; NULL: none. */
const ig_frac_motion *ig_frac_model_led(const ig_frac_model *m, ig_lid node, int d);
/* Component d of a node follows a motion. */
IG_MUST_CHECK ig_status ig_frac_model_lead(ig_frac_model *m, ig_lid node, int d, int motion);
/* *id: number of the load. Faces are added one by one; mesh_face as the mesh numbers them. */
IG_MUST_CHECK ig_status ig_frac_model_load(ig_frac_model *m, const ig_frac_load *load, int *id);
IG_MUST_CHECK ig_status ig_frac_model_load_face(ig_frac_model *m, ig_lid element, int mesh_face,
                                                int load);
/* Facets open by one of `laws` each: which is in the table facet_law this makes, zero at first. */
IG_MUST_CHECK ig_status ig_frac_model_laws(ig_frac_model *m, const ig_cohesive *laws, int count);
/* Ends the set-up: arrays go to the device. Collective only in that every rank does the same. */
IG_MUST_CHECK ig_status ig_frac_model_start(ig_frac_model *m);

/* Opens the marked facets (`mark` on the device). */
IG_MUST_CHECK ig_status ig_frac_model_insert(ig_frac_model *m, ig_frac_opening into);
/* One item of work: `n` of them from `begin` on, or up to as many as the device counts. */
IG_MUST_CHECK ig_status ig_frac_run(ig_frac_model *m, ig_frac_item item, int64_t begin, int64_t n);
IG_MUST_CHECK ig_status ig_frac_run_all(ig_frac_model *m, ig_frac_item item, int64_t most);
/* One of the passes of an insertion, so that they can be timed. */
enum { IG_FRAC_PASSES = 7 };
extern const char *const ig_frac_pass_names[IG_FRAC_PASSES];
IG_MUST_CHECK ig_status ig_frac_model_pass(ig_frac_model *m, int pass);
/* When tables are read back from a checkpoint: the forces of a step that had begun. */
IG_MUST_CHECK ig_status ig_frac_model_resume_forces(ig_frac_model *m, bool begun);
/* Largest stable step of the bulk, and with facets of a penalty that is given. */
IG_MUST_CHECK ig_status ig_frac_model_critical(ig_frac_model *m, double *bulk, double *with_facets);
void ig_frac_model_set_step(ig_frac_model *m, double dt);
/* Forces of the elements alone, summed at nodes, in the table f. */
IG_MUST_CHECK ig_status ig_frac_model_forces(ig_frac_model *m);
/* Contact of surfaces at the current step. */
IG_MUST_CHECK ig_status ig_frac_model_surfaces(ig_frac_model *m);
/* Runs until `step` is the current one. */
IG_MUST_CHECK ig_status ig_frac_model_run(ig_frac_model *m, int64_t step);
/* Bytes a step must move at least. */
double ig_frac_model_bytes(const ig_frac_model *m);
/* Energies and lengths at the current step. */
IG_MUST_CHECK ig_status ig_frac_model_figures(ig_frac_model *m, double figures[IG_FRAC_FIGURES]);
/* The forces of the current step, after the check it may be due. All ranks call it. */
IG_MUST_CHECK ig_status ig_frac_model_ready(ig_frac_model *m);
/* Brings velocities at the full step and forces of supports up to date (`shown`, a table that
   probes make). */
IG_MUST_CHECK ig_status ig_frac_model_show(ig_frac_model *m);
/* Brings stresses up to date with the displacements. */
IG_MUST_CHECK ig_status ig_frac_model_stress(ig_frac_model *m);
/* Bytes the tables still grow by if every facet opens. */
double ig_frac_model_growth(const ig_frac_model *m);
/* Copies a table to its host side. */
IG_MUST_CHECK static inline ig_status ig_frac_model_pull(const ig_frac_model *m, const char *name,
                                                         void **host) {
  return ig_arrays_pull(&m->arrays, name, host);
}
/* How far a node lies inside an element of another body, by its least barycentric coordinate: above
   0 bodies pass through each other. */
IG_MUST_CHECK ig_status ig_frac_surface_watch(ig_frac_model *m, double *deepest);
/* Damage of cohesive element c, from tables already pulled ("cs", "cw", "coh"): least over its
   points. */
double ig_frac_model_damage(const ig_frac_model *m, int64_t c);

/* The face opposite corner f, from a face as the mesh numbers it; and its local nodes. */
int ig_frac_face_of_mesh(const ig_frac_model *m, int mesh_face);
int ig_frac_face_node(int kind, int f, int j);
int ig_frac_across(int kind, int turn, int j);
/* Node of cohesive element c at place j of its lower facet: its own side, or the one across. */
int32_t ig_frac_cohesive_node(const ig_frac_model *m, const int32_t *conn, const int32_t *coh,
                              const uint8_t *turn, int64_t c, int j, bool upper);

#endif
