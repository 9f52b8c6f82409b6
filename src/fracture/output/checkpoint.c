/* Taken between steps, or when a step has begun: its check and its forces are then not done again.
   Raw bytes of the tables up to what is in use, as the whole has them.

   Arrays with the flag SAVED are written by the register, those of several ranks gathered to the
   order of the whole, so that a run may go on with another number of ranks. Derived arrays
   (masses of elements, stresses, clusters) are computed again. */
#include "fracture/run.h"
#include "fracture/engine/tables.h"

#include <string.h>

/* Collective: the first rank writes. Besides arrays: counts, whether a step has begun, and the
   track (tips, energies), as bytes. */
ig_status ig_frac_save(ig_frac_model *m, const ig_frac_track *track, ig_sink *to) {
  ig_frac_count count = *ig_frac_counts(m);
  uint8_t begun = m->begun;
  ig_frac_track copy = *track;
  const ig_saved saved[] = {{"count", IG_U8, sizeof count, &count},
                            {"begun", IG_U8, 1, &begun},
                            {"track", IG_U8, sizeof copy, &copy}};
  return ig_arrays_save(&m->arrays, (double)count.step * m->s.dt, count.step, saved, 3, to);
}

/* Counts are checked against the mesh before any array is read. */
ig_status ig_frac_restore(ig_job *job, ig_frac_model *m, ig_frac_track *track,
                          const ig_restart *from) {
  const void *data;
  IG_TRY(ig_restart_find(job->cx, from, "track", IG_U8, sizeof *track, &data));
  memcpy(track, data, sizeof *track);
  IG_TRY(ig_restart_find(job->cx, from, "count", IG_U8, sizeof(ig_frac_count), &data));
  ig_frac_count count;
  memcpy(&count, data, sizeof count);
  count.broken = 0;
  const int64_t most = ig_frac_all(m, IG_FRAC_PER_ELEMENT) * m->shape.nodes;
  if (count.nodes < 1 || count.nodes > most || count.cohesive < 0 || count.cohesive > m->facets ||
      count.step < 0)
    return IG_FAIL(job->cx, IG_INPUT, "the checkpoint does not belong to this mesh");
  IG_TRY(ig_frac_part_restore(m, &count, from));
  IG_TRY(ig_restart_find(job->cx, from, "begun", IG_U8, 1, &data));
  IG_TRY(ig_frac_patches_follow(m));
  return ig_frac_model_resume_forces(m, *(const uint8_t *)data);
}
