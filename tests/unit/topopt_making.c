/* Topology optimisation: designs that can be made, loads that follow the design, frequencies. */
#include "check.h"
#include "backend/backend.h"
#include "kern/hd.h"
#include "geometry/mesh_case.h"
#include "topopt/kernels/draw_direction.inc"
#include "topopt/design/modes.h"
#include "topopt/design/support_columns.h"
#include "verify/topopt/problem.h"
#include "topopt_densities.h"
#include "topopt_run.h"

#define BEAM                                                                                       \
  "grid: {elements: [12, 6, 8]}, supports: [{box: {max: [0, 99, 99]}}], loads: [{box: {min: [12, " \
  "3, 2], max: [12, 3, 2]}, force: [0, 0.3, -1]}], volume: 0.3, filter: {kind: density, radius: "  \
  "1.8}, solver: {tolerance: 1e-6}"

/* One section along y; four equal parts along x, each its own mirror image along z. */
static void patterns_repeat_to_the_last_bit(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int how = 0; how < 2; how++) {
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      double *x = densities(cx,
                            how ? "{" BEAM ", pattern: {repeat: [4, 1, 1], mirror: [z]}}"
                                : "{" BEAM ", pattern: {extrude: y}}",
                            8, &t, &e);
      const ig_grid *g = &t.m->grid;
      double low = 1, high = 0;
      for (int k = 0; k < 8; k++)
        for (int j = 0; j < 6; j++)
          for (int i = 0; i < 12; i++) {
            const double mine = x[ig_grid_place(g, i, j, k)];
            const double other =
                x[how ? ig_grid_place(g, i % 3, j, k < 4 ? k : 7 - k) : ig_grid_place(g, i, 0, k)];
            assert_true(mine == other);
            low = fmin(low, mine);
            high = fmax(high, mine);
          }
      assert_true(high - low > 0.5); /* it is a design */
      assert_true(fabs(e.volume - 0.3) < 1e-3);
      free(x);
      ig_topopt_problem_close(&t);
      ig_ctx_close(cx);
    }
}

/* No density is lower than that of an element the tool is drawn past it from. */
static void tools_can_be_drawn(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int how = 0; how < 2; how++) {
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      double *x = densities(cx,
                            how ? "{" BEAM ", draw_direction: {direction: z+, parting: 3}}"
                                : "{" BEAM ", draw_direction: {direction: z+}}",
                            25, &t, &e);
      const ig_grid *g = &t.m->grid;
      for (int k = 1; k < 8; k++)
        for (int j = 0; j < 6; j++)
          for (int i = 0; i < 12; i++) {
            const double here = x[ig_grid_place(g, i, j, k)];
            const double below = x[ig_grid_place(g, i, j, k - 1)];
            if (!how || k > 3)
              assert_true(here <= below);
            else if (k < 3)
              assert_true(below <= here);
          }
      assert_true(fabs(e.volume - 0.3) < 2e-3);
      free(x);
      ig_topopt_problem_close(&t);
      ig_ctx_close(cx);
    }
}

/* Every element that is void is reached along z, from above or from below, or along y. From one
   side alone the design is softer. */
static void tools_reach_what_is_milled(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    double objective[2] = {0};
    for (int how = 0; how < 2; how++) {
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      double *x = densities(
          cx,
          how ? "{" BEAM ", projection: {beta: 2, every: 10}, milling: {directions: [z+]}}"
              : "{" BEAM ", projection: {beta: 2, every: 10}, milling: {directions: [z+, z-, y+]}}",
          50, &t, &e);
      const ig_grid *g = &t.m->grid;
      int missed = 0, empty = 0;
      for (int j = 0; j < 6; j++)
        for (int i = 0; i < 12; i++)
          for (int k = 0; k < 8; k++) {
            bool above = true, below = !how, beside = !how;
            for (int z = 0; z < 8; z++) {
              const bool solid = x[ig_grid_place(g, i, j, z)] >= 0.5;
              above = above && (z < k || !solid);
              below = below && (z > k || !solid);
            }
            for (int y = j; y < 6; y++)
              beside = beside && x[ig_grid_place(g, i, y, k)] < 0.5;
            empty += x[ig_grid_place(g, i, j, k)] < 0.5;
            missed += x[ig_grid_place(g, i, j, k)] < 0.5 && !above && !below && !beside;
          }
      assert_true(empty > 300 && missed == 0);
      assert_near(e.volume, 0.3, 3e-3);
      objective[how] = e.objective;
      free(x);
      ig_topopt_problem_close(&t);
      ig_ctx_close(cx);
    }
    assert_true(objective[0] < objective[1]);
  }
}

/* Below a block held solid nothing is designed: what is drawn is a frustum whose walls have the
   draft and a fifth more, to 0.2 elements over 38 layers, in elements that are not cubes. */
