/* Products of a multigrid cycle, on all rows of a level or on this rank's. Upper levels are
   divided; small ones are computed by every rank, whole, after their right-hand side was gathered:

         level 0          rank 0 | rank 1 | rank 2      ghosts of x before a product with A
         level 1          rank 0 | rank 1 | rank 2      ghosts of the residual before R, of x before
   P level `divided`  all    , all    , all         b is made in parts and gathered
         ...              all    , all    , all         nothing is sent */
#include "solver/amg/mesh_amg_parts.h"
#include "ranks/allgather.h"

#include <stdlib.h>

/* Fewer rows a rank than this are computed by all: a message takes as long. */
enum { LEAST_ROWS = 32 };

/* Aggregates go to the rank that has most likely their nodes: as many as have their lowest node
   below its first one come before its own. */
static ig_status rows_of_aggregates(ig_amg *s, int depth, const ig_rows *fine, ig_rows *rows) {
  const ig_amg_level *l = &s->level[depth];
  const ig_lid count = l[1].nodes, *of = l->of.host;
  ig_lid *below;
  IG_TRY(ig_rows_new(s->cx, count, 1, rows));
  IG_TRY(IG_NEW(s->cx, &below, (size_t)l->nodes + 1, "division of multigrid"));
  uint8_t *seen;
  ig_status status = IG_NEW(s->cx, &seen, count, "division of multigrid");
  for (ig_lid n = 0; status == IG_OK && n < l->nodes; n++) {
    const bool first = of[n] >= 0 && !seen[of[n]];
    below[n + 1] = below[n] + first;
    if (first)
      seen[of[n]] = 1;
  }
  for (int r = 0; status == IG_OK && r < fine->ranks; r++)
    rows->start[r] = below[fine->start[r]];
  rows->from = rows->start[rows->rank];
  rows->to = rows->start[rows->rank + 1];
  free(below);
  free(seen);
  return status;
}

ig_status ig_amg_show_pattern(ig_amg *s, ig_amg_matrix *m) {
  return m->m.rows ? ig_array_show(s->cx, &m->column, "multigrid pattern") : IG_OK;
}

ig_status ig_amg_show(ig_amg *s, int from, int to) {
  for (int i = from; i < to; i++) {
    ig_amg_level *l = &s->level[i];
    ig_amg_matrix *const matrix[] = {&l->p, &l->r, &l->ap};
    for (int k = 0; k < 3; k++)
      IG_TRY(ig_amg_show_pattern(s, matrix[k]));
    if (l->from.dev)
      IG_TRY(ig_array_show(s->cx, &l->from, "multigrid pattern"));
    if (l->tentative.dev)
      IG_TRY(ig_array_show(s->cx, &l->tentative, "prolongator"));
  }
  return IG_OK;
}

ig_status ig_amg_parts_begin(ig_amg *s) {
  const ig_rows *finest = s->problem.rows;
  ig_amg_parts *p;
  IG_TRY(IG_NEW(s->cx, &p, 1, "division of multigrid"));
  s->parts = p;
  p->divided = 1; /* the finest is divided whatever its size: its vectors come that way */
  IG_TRY(ig_rows_new(s->cx, s->level[0].nodes, 1, &p->level[0].rows));
  for (int r = 0; r <= finest->ranks; r++)
    p->level[0].rows.start[r] = finest->start[r];
  p->level[0].rows.from = p->level[0].at = finest->from;
  p->level[0].rows.to = finest->to;
  return IG_OK;
}

ig_status ig_amg_rows_make(ig_amg *s, int from, int to) {
  ig_amg_parts *p = s->parts;
  for (int i = from; i <= to; i++) {
    IG_TRY(rows_of_aggregates(s, i - 1, &p->level[i - 1].rows, &p->level[i].rows));
    p->level[i].at = p->level[i].rows.from;
  }
  return IG_OK;
}

/* Divides the levels that have enough rows per rank. Ownership of coarse nodes follows from that of
   their aggregates' lowest nodes, so it needs no message and is the same on all ranks. */
ig_status ig_amg_parts_new(ig_amg *s) {
  const ig_rows *finest = s->problem.rows;
  if (!finest)
    return IG_OK;
  const bool begun = s->parts != NULL; /* the finest has been cut, and the next has its rows */
  IG_TRY(ig_amg_show(s, begun, s->levels));
  if (!begun)
    IG_TRY(ig_amg_parts_begin(s));
  ig_amg_parts *p = s->parts;
  while (p->divided < s->levels - 1 && s->level[p->divided].nodes >= LEAST_ROWS * finest->ranks)
    p->divided++;
  return ig_amg_rows_make(s, begun ? 2 : 1, p->divided < s->levels ? p->divided : s->levels - 1);
}

