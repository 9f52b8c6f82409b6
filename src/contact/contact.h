/* Contact of surfaces for Newton's method: penalty at points of integration of a first side, which
   meet places of another one, with augmented Lagrange, friction and damping (points.c, forces.c).

   Data: ig_contact, with one ig_contact_point per point of integration, and ig_contact_bodies, by
   which its owner says where nodes are. Calls of an analysis:

        ig_contact_new       points; those of the analysis before go on
        ig_contact_evaluate  as a group of the engine (implicit/system.h), accept with it
        ig_contact_augment, ig_contact_fits   for callbacks of Newton's method
        ig_contact_sum       after a step
        ig_contact_follow    then: points that slid are paired anew */
#ifndef IG_CONTACT_CONTACT_H
#define IG_CONTACT_CONTACT_H

#include "core/option.h"
#include "implicit/system.h"
#include <ingot/mesh.h>

/* A pair of surfaces, as the case has it. NaN: left out. stiffness, stick in Pa/m; length in m
   (stiffness = 50 E / length); decay: Pa, m; tension in Pa; distance, clearance in m; friction:
   Coulomb's coefficient. */
typedef struct {
  ig_src at;
  const char *set, *to; /* faces: the integrated side, and the other one */
  double penetration;   /* largest one over the size of a face, by augmented Lagrange */
  double stiffness, length, decay[2], friction, stick, distance, clearance, tension;
  double damping, tangential; /* Pa s/m where sides touch; share of it across the normal */
  double adjust; /* nodes no further away are moved onto the other side at the start; NaN: none */
  const char *adjust_nodes;
  int of;      /* set: 0 faces, 1 nodes */
  int sliding; /* 0 large, 1 small: points keep the place they meet where an analysis begins */
  bool tied;
  ig_reals without; /* analyses, from 1 */
  /* What owners other than cases set. faces: in place of the sets that `set` and `to` name; times:
     stiffness over that of the layer of elements, 0: the usual one; facing: points meet only faces
     that look towards them, for whole surfaces of bodies; loose: contact may be all that supports a
     part, also before it touches: tangents have a weak spring between the sides, forces none. */
  const ig_set *faces[2];
  double times;
  bool facing, loose;
} ig_contact_case;

/* A rigid tool. The part is on the side of the normal; of `hollow` ones inside. */
typedef enum { IG_RIGID_PLANE, IG_RIGID_SPHERE, IG_RIGID_CYLINDER } ig_contact_shape;
typedef struct {
  ig_src at;
  const char *name;
  int shape;
  double point[3], axis[3], radius, displacement[3];
  bool hollow;
  ig_table history; /* of displacement */
} ig_contact_tool;

/* The bodies in contact, by functions of their owner. */
typedef struct {
  ig_ctx *cx;
  const ig_mesh *mesh;
  int dofs;         /* unknowns of a node; the first three are its displacements */
  const void *self; /* first argument of all */
  /* Where a node is at the accepted state plus the increments `add` (NULL: none), in fixed axes. */
  void (*place)(const void *self, ig_lid node, const double *add, double x[3]);
  /* Velocity of a node in a trial, in fixed axes, and its derivative by the displacement. */
  void (*velocity)(const void *self, const ig_trial *at, ig_lid node, double v[3], double *rate);
  double (*young)(const void *self, ig_lid element);
  double (*factor)(const void *self, const ig_table *history, double time);
  /* Forces (nodes x 3) and tangent (NULL: none) from fixed axes to those of the nodes. NULL: nodes
     have none. */
  void (*turn)(const void *self, const ig_lid *node, int nodes, double *f, double *k);
} ig_contact_bodies;

/* A point of contact: a place of a face and the place of another face that it meets. */
enum { IG_CONTACT_NODES = 16 };
/* Positions in m, area in m^2, stiffness in Pa/m, tractions in Pa. Made anew for each analysis, and
   paired anew after a step in which it slid. masters and tool 0: it meets nothing for the time
   being. */
