/* One mesh divided between ranks. A rank owns nodes. Its part of the mesh has every element that
   touches one of them, so that it can compute its nodes alone; the other nodes of these elements
   are ghosts, whose values come from their owners. Numbers within a part rise with those of the
   whole mesh: a sum over the elements of a node has the same order, and so the same bits, whatever
   the division. */
#ifndef IG_RANKS_PART_H
#define IG_RANKS_PART_H

#include "ranks/wire.h"
#include <ingot/mesh.h>
#include <ingot/partition.h>

/* As the room does where nothing is said; along a Morton curve in space; along one in the plane x,
   y, so that what is built in layers grows on all ranks; at random, for tests: almost every node is
   a ghost somewhere; for tests: the first rank has one node, the last none; by METIS; by planes
   across the axes. */
typedef enum {
  IG_DIVIDE_AUTO,
  IG_DIVIDE_CURVE,
  IG_DIVIDE_PLAN,
  IG_DIVIDE_RANDOM,
  IG_DIVIDE_UNEVEN,
  IG_DIVIDE_METIS,
  IG_DIVIDE_BOXES
} ig_division;

typedef struct {
  int rank, ranks;
  int32_t *owner;  /* nodes of the whole mesh: rank; until ig_part_lighten */
  ig_mesh *mesh;   /* the part, without sets; its nodes are owned ones and ghosts */
  ig_lid *node;    /* nodes of the part: number in the whole, rising */
  ig_lid *element; /* elements of the part: number in the whole, rising */
  ig_lid *local;   /* nodes of the whole: number in the part, -1: not there; the same */
  uint8_t *ghost;  /* nodes of the part: 1 another rank's, 0 its own */
  ig_lid ghosts;
  ig_lid whole; /* elements of the whole mesh */
} ig_part;

/* The rank of each node; the same on all ranks, without a message. owner: nodes. */
IG_MUST_CHECK ig_status ig_divide(ig_ctx *cx, const ig_mesh *mesh, ig_division how, int ranks,
                                  int32_t *owner);
/* The same by METIS, on one rank: its numbers by chance are the process', not a thread's. */
IG_MUST_CHECK ig_status ig_divide_metis(ig_ctx *cx, const ig_mesh *mesh, int ranks, int32_t *owner);
bool ig_divide_has_metis(void);
/* By planes across the first `axes` axes (2: what is built in layers grows on all ranks), so that
   parts have equal weights as nearly as planes can. weight: nodes, their work; NULL: all alike. */
IG_MUST_CHECK ig_status ig_divide_boxes(ig_ctx *cx, const ig_mesh *mesh, int axes,
                                        const double *weight, int ranks, int32_t *owner);
/* The owner of an element (or a face): that of the lowest of its nodes. owner: nodes. */
int32_t ig_owner_of(const int32_t *owner, const ig_lid *node, int nodes);
/* Refuses what has other bits on several ranks than on one: sums at nodes by another assembly. */
IG_MUST_CHECK ig_status ig_divide_check(ig_ctx *cx, ig_assembly assembly);
/* This rank's part, divided as the ranks were told (ig_ranks.division), else as `how`. */
IG_MUST_CHECK ig_status ig_part_new(ig_ctx *cx, const ig_mesh *mesh, ig_division how,
                                    ig_part *part);
/* The same in two steps, for who changes owners in between. The second takes `owner` over. */
IG_MUST_CHECK ig_status ig_part_owners(ig_ctx *cx, const ig_mesh *mesh, ig_division how,
                                       int32_t **owner);
IG_MUST_CHECK ig_status ig_part_of(ig_ctx *cx, const ig_mesh *mesh, int32_t *owner, ig_part *part);
void ig_part_free(ig_part *part);
/* Number of an element, of a node of the whole in the part, -1: not there. A part without lists is
   the whole. */
ig_lid ig_part_element(const ig_part *part, ig_lid element);
ig_lid ig_part_node(const ig_part *part, ig_lid node);
/* All is set up: lets go of what is as long as the whole mesh has nodes. */
void ig_part_lighten(ig_part *part);
/* The same of the whole mesh itself, if there are several ranks: its counts stay, and the names of
   its sets; nodes, elements and what is in sets do not. */
void ig_part_drop_mesh(const ig_ctx *cx, ig_mesh *mesh);

/* What one rank has, for the table. */
typedef struct {
  char host[64], device[64];
  int64_t nodes, elements, ghosts; /* nodes: owned */
  int64_t peers;                   /* ranks it talks to */
  int64_t bytes;                   /* device memory in use */
  int64_t resident, peak;          /* of the process: now, at most so far; 0: several share it */
  int64_t whole, item;             /* elements of the whole mesh; bytes per ghost and step */
} ig_part_facts;
/* A line per rank, "rank 1", "host, device, ..."; on rank 0. */
typedef void ig_part_line(void *user, const char *label, const char *value);
/* From facts without host, device and memory, which are filled in. */
IG_MUST_CHECK ig_status ig_part_facts_tell(ig_ctx *cx, const ig_part_facts *mine,
                                           ig_part_line *line, void *user);

