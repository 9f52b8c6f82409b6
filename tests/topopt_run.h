/* Optimisations of cases given as text, and what they say at their end. */
#ifndef IG_TESTS_TOPOPT_RUN_H
#define IG_TESTS_TOPOPT_RUN_H

#include "check.h"
#include "folder.h"
#include <ingot/run.h>

typedef struct {
  double objective, volume, pieces, cavities, surface_volume, load_case[2];
  double islands, part_compliance, part_stress, mass, stress, surface_level, model_mass;
  double load_sum[3], reaction_sum[3], heat_in, heat_out;
  double part_stress_fine, part_stress_error, part_compliance_fine, part_compliance_error;
  double part_displacement, part_constraint, surface_good, surface_open_edges, surface_off_faces;
  double overhang_area, overhang_area_30, overhang_area_held, grayness;
  char feasible[240], stopped[200], warning[2000];
  int64_t steps;
} outcome;

static inline void keep_figure(void *user, const char *key, double value, const char *unit,
                               const char *text) {
  (void)unit;
  outcome *o = user;
  double *const number[] = {&o->objective,
                            &o->volume,
                            &o->pieces,
                            &o->cavities,
                            &o->surface_volume,
                            &o->load_case[0],
                            &o->load_case[1],
                            &o->islands,
                            &o->part_compliance,
                            &o->part_stress,
                            &o->mass,
                            &o->stress,
                            &o->surface_level,
                            &o->model_mass,
                            &o->load_sum[0],
                            &o->load_sum[1],
                            &o->load_sum[2],
                            &o->reaction_sum[0],
                            &o->reaction_sum[1],
                            &o->reaction_sum[2],
                            &o->heat_in,
                            &o->heat_out,
                            &o->part_stress_fine,
                            &o->part_stress_error,
                            &o->part_compliance_fine,
                            &o->part_compliance_error,
                            &o->part_displacement,
                            &o->part_constraint,
                            &o->surface_good,
                            &o->surface_open_edges,
                            &o->surface_off_faces,
                            &o->overhang_area,
                            &o->overhang_area_30,
                            &o->overhang_area_held,
                            &o->grayness};
  static const char *const name[] = {"objective",
                                     "volume",
                                     "pieces",
                                     "cavities",
                                     "surface_volume",
                                     "load_case_1",
                                     "load_case_2",
                                     "islands_removed",
                                     "part_compliance",
                                     "part_stress",
                                     "mass",
                                     "constraint_1_stress",
                                     "surface_level",
                                     "model_mass",
                                     "load_sum_x",
                                     "load_sum_y",
                                     "load_sum_z",
                                     "reaction_sum_x",
                                     "reaction_sum_y",
                                     "reaction_sum_z",
                                     "heat_in",
                                     "heat_out",
                                     "part_stress_fine",
                                     "part_stress_error",
                                     "part_compliance_fine",
                                     "part_compliance_error",
                                     "part_displacement",
                                     "part_constraint_1_stress",
                                     "surface_good",
                                     "surface_open_edges",
                                     "surface_off_faces",
                                     "overhang_area",
                                     "overhang_area_30",
                                     "overhang_area_held",
                                     "grayness"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++)
    if (strcmp(key, name[i]) == 0)
      *number[i] = value;
  if (text && strcmp(key, "feasible") == 0)
    snprintf(o->feasible, sizeof o->feasible, "%s", text);
  if (text && strcmp(key, "stopped") == 0)
    snprintf(o->stopped, sizeof o->stopped, "%s", text);
}

static inline void keep_warning(void *user, ig_log_level level, const char *text) {
  outcome *o = user;
  const size_t used = strlen(o->warning);
  if (level == IG_LOG_WARN)
    snprintf(o->warning + used, sizeof o->warning - used, "%s\n", text);
}

static inline ig_status run_text(const char *backend, const char *text, outcome *o, char *says) {
  char *folder = folder_new();
  ig_ctx *cx = NULL;
  ig_case *c = NULL;
  memset(o, 0, sizeof *o);
  GOOD(cx, ig_ctx_open(
               &(ig_ctx_options){.backend = backend, .threads = 1, .log = keep_warning, .user = o},
               &cx));
  file_write(in_folder(folder, "case.yaml"), text, strlen(text));
  ig_status status = ig_case_open(cx, in_folder(folder, "case.yaml"), &c);
  ig_run_stats stats = {0};
  if (status == IG_OK)
    status = ig_run(
        c, &(ig_run_options){
               .out = in_folder(folder, "out"), .stats = &stats, .figure = keep_figure, .user = o});
  o->steps = stats.steps;
  if (says)
    snprintf(says, 512, "%s", ig_ctx_message(cx));
  ig_case_close(c);
  ig_ctx_close(cx);
  folder_remove(folder);
  return status;
}

static inline void run_good(const char *backend, const char *text, outcome *o) {
  char says[512];
  if (run_text(backend, text, o, says) != IG_OK)
    fail_msg("%s", says);
}

/* Cases that must be refused, each with these words. */
static inline void run_refused(const char *const bad[][2], size_t count) {
  for (size_t i = 0; i < count; i++) {
    char says[512];
    outcome o;
    assert_int_equal(run_text("cpu", bad[i][0], &o, says), IG_INPUT);
    if (!strstr(says, bad[i][1]))
      fail_msg("expected '%s' in: %s", bad[i][1], says);
  }
}

#endif
