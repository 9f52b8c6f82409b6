/* From a case and a mesh to particles and groups of elements on the device. */
#include "dynamics/dynamics.h"
#include "backend/backend.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- materials and sections --------------------------------------------------------------------
 */

static double table_at(const ig_table *t, double x) {
  if (t->count == 0)
    return NAN;
  if (t->count == 1 || x <= t->x[0])
    return t->y[0];
  for (int i = 1; i < t->count; i++)
    if (x <= t->x[i])
      return t->y[i - 1] + (t->y[i] - t->y[i - 1]) * (x - t->x[i - 1]) / (t->x[i] - t->x[i - 1]);
  return t->y[t->count - 1];
}

static ig_status material_need(ig_ctx *cx, const ig_material_case *c, double value,
                               const char *key) {
  if (isnan(value))
    return ig_fail_at(cx, &c->at, "material '%s' needs `%s` for dynamics", c->name, key);
  return IG_OK;
}

static ig_status material_read(ig_ctx *cx, const ig_material_case *c, mech_f64 *m, int *law) {
  memset(m, 0, sizeof *m);
  m->density = table_at(&c->density, 293.15);
  m->young = c->young;
  m->poisson = isnan(c->poisson) ? 0.3 : c->poisson;
  IG_TRY(material_need(cx, c, m->density, "density"));
  IG_TRY(material_need(cx, c, m->young, "young"));
  m->shear = m->young / (2 * (1 + m->poisson));
  m->bulk = m->young / (3 * (1 - 2 * m->poisson));
  int kind = c->law;
  if (kind == IG_MATERIAL_AUTO)
    kind = !isnan(c->yield) || c->hardening_curve.count > 0 ? IG_MATERIAL_PLASTIC
                                                            : IG_MATERIAL_ELASTIC;
  if (kind == IG_MATERIAL_ELASTIC) {
    *law = IG_LAW_ELASTIC;
    return IG_OK;
  }
  if (kind == IG_MATERIAL_NEO_HOOKEAN) {
    *law = IG_LAW_NEOHOOKE;
    return IG_OK;
  }
  if (c->hardening_curve.count > 0 && kind == IG_MATERIAL_PLASTIC) {
    const ig_table *t = &c->hardening_curve;
    if (t->count > IG_HARDENING_ROWS)
      return ig_fail_at(cx, &c->at, "`hardening_curve` has %d rows, at most %d are kept", t->count,
                        IG_HARDENING_ROWS);
    m->rows = t->count;
    for (int i = 0; i < t->count; i++) {
      m->strain[i] = t->x[i];
      m->stress[i] = t->y[i];
    }
    m->yield = m->stress[0];
    *law = IG_LAW_TABLE;
    return IG_OK;
  }
  IG_TRY(material_need(cx, c, c->yield, "yield"));
  m->yield = c->yield;
  m->hardening = isnan(c->hardening) ? 0 : c->hardening;
  if (!isnan(c->tangent)) {
    if (c->tangent >= m->young)
      return ig_fail_at(cx, &c->at, "`tangent` must be below Young's modulus");
    m->hardening = m->young * c->tangent / (m->young - c->tangent);
  }
  m->kinematic = isnan(c->kinematic) ? 0 : c->kinematic;
  *law = m->kinematic > 0 ? IG_LAW_KINEMATIC : IG_LAW_J2;
  if (kind == IG_MATERIAL_JOHNSON_COOK) {
    const ig_johnson_case *j = &c->johnson_cook;
    if (!j->at.given)
      return ig_fail_at(cx, &c->at, "material '%s' needs `johnson_cook`", c->name);
    const double heat = table_at(&c->specific_heat, 293.15);
    *law = IG_LAW_JOHNSON;
    m->jc_b = j->b;
    m->jc_n = j->n;
    m->jc_c = j->c;
    m->jc_rate0 = j->rate0;
    m->jc_m = j->m;
    m->jc_range = j->melt - j->room;
    m->jc_heat = isnan(heat) ? 0 : j->heat_share / (m->density * heat);
    for (int i = 0; i < 5; i++)
      m->jc_d[i] = isnan(j->failure[i]) ? 0 : j->failure[i];
    if (m->jc_range <= 0)
      return ig_fail_at(cx, &j->at, "`melt` must be above `room`");
  }
  return IG_OK;
}

static ig_status section_line(ig_ctx *cx, const ig_dyn_section *s, dyn_group_f64 *g) {
  const double pi = 3.14159265358979323846, r = s->radius, b = s->width, h = s->height;
  if (!isnan(s->area)) {
    g->area = s->area;
    g->iy = isnan(s->iy) ? 0 : s->iy;
    g->iz = isnan(s->iz) ? g->iy : s->iz;
    g->torsion = isnan(s->torsion) ? g->iy + g->iz : s->torsion;
    return IG_OK;
  }
  switch (s->profile) {
  case IG_SECTION_CIRCLE:
    g->area = pi * r * r;
    g->iy = g->iz = pi * r * r * r * r / 4;
    g->torsion = 2 * g->iy;
    break;
  case IG_SECTION_TUBE: {
    const double i = r - s->wall;
    if (!(i >= 0))
      return ig_fail_at(cx, &s->at, "`wall` must be at most `radius`");
    g->area = pi * (r * r - i * i);
    g->iy = g->iz = pi * (r * r * r * r - i * i * i * i) / 4;
    g->torsion = 2 * g->iy;
    break;
  }
  case IG_SECTION_RECTANGLE: {
    const double a = b > h ? b : h, t = b > h ? h : b;
    g->area = b * h;
    g->iy = b * h * h * h / 12; /* bending that moves along the height */
    g->iz = h * b * b * b / 12;
    g->torsion = a * t * t * t * (1.0 / 3 - 0.21 * t / a * (1 - pow(t / a, 4) / 12));
    break;
  }
  default: {
    const double f = s->flange, w = s->web, clear = h - 2 * f;
    if (!(clear >= 0) || !(w <= b))
      return ig_fail_at(cx, &s->at, "`flange` and `web` do not fit `height` and `width`");
    g->area = 2 * b * f + clear * w;
    g->iy = (b * h * h * h - (b - w) * clear * clear * clear) / 12;
    g->iz = (2 * f * b * b * b + clear * w * w * w) / 12;
    g->torsion = (2 * b * f * f * f + clear * w * w * w) / 3;
  }
  }
  if (!(g->area > 0))
    return ig_fail_at(cx, &s->at,
                      "the section needs its sizes: radius, or width and height, or area");
  return IG_OK;
}

static void group_single(const dyn_group_f64 *d, dyn_group_f32 *s) {
  memset(s, 0, sizeof *s);
#define COPY(k) s->k = d->k
#define CAST(k) s->k = (float)d->k
  COPY(first), COPY(count), COPY(npe), COPY(dofs), COPY(states), COPY(bbar), COPY(planes);
  COPY(cable), COPY(thinning);
  CAST(thickness), CAST(area), CAST(iy), CAST(iz), CAST(torsion), CAST(hourglass);
  CAST(bulk_linear), CAST(bulk_quadratic);
  CAST(mat.density), CAST(mat.young), CAST(mat.poisson), CAST(mat.bulk), CAST(mat.shear);
  CAST(mat.yield), CAST(mat.hardening), CAST(mat.kinematic), COPY(mat.rows);
  CAST(mat.jc_b), CAST(mat.jc_n), CAST(mat.jc_c), CAST(mat.jc_rate0), CAST(mat.jc_m);
  CAST(mat.jc_range), CAST(mat.jc_heat);
  for (int i = 0; i < IG_HARDENING_ROWS; i++)
    CAST(mat.strain[i]), CAST(mat.stress[i]);
  for (int i = 0; i < 5; i++)
    CAST(mat.jc_d[i]);
#undef COPY
#undef CAST
  s->state = (float *)d->state;
}

