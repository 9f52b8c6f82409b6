/* A multigrid hierarchy that was set up as a whole becomes this rank's part of it. Every rank sets
   up the same hierarchy and then keeps its rows: aggregates and levels are those of the whole mesh,
   so results do not depend on the number of ranks. Memory of the whole is needed for a moment at
   set-up; with problem.cut that is the matrix of the finest level, patterns of the transfers below
   it, and all of the coarse levels, of which there are few rows.

   Rows of aggregates are made of R (A P). A rank needs the rows of A P and of P at nodes that an
   own aggregate reaches, and for own rows of A P those of P at their neighbours. Of both it
   computes its own rows and receives the others from their owners, every time values are made. */
#include "core/sorted.h"
#include "solver/amg/mesh_amg_parts.h"

#include <stdlib.h>
#include <string.h>

/* What of a level is kept. number: of each row of the whole, -1: none; NULL: as it was. */
typedef struct {
  ig_lid all, count;
  uint8_t *p, *ap; /* rows of P and of A P that are needed */
  ig_lid *node, *number;
} kept;

static void kept_free(kept *k) {
  free(k->p);
  free(k->ap);
  free(k->node);
  free(k->number);
}

static ig_rows_pattern pattern_of(const ig_amg_matrix *m) {
  return (ig_rows_pattern){m->start.host, m->column.host};
}

/* Columns of rows from ... to - 1 are marked with 1. */
static void columns_mark(ig_rows_pattern m, ig_lid from, ig_lid to, uint8_t *mark) {
  for (ig_lid k = m.start[from]; k < m.start[to]; k++)
    mark[m.column[k]] = 1;
}

/* Rows of P and A P of level i that this rank needs (ap NULL: only of P): its own; of P those at
   the neighbours of its own nodes, for its rows of A P; and of both those at all nodes that one of
   its aggregates on the next level reaches, for its rows of R (A P). */
static void rows_mark(const ig_amg *s, int i, uint8_t *p, uint8_t *ap) {
  const ig_amg_level *l = &s->level[i];
  const ig_rows *own = &s->parts->level[i].rows;
  memset(p + own->from, 1, (size_t)(own->to - own->from));
  columns_mark(pattern_of(&l->a), own->from, own->to, p);
  if (i + 1 == s->levels)
    return;
  const ig_rows *next = &s->parts->level[i + 1].rows;
  columns_mark(pattern_of(&l->r), next->from, next->to, p);
  if (!ap)
    return;
  memset(ap + own->from, 1, (size_t)(own->to - own->from));
  columns_mark(pattern_of(&l->r), next->from, next->to, ap);
}

/* For the caller, who chooses which nodes it keeps as ghosts before it cuts its own arrays. */
ig_status ig_amg_needs(const ig_amg *s, uint8_t *mark) {
  if (s->parts)
    rows_mark(s, 0, mark, NULL);
  return IG_OK;
}

/* Numbers of the kept rows of a level: those of P, and columns of P and A P of the level above; of
   a level above that has been cut (NULL) all columns. */
static ig_status number_rows(const ig_amg *s, int i, const kept *above, kept *k) {
  uint8_t *mark;
  IG_TRY(IG_NEW(s->cx, &mark, k->all, "part of multigrid"));
  memcpy(mark, k->p, (size_t)k->all);
  const ig_amg_level *l = &s->level[i - 1];
  const ig_lid rows = above ? above->all : l->nodes;
  for (ig_lid n = 0; n < rows; n++) {
    if (!above || above->p[n])
      columns_mark(pattern_of(&l->p), n, n + 1, mark);
    if (!above || above->ap[n])
      columns_mark(pattern_of(&l->ap), n, n + 1, mark);
  }
  for (ig_lid n = 0; n < k->all; n++)
    k->count += mark[n];
  ig_status status = IG_NEW(s->cx, &k->node, k->count, "part of multigrid");
  if (status == IG_OK)
    status = IG_NEW(s->cx, &k->number, k->all, "part of multigrid");
  for (ig_lid n = 0, at = 0; status == IG_OK && n < k->all; n++) {
    k->number[n] = mark[n] ? at : -1;
    if (mark[n])
      k->node[at++] = n;
  }
  free(mark);
  return status;
}

