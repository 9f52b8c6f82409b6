/* A folder of runs: which keys differ between their cases, a table of their figures, maps of these
   over the keys, and a picture of each. A sweep's table, results.csv, says which keys were varied:
   a material's file is one, where the cases differ in all of its values. Without such a table the
   cases are compared, so that it is all the same who started the runs. */
#include "report/report.h"
#include "core/number.h"
#include "io/picture/picture.h"
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Limits of a page: runs, keys and figures of the table, maps, pictures, and the length of a key's
   path. */
enum { RUNS = 1000, KEYS = 8, FIGURES = 48, MAPS = 8, PICTURES = 24, PATH = 160 };

/* A scalar of a case with its path, as `mesh.boxes[0].size[1]`. */
typedef struct {
  char path[PATH];
  const char *text;
} leaf;
/* One run of the folder. `run` points into the arena of the page, the rest is its own. */
typedef struct {
  char *folder;
  const char *name; /* the last part of it */
  ig_page_run run;
  int leaves;
  leaf *leaf;
  bool in_table; /* leaves are the keys of results.csv */
  char *cells;   /* their texts, NULL: they are those of the case */
} member;
/* The folder as a whole. Keys point into members, figures into documents. */
typedef struct {
  ig_page *p;
  int members, keys, figures;
  member *member;
  const char *key[KEYS];
  const char *figure[FIGURES];
  ig_display shown[FIGURES]; /* units that suit the largest value of each */
  double largest[FIGURES];   /* SI */
} sweep;

/* --- what differs */

/* Scalars in a tree. */
static int leaves_count(const ig_node *n) {
  int count = n->kind == IG_NODE_SCALAR;
  for (const ig_node *c = n->child; c; c = c->next)
    count += leaves_count(c);
  return count;
}

/* Flattens a case into its scalars; leaf[] has room for leaves_count of them. */
static void leaves_take(member *m, const ig_node *n, const char *path) {
  int i = 0;
  if (n->kind == IG_NODE_SCALAR) {
    snprintf(m->leaf[m->leaves].path, PATH, "%s", path);
    m->leaf[m->leaves++].text = n->text ? n->text : "";
  }
  for (const ig_node *c = n->child; c; c = c->next, i++) {
    char below[PATH];
    if (n->kind == IG_NODE_LIST)
      snprintf(below, sizeof below, "%.140s[%d]", path, i);
    else
      snprintf(below, sizeof below, "%.100s%s%.50s", path, *path ? "." : "", c->key);
    leaves_take(m, c, below);
  }
}

/* The text of a key in a case; "" where it is not set. */
static const char *leaf_text(const member *m, const char *path) {
  for (int i = 0; i < m->leaves; i++)
    if (strcmp(m->leaf[i].path, path) == 0)
      return m->leaf[i].text;
  return "";
}

/* A figure of a run; NULL where it has none. */
static const ig_node *figure_of(const member *m, const char *key) {
  const ig_node *result = m->run.summary ? ig_node_find(m->run.summary, "result") : NULL;
  const ig_node *found = result ? ig_node_find(result, key) : NULL;
  return found && found->kind == IG_NODE_SCALAR && found->text ? found : NULL;
}

/* A figure as a number; NaN for texts and where it has none. */
static double figure_number(const member *m, const char *key) {
  const ig_node *f = figure_of(m, key);
  char *end = NULL;
  const double v = f && !f->quoted ? ig_decimal_read(f->text, &end) : NAN;
  return end && end != f->text ? v : NAN;
}

/* Keys whose values are not the same in all cases; the title says nothing. Quadratic in the number
   of runs and keys; with a thousand runs still quick beside their pictures. */
