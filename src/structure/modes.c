/* Natural frequencies, K x = w^2 M x, and critical load factors, (K + l dK) x = 0, by subspace
   iteration (implicit/modes.h). K is that of the drawn state, or of the state reached: then with
   the stiffness of its stresses and, where displacements are large, at the displaced shape.

   Buckling: the loads, motions and temperatures that change over the analysis are the ones that
   the factor multiplies. They cause, linearly, stresses whose geometric stiffness is dK.

   Both problems have the form B x = mu A x with A positive and factored once: frequencies A = K
   + shift M, B = M, w^2 = 1 / mu - shift; buckling A = K, B = -dK, l = 1 / mu. Slaves of
   constraints are eliminated by the system; contact must be tied, since a pair that may open has
   no linear stiffness. */
#include "structure/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One eigenvalue problem, on the stack of ig_structure_modes; arrays are freed there. */
typedef struct {
  ig_structure *s;
  const ig_system *y;
  double *A, *B; /* values in the pattern of the system */
  ig_direct *direct;
  int count;
  double *mu, *x; /* count; count x equations */
} modes;

/* y = value x, `value` in the sparse pattern of the system (first, column). */
static void times(const modes *m, const double *value, const double *x, double *y) {
  for (int32_t i = 0; i < m->y->equations; i++) {
    double sum = 0;
    for (int64_t k = m->y->first[i]; k < m->y->first[i + 1]; k++)
      sum += value[k] * x[m->y->column[k]];
    y[i] = sum;
  }
}

/* Callbacks of ig_modes_find: y = B x, and x = A^-1 x by the factored matrix. */
static void times_b(void *self, const double *x, double *y) {
  const modes *m = self;
  times(m, m->B, x, y);
}

static ig_status solve_a(void *self, double *x) {
  const modes *m = self;
  return ig_direct_solve(m->direct, x);
}

/* The mu of largest magnitude of B x = mu A x, A factored: frequencies and load factors are 1 / mu.
   Vectors are normalised to x . A x = 1. There are none where B is 0: `none` says what that means.
 */
static ig_status find(modes *m, const ig_structure_analysis *a, const char *none) {
  const ig_modes_model model = {
      .n = m->y->equations, .self = m, .solve = solve_a, .times = times_b};
  double error = 0;
  IG_TRY(IG_NEW(m->s->cx, &m->mu, m->count, "modes"));
  IG_TRY(IG_NEW(m->s->cx, &m->x, (size_t)m->count * (size_t)m->y->equations, "modes"));
  IG_TRY(ig_modes_find(m->s->cx, &model, &m->count, m->mu, m->x, &error));
  if (m->count == 0)
    return ig_fail_at(m->s->cx, &a->at, "%s", none);
  if (error > 1e-6)
    ig_warn(m->s->cx, "modes: the iteration did not converge to 1e-6, but to %.1e", error);
  if (a->modes > m->y->equations)
    ig_warn_at(m->s->cx, &a->at, "modes: %lld are asked for, but %d unknowns have %d",
               (long long)a->modes, (int)m->y->equations, m->count);
  return IG_OK;
}

/* Tangent of the groups at the accepted state, and the forces there (NULL: not wanted).
   push: shifts of slaves by prescribed motions, NULL: none. */
static ig_status assemble(ig_structure *s, int groups, const ig_implicit_group *group,
                          const double *push, double *value, double *force) {
  double *zero, *f, size[2], count[2];
  ig_trouble trouble;
  int which;
  IG_TRY(IG_NEW(s->cx, &zero, s->unknowns, "modes"));
  ig_status status = IG_NEW(s->cx, &f, s->unknowns, "modes");
  const ig_trial at = {.u = zero, .time = s->time, .step = 0};
  s->modal = true;
  if (status == IG_OK)
    status = ig_system_assemble(s->system, groups, group, &at, true, push, f, size, count, &which,
                                &trouble);
  s->modal = false;
  if (status == IG_OK)
    memcpy(value, s->system->value, (size_t)s->system->first[s->system->equations] * sizeof *value);
  if (status == IG_OK && force)
    memcpy(force, f, (size_t)s->unknowns * sizeof *f);
  free(zero);
  free(f);
  return status;
}

/* --- geometric stiffness of stresses, about the drawn shape */

/* Stresses of a group's points, added up with factors; the array is owned. */
typedef struct {
  const ig_structure_group *g;
  double *stress; /* elements x IG_SOLID_POINTS x 6 */
} stressed;

/* Group callback in the place of ig_structure_evaluate: geometric stiffness as tangent, no
   force. */
