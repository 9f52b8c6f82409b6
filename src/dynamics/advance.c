/* Moving a model through time: the paper's steps II and III, over and over. */
#include "dynamics/dynamics.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "dynamics/particle.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ig_dyn_run run_of(const ig_dyn_model *m, const ig_dyn_group *g, int color) {
  return (ig_dyn_run){.kind = g->kind,
                      .law = g->law,
                      .g_f32 = &g->g_f32,
                      .g_f64 = &g->g_f64,
                      .view = {.how = (int)m->assembly,
                               .npe = g->g_f64.npe,
                               .nodes = m->p.nodes,
                               .elements = g->slots,
                               .conn = g->conn.dev,
                               .slot = g->slot.dev,
                               .first = m->slot_first.dev},
                      .begin = g->begin[color],
                      .end = g->end[color],
                      .ticks = g == m->group + m->groups - 1 && color == g->colors - 1};
}

/* One step: loads at t, particles to t + dt, element forces there. */
static ig_status step_once(ig_dyn_model *m) {
  ig_dyn_particles p = m->p;
  p.gather = m->assembly == IG_GATHER && !m->fresh;
  if (p.loaded > 0)
    IG_TRY(m->ops->loads(m->cx, &p));
  if (p.triangles > 0)
    IG_TRY(m->ops->contact(m->cx, &p));
  IG_TRY(m->ops->particles(m->cx, &p));
  if (p.bodies > 0)
    IG_TRY(m->ops->bodies(m->cx, &p, true));
  if (p.ties > 0)
    IG_TRY(m->ops->ties(m->cx, &p));
  for (int k = 0; k < m->groups; k++)
    for (int c = 0; c < m->group[k].colors; c++) {
      const ig_dyn_run run = run_of(m, &m->group[k], c);
      IG_TRY(m->ops->elements(m->cx, &p, &run));
    }
  m->fresh = false;
  return IG_OK;
}

ig_status ig_dyn_advance(ig_dyn_model *m, int64_t steps) {
  enum { RECORDED = 50 }; /* steps in a graph */
  ig_ctx *cx = m->cx;
  const ig_backend *b = cx->backend;
  int64_t left = steps;
  if (left > 0 && m->fresh) { /* its forces lie elsewhere than those of later steps */
    IG_TRY(step_once(m));
    left--;
  }
  if (b->graph_begin && left >= RECORDED) {
    if (!m->graph) {
      IG_TRY(b->graph_begin(cx));
      ig_status status = IG_OK;
      for (int i = 0; i < RECORDED && status == IG_OK; i++)
        status = step_once(m);
      ig_graph *graph = NULL;
      const ig_status ended = b->graph_end(cx, &graph);
      IG_TRY(status);
      IG_TRY(ended);
      m->graph = graph;
    }
    IG_TRY(b->graph_run(cx, m->graph, (int)(left / RECORDED)));
    left %= RECORDED;
  }
  for (; left > 0; left--)
    IG_TRY(step_once(m));
  return IG_OK;
}

ig_status ig_dyn_set_clock(ig_dyn_model *m, double dt, double damping) {
  ig_dyn_clock *clock = m->clock.host;
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  clock->dt = clock->tick = dt;
  clock->damping = damping;
  return ig_array_push(m->cx, &m->clock);
}

ig_status ig_dyn_pull(ig_dyn_model *m) {
  if (m->assembly == IG_GATHER && !m->fresh)
    IG_TRY(m->ops->sum(m->cx, &m->p));
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  IG_TRY(ig_array_pull(m->cx, &m->x));
  IG_TRY(ig_array_pull(m->cx, &m->v));
  return ig_array_pull(m->cx, &m->f);
}

/* The reports of group k, into the scratch. */
static ig_status report_group(ig_dyn_model *m, int k) {
  const ig_dyn_group *g = &m->group[k];
  for (int c = 0; c < g->colors; c++) {
    const ig_dyn_run run = run_of(m, g, c);
    IG_TRY(m->ops->report(m->cx, &m->p, &run, m->scratch.dev));
  }
  return IG_OK;
}

