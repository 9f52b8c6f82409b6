/* Residual stress at the start: the stress and plastic strain of each element from the snapshot
   of another run on the same mesh, and the forces they make. Cells are found by the centres of
   the elements. With `point_stress` in the snapshot each of the eight points gets its own
   stress, which balances; the mean of an element alone does not quite, and the rest is reported
   as `unbalance`. */
#include "dynamics/model/model.h"
#include "core/output.h"
#include "ingot_io.h"
#include "model/read_snapshot.h"
#ifdef INGOT_HAVE_IO
#include "io/result/snapshot_locate.h"
#endif

#include "kern/prec_f64.h"
#include "dynamics/elements/elements.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_IO
/* Points with a stress of their own. */
static int points_of(ig_dyn_kind kind) {
  return kind == IG_DYN_HEX8 ? 8 : kind == IG_DYN_TET10 ? 4 : 1;
}

/* Mean of the corners at the start. */
static void centre_of(const ig_dyn_model *m, const ig_dyn_group *g, ig_lid s, double x[3]) {
  const int npe = g->g_f64.npe;
  const int32_t *conn = (const int32_t *)g->conn.host + (int64_t)s * npe;
  x[0] = x[1] = x[2] = 0;
  for (int i = 0; i < 3 * npe; i++)
    x[i % 3] += m->x0[3 * (int64_t)conn[i / 3] + i % 3] / npe;
}

/* Value k of the element in slot s. */
static void state_put(ig_dyn_group *g, ig_lid s, int k, double value) {
  const int64_t at =
      ((int64_t)(s / IG_DYN_BLOCK) * g->g_f64.states + k) * IG_DYN_BLOCK + s % IG_DYN_BLOCK;
  if (g->state.size == sizeof(double))
    ((double *)g->state.host)[at] = value;
  else
    ((float *)g->state.host)[at] = (float)value;
}

/* Forces of an element with these stresses at its points: no increment, so the law does not matter.
 */
static void forces_of(const ig_dyn_group *g, const double *x, const double *stress, double *f) {
  static const double still[IG_DYN_MOTIONS];
  double state[(IG_HEX_POINT + 8 * 6 + 12) * IG_DYN_BLOCK], left;
  memset(state, 0, sizeof state);
  state[IG_HEX_FRAME] = 1;
  for (int k = 0; k < 6 * points_of(g->kind); k++)
    state[(IG_HEX_POINT + k) * IG_DYN_BLOCK] = stress[k];
  if (g->kind == IG_DYN_HEX8)
    element_force_f64(IG_DYN_HEX8, IG_LAW_ELASTIC, &g->g_f64, state, 1, x, still, f, &left);
  else if (g->kind == IG_DYN_HEX1)
    element_force_f64(IG_DYN_HEX1, IG_LAW_ELASTIC, &g->g_f64, state, 1, x, still, f, &left);
  else if (g->kind == IG_DYN_TET10)
    element_force_f64(IG_DYN_TET10, IG_LAW_ELASTIC, &g->g_f64, state, 1, x, still, f, &left);
  else
    element_force_f64(IG_DYN_TET, IG_LAW_ELASTIC, &g->g_f64, state, 1, x, still, f, &left);
}

/* Stresses and plastic strains at the points of one element: its state, its energy, its forces
   (added to f; the sum of their squares to *all). */
static ig_status element_put(ig_dyn_model *m, ig_dyn_group *g, ig_lid s, const double *stress,
                             const double *plastic, double *f, double *all) {
  const int points = points_of(g->kind), states = ig_law_state(g->law, 6), npe = g->g_f64.npe;
  const int32_t *conn = (const int32_t *)g->conn.host + (int64_t)s * npe;
  const double *corner[IG_DYN_CORNERS];
  double x[IG_DYN_POSITIONS], force[IG_DYN_MOTIONS], mass, inertia, stored = 0;
  for (int a = 0; a < npe; a++) {
    corner[a] = m->x0 + 3 * (int64_t)conn[a];
    ig_dyn_sub(corner[a], corner[0], x + 3 * a);
  }
  /* volume of the element, for its energy */
  ig_dyn_element_of[g->kind].size(g, m->c->inertia_scale, corner, &mass, &inertia);
  for (int n = 0; n < points; n++) {
    for (int i = 0; i < 6; i++)
      state_put(g, s, IG_HEX_POINT + n * states + i, stress[6 * n + i]);
    if (states > 6)
      state_put(g, s, IG_HEX_POINT + n * states + 6, plastic[n]);
    stored += solid_stored_f64(&g->g_f64.mat, stress + 6 * n) / points;
  }
  state_put(g, s, IG_HEX_ENERGY, mass / g->g_f64.mat.density * stored);
  forces_of(g, x, stress, force);
  for (int i = 0; i < 3 * npe; i++) {
    f[3 * (int64_t)conn[i / 3] + i % 3] += force[i];
    *all += force[i] * force[i];
  }
  return IG_OK;
}

/* What is out of balance on free particles, over the forces of the elements; both as root sums
   of squares. */
