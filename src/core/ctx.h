/* The inside of a context, and the few calls every layer makes: fail, log, time, interrupt. */
#ifndef IG_CORE_CTX_H
#define IG_CORE_CTX_H

#include <signal.h>
#include <ingot/context.h>

IG_C_BEGIN

struct ig_backend;

/* Where the time of a run goes: what summary.json tells as `split`. A phase inside another is
   counted once, as itself. */
#define IG_PHASE_LIST(X)                                                                           \
  X(START, "start")       /* opening the backend, a GPU's context among it; once per context */    \
  X(READ, "read")         /* the case and the files it names, the folder's lock */                 \
  X(MESH, "mesh")         /* made or imported, renumbered */                                       \
  X(TOPOLOGY, "topology") /* elements at nodes, neighbours, boundary, classes */                   \
  X(COLORING, "coloring")                                                                          \
  X(PLANS, "plans")   /* slots, clusters, connectivity to the device */                            \
  X(SOLVER, "solver") /* multigrid, once */                                                        \
  X(SETUP, "setup")   /* the rest before the first step */                                         \
  X(FIRST, "first")   /* the first call for steps: kernels are loaded, graphs recorded */          \
  X(STEPS, "steps")                                                                                \
  X(OUTPUT, "output") /* what steps wait for: files are written beside them */                     \
  X(CALLER, "caller") /* a program's own, between its calls for steps */
typedef enum {
#define X(name, word) IG_PHASE_##name,
  IG_PHASE_LIST(X)
#undef X
      IG_PHASES
} ig_phase;
typedef struct {
  ig_phase now;
  double mark; /* when it began, or another ended in it */
  double seconds[IG_PHASES];
} ig_split;

/* A context: the state that every call of the library works with. One thread uses it at a time;
   an embedding program may have several. Its members by owner: the error and the callbacks
   (first five), what was chosen when it was opened, the backend and its memory, then what a run
   in progress lends. */
struct ig_ctx {
  ig_status status;
  char message[2048];
  ig_log_fn *log;
  ig_progress_fn *progress;
  void *user;
  int threads;
  int device_index;                /* of the GPU */
  struct ig_ranks *ranks;          /* NULL: the only one */
  bool free_backend, free_threads; /* not chosen when opened: a case may choose */
  bool automatic;                  /* the backend in use was found by `auto` */
  volatile sig_atomic_t interrupted;
  const struct ig_backend *backend;
  void *device; /* the backend's own state */
  char device_name[128];
  size_t device_bytes, device_peak; /* allocated through the backend: now, most */
  struct ig_fault *fault;           /* in device memory: trouble met by kernels */
  int warnings;
  bool smoke; /* benchmarks at their smallest size, once: see ig_bench_size */
  ig_split split;
  struct ig_inputs *inputs;     /* files that readers open are added here, NULL: nowhere */
  struct ig_spares *spares;     /* host memory of former snapshots (core/output.c) */
  struct ig_added_rooms *rooms; /* that a program added (run/added_room.c), NULL: none */
  /* frees `rooms`; a pointer, since core may not call functions of run */
  void (*rooms_free)(struct ig_added_rooms *rooms);
  struct ig_own_laws *laws; /* of a program (material/own_law.c), one block; NULL: none */
};

/* Records a failure and returns `status`; use through IG_FAIL. */
ig_status ig_fail(ig_ctx *cx, ig_status status, const char *file, int line, const char *format, ...)
    IG_PRINTF(5, 6);
#define IG_FAIL(cx, status, ...) ig_fail(cx, status, __FILE__, __LINE__, __VA_ARGS__)

/* Returns from the calling function if `call` failed. */
#define IG_TRY(call)                                                                               \
  do {                                                                                             \
    const ig_status ig_try_ = (call);                                                              \
    if (ig_try_ != IG_OK)                                                                          \
      return ig_try_;                                                                              \
  } while (0)
/* The same for a function with something to release: jumps to `done` with `status` set. */
#define IG_TRY_GOTO(status, done, call)                                                            \
  do {                                                                                             \
    (status) = (call);                                                                             \
    if ((status) != IG_OK)                                                                         \
      goto done;                                                                                   \
  } while (0)

/* Lets a case choose what was left open when the context was opened (NULL, 0: it has no wish). To
   be called before anything is allocated through the backend. */
IG_MUST_CHECK ig_status ig_ctx_follow(ig_ctx *cx, const char *backend, int threads);

/* IG_INTERRUPTED if ig_ctx_interrupt was called; the request is used up by it. For loops outside of
   a run, which end without it too: "drawing: interrupted". */
IG_MUST_CHECK ig_status ig_interrupt_take(ig_ctx *cx, const char *what);

/* Formats and sends one line to the context's log function; a warning is counted as well.
   Control characters are escaped. */
void ig_log(ig_ctx *cx, ig_log_level level, const char *format, ...) IG_PRINTF(3, 4);
#define ig_info(cx, ...) ig_log(cx, IG_LOG_INFO, __VA_ARGS__)
#define ig_warn(cx, ...) ig_log(cx, IG_LOG_WARN, __VA_ARGS__)
/* Calls the progress function at most ten times a second; `total` steps at the end always shows. */
void ig_progress_report(ig_ctx *cx, const ig_progress *progress);

/* Seconds on a clock that never runs backwards. */
double ig_now(void);
/* From now on time goes to `phase`; returns the previous phase, to be restored at the end. Not
 * needed on error paths. */
ig_phase ig_phase_begin(ig_ctx *cx, ig_phase phase);
void ig_phase_end(ig_ctx *cx, ig_phase former);
/* Highest resident memory of this process so far, bytes. */
size_t ig_host_peak(void);

/* Host memory: checked for overflow and failure; zeroed. Free with free(). */
IG_MUST_CHECK ig_status ig_alloc(ig_ctx *cx, void **p, size_t count, size_t size, const char *what);
/* Space for item number `count` of an array that began as NULL and grew one by one: it doubles at
   powers of two, so that its capacity need not be kept. */
IG_MUST_CHECK ig_status ig_more(ig_ctx *cx, void **items, size_t count, size_t size,
                                const char *what);
/* Typed forms: `p` is the address of the pointer, and the size of an item follows from its type. */
#define IG_MORE(cx, p, count, what) ig_more(cx, (void **)(p), (size_t)(count), sizeof **(p), what)
#define IG_NEW(cx, p, count, what) ig_alloc(cx, (void **)(p), (size_t)(count), sizeof **(p), what)

IG_C_END
#endif
