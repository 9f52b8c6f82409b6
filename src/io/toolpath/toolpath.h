/* Toolpaths from files: positions of a beam over time with its power, in several dialects. */
#ifndef IG_IO_TOOLPATH_TOOLPATH_H
#define IG_IO_TOOLPATH_TOOLPATH_H

#include "core/option.h"
#include "core/toolpath.h"

#define IG_TOOLPATH_FORMATS "auto|csv|crs|segments|gcode|additivefoam|3dthesis|adamantine|ammt|cli"
typedef enum {
  IG_TOOLPATH_AUTO,
  IG_TOOLPATH_CSV,          /* a table of times and places; a header names columns and units */
  IG_TOOLPATH_CRS,          /* t x y z state: state of the piece that ends here */
  IG_TOOLPATH_SEGMENTS,     /* mode x y z pmod param under a header */
  IG_TOOLPATH_GCODE,        /* of slicers and of laser machines */
  IG_TOOLPATH_ADDITIVEFOAM, /* segments in metres and watts */
  IG_TOOLPATH_THESIS,       /* segments in millimetres, power as a factor */
  IG_TOOLPATH_ADAMANTINE,   /* segments or events in metres, power as a factor */
  IG_TOOLPATH_AMMT,         /* x y power trigger, a row every 10 us */
  IG_TOOLPATH_CLI           /* common layer interface, as text */
} ig_toolpath_format;

/* What the user says about a file. SI units; NaN or 0 as noted: not given. */
typedef struct {
  ig_toolpath_format format; /* auto: by what the file says */
  double power;              /* nominal, W; NaN: the file must say */
  double unit;               /* metres, of the file's lengths; NaN: the format's own */
  double travel;             /* speed with the beam off where the file gives none, m/s */
  double feed;               /* speed with the beam on where the file gives none, m/s; NaN: none */
  double z;                  /* height where the file gives none, m */
  double sample;             /* s between rows where the file gives no time; 0: 10 us */
  double dwell_unit;         /* s, of P in G4; 0: 1 ms */
  double full_s;             /* the S word that means `power`; 0 or NaN: S is in watts */
  double start;              /* s: time of the first point where the file gives none */
} ig_toolpath_options;

/* How a file was read, for reports to the user. */
typedef struct {
  const char *dialect;   /* in words: "AdditiveFOAM scan path" */
  double unit;           /* metres */
  int64_t layers_marked; /* layers that comments of G-code or CLI announce */
} ig_toolpath_read_as;

/* Reads a file. Times must rise (equal times: a jump) and numbers be finite; unlikely figures cause
   warnings. as: may be NULL. *path is freed by ig_toolpath_free. */
IG_MUST_CHECK ig_status ig_toolpath_read(ig_ctx *cx, const char *file,
                                         const ig_toolpath_options *options, ig_toolpath *path,
                                         ig_toolpath_read_as *as);
/* The same from text; file: name in messages. */
IG_MUST_CHECK ig_status ig_toolpath_parse(ig_ctx *cx, const char *file, const char *text,
                                          size_t length, const ig_toolpath_options *options,
                                          ig_toolpath *path, ig_toolpath_read_as *as);
/* Writes by the ending of the name: .csv (t,x,y,z,power in SI units), .txt (AdditiveFOAM scan
   path). */
IG_MUST_CHECK ig_status ig_toolpath_write(ig_ctx *cx, const ig_toolpath *path, const char *file);
/* Draws the path from above, coloured by power, as a PNG file; layer: one height (from 0), -1:
   all. */
IG_MUST_CHECK ig_status ig_toolpath_draw(ig_ctx *cx, const ig_toolpath *path, int64_t layer,
                                         const char *png);

/* A path as programs see it (include/ingot/path.h). */
struct ig_path {
  ig_toolpath path;
  ig_toolpath_read_as as;
};

#endif