static double unbalance_of(const ig_dyn_model *m, const double *f, double all) {
  const int32_t *move = m->held.move.host, *bound = m->carried.bound.host;
  const ig_dyn_motion *motion = m->held.motion.host;
  double sum = 0;
  for (int64_t n = 0; n < m->mesh->nodes; n++)
    for (int c = 0; c < 3 && !(bound && bound[n]); c++)
      if (!move || motion[move[n]].kind[c] == IG_MOVE_FREE)
        sum += f[3 * n + c] * f[3 * n + c];
  return all > 0 ? sqrt(sum / all) : 0;
}

/* x and cell: centres of the elements and the cells found there, group by group, slot by slot. */
static ig_status state_take(ig_dyn_model *m, const ig_snapshot *snap, const double *x,
                            const int64_t *cell, double *f) {
  const ig_dyn_residual *c = &m->c->residual;
  const ig_field *stress = ig_snapshot_field(snap, IG_AT_CELLS, "stress", 6),
                 *plastic = ig_snapshot_field(snap, IG_AT_CELLS, "plastic_strain", 1),
                 *stresses = ig_snapshot_field(snap, IG_AT_CELLS, "point_stress", 48),
                 *plastics = ig_snapshot_field(snap, IG_AT_CELLS, "point_plastic_strain", 8);
  if (!stress)
    return ig_fail_at(m->cx, &c->at, "'%s' has no field 'stress' with 6 components at its cells",
                      c->file);
  double all = 0;
  for (int k = 0, at = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
    if (ig_dyn_element_of[g->kind].family != IG_FAMILY_SOLID || g->law == IG_LAW_NEOHOOKE)
      return ig_fail_at(m->cx, &c->at,
                        "residual stress is for solids that are not neo-Hookean: this mesh has %s",
                        ig_dyn_element_of[g->kind].name);
    for (ig_lid s = 0; s < g->slots; s++) {
      if (g->element[s] < 0)
        continue;
      double value[48], ep[8] = {0};
      const bool fine = stresses && g->kind == IG_DYN_HEX8; /* its points are those of the run */
      const double *middle = x + 3 * (int64_t)at;
      const int64_t item = cell[at++];
      if (item < 0)
        return ig_fail_at(m->cx, &c->at,
                          "'%s' has no cell at (%g, %g, %g) m: the two runs need the same mesh",
                          c->file, middle[0], middle[1], middle[2]);
      /* all eight points get the element's value where the snapshot has no values at points */
      for (int i = 0; i < 48; i++) {
        value[i] =
            fine ? ig_field_component(stresses, item, i) : ig_field_component(stress, item, i % 6);
        if (!isfinite(value[i]))
          return ig_fail_at(m->cx, &c->at, "'%s': the stress of cell %lld is no number", c->file,
                            (long long)item);
      }
      for (int i = 0; i < 8; i++)
        ep[i] = fmax(0, fine && plastics ? ig_field_component(plastics, item, i)
                        : plastic        ? ig_field_component(plastic, item, 0)
                                         : 0);
      IG_TRY(element_put(m, g, s, value, ep, f, &all));
    }
    IG_TRY(ig_array_push(m->cx, &g->state));
  }
  m->unbalance = unbalance_of(m, f, all);
  return IG_OK;
}

/* Sets states and forces of the whole model, before it is divided. Does nothing where the case
   has no `residual`. */
ig_status ig_dyn_residual_new(ig_dyn_model *m) {
  if (!m->c->residual.at.given)
    return IG_OK;
  const size_t elements = (size_t)ig_mesh_elements(m->mesh);
  ig_snapshot *snap = NULL;
  int64_t *cell = NULL, count = 0;
  double *f = NULL, *x = NULL;
  ig_status status;
  IG_TRY(ig_ranks_read_snapshot(m->cx, m->c->residual.file, &snap));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &x, 3 * elements, "residual stress"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &cell, elements, "residual stress"));
  for (int k = 0; k < m->groups; k++)
    for (ig_lid s = 0; s < m->group[k].slots; s++)
      if (m->group[k].element[s] >= 0)
        centre_of(m, &m->group[k], s, x + 3 * count++);
  IG_TRY_GOTO(status, done, ig_snapshot_cells_near(m->cx, snap, true, x, count, cell));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &f, 3 * (size_t)m->mesh->nodes, "residual stress"));
  IG_TRY_GOTO(status, done, state_take(m, snap, x, cell, f));
  for (int64_t i = 0; i < 3 * (int64_t)m->mesh->nodes; i++) {
    const int64_t to = i / 3 * m->p.pitch + i % 3;
    if (m->part == sizeof(double))
      ((double *)m->f.host)[to] = f[i];
    else
      ((float *)m->f.host)[to] = (float)f[i];
  }
  IG_TRY_GOTO(status, done, ig_array_push(m->cx, &m->f));
  if (m->unbalance > 1e-2)
    ig_warn_at(
        m->cx, &m->c->residual.at,
        "%.2g of the forces of the residual stress are not in balance: let a static analysis "
        "come first, or write point_stress (output.fields) in the run it is from",
        m->unbalance);
done:
  ig_snapshot_free(snap);
  free(cell);
  free(x);
  free(f);
  return status;
}
#else
ig_status ig_dyn_residual_new(ig_dyn_model *m) {
  if (!m->c->residual.at.given)
    return IG_OK;
  return IG_FAIL(m->cx, IG_UNSUPPORTED, "this build reads no files: configure with -DINGOT_IO=ON");
}
#endif
