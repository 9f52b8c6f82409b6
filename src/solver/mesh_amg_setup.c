/* Smoothed aggregation: what stays the same for all designs, made on the host for unit moduli.

     strong neighbours form aggregates (couplings and joins on the device)
     near-null modes, cut to aggregates and made orthonormal: the tentative prolongator
     patterns of A P0 (the prolongator's), A P and P^T A P
   until a dense inverse is cheap.

   The modes are the rigid-body motions of elasticity, or the constant. Solid and void share
   aggregates: smoothing with the design's own matrix bends the prolongator around them. */
#include "backend/backend.h"
#include "core/threads.h"
#include "mesh/topology.h"
#include "solver/mesh_amg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* --- patterns --- */

typedef struct {
  ig_lid rows, cols;
  ig_lid *start, *column; /* columns rising in each row */
} pattern;

static void pattern_free(pattern *p) {
  free(p->start);
  free(p->column);
  memset(p, 0, sizeof *p);
}

static int thread_now(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

/* c = a b. b's rows need not be sorted. */
static ig_status multiply(ig_ctx *cx, const pattern *a, const pattern *b, pattern *c) {
  ig_lid *marks = NULL;
  ig_status status;
  const size_t marked = (size_t)cx->threads * (size_t)b->cols;
  *c = (pattern){.rows = a->rows, .cols = b->cols};
  IG_TRY_GOTO(status, done, IG_NEW(cx, &c->start, (size_t)a->rows + 1, "multigrid pattern"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &marks, marked, "multigrid setup"));
  for (int pass = 0; pass < 2; pass++) { /* count, then fill; marks of their own, 0: none */
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, a->rows, IG_WORK_ROW))
    for (ig_lid i = 0; i < a->rows; i++) {
      ig_lid *mark = marks + (size_t)thread_now() * (size_t)b->cols;
      ig_lid *list = pass ? c->column + c->start[i] : NULL, n = 0;
      const ig_lid seen = pass ? -1 - i : 1 + i;
      for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++)
        for (ig_lid j = b->start[a->column[k]]; j < b->start[a->column[k] + 1]; j++) {
          const ig_lid col = b->column[j];
          if (mark[col] == seen)
            continue;
          mark[col] = seen;
          if (pass)
            list[n] = col;
          n++;
        }
      if (pass)
        ig_lids_sort(list, n);
      else
        c->start[i + 1] = n;
    }
    if (pass == 0) {
      for (ig_lid i = 0; i < a->rows; i++) {
        if (c->start[i + 1] > INT32_MAX - c->start[i]) {
          status = IG_FAIL(cx, IG_MEMORY, "the mesh is too large for multigrid: use block_jacobi");
          goto done;
        }
        c->start[i + 1] += c->start[i];
      }
      IG_TRY_GOTO(status, done,
                  IG_NEW(cx, &c->column, (size_t)c->start[a->rows], "multigrid pattern"));
    }
  }
done:
  free(marks);
  if (status != IG_OK)
    pattern_free(c);
  return status;
}

/* The transpose, and where each of its entries is in a. */
static ig_status transpose(ig_ctx *cx, const pattern *a, pattern *t, ig_lid **from) {
  const size_t count = (size_t)a->start[a->rows];
  ig_status status;
  *t = (pattern){.rows = a->cols, .cols = a->rows};
  *from = NULL;
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &t->start, (size_t)a->cols + 2, "multigrid pattern"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &t->column, count, "multigrid pattern"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, from, count, "multigrid pattern"));
  for (size_t k = 0; k < count; k++)
    t->start[a->column[k] + 2]++;
  for (ig_lid i = 0; i <= a->cols; i++)
    t->start[i + 1] += t->start[i];
  /* every thread looks at all entries and takes those of its own rows, in their order */
  const int team = ig_team(cx, (int64_t)count, IG_WORK_VALUE);
#pragma omp parallel for schedule(static) num_threads(team)
  for (int part = 0; part < team; part++) {
    const ig_lid low = (ig_lid)((int64_t)a->cols * part / team);
    const ig_lid high = (ig_lid)((int64_t)a->cols * (part + 1) / team);
    for (ig_lid i = 0; i < a->rows; i++)
      for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++)
        if (a->column[k] >= low && a->column[k] < high) {
          const ig_lid at = t->start[a->column[k] + 1]++;
          t->column[at] = i;
          (*from)[at] = k;
        }
  }
  return IG_OK;
