/* Steps. The host decides when, the device does the rest.

   Functions follow a step from its passes (check, force, finish) to blocks of steps. The status
   of a rank is handed from pass to pass instead of returned at once, where others wait for its
   messages.

   Time line of one rank with check_every = 3 (c: check, s: step):

        c s s s | c s s s | c s s s        each bar ends a block, one graph on a GPU
                  ^ table full: kernels after it do nothing; the host grows tables and repeats c

   On several ranks each step is: forces of elements without ghosts (computed ahead while
   messages travelled), forces of the rest, node update, send, next step's inner elements,
   receive. */
#include "fracture/engine/tables.h"

#include <math.h>

/* The step is part of the state that graphs have recorded. */
void ig_frac_model_set_step(ig_frac_model *m, double dt) {
  m->s.dt = dt;
  ig_frac_graph_drop(m);
}

/* dt = 2 / omega_max, omega^2 the largest eigenvalue of any single element, an upper bound of
   that of the mesh. 1.01 covers what 24 power iterations leave. */
static ig_status critical(ig_frac_model *m, double *dt) {
  ig_array limit;
  double most;
  IG_TRY(ig_array_new_device(m->cx, &limit, (size_t)m->s.ne, sizeof(double), "critical step"));
  m->s.limit = limit.dev;
  ig_status status = ig_frac_run(m, IG_FRAC_critical, 0, m->s.ne);
  if (status == IG_OK)
    status = m->cx->backend->absmax_f64(m->cx, (size_t)m->s.ne, limit.dev, &most);
  m->s.limit = NULL;
  ig_array_free(m->cx, &limit);
  IG_TRY(status);
  *dt = 2 / sqrt(1.01 * most); /* the iteration comes from below */
  return IG_OK;
}

ig_status ig_frac_model_critical(ig_frac_model *m, double *bulk, double *with_facets) {
  const double penalty = m->s.zone.penalty;
  m->s.zone.penalty = 0;
  const ig_status status = critical(m, bulk);
  m->s.zone.penalty = penalty;
  IG_TRY(status);
  *with_facets = *bulk;
  return penalty > 0 ? critical(m, with_facets) : IG_OK;
}

/* --- passes of a step */

/* Runs an item over all there are, at most `most`; on several ranks over a list of the part's. */
static ig_status over(ig_frac_model *m, ig_frac_item item, const ig_frac_list *list, int64_t most) {
  return m->part.ranks == 1 ? ig_frac_run_all(m, item, most) : ig_frac_run_list(m, item, list);
}

/* All seven passes; where nothing is marked they end at once. */
static ig_status insert(ig_frac_model *m) {
  for (int pass = 0; pass < IG_FRAC_PASSES; pass++)
    IG_TRY(ig_frac_model_pass(m, pass));
  return IG_OK;
}

/* Facets against their strength: those beyond it are marked. */
static ig_status facets_mark(ig_frac_model *m) {
  IG_TRY(over(m, IG_FRAC_stress, &m->part.stressed, m->s.ne));
  IG_TRY(over(m, IG_FRAC_average, &m->part.averaged, m->s.node_max));
  return over(m, IG_FRAC_check, &m->part.facets, (int64_t)m->shape.faces * m->s.ne);
}

/* Far ghosts first: stresses at near nodes need far elements. */
static ig_status check(ig_frac_model *m, ig_status status) {
  status = ig_frac_part_far(m, status);
  if (status == IG_OK)
    status = facets_mark(m);
  if (m->part.ranks > 1)
    return ig_frac_part_insert(m, status);
  return status == IG_OK ? insert(m) : status;
}

/* Border nodes of clusters and loose ones, by `item`. Threads take more than one where there are
   many of these. */
enum { LOOSE_AT_ONCE = 1 << 14 };
/* patch: a cluster's elements; border: nodes between clusters, and loose nodes. */
static ig_status clusters(ig_frac_model *m, ig_frac_item patch, ig_frac_item border) {
  IG_TRY(ig_frac_run(m, patch, 0, m->cluster.count));
  return ig_frac_run_all(m, border, m->cluster.borders + LOOSE_AT_ONCE);
}
/* Whether a node moves where its forces are summed: nothing else waits for them. */
static bool moves_at_once(const ig_frac_model *m) {
  return m->s.how == IG_CLUSTER && !m->s.zone.law.rigid && !m->s.surface.on;
}

/* All elements; on several ranks those of a list, whose order is the drivers' own.
   list: of the part; NULL on one rank. With `color`, one launch per color. */