static void keys_find(sweep *s) {
  for (int i = 0; i < s->members; i++)
    for (int l = 0; l < s->member[i].leaves && s->keys < KEYS; l++) {
      const leaf *own = &s->member[i].leaf[l];
      bool known = strcmp(own->path, "title") == 0, differs = false;
      for (int k = 0; k < s->keys; k++)
        known |= strcmp(s->key[k], own->path) == 0;
      for (int j = 0; j < s->members && !known; j++)
        differs |= strcmp(leaf_text(&s->member[j], own->path), own->text) != 0;
      if (differs)
        s->key[s->keys++] = own->path;
    }
}

/* Whether two figures differ by more than rounding: numbers by more than 1e-9 of the larger. */
static bool differ(const ig_node *a, const ig_node *b) {
  char *end[2];
  const double x = ig_decimal_read(a->text, &end[0]), y = ig_decimal_read(b->text, &end[1]);
  if (a->quoted || b->quoted || *end[0] || *end[1])
    return strcmp(a->text, b->text) != 0;
  return fabs(x - y) > 1e-9 * fmax(fabs(x), fabs(y));
}

/* Figures that differ between runs. Times of the computation are left out, as they always do. */
static void figures_find(sweep *s) {
  for (int i = 0; i < s->members; i++) {
    const ig_node *summary = s->member[i].run.summary;
    const ig_node *result = summary ? ig_node_find(summary, "result") : NULL;
    for (const ig_node *f = result ? result->child : NULL; f && s->figures < FIGURES; f = f->next) {
      bool known = !f->text || strncmp(f->key, "seconds_", 8) == 0, differs = false;
      for (int k = 0; k < s->figures; k++)
        known |= strcmp(s->figure[k], f->key) == 0;
      for (int j = 0; j < s->members && !known; j++) {
        const ig_node *other = figure_of(&s->member[j], f->key);
        differs |= other && differ(other, f);
      }
      if (!known && (differs || s->members == 1))
        s->figure[s->figures++] = f->key;
    }
  }
}

/* Whether a heading of results.csv is a figure of any run, or the time that ends its rows: what
   stands before is a key. */
static bool is_figure(const sweep *s, const char *heading) {
  char unit[IG_CSV_UNIT], name[PATH];
  snprintf(name, sizeof name, "%.*s", (int)ig_csv_name(heading, unit), heading);
  bool found = strcmp(name, "wall time") == 0;
  for (int i = 0; i < s->members && !found; i++)
    found = figure_of(&s->member[i], name) != NULL;
  return found;
}

/* The keys of a row of results.csv: their texts replace the scalars of its case. */
static ig_status row_take(sweep *s, const char **at, const ig_text *heads, int keys) {
  ig_text cell = {0}, cells = {0};
  member *m = NULL;
  bool more = true;
  ig_status status = IG_OK;
  for (int c = 0; more; c++) {
    more = ig_csv_take(at, &cell);
    const char *const text = cell.at ? cell.at : "";
    for (int i = 0; c == 0 && i < s->members; i++)
      if (strcmp(s->member[i].name, text) == 0)
        m = &s->member[i];
    if (c >= 2 && c < 2 + keys) {
      ig_text_add(&cells, text);
      ig_text_add(&cells, "\n");
    }
  }
  if (m && !m->in_table && cells.at) {
    leaf *own = NULL;
    IG_TRY_GOTO(status, done, IG_NEW(s->p->cx, &own, keys, "keys of a sweep"));
    free(m->leaf);
    m->leaf = own;
    m->cells = cells.at;
    cells.at = NULL;
    m->in_table = true;
    m->leaves = 0;
    char *value = m->cells;
    for (const char *head = heads->at; m->leaves < keys; head += strcspn(head, "\n") + 1) {
      leaf *l = &m->leaf[m->leaves++];
      snprintf(l->path, PATH, "%.*s", (int)strcspn(head, "\n"), head);
      l->text = value;
      value += strcspn(value, "\n");
      if (*value)
        *value++ = 0;
    }
  }
done:
  free(cell.at);
  free(cells.at);
  return status;
}