ig_status ig_dyn_report(ig_dyn_model *m, double *out) {
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    IG_TRY(report_group(m, k));
    IG_TRY(m->cx->backend->copy_out(m->cx, m->scratch.host, m->scratch.dev,
                                    (size_t)g->slots * IG_DYN_REPORT * sizeof(double)));
    const double *from = m->scratch.host;
    for (ig_lid s = 0; s < g->slots; s++)
      if (g->element[s] >= 0)
        memcpy(out + (int64_t)g->element[s] * IG_DYN_REPORT, from + (int64_t)s * IG_DYN_REPORT,
               IG_DYN_REPORT * sizeof(double));
  }
  return IG_OK;
}

ig_status ig_dyn_fields_now(ig_dyn_model *m, const ig_dyn_fields *to) {
  for (int k = 0; k < m->groups; k++) {
    IG_TRY(report_group(m, k));
    IG_TRY(m->ops->spread(m->cx, m->group[k].slots, m->group[k].ids.dev, m->scratch.dev, to));
  }
  return IG_OK;
}

ig_status ig_dyn_energies(ig_dyn_model *m, ig_dyn_energy *e) {
  ig_ctx *cx = m->cx;
  const int64_t n = m->p.nodes;
  memset(e, 0, sizeof *e);
  if (m->assembly == IG_GATHER && !m->fresh)
    IG_TRY(m->ops->sum(cx, &m->p));
  if (m->p.loaded > 0)
    IG_TRY(m->ops->loads(cx, &m->p));
  if (m->p.triangles > 0)
    IG_TRY(m->ops->contact(cx, &m->p));
  if (m->p.bodies > 0) {
    IG_TRY(m->ops->bodies(cx, &m->p, false));
    IG_TRY(ig_array_pull(cx, &m->body));
  }
  if (m->mass_scaled > 0)
    IG_TRY(ig_array_pull(cx, &m->v));
  enum { N = IG_DYN_PARTICLE_ENERGIES };
  double sum[N], *const table = m->scratch.dev, *const work = m->partial.dev;
  IG_TRY(m->ops->energy(cx, &m->p, table));
  IG_TRY(m->ops->totals(cx, table, n, N, 0, N, work, sum));
  e->kinetic = sum[0];
  e->plain = sum[1];
  e->external = sum[2 + IG_WORK_EXTERNAL];
  e->damping = sum[2 + IG_WORK_DAMPING];
  e->contact = sum[2 + IG_WORK_CONTACT];
  for (int k = 0; k < m->p.bodies; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->body.host + k;
    e->kinetic += b->kinetic;
    e->plain += b->plain;
    e->external += b->work[IG_WORK_EXTERNAL];
    e->damping += b->work[IG_WORK_DAMPING];
  }
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    IG_TRY(report_group(m, k));
    for (int c = 0; c < g->colors; c++) {
      double part[2];
      IG_TRY(m->ops->totals(cx, table + (int64_t)g->begin[c] * IG_DYN_REPORT,
                            g->end[c] - g->begin[c], IG_DYN_REPORT, IG_REPORT_ENERGY, 2, work,
                            part));
      e->internal += part[0];
      e->plastic += part[1];
    }
  }
  for (int64_t i = 0; i < n && m->mass_scaled > 0; i++)
    for (int c = 0; c < 3; c++)
      e->scaling += 0.5 * m->node_added[i] * pow(ig_dyn_get(m, &m->v, i * m->p.dofs + c), 2);
  const double left = e->kinetic + e->internal + e->damping;
  const double put = m->start_energy + e->external + e->contact;
  const double scale =
      fmax(fmax(e->plain, e->internal),
           fmax(fmax(fabs(m->start_energy), fabs(e->external)), fmax(fabs(e->contact), 1e-300)));
  e->error = (left - put) / scale;
  return IG_OK;
}

/* --- static equilibrium --------------------------------------------------------------------------
 */

static bool is_free(const ig_dyn_model *m, int64_t n, int c) {
  if (!m->move.host)
    return true;
  const int32_t move = ((const int32_t *)m->move.host)[n];
  return move == 0 || ((const ig_dyn_motion *)m->motion.host)[move].kind[c] == IG_MOVE_FREE;
}

