/* Readers of toolpaths in tables: events and machine logs with a header, .crs, segment lists
   (3DThesis, AdditiveFOAM, adamantine), sampled commands (AMMT of NIST). */
#include "core/unit.h"
#include "io/toolpath/toolpath_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- headers: names and units of columns */

/* Roles of columns. FACTOR multiplies the nominal power, SWITCH is 0 or 1. */
enum { TIME, X, Y, Z, POWER, FACTOR, SWITCH, ROLES, OTHER = ROLES };
enum { MOST_COLUMNS = 64 };

/* Names of columns, in lower case without separators. */
static const struct {
  const char *word;
  int role;
} names[] = {
    {"t", TIME},
    /* Names in lower case without blanks and underscores, as column_split makes them. */
    {"time", TIME},
    {"timestamp", TIME},
    {"elapsedtime", TIME},
    {"x", X},
    {"y", Y},
    {"z", Z},
    {"p", POWER},
    {"power", POWER},
    {"laserpower", POWER},
    {"beampower", POWER},
    {"pmod", FACTOR},
    {"pfactor", FACTOR},
    {"powermod", FACTOR},
    {"powerfactor", FACTOR},
    {"state", SWITCH},
    {"laser", SWITCH},
    {"on", SWITCH},
    {"laseron", SWITCH},
    {"beamon", SWITCH},
    {"laserstate", SWITCH},
    {"powermodifier", FACTOR},
    {"emission", SWITCH},
};
static const char *const role_name[ROLES] = {
    "time", "x", "y", "z", "power", "a factor of the power", "whether the beam is on"};
static const char *const si[ROLES] = {"s", "m", "m", "m", "W", "", ""};

/* Columns of a table: role and conversion factor of each. */
typedef struct {
  int count, of[MOST_COLUMNS]; /* role of each column */
  double factor[MOST_COLUMNS];
  bool has[ROLES], has_unit[ROLES];
  char passed_over[128];
} columns;

/* Splits a heading: "Laser Power [W]" gives "laserpower" and "W"; "x_mm" gives "x" and "mm". Filler
   words ("position", "actual") are removed. "x (mm)", "x [mm]" or "x_mm" into name and unit, both
   in lower case. */
static void column_split(const char *from, const char *stop, char *name, size_t name_size,
                         char *unit, size_t unit_size) {
  size_t n = 0, u = 0;
  const char *open = from;
  while (open < stop && *open != '(' && *open != '[')
    open++;
  if (open == stop) { /* no brackets: what follows the last '_' may be a unit */
    for (const char *c = from; c < stop; c++)
      open = *c == '_' ? c : open;
    ig_unit trial;
    char problem[64], text[16] = "";
    if (open < stop && stop - open - 1 < (int)sizeof text)
      memcpy(text, open + 1, (size_t)(stop - open - 1));
    if (open == stop || !text[0] || !ig_unit_read(text, &trial, problem, sizeof problem))
      open = stop;
  }
  /* Letters and digits alone make the name. */
  for (const char *c = from; c < open && n + 1 < name_size; c++)
    if (isalnum((unsigned char)*c))
      name[n++] = (char)tolower((unsigned char)*c);
  name[n] = '\0';
  for (const char *c = open < stop ? open + 1 : stop; c < stop && *c != ')' && *c != ']'; c++)
    if (u + 1 < unit_size && *c != '"')
      unit[u++] = *c;
  unit[u] = '\0';
  /* Words that say nothing about the role: "x position" is x. */
  static const char *const idle[] = {"position", "coordinate", "pos", "actual", "scan"};
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
    char *found = strstr(name, idle[i]);
    if (found && strlen(name) > strlen(idle[i]))
      memmove(found, found + strlen(idle[i]), strlen(found + strlen(idle[i])) + 1);
  }
}

/* Units must have the dimension of the role. Unknown columns are ignored with a warning. The role
   of a column follows from its name; the unit must be one of that role. */
