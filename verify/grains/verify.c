/* Verification: the octahedron of one grain, the undercooling of a front at constant gradient and
   speed, competition of grains, columnar and equiaxed growth after Hunt (1984). */
#include "verify/verify.h"
#include "grains/grains.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL 1e-6

static void row_put(const ig_verify_sink *sink, const char *quantity, const char *source,
                    double expected, double computed, double tolerance, bool relative) {
  const ig_verify_row row = {quantity, source, expected, computed, tolerance, relative};
  sink->row(sink->user, &row);
}

/* A box of cells in a field, with what all problems have in common. */
static ig_grains_case box(int nx, int ny, int nz) {
  return (ig_grains_case){.grid = {.cell = CELL,
                                   .refine = 1,
                                   .size = {nx * CELL, ny * CELL, nz * CELL},
                                   .min = {NAN, NAN, NAN},
                                   .max = {NAN, NAN, NAN}},
                          .field = {.at = {.given = true}, .speed = NAN, .cooling_rate = NAN},
                          .growth = {.linear = NAN, .quadratic = NAN, .cubic = NAN, .limit = NAN},
                          .substrate = {.grain_size = NAN, .top = NAN},
                          .time_step = NAN,
                          .safety = 0.2,
                          .duration = NAN,
                          .random_seed = 1,
                          .ipf_axis = 2};
}

static ig_status run(ig_ctx *cx, const ig_grains_case *c, ig_job *job, ig_grains_run *r) {
  *job = (ig_job){.cx = cx, .room_case = c};
  ig_status status = ig_grains_open(job, r);
  while (status == IG_OK && !ig_grains_ended(r))
    status = ig_grains_advance(r, 64);
  return status == IG_OK ? ig_grains_pull(r) : status;
}

/* --- one grain in melt of constant undercooling */

/* How far inside or outside of the exact octahedron cells are on the wrong side of it, in cells. */
typedef struct {
  double size, volume, beyond, missing;
} envelope;

static envelope envelope_of(const ig_grains_run *r) {
  const float *axes = r->array.axes.host;
  const int *n = r->view.n;
  envelope e = {.size = (double)r->tick * r->dt * ig_grains_speed(r, r->view.start) / CELL};
  int64_t c = 0;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, c++) {
        const double x[3] = {i - n[0] / 2, j - n[1] / 2, k - n[2] / 2};
        double sum = 0;
        for (int a = 0; a < 3; a++)
          sum += fabs(axes[3 * a] * x[0] + axes[3 * a + 1] * x[1] + axes[3 * a + 2] * x[2]);
        const bool in = ((const int32_t *)r->array.grain.host)[c] == 1;
        e.volume += in;
        if (in)
          e.beyond = fmax(e.beyond, (sum - e.size) / sqrt(3));
        else
          e.missing = fmax(e.missing, (e.size - sum) / sqrt(3));
      }
  return e;
}

/* Until the half diagonal is `size` cells. */
static ig_status grow_one(ig_ctx *cx, const double *euler, double size, envelope *e) {
  const int n = 2 * (int)size + 7;
  ig_grains_case c = box(n, n, n);
  ig_grains_seed seed = {
      .point = {(n / 2 + 0.5) * CELL, (n / 2 + 0.5) * CELL, (n / 2 + 0.5) * CELL},
      .euler = {euler[0], euler[1], euler[2]}};
  ig_grains_run r = {.cx = cx};
  ig_job job;
  c.field.undercooling = 50;
  c.seeds = (ig_list){1, &seed};
  c.growth.law = IG_GRAINS_CUSTOM;
  c.growth.quadratic = 1e-4;
  c.growth.limit = 100;
  c.duration = size * CELL / 0.25;
  const ig_status status = run(cx, &c, &job, &r);
  if (status == IG_OK)
    *e = envelope_of(&r);
  ig_grains_close(&r);
  return status;
}

