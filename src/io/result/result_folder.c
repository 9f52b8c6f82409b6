/* Ownership of a result folder: lock, mark, and removal of a former run's files. A run must never
   delete a file that is not its own, so every file that is removed is either on the list of fixed
   names in a folder with a mark, or noted in the mark. */
#include "io/result/result_folder.h"
#include "core/output.h"
#include "io/format/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

/* The mark: a hidden file whose content is described in result_folder.h. */
#define MARK ".ingot"
#define MARK_FORMAT "ingot result\nrun %016" PRIx64 "\n"

/* --- names */

void ig_snapshot_name(int64_t index, char name[IG_FILE_NAME]) {
  snprintf(name, IG_FILE_NAME, "snap_%06" PRId64 ".vtkhdf", index);
}

/* The number of a snapshot by its name; false: another file. */
static bool snapshot_index(const char *name, int64_t *index) {
  int end = 0;
  return sscanf(name, "snap_%" SCNd64 ".vtkhdf%n", index, &end) == 1 && end && !name[end] &&
         *index >= 0;
}

/* Strips ".part" from the name of a file that is being written; returns whether it was there. */
static bool part_strip(const char *name, char whole[IG_FILE_NAME]) {
  const size_t length = strlen(name), part = strlen(IG_PART);
  const bool is_part = length > part && strcmp(name + length - part, IG_PART) == 0;
  const size_t kept = is_part ? length - part : length;
  whole[0] = '\0'; /* too long to be a name of ours */
  if (kept < IG_FILE_NAME)
    snprintf(whole, IG_FILE_NAME, "%.*s", (int)kept, name);
  return is_part;
}

/* Names that a run writes by itself, with what a killed run leaves of them. */
static bool own_name(const char *name) {
  int64_t index;
  char whole[IG_FILE_NAME];
  part_strip(name, whole);
  return strcmp(whole, IG_SERIES) == 0 || strcmp(whole, IG_SERIES_TOO) == 0 ||
         strcmp(whole, IG_HISTORY) == 0 || strcmp(whole, IG_CHECKPOINT) == 0 ||
         strcmp(whole, IG_SUMMARY) == 0 || strcmp(whole, IG_REPORT) == 0 ||
         strcmp(whole, IG_JOINED) == 0 || strcmp(whole, MARK) == 0 || snapshot_index(whole, &index);
}

bool ig_result_folder_allows(const char *name) {
  return name[0] && name[0] != '.' && !strpbrk(name, "/\n") && strlen(name) < IG_FILE_NAME &&
         !own_name(name);
}

/* --- the mark */

/* The mark lists the files of a run, so that a later one can remove its own and leaves all
   others. */
static ig_status mark_write(ig_ctx *cx, ig_result_folder *f) {
  char head[64];
  snprintf(head, sizeof head, MARK_FORMAT, f->run);
  ig_text text = {0};
  ig_text_add(&text, head);
  ig_text_add_bytes(&text, f->files.at, f->files.length);
  const ig_status status = ig_result_folder_store(cx, f, MARK, &text);
  free(text.at);
  return status;
}

/* A line of the mark. */
enum { LINE = IG_FILE_NAME + 8 };
static void line_of(const char *name, char line[LINE]) {
  snprintf(line, LINE, "file %.*s\n", IG_FILE_NAME - 1, name);
}

/* Whether a file is noted; lines end in \n, so that names cannot match partly (names with \n are
   not allowed). */
static bool noted(const ig_result_folder *f, const char *name) {
  char line[LINE];
  line_of(name, line);
  return f->files.length && strstr(f->files.at, line);
}

/* For want of memory the text is marked as failed, which the next store reports. */
static void note(ig_result_folder *f, const char *name) {
  char line[LINE];
  line_of(name, line);
  ig_text_add(&f->files, line);
}

/* The mark has the name before the file appears: a run that is killed never leaves a file that is
   not listed. One line at the end is one write; of a line that was cut off mark_read takes nothing.
 */
