/* Static equilibrium by dynamic relaxation.

   Masses are scaled until every element has the same critical step; damping is twice the frequency
   that the particles show as they move (Rayleigh's quotient over a stretch of steps), or velocities
   are taken away whenever the kinetic energy is at a peak. The peak is where the power of the
   forces out of balance is 0. It lies between two looks, and the nearer one is taken: a fast mode
   that is stopped a look too late is at rest at its other end, and keeps all its energy.

   When to stop. With r the forces out of balance, M the scaled masses and w^2 the quotient
   d.K d / d.M d of the way d that the particles still make, the displacements are off by about
   |e| = |r| / w^2 in the norms |r|^2 = r.r / M and |e|^2 = e.M e: if d points along the error,
   Cauchy and Schwarz's inequality makes it a bound. Fast modes die first and a slow one shows late:
   so the quotient is taken over the last 25 steps and over a stretch that is a third of all steps
   (500 of the ramp among them) at least and as long as 10 / w, in which a mode of w has fallen to
   1e-4; the lesser counts, and while the former is below half of the latter a slower mode is still
   coming up. Relaxation ends when |e| is below `tolerance` x |u|, u the displacements from the
   start.

   Where material can yield the result depends on the way, so the way must be slow. What relaxation
   took away of the work that was put in measures how far it was from equilibrium: 0 for an
   infinitely slow ramp, a half for a load that comes at once. Drag delays the inner parts of a body
   as inertia does, so that damping during the ramp takes no more than DRAG of the work. Who calls
   lengthens a ramp that the case does not give until little was lost (dynamics.c). */
#include "dynamics/model/rigid_body_check.h"
#include "dynamics/model/part.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* STRETCH: steps between two looks. LEAST_AGES: see 10 / w above. LOOSE_EVERY: steps between
   looks for parts that drift away. PATH_EVERY: steps between looks at the work lost during the
   ramp. */
enum { STRETCH = 25, LEAST_AGES = 10, LOOSE_EVERY = 1000, PATH_EVERY = 100 };
/* Share of the power that damping may take during the ramp where material yields. */
static const double DRAG = 0.03;

static int64_t ramp_steps(const ig_dyn_analysis *a) {
  return isnan(a->ramp) ? IG_RELAX_RAMP : a->ramp > 0 ? (int64_t)a->ramp : 1;
}

/* Whether component c of particle n has no prescribed motion. */
static bool is_free(const ig_dyn_model *m, int64_t n, int c) {
  if (!m->held.move.host)
    return true;
  const int32_t move = ((const int32_t *)m->held.move.host)[n];
  return move == 0 || ((const ig_dyn_motion *)m->held.motion.host)[move].kind[c] == IG_MOVE_FREE;
}

/* Value i of an array on the host, in its precision. */
static void array_put(ig_array *a, int64_t i, double value) {
  if (a->size == sizeof(double))
    ((double *)a->host)[i] = value;
  else
    ((float *)a->host)[i] = (float)value;
}

/* What is summed over the particles, here or on the first rank: each brings its numbers. */
typedef struct {
  const ig_dyn_model *m;
  const double *net;
  double sum[5];
} summing;

/* Contact force on a particle at the last look, 0 without contact. */
static double touch_of(const ig_dyn_model *m, int64_t n, int c) {
  return ig_dyn_touches(m) ? ig_dyn_get(m, &m->contact.touch, 3 * n + c) : 0;
}

/* What tools push it with, over the last step: `press` is that and contact, of what it carries too.
 */
static double tools_of(const ig_dyn_model *m, int64_t n, int c) {
  if (m->p.tools == 0)
    return 0;
  double push = ig_dyn_get(m, &m->contact.press, 3 * n + c) - touch_of(m, n, c);
  if (m->p.ties.count && ig_dyn_touches(m)) {
    const int32_t *first = m->carried.carry_first.host, *carry = m->carried.carry.host;
    for (int32_t i = first[n]; i < first[n + 1]; i++)
      push -= ((const double *)m->carried.tie_share.host)[carry[i]] *
              touch_of(m, ((const int32_t *)m->carried.tie_node.host)[carry[i] / 3], c);
  }
  return push;
}

