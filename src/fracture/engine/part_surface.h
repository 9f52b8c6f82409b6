/* Surfaces that touch, on several ranks. Contact is computed in a copy of the surfaces near the
   rank's own, which has what kernels of surface.inc read: elements with a node on a surface, their
   nodes, and which facets are free. Items are numbered in it in the order of the whole, and slots
   of a node keep their order, so that sums have the order of one rank.

   Import (part_import.c): ranks exchange boxes around the facets at nodes whose forces they need.
   Cells have edge h; a node finds facets whose middle lies less than 2 h away along each axis. With
   s what two nodes can come nearer to each other until the next import,

     nodes within 2 h + s of a box       may press on a facet there, or are of one
     facets within 4 h + 2 s             may be pressed by one of these

   Elements with such a facet or node are sent by their owner, their nodes by those of the nodes. A
   pair across a border is so computed on both sides, from the same numbers to the same numbers.

   At each step motions travel with those of ghosts, and 4 bytes per element that has an open facet.
   There is an import when facets have opened, or when nodes may have moved by half of s. */
#ifndef IG_FRAC_PART_SURFACE_H
#define IG_FRAC_PART_SURFACE_H

#include "fracture/engine/tables.h"
#include "contact/explicit/parcels.h"
#include "ranks/box_grid.h"

/* What a message has; numbers are those of the whole. */
typedef struct {
  int32_t number, origin;
  int32_t used, surface; /* slots; 1: on a facet that is free or may come to be */
  int64_t first;         /* its slots, element x nodes + corner each */
  int64_t part;          /* what it presses on, -1 */
  double x[3], u[3], v[3], minv, mass, gap;
} ig_frac_surface_node;
typedef struct {
  int32_t number;
  uint32_t worn;    /* see ig_frac_surface */
  uint32_t open;    /* bit f: facet f is free or may come to be */
  uint32_t cracked; /* some facet has a cohesive element: `worn` is sent at each step */
  int32_t node[10];
} ig_frac_surface_element;

/* Lists of a parcel, to one rank and from it (its own to itself, too); items sent are nodes and
   elements of the part. */
enum { IG_FRAC_NODES, IG_FRAC_SLOTS, IG_FRAC_ELEMENTS };
extern const size_t ig_frac_record[IG_PARCEL_LISTS];
/* A list of what has come, as records of its type. */
static inline const void *ig_frac_came(const ig_parcel *a, int list) {
  return ig_parcel_list(a->in, a->take, ig_frac_record, list);
}

/* The copy of surfaces near this rank. Arrays are reused from import to import; items are in the
   order of the whole. */
typedef struct ig_frac_contact {
  int32_t nodes, elements;
  uint32_t mask;      /* of bins */
  double skin, moved; /* s above; how far a node has moved at most */
  bool mesh_known;    /* the part's mesh is on the host as it is now */
  ig_box_grid fence;  /* of this rank */
  /* what kernels read and write, as in ig_frac_state; the last ones are the device's alone */
  ig_array conn, list, node, number, worn, x, u, v, minv, part, mass, gap, force, work, on;
  ig_array bucket, next, hit, after, push;
  ig_array node_of, element_of, lent; /* ig_frac_lent */
  /* facets; nodes that look for one, that get forces, whose motion is the part's; elements whose
     facets are known from the part; elements of the part that others ask for */
  ig_frac_list linked, pressing, reacting, borrowed, seen, worn_out;
  ig_halo import, wear; /* motions, of far nodes too; states of facets */
} ig_frac_contact;

/* What is near this rank's surfaces: a parcel from each rank, in their order; `count` of them are
   freed by the caller. All ranks call it. */
IG_MUST_CHECK ig_status ig_frac_import(ig_frac_model *m, ig_parcel **list, int *count);
/* Whether a node's force is needed on this rank: it is its own, or (rigid contact of facets, which
   depends on all forces at both nodes of a pair) has an element in common with an own one. */
static inline bool ig_frac_wanted(const ig_frac_model *m, int32_t n) {
  return m->part.node_layer[m->part.origin[n]] <= (m->s.zone.law.rigid ? 1 : 0);
}
static inline double ig_frac_node_reach(const ig_frac_model *m) { /* 2 h + s */
  return 2 * m->s.surface.cell + m->part.contact->skin;
}

#endif
