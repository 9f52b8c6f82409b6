/* The model: a mesh of hexahedra, its laws, its state on the device, and its equations.

   At the end of each step the internal forces f(u) equal the loads F at all free unknowns:

     f_a(u) = sum over elements and points of  w B_a^T sigma,   sigma = C(T) : e_elastic
     e_elastic = e(u) - e_reference - e_thermal(T) - e_inherent - e_plastic

   e_reference is the strain at which the point has no stress: that at its birth, or at the
   moment when it became solid. The law (law.inc) is evaluated from total strains, so a change of
   a modulus or of the temperature needs no increment of its own.

   One step (ig_stress_advance, newton.c):

   1. temperatures, shares of inherent strain and loads of the end of the step (goal_at);
   2. points that melt or become solid on the way lose stress and history (ig_stress_anneal,
      grow.c);
   3. forces that the step starts from, for the energy balance (ig_stress_energy_start,
      energy.c);
   4. Newton's method: residual, linear system (system.c: conjugate gradients with multigrid),
      line search; where it fails the step is halved and done in pieces;
   5. energies of the step (ig_stress_energies), then history moves on (ops->commit), then the
      temperatures of now become those of the last equilibrium (ig_stress_past).

   Ranks: what each computes and which side of an array has what is in division.h.

   Layout: nodal vectors are nodes x 3; states and tangents of points lie in tiles of 32 elements
   (ig_stress_at in kernel.h), so that neighbouring threads or lanes read neighbouring numbers.
   The struct owns all of its arrays; mesh and case belong to the job and must outlive it. */
#ifndef IG_STRESS_MODEL_H
#define IG_STRESS_MODEL_H

#include "mesh/topology.h"
#include "solver/grid/grid.h"
#include "solver/mesh/mesh_ops.h"
#include "solver/krylov/pcg.h"
#include "stress/ops.h"
#include "stress/division.h"
#include "stress/stress.h"

#include <math.h>

/* What has no history grows from 0 to 1 between two times, and is 1 where both are 0. */
typedef struct {
  double begin, end;
} ig_stress_ramp;

/* One support as the model uses it. The struct owns `node`. */
typedef struct {
  ig_lid *node, count;
  int fix, lead, equal; /* bits of components */
  double to[3];         /* displacement, times the history and `factor` */
  double factor;        /* 1 unless a program changes it */
  ig_history history;
  ig_stress_ramp ramp; /* where there is no history */
  int since, until;    /* phases */
  bool on;
} ig_stress_hold;

/* Counters of the solver, for history and messages. */
typedef struct {
  int newton, linear, cuts; /* of the last step: iterations, halvings */
  int64_t newton_all, linear_all;
  double residual;  /* of the last step, relative */
  double trace[64]; /* residuals of the last Newton iteration */
} ig_stress_count;

/* Energies since the start, J: work of supports and loads + heat = stored + dissipated + annealed +
   released + missing.

   A step goes from forces f0, those of the stress that it starts from, to f1. With the mean of both
   stresses the work of deformation is (f0 + f1) du / 2, exactly, for any law. Where loads F balance
   them it is work from outside. What a cut or a reset leaves out of balance, (f0 - F0) du / 2, is
   lost; (f1 - F1) du / 2, Newton's residual, is missing, and so is whatever the sums of the
   elements make of it otherwise. */
typedef struct {
  double work, heat, stored, dissipated;
  double annealed;      /* lost where points were reset, and what their neighbours released */
  double released;      /* lost by cuts: with what was removed, and by sudden release of the rest */
  double missing;       /* of Newton's residual */
  double flow;          /* sum of the amounts of work, heat, dissipation and loss of all steps */
  bool cut, reset;      /* the next step follows a cut, or points were reset since the last one */
  double *force, *load; /* host: nodes x 3: f0, F0 */
} ig_stress_balance;
enum { IG_BALANCE_NUMBERS = 10 };

/* Supports of the body, resolved to nodes. A cut can free components (`freed`) that supports
   still name; `bits` is what remains. Ties are groups of equal unknowns, in rows of tie_item. */
typedef struct {
  int count;
  ig_stress_hold *list;
  double *u;      /* host: nodes x 3, where held nodes were taken; NULL: none are led */
  uint8_t *bits;  /* host: components of a node, of supports alone */
  uint8_t *freed; /* host: components of a node that a cut has freed */
  ig_array tie_start, tie_item;
  int ties;
} ig_stress_held;

/* Loads on the body; host. */
typedef struct {
  double *unit; /* without histories: loads x nodes x 3 */
  ig_history *history;
  ig_stress_ramp ramp; /* of loads without a history */
  double *factor;      /* 1 unless a program changes it */
} ig_stress_loads;

