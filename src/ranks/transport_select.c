/* Selection of the route of ghosts when a context opens its backend. Which route is fastest depends
   on GPU, driver, MPI and topology, so each allowed route is tried on real buffers, its result
   checked, and the fastest taken. Results of a run do not depend on it. */
#include "ranks/partition.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Doubles per exchange (64 kB, a typical halo) and repetitions, of which the shortest counts. */
enum { NODES = 8192, ROUNDS = 12 };

/* Outcome of one route; equal on all ranks. */
typedef struct {
  bool works;
  double seconds; /* of the slowest pair: packed, sent, received, unpacked */
} trial;

/* Test values, different for all ranks and nodes. */
static double value_of(int rank, int node) {
  return rank * 1e6 + node + 0.25;
}

/* A halo with one peer: the first NODES values are sent, the second NODES received. Ranks without a
   peer have an empty one. */
static ig_status halo_make(ig_ctx *cx, int other, int32_t *list, ig_halo *h) {
  const int ranks = cx->ranks->count;
  int32_t *start = list + 2 * NODES;
  for (int32_t i = 0; i < 2 * NODES; i++)
    list[i] = i;
  for (int r = 0; r <= ranks; r++)
    start[r] = other < ranks && r > other ? NODES : 0;
  const ig_halo_lists lists = {ranks, start, list, start, list + NODES};
  return ig_halo_of(cx, &lists, sizeof(double), h);
}

/* All ROUNDS are made even after a failure, because the peer makes them too. */
static ig_status rounds_time(ig_ctx *cx, ig_halo *h, ig_array *values, double *least) {
  ig_status all = IG_OK;
  *least = INFINITY;
  for (int i = 0; i < ROUNDS; i++) { /* a way that does not work for one: both make all rounds */
    const double start = ig_now();
    ig_status status = ig_halo_refresh(cx, h, values->dev, sizeof(double), IG_OK);
    if (status == IG_OK)
      status = cx->backend->sync(cx);
    all = all == IG_OK ? status : all;
    *least = fmin(*least, ig_now() - start);
  }
  return all;
}

/* Whether the received half has the values of the neighbour. */
static bool arrived(ig_ctx *cx, int other, ig_array *values) {
  const double *v = values->host;
  if (ig_array_pull(cx, values) != IG_OK)
    return false;
  for (int i = 0; i < NODES; i++)
    if (fabs(v[NODES + i] - value_of(other, i)) > 0)
      return false;
  return true;
}

/* Exchanges with the neighbour (last bit of the rank flipped). A rank that cannot use the route
   says so in the next maximum, so all ranks judge alike. Errors are cleared: a route that does not
   work is not a failure of the run. */
static ig_status way_try(ig_ctx *cx, ig_way way, trial *t) {
  ig_ranks *r = cx->ranks;
  const int other = r->rank ^ 1;
  const bool paired = other < r->count;
  ig_halo h = {.wire = {.way = way, .chosen = true}};
  ig_array values = {0};
  int32_t *list = NULL;
  double least = 0;
  ig_status status = IG_NEW(cx, &list, 2 * (size_t)NODES + (size_t)r->count + 1, "trial of ways");
  if (status == IG_OK)
    status = ig_array_new(cx, &values, 2 * (size_t)NODES, sizeof(double), "trial of ways");
  for (int i = 0; i < NODES && status == IG_OK; i++)
    ((double *)values.host)[i] = value_of(r->rank, i);
  if (status == IG_OK)
    status = ig_array_push(cx, &values);
  if (status == IG_OK)
    status = halo_make(cx, other, list, &h);
  int64_t word[3] = {status != IG_OK, 0, 0}; /* a rank failed; a pair does it; ns */
  ig_status met = ig_ranks_max(cx, IG_OK, word, 1);
  if (met == IG_OK && !word[0]) {
    status = rounds_time(cx, &h, &values, &least);
    const bool near = paired && h.wire.end[0].near;
    word[0] = status != IG_OK || (paired && !arrived(cx, other, &values));
    word[1] = paired && (way != IG_WAY_NEAR || near);
    word[2] = word[1] ? (int64_t)(1e9 * least) : 0;
    met = ig_ranks_max(cx, IG_OK, word, 3);
  }
  ig_halo_free(cx, &h);
  ig_array_free(cx, &values);
  free(list);
  if (status != IG_OK && !*r->near_trouble)
    snprintf(r->near_trouble, sizeof r->near_trouble, "%.90s", cx->message);
  cx->status = IG_OK; /* a way that does not work is no failure */
  cx->message[0] = '\0';
  *t = (trial){.works = met == IG_OK && !word[0] && word[1], .seconds = 1e-9 * (double)word[2]};
  return met;
}

