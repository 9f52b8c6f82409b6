/* Setting up element-by-element products, and the CPU's. Sources are compiled for packs of elements
   (p32, p64: as many as a vector register holds) and for single numbers in both precisions.
   ig_ebe_new and ig_ebe_apply are the entries. */
#include "solver/mesh/ebe.h"
#include "core/threads.h"
#include "backend/backend.h"
#include "mesh/topology.h"
#include "solver/mesh/ebe_ops.h"
#include "solver/mesh/mesh_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/pack_f32.h"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "kern/pack_f64.h"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"

/* The CPU's product once per precision: FN are single numbers, PN packs of elements. */
#define PACK ig_pack_f32
#define PN(name) name##_p32
#define LANES IG_PACK_F32
#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "solver/mesh/ebe.inc"
#include "solver/mesh/ebe_cpu.inc"
#undef PACK
#undef PN
#undef LANES
#define PACK ig_pack_f64
#define PN(name) name##_p64
#define LANES IG_PACK_F64
#include "kern/prec_f64.h"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"
#include "assembly/scatter.inc"
#include "assembly/cluster_sum.inc"
#include "solver/mesh/ebe.inc"
#include "solver/mesh/ebe_cpu.inc"
#include "solver/mesh/ebe_fill.inc"

/* A matrix column by column, 24 products with unit vectors: slow, but by the same function as
   `recompute`, so that all kinds agree, and done once. */
#define FILL(F, R)                                                                                 \
  ig_status ig_ebe_fill_cpu_##F(ig_ctx *cx, const ig_ebe_fill *p, R *matrix) {                     \
    const int team_ = ig_team(cx, p->count, IG_WORK_ROW);                                          \
    _Pragma("omp parallel for schedule(static) num_threads(team_)") for (ig_lid i = 0;             \
                                                                         i < p->count;             \
                                                                         i++) for (int c = 0;      \
                                                                                   c < 24; c++)    \
        ig_ebe_fill_column_##F(p, i, c, matrix);                                                   \
    return IG_OK;                                                                                  \
  }
FILL(f32, float)
FILL(f64, double)
#undef FILL

/* As in ebe.h and in case files. */
const char *ig_ebe_name(ig_ebe_kind kind) {
  static const char *const names[] = {
#define X(name, text) text,
      IG_EBE_LIST(X)
#undef X
  };
  return names[kind];
}

/* The matrices, made where they will be used; of classes only those of the representatives. They
   are computed in double and rounded to the operator's precision. The positions are needed for this
   alone and freed again. */
static ig_status matrices(ig_ctx *cx, ig_ebe *op, const double *x, const ig_lid *representative) {
  const size_t entries = op->kind == IG_EBE_EBESYM ? IG_EBE_HALF : IG_EBE_FULL;
  const ig_lid count = representative ? op->classes : op->elements;
  ig_array at = {0}, list = {0};
  ig_status status;
  IG_TRY(ig_array_new_device(cx, &op->matrix, (size_t)count * entries,
                             op->single ? sizeof(float) : sizeof(double), "element matrices"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &at, x, 3 * (size_t)op->nodes, sizeof *x, "positions"));
  if (representative)
    IG_TRY_GOTO(status, done,
                ig_array_from(cx, &list, representative, (size_t)count, sizeof(ig_lid), "classes"));
  const ig_ebe_fill p = {.count = count,
                         .elements = op->elements,
                         .list = list.dev,
                         .conn = op->plan.conn.dev,
                         .x = at.dev,
                         .half = op->kind == IG_EBE_EBESYM,
                         .coalesced = cx->backend->kernels == IG_KERNELS_CUDA,
                         .lame = op->args.lame,
                         .shear = op->args.shear};
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    status = op->single ? ig_ebe_fill_cuda_f32(cx, &p, op->matrix.dev)
                        : ig_ebe_fill_cuda_f64(cx, &p, op->matrix.dev);
  else
#endif
    status = op->single ? ig_ebe_fill_cpu_f32(cx, &p, op->matrix.dev)
                        : ig_ebe_fill_cpu_f64(cx, &p, op->matrix.dev);
done:
  ig_array_free(cx, &at);
  ig_array_free(cx, &list);
  return status;
}

