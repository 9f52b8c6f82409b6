/* Smoothed aggregation: what stays the same for all designs, made for unit moduli.

     strong neighbours form aggregates (couplings and joins on the device)
     near-null modes, cut to aggregates and made orthonormal: the tentative prolongator
     patterns of A P0 (the prolongator's), A P and P^T A P
   until a dense inverse is cheap.

   The modes are the rigid-body motions of elasticity, or the constant. Solid and void share
   aggregates: smoothing with the design's own matrix bends the prolongator around them. */
#include "backend/backend.h"
#include "core/threads.h"
#include "solver/amg/mesh_amg_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- patterns --- */

/* Whether this is a level that ranks cut before it has values. */
static bool cut_first(const ig_amg *s, const ig_amg_level *l) {
  return l == &s->level[0] && s->problem.rows && s->problem.cut;
}

/* A matrix with this pattern, which belongs to the matrix from then on; `p` is empty after it.
   With `values` those are allocated, too. */
static ig_status take_pattern(ig_amg *s, ig_pattern *p, int br, int bc, bool values,
                              ig_amg_matrix *m) {
  const size_t blocks = ig_pattern_entries(p);
  m->start = p->start;
  m->column = p->column;
  m->m = (ig_bsr){p->rows, (int64_t)blocks, br, bc, m->start.dev, m->column.dev, NULL, NULL};
  memset(p, 0, sizeof *p);
  IG_TRY(ig_array_new_device(s->cx, &m->row, blocks, sizeof(ig_lid), "multigrid pattern"));
  m->m.row = m->row.dev;
  IG_TRY(s->ops->rows(s->cx, &m->m, m->row.dev));
  return values ? ig_amg_open_values(s, m) : IG_OK;
}

/* The other way, to look at: the arrays stay the matrix's, and must not be freed through it. */
static ig_pattern pattern_of(const ig_amg_matrix *m, ig_lid cols) {
  return (ig_pattern){m->m.rows, cols, m->start, m->column};
}

/* Nodes that share an element: the product of (nodes x elements) and
   (elements x nodes). The connectivity of the mesh is already the second factor, with rows of equal
   length. */
static ig_status mesh_pattern(ig_amg *s, ig_pattern *a) {
  const ig_amg_problem *p = &s->problem;
  const int npe = p->hex->scatter.npe;
  ig_pattern corners = {0}, around = {0};
  ig_array from = {0};
  ig_status status;
  IG_TRY(ig_pattern_begin(s->cx, p->elements, p->nodes, &corners));
  for (ig_lid e = 0; e <= p->elements; e++)
    ((ig_lid *)corners.start.host)[e] = npe * e;
  IG_TRY_GOTO(status, done, ig_array_push(s->cx, &corners.start));
  /* borrowed: only `start` is freed below */
  corners.column.dev = (void *)p->hex->scatter.conn; /* only read */
  IG_TRY_GOTO(status, done, s->patterns->turn(s->cx, &corners, &around, &from));
  status = s->patterns->times(s->cx, &around, &corners, a);
done:
  ig_array_free(s->cx, &from);
  ig_pattern_free(s->cx, &around);
  ig_array_free(s->cx, &corners.start);
  return status;
}

/* --- modes --- */

/* Middle and size of the box around the mesh. */
static ig_amg_frame frame_of(const ig_amg *s) {
  const ig_amg_problem *p = &s->problem;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  ig_amg_frame f = {0};
  const int team = ig_team(s->cx, p->nodes, IG_WORK_VALUE);
#pragma omp parallel for schedule(static) num_threads(team) reduction(min                          \
                                                                      : low) reduction(max         \
                                                                                       : high)
  for (ig_lid n = 0; n < p->nodes; n++)
    for (int d = 0; d < 3; d++) {
      const double x = p->x[3 * (size_t)n + (size_t)d];
      low[d] = x < low[d] ? x : low[d];
      high[d] = x > high[d] ? x : high[d];
    }
  for (int d = 0; d < 3; d++) {
    f.middle[d] = 0.5 * (low[d] + high[d]);
    f.size = fmax(f.size, high[d] - low[d]);
  }
  return f;
}