static ig_status column_add(ig_path_reader *r, columns *c, const char *from, const char *stop) {
  char name[64], unit[32], problem[128];
  if (c->count == MOST_COLUMNS)
    return ig_path_fail(r, from, "more than %d columns", MOST_COLUMNS);
  column_split(from, stop, name, sizeof name, unit, sizeof unit);
  int role = OTHER;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i].word) == 0)
      role = names[i].role;
  /* Two columns of one role would contradict each other. */
  if (role != OTHER && c->has[role])
    return ig_path_fail(r, from, "two columns give %s: expected one", role_name[role]);
  c->of[c->count] = role;
  c->factor[c->count] = 1;
  if (role == OTHER) {
    const size_t used = strlen(c->passed_over);
    snprintf(c->passed_over + used, sizeof c->passed_over - used, "%s%.*s", used ? ", " : "",
             (int)(stop - from > 24 ? 24 : stop - from), from);
  } else {
    c->has[role] = true;
    ig_unit given, wanted;
    /* A unit must be of the same dimension as the SI unit of the role. */
    if (unit[0] && role <= POWER) {
      if (!ig_unit_read(unit, &given, problem, sizeof problem) ||
          !ig_unit_read(si[role], &wanted, problem, sizeof problem) ||
          memcmp(given.power, wanted.power, sizeof given.power) != 0)
        return ig_path_fail(r, from, "unit '%s' of this column: expected one like %s", unit,
                            si[role]);
      c->factor[c->count] = given.factor;
      c->has_unit[role] = true;
    }
  }
  c->count++;
  return IG_OK;
}

/* Columns are separated by commas, semicolons or spaces; with spaces a unit in brackets belongs to
   the name before it. The first line of a table may name its columns; without names they are t, x,
   y, z, power. */
static ig_status header_read(ig_path_reader *r, columns *c) {
  memset(c, 0, sizeof *c);
  const char gap = strchr(r->text, ',') ? ',' : strchr(r->text, ';') ? ';' : '\0';
  const char *p = r->text;
  while (*p) {
    while (*p == ' ' || *p == '\t' || *p == '"')
      p++;
    if (!*p)
      break;
    const char *stop = p;
    /* Commas or semicolons where there are any, else blanks. */
    if (gap) {
      stop = p + strcspn(p, (char[]){gap, '\0'});
    } else {
      while (*stop && *stop != ' ' && *stop != '\t')
        stop++;
      const char *next = stop + strspn(stop, " \t");
      if (*next == '(' || *next == '[') /* "X (mm)": the unit belongs to the name */
        stop = next + strcspn(next, ")]") + (next[strcspn(next, ")]")] != '\0');
    }
    /* Quotes and blanks around a name do not belong to it. */
    const char *end = stop;
    while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '"'))
      end--;
    IG_TRY(column_add(r, c, p, end));
    p = *stop == gap && gap ? stop + 1 : stop;
  }
  return IG_OK;
}

/* A table needs positions, and time or `sample`, and some measure of power. */
static ig_status columns_check(ig_path_reader *r, const columns *c) {
  if (!c->has[X] || !c->has[Y])
    return ig_path_fail(r, NULL,
                        "no columns x and y in the header: expected names such as t,x,y,z,power, "
                        "units in brackets");
  if (!c->has[TIME] && !(r->o->sample > 0))
    return ig_path_fail(r, NULL, "no column of time: set `sample`, the time between rows");
  if (!c->has[POWER] && !c->has[FACTOR] && !c->has[SWITCH])
    return ig_path_fail(r, NULL, "no column of power, pmod or state in the header");
  if (!c->has[POWER])
    IG_TRY(ig_path_need_power(r));
  if (c->passed_over[0]) {
    const ig_src at = {r->file, r->line, 1, true};
    ig_warn_at(r->cx, &at, "columns passed over: %s", c->passed_over);
  }
  return IG_OK;
}

