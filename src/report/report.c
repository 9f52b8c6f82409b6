/* The report of a result folder, top to bottom:

     read summary.json and case.yaml, of a chain those of its stages too
     for each run: verdict, picture, plots, figures, how it was run    facts.c, plot.c
     for a folder of runs: tables and maps                             sweep.c
     for a calibration: values, residuals                              calibration.c
     the same as data for the page's script: history, surfaces
     template, style, script and libraries around it    web/, CMake

   The page reads without scripts; with them plots can be zoomed and the part turned. */
#include "report/report.h"
#include "core/program.h"
#include "core/require.h"
#include "core/number.h"
#include "chain/chain.h"
#include "io/format/case_yaml.h"
#include "io/picture/picture.h"
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"
#include <ingot/run.h>
#include <ingot/view.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A figure for each plot, and a list of all columns, which scripts unhide. */
static void plots_html(ig_page *p, const ig_csv_table *t, const ig_plot *plot, int count,
                       bool celsius) {
  ig_text *html = &p->body;
  const int over = ig_plot_over(t);
  ig_text_add(html, "<div class=\"plots\">");
  for (int i = 0; i < count; i++) {
    ig_html_format(html, "<figure class=\"plot\"><figcaption>%s</figcaption>", plot[i].title);
    ig_plot_svg(html, t, over, &plot[i], celsius);
    ig_text_add(html, "</figure>\n");
  }
  ig_text_add(html, "</div><p class=\"more hidden\"><label>another column "
                    "<select><option value=\"-1\">choose</option>");
  for (int c = 0; c < t->columns; c++)
    ig_html_format(html, "<option value=\"%d\">%s</option>", c, t->name[c]);
  ig_text_add(html, "</select></label> Drag across a plot to zoom, double-click to see all.</p>\n");
}

/* The whole history for the page's script: names, columns of seven digits, null for what is not
   finite, and which columns each plot has. Factors and units say how values are shown; the values
   themselves stay in SI. absolute: temperatures are (not those of a design). */
static void plots_data(ig_page *p, const ig_csv_table *t, const ig_plot *plot, int count,
                       bool absolute) {
  ig_json *j = &p->data;
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
        ig_html_format(&list, "%s%.7g", r ? "," : "[", v);
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
  const int over = ig_plot_over(t);
  /* All plots share the horizontal axis and its unit. */
  const ig_display time = ig_plot_shown(t, &over, 1);
  for (int i = 0; i < count; i++) {
    const ig_display shown = ig_plot_shown(t, plot[i].column, plot[i].curves);
    ig_json_object(j, NULL);
    ig_json_text(j, "title", plot[i].title);
    ig_json_int(j, "x", over);
    ig_json_text(j, "x_unit", time.unit);
    ig_json_real(j, "x_factor", time.factor);
    ig_json_list(j, "columns");
    for (int k = 0; k < plot[i].curves; k++)
      ig_json_int(j, NULL, plot[i].column[k]);
    ig_json_end(j, ']');
    ig_json_text(j, "unit", shown.unit);
    ig_json_real(j, "factor", shown.factor);
    if (strcmp(shown.unit, "K") == 0 && absolute)
      ig_json_real(j, "celsius", ig_display_of(t->name[plot[i].column[0]], "K", 0, true).shift);
    ig_json_end(j, '}');
  }
  ig_json_end(j, ']');
}

/* An empty table if there is no history. The history is read whole; a run has at most some
   thousands of rows. */
static ig_status history_read(ig_page *p, const char *folder, ig_csv_table *table) {
  char *path = ig_page_file(folder, IG_HISTORY), *text = NULL;
  size_t size;
  ig_status status = path ? ig_file_read(p->cx, path, 0, &text, &size) : IG_OK;
  if (status == IG_OK && text)
    status = ig_csv_table_parse(p->cx, text, table);
  free(text);
  free(path);
  return status;
}

/* One run: its section of the page, and its object in the data. The object is opened after the
   picture, as nothing must be written to the data when that fails. */
