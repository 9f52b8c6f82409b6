/* The dynamics room: explicit structural dynamics by the finite particle method.

   It solves M a = f_ext(t) - f_int(x) + f_contact - c M v with lumped masses by central differences
   (Tang et al. 2020). Nodes are particles; elements only produce forces between them. So a step
   has no linear system, and its length is bounded by the stiffest element. A case is a queue of
   analyses that run one after the other on the same particles: through time, to equilibrium (by
   relaxation here, by Newton's method in statics.h) or modes (modes.h).

   Data (ig_dyn_model). Arrays are the device's unless marked `host`.

     particles  x v f load mass inertia, nodes x 3, or x 6 where elements have rotations; float or
                double by the precision of the run. Kernels see them through `p` (particle.h)
     groups     elements of one kind, section and material law: conn, state (stress, frames, history
                at points), slot. Ordered by color, or cut into clusters, by `assembly`
     slots      assembly gather and cluster: where elements write their forces, and particles add
                them in a fixed order, so that bits do not depend on threads. The other assemblies
                add to f
     held       prescribed motions and their histories        loading   forces, faces, tools
     contact    surfaces, hash tables, springs (contact.inc)  carried   rigid bodies and ties
     weight     masses on the host: given, added by scaling, what gravity pulls
     clock      step and time, in device memory: recorded steps replay without the host

   A step, in order (step.c). Forces at x(t) are there when it begins:

          loads ──► contact ──► particles ──► bodies ──► ties ──► elements ──► clock
          at t      at x(t)     v(t + dt/2)   move as    follow   forces at    t + dt
                                x(t + dt)     one        others   x(t + dt)

   `fresh` marks the start: forces lie in `f` then, later in the slots. Velocities belong to half
   steps; the kinetic energy at t is made of the products of those before and after it.

   Folders, from below: `elements` (their forces, sizes and tangents, one by one), `kernels` (passes
   of a step over particles and groups, on each backend), `model` (a case as groups, loads, bodies,
   ties), `contact` (surfaces that touch), `engine` (build, step, masses, energies, division between
   ranks), `statics` (Newton's method, relaxation, modes), `output` (snapshots, history,
   checkpoints, fields for programs). No folder calls one that is named after it.

   Who does what. The room (dynamics.c) chooses steps and analyses and watches energy, faults and
   overlaps; the model owns the arrays; backends bring the passes (ig_dyn_ops in step.h). The laws
   are in *.inc, compiled for float, double and, for tangents, dual numbers.

   Ranks. A model is what a rank has of it (`division`, part.h): on one rank all, on several its own
   particles, every element at one of them, and ghosts. Numbers of all ranks go to the first in the
   order of the whole, so that sums and files have the same bits on any number of ranks. Arrays are
   registered once (`arrays`, engine/arrays.c): their memory in a part, their values at the start
   and checkpoints follow from the list.

   Calls: ig_dyn_model_new, then ig_dyn_set_clock, ig_dyn_advance, and between steps
   ig_dyn_energies, ig_dyn_fields_now, checkpoints; ig_dyn_model_free. All ranks make the same calls
   in the same order. */
#ifndef IG_DYNAMICS_H
#define IG_DYNAMICS_H

#include "assembly/cluster.h"
#include "core/room.h"
#include "material/material.h"
#include "mesh/support.h"
#include "model/arrays.h"
#include "dynamics/kernels/step.h"

/* --- what a case says */

/* Integration of solids (section key `integration`). AUTO leaves the choice to the element type
   and the analysis; see group.c. */
typedef enum {
  IG_INTEGRATE_AUTO,
  IG_INTEGRATE_BBAR,
  IG_INTEGRATE_FULL,
  IG_INTEGRATE_SINGLE,
  IG_INTEGRATE_INCOMPATIBLE,
  IG_INTEGRATE_REDUCED
} ig_dyn_integration;
/* Profiles of beams (section.c), in the order of the key's choices. */
typedef enum {
  IG_SECTION_CIRCLE,
  IG_SECTION_TUBE,
  IG_SECTION_RECTANGLE,
  IG_SECTION_I
} ig_dyn_profile;
/* A line element with bending, with axial force alone, or with tension alone. */
typedef enum { IG_LINE_BEAM, IG_LINE_BAR, IG_LINE_CABLE } ig_dyn_line;

/* A section: how elements of its sets are integrated, and what lines and shells need beside the
   mesh. NaN: not given. Lengths m, areas m^2, second moments m^4. */
