/* Which cell of a snapshot belongs to a point of another mesh of the same part. */
#ifndef IG_IO_RESULT_SNAPSHOT_LOCATE_H
#define IG_IO_RESULT_SNAPSHOT_LOCATE_H

#include "core/output.h"

/* cell[i]: the cell whose centre is nearest to point x + 3 i, -1: the point is outside (farther
   than the cell's corners). Cells are taken where they were drawn or where the field `displacement`
   has moved them, whichever fits better. same: the mesh is the same, so centres must agree to 1e-3
   of a cell. */
IG_MUST_CHECK ig_status ig_snapshot_cells_near(ig_ctx *cx, const ig_snapshot *snap, bool same,
                                               const double *x, int64_t count, int64_t *cell);
/* The real-valued field of that name and number of components, NULL: none; and one of its
   values. */
const ig_field *ig_snapshot_field(const ig_snapshot *snap, ig_location where, const char *name,
                                  int components);
double ig_field_component(const ig_field *field, int64_t item, int component);

#endif