/* --- arrays in the run's precision --------------------------------------------------------------
 */

static ig_status upload(ig_dyn_model *m, ig_array *a, size_t size, const double *from, size_t count,
                        const char *what) {
  IG_TRY(ig_array_new(m->cx, a, count, size, what));
  for (size_t i = 0; i < count; i++)
    if (size == sizeof(double))
      ((double *)a->host)[i] = from ? from[i] : 0;
    else
      ((float *)a->host)[i] = from ? (float)from[i] : 0;
  return ig_array_push(m->cx, a);
}

double ig_dyn_get(const ig_dyn_model *m, const ig_array *a, int64_t i) {
  (void)m;
  return a->size == sizeof(double) ? ((const double *)a->host)[i] : ((const float *)a->host)[i];
}

/* --- groups ------------------------------------------------------------------------------------
 */

static const ig_block *block_of(const ig_mesh *mesh, ig_lid e, ig_lid *local) {
  for (int b = 0; b < mesh->blocks; b++) {
    if (e < mesh->block[b].count) {
      *local = e;
      return &mesh->block[b];
    }
    e -= mesh->block[b].count;
  }
  return NULL;
}

/* owner[e] = which item of a list claims element e; items without sets take what is left. */
static ig_status claim(ig_ctx *cx, const ig_mesh *mesh, int items, const ig_texts *sets,
                       const ig_src *at, size_t stride, int *owner) {
  const ig_lid ne = ig_mesh_elements(mesh);
  int rest = -1;
  for (ig_lid e = 0; e < ne; e++)
    owner[e] = -1;
  for (int i = 0; i < items; i++) {
    const ig_texts *t = (const ig_texts *)((const char *)sets + stride * (size_t)i);
    const ig_src *where = (const ig_src *)((const char *)at + stride * (size_t)i);
    if (t->count == 0)
      rest = i;
    for (int k = 0; k < t->count; k++) {
      const ig_set *set = ig_mesh_find_set(mesh, t->value[k], IG_SET_ELEMENTS);
      if (!set)
        return ig_fail_at(cx, where, "the mesh has no element set '%s'", t->value[k]);
      for (ig_lid j = 0; j < set->count; j++)
        owner[set->item[j]] = i;
    }
  }
  for (ig_lid e = 0; e < ne; e++)
    if (owner[e] < 0)
      owner[e] = rest;
  return IG_OK;
}

static const double *node_x(const ig_dyn_model *m, ig_lid n) {
  return m->x0 + 3 * (int64_t)n;
}

/* The state an element starts with. */
static void state_start(const ig_dyn_model *m, ig_dyn_group *g, const ig_dyn_section *s,
                        const ig_lid *conn, double *st) {
  if (g->kind == IG_DYN_HEX8 || g->kind == IG_DYN_HEX1 || g->kind == IG_DYN_TET)
    st[IG_HEX_FRAME] = 1; /* the frame lies along the axes of space */
  if (g->law == IG_LAW_NEOHOOKE) {
    /* the inverse of the Jacobian each point starts with */
    const int points = g->kind == IG_DYN_HEX8 ? 8 : 1;
    for (int n = 0; n < points; n++) {
      double j[9] = {0}, c[9];
      const double r = 0.577350269189625764509;
      const double a = n & 1 ? r : -r, b = n & 2 ? r : -r, z = n & 4 ? r : -r;
      for (int i = 0; i < 3; i++)
        if (g->kind == IG_DYN_HEX8)
          for (int k = 0; k < 8; k++) {
            static const int sa[8] = {-1, 1, 1, -1, -1, 1, 1, -1},
                             sb[8] = {-1, -1, 1, 1, -1, -1, 1, 1},
                             sc[8] = {-1, -1, -1, -1, 1, 1, 1, 1};
            const double x = node_x(m, conn[k])[i] / 8;
            j[i] += x * sa[k] * (1 + b * sb[k]) * (1 + z * sc[k]);
            j[3 + i] += x * sb[k] * (1 + a * sa[k]) * (1 + z * sc[k]);
            j[6 + i] += x * sc[k] * (1 + a * sa[k]) * (1 + b * sb[k]);
          }
        else
          for (int k = 0; k < 3; k++)
            j[3 * k + i] = node_x(m, conn[k + 1])[i] - node_x(m, conn[0])[i];
      c[0] = j[4] * j[8] - j[5] * j[7], c[1] = j[5] * j[6] - j[3] * j[8];
      c[2] = j[3] * j[7] - j[4] * j[6], c[3] = j[7] * j[2] - j[8] * j[1];
      c[4] = j[8] * j[0] - j[6] * j[2], c[5] = j[6] * j[1] - j[7] * j[0];
      c[6] = j[1] * j[5] - j[2] * j[4], c[7] = j[2] * j[3] - j[0] * j[5];
      c[8] = j[0] * j[4] - j[1] * j[3];
      const double det = j[0] * c[0] + j[1] * c[1] + j[2] * c[2];
      for (int i = 0; i < 9; i++) /* rows of the inverse */
        st[IG_HEX_POINT + n * ig_law_state(g->law, 6) + 6 + i] = c[i] / det;
    }
  }
  if (g->kind == IG_DYN_BEAM) {
    /* the section's width axis, square to the beam */
    double e[3], up[3], y[3], l = 0;
    for (int i = 0; i < 3; i++) {
      e[i] = node_x(m, conn[1])[i] - node_x(m, conn[0])[i];
      l += e[i] * e[i];
      up[i] = isnan(s->up[i]) ? (i == 2) : s->up[i];
    }
    for (int i = 0; i < 3; i++)
      e[i] /= sqrt(l);
    for (int pass = 0; pass < 2; pass++) {
      y[0] = up[1] * e[2] - up[2] * e[1];
      y[1] = up[2] * e[0] - up[0] * e[2];
      y[2] = up[0] * e[1] - up[1] * e[0];
      l = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
      if (l > 1e-3)
        break;
      up[0] = 0, up[1] = 1, up[2] = 0; /* the beam runs along `up` */
    }
    for (int i = 0; i < 3; i++)
      st[i] = y[i] / l;
  }
  if (g->kind == IG_DYN_LAYERS)
    st[0] = 1; /* thickness as a share of what it was */
}

static int group_states(const ig_dyn_group *g) {
  const int point = ig_law_state(g->law, 6), layer = ig_law_state(g->law, 3);
  switch (g->kind) {
  case IG_DYN_HEX8:
    return IG_HEX_POINT + 8 * point;
  case IG_DYN_HEX1:
    return IG_HEX_POINT + point + 12;
  case IG_DYN_TET:
    return IG_HEX_POINT + point;
  case IG_DYN_SHELL:
    return IG_SHELL_STATES;
  case IG_DYN_LAYERS:
    return IG_LAYERS_POINT + g->g_f64.planes * 5 * layer;
  case IG_DYN_BEAM:
    return IG_BEAM_STATES;
  default:
    return IG_BAR_STATES;
  }
}

