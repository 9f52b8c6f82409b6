/* What a fracture run hands to its sink: rows of history, figures of the end, the last snapshot,
   files. */
#ifndef IG_TESTS_FRACTURE_WATCH_H
#define IG_TESTS_FRACTURE_WATCH_H

#include "check.h"
#include "core/output.h"

enum { COLUMNS = 40, ROWS = 400 };
typedef struct {
  ig_sink sink;
  int columns, rows, results, snapshots;
  char name[COLUMNS][32], key[COLUMNS][40];
  double row[ROWS][COLUMNS], value[COLUMNS];
  char *fragments, *crack; /* files */
  ig_snapshot *last;
} watcher;

static inline ig_status watch_row(ig_sink *sink, int columns, const char *const *names,
                                  const double *v) {
  watcher *w = sink->self;
  assert_true(columns <= COLUMNS && w->rows < ROWS);
  w->columns = columns;
  for (int i = 0; i < columns; i++) {
    snprintf(w->name[i], sizeof w->name[i], "%s", names[i]);
    w->row[w->rows][i] = v[i];
  }
  w->rows++;
  return IG_OK;
}
static inline ig_status watch_result(ig_sink *sink, const char *key, const char *unit,
                                     double value) {
  (void)unit;
  watcher *w = sink->self;
  assert_true(w->results < COLUMNS);
  snprintf(w->key[w->results], sizeof w->key[0], "%s", key);
  w->value[w->results++] = value;
  return IG_OK;
}
static inline ig_status watch_snapshot(ig_sink *sink, ig_snapshot *snap) {
  watcher *w = sink->self;
  if (w->last)
    ig_snapshot_free(w->last);
  w->last = snap;
  w->snapshots++;
  return IG_OK;
}
static inline ig_status watch_checkpoint(ig_sink *sink, double time, int64_t step,
                                         const ig_saved *saved, int count) {
  (void)sink, (void)time, (void)step, (void)saved, (void)count;
  return IG_OK;
}
static inline ig_status watch_file(ig_sink *sink, const char *name, const void *bytes,
                                   size_t size) {
  watcher *w = sink->self;
  const bool crack = strcmp(name, "crack.csv") == 0;
  assert_true(crack || strcmp(name, "fragments.csv") == 0);
  char **to = crack ? &w->crack : &w->fragments;
  free(*to);
  *to = calloc(size + 1, 1);
  memcpy(*to, bytes, size);
  return IG_OK;
}
/* Begins; snapshots are not wanted by all. */
static inline void watch(watcher *w, bool snapshots) {
  memset(w, 0, sizeof *w);
  w->sink = (ig_sink){.self = w,
                      .history = watch_row,
                      .result = watch_result,
                      .snapshot = snapshots ? watch_snapshot : NULL,
                      .file = watch_file,
                      .checkpoint = watch_checkpoint};
}
static inline void watch_end(watcher *w) {
  free(w->fragments);
  free(w->crack);
  w->fragments = w->crack = NULL;
}

static inline int column(const watcher *w, const char *name) {
  for (int i = 0; i < w->columns; i++)
    if (strcmp(w->name[i], name) == 0)
      return i;
  fail_msg("no column '%s'", name);
  return -1;
}
static inline double result(const watcher *w, const char *key) {
  for (int i = 0; i < w->results; i++)
    if (strcmp(w->key[i], key) == 0)
      return w->value[i];
  fail_msg("no result '%s'", key);
  return 0;
}

#endif
