/* Static equilibrium by dynamic relaxation.

   Masses are scaled until every element has the same critical step; damping is twice the frequency
   that the particles show as they move (Rayleigh's quotient over a stretch of steps), or velocities
   are taken away whenever the kinetic energy has passed a peak.

   When to stop. With r the forces out of balance, M the scaled masses and w^2 the quotient
   d.K d / d.M d of the way d that the particles still make, the displacements are off by about
   |e| = |r| / w^2 in the norms |r|^2 = r.r / M and |e|^2 = e.M e: if d points along the error,
   Cauchy and Schwarz's inequality makes it a bound. Fast modes die first and a slow one shows late:
   so the quotient is taken over the last 25 steps and over a stretch that is a third of all steps
   at least and as long as 10 / w, in which a mode of w has fallen to 1e-4; the lesser counts, and
   while the former is below half of the latter a slower mode is still coming up. Relaxation ends
   when |e| is below `tolerance` x |u|, u the displacements from the start. */
#include "dynamics/part.h"
#include "dynamics/loose.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/particle.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCH = 25, LEAST_AGES = 10, LOOSE_EVERY = 1000 };

static bool is_free(const ig_dyn_model *m, int64_t n, int c) {
  if (!m->held.move.host)
    return true;
  const int32_t move = ((const int32_t *)m->held.move.host)[n];
  return move == 0 || ((const ig_dyn_motion *)m->held.motion.host)[move].kind[c] == IG_MOVE_FREE;
}

static void array_put(ig_array *a, int64_t i, double value) {
  if (a->size == sizeof(double))
    ((double *)a->host)[i] = value;
  else
    ((float *)a->host)[i] = (float)value;
}

/* Force on particle n that nothing balances: from outside less the elements'. */
static double unbalanced(const ig_dyn_model *m, int64_t n, int c, double *all) {
  const double mass = c < 3 ? m->weight.mass[n] : m->weight.inertia[n];
  const double inner = ig_dyn_get(m, &m->f, n * m->p.pitch + c);
  const double outer =
      (m->load.count ? ig_dyn_get(m, &m->load, n * m->p.dofs + c) : 0) +
      (c < 3 ? ig_dyn_gravity_now(m, c) * m->weight.heavy[n] : 0) +
      (c < 3 && m->p.contact.surfaces ? ig_dyn_get(m, &m->contact.touch, 3 * n + c) : 0);
  if (all && mass > 0)
    *all += (inner * inner + outer * outer) / mass;
  return outer - inner;
}

/* Out-of-balance forces `net`, and their square on free particles over mass and inertia, so that
   forces and moments count alike. Bodies count as one; what is tied counts with those that carry
   it; turns of flat shells about their normal do not count. */
static ig_status residual_now(ig_dyn_model *m, double tolerance, double *normal, double *net,
                              double *out2) {
  const int D = m->p.dofs;
  const int32_t *bound = m->carried.bound.host;
  double out = 0, all = 0;
  IG_TRY(ig_dyn_pull(m));
  if (m->load.count)
    IG_TRY(ig_array_pull(m->cx, &m->load));
  if (m->p.contact.surfaces)
    IG_TRY(ig_array_pull(m->cx, &m->contact.touch));
  if (m->p.bodies.count)
    IG_TRY(ig_array_pull(m->cx, &m->carried.body));
  for (int64_t i = 0; i < (int64_t)m->p.nodes * D; i++)
    net[i] = unbalanced(m, i / D, (int)(i % D), &all);
  for (int32_t k = 0; k < m->p.ties.count; k++) {
    const int64_t n = ((int32_t *)m->carried.tie_node.host)[k];
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < (((int32_t *)m->carried.tie_turns.host)[k] ? D : 3); c++)
        net[(int64_t)D * ((int32_t *)m->carried.tie_to.host)[3 * k + a] + c] +=
            ((double *)m->carried.tie_share.host)[3 * k + a] * net[n * D + c];
  }
  if (normal) {
    ig_dyn_drill_normals(m, tolerance, normal);
    ig_dyn_drill_out(m, normal, net);
  }
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < D; c++) {
      const double mass = c < 3 ? m->weight.mass[n] : m->weight.inertia[n];
      if (mass > 0 && is_free(m, n, c) && (!bound || bound[n] == 0))
        out += net[n * D + c] * net[n * D + c] / mass;
    }
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    const ig_dyn_motion *held = (const ig_dyn_motion *)m->held.motion.host + b->motion;
    double force[3] = {0}, moment[3] = {0};
    for (int32_t i = b->first; i < b->first + b->count; i++) {
      const int64_t n = ((const int32_t *)m->carried.body_node.host)[i];
      double r[3], l[3];
      for (int c = 0; c < 3; c++)
        r[c] = ig_dyn_get(m, &m->x, 3 * n + c) - b->at[c];
      cross_f64(r, net + n * D, l);
      for (int c = 0; c < 3; c++) {
        force[c] += net[n * D + c];
        moment[c] += l[c] + (D == 6 ? net[n * D + 3 + c] : 0);
      }
    }
    for (int c = 0; c < 3; c++) {
      out += held->kind[c] == IG_MOVE_FREE ? force[c] * force[c] / b->mass : 0;
      out += held->kind[3 + c] == IG_MOVE_FREE
                 ? 3 * moment[c] * moment[c] / (b->inertia[0] + b->inertia[4] + b->inertia[8])
                 : 0;
    }
  }
  m->relax.residual = all > 0 ? sqrt(out / all) : 0;
  *out2 = out;
  return IG_OK;
}

