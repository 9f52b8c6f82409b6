/* Geometric multigrid on regular grids: what stays the same for all moduli. Levels and their
   memory, supports, classes of coarse elements, bounds of the spectrum. ig_multigrid_new is the
   entry. Element matrices of the first coarse level are never stored: they are sums of moduli times
   a few tabulated matrices. */
#include "solver/grid/multigrid.h"
#include "backend/backend.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* COARSEST: unknowns of the level that is inverted; on a device as many as take no longer than a
   few levels more. MOST_KINDS: patterns of supports; the search for one is linear, and a table of
   4096 classes is already 75 MB (8 children x 24 x 24 floats each). */
enum { COARSEST = 200, COARSEST_DEVICE = 1500, MOST_KINDS = 4096 };

/* --- classes of coarse elements ---
   The matrix of a coarse element is the sum over its 2^dim children of modulus x T^T K T, T being
   trilinear interpolation with the rows of held components struck out. Elements with the same
   components held share their T, so a table of few classes serves the whole grid. */

typedef struct {
  uint8_t held[27]; /* bits of held components at the 3^dim fine nodes */
} pattern;

/* What is held at the fine nodes of coarse element (I, J, K). */
static pattern pattern_at(const ig_grid *f, const uint8_t *fix, int I, int J, int K) {
  pattern p = {{0}};
  for (int z = 0; z < (f->dim == 3 ? 3 : 1); z++)
    for (int y = 0; y < 3; y++)
      for (int x = 0; x < 3; x++) {
        const int i = 2 * I + x, j = 2 * J + y, k = 2 * K + z;
        /* nodes past the rim belong to no element that is there */
        if (i <= f->n[0] && j <= f->n[1] && k <= f->all - f->from)
          p.held[(z * 3 + y) * 3 + x] = fix[ig_grid_place(f, i, j, k)] & IG_FIX_ALL;
      }
  return p;
}

/* table[child][size x size] of one class: T^T K T for unit modulus. Child s has its node a at x (0,
   1 or 2 along each axis) among the 3^dim fine nodes of the parent; a row of t has the weights of
   the parent's corners there, none where the component is held. */
static void class_table(const ig_brick *b, const pattern *p, float *table) {
  const int size = b->size, dof = b->dof, nodes = b->nodes;
  for (int s = 0; s < nodes; s++) {
    double t[24][24] = {{0}}, kt[24][24];
    for (int a = 0; a < nodes; a++) {
      int x[3];
      for (int d = 0; d < 3; d++)
        x[d] = (s >> d & 1) + (a >> d & 1);
      const int held = p->held[(x[2] * 3 + x[1]) * 3 + x[0]];
      for (int q = 0; q < nodes; q++) {
        double w = 1;
        for (int d = 0; d < b->dim; d++)
          w *= q >> d & 1 ? 0.5 * x[d] : 1 - 0.5 * x[d];
        for (int c = 0; c < dof; c++)
          if (!(held >> c & 1))
            t[a * dof + c][q * dof + c] = w;
      }
    }
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++) {
        kt[i][j] = 0;
        for (int m = 0; m < size; m++)
          kt[i][j] += b->k[i][m] * t[m][j];
      }
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++) {
        double v = 0;
        for (int m = 0; m < size; m++)
          v += t[m][i] * kt[m][j];
        table[(size_t)(s * size + i) * size + j] = (float)v;
      }
  }
}

/* Bound of the spectrum of D^-1 A on coarse levels: that of an element with half its children gone.
   A lone child exceeds it by a fifth, within the margin a Chebyshev smoother has. */
static double coarse_lambda(const ig_brick *b, const float *table, int block) {
  double k[24 * 24] = {0};
  for (int s = 0; s < b->nodes; s += 2)
    for (int i = 0; i < b->size; i++)
      for (int j = 0; j < b->size; j++)
        k[i * 24 + j] += (double)table[(s * b->size + i) * b->size + j];
  return ig_brick_lambda(b->size, k, 24, block);
}