/* Materials of elements; arrays as in ig_stress_args. `poisson` is that of the first material,
   cold, limited to 0 … 0.4: the preconditioner uses one value for the whole body. */
typedef struct {
  ig_array law, which, inherent, laws, row_x, row_y;
  double poisson;
  bool plastic;    /* some law yields or creeps */
  bool kinematic;  /* some hardening is */
  bool transforms; /* some law has martensite and austenite */
} ig_stress_material;

/* What a step uses and leaves to the next one; device. */
typedef struct {
  /* right: residual force; step: Newton step; old: u at the last equilibrium; moved: motion of
     prescribed nodes that the next linear solve applies */
  ig_array right, step, old, moved; /* nodes x 3 */
  /* slope, bulk: the tangent of the points; slots: forces of element corners before they are
     summed; partial: sums of chunks for dot products; excess: elements, K; list, birth: elements
     born now */
  ig_array slope, bulk, slots, partial, excess, list, birth;
  ig_array alpha; /* as in ig_stress_args; results do not depend on it beyond rounding */
  ig_array T_past, warmer_past; /* as T and warmer at the last equilibrium */
  ig_array values;              /* of so many elements at a time as fit, for the host */
} ig_stress_work;

struct ig_stress_lattice;
struct ig_stress_aggregates;

/* The linear system of a Newton iteration. With `lattice` the preconditioner is geometric
   multigrid on the regular grid of which the mesh is part; with `aggregates` aggregation that
   carries rigid-body modes; else the inverted 3 x 3 diagonal blocks of the nodes. */
typedef struct {
  struct ig_stress_lattice *lattice; /* NULL: aggregation, or blocks */
  struct ig_stress_aggregates *aggregates;
  /* unknowns that are prescribed, for products and residuals */
  ig_ground ground;
  ig_mesh_args hex; /* the elastic body, for diagonal blocks */
  /* diagonal blocks of nodes, their inverses, and the preconditioned residual */
  ig_array block, inverse, z;
  ig_pcg pcg;
  ig_linear linear;
  /* finite rotations: of the nodes, means of their elements, nodes x 9 by rows; a residual that is
     rotated back. The preconditioner is of the body before it rotates */
  ig_array turn, turned;
  bool stale;   /* the preconditioner is of another body */
  bool plain;   /* diagonal blocks for now, also where there are aggregates */
  double worst; /* ratio of a modulus of now to that of the preconditioner, or its inverse */
} ig_stress_system;

/* Where a step began, to go back to when it is interrupted. */
typedef struct {
  bool pieces; /* a part of the step is done: the arrays hold */
  ig_array u, state, grown, soft, T_past, warmer_past; /* device */
  double *load, *built;                                /* host; NULL on several ranks */
  ig_stress_balance balance;
  ig_stress_count count;
  double scale;
  bool stale, grid; /* of the preconditioner */
} ig_stress_mark;

/* Elements that tear (tear.c); all NULL and 0 where the case has no `tearing`. */
typedef struct {
  double elements;                      /* torn so far, with what hung on nothing else afterwards */
  double layer, time, place[3], stress; /* of the first; layer 0: outside a build */
} ig_stress_torn;
enum { IG_TORN_NUMBERS = sizeof(ig_stress_torn) / sizeof(double) };
typedef struct {
  double *strength;   /* host: elements, Pa; infinite: does not tear */
  double *level;      /* host: elements, stress over strength; 0: does not tear */
  uint8_t *principal; /* host: elements: the largest principal stress counts, else the traction */
  double *layer; /* host: nodes: layer in which an element there tore, 0 outside a build; NaN */
  ig_stress_torn torn;
  int now; /* layer of the present step */
} ig_stress_tears;

/* The model. Members are grouped as: what it is made of, fields, supports and loads, solver. */
typedef struct ig_stress {
  ig_ctx *cx;
  const ig_mesh *mesh;
  const ig_stress_case *c;
  const ig_stress_ops *ops;
  const ig_solver_mesh_ops *mesh_ops;
  ig_lid nodes, elements;  /* of the whole mesh */
  ig_stress_division part; /* what this rank computes */
  ig_elem_type type;       /* IG_HEX8 or IG_TET10, of all elements */
  int npe, faces, points;  /* of an element: nodes, faces, integration points */
  const ig_lid *conn;      /* host: elements x npe: the mesh's, or `joined` of several blocks */
  ig_lid *joined;
  ig_adjacency adjacency; /* of faces, host */
  ig_plan plan, colors;   /* colors: for diagonal blocks, where `plan` does not add at nodes */
  ig_clusters cluster;    /* assembly `cluster`; `plan` then knows the connectivity alone */
  ig_stress_args args;

  ig_array x;                                                  /* device; the mesh's on a CPU */
  ig_array u, T, warmer, share, alive, soft, state, fix, load; /* both sides */
  ig_array force, young, built;                                /* both sides */
  ig_array grown, turn;
  double *report; /* host: elements of the part x IG_STRESS_REPORT */
  ig_stress_balance balance;
  uint8_t *scratch; /* host: nodes */
  ig_stress_held held;
  ig_stress_loads loads;
  ig_stress_tears tears;
  double *history_x, *history_y; /* host: rows of all histories */
  ig_stress_material material;
  ig_stress_work work;
  ig_stress_system system;
  ig_stress_mark mark;
  bool stood_above; /* a warning has said that the part stood above a new layer */
  double rounding;  /* N: norm of what rounding leaves of the forces of rotated elements; else 0 */
  double energy;    /* J: of a strain of 1e-4 in all of the body; less is no flow to judge by */
  double scale;     /* largest force met, for what counts as none */
  ig_stress_count count;
} ig_stress;

