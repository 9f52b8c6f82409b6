/* A context: one backend, one error slot, one log. Nothing in the library is global, so several
   contexts live side by side in one process. A context is used by one thread at a time. */
#ifndef INGOT_CONTEXT_H
#define INGOT_CONTEXT_H

#include <ingot/ranks.h>

IG_C_BEGIN

typedef struct ig_ctx ig_ctx;

typedef enum { IG_LOG_INFO, IG_LOG_WARN } ig_log_level;
typedef void ig_log_fn(void *user, ig_log_level level, const char *message);

/* How far a run is. */
typedef struct {
  const char *unit;   /* "step", "iteration", "s" */
  double done, total; /* total 0: unknown */
  double rate;        /* element-steps or DOF-iterations per second, 0 if unknown */
  const char *note;   /* a short live figure, never NULL */
  double time;        /* simulated, s; NaN where none passes */
} ig_progress;
typedef void ig_progress_fn(void *user, const ig_progress *progress);

typedef struct {
  const char *backend; /* "auto", "cpu", "debug", "cuda"; NULL: as the case says that is run (auto
                          if it does not), cpu until then */
  int threads;         /* CPU threads, 0: as the case says, all there are if it does not */
  int device;          /* which GPU, 0: the first. Contexts on different GPUs: one thread each */
  ig_ranks *ranks; /* one run on several processes or threads, NULL: on one. Then `device` counts
                      from the rank's own: its place on its computer, modulo the GPUs there */
  ig_log_fn *log;  /* NULL: silent */
  ig_progress_fn *progress;
  void *user;
} ig_ctx_options;

/* Opens a context. On failure *cx is still set (unless memory ran out) and holds the message. */
IG_API IG_MUST_CHECK ig_status ig_ctx_open(const ig_ctx_options *options, ig_ctx **cx);
IG_API void ig_ctx_close(ig_ctx *cx);

/* The message of the last failure in this context, "" if none. */
IG_API const char *ig_ctx_message(const ig_ctx *cx);
/* Copies a text of at most `size` - 1 bytes so that a terminal shows it and does not obey it:
   control characters become \x1b and the like. Messages and lines of the log have been through it;
   names and titles that came from a file have not. Returns the length of `out`. */
IG_API size_t ig_printable(const char *text, char *out, size_t size);
/* The backend in use and the device it drives, as a person would name it. */
IG_API const char *ig_ctx_backend(const ig_ctx *cx);
IG_API const char *ig_ctx_device(const ig_ctx *cx);
/* Asks a run in this context to finish its step, write a checkpoint and return IG_INTERRUPTED.
   Safe to call from a signal handler. */
IG_API void ig_ctx_interrupt(ig_ctx *cx);

/* One row of `ingot devices`. */
typedef struct {
  char backend[16], name[128];
  bool available;
  char why_not[160];       /* when not available */
  int units;               /* cores or multiprocessors */
  size_t memory;           /* bytes, 0 if unknown */
  double copy_bytes_per_s; /* measured, read and written bytes both counted */
} ig_device_info;
/* Fills up to `max` rows, returns how many backends are listed. Measures copy bandwidth. */
IG_API int ig_devices(ig_device_info *rows, int max);

/* "0.2.0"; and how this library was built, one line. */
IG_API const char *ig_version(void);
IG_API const char *ig_build_info(void);

IG_C_END
#endif
