/* One file out of a zip archive, and decompression of streams of known size. */
#ifndef IG_IO_FORMAT_ZIP_H
#define IG_IO_FORMAT_ZIP_H

#include "core/ctx.h"

/* The content of the first file whose name ends in `ending`, followed by a 0 byte; the caller frees
 *text. */
IG_MUST_CHECK ig_status ig_zip_find(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                                    const char *ending, char **text, size_t *length);
/* Decompresses a zlib or gzip stream (raw: without header) into exactly `size` bytes; false if it
   has another length or is damaged. */
bool ig_decompress(const void *from, size_t compressed, void *to, size_t size, bool raw);

#endif
