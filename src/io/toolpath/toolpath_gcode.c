/* Reader of G-code as slicers and laser controllers write it (RS-274 with the usual extensions).
   Words without meaning for a beam are ignored and listed once.

   What switches the beam differs: extruding slicers by E words (advance of filament), laser
   controllers by M3/M5 and S. The file is therefore read twice: first to find out which of these it
   uses. */
#include "io/toolpath/toolpath_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* State of the machine. Positions in machine units, feed in units per minute. */
typedef struct {
  double x[3], e, feed, s; /* machine units; units a minute; power word */
  double origin[3];
  double scale; /* metres a unit */
  double t;
  bool relative, relative_e, relative_centre, on, has_s;
  bool uses_e, uses_s, saw_m3; /* what switches the beam */
  int motion;                  /* 0 to 3 */
  int plane;                   /* 17, 18, 19 */
} machine;

/* Names of ignored words, each once. */
typedef struct {
  char list[400];
  int count, line; /* line of the first */
} passed;

/* Words without meaning for a beam, such as those of a filament printer; each is named once in a
   warning. */
static void pass_over(ig_path_reader *r, passed *p, const char *word, size_t length) {
  char name[24];
  length = length < sizeof name - 1 ? length : sizeof name - 1;
  snprintf(name, sizeof name, "%.*s", (int)length, word);
  for (char *c = name; *c; c++)
    *c = isprint((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '?';
  for (const char *at = p->list; (at = strstr(at, name)); at++)
    if ((at == p->list || at[-1] == ' ') && (at[strlen(name)] == ',' || !at[strlen(name)]))
      return;
  const size_t used = strlen(p->list);
  if (used + strlen(name) + 3 < sizeof p->list)
    snprintf(p->list + used, sizeof p->list - used, "%s%s", used ? ", " : "", name);
  p->line = p->count++ ? p->line : r->line;
}

/* Removes comments in parentheses and after ';', and a '*' checksum; counts the layers that slicer
   comments announce. Removes comments in brackets and after a semicolon; marks of layers in them
   are counted first. */
static ig_status gcode_clean(ig_path_reader *r) {
  const char *mark = strchr(r->text, ';');
  if (mark) {
    mark += 1 + strspn(mark + 1, " ");
    if (strncmp(mark, "LAYER:", 6) == 0 || strncmp(mark, "LAYER_CHANGE", 12) == 0 ||
        strncmp(mark, "CHANGE_LAYER", 12) == 0)
      r->as.layers_marked++;
  }
  char *out = r->text;
  int depth = 0;
  for (const char *p = r->text; *p; p++) {
    if ((*p == ';' || *p == '*') && !depth)
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
    return ig_path_fail(r, NULL, "a comment '(' that never ends");
  return IG_OK;
}

/* Words of one line, by letter; G and M may occur several times. */
typedef struct {
  bool given[26];
  double value[26];
  double g[8], m[8];
  int gs, ms;
} words;
#define GIVEN(w, letter) ((w)->given[(letter) - 'A'])
#define VALUE(w, letter) ((w)->value[(letter) - 'A'])

/* Codes such as 91.1 are read from text and compared as the same doubles. */
static bool one_of(double code, const double *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (code == list[i])
      return true;
  return false;
}

/* Codes that are executed; another code ends the line, because the following words belong to it. */
static bool understood(int letter, double code) {
  static const double g[] = {0,  1,  2,  3,  4,  17, 18, 19, 20, 21,   40,   49,   54,   55,  56,
                             57, 58, 59, 61, 64, 80, 90, 91, 92, 93.0, 90.1, 91.1, 94.0, 95.0};
  static const double m[] = {3, 4, 5, 82, 83};
  return letter == 'G' ? one_of(code, g, sizeof g / sizeof *g)
                       : one_of(code, m, sizeof m / sizeof *m);
}

/* Rotary axes must be 0: a beam comes from one direction. A letter and a number. Codes that would
   change the path and are not read are refused. */
static ig_status word_take(ig_path_reader *r, words *w, passed *over, const char *p, char **stop,
                           bool *rest) {
  const int letter = toupper((unsigned char)*p);
  double v;
  if (!isalpha(letter))
    return ig_path_fail(r, p, "'%c' does not begin a G-code word: expected a letter and a number",
                        *p);
  if (!ig_path_number(p + 1, stop, &v) || !isfinite(v))
    return ig_path_fail(r, p, "'%c' without a number", *p);
  /* Several G and M words may stand on a line; all others once. */
  if (letter == 'G' || letter == 'M') {
    if (!understood(letter, v)) {
      pass_over(r, over, p, (size_t)(*stop - p));
      *rest = true; /* whatever words follow are its own */
      return IG_OK;
    }
    double *list = letter == 'G' ? w->g : w->m;
    int *count = letter == 'G' ? &w->gs : &w->ms;
    if (*count == 8)
      return ig_path_fail(r, p, "more than 8 %c words on a line", letter);
    list[(*count)++] = v;
  } else if (letter == 'T') {
    pass_over(r, over, "T", 1);
    /* Axes that turn: only zero is accepted, as they would change the direction of the beam. */
  } else if (strchr("ABCUVW", letter)) {
    if (v != 0)
      return ig_path_fail(r, p, "%.*s turns the part or the head: beams come from above here",
                          (int)(*stop - p > 24 ? 24 : *stop - p), p);
  } else if (!strchr("XYZEFSPNIJKRHDO", letter)) {
    return ig_path_fail(r, p, "unknown word '%.*s': X Y Z E F S P I J K R G M N T are read",
                        (int)(*stop - p > 24 ? 24 : *stop - p), p);
  } else {
    GIVEN(w, letter) = true;
    VALUE(w, letter) = v;
  }
  return IG_OK;
}

/* A line that starts with a name is a macro of the printer and is ignored. All words of a line; a
 * tape mark (%) or a skipped block (/) ends it. */
static ig_status gcode_words(ig_path_reader *r, words *w, passed *over) {
  memset(w, 0, sizeof *w);
  const char *p = r->text + strspn(r->text, " \t");
  size_t name = 0;
  while (isalpha((unsigned char)p[name]) || p[name] == '_')
    name++;
  if (name > 1) { /* a macro of the printer: EXCLUDE_OBJECT_START NAME=… */
    while (isalnum((unsigned char)p[name]) || p[name] == '_')
      name++;
    pass_over(r, over, p, name);
    return IG_OK;
  }
  for (bool rest = false; *p && !rest;) {
    if (isspace((unsigned char)*p)) {
      p++;
      continue;
    }
    if (*p == '%' || *p == '/')
      return IG_OK; /* tape marks and skipped blocks */
    char *stop = NULL;
    IG_TRY(word_take(r, w, over, p, &stop, &rest));
    p = stop;
  }
  return IG_OK;
}

/* --- moves */

/* Power of a move: G0 is off. With E words: on while material is fed. With S: on while M3 is active
   and S > 0; S is in W, or a share of `full_s`. */
static ig_status power_of(ig_path_reader *r, const machine *m, double e, double *power) {
  bool on = m->motion != 0;
  *power = 0;
  if (m->uses_e)
    on = on && e > m->e;
  else if (m->uses_s)
    on = on && m->on && !(m->has_s && m->s <= 0);
  if (!on)
    return IG_OK;
  const bool scaled = r->o->full_s > 0;
  *power = m->has_s && m->s > 0 && !m->uses_e ? (scaled ? m->s / r->o->full_s * r->o->power : m->s)
                                              : r->o->power;
  if (isnan(*power))
    return ig_path_fail(r, NULL,
                        "the beam is on, but no power is known: give S words, or set `power`");
  return IG_OK;
}

static double distance(const double *a, const double *b) {
  return sqrt(pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
}

/* A straight piece to y (machine units); it takes the time for `length` (m) at the current
   speed. */
static ig_status straight(ig_path_reader *r, machine *m, const double *y, double length,
                          double power) {
  const double feed = m->feed > 0 ? m->feed * m->scale / 60 : r->o->feed;
  const double speed = m->motion == 0 ? r->o->travel : feed;
  if (length > 0 && !(speed > 0))
    return ig_path_fail(r, NULL, "a G%d move before any feed rate F: set `feed`", m->motion);
  if (length > 0) {
    double from[3], to[3];
    for (int d = 0; d < 3; d++) {
      from[d] = m->scale * m->x[d];
      to[d] = m->scale * y[d];
    }
    IG_TRY(ig_path_go(r, &m->t, from, to, length / speed, power));
  }
  memcpy(m->x, y, sizeof m->x);
  return IG_OK;
}

/* Centre of an arc from I and J, or from R (R > 0: the shorter of the two arcs, RS-274). */
static ig_status arc_centre(ig_path_reader *r, const machine *m, const words *w, const double *y,
                            double *c) {
  if (GIVEN(w, 'I') || GIVEN(w, 'J')) {
    for (int d = 0; d < 2; d++)
      c[d] = (m->relative_centre ? m->x[d] : m->origin[d]) + VALUE(w, 'I' + d);
    if (!m->relative_centre && !(GIVEN(w, 'I') && GIVEN(w, 'J')))
      return ig_path_fail(r, NULL, "an arc about an absolute centre needs both I and J");
    return IG_OK;
  }
  if (!GIVEN(w, 'R'))
    return ig_path_fail(r, NULL, "an arc without a centre: expected I and J, or R");
  const double dx = y[0] - m->x[0], dy = y[1] - m->x[1], q = hypot(dx, dy), radius = VALUE(w, 'R');
  const double h = 4 * radius * radius - q * q;
  if (!(q > 0) || h < -1e-3 * radius * radius)
    return ig_path_fail(r, NULL, "an arc of radius %g cannot join points %g apart", radius, q);
  const double side = (m->motion == 2) == (radius > 0) ? -1 : 1;
  const double k = side * sqrt(fmax(h, 0)) / q;
  c[0] = m->x[0] + 0.5 * (dx - dy * k);
  c[1] = m->x[1] + 0.5 * (dy + dx * k);
  return IG_OK;
}

/* An arc as chords within 5 um of it; together they take the time of the arc. The end radius may
   differ slightly by rounding in the file. G2 and G3 by centre or radius, in chords whose distance
   from the arc stays below a limit. */
static ig_status arc(ig_path_reader *r, machine *m, const words *w, const double *y, double power) {
  double c[2] = {0, 0};
  if (m->plane != 17)
    return ig_path_fail(r, NULL, "arcs are read in the plane of x and y (G17) only");
  IG_TRY(arc_centre(r, m, w, y, c));
  const double from[3] = {m->x[0], m->x[1], m->x[2]};
  /* Both ends must lie on one circle, within 0.2 mm or 1 % of the radius: controllers round
     coordinates. */
  const double radius = hypot(from[0] - c[0], from[1] - c[1]),
               end = hypot(y[0] - c[0], y[1] - c[1]);
  if (!(radius > 0) || fabs(end - radius) * m->scale > 2e-4 + 0.01 * radius * m->scale)
    return ig_path_fail(r, NULL, "an arc from radius %g to radius %g about its centre", radius,
                        end);
  const double start = atan2(from[1] - c[1], from[0] - c[0]);
  double angle = atan2(y[1] - c[1], y[0] - c[0]) - start;
  /* Clockwise (G2) angles are negative, counter-clockwise (G3) positive; start and end at one place
     mean a full circle. */
  if (m->motion == 2)
    angle = angle >= -1e-9 ? angle - 2 * M_PI : angle;
  else
    angle = angle <= 1e-9 ? angle + 2 * M_PI : angle;
  /* Chords within 5 um of the arc, or a tenth of a small radius. */
  const double close = 1 - fmin(0.1, 5e-6 / (radius * m->scale));
  const double wanted = ceil(fabs(angle) / (2 * acos(close)));
  const int pieces = wanted < 1 ? 1 : wanted > 10000 ? 10000 : (int)wanted;
  const double length = m->scale * hypot(0.5 * (radius + end) * angle, y[2] - from[2]);
  /* The radius changes evenly where both ends differ a little, and the height rises evenly (a
     helix). */
  for (int i = 1; i <= pieces; i++) {
    const double s = (double)i / pieces, a = start + s * angle, here = radius + s * (end - radius);
    const double at[3] = {c[0] + here * cos(a), c[1] + here * sin(a),
                          from[2] + s * (y[2] - from[2])};
    IG_TRY(straight(r, m, i == pieces ? y : at, length / pieces, power));
  }
  return IG_OK;
}

/* E is updated after the power was found, because its increase tells whether the beam is on. */
static ig_status gcode_move(ig_path_reader *r, machine *m, const words *w) {
  double y[3], e = m->e, power;
  for (int d = 0; d < 3; d++) {
    const int letter = 'X' + d;
    y[d] = GIVEN(w, letter) ? VALUE(w, letter) + (m->relative ? m->x[d] : m->origin[d]) : m->x[d];
  }
  if (GIVEN(w, 'E'))
    e = m->relative_e ? m->e + VALUE(w, 'E') : VALUE(w, 'E');
  IG_TRY(power_of(r, m, e, &power));
  IG_TRY(m->motion > 1 ? arc(r, m, w, y, power)
                       : straight(r, m, y, m->scale * distance(y, m->x), power));
  m->e = e;
  return IG_OK;
}

/* --- lines */

/* Modal codes of the line, then M codes. */
/* A unit changes what later words mean; the machine stays where it is, as fast as it was. */
static void unit_take(machine *m, double scale) {
  const double ratio = m->scale / scale;
  for (int d = 0; d < 3; d++) {
    m->x[d] *= ratio;
    m->origin[d] *= ratio;
  }
  m->e *= ratio;
  m->feed *= ratio;
  m->scale = scale;
}

static ig_status modes_take(ig_path_reader *r, machine *m, const words *w, bool *dwell, bool *set,
                            bool *moves) {
  for (int i = 0; i < w->gs; i++) {
    const double g = w->g[i];
    if (g >= 0 && g <= 3)
      m->motion = (int)g, *moves = true;
    else if (g == 4)
      *dwell = true;
    else if (g >= 17 && g <= 19)
      m->plane = (int)g;
    /* Inches or millimetres. */
    else if (g == 20 || g == 21)
      unit_take(m, g == 20 ? 0.0254 : 1e-3);
    else if (g == 90 || g == 91)
      m->relative = m->relative_e = g == 91;
    else if (g == 90.1 || g == 91.1)
      m->relative_centre = g == 91.1;
    else if (g == 92)
      *set = true;
    else if (g == 93 || g == 95)
      return ig_path_fail(r, NULL, "G%g: feed rates by time or by turn are not read", g);
  }
  /* M3 and M4 switch the beam on, M5 off; M82 and M83 set how E counts. */
  for (int i = 0; i < w->ms; i++) {
    const double c = w->m[i];
    if (c == 3 || c == 4)
      m->on = m->saw_m3 = true;
    else if (c == 5)
      m->on = false;
    else
      m->relative_e = c == 83;
  }
  return IG_OK;
}

/* Order within a line: modes, feed, dwell, power, offset, motion, as controllers do. Modes and feed
   first, then dwell, power and zero, and the motion last, as RS-274/NGC executes a line. */
static ig_status gcode_line(ig_path_reader *r, machine *m, const words *w) {
  bool dwell = false, set = false, moves = false;
  IG_TRY(modes_take(r, m, w, &dwell, &set, &moves));
  if (GIVEN(w, 'F')) {
    if (VALUE(w, 'F') <= 0)
      return ig_path_fail(r, NULL, "feed rate %g: expected more than zero", VALUE(w, 'F'));
    m->feed = VALUE(w, 'F');
  }
  if (dwell) { /* P in the controller's unit, S in seconds */
    const double p = r->o->dwell_unit > 0 ? r->o->dwell_unit : 1e-3;
    const double wait = GIVEN(w, 'P') ? p * VALUE(w, 'P') : GIVEN(w, 'S') ? VALUE(w, 'S') : 0;
    if (wait < 0)
      return ig_path_fail(r, NULL, "a dwell of %g s: expected zero or more", wait);
    m->t += wait;
    return IG_OK;
  }
  /* S is a power only where it does not belong to an M word of another kind. */
  if (GIVEN(w, 'S') && (w->ms == 0 || m->saw_m3)) {
    m->has_s = true;
    m->s = VALUE(w, 'S');
    if (m->s < 0)
      return ig_path_fail(r, NULL, "power S%g is negative", m->s);
    if (!m->saw_m3)
      m->on = m->s > 0; /* files that switch by S alone */
  }
  /* G92 gives the present place new coordinates: only the origin moves. */
  if (set) {
    for (int d = 0; d < 3; d++)
      if (GIVEN(w, 'X' + d))
        m->origin[d] = m->x[d] - VALUE(w, 'X' + d);
    if (GIVEN(w, 'E'))
      m->e = VALUE(w, 'E');
    return IG_OK;
  }
  moves = moves || GIVEN(w, 'X') || GIVEN(w, 'Y') || GIVEN(w, 'Z');
  return moves ? gcode_move(r, m, w) : IG_OK;
}

/* First pass: finds out what switches the beam, and collects ignored words for one warning.
   Whether the file ever extrudes (E), or sets a power or switches its beam (S, M3, M4): what a
   line without them means depends on it. */
static ig_status look_ahead(ig_path_reader *r, machine *m) {
  bool there;
  words w;
  passed over = {.count = 0};
  for (;;) {
    IG_TRY(ig_path_line(r, '\0', &there));
    if (!there)
      break;
    IG_TRY(gcode_clean(r));
    IG_TRY(gcode_words(r, &w, &over));
    m->uses_e |= GIVEN(&w, 'E') && !(w.gs && w.g[0] == 92);
    for (int i = 0; i < w.ms; i++)
      m->uses_s |= w.m[i] == 3 || w.m[i] == 4;
    m->uses_s |= GIVEN(&w, 'S') && w.ms == 0 && !(w.gs && w.g[0] == 4);
  }
  if (over.count) {
    const ig_src at = {r->file, over.line, 1, true};
    ig_warn_at(r->cx, &at, "ignored G-code words: %s", over.list);
  }
  if (r->o->full_s > 0 && isnan(r->o->power))
    return ig_path_fail(r, NULL, "`full_s` needs `power`: the power at that S word");
  return IG_OK;
}

/* Default unit mm, as in G21. The file is read twice, the first time only to look ahead. */
ig_status ig_path_read_gcode(ig_path_reader *r) {
  const char *start = r->at;
  machine m = {.scale = ig_path_unit(r, 1e-3),
               .on = true,
               .plane = 17,
               .relative_centre = true,
               .t = r->o->start};
  bool there;
  words w;
  passed over = {.count = 0};
  IG_TRY(look_ahead(r, &m));
  r->at = start;
  r->line = 0;
  r->as.layers_marked = 0;
  if (m.uses_s && !m.uses_e)
    m.on = false;
  for (;;) {
    IG_TRY(ig_path_line(r, '\0', &there));
    if (!there)
      return IG_OK;
    IG_TRY(gcode_clean(r));
    IG_TRY(gcode_words(r, &w, &over));
    IG_TRY(gcode_line(r, &m, &w));
  }
}
