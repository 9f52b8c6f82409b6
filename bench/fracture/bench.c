/* The room's benchmarks: the rows of Tables V to IX of Alhadeff et al. (2015), its Figures 25 and
   26 (time per kernel), and its stored-matrix kernel beside ours. A CPU does a part of each. */
#include "bench/fracture/bench.h"
#include "assembly/assembly.h"

#include "fracture/kernels/items_cuda.h"
#include "ingot_cuda.h"

#include <stdio.h>
#include <string.h>

static bool on_gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

static void row_put(const ig_bench_sink *sink, const ig_frac_model *m, const char *name,
                    int64_t steps, double seconds, const char *note) {
  sink->row(sink->user, &(ig_bench_row){.name = name,
                                        .elements = m->s.ne,
                                        .steps = (double)steps,
                                        .seconds = seconds,
                                        .rate = (double)m->s.ne * (double)steps / seconds,
                                        .rate_unit = "element-steps",
                                        .bytes = (double)steps * ig_frac_model_bytes(m),
                                        .memory = (double)m->cx->device_bytes,
                                        .note = note});
}

/* Steps of a problem, after a few to warm up. */
static ig_status run_row(ig_ctx *cx, const ig_bench_sink *sink, ig_frac_problem *p,
                         const char *name, int64_t steps, const char *paper) {
  ig_frac_model m;
  ig_status status = ig_frac_setup(&p->job, &m);
  const int64_t warm = ig_bench_size(cx, 20, 20, 2);
  double start = 0;
  if (status == IG_OK)
    status = ig_frac_model_run(&m, warm);
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  start = ig_now();
  if (status == IG_OK)
    status = ig_frac_model_run(&m, warm + steps);
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  const double seconds = ig_now() - start;
  if (status == IG_OK) {
    char label[96], note[160];
    snprintf(label, sizeof label, "%s %s %s", name, m.wide ? "double" : "single",
             ig_assembly_names[m.s.how]);
    snprintf(note, sizeof note, "%d cohesive, %.2f us per step%s%s", m.count.cohesive,
             1e6 * seconds / (double)steps, paper ? "; paper " : "", paper ? paper : "");
    row_put(sink, &m, label, steps, seconds, note);
  }
  ig_frac_model_free(&m);
  return status;
}

static ig_status bench_strip(ig_ctx *cx, const ig_bench_sink *sink) {
  static const ig_assembly hows[] = {IG_GATHER, IG_ATOMIC, IG_COLOR, IG_CLUSTER};
  ig_frac_problem p;
  ig_status status = IG_OK;
  for (int precision = 1; status == IG_OK && precision >= 0; precision--)
    for (int i = 0; status == IG_OK && i < (precision ? 4 : 1); i++) {
      IG_TRY(ig_frac_bench_strip(&p, cx, false));
      p.job.assembly = hows[i];
      p.job.precision = precision ? IG_DOUBLE : IG_SINGLE;
      status = run_row(cx, sink, &p, "strip 36,864", ig_bench_size(cx, 10000, 100, 2),
                       precision ? "11.8 s (CPU 410 s) for 10,000 steps" : NULL);
      ig_frac_problem_free(&p);
    }
  IG_TRY(status);
  IG_TRY(ig_frac_bench_strip(&p, cx, true));
  status = run_row(cx, sink, &p, "strip 147,456", ig_bench_size(cx, 40000, 40, 2),
                   "153.8 s (CPU 6538 s) for 40,000 steps");
  ig_frac_problem_free(&p);
  return status;
}

/* The four strategies side by side, without facets that open: elements and nodes alone. */
static ig_status bench_assembly(ig_ctx *cx, const ig_bench_sink *sink) {
  for (int precision = 1; precision >= 0; precision--)
    for (int how = IG_ATOMIC; how <= IG_CLUSTER; how++) {
      ig_frac_problem p;
      IG_TRY(ig_frac_problem_strip(&p, cx, ig_bench_size(cx, 240, 48, 4), IG_TRI6, 0));
      p.c.time_step = on_gpu(cx) ? 0.2e-9 : 2e-9;
      p.c.cohesive.check_every = 0;
      p.job.assembly = (ig_assembly)how;
      p.job.precision = precision ? IG_DOUBLE : IG_SINGLE;
      const ig_status status =
          run_row(cx, sink, &p, "strip, no checks,", ig_bench_size(cx, 3000, 100, 2), NULL);
      ig_frac_problem_free(&p);
      IG_TRY(status);
    }
  return IG_OK;
}

