/* Verification of explicit contact where motion is slow: forces and stresses are those of
   equilibrium, which the room `structure` finds on the same mesh by contact of surfaces with
   augmented Lagrange, and of closed forms. Contact of explicit analyses gives way by
   1 / `penalty` of a layer of elements, here a tenth. */
#include "verify/dynamics/verify.h"
#include "verify/structure/problem.h"
#include <ingot/run.h>

#include <stdlib.h>

enum { KEYS = 8, PROBES = 4 };
/* Means over the rows of the history from a time on, and how far rows scatter about them. */
typedef struct {
  double from, rows, sum[PROBES], square[PROBES], energy;
  ig_lid elements;
  double *stress; /* elements x 6, of the last snapshot; NULL: not wanted */
} means;

static void row_see(void *user, int columns, const char *const *names, const double *values) {
  means *m = user;
  (void)names;
  if (values[0] < m->from)
    return;
  m->rows++;
  for (int i = 0; i < PROBES && i < columns; i++) { /* probes come last */
    const double v = values[columns - PROBES + i];
    m->sum[i] += v;
    m->square[i] += v * v;
  }
}
static void figure_see(void *user, const char *key, double value, const char *unit,
                       const char *text) {
  means *m = user;
  (void)unit, (void)text;
  if (strcmp(key, "energy_error") == 0)
    m->energy = value;
}
static void stress_see(void *user, const ig_snapshot_view *v) {
  const means *m = user;
  for (int i = 0; m->stress && i < v->fields; i++) {
    const ig_snapshot_field *f = &v->field[i];
    if (strcmp(f->name, "stress") == 0 && v->cells == m->elements)
      for (ig_lid e = 0; e < 6 * m->elements; e++)
        m->stress[e] =
            f->dtype == IG_F32 ? (double)((const float *)f->data)[e] : ((const double *)f->data)[e];
  }
}

static ig_status explicit_run(ig_ctx *own, const ig_mesh *mesh, const ig_structure_entry *set,
                              means *m) {
  ig_case *c = NULL;
  IG_TRY(ig_case_new(own, &c));
  ig_status status = ig_case_set(c, "physics", "dynamics");
  for (int i = 0; status == IG_OK && i < KEYS && set[i].key; i++)
    status = ig_case_set(c, set[i].key, set[i].value);
  if (status == IG_OK)
    status = ig_case_set_mesh(c, mesh);
  if (status == IG_OK)
    status = ig_run(c, &(ig_run_options){.figure = figure_see,
                                         .snapshot = m->stress ? stress_see : NULL,
                                         .row = row_see,
                                         .user = m});
  ig_case_close(c);
  return status;
}

/* Runs the static problem, then the explicit one on its mesh. */
static ig_status both(ig_ctx *cx, ig_structure_problem *q, const ig_structure_entry *set,
                      means *m) {
  ig_ctx *own = NULL;
  IG_TRY(ig_structure_problem_run(cx, q));
  if (m->elements) {
    m->elements = ig_mesh_elements(q->mesh);
    IG_TRY(IG_NEW(cx, &m->stress, 6 * (size_t)m->elements, "stress"));
  }
  IG_TRY(ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, &own));
  ig_status status = explicit_run(own, q->mesh, set, m);
  if (status != IG_OK)
    status = IG_FAIL(cx, status, "%s", ig_ctx_message(own));
  ig_ctx_close(own);
  for (int i = 0; i < PROBES; i++) {
    m->sum[i] /= fmax(1, m->rows);
    m->square[i] = sqrt(fmax(0, m->square[i] / fmax(1, m->rows) - m->sum[i] * m->sum[i]));
  }
  return status;
}

/* Force of the nodes at a height on what holds them, along d. */
static double held(const ig_structure_problem *q, double height, int d) {
  double sum = 0;
  for (ig_lid n = 0; n < q->mesh->nodes; n++)
    if (fabs(q->mesh->x[3 * (size_t)n + 2] - height) < 1e-9)
      sum += q->force[3 * (size_t)n + (size_t)d];
  return sum;
}

