/* One analysis of a finished part on the elements of a design, whichever grid or mesh those are.

   The design's own machinery is used: moduli and densities are replaced by those of the part,
   all load cases are solved, and objective, largest stress, largest displacement and constraints
   are measured. The caller puts the design's arrays back (part_analysis.c), or has a design of
   its own for this (part_refined.c). */
#include "topopt/part_analysis.h"
#include "backend/backend.h"
#include "ranks/ranks.h"
#include "solver/krylov/slab.h"
#include "topopt/design/load.h"
#include "topopt/design/stress.h"

#include <math.h>
#include <stdlib.h>

/* With two grids: an error of first order halves with the element size, so the limit is about as
   far again from the finer value as that is from the coarser one. */
double ig_topopt_figure_most(const ig_topopt_figure *f) {
  if (!isnan(f->fine))
    return f->fine + fmax(0, f->fine - f->value);
  return isnan(f->error) ? f->value : f->value + f->error;
}

static ig_status zeros(ig_ctx *cx, ig_array *a, int64_t n) {
  IG_TRY(ig_array_new_device(cx, a, (size_t)n, sizeof(double), "analysis of the part"));
  return ig_array_zero(cx, a);
}

static ig_topopt_figure unknown(void) {
  return (ig_topopt_figure){NAN, NAN, NAN};
}

void ig_topopt_part_none(ig_topopt_part_figures *f) {
  f->objective = f->stress = f->displacement = unknown();
  for (int i = 0; i < IG_LIMITS; i++)
    f->limit[i] = unknown();
}

/* Densities and moduli of the part, whatever is prescribed for the design: a part is what its
   surface encloses. E = least + share (1 - least): an element that is cut by the surface has the
   stiffness of its solid share, without a penalty. */
static ig_status moduli_put(ig_topopt_design *s, const double *share) {
  ig_ctx *cx = s->cx;
  const size_t n = (size_t)s->d->places;
  const double least = ig_topopt_void_ratio(s->c);
  uint8_t *role = NULL;
  double *modulus = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &role, n, "roles"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &modulus, n, "moduli of the part"));
  IG_TRY_GOTO(status, done, cx->backend->copy_out(cx, role, s->d->role, n));
  IG_TRY_GOTO(status, done, cx->backend->sync(cx));
  for (size_t i = 0; i < n; i++)
    modulus[i] = role[i] == IG_ROLE_NONE ? 0 : least + share[i] * (1 - least);
  IG_TRY_GOTO(status, done, cx->backend->copy_in(cx, s->d->modulus, modulus, n * sizeof *modulus));
  for (size_t i = 0; i < n; i++)
    modulus[i] = role[i] == IG_ROLE_NONE ? 0 : share[i];
  IG_TRY_GOTO(
      status, done,
      cx->backend->copy_in(cx, s->density[s->realisations - 1].dev, modulus, n * sizeof *modulus));
  status = cx->backend->sync(cx);
done:
  free(role);
  free(modulus);
  return status;
}

/* 1 at own nodes of elements that are at least half solid: nodes in void may be anywhere. Lumped
   shares of the elements that are at least half solid: a node with any of them has a value above
   zero. Ghosts are left out, so that ranks count each node once. */
static ig_status nodes_mark(const ig_topopt_design *s, const double *share, double *mark) {
  ig_ctx *cx = s->cx;
  const ig_discretisation *d = s->d;
  const ig_node_layout *l = &d->layout;
  const size_t n = (size_t)d->places;
  ig_array on = {0}, at = {0};
  double *half = NULL;
  uint8_t *own = NULL;
  ig_status status = IG_NEW(cx, &half, n, "displacements");
  if (status == IG_OK)
    status = IG_NEW(cx, &own, d->unknowns, "displacements");
  for (size_t i = 0; status == IG_OK && i < n; i++)
    half[i] = share[i] >= 0.5;
  if (status == IG_OK)
    status = ig_array_from(cx, &on, half, n, sizeof *half, "displacements");
  if (status == IG_OK)
    status = zeros(cx, &at, l->nodes);
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = d->lump(d->self, on.dev, at.dev);
  if (status == IG_OK)
    status = cx->backend->copy_out(cx, mark, at.dev, (size_t)l->nodes * sizeof *mark);
  if (status == IG_OK)
    status = cx->backend->sync(cx);
  for (int run = 0; status == IG_OK && run < ig_topopt_runs(d); run++) {
    const ig_topopt_values v = ig_topopt_run_own(d, run);
    for (int64_t i = v.at; i < v.at + v.count; i++)
      own[i] = 1;
  }
  for (int64_t i = 0; status == IG_OK && i < l->nodes; i++)
    mark[i] = own[i * l->step] && mark[i] > 0;
  free(half);
  free(own);
  ig_array_free(cx, &on);
  ig_array_free(cx, &at);
  return status;
}

/* The largest displacement of those nodes, over all load cases. */
static ig_status displacement_find(const ig_topopt_design *s, const double *share, double *most) {
  ig_ctx *cx = s->cx;
  const ig_discretisation *d = s->d;
  const ig_node_layout *l = &d->layout;
  const size_t nu = (size_t)d->unknowns;
  double *mark = NULL, *u = NULL;
  *most = 0;
  ig_status status = IG_NEW(cx, &mark, l->nodes, "displacements");
  if (status == IG_OK)
    status = IG_NEW(cx, &u, nu, "displacements");
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(cx, status);
  if (status == IG_OK)
    status = nodes_mark(s, share, mark);
  for (int q = 0; status == IG_OK && q < s->loading->cases; q++) {
    const double scale = s->loading->norm[q] / s->loading->stiffness;
    const double *moved;
    status = ig_topopt_load_moved(s, q, s->u[s->realisations - 1][q].dev, &moved);
    if (status == IG_OK)
      status = cx->backend->copy_out(cx, u, moved, nu * sizeof *u);
    if (status == IG_OK)
      status = cx->backend->sync(cx);
    for (int64_t i = 0; status == IG_OK && i < l->nodes; i++) {
      double square = 0;
      for (int c = 0; c < l->size; c++)
        square += pow(u[i * l->step + c * l->stride], 2);
      if (mark[i] > 0)
        *most = fmax(*most, scale * sqrt(square));
    }
  }
  free(mark);
  free(u);
  if (status == IG_OK && ig_topopt_divided(d))
    status = ig_slab_most(d->grid->slab, most, 1);
  return status;
}

/* Stresses with relaxation 1: the mean stress of an element of which only a share is solid. */
ig_status ig_topopt_part_measure_figures(ig_topopt_design *s, const double *share, const int *of,
                                         ig_topopt_part_figures *to) {
  ig_evaluation e = {0};
  ig_topopt_part_none(to);
  IG_TRY(moduli_put(s, share));
  IG_TRY(ig_topopt_design_stiffen(s, s->d->modulus));
  IG_TRY(ig_topopt_design_analyse(s, s->realisations - 1, &to->objective.value, &e));
  if (s->d->strain) {
    IG_TRY(ig_topopt_stress_largest(s, -1, 1, &to->stress.value));
    IG_TRY(displacement_find(s, share, &to->displacement.value));
  }
  for (int i = 0; i < s->limits; i++) {
    double *value = &to->limit[of[i]].value;
    const ig_limit_case *limit = ig_topopt_limit_case(s, i);
    if (!isnan(limit->stress)) {
      IG_TRY(ig_topopt_stress_largest(s, i, 1, value));
      *value /= limit->stress;
    } else {
      IG_TRY(ig_topopt_limit_work(s, i, value));
    }
  }
  return IG_OK;
}
