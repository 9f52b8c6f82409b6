/* The linear system of a Newton iteration, solved by conjugate gradients. The operator is the
   consistent tangent of the points (product.inc), in double precision and never assembled. The
   preconditioner is multigrid of an elastic body with one Poisson's ratio and Young's moduli of
   the elements as they are now, in single precision: plasticity changes the tangent in every
   iteration, moduli change slowly, so that it serves many solves. */
#include "backend/backend.h"
#include "stress/aggregates.h"
#include "stress/voxel_multigrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "kern/hex8.inc"
#include "stress/rotation.inc"

/* Whether elements add to nodes themselves: diagonals know no other way. */
static bool elements_add(const ig_stress *m) {
  return m->plan.how == IG_ATOMIC || m->plan.how == IG_COLOR;
}

static ig_status tie(ig_stress *m, double *x) {
  return m->held.ties
             ? m->ops->tie_f64(m->cx, m->held.ties, m->held.tie_start.dev, m->held.tie_item.dev, x)
             : IG_OK;
}

ig_status ig_stress_system_apply(void *self, const double *x, double *y, ig_cg_state *state) {
  ig_stress *m = self;
  if (ig_stress_interrupted(m))
    return IG_FAIL(m->cx, IG_INTERRUPTED, "interrupted in a linear solve");
  IG_TRY(ig_stress_product(m, x, y));
  IG_TRY(tie(m, y));
  return m->mesh_ops->ground(m->cx, &m->system.ground, x, y, m->work.partial.dev,
                             state ? &state->s.pap : NULL);
}

/* One cycle of multigrid, of the grid or of aggregates, or the diagonal blocks; single
   precision. */
static ig_status precondition(void *self, const float *r, const float **z) {
  ig_stress *m = self;
  if (m->turn.dev) {
    IG_TRY(m->ops->turn(m->cx, m->nodes, m->system.turn.dev, true, r, m->system.turned.dev));
    r = m->system.turned.dev;
  }
  if (m->system.lattice)
    IG_TRY(ig_stress_lattice_cycle(m, m->system.lattice, r, z));
  else if (m->system.aggregates && !m->system.plain)
    IG_TRY(ig_stress_aggregates_cycle(m, m->system.aggregates, r, z));
  else {
    *z = m->system.z.dev;
    IG_TRY(m->mesh_ops->scale(m->cx, m->nodes, 3, m->system.inverse.dev, r, m->system.z.dev));
  }
  if (m->turn.dev)
    IG_TRY(m->ops->turn(m->cx, m->nodes, m->system.turn.dev, false, *z, (float *)*z));
  /* coarse levels know nothing of supports and of what is not there */
  IG_TRY(m->ops->still(m->cx, m->nodes, m->fix.dev, (float *)*z));
  return m->held.ties ? m->ops->tie_f32(m->cx, m->held.ties, m->held.tie_start.dev,
                                        m->held.tie_item.dev, (float *)*z)
                      : IG_OK;
}

/* Rotations of nodes at the last forces, from those of the living elements around them. What is
   held does not rotate: it is held in the axes of the model. */
static ig_status nodes_turn(ig_stress *m) {
  ig_array *to = &m->system.turn;
  const uint8_t *alive = m->alive.host, *fix = m->fix.host;
  double *sum;
  if (!to->count) {
    IG_TRY(ig_array_new(m->cx, to, 9 * (size_t)m->nodes, sizeof(float), "rotations of nodes"));
    IG_TRY(ig_array_new_device(m->cx, &m->system.turned, 3 * (size_t)m->nodes, sizeof(float),
                               "rotated residual"));
  }
  IG_TRY(ig_array_pull(m->cx, &m->turn));
  IG_TRY(IG_NEW(m->cx, &sum, 9 * (size_t)m->nodes, "rotations of nodes"));
  const double *turn = m->turn.host;
  for (int64_t i = 0; i < 8 * (int64_t)m->part.elements; i++) {
    const int64_t e = ig_stress_element(m, i / 8);
    for (int k = 0; alive[e] && k < 9; k++)
      sum[9 * (int64_t)m->conn[8 * e + i % 8] + k] += turn[IG_TURNED * (i / 8) + k];
  }
  for (int64_t n = 0; n < m->nodes; n++) {
    double *r = sum + 9 * n, cof[9];
    const bool rotates = !fix[n] && hex8_cofactors_f64(r, cof) > 0;
    if (rotates)
      ig_stress_rotation_in(r);
    for (int k = 0; k < 9; k++)
      ((float *)to->host)[9 * n + k] = rotates ? (float)r[k] : k % 4 == 0;
  }
  free(sum);
  IG_TRY(ig_array_push(m->cx, to));
  return ig_stress_nodes_join(m, 9 * sizeof(float), to->dev);
}