static ig_status run_write(ig_page *p, const ig_page_run *run, const char *name) {
  ig_text *html = &p->body;
  ig_csv_table table = {0};
  ig_plot plot[IG_PLOTS];
  char note[IG_REPORT_NOTE] = "", id[80];
  bool drawn;
  ig_status status;
  snprintf(id, sizeof id, "run-%.60s", name);
  /* The history comes first, as plots and the table of energies are both made from it. */
  IG_TRY_GOTO(status, done, history_read(p, run->folder, &table));
  const int plots = ig_plots_choose(run->physics, &table, plot);
  ig_html_format(html, "<section id=\"%s\"><h2>%s%s%s</h2>\n", id, run->physics,
                 *run->title ? ": " : "", run->title);
  ig_text_add(html, "<div class=\"head\">");
  ig_page_verdict(html, run);
  ig_text_add(html, "</div><figure class=\"part\"><div class=\"picture\">");
  IG_TRY_GOTO(status, done, ig_page_picture(p, run, 1000, NULL, "The last snapshot", &drawn));
  ig_text_add(html, "</div></figure>\n");
  ig_json_object(&p->data, NULL);
  ig_json_text(&p->data, "id", id);
  const double solidus = ig_case_solidus(run->kase);
  if (isfinite(solidus) && solidus > 0)
    ig_json_real(&p->data, "solidus", solidus);
  /* Without a picture there is no snapshot that could be read, and no 3D view either. */
  if (drawn)
    IG_TRY_GOTO(status, done, ig_report_view(p, run, note));
  if (*note)
    ig_html_format(html, "<p class=\"note\">%s</p>", note);
  if (table.rows > 0) {
    plots_html(p, &table, plot, plots, ig_page_celsius(p, run));
    plots_data(p, &table, plot, plots, strcmp(run->physics, "topopt") != 0);
  }
  ig_json_end(&p->data, '}');
  IG_TRY_GOTO(status, done, ig_page_facts(p, run, &table, plot, plots));
  ig_text_add(html, "</section>\n");
done:
  ig_csv_table_free(&table);
  return status;
}

/* --- a chain: its stages side by side, then each of them */

/* A stage in the overview of a chain: a small picture and up to six figures, those with units
   before others. After the first four, figures without a unit make room for those with one. */
static ig_status stage_card(ig_page *p, const ig_page_run *run, const char *name) {
  ig_text *html = &p->body;
  const ig_node *result = run->summary ? ig_node_find(run->summary, "result") : NULL;
  const ig_node *units = run->summary ? ig_node_find(run->summary, "units") : NULL;
  bool drawn;
  int shown = 0;
  ig_html_format(html,
                 "<figure class=\"stage\"><figcaption><a href=\"#run-%.60s\">%s</a>, %s: %s"
                 "</figcaption>",
                 name, name, run->physics, run->status);
  IG_TRY(ig_page_picture(p, run, 480, NULL, name, &drawn));
  ig_text_add(html, "<table>");
  for (const ig_node *f = result ? result->child : NULL; f && shown < 6; f = f->next) {
    char text[64], value[128];
    /* Counts and other figures without a unit tell little in an overview. */
    if (!f->text || (units && !*ig_page_text(units, f->key) && !f->quoted && shown > 3))
      continue;
    const char *unit = units ? ig_page_text(units, f->key) : "";
    char *end;
    const double number = ig_decimal_read(f->text, &end);
    const bool given = end != f->text && !*end && !f->quoted;
    const ig_display as = ig_display_of(f->key, unit, given ? number : 0, ig_page_celsius(p, run));
    ig_page_number(f, text);
    if (given && (as.shift != 0 || as.factor != 1))
      ig_format(text, sizeof text, "%.6g", ig_display_number(&as, number));
    snprintf(value, sizeof value, "%s %s", text, as.unit);
    ig_page_row(html, f->key, "", value);
    shown++;
  }
  ig_text_add(html, "</table></figure>\n");
  return IG_OK;
}

/* Runs `work` for each stage that has begun. Names come from a summary: those that could lead out
   of the folder are passed over. */
static ig_status stages_each(ig_page *p, const char *folder, const ig_node *stages,
                             ig_status (*work)(ig_page *, const ig_page_run *, const char *)) {
  for (const ig_node *s = stages->child; s; s = s->next) {
    ig_page_run run;
    if (!s->key || s->key[0] == '.' || strchr(s->key, '/'))
      continue; /* a stage is a folder in this one */
    IG_TRY(ig_interrupt_take(p->cx, "report"));
    char *path = ig_path_join(folder, s->key);
    ig_status status =
        path ? ig_page_run_read(p, path, &run) : IG_FAIL(p->cx, IG_MEMORY, "no memory for a path");
    if (status == IG_OK && (run.summary || run.kase))
      status = work(p, &run, s->key);
    free(path);
    IG_TRY(status);
  }
  return IG_OK;
}