/* Forces on particle n, component c: of its elements; from outside, with gravity, contact and
   tools. */
static void forces_of(const ig_dyn_model *m, int64_t n, int c, double force[2]) {
  force[0] = ig_dyn_get(m, &m->f, n * m->p.pitch + c);
  force[1] = (m->load.count ? ig_dyn_get(m, &m->load, n * m->p.dofs + c) : 0) +
             (c < 3 ? ig_dyn_gravity_now(m, c) * m->weight.heavy[n] : 0) +
             (c < 3 ? touch_of(m, n, c) + tools_of(m, n, c) : 0);
}

static double mass_of(const ig_dyn_model *m, int64_t n, int c) {
  return c < 3 ? m->weight.mass[n] : m->weight.inertia[n];
}

/* All forces squared, over masses: a number per component. The scale of the residual. */
static void all_row(void *user, int64_t n, double *row) {
  const summing *s = user;
  for (int c = 0; c < 6; c++) {
    double f[2];
    row[c] = 0;
    if (c >= s->m->p.dofs || !(mass_of(s->m, n, c) > 0))
      continue;
    forces_of(s->m, n, c, f);
    row[c] = (f[0] * f[0] + f[1] * f[1]) / mass_of(s->m, n, c);
  }
}
/* The same of what is out of balance on free particles. */
static void out_row(void *user, int64_t n, double *row) {
  const summing *s = user;
  const int32_t *bound = s->m->carried.bound.host;
  for (int c = 0; c < 6; c++) {
    row[c] = 0;
    if (c >= s->m->p.dofs || !(mass_of(s->m, n, c) > 0) || !is_free(s->m, n, c) ||
        (bound && bound[n] != 0))
      continue;
    const double net = s->net[n * s->m->p.dofs + c];
    row[c] = net * net / mass_of(s->m, n, c);
  }
}
static void six_add(void *user, const double *row) {
  summing *s = user;
  for (int c = 0; c < 6; c++)
    s->sum[0] += row[c];
}

/* What bodies of this rank are out of balance: forces and moments, squared and over masses; six
   terms of each body, so that all ranks add them in the same order. */
typedef struct {
  double term[6];
} body_out;
/* Each body's force and moment about its centre, from its particles; prescribed components do
   not count. */
static void bodies_out(const ig_dyn_model *m, const double *net, body_out *out) {
  const int D = m->p.dofs;
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    const ig_dyn_motion *held = (const ig_dyn_motion *)m->held.motion.host + b->motion;
    double force[3] = {0}, moment[3] = {0};
    for (int32_t i = b->first; i < b->first + b->count; i++) {
      const int64_t n = ((const int32_t *)m->carried.body_node.host)[i];
      double r[3], turn[3];
      for (int c = 0; c < 3; c++)
        r[c] = ig_dyn_get(m, &m->x, 3 * n + c) - b->at[c];
      cross_f64(r, net + n * D, turn);
      for (int c = 0; c < 3; c++) {
        force[c] += net[n * D + c];
        moment[c] += turn[c] + (D == 6 ? net[n * D + 3 + c] : 0);
      }
    }
    double *term = out[ig_dyn_body_number(m, k)].term;
    for (int c = 0; c < 3; c++) {
      /* moments over a third of the trace of the inertia: the mean moment of inertia */
      term[2 * c] = held->kind[c] == IG_MOVE_FREE ? force[c] * force[c] / b->mass : 0;
      term[2 * c + 1] =
          held->kind[3 + c] == IG_MOVE_FREE
              ? 3 * moment[c] * moment[c] / (b->inertia[0] + b->inertia[4] + b->inertia[8])
              : 0;
    }
  }
}

