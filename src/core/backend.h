/* A backend: where memory lives and work runs. One const table of functions each.

   Rooms bring kernels of two kinds, CPU and CUDA, and pick theirs by `kernels`; memory, copies,
   graphs and reductions come from here. On `cpu` device memory is host memory. On `debug` the CPU
   kernels run in memory of their own, poisoned when allocated, so that a transfer somebody forgot
   fails a test on a machine without a GPU. */
#ifndef IG_CORE_BACKEND_H
#define IG_CORE_BACKEND_H

#include "core/ctx.h"
#include "kern/fault.h"

IG_C_BEGIN

typedef enum { IG_KERNELS_CPU, IG_KERNELS_CUDA } ig_kernels;

/* A copy on its way out of the device, and a recorded sequence of launches. Opaque. */
typedef struct ig_ticket ig_ticket;
typedef struct ig_graph ig_graph;

typedef struct ig_backend {
  const char *name;
  ig_kernels kernels;
  bool separate; /* device memory is not host memory: copies are real */

  ig_status (*open)(ig_ctx *cx);
  void (*close)(ig_ctx *cx);
  void (*describe)(ig_ctx *cx, ig_device_info *info);
  ig_status (*sync)(ig_ctx *cx);

  ig_status (*alloc)(ig_ctx *cx, void **p, size_t bytes); /* contents undefined */
  void (*free)(ig_ctx *cx, void *p);
  ig_status (*fill)(ig_ctx *cx, void *p, int byte, size_t bytes);
  ig_status (*copy_in)(ig_ctx *cx, void *dev, const void *host, size_t bytes);
  ig_status (*copy_out)(ig_ctx *cx, void *host, const void *dev, size_t bytes);
  ig_status (*copy)(ig_ctx *cx, void *dev_to, const void *dev_from, size_t bytes);

  /* A copy out that overlaps with what is launched after it: the source is staged in order, then
     travels on a stream of its own. `wait` may be called from any thread; it ends the ticket. */
  ig_status (*copy_out_start)(ig_ctx *cx, void *host, const void *dev, size_t bytes,
                              ig_ticket **ticket);
  ig_status (*copy_out_wait)(ig_ctx *cx, ig_ticket *ticket);
  /* Host memory the device copies to at full speed. */
  ig_status (*host_alloc)(ig_ctx *cx, void **p, size_t bytes);
  void (*host_free)(ig_ctx *cx, void *p);

  /* Launches between begin and end are recorded, not run; `graph_run` replays them.
     Without real graphs (CPU) these are NULL: loop on the host. */
  ig_status (*graph_begin)(ig_ctx *cx);
  ig_status (*graph_end)(ig_ctx *cx, ig_graph **graph);
  ig_status (*graph_run)(ig_ctx *cx, ig_graph *graph, int times);
  void (*graph_free)(ig_ctx *cx, ig_graph *graph);

  /* Reductions over device arrays, deterministic for a given thread count or grid; y may be x. */
  ig_status (*dot_f32)(ig_ctx *cx, size_t n, const float *x, const float *y, double *result);
  ig_status (*dot_f64)(ig_ctx *cx, size_t n, const double *x, const double *y, double *result);
  ig_status (*absmax_f32)(ig_ctx *cx, size_t n, const float *x, double *result);
  ig_status (*absmax_f64)(ig_ctx *cx, size_t n, const double *x, double *result);
} ig_backend;

/* The fault word: kernels record trouble in it (kern/fault.h), the host reads it at output steps.
 */
ig_status ig_fault_open(ig_ctx *cx);
void ig_fault_close(ig_ctx *cx);
ig_status ig_fault_clear(ig_ctx *cx);
/* Fails with IG_NUMERIC if a kernel met trouble; `thing` names what the id counts ("element").
   `ids` maps the kernel's numbering to the user's, NULL if they are the same. */
IG_MUST_CHECK ig_status ig_fault_check(ig_ctx *cx, const char *thing, const ig_lid *ids);

IG_C_END
#endif
