/* What a product of a mesh leaves for conjugate gradients besides its result. Products of grids sum
   p . A p themselves; products of meshes, which add to nodes from several elements, do it after. */
#ifndef IG_SOLVER_KRYLOV_ENERGY_H
#define IG_SOLVER_KRYLOV_ENERGY_H

#include "solver/krylov/cg.h"

IG_C_BEGIN

/* p . A p over n values of a grid into `state`, where an iteration looks for it; its sum does not
   depend on how the grid is divided. */
IG_MUST_CHECK ig_status ig_pcg_energy(ig_ctx *cx, const struct ig_grid *grid, int64_t n,
                                      const double *p, const double *ap, ig_cg_state *state);
ig_status ig_cg_cuda_energy(ig_ctx *cx, const struct ig_grid *grid, int64_t n, const double *p,
                            const double *ap, ig_cg_state *state);

IG_C_END
#endif