failed:
  pattern_free(t);
  free(*from);
  *from = NULL;
  return status;
}

static ig_status push_pattern(ig_amg *s, const pattern *p, int br, int bc, ig_amg_matrix *m) {
  const size_t blocks = (size_t)p->start[p->rows];
  IG_TRY(ig_array_from(s->cx, &m->start, p->start, (size_t)p->rows + 1, sizeof(ig_lid),
                       "multigrid pattern"));
  IG_TRY(ig_array_from(s->cx, &m->column, p->column, blocks, sizeof(ig_lid), "multigrid pattern"));
  IG_TRY(ig_array_new_device(s->cx, &m->row, blocks, sizeof(ig_lid), "multigrid pattern"));
  m->m = (ig_bsr){p->rows, (int64_t)blocks, br, bc, m->start.dev, m->column.dev, m->row.dev, NULL};
  IG_TRY(s->ops->rows(s->cx, &m->m, m->row.dev));
  return ig_amg_open_values(s, m);
}

/* Which nodes share an element. */
static ig_status mesh_pattern(ig_amg *s, pattern *a) {
  const ig_amg_problem *p = &s->problem;
  ig_csr around = {0};
  pattern corners = {.rows = p->elements, .cols = p->nodes};
  const int npe = p->hex->scatter.npe;
  IG_TRY(ig_mesh_node_elements(s->cx, p->nodes, p->elements, npe, p->conn, &around));
  ig_status status = IG_NEW(s->cx, &corners.start, (size_t)p->elements + 1, "multigrid pattern");
  for (ig_lid e = 0; status == IG_OK && e <= p->elements; e++)
    corners.start[e] = npe * e;
  corners.column = (ig_lid *)p->conn; /* only read */
  const pattern at = {p->nodes, p->elements, around.start, around.item};
  if (status == IG_OK)
    status = multiply(s->cx, &at, &corners, a);
  free(corners.start);
  ig_csr_free(&around);
  return status;
}

/* --- modes --- */

/* Rigid-body motions about the middle of the mesh or the constant, 0 where held:
   nodes x size x modes. */
static ig_status near_null_modes(const ig_amg *s, double **modes) {
  const ig_amg_problem *p = &s->problem;
  IG_TRY(IG_NEW(s->cx, modes, (p->size == 3 ? 18 : 1) * (size_t)p->nodes, "multigrid modes"));
  if (p->size == 1) {
    for (ig_lid n = 0; n < p->nodes; n++)
      (*modes)[n] = p->fix[n] & 1 ? 0 : 1;
    return IG_OK;
  }
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double size = 0;
  for (size_t i = 0; i < 3 * (size_t)p->nodes; i++) {
    low[i % 3] = fmin(low[i % 3], p->x[i]);
    high[i % 3] = fmax(high[i % 3], p->x[i]);
  }
  for (int d = 0; d < 3; d++)
    size = fmax(size, high[d] - low[d]);
#pragma omp parallel for schedule(static) num_threads(ig_team(s->cx, p->nodes, IG_WORK_NODE))
  for (ig_lid n = 0; n < p->nodes; n++) {
    double *m = *modes + 18 * (size_t)n, y[3];
    for (int d = 0; d < 3; d++)
      y[d] = (p->x[3 * (size_t)n + (size_t)d] - 0.5 * (low[d] + high[d])) / size;
    const double all[18] = {1,     0, 0,    0, y[2], -y[1], 0,    1,     0,
                            -y[2], 0, y[0], 0, 0,    1,     y[1], -y[0], 0};
    for (int i = 0; i < 18; i++)
      m[i] = p->fix[n] >> (i / 6) & 1 ? 0 : all[i];
  }
  return IG_OK;
}

/* The modes cut to aggregates and made orthonormal, one block per node, in place of `modes`; what
   is lost are the modes of the aggregates. Columns that an aggregate cannot tell apart stay empty.
 */