/* Classes are searched one after the other; neighbouring elements mostly have class 0 (nothing
   fixed), which is tried first. */
static ig_status make_classes(ig_multigrid *m, const uint8_t *fix) {
  ig_ctx *cx = m->cx;
  const ig_grid *f = &m->level[0].grid, *g = &m->level[1].grid;
  /* host order: the plane below comes first, and `kinds` points behind it */
  const int below = ig_grid_below(g); /* of a slab: the plane of ghosts, too */
  const size_t plane = (size_t)g->n[0] * (size_t)g->n[1];
  const size_t entries = (size_t)m->brick.nodes * (size_t)m->brick.size * (size_t)m->brick.size;
  IG_TRY(ig_array_new(cx, &m->kind, (size_t)ig_grid_elements(g) + below * plane, sizeof(uint16_t),
                      "classes"));
  m->kinds = (const uint16_t *)m->kind.dev + below * plane;
  uint16_t *kind = m->kind.host;
  pattern *known;
  IG_TRY(IG_NEW(cx, &known, MOST_KINDS, "classes"));
  int count = 1; /* class 0: nothing held */
  ig_status status = IG_OK;
  for (int K = -below; K < ig_grid_layers(g); K++)
    for (int J = 0; J < g->n[1]; J++)
      for (int I = 0; I < g->n[0]; I++, kind++) {
        const pattern p = pattern_at(f, fix, I, J, K);
        int c = 0;
        while (c < count && memcmp(&known[c], &p, sizeof p) != 0)
          c++;
        if (c == count) {
          if (count == MOST_KINDS) {
            status =
                IG_FAIL(cx, IG_UNSUPPORTED,
                        "the supports are too irregular for multigrid (more than %d patterns): "
                        "use the jacobi preconditioner",
                        MOST_KINDS);
            goto done;
          }
          known[count++] = p;
        }
        *kind = (uint16_t)c;
      }
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &m->table, (size_t)count * entries, sizeof(float), "class tables"));
  for (int c = 0; c < count; c++)
    class_table(&m->brick, &known[c], (float *)m->table.host + (size_t)c * entries);
  for (int l = 1; l < m->levels; l++)
    m->level[l].lambda =
        coarse_lambda(&m->brick, m->table.host, ig_multigrid_by_blocks(m) ? m->brick.dof : 1);
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->table));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->kind));
done:
  free(known);
  return status;
}

/* --- building --- */

/* How many levels there are, and their grids. */
static ig_status plan_levels(ig_multigrid *m, const ig_grid *whole) {
  ig_grid last = *whole;
  if (m->options.visits == 0)
    m->options.visits = ig_multigrid_usual_visits(whole);
  /* a device inverts more in the time that it takes to launch the kernels of further levels */
  const int usual = m->cx->backend->kernels == IG_KERNELS_CUDA ? COARSEST_DEVICE : COARSEST;
  const int coarsest = m->options.coarsest > 0 ? m->options.coarsest : usual;
  m->levels = 1;
  m->level[0].grid = m->slab ? ig_slab_grid(m->slab, 0, whole) : *whole;
  while (m->options.precondition == IG_PRECONDITION_MULTIGRID && m->levels < IG_LEVELS) {
    if (m->levels > 1 && ig_grid_nodes(&last) * last.dof <= coarsest)
      break;
    IG_TRY(ig_grid_coarsen(m->cx, &last, &last));
    m->level[m->levels].grid = m->slab ? ig_slab_grid(m->slab, m->levels, &last) : last;
    m->levels++;
  }
  return IG_OK;
}

/* Only where smoothing is all it serves: a coarse problem to be solved needs single precision. The
   first coarse level alone: it has most of the bytes. Not with springs,
   which are added to blocks off the diagonal in single precision (ig_spring_spread). */
static bool in_half(const ig_multigrid *m, int l) {
  const bool device = m->cx->backend->kernels == IG_KERNELS_CUDA;
  const ig_storage how = m->options.storage;
  return (how == IG_STORE_HALF || (how == IG_STORE_AUTO && device)) && l == 1 &&
         l < m->levels - 1 && m->springs == 0;
}