static void walls_have_their_draft(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    ig_topopt_problem t;
    ig_evaluation e = {0};
    const char *text =
        "{grid: {elements: [48, 3, 40], size: [0.096, 0.006, 0.06]}, supports: [{set: zmin}], "
        "loads: "
        "[{set: zmax, force: [0, 0, -1]}], volume: 0.9, filter: {kind: density}, draw_direction: "
        "{angle: 6}, passive: [{box: {min: [0, 0, 0.057], max: [0.03, 1, 1]}}]}";
    assert_int_equal(ig_topopt_problem_open(cx, text, &t), IG_OK);
    ig_topopt_design_continue(&t.c, 1, &e);
    assert_int_equal(ig_topopt_design_fill(t.s, 0), IG_OK);
    assert_int_equal(ig_topopt_design_evaluate(t.s, &e), IG_OK);
    const ig_grid *g = &t.m->grid;
    double *x = calloc((size_t)g->stored, sizeof *x);
    assert_int_equal(cx->backend->copy_out(cx, x, t.s->printed.dev, (size_t)g->stored * 8), IG_OK);
    for (int k = 0; k < 38; k++) {
      int i = 0;
      while (x[ig_grid_place(g, i + 1, 1, k)] > 0.5)
        i++;
      const double in = x[ig_grid_place(g, i, 1, k)], out = x[ig_grid_place(g, i + 1, 1, k)];
      const double wall = 0.002 * (i + 0.5 + (in - 0.5) / (in - out));
      const double wanted = 0.03 + (38 - k) * 0.0015 * tan(1.2 * 6 / 57.29577951308232);
      assert_true(fabs(wall - wanted) < 0.2 * 0.002);
    }
    free(x);
    ig_topopt_problem_close(&t);
    ig_ctx_close(cx);
  }
}

/* A table whose left half stands on air and whose right half stands on air over a step: 3 x 4
   columns of 6 elements and of 5, since 45 degrees hold the elements beside the leg up; they touch
   the part above, and the right ones the step. */
static void supports_are_counted(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    ig_topopt_problem t;
    ig_evaluation e = {0};
    const char *text =
        "{grid: {elements: [12, 4, 8], size: [0.012, 0.004, 0.008]}, supports: [{set: zmin}], "
        "loads: "
        "[{set: zmax, force: [0, 0, -1]}], volume: 1, filter: {kind: none}, optimiser: {method: "
        "mma}, printing: {support_strength: 20e6}, passive: [{as: void, box: {min: [0, 0, 0], max: "
        "[0.004, 1, 0.006]}}, {as: void, box: {min: [0.008, 0, 0.001], max: [1, 1, 0.006]}}, {box: "
        "{min: [0.004, 0, 0], max: [0.008, 1, 1]}}, {box: {min: [0, 0, 0.006], max: [1, 1, 1]}}], "
        "constraints: [{support_volume: 1e-9}, {removal_force: 1}, {box: {max: [0.006, 1, 1]}, "
        "support_volume: 1e-9}]}";
    assert_int_equal(ig_topopt_problem_open(cx, text, &t), IG_OK);
    ig_topopt_design_continue(&t.c, 1, &e);
    assert_int_equal(ig_topopt_design_evaluate(t.s, &e), IG_OK);
    assert_near(e.limit[0], 12 * 6 + 12 * 5, 1e-9);
    assert_near(e.limit[1], 20 * 36, 1e-9);
    assert_near(e.limit[2], 12 * 6, 1e-9);
    ig_topopt_problem_close(&t);
    ig_ctx_close(cx);
  }
}

/* A wall that leans out needs supports where it is flatter than the angle, on elements of any
   height. Of a slope of 35 degrees on cubes three steps of ten are two elements long, whose outer
   one hangs; so with the others. */
static void leaning_walls_need_supports(void **state) {
  (void)state;
  static const struct {
    double height, angle, slope,
        share; /* of an element over its width; degrees; of what is below */
  } walls[] = {{1, 45, 50, 0},      {1, 45, 35, 0.3}, {0.2, 45, 50, 0},  {0.2, 45, 35, 1},
               {0.125, 45, 46, 0},  {2, 45, 50, 0},   {2, 45, 35, 0.3},  {2, 30, 35, 0},
               {2, 30, 20, 0.4539}, {1, 60, 65, 0},   {1, 60, 50, 0.81}, {0.25, 60, 65, 0},
               {0.25, 60, 55, 1}};
  enum { N = 120 };
  for (size_t w = 0; w < sizeof walls / sizeof *walls; w++) {
    const double h = walls[w].height, out = 1 / tan(walls[w].slope / 57.29577951308232);
    const int layers = (int)(N / h);
    const ig_topopt_layers l = {.axis = 2,
                                .layers = layers,
                                .n = {N, 1},
                                .step = {1, 0},
                                .up = N,
                                .height = h,
                                .across = {1, 1}};
    double *x = calloc((size_t)(N * layers), sizeof *x), below = 0, volume, contact, flat, missed;
    assert_non_null(x);
    for (int k = 0; k < layers; k++)
      for (int i = 0; i < N; i++) {
        x[k * N + i] = i + 0.5 <= 0.2 * N + (k + 0.5) * h * out;
        below += i + 0.5 <= 0.2 * N + (N - 0.5 * h) * out ? h * (1 - x[k * N + i]) : 0;
      }
    ig_support_columns c;
    ig_ctx *cx = ctx_on("cpu", 1);
    assert_int_equal(ig_support_columns_new(cx, &l, (size_t)(N * layers), walls[w].angle, &c),
                     IG_OK);
    ig_support_columns_find(&c, x, NULL, &volume, &contact);
    assert_near(volume / below, walls[w].share, 0.06 * walls[w].share + 1e-3);
    /* what steps of elements hold up of a wall that needs supports is found */
    ig_support_columns_missed(&c, x, walls[w].angle, &flat, &missed);
    if (walls[w].slope > walls[w].angle + 3)
      assert_true(flat < 12); /* columns where the wall ends */
    else if (walls[w].share > 0.95)
      assert_true(flat > 0 && missed < 0.1 * flat);
    else if (walls[w].slope < walls[w].angle - 3 && walls[w].share < 0.7)
      assert_true(flat > 10 && missed > 0.2 * flat);
    ig_support_columns_free(&c);
    ig_ctx_close(cx);
    free(x);
  }
}

