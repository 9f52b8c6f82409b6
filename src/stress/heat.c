/* Temperatures of a thermal run: its snapshots, one after the other, on the same mesh. */
#include "stress/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_IO
#include "io/result_folder.h"
#include "io/store.h"
#include "io/vtkhdf.h"
#include <unistd.h>

/* The snapshot number i of the phase's folder; NULL: there is none. */
static ig_status snapshot_path(ig_ctx *cx, const char *folder, int64_t i, char **path) {
  char name[IG_FILE_NAME];
  ig_snapshot_name(i, name);
  *path = ig_path_join(folder, name);
  if (!*path)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  if (access(*path, R_OK) != 0) {
    free(*path);
    *path = NULL;
  }
  return IG_OK;
}

static ig_status snapshot_open(ig_stress_run *r, const ig_stress_phase *p, int64_t i,
                               ig_snapshot **snap) {
  char *path;
  *snap = NULL;
  IG_TRY(snapshot_path(r->m->cx, p->file, i, &path));
  if (!path)
    return IG_OK;
  ig_status status = ig_snapshot_read(r->m->cx, path, snap);
  if (status == IG_OK && (*snap)->points != r->m->nodes)
    status = ig_fail_at(r->m->cx, &p->at,
                        "'%s' has %lld nodes, the mesh here %d: both runs need the same mesh", path,
                        (long long)(*snap)->points, r->m->nodes);
  if (status == IG_OK && !ig_snapshot_find(*snap, IG_AT_POINTS, "T"))
    status = ig_fail_at(r->m->cx, &p->at,
                        "'%s' has no temperatures: its run needs T among "
                        "output.fields",
                        path);
  free(path);
  return status;
}

ig_status ig_stress_heat_open(ig_stress_run *r, const ig_stress_phase *p, int64_t *count) {
  ig_ctx *cx = r->m->cx;
  *count = 0;
  for (;; ++*count) {
    char *path;
    IG_TRY(snapshot_path(cx, p->file, *count, &path));
    free(path);
    if (!path)
      break;
  }
  if (*count < 2)
    return ig_fail_at(cx, &p->at,
                      "'%.200s' holds %lld snapshots of a thermal run: at least two are needed",
                      p->file, (long long)*count);
  return IG_OK;
}

ig_status ig_stress_heat_time(ig_stress_run *r, const ig_stress_phase *p, int64_t i, double *time) {
  ig_snapshot *snap;
  const ig_status status = snapshot_open(r, p, i, &snap);
  *time = snap ? snap->time : 0;
  ig_snapshot_free(snap);
  return status;
}

/* Cells are the living elements in their order: found by their corners. */
static ig_status cells_match(ig_stress_run *r, const ig_stress_phase *p, const ig_snapshot *snap,
                             double *peak, uint8_t *alive) {
  const ig_stress *m = r->m;
  const ig_field *f = ig_snapshot_find(snap, IG_AT_CELLS, "T_peak");
  ig_lid e = 0;
  for (ig_lid k = 0; k < m->elements; k++) {
    peak[k] = NAN;
    alive[k] = 0;
  }
  for (int64_t c = 0; c < snap->cells; c++, e++) {
    const int64_t *corner = snap->corner + snap->offset[c];
    for (bool same = false; e < m->elements; e++) {
      same = snap->offset[c + 1] - snap->offset[c] == 8;
      for (int a = 0; same && a < 8; a++)
        same = corner[a] == m->conn[8 * (int64_t)e + a];
      if (same)
        break;
    }
    if (e == m->elements)
      return ig_fail_at(m->cx, &p->at,
                        "the elements of the thermal run in '%.200s' are not those "
                        "of this mesh: both runs need the same mesh",
                        p->file);
    alive[e] = 1;
    peak[e] = f ? ig_field_number(f, c) : NAN;
  }
  return IG_OK;
}

ig_status ig_stress_heat_read(ig_stress_run *r, const ig_stress_phase *p, int64_t i, double *time,
                              double *T, double *peak, uint8_t *alive) {
  ig_snapshot *snap;
  ig_status status = snapshot_open(r, p, i, &snap);
  if (status == IG_OK && !snap)
    status = ig_fail_at(r->m->cx, &p->at, "a snapshot of '%.200s' is gone", p->file);
  if (status == IG_OK) {
    const ig_field *f = ig_snapshot_find(snap, IG_AT_POINTS, "T");
    *time = snap->time;
    for (ig_lid n = 0; n < r->m->nodes; n++)
      T[n] = ig_field_number(f, n);
    status = cells_match(r, p, snap, peak, alive);
  }
  ig_snapshot_free(snap);
  return status;
}
#else
ig_status ig_stress_heat_open(ig_stress_run *r, const ig_stress_phase *p, int64_t *count) {
  *count = 0;
  return ig_fail_at(r->m->cx, &p->at, "this build reads no files: configure with -DINGOT_IO=ON");
}
ig_status ig_stress_heat_time(ig_stress_run *r, const ig_stress_phase *p, int64_t i, double *time) {
  (void)i;
  *time = 0;
  return ig_fail_at(r->m->cx, &p->at, "this build reads no files: configure with -DINGOT_IO=ON");
}
ig_status ig_stress_heat_read(ig_stress_run *r, const ig_stress_phase *p, int64_t i, double *time,
                              double *T, double *peak, uint8_t *alive) {
  (void)i, (void)time, (void)T, (void)peak, (void)alive;
  return ig_fail_at(r->m->cx, &p->at, "this build reads no files: configure with -DINGOT_IO=ON");
}
#endif