/* What the diagonal blocks are made of, and memory of them and of what they are applied to. */
static ig_status blocks_new(ig_stress *m) {
  const size_t nodes = (size_t)m->nodes;
  if (!elements_add(m))
    IG_TRY(ig_stress_division_plan(m, IG_COLOR, &m->colors));
  m->system.hex = ig_stress_elastic_body(m, elements_add(m) ? &m->plan : &m->colors, m->x.dev);
  IG_TRY(ig_array_new_device(m->cx, &m->system.block, 6 * nodes, sizeof(double), "blocks"));
  IG_TRY(ig_array_new_device(m->cx, &m->system.inverse, 6 * nodes, sizeof(float), "blocks"));
  return ig_array_new_device(m->cx, &m->system.z, 3 * nodes, sizeof(float), "blocks");
}

/* The preconditioner follows when the body or its moduli have changed by much. What it was built of
   is part of the state, so that a continued run has the same. */
static ig_status refresh(ig_stress *m) {
  ig_ctx *cx = m->cx;
  IG_TRY(m->ops->young(cx, &m->args, m->young.dev));
  m->system.worst = 1;
  /* a factor of 2 in any element: beyond, iterations rise more than a rebuild costs */
  if (!m->system.stale) {
    double worst = 1;
    IG_TRY(ig_array_pull(cx, &m->young));
    const double *now = m->young.host, *built = m->built.host;
    for (ig_lid i = 0; i < m->part.elements; i++) {
      const double then = built[i];
      if (now[i] > 0)
        worst = fmax(worst, fmax(now[i] / then, then / now[i]));
    }
    IG_TRY(ig_stress_largest(m, &worst, 1));
    if (worst < 2) {
      m->system.worst = worst;
      return IG_OK;
    }
  }
  IG_TRY(
      cx->backend->copy(cx, m->built.dev, m->young.dev, sizeof(double) * (size_t)m->part.elements));
  IG_TRY(ig_array_pull(cx, &m->built));
  return ig_stress_system_build(m);
}

/* Inverse diagonal blocks of the nodes, of the moduli in m->built. */
static ig_status blocks_build(ig_stress *m) {
  ig_ctx *cx = m->cx;
  IG_TRY(m->mesh_ops->diagonal(cx, &m->system.hex, elements_add(m) ? &m->plan : &m->colors,
                               m->built.dev, m->system.block.dev));
  IG_TRY(
      m->mesh_ops->invert(cx, &m->system.ground, true, m->system.block.dev, m->system.inverse.dev));
  return ig_stress_nodes_join(m, 6 * sizeof(float), m->system.inverse.dev);
}

/* Values for the moduli in m->built; the structure stays. Called by refresh and after a restart. */
ig_status ig_stress_system_build(ig_stress *m) {
  m->system.stale = false;
  if (m->system.lattice)
    return ig_stress_lattice_build(m, m->system.lattice);
  return m->system.aggregates ? ig_stress_aggregates_build(m, m->system.aggregates)
                              : blocks_build(m);
}

/* A body held at few points only is beyond a grid whose coarse levels are in single precision;
   aggregates carry its rigid motions. So many iterations are granted before it is given up. */
enum { GRID_LIMIT = 200 };

/* Coarse levels of slender bodies may be singular in single precision; the cycle is then no
   preconditioner, and the residual does not fall at all. Diagonal blocks are slow and always
   positive definite. They serve this one solve: nothing to keep in checkpoints. */
