/* Reading toolpaths: finds the dialect of a file and calls its reader.

   Dialects overlap (a table of numbers without header fits several). The rule: guess only what is
   certain from the ending, header or number of columns; otherwise fail with the choices, because a
   wrong guess of unit or power column gives a run that looks plausible. */
#include "io/toolpath/toolpath_read.h"
#include "core/number.h"
#include "io/format/atomic_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_in(const char *file, const char *extension) {
  const char *dot = strrchr(file, '.');
  return dot && strcasecmp(dot + 1, extension) == 0;
}

/* First look at a table without header: number of columns, if equal in all lines (0: no table),
   greatest value of the last column, whether commas separate, and whether it ends as adamantine's
   tables do. */
typedef struct {
  int columns;
  double most;
  bool comma, adamantine;
} table_look;

/* Columns, and what is special about them, from the first rows; the reader is set back by the
   caller. */
static ig_status look_at_table(ig_path_reader *r, table_look *look) {
  bool there;
  *look = (table_look){0};
  for (int rows = 0;; rows++) {
    IG_TRY(ig_path_line(r, '#', &there));
    if (!there)
      return IG_OK;
    double value[16];
    int count = 0;
    const char *p = r->text;
    while (ig_path_gap(*p))
      p++;
    /* As many numbers as the line has, up to 16; a comma anywhere is remembered. */
    while (*p && count < 16) {
      char *stop;
      if (!ig_path_number(p, &stop, &value[count]) || (*stop && !ig_path_gap(*stop)))
        break;
      for (p = stop; ig_path_gap(*p); p++)
        look->comma = look->comma || *p == ',';
      count++;
    }
    look->adamantine = *p && rows && strncmp(p, "SCAN_PATH_END", 13) == 0;
    if (look->adamantine)
      return IG_OK;
    /* Rows of different lengths are no table: the reader itself then reports the first bad one. */
    if (*p || count == 0 || (look->columns && look->columns != count)) {
      look->columns = rows ? look->columns : 0; /* the reader says what is wrong below */
      return IG_OK;
    }
    look->columns = count;
    look->most = fmax(look->most, value[count - 1]);
  }
}

/* Without case; NULL: not there. */
static const char *find_word(const char *text, const char *word) {
  for (; *text; text++)
    if (strncasecmp(text, word, strlen(word)) == 0)
      return text;
  return NULL;
}

/* A segment list: columns and units of its header tell the dialect. */
static ig_status guess_segments(ig_path_reader *r, ig_toolpath_format *format) {
  if (find_word(r->text, "pow")) {
    *format = IG_TOOLPATH_ADDITIVEFOAM;
    return IG_OK;
  }
  if (find_word(r->text, "(mm)") || find_word(r->text, "(m)") || !isnan(r->o->unit)) {
    *format = IG_TOOLPATH_SEGMENTS;
    return IG_OK;
  }
  return ig_path_fail(r, NULL,
                      "are these lengths in millimetres or metres? The header does not say: name "
                      "the dialect, `format: 3dthesis` (mm) or `format: adamantine` (m), or set "
                      "`unit`");
}

/* Decides by the number of columns; ambiguous tables are refused with the possible dialects.
   Dialects of bare numbers differ in their columns and in what these may be. */
static ig_status guess_table(ig_path_reader *r, ig_toolpath_format *format) {
  table_look look;
  IG_TRY(look_at_table(r, &look));
  r->line = 1;
  *format = IG_TOOLPATH_CSV;
  /* The number of columns tells some dialects apart; where two would fit, the case must name one. A
     guess that is wrong by a factor of 1000 in length, or in power, would go unnoticed. */
  if (look.columns == 9 || look.adamantine)
    *format = IG_TOOLPATH_ADAMANTINE;
  else if (look.columns == 6)
    return ig_path_fail(r, NULL,
                        "6 columns without a header: name the dialect, `format: 3dthesis`, "
                        "`additivefoam` or `adamantine`");
  else if (look.columns == 4)
    return ig_path_fail(r, NULL,
                        "4 columns without a header: if they are x, y, power and trigger, say "
                        "`format: ammt`");
  else if (look.columns == 5 && look.most > 0 && look.most <= 1)
    return ig_path_fail(r, NULL,
                        "is the last column a power in watts, a factor or a switch? It is never "
                        "above 1, and there is no header: name the dialect, `format: csv` (W), "
                        "`adamantine` (factor of the next piece, m) or `crs` (switch of the piece "
                        "before, mm)");
  else if (look.columns == 5 && !look.comma)
    return ig_path_fail(r, NULL,
                        "5 columns without a header and without commas: name the dialect, `format: "
                        "csv` or `crs`, or write a header such as t,x,y,z,power");
  return IG_OK;
}

/* By the ending for G-code and .crs, otherwise by the first line that is not empty. First the
   ending, then words at the beginning of the file; a table of numbers last. */
