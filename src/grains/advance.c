/* Steps. Cells are counted at every LOOK-th step, by the number of the step, so that results do not
   depend on how steps are divided between calls: when nothing is liquid, time goes on to the next
   melting, or the run ends. */
#include "grains/grains.h"
#include "backend/backend.h"

#include <math.h>

enum { LOOK = 32 };

static ig_status step(ig_grains_run *r) {
  const bool gpu = r->cx->backend->kernels == IG_KERNELS_CUDA;
  r->view.time = (double)(r->tick + 1) * r->dt;
  IG_IF_CUDA(if (gpu) {
    IG_TRY(ig_grains_own_cuda(r->cx, &r->view));
    IG_TRY(ig_grains_ghosts(r));
    return ig_grains_take_cuda(r->cx, &r->view);
  })
  (void)gpu;
  IG_TRY(ig_grains_own_cpu(r->cx, &r->view));
  IG_TRY(ig_grains_ghosts(r));
  return ig_grains_take_cpu(r->cx, &r->view);
}

/* Of this rank. */
static ig_status count_own(ig_grains_run *r, ig_grains_count *count) {
  IG_IF_CUDA(if (r->cx->backend->kernels == IG_KERNELS_CUDA) {
    IG_TRY(ig_grains_count_cuda(r->cx, &r->view, r->array.count.dev));
    IG_TRY(ig_array_pull(r->cx, &r->array.count));
    *count = *(const ig_grains_count *)r->array.count.host;
    return IG_OK;
  })
  ig_grains_count_cpu(r->cx, &r->view, count);
  return IG_OK;
}

ig_status ig_grains_count_now(ig_grains_run *r, ig_grains_count *count) {
  return ig_grains_count_join(r, count_own(r, count), count);
}

/* Nothing liquid: the next melting, one step before it, or the end. */
static ig_status look(ig_grains_run *r) {
  ig_grains_count count;
  IG_TRY(ig_grains_count_now(r, &count));
  if (count.liquid > 0)
    return IG_OK;
  if (!isfinite(count.wake)) {
    r->done = true;
    return IG_OK;
  }
  const double next = floor(fmin(count.wake, r->duration) / r->dt) - 1;
  if (next > (double)r->tick)
    r->tick = (int64_t)next;
  return IG_OK;
}

ig_status ig_grains_advance(ig_grains_run *r, int64_t most) {
  for (int64_t i = 0; i < most && !ig_grains_ended(r); i++) {
    IG_TRY(step(r));
    r->tick++;
    r->step++;
    if (r->step % LOOK == 0)
      IG_TRY(look(r));
  }
  return IG_OK;
}