/* What A maps to almost nothing, and a smoother therefore does not see: it has to be in the coarse
   space exactly (Vanek, Mandel and Brezina 1996). */
static ig_status near_null_modes(ig_amg *s, ig_array *modes) {
  const ig_amg_problem *p = &s->problem;
  const size_t count = (p->size == 3 ? 18 : 1) * (size_t)p->nodes;
  const ig_amg_frame frame = frame_of(s);
  ig_array fix = {0};
  IG_TRY(ig_array_new_device(s->cx, modes, count, sizeof(double), "multigrid modes"));
  IG_TRY(ig_array_from(s->cx, &fix, p->fix, (size_t)p->nodes, 1, "multigrid modes"));
  const ig_status status =
      s->ops->modes(s->cx, &frame, p->nodes, p->size, p->hex->x, fix.dev, modes->dev);
  ig_array_free(s->cx, &fix);
  return status;
}

/* Each node to its aggregate. One block per node, none where a node is in no aggregate: there the
   coarse levels give nothing, and the smoother alone works. */
static ig_status tentative_pattern(ig_amg *s, const ig_array *of, ig_lid aggregates,
                                   ig_pattern *p0) {
  const ig_lid *to = of->host, nodes = (ig_lid)of->count;
  IG_TRY(ig_pattern_begin(s->cx, nodes, aggregates, p0));
  ig_lid *start = p0->start.host, at = 0;
  IG_TRY(ig_array_new(s->cx, &p0->column, of->count, sizeof(ig_lid), "prolongator"));
  for (ig_lid i = 0; i < nodes; i++) {
    if (to[i] >= 0)
      ((ig_lid *)p0->column.host)[at++] = to[i];
    start[i + 1] = at;
  }
  IG_TRY(ig_array_push(s->cx, &p0->start));
  return ig_array_push(s->cx, &p0->column);
}

/* The tentative prolongator of a level; *modes become those of the aggregates. */
static ig_status cut_modes(ig_amg *s, ig_amg_level *l, const ig_pattern *p0, int count,
                           ig_array *modes) {
  ig_ctx *cx = s->cx;
  ig_pattern members = {0};
  ig_array from = {0}, coarse = {0};
  ig_status status;
  const size_t values = (size_t)l->nodes * (size_t)(l->size * count);
  IG_TRY_GOTO(status, done, s->patterns->turn(cx, p0, &members, &from));
  IG_TRY_GOTO(status, done,
              ig_array_new_device(cx, &coarse, (size_t)p0->cols * (size_t)(count * count),
                                  sizeof(double), "coarse modes"));
  IG_TRY_GOTO(status, done,
              ig_array_new_device(cx, &l->tentative, values, sizeof(float), "prolongator"));
  const ig_amg_members m = {p0->cols, members.start.dev, members.column.dev};
  IG_TRY_GOTO(status, done,
              s->ops->orthonormal(cx, &m, l->nodes, l->size, count, modes->dev, coarse.dev,
                                  l->tentative.dev));
  ig_array_free(cx, modes);
  *modes = coarse;
  coarse = (ig_array){0};
done:
  ig_array_free(cx, &from);
  ig_array_free(cx, &coarse);
  ig_pattern_free(cx, &members);
  return status;
}

/* --- aggregates --- */

/* Couplings of the nodes of a level, on the device; which are strong, on the host, too. In
   stretched elements the long way is weak: aggregates then do not reach across. */
typedef struct {
  ig_array norm, largest, strong;
} couplings;

static void couplings_free(ig_ctx *cx, couplings *c) {
  ig_array_free(cx, &c->norm);
  ig_array_free(cx, &c->largest);
  ig_array_free(cx, &c->strong);
}

