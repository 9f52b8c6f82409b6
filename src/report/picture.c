/* The last snapshot of a run, drawn for its page. A design that has been turned into a surface,
   part.stl, is drawn from that instead. */
#include "report/report.h"
#include "chain/chain.h"
#include "io/format/atomic_file.h"
#include "io/picture/picture.h"
#include "io/result/result_folder.h"
#include "io/result/vtkhdf.h"
#include <ingot/view.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether a snapshot is a file that can be read. Reads it whole: a file that was cut off is found
   only at the end. */
static bool snapshot_sound(ig_ctx *cx, const char *path) {
  ig_snapshot *snap = NULL;
  const ig_status status = ig_snapshot_read(cx, path, &snap);
  ig_snapshot_free(snap);
  return status == IG_OK;
}

/* Tries snapshots from the last backwards, as the last may have been cut off by a crash. Only want
   of memory and interruption are failures: a page without a picture is still of use. */
ig_status ig_page_picture(ig_page *p, const ig_page_run *run, int width, const char *alt,
                          bool *drawn) {
  ig_series series;
  char *png = NULL;
  size_t size = 0;
  *drawn = false;
  if (ig_series_read(p->cx, run->folder, &series) != IG_OK)
    return IG_OK; /* a run without snapshots has no picture */
  /* Of a design what is denser than 0.5 is the part. */
  const bool design = strcmp(run->physics, "topopt") == 0;
  const ig_view_options view = {.width = width,
                                .height = width * 5 / 8,
                                .threshold = design ? "density" : NULL,
                                .threshold_range = {0.5, 2},
                                .loads = true,
                                .celsius = p->o->celsius};
  /* The smoothed surface shows a design better than its elements do. If it cannot be drawn, the
     snapshot is. */
  char *part = design ? ig_page_file(run->folder, "part.stl") : NULL;
  if (part && ig_page_plain(part) && access(part, R_OK) == 0) {
    const ig_view_options surface = {.width = width, .height = width * 5 / 8};
    if (ig_view_png(p->cx, part, &surface, &png, &size) == IG_OK) {
      ig_html_picture(&p->body, png, size, alt);
      *drawn = true;
    }
    free(png);
    png = NULL;
  }
  free(part);
  if (*drawn) {
    ig_series_free(&series);
    return IG_OK;
  }
  const char *end = ig_base_name(series.path[series.count - 1]);
  int last = series.count; /* the one that is drawn, -1: none can be read */
  bool sound = false;
  ig_status status = IG_OK;
  while (!sound && --last >= 0 && status == IG_OK) {
    /* A link in place of a snapshot is treated as one that cannot be read. */
    const bool plain = ig_page_plain(series.path[last]);
    status = plain ? ig_view_png(p->cx, series.path[last], &view, &png, &size) : IG_INPUT;
    sound = status == IG_OK;
    if (status != IG_OK && status != IG_MEMORY && status != IG_INTERRUPTED) {
      /* or nothing of it can be drawn: a design without dense elements */
      sound = plain && snapshot_sound(p->cx, series.path[last]);
      status = IG_OK;
    }
  }
  if (png) {
    ig_html_picture(&p->body, png, size, alt);
    *drawn = true;
  }
  /* A page that shows an earlier snapshot than the last says so, in the page and as a warning. */
  if (status == IG_OK && last < 0) {
    ig_warn(p->cx, "%s: no snapshot can be read", run->folder);
    ig_text_add(&p->body, "<p class=\"note\">No snapshot can be read.</p>");
  } else if (status == IG_OK && last < series.count - 1) {
    const char *now = ig_base_name(series.path[last]);
    ig_warn(p->cx, "%s: the last snapshot, %s, cannot be read: the page shows %s", run->folder, end,
            now);
    ig_html_format(&p->body,
                   "<p class=\"note\">The last snapshot, %s, cannot be read. The picture is of %s."
                   "</p>",
                   end, now);
  }
  free(png);
  ig_series_free(&series);
  return status;
}