/* Those of all bodies, each from its owner, added to *sum. */
static ig_status bodies_add(ig_dyn_model *m, const double *net, double *sum) {
  const int bodies = m->c->bodies.count;
  body_out *out = NULL;
  if (bodies == 0)
    return IG_OK;
  ig_status status = IG_NEW(m->cx, &out, (size_t)bodies, "relaxation");
  if (status == IG_OK)
    bodies_out(m, net, out);
  status = ig_dyn_bodies_share(m, status, out, sizeof *out);
  for (int k = 0; k < 6 * bodies && status == IG_OK; k++)
    *sum += out[k / 6].term[k % 6];
  free(out);
  return status;
}

/* What the judgement needs of the state, on the host: positions, velocities, forces, loads,
   contact, bodies. */
static ig_status state_pull(ig_dyn_model *m) {
  IG_TRY(ig_dyn_pull(m));
  if (m->load.count)
    IG_TRY(ig_array_pull(m->cx, &m->load));
  if (ig_dyn_touches(m))
    IG_TRY(ig_array_pull(m->cx, &m->contact.touch));
  if (m->p.tools)
    IG_TRY(ig_array_pull(m->cx, &m->contact.press));
  return m->p.bodies.count ? ig_array_pull(m->cx, &m->carried.body) : IG_OK;
}

/* Out-of-balance forces `net` of the particles here; turns of flat shells about their normal do not
   count, and what is tied counts with those that carry it, whose weight has its own in it. */
static ig_status net_find(ig_dyn_model *m, double tolerance, double *normal, double *net) {
  const int D = m->p.dofs;
  /* net = outside - internal, particle by particle */
  for (int64_t i = 0; i < (int64_t)m->p.nodes * D; i++) {
    double f[2];
    forces_of(m, i / D, (int)(i % D), f);
    net[i] = f[1] - f[0];
  }
  /* a tied particle's net force goes to its carriers; its weight is in theirs already */
  for (int32_t k = 0; k < m->p.ties.count; k++) {
    const int64_t n = ((int32_t *)m->carried.tie_node.host)[k];
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < (((int32_t *)m->carried.tie_turns.host)[k] ? D : 3); c++)
        net[(int64_t)D * ((int32_t *)m->carried.tie_to.host)[3 * k + a] + c] +=
            ((double *)m->carried.tie_share.host)[3 * k + a] *
            (net[n * D + c] - (c < 3 ? ig_dyn_gravity_now(m, c) * m->weight.heavy[n] : 0));
  }
  if (!normal)
    return IG_OK;
  IG_TRY(ig_dyn_drill_normals(m, tolerance, normal));
  ig_dyn_drill_out(m, normal, net);
  return IG_OK;
}

/* Out-of-balance forces, and their square on free particles over mass and inertia, so that forces
   and moments count alike. Bodies count as one. */
static ig_status residual_now(ig_dyn_model *m, double tolerance, double *normal, double *net,
                              double *out2) {
  summing all = {m, net, {0}}, out = all;
  ig_status status = state_pull(m);
  if (status == IG_OK)
    status = net_find(m, tolerance, normal, net);
  IG_TRY(ig_dyn_particles_add(m, status, 6, all_row, six_add, &all));
  IG_TRY(ig_dyn_particles_add(m, IG_OK, 6, out_row, six_add, &out));
  IG_TRY(bodies_add(m, net, &out.sum[0]));
  m->relax.residual = all.sum[0] > 0 ? sqrt(out.sum[0] / all.sum[0]) : 0;
  *out2 = out.sum[0];
  return IG_OK;
}

/* Nothing moves: velocities of particles and bodies are 0. Positions stay. */
static ig_status stop(ig_dyn_model *m) {
  for (size_t i = 0; i < m->v.count; i++)
    array_put(&m->v, (int64_t)i, 0);
  if (m->v.count)
    IG_TRY(ig_array_push(m->cx, &m->v));
  ig_dyn_part_slowed(m);
  if (m->p.bodies.count == 0)
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->carried.body));
  for (int k = 0; k < m->p.bodies.count; k++) {
    ig_dyn_body *b = (ig_dyn_body *)m->carried.body.host + k;
    memset(b->v, 0, sizeof b->v);
    memset(b->spin, 0, sizeof b->spin);
    memset(b->momentum, 0, sizeof b->momentum);
  }
  return ig_array_push(m->cx, &m->carried.body);
}

