/* One mesh divided between ranks, with the services that rest on it: ghost exchange, staged
   exchange, gather and streamed gather to rank 0.

   Data model. A rank owns nodes. Its part of the mesh has every element that touches an own node,
   so that the rank can compute its nodes alone (elements on the border are computed by several
   ranks). The other nodes of these elements are ghosts, whose values come from their owners.

      o---o---o---x---x      o  own node of rank 0
      | a | b | c | d |      x  node of rank 1; those of c are ghosts of rank 0
      o---o---o---x---x      part of rank 0: a, b, c; part of rank 1: c, d

   Invariant: numbers within a part rise with those of the whole mesh. A sum over the elements of a
   node has the same order, and so the same bits, on any partition; and sender and receiver list
   nodes in the same order without exchanging lists.

   A run on one rank is a partition with one part, without ghosts. "Whole" means the undivided mesh.
   Every function with an ig_ctx that moves data is collective. */
#ifndef IG_RANKS_PARTITION_H
#define IG_RANKS_PARTITION_H

#include "ranks/exchange.h"
#include <ingot/mesh.h>
#include <ingot/partition.h>

/* How nodes are assigned to ranks.
   - AUTO: the choice of the room.
   - CURVE: equal pieces of a Morton curve in space.
   - PLAN: the same in the plane x, y, so that a part built in layers grows on all ranks at once.
   - RANDOM: for tests; almost every node is a ghost somewhere.
   - UNEVEN: for tests; the first rank has one node, the last none.
   - METIS: few cut edges.
   - BOXES: planes across the axes, by ig_divide_boxes. */
typedef enum {
  IG_DIVIDE_AUTO,
  IG_DIVIDE_CURVE,
  IG_DIVIDE_PLAN,
  IG_DIVIDE_RANDOM,
  IG_DIVIDE_UNEVEN,
  IG_DIVIDE_METIS,
  IG_DIVIDE_BOXES
} ig_division;

/* A rank's part; freed by ig_partition_free. Zero-initialised is valid for ig_partition_free. */
typedef struct {
  int rank, ranks;
  int32_t *owner;  /* nodes of the whole mesh: rank; until ig_partition_release_global */
  ig_mesh *mesh;   /* the part, without sets; its nodes are owned ones and ghosts */
  ig_lid *node;    /* nodes of the part: number in the whole, rising */
  ig_lid *element; /* elements of the part: number in the whole, rising */
  ig_lid *local;   /* nodes of the whole: number in the part, -1: not there; the same */
  uint8_t *ghost;  /* nodes of the part: 1 another rank's, 0 its own */
  /* Ghost nodes of the part: the sum of `ghost`. */
  ig_lid ghosts;
  ig_lid whole; /* elements of the whole mesh */
} ig_partition;

/* Computes the owner of each node (owner: nodes of the whole). Not collective: all ranks compute
   the same without messages. METIS is not handled here. */
IG_MUST_CHECK ig_status ig_divide(ig_ctx *cx, const ig_mesh *mesh, ig_division how, int ranks,
                                  int32_t *owner);
/* The same by METIS. Called on rank 0 only: the random numbers of METIS are global in a process.
   Fails with IG_UNSUPPORTED if METIS is missing. */
IG_MUST_CHECK ig_status ig_divide_metis(ig_ctx *cx, const ig_mesh *mesh, int ranks, int32_t *owner);
bool ig_divide_has_metis(void);
/* By recursive bisection with planes across the first `axes` axes, so that parts have weights as
   equal as planes allow. axes = 2: a part built in layers grows on all ranks. weight: work of each
   node; NULL: all alike. */
IG_MUST_CHECK ig_status ig_divide_boxes(ig_ctx *cx, const ig_mesh *mesh, int axes,
                                        const double *weight, int ranks, int32_t *owner);
/* Owner of an element or a face: the owner of the lowest of its nodes. Unique without messages.
   owner: nodes of the whole. */
int32_t ig_owner_of(const int32_t *owner, const ig_lid *node, int nodes);
/* Fails unless assembly is `gather`: the other methods sum contributions in an order that depends
   on the partition, so results would not have the bits of one rank. */
IG_MUST_CHECK ig_status ig_divide_check(ig_ctx *cx, ig_assembly assembly);
/* This rank's part. The user's choice (ig_ranks.division) has precedence over `how`. Collective. */
IG_MUST_CHECK ig_status ig_partition_new(ig_ctx *cx, const ig_mesh *mesh, ig_division how,
                                         ig_partition *part);
