/* Unknowns, linear constraints, and the sparse matrix of an implicit analysis.

   A model has N unknowns, numbered as its owner likes (node by node, 3 or 6 each, and more for
   rigid bodies). Some of them are given by others:

       u_s = sum over m of c_sm u_m + g_s

   A support is such a constraint without terms, a prescribed motion one whose g changes, a tied
   node has three terms per component. A term may itself be constrained, as long as no circle
   arises. Constraints are eliminated: what is left are the `equations`, the free unknowns in rising
   order, and the matrix is C^T K C with u = C v + shift.

   Arrays, all on the host and owned by the system:
     equation[N]        number of a free unknown, -1: constrained
     term_first[N + 1]  every unknown as a sum over equations: of a free one, itself with factor 1
     term[], factor[]
     shift[N]           what constrained unknowns have besides, from the g given last
     first[], column[]  rows of the matrix; value[] its numbers
     kind[N]            0: displacement, 1: rotation; they are judged apart

   Order of calls: new; constrain any number of times; close; then resolve after coefficients or g
   have changed. Assembly adds in the order of groups and elements, so that it gives the same bits
   every time, whatever the number of threads. */
#ifndef IG_IMPLICIT_SYSTEM_H
#define IG_IMPLICIT_SYSTEM_H

#include "core/ctx.h"

/* A trial state, as elements see it. u: increments of all unknowns since the last accepted state.
   Rotations are components of rotation vectors, in space. */
typedef struct {
  const double *u;
  double time, step; /* of the trial; since the accepted state */
  double factor;     /* of the analysis: 0 at its start, 1 at its end */
} ig_trial;

/* What an element could not do. */
typedef struct {
  int32_t element;  /* of the group, -1: nothing */
  const char *what; /* "is inverted", … */
} ig_trouble;

/* Elements of one kind; also whatever else makes forces from unknowns: follower loads, springs,
   contact. An engine calls

     evaluate  for elements begin … end - 1, from several threads at once: internal forces f
               (unknowns each, one element after the other) of the trial state, starting from the
               history of the last accepted state, which stays as it is; where k is not NULL also
               the tangents df/du (unknowns x unknowns each, row by row; not symmetric is fine).
               An element that cannot be computed is named in *trouble: the step is cut.
     accept    when a step has converged: the history now is that of the trial. From one thread. */
typedef struct {
  const char *name;
  void *self;
  int32_t count;          /* elements */
  int unknowns;           /* of each */
  const int32_t *unknown; /* count x unknowns; -1: none there */
  ig_status (*evaluate)(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                        double *k, ig_trouble *trouble);
  ig_status (*accept)(void *self, const ig_trial *at);
} ig_implicit_group;

typedef struct {
  /* one constraint: its terms are master[at ...], coefficient[at ...] of the system */
  int32_t slave, terms;
  size_t at; /* of its terms */
  double g;
} ig_constraint;

typedef struct {
  ig_ctx *cx;
  int32_t unknowns, equations;
  int32_t *equation, *term;
  int64_t *term_first;
  double *factor, *shift;
  uint8_t *kind;
  int64_t *first;
  int32_t *column;
  double *value;
  /* constraints as given: masters and coefficients of all; row[unknown]: constraint, -1 */
  int32_t constraints, *row, *master;
  ig_constraint *constraint;
  size_t masters;
  double *coefficient;
  int32_t *sequence; /* constraints so that masters come first */
  /* scratch of assembly */
  double *f, *k;
} ig_system;

IG_MUST_CHECK ig_status ig_system_new(ig_ctx *cx, int32_t unknowns, ig_system **to);
void ig_system_free(ig_system *s);
/* u[slave] = sum of coefficient x u[master] + g. A later constraint of the same slave replaces the
   former; number: where g and coefficients are found to change them, may be NULL. */
IG_MUST_CHECK ig_status ig_system_constrain(ig_system *s, int32_t slave, int32_t terms,
                                            const int32_t *master, const double *coefficient,
                                            double g, int32_t *number);
/* Numbers the equations and makes the pattern. Unknowns that no element has are left out as if
   they were supported. Once more where groups have changed: what was made of them before is lost.
 */
IG_MUST_CHECK ig_status ig_system_close(ig_system *s, int groups, const ig_implicit_group *group);
/* Factors and shifts from the constraints as they are now. */
void ig_system_resolve(ig_system *s);
/* u = C v + shift */
void ig_system_spread(const ig_system *s, const double *v, double *u);
/* r = C^T f */
void ig_system_reduce(const ig_system *s, const double *f, double *r);
/* Forces on slaves go to their masters, from the last constraint to the first: what masters bear
   for them is added to f of the masters, f of slaves stays. */
void ig_system_carry(const ig_system *s, double *f);
/* Adds the forces of all groups to f[unknowns] and, with `tangent`, sets the matrix to their
   tangents and adds tangent x push[unknowns] to the forces (NULL: nothing). size[2]: sums of |f|
   over all elements, by kind; count[2]: of how many numbers. */
IG_MUST_CHECK ig_status ig_system_assemble(ig_system *s, int groups, const ig_implicit_group *group,
                                           const ig_trial *at, bool tangent, const double *push,
                                           double *f, double size[2], double count[2],
                                           int *trouble_group, ig_trouble *trouble);
/* y = K x */
void ig_system_times(const ig_system *s, const double *x, double *y);

#endif
