/* A design that begins with the densities of a file: each element takes that of the nearest
   cell. The file may be of another grid or mesh. */
#include "topopt/output.h"
#include "backend/backend.h"
#include "mesh/nearest.h"
#include "model/read_snapshot.h"

#include <math.h>
#include <stdlib.h>

/* Of a body in parts each rank looks at its own elements; those held solid or void stay so. */
static ig_status take(ig_topopt_run *r, const ig_snapshot *from, const ig_field *density) {
  ig_ctx *cx = r->job->cx;
  const ig_discretisation *d = r->d;
  const size_t n = (size_t)d->places;
  uint8_t *role = NULL;
  double *there = NULL, *x = NULL;
  ig_point_boxes near = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, ig_snapshot_centres(cx, from, &there));
  IG_TRY_GOTO(status, done, ig_nearest_new(cx, there, from->cells, &near));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &role, n, "roles"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &x, n, "densities"));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, role, d->role, n));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, x, r->s->x.dev, n * sizeof *x));
  for (size_t i = 0; i < n; i++)
    if (role[i] == IG_ROLE_DESIGN) {
      double far2;
      const int64_t cell = ig_nearest_find(&near, d->centers + 3 * i, &far2);
      x[i] = fmin(1, fmax(0, ig_field_number(density, cell)));
    }
  status = cx->backend->copy_in(cx, r->s->x.dev, x, n * sizeof *x);
done:
  free(there);
  free(role);
  free(x);
  ig_nearest_free(&near);
  return status;
}

/* Every rank reads the file and takes what its own elements need. */
ig_status ig_topopt_start_read(ig_topopt_run *r) {
  ig_ctx *cx = r->job->cx;
  const ig_topopt_case *c = r->s->c;
  ig_snapshot *snap = NULL;
  IG_TRY(ig_ranks_read_snapshot(cx, c->initial_design.file, &snap));
  const ig_field *density = ig_snapshot_find(snap, IG_AT_CELLS, c->initial_design.field);
  const ig_status status =
      density && snap->cells > 0
          ? take(r, snap, density)
          : ig_fail_at(cx, &c->initial_design.at,
                       "initial_design: '%s' has no field '%s' with a number per cell",
                       c->initial_design.file, c->initial_design.field);
  ig_snapshot_free(snap);
  return status;
}