/* Elements in the order they are worked on, colors padded to whole blocks. */
static ig_status group_order(ig_dyn_model *m, ig_dyn_group *g, const ig_lid *list,
                             const ig_dyn_section *section) {
  ig_ctx *cx = m->cx;
  const int npe = g->g_f64.npe;
  ig_status status = IG_OK;
  ig_coloring coloring = {0};
  ig_lid *conn = NULL;
  double *st = NULL;
  IG_TRY(IG_NEW(cx, &conn, (size_t)g->count * (size_t)npe, "element connectivity"));
  for (ig_lid i = 0; i < g->count; i++) {
    ig_lid local;
    const ig_block *b = block_of(m->mesh, list[i], &local);
    memcpy(conn + (int64_t)i * npe, b->conn + (int64_t)local * npe, sizeof *conn * (size_t)npe);
  }
  g->colors = 1;
  if (m->assembly == IG_COLOR) {
    IG_TRY_GOTO(status, done, ig_mesh_color(cx, m->mesh->nodes, g->count, npe, conn, &coloring));
    g->colors = coloring.colors;
  }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &g->begin, g->colors, "colors"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &g->end, g->colors, "colors"));
  g->slots = 0;
  for (int c = 0; c < g->colors; c++) {
    const ig_lid n = coloring.start ? coloring.start[c + 1] - coloring.start[c] : g->count;
    g->begin[c] = g->slots;
    g->end[c] = g->slots + n;
    g->slots += (n + IG_DYN_BLOCK - 1) / IG_DYN_BLOCK * IG_DYN_BLOCK;
  }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &g->element, g->slots, "element order"));
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &g->conn, (size_t)g->slots * (size_t)npe, sizeof(int32_t),
                           "element connectivity"));
  const int states = g->g_f64.states = group_states(g);
  const size_t real = m->precision == IG_DOUBLE ? sizeof(double) : sizeof(float);
  IG_TRY_GOTO(
      status, done,
      ig_array_new(cx, &g->state, (size_t)g->slots * (size_t)states, real, "element state"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &st, states, "element state"));
  for (int c = 0; c < g->colors; c++) {
    const ig_lid stop = c + 1 < g->colors ? g->begin[c + 1] : g->slots;
    for (ig_lid s = g->begin[c]; s < stop; s++) {
      const ig_lid k = s < g->end[c] ? s : g->end[c] - 1; /* pads repeat the last one */
      const ig_lid i = coloring.order ? coloring.order[coloring.start[c] + k - g->begin[c]] : k;
      g->element[s] = s < g->end[c] ? list[i] : -1;
      int32_t *to = (int32_t *)g->conn.host + (int64_t)s * npe;
      memcpy(to, conn + (int64_t)i * npe, sizeof *to * (size_t)npe);
      memset(st, 0, sizeof *st * (size_t)states);
      state_start(m, g, section, to, st);
      for (int v = 0; v < states; v++) {
        const int64_t at =
            ((int64_t)(s / IG_DYN_BLOCK) * states + v) * IG_DYN_BLOCK + s % IG_DYN_BLOCK;
        if (real == sizeof(double))
          ((double *)g->state.host)[at] = st[v];
        else
          ((float *)g->state.host)[at] = (float)st[v];
      }
    }
  }
  IG_TRY_GOTO(status, done, ig_array_push(cx, &g->conn));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &g->state));
done:
  free(conn);
  free(st);
  ig_coloring_free(&coloring);
  return status;
}

static ig_status group_kind(ig_dyn_model *m, const ig_dyn_section *s, const ig_material_case *mat,
                            ig_dyn_group *g) {
  ig_ctx *cx = m->cx;
  dyn_group_f64 *d = &g->g_f64;
  d->npe = ig_elem_info_get(g->type)->nodes;
  d->dofs = 3;
  d->hourglass = s->hourglass;
  d->bulk_linear = s->bulk_linear;
  d->bulk_quadratic = s->bulk_quadratic;
  d->bbar = s->integration == IG_INTEGRATE_BBAR;
  d->planes = (int)s->planes;
  d->thinning = s->thinning;
  switch (g->type) {
  case IG_HEX8:
    g->kind = s->integration == IG_INTEGRATE_SINGLE ? IG_DYN_HEX1 : IG_DYN_HEX8;
    break;
  case IG_TET4:
    g->kind = IG_DYN_TET;
    break;
  case IG_TRI3:
    g->kind = g->law == IG_LAW_ELASTIC ? IG_DYN_SHELL : IG_DYN_LAYERS;
    d->dofs = 6;
    d->thickness = s->thickness;
    if (isnan(s->thickness))
      return ig_fail_at(cx, &s->at, "shells need a section with `thickness`");
    if (s->planes != 3 && s->planes != 4)
      return ig_fail_at(cx, &s->at, "`planes` is 3 or 4 integration points");
    break;
  case IG_BEAM2:
    g->kind = s->line == IG_LINE_BEAM ? IG_DYN_BEAM : IG_DYN_BAR;
    d->dofs = s->line == IG_LINE_BEAM ? 6 : 3;
    d->cable = s->line == IG_LINE_CABLE;
    IG_TRY(section_line(cx, s, d));
    break;
  default:
    return ig_fail_at(cx, &m->c->at, "dynamics has no %s elements: use hex8, tet4, tri3 or beam2",
                      ig_elem_info_get(g->type)->name);
  }
  bool known = false;
#define X(k, l) known |= g->kind == IG_DYN_##k && g->law == IG_LAW_##l;
  IG_DYN_STAMPS(X)
#undef X
  if (!known)
    return ig_fail_at(cx, &mat->at,
                      "the law of material '%s' is not there for %s elements of this kind",
                      mat->name, ig_elem_info_get(g->type)->name);
  return IG_OK;
}

static const ig_dyn_section default_section = {.integration = IG_INTEGRATE_BBAR,
                                               .hourglass = 0.1,
                                               .thickness = NAN,
                                               .planes = 4,
                                               .radius = NAN,
                                               .wall = NAN,
                                               .width = NAN,
                                               .height = NAN,
                                               .flange = NAN,
                                               .web = NAN,
                                               .area = NAN,
                                               .iy = NAN,
                                               .iz = NAN,
                                               .torsion = NAN,
                                               .up = {NAN, NAN, NAN}};

static ig_status groups_new(ig_dyn_model *m, const ig_list *materials) {
  ig_ctx *cx = m->cx;
  const ig_lid ne = ig_mesh_elements(m->mesh);
  const ig_list *sections = &m->c->sections;
  ig_status status = IG_OK;
  int *section = NULL, *material = NULL;
  ig_lid *list = NULL;
  IG_TRY(IG_NEW(cx, &section, ne, "sections"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &material, ne, "materials"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &list, ne, "elements of a group"));
  const ig_dyn_section *s0 = sections->items;
  const ig_material_case *m0 = materials->items;
  IG_TRY_GOTO(status, done,
              claim(cx, m->mesh, sections->count, s0 ? &s0->set : NULL, s0 ? &s0->at : NULL,
                    sizeof *s0, section));
  IG_TRY_GOTO(status, done,
              claim(cx, m->mesh, materials->count, m0 ? &m0->tags : NULL, m0 ? &m0->at : NULL,
                    sizeof *m0, material));
  const int ns = sections->count + 1, nm = materials->count;
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, &m->group, m->mesh->blocks * ns * (nm > 0 ? nm : 1), "groups"));
  ig_lid base = 0, first = 0;
  for (int b = 0; b < m->mesh->blocks; base += m->mesh->block[b++].count)
    for (int s = -1; s < sections->count; s++)
      for (int k = -1; k < nm; k++) {
        ig_lid n = 0;
        for (ig_lid e = base; e < base + m->mesh->block[b].count; e++)
          if (section[e] == s && material[e] == k)
            list[n++] = e;
        if (n == 0)
          continue;
        if (k < 0) {
          status = ig_fail_at(cx, &m->c->at, "element %d has no material: name its set in `tags`",
                              list[0]);
          goto done;
        }
        ig_dyn_group *g = &m->group[m->groups++];
        const ig_dyn_section *use = s < 0 ? &default_section : &s0[s];
        g->type = m->mesh->block[b].type;
        g->count = n;
        IG_TRY_GOTO(status, done, material_read(cx, &m0[k], &g->g_f64.mat, &g->law));
        IG_TRY_GOTO(status, done, group_kind(m, use, &m0[k], g));
        IG_TRY_GOTO(status, done, group_order(m, g, list, use));
        g->g_f64.first = first;
        g->g_f64.count = g->slots;
        g->g_f64.state = g->state.dev;
        group_single(&g->g_f64, &g->g_f32);
        first += g->slots;
      }
