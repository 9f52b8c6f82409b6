/* Host and device pairs (array.h). With a backend that has no memory of its own (`cpu`), host
   and dev are one pointer, owned by the backend; push and pull then copy nothing, and pull only
   waits for what was launched. ig_array_free tells the two cases apart by comparing the
   pointers. */
#include "core/array.h"
#include "core/backend.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

/* count * size is computed without a check everywhere else: it is checked once, here. */
static ig_status size_check(ig_ctx *cx, size_t count, size_t size, const char *what) {
  if (size && count > PTRDIFF_MAX / size)
    return IG_FAIL(cx, IG_MEMORY, "%s: %zu items of %zu bytes are more than memory can address",
                   what, count, size);
  return IG_OK;
}

/* At least one item is allocated, so that an empty array has a pointer, too: kernels are
   launched with it, and NULL means "not allocated". */
ig_status ig_array_new_device(ig_ctx *cx, ig_array *a, size_t count, size_t size,
                              const char *what) {
  memset(a, 0, sizeof *a);
  IG_TRY(size_check(cx, count, size, what));
  IG_TRY(cx->backend->alloc(cx, &a->dev, (count ? count : 1) * size));
  a->count = count;
  a->size = size;
  return IG_OK;
}

ig_status ig_array_new(ig_ctx *cx, ig_array *a, size_t count, size_t size, const char *what) {
  IG_TRY(ig_array_new_device(cx, a, count, size, what));
  if (!cx->backend->separate) {
    a->host = a->dev;
    /* by all threads, so that each page is placed in the memory of the thread that first touches
       it */
    ig_memory_clear(cx->threads, a->host, count * size);
    return IG_OK;
  }
  const ig_status status = ig_alloc(cx, &a->host, count, size, what);
  if (status != IG_OK)
    ig_array_free(cx, a);
  return status;
}

ig_status ig_array_from(ig_ctx *cx, ig_array *a, const void *from, size_t count, size_t size,
                        const char *what) {
  IG_TRY(ig_array_new(cx, a, count, size, what));
  if (count)
    ig_memory_copy(cx->threads, a->host, from, count * size);
  return ig_array_push(cx, a);
}

ig_status ig_array_push(ig_ctx *cx, ig_array *a) {
  return cx->backend->separate ? cx->backend->copy_in(cx, a->dev, a->host, a->count * a->size)
                               : IG_OK;
}

ig_status ig_array_pull(ig_ctx *cx, ig_array *a) {
  return cx->backend->separate ? cx->backend->copy_out(cx, a->host, a->dev, a->count * a->size)
                               : cx->backend->sync(cx);
}

ig_status ig_array_show(ig_ctx *cx, ig_array *a, const char *what) {
  if (!a->host && cx->backend->separate) {
    IG_TRY(ig_alloc(cx, &a->host, a->count, a->size, what));
    ig_memory_clear(cx->threads, a->host, a->count * a->size); /* pages come by all threads */
  } else if (!a->host) {
    a->host = a->dev;
  }
  return ig_array_pull(cx, a);
}

ig_status ig_array_zero(ig_ctx *cx, ig_array *a) {
  return cx->backend->fill(cx, a->dev, 0, a->count * a->size);
}

/* Allocates a larger pair, copies and frees the old one: pointers to the old sides are invalid
   afterwards. Failure leaves the array as it was. */
ig_status ig_array_grow(ig_ctx *cx, ig_array *a, size_t count) {
  if (count <= a->count)
    return IG_OK;
  ig_array bigger;
  IG_TRY(a->host ? ig_array_new(cx, &bigger, count, a->size, "larger array")
                 : ig_array_new_device(cx, &bigger, count, a->size, "larger array"));
  const size_t bytes = a->count * a->size;
  if (a->host && a->host != a->dev)
    memcpy(bigger.host, a->host, bytes);
  const ig_status status = cx->backend->copy(cx, bigger.dev, a->dev, bytes);
  if (status != IG_OK) {
    ig_array_free(cx, &bigger);
    return status;
  }
  ig_array_free(cx, a);
  *a = bigger;
  return IG_OK;
}

ig_status ig_array_fit(ig_ctx *cx, ig_array *a, size_t count, size_t size, bool host,
                       const char *what) {
  if (a->count > count)
    return IG_OK;
  ig_array_free(cx, a);
  const size_t room = count + count / 4 + 16;
  return host ? ig_array_new(cx, a, room, size, what)
              : ig_array_new_device(cx, a, room, size, what);
}

void ig_array_free(ig_ctx *cx, ig_array *a) {
  if (a->host != a->dev)
    free(a->host);
  if (a->dev)
    cx->backend->free(cx, a->dev);
  memset(a, 0, sizeof *a);
}
