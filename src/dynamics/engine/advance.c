/* Moving a model through time: steps II and III of Tang et al. (2020), repeated; and the
   energies at an instant. ig_dyn_advance is the entry for steps, ig_dyn_energies for the
   balance. On a GPU 50 steps are recorded as a graph once and replayed: launching each pass
   costs more than a small model's work. */
#include "dynamics/model/part.h"
#include "dynamics/model/solids.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps in a row. Where forces and the next motion can be joined, the first motion and the last
   forces are left. On several ranks one that fails goes on exchanging, for the others wait for it;
   all learn of it when they meet after the steps. */
static ig_status steps_once(ig_dyn_model *m, int64_t n) {
  if (m->fresh || !ig_dyn_joins(m)) {
    ig_status status = IG_OK;
    for (; n > 0 && (status == IG_OK || !ig_dyn_alone(m)); n--)
      status = ig_dyn_step_once(m, status);
    return status;
  }
  ig_dyn_particles p = m->p;
  p.slots.gather = 1;
  const ig_dyn_range range = ig_dyn_range_of(m, &m->group[0], 0);
  if (n > 0)
    IG_TRY(ig_dyn_move(m));
  for (int64_t i = 1; i < n; i++)
    IG_TRY(m->ops->joined(m->cx, &p, &range, m->others.dev, (int32_t)m->others.count));
  return n > 0 ? ig_dyn_forces(m, IG_OK) : IG_OK;
}

/* For benchmarks: elements of all groups, or all particles, without anything else of a step. The
   last range of elements moves the clock on, as in a step; energies of such a model mean
   nothing. */
ig_status ig_dyn_pass(ig_dyn_model *m, bool elements) {
  ig_dyn_particles p = m->p;
  p.slots.gather = ig_dyn_slotted(m) && !m->fresh;
  if (!elements)
    return m->ops->particles(m->cx, &p);
  for (int k = 0; k < m->groups; k++)
    for (int c = 0; c < m->group[k].colors; c++) {
      const ig_dyn_range range = ig_dyn_range_of(m, &m->group[k], c);
      IG_TRY(m->ops->elements(m->cx, &p, &range));
    }
  return IG_OK;
}

ig_status ig_dyn_kernels(ig_dyn_model *m, ig_dyn_kernel_cost cost[2]) {
  const ig_dyn_range range = ig_dyn_range_of(m, &m->group[0], 0);
  if (!m->ops->kernels)
    return IG_FAIL(m->cx, IG_UNSUPPORTED, "kernels of a GPU are asked for: add --backend cuda");
  return m->ops->kernels(m->cx, &m->p, &range, cost);
}

/* On a GPU: one single step while forces are still in f, then replays of 50 recorded steps, then
   single steps for the rest. A recording holds pointers and sizes, no times: it stays valid
   until the model changes. On several ranks steps are not recorded. */
ig_status ig_dyn_advance(ig_dyn_model *m, int64_t steps) {
  enum { RECORDED = 50 }; /* steps in a graph */
  ig_ctx *cx = m->cx;
  const ig_backend *b = cx->backend;
  int64_t left = steps;
  if (!ig_dyn_alone(m))
    return steps_once(m, steps);
  if (left > 0 && m->fresh) { /* its forces lie elsewhere than those of later steps */
    IG_TRY(ig_dyn_step_once(m, IG_OK));
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
  /* clock lies in device memory: kernels read dt there, so recorded graphs stay valid when it
     changes */
  ig_dyn_clock *clock = m->clock.host;
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  clock->dt = clock->tick = dt;
  clock->damping = damping;
  return ig_array_push(m->cx, &m->clock);
}

/* Forces of elements into f. */
ig_status ig_dyn_forces_sum(ig_dyn_model *m) {
  return ig_dyn_slotted(m) && !m->fresh && m->p.nodes > 0 ? m->ops->sum(m->cx, &m->p) : IG_OK;
}

ig_status ig_dyn_pull(ig_dyn_model *m) {
  IG_TRY(ig_dyn_forces_sum(m));
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  IG_TRY(ig_array_pull(m->cx, &m->x));
  IG_TRY(ig_array_pull(m->cx, &m->v));
  return ig_array_pull(m->cx, &m->f);
}

/* The reports of group k, into the scratch; on ranks, of the part. */
static ig_status report_group(ig_dyn_model *m, int k) {
  const ig_dyn_group *g = &m->group[k];
  for (int c = 0; c < g->colors; c++) {
    const ig_dyn_range range = ig_dyn_range_of(m, g, c);
    if (ig_dyn_has_elements(g, c))
      IG_TRY(m->ops->report(m->cx, &m->p, &range, m->scratch.dev));
  }
  return IG_OK;
}

/* Group by group through the scratch; elements of solids.c are added at the end. */
ig_status ig_dyn_report(ig_dyn_model *m, double *out) {
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    void *own;
    const void *seen;
    IG_TRY(report_group(m, k));
    const ig_status status = ig_dyn_seen(
        m->cx, m->scratch.dev, (size_t)g->slots * IG_DYN_REPORT * sizeof(double), &own, &seen);
    for (ig_lid s = 0; s < g->slots && status == IG_OK; s++)
      if (g->element[s] >= 0)
        memcpy(out + (int64_t)((const ig_lid *)g->ids.host)[s] * IG_DYN_REPORT,
               (const double *)seen + (int64_t)s * IG_DYN_REPORT, IG_DYN_REPORT * sizeof(double));
    free(own);
    IG_TRY(status);
  }
  return ig_dyn_solids_report(m, out);
}

