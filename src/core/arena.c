/* An arena: memory for everything that is read from one case, freed in one call. Strings, option
   structs and nodes of the tree are many and small, point at each other and live exactly as long
   as the case; freeing them one by one would need an owner for each.

   Blocks form a linked list with the newest at the head, and only the head is filled. A request
   that does not fit opens a new block, and what is left of the former head stays unused: it is
   smaller than that request, and a search through older blocks would cost more than it is worth. */
#include "core/option.h"

#include <stdlib.h>
#include <string.h>

/* BLOCK: 64 kB, so that few allocations are made; a larger request has a block of its own size.
   ALIGN: what malloc guarantees on 64-bit machines, enough for every type of C that is stored here.
 */
enum { BLOCK = 1 << 16, ALIGN = 16 };

typedef struct block {
  struct block *next;
  size_t used, size;
  /* flexible array member: block and bytes are one allocation, zeroed by ig_alloc */
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

/* The bound on `count` leaves space for the rounding up and the block's header, so that none of
   the sums below can overflow. */
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
