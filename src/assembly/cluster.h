/* Clusters: assembly `cluster`. The elements are cut into compact pieces of a few hundred. A thread
   block (on the CPU: a thread) takes one piece: it loads the piece's nodes once, adds up its
   elements' values in fast memory, node by node in the order of elements, and finishes the nodes
   that no other piece has, which are most. What it has for the others, the border, goes to slots
   that a second pass adds up, a node's slots in the order of clusters. So each sum has one order,
   and the same bits every time; nothing is added by atomics.

   Shapes of the arrays, with `count` clusters:
   - order: elements in the order of clusters; number.
   - local: elements x npe, in that order; the node's place in its cluster.
   - term, end: elements x npe; for each of a cluster's nodes in turn the values it is the sum of,
     that of corner a of element i as a * capacity + i; where those of each node end.
   - node: nodes of clusters, inner ones first, then border, each rising.
   - slot: border nodes of clusters; where the partial sum goes.
   - border, first: border nodes, rising; where the slots of each begin (border + 1). */
#ifndef IG_CLUSTER_H
#define IG_CLUSTER_H

#include "core/array.h"

IG_C_BEGIN

typedef struct {
  int32_t first, count;       /* elements: [first, first + count) of `order` */
  int32_t node, inner, nodes; /* nodes: [node, node + nodes) of `node`, inner ones first */
  int32_t slot;               /* where its border begins in `slot` */
  int32_t earliest; /* the lowest number among its elements: where these are sorted by birth, there
                       is nothing to do before it is born */
} ig_cluster;

/* What kernels see. */
typedef struct {
  int32_t count, borders;
  int32_t most_nodes, capacity; /* of a cluster: nodes, elements */
  const ig_cluster *cluster;
  const int32_t *order, *node, *slot, *border, *first;
  const uint16_t *local, *term, *end;
} ig_cluster_view;

typedef struct {
  ig_lid count, borders;
  int capacity, most_nodes; /* elements, nodes of a cluster at most */
  int64_t slots;
  ig_array cluster, order, local, term, end, node, slot, border, first;
} ig_clusters;

/* conn: elements x npe; x: nodes x 3; both on the host. Clusters have up to `capacity` elements
   and twice as many nodes; all but the last a multiple of `grain` elements. */
IG_MUST_CHECK ig_status ig_clusters_new(ig_ctx *cx, ig_lid nodes, ig_lid elements, int npe,
                                        const ig_lid *conn, const double *x, int capacity,
                                        int grain, ig_clusters *c);
void ig_clusters_free(ig_ctx *cx, ig_clusters *c);
ig_cluster_view ig_clusters_view(const ig_clusters *c);
/* Bytes a pass reads and writes for the clusters themselves; slots of `size` bytes. */
double ig_clusters_bytes(const ig_clusters *c, int npe, double size);

IG_C_END
#endif
