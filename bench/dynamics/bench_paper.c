/* The times of Tang et al. (2020).

   paper    Tables 1 to 3: their three examples, each on their meshes, in double precision. A GPU
            does all steps of an analysis that take less than a few seconds, else as many as fit;
            the CPU does a few. As theirs the times contain 100 exports of the displacements, to a
            file. "Unified" is their measure: seconds per 10^4 elements and 10^4 steps.
   speedup  Figure 10: 2000 steps of beams, shells and hexahedra, a GPU against one CPU thread.
   tasks    Figures 20 and 21: the element pass and the particle pass (which gathers) alone.
   kernels  Table 4: registers and occupancy. They have six kernels, we have two passes.

   The paper's text does not give the annulus' geometry and material, nor the cylinder's density:
   those are ours, and times do not depend on them. Loads and supports are those of the paper: a
   body that only flies apart or tumbles without end is no measure, and breaks before 10^5 steps.
   Its domes are meshes we do not know: ours have rings of triangles and nearly the same number of
   elements. */
#include "bench/dynamics/bench.h"
#include "backend/backend.h"
#include "geometry/mesh_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  int cells[3];    /* dome: rings; cylinder: around, along; annulus: through, around, along */
  double fpm, one; /* their unified times: FPM on a GTX 980 Ti, Abaqus on one core */
} paper_mesh;
typedef struct {
  const char *name;
  ig_status (*mesh)(ig_dyn_problem *q, const int *cells);
  void (*load)(ig_dyn_problem *q, ig_dyn_load load[2], ig_support_case *fix);
  double thickness, young, density, yield, hardening, time_step;
  int steps, meshes;
  paper_mesh at[5];
} paper_example;

static ig_status dome(ig_dyn_problem *q, const int *cells) {
  const ig_mesh_case mesh = {.dome = {.at.given = true,
                                      .radius = 0.565658,
                                      .angle = 0.465479,
                                      .rings = cells[0],
                                      .sectors = 6}};
  return ig_mesh_generate(q->cx, &mesh, &q->mesh);
}
/* 600 psi at once on a clamped dome */
static void dome_load(ig_dyn_problem *q, ig_dyn_load load[2], ig_support_case *fix) {
  load[0] = ig_dyn_force_on("all", NAN, NAN, NAN);
  load[0].pressure = 4.13685e6;
  *fix = ig_support_fix("edge", "all");
  q->c.loads = (ig_list){1, load};
  q->c.supports = (ig_list){1, fix};
}

/* The node of a ring at z = 3.048 on the x axis, on the side `user` points to. */
static bool pinched_here(void *user, const double x[3]) {
  return fabs(x[0] - *(const double *)user) < 1e-6 && fabs(x[2] - 3.048) < 1e-6;
}
static ig_status cylinder(ig_dyn_problem *q, const int *cells) {
  const ig_mesh_case mesh = {.cylinder_shell = {.at.given = true,
                                                .radius = 1.016,
                                                .height = 3.048,
                                                .angle = 6.283185307179586,
                                                .cells = IG_ROW(cells[0], cells[1])}};
  double right = 1.016, left = -1.016;
  IG_TRY(ig_mesh_generate(q->cx, &mesh, &q->mesh));
  IG_TRY(ig_dyn_problem_set(q, "right", pinched_here, &right));
  return ig_dyn_problem_set(q, "left", pinched_here, &left);
}
/* two forces that grow over a second, at the free end of a clamped cylinder */
static void cylinder_load(ig_dyn_problem *q, ig_dyn_load load[2], ig_support_case *fix) {
  static double time[] = {0, 1}, share[] = {0, 1};
  for (int i = 0; i < 2; i++) {
    load[i] = ig_dyn_force_on(i ? "left" : "right", i ? 1000 : -1000, 0, 0);
    load[i].history = (ig_table){2, time, share};
  }
  *fix = ig_support_fix("bottom", "all");
  q->c.loads = (ig_list){2, load};
  q->c.supports = (ig_list){1, fix};
}

