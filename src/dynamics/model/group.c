/* Groups of elements of one kind, law and section, in the order they are worked on.
   ig_dyn_groups_new sorts the mesh's elements into groups; group_order orders one group: by
   color (padded to whole blocks of 32, so that a block has one color), by cluster, or as they
   come; slot_fill writes connectivity and first state. ig_dyn_slots_new numbers the places of
   forces. */
#include "dynamics/model/model.h"
#include "dynamics/model/solids.h"
#include "assembly/assembly.h"
#include "core/threads.h"
#include "mesh/topology.h"
#include "mesh/named.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* The group in single precision; every member must be listed here. */
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
  for (int i = 0; i < 3 * IG_DYN_FIBRES; i++)
    CAST(fibre[i / 3][i % 3]);
  for (int i = 0; i < IG_HARDENING_ROWS; i++)
    CAST(mat.strain[i]), CAST(mat.stress[i]);
  for (int i = 0; i < 5; i++)
    CAST(mat.jc_d[i]);
  for (int i = 0; i < 3; i++)
    CAST(along[i]);
#undef COPY
#undef CAST
  s->state = (float *)d->state;
}

/* Position of node n at the start. */
static const double *node_x(const ig_dyn_model *m, ig_lid n) {
  return m->x0 + 3 * (int64_t)n;
}

/* The state an element starts with. */
static void state_start(const ig_dyn_model *m, ig_dyn_group *g, const ig_dyn_section *s,
                        const ig_lid *conn, double *st) {
  if (ig_dyn_element_of[g->kind].family == IG_FAMILY_SOLID)
    st[IG_HEX_FRAME] = 1; /* the frame lies along the axes of space */
  if (g->law == IG_LAW_NEOHOOKE) {
    /* neo-Hookean points are computed from the total deformation: they need the Jacobian they
       started with */
    /* rows of the inverse of the Jacobian each point starts with */
    const int points = g->kind == IG_DYN_HEX8 ? 8 : g->kind == IG_DYN_TET10 ? 4 : 1;
    double x[IG_DYN_POSITIONS], m8[21], j[9], c[9];
    for (int i = 0; i < 3 * g->g_f64.npe; i++)
      x[i] = node_x(m, conn[i / 3])[i % 3] / (points == 8 ? 8 : 1);
    for (int n = 0; n < points; n++) {
      if (points == 8) {
        hex8_modes_f64(x, 3, m8);
        hex8_columns_f64(m8, 3, hex8_point_f64(n, 0), hex8_point_f64(n, 1), hex8_point_f64(n, 2),
                         j);
      } else if (points == 4)
        tet10_jacobian_f64(x, n, j);
      else
        for (int i = 0; i < 9; i++)
          j[i] = x[3 + i] - x[i % 3];
      const double det = hex8_cofactors_f64(j, c);
      for (int i = 0; i < 9; i++)
        st[IG_HEX_POINT + n * ig_law_state(g->law, 6) + 6 + i] = c[i] / det;
    }
  }
  if (g->kind == IG_DYN_BEAM || g->kind == IG_DYN_FIBRE) {
    /* the section's width axis, square to the beam */
    double e[3], up[3], y[3], l = 0;
    for (int i = 0; i < 3; i++) {
      e[i] = node_x(m, conn[1])[i] - node_x(m, conn[0])[i];
      l += e[i] * e[i];
      up[i] = isnan(s->up[i]) ? (i == 2) : s->up[i];
    }
    for (int i = 0; i < 3; i++)
      e[i] /= sqrt(l);
    /* `up` parallel to the beam leaves no width axis: y of space is taken then */
    for (int pass = 0; pass < 2; pass++) {
      cross_f64(up, e, y);
      l = norm_f64(y);
      if (l > 1e-3)
        break;
      up[0] = 0, up[1] = 1, up[2] = 0; /* the beam runs along `up` */
    }
    for (int i = 0; i < 3; i++)
      st[i] = y[i] / l;
  }
  if (g->kind == IG_DYN_LAYERS)
    st[IG_LAYERS_THICK] = 1; /* a share of what it was */
  if (g->kind == IG_DYN_QUAD_LAYERS)
    for (int k = 0; k < IG_QUAD_CUTS; k++)
      st[k * (g->g_f64.states / IG_QUAD_CUTS) + IG_LAYERS_THICK] = 1;
}

