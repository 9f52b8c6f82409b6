/* A mesh's linear systems divided between ranks: each computes a range of nodes. The mesh, the
   design and whole vectors are on every rank, so that everything beside a solve is done by all
   alike.

   Sums are made of blocks of nodes in the order of the mesh, on one rank, too: their bits do not
   depend on the division, which is at multiples of such blocks. */
#include "topopt/mesh_model.h"
#include "assembly/part.h"
#include "backend/backend.h"
#include "solver/pcg.h"
#include "topopt/divide.h"

#include <stdio.h>
#include <stdlib.h>

/* Nodes of a block; blocks between two cuts. */
enum { BLOCK = 128, UNIT = 4 };

/* The element products of own nodes: those of the whole with fewer elements. */
static ig_status products_cut(ig_topopt_mesh_model *m, const uint8_t *mine) {
  ig_topopt_mesh_part *p = &m->part;
  IG_TRY(ig_plan_part(m->cx, &m->plan, mine, &p->plan));
  p->hex = m->hex;
  p->hex.scatter = ig_plan_view(&p->plan);
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

static ig_status divide(ig_topopt_mesh_model *m) {
  ig_ctx *cx = m->cx;
  ig_topopt_mesh_part *p = &m->part;
  uint8_t *mine = NULL;
  ig_status status;
  int to;
  IG_TRY(ig_rows_new(cx, m->nodes, UNIT * BLOCK, &p->rows));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &mine, m->elements, "division of elements"));
  IG_TRY_GOTO(status, done,
              ig_rows_halo_elements(cx, &p->rows, m->elements, m->info->nodes, m->conn,
                                    sizeof(double) * (size_t)m->size, mine, &p->ghosts));
  IG_TRY_GOTO(status, done, products_cut(m, mine));
  IG_TRY_GOTO(status, done, ig_rows_slab(cx, &p->rows, BLOCK, &p->slab));
  for (ig_lid e = 0; e < m->elements; e++)
    p->elements += mine[e];
  m->sums.slab = p->slab;
  ig_slab_range(p->slab, 0, p->rows.rank, &m->sums.from, &to);
  m->sums.n[2] = to - m->sums.from - 1;
  p->own[0] = (int64_t)m->size * p->rows.from;
  p->own[1] = (int64_t)m->size * p->rows.to;
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    m->sums.stored = p->own[1] - p->own[0];
  m->system.own = p->own;
  m->d.together = true;
done:
  free(mine);
  return ig_ranks_agree(cx, status);
}

ig_status ig_topopt_mesh_part_new(ig_topopt_mesh_model *m) {
  const bool gpu = m->cx->backend->kernels == IG_KERNELS_CUDA;
  const int64_t ranks = ig_ranks_count(m->cx->ranks);
  const char *why;
  if (gpu && m->plan.how == IG_ATOMIC) /* no two sums are alike: they may be made in any way */
    return IG_OK;
  m->sums = (ig_grid){.dim = 3,
                      .dof = 1,
                      .n = {0, 0, (m->nodes + BLOCK - 1) / BLOCK - 1},
                      .row = 1,
                      .all = (m->nodes + BLOCK - 1) / BLOCK - 1,
                      .plane = (int64_t)BLOCK * m->size};
  m->system.grid = &m->sums;
  if (gpu)
    m->sums.stored = (int64_t)m->size * m->nodes;
  if (gpu && (int64_t)m->nodes < UNIT * BLOCK * ranks) /* a launch needs something to do */
    return IG_OK;
  return ig_topopt_mesh_divisible(m->cx, m->c, m->how, &why) ? divide(m) : IG_OK;
}

void ig_topopt_mesh_part_free(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_part *p = &m->part;
  ig_plan_part_free(m->cx, &p->plan);
  ig_plan_part_free(m->cx, &p->op.plan);
  ig_halo_free(m->cx, &p->ghosts);
  ig_slab_free(p->slab);
  ig_rows_free(&p->rows);
}

/* --- own nodes --- */

ig_topopt_mesh_range ig_topopt_mesh_own(const ig_topopt_mesh_model *m) {
  const ig_rows *rows = &m->part.rows;
  return rows->start ? (ig_topopt_mesh_range){rows->from, rows->to - rows->from}
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

ig_status ig_topopt_mesh_ranks_tell(ig_ctx *cx, const ig_topopt_case *c, const ig_discretisation *d,
                                    ig_assembly how, ig_check_line *line, void *user) {
  const ig_topopt_mesh_model *m = d->self;
  const ig_topopt_mesh_part *p = &m->part;
  const bool divided = p->rows.start != NULL;
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(m);
  const char *why = NULL;
  char text[160] = "each computes a range of the mesh's nodes; all hold the whole mesh";
  if (m->petsc)
    snprintf(text, sizeof text,
             "each computes a range of the mesh's nodes; with PETSc results agree to the solver's "
             "tolerance, not to the last bit");
  if (ig_ranks_count(cx->ranks) == 1)
    return IG_OK;
  if (!divided)
    snprintf(text, sizeof text, "share the linear systems; the mesh is not divided (%s)",
             ig_topopt_mesh_divisible(cx, c, how, &why) ? "fewer than 512 nodes a rank" : why);
  if (ig_ranks_first(cx))
    line(user, "ranks", text);
  const ig_part_facts mine = {.nodes = own.count,
                              .elements = divided ? p->elements : m->elements,
                              .whole = divided ? m->elements : 0,
                              .ghosts = divided ? p->ghosts.received[p->ghosts.peers] : 0,
                              .peers = divided ? p->ghosts.peers : ig_ranks_count(cx->ranks) - 1};
  return ig_part_facts_tell(cx, &mine, line, user);
}
