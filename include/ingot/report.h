/* A result folder as one page that opens in any browser. */
#ifndef INGOT_REPORT_H
#define INGOT_REPORT_H

#include <ingot/context.h>

IG_C_BEGIN

/* Zero-initialise, then set what matters: 0 and NULL mean "the usual". */
typedef struct {
  const char *html;  /* file to write; NULL: report.html in the folder */
  int frames;        /* snapshots in the 3D view of a run, at most; 0: 24 */
  int64_t triangles; /* of a surface in the 3D view, at most; 0: 300000. A larger one is drawn with
                        fewer triangles. With both 0 a large view is reduced further, so that a page
                        stays below 3 MB. */
  bool celsius; /* temperatures in degrees Celsius; the page can switch its 3D view and plots */
} ig_report_options;

/* Writes one self-contained HTML file about a result folder, a run's or a chain's: what was run,
   its figures, its history as plots, its snapshots in 3D. The file needs no network. */
IG_API IG_MUST_CHECK ig_status ig_report(ig_ctx *cx, const char *folder,
                                         const ig_report_options *options);

IG_C_END
#endif