typedef struct {
  int contact;         /* of the case */
  int slaves, masters; /* nodes of the two faces, one after the other in `node` */
  int tool;            /* that it meets instead of a face, from 1; 0: none */
  ig_lid node[IG_CONTACT_NODES];
  double share[IG_CONTACT_NODES]; /* shape functions; negative for the second face */
  double slope[8][2];             /* derivatives of those of the second face */
  double at[2];                   /* its natural coordinates there */
  double area, stiffness;
  double offset[3];          /* relative position where it was paired last */
  double shift;              /* what `clearance` adds to the distance */
  double overlap;            /* distance, below 0, at which contact is switched on again */
  double normal[3];          /* of the second face at the start */
  double before[3], pull[3]; /* accepted: relative position, tangential traction */
  double now[3];             /* traction of the trial */
  /* Augmented Lagrange: pressure at no distance, of the trial and accepted; distance and pressure
     that were evaluated last. */
  double extra, kept, gap, push;
} ig_contact_point;
/* All contact points of an analysis. The owner sets the first members before ig_contact_new. */
typedef struct {
  ig_contact_bodies bodies;
  const ig_list *list;  /* of ig_contact_case */
  const ig_list *tools; /* of ig_contact_tool, which `to` may name */
  double time;          /* of the accepted state, where points are made */
  bool large, moving;   /* displacements are large; the analysis is one of motion */
  double soft;          /* share of the stiffness that counts; 0: all of it */
  bool bonded;          /* sides that are near are drawn together and stick */
  bool gripped;         /* what pressed on a tool when the step began is drawn along by it */
  bool loose;           /* all contacts are (ig_contact_case) */
  int32_t count;
  ig_contact_point *point;
  int32_t *unknown; /* count x 3 x IG_CONTACT_NODES, -1 where there is no node */
  bool warned;      /* of a point that slid too far */
  bool deep;        /* of a point that penetrates too far */
  int rounds;       /* of multipliers in this step */
  uint64_t closed;  /* which points press: a number that changes with them */
} ig_contact;

/* What other sides exert on first ones, N; the deepest penetration, m, and over the size of the
   face there. */
typedef struct {
  double force[3], depth, share;
  double tools[2][3]; /* force of tools on first sides, N, and moment about the origin, N m */
} ig_contact_total;

/* The points of analysis number `analysis`, from 0; those that the analysis before had go on. */
IG_MUST_CHECK ig_status ig_contact_new(ig_contact *s, int analysis);
void ig_contact_free(ig_contact *t);
/* Points of a checkpoint in place of those that there are; the lists of cases and tools are set. */
IG_MUST_CHECK ig_status ig_contact_place(ig_contact *s, const ig_contact_point *point,
                                         int64_t count);
/* Unknowns of the points as they are paired; also done by the calls that pair them. */
void ig_contact_number(ig_contact *s);
/* Pairs points anew that have slid since they were paired; *changed: nodes have changed. begins: at
   the start of an analysis. */
IG_MUST_CHECK ig_status ig_contact_follow(ig_contact *s, bool begins, bool *changed);
/* Callbacks of the engine, self is the ig_contact. */
IG_MUST_CHECK ig_status ig_contact_evaluate(void *self, const ig_trial *at, int32_t begin,
                                            int32_t end, double *f, double *k, ig_trouble *trouble);
IG_MUST_CHECK ig_status ig_contact_accept(void *self, const ig_trial *at);
/* Multipliers of points that penetrate too far: whether they have changed. at NULL: those of the
   accepted state. */
bool ig_contact_augment(ig_contact *s, const ig_trial *at);
/* Whether points have opened or closed since the last call, by the forces evaluated last. */
bool ig_contact_unsettled(ig_contact *s);
/* Whether no point slides by more than half a face in the step, and none is passed over by a tool.
 */
bool ig_contact_fits(const ig_contact *s, const ig_trial *at, char *why, size_t size);
/* Coulomb's friction by return mapping: the traction `now` (or force) across the normal n after the
   way `slid` since the accepted one, `pull`, with the stiffness `stick`, at most `most`. T: its
   derivative by the way, with what grows with it: d now / d most = by n, where by (3 x 3, e n^T) is
   0 while it sticks. */
void ig_contact_friction(const double n[3], const double pull[3], const double slid[3],
                         double stick, double most, double now[3], double T[9], double by[9]);
/* Of the accepted state, before points are paired anew: other pairs have other forces. at: without
   increments. */
void ig_contact_sum(const ig_contact *s, const ig_trial *at, ig_contact_total *to);

/* Where a point was and is beside the axis or centre of something round: it passes through where
   the way leads through its inside to the far side. */
bool ig_contact_round_passes(const double was[3], const double is[3], double radius);

#endif
