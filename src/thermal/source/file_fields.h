/* Numbers from the fields of a file, found by position: the file and the mesh need the same places,
   in any order. */
#ifndef IG_THERMAL_SOURCE_FILE_FIELDS_H
#define IG_THERMAL_SOURCE_FILE_FIELDS_H

#include "core/option.h"
#include "core/output.h"

/* The field at `count` places (x 3, m): of points of the file, or of the centres of its cells
   (where: IG_AT_POINTS, IG_AT_CELLS). NaN at points that belong to no cell, as nodes that are not
   born in a snapshot. A place where the file has nothing is an
   error, or infinite and counted in *missing, if that is not NULL. */
IG_MUST_CHECK ig_status ig_given_read(ig_ctx *cx, const ig_src *at, const char *file,
                                      const char *field, ig_location where, ig_lid count,
                                      const double *place, double *value, ig_lid *missing);

#endif
