/* The model: elements by kind, laws, axes of nodes, temperatures; forces and tangents.

   ig_structure_new builds the model from a job, in an order that matters: expansion of shells
   and beams (changes the mesh), adjusted nodes, laws, axes, unknowns of rotations, groups of
   elements with their history, laws of single elements (axes, hollow sections, initial
   stresses), springs, state arrays, temperatures, faces. ig_structure_evaluate is the callback
   that computes elements; ig_structure_forces evaluates the accepted state for output. */
#include "structure/expand.h"
#include "structure/joint.h"
#include "structure/points.h"
#include "kern/fault.h"
#include "material/own_law.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- laws */

/* 9 or 21 constants in the order of Abaqus to a matrix of xx yy zz xy yz zx.
   Order of Abaqus: upper triangle by columns of 11 22 33 12 13 23; here shears are xy yz zx, so
   that rows 4 and 5 change places. */
static void stiffness_fill(const ig_reals *given, double D[36]) {
  static const int place9[][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2},
                                  {2, 2}, {3, 3}, {5, 5}, {4, 4}};
  static const int place21[][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}, {0, 3},
                                   {1, 3}, {2, 3}, {3, 3}, {0, 5}, {1, 5}, {2, 5}, {3, 5},
                                   {5, 5}, {0, 4}, {1, 4}, {2, 4}, {3, 4}, {5, 4}, {4, 4}};
  memset(D, 0, 36 * sizeof *D);
  for (int i = 0; i < given->count; i++) {
    const int *at = given->count == 9 ? place9[i] : place21[i];
    D[6 * at[0] + at[1]] = D[6 * at[1] + at[0]] = given->value[i];
  }
}

/* D in axes whose rows in space are R.
   D_space = Q^T D Q, Q of engineering strains. */
static void stiffness_turn(const double R[9], double D[36]) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  double Q[36], half[36], out[36]; /* strain in the axes = Q strain in space */
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      const int a = pair[i][0], b = pair[i][1], c = pair[j][0], d = pair[j][1];
      const double both = R[3 * a + c] * R[3 * b + d] + R[3 * a + d] * R[3 * b + c];
      Q[6 * i + j] = i < 3 ? both / 2 : both;
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      half[6 * i + j] = 0;
      for (int k = 0; k < 6; k++)
        half[6 * i + j] += D[6 * i + k] * Q[6 * k + j];
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      out[6 * i + j] = 0;
      for (int k = 0; k < 6; k++)
        out[6 * i + j] += Q[6 * k + i] * half[6 * k + j];
    }
  memcpy(D, out, sizeof out);
}

/* Energy instead of the material's moduli; only with large displacements, where it differs from
   them. */
static ig_status hyper_read(ig_structure *s, const ig_material_case *m,
                            const ig_structure_hyperelastic *c, ig_solid_law *law) {
  ig_solid_hyper h = {.ogden = c->ogden.count / 2};
  if (c->polynomial.count > 9 || c->ogden.count > 6 || c->ogden.count % 2 ||
      c->compressibility.count > 3)
    return ig_fail_at(s->cx, &c->at,
                      "expected at most 9 numbers of `polynomial`, 3 pairs of `ogden` and 3 of "
                      "`compressibility`");
  for (int i = 0; i < c->polynomial.count; i++)
    h.polynomial[i] = c->polynomial.value[i];
  for (int i = 0; i < h.ogden; i++) {
    h.mu[i] = c->ogden.value[2 * i];
    h.alpha[i] = c->ogden.value[2 * i + 1];
    if (h.alpha[i] == 0)
      return ig_fail_at(s->cx, &c->at, "`ogden`: alpha is 0");
  }
  for (int i = 0; i < c->compressibility.count; i++)
    h.d[i] = c->compressibility.value[i];
  if (!ig_solid_hyperelastic(&h, 1, law))
    return ig_fail_at(s->cx, &c->at,
                      "`hyperelastic` has no shear modulus: 2 (C10 + C01) + sum of "
                      "mu must be positive");
  for (int i = 0; i < s->c->analysis.count; i++) {
    const ig_structure_analysis *a = IG_ITEM(const ig_structure_analysis, s->c->analysis, i);
    if ((a->kind == IG_STRUCTURE_STATIC || a->kind == IG_STRUCTURE_DYNAMIC) && !a->large)
      return ig_fail_at(s->cx, &a->at, "'%s' is hyperelastic: give `large: true`", m->name);
  }
  return ig_structure_law_heat(s, m, law);
}