/* Heat of a layer over an air gap of one element: seven elements of solid and one of powder, which
   conducts a hundredth, in a slab of eight. The slab ends at the plate or goes into it. */
static void gaps_keep_heat_in(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int down = 0; down < 2; down++) {
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      char text[600];
      snprintf(
          text, sizeof text,
          "{grid: {elements: [6, 4, 8], size: [0.006, 0.004, 0.008]}, supports: [{set: zmax}], "
          "loads: [{box: {min: [0.006, 0, 0.005]}, force: [0, 0, -1]}], volume: 1, filter: "
          "{kind: none}, optimiser: {method: mma}, printing: {direction: %s}, passive: [{as: "
          "void, box: {min: [0, 0, 0.003], max: [1, 1, 0.004]}}], constraints: [{overheating: "
          "1}, {box: {min: [0, 0, %s], max: [1, 1, %s]}, overheating: 1}]}",
          down ? "z-" : "z+", down ? "0.004" : "0", down ? "1" : "0.003");
      assert_int_equal(ig_topopt_problem_open(cx, text, &t), IG_OK);
      ig_topopt_design_continue(&t.c, 1, &e);
      assert_int_equal(ig_topopt_design_evaluate(t.s, &e), IG_OK);
      assert_near(e.peak[0], (7 + 100) / 8.0, 1e-4);
      assert_near(e.peak[1], 1, 1e-4); /* what is printed before the gap */
      ig_topopt_problem_close(&t);
      ig_ctx_close(cx);
    }
}

/* The last density of a column of n: all x, but `own` the one at `at`. */
static double column(int n, double x, int at, double own) {
  const double power = ig_draw_power(n);
  double last = 0;
  for (int i = 0; i < n; i++) {
    const double before = last;
    last = ig_draw_join(power, last, i == at ? own : x);
    assert_true(last >= before && last <= 1);
  }
  return last;
}

/* However long a column is: nothing stays nothing, what is solid is solid, one element alone has
   its density, and all together change the last one by half as much again at most. */
static void columns_of_any_length_move_alike(void **state) {
  (void)state;
  static const int length[] = {1, 2, 8, 24, 96, 1000};
  for (int k = 0; k < 6; k++) {
    const int n = length[k];
    assert_true(column(n, 0, 0, 0) == 0);
    assert_true(column(n, 0, n / 2, 0.3) == 0.3);
    assert_true(column(n, 0.2, n / 2, 1) == 1);
    for (int i = 0; i < 10; i++) {
      const double low = column(n, 0.1 * i, 0, 0.1 * i);
      const double high = column(n, 0.1 * (i + 1), 0, 0.1 * (i + 1));
      assert_true(high - low > -1e-15 && high - low < 0.1501);
    }
  }
  for (int i = 1; i < 9; i++) /* slopes */
    for (int j = 1; j < 9; j++) {
      const double x = 0.1 * i, y = 0.11 * j, p = ig_draw_power(24), h = 1e-5;
      double by_x;
      const double by_y = ig_draw_slopes(p, x, y, ig_draw_join(p, x, y), &by_x);
      const double up_x = ig_draw_join(p, x + h, y), up_y = ig_draw_join(p, x, y + h);
      assert_near(by_x, (up_x - ig_draw_join(p, x - h, y)) / (2 * h), 1e-8);
      assert_near(by_y, (up_y - ig_draw_join(p, x, y - h)) / (2 * h), 1e-8);
    }
}

/* A cantilever under a load all over its end, drawn across, along, both ways, also of little
   volume, with the usual step: no design falls apart, and the part becomes stiffer. */
