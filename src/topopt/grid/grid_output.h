/* Functions of a grid as a discretisation (topopt.h): what it writes, and leaves at its end.
   `self` is an ig_topopt_grid_model throughout. */
#ifndef IG_TOPOPT_GRID_GRID_OUTPUT_H
#define IG_TOPOPT_GRID_GRID_OUTPUT_H

#include "topopt/topopt.h"

IG_MUST_CHECK ig_status ig_topopt_grid_snapshot(void *self, int64_t step, ig_snapshot **snap);
void ig_topopt_grid_pack(void *self, bool nodes, int components, const double *from, float *to);
IG_MUST_CHECK ig_status ig_topopt_grid_stream(void *self, bool states, const double *from,
                                              bool host, ig_stream_take *take, void *user);
IG_MUST_CHECK ig_status ig_topopt_grid_show(void *self, bool states, double scale,
                                            const double *from, ig_stream_take *take, void *user);
IG_MUST_CHECK ig_status ig_topopt_grid_outline(void *self, int array, ig_stream_take *take,
                                               void *user);

/* grid_finish.c: the part at the end */
IG_MUST_CHECK ig_status ig_topopt_grid_surface(void *self, double *density, double level,
                                               bool mirror, ig_topopt_part *surface);
IG_MUST_CHECK ig_status ig_topopt_grid_inside(void *self, double *density, double *level,
                                              double *share);
IG_MUST_CHECK ig_status ig_topopt_grid_touched(void *self, uint8_t *mark);
IG_MUST_CHECK ig_status ig_topopt_grid_faces(void *self, ig_topopt_pieces *p);

/* grid_model.c. Planes of symmetry along each axis: 1 the lowest side, 2 the highest. */
void ig_topopt_grid_mirrors(const ig_topopt_grid_model *m, int *mirror);

#endif