/* Keys that a sweep varied, from its table: instead of all in which the cases of its runs differ.
   A run without a row was not the sweep's: then the cases are compared as before. */
static ig_status keys_of_table(sweep *s, const char *text) {
  ig_text cell = {0}, heads = {0};
  const char *at = text;
  bool more = true, figures = false;
  int keys = 0, rows = 0;
  ig_status status = IG_OK;
  for (int c = 0; more; c++) {
    more = ig_csv_take(&at, &cell);
    const char *const head = cell.at ? cell.at : "";
    figures |= c >= 2 && is_figure(s, head);
    if (c < 2 || figures)
      continue;
    ig_text_add(&heads, head);
    ig_text_add(&heads, "\n");
    keys++;
  }
  const char *row = at;
  while (*row) { /* only names: is every run there? */
    bool rest = ig_csv_take(&row, &cell);
    for (int i = 0; i < s->members; i++)
      rows += cell.at && strcmp(s->member[i].name, cell.at) == 0;
    while (rest)
      rest = ig_csv_take(&row, &cell);
  }
  while (*at && keys && figures && rows == s->members && status == IG_OK)
    status = row_take(s, &at, &heads, keys);
  free(cell.at);
  free(heads.at);
  return status;
}

/* Figures that a sweep file names stand first among those of its table: so do they here. Columns of
   the table that are no figures are passed over. */
static void figures_order(sweep *s, const char *text) {
  char unit[IG_CSV_UNIT];
  ig_text cell = {0};
  const char *at = text;
  bool more = true;
  for (int to = 0; more;) {
    more = ig_csv_take(&at, &cell);
    const char *heading = cell.at ? cell.at : "";
    const size_t length = ig_csv_name(heading, unit);
    for (int f = to; f < s->figures; f++)
      if (strlen(s->figure[f]) == length && strncmp(s->figure[f], heading, length) == 0) {
        const char *figure = s->figure[f];
        memmove(&s->figure[to + 1], &s->figure[to], (size_t)(f - to) * sizeof *s->figure);
        s->figure[to++] = figure;
        break;
      }
  }
  free(cell.at);
}

/* What differs between the runs, in the order of the sweep's table where there is one. */
static ig_status differences_find(sweep *s, const char *folder) {
  char *path = ig_page_file(folder, "results.csv"), *text = NULL;
  size_t size;
  ig_status status = path ? ig_file_read(s->p->cx, path, 0, &text, &size) : IG_OK;
  if (status == IG_OK && text)
    status = keys_of_table(s, text);
  if (status == IG_OK) {
    keys_find(s);
    figures_find(s);
    if (text)
      figures_order(s, text);
  }
  free(text);
  free(path);
  return status;
}

/* --- units */

/* The unit of the first run that names one. */
static const char *unit_of(const sweep *s, const char *figure) {
  for (int i = 0; i < s->members; i++) {
    const ig_node *summary = s->member[i].run.summary;
    const char *unit = ig_page_text(summary ? ig_node_find(summary, "units") : NULL, figure);
    if (*unit)
      return unit;
  }
  return "";
}

/* Units for reading, one for all runs. */
static void units_choose(sweep *s) {
  for (int f = 0; f < s->figures; f++) {
    for (int i = 0; i < s->members; i++) {
      const double v = fabs(figure_number(&s->member[i], s->figure[f]));
      s->largest[f] = v > s->largest[f] ? v : s->largest[f];
    }
    s->shown[f] = ig_display_for(unit_of(s, s->figure[f]), s->largest[f]);
  }
}

/* The figure as it is shown; NaN: it has none. */
static double figure_shown(const sweep *s, const member *m, int f) {
  return ig_display_number(&s->shown[f], figure_number(m, s->figure[f]));
}

/* Its name with the unit. */
static void figure_head(const sweep *s, int f, char text[PATH + 64]) {
  snprintf(text, PATH + 64, *s->shown[f].unit ? "%.100s [%.40s]" : "%.100s%.40s", s->figure[f],
           s->shown[f].unit);
}

