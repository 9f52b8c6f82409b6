/* Which columns are drawn together, and the drawing as SVG, for readers without scripts. With
   scripts, the page draws the same plots anew. */
#include "report/report.h"
#include "core/ticks.h"

#include <float.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is looked for first in a history; patterns of column names without their units, and a unit
   that stands for all columns no other plot of the analysis takes. The order is the order on the
   page. */
typedef struct {
  const char *physics, *title, *columns, *unit;
} wanted;
static const wanted plots[] = {
    {"thermal", "Melt pool", "melt_length*|melt_width*|melt_depth*", NULL},
    {"thermal", "Temperature", "T_max|T_interlayer", NULL},
    {"thermal", "Probes", NULL, "K"},
    {"thermal", "Energy", "E_*", NULL},
    {"powder", "Melt pool", "melt_length|melt_width|melt_depth", NULL},
    {"powder", "Temperature", "T_max|interlayer", NULL},
    {"powder", "Probes", NULL, "K"},
    {"powder", "Energy", "stored|source|born|sunk|lost|held", NULL},
    {"topopt", "Objective", "objective", NULL},
    {"topopt", "Volume and change", "volume|change", NULL},
    {"topopt", "Gray elements", "grayness", NULL},
    {"topopt", "Solver iterations", "solver iterations", NULL},
    {"fracture", "Energy", "kinetic|strain|external|dissipated|recoverable|contact", NULL},
    {"fracture", "Crack", "crack_extension", NULL},
    {"fracture", "Area of cracks", "opened|crack_area", NULL},
    {"fracture", "Crack tip speed", "tip_speed", NULL},
    {"fracture", "Cohesive elements and fragments", "cohesive_elements|fragments", NULL},
    {"fracture", "Displacement and tips", NULL, "m"},
    {"fracture", "Reactions", NULL, "N"},
    {"fracture", "Stress", NULL, "Pa"},
    {"dynamics", "Energy", "kinetic|internal|plastic|external|damping|contact", NULL},
    {"dynamics", "Displacement", NULL, "m"},
    {"dynamics", "Force", NULL, "N"},
    {"grains", "Liquid", "liquid_fraction", NULL},
    {"grains", "Cells that grow", "active_cells", NULL},
    {"structure", "Displacement", NULL, "m"},
    {"structure", "Force", NULL, "N"},
    {"structure", "Stress", NULL, "Pa"},
    {"structure", "Temperature", NULL, "K"},
    {"stress", "Deflection", NULL, "m"},
    {"stress", "Stress", NULL, "Pa"},
    {"stress", "Temperature", NULL, "K"},
};

/* Whether a column's name without its unit fits one of "a|b*|c", as file names are matched. */
static bool matches(const char *name, const char *patterns) {
  char bare[64], one[64], unit[IG_CSV_UNIT];
  snprintf(bare, sizeof bare, "%.*s", (int)ig_csv_name(name, unit), name);
  for (const char *p = patterns; *p; p += strcspn(p, "|"), p += *p == '|') {
    snprintf(one, sizeof one, "%.*s", (int)strcspn(p, "|"), p);
    if (fnmatch(one, bare, 0) == 0)
      return true;
  }
  return false;
}

/* Whether a plot that names its columns has this one. Plots by unit leave out what a plot by name
   has. */
static bool taken(const char *physics, const char *name) {
  for (size_t i = 0; i < sizeof plots / sizeof *plots; i++)
    if (strcmp(plots[i].physics, physics) == 0 && plots[i].columns &&
        matches(name, plots[i].columns))
      return true;
  return false;
}

/* A column without a single finite number is not drawn. *flat: all of them are 0. */
static bool has_numbers(const ig_csv_table *t, int column, bool *flat) {
  /* NaN and infinity stand for values that do not exist yet, such as of a melt pool before
     melting. */
  int64_t finite = 0;
  *flat = true;
  for (int64_t r = 0; r < t->rows; r++) {
    const double v = t->value[r * t->columns + column];
    finite += isfinite(v);
    *flat = *flat && !(fabs(v) > 0);
  }
  return finite > 0;
}

/* At most IG_PLOTS plots of IG_PLOT_CURVES curves; columns beyond that are left out. Plots by unit
   leave out columns that describe the computation or the beam rather than the part. Plots without
   any column are left out, and those that are zero throughout, as of a melt pool where nothing
   melts. */