/* A point of a program's law: from the kernel's arguments to those of ingot/law.h. */
static bool own_stress(const ig_solid_own *own, const ig_solid_here *here, const double strain[6],
                       const double *past, double *now, double stress[6], double tangent[36]) {
  (void)here;
  const ig_law_description *law = own->law;
  const ig_law_point p = {own->constant, strain, past, own->step, now, stress, tangent};
  bool fine = law->stress(law->user, &p);
  for (int i = 0; i < 36; i++)
    fine = fine && isfinite(tangent[i]) && isfinite(stress[i / 6]);
  for (int i = 0; i < law->states; i++)
    fine = fine && isfinite(now[i]);
  return fine;
}

/* The program's law that a material names, if it does. */
static ig_status own_law_read(ig_structure *s, const ig_material_case *m, ig_solid_law *law) {
  const ig_law_description *own;
  IG_TRY(ig_own_law_of(s->cx, m, &own));
  if (!own)
    return IG_OK;
  if (m->law != IG_MATERIAL_AUTO || m->stiffness.count || m->engineering_constants.count)
    return ig_fail_at(s->cx, &m->at,
                      "material '%.60s': `own_law` is instead of `law`, `stiffness` and "
                      "`engineering_constants`: leave them out",
                      m->name);
  law->law = IG_LAW_OWN + own->states;
  law->own = (ig_solid_own){
      .stress = own_stress, .law = own, .constant = m->constants.value, .plastic = own->plastic};
  return IG_OK;
}

/* Expansion 1: what is passed as `warm` is the thermal strain itself (nodes.c, law_at). Choice
   of the law: stiffness or engineering constants, else young and poisson; yield or a curve make
   it plastic. */
static ig_status law_read(ig_structure *s, const ig_material_case *m, ig_solid_law *law) {
  const ig_reals *e = &m->engineering_constants;
  bool moves = false; /* heat alone needs no law */
  for (int i = 0; i < s->c->analysis.count; i++)
    moves |= IG_ITEM(const ig_structure_analysis, s->c->analysis, i)->kind != IG_STRUCTURE_HEAT;
  if (!moves) {
    *law = ig_solid_isotropic(1, 0, 1);
    return IG_OK;
  }
  const ig_structure_hyperelastic *hyper = NULL;
  for (int i = 0; i < s->c->hyperelastic.count; i++) {
    const ig_structure_hyperelastic *c =
        IG_ITEM(const ig_structure_hyperelastic, s->c->hyperelastic, i);
    hyper = strcmp(c->material, m->name) == 0 ? c : hyper;
  }
  if (hyper)
    return hyper_read(s, m, hyper, law);
  const bool given = m->stiffness.count || e->count;
  if (!given)
    IG_TRY(ig_material_require(s->cx, m, "young|poisson", "structure"));
  if (m->stiffness.count && m->stiffness.count != 9 && m->stiffness.count != 21)
    return ig_fail_at(s->cx, &m->at, "`stiffness`: %d numbers: expected 9 or 21",
                      m->stiffness.count);
  if (e->count && e->count != 9)
    return ig_fail_at(s->cx, &m->at, "`engineering_constants`: %d numbers: expected 9", e->count);
  *law = ig_solid_isotropic(given ? 1 : m->young, given ? 0 : m->poisson, 1);
  if (m->stiffness.count) {
    stiffness_fill(&m->stiffness, law->stiffness);
  } else if (e->count) {
    /* Order of a deck: E1 E2 E3 nu12 nu13 nu23 G12 G13 G23; that of ig_solid_orthotropic is 12
       23 13. */
    const double *v = e->value, young[3] = {v[0], v[1], v[2]}, poisson[3] = {v[3], v[5], v[4]},
                 shear[3] = {v[6], v[8], v[7]}, expansion[3] = {1, 1, 1};
    if (!ig_solid_orthotropic(young, poisson, shear, expansion, NULL, law))
      return ig_fail_at(s->cx, &m->at,
                        "`engineering_constants` are not those of a material: its stiffness is not "
                        "positive");
  }
  IG_TRY(ig_structure_law_heat(s, m, law));
  IG_TRY(own_law_read(s, m, law));
  if (law->law >= IG_LAW_OWN)
    return IG_OK;
  /* A curve of yield stress over plastic strain has precedence over `yield` and `hardening`. */
  const bool table = m->hardening_curve.count > 0, yields = table || !isnan(m->yield);
  if (m->law == IG_MATERIAL_NEO_HOOKEAN)
    law->law = IG_LAW_NEOHOOKE;
  /* A material for impact can have values without rates of strain beside its Johnson-Cook law. */
  if (m->law == IG_MATERIAL_JOHNSON_COOK ||
      (m->law == IG_MATERIAL_AUTO && m->johnson_cook.at.given && !m->mechanical.yield.count))
    return ig_fail_at(s->cx, &m->at,
                      "structure has no law johnson_cook: give `law` elastic, plastic "
                      "or neo_hookean, or `mechanical.yield`");
  const bool creeps = m->mechanical.creep.at.given && ig_structure_has_creep(s->c);
  if (creeps && (given || law->law == IG_LAW_NEOHOOKE))
    return ig_fail_at(s->cx, &m->at, "creep is for isotropic elastic and plastic materials");
  if (!yields || m->law == IG_MATERIAL_ELASTIC)
    return creeps ? ig_structure_creep_law(s, m, law) : IG_OK;
  if (given)
    return ig_fail_at(s->cx, &m->at, "an anisotropic material is elastic: leave out its yield");
  if (table && m->hardening_curve.count > IG_HARDENING_ROWS)
    return ig_fail_at(s->cx, &m->at, "`hardening_curve` has %d rows: at most %d",
                      m->hardening_curve.count, IG_HARDENING_ROWS);
  law->law = table ? IG_LAW_TABLE : m->kinematic > 0 ? IG_LAW_KINEMATIC : IG_LAW_J2;
  law->yield = table ? m->hardening_curve.y[0] : m->yield;
  /* Plastic modulus H from a tangent modulus: H = E Et / (E - Et). */
  law->hardening = !isnan(m->hardening) ? m->hardening
                   : !isnan(m->tangent) ? m->tangent * m->young / (m->young - m->tangent)
                                        : 0;
  law->kinematic = m->kinematic;
  law->rows = table ? m->hardening_curve.count : 0;
  for (int i = 0; i < law->rows; i++) {
    law->strain[i] = m->hardening_curve.x[i];
    law->stress[i] = m->hardening_curve.y[i];
  }
  return creeps ? ig_structure_creep_law(s, m, law) : IG_OK;
}

