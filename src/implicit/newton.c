/* Newton's method, its line search and the arc length: the method is in newton.h.

   ig_newton_step    tries a step until one converges; grows and cuts steps
     start           once: the residual r_0 of the state at the beginning
     step_load       iterations under a given load factor
       residual      forces (and tangents) of a trial state
       factorize, ig_direct_solve
       search        line search along the correction
     step_arc        iterations with the factor as an unknown
     accept          history of the elements, standing

   Vectors are of two lengths: of unknowns (all), and of equations (the free ones, system.h). A
   trial is u, the increments since the accepted state, not the state itself: a step that fails
   leaves nothing to be undone. */
#include "implicit/newton.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ten steps, unless they are cut or grow. The last of Newton's iterations usually ends far below a
   tolerance of 1e-3, as it converges quadratically. */
const ig_newton_options ig_newton_usual = {.tolerance = 1e-3,
                                           .first = 0.1,
                                           .least = 1e-6,
                                           .most = 1,
                                           .steps = 10000,
                                           .iterations = 16,
                                           .line_search = true,
                                           .beyond =
                                               "; where it snaps through `method: arc_length` "
                                               "follows the load down, where it collapses there is "
                                               "no more to find",
                                           .solver = IG_DIRECT_AUTO};

struct ig_newton {
  ig_ctx *cx;
  ig_newton_model m;
  ig_newton_options o;
  ig_direct *direct;
  ig_direct_info info;
  int32_t equations; /* length of the vectors below */
  void (*note)(void *user, const ig_newton_note *note);
  void *user;
  ig_newton_standing now;
  /* the next step as a share of the analysis, and as a length in m */
  double ds, arc;  /* next step; next arc length, 0: from ds */
  double arc_most; /* largest arc length */
  double arc_last; /* of the step accepted last */
  int easy;        /* steps in a row that took few iterations */
  int tries;       /* at the step under way, before this one */
  bool full;       /* tangents as they are, not symmetric */
  bool landed;     /* loose parts have come to rest: a step was accepted since they are */
  bool started;
  double last_ds, last_factor; /* of the step accepted last: its length, its end */
  double scale[2];             /* mean force and moment */
  double peak[2];              /* largest scale so far: what noise is compared with */
  /* vectors of unknowns: trial increments, forces out of balance, those at the start, accepted;
     motions of a first iteration */
  double *u, *f, *start, *kept, *push;
  /* of equations: increments, residual, correction, before the search, load direction, last step
   */
  double *v, *r, *d, *was, *b, *last;
  double *sum;   /* of all accepted increments */
  char why[256]; /* what made the last cut */
  bool plain;    /* it has its remedy with it */
  double *stop;  /* shares of the analysis at which a step ends */
  int stops;
};

static ig_status direct_new(ig_newton *n) {
  const ig_system *s = n->m.system;
  return n->m.solve
             ? IG_OK
             : ig_direct_new(n->cx, s->equations, s->first, s->column, n->o.solver, &n->direct);
}

/* Vectors of equations, all zero, and the order of the factorization. */
static ig_status equations_new(ig_newton *n) {
  const ig_system *s = n->m.system;
  const size_t e = (size_t)s->equations + 1;
  double *room;
  IG_TRY(IG_NEW(n->cx, &room, 7 * e, "Newton's method"));
  n->equations = s->equations;
  n->v = room;
  n->r = n->v + e;
  n->d = n->r + e;
  n->was = n->d + e;
  n->b = n->was + e;
  n->last = n->b + e;
  n->sum = n->last + e;
  return direct_new(n);
}

ig_status ig_newton_new(ig_ctx *cx, const ig_newton_model *model, const ig_newton_options *options,
                        ig_newton **to) {
  ig_newton *n;
  const ig_system *s = model->system;
  double *room;
  IG_TRY(IG_NEW(cx, &n, 1, "Newton's method"));
  *to = n;
  n->cx = cx;
  n->m = *model;
  n->o = *options;
  n->ds = options->first;
  n->now = (ig_newton_standing){
      .time = model->begin, .negative = -1, .solver = "none", .passed = NAN, .free = -1};
  const size_t u = (size_t)s->unknowns + 1;
  IG_TRY(IG_NEW(cx, &room, 5 * u, "Newton's method"));
  n->u = room;
  n->f = n->u + u;
  n->start = n->f + u;
  n->kept = n->start + u;
  n->push = n->kept + u;
  return equations_new(n);
}

ig_status ig_newton_renew(ig_newton *n, int groups) {
  n->m.groups = groups;
  ig_direct_free(n->direct);
  n->direct = NULL;
  n->info = (ig_direct_info){.negative = -1};
  if (n->equations == n->m.system->equations)
    return direct_new(n);
  free(n->v); /* the last step cannot be continued in other unknowns */
  n->v = NULL;
  n->last_ds = 0;
  return equations_new(n);
}

void ig_newton_free(ig_newton *n) {
  if (!n)
    return;
  ig_direct_free(n->direct);
  free(n->u);
  free(n->v);
  free(n->stop);
  free(n);
}

ig_status ig_newton_stops(ig_newton *n, int rows, const double *time, const double *value) {
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < rows; k++) {
    low = fmin(low, value[k]);
    high = fmax(high, value[k]);
  }
  for (int k = 0; k < rows; k++) {
    const double at = (time[k] - n->m.begin) / (n->m.end - n->m.begin);
    const bool inner = k > 0 && k + 1 < rows; /* before and after its rows a table is level */
    const double a = k > 0 ? value[k - 1] : value[k], b = k + 1 < rows ? value[k + 1] : value[k];
    const double x = inner ? (time[k] - time[k - 1]) / (time[k + 1] - time[k - 1]) : 0.5;
    if (!(at > 1e-6 && at < 1 - 1e-6) || fabs(value[k] - a - x * (b - a)) <= 1e-3 * (high - low))
      continue;
    IG_TRY(IG_MORE(n->cx, &n->stop, n->stops, "Newton's method"));
    n->stop[n->stops++] = at;
  }
  return IG_OK;
}

