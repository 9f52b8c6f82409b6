/* Contexts: errors, log, progress, time, host memory. Everything here works on an ig_ctx that
   one thread uses at a time; only `interrupted` may be set from elsewhere (a signal handler).

   An error is a status that functions return and a message that the context keeps until the next
   one: ig_fail formats the message, the callers above only pass the status on (IG_TRY). Text of
   users' files appears in messages, so every message is made printable first: a terminal that
   receives control characters would obey them. */
#include "core/ctx.h"
#include "core/memory.h"
#include "core/backend.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

const char *ig_status_text(ig_status status) {
  static const char *const text[] = {
#define X(name, words) [IG_##name] = words,
      IG_STATUS_LIST(X)
#undef X
  };
  return (size_t)status < sizeof text / sizeof *text ? text[status] : "unknown status";
}

/* Control characters of ASCII, and of Latin-1 as UTF-8 has them: terminals obey both. */
static int control_length(const unsigned char *c) {
  return c[0] < ' ' || c[0] == 0x7f ? 1 : c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

size_t ig_printable(const char *text, char *out, size_t size) {
  const unsigned char *c = (const unsigned char *)text;
  size_t n = 0;
  while (c && *c && n + 1 < size) {
    const int length = control_length(c);
    if (length && n + 4 >= size)
      break;
    if (length)
      n += (size_t)snprintf(out + n, size - n, "\\x%02x", (unsigned)c[length - 1]);
    else
      out[n++] = (char)*c;
    c += length ? length : 1;
  }
  if (size)
    out[n] = '\0';
  return n;
}

/* Without a context the status is all that remains . Source file and
   line are added only where the reader is a developer. */
ig_status ig_fail(ig_ctx *cx, ig_status status, const char *file, int line, const char *format,
                  ...) {
  if (!cx)
    return status;
  char text[sizeof cx->message], raw[sizeof cx->message];
  va_list args;
  va_start(args, format);
  vsnprintf(raw, sizeof raw, format, args);
  va_end(args);
  ig_printable(raw, text, sizeof text);
  cx->status = status;
  /* Bad input names the user's file and line already; everything else names ours. */
  if (status == IG_INPUT || status == IG_UNSUPPORTED || status == IG_INTERRUPTED ||
      status == IG_IO) {
    memcpy(cx->message, text, sizeof text);
  } else {
    const char *slash = strrchr(file, '/');
    snprintf(cx->message, sizeof cx->message, "%.1800s (%s, %s:%d)", text, ig_status_text(status),
             slash ? slash + 1 : file, line);
  }
  return status;
}

/* Warnings are counted even without a listener: the summary reports their number. */
void ig_log(ig_ctx *cx, ig_log_level level, const char *format, ...) {
  if (level == IG_LOG_WARN)
    cx->warnings++;
  if (!cx->log)
    return;
  char text[2048], raw[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(raw, sizeof raw, format, args);
  va_end(args);
  ig_printable(raw, text, sizeof text);
  cx->log(cx->user, level, text);
}

void ig_progress_report(ig_ctx *cx, const ig_progress *progress) {
  if (cx->progress)
    cx->progress(cx->user, progress);
}

double ig_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One stopwatch: the time since the last change of phase goes to the phase that was current. So
   nested phases need no stack, and every second of a run is counted in exactly one phase. */
ig_phase ig_phase_begin(ig_ctx *cx, ig_phase phase) {
  ig_split *s = &cx->split;
  const double now = ig_now();
  const ig_phase former = s->now;
  s->seconds[former] += now - s->mark;
  s->mark = now;
  s->now = phase;
  return former;
}

void ig_phase_end(ig_ctx *cx, ig_phase former) {
  (void)ig_phase_begin(cx, former);
}

/* Linux reports ru_maxrss in kB. */
size_t ig_host_peak(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

/* Bytes above which an allocation is compared with the memory left first. The comparison reads
   several files of /proc and /sys, which is too slow for small allocations. */
#define LARGE_ALLOCATION 32e6

/* Whether mesh and model are being made, which is while the files they are read from are noted. One
   of several ranks does not stop alone. */
static bool in_setup(const ig_ctx *cx) {
  return cx->inputs && !cx->ranks && cx->split.now >= IG_PHASE_READ &&
         cx->split.now <= IG_PHASE_SETUP;
}

/* Each stage of a set-up begins with its memory: so here it ends when it is interrupted.

   Asks first and allocates then: Linux grants calloc more than the machine has (overcommit) and
   ends the process when pages are touched, without any message. A message with the size is
   possible only before that. */
ig_status ig_alloc(ig_ctx *cx, void **p, size_t count, size_t size, const char *what) {
  *p = NULL;
  if (cx->interrupted && in_setup(cx))
    return IG_FAIL(cx, IG_INTERRUPTED,
                   "interrupted while the model was made: nothing was computed or written over");
  if (size && count > PTRDIFF_MAX / size)
    return IG_FAIL(cx, IG_MEMORY, "%s: %zu items of %zu bytes are more than memory can address",
                   what, count, size);
  const double bytes = (double)count * (double)size;
  if (bytes > LARGE_ALLOCATION && bytes > ig_memory_left())
    return IG_FAIL(cx, IG_MEMORY, "%s: %.3g GB are needed and %.3g GB of memory are left", what,
                   1e-9 * bytes, 1e-9 * ig_memory_left());
  *p = calloc(count ? count : 1, size);
  if (!*p)
    return IG_FAIL(cx, IG_MEMORY, "%s: no memory for %.3g GB", what,
                   1e-9 * (double)count * (double)size);
  ig_memory_large(*p, count * size);
  return IG_OK;
}

/* Capacities are 16, 32, 64, ...: growth is due exactly when `count` is 0, or a power of two
   from 16 on. count & (count - 1) is 0 for powers of two only. */
ig_status ig_more(ig_ctx *cx, void **items, size_t count, size_t size, const char *what) {
  enum { FIRST = 16 };
  if (count && (count < FIRST || count & (count - 1)))
    return IG_OK;
  const size_t capacity = count ? 2 * count : FIRST;
  void *bigger = capacity > PTRDIFF_MAX / size ? NULL : realloc(*items, capacity * size);
  if (!bigger)
    return IG_FAIL(cx, IG_MEMORY, "%s: no memory for %zu", what, capacity);
  *items = bigger;
  return IG_OK;
}

const char *ig_ctx_message(const ig_ctx *cx) {
  return cx ? cx->message : "out of memory";
}
const char *ig_ctx_backend(const ig_ctx *cx) {
  return cx && cx->backend ? cx->backend->name : "none";
}
const char *ig_ctx_device(const ig_ctx *cx) {
  return cx ? cx->device_name : "";
}
void ig_ctx_interrupt(ig_ctx *cx) {
  if (cx)
    cx->interrupted = 1;
}

ig_status ig_interrupt_take(ig_ctx *cx, const char *what) {
  if (!cx->interrupted)
    return IG_OK;
  cx->interrupted = 0;
  return IG_FAIL(cx, IG_INTERRUPTED, "%s: interrupted", what);
}