static ig_status make_orthonormal(ig_ctx *cx, ig_lid nodes, int size, int count, const ig_lid *of,
                                  ig_lid aggregates, double *modes, double **coarse) {
  ig_csr members = {0};
  ig_status status;
  const size_t width = (size_t)size * (size_t)count;
  *coarse = NULL;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &members.start, (size_t)aggregates + 2, "aggregates"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &members.item, nodes, "aggregates"));
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, coarse, (size_t)aggregates * (size_t)(count * count), "coarse modes"));
  for (ig_lid i = 0; i < nodes; i++)
    if (of[i] >= 0)
      members.start[of[i] + 2]++;
  for (ig_lid g = 0; g <= aggregates; g++)
    members.start[g + 1] += members.start[g];
  for (ig_lid i = 0; i < nodes; i++)
    if (of[i] >= 0)
      members.item[members.start[of[i] + 1]++] = i;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, aggregates, IG_WORK_ROW))
  for (ig_lid g = 0; g < aggregates; g++) {
    const ig_lid *item = members.item + members.start[g];
    const ig_lid n = members.start[g + 1] - members.start[g];
    double *r = *coarse + (size_t)g * (size_t)(count * count);
#define EACH(v)                                                                                    \
  for (ig_lid m = 0; m < n; m++)                                                                   \
    for (double *v = modes + (size_t)item[m] * width, *v##_end = v + width; v < v##_end; v += count)
    for (int c = 0; c < count; c++) {
      double before = 0, after = 0;
      EACH(v) before += v[c] * v[c];
      for (int again = 0; again < 2; again++)
        for (int o = 0; o < c; o++) {
          double dot = 0;
          EACH(v) dot += v[c] * v[o];
          EACH(v) v[c] -= dot * v[o];
          r[o * count + c] += dot;
        }
      EACH(v) after += v[c] * v[c];
      const double norm = after > 1e-14 * before && after > 0 ? sqrt(after) : 0;
      EACH(v) v[c] = norm > 0 ? v[c] / norm : 0;
      r[c * count + c] = norm;
    }
#undef EACH
  }
done:
  ig_csr_free(&members);
  if (status != IG_OK) {
    free(*coarse);
    *coarse = NULL;
  }
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
  IG_TRY(ig_array_new(s->cx, &c->strong, blocks, 1, "aggregation"));
  IG_TRY(s->ops->norms(s->cx, a, c->norm.dev, c->largest.dev, c->strong.dev));
  return ig_array_pull(s->cx, &c->strong);
}

/* A node that is in no aggregate begins one with its strong neighbours that are in none; `alone`:
   only if none of them is in any. */
static void begin_aggregates(const pattern *a, const uint8_t *strong, bool alone, ig_lid *of,
                             ig_lid *count) {
  for (ig_lid i = 0; i < a->rows; i++) {
    bool any = false, taken = false;
    if (of[i] >= 0)
      continue;
    for (ig_lid k = a->start[i]; k < a->start[i + 1] && !(alone && taken); k++)
      if (strong[k]) {
        any = true;
        taken = of[a->column[k]] >= 0;
      }
    if (!any || (alone && taken))
      continue;
    of[i] = *count;
    for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++)
      if (strong[k] && of[a->column[k]] < 0)
        of[a->column[k]] = *count;
    ++*count;
  }
}

/* Aggregates of strongly coupled nodes: -1 where a node is coupled to none. First nodes with all
   their neighbours; what is left between them joins the one it is coupled to most, or others. */
static ig_status aggregate(ig_amg *s, const ig_bsr *matrix, const pattern *a, const couplings *c,
                           ig_array *of, ig_lid *count) {
  ig_lid *to = of->host;
  ig_array joined = {0};
  ig_status status;
  IG_TRY(ig_array_new(s->cx, &joined, (size_t)a->rows, sizeof(ig_lid), "aggregates"));
  memset(to, 0xff, (size_t)a->rows * sizeof *to);
  *count = 0;
  begin_aggregates(a, c->strong.host, true, to, count);
  IG_TRY_GOTO(status, done, ig_array_push(s->cx, of));
  IG_TRY_GOTO(status, done,
              s->ops->join(s->cx, matrix, c->norm.dev, c->strong.dev, of->dev, *count, joined.dev));
  IG_TRY_GOTO(status, done, ig_array_pull(s->cx, &joined));
  for (ig_lid i = 0; i < a->rows; i++)
    to[i] = to[i] < 0 ? ((const ig_lid *)joined.host)[i] : to[i];
  begin_aggregates(a, c->strong.host, false, to, count);
  status = ig_array_push(s->cx, of);
done:
  ig_array_free(s->cx, &joined);
  return status;
}

