/* The public solver (ingot/solver.h): products, smoothed aggregation multigrid and conjugate
   gradients on a mesh of a program. Host arrays in and out; everything between is on the device of
   the context. Set-up is done once per mesh (ig_solver_open), values once per coefficient
   (ig_solver_set_coefficient).

   This folder solves A u = f with A symmetric and positive definite, for elasticity (three unknowns
   per node) and for heat or filters (one), whose coefficient is a number per element that changes
   often: designs of topology optimisation, mostly.

     krylov/   conjugate gradients (pcg), their vector operations (cg), and how vectors are divided
               between ranks: slabs of a grid (slab), ranges of a mesh's nodes (rows)
     grid/     regular grids of boxes: matrix-free product, geometric multigrid (multigrid)
     mesh/     meshes of hexahedra or tetrahedra: element-by-element products (ebe), and all else
               that is made at elements and nodes (mesh_ops); patterns of matrices (mesh_pattern)
     amg/      smoothed aggregation multigrid on meshes (mesh_amg)

   Who calls whom:

          ig_pcg_solve  --apply-------->  product in double    (grid_*, ebe, mesh_ops)
               |        --precondition->  one cycle in single  (multigrid, mesh_amg)
               +------------------------  vector operations    (cg_cpu.c, cg_cuda.cu)

   Both discretisations meet conjugate gradients in ig_linear (pcg.h). Vectors of a grid hold one
   component after the other, with a halo (grid.h); vectors of a mesh hold a node's unknowns
   together.

   Precision: the iterate, its residual and the product that makes it are double; a preconditioner
   is only a rough inverse and runs in single, which halves its bytes. It is linear and symmetric,
   or the iteration is flexible (K-cycles).

   Order of sums: all sums over vectors are made in pieces whose limits depend on the size of the
   whole problem alone, and are added in one order. Results have the same bits on any number of
   threads and ranks of one backend, but with assembly `atomic`.

   Failures: a solve that does not converge is reported, not failed (ig_solve_report); on ranks a
   failure of one is kept until all meet in the next sum. */
#include <ingot/solver.h>

#include "backend/backend.h"
#include "core/require.h"
#include "solver/krylov/cg.h"
#include "solver/amg/mesh_amg.h"
#include "solver/krylov/pcg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"

/* On the device: x (nodes x 3), fixed (a byte per node, on the host, too), spring and f, u (nodes x
   size), modulus (elements), in both precisions. The mesh itself is not kept. */
struct ig_solver {
  ig_ctx *cx;
  const ig_solver_mesh_ops *ops;
  int size; /* unknowns per node */
  int limit;
  ig_lid nodes, elements;
  ig_plan plan, colors; /* colors: for sums that `gather` does not know */
  ig_mesh_args mesh, mesh_colors;
  ig_ground ground;
  ig_ebe op, op_single; /* of elasticity */
  ig_array x, fixed, spring, modulus, modulus_single, slots, partial, f, u;
  bool known; /* the coefficient has been set */
  ig_amg *amg;
  ig_pcg pcg;
  ig_linear linear;
};

/* A u in double, with supports and springs. A signal ends a long solve here. */
static ig_status apply(void *self, const double *x, double *y, ig_cg_state *state) {
  ig_solver *s = self;
  if (s->cx->interrupted)
    return IG_FAIL(s->cx, IG_INTERRUPTED, "interrupted in a linear solve");
  IG_TRY(s->size == 1 ? s->ops->scalar_f64(s->cx, &s->mesh, &s->plan, s->modulus.dev, x, y)
                      : ig_ebe_apply(s->cx, &s->op, s->modulus.dev, x, y));
  return s->ops->ground(s->cx, &s->ground, x, y, s->partial.dev, state ? &state->s.pap : NULL);
}

