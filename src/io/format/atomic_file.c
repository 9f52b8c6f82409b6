/* Reading and writing whole files. A file is written under the name NAME.part, flushed and renamed:
   rename is atomic in POSIX file systems, so a reader sees the old file or the complete new one,
   also after a crash or a full disk. Without the flush (ig_store_soon) this still holds where the
   process is killed; where the machine stops, the new file may be empty until ig_files_flush. */
#define _GNU_SOURCE /* sync_file_range */
#include "io/format/atomic_file.h"
#include "core/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool ig_path_ends(const char *path, const char *ending) {
  const size_t a = strlen(path), b = strlen(ending);
  return a > b && strcasecmp(path + a - b, ending) == 0;
}

const char *ig_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* NULL for want of memory; free it. A folder that ends in a slash gives a double one, which is
   harmless. */
char *ig_path_join(const char *folder, const char *name) {
  const size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s/%s", folder, name);
  return path;
}

/* Error of a system call with its reason; IG_IO (exit code 1), because the user's input is not at
   fault. */
static ig_status cannot(ig_ctx *cx, const char *what, const char *path, int error) {
  return IG_FAIL(cx, IG_IO, "cannot %s '%s': %s", what, path, strerror(error));
}

/* Only regular files are read. */
static ig_status kind_check(ig_ctx *cx, const char *path, mode_t mode) {
  if (S_ISREG(mode))
    return IG_OK;
  return IG_FAIL(cx, IG_INPUT, "'%s' is not a file: it is a %s", path,
                 S_ISDIR(mode)    ? "folder"
                 : S_ISFIFO(mode) ? "pipe"
                 : S_ISSOCK(mode) ? "socket"
                                  : "device");
}

/* A pipe or device could block a reader, or never end. */
ig_status ig_file_regular(ig_ctx *cx, const char *path) {
  struct stat info;
  if (stat(path, &info) != 0)
    return IG_FAIL(cx, IG_INPUT, "cannot open '%s': %s", path, strerror(errno));
  return kind_check(cx, path, info.st_mode);
}

/* The kind is checked before opening, because opening a pipe waits for a writer; and again on the
   open descriptor, because the name may lead to another file by then. O_NONBLOCK and O_NOCTTY are a
   second guard for that short interval. */
ig_status ig_file_open(ig_ctx *cx, const char *path, FILE **file) {
  struct stat info;
  *file = NULL;
  IG_TRY(ig_file_regular(cx, path));
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info) != 0) {
    const int error = errno;
    if (fd >= 0)
      close(fd);
    return IG_FAIL(cx, IG_INPUT, "cannot open '%s': %s", path, strerror(error));
  }
  const ig_status status = kind_check(cx, path, info.st_mode); /* it may be another by now */
  *file = status == IG_OK ? fdopen(fd, "rb") : NULL;
  if (!*file)
    close(fd);
  return status == IG_OK && !*file ? IG_FAIL(cx, IG_MEMORY, "no memory to read '%s'", path)
                                   : status;
}

/* The buffer grows while reading instead of trusting the size from stat: another program may be
   writing the file, and files in /proc report size 0. A 0 byte is added behind the content. The
   size on disk is not trusted: a file may grow or shrink while it is read, and those of /proc claim
   to be empty. */
ig_status ig_file_read(ig_ctx *cx, const char *path, size_t most, char **text, size_t *size) {
  size_t length = 0, capacity = 0;
  char *bytes = NULL;
  *text = NULL;
  *size = 0;
  FILE *f;
  IG_TRY(ig_file_open(cx, path, &f));
  ig_status status = IG_OK;
  for (size_t got = 1; got && (most == 0 || length <= most); length += got) {
    if (length + 1 >= capacity) { /* grown as it is read: others may write it */
      capacity = capacity ? 4 * capacity : 1 << 16;
      char *more = realloc(bytes, capacity);
      if (!more) {
        status = IG_FAIL(cx, IG_MEMORY, "no memory to read '%s'", path);
        break;
      }
      bytes = more;
    }
    got = fread(bytes + length, 1, capacity - 1 - length, f);
  }
  /* A short read at the end of a file is no error; ferror tells the two apart. */
  if (status == IG_OK && ferror(f))
    status = IG_FAIL(cx, IG_INPUT, "cannot read '%s': %s", path, strerror(errno));
  fclose(f);
  if (status != IG_OK) {
    free(bytes);
    return status;
  }
  /* The zero behind the text makes it a string for all readers; it does not count in *size. */
  bytes[length] = '\0';
  ig_input_note(cx, path);
  *text = bytes;
  *size = length;
  return IG_OK;
}

/* write may be interrupted by a signal or write less than asked; both are repeated. A return of 0
   would repeat forever and counts as a full disk. */
ig_status ig_write_all(ig_ctx *cx, int fd, const char *path, const void *bytes, size_t size) {
  const char *p = bytes;
  while (size) {
    const size_t most = (size_t)1 << 30; /* Linux writes no more than 2 GB at once */
    const ssize_t n = write(fd, p, size < most ? size : most);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return cannot(cx, "write", path, n < 0 ? errno : ENOSPC);
    p += n;
    size -= (size_t)n;
  }
  return IG_OK;
}

/* Flushes an open folder. Some file systems cannot and say EINVAL: nothing is lost but certainty.
   Returns errno. */
static int folder_flush(int fd) {
  return fsync(fd) != 0 && errno != EINVAL ? errno : 0;
}

/* Flushes the folder of `path`: a rename is durable only when the directory entry is on the
   disk. */
