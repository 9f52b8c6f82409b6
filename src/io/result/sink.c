/* The sink that writes files. The run hands over jobs (snapshot, checkpoint, file); a thread of the
   sink writes them, so that the run continues meanwhile. At most two jobs are under way, which
   bounds memory. history.csv is written by the calling thread, because rows are small.

   calling thread                         writer thread
   files_snapshot --- job ---> queue ---> write_snapshot, index
   files_checkpoint - job ---> queue ---> fsync of history, write_checkpoint
   files_history --> rows --> history.csv
   files_flush ---- waits until the queue is empty, returns the writer's first failure

   Consistency after a crash: a checkpoint stores the length of history.csv and the times of
   snapshots at that moment; a continued run truncates both to it.

   A process that is killed leaves whole files, since each is renamed when it is complete. Against a
   machine that stops, files are flushed to the disk every few seconds, before a checkpoint that
   counts them and before the summary. Since that takes longer than a small model, a run that ends
   within those seconds only has the system begin to write: there is no more than that to lose. */
#include "io/result/sink.h"
#include "backend/backend.h"
#include "core/memory.h"
#include "io/result/checkpoint.h"
#include "io/format/csv.h"
#include "io/result/result_folder.h"
#include "io/result/sink_summary.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* State of the sink within a checkpoint, beside the room's arrays. */
#define OWN "sink."
#define OWN_RUN OWN "run"
#define OWN_HISTORY OWN "history_bytes"
#define OWN_TIMES OWN "snapshot_time"

/* Jobs under way at most; bytes of history rows that are collected before they are written. */
enum { UNDER_WAY = 2, ROWS_KEPT = 1 << 15 };
/* Seconds of results that may be lost where the machine stops. */
static const double FLUSH_EVERY = 5;

typedef enum { JOB_SNAPSHOT, JOB_CHECKPOINT, JOB_FILE } job_kind;

/* A job for the writer, which owns it. */
typedef struct job {
  job_kind kind;
  ig_snapshot *snap;
  ig_checkpoint_head head; /* of a checkpoint */
  ig_saved *saved;
  int count;
  int64_t history_bytes;
  char name[IG_FILE_NAME]; /* of a file */
  void *bytes;
  size_t size;
  struct job *next;
} job;

/* State of the sink. Each group of members belongs to one thread, or to both under `lock`. */
typedef struct {
  ig_sink sink;
  ig_ctx *cx;
  ig_result_folder folder;
  ig_sink_options options;

  /* the caller's thread */
  ig_figure *result;
  int results;
  int columns, history_fd;
  ig_text rows;          /* not written yet */
  int64_t history_bytes; /* in the file */
  double rows_written;   /* when, on ig_now's clock */

  /* the writer's thread */
  double *snapshot_time; /* of those on the disk */
  int64_t snapshots;
  ig_compressor compressor;
  double begun, flushed; /* when, on ig_now's clock */
  bool lasting;          /* a checkpoint of this run is on the disk, or was there when it began */
  bool waiting;          /* a checkpoint was written that is not flushed */

  /* Owner of the writer thread: a forked child has none. */
  pid_t process; /* whose thread the writer is: a forked child has none */

  /* between the two, under `lock` */
  pthread_t thread;
  bool running;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  job *first, *last;
  int under_way;
  bool stop;
  ig_ctx trouble; /* the writer's first failure: status and message */
} files;

static void job_free(job *j) {
  if (!j)
    return;
  ig_snapshot_free(j->snap);
  for (int i = 0; i < j->count; i++) {
    free((char *)j->saved[i].name);
    free(j->saved[i].data);
  }
  free(j->saved);
  free(j->bytes);
  free(j);
}

/* --- the writer's thread; `cx` below is its own, for messages */

/* Index for ParaView, under two names (see result_folder.h). */
static ig_status write_series(ig_ctx *cx, files *s) {
  ig_json json = {0};
  ig_series_write(&s->folder, s->snapshot_time, s->snapshots, &json);
  ig_status status = ig_result_folder_store(cx, &s->folder, IG_SERIES_TOO, &json.text);
  if (status == IG_OK)
    status = ig_result_folder_store(cx, &s->folder, IG_SERIES, &json.text);
  free(json.text.at);
  return status;
}

