/* How good and how large a mesh is. */
#include "mesh/quality.h"
#include "mesh/geometry.h"
#include "mesh/topology.h"

#include <math.h>

ig_status ig_mesh_quality(ig_ctx *cx, const ig_mesh *mesh, ig_quality *q) {
  *q = (ig_quality){.shortest = INFINITY, .jacobian = INFINITY};
  ig_lid element = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    for (ig_lid e = 0; e < block->count; e++, element++) {
      double least, shortest, longest;
      const double size = ig_elem_measure(mesh, block, e, &least);
      ig_elem_edges(mesh, block, e, &shortest, &longest);
      q->measure[info->dim] += size;
      q->shortest = fmin(q->shortest, shortest);
      q->longest = fmax(q->longest, longest);
      q->aspect = fmax(q->aspect, longest / shortest);
      if (least / size < q->jacobian) {
        q->jacobian = least / size;
        q->worst = element;
      }
    }
    ig_classes classes;
    IG_TRY(ig_mesh_classes(cx, mesh->x, block->count, info->nodes, block->conn, &classes));
    q->classes += classes.count;
    ig_classes_free(&classes);
  }
  ig_boundary boundary;
  IG_TRY(ig_mesh_boundary(cx, mesh, &boundary));
  q->faces = boundary.count;
  for (ig_lid i = 0; i < boundary.count; i++) {
    ig_lid e;
    const ig_block *block = ig_mesh_element(mesh, boundary.element[i], &e);
    if (ig_elem_info_get(block->type)->dim > 1)
      q->boundary += ig_face_measure(mesh, block, e, boundary.face[i]);
  }
  ig_boundary_free(&boundary);
  return IG_OK;
}
