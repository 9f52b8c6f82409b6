/* A result folder as one run owns it: locked while the run lasts, marked with the run's number,
   cleared of what a former run left. It knows the names of a run's files; io/result/sink.h says
   what is in them. The mark is a text file, "run NUMBER" and one line "file NAME" for each file
   that a room added, so that the next run can tell results from the user's files. */
#ifndef IG_IO_RESULT_RESULT_FOLDER_H
#define IG_IO_RESULT_RESULT_FOLDER_H

#include "io/format/json.h"

#define IG_SERIES "snap.vtkhdf.series"
#define IG_SERIES_TOO "snap.hdf.series" /* the same: ParaView knows .vtkhdf only since 5.12 */
#define IG_HISTORY "history.csv"
#define IG_CHECKPOINT "checkpoint.h5"
#define IG_SUMMARY "summary.json"
#define IG_LOADS "loads.csv"    /* loads and supports as they are applied (model/loads.h) */
#define IG_CASE "case.yaml"     /* noted like a room's files: the user may have one, too */
#define IG_REPORT "report.html" /* not a run's, but of this run: the next one removes it */
#define IG_JOINED "run.vtkhdf"  /* all snapshots in one, likewise */
/* A folder in it, of `ingot finish`, and how the summary there begins: the next run removes it. */
#define IG_FINISHED "finished"
#define IG_FINISHED_HEAD "{\n  \"finished\": "
/* Bytes of a file name in a result, with the final 0. */
enum { IG_FILE_NAME = 64 };
void ig_snapshot_name(int64_t index, char name[IG_FILE_NAME]);

/* A folder that is open for writing. */
typedef struct {
  char *path;
  int fd;          /* locked */
  uint64_t run;    /* tells one run from another; of the former run until it is taken */
  bool made, ours; /* it is new; it is this run's, so that files may be written */
  ig_text files;   /* those a room added, as lines of the mark */
  ig_text soon;    /* names of those that ig_result_folder_flush brings to the disk, a line each */
} ig_result_folder;

/* `cx` only receives the error message, so a thread may pass a context of its own. */

/* Makes the folder if necessary and locks it. Fails if another process has it, or if it contains
   anything that is not a result of Ingot; without a mark, files with our names count as such only
   if their content says so, or with `force`. Files of a former run stay for now. Close it after a
   failure too. */
IG_MUST_CHECK ig_status ig_result_folder_open(ig_ctx *cx, const char *path, bool force,
                                              ig_result_folder *f);
/* Whether the content of a file shows that Ingot wrote it (summary.json, checkpoint.h5). */
bool ig_result_file_ours(const char *path);
/* Unlocks; removes a folder that was made and not used. */
void ig_result_folder_close(ig_result_folder *f);

/* Makes it the folder of a new run: a new number, and the former run's files are removed. */
IG_MUST_CHECK ig_status ig_result_folder_take(ig_ctx *cx, ig_result_folder *f);
/* Makes it the folder of run `run`, continued; fails if it has another run. */
IG_MUST_CHECK ig_status ig_result_folder_retake(ig_ctx *cx, ig_result_folder *f, uint64_t run);
/* For a continued run: removes partial files and everything after its first `snapshots`
   snapshots. */
IG_MUST_CHECK ig_status ig_result_folder_cut(ig_ctx *cx, ig_result_folder *f, int64_t snapshots);

/* Whether a room may add a file of this name; and noting it in the mark, before the file
   appears. */
bool ig_result_folder_allows(const char *name);
IG_MUST_CHECK ig_status ig_result_folder_note(ig_ctx *cx, ig_result_folder *f, const char *name);

/* Stores the case as it was run, starting with IG_CASE_HEAD. *kept false: there is a file of that
   name that is not ours, and it stays. */
IG_MUST_CHECK ig_status ig_result_folder_case(ig_ctx *cx, ig_result_folder *f, const char *text,
                                              bool *kept);

/* "folder/name", freed with free(). */
IG_MUST_CHECK ig_status ig_result_folder_file(ig_ctx *cx, const ig_result_folder *f,
                                              const char *name, char **path);
/* Stores a file without waiting for the disk. */
IG_MUST_CHECK ig_status ig_result_folder_store(ig_ctx *cx, ig_result_folder *f, const char *name,
                                               const ig_text *text);
/* Says that a file was stored without waiting for the disk; the next flush includes it. */
void ig_result_folder_soon(ig_result_folder *f, const char *name);
/* Brings all that was stored so far to the disk, or, without `wait`, has the system begin to. */
IG_MUST_CHECK ig_status ig_result_folder_flush(ig_ctx *cx, ig_result_folder *f, bool wait);
IG_MUST_CHECK ig_status ig_result_folder_remove(ig_ctx *cx, const ig_result_folder *f,
                                                const char *name); /* fine if it is not there */

#endif