static ig_status couplings_make(ig_amg *s, const ig_bsr *a, couplings *c) {
  const size_t blocks = (size_t)a->blocks;
  IG_TRY(ig_array_new_device(s->cx, &c->norm, blocks, sizeof(double), "aggregation"));
  IG_TRY(ig_array_new_device(s->cx, &c->largest, (size_t)a->rows, sizeof(double), "aggregation"));
  IG_TRY(ig_array_new_device(s->cx, &c->strong, blocks, 1, "aggregation"));
  IG_TRY(s->ops->norms(s->cx, a, c->norm.dev, c->largest.dev, c->strong.dev));
  return ig_array_show(s->cx, &c->strong, "aggregation");
}

/* A node that is in no aggregate begins one with its strong neighbours that are in none; `alone`:
   only if none of them is in any. */
static void begin_aggregates(const ig_amg_matrix *a, const uint8_t *strong, bool alone, ig_lid *of,
                             ig_lid *count) {
  const ig_lid *start = a->start.host, *column = a->column.host;
  for (ig_lid i = 0; i < a->m.rows; i++) {
    bool any = false, taken = false;
    if (of[i] >= 0)
      continue;
    for (ig_lid k = start[i]; k < start[i + 1] && !(alone && taken); k++)
      if (strong[k]) {
        any = true;
        taken = of[column[k]] >= 0;
      }
    if (!any || (alone && taken))
      continue;
    of[i] = *count;
    for (ig_lid k = start[i]; k < start[i + 1]; k++)
      if (strong[k] && of[column[k]] < 0)
        of[column[k]] = *count;
    ++*count;
  }
}

/* Aggregates of strongly coupled nodes: -1 where a node is coupled to none. First nodes with all
   their neighbours; what is left between them joins the one it is coupled to most, or others. */
static ig_status aggregate(ig_amg *s, const ig_amg_matrix *a, const couplings *c, ig_array *of,
                           ig_lid *count) {
  const ig_lid nodes = a->m.rows;
  ig_lid *to = of->host;
  ig_array joined = {0};
  ig_status status;
  IG_TRY(ig_array_new(s->cx, &joined, (size_t)nodes, sizeof(ig_lid), "aggregates"));
  memset(to, 0xff, (size_t)nodes * sizeof *to);
  *count = 0;
  begin_aggregates(a, c->strong.host, true, to, count);
  IG_TRY_GOTO(status, done, ig_array_push(s->cx, of));
  IG_TRY_GOTO(status, done,
              s->ops->join(s->cx, &a->m, c->norm.dev, c->strong.dev, of->dev, *count, joined.dev));
  IG_TRY_GOTO(status, done, ig_array_pull(s->cx, &joined));
  for (ig_lid i = 0; i < nodes; i++)
    to[i] = to[i] < 0 ? ((const ig_lid *)joined.host)[i] : to[i];
  begin_aggregates(a, c->strong.host, false, to, count);
  status = ig_array_push(s->cx, of);
done:
  ig_array_free(s->cx, &joined);
  return status;
}

/* --- levels --- */

/* A step of a linear congruential generator, x to factor x + term modulo 2^32 (constants of
   Numerical Recipes). Steps compose to steps, so a thread can jump to its place in the sequence. */
typedef struct {
  uint32_t factor, term;
} random_step;

/* `count` steps as one, by repeated squaring. */
static random_step random_steps(size_t count) {
  random_step all = {1, 0}, power = {1664525U, 1013904223U};
  for (; count; count /= 2) {
    if (count % 2)
      all = (random_step){power.factor * all.factor, power.factor * all.term + power.term};
    power = (random_step){power.factor * power.factor, power.factor * power.term + power.term};
  }
  return all;
}

/* Numbers from -0.5 to 0.5, the same for any number of threads. */
static void random_fill(const ig_ctx *cx, size_t n, float *to) {
  enum { PIECE = 1 << 16 };
  const random_step one = random_steps(1);
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, (int64_t)n, IG_WORK_VALUE))
  for (size_t begin = 0; begin < n; begin += PIECE) {
    const random_step there = random_steps(begin);
    uint32_t seed = there.factor + there.term; /* from 1 on */
    for (size_t i = begin; i < n && i < begin + PIECE; i++) {
      seed = one.factor * seed + one.term;
      to[i] = (float)(seed / 4294967296.0 - 0.5);
    }
  }
}

