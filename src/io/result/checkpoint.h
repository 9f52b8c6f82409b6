/* Checkpoints: the arrays a run goes on from, in a sealed HDF5 file. */
#ifndef IG_IO_RESULT_CHECKPOINT_H
#define IG_IO_RESULT_CHECKPOINT_H

#include "core/output.h"

typedef struct {
  double time;
  int64_t step;
  uint64_t fingerprint; /* of the case: only the same case goes on from it */
} ig_checkpoint_head;

/* rows: of the arrays that have no data, by their places in `saved`; NULL: all have. */
IG_MUST_CHECK ig_status ig_checkpoint_write(ig_ctx *cx, const char *path,
                                            const ig_checkpoint_head *head, const ig_saved *saved,
                                            int count, const ig_stream *rows);
/* Whether a checkpoint is of the case with this fingerprint; fails if it cannot be read. */
IG_MUST_CHECK ig_status ig_checkpoint_belongs(ig_ctx *cx, const char *path, uint64_t fingerprint,
                                              bool *same);
/* Fails with IG_INPUT if the file is damaged, no checkpoint, or another case's. */
IG_MUST_CHECK ig_status ig_checkpoint_read(ig_ctx *cx, const char *path, uint64_t fingerprint,
                                           ig_restart **restart);
/* The same without data: arrays are checked, and read again when they are asked for. */
IG_MUST_CHECK ig_status ig_checkpoint_open(ig_ctx *cx, const char *path, uint64_t fingerprint,
                                           ig_restart **restart);

#endif
