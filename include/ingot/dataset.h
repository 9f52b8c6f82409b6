/* Data sets: inputs, figures and fields of all runs of a sweep in one HDF5 file, for programs that
   learn from them (docs/how-to/dataset.md). In builds with input and output. */
#ifndef INGOT_DATASET_H
#define INGOT_DATASET_H

#include <ingot/sweep.h>

IG_C_BEGIN

typedef struct {
  const char *file;         /* NULL: `out`/dataset.h5 */
  const char *const *field; /* fields of the snapshots that are wanted */
  int fields;               /* 0: all */
  bool tables;              /* inputs and figures alone, no fields */
  bool last;                /* of each run its last snapshot only */
} ig_dataset_options;

typedef struct {
  int runs, complete, inputs, figures, fields;
  int64_t snapshots, points, cells; /* snapshots: most of any run */
} ig_dataset_info;

/* Writes the data set of a sweep whose runs are in `out`. Runs that are not complete have a row
   without figures and fields. Fields need the same points in all snapshots (IG_INPUT otherwise);
   cells may come and go. options and info may be NULL. */
IG_API IG_MUST_CHECK ig_status ig_dataset(ig_ctx *cx, const ig_sweep *sweep, const char *out,
                                          const ig_dataset_options *options, ig_dataset_info *info);

IG_C_END
#endif
