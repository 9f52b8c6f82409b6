/* CUDA: memory, copies, graphs, reductions.

   All work of a context goes to one stream (`work`), so that operations follow each other in the
   order of calls without waits. A second stream (`copy`) takes snapshots to the host while work
   goes on. Errors of a kernel itself show at the next call that waits; the fault word (backend.c)
   is for errors of the model. */
#include "backend/cuda/cuda.h"
#include "backend/cuda/launch.cuh"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

/* Blocks by a fixed number of multiprocessors (launch.cuh), not by the device's: sums have the same
   order, and so the same bits, on every GPU. */
enum { REDUCE_THREADS = 256, REDUCE_BLOCKS = 4 * IG_CUDA_UNITS };

/* A copy to the host that is under way. `done` serves twice: first for the copy into `staged`, then
   for the one to the host. `staged` is freed on the stream, behind the copy. */
struct ig_ticket {
  cudaEvent_t done;
  void *staged;
  size_t bytes;
};
/* Launches recorded once and repeated: one call instead of one per kernel, where steps are so short
   that launching costs more than computing. */
struct ig_graph {
  cudaGraphExec_t exec;
};

/* Sizes of what a context has allocated: the driver does not tell them. Snapshots are freed by a
   writer's thread, hence the lock. */
struct ig_cuda_book {
  std::mutex lock;
  std::map<void *, size_t> size;
};

/* Several ranks on a machine with fewer GPUs share them, in turn. After a failure the caller
   closes: what is missing is NULL. */
ig_status ig_cuda_open(ig_ctx *cx) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0)
    return IG_FAIL(cx, IG_UNSUPPORTED, "backend 'cuda': no GPU is usable here (%s)",
                   error == cudaSuccess ? "none found" : cudaGetErrorString(error));
  const int device = cx->ranks ? cx->device_index % count : cx->device_index;
  if (device >= count)
    return IG_FAIL(cx, IG_INPUT, "there is no GPU %d: the last one is %d", device, count - 1);
  IG_CUDA(cx, cudaSetDevice(device));
  cudaDeviceProp prop;
  IG_CUDA(cx, cudaGetDeviceProperties(&prop, device));
  ig_cuda *cuda = (ig_cuda *)calloc(1, sizeof *cuda);
  if (!cuda)
    return IG_FAIL(cx, IG_MEMORY, "no memory for the CUDA backend");
  cx->device = cuda;
  cuda->book = new (std::nothrow) ig_cuda_book;
  if (!cuda->book)
    return IG_FAIL(cx, IG_MEMORY, "no memory for the CUDA backend");
  cuda->multiprocessors = prop.multiProcessorCount;
  snprintf(cx->device_name, sizeof cx->device_name, "%.120s", prop.name);
  IG_CUDA(cx, cudaStreamCreateWithFlags(&cuda->work, cudaStreamNonBlocking));
  IG_CUDA(cx, cudaStreamCreateWithFlags(&cuda->copy, cudaStreamNonBlocking));
  /* freed blocks stay in the pool: a staging buffer each snapshot must cost nothing */
  cudaMemPool_t pool;
  IG_CUDA(cx, cudaDeviceGetDefaultMemPool(&pool, device));
  /* 1 GB: snapshots of large models are freed beyond that */
  uint64_t keep = (uint64_t)1 << 30;
  IG_CUDA(cx, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  IG_CUDA(cx, cudaMalloc((void **)&cuda->partial, REDUCE_BLOCKS * sizeof(double)));
  IG_CUDA(cx, cudaMallocHost((void **)&cuda->total, REDUCE_BLOCKS * sizeof(double)));
  return IG_OK;
}

/* Also of a context that opened in part. */
void ig_cuda_close(ig_ctx *cx) {
  ig_cuda *cuda = ig_cuda_of(cx);
  cudaFree(cuda->partial);
  cudaFreeHost(cuda->total);
  if (cuda->work)
    cudaStreamDestroy(cuda->work);
  if (cuda->copy)
    cudaStreamDestroy(cuda->copy);
  delete cuda->book;
  free(cuda);
  cx->device = NULL;
}

