/* Moving a model through time: the paper's steps II and III, over and over. */
#include "dynamics/dynamics.h"
#include "backend/backend.h"

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
  IG_TRY(m->ops->particles(m->cx, &p));
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
  clock->dt = dt;
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

ig_status ig_dyn_report(ig_dyn_model *m, double *out) {
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    for (int c = 0; c < g->colors; c++) {
      const ig_dyn_run run = run_of(m, g, c);
      IG_TRY(m->ops->report(m->cx, &m->p, &run, m->scratch.dev));
    }
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

/* Sums in a fixed order, whatever the threads. */
static double sum_strided(const double *a, int64_t n, int stride, int at) {
  double s = 0, lost = 0;
  for (int64_t i = 0; i < n; i++) {
    const double y = a[i * stride + at] - lost, t = s + y;
    lost = (t - s) - y;
    s = t;
  }
  return s;
}

ig_status ig_dyn_energies(ig_dyn_model *m, ig_dyn_energy *e) {
  ig_ctx *cx = m->cx;
  const int64_t n = m->p.nodes;
  memset(e, 0, sizeof *e);
  if (m->assembly == IG_GATHER && !m->fresh)
    IG_TRY(m->ops->sum(cx, &m->p));
  if (m->p.loaded > 0)
    IG_TRY(m->ops->loads(cx, &m->p));
  enum { N = IG_DYN_PARTICLE_ENERGIES };
  IG_TRY(m->ops->energy(cx, &m->p, m->scratch.dev));
  IG_TRY(
      cx->backend->copy_out(cx, m->scratch.host, m->scratch.dev, (size_t)n * N * sizeof(double)));
  e->kinetic = sum_strided(m->scratch.host, n, N, 0);
  e->plain = sum_strided(m->scratch.host, n, N, 1);
  e->external = sum_strided(m->scratch.host, n, N, 2 + IG_WORK_EXTERNAL);
  e->damping = sum_strided(m->scratch.host, n, N, 2 + IG_WORK_DAMPING);
  e->contact = sum_strided(m->scratch.host, n, N, 2 + IG_WORK_CONTACT);
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    for (int c = 0; c < g->colors; c++) {
      const ig_dyn_run run = run_of(m, g, c);
      IG_TRY(m->ops->report(cx, &m->p, &run, m->scratch.dev));
    }
    IG_TRY(cx->backend->copy_out(cx, m->scratch.host, m->scratch.dev,
                                 (size_t)g->slots * IG_DYN_REPORT * sizeof(double)));
    for (int c = 0; c < g->colors; c++)
      e->internal += sum_strided((double *)m->scratch.host + (int64_t)g->begin[c] * IG_DYN_REPORT,
                                 g->end[c] - g->begin[c], IG_DYN_REPORT, IG_DYN_REPORT - 1);
  }
  const double left = e->kinetic + e->internal + e->damping;
  const double put = m->start_energy + e->external + e->contact;
  const double scale = fmax(fmax(e->plain, e->internal), fmax(fabs(put), 1e-300));
  e->error = (left - put) / scale;
  return IG_OK;
}