done:
  free(section);
  free(material);
  free(list);
  return status;
}

/* --- sizes: mass, inertia, critical step -------------------------------------------------------
 */

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void sub(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++)
    c[i] = a[i] - b[i];
}

/* Largest squared frequency of a bending strip: stiffness EI, mass and inertia of each end. */
static double bending_frequency2(double ei, double l, double mass, double inertia) {
  const double mixed = 12 * ei / (l * l * sqrt(mass * inertia));
  return fmax(24 * ei / (l * l * l * mass) + mixed, mixed + 6 * ei / (l * inertia));
}

/* Mass of an element, rotary inertia of each of its particles, and its critical step. */
static double element_size(const ig_dyn_group *g, double inertia_scale, const double *const x[8],
                           double *mass, double *inertia) {
  const mech_f64 *mat = &g->g_f64.mat;
  const double rod = sqrt(mat->young / mat->density);
  const double solid = sqrt((mat->bulk + mat->shear * 4 / 3) / mat->density);
  *inertia = 0;
  if (g->type == IG_HEX8) {
    double volume = 0, face = 0, a[3], b[3], n[3];
    for (int f = 0; f < 6; f++) {
      const int *k = ig_elem_face(IG_HEX8, f);
      sub(x[k[2]], x[k[0]], a);
      sub(x[k[3]], x[k[1]], b);
      cross(a, b, n);
      double c[3] = {0, 0, 0};
      for (int i = 0; i < 3; i++)
        c[i] = (x[k[0]][i] + x[k[1]][i] + x[k[2]][i] + x[k[3]][i]) / 4 - x[0][i];
      volume += dot(c, n) / 6;
      face = fmax(face, sqrt(dot(n, n)) / 2);
    }
    *mass = mat->density * volume;
    return volume / face / solid;
  }
  if (g->type == IG_TET4) {
    double a[3], b[3], c[3], n[3], face = 0;
    sub(x[1], x[0], a);
    sub(x[2], x[0], b);
    sub(x[3], x[0], c);
    cross(a, b, n);
    const double volume = dot(n, c) / 6;
    for (int f = 0; f < 4; f++) {
      const int *k = ig_elem_face(IG_TET4, f);
      sub(x[k[1]], x[k[0]], a);
      sub(x[k[2]], x[k[0]], b);
      cross(a, b, n);
      face = fmax(face, sqrt(dot(n, n)) / 2);
    }
    *mass = mat->density * volume;
    return 3 * volume / face / solid * 0.5;
  }
  if (g->type == IG_TRI3) {
    double a[3], b[3], c[3], n[3];
    sub(x[1], x[0], a);
    sub(x[2], x[0], b);
    sub(x[2], x[1], c);
    cross(a, b, n);
    const double area = sqrt(dot(n, n)) / 2, t = g->g_f64.thickness;
    const double side = sqrt(fmax(dot(a, a), fmax(dot(b, b), dot(c, c)))), h = 2 * area / side;
    const double wave = sqrt(mat->young / (mat->density * (1 - mat->poisson * mat->poisson)));
    *mass = mat->density * t * area;
    const double k2 = fmax(t * t / 12, inertia_scale * area);
    *inertia = *mass / 3 * k2;
    const double d = mat->young * t * t * t / (12 * (1 - mat->poisson * mat->poisson));
    const double m = mat->density * t * h / 2;
    return fmin(h / wave, 2 / sqrt(bending_frequency2(d, h, m, m * k2)));
  }
  double a[3];
  sub(x[1], x[0], a);
  const double l = sqrt(dot(a, a)), area = g->g_f64.area;
  *mass = mat->density * area * l;
  if (g->kind == IG_DYN_BAR)
    return l / rod;
  const double i = fmax(g->g_f64.iy, g->g_f64.iz);
  *inertia = fmax(mat->density * l / 2 * (g->g_f64.iy + g->g_f64.iz),
                  mat->density * l / 2 * i + *mass * l * l / 24 * inertia_scale);
  const double twist = sqrt(2 * mat->shear * g->g_f64.torsion / l / *inertia);
  return fmin(l / rod, fmin(2 / sqrt(bending_frequency2(mat->young * i, l, *mass / 2, *inertia)),
                            2 / twist));
}

static void element_points(const ig_dyn_model *m, const ig_dyn_group *g, ig_lid s, bool current,
                           double buffer[8][3], const double *x[8]) {
  const int32_t *conn = (const int32_t *)g->conn.host + (int64_t)s * g->g_f64.npe;
  for (int a = 0; a < g->g_f64.npe; a++) {
    for (int i = 0; i < 3; i++)
      buffer[a][i] = current ? ig_dyn_get(m, &m->x, 3 * (int64_t)conn[a] + i)
                             : m->x0[3 * (int64_t)conn[a] + i];
    x[a] = buffer[a];
  }
}

static ig_status step_range(ig_dyn_model *m, double *least, double *most) {
  IG_TRY(ig_array_pull(m->cx, &m->x));
  double lo = INFINITY, hi = 0;
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
#pragma omp parallel for schedule(static) num_threads(m->cx->threads) reduction(min                \
                                                                                : lo)              \
    reduction(max                                                                                  \
              : hi)
    for (ig_lid s = 0; s < g->slots; s++) {
      double buffer[8][3], mass, inertia;
      const double *x[8];
      if (g->element[s] < 0)
        continue;
      element_points(m, g, s, true, buffer, x);
      const double dt = element_size(g, m->c->inertia_scale, x, &mass, &inertia);
      lo = fmin(lo, dt);
      hi = fmax(hi, dt);
    }
  }
  if (!(lo > 0))
    return IG_FAIL(m->cx, IG_NUMERIC, "an element has collapsed: the critical step is %g s", lo);
  *least = lo;
  *most = hi;
  return IG_OK;
}

ig_status ig_dyn_critical_step(ig_dyn_model *m, double *dt) {
  double most;
  IG_TRY(step_range(m, dt, &most));
  *dt = fmax(*dt, m->scaled_to);
  return IG_OK;
}

ig_status ig_dyn_largest_step(ig_dyn_model *m, double *dt) {
  double least;
  return step_range(m, &least, dt);
}