/* The finest level's numbers are the caller's. */
static ig_status number_finest(const ig_amg *s, const ig_lid *node, ig_lid nodes, kept *k) {
  k->count = nodes;
  IG_TRY(IG_NEW(s->cx, &k->node, k->count, "part of multigrid"));
  IG_TRY(IG_NEW(s->cx, &k->number, k->all, "part of multigrid"));
  for (ig_lid n = 0; n < k->all; n++)
    k->number[n] = -1;
  for (ig_lid n = 0; n < nodes; n++) {
    k->node[n] = node[n];
    k->number[node[n]] = n;
  }
  return IG_OK;
}

/* A level that is whole on every rank has no lists: numbers stay. */
static ig_lid node_of(const kept *k, ig_lid n) {
  return k->node ? k->node[n] : n;
}
static ig_lid number_of(const kept *k, ig_lid n) {
  return k->number ? k->number[n] : n;
}

/* --- matrices --- */

/* Rows that are marked (NULL: range `own`), by the numbers of both levels; the others are empty.
   blocks: place of each block of the whole (NULL: not needed). */
static ig_status matrix_cut(ig_amg *s, const kept *rows, const kept *columns, const uint8_t *mark,
                            const ig_rows *own, ig_lid *blocks, ig_amg_matrix *m) {
  ig_ctx *cx = s->cx;
  const ig_lid *start = m->start.host, *column = m->column.host;
  const bool values = m->value.dev != NULL;
  ig_amg_matrix to = {.m = m->m};
  ig_lid count = 0, at = 0;
/* two ways to say which rows stay */
#define KEPT(n) (mark ? mark[n] : (n) >= own->from && (n) < own->to)
  for (ig_lid i = 0; i < rows->count; i++) {
    const ig_lid n = node_of(rows, i);
    count += KEPT(n) ? start[n + 1] - start[n] : 0;
  }
  ig_status status =
      ig_array_new(cx, &to.start, (size_t)rows->count + 1, sizeof(ig_lid), "multigrid pattern");
  if (status == IG_OK)
    status = ig_array_new(cx, &to.column, (size_t)count, sizeof(ig_lid), "multigrid pattern");
  if (status == IG_OK)
    status = ig_array_new(cx, &to.row, (size_t)count, sizeof(ig_lid), "multigrid pattern");
  for (ig_lid i = 0; status == IG_OK && i < rows->count; i++) {
    const ig_lid n = node_of(rows, i);
    for (ig_lid k = start[n]; KEPT(n) && k < start[n + 1]; k++, at++) {
      ((ig_lid *)to.column.host)[at] = number_of(columns, column[k]);
      ((ig_lid *)to.row.host)[at] = i;
      if (blocks)
        blocks[k] = at;
    }
    ((ig_lid *)to.start.host)[i + 1] = at;
  }
#undef KEPT
  ig_array *const arrays[] = {&to.start, &to.column, &to.row};
  for (int a = 0; a < 3 && status == IG_OK; a++)
    status = ig_array_push(cx, arrays[a]);
  if (status != IG_OK) {
    ig_amg_matrix_free(cx, &to);
    return status;
  }
  ig_amg_matrix_free(cx, m);
  *m = to;
  m->m =
      (ig_bsr){rows->count, count, to.m.br, to.m.bc, to.start.dev, to.column.dev, to.row.dev, NULL};
  return values ? ig_amg_open_values(s, m) : IG_OK;
}