ig_status ig_result_folder_note(ig_ctx *cx, ig_result_folder *f, const char *name) {
  char line[LINE];
  if (noted(f, name))
    return IG_OK;
  note(f, name);
  line_of(name, line);
  const int fd = openat(f->fd, MARK, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return mark_write(cx, f);
  const ig_status status = ig_write_all(cx, fd, f->path, line, strlen(line));
  close(fd);
  ig_result_folder_soon(f, MARK);
  return status;
}

/* Reads the mark; the run's number stays 0 without one. Names in it are checked: a mark may have
   been edited. */
static void mark_read(ig_result_folder *f) {
  const int fd = openat(f->fd, MARK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
  if (!file) {
    if (fd >= 0)
      close(fd);
    return;
  }
  char line[IG_FILE_NAME + 16];
  while (fgets(line, sizeof line, file)) {
    (void)!sscanf(line, "run %16" SCNx64, &f->run);
    const size_t length = strcspn(line, "\n");
    if (strncmp(line, "file ", 5) == 0 && line[length] == '\n') {
      line[length] = '\0';
      if (ig_result_folder_allows(line + 5) && !noted(f, line + 5))
        note(f, line + 5);
    }
  }
  fclose(file);
}

/* --- content of the folder */

/* Calls `each` for every entry. The folder is opened anew, because a descriptor has one reading
   position. */
typedef ig_status each_entry(ig_ctx *cx, const ig_result_folder *f, const char *name,
                             int64_t snapshots);
/* Lists by descriptor, not by path: the folder may have been renamed. */
static ig_status walk(ig_ctx *cx, const ig_result_folder *f, each_entry *each, int64_t snapshots) {
  const int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
  if (!folder) {
    if (fd >= 0)
      close(fd);
    return IG_FAIL(cx, IG_IO, "cannot list '%s': %s", f->path, strerror(errno));
  }
  ig_status status = IG_OK;
  for (const struct dirent *d; status == IG_OK && (d = readdir(folder));)
    if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
      status = each(cx, f, d->d_name, snapshots);
  closedir(folder);
  return status;
}

/* First bytes of a file; links are not followed, and O_NONBLOCK keeps a pipe from blocking. */
static ssize_t head_read(int folder, const char *name, char head[64]) {
  memset(head, 0, 64);
  const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const ssize_t n = fd >= 0 ? read(fd, head, 63) : 0;
  if (fd >= 0)
    close(fd);
  return n;
}

/* By its first line, which this program writes. */
static bool case_ours(const ig_result_folder *f) {
  char head[64];
  head_read(f->fd, IG_CASE, head);
  return strncmp(head, IG_CASE_HEAD, strlen(IG_CASE_HEAD)) == 0;
}

/* A sealed HDF5 file, or a JSON file whose first key is "ingot". */
static bool file_ours(int folder, const char *name) {
  char head[64];
  const ssize_t n = head_read(folder, name, head);
  const char *key = n > 0 ? strstr(head, "\"ingot\":") : NULL;
  return strncmp(head, IG_SEAL_MAGIC, strlen(IG_SEAL_MAGIC)) == 0 || (key && key - head <= 8);
}

bool ig_result_file_ours(const char *path) {
  return file_ours(AT_FDCWD, path);
}

/* Without a mark (copying may leave hidden files behind) the content must show that Ingot wrote it:
   other programs also write a history.csv. */
static bool says_ours(const ig_result_folder *f) {
  return file_ours(f->fd, IG_CHECKPOINT) || file_ours(f->fd, IG_SUMMARY);
}

/* Checks one entry of a folder without a mark; ours: files with the names of a run are accepted. */
static ig_status refuse_strange(ig_ctx *cx, const ig_result_folder *f, const char *name,
                                int64_t ours) {
  char whole[IG_FILE_NAME];
  part_strip(name, whole);
  if (strcmp(whole, MARK) == 0 || (own_name(name) && ours) ||
      (strcmp(name, IG_CASE) == 0 && case_ours(f)))
    return IG_OK;
  if (own_name(name))
    return IG_FAIL(cx, IG_INPUT,
                   "'%s' holds '%s', and nothing says that Ingot wrote it: choose another folder "
                   "(--out), or replace it with --force",
                   f->path, name);
  return IG_FAIL(cx, IG_INPUT,
                 "'%s' holds '%s', which is no result of Ingot's: choose another folder or "
                 "empty this one",
                 f->path, name);
}

/* Files that belong to the run in the folder. */
static bool of_the_run(const ig_result_folder *f, const char *name) {
  char whole[IG_FILE_NAME];
  part_strip(name, whole);
  if (strcmp(name, IG_CASE) == 0)
    return case_ours(f);
  return own_name(name) || noted(f, whole);
}

static ig_status remove_former(ig_ctx *cx, const ig_result_folder *f, const char *name,
                               int64_t snapshots) {
  (void)snapshots;
  return of_the_run(f, name) && strcmp(name, MARK) != 0 ? ig_result_folder_remove(cx, f, name)
                                                        : IG_OK;
}

/* For a continued run: removes partial files, the summary, and snapshots later than the
   checkpoint. */
static ig_status remove_later(ig_ctx *cx, const ig_result_folder *f, const char *name,
                              int64_t snapshots) {
  int64_t index;
  char whole[IG_FILE_NAME];
  const bool later = snapshot_index(name, &index) && index >= snapshots;
  const bool part = part_strip(name, whole) && of_the_run(f, name);
  return later || part || strcmp(name, IG_SUMMARY) == 0 ? ig_result_folder_remove(cx, f, name)
                                                        : IG_OK;
}

/* --- taking possession */

/* The lock (flock) is released by the kernel when the process ends, however it ends. */
ig_status ig_result_folder_open(ig_ctx *cx, const char *path, bool force, ig_result_folder *f) {
  *f = (ig_result_folder){.fd = -1, .path = strdup(path)};
  if (!f->path)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  f->made = access(path, F_OK) != 0;
  IG_TRY(ig_folder_make(cx, path));
  f->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (f->fd < 0)
    return IG_FAIL(cx, IG_IO, "cannot open folder '%s': %s", path, strerror(errno));
  if (flock(f->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return IG_FAIL(cx, IG_IO, "another run is writing into '%s'", path);
  mark_read(f);
  return f->run ? IG_OK : walk(cx, f, refuse_strange, force || says_ours(f));
}

/* A folder that was created for nothing is removed again. */
void ig_result_folder_close(ig_result_folder *f) {
  if (f->fd >= 0)
    close(f->fd);
  if (f->made && !f->ours)
    (void)rmdir(f->path);
  free(f->path);
  free(f->files.at);
  free(f->soon.at);
}

/* What `ingot finish` found of a former run's part is not that of the next one. Only files that
   begin as its summary does show that the folder is its own; links are not followed. Errors are
   passed over: nothing of this run depends on it. */
static void finished_remove(const ig_result_folder *f) {
  static const char head[] = IG_FINISHED_HEAD;
  static const char *const names[] = {IG_SUMMARY, "part.inp", "part.msh", "part.step"};
  char found[sizeof head] = "";
  const int folder = openat(f->fd, IG_FINISHED, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  const int file = openat(folder, IG_SUMMARY, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const bool ours = file >= 0 && read(file, found, sizeof head - 1) == (ssize_t)(sizeof head - 1) &&
                    memcmp(found, head, sizeof head - 1) == 0;
  if (file >= 0)
    close(file);
  for (size_t i = 0; ours && i < sizeof names / sizeof *names; i++)
    (void)!unlinkat(folder, names[i], 0);
  close(folder);
  if (ours)
    (void)!unlinkat(f->fd, IG_FINISHED, AT_REMOVEDIR);
}

/* The mark comes first: from then on an interrupted clean-up can be resumed by the next run.
   The checkpoint and the index go before the rest, so that no reader meets an index of missing
   files. */
ig_status ig_result_folder_take(ig_ctx *cx, ig_result_folder *f) {
  f->run = 0;
  while (f->run == 0)
    if (getrandom(&f->run, sizeof f->run, 0) != sizeof f->run)
      return IG_FAIL(cx, IG_IO, "cannot draw a number for the run: %s", strerror(errno));
  if (!f->made) {              /* there may be a former run */
    IG_TRY(mark_write(cx, f)); /* from here on the folder is ours, whatever stops us */
    IG_TRY(ig_result_folder_remove(cx, f, IG_CHECKPOINT));
    IG_TRY(ig_result_folder_remove(cx, f, IG_SERIES));
    IG_TRY(ig_result_folder_remove(cx, f, IG_SERIES_TOO));
    IG_TRY(walk(cx, f, remove_former, 0));
    finished_remove(f);
    f->files.length = 0;
  }
  IG_TRY(mark_write(cx, f));
  f->ours = true;
  return IG_OK;
}

/* A continued run keeps its number; the number in the folder, if any, must be that of the
   checkpoint. */
ig_status ig_result_folder_retake(ig_ctx *cx, ig_result_folder *f, uint64_t run) {
  if (f->run && f->run != run)
    return IG_FAIL(cx, IG_INPUT,
                   "'%s' holds another run than the checkpoint's: restart in the checkpoint's "
                   "folder or in an empty one",
                   f->path);
  f->run = run;
  f->ours = true;
  return mark_write(cx, f);
}

ig_status ig_result_folder_cut(ig_ctx *cx, ig_result_folder *f, int64_t snapshots) {
  return walk(cx, f, remove_later, snapshots);
}

/* A case.yaml of the user is not overwritten. */
ig_status ig_result_folder_case(ig_ctx *cx, ig_result_folder *f, const char *text, bool *kept) {
  *kept = faccessat(f->fd, IG_CASE, F_OK, AT_SYMLINK_NOFOLLOW) != 0 || case_ours(f);
  if (!*kept)
    return IG_OK;
  IG_TRY(ig_result_folder_note(cx, f, IG_CASE));
  const ig_text whole = {.at = (char *)text, .length = strlen(text)};
  return ig_result_folder_store(cx, f, IG_CASE, &whole);
}

/* --- files */

ig_status ig_result_folder_file(ig_ctx *cx, const ig_result_folder *f, const char *name,
                                char **path) {
  *path = ig_path_join(f->path, name);
  return *path ? IG_OK : IG_FAIL(cx, IG_MEMORY, "no memory for a path");
}

/* A name that is there already is not added again. */
void ig_result_folder_soon(ig_result_folder *f, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = f->soon.length ? f->soon.at : ""; *at; at += strcspn(at, "\n") + 1)
    if (strncmp(at, name, length) == 0 && at[length] == '\n')
      return;
  ig_text_add(&f->soon, name);
  ig_text_add(&f->soon, "\n");
}

ig_status ig_result_folder_flush(ig_ctx *cx, ig_result_folder *f, bool wait) {
  if (f->soon.failed)
    return IG_FAIL(cx, IG_MEMORY, "no memory for the names of results");
  if (!f->soon.length)
    return IG_OK;
  IG_TRY(ig_files_flush(cx, f->fd, f->path, f->soon.at, wait));
  if (wait)
    f->soon.length = 0;
  return IG_OK;
}

ig_status ig_result_folder_store(ig_ctx *cx, ig_result_folder *f, const char *name,
                                 const ig_text *text) {
  char *path = NULL;
  ig_status status = text->failed ? IG_FAIL(cx, IG_MEMORY, "no memory for '%s'", name)
                                  : ig_result_folder_file(cx, f, name, &path);
  if (status == IG_OK)
    status = ig_store_soon(cx, path, text->at, text->length);
  if (status == IG_OK)
    ig_result_folder_soon(f, name);
  free(path);
  return status;
}

/* A file that is not there counts as removed. */
ig_status ig_result_folder_remove(ig_ctx *cx, const ig_result_folder *f, const char *name) {
  if (unlinkat(f->fd, name, 0) != 0 && errno != ENOENT)
    return IG_FAIL(cx, IG_IO, "cannot remove '%s/%s': %s", f->path, name, strerror(errno));
  return IG_OK;
}
