/* Probes: what a case asks of nodes and elements, as columns of the history. They hold no state.

   A probe is one quantity: mean motion or total reaction of nodes, or mean stress of elements.
   Values are gathered by ig_collect_rows in the order of the probe's set and added there, so
   that the sum does not depend on ranks. */
#include "core/sorted.h"
#include "fracture/run.h"
#include "fracture/engine/tables.h"
#include "mesh/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* own.mine: items of the part; own.whole: their places in the probe's set. */
typedef struct {
  const ig_frac_probe_case *c;
  ig_collect own; /* nodes of the mesh as it was, or elements: those of the part */
  char column[64];
} probe;
/* Made once per run; names and units point into the case. */
struct ig_frac_probes {
  int count;
  bool shows, stresses; /* some of them need velocities or forces; stresses */
  probe probe[];
};

void ig_frac_probes_free(ig_frac_probes *all) {
  for (int i = 0; all && i < all->count; i++)
    ig_collect_free(&all->probe[i].own);
  free(all);
}

int ig_frac_probes_count(const ig_frac_model *m) {
  return m->probes ? m->probes->count : 0;
}

bool ig_frac_probes_shows(const ig_frac_model *m) {
  return m->probes && m->probes->shows;
}

/* Quantities are three by three: u, v, f; then stresses. */
static const char *unit_of(const ig_frac_probe_case *c) {
  static const char *const unit[] = {"m", "m/s", "N"};
  return c->quantity < IG_FRAC_PROBE_STRESS ? unit[c->quantity / 3] : "Pa";
}

/* Whether some support holds that component of one of the nodes. */
static bool held(ig_frac_model *m, const ig_collect *at, int d) {
  const ig_frac_node *node = ig_frac_model_host(m, "node");
  const int32_t *row = ig_frac_model_host(m, "bc_row");
  for (int64_t i = 0; i < at->mine_count; i++) {
    const int32_t bc = node[at->mine[i]].bc;
    if (bc >= 0 && row[3 * bc + d] >= 0)
      return true;
  }
  return false;
}

/* Nodes are those of the mesh before cracks; copies are found when values are read. */
static ig_status probe_open(ig_job *job, ig_frac_model *m, int i) {
  const ig_frac_case *all = job->room_case;
  const ig_frac_probe_case *c = IG_ITEM(const ig_frac_probe_case, all->probes, i);
  probe *p = &m->probes->probe[i];
  const int q = c->quantity;
  p->c = c;
  for (int j = 0; j < i; j++)
    if (strcmp(m->probes->probe[j].c->name, c->name) == 0)
      return ig_fail_at(job->cx, &c->at,
                        "there is a probe '%s' already: give this one its own name", c->name);
  const bool out = q < IG_FRAC_PROBE_STRESS ? q % 3 == 2
                   : q < IG_FRAC_PROBE_PRINCIPAL
                       ? q == IG_FRAC_PROBE_STRESS + 2 || q > IG_FRAC_PROBE_STRESS + 3
                       : false;
  if (m->shape.dim == 2 && out)
    return ig_fail_at(job->cx, &c->at, "probe '%s': a plane mesh has quantities of x and y alone",
                      c->name);
  ig_look look;
  IG_TRY(
      ig_look_find(job->cx, job->mesh, &c->at, c->set, c->point, q >= IG_FRAC_PROBE_STRESS, &look));
  p->own = (ig_collect){look.count, look.count, .mine = look.item};
  IG_TRY(IG_NEW(job->cx, &p->own.whole, (size_t)look.count + 1, "probes"));
  for (ig_lid k = 0; k < look.count; k++)
    p->own.whole[k] = k;
  if (q >= IG_FRAC_PROBE_FORCE && q < IG_FRAC_PROBE_STRESS && !held(m, &p->own, q % 3))
    ig_warn_at(job->cx, &c->at,
               "probe '%s': no support holds or leads these nodes in that direction: it stays 0",
               c->name);
  snprintf(p->column, sizeof p->column, "%.48s [%s]", c->name, unit_of(c));
  m->probes->shows |= q >= IG_FRAC_PROBE_VELOCITY && q < IG_FRAC_PROBE_STRESS;
  m->probes->stresses |= q >= IG_FRAC_PROBE_STRESS;
  return IG_OK;
}

