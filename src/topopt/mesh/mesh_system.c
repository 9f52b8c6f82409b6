/* The linear system of a mesh: products, preconditioners, energies.

   K = sum over elements of modulus x element matrix, plus springs, with rows and columns of held
   components taken out. K is never assembled for the solver: a product goes element by element
   (solver/mesh/ebe.h), in double for the conjugate gradients and once more in single precision
   for multigrid. Preconditioners: the diagonal or its 3 x 3 blocks, algebraic multigrid
   (solver/amg), or PETSc's.

   In a mesh that is divided, a product first refreshes the ghosts of x, then multiplies all held
   elements, and uses y at own nodes only. Energies, strains and means are those of own elements. */
#include "topopt/mesh/mesh_model.h"
#include "backend/backend.h"
#include "solver/krylov/energy.h"

#include "kern/prec_f64.h"

/* y += springs x at own nodes, 0 where held; x . y unless NULL. Held components become 0 here:
   products do not know supports. */
static ig_status ground_own(ig_topopt_mesh_model *m, const double *x, double *y,
                            ig_cg_state *state) {
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(m);
  const int64_t from = (int64_t)m->size * own.from;
  const ig_ground g = {own.count, m->size, m->ground.fix + own.from,
                       m->ground.spring ? m->ground.spring + from : NULL};
  IG_TRY(m->ops->ground(m->cx, &g, x + from, y + from, m->partial.dev, NULL));
  return state ? ig_pcg_energy(m->cx, &m->sums, (int64_t)m->size * own.count, x + from, y + from,
                               state)
               : IG_OK;
}

/* Elements whose energies and strains are asked for. */
static const ig_mesh_args *designed(const ig_topopt_mesh_model *m) {
  return m->part.divided ? &m->part.own : &m->hex;
}

/* y = A x without supports and springs. */
static ig_status multiply(ig_topopt_mesh_model *m, const double *x, double *y) {
  return m->size == 1 ? m->ops->scalar_f64(m->cx, &m->hex, &m->plan, m->modulus.dev, x, y)
                      : ig_ebe_apply(m->cx, &m->op, m->modulus.dev, x, y);
}

/* y = A x at own nodes. Of own nodes; the dot product for the iteration is summed in blocks
   where ranks may divide. */
static ig_status apply(void *self, const double *x, double *y, ig_cg_state *state) {
  ig_topopt_mesh_model *m = self;
  IG_TRY(ig_topopt_mesh_ghosts(m, sizeof *x, x));
  IG_TRY(multiply(m, x, y));
  return m->system.grid ? ground_own(m, x, y, state)
                        : m->ops->ground(m->cx, &m->ground, x, y, m->partial.dev,
                                         state ? &state->s.pap : NULL);
}

/* The product for multigrid's smoother on the finest level, without supports. */
static ig_status apply_single(void *self, const float *x, float *y) {
  ig_topopt_mesh_model *m = self;
  IG_TRY(ig_topopt_mesh_ghosts(m, sizeof *x, x));
  return m->size == 1 ? m->ops->scalar_f32(m->cx, &m->hex, &m->plan, m->modulus_single.dev, x, y)
                      : ig_ebe_apply(m->cx, &m->op_single, m->modulus_single.dev, x, y);
}

/* z = M^-1 r in single precision: a preconditioner need not be exact, and half the bytes are
   moved. */
static ig_status precondition(void *self, const float *r, const float **z) {
  ig_topopt_mesh_model *m = self;
  if (m->amg)
    return ig_amg_cycle(m->amg, r, z);
  if (m->petsc)
    return ig_topopt_petsc_apply(m->petsc, r, z);
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(m);
  const int64_t from = (int64_t)m->size * own.from;
  *z = m->z.dev;
  return m->ops->scale(m->cx, own.count, m->size,
                       (float *)m->inverse.dev + (m->size == 1 ? 1 : 6) * (int64_t)own.from,
                       r + from, (float *)m->z.dev + from);
}

/* New moduli: ghosts of moduli first, then whatever the preconditioner makes of them. */
static ig_status changed(void *self) {
  ig_topopt_mesh_model *m = self;
  if (m->part.divided)
    IG_TRY(ig_halo_refresh(m->cx, &m->part.moduli, m->modulus.dev, sizeof(double), IG_OK));
  if (m->amg) {
    IG_TRY(
        m->ops->to_single(m->cx, (int64_t)m->modulus.count, m->modulus.dev, m->modulus_single.dev));
    return ig_amg_update(m->amg, m->modulus.dev);
  }
  if (m->petsc)
    return ig_topopt_petsc_update(m->petsc, m->modulus.dev);
  IG_TRY(m->ops->diagonal(m->cx, &m->hex, &m->plan, m->modulus.dev, m->block.dev));
  return m->ops->invert(m->cx, &m->ground, m->c->solver.preconditioner != IG_PRECONDITIONER_JACOBI,
                        m->block.dev, m->inverse.dev);
}