/* Rows of an array by their new numbers; `item` bytes each. */
static ig_status array_cut(ig_ctx *cx, const kept *k, size_t item, ig_array *a) {
  ig_array to;
  const size_t size = a->size;
  IG_TRY(ig_array_new(cx, &to, (size_t)k->count * (item / size), size, "part of multigrid"));
  for (ig_lid i = 0; i < k->count; i++)
    memcpy((char *)to.host + (size_t)i * item, (char *)a->host + (size_t)k->node[i] * item, item);
  const ig_status status = ig_array_push(cx, &to);
  ig_array_free(cx, a);
  *a = to;
  return status;
}

/* Vectors and inverses hold nothing between cycles, they are made anew; the noise keeps its values,
   so that the estimate of the spectrum is that of the whole. */
static ig_status vectors_cut(ig_amg *s, const kept *k, ig_amg_level *l) {
  const size_t n = (size_t)k->count * (size_t)l->size;
  ig_array *const vector[] = {&l->b, &l->x, &l->d, &l->ax};
  for (int i = 0; i < 4; i++) {
    ig_array_free(s->cx, vector[i]);
    IG_TRY(ig_array_new_device(s->cx, vector[i], n, sizeof(float), "multigrid vectors"));
  }
  ig_array_free(s->cx, &l->inverse);
  IG_TRY(ig_array_new_device(s->cx, &l->inverse, n * (size_t)l->size, sizeof(float), "smoother"));
  return array_cut(s->cx, k, sizeof(float) * (size_t)l->size, &l->noise);
}

/* --- ghosts --- */

/* Three exchanges of a cycle: x for products with A, the residual for R (rows of the next level), x
   of the next level for P. The last is not needed where the next level is whole on every rank. */
static ig_status halos_make(ig_amg *s, int i, const kept *k) {
  ig_amg_level *l = &s->level[i];
  ig_amg_part *own = &s->parts->level[i], *next = &own[1];
  const size_t item = sizeof(float) * (size_t)l->size;
  IG_TRY(ig_rows_halo(s->cx, &own->rows, &own->rows, pattern_of(&l->a), k->number, item, &own->a));
  if (i + 1 == s->levels)
    return IG_OK;
  IG_TRY(ig_rows_halo(s->cx, &next->rows, &own->rows, pattern_of(&l->r), k->number, item, &own->r));
  if (i + 1 < s->parts->divided)
    IG_TRY(ig_rows_halo(s->cx, &own->rows, &next->rows, pattern_of(&l->p), k[1].number,
                        sizeof(float) * (size_t)l[1].size, &own->p));
  return IG_OK;
}

/* Blocks of rows of P (neighbours: of own rows of A, too) or A P that come from others. start: of
   the part's matrix; a, r: patterns of the whole. */
static ig_status block_halo(ig_amg *s, int i, const kept *k, bool neighbours,
                            const ig_amg_matrix *of, ig_rows_pattern a, ig_rows_pattern r,
                            ig_halo *halo) {
  const ig_amg_part *own = &s->parts->level[i];
  ig_halo_pairs give = {0}, take = {0};
  const ig_lid *start = of->start.host;
  ig_status status = IG_OK;
  if (neighbours)
    status = ig_rows_pairs(s->cx, &own->rows, &own->rows, a, k->number, start, &give, &take);
  if (status == IG_OK)
    status = ig_rows_pairs(s->cx, &own[1].rows, &own->rows, r, k->number, start, &give, &take);
  if (status == IG_OK)
    return ig_halo_of_pairs(s->cx, &give, &take, sizeof(float) * (size_t)(of->m.br * of->m.bc),
                            halo);
  free(give.item);
  free(take.item);
  return status;
}

/* --- a level --- */