static ig_status annulus(ig_dyn_problem *q, const int *cells) {
  const ig_in_cylinder outside = {.at.given = true,
                                  .from = IG_ROW(0, 0, -1),
                                  .to = IG_ROW(0, 0, 1),
                                  .inner = 0.4999,
                                  .radius = 1};
  ig_pick_case sets[] = {
      {.name = "right", .of = IG_PICK_FACES, .place = {.cylinder = outside}},
      {.name = "left", .of = IG_PICK_FACES, .place = {.cylinder = outside}},
  };
  sets[0].place.box =
      (ig_in_box){.at.given = true, .min = IG_ROW(0.48, -0.1, -1), .max = IG_ROW(1, 0.1, 1)};
  sets[1].place.box =
      (ig_in_box){.at.given = true, .min = IG_ROW(-1, -0.1, -1), .max = IG_ROW(-0.48, 0.1, 1)};
  sets[0].place.at.given = sets[1].place.at.given = true;
  const ig_mesh_case mesh = {.tube = {.at.given = true,
                                      .inner = 0.4,
                                      .outer = 0.5,
                                      .height = 0.12,
                                      .cells = IG_ROW(cells[0], cells[1], cells[2])},
                             .sets = {2, sets}};
  return ig_mesh_generate(q->cx, &mesh, &q->mesh);
}
/* a pressure on two sides that grows to 5.25 MPa over 5 ms; nothing is held */
static void annulus_load(ig_dyn_problem *q, ig_dyn_load load[2], ig_support_case *fix) {
  static double time[] = {0, 5e-3}, share[] = {0, 1};
  (void)fix;
  for (int i = 0; i < 2; i++) {
    load[i] = ig_dyn_force_on(i ? "left" : "right", NAN, NAN, NAN);
    load[i].pressure = 5.25e6;
    load[i].history = (ig_table){2, time, share};
  }
  q->c.loads = (ig_list){2, load};
}

static const paper_example examples[] = {
    {"dome (Table 1)",
     dome,
     dome_load,
     0.010414,
     72.395e9,
     2618.3,
     165.47e6,
     1.4479e9,
     1e-7,
     10000,
     5,
     {{{12}, 216.6, 36.6},
      {{22}, 84.8, 36.1},
      {{35}, 61.2, 39.3},
      {{55}, 37.3, 41.6},
      {{69}, 29.9, 42.0}}},
    {"pinched cylinder (Table 2)",
     cylinder,
     cylinder_load,
     0.03,
     20.685e6,
     1000,
     NAN,
     0,
     1e-5,
     100000,
     5,
     {{{100, 50}, 29.4, 56.5},
      {{200, 100}, 14.8, 55.9},
      {{300, 150}, 12.6, 55.8},
      {{400, 200}, 12.1, 56.0},
      {{600, 300}, 11.6, 55.6}}},
    {"annulus (Table 3)",
     annulus,
     annulus_load,
     0,
     10e9,
     2700,
     NAN,
     0,
     2e-6,
     10000,
     4,
     {{{5, 64, 6}, 295.0, 141.2},
      {{10, 128, 12}, 33.6, 147.7},
      {{20, 256, 24}, 15.6, 163.0},
      {{40, 512, 48}, 13.2, 146.9}}},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static bool on_gpu(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA;
}

/* The example on one of its meshes with its loads, ready to go at the paper's step, or below the
   critical one where that is smaller. */
static ig_status example_open(ig_dyn_problem *q, const paper_example *e, const paper_mesh *at,
                              ig_dyn_load load[2], ig_support_case *fix, ig_dyn_model **m) {
  double critical;
  ig_dyn_problem_material(q, e->density, e->young, 0.3);
  q->material.yield = e->yield;
  q->material.hardening = isnan(e->yield) ? NAN : e->hardening;
  q->section.thickness = e->thickness;
  IG_TRY(e->mesh(q, at->cells));
  e->load(q, load, fix);
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(ig_dyn_critical_step(*m, &critical));
  return ig_dyn_set_clock(*m, fmin(0.8 * critical, e->time_step), 0);
}

/* Displacements of all particles, from the device to a file, over the last ones: a hundred of the
   largest mesh would be 2.4 GB. */
static ig_status displacements_export(ig_dyn_model *m, FILE *file) {
  IG_TRY(ig_array_pull(m->cx, &m->x));
  rewind(file);
  for (int64_t n = 0; n < m->p.nodes; n++) {
    double row[3];
    for (int c = 0; c < 3; c++)
      row[c] = ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c];
    if (fwrite(row, sizeof row, 1, file) != 1)
      return IG_FAIL(m->cx, IG_IO, "a temporary file cannot be written");
  }
  if (fflush(file))
    return IG_FAIL(m->cx, IG_IO, "a temporary file cannot be written");
  return IG_OK;
}

