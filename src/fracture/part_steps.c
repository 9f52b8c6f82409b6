/* A divided model: its steps, and its state gathered. */
#include "fracture/part.h"

#include <stdlib.h>
#include <string.h>

/* An item over a list. */
static ig_status run_list(ig_frac_model *m, ig_frac_item item, const ig_frac_list *list) {
  ig_frac_state s = m->s;
  s.pick = list->a.dev;
  return list->count ? m->ops->run(m->cx, m->kind, m->wide, item, &s, 0, list->count) : IG_OK;
}

/* Elements of a list; they have an order of their own, which their drivers know. */
static ig_status elements(ig_frac_model *m, const ig_frac_list *list) {
  ig_frac_state s = m->s;
  s.topo.order = list->a.dev;
  return list->count ? m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_element, &s, 0, list->count)
                     : IG_OK;
}

/* Displacements of a layer; velocities too where contact needs them. */
static int moving(const ig_frac_model *m, int layer, ig_halo_array array[2]) {
  const size_t item = (size_t)m->shape.dim * (m->wide ? 8 : 4);
  array[0] = (ig_halo_array){m->s.nodal.u, item};
  array[1] = (ig_halo_array){m->s.nodal.v, item};
  return layer == IG_FRAC_ALL || (layer == IG_FRAC_NEAR && m->s.zone.law.rigid) ? 2 : 1;
}

/* --- the check */

/* Facets that near elements would have opened, on the host. */
static ig_status marks_read(ig_frac_model *m, int32_t **list, int64_t *count) {
  ig_frac_state *s = &m->s;
  IG_TRY(run_list(m, IG_FRAC_stress, &m->divided->stressed));
  IG_TRY(run_list(m, IG_FRAC_average, &m->divided->averaged));
  IG_TRY(run_list(m, IG_FRAC_check, &m->divided->facets));
  IG_TRY(ig_frac_model_pass(m, 0)); /* lists them */
  IG_TRY(ig_frac_count_pull(m));
  *count = m->count.broken;
  IG_TRY(IG_NEW(m->cx, list, (size_t)*count + 1, "facets to open"));
  return *count ? m->cx->backend->copy_out(m->cx, *list, s->grow.opened,
                                           (size_t)*count * sizeof **list)
                : IG_OK;
}