/* Whether a route may be tried; *why: reason in words where the user might have expected it. The
   debug backend tries the near route only if asked (ipc = on). */
static bool allowed(const ig_ctx *cx, ig_way way, const char **why) {
  const ig_ranks *r = cx->ranks;
  const bool gpu = cx->backend->kernels == IG_KERNELS_CUDA;
  *why = NULL;
  if (way == IG_WAY_NEAR)
    return r->ipc == IG_GPU_ON || (r->ipc == IG_GPU_AUTO && gpu);
  if (way == IG_WAY_HOST)
    return true;
  const int says = r->transport->devices ? r->transport->devices(r->self) : 0;
  if (r->gpu == IG_GPU_AUTO && !r->one_process)
    *why = says < 0 ? "the library does not say whether it knows devices"
                    : "the library does not send device memory";
  return r->gpu == IG_GPU_AUTO && !r->one_process && gpu && says == 1;
}

/* Describes the choice for the table of ranks: route, times of all routes that were tried, and why
   others were not. */
static void choice_tell(ig_ctx *cx, const trial *t, const char *mpi) {
  static const char *const name[IG_WAYS] = {"through host memory", "from device memory by MPI",
                                            "straight into the other rank's device memory"};
  ig_ranks *r = cx->ranks;
  const size_t room = sizeof r->chosen;
  int used =
      snprintf(r->chosen, room, ", %s%s", r->way == IG_WAY_HOST ? "" : "ghosts ", name[r->way]);
  const char *between = " (";
  for (int w = 0; w < IG_WAYS; w++)
    if (t[w].works) {
      used += snprintf(r->chosen + used, room - (size_t)used, "%s%s %.3g us", between,
                       w == r->way ? "timed:" : name[w], 1e6 * t[w].seconds);
      between = ", ";
    }
  if (r->ipc != IG_GPU_OFF && *r->near_trouble && r->way != IG_WAY_NEAR) {
    used += snprintf(r->chosen + used, room - (size_t)used, "%snot straight into device memory: %s",
                     between, r->near_trouble);
    between = ", ";
  }
  if (mpi) {
    used += snprintf(r->chosen + used, room - (size_t)used, "%s%s", between, mpi);
    between = ", ";
  }
  if (*between == ',' && (size_t)used < room)
    snprintf(r->chosen + used, room - (size_t)used, ")");
}

/* With a single allowed route there is nothing to time. ipc = on prefers the near route wherever it
   works, even if it is slower. */
ig_status ig_ranks_select_transport(ig_ctx *cx) {
  ig_ranks *r = cx->ranks;
  if (!r || r->count == 1 || !cx->backend->separate)
    return IG_OK;
  trial t[IG_WAYS] = {{0}};
  const char *why, *mpi = NULL;
  bool try[IG_WAYS];
  int tried = 0;
  r->way = IG_WAY_HOST;
  r->near_trouble[0] = '\0';
  for (int w = 0; w < IG_WAYS; w++) {
    try[w] = allowed(cx, (ig_way)w, &why);
    tried += try[w];
    mpi = why ? why : mpi;
  }
  for (int w = 0; w < IG_WAYS && tried > 1; w++)
    if (try[w])
      IG_TRY(way_try(cx, (ig_way)w, &t[w]));
  for (int w = 0; w < IG_WAYS; w++)
    if (t[w].works && (!t[r->way].works || t[w].seconds < t[r->way].seconds))
      r->way = w;
  if (r->ipc == IG_GPU_ON && t[IG_WAY_NEAR].works)
    r->way = IG_WAY_NEAR;
  choice_tell(cx, t, mpi);
  return IG_OK;
}
