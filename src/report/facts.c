/* What was run and what came out, as tables: verdict, warnings, figures, energies, the case.
   Everything is text from a result folder of any origin, so it passes through ig_html_format or
   ig_page_cell, which escape it. */
#include "report/report.h"
#include "core/limit.h"
#include "core/number.h"
#include "io/format/case_yaml.h"
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"
#include <ingot/run.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The result lives as long as the document; map may be NULL. */
const char *ig_page_text(const ig_node *map, const char *key) {
  const ig_node *found = map ? ig_node_find(map, key) : NULL;
  return found && found->kind == IG_NODE_SCALAR && found->text ? found->text : "";
}

/* lstat does not follow a link, so a link is never a plain file. */
bool ig_page_plain(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The name is a constant of the program, never one from a result. */
char *ig_page_file(const char *folder, const char *name) {
  char *path = ig_path_join(folder, name);
  if (path && ig_page_plain(path))
    return path;
  free(path);
  return NULL;
}

/* A document of the folder, in the arena of the page; NULL if there is no such plain file. */
static ig_status document(ig_page *p, const char *folder, const char *name, ig_node **root) {
  char *path = ig_page_file(folder, name);
  *root = NULL;
  const ig_status status =
      path ? ig_yaml_open(p->cx, p->arena, path, root) : IG_OK; /* JSON is YAML */
  free(path);
  return status;
}

/* A folder without a summary is one of a run that goes on, or that ended without writing it. */
ig_status ig_page_run_read(ig_page *p, const char *folder, ig_page_run *run) {
  *run = (ig_page_run){.folder = folder};
  IG_TRY(document(p, folder, IG_SUMMARY, &run->summary));
  IG_TRY(document(p, folder, IG_CASE, &run->kase));
  const ig_node *from = run->summary ? run->summary : run->kase;
  run->physics = ig_page_text(from, "physics");
  run->title = ig_page_text(from, "title");
  run->status = run->summary ? ig_page_text(run->summary, "status") : "running";
  return IG_OK;
}

bool ig_page_celsius(const ig_page *p, const ig_page_run *run) {
  return p->o->celsius && strcmp(run->physics, "topopt") != 0;
}

/* --- tables */

/* tag and style are constants of the program; only `text` is escaped. */
void ig_page_cell(ig_text *html, const char *tag, const char *style, const char *text) {
  ig_text_add(html, "<");
  ig_text_add(html, tag);
  ig_text_add(html, style);
  ig_html_format(html, ">%s</%s>", text, tag);
}

/* A number rounded to six digits, "0.012345678901" as "0.0123457"; other text as it is, up to 63
   characters. */
const char *ig_page_number(const ig_node *value, char text[64]) {
  char *end;
  const double number = ig_decimal_read(value->text, &end);
  if (value->quoted || end == value->text || *end)
    snprintf(text, 64, "%s", value->text);
  else
    ig_format(text, 64, "%.6g", number);
  return text;
}

/* Figures with their units, scaled to a prefix that suits the size (mm, MPa). Texts are shown as
   they are; numbers are scaled only where the unit has prefixes that are usual. Temperatures carry
   their kelvins for the switch of the page. */
static void figures_table(ig_text *html, const ig_node *summary, bool absolute, bool celsius) {
  const ig_node *result = ig_node_find(summary, "result"), *units = ig_node_find(summary, "units");
  if (!result || !result->child)
    return;
  ig_text_add(html, "<table class=\"figures\"><tr><th>figure</th><th>value</th><th>unit</th></tr>");
  for (const ig_node *f = result->child; f; f = f->next) {
    char text[64];
    if (f->kind != IG_NODE_SCALAR || !f->text)
      continue;
    char *end;
    const double number = ig_decimal_read(f->text, &end);
    /* A text counts as zero here, for which the unit stays as it is. */
    const bool words = f->quoted || end == f->text || *end;
    const char *unit = units ? ig_page_text(units, f->key) : "";
    const ig_display shown = ig_display_of(f->key, unit, words ? 0 : number, celsius && !words);
    char style[96] = "";
    ig_page_number(f, text);
    if (shown.factor != 1 || shown.shift != 0)
      ig_format(text, sizeof text, "%.6g", ig_display_number(&shown, number));
    if (!f->quoted)
      snprintf(style, sizeof style, " class=\"number\"");
    if (absolute && !words && strcmp(unit, "K") == 0)
      ig_format(style, sizeof style, " class=\"number\" data-kelvin=\"%.9g\" data-shift=\"%g\"",
                number, ig_display_of(f->key, unit, 0, true).shift);
    ig_text_add(html, "<tr>");
    ig_page_cell(html, "td", "", f->key);
    ig_page_cell(html, "td", style, text);
    ig_page_cell(html, "td", "", shown.unit);
    ig_text_add(html, "</tr>\n");
  }
  ig_text_add(html, "</table>");
}

/* One row of two cells; nothing at all for an empty value. `format` follows the value, as a
   unit. */
void ig_page_row(ig_text *html, const char *label, const char *format, const char *value) {
  if (!*value)
    return;
  char text[256];
  snprintf(text, sizeof text, "%s%s", value, format);
  ig_text_add(html, "<tr>");
  ig_page_cell(html, "td", "", label);
  ig_page_cell(html, "td", "", text);
  ig_text_add(html, "</tr>\n");
}

/* The names in a list of maps, as "steel, copper"; one map is a list of one. */
static void names_of(const ig_node *list, const char *key, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  if (list && list->kind == IG_NODE_MAP)
    snprintf(text, size, "%s", ig_page_text(list, key));
  else
    for (const ig_node *m = list ? list->child : NULL; m && used < size; m = m->next)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                               ig_page_text(m, key));
}

