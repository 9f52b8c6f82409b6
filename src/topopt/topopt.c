/* Topology optimisation: the room. The flow of a run, top to bottom:

     grid or mesh, supports, loads, roles   grid/grid_model.c, mesh/mesh_model.c
     designs of coarser grids               sequence.c
     each design iteration                  steps.c
       filter, project, moduli              design/evaluate.c
       solve K u = f (and the adjoint)      solver/grid/multigrid.c, mesh/mesh_system.c
       objective and gradients, filtered back  design/evaluate.c
       update the densities                 design/update.c: OC in kernels/design_*.c, design/mma.c
       stop if the design no longer changes
     surface of the part                    grid/grid_surface.c, mesh/mesh_surface.c

   What it writes on the way is in output.c.

   Data. ig_topopt_run (output.h) is one run: the job, a discretisation `d` and a design `s`. The
   discretisation owns the body: roles, moduli, loads (ig_loading), the solver, filters. It is a
   table of functions with `self` behind it, filled by the grid or the mesh. The design owns
   everything that changes from iteration to iteration: x, its filtered and physical densities,
   gradients, states of every load case and realisation, adjoint states, asymptotes. All of these
   are arrays on the device; host copies exist only where a file is written or a region is looked
   up.

   Units. Case values are SI. Inside, moduli are relative to the solid's (ig_loading.stiffness),
   loads are unit vectors with their norms beside them, and a state is u x stiffness / norm. So
   all vectors that the solver sees are of the order of 1, and figures get their units back at
   the end:

     compliance    = norm^2 / stiffness x (f . u)
     displacement  = norm / stiffness x u
     stress        = norm / thickness x (D B u at unit modulus)

   Who calls what. run/time_loop.c calls the functions of ig_room_topopt at the end of this file.
   A "step" is one design iteration; `restore` or `begin` is called once, then `advance`, with
   `history`, `snapshot` and `save` in between as the schedule says, and `results` at the end.

   Ranks. Either every rank has everything and they share the linear systems of a design, or the
   body is divided; ig_topopt_divided tells. Functions that exchange messages are called by all
   ranks in the same order; a rank that fails reports it in ig_ranks_agree, where the others meet
   it. */
#include "core/memory.h"
#include "core/schedule.h"
#include "mesh/bending.h"
#include "ranks/partition.h"
#include "topopt/design/buckling.h"
#include "topopt/grid/divide.h"
#include "topopt/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

/* Iterations take the place of time: the clock of a topopt run counts them, one per step. */
static void stand(const void *self, ig_run_status *now) {
  const ig_topopt_run *r = self;
  const double time = (double)r->iteration;
  *now = (ig_run_status){.at = {r->iteration, time},
                         .clock = time,
                         .duration = (double)r->s->c->iterations,
                         .steps = r->s->c->iterations,
                         .dt = 1,
                         .ended = ig_topopt_ended(r),
                         .iterations = true,
                         .show = r->iteration == 1 ? IG_SHOW_ROW : 0,
                         .work = r->job->element_steps};
  snprintf(now->note, sizeof now->note,
           "objective %.6g, volume %.4f, change %.3f, %d solver iterations", r->e.objective,
           r->e.volume, r->change, r->e.iterations);
}

/* A filter radius that is given must leave room for a shape: it fails above half of the body's
   largest extent (mirrored at planes of symmetry), and warns above a quarter. */
static ig_status check_radius(const ig_job *job, const ig_topopt_case *c) {
  double low[3] = {0}, high[3] = {0}, extent = 0;
  if (job->mesh)
    ig_mesh_bounds(job->mesh, low, high);
  for (int d = 0; d < 3 && !job->mesh; d++)
    high[d] = c->grid.elements[d] == 0 ? 0
              : isnan(c->grid.size[d]) ? (double)c->grid.elements[d]
                                       : c->grid.size[d];
  for (int d = 0; d < 3; d++) {
    double whole = high[d] - low[d];
    for (int i = 0; i < c->symmetry.count; i++)
      whole *= c->symmetry.value[i][0] == 'x' + d ? 2 : 1;
    extent = fmax(extent, whole);
  }
  if (!(c->filter.radius > 0.25 * extent))
    return IG_OK;
  if (c->filter.radius > 0.5 * extent)
    return ig_fail_at(
        job->cx, &c->filter.at,
        "filter: a radius of %g m on a body of %g m: from the middle it reaches all of "
        "it, and no shape is left; is the unit right? 1.5 to 5 elements are usual",
        c->filter.radius, extent);
  ig_warn_at(
      job->cx, &c->filter.at,
      "filter: a radius of %g m on a body of %g m: members are about as thick as the radius, "
      "and few fit in; 1.5 to 5 elements are usual",
      c->filter.radius, extent);
  return IG_OK;
}

/* The axis of a grid across which bending is stiffest for the elements there are: their length over
   their height, layers, and by what share that is too stiff. */
