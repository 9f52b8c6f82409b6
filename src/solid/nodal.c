/* Stresses at nodes; see nodal.h. */
#include "solid/nodal.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "material/j2.inc"

enum { SHELL = 15 }; /* top 6, bottom 6, normal 3 */

ig_status ig_nodal_new(ig_ctx *cx, ig_lid nodes, bool shells, ig_nodal *n) {
  *n = (ig_nodal){
      .cx = cx, .nodes = nodes, .shells = shells, .width = shells ? SHELL : 6, .fitted = -1};
  IG_TRY(IG_NEW(cx, &n->first, (size_t)nodes + 1, "stresses at nodes"));
  for (ig_lid i = 0; i < nodes; i++)
    n->first[i] = -1;
  return IG_OK;
}

void ig_nodal_free(ig_nodal *n) {
  free(n->first);
  free(n->part);
  free(n->value);
  *n = (ig_nodal){0};
}

/* The part of a node to which an element with this key and normal (NULL: no shell) belongs; *side:
   -1 where its normal points to the other side. A part's normal is that of its first element. */
static ig_status part_of(ig_nodal *n, ig_lid node, int key, const double *normal, int32_t *part,
                         int *side) {
  *side = 1;
  for (int32_t p = n->first[node]; p >= 0; p = n->part[p].next) {
    const double *m = n->value + (size_t)p * (size_t)n->width + 12;
    const double along = normal ? dot_f64(m, normal) : 0;
    const bool flat = n->shells && dot_f64(m, m) > 0;
    if (n->part[p].key != key || flat != (normal != NULL) || (normal && fabs(along) < 0.9))
      continue;
    *side = along < 0 ? -1 : 1;
    *part = p;
    return IG_OK;
  }
  *part = n->parts;
  IG_TRY(IG_MORE(n->cx, &n->part, (size_t)n->parts, "stresses at nodes"));
  for (int k = 0; k < n->width; k++) {
    const size_t at = (size_t)n->parts * (size_t)n->width + (size_t)k;
    IG_TRY(IG_MORE(n->cx, &n->value, at, "stresses at nodes"));
    n->value[at] = normal && k >= 12 ? normal[k - 12] : 0;
  }
  n->part[n->parts] = (ig_nodal_part){.next = n->first[node], .key = key};
  n->first[node] = n->parts++;
  return IG_OK;
}

ig_status ig_nodal_add(ig_nodal *n, ig_lid node, int key, const double stress[6]) {
  int32_t p;
  int side;
  IG_TRY(part_of(n, node, key, NULL, &p, &side));
  double *to = n->value + (size_t)p * (size_t)n->width;
  n->part[p].count++;
  for (int k = 0; k < (n->shells ? 12 : 6); k++)
    to[k] += stress[k % 6];
  return IG_OK;
}

ig_status ig_nodal_add_shell(ig_nodal *n, ig_lid node, int key, const double normal[3],
                             const double top[6], const double bottom[6]) {
  int32_t p;
  int side;
  IG_TRY(part_of(n, node, key, normal, &p, &side));
  double *to = n->value + (size_t)p * (size_t)n->width;
  n->part[p].count++;
  for (int k = 0; k < 6; k++) {
    to[k] += side > 0 ? top[k] : bottom[k];
    to[6 + k] += side > 0 ? bottom[k] : top[k];
  }
  return IG_OK;
}

ig_status ig_nodal_add_solid(ig_nodal *n, ig_solid_kind kind, const ig_solid_rule *rule,
                             const ig_lid *node, int key, const double *points, int stride) {
  const int nodes = ig_solid_info_get(kind)->nodes;
  const int count = rule ? rule->points : ig_solid_info_get(kind)->points;
  if (n->fitted != (int)kind || n->rule != rule)
    ig_solid_continuation(kind, rule, n->fit);
  n->fitted = (int)kind;
  n->rule = rule;
  for (int a = 0; a < nodes; a++) {
    double at[6] = {0};
    for (int q = 0; q < count; q++)
      for (int k = 0; k < 6; k++)
        at[k] += n->fit[a * count + q] * points[q * stride + k];
    IG_TRY(ig_nodal_add(n, node[a], key, at));
  }
  return IG_OK;
}