/* For the preconditioner, which adds springs and supports itself. */
static ig_status apply_single(void *self, const float *x, float *y) {
  ig_solver *s = self;
  return s->size == 1 ? s->ops->scalar_f32(s->cx, &s->mesh, &s->plan, s->modulus_single.dev, x, y)
                      : ig_ebe_apply(s->cx, &s->op_single, s->modulus_single.dev, x, y);
}

static ig_status precondition(void *self, const float *r, const float **z) {
  return ig_amg_cycle(((ig_solver *)self)->amg, r, z);
}

/* Sums on a GPU in the same order every time; assembled matrices take colors. */
static ig_status make_plans(ig_solver *s, const ig_block *b, int npe, double poisson) {
  ig_ctx *cx = s->cx;
  const ig_assembly how = cx->backend->kernels == IG_KERNELS_CUDA ? IG_GATHER : IG_COLOR;
  IG_TRY(ig_plan_new(cx, how, IG_SLOTS_COMPACT, s->nodes, s->elements, npe, b->conn, &s->plan));
  if (how == IG_GATHER) {
    IG_TRY(ig_plan_new(cx, IG_COLOR, IG_SLOTS_COMPACT, s->nodes, s->elements, npe, b->conn,
                       &s->colors));
    IG_TRY(ig_array_new_device(cx, &s->slots, (size_t)s->plan.slots * (s->size == 1 ? 1 : 6),
                               sizeof(double), "slots"));
  }
  s->mesh = (ig_mesh_args){.scatter = ig_plan_view(&s->plan),
                           .x = s->x.dev,
                           .size = s->size,
                           .shear = hooke_shear_f64(poisson),
                           .lame = hooke_lame_f64(poisson),
                           .conduct = 1,
                           .slots = s->slots.dev};
  s->mesh_colors = s->mesh;
  if (how == IG_GATHER)
    s->mesh_colors.scatter = ig_plan_view(&s->colors);
  return IG_OK;
}

/* Products are made from positions (IG_EBE_RECOMPUTE), in double for the iteration and in single
   for the preconditioner. */
static ig_status make_operators(ig_solver *s, const ig_mesh *mesh, double poisson) {
  const ig_block *b = mesh->block;
  const int npe = ig_elem_info_get(b->type)->nodes;
  IG_TRY(make_plans(s, b, npe, poisson));
  for (int single = 0; single < 2 && s->size == 3; single++)
    IG_TRY(ig_ebe_new(s->cx, IG_EBE_RECOMPUTE, s->plan.how, single, s->nodes, mesh->x, s->elements,
                      npe, b->conn, poisson, single ? &s->op_single : &s->op));
  const bool gather = s->plan.how == IG_GATHER;
  const ig_amg_problem problem = {.nodes = s->nodes,
                                  .elements = s->elements,
                                  .size = s->size,
                                  .x = mesh->x,
                                  .fix = s->fixed.host,
                                  .hex = gather ? &s->mesh_colors : &s->mesh,
                                  .ground = &s->ground,
                                  .plan = gather ? &s->colors : &s->plan,
                                  /* two Chebyshev steps and a W-cycle: more work per cycle, fewer
                                     iterations, and safe for large jumps of the coefficient */
                                  .steps = 2,
                                  .cycle = 2,
                                  .self = s,
                                  .apply = apply_single};
  return ig_amg_new(s->cx, &problem, &s->amg);
}