static ig_status add_time(ig_ctx *cx, files *s, double time) {
  IG_TRY(IG_MORE(cx, &s->snapshot_time, s->snapshots, "index of snapshots"));
  s->snapshot_time[s->snapshots++] = time;
  return IG_OK;
}

/* Brings all results to the disk. */
static ig_status flush(ig_ctx *cx, files *s) {
  s->flushed = ig_now();
  IG_TRY(ig_result_folder_flush(cx, &s->folder, true));
  s->lasting |= s->waiting;
  s->waiting = false;
  return IG_OK;
}

static bool flush_due(const files *s) {
  return ig_now() - s->flushed >= FLUSH_EVERY;
}

/* There is more to lose at the end than a few seconds of work. */
static bool flush_worth(const files *s) {
  return s->lasting || ig_now() - s->begun >= FLUSH_EVERY;
}

/* Settling waits for copies from the device. The index is written after the snapshot, so it never
   names a missing file. */
static ig_status write_snapshot(ig_ctx *cx, files *s, ig_snapshot *snap) {
  char name[IG_FILE_NAME], *path = NULL;
  if (ig_snapshot_settle(snap) != IG_OK)
    return IG_FAIL(cx, IG_DEVICE, "the device failed while a snapshot was copied from it");
  ig_snapshot_name(s->snapshots, name);
  IG_TRY(ig_result_folder_file(cx, &s->folder, name, &path));
  ig_status status = ig_snapshot_write_next(cx, snap, path, &s->compressor, true);
  free(path);
  if (status == IG_OK)
    status = add_time(cx, s, snap->time);
  if (status == IG_OK) {
    ig_result_folder_soon(&s->folder, name);
    status = write_series(cx, s);
  }
  return status == IG_OK && flush_due(s) ? flush(cx, s) : status;
}

static ig_status history_flush(ig_ctx *cx, const files *s) {
  return fsync(s->history_fd) == 0 ? IG_OK
                                   : IG_FAIL(cx, IG_IO, "cannot write '%s/" IG_HISTORY "': %s",
                                             s->folder.path, strerror(errno));
}

/* History and snapshots are brought to the disk first: a checkpoint must not be newer there than
   the rows and snapshots it counts. */
static ig_status write_checkpoint(ig_ctx *cx, files *s, const job *j, const ig_stream *rows) {
  const bool soon = !s->lasting && !flush_due(s);
  if (!soon) {
    if (j->history_bytes)
      IG_TRY(history_flush(cx, s));
    IG_TRY(flush(cx, s));
  }
  ig_checkpoint_head head = j->head;
  head.soon = soon;
  ig_saved *saved;
  IG_TRY(IG_NEW(cx, &saved, j->count + 4, "checkpoint"));
  memcpy(saved, j->saved, (size_t)j->count * sizeof *saved);
  int64_t run = (int64_t)s->folder.run;
  saved[j->count] = (ig_saved){OWN_RUN, IG_I64, 1, &run};
  int64_t history = j->history_bytes;
  saved[j->count + 1] = (ig_saved){OWN_HISTORY, IG_I64, 1, &history};
  saved[j->count + 2] = (ig_saved){OWN_TIMES, IG_F64, s->snapshots, s->snapshot_time};
  const char *settings = s->options.settings ? s->options.settings : "";
  saved[j->count + 3] =
      (ig_saved){IG_SINK_SETTINGS, IG_U8, (int64_t)strlen(settings) + 1, (void *)settings};
  char *path = NULL;
  ig_status status = ig_result_folder_file(cx, &s->folder, IG_CHECKPOINT, &path);
  if (status == IG_OK)
    status = ig_checkpoint_write(cx, path, &head, saved, j->count + 4, rows);
  if (status == IG_OK && soon)
    ig_result_folder_soon(&s->folder, IG_CHECKPOINT);
  s->waiting |= status == IG_OK && soon;
  s->lasting |= status == IG_OK && !soon;
  free(path);
  free(saved);
  return status;
}

