/* The samples of Mozaffar et al. (2019), built in memory as cases/thermal has them on file. */
#ifndef IG_THERMAL_BUILD_PROBLEM_H
#define IG_THERMAL_BUILD_PROBLEM_H

#include "bench/bench.h"
#include "geometry/mesh_case.h"
#include "thermal/thermal.h"

typedef struct {
  const char *name;
  ig_mesh_case mesh;
  ig_box_case box[12];
  double sizes[12][9]; /* origin, size, cells of each box */
  double values[3], absorptivity[1], zero[1], film[1],
      cold[1]; /* cold: ambient, and what the plate is held at */
  ig_material_case material;
  ig_list materials;
  ig_thermal_boundary boundary[2];
  const char *place[2], *born[1];
  ig_beam_case beam;
  ig_raster_region region[12];
  ig_thermal_case c;
} ig_build_problem;

#define IG_BUILD_PROBLEM_LIST(X)                                                                   \
  X(cubic)                                                                                         \
  X(cruciform) X(thin_wall) X(powder_bed) X(nu_shape) X(cubic_coarse) X(cubic_medium) X(cubic_fine)
#define X(name) void ig_build_problem_##name(ig_build_problem *s);
IG_BUILD_PROBLEM_LIST(X)
#undef X

/* bench_samples.c */
ig_status ig_bench_samples(ig_ctx *cx, const ig_bench_sink *sink);
ig_status ig_bench_stages(ig_ctx *cx, const ig_bench_sink *sink);
ig_status ig_bench_sizes(ig_ctx *cx, const ig_bench_sink *sink);
ig_status ig_bench_whole(ig_ctx *cx, const ig_bench_sink *sink);
/* bench_paper.c */
ig_status ig_bench_accuracy(ig_ctx *cx, const ig_bench_sink *sink);
ig_status ig_bench_kernels(ig_ctx *cx, const ig_bench_sink *sink);
ig_status ig_bench_overlap(ig_ctx *cx, const ig_bench_sink *sink);

#endif
