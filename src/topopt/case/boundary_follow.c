/* From a case to what its loads that follow the design are made of: gravity, added masses. The
   weight of an element changes with its density, so only the acceleration at each node is stored
   here; design/load.c multiplies it by the masses of the design at hand. */
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>

/* Frees what belongs to the loading; scalars stay, names of candidates are the case's. */
void ig_topopt_loading_free(ig_ctx *cx, ig_loading *l) {
  for (int q = 0; q < IG_LOAD_CASES; q++) {
    ig_array_free(cx, &l->f[q]);
    ig_array_free(cx, &l->gravity[q]);
  }
  for (int i = 0; i < IG_LIMITS; i++)
    ig_array_free(cx, &l->limit[i]);
  ig_array_free(cx, &l->port);
  ig_array_free(cx, &l->held);
  ig_array_free(cx, &l->expanded);
  ig_array_free(cx, &l->heavy);
  ig_array_free(cx, &l->added);
  free(l->sprung);
}

bool ig_topopt_load_weighs(const ig_load_case *load) {
  const double *g = load->gravity;
  return g[0] != 0 || g[1] != 0 || g[2] != 0;
}

/* --- weight --- */

/* Gravity acts on all of the design: a place would contradict that. */
static ig_status check_gravity(const ig_topopt_points *p, const ig_load_case *load,
                               const ig_loading *l) {
  if (p->size == 1)
    return ig_fail_at(p->cx, &load->at, "loads: gravity: nothing is heavy in a heat problem");
  if (load->set || load->place.at.given)
    return ig_fail_at(
        p->cx, &load->at,
        "loads: gravity acts on the whole design: leave the place out, and give other "
        "loads entries of their own");
  if (p->dim == 2 && load->gravity[2] != 0)
    return ig_fail_at(p->cx, &load->at, "loads: gravity: a plane problem has x and y alone");
  if (!(l->element_mass > 0))
    return ig_fail_at(p->cx, &load->at,
                      "loads: gravity: the material has no density: give it one in 'materials'");
  return IG_OK;
}

/* Entries of one load case add up. Held components are zero: the support takes their part. */
ig_status ig_topopt_points_gravity(const ig_topopt_points *p, const uint8_t *fix, int q,
                                   ig_loading *to, double *weight) {
  double g[3] = {0}, *f;
  for (int i = 0; i < p->c->loads.count; i++) {
    const ig_load_case *load = IG_ITEM(ig_load_case, p->c->loads, i);
    if (load->load_case != q + 1 || !ig_topopt_load_weighs(load))
      continue;
    IG_TRY(check_gravity(p, load, to));
    for (int d = 0; d < 3; d++)
      g[d] += load->gravity[d];
  }
  *weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * to->element_mass;
  if (!(*weight > 0))
    return IG_OK;
  IG_TRY(IG_NEW(p->cx, &f, p->nodes * p->size, "gravity"));
  for (int c = 0; c < p->size; c++)
    for (int64_t n = 0; n < p->nodes; n++)
      f[n * p->step + c * p->stride] = fix[n] >> c & 1 ? 0 : g[c];
  const ig_status status =
      ig_array_from(p->cx, &to->gravity[q], f, (size_t)(p->nodes * p->size), sizeof *f, "gravity");
  free(f);
  return status;
}

/* --- masses --- */

typedef struct {
  const ig_topopt_points *p;
  double *mass, share, count;
} adding;
static void count_node(void *user, int64_t node, double weight) {
  (void)node;
  ((adding *)user)->count += weight;
}
/* Visitor: an equal share for every node of the entry. */
static void add_mass(void *user, int64_t node, double weight) {
  const adding *a = user;
  (void)weight;
  if (ig_topopt_in_nodes(a->p, node))
    a->mass[node] += a->share;
}

/* In units of the mean solid element's mass, shared equally by the nodes of the entry. */
ig_status ig_topopt_points_masses(const ig_topopt_points *p, ig_loading *to) {
  adding a = {.p = p};
  ig_status status = IG_OK;
  if (p->c->masses.count == 0)
    return IG_OK;
  if (p->size == 1 || !(to->element_mass > 0))
    return ig_fail_at(p->cx, &IG_ITEM(ig_mass_case, p->c->masses, 0)->at,
                      p->size == 1 ? "masses: a heat problem has none"
                                   : "masses: the material needs a density, too");
  IG_TRY(IG_NEW(p->cx, &a.mass, p->nodes, "masses"));
  for (int i = 0; i < p->c->masses.count && status == IG_OK; i++) {
    const ig_mass_case *m = IG_ITEM(ig_mass_case, p->c->masses, i);
    a.count = 0;
    if (m->place.at.given)
      status = ig_place_check(p->cx, &m->place);
    if (status == IG_OK)
      status = p->each(p->self, IG_WHERE(m), IG_POINT_NODES, count_node, &a);
    if (status == IG_OK && !(a.count > 0))
      status = ig_fail_at(p->cx, &m->at, "masses: no node of the %s lies there", p->name);
    a.share = m->mass / a.count / to->element_mass;
    if (status == IG_OK)
      status = p->each(p->self, IG_WHERE(m), IG_POINT_NODES, add_mass, &a);
  }
  if (status == IG_OK)
    status = ig_array_from(p->cx, &to->added, a.mass, (size_t)p->nodes, sizeof *a.mass, "masses");
  free(a.mass);
  return status;
}