/* The end of a step from the accepted factor, at the first stop on its way. */
static double end_of(ig_newton *n, double factor) {
  for (int i = 0; i < n->stops; i++)
    if (n->stop[i] > n->now.factor + 1e-9 && n->stop[i] < factor - 1e-9)
      factor = n->stop[i];
  return factor;
}

/* What an accepted step has passed over. */
static void passed_note(ig_newton *n, double from, double to) {
  for (int i = 0; i < n->stops; i++)
    if (isnan(n->now.passed) && n->stop[i] > from + 1e-9 && n->stop[i] < to - 1e-9)
      n->now.passed = n->m.begin + n->stop[i] * (n->m.end - n->m.begin);
}

void ig_newton_watch(ig_newton *n, void (*note)(void *user, const ig_newton_note *note),
                     void *user) {
  n->note = note;
  n->user = user;
}

void ig_newton_arc_limit(ig_newton *n, double times) {
  n->arc = fmin(n->arc, times * n->arc_last);
}

void ig_newton_stand(const ig_newton *n, ig_newton_standing *now) {
  *now = n->now;
}

const double *ig_newton_forces(const ig_newton *n) {
  return n->kept;
}

const double *ig_newton_start(const ig_newton *n) {
  return n->start;
}

/* Exactly `end` at the end, whatever rounding makes of the sum. */
static double time_at(const ig_newton *n, double factor) {
  return factor >= 1 && !n->o.open ? n->m.end : n->m.begin + factor * (n->m.end - n->m.begin);
}

static ig_trial trial_at(const ig_newton *n, double factor) {
  const double time = time_at(n, factor);
  return (ig_trial){n->u, time, time - n->now.time, factor};
}

/* Unknowns from the equations' increments v, at a factor. */
static ig_status spread(ig_newton *n, double factor) {
  if (n->m.motions) {
    IG_TRY(n->m.motions(n->m.self, n->now.time, time_at(n, factor)));
    ig_system_resolve(n->m.system);
  }
  ig_system_spread(n->m.system, n->v, n->u);
  if (n->m.follow) {
    n->m.follow(n->m.self, n->u);
    ig_system_resolve(n->m.system);
  }
  return IG_OK;
}

/* Forces out of balance f and r at the trial: internal forces less loads less what is left of the
   start's residual, (1 - factor) r_0. *fine false: an element cannot be computed; `why` says which.
   tangent: the matrix, too; push (NULL: none): motions whose forces are added by the tangent. */
static ig_status residual(ig_newton *n, double factor, bool tangent, const double *push,
                          bool *fine) {
  ig_system *s = n->m.system;
  const ig_trial at = trial_at(n, factor);
  ig_trouble trouble;
  double size[2], count[2];
  int group = 0;
  memset(n->f, 0, (size_t)s->unknowns * sizeof *n->f);
  if (n->m.loads)
    IG_TRY(n->m.loads(n->m.self, &at, n->f));
  for (int32_t i = 0; i < s->unknowns; i++)
    n->f[i] = -n->f[i];
  IG_TRY(ig_system_assemble(s, n->m.groups, n->m.group, &at, tangent, push, n->f, size, count,
                            &group, &trouble));
  *fine = trouble.element < 0;
  if (!*fine) {
    char name[96] = "an element";
    if (n->m.name_element)
      n->m.name_element(n->m.self, group, trouble.element, name, sizeof name);
    snprintf(n->why, sizeof n->why, "%s %s", name, trouble.what);
    return IG_OK;
  }
  for (int i = 0; i < 2; i++)
    n->scale[i] = count[i] > 0 ? size[i] / count[i] : 0;
  for (int32_t i = 0; i < s->unknowns; i++)
    n->f[i] -= (1 - factor) * n->start[i];
  ig_system_reduce(s, n->f, n->r);
  for (int32_t i = 0; i < s->equations; i++)
    if (!isfinite(n->r[i])) {
      *fine = false;
      snprintf(n->why, sizeof n->why, "forces are not finite");
      break;
    }
  return IG_OK;
}

/* Largest magnitude of displacements (0) and rotations (1), and at which unknowns. The kind of an
   equation is that of its unknown. */
static void largest(const ig_newton *n, const double *v, double most[2], int32_t where[2]) {
  const ig_system *s = n->m.system;
  most[0] = most[1] = 0;
  where[0] = where[1] = -1;
  for (int32_t i = 0; i < s->unknowns; i++) {
    const int32_t e = s->equation[i];
    if (e >= 0 && fabs(v[e]) > most[s->kind[i]])
      most[s->kind[i]] = fabs(v[e]), where[s->kind[i]] = i;
  }
}

/* Largest residual over the mean force, of displacements and rotations. What is unloaded is held to
   a share of the forces there were: a part that is let go has none of its own. */
static double residual_size(ig_newton *n, int32_t *unknown) {
  double most[2];
  int32_t where[2];
  largest(n, n->r, most, where);
  const double size[2] = {fmax(n->scale[0], 1e-4 * n->peak[0]),
                          fmax(n->scale[1], 1e-4 * n->peak[1])};
  /* where moments alone act, forces are noise, and the other way round */
  const double force = fmax(size[0], 1e-2 * size[1] / fmax(n->m.length, 1e-300));
  const double moment = fmax(size[1], 1e-5 * size[0] * n->m.length);
  const double a = most[0] > 0 ? most[0] / fmax(force, 1e-300) : 0,
               b = most[1] > 0 ? most[1] / fmax(moment, 1e-300) : 0;
  if (unknown)
    *unknown = a >= b ? where[0] : where[1];
  return fmax(a, b);
}