/* Particle masses; elements whose critical step is below `least` are made heavier. */
ig_status ig_dyn_masses(ig_dyn_model *m, double least) {
  double *mass = m->node_mass, *inertia = m->node_inertia;
  memset(mass, 0, sizeof *mass * (size_t)m->mesh->nodes);
  memset(inertia, 0, sizeof *inertia * (size_t)m->mesh->nodes);
  m->total_mass = m->mass_scaled = 0;
  m->scaled_to = least;
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    const int npe = g->g_f64.npe;
    for (ig_lid s = 0; s < g->slots; s++) {
      if (g->element[s] < 0)
        continue;
      double buffer[8][3], me, ie;
      const double *x[8];
      element_points(m, g, s, false, buffer, x);
      const double dt = element_size(g, m->c->inertia_scale, x, &me, &ie);
      if (!(me > 0))
        return IG_FAIL(m->cx, IG_NUMERIC, "element %d is inverted or flat", g->element[s]);
      const double scale = dt < least ? (least / dt) * (least / dt) : 1;
      m->total_mass += me;
      m->mass_scaled += me * (scale - 1);
      for (int a = 0; a < npe; a++) {
        const int32_t n = ((const int32_t *)g->conn.host)[(int64_t)s * npe + a];
        mass[n] += scale * me / npe;
        inertia[n] += scale * ie;
      }
    }
  }
  for (ig_lid n = 0; n < m->mesh->nodes; n++)
    if (!(mass[n] > 0))
      mass[n] = 1; /* no element holds it: it stays where it is */
  ig_array *to[2] = {&m->mass, &m->inertia};
  const double *from[2] = {mass, inertia};
  for (int i = 0; i < 2; i++) {
    if (!to[i]->count)
      continue;
    for (ig_lid n = 0; n < m->mesh->nodes; n++)
      if (m->part == sizeof(double))
        ((double *)to[i]->host)[n] = from[i][n];
      else
        ((float *)to[i]->host)[n] = (float)from[i][n];
    IG_TRY(ig_array_push(m->cx, to[i]));
  }
  return IG_OK;
}

/* --- what holds and pushes ----------------------------------------------------------------------
 */

typedef struct {
  int count, room;
  ig_dyn_curve *curve;
  int rows, rows_room;
  double *x, *y;
} curves;

static ig_status curve_add(ig_ctx *cx, curves *c, const ig_table *t, int32_t *place) {
  *place = -1;
  if (t->count == 0)
    return IG_OK;
  if (c->count == c->room || c->rows + t->count > c->rows_room) {
    c->room = 2 * c->room + 8;
    c->rows_room = 2 * c->rows_room + t->count + 64;
    void *a = realloc(c->curve, sizeof *c->curve * (size_t)c->room);
    if (a)
      c->curve = a;
    void *x = realloc(c->x, sizeof *c->x * (size_t)c->rows_room);
    if (x)
      c->x = x;
    void *y = realloc(c->y, sizeof *c->y * (size_t)c->rows_room);
    if (y)
      c->y = y;
    if (!a || !x || !y)
      return IG_FAIL(cx, IG_MEMORY, "out of memory for histories");
  }
  c->curve[c->count] = (ig_dyn_curve){c->rows, t->count};
  for (int i = 0; i < t->count; i++) {
    c->x[c->rows + i] = t->x[i];
    c->y[c->rows + i] = t->y[i];
  }
  c->rows += t->count;
  *place = c->count++;
  return IG_OK;
}

static ig_status nodes_of(ig_dyn_model *m, const ig_src *at, const char *name, const ig_set **set) {
  *set = ig_mesh_find_set(m->mesh, name, IG_SET_NODES);
  if (!*set)
    return ig_fail_at(m->cx, at, "the mesh has no node set '%s'", name);
  return IG_OK;
}

/* "xyz", "x rx ry", "all", "rotations" into six flags */
static ig_status fix_read(ig_ctx *cx, const ig_dyn_constraint *c, bool fixed[6]) {
  memset(fixed, 0, 6 * sizeof *fixed);
  if (!c->fix)
    return IG_OK;
  if (strcmp(c->fix, "all") == 0) {
    for (int i = 0; i < 6; i++)
      fixed[i] = true;
    return IG_OK;
  }
  for (const char *s = c->fix; *s; s++) {
    int turn = 0;
    if (*s == ' ' || *s == ',')
      continue;
    if (*s == 'r') {
      turn = 3;
      s++;
    }
    if (*s < 'x' || *s > 'z')
      return ig_fail_at(cx, &c->at, "`fix` is 'all' or some of x y z rx ry rz, not '%s'", c->fix);
    fixed[turn + *s - 'x'] = true;
  }
  return IG_OK;
}

static ig_status motions_new(ig_dyn_model *m, curves *cs) {
  ig_ctx *cx = m->cx;
  const int n = m->c->constraints.count;
  if (n == 0)
    return IG_OK;
  ig_status status = IG_OK;
  int kinds = 1, room = 2;
  ig_dyn_motion *motion = calloc((size_t)room, sizeof *motion);
  int *next = NULL; /* kind x constraint -> kind after it, 0: not made yet */
  int32_t *move = NULL;
  if (!motion)
    return IG_FAIL(cx, IG_MEMORY, "out of memory for constraints");
  IG_TRY_GOTO(status, done, IG_NEW(cx, &move, m->mesh->nodes, "constraints"));
  for (int i = 0; i < n; i++) {
    const ig_dyn_constraint *c = IG_ITEM(const ig_dyn_constraint, m->c->constraints, i);
    const ig_set *set;
    bool fixed[6];
    int32_t curve;
    IG_TRY_GOTO(status, done, nodes_of(m, &c->at, c->set, &set));
    IG_TRY_GOTO(status, done, fix_read(cx, c, fixed));
    IG_TRY_GOTO(status, done, curve_add(cx, cs, &c->history, &curve));
    free(next);
    next = calloc((size_t)kinds, sizeof *next);
    if (!next) {
      status = IG_FAIL(cx, IG_MEMORY, "out of memory for constraints");
      goto done;
    }
    const int before = kinds;
    for (ig_lid k = 0; k < set->count; k++) {
      int32_t *at = &move[set->item[k]];
      if (*at >= before)
        continue; /* twice in one set */
      if (next[*at] == 0) {
        if (kinds == room) {
          room *= 2;
          void *more = realloc(motion, sizeof *motion * (size_t)room);
          if (!more) {
            status = IG_FAIL(cx, IG_MEMORY, "out of memory for constraints");
            goto done;
          }
          motion = more;
        }
        ig_dyn_motion *to = &motion[kinds];
        *to = motion[*at];
        for (int d = 0; d < 6; d++) {
          const struct {
            ig_dyn_move kind;
            double value;
          } asked[4] = {{IG_MOVE_DISPLACEMENT, d < 3 ? c->displacement[d] : NAN},
                        {IG_MOVE_VELOCITY, d < 3 ? c->velocity[d] : NAN},
                        {IG_MOVE_ACCELERATION, d < 3 ? c->acceleration[d] : NAN},
                        {IG_MOVE_VELOCITY, d >= 3 ? c->spin[d - 3] : NAN}};
          if (fixed[d])
            to->kind[d] = IG_MOVE_FIXED;
          for (int q = 0; q < 4; q++)
            if (!isnan(asked[q].value) && strchr(c->along, "xyz"[d % 3])) {
              to->kind[d] = (uint8_t)asked[q].kind;
              to->curve[d] = curve;
              to->scale[d] = asked[q].value;
            }
        }
        next[*at] = kinds++;
      }
      *at = next[*at];
    }
  }
  IG_TRY_GOTO(
      status, done,
      ig_array_from(cx, &m->move, move, (size_t)m->mesh->nodes, sizeof *move, "constraints"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->motion, motion, (size_t)kinds, sizeof *motion, "constraints"));
done:
  free(motion);
  free(next);
  free(move);
  return status;
}

typedef struct {
  int32_t node;
  size_t place; /* the order they were given in */
  bool is_face;
  ig_dyn_force force;
  ig_dyn_face face;
} push;
typedef struct {
  size_t count, room;
  push *item;
} pushes;