/* Vectors and noise of a level. lambda starts at 2 and is replaced by an estimate with the first
   values; it only scales the power iteration until then. */
static ig_status level_vectors(ig_amg *s, ig_amg_level *l) {
  const size_t n = (size_t)l->nodes * (size_t)l->size;
  ig_array *const arrays[] = {&l->b, &l->x, &l->d, &l->ax};
  for (int i = 0; i < 4; i++)
    IG_TRY(ig_array_new_device(s->cx, arrays[i], n, sizeof(float), "multigrid vectors"));
  IG_TRY(ig_array_new_device(s->cx, &l->inverse, n * (size_t)l->size, sizeof(float), "smoother"));
  IG_TRY(ig_array_new(s->cx, &l->noise, n, sizeof(float), "multigrid vectors"));
  random_fill(s->cx, n, l->noise.host);
  IG_TRY(ig_array_new_device(s->cx, &l->diagonal, (size_t)l->nodes, sizeof(ig_lid), "diagonal"));
  IG_TRY(s->ops->diagonal(s->cx, &l->a.m, l->diagonal.dev));
  l->lambda = 2;
  return ig_array_push(s->cx, &l->noise);
}

/* Patterns of P, its transpose, A P and the next level's A, and matrices with them. */
static ig_status level_patterns(ig_amg *s, ig_amg_level *l, const ig_pattern *p0, int count) {
  ig_ctx *cx = s->cx;
  const bool values = !cut_first(s, l);
  const ig_pattern a = pattern_of(&l->a, l->nodes);
  ig_pattern p = {0}, r = {0}, ap = {0}, next = {0};
  ig_status status;
  IG_TRY_GOTO(status, done, s->patterns->times(cx, &a, p0, &p));
  IG_TRY_GOTO(status, done, s->patterns->turn(cx, &p, &r, &l->from));
  IG_TRY_GOTO(status, done, s->patterns->times(cx, &a, &p, &ap));
  IG_TRY_GOTO(status, done, s->patterns->times(cx, &r, &ap, &next));
  IG_TRY_GOTO(status, done, take_pattern(s, &p, l->size, count, values, &l->p));
  IG_TRY_GOTO(status, done, take_pattern(s, &r, count, l->size, values, &l->r));
  IG_TRY_GOTO(status, done, take_pattern(s, &ap, l->size, count, values, &l->ap));
  status = take_pattern(s, &next, count, count, true, &l[1].a);
done:
  ig_pattern_free(cx, &p);
  ig_pattern_free(cx, &r);
  ig_pattern_free(cx, &ap);
  ig_pattern_free(cx, &next);
  return status;
}

/* The next level: aggregates, prolongator, patterns; *modes become the next level's. *last: no
   further level was made. */
static ig_status coarsen(ig_amg *s, int depth, ig_array *modes, bool *last) {
  ig_ctx *cx = s->cx;
  ig_amg_level *l = &s->level[depth];
  const int count = s->problem.size == 3 ? IG_AMG_BLOCK : 1; /* modes */
  ig_pattern p0 = {0};
  ig_lid aggregates = 0;
  couplings c = {0};
  ig_status status;
  *last = true;
  IG_TRY_GOTO(status, done, couplings_make(s, &l->a.m, &c));
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &l->of, (size_t)l->nodes, sizeof(ig_lid), "aggregates"));
  IG_TRY_GOTO(status, done, aggregate(s, &l->a, &c, &l->of, &aggregates));
  couplings_free(cx, &c);
  /* a level that hardly shrinks costs more than it helps: the hierarchy ends here */
  if (aggregates == 0 || aggregates > 0.7 * l->nodes)
    goto done;
  *last = false;
  if (cut_first(s, l)) /* made anew of own rows */
    ig_amg_close_values(s, &l->a);
  IG_TRY_GOTO(status, done, tentative_pattern(s, &l->of, aggregates, &p0));
  IG_TRY_GOTO(status, done, cut_modes(s, l, &p0, count, modes));
  status = level_patterns(s, l, &p0, count);