/* --- halo.c: ghosts take their owners' values */

typedef struct {
  int peers;
  int32_t *sent, *received; /* peers + 1: where the nodes of each begin in the lists */
  ig_array give, take;      /* nodes of the part: to send, to receive */
  size_t item;              /* bytes per node that buffers have room for */
  ig_wire wire;             /* an end per peer */
  /* not 0: of arrays in two halves, of items alike, numbers from here on are the second half's */
  int32_t split;
} ig_halo;

IG_MUST_CHECK ig_status ig_halo_new(ig_ctx *cx, const ig_part *part, size_t item, ig_halo *halo);
/* The same from pairs in any order, of which many may be alike: a node that this rank gives to
   another one, or takes from it. Both lists are freed. */
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
/* The same from lists of nodes: those of rank r begin at start[r]; `ranks` + 1 starts. Both sides
   of a message list the same nodes in the same order. May be called again when lists have grown. */
typedef struct {
  int ranks;
  const int32_t *give_start, *give, *take_start, *take;
} ig_halo_lists;
IG_MUST_CHECK ig_status ig_halo_of(ig_ctx *cx, const ig_halo_lists *lists, size_t item,
                                   ig_halo *halo);
void ig_halo_free(ig_ctx *cx, ig_halo *halo);
/* `values` on the device, `item` bytes per node, a multiple of 4 up to that of ig_halo_new: those
   of ghosts become their owners'. All ranks call it; one that has failed in the meantime
   (`status`) meets the others here, and all return with its failure. Returns `status`, or
   what went wrong here. */
IG_MUST_CHECK ig_status ig_halo_refresh(ig_ctx *cx, ig_halo *halo, void *values, size_t item,
                                        ig_status status);

/* The same for several arrays at once, one message per pair of ranks: their items together are no
   larger than that of ig_halo_new. With halo->split the lists say for both halves of the arrays
   which items travel. */
typedef struct {
  void *values;
  size_t item; /* bytes per node */
} ig_halo_array;
IG_MUST_CHECK ig_status ig_halo_refresh_all(ig_ctx *cx, ig_halo *halo, const ig_halo_array *array,
                                            int arrays, ig_status status);

/* The same in two calls, for who has work in between that neither reads ghosts nor writes what is
   sent. All ranks make both calls. */
IG_MUST_CHECK ig_status ig_halo_start(ig_ctx *cx, ig_halo *halo, const ig_halo_array *array,
                                      int arrays, ig_status status);
IG_MUST_CHECK ig_status ig_halo_finish(ig_ctx *cx, ig_halo *halo, const ig_halo_array *array,
                                       int arrays, ig_status status);

/* Parts of these, for who times them: between ig_wire_begin and ig_wire_send, and after
   ig_wire_take. */
IG_MUST_CHECK ig_status ig_halo_pack(ig_ctx *cx, const ig_halo *halo, const ig_halo_array *array,
                                     int arrays);
IG_MUST_CHECK ig_status ig_halo_unpack(ig_ctx *cx, const ig_halo *halo, const ig_halo_array *array,
                                       int arrays);

/* Where an array's words of 4 bytes stand in the buffers: `words` of the `stride` of each node,
   from `offset` on. Items from `split` on (0: none) are those of `more`, counted from there. */
typedef struct {
  int words, stride, offset;
  int32_t split;
  void *more;
} ig_halo_words;
#ifdef INGOT_HAVE_CUDA
/* Buffers of some peers: that of peer p is at[p], for nodes start[p] to start[p + 1] of the list.
 */
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
#endif

/* After the lines of the ranks: how they talk, timed now, and how well their work is divided. */
typedef struct {
  double all, sum, most; /* elements: of the whole; computed by all ranks; by the busiest */
  double bytes;          /* received per step at most; 0: not known */
} ig_ranks_work;
IG_MUST_CHECK ig_status ig_ranks_tell(ig_ctx *cx, const ig_ranks_work *work, ig_part_line *line,
                                      void *user);
/* Of an exchange between two ranks that all make at once: s; bytes per s. */
IG_MUST_CHECK ig_status ig_ranks_time(ig_ctx *cx, double *latency, double *rate);
IG_MUST_CHECK ig_status ig_part_describe(ig_ctx *cx, const ig_part *part, const ig_halo *halo,
                                         ig_part_line *line, void *user);

/* --- stages.c: ghosts that become known one stage after the other */

