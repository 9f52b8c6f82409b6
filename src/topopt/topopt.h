/* Topology optimisation: what a case says, and the problem made of it.

   Finds densities x of elements, 0 to 1, that make an objective small (compliance, heat compliance,
   displacement of a port, stress, temperature, volume, or minus the lowest frequency) within a
   volume and other bounds. The modulus of an element is E (least + (1 - least) rho^penalty), with
   rho the physical density made of x.

   Three layers, each knowing only the one below:

     the run      steps.c, sequence.c, finish.c: iterations, when to stop, coarse grids first,
                  the finished part
     the design   ig_topopt_design (design/): x, filters, projection, sensitivities, constraints,
                  updates by optimality criteria or moving asymptotes
     the body     ig_discretisation: a regular grid (grid/) or a mesh (mesh/). It solves K u = f for
                  given moduli, has filters and element energies, and makes snapshots. The design
                  never asks which of the two it is

   One iteration (ig_topopt_advance in steps.c):

       x ──filter──► filtered ──print, draw──► printed ──project──► density ──► modulus
       ▲                                                               │ solve: u, adjoints
     update ◄── gradients by x ◄── filter_back ◄── gradients by density ◄── energies

     ig_topopt_design_evaluate   the way to the right and back: objective, volume, constraints and
                                 their gradients (dc, dv, limit_slope); `robust` designs go it
                                 three times, eroded, dilated and intermediate (realisations)
     ig_topopt_design_update     the next x; the old one stays in `trial`
     ig_topopt_design_change     how far it went: ends the run, and sets how exactly the next
                                 systems are solved

   Arrays of elements have `places` values on the device, with role (designed, solid, void, none)
   for each; arrays of states have `unknowns`. The design owns its arrays, the body owns modulus,
   loads and solver. On several ranks the grid is divided into slabs, a mesh into ranges of nodes,
   or each rank solves whole systems in turn (design/solve_groups.c); sums are taken in one order,
   so that any number of ranks gives the same bits. */
#ifndef IG_TOPOPT_H
#define IG_TOPOPT_H

#include "core/room.h"
#include "mesh/place.h"
#include "solver/grid/multigrid.h"
#include "topopt/kernels/design.h"
#include "topopt/kernels/stress_ops.h"

/* --- the case --- */

/* Entries say where they are by `set` and `place`: inside both, or everywhere. */
typedef struct {
  ig_src at;
  /* The body as a box of equal elements, from the origin along x, y, z. */
  int64_t elements[3]; /* the last one 0: a plane problem */
  double size[3];      /* m; not given: elements of 1 m */
  double thickness;
  const char *stl;           /* a part's surface: what is outside is void */
  double unit, translate[3]; /* m */
} ig_grid_case;
typedef struct {
  ig_src at;
  const char *set;
  ig_place place;
  /* A support. Components that are not named stay free. */
  const char *fix;                     /* "all", or some of x y z; temperatures: anything */
  double displacement[3], temperature; /* where it is held, m and K; NaN: zero */
} ig_hold_case;
/* Of a force or heat: the given value at each node, the given value divided equally between the
   nodes, or divided between faces by their area. */