/* The number of the phase with this name, in *phase; `none` if `name` is NULL. Fails with a
   located error if no phase has it. */
IG_MUST_CHECK ig_status ig_stress_phase_named(ig_stress *m, const ig_src *at, const char *name,
                                              int none, int *phase);

/* Makes a model of `mesh` with all elements alive, no displacements and no stress at the initial
   temperature of the case. Does not set loads. `mesh` and `c` are referenced, not copied. On
   failure *out is NULL and nothing is left allocated. */
IG_MUST_CHECK ig_status ig_stress_new(ig_ctx *cx, const ig_mesh *mesh, const ig_list *materials,
                                      const ig_stress_case *c, ig_assembly how, ig_stress **out);
/* Frees the model and all its arrays; NULL is allowed. */
void ig_stress_free(ig_stress *m);

/* inherent.c: the strain xx yy zz xy of an inherent strain, its mean over layers from `first` on;
   and in the first layer. */
void ig_stress_inherent_turned(const ig_stress_inherent *in, double scale, double first, int layers,
                               double *row);
void ig_stress_inherent_row(const ig_stress_case *c, int i, double *row);

/* laws.c: tables of materials over temperature become rows of two common arrays, and each
   material an ig_stress_law that refers to them. Fails if a material lacks a required value. */
IG_MUST_CHECK ig_status ig_stress_laws(ig_stress *m, const ig_list *materials);

/* system.c

   Makes the operator, the preconditioner's structure and the work arrays of conjugate gradients. */
IG_MUST_CHECK ig_status ig_stress_system_new(ig_stress *m);
/* From now on without the grid that the mesh is part of. */
IG_MUST_CHECK ig_status ig_stress_system_leave_grid(ig_stress *m);
void ig_stress_system_free(ig_stress *m);
/* Supports or living elements have changed: held unknowns anew; names what nothing holds. */
IG_MUST_CHECK ig_status ig_stress_system_change(ig_stress *m, bool supports);
/* The preconditioner, of the moduli in `built`. */
IG_MUST_CHECK ig_status ig_stress_system_build(ig_stress *m);
/* Solves tangent x step = right by conjugate gradients to the relative `tolerance`. Builds the
   preconditioner first if it no longer fits. *report says how the solve ended; a solve that did
   not converge is not an error here, the caller decides. */
IG_MUST_CHECK ig_status ig_stress_system_solve(ig_stress *m, double tolerance,
                                               ig_solve_report *report);
/* y = tangent x, held and tied unknowns as they are. */
IG_MUST_CHECK ig_status ig_stress_system_apply(void *self, const double *x, double *y,
                                               ig_cg_state *state);

/* rigid_body_check.c: fails and names a part of the living body that is free to move. Once
   something has torn, parts of elements that can tear are removed instead. */
IG_MUST_CHECK ig_status ig_stress_anchor(ig_stress *m);

/* newton.c

   A state that the next step goes to, and the state it comes from: temperatures, temperatures
   above those of the nodes (flash heating of new layers), shares of inherent strain that have
   grown. Newton's method may divide the step; values in between are interpolated. */
typedef struct {
  double time, dt;
  const double *T0, *T1;           /* host: nodes */
  const double *warmer0, *warmer1; /* host: elements; NULL: none */
  const double *share0, *share1;   /* host: elements; NULL: as it is */
} ig_stress_goal;
/* To equilibrium at the goal; history moves on. */
IG_MUST_CHECK ig_status ig_stress_advance(ig_stress *m, const ig_stress_goal *goal);
/* The internal unknowns of elements start from 0 again, so that what follows has the same bits
   whatever was evaluated before: after a restart, too. */
IG_MUST_CHECK ig_status ig_stress_alpha_clear(ig_stress *m);
/* Loads of all load cases at `time`, summed, to both sides of m->load. */
IG_MUST_CHECK ig_status ig_stress_loads_at(ig_stress *m, double time);