/* Nothing moves. */
static ig_status stop(ig_dyn_model *m) {
  for (size_t i = 0; i < m->v.count; i++)
    array_put(&m->v, (int64_t)i, 0);
  if (m->v.count)
    IG_TRY(ig_array_push(m->cx, &m->v));
  if (m->p.bodies.count == 0)
    return ig_dyn_scatter_motion(m);
  IG_TRY(ig_array_pull(m->cx, &m->carried.body));
  for (int k = 0; k < m->p.bodies.count; k++) {
    ig_dyn_body *b = (ig_dyn_body *)m->carried.body.host + k;
    memset(b->v, 0, sizeof b->v);
    memset(b->spin, 0, sizeof b->spin);
    memset(b->momentum, 0, sizeof b->momentum);
  }
  IG_TRY(ig_array_push(m->cx, &m->carried.body));
  return ig_dyn_scatter_motion(m);
}

/* Mean square of the displacements from the start, weighed by mass. */
static double moved2(const ig_dyn_model *m) {
  double sum = 0;
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < 3; c++) {
      const double u = ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c];
      sum += m->weight.mass[n] * u * u;
    }
  return sum;
}

/* Positions and forces out of balance from which the longer stretch is measured. */
static void stretch_begin(ig_dyn_model *m, const double *net) {
  double *x = m->relax.was + 2 * 3 * (int64_t)m->p.nodes, *f = x + 3 * (int64_t)m->p.nodes;
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < 3; c++) {
      x[3 * n + c] = ig_dyn_get(m, &m->x, 3 * n + c);
      f[3 * n + c] = net[n * m->p.dofs + c];
    }
  m->relax.since = 0;
}

/* omega^2 over the longer stretch: forces out of balance fall as the body gives way. */
static double stretch_stiffness(const ig_dyn_model *m, const double *net) {
  const double *x = m->relax.was + 2 * 3 * (int64_t)m->p.nodes, *f = x + 3 * (int64_t)m->p.nodes;
  const int32_t *bound = m->carried.bound.host;
  double work = 0, inertia = 0;
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < 3; c++) {
      const double d = ig_dyn_get(m, &m->x, 3 * n + c) - x[3 * n + c];
      if (!is_free(m, n, c) || (bound && bound[n] < 0)) /* what is tied counts with its carriers */
        continue;
      work += d * (f[3 * n + c] - net[n * m->p.dofs + c]);
      inertia += d * d * m->weight.mass[n];
    }
  return inertia > 0 ? work / inertia : 0;
}

/* Where triangles that push take turns, the forces of a moment say nothing of the stiffness. */
static bool flickers(const ig_dyn_model *m, double stiffness) {
  return m->p.contact.surfaces > 0 && stiffness <= 0;
}

/* The error of the displacements, estimated, and whether it can be relied on. `last`: omega^2 over
   the last steps, which took dt. */
static double error_now(ig_dyn_model *m, const double *net, double out2, double last, double dt) {
  ig_dyn_relaxing *r = &m->relax;
  const double all = (double)r->steps / STRETCH * dt, u2 = moved2(m);
  r->since += dt;
  const double seen = stretch_stiffness(m, net);
  if (flickers(m, last))
    last = seen;
  const double stiffness = fmin(seen, last);
  const double ages = r->since * sqrt(fmax(seen, 0));
  r->settled = r->since >= all / 3 && ages >= LEAST_AGES && last > 0.5 * seen;
  if (r->since >= all / 2 && ages >= 2 * LEAST_AGES)
    stretch_begin(m, net);
  r->settled |= out2 == 0;
  if (out2 == 0)
    return 0;
  return stiffness > 0 && u2 > 0 ? sqrt(out2 / u2) / stiffness : INFINITY;
}

