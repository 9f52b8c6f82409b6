/* Inertia in motion through time: Newmark's rule with the numerical damping of Hilber, Hughes and
   Taylor (1977). With r = f_int - f_ext the step solves
     M a / (1 + alpha) + r - alpha / (1 + alpha) r_before = 0.
   With damping r has C v besides.

   alpha in [-1/3, 0] (a case gives -0.05): 0 is the trapezoidal rule without damping; beta = (1
   - alpha)^2 / 4 and gamma = 1/2 - alpha keep second order and unconditional stability. The
   engine evaluates this as a second group over the same elements; the term with r_before is
   subtracted from the loads (load.c). Division by 1 + alpha leaves f_int unscaled, so that
   tolerances mean the same as in statics. */
#include "structure/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At the temperature of the first node; 0 without a density. */
static double density_of(const ig_structure *s, const ig_structure_group *g, int32_t e) {
  const ig_material_case *m = s->material[g->material[e]];
  return m->density.count ? ig_table_at(&m->density, s->T ? s->T[g->node[e][0]] : 0) : 0;
}

/* C of an element, (3 nodes)^2; false: it has none.
   Rayleigh: C = share[0] M + share[1] K, K that of the drawn elastic element. M: nodes x nodes,
   without density. */
static bool damping_of(const ig_structure *s, const ig_structure_group *g, int32_t e,
                       const double *X, const double *M, double *C) {
  const double *share = s->damping ? s->damping[g->material[e]] : NULL;
  const int npe = ig_solid_info_get(g->kind)->nodes, n = 3 * npe;
  if (!share || !s->dynamic || !(share[0] > 0 || share[1] > 0))
    return false;
  if (share[1] > 0) {
    ig_solid_law law = *ig_structure_law(g, e);
    double u[3 * IG_SOLID_NODES] = {0}, f[3 * IG_SOLID_NODES], past[9] = {0}, now[9];
    law.law = IG_LAW_ELASTIC;
    law.large = false;
    law.heat = NULL;
    ig_solid_evaluate(g->kind, &law, X, u, NULL, past, now, f, C);
  } else {
    memset(C, 0, (size_t)(n * n) * sizeof *C);
  }
  const double density = density_of(s, g, e);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      C[i * n + j] = share[1] * C[i * n + j] +
                     (i % 3 == j % 3 ? share[0] * density * M[i / 3 * npe + j / 3] : 0);
  return true;
}

/* Internal forces are in `reaction` (ig_structure_forces); damping forces are added element by
   element in fixed axes. */
ig_status ig_structure_force_before(ig_structure *s, double time) {
  memset(s->force_before, 0, (size_t)s->unknowns * sizeof *s->force_before);
  IG_TRY(ig_structure_loads_at(s, time, s->force_before));
  IG_TRY(ig_structure_followers_at(s, time, s->force_before));
  for (int32_t i = 0; i < s->unknowns; i++)
    s->force_before[i] -= s->reaction[i];
  for (int k = 0; k < s->groups && s->damping; k++) {
    const ig_structure_group *g = &s->group[k];
    const int npe = ig_solid_info_get(g->kind)->nodes, n = 3 * npe;
    for (int32_t e = 0; e < g->count; e++) {
      double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], v[3 * IG_SOLID_NODES];
      double M[IG_SOLID_NODES * IG_SOLID_NODES], C[9 * IG_SOLID_NODES * IG_SOLID_NODES];
      double f[3 * IG_SOLID_NODES] = {0};
      ig_structure_gather(s, g->node[e], npe, NULL, X, u);
      ig_solid_mass(g->kind, ig_structure_law(g, e)->rule, X, M);
      if (!damping_of(s, g, e, X, M, C))
        continue;
      for (int a = 0; a < npe; a++)
        ig_structure_to_fixed(s, (size_t)g->node[e][a], s->velocity + 3 * (size_t)g->node[e][a],
                              v + 3 * a);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          f[i] += C[i * n + j] * v[j];
      ig_structure_to_local(s, g->node[e], npe, f, NULL);
      for (int i = 0; i < n; i++)
        s->force_before[g->unknown[(size_t)e * (size_t)n + (size_t)i]] -= f[i];
    }
  }
  return IG_OK;
}

/* M a / (1 + alpha) and C v, with derivatives 1 / (beta dt^2) and gamma / (beta dt). at->step 0:
   the accepted accelerations and the planned step, for the matrix of ig_structure_motion_begin
   and of modes. Elements with incompatible modes have a mass of (3 nodes)^2, others the same for
   each direction. */