/* What the mesh was made of: "boxes", "part.stl", or the file it was read from. */
static void mesh_of(const ig_node *kase, char *text, size_t size) {
  const ig_node *mesh = kase ? ig_node_find(kase, "mesh") : NULL;
  /* The name of the file without its folder, or the first section that describes a shape. */
  const char *file =
      *ig_page_text(mesh, "file") ? ig_page_text(mesh, "file") : ig_page_text(mesh, "stl");
  const char *slash = strrchr(file, '/');
  text[0] = '\0';
  if (*file)
    snprintf(text, size, "%s", slash ? slash + 1 : file);
  else if (mesh && mesh->kind == IG_NODE_MAP)
    for (const ig_node *n = mesh->child; n && !*text; n = n->next)
      snprintf(text, size, "%s", n->kind != IG_NODE_SCALAR ? n->key : "");
  else if (kase && ig_node_find(kase, "grid"))
    snprintf(text, size, "grid");
}

/* How the run was made: mesh, material, backend, sizes, times of phases and rates. */
static void run_table(ig_text *html, const ig_page_run *run) {
  const ig_node *summary = run->summary;
  char what[256];
  /* Keys of the summary that are shown as they stand. */
  static const char *const plain[] = {"backend",   "device",   "precision", "assembly",
                                      "elements",  "nodes",    "dofs",      "steps",
                                      "snapshots", "warnings", "stamp"};
  ig_text_add(html, "<table class=\"run\"><tr><th>run</th><th></th></tr>");
  mesh_of(run->kase, what, sizeof what);
  ig_page_row(html, "mesh", "", what);
  names_of(run->kase ? ig_node_find(run->kase, "materials") : NULL, "name", what, sizeof what);
  ig_page_row(html, "material", "", what);
  for (size_t i = 0; summary && i < sizeof plain / sizeof *plain; i++)
    ig_page_row(html, plain[i], "", ig_page_text(summary, plain[i]));
  if (!summary) {
    ig_text_add(html, "</table>");
    return;
  }
  const ig_node *seconds = ig_node_find(summary, "seconds"), *rate = ig_node_find(summary, "rate");
  for (const ig_node *s = seconds ? seconds->child : NULL; s; s = s->next) {
    char label[64], text[64];
    snprintf(label, sizeof label, "time, %.40s", s->key);
    ig_page_row(html, label, " s", s->text ? ig_page_number(s, text) : "");
  }
  for (const ig_node *r = rate ? rate->child : NULL; r; r = r->next) {
    char text[64];
    ig_page_row(html, r->key, "", r->text ? ig_page_number(r, text) : "");
  }
  ig_page_row(html, "Ingot", "", ig_page_text(summary, "ingot"));
  ig_text_add(html, "</table>");
}