static ig_status push_add(ig_ctx *cx, pushes *p, const push *item) {
  if (p->count == p->room) {
    p->room = 2 * p->room + 64;
    void *more = realloc(p->item, sizeof *p->item * p->room);
    if (!more)
      return IG_FAIL(cx, IG_MEMORY, "out of memory for loads");
    p->item = more;
  }
  p->item[p->count] = *item;
  p->item[p->count].place = p->count;
  p->count++;
  return IG_OK;
}

static ig_status face_add(ig_dyn_model *m, pushes *list, const ig_dyn_load *load, int32_t curve,
                          const ig_lid *node, int corners) {
  push item = {.is_face = true};
  item.face.curve = curve;
  item.face.corners = corners;
  item.face.pressure = load->pressure;
  for (int a = 0; a < corners; a++)
    item.face.node[a] = node[a];
  for (int a = 0; a < corners; a++) {
    item.node = node[a];
    IG_TRY(push_add(m->cx, list, &item));
  }
  return IG_OK;
}

static ig_status pressure_add(ig_dyn_model *m, pushes *list, const ig_dyn_load *load,
                              int32_t curve) {
  const ig_set *set = ig_mesh_find_set(m->mesh, load->set, IG_SET_FACES);
  if (!set)
    set = ig_mesh_find_set(m->mesh, load->set, IG_SET_ELEMENTS);
  if (!set)
    return ig_fail_at(m->cx, &load->at, "the mesh has no face set and no element set '%s'",
                      load->set);
  for (ig_lid k = 0; k < set->count; k++) {
    ig_lid local, node[4];
    const ig_block *b = block_of(m->mesh, set->item[k], &local);
    const ig_elem_info *info = ig_elem_info_get(b->type);
    const ig_lid *conn = b->conn + (int64_t)local * info->nodes;
    if (b->type == IG_TRI3)
      IG_TRY(face_add(m, list, load, curve, conn, 3));
    else if (info->dim == 3 && set->kind == IG_SET_FACES) {
      const int corners = b->type == IG_HEX8 ? 4 : 3, *face = ig_elem_face(b->type, set->face[k]);
      for (int a = 0; a < corners; a++)
        node[a] = conn[face[a]];
      IG_TRY(face_add(m, list, load, curve, node, corners));
    } else
      return ig_fail_at(m->cx, &load->at, "pressure needs faces of solids or shell elements");
  }
  return IG_OK;
}

static int by_node(const void *a, const void *b) {
  const push *p = a, *q = b;
  if (p->node != q->node)
    return p->node < q->node ? -1 : 1;
  if (p->is_face != q->is_face)
    return p->is_face - q->is_face;
  return p->place < q->place ? -1 : p->place > q->place;
}

static ig_status loads_new(ig_dyn_model *m, curves *cs) {
  ig_ctx *cx = m->cx;
  ig_status status = IG_OK;
  pushes list = {0};
  int32_t *node = NULL, *fs = NULL, *as = NULL;
  ig_dyn_force *force = NULL;
  ig_dyn_face *face = NULL;
  for (int i = 0; i < m->c->loads.count; i++) {
    const ig_dyn_load *c = IG_ITEM(const ig_dyn_load, m->c->loads, i);
    int32_t curve;
    IG_TRY_GOTO(status, done, curve_add(cx, cs, &c->history, &curve));
    if (!isnan(c->pressure)) {
      IG_TRY_GOTO(status, done, pressure_add(m, &list, c, curve));
      continue;
    }
    const ig_set *set;
    IG_TRY_GOTO(status, done, nodes_of(m, &c->at, c->set, &set));
    push item = {.force.curve = curve};
    for (int d = 0; d < 3; d++) {
      item.force.value[d] = (isnan(c->force[d]) ? 0 : c->force[d]) +
                            (isnan(c->total[d]) || set->count == 0 ? 0 : c->total[d] / set->count);
      item.force.value[3 + d] = isnan(c->moment[d]) ? 0 : c->moment[d];
    }
    for (ig_lid k = 0; k < set->count; k++) {
      item.node = set->item[k];
      IG_TRY_GOTO(status, done, push_add(cx, &list, &item));
    }
  }
  if (list.count == 0)
    goto done;
  if (list.count > INT32_MAX / 2) {
    status = IG_FAIL(cx, IG_INPUT, "too many loads");
    goto done;
  }
  qsort(list.item, list.count, sizeof *list.item, by_node);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &node, list.count, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &fs, list.count + 1, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &as, list.count + 1, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &force, list.count, "loads"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &face, list.count, "loads"));
  int32_t nodes = 0, nf = 0, na = 0;
  for (size_t i = 0; i < list.count; i++) {
    if (nodes == 0 || node[nodes - 1] != list.item[i].node) {
      node[nodes] = list.item[i].node;
      fs[nodes] = nf;
      as[nodes] = na;
      nodes++;
    }
    if (list.item[i].is_face)
      face[na++] = list.item[i].face;
    else
      force[nf++] = list.item[i].force;
  }
  fs[nodes] = nf;
  as[nodes] = na;
  m->p.loaded = nodes;
  const size_t n = (size_t)nodes;
  IG_TRY_GOTO(status, done, ig_array_from(cx, &m->loaded_node, node, n, sizeof *node, "loads"));
  IG_TRY_GOTO(status, done, ig_array_from(cx, &m->force_start, fs, n + 1, sizeof *fs, "loads"));
  IG_TRY_GOTO(status, done, ig_array_from(cx, &m->face_start, as, n + 1, sizeof *as, "loads"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->force, force, (size_t)nf + 1, sizeof *force, "loads"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->face, face, (size_t)na + 1, sizeof *face, "loads"));
done:
  free(list.item);
  free(node);
  free(fs);
  free(as);
  free(force);
  free(face);
  return status;
}

static ig_status tools_new(ig_dyn_model *m, curves *cs) {
  const int n = m->c->tools.count;
  if (n == 0)
    return IG_OK;
  IG_TRY(ig_array_new(m->cx, &m->tool, (size_t)n, sizeof(ig_dyn_tool), "tools"));
  for (int i = 0; i < n; i++) {
    const ig_dyn_tool_case *c = IG_ITEM(const ig_dyn_tool_case, m->c->tools, i);
    ig_dyn_tool *t = (ig_dyn_tool *)m->tool.host + i;
    t->shape = c->shape;
    IG_TRY(curve_add(m->cx, cs, &c->history, &t->curve));
    const double l = sqrt(dot(c->axis, c->axis));
    if (!(l > 0))
      return ig_fail_at(m->cx, &c->at, "a tool's `axis` must have a length");
    if (c->shape != IG_TOOL_PLANE && !(c->radius > 0))
      return ig_fail_at(m->cx, &c->at, "this tool needs a `radius`");
    for (int k = 0; k < 3; k++) {
      t->at[k] = c->point[k];
      t->axis[k] = c->axis[k] / l;
      t->velocity[k] = c->velocity[k];
      t->travel[k] = c->travel[k];
    }
    t->radius = c->radius;
    t->friction = c->friction;
  }
  return ig_array_push(m->cx, &m->tool);
}

static ig_status start_velocities(ig_dyn_model *m, double *v) {
  const int D = m->p.dofs;
  for (int i = 0; i < m->c->initial.count; i++) {
    const ig_dyn_initial *c = IG_ITEM(const ig_dyn_initial, m->c->initial, i);
    const ig_set *set = NULL;
    if (c->set)
      IG_TRY(nodes_of(m, &c->at, c->set, &set));
    const ig_lid count = set ? set->count : m->mesh->nodes;
    for (ig_lid k = 0; k < count; k++) {
      const int64_t n = set ? set->item[k] : k;
      double r[3], w[3];
      sub(m->x0 + 3 * n, c->about, r);
      cross(c->spin, r, w);
      for (int d = 0; d < 3; d++) {
        v[D * n + d] = c->velocity[d] + w[d];
        if (D == 6)
          v[D * n + 3 + d] = c->spin[d];
      }
    }
  }
  return IG_OK;
}