/* The same in two steps, so that the caller can edit `owner` in between (equally on all ranks). The
   second call takes ownership of the array. */
IG_MUST_CHECK ig_status ig_partition_owners(ig_ctx *cx, const ig_mesh *mesh, ig_division how,
                                            int32_t **owner);
IG_MUST_CHECK ig_status ig_partition_of(ig_ctx *cx, const ig_mesh *mesh, int32_t *owner,
                                        ig_partition *part);
void ig_partition_free(ig_partition *part);
/* Local number of an element or a node of the whole; -1 if the part does not contain it. Binary
   search. A part without lists is the whole mesh, and numbers are returned unchanged. */
ig_lid ig_partition_element(const ig_partition *part, ig_lid element);
ig_lid ig_partition_node(const ig_partition *part, ig_lid node);
/* Frees the arrays with an entry per node of the whole mesh (owner, local). Call it after set-up:
   with many ranks they would dominate the memory of each. */
void ig_partition_release_global(ig_partition *part);
/* The same for the whole mesh itself, if there are several ranks. Counts of elements and names of
   sets stay; coordinates, connectivity and members of sets are freed. */
void ig_partition_drop_mesh(const ig_ctx *cx, ig_mesh *mesh);

/* Facts about one rank, for the table at the start of a run. Sent as bytes, so it has no
   pointers. */
typedef struct {
  char host[64], device[64];
  int64_t nodes, elements, ghosts; /* nodes: owned */
  int64_t peers;                   /* ranks it talks to */
  int64_t bytes;                   /* device memory in use */
  int64_t resident, peak;          /* of the process: now, at most so far; 0: several share it */
  int64_t whole, item;             /* elements of the whole mesh; bytes per ghost and step */
} ig_partition_facts;
/* Receives one line of the table, for example "rank 1" and "host, device, ...". Called on rank
   0. */
typedef void ig_partition_line(void *user, const char *label, const char *value);
/* Gathers and prints the table. host, device and memory of `mine` are filled in here.
   Collective. */
IG_MUST_CHECK ig_status ig_partition_facts_tell(ig_ctx *cx, const ig_partition_facts *mine,
                                                ig_partition_line *line, void *user);

/* --- halo.c: ghosts receive the values of their owners */

/* Exchange lists of one partition. `give` and `take` are on host and device, sorted by peer and
   then by node. */
typedef struct {
  int peers;
  int32_t *sent, *received; /* peers + 1: where the nodes of each begin in the lists */
  ig_array give, take;      /* nodes of the part: to send, to receive */
  size_t item;              /* bytes per node that buffers have room for */
  ig_exchange wire;         /* an end per peer */
  /* If not 0: the arrays of an exchange are in two halves with equal widths, and items from this
     number on belong to the second half (counted from there). */
  int32_t split;
} ig_halo;

/* Builds the lists from the elements of the part. item: largest number of bytes per node of one
   exchange, all arrays together. Needs part->owner. No messages are sent. */
IG_MUST_CHECK ig_status ig_halo_new(ig_ctx *cx, const ig_partition *part, size_t item,
                                    ig_halo *halo);
/* The same from pairs (rank, local node) in any order, with duplicates: nodes that this rank gives
   to another, or takes from it. Both lists are freed, also on failure. */
typedef struct {
  int32_t rank, node;
} ig_halo_pair;
typedef struct {
  ig_halo_pair *item;
  int64_t count;
} ig_halo_pairs;
IG_MUST_CHECK ig_status ig_halo_pair_add(ig_ctx *cx, ig_halo_pairs *all, int32_t rank, ig_lid node);
IG_MUST_CHECK ig_status ig_halo_of_pairs(ig_ctx *cx, ig_halo_pairs *give, ig_halo_pairs *take,
                                         size_t item, ig_halo *halo);
/* The same from lists: nodes of rank r are at start[r] to start[r + 1] - 1 (`ranks` + 1 starts).
   Both sides of a message must list the same nodes in the same order. May be called again when
   lists have grown; `halo` is then reused, so it must be zero-initialised before the first call. */
typedef struct {
  int ranks;
  const int32_t *give_start, *give, *take_start, *take;
} ig_halo_lists;
IG_MUST_CHECK ig_status ig_halo_of(ig_ctx *cx, const ig_halo_lists *lists, size_t item,
                                   ig_halo *halo);
void ig_halo_free(ig_ctx *cx, ig_halo *halo);
/* Ghosts receive their owners' values. values: on the device, `item` bytes per node, a multiple of
   4, at most that of ig_halo_new. Collective: a rank that has failed before (`status`) enters with
   its failure, and all ranks return it. */