static ig_status verify_octahedron(ig_ctx *cx, const ig_verify_sink *sink) {
  static const double aligned[3] = {0, 0, 0};
  static const double turned[][3] = {
      {0.3, 0.5, 0.2}, {M_PI / 4, 0, 0}, {1, M_PI / 4, 2}, {2, 1, 0.7}};
  envelope e = {0};
  /* lattice points within |x| + |y| + |z| <= 20 */
  IG_TRY(grow_one(cx, aligned, 20.5, &e));
  row_put(sink, "cells of a grain along the grid, half diagonal 20.5 cells",
          "lattice points within", 41.0 * (2 * 20 * 20 + 2 * 20 + 3) / 3, e.volume, 0, false);
  for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
    char text[96];
    IG_TRY(grow_one(cx, turned[i], 16, &e));
    const int at = (int)i + 1;
    snprintf(text, sizeof text, "volume of grain %d, inclined [cells]", at);
    row_put(sink, text, "4/3 L^3", 4.0 / 3 * pow(e.size, 3), e.volume, 0.03, true);
    snprintf(text, sizeof text, "grain %d: cells captured beyond its octahedron by [cells]", at);
    row_put(sink, text, "none", 0, e.beyond, 0.1, false);
    snprintf(text, sizeof text, "grain %d: cells missing within its octahedron by [cells]", at);
    row_put(sink, text, "less than a cell", 0, e.missing, 1, false);
  }
  return IG_OK;
}

/* --- constant gradient and speed */

/* The undercooling at which tips have a speed: the inverse of the law, by bisection. */
static double inverse(const ig_grains_run *r, double speed) {
  double low = 0, high = r->limit;
  for (int i = 0; i < 100; i++) {
    const double middle = 0.5 * (low + high);
    *(ig_grains_speed(r, middle) < speed ? &low : &high) = middle;
  }
  return low;
}

/* Mean undercooling at which the cells of the levels from..to were captured. */
static double captured_at(const ig_grains_run *r, int from, int to) {
  const int64_t level = (int64_t)r->view.n[0] * r->view.n[1];
  double sum = 0;
  for (int64_t c = from * level; c < to * level; c++)
    sum += (double)((const float *)r->array.under.host)[c];
  return sum / (double)((to - from) * level);
}

enum { FRONT = 12 }; /* cells across */
static ig_status front(ig_ctx *cx, const ig_verify_sink *sink, int law, double inclined,
                       const char *text) {
  ig_grains_case c = box(FRONT, FRONT, 160);
  ig_grains_seed seed[FRONT * FRONT];
  ig_grains_run r = {.cx = cx};
  ig_job job;
  for (int i = 0; i < FRONT * FRONT; i++)
    seed[i] =
        (ig_grains_seed){.point = {(i % FRONT + 0.5) * CELL, (i / FRONT + 0.5) * CELL, 0.5 * CELL},
                         .euler = {0.3, inclined, 0}};
  c.seeds = (ig_list){FRONT * FRONT, seed};
  c.periodic = true;
  c.field.gradient = 2e6; /* the front is steady after some R / (G dv/du), 14 cells */
  c.field.speed = 0.3;
  c.growth.law = law;
  ig_status status = run(cx, &c, &job, &r);
  if (status == IG_OK) {
    /* a cell is captured at its lower undercooling, and grows until the next one is reached */
    const double half = 0.5 * c.field.gradient * CELL;
    row_put(sink, text, "inverse of the law at R / cos(angle)",
            inverse(&r, c.field.speed / cos(inclined)), captured_at(&r, 120, 155) + half, 0.01,
            true);
  }
  ig_grains_close(&r);
  return status;
}