typedef enum { IG_SPREAD_EACH, IG_SPREAD_NODES, IG_SPREAD_FACES } ig_spread;
typedef struct {
  ig_src at;
  const char *set;
  ig_place place;
  /* A load of one load case: several kinds may be given in one entry and act together. */
  double force[3], heat;      /* N; W */
  double moment[3], pressure; /* N m about the middle of the nodes; Pa against the faces */
  double gravity[3];          /* m/s^2 on the mass of the design */
  int spread;                 /* ig_spread */
  int64_t load_case;          /* from 1 */
} ig_load_case;
typedef struct {
  ig_src at;
  const char *set;
  ig_place place;
  /* Springs to ground, the workpiece of a mechanism for example. */
  double stiffness[3]; /* N/m in all, shared by the nodes */
} ig_spring_case;
typedef struct {
  ig_src at;
  const char *set;
  ig_place place;
  double direction[3];
} ig_port_case;
typedef struct {
  ig_src at;
  const char *set;
  ig_place place;
  int as; /* solid, void */
} ig_passive_case;
/* One of these is given, the others are NAN. */
/* A stress that comes and goes: the load case is the largest load of a cycle. */
typedef struct {
  ig_src at;
  double ratio;                 /* least over largest load, -1 to 1 */
  double mean_stress, ultimate; /* weight of the mean trace, or what it follows from, Pa; NaN */
} ig_cycle_case;
typedef struct {
  ig_src at;
  const char *set;
  ig_place place;
  /* The quantity that is bounded from above (a frequency: from below). */
  double volume, compliance, displacement, stress; /* share of the region; J; m; Pa */
  double frequency, buckling;                      /* Hz, load factor: the least */
  double distortion;                               /* m, of the printed part */
  double support_volume, removal_force;            /* m^3, N: supports of the printed part */
  double overheating;                              /* rise over that of a solid part, the highest */
  double temperature, mass;                        /* K, the highest; kg */
  double member;                                   /* m: no ball of this diameter may be solid */
  double direction[3];
  int64_t load_case;   /* from 1; 0: the first, of a stress all */
  ig_cycle_case cycle; /* of a stress */
} ig_limit_case;
typedef struct {
  ig_src at;
  /* p of the norm; exponent of the density in relaxed stresses (design/stress.h). */
  double exponent, relaxation;
  int64_t clusters;
  ig_texts exclude; /* sets whose stresses do not count */
} ig_topopt_stress_case;
typedef struct {
  ig_src at;
  int64_t modes;
  double exponent;
} ig_frequency_case;
/* Of linear buckling. */
typedef struct {
  ig_src at;
  int64_t modes;
  double exponent;
} ig_buckling_case;
typedef struct {
  ig_src at;
  const char *set;
  ig_place place;
  double mass; /* kg, shared by the nodes */
} ig_mass_case;
typedef struct {
  ig_src at;
  const char *name;
  ig_place place;
} ig_set_case;
typedef struct {
  ig_src at;
  double initial_value, factor;
  int64_t hold; /* `initial_value` for so many iterations, then times `factor` each */
} ig_ramp_case;
typedef enum {
  IG_FILTER_NONE,
  IG_FILTER_SENSITIVITY,
  IG_FILTER_DENSITY,
  IG_FILTER_HELMHOLTZ
} ig_filter_kind;
typedef struct {
  ig_src at;
  /* ig_filter_kind */
  int kind;
  double radius; /* m */
  bool padded;   /* every side of a grid is as a plane of symmetry */
} ig_filter_case;
typedef struct {
  ig_src at;
  /* rho = H(filtered density): a smoothed step at eta (kernels/design.inc) */
  double beta, eta, robust; /* first sharpness, 0: none; threshold; its spread, 0: one design */
  double beta_max;
  int64_t every; /* beta doubles after so many iterations */
} ig_projection_case;
typedef enum {
  IG_OPTIMISER_OC,
  IG_OPTIMISER_MMA,
  IG_OPTIMISER_AUTO,
  IG_OPTIMISER_GCMMA
} ig_optimiser_kind;
typedef struct {
  ig_src at;
  /* method: ig_optimiser_kind; move_limit_kind: 0 absolute, 1 a share of the density (oc) */
  int method, move_limit_kind;
  double move_limit, damping, gray_exponent, tolerance;
  double x_min; /* NaN: chosen by the problem */
  /* oc: where the bisection of the multiplier begins; its tolerance: 0 a share, 1 absolute */
  double multiplier_max;
  int tolerance_kind;
  ig_ramp_case gray_ramp;
} ig_optimiser_case;
typedef enum {
  IG_PRECONDITIONER_JACOBI,
  IG_PRECONDITIONER_BLOCKS,
  IG_PRECONDITIONER_MULTIGRID,
  IG_PRECONDITIONER_PETSC
} ig_preconditioner;
typedef struct {
  ig_src at;
  /* ig_preconditioner, ig_smoother, ig_cycle, ig_storage */
  int preconditioner, smoother, cycle, storage;
  int operator; /* of meshes: ig_ebe_kind */
  int64_t coarse_cycles, fine_smoothing_steps, smoothing_steps, limit;
  double damping, tolerance; /* of the residual; 0: adaptive */
} ig_solver_case;
typedef struct {
  ig_src at;
  /* density at the surface, NaN: the one that keeps the volume */
  double level;
  ig_texts formats; /* value NULL: left out */
  double unit;      /* of files that name none, m */
  double deviation; /* by which triangles may be moved to improve them, m; NaN: not given */
  bool mirror, islands;
  int analyse; /* 0 or 1; -1: not given */
} ig_surface_case;
typedef enum {
  /* objective: compliance f.u; heat compliance; displacement of the output port; lowest
     eigenvalue */
  IG_PROBLEM_STIFFNESS,
  IG_PROBLEM_HEAT,
  IG_PROBLEM_MECHANISM,
  IG_PROBLEM_FREQUENCY
} ig_problem_kind;
typedef enum {
  /* what the problem kind says; otherwise the named quantity within the bounds of `constraints` */
  IG_MINIMISE_RESPONSE,
  IG_MINIMISE_VOLUME,
  IG_MINIMISE_STRESS,
  IG_MINIMISE_DISPLACEMENT,
  IG_MINIMISE_TEMPERATURE,
  IG_MINIMISE_BUCKLING, /* one over the lowest load factor */
  IG_MINIMISE_DISTORTION,
  IG_MINIMISE_SUPPORT_VOLUME,
  IG_MINIMISE_OVERHEATING
} ig_minimise_kind;
/* What ranks do: the linear systems of a design are shared, or the grid is divided; the last one,
   of coarser grids, where it can be. */
typedef enum { IG_RANKS_AUTO, IG_RANKS_SHARE, IG_RANKS_DIVIDE, IG_RANKS_DIVIDE_IF } ig_ranks_way;
typedef enum { IG_COMBINE_SUM, IG_COMBINE_WORST } ig_combine_kind;
typedef struct {
  ig_src at;
  const char *direction; /* in which the part is built, "z+" */
  double angle;          /* from the plate, degrees; NaN: what the elements of a grid give, 45 */
} ig_overhang_case;
typedef struct {
  ig_src at;
  const char *direction; /* in which the tool is drawn */
  double parting;        /* where two tools meet, m; NaN: one tool */
  double angle;          /* draft: of walls to the direction, degrees */
} ig_draw_case;
/* The part as it is printed, layer by layer: where it counts, for the objective. */
typedef struct {
  ig_src at;
  const char *set;
  ig_place place;
  const char *direction;   /* in which the part is built, "z+" */
  int64_t layers;          /* 0: 10, or as many as there are elements */
  double strain[3];        /* inherent strain of a new layer; NaN: not given */
  double angle;            /* from the plate: flatter faces need supports, degrees */
  double support_strength; /* of their contact with the part, Pa; NaN: not given */
  double slab;             /* what conducts heat below a new layer, m; NaN: ten elements */
} ig_printing_case;
enum { IG_MILL_DIRECTIONS = 6 };
typedef struct {
  ig_src at;
  ig_texts directions; /* from which tools come in, "z+" */
} ig_mill_case;
typedef struct {
  ig_src at;
  const char *extrude; /* "z"; NULL: none */
  int64_t repeat[3];
  ig_texts mirror; /* "x", "y", "z" */
} ig_pattern_case;
typedef struct {
  ig_src at;
  int64_t grids, iterations; /* coarser grids before the grid itself; at most so many on each */
} ig_sequence_case;
typedef struct {
  ig_src at;
  const char *file, *field;
} ig_start_case;

