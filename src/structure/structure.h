/* The structure room: displacements of solids by implicit finite elements.

   Solves M a + f_int(u, history, T) = f_ext(t) for nodal displacements u from the positions at the
   start, one analysis after the other on the same model: static (a = 0), dynamic (HHT-alpha),
   frequency and buckling about the state reached. Elements and laws are those of solid/, equations,
   constraints and Newton's method those of implicit/.

   Unknowns: three per node, in the node's own axes where `axes` gives them, then three rotations
   for each node that turns, then the stretches of shells and beams (expand.h). Arrays of the model
   are on the host, in double precision:

     u             unknowns: displacements and rotations of the last accepted state
     velocity, acceleration, reaction, force_before   unknowns, same state
     T0, T         nodes: temperatures of the start and of now
     group[k].past, now   history of the points of each element: accepted, and of the trial
     frame         nodes with axes of their own: rows are those axes

   An analysis begins (room.c) by making its contact points, groups, constraints and equations anew,
   so that supports may come and go between analyses. Then each step (implicit/newton.h):

     1. motions      prescribed increments from the histories at the new time (constrain.c)
     2. loads        external forces at the new time, temperatures (load.c, nodes.c)
     3. evaluate     forces and tangents of all groups: elements, inertia, pressures that follow,
                     contact, springs, masses
     4. solve        reduced system of free unknowns; increments spread to slaves
     5. follow       rotations of bodies, knots and joints are large: slaves put in their places
     6. 2 to 5 again until forces balance, or the step is cut
     7. accept       history moves on, u += increments, reactions, tables

   Files: room.c the interface and analyses; model.c elements, laws, forces; nodes.c values at
   nodes; constrain.c, overruled.c, tie.c, joint.c, term.c what joins unknowns; expand.c, hollow.c
   shells and beams; truss.c bars; touch.c contact; load.c, points.c, inertia.c what acts; heat.c
   temperatures; modes.c eigenvalues; balance.c, section.c, output.c results; options.c keys.

   Decks (deck/) become cases of this room, which therefore has their notions: local axes, linear
   equations between components, couplings to a reference node, temperatures, tables by number. */
#ifndef IG_STRUCTURE_H
#define IG_STRUCTURE_H

#include "contact/contact.h"
#include "core/room.h"
#include "implicit/modes.h"
#include "implicit/newton.h"
#include "material/material.h"
#include "mesh/support.h"
#include "solid/nodal.h"
#include "solid/solid.h"

/* --- what a case says */

/* `integration` of `sections`, in the order of its choices in options.c; likewise the enums
   below. */
typedef enum {
  IG_INTEGRATION_AUTO,
  IG_INTEGRATION_FULL,
  IG_INTEGRATION_REDUCED,
  IG_INTEGRATION_INCOMPATIBLE,
  IG_INTEGRATION_MEAN_DILATATION
} ig_structure_integration;

/* `sections`: how the elements of some sets are integrated. */
typedef struct {
  ig_src at;
  ig_texts set;
  int integration;
} ig_structure_section;

typedef enum {
  IG_PROFILE_RECTANGLE,
  IG_PROFILE_ELLIPSE,
  IG_PROFILE_PIPE,
  IG_PROFILE_BOX
} ig_structure_profile;

/* `shells`. thickness in m; offset: of the nodes from the middle surface, over the thickness. */
typedef struct {
  ig_src at;
  ig_texts set;
  double thickness, offset;
  bool nodal; /* `thicknesses` of nodes count */
} ig_structure_shell;

/* `beams`. size: outer, m, along the first and second axis of the section; direction: first
   axis; offset: of the nodes, over the sizes. */
typedef struct {
  ig_src at;
  ig_texts set;
  int profile;
  double size[2], direction[3], offset[2];
  ig_reals wall; /* thicknesses of hollow sections */
  bool nodal;
} ig_structure_beam;

/* `trusses`: area in m^2. */
typedef struct {
  ig_src at;
  ig_texts set;
  double area;
} ig_structure_truss;

/* `thicknesses`: m; the second number is for beams. */
typedef struct { /* of nodes */
  ig_src at;
  const char *set;
  double thickness[2];
} ig_structure_thickness;

/* `normals`: need not be of unit length. */
typedef struct { /* of an element at one of its nodes, by their numbers */
  ig_src at;
  int64_t element, node;
  double normal[3];
} ig_structure_normal;

