/* A grid divided between ranks in slabs along z, its slowest axis: planes are contiguous in memory,
   and a ghost plane is one copy.

   A rank owns consecutive planes of nodes, and the elements at their places. The planes of others
   next to its own, its ghosts, lie where a whole grid has its halo: kernels find them there and do
   not know of ranks. Cuts lie at multiples of 2^depth planes, so that a coarse node and the fine
   one at its place have one owner on all levels above `depth`; from that level on every rank holds
   the whole grid and computes the same.

        rank 0   planes  0 1 2 3 | 4*              * ghosts
        rank 1   planes       3* | 4 5 6 7 | 8*
        rank 2   planes                 7* | 8 9 ...

   Sums are made per plane, then over all planes in the order of the whole grid: their bits do not
   depend on the division.

   A rank that fails on its own says so with ig_slab_fail and goes on, since others wait for its
   planes. All learn of it in the next sum, and fail there together. */
#ifndef IG_SOLVER_KRYLOV_SLAB_H
#define IG_SOLVER_KRYLOV_SLAB_H

#include "ranks/ranks.h"
#include "solver/grid/grid.h"

IG_C_BEGIN

/* Cuts lie at multiples of so many planes of the finest level, at least. */
enum { IG_SLAB_GROUP = 4 };

typedef struct ig_slab {
  ig_ctx *cx;
  int rank, ranks;
  int depth;  /* the first level that all ranks hold whole */
  int ghosts; /* planes stored below and above a rank's own, finest level */
  int planes; /* of nodes, whole grid */
  /* first planes are multiples of 2^depth */
  int *start; /* ranks + 1: first plane of each */
  /* the first failure of this rank that the others do not know of yet; IG_OK: none */
  ig_status fault;
  /* scratch of an exchange: messages, their sizes, buffers of the host (pinned on a GPU) */
  ig_message *message; /* ranks */
  size_t *size;        /* ranks */
  char *out, *in;
  size_t room[2]; /* bytes of the two */
  /* of each level in parts: ghosts' way to the neighbours, and the bytes per plane it is made for
   */
  struct ig_exchange *wire;
  size_t *wire_plane;
} ig_slab;

/* How `planes` planes of nodes may be divided for a multigrid hierarchy of `levels` levels, with
   at least `ghosts` planes around each part. *slab is NULL where there is one rank, or too few
   planes for all. The same on all ranks, without a message. */
IG_MUST_CHECK ig_status ig_slab_new(ig_ctx *cx, int planes, int levels, int ghosts, ig_slab **slab);
void ig_slab_free(ig_slab *slab);

/* Planes [from, to) of nodes of a rank on a level, in numbers of that level; how many the whole
   level has. */
void ig_slab_range(const ig_slab *slab, int level, int rank, int *from, int *to);
int ig_slab_planes(const ig_slab *slab, int level);
/* The own part of a level's whole grid; the whole itself from `depth` on. */
ig_grid ig_slab_grid(ig_slab *slab, int level, const ig_grid *whole);

/* Room for messages: later there is no telling the others that there is none. */
IG_MUST_CHECK ig_status ig_slab_reserve(ig_slab *slab, size_t out, size_t in);
/* The same for ghosts: up to `each` bytes in an exchange per place of a plane. Collective: both
   ends of a wire must fit. */
IG_MUST_CHECK ig_status ig_slab_reserve_ghosts(const ig_grid *grid, size_t each);

/* Keeps a failure until the next sum over ranks (ig_slab_total), where all ranks fail with it. The
   message is in the context already. */
void ig_slab_fail(ig_slab *slab, ig_status status);
/* What IG_TRY is to one rank: a failure is kept until all meet. */
#define IG_SLAB_TRY(slab, call)                                                                    \
  do {                                                                                             \
    const ig_status slab_try_ = (call);                                                            \
    if (slab_try_ != IG_OK) {                                                                      \
      if (!(slab))                                                                                 \
        return slab_try_;                                                                          \
      ig_slab_fail(slab, slab_try_);                                                               \
    }                                                                                              \
  } while (0)

/* Ghosts of a vector of `components` values of `size` bytes per place take their owners' values,
   `reach` planes on both sides; `grid` is the own part of a level. Nothing where it is a whole. */
IG_MUST_CHECK ig_status ig_slab_refresh(const ig_grid *grid, int components, size_t size, int reach,
                                        void *values);
/* The same of the planes of an array that is no vector: `plane` bytes each, one ghost below. */
IG_MUST_CHECK ig_status ig_slab_lift(const ig_grid *grid, size_t plane, void *values);
/* `size` bytes of the device, of rank `from` to rank `to`, for ranks that take turns. All call it;
   others than these two do not wait. */
IG_MUST_CHECK ig_status ig_slab_hand(ig_slab *slab, int from, int to, size_t size, void *values);
/* Planes of all ranks: of a vector of a whole level whose own planes are known, on the device;
   `plane` bytes each, `components` arrays `stride` bytes apart. `planes` there are. */
IG_MUST_CHECK ig_status ig_slab_gather(ig_slab *slab, int level, int planes, int components,
                                       size_t plane, size_t stride, void *values);
/* Of a vector in double, from the own part on the device to the whole in host memory, on rank 0 or
   on all; elsewhere `whole` is not looked at. */
IG_MUST_CHECK ig_status ig_slab_collect(const ig_grid *grid, int components, const double *values,
                                        bool everyone, double *whole);
/* The own part, ghosts included, of a whole in host memory, to the device. */
IG_MUST_CHECK ig_status ig_slab_cut(const ig_grid *grid, int components, const double *whole,
                                    double *values);

/* The sum over components, planes and `per` parts of a plane, in this order: part[component][own
   plane][per][each]; sum[each]. part NULL: this rank has failed. */
IG_MUST_CHECK ig_status ig_slab_total(ig_slab *slab, int level, int components, int64_t per,
                                      int each, const double *part, double *sum);
/* The same of sums on a device, [own group of `group` planes][each]. */
IG_MUST_CHECK ig_status ig_slab_total_device(ig_slab *slab, int level, int group, int each,
                                             const double *part, double *sum);
/* Of each number the largest, numbers not being negative, up to eight of them; the sum, exact. */
IG_MUST_CHECK ig_status ig_slab_most(ig_slab *slab, double *value, int count);
IG_MUST_CHECK ig_status ig_slab_count(ig_slab *slab, int64_t *value, int count);

IG_C_END
#endif