/* Figures about the computation: they stand in the table and need no map. Names as the rooms write
   them into their summaries. */
static bool dull(const char *figure) {
  static const char *const list[] = {"energy_gap",        "energy_error",      "time_step",
                                     "evaluations",       "critical_step",     "beam_missed",
                                     "static_error",      "static_path_error", "static_steps",
                                     "newton_iterations", "negative_pivots",   "linear_iterations",
                                     "relaxation_steps",  "step_cuts"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(figure, list[i]) == 0)
      return true;
  return false;
}

/* Rounding errors beside a figure of the same unit, as the sum of forces across the load; and the
   place of an extreme value (NAME_x beside NAME). */
static bool idle(const sweep *s, int f) {
  const char *unit = unit_of(s, s->figure[f]), *name = s->figure[f];
  const size_t n = strlen(name);
  const ig_node *summary =
      s->member[0].run.summary; /* figures that are the same in all runs count */
  const ig_node *result = summary ? ig_node_find(summary, "result") : NULL;
  for (const ig_node *r = result ? result->child : NULL; r; r = r->next)
    if (strcmp(unit_of(s, r->key), unit) == 0 &&
        s->largest[f] < 1e-6 * fabs(figure_number(&s->member[0], r->key)))
      return true;
  for (int k = 0; k < s->figures; k++) {
    if (strcmp(unit_of(s, s->figure[k]), unit) == 0 && s->largest[f] < 1e-6 * s->largest[k])
      return true;
    if (n > 2 && name[n - 2] == '_' && strchr("xyz", name[n - 1]) &&
        strlen(s->figure[k]) == n - 2 && strncmp(s->figure[k], name, n - 2) == 0)
      return true;
  }
  return false;
}

/* --- table */

/* One row a run: name, status, keys that differ, figures. Scripts of the page sort it by any
   column. */
static void table_write(const sweep *s) {
  ig_text *html = &s->p->body;
  ig_html_format(html,
                 "<div class=\"wide\"><table class=\"runs\" data-keys=\"%d\"><thead><tr>"
                 "<th>run</th><th>status</th>",
                 s->keys);
  for (int k = 0; k < s->keys; k++)
    ig_page_cell(html, "th", "", s->key[k]);
  for (int f = 0; f < s->figures; f++) {
    char head[PATH + 64];
    figure_head(s, f, head);
    ig_page_cell(html, "th", dull(s->figure[f]) || idle(s, f) ? " class=\"aside\"" : "", head);
  }
  ig_text_add(html, "</tr></thead><tbody>\n");
  for (int i = 0; i < s->members; i++) {
    const member *m = &s->member[i];
    ig_text_add(html, "<tr>");
    ig_page_cell(html, "td", "", m->name);
    ig_page_cell(html, "td", "", m->run.status);
    for (int k = 0; k < s->keys; k++)
      ig_page_cell(html, "td", "", leaf_text(m, s->key[k]));
    for (int f = 0; f < s->figures; f++) {
      char text[64];
      const ig_node *value = figure_of(m, s->figure[f]);
      const double number = figure_shown(s, m, f);
      const bool scaled = isfinite(number) && s->shown[f].factor != 1;
      if (scaled)
        ig_format(text, sizeof text, "%.6g", number);
      ig_page_cell(html, "td", " class=\"number\"",
                   scaled  ? text
                   : value ? ig_page_number(value, text)
                           : "");
    }
    ig_text_add(html, "</tr>\n");
  }
  ig_text_add(html, "</tbody></table></div>\n");
}

/* --- maps: a figure over two keys, or a curve over one */

/* The number a value begins with; a unit behind it is ignored, as runs of a sweep share it. NaN for
   a key that is not set or is a word. */