static ig_status elements(ig_frac_model *m, const ig_frac_list *list) {
  if (m->part.ranks > 1) {
    ig_frac_state s = m->s;
    s.topo.order = list->a.dev;
    return list->count ? m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_element, &s, 0, list->count)
                       : IG_OK;
  }
  if (m->s.how == IG_CLUSTER)
    return clusters(m, IG_FRAC_patch, IG_FRAC_border);
  if (m->s.how != IG_COLOR)
    IG_TRY(ig_frac_run_all(m, IG_FRAC_element, m->s.ne));
  for (int c = 0; c < m->colors; c++)
    IG_TRY(ig_frac_run(m, IG_FRAC_element, m->color_start[c],
                       m->color_start[c + 1] - m->color_start[c]));
  return IG_OK;
}

/* For the balance of residual stress: element forces only, summed into f. */
ig_status ig_frac_model_forces(ig_frac_model *m) {
  if (m->s.how != IG_GATHER)
    IG_TRY(ig_array_zero(m->cx, ig_arrays_at(&m->arrays, "f")));
  IG_TRY(elements(m, NULL));
  return m->s.how == IG_GATHER ? ig_frac_run_all(m, IG_FRAC_total, m->s.node_max) : IG_OK;
}

/* Buckets emptied, free facets linked, nodes press, nodes collect reactions. */
ig_status ig_frac_model_surfaces(ig_frac_model *m) {
  IG_TRY(ig_frac_run_all(m, IG_FRAC_wipe, (int64_t)m->s.surface.bins.mask + 1));
  IG_TRY(ig_frac_run_all(m, IG_FRAC_link, (int64_t)m->shape.faces * m->s.ne));
  IG_TRY(ig_frac_run_all(m, IG_FRAC_press, m->s.node_max));
  return ig_frac_run_all(m, IG_FRAC_react, m->s.node_max);
}

/* Loads and cohesive elements write forces of their own; elements deliver them (step.inc,
   attached). */
static ig_status pulls(ig_frac_model *m) {
  IG_TRY(over(m, IG_FRAC_load, &m->part.loads, m->s.drive.loads_on));
  return over(m, IG_FRAC_cohesive, &m->part.cohesive, m->s.coh_max);
}

static ig_status surfaces(ig_frac_model *m, ig_status status) {
  if (m->part.ranks > 1)
    return ig_frac_part_surfaces(m, status);
  return status == IG_OK && m->s.surface.on ? ig_frac_model_surfaces(m) : status;
}

/* Forces of all kinds. A rank that has failed goes on exchanging, for the others wait for it. */
static ig_status force(ig_frac_model *m, ig_status status) {
  ig_frac_part *p = &m->part;
  const bool ahead = p->ahead;
  p->ahead = false;
  if (status == IG_OK)
    status = pulls(m);
  status = surfaces(m, status);
  if (status == IG_OK)
    status = elements(m, ahead ? &p->late : &p->elements);
  return status == IG_OK && m->s.zone.law.rigid ? over(m, IG_FRAC_contact, &p->touching, m->s.ne)
                                                : status;
}

/* Newmark update of the nodes; the step is done.
   On CUDA the node kernel itself counts the step; a rank without nodes has no such launch and
   counts on the host. */
static ig_status nodes_move(ig_frac_model *m) {
  const bool none = m->part.ranks > 1 && m->part.nodes.count == 0;
  IG_TRY(over(m, IG_FRAC_node, &m->part.nodes, m->s.node_max));
  if (!none || m->cx->backend->kernels != IG_KERNELS_CUDA)
    return ig_frac_run_all(m, IG_FRAC_advance, 1);
  IG_TRY(ig_frac_count_pull(m)); /* there the last node counts the step */
  m->count.step++;
  return ig_frac_count_push(m);
}

/* Whether facets are checked before this step. */
static bool due(const ig_frac_model *m, int64_t step) {
  return m->check_every && step % m->check_every == 0;
}

/* The end of a step. While ghosts travel, what can be computed of the next step's forces is, if it
   comes at once (`ahead`): a check changes no force of an element, and one of whose facets opens is
   computed again. */
static ig_status finish(ig_frac_model *m, int64_t next, bool ahead, ig_status status) {
  if (status == IG_OK)
    status = nodes_move(m);
  status = ig_frac_part_send(m, due(m, next), status);
  if (status == IG_OK && ahead && m->part.ranks > 1) {
    status = elements(m, &m->part.inner);
    m->part.ahead = true;
  }
  return ig_frac_part_receive(m, due(m, next), status);
}

/* --- steps */

ig_status ig_frac_model_stress(ig_frac_model *m) {
  return over(m, IG_FRAC_stress, &m->part.elements, m->s.ne);
}

/* A pass that stops where tables are full is taken again after they have grown. */
static ig_status until_it_fits(ig_frac_model *m, ig_status (*pass)(ig_frac_model *)) {
  while (true) {
    IG_TRY(pass(m));
    IG_TRY(ig_frac_count_pull(m));
    if (!m->count.full)
      return IG_OK;
    IG_TRY(ig_frac_tables_grow(m));
  }
}