/* Cycles that the finished part has to endure: load case times factor at their largest. */
typedef struct {
  ig_src at;
  int64_t load_case;
  double factor, ratio, cycles; /* ratio: least over largest load */
} ig_spectrum_case;
/* The part analysed on meshes of its own after the run (src/finish). */
typedef struct {
  ig_src at;
  double size;         /* edge of the finest mesh's elements, m; NaN: 0.7 of the design's */
  int64_t meshes;      /* 1 to 3 */
  int64_t frequencies; /* natural frequencies of the part; 0: none */
  int64_t buckling;    /* factors of linear buckling of each load case; 0: none */
  bool step;           /* write part.step */
  bool large_deflections;
  ig_list spectrum; /* of ig_spectrum_case */
} ig_finish_case;

/* How the body deforms under its loads; design/large.h. */
typedef enum {
  IG_LARGE_AUTO,
  IG_LARGE_DIRECT,
  IG_LARGE_ITERATIVE,
  IG_LARGE_MATRIX_FREE
} ig_large_solver;
typedef enum { IG_LARGE_ELASTIC, IG_LARGE_NEO_HOOKEAN } ig_large_law;
typedef struct {
  ig_src at;
  bool large_deflections;
  int law;            /* ig_large_law */
  int linear_solver;  /* ig_large_solver */
  int64_t load_steps; /* equal ones, unless Newton's method needs shorter ones */
} ig_analysis_case;

typedef enum { IG_PLANE_STRESS, IG_PLANE_STRAIN } ig_plane_kind;

typedef struct {
  ig_src at;
  /* ig_problem_kind, ig_minimise_kind, ig_combine_kind */
  int problem, minimise, combine;
  int plane; /* ig_plane_kind */
  /* Members are keys of the case; lists hold structs of the types above. */
  ig_grid_case grid;
  ig_list sets, supports, loads, springs, masses, ports, passive, constraints;
  ig_texts symmetry;         /* "x-", "x+", "y-", … */
  double source;             /* W/m^3 everywhere */
  double temperature_change; /* of the body since it was put on its supports, K */
  ig_reals weights;          /* of load cases */
  double volume, penalty, void_ratio;
  bool choose_material;  /* each element takes one of the materials, or none */
  double mass_threshold; /* densities below it weigh next to nothing */
  ig_ramp_case penalty_ramp;
  ig_topopt_stress_case stress;
  ig_frequency_case frequency;
  ig_buckling_case buckling;
  ig_filter_case filter;
  ig_projection_case projection;
  ig_overhang_case overhang;
  ig_draw_case draw_direction;
  ig_mill_case milling;
  ig_printing_case printing;
  ig_pattern_case pattern;
  ig_optimiser_case optimiser;
  ig_analysis_case analysis;
  ig_solver_case solver;
  ig_surface_case surface;
  ig_finish_case finish;
  ig_sequence_case sequence;
  ig_start_case initial_design;
  int64_t iterations;
  double change, objective_change;
  int ranks; /* ig_ranks_way */
} ig_topopt_case;

extern const ig_option ig_topopt_options[];
/* IG_OPTIMISER_OC or IG_OPTIMISER_MMA: what the case says, or what its problem needs. */
int ig_topopt_method(const ig_topopt_case *c);
/* Share of the body that may be solid. */
double ig_topopt_volume(const ig_topopt_case *c);
/* Whether the objective is the displacement of the ports: mechanisms, minimise: displacement. */
bool ig_topopt_has_port(const ig_topopt_case *c);
/* Fails where a key is given that has no effect in this case; `tree`: the case as written, or NULL.
   unused.c */
IG_MUST_CHECK ig_status ig_topopt_unused(ig_ctx *cx, const ig_topopt_case *c, const ig_node *tree);
/* Whether the finished part is analysed: as given, or where a bound on a stress, a compliance or a
   displacement has to hold for it. */
bool ig_topopt_analysed(const ig_topopt_case *c);
/* Whether the part can be analysed on meshes of its own; materials may be NULL. */
IG_MUST_CHECK ig_status ig_topopt_finish_check(ig_ctx *cx, const ig_topopt_case *c,
                                               const ig_mesh *mesh, const ig_list *materials);
/* How often the exported part contains the model: 2 for each plane of symmetry at which the surface
   is mirrored. */
double ig_topopt_copies(const ig_topopt_case *c);
/* Modulus or conductivity of void over that of solid. */
double ig_topopt_void_ratio(const ig_topopt_case *c);
/* Of a plane problem, m. */
double ig_topopt_thickness(const ig_topopt_case *c);
/* Largest member size among the constraints, m; 0: there is none. */
double ig_topopt_member(const ig_topopt_case *c);
/* Whether columns are swept: draw, milling. */
bool ig_topopt_swept(const ig_topopt_case *c);
/* Whether what can be made is less than what is designed: overhang, draw, milling. */
bool ig_topopt_made(const ig_topopt_case *c);

/* --- the discretisation: all the design loop knows of it --- */

/* Sizes of fixed arrays: load cases of a case, and designs of a robust one (eroded, dilated,
   intermediate). */
enum { IG_LOAD_CASES = 16, IG_REALISATIONS = 3 };
enum { IG_TOUCH_HELD = 1, IG_TOUCH_LOADED = 2 }; /* bits of a mark */

