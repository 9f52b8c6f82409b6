/* The list of backends, and the fault word: one 64-bit word on the device in which kernels note the
   first error (lowest item number), since they cannot return a status. All bits set: no fault. */
#include "backend/backend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* in the order of backend_list.h */
static const ig_backend *const backends[] = {
#define X(name) &ig_backend_##name,
    IG_BACKEND_LIST(X)
#undef X
};
enum { BACKENDS = sizeof backends / sizeof *backends };

const ig_backend *ig_backend_at(int i) {
  return i < BACKENDS ? backends[i] : NULL;
}

const ig_backend *ig_backend_find(const char *name) {
  for (int i = 0; i < BACKENDS; i++)
    if (strcmp(backends[i]->name, name) == 0)
      return backends[i];
  return NULL;
}

const char *ig_backend_names(void) {
#define X(name) ", " #name
  static const char names[] = "" IG_BACKEND_LIST(X);
#undef X
  return names + 2;
}

/* The word belongs to the context; cleared here and by a caller that continues after a fault. */
ig_status ig_fault_open(ig_ctx *cx) {
  void *p = NULL;
  IG_TRY(cx->backend->alloc(cx, &p, sizeof(ig_fault)));
  cx->fault = p;
  return ig_fault_clear(cx);
}

void ig_fault_close(ig_ctx *cx) {
  if (cx->fault)
    cx->backend->free(cx, cx->fault);
  cx->fault = NULL;
}

ig_status ig_fault_clear(ig_ctx *cx) {
  return cx->backend->fill(cx, cx->fault, 0xff, sizeof(ig_fault));
}

/* Waits for the device, as every copy to the host does: called at output steps, not after each
   launch. thing: "node", "element", for the message; ids: numbers of the user's mesh for the local
   ones, NULL: they are the same. */
ig_status ig_fault_check(ig_ctx *cx, const char *thing, const ig_lid *ids) {
  static const char *const texts[] = {
#define X(name, text) text,
      IG_FAULT_LIST(X)
#undef X
  };
  ig_fault fault;
  IG_TRY(cx->backend->copy_out(cx, &fault, cx->fault, sizeof fault));
  if (fault.word == ~0ULL)
    return IG_OK;
  const unsigned code = (unsigned)(fault.word & 0xff);
  const int64_t id = (int64_t)(fault.word >> 8);
  return IG_FAIL(cx, IG_NUMERIC, "%s %" PRId64 " %s", thing, ids ? (int64_t)ids[id] : id,
                 code < sizeof texts / sizeof *texts ? texts[code] : "met an unknown fault");
}