/* Outside of steps: notches, and the benchmark. HOLD is what checks use. */
ig_status ig_frac_model_insert(ig_frac_model *m, ig_frac_opening into) {
  m->s.zone.opening = into;
  ig_frac_graph_drop(m);
  IG_TRY(until_it_fits(m, insert));
  m->s.zone.opening = IG_FRAC_HOLD;
  return IG_OK;
}

static ig_status check_now(ig_frac_model *m) {
  return check(m, IG_OK);
}

/* A step in two halves: figures need forces at the full step, the update follows in
   ig_frac_model_run (finish). */
ig_status ig_frac_model_ready(ig_frac_model *m) {
  if (!m->begun) {
    if (due(m, m->count.step))
      IG_TRY(until_it_fits(m, check_now));
    IG_TRY(force(m, IG_OK));
    m->begun = true;
  }
  return ig_frac_count_pull(m);
}

/* The forces of facets and of contact are in the checkpoint, as they depend on the step before too;
   those of elements follow from the displacements. */
ig_status ig_frac_model_resume_forces(ig_frac_model *m, bool begun) {
  m->begun = begun;
  if (m->s.how != IG_GATHER)
    IG_TRY(ig_array_zero(m->cx, ig_arrays_at(&m->arrays, "f")));
  return begun ? elements(m, &m->part.elements) : IG_OK;
}

/* moves_at_once: clusters without contact need no separate pass over nodes. */
static ig_status steps(ig_frac_model *m, int64_t from, int64_t to) {
  ig_status status = IG_OK;
  for (int64_t i = from; i < to; i++) {
    if (due(m, i))
      IG_TRY(check(m, status)); /* of all ranks alike */
    if (moves_at_once(m)) {
      IG_TRY(pulls(m));
      IG_TRY(clusters(m, IG_FRAC_patch_move, IG_FRAC_move));
      IG_TRY(ig_frac_run_all(m, IG_FRAC_advance, 1));
      continue;
    }
    status = force(m, status);
    status = finish(m, i + 1, i + 1 < to, status);
  }
  return status;
}

/* Steps up to `to`, by a graph of a block of steps where the backend has these.
   A block begins at a multiple of check_every, so that one recorded graph fits all. 256 replays
   at most per call: the host can be interrupted in between. */
static ig_status block_run(ig_frac_model *m, int64_t block, int64_t to) {
  const int64_t at = m->count.step, next = (at / block + 1) * block;
  if (at % block || next > to || !m->cx->backend->graph_begin)
    return steps(m, at, next < to ? next : to);
  if (!m->graph) {
    IG_TRY(m->cx->backend->graph_begin(m->cx));
    const ig_status status = steps(m, at, next);
    const ig_status ended = m->cx->backend->graph_end(m->cx, &m->graph);
    IG_TRY(status);
    IG_TRY(ended);
  }
  const int64_t times = (to - at) / block;
  return m->cx->backend->graph_run(m->cx, m->graph, times > 256 ? 256 : (int)times);
}

/* Whole blocks between checks are replayed as one graph where the backend has them. A table that
   fills up stops every kernel that follows: the step then stands at that check, the host makes
   space and goes on from there. On several ranks the host takes part in each step. */
ig_status ig_frac_model_run(ig_frac_model *m, int64_t step) {
  const bool one = m->part.ranks == 1;
  if (m->begun && m->count.step < step) {
    const int64_t next = m->count.step + 1;
    IG_TRY(finish(m, next, next < step, IG_OK));
    m->count.step = next;
    m->begun = false;
  }
  while (m->count.step < step) {
    IG_TRY(one ? block_run(m, m->check_every ? m->check_every : 16, step)
               : steps(m, m->count.step, step));
    IG_TRY(ig_frac_count_pull(m));
    if (m->count.full)
      IG_TRY(ig_frac_tables_grow(m));
    if (one && m->cx->interrupted)
      break;
  }
  m->part.total.count.step = m->count.step;
  return IG_OK;
}

/* Each once: an element reads its nodes' numbers; a node its record, position, force and mass, and
   has displacement and velocity read and written. Gather adds the slots, written and read, and
   their list; the others the sums, added to and cleared. */
double ig_frac_model_bytes(const ig_frac_model *m) {
  const double real = m->wide ? 8 : 4, dim = m->shape.dim, nn = m->shape.nodes,
               elements = (double)ig_frac_all(m, IG_FRAC_PER_ELEMENT),
               nodes = ig_frac_counts(m)->nodes;
  if (m->s.how == IG_CLUSTER)
    return elements * 2 + ig_clusters_bytes(&m->cluster, m->shape.nodes, dim * real) +
           nodes * (real * (5 * dim + 1) + sizeof(ig_frac_node));
  const double slots = m->s.how == IG_GATHER ? nn * (2 * dim * real + 4) : 0;
  const double sums = m->s.how == IG_GATHER ? 0 : 3 * dim * real;
  return elements * (nn * 4 + 1 + slots) +
         nodes * (real * (5 * dim + 1) + sizeof(ig_frac_node) + sums);
}