static double grid_bending(const ig_topopt_case *c, double *ratio, int *layers, int *axis) {
  const int dim = c->grid.elements[2] > 0 ? 3 : 2;
  double edge[3] = {0}, worst = 0;
  for (int d = 0; d < dim; d++)
    edge[d] =
        isnan(c->grid.size[d]) ? 1 : c->grid.size[d] / (double)fmax(1, (double)c->grid.elements[d]);
  for (int d = 0; d < dim; d++) {
    double length = 0, n = (double)c->grid.elements[d];
    for (int o = 0; o < dim; o++)
      length = o == d ? length : fmax(length, edge[o]);
    for (int i = 0; i < c->symmetry.count; i++)
      n *= c->symmetry.value[i][0] == 'x' + d ? 2 : 1;
    const double excess = ig_bending_excess(length, edge[d], (int)fmin(n, 4));
    if (excess > worst)
      worst = excess, *ratio = length / edge[d], *layers = (int)fmin(n, 4), *axis = d;
  }
  return worst;
}

/* Linear hexahedra that bend are too stiff, and a load factor that is too high is on the unsafe
   side. */
static ig_status check_bending(const ig_job *job, const ig_topopt_case *c) {
  static const char remedy[] = "take nearly cubic elements, four of them across what may buckle, "
                               "and look at the factors of the finished part";
  double excess, ratio = 1;
  int layers = 4, axis = 0;
  if (!ig_topopt_buckling_asked(c))
    return IG_OK;
  if (job->mesh) {
    IG_TRY(ig_mesh_bending_excess(job->cx, job->mesh, NULL, &excess));
    if (excess > 0)
      ig_warn_at(job->cx, &c->at,
                 "mesh: a third of the surface has flat elements, or few across: what bends there "
                 "is too stiff, and load factors are about %.0f %% too high: %s",
                 100 * excess, remedy);
    return IG_OK;
  }
  excess = grid_bending(c, &ratio, &layers, &axis);
  if (excess > 0.05)
    ig_warn_at(job->cx, &c->grid.at,
               "elements are %.1f times as long as high%s: what bends is too stiff, and where %d "
               "of them are across %c load factors are about %.0f %% too high: %s",
               ratio, layers < 4 ? " in a body that is few elements thick" : "", layers, 'x' + axis,
               100 * excess, remedy);
  return IG_OK;
}

/* The discretisation the case asks for, a grid or a mesh, and the design on it. */
static ig_status open_model(ig_job *job, ig_discretisation **d, ig_topopt_design **s) {
  const ig_topopt_case *c = job->room_case;
  const int64_t *n = c->grid.elements; /* a program may fill them without saying where */
  const bool grid = c->grid.at.given || n[0] != 0 || n[1] != 0 || n[2] != 0;
  *d = NULL;
  *s = NULL;
  IG_TRY(ig_topopt_output_check(job));
  IG_TRY(ig_topopt_part_formats_check(job->cx, &c->surface));
  if (job->mesh && grid)
    return ig_fail_at(job->cx, &c->grid.at, "grid: there is a mesh already: give one of the two");
  if (!job->mesh && !grid)
    return ig_fail_at(job->cx, &c->at, "topopt needs a section 'grid' or a section 'mesh'");
  IG_TRY(ig_topopt_unused(job->cx, c, job->tree));
  IG_TRY(check_radius(job, c));
  IG_TRY(check_bending(job, c));
  if (c->finish.at.given)
    IG_TRY(ig_topopt_finish_check(job->cx, c, job->mesh, job->materials));
  if (job->mesh) {
    const char *why;
    if (job->assembly_free)
      job->assembly = ig_topopt_mesh_model_assembly(job->cx);
    if (c->ranks == IG_RANKS_DIVIDE && ig_ranks_count(job->cx->ranks) > 1 &&
        !ig_topopt_mesh_divisible(job->cx, c, job->assembly, &why))
      return ig_fail_at(job->cx, &c->at, "ranks: divide: this mesh cannot be (%s); take share",
                        why);
    IG_TRY(ig_topopt_mesh_model_new(job->cx, c, job->materials, job->mesh, job->assembly, d));
  } else {
    ig_topopt_grid_model *m;
    if (job->assembly != IG_GATHER) /* its sums are node by node in any case */
      ig_warn_at(job->cx, &c->grid.at, "a grid does not look at 'assembly': nodes gather there");
    IG_TRY(ig_topopt_grid_model_new(job->cx, c, job->materials, &m));
    *d = &m->d;
  }
  ig_status status = ig_topopt_design_new(job->cx, c, *d, s);
  if (status == IG_OK)
    status = ig_topopt_design_check_volume(*s);
  if (status == IG_OK && (*d)->loose)
    status =
        ig_fail_at(job->cx, &c->at, "supports: too few to keep the body still: it %s", (*d)->loose);
  if (status != IG_OK) {
    ig_topopt_design_free(*s);
    (*d)->free((*d)->self);
    *s = NULL;
  } else if ((*d)->lighten) {
    (*d)->lighten((*d)->self);
  }
  return status;
}

static void close_model(ig_discretisation *d, ig_topopt_design *s) {
  ig_topopt_design_free(s);
  d->free(d->self);
}