/* --- contact -------------------------------------------------------------------------------------
 */

static void triangle_put(int32_t *to, int64_t *count, ig_lid a, ig_lid b, ig_lid c) {
  to[3 * *count] = a, to[3 * *count + 1] = b, to[3 * *count + 2] = c;
  (*count)++;
}

/* Triangles of all surfaces: shells, and the boundary of solids with faces cut in two. */
static ig_status surface_triangles(ig_dyn_model *m, int32_t **triangle, int64_t *count) {
  ig_ctx *cx = m->cx;
  ig_boundary boundary = {0};
  ig_status status = IG_OK;
  int64_t room = 0;
  for (int b = 0; b < m->mesh->blocks; b++)
    room += m->mesh->block[b].type == IG_TRI3 ? m->mesh->block[b].count : 0;
  IG_TRY(ig_mesh_boundary(cx, m->mesh, &boundary));
  room += 2 * (int64_t)boundary.count;
  *count = 0;
  IG_TRY_GOTO(status, done, IG_NEW(cx, triangle, 3 * room + 1, "contact surfaces"));
  for (int b = 0; b < m->mesh->blocks; b++)
    for (ig_lid e = 0; m->mesh->block[b].type == IG_TRI3 && e < m->mesh->block[b].count; e++) {
      const ig_lid *n = m->mesh->block[b].conn + 3 * (int64_t)e;
      triangle_put(*triangle, count, n[0], n[1], n[2]);
    }
  for (ig_lid i = 0; i < boundary.count; i++) {
    ig_lid local;
    const ig_block *b = block_of(m->mesh, boundary.element[i], &local);
    const ig_elem_info *info = ig_elem_info_get(b->type);
    if (info->dim != 3)
      continue;
    const int *f = ig_elem_face(b->type, boundary.face[i]);
    const ig_lid *n = b->conn + (int64_t)local * info->nodes;
    triangle_put(*triangle, count, n[f[0]], n[f[1]], n[f[2]]);
    if (b->type == IG_HEX8)
      triangle_put(*triangle, count, n[f[0]], n[f[2]], n[f[3]]);
  }
done:
  ig_boundary_free(&boundary);
  return status;
}

static ig_status contact_new(ig_dyn_model *m) {
  ig_ctx *cx = m->cx;
  const ig_dyn_contact *c = &m->c->contact;
  if (!c->at.given || !c->on)
    return IG_OK;
  int32_t *triangle = NULL, *surface = NULL;
  uint8_t *seen = NULL;
  int64_t count;
  ig_status status = surface_triangles(m, &triangle, &count);
  if (status != IG_OK || count == 0)
    goto done;
  const size_t nodes = (size_t)m->mesh->nodes;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &seen, nodes, "contact surfaces"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &surface, nodes, "contact surfaces"));
  int32_t surfaces = 0;
  double edge = 0, longest = 0;
  for (int64_t i = 0; i < 3 * count; i++) {
    const int32_t n = triangle[i], next = triangle[i % 3 == 2 ? i - 2 : i + 1];
    double d[3];
    sub(m->x0 + 3 * (int64_t)next, m->x0 + 3 * (int64_t)n, d);
    edge += sqrt(dot(d, d)) / (3 * (double)count);
    longest = fmax(longest, sqrt(dot(d, d)));
    if (!seen[n])
      surface[surfaces++] = n;
    seen[n] = 1;
  }
  double thick = 0;
  for (int k = 0; k < m->groups; k++)
    thick = fmax(thick, m->group[k].g_f64.thickness);
  ig_dyn_particles *p = &m->p;
  p->triangles = (int32_t)count;
  p->surfaces = surfaces;
  p->gap = !isnan(c->thickness) && c->thickness > 0 ? c->thickness : thick > 0 ? thick : edge / 10;
  p->cell = longest + p->gap;
  p->penalty = c->penalty;
  p->rub = c->friction;
  uint32_t buckets = 16;
  while (buckets < 2u * (uint32_t)surfaces)
    buckets *= 2;
  p->bucket_mask = buckets - 1;
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->triangle, triangle, 3 * (size_t)count, sizeof *triangle,
                            "contact surfaces"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->surface, surface, (size_t)surfaces, sizeof *surface,
                            "contact surfaces"));
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &m->x_start, m->x0, 3 * nodes, sizeof(double), "contact surfaces"));
  IG_TRY_GOTO(status, done,
              ig_array_new_device(cx, &m->bucket, buckets, sizeof(int32_t), "contact search"));
  IG_TRY_GOTO(
      status, done,
      ig_array_new_device(cx, &m->chain, (size_t)surfaces, sizeof(int32_t), "contact search"));
  IG_TRY_GOTO(status, done, upload(m, &m->touch, m->part, NULL, 3 * nodes, "contact forces"));
  p->triangle = m->triangle.dev, p->surface = m->surface.dev, p->x_start = m->x_start.dev;
  p->bucket = m->bucket.dev, p->chain = m->chain.dev, p->touch = m->touch.dev;
done:
  free(triangle);
  free(surface);
  free(seen);
  return status;
}

/* Slots of all groups, those of one particle side by side, in the order of the groups. */
static ig_status slots_new(ig_dyn_model *m) {
  if (m->assembly != IG_GATHER)
    return IG_OK;
  ig_ctx *cx = m->cx;
  const ig_lid nodes = m->mesh->nodes;
  IG_TRY(ig_array_new(cx, &m->slot_first, (size_t)nodes + 1, sizeof(int32_t), "slots"));
  int32_t *first = m->slot_first.host;
  int64_t total = 0;
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    total += (int64_t)g->count * g->g_f64.npe;
    for (ig_lid s = 0; s < g->slots; s++)
      for (int a = 0; a < g->g_f64.npe && g->element[s] >= 0; a++)
        first[((int32_t *)g->conn.host)[(int64_t)s * g->g_f64.npe + a] + 1]++;
  }
  if (total > INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "too many elements for assembly `gather`: use `atomic`");
  for (ig_lid n = 0; n < nodes; n++)
    first[n + 1] += first[n];
  int32_t *next = NULL;
  IG_TRY(IG_NEW(cx, &next, nodes, "slots"));
  memcpy(next, first, sizeof *next * (size_t)nodes);
  for (int k = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
    const ig_status status = ig_array_new(cx, &g->slot, (size_t)g->slots * (size_t)g->g_f64.npe,
                                          sizeof(int32_t), "slots");
    if (status != IG_OK) {
      free(next);
      return status;
    }
    for (ig_lid s = 0; s < g->slots; s++)
      for (int a = 0; a < g->g_f64.npe && g->element[s] >= 0; a++) {
        const int64_t at = (int64_t)s * g->g_f64.npe + a;
        ((int32_t *)g->slot.host)[at] = next[((int32_t *)g->conn.host)[at]]++;
      }
  }
  free(next);
  for (int k = 0; k < m->groups; k++)
    IG_TRY(ig_array_push(cx, &m->group[k].slot));
  IG_TRY(ig_array_push(cx, &m->slot_first));
  /* components a group does not write (rotations of solids) stay zero */
  return upload(m, &m->slots, m->part, NULL, (size_t)total * (size_t)m->p.dofs, "slots");
}

