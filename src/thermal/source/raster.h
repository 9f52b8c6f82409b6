/* Toolpaths the room makes itself: hatched layers over a region. */
#ifndef IG_THERMAL_SOURCE_RASTER_H
#define IG_THERMAL_SOURCE_RASTER_H

#include "core/option.h"
#include "core/toolpath.h"

/* A rectangle in x, y. */
typedef struct {
  ig_src at;
  double min[2], max[2];
} ig_raster_region;

typedef struct {
  ig_src at;
  double power, speed, jump_speed;
  double spacing, layer_height, base;
  int64_t layers;
  double angle, rotation; /* rad: of the first layer; added each layer */
  double island;          /* edge of the islands, NaN: none */
  bool contour, one_way;
  double dwell, part_dwell; /* s */
  double start_time;        /* s */
  ig_list regions;          /* of ig_raster_region: one part, all rectangles together */
  ig_list parts;            /* of ig_raster_part: several */
} ig_raster_case;
typedef struct {
  ig_src at;
  ig_list regions;
} ig_raster_part;

/* The path of all layers, one after the other; free it. Fails where regions are missing or empty.
 */
IG_MUST_CHECK ig_status ig_raster_make(ig_ctx *cx, const ig_raster_case *c, ig_toolpath *path);

#endif