int ig_plots_choose(const char *physics, const ig_csv_table *t, ig_plot chosen[IG_PLOTS]) {
  int count = 0;
  const int over = ig_plot_over(t);
  for (size_t i = 0; i < sizeof plots / sizeof *plots && count < IG_PLOTS; i++) {
    if (strcmp(plots[i].physics, physics) != 0)
      continue;
    ig_plot p = {.title = plots[i].title};
    bool flat = true, zero;
    for (int c = 0; c < t->columns && p.curves < IG_PLOT_CURVES; c++) {
      char unit[IG_CSV_UNIT];
      ig_csv_name(t->name[c], unit);
      const bool fits = plots[i].columns
                            ? matches(t->name[c], plots[i].columns)
                            : strcmp(unit, plots[i].unit) == 0 && !taken(physics, t->name[c]) &&
                                  !matches(t->name[c], "T_*|beam_*|tip_*|step_size|scaling");
      if (c != over && fits && has_numbers(t, c, &zero)) {
        p.column[p.curves++] = c;
        flat &= zero;
      }
    }
    if (p.curves > 0 && (!flat || t->rows < 2))
      chosen[count++] = p;
  }
  return count;
}

/* The names are compared without their units. */
int ig_plot_over(const ig_csv_table *t) {
  /* The first of these that the history has; without any of them its first column. */
  static const char *const first[] = {"time", "iteration", "step"};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    for (int c = 0; c < t->columns; c++)
      if (matches(t->name[c], first[i]))
        return c;
  return 0;
}

/* --- drawing */

/* Size and margins of a plot in units of the SVG's view box. */
enum { WIDTH = 640, HEIGHT = 300, LEFT = 64, RIGHT = 12, TOP = 10, BOTTOM = 62 };

/* Range of the values in SI units, and how they are shown. */
typedef struct {
  double low, high;
  ig_display shown;
  ig_ticks ticks; /* of shown numbers */
} axis;

/* The unit that all of these columns have; "" if they differ. Columns of several units are drawn
   with the numbers as they are, each with its unit in the legend. */
static void unit_of(const ig_csv_table *t, const int *column, int count, char unit[IG_CSV_UNIT]) {
  char other[IG_CSV_UNIT];
  ig_csv_name(t->name[column[0]], unit);
  for (int k = 1; k < count; k++) {
    ig_csv_name(t->name[column[k]], other);
    if (strcmp(unit, other) != 0)
      *unit = '\0';
  }
}

/* The range of all columns together. Without a finite value it is 0 to 1; without a width it is
   widened by a tenth of the value. Halves keep the sums from overflowing. */
static axis axis_fit(const ig_csv_table *t, const int *column, int count, bool celsius) {
  axis a = {.low = INFINITY, .high = -INFINITY};
  for (int64_t r = 0; r < t->rows; r++)
    for (int k = 0; k < count; k++) {
      const double v = t->value[r * t->columns + column[k]];
      if (isfinite(v)) {
        a.low = fmin(a.low, v);
        a.high = fmax(a.high, v);
      }
    }
  if (!(a.low <= a.high))
    a.low = 0, a.high = 1;
  char unit[IG_CSV_UNIT];
  unit_of(t, column, count, unit);
  a.shown = ig_display_of(t->name[column[0]], unit, fmax(fabs(a.low), fabs(a.high)), celsius);
  if (!ig_range_spans(a.low, a.high)) {
    const double middle = a.low / 2 + a.high / 2,
                 wide = fabs(middle) > 1e-300 ? 0.1 * fabs(middle) : 0.5;
    a.low = fmax(middle - wide, -DBL_MAX);
    a.high = fmin(middle + wide, DBL_MAX);
  }
  a.ticks =
      ig_ticks_between(ig_display_number(&a.shown, a.low), ig_display_number(&a.shown, a.high), 5);
  return a;
}

/* The script of the page needs the same factor and unit as the drawing. */
ig_display ig_plot_shown(const ig_csv_table *t, const int *column, int count) {
  return axis_fit(t, column, count, false).shown;
}

/* The place of a value on an axis, in units of the view box. */
static double place(const axis *a, double v, double from, double to) {
  return from + (v / 2 - a->low / 2) / (a->high / 2 - a->low / 2) * (to - from);
}