ig_status ig_dyn_fields_now(ig_dyn_model *m, const ig_dyn_fields *to) {
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    IG_TRY(report_group(m, k));
    if (g->slots)
      IG_TRY(m->ops->spread(m->cx, g->slots, g->ids.dev, m->scratch.dev, to));
  }
  return ig_dyn_solids_fields(m, to);
}

/* --- energies

   All sums are made in a fixed order: on one rank by `totals` of the backend, on several by rank
   0, which adds the rows of all ranks in the order of the whole model. The balance therefore has
   the same bits for any number of ranks. */

enum { N = IG_DYN_PARTICLE_ENERGIES };

/* What energies are made of: sums over particles, over elements (internal, not stored), stored
   by contact, kinetic energy of added mass. */
typedef struct {
  double particle[N], element[2], stored, scaling;
} energy_sums;

/* Forces, loads, contact and bodies where particles are now, without taking a step. Collective. */
static ig_status forces_now(ig_dyn_model *m) {
  ig_status status = ig_dyn_forces_sum(m);
  if (status == IG_OK && m->p.loads.count > 0)
    status = m->ops->loads(m->cx, &m->p);
  status = ig_dyn_part_ready(m, status);
  if (status == IG_OK)
    status = ig_dyn_contact_now(m, &m->p);
  if (status == IG_OK && m->p.bodies.count > 0)
    status = m->ops->bodies(m->cx, &m->p, false);
  return ig_dyn_bodies_gather(m, status);
}

/* Rows of the part's table go to rank 0, `columns` of their `stride` numbers from `first` on, where
   they are added in the order of the whole. */
typedef struct {
  const double *table;
  int stride, first, columns;
  ig_dyn_totals total;
} tabling;
static void table_row(void *user, int64_t item, void *row) {
  const tabling *t = user;
  memcpy(row, t->table + item * t->stride + t->first, (size_t)t->columns * sizeof(double));
}
static ig_status table_put(void *user, const void *rows, int64_t first, int64_t count) {
  tabling *t = user;
  (void)first;
  ig_dyn_totals_add(&t->total, rows, count);
  return IG_OK;
}

/* Of `count` rows of the scratch from `begin` on. Collective: a rank that failed before (`status`)
   takes part and passes its failure on. */
static ig_status table_total(ig_dyn_model *m, ig_status status, const ig_collect *items,
                             int64_t begin, int64_t count, int stride, int first, int columns,
                             double *total) {
  tabling t = {NULL, stride, first, columns, {0}};
  const double *table = (const double *)m->scratch.dev + begin * stride;
  void *own = NULL;
  const void *seen = NULL;
  if (ig_dyn_alone(m))
    return status == IG_OK
               ? m->ops->totals(m->cx, table, count, stride, first, columns, m->partial.dev, total)
               : status;
  if (status == IG_OK)
    status =
        ig_dyn_seen(m->cx, table, (size_t)count * (size_t)stride * sizeof(double), &own, &seen);
  t.table = seen;
  if (status == IG_OK)
    status = ig_dyn_totals_new(m->cx, columns, &t.total);
  status = ig_collect_rows(m->cx, items, (size_t)columns * sizeof(double), table_row, table_put, &t,
                           status);
  ig_dyn_totals_end(&t.total, status == IG_OK ? total : NULL);
  free(own);
  return status;
}

/* Energy that contact has stored at particles and edges. */
static ig_status stored_total(ig_dyn_model *m, double *total) {
  tabling t = {0};
  if (ig_dyn_alone(m))
    return m->ops->totals(m->cx, m->contact.stored.dev,
                          (int64_t)m->p.contact.surfaces + m->p.edges.count, 1, 0, 1,
                          m->partial.dev, total);
  ig_status status = ig_ranks_agree(m->cx, ig_dyn_totals_new(m->cx, 1, &t.total));
  if (status == IG_OK)
    status = ig_dyn_part_stored(m, table_put, &t);
  ig_dyn_totals_end(&t.total, total);
  return status;
}