/* kind 0: x along a, b in the plane of x and y; 1: cylindrical, the axis from a to b. */
typedef struct { /* of nodes, or of a material */
  ig_src at;
  const char *set;
  int kind; /* rectangular, cylindrical */
  double a[3], b[3];
} ig_structure_axes;

/* `supports`. fix and components: letters "x y z rx ry rz"; NULL, NaN: left out. displacement in
   m, rotation in rad, both times `history` (factor over time; no rows: 1). */
typedef struct {
  ig_src at;
  const char *set, *fix, *components;
  double displacement[3], rotation[3];
  ig_table history;
  int where;           /* fix: 0 as drawn, 1 as reached */
  bool replaces;       /* what entries before have another value for */
  int64_t first, last; /* analyses, from 1; last 0: to the end */
} ig_structure_support;

/* `equations`: sum of factors x components of nodes = 0; three lists of the same length. */
typedef struct {
  ig_src at;
  ig_texts nodes, components;
  ig_reals factors;
  int64_t first, last; /* analyses, from 1; last 0: to the end */
} ig_structure_equation;

/* `springs`. stiffness in N/m, NaN: `curve` instead; components empty: along the line between
   two nodes. */
typedef struct {
  ig_src at;
  ig_texts nodes, components;
  double stiffness;
  ig_table curve; /* force over elongation */
} ig_structure_spring;

/* `masses`: kg, of each node of the set. */
typedef struct {
  ig_src at;
  const char *set;
  double mass;
} ig_structure_mass;

typedef enum {
  IG_JOINT_DISTANCE,
  IG_JOINT_STRAIGHT,
  IG_JOINT_PLANE,
  IG_JOINT_MEAN_ROTATION
} ig_structure_joint_kind;
/* `joints`, see joint.h. node: of a mean rotation, the node whose x is the angle. */
typedef struct {
  ig_src at;
  int kind;
  ig_texts nodes;
  const char *node;
} ig_structure_joint;

typedef enum {
  IG_COUPLING_RIGID,
  IG_COUPLING_KINEMATIC,
  IG_COUPLING_DISTRIBUTING,
  IG_COUPLING_MEAN
} ig_structure_coupling_kind;
/* `couplings`. node: set of the reference; set: nodes or faces; rotation_node: NULL or a set of
   one node whose displacements are the rotations; a, b: points of the axes. */
typedef struct {
  ig_src at;
  const char *node, *set, *rotation_node, *components;
  int kind;
  int axes; /* 0: fixed, 1: rectangular, 2: cylindrical */
  double a[3], b[3];
} ig_structure_coupling;

/* `ties`. set: nodes or faces that follow; to: faces that carry them; distance in m, NaN: from
   the size of the faces. */
typedef struct {
  ig_src at;
  const char *set, *to;
  double distance;
  bool adjust; /* nodes are moved onto the faces at the start */
} ig_structure_tie;

/* `loads`. One kind each; NaN: not this one. force (on each node) and total (on all) in N, moment
   in N m, pressure in Pa, acceleration in m/s^2, rate in rad/s about `axis` through `point`; all
   times `history`. */
typedef struct {
  ig_src at;
  const char *set;
  double force[3], total[3], moment[3], pressure, acceleration[3], rate, point[3], axis[3];
  ig_table history;
  int64_t first, last; /* analyses, from 1; last 0: to the end */
  ig_reals given;      /* analyses in which a deck gives it a value; none: it just adds up */
} ig_structure_load;

/* `temperatures`, `initial_temperatures`. K (or the scale of the deck); from, to: s. */
typedef struct {
  ig_src at;
  const char *set;
  double temperature, from, to;
} ig_structure_temperature;

/* `initial`: entries add up; m/s and m. */
typedef struct {
  ig_src at;
  const char *set;
  double velocity[3], displacement[3];
} ig_structure_initial;

/* Pa; xx yy zz xy yz zx. */
typedef struct { /* of points of elements */
  ig_src at;
  const char *set;
  int64_t point; /* from 1; 0: all */
  double stress[6];
} ig_structure_prestress;

/* Rayleigh damping of a material; mass in 1/s, stiffness in s. */
typedef struct { /* C = mass M + stiffness K */
  ig_src at;
  const char *material;
  double mass, stiffness;
} ig_structure_damping;