/* s->f and s->u have a host side, through which a program's arrays come and go. */
static ig_status make_arrays(ig_solver *s, const ig_mesh *mesh, const ig_solver_options *o) {
  ig_ctx *cx = s->cx;
  const size_t n = (size_t)s->nodes, all = n * (size_t)s->size, e = (size_t)s->elements;
  IG_TRY(ig_array_from(cx, &s->x, mesh->x, 3 * n, sizeof(double), "positions"));
  IG_TRY(ig_array_from(cx, &s->fixed, o->fixed, n, 1, "fixed unknowns"));
  if (o->spring)
    IG_TRY(ig_array_from(cx, &s->spring, o->spring, all, sizeof(double), "springs"));
  IG_TRY(ig_array_new(cx, &s->modulus, e, sizeof(double), "coefficients"));
  IG_TRY(ig_array_new_device(cx, &s->modulus_single, e, sizeof(float), "coefficients"));
  IG_TRY(ig_array_new_device(cx, &s->partial, IG_MESH_CHUNKS, sizeof(double), "partial sums"));
  IG_TRY(ig_array_new(cx, &s->f, all, sizeof(double), "right-hand side"));
  IG_TRY(ig_array_new(cx, &s->u, all, sizeof(double), "solution"));
  s->ground = (ig_ground){s->nodes, s->size, s->fixed.dev, s->spring.dev};
  /* not flexible: a W-cycle with fixed steps is the same linear operation every time */
  s->linear = (ig_linear){s, (int64_t)all, apply, precondition, false, NULL, NULL};
  return ig_pcg_init(cx, &s->pcg, (int64_t)all);
}

/* What a caller may get wrong. */
static ig_status check(ig_ctx *cx, const ig_mesh *mesh, const ig_solver_options *o) {
  if (o->size != sizeof *o)
    return IG_FAIL(cx, IG_ARG,
                   "ig_solver_options.size is %zu; this library has %zu: set it to "
                   "sizeof(ig_solver_options), and compile against the headers in use",
                   o->size, sizeof *o);
  const ig_elem_type type = mesh->blocks == 1 ? mesh->block->type : IG_BEAM2;
  if (type != IG_HEX8 && type != IG_TET4 && type != IG_TET10)
    return IG_FAIL(cx, IG_INPUT,
                   "the solver takes a mesh with one block of hex8, tet4 or tet10 elements");
  if (o->equation == IG_EQUATION_ELASTICITY && !(o->poisson > -1 && o->poisson < 0.5))
    return IG_FAIL(cx, IG_INPUT, "Poisson's ratio is %g: it must be above -1 and below 0.5",
                   o->poisson);
  bool any = o->spring != NULL;
  for (ig_lid i = 0; i < mesh->nodes && !any; i++)
    any = o->fixed[i] & (o->equation == IG_EQUATION_CONDUCTION ? 1 : 7);
  if (!any)
    return IG_FAIL(cx, IG_INPUT, "no unknown is fixed: the system is singular");
  IG_TRY(ig_mesh_check(cx, mesh));
  return ig_ebe_check(cx, mesh->block->count, ig_elem_info_get(type)->nodes, mesh->x,
                      mesh->block->conn);
}

/* The options' own size is checked first: a program compiled against another version of the header
   is refused instead of misread. */
ig_status ig_solver_open(ig_ctx *cx, const ig_mesh *mesh, const ig_solver_options *options,
                         ig_solver **out) {
  ig_solver *s = NULL;
  IG_REQUIRE_ARGS(cx, mesh && options && options->fixed && out);
  *out = NULL;
  IG_TRY(check(cx, mesh, options));
  IG_TRY(IG_NEW(cx, &s, 1, "solver"));
  *s = (ig_solver){.cx = cx,
                   .ops = ig_solver_mesh_ops_of(cx),
                   .size = options->equation == IG_EQUATION_CONDUCTION ? 1 : 3,
                   .limit = options->limit > 0 ? options->limit : 2000,
                   .nodes = mesh->nodes,
                   .elements = mesh->block->count};
  ig_status status = make_arrays(s, mesh, options);
  if (status == IG_OK)
    status = make_operators(s, mesh, options->poisson);
  if (status != IG_OK) {
    ig_solver_close(s);
    return status;
  }
  *out = s;
  return IG_OK;
}

void ig_solver_close(ig_solver *s) {
  if (!s)
    return;
  ig_array *const arrays[] = {&s->x,     &s->fixed,   &s->spring, &s->modulus, &s->modulus_single,
                              &s->slots, &s->partial, &s->f,      &s->u};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(s->cx, arrays[i]);
  ig_amg_free(s->amg);
  ig_pcg_free(s->cx, &s->pcg);
  ig_ebe_free(s->cx, &s->op);
  ig_ebe_free(s->cx, &s->op_single);
  ig_plan_free(s->cx, &s->plan);
  ig_plan_free(s->cx, &s->colors);
  free(s);
}

