/* The stress room: quasi-static thermo-elasto-plastic mechanics of a part that grows.

   This header holds the case as the user writes it: each struct is filled by the option table of
   the same name in options.c, each list keeps the order of the case file. Numbers are in SI
   units. A number that was left out is NaN, a text that was left out is NULL. Nothing here
   changes during a run; the model (model.h) and the run (run.h) read it. */
#ifndef IG_STRESS_H
#define IG_STRESS_H

#include "core/room.h"
#include "material/material.h"
#include "mesh/place.h"

/* A support: components of the nodes of a set are fixed where they are (`fix`), follow a
   prescribed displacement (`displacement`, `components`), or are equal among each other
   (`equal`). */
typedef struct {
  ig_src at;
  const char *set;
  const char *fix;           /* "all", "xy" */
  const char *components;    /* components that `displacement` leads */
  double displacement[3];    /* NaN: none */
  ig_table history;          /* of the displacement, over time */
  const char *equal;         /* components that are the same for all nodes of the set */
  const char *since, *until; /* phases: holds from the start of one, to the start of another */
} ig_stress_support;

/* A load on the drawn shape: a pressure on faces, or a force that is distributed over a set.
   Exactly one of `pressure` and `total` is given. */
typedef struct {
  ig_src at;
  const char *set;
  double pressure, total[3]; /* NaN: none */
  ig_table history;
} ig_stress_load;

/* Strain that grows with every newborn element of a material. */
typedef struct {
  ig_src at;
  ig_texts set;           /* elements; none: everything born */
  double strain[3];       /* along the scan lines, across, up */
  double angle, rotation; /* of the lines in the first layer, from x; and from layer to layer */
  double layer_height;    /* of a real layer; NaN: a lump is one */
} ig_stress_inherent;

/* Elements that tear off where their stress reaches a strength: supports. */
typedef struct {
  ig_src at;
  ig_texts set;
  double strength; /* NaN: the yield stress of the material */
  int stress;      /* IG_TEARS_BY_* */
} ig_stress_tearing;
enum { IG_TEARS_BY_TRACTION, IG_TEARS_BY_PRINCIPAL };
#define IG_TEARS_BY_CHOICES "traction|principal"

/* A part whose deviation from its nominal surface is reported. The rigid motion that is taken off:
   FIT: the best fit of its own nodes; MACHINE: none; SET: the best fit of another set. */
typedef struct {
  ig_src at;
  const char *name, *set;
  int datum; /* IG_DATUM_* */
  const char *datum_set;
  double tolerance; /* NaN: none */
} ig_stress_part;
enum { IG_DATUM_FIT, IG_DATUM_MACHINE, IG_DATUM_SET };
#define IG_DATUM_CHOICES "fit|machine|set"

/* Kinds of phases: loads and a uniform temperature; layers that are added; elements or nodes
   that are removed along a moving line; temperatures of a thermal run. The order is that of the
   words in IG_PHASE_KINDS. */
enum { IG_PHASE_LOAD, IG_PHASE_BUILD, IG_PHASE_CUT, IG_PHASE_HEAT };
#define IG_PHASE_KINDS "load|build|cut|heat"
/* Strains are small in both. With finite rotations each element is evaluated in axes that rotate
   with it (corotational formulation), which a long part that warps needs. */
enum { IG_ROTATIONS_SMALL, IG_ROTATIONS_FINITE };
/* The hexahedron: assumed strain, which bends without locking, or mean dilatation (B-bar), which
   does not. */
enum { IG_ELEMENT_ASSUMED, IG_ELEMENT_BBAR };
#define IG_ELEMENT_CHOICES "assumed|bbar"
/* The shape in which new and molten material has no stress: where its nodes are when it is born or
   becomes solid, or as drawn (total strain). */
enum { IG_REFERENCE_BIRTH, IG_REFERENCE_NOMINAL };
/* Where the new nodes of a layer stand. Stresses do not depend on it: an element is stress-free
   between its nodes where they are at its birth.
   LEVEL: nominal x, y and z (the recoater levels the bed), or on the part where it stands higher.
   SURFACE: nominal x and y; z on the displaced surface below, so that the layer keeps its height.
   DEFORMED: displaced as the nodes below, in x and y too.
   UNDEFORMED: nominal x, y and z. */