/* Displacements from the start, weighed by mass: the norm that errors are compared with. */
static void moved_row(void *user, int64_t n, double *row) {
  const ig_dyn_model *m = ((const summing *)user)->m;
  for (int c = 0; c < 3; c++)
    row[c] = ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c];
  row[3] = m->weight.mass[n];
}
static void moved_add(void *user, const double *row) {
  summing *s = user;
  for (int c = 0; c < 3; c++)
    s->sum[0] += row[3] * row[c] * row[c];
}

/* Positions and forces out of balance from which the longer stretch is measured, on the host. */
static void stretch_begin(ig_dyn_model *m, const double *net) {
  double *x = (double *)m->relax.was.host + 2 * 3 * (int64_t)m->p.nodes,
         *f = x + 3 * (int64_t)m->p.nodes;
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < 3; c++) {
      x[3 * n + c] = ig_dyn_get(m, &m->x, 3 * n + c);
      f[3 * n + c] = net[n * m->p.dofs + c];
    }
  m->relax.since = 0;
}

/* omega^2 over the longer stretch: forces out of balance fall as the body gives way. */
static void stretch_row(void *user, int64_t n, double *row) {
  const summing *s = user;
  const ig_dyn_model *m = s->m;
  const double *x = (double *)m->relax.was.host + 2 * 3 * (int64_t)m->p.nodes,
               *f = x + 3 * (int64_t)m->p.nodes;
  const int32_t *bound = m->carried.bound.host;
  memset(row, 0, 7 * sizeof *row);
  row[6] = m->weight.mass[n];
  for (int c = 0; c < 3; c++) {
    if (!is_free(s->m, n, c) || (bound && bound[n] < 0)) /* tied: counts with its carriers */
      continue;
    row[2 * c] = ig_dyn_get(m, &m->x, 3 * n + c) - x[3 * n + c];
    row[2 * c + 1] = f[3 * n + c] - s->net[n * s->m->p.dofs + c];
  }
}
static void stretch_add(void *user, const double *row) {
  summing *s = user;
  for (int c = 0; c < 3; c++) {
    s->sum[0] += row[2 * c] * row[2 * c + 1];
    s->sum[1] += row[2 * c] * row[2 * c] * row[6];
  }
}

/* Where triangles that push take turns, the forces of a moment say nothing of the stiffness. */
static bool flickers(const ig_dyn_model *m, double stiffness) {
  return ig_dyn_touches(m) && stiffness <= 0;
}

/* The error of the displacements, estimated, and whether it can be relied on (head of the file).
   `last`: omega^2 over the last steps, which took dt.

   settled: the longer stretch is a third of all time and ten ages (1 / omega) long, and no
   slower mode is coming up. anew: the stretch is half of all time and twenty ages long, or shows
   no stiffness: it starts again. Where forces show no stiffness on a body that stands still, the
   error is how far it has moved in the stretch. */
