/* Static equilibrium by Newton's method, load step by load step.

   Solves r(u, t) = f_int(u; history) - f_ext(t) - (1 - s) r_0 = 0 for the share s of the analysis
   from 0 to 1, with the time t running from `begin` to `end` along with it. r_0 is what is out of
   balance at the start: loads that are there from the start, residual stress, or motion that has
   stopped are so brought in over the analysis. In analyses of motion r_0 = 0.

   A step from s to s + ds:
     1. prescribed motions at the new time; the rest follows by the tangent of the accepted state;
     2. forces and tangent at the trial state, history of the last ACCEPTED one;
     3. K d = -r, line search along d (Matthies and Strang 1979; Crisfield 1991), new trial;
     4. until the largest residual is below `tolerance` x the mean force in the model (at least a
        ten thousandth of the largest one of the analysis) and the last
        correction below 10 x `tolerance` x the largest increment of the step, both for
        displacements and for rotations; or until residuals are rounding alone;
     5. groups accept. Steps grow by 1.5 after two easy ones, are cut to a quarter where Newton
        diverges or an element cannot be computed, and to a half where it is foreseen to need more
        than `iterations`, apart from those in which contact opens or closes.
   Below the least step the analysis ends; the last accepted state stands.

   Loose parts fall, tip and come to rest in the first step. Where that finds no end within many
   iterations, contact begins as a bond that draws sides together (`ease`), then acts as it does,
   at first with a small share of its stiffness that grows tenfold as often as forces balance.

   Arc length (Crisfield 1981): s is an unknown too, and the increment of the displacements has a
   given length; the sign of the prediction follows the last increment (Feng, Peric and Owen 1996).
   With `open` the path goes on beyond s = 1, and the caller decides where it ends.

   Not symmetric tangents are made symmetric as long as Newton converges quickly, and taken as they
   are from the first slow step on. */
#ifndef IG_IMPLICIT_NEWTON_H
#define IG_IMPLICIT_NEWTON_H

#include "core/output.h"
#include "implicit/direct.h"
#include "implicit/system.h"

/* A model: its equations (closed), groups, and what acts from outside. */
typedef struct {
  ig_system *system;
  int groups;
  const ig_implicit_group *group;
  double begin, end; /* time */
  double length;     /* of the model, m: what moments are compared with forces by */
  double reach;      /* largest coordinate, m: positions are rounded to a share of it */
  bool moving;       /* forces include inertia, or time acts on the law: r_0 is 0 */
  void *self;
  /* adds dead loads at the trial's time to f[unknowns]; NULL: none */
  ig_status (*loads)(void *self, const ig_trial *at, double *f);
  /* sets g of the constraints (system->constraint[].g) to the motions from `from` to `to`; NULL:
     none */
  ig_status (*motions)(void *self, double from, double to);
  /* constraints that are not linear: sets the slaves in u from their masters and the coefficients
     to their derivatives there; NULL: none. Called after every change of u. */
  void (*follow)(void *self, double *u);
  /* after a step was accepted: u is what it added */
  ig_status (*accepted)(void *self, const ig_trial *at);
  /* whether a converged trial may be accepted; false: the step is cut to a half, *why gets the
     reason; NULL: always */
  bool (*fits)(void *self, const ig_trial *at, char *why, size_t size);
  /* a converged trial: whether multipliers of the model (augmented Lagrange) have changed, so that
     iterations go on; at NULL: a step begins, multipliers are those of the last accepted one. NULL:
     there are none. Not called with arc_length but for the latter. */
  bool (*augment)(void *self, const ig_trial *at);
  /* Whether points of contact have opened or closed since the last call: such iterations look for
     those that touch, and say nothing of how fast Newton's method converges. NULL: there is none.
   */
  bool (*unsettled)(void *self);
  /* Of models with loose parts (options): contact has this share of its stiffness from now on and,
     `bonded`, holds sides that are near in all directions. NULL: it cannot. */
  void (*ease)(void *self, double share, bool bonded);
  /* The first iteration of a step, until called with `on` false: what pressed on rigid tools when
     the step began goes with them, also where they move away. Without it a tool that lets go would
     leave the part with all of its force, and the first correction be that of a part that is free.
     Returns whether there is any; NULL: there are no tools. */
  bool (*grip)(void *self, bool on);
  /* K d = b by the model itself, K the matrix of the system: b becomes d; *fine false: it could
     not, and the step is cut. NULL: directly. Not with arc_length; pivots are then not known. */
  ig_status (*solve)(void *self, double *b, bool *fine);
  /* an unknown or an element in words, for messages */
  void (*name)(void *self, int32_t unknown, char *text, size_t size);
  void (*name_element)(void *self, int group, int32_t element, char *text, size_t size);
} ig_newton_model;

