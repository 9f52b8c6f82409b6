/* Sweeps: many runs of one case with different values, or of several cases; the list of them and
   the table of their results. The program decides how runs are started: `ingot sweep` starts a
   process or a thread per run. In builds with input and output. */
#ifndef INGOT_SWEEP_H
#define INGOT_SWEEP_H

#include <ingot/result.h>

IG_C_BEGIN

typedef struct ig_sweep ig_sweep;

/* Reads a sweep file (docs/how-to/sweep.md), or a case file. `vary`: count texts "KEY=V1, V2, V3";
   all combinations of their values and of those in the file are run. `set`: texts "KEY=VALUE" for
   every run. Every run's keys and values are validated here, before the first run. */
typedef struct {
  const char *const *vary, *const *set;
  int varied, sets;
} ig_sweep_options;
IG_API IG_MUST_CHECK ig_status ig_sweep_open(ig_ctx *cx, const char *path,
                                             const ig_sweep_options *options, ig_sweep **sweep);
IG_API void ig_sweep_close(ig_sweep *sweep);

/* One run: its name, which is the name of its folder; its case file; what is set, "KEY=VALUE". The
   texts live as long as the sweep. */
typedef struct {
  const char *name, *path;
  int sets;
  const char *const *set;
} ig_sweep_run;
IG_API int ig_sweep_count(const ig_sweep *sweep);
IG_API IG_MUST_CHECK ig_status ig_sweep_at(const ig_sweep *sweep, int i, ig_sweep_run *run);

/* Writes `out`/results.csv: one row per run with its status, the values varied and the figures of
   the summary.json in `out`/NAME. Passes the same cells to `row`, headings first (NULL: not
   wanted).
 */
IG_API IG_MUST_CHECK ig_status ig_sweep_results(const ig_sweep *sweep, const char *out,
                                                ig_row_fn *row, void *user);

IG_C_END
#endif
