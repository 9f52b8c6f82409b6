/* Reading toolpaths: event series, .crs, segment files, G-code. */
#include "io/toolpath.h"
#include "io/store.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_LINE = 4096 };

/* --- a file as lines, each with its number */

typedef struct {
  ig_ctx *cx;
  const char *file, *at, *end;
  int line;
  char text[LONGEST_LINE]; /* of the line, no line end */
  const ig_toolpath_options *o;
  ig_toolpath *path;
} reader;

static ig_status fail(reader *r, const char *where, const char *format, ...) IG_PRINTF(3, 4);
static ig_status fail(reader *r, const char *where, const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  const ig_src at = {r->file, r->line, where ? (int)(where - r->text) + 1 : 1, true};
  return ig_fail_at(r->cx, &at, "%s", message);
}

/* The next line that says something; comments from `mark` on are cut. false: no more. */
static ig_status next_line(reader *r, char mark, bool *there) {
  for (;;) {
    *there = false;
    if (r->at >= r->end)
      return IG_OK;
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    size_t length = (size_t)((stop ? stop : r->end) - r->at);
    r->line++;
    if (length >= LONGEST_LINE)
      return fail(r, NULL, "a line of %zu characters: expected at most %d", length,
                  LONGEST_LINE - 1);
    if (memchr(r->at, '\0', length))
      return fail(r, NULL, "a zero byte: this is not a text file");
    memcpy(r->text, r->at, length);
    r->text[length] = '\0';
    r->at = stop ? stop + 1 : r->end;
    r->text[strcspn(r->text, "\r")] = '\0';
    char *comment = strchr(r->text, mark);
    if (comment)
      *comment = '\0';
    if (r->text[strspn(r->text, " \t,")] != '\0') {
      *there = true;
      return IG_OK;
    }
  }
}

static bool is_gap(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == ';';
}

/* Up to `most` numbers of the line; fails on anything else. */
static ig_status numbers(reader *r, int least, int most, const char *columns, double *value,
                         int *count) {
  *count = 0;
  const char *p = r->text;
  for (;;) {
    while (is_gap(*p))
      p++;
    if (*p == '\0')
      break;
    if (*count == most)
      return fail(r, p, "more than %d values: expected %s", most, columns);
    char *stop;
    value[*count] = strtod(p, &stop);
    if (stop == p || (*stop && !is_gap(*stop)))
      return fail(r, p, "'%.*s' is not a number: expected %s", (int)strcspn(p, " \t,;"), p,
                  columns);
    if (!isfinite(value[*count]))
      return fail(r, p, "'%.*s' is not finite", (int)(stop - p), p);
    (*count)++;
    p = stop;
  }
  if (*count < least)
    return fail(r, p, "%d value%s: expected %s", *count, *count == 1 ? "" : "s", columns);
  return IG_OK;
}

static bool is_header(const char *text) {
  text += strspn(text, " \t,\"'");
  return isalpha((unsigned char)*text) && strncasecmp(text, "nan", 3) != 0 &&
         strncasecmp(text, "inf", 3) != 0;
}

static ig_status later(reader *r, double t) {
  const ig_toolpath *p = r->path;
  if (p->count && t < p->t[p->count - 1])
    return fail(r, NULL, "time runs backwards: %g s after %g s", t, p->t[p->count - 1]);
  return IG_OK;
}

/* --- the dialects */

static ig_status read_csv(reader *r) {
  const double unit = isnan(r->o->unit) ? 1 : r->o->unit;
  bool there, first = true;
  for (;; first = false) {
    IG_TRY(next_line(r, '#', &there));
    if (!there)
      return IG_OK;
    if (first && is_header(r->text))
      continue;
    double v[5];
    int n;
    IG_TRY(numbers(r, 5, 5, "t,x,y,z,power", v, &n));
    IG_TRY(later(r, v[0]));
    if (v[4] < 0)
      return fail(r, NULL, "power %g W is negative", v[4]);
    const double x[3] = {unit * v[1], unit * v[2], unit * v[3]};
    IG_TRY(ig_toolpath_add(r->cx, r->path, v[0], x, v[4]));
  }
}

static ig_status need_power(reader *r) {
  if (isnan(r->o->power))
    return fail(r, NULL, "this format gives no power in watts: set `power` in the case");
  return IG_OK;
}