ig_status ig_frac_probes_open(ig_job *job, ig_frac_model *m) {
  const ig_frac_case *c = job->room_case;
  const int n = c->probes.count;
  if (!n)
    return IG_OK;
  m->probes = calloc(1, sizeof *m->probes + (size_t)n * sizeof *m->probes->probe);
  if (!m->probes)
    return IG_FAIL(job->cx, IG_MEMORY, "no memory for %d probes", n);
  m->probes->count = n;
  for (int i = 0; i < n; i++)
    IG_TRY(probe_open(job, m, i));
  if (!m->probes->shows)
    return IG_OK;
  const ig_array_def def = {"shown",          &m->s.nodal.shown, IG_FRAC_PER_NODE,
                            2 * m->shape.dim, sizeof(double),    .flags = 0};
  return ig_frac_arrays_add(m, &def, 1);
}

/* Those of the part, of all there are. */
static void probe_divide(const ig_frac_model *m, probe *p) {
  const ig_frac_part *part = &m->part;
  const bool nodes = p->c->quantity < IG_FRAC_PROBE_STRESS;
  const int32_t *number = nodes ? part->mesh_node : part->element;
  const int32_t *owner = nodes ? part->owner : part->element_owner;
  const int32_t count = nodes ? m->nodes_start : m->s.ne;
  int64_t kept = 0;
  for (int64_t i = 0; i < p->own.mine_count; i++) {
    const int32_t at = ig_sorted_find(number, count, p->own.mine[i]);
    if (at < 0 || owner[at] != part->rank)
      continue;
    p->own.mine[kept] = at;
    p->own.whole[kept++] = p->own.whole[i];
  }
  p->own.mine_count = kept;
}

void ig_frac_probes_divide(ig_frac_model *m) {
  for (int i = 0; i < ig_frac_probes_count(m); i++)
    probe_divide(m, &m->probes->probe[i]);
}

/* --- values */

/* The copies of each node of the mesh: a chain, -1 at its end. */
typedef struct {
  int32_t *first; /* nodes of the mesh */
  int32_t *next;  /* nodes that came later, from the first of them */
} copies;

/* Chains by counting down, so that copies are in rising order. */
static ig_status copies_find(ig_frac_model *m, copies *all) {
  const int32_t start = m->nodes_start, more = m->count.nodes - start;
  void *node;
  if (more <= 0)
    return IG_OK;
  IG_TRY(ig_frac_model_pull(m, "node", &node));
  IG_TRY(IG_NEW(m->cx, &all->first, start, "probes"));
  IG_TRY(IG_NEW(m->cx, &all->next, more, "probes"));
  for (int32_t n = 0; n < start; n++)
    all->first[n] = -1;
  for (int32_t n = m->count.nodes - 1; n >= start; n--) {
    int32_t *first = &all->first[((ig_frac_node *)node)[n].origin];
    all->next[n - start] = *first;
    *first = n;
  }
  return IG_OK;
}

/* A probe's value on its way. */
typedef struct {
  const ig_frac_model *m;
  const probe *p;
  const copies *came;
  double sum;
} reading;

static int32_t next_copy(const reading *r, int32_t n) {
  const int32_t start = r->m->nodes_start;
  return !r->came->first ? -1 : n < start ? r->came->first[n] : r->came->next[n - start];
}

static double node_value(const reading *r, int64_t n) {
  const int quantity = r->p->c->quantity, dim = r->m->shape.dim, d = quantity % 3;
  if (quantity < IG_FRAC_PROBE_VELOCITY)
    return ig_frac_model_real(r->m, ig_frac_model_host(r->m, "u"), n * dim + d);
  const double *shown = ig_frac_model_host(r->m, "shown");
  return shown[(2 * n + (quantity >= IG_FRAC_PROBE_FORCE)) * dim + d];
}