static double key_number(const member *m, const char *key) {
  const char *text = leaf_text(m, key);
  char *end;
  const double v = ig_decimal_read(text, &end);
  return end == text ? NAN : v;
}

/* The different values of a key, rising; how many, 0 if some are no numbers. */
static int values_of(const sweep *s, const char *key, double *value) {
  int count = 0;
  for (int i = 0; i < s->members; i++) {
    const double v = key_number(&s->member[i], key);
    int at = 0;
    if (!isfinite(v))
      return 0;
    while (at < count && value[at] < v)
      at++;
    if (at < count && value[at] <= v)
      continue;
    memmove(&value[at + 1], &value[at], (size_t)(count - at) * sizeof *value);
    value[at] = v;
    count++;
  }
  return count;
}

/* The run at a place of the map: the first whose other keys are those of the first run. */
static const member *member_at(const sweep *s, const int axis[2], double x, double y) {
  for (int i = 0; i < s->members; i++) {
    const member *m = &s->member[i];
    bool here = fabs(key_number(m, s->key[axis[0]]) - x) <= 0 &&
                fabs(key_number(m, s->key[axis[1]]) - y) <= 0;
    for (int k = 0; k < s->keys && here; k++)
      if (k != axis[0] && k != axis[1])
        here = strcmp(leaf_text(m, s->key[k]), leaf_text(&s->member[0], s->key[k])) == 0;
    if (here)
      return m;
  }
  return NULL;
}

/* Values of the two axes, rising. */
typedef struct {
  int count[2];
  const double *value[2];
} grid;

/* A rectangle for each place that has a run with the figure; numbers where there is room for them.
   540 x 240 units of the view box, from (90, 10). The number is light on dark colours: viridis is
   dark below 0.6 of its range. */
static void map_cells(const sweep *s, const int axis[2], const grid *g, int figure, double low,
                      double high) {
  ig_text *html = &s->p->body;
  const double w = 540.0 / g->count[0], h = 240.0 / g->count[1];
  for (int j = 0; j < g->count[1]; j++)
    for (int i = 0; i < g->count[0]; i++) {
      const member *m = member_at(s, axis, g->value[0][i], g->value[1][j]);
      const double v = m ? figure_shown(s, m, figure) : NAN;
      const double x = 90 + i * w, y = 10 + (g->count[1] - 1 - j) * h;
      float rgb[3] = {0.5F, 0.5F, 0.5F};
      if (!isfinite(v))
        continue;
      const float share = high > low ? (float)((v - low) / (high - low)) : 0.5F;
      ig_palette_color("viridis", share, rgb);
      ig_html_format(html, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" ", x, y, w,
                     h);
      ig_html_format(html, "fill=\"rgb(%d,%d,%d)\"><title>", (int)(255 * rgb[0]),
                     (int)(255 * rgb[1]), (int)(255 * rgb[2]));
      ig_html_text(html, m->name);
      ig_html_format(html, ": %.6g</title></rect>", v);
      if (w > 46 && h > 16)
        ig_html_format(html,
                       "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" class=\"%s\">%.4g"
                       "</text>",
                       x + w / 2, y + h / 2 + 4, share < 0.6F ? "light" : "dark", v);
    }
}

/* Lines of equal values between the middles of four neighbouring places, at five levels. Of a
   saddle one of the two ways is taken. */