/* `hyperelastic`, Pa and 1/Pa; see ig_solid_hyper for the order of the constants. */
typedef struct { /* instead of the law of a material */
  ig_src at;
  const char *material;
  ig_reals polynomial, ogden, compressibility;
} ig_structure_hyperelastic;

/* K, times `history`; the last entry of a node counts. */
typedef struct { /* a temperature that heat analyses keep */
  ig_src at;
  const char *set;
  double temperature;
  ig_table history;
  int64_t first, last; /* analyses, from 1; last 0: to the end */
} ig_structure_prescribed;

/* `heat_loads`. NaN: not this one. power in W, flux in W/m^2, source in W/m^3, film in W/(m^2
   K), sink: temperature around, times `history`. */
typedef struct {
  ig_src at;
  const char *set;
  double power, flux, source, film, emissivity, sink;
  ig_table history;
  int64_t first, last; /* analyses, from 1; last 0: to the end */
} ig_structure_heat_load;

typedef enum {
  IG_STRUCTURE_STATIC,
  IG_STRUCTURE_DYNAMIC,
  IG_STRUCTURE_FREQUENCY,
  IG_STRUCTURE_BUCKLING,
  IG_STRUCTURE_HEAT
} ig_structure_kind;
typedef enum { IG_STRUCTURE_NEWTON, IG_STRUCTURE_ARC_LENGTH } ig_structure_method;
/* `until` of an analysis by arc length; NaN, NULL: left out. displacement in m of the node of
   `set`, along `component`; factor: of the loads. */
typedef struct {
  ig_src at;
  const char *set, *component;
  double displacement, factor;
} ig_structure_until;
/* `analysis`. Times in s, NaN: left out; lowest and highest in Hz; alpha: of HHT, -0.05 by
   default; tolerance: residual over the mean force. */
typedef struct {
  ig_src at;
  int kind;
  int method; /* static */
  ig_structure_until until;
  bool large, fixed_steps;
  bool steady; /* heat */
  bool creep;  /* static */
  double creep_change;
  bool reached; /* frequency, buckling: of the state reached, not of the drawn one */
  double duration, first_step, largest_step, alpha, tolerance;
  double lowest, highest; /* frequencies */
  int64_t modes, steps;
} ig_structure_analysis;

typedef enum {
  IG_TABLE_DISPLACEMENT,
  IG_TABLE_VELOCITY,
  IG_TABLE_REACTION,
  IG_TABLE_TEMPERATURE,
  IG_TABLE_HEAT_FLOW,
  IG_TABLE_STRESS,
  IG_TABLE_STRAIN,
  IG_TABLE_PLASTIC_STRAIN,
  IG_TABLE_VOLUME,
  IG_TABLE_SECTION,
  IG_TABLE_HEAT_FLUX,
  IG_TABLE_SECTION_FLUX
} ig_structure_quantity;
#define IG_STRUCTURE_QUANTITIES                                                                    \
  "displacement|velocity|reaction|temperature|heat_flow|stress|strain|plastic_strain|volume|"      \
  "section|heat_flux|section_flux"
/* `tables`. total: 0 none, 1 also, 2 only the sum. */
typedef struct {
  ig_src at;
  const char *set;
  int quantity, total;
  int64_t analysis; /* 0: all */
  int axes;         /* 0: fixed, 1: those of the nodes, or of the elements' materials */
} ig_structure_table;

/* The case as read (options.c): lists of the structs above, owned by the case. The model keeps a
   pointer to it and reads histories from it in every step. */
typedef struct {
  ig_src at;
  ig_list shells, beams, trusses, thicknesses, normals, springs, masses, joints;
  ig_list sections, axes, material_axes, supports, equations, couplings, ties, contacts, tools,
      loads;
  ig_list initial_temperatures, temperatures, initial, analysis, tables, damping;
  ig_list prescribed_temperatures, heat_loads, hyperelastic, initial_stresses;
  double absolute_zero, stefan_boltzmann;
} ig_structure_case;
extern const ig_option ig_structure_options[];
/* Refuses keys that are given where they have no effect. */
IG_MUST_CHECK ig_status ig_structure_unused(ig_ctx *cx, const ig_structure_case *c);

/* --- the model */

typedef struct ig_structure ig_structure;
typedef struct ig_structure_points ig_structure_points;
typedef struct ig_structure_condition ig_structure_condition; /* of a joint: joint.c */
typedef struct ig_structure_exchange ig_structure_exchange;   /* heat.c */

/* Elements of one kind.

   One group per kind of element that occurs; all arrays are owned by the model. */