/* Motions: mean over the nodes, where one came apart over its copies first, so that a crack alone
   changes nothing. Forces: the sum over all copies.

   A node that came apart has one copy per component; all of them are nodes of the same point of
   the mesh. */
static double copies_value(const reading *r, int32_t node) {
  double of = node_value(r, node);
  int count = 1;
  for (int32_t n = next_copy(r, node); n >= 0; n = next_copy(r, n), count++)
    of += node_value(r, n);
  return r->p->c->quantity < IG_FRAC_PROBE_FORCE ? of / count : of;
}

/* In the plane sxy is the third number of the table. */
static double element_value(const reading *r, int32_t e) {
  const int q = r->p->c->quantity, at = q - IG_FRAC_PROBE_STRESS;
  double t[6];
  ig_frac_element_stress(r->m, ig_frac_model_host(r->m, "se"), e, t);
  return q == IG_FRAC_PROBE_PRINCIPAL      ? ig_frac_principal(r->m, t)
         : r->m->shape.dim == 2 && at == 3 ? t[2]
                                           : t[at];
}

static void value_row(void *user, int64_t item, void *row) {
  const reading *r = user;
  *(double *)row = r->p->c->quantity < IG_FRAC_PROBE_STRESS ? copies_value(r, (int32_t)item)
                                                            : element_value(r, (int32_t)item);
}

static ig_status values_add(void *user, const void *rows, int64_t first, int64_t count) {
  reading *r = user;
  (void)first;
  for (int64_t i = 0; i < count; i++)
    r->sum += ((const double *)rows)[i];
  return IG_OK;
}

/* Motions and stresses are means over the set, forces sums. */
static ig_status probe_read(ig_frac_model *m, const probe *p, const copies *came, double *value) {
  reading r = {.m = m, .p = p, .came = came};
  const int q = p->c->quantity;
  IG_TRY(ig_collect_rows(m->cx, &p->own, sizeof r.sum, value_row, values_add, &r, IG_OK));
  const bool mean = q < IG_FRAC_PROBE_FORCE || q >= IG_FRAC_PROBE_STRESS;
  *value = mean && p->own.whole_count ? r.sum / (double)p->own.whole_count : r.sum;
  return IG_OK;
}

/* Tables that values are read from, on the host. */
static ig_status tables_pull(ig_frac_model *m, copies *came) {
  const ig_frac_probes *all = m->probes;
  void *unused;
  if (all->shows)
    IG_TRY(ig_frac_model_pull(m, "shown", &unused));
  if (all->stresses) {
    IG_TRY(ig_frac_model_stress(m));
    IG_TRY(ig_frac_model_pull(m, "se", &unused));
  }
  IG_TRY(ig_frac_model_pull(m, "u", &unused));
  return copies_find(m, came);
}

/* Collective. Forces and velocities need the forces of the current step (ig_frac_model_show). */
ig_status ig_frac_probes_read(ig_frac_model *m, const char **column, double *value) {
  ig_frac_probes *all = m->probes;
  copies came = {0};
  if (!all)
    return IG_OK;
  if (all->shows)
    IG_TRY(ig_frac_model_show(m));
  ig_status status = ig_ranks_agree(m->cx, tables_pull(m, &came));
  for (int i = 0; status == IG_OK && i < all->count; i++) {
    column[i] = all->probe[i].column;
    status = probe_read(m, &all->probe[i], &came, &value[i]);
  }
  free(came.first);
  free(came.next);
  return status;
}

ig_status ig_frac_probes_results(ig_frac_model *m, ig_sink *to) {
  const int n = ig_frac_probes_count(m);
  const char **column = NULL;
  double *value = NULL;
  if (!n)
    return IG_OK;
  ig_status status = IG_NEW(m->cx, &column, n, "probes");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &value, n, "probes");
  if (status == IG_OK)
    status = ig_frac_probes_read(m, column, value);
  for (int i = 0; status == IG_OK && i < n; i++) {
    const ig_frac_probe_case *c = m->probes->probe[i].c;
    status = to->result(to, c->name, unit_of(c), value[i]);
  }
  free((void *)column);
  free(value);
  return status;
}
