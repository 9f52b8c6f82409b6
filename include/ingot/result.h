/* Results on disk: snapshots of a run, looked at after it. `folder` is an output folder. */
#ifndef INGOT_RESULT_H
#define INGOT_RESULT_H

#include <ingot/run.h>

IG_C_BEGIN

/* A table, row after row: headings with units first ("T [K]"). Cells are texts. */
typedef void ig_row_fn(void *user, int columns, const char *const *cell);

/* Fields over time at the node or cell nearest to a point; fields NULL: all with one number a
   place. One row a snapshot. */
IG_API IG_MUST_CHECK ig_status ig_result_probe(ig_ctx *cx, const char *folder,
                                               const double point[3], const char *field,
                                               ig_row_fn *row, void *user);
/* Least and greatest value of each field over all snapshots, with time and place; `set` (NULL: all)
   names a set of the run's mesh. */
IG_API IG_MUST_CHECK ig_status ig_result_extremes(ig_ctx *cx, const char *folder, const char *set,
                                                  ig_row_fn *row, void *user);
/* All snapshots as one VTKHDF 2 file with steps; a mesh that stays the same is stored once.
   ParaView 5.12 and VTK 9.3 read such files, older ones do not. */
IG_API IG_MUST_CHECK ig_status ig_result_join(ig_ctx *cx, const char *folder, const char *file);

IG_C_END
#endif
