/* Aggregation multigrid for meshes that are part of no grid: of an elastic body with the moduli of
   now, in single precision.

   On several ranks it is divided by ranges of nodes in the order of the mesh, as its levels are
   (solver/amg/mesh_amg_parts.h), whatever the division of the elements: a rank takes the residual
   at the nodes of its range, and gives the correction at these nodes to all. */
#ifndef IG_STRESS_AGGREGATES_H
#define IG_STRESS_AGGREGATES_H

#include "solver/amg/mesh_amg.h"
#include "solver/krylov/rows.h"
#include "solver/mesh/ebe.h"
#include "stress/model.h"

typedef struct ig_stress_aggregates {
  ig_ctx *cx;
  ig_amg *amg;
  ig_ebe op;       /* product of the finest level */
  ig_plan colors;  /* of matrices; where the model's plan has none for all elements */
  ig_array single; /* moduli */
  ig_mesh_args hex;
  ig_ground ground;
  /* If divided: own nodes and what own rows read besides, elements at own nodes; numbers in the
     whole, rising. at: number of the first own node here; z: correction at all nodes */
  bool divided;
  ig_rows rows;
  ig_lid nodes, elements, at;
  ig_lid *node, *element;
  ig_halo ghosts;
  ig_array x, fix, modulus, z;
  struct ig_stress_cutting *cutting; /* while it is made */
} ig_stress_aggregates;

/* Aggregates know no supports. While they are made all ranks see the patterns of the whole.
   Collective, as the other functions are. */
IG_MUST_CHECK ig_status ig_stress_aggregates_new(ig_stress *m, ig_stress_aggregates **out);
void ig_stress_aggregates_free(ig_ctx *cx, ig_stress_aggregates *a);
/* Values for the moduli in m->built and the supports of now. */
IG_MUST_CHECK ig_status ig_stress_aggregates_build(ig_stress *m, ig_stress_aggregates *a);
/* One cycle; *z is left where the result is. */
IG_MUST_CHECK ig_status ig_stress_aggregates_cycle(ig_stress *m, ig_stress_aggregates *a,
                                                   const float *r, const float **z);

#endif