/* Parts are few: one for most nodes. */
void ig_nodal_get(const ig_nodal *n, ig_lid node, ig_nodal_stress *to) {
  *to = (ig_nodal_stress){.mises = -1};
  for (int32_t p = n->first[node]; p >= 0; p = n->part[p].next) {
    const double *sum = n->value + (size_t)p * (size_t)n->width;
    double s[2][6], vm[2];
    for (int k = 0; k < 12; k++)
      s[k / 6][k % 6] = sum[n->shells ? k : k % 6] / n->part[p].count;
    for (int side = 0; side < 2; side++)
      vm[side] = von_mises_f64(s[side]);
    const int worse = vm[1] > vm[0];
    if (vm[worse] <= to->mises)
      continue;
    to->mises = vm[worse];
    memcpy(to->stress, s[worse], sizeof to->stress);
    memcpy(to->surface, s, sizeof s);
  }
  to->mises = fmax(to->mises, 0);
}

double ig_nodal_mises(const double stress[6]) {
  return von_mises_f64(stress);
}

/* One field of `count` numbers per node, `offset` numbers into its record. */
static ig_status field_add(ig_snapshot *snap, const ig_output_case *output, const char *name,
                           int count, ig_lid nodes, const ig_nodal_stress *stress, size_t offset) {
  double *to;
  if (!ig_output_wants(output, name))
    return IG_OK;
  IG_TRY(ig_snapshot_add(snap, name, "Pa", IG_AT_POINTS, IG_F64, count, NULL, (void **)&to));
  for (ig_lid n = 0; n < nodes; n++)
    memcpy(to + (size_t)count * (size_t)n, (const char *)&stress[n] + offset,
           (size_t)count * sizeof *to);
  return IG_OK;
}

static const struct {
  const char *name;
  int count;
  size_t offset;
} fields[] = {{"nodal_stress", 6, offsetof(ig_nodal_stress, stress)},
              {"nodal_von_mises", 1, offsetof(ig_nodal_stress, mises)},
              {"nodal_stress_top", 6, offsetof(ig_nodal_stress, surface)},
              {"nodal_stress_bottom", 6, offsetof(ig_nodal_stress, surface[1])}};

bool ig_nodal_wanted(const ig_output_case *output) {
  bool any = false;
  for (int i = 0; i < 4; i++)
    any |= ig_output_wants(output, fields[i].name);
  return any;
}

ig_status ig_nodal_fields(ig_snapshot *snap, const ig_output_case *output, bool shells,
                          ig_lid nodes, const ig_nodal_stress *stress) {
  for (int i = 0; i < (shells ? 4 : 2); i++)
    IG_TRY(
        field_add(snap, output, fields[i].name, fields[i].count, nodes, stress, fields[i].offset));
  return IG_OK;
}

/* Whether a is what the summary shows rather than b: a number rather than none, the larger, the
   lower node. */
static bool before(const ig_nodal_peak *a, const ig_nodal_peak *b) {
  if (a->node < 0 || b->node < 0)
    return a->node >= 0;
  if (isnan(a->mises) || isnan(b->mises))
    return isnan(b->mises) && (!isnan(a->mises) || a->node < b->node);
  return a->mises > b->mises || (a->mises == b->mises && a->node < b->node);
}

void ig_nodal_peak_take(ig_nodal_peak *peak, double mises, const double x[3], int64_t node) {
  const ig_nodal_peak here = {mises, {x[0], x[1], x[2]}, node};
  if (before(&here, peak))
    *peak = here;
}

ig_nodal_peak ig_nodal_peak_of(ig_lid nodes, const uint8_t *ghost, const ig_lid *number,
                               const double *x, const ig_nodal_stress *stress) {
  ig_nodal_peak peak = {.node = -1};
  for (ig_lid n = 0; n < nodes; n++)
    if (!(ghost && ghost[n]))
      ig_nodal_peak_take(&peak, stress[n].mises, x + 3 * (size_t)n, number ? number[n] : n);
  return peak;
}

ig_status ig_nodal_peak_put(ig_sink *to, const ig_nodal_peak *peak) {
  static const char *const place[] = {"nodal_von_mises_max_x", "nodal_von_mises_max_y",
                                      "nodal_von_mises_max_z"};
  if (peak->node < 0)
    return IG_OK;
  IG_TRY(to->result(to, "nodal_von_mises_max", "Pa", peak->mises));
  for (int d = 0; d < 3; d++)
    IG_TRY(to->result(to, place[d], "m", peak->x[d]));
  return IG_OK;
}

ig_status ig_nodal_results(ig_sink *to, ig_lid nodes, const double *x,
                           const ig_nodal_stress *stress) {
  const ig_nodal_peak peak = ig_nodal_peak_of(nodes, NULL, NULL, x, stress);
  return ig_nodal_peak_put(to, &peak);
}