typedef struct {
  ig_src at;
  ig_texts set; /* element sets; none: every element not claimed */
  /* solids */
  int integration;
  /* hourglass: stiffness of one-point hexahedra; bulk_*: coefficients of artificial bulk
     viscosity */
  double hourglass, bulk_linear, bulk_quadratic;
  /* shells */
  double thickness;
  int64_t planes; /* integration points in the plane: 4 (Tang et al. 2020) or 3 */
  bool thinning;
  double local_x[3]; /* x of section forces and surface stresses, laid onto the shell */
  /* lines */
  int line, profile;
  double radius, wall, width, height, flange, web;
  double area, iy, iz, torsion; /* instead of a profile */
  double up[3];                 /* the section's height points this way */
} ig_dyn_section;
extern const ig_dyn_section ig_dyn_section_default;

/* Nodes of `set` follow the nearest place on `to`. */
typedef struct {
  ig_src at;
  const char *set, *to; /* nodes; faces, shell elements or nodes */
  double distance;      /* no further than this */
} ig_dyn_tie;

/* A load, times its history. Members that were not given are NaN. */
typedef struct {
  ig_src at;
  const char *set;
  double force[3], moment[3], total[3]; /* on each node; total: on all of the set */
  double pressure;                      /* on a face set, against the outward normal */
  ig_table history;
} ig_dyn_load;

/* Velocities at the start: translation (m/s) and rotation (1/s) about a point. */
typedef struct {
  ig_src at;
  const char *set; /* NULL: all */
  double velocity[3], spin[3], about[3];
} ig_dyn_initial;

/* A rigid tool as the case gives it; shape: ig_dyn_shape. See particle.h for its meaning in
   kernels. */
typedef struct {
  ig_src at;
  int shape;
  double point[3], axis[3], radius, velocity[3], displacement[3], friction;
  ig_table history; /* of displacement */
} ig_dyn_tool_case;

typedef struct {
  ig_src at;
  double acceleration[3];
  ig_table history;
} ig_dyn_gravity;

/* Contact of all outer surfaces with each other. The penalty is a factor, not a stiffness. */
typedef struct {
  ig_src at;
  bool on;
  bool edges;
  int overlap;    /* of bodies at the start: ig_dyn_overlapping */
  double penalty; /* stiffness, times that of the elements; NaN or 0: ig_dyn_penalty */
  double friction, thickness;
} ig_dyn_contact;
typedef enum { IG_OVERLAP_REFUSE, IG_OVERLAP_KEEP, IG_OVERLAP_FIT } ig_dyn_overlapping;

/* Stresses at the start, from the snapshot of a `stress` run (residual.c). */
typedef struct {
  ig_src at;
  const char *file; /* a snapshot */
} ig_dyn_residual;

typedef enum {
  IG_ANALYSIS_DYNAMIC,
  IG_ANALYSIS_STATIC,
  IG_ANALYSIS_FREQUENCY,
  IG_ANALYSIS_BUCKLING
} ig_dyn_analysis_kind;
typedef enum { IG_RELAX_VISCOUS, IG_RELAX_KINETIC } ig_dyn_relaxation;
typedef enum {
  IG_STATIC_NEWTON,
  IG_STATIC_RELAXATION,
  IG_STATIC_ARC,
  IG_STATIC_AUTO
} ig_dyn_method;
/* One analysis of the queue. Which members count depends on its kind and method. */
typedef struct {
  ig_src at;
  int kind;
  double duration;           /* dynamic: how long */
  double time_step;          /* NaN: from the critical step */
  double safety;             /* share of the critical step */
  int64_t step_update_every; /* steps between updates of the critical step; 0: once */
  double damping;            /* of mass, 1/s */
  double mass_scaling_step;  /* mass is added to elements below it; 0: never */
  /* static */
  int method;       /* ig_dyn_method */
  double tolerance; /* relaxation: of the displacements, relative; Newton: of forces */
  int64_t steps;    /* most of them */
  /* Newton: shares of the analysis, NaN: found; ig_direct_kind */
  double first_step, largest_step;
  int solver;
  int64_t modes; /* frequency, buckling: how many */
  /* relaxation */
  int relaxation;
  double ramp;    /* steps over which time runs to at_time; NaN: IG_RELAX_RAMP, or found */
  double at_time; /* the time loads are taken at */
} ig_dyn_analysis;

