/* Surfaces of a divided model that touch. A rank has its own pieces, triangles and edges with a
   particle of its own at a corner, and a copy of those of others that may come near before the
   next import. Pieces keep the numbers of the whole model; tables of kernels have them in that
   order, so that sums have the order of one rank.

   Import: ranks send each other the boxes around their own pieces; each sends the pieces of its
   own that lie within `reach` of another's boxes. Which pieces matter: the force on a particle
   depends on all triangles within the gap of it; the force on a triangle depends on the
   particles within the gap of it, and through them on all triangles near these. So reach is two
   gaps, with edges and where elements erode also the longest edge in between, and the skin for
   what moves until the next import. That comes when some particle of any rank has moved by half
   of the skin. Between imports only velocities travel. */
#ifndef IG_DYNAMICS_PART_SURFACE_H
#define IG_DYNAMICS_PART_SURFACE_H

#include "dynamics/model/part.h"

/* Records of messages. Numbers are those of the whole: of particles among those that touch, of
   nodes, of triangles, of edges, of elements. Each begins with its number, by which lists are
   sorted. */
typedef struct {
  int32_t number, node, owner;
  int32_t carried; /* its place travels with its velocity */
  double mass, area, length, spring, offset, start[3];
  double x[3], v[6], before[3]; /* now; one step ago */
  double kept[IG_DYN_KEPT];     /* what contact remembers, with numbers of the whole */
} ig_dyn_surface_particle;
typedef struct {
  int32_t number, node[3];
  int32_t element[2]; /* on its sides, -1: none */
  int32_t alive[2];
  int32_t beside[4];
} ig_dyn_surface_triangle;
typedef struct {
  int32_t number, node[2];
  int32_t side[2]; /* triangles, -1: none */
  int32_t unused;
  double kept;
} ig_dyn_surface_edge;
typedef struct {
  ig_dyn_surface_particle *particle;
  ig_dyn_surface_triangle *triangle;
  ig_dyn_surface_edge *edge;
  int32_t particles, triangles, edges;
} ig_dyn_pieces; /* each in rising order */

/* Surfaces of a rank. Owned by ig_dyn_part. */
typedef struct ig_dyn_surfaces {
  ig_dyn_pieces own, all; /* own: with a corner of this rank; all: with what was imported */
  /* of own pieces: nodes of the part; corners and ends as places in own.particle */
  int32_t *local, *corner, *end;
  double skin;
  int32_t surfaces; /* particles that touch, of all ranks */
  ig_lid *guest;    /* nodes of the whole that were imported; in the part after its own mesh's */
  int32_t guests;
  ig_array watch, from; /* own particles, and where they were at the import */
  void *far;            /* int32_t that the device writes: some particle has left the skin */
  void *mark;           /* a GPU's event: it has been written */
  bool made;            /* tables hold what `all` says */
  bool due;             /* on all ranks alike: something has changed, import before the next step */
  bool slow;            /* on all ranks alike: velocities of guests are old */
  int64_t imports;
  /* where something erodes: triangles sent (of `own`) and received (of `all`), by rank */
  int32_t *sent_start, *sent, *got_start, *got;
  /* who tells the first rank of particles and edges: the energy that contact stores, and what it
     remembers. Items are own pieces, edges after the particles. */
  ig_collect stored;
} ig_dyn_surfaces;

/* Node of the whole as one of the part, guests too; -1: not there. */
ig_lid ig_dyn_local_node(const ig_dyn_part *p, ig_lid node);
/* Tables of the kernels from s->all; arrays may move, and the view is renewed. */
IG_MUST_CHECK ig_status ig_dyn_tables_make(ig_dyn_model *m);
/* What contact remembers, from the tables to the own pieces. */
IG_MUST_CHECK ig_status ig_dyn_kept_look(ig_dyn_model *m);
/* Sends which elements hold, of the faces that others have imported; collective. */
IG_MUST_CHECK ig_status ig_dyn_alive_tell(ig_dyn_model *m);
/* Place of a triangle among those that are here, -1: none. */
int32_t ig_dyn_triangle_place(const ig_dyn_pieces *all, int32_t number);
int32_t ig_dyn_edge_place(const ig_dyn_pieces *all, int32_t number); /* the same of an edge */
void ig_dyn_pieces_free(ig_dyn_pieces *p);
/* part_import.c; all ranks call it. */
IG_MUST_CHECK ig_status ig_dyn_import(ig_dyn_model *m);

#endif
