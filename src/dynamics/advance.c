/* Moving a model through time: steps II and III of Tang et al. (2020), repeated. */
#include "dynamics/part.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/particle.inc"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_elements(const ig_dyn_group *g, int color) {
  return color < g->colors && g->end[color] > g->begin[color];
}

/* Whether nothing comes after this range: it moves the clock on. A rank's part takes the first
   ranges of all groups, then the second ones; others one group after the other. */
static bool is_last(const ig_dyn_model *m, const ig_dyn_group *g, int color) {
  for (const ig_dyn_group *h = m->group; h < m->group + m->groups; h++)
    for (int c = 0; c < h->colors; c++)
      if (has_elements(h, c) &&
          (m->in_turn ? c > color || (c == color && h > g) : h > g || (h == g && c > color)))
        return false;
  return true;
}

static bool is_empty(const ig_dyn_model *m) {
  for (int k = 0; k < m->groups; k++)
    if (m->group[k].count > 0)
      return false;
  return true;
}

static ig_dyn_range range_of(const ig_dyn_model *m, const ig_dyn_group *g, int color) {
  return (ig_dyn_range){.kind = g->kind,
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
                        .cluster = ig_clusters_view(&g->cluster),
                        .begin = g->begin[color],
                        .end = g->end[color],
                        .whole = g->whole,
                        .ticks = is_last(m, g, color)};
}

/* Which elements hold, into contact.alive on the device. */
ig_status ig_dyn_alive_now(ig_dyn_model *m) {
  for (int k = 0; k < m->groups && m->contact.alive.count; k++)
    for (int c = 0; c < m->group[k].colors && ig_dyn_erodes(&m->group[k]); c++) {
      const ig_dyn_range run = range_of(m, &m->group[k], c);
      if (has_elements(&m->group[k], c))
        IG_TRY(m->ops->alive(m->cx, &run, m->group[k].ids.dev, m->contact.alive.dev));
    }
  return IG_OK;
}

ig_status ig_dyn_alive(ig_dyn_model *m, const uint8_t **alive) {
  *alive = NULL;
  if (!m->contact.alive.count)
    return IG_OK;
  IG_TRY(ig_dyn_alive_now(ig_dyn_stepper(m)));
  if (m->divided)
    IG_TRY(ig_dyn_gather_alive(m));
  IG_TRY(ig_array_pull(m->cx, &m->contact.alive));
  *alive = m->contact.alive.host;
  return IG_OK;
}

/* On ranks the part's steps have its elements looked at before; the first has the whole. */
static ig_status contact_now(ig_dyn_model *m, const ig_dyn_particles *p) {
  if (p->contact.surfaces == 0)
    return IG_OK;
  if (p->erosion.alive && !m->in_turn)
    IG_TRY(ig_dyn_alive_now(ig_dyn_stepper(m)));
  if (p->erosion.alive && m->divided)
    IG_TRY(ig_dyn_gather_alive(m));
  if (m->divided && !ig_ranks_first(m->cx))
    return IG_OK;
  return m->ops->contact(m->cx, p);
}

/* Loads at t, particles to t + dt. */
ig_status ig_dyn_move(ig_dyn_model *m) {
  ig_dyn_particles p = m->p;
  p.slots.gather = ig_dyn_slotted(m) && !m->fresh;
  if (p.nodes == 0)
    return IG_OK;
  if (p.loads.count > 0)
    IG_TRY(m->ops->loads(m->cx, &p));
  IG_TRY(contact_now(m, &p));
  IG_TRY(m->ops->particles(m->cx, &p));
  if (p.bodies.count > 0)
    IG_TRY(m->ops->bodies(m->cx, &p, true));
  if (p.ties.count > 0)
    IG_TRY(m->ops->ties(m->cx, &p));
  return IG_OK;
}

ig_status ig_dyn_forces_some(ig_dyn_model *m, int first, int last) {
  ig_dyn_particles p = m->p;
  p.slots.gather = ig_dyn_slotted(m) && !m->fresh;
  for (int k = 0; k < m->groups; k++)
    for (int c = first; c < m->group[k].colors && c < last; c++)
      if (has_elements(&m->group[k], c)) {
        const ig_dyn_range range = range_of(m, &m->group[k], c);
        IG_TRY(m->ops->elements(m->cx, &p, &range));
      }
  if (m->in_turn && first == 0)
    return IG_OK;
  m->fresh = false;
  if (!is_empty(m))
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  ig_dyn_tick(m->clock.host);
  return ig_array_push(m->cx, &m->clock);
}

