/* A mesh divided between ranks: each computes a range of nodes. Either it has that part of the mesh
   and a range of elements of the design alone (mesh_cut.c), or the mesh, the design and whole
   vectors are on every rank, and everything beside a solve is done by all alike.

   Sums are made of blocks of nodes in the order of the mesh, on one rank, too: their bits do not
   depend on the division, which is at multiples of such blocks. */
#include "topopt/mesh_model.h"
#include "assembly/part.h"
#include "backend/backend.h"
#include "solver/pcg.h"
#include "topopt/divide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of a block; blocks between two cuts. */
enum { BLOCK = 128, UNIT = 4 };

/* The element products of own nodes: those of the whole with fewer elements. */
static ig_status products_cut(ig_topopt_mesh_model *m, const uint8_t *mine) {
  ig_topopt_mesh_part *p = &m->part;
  IG_TRY(ig_plan_part(m->cx, &m->plan, mine, &p->plan));
  p->hex = m->hex;
  p->hex.scatter = ig_plan_view(&p->plan);
  if (m->plan.how == IG_GATHER) {
    IG_TRY(ig_plan_part(m->cx, &m->colors, mine, &p->colors));
    p->hex_colors = m->hex_colors;
    p->hex_colors.scatter = ig_plan_view(&p->colors);
  }
  if (m->size == 1)
    return IG_OK;
  p->op = m->op;
  p->op.plan = (ig_plan){0};
  IG_TRY(ig_plan_part(m->cx, &m->op.plan, mine, &p->op.plan));
  p->op.args.scatter = ig_plan_view(&p->op.plan);
  return IG_OK;
}

ig_status ig_topopt_mesh_part_single(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_part *p = &m->part;
  if (!p->rows.start || m->size == 1)
    return IG_OK;
  p->op_single = m->op_single;
  p->op_single.plan = m->op_single.plan;
  p->op_single.plan.order = p->op.plan.order; /* the same elements in the same order */
  p->op_single.plan.start = p->op.plan.start;
  p->op_single.args.scatter = ig_plan_view(&p->op_single.plan);
  return IG_OK;
}

/* Own blocks of sums over `rows` of `length` values each. */
static ig_status sums_divide(ig_topopt_mesh_model *m, const ig_rows *rows, ig_lid length,
                             ig_lid size, ig_slab **slab, ig_grid *sums) {
  int to;
  IG_TRY(ig_rows_slab(m->cx, rows, length, slab));
  sums->slab = *slab;
  ig_slab_range(*slab, 0, rows->rank, &sums->from, &to);
  sums->n[2] = to - sums->from - 1;
  if (m->cx->backend->kernels == IG_KERNELS_CUDA)
    sums->stored = (int64_t)size * (rows->to - rows->from);
  return IG_OK;
}

/* Elements go where most of their nodes are: as many as have their lowest node below a rank's first
   come before its own, up to whole blocks. */
static ig_status cells_divide(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_part *p = &m->part;
  const int npe = m->info->nodes;
  const int64_t unit = UNIT * m->cells.plane;
  ig_lid *below;
  IG_TRY(ig_rows_new(m->cx, m->elements, 1, &p->cells));
  IG_TRY(IG_NEW(m->cx, &below, (size_t)m->nodes + 1, "division of elements"));
  for (ig_lid e = 0; e < m->elements; e++) {
    ig_lid least = m->conn[(int64_t)npe * e];
    for (int a = 1; a < npe; a++)
      least = m->conn[(int64_t)npe * e + a] < least ? m->conn[(int64_t)npe * e + a] : least;
    below[least + 1]++;
  }
  for (ig_lid n = 0; n < m->nodes; n++)
    below[n + 1] += below[n];
  for (int r = 0; r < p->rows.ranks; r++) {
    const int64_t at = (below[p->rows.start[r]] + unit / 2) / unit * unit;
    p->cells.start[r] = at < m->elements ? (ig_lid)at : m->elements;
  }
  p->cells.from = p->cells.start[p->cells.rank];
  p->cells.to = p->cells.start[p->cells.rank + 1];
  free(below);
  return IG_OK;
}