static ig_status bench_ring(ig_ctx *cx, const ig_bench_sink *sink) {
  static const struct {
    int radial, around, gpu, cpu;
    const char *name, *paper;
  } rows[] = {{20, 160, 27000, 100, "ring 12,800", "12.7 s (CPU 376 s) for 27,000 steps"},
              {30, 240, 27000, 80, "ring 28,800", "22.6 s (CPU 900 s) for 27,000 steps"},
              {40, 320, 27000, 50, "ring 51,200", "36.4 s (CPU 1602 s) for 27,000 steps"},
              {96, 768, 27000, 10, "ring 294,912", "200.8 s (CPU 9355 s) for 27,000 steps"},
              {115, 787, 27000, 10, "ring 362,020", "242.8 s (CPU 11,422 s) for 27,000 steps"}};
  const int count = (int)(sizeof rows / sizeof *rows);
  for (int i = 0; i < ig_bench_size(cx, count, count, 1); i++) {
    ig_frac_problem p;
    IG_TRY(ig_frac_problem_ring(&p, cx, rows[i].radial, rows[i].around));
    p.c.time_step = 3e-9;
    const ig_status status = run_row(cx, sink, &p, rows[i].name,
                                     ig_bench_size(cx, rows[i].gpu, rows[i].cpu, 2), rows[i].paper);
    ig_frac_problem_free(&p);
    IG_TRY(status);
  }
  return IG_OK;
}

/* A problem to its end: how many facets opened, beside the paper's number. */
static ig_status count_row(ig_ctx *cx, const ig_bench_sink *sink, ig_frac_problem *p,
                           const char *name, double end, int cohesive, int nodes) {
  ig_frac_model m;
  ig_status status = ig_frac_setup(&p->job, &m);
  const int64_t steps = status == IG_OK ? (int64_t)(end / m.s.dt + 0.5) : 0;
  const double start = ig_now();
  if (status == IG_OK)
    status = ig_frac_model_run(&m, steps);
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  const double seconds = ig_now() - start;
  if (status == IG_OK) {
    const int32_t fresh = m.count.nodes - m.nodes_cut;
    char note[160];
    snprintf(note, sizeof note, "%d cohesive, %d new nodes, %.3f nodes each; paper %d, %d, %.3f",
             m.count.cohesive, fresh, m.count.cohesive ? (double)fresh / m.count.cohesive : 0,
             cohesive, nodes, (double)nodes / cohesive);
    row_put(sink, &m, name, steps, seconds, note);
  }
  ig_frac_model_free(&m);
  ig_frac_problem_free(p);
  return status;
}

/* Readings of the paper's criterion and supports on its two strips; a CPU does the first one of the
   smaller. */
static ig_status bench_counts(ig_ctx *cx, const ig_bench_sink *sink) {
  static const struct {
    const char *name;
    int criterion;
    double threshold, strain;
    bool held; /* edges held along the strip, too: stress along it */
  } ways[] = {{"facet_mean at 0.5 of the strength", IG_FRAC_FACET_MEAN, 0.5, 0.015, false},
              {"held, facet_mean at 0.6", IG_FRAC_FACET_MEAN, 0.6, 0.015, true},
              {"held, facet_mean, strain 0.025", IG_FRAC_FACET_MEAN, 1, 0.025, true},
              {"held, effective_mean, strain 0.0275", IG_FRAC_EFFECTIVE_MEAN, 1, 0.0275, true}};
  static const struct {
    int radial, around, cohesive, nodes;
  } rings[] = {{20, 160, 955, 1816},
               {30, 240, 2506, 4923},
               {40, 320, 4686, 9178},
               {96, 768, 29615, 59055},
               {115, 787, 34245, 68842}};
  char name[96];
  ig_frac_problem p;
  for (int fine = 0; fine < ig_bench_size(cx, 2, 1, 1); fine++)
    for (int i = 0; i < ig_bench_size(cx, 4, 1, 1); i++) {
      IG_TRY(ig_frac_bench_strip(&p, cx, fine));
      ig_frac_bench_stretch(&p, ways[i].strain);
      if (ways[i].held) {
        p.strain[0] = 0;
        p.support[0] = ig_support_fix("ymin", "all");
        p.support[1] = ig_support_fix("ymax", "all");
      }
      p.c.cohesive.criterion = ways[i].criterion;
      p.c.cohesive.insertion_threshold = ways[i].threshold;
      snprintf(name, sizeof name, "strip %s: %s", fine ? "147,456" : "36,864", ways[i].name);
      IG_TRY(count_row(cx, sink, &p, name, ig_bench_size(cx, 20, 20, 0) * 1e-6, fine ? 2976 : 979,
                       fine ? 5842 : 1901));
    }
  for (int i = 0; i < ig_bench_size(cx, 5, 1, 1); i++) {
    IG_TRY(ig_frac_problem_ring(&p, cx, rings[i].radial, rings[i].around));
    p.c.time_step = 3e-9;
    snprintf(name, sizeof name, "ring %dx%d: facet_mean, 950 MPa", rings[i].radial,
             rings[i].around);
    IG_TRY(count_row(cx, sink, &p, name, ig_bench_size(cx, 81, 81, 0) * 1e-6, rings[i].cohesive,
                     rings[i].nodes));
  }
  return IG_OK;
}