static ig_status verify_front(ig_ctx *cx, const ig_verify_sink *sink) {
  IG_TRY(
      front(cx, sink, IG_GRAINS_IN625, 0, "IN625, <100> upwards: undercooling of the front [K]"));
  IG_TRY(
      front(cx, sink, IG_GRAINS_IN718, 0, "IN718, <100> upwards: undercooling of the front [K]"));
  return front(cx, sink, IG_GRAINS_IN625, 0.5,
               "IN625, <100> inclined by 0.5 rad: undercooling of the front [K]");
}

/* --- competition: many grains of random orientation */

/* The mean angle between z and the nearest <100> of random orientations, rad: the integral over
   the sixth of the sphere around an axis, by the midpoint rule. */
static double random_tilt(void) {
  enum { N = 400 };
  double sum = 0, area = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      const double a = (i + 0.5) / N, b = (j + 0.5) / N, l = sqrt(1 + a * a + b * b),
                   w = 1 / (l * l * l);
      sum += w * acos(1 / l);
      area += w;
    }
  return sum / area;
}

static ig_status verify_competition(ig_ctx *cx, const ig_verify_sink *sink) {
  ig_grains_case c = box(64, 64, 65);
  ig_grains_run r = {.cx = cx};
  ig_grains_measure m = {0};
  ig_job job;
  c.substrate = (ig_grains_substrate){.at = {.given = true}, .grain_size = 4e-6, .top = NAN};
  c.periodic = true;
  c.field.gradient = 5e5;
  c.field.speed = 0.3;
  ig_status status = run(cx, &c, &job, &r);
  if (status == IG_OK)
    status = ig_grains_measure_make(&r, &m);
  if (status == IG_OK) {
    double rises = 0;
    for (int k = 16; k < 65; k += 16)
      rises += m.level[k].grains >= m.level[k - 8].grains;
    row_put(sink, "mean angle of <100> to z in the first level [rad]", "random orientations",
            random_tilt(), m.level[1].tilt, 0.03, false);
    row_put(sink, "heights at which there are not fewer grains than 8 cells below", "none", 0,
            rises, 0, false);
    row_put(sink, "mean angle in the last level over that of random ones", "less than 0.6", 0.3,
            m.level[64].tilt / random_tilt(), 0.3, false);
  }
  ig_grains_measure_free(&m);
  ig_grains_close(&r);
  return status;
}

/* --- nuclei in melt that cools everywhere alike */

/* Nuclei of one undercooling: when tips have grown by L, a share 1 - exp(-4/3 N L^3) of the melt is
   solid (Kolmogorov; Avrami; exactly so for grains of one orientation). */
#define LAW 1e-4 /* v = LAW u^2 */
static ig_status verify_nuclei(ig_ctx *cx, const ig_verify_sink *sink) {
  enum { N = 40 };
  const double begin = 20, end = 40, cooling = 2e5;
  ig_grains_case c = box(N, N, N);
  ig_grains_run r = {.cx = cx};
  ig_job job;
  c.field.cooling_rate = cooling;
  c.periodic = true;
  c.growth.law = IG_GRAINS_CUSTOM;
  c.growth.quadratic = LAW;
  c.growth.limit = 100;
  c.nucleation = (ig_grains_nucleation){.at = {.given = true}, .density = 8e14, .mean = begin};
  c.duration = end / cooling;
  const ig_status status = run(cx, &c, &job, &r);
  if (status == IG_OK) {
    const double size = LAW * (pow(end, 3) - pow(begin, 3)) / (3 * cooling),
                 density = (double)r.array.nucleus.count / pow(N * CELL, 3);
    int64_t liquid = 0;
    for (int64_t i = 0; i < r.view.cells; i++)
      liquid += ((const int32_t *)r.array.grain.host)[i] == 0;
    row_put(sink, "solid share of a melt with nuclei that cools evenly", "Avrami, octahedra",
            -expm1(-4.0 / 3 * density * pow(size, 3)), 1 - (double)liquid / (double)r.view.cells,
            0.05, false);
  }
  ig_grains_close(&r);
  return status;
}

/* --- columnar and equiaxed */

