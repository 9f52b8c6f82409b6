/* Temperatures of a thermal run on the same mesh: the snapshots of its result folder, or, in a
   chain with `every`, states that the running thermal stage hands over in memory
   (job->state_of). State 0 is the initial one. Without the I/O library the functions report that
   at once. */
#include "stress/run.h"
#include "ingot_io.h"
#include "model/read_snapshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_IO
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"
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

/* A snapshot must have as many nodes as this mesh, and temperatures at them. Elements are
   compared later, in cells_match. */
static ig_status snapshot_check(ig_stress_run *r, const ig_stress_phase *p, const ig_snapshot *snap,
                                const char *path) {
  if (snap->points != r->m->nodes)
    return ig_fail_at(r->m->cx, &p->at,
                      "'%s' has %lld nodes, the mesh here %d: both runs need the same mesh", path,
                      (long long)snap->points, r->m->nodes);
  return ig_snapshot_find(snap, IG_AT_POINTS, "T")
             ? IG_OK
             : ig_fail_at(r->m->cx, &p->at,
                          "'%s' has no temperatures: its run needs T among output.fields", path);
}

/* *snap is NULL where there is no file of that number; the caller frees it. */
static ig_status snapshot_open(ig_stress_run *r, const ig_stress_phase *p, int64_t i,
                               ig_snapshot **snap) {
  char *path;
  *snap = NULL;
  IG_TRY(snapshot_path(r->m->cx, p->file, i, &path));
  if (!path)
    return IG_OK;
  ig_status status = ig_ranks_read_snapshot(r->m->cx, path, snap);
  if (status == IG_OK)
    status = snapshot_check(r, p, *snap, path);
  free(path);
  return status;
}

/* Where states come from: a run in this process, or the snapshots of one. */
bool ig_stress_heat_live(const ig_stress_phase *p) {
  return !isnan(p->every) || !isnan(p->step_error);
}

/* End of the live thermal run in s. It must be known beforehand because the number of steps is. */
static ig_status live_end(ig_stress_run *r, const ig_stress_phase *p, double *end) {
  if (!r->job->state_of)
    return ig_fail_at(r->m->cx, &p->at,
                      "`%s` is for a stage of a chain, with `from: STAGE`: the snapshots of a "
                      "folder are taken as they are",
                      isnan(p->every) ? "step_error" : "every");
  IG_TRY(r->job->state_of(r->job->state_user, p->file, 0, end, NULL));
  return isfinite(*end) && *end > 0
             ? IG_OK
             : ig_fail_at(r->m->cx, &p->at, "the thermal run has no end that is known beforehand");
}

/* Number of states: live, from the end of the thermal run and `every`; else the snapshots in the
   folder, counted from 0 until one is missing. At least two are needed, as a step goes from one
   to the next. */
ig_status ig_stress_heat_open(ig_stress_run *r, const ig_stress_phase *p, int64_t *count) {
  ig_ctx *cx = r->m->cx;
  *count = 0;
  if (ig_stress_heat_live(p)) {
    IG_TRY(live_end(r, p, &r->live_end));
    /* where the phase chooses its steps: a look costs a state in memory and one pass over the
       elements */
    r->live_spacing = isnan(p->every) ? r->live_end / 1000 : p->every;
    /* the last state is at the end of the run, however short its interval; 1e-9 absorbs rounding
       of the quotient, 1e9 keeps the conversion to an integer defined */
    *count = 1 + (int64_t)fmax(ceil(fmin(r->live_end / r->live_spacing, 1e9) - 1e-9), 1);
    return *count < 1000000
               ? IG_OK
               : ig_fail_at(cx, &p->at, "%lld states: give a longer `every`", (long long)*count);
  }
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

/* Time of state i in the thermal run, s; a snapshot is read for it. */
ig_status ig_stress_heat_time(ig_stress_run *r, const ig_stress_phase *p, int64_t i, double *time) {
  ig_snapshot *snap;
  if (ig_stress_heat_live(p)) {
    *time = fmin((double)i * r->live_spacing, r->live_end);
    return IG_OK;
  }
  const ig_status status = snapshot_open(r, p, i, &snap);
  *time = snap ? snap->time : 0;
  ig_snapshot_free(snap);
  return status;
}

/* Which elements a snapshot has, and their peaks and melts. A snapshot holds the living elements
   in mesh order, so one pass through both lists finds each cell by its corners. */
static ig_status cells_match(ig_stress_run *r, const ig_stress_phase *p, const ig_snapshot *snap,
                             ig_stress_heat *h) {
  const ig_stress *m = r->m;
  const ig_field *f = ig_snapshot_find(snap, IG_AT_CELLS, "T_peak"),
                 *melts = ig_snapshot_find(snap, IG_AT_CELLS, "melts");
  ig_lid e = 0;
  for (ig_lid k = 0; k < m->elements; k++) {
    h->peak[k] = NAN;
    h->melts[k] = 0;
    h->there[k] = 0;
  }
  for (int64_t c = 0; c < snap->cells; c++, e++) {
    const int64_t *corner = snap->corner + snap->offset[c];
    for (bool same = false; e < m->elements; e++) {
      same = snap->offset[c + 1] - snap->offset[c] == m->npe;
      for (int a = 0; same && a < m->npe; a++)
        same = corner[a] == m->conn[m->npe * (int64_t)e + a];
      if (same)
        break;
    }
    if (e == m->elements)
      return ig_fail_at(m->cx, &p->at,
                        "the elements of the thermal run in '%.200s' are not those "
                        "of this mesh: both runs need the same mesh",
                        p->file);
    h->there[e] = 1;
    h->peak[e] = f ? ig_field_number(f, c) : NAN;
    h->melts[e] = melts ? ig_field_number(melts, c) : 0;
  }
  return IG_OK;
}

/* State i: temperatures of the nodes into T, peaks, melts and presence of the elements into *h,
   whose arrays the caller has allocated. `time` of the state, of a live run. Fails if the snapshot
   has gone or is of another mesh. */
ig_status ig_stress_heat_read(ig_stress_run *r, const ig_stress_phase *p, int64_t i, double time,
                              double *T, ig_stress_heat *h) {
  ig_snapshot *snap = NULL;
  double end;
  ig_status status;
  if (ig_stress_heat_live(p)) {
    h->time = time;
    status = r->job->state_of(r->job->state_user, p->file, h->time, &end, &snap);
    if (status == IG_OK)
      status = snapshot_check(r, p, snap, p->file);
  } else {
    status = snapshot_open(r, p, i, &snap);
  }
  if (status == IG_OK && !snap)
    status = ig_fail_at(r->m->cx, &p->at, "a snapshot of '%.200s' is gone", p->file);
  if (status == IG_OK) {
    const ig_field *f = ig_snapshot_find(snap, IG_AT_POINTS, "T");
    h->time = ig_stress_heat_live(p) ? h->time : snap->time;
    for (ig_lid n = 0; n < r->m->nodes; n++)
      T[n] = ig_field_number(f, n);
    status = cells_match(r, p, snap, h);
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
ig_status ig_stress_heat_read(ig_stress_run *r, const ig_stress_phase *p, int64_t i, double time,
                              double *T, ig_stress_heat *h) {
  (void)i, (void)time, (void)T, (void)h;
  return ig_fail_at(r->m->cx, &p->at, "this build reads no files: configure with -DINGOT_IO=ON");
}
#endif