/* What the particles did since the last look: omega^2 and twice their kinetic energy. */
typedef struct {
  double kinetic, stiffness;
  bool moved;
} look;
static look look_now(ig_dyn_model *m) {
  const int D = m->p.dofs;
  double kinetic = 0, work = 0, inertia = 0, *x = m->relax.was, *f = x + 3 * (int64_t)m->p.nodes;
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < 3; c++) {
      const double v = ig_dyn_get(m, &m->v, n * D + c), y = ig_dyn_get(m, &m->x, 3 * n + c),
                   touch = m->p.contact.surfaces ? ig_dyn_get(m, &m->contact.touch, 3 * n + c) : 0,
                   g = ig_dyn_get(m, &m->f, n * m->p.pitch + c) - touch, mass = m->weight.mass[n];
      kinetic += mass * v * v;
      if (is_free(m, n, c)) {
        work += (y - x[3 * n + c]) * (g - f[3 * n + c]);
        inertia += (y - x[3 * n + c]) * (y - x[3 * n + c]) * mass;
      }
      x[3 * n + c] = y;
      f[3 * n + c] = g;
    }
  return (look){kinetic, inertia > 0 ? work / inertia : 0, inertia > 0};
}

/* Damping for the next steps; or the particles are stopped, past a peak of their kinetic energy. */
static ig_status damp(ig_dyn_model *m, const ig_dyn_analysis *a, const look *now) {
  ig_dyn_relaxing *r = &m->relax;
  ig_dyn_clock *clock = m->clock.host;
  if (a->relaxation == IG_RELAX_VISCOUS) {
    if (isnan(a->damping) && r->steps > STRETCH && now->moved && !flickers(m, now->stiffness)) {
      const double omega = sqrt(fmax(now->stiffness, 0)), most = 1.9 / clock->dt;
      /* eased in: one stretch that shows a fast mode must not stop the slow ones */
      clock->damping = fmin(most, 0.7 * clock->damping + 0.3 * 2 * omega);
    }
  } else if (r->loaded) {
    const bool peak = now->kinetic < r->kinetic;
    if (peak) {
      IG_TRY(stop(m));
      clock->before = 0;
    }
    r->kinetic = peak ? 0 : now->kinetic;
  }
  return ig_array_push(m->cx, &m->clock);
}

/* Flat shells stop turning about their normal, nearly flat ones are led. */
static ig_status drill_lead(ig_dyn_model *m, const double *normal, const double *net) {
  const int64_t count = (int64_t)m->p.nodes * m->p.dofs;
  double *v;
  if (!ig_dyn_has_whole(m))
    return ig_dyn_scatter_velocities(m);
  IG_TRY(IG_NEW(m->cx, &v, count, "relaxation"));
  for (int64_t i = 0; i < count; i++)
    v[i] = ig_dyn_get(m, &m->v, i);
  const ig_status status =
      ig_dyn_drill_lead(m, normal, net, STRETCH * ((ig_dyn_clock *)m->clock.host)->dt, v);
  for (int64_t i = 0; i < count && status == IG_OK; i++)
    if (i % m->p.dofs >= 3)
      array_put(&m->v, i, v[i]);
  free(v);
  IG_TRY(status);
  return ig_dyn_scatter_velocities(m);
}

/* On ranks the first has all of the state: what it finds holds for all. */
static ig_status look_share(ig_dyn_model *m, ig_status status, look *now) {
  if (!m->divided)
    return status;
  double *const was = m->relax.was;
  IG_TRY(ig_ranks_agree(m->cx, status));
  IG_TRY(ig_ranks_share(m->cx, 0, now, sizeof *now));
  const ig_status shared = ig_ranks_share(m->cx, 0, &m->relax, sizeof m->relax);
  m->relax.was = was;
  return shared;
}

static int64_t ramp_steps(const ig_dyn_analysis *a) {
  return a->ramp > 0 ? (int64_t)a->ramp : 1;
}

