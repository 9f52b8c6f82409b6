/* Smoothed aggregation: values of the levels for a design, from fine to coarse. See the table at
   the head of mesh_amg.h. ig_amg_update is the entry; per level ig_amg_fill makes smoother, P, its
   transpose, A P and the next A, each from the one before. On ranks a level's own rows are made,
   and rows of neighbours received where the next product needs them. */
#include "solver/amg/mesh_amg_parts.h"
#include "backend/backend.h"

#include <math.h>

/* Power steps find the largest eigenvalue from below, within about ten percent after 15; MARGIN
   covers that. An estimate that is too low would make the Chebyshev polynomial grow beyond its
   range. */
enum { POWER_STEPS = 15 };
static const double MARGIN = 1.1; /* on a spectrum known from below */

ig_status ig_amg_open_values(ig_amg *s, ig_amg_matrix *m) {
  if (m->value.dev)
    return IG_OK;
  IG_TRY(ig_array_new_device(s->cx, &m->value, (size_t)m->m.blocks * (size_t)(m->m.br * m->m.bc),
                             sizeof(float), "multigrid matrix"));
  m->m.value = m->value.dev;
  return IG_OK;
}

void ig_amg_close_values(ig_amg *s, ig_amg_matrix *m) {
  ig_array_free(s->cx, &m->value);
  m->m.value = NULL;
}

void ig_amg_matrix_free(ig_ctx *cx, ig_amg_matrix *m) {
  ig_array_free(cx, &m->start);
  ig_array_free(cx, &m->column);
  ig_array_free(cx, &m->row);
  ig_array_free(cx, &m->value);
  m->m.value = NULL;
}

/* With the plan and the ground of the caller: on several ranks those of its part. */
ig_status ig_amg_assemble(ig_amg *s, const double *modulus) {
  const ig_amg_problem *p = &s->problem;
  return s->ops->assemble(s->cx, p->hex, p->plan, p->ground, modulus, &s->level[0].a.m);
}

/* Largest eigenvalue of D^-1 A, by power steps on noise, times the margin; into l->lambda. The
   ratio of norms before and after the last step is the estimate. Rounded up to 1/64, so that sums
   of other order (threads, ranks) give the same number, and with it the same bits in all that
   follows. */
static ig_status largest(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth];
  const ig_backend *backend = s->cx->backend;
  const ig_amg_range own = ig_amg_range_of(s, depth);
  const bool part = ig_amg_divided(s, depth);
  const ig_bsr a = ig_amg_own_rows(s, depth, &l->a.m);
  const int64_t at = (int64_t)own.from * l->size;
  const size_t n = (size_t)own.count * (size_t)l->size;
  /* without it 15 products could leave the range of single precision */
  const float scale = (float)(MARGIN / l->lambda); /* the last one keeps the vector's size */
  float *x = l->x.dev, *ax = (float *)l->ax.dev + at;
  double before = 0, after = 0;
  IG_TRY(backend->copy(s->cx, x, l->noise.dev, l->noise.count * sizeof *x));
  for (int step = 0; step < POWER_STEPS; step++) {
    if (step == POWER_STEPS - 1)
      IG_TRY(backend->dot_f32(s->cx, n, x + at, x + at, &before));
    if (part && step > 0)
      IG_TRY(
          ig_halo_refresh(s->cx, &s->parts->level[depth].a, x, sizeof *x * (size_t)l->size, IG_OK));
    IG_TRY(s->ops->product(s->cx, &a, false, x, ax));
    IG_TRY(s->ops->smooth(s->cx, own.count, l->size, (float *)l->inverse.dev + at * l->size, NULL,
                          ax, NULL, true, 0, scale, (float *)l->d.dev + at, x + at));
  }
  IG_TRY(backend->dot_f32(s->cx, n, x + at, x + at, &after));
  if (part)
    IG_TRY(ig_amg_join(s, &before, &after));
  if (before > 0 && after > 0 && isfinite(after))
    l->lambda *= sqrt(after / before);
  l->lambda = ceil(64 * l->lambda) / 64; /* the same whatever the order of the sums was */
  return IG_OK;
}

/* Held unknowns have a zero inverse: they stay zero in a cycle. */
ig_status ig_amg_smoother(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth];
  const ig_lid at = ig_amg_range_of(s, depth).from;
  const ig_bsr a = ig_amg_own_rows(s, depth, &l->a.m);
  IG_TRY(s->ops->invert(s->cx, &a, (const int32_t *)l->diagonal.dev + at,
                        depth ? NULL : s->problem.ground->fix + at,
                        (float *)l->inverse.dev + (int64_t)at * (l->size * l->size)));
  return largest(s, depth);
}