/* --- axes */

static void unit(double v[3]) {
  const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3; i++)
    v[i] /= length;
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Rows: the axes at a point.
   rectangular: x along a, z along a x b; cylindrical: radial, tangential, axial about the line
   from a to b. */
void ig_structure_axes_at(const ig_structure_axes *c, const double x[3], double R[9]) {
  double *e1 = R, *e2 = R + 3, *e3 = R + 6;
  if (c->kind == 0) {
    memcpy(e1, c->a, 3 * sizeof *e1);
    unit(e1);
    cross(e1, c->b, e3);
    unit(e3);
    cross(e3, e1, e2);
    return;
  }
  for (int i = 0; i < 3; i++)
    e3[i] = c->b[i] - c->a[i];
  unit(e3);
  double along = 0;
  for (int i = 0; i < 3; i++)
    along += (x[i] - c->a[i]) * e3[i];
  for (int i = 0; i < 3; i++)
    e1[i] = x[i] - c->a[i] - along * e3[i];
  if (e1[0] * e1[0] + e1[1] * e1[1] + e1[2] * e1[2] == 0) { /* on the axis: any */
    const double some[3] = {fabs(e3[0]) < 0.9, fabs(e3[0]) >= 0.9, 0};
    cross(e3, some, e1);
  }
  unit(e1);
  cross(e3, e1, e2);
}

/* c->axes counts from 1 (0: fixed), ig_structure_axes.kind from 0. */
void ig_structure_coupling_axes(const ig_structure_coupling *c, const double x[3], double R[9]) {
  ig_structure_axes axes = {.kind = c->axes - 1};
  memcpy(axes.a, c->a, sizeof axes.a);
  memcpy(axes.b, c->b, sizeof axes.b);
  ig_structure_axes_at(&axes, x, R);
}