done:
  ig_pattern_free(cx, &p0);
  couplings_free(cx, &c);
  return status;
}

/* Blocks of nodes that share an element. */
static ig_status finest_matrix(ig_amg *s) {
  ig_pattern a = {0};
  IG_TRY(mesh_pattern(s, &a));
  return take_pattern(s, &a, s->problem.size, s->problem.size, true, &s->level[0].a);
}

ig_status ig_amg_setup_finest(ig_amg *s) {
  IG_TRY(finest_matrix(s));
  ig_amg_close_values(s, &s->level[0].a);
  return ig_amg_show_pattern(s, &s->level[0].a);
}

/* The finest level on several ranks: each makes values of its own rows, and gets all of the next
   level's matrix. */
static ig_status fill_first(ig_amg *s) {
  ig_amg_level *l = &s->level[0];
  l[1].nodes = l[1].a.m.rows;
  IG_TRY(ig_amg_cut_finest(s));
  IG_TRY(ig_amg_assemble(s, s->unit.dev));
  IG_TRY(ig_amg_fill(s, 0));
  ig_amg_close_values(s, &l->a);
  ig_amg_close_values(s, &l->ap);
  return IG_OK;
}

/* Level after level, with values for unit moduli: strength of couplings on the next level is taken
   from its matrix. The loop ends at a dense level, at the last possible one, or where coarsening
   stalls (then the coarsest level is smoothed only, dense_n is 0). */
ig_status ig_amg_setup(ig_amg *s) {
  const ig_amg_problem *p = &s->problem;
  ig_array modes = {0};
  ig_status status;
  bool last = false;
  IG_TRY(ig_array_new(s->cx, &s->unit, (size_t)p->elements, sizeof(double), "unit moduli"));
  for (ig_lid e = 0; e < p->elements; e++)
    ((double *)s->unit.host)[e] = 1;
  IG_TRY(ig_array_push(s->cx, &s->unit));
  IG_TRY_GOTO(status, done, finest_matrix(s));
  IG_TRY_GOTO(status, done, ig_amg_assemble(s, s->unit.dev));
  IG_TRY_GOTO(status, done, near_null_modes(s, &modes));
  while (!last) {
    ig_amg_level *l = &s->level[s->levels];
    const int depth = s->levels++;
    l->nodes = l->a.m.rows;
    l->size = l->a.m.br;
    IG_TRY_GOTO(status, done, ig_amg_show_pattern(s, &l->a));
    IG_TRY_GOTO(status, done, level_vectors(s, l));
    const int64_t n = (int64_t)l->nodes * l->size;
    /* small enough to be inverted, or no space for more levels */
    last = n <= IG_AMG_DENSE || depth + 1 == IG_AMG_LEVELS;
    if (n <= IG_AMG_DENSE)
      s->dense_n = (int)n;
    if (!last)
      IG_TRY_GOTO(status, done, coarsen(s, depth, &modes, &last));
    if (!last) { /* the next level's values, for its aggregates */
      /* ig_amg_fill asks whether there is a next level: for it there is one already */
      s->levels++;
      status = cut_first(s, l) ? fill_first(s) : ig_amg_fill(s, depth);
      s->levels--;
      IG_TRY_GOTO(status, done, status);
    }
  }
  const size_t n = (size_t)s->dense_n;
  IG_TRY_GOTO(status, done,
              ig_array_new_device(s->cx, &s->dense, n * n + 1, sizeof(float), "coarsest"));
  status = ig_array_new_device(s->cx, &s->work, 2 * n * n + n + 1, sizeof(double), "coarsest");
done:
  ig_array_free(s->cx, &modes);
  ig_array_free(s->cx, &s->unit);
  ig_amg_close_values(s, &s->level[0].a);
  ig_amg_close_values(s, &s->level[0].ap);
  return status;
}
