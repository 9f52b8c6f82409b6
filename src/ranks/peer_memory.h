/* Device memory that ranks of one computer write into directly: threads of one process by its
   address, processes by CUDA's IPC handles (on the debug backend by a file in memory).

   A box is memory of this rank that others write into, with two marks (events of a GPU), one per
   half, recorded on this rank's stream behind its own writes to others. Boxes are cached and kept
   until the context is closed: another rank may still have them open. */
#ifndef IG_RANKS_PEER_MEMORY_H
#define IG_RANKS_PEER_MEMORY_H

#include "ranks/ranks.h"

IG_C_BEGIN

/* Size of cudaIpcMemHandle_t and cudaIpcEventHandle_t, checked in peer_memory.cu; also room for the
   name of a file. */
enum { IG_NEAR_HANDLE = 64 };

/* Everything another rank needs to open a box; sent as bytes. The pointers are used only within the
   same process. */
typedef struct {
  uint64_t computer, process; /* where it is */
  uint64_t box;               /* number of the box there; 0: none is offered */
  int64_t device;             /* of the process */
  uint64_t size;
  void *memory, *mark[2];                                             /* within the process */
  char memory_handle[IG_NEAR_HANDLE], mark_handle[2][IG_NEAR_HANDLE]; /* for other processes */
  uint64_t at[2]; /* bytes: where the receiver of this offer may write, by turns */
} ig_peer_offer;

/* A box of this rank. */
typedef struct {
  char *memory;
  size_t size;
  void *mark[2]; /* NULL where there are no streams */
  ig_peer_offer offer;
  /* Bytes mapped if the box is a file (debug backend, processes); otherwise 0. */
  size_t view_size; /* as a view's */
  bool used;
} ig_peer_box;

/* A box of another rank, as this rank sees it. Owned by the cache; copies are not freed. */
typedef struct {
  char *memory;
  void *mark[2];
  size_t size; /* where it is mapped from a file; else 0 */
} ig_peer_view;

/* Takes a free box of at least `size` bytes from the cache, or makes one; ig_peer_return gives it
   back to the cache. Not collective. */
IG_MUST_CHECK ig_status ig_peer_take(ig_ctx *cx, size_t size, ig_peer_box **box);
void ig_peer_return(ig_peer_box *box);
/* Opens an offer. false: not possible; the reason is in ig_ranks.near_trouble. Not an error. */
bool ig_peer_open(ig_ctx *cx, const ig_peer_offer *offer, ig_peer_view *view);
/* Frees boxes and views. Before the backend is closed, on all ranks. */
void ig_peer_close(ig_ctx *cx);

/* peer_memory.cu */
ig_status ig_peer_box_cuda(ig_ctx *cx, ig_peer_box *box); /* marks and handles */
void ig_peer_box_free_cuda(ig_peer_box *box);
const char *ig_peer_open_cuda(ig_ctx *cx, const ig_peer_offer *offer, bool same_process,
                              ig_peer_view *view); /* NULL, or why not */
void ig_peer_view_free_cuda(const ig_peer_view *view);
ig_status ig_peer_mark_cuda(ig_ctx *cx, void *mark);  /* all that was launched so far */
ig_status ig_peer_after_cuda(ig_ctx *cx, void *mark); /* what is launched next waits for it */

IG_C_END
#endif