ig_status ig_dyn_relax_begin(ig_dyn_model *m, const ig_dyn_analysis *a) {
  double dt, stable;
  ig_dyn_clock *clock = m->clock.host;
  free(m->relax.was);
  m->relax = (ig_dyn_relaxing){.on = true, .error = INFINITY, .residual = INFINITY};
  if (ig_dyn_has_whole(m))
    IG_TRY(IG_NEW(m->cx, &m->relax.was, IG_RELAX_ARRAYS * 3 * (int64_t)m->p.nodes, "relaxation"));
  IG_TRY(ig_dyn_largest_step(m, &dt, &stable));
  const double run = m->weight.run_step;
  m->weight.touch_scale = run > 0 ? pow(a->safety * stable / run, 2) : 1;
  IG_TRY(ig_dyn_masses(m, dt));
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  clock->dt = clock->stiff = a->safety * stable;
  if (run > 0) /* as stiff as in the analysis to come */
    clock->stiff = run * sqrt(m->weight.touch_scale);
  clock->before = 0;
  clock->tick = (a->at_time - clock->time) / (double)ramp_steps(a);
  clock->damping = isnan(a->damping) ? 0 : a->damping;
  return ig_array_push(m->cx, &m->clock);
}

ig_status ig_dyn_relax_advance(ig_dyn_model *m, const ig_dyn_analysis *a, bool *done) {
  ig_dyn_relaxing *r = &m->relax;
  ig_dyn_clock *clock = m->clock.host;
  const int64_t ramp = ramp_steps(a);
  const double floor =
      m->precision == IG_DOUBLE ? 1e-13 : 1e-6; /* forces are no better than that */
  double *net = NULL, *normal = NULL, out2;
  int64_t steps = STRETCH;
  if (!r->loaded && r->steps + steps > ramp)
    steps = ramp - r->steps;
  IG_TRY(ig_dyn_advance(m, steps));
  r->steps += steps;
  IG_TRY(ig_ranks_agree(m->cx, ig_fault_check(m->cx, "element", ig_dyn_stepper(m)->fault_ids)));
  const bool whole = ig_dyn_has_whole(m), drills = ig_dyn_drills(m);
  const int64_t count = (int64_t)m->p.nodes * m->p.dofs;
  if (whole)
    IG_TRY(IG_NEW(m->cx, &net, count + (drills ? 3 * (int64_t)m->p.nodes : 0), "relaxation"));
  normal = whole && drills ? net + count : NULL;
  ig_status status = whole ? residual_now(m, a->tolerance, normal, net, &out2) : ig_dyn_pull(m);
  look now = status == IG_OK && whole ? look_now(m) : (look){0};
  if (status == IG_OK && r->loaded && whole)
    r->error = error_now(m, net, out2, now.stiffness, (double)steps * clock->dt);
  if (status == IG_OK && !r->loaded && r->steps >= ramp) {
    r->loaded = true;
    clock->tick = 0;
    clock->time = a->at_time;
    r->kinetic = 0;
    if (whole)
      stretch_begin(m, net);
  }
  if (status == IG_OK && whole && r->steps % LOOSE_EVERY < STRETCH)
    status = ig_dyn_loose_check(m);
  status = look_share(m, status, &now);
  if (status == IG_OK && drills)
    status = drill_lead(m, normal, net);
  free(net);
  IG_TRY(status);
  if (r->loaded && r->residual < floor && !(r->settled && r->error < a->tolerance)) {
    if (isfinite(r->error) && r->error >= a->tolerance)
      ig_warn(m->cx, "static: the precision of the forces is reached; estimated error %.2g",
              r->error);
    r->settled = true;
    r->error = 0;
  }
  r->balanced = r->settled && r->error < a->tolerance;
  *done = r->balanced || r->steps >= a->steps;
  return *done ? IG_OK : damp(m, a, &now);
}

/* At rest, with its own masses again. */
ig_status ig_dyn_relax_end(ig_dyn_model *m) {
  ig_dyn_clock *clock = m->clock.host;
  IG_TRY(stop(m));
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  clock->before = 0;
  clock->damping = 0;
  clock->tick = clock->dt;
  IG_TRY(ig_array_push(m->cx, &m->clock));
  m->relax.on = false;
  free(m->relax.was);
  m->relax.was = NULL;
  return ig_dyn_masses(m, 0);
}

ig_status ig_dyn_relax(ig_dyn_model *m, const ig_dyn_analysis *a, double *error, int64_t *steps) {
  bool done = false;
  IG_TRY(ig_dyn_relax_begin(m, a));
  while (!done && !m->cx->interrupted)
    IG_TRY(ig_dyn_relax_advance(m, a, &done));
  *error = m->relax.balanced ? m->relax.error : INFINITY;
  *steps = m->relax.steps;
  return ig_dyn_relax_end(m);
}
