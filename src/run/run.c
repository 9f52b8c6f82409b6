/* Entry points for whole runs: ig_run, and ig_folder_inspect, which tells what a folder has of a
   case. A run is a simulation (sim.c) that is stepped to its end. */
#include "run/files.h"
#include "core/require.h"
#include "ranks/ranks.h"
#include "run/rooms.h"
#include "run/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ingot/result.h>

/* output.one_file: all snapshots in run.vtkhdf, beside the single files. */
static ig_status join(ig_ctx *cx, const char *out) {
  char *path;
  const size_t size = strlen(out) + sizeof "/run.vtkhdf";
  IG_TRY(IG_NEW(cx, &path, size, "a name"));
  snprintf(path, size, "%s/run.vtkhdf", out);
  const ig_status status = ig_result_join(cx, out, path);
  free(path);
  return status;
}

/* Statistics are filled also after a failure, as far as the run came. */
ig_status ig_run_for(ig_case *c, const ig_run_options *options, const ig_room *const *rooms) {
  static const ig_run_options defaults;
  const ig_run_options *o = options ? options : &defaults;
  ig_sim *sim;
  ig_status status = ig_sim_open_for(c, o, rooms, &sim);
  if (status == IG_OK && !ig_sim_up_to_date(sim)) {
    status = ig_sim_step(sim, INT64_MAX, NULL);
    status = ig_sim_conclude(sim, status);
  }
  if (status == IG_OK && o->out && c->common.output.one_file)
    status = ig_ranks_agree(c->cx, ig_ranks_first(c->cx) ? join(c->cx, o->out) : IG_OK);
  if (o->stats)
    ig_sim_stats(sim, o->stats);
  ig_sim_close(sim);
  return status;
}

ig_status ig_run(ig_case *c, const ig_run_options *options) {
  IG_TRY(ig_case_usable(c));
  const ig_status status = ig_run_for(c, options, ig_rooms_of(c->cx));
  c->cx->interrupted = 0; /* a request ends one run: one that came too late ends none */
  return status;
}

/* Reads the case and makes the mesh, because the hashes need them; computes no step. A folder that
   cannot be read counts as another's result, because a run may replace it. */
ig_status ig_folder_inspect(ig_case *c, const char *out, ig_folder_state *result) {
  ig_job job;
  ig_files_found look = {.result = IG_RESULT_NONE};
  IG_TRY(ig_case_usable(c));
  IG_REQUIRE_ARGS(c->cx, out && result);
  *result = IG_RESULT_NONE;
  ig_status status = ig_job_open(c, ig_rooms_of(c->cx), &job);
  if (status == IG_OK) {
    status = ig_files_look(c, &job, out, &look);
    if (status != IG_OK && status != IG_UNSUPPORTED) { /* a run can replace what cannot be read */
      look.result = IG_RESULT_OTHER;
      status = IG_OK;
    }
    *result = look.result;
  }
  ig_restart_free(look.restart);
  ig_job_close(&job);
  return status;
}
