/* Taken between steps, or when a step has begun: its check and its forces are then not done again.
   Raw bytes of the tables up to what is in use. */
#include "fracture/part.h"
#include "fracture/run.h"

#include <string.h>

ig_status ig_frac_save(ig_frac_model *m, const ig_frac_track *track, ig_sink *to) {
  ig_saved saved[IG_FRAC_SAVED];
  uint8_t begun = m->begun;
  int n = 0;
  ig_frac_track copy = *track;
  saved[n++] = (ig_saved){"count", IG_U8, sizeof m->count, &m->count};
  saved[n++] = (ig_saved){"begun", IG_U8, 1, &begun};
  saved[n++] = (ig_saved){"track", IG_U8, sizeof copy, &copy};
  if (m->divided)
    return ig_frac_part_save(m, saved, n, to);
  return ig_arrays_save(&m->arrays, (double)m->count.step * m->s.dt, m->count.step, saved, n, to);
}

ig_status ig_frac_restore(ig_job *job, ig_frac_model *m, ig_frac_track *track,
                          const ig_restart *from) {
  const void *data;
  IG_TRY(ig_restart_find(job->cx, from, "track", IG_U8, sizeof *track, &data));
  memcpy(track, data, sizeof *track);
  IG_TRY(ig_restart_find(job->cx, from, "count", IG_U8, sizeof(ig_frac_count), &data));
  ig_frac_count count;
  memcpy(&count, data, sizeof count);
  const int64_t most = (int64_t)m->s.ne * m->shape.nodes;
  if (count.nodes < 1 || count.nodes > most || count.cohesive < 0 || count.cohesive > m->facets ||
      count.step < 0)
    return IG_FAIL(job->cx, IG_INPUT, "the checkpoint does not belong to this mesh");
  if (!m->divided)
    IG_TRY(ig_frac_model_resume(m, &count));
  m->count = count;
  m->count.broken = 0;
  if (!m->divided)
    IG_TRY(ig_arrays_restore(&m->arrays, from));
  IG_TRY(ig_frac_part_restore(m, from));
  IG_TRY(ig_restart_find(job->cx, from, "begun", IG_U8, 1, &data));
  IG_TRY(ig_frac_patches_follow(m));
  return ig_frac_model_resume_forces(m, *(const uint8_t *)data);
}