static ig_status stiffen(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                         double *k, ig_trouble *trouble) {
  const stressed *t = self;
  const ig_solid_info *info = ig_solid_info_get(t->g->kind);
  const size_t n = 3 * (size_t)info->nodes;
  (void)at, (void)trouble;
  for (int32_t e = begin; e < end; e++) {
    double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES];
    double *fe = f + (size_t)(e - begin) * n, *ke = k + (size_t)(e - begin) * n * n;
    ig_structure_gather(t->g->of, t->g->node[e], info->nodes, NULL, X, u);
    memset(fe, 0, n * sizeof *fe);
    ig_solid_geometric(t->g->kind, ig_structure_law(t->g, e), X,
                       t->stress + (size_t)e * (size_t)(6 * IG_SOLID_POINTS), ke);
    ig_structure_to_local(t->g->of, t->g->node[e], info->nodes, fe, ke);
  }
  return IG_OK;
}

static void stresses_free(const ig_structure *s, stressed *t) {
  for (int i = 0; t && i < s->groups; i++)
    free(t[i].stress);
  free(t);
}

/* Adds `factor` times the stresses at the accepted state and the increments `add`.
   stress has room for IG_SOLID_POINTS per element, whatever the kind; entries beyond its points
   stay 0. */
static ig_status stresses_add(ig_structure *s, stressed *t, const double *add, double factor) {
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    double report[IG_SOLID_POINTS * IG_SOLID_REPORT];
    t[i].g = g;
    if (!t[i].stress)
      IG_TRY(IG_NEW(s->cx, &t[i].stress, (size_t)g->count * 6 * IG_SOLID_POINTS + 1, "modes"));
    for (int32_t e = 0; e < g->count; e++) {
      IG_TRY(ig_structure_report(s, g, e, add, report));
      for (int k = 0; k < 6 * ig_structure_point_count(g, e); k++)
        t[i].stress[(size_t)e * 6 * IG_SOLID_POINTS + (size_t)k] +=
            factor * report[k / 6 * IG_SOLID_REPORT + k % 6];
    }
  }
  return IG_OK;
}

/* Adds `factor` times their stiffness to value.
   Works on copies of the element groups with another evaluate; assembly uses the same pattern. */
static ig_status stresses_stiffen(ig_structure *s, stressed *t, double factor, double *value) {
  const size_t entries = (size_t)s->system->first[s->system->equations];
  ig_implicit_group group[IG_SOLID_KINDS];
  double *own;
  IG_TRY(IG_NEW(s->cx, &own, entries, "modes"));
  for (int i = 0; i < s->groups; i++) {
    group[i] = s->implicit[i];
    group[i].self = &t[i];
    group[i].evaluate = stiffen;
  }
  const ig_status status = assemble(s, s->groups, group, NULL, own, NULL);
  for (size_t i = 0; i < entries && status == IG_OK; i++)
    value[i] += factor * own[i];
  free(own);
  return status;
}

/* K, about the drawn or the reached state.
   With `large` the elements' tangents contain the geometric stiffness already. */
static ig_status stiffness(ig_structure *s, const ig_structure_analysis *a, double *value) {
  IG_TRY(assemble(s, s->implicit_groups, s->implicit, NULL, value, NULL));
  if (!a->reached || a->large)
    return IG_OK;
  stressed *t;
  IG_TRY(IG_NEW(s->cx, &t, s->groups + 1, "modes"));
  ig_status status = stresses_add(s, t, NULL, 1);
  if (status == IG_OK)
    status = stresses_stiffen(s, t, 1, value);
  stresses_free(s, t);
  return status;
}

/* --- frequencies */

/* Inertia's tangent is M / ((1 + alpha) beta dt^2): with beta = dt = 1 and alpha = 0 it is M.
   The true values are restored. */
static ig_status mass(ig_structure *s, double *value) {
  ig_implicit_group group[IG_SOLID_KINDS + 1];
  const double kept[3] = {s->planned, s->beta, s->alpha};
  for (int i = 0; i < s->groups; i++) {
    group[i] = s->implicit[i];
    group[i].evaluate = ig_structure_inertia;
  }
  s->planned = s->beta = 1; /* so that the tangent of inertia is the mass */
  s->alpha = 0;
  const int groups = s->groups + ig_structure_points_masses(s, &group[s->groups]);
  const ig_status status = assemble(s, groups, group, NULL, value, NULL);
  s->planned = kept[0];
  s->beta = kept[1];
  s->alpha = kept[2];
  return status;
}

