/* A mesh of hexahedra or tetrahedra on the CPU: the table of passes of mesh_ops.h. Sums at shared
   nodes go through the plan: color by color, or into slots that ig_plan_sum adds in order. What is
   done at an element or a node is in mesh.inc, for both backends. */
#include "backend/backend.h"
#include "core/threads.h"
#include "solver/mesh/mesh_ops.h"

#include <math.h>

#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "solver/mesh/mesh.inc"

/* For the single-precision product of the preconditioner. */
static ig_status to_single(ig_ctx *cx, int64_t n, const double *x, float *y) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int64_t i = 0; i < n; i++)
    y[i] = (float)x[i];
  return IG_OK;
}

/* A fixed number of partial sums, whatever the number of threads: the same bits. */
static ig_status ground(ig_ctx *cx, const ig_ground *g, const double *x, double *y, double *partial,
                        double *dot) {
  const int64_t n = (int64_t)g->size * g->nodes;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, n, IG_WORK_VALUE))
  for (int c = 0; c < IG_MESH_CHUNKS; c++) {
    double s = 0;
    for (int64_t i = n * c / IG_MESH_CHUNKS; i < n * (c + 1) / IG_MESH_CHUNKS; i++) {
      y[i] = ig_ground_value(g, i, x[i], y[i]);
      s += x[i] * y[i];
    }
    partial[c] = s;
  }
  if (dot) {
    *dot = 0;
    for (int c = 0; c < IG_MESH_CHUNKS; c++)
      *dot += partial[c];
  }
  return IG_OK;
}

/* Elements write their own number only: no plan is needed. The same holds for to_elements and
   strain. */
static ig_status energy(ig_ctx *cx, const ig_mesh_args *p, const double *u, const double *v,
                        double scale, bool add, double *out) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(ig_team(cx, p->scatter.elements, IG_WORK_ELEMENT))
  for (int32_t e = 0; e < p->scatter.elements; e++)
    IG_BY_NODES(p->scatter.npe,
                out[e] = (add ? out[e] : 0) + scale * ig_cell_energy(p, N, e, u, v));
  return IG_OK;
}

/* elements of a color that exist: all */
#define RANGE_OF(plan, color)                                                                      \
  ig_lid begin, end;                                                                               \
  ig_plan_range(plan, color, (plan)->elements, &begin, &end)

/* One element's share of the blocks of its nodes. */
IG_HD void add_diagonal(const ig_mesh_args *p, const int n, ig_lid e, double modulus,
                        double *block) {
  const int count = p->size == 1 ? 1 : 6;
  double at[30], b[6];
  ig_cell_positions(p, n, e, at);
  for (int a = 0; a < n; a++) {
    ig_cell_diagonal(p, n, e, at, a, b);
    for (int j = 0; j < count; j++)
      ig_scatter_add_f64(&p->scatter, e, a, count, j, modulus * b[j], block, p->slots);
  }
}
/* The diagonal blocks of A, from the element matrices' own; six numbers per node, symmetric. */
static ig_status diagonal(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                          const double *modulus, double *block) {
  const int count = p->size == 1 ? 1 : 6;
  IG_TRY(cx->backend->fill(cx, block, 0, (size_t)count * sizeof *block * (size_t)p->scatter.nodes));
  for (int color = 0; color < plan->colors; color++) {
    RANGE_OF(plan, color);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, end - begin, IG_WORK_ELEMENT))
    for (ig_lid i = begin; i < end; i++) {
      const ig_lid e = ig_scatter_element(&p->scatter, i);
      IG_BY_NODES(p->scatter.npe, add_diagonal(p, N, e, modulus ? modulus[e] : 1, block));
    }
  }
  return ig_plan_sum_f64(cx, plan, count, p->slots, block);
}

/* The product with one unknown per node in both precisions; positions are in double in either case.
   By clusters a thread's sums are in its cache, and only those of borders go through slots. */