/* --- ironing: a round die is pressed into a slab, and drawn along it with friction */

static void slab(const double at[3], double x[3]) {
  x[0] = 8 * at[0], x[1] = at[1], x[2] = 2 * at[2];
}
static void die(const double at[3], double x[3]) {
  const double out = 1.2 * (2 * at[0] - 1);
  x[0] = 2 + out, x[1] = at[1];
  x[2] = 2 + (1 - at[2]) * out * out / 8 + at[2];
}

static ig_status ironing(ig_ctx *cx, const ig_verify_sink *sink) {
#define DIE                                                                                        \
  "{set: c0, fix: all}, {set: b0, fix: y}, {set: b1, fix: y}, {set: ub0, fix: y}, {set: ub1, "     \
  "fix: y}"
  ig_structure_problem q = {
      .grid = {{IG_HEX8, {20, 1, 5}, slab, NULL}, {IG_HEX8, {9, 1, 3}, die, "u"}},
      .set = {{"materials", "[{name: m, young: 1e6, poisson: 0.3, set: grid}, {name: hard, young: "
                            "1e7, poisson: 0.3, set: ugrid}]"},
              {"supports", "[" DIE ", {set: uc1, components: z, displacement: [0, 0, -0.1], "
                           "history: [[0, 0], [1, 1], [2, 1]]}, {set: uc1, components: x, "
                           "displacement: [1.2, 0, 0], history: [[0, 0], [1, 0], [2, 1]]}]"},
              {"sections", "{integration: mean_dilatation}"},
              {"contacts", "{set: uc0, to: c1, friction: 0.3}"},
              {"analysis", "[{kind: static, large: true, first_step: 0.25}, {kind: static, large: "
                           "true, first_step: 0.1}]"}}};
  /* waves run at 37 m/s: the die is drawn at 0.75 % of that */
  const ig_structure_entry set[KEYS] = {
      {"materials", "[{name: m, density: 1000, young: 1e6, poisson: 0.3, set: grid}, {name: hard, "
                    "density: 10000, young: 1e7, poisson: 0.3, set: ugrid}]"},
      {"supports", "[" DIE ", {set: uc1, components: z, displacement: [0, 0, -0.1], history: [[0, "
                   "0], [2, 1], [8, 1]]}, {set: uc1, components: x, displacement: [1.2, 0, 0], "
                   "history: [[0, 0], [2, 0], [8, 1]]}]"},
      {"contact", "{friction: 0.3, penalty: 10}"},
      {"analysis", "{duration: 8, damping: 1.5}"},
      {"output", "{count: 1, history_every: 10}"},
      {"probes", "[{name: pull, set: c0, quantity: fx}, {name: load, set: c0, quantity: fz}, "
                 "{name: above_x, set: uc1, quantity: fx}, {name: above_z, set: uc1, quantity: "
                 "fz}]"}};
  means m = {.from = 4.5};
  const ig_status status = both(cx, &q, set, &m);
  if (status == IG_OK) {
    row(sink, "ironing: load over that in equilibrium", "structure", 1, m.sum[1] / held(&q, 0, 2),
        0.1, true);
    row(sink, "pull over load, both over those in equilibrium", "structure", 1,
        m.sum[0] / m.sum[1] / (held(&q, 0, 0) / held(&q, 0, 2)), 0.05, true);
    ZERO("scatter of the load while it is drawn, over the load", m.square[1] / m.sum[1], 0.02);
    ZERO("scatter of the pull, over the load", m.square[0] / m.sum[1], 0.02);
    ZERO("force on the die and below, over the load", (m.sum[1] + m.sum[3]) / m.sum[1], 0.01);
    ZERO("energy balance", m.energy, 1e-3);
  }
  ig_structure_problem_free(&q);
  return status;
}

/* --- a flat punch, 2 wide and 100 times as stiff, on a half plane in plane strain; half of both */

