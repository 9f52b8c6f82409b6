/* An arena: blocks that are only ever freed together. */
#include "core/option.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16, ALIGN = 16 };

typedef struct block {
  struct block *next;
  size_t used, size;
  _Alignas(ALIGN) unsigned char bytes[];
} block;

struct ig_arena {
  block *head;
};

ig_status ig_arena_new(ig_ctx *cx, ig_arena **arena) {
  return IG_NEW(cx, arena, 1, "case");
}

void ig_arena_free(ig_arena *arena) {
  if (!arena)
    return;
  for (block *b = arena->head, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(arena);
}

ig_status ig_arena_take(ig_ctx *cx, ig_arena *arena, void **p, size_t count, size_t size) {
  *p = NULL;
  if (size && count > (PTRDIFF_MAX - BLOCK) / size)
    return IG_FAIL(cx, IG_MEMORY, "case: %zu items of %zu bytes are more than memory can address",
                   count, size);
  const size_t bytes = (count * size + ALIGN) / ALIGN * ALIGN; /* never 0 */
  if (!arena->head || arena->head->size - arena->head->used < bytes) {
    const size_t capacity = bytes > BLOCK ? bytes : BLOCK;
    block *b;
    IG_TRY(ig_alloc(cx, (void **)&b, 1, sizeof *b + capacity, "case"));
    b->size = capacity;
    b->next = arena->head;
    arena->head = b;
  }
  *p = arena->head->bytes + arena->head->used;
  arena->head->used += bytes;
  return IG_OK;
}

ig_status ig_arena_text(ig_ctx *cx, ig_arena *arena, const char **p, const char *text,
                        size_t length) {
  char *copy;
  IG_TRY(ig_arena_take(cx, arena, (void **)&copy, length + 1, 1));
  memcpy(copy, text, length);
  *p = copy;
  return IG_OK;
}