/* The gradient at which nuclei ahead of a front of undercooling `tip` have an extended share
   `extended` of the melt when it arrives (Hunt, 1984, with octahedra, 4/3 L^3, for his spheres):
   growth is equiaxed below that of 0.66 and columnar above that of 0.0066. */
static double hunt(double density, double nucleation, double tip, double extended) {
  return cbrt(4.0 / 3 * density / extended) / 3 * (1 - pow(nucleation / tip, 3)) * tip;
}

/* What is captured at less than this share of the front's undercooling is ahead of it. */
#define AHEAD 0.75

/* Share of the upper half, where the front is steady, that was captured ahead of it. */
static double captured_ahead(const ig_grains_run *r, double tip) {
  const float *at = r->array.under.host;
  const int64_t cells = r->view.cells;
  int64_t count = 0;
  for (int64_t c = cells / 2; c < cells; c++)
    count += (double)at[c] < AHEAD * tip;
  return (double)count / (double)(cells - cells / 2);
}

/* A crystal along z grows from below; above it are nuclei. */
enum { WIDE = 32 }; /* cells across, and twice as many upwards */
static ig_status equiaxed(ig_ctx *cx, double gradient, double nucleation, double density,
                          double tip, double *share) {
  ig_grains_case c = box(WIDE, WIDE, 2 * WIDE);
  ig_grains_seed seed[WIDE * WIDE];
  ig_grains_run r = {.cx = cx};
  ig_job job;
  for (int i = 0; i < WIDE * WIDE; i++) {
    const int x = i % WIDE, y = i / WIDE;
    seed[i] = (ig_grains_seed){.point = {(x + 0.5) * CELL, (y + 0.5) * CELL, 0.5 * CELL}};
  }
  c.seeds = (ig_list){WIDE * WIDE, seed};
  c.periodic = true;
  c.field.gradient = gradient;
  c.field.speed = LAW * tip * tip;
  c.growth.law = IG_GRAINS_CUSTOM;
  c.growth.quadratic = LAW;
  c.growth.limit = 100;
  c.nucleation =
      (ig_grains_nucleation){.at = {.given = true}, .density = density, .mean = nucleation};
  const ig_status status = run(cx, &c, &job, &r);
  if (status == IG_OK)
    *share = captured_ahead(&r, tip);
  ig_grains_close(&r);
  return status;
}

static ig_status verify_hunt(ig_ctx *cx, const ig_verify_sink *sink) {
  const double tip = 30, nucleus = 15, density = 4e14;
  double share = NAN;
  IG_TRY(equiaxed(cx, 0.2 * hunt(density, nucleus, tip, 0.66), nucleus, density, tip, &share));
  row_put(sink, "gradient far below the limit of equiaxed growth: share ahead of the front",
          "Hunt (1984): all of it", 1, share, 0.1, false);
  IG_TRY(equiaxed(cx, hunt(density, nucleus, tip, 0.0066), nucleus, density, tip, &share));
  row_put(sink, "gradient at the limit of columnar growth: share ahead of the front",
          "Hunt (1984): next to nothing", 0, share, 0.02, false);
  IG_TRY(equiaxed(cx, hunt(density, nucleus, tip, 0.66), 1.05 * tip, density, tip, &share));
  row_put(sink, "nuclei that need more than the front's undercooling: share ahead of it", "none", 0,
          share, 0, false);
  return IG_OK;
}

const ig_verify_entry ig_grains_verify[] = {
    {"octahedron", "one grain in melt of constant undercooling", true, verify_octahedron},
    {"front", "undercooling of a front at constant gradient and speed", true, verify_front},
    {"competition", "grains of random orientation grow beside each other", true,
     verify_competition},
    {"nuclei", "grains that appear in melt that cools", true, verify_nuclei},
    {"hunt", "columnar and equiaxed growth, after Hunt", true, verify_hunt},
    {0}};