IG_MUST_CHECK ig_status ig_halo_refresh(ig_ctx *cx, ig_halo *halo, void *values, size_t item,
                                        ig_status status);

/* The same for several arrays in one message per pair of ranks. Their items together must not
   exceed that of ig_halo_new. With halo->split see above. */
typedef struct {
  void *values;
  size_t item; /* bytes per node */
} ig_halo_array;
IG_MUST_CHECK ig_status ig_halo_refresh_all(ig_ctx *cx, ig_halo *halo, const ig_halo_array *array,
                                            int arrays, ig_status status);

/* The same in two calls, to overlap communication with computation. Work in between must neither
   read ghosts nor change what is sent. All ranks make both calls. */
IG_MUST_CHECK ig_status ig_halo_start(ig_ctx *cx, ig_halo *halo, const ig_halo_array *array,
                                      int arrays, ig_status status);
IG_MUST_CHECK ig_status ig_halo_finish(ig_ctx *cx, ig_halo *halo, const ig_halo_array *array,
                                       int arrays, ig_status status);

/* Packing and unpacking alone, for benchmarks: between ig_exchange_begin and ig_exchange_send, and
   after ig_exchange_take. */
IG_MUST_CHECK ig_status ig_halo_pack(ig_ctx *cx, const ig_halo *halo, const ig_halo_array *array,
                                     int arrays);
IG_MUST_CHECK ig_status ig_halo_unpack(ig_ctx *cx, const ig_halo *halo, const ig_halo_array *array,
                                       int arrays);

/* Layout of one array within the buffers, in 4-byte words: `words` of the `stride` of each node,
   from `offset` on. Items from `split` on (0: none) are in `more`, counted from there. */
typedef struct {
  int words, stride, offset;
  int32_t split;
  void *more;
} ig_halo_words;
/* Buffers of some peers: peer p has at[p], for list items start[p] to start[p + 1] - 1. Passed by
   value as a kernel parameter, hence the fixed size. */
enum { IG_HALO_ENDS = 32 };
typedef struct {
  int count;
  int32_t start[IG_HALO_ENDS + 1];
  uint32_t *at[IG_HALO_ENDS];
} ig_halo_ends;
/* halo.cu */
ig_status ig_halo_pack_cuda(ig_ctx *cx, void *values, const int32_t *node, const ig_halo_ends *ends,
                            ig_halo_words at);
ig_status ig_halo_unpack_cuda(ig_ctx *cx, const int32_t *node, const ig_halo_ends *ends,
                              ig_halo_words at, void *values);

/* Lines after those of the ranks: transport with measured latency and rate, and the predicted
   parallel efficiency. */
typedef struct {
  double all, sum, most; /* elements: of the whole; computed by all ranks; by the busiest */
  double bytes;          /* received per step at most; 0: not known */
} ig_ranks_work;
IG_MUST_CHECK ig_status ig_ranks_tell(ig_ctx *cx, const ig_ranks_work *work,
                                      ig_partition_line *line, void *user);
/* Times an exchange between pairs of ranks, all at once. latency in s, rate in bytes/s; 0 and
   infinity on one rank. Collective. */
IG_MUST_CHECK ig_status ig_ranks_time(ig_ctx *cx, double *latency, double *rate);
/* The table of a mesh-based room, from its partition and halo. Collective. */
IG_MUST_CHECK ig_status ig_partition_describe(ig_ctx *cx, const ig_partition *part,
                                              const ig_halo *halo, ig_partition_line *line,
                                              void *user);

/* --- stages.c: ghosts that are computed one stage after the other (layers of the overhang filter)
 */

/* Owns `all`; freed by ig_halo_stages_free. */
typedef struct {
  ig_halo all;              /* whose buffers serve every stage */
  ig_array give, take;      /* its lists by stage */
  int32_t *sent, *received; /* stages x (peers + 1): where those of each peer begin */
} ig_halo_stages;
/* Takes ownership of `all` (which becomes empty). stage: for each item of the part, 0 to stages -
   1, on the host. */
IG_MUST_CHECK ig_status ig_halo_stages_new(ig_ctx *cx, ig_halo *all, int stages,
                                           const int32_t *stage, ig_halo_stages *h);
void ig_halo_stages_free(ig_ctx *cx, ig_halo_stages *h);
/* As ig_halo_refresh, for the ghosts of one stage only. Collective. */
IG_MUST_CHECK ig_status ig_halo_stage(ig_ctx *cx, ig_halo_stages *h, int stage, void *values,
                                      size_t item);