/* Not those of a Helmholtz filter. */
static bool translations_are_free(const ig_brick *b) {
  double sum = 0;
  for (int a = 0; a < b->nodes; a++)
    sum += b->k[0][a * b->dof];
  return fabs(sum) < 1e-12 * b->k[0][0];
}

/* Vectors of a level are parts of one allocation. Everything is zeroed, because halos must be zero
   and stay so. */
static ig_status make_level(ig_multigrid *m, int l, int needed) {
  ig_ctx *cx = m->cx;
  ig_level *level = &m->level[l];
  const ig_grid *g = &level->grid;
  const size_t n = (size_t)g->stored * (size_t)g->dof;
  /* parts of one arena: an allocation of each would be rounded up. vectors: x, y, d; coarse levels
     also b and the inverse diagonal */
  const size_t vectors = (l ? 5 : 3) + (ig_multigrid_paired(m, l) ? 3 : 0);
  IG_TRY(ig_array_new_device(cx, &m->arena[l], vectors * n, sizeof(float), "multigrid vectors"));
  IG_TRY(ig_array_zero(cx, &m->arena[l]));
  float *v = m->arena[l].dev;
  level->x = v;
  level->y = v + n;
  level->d = v + 2 * n;
  if (ig_multigrid_by_blocks(m) && (l == 0 || l < m->levels - 1)) {
    IG_TRY(ig_array_new_device(cx, &m->block[l], n * (size_t)g->dof, sizeof(float),
                               "inverse diagonal blocks"));
    IG_TRY(ig_array_zero(cx, &m->block[l]));
    level->block = m->block[l].dev;
  }
  if (l == 0)
    return IG_OK;
  level->b = v + 3 * n;
  level->inverse = v + 4 * n;
  if (ig_multigrid_paired(m, l)) {
    level->first = v + 5 * n;
    level->image = v + 6 * n;
    level->rest = v + 7 * n;
    const bool parts = cx->backend->kernels == IG_KERNELS_CUDA; /* whose blocks leave them there */
    IG_TRY(ig_array_new_device(cx, &m->pair[l], 1,
                               parts ? sizeof(ig_pair_state) : offsetof(ig_pair_state, partial),
                               "sums of a level"));
    IG_TRY(ig_array_zero(cx, &m->pair[l]));
    level->pair = m->pair[l].dev;
  }
  ig_grid_args_fill_f32(&level->args, g, NULL);
  level->blocks = g->dim == 3 ? 14 : 5;
  for (int b = 0; b < level->blocks; b++) {
    /* the node itself is the 14th of 27: the half from there on */
    const int q = b + 13; /* of 27, counted from the lowest corner */
    level->offset[b] = g->dim == 3 ? q % 3 - 1 + (q / 3 % 3 - 1) * g->row + (q / 9 - 1) * g->plane
                                   : (b + 4) % 3 - 1 + ((b + 4) / 3 - 1) * g->row;
  }
  const size_t entries = (size_t)(g->dof * g->dof) * (size_t)g->stored;
  const bool half = in_half(m, l);
  if (half) {
    IG_TRY(ig_array_new_device(cx, &m->half, (size_t)(level->blocks - 1) * entries, sizeof(ig_half),
                               "multigrid stencils"));
    IG_TRY(ig_array_zero(cx, &m->half));
    IG_TRY(ig_array_new_device(cx, &m->scale, 2 * (size_t)g->stored, sizeof(float), "scales"));
    IG_TRY(ig_array_zero(cx, &m->scale));
    level->half = m->half.dev;
    level->scale = m->scale.dev;
    level->unscale = level->scale + g->stored;
    level->balance = translations_are_free(&m->brick);
  }
  IG_TRY(ig_array_new_device(cx, &m->stencil[l], (half ? 1 : (size_t)level->blocks) * entries,
                             sizeof(float), "multigrid stencils"));
  IG_TRY(ig_array_zero(cx, &m->stencil[l]));
  level->stencil = m->stencil[l].dev;
  if (needed) {
    const size_t each = (size_t)m->brick.size * (size_t)m->brick.size;
    const size_t ghosts = ig_grid_below(g) ? (size_t)g->n[0] * (size_t)g->n[1] : 0;
    IG_TRY(ig_array_new_device(cx, &m->element[l], ((size_t)ig_grid_elements(g) + ghosts) * each,
                               sizeof(float), "coarse element matrices"));
    level->element = (float *)m->element[l].dev + ghosts * each;
  }
  return IG_OK;
}