static ig_status build(ig_dyn_model *m, const ig_list *materials) {
  ig_ctx *cx = m->cx;
  const size_t n = (size_t)m->mesh->nodes;
  m->part = m->precision == IG_SINGLE ? sizeof(float) : sizeof(double);
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    m->ops = &ig_dyn_cuda[m->precision];
  else
#endif
    m->ops = &ig_dyn_cpu[m->precision];
  IG_TRY(IG_NEW(cx, &m->x0, 3 * n, "positions"));
  memcpy(m->x0, m->mesh->x, 3 * n * sizeof(double));
  IG_TRY(IG_NEW(cx, &m->node_mass, n, "masses"));
  IG_TRY(IG_NEW(cx, &m->node_inertia, n, "inertias"));
  IG_TRY(groups_new(m, materials));

  ig_dyn_particles *p = &m->p;
  p->nodes = m->mesh->nodes;
  p->dofs = 3;
  for (int k = 0; k < m->groups; k++)
    if (m->group[k].g_f64.dofs == 6)
      p->dofs = 6;
  const size_t d = n * (size_t)p->dofs;
  IG_TRY(upload(m, &m->x, m->part, m->x0, 3 * n, "positions"));
  double *v = NULL;
  IG_TRY(IG_NEW(cx, &v, d, "velocities"));
  ig_status status = start_velocities(m, v);
  if (status == IG_OK)
    status = upload(m, &m->v, m->part, v, d, "velocities");
  free(v);
  IG_TRY(status);
  IG_TRY(upload(m, &m->f, m->part, NULL, d, "forces"));
  IG_TRY(upload(m, &m->mass, m->part, NULL, n, "masses"));
  IG_TRY(upload(m, &m->inertia, m->part, NULL, n, "inertias"));
  IG_TRY(upload(m, &m->work, sizeof(double), NULL, n * IG_WORKS, "work"));
  size_t room = n * IG_DYN_PARTICLE_ENERGIES;
  for (int k = 0; k < m->groups; k++)
    if (room < (size_t)m->group[k].slots * IG_DYN_REPORT)
      room = (size_t)m->group[k].slots * IG_DYN_REPORT;
  IG_TRY(upload(m, &m->scratch, sizeof(double), NULL, room, "sums"));
  IG_TRY(ig_dyn_masses(m, 0));

  curves cs = {0};
  status = motions_new(m, &cs);
  if (status == IG_OK)
    status = loads_new(m, &cs);
  if (status == IG_OK)
    status = tools_new(m, &cs);
  p->gravity_curve = -1;
  if (status == IG_OK && m->c->gravity.at.given) {
    p->has_gravity = 1;
    for (int i = 0; i < 3; i++)
      p->gravity[i] = m->c->gravity.acceleration[i];
    status = curve_add(cx, &cs, &m->c->gravity.history, &p->gravity_curve);
  }
  if (status == IG_OK && cs.count > 0)
    status =
        ig_array_from(cx, &m->curve, cs.curve, (size_t)cs.count, sizeof *cs.curve, "histories");
  if (status == IG_OK && cs.count > 0)
    status = ig_array_from(cx, &m->curve_x, cs.x, (size_t)cs.rows, sizeof *cs.x, "histories");
  if (status == IG_OK && cs.count > 0)
    status = ig_array_from(cx, &m->curve_y, cs.y, (size_t)cs.rows, sizeof *cs.y, "histories");
  free(cs.curve);
  free(cs.x);
  free(cs.y);
  IG_TRY(status);
  if (p->loaded > 0)
    IG_TRY(upload(m, &m->load, m->part, NULL, d, "loads"));
  IG_TRY(slots_new(m));
  IG_TRY(contact_new(m));
  IG_TRY(ig_array_new(cx, &m->clock, 1, sizeof(ig_dyn_clock), "clock"));
  IG_TRY(ig_array_push(cx, &m->clock));

  ig_lid all = 0;
  for (int k = 0; k < m->groups; k++)
    all += m->group[k].slots;
  IG_TRY(IG_NEW(cx, &m->fault_ids, all, "element numbers"));
  for (int k = 0; k < m->groups; k++)
    memcpy(m->fault_ids + m->group[k].g_f64.first, m->group[k].element,
           sizeof(ig_lid) * (size_t)m->group[k].slots);

  p->x = m->x.dev, p->v = m->v.dev, p->f = m->f.dev, p->load = m->load.dev;
  p->mass = m->mass.dev, p->inertia = m->inertia.dev, p->work = m->work.dev;
  p->clock = m->clock.dev;
  p->move = m->move.dev, p->motion = m->motion.dev;
  p->curve = m->curve.dev, p->curve_x = m->curve_x.dev, p->curve_y = m->curve_y.dev;
  p->loaded_node = m->loaded_node.dev;
  p->force_start = m->force_start.dev, p->face_start = m->face_start.dev;
  p->force = m->force.dev, p->face = m->face.dev;
  p->tools = m->c->tools.count;
  p->tool = m->tool.dev;
  p->slot_first = m->slot_first.dev, p->slots = m->slots.dev;
  m->fresh = true;
  return IG_OK;
}

ig_status ig_dyn_model_new(ig_ctx *cx, const ig_mesh *mesh, const ig_list *materials,
                           const ig_dyn_case *c, ig_precision precision, ig_assembly assembly,
                           ig_dyn_model **model) {
  ig_dyn_model *m = NULL;
  *model = NULL;
  IG_TRY(IG_NEW(cx, &m, 1, "model"));
  m->cx = cx;
  m->mesh = mesh;
  m->c = c;
  m->precision = precision;
  m->assembly = assembly;
  const ig_status status = build(m, materials);
  if (status != IG_OK) {
    ig_dyn_model_free(m);
    return status;
  }
  *model = m;
  return IG_OK;
}

void ig_dyn_model_free(ig_dyn_model *m) {
  if (!m)
    return;
  ig_ctx *cx = m->cx;
  if (m->graph)
    cx->backend->graph_free(cx, m->graph);
  for (int k = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
    ig_array_free(cx, &g->conn);
    ig_array_free(cx, &g->state);
    ig_array_free(cx, &g->slot);
    free(g->element);
    free(g->begin);
    free(g->end);
  }
  free(m->group);
  ig_array *all[] = {&m->x,          &m->v,       &m->f,        &m->load,        &m->mass,
                     &m->inertia,    &m->work,    &m->clock,    &m->move,        &m->motion,
                     &m->curve,      &m->curve_x, &m->curve_y,  &m->loaded_node, &m->force_start,
                     &m->face_start, &m->force,   &m->face,     &m->tool,        &m->slots,
                     &m->slot_first, &m->scratch, &m->triangle, &m->surface,     &m->bucket,
                     &m->chain,      &m->x_start, &m->touch};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ig_array_free(cx, all[i]);
  free(m->fault_ids);
  free(m->x0);
  free(m->node_mass);
  free(m->node_inertia);
  free(m);
}

double ig_dyn_step_bytes(const ig_dyn_model *m) {
  const double part = (double)m->part, D = m->p.dofs;
  /* positions and velocities read and written, forces written by elements and read, mass */
  double bytes = m->p.nodes * part * (2 * 3 + 2 * D + 2 * D + 1);
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    const double npe = g->g_f64.npe;
    bytes += g->count * (2.0 * g->g_f64.states * (double)g->state.size + 4 * npe);
    bytes += m->p.nodes * part * (3 + D); /* each particle's motion read once */
    if (m->assembly == IG_GATHER)
      bytes += g->count * npe * (4 + 2 * D * part);
  }
  return bytes;
}
