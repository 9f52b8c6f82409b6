/* Saved states. As bytes: a head with format, byte order, size and CRC-32 of what follows; then
   fingerprint, time, step, settings, factors and the arrays of the room, each with name, type,
   count and a flag for "on another rank". Everything is read by `take`, which never goes beyond
   the bytes that are there. */
#include "run/state.h"
#include "core/require.h"
#include "io/format/crc.h"

#include <stdlib.h>
#include <string.h>

ig_status ig_factors_set(ig_ctx *cx, ig_factors *f, int number, double factor) {
  if (number >= f->count) {
    double *more = realloc(f->factor, sizeof *more * ((size_t)number + 1));
    if (!more)
      return IG_FAIL(cx, IG_MEMORY, "no memory for a factor");
    for (f->factor = more; f->count <= number; f->count++)
      f->factor[f->count] = 1;
  }
  f->factor[number] = factor;
  return IG_OK;
}

ig_status ig_factors_copy(ig_ctx *cx, ig_factors *to, const ig_factors *from) {
  to->count = 0;
  for (int i = 0; i < from->count; i++)
    IG_TRY(ig_factors_set(cx, to, i, from->factor[i]));
  return IG_OK;
}

void ig_sim_state_free(ig_sim_state *state) {
  if (!state)
    return;
  ig_restart_free(state->kept);
  free(state->settings);
  free(state->loads.factor);
  free(state->supports.factor);
  free(state);
}

/* --- to bytes */

/* FORMAT changes with the layout below. ORDER reads as another number in the other byte order. */
enum { FORMAT = 1, ORDER = 0x01020304, MOST_ARRAYS = 4096, MOST_FACTORS = 1 << 24 };
typedef struct {
  char magic[8];
  uint32_t format, order;
  uint64_t size; /* of the bytes after the head */
  uint32_t crc, unused;
} head;
static const char magic[8] = "INGOTst";

/* Where the next bytes go; to NULL: they are only counted. */
typedef struct {
  char *to;
  size_t size;
} putting;

static void put(putting *p, const void *bytes, size_t size) {
  if (p->to && size > 0)
    memcpy(p->to + p->size, bytes, size);
  p->size += size;
}
static void put_number(putting *p, int64_t number) {
  put(p, &number, sizeof number);
}
static void put_text(putting *p, const char *text) {
  put_number(p, (int64_t)strlen(text));
  put(p, text, strlen(text));
}
static void put_factors(putting *p, const ig_factors *f) {
  put_number(p, f->count);
  put(p, f->factor, sizeof *f->factor * (size_t)f->count);
}

static void put_state(putting *p, const ig_sim_state *state) {
  const ig_restart *kept = state->kept;
  put(p, &state->fingerprint, sizeof state->fingerprint);
  put(p, &kept->time, sizeof kept->time);
  put_number(p, kept->step);
  put_text(p, state->settings);
  put_factors(p, &state->loads);
  put_factors(p, &state->supports);
  put_number(p, kept->count);
  for (int i = 0; i < kept->count; i++) {
    const ig_saved *saved = &kept->saved[i];
    put_text(p, saved->name);
    put_number(p, (int64_t)saved->dtype);
    put_number(p, saved->count);
    put_number(p, saved->data != NULL);
    if (saved->data)
      put(p, saved->data, (size_t)saved->count * ig_dtype_size(saved->dtype));
  }
}

size_t ig_sim_state_size(const ig_sim_state *state) {
  putting p = {0};
  if (!state || !state->kept)
    return 0;
  put_state(&p, state);
  return sizeof(head) + p.size;
}

void ig_sim_state_pack(const ig_sim_state *state, void *bytes) {
  if (!state || !state->kept || !bytes)
    return;
  head h = {.format = FORMAT, .order = ORDER};
  putting p = {.to = (char *)bytes + sizeof h};
  put_state(&p, state);
  memcpy(h.magic, magic, sizeof magic);
  h.size = p.size;
  h.crc = ig_crc32(0, p.to, p.size);
  memcpy(bytes, &h, sizeof h);
}

/* --- from bytes */

typedef struct {
  ig_ctx *cx;
  const char *at;
  size_t left;
} taking;