/* Grid lines and numbers of the upright axis; numbers alone of the other. */
static void axis_draw(ig_text *html, const axis *a, bool upright) {
  for (int k = 0; k < a->ticks.count; k++) {
    /* Ticks are round numbers in the unit shown, so they are brought back to SI for their
       places. */
    const double v = (a->ticks.value[k] - a->shown.shift) / a->shown.factor;
    char text[IG_TICK_TEXT];
    ig_tick_text(&a->ticks, k, text);
    if (upright) {
      const double y = place(a, v, HEIGHT - BOTTOM, TOP);
      ig_html_format(html, "<path class=\"axis\" d=\"M%d %.1fH%d\"/>", LEFT, y, WIDTH - RIGHT);
      ig_html_format(html, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\"", LEFT - 6, y + 4);
      if (strlen(text) > 8) /* wider than the margin */
        ig_html_format(html, " textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\"", LEFT - 8);
      ig_html_format(html, ">%s</text>", text);
    } else {
      const double x = place(a, v, LEFT, WIDTH - RIGHT);
      ig_html_format(html, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", x,
                     HEIGHT - BOTTOM + 16, text);
    }
  }
}

/* A path for each curve, broken where a value is not finite, and a legend of four columns. */
void ig_plot_svg(ig_text *html, const ig_csv_table *t, int over, const ig_plot *plot,
                 bool celsius) {
  /* Eight colours that stay apart on white and on dark ground. */
  static const char *const color[] = {"#1f6feb", "#d1472f", "#2e9e52", "#a855c7",
                                      "#c98a12", "#13949c", "#7a7f87", "#d23f8f"};
  const axis x = axis_fit(t, &over, 1, false), y = axis_fit(t, plot->column, plot->curves, celsius);
  ig_html_format(html, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", WIDTH, HEIGHT,
                 plot->title);
  axis_draw(html, &x, false);
  axis_draw(html, &y, true);
  const int64_t stride = 1 + t->rows / 600; /* finer than a pixel shows nothing more */
  for (int k = 0; k < plot->curves; k++) {
    ig_html_format(html, "<path class=\"curve\" stroke=\"%s\" d=\"", color[k]);
    /* Whether the pen is on the paper: a gap lifts it, and the next point starts anew. */
    bool down = false;
    for (int64_t r = 0; r < t->rows; r += stride) {
      const double u = t->value[r * t->columns + over],
                   v = t->value[r * t->columns + plot->column[k]];
      if (isfinite(u) && isfinite(v))
        ig_html_format(html, "%s%.1f %.1f", down ? "L" : "M", place(&x, u, LEFT, WIDTH - RIGHT),
                       place(&y, v, HEIGHT - BOTTOM, TOP));
      down = isfinite(u) && isfinite(v);
    }
    ig_text_add(html, "\"/>");
    /* Two lines of four entries below the axis. */
    const int column = LEFT + (WIDTH - LEFT) / 4 * (k % 4), line = HEIGHT - 24 + 14 * (k / 4);
    ig_html_format(html, "<path stroke=\"%s\" stroke-width=\"3\" d=\"M%d %dh14\"/>", color[k],
                   column, line - 4);
    ig_html_format(html, "<text x=\"%d\" y=\"%d\">", column + 18, line);
    char name[160], unit[IG_CSV_UNIT];
    snprintf(name, sizeof name, "%.*s", (int)ig_csv_name(t->name[plot->column[k]], unit),
             t->name[plot->column[k]]);
    ig_html_text(html, *y.shown.unit ? name : t->name[plot->column[k]]);
    ig_text_add(html, "</text>");
  }
  ig_html_format(html, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", WIDTH - RIGHT,
                 HEIGHT - BOTTOM + 30);
  char name[160], unit[IG_CSV_UNIT];
  const int length = (int)ig_csv_name(t->name[over], unit);
  snprintf(name, sizeof name, "%.*s%s%s%s", length > 100 ? 100 : length, t->name[over],
           *x.shown.unit ? " [" : "", x.shown.unit, *x.shown.unit ? "]" : "");
  ig_html_text(html, name);
  ig_html_format(html, "</text><text x=\"4\" y=\"%d\">", TOP + 4);
  ig_html_text(html, y.shown.unit);
  ig_text_add(html, "</text></svg>");
}
