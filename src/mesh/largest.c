/* The largest connected piece of a mesh, by breadth-first search over elements that share a
   face. */
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

/* piece[e]: number of the piece of each element; *pieces: how many; *largest: the piece with most
   elements, *most: their count. Of equal ones the first. Breadth first over faces: elements that
   share only an edge or a node are different pieces, as no heat or force passes there. */
static ig_status pieces_find(ig_ctx *cx, const ig_mesh *mesh, ig_lid *piece, int *pieces,
                             ig_lid *largest, ig_lid *most) {
  const ig_lid elements = ig_mesh_elements(mesh);
  ig_adjacency adj = {0};
  ig_lid *queue = NULL, element = 0;
  ig_lid *first = NULL; /* the first face of each element */
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_adjacency(cx, mesh, &adj));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &queue, elements, "pieces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &first, (int64_t)elements + 1, "pieces"));
  for (int b = 0; b < mesh->blocks; b++)
    for (ig_lid e = 0; e < mesh->block[b].count; e++)
      first[element++] = adj.start[b] + e * ig_elem_info_get(mesh->block[b].type)->faces;
  first[elements] = adj.faces;
  memset(piece, 0xff, (size_t)elements * sizeof *piece); /* -1: not seen */
  *pieces = 0;
  *most = 0;
  /* Each element that no search has reached yet starts a new piece. The queue is reused; `tail` is
     the number of elements in the piece. */
  for (ig_lid seed = 0; seed < elements; seed++) {
    if (piece[seed] >= 0)
      continue;
    ig_lid head = 0, tail = 0;
    queue[tail++] = seed;
    piece[seed] = *pieces;
    while (head < tail) {
      const ig_lid e = queue[head++];
      for (ig_lid f = first[e]; f < first[e + 1]; f++) {
        const ig_lid other = adj.neighbor[f];
        if (other >= 0 && piece[other] < 0) {
          piece[other] = *pieces;
          queue[tail++] = other;
        }
      }
    }
    if (tail > *most) {
      *most = tail;
      *largest = *pieces;
    }
    ++*pieces;
  }
done:
  free(first);
  free(queue);
  ig_adjacency_free(&adj);
  return status;
}

/* Elements that share only a node or an edge are separate pieces: they would move like a hinge. */
ig_status ig_mesh_keep_largest(ig_ctx *cx, ig_mesh *mesh, int *pieces, double *lost) {
  const ig_lid elements = ig_mesh_elements(mesh);
  ig_lid *piece, largest = 0, most = 0;
  uint8_t *keep = NULL;
  *lost = 0;
  IG_TRY(IG_NEW(cx, &piece, elements, "pieces"));
  ig_status status;
  IG_TRY_GOTO(status, done, pieces_find(cx, mesh, piece, pieces, &largest, &most));
  if (*pieces > 1) {
    IG_TRY_GOTO(status, done, IG_NEW(cx, &keep, elements, "pieces"));
    for (ig_lid e = 0; e < elements; e++)
      keep[e] = piece[e] == largest;
    *lost = 1 - (double)most / elements;
    status = ig_mesh_keep(cx, mesh, keep, NULL);
  }
done:
  free(keep);
  free(piece);
  return status;
}