/* R: where the caller writes the axes; a node named twice keeps the last. */
static ig_status frame_add(ig_structure *s, ig_lid node, int32_t *frames, double **R) {
  if (!s->framed) {
    IG_TRY(IG_NEW(s->cx, &s->framed, s->nodes, "axes"));
    for (ig_lid n = 0; n < s->nodes; n++)
      s->framed[n] = -1;
    IG_TRY(IG_NEW(s->cx, &s->frame, s->nodes, "axes"));
  }
  if (s->framed[node] < 0)
    s->framed[node] = (*frames)++;
  *R = s->frame[s->framed[node]];
  return IG_OK;
}

/* Axes of node sets, and those of references of distributing couplings. frames: how many nodes
   have axes. */
static ig_status frames_new(ig_structure *s) {
  int32_t frames = 0;
  double *R;
  for (int i = 0; i < s->c->axes.count; i++) {
    const ig_structure_axes *c = IG_ITEM(const ig_structure_axes, s->c->axes, i);
    ig_lid *node, count;
    IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
    ig_status status = IG_OK;
    for (ig_lid k = 0; k < count && status == IG_OK; k++) {
      status = frame_add(s, node[k], &frames, &R);
      if (status == IG_OK)
        ig_structure_axes_at(c, s->mesh->x + 3 * (size_t)node[k], R);
    }
    free(node);
    IG_TRY(status);
  }
  for (int i = 0; i < s->c->couplings.count; i++) { /* references of distributing couplings */
    const ig_structure_coupling *c = IG_ITEM(const ig_structure_coupling, s->c->couplings, i);
    ig_lid *node, count;
    if (!c->axes || c->kind != IG_COUPLING_DISTRIBUTING)
      continue;
    IG_TRY(ig_structure_nodes(s, &c->at, c->node, &node, &count));
    const ig_lid reference = count == 1 ? node[0] : -1;
    free(node);
    if (reference < 0)
      continue;
    IG_TRY(frame_add(s, reference, &frames, &R));
    ig_structure_coupling_axes(c, s->mesh->x + 3 * (size_t)reference, R);
  }
  return IG_OK;
}

/* --- elements */

/* Kind of element from its type and the section's `integration`; auto has incompatible modes for
   hex8 and 2 x 2 x 2 points for hex20, as CalculiX's C3D8I and C3D20R. */
static ig_status kind_of(ig_structure *s, const ig_structure_section *section, ig_elem_type type,
                         ig_solid_kind *kind) {
  const int way = section ? section->integration : IG_INTEGRATION_AUTO;
  const ig_src none = {0}, *at = section ? &section->at : &none;
  for (int k = 0; k < IG_SOLID_KINDS; k++) {
    const ig_solid_info *info = ig_solid_info_get((ig_solid_kind)k);
    if (info->type != type)
      continue;
    const bool fits =
        type == IG_HEX8
            ? k == (way == IG_INTEGRATION_FULL              ? IG_SOLID_HEX8
                    : way == IG_INTEGRATION_MEAN_DILATATION ? IG_SOLID_HEX8_BBAR
                                                            : IG_SOLID_HEX8_INCOMPATIBLE)
        : type == IG_HEX20
            ? k == (way == IG_INTEGRATION_FULL ? IG_SOLID_HEX20 : IG_SOLID_HEX20_REDUCED)
            : true;
    if (!fits)
      continue;
    *kind = (ig_solid_kind)k;
    if ((type == IG_HEX8 && way == IG_INTEGRATION_REDUCED) ||
        (type != IG_HEX8 &&
         (way == IG_INTEGRATION_INCOMPATIBLE || way == IG_INTEGRATION_MEAN_DILATATION)))
      return ig_fail_at(s->cx, at, "%s cannot be integrated that way: expected full%s",
                        ig_elem_info_get(type)->name,
                        type == IG_HEX8 ? ", incompatible or mean_dilatation" : " or reduced");
    return IG_OK;
  }
  return ig_fail_at(s->cx, at, "structure has no element for %s", ig_elem_info_get(type)->name);
}

/* History is sized by the law with the most states in the group; elements with fewer use the
   first ones. */
