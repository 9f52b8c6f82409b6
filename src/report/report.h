/* The report page, in parts: tables of history.csv, plots, surfaces. Private to src/report. */
#ifndef IG_REPORT_REPORT_H
#define IG_REPORT_REPORT_H

#include "core/option.h"
#include "io/json.h"
#include <ingot/report.h>

/* The page in the making. */
typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  const ig_report_options *o;
  const char *path; /* of the page */
  ig_text body;
  ig_json data;
} ig_page;

/* What a folder says of its run. */
typedef struct {
  const char *folder, *physics, *title, *status; /* never NULL */
  ig_node *summary, *kase;                       /* summary.json, case.yaml; NULL: not there */
} ig_page_run;

/* --- table.c: history.csv, whole */
typedef struct {
  int columns;
  int64_t rows;
  char **name;   /* columns: with the unit, "T_max [K]" */
  double *value; /* rows x columns; what is no number is NaN */
} ig_log_table;
/* An empty table if there is no such file. Free it after a failure too. */
IG_MUST_CHECK ig_status ig_log_table_read(ig_ctx *cx, const char *folder, ig_log_table *table);
void ig_log_table_free(ig_log_table *table);
/* The unit of a column, "" for a bare one; it lives as long as `text`. */
const char *ig_column_unit(const char *name, char text[32]);

/* --- plot.c: which columns are drawn together, and the drawing for readers without scripts */
enum { IG_PLOT_CURVES = 8, IG_PLOTS = 8 };
typedef struct {
  const char *title;
  int curves, column[IG_PLOT_CURVES];
} ig_plot;
/* The plots people look for first, by the kind of analysis; how many. */
int ig_plots_choose(const char *physics, const ig_log_table *t, ig_plot chosen[IG_PLOTS]);
/* The column that the others are drawn over: time, iteration or step. */
int ig_plot_over(const ig_log_table *table);
void ig_plot_svg(ig_text *html, const ig_log_table *table, int over, const ig_plot *plot);

/* --- facts.c: what was run and what came out */
IG_MUST_CHECK ig_status ig_page_run_read(ig_page *p, const char *folder, ig_page_run *run);
const char *ig_page_text(const ig_node *map, const char *key); /* "" if it is not there */
/* A number of a document, shortened; other text as it is. */
const char *ig_page_number(const ig_node *value, char text[64]);
void ig_page_cell(ig_text *html, const char *tag, const char *style, const char *text);
void ig_page_row(ig_text *html, const char *label, const char *format, const char *value);
void ig_page_verdict(ig_text *html, const ig_page_run *run);
IG_MUST_CHECK ig_status ig_page_facts(ig_page *p, const ig_page_run *run, const ig_log_table *t,
                                      const ig_plot *plot, int plots);

/* --- picture.c: the last snapshot as `ingot view` draws it, by way of a file beside the page */
IG_MUST_CHECK ig_status ig_page_picture(ig_page *p, const ig_page_run *run, int width,
                                        const char *alt, bool *drawn);

/* --- sweep.c: a folder of runs, as tables and maps; *found: whether it is one */
IG_MUST_CHECK ig_status ig_page_sweep(ig_page *p, const char *folder, bool *found);

/* --- surface.c: the outer surfaces of snapshots, packed for the 3D view */
/* Writes the object "view" of a run's data; nothing if there are no snapshots. *note says what was
   left out, "" if nothing was. */
IG_MUST_CHECK ig_status ig_report_view(ig_ctx *cx, const char *folder, const char *physics,
                                       const ig_report_options *options, ig_json *json,
                                       char note[160]);

/* --- text.c */
void ig_html_text(ig_text *html, const char *text); /* with & < > " escaped */
void ig_text_format(ig_text *text, const char *format, ...) IG_PRINTF(2, 3);
/* Base64 of bytes. */
void ig_text_base64(ig_text *text, const void *bytes, size_t size);
/* A file as base64, "data:…" for an image; *there is false if it cannot be read. */
IG_MUST_CHECK ig_status ig_html_picture(ig_ctx *cx, const char *png, const char *alt,
                                        ig_text *html);

/* --- made by CMake from the folder web/ */
extern const char ig_web_html[], ig_web_css[], ig_web_js[];

#endif