/* Number, connectivity and first state of what is worked on s-th, of color c. list: the group's
   elements, conn theirs; order: theirs of all colors, NULL: as they come; st: states, to work
   in. Pads at the end of a color repeat its last element, with the number -1. */
static void slot_fill(ig_dyn_model *m, ig_dyn_group *g, const ig_dyn_section *section,
                      const ig_lid *list, const ig_lid *conn, const ig_coloring *coloring,
                      const ig_lid *order, int c, ig_lid s, double *st) {
  const int npe = g->g_f64.npe, states = g->g_f64.states;
  const ig_lid k = s < g->end[c] ? s : g->end[c] - 1; /* pads repeat the last one */
  const ig_lid before = coloring->start ? coloring->start[c] - g->begin[c] : 0;
  const ig_lid i = order ? order[before + k] : k;
  g->element[s] = s < g->end[c] ? list[i] : -1;
  int32_t *to = (int32_t *)g->conn.host + (int64_t)s * npe;
  memcpy(to, conn + (int64_t)i * npe, sizeof *to * (size_t)npe);
  memset(st, 0, sizeof *st * (size_t)states);
  state_start(m, g, section, to, st);
  for (int v = 0; v < states; v++) {
    const int64_t at = ((int64_t)(s / IG_DYN_BLOCK) * states + v) * IG_DYN_BLOCK + s % IG_DYN_BLOCK;
    if (g->state.size == sizeof(double))
      ((double *)g->state.host)[at] = st[v];
    else
      ((float *)g->state.host)[at] = (float)st[v];
  }
}

/* Elements in the order they are worked on, colors padded to whole blocks. Connectivity of the
   group is gathered first, as its elements may lie in any order in the mesh; the same list
   serves coloring, clusters and slots. Each thread has its own row of state to fill. */
static ig_status group_order(ig_dyn_model *m, ig_dyn_group *g, const ig_lid *list,
                             const ig_dyn_section *section) {
  ig_ctx *cx = m->cx;
  const int npe = g->g_f64.npe;
  ig_status status = IG_OK;
  ig_coloring coloring = {0};
  const ig_lid *order = NULL; /* of all colors; NULL: as they come */
  ig_lid *conn = NULL;
  double *st = NULL;
  IG_TRY(IG_NEW(cx, &conn, (size_t)g->count * (size_t)npe, "element connectivity"));
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, g->count, IG_WORK_NODE))
  for (ig_lid i = 0; i < g->count; i++) {
    ig_lid local;
    const ig_block *b = ig_dyn_block_of(m->mesh, list[i], &local);
    memcpy(conn + (int64_t)i * npe, b->conn + (int64_t)local * npe, sizeof *conn * (size_t)npe);
  }
  g->colors = 1;
  if (m->assembly == IG_COLOR) {
    IG_TRY_GOTO(status, done, ig_mesh_color(cx, m->mesh->nodes, g->count, npe, conn, &coloring));
    g->colors = coloring.colors;
    order = coloring.order;
  } else if (m->assembly == IG_CLUSTER) {
    IG_TRY_GOTO(status, done,
                ig_clusters_new(cx, m->mesh->nodes, g->count, npe, conn, m->mesh->x, IG_DYN_CLUSTER,
                                IG_DYN_BLOCK, &g->cluster));
    order = g->cluster.order.host;
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
  const int states = g->g_f64.states = ig_dyn_element_of[g->kind].states(g);
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &g->state, (size_t)g->slots * (size_t)states, ig_dyn_state_size(m),
                           "element state"));
  const int team = ig_team(cx, g->slots, IG_WORK_ELEMENT);
  IG_TRY_GOTO(status, done, IG_NEW(cx, &st, team * states, "element state"));
  for (int c = 0; c < g->colors; c++) {
    const ig_lid stop = c + 1 < g->colors ? g->begin[c + 1] : g->slots;
#pragma omp parallel for schedule(static) num_threads(team)
    for (ig_lid block = g->begin[c]; block < stop; block += IG_DYN_BLOCK)
      for (ig_lid s = block; s < block + IG_DYN_BLOCK; s++)
        slot_fill(m, g, section, list, conn, &coloring, order, c, s,
                  st + omp_get_thread_num() * states);
  }
  IG_TRY_GOTO(status, done,
              ig_array_from(cx, &g->ids, g->element, (size_t)g->slots, sizeof *g->element,
                            "element order"));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &g->conn));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &g->state));