/* The figures of the chain, the states of its stages, an overview, then each stage in full. */
static ig_status chain_write(ig_page *p, const char *folder, const ig_node *summary) {
  const ig_node *stages = ig_node_find(summary, "stages");
  const ig_node *figures = ig_node_find(summary, "report");
  ig_text_add(&p->body, "<div class=\"tables\"><table class=\"figures\"><tr><th>figure</th>"
                        "<th>value</th></tr>");
  for (const ig_node *f = figures ? figures->child : NULL; f; f = f->next) {
    char text[64], name[160], unit[IG_CSV_UNIT], *end = NULL;
    snprintf(name, sizeof name, "%.*s", (int)ig_csv_name(f->key, unit), f->key);
    const double number = f->text ? ig_decimal_read(f->text, &end) : NAN;
    if (f->text && !f->quoted && *unit && end != f->text && !*end) /* in a unit for reading */
      ig_page_row(&p->body, name, "", ig_figure_text(name, number, unit, text));
    else
      ig_page_row(&p->body, f->key, "", f->text ? ig_page_number(f, text) : "not reached");
  }
  ig_text_add(&p->body, "</table><table><tr><th>stage</th><th>state</th></tr>");
  for (const ig_node *s = stages->child; s; s = s->next) {
    ig_page_row(&p->body, s->key, "", ig_page_text(s, "status"));
    p->views++;
  }
  ig_text_add(&p->body, "</table></div>\n<div class=\"stages\">");
  IG_TRY(stages_each(p, folder, stages, stage_card));
  ig_text_add(&p->body, "</div>\n");
  return stages_each(p, folder, stages, run_write);
}

/* --- the page */

/* 32 colours of each palette, between which the 3D view interpolates; the first is the usual one.
 */
static void palettes_write(ig_json *json) {
  ig_json_object(json, "palettes");
  for (int k = 0; ig_palette_name(k); k++) {
    ig_json_list(json, ig_palette_name(k));
    for (int i = 0; i < 32; i++) {
      float rgb[3];
      ig_palette_color(ig_palette_name(k), (float)i / 31, rgb);
      ig_json_list(json, NULL);
      for (int c = 0; c < 3; c++)
        ig_json_int(json, NULL, lround(255 * (double)rgb[c]));
      ig_json_end(json, ']');
    }
    ig_json_end(json, ']');
  }
  ig_json_end(json, '}');
}

static bool library_at(char path[4096], const char *folder, const char *middle, const char *name) {
  const int n = snprintf(path, 4096, "%s%s%s", folder, middle, name);
  return n > 0 && n < 4096 && access(path, R_OK) == 0;
}

/* A script or licence that was found when Ingot was built: in $INGOT_WEB, in PREFIX/share of the
   running PREFIX/bin/ingot (an installed tree may have been moved), where it was installed, or
   where it was. */
static ig_status library_read(ig_ctx *cx, const char *name, const char *built, char **text) {
  char path[4096], self[2048];
  size_t size;
  const char *const environment = getenv("INGOT_WEB");
  const bool known = ig_program_above(2, self, sizeof self);
  *text = NULL;
  return (environment && library_at(path, environment, "/", name)) ||
                 (known && library_at(path, self, "/share/ingot/web/", name)) ||
                 library_at(path, IG_WEB_DIR, "/", name) || library_at(path, built, "", "")
             ? ig_file_read(cx, path, 0, text, &size)
             : IG_OK;
}

/* Libraries stand in the page itself, with their licences, so that it can be read without a
   network. One that was not found leaves a page without that feature. */
static ig_status libraries_write(ig_ctx *cx, ig_text *html, ig_text *scripts) {
  static const struct {
    const char *name, *built, *licence, *licence_built;
  } library[] = {{"three.min.js", IG_WEB_THREE, "three.copyright", IG_WEB_THREE_LICENCE},
                 {"OrbitControls.js", IG_WEB_ORBIT, NULL, NULL},
                 {"chart.min.js", IG_WEB_CHART, "chart.copyright", IG_WEB_CHART_LICENCE}};
  /* OrbitControls belongs to three.js and its licence. */
  for (size_t i = 0; i < sizeof library / sizeof *library; i++) {
    char *script, *licence = NULL;
    IG_TRY(library_read(cx, library[i].name, library[i].built, &script));
    if (script && library[i].licence)
      IG_TRY(library_read(cx, library[i].licence, library[i].licence_built, &licence));
    if (licence)
      ig_html_format(html, "<details><summary>Licence of %s</summary><pre>%s</pre></details>\n",
                     library[i].name, licence);
    if (script)
      ig_html_inline(html, "script", script, scripts);
    free(script);
    free(licence);
  }
  return IG_OK;
}

/* JSON inside a script element: "<" would end it. Escaped by code point, which JSON reads back as
   the same character. */
static void data_write(ig_text *html, const ig_text *json) {
  for (const char *c = json->at; c && *c; c++)
    if (*c == '<')
      ig_text_add(html, "\\u003c");
    else
      ig_text_add_bytes(html, c, 1);
}

/* The parts of the template that are not the result's. */
typedef struct {
  ig_text style, libraries, script;
  ig_text styles, scripts; /* what the policy admits: their hashes */
} page_parts;

/* Styles and scripts with their hashes. The page's content policy admits these alone, so text from
   a result can never run as a script. */
