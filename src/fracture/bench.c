/* The room's benchmarks: the rows of the paper's Tables V, VII and IX, its Figures 25 and 26 (time
   a kernel), and its stored-matrix kernel beside ours. A CPU does a part of each. */
#include "fracture/fracture.h"

#include "fracture/cuda.h"

#include <stdio.h>
#include <string.h>

static bool on_gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

/* Bytes a step must move at least, each once: an element reads its nodes' numbers; a node its
   position, force and mass, and has displacement and velocity read and written. Gather adds the
   slots, written and read, and their list; the others the sums, added to and cleared. */
static double bytes_per_step(const frac_model *m) {
  const double real = m->wide ? 8 : 4, dim = m->shape.dim, nn = m->shape.nodes;
  const double slots = m->s.how == IG_GATHER ? nn * (2 * dim * real + 4) : 0;
  const double sums = m->s.how == IG_GATHER ? 8 : 3 * dim * real;
  return (double)m->s.ne * (nn * 4 + 1 + slots) +
         (double)m->count.nodes * (real * (5 * dim + 1) + 4 + sums);
}

static const char *const how_names[] = {"atomic", "color", "gather"};

/* Steps of a problem, after a few to warm up. */
static ig_status run_row(ig_ctx *cx, const ig_bench_sink *sink, frac_problem *p, const char *name,
                         int64_t steps, const char *paper) {
  frac_model m;
  ig_status status = frac_setup(&p->job, &m);
  const int64_t warm = 20;
  double start = 0;
  if (status == IG_OK)
    status = frac_model_run(&m, warm);
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  start = ig_now();
  if (status == IG_OK)
    status = frac_model_run(&m, warm + steps);
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  const double seconds = ig_now() - start;
  if (status == IG_OK) {
    char label[96], note[160];
    snprintf(label, sizeof label, "%s %s %s", name, m.wide ? "double" : "single",
             how_names[m.s.how]);
    snprintf(note, sizeof note, "%d cohesive, %.2f us a step%s%s", m.count.cohesive,
             1e6 * seconds / (double)steps, paper ? "; paper " : "", paper ? paper : "");
    sink->row(sink->user, &(ig_bench_row){.name = label,
                                          .elements = m.s.ne,
                                          .steps = (double)steps,
                                          .seconds = seconds,
                                          .rate = (double)m.s.ne * (double)steps / seconds,
                                          .rate_unit = "element-steps",
                                          .bytes = (double)steps * bytes_per_step(&m),
                                          .memory = (double)cx->device_bytes,
                                          .note = note});
  }
  frac_model_free(&m);
  return status;
}

static ig_status bench_strip(ig_ctx *cx, const ig_bench_sink *sink) {
  static const ig_assembly hows[] = {IG_GATHER, IG_ATOMIC, IG_COLOR};
  frac_problem p;
  ig_status status = IG_OK;
  for (int precision = 1; status == IG_OK && precision >= 0; precision--)
    for (int i = 0; status == IG_OK && i < (precision ? 3 : 1); i++) {
      IG_TRY(frac_problem_strip(&p, cx, 48, IG_TRI6));
      p.c.time.step = 2e-9;
      p.job.assembly = hows[i];
      p.job.precision = precision ? IG_DOUBLE : IG_SINGLE;
      status = run_row(cx, sink, &p, "strip 36,864", on_gpu(cx) ? 10000 : 100,
                       precision ? "11.8 s for 10,000 steps" : NULL);
      frac_problem_free(&p);
    }
  IG_TRY(status);
  IG_TRY(frac_problem_strip(&p, cx, 96, IG_TRI6));
  p.c.time.step = 0.5e-9;
  status =
      run_row(cx, sink, &p, "strip 147,456", on_gpu(cx) ? 40000 : 40, "153.8 s for 40,000 steps");
  frac_problem_free(&p);
  return status;
}