/* One line: state, time, number of warnings, message; then the warnings. */
static void verdict(ig_text *html, const ig_node *summary) {
  const char *status = ig_page_text(summary, "status"), *message = ig_page_text(summary, "message");
  const int warnings = atoi(ig_page_text(summary, "warnings"));
  /* The class of the element is the status itself, by which the style colours it. */
  char seconds[64] = "";
  const ig_node *total = ig_node_find(summary, "seconds");
  total = total ? ig_node_find(total, "total") : NULL;
  ig_html_format(html, "<p class=\"verdict\"><b class=\"%.20s\">%s</b>", status, status);
  if (total && total->text) { /* three digits of a time say enough */
    char *end;
    ig_format(seconds, sizeof seconds, "%.3g", ig_decimal_read(total->text, &end));
    ig_html_format(html, ", %s s", seconds);
  }
  if (warnings > 0)
    ig_html_format(html, ", %d warning%s", warnings, warnings > 1 ? "s" : "");
  const ig_node *result = ig_node_find(summary, "result");
  const char *accepted = ig_page_text(result, "accepted");
  if (*accepted)
    ig_text_add(html, strcmp(accepted, "yes") == 0 ? ", <b class=\"pass\">accepted</b>"
                                                   : ", <b class=\"fail\">not accepted</b>");
  ig_html_format(html, "%s%s</p>\n", *message ? ": " : "", message);
  const ig_node *warned = ig_node_find(summary, "warned");
  if (!warned || !warned->child)
    return;
  ig_text_add(html, "<ul class=\"warned\">");
  for (const ig_node *w = warned->child; w; w = w->next)
    if (w->text)
      ig_page_cell(html, "li", "", w->text);
  ig_text_add(html, "</ul>\n");
}

/* Limits of the case's `accept`, each with its figure and whether it is kept. */
static void accept_table(ig_text *html, const ig_page_run *run) {
  const ig_node *list = run->kase ? ig_node_find(run->kase, "accept") : NULL;
  const ig_node *result = run->summary ? ig_node_find(run->summary, "result") : NULL;
  const ig_node *units = run->summary ? ig_node_find(run->summary, "units") : NULL;
  if (!list || !list->child || !result)
    return;
  ig_text_add(html, "<table class=\"accept\"><tr><th>limit of</th><th>value</th><th>min</th>"
                    "<th>max</th><th></th></tr>");
  /* One map stands for a list of one. */
  for (const ig_node *a = list->kind == IG_NODE_MAP ? list : list->child; a;
       a = list->kind == IG_NODE_MAP ? NULL : a->next) {
    const char *figure = ig_page_text(a, "figure"), *min = ig_page_text(a, "min");
    const char *max = ig_page_text(a, "max"), *unit = units ? ig_page_text(units, figure) : "";
    const ig_node *f = ig_node_find(result, figure);
    char why[256], text[64], value[160] = "not given";
    char *end = NULL;
    const double number = f && f->text && !f->quoted ? ig_decimal_read(f->text, &end) : NAN;
    const bool kept =
        end && end != f->text &&
        !ig_limit_broken(*min ? min : NULL, *max ? max : NULL, number, unit, why, sizeof why);
    if (f && f->text && isfinite(number))
      snprintf(value, sizeof value, "%s", ig_figure_text(figure, number, unit, text));
    else if (f && f->text)
      snprintf(value, sizeof value, "%s", ig_page_number(f, text));
    ig_text_add(html, "<tr>");
    ig_page_cell(html, "td", "", figure);
    ig_page_cell(html, "td", " class=\"number\"", value);
    ig_page_cell(html, "td", " class=\"number\"", min);
    ig_page_cell(html, "td", " class=\"number\"", max);
    ig_page_cell(html, "td", kept ? " class=\"pass\"" : " class=\"fail\"", kept ? "pass" : "fail");
    ig_text_add(html, "</tr>\n");
  }
  ig_text_add(html, "</table>");
}