/* Whether a signal ends a solve. On several ranks all end together, between steps. */
static inline bool ig_stress_interrupted(const ig_stress *m) {
  return m->cx->interrupted && !m->cx->ranks;
}
/* Whether element e is one of those that tear. */
static inline bool ig_stress_can_tear(const ig_stress *m, ig_lid e) {
  return m->tears.strength && isfinite(m->tears.strength[e]);
}
/* tear.c: after a step to the goal: removes elements above their strength, and finds equilibrium
   anew, until there are none. layer: of a build, from 1; else 0. */
IG_MUST_CHECK ig_status ig_stress_tear(ig_stress *m, const ig_stress_goal *done, int layer);

/* Force that pulls the part off the supports that can tear, N. */
double ig_stress_removal_force(const ig_stress *m);

/* forces.c

   Internal forces at u without supports, on the device in m->force; those of the stress that a step
   starts from, in the same place; y = tangent x. Of all ranks, on all ranks. */
IG_MUST_CHECK ig_status ig_stress_forces(ig_stress *m);
IG_MUST_CHECK ig_status ig_stress_forces_past(ig_stress *m);
IG_MUST_CHECK ig_status ig_stress_product(ig_stress *m, const double *x, double *y);
/* An elastic body of one Poisson's ratio and moduli of 1, with elements as in a plan. */
ig_mesh_args ig_stress_elastic_body(const ig_stress *m, const ig_plan *plan, const double *x);

/* values.c: values of elements at u, to the host. m->report anew, of the elements of the part. */
IG_MUST_CHECK ig_status ig_stress_report(ig_stress *m);
/* A column of it of some elements, on all ranks. Collective. */
IG_MUST_CHECK ig_status ig_stress_report_at(ig_stress *m, const ig_lid *item, ig_lid count,
                                            int column, double *value);
/* Values of all elements, handed over some at a time: begin … begin + count - 1; to all ranks or
   the first. Collective. */
typedef ig_status ig_stress_taking(void *user, ig_lid begin, ig_lid count, const double *value);
IG_MUST_CHECK ig_status ig_stress_values_take(ig_stress *m, ig_stress_value what, bool everyone,
                                              ig_stress_taking *take, void *user);
/* Columns of the report, to the first rank in the same way. */
IG_MUST_CHECK ig_status ig_stress_report_take(ig_stress *m, int from, int components,
                                              ig_stress_taking *take, void *user);
/* The largest over all ranks of values that each knows of its part and that are not negative, in
   place; at most IG_STRESS_LARGEST. Collective. */
enum { IG_STRESS_LARGEST = 4 };
IG_MUST_CHECK ig_status ig_stress_largest(ig_stress *m, double *value, int count);
/* The sums over all elements of each of their values. */
IG_MUST_CHECK ig_status ig_stress_value_sums(ig_stress *m, ig_stress_value what, double *sum);
/* Temperatures of now become those of the last equilibrium. */
IG_MUST_CHECK ig_status ig_stress_past(ig_stress *m);
/* Bytes that a product must move: tangents, connectivity, positions and two vectors once. */
double ig_stress_product_bytes(const ig_stress *m);

/* energy.c: forces that the next step starts from; before temperatures move on. */
IG_MUST_CHECK ig_status ig_stress_energy_start(ig_stress *m);
/* Before history moves on, of a step from `old` to u. */
IG_MUST_CHECK ig_status ig_stress_energies(ig_stress *m);
/* Stored energy that is lost between two calls; `cut`: by a cut, else by annealing. */
IG_MUST_CHECK ig_status ig_stress_energy_before(ig_stress *m, double *stored);
IG_MUST_CHECK ig_status ig_stress_energy_after(ig_stress *m, double stored, bool cut);
/* Fails where more than 5 % of what flowed is missing; `end`: warns above 0.1 %. */
IG_MUST_CHECK ig_status ig_stress_energy_check(const ig_stress *m, bool end);

/* grow.c: elements come and go. Lists are host side. birth: temperatures, or IG_BORN_SOFT. */
IG_MUST_CHECK ig_status ig_stress_birth(ig_stress *m, const ig_lid *list, const double *birth,
                                        ig_lid count, int new_nodes);
/* Points that melt or become solid on the way from the last equilibrium to the temperatures of now
   lose stress and history. work.excess (host): by how much elements were hotter in between; 0 from
   then on. */
IG_MUST_CHECK ig_status ig_stress_anneal(ig_stress *m);
IG_MUST_CHECK ig_status ig_stress_remove(ig_stress *m, const ig_lid *list, ig_lid count);
/* Removes these elements, and counts them as torn. */
IG_MUST_CHECK ig_status ig_stress_tear_off(ig_stress *m, const ig_lid *list, ig_lid count);

#endif