/* Ghosts in own elements are refreshed after the solve: energies need them. */
static ig_status solve(void *self, const double *f, double *u, double tolerance,
                       ig_solve_report *report) {
  ig_topopt_mesh_model *m = self;
  IG_TRY(
      ig_pcg_solve(m->cx, &m->pcg, &m->system, f, u, tolerance, (int)m->c->solver.limit, report));
  return m->part.divided
             ? ig_halo_refresh(m->cx, &m->part.states, u, sizeof *u * (size_t)m->size, IG_OK)
             : IG_OK;
}

static const double *residual(void *self) {
  return ((ig_topopt_mesh_model *)self)->pcg.r.dev;
}

static ig_status energy(void *self, const double *u, const double *v, double scale, bool add,
                        double *out) {
  ig_topopt_mesh_model *m = self;
  return m->ops->energy(m->cx, designed(m), u, v, scale, add, out);
}

/* For all nodes that are here, ghosts included: sums use own values only. */
static ig_status product(void *self, const double *u, double *y) {
  ig_topopt_mesh_model *m = self;
  if (m->part.divided)
    IG_TRY(ig_topopt_mesh_ghosts(m, sizeof *u, u));
  IG_TRY(multiply(m, u, y));
  return m->ops->ground(m->cx, &m->ground, u, y, m->partial.dev, NULL);
}

/* *in becomes a pointer to arrays of all held elements; valid until the next call. */
ig_status ig_topopt_mesh_surround(ig_topopt_mesh_model *m, int count, const double **in) {
  ig_topopt_mesh_part *p = &m->part;
  const size_t held = (size_t)p->held, own = (size_t)m->d.places;
  ig_status status = IG_OK;
  if (!p->divided)
    return IG_OK;
  if (p->around.count < held * (size_t)count) {
    ig_array_free(m->cx, &p->around);
    status = ig_array_new_device(m->cx, &p->around, held * (size_t)count, sizeof(double),
                                 "elements around");
  }
  double *to = p->around.dev;
  for (int i = 0; i < count; i++) {
    if (status == IG_OK && own)
      status = m->cx->backend->copy(m->cx, to + (size_t)i * held + p->element_at,
                                    *in + (size_t)i * own, own * sizeof *to);
    status =
        ig_halo_refresh(m->cx, &p->moduli, to ? to + (size_t)i * held : NULL, sizeof *to, status);
  }
  *in = to;
  return status;
}

static ig_status to_nodes(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  IG_TRY(ig_topopt_mesh_surround(m, 1, &in));
  return m->ops->to_nodes(m->cx, &m->hex, &m->plan, in, out);
}
static ig_status to_elements(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  return m->ops->to_elements(m->cx, designed(m), in, out);
}

/* Quadratic elements have masses by other shares. Ghosts have what their owners have. */
static ig_status lump(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  ig_mesh_args lumped = m->hex;
  lumped.lumped = 1;
  IG_TRY(ig_topopt_mesh_surround(m, 1, &in));
  const ig_status status = m->ops->to_nodes(m->cx, &lumped, &m->plan, in, out);
  return m->part.divided ? ig_halo_refresh(m->cx, &m->part.states, out, sizeof *out, status)
                         : status;
}
static ig_status lump_back(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  ig_mesh_args lumped = *designed(m);
  lumped.lumped = 1;
  return m->ops->to_elements(m->cx, &lumped, in, out);
}

static ig_status strain(void *self, const double *u, double *tensor) {
  ig_topopt_mesh_model *m = self;
  return m->ops->strain(m->cx, designed(m), u, tensor);
}
/* Components of all held elements' tensors are needed at own nodes: six arrays are exchanged. */
static ig_status strain_back(void *self, const double *tensor, double *f) {
  ig_topopt_mesh_model *m = self;
  IG_TRY(ig_topopt_mesh_surround(m, 6, &tensor));
  IG_TRY(m->ops->strain_back(m->cx, &m->hex, &m->plan, tensor, f));
  const ig_ground held = {m->ground.nodes, m->size, m->fix.dev, NULL};
  return m->ops->ground(m->cx, &held, f, f, m->partial.dev, NULL);
}
static ig_status gradient(void *self, const double *u, double *to) {
  ig_topopt_mesh_model *m = self;
  return m->ops->gradient(m->cx, designed(m), u, to);
}
static ig_status gradient_back(void *self, const double *from, double *f) {
  ig_topopt_mesh_model *m = self;
  IG_TRY(ig_topopt_mesh_surround(m, 9, &from));
  IG_TRY(m->ops->gradient_back(m->cx, &m->hex, &m->plan, from, f));
  const ig_ground held = {m->ground.nodes, m->size, m->fix.dev, NULL};
  return m->ops->ground(m->cx, &held, f, f, m->partial.dev, NULL);
}