void ig_amg_parts_free(ig_amg *s) {
  if (!s->parts)
    return;
  for (int i = 0; i < IG_AMG_LEVELS; i++) {
    ig_amg_part *own = &s->parts->level[i];
    ig_halo *const halo[] = {&own->a, &own->r, &own->p, &own->p_rows, &own->ap_rows};
    for (size_t h = 0; h < sizeof halo / sizeof *halo; h++)
      ig_halo_free(s->cx, halo[h]);
    ig_rows_free(&own->rows);
  }
  ig_rows_free(&s->parts->blocks);
  free(s->parts->give.item);
  free(s->parts->take.item);
  free(s->parts);
  s->parts = NULL;
}

/* By the rank's own numbers. */
ig_amg_range ig_amg_range_of(const ig_amg *s, int depth) {
  if (!ig_amg_divided(s, depth))
    return (ig_amg_range){0, s->level[depth].nodes};
  const ig_amg_part *own = &s->parts->level[depth];
  return (ig_amg_range){own->at, own->rows.to - own->rows.from};
}

/* `width`: of the whole's rows, by which a GPU chooses its lanes. */
static ig_bsr rows_of(const ig_bsr *all, ig_amg_range own, int64_t width) {
  ig_bsr a = *all;
  a.start += own.from;
  a.rows = own.count;
  a.blocks = width * own.count;
  return a;
}

ig_bsr ig_amg_own_rows(const ig_amg *s, int depth, const ig_bsr *all) {
  return ig_amg_divided(s, depth)
             ? rows_of(all, ig_amg_range_of(s, depth), s->parts->level[depth].width_a)
             : *all;
}

/* y is of all rows: the product writes those of the range. */
static ig_status rows_product(ig_amg *s, const ig_bsr *all, ig_amg_range own, int64_t width,
                              bool add, const float *x, float *y) {
  const ig_bsr a = rows_of(all, own, width);
  return s->ops->product(s->cx, &a, add, x, y + (int64_t)own.from * a.br);
}

/* On the finest level the caller's product, which sees to its own ghosts. */
ig_status ig_amg_product(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth];
  if (depth == 0)
    return s->problem.apply(s->problem.self, l->x.dev, l->ax.dev);
  if (!ig_amg_divided(s, depth))
    return s->ops->product(s->cx, &l->a.m, false, l->x.dev, l->ax.dev);
  ig_amg_part *own = &s->parts->level[depth];
  IG_TRY(ig_halo_refresh(s->cx, &own->a, l->x.dev, sizeof(float) * (size_t)l->size, IG_OK));
  return rows_product(s, &l->a.m, ig_amg_range_of(s, depth), own->width_a, false, l->x.dev,
                      l->ax.dev);
}

/* The right-hand side of the first whole level is computed in parts and gathered: from there on
   every rank computes the same. */
ig_status ig_amg_restrict(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth], *c = &l[1];
  if (!ig_amg_divided(s, depth))
    return s->ops->product(s->cx, &l->r.m, false, l->ax.dev, c->b.dev);
  ig_amg_part *own = &s->parts->level[depth];
  ig_rows *rows = &own[1].rows;
  const ig_amg_range range = {own[1].at, rows->to - rows->from};
  IG_TRY(ig_halo_refresh(s->cx, &own->r, l->ax.dev, sizeof(float) * (size_t)l->size, IG_OK));
  IG_TRY(rows_product(s, &l->r.m, range, own->width_r, false, l->ax.dev, c->b.dev));
  return ig_amg_divided(s, depth + 1)
             ? IG_OK
             : ig_rows_gather(s->cx, rows, sizeof(float) * (size_t)c->size, c->b.dev);
}

/* Where the next level is whole, every rank has all its x already. */
ig_status ig_amg_prolong(ig_amg *s, int depth) {
  ig_amg_level *l = &s->level[depth], *c = &l[1];
  if (!ig_amg_divided(s, depth))
    return s->ops->product(s->cx, &l->p.m, true, c->x.dev, l->x.dev);
  ig_amg_part *own = &s->parts->level[depth];
  if (ig_amg_divided(s, depth + 1))
    IG_TRY(ig_halo_refresh(s->cx, &own->p, c->x.dev, sizeof(float) * (size_t)c->size, IG_OK));
  return rows_product(s, &l->p.m, ig_amg_range_of(s, depth), own->width_p, true, c->x.dev,
                      l->x.dev);
}

/* --- values of a design --- */

/* Rank 0 adds in the order of ranks and broadcasts: all ranks get the same bits. */
ig_status ig_amg_join(ig_amg *s, double *a, double *b) {
  const int ranks = ig_ranks_count(s->cx->ranks);
  double mine[2] = {*a, *b}, *all = NULL;
  ig_status status = ig_ranks_gather(s->cx, IG_OK, mine, sizeof mine, (void **)&all);
  mine[0] = mine[1] = 0;
  for (int r = 0; status == IG_OK && r < ranks && ig_ranks_first(s->cx); r++) {
    mine[0] += all[2 * r];
    mine[1] += all[2 * r + 1];
  }
  free(all);
  if (status == IG_OK)
    status = ig_ranks_bcast(s->cx, 0, mine, sizeof mine);
  *a = mine[0];
  *b = mine[1];
  return status;
}