static void stamp(const double at[3], double x[3]) {
  x[0] = at[0], x[1] = at[1], x[2] = 0.5 * at[2];
}
static void ground(const double at[3], double x[3]) {
  const double s = at[0] * 16 - 8, down = 1 - at[2];
  x[0] = s <= 0 ? 1 + s / 8 : 1 + 7 * (0.16 * s / 8 + 0.84 * pow(s / 8, 2));
  x[1] = at[1];
  x[2] = -8 * (0.16 * down + 0.84 * down * down);
}

/* Stress at a depth z below the middle: -P / pi (a^2 + 2 z^2) / (a^2 + z^2)^1.5, a the half width,
   P the load of the whole punch per depth. */
static ig_status punch(ig_ctx *cx, const ig_verify_sink *sink) {
  enum { ALONG = 16, DOWN = 8 };
#define STAMP                                                                                      \
  "{set: c0, fix: z}, {set: a0, fix: x}, {set: b0, fix: y}, {set: b1, fix: y}, {set: ua0, fix: "   \
  "x}, {set: ub0, fix: y}, {set: ub1, fix: y}"
  ig_structure_problem q = {
      .grid = {{IG_HEX8, {ALONG, 1, DOWN}, ground, NULL}, {IG_HEX8, {6, 1, 3}, stamp, "u"}},
      .set = {{"materials", "[{name: m, young: 1e6, poisson: 0.3, set: grid}, {name: hard, young: "
                            "1e8, poisson: 0.3, set: ugrid}]"},
              {"supports", "[" STAMP ", {set: uc1, components: z, displacement: [0, 0, -0.01]}]"},
              {"sections", "{integration: mean_dilatation}"},
              {"contacts", "{set: uc0, to: c1}"},
              {"analysis", "{kind: static}"}}};
  const ig_structure_entry set[KEYS] = {
      {"materials", "[{name: m, density: 1000, young: 1e6, poisson: 0.3, set: grid}, {name: hard, "
                    "density: 20000, young: 1e8, poisson: 0.3, set: ugrid}]"},
      {"supports", "[" STAMP ", {set: uc1, components: z, displacement: [0, 0, -0.01], history: "
                   "[[0, 0], [2, 1], [3, 1]]}]"},
      {"contact", "{penalty: 10}"},
      {"analysis", "{duration: 3, damping: 6}"},
      {"output", "{count: 1, history_every: 10, fields: [stress]}"},
      {"probes", "[{name: side, set: c0, quantity: fx}, {name: load, set: c0, quantity: fz}, "
                 "{name: above_x, set: uc1, quantity: fx}, {name: above_z, set: uc1, quantity: "
                 "fz}]"}};
  means m = {.from = 2.7, .elements = 1};
  const ig_status status = both(cx, &q, set, &m);
  if (status == IG_OK) {
    double x[3];
    const double load = m.sum[1];
    row(sink, "punch: load over that in equilibrium", "structure", 1, load / held(&q, -8, 2), 0.05,
        true);
    ZERO("force on the punch and below, over the load", (load + m.sum[3]) / load, 0.01);
    for (int k = 0; k < 2; k++) { /* near the surface, and below it */
      static const char *const name[] = {"stress under the middle, at the surface",
                                         "stress under the middle, half a width deep"};
      ig_lid e = ALONG * (DOWN - 1);
      ig_structure_problem_centre(&q, e, x);
      while (k && x[2] > -0.8) {
        e -= ALONG;
        ig_structure_problem_centre(&q, e, x);
      }
      row(sink, name[k], "Sadowsky 1928",
          -2 * fabs(load) / IG_PI * (1 + 2 * x[2] * x[2]) / pow(1 + x[2] * x[2], 1.5),
          m.stress[6 * (size_t)e + 2], 0.05, true);
    }
    ZERO("energy balance", m.energy, 1e-3);
  }
  free(m.stress);
  ig_structure_problem_free(&q);
  return status;
}

ig_status ig_dyn_verify_slow(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(ironing(cx, sink));
  return punch(cx, sink);
}