static void drawn_designs_hold_together(void **state) {
  (void)state;
  static const struct {
    const char *draw;
    double volume;
  } how[] = {{"direction: x+", 0.3}, {"direction: x+, parting: 12", 0.3},
             {"direction: y-", 0.3}, {"direction: z-", 0.3},
             {"direction: x-", 0.1}, {"direction: x+}, optimiser: {method: gcmma", 0.3}};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (size_t k = 0; k < (SANITIZED ? 1 : sizeof how / sizeof *how); k++) {
      char text[500];
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      double first = 0;
      snprintf(text, sizeof text,
               "{grid: {elements: [24, 6, 16]}, supports: [{box: {max: [99, 99, 0]}}], loads: "
               "[{box: {min: [0, 0, 16]}, force: [1, 0, 0]}], volume: %g, filter: {kind: density, "
               "radius: 1.6}, solver: {tolerance: 1e-4}, draw_direction: {%s}}",
               how[k].volume, how[k].draw);
      GOOD(cx, ig_topopt_problem_open(cx, text, &t));
      for (int it = 1; it <= 25; it++) {
        GOOD(cx, ig_topopt_problem_iterate(&t, it, &e));
        if (it == 1)
          first = e.objective;
        assert_true(e.objective < (how[k].volume < 0.2 ? 30 : 2) * first);
      }
      assert_true(e.objective < 0.5 * first);
      assert_near(e.volume, how[k].volume, 2e-3);
      ig_topopt_problem_close(&t);
      ig_ctx_close(cx);
    }
}

/* What lies behind denser elements may change for ever: a run ends when no drawn density does.
   Through a differential filter slopes of the volume have both signs. */
static void drawn_designs_settle(void **state) {
  (void)state;
  static const char *const filter[] = {"density", "helmholtz"};
  for (int k = 0; k < (SANITIZED ? 0 : 2); k++) {
    char text[500];
    outcome o;
    snprintf(
        text, sizeof text,
        "physics: topopt\noutput: {count: 0}\ngrid: {elements: [24, 10, 24]}\nsupports: [{box: "
        "{max: [99, 99, 0]}}]\nloads: [{box: {min: [0, 0, 24]}, force: [1, 0, 0]}]\nvolume: "
        "0.3\nfilter: {kind: %s, radius: 1.6}\ndraw_direction: {direction: x+}\niterations: 100\n",
        filter[k]);
    run_good("cpu", text, &o);
    assert_true(o.steps < 100); /* by the design itself it would be 169 */
    assert_near(o.volume, 0.3, 1e-3);
  }
}

/* --- on meshes --- */

typedef struct {
  const ig_mesh *mesh;
  int corners;
  ig_lid elements;
  const double *density;
} body;

static void middle(const body *b, ig_lid e, double *x) {
  const int npe = ig_elem_info_get(b->mesh->block[0].type)->nodes;
  for (int d = 0; d < 3; d++) {
    x[d] = 0;
    for (int a = 0; a < b->corners; a++)
      x[d] += b->mesh->x[3 * b->mesh->block[0].conn[npe * e + a] + d] / b->corners;
  }
}
static bool touch(const body *b, ig_lid e, ig_lid k) {
  const int npe = ig_elem_info_get(b->mesh->block[0].type)->nodes;
  const ig_lid *p = &b->mesh->block[0].conn[npe * e], *q = &b->mesh->block[0].conn[npe * k];
  for (int i = 0; i < b->corners; i++)
    for (int j = 0; j < b->corners; j++)
      if (p[i] == q[j])
        return true;
  return false;
}

/* Solid elements that neither reach down to the plate, z = 0, nor touch a solid one whose middle
   lies within 45 degrees below theirs, though some element does. */
static int hanging(const body *b, int *solid) {
  const int npe = ig_elem_info_get(b->mesh->block[0].type)->nodes;
  int bad = 0;
  *solid = 0;
  for (ig_lid e = 0; e < b->elements; e++) {
    double x[3], y[3];
    bool held = false, any = false;
    if (b->density[e] < 0.5)
      continue;
    ++*solid;
    for (int a = 0; a < b->corners; a++)
      held |= b->mesh->x[3 * b->mesh->block[0].conn[npe * e + a] + 2] < 1e-9;
    middle(b, e, x);
    for (ig_lid k = 0; k < b->elements && !held; k++) {
      middle(b, k, y);
      const double down = x[2] - y[2], aside = hypot(x[0] - y[0], x[1] - y[1]);
      if (k == e || down <= 0 || aside > 1.0001 * down || !touch(b, e, k))
        continue;
      any = true;
      held = b->density[k] >= 0.5;
    }
    bad += !held && any;
  }
  return bad;
}

/* Elements denser than one that lies below them in their column: of hexahedra the row, of
   tetrahedra, six to a cube, a square as wide as a cube of six times their mean volume. */
static int undercut(const body *b, double wide) {
  int bad = 0;
  for (ig_lid e = 0; e < b->elements; e++)
    for (ig_lid k = 0; k < b->elements; k++) {
      double x[3], y[3];
      middle(b, e, x);
      middle(b, k, y);
      bad += floor(x[0] / wide) == floor(y[0] / wide) && floor(x[1] / wide) == floor(y[1] / wide) &&
             x[2] > y[2] + 1e-12 && b->density[e] > b->density[k] + 1e-12;
    }
  return bad;
}

