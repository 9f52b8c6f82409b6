/* Loops of the stress room on the CPU, by OpenMP. Forces and products are sums at shared nodes:
   by color (elements of a color share no node), gather (each node sums its slots) or cluster
   (compact pieces summed in local memory); see assembly/. Products work on packs of elements:
   product.inc is compiled for a vector type (p64), all else in double precision for one element. */
#include "backend/backend.h"
#include "core/threads.h"
#include "stress/ops.h"

#include <string.h>

#include "kern/pack_f64.h"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "stress/assumed.inc"
#define STORED REAL
#include "stress/product.inc"
#include "stress/tet_product.inc"
#undef STORED
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "stress/assumed.inc"
#include "stress/law.inc"
#include "stress/rotation.inc"
#include "stress/point.inc"
#include "stress/element.inc"
#include "stress/tet.inc"

/* What a thread adds up of the elements i …, up to `end`, of a cluster (v) or of a color. */
typedef void pass(const ig_stress_args *p, const ig_cluster_view *v, const double *x, ig_lid i,
                  ig_lid end, double *y);

/* Forces of the element at place i of its order, added by the plan. Inlined, with `nodes` of the
   element and `past` known. */
IG_HD void force_of(const ig_stress_args *p, const ig_cluster_view *v, const int nodes, bool past,
                    const double *u, ig_lid i, double *f) {
  const int32_t e = v ? v->order[i] : ig_scatter_element(&p->scatter, i);
  double fe[30];
  const bool there = nodes == 10 ? ig_tet_force(p, e, e, past, u, fe)
                                 : ig_stress_force(p, e, v ? i : e, past, u, fe);
  if (!there && p->scatter.how != IG_GATHER)
    return; /* gather reads every slot */
  for (int k = 0; k < 3 * nodes; k++)
    ig_cluster_add_f64(v, &p->scatter, i, e, k / 3, 3, k % 3, fe[k], f, p->slots);
}

static void force_one(const ig_stress_args *p, const ig_cluster_view *v, const double *u, ig_lid i,
                      ig_lid end, double *f) {
  (void)end;
  force_of(p, v, 8, false, u, i, f);
}

static void force_past(const ig_stress_args *p, const ig_cluster_view *v, const double *u, ig_lid i,
                       ig_lid end, double *f) {
  (void)end;
  force_of(p, v, 8, true, u, i, f);
}

static void tet_force_one(const ig_stress_args *p, const ig_cluster_view *v, const double *u,
                          ig_lid i, ig_lid end, double *f) {
  (void)end;
  force_of(p, v, 10, false, u, i, f);
}

static void tet_force_past(const ig_stress_args *p, const ig_cluster_view *v, const double *u,
                           ig_lid i, ig_lid end, double *f) {
  (void)end;
  force_of(p, v, 10, true, u, i, f);
}

/* The product for as many elements as a pack has lanes. Lanes beyond `end` repeat the last
   element and are not added; elements that are not alive have any tangent and add 0. */
IG_HD void product_of(const ig_stress_args *p, const ig_cluster_view *v, const int nodes,
                      const double *x, ig_lid i, ig_lid end, double *y) {
  ig_pack_f64 xe[30], ue[30], slope[8 * IG_SLOPES_MOST], fe[30], bulk;
  int64_t element[IG_PACK_F64];
  double corner[30];
  ig_stress_spin spin[IG_PACK_F64]; /* and what follows: of rotated elements */
  double seen[IG_PACK_F64][24], turned[IG_PACK_F64][3];
  bool any = false;
  for (int l = 0; l < IG_PACK_F64; l++) {
    const ig_lid place = i + l < end ? i + l : end - 1;
    const int64_t e = element[l] = v ? v->order[place] : ig_scatter_element(&p->scatter, place);
    const int64_t row = v ? place : e;
    any |= p->alive[e];
    for (int k = 0; k < 3 * nodes; k++) {
      const int64_t at = 3 * (int64_t)p->scatter.conn[nodes * e + k / 3] + k % 3;
      xe[k][l] = p->x[at];
      corner[k] = x[at];
    }
    if (p->turn && p->alive[e]) {
      ig_stress_spin_before(p, e, spin + l, corner, turned[l]);
      memcpy(seen[l], corner, sizeof seen[l]);
    }
    for (int k = 0; k < 3 * nodes; k++)
      ue[k][l] = corner[k];
    for (int k = 0; k < 8 * p->slopes; k++)
      slope[k][l] = p->alive[e] ? p->slope[ig_stress_at(row, p->slopes, k / 8, k % 8)] : 1;
    bulk[l] = p->alive[e] ? p->bulk[e] : 0;
  }
  if (!any && p->scatter.how != IG_GATHER)
    return;
  if (nodes == 10)
    stress_product_tet_p64(xe, ue, slope, 1, p->slopes, !p->assumed, bulk, ig_stress_flows(p), fe);
  else if (p->assumed)
    stress_product_assumed_p64(xe, ue, slope, 1, p->slopes, ig_stress_flows(p), fe);
  else
    stress_product_p64(xe, ue, slope, 1, bulk, ig_stress_flows(p), fe);
  for (int l = 0; l < IG_PACK_F64 && i + l < end; l++)
    if (p->alive[element[l]] || p->scatter.how == IG_GATHER) {
      for (int k = 0; k < 3 * nodes; k++)
        corner[k] = p->alive[element[l]] ? fe[k][l] : 0;
      if (p->turn && p->alive[element[l]])
        ig_stress_spin_after(p, element[l], spin + l, seen[l], turned[l], corner);
      for (int k = 0; k < 3 * nodes; k++)
        ig_cluster_add_f64(v, &p->scatter, i + l, (int32_t)element[l], k / 3, 3, k % 3, corner[k],
                           y, p->slots);
    }
}