typedef struct {
  ig_structure *of;
  ig_solid_kind kind;
  int32_t count;
  ig_lid *element;     /* of the mesh */
  const ig_lid **node; /* connectivity of each */
  int32_t *unknown;    /* count x 3 nodes */
  int *material;       /* of each, into laws */
  ig_solid_law *law;   /* of each where material axes turn it; NULL: those of the model */
  int states;          /* numbers of an element's history */
  double *past, *now;
  double (*axes)[9]; /* of each: rows are those of its material, all 0: fixed; NULL: none has */
  double *initial;   /* count x points x 6: stresses at the start; NULL: none */
} ig_structure_group;

/* Faces under pressure that turn with them.

   One of each number of nodes. load: entry of `loads`; pressures of small displacements use the
   same list. */
typedef struct {
  ig_structure *of;
  int nodes; /* of a face */
  int32_t count;
  ig_lid *node; /* count x nodes */
  int32_t *unknown;
  int *load;
} ig_structure_faces;

/* A prescribed unknown: constraint without masters, whose g ig_structure_motions sets per step. */
typedef struct {
  int32_t unknown;
  int support;    /* of the case */
  double scale;   /* value times the history */
  double offset;  /* where the unknown stood beyond that when the analysis began */
  int32_t number; /* of the constraint */
} ig_structure_held;

/* Constraints begin to end - 1 of the system are those of one entry of the case. */
typedef struct {
  const char *what; /* "tie", ... */
  const ig_src *at;
  int32_t begin, end;
} ig_structure_source;

/* A component of a node that moves with a body. */
typedef struct {
  int32_t slave;
  int component;
  int32_t reference, turn; /* first unknowns of the reference's motion and of the body's rotation */
  double arm[3];           /* from the reference, at the start */
  int32_t number;          /* of the constraint */
} ig_structure_body;

/* A node of a solid that a shell or beam became (expand.h).

   Members of one drawn node are consecutive; `node` is drawn nodes + index. */
typedef struct {
  ig_lid node, of;   /* of the expanded mesh; the drawn node */
  bool outer;        /* a corner of the section, or a side of the shell */
  double share;      /* of the drawn node's motion where it is plain */
  double arm[3];     /* from the drawn node */
  double sigma;      /* of the mode that leaves motion and rotation of the section alone */
  int32_t number[3]; /* of the constraints of a knot */
  int side;          /* of a shell: 1 on the side of its normal, -1 on the other; 0: neither */
} ig_structure_member;

/* The members around a drawn node, and how they move (expand.h). count 0: it is a node of solids
   only. */
typedef struct {
  int32_t first, count; /* members of a drawn node, one after the other */
  bool knot, turning, straight;
  int stretches, modes; /* modes: 3 of a turning beam */
  int32_t stretch;      /* first unknown of them; modes follow */
  double basis[3][9];   /* B_k */
} ig_structure_cluster;

/* Entry of the sorted list of node numbers. */
typedef struct {
  int64_t number;
  ig_lid node;
} ig_structure_number;

enum { IG_FACE_KINDS = 4 }; /* 3, 4, 6, 8 nodes */

/* Resultant of forces: N, N m about the origin; size: sums of the magnitudes that were added. */
typedef struct {
  double force[3], moment[3], size[2];
} ig_structure_sum;

enum { IG_STRUCTURE_LIMITS = 8 };

/* One run of the room. All pointers are owned and freed by ig_structure_free, but cx, job, c,
   mesh, material (entries) and solver. */
