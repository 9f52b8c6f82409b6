/* Mesh connectivity and orders derived from it.

   ig_csr          elements around each node
   ig_adjacency    neighbour through each face
   ig_boundary     faces with one element
   ig_coloring     sets of elements that share no node
   ig_order        numbering along a space-filling curve
   ig_classes      congruent elements

   Some functions take one connectivity array (elements x npe), some a mesh with elements numbered
   through all its blocks. Results are the same for any number of threads. Each struct has a
   function that frees its arrays; zero-initialised is empty. */
#ifndef IG_MESH_TOPOLOGY_H
#define IG_MESH_TOPOLOGY_H

#include "core/ctx.h"
#include <ingot/mesh.h>

/* Corner nodes of a face of this type; in ig_elem_face mid-side nodes follow the corners. */
static inline int ig_elem_face_corners(const ig_elem_info *info) {
  return info->face_nodes == 6   ? 3
         : info->face_nodes == 8 ? 4
         : info->dim == 2        ? 2
                                 : info->face_nodes;
}

/* Distinct corners of one face: a triangle of a wedge or pyramid repeats its last node. */
static inline int ig_elem_face_distinct(ig_elem_type type, int face) {
  const int corners = ig_elem_face_corners(ig_elem_info_get(type)),
            *node = ig_elem_face(type, face);
  return corners == 4 && node[2] == node[3] ? 3 : corners;
}

/* Compressed rows: item[start[i]] to item[start[i + 1] - 1] belong to i. */
typedef struct {
  ig_lid *start, *item;
} ig_csr;
void ig_csr_free(ig_csr *csr);

/* Sorts into rising order. */
void ig_lids_sort(ig_lid *item, ig_lid count);
/* Items whose mark is not 0, in rising order; the caller frees *list. */
IG_MUST_CHECK ig_status ig_lids_where(ig_ctx *cx, const uint8_t *mark, ig_lid count, ig_lid **list,
                                      ig_lid *found);

/* Elements around each node, in rising order. Fails for invalid node numbers or more than 2^31 - 1
   corners. */
IG_MUST_CHECK ig_status ig_mesh_node_elements(ig_ctx *cx, ig_lid nodes, ig_lid elements, int npe,
                                              const ig_lid *conn, ig_csr *csr);

/* Faces are numbered through all elements, block by block: face f of local element e of block b is
   start[b] + e * (faces of the type) + f. */
enum { IG_NO_NEIGHBOR = -1, IG_JUNCTION = -2 };
typedef struct {
  ig_lid faces;     /* in all */
  ig_lid *start;    /* blocks + 1 */
  ig_lid *neighbor; /* element across, IG_NO_NEIGHBOR, or IG_JUNCTION where three or more meet */
  uint8_t *back;    /* the neighbour's local number of the same face */
} ig_adjacency;
IG_MUST_CHECK ig_status ig_mesh_adjacency(ig_ctx *cx, const ig_mesh *mesh, ig_adjacency *adj);
void ig_adjacency_free(ig_adjacency *adj);

/* Faces with an element on one side only, in element order. element: number in the mesh; face:
   local. */
typedef struct {
  ig_lid count;
  ig_lid *element;
  uint8_t *face;
} ig_boundary;
IG_MUST_CHECK ig_status ig_mesh_boundary(ig_ctx *cx, const ig_mesh *mesh, ig_boundary *boundary);
void ig_boundary_free(ig_boundary *boundary);

/* No two elements of one color share a node. Elements of color c are order[start[c]] to
   order[start[c + 1] - 1], in rising order. */
typedef struct {
  int colors;
  ig_lid *start; /* colors + 1 */
  ig_lid *order; /* elements */
} ig_coloring;
IG_MUST_CHECK ig_status ig_mesh_color(ig_ctx *cx, ig_lid nodes, ig_lid elements, int npe,
                                      const ig_lid *conn, ig_coloring *coloring);
void ig_coloring_free(ig_coloring *coloring);

/* A renumbering: new place -> old number. Elements stay within their blocks. */
typedef struct {
  ig_lid *node, *element;
} ig_order;
/* Renumbers nodes and elements along a Hilbert curve; sets and numbers of the file follow. */
IG_MUST_CHECK ig_status ig_mesh_reorder(ig_ctx *cx, ig_mesh *mesh, ig_order *order);
void ig_order_free(ig_order *order);

/* Classes of elements that are equal up to translation, within 1e-9 of their size. */
typedef struct {
  ig_lid count;
  ig_lid *of;             /* elements: class of each */
  ig_lid *representative; /* count: the first element of each */
} ig_classes;
IG_MUST_CHECK ig_status ig_mesh_classes(ig_ctx *cx, const double *x, ig_lid elements, int npe,
                                        const ig_lid *conn, ig_classes *classes);
void ig_classes_free(ig_classes *classes);

/* largest.c: keeps the largest piece (elements connected through faces). *pieces: how many there
   were; *lost: share of elements removed, 0 to 1. */
IG_MUST_CHECK ig_status ig_mesh_keep_largest(ig_ctx *cx, ig_mesh *mesh, int *pieces, double *lost);

#endif
