/* Keys of a case for a toolpath from a file; for every room with beams. A header with a static
   table, so that builds without files have the keys too and report that they read none. */
#ifndef IG_IO_TOOLPATH_PATH_CASE_H
#define IG_IO_TOOLPATH_PATH_CASE_H

#include "io/toolpath/toolpath.h"
#include "ingot_io.h"

/* SI units; NaN: not given. */
typedef struct {
  ig_src at;
  const char *file;
  int format;
  double power, unit, jump_speed, start_time;
  double feed, z, sample, dwell_unit, full_s;
} ig_path_case;

/* Public in this header, so that rooms of all kinds read a path by the same keys. */
#define P ig_path_case
static const ig_option ig_path_options[] __attribute__((unused)) = {
    IG_FILE(P, file, IG_REQUIRED, "toolpath file"),
    IG_CHOICE(P, format, IG_TOOLPATH_FORMATS, "auto", "its dialect; auto: by what the file says"),
    IG_REAL(P, power, "W", NULL, 0, 1e6, "nominal power, where the file gives none"),
    IG_REAL(P, unit, "m", NULL, IG_POSITIVE, 1,
            "length unit of the file; left out: the dialect's own"),
    IG_REAL(P, jump_speed, "m/s", "1 m/s", IG_POSITIVE, 1e3,
            "speed with the beam off, where the file gives none; of G-code's G0"),
    IG_REAL(P, feed, "m/s", NULL, IG_POSITIVE, 1e3,
            "speed with the beam on, where the file gives none"),
    IG_REAL(P, z, "m", "0", 0, 0, "height, where the file gives none"),
    IG_REAL(P, sample, "s", NULL, IG_POSITIVE, 1e3,
            "time between rows, where the file gives none; left out: 10 us for ammt"),
    IG_REAL(P, dwell_unit, "s", "1 ms", IG_POSITIVE, 1e3, "G-code: unit of P in G4"),
    IG_REAL(P, full_s, "", NULL, IG_POSITIVE, 1e9,
            "G-code: the S word that means `power`; left out: S is in watts"),
    IG_REAL(P, start_time, "s", "0", 0, 1e9, "time of the first point, where the file gives none"),
    IG_END};
#undef P

/* Reads the path that a case names; without INGOT_IO it fails. The path is the caller's to free. */
static inline ig_status ig_path_read(ig_ctx *cx, const ig_path_case *c, ig_toolpath *path) {
#ifdef INGOT_HAVE_IO
  const ig_toolpath_options options = {.format = (ig_toolpath_format)c->format,
                                       .power = c->power,
                                       .unit = c->unit,
                                       .travel = c->jump_speed,
                                       .feed = c->feed,
                                       .z = c->z,
                                       .sample = c->sample,
                                       .dwell_unit = c->dwell_unit,
                                       .full_s = c->full_s,
                                       .start = c->start_time};
  return ig_toolpath_read(cx, c->file, &options, path, NULL);
#else
  (void)path;
  return IG_FAIL(cx, IG_UNSUPPORTED, "%s: this build reads no files: configure with -DINGOT_IO=ON",
                 c->file);
#endif
}

#endif
