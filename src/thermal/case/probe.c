/* Probes: points whose temperature is kept in history.csv. Each is eight nodes and eight weights,
   found once at the start; a survey picks the nodes' temperatures on the device, and the host mixes
   them. */
#include "thermal/kernels/heat_cells.h"
#include "thermal/engine/heat_part.h"
#include "thermal/thermal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where corners coincide: no node may weigh less than nothing. */
static bool weights_inside(const ig_lid *conn, const double *weight) {
  for (int a = 0; a < 8; a++) {
    double sum = 0;
    for (int b = 0; b < 8; b++)
      sum += conn[b] == conn[a] ? weight[b] : 0;
    if (!(sum >= -1e-6))
      return false;
  }
  return true;
}

/* Trilinear weights of a point in a hexahedron (VTK corners), by Newton's method for the local
   coordinates s in [0, 1]^3; false: outside. In a wedge or pyramid the Jacobian is singular where
   corners coincide; there s is clamped to [-0.5, 1.5], and a point counts as met when the residual
   is small, whatever s is. */
static bool weights_at(const double *x, const ig_lid *conn, const double *point, double *weight) {
  static const double at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const bool collapsed = conn[2] == conn[3] || conn[4] == conn[5]; /* a wedge or pyramid */
  double s[3] = {0.5, 0.5, 0.5}, reach = 0;
  for (int a = 1; a < 8; a++)
    for (int d = 0; d < 3; d++)
      reach = fmax(reach, fabs(x[3 * (int64_t)conn[a] + d] - x[3 * (int64_t)conn[0] + d]));
  for (int i = 0; i < 20; i++) {
    double r[3] = {point[0], point[1], point[2]}, J[3][3] = {{0}}, size = 0;
    for (int a = 0; a < 8; a++) {
      double f[3], g[3];
      for (int d = 0; d < 3; d++) {
        f[d] = at[a][d] ? s[d] : 1 - s[d];
        g[d] = at[a][d] ? 1 : -1;
      }
      weight[a] = f[0] * f[1] * f[2];
      for (int d = 0; d < 3; d++) {
        const double y = x[3 * (int64_t)conn[a] + d];
        r[d] -= weight[a] * y;
        J[d][0] += g[0] * f[1] * f[2] * y;
        J[d][1] += f[0] * g[1] * f[2] * y;
        J[d][2] += f[0] * f[1] * g[2] * y;
      }
    }
    /* at an edge that has become a node the Jacobian ends */
    if (collapsed && fmax(fabs(r[0]), fmax(fabs(r[1]), fabs(r[2]))) < 1e-10 * reach)
      return weights_inside(conn, weight);
    double I[3][3];
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++)
        I[q][p] = J[(p + 1) % 3][(q + 1) % 3] * J[(p + 2) % 3][(q + 2) % 3] -
                  J[(p + 1) % 3][(q + 2) % 3] * J[(p + 2) % 3][(q + 1) % 3];
    const double det = J[0][0] * I[0][0] + J[0][1] * I[1][0] + J[0][2] * I[2][0];
    if (!(fabs(det) > 0))
      return false;
    for (int d = 0; d < 3; d++) {
      const double step = (I[d][0] * r[0] + I[d][1] * r[1] + I[d][2] * r[2]) / det;
      s[d] += step;
      if (collapsed)
        s[d] = fmax(-0.5, fmin(1.5, s[d]));
      size = fmax(size, fabs(step));
    }
    if (size < 1e-12)
      break;
  }
  if (collapsed)
    return false; /* not met */
  const double slack = 1e-6;
  for (int d = 0; d < 3; d++)
    if (!(s[d] >= -slack && s[d] <= 1 + slack))
      return false;
  return true;
}

/* Weights (barycentric coordinates, by Cramer's rule) in a tetrahedron that stands as a collapsed
   hexahedron (binary corners 0 1 2 4); false: outside. */
static bool tet_weights_at(const double *x, const ig_lid *conn, const double *point,
                           double *weight) {
  const ig_lid n[4] = {conn[0], conn[1], conn[2], conn[4]};
  double e[3][3], r[3], w[4];
  for (int k = 0; k < 3; k++)
    for (int d = 0; d < 3; d++) {
      e[k][d] = x[3 * (int64_t)n[k + 1] + d] - x[3 * (int64_t)n[0] + d];
      r[d] = point[d] - x[3 * (int64_t)n[0] + d];
    }
  for (int k = 0; k < 3; k++) { /* r = w1 e0 + w2 e1 + w3 e2 */
    const double *p = e[(k + 1) % 3], *q = e[(k + 2) % 3];
    const double c[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                         p[0] * q[1] - p[1] * q[0]};
    w[k + 1] = (r[0] * c[0] + r[1] * c[1] + r[2] * c[2]) /
               (e[k][0] * c[0] + e[k][1] * c[1] + e[k][2] * c[2]);
  }
  w[0] = 1 - w[1] - w[2] - w[3];
  for (int k = 0; k < 4; k++)
    if (!(w[k] >= -1e-6))
      return false;
  const double all[8] = {w[0], w[1], w[2], 0, w[3], 0, 0, 0};
  memcpy(weight, all, sizeof all);
  return true;
}

