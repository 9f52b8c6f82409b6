/* Stresses at nodes of models at rest (solid/nodal.h), on the host, from the states of elements.

   Solids: points continued to the nodes. Shells: bending moments of a triangle are a linear field,
   taken at its corners; the membrane stress of a triangle is constant, that of a quadrilateral
   varies as the assumed stresses of quad.inc do, whose triangles show 1/sqrt(3) of it. Bars: their
   stress. Beams have forces of their section, but no stress at a place: they are left out. */
#include "dynamics/run.h"
#include "dynamics/model/model.h"
#include "dynamics/model/part.h"
#include "dynamics/model/solids.h"
#include "solid/nodal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f64.h"
#include "dynamics/elements/shell.inc"

/* A group and where its numbers are. */
typedef struct {
  const ig_dyn_model *m;
  const ig_dyn_group *g;
  int key;
} source;

static double state_of(const source *s, ig_lid slot, int value) {
  const int64_t at = ((int64_t)(slot / IG_DYN_BLOCK) * s->g->g_f64.states + value) * IG_DYN_BLOCK +
                     slot % IG_DYN_BLOCK;
  return ig_dyn_get(s->m, &s->g->state, at);
}

static ig_status solid_add(const source *s, ig_lid slot, const ig_lid *node, ig_nodal *to) {
  const ig_dyn_kind kind = s->g->kind;
  const int points = kind == IG_DYN_HEX8 ? 8 : kind == IG_DYN_TET10 ? 4 : 1;
  const int states = ig_law_state(s->g->law, 6);
  double q[4], t[9], at[8][6];
  for (int i = 0; i < 4; i++)
    q[i] = state_of(s, slot, IG_HEX_FRAME + i);
  frame_axes_f64(q, t);
  for (int p = 0; p < points; p++) {
    double own[6];
    for (int i = 0; i < 6; i++)
      own[i] = state_of(s, slot, IG_HEX_POINT + p * states + i);
    stress_from_frame_f64(t, own, at[p]);
  }
  if (kind != IG_DYN_HEX1)
    return ig_nodal_add_solid(to,
                              kind == IG_DYN_HEX8    ? IG_SOLID_HEX8
                              : kind == IG_DYN_TET10 ? IG_SOLID_TET10
                                                     : IG_SOLID_TET4,
                              NULL, node, s->key, at[0], 6);
  for (int a = 0; a < 8; a++)
    IG_TRY(ig_nodal_add(to, node[a], s->key, at[0]));
  return IG_OK;
}

/* Stress in space of a triangle: of its membrane, and at its corners what bending adds at the
   surface its normal points to. `first`: its state in that of the element. With layers the outer
   two are continued to the surface, and three points of the plane to the corners. */
static void triangle(const source *s, ig_lid slot, int first, const double x[9], double mid[6],
                     double bend[3][6]) {
  const dyn_group_f64 *g = &s->g->g_f64;
  const bool layered = s->g->kind == IG_DYN_LAYERS || s->g->kind == IG_DYN_QUAD_LAYERS;
  double a[3], b[3], t[9], c[3], n[6] = {0}, m[3][6] = {{0}};
  for (int i = 0; i < 3; i++) {
    a[i] = x[3 + i] - x[i];
    b[i] = x[6 + i] - x[i];
  }
  (void)shell_frame_f64(a, b, t, c);
  static const int place[3] = {0, 1, 3}; /* of xx yy xy among six components */
  for (int i = 0; i < 3 && !layered; i++) {
    const double th = g->thickness, k0 = state_of(s, slot, first + 3 + i);
    n[place[i]] = state_of(s, slot, first + i) / th;
    for (int corner = 0; corner < 3; corner++)
      m[corner][place[i]] =
          6 / (th * th) * (k0 + (corner ? state_of(s, slot, first + 3 + 3 * corner + i) : 0));
  }
  for (int i = 0; i < 3 && layered; i++) {
    const int states = ig_law_state(s->g->law, 3), skip = g->planes - 3;
    double value[3], mean = 0, at[2][3], w;
    for (int p = 0; p < 3; p++) { /* of four points the first is in the middle */
      double side[2];
      for (int k = 0; k < 2; k++) {
        double z[2], v[2];
        for (int l = 0; l < 2; l++) {
          const int layer = k ? 3 + l : 1 - l;
          shell_layer_f64(layer, &z[l], &w);
          v[l] = state_of(s, slot, first + IG_LAYERS_POINT + (5 * (p + skip) + layer) * states + i);
        }
        side[k] = v[1] + (v[1] - v[0]) * (1 - fabs(z[1])) / (fabs(z[1]) - fabs(z[0]));
      }
      value[p] = (side[1] - side[0]) / 2;
      mean += (side[1] + side[0]) / 6;
      shell_point_f64(g->planes, p + skip, &at[0][p], &at[1][p], &w);
    }
    n[place[i]] = mean;
    for (int corner = 0; corner < 3; corner++)
      m[corner][place[i]] =
          value[0] + (value[1] - value[0]) * ((corner == 1) - at[0][0]) / (at[0][1] - at[0][0]) +
          (value[2] - value[0]) * ((corner == 2) - at[1][0]) / (at[1][2] - at[1][0]);
  }
  stress_from_frame_f64(t, n, mid);
  for (int corner = 0; corner < 3; corner++)
    stress_from_frame_f64(t, m[corner], bend[corner]);
}

