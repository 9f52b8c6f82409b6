/* Newton's method with line search, and smaller pieces of a step where it fails. The entry is
   ig_stress_advance. A step is a change of temperatures, shares of inherent strain, prescribed
   displacements and loads; pieces of it interpolate all of them. A step that is interrupted goes
   back to its start (mark_*), so that it can be repeated, or a checkpoint be written. */
#include "stress/model.h"
#include "backend/backend.h"

#include <math.h>
#include <string.h>

/* Dot product over all unknowns of nodes, on the device; the order of the sum is the backend's. */
static ig_status dot(ig_stress *m, const double *a, const double *b, double *result) {
  return m->cx->backend->dot_f64(m->cx, 3 * (size_t)m->nodes, a, b, result);
}

/* Factor of a load or support at `time`: its history, or the ramp of its first phase. */
static double factor_at(const ig_stress *m, ig_history h, ig_stress_ramp ramp, double time) {
  if (h.rows)
    return ig_history_at(h, m->history_x, m->history_y, time);
  return time < ramp.end ? fmax(0, (time - ramp.begin) / (ramp.end - ramp.begin)) : 1;
}

/* Sum of all loads at `time`, times their factors, on the host; then to the device. */
ig_status ig_stress_loads_at(ig_stress *m, double time) {
  const size_t n = 3 * (size_t)m->nodes;
  double *f = m->load.host;
  if (!m->c->loads.count) /* zeros, and memory that nobody has written needs no page */
    return IG_OK;
  memset(f, 0, n * sizeof *f);
  for (int i = 0; i < m->c->loads.count; i++) {
    const double factor =
        m->loads.factor[i] * factor_at(m, m->loads.history[i], m->loads.ramp, time);
    const double *unit = m->loads.unit + n * (size_t)i;
    for (size_t k = 0; k < n; k++)
      f[k] += factor * unit[k];
  }
  return ig_array_push(m->cx, &m->load);
}

ig_status ig_stress_alpha_clear(ig_stress *m) {
  return m->work.alpha.count ? ig_array_zero(m->cx, &m->work.alpha) : IG_OK;
}

/* right = loads - internal forces, 0 where prescribed, the mean over the group where tied.
   Returns the norm of what is left and that of what was taken off: reactions, which give the
   scale of forces where no load acts. The internal forces (m->force) stay complete. */
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
    const double factor = h->factor * factor_at(m, h->history, h->ramp, time);
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

/* u += s step. The work of the residual along the step, g(s) = step . right, is positive at 0
   and zero at equilibrium in this direction. s = 1 is accepted if |g| has fallen below 0.8 of
   its start. Else s is found by the secant of g, at most doubled and at most shortened to a
   tenth per trial. Of a linear body the first step is exact and nothing is searched. */
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

/* Relative tolerance of the next linear solve (an inexact Newton method): it falls with the
   residual, so that quadratic convergence is kept, but never below what the tolerance of the
   step needs (`enough`). Linear bodies are solved in one go. Limits: 1e-13 is near rounding, 0.1
   is a digit. */
static double forcing(const ig_stress *m, double norm, double reference) {
  const double enough = 0.3 * m->c->solver.tolerance * reference / norm;
  const double wish = m->material.plastic || m->turn.dev ? fmin(1e-2, 0.1 * norm / reference) : 0;
  return fmin(fmax(fmax(enough, wish), 1e-13), 0.1);
}

/* Beyond a limit load Newton's method goes away from the start, further with every iteration: a
   smaller step finds out more quickly whether there is an equilibrium. */
static bool diverges(const ig_stress *m, int i) {
  const double *r = m->count.trace;
  return r[i] > 20 * fmax(r[0], r[1]) && r[i] > r[i - 1];
}

/* A solution that is worse than none is that of a tangent which is singular, or nearly so. */
static bool usable(const ig_solve_report *r) {
  return r->end == IG_SOLVE_CONVERGED || (r->end != IG_SOLVE_INDEFINITE && r->residual < 0.5);
}

