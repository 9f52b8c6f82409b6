/* The last snapshot of a run, drawn for its page. A design that has been turned into a surface,
   part.stl, is drawn from that instead. */
#include "report/report.h"
#include "chain/chain.h"
#include "io/format/atomic_file.h"
#include "io/picture/picture.h"
#include "io/result/result_folder.h"
#include "io/result/vtkhdf.h"
#include "core/ticks.h"
#include <ingot/view.h>

#include <math.h>
#include <stdio.h>
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

/* Of a design what is denser than 0.5 is the part. */
static ig_view_options view_of(const ig_page *p, const ig_page_run *run, int width) {
  return (ig_view_options){.width = width,
                           .height = width * 5 / 8,
                           .threshold = strcmp(run->physics, "topopt") == 0 ? "density" : NULL,
                           .threshold_range = {0.5, 2},
                           .loads = true,
                           .celsius = p->o->celsius};
}

/* A run without a snapshot that can be read has no colors. */
ig_status ig_page_colors_take(ig_page *p, const ig_page_run *run, ig_page_colors *colors) {
  ig_series series;
  char field[160];
  double range[2];
  if (!colors->shared || ig_series_read(p->cx, run->folder, &series) != IG_OK)
    return IG_OK;
  const ig_view_options view = view_of(p, run, 64);
  const char *last = series.count ? series.path[series.count - 1] : NULL;
  const ig_status status =
      last && ig_page_plain(last) ? ig_view_usual(p->cx, last, &view, field, range) : IG_INPUT;
  ig_series_free(&series);
  if (status != IG_OK)
    return status == IG_MEMORY || status == IG_INTERRUPTED ? status : IG_OK;
  if (!colors->field[0]) {
    snprintf(colors->field, sizeof colors->field, "%s", field);
    memcpy(colors->range, range, sizeof range);
  }
  colors->shared = *field && strcmp(colors->field, field) == 0;
  colors->range[0] = fmin(colors->range[0], range[0]);
  colors->range[1] = fmax(colors->range[1], range[1]);
  return IG_OK;
}

/* Tries snapshots from the last backwards, as the last may have been cut off by a crash. Only want
   of memory and interruption are failures: a page without a picture is still of use. */
ig_status ig_page_picture(ig_page *p, const ig_page_run *run, int width,
                          const ig_page_colors *colors, const char *alt, bool *drawn) {
  ig_series series;
  char *png = NULL;
  size_t size = 0;
  *drawn = false;
  if (ig_series_read(p->cx, run->folder, &series) != IG_OK)
    return IG_OK; /* a run without snapshots has no picture */
  const bool design = strcmp(run->physics, "topopt") == 0;
  ig_view_options view = view_of(p, run, width);
  if (colors && colors->shared && ig_range_spans(colors->range[0], colors->range[1])) {
    view.fixed_range = true;
    memcpy(view.range, colors->range, sizeof view.range);
  }
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
