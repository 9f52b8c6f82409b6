/* The GPU's drivers, for the tables of the engine. */
#include "ingot_cuda.h"
#ifdef INGOT_HAVE_CUDA
#include "thermal/kernels/heat_ops.h"

const ig_heat_ops ig_heat_cuda[3] = {
    [IG_SINGLE] = {ig_heat_open_cuda_f32, ig_heat_steps_cuda_f32, ig_heat_melt_cuda_f32,
                   ig_heat_patch_cuda_f32, ig_heat_track_cuda_f32, ig_heat_survey_cuda_f32,
                   ig_heat_resident_cuda_f32, ig_heat_kernels_cuda_f32, ig_heat_rows_cuda_f32},
    [IG_DOUBLE] = {ig_heat_open_cuda_f64, ig_heat_steps_cuda_f64, ig_heat_melt_cuda_f64,
                   ig_heat_patch_cuda_f64, ig_heat_track_cuda_f64, ig_heat_survey_cuda_f64,
                   ig_heat_resident_cuda_f64, ig_heat_kernels_cuda_f64, ig_heat_rows_cuda_f64},
    [IG_MIXED] = {ig_heat_open_cuda_mix, ig_heat_steps_cuda_mix, ig_heat_melt_cuda_mix,
                  ig_heat_patch_cuda_mix, ig_heat_track_cuda_mix, ig_heat_survey_cuda_mix,
                  ig_heat_resident_cuda_mix, ig_heat_kernels_cuda_mix, ig_heat_rows_cuda_mix}};
#else
typedef int ig_heat_cuda_absent; /* a translation unit may not be empty */
#endif