static ig_status group_new(ig_structure *s, ig_structure_group *g, ig_solid_kind kind,
                           const int *kinds) {
  const int npe = ig_solid_info_get(kind)->nodes;
  const ig_lid elements = ig_mesh_elements(s->mesh);
  *g = (ig_structure_group){.of = s, .kind = kind};
  for (ig_lid e = 0; e < elements; e++)
    g->count += kinds[e] == (int)kind;
  IG_TRY(IG_NEW(s->cx, &g->element, g->count, "elements"));
  IG_TRY(IG_NEW(s->cx, &g->node, g->count, "elements"));
  IG_TRY(IG_NEW(s->cx, &g->material, g->count, "elements"));
  IG_TRY(IG_NEW(s->cx, &g->unknown, (size_t)g->count * (size_t)(3 * npe), "elements"));
  int32_t i = 0;
  for (ig_lid e = 0; e < elements; e++) {
    if (kinds[e] != (int)kind)
      continue;
    ig_lid local;
    const ig_block *block = ig_mesh_element(s->mesh, e, &local);
    g->element[i] = e;
    g->node[i] = block->conn + (size_t)local * (size_t)npe;
    g->material[i] = s->owner[e];
    for (int a = 0; a < 3 * npe; a++)
      g->unknown[(size_t)i * (size_t)(3 * npe) + (size_t)a] = 3 * g->node[i][a / 3] + a % 3;
    const int states = ig_solid_states(kind, s->law[s->owner[e]].law);
    g->states = states > g->states ? states : g->states;
    i++;
  }
  IG_TRY(IG_NEW(s->cx, &g->past, (size_t)g->count * (size_t)g->states + 1, "history"));
  return IG_NEW(s->cx, &g->now, (size_t)g->count * (size_t)g->states + 1, "history");
}

/* Laws of elements whose material has axes of its own.
   Axes are those at the centre of each element. */
static ig_status material_axes_read(ig_structure *s) {
  for (int i = 0; i < s->c->material_axes.count; i++) {
    const ig_structure_axes *c = IG_ITEM(const ig_structure_axes, s->c->material_axes, i);
    const ig_set *set;
    IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_ELEMENTS, &set));
    for (int k = 0; k < s->groups; k++) {
      ig_structure_group *g = &s->group[k];
      const int npe = ig_solid_info_get(g->kind)->nodes;
      IG_TRY(ig_structure_laws_own(s, g));
      for (ig_lid n = 0; n < set->count; n++)
        for (int32_t e = 0; e < g->count; e++)
          if (g->element[e] == set->item[n]) {
            double centre[3] = {0, 0, 0}, R[9];
            for (int a = 0; a < npe; a++)
              for (int d = 0; d < 3; d++)
                centre[d] += s->mesh->x[3 * (size_t)g->node[e][a] + (size_t)d] / npe;
            ig_structure_axes_at(c, centre, R);
            g->law[e] = s->law[g->material[e]];
            stiffness_turn(R, g->law[e].stiffness);
            if (!g->axes)
              IG_TRY(IG_NEW(s->cx, &g->axes, g->count, "axes"));
            memcpy(g->axes[e], R, sizeof R);
          }
    }
  }
  return IG_OK;
}

/* Claims every element for a material and a section, then makes one group per kind that occurs. */
static ig_status elements_new(ig_structure *s) {
  const ig_lid elements = ig_mesh_elements(s->mesh);
  int *section = NULL, *kinds = NULL;
  bool used[IG_SOLID_KINDS] = {false};
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &section, elements, "sections"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &kinds, elements, "sections"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &s->owner, elements, "materials"));
  IG_TRY_GOTO(status, done,
              IG_CLAIM(s->cx, s->mesh, s->job->materials, ig_material_case, "material", s->owner));
  IG_TRY_GOTO(status, done,
              IG_CLAIM(s->cx, s->mesh, &s->c->sections, ig_structure_section, NULL, section));
  ig_lid e = 0;
  for (int b = 0; b < s->mesh->blocks; b++)
    for (ig_lid i = 0; i < s->mesh->block[b].count; i++, e++) {
      ig_solid_kind kind = IG_SOLID_HEX8;
      IG_TRY_GOTO(status, done,
                  kind_of(s,
                          section[e] < 0
                              ? NULL
                              : IG_ITEM(const ig_structure_section, s->c->sections, section[e]),
                          s->mesh->block[b].type, &kind));
      kinds[e] = (int)kind;
      used[kind] = true;
    }
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &s->group, IG_SOLID_KINDS, "groups"));
  for (int k = 0; k < IG_SOLID_KINDS; k++)
    if (used[k])
      IG_TRY_GOTO(status, done, group_new(s, &s->group[s->groups++], (ig_solid_kind)k, kinds));
  status = material_axes_read(s);