static void meshes_are_printed_and_drawn(void **state) {
  (void)state;
  static const ig_elem_type types[] = {IG_HEX8, IG_TET4, IG_TET10};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int how = 0; how < 6; how++) {
      const ig_elem_type type = types[how / 2];
      ig_box_case box = {.size = IG_ROW(6, 4, 6), .cells = IG_ROW(6, 4, 6)};
      ig_box_case coarse = {.size = IG_ROW(6, 4, 6), .cells = IG_ROW(3, 2, 3)};
      const ig_mesh_case c = {.boxes = {1, type == IG_HEX8 ? &box : &coarse},
                              .element = (int)type + 1,
                              .jitter = {.at.given = how > 1, .amount = 0.15, .seed = 3}};
      char text[600];
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_mesh *mesh;
      ig_topopt_problem t;
      ig_evaluation e = {0};
      int solid = 0;
      snprintf(text, sizeof text,
               "{supports: [{set: xmin}], loads: [{set: xmax, force: [0, 0, -1], spread: faces}], "
               "volume: 0.4, filter: {kind: density, radius: 1.8}, projection: {beta: 1, beta_max: "
               "32, every: 4}, void_ratio: 1e-4, solver: {tolerance: 1e-5}, %s: {direction: z+}}",
               how % 2 ? "draw_direction" : "overhang");
      GOOD(cx, ig_mesh_generate(cx, &c, &mesh));
      GOOD(cx, ig_topopt_problem_open_mesh(cx, text, mesh, &t));
      const int most = type == IG_TET10 ? 1 : 24; /* one design is enough for the same lists */
      for (int it = 1; it <= most; it++)
        GOOD(cx, ig_topopt_problem_iterate(&t, it, &e));
      double *x = calloc((size_t)t.d->places, 8);
      GOOD(cx, cx->backend->copy_out(cx, x, t.s->density[0].dev, (size_t)t.d->places * 8));
      const body b = {mesh, type == IG_HEX8 ? 8 : 4, ig_mesh_elements(mesh), x};
      if (how % 2)
        assert_int_equal(undercut(&b, type == IG_HEX8 ? 1 : 2), 0);
      else
        assert_int_equal(hanging(&b, &solid), 0);
      if (most > 1 && how % 2 == 0) /* it is a design */
        assert_near(solid, 0.4 * (double)t.d->elements, 0.12 * (double)t.d->elements);
      free(x);
      ig_topopt_problem_close(&t);
      ig_mesh_free(mesh);
      ig_ctx_close(cx);
    }
}

/* The lowest frequency of a cantilever with a mass at its tip rises, within the volume. */
static void frequencies_rise(void **state) {
  (void)state;
  const char *const text = "{problem: frequency, grid: {elements: [24, 12, 0]}, supports: [{box: "
                           "{max: [0, 99]}}], masses: [{box: {min: [24, 6], max: [24, 6]}, mass: "
                           "40}], volume: 0.5, filter: {kind: density, radius: 1.5}, void_ratio: "
                           "1e-6, solver: {tolerance: 1e-6}}";
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    ig_topopt_problem t;
    ig_evaluation first = {0}, last = {0};
    free(densities(cx, text, 1, &t, &first));
    const double begin = ig_topopt_modes_hertz(t.s, 0);
    ig_topopt_problem_close(&t);
    free(densities(cx, text, 25, &t, &last));
    assert_true(ig_topopt_modes_hertz(t.s, 0) > 1.8 * begin);
    assert_true(fabs(last.volume - 0.5) < 1e-3);
    ig_topopt_problem_close(&t);
    ig_ctx_close(cx);
  }
}

/* A bridge that carries a deck and itself: moving asymptotes overshoot, conservative ones never. */
static void conservative_updates_never_rise(void **state) {
  (void)state;
  static const char *const method[] = {"mma", "gcmma"};
  for (const char *const *backend = backends_here(); *backend; backend++) {
    double rise[2] = {0}, end[2];
    for (int k = 0; k < 2; k++) {
      char text[700];
      ig_ctx *cx = ctx_on(*backend, 1);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      double last = INFINITY;
      snprintf(text, sizeof text,
               "{grid: {elements: [30, 20, 0]}, symmetry: [x-], supports: [{box: {min: [28, 0], "
               "max: [30, 0]}}], loads: [{gravity: [0, -1, 0]}, {box: {min: [0, 20]}, force: [0, "
               "-10, 0], spread: faces}], passive: [{box: {min: [0, 19]}}], volume: 0.3, filter: "
               "{kind: density, radius: 2}, void_ratio: 1e-6, solver: {tolerance: 1e-8}, "
               "optimiser: {method: %s}}",
               method[k]);
      GOOD(cx, ig_topopt_problem_open(cx, text, &t));
      for (int it = 1; it <= 40; it++) {
        GOOD(cx, ig_topopt_problem_iterate(&t, it, &e));
        if (last < INFINITY)
          rise[k] = fmax(rise[k], e.objective / last - 1);
        if (e.volume < 0.3 * (1 + 1e-6)) /* to a feasible one the first may rise */
          last = e.objective;
      }
      end[k] = e.objective;
      ig_topopt_problem_close(&t);
      ig_ctx_close(cx);
    }
    assert_true(rise[0] > 0.02);
    assert_true(rise[1] < 1e-6);
    assert_true(end[1] < end[0]);
  }
}

