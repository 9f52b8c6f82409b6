/* Aggregation multigrid of a mesh, whole or divided between ranks (aggregates.h). */
#include "stress/aggregates.h"
#include "assembly/part.h"
#include "backend/backend.h"
#include "core/sorted.h"

#include <stdlib.h>
#include <string.h>

/* The elastic operator, at nodes that are here; ghosts come first. */
static ig_status apply_single(void *self, const float *x, float *y) {
  ig_stress_aggregates *a = self;
  if (a->divided) /* ghosts hold no data of their own: for the caller x has not changed */
    IG_TRY(ig_halo_refresh(a->cx, &a->ghosts, (void *)x, 3 * sizeof *x, IG_OK));
  return ig_ebe_apply(a->cx, &a->op, a->single.dev, x, y);
}

static ig_status part_cut(void *self, ig_amg *s, ig_amg_problem *own, const ig_lid **node,
                          ig_lid *nodes);

/* Aggregates outlive supports: nothing is held while they are made. */
static ig_amg_problem problem_of(ig_stress *m, ig_stress_aggregates *a, const ig_plan *plan) {
  memset(m->scratch, 0, (size_t)m->nodes);
  return (ig_amg_problem){.nodes = m->nodes,
                          .elements = m->elements,
                          .size = 3,
                          .x = m->mesh->x,
                          .fix = m->scratch,
                          .hex = &a->hex,
                          .ground = &a->ground,
                          .plan = plan,
                          .steps = 2,
                          .cycle = 1,
                          .damping = 0,
                          .self = a,
                          .apply = apply_single,
                          .rows = a->divided ? &a->rows : NULL,
                          .cut = a->divided ? part_cut : NULL};
}

/* --- whole --- */

static ig_status make_whole(ig_stress *m, ig_stress_aggregates *a) {
  ig_ctx *cx = m->cx;
  const ig_plan *plan = &m->plan;
  if (plan->how != IG_ATOMIC && plan->how != IG_COLOR) {
    IG_TRY(ig_plan_new(cx, IG_COLOR, IG_SLOTS_COMPACT, m->nodes, m->elements, m->npe, m->conn,
                       &a->colors));
    plan = &a->colors;
  }
  a->nodes = m->nodes;
  a->elements = m->elements;
  a->hex = ig_stress_elastic_body(m, plan, m->x.dev);
  a->ground = m->system.ground;
  IG_TRY(ig_ebe_new(cx, IG_EBE_RECOMPUTE, m->plan.how, true, m->nodes, m->mesh->x, m->elements,
                    m->npe, m->conn, m->material.poisson, &a->op));
  const ig_amg_problem problem = problem_of(m, a, plan);
  return ig_amg_new(cx, &problem, &a->amg);
}

/* --- a rank's part --- */

/* What the part is cut from and with: whole to part (-1: not there), and the part's own. */
typedef struct ig_stress_cutting {
  ig_stress *m;
  ig_plan colors; /* of the whole */
  ig_lid *number;
  uint8_t *mine; /* elements at own nodes */
  double *x;
  ig_lid *conn;
} cutting;

static ig_status list_make(ig_ctx *cx, ig_lid all, const uint8_t *mark, ig_lid **list,
                           ig_lid *count) {
  *count = 0;
  for (ig_lid i = 0; i < all; i++)
    *count += mark[i];
  IG_TRY(IG_NEW(cx, list, (size_t)*count + 1, "part of multigrid"));
  for (ig_lid i = 0, at = 0; i < all; i++)
    if (mark[i])
      (*list)[at++] = i;
  return IG_OK;
}

/* Elements at own nodes; their nodes, and those that own aggregates of `s` reach. */
static ig_status part_choose(ig_stress *m, ig_stress_aggregates *a, const ig_amg *s, cutting *c) {
  uint8_t *node;
  IG_TRY(IG_NEW(m->cx, &c->mine, m->elements, "part of multigrid"));
  IG_TRY(IG_NEW(m->cx, &c->number, m->nodes, "part of multigrid"));
  IG_TRY(IG_NEW(m->cx, &node, m->nodes, "part of multigrid"));
  for (ig_lid e = 0; e < m->elements; e++) {
    const ig_lid *corner = m->conn + m->npe * (int64_t)e;
    for (int k = 0; k < m->npe; k++)
      c->mine[e] |= corner[k] >= a->rows.from && corner[k] < a->rows.to;
    for (int k = 0; k < m->npe && c->mine[e]; k++)
      node[corner[k]] = 1;
  }
  memset(node + a->rows.from, 1, (size_t)(a->rows.to - a->rows.from));
  ig_status status = ig_amg_needs(s, node);
  if (status == IG_OK)
    status = list_make(m->cx, m->nodes, node, &a->node, &a->nodes);
  if (status == IG_OK)
    status = list_make(m->cx, m->elements, c->mine, &a->element, &a->elements);
  free(node);
  IG_TRY(status);
  memset(c->number, 0xff, (size_t)m->nodes * sizeof *c->number);
  for (ig_lid n = 0; n < a->nodes; n++)
    c->number[a->node[n]] = n;
  a->at = (ig_lid)ig_sorted_below(a->node, a->nodes, a->rows.from);
  return IG_OK;
}

