/* Products of a multigrid cycle, on all rows of a level or on this rank's. */
#include "solver/mesh_amg_parts.h"

#include <stdlib.h>

/* Fewer rows a rank than this are computed by all: a message takes as long. */
enum { LEAST_ROWS = 32 };

ig_status ig_amg_parts_new(ig_amg *s) {
  const ig_rows *finest = s->problem.rows;
  ig_ctx *cx = s->cx;
  ig_amg_parts *p;
  if (!finest)
    return IG_OK;
  IG_TRY(IG_NEW(cx, &p, 1, "division of multigrid"));
  s->parts = p;
  p->divided = 1; /* the finest is divided whatever its size: its vectors come that way */
  while (p->divided < s->levels - 1 && s->level[p->divided].nodes >= LEAST_ROWS * finest->ranks)
    p->divided++;
  for (int i = 0; i <= p->divided && i < s->levels; i++)
    IG_TRY(ig_rows_new(cx, s->level[i].nodes, 1, &p->level[i].rows));
  for (int r = 0; r <= finest->ranks; r++) /* which may be cut at other places */
    p->level[0].rows.start[r] = finest->start[r];
  p->level[0].rows.from = finest->from;
  p->level[0].rows.to = finest->to;
  for (int i = 0; i < p->divided && i + 1 < s->levels; i++) {
    ig_amg_level *l = &s->level[i], *c = &l[1];
    ig_amg_part *own = &p->level[i], *next = &own[1];
    if (i > 0)
      IG_TRY(ig_rows_halo(cx, &own->rows, &own->rows, l->a.start.host, l->a.column.host,
                          sizeof(float) * (size_t)l->size, &own->a));
    IG_TRY(ig_rows_halo(cx, &next->rows, &own->rows, l->r.start.host, l->r.column.host,
                        sizeof(float) * (size_t)l->size, &own->r));
    if (i + 1 < p->divided)
      IG_TRY(ig_rows_halo(cx, &own->rows, &next->rows, l->p.start.host, l->p.column.host,
                          sizeof(float) * (size_t)c->size, &own->p));
  }
  return IG_OK;
}

void ig_amg_parts_free(ig_amg *s) {
  if (!s->parts)
    return;
  for (int i = 0; i < IG_AMG_LEVELS; i++) {
    ig_amg_part *own = &s->parts->level[i];
    ig_halo_free(s->cx, &own->a);
    ig_halo_free(s->cx, &own->r);
    ig_halo_free(s->cx, &own->p);
    ig_rows_free(&own->rows);
  }
  free(s->parts);
  s->parts = NULL;
}

static bool divided(const ig_amg *s, int depth) {
  return s->parts && depth < s->parts->divided;
}

ig_amg_range ig_amg_range_of(const ig_amg *s, int depth) {
  if (!divided(s, depth))
    return (ig_amg_range){0, s->level[depth].nodes};
  const ig_rows *rows = &s->parts->level[depth].rows;
  return (ig_amg_range){rows->from, rows->to - rows->from};
}

ig_status ig_amg_whole(ig_amg *s, const float *b) {
  if (!s->parts || s->levels > 1)
    return IG_OK;
  return ig_rows_gather(s->cx, &s->parts->level[0].rows, sizeof *b * (size_t)s->level[0].size,
                        (void *)b);
}

static ig_status rows_product(ig_amg *s, const ig_bsr *all, ig_amg_range own, bool add,
                              const float *x, float *y) {
  ig_bsr a = *all;
  a.start += own.from;
  a.rows = own.count;
  a.blocks = all->blocks / (all->rows > 0 ? all->rows : 1) * own.count; /* as wide as the whole */
  return s->ops->product(s->cx, &a, add, x, y + (int64_t)own.from * a.br);
}

ig_status ig_amg_product(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth];
  if (depth == 0)
    return s->problem.apply(s->problem.self, l->x.dev, l->ax.dev);
  if (divided(s, depth))
    IG_TRY(ig_halo_refresh(s->cx, &s->parts->level[depth].a, l->x.dev,
                           sizeof(float) * (size_t)l->size, IG_OK));
  return rows_product(s, &l->a.m, ig_amg_range_of(s, depth), false, l->x.dev, l->ax.dev);
}

ig_status ig_amg_restrict(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth], *c = &l[1];
  if (!divided(s, depth))
    return s->ops->product(s->cx, &l->r.m, false, l->ax.dev, c->b.dev);
  ig_amg_part *own = &s->parts->level[depth];
  ig_rows *rows = &own[1].rows;
  const ig_amg_range range = {rows->from, rows->to - rows->from};
  IG_TRY(ig_halo_refresh(s->cx, &own->r, l->ax.dev, sizeof(float) * (size_t)l->size, IG_OK));
  IG_TRY(rows_product(s, &l->r.m, range, false, l->ax.dev, c->b.dev));
  return divided(s, depth + 1)
             ? IG_OK
             : ig_rows_gather(s->cx, rows, sizeof(float) * (size_t)c->size, c->b.dev);
}

ig_status ig_amg_prolong(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth], *c = &l[1];
  if (divided(s, depth + 1))
    IG_TRY(ig_halo_refresh(s->cx, &s->parts->level[depth].p, c->x.dev,
                           sizeof(float) * (size_t)c->size, IG_OK));
  return rows_product(s, &l->p.m, ig_amg_range_of(s, depth), true, c->x.dev, l->x.dev);
}