/* passes: NULL, or the time of each, which are then waited for one by one. */
static ig_status insertion_row(ig_ctx *cx, const ig_bench_sink *sink, int k, double *passes) {
  static const char *const paper[] = {"0.041 s, its best (Table A.2) 0.036 s",
                                      "0.102 s, its best 0.078 s", "0.194 s, its best 0.116 s",
                                      "0.310 s, its best 0.176 s"};
  ig_frac_problem p;
  const int side = ig_bench_size(cx, 100, 100, 4);
  IG_TRY(ig_frac_problem_annulus(&p, cx, side * k, 6 * side * k, IG_TRI6));
  ig_frac_model m;
  double seconds = 0;
  ig_status status = ig_frac_setup(&p.job, &m);
  if (status == IG_OK)
    status = ig_frac_open_all(&m, 20, 1, &seconds, passes);
  char name[64], note[128];
  for (int i = 0; status == IG_OK && passes && i < IG_FRAC_PASSES; i++) {
    snprintf(name, sizeof name, "insertion %dx%d: %s", side * k, 6 * side * k,
             ig_frac_pass_names[i]);
    snprintf(note, sizeof note, "%.2f us per batch, waited for", 1e6 * passes[i] / 20);
    sink->row(sink->user, &(ig_bench_row){.name = name,
                                          .elements = m.s.ne,
                                          .steps = 20,
                                          .seconds = passes[i],
                                          .rate = m.count.cohesive / passes[i],
                                          .rate_unit = "cohesive elements",
                                          .note = note});
  }
  if (status == IG_OK && !passes) {
    snprintf(name, sizeof name, "insertion %dx%d", side * k, 6 * side * k);
    snprintf(note, sizeof note, "%d nodes, %d cohesive; paper %s", m.count.nodes, m.count.cohesive,
             paper[k - 1]);
    /* flags of facets and nodes are read in each batch; each facet has both its rows rewritten,
       each new node its own copied */
    const double bytes = 20.0 * (3.0 * m.s.ne + m.s.node_max) + (double)m.count.cohesive * 28 +
                         (double)(m.count.nodes - m.nodes_start) * (2 * 6 * 8 + 28);
    sink->row(sink->user, &(ig_bench_row){.name = name,
                                          .elements = m.s.ne,
                                          .steps = 20,
                                          .seconds = seconds,
                                          .rate = m.count.cohesive / seconds,
                                          .rate_unit = "cohesive elements",
                                          .bytes = bytes,
                                          .memory = (double)cx->device_bytes,
                                          .note = note});
  }
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  return status;
}

static ig_status bench_insertion(ig_ctx *cx, const ig_bench_sink *sink) {
  const int most = ig_bench_size(cx, 4, 1, 1);
  for (int k = 1; k <= most; k++)
    IG_TRY(insertion_row(cx, sink, k, NULL));
  double passes[IG_FRAC_PASSES] = {0};
  return insertion_row(cx, sink, most, passes);
}

/* The kernels of a block of ten steps: how often each runs in 10,000 steps, and over how much. */
typedef struct {
  const char *name;
  ig_frac_item item;
  int launches;
} kernel_case;
static const kernel_case kernel_cases[] = {{"cohesive", IG_FRAC_cohesive, 10000},
                                           {"element", IG_FRAC_element, 10000},
                                           {"node", IG_FRAC_node, 10000},
                                           {"stress", IG_FRAC_stress, 1000},
                                           {"average", IG_FRAC_average, 1000},
                                           {"check", IG_FRAC_check, 1000},
                                           {"insertion passes", IG_FRAC_ITEM_KINDS, 1000}};
enum { KERNELS = sizeof kernel_cases / sizeof *kernel_cases };