/* Sums by chunks of fixed size on the device, chunks in order on the host: the same bits for any
   number of threads. */
static ig_status sums_find(ig_frac_model *m, double sum[IG_FRAC_SUMS]) {
  int64_t n = m->s.ne > m->count.nodes ? m->s.ne : m->count.nodes;
  n = n > m->count.cohesive ? n : m->count.cohesive;
  n = n > m->s.drive.loads_on ? n : m->s.drive.loads_on;
  const int64_t chunks = (n + IG_FRAC_CHUNK - 1) / IG_FRAC_CHUNK;
  IG_TRY(ig_frac_run(m, IG_FRAC_figures, 0, chunks));
  const ig_array *part = ig_arrays_at(&m->arrays, "part");
  IG_TRY(m->cx->backend->copy_out(m->cx, part->host, part->dev,
                                  (size_t)chunks * IG_FRAC_SUMS * sizeof *sum));
  for (int64_t i = 0; i < chunks; i++)
    for (int k = 0; k < IG_FRAC_SUMS; k++)
      sum[k] += ((double *)part->host)[i * IG_FRAC_SUMS + k];
  return IG_OK;
}

/* Needs the forces of the current step, which it computes ahead if they are not there (`begun`). */
ig_status ig_frac_model_figures(ig_frac_model *m, double figures[IG_FRAC_FIGURES]) {
  double sum[IG_FRAC_SUMS] = {0};
  IG_TRY(ig_frac_model_ready(m));
  IG_TRY(m->part.ranks > 1 ? ig_frac_part_sums(m, sum) : sums_find(m, sum));
  const double *bulk = sum + IG_FRAC_BULK_SUMS, *node = sum + IG_FRAC_NODE_SUMS,
               *crack = sum + IG_FRAC_CRACK_SUMS;
  figures[IG_FRAC_KINETIC] = node[IG_FRAC_ROW_KINETIC];
  figures[IG_FRAC_STRAIN] = bulk[IG_FRAC_ROW_STRAIN];
  figures[IG_FRAC_EXTERNAL] = node[IG_FRAC_ROW_EXTERNAL] + sum[IG_FRAC_LOAD_SUMS];
  figures[IG_FRAC_COHESIVE_WORK] =
      crack[IG_FRAC_ROW_WORK] + bulk[IG_FRAC_ROW_IMPACT] + node[IG_FRAC_ROW_SURFACE];
  figures[IG_FRAC_RETURNED] = crack[IG_FRAC_ROW_RETURNED];
  figures[IG_FRAC_RECOVERABLE] = crack[IG_FRAC_ROW_RECOVERABLE];
  figures[IG_FRAC_CONTACT] = crack[IG_FRAC_ROW_CONTACT] + node[IG_FRAC_ROW_HELD];
  figures[IG_FRAC_OPENED] = crack[IG_FRAC_ROW_OPENED];
  figures[IG_FRAC_FAILED] = crack[IG_FRAC_ROW_FAILED];
  figures[IG_FRAC_SURFACE] = node[IG_FRAC_ROW_SURFACE];
  figures[IG_FRAC_TURNED] = bulk[IG_FRAC_ROW_TURNED];
  return IG_OK;
}

ig_status ig_frac_model_show(ig_frac_model *m) {
  IG_TRY(ig_frac_model_ready(m));
  return over(m, IG_FRAC_show, &m->part.nodes, m->count.nodes);
}

/* Largest separation so far over the final one, of normal and tangential opening the larger;
   least over the points. */
double ig_frac_model_damage(const ig_frac_model *m, int64_t c) {
  const int32_t *coh = ig_arrays_at(&m->arrays, "coh")->host;
  const ig_cohesive *law = &m->s.zone.law;
  if (m->laws)
    law = m->laws + ((uint8_t *)ig_arrays_at(&m->arrays, "facet_law")->host)[coh[2 * c]];
  const void *cs = ig_arrays_at(&m->arrays, "cs")->host;
  const double f = ig_frac_model_real(m, ig_arrays_at(&m->arrays, "cw")->host, c);
  double least = 1;
  for (int p = 0; p < m->shape.points; p++) {
    const int64_t at = (c * m->shape.points + p) * m->shape.state + 2 * m->shape.dim;
    const double n = ig_frac_model_real(m, cs, at) * law->over_n * f;
    const double t = ig_frac_model_real(m, cs, at + 1) * law->over_t * f;
    least = fmin(least, fmax(n, t));
  }
  return least;
}
