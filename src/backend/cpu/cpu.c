/* The CPU backends: `cpu` (device memory is host memory, copies between an array's two sides do
   nothing) and `debug` (it is separate, and filled with a pattern when allocated: a forgotten copy
   shows as an absurd number on any machine, without a GPU). */
#include "backend/backend.h"
#include "core/threads.h"
#include "core/memory.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ALIGN: a cache line, and the widest vector register. */
enum { ALIGN = 64, POISON = 0xf7 }; /* 0xf7f7… reads as a huge negative float: a lost copy shows */

/* For reports: the processor's name and the number of threads. */
static void cpu_name(ig_ctx *cx) {
  char model[80] = "";
  FILE *f = fopen("/proc/cpuinfo", "r");
  for (char line[256]; f && !model[0] && fgets(line, sizeof line, f);) {
    const char *colon = strchr(line, ':');
    if (colon && strncmp(line, "model name", 10) == 0)
      snprintf(model, sizeof model, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
  }
  if (f)
    fclose(f);
#if defined(__aarch64__)
  const char *arch = "aarch64";
#elif defined(__x86_64__)
  const char *arch = "x86-64";
#else
  const char *arch = "CPU";
#endif
  snprintf(cx->device_name, sizeof cx->device_name, "%s, %d thread%s", model[0] ? model : arch,
           cx->threads, cx->threads == 1 ? "" : "s");
}

/* Memory left is looked up once, here: later answers would still count as free what this run has
   allocated and not touched yet. */
static ig_status cpu_open(ig_ctx *cx) {
  double *left = malloc(sizeof *left); /* of host memory, before anything is allocated */
  if (!left)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a backend");
  *left = ig_memory_left();
  cx->device = left;
  cpu_name(cx);
  return IG_OK;
}
static void cpu_close(ig_ctx *cx) {
  free(cx->device);
  cx->device = NULL;
}
static ig_status cpu_sync(ig_ctx *cx) {
  (void)cx;
  return IG_OK;
}

/* Each block carries its size in front, so that the books balance when it is freed. */
static ig_status cpu_alloc(ig_ctx *cx, void **p, size_t bytes) {
  *p = NULL;
  const size_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN + ALIGN;
  const double needed = (double)cx->device_bytes + (double)bytes, *left = cx->device;
  if (needed > *left)
    return IG_FAIL(
        cx, IG_MEMORY,
        "at least %.3g GB are needed and %.3g GB of memory are left: take a coarser mesh, "
        "or a machine with more",
        1e-9 * needed, 1e-9 * *left);
  char *block = bytes > PTRDIFF_MAX - 2 * ALIGN ? NULL : aligned_alloc(ALIGN, whole);
  if (!block)
    return IG_FAIL(cx, IG_MEMORY, "no memory for %.3g GB", 1e-9 * (double)bytes);
  *(size_t *)(void *)block = bytes;
  cx->device_bytes += bytes;
  if (cx->device_bytes > cx->device_peak)
    cx->device_peak = cx->device_bytes;
  *p = block + ALIGN;
  ig_memory_large(block, whole);
  if (cx->backend->separate)
    memset(*p, POISON, bytes);
  return IG_OK;
}
/* `p` as cpu_alloc gave it; the block begins before it. */
static void cpu_free(ig_ctx *cx, void *p) {
  if (!p)
    return;
  char *block = (char *)p - ALIGN;
  cx->device_bytes -= *(size_t *)(void *)block;
  free(block);
}
/* Zero is the usual case and worth all threads; other bytes are written to small arrays. */
static ig_status cpu_fill(ig_ctx *cx, void *p, int byte, size_t bytes) {
  if (byte == 0)
    ig_memory_clear(cx->threads, p, bytes);
  else
    memset(p, byte, bytes);
  return IG_OK;
}
/* On `cpu` the two sides of an array are one: nothing to do. */
static ig_status cpu_copy(ig_ctx *cx, void *to, const void *from, size_t bytes) {
  if (to != from)
    ig_memory_copy(cx->threads, to, from, bytes);
  return IG_OK;
}
/* The source may change at once after `start`, so the copy is made there. */
static ig_status cpu_copy_out_start(ig_ctx *cx, void *host, const void *dev, size_t bytes,
                                    ig_ticket **ticket) {
  *ticket = NULL;
  return cpu_copy(cx, host, dev, bytes);
}
static ig_status cpu_copy_out_wait(ig_ctx *cx, ig_ticket *ticket) {
  (void)cx;
  (void)ticket;
  return IG_OK;
}
static ig_status cpu_host_alloc(ig_ctx *cx, void **p, size_t bytes) {
  return ig_alloc(cx, p, bytes, 1, "host buffer");
}
static void cpu_host_free(ig_ctx *cx, void *p) {
  (void)cx;
  free(p);
}

/* Sums are made per fixed chunk, then over the chunks in order: the same for any thread count. */
enum { CHUNK = 1 << 14 };

#define CPU_REDUCTIONS(REAL_, SUFFIX)                                                              \
  static ig_status cpu_dot_##SUFFIX(ig_ctx *cx, size_t n, const REAL_ *x, const REAL_ *y,          \
                                    double *result) {                                              \
    const size_t chunks = (n + CHUNK - 1) / CHUNK;                                                 \
    const int team = ig_team(cx, (int64_t)n, IG_WORK_VALUE);                                       \
    double *part;                                                                                  \
    IG_TRY(IG_NEW(cx, &part, chunks, "reduction"));                                                \
    _Pragma("omp parallel for schedule(static) num_threads(team)") for (size_t c = 0; c < chunks;  \
                                                                        c++) {                     \
      const size_t end = (c + 1) * CHUNK < n ? (c + 1) * CHUNK : n;                                \
      double s = 0;                                                                                \
      _Pragma("omp simd reduction(+ : s)") for (size_t i = c * CHUNK; i < end; i++) s +=           \
          (double)x[i] * (double)y[i];                                                             \
      part[c] = s;                                                                                 \
    }                                                                                              \
    double sum = 0;                                                                                \
    for (size_t c = 0; c < chunks; c++)                                                            \
      sum += part[c];                                                                              \
    free(part);                                                                                    \
    *result = sum;                                                                                 \
    return IG_OK;                                                                                  \
  }                                                                                                \
  static ig_status cpu_absmax_##SUFFIX(ig_ctx *cx, size_t n, const REAL_ *x, double *result) {     \
    double m = 0;                                                                                  \
    const int team = ig_team(cx, (int64_t)n, IG_WORK_VALUE);                                       \
    _Pragma(                                                                                       \
        "omp parallel for schedule(static) num_threads(team) reduction(max : m)") for (size_t i =  \
                                                                                           0;      \
                                                                                       i < n; i++) \
        m = fabs((double)x[i]) > m ? fabs((double)x[i]) : m;                                       \
    *result = m;                                                                                   \
    return IG_OK;                                                                                  \
  }