/* --- making it --- */

ig_amg_problem ig_topopt_mesh_problem(ig_topopt_mesh_model *m) {
  return (ig_amg_problem){
      .nodes = m->nodes,
      .elements = m->elements,
      .size = m->size,
      .x = m->mesh->x,
      .fix = m->fix.host,
      .hex = m->plan.how == IG_GATHER ? &m->hex_colors : &m->hex,
      .ground = &m->ground,
      .plan = m->plan.how == IG_GATHER ? &m->colors : &m->plan,
      .steps = (int)m->c->solver.smoothing_steps,
      .cycle = m->c->solver.cycle == IG_CYCLE_V ? 1 : 2,
      .damping = m->c->solver.smoother == IG_SMOOTH_CHEBYSHEV ? 0 : m->c->solver.damping,
      .self = m,
      .apply = apply_single,
      .rows = m->part.divided ? &m->part.rows : NULL};
}

ig_status ig_topopt_mesh_petsc(ig_topopt_mesh_model *m, const ig_amg_problem *problem) {
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(m);
  const ig_topopt_petsc_rows rows = {own.from, own.count, m->part.node};
  return ig_topopt_petsc_new(m->cx, problem, &rows, &m->petsc);
}

/* Products of the smoother are in single precision: a second operator of the same kind. */
static ig_status make_multigrid(ig_topopt_mesh_model *m) {
  const ig_amg_problem problem = ig_topopt_mesh_problem(m);
  if (m->c->solver.preconditioner == IG_PRECONDITIONER_PETSC)
    return ig_topopt_mesh_petsc(m, &problem);
  if (m->size == 3)
    IG_TRY(ig_ebe_new(m->cx, m->op.kind, m->how, true, m->nodes, m->mesh->x, m->elements,
                      m->info->nodes, m->conn, m->poisson, &m->op_single));
  m->op_single.args.poisson = m->poissons.dev;
  return ig_amg_new(m->cx, &problem, &m->amg);
}

ig_assembly ig_topopt_mesh_model_assembly(const ig_ctx *cx) {
  return cx->backend->kernels == IG_KERNELS_CUDA ? IG_GATHER : IG_COLOR;
}

/* How elements add to nodes, and what they are made of. Clusters are for products, where the
   time goes; the rest then goes by colors. Gathering has no plan for matrices: those are
   assembled by colours. */
static ig_status make_plan(ig_topopt_mesh_model *m, ig_assembly how) {
  ig_ctx *cx = m->cx;
  m->how = how;
  how = how == IG_CLUSTER ? IG_COLOR : how;
  const int npe = m->info->nodes;
  IG_TRY(ig_plan_new(cx, how, IG_SLOTS_COMPACT, m->nodes, m->elements, npe, m->conn, &m->plan));
  if (how == IG_GATHER) {
    IG_TRY(ig_plan_new(cx, IG_COLOR, IG_SLOTS_COMPACT, m->nodes, m->elements, npe, m->conn,
                       &m->colors));
    IG_TRY(ig_array_new_device(cx, &m->slots, (size_t)m->plan.slots * (m->size == 1 ? 1 : 6),
                               sizeof(double), "slots"));
  }
  m->hex = (ig_mesh_args){.scatter = ig_plan_view(&m->plan),
                          .x = m->x.dev,
                          .size = m->size,
                          .shear = hooke_shear_f64(m->poisson),
                          .lame = hooke_lame_f64(m->poisson),
                          .poisson = m->poissons.dev,
                          .conduct = 1,
                          .slots = m->slots.dev};
  if (m->how == IG_CLUSTER) {
    IG_TRY(ig_clusters_new_sized(cx, m->nodes, m->elements, npe, m->conn, m->mesh->x,
                                 IG_CLUSTER_ELEMENTS, IG_CLUSTER_NODES, &m->cluster));
    IG_TRY(ig_array_new_device(cx, &m->borders, (size_t)m->cluster.slots, sizeof(double), "slots"));
    m->hex.clusters = &m->cluster;
    m->hex.cluster = ig_clusters_view(&m->cluster);
    m->hex.borders = m->borders.dev;
  }
  m->hex_colors = m->hex;
  m->hex_colors.scatter = ig_plan_view(&m->colors);
  return IG_OK;
}