static ig_status read_crs(reader *r) {
  const double unit = isnan(r->o->unit) ? 1e-3 : r->o->unit;
  bool there;
  IG_TRY(need_power(r));
  for (;;) {
    IG_TRY(next_line(r, '#', &there));
    if (!there)
      return IG_OK;
    double v[5];
    int n;
    IG_TRY(numbers(r, 5, 5, "t x y z state", v, &n));
    IG_TRY(later(r, v[0]));
    if (v[4] != 0 && v[4] != 1)
      return fail(r, NULL, "state %g: expected 0 (off) or 1 (on)", v[4]);
    const double x[3] = {unit * v[1], unit * v[2], unit * v[3]};
    if (r->path->count)
      r->path->power[r->path->count - 1] = v[4] * r->o->power;
    IG_TRY(ig_toolpath_add(r->cx, r->path, v[0], x, 0));
  }
}

static ig_status read_segments(reader *r) {
  const double unit = isnan(r->o->unit) ? 1e-3 : r->o->unit;
  bool there, first = true;
  double t = r->o->start, x[3] = {0, 0, 0};
  IG_TRY(need_power(r));
  for (;; first = false) {
    IG_TRY(next_line(r, '#', &there));
    if (!there)
      return IG_OK;
    if (first && is_header(r->text))
      continue;
    double v[6];
    int n;
    IG_TRY(numbers(r, 6, 6, "mode x y z pmod param", v, &n));
    if (v[0] != 0 && v[0] != 1)
      return fail(r, NULL, "mode %g: expected 0 (line) or 1 (spot)", v[0]);
    if (v[4] < 0)
      return fail(r, NULL, "power factor %g is negative", v[4]);
    if (v[0] == 0 ? v[5] <= 0 : v[5] < 0)
      return fail(r, NULL, "param %g: expected a %s", v[5],
                  v[0] == 0 ? "speed above zero" : "time of zero or more");
    const double y[3] = {unit * v[1], unit * v[2], unit * v[3]}, power = v[4] * r->o->power;
    if (r->path->count == 0)
      memcpy(x, y, sizeof x); /* the first row says where the beam starts */
    if (v[0] == 0) {
      IG_TRY(ig_toolpath_add(r->cx, r->path, t, x, power));
      t += sqrt(pow(y[0] - x[0], 2) + pow(y[1] - x[1], 2) + pow(y[2] - x[2], 2)) / v[5];
      IG_TRY(ig_toolpath_add(r->cx, r->path, t, y, 0));
    } else {
      IG_TRY(ig_toolpath_add(r->cx, r->path, t, y, power));
      t += v[5];
      IG_TRY(ig_toolpath_add(r->cx, r->path, t, y, 0));
    }
    if (!isfinite(t))
      return fail(r, NULL, "the path takes forever");
    memcpy(x, y, sizeof x);
  }
}

/* --- G-code */

typedef struct {
  double x[3], e, feed, s; /* machine units; units a minute; power word */
  double scale;            /* metres a unit */
  bool relative, relative_e, on, has_s;
  int motion; /* 0, 1 */
} machine;

/* Cuts ( … ) and ; comments and a * checksum. */
static ig_status gcode_clean(reader *r) {
  char *out = r->text;
  int depth = 0;
  for (const char *p = r->text; *p; p++) {
    if (*p == ';' && !depth)
      break;
    if (*p == '*' && !depth)
      break;
    if (*p == '(')
      depth++;
    else if (*p == ')' && depth)
      depth--;
    else if (!depth)
      *out++ = *p;
  }
  *out = '\0';
  if (depth)
    return fail(r, NULL, "a comment '(' that never ends");
  return IG_OK;
}

typedef struct {
  bool given[26];
  double value[26];
  double g[8], m[8];
  int gs, ms;
} words;

static ig_status gcode_words(reader *r, words *w) {
  memset(w, 0, sizeof *w);
  for (const char *p = r->text; *p;) {
    if (isspace((unsigned char)*p)) {
      p++;
      continue;
    }
    const int letter = toupper((unsigned char)*p);
    if (letter == '%' || letter == '/')
      return IG_OK; /* tape marks and skipped blocks */
    if (!isalpha(letter))
      return fail(r, p, "'%c' does not begin a G-code word: expected a letter and a number", *p);
    char *stop;
    const double v = strtod(p + 1, &stop);
    if (stop == p + 1 || !isfinite(v))
      return fail(r, p, "'%c' without a number", *p);
    if (letter == 'G' || letter == 'M') {
      double *list = letter == 'G' ? w->g : w->m;
      int *count = letter == 'G' ? &w->gs : &w->ms;
      if (*count == 8)
        return fail(r, p, "more than 8 %c words on a line", letter);
      list[(*count)++] = v;
    } else if (!strchr("XYZEFSPNTIJKR", letter)) {
      return fail(r, p, "unknown word '%.*s': X Y Z E F S P G M N T are read", (int)(stop - p), p);
    } else {
      w->given[letter - 'A'] = true;
      w->value[letter - 'A'] = v;
    }
    p = stop;
  }
  return IG_OK;
}

