/* Memory that a thread has taken: `live` bytes now, `peak` at most since it was set. COUNTED is 0
   where something else stands in for the allocator. One source of a test includes it. */
#ifndef IG_TEST_COUNTED_MEMORY_H
#define IG_TEST_COUNTED_MEMORY_H

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { COUNTED = 1 };
static __thread int64_t live, peak;

static void *taken(void *p) {
  live += p ? (int64_t)malloc_usable_size(p) : 0;
  peak = live > peak ? live : peak;
  return p;
}

/* glibc's own */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);

void *malloc(size_t size) {
  return taken(__libc_malloc(size));
}
void *calloc(size_t count, size_t size) {
  return taken(__libc_calloc(count, size));
}
void *aligned_alloc(size_t align, size_t size) {
  return taken(__libc_memalign(align, size));
}
void *realloc(void *p, size_t size) {
  live -= p ? (int64_t)malloc_usable_size(p) : 0;
  return taken(__libc_realloc(p, size));
}
void free(void *p) {
  live -= p ? (int64_t)malloc_usable_size(p) : 0;
  __libc_free(p);
}
#else
enum { COUNTED = 0 };
static int64_t live, peak;
#endif

#endif