/* The least determinant over the integration points of an element. Positive at these points does
   not mean positive everywhere in a hexahedron, but K_e sees no other. */
static double least_determinant(const double *x, const ig_lid *node, int npe) {
  double xe[30], xm[21], j[9], cof[9], d[10][3], least = INFINITY;
  for (int i = 0; i < 3 * npe; i++)
    xe[i] = x[3 * (int64_t)node[i / 3] + i % 3];
  if (npe == 8)
    hex8_modes_f64(xe, 3, xm);
  for (int q = 0; q < (npe == 8 ? 8 : tet_points_f64(npe)); q++) {
    if (npe == 8) {
      hex8_columns_f64(xm, 3, hex8_point_f64(q, 0), hex8_point_f64(q, 1), hex8_point_f64(q, 2), j);
    } else {
      (void)tet_slopes_f64(npe, q, d);
      tet_columns_f64(xe, npe, 3, d, j);
    }
    const double det = hex8_cofactors_f64(j, cof);
    least = det < least || isnan(det) ? det : least;
  }
  return least;
}

/* The Jacobian determinant must be positive at all integration points: K_e is indefinite otherwise,
   and conjugate gradients fail long after the cause. The lowest bad element is named, whatever
   thread found it. */
ig_status ig_ebe_check(ig_ctx *cx, ig_lid elements, int npe, const double *x, const ig_lid *conn) {
  ig_lid bad = INT32_MAX;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, elements, IG_WORK_ELEMENT))      \
    reduction(min                                                                                  \
              : bad)
  for (ig_lid e = 0; e < elements; e++)
    if (!(least_determinant(x, conn + npe * (int64_t)e, npe) > 0))
      bad = e < bad ? e : bad;
  if (bad != INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "element %d is inverted or flat: its Jacobian is not positive",
                   bad);
  return IG_OK;
}

/* Classes of the whole mesh, of which a part has the matrices of those it meets. number: of each
   class, its number here plus one, 0: not met. The part may not hold the class's representative, so
   a small mesh is made, with one separate element for each class met. */
static ig_status classes_of_part(ig_ctx *cx, const ig_ebe_whole *w, ig_ebe *op) {
  ig_classes all;
  ig_lid *number = NULL, *conn = NULL;
  double *x = NULL;
  /* the part's own connectivity, put back at the end */
  ig_array corners = {0}, kept = op->plan.conn;
  const ig_lid nodes = op->nodes;
  ig_status status;
  IG_TRY(ig_mesh_classes(cx, w->x, w->elements, 8, w->conn, &all));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &number, all.count, "element classes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &conn, 8 * (size_t)all.count, "element classes"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &x, 24 * (size_t)all.count, "element classes"));
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &op->of, (size_t)op->elements, sizeof(ig_lid), "element classes"));
  for (ig_lid e = 0; e < op->elements; e++) {
    const ig_lid c = all.of[w->element[e]], *corner = w->conn + 8 * (int64_t)all.representative[c];
    if (!number[c]) {
      for (int i = 0; i < 24; i++)
        x[24 * (int64_t)op->classes + i] = w->x[3 * (int64_t)corner[i / 3] + i % 3];
      number[c] = ++op->classes;
    }
    ((ig_lid *)op->of.host)[e] = number[c] - 1;
  }
  for (ig_lid i = 0; i < 8 * op->classes; i++)
    conn[i] = i;
  IG_TRY_GOTO(status, done, ig_array_push(cx, &op->of));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &corners, conn, 8 * (size_t)op->classes, sizeof *conn, "classes"));
  op->plan.conn = corners; /* one element of each class is a mesh as well */
  op->nodes = 8 * op->classes;
  status = matrices(cx, op, x, conn);
  op->plan.conn = kept;
  op->nodes = nodes;
