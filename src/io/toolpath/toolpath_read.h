/* Shared by the readers of toolpaths. Private to io/toolpath. */
#ifndef IG_IO_TOOLPATH_TOOLPATH_READ_H
#define IG_IO_TOOLPATH_TOOLPATH_READ_H

#include "io/toolpath/toolpath.h"

/* State of reading one file. */
typedef struct {
  ig_ctx *cx;
  const char *file, *at, *end;
  int line;
  char *text;      /* of the line, no line end */
  size_t capacity; /* of text */
  const ig_toolpath_options *o;
  ig_toolpath *path;
  ig_toolpath_read_as as;
} ig_path_reader;

ig_status ig_path_fail(ig_path_reader *r, const char *where, const char *format, ...)
    IG_PRINTF(3, 4);
/* Makes room for a line of `length` characters. */
IG_MUST_CHECK ig_status ig_path_reserve(ig_path_reader *r, size_t length);
/* The next line with content; comments from `mark` on are removed ('\0': none are). */
IG_MUST_CHECK ig_status ig_path_line(ig_path_reader *r, char mark, bool *there);
/* A number followed by a separator or the end; false: none. */
bool ig_path_number(const char *p, char **stop, double *value);
/* The numbers of the line, `least` to `most`; anything else fails. columns: for the message. */
IG_MUST_CHECK ig_status ig_path_numbers(ig_path_reader *r, int least, int most, const char *columns,
                                        double *value, int *count);
bool ig_path_gap(char c);
/* Whether the line begins with a word. */
bool ig_path_is_header(const char *text);
IG_MUST_CHECK ig_status ig_path_later(ig_path_reader *r, double t);
IG_MUST_CHECK ig_status ig_path_need_power(ig_path_reader *r);
/* Metres per unit of the file: the user's value, otherwise `usual`; noted in r->as. */
double ig_path_unit(ig_path_reader *r, double usual);
/* A straight piece from the end of the path (or from x if it is empty) to y; updates x and *t. */
IG_MUST_CHECK ig_status ig_path_go(ig_path_reader *r, double *t, double *x, const double *y,
                                   double seconds, double power);

typedef ig_status ig_path_dialect(ig_path_reader *r);
ig_path_dialect ig_path_read_table, ig_path_read_crs, ig_path_read_segments, ig_path_read_ammt,
    ig_path_read_adamantine, ig_path_read_gcode, ig_path_read_cli;

#endif