typedef struct {
  int code[16], count;
} told;
/* Codes that do nothing to a beam are named once each, and passed over. */
static void pass_over(reader *r, told *t, int letter, double code) {
  const int key = letter * 100000 + (int)(10 * code);
  for (int i = 0; i < t->count; i++)
    if (t->code[i] == key)
      return;
  if (t->count == 16)
    return;
  t->code[t->count++] = key;
  const ig_src at = {r->file, r->line, 1, true};
  ig_warn_at(r->cx, &at, "%c%g means nothing to a beam: passed over here and below", letter, code);
}

static ig_status gcode_move(reader *r, machine *m, const words *w, double *t, bool uses_e,
                            bool uses_s, const double *origin) {
  double y[3], e = m->e;
  for (int d = 0; d < 3; d++) {
    const int letter = 'X' - 'A' + d;
    y[d] = w->given[letter] ? w->value[letter] + (m->relative ? m->x[d] : origin[d]) : m->x[d];
  }
  if (w->given['E' - 'A'])
    e = m->relative_e ? m->e + w->value['E' - 'A'] : w->value['E' - 'A'];
  const double length =
      m->scale * sqrt(pow(y[0] - m->x[0], 2) + pow(y[1] - m->x[1], 2) + pow(y[2] - m->x[2], 2));
  bool on = m->motion == 1;
  if (uses_e)
    on = on && e > m->e;
  else if (uses_s)
    on = on && m->on && !(m->has_s && m->s <= 0);
  double power = 0;
  if (on) {
    power = m->has_s && m->s > 0 && !uses_e ? m->s : r->o->power;
    if (isnan(power))
      return fail(r, NULL, "the beam is on, but no power is known: give S words, or set `power`");
  }
  const double speed = m->motion == 0 ? r->o->travel : m->feed * m->scale / 60;
  if (length > 0 && !(speed > 0))
    return fail(r, NULL, "a G1 move before any feed rate F");
  double from[3], to[3];
  for (int d = 0; d < 3; d++) {
    from[d] = m->scale * m->x[d];
    to[d] = m->scale * y[d];
  }
  if (length > 0) {
    ig_toolpath *p = r->path;
    if (p->count && p->t[p->count - 1] == *t)
      p->power[p->count - 1] = power; /* go on from where the last move ended */
    else
      IG_TRY(ig_toolpath_add(r->cx, p, *t, from, power));
    *t += length / speed;
    if (!isfinite(*t))
      return fail(r, NULL, "the path takes forever");
    IG_TRY(ig_toolpath_add(r->cx, p, *t, to, 0));
  }
  memcpy(m->x, y, sizeof y);
  m->e = e;
  return IG_OK;
}