/* The L-bracket of least volume within a stress: from a start far above the bound it comes back,
   and ends feasible on whatever path: those of other tolerances of the solver have nothing in
   common after thirty designs. The tip, whose stresses do not count, is held solid: nothing else
   would keep material under the load. Under sanitizers the way back begins and that is all. */
static void sparse_starts_come_back(void **state) {
  (void)state;
  static const char *const more[] = {
      "minimise: volume\nvolume: 0.3\n", "volume: 0.35\n",
      "minimise: volume\nvolume: 0.3\nsolver: {tolerance: 1e-4, storage: half}\n",
      "minimise: volume\nvolume: 0.3\nsolver: {tolerance: 1e-7}\n",
      "minimise: volume\nvolume: 0.3\nsolver: {tolerance: 1e-10, storage: half}\n"};
  for (int k = 0; k < (SANITIZED ? 1 : 5); k++) {
    char text[900];
    outcome o;
    snprintf(
        text, sizeof text,
        "physics: topopt\noutput: {count: 0}\ngrid: {elements: [24, 24, 0]}\nsets: [{name: "
        "tip, box: {min: [20, 6], max: [24, 10]}}]\nsupports: [{box: {min: [0, 24], max: [10, "
        "24]}}]\nloads: [{box: {min: [23, 10], max: [24, 10]}, force: [0, -1, 0]}]\npassive: "
        "[{box: {min: [10, 10]}, as: void}, {set: tip}]\nconstraints: [{stress: 3}]\nstress: "
        "{exclude: "
        "[tip]}\nfilter: {kind: density, radius: 1.5}\noptimiser: {move_limit: 0.1}\niterations: "
        "%d\nsurface: {analyse: false}\n%s",
        SANITIZED ? 15 : 150, more[k]);
    run_good("cpu", text, &o);
    assert_true(k == 1 || o.volume > 0.05);
    if (!SANITIZED)
      assert_string_equal(o.feasible, "yes");
  }
}

/* Least volume within a compliance: the same from any start, whatever it takes there: a hundred
   times the bound, or less. */
static void weak_starts_come_back(void **state) {
  (void)state;
  static const char *const start[] = {"0.05", "0.2", "0.7"};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int drawn = 0; drawn < (SANITIZED ? 1 : 2); drawn++) {
      double volume[3];
      for (int k = 0; k < (SANITIZED ? 1 : 3); k++) {
        char text[600];
        outcome o;
        snprintf(text, sizeof text,
                 "physics: topopt\noutput: {count: 0}\ngrid: {elements: [32, 16, 0]}\nsupports: "
                 "[{set: xmin}]\nloads: [{box: {min: [32, 7], max: [32, 9]}, force: [0, -1, 0]}]\n"
                 "minimise: volume\nconstraints: [{compliance: 100}]\nfilter: {kind: density, "
                 "radius: 1.5}\nsurface: {analyse: false}\niterations: %d\nvolume: %s\n%s",
                 SANITIZED ? 5 : 60, start[k], drawn ? "draw_direction: {direction: y+}\n" : "");
        run_good(*backend, text, &o);
        if (!SANITIZED)
          assert_string_equal(o.feasible, "yes");
        volume[k] = o.volume;
      }
      for (int k = 1; k < 3 && !SANITIZED; k++)
        assert_near(volume[k], volume[0], 0.02 * volume[0]);
    }
}

/* A cantilever of least volume within a stress or a displacement, with the usual step: no design on
   the way takes away what carries the load. In the solid body the stress is 60 MPa at the root. */
static void light_designs_carry_their_load(void **state) {
  (void)state;
  static const char *const bound[] = {"stress: 150 MPa",
                                      "box: {min: [200 mm, 40 mm], max: [200 mm, 60 mm]}, "
                                      "displacement: 0.5 mm, direction: [0, -1, 0]"};
  static const char *const start[] = {"0.3", "0.6"};
  for (int k = 0; k < (SANITIZED ? 1 : 4); k++) {
    char text[700];
    outcome o;
    snprintf(
        text, sizeof text,
        "physics: topopt\noutput: {count: 0}\ngrid: {elements: [40, 20, 0], size: [200 mm, 100 "
        "mm, 20 mm]}\nmaterials: {name: steel, young: 210 GPa, poisson: 0.3}\nsupports: "
        "[{set: xmin}]\nloads: [{box: {min: [200 mm, 40 mm], max: [200 mm, 60 mm]}, force: "
        "[0, -10 kN, 0]}]\nfilter: {kind: density, radius: 8 mm}\nminimise: volume\n"
        "constraints: [{%s}]\nsurface: {analyse: false}\nvolume: %s\niterations: %d\n",
        bound[k / 2], start[k % 2], SANITIZED ? 4 : 60);
    run_good("cpu", text, &o);
    assert_string_equal(o.feasible, "yes");
    if (!SANITIZED)
      assert_true(o.volume > 0.1 && o.volume < 0.4);
  }
}

/* A plate that is heated all over and cooled at a piece of its edge, 170 K at the far corners to
   begin with: the least highest temperature, and the least volume for 60 K. */