/* Supports of now. */
static ig_status part_hold(ig_stress *m, ig_stress_aggregates *a) {
  const uint8_t *fix = m->fix.host;
  for (ig_lid n = 0; n < a->nodes; n++)
    ((uint8_t *)a->fix.host)[n] = fix[a->node[n]];
  return ig_array_push(m->cx, &a->fix);
}

/* Plans of the whole are cut, not made anew: their order of additions stays. */
static ig_status products_make(ig_stress *m, ig_stress_aggregates *a, const cutting *c) {
  ig_ctx *cx = m->cx;
  const ig_plan *colors = &c->colors;
  const ig_ebe_whole whole = {m->mesh->x, m->conn, m->elements, a->element};
  ig_plan plan, part;
  IG_TRY(ig_plan_cut(cx, colors, a->nodes, a->elements, a->element, c->conn, &a->colors));
  const bool gather = m->plan.how == IG_GATHER;
  if (gather)
    IG_TRY(ig_plan_new(cx, IG_GATHER, IG_SLOTS_COMPACT, m->nodes, m->elements, m->npe, m->conn,
                       &plan));
  ig_status status =
      ig_plan_cut(cx, gather ? &plan : colors, a->nodes, a->elements, a->element, c->conn, &part);
  if (gather)
    ig_plan_free(cx, &plan);
  if (status == IG_OK)
    status = ig_ebe_new_part(cx, IG_EBE_RECOMPUTE, true, &whole, c->x, c->conn, m->material.poisson,
                             &part, &a->op);
  return status;
}

static ig_status part_make(ig_stress *m, ig_stress_aggregates *a, cutting *c) {
  ig_ctx *cx = m->cx;
  const size_t n = (size_t)a->nodes, npe = (size_t)m->npe;
  IG_TRY(ig_rows_halo_elements(cx, &a->rows, m->elements, m->npe, m->conn, c->number,
                               3 * sizeof(float), c->mine, &a->ghosts));
  IG_TRY(IG_NEW(cx, &c->x, 3 * n + 1, "part of multigrid"));
  IG_TRY(IG_NEW(cx, &c->conn, npe * (size_t)a->elements + 1, "part of multigrid"));
  for (size_t i = 0; i < n; i++)
    memcpy(c->x + 3 * i, m->mesh->x + 3 * (size_t)a->node[i], 3 * sizeof *c->x);
  for (size_t i = 0; i < npe * (size_t)a->elements; i++)
    c->conn[i] = c->number[m->conn[npe * (size_t)a->element[i / npe] + i % npe]];
  IG_TRY(ig_array_from(cx, &a->x, c->x, 3 * n, sizeof(double), "positions"));
  IG_TRY(ig_array_new(cx, &a->fix, n, 1, "supports"));
  IG_TRY(part_hold(m, a));
  IG_TRY(ig_array_new(cx, &a->modulus, (size_t)a->elements, sizeof(double), "moduli"));
  IG_TRY(ig_array_new_device(cx, &a->z, 3 * (size_t)m->nodes, sizeof(float), "correction"));
  IG_TRY(products_make(m, a, c));
  a->hex = ig_stress_elastic_body(m, &a->colors, a->x.dev);
  a->ground = (ig_ground){a->nodes, 3, a->fix.dev, NULL};
  return IG_OK;
}

/* What this rank needs of the hierarchy `s`, and the problem on it. */
static ig_status part_cut(void *self, ig_amg *s, ig_amg_problem *own, const ig_lid **node,
                          ig_lid *nodes) {
  ig_stress_aggregates *a = self;
  ig_stress *m = a->cutting->m;
  IG_TRY(part_choose(m, a, s, a->cutting));
  IG_TRY(part_make(m, a, a->cutting));
  *own = problem_of(m, a, &a->colors);
  own->nodes = a->nodes;
  own->elements = a->elements;
  own->x = NULL; /* which were for setting it up */
  own->fix = NULL;
  own->cut = NULL;
  *node = a->node;
  *nodes = a->nodes;
  return IG_OK;
}

