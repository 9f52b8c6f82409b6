/* A movie of one layer: its surface in fine cells, at equal times while it is scanned. The frames
   are the run's snapshots. Cells outside of windows show their coarse cell's temperature with its
   slopes. */
#include "powder/powder.h"
#include "backend/backend.h"
#include "core/schedule.h"

#include <math.h>

/* From its first line to the end of its last. */
static void span(const ig_powder_run *r, double *from, double *to) {
  const ig_powder_layer *l = &r->layer_of[r->c->movie.layer - 1];
  *from = *to = l->birth;
  for (int64_t i = l->line; i < l->line + l->lines; i++) {
    const ig_powder_line *q = &r->line_of[i];
    *to = fmax(*to, r->laser[q->beam].path.t[q->last + 1]);
  }
}

/* Frames end equal parts of the time: the last one is at the end of the last line. */
static double frame_time(const ig_powder_run *r, int64_t frame) {
  double from, to;
  span(r, &from, &to);
  return from + (to - from) * (double)(frame + 1) / (double)r->c->movie.frames;
}

/* Of several frames that have come due within a step, one is written. */
bool ig_powder_film_due(ig_powder_run *r) {
  const int64_t done = r->filmed;
  while (r->view.film.T && r->filmed < r->c->movie.frames &&
         frame_time(r, r->filmed) <= r->time * (1 + 1e-12))
    r->filmed++;
  return r->filmed > done;
}

/* Squares on top of the bed. */
static void squares(const ig_powder_run *r, ig_snapshot *s) {
  const ig_powder_film *f = &r->view.film;
  const int64_t row = f->n[0] + 1;
  const double top = r->low[2] + (double)r->bed * r->cell;
  for (int64_t p = 0; p < s->points; p++) {
    s->point[3 * p] = r->low[0] + (double)(f->at[0] + p % row) * r->cell;
    s->point[3 * p + 1] = r->low[1] + (double)(f->at[1] + p / row) * r->cell;
    s->point[3 * p + 2] = top;
  }
  for (int64_t c = 0; c < s->cells; c++) {
    const int64_t p = c / f->n[0] * row + c % f->n[0];
    const int64_t corner[4] = {p, p + 1, p + row + 1, p + row};
    for (int a = 0; a < 4; a++)
      s->corner[4 * c + a] = corner[a];
    s->offset[c + 1] = 4 * (c + 1);
    s->type[c] = 9; /* a quadrilateral of VTK */
  }
}

/* States of the top level are one byte per fine cell of the bed and are copied whole; temperatures
   of the filmed columns only. */
ig_status ig_powder_film_frame(ig_powder_run *r, ig_sink *to) {
  const ig_powder_film *f = &r->view.film;
  const int64_t cells = f->n[0] * f->n[1];
  static const char *const name[3] = {"T", "solid", "melts"}, *const unit[3] = {"K", "", ""};
  ig_snapshot *s;
  double *field[3] = {0};
  IG_TRY(ig_powder_windows_share(r, &r->set[r->now], IG_PULL_STATE | IG_PULL_WINDOWS));
  IG_TRY(ig_powder_do_all(r, IG_POWDER_KERNEL_film));
  IG_TRY(ig_array_pull(r->cx, &r->array.film));
  IG_TRY(ig_powder_levels_pull(r, r->bed - 1, 1, r->array.top.host));
  IG_TRY(ig_snapshot_new(r->cx, (f->n[0] + 1) * (f->n[1] + 1), cells, 4 * cells, r->time, r->step,
                         &s));
  squares(r, s);
  ig_status status = IG_OK;
  for (int i = 0; i < 3 && status == IG_OK; i++)
    if (ig_output_wants(r->job->output, name[i]))
      status =
          ig_snapshot_add(s, name[i], unit[i], IG_AT_CELLS, IG_F64, 1, NULL, (void **)&field[i]);
  const float *T = r->array.film.host;
  const uint8_t *top = r->array.top.host;
  for (int64_t c = 0; c < cells && status == IG_OK; c++) {
    const int64_t x = f->at[0] + c % f->n[0], y = f->at[1] + c / f->n[0];
    const uint8_t state = top[(size_t)y * (size_t)r->nf[0] + (size_t)x];
    if (field[0])
      field[0][c] = T[c];
    if (field[1])
      field[1][c] = state & IG_POWDER_SOLID;
    if (field[2])
      field[2][c] = state >> IG_POWDER_MELTS;
  }
  if (status != IG_OK) {
    ig_snapshot_free(s);
    return status;
  }
  return to->snapshot(to, s);
}