struct ig_structure {
  ig_ctx *cx;
  ig_job *job;
  const ig_structure_case *c;
  const ig_mesh *mesh; /* with the solids that shells and beams became */
  ig_lid nodes, drawn; /* of it; of the mesh of the job, which come first */
  ig_mesh *expanded;   /* NULL: there are no shells and beams */
  int32_t members;
  ig_structure_member *member;
  ig_structure_cluster *cluster; /* of each drawn node; NULL: none */
  ig_structure_points *points;   /* springs and masses; NULL: none */
  int32_t unknowns;
  int groups;
  ig_structure_group *group;
  ig_structure_faces faces[IG_FACE_KINDS];
  /* Loads by a `rate`, in the order of the case, and the elements they act on: spins x elements. */
  int spins, *spin;
  uint8_t *spun;
  /* of loads by a `total`: shares of the nodes of their sets; NULL: equal ones */
  int shares;
  double **share;
  ig_contact contact;
  ig_contact_total touched;        /* at the end of the last step */
  bool *met;                       /* tools: whether a step ended with pressure on them */
  ig_structure_exchange *exchange; /* of a heat analysis */
  ig_solid_rule *hollow;           /* of each entry of `beams`; NULL: none is hollow */
  int *truss;                      /* of each element: its entry of `trusses`, -1; NULL: none has */
  ig_solid_rule *bar;              /* of each entry two: bar2, bar3 */
  int laws;
  ig_solid_law *law; /* by material */
  const ig_material_case **material;
  int *owner;           /* material of each element */
  double (*damping)[2]; /* by material: shares of M and K; NULL: none */
  /* Accepted state, in the axes of nodes. m, m/s, m/s^2; of rotations rad. */
  double *u, *velocity, *acceleration;
  double *reaction;   /* internal forces, unknowns */
  double *T0, *T;     /* nodes; NULL: no temperatures */
  double *heated;     /* nodes: what heat analyses have reached; NULL: none was */
  double *heat_flow;  /* nodes: by conduction and storage, out of the node; NULL likewise */
  double (*frame)[9]; /* of nodes with axes */
  int32_t *framed;    /* node -> frame, -1: none; NULL: none at all */
  int32_t *turn;      /* node -> first of its rotations, -1: none; NULL: none */
  /* the analysis under way */
  int analysis;
  bool ended, finished; /* finished: the analysis */
  double begin;         /* its time at the start */
  double time;
  bool proportional; /* arc length: what acts is linear in time */
  int32_t watched;   /* unknown of `until`, -1: none */
  double side;       /* what is left to the displacement of `until`, at the start */
  double moved;      /* the watched unknown, in the last step */
  double beyond[2]; /* by what the last step went beyond `until`: m, load factor; NaN: it has not */
  /* Load factors at which the path of an analysis by arc length turns, of the first ones: a limit
     load, the least load after it, and so on. */
  int limits;
  double limit[IG_STRUCTURE_LIMITS], factor_before; /* of the last step */
  bool falls;                                       /* the factor, in the last step */
  int64_t step;                                     /* of all analyses */
  int helds, held_space;
  int32_t *held_of; /* unknown -> held, -1: none */
  /* Supports of the analysis under way; held_of finds them by unknown. */
  ig_structure_held *held;
  int sources;
  ig_structure_source *source;
  int rows;
  ig_structure_condition *row;
  int bodies;
  ig_structure_body *body;
  ig_structure_number *number_of; /* nodes by rising numbers of the file; NULL: not made */
  ig_system *system;
  ig_newton *newton;
  int implicit_groups;
  /* Groups of the analysis under way, elements first. At most two per kind of element, faces,
     contact, springs, masses. */
  ig_implicit_group implicit[64];
  ig_newton_model model;
  bool large;
  bool creeping;       /* time acts on creep */
  bool modal;          /* tangents are those of modes: ig_solid_hourglass */
  double creep_change; /* most of a step */
  /* dynamic: mass groups are one to each group of elements */
  bool dynamic;
  double planned;       /* length of the first step */
  double *force_before; /* f_ext - f_int of the accepted state */
  /* Checkpoints: the state in which the analysis under way began. */
  ig_keeper start;
  char failed[512]; /* why no step is possible; "": one is */
  int64_t pictured; /* step of the last snapshot, -1: none */
  double gamma, beta, alpha;
  /* tables */
  char *text;
  size_t text_used, text_space;
  int64_t iterations, cuts;
  const char *solver;
  /* Sums of the last static step (balance.c); balanced: there was one, and no motion since. */
  ig_structure_sum loaded, reacted;
  bool balanced;
  /* frequencies or load factors, of one analysis after the other */
  struct {
    int32_t analysis, buckling; /* no hole: checkpoints have these bytes; buckling: 0 or 1 */
    double value;
  } * mode;
  int modes;
  float *shape; /* of the modes of analysis `shaped`: modes x drawn nodes x 3, the largest is 1 */
  int shapes, shaped;
};

/* The nodes of a set of any kind; free *node. Unlike ig_mesh_named_nodes it does not look at the
   whole mesh for a set of nodes: decks have thousands of sets of one node. */
IG_MUST_CHECK ig_status ig_structure_nodes(const ig_structure *s, const ig_src *at,
                                           const char *name, ig_lid **node, ig_lid *count);
