/* Opening and closing a context: which backend it computes on; the device survey. This file is here
   and not in core because the choice is collective: all ranks must end up on the same kind of
   backend, and the transport of ghosts is timed once the backend is open. */
#include "backend/backend.h"

#include "core/output.h"
#include "core/threads.h"
#include "ranks/peer_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens one backend and the fault word in which its kernels report errors. */
static ig_status backend_try(ig_ctx *cx, const ig_backend *backend) {
  cx->backend = backend;
  IG_TRY(backend->open(cx));
  return ig_fault_open(cx);
}

/* A run with some ranks on a GPU and others on the CPU would give results that depend on the
   placement, and the fast ranks would wait for the slow ones. It is refused; the message is that of
   a rank without GPU. */
static ig_status all_alike(ig_ctx *cx, bool gpu) {
  int64_t word[2] = {gpu, !gpu};
  IG_TRY(ig_ranks_max(cx, IG_OK, word, 2));
  if (!word[0] || !word[1])
    return IG_OK;
  return ig_ranks_agree(
      cx, gpu ? IG_OK
              : IG_FAIL(cx, IG_INPUT,
                        "no GPU opens here (%.200s), but on other ranks: start ranks only where "
                        "there are GPUs, or choose --backend cpu",
                        *cx->message ? cx->message : "none was found"));
}

/* An explicit name must open or fail. With auto (or no name) a failure of the GPU is not an error:
   it is cleared from the context and the CPU is used. */
static ig_status backend_find(ig_ctx *cx, const char *name) {
  cx->automatic = !name || strcmp(name, "auto") == 0;
  if (!cx->automatic) {
    const ig_backend *backend = ig_backend_find(name);
    if (!backend)
      return IG_FAIL(cx, IG_INPUT, "backend '%s' is unknown: expected auto, %s", name,
                     ig_backend_names());
    return backend_try(cx, backend);
  }
  /* auto: the GPU if it opens, else the CPU; a backend that is missing is no failure here. */
  const ig_backend *cuda = ig_backend_find("cuda");
  const bool opened = cuda && backend_try(cx, cuda) == IG_OK;
  IG_TRY(all_alike(cx, opened));
  if (opened)
    return IG_OK;
  cx->status = IG_OK;
  cx->message[0] = '\0';
  return backend_try(cx, ig_backend_find("cpu"));
}

/* Opens the backend on all ranks together. ig_ranks_agree is reached on every path, so a rank that
   fails does not leave the others blocked. `status`: a failure of the caller before this point. */
static ig_status backend_choose(ig_ctx *cx, const char *name, ig_status status) {
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_START);
  if (status == IG_OK)
    status = backend_find(cx, name);
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = ig_ranks_select_transport(cx);
  ig_phase_end(cx, former);
  return status;
}

/* OMP_NUM_THREADS, if set, has precedence over the share of cores that the rank was given. */
int ig_ranks_all_threads(const ig_ctx *cx) {
  const int all = ig_threads_all(), mine = cx->ranks ? cx->ranks->cores : 0;
  return mine > 0 && mine < all && !getenv("OMP_NUM_THREADS") ? mine : all;
}

/* Rejects typing errors such as 40960; no machine in use has more hardware threads. */
enum { MOST_THREADS = 4096 };

/* *out is set even if opening fails, because the caller reads the error message from it and must
   close it. GPUs are assigned by the local rank: rank i of a computer takes device + i. */
ig_status ig_ctx_open(const ig_ctx_options *options, ig_ctx **out) {
  static const ig_ctx_options defaults;
  if (!out)
    return IG_ARG;
  if (!options)
    options = &defaults;
  ig_ctx *cx = calloc(1, sizeof *cx);
  *out = cx;
  if (!cx)
    return IG_MEMORY;
  ig_threads_survive_fork();
  cx->split.mark = ig_now();
  cx->log = options->log;
  cx->progress = options->progress;
  cx->user = options->user;
  cx->free_backend = !options->backend;
  cx->free_threads = !options->threads;
  cx->ranks = options->ranks;
  ig_status status = IG_OK;
  if (options->threads < 0 || options->threads > MOST_THREADS)
    status = IG_FAIL(cx, IG_INPUT, "threads = %d: expected 0 (all cores) to %d", options->threads,
                     MOST_THREADS);
  else if (options->device < 0)
    status = IG_FAIL(cx, IG_INPUT, "device = %d: expected 0, the first, or more", options->device);
  cx->device_index = options->device + ig_ranks_local(options->ranks);
  cx->threads = options->threads ? options->threads : ig_ranks_all_threads(cx);
  return backend_choose(cx, options->backend ? options->backend : "cpu", status);
}

/* Order matters: views of other ranks' memory and cached buffers are device memory and go before
   the device. ig_peer_close synchronises the stream first. */
static void backend_close(ig_ctx *cx) {
  if (cx->device && cx->backend) {
    ig_peer_close(cx);
    ig_spares_free(cx);
    ig_fault_close(cx);
    cx->backend->close(cx);
    cx->device = NULL;
  }
}

/* Applies `backend` and `threads` of a case to an open context, unless the program chose them
   itself when it opened the context (free_backend, free_threads). Reopens the backend only if
   something changes. */
ig_status ig_ctx_follow(ig_ctx *cx, const char *backend, int threads) {
  const char *name = cx->free_backend ? (backend ? backend : "auto") : cx->backend->name;
  const int wanted = cx->free_threads && threads ? threads : cx->threads;
  const bool same =
      strcmp(name, "auto") == 0 ? cx->automatic : strcmp(name, cx->backend->name) == 0;
  if (same && wanted == cx->threads)
    return IG_OK;
  cx->threads = wanted;
  backend_close(cx);
  return backend_choose(cx, name, IG_OK);
}

void ig_ctx_close(ig_ctx *cx) {
  if (!cx)
    return;
  backend_close(cx);
  if (cx->rooms_free)
    cx->rooms_free(cx->rooms);
  free(cx->laws);
  free(cx);
}

/* Opens and closes every backend in turn: the only reliable test for a usable GPU is to use it.
   `rows` may be NULL to count only. */
int ig_devices(ig_device_info *rows, int max) {
  int count = 0;
  for (const ig_backend *backend; (backend = ig_backend_at(count)) != NULL; count++) {
    if (!rows || count >= max)
      continue;
    ig_device_info *row = &rows[count];
    memset(row, 0, sizeof *row);
    snprintf(row->backend, sizeof row->backend, "%s", backend->name);
    const ig_ctx_options options = {.backend = backend->name};
    ig_ctx *cx = NULL;
    if (ig_ctx_open(&options, &cx) == IG_OK) {
      row->available = true;
      snprintf(row->name, sizeof row->name, "%s", cx->device_name);
      backend->describe(cx, row);
    } else {
      snprintf(row->why_not, sizeof row->why_not, "%.150s", ig_ctx_message(cx));
    }
    ig_ctx_close(cx);
  }
  return count;
}
