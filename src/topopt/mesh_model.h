/* A mesh of hexahedra with supports, loads and roles. */
#ifndef IG_TOPOPT_MESH_MODEL_H
#define IG_TOPOPT_MESH_MODEL_H

#include "topopt/mesh_amg.h"
#include "topopt/mesh_ops.h"
#include "topopt/topopt.h"

typedef struct {
  ig_ctx *cx;
  const ig_topopt_case *c;
  const ig_mesh *mesh;
  const ig_mesh_ops *ops;
  ig_lid nodes, elements;
  ig_lid *conn;   /* host: elements x 8 */
  double slack;   /* points this close are on a plane */
  double poisson; /* of the solid */
  ig_ebe op;
  ig_hex_args hex;
  ig_ground ground;
  ig_cone cone;
  ig_array x, fix, spring, role, modulus, share, center, start, order;
  ig_array block, inverse, z, partial; /* the preconditioner's, and sums */
  ig_ebe op_single;                    /* multigrid's */
  ig_array modulus_single;
  ig_amg *amg; /* NULL: blocks alone */
  ig_pcg pcg;
  ig_linear system;
  ig_discretisation d;
  ig_loading loading;
} ig_mesh_model;

/* Verification problems; see mesh_verify.c. */
IG_MUST_CHECK ig_status ig_verify_mesh_grid(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_verify_mesh_patch(ig_ctx *cx, const ig_verify_sink *sink);
IG_MUST_CHECK ig_status ig_verify_mesh_slopes(ig_ctx *cx, const ig_verify_sink *sink);

#endif
