/* A material law of your own, added to a context by a program. Materials of `physics: structure`
   then choose it by its name, in small and in large displacements, with every solid element:

     materials:
       - {name: foam, young: 80 MPa, poisson: 0.1, own_law: crush, constants: [2.1e6, 0.4]}

   `young` and `poisson` are the elastic constants at no strain: vibrations, buckling and the
   stiffness of contact use them. Large displacements: the strain is the logarithmic one of the
   undeformed body and the stress does work on it (Miehe, Apel, Lambrecht 2002), so that a law of
   small strains needs no change.                                                              */
#ifndef INGOT_LAW_H
#define INGOT_LAW_H

#include <ingot/types.h>

IG_C_BEGIN

/* A point of an element, as a law sees it, in SI. Components of strain and stress: xx yy zz xy yz
   zx, strains with engineering shears. */
typedef struct {
  const double *constant; /* `constants` of the material */
  const double *strain;   /* in total, less the thermal strain */
  const double *past;     /* history at the last accepted step; zeros at the start */
  double step;            /* time since then, s; 0: an accepted state is looked at once more */
  double *now;            /* out: history at this strain; holds `past` at the call */
  double *stress;         /* out: 6 */
  double *tangent;        /* out: derivative of stress by strain, 6 x 6; only its symmetric part
                             is used: laws that have another one converge slowly */
} ig_law_point;

enum { IG_LAW_MOST_STATES = 32 };

typedef struct {
  size_t size;      /* of this struct, as the program was compiled */
  const char *name; /* `own_law: name` */
  int constants;    /* how many the material must give */
  int states;       /* of a point's history, at most IG_LAW_MOST_STATES */
  int plastic;      /* 1 + the place in the history of the accumulated plastic strain, for output;
                       0: there is none */
  void *user;
  /* Stress, tangent and history at a point. False: there is none at this strain, and the step is
     taken again with half its length. Called by several threads at once. */
  bool (*stress)(void *user, const ig_law_point *p);
} ig_law_description;

/* Adds a law to the context, which copies the description; its text must outlive the context.
   IG_INPUT: the name is taken, or something is missing; the message says what. */
IG_API IG_MUST_CHECK ig_status ig_law_add(ig_ctx *cx, const ig_law_description *law);

IG_C_END
#endif