/* Energies of the elements of group k, color by color; on several ranks elements have no colors. */
static ig_status group_total(ig_dyn_model *m, int k, double sum[2]) {
  const ig_dyn_group *g = &m->group[k];
  const ig_status status = report_group(m, k);
  const bool alone = ig_dyn_alone(m);
  for (int c = 0; c < (alone ? g->colors : 1); c++) {
    const ig_lid begin = alone ? g->begin[c] : 0, end = alone ? g->end[c] : g->slots;
    double part[2] = {0};
    IG_TRY(table_total(m, status, alone ? NULL : &m->division->group[k], begin, end - begin,
                       IG_DYN_REPORT, IG_REPORT_ENERGY, 2, part));
    sum[0] += part[0];
    sum[1] += part[1];
  }
  return status;
}

/* The scratch holds energies of particles first and reports of one group after the other then; each
   is summed before the next overwrites it. Collective. */
static ig_status sums_find(ig_dyn_model *m, energy_sums *s) {
  const ig_status status = m->p.nodes > 0 ? m->ops->energy(m->cx, &m->p, m->scratch.dev) : IG_OK;
  IG_TRY(table_total(m, status, &m->division->nodes, 0, m->p.nodes, N, 0, N, s->particle));
  if (ig_dyn_touches(m))
    IG_TRY(stored_total(m, &s->stored));
  for (int k = 0; k < m->groups; k++)
    IG_TRY(group_total(m, k, s->element));
  ig_dyn_solids_energy(m, s->element);
  return IG_OK;
}

/* Kinetic energy of added mass. */
typedef struct {
  const ig_dyn_model *m;
  double sum;
} scaling;
static void scaling_row(void *user, int64_t n, double *row) {
  const ig_dyn_model *m = ((const scaling *)user)->m;
  row[0] = m->weight.added[n];
  for (int c = 0; c < 3; c++)
    row[1 + c] = ig_dyn_get(m, &m->v, n * m->p.dofs + c);
}
static void scaling_add(void *user, const double *row) {
  scaling *s = user;
  for (int c = 0; c < 3; c++)
    s->sum += 0.5 * row[0] * pow(row[1 + c], 2);
}

static ig_status scaling_find(ig_dyn_model *m, double *sum) {
  scaling s = {m, 0};
  if (!(m->weight.scaled > 0))
    return IG_OK;
  const ig_status pulled = ig_array_pull(m->cx, &m->v);
  const ig_status status = ig_dyn_particles_add(m, pulled, 4, scaling_row, scaling_add, &s);
  *sum = s.sum;
  return status;
}

/* The balance: left = kinetic + internal + damping, put = start + external + contact. Its error
   is relative to the largest energy that occurs. */
static ig_status energies_find(ig_dyn_model *m, ig_dyn_energy *e) {
  energy_sums s = {{0}, {0}, 0, 0};
  memset(e, 0, sizeof *e);
  IG_TRY(forces_now(m));
  IG_TRY(sums_find(m, &s));
  IG_TRY(scaling_find(m, &s.scaling));
  e->kinetic = s.particle[0];
  e->plain = s.particle[1];
  e->external = s.particle[2 + IG_WORK_EXTERNAL];
  e->damping = s.particle[2 + IG_WORK_DAMPING];
  e->contact = s.particle[2 + IG_WORK_CONTACT];
  e->internal = s.element[0];
  e->plastic = s.element[1];
  e->stored = s.stored;
  e->scaling = s.scaling;
  for (int k = 0; k < m->c->bodies.count; k++) {
    const ig_dyn_body *b = ig_dyn_bodies_all(m) + k;
    e->kinetic += b->kinetic;
    e->plain += b->plain;
    e->external += b->work[IG_WORK_EXTERNAL] + b->half[IG_WORK_EXTERNAL];
    e->damping += b->work[IG_WORK_DAMPING] + b->half[IG_WORK_DAMPING];
  }
  /* before the first step nothing has acted on the velocities yet, not even a tool that stops them
   */
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  const bool first = ((const ig_dyn_clock *)m->clock.host)->before == 0;
  const double left = (first ? e->plain : e->kinetic) + e->internal + e->damping;
  /* surfaces that touch store energy and rub: what they give beyond that is an error */
  e->made = e->contact + e->stored;
  e->contact += s.particle[2 + IG_WORK_TOOL];
  const double put =
      m->balance.energy + e->external + e->contact - fmax(0, e->made - m->balance.made);
  const double scale =
      fmax(fmax(e->plain, e->internal),
           fmax(fmax(fabs(m->balance.energy), fabs(e->external)), fmax(fabs(e->contact), 1e-300)));
  e->error = (left - put) / scale;
  return IG_OK;
}

/* On ranks the first one's sums hold for all. */
ig_status ig_dyn_energies(ig_dyn_model *m, ig_dyn_energy *e) {
  return ig_dyn_share(m, energies_find(m, e), e, sizeof *e);
}

double ig_dyn_gravity_now(const ig_dyn_model *m, int c) {
  const double time = ((const ig_dyn_clock *)m->clock.host)->time;
  return m->p.loads.has_gravity
             ? m->p.loads.gravity[c] * ig_history_at(m->p.loads.gravity_history,
                                                     m->held.history_x.host, m->held.history_y.host,
                                                     time)
             : 0;
}