/* Loads in units of their norm, on the device. */
typedef struct {
  int cases;
  ig_array gravity[IG_LOAD_CASES]; /* what a unit nodal mass weighs; none: empty */
  /* prescribed displacements or temperatures of all load cases; they are no part of f */
  ig_array held; /* where nodes are held away from zero, times stiffness; or empty */
  /* free expansion by `temperature_change`: strain; displacement times stiffness, or empty. States
     are then displacements without it (design/load.h). */
  double expansion;
  ig_array expanded;
  double element_mass; /* of the mean element, solid, kg; 0: not known */
  /* materials to choose from, lightest first: density and modulus over the heaviest's */
  int candidates;
  const char *candidate[IG_CANDIDATES];
  double candidate_density[IG_CANDIDATES], candidate_modulus[IG_CANDIDATES];
  int64_t *sprung; /* nodes that springs hold to ground (host, owned) */
  int springs;
  ig_array added; /* masses at the nodes, in units of that; or empty */
  ig_array heavy; /* its solid's density over the first material's; or empty */
  ig_array f[IG_LOAD_CASES];
  /* norm: N or W that a unit of f stands for; weight: of the load case in the objective */
  double norm[IG_LOAD_CASES], weight[IG_LOAD_CASES];
  ig_array port; /* the output of a mechanism */
  double norm_port;
  ig_array limit[IG_LIMITS]; /* of constraints: what measures it; elements it counts */
  double norm_limit[IG_LIMITS];
  double stiffness; /* Young's modulus (times thickness) or conductivity of the solid */
} ig_loading;

/* A grid as layers over the build plate. Element (i, j) of layer k is at the place
   first + i step[0] + j step[1] + k up. */
typedef struct {
  int axis, layers, n[2]; /* n: elements of a layer; the second is 1 in a plane */
  int64_t first, up, step[2];
  double height, across[2]; /* edges of an element; the second is the thickness of a plane, m */
} ig_topopt_layers;

/* A face of an element that looks up or down, over the plate. */
typedef struct {
  int32_t element, node[6];
  double area, height; /* seen from above; of its middle over the plate, m */
} ig_topopt_build_face;

/* A mesh over its build plate, as supports and heat of the print see it (host). Elements are in
   layers of equal height by their centres. */
typedef struct {
  int32_t elements, nodes;
  int corners;
  const int32_t *conn; /* elements x corners */
  const double *x;     /* of nodes, 3 each */
  int layers;
  double height;  /* of a layer, m */
  int32_t *layer; /* of each element */
  /* elements that hold one up, held[held_start[e]] to held[held_start[e + 1] - 1]; plate: nothing
     needs to, it stands there */
  int64_t *held_start;
  int32_t *held;
  uint8_t *plate;
  /* upright lines, each for `area` of the plate: line i goes from its top down through elements
     segment[line[i]] to segment[line[i + 1] - 1], -1: where the mesh is not; length in m */
  int64_t lines, *line;
  int32_t *segment;
  double *length, area;
  /* faces that look up, to where nothing is before the next layer, layer after layer; faces that
     look down out of the mesh. share: of nodes in the mean over a face */
  int face_nodes;
  double share[6];
  int32_t *top_first; /* layers + 1 */
  ig_topopt_build_face *top, *under;
  int32_t unders;
} ig_topopt_build;

/* The body on the plate it is printed on: the same elements, held there and at planes of symmetry.
 */
enum { IG_NO_LAYER = 255 };
typedef struct {
  int layers;
  const uint8_t *element, *node; /* host: the layer that each comes with */
  const uint8_t *fix;            /* device, as of the body */
  double *modulus;               /* device: set, then call `changed` */
  bool *learnt;
  ig_status (*changed)(void *self);
  ig_status (*solve)(void *self, const double *f, double *u, double tolerance,
                     ig_solve_report *report);
  /* forces of an inherent strain. Grids: from stresses times volumes at the centres of elements.
     Meshes (NULL of grids): with these moduli; energies of states z with them at unit modulus. */
  ig_status (*strain_back)(void *self, const double *tensor, double *f);
  ig_status (*shrink)(void *self, const double *modulus, double *f);
  ig_status (*shrink_energy)(void *self, const double *z, double *out);
} ig_topopt_plate;

/* The elements of a body with their nodes, on the host: for analyses of which moduli are not all
   there is to know. */
typedef struct {
  int dim, corners;         /* of space; nodes of an element */
  int kind;                 /* ig_solid_kind, in space */
  int32_t elements, points; /* points: nodes that elements have, and others */
  int64_t *place, *at;      /* where elements and points are in their arrays */
  int32_t *node;            /* elements x corners, in the order of `kind`, or around a plane one */
  double *x;                /* points x dim, m */
  double *spring;           /* points x dim, over loading->stiffness; NULL: none */
} ig_topopt_body;

/* The part and the discretisation are defined below, the others in design/stress.h, design/modes.h,
   design/buckling.h, design/distortion.h, design/pnorm.h, design/support.h, design/overheat.h,
   design/large.h and surface/pieces.h. */