#define SCALAR_PRODUCT(F, R)                                                                       \
  /* v: clusters, of which element e is number i, or NULL */                                       \
  IG_HD void add_scalar_##F(const ig_mesh_args *p, const ig_cluster_view *v, const int n,          \
                            int64_t i, ig_lid e, R modulus, const R *t, R *y) {                    \
    R x[30], te[10], f[10];                                                                        \
    for (int k = 0; k < 3 * n; k++)                                                                \
      x[k] = (R)p->x[3 * (int64_t)p->scatter.conn[n * (int64_t)e + k / 3] + k % 3];                \
    for (int a = 0; a < n; a++)                                                                    \
      te[a] = t[p->scatter.conn[n * (int64_t)e + a]];                                              \
    if (n == 8)                                                                                    \
      hex_scalar_##F(x, te, (R)p->conduct, (R)p->mass, f);                                         \
    else                                                                                           \
      tet_scalar_##F(x, te, n, (R)p->conduct, (R)p->mass, f);                                      \
    for (int a = 0; a < n; a++)                                                                    \
      ig_cluster_add_##F(v, &p->scatter, i, e, a, 1, 0, modulus *f[a], y, p->slots);               \
  }                                                                                                \
  static ig_status scalar_clusters_##F(ig_ctx *cx, const ig_mesh_args *p, const R *modulus,        \
                                       const R *t, R *y) {                                         \
    const ig_cluster_view *v = &p->cluster;                                                        \
    const int team_ = ig_team(cx, p->scatter.elements, IG_WORK_ELEMENT);                           \
    IG_TRY(ig_clusters_clear(cx, p->clusters, p->scatter.nodes, 1, sizeof *y, y));                 \
    _Pragma("omp parallel for schedule(static) num_threads(team_)") for (int32_t c = 0;            \
                                                                         c < v->count; c++) {      \
      const ig_cluster *k = &v->cluster[c];                                                        \
      R sum[IG_CLUSTER_NODES] = {0};                                                               \
      for (ig_lid i = k->first; i < k->first + k->count; i++) {                                    \
        const ig_lid e = v->order[i];                                                              \
        IG_BY_NODES(p->scatter.npe,                                                                \
                    add_scalar_##F(p, v, N, i, e, modulus ? modulus[e] : 1, t, sum));              \
      }                                                                                            \
      ig_cluster_leave_all_##F(v, k, 1, sum, p->borders, y);                                       \
    }                                                                                              \
    return ig_clusters_sum_##F(cx, p->clusters, 1, p->borders, y);                                 \
  }                                                                                                \
  static ig_status scalar_##F(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,              \
                              const R *modulus, const R *t, R *y) {                                \
    if (p->clusters)                                                                               \
      return scalar_clusters_##F(cx, p, modulus, t, y);                                            \
    IG_TRY(cx->backend->fill(cx, y, 0, sizeof *y *(size_t)p->scatter.nodes));                      \
    for (int color = 0; color < plan->colors; color++) {                                           \
      RANGE_OF(plan, color);                                                                       \
      const int team_ = ig_team(cx, end - begin, IG_WORK_ELEMENT);                                 \
      _Pragma("omp parallel for schedule(static) num_threads(team_)") for (ig_lid i = begin;       \
                                                                           i < end; i++) {         \
        const ig_lid e = ig_scatter_element(&p->scatter, i);                                       \
        IG_BY_NODES(p->scatter.npe,                                                                \
                    add_scalar_##F(p, NULL, N, i, e, modulus ? modulus[e] : 1, t, y));             \
      }                                                                                            \
    }                                                                                              \
    return ig_plan_sum_##F(cx, plan, 1, p->slots, y);                                              \
  }
SCALAR_PRODUCT(f32, float)
SCALAR_PRODUCT(f64, double)

/* An element's value to its nodes, by their shares of it. */
IG_HD void add_to_nodes(const ig_mesh_args *p, const int n, ig_lid e, double value, double *out) {
  double x[30], weight[10];
  ig_cell_gather(&p->scatter, n, e, p->x, x);
  ig_cell_shares(p, x, n, weight);
  for (int a = 0; a < n; a++)
    ig_scatter_add_f64(&p->scatter, e, a, 1, 0, value * weight[a], out, p->slots);
}
/* Transpose of to_elements: filters need both, exactly adjoint. */
static ig_status to_nodes(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan, const double *in,
                          double *out) {
  IG_TRY(cx->backend->fill(cx, out, 0, sizeof *out * (size_t)p->scatter.nodes));
  for (int color = 0; color < plan->colors; color++) {
    RANGE_OF(plan, color);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, end - begin, IG_WORK_ELEMENT))
    for (ig_lid i = begin; i < end; i++) {
      const ig_lid e = ig_scatter_element(&p->scatter, i);
      IG_BY_NODES(p->scatter.npe, add_to_nodes(p, N, e, in[e], out));
    }
  }
  return ig_plan_sum_f64(cx, plan, 1, p->slots, out);
}

/* Means by the same shares as to_nodes. */
static ig_status to_elements(ig_ctx *cx, const ig_mesh_args *p, const double *in, double *out) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(ig_team(cx, p->scatter.elements, IG_WORK_ELEMENT))
  for (ig_lid e = 0; e < p->scatter.elements; e++)
    IG_BY_NODES(p->scatter.npe, out[e] = ig_cell_mean(p, N, e, in));
  return IG_OK;
}