typedef struct {
  ig_src at;
  const char *name;
  const char *set; /* nodes: mean motion, sum of forces; elements: mean section force */
  double point[3]; /* or the nearest node */
  int quantity;
} ig_dyn_probe;
/* Words of the key `quantity` of a probe; the numbers below mark where each kind begins. */
#define IG_PROBE_CHOICES                                                                           \
  "ux|uy|uz|vx|vy|vz|fx|fy|fz|mx|my|mz|cx|cy|cz|axial|shear_y|shear_z|torsion|bending_y|"          \
  "bending_z|nxx|nyy|nxy|mxx|myy|mxy|top_xx|top_yy|top_xy|bottom_xx|bottom_yy|bottom_xy"
enum {
  IG_PROBE_VELOCITY = 3,
  IG_PROBE_FORCE = 6,
  IG_PROBE_MOMENT = 9,
  IG_PROBE_CONTACT = 12,
  IG_PROBE_BEAM = 15,
  IG_PROBE_SHELL = 21
};

/* The case of the room. Lists keep the order of the file. */
typedef struct {
  ig_src at;
  ig_list supports, bodies; /* of ig_support_case; bodies: what moves as one, and how it is held */
  ig_list ties, sections, loads, initial, tools, analysis, probes;
  ig_dyn_gravity gravity;
  ig_dyn_contact contact;
  ig_dyn_residual residual;
  double inertia_scale; /* shells: rotary inertia at least this x area x mass */
  double energy_error;  /* stop when the balance is off by this share */
  double added_mass;    /* stop when mass scaling adds this share */
} ig_dyn_case;
extern const ig_option ig_dyn_options[];

/* --- the model on its way through time */

/* A group: elements of one kind, section and law. One of g_f64 and g_f32 is used by kernels, by
   the precision of elements; both are filled. State is stored in blocks of IG_DYN_BLOCK
   elements, value by value within a block (ST in element.inc); pads fill the last block of each
   color. */
typedef struct {
  ig_dyn_kind kind;
  int law;
  ig_elem_type type;
  dyn_group_f64 g_f64;
  dyn_group_f32 g_f32;
  ig_lid count, slots; /* elements; places with pads */
  int64_t whole;       /* elements of the group in the whole model, whoever computes them */
  ig_lid *element;     /* slots: mesh element, -1 a pad */
  int colors;
  ig_lid *begin, *end;             /* colors */
  ig_array conn, state, slot, ids; /* ids: element, on ranks its number in the part; -1 a pad */
  ig_clusters cluster;             /* assembly `cluster`; `slot` is then that of its nodes */
  char name[16];                   /* of its state in checkpoints */
} ig_dyn_group;

/* Energies at the time of the clock. Balance: kinetic + internal + damping = energy at the start
   + external + contact. */
typedef struct {
  double kinetic, internal, external, damping, contact; /* J */
  double plain;                                         /* kinetic, from velocities as they stand */
  double stored;                                        /* penalty energy of contact */
  double made;    /* work of contact and its stored energy: 0, or less by what rubs */
  double plastic; /* the part of internal that is not stored: plastic, viscous, failed */
  double scaling; /* the part of kinetic that is in mass added by scaling */
  double error;   /* of the balance, relative to the largest energy */
} ig_dyn_energy;

/* A relaxation on its way. All of it goes into checkpoints. */
typedef struct {
  bool on, loaded;        /* loaded: the ramp is over */
  bool settled, balanced; /* the estimate holds; and is below the tolerance */
  int64_t steps;
  int64_t every; /* kinetic relaxation: steps between two looks */
  double power;  /* of the forces out of balance, at the last look */
  /* what yields on the way depends on it: energies at the start; the share of the work that
     relaxation took away, 0 where nothing has yielded */
  double internal, damping, plastic, path;
  double drag;  /* most damping during the ramp, 1/s */
  double since; /* time since the longer stretch began */
  double error, residual;
  /* doubles, nodes x 3 each: positions and internal forces at the last look; positions and forces
     out of balance where the longer stretch began; on the host alone */
  ig_array was;
} ig_dyn_relaxing;
enum { IG_RELAX_ARRAYS = 4, IG_RELAX_RAMP = 500 /* steps, where none is given */ };

/* Parts of the mesh that no support holds (rigid_body_check.h). */
typedef struct {
  int32_t parts;
  int32_t *of; /* particles: the part, -1: held; NULL: all are held, or nobody has looked */
  struct ig_dyn_loose_part *part;
  double far; /* size of the model, m */
  bool known;
} ig_dyn_looseness;

