/* How a mesh is divided between ranks. */
#ifndef INGOT_PARTITION_H
#define INGOT_PARTITION_H

#include <ingot/ranks.h>

IG_C_BEGIN

/* How meshes are divided from now on: "curve" (as if nothing were said: along a space-filling curve
   or, in thermal, by planes), "boxes" (by planes across the axes), "metis" (IG_UNSUPPORTED in
   builds without it), "random" (for tests). The same on all ranks. It changes how long a run takes,
   not its results. */
IG_API IG_MUST_CHECK ig_status ig_ranks_divide(ig_ranks *ranks, const char *how);

IG_C_END
#endif