static void product_pack(const ig_stress_args *p, const ig_cluster_view *v, const double *x,
                         ig_lid i, ig_lid end, double *y) {
  product_of(p, v, 8, x, i, end, y);
}

static void tet_product_pack(const ig_stress_args *p, const ig_cluster_view *v, const double *x,
                             ig_lid i, ig_lid end, double *y) {
  product_of(p, v, 10, x, i, end, y);
}

/* y = the sums of what elements give, `width` of them at a time. */
static ig_status sums(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan, pass *give,
                      int width, const double *x, double *y) {
  IG_TRY(cx->backend->fill(cx, y, 0, 3 * sizeof *y * (size_t)plan->nodes));
  for (int c = 0; c < plan->colors; c++) {
    ig_lid begin, end;
    ig_plan_range(plan, c, plan->elements, &begin, &end);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, end - begin, IG_WORK_ROW))
    for (ig_lid i = begin; i < end; i += width)
      give(p, NULL, x, i, end, y);
  }
  return ig_plan_sum_f64(cx, plan, 3, p->slots, y);
}

/* The same by clusters: a thread sums a cluster in `sum`; inner nodes go to y at once, nodes of
   the border to slots, which are added in a fixed order afterwards. */
static ig_status cluster_sums(ig_ctx *cx, const ig_stress_args *p, pass *give, int width,
                              const double *x, double *y) {
  const ig_cluster_view *v = &p->cluster;
  IG_TRY(ig_clusters_clear(cx, p->clusters, p->scatter.nodes, 3, sizeof *y, y));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, p->scatter.elements, IG_WORK_ROW))
  for (int32_t c = 0; c < v->count; c++) {
    const ig_cluster *k = &v->cluster[c];
    double sum[3 * IG_STRESS_CLUSTER_NODES];
    memset(sum, 0, 3 * (size_t)k->nodes * sizeof *sum);
    for (ig_lid i = k->first; i < k->first + k->count; i += width)
      give(p, v, x, i, k->first + k->count, sum);
    ig_cluster_leave_all_f64(v, k, 3, sum, p->slots, y);
  }
  return ig_clusters_sum_f64(cx, p->clusters, 3, p->slots, y);
}

static ig_status force(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan, bool past,
                       const double *u, double *f) {
  pass *const give = p->tet ? past ? tet_force_past : tet_force_one : past ? force_past : force_one;
  return plan->how == IG_CLUSTER ? cluster_sums(cx, p, give, 1, u, f)
                                 : sums(cx, p, plan, give, 1, u, f);
}

static ig_status product(ig_ctx *cx, const ig_stress_args *p, const ig_plan *plan, const double *x,
                         double *y) {
  pass *const give = p->tet ? tet_product_pack : product_pack;
  return plan->how == IG_CLUSTER ? cluster_sums(cx, p, give, IG_PACK_F64, x, y)
                                 : sums(cx, p, plan, give, IG_PACK_F64, x, y);
}

/* History moves on, and no element sees another's: any order gives the same. */
static ig_status commit(ig_ctx *cx, const ig_stress_args *p, const double *u) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, p->scatter.elements, IG_WORK_ROW))
  for (int32_t e = 0; e < p->scatter.elements; e++)
    (p->tet ? ig_tet_commit : ig_stress_commit)(p, e, u);
  return IG_OK;
}