/* The nodes of a set that is not one of nodes. */
typedef struct ig_dyn_nodes {
  ig_set set;
  struct ig_dyn_nodes *next;
} ig_dyn_nodes;

/* The parts of a model: arrays are the device's, what is marked `host` is not. */
typedef struct {
  /* move: nodes, number of the motion, 0 free; motion: table of ig_dyn_motion; rows of all
     histories */
  ig_array move, motion, history_x, history_y;
} ig_dyn_leading; /* what is held and led */
/* Loads; the arrays behind ig_dyn_loads_view, and what the case gave, for factors that programs
   set. */
typedef struct {
  /* particles with loads, and for each the ranges of its forces and faces; the forces, faces and
     tools */
  ig_array loaded_node, force_start, face_start, force, face, tool;
  double *tool_pull; /* host: friction of tools in statics by Newton's method, tools x nodes x 3 */
  /* host: forces and pressures as the case gives them, and whose load they are */
  int32_t forces, faces, *force_of, *face_of;
  ig_dyn_force *force_given;
  ig_dyn_face *face_given;
} ig_dyn_loading;
/* Contact. Arrays of triangles, edges and surface particles are described at ig_dyn_contact_view
   and ig_dyn_edges_view (particle.h), which point to them. */
typedef struct {
  /* triangles x 3 nodes, their neighbours x 4, nodes on surfaces; corners by node; hash of
     triangles */
  ig_array triangle, beside, surface, corner_first, corner, triangle_bucket, triangle_chain;
  /* longest edge of two steps; forces on corners; contact forces of particles now (touch) and
     over the last step with tools (press); areas, springs and offsets of nodes; links of
     contacts; stored energy */
  ig_array longest, recoil, touch, press, skin_area, spring, offset, pushed, next, stored;
  /* positions one step ago; contact memory after the last step and in this one; forces of
     contacts */
  ig_array before, kept, now, push;
  /* edges that touch: nodes x 2, triangles x 2, ends by node, hash, partner, and who chose it */
  ig_array edge, edge_side, end_first, end, edge_bucket, edge_chain, partner, chosen, also;
  ig_array edge_length, edge_recoil;
  ig_array alive, owner, open, awake;           /* of what erodes */
  ig_array own_surface, own_triangle, own_edge; /* of a rank */
  /* host: triangles of all surfaces, x 3, NULL where nothing touches; the first `outer` are on the
     outside at the start, the others behind what may erode; elements on both sides, x 2 */
  int32_t *skin, *skin_owner;
  int64_t skins, outer;
  double margin; /* what a particle may move in a step, m */
} ig_dyn_touching;
/* Solids that slide over each other at distance 0 (contact/slide.c); host. */
typedef struct {
  double *was;   /* nodes x 3: positions at the last look */
  double *way;   /* surface particles: how far along what they lie behind, m; -1: behind nothing */
  int64_t pause; /* steps from the last look to the next; 0: there was none */
  bool said;
} ig_dyn_sliding;
/* Rigid bodies and ties; the arrays behind ig_dyn_bodies_view and ig_dyn_ties_view. */
typedef struct {
  /* bound: nodes, who carries it; bodies, their nodes, arms x 3, and what pulls on them x
     IG_DYN_PULL */
  ig_array bound, body, body_node, body_arm, body_pull;
  /* ties: node, its three carriers and their shares, whether rotations follow; the same by
     carrier */
  ig_array tie_node, tie_to, tie_share, tie_turns, carry_first, carry;
} ig_dyn_carried; /* bodies and ties */
/* Masses on the host, in double precision, nodes entries each; the device has them in the
   precision of the particles. */
typedef struct {
  double *mass, *inertia; /* host: as particles have them */
  double *added;          /* host: what of it scaling added */
  double *heavy;          /* host: what gravity pulls; in statics without what scaling added */
  double total, scaled;   /* scaled: what scaling added to all of it */
  double scaled_to;       /* no element has a critical step below this */
  double touch;           /* of contact: largest stiffness over mass of a particle, 1/s^2 */
} ig_dyn_weight;

/* The model: what a rank has of it. On one rank that is all of it; on several its particles, the
   elements at them, and ghosts (model/part.h). */
