/* Faces of a surface of triangles that a CAD program should see as one: planes, and cylinders that
   the case gives or that lie between sharp edges, as those of a CAD part do. Lengths in mm. */
#ifndef IG_FINISH_FINISH_FACES_H
#define IG_FINISH_FINISH_FACES_H

#include "finish/finish.h"

/* A face: a plane through p with the outward normal `axis`, or the wall at `radius` of the axis
   through p; out: 1 where the part is within it, -1: it is a hole. */
typedef struct {
  bool round;
  double p[3], axis[3], radius;
  int out;
} ig_finish_face;

/* Triangles by faces; those of no larger one are planes of their own. */
typedef struct {
  const ig_topopt_part *s;
  double (*x)[3];    /* of vertices; those of cylinders lie on them */
  int64_t *opposite; /* of side 3 t + i, from vertex i of triangle t to the next */
  int32_t *of;       /* face of each triangle */
  ig_finish_face *face;
  int32_t faces, planes, cylinders; /* these: of more than one triangle */
} ig_finish_faces;
IG_MUST_CHECK ig_status ig_finish_faces_find(const ig_finished *f, const ig_topopt_part *s,
                                             ig_finish_faces *to);
void ig_finish_faces_free(ig_finish_faces *to);

#endif