/* Largest correction over the largest increment, likewise. */
static double correction_size(const ig_newton *n) {
  double d[2], v[2], worst = 0;
  int32_t where[2];
  largest(n, n->d, d, where);
  largest(n, n->v, v, where);
  v[1] = fmax(v[1], 1e-6 * v[0] / fmax(n->m.length, 1e-300));
  for (int i = 0; i < 2; i++)
    if (d[i] > 0)
      worst = fmax(worst, d[i] / fmax(v[i], 1e-300));
  return worst;
}

/* What positions are rounded to, m. */
static double grain(const ig_newton *n) {
  return 16 * DBL_EPSILON * n->m.reach;
}

/* Corrections are as small as the rounding of positions: no residual gets smaller than this. */
static bool at_rounding(const ig_newton *n) {
  double d[2];
  int32_t where[2];
  largest(n, n->d, d, where);
  return fmax(d[0], d[1] * n->m.length) <= grain(n);
}

/* Residuals are the rounding of the sums they come from: what is left in each equation is below
   some units of the last place of sum |K||u| (Oettli and Prager 1964). Thin elements have large
   entries that cancel, so that this may be far above the tolerance. */
static bool at_noise(const ig_newton *n) {
  const ig_system *s = n->m.system;
  for (int32_t i = 0; i < s->equations; i++) {
    double sum = 0;
    for (int64_t k = s->first[i]; k < s->first[i + 1]; k++)
      sum += fabs(s->value[k]) * (fabs(n->sum[s->column[k]]) + fabs(n->v[s->column[k]]));
    if (fabs(n->r[i]) > 64 * DBL_EPSILON * sum)
      return false;
  }
  return true;
}

/* The largest diagonal entries of displacements and rotations. */
static void stiffest(const ig_newton *n, double stiff[2]) {
  const ig_system *s = n->m.system;
  stiff[0] = stiff[1] = 0;
  for (int32_t i = 0; i < s->unknowns; i++)
    for (int64_t k = s->equation[i] < 0 ? 0 : s->first[s->equation[i]];
         s->equation[i] >= 0 && k < s->first[s->equation[i] + 1]; k++)
      if (s->column[k] == s->equation[i])
        stiff[s->kind[i]] = fmax(stiff[s->kind[i]], fabs(s->value[k]));
}

/* A motion that nothing resists gets no correction (implicit/direct.h), however it is pushed. Then
   forces stay out of balance that are far above what the rounding of positions makes. */
static bool pushed_free(const ig_newton *n, double r) {
  double most[2], stiff[2];
  int32_t where[2];
  largest(n, n->r, most, where);
  stiffest(n, stiff);
  return r > 0.1 &&
         (most[0] > 1e4 * stiff[0] * grain(n) || most[1] * n->m.length > 1e4 * stiff[1] * grain(n));
}

/* What is reported of an accepted step: nothing is out of balance where all forces, those of the
   elements too, are the rounding of positions. */
static double residual_left(const ig_newton *n, double r) {
  double stiff[2];
  if (r <= n->o.tolerance)
    return r;
  stiffest(n, stiff);
  return n->scale[0] <= stiff[0] * grain(n) && n->scale[1] * n->m.length <= stiff[1] * grain(n) ? 0
                                                                                                : r;
}

