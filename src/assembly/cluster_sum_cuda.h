/* CUDA passes of sums by clusters. */
#ifndef IG_CLUSTER_SUM_CUDA_H
#define IG_CLUSTER_SUM_CUDA_H

#include "assembly/cluster.h"

IG_C_BEGIN
ig_status ig_clusters_sum_cuda_f32(ig_ctx *cx, ig_cluster_view v, int m, const float *slots,
                                   float *sum);
ig_status ig_clusters_sum_cuda_f64(ig_ctx *cx, ig_cluster_view v, int m, const double *slots,
                                   double *sum);
IG_C_END

#endif