static void map_contours(const sweep *s, const int axis[2], const grid *g, int figure, double low,
                         double high) {
  enum { LEVELS = 5 };
  static const int corner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
  const double w = 540.0 / g->count[0], h = 240.0 / g->count[1];
  for (int j = 0; j + 1 < g->count[1]; j++)
    for (int i = 0; i + 1 < g->count[0]; i++) {
      double v[5];
      for (int c = 0; c < 5; c++) {
        const member *m =
            member_at(s, axis, g->value[0][i + corner[c][0]], g->value[1][j + corner[c][1]]);
        v[c] = m ? figure_shown(s, m, figure) : NAN;
      }
      for (int n = 1; n <= LEVELS; n++) {
        const double level = low + (high - low) * n / (LEVELS + 1);
        double x[4], y[4];
        int count = 0;
        for (int c = 0; c < 4; c++) {
          if (!((v[c] < level && v[c + 1] >= level) || (v[c] >= level && v[c + 1] < level)))
            continue;
          const double share = (level - v[c]) / (v[c + 1] - v[c]);
          x[count] = 90 + w * (i + 0.5 + corner[c][0] + share * (corner[c + 1][0] - corner[c][0]));
          y[count++] =
              250 - h * (j + 0.5 + corner[c][1] + share * (corner[c + 1][1] - corner[c][1]));
        }
        for (int c = 0; c + 1 < count; c += 2)
          ig_html_format(&s->p->body,
                         "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                         "stroke=\"#fff\"><title>%.4g</title></line>",
                         x[c], y[c], x[c + 1], y[c + 1], level);
      }
    }
}

/* Numbers along both axes, at most nine and twelve of them, and the names of the keys. */
static void map_axes(const sweep *s, const int axis[2], const grid *g) {
  ig_text *html = &s->p->body;
  /* Numbers that would overlap are left out. */
  const int skip[2] = {1 + g->count[0] / 9, 1 + g->count[1] / 12};
  for (int i = 0; i < g->count[0]; i += skip[0])
    ig_html_format(html, "<text x=\"%.1f\" y=\"266\" text-anchor=\"middle\">%.5g</text>",
                   90 + (i + 0.5) * 540.0 / g->count[0], g->value[0][i]);
  for (int j = 0; j < g->count[1]; j += skip[1])
    ig_html_format(html, "<text x=\"84\" y=\"%.1f\" text-anchor=\"end\">%.5g</text>",
                   14 + (g->count[1] - j - 0.5) * 240.0 / g->count[1], g->value[1][j]);
  ig_text_add(html, "<text x=\"630\" y=\"286\" text-anchor=\"end\">");
  ig_html_text(html, s->key[axis[0]]);
  ig_text_add(html, "</text><text x=\"6\" y=\"286\">upwards: ");
  ig_html_text(html, s->key[axis[1]]);
  ig_text_add(html, "</text>");
}

/* A map of one figure; nothing where it is the same in all runs. */
static void map_write(const sweep *s, const int axis[2], const grid *g, int figure) {
  char head[PATH + 64];
  ig_text *html = &s->p->body;
  /* The range over all runs, also those that have no place on the map. */
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < s->members; i++) {
    const double v = figure_shown(s, &s->member[i], figure);
    if (isfinite(v))
      low = fmin(low, v), high = fmax(high, v);
  }
  if (!(low < high))
    return;
  ig_text_add(html, "<figure class=\"map\"><figcaption>");
  figure_head(s, figure, head);
  ig_html_text(html, head);
  ig_html_format(html, ", %.5g to %.5g", low, high);
  ig_text_add(html, "</figcaption><svg viewBox=\"0 0 640 292\" role=\"img\" aria-label=\"Map of ");
  ig_html_text(html, s->figure[figure]);
  ig_text_add(html, "\">");
  map_cells(s, axis, g, figure, low, high);
  map_contours(s, axis, g, figure, low, high);
  map_axes(s, axis, g);
  ig_text_add(html, "</svg></figure>\n");
}

/* The other keys of a run, "Al6061-T6, 2 mm": runs alike in them are one curve. */
static void others_write(const sweep *s, const member *m, int over, char text[PATH]) {
  size_t used = 0;
  *text = 0;
  for (int k = 0; k < s->keys && used + 1 < PATH; k++)
    if (k != over)
      used += (size_t)snprintf(text + used, PATH - used, "%s%.60s", used ? ", " : "",
                               leaf_text(m, s->key[k]));
}

