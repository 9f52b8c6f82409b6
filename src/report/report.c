/* The report of a result folder, top to bottom:

     read summary.json, of a chain those of its stages too
     for each run: verdict, picture, plots, figures, how it was run
     the same as data for the page's script: history, surfaces
     template, style, script and libraries around it    web/, CMake

   The page reads without scripts; with them plots can be zoomed and the part turned. */
#include "report/report.h"
#include "core/number.h"
#include "chain/chain.h"
#include "io/case_yaml.h"
#include "io/picture.h"
#include "io/result_folder.h"
#include "io/store.h"
#include <ingot/view.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  const ig_report_options *o;
  const char *path; /* of the page */
  ig_text body;
  ig_json data;
} page;

static const char *text_of(const ig_node *map, const char *key) {
  const ig_node *found = map ? ig_node_find(map, key) : NULL;
  return found && found->kind == IG_NODE_SCALAR && found->text ? found->text : "";
}

static ig_status summary_read(page *p, const char *folder, ig_node **summary) {
  char *path = ig_path_join(folder, IG_SUMMARY);
  ig_status status = path ? IG_OK : IG_FAIL(p->cx, IG_MEMORY, "no memory for a path");
  *summary = NULL;
  if (path && access(path, R_OK) == 0)
    status = ig_yaml_open(p->cx, p->arena, path, summary); /* JSON is YAML */
  free(path);
  return status;
}

/* --- tables */

static void cell(ig_text *html, const char *tag, const char *style, const char *text) {
  ig_text_format(html, "<%s%s>", tag, style);
  ig_html_text(html, text);
  ig_text_format(html, "</%s>", tag);
}

/* "0.012345678901" -> "0.0123457" where it is a number. */
static const char *rounded(const ig_node *value, char text[64]) {
  char *end;
  const double number = ig_decimal_read(value->text, &end);
  if (value->quoted || end == value->text || *end)
    snprintf(text, 64, "%s", value->text);
  else
    snprintf(text, 64, "%.6g", number);
  return text;
}

static void figures_table(ig_text *html, const ig_node *summary) {
  const ig_node *result = ig_node_find(summary, "result"), *units = ig_node_find(summary, "units");
  if (!result || !result->child)
    return;
  ig_text_add(html, "<table class=\"figures\"><tr><th>figure</th><th>value</th><th>unit</th></tr>");
  for (const ig_node *f = result->child; f; f = f->next) {
    char text[64];
    if (f->kind != IG_NODE_SCALAR || !f->text)
      continue;
    ig_text_add(html, "<tr>");
    cell(html, "td", "", f->key);
    cell(html, "td", f->quoted ? "" : " class=\"number\"", rounded(f, text));
    cell(html, "td", "", units ? text_of(units, f->key) : "");
    ig_text_add(html, "</tr>\n");
  }
  ig_text_add(html, "</table>");
}

static void row(ig_text *html, const char *label, const char *format, const char *value) {
  if (!*value)
    return;
  char text[256];
  snprintf(text, sizeof text, "%s%s", value, format);
  ig_text_add(html, "<tr>");
  cell(html, "td", "", label);
  cell(html, "td", "", text);
  ig_text_add(html, "</tr>\n");
}

static void run_table(ig_text *html, const ig_node *summary) {
  static const char *const plain[] = {"backend",   "device",   "precision", "assembly",
                                      "elements",  "nodes",    "dofs",      "steps",
                                      "snapshots", "warnings", "stamp"};
  ig_text_add(html, "<table class=\"run\"><tr><th>run</th><th></th></tr>");
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    row(html, plain[i], "", text_of(summary, plain[i]));
  const ig_node *seconds = ig_node_find(summary, "seconds"), *rate = ig_node_find(summary, "rate");
  for (const ig_node *s = seconds ? seconds->child : NULL; s; s = s->next) {
    char label[64], text[64];
    snprintf(label, sizeof label, "time, %.40s", s->key);
    row(html, label, " s", s->text ? rounded(s, text) : "");
  }
  for (const ig_node *r = rate ? rate->child : NULL; r; r = r->next) {
    char text[64];
    row(html, r->key, "", r->text ? rounded(r, text) : "");
  }
  row(html, "Ingot", "", text_of(summary, "ingot"));
  ig_text_add(html, "</table>");
}

/* --- one run */