done:
  free(section);
  free(kinds);
  return status;
}

/* warm: room for 2 x nodes numbers. Materials whose law does not depend on temperature need
   none. */
const double *ig_structure_warmth(const ig_structure_group *g, int32_t e, double *warm) {
  const ig_structure *s = g->of;
  const int npe = ig_solid_info_get(g->kind)->nodes;
  if (!s->T || !ig_structure_law(g, e)->heat)
    return NULL;
  for (int a = 0; a < npe; a++) {
    warm[a] = s->T[g->node[e][a]];
    warm[npe + a] = s->T0[g->node[e][a]];
  }
  return warm;
}

/* On several threads; writes only f, k and `now` of its elements. A fault ends the range: the
   engine rejects the trial. */
ig_status ig_structure_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end,
                                double *f, double *k, ig_trouble *trouble) {
  const ig_structure_group *g = self;
  const ig_structure *s = g->of;
  const int npe = ig_solid_info_get(g->kind)->nodes, n = 3 * npe;
  double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], warm[2 * IG_SOLID_NODES];
  for (int32_t e = begin; e < end; e++) {
    double *fe = f + (size_t)(e - begin) * (size_t)n;
    double *ke = k ? k + (size_t)(e - begin) * (size_t)n * (size_t)n : NULL;
    ig_structure_gather(s, g->node[e], npe, at->u, X, u);
    const ig_solid_law *law = ig_structure_law(g, e);
    ig_solid_law timed;
    if (law->law >= IG_LAW_OWN) { /* creep and a program's law depend on the length of the step */
      timed = *law;
      timed.own.step = ig_structure_creeps(law) && !s->creeping ? 0 : at->step;
      timed.own.time = at->time;
      law = &timed;
    }
    const int fault = ig_solid_evaluate(g->kind, law, X, u, ig_structure_warmth(g, e, warm),
                                        g->past + (size_t)e * (size_t)g->states,
                                        g->now + (size_t)e * (size_t)g->states, fe, ke);
    if (fault != IG_FAULT_NONE) {
      if (trouble->element < 0)
        *trouble = (ig_trouble){e, fault == IG_FAULT_JACOBIAN ? "is inverted"
                                                              : "has no stress: its law does not "
                                                                "converge"};
      return IG_OK;
    }
    if (s->modal && ke) {
      for (int i = 0; i < n; i++)
        X[i] += s->large ? u[i] : 0;
      ig_solid_hourglass(g->kind, law, X, ke);
    }
    ig_structure_to_local(s, g->node[e], npe, fe, ke);
  }
  return IG_OK;
}

/* The law is evaluated from the accepted history; with increments it takes them as one step from
   there. */
ig_status ig_structure_report(const ig_structure *s, const ig_structure_group *g, int32_t e,
                              const double *add, double *report) {
  const int npe = ig_solid_info_get(g->kind)->nodes;
  double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], warm[2 * IG_SOLID_NODES];
  ig_structure_gather(s, g->node[e], npe, add, X, u);
  ig_solid_report(g->kind, ig_structure_law(g, e), X, u, ig_structure_warmth(g, e, warm),
                  g->past + (size_t)e * (size_t)g->states, report);
  return IG_OK;
}

/* `now` is that of the last evaluation, which was at the accepted displacements. */
ig_status ig_structure_accept(void *self, const ig_trial *at) {
  ig_structure_group *g = self;
  (void)at;
  memcpy(g->past, g->now, (size_t)g->count * (size_t)g->states * sizeof *g->past);
  return IG_OK;
}

/* Sum of internal forces at nodes: elements, contact, springs. At supports these are the
   reactions. A node without elements (reference of a coupling) gets what its slaves carry, by
   the transposed constraints from the last to the first; nodes with elements keep their own sum. */