/* Whether the cell holds the point: conn in binary order. */
static bool cell_holds(const double *x, const ig_lid *conn, const double *point, double *weight,
                       ig_lid *node) {
  for (int d = 0; d < 3; d++) { /* inside the corners' box? */
    double low = INFINITY, high = -INFINITY;
    for (int a = 0; a < 8; a++) {
      low = fmin(low, x[3 * (int64_t)conn[a] + d]);
      high = fmax(high, x[3 * (int64_t)conn[a] + d]);
    }
    const double slack = 1e-6 * (high - low);
    if (!(point[d] >= low - slack && point[d] <= high + slack))
      return false;
  }
  const bool tet = conn[2] == conn[3] && conn[4] == conn[5];
  for (int a = 0; a < 8; a++)
    node[a] = conn[tet ? a : ig_heat_corner[a]]; /* hexahedra in VTK's order */
  return tet ? tet_weights_at(x, conn, point, weight) : weights_at(x, node, point, weight);
}

/* The first element that holds the point counts; on a face two do, and both give the same
   temperature. place: number along a line of probes, -1: a single one. */
static ig_status probe_add(ig_thermal_run *run, const ig_thermal_probe *c, int place,
                           const double *point) {
  const ig_mesh *mesh = run->job->mesh;
  struct ig_probe *p = &run->probe[run->probes];
  if (place < 0)
    snprintf(p->name, sizeof p->name, "%.50s [K]", c->name);
  else
    snprintf(p->name, sizeof p->name, "%.40s_%d [K]", c->name, place);
  for (int b = 0; b < mesh->blocks; b++)
    for (ig_lid e = 0; e < mesh->block[b].count; e++) {
      ig_lid conn[IG_CELL_MOST][8];
      const int cells = ig_heat_cells_of(mesh, &mesh->block[b], e, conn);
      for (int k = 0; k < cells; k++)
        if (cell_holds(mesh->x, conn[k], point, p->weight, p->node)) {
          run->probes++;
          return IG_OK;
        }
    }
  return ig_fail_at(run->job->cx, &c->at, "probe '%s' at (%g, %g, %g) m is outside the mesh",
                    c->name, point[0], point[1], point[2]);
}

/* The number in the part of a node of the whole that this rank computes; -1: another one does. */
static ig_lid own_node(const ig_heat *h, ig_lid node) {
  const ig_lid n = h->elements ? ig_partition_node(&h->part.of, node) : -1;
  return n >= 0 && h->ghost && h->ghost[n] ? -1 : n;
}

/* The nodes of all probes, for the device to read out. */
static ig_status picks_make(ig_thermal_run *run) {
  const size_t count = 8 * (size_t)run->probes;
  if (count == 0)
    return IG_OK;
  IG_TRY(ig_array_new(run->job->cx, &run->pick, count, sizeof(int32_t), "probes"));
  IG_TRY(ig_array_new(run->job->cx, &run->picked, count, sizeof(double), "probes"));
  for (size_t i = 0; i < count; i++) { /* another rank's: any node of the part */
    const ig_lid n = own_node(&run->heat, run->probe[i / 8].node[i % 8]);
    ((int32_t *)run->pick.host)[i] = n < 0 ? 0 : n;
  }
  return ig_array_push(run->job->cx, &run->pick);
}

/* Each node has one owner; the other ranks put -infinity in its place, so the maximum over all
   ranks is the owner's value, bit by bit. */
ig_status ig_thermal_probes_read(ig_thermal_run *run) {
  double *picked = run->picked.host;
  const int count = 8 * run->probes;
  if (count == 0)
    return IG_OK;
  const ig_status status = ig_array_pull(run->job->cx, &run->picked);
  for (int i = 0; i < count; i++) /* below any that its owner has */
    if (own_node(&run->heat, run->probe[i / 8].node[i % 8]) < 0)
      picked[i] = -INFINITY;
  return ig_heat_part_most(run->job->cx, picked, count, status);
}

/* 4096 probes: columns of history.csv that a spreadsheet still opens, and a linear search over
   elements for each. */
ig_status ig_thermal_probes(ig_thermal_run *run) {
  int64_t count = 0;
  for (int i = 0; i < run->c->probes.count; i++) {
    const ig_thermal_probe *p = IG_ITEM(const ig_thermal_probe, run->c->probes, i);
    if (p->at.given && isnan(p->to[0]) && p->count != 2)
      return ig_fail_at(run->job->cx, &p->at, "`count` is for probes along a line: give `to`");
    count += isnan(p->to[0]) ? 1 : p->count;
  }
  if (count > 4096)
    return ig_fail_at(run->job->cx, &run->c->at, "%lld probes are too many (4096)",
                      (long long)count);
  IG_TRY(IG_NEW(run->job->cx, &run->probe, count, "probes"));
  for (int i = 0; i < run->c->probes.count; i++) {
    const ig_thermal_probe *p = IG_ITEM(const ig_thermal_probe, run->c->probes, i);
    if (isnan(p->to[0])) {
      IG_TRY(probe_add(run, p, -1, p->point));
      continue;
    }
    for (int k = 0; k < p->count; k++) {
      const double s = (double)k / (double)(p->count - 1);
      const double point[3] = {p->point[0] + s * (p->to[0] - p->point[0]),
                               p->point[1] + s * (p->to[1] - p->point[1]),
                               p->point[2] + s * (p->to[2] - p->point[2])};
      IG_TRY(probe_add(run, p, k, point));
    }
  }
  return picks_make(run);
}