/* The table of five columns, t,x,y,z,power, as this program writes it. */
static void columns_plain(columns *c) {
  memset(c, 0, sizeof *c);
  static const int role[] = {TIME, X, Y, Z, POWER};
  for (c->count = 0; c->count < 5; c->count++) {
    c->of[c->count] = role[c->count];
    c->factor[c->count] = 1;
    c->has[role[c->count]] = true;
  }
}

/* Power of a row applies from this row to the next. */
static ig_status row_take(ig_path_reader *r, const columns *c, int64_t row, const double *v) {
  double got[ROLES] = {0, 0, 0, r->o->z, 1, 1, 1};
  for (int i = 0; i < c->count; i++)
    if (c->of[i] != OTHER)
      got[c->of[i]] = c->factor[i] * v[i];
  if (!c->has[TIME])
    got[TIME] = r->o->start + (double)row * r->o->sample;
  IG_TRY(ig_path_later(r, got[TIME]));
  if (c->has[SWITCH] && got[SWITCH] != 0 && got[SWITCH] != 1)
    return ig_path_fail(r, NULL, "state %g: expected 0 (off) or 1 (on)", got[SWITCH]);
  double power = c->has[POWER] ? got[POWER] : r->o->power;
  if (power < 0)
    return ig_path_fail(r, NULL, "power %g W is negative", power);
  if (got[FACTOR] < 0)
    return ig_path_fail(r, NULL, "power factor %g is negative", got[FACTOR]);
  power *= (c->has[FACTOR] ? got[FACTOR] : 1) * (c->has[SWITCH] ? got[SWITCH] : 1);
  return ig_toolpath_add(r->cx, r->path, got[TIME], &got[X], power);
}

/* Lengths without a unit in the header are in metres or the user's `unit`; a path beyond 2 m
   without any unit is refused, because it is in millimetres. A path that reaches beyond 2 m without
   a unit is most likely in millimetres: it is refused, and the message names both ways to say so.
 */
ig_status ig_path_read_table(ig_path_reader *r) {
  columns c;
  bool there, first = true;
  columns_plain(&c);
  double far = 0;
  for (int64_t row = 0;; first = false) {
    IG_TRY(ig_path_line(r, '#', &there));
    if (!there)
      break;
    if (first) {
      if (ig_path_is_header(r->text)) {
        IG_TRY(header_read(r, &c));
        IG_TRY(columns_check(r, &c));
      }
      /* Units in the header come before `unit` of the case, which is for columns without one. */
      const double unit = ig_path_unit(r, 1);
      for (int i = 0; i < c.count; i++)
        if (c.of[i] >= X && c.of[i] <= Z && !c.has_unit[c.of[i]])
          c.factor[i] = unit;
        else if (c.of[i] >= X && c.of[i] <= Z)
          r->as.unit = c.factor[i];
      if (ig_path_is_header(r->text))
        continue;
    }
    /* Every row has as many numbers as there are columns. */
    double v[MOST_COLUMNS];
    int n;
    char expected[64] = "t,x,y,z,power";
    if (c.count != 5)
      snprintf(expected, sizeof expected, "the header's %d columns", c.count);
    IG_TRY(ig_path_numbers(r, c.count, c.count, expected, v, &n));
    IG_TRY(row_take(r, &c, row++, v));
    for (int d = 0; d < 3; d++)
      far = fmax(far, fabs(r->path->x[3 * (r->path->count - 1) + d]));
  }
  if (far > 2 && !c.has_unit[X] && isnan(r->o->unit))
    return ig_path_fail(r, NULL,
                        "the path reaches to %.4g, and the file names no unit: in millimetres? set "
                        "`unit: 1 mm`; if it is metres, `unit: 1 m`",
                        far);
  return IG_OK;
}

/* --- .crs: t x y z state, where state belongs to the piece that ends at this row */

