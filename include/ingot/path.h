/* Toolpaths by themselves: read in any dialect, described, converted, drawn. */
#ifndef INGOT_PATH_H
#define INGOT_PATH_H

#include <ingot/run.h>

IG_C_BEGIN

typedef struct ig_path ig_path;

/* Zero-initialise, then set what matters: 0 and NULL mean "the file's own". */
typedef struct {
  const char *format; /* NULL: found out; else csv, crs, segments, gcode, additivefoam, 3dthesis,
                         adamantine, ammt, cli */
  double power;       /* W, where the file gives none */
  double unit;        /* metres, of the file's lengths */
  double travel;      /* m/s with the beam off where the file gives none; 0: 1 */
  double feed;        /* m/s with the beam on where the file gives none */
  double z;           /* m, where the file gives no height */
} ig_path_options;

IG_API IG_MUST_CHECK ig_status ig_path_open(ig_ctx *cx, const char *file,
                                            const ig_path_options *options, ig_path **path);
/* The path of a beam of a case, from 1: read from its file, or made by Ingot (raster, hatch). */
IG_API IG_MUST_CHECK ig_status ig_path_of_case(ig_case *c, int beam, ig_path **path);
IG_API void ig_path_close(ig_path *path);
/* How the file was read, and totals, as lines of text. */
IG_API IG_MUST_CHECK ig_status ig_path_describe(ig_ctx *cx, const ig_path *path, ig_line_fn *line,
                                                void *user);
/* Writes by the ending of the name: .csv (t,x,y,z,power in SI), .txt (AdditiveFOAM). */
IG_API IG_MUST_CHECK ig_status ig_path_write(ig_ctx *cx, const ig_path *path, const char *file);
/* A picture from above, colored by power; layer from 1, 0: all. */
IG_API IG_MUST_CHECK ig_status ig_path_draw(ig_ctx *cx, const ig_path *path, int layer,
                                            const char *png);

IG_C_END
#endif
