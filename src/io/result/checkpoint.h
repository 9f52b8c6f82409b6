/* Checkpoints: the arrays a run continues from, in a sealed HDF5 file. */
#ifndef IG_IO_RESULT_CHECKPOINT_H
#define IG_IO_RESULT_CHECKPOINT_H

#include "core/output.h"

/* Head of a checkpoint. */
typedef struct {
  double time;
  int64_t step;
  uint64_t fingerprint; /* of the case: only the same case goes on from it */
  bool soon;            /* writing does not wait for the disk (ig_store_soon) */
} ig_checkpoint_head;

/* Writes a checkpoint atomically. rows: source of the arrays without data, by their number in
   `saved`; NULL: all have data. */
IG_MUST_CHECK ig_status ig_checkpoint_write(ig_ctx *cx, const char *path,
                                            const ig_checkpoint_head *head, const ig_saved *saved,
                                            int count, const ig_stream *rows);
/* Whether a checkpoint has this fingerprint; fails if it cannot be read. */
IG_MUST_CHECK ig_status ig_checkpoint_belongs(ig_ctx *cx, const char *path, uint64_t fingerprint,
                                              bool *same);
/* Reads all arrays; *restart is freed by ig_restart_free. IG_INPUT if the file is damaged, not a
   checkpoint, or of another case. */
IG_MUST_CHECK ig_status ig_checkpoint_read(ig_ctx *cx, const char *path, uint64_t fingerprint,
                                           ig_restart **restart);
/* The same without data: arrays are verified now and read when they are asked for. */
IG_MUST_CHECK ig_status ig_checkpoint_open(ig_ctx *cx, const char *path, uint64_t fingerprint,
                                           ig_restart **restart);

#endif
