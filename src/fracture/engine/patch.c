/* Clusters of the mesh for assembly `cluster`, and what has come loose from them.

   A cluster is a compact set of elements that a thread (CPU) or block (GPU) sums at its nodes in
   fast memory (assembly/cluster.h). Cracks split nodes, which the clusters do not follow: such
   nodes become loose and are summed through slots instead. The mesh is not clustered again,
   since only the nodes on cracks are concerned. */
#include "fracture/engine/tables.h"

#include <stdlib.h>
#include <string.h>

/* The mesh as it is, element by element, and places of its nodes.
   With notches cut: clusters are made after them. */
static ig_status mesh_now(ig_frac_model *m, ig_lid **conn, double **x) {
  const int nn = m->shape.nodes, dim = m->shape.dim;
  const int64_t ne = m->s.ne, nodes = m->count.nodes;
  void *table, *place;
  IG_TRY(ig_frac_model_pull(m, "conn", &table));
  IG_TRY(ig_frac_model_pull(m, "x", &place));
  IG_TRY(IG_NEW(m->cx, conn, (size_t)(ne * nn), "clusters"));
  IG_TRY(IG_NEW(m->cx, x, 3 * (size_t)nodes, "clusters"));
  for (int64_t e = 0; e < ne; e++)
    for (int a = 0; a < nn; a++)
      (*conn)[e * nn + a] = ((int32_t *)table)[a * ne + e];
  for (int64_t i = 0; i < nodes * dim; i++)
    (*x)[3 * (i / dim) + i % dim] = ig_frac_model_real(m, place, i);
  return IG_OK;
}

/* Where elements and nodes are in the clusters: what a split looks up.
   valence: corners of each node at that time, by which a restart finds the nodes that split
   since. */
static ig_status places(ig_frac_model *m) {
  const ig_cluster *cluster = m->cluster.cluster.host;
  const int32_t *order = m->cluster.order.host, *border = m->cluster.border.host;
  const size_t ne = (size_t)m->s.ne, nodes = (size_t)m->count.nodes;
  IG_TRY(ig_array_new(m->cx, &m->rank, ne, sizeof(int32_t), "clusters"));
  IG_TRY(ig_array_new(m->cx, &m->home, ne, sizeof(int32_t), "clusters"));
  IG_TRY(ig_array_new(m->cx, &m->where, nodes, sizeof(int32_t), "clusters"));
  IG_TRY(IG_NEW(m->cx, &m->valence, nodes, "clusters"));
  int32_t *rank = m->rank.host, *home = m->home.host, *where = m->where.host;
  for (int32_t k = 0; k < m->cluster.count; k++)
    for (int32_t i = cluster[k].first; i < cluster[k].first + cluster[k].count; i++) {
      rank[order[i]] = i;
      home[order[i]] = cluster[k].node;
    }
  for (size_t n = 0; n < nodes; n++)
    where[n] = -1;
  for (int32_t b = 0; b < m->cluster.borders; b++)
    where[border[b]] = b;
  void *node;
  IG_TRY(ig_frac_model_pull(m, "node", &node));
  for (size_t n = 0; n < nodes; n++)
    m->valence[n] = ((ig_frac_node *)node)[n].used;
  return IG_OK;
}

/* Device pointers go to s.patch; the graph of steps holds the old ones and is dropped. */
ig_status ig_frac_patches_new(ig_frac_model *m) {
  if (m->s.how != IG_CLUSTER)
    return IG_OK;
  ig_lid *conn = NULL;
  double *x = NULL;
  ig_status status = mesh_now(m, &conn, &x);
  if (status == IG_OK)
    status = ig_clusters_new_sized(m->cx, m->count.nodes, m->s.ne, m->shape.nodes, conn, x,
                                   IG_FRAC_PATCH, IG_FRAC_PATCH_NODES, &m->cluster);
  free(conn);
  free(x);
  IG_TRY(status);
  IG_TRY(places(m));
  IG_TRY(ig_array_push(m->cx, &m->rank));
  IG_TRY(ig_array_push(m->cx, &m->home));
  IG_TRY(ig_array_push(m->cx, &m->where));
  IG_TRY(ig_array_new_device(m->cx, &m->cluster_slots,
                             (size_t)m->cluster.slots * (size_t)m->shape.dim, m->wide ? 8 : 4,
                             "cluster slots"));
  m->s.patch = (ig_frac_patches){.of = ig_clusters_view(&m->cluster),
                                 .local = m->cluster.local.dev,
                                 .node = m->cluster.node.dev,
                                 .border = m->cluster.border.dev,
                                 .where = m->where.dev,
                                 .rank = m->rank.dev,
                                 .home = m->home.dev,
                                 .planned = m->count.nodes,
                                 .loose = m->s.patch.loose,
                                 .looses = m->s.patch.looses,
                                 .slots = m->cluster_slots.dev};
  ig_frac_graph_drop(m);
  return IG_OK;
}

/* As node_loosen of patch.inc does it one by one: nodes with fewer slots than they had. The slots
   of all their parts lie where theirs began. */
ig_status ig_frac_patches_follow(ig_frac_model *m) {
  if (m->s.how != IG_CLUSTER)
    return IG_OK;
  void *table, *slots;
  IG_TRY(ig_frac_model_pull(m, "node", &table));
  IG_TRY(ig_frac_model_pull(m, "list", &slots));
  const ig_frac_node *node = table;
  const int32_t *list = slots, *rank = m->rank.host, *home = m->home.host,
                planned = m->s.patch.planned;
  int32_t *where = m->where.host, *of = m->cluster.node.host, *border = m->cluster.border.host;
  uint16_t *local = m->cluster.local.host;
  int32_t *loose = ig_frac_model_host(m, "loose"), count = 0;
  for (int32_t n = 0; n < m->count.nodes; n++) {
    if (n < planned && node[n].used == m->valence[n])
      continue;
    loose[count++] = n;
    for (int32_t i = 0; n < planned && i < m->valence[n]; i++) {
      const int32_t slot = list[node[n].first + i], a = slot / m->s.ne, e = slot % m->s.ne;
      uint16_t *at = local + (int64_t)rank[e] * m->shape.nodes + a;
      of[home[e] + *at] = -1 - n;
      *at = IG_FRAC_LOOSE;
    }
    if (n < planned && where[n] >= 0)
      border[where[n]] = -1 - n;
    if (n < planned)
      where[n] = -2;
  }
  *(int32_t *)ig_frac_model_host(m, "looses") = count;
  ig_array *const changed[] = {&m->where,
                               &m->cluster.node,
                               &m->cluster.border,
                               &m->cluster.local,
                               ig_arrays_at(&m->arrays, "loose"),
                               ig_arrays_at(&m->arrays, "looses")};
  for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
    IG_TRY(ig_array_push(m->cx, changed[i]));
  return IG_OK;
}

void ig_frac_patches_free(ig_frac_model *m) {
  ig_clusters_free(m->cx, &m->cluster);
  ig_array_free(m->cx, &m->rank);
  ig_array_free(m->cx, &m->home);
  ig_array_free(m->cx, &m->where);
  ig_array_free(m->cx, &m->cluster_slots);
  free(m->valence);
}