/* Noted in the mark before the file appears, so that it is never an unknown file. */
static ig_status write_file(ig_ctx *cx, files *s, job *j) {
  IG_TRY(ig_result_folder_note(cx, &s->folder, j->name));
  char *path = NULL;
  IG_TRY(ig_result_folder_file(cx, &s->folder, j->name, &path));
  const ig_status status = ig_store_soon(cx, path, j->bytes, j->size);
  free(path);
  if (status != IG_OK)
    return status;
  ig_result_folder_soon(&s->folder, j->name);
  return flush_due(s) ? flush(cx, s) : IG_OK;
}

/* Takes jobs in order. After a failure the remaining jobs are dropped: what is on the disk stays
   consistent. Takes jobs in order until it is asked to stop and none is left. Files are written
   without the lock, so that the run goes on meanwhile. The first failure is kept; later jobs are
   dropped. */
static void *writer(void *self) {
  files *s = self;
  pthread_mutex_lock(&s->lock);
  for (;;) {
    while (!s->first && !s->stop)
      pthread_cond_wait(&s->changed, &s->lock);
    /* The queue is first in, first out: files appear in the order in which the run asked for
       them. */
    job *j = s->first;
    if (!j)
      break;
    s->first = j->next;
    if (!s->first)
      s->last = NULL;
    const bool failed = s->trouble.status != IG_OK;
    pthread_mutex_unlock(&s->lock);

    /* A context of the writer's own: messages of the run must not be touched by another thread. */
    ig_ctx own = {.threads = s->compressor.threads};
    if (!failed) { /* after a failure what is left is dropped: the disk keeps what it has */
      const ig_status status = j->kind == JOB_SNAPSHOT     ? write_snapshot(&own, s, j->snap)
                               : j->kind == JOB_CHECKPOINT ? write_checkpoint(&own, s, j, NULL)
                                                           : write_file(&own, s, j);
      own.status = status;
    }
    job_free(j);

    /* Only the first failure is kept, as jobs after it are dropped. */
    pthread_mutex_lock(&s->lock);
    if (own.status != IG_OK) {
      s->trouble.status = own.status;
      memcpy(s->trouble.message, own.message, sizeof own.message);
    }
    s->under_way--;
    pthread_cond_broadcast(&s->changed);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

/* --- the calling thread */

/* In a forked child there is no writer to wait for, and the files belong to the parent: writing is
   refused. */
static bool is_forked(const files *s) {
  return s->process != getpid();
}
/* A thread does not survive fork: in the child nothing would ever be written. */
static ig_status writer_here(const files *s) {
  return is_forked(s) ? IG_FAIL(s->cx, IG_UNSUPPORTED,
                                "this run was opened before fork() and writes to '%s' in the "
                                "parent process: open it in this one",
                                s->folder.path)
                      : IG_OK;
}

/* Under `lock`: copies the writer's failure into the caller's context. */
static ig_status trouble(files *s) {
  if (s->trouble.status != IG_OK) {
    s->cx->status = s->trouble.status;
    memcpy(s->cx->message, s->trouble.message, sizeof s->cx->message);
  }
  return s->trouble.status;
}

/* A failure of the writer is reported to the run at its next call. */
static ig_status trouble_so_far(files *s) {
  pthread_mutex_lock(&s->lock);
  const ig_status status = trouble(s);
  pthread_mutex_unlock(&s->lock);
  return status;
}

/* Gives a job to the writer, which owns it from here on; waits while two are under way. */
static ig_status hand_over(files *s, job *j) {
  pthread_mutex_lock(&s->lock);
  while (s->under_way >= UNDER_WAY)
    pthread_cond_wait(&s->changed, &s->lock);
  const ig_status status = trouble(s);
  if (status == IG_OK) {
    if (s->last)
      s->last->next = j;
    else
      s->first = j;
    s->last = j;
    s->under_way++;
    pthread_cond_broadcast(&s->changed);
  }
  pthread_mutex_unlock(&s->lock);
  if (status != IG_OK)
    job_free(j);
  return status;
}

/* The case as it was run, with all defaults, for the record. */
static ig_status case_keep(files *s) {
  bool kept = true;
  if (s->options.text)
    IG_TRY(ig_result_folder_case(s->cx, &s->folder, s->options.text, &kept));
  if (!kept)
    ig_warn(s->cx, "'%s/" IG_CASE "' is not Ingot's: the case as it was run is not kept there",
            s->folder.path);
  return IG_OK;
}

/* Takes possession of the folder before the first output, not when it is opened: a case that its
   room refuses leaves the former results untouched. */
static ig_status begin(files *s) {
  IG_TRY(writer_here(s));
  if (s->folder.ours)
    return IG_OK;
  IG_TRY(ig_result_folder_take(s->cx, &s->folder));
  return case_keep(s);
}

/* Waits until the writer has nothing to do. */
static void wait_idle(files *s) {
  if (is_forked(s))
    return;
  pthread_mutex_lock(&s->lock);
  while (s->under_way)
    pthread_cond_wait(&s->changed, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

/* Takes the snapshot over in any case, also after a failure. */
static ig_status files_snapshot(ig_sink *sink, ig_snapshot *snap) {
  files *s = sink->self;
  job *j = NULL;
  ig_status status = begin(s);
  if (status == IG_OK)
    status = IG_NEW(s->cx, &j, 1, "snapshot");
  if (status != IG_OK) {
    ig_snapshot_free(snap);
    return status;
  }
  j->kind = JOB_SNAPSHOT;
  j->snap = snap;
  return hand_over(s, j);
}

/* Streamed output is written by the calling thread, because all ranks must take part; the writer
   must be idle, since both use the same state. */
static ig_status files_snapshot_rows(ig_sink *sink, ig_snapshot *snap) {
  files *s = sink->self;
  ig_status status = begin(s);
  wait_idle(s);
  if (status == IG_OK)
    status = trouble_so_far(s);
  if (status == IG_OK)
    status = write_snapshot(s->cx, s, snap);
  ig_snapshot_free(snap);
  return status;
}

/* Writes the collected rows. After a failure the file is cut back, so that it never has half a
   row. */
static ig_status history_write(files *s) {
  if (!s->rows.length)
    return IG_OK;
  char *path = NULL;
  IG_TRY(ig_result_folder_file(s->cx, &s->folder, IG_HISTORY, &path));
  const ig_status status = ig_write_all(s->cx, s->history_fd, path, s->rows.at, s->rows.length);
  free(path);
  if (status == IG_OK)
    s->history_bytes += (int64_t)s->rows.length;
  else
    (void)!ftruncate(s->history_fd, s->history_bytes);
  s->rows.length = 0;
  s->rows_written = ig_now();
  return status;
}

/* Opens history.csv. The header is in `rows`; a continued run must find the same one at the top of
   its file. O_APPEND and no links: rows go to the end of this very file. */
static ig_status history_open(files *s) {
  if (s->history_fd < 0) {
    s->history_fd = openat(s->folder.fd, IG_HISTORY,
                           O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (s->history_fd < 0) {
      s->rows.length = 0;
      return IG_FAIL(s->cx, IG_IO, "cannot create '%s/" IG_HISTORY "': %s", s->folder.path,
                     strerror(errno));
    }
    return IG_OK;
  }
  char *there;
  IG_TRY(IG_NEW(s->cx, &there, s->rows.length, "header of " IG_HISTORY));
  const bool same = pread(s->history_fd, there, s->rows.length, 0) == (ssize_t)s->rows.length &&
                    memcmp(there, s->rows.at, s->rows.length) == 0;
  free(there);
  s->rows.length = 0;
  return same ? IG_OK
              : IG_FAIL(s->cx, IG_INPUT,
                        "'%s/" IG_HISTORY "' has other columns than this run: restart in an empty "
                        "folder",
                        s->folder.path);
}

/* Numbers are written with the shortest text that reads back exactly. Rows are written once a
   second at least, so that `ingot watch` sees them. Names are taken from the first call; the number
   of columns must stay. Rows are collected and written in portions. */
static ig_status files_history(ig_sink *sink, int columns, const char *const *names,
                               const double *values) {
  files *s = sink->self;
  IG_TRY(begin(s));
  IG_TRY(trouble_so_far(s));
  if (!s->columns) {
    for (int c = 0; c < columns; c++)
      ig_csv_cell(&s->rows, names[c], c == 0);
    ig_text_add(&s->rows, "\n");
    IG_TRY(history_open(s));
    s->columns = columns;
  }
  if (columns != s->columns)
    return IG_FAIL(s->cx, IG_ARG, IG_HISTORY " has %d columns, not %d", s->columns, columns);
  for (int c = 0; c < columns; c++) {
    char text[IG_NUMBER_TEXT];
    ig_number_text(values[c], text);
    ig_text_add(&s->rows, text);
    ig_text_add(&s->rows, c + 1 < columns ? "," : "\n");
  }
  if (s->rows.failed)
    return IG_FAIL(s->cx, IG_MEMORY, "no memory for a row of " IG_HISTORY);
  if (s->rows.length >= ROWS_KEPT || ig_now() - s->rows_written > 1)
    return history_write(s);
  return IG_OK;
}

/* Arrays are copied, because the run changes them while they are written. Arrays are copied, so
   that the run can go on while they are written. */
static ig_status files_checkpoint(ig_sink *sink, double time, int64_t step, const ig_saved *saved,
                                  int count) {
  files *s = sink->self;
  job *j;
  IG_TRY(begin(s));
  IG_TRY(history_write(s));
  IG_TRY(IG_NEW(s->cx, &j, 1, "checkpoint"));
  j->kind = JOB_CHECKPOINT;
  j->head = (ig_checkpoint_head){.time = time, .step = step, .fingerprint = s->options.fingerprint};
  j->history_bytes = s->history_bytes;
  ig_status status;
  IG_TRY_GOTO(status, failed, IG_NEW(s->cx, &j->saved, count, "checkpoint"));
  /* Each array is copied with its name; count says how many are complete, for the case of a
     failure. */
  for (; j->count < count; j->count++) {
    const ig_saved *from = &saved[j->count];
    ig_saved *to = &j->saved[j->count];
    if (strncmp(from->name, OWN, strlen(OWN)) == 0) {
      status =
          IG_FAIL(s->cx, IG_ARG, "checkpoint array '%s': names in " OWN " are taken", from->name);
      goto failed;
    }
    *to = (ig_saved){.name = strdup(from->name), .dtype = from->dtype, .count = from->count};
    status = to->name ? ig_alloc(s->cx, &to->data, (size_t)from->count, ig_dtype_size(from->dtype),
                                 from->name)
                      : IG_FAIL(s->cx, IG_MEMORY, "no memory for a checkpoint");
    if (status != IG_OK) {
      free((char *)to->name);
      goto failed;
    }
    if (from->count)
      ig_memory_copy(s->cx->threads, to->data, from->data,
                     (size_t)from->count * ig_dtype_size(from->dtype));
  }
  return hand_over(s, j);
failed:
  job_free(j);
  return status;
}

/* Arrays in parts are not copied: the run waits until they are written. */
static ig_status files_checkpoint_rows(ig_sink *sink, double time, int64_t step,
                                       const ig_saved *saved, int count, const ig_stream *rows) {
  files *s = sink->self;
  IG_TRY(begin(s));
  IG_TRY(history_write(s));
  wait_idle(s);
  IG_TRY(trouble_so_far(s));
  const job now = {.head = {.time = time, .step = step, .fingerprint = s->options.fingerprint},
                   .saved = (ig_saved *)saved,
                   .count = count,
                   .history_bytes = s->history_bytes};
  return write_checkpoint(s->cx, s, &now, rows);
}

/* Stores a figure; a second value for a key replaces the first. */
static ig_status figure_set(files *s, const char *key, const char *unit, const char *text,
                            double number) {
  int i = 0;
  while (i < s->results && strcmp(s->result[i].key, key) != 0)
    i++;
  if (i == s->results) {
    IG_TRY(IG_MORE(s->cx, &s->result, i, key));
    s->result[i] = (ig_figure){.key = strdup(key)};
    if (!s->result[i].key)
      return IG_FAIL(s->cx, IG_MEMORY, "no memory for result '%s'", key);
    s->results++;
  }
  ig_figure *f = &s->result[i];
  free(f->text);
  f->text = text ? strdup(text) : NULL;
  f->number = number;
  snprintf(f->unit, sizeof f->unit, "%s", unit);
  return text && !f->text ? IG_FAIL(s->cx, IG_MEMORY, "no memory for result '%s'", key) : IG_OK;
}
static ig_status files_result(ig_sink *sink, const char *key, const char *unit, double value) {
  return figure_set(sink->self, key, unit, NULL, value);
}
static ig_status files_result_text(ig_sink *sink, const char *key, const char *value) {
  return figure_set(sink->self, key, "", value, 0);
}

/* A further file of the result; its bytes are copied. */
static ig_status files_file(ig_sink *sink, const char *name, const void *bytes, size_t size) {
  files *s = sink->self;
  if (!ig_result_folder_allows(name))
    return IG_FAIL(s->cx, IG_ARG, "'%s' cannot be the name of a file in a result", name);
  job *j;
  IG_TRY(begin(s));
  IG_TRY(IG_NEW(s->cx, &j, 1, "file"));
  j->kind = JOB_FILE;
  snprintf(j->name, sizeof j->name, "%s", name);
  const ig_status status = ig_alloc(s->cx, &j->bytes, size, 1, name);
  if (status != IG_OK) {
    job_free(j);
    return status;
  }
  memcpy(j->bytes, bytes, size);
  j->size = size;
  return hand_over(s, j);
}

/* Waits for everything and returns the first failure. */
static ig_status files_flush(ig_sink *sink) {
  files *s = sink->self;
  IG_TRY(writer_here(s));
  const ig_status status = history_write(s);
  wait_idle(s);
  const ig_status writers = trouble_so_far(s);
  return writers != IG_OK ? writers : status;
}

/* Written last, when all else is on disk: its presence says that the run has ended. */
ig_status ig_sink_summary(ig_sink *sink, const ig_summary *summary) {
  files *s = sink->self;
  IG_TRY(begin(s));
  wait_idle(s);
  const ig_status history = history_write(s);
  const bool wait = flush_worth(s);
  if (wait && s->history_fd >= 0)
    IG_TRY(history_flush(s->cx, s));
  if (wait)
    IG_TRY(flush(s->cx, s));
  ig_json json = {0};
  ig_summary_write(summary, s->snapshots, s->result, s->results, &json);
  const ig_status status = wait ? ig_store_text(s->cx, s->folder.path, IG_SUMMARY, &json.text)
                                : ig_result_folder_store(s->cx, &s->folder, IG_SUMMARY, &json.text);
  free(json.text.at);
  return history != IG_OK ? history : status;
}

/* --- opening and closing */

/* Truncates history.csv to its length at the checkpoint. Cuts the history to the length it had at
   the checkpoint: rows after it are computed again. */
static ig_status history_continue(files *s, int64_t bytes) {
  struct stat info;
  if (bytes == 0)
    return ig_result_folder_remove(s->cx, &s->folder, IG_HISTORY);
  s->history_fd = openat(s->folder.fd, IG_HISTORY, O_RDWR | O_APPEND | O_CLOEXEC);
  if (s->history_fd < 0 && errno == ENOENT)
    return IG_OK; /* the run goes on in another folder, with a history of its own */
  if (s->history_fd < 0 || fstat(s->history_fd, &info) != 0)
    return IG_FAIL(s->cx, IG_IO, "cannot open '%s/" IG_HISTORY "': %s", s->folder.path,
                   strerror(errno));
  if (info.st_size < bytes)
    return IG_FAIL(s->cx, IG_INPUT,
                   "'%s/" IG_HISTORY
                   "' is shorter than when the checkpoint was written: restart in an "
                   "empty folder",
                   s->folder.path);
  if (ftruncate(s->history_fd, bytes) != 0)
    return IG_FAIL(s->cx, IG_IO, "cannot shorten '%s/" IG_HISTORY "': %s", s->folder.path,
                   strerror(errno));
  s->history_bytes = bytes;
  return IG_OK;
}

/* Continues from a checkpoint: everything after it is removed. */
static ig_status restart(files *s, const ig_restart *from) {
  const void *run, *bytes, *times;
  int64_t count;
  IG_TRY(ig_restart_find(s->cx, from, OWN_RUN, IG_I64, 1, &run));
  IG_TRY(ig_restart_find(s->cx, from, OWN_HISTORY, IG_I64, 1, &bytes));
  IG_TRY(ig_restart_find_any(s->cx, from, OWN_TIMES, IG_F64, &count, &times));
  if (*(const int64_t *)bytes < 0)
    return IG_FAIL(s->cx, IG_INPUT, "the checkpoint's history length is negative");
  IG_TRY(ig_result_folder_retake(s->cx, &s->folder, (uint64_t) * (const int64_t *)run));
  IG_TRY(case_keep(s));
  for (int64_t i = 0; i < count; i++)
    IG_TRY(add_time(s->cx, s, ((const double *)times)[i]));
  if (count) {
    IG_TRY(write_series(s->cx, s)); /* before the files it no longer names go */
  } else {
    IG_TRY(ig_result_folder_remove(s->cx, &s->folder, IG_SERIES));
    IG_TRY(ig_result_folder_remove(s->cx, &s->folder, IG_SERIES_TOO));
  }
  IG_TRY(ig_result_folder_cut(s->cx, &s->folder, s->snapshots));
  return history_continue(s, *(const int64_t *)bytes);
}

bool ig_sink_begun(const ig_sink *sink) {
  return ((const files *)sink->self)->folder.ours;
}

bool ig_sink_former(const ig_sink *sink) {
  const ig_result_folder *folder = &((const files *)sink->self)->folder;
  return !folder->ours && folder->run != 0;
}

/* Signals are blocked in the writer, so that they are delivered to the program's own threads. */
static ig_status writer_start(files *s) {
  /* signals are for the caller's threads */
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  const int error = pthread_create(&s->thread, NULL, writer, s);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  s->running = error == 0;
  return error ? IG_FAIL(s->cx, IG_MEMORY, "cannot start the writer: %s", strerror(error)) : IG_OK;
}

/* On a CPU backend the threads are busy with the run, so compression uses one; with a GPU the
   host's threads are free. */
ig_status ig_sink_open(ig_ctx *cx, const char *folder, const ig_sink_options *options,
                       ig_sink **out) {
  files *s;
  *out = NULL;
  IG_TRY(IG_NEW(cx, &s, 1, "output"));
  s->sink = (ig_sink){.self = s,
                      .snapshot = files_snapshot,
                      .history = files_history,
                      .checkpoint = files_checkpoint,
                      .result = files_result,
                      .result_text = files_result_text,
                      .file = files_file,
                      .flush = files_flush,
                      .snapshot_rows = files_snapshot_rows,
                      .checkpoint_rows = files_checkpoint_rows};
  s->cx = cx;
  s->options = *options;
  s->history_fd = -1;
  s->begun = s->flushed = ig_now();
  s->lasting = options->restart != NULL;
  s->process = getpid();
  /* the CPU's own threads are busy with the run; a GPU's host has them to spare */
  s->compressor.level = options->compression;
  s->compressor.threads = cx->backend->kernels == IG_KERNELS_CUDA ? cx->threads : 1;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  ig_status status = ig_result_folder_open(cx, folder, options->force, &s->folder);
  if (status == IG_OK && options->restart)
    status = restart(s, options->restart);
  s->options.restart = NULL; /* the caller's, and of no more use */
  if (status == IG_OK)
    status = writer_start(s);
  if (status == IG_OK)
    *out = &s->sink;
  else
    ig_sink_close(&s->sink);
  return status;
}

/* Rows and jobs that are left are still written; errors are not reported here. Waits for the
   writer. In a forked child nothing is written or removed: the folder is the parent's. */
void ig_sink_close(ig_sink *sink) {
  if (!sink)
    return;
  files *s = sink->self;
  const bool forked = is_forked(s);
  s->folder.made &= !forked;
  /* What is still in memory of the history goes first; the writer then finishes all jobs. */
  if (s->running && !forked) {
    (void)!history_write(s);
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    ig_ctx own = {.threads = 1}; /* nobody reads its message */
    (void)!ig_result_folder_flush(&own, &s->folder, flush_worth(s));
  }
  if (s->history_fd >= 0)
    close(s->history_fd);
  ig_result_folder_close(&s->folder);
  if (!forked) { /* the writer may have locked them when the process was forked */
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
  }
  ig_compress_clear(&s->compressor);
  for (int i = 0; i < s->results; i++) {
    free(s->result[i].key);
    free(s->result[i].text);
  }
  free(s->result);
  free(s->rows.at);
  free(s->snapshot_time);
  free(s);
}