static ig_status error_now(ig_dyn_model *m, const ig_dyn_analysis *a, const double *net,
                           double out2, double last, double dt) {
  ig_dyn_relaxing *r = &m->relax;
  summing moved = {m, net, {0}}, stretch = moved;
  IG_TRY(ig_dyn_particles_add(m, IG_OK, 4, moved_row, moved_add, &moved));
  IG_TRY(ig_dyn_particles_add(m, IG_OK, 7, stretch_row, stretch_add, &stretch));
  double sums[3] = {moved.sum[0], stretch.sum[0], stretch.sum[1]};
  IG_TRY(ig_dyn_share(m, IG_OK, sums, sizeof sums));
  /* steps since the load is complete, with the ramp's last ones */
  const int64_t ramp = ramp_steps(a);
  const double steps = (double)(r->steps - ramp + (ramp < IG_RELAX_RAMP ? ramp : IG_RELAX_RAMP));
  const double u2 = sums[0], all = steps * ((const ig_dyn_clock *)m->clock.host)->dt;
  r->since += dt;
  const double seen = sums[2] > 0 ? sums[1] / sums[2] : 0;
  /* contacts that come and go spoil the last stretch: the longer one is used */
  if (flickers(m, last))
    last = seen;
  const double stiffness = fmin(seen, last);
  const double ages = r->since * sqrt(fmax(seen, 0));
  r->settled = r->since >= all / 3 && ages >= LEAST_AGES && last > 0.5 * seen;
  /* one that began in full motion may show no stiffness at all, and says nothing then */
  const bool anew = r->since >= all / 2 && (ages >= 2 * LEAST_AGES || !(seen > 0));
  r->settled |= out2 == 0;
  /* forces that say nothing of a stiffness, on what stands still: rounding, or what has yielded */
  const double way = u2 > 0 ? sqrt(sums[2] / u2) : INFINITY;
  if (!(stiffness > 0) && r->since >= all / 3 && way < 1e-3 * a->tolerance) {
    r->settled = true;
    r->error = way;
    return IG_OK;
  }
  if (anew)
    stretch_begin(m, net);
  r->error = out2 == 0 ? 0 : stiffness > 0 && u2 > 0 ? sqrt(out2 / u2) / stiffness : INFINITY;
  return IG_OK;
}

/* What the particles did since the last look: omega^2, and the power of the forces out of balance;
   whether they moved, or turned alone. */
typedef struct {
  double power, stiffness;
  bool moved, turned;
} look;
/* Row of a particle: velocity, way and change of internal force since the last look, mass,
   rotary energy, power of what is out of balance. Side effect: the arrays of the last look
   become those of this one. */
static void look_row(void *user, int64_t n, double *row) {
  const summing *s = user;
  const ig_dyn_model *m = s->m;
  const int32_t *bound = m->carried.bound.host;
  double *x = m->relax.was.host, *f = x + 3 * (int64_t)m->p.nodes;
  row[9] = m->weight.mass[n];
  row[11] = 0;
  for (int c = 0; c < 3; c++) {
    const double y = ig_dyn_get(m, &m->x, 3 * n + c),
                 g = ig_dyn_get(m, &m->f, n * m->p.pitch + c) - touch_of(s->m, n, c);
    const bool counts = is_free(s->m, n, c);
    row[c] = ig_dyn_get(m, &m->v, n * m->p.dofs + c);
    row[3 + c] = counts ? y - x[3 * n + c] : 0;
    row[6 + c] = counts ? g - f[3 * n + c] : 0;
    if (counts && !(bound && bound[n] < 0)) /* tied: counts with its carriers */
      row[11] += row[c] * s->net[n * m->p.dofs + c];
    x[3 * n + c] = y;
    f[3 * n + c] = g;
  }
  row[10] = 0;
  for (int c = 3; c < m->p.dofs; c++) {
    const double spin = ig_dyn_get(m, &m->v, n * m->p.dofs + c);
    row[10] += m->weight.inertia[n] * spin * spin;
    if (is_free(s->m, n, c) && !(bound && bound[n] < 0))
      row[11] += spin * s->net[n * m->p.dofs + c];
  }
}
/* Sums: kinetic energy x 2, way x change of force, way^2 x mass, rotary energy x 2, power. */
static void look_add(void *user, const double *row) {
  summing *s = user;
  for (int c = 0; c < 3; c++) {
    s->sum[0] += row[9] * row[c] * row[c];
    s->sum[1] += row[3 + c] * row[6 + c];
    s->sum[2] += row[3 + c] * row[3 + c] * row[9];
  }
  s->sum[3] += row[10];
  s->sum[4] += row[11];
}
/* `net` and its square over masses, `out2`: velocities are those of half a step ago. */
static ig_status look_now(ig_dyn_model *m, const double *net, double out2, look *now) {
  summing s = {m, net, {0}};
  IG_TRY(ig_dyn_particles_add(m, IG_OK, 12, look_row, look_add, &s));
  const double dt = ((const ig_dyn_clock *)m->clock.host)->dt;
  *now = (look){s.sum[4] + 0.5 * dt * out2, s.sum[2] > 0 ? s.sum[1] / s.sum[2] : 0, s.sum[2] > 0,
                s.sum[0] < 1e-12 * s.sum[3]};
  return IG_OK;
}

