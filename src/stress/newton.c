/* Newton's method with line search, and smaller pieces of a step where it fails. */
#include "stress/model.h"
#include "backend/backend.h"

#include <math.h>
#include <string.h>

static ig_status dot(ig_stress *m, const double *a, const double *b, double *result) {
  return m->cx->backend->dot_f64(m->cx, 3 * (size_t)m->nodes, a, b, result);
}

ig_status ig_stress_loads_at(ig_stress *m, double time) {
  const size_t n = 3 * (size_t)m->nodes;
  double *f = m->load.host;
  memset(f, 0, n * sizeof *f);
  for (int i = 0; i < m->c->loads.count; i++) {
    const double factor =
        m->loads.factor[i] * ig_history_at(m->loads.history[i], m->history_x, m->history_y, time);
    const double *unit = m->loads.unit + n * (size_t)i;
    for (size_t k = 0; k < n; k++)
      f[k] += factor * unit[k];
  }
  return m->c->loads.count ? ig_array_push(m->cx, &m->load) : IG_OK;
}

ig_status ig_stress_forces(ig_stress *m) {
  return m->ops->force(m->cx, &m->args, &m->plan, false, m->u.dev, m->force.dev);
}

/* right = loads - internal forces, 0 where held; its norm, and that of the forces where held. */
static ig_status residual(ig_stress *m, double *norm, double *reaction) {
  ig_ctx *cx = m->cx;
  const size_t bytes = 3 * sizeof(double) * (size_t)m->nodes;
  double all, free_part;
  IG_TRY(ig_stress_forces(m));
  IG_TRY(cx->backend->copy(cx, m->work.right.dev, m->load.dev, bytes));
  IG_TRY(m->ops->add(cx, 3 * (int64_t)m->nodes, -1, m->force.dev, m->work.right.dev));
  IG_TRY(dot(m, m->work.right.dev, m->work.right.dev, &all));
  if (m->held.ties)
    IG_TRY(m->ops->tie_f64(cx, m->held.ties, m->held.tie_start.dev, m->held.tie_item.dev,
                           m->work.right.dev));
  IG_TRY(m->mesh_ops->ground(cx, &m->system.ground, m->work.right.dev, m->work.right.dev,
                             m->work.partial.dev, NULL));
  IG_TRY(dot(m, m->work.right.dev, m->work.right.dev, &free_part));
  *norm = sqrt(free_part);
  *reaction = sqrt(fmax(all - free_part, 0));
  return isfinite(all) ? IG_OK : IG_FAIL(cx, IG_NUMERIC, "forces are not numbers");
}

/* Displacements of held nodes at a time, less what they are now: m->work.moved. True: there is
 * some. */
static ig_status held_motion(ig_stress *m, double time, bool *any) {
  double *move = m->work.moved.host;
  const double *u = m->u.host;
  bool leads = false;
  *any = false;
  for (int i = 0; i < m->held.count; i++)
    leads |= m->held.list[i].on && m->held.list[i].lead;
  if (!leads)
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->u));
  memset(move, 0, 3 * sizeof *move * (size_t)m->nodes);
  for (int i = 0; i < m->held.count; i++) {
    const ig_stress_hold *h = m->held.list + i;
    if (!h->on || !h->lead)
      continue;
    const double factor = h->factor * ig_history_at(h->history, m->history_x, m->history_y, time);
    for (ig_lid k = 0; k < h->count; k++)
      for (int d = 0; d < 3; d++) {
        const int64_t at = 3 * (int64_t)h->node[k] + d;
        if (!(h->lead >> d & 1) || !(m->held.bits[h->node[k]] >> d & 1))
          continue;
        move[at] = m->held.u[at] + factor * h->to[d] - u[at];
        *any |= move[at] != 0;
      }
  }
  return *any ? ig_array_push(m->cx, &m->work.moved) : IG_OK;
}

/* u += s step; where the residual does not fall enough along it, a shorter way by the secant of
   the work of the residual. */
static ig_status line_search(ig_stress *m, double *norm, double *reaction) {
  const int64_t n = 3 * (int64_t)m->nodes;
  double start, now, s = 1, low = 0, at_low;
  IG_TRY(dot(m, m->work.step.dev, m->work.right.dev, &start));
  at_low = start;
  IG_TRY(m->ops->add(m->cx, n, 1, m->work.step.dev, m->u.dev));
  IG_TRY(residual(m, norm, reaction));
  if (!m->material.plastic && !m->turn.dev)
    return IG_OK;
  for (int i = 0; i < 6; i++) {
    IG_TRY(dot(m, m->work.step.dev, m->work.right.dev, &now));
    if (!(fabs(now) > 0.8 * fabs(start)) && isfinite(now))
      break;
    double next = now < 0 ? low + (s - low) * at_low / (at_low - now) : 2 * s;
    next = fmin(fmax(next, low + 0.1 * (s - low)), 2 * s);
    if (now >= 0) {
      low = s;
      at_low = now;
      if (next > 4)
        break;
    }
    IG_TRY(m->ops->add(m->cx, n, next - s, m->work.step.dev, m->u.dev));
    s = next;
    IG_TRY(residual(m, norm, reaction));
  }
  return IG_OK;
}

/* How tight the next linear solve: quadratic convergence of Newton's method is kept, and no digit
   more is paid for. */