typedef struct ig_dyn_model {
  ig_ctx *cx;
  const ig_mesh *mesh;
  const ig_dyn_case *c;
  ig_precision precision;
  ig_assembly assembly;
  const ig_dyn_ops *ops;
  int groups;
  ig_dyn_group *group;
  ig_dyn_particles p;
  bool fresh;       /* forces lie in f, not in slots: at the start */
  size_t part;      /* bytes of a particle number */
  double *x0;       /* host: positions at the start */
  ig_arrays arrays; /* those that checkpoints have, and those of particles (engine/arrays.c) */
  /* particles: positions, velocities, internal forces, loads, masses, inertia, weights, works,
     the clock, positions at the start in double precision */
  ig_array x, v, f, load, mass, inertia, heavy, work, clock, x_start;
  /* forces of elements by particle (assembly gather, cluster), and where those of a particle
     begin */
  ig_array slots, slot_first;
  ig_array others;           /* particles that several clusters have, or none */
  ig_array scratch, partial; /* double: for sums */
  ig_dyn_leading held;
  ig_dyn_loading loading;
  ig_dyn_touching contact;
  ig_dyn_carried carried;
  ig_dyn_weight weight;
  struct {
    double energy, made; /* made: of contact */
  } balance;             /* when the balance of energy began */
  double unbalance;      /* residual stress: forces out of balance over all, at the start */
  ig_dyn_relaxing relax;
  ig_dyn_looseness loose;
  struct {
    int32_t parts, *part; /* host; part: of the nodes */
    double thin;          /* least extent of one, m */
    int64_t due;          /* step of the next look */
    ig_dyn_sliding sliding;
  } overlap; /* bodies that may come to lie inside each other (overlap.h) */
  struct {
    bool on;                 /* contact of bodies by Newton's method */
    const char *why;         /* what of the case it does not do, NULL: nothing, or no contact */
    struct ig_dyn_pairs *of; /* model/pairs.h */
  } pairs;
  struct ig_dyn_solids *solids; /* of implicit analyses alone (solids.h); NULL: none */
  ig_lid *fault_ids;            /* kernels' numbers -> mesh elements */
  /* node sets made from sets of faces or elements; freed with the model */
  ig_dyn_nodes *made;
  /* recorded steps of a GPU; NULL: none yet */
  struct ig_graph *graph;
  struct ig_dyn_part *division; /* between ranks (model/part.h): on one rank, one part */
} ig_dyn_model;

/* How an analysis is made (method.c). `auto`: by Newton's method; with contact that it does not do
   by relaxation. _find once, before the model's elements are made. */
IG_MUST_CHECK ig_status ig_dyn_method_find(ig_dyn_model *m);
ig_dyn_method ig_dyn_method_of(const ig_dyn_model *m, const ig_dyn_analysis *a);

/* Whether elements write forces into slots, which particles add up in a fixed order; the other
   assemblies add to f. */
static inline bool ig_dyn_slotted(const ig_dyn_model *m) {
  return m->assembly == IG_GATHER || m->assembly == IG_CLUSTER;
}
/* Makes the model and its arrays, with positions, velocities and forces of the start.
   `materials` is read during the call only; mesh and case must outlive the model. Collective:
   with several ranks it is divided here. On failure *model is NULL. */
IG_MUST_CHECK ig_status ig_dyn_model_new(ig_ctx *cx, const ig_mesh *mesh, const ig_list *materials,
                                         const ig_dyn_case *c, ig_precision precision,
                                         ig_assembly assembly, ig_dyn_model **model);
/* Frees everything; NULL is allowed. */
void ig_dyn_model_free(ig_dyn_model *m);

/* One pass of a step alone, to time it: elements, or particles. */
IG_MUST_CHECK ig_status ig_dyn_pass(ig_dyn_model *m, bool elements);
/* What the kernels of the first group's elements and of the particles need. GPU only. */
IG_MUST_CHECK ig_status ig_dyn_kernels(ig_dyn_model *m, ig_dyn_kernel_cost cost[2]);
/* Which elements of the mesh still hold, on the host; NULL: none can fail. Of the model that takes
   the steps. */
IG_MUST_CHECK ig_status ig_dyn_alive(ig_dyn_model *m, const uint8_t **alive);
/* The critical step of the elements as they stand now (Tang et al. 2020, Eq. 5), with contact
   and mass scaling, s. Pulls positions; collective. Fails if an element has collapsed. */
IG_MUST_CHECK ig_status ig_dyn_critical_step(ig_dyn_model *m, double *dt);
/* What contact adds to 1 / dt^2 of the elements' critical step; found from its springs and the
   masses of the particles. */