/* Element forces where particles are now. */
ig_status ig_dyn_forces(ig_dyn_model *m) {
  return ig_dyn_forces_some(m, 0, INT_MAX);
}

static ig_status step_once(ig_dyn_model *m) {
  IG_TRY(ig_dyn_move(m));
  return ig_dyn_forces(m);
}

bool ig_dyn_joins(const ig_dyn_model *m) {
  const ig_dyn_particles *p = &m->p;
  if (!m->ops->joined || m->assembly != IG_CLUSTER || m->groups != 1 || m->in_turn || m->divided ||
      p->contact.surfaces || p->tools || p->bodies.count || p->ties.count || p->erosion.alive ||
      p->bound || is_empty(m))
    return false;
  const ig_dyn_group *g = &m->group[0];
#define X(kind, type, particles, freedoms, family, size, text) freedoms,
  static const int freedoms_of[] = {IG_DYN_ELEMENTS(X)};
#undef X
#define X(k, l)                                                                                    \
  if (g->kind == IG_DYN_##k && g->law == IG_LAW_##l)                                               \
    return p->dofs == freedoms_of[g->kind];
  IG_DYN_JOINED(X)
#undef X
  return false;
}

/* Steps in a row. Where forces and the next motion can be joined, the first motion and the last
   forces are left. */
static ig_status steps_once(ig_dyn_model *m, int64_t n) {
  if (m->fresh || !ig_dyn_joins(m)) {
    for (; n > 0; n--)
      IG_TRY(step_once(m));
    return IG_OK;
  }
  ig_dyn_particles p = m->p;
  p.slots.gather = 1;
  const ig_dyn_range range = range_of(m, &m->group[0], 0);
  if (n > 0)
    IG_TRY(ig_dyn_move(m));
  for (int64_t i = 1; i < n; i++)
    IG_TRY(m->ops->joined(m->cx, &p, &range, m->others.dev, (int32_t)m->others.count));
  return n > 0 ? ig_dyn_forces(m) : IG_OK;
}

ig_status ig_dyn_pass(ig_dyn_model *m, bool elements) {
  ig_dyn_particles p = m->p;
  p.slots.gather = ig_dyn_slotted(m) && !m->fresh;
  if (!elements)
    return m->ops->particles(m->cx, &p);
  for (int k = 0; k < m->groups; k++)
    for (int c = 0; c < m->group[k].colors; c++) {
      const ig_dyn_range range = range_of(m, &m->group[k], c);
      IG_TRY(m->ops->elements(m->cx, &p, &range));
    }
  return IG_OK;
}

ig_status ig_dyn_kernels(ig_dyn_model *m, ig_dyn_kernel_cost cost[2]) {
  const ig_dyn_range range = range_of(m, &m->group[0], 0);
  if (!m->ops->kernels)
    return IG_FAIL(m->cx, IG_UNSUPPORTED, "kernels of a GPU are asked for: add --backend cuda");
  return m->ops->kernels(m->cx, &m->p, &range, cost);
}

ig_status ig_dyn_advance(ig_dyn_model *m, int64_t steps) {
  enum { RECORDED = 50 }; /* steps in a graph */
  ig_ctx *cx = m->cx;
  const ig_backend *b = cx->backend;
  int64_t left = steps;
  if (m->divided)
    return ig_dyn_part_advance(m, steps);
  if (left > 0 && m->fresh) { /* its forces lie elsewhere than those of later steps */
    IG_TRY(step_once(m));
    left--;
  }
  if (b->graph_begin && left >= RECORDED) {
    if (!m->graph) {
      IG_TRY(b->graph_begin(cx));
      const ig_status status = steps_once(m, RECORDED);
      ig_graph *graph = NULL;
      const ig_status ended = b->graph_end(cx, &graph);
      IG_TRY(status);
      IG_TRY(ended);
      m->graph = graph;
    }
    IG_TRY(b->graph_run(cx, m->graph, (int)(left / RECORDED)));
    left %= RECORDED;
  }
  return steps_once(m, left);
}

ig_status ig_dyn_set_clock(ig_dyn_model *m, double dt, double damping) {
  ig_dyn_clock *clock = m->clock.host;
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  clock->dt = clock->tick = dt;
  clock->damping = damping;
  clock->stiff = fmax(clock->stiff, dt); /* contact never gets stiffer while things touch */
  return ig_array_push(m->cx, &m->clock);
}

ig_status ig_dyn_pull(ig_dyn_model *m) {
  IG_TRY(ig_dyn_gather(m));
  if (ig_dyn_slotted(m) && !m->fresh)
    IG_TRY(m->ops->sum(m->cx, &m->p));
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  if (!ig_dyn_has_whole(m))
    return IG_OK;
  IG_TRY(ig_array_pull(m->cx, &m->x));
  IG_TRY(ig_array_pull(m->cx, &m->v));
  return ig_array_pull(m->cx, &m->f);
}

/* The reports of group k, into the scratch; on ranks, of the part. */
static ig_status report_group(ig_dyn_model *m, int k) {
  if (m->divided)
    return report_group(m->divided->local, k);
  const ig_dyn_group *g = &m->group[k];
  for (int c = 0; c < g->colors; c++) {
    const ig_dyn_range range = range_of(m, g, c);
    if (has_elements(g, c))
      IG_TRY(m->ops->report(m->cx, &m->p, &range, m->scratch.dev));
  }
  return IG_OK;
}

/* Reports of a group's slots from `first` on, to where their elements stand in the mesh. */
typedef struct {
  ig_dyn_model *m;
  const ig_dyn_group *g;
  double *out;             /* on the host */
  const ig_dyn_fields *to; /* on the device */
  ig_status status;
} reporting;
static void reports_put(void *user, const void *reports, int64_t first, int64_t count) {
  const reporting *r = user;
  const double *from = reports;
  for (int64_t i = 0; i < count; i++)
    if (r->g->element[first + i] >= 0)
      memcpy(r->out + (int64_t)r->g->element[first + i] * IG_DYN_REPORT, from + i * IG_DYN_REPORT,
             IG_DYN_REPORT * sizeof(double));
}

static void reports_spread(void *user, const void *reports, int64_t first, int64_t count) {
  reporting *r = user;
  ig_ctx *cx = r->m->cx;
  const int32_t *id = (const int32_t *)r->g->ids.dev + first;
  if (r->status == IG_OK)
    r->status = cx->backend->copy_in(cx, r->m->scratch.dev, reports,
                                     (size_t)count * IG_DYN_REPORT * sizeof(double));
  if (r->status == IG_OK)
    r->status = r->m->ops->spread(cx, (int32_t)count, id, r->m->scratch.dev, r->to);
  if (r->status == IG_OK)
    r->status = cx->backend->sync(cx); /* the reports' memory is used again */
}

ig_status ig_dyn_report(ig_dyn_model *m, double *out) {
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    reporting r = {.m = m, .g = g, .out = out};
    IG_TRY(report_group(m, k));
    if (m->divided) {
      IG_TRY(ig_dyn_gather_reports(m, k, reports_put, &r));
      continue;
    }
    IG_TRY(m->cx->backend->copy_out(m->cx, m->scratch.host, m->scratch.dev,
                                    (size_t)g->slots * IG_DYN_REPORT * sizeof(double)));
    reports_put(&r, m->scratch.host, 0, g->slots);
  }
  return IG_OK;
}