/* model.c. `*to` is set also on failure; free it with ig_structure_free. */
IG_MUST_CHECK ig_status ig_structure_new(ig_job *job, ig_structure **to);
void ig_structure_free(ig_structure *s);
/* Axes at a place x: rows of R. */
void ig_structure_axes_at(const ig_structure_axes *c, const double x[3], double R[9]);
void ig_structure_coupling_axes(const ig_structure_coupling *c, const double x[3], double R[9]);
/* Laws of a group for each of its elements, where they differ within a material. */
IG_MUST_CHECK ig_status ig_structure_laws_own(ig_structure *s, ig_structure_group *g);
/* hollow.c: points of beams with hollow sections. */
IG_MUST_CHECK ig_status ig_structure_hollow_read(ig_structure *s);
/* truss.c: which elements are bars, and before that whether an element is one; their sections. */
IG_MUST_CHECK ig_status ig_structure_trusses_find(ig_structure *s);
bool ig_structure_is_truss(const ig_structure *s, ig_lid element);
IG_MUST_CHECK ig_status ig_structure_trusses_read(ig_structure *s);
/* prestress.c: stresses at the start. */
IG_MUST_CHECK ig_status ig_structure_prestress_read(ig_structure *s);
/* Makes a law depend on temperature where its material does. */
IG_MUST_CHECK ig_status ig_structure_law_heat(ig_structure *s, const ig_material_case *m,
                                              ig_solid_law *law);
/* creep.c. Whether an analysis has creep; the law of a material that has it, from its elastic or
   plastic one; whether a law is one. */
bool ig_structure_has_creep(const ig_structure_case *c);
IG_MUST_CHECK ig_status ig_structure_creep_law(ig_structure *s, const ig_material_case *m,
                                               ig_solid_law *law);
bool ig_structure_creeps(const ig_solid_law *law);
/* Whether a trial is short enough for its creep. */
bool ig_structure_creep_fits(const ig_structure *s, char *why, size_t size);
/* An error where the accepted state has crept beyond what the laws are for. */
IG_MUST_CHECK ig_status ig_structure_creep_check(const ig_structure *s);
/* Temperatures of an element's nodes, then those of the start; NULL: its law does not depend on
   them. */
const double *ig_structure_warmth(const ig_structure_group *g, int32_t e, double *warm);
/* Temperatures of all nodes at a time. */
IG_MUST_CHECK ig_status ig_structure_heat(ig_structure *s, double time);
IG_MUST_CHECK ig_status ig_structure_temperatures_new(ig_structure *s);
/* Positions, displacements and warmth of an element: X, u nodes x 3 in fixed axes. `add`:
   increments of the unknowns, NULL: none. */
void ig_structure_gather(const ig_structure *s, const ig_lid *node, int nodes, const double *add,
                         double *X, double *u);
/* f (nodes x 3) and K from fixed axes to those of the nodes. */
void ig_structure_to_local(const ig_structure *s, const ig_lid *node, int nodes, double *f,
                           double *K);
/* Points of an element that are reported. */
int ig_structure_point_count(const ig_structure_group *g, int32_t e);
const ig_solid_law *ig_structure_law(const ig_structure_group *g, int32_t e);
/* Callback of the engine: forces f and tangents k (NULL: not wanted) of elements begin to end -
   1 at the trial. Thread-safe for disjoint ranges. */
IG_MUST_CHECK ig_status ig_structure_evaluate(void *self, const ig_trial *at, int32_t begin,
                                              int32_t end, double *f, double *k,
                                              ig_trouble *trouble);
/* Reports of the points of an element at the accepted state and the increments `add` (NULL: none);
   see ig_solid_report. */
IG_MUST_CHECK ig_status ig_structure_report(const ig_structure *s, const ig_structure_group *g,
                                            int32_t e, const double *add, double *report);
/* Callback of the engine: history of the trial becomes the accepted one. */
IG_MUST_CHECK ig_status ig_structure_accept(void *self, const ig_trial *at);
/* Internal forces of the accepted state into `reaction`. */
IG_MUST_CHECK ig_status ig_structure_forces(ig_structure *s);

