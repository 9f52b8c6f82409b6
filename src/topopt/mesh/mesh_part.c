/* A mesh divided between ranks: each has a range of nodes and a range of elements of the design,
   and that part of the mesh alone (mesh_cut.c).

   Sums are made of blocks of nodes in the order of the mesh, on one rank, too: their bits do not
   depend on the division, which is at multiples of such blocks. */
#include "topopt/mesh/mesh_model.h"
#include "backend/backend.h"
#include "solver/krylov/pcg.h"
#include "topopt/grid/divide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of a block; blocks between two cuts. 128 nodes: enough for a sum to be worth its
   overhead. Cuts are at multiples of four blocks, 512 nodes. */
enum { BLOCK = 128, UNIT = 4 };

/* Own blocks of sums over `rows` of `length` values each. A slab of blocks: the machinery of
   divided grids adds the blocks of all ranks in order. */
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

/* Elements go where most of their nodes are: as many as have their lowest node below a rank's
   first come before its own, up to whole blocks. Elements follow the nodes, so that most nodes
   of own elements are own ones. `below` counts elements by their lowest node. */
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

/* Blocks of `length` of `count` things of `size` values. A "grid" whose planes are blocks: sums
   over it have one order for any number of ranks. */
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
  return m->part.divided ? own : blocks_of(m->nodes, BLOCK, 1);
}

/* Without a reason not to, the mesh is divided. Sums by blocks are chosen on one rank, too: a
   run on several ranks has the bits of one. */
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
  if ((int64_t)m->nodes * m->size <= IG_AMG_DENSE) {
    p->whole = "it is small";
    return IG_OK;
  }
  IG_TRY(ig_rows_new(m->cx, m->nodes, UNIT * BLOCK, &p->rows));
  ig_status status = cells_divide(m);
  for (int r = 0; gpu && status == IG_OK && r < p->cells.ranks; r++)
    if (p->cells.start[r] == p->cells.start[r + 1])
      p->whole = "a rank would have no elements";
  if (p->whole)
    return IG_OK;
  if (status == IG_OK)
    status = sums_divide(m, &p->rows, BLOCK, m->size, &p->slab, &m->sums);
  if (status == IG_OK)
    status = sums_divide(m, &p->cells, length, 1, &p->cell_slab, &m->cells);
  p->divided = true;
  return ig_ranks_agree(m->cx, status);
}

void ig_topopt_mesh_part_free(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_part *p = &m->part;
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

/* Own elements keep their order and come first, the others follow in the order of the whole. */
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
  return m->part.divided ? (ig_topopt_mesh_range){m->part.node_at, rows->to - rows->from}
                         : (ig_topopt_mesh_range){0, m->nodes};
}

ig_status ig_topopt_mesh_ghosts(ig_topopt_mesh_model *m, size_t value, const void *x) {
  ig_topopt_mesh_part *p = &m->part;
  if (!p->divided)
    return IG_OK;
  /* ghosts of a vector hold no data of their own: for the caller it has not changed */
  return ig_halo_refresh(m->cx, &p->ghosts, (void *)x, value * (size_t)m->size, IG_OK);
}

/* --- the table --- */

/* A rank with not much more than half of the nodes computes nearly all elements: those of its
   nodes are everywhere. Nodes of one element that are numbered far apart put every element on
   nearly every rank. */
static ig_status numbering_look(ig_ctx *cx, const ig_topopt_mesh_model *m) {
  const int64_t mine = m->part.elements, own = ig_topopt_mesh_own(m).count;
  int64_t most =
      10 * mine > 8 * (int64_t)m->elements && 10 * own < 6 * (int64_t)m->nodes ? mine : 0;
  IG_TRY(ig_ranks_max(cx, IG_OK, &most, 1));
  if (most > 0)
    ig_warn(cx,
            "a rank computes %lld of %d elements, since nodes of one element are numbered far from "
            "each other: 'mesh: {order: curve}' numbers them anew",
            (long long)most, (int)m->elements);
  return IG_OK;
}

/* Says on rank 0 how ranks work on the mesh, why it is not divided if it is not, and what each
   has. */
ig_status ig_topopt_mesh_ranks_tell(ig_ctx *cx, const ig_topopt_case *c, const ig_discretisation *d,
                                    ig_assembly how, ig_check_line *line, void *user) {
  const ig_topopt_mesh_model *m = d->self;
  const ig_topopt_mesh_part *p = &m->part;
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(m);
  const char *why = NULL;
  char text[256] = "each has a range of the mesh's nodes and elements";
  const size_t used = strlen(text);
  if (m->petsc)
    snprintf(text + used, sizeof text - used,
             "; with PETSc results agree to the solver's tolerance, not to the last bit");
  if (ig_ranks_count(cx->ranks) == 1)
    return IG_OK;
  if (!p->divided && ig_topopt_mesh_divisible(cx, c, how, &why))
    why = p->whole ? p->whole : "fewer than 512 nodes a rank";
  if (!p->divided)
    snprintf(text, sizeof text, "share the linear systems; the mesh is not divided (%s)", why);
  if (ig_ranks_first(cx))
    line(user, "ranks", text);
  if (p->divided)
    IG_TRY(numbering_look(cx, m));
  const ig_partition_facts mine = {.nodes = own.count,
                                   .elements = p->divided ? p->elements : m->elements,
                                   .whole = p->divided ? m->elements : 0,
                                   .ghosts = p->divided ? p->ghosts.received[p->ghosts.peers] : 0,
                                   .peers = p->divided ? p->ghosts.peers
                                                       : ig_ranks_count(cx->ranks) - 1};
  return ig_partition_facts_tell(cx, &mine, line, user);
}

double ig_topopt_mesh_radius(const ig_topopt_mesh_model *m) {
  const double radius = m->c->filter.radius;
  return isnan(radius) ? 1.5 * cbrt(m->d.volume) : radius;
}