ig_status ig_structure_forces(ig_structure *s) {
  memset(s->reaction, 0, (size_t)s->unknowns * sizeof *s->reaction);
  const double duration =
      IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis)->duration;
  const ig_trial still = {
      .u = NULL, .time = s->time, .factor = fmin(1, (s->time - s->begin) / duration)};
  for (int i = 0; i < s->groups; i++) {
    ig_structure_group *g = &s->group[i];
    const int n = 3 * ig_solid_info_get(g->kind)->nodes;
    double f[3 * IG_SOLID_NODES];
    ig_trouble trouble = {.element = -1};
    for (int32_t e = 0; e < g->count; e++) {
      IG_TRY(ig_structure_evaluate(g, &still, e, e + 1, f, NULL, &trouble));
      for (int a = 0; a < n && trouble.element < 0; a++)
        s->reaction[g->unknown[(size_t)e * (size_t)n + (size_t)a]] += f[a];
    }
  }
  for (int32_t i = 0; i < s->contact.count; i++) {
    double f[3 * IG_CONTACT_NODES];
    ig_trouble trouble = {.element = -1};
    IG_TRY(ig_contact_evaluate(&s->contact, &still, i, i + 1, f, NULL, &trouble));
    for (int a = 0; a < 3 * IG_CONTACT_NODES; a++) {
      const int32_t unknown = s->contact.unknown[(size_t)i * 3 * IG_CONTACT_NODES + (size_t)a];
      if (unknown >= 0)
        s->reaction[unknown] += f[a];
    }
  }
  ig_structure_points_forces(s, s->reaction);
  /* of nodes without elements, what acts on those that follow them */
  double *carried;
  IG_TRY(IG_NEW(s->cx, &carried, s->unknowns, "forces"));
  memcpy(carried, s->reaction, (size_t)s->unknowns * sizeof *carried);
  ig_system_carry(s->system, carried);
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    const size_t n = (size_t)g->count * (size_t)(3 * ig_solid_info_get(g->kind)->nodes);
    for (size_t a = 0; a < n; a++)
      carried[g->unknown[a]] = s->reaction[g->unknown[a]];
  }
  ig_structure_expansion_gather(s, s->reaction, carried);
  memcpy(s->reaction, carried, (size_t)s->unknowns * sizeof *carried);
  free(carried);
  return IG_OK;
}

/* --- all of it */

/* Reference nodes of couplings that turn have three unknowns more.
   A reference shared by several couplings has one set of rotations. */
static ig_status turns_new(ig_structure *s) {
  for (int i = 0; i < s->c->couplings.count; i++) {
    const ig_structure_coupling *c = IG_ITEM(const ig_structure_coupling, s->c->couplings, i);
    ig_lid *node, count;
    IG_TRY(ig_structure_nodes(s, &c->at, c->node, &node, &count));
    const ig_lid reference = count == 1 ? node[0] : -1;
    free(node);
    if (reference < 0)
      return ig_fail_at(s->cx, &c->at, "the reference '%s' has %d nodes: expected 1", c->node,
                        (int)count);
    if (c->rotation_node || c->kind == IG_COUPLING_MEAN)
      continue;
    if (!s->turn) {
      IG_TRY(IG_NEW(s->cx, &s->turn, s->nodes, "rotations"));
      for (ig_lid n = 0; n < s->nodes; n++)
        s->turn[n] = -1;
    }
    if (s->turn[reference] < 0) {
      s->turn[reference] = s->unknowns;
      s->unknowns += 3;
    }
  }
  return IG_OK;
}

/* By the name of the material; unknown names are refused. */
static ig_status damping_read(ig_structure *s) {
  for (int i = 0; i < s->c->damping.count; i++) {
    const ig_structure_damping *c = IG_ITEM(const ig_structure_damping, s->c->damping, i);
    int k = 0;
    while (k < s->laws && strcmp(s->material[k]->name, c->material) != 0)
      k++;
    if (k == s->laws)
      return ig_fail_at(s->cx, &c->at, "`damping`: no material is named '%s'", c->material);
    if (!s->damping)
      IG_TRY(IG_NEW(s->cx, &s->damping, s->laws, "damping"));
    s->damping[k][0] = c->mass;
    s->damping[k][1] = c->stiffness;
  }
  return IG_OK;
}

