#include "mesh/face_share.h"

#include <math.h>
#include <stdlib.h>

int ig_mesh_face_nodes(const ig_mesh *mesh, ig_lid element, int face, ig_lid node[8]) {
  ig_lid local;
  const ig_block *block = ig_mesh_element(mesh, element, &local);
  const ig_elem_info *info = ig_elem_info_get(block->type);
  const int *on = ig_elem_face(block->type, face);
  const ig_lid *conn = block->conn + (size_t)local * (size_t)info->nodes;
  int count = 0;
  for (int a = 0; a < info->face_nodes; a++) {
    bool again = false; /* triangles of a wedge repeat nodes */
    for (int b = 0; b < count; b++)
      again |= node[b] == conn[on[a]];
    if (!again)
      node[count++] = conn[on[a]];
  }
  return count;
}

static bool is_solid(const ig_mesh *mesh, ig_lid element) {
  ig_lid local;
  return ig_elem_info_get(ig_mesh_element(mesh, element, &local)->type)->dim == 3;
}

ig_status ig_mesh_face_shares(ig_ctx *cx, const ig_mesh *mesh, const char *name, const ig_lid *node,
                              ig_lid count, ig_face_weights_fn *weights, double **share) {
  const ig_set *faces = ig_mesh_find_set(mesh, name, IG_SET_FACES);
  double *of = NULL, sum = 0, found = 0;
  ig_status status;
  *share = NULL;
  if (!faces || faces->count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &of, (size_t)mesh->nodes + 1, "shares of a load"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, share, (size_t)count + 1, "shares of a load"));
  for (ig_lid i = 0; i < faces->count; i++) {
    ig_lid on[8];
    double x[24], weight[8];
    if (!is_solid(mesh, faces->item[i]))
      goto done;
    const int nodes = ig_mesh_face_nodes(mesh, faces->item[i], faces->face[i], on);
    for (int k = 0; k < 3 * nodes; k++)
      x[k] = mesh->x[3 * (int64_t)on[k / 3] + k % 3];
    sum += weights(nodes, x, weight);
    for (int a = 0; a < nodes; a++)
      of[on[a]] += weight[a];
  }
  for (ig_lid k = 0; k < count; k++)
    found += (*share)[k] = of[node[k]] / sum;
done:
  free(of);
  if (!(fabs(found - 1) <= 1e-9)) {
    free(*share);
    *share = NULL;
  }
  return status;
}