/* For stress constraints and their gradients. */
static ig_status strain(ig_ctx *cx, const ig_mesh_args *p, const double *u, double *tensor) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(ig_team(cx, p->scatter.elements, IG_WORK_ELEMENT))
  for (ig_lid e = 0; e < p->scatter.elements; e++)
    IG_BY_NODES(p->scatter.npe, ig_cell_strain(p, N, e, u, tensor));
  return IG_OK;
}

/* For geometric stiffness. */
static ig_status gradient(ig_ctx *cx, const ig_mesh_args *p, const double *u, double *to) {
#pragma omp parallel for schedule(static)                                                          \
    num_threads(ig_team(cx, p->scatter.elements, IG_WORK_ELEMENT))
  for (ig_lid e = 0; e < p->scatter.elements; e++)
    IG_BY_NODES(p->scatter.npe, ig_cell_gradient(p, N, e, u, to));
  return IG_OK;
}

/* What the tensor of an element, or its gradient (`all`), leaves at its nodes. */
IG_HD void add_back(const ig_mesh_args *p, const int n, ig_lid e, bool all, const double *tensor,
                    double *f) {
  double rate[9], fe[3];
  ig_cell_center(p, n, e, rate);
  for (int a = 0; a < n; a++) {
    if (all)
      ig_cell_gradient_back(p, n, e, rate, a, tensor, fe);
    else
      ig_cell_strain_back(p, n, e, rate, a, tensor, fe);
    for (int c = 0; c < 3; c++)
      ig_scatter_add_f64(&p->scatter, e, a, 3, c, fe[c], f, p->slots);
  }
}
static ig_status back(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan, bool all,
                      const double *tensor, double *f) {
  IG_TRY(cx->backend->fill(cx, f, 0, 3 * sizeof *f * (size_t)p->scatter.nodes));
  for (int color = 0; color < plan->colors; color++) {
    RANGE_OF(plan, color);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, end - begin, IG_WORK_ELEMENT))
    for (ig_lid i = begin; i < end; i++) {
      const ig_lid e = ig_scatter_element(&p->scatter, i);
      IG_BY_NODES(p->scatter.npe, add_back(p, N, e, all, tensor, f));
    }
  }
  return ig_plan_sum_f64(cx, plan, 3, p->slots, f);
}
/* Transposes of `strain` and `gradient`: what a slope by these is as one by displacements. */
static ig_status strain_back(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                             const double *tensor, double *f) {
  return back(cx, p, plan, false, tensor, f);
}
static ig_status gradient_back(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                               const double *from, double *f) {
  return back(cx, p, plan, true, from, f);
}

/* Once per design, for the preconditioner by nodes; `scale` is its use. */
static ig_status invert(ig_ctx *cx, const ig_ground *g, bool whole, const double *block,
                        float *inverse) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, g->nodes, IG_WORK_NODE))
  for (ig_lid n = 0; n < g->nodes; n++)
    ig_ground_invert(g, n, whole, block, inverse);
  return IG_OK;
}

static ig_status scale_blocks(ig_ctx *cx, ig_lid nodes, int size, const float *inverse,
                              const float *r, float *z) {
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, nodes, IG_WORK_NODE))
  for (ig_lid n = 0; n < nodes; n++)
    ig_node_scale(n, size, inverse, r, z);
  return IG_OK;
}

static ig_status cone(ig_ctx *cx, const ig_cone *c, const double *in, double *out) {
/* elements near the rim of the part have fewer neighbours, so shares differ; each writes only its
   own */
#pragma omp parallel for schedule(dynamic, 256)                                                    \
    num_threads(ig_team(cx, c->elements, IG_WORK_ELEMENT))
  for (int32_t e = 0; e < c->elements; e++)
    out[e] = ig_cone_sum(c, e, in);
  return IG_OK;
}

const ig_solver_mesh_ops ig_solver_mesh_cpu = {.to_single = to_single,
                                               .ground = ground,
                                               .energy = energy,
                                               .scalar_f32 = scalar_f32,
                                               .scalar_f64 = scalar_f64,
                                               .to_nodes = to_nodes,
                                               .to_elements = to_elements,
                                               .strain = strain,
                                               .strain_back = strain_back,
                                               .gradient = gradient,
                                               .gradient_back = gradient_back,
                                               .diagonal = diagonal,
                                               .invert = invert,
                                               .scale = scale_blocks,
                                               .cone = cone};

const ig_solver_mesh_ops *ig_solver_mesh_ops_of(const ig_ctx *cx) {
  return IG_OPS_OF(cx, &ig_solver_mesh_cpu, &ig_solver_mesh_cuda);
}
