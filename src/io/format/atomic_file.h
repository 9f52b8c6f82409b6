/* Whole files: read at once; and written so that they are whole or not there, beside as NAME.part,
   flushed to the disk, renamed. */
#ifndef IG_IO_FORMAT_ATOMIC_FILE_H
#define IG_IO_FORMAT_ATOMIC_FILE_H

#include "core/ctx.h"

#include <stdio.h>

#define IG_PART ".part"

/* `cx` takes the message of a failure and nothing else, so that a thread can bring its own. */
IG_MUST_CHECK ig_status ig_store(ig_ctx *cx, const char *path, const void *bytes, size_t size);
/* A new file NAME.part to write into, -1 with errno set. What lies there of a killed run goes; a
   link that leads elsewhere is never written through. */
int ig_partition_create(const char *part);
/* All of it is written: flushed to the disk, closed, renamed to `path`; removed if that fails. */
IG_MUST_CHECK ig_status ig_partition_finish(ig_ctx *cx, int fd, const char *part, const char *path);
/* Writes all of it to an open file; `path` for the message. */
IG_MUST_CHECK ig_status ig_write_all(ig_ctx *cx, int fd, const char *path, const void *bytes,
                                     size_t size);
/* Opens a file that the user named, to read. Folders, pipes, sockets and devices are refused before
   they are opened: a pipe would wait for a writer, a device may never end. Every reader of input
   comes through here. */
IG_MUST_CHECK ig_status ig_file_open(ig_ctx *cx, const char *path, FILE **file);
/* The check alone, for libraries that open files by their names. */
IG_MUST_CHECK ig_status ig_file_regular(ig_ctx *cx, const char *path);
/* All of a file, with a NUL behind it; free *text. Of one with more than `most` bytes (0:
   no limit) at least one byte more than that. */
IG_MUST_CHECK ig_status ig_file_read(ig_ctx *cx, const char *path, size_t most, char **text,
                                     size_t *size);
/* Makes a folder and those above it; fine if it is there. */
IG_MUST_CHECK ig_status ig_folder_make(ig_ctx *cx, const char *path);
/* Whether a name ends in, say, ".vti", in letters of any case, and has something before it. */
bool ig_path_ends(const char *path, const char *ending);
/* What stands behind the last slash. */
const char *ig_base_name(const char *path);
/* "folder/name", free with free(); NULL if memory ran out. */
char *ig_path_join(const char *folder, const char *name);

/* How a file that we have sealed begins (io/format/h5.h). */
#define IG_SEAL_MAGIC "Ingot sealed HDF5 1\n"

#endif