/* Effective masses: (x . M r)^2 / (x . M x), r a translation along x, y, z of all free nodes.
   The sum over all modes of a direction is the mass that can move; rows of tables.csv show how
   much of it the modes found have. */
static ig_status effective(const modes *m) {
  ig_structure *s = m->s;
  const int32_t n = m->y->equations;
  double *r, *moved, (*found)[3];
  IG_TRY(IG_NEW(s->cx, &found, m->count, "modes"));
  ig_status status = IG_NEW(s->cx, &r, 2 * (size_t)n + 1, "modes");
  moved = r + n;
  for (int d = 0; d < 3 && status == IG_OK; d++) {
    for (int32_t i = 0; i < s->unknowns; i++) {
      const int32_t node = i / 3, at = m->y->equation[i];
      const int32_t frame = s->framed && i < 3 * s->nodes ? s->framed[node] : -1;
      if (at >= 0)
        r[at] = i >= 3 * s->nodes ? 0 : frame >= 0 ? s->frame[frame][3 * (i % 3) + d] : i % 3 == d;
    }
    times(m, m->B, r, moved);
    for (int k = 0; k < m->count; k++) {
      double sum = 0;
      for (int32_t i = 0; i < n; i++)
        sum += m->x[(size_t)k * (size_t)n + (size_t)i] * moved[i];
      found[k][d] = sum * sum / m->mu[k]; /* x . A x is 1: x . M x is mu */
    }
  }
  for (int k = 0; k < m->count && status == IG_OK; k++)
    ig_structure_row(s, "effective_mass", "", k + 1, 0, 3, found[k]);
  free(r);
  free(found);
  return status;
}

/* Displacements of the drawn nodes in vector i, for snapshots; a motion of the largest is 1, its
   largest component positive. */
static ig_status shape_add(modes *m, int i) {
  ig_structure *s = m->s;
  const size_t size = 3 * (size_t)s->drawn;
  double *u, most = 0, sign = 1;
  if (s->shaped != s->analysis)
    s->shapes = 0;
  s->shaped = s->analysis;
  float *more = realloc(s->shape, ((size_t)s->shapes + 1) * (size + 1) * sizeof *more);
  if (!more)
    return IG_FAIL(s->cx, IG_MEMORY, "no memory for shapes of modes");
  s->shape = more;
  IG_TRY(IG_NEW(s->cx, &u, s->unknowns, "modes"));
  ig_system_spread(m->y, m->x + (size_t)i * (size_t)m->y->equations, u);
  for (int32_t k = 0; k < s->unknowns; k++)
    u[k] -= m->y->shift[k];
  for (int pass = 0; pass < 2; pass++)
    for (ig_lid n = 0; n < s->drawn; n++) {
      double v[3];
      ig_structure_to_fixed(s, (size_t)n, u + 3 * (size_t)n, v);
      const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      const int c = fabs(v[0]) > fabs(v[1])   ? fabs(v[0]) > fabs(v[2]) ? 0 : 2
                    : fabs(v[1]) > fabs(v[2]) ? 1
                                              : 2;
      if (pass == 0 && length > most) {
        most = length;
        sign = v[c] < 0 ? -1 : 1;
      }
      for (int d = 0; d < 3 && pass == 1; d++)
        s->shape[(size_t)s->shapes * size + 3 * (size_t)n + (size_t)d] =
            most > 0 ? (float)(sign * v[d] / most) : 0;
    }
  s->shapes++;
  free(u);
  return IG_OK;
}

/* Mode i: Hz, or a load factor. */
static ig_status mode_add(modes *m, int i, double value, bool buckling) {
  ig_structure *s = m->s;
  IG_TRY(IG_MORE(s->cx, &s->mode, s->modes, "modes"));
  s->mode[s->modes].analysis = s->analysis;
  s->mode[s->modes].buckling = buckling;
  s->mode[s->modes++].value = value;
  return shape_add(m, i);
}

/* A singular or indefinite K is shifted, K + shift M, by growing shares of the ratio of traces,
   and w^2 = 1 / mu - shift. Negative w^2 (a state beyond buckling) are written as negative
   frequencies. */