static ig_status blocks_solve(ig_stress *m, double tolerance, ig_solve_report *report) {
  if (!m->system.block.dev)
    IG_TRY(blocks_new(m));
  IG_TRY(blocks_build(m));
  IG_TRY(ig_array_zero(m->cx, &m->work.step));
  m->system.plain = true;
  const ig_status status =
      ig_pcg_solve(m->cx, &m->system.pcg, &m->system.linear, m->work.right.dev, m->work.step.dev,
                   tolerance, (int)m->c->solver.linear_limit, report);
  m->system.plain = false;
  m->count.linear += report->iterations;
  m->count.linear_all += report->iterations;
  return status;
}

/* Tries in order: the preconditioner as it is; on a grid that fails, aggregation instead, for
   the rest of the run; a fresh build for the moduli of now; diagonal blocks where aggregation has
   not even halved the residual. Returns with *report of the last attempt. */
static ig_status solve(ig_stress *m, double tolerance, ig_solve_report *report) {
  for (int again = 0;; again++) {
    const bool grid = m->system.lattice != NULL;
    int limit = (int)m->c->solver.linear_limit;
    if (grid && limit > GRID_LIMIT)
      limit = GRID_LIMIT;
    IG_TRY(refresh(m));
    IG_TRY(ig_array_zero(m->cx, &m->work.step));
    IG_TRY(ig_pcg_solve(m->cx, &m->system.pcg, &m->system.linear, m->work.right.dev,
                        m->work.step.dev, tolerance, limit, report));
    m->count.linear += report->iterations;
    m->count.linear_all += report->iterations;
    if (report->end == IG_SOLVE_CONVERGED ||
        (report->end == IG_SOLVE_INDEFINITE && m->turn.dev && !m->args.steady))
      return IG_OK;
    if (!grid && (again || m->system.worst < 1.001))
      return m->system.aggregates && !(report->residual < 0.5) ? blocks_solve(m, tolerance, report)
                                                               : IG_OK;
    if (grid) {
      IG_TRY(ig_stress_system_leave_grid(m));
      IG_TRY(ig_stress_aggregates_new(m, &m->system.aggregates));
      again = -1;
    }
    m->system.stale = true; /* a preconditioner of other moduli may be at fault */
  }
}

/* The tangent of rotated elements under pressure may be indefinite, near a limit load or far from
   equilibrium; at constant rotations it is not, and Newton's method goes on more slowly. */
ig_status ig_stress_system_solve(ig_stress *m, double tolerance, ig_solve_report *report) {
  if (m->turn.dev)
    IG_TRY(nodes_turn(m));
  ig_status status = solve(m, tolerance, report);
  if (status == IG_OK && m->turn.dev && report->end == IG_SOLVE_INDEFINITE) {
    m->args.steady = true;
    status = solve(m, tolerance, report);
    m->args.steady = false;
  }
  return status;
}

/* --- what is held --- */

/* Lists of unknowns that are equal: one group per support and component, of the nodes that have
   living elements. An unknown that is tied and prescribed at once is an error. */
static ig_status tie_groups(ig_stress *m) {
  ig_ctx *cx = m->cx;
  const uint8_t *alive = m->alive.host;
  uint8_t *there = m->scratch;
  size_t groups = 0, items = 0;
  for (int i = 0; i < m->held.count; i++)
    for (int d = 0; d < 3; d++)
      if (m->held.list[i].on && m->held.list[i].equal >> d & 1) {
        groups++;
        items += (size_t)m->held.list[i].count;
      }
  ig_array_free(cx, &m->held.tie_start);
  ig_array_free(cx, &m->held.tie_item);
  memset(there, 0, (size_t)m->nodes);
  for (int64_t i = 0; groups && i < m->npe * (int64_t)m->elements; i++)
    there[m->conn[i]] |= alive[i / m->npe];
  IG_TRY(ig_array_new(cx, &m->held.tie_start, groups + 1, sizeof(int32_t), "equal unknowns"));
  IG_TRY(ig_array_new(cx, &m->held.tie_item, items + 1, sizeof(int32_t), "equal unknowns"));
  int32_t *start = m->held.tie_start.host, *item = m->held.tie_item.host, g = 0, n = 0;
  for (int i = 0; i < m->held.count; i++)
    for (int d = 0; d < 3; d++) {
      const ig_stress_hold *h = m->held.list + i;
      if (!h->on || !(h->equal >> d & 1))
        continue;
      for (ig_lid k = 0; k < h->count; k++) {
        if (m->held.bits[h->node[k]] >> d & 1)
          return ig_fail_at(cx, &IG_ITEM(const ig_stress_support, m->c->supports, i)->at,
                            "a node whose %c is `equal` to others is held by another support: hold "
                            "all of the set or none",
                            'x' + d);
        if (there[h->node[k]])
          item[n++] = 3 * h->node[k] + d;
      }
      if (n > start[g])
        start[++g] = n;
    }
  m->held.ties = g;
  IG_TRY(ig_array_push(cx, &m->held.tie_start));
  return ig_array_push(cx, &m->held.tie_item);
}

