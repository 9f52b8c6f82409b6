/* How a mesh is divided between ranks, and from where they send. */
#ifndef INGOT_PARTITION_H
#define INGOT_PARTITION_H

#include <ingot/ranks.h>

IG_C_BEGIN

/* How meshes are divided from now on: "auto" (as if nothing were said: by planes in thermal, along
   a curve elsewhere), "curve" (space-filling), "boxes" (by planes across the axes), "metis"
   (IG_UNSUPPORTED in builds without it), "random" (for tests). The same on all ranks. It changes
   how long a run takes, not its results. */
IG_API IG_MUST_CHECK ig_status ig_ranks_divide(ig_ranks *ranks, const char *how);

/* Whether ranks on one computer write ghosts straight into each other's GPU's memory (CUDA IPC
   between processes, peer access between threads): "on" where it works, "off", or "auto", where it
   works and is quicker than through the host's memory. Before ig_ctx_open, which tries and times
   it; the same on all ranks. Results do not depend on it. */
IG_API IG_MUST_CHECK ig_status ig_ranks_ipc(ig_ranks *ranks, const char *how);
/* Whether ghosts are sent from a GPU's memory without a detour through the host's: "on", "off", or
   "auto", where MPI says of itself that it can and it is quicker. The same on all ranks. Results do
   not depend on it. */
IG_API IG_MUST_CHECK ig_status ig_ranks_gpu(ig_ranks *ranks, const char *how);
/* Whether that works: a message of a rank to itself. An MPI that cannot may crash here: try it in a
   process of its own. */
IG_API IG_MUST_CHECK ig_status ig_ranks_gpu_try(struct ig_ctx *cx);

IG_C_END
#endif
