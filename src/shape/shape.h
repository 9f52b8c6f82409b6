/* Steps from a design to a part that can be printed. */
#ifndef IG_SHAPE_SHAPE_H
#define IG_SHAPE_SHAPE_H

#include "core/room.h"

/* Densities of a design on a regular grid of n cells, x fastest; `low` is its lowest corner and
   `edge` the size of a cell, m. Free with ig_voxels_free. */
typedef struct {
  int n[3];
  double low[3], edge[3];
  double *density; /* x fastest; 0 where the snapshot has no cell */
} ig_voxels;
/* Reads the cell field of a snapshot. Fails with IG_INPUT unless all cells are boxes of one size,
   within a thousandth, and all values are finite. */
IG_MUST_CHECK ig_status ig_voxels_read(ig_ctx *cx, const char *path, const char *field,
                                       ig_voxels *design);
/* Averages over neighbours, `passes` times: each axis by 1/4, 1/2, 1/4. */
IG_MUST_CHECK ig_status ig_voxels_smooth(ig_ctx *cx, ig_voxels *v, int64_t passes);
/* The same field on voxels of about `edge`, interpolated between the middles of cells. */
IG_MUST_CHECK ig_status ig_voxels_sample(ig_ctx *cx, const ig_voxels *from, double edge,
                                         ig_voxels *to);
/* The level above which the voxels hold `volume`. */
IG_MUST_CHECK ig_status ig_voxels_level(ig_ctx *cx, const ig_voxels *v, double volume,
                                        double *level);
void ig_voxels_free(ig_voxels *v);
/* Index of a voxel in `density`. */
static inline int64_t ig_voxel_at(const ig_voxels *v, int i, int j, int k) {
  return ((int64_t)k * v->n[1] + j) * v->n[0] + i;
}

/* Lines of a beam over the layers of a part: W, m/s, m, s; a spacing of NaN is the edge of a
   voxel. */
typedef struct {
  ig_src at;
  double power, speed, jump_speed, spacing, dwell, start_time;
} ig_scan_case;
extern const ig_option ig_scan_options[];
/* Writes path.csv for the voxels whose byte in `part` is set, and the results scan_length (m) and
   print_time (s). */
IG_MUST_CHECK ig_status ig_scan_write(ig_job *job, const ig_scan_case *raster, const ig_voxels *v,
                                      const uint8_t *part);

#endif