done:
  ig_array_free(cx, &corners);
  ig_classes_free(&all);
  free(number);
  free(conn);
  free(x);
  return status;
}

/* whole: `op` has some of its elements, and its plan already; NULL: all of them. In this order:
   checks, plan or clusters, what the kind stores, slots, then the pointers that kernels see. */
static ig_status setup(ig_ctx *cx, ig_assembly how, const double *x, int npe, const ig_lid *conn,
                       const ig_ebe_whole *whole, ig_ebe *op) {
  if (npe != 8 && op->kind != IG_EBE_RECOMPUTE)
    return IG_FAIL(cx, IG_UNSUPPORTED, "operator %s is for hexahedra: tetrahedra take recompute",
                   ig_ebe_name(op->kind));
  IG_TRY(ig_ebe_check(cx, op->elements, npe, x, conn));
  if (!whole)
    IG_TRY(ig_plan_new(cx, how, IG_SLOTS_COMPACT, op->nodes, op->elements, npe, conn, &op->plan));
  if (how == IG_CLUSTER)
    IG_TRY(ig_clusters_new_sized(cx, op->nodes, op->elements, npe, conn, x,
                                 npe == 4 ? IG_CLUSTER_ELEMENTS : IG_CLUSTER_SMALL,
                                 npe == 4 ? IG_CLUSTER_NODES : IG_CLUSTER_SMALL_NODES,
                                 &op->cluster));
  op->args.lame = hooke_lame_f64(op->poisson);
  op->args.shear = hooke_shear_f64(op->poisson);
  if (op->kind == IG_EBE_RECOMPUTE) {
    const size_t n = 3 * (size_t)op->nodes;
    IG_TRY(ig_array_new(cx, &op->x, n, op->single ? sizeof(float) : sizeof(double), "positions"));
    for (size_t i = 0; i < n; i++)
      if (op->single)
        ((float *)op->x.host)[i] = (float)x[i];
      else
        ((double *)op->x.host)[i] = x[i];
    IG_TRY(ig_array_push(cx, &op->x));
  } else if (op->kind == IG_EBE_CLASSES && whole) {
    IG_TRY(classes_of_part(cx, whole, op));
  } else if (op->kind == IG_EBE_CLASSES) {
    ig_classes classes;
    IG_TRY(ig_mesh_classes(cx, x, op->elements, 8, conn, &classes));
    op->classes = classes.count;
    ig_status status = matrices(cx, op, x, classes.representative);
    if (status == IG_OK)
      status = ig_array_from(cx, &op->of, classes.of, (size_t)op->elements, sizeof(ig_lid),
                             "element classes");
    ig_classes_free(&classes);
    IG_TRY(status);
  } else {
    IG_TRY(matrices(cx, op, x, NULL));
  }
  if (op->kind == IG_EBE_NBN) { /* corners at each node: the plan's slots, turned round */
    const int64_t corners = 8 * (int64_t)op->elements;
    IG_TRY(ig_array_new(cx, &op->first, (size_t)op->nodes + 1, sizeof(ig_lid), "reverse starts"));
    IG_TRY(ig_array_new(cx, &op->item, (size_t)corners, sizeof(ig_lid), "reverse connectivity"));
    ig_lid *first = op->first.host, *item = op->item.host;
    for (int64_t i = 0; i < corners; i++)
      first[conn[i] + 1]++;
    for (ig_lid n = 0; n < op->nodes; n++)
      first[n + 1] += first[n];
    for (int64_t i = 0; i < corners; i++)
      item[first[conn[i]]++] = (ig_lid)i;
    for (ig_lid n = op->nodes; n > 0; n--)
      first[n] = first[n - 1];
    first[0] = 0;
    IG_TRY(ig_array_push(cx, &op->first));
    IG_TRY(ig_array_push(cx, &op->item));
  }
  /* `color` and `atomic` have none */
  const int64_t slots = how == IG_CLUSTER ? op->cluster.slots : op->plan.slots;
  if (slots)
    IG_TRY(ig_array_new_device(cx, &op->slots, 3 * (size_t)slots,
                               op->single ? sizeof(float) : sizeof(double), "slots"));
  op->args.slots = op->slots.dev;
  op->args.scatter = ig_plan_view(&op->plan);
  op->args.matrix = op->matrix.dev;
  op->args.of = op->of.dev;
  op->args.first = op->first.dev;
  op->args.item = op->item.dev;
  op->args.x = op->x.dev;
  return IG_OK;
}

