/* Sobol indices of a sweep (sensitivity.csv): one drawing per figure, a row per key. */
#include "report/report.h"
#include "core/number.h"
#include "io/format/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in units of the view box; most rows of the table; numbers and letters of one. */
enum { WIDTH = 640, LEFT = 230, RIGHT = 620, ROW = 26, ROWS = 400, NUMBERS = 6, NAME = 120 };

/* A row: first-order and total index, each with the bounds of its interval. */
typedef struct {
  char figure[NAME], key[NAME];
  double value[NUMBERS];
} row;

/* Rows behind the heading; those that are damaged are left out. */
static int rows_read(const char *text, row *rows) {
  ig_text cell = {0};
  int count = 0;
  for (bool heading = true; *text && count < ROWS; heading = false) {
    row *r = &rows[count];
    int cells = 0, numbers = 0;
    for (bool more = true; more; cells++) {
      char *end;
      more = ig_csv_take(&text, &cell);
      const char *it = cell.at ? cell.at : "";
      if (cells < 2) {
        snprintf(cells == 0 ? r->figure : r->key, NAME, "%.*s", NAME - 1, it);
      } else if (cells < 2 + NUMBERS) {
        r->value[cells - 2] = ig_decimal_read(it, &end);
        numbers += end != it && !*end && isfinite(r->value[cells - 2]);
      }
    }
    count += !heading && cells == 2 + NUMBERS && numbers == NUMBERS;
  }
  free(cell.at);
  return count;
}

/* A bar from 0 to the value and a line over its interval, within the drawing. */
static void bar(ig_text *html, double y, const double *v, const char *color) {
  double x[3];
  for (int i = 0; i < 3; i++)
    x[i] = LEFT + (RIGHT - LEFT) * fmin(fmax(v[i], 0), 1.05) / 1.05;
  ig_html_format(html, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"7\" fill=\"%s\"/>", LEFT,
                 y, x[0] - LEFT, color);
  ig_html_format(html,
                 "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#8894a0\" "
                 "stroke-width=\"2\"/>",
                 x[1], x[2], y + 3.5, y + 3.5);
}

static void figure_draw(ig_text *html, const row *rows, int count) {
  ig_html_format(html,
                 "<figure class=\"map\"><figcaption>%s: share of the variance; first order (dark), "
                 "total (light), with intervals</figcaption><svg viewBox=\"0 0 %d %d\" "
                 "role=\"img\" aria-label=\"Sobol indices\">",
                 rows->figure, WIDTH, count * ROW + 30);
  for (int i = 0; i < count; i++) {
    ig_html_format(html, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.34s</text>", LEFT - 8,
                   i * ROW + 17, rows[i].key);
    bar(html, i * ROW + 5.0, rows[i].value, "#1f77b4");
    bar(html, i * ROW + 14.0, rows[i].value + 3, "#9ecae1");
  }
  for (int i = 0; i <= 4; i++)
    ig_html_format(html, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.2g</text>",
                   LEFT + (RIGHT - LEFT) * 0.25 * i / 1.05, count * ROW + 18, 0.25 * i);
  ig_text_add(html, "</svg></figure>\n");
}

ig_status ig_page_sensitivity(ig_page *p, const char *folder) {
  char *path = ig_page_file(folder, "sensitivity.csv"), *text = NULL;
  row *rows = NULL;
  size_t size;
  ig_status status = IG_OK;
  if (!path)
    return IG_OK;
  IG_TRY_GOTO(status, done, ig_file_read(p->cx, path, 1 << 20, &text, &size));
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, &rows, ROWS, "indices"));
  const int count = rows_read(text, rows);
  ig_text_add(&p->body, "<div class=\"plots\">");
  for (int i = 0, n; i < count; i += n) {
    for (n = 1; i + n < count && strcmp(rows[i].figure, rows[i + n].figure) == 0;)
      n++;
    figure_draw(&p->body, rows + i, n);
  }
  ig_text_add(&p->body, "</div>\n");
done:
  free(rows);
  free(text);
  free(path);
  return status;
}