/* A figure over one key, by the drawing of histories; a curve for each choice of the other keys, in
   the order of the runs, as many as have a color. Where several runs have one place, the last of
   them counts. A table is made for the plotter, which needs one. Points without a run are NaN and
   leave a gap. */
static ig_status curve_write(const sweep *s, int over, const double *x, int count, int figure) {
  char head[1 + IG_PLOT_CURVES][PATH + 48], others[IG_PLOT_CURVES][PATH], own[PATH],
      title[PATH + 64];
  char *name[1 + IG_PLOT_CURVES];
  const char *unit = unit_of(s, s->figure[figure]); /* ig_plot_svg chooses a prefix */
  int curves = 0, columns;
  double *value = NULL;
  bool any = false;
  for (int j = 0; j < s->members; j++) {
    int c = 0;
    others_write(s, &s->member[j], over, own);
    while (c < curves && strcmp(others[c], own) != 0)
      c++;
    if (c == curves && curves < IG_PLOT_CURVES)
      snprintf(others[curves++], PATH, "%s", own);
  }
  columns = 1 + curves;
  IG_TRY(IG_NEW(s->p->cx, &value, columns * count, "a curve"));
  for (int i = 0; i < columns * count; i++)
    value[i] = i % columns ? NAN : x[i / columns];
  for (int j = 0; j < s->members; j++) {
    others_write(s, &s->member[j], over, own);
    for (int c = 0; c < curves; c++)
      for (int i = 0; i < count && strcmp(others[c], own) == 0; i++)
        if (fabs(key_number(&s->member[j], s->key[over]) - x[i]) <= 0) {
          value[columns * i + 1 + c] = figure_number(&s->member[j], s->figure[figure]);
          any |= isfinite(value[columns * i + 1 + c]);
        }
  }
  ig_plot plot = {.title = title, .curves = curves};
  figure_head(s, figure, title);
  for (int c = 0; c < columns; c++) {
    const char *const said = c == 0 ? s->key[over] : curves > 1 ? others[c - 1] : s->figure[figure];
    snprintf(head[c], sizeof head[c], c && *unit ? "%.100s [%.40s]" : "%.100s%.0s", said, unit);
    name[c] = head[c];
    if (c)
      plot.column[c - 1] = c;
  }
  const ig_csv_table table = {.columns = columns, .rows = count, .name = name, .value = value};
  if (any) {
    ig_text_add(&s->p->body, "<figure class=\"map\"><figcaption>");
    ig_html_text(&s->p->body, title);
    ig_text_add(&s->p->body, "</figcaption>");
    ig_plot_svg(&s->p->body, &table, 0, &plot, false);
    ig_text_add(&s->p->body, "</figure>\n");
  }
  free(value);
  return IG_OK;
}

/* Maps over the first two keys that have several numbers; where one has, curves. */
static ig_status maps_write(const sweep *s) {
  double *value = NULL;
  /* -1: there is no such axis. */
  int axis[2] = {-1, -1}, count[2] = {0, 0}, drawn = 0;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(s->p->cx, &value, 2 * s->members, "a map"));
  for (int k = 0, a = 0; k < s->keys && a < 2; k++) {
    count[a] = values_of(s, s->key[k], value + a * s->members);
    if (count[a] > 1)
      axis[a++] = k;
  }
  const grid g = {{count[0], count[1]}, {value, value + s->members}};
  ig_text_add(&s->p->body, "<div class=\"plots\">");
  for (int f = 0; f < s->figures && drawn < MAPS && axis[0] >= 0 && status == IG_OK; f++) {
    if (!(s->largest[f] > 0) || dull(s->figure[f]) || idle(s, f))
      continue;
    if (axis[1] >= 0)
      map_write(s, axis, &g, f);
    else
      status = curve_write(s, axis[0], value, count[0], f);
    drawn++;
  }
  ig_text_add(&s->p->body, "</div>\n");
  if (drawn && axis[1] >= 0 && s->keys > 2)
    ig_text_add(&s->p->body, "<p>Maps over the first two keys; the others are as in the first "
                             "run.</p>\n");
  free(value);
  return status;
}