enum { IG_NODES_LEVEL, IG_NODES_SURFACE, IG_NODES_DEFORMED, IG_NODES_UNDEFORMED };
#define IG_NODES_CHOICES "level|surface|deformed|undeformed"

/* One phase of the case. Phases follow each other; which members are used depends on `kind`, as
   the comments say. */
typedef struct {
  ig_src at;
  const char *name;
  int kind;                       /* IG_PHASE_* */
  double duration;                /* s; of a build: of one layer */
  int64_t steps;                  /* of the phase; of a build: of one layer */
  ig_table temperature;           /* K over the time of the phase; uniform */
  const char *set;                /* build, cut: elements; cut: nodes that are let go */
  double height;                  /* build: of a lump of layers */
  double stress_free_temperature; /* build: temperature of birth, NaN: as the material says */
  double decay;                   /* build: time constant of its cooling, NaN: straight */
  double clearance;  /* build: above it a recoater touches a finished layer, NaN: not looked at */
  int new_nodes;     /* build, heat: IG_NODES_* */
  int direction;     /* cut: the way of the line, x|y|z */
  bool back;         /* cut: from the far end */
  const char *file;  /* heat: folder of a thermal run */
  double every;      /* heat: that run goes along in this process; time from state to state */
  double step_error; /* heat: share of the largest displacement, by which steps are chosen; NaN */
  double change;     /* heat: states without births that differ by less are passed over */
  bool layers;       /* heat: states without births are passed over */
  ig_texts consolidated; /* heat: sets of elements that are solid from their deposition on */
} ig_stress_phase;

/* A column of the history: a quantity of a node or element set, or of the node or element
   nearest to a point. */
typedef struct {
  ig_src at;
  const char *name, *set;
  /* m; NaN: `set` is used */
  double point[3];
  /* number of a word in IG_STRESS_PROBES */
  int quantity;
  const char *since; /* phase: less what it was at its start */
} ig_stress_probe;
#define IG_STRESS_PROBES                                                                           \
  "ux|uy|uz|fx|fy|fz|sxx|syy|szz|sxy|syz|szx|von_mises|plastic_strain|T|"                          \
  "exx|eyy|ezz|exy|eyz|ezx|martensite"
/* Numbers of quantities: displacements from IG_PROBE_U on, forces from IG_PROBE_F on, and then
   values of elements. */
enum { IG_PROBE_U = 0, IG_PROBE_F = 3, IG_PROBE_ELEMENT = 6, IG_PROBE_MARTENSITE = 21 };

/* How equilibrium is found: relative tolerance of the residual force, most Newton iterations per
   attempt, most halvings per step, most iterations of one linear solve. */
typedef struct {
  ig_src at;
  double tolerance;
  int64_t iterations, halvings, linear_limit;
  int preconditioner; /* ig_stress_preconditioner */
} ig_stress_solver;
typedef enum {
  IG_STRESS_MULTIGRID,
  IG_STRESS_AGGREGATION,
  IG_STRESS_BLOCKS
} ig_stress_preconditioner;

/* What hot material keeps at least. Modulus and yield are shares of the first row of their
   tables (the cold value), hardening is a share of Young's modulus at the same temperature.
   Without them the tangent of a part with a molten region can be singular. */
typedef struct {
  ig_src at;
  double modulus, yield, hardening;
} ig_stress_floors;

typedef struct {
  ig_src at;
  ig_list supports, loads, inherent, tearing, phases, probes, parts;
  int element;                   /* IG_ELEMENT_* */
  int rotations;                 /* IG_ROTATIONS_* */
  int reference;                 /* IG_REFERENCE_* */
  double temperature;            /* at the start */
  double inherent_scale;         /* of all inherent strains */
  const char *distortion;        /* set whose best-fit rigid motion is taken off */
  double compensation;           /* factor of the compensated shape, NaN: none is written */
  int64_t compensation_runs;     /* at most */
  double compensation_tolerance; /* of the distortion that is left */
  ig_stress_solver solver;
  ig_stress_floors floors;
} ig_stress_case;

extern const ig_option ig_stress_options[];
extern const ig_room ig_room_stress;

#endif
