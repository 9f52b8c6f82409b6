/* What cuda.cu gives the table in cuda.c; each function is described with its operation in
   core/backend.h. A file of its own, since cuda.c is compiled as C and cannot include launch.cuh.
 */
#ifndef IG_CUDA_H
#define IG_CUDA_H

#include "backend/backend.h"

IG_C_BEGIN
ig_status ig_cuda_open(ig_ctx *cx);
void ig_cuda_close(ig_ctx *cx);
void ig_cuda_describe(ig_ctx *cx, ig_device_info *info);
ig_status ig_cuda_sync(ig_ctx *cx);
ig_status ig_cuda_alloc(ig_ctx *cx, void **p, size_t bytes);
void ig_cuda_free(ig_ctx *cx, void *p);
ig_status ig_cuda_fill(ig_ctx *cx, void *p, int byte, size_t bytes);
ig_status ig_cuda_copy_in(ig_ctx *cx, void *dev, const void *host, size_t bytes);
ig_status ig_cuda_copy_out(ig_ctx *cx, void *host, const void *dev, size_t bytes);
ig_status ig_cuda_copy(ig_ctx *cx, void *to, const void *from, size_t bytes);
ig_status ig_cuda_copy_out_start(ig_ctx *cx, void *host, const void *dev, size_t bytes,
                                 ig_ticket **ticket);
ig_status ig_cuda_copy_out_wait(ig_ctx *cx, ig_ticket *ticket);
ig_status ig_cuda_host_alloc(ig_ctx *cx, void **p, size_t bytes);
void ig_cuda_host_free(ig_ctx *cx, void *p);
ig_status ig_cuda_graph_begin(ig_ctx *cx);
ig_status ig_cuda_graph_end(ig_ctx *cx, ig_graph **graph);
ig_status ig_cuda_graph_run(ig_ctx *cx, ig_graph *graph, int times);
void ig_cuda_graph_free(ig_ctx *cx, ig_graph *graph);
ig_status ig_cuda_dot_f32(ig_ctx *cx, size_t n, const float *x, const float *y, double *result);
ig_status ig_cuda_dot_f64(ig_ctx *cx, size_t n, const double *x, const double *y, double *result);
ig_status ig_cuda_absmax_f32(ig_ctx *cx, size_t n, const float *x, double *result);
ig_status ig_cuda_absmax_f64(ig_ctx *cx, size_t n, const double *x, double *result);
IG_C_END

#endif