/* The operator owns its plan and copies of what it needs of the mesh. */
ig_status ig_ebe_new(ig_ctx *cx, ig_ebe_kind kind, ig_assembly how, bool single, ig_lid nodes,
                     const double *x, ig_lid elements, int npe, const ig_lid *conn, double poisson,
                     ig_ebe *op) {
  memset(op, 0, sizeof *op);
  op->kind = kind;
  op->single = single;
  op->nodes = nodes;
  op->elements = elements;
  op->poisson = poisson;
  const ig_status status = setup(cx, how, x, npe, conn, NULL, op);
  if (status != IG_OK)
    ig_ebe_free(cx, op);
  return status;
}

/* A rank's part of a mesh. Classes are those of the whole mesh, so that an element has the same
   matrix, to the last bit, on every rank. */
ig_status ig_ebe_new_part(ig_ctx *cx, ig_ebe_kind kind, bool single, const ig_ebe_whole *whole,
                          const double *x, const ig_lid *conn, double poisson, ig_plan *plan,
                          ig_ebe *op) {
  *op = (ig_ebe){.kind = kind,
                 .single = single,
                 .nodes = plan->nodes,
                 .elements = plan->elements,
                 .poisson = poisson,
                 .plan = *plan};
  memset(plan, 0, sizeof *plan);
  const ig_status status = setup(cx, op->plan.how, x, op->plan.npe, conn, whole, op);
  if (status != IG_OK)
    ig_ebe_free(cx, op);
  return status;
}

void ig_ebe_free(ig_ctx *cx, ig_ebe *op) {
  ig_plan_free(cx, &op->plan);
  ig_clusters_free(cx, &op->cluster);
  ig_array_free(cx, &op->matrix);
  ig_array_free(cx, &op->of);
  ig_array_free(cx, &op->first);
  ig_array_free(cx, &op->item);
  ig_array_free(cx, &op->x);
  ig_array_free(cx, &op->slots);
  memset(op, 0, sizeof *op);
}

/* slots are work space, and counted, too */
size_t ig_ebe_bytes(const ig_ebe *op) {
  const ig_array *all[] = {&op->matrix, &op->of, &op->first, &op->item, &op->x, &op->slots};
  size_t bytes = ig_plan_bytes(&op->plan);
  if (op->plan.how == IG_CLUSTER)
    bytes += (size_t)ig_clusters_bytes(&op->cluster, op->plan.npe, 0);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    bytes += all[i]->count * all[i]->size;
  return bytes;
}

/* 6 per node: u in, y out, three components each. */
double ig_ebe_traffic(const ig_ebe *op) {
  const double size = op->single ? sizeof(float) : sizeof(double);
  return (double)ig_ebe_bytes(op) +
         size * (6.0 * op->nodes + op->elements + (double)op->slots.count); /* written and read */
}

ig_status ig_ebe_apply(ig_ctx *cx, const ig_ebe *op, const void *modulus, const void *u, void *y) {
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    return op->single ? ig_ebe_cuda_f32(cx, op, modulus, u, y)
                      : ig_ebe_cuda_f64(cx, op, modulus, u, y);
#endif
  return op->single ? ig_ebe_cpu_f32(cx, op, modulus, u, y) : ig_ebe_cpu_f64(cx, op, modulus, u, y);
}