/* Called with the whole mesh, or with the part once it is cut. */
ig_status ig_topopt_mesh_system_arrays(ig_topopt_mesh_model *m, ig_lid nodes, ig_lid elements) {
  ig_ctx *cx = m->cx;
  const size_t n = (size_t)nodes, count = m->size == 1 ? n : 6 * n;
  const int kind = m->c->solver.preconditioner;
  IG_TRY(ig_array_new_device(cx, &m->modulus, (size_t)elements, sizeof(double), "moduli"));
  IG_TRY(ig_array_new_device(cx, &m->partial, IG_MESH_CHUNKS, sizeof(double), "partial sums"));
  if (kind == IG_PRECONDITIONER_MULTIGRID)
    IG_TRY(ig_array_new_device(cx, &m->modulus_single, (size_t)elements, sizeof(float), "moduli"));
  if (kind < IG_PRECONDITIONER_MULTIGRID) {
    IG_TRY(ig_array_new_device(cx, &m->block, count, sizeof(double), "diagonal blocks"));
    IG_TRY(ig_array_new_device(cx, &m->inverse, count, sizeof(float), "inverse blocks"));
    IG_TRY(ig_array_new_device(cx, &m->z, (size_t)m->size * n, sizeof(float), "preconditioned"));
  }
  m->d.modulus = m->modulus.dev;
  return ig_pcg_init(cx, &m->pcg, m->system.n);
}

/* Functions of the discretisation that this file has. */
static void calls(ig_topopt_mesh_model *m) {
  m->d.changed = changed;
  m->d.solve = solve;
  m->d.residual = residual;
  m->d.energy = energy;
  m->d.apply = product;
  m->d.to_nodes = to_nodes;
  m->d.to_elements = to_elements;
  m->d.lump = lump;
  m->d.lump_back = lump_back;
  m->d.strain = m->size == 3 ? strain : NULL;
  m->d.strain_back = strain_back;
  m->d.gradient = gradient;
  m->d.gradient_back = gradient_back;
}

/* Of a divided mesh only the hierarchy of multigrid is made from the whole; products follow when
   it is cut. */
ig_status ig_topopt_mesh_system_new(ig_topopt_mesh_model *m, ig_assembly how) {
  ig_ctx *cx = m->cx;
  const ig_solver_case *s = &m->c->solver;
  IG_TRY(make_plan(m, how));
  m->ground = (ig_ground){m->nodes, m->size, m->fix.dev, m->spring.dev};
  if (m->size == 1 && s->operator!= IG_EBE_RECOMPUTE)
    return ig_fail_at(cx, &s->at, "operator: heat on a mesh is made by recompute");
  if (m->poissons.dev && s->operator!= IG_EBE_RECOMPUTE)
    return ig_fail_at(cx, &s->at,
                      "operator: materials with several Poisson's ratios take recompute");
  if (m->type != IG_HEX8 && s->operator!= IG_EBE_RECOMPUTE)
    return ig_fail_at(cx, &s->at,
                      "operator: %s is for hexahedra; this mesh has %s elements, which take "
                      "recompute",
                      ig_ebe_name((ig_ebe_kind)s->operator), m->info->name);
  m->system = (ig_linear){m, (int64_t)m->size * m->nodes, apply, precondition, false, NULL, NULL};
  IG_TRY(ig_topopt_mesh_part_choose(m));
  if (m->part.divided) { /* products are those of the part, which is cut when all is set up */
    IG_TRY(ig_ebe_check(cx, m->elements, m->info->nodes, m->mesh->x, m->conn));
    const ig_amg_problem problem = ig_topopt_mesh_problem(m);
    calls(m);
    return s->preconditioner == IG_PRECONDITIONER_MULTIGRID ? ig_amg_new(cx, &problem, &m->amg)
                                                            : IG_OK;
  }
  if (m->size == 3)
    IG_TRY(ig_ebe_new(cx, (ig_ebe_kind)s->operator, how, false, m->nodes, m->mesh->x, m->elements,
                      m->info->nodes, m->conn, m->poisson, &m->op));
  m->op.args.poisson = m->poissons.dev;
  IG_TRY(ig_topopt_mesh_system_arrays(m, m->nodes, m->elements));
  calls(m);
  return s->preconditioner >= IG_PRECONDITIONER_MULTIGRID ? make_multigrid(m) : IG_OK;
}

void ig_topopt_mesh_system_free(ig_topopt_mesh_model *m) {
  ig_array *const arrays[] = {&m->modulus, &m->modulus_single, &m->block, &m->inverse,
                              &m->z,       &m->partial,        &m->slots, &m->borders};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(m->cx, arrays[i]);
  ig_amg_free(m->amg);
  ig_topopt_mesh_part_free(m);
  ig_topopt_petsc_free(m->petsc);
  ig_pcg_free(m->cx, &m->pcg);
  ig_ebe_free(m->cx, &m->op);
  ig_ebe_free(m->cx, &m->op_single);
  ig_plan_free(m->cx, &m->plan);
  ig_clusters_free(m->cx, &m->cluster);
  ig_plan_free(m->cx, &m->colors);
}
