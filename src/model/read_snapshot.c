/* Snapshots of other runs, read in turn. */
#include "model/read_snapshot.h"
#include "ingot_io.h"
#include "ranks/ranks.h"
#ifdef INGOT_HAVE_IO
#include "io/result/vtkhdf.h"
#endif

typedef struct {
  const char *path;
  ig_snapshot *snap;
} reading;

static ig_status file_read(ig_ctx *cx, void *user) {
  reading *r = user;
#ifdef INGOT_HAVE_IO
  return ig_snapshot_read(cx, r->path, &r->snap);
#else
  return IG_FAIL(cx, IG_UNSUPPORTED, "%s: this build reads no files: configure with -DINGOT_IO=ON",
                 r->path);
#endif
}

ig_status ig_ranks_read_snapshot(ig_ctx *cx, const char *path, ig_snapshot **snap) {
  reading r = {path, NULL};
  const ig_status status = ig_ranks_in_turn(cx, file_read, &r);
  if (status != IG_OK && r.snap) /* another rank has failed */
    ig_snapshot_free(r.snap);
  *snap = status == IG_OK ? r.snap : NULL;
  return status;
}