ig_status ig_path_read_crs(ig_path_reader *r) {
  const double unit = ig_path_unit(r, 1e-3);
  bool there;
  IG_TRY(ig_path_need_power(r));
  for (;;) {
    IG_TRY(ig_path_line(r, '#', &there));
    if (!there)
      return IG_OK;
    double v[5];
    int n;
    IG_TRY(ig_path_numbers(r, 5, 5, "t x y z state", v, &n));
    IG_TRY(ig_path_later(r, v[0]));
    if (v[4] != 0 && v[4] != 1)
      return ig_path_fail(r, NULL, "state %g: expected 0 (off) or 1 (on)", v[4]);
    const double x[3] = {unit * v[1], unit * v[2], unit * v[3]};
    if (r->path->count)
      r->path->power[r->path->count - 1] = v[4] * r->o->power;
    IG_TRY(ig_toolpath_add(r->cx, r->path, v[0], x, 0));
  }
}

/* --- segment lists: mode x y z pmod param; mode 0 is a line with a speed, 1 a spot with a
   duration */

/* Progress through a list. power: W of a factor of 1. */
typedef struct {
  double unit, power; /* metres; watts of a factor 1 */
  double t, x[3], most;
} segments;

/* A line is run with a speed, a spot is stood on for a time: both are `param`. */
static ig_status segment_take(ig_path_reader *r, segments *s) {
  double v[6];
  int n;
  IG_TRY(ig_path_numbers(
      r, 6, 6, s->power == 1 ? "mode x y z power param" : "mode x y z pmod param", v, &n));
  if (v[0] != 0 && v[0] != 1)
    return ig_path_fail(r, NULL, "mode %g: expected 0 (line) or 1 (spot)", v[0]);
  if (v[4] < 0)
    return ig_path_fail(r, NULL, "power %s %g is negative", s->power == 1 ? "of" : "factor", v[4]);
  if (v[0] == 0 ? v[5] <= 0 : v[5] < 0)
    return ig_path_fail(r, NULL, "param %g: expected a %s", v[5],
                        v[0] == 0 ? "speed above zero" : "time of zero or more");
  const double y[3] = {s->unit * v[1], s->unit * v[2], s->unit * v[3]}, power = v[4] * s->power;
  s->most = fmax(s->most, v[4]);
  if (r->path->count == 0)
    memcpy(s->x, y, sizeof s->x); /* the first row says where the beam starts */
  if (v[0] == 0) {
    IG_TRY(ig_toolpath_add(r->cx, r->path, s->t, s->x, power));
    s->t += sqrt(pow(y[0] - s->x[0], 2) + pow(y[1] - s->x[1], 2) + pow(y[2] - s->x[2], 2)) / v[5];
    IG_TRY(ig_toolpath_add(r->cx, r->path, s->t, y, 0));
  } else {
    IG_TRY(ig_toolpath_add(r->cx, r->path, s->t, y, power));
    s->t += v[5];
    IG_TRY(ig_toolpath_add(r->cx, r->path, s->t, y, 0));
  }
  if (!isfinite(s->t))
    return ig_path_fail(r, NULL, "the path takes forever");
  memcpy(s->x, y, sizeof y);
  return IG_OK;
}

/* A header may state unit and power; a contradiction to the case is an error. */
static ig_status segments_header(ig_path_reader *r, segments *s, bool *watts) {
  columns c;
  IG_TRY(header_read(r, &c));
  *watts = *watts || c.has[POWER];
  for (int i = 0; i < c.count; i++)
    if (c.of[i] == X && c.has_unit[X]) {
      if (!isnan(r->o->unit) && fabs(r->o->unit / c.factor[i] - 1) > 1e-9)
        return ig_path_fail(r, NULL, "the header says %g m, the case says `unit` %g m", c.factor[i],
                            r->o->unit);
      s->unit = r->as.unit = c.factor[i];
    }
  return IG_OK;
}

