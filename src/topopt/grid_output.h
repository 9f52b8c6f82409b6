/* Functions of a grid as a discretisation (topopt.h): what it writes. */
#ifndef IG_TOPOPT_GRID_OUTPUT_H
#define IG_TOPOPT_GRID_OUTPUT_H

#include "topopt/topopt.h"

IG_MUST_CHECK ig_status ig_topopt_grid_snapshot(void *self, int64_t step, ig_snapshot **snap);
void ig_topopt_grid_pack(void *self, bool nodes, int components, const double *from, float *to);
IG_MUST_CHECK ig_status ig_topopt_grid_stream(void *self, bool states, const double *from,
                                              bool host, ig_stream_take *take, void *user);
IG_MUST_CHECK ig_status ig_topopt_grid_show(void *self, bool states, double scale,
                                            const double *from, ig_stream_take *take, void *user);
IG_MUST_CHECK ig_status ig_topopt_grid_outline(void *self, int array, ig_stream_take *take,
                                               void *user);
IG_MUST_CHECK ig_status ig_topopt_grid_spread(void *self, const double *whole, double *own);

#endif