/* --- collect.c, stream.c: values of all ranks on rank 0, in the order of the whole mesh */

/* Which items (nodes, elements, faces) of a part are own, and their numbers in the whole. Both
   lists rise. */
typedef struct {
  int64_t mine_count, whole_count;
  int32_t *mine;  /* own items of the part */
  int32_t *whole; /* the same in the whole; on rank 0 those of all ranks, one after the other */
  int64_t *start; /* ranks + 1: where those of each rank begin in `whole`; rank 0 alone. NULL there:
                     `whole` has its own */
} ig_collect;

/* owner: rank of each of the `count` items of the whole. local: the rank's own items in the part,
   in rising order; the function takes ownership, also on failure. Fails if the number of own items
   differs from that of `owner`. */
IG_MUST_CHECK ig_status ig_collect_new(ig_ctx *cx, const ig_partition *part, const int32_t *owner,
                                       int64_t count, int32_t *local, int64_t locals,
                                       ig_collect *gather);
void ig_collect_free(ig_collect *gather);
/* Gathers `size` bytes per item. part: device memory with `count` items; whole: device memory on
   rank 0 with whole_count items; not used on other ranks. Collective. */
IG_MUST_CHECK ig_status ig_collect_items(ig_ctx *cx, const ig_collect *gather, const void *part,
                                         int64_t count, size_t size, void *whole);
/* The same, streamed: on rank 0 `take` receives at most `most` items at a time, from number `first`
   on, in the order of the whole, in host memory. */
typedef void ig_collect_take(void *user, const void *items, int64_t first, int64_t count);
IG_MUST_CHECK ig_status ig_collect_pass(ig_ctx *cx, const ig_collect *gather, const void *part,
                                        int64_t count, size_t size, int64_t most,
                                        ig_collect_take *take, void *user);
/* The same where neither a part nor rank 0 has the array in memory. `give` writes own items `begin`
   to `begin` + `count` - 1 of this rank to host memory; `put` receives them on rank 0. Items whose
   bytes are all zero are not sent and arrive as zeros. A failure of either, or an earlier one
   (`status`), ends the call on all ranks. Works after ig_collect_drop_index. */
typedef ig_status ig_collect_give(void *user, int64_t begin, int64_t count, void *items);
typedef ig_status ig_collect_put(void *user, const void *items, int64_t first, int64_t count);
IG_MUST_CHECK ig_status ig_collect_stream(ig_ctx *cx, const ig_collect *gather, size_t size,
                                          ig_collect_give *give, ig_collect_put *put, void *user,
                                          ig_status status);
/* The same item by item: `row` writes `size` bytes for own item `item` of the part. */
typedef void ig_collect_row(void *user, int64_t item, void *row);
IG_MUST_CHECK ig_status ig_collect_rows(ig_ctx *cx, const ig_collect *gather, size_t size,
                                        ig_collect_row *row, ig_collect_put *put, void *user,
                                        ig_status status);
/* The same where each rank's items are contiguous in the whole: rank r has start[r] to start[r + 1]
   - 1 (start: ranks + 1, equal on all ranks). */
IG_MUST_CHECK ig_status ig_ranges_stream(ig_ctx *cx, const int32_t *start, size_t size,
                                         ig_collect_give *give, ig_collect_put *put, void *user,
                                         ig_status status);
/* Rank 0 frees its index of the other ranks' items (4 bytes per item of the whole). From then on
   only ig_collect_stream and ig_collect_rows work. */
void ig_collect_drop_index(ig_ctx *cx, ig_collect *gather);
/* A server for output: rank 0 calls `tell`, which requests arrays one after the other, in an order
   that only rank 0 knows (the file format decides it). Each request is broadcast; the other ranks
   serve until `tell` returns. bring: called on all ranks for each request; `take` is NULL on the
   others. */
typedef struct {
  ig_ctx *cx;
  void *self;
  ig_status (*bring)(void *self, int array, ig_stream_take *take, void *user);
} ig_served;
IG_MUST_CHECK ig_status ig_serve(ig_served *served,
                                 ig_status (*tell)(void *user, const ig_stream *stream),
                                 void *user);
/* The messages of a gather alone. buffer (host): own items one after the other; on rank 0 it has
   room for all, and those of the other ranks follow in the order of gather->whole. `status`: IG_OK
   if the own items are there. */
IG_MUST_CHECK ig_status ig_collect_packed(ig_ctx *cx, const ig_collect *gather, ig_status status,
                                          size_t size, void *buffer);

#endif