/* Whether iteration i is the last. With finite rotations the tangent may have to leave out the
   change of the rotations; convergence is then linear, often in pairs of a large and a small gain:
   as long as the residual falls by a fifth per iteration, in the mean of four, a step is not given
   up. */
enum { MEAN = 4 };
static bool gives_up(const ig_stress *m, int i, double norm, double before) {
  const int most = m->c->solver.iterations;
  const bool settles = m->c->rotations == IG_ROTATIONS_FINITE && m->count.residual < 0.01 &&
                       norm < 0.4096 * before; /* 0.8^4 */
  return !isfinite(norm) || (i >= most && !(settles && i < 4 * most)) ||
         (i > 2 && i < 64 && diverges(m, i));
}

/* Equilibrium at the loads, temperatures and held displacements of now. *good: it was found. */
static ig_status equilibrium(ig_stress *m, double time, bool *good) {
  const ig_stress_solver *s = &m->c->solver;
  double norm, reaction, reference, before[MEAN]; /* residuals of the last iterations */
  bool moves;
  ig_solve_report report;
  *good = false;
  IG_TRY(held_motion(m, time, &moves));
  IG_TRY(residual(m, &norm, &reaction));
  /* the first step moves prescribed nodes: its right-hand side is the residual less K x motion,
     the linear estimate of the forces after it */
  if (moves) { /* the first step takes the held nodes along */
    IG_TRY(ig_stress_product(m, m->work.moved.dev, m->work.step.dev));
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
    if (ig_stress_interrupted(m))
      return IG_FAIL(m->cx, IG_INTERRUPTED, "interrupted in Newton's method");
    reference = fmax(reference, reaction);
    m->scale = fmax(m->scale, reference);
    /* with hardly any force, 1e-6 of the largest force of the run is the scale: else rounding
       would have to converge */
    const double floor = fmax(reference, 1e-6 * m->scale);
    m->count.residual = floor > 0 ? norm / floor : 0;
    if (i < 64)
      m->count.trace[i] = m->count.residual;
    m->count.newton = i;
    if (!(norm > fmax(s->tolerance * floor, m->rounding)) && !moves) {
      *good = true;
      return IG_OK;
    }
    if (gives_up(m, i, norm, i < MEAN ? INFINITY : before[i % MEAN]))
      return IG_OK;
    before[i % MEAN] = norm;
    if (norm > 0)
      IG_TRY(ig_stress_system_solve(m, forcing(m, norm, floor), &report));
    else
      IG_TRY(ig_array_zero(m->cx, &m->work.step));
    m->count.newton_all++;
    if (norm > 0 && !usable(&report))
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

/* to = a + s (b - a), b itself at s = 1 so that bits do not depend on the path; nothing if a or
   b is NULL. */
static ig_status push_mix(ig_stress *m, ig_array *to, const double *a, const double *b, double s,
                          bool nodes) {
  const int64_t n = nodes ? m->nodes : m->part.elements;
  double *v = to->host;
  if (!a || !b)
    return IG_OK;
  for (int64_t i = 0; i < n; i++)
    v[i] = s == 1 ? b[i] : a[i] + s * (b[i] - a[i]);
  return ig_array_push(m->cx, to);
}

/* The goal, a share of the way. */
static ig_status goal_at(ig_stress *m, const ig_stress_goal *g, double s) {
  IG_TRY(push_mix(m, &m->T, g->T0, g->T1, s, true));
  IG_TRY(push_mix(m, &m->warmer, g->warmer0, g->warmer1, s, false));
  IG_TRY(push_mix(m, &m->share, g->share0, g->share1, s, false));
  return ig_stress_loads_at(m, g->time - (1 - s) * g->dt);
}

/* --- a step that is interrupted --- */

/* Remembers what a step changes on the host; not on several ranks, where no step is interrupted.
   Device arrays are copied only if the step is
   divided (mark_pieces): an undivided step leaves them as they are until it has succeeded. */
static void mark_begin(ig_stress *m) {
  ig_stress_mark *k = &m->mark;
  k->pieces = false;
  k->balance = m->balance;
  k->count = m->count;
  k->scale = m->scale;
  k->stale = m->system.stale;
  k->grid = m->system.lattice != NULL;
  if (!k->load)
    return;
  memcpy(k->built, m->built.host, sizeof *k->built * (size_t)m->part.elements);
  memcpy(k->load, m->balance.load, 3 * sizeof *k->load * (size_t)m->nodes);
}

/* What a piece of a step changes for good, and where it is kept. */
enum { KEPT = 6 };
static void kept(ig_stress *m, ig_array *of[KEPT], ig_array *copy[KEPT]) {
  ig_array *const a[KEPT] = {&m->work.old, &m->state,       &m->grown,
                             &m->soft,     &m->work.T_past, &m->work.warmer_past};
  ig_array *const b[KEPT] = {&m->mark.u,    &m->mark.state,  &m->mark.grown,
                             &m->mark.soft, &m->mark.T_past, &m->mark.warmer_past};
  memcpy(of, a, sizeof a);
  memcpy(copy, b, sizeof b);
}

/* Before the first piece of several is done. */
static ig_status mark_pieces(ig_stress *m) {
  ig_array *of[KEPT], *copy[KEPT];
  kept(m, of, copy);
  for (int i = 0; i < KEPT; i++) {
    if (!copy[i]->count)
      IG_TRY(ig_array_new_device(m->cx, copy[i], of[i]->count, of[i]->size, "start of a step"));
    IG_TRY(m->cx->backend->copy(m->cx, copy[i]->dev, of[i]->dev, of[i]->count * of[i]->size));
  }
  m->mark.pieces = true;
  return IG_OK;
}

/* Back to the start of the step: device arrays (if pieces of it were done), u, balance,
   counters, the moduli of the preconditioner, temperatures and loads. */
static ig_status mark_return(ig_stress *m, const ig_stress_goal *g) {
  ig_stress_mark *k = &m->mark;
  ig_array *of[KEPT], *copy[KEPT];
  kept(m, of, copy);
  for (int i = 0; k->pieces && i < KEPT; i++)
    IG_TRY(m->cx->backend->copy(m->cx, of[i]->dev, copy[i]->dev, of[i]->count * of[i]->size));
  IG_TRY(m->cx->backend->copy(m->cx, m->u.dev, m->work.old.dev,
                              3 * sizeof(double) * (size_t)m->nodes));
  m->balance = k->balance;
  m->count = k->count;
  m->scale = k->scale;
  m->system.stale = k->stale;
  memcpy(m->balance.load, k->load, 3 * sizeof *k->load * (size_t)m->nodes);
  memcpy(m->built.host, k->built, sizeof *k->built * (size_t)m->part.elements);
  m->args.dt = 0;
  IG_TRY(ig_array_push(m->cx, &m->built));
  return goal_at(m, g, 0);
}

/* Pieces of a step until all of it is done. After success the next piece is twice as long, after
   a failure half as long. History moves on after each piece. */
static ig_status advance(ig_stress *m, const ig_stress_goal *g) {
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
      if (done == 0 && next < 1 && m->mark.load)
        IG_TRY(mark_pieces(m));
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
      return IG_FAIL(
          cx, IG_NUMERIC,
          "no equilibrium beyond %.6g s, on the way to %.6g s: the residual force stays "
          "at %.2g of the forces, in steps of 1/%.0f; look whether the load is more than "
          "the part can carry, take more steps, or give material without hardening a "
          "plastic modulus (floors.hardening 0.01)",
          g->time - (1 - done) * g->dt, g->time, m->count.residual, 1 / piece);
  }
  m->args.dt = 0;
  return IG_OK;
}

ig_status ig_stress_advance(ig_stress *m, const ig_stress_goal *g) {
  IG_TRY(ig_stress_alpha_clear(m));
  IG_TRY(goal_at(m, g, 1));
  IG_TRY(ig_stress_anneal(m));
  mark_begin(m);
  const ig_status status = advance(m, g);
  if (status == IG_INTERRUPTED && m->mark.load)
    IG_TRY(mark_return(m, g));
  return status;
}
