/* A calibration: its values within their ranges, the residuals before and after, and the tables,
   from calibration.json alone. */
#include "report/report.h"
#include "core/number.h"
#include "io/format/case_yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a drawing: its width, the place of the axis, and a row's height, in units of the view box. */
enum { WIDTH = 640, LEFT = 230, RIGHT = 620, ROW = 22, ROWS = 200 };

/* A number of an entry; NaN: it has none. */
static double number_of(const ig_node *map, const char *key) {
  const ig_node *node = ig_node_find(map, key);
  char *end = NULL;
  if (!node || node->kind != IG_NODE_SCALAR || !node->text || node->quoted)
    return NAN;
  const double value = ig_decimal_read(node->text, &end);
  return end != node->text && !*end ? value : NAN;
}

/* The entries of a list; NULL where it is none. */
static const ig_node *entries(const ig_node *root, const char *key) {
  const ig_node *list = ig_node_find(root, key);
  return list && list->kind == IG_NODE_LIST ? list->child : NULL;
}

static int count_of(const ig_node *entry) {
  int n = 0;
  for (; entry && n < ROWS; entry = entry->next)
    n++;
  return n;
}

/* "case/figure at 3 s". */
static void label_of(const ig_node *f, char *text, size_t size) {
  const char *run = ig_page_text(f, "case");
  char time[40] = "";
  if (isfinite(number_of(f, "time")))
    ig_format(time, sizeof time, " at %.6g s", number_of(f, "time"));
  snprintf(text, size, "%.80s%s%.80s%s", run, *run ? "/" : "", ig_page_text(f, "figure"), time);
}

static void drawing_begin(ig_text *html, const char *caption, int rows) {
  ig_html_format(html,
                 "<figure class=\"map\"><figcaption>%s</figcaption><svg viewBox=\"0 0 %d %d\" "
                 "role=\"img\" aria-label=\"%s\">",
                 caption, WIDTH, (rows + 1) * ROW + 16, caption);
}

static void row_label(ig_text *html, int row, const char *text) {
  ig_html_format(html, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.34s</text>", LEFT - 8,
                 row * ROW + 26, text);
}

static void line(ig_text *html, double x0, double x1, double y, const char *color, double width) {
  ig_html_format(html,
                 "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                 "stroke-width=\"%.1f\"/>",
                 x0, x1, y, y, color, width);
}

static void dot(ig_text *html, double x, double y, const char *color, bool full) {
  ig_html_format(html, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" stroke=\"%s\"/>", x, y,
                 full ? color : "none", color);
}

/* Each key on its range, with twice its standard error on either side. A range that is open is
   drawn around the values. */
static void keys_draw(ig_text *html, const ig_node *keys) {
  int row = 0;
  drawing_begin(html,
                "Values within their ranges: start (circle), fitted (dot), ± 2 standard errors",
                count_of(keys));
  for (const ig_node *k = keys; k && row < ROWS; k = k->next, row++) {
    const double value = number_of(k, "value"), start = number_of(k, "start");
    const double error = number_of(k, "standard_error");
    const double far = fmax(fabs(value - start), fmax(3 * (isfinite(error) ? error : 0), 1e-300));
    const double from = number_of(k, "from"), to = number_of(k, "to");
    const double low = isfinite(from) ? from : fmin(value, start) - far;
    const double high = isfinite(to) ? to : fmax(value, start) + far;
    const double y = row * ROW + 22, scale = (RIGHT - LEFT) / (high - low);
    row_label(html, row, ig_page_text(k, "key"));
    if (!isfinite(scale) || !isfinite(value))
      continue;
    line(html, LEFT, RIGHT, y, "#8894a0", 1);
    if (isfinite(error))
      line(html, LEFT + scale * (fmax(value - 2 * error, low) - low),
           LEFT + scale * (fmin(value + 2 * error, high) - low), y, "#1f77b4", 5);
    if (isfinite(start))
      dot(html, LEFT + scale * (start - low), y, "#8894a0", false);
    dot(html, LEFT + scale * (value - low), y, "#1f77b4", true);
  }
  ig_text_add(html, "</svg></figure>\n");
}

