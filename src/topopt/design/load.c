/* Loads that follow the design: weights and held displacements (load.h). All functions do
   nothing where a case has neither.

   States are in units of the load's norm over the stiffness, so that the solver's
   single-precision preconditioner never meets extreme numbers; `unit` = 1 / norm turns
   prescribed values into them. */
#include "topopt/design/load.h"
#include "backend/backend.h"

#include <math.h>
#include <stdlib.h>

/* Whether any load case has gravity. */
static bool heavy(const ig_topopt_design *s) {
  bool any = false;
  for (int q = 0; q < s->loading->cases; q++)
    any = any || s->loading->gravity[q].dev;
  return any;
}

/* Arrays are made once: several features may ask for the same one. */
static ig_status zeros(ig_ctx *cx, ig_array *a, int64_t n, const char *what) {
  if (a->dev)
    return IG_OK;
  IG_TRY(ig_array_new_device(cx, a, (size_t)n, sizeof(double), what));
  return ig_array_zero(cx, a);
}

ig_status ig_topopt_load_room(ig_topopt_design *s) {
  IG_TRY(zeros(s->cx, &s->nodal, s->d->layout.nodes, "masses"));
  IG_TRY(zeros(s->cx, &s->direct, s->d->places, "slopes by masses"));
  for (int i = 0; i < 2; i++)
    IG_TRY(zeros(s->cx, &s->body[i], s->d->places, "masses"));
  return IG_OK;
}

/* Allocates nothing for load cases that do not follow the design: ig_topopt_load_of then returns
   the constant load. */
ig_status ig_topopt_load_new(ig_topopt_design *s) {
  const ig_loading *l = s->loading;
  if (heavy(s))
    IG_TRY(ig_topopt_load_room(s));
  if (l->held.dev) {
    double *one;
    const size_t n = (size_t)s->d->layout.nodes;
    IG_TRY(zeros(s->cx, &s->pull, s->d->unknowns, "held displacements"));
    IG_TRY(IG_NEW(s->cx, &one, n, "held displacements"));
    for (size_t i = 0; i < n; i++)
      one[i] = 1;
    const ig_status status =
        ig_array_from(s->cx, &s->ones, one, n, sizeof *one, "held displacements");
    free(one);
    IG_TRY(status);
  }
  if (l->expanded.dev)
    IG_TRY(zeros(s->cx, &s->displaced, s->d->unknowns, "displacements"));
  for (int q = 0; q < l->cases; q++)
    if (l->gravity[q].dev || l->held.dev)
      IG_TRY(zeros(s->cx, &s->load[q], s->d->unknowns, "load"));
  return IG_OK;
}

void ig_topopt_load_free(ig_topopt_design *s) {
  ig_array *const arrays[] = {&s->nodal, &s->direct, &s->body[0],  &s->body[1],
                              &s->pull,  &s->ones,   &s->displaced};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(s->cx, arrays[i]);
  for (int q = 0; q < IG_LOAD_CASES; q++)
    ig_array_free(s->cx, &s->load[q]);
}

/* Must agree with ig_topopt_load_new and ig_topopt_load_room. */
double ig_topopt_load_bytes(const ig_topopt_case *c, double n, double nu) {
  bool weight[IG_LOAD_CASES] = {false}, held = false, any = false;
  int cases = 1;
  double bytes = 0;
  for (int i = 0; i < c->loads.count; i++) {
    const ig_load_case *load = IG_ITEM(ig_load_case, c->loads, i);
    const double *g = load->gravity;
    cases = load->load_case > cases ? (int)load->load_case : cases;
    weight[load->load_case - 1] |= g[0] != 0 || g[1] != 0 || g[2] != 0;
    any |= weight[load->load_case - 1];
  }
  for (int i = 0; i < c->supports.count; i++) {
    const ig_hold_case *hold = IG_ITEM(ig_hold_case, c->supports, i);
    held |= hold->temperature > 0 || hold->temperature < 0;
    for (int d = 0; d < 3; d++)
      held |= hold->displacement[d] > 0 || hold->displacement[d] < 0;
  }
  const bool warm = c->temperature_change != 0;
  held |= warm;
  bytes += warm ? 8 * 2 * nu : 0;
  for (int q = 0; q < cases; q++)
    bytes += 8 * nu * ((weight[q] ? 1 : 0) + (weight[q] || held ? 1 : 0));
  return bytes + (any ? 8 * 4 * n : 0) + (held ? 8 * (2 * nu + n) : 0);
}