/* nodes.c: an unknown in words, for messages; self is the ig_structure. */
void ig_structure_unknown_name(void *self, int32_t unknown, char *text, size_t size);
/* tie.c: moves nodes onto the faces that `adjust` of ties and contacts names, without strain. */
IG_MUST_CHECK ig_status ig_structure_adjust(ig_structure *s);
/* constrain.c: the constraints of analysis number `analysis`. */
IG_MUST_CHECK ig_status ig_structure_constrain(ig_structure *s, int analysis);
/* Callback of Newton's method: increments of supports from time `from` to `to`. */
IG_MUST_CHECK ig_status ig_structure_motions(void *self, double from, double to);
/* touch.c: the points of the contacts that the analysis has, and callbacks of Newton's method. */
IG_MUST_CHECK ig_status ig_structure_contact_new(ig_structure *s);
/* What contact asks of the model, without points. */
void ig_structure_contact_bodies(ig_structure *s);
/* Refuses tools that have no effect or no shape. */
IG_MUST_CHECK ig_status ig_structure_tools_check(ig_ctx *cx, const ig_structure_case *c,
                                                 const ig_mesh *mesh);
/* Which tools press at the accepted state; those that never did are warned of at the end. */
IG_MUST_CHECK ig_status ig_structure_tools_met(ig_structure *s, bool all);
void ig_structure_tools_warn(const ig_structure *s);
void ig_structure_contact_ease(void *self, double share, bool bonded);
bool ig_structure_contact_grip(void *self, bool on);
bool ig_structure_contact_augment(void *self, const ig_trial *at);
bool ig_structure_contact_unsettled(void *self);
bool ig_structure_contact_fits(void *self, const ig_trial *at, char *why, size_t size);
/* load.c
   Checks loads against the mesh, then makes s->faces. Once per model. */
IG_MUST_CHECK ig_status ig_structure_faces_new(ig_structure *s);
/* Callbacks of the engine: pressures that follow their faces; external forces at the trial's
   time. */
/* Warns of loads that act on held components alone in the first analysis in which they act. */
IG_MUST_CHECK ig_status ig_structure_held_loads(ig_structure *s);
IG_MUST_CHECK ig_status ig_structure_press(void *self, const ig_trial *at, int32_t begin,
                                           int32_t end, double *f, double *k, ig_trouble *trouble);
IG_MUST_CHECK ig_status ig_structure_loads(void *self, const ig_trial *at, double *f);
/* The same of the inertia of rotations, of the elements of a group at their displaced places. */
IG_MUST_CHECK ig_status ig_structure_spin(void *self, const ig_trial *at, int32_t begin,
                                          int32_t end, double *f, double *k, ig_trouble *trouble);
/* Dead loads at a time, without what inertia adds. */
IG_MUST_CHECK ig_status ig_structure_loads_at(ig_structure *s, double time, double *f);
/* Where displacements are large: adds the loads that follow them, pressures and rotations, at the
   accepted state. */
IG_MUST_CHECK ig_status ig_structure_followers_at(ig_structure *s, double time, double *f);
/* inertia.c: M a of a trial by Newmark's rule, over 1 + alpha */
IG_MUST_CHECK ig_status ig_structure_inertia(void *self, const ig_trial *at, int32_t begin,
                                             int32_t end, double *f, double *k,
                                             ig_trouble *trouble);
/* Accelerations at the start of a dynamic analysis; needs the system of equations. */
IG_MUST_CHECK ig_status ig_structure_motion_begin(ig_structure *s);
/* The acceleration of an unknown that moves by u in a step dt. */
double ig_structure_acceleration(const ig_structure *s, int32_t i, double u, double dt);
/* Whether an analysis, from 0, is one of those from `first` to `last`, from 1; last 0: to the end.
 */
bool ig_structure_acts(int analysis, int64_t first, int64_t last);
/* Factor of a history at a time of the analysis under way; without rows 1. In analyses by arc
   length it is linear from its value at the start to that at the end, and goes on beyond both. */
double ig_structure_factor(const ig_structure *s, const ig_table *history, double time);
/* The increment of a prescribed unknown between two times of the analysis under way. */
double ig_structure_led(const ig_structure *s, const ig_structure_held *h, double from, double to);
/* A vector of a node, in its axes, in fixed ones. */
void ig_structure_to_fixed(const ig_structure *s, size_t node, const double own[3], double v[3]);
/* Velocities of a trial of a node, in fixed axes; `rate`: their derivative by the displacement.
   Without a step those of the accepted state. */
void ig_structure_velocity(const ig_structure *s, const ig_trial *at, ig_lid node, double v[3],
                           double *rate);