/* Residuals on a common axis that is as wide as the fitted ones need; those of the start that are
   beyond it stand at its end. */
static void residuals_draw(ig_text *html, const ig_node *figures, bool uncertain) {
  double most = uncertain ? 3 : 0;
  int row = 0;
  for (const ig_node *f = figures; f; f = f->next)
    if (isfinite(number_of(f, "residual")))
      most = fmax(most, 1.1 * fabs(number_of(f, "residual")));
  most = most > 0 ? most : 1;
  drawing_begin(html,
                uncertain ? "Residuals in standard deviations: at the start (circle), fitted (dot)"
                          : "Residuals as shares of the measured values: at the start (circle), "
                            "fitted (dot)",
                count_of(figures));
  const double middle = (LEFT + RIGHT) / 2.0, scale = (RIGHT - LEFT) / 2.0 / most;
  for (const ig_node *f = figures; f && row < ROWS; f = f->next, row++) {
    char label[260];
    const double y = row * ROW + 22, residual = number_of(f, "residual");
    const double size = uncertain ? number_of(f, "uncertainty") : fabs(number_of(f, "measured"));
    const double start = (number_of(f, "at_start") - number_of(f, "measured")) / size;
    label_of(f, label, sizeof label);
    row_label(html, row, label);
    line(html, LEFT, RIGHT, y, "#8894a0", 0.5);
    if (isfinite(start))
      dot(html, middle + scale * fmin(fmax(start, -most), most), y, "#8894a0", false);
    if (!isfinite(residual))
      continue;
    line(html, middle, middle + scale * residual, y, "#1f77b4", 3);
    dot(html, middle + scale * residual, y, "#1f77b4", true);
  }
  for (int i = -1; i <= 1; i++)
    ig_html_format(html, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.3g</text>",
                   middle + i * scale * most, row * ROW + 26, i * most);
  ig_text_add(html, "</svg></figure>\n");
}

/* Cells of a row by their keys; numbers are shortened. */
static void cells(ig_text *html, const ig_node *entry, const char *const *key, int count) {
  for (int i = 0; i < count; i++) {
    char text[64];
    const ig_node *value = ig_node_find(entry, key[i]);
    const bool number = value && value->kind == IG_NODE_SCALAR && !value->quoted;
    ig_page_cell(html, "td", number ? " class=\"number\"" : "",
                 !number                              ? ig_page_text(entry, key[i])
                 : isfinite(number_of(entry, key[i])) ? ig_page_number(value, text)
                                                      : "");
  }
}

/* A heading as words: "standard_error" without the dash. */
static void head(ig_text *html, const char *key) {
  char words[40];
  snprintf(words, sizeof words, "%.39s", key);
  for (char *c = words; *c; c++)
    *c = *c == '_' ? ' ' : *c;
  ig_page_cell(html, "th", "", words);
}

static void tables_write(ig_text *html, const ig_node *keys, const ig_node *figures) {
  static const char *const of_key[] = {
      "key", "value",      "standard_error",  "unit", "start", "from",
      "to",  "prior_mean", "prior_deviation", "state"};
  static const char *const of_figure[] = {"unit",     "measured", "uncertainty",
                                          "at_start", "computed", "residual"};
  enum { KEYS = sizeof of_key / sizeof *of_key, FIGURES = sizeof of_figure / sizeof *of_figure };
  ig_text_add(html, "<h2>Keys</h2><div class=\"wide\"><table><thead><tr>");
  for (int i = 0; i < KEYS; i++)
    head(html, of_key[i]);
  ig_text_add(html, "</tr></thead><tbody>\n");
  for (const ig_node *k = keys; k; k = k->next) {
    ig_text_add(html, "<tr>");
    cells(html, k, of_key, KEYS);
    ig_text_add(html, "</tr>\n");
  }
  ig_text_add(html, "</tbody></table></div>\n<h2>Figures</h2><div class=\"wide\"><table>"
                    "<thead><tr><th>figure</th>");
  for (int i = 0; i < FIGURES; i++)
    head(html, of_figure[i]);
  ig_text_add(html, "</tr></thead><tbody>\n");
  for (const ig_node *f = figures; f; f = f->next) {
    char label[260];
    label_of(f, label, sizeof label);
    ig_text_add(html, "<tr>");
    ig_page_cell(html, "td", "", label);
    cells(html, f, of_figure, FIGURES);
    ig_text_add(html, "</tr>\n");
  }
  ig_text_add(html, "</tbody></table></div>\n");
}