/* Errors of kernels that were launched before come out here. */
ig_status ig_cuda_sync(ig_ctx *cx) {
  IG_CUDA(cx, cudaStreamSynchronize(ig_cuda_stream(cx)));
  return IG_OK;
}

/* Large requests are compared with what is left first: some drivers hand out host memory instead of
   failing, over the bus and many times slower. */
ig_status ig_cuda_alloc(ig_ctx *cx, void **p, size_t bytes) {
  *p = NULL;
  const size_t large = (size_t)32 << 20; /* the question costs as much as a small allocation */
  size_t left = SIZE_MAX, all = 0;
  if (bytes > large)
    IG_CUDA(cx, cudaMemGetInfo(&left, &all));
  const cudaError_t error =
      bytes > left ? cudaErrorMemoryAllocation : cudaMalloc(p, bytes ? bytes : 1);
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    (void)cudaMemGetInfo(&left, &all);
    return IG_FAIL(cx, IG_MEMORY,
                   "%.3g GB more are needed and %.3g of the GPU's %.3g GB are left: take a coarser "
                   "mesh, or single precision, or a GPU with more",
                   1e-9 * (double)bytes, 1e-9 * (double)left, 1e-9 * (double)all);
  }
  IG_CUDA(cx, error);
  {
    ig_cuda_book *book = ig_cuda_of(cx)->book;
    std::lock_guard<std::mutex> hold(book->lock);
    book->size[*p] = bytes;
  }
  cx->device_bytes += bytes;
  if (cx->device_bytes > cx->device_peak)
    cx->device_peak = cx->device_bytes;
  return IG_OK;
}

/* cudaFree waits for the device: what still reads the memory is done first. */
void ig_cuda_free(ig_ctx *cx, void *p) {
  if (!p)
    return;
  {
    ig_cuda_book *book = ig_cuda_of(cx)->book;
    std::lock_guard<std::mutex> hold(book->lock);
    const auto it = book->size.find(p);
    if (it != book->size.end()) {
      cx->device_bytes -= it->second;
      book->size.erase(it);
    }
  }
  cudaFree(p);
}

/* In order with the kernels, as all that names no other stream. */
ig_status ig_cuda_fill(ig_ctx *cx, void *p, int byte, size_t bytes) {
  IG_CUDA(cx, cudaMemsetAsync(p, byte, bytes, ig_cuda_stream(cx)));
  return IG_OK;
}

/* Both copies wait until they are done: the caller may change or read its memory at once. The copy
   within the device, below, does not wait; it is in order with the kernels. */
ig_status ig_cuda_copy_in(ig_ctx *cx, void *dev, const void *host, size_t bytes) {
  IG_CUDA(cx, cudaMemcpyAsync(dev, host, bytes, cudaMemcpyHostToDevice, ig_cuda_stream(cx)));
  return ig_cuda_sync(cx);
}

ig_status ig_cuda_copy_out(ig_ctx *cx, void *host, const void *dev, size_t bytes) {
  IG_CUDA(cx, cudaMemcpyAsync(host, dev, bytes, cudaMemcpyDeviceToHost, ig_cuda_stream(cx)));
  return ig_cuda_sync(cx);
}

ig_status ig_cuda_copy(ig_ctx *cx, void *to, const void *from, size_t bytes) {
  IG_CUDA(cx, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, ig_cuda_stream(cx)));
  return IG_OK;
}

/* The values are first copied within the device, in order with the kernels, so that the next step
   may change their source; the slow copy to the host then runs on the other stream. All calls are
   made before the first error is looked at, so that the ticket can be waited for in any case. */