/* Own rows alone: the smoother of ghosts is their owners' work. */
static ig_status diagonal_cut(ig_amg *s, const ig_amg_part *own, ig_amg_level *l) {
  ig_array to;
  const ig_lid *start = l->a.start.host, *column = l->a.column.host;
  IG_TRY(ig_array_new(s->cx, &to, (size_t)l->nodes, sizeof(ig_lid), "diagonal"));
  for (ig_lid n = own->at; n < own->at + own->rows.to - own->rows.from; n++)
    for (ig_lid k = start[n]; k < start[n + 1]; k++)
      if (column[k] == n)
        ((ig_lid *)to.host)[n] = k;
  ig_array_free(s->cx, &l->diagonal);
  l->diagonal = to;
  return ig_array_push(s->cx, &l->diagonal);
}

/* Aggregates by their numbers on the next level. */
static ig_status aggregates_cut(ig_amg *s, const kept *k, ig_amg_level *l) {
  ig_lid *of = l->of.host;
  for (ig_lid n = 0; n < k->all; n++)
    of[n] = of[n] < 0 ? -1 : number_of(&k[1], of[n]);
  IG_TRY(ig_array_push(s->cx, &l->of));
  IG_TRY(array_cut(s->cx, k, sizeof(ig_lid), &l->of));
  return array_cut(s->cx, k, sizeof(float) * (size_t)(l->size * l->p.m.bc), &l->tentative);
}

/* Where the blocks of the part's R come from. */
static ig_status from_cut(ig_amg *s, const ig_lid *p_blocks, const ig_lid *r_blocks, size_t count,
                          ig_amg_level *l) {
  ig_array to;
  const ig_lid *from = l->from.host;
  IG_TRY(ig_array_new(s->cx, &to, (size_t)l->r.m.blocks, sizeof(ig_lid), "transpose"));
  for (size_t k = 0; k < count; k++)
    if (r_blocks[k] >= 0)
      ((ig_lid *)to.host)[r_blocks[k]] = p_blocks[from[k]];
  ig_array_free(s->cx, &l->from);
  l->from = to;
  return ig_array_push(s->cx, &l->from);
}

/* Blocks of own rows are consecutive, as own rows are. */
static void own_blocks(const ig_amg_matrix *m, const ig_amg_part *own, ig_lid range[2]) {
  const ig_lid *start = m->start.host;
  range[0] = start[own->at];
  range[1] = start[own->at + own->rows.to - own->rows.from];
}

/* P, R and A P, in this order: the lists of ghosts need whole patterns of A and R. */
static ig_status transfers_cut(ig_amg *s, int i, const kept *k) {
  ig_amg_level *l = &s->level[i];
  ig_amg_part *own = &s->parts->level[i];
  const size_t blocks = (size_t)l->p.m.blocks;
  const ig_rows_pattern a = pattern_of(&l->a), r = pattern_of(&l->r);
  ig_lid *p_at = NULL, *r_at = NULL;
  ig_status status;
  own->width_p = l->p.m.blocks / (l->p.m.rows > 0 ? l->p.m.rows : 1);
  own->width_r = l->r.m.blocks / (l->r.m.rows > 0 ? l->r.m.rows : 1);
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &p_at, blocks, "part of multigrid"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &r_at, blocks, "part of multigrid"));
  memset(r_at, 0xff, blocks * sizeof *r_at);
  IG_TRY_GOTO(status, done, matrix_cut(s, k, &k[1], k->p, NULL, p_at, &l->p));
  IG_TRY_GOTO(status, done, block_halo(s, i, k, true, &l->p, a, r, &own->p_rows));
  IG_TRY_GOTO(status, done, matrix_cut(s, k, &k[1], k->ap, NULL, NULL, &l->ap));
  IG_TRY_GOTO(status, done, block_halo(s, i, k, false, &l->ap, a, r, &own->ap_rows));
  IG_TRY_GOTO(status, done, matrix_cut(s, &k[1], k, NULL, &own[1].rows, r_at, &l->r));
  IG_TRY_GOTO(status, done, from_cut(s, p_at, r_at, blocks, l));
  own_blocks(&l->p, own, own->p_own);
  own_blocks(&l->ap, own, own->ap_own);
  status = aggregates_cut(s, k, l);
