/* What particle kernels see: plain data with device pointers, passed by value to kernels. `part`
   arrays are float or double, as the run's particles are; what acts on them (loads, tools,
   contact memory) is always in double. Pointers belong to the arrays of ig_dyn_model; nothing
   here is freed.

   A view with a count of 0, or a NULL pointer where the comment allows it, means that the model
   has no such thing; passes skip it. */
#ifndef IG_DYNAMICS_PARTICLE_H
#define IG_DYNAMICS_PARTICLE_H

#include "contact/explicit/buckets.h"
#include "kern/motion.h"

/* How one kind of held particle moves, component by component (three displacements, three
   rotations): `scale` times the history. `given` is the scale of the case; `support` the number
   in the case of the support it is from. Entry 0 of the table is a particle that is free. */
typedef struct {
  uint8_t kind[6]; /* ig_move */
  ig_history history[6];
  double scale[6], given[6];
  int32_t support[6];
} ig_dyn_motion;

typedef enum { IG_TOOL_PLANE, IG_TOOL_SPHERE, IG_TOOL_CYLINDER } ig_dyn_shape;
#define IG_TOOL_CHOICES "plane|sphere|cylinder"

/* A rigid tool no particle enters. Plane: the half space on the side of `axis` is free. */
typedef struct {
  int shape;
  ig_history history; /* of travel; without rows it stays */
  /* position of the centre or of a point of the plane, m; unit axis; m; m/s; travel, m, times
     the history; coefficient of friction */
  double at[3], axis[3], radius, velocity[3], travel[3], friction;
} ig_dyn_tool;

/* A force on a particle, or its share of a pressure face: a face is listed with each of its
   corners. */
typedef struct {
  ig_history history;
  /* N, and Nm for rotations */
  double value[6];
} ig_dyn_force;
typedef struct {
  ig_history history;
  int32_t corners; /* 3 or 4 */
  int32_t node[4];
  /* Pa */
  double pressure;
} ig_dyn_face;

/* Where time stands; in device memory, so that recorded steps replay without the host. */
typedef struct {
  int64_t step;
  double time, dt, before; /* before: the previous dt; 0 at the start */
  double tick;             /* what a step adds to the time: dt, or what a static ramp says */
  double damping;          /* of mass, 1/s */
} ig_dyn_clock;

/* Kinds of work that each particle adds up, J: by loads and supports, by damping, by contact of
   surfaces with each other, by tools. */
enum { IG_WORK_EXTERNAL, IG_WORK_DAMPING, IG_WORK_CONTACT, IG_WORK_TOOL, IG_WORKS };
/* kinetic energy in both forms, then the works */
enum { IG_DYN_PARTICLE_ENERGIES = 2 + IG_WORKS };

/* A set of particles that moves as one. Velocity and momenta stand at half steps. */
typedef struct {
  int32_t first, count;                /* its particles in bodies.node */
  int32_t motion;                      /* how it is held, 0: free */
  double mass, inertia[9], inverse[9]; /* about the centre, along the axes it started with */
  double at[3], q[4];                  /* centre, attitude */
  double v[3], spin[3], momentum[3];   /* momentum: angular, in space */
  double next_v[3], next_spin[3], next_momentum[3];
  double kinetic, plain; /* at this instant: see particle_energy */
  double work[IG_WORKS]; /* by what holds it, by damping: up to the middle of the last step */
  double half[IG_WORKS]; /* and from there to this instant */
} ig_dyn_body;
enum { IG_DYN_PULL = 12 }; /* force and moment from outside, force of contact, of tools */

/* Forces, pressures and gravity, by loaded particle; ranges of forces and faces of particle k
   are those from start[k] to start[k + 1] - 1. */
typedef struct {
  int32_t count;                                  /* particles with forces or pressure on them */
  const int32_t *node, *force_start, *face_start; /* count; count + 1 */
  const ig_dyn_force *force;
  const ig_dyn_face *face;
  double gravity[3];
  const void *heavy; /* part: nodes, the masses that gravity pulls; NULL: there is none */
  ig_history gravity_history;
  int has_gravity;
} ig_dyn_loads_view;

/* What contact remembers of a surface particle from step to step, as doubles. Of each of two
   contacts: 2 k + (1: on the back) for triangle k, -1: none; the two coordinates in the triangle of
   the point it sticks to. Of an edge the same word, for edge k. */
enum { IG_DYN_KEPT = 6, IG_DYN_SLOTS = 2 };
/* What a contact does in this step: force on the particle, weights of the triangle's corners. */
enum { IG_DYN_PUSH = 6 };
/* How a surface is bent at a side of a triangle, seen from where a particle comes. */
enum { IG_DYN_RIDGE, IG_DYN_CONVEX, IG_DYN_FLAT, IG_DYN_CONCAVE, IG_DYN_CORNER };