/* Combinations of keys that the figures leave open, and correlations. */
static void correlations_write(ig_text *html, const ig_node *root, const ig_node *keys) {
  const ig_node *row = entries(root, "correlation");
  for (const ig_node *d = entries(root, "undetermined"); d; d = d->next) {
    ig_text_add(html, "<p class=\"note\">Not determined by the figures:");
    for (const ig_node *k = d->kind == IG_NODE_MAP ? d->child : NULL; k; k = k->next)
      ig_html_format(html, "%s %.3g × %s", k == d->child ? "" : ",", number_of(d, k->key), k->key);
    ig_text_add(html, "</p>\n");
  }
  ig_text_add(html, "<h2>Correlations</h2><div class=\"wide\"><table><thead><tr><th></th>");
  for (const ig_node *k = keys; k; k = k->next)
    ig_page_cell(html, "th", "", ig_page_text(k, "key"));
  ig_text_add(html, "</tr></thead><tbody>\n");
  for (const ig_node *k = keys; k && row; k = k->next, row = row->next) {
    ig_text_add(html, "<tr>");
    ig_page_cell(html, "td", "", ig_page_text(k, "key"));
    for (const ig_node *c = row->kind == IG_NODE_LIST ? row->child : NULL; c; c = c->next) {
      char *end;
      const double value = c->text ? ig_decimal_read(c->text, &end) : NAN;
      if (isfinite(value))
        ig_html_format(html, "<td class=\"number\">%.3f</td>", value);
      else
        ig_text_add(html, "<td></td>");
    }
    ig_text_add(html, "</tr>\n");
  }
  ig_text_add(html, "</tbody></table></div>\n");
}

ig_status ig_page_calibration(ig_page *p, const char *folder, const char **title, bool *found) {
  char *path = ig_page_file(folder, "calibration.json");
  ig_node *root = NULL;
  const ig_status status = path ? ig_yaml_open(p->cx, p->arena, path, &root) : IG_OK;
  free(path);
  *found = root != NULL;
  if (status != IG_OK || !root)
    return status;
  ig_text *html = &p->body;
  const ig_node *keys = entries(root, "keys"), *figures = entries(root, "figures");
  const bool uncertain = strcmp(ig_page_text(root, "errors_from"), "uncertainties") == 0;
  if (*ig_page_text(root, "title"))
    *title = ig_page_text(root, "title");
  ig_html_format(html, "<h1>%s</h1>\n", *title);
  ig_html_format(html,
                 "<p class=\"verdict\">Calibration: <b>%s</b>, %s. Sum of squares %.4g, %.0f "
                 "degrees of freedom; %.0f runs, %.0f of them failed.</p>\n",
                 ig_page_text(root, "status"), ig_page_text(root, "reason"),
                 number_of(root, "sum_of_squares"), number_of(root, "degrees_of_freedom"),
                 number_of(root, "runs") + number_of(root, "runs_kept"),
                 number_of(root, "runs_failed"));
  ig_text_add(html, "<div class=\"plots\">");
  keys_draw(html, keys);
  residuals_draw(html, figures, uncertain);
  ig_text_add(html, "</div>\n");
  tables_write(html, keys, figures);
  correlations_write(html, root, keys);
  return IG_OK;
}