typedef struct ig_topopt_part ig_topopt_part;
typedef struct ig_topopt_stress ig_topopt_stress;
typedef struct ig_topopt_modes ig_topopt_modes;
typedef struct ig_topopt_buckling ig_topopt_buckling;
typedef struct ig_topopt_distortion ig_topopt_distortion;
typedef struct ig_topopt_pnorm ig_topopt_pnorm;
typedef struct ig_topopt_support ig_topopt_support;
typedef struct ig_topopt_overheat ig_topopt_overheat;
typedef struct ig_topopt_large ig_topopt_large;
typedef struct ig_topopt_pieces ig_topopt_pieces;
typedef struct ig_discretisation ig_discretisation;
struct ig_discretisation {
  void *self;
  ig_loading *loading;
  /* Numbers and shares of the whole body, on every rank. */
  int64_t solid, designed; /* elements held solid; elements to design */
  double solid_volume;     /* those held solid, as a share of the body's volume */
  double void_volume;      /* those held void */
  const char *loose;       /* what nothing keeps the body from, "moves along x"; NULL: held fast */
  int64_t places;          /* values of an element array; places without an element have no role */
  int64_t elements, dofs, nodes;
  const uint8_t *role; /* device */
  double *modulus;     /* device, in units of the solid's: set, then call `changed` */
  double volume;       /* of an element, the mean */
  const double *share; /* device: volume of each over the mean; NULL: all are alike */
  const double *scale; /* device: its solid's modulus over loading->stiffness; NULL: one material */
  int64_t unknowns;    /* values of a state vector */
  /* Of a grid: itself, since sums are made per plane. Divided between ranks (grid->slab), the above
     are this rank's part, with ghosts that have no role; values of the whole are these: */
  const ig_grid *grid;
  int64_t all_places, all_unknowns;
  /* Of a mesh: `grid` are blocks of elements; blocks of nodes, and where own values of a state
     begin and end (NULL: `grid`, all of them). */
  const ig_grid *states;
  int64_t own_states[2], own_from; /* the first of these in a state of the whole */
  /* Of a mesh in parts: `count` arrays of elements or of states from the device to the host, as a
     whole, on rank 0 or on all; and from there to the device, each rank its own values. NULL: as a
     grid does it. */
  ig_status (*fetch)(void *self, bool states, int count, const double *from, bool everyone,
                     double *to);
  ig_status (*place)(void *self, bool states, int count, const double *from, double *to);
  void (*lighten)(void *self); /* all is set up; NULL: nothing to let go */
  /* new moduli are in `modulus`: the solver renews what depends on them */
  ig_status (*changed)(void *self);
  /* K u = f to a relative residual of `tolerance`; u is the first guess on entry. Collective
     where the body is divided between ranks */
  ig_status (*solve)(void *self, const double *f, double *u, double tolerance,
                     ig_solve_report *report);
  const double *(*residual)(void *self); /* of the last solve */
  /* K and its preconditioner, for the moduli of the last `changed`: for systems like it */
  ig_linear (*linear)(void *self);
  bool *learnt; /* what the solver found out and a restart has to know; NULL: nothing */
  bool *ends;   /* whether a signal ends a linear solve (ig_pcg); NULL: it does not */
  /* out[e] (+)= scale u_e . k0 v_e, with k0 the element's stiffness at unit modulus; `add`: adds
     to `out` */
  ig_status (*energy)(void *self, const double *u, const double *v, double scale, bool add,
                      double *out);
  /* y = K u for the moduli in place, 0 where held; u may be anything there */
  ig_status (*apply)(void *self, const double *u, double *y);
  /* where the components of a node lie in a state */
  ig_node_layout layout;
  const uint8_t *fix; /* device: bits of the components held, a byte per node */
  /* shares of elements to their nodes, and means over elements: the transpose */
  ig_status (*to_nodes)(void *self, const double *in, double *out);
  ig_status (*to_elements)(void *self, const double *in, double *out);
  /* the same for masses that swing: shares that are never negative */
  ig_status (*lump)(void *self, const double *in, double *out);
  ig_status (*lump_back)(void *self, const double *in, double *out);
  /* strains at the centres of elements, [6][places], and the transpose of that: 0 where held */
  ig_status (*strain)(void *self, const double *u, double *tensor);
  ig_status (*strain_back)(void *self, const double *tensor, double *f);
  /* displacement gradients at the centres, [9][places], and the transpose of that: 0 where held */
  ig_status (*gradient)(void *self, const double *u, double *to);
  ig_status (*gradient_back)(void *self, const double *from, double *f);
  /* Hooke's law of the solid at unit Young's modulus, for stresses */
  ig_topopt_hooke hooke;
  double thickness; /* of a plane problem; 1 */
  /* out = sum of weight x in; symmetric, so it is its own adjoint */
  ig_status (*filter)(void *self, const double *in, double *out);
  /* out = sum of in over the elements in a ball around each, the ball of a bound on members; `ball`
     its size in elements (volumes over the mean), those beyond the rim counted; NULL: none asked */
  ig_status (*around)(void *self, const double *in, double *out);
  double ball;
  /* gives elements that share a density their mean; NULL: none do */
  ig_status (*link)(void *self, double *v);
  const ig_topopt_plate *plate;   /* NULL: no inherent strain is given, or not supported */
  const ig_topopt_layers *layers; /* of a grid; NULL: it is not printed */
  const ig_topopt_build *build;   /* the same of a mesh */
  double start;                   /* density to begin with; 0: the volume */
  const double *centers; /* host: of the elements, [places][3]; only for densities of a file */
  /* what can be built on what lies below, and slopes by it back through that; NULL: no directions
   */
  ig_status (*print)(void *self, const double *in, double *out);
  ig_status (*print_back)(void *self, const double *in, const double *printed, double *work,
                          double *slope);
  /* points and cells of a snapshot; a field of elements or nodes as its points or cells have it */
  ig_status (*snapshot)(void *self, int64_t step, ig_snapshot **snap);
  bool regular; /* points and cells of a snapshot are those of a regular grid, without arrays */
  void (*pack)(void *self, bool nodes, int components, const double *from, float *to);
  int corners; /* of an element */
  /* Divided between ranks: arrays that go to rank 0 in pieces, in the order of the whole, and that
     nobody has there. All ranks call these; `take` is NULL on the others. An array of elements or
     states (of the device, or a copy of it on the host), in double; the same, times `scale`, in
     single and as a snapshot's cells or points have it; points, corners and types of a snapshot. */
  ig_status (*stream)(void *self, bool states, const double *from, bool host, ig_stream_take *take,
                      void *user);
  ig_status (*show)(void *self, bool states, double scale, const double *from, ig_stream_take *take,
                    void *user);
  ig_status (*outline)(void *self, int array, ig_stream_take *take, void *user);
  /* what a bound on a displacement measures (unit, device), or the elements in a region: 1 there, 0
     elsewhere, norm their number (volume over the mean) */
  ig_status (*measure)(void *self, const ig_limit_case *limit, ig_array *to, double *norm);
  /* The finished part. Divided between ranks all call these, each for its own elements. The surface
     at a density (host; ghosts take their owners' values), NaN: the one that keeps the design's
     volume; the triangles of all ranks are rank 0's. NULL: it has none to give */
  ig_status (*surface)(void *self, double *density, double level, bool mirror,
                       ig_topopt_part *surface);
  /* share of each element inside that surface (host); a level of NaN is found, as above */
  ig_status (*inside)(void *self, double *density, double *level, double *share);
  /* marks elements that have a node held (IG_TOUCH_HELD: by a support or spring) or loaded
     (IG_TOUCH_LOADED: by a load, or a port); host */
  ig_status (*touched)(void *self, uint8_t *mark);
  /* joins elements that share a face, and finds those open to the outside or shared with other
     ranks; see pieces.c */
  ig_status (*faces)(void *self, ig_topopt_pieces *p);
  void (*describe)(void *self, ig_check_line *line, void *user);
  /* its elements; of a body that is not divided. Free with ig_topopt_body_free */
  ig_status (*body)(void *self, ig_topopt_body *body);
  void (*free)(void *self);
};
void ig_topopt_body_free(ig_topopt_body *body);