static ig_status kernel_time(ig_frac_model *m, const kernel_case *k, int repeats, double *seconds) {
  const ig_frac_item item = k->item;
  const int64_t most = item == IG_FRAC_cohesive                            ? m->s.coh_max
                       : item == IG_FRAC_check                             ? 3LL * m->s.ne
                       : item == IG_FRAC_element || item == IG_FRAC_stress ? m->s.ne
                                                                           : m->s.node_max;
  for (int pass = 0; pass < 2; pass++) { /* once to warm up */
    const double start = ig_now();
    for (int i = 0; i < (pass ? repeats : 1); i++)
      if (item != IG_FRAC_ITEM_KINDS)
        IG_TRY(m->ops->run(m->cx, m->kind, m->wide, item, &m->s, 0, -most));
      else
        for (int p = 0; p < IG_FRAC_PASSES; p++)
          IG_TRY(ig_frac_model_pass(m, p));
    IG_TRY(m->cx->backend->sync(m->cx));
    *seconds = (ig_now() - start) / repeats;
  }
  return IG_OK;
}

/* Time of each kernel on a strip that has cracked for a while: a launch (Figure 25) and its share
   of 10,000 steps (Figure 26). */
static ig_status bench_kernels(ig_ctx *cx, const ig_bench_sink *sink) {
  ig_frac_problem p;
  IG_TRY(ig_frac_bench_strip(&p, cx, false));
  ig_frac_model m;
  ig_status status = ig_frac_setup(&p.job, &m);
  if (status == IG_OK)
    status = ig_frac_model_run(&m, ig_bench_size(cx, 5000, 50, 2));
  const int repeats = ig_bench_size(cx, 200, 5, 1);
  double seconds[KERNELS] = {0}, all = 0;
  const int order[KERNELS] = {3, 4, 5, 6,
                              0, 1, 2}; /* the check's insertion comes before the step */
  for (int i = 0; status == IG_OK && i < KERNELS; i++) {
    const kernel_case *k = &kernel_cases[order[i]];
    status = kernel_time(&m, k, repeats, &seconds[order[i]]);
    all += seconds[order[i]] * k->launches;
  }
  for (int i = 0; status == IG_OK && i < KERNELS; i++) {
    const kernel_case *k = &kernel_cases[i];
    const double work = k->item == IG_FRAC_cohesive ? m.count.cohesive : m.s.ne;
    char name[64], note[128];
    snprintf(name, sizeof name, "kernel %s", k->name);
    snprintf(note, sizeof note, "%.2f us per launch; in 10,000 steps %.3f s, %.1f %%",
             1e6 * seconds[i], seconds[i] * k->launches, 100 * seconds[i] * k->launches / all);
    sink->row(sink->user, &(ig_bench_row){.name = name,
                                          .elements = work,
                                          .steps = 1,
                                          .seconds = seconds[i],
                                          .rate = work / seconds[i],
                                          .rate_unit = "element-steps",
                                          .note = note});
  }
#ifdef INGOT_HAVE_CUDA
  if (status == IG_OK && on_gpu(cx)) {
    double stored;
    status = ig_frac_cuda_stored(cx, &m.s, repeats, &stored);
    if (status == IG_OK)
      sink->row(sink->user,
                &(ig_bench_row){.name = "kernel element, stored matrices",
                                .elements = m.s.ne,
                                .steps = 1,
                                .seconds = stored,
                                .rate = m.s.ne / stored,
                                .rate_unit = "element-steps",
                                .bytes = (double)m.s.ne * (144 * 8 + 24),
                                .note = "12 threads per element, transposed, as in the paper"});
  }
#endif
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  return status;
}

const ig_bench_entry ig_frac_bench[] = {
    {"strip", "notched strip, quadratic triangles: the paper's Table VII", bench_strip},
    {"assembly", "quadratic triangles by atomic, color, gather and cluster", bench_assembly},
    {"ring", "pressurised ring: the paper's Table IX", bench_ring},
    {"counts", "cohesive elements and new nodes beside the paper's Tables VI and VIII",
     bench_counts},
    {"insertion", "every facet of an annulus opened, random order, 20 batches: Table V",
     bench_insertion},
    {"ranks", "a million triangles (two on a GPU) on one rank and on several", ig_frac_bench_ranks},
    {"kernels", "time of each kernel: the paper's Figures 25 and 26", bench_kernels},
    {"speedup", "Tables V, VII, IX and A.2 against one CPU thread", ig_frac_bench_speedup},
    {.name = NULL}};
