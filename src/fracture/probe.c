/* Probes: what a case asks of nodes and elements, as columns of the history. They hold no state. */
#include "fracture/run.h"
#include "fracture/tables.h"
#include "mesh/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const ig_frac_probe_case *c;
  ig_look look; /* nodes of the mesh as it was, or elements */
  char column[64];
} probe;
struct ig_frac_probes {
  int count;
  bool shows, stresses; /* some of them need velocities or forces; stresses */
  probe probe[];
};

void ig_frac_probes_free(ig_frac_probes *all) {
  for (int i = 0; all && i < all->count; i++)
    free(all->probe[i].look.item);
  free(all);
}

int ig_frac_probes_count(const ig_frac_model *m) {
  return m->probes ? m->probes->count : 0;
}

bool ig_frac_probes_shows(const ig_frac_model *m) {
  return m->probes && m->probes->shows;
}

static const char *unit_of(const ig_frac_probe_case *c) {
  static const char *const unit[] = {"m", "m/s", "N"};
  return c->quantity < IG_FRAC_PROBE_STRESS ? unit[c->quantity / 3] : "Pa";
}

/* Whether some support holds that component of one of the nodes. */
static bool held(ig_frac_model *m, const ig_look *look, int d) {
  const ig_frac_node *node = ig_frac_model_host(m, "node");
  const int32_t *row = ig_frac_model_host(m, "bc_row");
  for (ig_lid i = 0; i < look->count; i++) {
    const int32_t bc = node[look->item[i]].bc;
    if (bc >= 0 && row[3 * bc + d] >= 0)
      return true;
  }
  return false;
}

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
  IG_TRY(ig_look_find(job->cx, job->mesh, &c->at, c->set, c->point, q >= IG_FRAC_PROBE_STRESS,
                      &p->look));
  if (q >= IG_FRAC_PROBE_FORCE && q < IG_FRAC_PROBE_STRESS && !held(m, &p->look, q % 3))
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
  return ig_frac_table_add(m, "shown", &m->s.nodal.shown, IG_FRAC_PER_NODE, 2 * m->shape.dim,
                           sizeof(double), 0);
}

/* The copies of each node of the mesh: a chain, -1 at its end. */
typedef struct {
  int32_t *first; /* nodes of the mesh */
  int32_t *next;  /* nodes that came later, from the first of them */
} copies;

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

static double node_value(ig_frac_model *m, int quantity, int64_t n) {
  const int dim = m->shape.dim, d = quantity % 3;
  if (quantity < IG_FRAC_PROBE_VELOCITY)
    return ig_frac_model_real(m, ig_frac_model_host(m, "u"), n * dim + d);
  const double *shown = ig_frac_model_host(m, "shown");
  return shown[(2 * n + (quantity >= IG_FRAC_PROBE_FORCE)) * dim + d];
}

/* Motions: mean over the nodes, where one came apart over its copies first, so that a crack alone
   changes nothing. Forces: the sum over all copies. */
static double nodes_value(ig_frac_model *m, const probe *p, const copies *all) {
  const int q = p->c->quantity;
  double sum = 0;
  for (ig_lid i = 0; i < p->look.count; i++) {
    double of = node_value(m, q, p->look.item[i]);
    int count = 1;
    for (int32_t n = all->first ? all->first[p->look.item[i]] : -1; n >= 0;
         n = all->next[n - m->nodes_start], count++)
      of += node_value(m, q, n);
    sum += q < IG_FRAC_PROBE_FORCE ? of / count : of;
  }
  return q < IG_FRAC_PROBE_FORCE && p->look.count ? sum / p->look.count : sum;
}

static double elements_value(ig_frac_model *m, const probe *p) {
  const void *se = ig_frac_model_host(m, "se");
  const int at = p->c->quantity - IG_FRAC_PROBE_STRESS;
  double sum = 0, t[6];
  for (ig_lid i = 0; i < p->look.count; i++) {
    ig_frac_element_stress(m, se, p->look.item[i], t);
    sum += p->c->quantity == IG_FRAC_PROBE_PRINCIPAL ? ig_frac_principal(m, t)
           : m->shape.dim == 2 && at == 3            ? t[2]
                                                     : t[at];
  }
  return p->look.count ? sum / p->look.count : 0;
}

ig_status ig_frac_probes_read(ig_frac_model *m, const char **column, double *value) {
  ig_frac_probes *all = m->probes;
  copies came = {0};
  void *unused;
  if (!all)
    return IG_OK;
  if (all->shows) {
    IG_TRY(ig_frac_model_show(m));
    IG_TRY(ig_frac_model_pull(m, "shown", &unused));
  }
  if (all->stresses) {
    IG_TRY(ig_frac_model_stress(m));
    IG_TRY(ig_frac_model_pull(m, "se", &unused));
  }
  IG_TRY(ig_frac_model_pull(m, "u", &unused));
  const ig_status status = copies_find(m, &came);
  for (int i = 0; status == IG_OK && i < all->count; i++) {
    const probe *p = &all->probe[i];
    column[i] = p->column;
    value[i] =
        p->c->quantity < IG_FRAC_PROBE_STRESS ? nodes_value(m, p, &came) : elements_value(m, p);
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
