/* Inside of the statics by Newton's method: what its files share. ig_dyn_statics owns all its
   arrays (ig_dyn_statics_free); the model belongs to the room. */
#ifndef IG_DYNAMICS_STATICS_PARTS_H
#define IG_DYNAMICS_STATICS_PARTS_H

#include "dynamics/model/model.h"
#include "dynamics/statics/statics.h"

/* A group of elements on the host, in double precision, whatever the model's own. */
typedef struct {
  struct ig_dyn_statics *s;
  const ig_dyn_group *from;
  dyn_group_f64 g;  /* its state: `state` */
  double *state;    /* slots x states, in blocks as the group's */
  int32_t *unknown; /* slots x npe x dofs; -1: a pad */
} ig_static_group;

/* A pressure on a face of the room's elements: Pa, times its history; corners 3 or 4. */
typedef struct {
  ig_history history;
  int corners;
  int32_t node[4];
  double pressure;
} ig_static_face;

/* Slave components of bodies: what their constraints' numbers are. */
typedef struct {
  int32_t node, number; /* of its first constraint; `dofs` follow each other */
} ig_static_carried;

/* The static problem. Created for one analysis by ig_dyn_statics_new. */
struct ig_dyn_statics {
  ig_dyn_model *m;
  ig_dyn_analysis a;
  ig_system *system;
  ig_newton *newton;
  int32_t unknowns, body_first; /* unknowns of bodies */
  double length;                /* of the model, m */
  double reach;                 /* its largest coordinate, m */
  double *x, *trial, *rate;     /* nodes x 3: accepted, of the trial; nodes x dofs: u / SECONDS */
  double *force;                /* unknowns: internal forces of the accepted state */
  int groups, elements;         /* groups of the engine; those of elements come first */
  ig_implicit_group *group;
  ig_static_group *part; /* elements; then as many for the turns of shells */
  int32_t faces, *face_unknown;
  ig_static_face *face;
  /* prescribed components: constraint, and the motion it follows */
  int32_t motions;
  struct {
    int32_t number;
    const ig_dyn_motion *motion;
    int component;
  } * led;
  int32_t *tool_unknown;
  bool gripped;
  double *tool_stiff;         /* nodes: of the springs of tools */
  ig_static_carried *carried; /* nodes of bodies, in the bodies' order */
};

#define IG_STATIC_SECONDS 1e12 /* a step as laws see it */

/* statics_elements.c

   Makes the groups of elements, solids and turns of shells. Fails if an element has too many
   values of state for a tangent. */
IG_MUST_CHECK ig_status ig_static_elements_new(ig_dyn_statics *s);
void ig_static_elements_free(ig_dyn_statics *s);
/* Trial positions and rates from the increments u. */
void ig_static_place(ig_dyn_statics *s, const double *u);
/* States to the model, on the device. */
IG_MUST_CHECK ig_status ig_static_states_back(ig_dyn_statics *s);

/* statics_loads.c

   Supports, prescribed motions, bodies and ties as constraints of the system. */
IG_MUST_CHECK ig_status ig_static_constraints_new(ig_dyn_statics *s);
/* Pressures as a group: on faces of the room's elements, and of solids. */
IG_MUST_CHECK ig_status ig_static_faces_new(ig_dyn_statics *s);
/* Callbacks of the engine: loads at a trial, increments of prescribed motions over a step. */
IG_MUST_CHECK ig_status ig_static_loads(void *self, const ig_trial *at, double *f);
IG_MUST_CHECK ig_status ig_static_motions(void *self, double from, double to);
/* Bodies take their nodes along; then ig_static_place. */
void ig_static_follow(void *self, double *u);
/* Bodies of the model have moved by u. */
IG_MUST_CHECK ig_status ig_static_bodies_back(ig_dyn_statics *s, const double *u);

/* statics_tools.c

   The group of tools; then stiffnesses of its springs from the assembled matrix; then the forces
   of tools after an accepted step, added to press (nodes x 3). */
IG_MUST_CHECK ig_status ig_static_tools_new(ig_dyn_statics *s);
IG_MUST_CHECK ig_status ig_static_tools_scale(ig_dyn_statics *s);
/* See `grip` of ig_newton_model. */
bool ig_static_tools_grip(void *self, bool on);
/* Whether no tool passes over particles in the step; `why` it does. */
bool ig_static_tools_fits(const ig_dyn_statics *s, const ig_trial *at, char *why, size_t size);
IG_MUST_CHECK ig_status ig_static_tools_back(ig_dyn_statics *s, double time, double *press);

/* statics_contact.c

   The group of contact of bodies; nothing, as the calls below, where the model has none. Then
   callbacks of the engine; pairs anew after a step, and (begins) where the analysis begins; forces
   on the nodes after an accepted step, added to press (nodes x 3). */
IG_MUST_CHECK ig_status ig_static_contact_new(ig_dyn_statics *s);
bool ig_static_contact_loose(const ig_dyn_statics *s); /* whether contact alone supports a part */
void ig_static_contact_ease(void *self, double share, bool bonded);
bool ig_static_contact_unsettled(void *self);
bool ig_static_contact_augment(void *self, const ig_trial *at);
bool ig_static_contact_fits(void *self, const ig_trial *at, char *why, size_t size);
IG_MUST_CHECK ig_status ig_static_contact_follow(ig_dyn_statics *s, bool begins);
IG_MUST_CHECK ig_status ig_static_contact_back(ig_dyn_statics *s, const ig_trial *at,
                                               double *press);

#endif