/* Time of `steps` of a model, or of as many as take `limit` seconds; says how many. With a file,
   displacements are exported to it after every portion, which counts by its share of a hundredth of
   all steps; `exports` is that part of the time. */
static ig_status steps_time(ig_dyn_model *m, int64_t steps, double limit, FILE *file, int64_t *done,
                            double *seconds, double *exports) {
  ig_ctx *cx = m->cx;
  const int64_t most = ig_bench_size(cx, 500, 10, 1), between = steps / 100;
  const int64_t portion = file && between < most ? between : most;
  IG_TRY(ig_dyn_advance(m, 51)); /* warm, and recorded where there are graphs */
  IG_TRY(cx->backend->sync(cx));
  *done = 0;
  *seconds = 0;
  while (*done < steps && *seconds < limit) {
    const int64_t n = steps < portion ? steps : portion;
    const double start = ig_now();
    IG_TRY(ig_dyn_advance(m, n));
    IG_TRY(cx->backend->sync(cx));
    const double stepped = ig_now();
    *seconds += stepped - start;
    if (file) {
      IG_TRY(displacements_export(m, file));
      const double share = (double)n / (double)between * (ig_now() - stepped);
      *seconds += share;
      *exports += share;
    }
    *done += n;
  }
  return ig_fault_check(cx, "element", m->fault_ids);
}

static ig_status example_row(ig_ctx *cx, const ig_bench_sink *sink, const paper_example *e,
                             int mesh) {
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  ig_dyn_load load[2];
  ig_support_case fix;
  const paper_mesh *at = &e->at[mesh];
  int64_t steps;
  double seconds, exports = 0;
  char name[64], note[256];
  FILE *file = tmpfile();
  if (!file)
    return IG_FAIL(cx, IG_IO, "no temporary file can be made");
  ig_status status = ig_dyn_problem_new(cx, &q);
  if (status == IG_OK)
    status = example_open(&q, e, at, load, &fix, &m);
  if (status == IG_OK)
    status =
        steps_time(m, e->steps, ig_bench_seconds(cx, 3, 0.3), file, &steps, &seconds, &exports);
  if (status == IG_OK) {
    const double elements = ig_mesh_elements(q.mesh), per = seconds / (double)steps;
    snprintf(name, sizeof name, "%s, mesh %d", e->name, mesh + 1);
    snprintf(note, sizeof note,
             "all %d steps %.3g s, 100 exports %.3g s of it; unified %.4g s, paper: FPM %.4g, "
             "Abaqus on one core %.4g",
             e->steps, per * e->steps, exports / (double)steps * e->steps, per * 1e8 / elements,
             at->fpm, at->one);
    const ig_bench_row row = {.name = name,
                              .elements = elements,
                              .steps = (double)steps,
                              .seconds = seconds,
                              .rate = elements / per,
                              .rate_unit = "element-steps",
                              .bytes = ig_dyn_step_bytes(m) * (double)steps,
                              .memory = (double)cx->device_bytes,
                              .note = note};
    sink->row(sink->user, &row);
  }
  fclose(file);
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}

