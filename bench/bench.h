/* Benchmarks: how fast, and against which limit. Each room has its own in bench/ROOM; the table in
   bench.c lists them. Part of the program, not of the library. */
#ifndef IG_BENCH_BENCH_H
#define IG_BENCH_BENCH_H

#include "verify/problems.h"

/* One row of `ingot bench`, as a benchmark hands it over. */
typedef struct {
  const char *name;       /* "bricks 10M single gather" */
  double elements, steps; /* size of the work */
  double seconds;
  double rate;           /* in `rate_unit` per second */
  const char *rate_unit; /* "element-steps", "DOF-products" */
  double bytes;          /* bytes that must move in all */
  double memory;         /* device bytes held */
  const char *note;      /* may be NULL */
} ig_bench_row;
typedef struct ig_bench_sink {
  void *user;
  void (*row)(void *user, const ig_bench_row *row);
} ig_bench_sink;
typedef struct {
  const char *name, *about;
  ig_status (*run)(ig_ctx *cx, const ig_bench_sink *sink);
} ig_bench_entry;

/* A count or a size of a benchmark: on a GPU, on a CPU, or the least that still runs all of its
   code (`ingot bench --smoke`). Contexts that a benchmark opens itself inherit `smoke`. */
int ig_bench_size(const ig_ctx *cx, int gpu, int cpu, int smoke);
/* For how long it measures. */
double ig_bench_seconds(const ig_ctx *cx, double gpu, double cpu);

/* The benchmarks of the rooms, each table ended by a NULL name. */
extern const ig_bench_entry ig_thermal_bench[], ig_topopt_bench[], ig_frac_bench[], ig_dyn_bench[],
    ig_stress_bench[], ig_powder_bench[], ig_grains_bench[];

/* One measured speed. */
typedef struct {
  const char *room, *bench, *name, *rate_unit, *note; /* note: never NULL */
  double elements, steps, seconds;
  double rate;     /* rate_unit per second */
  double bytes;    /* that the work must move */
  double memory;   /* bytes held on the device */
  double copy;     /* this device's measured copy bandwidth, bytes/s */
  double fraction; /* bytes / seconds / copy */
} ig_benched;
typedef void ig_benched_fn(void *user, const ig_benched *row);
/* Runs the benchmarks of the rooms or names given (none: all). */
IG_MUST_CHECK ig_status ig_bench(ig_ctx *cx, const char *const *names, int count,
                                 ig_benched_fn *row, void *user);
/* The same at the smallest sizes, with few steps: shows in seconds that all of them run. The times
   measure nothing. */
IG_MUST_CHECK ig_status ig_bench_smoke(ig_ctx *cx, const char *const *names, int count,
                                       ig_benched_fn *row, void *user);
/* All benchmarks of all rooms, one call each. */
void ig_bench_list(ig_problem_fn *problem, void *user);

#endif
