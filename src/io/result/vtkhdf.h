/* Snapshots as VTKHDF files (UnstructuredGrid 1.0): ParaView, PyVista and VTK's own reader open
   them. Each field's dataset carries its unit as the attribute `unit`; time and step are in
   FieldData as TimeValue and Step. */
#ifndef IG_IO_RESULT_VTKHDF_H
#define IG_IO_RESULT_VTKHDF_H

#include "core/output.h"
#include "io/format/compress.h"

/* Writes a settled snapshot, or one whose arrays come in pieces. Only `cx` is touched, not the
 * snapshot's own context. */
IG_MUST_CHECK ig_status ig_snapshot_write(ig_ctx *cx, const ig_snapshot *snap, const char *path,
                                          int compression);
/* The same where many are written: `compressor` keeps the grid compressed from one to the next. */
IG_MUST_CHECK ig_status ig_snapshot_write_next(ig_ctx *cx, const ig_snapshot *snap,
                                               const char *path, ig_compressor *compressor);
/* All as the steps of one file (VTKHDF 2.0); the same mesh is stored once. */
IG_MUST_CHECK ig_status ig_snapshots_write(ig_ctx *cx, const ig_snapshot *const *snap, int count,
                                           const char *path, int compression);
/* Reads one back, ours or another program's; of a file with steps the last one. */
IG_MUST_CHECK ig_status ig_snapshot_read(ig_ctx *cx, const char *path, ig_snapshot **snap);

#endif