/* The load that follows the design where there is one, else the constant one. */
const double *ig_topopt_load_of(const ig_topopt_design *s, int q) {
  return s->load[q].dev ? s->load[q].dev : s->loading->f[q].dev;
}

/* Element values times volumes and densities of the materials, where those differ. */
static ig_status weigh(ig_topopt_design *s, double *v) {
  const double *const by[] = {s->d->share, s->loading->heavy.dev};
  for (int i = 0; i < 2; i++)
    if (by[i])
      IG_TRY(s->ops->map(s->cx, s->d->places, s->d->role, IG_MAP_PRODUCT, v, by[i], NULL, v));
  return IG_OK;
}

/* nodal = N^T (m(rho) v) + added masses, in units of the mean solid element's mass. For the
   weight the shares are consistent, for vibrations they are lumped and never negative. */
ig_status ig_topopt_load_masses(ig_topopt_design *s, int r, bool lumped) {
  IG_TRY(s->ops->mass(s->cx, s->d->places, s->d->role, s->c->mass_threshold, false,
                      s->density[r].dev, s->body[0].dev));
  IG_TRY(weigh(s, s->body[0].dev));
  IG_TRY((lumped ? s->d->lump : s->d->to_nodes)(s->d->self, s->body[0].dev, s->nodal.dev));
  const ig_array *added = &s->loading->added;
  return added->dev
             ? s->ops->mix(s->cx, s->d->layout.nodes, 1, s->nodal.dev, 1, added->dev, s->nodal.dev)
             : IG_OK;
}

/* The transpose of ig_topopt_load_masses: element e gets factor m'(rho_e) v_e times the mean of
   the nodal values. */
ig_status ig_topopt_load_mass_slope(ig_topopt_design *s, int r, bool lumped, double factor,
                                    bool add) {
  const int64_t n = s->d->places;
  IG_TRY(s->ops->mass(s->cx, n, s->d->role, s->c->mass_threshold, true, s->density[r].dev,
                      s->body[0].dev));
  IG_TRY(weigh(s, s->body[0].dev));
  IG_TRY((lumped ? s->d->lump_back : s->d->to_elements)(s->d->self, s->nodal.dev, s->body[1].dev));
  IG_TRY(s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, s->body[0].dev, s->body[1].dev, NULL,
                     s->body[0].dev));
  return s->ops->mix(s->cx, n, factor, s->body[0].dev, add ? 1 : 0, s->direct.dev, s->direct.dev);
}

/* f_q = forces + gravity - K u_held: the load of a case that follows the design. */
static ig_status load_make(ig_topopt_design *s, int q) {
  const ig_loading *l = s->loading;
  const int64_t nu = s->d->unknowns;
  const double unit = 1 / l->norm[q];
  if (!s->load[q].dev)
    return IG_OK;
  if (l->gravity[q].dev)
    IG_TRY(s->ops->node_scale(s->cx, &s->d->layout, s->d->fix, s->nodal.dev, l->gravity[q].dev,
                              s->load[q].dev));
  IG_TRY(s->ops->mix(s->cx, nu, 1, l->f[q].dev, l->gravity[q].dev ? l->element_mass * unit : 0,
                     s->load[q].dev, s->load[q].dev));
  return l->held.dev ? s->ops->mix(s->cx, nu, 1, s->load[q].dev, -unit, s->pull.dev, s->load[q].dev)
                     : IG_OK;
}

ig_status ig_topopt_load_expansion(const ig_topopt_design *s, int q, const double *l,
                                   double *value) {
  *value = 0;
  if (!s->loading->expanded.dev)
    return IG_OK;
  IG_TRY(ig_topopt_dot_states(s->cx, s->d, l, s->loading->expanded.dev, value));
  *value /= s->loading->norm[q];
  return IG_OK;
}

ig_status ig_topopt_load_expansion_energy(const ig_topopt_design *s, int q, double scale,
                                          double *energy) {
  const ig_loading *l = s->loading;
  if (!l->expanded.dev)
    return IG_OK;
  return s->d->energy(s->d->self, l->expanded.dev, l->expanded.dev,
                      -scale / (l->norm[q] * l->norm[q]), true, energy);
}

