/* Memory that a design takes, before it is made: `ingot check` reports it for models that are
   too large to be built. Must agree with what evaluate.c, large.c, limits.c, mma.c and stress.c
   allocate; n and nu as in topopt.h. */
#include "topopt/design/buckling.h"
#include "topopt/design/distortion.h"
#include "topopt/design/load.h"
#include "topopt/design/modes.h"
#include "topopt/design/overheat.h"
#include "topopt/design/stress.h"

#include <math.h>

/* 8 bytes per value. The 7 arrays of any design are x, trial, filtered, dc, dv, work and hs. */
double ig_topopt_design_bytes(const ig_topopt_case *c, double n, double nu, int cases) {
  const int robust = c->projection.beta > 0 && c->projection.robust > 0, designs = robust ? 3 : 1;
  double bytes = 8 * n * (7 + designs * (1 + robust) + ig_topopt_made(c) + ig_topopt_swept(c));
  bytes += c->milling.at.given ? 8 * n * (c->milling.directions.count + 1) : 0;
  bytes += ig_topopt_load_bytes(c, n, nu) + ig_topopt_modes_bytes(c, n, nu);
  bytes += ig_topopt_buckling_bytes(c, n, nu, cases) + ig_topopt_distortion_bytes(c, n, nu) +
           ig_topopt_overheat_bytes(c, n);
  bytes += c->analysis.large_deflections ? 8 * (9 * n + nu) : 0;
  bytes += 8 * nu * designs * (cases + ig_topopt_has_port(c));
  if (ig_topopt_method(c) == IG_OPTIMISER_MMA)
    bytes += 4 * 8 * n;
  if (c->optimiser.method == IG_OPTIMISER_GCMMA)
    bytes += 8 * n * (2 + c->constraints.count);
  for (int i = 0; i < c->constraints.count; i++) { /* slopes; what is measured; adjoint states */
    const ig_limit_case *limit = IG_ITEM(ig_limit_case, c->constraints, i);
    const double clusters = (double)c->stress.clusters, states = limit->load_case > 0 ? 1 : cases;
    if (!isnan(limit->member))
      bytes += 8 * 3 * n;
    else if (!isnan(limit->buckling))
      bytes += 8 * (n + states * nu);
    else if (isnan(limit->stress))
      bytes += 8 * (n + 2 * nu);
    else
      bytes += 8 * (clusters * (2 * n + states * nu) + (clusters > 1 ? n : 0));
  }
  if (ig_topopt_stress_asked(c))
    bytes += 8 * (12 * n + nu + (c->minimise == IG_MINIMISE_STRESS ? n + nu * cases : 0));
  return bytes;
}