static void verdict(ig_text *html, const ig_node *summary) {
  const char *status = text_of(summary, "status"), *message = text_of(summary, "message");
  const int warnings = atoi(text_of(summary, "warnings"));
  char seconds[64] = "";
  const ig_node *total = ig_node_find(summary, "seconds");
  total = total ? ig_node_find(total, "total") : NULL;
  ig_text_format(html, "<p class=\"verdict\"><b class=\"%.20s\">", status);
  ig_html_text(html, status);
  ig_text_add(html, "</b>");
  if (total && total->text)
    ig_text_format(html, ", %s s", rounded(total, seconds));
  if (warnings > 0)
    ig_text_format(html, ", %d warning%s", warnings, warnings > 1 ? "s" : "");
  if (*message) {
    ig_text_add(html, ": ");
    ig_html_text(html, message);
  }
  ig_text_add(html, "</p>\n");
}

/* The last snapshot, as `ingot view` draws it, on its way through a file beside the page. */
static ig_status picture(page *p, const char *folder, const char *physics, bool *drawn) {
  ig_series series;
  char png[4096];
  *drawn = false;
  if (ig_series_read(p->cx, folder, &series) != IG_OK)
    return IG_OK; /* a run without snapshots has no picture */
  const bool design = strcmp(physics, "topopt") == 0;
  const ig_view_options view = {.width = 1200,
                                .height = 750,
                                .threshold = design ? "density" : NULL,
                                .threshold_range = {0.5, 2}};
  snprintf(png, sizeof png, "%s.png", p->path);
  ig_status status = ig_view(p->cx, series.path[series.count - 1], &view, png);
  if (status == IG_OK) {
    ig_text_add(&p->body, "<figure class=\"part\"><div class=\"picture\">");
    status = ig_html_picture(p->cx, png, "The last snapshot", &p->body);
    ig_text_add(&p->body, "</div></figure>\n");
    *drawn = true;
    unlink(png);
  }
  ig_series_free(&series);
  return status;
}

static void plots_html(page *p, const ig_log_table *t, const ig_plot *plot, int count) {
  ig_text *html = &p->body;
  const int over = ig_plot_over(t);
  ig_text_add(html, "<div class=\"plots\">");
  for (int i = 0; i < count; i++) {
    ig_text_add(html, "<figure class=\"plot\"><figcaption>");
    ig_html_text(html, plot[i].title);
    ig_text_add(html, "</figcaption>");
    ig_plot_svg(html, t, over, &plot[i]);
    ig_text_add(html, "</figure>\n");
  }
  ig_text_add(html, "</div><p class=\"more hidden\"><label>another column "
                    "<select><option value=\"-1\">choose</option>");
  for (int c = 0; c < t->columns; c++) {
    ig_text_format(html, "<option value=\"%d\">", c);
    ig_html_text(html, t->name[c]);
    ig_text_add(html, "</option>");
  }
  ig_text_add(html, "</select></label> Drag across a plot to zoom, double-click to see all.</p>\n");
}

static void plots_data(page *p, const ig_log_table *t, const ig_plot *plot, int count) {
  ig_json *j = &p->data;
  char unit[32], other[32];
  ig_json_object(j, "history");
  ig_json_list(j, "names");
  for (int c = 0; c < t->columns; c++)
    ig_json_text(j, NULL, t->name[c]);
  ig_json_end(j, ']');
  ig_json_list(j, "columns");
  for (int c = 0; c < t->columns; c++) {
    ig_text list = {0};
    for (int64_t r = 0; r < t->rows; r++) {
      const double v = t->value[r * t->columns + c];
      if (isfinite(v))
        ig_text_format(&list, "%s%.7g", r ? "," : "[", v);
      else
        ig_text_add(&list, r ? ",null" : "[null");
    }
    ig_text_add(&list, t->rows ? "]" : "[]");
    ig_json_raw(j, NULL, list.at ? list.at : "[]");
    p->data.text.failed |= list.failed;
    free(list.at);
  }
  ig_json_end(j, ']');
  ig_json_end(j, '}');
  ig_json_int(j, "x", ig_plot_over(t));
  ig_json_list(j, "plots");
  for (int i = 0; i < count; i++) {
    bool alike = true;
    ig_json_object(j, NULL);
    ig_json_text(j, "title", plot[i].title);
    ig_json_int(j, "x", ig_plot_over(t));
    ig_json_list(j, "columns");
    ig_column_unit(t->name[plot[i].column[0]], unit);
    for (int k = 0; k < plot[i].curves; k++) {
      ig_json_int(j, NULL, plot[i].column[k]);
      alike &= strcmp(unit, ig_column_unit(t->name[plot[i].column[k]], other)) == 0;
    }
    ig_json_end(j, ']');
    ig_json_text(j, "unit", alike ? unit : "");
    ig_json_end(j, '}');
  }
  ig_json_end(j, ']');
}