static ig_status frequencies(modes *m, const ig_structure_analysis *a) {
  ig_structure *s = m->s;
  const size_t entries = (size_t)m->y->first[m->y->equations];
  ig_direct_info info;
  double shift = 0, k = 0, mm = 0;
  IG_TRY(stiffness(s, a, m->A));
  IG_TRY(mass(s, m->B));
  for (int32_t i = 0; i < m->y->equations; i++)
    for (int64_t e = m->y->first[i]; e < m->y->first[i + 1]; e++)
      if (m->y->column[e] == i) {
        k += m->A[e];
        mm += m->B[e];
      }
  if (!(mm > 0))
    return ig_fail_at(s->cx, &a->at, "frequencies: give a density to the materials");
  IG_TRY(ig_direct_factor(m->direct, m->A, true, &info));
  /* free motions, or a state beyond a critical load: K + shift M that is positive
     share x trace(K) / trace(M): small against the stiff modes and large against rounding. */
  for (double share = 1e-6; info.zero > 0 || info.negative > 0; share *= 10) {
    const double more = share * k / mm;
    if (share > 10)
      return ig_fail_at(s->cx, &a->at, "frequencies: the mass matrix is not positive");
    for (size_t e = 0; e < entries; e++)
      m->A[e] += more * m->B[e];
    shift += more;
    IG_TRY(ig_direct_factor(m->direct, m->A, true, &info));
  }
  IG_TRY(find(m, a, "frequencies: nothing that has mass can move"));
  for (int i = 0; i < m->count; i++) {
    const double square = 1 / m->mu[i] - shift;
    const double hertz = (square < 0 ? -1 : 1) * sqrt(fabs(square)) / (2 * M_PI);
    if (hertz < a->lowest || hertz > a->highest)
      continue;
    IG_TRY(mode_add(m, i, hertz, false));
    ig_structure_row(s, "frequency", "", i + 1, 0, 1, &hertz);
  }
  return effective(m);
}

/* --- critical load factors */

/* The change of forces by what acts over the analysis, at the accepted displacements; temperatures
   and motions are those of its end afterwards. Nothing has acted before the first analysis: loads
   without a history come with it. *any: there is a change above round-off.
   f = loads at the end - internal forces at the end, less the same at the beginning, at fixed
   displacements: what drives the linear response. */
static ig_status changes(ig_structure *s, double *f, double *value, bool *any) {
  const double end =
      s->begin + IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis)->duration;
  double *before, *moved, scale = 0, most = 0;
  IG_TRY(IG_NEW(s->cx, &before, 2 * (size_t)s->unknowns, "modes"));
  moved = before + s->unknowns;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_structure_heat(s, s->begin));
  IG_TRY_GOTO(status, done, assemble(s, s->implicit_groups, s->implicit, NULL, value, f));
  if (s->begin > 0)
    IG_TRY_GOTO(status, done, ig_structure_loads_at(s, s->begin, before));
  for (int32_t i = 0; i < s->unknowns; i++) {
    before[i] -= f[i];
    scale = fmax(scale, fabs(f[i]));
  }
  IG_TRY_GOTO(status, done, ig_structure_motions(s, s->begin, end));
  ig_system_resolve(s->system);
  memcpy(moved, s->system->shift, (size_t)s->unknowns * sizeof *moved);
  IG_TRY_GOTO(status, done, ig_structure_heat(s, end));
  IG_TRY_GOTO(status, done, assemble(s, s->implicit_groups, s->implicit, moved, value, f));
  for (int32_t i = 0; i < s->unknowns; i++)
    f[i] = -f[i] - before[i];
  IG_TRY_GOTO(status, done, ig_structure_loads_at(s, end, f));
  for (int32_t i = 0; i < s->unknowns; i++)
    most = fmax(most, fabs(f[i]));
  *any = most > 1e-9 * scale;
done:
  free(before);
  return status;
}

/* Linear buckling: (K + l dK) x = 0, written as -dK x = (1 / l) K x. Stresses of the change are
   those at u + increment less those at u. */
