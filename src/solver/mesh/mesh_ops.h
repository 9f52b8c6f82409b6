/* What a mesh of hexahedra or tetrahedra needs beside the element-by-element product: fixed
   unknowns and springs, energies, products with one unknown per node (heat, the Helmholtz filter),
   transfers between nodes and elements, diagonal blocks, the cone filter. One table per backend;
   all pointers are device pointers. */
#ifndef IG_SOLVER_MESH_MESH_OPS_H
#define IG_SOLVER_MESH_MESH_OPS_H

#include "kern/hd.h"
#include "solver/mesh/ebe.h"

IG_C_BEGIN

/* fixed, so that sums have one order on any number of threads and on every GPU */
enum { IG_MESH_CHUNKS = 1024 }; /* partial sums of a dot product */

/* The geometry; device pointers. */
typedef struct {
  ig_scatter_view scatter;
  const double *x;             /* nodes x 3 */
  int size;                    /* unknowns per node: 3, elastic; 1, conduct K + mass M */
  double lame, shear;          /* at unit Young's modulus */
  const double *poisson;       /* of each element; NULL: as above */
  double conduct, mass;        /* at unit modulus */
  void *slots;                 /* gather: 6 doubles (heat: 1) each of the plan's */
  const ig_clusters *clusters; /* host: scalar products go by these; NULL: by the plan */
  ig_cluster_view cluster;     /* the same */
  void *borders;               /* slots of clusters */
  int lumped;                  /* to_nodes, to_elements: positive shares of quadratic elements */
} ig_mesh_args;

/* Statements for the number of nodes per element, known to the compiler as N: 8, a hexahedron; 4 or
   10, a tetrahedron. */
#define IG_BY_NODES(npe, ...)                                                                      \
  do {                                                                                             \
    if ((npe) == 4) {                                                                              \
      enum { N = 4 };                                                                              \
      __VA_ARGS__;                                                                                 \
    } else if ((npe) == 10) {                                                                      \
      enum { N = 10 };                                                                             \
      __VA_ARGS__;                                                                                 \
    } else {                                                                                       \
      enum { N = 8 };                                                                              \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
  } while (0)

/* Unknowns held at zero and springs to ground; device pointers. A product with supports is P (K +
   S) P on the free unknowns (P: held ones out, S: springs), and zero on the others, so that A stays
   symmetric. */
typedef struct {
  ig_lid nodes;
  int size;             /* unknowns per node: 3 or 1 */
  const uint8_t *fix;   /* bits of the components held, one byte per node */
  const double *spring; /* nodes x size; NULL: none */
} ig_ground;

/* The cone filter of topology optimisation (Bourdin, 2001): element centres hashed into cells of a
   grid no smaller than the radius, so that all neighbours of an element are in the 27 cells around.
   Weights are not stored: computing them again costs less than reading lists of neighbours. */
typedef struct {
  int32_t elements;
  int n[3];
  int from[3], size[3]; /* the box of cells that are stored */
  /* of a part of a mesh: cells are those of the whole, of which a box is stored */
  double low[3], inverse[3]; /* corner of the first cell; 1 / size of a cell */
  double radius;
  int flat;                     /* weight 1 all over, instead of the cone's radius - distance */
  const double *center;         /* elements x 3 */
  double plane[6];              /* of symmetry: lowest and highest x, y, z; NaN: none */
  const int32_t *start, *order; /* stored cells + 1; elements by cell */
} ig_cone;
/* The cell of a coordinate along axis d; points beyond the outer cells count to these. */
IG_HD int ig_cone_cell(const ig_cone *c, int d, double x) {
  const int i = (int)((x - c->low[d]) * c->inverse[d]);
  return i < 0 ? 0 : i >= c->n[d] ? c->n[d] - 1 : i;
}

typedef struct ig_solver_mesh_ops {
  ig_status (*to_single)(ig_ctx *cx, int64_t n, const double *x, float *y);
  /* y += springs x, 0 where held; *dot (device) = x . y unless NULL; partial: IG_MESH_CHUNKS */
  ig_status (*ground)(ig_ctx *cx, const ig_ground *g, const double *x, double *y, double *partial,
                      double *dot);
  /* out[e] = scale u_e . K_e v_e at unit modulus, added to what is there where `add` */
  ig_status (*energy)(ig_ctx *cx, const ig_mesh_args *p, const double *u, const double *v,
                      double scale, bool add, double *out);
  /* y = sum over elements of modulus x matrix x t for one unknown per node; modulus NULL: 1 */
  ig_status (*scalar_f32)(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                          const float *modulus, const float *t, float *y);
  ig_status (*scalar_f64)(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                          const double *modulus, const double *t, double *y);
  /* means over elements, and their transpose: elements to nodes */
  ig_status (*to_nodes)(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan, const double *in,
                        double *out);
  ig_status (*to_elements)(ig_ctx *cx, const ig_mesh_args *p, const double *in, double *out);
  /* strains at the centres, [6][elements], and the transpose (held unknowns too) */
  ig_status (*strain)(ig_ctx *cx, const ig_mesh_args *p, const double *u, double *tensor);
  ig_status (*strain_back)(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                           const double *tensor, double *f);
  /* displacement gradients there, [9][elements], du_i / dx_j at 3 i + j, and the transpose */
  ig_status (*gradient)(ig_ctx *cx, const ig_mesh_args *p, const double *u, double *to);
  ig_status (*gradient_back)(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                             const double *from, double *f);
  /* the blocks on the diagonal, nodes x 6 (xx yy zz xy yz zx) or x 1; modulus NULL: 1 */
  ig_status (*diagonal)(ig_ctx *cx, const ig_mesh_args *p, const ig_plan *plan,
                        const double *modulus, double *block);
  /* their inverses, held components left out; only of the diagonals where not `whole` */
  ig_status (*invert)(ig_ctx *cx, const ig_ground *g, bool whole, const double *block,
                      float *inverse);
  /* z = inverse r, block by block */
  ig_status (*scale)(ig_ctx *cx, ig_lid nodes, int size, const float *inverse, const float *r,
                     float *z);
  /* out = sum over the elements within the radius of (radius - distance) in */
  ig_status (*cone)(ig_ctx *cx, const ig_cone *c, const double *in, double *out);
} ig_solver_mesh_ops;

extern const ig_solver_mesh_ops ig_solver_mesh_cpu;
extern const ig_solver_mesh_ops ig_solver_mesh_cuda;
const ig_solver_mesh_ops *ig_solver_mesh_ops_of(const ig_ctx *cx);

IG_C_END
#endif
