/* What a run tells: probes, history rows, snapshots, final figures. */
#include "thermal/thermal.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trilinear weights of a point in an element (VTK corners), by Newton's method; false: outside. */
static bool weights_at(const double *x, const ig_lid *conn, const double *point, double *weight) {
  static const double at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  double s[3] = {0.5, 0.5, 0.5};
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
      size = fmax(size, fabs(step));
    }
    if (size < 1e-12)
      break;
  }
  const double slack = 1e-6;
  for (int d = 0; d < 3; d++)
    if (!(s[d] >= -slack && s[d] <= 1 + slack))
      return false;
  return true;
}

static ig_status probe_add(ig_thermal_run *run, const ig_thermal_probe *c, int place,
                           const double *point) {
  const ig_mesh *mesh = run->job->mesh;
  const ig_block *block = &mesh->block[0];
  struct ig_probe *p = &run->probe[run->probes];
  if (place < 0)
    snprintf(p->name, sizeof p->name, "%.50s [K]", c->name);
  else
    snprintf(p->name, sizeof p->name, "%.40s_%d [K]", c->name, place);
  for (ig_lid e = 0; e < block->count; e++) {
    const ig_lid *conn = &block->conn[8 * (int64_t)e];
    bool near = true; /* inside the corners' box? */
    for (int d = 0; d < 3 && near; d++) {
      double low = INFINITY, high = -INFINITY;
      for (int a = 0; a < 8; a++) {
        low = fmin(low, mesh->x[3 * (int64_t)conn[a] + d]);
        high = fmax(high, mesh->x[3 * (int64_t)conn[a] + d]);
      }
      const double slack = 1e-6 * (high - low);
      near = point[d] >= low - slack && point[d] <= high + slack;
    }
    if (near && weights_at(mesh->x, conn, point, p->weight)) {
      memcpy(p->node, conn, sizeof p->node);
      run->probes++;
      return IG_OK;
    }
  }
  return ig_fail_at(run->job->cx, &c->at, "probe '%s' at (%g, %g, %g) m is outside the mesh",
                    c->name, point[0], point[1], point[2]);
}

ig_status ig_thermal_probes(ig_thermal_run *run) {
  int64_t count = 0;
  for (int i = 0; i < run->c->probes.count; i++) {
    const ig_thermal_probe *p = IG_ITEM(const ig_thermal_probe, run->c->probes, i);
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
  return IG_OK;
}

static void extremes(const ig_thermal_run *run, double *low, double *high) {
  const ig_heat *h = &run->heat;
  *low = INFINITY;
  *high = -INFINITY;
  for (ig_lid n = 0; n < h->now.nodes; n++)
    if (h->around.start[n] < h->around.start[n + 1] &&
        h->around.item[h->around.start[n]] < h->now.elements) {
      *low = fmin(*low, run->T[n]);
      *high = fmax(*high, run->T[n]);
    }
}

enum { COLUMNS = 16 };

ig_status ig_thermal_history(ig_thermal_run *run) {
  ig_ctx *cx = run->job->cx;
  static const char *const fixed[] = {
      "time [s]",        "step",           "elements",   "T_min [K]",  "T_max [K]",
      "E_stored [J]",    "E_source [J]",   "E_flux [J]", "E_body [J]", "E_born [J]",
      "E_convected [J]", "E_radiated [J]", "E_held [J]", "E_gap [J]"};
  enum { FIXED = sizeof fixed / sizeof *fixed };
  ig_heat_ledger l;
  IG_TRY(ig_heat_ledger_read(cx, &run->heat, &l));
  IG_TRY(ig_heat_temperatures(cx, &run->heat, run->T));
  double low, high;
  extremes(run, &low, &high);
  const int columns = FIXED + run->probes;
  const char **names;
  double *value;
  IG_TRY(IG_NEW(cx, &names, columns, "history"));
  ig_status status = IG_NEW(cx, &value, columns, "history");
  if (status == IG_OK) {
    const double row[FIXED] = {(double)run->step * run->dt,
                               (double)run->step,
                               run->heat.now.elements,
                               low,
                               high,
                               l.stored - l.start,
                               l.source,
                               l.flux,
                               l.body,
                               l.born,
                               l.convected,
                               l.radiated,
                               l.held,
                               ig_heat_ledger_gap(&l)};
    memcpy(names, fixed, sizeof fixed);
    memcpy(value, row, sizeof row);
    for (int p = 0; p < run->probes; p++) {
      names[FIXED + p] = run->probe[p].name;
      for (int a = 0; a < 8; a++)
        value[FIXED + p] += run->probe[p].weight[a] * run->T[run->probe[p].node[a]];
    }
    status = run->job->sink->history(run->job->sink, columns, names, value);
  }
  free(names);
  free(value);
  return status;
}

ig_status ig_thermal_snapshot(ig_thermal_run *run) {
  ig_ctx *cx = run->job->cx;
  const ig_heat *h = &run->heat;
  ig_snapshot *snap = NULL;
  uint8_t *alive;
  IG_TRY(IG_NEW(cx, &alive, h->elements, "snapshot"));
  for (ig_lid e = 0; e < h->now.elements; e++)
    alive[h->order[e]] = 1;
  ig_status status =
      ig_snapshot_of_mesh(cx, run->job->mesh, h->now.elements < h->elements ? alive : NULL,
                          (double)run->step * run->dt, run->step, &snap);
  free(alive);
  IG_TRY(status);
  status = ig_snapshot_add_device(snap, "T", "K", IG_AT_POINTS,
                                  h->precision == IG_SINGLE ? IG_F32 : IG_F64, 1, h->T.dev);
  if (status != IG_OK) {
    ig_snapshot_free(snap);
    return status;
  }
  return run->job->sink->snapshot(run->job->sink, snap);
}

ig_status ig_thermal_results(ig_thermal_run *run) {
  ig_ctx *cx = run->job->cx;
  ig_sink *sink = run->job->sink;
  ig_heat_ledger l;
  double low, high, volume, area;
  IG_TRY(ig_heat_ledger_read(cx, &run->heat, &l));
  IG_TRY(ig_heat_temperatures(cx, &run->heat, run->T));
  extremes(run, &low, &high);
  ig_heat_measure(&run->heat, &volume, &area);
  const double missed = run->beams.asked - run->beams.given;
  if (missed > 1e-9 * run->beams.asked)
    ig_warn_at(cx, &run->c->at, "%.3g J of the beams' %.3g J found nothing to heat", missed,
               run->beams.asked);
  const struct {
    const char *key;
    double value;
  } figures[] = {{"T_min_K", low},
                 {"T_max_K", high},
                 {"stored_J", l.stored - l.start},
                 {"source_J", l.source},
                 {"beam_J", run->beams.asked},
                 {"beam_missed_J", run->beams.asked - run->beams.given},
                 {"flux_J", l.flux},
                 {"body_J", l.body},
                 {"born_J", l.born},
                 {"convected_J", l.convected},
                 {"radiated_J", l.radiated},
                 {"held_J", l.held},
                 {"energy_gap_J", ig_heat_ledger_gap(&l)},
                 {"volume_m3", volume},
                 {"surface_m2", area},
                 {"time_step_s", run->dt},
                 {"critical_step_s", 2 / run->heat.rate}};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    IG_TRY(sink->result(sink, figures[i].key, figures[i].value));
  return IG_OK;
}