/* Triangles of a shell, corners of each; whether the side between corners 0 1 (2 3) or 1 2 (3 0) is
   theirs: + or - of the natural coordinates of the quadrilateral. */
static const int corner_of[IG_QUAD_CUTS][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
static const int xi_of[IG_QUAD_CUTS] = {1, -1, -1, 1}, eta_of[IG_QUAD_CUTS] = {-1, 1, -1, 1};

static ig_status shell_add(const source *s, ig_lid slot, const ig_lid *node, ig_nodal *to) {
  const int corners = s->g->g_f64.npe, cuts = corners == 4 ? IG_QUAD_CUTS : 1;
  double x[12], mid[IG_QUAD_CUTS][6], bend[4][6] = {{0}}, count[4] = {0}, a[3], b[3], normal[3];
  for (int i = 0; i < 3 * corners; i++)
    x[i] = ig_dyn_get(s->m, &s->m->x, 3 * (int64_t)node[i / 3] + i % 3);
  for (int k = 0; k < cuts; k++) {
    double xt[9], own[3][6];
    for (int i = 0; i < 9; i++)
      xt[i] = x[3 * corner_of[k][i / 3] + i % 3];
    triangle(s, slot, k * s->g->g_f64.states / cuts, xt, mid[k], own);
    for (int i = 0; i < 3; i++) {
      count[corner_of[k][i]]++;
      for (int c = 0; c < 6; c++)
        bend[corner_of[k][i]][c] += own[i][c];
    }
  }
  for (int i = 0; i < 3; i++) {
    a[i] = x[6 + i] - x[corners == 4 ? i : 3 + i];
    b[i] = x[corners == 4 ? 9 + i : i] - x[3 + i];
  }
  cross_f64(a, b, normal);
  const double size = norm_f64(normal);
  for (int i = 0; i < 3; i++)
    normal[i] /= corners == 4 ? size : -size;
  for (int n = 0; n < corners; n++) {
    const int xi = n == 1 || n == 2 ? 1 : -1, eta = n > 1 ? 1 : -1;
    double top[6], bottom[6];
    for (int c = 0; c < 6; c++) {
      double flat = 0;
      for (int k = 0; k < cuts; k++)
        flat +=
            mid[k][c] / cuts * (1 + (cuts > 1 ? sqrt(3) * (xi * xi_of[k] + eta * eta_of[k]) : 0));
      top[c] = flat + bend[n][c] / count[n];
      bottom[c] = flat - bend[n][c] / count[n];
    }
    IG_TRY(ig_nodal_add_shell(to, node[n], s->key, normal, top, bottom));
  }
  return IG_OK;
}

/* Stress along the bar; each bar is a kind of its own. */
static ig_status bar_add(const source *s, ig_lid slot, const ig_lid *node, ig_nodal *to) {
  double d[3], stress[6], along = state_of(s, slot, IG_BAR_STRESS), l2 = 0;
  if (s->g->g_f64.cable)
    along = fmax(along, 0);
  for (int c = 0; c < 3; c++) {
    d[c] = ig_dyn_get(s->m, &s->m->x, 3 * (int64_t)node[1] + c) -
           ig_dyn_get(s->m, &s->m->x, 3 * (int64_t)node[0] + c);
    l2 += d[c] * d[c];
  }
  for (int c = 0; c < 6; c++)
    stress[c] = along * d[c % 3] * d[c < 3 ? c : (c + 1) % 3] / l2;
  for (int a = 0; a < 2; a++)
    IG_TRY(ig_nodal_add(to, node[a], -1 - ((const ig_lid *)s->g->ids.host)[slot], stress));
  return IG_OK;
}

/* Groups of one family, material and thickness are averaged together: the first of them. */
static int key_of(const ig_dyn_model *m, int k) {
  const ig_dyn_group *g = &m->group[k];
  const mech_f64 *a = &g->g_f64.mat;
  for (int j = 0; j < k; j++) {
    const ig_dyn_group *o = &m->group[j];
    const mech_f64 *b = &o->g_f64.mat;
    if (ig_dyn_element_of[o->kind].family == ig_dyn_element_of[g->kind].family &&
        o->law == g->law && o->g_f64.thickness == g->g_f64.thickness && a->young == b->young &&
        a->poisson == b->poisson && a->yield == b->yield && a->hardening == b->hardening)
      return j;
  }
  return k;
}

static ig_status slot_add(const source *s, ig_lid slot, ig_nodal *to) {
  const ig_lid *node = (const ig_lid *)s->g->conn.host + (int64_t)slot * s->g->g_f64.npe;
  const ig_dyn_family family = ig_dyn_element_of[s->g->kind].family;
  return family == IG_FAMILY_SOLID   ? solid_add(s, slot, node, to)
         : family == IG_FAMILY_SHELL ? shell_add(s, slot, node, to)
                                     : bar_add(s, slot, node, to);
}

/* In the order of the whole, with the elements of other ranks at own nodes: the bits of one rank.
 */
static ig_status groups_add(ig_dyn_model *m, ig_nodal *to) {
  IG_TRY(ig_array_pull(m->cx, &m->x));
  for (int k = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
    const source s = {m, g, key_of(m, k)};
    ig_lid *order;
    if (g->kind == IG_DYN_BEAM || g->kind == IG_DYN_FIBRE)
      continue;
    IG_TRY(ig_array_pull(m->cx, &g->state));
    IG_TRY(ig_dyn_slots_ordered(m, k, &order));
    ig_status status = IG_OK;
    for (ig_lid i = 0; i < (order ? g->count : g->slots) && status == IG_OK; i++) {
      const ig_lid slot = order ? order[i] : i;
      if (((const ig_lid *)g->ids.host)[slot] >= 0)
        status = slot_add(&s, slot, to);
    }
    free(order);
    IG_TRY(status);
  }
  return IG_OK;
}

bool ig_dyn_at_rest(const ig_dyn_job *r) {
  for (int i = 0; i < r->c->analysis.count; i++)
    if (IG_ITEM(const ig_dyn_analysis, r->c->analysis, i)->kind == IG_ANALYSIS_DYNAMIC)
      return false;
  return r->c->analysis.count > 0;
}

bool ig_dyn_has_shells(const ig_dyn_model *m) {
  for (int k = 0; k < m->groups; k++)
    if (ig_dyn_element_of[m->group[k].kind].family == IG_FAMILY_SHELL)
      return true;
  return false;
}

bool ig_dyn_has_stresses(const ig_dyn_model *m) {
  for (int k = 0; k < m->groups; k++)
    if (m->group[k].kind != IG_DYN_BEAM && m->group[k].kind != IG_DYN_FIBRE)
      return true;
  return m->solids != NULL;
}

ig_status ig_dyn_stresses(ig_dyn_model *m, ig_nodal_stress *out) {
  ig_nodal all;
  IG_TRY(ig_nodal_new(m->cx, m->mesh->nodes, ig_dyn_has_shells(m), &all));
  ig_status status = groups_add(m, &all);
  if (status == IG_OK)
    status = ig_dyn_solids_stresses(m, m->groups, &all);
  for (ig_lid n = 0; n < m->mesh->nodes && status == IG_OK; n++) {
    ig_nodal_get(&all, n, &out[n]);
    if (all.first[n] < 0) /* of beams alone: not known, which is not 0 */
      for (size_t i = 0; i < sizeof out[n] / sizeof(double); i++)
        ((double *)&out[n])[i] = NAN;
  }
  ig_nodal_free(&all);
  return status;
}