static ig_status make_divided(ig_stress *m, ig_stress_aggregates *a) {
  ig_ctx *cx = m->cx;
  cutting c = {.m = m};
  IG_TRY(ig_rows_new(cx, m->nodes, 1, &a->rows));
  IG_TRY(ig_ebe_check(cx, m->elements, m->npe, m->mesh->x, m->conn));
  IG_TRY(ig_plan_new(cx, IG_COLOR, IG_SLOTS_COMPACT, m->nodes, m->elements, m->npe, m->conn,
                     &c.colors));
  a->cutting = &c;
  a->hex = ig_stress_elastic_body(m, &c.colors, m->x.dev);
  a->ground = m->system.ground;
  const ig_amg_problem whole = problem_of(m, a, &c.colors);
  const ig_status status = ig_amg_new(cx, &whole, &a->amg);
  a->cutting = NULL;
  ig_plan_free(cx, &c.colors);
  free(c.number);
  free(c.mine);
  free(c.x);
  free(c.conn);
  return status;
}

/* --- */

ig_status ig_stress_aggregates_new(ig_stress *m, ig_stress_aggregates **out) {
  ig_stress_aggregates *a;
  IG_TRY(IG_NEW(m->cx, &a, 1, "multigrid"));
  *out = a;
  a->cx = m->cx;
  /* a mesh that is inverted as a whole has no rows to divide */
  a->divided = ig_stress_divided(m) && 3 * (int64_t)m->nodes > IG_AMG_DENSE;
  IG_TRY(a->divided ? make_divided(m, a) : make_whole(m, a));
  return ig_array_new_device(m->cx, &a->single, (size_t)a->elements, sizeof(float), "moduli");
}

void ig_stress_aggregates_free(ig_ctx *cx, ig_stress_aggregates *a) {
  if (!a)
    return;
  ig_array *const all[] = {&a->single, &a->x, &a->fix, &a->modulus, &a->z};
  ig_amg_free(a->amg);
  ig_ebe_free(cx, &a->op);
  ig_plan_free(cx, &a->colors);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ig_array_free(cx, all[i]);
  ig_halo_free(cx, &a->ghosts);
  ig_rows_free(&a->rows);
  free(a->node);
  free(a->element);
  free(a);
}

static ig_status part_values(ig_stress *m, ig_stress_aggregates *a) {
  IG_TRY(part_hold(m, a));
  IG_TRY(ig_stress_elements_fetch(m, sizeof(double), m->built.host, a->element, a->elements,
                                  a->modulus.host));
  return ig_array_push(m->cx, &a->modulus);
}

ig_status ig_stress_aggregates_build(ig_stress *m, ig_stress_aggregates *a) {
  const double *modulus = m->built.dev;
  if (a->divided) {
    IG_TRY(part_values(m, a));
    modulus = a->modulus.dev;
  } else if (ig_stress_divided(m)) {
    if (!a->modulus.dev)
      IG_TRY(ig_array_new(m->cx, &a->modulus, (size_t)m->elements, sizeof(double), "moduli"));
    IG_TRY(ig_stress_elements_fetch(m, sizeof(double), m->built.host, NULL, m->elements,
                                    a->modulus.host));
    IG_TRY(ig_array_push(m->cx, &a->modulus));
    modulus = a->modulus.dev;
  }
  IG_TRY(m->mesh_ops->to_single(m->cx, a->elements, modulus, a->single.dev));
  for (int i = 0; i < a->amg->levels; i++)
    a->amg->level[i].lambda = 2; /* not what former bodies made of it */
  return ig_amg_update(a->amg, modulus);
}

/* Own rows alone of r are read: it is the whole's, moved to where the part has them. */
ig_status ig_stress_aggregates_cycle(ig_stress *m, ig_stress_aggregates *a, const float *r,
                                     const float **z) {
  const float *own;
  if (!a->divided)
    return ig_amg_cycle(a->amg, r, z);
  const size_t from = (size_t)a->rows.from, count = (size_t)(a->rows.to - a->rows.from);
  float *to = a->z.dev;
  IG_TRY(ig_amg_cycle(a->amg, r + 3 * (from - (size_t)a->at), &own));
  IG_TRY(
      m->cx->backend->copy(m->cx, to + 3 * from, own + 3 * (size_t)a->at, 3 * sizeof *to * count));
  *z = to;
  return ig_rows_gather(m->cx, &a->rows, 3 * sizeof *to, to);
}