ig_status ig_dyn_fields_now(ig_dyn_model *m, const ig_dyn_fields *to) {
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    reporting r = {.m = m, .g = g, .to = to, .status = IG_OK};
    IG_TRY(report_group(m, k));
    if (m->divided) {
      IG_TRY(ig_dyn_gather_reports(m, k, reports_spread, &r));
      IG_TRY(ig_ranks_agree(m->cx, r.status));
    } else {
      IG_TRY(m->ops->spread(m->cx, g->slots, g->ids.dev, m->scratch.dev, to));
    }
  }
  return IG_OK;
}

/* What a rank without the whole does while the first finds the energies. */
static ig_status energies_help(ig_dyn_model *m) {
  IG_TRY(contact_now(m, &m->p));
  for (int k = 0; k < m->groups; k++) {
    IG_TRY(report_group(m, k));
    IG_TRY(ig_dyn_gather_energies(m, k));
  }
  return ig_array_pull(m->cx, &m->clock);
}

static ig_status energies_find(ig_dyn_model *m, ig_dyn_energy *e) {
  ig_ctx *cx = m->cx;
  const int64_t n = m->p.nodes;
  memset(e, 0, sizeof *e);
  IG_TRY(ig_dyn_gather(m));
  if (!ig_dyn_has_whole(m))
    return energies_help(m);
  if (ig_dyn_slotted(m) && !m->fresh)
    IG_TRY(m->ops->sum(cx, &m->p));
  if (m->p.loads.count > 0)
    IG_TRY(m->ops->loads(cx, &m->p));
  IG_TRY(contact_now(m, &m->p));
  if (m->p.bodies.count > 0) {
    IG_TRY(m->ops->bodies(cx, &m->p, false));
    IG_TRY(ig_array_pull(cx, &m->carried.body));
  }
  if (m->weight.scaled > 0)
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
  const double tools = sum[2 + IG_WORK_TOOL];
  if (m->p.contact.surfaces > 0)
    IG_TRY(m->ops->totals(cx, m->contact.stored.dev,
                          (int64_t)m->p.contact.surfaces + m->p.edges.count, 1, 0, 1, work,
                          &e->stored));
  for (int k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    e->kinetic += b->kinetic;
    e->plain += b->plain;
    e->external += b->work[IG_WORK_EXTERNAL];
    e->damping += b->work[IG_WORK_DAMPING];
  }
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    const int columns = m->divided ? 2 : IG_DYN_REPORT; /* from ranks nothing else comes */
    IG_TRY(report_group(m, k));
    IG_TRY(ig_dyn_gather_energies(m, k));
    for (int c = 0; c < g->colors; c++) {
      double part[2];
      IG_TRY(m->ops->totals(cx, table + (int64_t)g->begin[c] * columns, g->end[c] - g->begin[c],
                            columns, m->divided ? 0 : IG_REPORT_ENERGY, 2, work, part));
      e->internal += part[0];
      e->plastic += part[1];
    }
  }
  for (int64_t i = 0; i < n && m->weight.scaled > 0; i++)
    for (int c = 0; c < 3; c++)
      e->scaling += 0.5 * m->weight.added[i] * pow(ig_dyn_get(m, &m->v, i * m->p.dofs + c), 2);
  /* before the first step nothing has acted on the velocities yet, not even a tool that stops them
   */
  IG_TRY(ig_array_pull(cx, &m->clock));
  const bool first = ((const ig_dyn_clock *)m->clock.host)->before == 0;
  const double left = (first ? e->plain : e->kinetic) + e->internal + e->damping;
  /* surfaces that touch store energy and rub: what they give beyond that is an error */
  e->made = e->contact + e->stored;
  e->contact += tools;
  const double put =
      m->balance.energy + e->external + e->contact - fmax(0, e->made - m->balance.made);
  const double scale =
      fmax(fmax(e->plain, e->internal),
           fmax(fmax(fabs(m->balance.energy), fabs(e->external)), fmax(fabs(e->contact), 1e-300)));
  e->error = (left - put) / scale;
  return IG_OK;
}

/* On ranks the first has all of the state; its sums hold for all. */
ig_status ig_dyn_energies(ig_dyn_model *m, ig_dyn_energy *e) {
  const ig_status status = energies_find(m, e);
  if (!m->divided)
    return status;
  IG_TRY(ig_ranks_agree(m->cx, status));
  return ig_ranks_share(m->cx, 0, e, sizeof *e);
}

double ig_dyn_gravity_now(const ig_dyn_model *m, int c) {
  const double time = ((const ig_dyn_clock *)m->clock.host)->time;
  return m->p.loads.has_gravity
             ? m->p.loads.gravity[c] * ig_history_at(m->p.loads.gravity_history,
                                                     m->held.history_x.host, m->held.history_y.host,
                                                     time)
             : 0;
}