/* list NULL: all elements. */
static ig_status wipe(ig_ctx *cx, const ig_stress_args *p, const double *u, bool hot,
                      const int32_t *list, const double *value, int64_t count) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, count, IG_WORK_ROW))
  for (int64_t i = 0; i < count; i++)
    (p->tet ? ig_tet_wipe : ig_stress_wipe)(p, list ? list[i] : i, u, hot, value[i]);
  return IG_OK;
}

static ig_status values(ig_ctx *cx, const ig_stress_args *p, ig_stress_value what,
                        const double *old, const double *u, ig_lid begin, ig_lid count,
                        double *out) {
  const int size = ig_stress_value_count(what);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, count, IG_WORK_ROW))
  for (ig_lid i = 0; i < count; i++)
    (p->tet ? ig_tet_values_of : ig_stress_values_of)(p, what, begin + i, old, u,
                                                      out + size * (int64_t)i);
  return IG_OK;
}

static ig_status young(ig_ctx *cx, const ig_stress_args *p, double *out) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, p->scatter.elements, IG_WORK_ROW))
  for (int32_t e = 0; e < p->scatter.elements; e++)
    out[e] = (p->tet ? ig_tet_young : ig_stress_young)(p, e);
  return IG_OK;
}

static ig_status add(ig_ctx *cx, int64_t n, double a, const double *x, double *y) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    y[i] += a * x[i];
  return IG_OK;
}

/* x of each group of tied unknowns becomes their mean. Serial: groups are few and the order of
   the sum must be fixed. */
#define TIE(name, T)                                                                               \
  static ig_status name(ig_ctx *cx, int groups, const int32_t *start, const int32_t *item, T *x) { \
    (void)cx;                                                                                      \
    for (int g = 0; g < groups; g++) {                                                             \
      double sum = 0;                                                                              \
      for (int32_t i = start[g]; i < start[g + 1]; i++)                                            \
        sum += (double)x[item[i]];                                                                 \
      for (int32_t i = start[g]; i < start[g + 1]; i++)                                            \
        x[item[i]] = (T)(sum / (start[g + 1] - start[g]));                                         \
    }                                                                                              \
    return IG_OK;                                                                                  \
  }
TIE(tie_f64, double)
TIE(tie_f32, float)

/* Between nodes x 3 and a grid that stores component after component. */
static ig_status to_grid(ig_ctx *cx, int64_t nodes, int64_t stored, const int32_t *list,
                         const int32_t *place, const float *x, float *y) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, 3 * nodes, IG_WORK_VALUE))
  for (int64_t n = 0; n < nodes; n++)
    for (int d = 0; d < 3; d++)
      y[d * stored + place[n]] = x[3 * (list ? list[n] : n) + d];
  return IG_OK;
}

static ig_status from_grid(ig_ctx *cx, int64_t nodes, int64_t stored, const int32_t *list,
                           const int32_t *place, const float *x, float *y) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, 3 * nodes, IG_WORK_VALUE))
  for (int64_t n = 0; n < nodes; n++)
    for (int d = 0; d < 3; d++)
      y[3 * (list ? list[n] : n) + d] = x[d * stored + place[n]];
  return IG_OK;
}

static ig_status to_cells(ig_ctx *cx, int64_t elements, const int32_t *list, const int32_t *cell,
                          const double *x, double *y) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, elements, IG_WORK_VALUE))
  for (int64_t e = 0; e < elements; e++)
    y[cell[e]] = x[list ? list[e] : e];
  return IG_OK;
}

static ig_status turn(ig_ctx *cx, int64_t nodes, const float *turn, bool back, const float *x,
                      float *y) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, 3 * nodes, IG_WORK_VALUE))
  for (int64_t n = 0; n < nodes; n++)
    ig_stress_turn_single(turn + 9 * n, back, x + 3 * n, y + 3 * n);
  return IG_OK;
}

/* Corrections of prescribed unknowns are 0. */
static ig_status still(ig_ctx *cx, int64_t nodes, const uint8_t *fix, float *x) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, 3 * nodes, IG_WORK_VALUE))
  for (int64_t i = 0; i < 3 * nodes; i++)
    x[i] = fix[i / 3] >> (i % 3) & 1 ? 0 : x[i];
  return IG_OK;
}

const ig_stress_ops ig_stress_cpu = {.force = force,
                                     .product = product,
                                     .commit = commit,
                                     .wipe = wipe,
                                     .values = values,
                                     .young = young,
                                     .add = add,
                                     .tie_f64 = tie_f64,
                                     .tie_f32 = tie_f32,
                                     .to_grid = to_grid,
                                     .from_grid = from_grid,
                                     .to_cells = to_cells,
                                     .turn = turn,
                                     .still = still};