typedef struct {
  /* see "A step" above; what ig_newton_usual has */
  double tolerance;    /* 1e-3 */
  double first, least; /* shares of the analysis: first step, smallest */
  double most;         /* largest step; of an arc length with the one that `first` gives as unit */
  double most_turn;    /* rad: largest rotation of a step; 0: any */
  int64_t steps;       /* most of them */
  int iterations;      /* 16 */
  bool arc_length;
  bool open; /* arc length: never done */
  bool line_search;
  bool loose; /* parts may be loose until contact stops them: the search goes on until it does */
  bool keep;  /* a tangent serves again where that is foreseen to converge: half the work of linear
                 analyses; the last residual is then not the square of the one before. Where
                 residuals are rounding alone corrections decide (`uncertain`) */
  bool pass;  /* steps are as long as asked for, and may pass over stops */
  const char *beyond; /* what to do where loads find no equilibrium, for messages */
  ig_direct_kind solver;
} ig_newton_options;
extern const ig_newton_options ig_newton_usual;

/* What an iteration found. */
typedef struct {
  int64_t step;
  int iteration;
  double factor;     /* of the trial */
  double residual;   /* largest, over the mean force (or moment) */
  double correction; /* largest, over the largest increment of the step */
  double search;     /* length along the direction */
  int64_t negative;  /* pivots, -1: unknown */
  bool symmetric;
} ig_newton_note;

typedef struct ig_newton ig_newton;

/* How it stands. */
typedef struct {
  double factor, time; /* accepted */
  int64_t steps, iterations, cuts;
  double residual;  /* of the last accepted step, relative */
  double force;     /* mean force of elements there, N */
  int64_t negative; /* pivots there, -1: unknown */
  int64_t zero;
  /* At the end: the unknown that moves most in a motion that the tangent does not resist, -1: there
     is none. */
  int32_t free;
  /* Correction over the increment of a step whose residual is rounding alone and above the
     tolerance: how far displacements may be off; 0: none was. */
  double uncertain;
  const char *solver;
  double passed; /* time of the first stop that a step has passed over, NaN: none */
  bool done;     /* factor is 1 */
} ig_newton_standing;

/* Model and options are copied, what they point to stays the caller's. The system must be closed:
   its pattern is ordered for the factorization here. */
IG_MUST_CHECK ig_status ig_newton_new(ig_ctx *cx, const ig_newton_model *model,
                                      const ig_newton_options *options, ig_newton **to);
/* A table over time that acts on the model, before the first step: where it bends within the
   analysis a step ends (not with arc_length, whose load does not follow time). */
IG_MUST_CHECK ig_status ig_newton_stops(ig_newton *n, int rows, const double *time,
                                        const double *value);
/* Before the first step, which does it otherwise: forces that are out of balance now are those that
   are released over the analysis (r_0). For models whose groups change before that step. */
IG_MUST_CHECK ig_status ig_newton_begin(ig_newton *n);
/* After a step or ig_newton_begin: groups of the model have changed, and its system was closed
   anew. Where it stands stays as it is. */
IG_MUST_CHECK ig_status ig_newton_renew(ig_newton *n, int groups);
void ig_newton_free(ig_newton *n);
/* Called with every iteration; may be NULL. */
void ig_newton_watch(ig_newton *n, void (*note)(void *user, const ig_newton_note *note),
                     void *user);
/* One step, as long as it has to be to converge. IG_NUMERIC: none does; the message says load
   factor, worst node and what happened. IG_INTERRUPTED: a signal came; nothing was accepted, and
   the next call does what this one would have done. */
IG_MUST_CHECK ig_status ig_newton_step(ig_newton *n);
/* No step was found: whether the last tangent had a motion that nothing resists, and the model has
   contact that may stop it. Parts are loose from now on (options), and the next call tries anew. */
bool ig_newton_loosen(ig_newton *n);
/* Checkpoints: the arrays of an analysis between two steps, to be written or read into; `number` is
   the caller's room for one of them. After reading, ig_newton_restore takes the numbers over: the
   next steps then have the same bits. Model, options and pattern must be what they were. */
enum { IG_NEWTON_NUMBERS = 24, IG_NEWTON_SAVED = 5 };
void ig_newton_saved(ig_newton *n, double number[IG_NEWTON_NUMBERS],
                     ig_saved list[IG_NEWTON_SAVED]);
void ig_newton_restore(ig_newton *n, const double number[IG_NEWTON_NUMBERS]);
void ig_newton_stand(const ig_newton *n, ig_newton_standing *now);
/* After an accepted step: the next arc is at most so many times as long as that one. */
void ig_newton_arc_limit(ig_newton *n, double times);
/* Forces out of balance of all unknowns at the accepted state: reactions where they are
   constrained. */
const double *ig_newton_forces(const ig_newton *n);
/* r_0 of all unknowns, 0 where they are prescribed. */
const double *ig_newton_start(const ig_newton *n);

#endif