/* Bytes that an exchange of ghosts takes at most, per place of a plane: a vector, a pair of scales,
   or moduli and other scalars as far as ghosts reach. Largest of what ranks exchange per place. */
static size_t ghosts_each(const ig_grid *g) {
  const int most = g->dof > g->ghosts ? g->dof : g->ghosts;
  return (size_t)(most > 2 ? most : 2) * sizeof(double);
}

/* Room for all that ranks send each other while they solve. */
static ig_status reserve(ig_multigrid *m) {
  if (!m->slab)
    return IG_OK;
  const ig_grid *g = &m->level[0].grid;
  const size_t dof = (size_t)g->dof, each = (size_t)m->brick.size * (size_t)m->brick.size;
  size_t in = 2 * (size_t)m->slab->ghosts * (size_t)g->plane * dof * sizeof(double);
  size_t sums = (size_t)(m->slab->planes + m->slab->ranks) * sizeof(double);
  /* 512: the shortest piece of a plane that is summed by itself (level_cpu.c) */
  sums *= dof * 3 * (size_t)(g->plane / 512 + 2); /* as many parts of a plane as any sum has */
  in = in > sums ? in : sums;
  for (int l = 1; l < m->levels && l <= m->slab->depth; l++) {
    const ig_grid *c = &m->level[l].grid;
    const size_t matrices = (size_t)c->n[0] * (size_t)c->n[1] * each * sizeof(float) *
                            (l == m->slab->depth ? (size_t)c->n[2] : 1);
    const size_t vector = l == m->slab->depth ? (size_t)c->stored * dof * sizeof(float) : 0;
    in = l > 1 && matrices > in ? matrices : in;
    in = vector > in ? vector : in;
  }
  for (int l = 0; l < m->levels && l < m->slab->depth; l++)
    IG_TRY(ig_slab_reserve_ghosts(&m->level[l].grid, ghosts_each(&m->level[l].grid)));
  return ig_slab_reserve(m->slab, in / (size_t)(m->slab->ranks > 2 ? 2 : 1), in);
}

/* Supports with the ghosts' and springs' own marks; all is held in the halo. */
static ig_status make_supports(ig_multigrid *m, const ig_grid *grid, const uint8_t *fix,
                               const ig_spring *spring, int springs) {
  const size_t stored = (size_t)grid->stored;
  const int ghosts = grid->slab ? grid->ghosts : 0, last = grid->all - grid->from;
  IG_TRY(ig_array_new(m->cx, &m->fix, stored, 1, "supports"));
  uint8_t *flags = m->fix.host;
  memset(flags, IG_FIX_ALL, stored);
  for (int k = -ghosts; k <= grid->n[2] + ghosts; k++)
    for (int j = 0; k >= -grid->from && k <= last && j <= grid->n[1]; j++)
      memcpy(flags + ig_grid_place(grid, 0, j, k), fix + ig_grid_place(grid, 0, j, k),
             (size_t)grid->n[0] + 1);
  for (int s = 0; s < springs; s++)
    if (spring[s].node >= 0 && spring[s].node < grid->stored)
      flags[spring[s].node] |= IG_FIX_SPRING;
  return ig_array_push(m->cx, &m->fix);
}

/* Fine grid, supports, levels, classes, the coarsest level, room for messages, work space of
   conjugate gradients. Arrays that are never written in their halo are zeroed here once. */
