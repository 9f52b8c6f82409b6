/* Between the files of the room's benchmarks. */
#ifndef IG_DYNAMICS_BENCH_H
#define IG_DYNAMICS_BENCH_H

#include "bench/bench.h"
#include "verify/dynamics/problem.h"

/* Something to time: a mesh by its size, how its elements are integrated, yield stress or NaN. */
typedef struct {
  const char *name;
  ig_status (*mesh)(ig_dyn_problem *q, int size);
  int integration;
  double yield;     /* NaN: elastic */
  int small, large; /* sizes on the CPU, on a GPU */
} ig_dyn_subject;
enum { IG_SUBJECT_HEX, IG_SUBJECT_SHELL = 4, IG_SUBJECT_LAYERS, IG_SUBJECT_BEAM, IG_SUBJECTS };
extern const ig_dyn_subject ig_dyn_subjects[IG_SUBJECTS];

/* A velocity field that strains every element. */
IG_MUST_CHECK ig_status ig_dyn_stir(ig_dyn_model *m);
/* A stirred model of a subject, in double precision, with half of the critical step. */
IG_MUST_CHECK ig_status ig_dyn_subject_open(ig_dyn_problem *q, const ig_dyn_subject *s, int size,
                                            ig_precision precision, ig_assembly assembly,
                                            ig_dyn_model **m);

/* Tang et al. (2020): Tables 1 to 3, Figure 10, Figures 20 and 21. */
IG_MUST_CHECK ig_status ig_dyn_bench_paper(ig_ctx *cx, const ig_bench_sink *sink);
IG_MUST_CHECK ig_status ig_dyn_bench_speedup(ig_ctx *cx, const ig_bench_sink *sink);
IG_MUST_CHECK ig_status ig_dyn_bench_tasks(ig_ctx *cx, const ig_bench_sink *sink);
/* On one rank and on several. */
IG_MUST_CHECK ig_status ig_dyn_bench_ranks(ig_ctx *cx, const ig_bench_sink *sink);
/* Its Table 4: registers and occupancy. */
IG_MUST_CHECK ig_status ig_dyn_bench_kernels(ig_ctx *cx, const ig_bench_sink *sink);

#endif