ig_status ig_cuda_copy_out_start(ig_ctx *cx, void *host, const void *dev, size_t bytes,
                                 ig_ticket **out) {
  ig_cuda *cuda = ig_cuda_of(cx);
  *out = NULL;
  ig_ticket *ticket = (ig_ticket *)calloc(1, sizeof *ticket);
  if (!ticket)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a copy's ticket");
  ticket->bytes = bytes;
  const cudaError_t steps[] = {
      cudaEventCreateWithFlags(&ticket->done, cudaEventDisableTiming),
      cudaMallocAsync(&ticket->staged, bytes ? bytes : 1, cuda->work),
      cudaMemcpyAsync(ticket->staged, dev, bytes, cudaMemcpyDeviceToDevice, cuda->work),
      cudaEventRecord(ticket->done, cuda->work),
      cudaStreamWaitEvent(cuda->copy, ticket->done, 0),
      cudaMemcpyAsync(host, ticket->staged, bytes, cudaMemcpyDeviceToHost, cuda->copy),
      cudaFreeAsync(ticket->staged, cuda->copy),
      cudaEventRecord(ticket->done, cuda->copy),
  };
  *out = ticket;
  for (const cudaError_t error : steps)
    IG_CUDA(cx, error);
  return IG_OK;
}

/* May run on the writer's thread: it touches the ticket alone and reports through the caller. */
ig_status ig_cuda_copy_out_wait(ig_ctx *cx, ig_ticket *ticket) {
  if (!ticket)
    return IG_OK;
  const cudaError_t error = cudaEventSynchronize(ticket->done);
  cudaEventDestroy(ticket->done);
  free(ticket);
  (void)cx;
  return error == cudaSuccess ? IG_OK : IG_DEVICE;
}

/* Pinned memory: only from and to it are copies asynchronous. */
ig_status ig_cuda_host_alloc(ig_ctx *cx, void **p, size_t bytes) {
  IG_CUDA(cx, cudaMallocHost(p, bytes ? bytes : 1));
  return IG_OK;
}
void ig_cuda_host_free(ig_ctx *cx, void *p) {
  (void)cx;
  cudaFreeHost(p);
}

/* Launches from here to graph_end are recorded, not run. Capture is of this thread: others (ranks
   in one process, a writer) may call CUDA meanwhile. */
ig_status ig_cuda_graph_begin(ig_ctx *cx) {
  IG_CUDA(cx, cudaStreamBeginCapture(ig_cuda_stream(cx), cudaStreamCaptureModeThreadLocal));
  return IG_OK;
}

/* Instantiated once, here: that is the slow part; graph_run only launches. */
ig_status ig_cuda_graph_end(ig_ctx *cx, ig_graph **out) {
  *out = NULL;
  cudaGraph_t graph;
  IG_CUDA(cx, cudaStreamEndCapture(ig_cuda_stream(cx), &graph));
  ig_graph *g = (ig_graph *)calloc(1, sizeof *g);
  if (!g) {
    cudaGraphDestroy(graph);
    return IG_FAIL(cx, IG_MEMORY, "no memory for a graph");
  }
  const cudaError_t error = cudaGraphInstantiate(&g->exec, graph, 0);
  cudaGraphDestroy(graph);
  if (error != cudaSuccess)
    free(g);
  IG_CUDA(cx, error);
  *out = g;
  return IG_OK;
}

ig_status ig_cuda_graph_run(ig_ctx *cx, ig_graph *graph, int times) {
  for (int i = 0; i < times; i++)
    IG_CUDA(cx, cudaGraphLaunch(graph->exec, ig_cuda_stream(cx)));
  return IG_OK;
}

void ig_cuda_graph_free(ig_ctx *cx, ig_graph *graph) {
  (void)cx;
  if (!graph)
    return;
  cudaGraphExecDestroy(graph->exec);
  free(graph);
}

/* One partial result a block, in a fixed order; the host adds them up in a fixed order. A thread
   adds its share of the values, then the block's threads are added pairwise in shared memory. */
template <typename Real, bool MAX>
__global__ void reduce_blocks(size_t n, const Real *x, const Real *y, double *partial) {
  __shared__ double part[REDUCE_THREADS];
  double s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    if (MAX)
      s = fmax(s, fabs((double)x[i]));
    else
      s += (double)x[i] * (double)y[i];
  }
  part[threadIdx.x] = s;
  __syncthreads();
  for (int half = REDUCE_THREADS / 2; half; half /= 2) {
    if ((int)threadIdx.x < half)
      part[threadIdx.x] = MAX ? fmax(part[threadIdx.x], part[threadIdx.x + half])
                              : part[threadIdx.x] + part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = part[0];
}