static void array_put(ig_array *a, int64_t i, double value) {
  if (a->size == sizeof(double))
    ((double *)a->host)[i] = value;
  else
    ((float *)a->host)[i] = (float)value;
}

double ig_dyn_gravity_now(const ig_dyn_model *m, int c) {
  const double time = ((const ig_dyn_clock *)m->clock.host)->time;
  return m->p.has_gravity ? m->p.gravity[c] * ig_history_at(m->p.gravity_history, m->history_x.host,
                                                            m->history_y.host, time)
                          : 0;
}

/* Force on particle n that nothing balances: from outside less the elements'. */
static double unbalanced(const ig_dyn_model *m, int64_t n, int c, double *all) {
  const double mass = c < 3 ? m->node_mass[n] : m->node_inertia[n];
  const double inner = ig_dyn_get(m, &m->f, n * m->p.pitch + c);
  const double outer = (m->load.count ? ig_dyn_get(m, &m->load, n * m->p.dofs + c) : 0) +
                       (c < 3 ? ig_dyn_gravity_now(m, c) * mass : 0) +
                       (c < 3 && m->p.triangles ? ig_dyn_get(m, &m->touch, 3 * n + c) : 0);
  if (all && mass > 0)
    *all += (inner * inner + outer * outer) / mass;
  return outer - inner;
}

/* Out-of-balance force on free particles over all force, in the mean square; weighed by mass and
   inertia, so that forces and moments count alike. Bodies count as one; what is tied counts with
   those that carry it. */
static ig_status residual_now(ig_dyn_model *m, double *net, double *residual) {
  const int D = m->p.dofs;
  const int32_t *bound = m->bound.host;
  double out = 0, all = 0;
  IG_TRY(ig_dyn_pull(m));
  if (m->load.count)
    IG_TRY(ig_array_pull(m->cx, &m->load));
  if (m->p.triangles)
    IG_TRY(ig_array_pull(m->cx, &m->touch));
  if (m->p.bodies)
    IG_TRY(ig_array_pull(m->cx, &m->body));
  for (int64_t i = 0; i < (int64_t)m->p.nodes * D; i++)
    net[i] = unbalanced(m, i / D, (int)(i % D), &all);
  for (int32_t k = 0; k < m->p.ties; k++) {
    const int64_t n = ((int32_t *)m->tie_node.host)[k];
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < (((int32_t *)m->tie_turns.host)[k] ? D : 3); c++)
        net[(int64_t)D * ((int32_t *)m->tie_to.host)[3 * k + a] + c] +=
            ((double *)m->tie_share.host)[3 * k + a] * net[n * D + c];
  }
  for (int64_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < D; c++) {
      const double mass = c < 3 ? m->node_mass[n] : m->node_inertia[n];
      if (mass > 0 && is_free(m, n, c) && (!bound || bound[n] == 0))
        out += net[n * D + c] * net[n * D + c] / mass;
    }
  for (int k = 0; k < m->p.bodies; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->body.host + k;
    const ig_dyn_motion *held = (const ig_dyn_motion *)m->motion.host + b->motion;
    double force[3] = {0}, moment[3] = {0};
    for (int32_t i = b->first; i < b->first + b->count; i++) {
      const int64_t n = ((const int32_t *)m->body_node.host)[i];
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
  *residual = all > 0 ? sqrt(out / all) : 0;
  return IG_OK;
}

/* Nothing moves. */
static ig_status stop(ig_dyn_model *m) {
  for (int64_t i = 0; i < (int64_t)m->p.nodes * m->p.dofs; i++)
    array_put(&m->v, i, 0);
  IG_TRY(ig_array_push(m->cx, &m->v));
  if (m->p.bodies == 0)
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->body));
  for (int k = 0; k < m->p.bodies; k++) {
    ig_dyn_body *b = (ig_dyn_body *)m->body.host + k;
    memset(b->v, 0, sizeof b->v);
    memset(b->spin, 0, sizeof b->spin);
    memset(b->momentum, 0, sizeof b->momentum);
  }
  return ig_array_push(m->cx, &m->body);
}

