/* Snapshots as VTKHDF files (UnstructuredGrid 1.0), which ParaView, PyVista and VTK read. Each
   field's dataset has its unit as attribute `unit`; time and step are in FieldData as TimeValue and
   Step. */
#ifndef IG_IO_RESULT_VTKHDF_H
#define IG_IO_RESULT_VTKHDF_H

#include "core/output.h"
#include "io/format/compress.h"

/* Writes a settled snapshot, or one whose arrays are streamed. Only `cx` is used, not the
   snapshot's own context, so it may run on another thread. compression: 0 to 9. */
IG_MUST_CHECK ig_status ig_snapshot_write(ig_ctx *cx, const ig_snapshot *snap, const char *path,
                                          int compression);
/* The same for a series: `compressor` keeps the compressed grid from one file to the next. soon: it
   does not wait for the disk (ig_store_soon). */
IG_MUST_CHECK ig_status ig_snapshot_write_next(ig_ctx *cx, const ig_snapshot *snap,
                                               const char *path, ig_compressor *compressor,
                                               bool soon);
/* All snapshots as steps of one file (VTKHDF 2.0); an unchanged mesh is stored once. */
IG_MUST_CHECK ig_status ig_snapshots_write(ig_ctx *cx, const ig_snapshot *const *snap, int count,
                                           const char *path, int compression);
/* Reads a snapshot of Ingot or of another program; of a file with steps the last one. *snap is
   freed by ig_snapshot_free. */
IG_MUST_CHECK ig_status ig_snapshot_read(ig_ctx *cx, const char *path, ig_snapshot **snap);

#endif
