/* CUDA's table of passes, members in the order of ig_dyn_ops. `joined` is NULL: on a GPU last
   digits of steps in a row were not those of single steps. */
#include "dynamics/kernels/step_cuda.h"
#include "ingot_cuda.h"

#ifdef INGOT_HAVE_CUDA
#define TABLE(v)                                                                                   \
  {                                                                                                \
    ig_dyn_loads_cuda_##v, ig_dyn_particles_cuda_##v, ig_dyn_bodies_cuda_##v,                      \
        ig_dyn_ties_cuda_##v, ig_dyn_shift_cuda_##v, ig_dyn_watch_cuda_##v,                        \
        ig_dyn_elements_cuda_##v, NULL, ig_dyn_report_cuda_##v, ig_dyn_alive_cuda_##v,             \
        ig_dyn_contact_cuda_##v, ig_dyn_sum_cuda_##v, ig_dyn_energy_cuda_##v,                      \
        ig_dyn_show_cuda_##v, ig_dyn_spread_cuda, ig_dyn_totals_cuda, ig_dyn_kernels_cuda_##v      \
  }
const ig_dyn_ops ig_dyn_cuda[3] = {
    [IG_SINGLE] = TABLE(single), [IG_DOUBLE] = TABLE(double), [IG_MIXED] = TABLE(mixed)};
#endif