static ig_status divide(ig_topopt_mesh_model *m) {
  ig_ctx *cx = m->cx;
  ig_topopt_mesh_part *p = &m->part;
  uint8_t *mine = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &mine, m->elements, "division of elements"));
  IG_TRY_GOTO(status, done,
              ig_rows_halo_elements(cx, &p->rows, m->elements, m->info->nodes, m->conn, NULL,
                                    sizeof(double) * (size_t)m->size, mine, &p->ghosts));
  IG_TRY_GOTO(status, done, products_cut(m, mine));
  for (ig_lid e = 0; e < m->elements; e++)
    p->elements += mine[e];
  p->own_values[0] = (int64_t)m->size * p->rows.from;
  p->own_values[1] = (int64_t)m->size * p->rows.to;
  m->system.own = p->own_values;
  m->d.together = true;
done:
  free(mine);
  return ig_ranks_agree(cx, status);
}

ig_status ig_topopt_mesh_part_new(ig_topopt_mesh_model *m) {
  return m->part.rows.start ? divide(m) : IG_OK;
}

/* Blocks of `length` of `count` things of `size` values. */
static ig_grid blocks_of(int64_t count, int64_t length, int size) {
  const int blocks = (int)((count + length - 1) / length);
  return (ig_grid){.dim = 3,
                   .dof = 1,
                   .n = {0, 0, blocks - 1},
                   .row = 1,
                   .all = blocks - 1,
                   .plane = length * size,
                   .stored = count * size};
}

ig_grid ig_topopt_mesh_blocks(const ig_topopt_mesh_model *m) {
  ig_grid own = m->sums;
  own.plane /= m->size;
  own.stored /= m->size;
  return m->part.alone ? own : blocks_of(m->nodes, BLOCK, 1);
}

ig_status ig_topopt_mesh_part_choose(ig_topopt_mesh_model *m) {
  enum { MOST = 1 << 14 }; /* blocks of elements, for which a GPU's sums have room */
  const bool gpu = m->cx->backend->kernels == IG_KERNELS_CUDA;
  ig_topopt_mesh_part *p = &m->part;
  ig_lid length = BLOCK;
  const char *why;
  if (gpu && m->plan.how == IG_ATOMIC) /* no two sums are alike: they may be made in any way */
    return IG_OK;
  while (m->elements / length > MOST)
    length *= 2;
  m->sums = blocks_of(m->nodes, BLOCK, m->size);
  m->cells = blocks_of(m->elements, length, 1);
  m->system.grid = &m->sums;
  if (gpu && (int64_t)m->nodes < (int64_t)UNIT * BLOCK * ig_ranks_count(m->cx->ranks))
    return IG_OK; /* a launch needs something to do */
  if (!ig_topopt_mesh_divisible(m->cx, m->c, m->how, &why))
    return IG_OK;
  p->whole = (int64_t)m->nodes * m->size <= IG_AMG_DENSE ? "it is small" : NULL;
  p->alone = !p->whole;
  IG_TRY(ig_rows_new(m->cx, m->nodes, UNIT * BLOCK, &p->rows));
  ig_status status = sums_divide(m, &p->rows, BLOCK, m->size, &p->slab, &m->sums);
  if (status == IG_OK && p->alone)
    status = cells_divide(m);
  for (int r = 0; gpu && status == IG_OK && r < p->cells.ranks; r++)
    if (p->cells.start[r] == p->cells.start[r + 1])
      p->whole = "a rank would have no elements";
  p->alone = !p->whole;
  if (status == IG_OK && p->alone)
    status = sums_divide(m, &p->cells, length, 1, &p->cell_slab, &m->cells);
  return ig_ranks_agree(m->cx, status);
}

void ig_topopt_mesh_part_free(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_part *p = &m->part;
  ig_plan_part_free(m->cx, &p->plan);
  ig_plan_part_free(m->cx, &p->colors);
  ig_plan_part_free(m->cx, &p->op.plan);
  ig_halo *const halo[] = {&p->ghosts, &p->states, &p->moduli};
  ig_array *const arrays[] = {&p->around, &p->fix, &p->share};
  ig_array_free(m->cx, &p->counted);
  for (int i = 0; i < 3; i++) {
    ig_halo_free(m->cx, halo[i]);
    ig_array_free(m->cx, arrays[i]);
  }
  free(p->node);
  free(p->touched);
  free(p->crossing);
  free(p->centers);
  ig_slab_free(p->slab);
  ig_slab_free(p->cell_slab);
  ig_rows_free(&p->cells);
  ig_rows_free(&p->rows);
}