/* A small picture of each run, up to PICTURES of them, with one range of colors, so that they can
   be compared. */
static ig_status pictures_write(const sweep *s) {
  ig_text *html = &s->p->body;
  ig_page_colors colors = {.shared = true};
  for (int i = 0; i < s->members && i < PICTURES; i++)
    IG_TRY(ig_page_colors_take(s->p, &s->member[i].run, &colors));
  ig_text_add(html, "<div class=\"stages\">");
  for (int i = 0; i < s->members && i < PICTURES; i++) {
    const member *m = &s->member[i];
    bool drawn;
    IG_TRY(ig_interrupt_take(s->p->cx, "report"));
    ig_text_add(html, "<figure class=\"stage\"><figcaption>");
    ig_html_text(html, m->name);
    for (int k = 0; k < s->keys && k < 3; k++) {
      ig_text_add(html, k ? ", " : ": ");
      ig_html_text(html, leaf_text(m, s->key[k]));
    }
    ig_text_add(html, "</figcaption>");
    IG_TRY(ig_page_picture(s->p, &m->run, 400, &colors, m->name, &drawn));
    ig_text_add(html, "</figure>\n");
  }
  ig_text_add(html, "</div>\n");
  return IG_OK;
}

/* --- the folder */

/* A subfolder without summary and case is no run: it is passed over. */
static ig_status member_read(sweep *s, const char *folder, const char *name) {
  member *m = &s->member[s->members];
  *m = (member){.folder = ig_path_join(folder, name)};
  if (!m->folder)
    return IG_FAIL(s->p->cx, IG_MEMORY, "no memory for a path");
  s->members++;
  m->name = m->folder + strlen(m->folder) - strlen(name);
  IG_TRY(ig_page_run_read(s->p, m->folder, &m->run));
  if (!m->run.summary && !m->run.kase) {
    free(m->folder);
    s->members--;
    return IG_OK;
  }
  if (!m->run.kase)
    return IG_OK;
  IG_TRY(IG_NEW(s->p->cx, &m->leaf, leaves_count(m->run.kase), "keys of a case"));
  leaves_take(m, m->run.kase, "");
  return IG_OK;
}

/* Subfolders in alphabetical order, without hidden ones. Links are looked into as well, but files
   in them only if they are plain. */
ig_status ig_page_sweep(ig_page *p, const char *folder, bool *found) {
  sweep s = {.p = p};
  /* d_type may be unknown on some file systems: only regular files are passed over by it. */
  struct dirent **entry = NULL;
  ig_status status;
  /* A folder that cannot be read gives -1, which is treated as empty. */
  const int count = scandir(folder, &entry, NULL, alphasort);
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, &s.member, RUNS, "runs"));
  for (int i = 0; i < count && s.members < RUNS; i++)
    if (entry[i]->d_name[0] != '.' && entry[i]->d_type != DT_REG)
      IG_TRY_GOTO(status, done, member_read(&s, folder, entry[i]->d_name));
  *found = s.members > 0;
  if (*found) {
    IG_TRY_GOTO(status, done, differences_find(&s, folder));
    units_choose(&s);
    ig_html_format(&p->body, "<p class=\"verdict\">%d runs, %d keys differ</p>\n", s.members,
                   s.keys);
    table_write(&s);
    IG_TRY_GOTO(status, done, maps_write(&s));
    status = pictures_write(&s);
  }
done:
  for (int i = 0; i < s.members; i++) {
    free(s.member[i].folder);
    free(s.member[i].leaf);
    free(s.member[i].cells);
  }
  free(s.member);
  for (int i = 0; i < count; i++)
    free(entry[i]);
  free(entry);
  return status;
}