/* Dynamic relaxation. Masses are scaled until every element has the same critical step; damping is
   twice the frequency that the particles show as they move (Rayleigh's quotient over a stretch of
   steps), or velocities are taken away whenever the kinetic energy has passed a peak. */
ig_status ig_dyn_relax(ig_dyn_model *m, const ig_dyn_analysis *a, double *residual,
                       int64_t *steps) {
  ig_ctx *cx = m->cx;
  enum { STRETCH = 25 };
  const int D = m->p.dofs;
  const int64_t nodes = m->p.nodes;
  double dt, *x = NULL, *f = NULL, *net = NULL;
  ig_status status = IG_OK;
  ig_dyn_clock *clock = m->clock.host;
  IG_TRY(ig_dyn_largest_step(m, &dt));
  IG_TRY(ig_dyn_masses(m, dt));
  IG_TRY(ig_array_pull(cx, &m->clock));
  const double t0 = clock->time;
  const int64_t ramp = a->ramp > 0 ? (int64_t)a->ramp : 1;
  const double damping = isnan(a->damping) ? 0 : a->damping;
  clock->dt = a->safety * dt;
  clock->before = 0;
  clock->tick = (a->at_time - t0) / (double)ramp;
  clock->damping = damping;
  IG_TRY(ig_array_push(cx, &m->clock));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &x, nodes * 3, "relaxation"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &f, nodes * 3, "relaxation"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &net, nodes * D, "relaxation"));
  double energy = 0;
  bool loaded = false;
  *residual = INFINITY;
  for (*steps = 0; *steps < a->steps;) {
    int64_t now = STRETCH;
    if (!loaded && *steps + now > ramp)
      now = ramp - *steps;
    IG_TRY_GOTO(status, done, ig_dyn_advance(m, now));
    *steps += now;
    IG_TRY_GOTO(status, done, residual_now(m, net, residual));
    IG_TRY_GOTO(status, done, ig_fault_check(cx, "element", NULL));
    if (!loaded && *steps >= ramp) {
      loaded = true;
      clock->tick = 0;
      clock->time = a->at_time;
      energy = 0;
    } else if (loaded && *residual < a->tolerance)
      break;
    double kinetic = 0, work = 0, inertia = 0;
    for (int64_t n = 0; n < nodes; n++)
      for (int c = 0; c < 3; c++) {
        const double v = ig_dyn_get(m, &m->v, n * D + c), y = ig_dyn_get(m, &m->x, 3 * n + c),
                     g = ig_dyn_get(m, &m->f, n * m->p.pitch + c), mass = m->node_mass[n];
        kinetic += mass * v * v;
        if (is_free(m, n, c)) {
          work += (y - x[3 * n + c]) * (g - f[3 * n + c]);
          inertia += (y - x[3 * n + c]) * (y - x[3 * n + c]) * mass;
        }
        x[3 * n + c] = y;
        f[3 * n + c] = g;
      }
    if (a->relaxation == IG_RELAX_VISCOUS) {
      if (isnan(a->damping) && *steps > STRETCH && inertia > 0) {
        const double omega = sqrt(fmax(work / inertia, 0)), most = 1.9 / clock->dt;
        /* eased in: one stretch that shows a fast mode must not stop the slow ones */
        clock->damping = fmin(most, 0.7 * clock->damping + 0.3 * 2 * omega);
      }
    } else if (loaded) {
      if (kinetic < energy) {
        IG_TRY_GOTO(status, done, stop(m));
        clock->before = 0;
        kinetic = 0;
      }
      energy = kinetic;
    }
    IG_TRY_GOTO(status, done, ig_array_push(cx, &m->clock));
    if (cx->interrupted)
      break;
  }
  /* at rest, with its own masses again */
  IG_TRY_GOTO(status, done, stop(m));
  IG_TRY_GOTO(status, done, ig_array_pull(cx, &m->clock));
  clock->before = 0;
  clock->damping = 0;
  clock->tick = clock->dt;
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->clock));
  IG_TRY_GOTO(status, done, ig_dyn_masses(m, 0));
done:
  free(x);
  free(f);
  free(net);
  return status;
}