static ig_status build(ig_multigrid *m, const ig_grid *grid, const uint8_t *fix,
                       const ig_spring *spring, int springs) {
  ig_ctx *cx = m->cx;
  ig_grid whole = *grid;
  if (m->slab)
    IG_TRY(ig_grid_outline(cx, &whole, 3, grid->dof, (int[]){grid->n[0], grid->n[1], grid->all}));
  const size_t stored = (size_t)grid->stored;
  IG_TRY(ig_array_new_device(cx, &m->modulus, stored, sizeof(double), "moduli"));
  IG_TRY(ig_array_new_device(cx, &m->modulus32, stored, sizeof(float), "moduli in single"));
  IG_TRY(ig_array_new_device(cx, &m->inverse, stored, sizeof(float), "inverse diagonal"));
  IG_TRY(ig_array_zero(cx, &m->modulus));
  IG_TRY(ig_array_zero(cx, &m->modulus32));
  IG_TRY(ig_array_zero(cx, &m->inverse));
  IG_TRY(make_supports(m, grid, fix, spring, springs));
  if (springs)
    IG_TRY(ig_array_from(cx, &m->spring, spring, (size_t)springs, sizeof *spring, "springs"));
  /* springs are sorted by place: those of a slab's own planes follow each other */
  const int64_t own[] = {grid->first - grid->row - 1,
                         grid->first - grid->row - 1 + (grid->n[2] + 1) * grid->plane};
  /* products of this rank take its own springs; coarse levels take all (coarse_springs) */
  int begin = 0, end = springs;
  while (grid->slab && begin < springs && spring[begin].node < own[0])
    begin++;
  while (grid->slab && end > begin && spring[end - 1].node >= own[1])
    end--;
  m->springs = springs;
  ig_grid_args_fill_f64(&m->args, grid, &m->brick);
#define POINT(args, moduli)                                                                        \
  (args).modulus = (moduli).dev, (args).fix = m->fix.dev, (args).inverse = m->inverse.dev,         \
  (args).spring = (const ig_spring *)m->spring.dev + begin, (args).springs = end - begin
  POINT(m->args, m->modulus);
  ig_level *top = &m->level[0];
  IG_TRY(plan_levels(m, &whole));
  ig_grid_args_fill_f32(&top->args, grid, &m->brick);
  POINT(top->args, m->modulus32);
#undef POINT
  top->lambda = ig_multigrid_by_blocks(m)
                    ? ig_brick_lambda(m->brick.size, &m->brick.k[0][0], 24, m->brick.dof)
                    : m->brick.lambda;
  for (int l = 0; l < m->levels; l++)
    IG_TRY(make_level(m, l, l >= 2));
  if (m->levels > 1) {
    IG_TRY(make_classes(m, fix));
    const ig_grid *g = &m->level[m->levels - 1].grid;
    const int n = (int)(ig_grid_nodes(g) * g->dof);
    m->coarse_n = n;
    IG_TRY(ig_array_new(cx, &m->place, (size_t)n, sizeof(int32_t), "coarsest places"));
    int32_t *place = m->place.host;
    for (int k = 0; k <= g->n[2]; k++)
      for (int j = 0; j <= g->n[1]; j++)
        for (int i = 0; i <= g->n[0]; i++)
          for (int c = 0; c < g->dof; c++)
            *place++ = (int32_t)(c * g->stored + ig_grid_place(g, i, j, k));
    IG_TRY(ig_array_push(cx, &m->place));
    const size_t square = (size_t)n * (size_t)n;
    IG_TRY(ig_array_new_device(cx, &m->dense_work, 2 * square + (size_t)n, sizeof(double),
                               "coarsest matrix"));
    IG_TRY(ig_array_new_device(cx, &m->dense, square, sizeof(float), "coarsest inverse"));
  }
  IG_TRY(reserve(m));
  return m->options.inner ? IG_OK : ig_pcg_init(cx, &m->pcg, grid->stored * grid->dof);
}

