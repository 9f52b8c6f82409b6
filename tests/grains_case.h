/* Cases of grains for tests: a field in a box, and a file of events. */
#ifndef IG_TESTS_GRAINS_CASE_H
#define IG_TESTS_GRAINS_CASE_H

#include "check.h"
#include "grains/grains.h"

#define UM 1e-6

/* Micrometre cells, a gradient that the front is steady in after a few of them, nuclei. */
static inline ig_grains_case grains_box(int nx, int ny, int nz) {
  return (ig_grains_case){
      .grid = {.cell = UM,
               .refine = 1,
               .size = {nx * UM, ny * UM, nz * UM},
               .min = {NAN, NAN, NAN},
               .max = {NAN, NAN, NAN}},
      .field = {.at = {.given = true}, .gradient = 2e6, .speed = 0.5, .cooling_rate = NAN},
      .growth = {.linear = NAN, .quadratic = NAN, .cubic = NAN, .limit = NAN},
      .substrate = {.at = {.given = true}, .grain_size = 5 * UM, .top = NAN},
      .nucleation = {.at = {.given = true}, .density = 5e14, .mean = 40, .deviation = 10},
      .time_step = NAN,
      .safety = 0.2,
      .duration = NAN,
      .random_seed = 1,
      .ipf_axis = 2};
}

/* A pool that goes twice along x over a bar of 40 x 12 x 8 cells: text, or ExaCA's binary. */
static inline void grains_pool_write(const char *path, bool binary) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  if (!binary)
    fputs("X, y,Z,other,tm,tl,cr\n", f);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < 8; k++)
      for (int j = 0; j < 12; j++)
        for (int i = 0; i < 40; i++) {
          const double y = (j - 3 - 4 * pass) / 5.0, z = (7 - k) / 7.0, deep = 1 - y * y - z * z;
          if (deep <= 0)
            continue;
          const double melt = 3e-4 * pass + (i + 10 * (1 - sqrt(deep))) * 1e-6,
                       freeze = melt + 30e-6 * sqrt(deep);
          const double row[6] = {i * UM, j * UM, k * UM, melt, freeze, 1e6};
          if (binary)
            fwrite(row, sizeof row, 1, f);
          else
            fprintf(f, "%.17g,%.17g,%.17g,7,%.17g,%.17g,%.17g\n", row[0], row[1], row[2], row[3],
                    row[4], row[5]);
        }
  fclose(f);
}

static inline ig_grains_case grains_pool(ig_grains_file *file, const char *path) {
  ig_grains_case c = grains_box(1, 1, 1);
  *file = (ig_grains_file){.file = path};
  c.field.at.given = false;
  c.grid.size[0] = NAN;
  c.events = (ig_list){1, file};
  c.nucleation.mean = 20;
  return c;
}

/* To the end; the arrays are on the host then. */
static inline void grains_run(ig_ctx *cx, const ig_grains_case *c, ig_job *job, ig_grains_run *r) {
  *job = (ig_job){.cx = cx, .room_case = c};
  GOOD(cx, ig_grains_open(job, r));
  while (!ig_grains_ended(r))
    GOOD(cx, ig_grains_advance(r, 50));
  GOOD(cx, ig_grains_pull(r));
}

#endif