/* The grid as a discretisation. */
typedef struct {
  ig_ctx *cx;
  const ig_topopt_case *c;
  /* this rank's part; the whole; cells: the places of the part, one value each */
  ig_grid grid, whole, cells;
  ig_slab *slab; /* NULL: the grid is not divided */
  double h[3], *centers;
  /* with `stl`: 1 for each element of the whole whose middle is in the part, x fastest, without
     halo (host); else NULL */
  uint8_t *inside;
  ig_multigrid *solver, *helmholtz;
  ig_array role, weight, scale, nodal_f, nodal_u, ball;
  ig_taps taps, ball_taps; /* of the filter; of the balls that bound members */
  ig_overhang overhang;
  ig_draw draw;
  struct ig_topopt_grid_draft *draft; /* NULL: walls may be upright */
  /* milling: each direction as a draw of its own, and what it leaves; the last array is scratch */
  int mills;
  ig_draw mill[IG_MILL_DIRECTIONS];
  ig_array milled[IG_MILL_DIRECTIONS + 1];
  struct ig_topopt_grid_pattern *pattern; /* NULL: none */
  struct ig_topopt_grid_plate *plate;     /* the same */
  ig_topopt_layers layers;                /* where it is printed */
  ig_array
      layer[2]; /* of a printed part the last one and the one at hand; of a drawn one columns */
  ig_discretisation d;
  ig_loading loading;
  double normal[3]; /* of the face at hand */
} ig_topopt_grid_model;

IG_MUST_CHECK ig_status ig_topopt_grid_model_new(ig_ctx *cx, const ig_topopt_case *c,
                                                 const ig_list *materials,
                                                 ig_topopt_grid_model **out);
void ig_topopt_grid_model_free(ig_topopt_grid_model *m);
/* Device memory that the case will take on its grid, model and design, in bytes. */
IG_MUST_CHECK ig_status ig_topopt_grid_model_bytes(ig_ctx *cx, const ig_topopt_case *c,
                                                   double *bytes);

/* A mesh of hexahedra as a discretisation; see mesh_model.c. The mesh must outlive it. */
IG_MUST_CHECK ig_status ig_topopt_mesh_model_new(ig_ctx *cx, const ig_topopt_case *c,
                                                 const ig_list *materials, const ig_mesh *mesh,
                                                 ig_assembly how, ig_discretisation **out);
/* The fastest whose bits are the same every time and on any number of ranks: gather on a GPU, color
   on a CPU. */
ig_assembly ig_topopt_mesh_model_assembly(const ig_ctx *cx);

/* mesh_part.c: a line per rank of a mesh, on rank 0; nothing where there is one. */
IG_MUST_CHECK ig_status ig_topopt_mesh_ranks_tell(ig_ctx *cx, const ig_topopt_case *c,
                                                  const ig_discretisation *d, ig_assembly how,
                                                  ig_check_line *line, void *user);

/* divide.c: whether the grid of a case can be divided between ranks, and else why not. */
bool ig_topopt_divisible(const ig_ctx *cx, const ig_topopt_case *c, const char **why);
static inline bool ig_topopt_divided(const ig_discretisation *d) {
  return d->grid && d->grid->slab;
}
/* a . b of elements, of states; the largest of elements, of states; sums of counts. The same on all
   ranks. */
IG_MUST_CHECK ig_status ig_topopt_dot(ig_ctx *cx, const ig_discretisation *d, const double *a,
                                      const double *b, double *result);
IG_MUST_CHECK ig_status ig_topopt_dot_states(ig_ctx *cx, const ig_discretisation *d,
                                             const double *a, const double *b, double *result);
IG_MUST_CHECK ig_status ig_topopt_most(ig_ctx *cx, const ig_discretisation *d, const double *v,
                                       double *result);
IG_MUST_CHECK ig_status ig_topopt_most_states(ig_ctx *cx, const ig_discretisation *d,
                                              const double *v, double *result);