static double forcing(const ig_stress *m, double norm, double reference) {
  const double enough = 0.3 * m->c->solver.tolerance * reference / norm;
  const double wish = m->material.plastic || m->turn.dev ? fmin(1e-2, 0.1 * norm / reference) : 0;
  return fmin(fmax(fmax(enough, wish), 1e-13), 0.1);
}

/* Equilibrium at the loads, temperatures and held displacements of now. *good: it was found. */
static ig_status equilibrium(ig_stress *m, double time, bool *good) {
  const ig_stress_solver *s = &m->c->solver;
  double norm, reaction, reference;
  bool moves;
  ig_solve_report report;
  *good = false;
  IG_TRY(held_motion(m, time, &moves));
  IG_TRY(residual(m, &norm, &reaction));
  if (moves) { /* the first step takes the held nodes along */
    IG_TRY(m->ops->product(m->cx, &m->args, &m->plan, m->work.moved.dev, m->work.step.dev));
    IG_TRY(m->ops->add(m->cx, 3 * (int64_t)m->nodes, -1, m->work.step.dev, m->work.right.dev));
    if (m->held.ties)
      IG_TRY(m->ops->tie_f64(m->cx, m->held.ties, m->held.tie_start.dev, m->held.tie_item.dev,
                             m->work.right.dev));
    IG_TRY(m->mesh_ops->ground(m->cx, &m->system.ground, m->work.right.dev, m->work.right.dev,
                               m->work.partial.dev, NULL));
    double all;
    IG_TRY(dot(m, m->work.right.dev, m->work.right.dev, &all));
    norm = sqrt(all);
  }
  reference = fmax(norm, reaction);
  for (int i = 0;; i++) {
    reference = fmax(reference, reaction);
    m->scale = fmax(m->scale, reference);
    const double floor = fmax(reference, 1e-6 * m->scale);
    m->count.residual = floor > 0 ? norm / floor : 0;
    if (i < 64)
      m->count.trace[i] = m->count.residual;
    m->count.newton = i;
    if (!(norm > s->tolerance * floor) && !moves) {
      *good = true;
      return IG_OK;
    }
    if (i == s->iterations || !isfinite(norm))
      return IG_OK;
    if (norm > 0)
      IG_TRY(ig_stress_system_solve(m, forcing(m, norm, floor), &report));
    else
      IG_TRY(ig_array_zero(m->cx, &m->work.step));
    m->count.newton_all++;
    if (norm > 0 && report.end == IG_SOLVE_INDEFINITE)
      return IG_OK;
    if (moves) {
      IG_TRY(m->ops->add(m->cx, 3 * (int64_t)m->nodes, 1, m->work.moved.dev, m->u.dev));
      moves = false;
      IG_TRY(m->ops->add(m->cx, 3 * (int64_t)m->nodes, 1, m->work.step.dev, m->u.dev));
      IG_TRY(residual(m, &norm, &reaction));
    } else {
      IG_TRY(line_search(m, &norm, &reaction));
    }
  }
}

static ig_status push_mix(ig_stress *m, ig_array *to, const double *a, const double *b, double s,
                          int64_t n) {
  double *v = to->host;
  for (int64_t i = 0; a && b && i < n; i++)
    v[i] = s == 1 ? b[i] : a[i] + s * (b[i] - a[i]);
  return a && b ? ig_array_push(m->cx, to) : IG_OK;
}

/* The goal, a share of the way. */
static ig_status goal_at(ig_stress *m, const ig_stress_goal *g, double s) {
  IG_TRY(push_mix(m, &m->T, g->T0, g->T1, s, m->nodes));
  IG_TRY(push_mix(m, &m->warmer, g->warmer0, g->warmer1, s, m->elements));
  IG_TRY(push_mix(m, &m->share, g->share0, g->share1, s, m->elements));
  return ig_stress_loads_at(m, g->time - (1 - s) * g->dt);
}

ig_status ig_stress_advance(ig_stress *m, const ig_stress_goal *g) {
  ig_ctx *cx = m->cx;
  const size_t bytes = 3 * sizeof(double) * (size_t)m->nodes;
  double done = 0, piece = 1;
  m->count.linear = 0;
  m->count.cuts = 0;
  while (done < 1) {
    bool good;
    double next = done + piece;
    if (next > 1 - 1e-9)
      next = 1;
    IG_TRY(cx->backend->copy(cx, m->work.old.dev, m->u.dev, bytes));
    IG_TRY(ig_stress_energy_start(m));
    IG_TRY(goal_at(m, g, next));
    m->args.dt = (next - done) * g->dt;
    IG_TRY(equilibrium(m, g->time - (1 - next) * g->dt, &good));
    if (good) {
      IG_TRY(ig_stress_energies(m));
      IG_TRY(m->ops->commit(cx, &m->args, m->u.dev));
      IG_TRY(ig_stress_past(m));
      done = next;
      piece = fmin(2 * piece, 1 - done);
      continue;
    }
    IG_TRY(cx->backend->copy(cx, m->u.dev, m->work.old.dev, bytes));
    piece /= 2;
    if (++m->count.cuts > m->c->solver.halvings)
      return IG_FAIL(cx, IG_NUMERIC,
                     "no equilibrium at %.6g s: the residual force stays at %.2g of the forces, "
                     "in steps of 1/%.0f; take more steps, give hot material a plastic modulus "
                     "(floors.hardening 0.01), or look whether the load is more than it can carry",
                     g->time, m->count.residual, 1 / piece);
  }
  m->args.dt = 0;
  return IG_OK;
}
