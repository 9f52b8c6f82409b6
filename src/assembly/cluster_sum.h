/* Sums over the nodes of a mesh by clusters (cluster.h), for drivers that leave them in an array:
   products of `topopt` and `stress`, forces of `fracture`.

     on a CPU  a thread takes a cluster: for i in [k.first, k.first + k.count): e = order[i]; …;
               ig_cluster_add(…) to sums of its own; then ig_cluster_leave_all
     on a GPU  a block takes a cluster (cluster_sum.inc): elements write what they give to shared
               memory, nodes add it up

   and ig_clusters_sum adds up the border. Whatever the threads, a node's terms come in the order of
   the elements of a cluster, then of clusters. */
#ifndef IG_CLUSTER_SUM_H
#define IG_CLUSTER_SUM_H

#include "assembly/cluster.h"

IG_C_BEGIN

/* Elements and nodes of a cluster at most: what a block's threads and shared memory hold. Small
   ones are for elements that take so many registers that a multiprocessor holds eight warps: more
   blocks of fewer wait less for each other. */
enum {
  IG_CLUSTER_ELEMENTS = 128,
  IG_CLUSTER_NODES = 304,
  IG_CLUSTER_SMALL = 64,
  IG_CLUSTER_SMALL_NODES = 176
};

/* As ig_clusters_new, for blocks of `capacity` threads: clusters have up to so many elements and up
   to `most` nodes, fewer elements where the mesh is small, so that there are blocks for all of a
   GPU. */
IG_MUST_CHECK ig_status ig_clusters_new_sized(ig_ctx *cx, ig_lid nodes, ig_lid elements, int npe,
                                              const ig_lid *conn, const double *x, int capacity,
                                              int most, ig_clusters *c);
/* Begins a pass that leaves sums of m values per node, of `size` bytes each: 0 at nodes without
   elements; the others are written whole. */
IG_MUST_CHECK ig_status ig_clusters_clear(ig_ctx *cx, const ig_clusters *c, ig_lid nodes, int m,
                                          size_t size, void *sum);
/* Ends it: sum[node][value] of the border = its slots, in order. Device pointers. */
IG_MUST_CHECK ig_status ig_clusters_sum_f32(ig_ctx *cx, const ig_clusters *c, int m,
                                            const float *slots, float *sum);
IG_MUST_CHECK ig_status ig_clusters_sum_f64(ig_ctx *cx, const ig_clusters *c, int m,
                                            const double *slots, double *sum);

IG_C_END
#endif
