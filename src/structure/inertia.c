/* Inertia in motion through time: Newmark's rule with the numerical damping of Hilber, Hughes and
   Taylor (1977). With r = f_int - f_ext the step solves
     M a / (1 + alpha) + r - alpha / (1 + alpha) r_before = 0. */
#include "structure/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double density_of(const ig_structure *s, const ig_structure_group *g, int32_t e) {
  const ig_material_case *m = s->material[g->material[e]];
  return m->density.count ? ig_table_at(&m->density, s->T ? s->T[g->node[e][0]] : 0) : 0;
}

ig_status ig_structure_inertia(void *self, const ig_trial *at, int32_t begin, int32_t end,
                               double *f, double *k, ig_trouble *trouble) {
  const ig_structure_group *g = self;
  const ig_structure *s = g->of;
  const int npe = ig_solid_info_get(g->kind)->nodes, n = 3 * npe;
  const double dt = at->step > 0 ? at->step : s->planned, share = 1 / (1 + s->alpha);
  (void)trouble;
  for (int32_t e = begin; e < end; e++) {
    double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], a[3 * IG_SOLID_NODES];
    double M[IG_SOLID_NODES * IG_SOLID_NODES];
    double *fe = f + (size_t)(e - begin) * (size_t)n;
    double *ke = k ? k + (size_t)(e - begin) * (size_t)(n * n) : NULL;
    const double density = share * density_of(s, g, e);
    ig_structure_gather(s, g->node[e], npe, NULL, X, u);
    ig_solid_mass(g->kind, X, M);
    for (int i = 0; i < npe; i++) {
      const size_t node = (size_t)g->node[e][i];
      const int32_t frame = s->framed ? s->framed[node] : -1;
      double own[3];
      for (int d = 0; d < 3; d++) {
        const int32_t unknown = (int32_t)(3 * node) + d;
        own[d] = at->step > 0 ? ig_structure_acceleration(s, unknown, at->u[unknown], dt)
                              : s->acceleration[unknown];
      }
      const double *R = frame >= 0 ? s->frame[frame] : NULL;
      for (int d = 0; d < 3; d++)
        a[3 * i + d] = R ? R[d] * own[0] + R[3 + d] * own[1] + R[6 + d] * own[2] : own[d];
    }
    memset(fe, 0, (size_t)n * sizeof *fe);
    if (ke)
      memset(ke, 0, (size_t)(n * n) * sizeof *ke);
    for (int i = 0; i < npe; i++)
      for (int j = 0; j < npe; j++)
        for (int d = 0; d < 3; d++) {
          const double m = density * M[i * npe + j];
          fe[3 * i + d] += m * a[3 * j + d];
          if (ke)
            ke[(3 * i + d) * n + 3 * j + d] = m / (s->beta * dt * dt);
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
  memset(s->force_before, 0, (size_t)s->unknowns * sizeof *s->force_before);
  IG_TRY(ig_structure_heat(s, s->time));
  IG_TRY(ig_structure_forces(s));
  /* loads that jump where the analysis begins act at once */
  IG_TRY(ig_structure_loads_at(s, s->time + 1e-6 * planned, s->force_before));
  for (int32_t i = 0; i < s->unknowns; i++)
    s->force_before[i] -= s->reaction[i];
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &f, s->unknowns, "forces"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &r, y->equations + 1, "forces"));
  s->planned = planned / 10;
  const double scale = 1 / (s->planned * s->planned * s->beta * (1 + s->alpha));
  const ig_trial at = {.u = f, .time = s->time, .step = 0};
  status = ig_system_assemble(y, s->implicit_groups, s->implicit, &at, true, NULL, f, size, count,
                              &which, &trouble);
  s->planned = planned;
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

void ig_structure_motion_accept(ig_structure *s, const double *u, double dt) {
  for (int32_t i = 0; i < s->unknowns; i++) {
    const double a = ig_structure_acceleration(s, i, u[i], dt);
    s->velocity[i] += dt * ((1 - s->gamma) * s->acceleration[i] + s->gamma * a);
    s->acceleration[i] = a;
  }
}