static double product(const ig_newton *n, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < n->m.system->equations; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Largest force out of balance, moments by the length of the model. */
static double rest(const ig_newton *n) {
  double most[2];
  int32_t where[2];
  largest(n, n->r, most, where);
  return fmax(most[0], most[1] / fmax(n->m.length, 1e-300));
}

/* The product of displacements alone. */
static double way(const ig_newton *n, const double *a, const double *b) {
  const ig_system *s = n->m.system;
  double sum = 0;
  for (int32_t i = 0; i < s->unknowns; i++)
    if (s->equation[i] >= 0 && s->kind[i] == 0)
      sum += a[s->equation[i]] * b[s->equation[i]];
  return sum;
}

/* Symmetric as long as that converges: half the work and memory, and pivots can be counted. */
static ig_status factorize(ig_newton *n) {
  if (n->m.solve) {
    n->info = (ig_direct_info){.solver = "conjugate gradients", .negative = -1};
    n->now.solver = n->info.solver;
    return IG_OK;
  }
  IG_TRY(ig_direct_factor(n->direct, n->m.system->value, !n->full, &n->info));
  n->now.solver = n->info.solver;
  return IG_OK;
}

/* v = was + s d; the residual there. */
static ig_status along(ig_newton *n, double factor, double s, bool *fine) {
  for (int32_t i = 0; i < n->m.system->equations; i++)
    n->v[i] = n->was[i] + s * n->d[i];
  IG_TRY(spread(n, factor));
  return residual(n, factor, false, NULL, fine);
}

/* Goes along d until the work of the residual on it has fallen. `g0`: that work at the start,
   negative; 0: the whole way is gone. */
static ig_status search(ig_newton *n, double factor, double g0, double *length, bool *fine) {
  double s = 1, low = 0, g_low = g0, high = -1, g_high = 0;
  memcpy(n->was, n->v, (size_t)n->m.system->equations * sizeof *n->v);
  for (int trial = 0;; trial++) {
    IG_TRY(along(n, factor, s, fine));
    *length = s;
    if (!*fine) { /* an element is inverted: shorter */
      if (trial >= 4 || !n->o.line_search || g0 == 0)
        return IG_OK;
      high = -1;
      s *= 0.25;
      continue;
    }
    const double g = product(n, n->d, n->r);
    if (!n->o.line_search || trial >= 5 || g0 == 0 || !(fabs(g) > 0.8 * fabs(g0)))
      return IG_OK;
    if (g * g0 > 0)
      low = s, g_low = g;
    else
      high = s, g_high = g;
    if (high < 0) {
      if (s >= 1) /* still falling: the full step is taken */
        return IG_OK;
      s = fmin(1, 2 * s);
      continue;
    }
    const double next = low + (high - low) * g_low / (g_low - g_high);
    if (!(next >= 0.1) || fabs(next - s) < 1e-3) {
      s = fmax(0.1, fmin(next, 1));
      IG_TRY(along(n, factor, s, fine));
      *length = s;
      return IG_OK;
    }
    s = next;
  }
}

/* Whether a loose part has gone far away: nothing stops it, and what moves most is named. */
static bool away(ig_newton *n) {
  double most[2];
  int32_t where[2];
  char name[64] = "a node";
  largest(n, n->v, most, where);
  if (!n->o.loose || !(most[0] > 100 * n->m.length))
    return false;
  if (n->m.name)
    n->m.name(n->m.self, where[0], name, sizeof name);
  snprintf(n->why, sizeof n->why,
           "a part that contact does not stop is pushed away, at %s: support it, or look at where "
           "its loads point",
           name);
  n->plain = true;
  return true;
}

/* The same where parts may be loose: the tangent is then far too soft, or far too stiff, along d.
   It goes on by factors of 8 until something stops it, and back by the line through the two nearest
   places beyond, or by halves. */
static ig_status search_far(ig_newton *n, double factor, double g0, double *length, bool *fine) {
  double s = 1, low = 0, high[2] = {0, 0}, g_high[2] = {0, 0};
  int beyond = 0; /* places where it was too far */
  memcpy(n->was, n->v, (size_t)n->m.system->equations * sizeof *n->v);
  for (int trial = 0; trial < 40; trial++) {
    IG_TRY(along(n, factor, s, fine));
    *length = s;
    const double g = *fine ? product(n, n->d, n->r) : INFINITY;
    if (*fine && !(fabs(g) > 0.8 * fabs(g0)))
      return IG_OK;
    if (*fine && g * g0 > 0) {
      low = s;
    } else {
      high[1] = high[0], g_high[1] = g_high[0];
      high[0] = s, g_high[0] = g;
      beyond++;
    }
    if (!beyond && s > 1e9)
      break; /* nothing stops it */
    double next = 8 * s;
    if (beyond) {
      const double slope = (g_high[0] - g_high[1]) / (high[0] - high[1]);
      next = high[0] - g_high[0] / slope;
      if (beyond < 2 || !(next > low && next < high[0]))
        next = 0.5 * (low + high[0]);
    }
    s = next;
  }
  *length = beyond ? low : 1;
  return along(n, factor, *length, fine);
}

/* To the observer (ig_newton_watch). */
static void tell(const ig_newton *n, int iteration, double factor, double r, double c, double s) {
  const ig_newton_note note = {n->now.steps + 1, iteration, factor, r, c, s,
                               n->info.negative, !n->full};
  if (n->note)
    n->note(n->user, &note);
}

/* What a step came to. */
typedef enum { STEP_FINE, STEP_DIVERGED, STEP_SLOW, STEP_TURNED, STEP_ROUNDED } outcome;

/* Whether a node has turned by more than a step may have; of models with rotations. */
static bool step_turned(ig_newton *n) {
  double v[2];
  int32_t where[2];
  if (!(n->o.most_turn > 0))
    return false;
  largest(n, n->v, v, where);
  return v[1] > n->o.most_turn;
}

/* Whether parts may still fall, tip and come to rest on each other: however short a step is, they
   do so in the first one. */
static bool falling(const ig_newton *n) {
  return n->o.loose && !n->landed;
}
enum { FALL_TRIES = 4 };
/* Shares of the stiffness of contact with which the tries begin, all but the first bonded. */
static const double fall_share[FALL_TRIES] = {1, 1, 1e-3, 1e-6};

/* Whether a part that a tool has let go in one long step has come to rest where rounding led it: on
   the way nothing held it. In two steps it is let go from a smaller force. */
static bool adrift(const ig_newton *n, double factor, bool gave_way) {
  return gave_way && !n->o.loose && n->tries == 0 && factor - n->now.factor > 0.6 &&
         (n->info.zero > 0 || n->info.least < 1e-8);
}

/* Whether residuals fall too slowly: seen from iteration 8 on. Before, points of plastic elements
   that change sides make them fall slowly in steps of any length, and cutting does not help. */
static bool slow(const ig_newton *n, int iteration, double now, double before) {
  if (iteration < (n->o.loose ? 32 : 8) || now <= 0 || before <= 0 || falling(n))
    return false;
  if (now >= before)
    return true;
  const double left = log(n->o.tolerance / now) / log(now / before);
  return iteration + left > (n->o.loose ? 3 : 1) * n->o.iterations + 2;
}

/* Whether a converged trial is accepted: rotations are not too large, and the model agrees. */
static bool fits(ig_newton *n, double factor) {
  const ig_trial at = trial_at(n, factor);
  if (step_turned(n)) {
    snprintf(n->why, sizeof n->why, "nodes turned by more than %.2g rad", n->o.most_turn);
    return false;
  }
  return !n->m.fits || n->m.fits(n->m.self, &at, n->why, sizeof n->why);
}

/* Residual and correction are small; or the residual alone is tiny, as in steps that move almost
   nothing; or nothing smaller can be reached by rounding. */
static bool converged(const ig_newton *n, int iteration, double residual_now, double correction) {
  const double most = n->o.tolerance;
  return (residual_now <= most && correction <= 10 * most) || residual_now <= 1e-5 * most ||
         (iteration >= 2 && at_rounding(n));
}

/* Why a step may be given up: the residual, and the unknown where it is largest. Residuals that are
   small while corrections are not: the tangent hardly resists a motion. */
static void residual_name(ig_newton *n, int iteration, double residual_now, int32_t worst) {
  char name[64] = "";
  if (n->m.name && worst >= 0)
    n->m.name(n->m.self, worst, name, sizeof name);
  if (residual_now <= n->o.tolerance)
    snprintf(
        n->why, sizeof n->why,
        "forces balance, but displacements do not settle: next to no stiffness is left against "
        "a motion, as where a part begins to buckle");
  else
    snprintf(n->why, sizeof n->why,
             "after %d iterations the residual is %.2g of the mean force, largest at %s", iteration,
             residual_now, name);
}

/* Iterations under a given factor. */
static ig_status step_load(ig_newton *n, double factor, outcome *how, int *took) {
  const int32_t equations = n->m.system->equations;
  double r = INFINITY, c = INFINITY, before = INFINITY, first = INFINITY;
  bool fine, keep = false;
  bool gave_way = false;       /* tools pressed on parts when the step began */
  int rising = 0, seeking = 0; /* iterations in which contact opened or closed */
  n->plain = false;
  if (n->m.augment)
    n->m.augment(n->m.self, NULL);
  /* where the last step went, it goes on; the first one starts from where the model is */
  const double on = n->last_ds > 0 ? (factor - n->now.factor) / n->last_ds : 0;
  for (int32_t i = 0; i < equations; i++)
    n->v[i] = on * n->last[i];
  IG_TRY(spread(n, factor));
  /* Motions that are prescribed would strain the elements beside them alone: the first iteration
     starts from where the model is, and lets all of it follow by its tangent. */
  bool led = false;
  for (int32_t i = 0; i < n->m.system->unknowns; i++)
    led |= on == 0 && n->u[i] != 0;
  if (led) {
    memcpy(n->push, n->u, (size_t)n->m.system->unknowns * sizeof *n->u);
    memset(n->u, 0, (size_t)n->m.system->unknowns * sizeof *n->u);
    if (n->m.follow)
      n->m.follow(n->m.self, n->u);
  }
  double share = falling(n) && n->m.ease ? fall_share[n->tries] : 1;
  bool bonded = falling(n) && n->m.ease && n->tries > 0;
  if (n->m.ease)
    n->m.ease(n->m.self, share, bonded);
  const int most = (n->o.loose ? 3 : 1) * n->o.iterations;
  for (int it = 1; it <= most + seeking; it++) {
    double s = 1;
    *took = it > seeking ? it - seeking : 1;
    *how = STEP_DIVERGED;
    bool gripped = it == 1 && !n->o.loose && n->m.grip && n->m.grip(n->m.self, true);
    if (!keep) {
      const ig_status status = residual(n, factor, true, led && it == 1 ? n->push : NULL, &fine);
      if (gripped)
        n->m.grip(n->m.self, false);
      gave_way |= gripped;
      IG_TRY(status);
      if (!fine)
        return IG_OK;
      IG_TRY(factorize(n));
    }
    const double pushed = rest(n);
    for (int32_t i = 0; i < equations; i++)
      n->d[i] = -n->r[i];
    IG_TRY(n->m.solve ? n->m.solve(n->m.self, n->d, &fine) : ig_direct_solve(n->direct, n->d));
    const double g0 = product(n, n->d, n->r);
    if (!fine) {
      snprintf(n->why, sizeof n->why,
               "conjugate gradients find no correction: the body may not be stable there");
      return IG_OK;
    }
    if (!isfinite(g0)) {
      snprintf(n->why, sizeof n->why, "the matrix is singular");
      return IG_OK;
    }
    const double along_d = gripped || (led && it == 1) ? 0 : g0;
    IG_TRY((n->o.loose && along_d < 0 ? search_far : search)(n, factor, along_d, &s, &fine));
    n->now.iterations++;
    if (!fine)
      return IG_OK;
    before = r;
    int32_t worst = -1;
    r = residual_size(n, &worst);
    if (away(n)) {
      *how = falling(n) && n->tries + 1 < FALL_TRIES ? STEP_DIVERGED : STEP_ROUNDED;
      return IG_OK;
    }
    for (int32_t i = 0; i < equations; i++)
      n->d[i] *= s;
    const double c_before = c;
    c = correction_size(n);
    tell(n, it, factor, r, c, s);
    if (it == 1)
      first = r;
    if (r > n->o.tolerance && it >= 2 && at_rounding(n) && pushed_free(n, r)) {
      char name[64] = "a node";
      if (n->m.name && worst >= 0)
        n->m.name(n->m.self, worst, name, sizeof name);
      snprintf(n->why, sizeof n->why,
               "a part that nothing holds there is pushed, at %s: add a support, or connect it",
               name);
      n->plain = true;
      return IG_OK;
    }
    /* Corrections still get smaller where residuals do not: refinement by the same factors. */
    if (n->o.keep && r > n->o.tolerance && it >= 2 && at_noise(n)) {
      const bool fine_now = c <= 10 * n->o.tolerance;
      keep = true;
      if (!fine_now && c < 0.5 * c_before && it < n->o.iterations)
        continue;
      n->now.uncertain = fine_now ? n->now.uncertain : fmax(n->now.uncertain, c);
      n->now.residual = r;
      *how = c > 0.01 ? STEP_ROUNDED : STEP_FINE;
      n->plain = true;
      snprintf(n->why, sizeof n->why,
               "rounding leaves displacements uncertain by %.2g of themselves: elements are too "
               "thin or too unlike in stiffness",
               c);
      return IG_OK;
    }
    if ((share < 1 || bonded) && r <= 1e-2 && c <= 0.1) {
      share = bonded ? share : fmin(1, 10 * share);
      bonded = false;
      n->m.ease(n->m.self, share, bonded);
      r = c = before = first = INFINITY; /* iterations are counted anew */
      keep = led = false;
      it = 1;
      continue;
    }
    if (share >= 1 && !bonded && converged(n, it, r, c)) {
      const ig_trial at = trial_at(n, factor);
      if (n->m.augment && n->m.augment(n->m.self, &at)) {
        r = c = before = first = INFINITY; /* iterations are counted anew */
        keep = led = false;
        rising = seeking = 0;
        it = 1;
        continue;
      }
      *how = adrift(n, factor, gave_way) ? STEP_SLOW : fits(n, factor) ? STEP_FINE : STEP_TURNED;
      n->now.residual = residual_left(n, r);
      return IG_OK;
    }
    residual_name(n, it, r, worst);
    /* The last tangent is kept where it would reduce the residual below the tolerance again: in
       linear analyses it is always that of the next iteration. */
    const double fall = pushed > 0 ? rest(n) / pushed : 1;
    keep = n->o.keep && !keep && s == 1 && fall <= 1e-3 && fall * r <= 0.1 * n->o.tolerance;
    rising = r > before ? rising + 1 : 0;
    if (n->m.unsettled && n->m.unsettled(n->m.self) && seeking < 2 * n->o.iterations) {
      seeking++;
      rising = 0;
    } else if (!n->full && it >= 3 && r > 0.1 * before)
      n->full = true; /* what was made symmetric may be why it is slow */
    else if (!n->o.loose && (rising >= 3 || r > 1e3 * fmax(first, 1)))
      return IG_OK;
    else if (slow(n, it - seeking, r, before)) {
      *how = STEP_SLOW;
      return IG_OK;
    }
  }
  *how = STEP_SLOW;
  return IG_OK;
}

/* b = -K^-1 dr/ds: how the displacements follow the factor. The matrix is factorized. dr/ds is a
   difference over 1e-4 of the analysis: loads, motions and temperatures depend on the factor in
   ways only their owners know. *still: it is rounding, as nothing depends on the factor. */
static ig_status direction(ig_newton *n, double factor, bool *still) {
  const int32_t equations = n->m.system->equations;
  const double h = factor + 1e-4 > 1 && !n->o.open ? -1e-4 : 1e-4; /* histories end at 1 */
  bool fine;
  memcpy(n->b, n->r, (size_t)equations * sizeof *n->b);
  IG_TRY(spread(n, factor + h));
  IG_TRY(residual(n, factor + h, false, NULL, &fine));
  for (int32_t i = 0; i < equations; i++)
    n->b[i] = (n->b[i] - n->r[i]) / h;
  double most[2];
  int32_t where[2];
  largest(n, n->b, most, where);
  *still = most[0] <= 1e-9 * fmax(n->scale[0], n->peak[0]) &&
           most[1] <= 1e-9 * fmax(n->scale[1], n->peak[1]);
  IG_TRY(spread(n, factor));
  return ig_direct_solve(n->direct, n->b);
}

/* Change dl of the factor that gives the increment the length `arc`: |v + a + dl b|^2 = arc^2, over
   displacements alone, as rotations have another unit. Of the two roots the one whose increment
   turns least from the present one (Crisfield 1981), else the path would be followed back. false:
   there is none. */
static bool arc_root(const ig_newton *n, const double *a, double arc, double *dl) {
  const int32_t equations = n->m.system->equations;
  double *sum = n->was; /* v + a */
  for (int32_t i = 0; i < equations; i++)
    sum[i] = n->v[i] + a[i];
  const double p = way(n, n->b, n->b), q = way(n, n->b, sum), c = way(n, sum, sum) - arc * arc;
  const double root = q * q - p * c;
  if (!(root >= 0) || !(p > 0))
    return false;
  const double one = (-q + sqrt(root)) / p, two = (-q - sqrt(root)) / p;
  const double along_sum = way(n, n->v, sum), along_b = way(n, n->v, n->b);
  *dl = along_sum + one * along_b >= along_sum + two * along_b ? one : two;
  return true;
}

/* Iterations on a cylinder of radius n->arc (the factor itself does not count for the length);
   *factor: where it ends. The first correction is the tangent's, in the direction in which the last
   step went (Feng, Peric and Owen 1996): beyond a limit point the factor falls. */
static ig_status step_arc(ig_newton *n, double *factor, outcome *how, int *took) {
  const int32_t equations = n->m.system->equations;
  double r = INFINITY, before = INFINITY, dl;
  bool fine;
  int rising = 0;
  *how = STEP_DIVERGED;
  if (n->m.augment)
    n->m.augment(n->m.self, NULL);
  memset(n->v, 0, (size_t)equations * sizeof *n->v);
  IG_TRY(spread(n, n->now.factor));
  for (int it = 1; it <= n->o.iterations; it++) {
    *took = it;
    IG_TRY(residual(n, *factor, true, NULL, &fine));
    if (!fine)
      return IG_OK;
    IG_TRY(factorize(n));
    for (int32_t i = 0; i < equations; i++)
      n->d[i] = -n->r[i];
    IG_TRY(ig_direct_solve(n->direct, n->d));
    bool still;
    IG_TRY(direction(n, *factor, &still));
    if (it == 1) {
      const double length = sqrt(way(n, n->b, n->b));
      if (!(length > 0) || still) {
        snprintf(n->why, sizeof n->why,
                 "the loads move nothing: all of them act on supports, are 0, or do not change in "
                 "this analysis");
        return IG_OK;
      }
      if (n->arc == 0) {
        n->arc = n->ds * length;
        n->arc_most = n->o.most < 1 ? n->o.most * length : INFINITY;
      }
      const double sign = way(n, n->last, n->b) < 0 ? -1 : 1;
      dl = sign * n->arc / length;
    } else if (!arc_root(n, n->d, n->arc, &dl)) {
      snprintf(n->why, sizeof n->why,
               "iteration %d finds no load factor at which displacements are as long as the step "
               "asks: the path turns more sharply than that; begin with a shorter step, and limit "
               "the largest",
               it);
      return IG_OK;
    }
    *factor += dl;
    if (*factor >= 1 && !n->o.open) { /* past the end: to the end under its load */
      *factor = 1;
      return step_load(n, 1, how, took);
    }
    for (int32_t i = 0; i < equations; i++) {
      n->d[i] += dl * n->b[i];
      n->v[i] += n->d[i];
    }
    IG_TRY(spread(n, *factor));
    IG_TRY(residual(n, *factor, false, NULL, &fine));
    n->now.iterations++;
    if (!fine)
      return IG_OK;
    before = r;
    int32_t worst = -1;
    r = residual_size(n, &worst);
    const double c = correction_size(n);
    tell(n, it, *factor, r, c, 1);
    if (converged(n, it, r, c)) {
      const ig_trial at = trial_at(n, *factor);
      if (n->m.augment && n->m.augment(n->m.self, &at)) {
        r = before = INFINITY; /* iterations are counted anew */
        rising = 0;
        it = 1;
        continue;
      }
      *how = fits(n, *factor) ? STEP_FINE : STEP_TURNED;
      n->now.residual = residual_left(n, r);
      return IG_OK;
    }
    residual_name(n, it, r, worst);
    rising = r > before ? rising + 1 : 0;
    if (!n->full && it >= 3 && r > 0.1 * before)
      n->full = true;
    else if (rising >= 3)
      return IG_OK;
  }
  *how = STEP_SLOW;
  return IG_OK;
}

/* What is out of balance before anything is done; what supports bear is not. */
ig_status ig_newton_begin(ig_newton *n) {
  ig_system *s = n->m.system;
  bool fine;
  if (n->started)
    return IG_OK;
  n->started = true;
  memset(n->v, 0, (size_t)s->equations * sizeof *n->v);
  IG_TRY(spread(n, 0));
  IG_TRY(residual(n, 0, false, NULL, &fine));
  if (!fine)
    return IG_FAIL(n->cx, IG_NUMERIC, "static: at the start %s", n->why);
  memcpy(n->peak, n->scale, sizeof n->peak); /* what is unloaded now was loaded before */
  for (int32_t i = 0; i < s->unknowns; i++)
    n->start[i] = s->term_first[i + 1] > s->term_first[i] && !n->m.moving ? n->f[i] : 0;
  return IG_OK;
}

/* Whether a motion has no stiffness but that of rounding. Where a pivot is tiny, the motion is
   found by one inverse iteration that begins there, and its energy x K x is compared with that of
   the diagonal alone. A slender part has tiny pivots too, but its energies are far above rounding.
 */
static ig_status mechanism(ig_newton *n, const ig_direct_info *info) {
  const ig_system *s = n->m.system;
  const int32_t at = info->zero > 0 ? info->first_zero : info->least < 1e-8 ? info->least_at : -1;
  double *x = n->d, *y = n->b, energy = 0, most = 0, diagonal = 0;
  n->now.free = -1;
  if (at < 0)
    return IG_OK;
  memset(x, 0, (size_t)s->equations * sizeof *x);
  x[at] = info->zero > 0 ? IG_DIRECT_OUT : 1;
  IG_TRY(ig_direct_solve(n->direct, x));
  ig_system_times(s, x, y);
  for (int32_t i = 0; i < s->unknowns; i++) {
    const int32_t e = s->equation[i];
    if (e < 0)
      continue;
    for (int64_t k = s->first[e]; k < s->first[e + 1]; k++)
      if (s->column[k] == e)
        diagonal += fabs(s->value[k]) * x[e] * x[e];
    energy += x[e] * y[e];
    if (fabs(x[e]) > most) {
      most = fabs(x[e]);
      n->now.free = i;
    }
  }
  if (!(fabs(energy) <= DBL_EPSILON * diagonal))
    n->now.free = -1;
  return IG_OK;
}

/* What the last tangent says of the stability of the state. Negative pivots are counted where it
   was factorized symmetric: else it costs a factorization, only at the end of the analysis. */
static ig_status inertia(ig_newton *n) {
  if (n->m.solve)
    return IG_OK;
  ig_direct_info info = n->info;
  if (info.negative < 0)
    IG_TRY(ig_direct_factor(n->direct, n->m.system->value, true, &info));
  n->now.negative = info.negative;
  n->now.zero = info.zero;
  return mechanism(n, &info);
}

/* In this order: what can be interrupted, then elements keep their history, then the model its
   state, then the standing is updated. `easy` counts steps that took six iterations at most. */
static ig_status accept(ig_newton *n, double factor, int took) {
  const ig_system *s = n->m.system;
  const ig_trial at = trial_at(n, factor);
  const bool done = factor >= 1 && !n->o.open;
  n->now.negative = n->info.negative;
  n->now.zero = n->info.zero;
  if (done)
    IG_TRY(inertia(n));
  for (int g = 0; g < n->m.groups; g++)
    if (n->m.group[g].accept)
      IG_TRY(n->m.group[g].accept(n->m.group[g].self, &at));
  memcpy(n->kept, n->f, (size_t)s->unknowns * sizeof *n->f);
  memcpy(n->last, n->v, (size_t)s->equations * sizeof *n->v);
  for (int32_t i = 0; i < s->equations; i++)
    n->sum[i] += n->v[i];
  if (n->m.accepted)
    IG_TRY(n->m.accepted(n->m.self, &at));
  n->landed = true;
  n->now.factor = factor;
  n->now.time = at.time;
  n->now.force = n->scale[0];
  n->now.steps++;
  for (int i = 0; i < 2; i++)
    n->peak[i] = fmax(n->peak[i], n->scale[i]);
  n->last_ds = factor - (n->now.steps > 1 ? n->last_factor : 0);
  n->last_factor = factor;
  n->now.done = done;
  n->easy = took <= 6 ? n->easy + 1 : 0;
  return IG_OK;
}

/* The end of an analysis that finds no more equilibrium. */
static ig_status no_step(ig_newton *n) {
  return IG_FAIL(n->cx, IG_NUMERIC,
                 "static: no equilibrium beyond load factor %.6g (time %.6g s) after %lld steps: "
                 "%s%s",
                 n->now.factor, n->now.time, (long long)n->now.steps, n->why,
                 n->o.arc_length || n->plain ? "" : n->o.beyond);
}

/* Diverged: a quarter, as the trial was far off; slow: a half, which usually is enough. */
static void cut(ig_newton *n, outcome how) {
  const double by = how == STEP_DIVERGED ? 0.25 : 0.5;
  n->ds *= by;
  n->arc *= by;
  n->easy = 0;
  n->now.cuts++;
}

ig_status ig_newton_step(ig_newton *n) {
  IG_TRY(ig_newton_begin(n));
  if (n->now.done)
    return IG_OK;
  if (n->now.steps >= n->o.steps) {
    snprintf(n->why, sizeof n->why, "`steps` is reached");
    n->plain = true;
    return no_step(n);
  }
  for (int tries = 0;; tries++) {
    outcome how;
    int took = 0;
    double factor = n->now.factor;
    if (n->cx->interrupted)
      return IG_INTERRUPTED;
    n->tries = tries;
    const ig_newton before = *n; /* a try that is interrupted has not been */
    ig_status status;
    if (n->o.arc_length)
      status = step_arc(n, &factor, &how, &took);
    else {
      const double left = 1 - n->now.factor;
      factor = n->ds >= left * (1 - 1e-9) ? 1 : n->now.factor + n->ds;
      factor = n->o.pass ? factor : end_of(n, factor);
      status = step_load(n, factor, &how, &took);
    }
    if (status == IG_INTERRUPTED)
      *n = before;
    IG_TRY(status);
    if (how == STEP_FINE) {
      if (n->o.pass)
        passed_note(n, n->now.factor, factor);
      status = accept(n, factor, took);
      if (status == IG_INTERRUPTED)
        *n = before;
      IG_TRY(status);
      n->arc_last = n->arc;
      /* towards steps of five iterations each (Ramm 1981) */
      n->arc = fmin(n->arc_most, n->arc * fmin(2, fmax(0.5, sqrt(5.0 / took))));
      if (n->easy >= 2 || (n->now.steps == 1 && took <= 4)) {
        n->ds = fmin(n->o.most, 1.5 * n->ds);
        n->easy = 0;
      }
      return IG_OK;
    }
    if (how == STEP_ROUNDED) /* shorter steps have the same digits */
      return no_step(n);
    const bool fell = falling(n) && tries + 1 >= FALL_TRIES;
    if (falling(n))
      n->now.cuts++; /* parts fall in a shorter step, too */
    else
      cut(n, how);
    if (fell || (n->o.arc_length ? tries > 10 : n->ds < n->o.least))
      return no_step(n);
  }
}

bool ig_newton_loosen(ig_newton *n) {
  if (n->o.loose || !n->m.ease || n->o.arc_length || !(n->info.zero > 0 || n->info.least < 1e-8))
    return false;
  n->o.loose = true;
  n->o.beyond = "; a part that contact alone supports may slide, tip or be pushed away: more "
                "friction, or a support, holds it";
  n->ds = fmax(n->ds, n->o.first);
  n->full = n->landed = false;
  return true;
}

/* The numbers of a checkpoint, out of n or back into it. */
static void numbers_move(ig_newton *n, double *number, bool back) {
  int at = 0;
#define MOVE(what)                                                                                 \
  if (back)                                                                                        \
    (what) = number[at];                                                                           \
  else                                                                                             \
    number[at] = (double)(what);                                                                   \
  at++
  MOVE(n->started);
  MOVE(n->ds);
  MOVE(n->arc);
  MOVE(n->arc_most);
  MOVE(n->easy);
  MOVE(n->full);
  MOVE(n->last_ds);
  MOVE(n->last_factor);
  MOVE(n->peak[0]);
  MOVE(n->peak[1]);
  MOVE(n->now.factor);
  MOVE(n->now.time);
  MOVE(n->now.steps);
  MOVE(n->now.iterations);
  MOVE(n->now.cuts);
  MOVE(n->now.residual);
  MOVE(n->now.force);
  MOVE(n->now.negative);
  MOVE(n->now.zero);
  MOVE(n->now.uncertain);
  MOVE(n->now.passed);
  MOVE(n->now.done);
  MOVE(n->o.loose);
  MOVE(n->landed);
#undef MOVE
}

void ig_newton_saved(ig_newton *n, double number[IG_NEWTON_NUMBERS],
                     ig_saved list[IG_NEWTON_SAVED]) {
  const ig_saved all[IG_NEWTON_SAVED] = {{"newton", IG_F64, IG_NEWTON_NUMBERS, number},
                                         {"newton_start", IG_F64, n->m.system->unknowns, n->start},
                                         {"newton_forces", IG_F64, n->m.system->unknowns, n->kept},
                                         {"newton_last", IG_F64, n->equations, n->last},
                                         {"newton_sum", IG_F64, n->equations, n->sum}};
  numbers_move(n, number, false);
  memcpy(list, all, sizeof all);
}

/* Options may be others than those of the run that was saved. */
void ig_newton_restore(ig_newton *n, const double number[IG_NEWTON_NUMBERS]) {
  double room[IG_NEWTON_NUMBERS];
  memcpy(room, number, sizeof room);
  numbers_move(n, room, true);
  n->ds = fmin(n->ds, n->o.most);
}