/* The last row of the plot of energies, J, and how far the balance is from closing. */
static void energy_table(ig_text *html, const ig_page_run *run, const ig_csv_table *t,
                         const ig_plot *plot, int plots) {
  const ig_node *result = run->summary ? ig_node_find(run->summary, "result") : NULL;
  /* Names of the balance's gap in the rooms: in J, and as a share. */
  static const char *const gap[] = {"energy_gap", "energy_error"};
  int k = 0;
  while (k < plots && strcmp(plot[k].title, "Energy") != 0)
    k++;
  if (k == plots || t->rows == 0)
    return;
  ig_text_add(html, "<table class=\"energy\"><tr><th>energy at the end</th><th></th></tr>");
  for (int c = 0; c < plot[k].curves; c++) {
    char text[64];
    ig_format(text, sizeof text, "%.6g", t->value[(t->rows - 1) * t->columns + plot[k].column[c]]);
    ig_page_row(html, t->name[plot[k].column[c]], "", text);
  }
  for (size_t i = 0; i < sizeof gap / sizeof *gap; i++) {
    char text[64];
    const ig_node *g = result ? ig_node_find(result, gap[i]) : NULL;
    if (g && g->text)
      ig_page_row(html, i == 0 ? "balance is off by [J]" : "balance is off by (relative)", "",
                  ig_page_number(g, text));
  }
  ig_text_add(html, "</table>");
}

/* The case as it was run, defaults as comments, folded away until it is opened. Nothing for a
   folder without case.yaml; a file that cannot be read is a failure. */
static ig_status case_write(ig_page *p, const ig_page_run *run) {
  char *path = ig_page_file(run->folder, IG_CASE), *text = NULL;
  size_t size;
  const ig_status status = path ? ig_file_read(p->cx, path, 0, &text, &size) : IG_OK;
  if (status == IG_OK && text)
    ig_html_format(&p->body,
                   "<details class=\"case\"><summary>The case, with defaults</summary><pre>%s"
                   "</pre></details>\n",
                   text);
  free(text);
  free(path);
  return status;
}

/* summary.json is written at the very end, so its absence means running or killed. */
void ig_page_verdict(ig_text *html, const ig_page_run *run) {
  if (run->summary)
    verdict(html, run->summary);
  accept_table(html, run);
  if (!run->summary)
    ig_text_add(html, "<p class=\"verdict\"><b class=\"running\">running</b>, or ended without a "
                      "summary</p>\n");
}

/* The tables and the case, in this order; t may be empty, and plots 0. */
ig_status ig_page_facts(ig_page *p, const ig_page_run *run, const ig_csv_table *t,
                        const ig_plot *plot, int plots) {
  ig_text *html = &p->body;
  ig_text_add(html, "<details open><summary>Figures and run</summary><div class=\"tables\">");
  if (run->summary)
    figures_table(html, run->summary, strcmp(run->physics, "topopt") != 0, ig_page_celsius(p, run));
  energy_table(html, run, t, plot, plots);
  run_table(html, run);
  ig_text_add(html, "</div></details>\n");
  return case_write(p, run);
}