static ig_status parts_make(ig_ctx *cx, page_parts *k) {
  ig_text own = {0};
  ig_html_inline(&k->style, "style", ig_web_css, &k->styles);
  IG_TRY(libraries_write(cx, &k->libraries, &k->scripts));
  ig_text_add(&own, "\n\"use strict\";\n(function () {\n"); /* no names but its own */
  ig_text_add(&own, ig_web_js);
  ig_text_add(&own, "})();\n");
  ig_html_inline(&k->script, "script", own.at ? own.at : "", &k->scripts);
  k->script.failed |= own.failed;
  free(own.at);
  return IG_OK;
}

/* Copies the template; each @NAME@ is replaced by its part. Parts are not searched for names again.
   Text of the template is copied byte by byte; the data is escaped on the way, the title too. */
static void template_fill(const ig_page *p, const char *title, const page_parts *k, ig_text *html) {
  const struct {
    const char *name;
    const ig_text *text;
  } part[] = {{"@STYLES@", &k->styles},       {"@SCRIPTS@", &k->scripts}, {"@STYLE@", &k->style},
              {"@LIBRARIES@", &k->libraries}, {"@SCRIPT@", &k->script},   {"@BODY@", &p->body}};
  const int parts = sizeof part / sizeof *part;
  for (const char *c = ig_web_html; *c;) {
    int i = 0;
    while (i < parts && strncmp(c, part[i].name, strlen(part[i].name)) != 0)
      i++;
    if (i < parts) {
      ig_text_add_bytes(html, part[i].text->at, part[i].text->length);
      html->failed |= part[i].text->failed;
      c += strlen(part[i].name);
    } else if (strncmp(c, "@TITLE@", 7) == 0) {
      ig_html_text(html, title);
      c += 7;
    } else if (strncmp(c, "@DATA@", 6) == 0) {
      data_write(html, &p->data.text);
      c += 6;
    } else {
      ig_text_add_bytes(html, c++, 1);
    }
  }
}

/* The body may be incomplete for want of memory; that is found here, once, before it is stored. */
static ig_status page_write(ig_page *p, const char *title, ig_text *html) {
  page_parts k = {0};
  const ig_status status = parts_make(p->cx, &k);
  if (status == IG_OK)
    template_fill(p, title, &k, html);
  free(k.style.at);
  free(k.styles.at);
  free(k.libraries.at);
  free(k.script.at);
  free(k.scripts.at);
  IG_TRY(status);
  return p->data.text.failed || html->failed ? IG_FAIL(p->cx, IG_MEMORY, "no memory for the report")
                                             : IG_OK;
}

/* A run, a chain, or a folder of runs, distinguished by the files that the folder has. */
static ig_status body_write(ig_page *p, const char *folder, const char **title) {
  ig_page_run run;
  IG_TRY(ig_page_run_read(p, folder, &run));
  /* A chain has no title of its own in its summary but the text of `chain`. */
  const bool chain = run.summary && ig_node_find(run.summary, "stages");
  *title = *run.title ? run.title : chain ? ig_page_text(run.summary, "chain") : folder;
  bool found;
  IG_TRY(ig_page_calibration(p, folder, title, &found));
  if (found)
    return IG_OK;
  ig_html_format(&p->body, "<h1>%s</h1>\n", *title);
  if (chain)
    return chain_write(p, folder, run.summary);
  if (run.summary || run.kase)
    return run_write(p, &run, "it");
  IG_TRY(ig_page_sensitivity(p, folder));
  IG_TRY(ig_page_sweep(p, folder, &found));
  return found ? IG_OK
               : IG_FAIL(p->cx, IG_INPUT,
                         "'%s' holds no " IG_SUMMARY ": name the output folder of a run, a chain, "
                         "a sweep or a calibration",
                         folder);
}

/* options may be NULL. The page is written in one piece, to report.html in the folder unless
   another path is given. */
ig_status ig_report(ig_ctx *cx, const char *folder, const ig_report_options *options) {
  static const ig_report_options usual;
  IG_REQUIRE_ARGS(cx, cx && folder);
  ig_page p = {.cx = cx, .o = options ? options : &usual};
  ig_text html = {0};
  const char *title = folder;
  char *usual_path = NULL;
  ig_status status;
  usual_path = ig_path_join(folder, IG_REPORT);
  if (!usual_path)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  p.path = p.o->html ? p.o->html : usual_path;
  IG_TRY_GOTO(status, done, ig_arena_new(cx, &p.arena));
  /* The data is one object: the palettes, and a list with an entry for each run. */
  ig_json_object(&p.data, NULL);
  palettes_write(&p.data);
  ig_json_raw(&p.data, "celsius", p.o->celsius ? "true" : "false");
  ig_json_list(&p.data, "runs");
  IG_TRY_GOTO(status, done, body_write(&p, folder, &title));
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
