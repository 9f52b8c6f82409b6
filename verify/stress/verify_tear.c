/* Verification: supports that tear off. Four columns side by side, Poisson's ratio 0, with the
   strengths 98, 130 and 190 MPa and one that does not tear, under a cap of 10^4 times their
   modulus. */
#include "verify/stress/verify.h"

#include <math.h>

enum { COLUMNS = 4, ROWS = 2 };
#define YOUNG 200e9
#define HEIGHT 2.0 /* of a column, m; its section is 1 m^2 */

static const double strength[COLUMNS - 1] = {98e6, 130e6, 190e6};

/* Columns of cells of 1 m, the cap on top of them. The sets must outlive the model. */
static ig_status columns_new(ig_ctx *cx, ig_stress_problem *q, ig_stress_tearing tearing[],
                             const char *name[]) {
  ig_set *set;
  ig_stress_problem_new(cx, q);
  IG_TRY(
      ig_stress_problem_box(q, (double[]){COLUMNS, 1, HEIGHT + 1}, (int[]){COLUMNS, 1, ROWS + 1}));
  ig_stress_problem_material(q, 0, YOUNG, 0, 0, NAN, NAN, 0);
  ig_stress_problem_material(q, 1, 1e4 * YOUNG, 0, 0, NAN, NAN, 0);
  static const char *cap = "cap";
  q->material[1].set = (ig_texts){1, &cap};
  q->materials.count = 2;
  IG_TRY(ig_mesh_add_set(cx, q->mesh, cap, IG_SET_ELEMENTS, COLUMNS, &set));
  for (int i = 0; i < COLUMNS; i++)
    set->item[i] = COLUMNS * ROWS + i;
  for (int i = 0; i < COLUMNS - 1; i++) {
    IG_TRY(ig_mesh_add_set(cx, q->mesh, name[i], IG_SET_ELEMENTS, ROWS, &set));
    for (int k = 0; k < ROWS; k++)
      set->item[k] = COLUMNS * k + i;
    tearing[i] =
        (ig_stress_tearing){.set = {1, name + i},
                            .strength = strength[i],
                            .stress = i == 1 ? IG_TEARS_BY_PRINCIPAL : IG_TEARS_BY_TRACTION};
  }
  q->c.tearing = (ig_list){COLUMNS - 1, tearing};
  ig_stress_problem_hold(q, "z0", "xyz");
  ig_stress_problem_hold(q, "z1", "xy");
  return IG_OK;
}

static ig_status pull(ig_stress_problem *q, double time) {
  IG_TRY(ig_stress_problem_step(q, time - q->time, T_START, NULL, NULL));
  const ig_stress_goal done = {.time = q->time, .T0 = q->T0, .T1 = q->T1};
  return ig_stress_tear(q->m, &done, 0);
}

/* Where the cap is moved, a column that tears does not load the others: they tear one after the
   other, and the energy of each is lost. */
static ig_status moved(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *name[COLUMNS - 1] = {"first", "second", "third"};
  ig_stress_tearing tearing[COLUMNS - 1];
  ig_stress_problem q;
  ig_status status;
  double lost = 0;
  TRY(columns_new(cx, &q, tearing, name));
  ig_stress_problem_hold(&q, "z1", NULL);
  ig_stress_support *lead = q.support + q.c.supports.count - 1;
  lead->components = "z";
  lead->displacement[0] = lead->displacement[1] = 0;
  lead->displacement[2] = HEIGHT / YOUNG * (1 + 1e-4 / HEIGHT); /* 1 Pa of stress */
  lead->history =
      ig_stress_problem_table(&q, 2, (const double[][2]){{0, 0}, {4, 200e6}}); /* 50 MPa a second */
  TRY(ig_stress_problem_open(&q));
  for (int k = 1; k <= 4; k++) {
    const double stress = 50e6 * k;
    int left = COLUMNS;
    double mean[IG_STRESS_REPORT];
    TRY(pull(&q, k));
    for (int i = 0; i < COLUMNS - 1; i++)
      left -= stress >= strength[i];
    TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
    ig_stress_row(sink, "a cap is lifted: columns that tear", "those of less strength",
                  COLUMNS - left, q.m->tears.torn.elements / ROWS, 0, false);
    for (int i = 0; i < COLUMNS - 1; i++)
      if (strength[i] <= stress && strength[i] > stress - 50e6)
        lost += 0.5 * stress * stress / YOUNG * HEIGHT;
  }
  ig_stress_row(sink, "energy that is lost, J", "V s^2 / 2 E of each", lost, q.m->balance.released,
                1e-3, true);
  ig_stress_row(sink, "energy balance: missing of what flowed", "none", 0,
                fabs(q.m->balance.missing) / q.m->balance.flow, 1e-8, false);
done:
  ig_stress_problem_free(&q);
  return status;
}

/* Under a force on the cap the rest carries it: 102 MPa on four, 136 on three, 204 on two, 408 on
   one. F (u1 - u4) / 2 is lost. */
static ig_status loaded(ig_ctx *cx, const ig_verify_sink *sink) {
  static const char *name[COLUMNS - 1] = {"first", "second", "third"};
  ig_stress_tearing tearing[COLUMNS - 1];
  ig_stress_problem q;
  ig_status status;
  const double force = COLUMNS * 102e6;
  TRY(columns_new(cx, &q, tearing, name));
  ig_stress_problem_equal(&q, "z1", "z");
  q.load[0] = (ig_stress_load){
      .set = "z1",
      .pressure = NAN,
      .total = {0, 0, force},
      .history = ig_stress_problem_table(&q, 2, (const double[][2]){{0, 0}, {1, 1}})};
  q.c.loads = (ig_list){1, q.load};
  TRY(ig_stress_problem_open(&q));
  TRY(pull(&q, 97.0 / 102));
  ig_stress_row(sink, "a force of 97 MPa on each: columns that tear", "none", 0,
                q.m->tears.torn.elements / ROWS, 0, false);
  TRY(pull(&q, 1));
  ig_stress_row(sink, "of 102 MPa: columns that tear, one by the other", "all but the strong one",
                COLUMNS - 1, q.m->tears.torn.elements / ROWS, 0, false);
  double mean[IG_STRESS_REPORT];
  TRY(ig_stress_problem_mean(&q, NULL, NULL, mean));
  ig_stress_row(sink, "stress of the last column, MPa", "F / A", 1e-6 * force,
                1e-6 * q.m->report[IG_STRESS_REPORT * (COLUMNS - 1) + 2], 1e-3, true);
  ig_stress_row(sink, "energy that is lost, J", "F (u1 - u4) / 2",
                0.5 * force * (force - force / COLUMNS) / YOUNG * HEIGHT, q.m->balance.released,
                2e-3, true);
  ig_stress_row(sink, "energy balance: missing of what flowed", "none", 0,
                fabs(q.m->balance.missing) / q.m->balance.flow, 1e-8, false);
done:
  ig_stress_problem_free(&q);
  return status;
}

ig_status ig_stress_verify_tear(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(moved(cx, sink));
  return loaded(cx, sink);
}