ig_status ig_dyn_bench_paper(ig_ctx *cx, const ig_bench_sink *sink) {
  for (int i = 0; i < EXAMPLES; i++)
    for (int k = 0; k < ig_bench_size(cx, examples[i].meshes, 2, 1); k++) {
      IG_TRY(example_row(cx, sink, &examples[i], k));
      if (cx->interrupted)
        return IG_OK;
    }
  return IG_OK;
}

/* --- Figure 10 */

/* Seconds per step of a subject of about `elements` elements; a CPU does few steps. */
static ig_status subject_time(ig_ctx *cx, const ig_dyn_subject *s, int size, double *elements,
                              double *per_step) {
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  int64_t steps;
  double seconds;
  IG_TRY(ig_dyn_problem_new(cx, &q));
  ig_status status = ig_dyn_subject_open(&q, s, size, IG_DOUBLE, IG_GATHER, &m);
  if (status == IG_OK)
    status = steps_time(m, 2000, ig_bench_seconds(cx, 2, 0.2), NULL, &steps, &seconds, NULL);
  if (status == IG_OK) {
    *elements = ig_mesh_elements(q.mesh);
    *per_step = seconds / (double)steps;
  }
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}

ig_status ig_dyn_bench_speedup(ig_ctx *cx, const ig_bench_sink *sink) {
  static const struct {
    int subject, size[3]; /* about 10^3, 10^4, 10^5 elements */
    double theirs;
    const char *name;
  } of[] = {{IG_SUBJECT_BEAM, {23, 71, 224}, 8, "beams"},
            {IG_SUBJECT_HEX, {5, 10, 22}, 25, "hexahedra, 8 points"},
            {IG_SUBJECT_LAYERS, {16, 50, 158}, 48, "shells, 20 points"}};
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  ig_ctx *one;
  ig_status status = ig_ctx_open(&options, &one);
  if (status != IG_OK)
    status = IG_FAIL(cx, status, "%s", ig_ctx_message(one));
  else
    one->smoke = cx->smoke;
  for (int i = 0; i < 9 && status == IG_OK && !cx->interrupted; i++) {
    const int k = i / 3, size = ig_bench_size(cx, of[k].size[i % 3], of[k].size[i % 3], 2);
    double elements, here, serial = 0;
    char name[64], note[128];
    status = subject_time(cx, &ig_dyn_subjects[of[k].subject], size, &elements, &here);
    if (status == IG_OK)
      status = subject_time(one, &ig_dyn_subjects[of[k].subject], size, &elements, &serial);
    if (status != IG_OK)
      break;
    snprintf(name, sizeof name, "Figure 10: %s", of[k].name);
    snprintf(note, sizeof note,
             "one CPU thread %.3g s; %.3g x (paper, above 10^4 elements: %.0f x, GTX 760 against "
             "i7-2600)",
             2000 * serial, serial / here, of[k].theirs);
    const ig_bench_row row = {.name = name,
                              .elements = elements,
                              .steps = 2000,
                              .seconds = 2000 * here,
                              .rate = elements / here,
                              .rate_unit = "element-steps",
                              .note = note};
    sink->row(sink->user, &row);
  }
  ig_ctx_close(one);
  return status;
}

/* --- Figures 20 and 21 */

static ig_status pass_time(ig_dyn_model *m, bool elements, double *seconds) {
  ig_ctx *cx = m->cx;
  const int passes = ig_bench_size(cx, 500, 10, 1);
  IG_TRY(ig_dyn_pass(m, elements));
  IG_TRY(cx->backend->sync(cx));
  const double start = ig_now();
  for (int i = 0; i < passes; i++)
    IG_TRY(ig_dyn_pass(m, elements));
  IG_TRY(cx->backend->sync(cx));
  *seconds = (ig_now() - start) / passes;
  return IG_OK;
}