ig_status ig_structure_inertia(void *self, const ig_trial *at, int32_t begin, int32_t end,
                               double *f, double *k, ig_trouble *trouble) {
  const ig_structure_group *g = self;
  const ig_structure *s = g->of;
  const int npe = ig_solid_info_get(g->kind)->nodes, n = 3 * npe;
  /* Without a step the planned one stands for it: the matrix of ig_structure_motion_begin. */
  const double dt = at->step > 0 ? at->step : s->planned, share = 1 / (1 + s->alpha);
  (void)trouble;
  for (int32_t e = begin; e < end; e++) {
    double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], a[3 * IG_SOLID_NODES];
    double M[IG_SOLID_NODES * IG_SOLID_NODES], C[9 * IG_SOLID_NODES * IG_SOLID_NODES];
    double v[3 * IG_SOLID_NODES];
    double *fe = f + (size_t)(e - begin) * (size_t)n;
    double *ke = k ? k + (size_t)(e - begin) * (size_t)(n * n) : NULL;
    const double density = share * density_of(s, g, e);
    ig_structure_gather(s, g->node[e], npe, NULL, X, u);
    ig_solid_mass(g->kind, ig_structure_law(g, e)->rule, X, M);
    for (int i = 0; i < npe; i++) {
      const size_t node = (size_t)g->node[e][i];
      double own[3], speed[3];
      for (int d = 0; d < 3; d++) {
        const int32_t unknown = (int32_t)(3 * node) + d;
        const double before = s->acceleration[unknown];
        own[d] = at->step > 0 ? ig_structure_acceleration(s, unknown, at->u[unknown], dt) : before;
        speed[d] = s->velocity[unknown] +
                   (at->step > 0 ? dt * ((1 - s->gamma) * before + s->gamma * own[d]) : 0);
      }
      ig_structure_to_fixed(s, node, own, a + 3 * i);
      ig_structure_to_fixed(s, node, speed, v + 3 * i);
    }
    memset(fe, 0, (size_t)n * sizeof *fe);
    if (ke)
      memset(ke, 0, (size_t)(n * n) * sizeof *ke);
    const bool modes = ig_solid_mass_of_modes(g->kind, ig_structure_law(g, e), X, C);
    for (int i = 0; i < n * n && modes; i++) {
      fe[i / n] += density * C[i] * a[i % n];
      if (ke)
        ke[i] = density * C[i] / (s->beta * dt * dt);
    }
    for (int i = 0; i < npe && !modes; i++)
      for (int j = 0; j < npe; j++)
        for (int d = 0; d < 3; d++) {
          const double m = density * M[i * npe + j];
          fe[3 * i + d] += m * a[3 * j + d];
          if (ke)
            ke[(3 * i + d) * n + 3 * j + d] = m / (s->beta * dt * dt);
        }
    if (damping_of(s, g, e, X, M, C))
      for (int i = 0; i < n * n; i++) {
        fe[i / n] += C[i] * v[i % n];
        if (ke)
          ke[i] += C[i] * s->gamma / (s->beta * dt);
      }
    ig_structure_to_local(s, g->node[e], npe, fe, ke);
  }
  return IG_OK;
}

/* Accelerations at the start, of what is free: (M + (1 + alpha) beta h^2 K) a = f_ext - f_int,
   those of a step of h, a tenth of the first one. M a = f_ext - f_int itself has the shortest waves
   of the mesh in it where a load is sudden, as CalculiX avoids too. */
ig_status ig_structure_motion_begin(ig_structure *s) {
  ig_system *y = s->system;
  double *f = NULL, *r = NULL, size[2], count[2];
  ig_direct *direct = NULL;
  ig_direct_info info;
  ig_trouble trouble;
  int which;
  ig_status status;
  const double planned = s->planned;
  memset(s->acceleration, 0, (size_t)s->unknowns * sizeof *s->acceleration);
  IG_TRY(ig_structure_heat(s, s->time));
  IG_TRY(ig_structure_forces(s));
  /* loads that jump where the analysis begins act at once */
  IG_TRY(ig_structure_force_before(s, s->time + 1e-6 * planned));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &f, s->unknowns, "forces"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &r, y->equations + 1, "forces"));
  /* Damping is left out of this matrix and put back afterwards. */
  double(*const damping)[2] = s->damping;
  s->damping = NULL; /* the matrix is that without it */
  s->planned = planned / 10;
  /* The tangent of inertia is M / ((1 + alpha) beta h^2); the right side is scaled alike. */
  const double scale = 1 / (s->planned * s->planned * s->beta * (1 + s->alpha));
  const ig_trial at = {.u = f, .time = s->time, .step = 0};
  status = ig_system_assemble(y, s->implicit_groups, s->implicit, &at, true, NULL, f, size, count,
                              &which, &trouble);
  s->planned = planned;
  s->damping = damping;
  if (status != IG_OK)
    goto done;
  IG_TRY_GOTO(status, done,
              ig_direct_new(s->cx, y->equations, y->first, y->column, IG_DIRECT_AUTO, &direct));
  IG_TRY_GOTO(status, done, ig_direct_factor(direct, y->value, true, &info));
  ig_system_reduce(y, s->force_before, r);
  for (int32_t i = 0; i < y->equations; i++)
    r[i] *= scale;
  IG_TRY_GOTO(status, done, ig_direct_solve(direct, r));
  ig_system_spread(y, r, s->acceleration);
done:
  ig_direct_free(direct);
  free(f);
  free(r);
  return status;
}

/* u: increments of the step, all unknowns. */
void ig_structure_motion_accept(ig_structure *s, const double *u, double dt) {
  for (int32_t i = 0; i < s->unknowns; i++) {
    const double a = ig_structure_acceleration(s, i, u[i], dt);
    s->velocity[i] += dt * ((1 - s->gamma) * s->acceleration[i] + s->gamma * a);
    s->acceleration[i] = a;
  }
}