/* s->unknowns grows on the way (rotations, stretches) and is final before state arrays are made. */
static ig_status model_make(ig_structure *s) {
  s->nodes = s->mesh->nodes;
  s->unknowns = 3 * s->nodes;
  s->laws = s->job->materials->count;
  IG_TRY(IG_NEW(s->cx, &s->law, s->laws + 1, "laws"));
  IG_TRY(IG_NEW(s->cx, &s->material, s->laws + 1, "laws"));
  for (int i = 0; i < s->laws; i++) {
    s->material[i] = IG_ITEM(const ig_material_case, *s->job->materials, i);
    IG_TRY(law_read(s, s->material[i], &s->law[i]));
  }
  for (int i = 0; i < s->c->hyperelastic.count; i++) {
    const ig_structure_hyperelastic *c =
        IG_ITEM(const ig_structure_hyperelastic, s->c->hyperelastic, i);
    if (!ig_material_find(s->job->materials, c->material))
      return ig_fail_at(s->cx, &c->at, "`hyperelastic`: no material is named '%s'", c->material);
  }
  bool creeps = false;
  for (int i = 0; i < s->laws; i++)
    creeps |= ig_structure_creeps(&s->law[i]);
  if (ig_structure_has_creep(s->c) && !creeps)
    return ig_fail_at(s->cx, &s->c->at,
                      "`creep: true`: no material has `mechanical.creep` and a law that creeps");
  IG_TRY(damping_read(s));
  IG_TRY(frames_new(s));
  IG_TRY(turns_new(s));
  IG_TRY(ig_structure_knots_number(s));
  IG_TRY(elements_new(s));
  IG_TRY(ig_structure_hollow_read(s));
  IG_TRY(ig_structure_trusses_read(s));
  IG_TRY(ig_structure_prestress_read(s));
  IG_TRY(ig_structure_points_new(s));
  IG_TRY(IG_NEW(s->cx, &s->u, s->unknowns, "displacements"));
  IG_TRY(IG_NEW(s->cx, &s->velocity, s->unknowns, "velocities"));
  IG_TRY(IG_NEW(s->cx, &s->acceleration, s->unknowns, "accelerations"));
  IG_TRY(IG_NEW(s->cx, &s->reaction, s->unknowns, "forces"));
  IG_TRY(IG_NEW(s->cx, &s->held_of, s->unknowns, "supports"));
  IG_TRY(IG_NEW(s->cx, &s->force_before, s->unknowns, "forces"));
  IG_TRY(ig_structure_temperatures_new(s));
  return ig_structure_faces_new(s);
}

/* *to is set before anything can fail, so that the caller frees it in all cases.
   Memory of a model, per element with 8 nodes: connectivity is that of the mesh; 24 unknowns (96
   bytes); history of past and now; the stiffness is not kept, since it goes into the system at
   once. */
ig_status ig_structure_new(ig_job *job, ig_structure **to) {
  ig_structure *s;
  IG_TRY(IG_NEW(job->cx, &s, 1, "structure"));
  *to = s;
  s->cx = job->cx;
  s->job = job;
  s->pictured = -1;
  s->c = job->room_case;
  s->mesh = job->mesh;
  if (s->mesh->dim != 3)
    return ig_fail_at(s->cx, &s->c->at, "structure computes solids: the mesh is plane");
  IG_TRY(ig_structure_unused(s->cx, s->c));
  s->drawn = s->mesh->nodes;
  IG_TRY(ig_structure_expand(s));
  IG_TRY(ig_structure_adjust(s));
  return model_make(s);
}

/* NULL is allowed, and a model that failed halfway. */
void ig_structure_free(ig_structure *s) {
  if (!s)
    return;
  for (int i = 0; i < s->groups; i++) {
    ig_structure_group *g = &s->group[i];
    free(g->element);
    free((void *)g->node);
    free(g->unknown);
    free(g->material);
    free(g->law);
    free(g->past);
    free(g->now);
    free(g->initial);
    free(g->axes);
  }
  for (int i = 0; i < IG_FACE_KINDS; i++) {
    free(s->faces[i].node);
    free(s->faces[i].unknown);
    free(s->faces[i].load);
  }
  ig_contact_free(&s->contact);
  ig_structure_expansion_free(s);
  ig_structure_points_free(s);
  ig_structure_joints_free(s);
  ig_structure_exchange_free(s->exchange);
  ig_newton_free(s->newton);
  ig_system_free(s->system);
  ig_restart_free(s->start.kept);
  void *const all[] = {s->group,        s->law,          s->material, s->owner,   s->u,
                       s->velocity,     s->acceleration, s->reaction, s->T0,      s->T,
                       s->frame,        s->framed,       s->turn,     s->held_of, s->held,
                       s->force_before, s->text,         s->mode,     s->shape,   s->body,
                       s->source,       s->number_of,    s->damping,  s->heated,  s->heat_flow,
                       s->hollow,       s->truss,        s->bar,      s->spin,    s->spun,
                       s->met};
  for (int i = 0; i < s->shares; i++)
    free(s->share[i]);
  free(s->share);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  free(s);
}
