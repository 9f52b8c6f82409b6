/* The operator on the CPU, and element energies u_e . K0 v_e, which are the gradients of a topology
   optimisation. Rows of elements along x are vector loops; dim and dof are literals at each call.
 */
#include "solver/grid/grid_cpu.h"
#include "solver/krylov/slab.h"
#include "core/threads.h"
#include "backend/backend.h"
#include "kern/hd.h"

#include <stdlib.h>
#include <string.h>

#include "kern/prec_f32.h"
#include "solver/grid/brick.inc"
#include "solver/grid/grid_cpu.inc"
#include "kern/prec_f64.h"
#include "solver/grid/brick.inc"
#include "solver/grid/grid_cpu.inc"

ig_status ig_grid_cpu_apply(ig_ctx *cx, const ig_grid_args_f64 *args, const double *x, double *y,
                            ig_cg_state *state) {
  return grid_sweep_f64(cx, args, IG_SWEEP_APPLY, NULL, x, NULL, 0, 0, y,
                        state ? &state->s.pap : NULL);
}

ig_status ig_grid_cpu_fine_sweep(ig_ctx *cx, const ig_grid_args_f32 *args, ig_sweep what,
                                 const float *b, const float *x, float *d, float c0, float c1,
                                 float *y) {
  return grid_sweep_f32(cx, args, what, b, x, d, c0, c1, y, NULL);
}

/* --- sensitivities --- */

/* Both fields to mode space, where the product is a few multiplications; orthogonality of the modes
   makes the sum over modes the sum over nodes, scaled in b (brick.c). */
IG_HD void energy_row(const int dim, const int dof, const ig_grid_args_f64 *g, int64_t place,
                      const double *u, const double *v, double scale, double keep, double *out) {
  const int nodes = 1 << dim;
#pragma GCC ivdep
  for (int i = 0; i < g->n[0]; i++) {
    double a[24], b[24], w[24], s = 0;
    IG_FULL_UNROLL
    for (int c = 0; c < dof; c++) {
      IG_FULL_UNROLL
      for (int q = 0; q < nodes; q++) {
        const int64_t at =
            c * g->stored + place + i + (q & 1) + (q >> 1 & 1) * g->row + (q >> 2) * g->plane;
        a[c * 8 + q] = u[at];
        b[c * 8 + q] = v[at];
      }
    }
    IG_FULL_UNROLL
    for (int d = 0; d < dim; d++) {
      butterfly_f64(dim, dof, d, a);
      butterfly_f64(dim, dof, d, b);
    }
    mode_product_f64(dim, dof, g->b, 1, b, w);
    IG_FULL_UNROLL
    for (int c = 0; c < dof; c++) {
      IG_FULL_UNROLL
      for (int m = 0; m < nodes; m++)
        s += a[c * 8 + m] * w[c * 8 + m];
    }
    out[place + i] = scale * s + (keep != 0 ? out[place + i] : 0);
  }
}

/* Elements of a slab's last plane of nodes count, too (`above`). Each element writes its own place.
 */
ig_status ig_grid_cpu_energy(ig_ctx *cx, const ig_grid_args_f64 *g, const double *u,
                             const double *v, double scale, bool add, double *out) {
  const int nz = g->dim == 3 ? g->n[2] + g->above : 1;
  const int64_t rows = (int64_t)g->n[1] * nz;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, rows, IG_WORK_ROW))
  for (int64_t row = 0; row < rows; row++) {
    const int64_t place = g->first + row % g->n[1] * g->row + row / g->n[1] * g->plane;
    if (g->dim == 3 && g->dof == 3)
      energy_row(3, 3, g, place, u, v, scale, add, out);
    else if (g->dim == 3)
      energy_row(3, 1, g, place, u, v, scale, add, out);
    else if (g->dof == 2)
      energy_row(2, 2, g, place, u, v, scale, add, out);
    else
      energy_row(2, 1, g, place, u, v, scale, add, out);
  }
  return IG_OK;
}