static ig_status run_write(page *p, const char *folder, const char *name, const ig_node *summary) {
  ig_text *html = &p->body;
  ig_log_table table = {0};
  ig_plot plot[IG_PLOTS];
  char note[160] = "", id[80];
  const char *physics = text_of(summary, "physics"), *title = text_of(summary, "title");
  bool drawn;
  ig_status status;
  snprintf(id, sizeof id, "run-%.60s", name);
  IG_TRY_GOTO(status, done, ig_log_table_read(p->cx, folder, &table));
  const int plots = ig_plots_choose(physics, &table, plot);
  ig_text_format(html, "<section id=\"%s\"><h2>", id);
  ig_html_text(html, physics);
  ig_text_add(html, *title ? ": " : "");
  ig_html_text(html, title);
  ig_text_add(html, "</h2>\n");
  verdict(html, summary);
  IG_TRY_GOTO(status, done, picture(p, folder, physics, &drawn));
  ig_json_object(&p->data, NULL);
  ig_json_text(&p->data, "id", id);
  if (drawn)
    IG_TRY_GOTO(status, done, ig_report_view(p->cx, folder, physics, p->o, &p->data, note));
  if (*note)
    ig_text_format(html, "<p>%s</p>", note);
  if (table.rows > 0) {
    plots_html(p, &table, plot, plots);
    plots_data(p, &table, plot, plots);
  }
  ig_json_end(&p->data, '}');
  ig_text_add(html, "<details open><summary>Figures and run</summary><div class=\"tables\">");
  figures_table(html, summary);
  run_table(html, summary);
  ig_text_add(html, "</div></details></section>\n");
done:
  ig_log_table_free(&table);
  return status;
}

/* --- the page */

/* The stages of a chain in their order; one run otherwise. */
static ig_status runs_write(page *p, const char *folder, const ig_node *summary) {
  const ig_node *stages = ig_node_find(summary, "stages");
  if (!stages)
    return run_write(p, folder, "it", summary);
  const ig_node *figures = ig_node_find(summary, "report");
  ig_text_add(&p->body, "<div class=\"tables\"><table class=\"figures\"><tr><th>figure</th>"
                        "<th>value</th></tr>");
  for (const ig_node *f = figures ? figures->child : NULL; f; f = f->next) {
    char text[64];
    row(&p->body, f->key, "", f->text ? rounded(f, text) : "not reached");
  }
  ig_text_add(&p->body, "</table><table><tr><th>stage</th><th>state</th></tr>");
  for (const ig_node *s = stages->child; s; s = s->next)
    row(&p->body, s->key, "", text_of(s, "status"));
  ig_text_add(&p->body, "</table></div>\n");
  for (const ig_node *s = stages->child; s; s = s->next) {
    ig_node *own;
    char *path = ig_path_join(folder, s->key);
    ig_status status =
        path ? summary_read(p, path, &own) : IG_FAIL(p->cx, IG_MEMORY, "no memory for a path");
    if (status == IG_OK && own)
      status = run_write(p, path, s->key, own);
    free(path);
    IG_TRY(status);
  }
  return IG_OK;
}

static void palette_write(ig_json *json) {
  ig_json_list(json, "palette");
  for (int i = 0; i < 32; i++) {
    float rgb[3];
    ig_palette_color("viridis", (float)i / 31, rgb);
    ig_json_list(json, NULL);
    for (int c = 0; c < 3; c++)
      ig_json_int(json, NULL, lround(255 * (double)rgb[c]));
    ig_json_end(json, ']');
  }
  ig_json_end(json, ']');
}

/* A script or licence that was found when Ingot was built: installed beside it, or where it was. */
static ig_status library_read(ig_ctx *cx, const char *name, const char *built, char **text) {
  char path[4096];
  size_t size;
  *text = NULL;
  snprintf(path, sizeof path, "%s/%s", IG_WEB_DIR, name);
  if (access(path, R_OK) != 0)
    snprintf(path, sizeof path, "%s", built);
  return *path && access(path, R_OK) == 0 ? ig_file_read(cx, path, 0, text, &size) : IG_OK;
}

