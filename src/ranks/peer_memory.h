/* Device memory that ranks of one computer write into directly: threads of one process by its
   address, processes by CUDA's handles (on the debug backend by a file in memory).

   A box is memory of this rank that others write into, with two marks (events of a GPU) by which it
   tells them how far its own stream has come. Boxes are kept until the context is closed: somebody
   may still have them open. */
#ifndef IG_RANKS_PEER_MEMORY_H
#define IG_RANKS_PEER_MEMORY_H

#include "ranks/ranks.h"

IG_C_BEGIN

enum { IG_NEAR_HANDLE = 64 };

/* How another rank finds a box. */
typedef struct {
  uint64_t computer, process; /* where it is */
  uint64_t box;               /* number of the box there; 0: none is offered */
  int64_t device;             /* of the process */
  uint64_t size;
  void *memory, *mark[2];                                             /* within the process */
  char memory_handle[IG_NEAR_HANDLE], mark_handle[2][IG_NEAR_HANDLE]; /* for other processes */
  uint64_t at[2]; /* bytes: where the receiver of this offer may write, by turns */
} ig_peer_offer;

typedef struct {
  char *memory;
  size_t size;
  void *mark[2]; /* NULL where there are no streams */
  ig_peer_offer offer;
  size_t view_size; /* as a view's */
  bool used;
} ig_peer_box;

/* Somebody else's box, as this rank sees it. */
typedef struct {
  char *memory;
  void *mark[2];
  size_t size; /* where it is mapped from a file; else 0 */
} ig_peer_view;

/* A box of at least `size` bytes, and back. */
IG_MUST_CHECK ig_status ig_peer_take(ig_ctx *cx, size_t size, ig_peer_box **box);
void ig_peer_return(ig_peer_box *box);
/* Whether the offer can be used from here; why not goes to ig_ranks.near_trouble. */
bool ig_peer_open(ig_ctx *cx, const ig_peer_offer *offer, ig_peer_view *view);
/* Before the backend is closed. */
void ig_peer_close(ig_ctx *cx);

#ifdef INGOT_HAVE_CUDA
/* near.cu */
ig_status ig_peer_box_cuda(ig_ctx *cx, ig_peer_box *box); /* marks and handles */
void ig_peer_box_free_cuda(ig_peer_box *box);
const char *ig_peer_open_cuda(ig_ctx *cx, const ig_peer_offer *offer, bool same_process,
                              ig_peer_view *view); /* NULL, or why not */
void ig_peer_view_free_cuda(const ig_peer_view *view);
ig_status ig_peer_mark_cuda(ig_ctx *cx, void *mark);  /* all that was launched so far */
ig_status ig_peer_after_cuda(ig_ctx *cx, void *mark); /* what is launched next waits for it */
#endif

IG_C_END
#endif