/* Zero is refused: an element of no stiffness may leave nodes without any, and A singular. */
ig_status ig_solver_set_coefficient(ig_solver *s, const double *coefficient) {
  ig_ctx *cx = s->cx;
  IG_REQUIRE_ARGS(cx, coefficient);
  for (ig_lid e = 0; e < s->elements; e++)
    if (!(coefficient[e] > 0 && isfinite(coefficient[e])))
      return IG_FAIL(cx, IG_INPUT, "the coefficient of element %d is %g: it must be positive", e,
                     coefficient[e]);
  memcpy(s->modulus.host, coefficient, sizeof *coefficient * (size_t)s->elements);
  IG_TRY(ig_array_push(cx, &s->modulus));
  IG_TRY(s->ops->to_single(cx, s->elements, s->modulus.dev, s->modulus_single.dev));
  IG_TRY(ig_amg_update(s->amg, s->modulus.dev));
  s->known = true;
  return IG_OK;
}

/* A program's array to the device, and back; all calls with vectors begin with `send`. */
static ig_status send(ig_solver *s, ig_array *to, const double *from) {
  if (!s->known)
    return IG_FAIL(s->cx, IG_ARG, "ig_solver_set_coefficient has not been called");
  memcpy(to->host, from, to->count * to->size);
  return ig_array_push(s->cx, to);
}
static ig_status fetch(ig_solver *s, ig_array *from, double *to) {
  IG_TRY(ig_array_pull(s->cx, from));
  memcpy(to, from->host, from->count * from->size);
  return IG_OK;
}

ig_status ig_solver_apply(ig_solver *s, const double *u, double *y) {
  IG_REQUIRE_ARGS(s->cx, u && y);
  IG_TRY(send(s, &s->u, u));
  IG_TRY(apply(s, s->u.dev, s->f.dev, NULL));
  return fetch(s, &s->f, y);
}

/* Loads and start values at fixed unknowns count for nothing. */
static void clear_fixed(const ig_solver *s, ig_array *v) {
  const uint8_t *fixed = s->fixed.host;
  double *x = v->host;
  for (ig_lid i = 0; i < s->nodes; i++)
    for (int c = 0; c < s->size; c++)
      if (fixed[i] >> c & 1)
        x[(int64_t)s->size * i + c] = 0;
}

/* Not converging is an error here, unlike in ig_pcg_solve: a program that ignores the report would
   go on with a wrong result. `u` holds what was reached. */
ig_status ig_solver_solve(ig_solver *s, const double *f, double *u, double tolerance,
                          ig_solver_report *report) {
  ig_ctx *cx = s->cx;
  ig_solve_report r = {0};
  IG_REQUIRE_ARGS(cx, f && u);
  if (!(tolerance > 0))
    return IG_FAIL(cx, IG_ARG, "the tolerance is %g: it must be positive", tolerance);
  IG_TRY(send(s, &s->f, f));
  IG_TRY(send(s, &s->u, u));
  clear_fixed(s, &s->f);
  clear_fixed(s, &s->u);
  IG_TRY(ig_array_push(cx, &s->f));
  IG_TRY(ig_array_push(cx, &s->u));
  IG_TRY(ig_pcg_solve(cx, &s->pcg, &s->linear, s->f.dev, s->u.dev, tolerance, s->limit, &r));
  IG_TRY(fetch(s, &s->u, u));
  if (report)
    *report = (ig_solver_report){.iterations = r.iterations, .residual = r.residual};
  if (r.end != IG_SOLVE_CONVERGED)
    return IG_FAIL(cx, IG_NUMERIC, "the linear solver %s after %d iterations at a residual of %.2g",
                   ig_solve_end_text(r.end), r.iterations, r.residual);
  return IG_OK;
}
