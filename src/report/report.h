/* The report page, in parts: plots, figures, surfaces. Private to src/report. */
#ifndef IG_REPORT_REPORT_H
#define IG_REPORT_REPORT_H

#include "core/display.h"
#include "core/option.h"
#include "io/format/csv.h"
#include "io/format/json.h"
#include "io/picture/picture.h"
#include <ingot/report.h>

/* The page in the making. Body and data are freed by ig_report; texts of documents live in the
   arena. */
typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  const ig_report_options *o;
  const char *path; /* of the page */
  ig_text body;
  ig_json data;
  int views; /* 3D views that may follow, which share the size of the page; 0 counts as 1 */
} ig_page;

/* What a folder says of its run. */
typedef struct {
  const char *folder, *physics, *title, *status; /* never NULL */
  ig_node *summary, *kase;                       /* summary.json, case.yaml; NULL: not there */
} ig_page_run;

/* --- plot.c: which columns are drawn together, and the drawing for readers without scripts */
/* Colours and legend are made for eight curves. */
enum { IG_PLOT_CURVES = 8, IG_PLOTS = 8 };
typedef struct {
  const char *title;
  int curves, column[IG_PLOT_CURVES];
} ig_plot;
/* The plots people look for first, by the kind of analysis; how many. */
int ig_plots_choose(const char *physics, const ig_csv_table *t, ig_plot chosen[IG_PLOTS]);
/* The column that the others are drawn over: time, iteration or step. */
int ig_plot_over(const ig_csv_table *table);
/* How the values of these columns are shown: one unit for all of them; "" where theirs differ. */
ig_display ig_plot_shown(const ig_csv_table *t, const int *column, int count);
/* Appends the drawing to the page; `over` is the column of the horizontal axis. */
void ig_plot_svg(ig_text *html, const ig_csv_table *table, int over, const ig_plot *plot,
                 bool celsius);

/* --- facts.c: what was run and what came out */
/* Results are plain files. A link, a pipe or a device counts as not there: a folder of foreign
   origin must not bring other files of the reader into the page. */
bool ig_page_plain(const char *path);
/* The path of a plain file in a folder, NULL if there is none; free it. */
char *ig_page_file(const char *folder, const char *name);
/* Reads summary.json and case.yaml of a folder; either may be missing, a damaged one is a
   failure. */
IG_MUST_CHECK ig_status ig_page_run_read(ig_page *p, const char *folder, ig_page_run *run);
const char *ig_page_text(const ig_node *map, const char *key); /* "" if it is not there */
/* A number of a document, shortened; other text as it is. */
const char *ig_page_number(const ig_node *value, char text[64]);
/* A cell of a table, an item of a list; and a row of two cells, left out for an empty value. */
void ig_page_cell(ig_text *html, const char *tag, const char *style, const char *text);
void ig_page_row(ig_text *html, const char *label, const char *format, const char *value);
/* Whether temperatures of a run are shown in degrees Celsius: asked for, and absolute ones (those
   of a design are above the prescribed ones). */
bool ig_page_celsius(const ig_page *p, const ig_page_run *run);
/* One line on how the run ended; then all tables. */
void ig_page_verdict(ig_text *html, const ig_page_run *run);
IG_MUST_CHECK ig_status ig_page_facts(ig_page *p, const ig_page_run *run, const ig_csv_table *t,
                                      const ig_plot *plot, int plots);

/* Colors that several pictures share: the range of a field, "": none yet. */
typedef struct {
  bool shared;
  char field[160];
  double range[2];
} ig_page_colors;

/* --- picture.c: the last snapshot that can be read, as `ingot view` draws it; where it is not the
   last of the run, a line says so; colors: NULL: its own */
IG_MUST_CHECK ig_status ig_page_picture(ig_page *p, const ig_page_run *run, int width,
                                        const ig_page_colors *colors, const char *alt, bool *drawn);
/* Takes the field that the last snapshot of a run shows, and its range, into the colors of runs
   before it; where it has another field they are shared no more. Start with {.shared = true}. */
IG_MUST_CHECK ig_status ig_page_colors_take(ig_page *p, const ig_page_run *run,
                                            ig_page_colors *colors);

/* --- sweep.c: a folder of runs, as tables and maps; *found: whether it is one */
IG_MUST_CHECK ig_status ig_page_sweep(ig_page *p, const char *folder, bool *found);

/* --- sensitivity.c: Sobol indices of a folder of runs, where they have been computed */
IG_MUST_CHECK ig_status ig_page_sensitivity(ig_page *p, const char *folder);

/* --- calibration.c: the result of a calibration, with its heading; *found: whether there is one.
 *title is replaced by the calibration's own. */
IG_MUST_CHECK ig_status ig_page_calibration(ig_page *p, const char *folder, const char **title,
                                            bool *found);

/* --- surface.c: the outer surfaces of snapshots, packed for the 3D view */
enum { IG_REPORT_NOTE = 320 };
/* Writes the object "view" of a run's data; nothing if there are no snapshots. *note says what was
   left out, "" if nothing was. */
IG_MUST_CHECK ig_status ig_report_view(ig_page *p, const ig_page_run *run,
                                       char note[IG_REPORT_NOTE]);

/* --- reduce.c */
/* Leaves about `most` triangles of a surface at most, whose corners are nodes of it. */
IG_MUST_CHECK ig_status ig_surface_reduce(ig_ctx *cx, const ig_snapshot *snap, ig_surface *surface,
                                          int64_t most);

/* --- text.c: the only places where words of a result become HTML. Result folders come from
   anywhere: no text of theirs is added to a page but through these. */
void ig_html_text(ig_text *html, const char *text); /* with & < > " ' escaped */
/* The format is HTML; every %s is escaped. It knows %s, %.Ns, %d, %.Nf and %.Ng. */
void ig_html_format(ig_text *html, const char *format, ...) IG_PRINTF(2, 3);
/* Base64 of bytes. */
void ig_text_base64(ig_text *text, const void *bytes, size_t size);
/* A picture in the page itself. */
void ig_html_picture(ig_text *html, const char *png, size_t size, const char *alt);
/* A script or style of our own, and its hash, by which the page's content policy admits it. */
void ig_html_inline(ig_text *html, const char *tag, const char *text, ig_text *policy);

/* --- made by CMake from the folder web/ */
/* Texts with a zero at the end: the template, the style, the script. */
extern const char ig_web_html[], ig_web_css[], ig_web_js[];

#endif