/* Damping for the next steps; or the particles are stopped, at a peak of their kinetic energy.

   Viscous: critical damping 2 omega of the slowest mode seen, approached by 30 % per stretch.
   Kinetic: looks a quarter of a period apart or closer, once the load is complete. */
static ig_status damp(ig_dyn_model *m, const ig_dyn_analysis *a, const look *now) {
  ig_dyn_relaxing *r = &m->relax;
  ig_dyn_clock *clock = m->clock.host;
  if (a->relaxation == IG_RELAX_VISCOUS) {
    /* the first stretch shows the start of the motion and no frequency yet */
    if (isnan(a->damping) && r->steps > STRETCH && now->moved && !flickers(m, now->stiffness)) {
      /* 1.9 / dt: the scheme with damping xi needs xi dt < 2 */
      const double omega = sqrt(fmax(now->stiffness, 0)), most = 1.9 / clock->dt;
      /* eased in: one stretch that shows a fast mode must not stop the slow ones */
      clock->damping =
          fmin(most, 0.7 * clock->damping + 0.3 * fmin(2 * omega, r->loaded ? INFINITY : r->drag));
    }
  } else if (r->loaded) {
    /* A quarter of a period has several looks, or the peak is missed. Their distances differ: a
       mode whose period fits would be at rest whenever the particles are stopped, and never die. */
    /* the golden ratio spreads the distances most evenly */
    const double omega = sqrt(fmax(now->stiffness, 0)), golden = 0.6180339887498949;
    const double vary = 0.5 + fmod(golden * (double)r->steps, 1);
    const int64_t every = (int64_t)fmax(1, fmin(STRETCH, vary * 0.25 / (omega * clock->dt)));
    /* the power is extrapolated to the next look: the peak is taken where it is nearer now than
       then */
    const double next = now->power + (now->power - r->power) * (double)every / (double)r->every;
    const bool peak = now->power <= 0 || -next > now->power;
    if (peak) {
      IG_TRY(stop(m));
      clock->before = 0;
    }
    r->power = peak ? 0 : now->power;
    r->every = every;
  }
  return ig_array_push(m->cx, &m->clock);
}

/* Flat shells stop turning about their normal, nearly flat ones are led: velocities of rotations
   are set for the next stretch. */
static ig_status drill_lead(ig_dyn_model *m, const double *normal, const double *net) {
  const int64_t count = (int64_t)m->p.nodes * m->p.dofs;
  double *v;
  IG_TRY(IG_NEW(m->cx, &v, count + 1, "relaxation"));
  for (int64_t i = 0; i < count; i++)
    v[i] = ig_dyn_get(m, &m->v, i);
  const ig_status status =
      ig_dyn_drill_lead(m, normal, net, STRETCH * ((ig_dyn_clock *)m->clock.host)->dt, v);
  for (int64_t i = 0; i < count && status == IG_OK; i++)
    if (i % m->p.dofs >= 3)
      array_put(&m->v, i, v[i]);
  free(v);
  IG_TRY(status);
  ig_dyn_part_slowed(m);
  return ig_array_push(m->cx, &m->v);
}

/* On ranks the first has the sums: what it finds holds for all. */
static ig_status look_share(ig_dyn_model *m, look *now, double *out2) {
  struct {
    look now;
    double residual, out2;
  } found;
  memset(&found, 0, sizeof found);
  found.now = *now, found.residual = m->relax.residual, found.out2 = *out2;
  IG_TRY(ig_dyn_share(m, IG_OK, &found, sizeof found));
  *now = found.now, m->relax.residual = found.residual, *out2 = found.out2;
  return IG_OK;
}

