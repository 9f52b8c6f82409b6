/* A result folder as one run owns it: locked while the run lasts, marked with the run's number,
   cleared of what a former run left. It knows the names of a run's files; io/result/sink.h says
   what is in them. The mark is a file of lines, "run NUMBER" and one "file NAME" for each file that
   a room added, so that the next run can tell results from what is somebody's. */
#ifndef IG_IO_RESULT_RESULT_FOLDER_H
#define IG_IO_RESULT_RESULT_FOLDER_H

#include "io/format/json.h"

#define IG_SERIES "snap.vtkhdf.series"
#define IG_SERIES_TOO "snap.hdf.series" /* the same: ParaView knows .vtkhdf only since 5.12 */
#define IG_HISTORY "history.csv"
#define IG_CHECKPOINT "checkpoint.h5"
#define IG_SUMMARY "summary.json"
#define IG_CASE "case.yaml"     /* noted like a room's files: the user may have one, too */
#define IG_REPORT "report.html" /* not a run's, but of this run: the next one removes it */
#define IG_JOINED "run.vtkhdf"  /* all snapshots in one, likewise */
enum { IG_FILE_NAME = 64 };
void ig_snapshot_name(int64_t index, char name[IG_FILE_NAME]);

typedef struct {
  char *path;
  int fd;          /* locked */
  uint64_t run;    /* tells one run from another; of the former run until it is taken */
  bool made, ours; /* it is new; it is this run's, so that files may be written */
  ig_text files;   /* those a room added, as lines of the mark */
} ig_result_folder;

/* `cx` takes the message of a failure and nothing else, so that a thread can bring its own. */

/* Makes the folder if need be and locks it. Fails if another process has it, or if it holds
   anything that is no result of ours; without a mark, files with the names of ours count as such
   only if their content says so, or by `force`. What a former run left stays. Close it after a
   failure too. */
IG_MUST_CHECK ig_status ig_result_folder_open(ig_ctx *cx, const char *path, bool force,
                                              ig_result_folder *f);
/* Whether the content of a file says that Ingot wrote it: a summary.json or checkpoint.h5. */
bool ig_result_file_ours(const char *path);
/* Unlocks it; removes one that was made for nothing. */
void ig_result_folder_close(ig_result_folder *f);

/* Makes it a fresh run's: a number of its own, and what the former run left goes. */
IG_MUST_CHECK ig_status ig_result_folder_take(ig_ctx *cx, ig_result_folder *f);
/* Makes it run `run`'s, going on; fails if it holds another run. */
IG_MUST_CHECK ig_status ig_result_folder_retake(ig_ctx *cx, ig_result_folder *f, uint64_t run);
/* Of a run that goes on: removes what is half written or came after its first `snapshots`. */
IG_MUST_CHECK ig_status ig_result_folder_cut(ig_ctx *cx, ig_result_folder *f, int64_t snapshots);

/* Whether a room may add a file of this name; and the note of it, before the file appears. */
bool ig_result_folder_allows(const char *name);
IG_MUST_CHECK ig_status ig_result_folder_note(ig_ctx *cx, ig_result_folder *f, const char *name);

/* Keeps the case as it was run, begun by IG_CASE_HEAD; *kept false: there is a file of that name
   that is not ours. */
IG_MUST_CHECK ig_status ig_result_folder_case(ig_ctx *cx, ig_result_folder *f, const char *text,
                                              bool *kept);

/* "folder/name", free with free(). */
IG_MUST_CHECK ig_status ig_result_folder_file(ig_ctx *cx, const ig_result_folder *f,
                                              const char *name, char **path);
IG_MUST_CHECK ig_status ig_result_folder_store(ig_ctx *cx, const ig_result_folder *f,
                                               const char *name, const ig_text *text);
IG_MUST_CHECK ig_status ig_result_folder_remove(ig_ctx *cx, const ig_result_folder *f,
                                                const char *name); /* fine if it is not there */

#endif
