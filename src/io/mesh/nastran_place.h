/* Coordinate systems of Nastran: CORD1R, CORD1C, CORD1S by three nodes; CORD2R, CORD2C, CORD2S by
   three points in another system. */
#ifndef IG_IO_MESH_NASTRAN_PLACE_H
#define IG_IO_MESH_NASTRAN_PLACE_H

#include "io/mesh/mesh_io.h"

/* Progress of resolving; BUSY while it is under way, which detects cycles. */
typedef enum { IG_PLACE_OPEN, IG_PLACE_BUSY, IG_PLACE_DONE } ig_place_state;

typedef struct {
  int64_t id, base; /* base: the system of `point`, 0 is the basic one */
  bool by_nodes;
  int64_t node[3];
  double point[9]; /* origin, a point on z, a point in the plane of x and z */
  char form;       /* 'R', 'C' or 'S' */
  ig_place_state state;
  double origin[3], axis[3][3]; /* in the basic system, once done */
} ig_nastran_system;

/* Moves all nodes of `g` to the basic system. system[i]: system of node i, 0: basic. */
IG_MUST_CHECK ig_status ig_nastran_place(ig_gather *g, const char *path, const int64_t *system,
                                         ig_nastran_system *all, int systems);

#endif
