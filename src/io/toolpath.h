/* Toolpaths from the files users own. */
#ifndef IG_IO_TOOLPATH_H
#define IG_IO_TOOLPATH_H

#include "core/option.h"
#include "core/toolpath.h"

#define IG_TOOLPATH_FORMATS "auto|csv|crs|segments|gcode"
typedef enum {
  IG_TOOLPATH_AUTO,
  IG_TOOLPATH_CSV,      /* t,x,y,z,power under a header */
  IG_TOOLPATH_CRS,      /* t x y z state: state of the piece that ends here */
  IG_TOOLPATH_SEGMENTS, /* mode x y z pmod param under a header */
  IG_TOOLPATH_GCODE
} ig_toolpath_format;

typedef struct {
  ig_toolpath_format format; /* auto: by extension, else by the first lines */
  double power;              /* nominal, W; NaN: the file must say */
  double unit;               /* metres, of the file's lengths; NaN: the format's own */
  double travel;             /* speed of G-code's G0, m/s */
  double start;              /* s: time of the first point where the file gives none */
} ig_toolpath_options;

/* Reads a file. Time must rise (equal times: a jump), numbers must be finite. */
IG_MUST_CHECK ig_status ig_toolpath_read(ig_ctx *cx, const char *file,
                                         const ig_toolpath_options *options, ig_toolpath *path);
/* The same from text; `file` is what messages call it. */
IG_MUST_CHECK ig_status ig_toolpath_parse(ig_ctx *cx, const char *file, const char *text,
                                          size_t length, const ig_toolpath_options *options,
                                          ig_toolpath *path);

#endif