static ig_status tasks_row(ig_ctx *cx, const ig_bench_sink *sink, const paper_example *e,
                           int mesh) {
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  ig_dyn_load load[2];
  ig_support_case fix;
  int64_t steps;
  double seconds, pass[2];
  char name[64], note[128];
  IG_TRY(ig_dyn_problem_new(cx, &q));
  ig_status status;
  IG_TRY_GOTO(status, done, example_open(&q, e, &e->at[mesh], load, &fix, &m));
  IG_TRY_GOTO(status, done,
              steps_time(m, 1000, ig_bench_seconds(cx, 0.3, 0.3), NULL, &steps, &seconds, NULL));
  IG_TRY_GOTO(status, done, ig_dyn_set_clock(m, 1e-30, 0)); /* passes alone move nothing */
  for (int i = 0; i < 2; i++)
    IG_TRY_GOTO(status, done, pass_time(m, i == 0, &pass[i]));
  snprintf(name, sizeof name, "%s, mesh %d", e->name, mesh + 1);
  snprintf(note, sizeof note, "elements %.3g us (%.0f %% of both), particles with gather %.3g us",
           1e6 * pass[0], 100 * pass[0] / (pass[0] + pass[1]), 1e6 * pass[1]);
  const double elements = ig_mesh_elements(q.mesh);
  const ig_bench_row row = {.name = name,
                            .elements = elements,
                            .steps = (double)steps,
                            .seconds = seconds,
                            .rate = elements * (double)steps / seconds,
                            .rate_unit = "element-steps",
                            .memory = (double)cx->device_bytes,
                            .note = note};
  sink->row(sink->user, &row);
done:
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}

ig_status ig_dyn_bench_tasks(ig_ctx *cx, const ig_bench_sink *sink) {
  for (int i = 1; i < EXAMPLES; i++)
    for (int k = 0; k < ig_bench_size(cx, examples[i].meshes, 1, 1); k++)
      IG_TRY(tasks_row(cx, sink, &examples[i], k));
  return IG_OK;
}

/* --- Table 4 */

ig_status ig_dyn_bench_kernels(ig_ctx *cx, const ig_bench_sink *sink) {
  static const int of[] = {IG_SUBJECT_SHELL, IG_SUBJECT_LAYERS, IG_SUBJECT_HEX, IG_SUBJECT_BEAM};
  static const int size[] = {50, 50, 10, 71};
  static const char *const theirs[] = {
      "paper, triangular shell: 64 to 112 registers, 25 to 50 %; particles 152 and 88, 19 to 31 %",
      "", "paper, hexahedron: 30 to 128 registers, 25 to 100 %; particles 152, 19 %", ""};
  if (!on_gpu(cx)) {
    ig_warn(cx, "left out: this benchmark is for a GPU");
    return IG_OK;
  }
  for (int i = 0; i < 4; i++) {
    const ig_dyn_subject *s = &ig_dyn_subjects[of[i]];
    ig_dyn_problem q;
    ig_dyn_model *m = NULL;
    ig_dyn_kernel_cost cost[2];
    char note[256];
    IG_TRY(ig_dyn_problem_new(cx, &q));
    ig_status status = ig_dyn_subject_open(&q, s, size[i], IG_DOUBLE, IG_GATHER, &m);
    if (status == IG_OK)
      status = ig_dyn_kernels(m, cost);
    if (status == IG_OK) {
      snprintf(note, sizeof note,
               "elements: %d registers, %d B spilled, occupancy %.1f %%; particles: %d registers, "
               "occupancy %.1f %%. %s",
               cost[0].registers, cost[0].spilled, 100 * cost[0].occupancy, cost[1].registers,
               100 * cost[1].occupancy, theirs[i]);
      const ig_bench_row row = {.name = s->name,
                                .elements = ig_mesh_elements(q.mesh),
                                .rate_unit = "element-steps",
                                .note = note};
      sink->row(sink->user, &row);
    }
    ig_dyn_model_free(m);
    ig_dyn_problem_free(&q);
    IG_TRY(status);
  }
  return IG_OK;
}