done:
  free(p_at);
  free(r_at);
  return status;
}

/* Order matters: halos and transfers need the patterns of the whole, which cutting A replaces. */
static ig_status level_cut(ig_amg *s, int i, const kept *k) {
  ig_amg_level *l = &s->level[i];
  ig_amg_part *own = &s->parts->level[i];
  own->width_a = l->a.m.blocks / (l->a.m.rows > 0 ? l->a.m.rows : 1);
  IG_TRY(halos_make(s, i, k));
  if (i + 1 < s->levels)
    IG_TRY(transfers_cut(s, i, k));
  IG_TRY(matrix_cut(s, k, k, NULL, &own->rows, NULL, &l->a));
  IG_TRY(vectors_cut(s, k, l));
  l->nodes = k->count;
  return diagonal_cut(s, own, l);
}

/* A level that is whole on every rank below one that is divided. */
static ig_status whole_keep(ig_amg *s, int i, kept *k) {
  k->all = k->count = s->level[i].nodes;
  ig_rows_free(&s->parts->blocks);
  return ig_rows_like(s->cx, &s->parts->level[i].rows, s->level[i].a.start.host, &s->parts->blocks);
}

/* Numbers first, for all levels from `first` on: a level's columns are the next level's rows. Then
   the levels themselves, from fine to coarse. */
static ig_status numbers_make(ig_amg *s, int first, const ig_lid *node, ig_lid nodes, kept *k) {
  ig_amg_parts *p = s->parts;
  for (int i = first; i < p->divided; i++) {
    k[i].all = s->level[i].nodes;
    IG_TRY(IG_NEW(s->cx, &k[i].p, k[i].all, "part of multigrid"));
    IG_TRY(IG_NEW(s->cx, &k[i].ap, k[i].all, "part of multigrid"));
    rows_mark(s, i, k[i].p, k[i].ap);
    IG_TRY(i ? number_rows(s, i, i > first ? &k[i - 1] : NULL, &k[i])
             : number_finest(s, node, nodes, &k[i]));
    p->level[i].at = (ig_lid)ig_sorted_below(k[i].node, k[i].count, p->level[i].rows.from);
  }
  return p->divided < s->levels ? whole_keep(s, p->divided, &k[p->divided]) : IG_OK;
}

static ig_status levels_cut(ig_amg *s, int first, const kept *k) {
  for (int i = first; i < s->parts->divided; i++)
    IG_TRY(level_cut(s, i, &k[i]));
  s->parts->cut = true;
  return IG_OK;
}

static ig_status cut(ig_amg *s, const ig_lid *node, ig_lid nodes, kept *k) {
  IG_TRY(numbers_make(s, 0, node, nodes, k));
  return levels_cut(s, 0, k);
}

/* Collective: all ranks agree on the outcome, since lists of ghosts are exchanged on the way. */
ig_status ig_amg_cut(ig_amg *s, const ig_amg_problem *own, const ig_lid *node, ig_lid nodes) {
  kept k[IG_AMG_LEVELS + 1] = {{0}};
  if (!s->parts || s->parts->cut)
    return IG_OK;
  const ig_status status = cut(s, node, nodes, k);
  for (int i = 0; i <= s->parts->divided; i++)
    kept_free(&k[i]);
  s->problem = *own;
  return ig_ranks_agree(s->cx, status);
}

/* --- while the hierarchy is made --- */

/* The caller's part. The next level keeps its numbers for now. */
static ig_status finest_cut(ig_amg *s, kept *k) {
  ig_amg_problem own;
  const ig_lid *node;
  ig_lid nodes;
  IG_TRY(ig_amg_show(s, 0, 1));
  IG_TRY(ig_amg_parts_begin(s));
  ig_amg_parts *p = s->parts;
  IG_TRY(ig_amg_rows_make(s, 1, 1));
  IG_TRY(ig_rows_pairs(s->cx, &p->level[0].rows, &p->level[1].rows, pattern_of(&s->level[0].p),
                       NULL, NULL, &p->give, &p->take));
  IG_TRY(s->problem.cut(s->problem.self, s, &own, &node, &nodes));
  IG_TRY(cut(s, node, nodes, k));
  s->problem = own;
  return IG_OK;
}

