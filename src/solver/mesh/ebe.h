/* Elasticity on unstructured meshes without a global matrix: y = sum over elements of modulus_e K_e
   u_e, where K_e is the stiffness at unit Young's modulus. A design changes moduli only, so K_e
   stays. The kinds are the ones that Ratnakar (2022) compares, and two of our own; all give the
   same answer up to rounding. Tetrahedra are made by recompute alone, hexahedra by all.

        name       work is split by           what is stored an element (entries)
        ebe        element                    576
        nbn        node, over its elements    576, and the reverse connectivity
        ebe8       element x 3 rows           576
        ebe24      element x row              576
        ebe64      element x 3x3 tile         576
        ebeSym     element x node             300: 8 blocks on the diagonal, 28 beside it
        classes    element                    0: congruent elements share one matrix
        recompute  element                    0: the matrix is never formed, geometry is enough

   A product from stored matrices is bound by memory (4.6 kB an element in double); recompute trades
   operations for bytes and is the fastest on most meshes. */
#ifndef IG_SOLVER_MESH_EBE_H
#define IG_SOLVER_MESH_EBE_H

#include "assembly/assembly.h"
#include "assembly/cluster_sum.h"

IG_C_BEGIN

#define IG_EBE_LIST(X)                                                                             \
  X(EBE, "ebe")                                                                                    \
  X(NBN, "nbn")                                                                                    \
  X(EBE8, "ebe8")                                                                                  \
  X(EBE24, "ebe24")                                                                                \
  X(EBE64, "ebe64")                                                                                \
  X(EBESYM, "ebeSym")                                                                              \
  X(CLASSES, "classes")                                                                            \
  X(RECOMPUTE, "recompute")
typedef enum {
#define X(name, text) IG_EBE_##name,
  IG_EBE_LIST(X)
#undef X
      IG_EBE_KINDS
} ig_ebe_kind;
#define IG_EBE_CHOICES "ebe|nbn|ebe8|ebe24|ebe64|ebeSym|classes|recompute"
const char *ig_ebe_name(ig_ebe_kind kind);

/* Entries of the symmetric form: diagonal blocks as xx yy zz xy yz zx, then for d = 1, 2, 3 the
   block of nodes (a, a+d mod 8) row by row for each a, then for d = 4 those of a = 0..3. */
enum { IG_EBE_FULL = 576, IG_EBE_HALF = 300, IG_EBE_DIAGONAL = 48 };

/* What kernels see; device pointers, in the operator's precision. */
typedef struct {
  ig_scatter_view scatter;
  const void *matrix;          /* of the stored kinds; of the classes */
  const int32_t *of;           /* class of each element */
  const int32_t *first, *item; /* nbn: corners (8 e + a) at each node */
  const void *x;               /* recompute: nodes x 3 */
  double lame, shear;          /* at unit Young's modulus */
  const double *poisson;       /* recompute: of each element, in double; NULL: as above */
  void *slots;                 /* gather, cluster: 3 each of the plan's or the border's */
} ig_ebe_args;

typedef struct ig_ebe {
  ig_ebe_kind kind;
  bool single; /* precision of matrix, u and y */
  /* classes: different matrices (kind `classes`) */
  ig_lid nodes, elements, classes;
  double poisson;
  ig_plan plan;
  ig_clusters cluster; /* assembly `cluster`; `plan` then knows the connectivity alone */
  ig_array matrix, of, first, item, x, slots;
  ig_ebe_args args;
} ig_ebe;

/* x: nodes x 3, conn: elements x npe, on the host. npe: 8, hexahedra; 4 or 10, tetrahedra. Fails
   where an element is inverted or flat, or a kind does not fit the element type. After a failure
   nothing is left to free. poisson: of all elements; per element through args.poisson (recompute).
 */
IG_MUST_CHECK ig_status ig_ebe_new(ig_ctx *cx, ig_ebe_kind kind, ig_assembly how, bool single,
                                   ig_lid nodes, const double *x, ig_lid elements, int npe,
                                   const ig_lid *conn, double poisson, ig_ebe *op);
/* The same of elements element[0] < element[1] < … of such a mesh, on nodes x and connectivity conn
   of their own, with a plan that is taken over. */
typedef struct {
  const double *x;
  const ig_lid *conn;
  ig_lid elements; /* of the whole */
  const ig_lid *element;
} ig_ebe_whole;
IG_MUST_CHECK ig_status ig_ebe_new_part(ig_ctx *cx, ig_ebe_kind kind, bool single,
                                        const ig_ebe_whole *whole, const double *x,
                                        const ig_lid *conn, double poisson, ig_plan *plan,
                                        ig_ebe *op);
/* Fails unless no element is inverted or flat. */
IG_MUST_CHECK ig_status ig_ebe_check(ig_ctx *cx, ig_lid elements, int npe, const double *x,
                                     const ig_lid *conn);
void ig_ebe_free(ig_ctx *cx, ig_ebe *op);
/* Device bytes of the operator: matrices, geometry, connectivity. */
size_t ig_ebe_bytes(const ig_ebe *op);
/* The least bytes one product moves: stored data, vectors and moduli once each. */
double ig_ebe_traffic(const ig_ebe *op);

/* y = A u without supports and springs; modulus: one per element. Device pointers, of the
   operator's precision. Returns while a device works. */
IG_MUST_CHECK ig_status ig_ebe_apply(ig_ctx *cx, const ig_ebe *op, const void *modulus,
                                     const void *u, void *y);

IG_C_END
#endif