CPU_REDUCTIONS(float, f32)
CPU_REDUCTIONS(double, f64)

/* A copy over buffers far larger than any cache, best of a few. What the GPU does in
   ig_cuda_describe (cuda.cu), with all threads. */
static void cpu_describe(ig_ctx *cx, ig_device_info *info) {
  info->units = cx->threads;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  info->memory = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
  const size_t n = (size_t)32 << 20; /* doubles: 256 MB each way */
  double *from = malloc(n * sizeof *from), *to = malloc(n * sizeof *to);
  if (from && to) {
#pragma omp parallel for schedule(static) num_threads(cx->threads)
    for (size_t i = 0; i < n; i++)
      from[i] = (double)i, to[i] = 0;
    double best = 1e30;
    for (int repeat = 0; repeat < 4; repeat++) {
      const double start = ig_now();
#pragma omp parallel for simd schedule(static) num_threads(cx->threads)
      for (size_t i = 0; i < n; i++)
        to[i] = from[i];
      const double s = ig_now() - start;
      best = s < best ? s : best;
    }
    info->copy_bytes_per_s = 2.0 * (double)n * sizeof *from / best;
  }
  free(from);
  free(to);
}

#define CPU_TABLE(NAME, SEPARATE)                                                                  \
  {                                                                                                \
    .name = NAME, .kernels = IG_KERNELS_CPU, .separate = SEPARATE, .open = cpu_open,               \
    .close = cpu_close, .describe = cpu_describe, .sync = cpu_sync, .alloc = cpu_alloc,            \
    .free = cpu_free, .fill = cpu_fill, .copy_in = cpu_copy, .copy_out = cpu_copy,                 \
    .copy = cpu_copy, .copy_out_start = cpu_copy_out_start, .copy_out_wait = cpu_copy_out_wait,    \
    .host_alloc = cpu_host_alloc, .host_free = cpu_host_free, .dot_f32 = cpu_dot_f32,              \
    .dot_f64 = cpu_dot_f64, .absmax_f32 = cpu_absmax_f32, .absmax_f64 = cpu_absmax_f64             \
  }

const ig_backend ig_backend_cpu = CPU_TABLE("cpu", false);
const ig_backend ig_backend_debug = CPU_TABLE("debug", true);