/* 4/3 over the largest eigenvalue, the usual choice of smoothed aggregation; lambda has MARGIN in
   it, which is taken out. */
float ig_amg_omega(const ig_amg_level *l) {
  return (float)(4 * MARGIN / (3 * l->lambda));
}

/* Some blocks of a matrix. */
static ig_bsr blocks_of(const ig_bsr *all, const ig_lid range[2]) {
  ig_bsr m = *all;
  m.column += range[0];
  m.row += range[0];
  m.value += (int64_t)range[0] * (m.br * m.bc);
  m.blocks = range[1] - range[0];
  return m;
}

/* Blocks of ghost rows from the ranks that computed them. */
static ig_status ghosts(ig_amg *s, ig_halo *halo, const ig_bsr *m) {
  return ig_halo_refresh(s->cx, halo, m->value, sizeof(float) * (size_t)(m->br * m->bc), IG_OK);
}

/* Values of a level that was cut, from those of its own rows of A. */
static ig_status fill_part(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth];
  ig_amg_part *own = &s->parts->level[depth];
  const bool last = !ig_amg_divided(s, depth + 1);
  IG_TRY(ig_amg_smoother(s, depth));
  ig_bsr p = blocks_of(&l->p.m, own->p_own), ap = blocks_of(&l->ap.m, own->ap_own);
  IG_TRY(s->ops->prolongator(s->cx, &l->a.m, l->inverse.dev, l->of.dev, l->tentative.dev,
                             ig_amg_omega(l), &p));
  IG_TRY(ghosts(s, &own->p_rows, &l->p.m));
  IG_TRY(s->ops->transpose(s->cx, &l->p.m, l->from.dev, &l->r.m));
  IG_TRY(s->ops->times(s->cx, &l->a.m, &l->p.m, &ap));
  IG_TRY(ghosts(s, &own->ap_rows, &l->ap.m));
  if (!last)
    return s->ops->coarse(s->cx, &l->r.m, &l->ap.m, &l[1].a.m);
  ig_rows *blocks = &s->parts->blocks;
  const ig_lid range[2] = {blocks->from, blocks->to};
  ig_bsr a = blocks_of(&l[1].a.m, range);
  IG_TRY(s->ops->coarse(s->cx, &l->r.m, &l->ap.m, &a));
  return ig_rows_gather(s->cx, blocks, sizeof(float) * (size_t)(a.br * a.bc), l[1].a.value.dev);
}

/* Only the coarsest level is inverted; where coarsening stalled before it became small enough, it
   has a smoother instead. */
ig_status ig_amg_fill(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth];
  if (depth == s->levels - 1)
    return s->dense_n ? s->ops->dense_invert(s->cx, &l->a.m, s->dense_n, s->work.dev, s->dense.dev)
                      : ig_amg_smoother(s, depth);
  if (ig_amg_divided(s, depth))
    return fill_part(s, depth);
  IG_TRY(ig_amg_smoother(s, depth));
  IG_TRY(s->ops->prolongator(s->cx, &l->a.m, l->inverse.dev, l->of.dev, l->tentative.dev,
                             ig_amg_omega(l), &l->p.m));
  IG_TRY(s->ops->transpose(s->cx, &l->p.m, l->from.dev, &l->r.m));
  IG_TRY(s->ops->times(s->cx, &l->a.m, &l->p.m, &l->ap.m));
  return s->ops->coarse(s->cx, &l->r.m, &l->ap.m, &l[1].a.m);
}

/* Levels below the finest keep their values' memory; A and A P of the finest are the largest arrays
   of the hierarchy and are freed again, since a cycle uses the caller's product instead of A. */
ig_status ig_amg_update(ig_amg *s, const double *modulus) {
  ig_amg_level *finest = &s->level[0];
  ig_replay_forget(s->cx, &s->replay); /* it has the old spectrum in it */
  /* the two largest matrices are there only while values are made */
  ig_status status = ig_amg_open_values(s, &finest->a);
  if (status == IG_OK && s->levels > 1)
    status = ig_amg_open_values(s, &finest->ap);
  if (s->parts)
    status = ig_ranks_agree(s->cx, status);
  IG_TRY_GOTO(status, done, status);
  IG_TRY_GOTO(status, done, ig_amg_assemble(s, modulus));
  for (int i = 0; i < s->levels; i++)
    IG_TRY_GOTO(status, done, ig_amg_fill(s, i));
done:
  ig_amg_close_values(s, &finest->a);
  ig_amg_close_values(s, &finest->ap);
  return status;
}
