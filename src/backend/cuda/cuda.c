/* The CUDA backend's table. It is C, not C++: designated initializers name each operation. */
#include "backend/cuda/cuda.h"
#include "ingot_cuda.h"

#ifdef INGOT_HAVE_CUDA
const ig_backend ig_backend_cuda = {.name = "cuda",
                                    .kernels = IG_KERNELS_CUDA,
                                    .separate = true,
                                    .open = ig_cuda_open,
                                    .close = ig_cuda_close,
                                    .describe = ig_cuda_describe,
                                    .sync = ig_cuda_sync,
                                    .alloc = ig_cuda_alloc,
                                    .free = ig_cuda_free,
                                    .fill = ig_cuda_fill,
                                    .copy_in = ig_cuda_copy_in,
                                    .copy_out = ig_cuda_copy_out,
                                    .copy = ig_cuda_copy,
                                    .copy_out_start = ig_cuda_copy_out_start,
                                    .copy_out_wait = ig_cuda_copy_out_wait,
                                    .host_alloc = ig_cuda_host_alloc,
                                    .host_free = ig_cuda_host_free,
                                    .graph_begin = ig_cuda_graph_begin,
                                    .graph_end = ig_cuda_graph_end,
                                    .graph_run = ig_cuda_graph_run,
                                    .graph_free = ig_cuda_graph_free,
                                    .dot_f32 = ig_cuda_dot_f32,
                                    .dot_f64 = ig_cuda_dot_f64,
                                    .absmax_f32 = ig_cuda_absmax_f32,
                                    .absmax_f64 = ig_cuda_absmax_f64};
#else
/* A build without CUDA says so: never a silent fallback. */
static ig_status absent_open(ig_ctx *cx) {
  return IG_FAIL(cx, IG_UNSUPPORTED,
                 "backend 'cuda' is not compiled in: configure with -DINGOT_CUDA=ON where the CUDA "
                 "toolkit (nvcc) is installed");
}
/* Never called on a context that did not open; the table must not have a hole for it. */
static void absent_close(ig_ctx *cx) {
  (void)cx;
}

const ig_backend ig_backend_cuda = {
    .name = "cuda", .kernels = IG_KERNELS_CUDA, .open = absent_open, .close = absent_close};
#endif