/* Energies where the way begins. Only where material can yield does the way matter. */
static ig_status path_begin(ig_dyn_model *m) {
  ig_dyn_relaxing *r = &m->relax;
  ig_dyn_energy e;
  if (!ig_dyn_yields(m))
    return IG_OK;
  IG_TRY(ig_dyn_energies(m, &e));
  r->internal = e.internal, r->damping = e.damping, r->plastic = e.plastic;
  return IG_OK;
}

/* The share of the work that relaxation took away, where something has yielded; and during the ramp
   the damping that takes DRAG of the mean power. */
static ig_status path_now(ig_dyn_model *m) {
  ig_dyn_relaxing *r = &m->relax;
  ig_dyn_energy e;
  if (!ig_dyn_yields(m))
    return IG_OK;
  IG_TRY(ig_dyn_energies(m, &e));
  const double lost = fmax(e.damping - r->damping, 0), kept = fmax(e.internal - r->internal, 0);
  const double time = (double)r->steps * ((const ig_dyn_clock *)m->clock.host)->dt;
  /* yielding that takes little of the energy changes little, however fast it came */
  const bool matters = e.plastic - r->plastic > 0.01 * kept;
  r->path = matters ? lost / fmax(lost + kept, 1e-300) : 0;
  if (e.plain > 0)
    r->drag = DRAG * kept / (2 * e.plain * time);
  return IG_OK;
}

/* Space for positions and forces at looks, on the host; collective. */
ig_status ig_dyn_relax_room(ig_dyn_model *m) {
  ig_array_free(m->cx, &m->relax.was);
  const ig_status status =
      ig_alloc(m->cx, &m->relax.was.host, IG_RELAX_ARRAYS * 3 * (size_t)m->p.nodes + 1,
               sizeof(double), "relaxation");
  return ig_dyn_agree(m, status);
}

/* Begins with masses that give every element the same critical step. Velocities stay what they
   are. */
ig_status ig_dyn_relax_begin(ig_dyn_model *m, const ig_dyn_analysis *a) {
  double dt;
  ig_dyn_clock *clock = m->clock.host;
  IG_TRY(ig_dyn_relax_room(m));
  m->relax = (ig_dyn_relaxing){.on = true,
                               .error = INFINITY,
                               .residual = INFINITY,
                               .every = STRETCH,
                               .drag = ig_dyn_yields(m) ? 0 : INFINITY,
                               .was = m->relax.was};
  /* all elements get the critical step of the slowest one */
  IG_TRY(ig_dyn_largest_step(m, &dt));
  IG_TRY(ig_dyn_masses(m, dt));
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  clock->dt = a->safety * dt / sqrt(1 + ig_dyn_contact_load(m) * dt * dt);
  if (a->relaxation ==
      IG_RELAX_KINETIC) /* the fastest mode has six steps a period: peaks are seen */
    clock->dt *= 0.5;
  clock->before = 0;
  clock->tick = (a->at_time - clock->time) / (double)ramp_steps(a);
  clock->damping = isnan(a->damping) ? 0 : a->damping;
  IG_TRY(ig_array_push(m->cx, &m->clock));
  return path_begin(m);
}

/* A stretch of steps, a look at the state, damping for the next stretch. *done: in balance, or
   `steps` were taken. Collective: rank 0 has the sums, and what it finds holds for all. */
