/* The lines above a picture: the title of the case, and what is shown: the field in words with the
   unit of the color bar, the time, and which analysis, phase or load case it is of. */
#include "io/picture/picture.h"
#include "core/display.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Fields whose names do not say it. The others are shown by their names, with blanks. */
static const struct {
  const char *name, *words;
} fields[] = {
    {"T", "temperature"},
    {"T_peak", "highest temperature so far"},
    {"T_max", "highest temperature so far"},
    {"nodal_von_mises", "von Mises stress at nodes"},
    {"von_mises", "von Mises stress of elements"},
    {"nodal_stress", "stress at nodes"},
    {"nodal_stress_top", "stress at nodes, top of shells"},
    {"nodal_stress_bottom", "stress at nodes, bottom of shells"},
    {"principal_stress", "largest principal stress"},
    {"plastic_strain", "equivalent plastic strain"},
    {"density", "density of the design"},
    {"energy_density", "strain energy density"},
    {"tag", "region number"},
    {"block", "number of the block"},
    {"grain", "number of the grain"},
    {"fragment", "number of the fragment"},
    {"deviation", "deviation from the nominal surface"},
};

/* "nodal_stress.xx" becomes "stress at nodes, xx"; a vector without component is its magnitude. */
static void field_words(const ig_scalar *s, char *text, size_t size) {
  const char *name = s->field->name, *dot = s->component >= 0 ? strrchr(s->label, '.') : NULL;
  const char *words = NULL;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (strcmp(fields[i].name, name) == 0)
      words = fields[i].words;
  snprintf(text, size, "%.60s%s%.8s%s", words ? words : name, dot ? ", " : "", dot ? dot + 1 : "",
           !dot && s->field->components == 3 && strncmp(name, "mode_", 5) != 0 ? ", magnitude"
           : !dot && s->field->components == 6                                 ? ", Frobenius norm"
                                                                               : "");
  for (char *c = text; *c && !words; c++)
    *c = *c == '_' ? ' ' : *c;
}

/* Letters of Latin scripts by their base letter, since the font has ASCII and the degree sign
   alone: a code point from U+00C0 to U+00FF; other characters become a question mark. */
static void plain(const char *from, char *to, size_t size) {
  static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";
  size_t n = 0;
  for (const unsigned char *c = (const unsigned char *)from; *c && n + 2 < size; c++) {
    if (*c >= 0x80 && *c < 0xc0)
      continue; /* the rest of a character of several bytes */
    if (*c < 0x80)
      to[n++] = *c < ' ' ? ' ' : (char)*c;
    else if (*c == 0xc3)
      to[n++] = latin[c[1] & 0x3f];
    else if (*c == 0xc2 && c[1] == 0xb0)
      to[n++] = '\xc2', to[n++] = '\xb0';
    else if (*c == 0xc2 && c[1] == 0xb5)
      to[n++] = 'u';
    else if (*c == 0xe2 && c[1] == 0x80 && (c[2] == 0x93 || c[2] == 0x94))
      to[n++] = '-';
    else
      to[n++] = '?';
  }
  to[n] = '\0';
}

static void join(char *line, size_t size, const char *more) {
  const size_t used = strlen(line);
  if (*more)
    snprintf(line + used, size - used, "%s%s", used ? ", " : "", more);
}

/* "surface, part.stl, 16 x 8 x 24 mm" */
static void surface_words(const ig_snapshot *snap, const char *file, char *text, size_t size) {
  double side[3], most = 0;
  for (int c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < snap->points; i++) {
      low = fmin(low, snap->point[3 * i + c]);
      high = fmax(high, snap->point[3 * i + c]);
    }
    side[c] = high > low ? high - low : 0;
    most = fmax(most, side[c]);
  }
  const ig_display shown = ig_display_for("m", most);
  ig_format(text, size, "surface%s%.60s, %.4g x %.4g x %.4g %s", *file ? ", " : "", file,
            shown.factor * side[0], shown.factor * side[1], shown.factor * side[2], shown.unit);
}

void ig_titles_make(const char *title, const char *file, const ig_snapshot *snap,
                    const ig_scalar *s, const char *unit, bool alone, ig_titles *t) {
  char text[160] = "";
  plain(title ? title : "", t->line[0], sizeof t->line[0]);
  t->line[1][0] = '\0';
  if (s) {
    field_words(s, text, sizeof text - 32);
    if (*unit)
      snprintf(text + strlen(text), sizeof text - strlen(text), " [%s]", unit);
  } else if (snap->cells) {
    surface_words(snap, file, text, sizeof text);
  }
  char words[160];
  plain(text, words, sizeof words);
  join(t->line[1], sizeof t->line[1], words);
  if (!alone)
    return;
  text[0] = '\0';
  const bool mode = s && strncmp(s->field->name, "mode_", 5) == 0;
  if (snap->iterations) {
    ig_format(text, sizeof text, "iteration %.0f", snap->time);
  } else if (!isnan(snap->time) && !mode) {
    const ig_display shown = ig_display_for("s", snap->time);
    ig_format(text, sizeof text, "t = %.4g %s", shown.factor * snap->time, shown.unit);
  }
  join(t->line[1], sizeof t->line[1], text);
  /* a design has one density, whatever the load case */
  if (!(snap->iterations && s && strcmp(s->field->name, "density") == 0))
    join(t->line[1], sizeof t->line[1], snap->state);
}

/* A line that is too long is written smaller, to two thirds; beyond that its end is left out. */
static void line_draw(ig_canvas *canvas, float x, float y, float size, float space,
                      const float rgb[3], const char *line) {
  char text[160];
  snprintf(text, sizeof text, "%s", line);
  const float wide = ig_text_width(size, text), small = size * fmaxf(space / wide, 2.0F / 3);
  for (size_t n = strlen(text); wide > space && ig_text_width(small, text) > space && n > 4; n--)
    memcpy(text + n - 3, "..", 3);
  ig_canvas_text(canvas, x, y, wide > space ? small : size, rgb, text);
}

void ig_titles_draw(ig_canvas *canvas, const ig_titles *t, float size) {
  static const float ink[3] = {0.13F, 0.14F, 0.16F};
  const float h = (float)canvas->height, x = 0.04F * h, space = (float)canvas->width - 2 * x;
  float y = 0.055F * h;
  if (t->line[0][0])
    line_draw(canvas, x, y, 1.24F * size, space, ink, t->line[0]);
  y += t->line[0][0] ? 1.9F * size : 0;
  if (t->line[1][0])
    line_draw(canvas, x, y, size, space, ink, t->line[1]);
}