typedef struct {
  ig_halo all;              /* whose buffers serve every stage */
  ig_array give, take;      /* its lists by stage */
  int32_t *sent, *received; /* stages x (peers + 1): where those of each peer begin */
} ig_halo_stages;
/* From all ghosts, which are taken over, and the stage of each item of the part (host). */
IG_MUST_CHECK ig_status ig_halo_stages_new(ig_ctx *cx, ig_halo *all, int stages,
                                           const int32_t *stage, ig_halo_stages *h);
void ig_halo_stages_free(ig_ctx *cx, ig_halo_stages *h);
/* As ig_halo_refresh, the ghosts of one stage. */
IG_MUST_CHECK ig_status ig_halo_stage(ig_ctx *cx, ig_halo_stages *h, int stage, void *values,
                                      size_t item);

/* --- collect.c: values of all, in the order of the whole mesh, on rank 0 */

/* Which items (nodes, elements, faces) of a part are its own, and where they stand in the whole. */
typedef struct {
  int64_t mine_count, whole_count;
  int32_t *mine;  /* own items of the part */
  int32_t *whole; /* the same in the whole; on rank 0 those of all ranks, one after the other */
  int64_t *start; /* ranks + 1: where those of each rank begin in `whole`; rank 0 alone. NULL there:
                     `whole` has its own */
} ig_collect;

/* `owner`: items of the whole, the rank of each; `local`: the rank's own items in the part, in the
   order of the whole. Takes `local` over. */
IG_MUST_CHECK ig_status ig_collect_new(ig_ctx *cx, const ig_part *part, const int32_t *owner,
                                       int64_t count, int32_t *local, int64_t locals,
                                       ig_collect *gather);
void ig_collect_free(ig_collect *gather);
/* `size` bytes per item, from the part's memory on the device to the whole's on rank 0; on other
   ranks `whole` is not looked at. `count`: items of the part. */
IG_MUST_CHECK ig_status ig_collect_items(ig_ctx *cx, const ig_collect *gather, const void *part,
                                         int64_t count, size_t size, void *whole);
/* The same a piece at a time, for who needs not have all of it at once: on rank 0 `take` sees items
   from `first` on, at most `most`, in the order of the whole, in memory of the host. `part`: as
   above. */
typedef void ig_collect_take(void *user, const void *items, int64_t first, int64_t count);
IG_MUST_CHECK ig_status ig_collect_pass(ig_ctx *cx, const ig_collect *gather, const void *part,
                                        int64_t count, size_t size, int64_t most,
                                        ig_collect_take *take, void *user);
/* The same where neither the parts nor rank 0 have all at once: `give` writes the own items from
   `begin` on, one behind the other, to memory of the host; `put` sees them on rank 0 as `take`
   does. Items of zeros are not sent. What goes wrong in either, or before (`status`), ends it on
   all ranks. Rank 0 needs not know where those of others stand (ig_collect_thin). */
typedef ig_status ig_collect_give(void *user, int64_t begin, int64_t count, void *items);
typedef ig_status ig_collect_put(void *user, const void *items, int64_t first, int64_t count);
IG_MUST_CHECK ig_status ig_collect_stream(ig_ctx *cx, const ig_collect *gather, size_t size,
                                          ig_collect_give *give, ig_collect_put *put, void *user,
                                          ig_status status);
/* The same item by item: `row` writes what own item `item` of the part has to tell. */
typedef void ig_collect_row(void *user, int64_t item, void *row);
IG_MUST_CHECK ig_status ig_collect_rows(ig_ctx *cx, const ig_collect *gather, size_t size,
                                        ig_collect_row *row, ig_collect_put *put, void *user,
                                        ig_status status);
/* The same where own items follow each other in the whole, rank after rank: those of rank r are
   start[r] to start[r + 1] - 1. */
IG_MUST_CHECK ig_status ig_ranges_stream(ig_ctx *cx, const int32_t *start, size_t size,
                                         ig_collect_give *give, ig_collect_put *put, void *user,
                                         ig_status status);
/* Rank 0 forgets where the items of others stand; from then on there is ig_collect_stream alone. */
void ig_collect_thin(ig_ctx *cx, ig_collect *gather);
/* Arrays that rank 0 asks for one after the other, in an order that is its own: `tell` is called
   there with them, the others serve until it returns. bring: all ranks; `take` is NULL on the
   others. */
typedef struct {
  ig_ctx *cx;
  void *self;
  ig_status (*bring)(void *self, int array, ig_stream_take *take, void *user);
} ig_served;
IG_MUST_CHECK ig_status ig_serve(ig_served *served,
                                 ig_status (*tell)(void *user, const ig_stream *stream),
                                 void *user);
/* The messages alone: `buffer` (host) holds the own items one after the other; on rank 0 it has
   room for all, and those of the other ranks follow (gather->whole says which they are). `status`:
   whether the own ones are there. */
IG_MUST_CHECK ig_status ig_collect_packed(ig_ctx *cx, const ig_collect *gather, ig_status status,
                                          size_t size, void *buffer);

#endif