static int by_number(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Those of all ranks, into `marked`: each once. `most`: of one rank. */
static ig_status marks_share(ig_frac_model *m, const int32_t *mine, int64_t count, int64_t most) {
  ig_frac_part *p = m->divided;
  const int64_t width = most + 1;
  int32_t *all;
  ig_status status = IG_NEW(m->cx, &all, (size_t)(width * p->ranks), "facets to open");
  if (status == IG_OK && p->marked.a.count < (size_t)(most * p->ranks)) {
    ig_array_free(m->cx, &p->marked.a);
    status = ig_array_new(m->cx, &p->marked.a, (size_t)(2 * most * p->ranks), sizeof(int32_t),
                          "facets to open");
  }
  status = ig_ranks_agree(m->cx, status);
  for (int r = 0; r < p->ranks && status == IG_OK; r++) {
    int32_t *row = all + r * width;
    if (r == p->rank) {
      row[0] = (int32_t)count;
      memcpy(row + 1, mine, (size_t)count * sizeof *row);
    }
    status = ig_ranks_share(m->cx, r, row, (size_t)width * sizeof *row);
  }
  p->marked.count = 0;
  int32_t *to = p->marked.a.host;
  for (int r = 0; r < p->ranks && status == IG_OK; r++)
    for (int32_t i = 0; i < all[r * width]; i++)
      to[p->marked.count++] = all[r * width + 1 + i];
  free(all);
  IG_TRY(status);
  qsort(to, (size_t)p->marked.count, sizeof *to, by_number);
  int64_t kept = 0;
  for (int64_t i = 0; i < p->marked.count; i++)
    if (i == 0 || to[i] != to[i - 1])
      to[kept++] = to[i];
  p->marked.count = kept;
  return ig_array_push(m->cx, &p->marked.a);
}

/* All ranks open the same facets by the same passes. */
static ig_status open_marked(ig_frac_model *m) {
  ig_frac_part *p = m->divided;
  IG_TRY(run_list(m, IG_FRAC_mark, &p->marked));
  do {
    if (m->count.full)
      IG_TRY(ig_frac_tables_grow(m));
    for (int pass = 0; pass < IG_FRAC_PASSES; pass++)
      IG_TRY(ig_frac_model_pass(m, pass));
    IG_TRY(ig_frac_count_pull(m));
  } while (m->count.full);
  IG_TRY(run_list(m, IG_FRAC_unmark, &p->marked));
  return ig_frac_part_grow(m);
}

/* All ranks take part, also one that has failed (`status`), and all learn of it. */
static ig_status check(ig_frac_model *m, ig_status status) {
  int32_t *mine = NULL;
  int64_t count = 0;
  ig_halo_array move[2];
  const int arrays = moving(m, IG_FRAC_FAR, move);
  status = ig_halo_refresh_all(m->cx, &m->divided->halo[IG_FRAC_FAR], move, arrays, status);
  if (status == IG_OK)
    status = marks_read(m, &mine, &count);
  int64_t most = count;
  status = ig_ranks_most(m->cx, status, &most, 1);
  if (status == IG_OK && most > 0) {
    status = marks_share(m, mine, count, most);
    if (status == IG_OK)
      status = open_marked(m);
  } else if (status == IG_OK) {
    m->count.touched = 0; /* as the passes would leave it */
    status = ig_frac_count_push(m);
  }
  free(mine);
  return ig_ranks_agree(m->cx, status);
}

/* --- steps */

/* Surfaces that touch: which facets are free hangs on the state of all cohesive elements. */
static ig_status surfaces(ig_frac_model *m, ig_status status) {
  if (!m->s.surface.on)
    return status;
  status = ig_halo_refresh(m->cx, &m->divided->crack_halo, m->s.crack.state,
                           (size_t)(m->shape.points * m->shape.state) * (m->wide ? 8 : 4), status);
  return status == IG_OK ? ig_frac_model_surfaces(m) : status;
}

/* A rank that fails goes on exchanging, for the others wait for it. */
static ig_status force(ig_frac_model *m, ig_status status) {
  ig_frac_part *p = m->divided;
  const bool ahead = p->ahead;
  p->ahead = false;
  if (status == IG_OK)
    status = run_list(m, IG_FRAC_load, &m->divided->loads);
  if (status == IG_OK)
    status = run_list(m, IG_FRAC_cohesive, &m->divided->cohesive);
  status = surfaces(m, status);
  if (status == IG_OK)
    status = elements(m, ahead ? &p->outer : &p->elements);
  if (status == IG_OK && ahead)
    status = elements(m, &p->joint);
  return status == IG_OK && m->s.zone.law.rigid ? run_list(m, IG_FRAC_contact, &p->touching)
                                                : status;
}

static bool due(const ig_frac_model *m, int64_t step) {
  return m->check_every && step % m->check_every == 0;
}

ig_status ig_frac_part_begin(ig_frac_model *m) {
  m->divided->stale = true;
  if (due(m, m->count.step))
    IG_TRY(check(m, IG_OK));
  return force(m, IG_OK);
}

/* ahead: what can be computed of the next step's forces is, while ghosts travel. */
static ig_status finish(ig_frac_model *m, bool ahead, ig_status status) {
  const int layer = m->s.surface.on ? IG_FRAC_ALL : IG_FRAC_NEAR;
  ig_halo *halo = &m->divided->halo[layer];
  ig_halo_array move[2];
  const int arrays = moving(m, layer, move);
  const ig_frac_list *nodes = &m->divided->nodes;
  if (status == IG_OK)
    status = run_list(m, IG_FRAC_node, nodes);
  if (status == IG_OK && nodes->count == 0 && m->cx->backend->kernels == IG_KERNELS_CUDA) {
    status = ig_frac_count_pull(m); /* there the last node counts the step */
    m->count.step++;
    if (status == IG_OK)
      status = ig_frac_count_push(m);
  } else if (status == IG_OK)
    status = m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_advance, &m->s, 0, 1);
  status = ig_halo_start(m->cx, halo, move, arrays, status);
  if (status == IG_OK && ahead) {
    status = elements(m, &m->divided->inner);
    m->divided->ahead = true;
  }
  return ig_halo_finish(m->cx, halo, move, arrays, status);
}