static ig_status factors(modes *m, const ig_structure_analysis *a) {
  ig_structure *s = m->s;
  const int32_t n = m->y->equations;
  ig_direct_info info;
  bool any = false;
  stressed *t = NULL;
  double *f = NULL, *r = NULL, *u = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, stiffness(s, a, m->A));
  IG_TRY_GOTO(status, done, ig_direct_factor(m->direct, m->A, true, &info));
  if (info.zero > 0 || info.negative > 0) {
    status = ig_fail_at(s->cx, &a->at,
                        info.zero > 0 ? "buckling: the structure can move freely: support it"
                                      : "buckling: the state reached is unstable already");
    goto done;
  }
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &t, s->groups + 1, "modes"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &f, s->unknowns, "modes"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &u, s->unknowns, "modes"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &r, n + 1, "modes"));
  IG_TRY_GOTO(status, done, stresses_add(s, t, NULL, -1));
  IG_TRY_GOTO(status, done, changes(s, f, m->B, &any));
  if (!any) {
    status = ig_fail_at(s->cx, &a->at,
                        "buckling: nothing that acts changes over this analysis, so that there is "
                        "no load to multiply: give it a `history` that grows from %g to %g s",
                        s->begin, s->begin + a->duration);
    goto done;
  }
  ig_system_reduce(m->y, f, r);
  IG_TRY_GOTO(status, done, ig_direct_solve(m->direct, r));
  ig_system_spread(m->y, r, u);
  IG_TRY_GOTO(status, done, stresses_add(s, t, u, 1));
  memset(m->B, 0, (size_t)m->y->first[n] * sizeof *m->B);
  IG_TRY_GOTO(status, done, stresses_stiffen(s, t, -1, m->B));
  IG_TRY_GOTO(status, done,
              find(m, a,
                   "buckling: what acts causes no stress that changes the stiffness, so that there "
                   "is no load factor: does it act on supports alone?"));
  for (int i = 0; i < m->count; i++) {
    const double factor = 1 / m->mu[i];
    IG_TRY_GOTO(status, done, mode_add(m, i, factor, true));
    ig_structure_row(s, "buckling", "", i + 1, 0, 1, &factor);
  }
done:
  stresses_free(s, t);
  free(f);
  free(r);
  free(u);
  return status;
}

/* A: K (or K + shift M), B: M or -dK, both in the pattern of the system. */
static ig_status solve(modes *m, const ig_structure_analysis *a) {
  ig_structure *s = m->s;
  const size_t entries = (size_t)m->y->first[m->y->equations];
  IG_TRY(IG_NEW(s->cx, &m->A, entries, "modes"));
  IG_TRY(IG_NEW(s->cx, &m->B, entries, "modes"));
  IG_TRY(
      ig_direct_new(s->cx, m->y->equations, m->y->first, m->y->column, IG_DIRECT_AUTO, &m->direct));
  return a->kind == IG_STRUCTURE_BUCKLING ? factors(m, a) : frequencies(m, a);
}

/* What has yielded does not count in the drawn structure: histories of the start for those reached,
   which go into `past`. */
static ig_status history_swap(ig_structure *s, double **past) {
  for (int i = 0; i < s->groups; i++) {
    ig_structure_group *g = &s->group[i];
    double *none;
    IG_TRY(IG_NEW(s->cx, &none, (size_t)g->count * (size_t)g->states + 1, "modes"));
    past[i] = g->past;
    g->past = none;
  }
  return IG_OK;
}

static void history_back(ig_structure *s, double **past) {
  for (int i = 0; i < s->groups && past[i]; i++) {
    free(s->group[i].past);
    s->group[i].past = past[i];
  }
}

/* About the drawn state the model is given zero displacements for the time of the call, and, for
   frequencies, no temperatures. */
ig_status ig_structure_modes(ig_structure *s, const ig_structure_analysis *a) {
  const bool buckling = a->kind == IG_STRUCTURE_BUCKLING;
  if (a->large && (buckling || !a->reached))
    return ig_fail_at(s->cx, &a->at,
                      buckling ? "buckling is linear: leave out `large`"
                               : "`large` is for frequencies of the state reached: give `reached`");
  for (int32_t i = 0; i < s->contact.count; i++) {
    const ig_contact_case *c =
        IG_ITEM(const ig_contact_case, s->c->contacts, s->contact.point[i].contact);
    if (!c->tied)
      return ig_fail_at(s->cx, &c->at,
                        "%s have no contact that opens: tie it, or switch it off by `without`",
                        buckling ? "critical load factors" : "frequencies");
  }
  if (buckling)
    IG_TRY(ig_structure_stiff_buckling(s, a));
  modes m = {.s = s, .y = s->system};
  m.count = a->modes < m.y->equations ? (int)a->modes : m.y->equations;
  double *reached = s->u, *T = s->T; /* else about the state at the start */
  double *past[IG_SOLID_KINDS] = {0};
  if (!a->reached)
    IG_TRY(IG_NEW(s->cx, &s->u, s->unknowns, "modes"));
  if (!a->reached && !buckling)
    s->T = NULL;
  ig_status status = a->reached ? IG_OK : history_swap(s, past);
  if (status == IG_OK)
    status = solve(&m, a);
  if (!a->reached) {
    free(s->u);
    history_back(s, past);
  }
  s->u = reached;
  s->T = T;
  ig_direct_free(m.direct);
  free(m.A);
  free(m.B);
  free(m.mu);
  free(m.x);
  return status;
}
