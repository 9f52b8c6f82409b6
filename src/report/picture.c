/* The last snapshot of a run, drawn for its page. */
#include "report/report.h"
#include "chain/chain.h"
#include "io/picture.h"
#include "io/result_folder.h"
#include <ingot/view.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

ig_status ig_page_picture(ig_page *p, const ig_page_run *run, int width, const char *alt,
                          bool *drawn) {
  ig_series series;
  char png[4096];
  *drawn = false;
  if (ig_series_read(p->cx, run->folder, &series) != IG_OK)
    return IG_OK; /* a run without snapshots has no picture */
  const bool design = strcmp(run->physics, "topopt") == 0;
  const ig_view_options view = {.width = width,
                                .height = width * 5 / 8,
                                .threshold = design ? "density" : NULL,
                                .threshold_range = {0.5, 2}};
  snprintf(png, sizeof png, "%s.png", p->path);
  ig_status status = ig_view(p->cx, series.path[series.count - 1], &view, png);
  if (status == IG_OK) {
    status = ig_html_picture(p->cx, png, alt, &p->body);
    *drawn = true;
    unlink(png);
  } else if (status == IG_INPUT) {
    status = IG_OK; /* nothing of it can be drawn: a design without dense elements */
  }
  ig_series_free(&series);
  return status;
}
