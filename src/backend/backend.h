/* The backends there are; what each must do is in core/backend.h.

     cpu    CPU kernels, one memory                          cpu/cpu.c
     debug  CPU kernels, a memory of its own, for tests      cpu/cpu.c
     cuda   CUDA kernels on one GPU per context              cuda/cuda.c (table), cuda.cu
   (functions)

   A room asks the context's backend for memory and copies, and chooses its table of kernels by
   IG_OPS_OF. A backend that is not built is in the list, too, and says so when it is opened. */
#ifndef IG_BACKEND_H
#define IG_BACKEND_H

#include "core/backend.h"
#include "ingot_cuda.h"
#include "backend/backend_list.h"

IG_C_BEGIN

/* a table each, never changed */
#define X(name) extern const ig_backend ig_backend_##name;
IG_BACKEND_LIST(X)
#undef X
const ig_backend *ig_backend_at(int i);              /* the i-th, NULL beyond the last */
const ig_backend *ig_backend_find(const char *name); /* NULL if there is none */
const char *ig_backend_names(void);                  /* "cpu, debug, cuda" */

/* The table of operations that a context's backend calls for; what stands in IG_IF_CUDA is there
   only where CUDA is. */
#ifdef INGOT_HAVE_CUDA
#define IG_IF_CUDA(...) __VA_ARGS__
#define IG_OPS_OF(cx, cpu, cuda) ((cx)->backend->kernels == IG_KERNELS_CUDA ? (cuda) : (cpu))
#else
#define IG_IF_CUDA(...)
#define IG_OPS_OF(cx, cpu, cuda) ((void)(cx), (cpu))
#endif

IG_C_END
#endif
