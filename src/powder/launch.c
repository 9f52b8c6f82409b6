/* Launches: one kernel over all its items, on the backend of the run. */
#include "powder/powder.h"
#include "backend/backend.h"

/* what items of a kernel are (view.h): cells of the window, of the bed's filled part, coarse cells
   of the window's box, and those with their neighbours */
enum { FINE, COARSE, BOX, AROUND };
/* How many items a kernel has: faces of a rim, columns, probes, or cells of the window, of its box,
   of the box with its neighbours, or of the filled part of the bed. */
static void domain(const ig_powder_run *r, ig_powder_do what, int64_t *n) {
#define fine FINE
#define coarse COARSE
#define box BOX
#define around AROUND
  static const int where[] = {
#define X(name, where) [IG_POWDER_KERNEL_##name] = where,
      IG_POWDER_CELL_ITEMS(X)
#undef X
  };
#undef fine
#undef coarse
#undef box
#undef around
  const ig_powder_window *w = &r->view.w;
  const int *f = w->fine.n, *b = w->box.size;
  n[0] = n[1] = n[2] = 1;
  if (what == IG_POWDER_KERNEL_ghost || what == IG_POWDER_KERNEL_rim)
    n[0] = 2 * ((int64_t)f[0] * f[1] + (int64_t)f[1] * f[2] + (int64_t)f[2] * f[0]);
  else if (what == IG_POWDER_KERNEL_cross)
    n[0] = 2 * ((int64_t)b[0] * b[1] + (int64_t)b[1] * b[2] + (int64_t)b[2] * b[0]);
  else if (what == IG_POWDER_KERNEL_column)
    n[0] = (int64_t)f[0] * f[1];
  else if (what == IG_POWDER_KERNEL_mark)
    n[0] = (int64_t)(f[0] + 31) / 32 * f[1];
  else if (what == IG_POWDER_KERNEL_probe)
    n[0] = r->view.probes;
  else if (what == IG_POWDER_KERNEL_ahead)
    n[0] = r->view.window_count;
  else if (what == IG_POWDER_KERNEL_parcel)
    n[0] = r->view.a.parcel.size[0] * r->view.a.parcel.size[1] * r->view.a.parcel.size[2];
  else if (what == IG_POWDER_KERNEL_film)
    n[0] = r->view.film.n[0] * r->view.film.n[1];
  else if (what != IG_POWDER_KERNEL_pool_done && what != IG_POWDER_KERNEL_put &&
           what != IG_POWDER_KERNEL_flood)
    for (int d = 0; d < 3; d++)
      n[d] = where[what] == FINE     ? f[d]
             : where[what] == BOX    ? b[d]
             : where[what] == AROUND ? b[d] + 2
                                     : ig_powder_filled(&r->view, d);
  const int *rows = r->view.a.rows; /* of a rank, in long steps */
  if (rows[1] > 0 && (what == IG_POWDER_KERNEL_coarse_look || what == IG_POWDER_KERNEL_coarse_step))
    n[1] = rows[1] - rows[0];
}

static const char *const names[] = {
#define X(name, where) [IG_POWDER_KERNEL_##name] = #name,
    IG_POWDER_CELL_ITEMS(X)
#undef X
#define X(name) [IG_POWDER_KERNEL_##name] = #name,
        IG_POWDER_ITEMS(X)
#undef X
};

/* One launch, or one loop over threads, over all items of the window in work (r->view.w). */
ig_status ig_powder_do_all(ig_powder_run *r, ig_powder_do what) {
  int64_t n[3];
  r->launched = names[what];
  domain(r, what, n);
  IG_IF_CUDA(if (r->cx->backend->kernels ==
                 IG_KERNELS_CUDA) return ig_powder_do_cuda(r->cx, &r->view, what, n);)
  return ig_powder_do_cpu(r->cx, &r->view, what, n);
}