/* --- levels --- */

static ig_status level_vectors(ig_amg *s, ig_amg_level *l) {
  const size_t n = (size_t)l->nodes * (size_t)l->size;
  ig_array *const arrays[] = {&l->b, &l->x, &l->d, &l->ax};
  for (int i = 0; i < 4; i++)
    IG_TRY(ig_array_new_device(s->cx, arrays[i], n, sizeof(float), "multigrid vectors"));
  IG_TRY(ig_array_new_device(s->cx, &l->inverse, n * (size_t)l->size, sizeof(float), "smoother"));
  IG_TRY(ig_array_new(s->cx, &l->noise, n, sizeof(float), "multigrid vectors"));
  uint32_t seed = 1;
  for (size_t i = 0; i < n; i++) {
    seed = 1664525U * seed + 1013904223U;
    ((float *)l->noise.host)[i] = (float)(seed / 4294967296.0 - 0.5);
  }
  l->lambda = 2;
  return ig_array_push(s->cx, &l->noise);
}

static ig_status level_diagonal(ig_amg *s, ig_amg_level *l, const pattern *a) {
  IG_TRY(ig_array_new(s->cx, &l->diagonal, (size_t)a->rows, sizeof(ig_lid), "diagonal"));
  ig_lid *diagonal = l->diagonal.host;
#pragma omp parallel for schedule(static) num_threads(ig_team(s->cx, a->rows, IG_WORK_NODE))
  for (ig_lid i = 0; i < a->rows; i++)
    for (ig_lid k = a->start[i]; k < a->start[i + 1]; k++)
      if (a->column[k] == i)
        diagonal[i] = k;
  return ig_array_push(s->cx, &l->diagonal);
}

static ig_status push_single(ig_ctx *cx, ig_array *to, const double *from, size_t n) {
  IG_TRY(ig_array_new(cx, to, n, sizeof(float), "prolongator"));
  float *single = to->host;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, (int64_t)n, IG_WORK_VALUE))
  for (size_t i = 0; i < n; i++)
    single[i] = (float)from[i];
  return ig_array_push(cx, to);
}

/* The next level: aggregates, prolongator, pattern; *a and *modes become the next level's. */
static ig_status coarsen(ig_amg *s, int depth, pattern *a, double **modes, bool *last) {
  ig_ctx *cx = s->cx;
  ig_amg_level *l = &s->level[depth];
  const int count = s->problem.size == 3 ? IG_AMG_BLOCK : 1; /* modes */
  pattern p0 = {0}, p = {0}, r = {0}, ap = {0}, next = {0};
  ig_lid aggregates = 0, *from = NULL;
  double *coarse = NULL;
  couplings c = {0};
  ig_status status;
  *last = true;
  IG_TRY_GOTO(status, done, couplings_make(s, &l->a.m, &c));
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &l->of, (size_t)a->rows, sizeof(ig_lid), "aggregates"));
  const ig_lid *of = l->of.host;
  IG_TRY_GOTO(status, done, aggregate(s, &l->a.m, a, &c, &l->of, &aggregates));
  if (aggregates == 0 || aggregates > 0.7 * a->rows)
    goto done;
  *last = false;
  IG_TRY_GOTO(status, done,
              make_orthonormal(cx, a->rows, l->size, count, of, aggregates, *modes, &coarse));
  IG_TRY_GOTO(status, done,
              push_single(cx, &l->tentative, *modes, (size_t)a->rows * (size_t)(l->size * count)));
  p0 = (pattern){.rows = a->rows, .cols = aggregates};
  IG_TRY_GOTO(status, done, IG_NEW(cx, &p0.start, (size_t)a->rows + 1, "prolongator"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &p0.column, a->rows, "prolongator"));
  for (ig_lid i = 0; i < a->rows; i++) {
    p0.column[p0.start[i]] = of[i];
    p0.start[i + 1] = p0.start[i] + (of[i] >= 0);
  }
  IG_TRY_GOTO(status, done, multiply(cx, a, &p0, &p));
  IG_TRY_GOTO(status, done, transpose(cx, &p, &r, &from));
  IG_TRY_GOTO(status, done, multiply(cx, a, &p, &ap));
  IG_TRY_GOTO(status, done, multiply(cx, &r, &ap, &next));
  IG_TRY_GOTO(status, done, push_pattern(s, &p, l->size, count, &l->p));
  IG_TRY_GOTO(status, done, push_pattern(s, &r, count, l->size, &l->r));
  IG_TRY_GOTO(status, done, push_pattern(s, &ap, l->size, count, &l->ap));
  IG_TRY_GOTO(status, done, push_pattern(s, &next, count, count, &l[1].a));
  IG_TRY_GOTO(
      status, done,
      ig_array_from(cx, &l->from, from, (size_t)p.start[p.rows], sizeof *from, "transpose"));
  pattern_free(a);
  *a = next;
  memset(&next, 0, sizeof next);
  free(*modes);
  *modes = coarse;
  coarse = NULL;