/* Renews prescribed unknowns; with `supports` also bits of supports, ties and what depends on
   them. Marks the preconditioner as stale, and fails if part of the body is free to move. */
ig_status ig_stress_system_change(ig_stress *m, bool supports) {
  ig_ctx *cx = m->cx;
  uint8_t *fix = m->fix.host;
  const uint8_t *alive = m->alive.host;
  if (supports) {
    memset(m->held.bits, 0, (size_t)m->nodes);
    for (int i = 0; i < m->held.count; i++)
      for (ig_lid k = 0; m->held.list[i].on && k < m->held.list[i].count; k++)
        m->held.bits[m->held.list[i].node[k]] |=
            (uint8_t)(m->held.list[i].fix | m->held.list[i].lead);
    for (ig_lid n = 0; n < m->nodes; n++)
      m->held.bits[n] &= (uint8_t)~m->held.freed[n];
    if (m->system.lattice)
      IG_TRY(ig_stress_lattice_hold(m, m->system.lattice));
    else if (m->c->solver.preconditioner != IG_STRESS_BLOCKS && !m->system.aggregates)
      IG_TRY(ig_stress_aggregates_new(m, &m->system.aggregates));
  }
  IG_TRY(tie_groups(m));
  IG_TRY(ig_stress_anchor(m));
  memset(fix, 7, (size_t)m->nodes); /* what no living element touches stays where it is */
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    if (alive[i / m->npe])
      fix[m->conn[i]] = m->held.bits[m->conn[i]];
  m->system.stale = true;
  return ig_array_push(cx, &m->fix);
}

/* --- making it --- */

/* Chooses the preconditioner: the grid if asked for and possible; aggregates come with supports. */
ig_status ig_stress_system_new(ig_stress *m) {
  m->system.ground = (ig_ground){m->nodes, 3, m->fix.dev, NULL};
  m->system.linear =
      (ig_linear){m, 3 * (int64_t)m->nodes, ig_stress_system_apply, precondition, true, NULL, NULL};
  m->system.stale = true;
  IG_TRY(ig_pcg_init(m->cx, &m->system.pcg, m->system.linear.n));
  if (m->c->solver.preconditioner == IG_STRESS_MULTIGRID)
    IG_TRY(ig_stress_lattice_new(m, &m->system.lattice));
  return m->c->solver.preconditioner == IG_STRESS_BLOCKS ? blocks_new(m) : IG_OK;
}

/* Aggregates follow at the next change of supports or solve. */
ig_status ig_stress_system_leave_grid(ig_stress *m) {
  if (!m->system.lattice)
    return IG_OK;
  ig_stress_lattice_free(m->cx, m->system.lattice);
  m->system.lattice = NULL;
  m->system.stale = true;
  return IG_OK;
}

void ig_stress_system_free(ig_stress *m) {
  ig_stress_lattice_free(m->cx, m->system.lattice);
  ig_stress_aggregates_free(m->cx, m->system.aggregates);
  ig_array_free(m->cx, &m->system.block);
  ig_array_free(m->cx, &m->system.inverse);
  ig_array_free(m->cx, &m->system.z);
  ig_array_free(m->cx, &m->system.turn);
  ig_array_free(m->cx, &m->system.turned);
  ig_pcg_free(m->cx, &m->system.pcg);
  ig_plan_free(m->cx, &m->colors);
}