static ig_status folder_sync(ig_ctx *cx, const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  if (!folder)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int error = fd < 0 ? errno : folder_flush(fd);
  if (fd >= 0)
    close(fd);
  const ig_status status = error ? cannot(cx, "flush folder", folder, error) : IG_OK;
  free(folder);
  return status;
}

/* O_EXCL and O_NOFOLLOW: a link placed under this name is never written through. A leftover of a
   killed run is removed and the file created anew. */
int ig_partition_create(const char *part) {
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int fd = open(part, flags, 0666);
  return fd < 0 && errno == EEXIST && unlink(part) == 0 ? open(part, flags, 0666) : fd;
}

/* fsync before rename: otherwise a crash of the machine could leave the new name with empty content
   (delayed allocation of ext4 and XFS). */
ig_status ig_partition_finish(ig_ctx *cx, int fd, const char *part, const char *path, bool flush) {
  ig_status status = IG_OK;
  if (flush && fsync(fd) != 0)
    status = cannot(cx, "write", path, errno);
  if (close(fd) != 0 && status == IG_OK)
    status = cannot(cx, "write", path, errno);
  if (status == IG_OK && rename(part, path) != 0)
    status = cannot(cx, "create", path, errno);
  if (status == IG_OK)
    return flush ? folder_sync(cx, path) : IG_OK;
  unlink(part);
  return status;
}

/* NAME.part is in the folder of NAME, because rename works only within one file system. A reader
   sees the former file or the new one, never a part: rename(2) replaces the name in one step. */
static ig_status store(ig_ctx *cx, const char *path, const void *bytes, size_t size, bool flush) {
  const size_t length = strlen(path) + sizeof IG_PART;
  char *part = malloc(length);
  if (!part)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  snprintf(part, length, "%s" IG_PART, path);
  ig_status status = IG_OK;
  const int fd = ig_partition_create(part);
  if (fd < 0) {
    status = cannot(cx, "create", path, errno);
    goto done;
  }
  status = ig_write_all(cx, fd, path, bytes, size);
  if (status == IG_OK) {
    status = ig_partition_finish(cx, fd, part, path, flush);
  } else {
    close(fd);
    unlink(part);
  }
done:
  free(part);
  return status;
}

ig_status ig_store(ig_ctx *cx, const char *path, const void *bytes, size_t size) {
  return store(cx, path, bytes, size, true);
}

ig_status ig_store_soon(ig_ctx *cx, const char *path, const void *bytes, size_t size) {
  return store(cx, path, bytes, size, false);
}

/* A file that is gone by now needs no flush. */
enum { GONE = -2 };
static int flush_open(int folder, const char *name) {
  const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  return fd < 0 && (errno == ENOENT || errno == ELOOP) ? GONE : fd;
}

/* Files whose writing has begun are allocated: where the machine stops, a journal that puts data
   before names (ext4) has them whole or not at all. Systems without the call wait always. */
#ifdef SYNC_FILE_RANGE_WRITE
static const bool can_begin = true;
static void flush_begin(int fd) {
  (void)!sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* fsync reports what fails */
}
#else
static const bool can_begin = false;
static void flush_begin(int fd) {
  (void)fd;
}
#endif

/* All files are handed to the disk before the first is waited for: the journal of the file system
   then has them in one piece, and the waits after the first are short. */
ig_status ig_files_flush(ig_ctx *cx, int folder, const char *path, const char *names, bool wait) {
  ig_status status = IG_OK;
  char name[256];
  wait = wait || !can_begin;
  for (int pass = 0; pass < (wait ? 2 : 1); pass++)
    for (const char *at = names; *at && status == IG_OK; at += strcspn(at, "\n") + 1) {
      snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\n"), at);
      const int fd = flush_open(folder, name);
      if (fd == GONE)
        continue;
      if (fd >= 0 && pass == 0)
        flush_begin(fd);
      if (fd < 0 || (pass == 1 && fsync(fd) != 0))
        status = IG_FAIL(cx, IG_IO, "cannot write '%s/%s': %s", path, name, strerror(errno));
      if (fd >= 0)
        close(fd);
    }
  const int error = status == IG_OK && wait ? folder_flush(folder) : 0;
  return error ? cannot(cx, "flush folder", path, error) : status;
}

ig_status ig_store_text(ig_ctx *cx, const char *folder, const char *name, const ig_text *text) {
  char *path = ig_path_join(folder, name);
  const ig_status status = !path || text->failed
                               ? IG_FAIL(cx, IG_MEMORY, "no memory for '%s'", name)
                               : ig_store(cx, path, text->at, text->length);
  free(path);
  return status;
}

/* Like mkdir -p. An error of mkdir counts only if the folder does not exist afterwards: another
   process may have made it. Like mkdir -p: each part in turn. Another process may make the same
   folder meanwhile, which is no failure. */
ig_status ig_folder_make(ig_ctx *cx, const char *path) {
  char *p = strdup(path);
  if (!p)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  ig_status status = IG_OK;
  for (char *end = p; *end && status == IG_OK;) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    const char kept = *end;
    *end = '\0';
    struct stat info;
    if (mkdir(p, 0777) != 0) {
      const int error = errno;
      if (stat(p, &info) != 0)
        status = cannot(cx, "make folder", p, error);
      else if (!S_ISDIR(info.st_mode))
        status = IG_FAIL(cx, IG_INPUT,
                         "cannot make folder '%s': '%s' is a file: choose another name", path, p);
    }
    *end = kept;
  }
  free(p);
  return status;
}