ig_status ig_frac_part_run(ig_frac_model *m, int64_t step) {
  ig_status status = IG_OK;
  m->divided->stale = true;
  for (int64_t i = m->count.step; i < step; i++) {
    if (!m->begun && due(m, i)) {
      status = check(m, status);
      IG_TRY(status); /* of all ranks alike */
    }
    if (!m->begun)
      status = force(m, status);
    m->begun = false;
    status = finish(m, i + 1 < step && !due(m, i + 1), status);
  }
  IG_TRY(status);
  return ig_frac_count_pull(m);
}

/* --- the state on rank 0 */

typedef struct {
  ig_collect nodes, elements, cohesive, loads;
} collects;

static ig_status collect_make(ig_frac_model *m, const int32_t *owner, int64_t count,
                              ig_collect *c) {
  const ig_frac_part *p = m->divided;
  const ig_part part = {.rank = p->rank, .ranks = p->ranks};
  int32_t *mine;
  int64_t own = 0;
  IG_TRY(IG_NEW(m->cx, &mine, (size_t)count + 1, "own items"));
  for (int64_t i = 0; i < count; i++)
    if (owner[i] == p->rank)
      mine[own++] = (int32_t)i;
  return ig_collect_new(m->cx, &part, owner, count, mine, own, c);
}

static ig_status collects_make(ig_frac_model *m, int32_t *owner, collects *c) {
  const ig_frac_part *p = m->divided;
  const int faces = m->shape.faces;
  void *coh;
  for (int32_t n = 0; n < m->count.nodes; n++)
    owner[n] = p->owner[p->origin[n]];
  IG_TRY(collect_make(m, owner, m->count.nodes, &c->nodes));
  IG_TRY(collect_make(m, p->element_owner, m->s.ne, &c->elements));
  IG_TRY(ig_frac_model_pull(m, "coh", &coh));
  for (int64_t i = 0; i < m->count.cohesive; i++)
    owner[i] = p->element_owner[((int32_t *)coh)[2 * i] / faces];
  IG_TRY(collect_make(m, owner, m->count.cohesive, &c->cohesive));
  for (int32_t k = 0; k < m->s.drive.loads_on; k++)
    owner[k] = p->element_owner[m->load_face[3 * k] / faces];
  return collect_make(m, owner, m->s.drive.loads_on, &c->loads);
}

/* `columns` of one table after another. */
static ig_status table_gather(ig_frac_model *m, const ig_collect *c, const char *name,
                              int columns) {
  const ig_frac_table *t = ig_frac_table_find(m, name);
  const size_t size = t->a.size * (size_t)(t->width / columns);
  for (int i = 0; i < columns; i++) {
    char *at = (char *)t->a.dev + (size_t)i * (size_t)c->whole_count * size;
    IG_TRY(ig_collect_items(m->cx, c, at, c->whole_count, size, at));
  }
  return IG_OK;
}

static ig_status tables_gather(ig_frac_model *m, const collects *c) {
  static const char *const node[] = {"u", "v", "work"}, *const crack[] = {"cs", "cf", "cwork"},
                           *const load[] = {"lf", "lwork"};
  for (int i = 0; i < 3; i++)
    IG_TRY(table_gather(m, &c->nodes, node[i], 1));
  for (int i = 0; i < 3 && m->count.cohesive; i++)
    IG_TRY(table_gather(m, &c->cohesive, crack[i], 1));
  for (int i = 0; i < 2 && m->s.drive.loads_on; i++)
    IG_TRY(table_gather(m, &c->loads, load[i], 1));
  if (m->s.zone.law.rigid) {
    IG_TRY(table_gather(m, &c->elements, "fc", m->shape.nodes));
    IG_TRY(table_gather(m, &c->elements, "impact", 1));
  }
  return table_gather(m, &c->elements, "fe", m->shape.nodes);
}

ig_status ig_frac_gather(ig_frac_model *m) {
  collects c = {0};
  int32_t *owner = NULL;
  if (!m->divided || !m->divided->stale)
    return IG_OK;
  int64_t most = m->count.nodes > m->count.cohesive ? m->count.nodes : m->count.cohesive;
  most = most > m->s.drive.loads_on ? most : m->s.drive.loads_on;
  ig_status status = IG_NEW(m->cx, &owner, (size_t)most + 1, "owners");
  if (status == IG_OK)
    status = collects_make(m, owner, &c);
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = tables_gather(m, &c);
  ig_collect_free(&c.nodes);
  ig_collect_free(&c.elements);
  ig_collect_free(&c.cohesive);
  ig_collect_free(&c.loads);
  free(owner);
  if (status == IG_OK)
    m->divided->stale = false;
  return status;
}