done:
  pattern_free(&p0);
  pattern_free(&p);
  pattern_free(&r);
  pattern_free(&ap);
  pattern_free(&next);
  free(from);
  free(coarse);
  couplings_free(cx, &c);
  return status;
}

ig_status ig_amg_setup_finest(ig_amg *s) {
  pattern a;
  IG_TRY(mesh_pattern(s, &a));
  const ig_status status = push_pattern(s, &a, s->problem.size, s->problem.size, &s->level[0].a);
  pattern_free(&a);
  ig_amg_close_values(s, &s->level[0].a);
  return status;
}

ig_status ig_amg_setup(ig_amg *s) {
  const ig_amg_problem *p = &s->problem;
  pattern a = {0};
  double *modes = NULL;
  ig_status status;
  bool last = false;
  IG_TRY(ig_array_new(s->cx, &s->unit, (size_t)p->elements, sizeof(double), "unit moduli"));
  for (ig_lid e = 0; e < p->elements; e++)
    ((double *)s->unit.host)[e] = 1;
  IG_TRY(ig_array_push(s->cx, &s->unit));
  IG_TRY_GOTO(status, done, mesh_pattern(s, &a));
  IG_TRY_GOTO(status, done, push_pattern(s, &a, p->size, p->size, &s->level[0].a));
  IG_TRY_GOTO(status, done, ig_amg_assemble(s, s->unit.dev));
  IG_TRY_GOTO(status, done, near_null_modes(s, &modes));
  while (!last) {
    ig_amg_level *l = &s->level[s->levels];
    const int depth = s->levels++;
    l->nodes = a.rows;
    l->size = l->a.m.br;
    IG_TRY_GOTO(status, done, level_vectors(s, l));
    IG_TRY_GOTO(status, done, level_diagonal(s, l, &a));
    const int64_t n = (int64_t)l->nodes * l->size;
    last = n <= IG_AMG_DENSE || depth + 1 == IG_AMG_LEVELS;
    if (n <= IG_AMG_DENSE)
      s->dense_n = (int)n;
    if (!last)
      IG_TRY_GOTO(status, done, coarsen(s, depth, &a, &modes, &last));
    if (!last) { /* the next level's values, for its aggregates */
      s->levels++;
      status = ig_amg_fill(s, depth);
      s->levels--;
      IG_TRY_GOTO(status, done, status);
    }
  }
  const size_t n = (size_t)s->dense_n;
  IG_TRY_GOTO(status, done,
              ig_array_new_device(s->cx, &s->dense, n * n + 1, sizeof(float), "coarsest"));
  status = ig_array_new_device(s->cx, &s->work, 2 * n * n + n + 1, sizeof(double), "coarsest");
done:
  pattern_free(&a);
  free(modes);
  ig_array_free(s->cx, &s->unit);
  ig_amg_close_values(s, &s->level[0].a);
  ig_amg_close_values(s, &s->level[0].ap);
  return status;
}