/* Dot product or largest magnitude. Sums are of doubles in either precision; the last of them, over
   the blocks, is on the host. */
template <typename Real, bool MAX>
static ig_status reduce(ig_ctx *cx, size_t n, const Real *x, const Real *y, double *result) {
  ig_cuda *cuda = ig_cuda_of(cx);
  reduce_blocks<Real, MAX>
      <<<REDUCE_BLOCKS, REDUCE_THREADS, 0, cuda->work>>>(n, x, y, cuda->partial);
  IG_LAUNCHED(cx);
  IG_CUDA(cx, cudaMemcpyAsync(cuda->total, cuda->partial, REDUCE_BLOCKS * sizeof(double),
                              cudaMemcpyDeviceToHost, cuda->work));
  IG_TRY(ig_cuda_sync(cx));
  double s = 0;
  for (int b = 0; b < REDUCE_BLOCKS; b++)
    s = MAX ? (cuda->total[b] > s ? cuda->total[b] : s) : s + cuda->total[b];
  *result = s;
  return IG_OK;
}

ig_status ig_cuda_dot_f32(ig_ctx *cx, size_t n, const float *x, const float *y, double *result) {
  return reduce<float, false>(cx, n, x, y, result);
}
ig_status ig_cuda_dot_f64(ig_ctx *cx, size_t n, const double *x, const double *y, double *result) {
  return reduce<double, false>(cx, n, x, y, result);
}
ig_status ig_cuda_absmax_f32(ig_ctx *cx, size_t n, const float *x, double *result) {
  return reduce<float, true>(cx, n, x, x, result);
}
ig_status ig_cuda_absmax_f64(ig_ctx *cx, size_t n, const double *x, double *result) {
  return reduce<double, true>(cx, n, x, x, result);
}

/* 16 bytes per thread and access: the widest load there is. */
__global__ void copy_vec4(size_t n, const float4 *from, float4 *to) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x)
    to[i] = from[i];
}

/* For reports: multiprocessors, memory, and the bandwidth of a copy of 2 GB at most (a quarter of
   what is free), the best of five after one that warms up. Read and written bytes both count. What
   fails leaves its number at 0. */
void ig_cuda_describe(ig_ctx *cx, ig_device_info *info) {
  ig_cuda *cuda = ig_cuda_of(cx);
  info->units = cuda->multiprocessors;
  size_t left = 0;
  (void)cudaMemGetInfo(&left, &info->memory);
  /* whole float4; two such buffers fit */
  const size_t bytes = left / 4 < ((size_t)1 << 31) ? left / 4 / 16 * 16 : (size_t)1 << 31;
  float4 *from = NULL, *to = NULL;
  cudaEvent_t start, stop;
  if (cudaEventCreate(&start) != cudaSuccess || cudaEventCreate(&stop) != cudaSuccess)
    return;
  if (cudaMalloc((void **)&from, bytes) == cudaSuccess &&
      cudaMalloc((void **)&to, bytes) == cudaSuccess) {
    cudaMemsetAsync(from, 1, bytes, cuda->work);
    float best = 1e30f;
    for (int repeat = 0; repeat < 6; repeat++) {
      cudaEventRecord(start, cuda->work);
      copy_vec4<<<cuda->multiprocessors * 16, 512, 0, cuda->work>>>(bytes / 16, from, to);
      cudaEventRecord(stop, cuda->work);
      float ms = 0;
      if (cudaEventSynchronize(stop) == cudaSuccess &&
          cudaEventElapsedTime(&ms, start, stop) == cudaSuccess && repeat > 0 && ms < best)
        best = ms;
    }
    if (best < 1e29f)
      info->copy_bytes_per_s = 2.0 * (double)bytes / (1e-3 * (double)best);
  }
  cudaFree(from);
  cudaFree(to);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  (void)cudaGetLastError();
}
