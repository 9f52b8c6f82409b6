/* An array with a host side and a device side: the same memory on `cpu`, two memories elsewhere.
   Nothing is copied unless push or pull says so. */
#ifndef IG_CORE_ARRAY_H
#define IG_CORE_ARRAY_H

#include "core/ctx.h"

IG_C_BEGIN

typedef struct ig_array {
  void *host, *dev;
  size_t count, size; /* items, bytes an item */
} ig_array;

/* Zeroed on the host side; the device side is undefined until pushed. */
IG_MUST_CHECK ig_status ig_array_new(ig_ctx *cx, ig_array *a, size_t count, size_t size,
                                     const char *what);
/* A device side only, for work space the host never sees. */
IG_MUST_CHECK ig_status ig_array_new_device(ig_ctx *cx, ig_array *a, size_t count, size_t size,
                                            const char *what);
/* A new array with the host side filled from `from`, and pushed. */
IG_MUST_CHECK ig_status ig_array_from(ig_ctx *cx, ig_array *a, const void *from, size_t count,
                                      size_t size, const char *what);
IG_MUST_CHECK ig_status ig_array_push(ig_ctx *cx, ig_array *a); /* host to device */
IG_MUST_CHECK ig_status ig_array_pull(ig_ctx *cx, ig_array *a); /* device to host */
/* The same of an array that has been on the device alone, which has a host side from then on. */
IG_MUST_CHECK ig_status ig_array_show(ig_ctx *cx, ig_array *a, const char *what);
IG_MUST_CHECK ig_status ig_array_zero(ig_ctx *cx, ig_array *a); /* device side */
/* More room, contents of both sides kept; new items are zero on the host, undefined on the device.
 */
IG_MUST_CHECK ig_status ig_array_grow(ig_ctx *cx, ig_array *a, size_t count);
/* An array for at least `count` items, for lists that change often: kept if it is large enough,
   else made anew with room for a quarter more; contents are lost. */
IG_MUST_CHECK ig_status ig_array_fit(ig_ctx *cx, ig_array *a, size_t count, size_t size, bool host,
                                     const char *what);
void ig_array_free(ig_ctx *cx, ig_array *a); /* and clears it; fine on a zeroed one */

IG_C_END
#endif