/* f_ext - f_int - C v of the accepted state into `force_before`; loads at `time`. */
IG_MUST_CHECK ig_status ig_structure_force_before(ig_structure *s, double time);
/* Velocities and accelerations after a step that added u over dt. */
void ig_structure_motion_accept(ig_structure *s, const double *u, double dt);
/* heat.c: refuses what a heat analysis does not support, before any analysis begins. */
IG_MUST_CHECK ig_status ig_structure_heat_check(const ig_structure *s,
                                                const ig_structure_analysis *a);
/* The groups of elements as the other functions have them, unknowns are temperatures. */
IG_MUST_CHECK ig_status ig_structure_heat_begin(ig_structure *s, const ig_structure_analysis *a);
/* NULL is allowed. */
void ig_structure_exchange_free(ig_structure_exchange *x);
/* Heat fluxes of the points of an element: points x 3. */
IG_MUST_CHECK ig_status ig_structure_flux(const ig_structure *s, const ig_structure_group *g,
                                          int32_t e, double *flux);
/* modes.c: natural frequencies or critical load factors about the accepted state. */
IG_MUST_CHECK ig_status ig_structure_modes(ig_structure *s, const ig_structure_analysis *a);
/* output.c
   A row of tables.csv; number and point 0 where there is none. value: `count` numbers, at most
   6. */
void ig_structure_row(ig_structure *s, const char *quantity, const char *set, int64_t number,
                      int point, int count, const double *value);
/* Rows of all `tables` of the case at the accepted state. */
IG_MUST_CHECK ig_status ig_structure_tables(ig_structure *s);
/* tables.csv, with the steps so far; `to` may be NULL. */
IG_MUST_CHECK ig_status ig_structure_tables_write(const ig_structure *s, ig_sink *to);
/* checkpoint.c
   Keeps the accepted state as that in which the analysis begins. */
IG_MUST_CHECK ig_status ig_structure_start_keep(ig_structure *s);
IG_MUST_CHECK ig_status ig_structure_save(void *self, ig_sink *to);
/* The two halves of a restart: the state in which the analysis began, from which the caller begins
   it, and what has been reached since. */
IG_MUST_CHECK ig_status ig_structure_start_read(ig_structure *s, const ig_restart *from);
IG_MUST_CHECK ig_status ig_structure_reached_read(ig_structure *s, const ig_restart *from);
/* balance.c
   Sums of loads and reactions of the static step that was accepted last; at the end of an analysis
   a warning where they do not balance. */
IG_MUST_CHECK ig_status ig_structure_balance(ig_structure *s, const ig_newton_standing *now);
/* Names of the sums, forces before moments, and their values: 0 at the start, NaN where the last
   step was none of statics. */
enum { IG_STRUCTURE_SUMS = 12 };
extern const char *const ig_structure_sums[IG_STRUCTURE_SUMS];
void ig_structure_balance_list(const ig_structure *s, double value[IG_STRUCTURE_SUMS]);
/* section.c */
/* Rows of tables.csv of a section: force and moment about the origin; centre and normal; area,
   normal force, shear force, torque, bending moment. Of `section_flux` the heat out of it, the
   first number. */
IG_MUST_CHECK ig_status ig_structure_section_force(ig_structure *s, const ig_structure_table *c,
                                                   double row[3][6]);
/* Members of the room's table (core/room.h). */
IG_MUST_CHECK ig_status ig_structure_snapshot(void *self, ig_sink *to);
/* nodal.c: stresses at the drawn nodes at the accepted state; whether there are shells. */
IG_MUST_CHECK ig_status ig_structure_stresses(const ig_structure *s, ig_nodal_stress *out);
bool ig_structure_has_shells(const ig_structure *s);
/* stiff.c: warnings of elements that are too stiff where a body bends: of buckling by their shape;
   of statics by the stresses of the accepted state, from this share of the displacements on. */
#define IG_STRUCTURE_STIFF 0.05
IG_MUST_CHECK ig_status ig_structure_stiff_buckling(const ig_structure *s,
                                                    const ig_structure_analysis *a);
IG_MUST_CHECK ig_status ig_structure_stiff_static(const ig_structure *s,
                                                  const ig_structure_analysis *a);
IG_MUST_CHECK ig_status ig_structure_history(void *self, ig_sink *to);
IG_MUST_CHECK ig_status ig_structure_results(void *self, ig_sink *to);

#endif
