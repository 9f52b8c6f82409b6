/* Arrays of a model: made from doubles in the precision of the run, read on the host; elements
   by their number in the mesh, which counts through its blocks. */
#include "dynamics/model/model.h"
#include "backend/backend.h"
#include "core/threads.h"

/* `from` has `count` doubles or is NULL. The array has both sides; numbers are rounded to float
   where size is 4. */
ig_status ig_dyn_upload(ig_dyn_model *m, ig_array *a, size_t size, const double *from, size_t count,
                        const char *what) {
  IG_TRY(ig_array_new(m->cx, a, count, size, what));
  if (!from) /* as the host's side is made; zeros need not travel */
    return m->cx->backend->separate ? ig_array_zero(m->cx, a) : IG_OK;
#pragma omp parallel for schedule(static) num_threads(ig_team(m->cx, (int64_t)count, IG_WORK_VALUE))
  for (size_t i = 0; i < count; i++)
    if (size == sizeof(double))
      ((double *)a->host)[i] = from[i];
    else
      ((float *)a->host)[i] = (float)from[i];
  return ig_array_push(m->cx, a);
}

double ig_dyn_get(const ig_dyn_model *m, const ig_array *a, int64_t i) {
  (void)m;
  return a->size == sizeof(double) ? ((const double *)a->host)[i] : ((const float *)a->host)[i];
}

/* The block of mesh element e, and its number there; NULL beyond the last. */
const ig_block *ig_dyn_block_of(const ig_mesh *mesh, ig_lid e, ig_lid *local) {
  for (int b = 0; b < mesh->blocks; b++) {
    if (e < mesh->block[b].count) {
      *local = e;
      return &mesh->block[b];
    }
    e -= mesh->block[b].count;
  }
  return NULL;
}