/* --- own elements, own nodes --- */

ig_lid ig_topopt_mesh_number(const ig_topopt_mesh_model *m, ig_lid *number) {
  const ig_rows *cells = &m->part.cells;
  ig_lid count = cells->to - cells->from;
  for (ig_lid e = 0; e < m->elements; e++)
    if (e >= cells->from && e < cells->to)
      number[e] = e - cells->from;
    else if (number[e] == 0)
      number[e] = count++;
  return count;
}

ig_topopt_mesh_range ig_topopt_mesh_own(const ig_topopt_mesh_model *m) {
  const ig_rows *rows = &m->part.rows;
  const ig_lid from = m->part.alone ? m->part.node_at : rows->from;
  return rows->start ? (ig_topopt_mesh_range){from, rows->to - rows->from}
                     : (ig_topopt_mesh_range){0, m->nodes};
}

ig_status ig_topopt_mesh_ghosts(ig_topopt_mesh_model *m, size_t value, const void *x) {
  ig_topopt_mesh_part *p = &m->part;
  if (!p->rows.start)
    return IG_OK;
  /* ghosts of a vector hold nothing of their own: to whoever gave it, it has not changed */
  return ig_halo_refresh(m->cx, &p->ghosts, (void *)x, value * (size_t)m->size, IG_OK);
}

ig_status ig_topopt_mesh_whole(ig_topopt_mesh_model *m, double *x) {
  ig_rows *rows = &m->part.rows;
  return rows->start ? ig_rows_gather(m->cx, rows, sizeof *x * (size_t)m->size, x) : IG_OK;
}

/* --- the table --- */

/* A rank with not much more than half of the nodes computes nearly all elements: those of its nodes
   are everywhere. */
static ig_status numbering_look(ig_ctx *cx, const ig_topopt_mesh_model *m) {
  const int64_t mine = m->part.elements, own = ig_topopt_mesh_own(m).count;
  int64_t most =
      10 * mine > 8 * (int64_t)m->elements && 10 * own < 6 * (int64_t)m->nodes ? mine : 0;
  IG_TRY(ig_ranks_most(cx, IG_OK, &most, 1));
  if (most > 0)
    ig_warn(cx,
            "a rank computes %lld of %d elements, since nodes of one element are numbered far from "
            "each other: 'mesh: {order: curve}' numbers them anew",
            (long long)most, (int)m->elements);
  return IG_OK;
}

ig_status ig_topopt_mesh_ranks_tell(ig_ctx *cx, const ig_topopt_case *c, const ig_discretisation *d,
                                    ig_assembly how, ig_check_line *line, void *user) {
  const ig_topopt_mesh_model *m = d->self;
  const ig_topopt_mesh_part *p = &m->part;
  const bool divided = p->rows.start != NULL;
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(m);
  const char *why = NULL;
  char text[256] = "each has a range of the mesh's nodes and elements";
  if (p->whole)
    snprintf(text, sizeof text,
             "each computes a range of the mesh's nodes; all hold the whole mesh (%s)", p->whole);
  const size_t used = strlen(text);
  if (m->petsc)
    snprintf(text + used, sizeof text - used,
             "; with PETSc results agree to the solver's tolerance, not to the last bit");
  if (ig_ranks_count(cx->ranks) == 1)
    return IG_OK;
  if (!divided)
    snprintf(text, sizeof text, "share the linear systems; the mesh is not divided (%s)",
             ig_topopt_mesh_divisible(cx, c, how, &why) ? "fewer than 512 nodes a rank" : why);
  if (ig_ranks_first(cx))
    line(user, "ranks", text);
  if (divided)
    IG_TRY(numbering_look(cx, m));
  const ig_part_facts mine = {.nodes = own.count,
                              .elements = divided ? p->elements : m->elements,
                              .whole = divided ? m->elements : 0,
                              .ghosts = divided ? p->ghosts.received[p->ghosts.peers] : 0,
                              .peers = divided ? p->ghosts.peers : ig_ranks_count(cx->ranks) - 1};
  return ig_part_facts_tell(cx, &mine, line, user);
}