static ig_status bench_ring(ig_ctx *cx, const ig_bench_sink *sink) {
  static const struct {
    int radial, around, gpu, cpu;
    const char *name, *paper;
  } rows[] = {{20, 160, 27000, 100, "ring 12,800", "12.7 s for 27,000 steps"},
              {40, 320, 27000, 50, "ring 51,200", "36.4 s for 27,000 steps"},
              {115, 787, 27000, 10, "ring 362,020", "242.8 s for 27,000 steps"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    frac_problem p;
    IG_TRY(frac_problem_ring(&p, cx, rows[i].radial, rows[i].around));
    p.c.time.step = 3e-9;
    const ig_status status =
        run_row(cx, sink, &p, rows[i].name, on_gpu(cx) ? rows[i].gpu : rows[i].cpu, rows[i].paper);
    frac_problem_free(&p);
    IG_TRY(status);
  }
  return IG_OK;
}

static ig_status bench_insertion(ig_ctx *cx, const ig_bench_sink *sink) {
  static const char *const paper[] = {"0.041 s", "0.102 s", "0.194 s", "0.310 s"};
  for (int k = 1; k <= (on_gpu(cx) ? 4 : 1); k++) {
    frac_problem p;
    IG_TRY(frac_problem_annulus(&p, cx, 100 * k, 600 * k, IG_TRI6));
    frac_model m;
    double seconds = 0;
    ig_status status = frac_setup(&p.job, &m);
    if (status == IG_OK)
      status = frac_open_all(&m, 20, 1, &seconds);
    if (status == IG_OK) {
      char name[64], note[96];
      snprintf(name, sizeof name, "insertion %dx%d", 100 * k, 600 * k);
      snprintf(note, sizeof note, "%d nodes, %d cohesive; paper %s", m.count.nodes,
               m.count.cohesive, paper[k - 1]);
      /* each facet has both its rows rewritten, each new node its state copied */
      const double bytes = 20.0 * 3 * m.s.ne + (double)m.count.cohesive * (28 + 8 * (24 + 3)) +
                           (double)(m.count.nodes - m.nodes_start) * (2 * 6 * 8 + 28) +
                           20.0 * m.count.nodes * 9;
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
    frac_model_free(&m);
    frac_problem_free(&p);
    IG_TRY(status);
  }
  return IG_OK;
}

/* Time of each kernel on a strip that has cracked for a while. */
static ig_status bench_kernels(ig_ctx *cx, const ig_bench_sink *sink) {
  static const struct {
    frac_item item;
    const char *name;
  } items[] = {{FRAC_cohesive, "cohesive"}, {FRAC_element, "element"}, {FRAC_node, "node"},
               {FRAC_stress, "stress"},     {FRAC_average, "average"}, {FRAC_check, "check"},
               {FRAC_mass, "mass"}};
  frac_problem p;
  IG_TRY(frac_problem_strip(&p, cx, 48, IG_TRI6));
  p.c.time.step = 2e-9;
  p.c.plane = 0;
  p.c.cohesive.criterion = FRAC_PRINCIPAL_MAX;
  frac_model m;
  ig_status status = frac_setup(&p.job, &m);
  if (status == IG_OK)
    status = frac_model_run(&m, on_gpu(cx) ? 5000 : 50);
  const int repeats = on_gpu(cx) ? 200 : 5;
  for (size_t i = 0; status == IG_OK && i < sizeof items / sizeof *items; i++) {
    const int64_t most = items[i].item == FRAC_cohesive  ? m.s.coh_max
                         : items[i].item == FRAC_check   ? 3LL * m.s.ne
                         : items[i].item == FRAC_element ? m.s.ne
                         : items[i].item == FRAC_stress  ? m.s.ne
                                                         : m.s.node_max;
    const bool whole = items[i].item == FRAC_mass; /* asked for by range, or nothing is due */
    double seconds = 0;
    for (int pass = 0; status == IG_OK && pass < 2; pass++) {
      const double start = ig_now();
      for (int k = 0; status == IG_OK && k < (pass ? repeats : 1); k++)
        status =
            m.ops->run(cx, m.kind, m.wide, items[i].item, &m.s, 0, whole ? m.count.nodes : -most);
      if (status == IG_OK)
        status = cx->backend->sync(cx);
      seconds = (ig_now() - start) / repeats;
    }
    const double work = items[i].item == FRAC_cohesive ? m.count.cohesive : m.s.ne;
    char name[64], note[64];
    snprintf(name, sizeof name, "kernel %s", items[i].name);
    snprintf(note, sizeof note, "%.2f us a launch", 1e6 * seconds);
    if (status == IG_OK)
      sink->row(sink->user, &(ig_bench_row){.name = name,
                                            .elements = work,
                                            .steps = 1,
                                            .seconds = seconds,
                                            .rate = work / seconds,
                                            .rate_unit = "element-steps",
                                            .note = note});
  }
#ifdef INGOT_HAVE_CUDA
  if (status == IG_OK && on_gpu(cx)) {
    double seconds;
    status = frac_cuda_stored(cx, &m.s, repeats, &seconds);
    if (status == IG_OK)
      sink->row(sink->user,
                &(ig_bench_row){.name = "kernel element, stored matrices",
                                .elements = m.s.ne,
                                .steps = 1,
                                .seconds = seconds,
                                .rate = m.s.ne / seconds,
                                .rate_unit = "element-steps",
                                .bytes = (double)m.s.ne * (144 * 8 + 24),
                                .note = "12 threads an element, transposed, as in the paper"});
  }
#endif
  frac_model_free(&m);
  frac_problem_free(&p);
  return status;
}

const ig_bench_entry frac_bench[] = {
    {"strip", "notched strip, quadratic triangles: the paper's Table VII", bench_strip},
    {"ring", "pressurised ring: the paper's Table IX", bench_ring},
    {"insertion", "every facet of an annulus opened, random order, 20 batches: Table V",
     bench_insertion},
    {"kernels", "time of each kernel: the paper's Figures 25 and 26", bench_kernels},
    {.name = NULL}};