static ig_status libraries_write(ig_ctx *cx, ig_text *html) {
  static const struct {
    const char *name, *built, *licence, *licence_built;
  } library[] = {{"three.min.js", IG_WEB_THREE, "three.copyright", IG_WEB_THREE_LICENCE},
                 {"OrbitControls.js", IG_WEB_ORBIT, NULL, NULL},
                 {"chart.min.js", IG_WEB_CHART, "chart.copyright", IG_WEB_CHART_LICENCE}};
  for (size_t i = 0; i < sizeof library / sizeof *library; i++) {
    char *script, *licence = NULL;
    IG_TRY(library_read(cx, library[i].name, library[i].built, &script));
    if (script && library[i].licence)
      IG_TRY(library_read(cx, library[i].licence, library[i].licence_built, &licence));
    if (licence) {
      ig_text_add(html, "<details><summary>Licence of ");
      ig_html_text(html, library[i].name);
      ig_text_add(html, "</summary><pre>");
      ig_html_text(html, licence);
      ig_text_add(html, "</pre></details>\n");
    }
    if (script) {
      ig_text_add(html, "<script>");
      ig_text_add(html, script);
      ig_text_add(html, "</script>\n");
    }
    free(script);
    free(licence);
  }
  return IG_OK;
}

/* JSON inside a script element: "<" would end it. */
static void data_write(ig_text *html, const ig_text *json) {
  for (const char *c = json->at; c && *c; c++)
    if (*c == '<')
      ig_text_add(html, "\\u003c");
    else
      ig_text_add_bytes(html, c, 1);
}

static ig_status page_write(page *p, const char *title, ig_text *html) {
  for (const char *c = ig_web_html; *c;) {
    if (strncmp(c, "@TITLE@", 7) == 0)
      ig_html_text(html, title), c += 7;
    else if (strncmp(c, "@STYLE@", 7) == 0)
      ig_text_add(html, ig_web_css), c += 7;
    else if (strncmp(c, "@BODY@", 6) == 0)
      ig_text_add_bytes(html, p->body.at, p->body.length), c += 6;
    else if (strncmp(c, "@DATA@", 6) == 0)
      data_write(html, &p->data.text), c += 6;
    else if (strncmp(c, "@SCRIPT@", 8) == 0)
      ig_text_add(html, ig_web_js), c += 8;
    else if (strncmp(c, "@LIBRARIES@", 11) == 0) {
      IG_TRY(libraries_write(p->cx, html));
      c += 11;
    } else
      ig_text_add_bytes(html, c++, 1);
  }
  return p->body.failed || p->data.text.failed || html->failed
             ? IG_FAIL(p->cx, IG_MEMORY, "no memory for the report")
             : IG_OK;
}

ig_status ig_report(ig_ctx *cx, const char *folder, const ig_report_options *options) {
  static const ig_report_options usual;
  IG_GIVEN(cx, cx && folder);
  page p = {.cx = cx, .o = options ? options : &usual};
  ig_text html = {0};
  ig_node *summary;
  char *usual_path = NULL;
  ig_status status;
  usual_path = ig_path_join(folder, IG_REPORT);
  if (!usual_path)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  p.path = p.o->html ? p.o->html : usual_path;
  IG_TRY_GOTO(status, done, ig_arena_new(cx, &p.arena));
  IG_TRY_GOTO(status, done, summary_read(&p, folder, &summary));
  if (!summary) {
    status = IG_FAIL(cx, IG_INPUT, "'%s' holds no " IG_SUMMARY ": name the output folder of a run",
                     folder);
    goto done;
  }
  const char *title = text_of(summary, "title");
  title = *title ? title : *text_of(summary, "chain") ? text_of(summary, "chain") : folder;
  ig_text_add(&p.body, "<h1>");
  ig_html_text(&p.body, title);
  ig_text_add(&p.body, "</h1>\n");
  ig_json_object(&p.data, NULL);
  palette_write(&p.data);
  ig_json_list(&p.data, "runs");
  IG_TRY_GOTO(status, done, runs_write(&p, folder, summary));
  ig_json_end(&p.data, ']');
  ig_json_end(&p.data, '}');
  IG_TRY_GOTO(status, done, page_write(&p, title, &html));
  status = ig_store(cx, p.path, html.at, html.length);
done:
  free(usual_path);
  free(html.at);
  free(p.body.at);
  free(p.data.text.at);
  if (p.arena)
    ig_arena_free(p.arena);
  return status;
}
