/* CUDA's passes over tables of reports: the same for all precisions. ig_dyn_totals (part_rows.c)
   adds rows of ranks on the host in the order of totals_kernel. */
#include "dynamics/kernels/step_cuda.h"
#include "backend/cuda/launch.cuh"

__global__ void spread_kernel(int32_t slots, const int32_t *element, const double *report,
                              ig_dyn_fields to) {
  const int32_t s = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
  if (s < slots && element[s] >= 0)
    ig_dyn_spread(report + (int64_t)s * IG_DYN_REPORT, element[s], &to);
}

/* Block b of IG_DYN_PARTIAL sums every IG_DYN_PARTIAL-th stretch of rows of one column. */
__global__ void totals_kernel(const double *table, int64_t rows, int columns, int first,
                              double *partial) {
  __shared__ double part[IG_DYN_TOTAL_THREADS];
  const int me = (int)threadIdx.x, column = (int)blockIdx.y;
  double sum = 0;
  for (int64_t i = (int64_t)blockIdx.x * IG_DYN_TOTAL_THREADS + me; i < rows;
       i += (int64_t)IG_DYN_PARTIAL * IG_DYN_TOTAL_THREADS)
    sum += table[i * columns + first + column];
  part[me] = sum;
  for (int half = IG_DYN_TOTAL_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (me < half)
      part[me] += part[me + half];
  }
  if (me == 0)
    partial[column * IG_DYN_PARTIAL + (int)blockIdx.x] = part[0];
}

extern "C" ig_status ig_dyn_spread_cuda(ig_ctx *cx, int32_t slots, const int32_t *element,
                                        const double *report, const ig_dyn_fields *to) {
  spread_kernel<<<ig_cuda_blocks(slots, 128), 128, 0, ig_cuda_stream(cx)>>>(slots, element, report,
                                                                            *to);
  IG_LAUNCHED(cx);
  return IG_OK;
}

/* The second level of the sum is on the host: 128 numbers per column, in rising order of blocks. */
extern "C" ig_status ig_dyn_totals_cuda(ig_ctx *cx, const double *table, int64_t rows, int columns,
                                        int first, int count, double *work, double *total) {
  double partial[IG_DYN_REPORT * IG_DYN_PARTIAL];
  const dim3 blocks(IG_DYN_PARTIAL, (unsigned)count);
  totals_kernel<<<blocks, IG_DYN_TOTAL_THREADS, 0, ig_cuda_stream(cx)>>>(table, rows, columns,
                                                                         first, work);
  IG_LAUNCHED(cx);
  IG_TRY(
      cx->backend->copy_out(cx, partial, work, sizeof *partial * (size_t)count * IG_DYN_PARTIAL));
  for (int c = 0; c < count; c++) {
    total[c] = 0;
    for (int i = 0; i < IG_DYN_PARTIAL; i++)
      total[c] += partial[c * IG_DYN_PARTIAL + i];
  }
  return IG_OK;
}