ig_status ig_dyn_relax_advance(ig_dyn_model *m, const ig_dyn_analysis *a, bool *done) {
  ig_dyn_relaxing *r = &m->relax;
  ig_dyn_clock *clock = m->clock.host;
  const int64_t ramp = ramp_steps(a);
  /* relative rounding of sums of forces: about 500 units in double, 10 in single precision */
  const double floor =
      m->precision == IG_DOUBLE ? 1e-13 : 1e-6; /* forces are no better than that */
  double *net = NULL, *normal = NULL, out2;
  int64_t steps = a->relaxation == IG_RELAX_KINETIC && r->loaded ? r->every : STRETCH;
  /* the ramp ends with a stretch of its own */
  if (!r->loaded && r->steps + steps > ramp)
    steps = ramp - r->steps;
  IG_TRY(ig_dyn_advance(m, steps));
  r->steps += steps;
  IG_TRY(ig_ranks_agree(m->cx, ig_fault_check(m->cx, "element", m->fault_ids)));
  const bool drills = ig_dyn_drills(m);
  const int64_t nodes = m->p.nodes, count = nodes * m->p.dofs;
  look now = {0};
  ig_status status = IG_NEW(m->cx, &net, count + (drills ? 3 * nodes : 0) + 1, "relaxation");
  status = ig_dyn_agree(m, status);
  normal = drills ? net + count : NULL;
  if (status == IG_OK)
    status = residual_now(m, a->tolerance, normal, net, &out2);
  if (status == IG_OK)
    status = look_now(m, net, out2, &now);
  if (status == IG_OK)
    status = look_share(m, &now, &out2);
  if (status == IG_OK && r->loaded)
    status = error_now(m, a, net, out2, now.stiffness, (double)steps * clock->dt);
  if (status == IG_OK && !r->loaded && (r->steps % PATH_EVERY < steps || r->steps >= ramp))
    status = path_now(m);
  if (status == IG_OK && !r->loaded && r->steps >= ramp) {
    r->loaded = true;
    clock->tick = 0;
    clock->time = a->at_time;
    r->power = 0;
    stretch_begin(m, net);
  }
  const bool now_and_then = r->steps % LOOSE_EVERY < steps;
  if (status == IG_OK && now_and_then)
    status = ig_dyn_loose_check(m);
  if (status == IG_OK && now_and_then && isnan(a->damping) && r->loaded && now.turned &&
      !(r->error < 1))
    status = ig_fail_at(m->cx, &a->at,
                        "nodes turn and do not move, as those of a shaft under torque alone: "
                        "statics finds its damping from what moves; give `damping`");
  if (status == IG_OK && drills)
    status = drill_lead(m, normal, net);
  free(net);
  status = ig_dyn_agree(m, status);
  IG_TRY(status);
  /* forces at the level of rounding: there is nothing more to gain */
  if (r->loaded && r->residual < floor && !(r->settled && r->error < a->tolerance)) {
    if (isfinite(r->error) && r->error >= a->tolerance)
      ig_warn(m->cx, "static: the precision of the forces is reached; estimated error %.2g",
              r->error);
    r->settled = true;
    r->error = 0;
  }
  r->balanced = r->settled && r->error < a->tolerance;
  *done = r->balanced || r->steps >= a->steps;
  if (*done)
    IG_TRY(path_now(m));
  return *done ? IG_OK : damp(m, a, &now);
}

/* At rest, with its own masses again: velocities are 0, time steps are those of explicit
   analyses. */
ig_status ig_dyn_relax_end(ig_dyn_model *m) {
  ig_dyn_clock *clock = m->clock.host;
  IG_TRY(stop(m));
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  clock->before = 0;
  clock->damping = 0;
  clock->tick = clock->dt;
  IG_TRY(ig_array_push(m->cx, &m->clock));
  m->relax.on = false;
  ig_array_free(m->cx, &m->relax.was);
  return ig_dyn_masses(m, 0);
}

/* The whole of it in one call, for tests and benchmarks; an interruption ends it early. */
ig_status ig_dyn_relax(ig_dyn_model *m, const ig_dyn_analysis *a, double *error, int64_t *steps) {
  bool done = false;
  IG_TRY(ig_dyn_relax_begin(m, a));
  while (!done && !m->cx->interrupted)
    IG_TRY(ig_dyn_relax_advance(m, a, &done));
  *error = m->relax.balanced ? m->relax.error : INFINITY;
  *steps = m->relax.steps;
  return ig_dyn_relax_end(m);
}