ig_status ig_amg_cut_finest(ig_amg *s) {
  kept k[2] = {{0}};
  ig_status status = finest_cut(s, k);
  for (int i = 0; i < 2; i++)
    kept_free(&k[i]);
  ig_amg_level *l = &s->level[0];
  ig_amg_matrix *const matrix[] = {&l->a, &l->p, &l->r, &l->ap};
  for (int i = 0; i < 4 && status == IG_OK; i++)
    status = ig_amg_open_values(s, matrix[i]);
  return ig_ranks_agree(s->cx, status);
}

/* The finest level by the numbers that the next one has now. Blocks stay where they are: of R, rows
   that fall away are empty. */
static ig_status finest_relabel(ig_amg *s, const kept *next) {
  ig_amg_level *l = &s->level[0];
  ig_array *const column[] = {&l->p.column, &l->ap.column, &l->r.row, &l->of}, start;
  const ig_lid *from = l->r.start.host;
  for (int i = 0; i < 4; i++) {
    ig_lid *at = column[i]->host;
    for (size_t n = 0; n < column[i]->count; n++)
      at[n] = at[n] < 0 ? -1 : next->number[at[n]];
    IG_TRY(ig_array_push(s->cx, column[i]));
  }
  IG_TRY(ig_array_new(s->cx, &start, (size_t)next->count + 1, sizeof(ig_lid), "multigrid pattern"));
  for (ig_lid i = 0; i < next->count; i++)
    ((ig_lid *)start.host)[i] = from[next->node[i]];
  ((ig_lid *)start.host)[next->count] = from[next->all];
  ig_array_free(s->cx, &l->r.start);
  l->r.start = start;
  l->r.m.start = start.dev;
  l->r.m.rows = next->count;
  return ig_array_push(s->cx, &l->r.start);
}

/* x of the second level for own rows of P. */
static ig_status finest_halo(ig_amg *s, const kept *next) {
  ig_amg_parts *p = s->parts;
  ig_halo_pairs *const pairs[] = {&p->give, &p->take};
  ig_halo_pairs give = p->give, take = p->take;
  for (int i = 0; i < 2; i++) {
    for (int64_t n = 0; n < pairs[i]->count; n++)
      pairs[i]->item[n].node = next->number[pairs[i]->item[n].node];
    *pairs[i] = (ig_halo_pairs){0};
  }
  return ig_halo_of_pairs(s->cx, &give, &take, sizeof(float) * (size_t)s->level[1].size,
                          &p->level[0].p);
}

static ig_status rest_cut(ig_amg *s, kept *k) {
  if (s->parts->divided == 1)
    return IG_OK;
  IG_TRY(numbers_make(s, 1, NULL, 0, k));
  IG_TRY(finest_relabel(s, &k[1]));
  IG_TRY(finest_halo(s, &k[1]));
  return levels_cut(s, 1, k);
}

/* Of a hierarchy of one level, or none that was cut before, all. */
ig_status ig_amg_cut_rest(ig_amg *s) {
  kept k[IG_AMG_LEVELS + 1] = {{0}};
  ig_amg_problem own;
  const ig_lid *node;
  ig_lid nodes;
  if (!s->parts || !s->parts->cut) {
    if (!s->parts || !s->problem.cut)
      return IG_OK;
    IG_TRY(s->problem.cut(s->problem.self, s, &own, &node, &nodes));
    return ig_amg_cut(s, &own, node, nodes);
  }
  const ig_status status = rest_cut(s, k);
  for (int i = 0; i <= s->parts->divided; i++)
    kept_free(&k[i]);
  return ig_ranks_agree(s->cx, status);
}
