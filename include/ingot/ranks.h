/* Ranks: one run on several processes or threads, each with a context (and a GPU) of its own. All
   ranks open the same case and call the same functions in the same order; rank 0 writes the files.
   Results have the bits of a run on one rank. Which rooms run on ranks: docs/how-to/ranks.md. */
#ifndef INGOT_RANKS_H
#define INGOT_RANKS_H

#include <ingot/error.h>

IG_C_BEGIN

typedef struct ig_ranks ig_ranks;
struct ig_ctx;

/* The processes of an MPI job, in builds with MPI (IG_UNSUPPORTED in others). `communicator`:
   MPI_Comm_c2f of it, 0 for all processes; MPI is initialised, and finalised at the end, unless the
   program has done so. Give it to ig_ctx_open, close it after the context. */
IG_API IG_MUST_CHECK ig_status ig_ranks_mpi(int communicator, ig_ranks **ranks);
/* `count` ranks within this process: ranks[i] is for thread i of the program. Close each. */
IG_API IG_MUST_CHECK ig_status ig_ranks_threads(int count, ig_ranks **ranks);
IG_API void ig_ranks_close(ig_ranks *ranks);

/* Number of this rank, number of ranks, and number of this rank on its computer (to choose a GPU).
 * NULL: a single rank. */
IG_API int ig_ranks_rank(const ig_ranks *ranks);
IG_API int ig_ranks_count(const ig_ranks *ranks);
IG_API int ig_ranks_local(const ig_ranks *ranks);
/* Transport in use: "threads", "MPI (Open MPI 4.1.4)". */
IG_API const char *ig_ranks_transport(const ig_ranks *ranks);

/* Collective: all ranks return the same status: IG_OK, or the status of the lowest rank that
 * failed, whose message is copied into every context. For work of the program between collective
 * calls, for example opening a case. Without ranks it returns `status`. */
IG_API IG_MUST_CHECK ig_status ig_ranks_agree(struct ig_ctx *cx, ig_status status);

IG_C_END
#endif