IG_MUST_CHECK ig_status ig_topopt_count(const ig_discretisation *d, int64_t *value, int count);
/* Own values of a state, in runs: `count` from `at` on, in a state of the whole from `whole` on. */
typedef struct {
  int64_t at, count, whole;
} ig_topopt_values;
int ig_topopt_runs(const ig_discretisation *d);
ig_topopt_values ig_topopt_run_own(const ig_discretisation *d, int run);
/* `count` arrays of elements or of states from the device to the host, as a whole: on rank 0, or on
   all ranks. And from there back to the device, each rank its part. */
IG_MUST_CHECK ig_status ig_topopt_fetch(ig_ctx *cx, const ig_discretisation *d, bool states,
                                        int count, const double *from, bool everyone, double *to);
IG_MUST_CHECK ig_status ig_topopt_place(ig_ctx *cx, const ig_discretisation *d, bool states,
                                        int count, const double *from, double *to);
/* Elements there are: 1 in the places that have an own one (who has a whole mesh: in all). */
IG_MUST_CHECK ig_status ig_topopt_elements_mark(ig_ctx *cx, const ig_discretisation *d,
                                                uint8_t *mark);
/* Before ranks wait for each other: one may have failed on its own. */
IG_MUST_CHECK ig_status ig_topopt_meet(ig_ctx *cx, const ig_discretisation *d);

/* --- the design problem --- */

typedef struct {
  /* in: set by ig_topopt_design_continue; out: everything below */
  double penalty, gray, beta; /* this iteration's */
  double objective, volume;   /* volume fraction of the physical design */
  double limit[IG_LIMITS];    /* of each constraint: value over bound */
  /* of stresses, temperatures and members the largest itself: over its bound; the objective's, in
     its unit */
  double peak[IG_LIMITS + 1];
  double grayness; /* measure of non-discreteness, % */
  int iterations;  /* of the solver, all solves */
  double residual; /* worst */
} ig_evaluation;

/* Systems that ranks take turns at; see systems.h. */
enum { IG_TURNS = (IG_LIMITS + 1) * IG_LOAD_CASES };
typedef struct {
  /* first: only own systems are solved; handed: solutions of all ranks are in place */
  bool first, handed; /* pass: each rank solves its own; solutions of all are there */
  bool before, learnt;
  /* number of the next system of the group, the same on all ranks */
  int next;
  double *state[IG_TURNS];
  ig_solve_report report[IG_TURNS];
  void *host; /* for messages; NULL: not needed yet */
} ig_topopt_turns;

typedef struct {
  ig_ctx *cx;
  const ig_topopt_case *c;
  const ig_topopt_design_ops *ops;
  ig_discretisation *d;
  ig_loading *loading;
  ig_topopt_turns turns;
  /* 1, or 3 of a robust design; the last one is intermediate, and its states are those shown */
  int realisations;
  /* x: the design variables; trial: the next or the last design; dc, dv: gradients of objective
     and volume; hs: row sums of the filter's weights; work: energies, and free for use between
     passes */
  ig_array x, trial, filtered, dc, dv, work, hs; /* elements */
  ig_array printed;                              /* what of `filtered` can be built */
  ig_array drawn; /* `printed` of the design before, of `draw_direction` */
  /* physical densities; gradients of the objective of each realisation */
  ig_array density[IG_REALISATIONS], part[IG_REALISATIONS];
  /* solutions are kept: they are the first guesses of the next design */
  ig_array u[IG_REALISATIONS][IG_LOAD_CASES], adjoint[IG_REALISATIONS];
  ig_array mma_low, mma_high, mma_old, mma_older; /* asymptotes; the last two designs */
  ig_array kept[IG_FUNCTIONS];                    /* slopes, while gcmma tries designs */
  int updates;                                    /* made by moving asymptotes */
  int tried; /* solver iterations of designs that the last update tried */
  /* constraints beside the volume: a stress with clusters is several */
  int limits, limit_of[IG_LIMITS], cluster_of[IG_LIMITS], limit_states[IG_LIMITS];
  ig_array limit_slope[IG_LIMITS], limit_state[IG_LIMITS], spare;
  double response[IG_LOAD_CASES];  /* of each load case, unweighted, of the last realisation */
  ig_array load[IG_LOAD_CASES];    /* loads that follow the design: weight, held displacements */
  double held[IG_LOAD_CASES];      /* energy of displacements held, everything else at zero */
  ig_array pull, ones;             /* of held displacements: their forces; ones at the nodes */
  ig_array displaced;              /* a state with the free expansion; or empty */
  ig_array nodal, body[2], direct; /* of masses: per node; per element; slopes by densities */
  double dual[IG_LIMITS + 1];      /* multipliers of volume and constraints */
  double tolerance, multiplier;    /* of the solver; of the volume, at the last update */
  ig_topopt_stress *stress;        /* NULL: none is asked for */
  ig_topopt_modes *modes;          /* the same */
  ig_topopt_buckling *buckling;    /* the same */
  ig_topopt_distortion *distortion;
  ig_topopt_support *support;   /* the same: supports of the print */
  ig_topopt_overheat *overheat; /* the same: heat of the print */
  ig_topopt_pnorm *peaks;       /* the same: temperatures, members */
  ig_topopt_large *large;       /* the same: large deflections */
  /* wall time by ig_topopt_stage, for the summary */
  double seconds[4]; /* solve, sensitivities, filter, update */
} ig_topopt_design;

IG_MUST_CHECK ig_status ig_topopt_design_new(ig_ctx *cx, const ig_topopt_case *c,
                                             ig_discretisation *d, ig_topopt_design **out);
