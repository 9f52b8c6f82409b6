/* One file out of a zip, and zlib streams of a known size. */
#ifndef IG_IO_FORMAT_ZIP_H
#define IG_IO_FORMAT_ZIP_H

#include "core/ctx.h"

/* The first file whose name ends so; free *text, a 0 stands behind it. */
IG_MUST_CHECK ig_status ig_zip_find(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                                    const char *ending, char **text, size_t *length);
/* Unpacks a whole stream of zlib or gzip (raw: without a header) into exactly `size` bytes; false
   if it does not hold that many. */
bool ig_decompress(const void *from, size_t compressed, void *to, size_t size, bool raw);

#endif
