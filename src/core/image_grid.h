/* Points and cells of a regular grid as arrays, any rows of them: where nobody needs them whole
   they are made as they are written. */
#ifndef IG_CORE_IMAGE_GRID_H
#define IG_CORE_IMAGE_GRID_H

#include "core/output.h"

/* Rows: 3 coordinates (float64); a corner of a cell, an offset (int64); a type of VTK (uint8). */
typedef enum { IG_GRID_POINTS, IG_GRID_CORNERS, IG_GRID_OFFSETS, IG_GRID_TYPES } ig_grid_array;
void ig_image_rows(const ig_image_grid *grid, ig_grid_array array, int64_t from, int64_t rows,
                   void *to);

#endif