static void heated_plates_are_cooled(void **state) {
  (void)state;
  static const char *const asked[] = {"minimise: temperature\n",
                                      "minimise: volume\nconstraints: [{temperature: 60}]\n"};
  for (int k = 0; k < (SANITIZED ? 1 : 2); k++) {
    char text[600];
    outcome o;
    snprintf(text, sizeof text,
             "physics: topopt\nproblem: heat\noutput: {count: 0}\ngrid: {elements: [20, 20, 0], "
             "size: [100 mm, 100 mm, 10 mm]}\nmaterials: {name: m, conductivity: 200}\nsupports: "
             "[{box: {min: [40 mm, 0], max: [60 mm, 0]}}]\nsource: 1e5\nvolume: 0.3\nfilter: "
             "{kind: density, radius: 7.5 mm}\niterations: %d\n%s",
             SANITIZED ? 6 : 60, asked[k]);
    run_good("cpu", text, &o);
    if (SANITIZED)
      continue;
    assert_string_equal(o.feasible, "yes");
    assert_true(k == 0 ? o.objective < 60 : o.volume < 0.3 && o.volume > 0.1);
  }
}

/* Denser starts are tried until no bound is exceeded twice. What the trials leave behind
   (corrections of the highest temperature) does not reach the run: it is that which begins at the
   density found. */
static void trial_starts_leave_nothing_behind(void **state) {
  (void)state;
  double first = 0, density = 0.1;
  for (int k = 0; k < 2; k++) {
    char text[700];
    outcome o;
    snprintf(text, sizeof text,
             "physics: topopt\nproblem: heat\noutput: {count: 0}\ngrid: {elements: [20, 20, 0], "
             "size: [100 mm, 100 mm, 10 mm]}\nmaterials: {name: m, conductivity: 200}\nsupports: "
             "[{box: {min: [40 mm, 0], max: [60 mm, 0]}}]\nsource: 1e5\nvolume: %.17g\nfilter: "
             "{kind: density, radius: 7.5 mm}\npassive: [{box: {min: [0, 40 mm], max: [30 mm, 60 "
             "mm]}}]\nminimise: volume\nconstraints: [{temperature: 70}]\niterations: 3\n",
             density);
    run_good("cpu", text, &o);
    assert_true(k == 0 || o.objective == first);
    first = o.objective;
    for (int tries = 0; tries < 7; tries++)
      density *= 1.2;
  }
}

/* Twelve regions with a bound on the volume of each: the stiffest beam uses all of them. */
static void many_constraints_are_met(void **state) {
  (void)state;
  enum { REGIONS = 12 };
  for (const char *const *backend = backends_here(); *backend; backend++) {
    char text[2000];
    int used = snprintf(text, sizeof text,
                        "{grid: {elements: [24, 8, 0]}, supports: [{box: {max: [0, 99]}}], loads: "
                        "[{box: {min: [24, 0], max: [24, 2]}, force: [0, -1, 0]}], volume: 0.9, "
                        "filter: {kind: density, radius: 1.5}, void_ratio: 1e-4, solver: "
                        "{tolerance: 1e-7}, constraints: [");
    for (int k = 0; k < REGIONS; k++)
      used += snprintf(text + used, sizeof text - (size_t)used,
                       "%s{box: {min: [%d, 0], max: [%d, 8]}, volume: %g}", k ? ", " : "", 2 * k,
                       2 * k + 2, 0.3 + 0.03 * k);
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    ig_ctx *cx = ctx_on(*backend, 2);
    ig_topopt_problem t;
    ig_evaluation e = {0};
    free(densities(cx, text, 90, &t, &e));
    assert_int_equal(t.s->limits, REGIONS);
    for (int k = 0; k < REGIONS; k++)
      assert_true(fabs(e.limit[k] - 1) < 1e-7);
    ig_topopt_problem_close(&t);
    ig_ctx_close(cx);
  }
}

/* Whether a disc of the diameter given, anywhere around an element's centre, is solid throughout;
   what lies outside is not. */
static bool solid_disc(const ig_grid *g, const double *x, double diameter) {
  const int r = (int)(0.5 * diameter);
  for (int j = 0; j < g->n[1]; j++)
    for (int i = 0; i < g->n[0]; i++) {
      bool solid = true;
      for (int b = -r; b <= r && solid; b++)
        for (int a = -r; a <= r && solid; a++)
          if (a * a + b * b <= 0.25 * diameter * diameter)
            solid = i + a >= 0 && j + b >= 0 && i + a < g->n[0] && j + b < g->n[1] &&
                    x[ig_grid_place(g, i + a, j + b, 0)] > 0.5;
      if (solid)
        return true;
    }
  return false;
}

/* A short cantilever has thick members; with a bound on them it has none (under sanitizers a few
   designs with the bound). */