/* Contact of surfaces; surfaces 0: none. */
typedef struct {
  int32_t triangles, surfaces;
  const int32_t *triangle, *surface;    /* 3 nodes each; nodes on them */
  const int32_t *beside;                /* triangles x 4: neighbours across the sides opposite
                                           to the corners, -1: none; 2 x part of the mesh + (1: a
                                           shell) */
  const int32_t *corner_first, *corner; /* surfaces + 1; corners 3 k + a that lie on a node */
  ig_buckets bins;                      /* of triangles, eight places each */
  uint32_t *longest;                    /* 2, by parity of the step: longest edge, a float's bits */
  double gap;  /* nearer than this a particle is looked at: offsets, or what it may move */
  double deep; /* deeper than this a particle is lost */
  double rub;
  int fit;                 /* what overlaps before the first step touches */
  int recover;             /* what is found just inside another body touches */
  int commit;              /* a step is taken: what is found is remembered */
  const double *x_start;   /* nodes x 3 */
  const double *skin_area; /* nodes: share of the surfaces' area at the start */
  const double *spring;    /* nodes: stiffness, N/m */
  const double *offset;    /* nodes: half of the thickness */
  void *before;            /* part: nodes x 3, positions one step ago */
  double *kept, *now;      /* (surfaces + edges) x IG_DYN_KEPT: after the last step, in this one */
  double *push;            /* surfaces x IG_DYN_SLOTS x IG_DYN_PUSH */
  int32_t *pushed, *next;  /* triangles: first contact on it; surfaces x IG_DYN_SLOTS: next one */
  double *stored;          /* surfaces, then edges: energy of that */
  double *recoil;          /* triangles x 3 x 3: forces on corners */
  void *touch;             /* part: nodes x 3, contact forces */
} ig_dyn_contact_view;

/* Edges that touch edges; count 0: none. */
typedef struct {
  int32_t count;
  const int32_t *node;              /* 2 each */
  const int32_t *side;              /* 2 each: triangles it belongs to, -1: none (a line) */
  const int32_t *end_first, *end;   /* surfaces + 1; ends 2 j + a that lie on a node */
  ig_buckets bins;                  /* of edges, eight places each */
  int32_t *partner, *chosen, *also; /* edges: the one it touches; first and next to touch it */
  const double *length;             /* nodes: share of the edges' length at the start */
  double *recoil;                   /* edges x 2 x 3: forces on ends */
} ig_dyn_edges_view;

/* What erodes; alive NULL: nothing does. */
typedef struct {
  uint8_t *alive;        /* elements of the mesh: 0, all its points have failed */
  const int32_t *owner;  /* triangles x 2: elements on its sides, -1: none */
  uint8_t *open, *awake; /* triangles with one side alive; surfaces: particles on one of them */
} ig_dyn_erosion_view;

/* On ranks: particles of this one, triangles and edges with such a corner, since forces on others
   are not needed. NULL: all count. */
typedef struct {
  const uint8_t *surface, *triangle, *edge;
  int32_t shifts; /* particles of other ranks whose velocities come: they move by these */
  const int32_t *shift;
  int32_t watches; /* particles on surfaces; part: where they were, x 3 */
  const int32_t *watch;
  const void *from;
  double most;  /* one that is further from there along an axis */
  int32_t *far; /* sets this */
} ig_dyn_own_view;

/* Rigid bodies, and the particles they carry: those of body k are node[of[k].first] … (count of
   them); arms and pulls have the same order. */
typedef struct {
  int32_t count;
  ig_dyn_body *of;
  const int32_t *node;
  const double *arm; /* x 3: from the centre, axes at the start */
  double *pull;      /* x IG_DYN_PULL */
} ig_dyn_bodies_view;

/* Particles tied to places on others: tied particle k is the sum of its three carriers by their
   shares. A carrier that does not count has share 0. */
typedef struct {
  int32_t count;
  const int32_t *node, *to;           /* tied particle; x 3: the ones that carry it */
  const double *share;                /* x 3, sum 1 */
  const int32_t *turns;               /* its rotations are carried too */
  const int32_t *carry_first, *carry; /* nodes + 1; places 3 k + a in `to` that name a node */
} ig_dyn_ties_view;

/* All of the above: what a pass of a step gets. */
typedef struct {
  int32_t nodes;
  int dofs;             /* 3, or 6 with rotations */
  int pitch;            /* numbers from one force in f to the next: dofs, or 4 */
  void *x, *v, *f;      /* part: nodes x 3, x dofs, x pitch */
  void *load;           /* part: nodes x dofs, forces from outside; NULL: none */
  void *mass, *inertia; /* part: nodes */
  double *work;         /* nodes x IG_WORKS */
  ig_dyn_clock *clock;
  const double *history_x, *history_y; /* rows of all histories */
  struct {
    const int32_t *move; /* nodes: place in motion, 0: free; NULL: all are free */
    const ig_dyn_motion *motion;
  } held;
  ig_dyn_loads_view loads;
  int tools;
  const ig_dyn_tool *tool;
  void *press; /* part: nodes x 3, force of contact and tools over the last step; NULL: none */
  ig_dyn_contact_view contact;
  ig_dyn_edges_view edges;
  ig_dyn_erosion_view erosion;
  ig_dyn_own_view own;
  const int32_t
      *bound; /* nodes: 1 + place in bodies.node; -1: tied; 0: on its own; NULL: all are */
  ig_dyn_bodies_view bodies;
  ig_dyn_ties_view ties;
  struct {
    int gather; /* forces come from here, not from f */
    const int32_t *first;
    const void *value; /* part */
  } slots;
} ig_dyn_particles;

#endif