/* *out is NULL after a failure. Time counts as set-up of the solver in the summary. */
ig_status ig_multigrid_new(ig_ctx *cx, const ig_grid *grid, const ig_brick *brick,
                           const uint8_t *fix, const ig_spring *spring, int springs,
                           const ig_multigrid_options *options, ig_multigrid **out) {
  *out = NULL;
  ig_multigrid *m;
  IG_TRY(IG_NEW(cx, &m, 1, "solver"));
  m->cx = cx;
  m->ops = ig_grid_ops_of(cx);
  m->options = *options;
  m->slab = options->slab;
  m->brick = *brick;
  const ig_phase former = ig_phase_begin(cx, IG_PHASE_SOLVER);
  const ig_status status = build(m, grid, fix, spring, springs);
  ig_phase_end(cx, former);
  if (status != IG_OK) {
    ig_multigrid_free(m);
    return status;
  }
  *out = m;
  return IG_OK;
}

ig_status ig_multigrid_levels(ig_ctx *cx, const ig_grid *whole, const ig_multigrid_options *options,
                              int *levels) {
  ig_multigrid m = {.cx = cx, .options = *options};
  IG_TRY(plan_levels(&m, whole));
  *levels = m.levels;
  return IG_OK;
}

/* Repeats the sizes of `build` and make_level as formulas: change both together. */
ig_status ig_multigrid_bytes(ig_ctx *cx, const ig_grid *grid, const ig_multigrid_options *options,
                             double *bytes) {
  ig_multigrid m = {.cx = cx, .options = *options, .slab = options->slab};
  IG_TRY(plan_levels(&m, grid));
  const double dof = grid->dof, size = dof * (1 << grid->dim),
               stored = (double)m.level[0].grid.stored;
  /* moduli in both precisions, diagonal, supports; vectors of the cycle and of the iteration */
  *bytes = stored * (8 + 4 + 4 + 1) + stored * dof * (3 * 4 + (options->inner ? 0 : 3 * 8 + 4));
  for (int l = 0; l < m.levels; l++) {
    const ig_grid *g = &m.level[l].grid;
    const double n = (double)g->stored;
    if (g->slab && ig_ranks_route(cx) == IG_WAY_NEAR) /* what neighbours write into, by turns */
      *bytes +=
          2.0 * (ig_grid_above(g) + ig_grid_below(g)) * (double)ghosts_each(g) * (double)g->plane;
    if (ig_multigrid_by_blocks(&m) && (l == 0 || l < m.levels - 1))
      *bytes += 4 * n * dof * dof;
    if (l == 0)
      continue;
    const int blocks = g->dim == 3 ? 14 : 5;
    *bytes += 4 * n * dof * (5 + (ig_multigrid_paired(&m, l) ? 3 : 0));
    *bytes += n * dof * dof * (in_half(&m, l) ? 4 + 2 * (blocks - 1) : 4 * blocks);
    *bytes +=
        l == 1 ? 2.0 * (double)ig_grid_elements(g) : 4 * (double)ig_grid_elements(g) * size * size;
  }
  /* two matrices in double and one in single */
  const double n = (double)ig_grid_nodes(&m.level[m.levels - 1].grid) * dof;
  if (m.levels > 1)
    *bytes += n * n * (2 * 8 + 4);
  return IG_OK;
}

void ig_multigrid_free(ig_multigrid *m) {
  if (!m)
    return;
  ig_array *const single[] = {&m->modulus, &m->modulus32, &m->fix,   &m->spring,
                              &m->inverse, &m->kind,      &m->table, &m->dense_work,
                              &m->dense,   &m->place,     &m->half,  &m->scale};
  for (size_t i = 0; i < sizeof single / sizeof *single; i++)
    ig_array_free(m->cx, single[i]);
  for (int l = 0; l < IG_LEVELS; l++) {
    ig_array_free(m->cx, &m->arena[l]);
    ig_array_free(m->cx, &m->pair[l]);
    ig_array_free(m->cx, &m->stencil[l]);
    ig_array_free(m->cx, &m->element[l]);
    ig_array_free(m->cx, &m->block[l]);
  }
  ig_pcg_free(m->cx, &m->pcg);
  ig_replay_forget(m->cx, &m->replay);
  free(m);
}