void ig_topopt_design_free(ig_topopt_design *s);
/* Sets x: `free_density` in designed elements, 1 and 0 in passive ones. */
IG_MUST_CHECK ig_status ig_topopt_design_fill(ig_topopt_design *s, double free_density);
/* Fails where no design can meet the bound of the volume. The design is at its start afterwards. */
IG_MUST_CHECK ig_status ig_topopt_design_check_volume(ig_topopt_design *s);
/* Device memory of a design: n values per element array, nu per state. */
double ig_topopt_design_bytes(const ig_topopt_case *c, double n, double nu, int cases);
/* Objective, volume and their slopes (s->dc, s->dv by s->x) at s->x. */
IG_MUST_CHECK ig_status ig_topopt_design_evaluate(ig_topopt_design *s, ig_evaluation *e);
/* Gives elements that share a density the mean of theirs. */
IG_MUST_CHECK ig_status ig_topopt_design_link(ig_topopt_design *s, double *v);
/* s->x becomes the next design; the old one is left in s->trial. */
IG_MUST_CHECK ig_status ig_topopt_design_update(ig_topopt_design *s, const ig_evaluation *e);
/* The largest change of a density by the update just made: of the design, or of what is drawn or
   projected of it: elements behind denser ones, or far from the threshold, may go on changing
   without any effect. With a projection s->trial is overwritten. */
IG_MUST_CHECK ig_status ig_topopt_design_change(ig_topopt_design *s, const ig_evaluation *e,
                                                double *change);
/* How much more than a filtered density the projected one changes at the threshold. */
double ig_topopt_steepness(const ig_topopt_case *c, const ig_evaluation *e);
IG_MUST_CHECK ig_status
ig_topopt_mma_prepare(ig_topopt_design *s); /* its arrays, before a restart fills them */
/* Constraints beside the volume: limits.c. The case of slot i; values over bounds and slopes by the
   filtered density of the last realisation, whose moduli are still in place. */
IG_MUST_CHECK ig_status ig_topopt_limits_new(ig_topopt_design *s);
const ig_limit_case *ig_topopt_limit_case(const ig_topopt_design *s, int i);
IG_MUST_CHECK ig_status ig_topopt_limits_evaluate(ig_topopt_design *s, const ig_law *law,
                                                  ig_evaluation *e);
/* Value over bound of a compliance or displacement, slot i, for the states in place; NaN: it is
   another kind. */
IG_MUST_CHECK ig_status ig_topopt_limit_work(const ig_topopt_design *s, int i, double *value);
/* Charges the time since *start to a stage; the device is let finish first. */
typedef enum {
  IG_STAGE_SOLVE,
  IG_STAGE_SENSITIVITY,
  IG_STAGE_FILTER,
  IG_STAGE_UPDATE
} ig_topopt_stage;
IG_MUST_CHECK ig_status ig_topopt_design_charge(ig_topopt_design *s, ig_topopt_stage stage,
                                                double *start);
/* Solves all load cases of realisation r for the moduli in place: objective; energies in s->work.
 */
IG_MUST_CHECK ig_status ig_topopt_design_analyse(ig_topopt_design *s, int r, double *objective,
                                                 ig_evaluation *e);
/* A smooth maximum of several values, and its slope by each. */
double ig_topopt_worst(int count, const double *value, double *weight);
/* Load cases as one objective, from their weighted values: the sum, or a smooth maximum; part: its
   slope by each. */
double ig_topopt_combine(const ig_topopt_case *c, int cases, const double *value, double *part);
/* Values times the moduli of the materials; what projection and moduli are made of. */
IG_MUST_CHECK ig_status ig_topopt_design_stiffen(ig_topopt_design *s, double *v);
const double *ig_topopt_design_filtered(const ig_topopt_design *s);
/* What the solver is asked for when the case does not say: as exact as the last change of the
   design deserves. */
double ig_topopt_design_tolerance(double change);
/* What the ramps say for an iteration, counted from 1. */
void ig_topopt_design_continue(const ig_topopt_case *c, int64_t iteration, ig_evaluation *e);
/* Whether penalty, gray and beta have reached their last values. */
bool ig_topopt_design_ramped(const ig_topopt_case *c, const ig_evaluation *e);

/* A surface as triangles, watertight; see surface.c. */
struct ig_topopt_part {
  /* Positions in m, single precision; area in m^2 and volume in m^3 are those of the whole
     surface, level is the density it was cut at. Freed by ig_topopt_part_free. */
  int64_t vertices, triangles;
  float (*vertex)[3];
  int32_t (*triangle)[3];
  double area, volume, level;
};
IG_MUST_CHECK ig_status ig_topopt_part_of_grid(ig_ctx *cx, const ig_grid *g, const double *h,
                                               const double *density, double level,
                                               const ig_texts *mirror, ig_topopt_part *surface);
IG_MUST_CHECK ig_status ig_topopt_part_inside_grid(ig_ctx *cx, const ig_grid *g,
                                                   const double *density, double *level,
                                                   double *share);
/* The same on a grid twice as fine, and at least what `least` has in the element around. */
IG_MUST_CHECK ig_status ig_topopt_part_inside_fine(ig_ctx *cx, const ig_grid *g,
                                                   const double *density, double level,
                                                   const double *least, const ig_grid *fine,
                                                   double *share);
void ig_topopt_part_free(ig_topopt_part *surface);
/* The files asked for: `formats`, or stl where it is left out. asked.c */
ig_texts ig_topopt_formats(const ig_surface_case *c);
/* Fails unless every format is one that can be written. */
IG_MUST_CHECK ig_status ig_topopt_part_formats_check(ig_ctx *cx, const ig_surface_case *c);
/* Writes "part.FORMAT"; `unit`: length of one unit of the file, m (3mf: always millimetres). */
IG_MUST_CHECK ig_status ig_topopt_part_write(ig_ctx *cx, const ig_topopt_part *surface,
                                             const char *format, double unit, ig_sink *sink);

#endif