ig_status ig_topopt_load_moved(const ig_topopt_design *s, int q, const double *state,
                               const double **u) {
  const ig_loading *l = s->loading;
  *u = l->expanded.dev ? s->displaced.dev : state;
  return l->expanded.dev ? s->ops->mix(s->cx, s->d->unknowns, 1, state, 1 / l->norm[q],
                                       l->expanded.dev, s->displaced.dev)
                         : IG_OK;
}

/* The loads of all cases, and the energy u_held . K u_held of the prescribed
   displacements with everything else at zero, less what the free expansion adds to compliances. */
ig_status ig_topopt_load_prepare(ig_topopt_design *s, int r) {
  const ig_loading *l = s->loading;
  double energy = 0, expansion = 0, pulled = 0;
  if (heavy(s))
    IG_TRY(ig_topopt_load_masses(s, r, false));
  if (l->held.dev) {
    IG_TRY(s->d->apply(s->d->self, l->held.dev, s->pull.dev));
    IG_TRY(s->d->energy(s->d->self, l->held.dev, l->held.dev, 1, false, s->work.dev));
    IG_TRY(ig_topopt_dot(s->cx, s->d, s->work.dev, s->d->modulus, &energy));
  }
  if (l->expanded.dev) {
    IG_TRY(s->d->energy(s->d->self, l->expanded.dev, l->expanded.dev, 1, false, s->work.dev));
    IG_TRY(ig_topopt_dot(s->cx, s->d, s->work.dev, s->d->modulus, &expansion));
    if (l->held.dev)
      IG_TRY(ig_topopt_dot_states(s->cx, s->d, s->pull.dev, l->expanded.dev, &pulled));
  }
  for (int q = 0; q < l->cases; q++) {
    const double unit = 1 / l->norm[q];
    double work;
    s->held[q] = energy * unit * unit;
    IG_TRY(load_make(s, q));
    IG_TRY(ig_topopt_load_expansion(s, q, ig_topopt_load_of(s, q), &work));
    s->held[q] -= unit * unit * (expansion + 2 * pulled) + 2 * work;
  }
  return IG_OK;
}

/* Zeros at held components: the solver solves for v = u - u_held. */
ig_status ig_topopt_load_lower(ig_topopt_design *s, double *u) {
  if (!s->loading->held.dev)
    return IG_OK;
  return s->ops->node_scale(s->cx, &s->d->layout, s->d->fix, s->ones.dev, u, u);
}

/* u = v + u_held after the solve, in units of this load case. */
ig_status ig_topopt_load_lift(ig_topopt_design *s, int q, double *u) {
  const ig_loading *l = s->loading;
  if (!l->held.dev)
    return IG_OK;
  return s->ops->mix(s->cx, s->d->unknowns, 1, u, 1 / l->norm[q], l->held.dev, u);
}

/* Gravity: d(f.z)/d(rho_e) = m'(rho_e) g . (sum over the element's nodes of their share of z).
   The dot product g . z is made per node, then taken back to elements. */
ig_status ig_topopt_load_direct(ig_topopt_design *s, int r, int q, const double *state,
                                double factor, bool add) {
  const ig_loading *l = s->loading;
  if (!l->gravity[q].dev) /* an earlier sum must not stay */
    return !add && s->direct.dev ? ig_array_zero(s->cx, &s->direct) : IG_OK;
  IG_TRY(s->ops->node_dot(s->cx, &s->d->layout, l->gravity[q].dev, state, s->nodal.dev));
  return ig_topopt_load_mass_slope(s, r, false, factor * l->element_mass / l->norm[q], add);
}

/* By the chain rule: gradients by the physical density times that of the projection. */
ig_status ig_topopt_load_add(ig_topopt_design *s, const double *step, double *slope) {
  const int64_t n = s->d->places;
  if (!s->direct.dev)
    return IG_OK;
  IG_TRY(
      s->ops->map(s->cx, n, s->d->role, IG_MAP_PRODUCT, s->direct.dev, step, NULL, s->direct.dev));
  return s->ops->mix(s->cx, n, 1, slope, 1, s->direct.dev, slope);
}