static ig_status damaged(taking *t) {
  return IG_FAIL(t->cx, IG_INPUT, "the bytes of a saved state are damaged: save and pack it again");
}
static ig_status take(taking *t, void *to, size_t size) {
  if (size > t->left)
    return damaged(t);
  if (size > 0)
    memcpy(to, t->at, size);
  t->at += size;
  t->left -= size;
  return IG_OK;
}
/* A number from 0 to `most`. */
static ig_status take_count(taking *t, int64_t most, int64_t *count) {
  IG_TRY(take(t, count, sizeof *count));
  return *count >= 0 && *count <= most ? IG_OK : damaged(t);
}
static ig_status take_text(taking *t, char **text) {
  int64_t size = 0;
  IG_TRY(take_count(t, (int64_t)t->left, &size));
  IG_TRY(IG_NEW(t->cx, text, (size_t)size + 1, "a saved state"));
  IG_TRY(take(t, *text, (size_t)size));
  return memchr(*text, 0, (size_t)size) ? damaged(t) : IG_OK;
}
static ig_status take_factors(taking *t, ig_factors *f) {
  int64_t count = 0;
  IG_TRY(take_count(t, MOST_FACTORS, &count));
  for (int i = 0; i < count; i++) {
    double factor;
    IG_TRY(take(t, &factor, sizeof factor));
    IG_TRY(ig_factors_set(t->cx, f, i, factor));
  }
  return IG_OK;
}

static ig_status take_array(taking *t, ig_saved *saved) {
  int64_t dtype = 0, here = 0;
  char *name = NULL;
  const ig_status status = take_text(t, &name);
  saved->name = name; /* freed with the restart, on failure too */
  IG_TRY(status);
  IG_TRY(take_count(t, IG_U8, &dtype));
  saved->dtype = (ig_dtype)dtype;
  IG_TRY(take_count(t, INT64_MAX, &saved->count));
  IG_TRY(take_count(t, 1, &here));
  if (!here)
    return IG_OK;
  const size_t size = ig_dtype_size(saved->dtype);
  if ((uint64_t)saved->count > t->left / size)
    return damaged(t);
  IG_TRY(ig_alloc(t->cx, &saved->data, (size_t)saved->count, size, "a saved state"));
  return take(t, saved->data, (size_t)saved->count * size);
}

static ig_status take_state(taking *t, ig_sim_state *state) {
  ig_restart *kept;
  int64_t count = 0;
  IG_TRY(IG_NEW(t->cx, &kept, 1, "a saved state"));
  state->kept = kept;
  IG_TRY(take(t, &state->fingerprint, sizeof state->fingerprint));
  IG_TRY(take(t, &kept->time, sizeof kept->time));
  IG_TRY(take_count(t, INT64_MAX, &kept->step));
  IG_TRY(take_text(t, &state->settings));
  IG_TRY(take_factors(t, &state->loads));
  IG_TRY(take_factors(t, &state->supports));
  IG_TRY(take_count(t, MOST_ARRAYS, &count));
  IG_TRY(IG_NEW(t->cx, &kept->saved, (size_t)count, "a saved state"));
  for (kept->count = 0; kept->count < count;)
    IG_TRY(take_array(t, &kept->saved[kept->count++]));
  return t->left == 0 ? IG_OK : damaged(t);
}

ig_status ig_sim_state_unpack(ig_ctx *cx, const void *bytes, size_t size, ig_sim_state **state) {
  IG_REQUIRE_ARGS(cx, bytes && state);
  head h;
  *state = NULL;
  taking t = {.cx = cx, .at = bytes, .left = size};
  IG_TRY(take(&t, &h, sizeof h));
  if (memcmp(h.magic, magic, sizeof magic) != 0)
    return IG_FAIL(cx, IG_INPUT, "these bytes are no saved state");
  if (h.format != FORMAT || h.order != ORDER)
    return IG_FAIL(cx, IG_INPUT,
                   "the saved state is of another version or kind of machine: save it with this "
                   "program");
  if (h.size != t.left || h.crc != ig_crc32(0, t.at, t.left))
    return damaged(&t);
  ig_sim_state *made;
  IG_TRY(IG_NEW(cx, &made, 1, "a saved state"));
  const ig_status status = take_state(&t, made);
  if (status == IG_OK)
    *state = made;
  else
    ig_sim_state_free(made);
  return status;
}