static ig_status guess(ig_path_reader *r, ig_toolpath_format *format) {
  static const char *const gcode[] = {"gcode", "nc", "ngc", "g", "gco", "gc", "cnc", "tap"};
  for (size_t i = 0; i < sizeof gcode / sizeof *gcode; i++)
    if (ends_in(r->file, gcode[i])) {
      *format = IG_TOOLPATH_GCODE;
      return IG_OK;
    }
  *format = ends_in(r->file, "crs") ? IG_TOOLPATH_CRS : IG_TOOLPATH_CSV;
  if (*format == IG_TOOLPATH_CRS)
    return IG_OK;
  bool there;
  /* The state before the first line, to which the reader returns. */
  const ig_path_reader start = *r;
  IG_TRY(ig_path_line(r, '\0', &there));
  if (!there)
    return IG_OK;
  const char *p = r->text + strspn(r->text, " \t");
  if (p[0] == '$' && p[1] == '$') {
    *format = IG_TOOLPATH_CLI;
    return IG_OK;
  }
  /* Comments, tape marks, or a letter with a number. */
  if (*p == ';' || *p == '%' || *p == '(' ||
      (strchr("GMNTgmnt", *p) && isdigit((unsigned char)p[1]))) {
    *format = IG_TOOLPATH_GCODE;
    return IG_OK;
  }
  if (find_word(r->text, "number of path segments")) {
    *format = IG_TOOLPATH_ADAMANTINE;
    return IG_OK;
  }
  if (find_word(r->text, "mode"))
    return guess_segments(r, format);
  if (ig_path_is_header(r->text))
    return IG_OK;
  r->at = start.at;
  r->line = start.line;
  return guess_table(r, format);
}

/* --- the whole */

/* Warns about figures that are unlikely to be meant: most often a wrong unit or dialect. */
static ig_status plausible(ig_path_reader *r) {
  ig_toolpath_survey s;
  const ig_src at = {r->file, 1, 1, true};
  IG_TRY(ig_toolpath_look(r->cx, r->path, &s));
  if (s.power_max > IG_TOOLPATH_POWER)
    ig_warn_at(r->cx, &at, "read as %s: power up to %.4g W: is that meant?", r->as.dialect,
               s.power_max);
  if (s.speed_max > IG_TOOLPATH_SPEED)
    ig_warn_at(r->cx, &at, "read as %s: the beam moves at up to %.4g m/s: is the unit right?",
               r->as.dialect, s.speed_max);
  return IG_OK;
}

/* Reader and name of each dialect, in the order of ig_toolpath_format. */
static const struct {
  ig_path_dialect *read;
  const char *name;
} dialects[] = {
    [IG_TOOLPATH_CSV] = {ig_path_read_table, "table of times and places"},
    [IG_TOOLPATH_CRS] = {ig_path_read_crs, ".crs path"},
    [IG_TOOLPATH_SEGMENTS] = {ig_path_read_segments, "segment list"},
    [IG_TOOLPATH_GCODE] = {ig_path_read_gcode, "G-code"},
    [IG_TOOLPATH_ADDITIVEFOAM] = {ig_path_read_segments, "AdditiveFOAM scan path"},
    [IG_TOOLPATH_THESIS] = {ig_path_read_segments, "3DThesis path"},
    [IG_TOOLPATH_ADAMANTINE] = {ig_path_read_adamantine, "adamantine scan path"},
    [IG_TOOLPATH_AMMT] = {ig_path_read_ammt, "AMMT command file"},
    [IG_TOOLPATH_CLI] = {ig_path_read_cli, "common layer interface"},
};

/* Options of G-code are refused for other dialects, where they would have no effect. */
static ig_status parse(ig_path_reader *r, const char *text) {
  ig_toolpath_format format = r->o->format;
  if (format == IG_TOOLPATH_AUTO)
    IG_TRY(guess(r, &format));
  ig_toolpath_options named = *r->o;
  named.format = format;
  r->o = &named;
  r->at = text;
  r->line = 0;
  r->as.dialect = dialects[format].name;
  const bool full = r->o->full_s > 0, dwell = r->o->dwell_unit > 0 && r->o->dwell_unit != 1e-3;
  if (format != IG_TOOLPATH_GCODE && (full || dwell))
    return ig_path_fail(r, NULL, "`%s` is for G-code, and this file is a %s: leave it out",
                        full ? "full_s" : "dwell_unit", r->as.dialect);
  IG_TRY(dialects[format].read(r));
  if (r->path->count < 2)
    return ig_path_fail(r, NULL, "the toolpath has %s: expected two points or more",
                        r->path->count ? "one point" : "no points");
  return plausible(r);
}

/* `text` need not end with 0. The text need not end with a zero. as may be NULL. On failure the
   path is empty. */
ig_status ig_toolpath_parse(ig_ctx *cx, const char *file, const char *text, size_t length,
                            const ig_toolpath_options *options, ig_toolpath *path,
                            ig_toolpath_read_as *as) {
  memset(path, 0, sizeof *path);
  ig_path_reader r = {.cx = cx,
                      .file = file,
                      .at = text,
                      .end = text + length,
                      .o = options,
                      .path = path,
                      .as.unit = 1};
  /* An empty buffer, so that r.text is never NULL. */
  ig_status status = ig_path_reserve(&r, 1);
  if (status == IG_OK) {
    r.text[0] = '\0';
    status = parse(&r, text);
  }
  free(r.text);
  if (as)
    *as = r.as;
  if (status != IG_OK)
    ig_toolpath_free(path);
  return status;
}

ig_status ig_toolpath_read(ig_ctx *cx, const char *file, const ig_toolpath_options *options,
                           ig_toolpath *path, ig_toolpath_read_as *as) {
  char *text;
  size_t size;
  memset(path, 0, sizeof *path);
  IG_TRY(ig_file_read(cx, file, 0, &text, &size));
  const ig_status status = ig_toolpath_parse(cx, file, text, size, options, path, as);
  free(text);
  return status;
}