double ig_dyn_contact_load(const ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_touch_find(ig_dyn_model *m);
/* The critical step of the slowest element, without contact: in statics all elements get mass
   until theirs is this. Collective. */
IG_MUST_CHECK ig_status ig_dyn_largest_step(ig_dyn_model *m, double *dt);
/* Particle masses; elements whose critical step is below `least` (s; 0: none) are made heavier.
   Renews what depends on masses: ties, bodies, ghosts, weights. Collective. */
IG_MUST_CHECK ig_status ig_dyn_masses(ig_dyn_model *m, double least);
/* Sets the step (s) and the damping (1/s) of what follows, in the clock on the device. */
IG_MUST_CHECK ig_status ig_dyn_set_clock(ig_dyn_model *m, double dt, double damping);
/* Takes `steps` steps: no host in between where the backend has graphs. Errors that kernels meet
   are found later, in the fault word of the context. Collective. */
IG_MUST_CHECK ig_status ig_dyn_advance(ig_dyn_model *m, int64_t steps);
/* Energies at the clock's time, after a pass of forces and contact without a step. Collective;
   all ranks get the same numbers. */
IG_MUST_CHECK ig_status ig_dyn_energies(ig_dyn_model *m, ig_dyn_energy *e);
/* Internal forces into f, whatever the assembly; then x, v, f on the host hold what the device has;
   on ranks, of the part. */
IG_MUST_CHECK ig_status ig_dyn_pull(ig_dyn_model *m);
double ig_dyn_get(const ig_dyn_model *m, const ig_array *a, int64_t i); /* from the host side */
/* Reports of all elements in the mesh's numbering: elements x IG_DYN_REPORT, host; on ranks of own
   elements, in the part's. */
IG_MUST_CHECK ig_status ig_dyn_report(ig_dyn_model *m, double *out);
/* The same as fields on the device, by element of the part; those that others own, too. */
IG_MUST_CHECK ig_status ig_dyn_fields_now(ig_dyn_model *m, const ig_dyn_fields *to);
/* Gravity at the clock's time on the host, times its history. */
double ig_dyn_gravity_now(const ig_dyn_model *m, int c);
/* Whether the material can yield, so that statics depend on the way. */
bool ig_dyn_yields(const ig_dyn_model *m);
/* Bytes a step must move, each counted once. */
double ig_dyn_step_bytes(const ig_dyn_model *m);
/* Bytes of a number of an element's state. */
static inline size_t ig_dyn_state_size(const ig_dyn_model *m) {
  return m->precision == IG_DOUBLE ? sizeof(double) : sizeof(float);
}
/* Static equilibrium by dynamic relaxation: begin, advance until it is done, end. Collective.
   `advance` takes a stretch of steps; m->relax says how it stands. */
IG_MUST_CHECK ig_status ig_dyn_relax_begin(ig_dyn_model *m, const ig_dyn_analysis *a);
IG_MUST_CHECK ig_status ig_dyn_relax_advance(ig_dyn_model *m, const ig_dyn_analysis *a, bool *done);
IG_MUST_CHECK ig_status ig_dyn_relax_end(ig_dyn_model *m);
/* Memory of what particles did before. */
IG_MUST_CHECK ig_status ig_dyn_relax_room(ig_dyn_model *m);
/* Turns of flat shells about their normal (drilling_rotations.c): whether there are any; unit
   normals of the particles, nodes x 3, where the angle between elements is below
   sqrt(tolerance), else 0; and what is along them taken out of turns or moments, nodes x dofs.
   Of another rank's nodes the numbers mean nothing. */
bool ig_dyn_drills(const ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_drill_normals(ig_dyn_model *m, double tolerance, double *normal);
void ig_dyn_drill_out(const ig_dyn_model *m, const double *normal, double *turns);
/* Velocities v (nodes x dofs) of the next steps, which take `seconds`: flat shells (unit normals
   `flat`) do not turn about their normal; where they are less flat they turn to where moments
   `net` about it vanish. */
IG_MUST_CHECK ig_status ig_dyn_drill_lead(ig_dyn_model *m, const double *flat, const double *net,
                                          double seconds, double *v);
/* All of it; error: as estimated at the end. */
IG_MUST_CHECK ig_status ig_dyn_relax(ig_dyn_model *m, const ig_dyn_analysis *a, double *error,
                                     int64_t *steps);

#endif