/* Columns with powers in W that never exceed 1 are factors under a wrong name; refused. The format
   that AdditiveFOAM, 3DThesis and adamantine share, with differences in units and in the power. */
ig_status ig_path_read_segments(ig_path_reader *r) {
  const ig_toolpath_format format = r->o->format;
  const bool metres = format == IG_TOOLPATH_ADDITIVEFOAM || format == IG_TOOLPATH_ADAMANTINE;
  bool there, first = true, watts = format == IG_TOOLPATH_ADDITIVEFOAM;
  segments s = {.unit = ig_path_unit(r, metres ? 1 : 1e-3), .t = r->o->start};
  for (;; first = false) {
    IG_TRY(ig_path_line(r, '#', &there));
    if (!there)
      break;
    const bool header = first && ig_path_is_header(r->text);
    if (header)
      IG_TRY(segments_header(r, &s, &watts));
    if (first) {
      if (!watts)
        IG_TRY(ig_path_need_power(r));
      s.power = watts ? 1 : r->o->power;
    }
    if (!header)
      IG_TRY(segment_take(r, &s));
  }
  if (watts && s.most > 0 && s.most <= 1)
    return ig_path_fail(r, NULL,
                        "the header says Power, but it is never above 1: if it is a factor, name "
                        "the dialect, `format: 3dthesis` or `adamantine`");
  return IG_OK;
}

/* --- adamantine: segments after a count, or events t,x,y,z[,quaternion],factor */

/* Five axes: the part is rotated by q (p -> q p q*), and the beam comes from above at x. In the
   frame of the part the beam is at q* x q and travels along q* (0, 0, -1) q. */
static void turn_back(const double *q, double *x) {
  /* rotation matrix of q, transposed */
  const double w = q[0], a = q[1], b = q[2], c = q[3];
  const double r[3][3] = {
      {1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b)},
      {2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a)},
      {2 * (a * c + w * b), 2 * (b * c - w * a), 1 - 2 * (a * a + b * b)},
  };
  const double from[3] = {x[0], x[1], x[2]};
  for (int d = 0; d < 3; d++) {
    x[d] = r[d][0] * from[0] + r[d][1] * from[1] + r[d][2] * from[2];
    x[d] = fabs(x[d]) < 1e-12 ? 0 : x[d]; /* right angles, exactly */
  }
}

/* One rotation per path, because a beam has one direction. */
static ig_status turned_take(ig_path_reader *r, const double *given, bool first, double *x) {
  double q[4], size = 0, direction[3] = {0, 0, -1};
  for (int i = 0; i < 4; i++)
    size += given[i] * given[i];
  if (!(fabs(size - 1) < 1e-3))
    return ig_path_fail(r, NULL, "%g %g %g %g is no rotation: a quaternion has the length 1",
                        given[0], given[1], given[2], given[3]);
  for (int i = 0; i < 4; i++)
    q[i] = given[i] / sqrt(size);
  turn_back(q, direction);
  turn_back(q, x);
  const double *d = r->path->direction;
  if (first)
    memcpy(r->path->direction, direction, sizeof direction);
  if (fabs(d[0] - direction[0]) + fabs(d[1] - direction[1]) + fabs(d[2] - direction[2]) > 1e-6)
    return ig_path_fail(r, NULL,
                        "this path turns the part on the way (five axes), and a beam has one "
                        "direction: write a file for each rotation and give each a beam");
  return IG_OK;
}

/* The line with which adamantine's paths may end. */
static bool is_end(const ig_path_reader *r) {
  return strncmp(r->text, "SCAN_PATH_END", 13) == 0;
}

/* The second line is the number of segments; more or fewer are an error, because the file may be
   cut off. The number of segments stands before them and must agree. */