done:
  free(conn);
  free(st);
  ig_coloring_free(&coloring);
  return status;
}

/* Kind, section values and checks of a group; fails if no kernel is stamped for the kind and
   law. */
static ig_status group_kind(ig_dyn_model *m, const ig_dyn_section *s, const ig_material_case *mat,
                            ig_dyn_group *g) {
  ig_ctx *cx = m->cx;
  dyn_group_f64 *d = &g->g_f64;
  d->hourglass = s->hourglass;
  d->bulk_linear = s->bulk_linear;
  d->bulk_quadratic = s->bulk_quadratic;
  d->bbar = s->integration == IG_INTEGRATE_BBAR || s->integration == IG_INTEGRATE_AUTO;
  d->planes = (int)s->planes;
  d->thinning = s->thinning;
  switch (g->type) {
  case IG_HEX8:
    g->kind = s->integration == IG_INTEGRATE_SINGLE ? IG_DYN_HEX1 : IG_DYN_HEX8;
    break;
  case IG_TET4:
  case IG_TET10:
    g->kind = g->type == IG_TET4 ? IG_DYN_TET : IG_DYN_TET10;
    break;
  case IG_TRI3:
  case IG_QUAD4:
    g->kind = g->type == IG_TRI3         ? g->law == IG_LAW_ELASTIC ? IG_DYN_SHELL : IG_DYN_LAYERS
              : g->law == IG_LAW_ELASTIC ? IG_DYN_QUAD
                                         : IG_DYN_QUAD_LAYERS;
    d->thickness = s->thickness;
    if (isnan(s->thickness))
      return ig_fail_at(cx, &s->at, "shells need a section with `thickness`");
    const double l = sqrt(dot_f64(s->local_x, s->local_x));
    if (!(l > 0))
      return ig_fail_at(cx, &s->at, "`local_x` of a section must have a length");
    for (int i = 0; i < 3; i++)
      d->along[i] = s->local_x[i] / l;
    if (s->planes != 3 && s->planes != 4)
      return ig_fail_at(cx, &s->at, "`planes` is 3 or 4 integration points");
    break;
  case IG_BEAM2:
    g->kind = s->line != IG_LINE_BEAM    ? IG_DYN_BAR
              : g->law == IG_LAW_ELASTIC ? IG_DYN_BEAM
                                         : IG_DYN_FIBRE;
    d->cable = s->line == IG_LINE_CABLE;
    IG_TRY(ig_dyn_section_line(cx, s, d));
    if (g->kind == IG_DYN_FIBRE)
      IG_TRY(ig_dyn_section_fibres(cx, s, d));
    break;
  default:
    return ig_fail_at(cx, &m->c->at,
                      "dynamics has no %s elements: use hex8, hex20, wedge6, wedge15, tet4, "
                      "tet10, tri3, quad4 or beam2",
                      ig_elem_info_get(g->type)->name);
  }
  d->npe = ig_dyn_element_of[g->kind].npe;
  d->dofs = ig_dyn_element_of[g->kind].dofs;
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

/* Keys of sections that none of their elements has: they would have no effect. A default counts as
   left out. */
static ig_status sections_check(ig_dyn_model *m, const int *section) {
  /* bits of what a section's elements are; a key belongs to one of them */
  enum { SOLID = 1, SHELL = 2, LINE = 4, HEX = 8 };
  static const char *const family[] = {
      [SOLID] = "solids", [SHELL] = "shells", [LINE] = "lines", [HEX] = "hexahedra of 8 nodes"};
  for (int i = 0; i < m->c->sections.count; i++) {
    const ig_dyn_section *s = IG_ITEM(const ig_dyn_section, m->c->sections, i);
    const ig_dyn_section *usual = &ig_dyn_section_default;
    int there = 0;
    ig_lid e = 0;
    for (int b = 0; b < m->mesh->blocks; b++)
      for (ig_lid k = 0; k < m->mesh->block[b].count; k++, e++)
        if (section[e] == i) {
          const int dim = ig_elem_info_get(m->mesh->block[b].type)->dim;
          there |= dim == 3 ? SOLID : dim == 2 ? SHELL : LINE;
          there |= m->mesh->block[b].type == IG_HEX8 ? HEX : 0;
        }
    const struct {
      const char *key;
      int of;
      bool given;
    } keys[] = {{"integration", HEX, s->integration != usual->integration},
                {"hourglass", HEX, s->hourglass != usual->hourglass},
                {"bulk_linear", SOLID, s->bulk_linear != 0},
                {"bulk_quadratic", SOLID, s->bulk_quadratic != 0},
                {"thickness", SHELL, !isnan(s->thickness)},
                {"planes", SHELL, s->planes != usual->planes},
                {"thinning", SHELL, s->thinning},
                {"local_x", SHELL, s->local_x[1] != 0 || s->local_x[2] != 0},
                {"line", LINE, s->line != IG_LINE_BEAM},
                {"profile", LINE, s->profile != IG_SECTION_CIRCLE},
                {"radius", LINE, !isnan(s->radius)},
                {"wall", LINE, !isnan(s->wall)},
                {"width", LINE, !isnan(s->width)},
                {"height", LINE, !isnan(s->height)},
                {"flange", LINE, !isnan(s->flange)},
                {"web", LINE, !isnan(s->web)},
                {"area", LINE, !isnan(s->area)},
                {"iy", LINE, !isnan(s->iy)},
                {"iz", LINE, !isnan(s->iz)},
                {"torsion", LINE, !isnan(s->torsion)},
                {"up", LINE, !isnan(s->up[0])}};
    for (size_t k = 0; s->at.given && there && k < sizeof keys / sizeof *keys; k++)
      if (keys[k].given && !(there & keys[k].of))
        return ig_fail_at(m->cx, &s->at, "`%s` is for %s, and this section has none", keys[k].key,
                          family[keys[k].of]);
    if (s->at.given && s->integration != IG_INTEGRATE_SINGLE && s->hourglass != usual->hourglass)
      return ig_fail_at(m->cx, &s->at,
                        "`hourglass` has no effect here: it is for `integration: single`");
  }
  return IG_OK;
}

/* A group per block, section and material that occur together. Solids of static analyses that
   have elements of their own (solids.c) are handed over instead. */
ig_status ig_dyn_groups_new(ig_dyn_model *m, const ig_list *materials) {
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
  IG_TRY_GOTO(status, done, IG_CLAIM(cx, m->mesh, sections, ig_dyn_section, NULL, section));
  IG_TRY_GOTO(status, done,
              IG_CLAIM(cx, m->mesh, materials, ig_material_case, "material", material));
  IG_TRY_GOTO(status, done, sections_check(m, section));
  /* one more than sections: elements that no section claims have the default one */
  const int ns = sections->count + 1, nm = materials->count;
  IG_TRY_GOTO(status, done,
              IG_NEW(cx, &m->group, m->mesh->blocks * ns * (nm > 0 ? nm : 1), "groups"));
  ig_lid base = 0, first = 0;
  for (int b = 0; b < m->mesh->blocks; base += m->mesh->block[b++].count)
    for (int s = -1; s < sections->count; s++)
      for (int k = 0; k < nm; k++) {
        ig_lid n = 0;
        for (ig_lid e = base; e < base + m->mesh->block[b].count; e++)
          if (section[e] == s && material[e] == k)
            list[n++] = e;
        if (n == 0)
          continue;
        ig_dyn_group *g = &m->group[m->groups];
        const ig_dyn_section *use = s < 0 ? &ig_dyn_section_default : &s0[s];
        ig_solid_kind kind;
        bool solid;
        g->type = m->mesh->block[b].type;
        IG_TRY_GOTO(status, done, ig_dyn_material_read(cx, &m0[k], &g->g_f64.mat, &g->law));
        IG_TRY_GOTO(status, done,
                    ig_dyn_solid_kind(m, use, &m0[k], g->type, g->law, &kind, &solid));
        if (solid) {
          IG_TRY_GOTO(status, done, ig_dyn_solids_add(m, kind, &g->g_f64.mat, g->law, list, n));
          memset(g, 0, sizeof *g);
          continue;
        }
        m->groups++;
        g->count = n;
        g->whole = n;
        IG_TRY_GOTO(status, done, group_kind(m, use, &m0[k], g));
        IG_TRY_GOTO(status, done, group_order(m, g, list, use));
        /* kernels number slots through all groups: `first` is where this one begins */
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

/* Particles that are in several clusters, or in none: the joined pass moves them after all
   clusters. */
static ig_status others_list(ig_dyn_model *m) {
  const int32_t *first = m->slot_first.host;
  size_t count = 0;
  for (ig_lid n = 0; n < m->mesh->nodes; n++)
    count += first[n + 1] - first[n] != 1;
  IG_TRY(ig_array_new(m->cx, &m->others, count, sizeof(int32_t), "particles between clusters"));
  count = 0;
  for (ig_lid n = 0; n < m->mesh->nodes; n++)
    if (first[n + 1] - first[n] != 1)
      ((int32_t *)m->others.host)[count++] = n;
  return ig_array_push(m->cx, &m->others);
}

/* Slots of all groups, those of one particle side by side, in the order of the groups. */
ig_status ig_dyn_slots_new(ig_dyn_model *m) {
  if (!ig_dyn_slotted(m))
    return IG_OK;
  ig_ctx *cx = m->cx;
  const ig_lid nodes = m->mesh->nodes;
  ig_status status = IG_OK;
  ig_slot_block *block = NULL;
  int64_t total = 0;
  IG_TRY(IG_NEW(cx, &block, m->groups, "slots"));
  for (int k = 0; k < m->groups; k++) {
    ig_dyn_group *g = &m->group[k];
    const bool clusters = m->assembly == IG_CLUSTER; /* a slot for each of a cluster's particles */
    /* of clusters a slot per particle of a cluster, else one per corner of an element */
    const size_t places =
        clusters ? g->cluster.node.count : (size_t)g->slots * (size_t)g->g_f64.npe;
    IG_TRY_GOTO(status, done, ig_array_new(cx, &g->slot, places, sizeof(int32_t), "slots"));
    if (clusters)
      block[k] = (ig_slot_block){(ig_lid)places, 1, g->cluster.node.host, g->slot.host};
    else /* no pads */
      block[k] = (ig_slot_block){g->count, g->g_f64.npe, g->conn.host, g->slot.host};
    total += (int64_t)block[k].elements * block[k].npe;
  }
  IG_TRY_GOTO(status, done,
              ig_array_new(cx, &m->slot_first, (size_t)nodes + 1, sizeof(int32_t), "slots"));
  IG_TRY_GOTO(status, done, ig_slots_number(cx, nodes, m->groups, block, m->slot_first.host));
  for (int k = 0; k < m->groups; k++)
    IG_TRY_GOTO(status, done, ig_array_push(cx, &m->group[k].slot));
  IG_TRY_GOTO(status, done, ig_array_push(cx, &m->slot_first));
  /* components a group does not write (rotations of solids) stay zero */
  IG_TRY_GOTO(
      status, done,
      ig_dyn_upload(m, &m->slots, m->part, NULL, (size_t)total * (size_t)m->p.dofs, "slots"));
  if (m->assembly == IG_CLUSTER && m->groups == 1)
    IG_TRY_GOTO(status, done, others_list(m));
done:
  free(block);
  return status;
}

bool ig_dyn_yields(const ig_dyn_model *m) {
  if (ig_dyn_solids_yield(m))
    return true;
  for (int k = 0; k < m->groups; k++)
    if (m->group[k].law != IG_LAW_ELASTIC && m->group[k].law != IG_LAW_NEOHOOKE)
      return true;
  return false;
}
