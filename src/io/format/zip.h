/* Files out of a zip, and zlib streams of a known size. */
#ifndef IG_IO_FORMAT_ZIP_H
#define IG_IO_FORMAT_ZIP_H

#include "core/ctx.h"

/* `bytes`: the archive, whose name in messages is `path`. Names of files in it are compared without
   regard to case. */

/* Whether there is a file of that name in one piece. */
bool ig_zip_has(const char *bytes, size_t size, const char *name);
/* A file, whole or in pieces; free *text, a 0 stands behind it. */
IG_MUST_CHECK ig_status ig_zip_file(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                                    const char *name, char **text, size_t *length);
/* The name of the first file whose name ends so. Fails where there is none, or no archive. */
IG_MUST_CHECK ig_status ig_zip_ending(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                                      const char *ending, char *name, size_t name_size);
/* Unpacks a whole stream of zlib or gzip (raw: without a header) into exactly `size` bytes; false
   if it does not hold that many. */
bool ig_decompress(const void *from, size_t compressed, void *to, size_t size, bool raw);

#endif