static ig_status adamantine_segments(ig_path_reader *r) {
  double v[1];
  int n;
  bool there;
  IG_TRY(ig_path_line(r, '#', &there));
  if (there)
    IG_TRY(ig_path_numbers(r, 1, 1, "the number of segments", v, &n));
  if (!there || !(v[0] >= 1 && v[0] < 1e9) || v[0] != floor(v[0]))
    return ig_path_fail(r, NULL, "expected the number of segments in the second line");
  const int64_t count = (int64_t)v[0];
  IG_TRY(ig_path_line(r, '#', &there)); /* the names of columns */
  if (!there || !ig_path_is_header(r->text))
    return ig_path_fail(r, NULL, "expected 'Mode x y z pmod param' in the third line");
  segments s = {.unit = ig_path_unit(r, 1), .t = r->o->start, .power = r->o->power};
  for (int64_t i = 0; i < count; i++) {
    IG_TRY(ig_path_line(r, '#', &there));
    if (!there || is_end(r))
      return ig_path_fail(r, NULL, "%lld segments are announced, %lld are there", (long long)count,
                          (long long)i);
    IG_TRY(segment_take(r, &s));
  }
  IG_TRY(ig_path_line(r, '#', &there));
  if (there && !is_end(r))
    return ig_path_fail(r, NULL, "%lld segments are announced, there are more", (long long)count);
  return IG_OK;
}

ig_status ig_path_read_adamantine(ig_path_reader *r) {
  bool there, first = true;
  const double unit = ig_path_unit(r, 1);
  IG_TRY(ig_path_need_power(r));
  for (;; first = false) {
    IG_TRY(ig_path_line(r, '#', &there));
    if (!there || is_end(r))
      return IG_OK;
    if (first && strncasecmp(r->text, "mode", 4) == 0) { /* segments without a count */
      return ig_path_fail(r, NULL,
                          "a segment list without its count line: name it `format: "
                          "segments` and set `unit`");
    }
    if (first && ig_path_is_header(r->text))
      return adamantine_segments(r);
    double v[9];
    int n;
    IG_TRY(ig_path_numbers(r, 5, 9, "t,x,y,z,factor or t,x,y,z,quaternion,factor", v, &n));
    if (n != 5 && n != 9)
      return ig_path_fail(r, NULL, "%d values: expected 5, or 9 with a rotation", n);
    IG_TRY(ig_path_later(r, v[0]));
    if (v[n - 1] < 0)
      return ig_path_fail(r, NULL, "power factor %g is negative", v[n - 1]);
    double x[3] = {unit * v[1], unit * v[2], unit * v[3]};
    if (n == 9)
      IG_TRY(turned_take(r, &v[4], first, x));
    IG_TRY(ig_toolpath_add(r->cx, r->path, v[0], x, v[n - 1] * r->o->power));
  }
}

/* --- AMMT: x y power trigger, one row per sample (10 us); ig_toolpath_add merges rows that
   continue a straight piece */

/* A row for every sample of the controller of NIST's AMMT, 10 us unless `sample` says otherwise. */
ig_status ig_path_read_ammt(ig_path_reader *r) {
  const double unit = ig_path_unit(r, 1e-3), step = r->o->sample > 0 ? r->o->sample : 1e-5;
  bool there, first = true;
  int64_t row = 0;
  for (;; first = false) {
    IG_TRY(ig_path_line(r, '#', &there));
    if (!there)
      return IG_OK;
    if (first && ig_path_is_header(r->text))
      continue;
    double v[4];
    int n;
    IG_TRY(ig_path_numbers(r, 3, 4, "x y power trigger", v, &n));
    if (v[2] < 0)
      return ig_path_fail(r, NULL, "power %g W is negative", v[2]);
    const double x[3] = {unit * v[0], unit * v[1], r->o->z};
    IG_TRY(ig_toolpath_add(r->cx, r->path, r->o->start + (double)row++ * step, x, v[2]));
  }
}