static ig_status read_gcode(reader *r) {
  /* what switches the beam decides how G1 reads, so look before reading */
  bool uses_e = false, uses_s = false, there;
  const reader start = *r;
  words w;
  for (;;) {
    IG_TRY(next_line(r, '\0', &there));
    if (!there)
      break;
    IG_TRY(gcode_clean(r));
    IG_TRY(gcode_words(r, &w));
    uses_e |= w.given['E' - 'A'];
    for (int i = 0; i < w.ms; i++)
      uses_s |= w.m[i] == 3 || w.m[i] == 4;
    uses_s |= w.given['S' - 'A'] && w.ms == 0 && !(w.gs && w.g[0] == 4);
  }
  *r = start;
  machine m = {.scale = isnan(r->o->unit) ? 1e-3 : r->o->unit, .on = true, .motion = 0};
  if (uses_s && !uses_e)
    m.on = false;
  double origin[3] = {0, 0, 0}, t = r->o->start;
  told seen = {.count = 0};
  bool saw_m3 = false;
  for (;;) {
    IG_TRY(next_line(r, '\0', &there));
    if (!there)
      return IG_OK;
    IG_TRY(gcode_clean(r));
    IG_TRY(gcode_words(r, &w));
    bool dwell = false, set = false, moves = false;
    for (int i = 0; i < w.gs; i++) {
      const double g = w.g[i];
      if (g == 0 || g == 1)
        m.motion = (int)g, moves = true;
      else if (g == 2 || g == 3)
        return fail(r, NULL, "G%g arcs are not read: let the slicer write straight pieces", g);
      else if (g == 4)
        dwell = true;
      else if (g == 20)
        m.scale = 0.0254;
      else if (g == 21)
        m.scale = 1e-3;
      else if (g == 90)
        m.relative = m.relative_e = false;
      else if (g == 91)
        m.relative = m.relative_e = true;
      else if (g == 92)
        set = true;
      else
        pass_over(r, &seen, 'G', g);
    }
    for (int i = 0; i < w.ms; i++) {
      const double c = w.m[i];
      if (c == 3 || c == 4)
        m.on = saw_m3 = true;
      else if (c == 5)
        m.on = false;
      else if (c == 82)
        m.relative_e = false;
      else if (c == 83)
        m.relative_e = true;
      else
        pass_over(r, &seen, 'M', c);
    }
    if (w.given['T' - 'A'])
      pass_over(r, &seen, 'T', w.value['T' - 'A']);
    if (w.given['F' - 'A']) {
      if (w.value['F' - 'A'] <= 0)
        return fail(r, NULL, "feed rate %g: expected more than zero", w.value['F' - 'A']);
      m.feed = w.value['F' - 'A'];
    }
    if (dwell) { /* P milliseconds, S seconds */
      const double wait = w.given['P' - 'A']   ? 1e-3 * w.value['P' - 'A']
                          : w.given['S' - 'A'] ? w.value['S' - 'A']
                                               : 0;
      if (wait < 0)
        return fail(r, NULL, "a dwell of %g s: expected zero or more", wait);
      t += wait;
      continue;
    }
    if (w.given['S' - 'A'] && (w.ms == 0 || saw_m3)) {
      m.has_s = true;
      m.s = w.value['S' - 'A'];
      if (m.s < 0)
        return fail(r, NULL, "power S%g is negative", m.s);
      if (!saw_m3)
        m.on = m.s > 0; /* files that switch by S alone */
    }
    if (set) {
      for (int d = 0; d < 3; d++)
        if (w.given['X' - 'A' + d])
          origin[d] = m.x[d] - w.value['X' - 'A' + d];
      if (w.given['E' - 'A'])
        m.e = w.value['E' - 'A'];
      continue;
    }
    moves |= w.given['X' - 'A'] || w.given['Y' - 'A'] || w.given['Z' - 'A'];
    if (moves)
      IG_TRY(gcode_move(r, &m, &w, &t, uses_e, uses_s, origin));
  }
}

/* --- */

static bool ends_in(const char *file, const char *extension) {
  const char *dot = strrchr(file, '.');
  return dot && strcasecmp(dot + 1, extension) == 0;
}

static ig_toolpath_format guess(const char *file, const char *text, size_t length) {
  if (ends_in(file, "csv"))
    return IG_TOOLPATH_CSV;
  if (ends_in(file, "crs"))
    return IG_TOOLPATH_CRS;
  if (ends_in(file, "gcode") || ends_in(file, "nc") || ends_in(file, "ngc") || ends_in(file, "g"))
    return IG_TOOLPATH_GCODE;
  /* the header of a segment file names its mode column */
  for (size_t i = 0; i < length && text[i] != '\n'; i++)
    if (length - i > 4 && strncasecmp(text + i, "mode", 4) == 0)
      return IG_TOOLPATH_SEGMENTS;
  for (size_t i = 0; i < length; i++)
    if (text[i] == 'G' || text[i] == ';' || text[i] == 'M')
      return IG_TOOLPATH_GCODE;
    else if (!isspace((unsigned char)text[i]))
      break;
  return memchr(text, ',', length) ? IG_TOOLPATH_CSV : IG_TOOLPATH_CRS;
}

ig_status ig_toolpath_parse(ig_ctx *cx, const char *file, const char *text, size_t length,
                            const ig_toolpath_options *options, ig_toolpath *path) {
  static ig_status (*const readers[])(reader *) = {NULL, read_csv, read_crs, read_segments,
                                                   read_gcode};
  memset(path, 0, sizeof *path);
  reader *r;
  IG_TRY(IG_NEW(cx, &r, 1, "toolpath reader"));
  r->cx = cx;
  r->file = file;
  r->at = text;
  r->end = text + length;
  r->o = options;
  r->path = path;
  const ig_toolpath_format format = options->format ? options->format : guess(file, text, length);
  ig_status status = readers[format](r);
  if (status == IG_OK && path->count < 2) {
    r->line = r->line ? r->line : 1;
    status = fail(r, NULL, "the toolpath has %s: expected two points or more",
                  path->count ? "one point" : "no points");
  }
  free(r);
  if (status != IG_OK)
    ig_toolpath_free(path);
  return status;
}

ig_status ig_toolpath_read(ig_ctx *cx, const char *file, const ig_toolpath_options *options,
                           ig_toolpath *path) {
  char *text;
  size_t size;
  memset(path, 0, sizeof *path);
  IG_TRY(ig_file_read(cx, file, 0, &text, &size));
  const ig_status status = ig_toolpath_parse(cx, file, text, size, options, path);
  free(text);
  return status;
}
