/* Whole files: read at once; written so that a file is complete or absent (as NAME.part, flushed to
   the disk, renamed). */
#ifndef IG_IO_FORMAT_ATOMIC_FILE_H
#define IG_IO_FORMAT_ATOMIC_FILE_H

#include "core/ctx.h"
#include "io/format/json.h"

#include <stdio.h>

/* Suffix of files that are being written; such files may be deleted when no run is active. */
#define IG_PART ".part"

/* Writes `size` bytes as file `path`, atomically. `cx` only receives the error message, so a thread
   may pass a context of its own. */
IG_MUST_CHECK ig_status ig_store(ig_ctx *cx, const char *path, const void *bytes, size_t size);
/* The same without waiting for the disk: whole or absent also where the process is killed, but not
   where the machine stops before ig_files_flush. */
IG_MUST_CHECK ig_status ig_store_soon(ig_ctx *cx, const char *path, const void *bytes, size_t size);
/* Flushes files of an open folder (names that each end in \n) and the folder itself, or, without
   `wait`, has the system begin to write them. `path` is for messages. */
IG_MUST_CHECK ig_status ig_files_flush(ig_ctx *cx, int folder, const char *path, const char *names,
                                       bool wait);
/* A text that was added up, as file `name` of a folder; fails where memory had run out. */
IG_MUST_CHECK ig_status ig_store_text(ig_ctx *cx, const char *folder, const char *name,
                                      const ig_text *text);
/* Creates NAME.part for writing; returns the descriptor, or -1 with errno set. A leftover of a
   killed run is replaced; a symbolic link is never followed. */
int ig_partition_create(const char *part);
/* After everything is written: flushes (if asked to), closes and renames to `path`. On failure the
   file is removed. `fd` is closed in any case. */
IG_MUST_CHECK ig_status ig_partition_finish(ig_ctx *cx, int fd, const char *part, const char *path,
                                            bool flush);
/* Writes all bytes to an open file; `path` is for the message. */
IG_MUST_CHECK ig_status ig_write_all(ig_ctx *cx, int fd, const char *path, const void *bytes,
                                     size_t size);
/* Opens a file named by the user for reading. Folders, pipes, sockets and devices are refused
   before they are opened: a pipe would wait for a writer, a device may never end. Every reader of
   input goes through here. */
IG_MUST_CHECK ig_status ig_file_open(ig_ctx *cx, const char *path, FILE **file);
/* The check alone, for libraries that open files by name (HDF5, Gmsh). */
IG_MUST_CHECK ig_status ig_file_regular(ig_ctx *cx, const char *path);
/* Reads a whole file and adds a 0 byte; the caller frees *text. most: limit in bytes (0: none); of
   a longer file at least one byte more than that is read, so that the caller can tell. */
IG_MUST_CHECK ig_status ig_file_read(ig_ctx *cx, const char *path, size_t most, char **text,
                                     size_t *size);
/* Makes a folder and its parents; IG_OK if it exists. */
IG_MUST_CHECK ig_status ig_folder_make(ig_ctx *cx, const char *path);
/* Whether a name ends in `ending` (".vti"), in any case of letters, and has something before it. */
bool ig_path_ends(const char *path, const char *ending);
/* The part behind the last slash; points into `path`. */
const char *ig_base_name(const char *path);
/* "folder/name", freed with free(); NULL if memory is exhausted. */
char *ig_path_join(const char *folder, const char *name);

/* First bytes of a file sealed by ig_h5_save (io/format/h5.h). */
#define IG_SEAL_MAGIC "Ingot sealed HDF5 1\n"

#endif