static void members_are_no_larger_than_asked(void **state) {
  (void)state;
  static const char *const more[] = {"", "constraints: [{member: 7}], "};
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int k = SANITIZED; k < 2; k++) {
      char text[700];
      ig_ctx *cx = ctx_on(*backend, 2);
      ig_topopt_problem t;
      ig_evaluation e = {0};
      snprintf(text, sizeof text,
               "{grid: {elements: [48, 24, 0]}, supports: [{box: {max: [0, 99]}}], loads: [{box: "
               "{min: [48, 10], max: [48, 14]}, force: [0, -1, 0]}], volume: 0.5, filter: {kind: "
               "density, radius: 2}, projection: {beta: 2, every: 25, beta_max: 16}, %svoid_ratio: "
               "1e-6, solver: {tolerance: 1e-5}}",
               more[k]);
      double *x = densities(cx, text, SANITIZED ? 12 : 110, &t, &e);
      if (!SANITIZED)
        assert_int_equal(solid_disc(&t.m->grid, x, 7), k == 0);
      if (k == 1 && !SANITIZED)
        assert_true(e.peak[0] < 1.02);
      free(x);
      ig_topopt_problem_close(&t);
      ig_ctx_close(cx);
    }
}

#define HALF                                                                                       \
  "physics: topopt\ngrid: {elements: [4, 4, 4]}\nsupports: [{box: {max: [0, 9, 9]}}]\nfilter: "    \
  "{kind: density, radius: 1.5}\niterations: 1\n"

static void slips_are_told(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {HALF "loads: [{gravity: [0, 0, -9.81]}]\nmaterials: [{name: a, young: 1, poisson: 0.3}]\n",
       "has no density"},
      {HALF "loads: [{gravity: [0, 0, -9.81], box: {max: [1, 1, 1]}}]\n", "leave the place out"},
      {HALF "loads: [{force: [0, 0, 1]}]\npattern: {extrude: w}\n", "is no axis"},
      {HALF "loads: [{force: [0, 0, 1]}]\npattern: {repeat: [3, 1, 1]}\n", "no multiple of 3"},
      {HALF "loads: [{force: [0, 0, 1]}]\ndraw_direction: {direction: z+, parting: 7}\n",
       "outside the grid"},
      {HALF "loads: [{force: [0, 0, 1]}]\ndraw_direction: {}\noverhang: {}\n", "printed or cast"},
      {HALF "loads: [{force: [0, 0, 1]}]\ndraw_direction: {angle: 25}\n", "take flatter elements"},
      {HALF "loads: [{force: [0, 0, 1]}]\nconstraints: [{support_volume: 1}]\n", "of what print"},
      {HALF "loads: [{force: [0, 0, 1]}]\nprinting: {}\nconstraints: "
            "[{removal_force: 1}]\n",
       "support_strength"},
      {HALF "loads: [{force: [0, 0, 1]}]\nprinting: {slab: 1}\n", "no overheating is bounded"},
      {HALF "loads: [{force: [0, 0, 1]}]\nprinting: {slab: 0.4}\n"
            "constraints: [{overheating: 2}]\n",
       "less than half an element"},
      {HALF "loads: [{force: [0, 0, 1]}]\nprinting: {slab: 99}\n"
            "constraints: [{overheating: 2}]\n",
       "twice of that at most"},
      {HALF "loads: [{force: [0, 0, 1]}]\nprinting: {}\noptimiser: "
            "{method: oc}\nminimise: support_volume\n",
       "which oc does not know"},
      {HALF "loads: [{force: [0, 0, 1]}]\nprinting: {strain: [-0.01, -0.01, -0.01]}\n"
            "constraints: [{box: {max: [99, 99, 0]}, distortion: 1}]\n",
       "all of its nodes stand on the plate"},
      {HALF "problem: frequency\nconstraints: [{compliance: 1}]\n", "there is no load case 1"},
      {HALF "problem: heat\nsource: 1\nconstraints: [{frequency: 1}]\n", "nothing swings"}};
  run_refused(bad, sizeof bad / sizeof *bad);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(patterns_repeat_to_the_last_bit),
                                     cmocka_unit_test(tools_can_be_drawn),
                                     cmocka_unit_test(tools_reach_what_is_milled),
                                     cmocka_unit_test(walls_have_their_draft),
                                     cmocka_unit_test(supports_are_counted),
                                     cmocka_unit_test(leaning_walls_need_supports),
                                     cmocka_unit_test(gaps_keep_heat_in),
                                     cmocka_unit_test(columns_of_any_length_move_alike),
                                     cmocka_unit_test(drawn_designs_hold_together),
                                     cmocka_unit_test(drawn_designs_settle),
                                     cmocka_unit_test(meshes_are_printed_and_drawn),
                                     cmocka_unit_test(frequencies_rise),
                                     cmocka_unit_test(sparse_starts_come_back),
                                     cmocka_unit_test(weak_starts_come_back),
                                     cmocka_unit_test(light_designs_carry_their_load),
                                     cmocka_unit_test(heated_plates_are_cooled),
                                     cmocka_unit_test(trial_starts_leave_nothing_behind),
                                     cmocka_unit_test(conservative_updates_never_rise),
                                     cmocka_unit_test(many_constraints_are_met),
                                     cmocka_unit_test(members_are_no_larger_than_asked),
                                     cmocka_unit_test(slips_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