static void info_line(void *user, const char *label, const char *value) {
  ig_info(user, "%s: %s", label, value);
}

/* *self is set first, so that room_close is called even where the model cannot be made. */
static ig_status room_open(ig_job *job, void **self) {
  ig_topopt_run *r;
  IG_TRY(IG_NEW(job->cx, &r, 1, "topopt"));
  *self = r;
  *r = (ig_topopt_run){.job = job, .evaluated = -1, .change = 1, .last = NAN, .feasible_at = -1};
  IG_TRY(open_model(job, &r->d, &r->s));
  if (r->s->limits > 0) {
    IG_TRY(ig_array_new_device(job->cx, &r->feasible, (size_t)r->d->places, sizeof(double),
                               "feasible design"));
    IG_TRY(ig_array_zero(job->cx, &r->feasible));
  }
  job->elements = r->d->elements;
  job->nodes = r->d->nodes;
  job->dofs = r->d->dofs;
  if (!job->mesh)
    return ig_topopt_ranks_tell(job->cx, job->room_case, info_line, job->cx);
  if (ig_topopt_divided(r->d)) /* each has its part of it */
    ig_partition_drop_mesh(job->cx, job->mesh);
  return ig_topopt_mesh_ranks_tell(job->cx, job->room_case, r->d, job->assembly, info_line,
                                   job->cx);
}

/* Also after a failure in room_open: design and model are there together or not at all. */
static void room_close(void *self) {
  ig_topopt_run *r = self;
  if (r && r->s)
    close_model(r->d, r->s);
  if (r) {
    ig_array_free(r->job->cx, &r->feasible);
    ig_topopt_forget(r);
  }
  free(r);
}

/* bytes of a model that `check` does not make. A model above 4 GB is only described by `check`,
   from the formula for its memory: building it would take minutes, and may not fit on the
   machine on which the case is written. */
static const double LARGE = 4e9;

/* `ingot check`: builds the model and describes it, without a run. */
static ig_status check(ig_job *job, ig_check_line *line, void *user) {
  ig_discretisation *d;
  ig_topopt_design *s;
  char text[128];
  const ig_topopt_case *c = job->room_case;
  double bytes = 0;
  if (!job->mesh && c->grid.at.given)
    IG_TRY(ig_topopt_grid_model_bytes(job->cx, c, &bytes));
  if (bytes > LARGE) { /* described without being built: it may be meant for another machine */
    const int64_t *n = c->grid.elements;
    snprintf(text, sizeof text, "%" PRId64 " x %" PRId64 " x %" PRId64 " elements", n[0], n[1],
             n[2]);
    line(user, "grid", text);
    snprintf(text, sizeof text, "%.3g GB; regions and loads are looked at when it runs",
             1e-9 * bytes);
    line(user, "device memory", text);
    IG_TRY(ig_topopt_ranks_tell(job->cx, c, line, user));
    if (strcmp(ig_ctx_backend(job->cx), "cuda") != 0 && bytes > ig_memory_left())
      ig_warn(job->cx,
              "about %.3g GB are needed and this machine has %.3g GB left: it cannot run here",
              1e-9 * bytes, 1e-9 * ig_memory_left());
    return IG_OK;
  }
  IG_TRY(open_model(job, &d, &s));
  d->describe(d->self, line, user);
  snprintf(text, sizeof text, "%" PRId64 " (%" PRId64 " to design, %" PRId64 " held solid)",
           d->elements, d->designed, d->solid);
  line(user, "elements", text);
  snprintf(text, sizeof text, "%" PRId64, d->dofs);
  line(user, "unknowns", text);
  snprintf(text, sizeof text, "%d", d->loading->cases);
  line(user, "load cases", text);
  snprintf(text, sizeof text, "%.3g MB", 1e-6 * (double)job->cx->device_peak);
  line(user, "device memory", text);
  ig_status status = IG_OK;
  if (job->mesh) /* whose division is the model's */
    status = ig_topopt_mesh_ranks_tell(job->cx, c, d, job->assembly, line, user);
  close_model(d, s);
  return job->mesh ? status : ig_topopt_ranks_tell(job->cx, c, line, user);
}

const ig_room ig_room_topopt = {
    .name = "topopt",
    .about = "topology optimisation: stiffness, heat conduction, compliant mechanisms",
    .needs_mesh = false,
    .ranks = true,
    .clusters = true,
    .pieces = true,
    .elements = "hex8|tet4|tet10",
    .case_size = sizeof(ig_topopt_case),
    .options = ig_topopt_options,
    .open = room_open,
    .close = room_close,
    .begin = ig_topopt_begin,
    .restore = ig_topopt_restore,
    .advance = ig_topopt_advance,
    .stand = stand,
    .history = ig_topopt_history,
    .snapshot = ig_topopt_snapshot,
    .save = ig_topopt_checkpoint,
    .results = ig_topopt_finish,
    .field = ig_topopt_field,
    .get = ig_topopt_get,
    .set = ig_topopt_set,
    .check = check,
    .fields = IG_TOPOPT_FIELDS,
    .figures = IG_TOPOPT_FIGURES,
    .precisions = "double"};
