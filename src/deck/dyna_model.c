/* Materials, sections and parts of an LS-DYNA deck, and what of a case is made of them: materials,
   sections, bodies. */
#include "deck/dyna.h"
#include "material/j2_law.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a field has a number other than 0. */
static bool given(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int i) {
  return ig_dyna_real(k, c, row, i, 0) != 0;
}

static void key_put(ig_dyna *k, const char *key, double value, int m, int kg, int s) {
  ig_import_put(&k->b, ", %s: ", key);
  ig_dyna_put(k, value, m, kg, s);
}

static const ig_dyna_line *after(const ig_dyna_line *row) {
  return row ? row->next : NULL;
}

/* --- materials, sections and parts by their numbers */

/* `lines` data lines each; 0: all of them are one. Titles come before each. */
void ig_dyna_item_read(ig_dyna *k, const ig_dyna_card *c, ig_dyna_item **list, int lines) {
  const ig_dyna_line *row = ig_dyna_data(c);
  if (!row)
    ig_dyna_fail(k, c, NULL, "expected a line with its number");
  while (row && k->b.status == IG_OK) {
    ig_dyna_item *item;
    k->b.status = IG_DECK_ADD(k->b.d, list, &item);
    if (k->b.status != IG_OK)
      return;
    item->card = c;
    item->first = row;
    item->id = ig_dyna_int(k, c, row, 0);
    for (const ig_dyna_item *other = *list; other != item; other = other->next)
      if (other->id == item->id)
        ig_dyna_fail(k, c, row, "number %lld is taken already", (long long)item->id);
    for (int i = 0; row && i < lines; i++)
      row = row->next;
    if (lines == 0)
      row = NULL;
    if (row && c->titled)
      row = row->next;
  }
}

static const ig_dyna_item *item_find(const ig_dyna_item *list, int64_t id) {
  while (list && list->id != id)
    list = list->next;
  return list;
}

/* Pairs of a title and a line of numbers. */
void ig_dyna_parts_read(ig_dyna *k, const ig_dyna_card *c) {
  for (const ig_dyna_line *row = after(c->line); row && k->b.status == IG_OK;
       row = after(row->next)) {
    ig_dyna_part *part;
    k->b.status = IG_DECK_ADD(k->b.d, &k->part, &part);
    if (k->b.status != IG_OK)
      return;
    part->at = ig_dyna_at(c, row);
    part->id = ig_dyna_int(k, c, row, 0);
    snprintf(part->name, sizeof part->name, "part_%lld", (long long)part->id);
    part->set = ig_mesh_find_set(k->mesh, part->name, IG_SET_ELEMENTS);
    if (!part->set || part->set->count == 0) {
      part->set = NULL;
      ig_dyna_note(k, c, row, "part %lld has no elements", (long long)part->id);
      continue;
    }
    ig_lid local;
    part->dim = ig_elem_info_get(ig_mesh_element(k->mesh, part->set->item[0], &local)->type)->dim;
    for (ig_lid i = 1; i < part->set->count; i++)
      if (ig_elem_info_get(ig_mesh_element(k->mesh, part->set->item[i], &local)->type)->dim !=
          part->dim)
        ig_dyna_fail(k, c, row, "part %lld has elements of several kinds", (long long)part->id);
    const int64_t section = ig_dyna_int(k, c, row, 1), material = ig_dyna_int(k, c, row, 2),
                  hourglass = ig_dyna_int(k, c, row, 4);
    part->section = item_find(k->section, section);
    part->material = item_find(k->material, material);
    part->hourglass = item_find(k->hourglass, hourglass);
    if (!part->section)
      ig_dyna_fail(k, c, row, "there is no *SECTION with the number %lld", (long long)section);
    if (!part->material)
      ig_dyna_fail(k, c, row, "there is no *MAT with the number %lld", (long long)material);
    if (hourglass && !part->hourglass)
      ig_dyna_fail(k, c, row, "there is no *HOURGLASS with the number %lld", (long long)hourglass);
    const int64_t state = ig_dyna_int(k, c, row, 3);
    part->state = item_find(k->state, state);
    if (state && !part->state)
      ig_dyna_fail(k, c, row, "there is no *EOS with the number %lld", (long long)state);
    ig_dyna_empty(k, c, row, 6, 7, "adaptive meshes are not part of a case");
    /* shells turn, and beams that are no bars (ELFORM 3) */
    k->turns |= part->section &&
                (part->dim == 2 || (part->dim == 1 && ig_dyna_int(k, part->section->card,
                                                                  part->section->first, 1) != 3));
    part->rigid = part->material && strcmp(part->material->card->word, "MAT_RIGID") == 0;
  }
}

/* Every element belongs to a part of the deck. */
void ig_dyna_parts_resolve(ig_dyna *k) {
  const ig_src at = {k->b.d->path, 1, 1, true};
  for (int i = 0; i < k->mesh->sets && k->b.status == IG_OK; i++) {
    const ig_set *set = &k->mesh->set[i];
    int64_t id;
    char rest;
    if (set->kind != IG_SET_ELEMENTS ||
        sscanf(set->name, "part_%lld%c", (long long *)&id, &rest) != 1)
      continue;
    const ig_dyna_part *part = k->part;
    while (part && strcmp(part->name, set->name) != 0)
      part = part->next;
    if (!part)
      ig_import_fail(&k->b, &at, "elements are of part %lld, which no *PART gives", (long long)id);
  }
}

/* --- materials */

enum { CURVE_ROWS = IG_HARDENING_ROWS - 1 };

/* A curve of the yield stress over the plastic strain. Points beyond those that a material keeps
   are left out, the least needed ones first: `keep` begins with both ends and takes the point that
   is furthest off, until all places are taken. Returns the largest error, as a share of the yield
   stress there. */
static double curve_thin(const double *x, const double *y, int n, uint8_t *keep) {
  int kept = 2;
  memset(keep, 0, (size_t)n);
  keep[0] = keep[n - 1] = 1;
  for (;;) {
    double most = 0;
    int worst = -1;
    for (int i = 1, a = 0; i < n - 1; i++) {
      int b = i + 1;
      if (keep[i]) {
        a = i;
        continue;
      }
      while (!keep[b])
        b++;
      const double on = y[a] + (y[b] - y[a]) * (x[i] - x[a]) / (x[b] - x[a]);
      if (fabs(on - y[i]) > most * fabs(y[i])) {
        most = fabs(on - y[i]) / fabs(y[i]);
        worst = i;
      }
    }
    if (worst < 0 || most < 1e-12 || kept == CURVE_ROWS)
      return most;
    keep[worst] = 1;
    kept++;
  }
}

/* `hardening_curve`: rows of the deck, and one more far away on the last slope, on which LS-DYNA
   goes on where a case stays at the last value. */
static void hardening_put(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                          const double *x, const double *y, int n) {
  uint8_t *keep = NULL;
  if (k->b.status != IG_OK)
    return;
  if (n < 1 || x[0] != 0) {
    ig_dyna_fail(k, c, row, "yield stresses begin at plastic strain %g: expected 0", n ? x[0] : 0);
    return;
  }
  for (int i = 0; i < n; i++)
    if (y[i] <= 0) {
      ig_dyna_fail(k, c, row, "a yield stress of %g: expected more than 0", y[i]);
      return;
    }
  k->b.status = IG_NEW(k->b.d->cx, &keep, n + 1, "curve");
  if (k->b.status != IG_OK)
    return;
  const double error = n > 2 ? curve_thin(x, y, n, keep) : (memset(keep, 1, (size_t)n), 0);
  if (error > 0.01)
    ig_dyna_fail(k, c, row, "%d points: %d of them leave an error of %.2g %%; smooth the curve", n,
                 CURVE_ROWS, 100 * error);
  else if (error > 1e-12)
    ig_dyna_note(k, c, row, "%d of %d points are kept, which changes yield stresses by %.2g %%",
                 CURVE_ROWS, n, 100 * error);
  ig_import_put(&k->b, ", hardening_curve: [");
  for (int i = 0; i < n; i++) {
    if (!keep[i])
      continue;
    ig_import_put(&k->b, i ? ", [" : "[");
    ig_import_real(&k->b, x[i]);
    ig_import_put(&k->b, ", ");
    ig_dyna_put(k, y[i], -1, 1, -2);
    ig_import_put(&k->b, "]");
  }
  if (n > 1 && y[n - 1] > y[n - 2]) {
    const double far = x[n - 1] + 10;
    ig_import_put(&k->b, ", [");
    ig_import_real(&k->b, far);
    ig_import_put(&k->b, ", ");
    ig_dyna_put(k, y[n - 1] + (y[n - 1] - y[n - 2]) / (x[n - 1] - x[n - 2]) * 10, -1, 1, -2);
    ig_import_put(&k->b, "]");
  }
  ig_import_put(&k->b, "]");
  free(keep);
}

/* Number, density, Young's modulus, Poisson's ratio: the first four fields of most materials. */
static double elastic_put(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, int young) {
  const double density = ig_dyna_real(k, c, row, 1, 0);
  double e = ig_dyna_real(k, c, row, young, 0);
  if (young == 3 && e == 0) /* 015: the shear modulus comes before */
    e = 2 * ig_dyna_real(k, c, row, 2, 0) * (1 + ig_dyna_real(k, c, row, 4, 0));
  if (!(e > 0))
    ig_dyna_fail(k, c, row, "expected Young's modulus in field %d", young + 1);
  if (!(density > 0))
    ig_dyna_fail(k, c, row, "expected the density in field 2");
  key_put(k, "density", density, -3, 1, 0);
  key_put(k, "young", e, -1, 1, -2);
  key_put(k, "poisson", ig_dyna_real(k, c, row, young + 1, 0), 0, 0, 0);
  return e;
}

static void yield_check(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row, double yield,
                        double young, double tangent) {
  if (!(yield > 0))
    ig_dyna_fail(k, c, row, "expected the yield stress");
  if (tangent >= young)
    ig_dyna_fail(k, c, row, "the tangent modulus %g is not below Young's modulus", tangent);
}

/* Large numbers stand for no failure: LS-DYNA's own default is 1e21. */
static double fail_read(double strain) {
  return strain < 1e10 ? strain : 0;
}

/* Linear isotropic hardening. Failure at a plastic strain is that of Johnson and Cook with D1
   alone, whose law is A + B p with the exponent 1. */
static void linear_put(ig_dyna *k, double yield, double plastic, double fail) {
  if (fail > 0)
    ig_import_put(&k->b, ", law: johnson_cook");
  key_put(k, "yield", yield, -1, 1, -2);
  if (fail > 0) {
    ig_import_put(&k->b, ", johnson_cook: {b: ");
    ig_dyna_put(k, plastic, -1, 1, -2);
    ig_import_put(&k->b, ", n: 1, failure: [");
    ig_import_real(&k->b, fail);
    ig_import_put(&k->b, ", 0, 0, 0, 0]}");
  } else {
    key_put(k, "hardening", plastic, -1, 1, -2);
  }
}

/* 003: BETA is the isotropic share of the plastic modulus. */
static void kinematic_put(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row) {
  const double young = elastic_put(k, c, row, 2), yield = ig_dyna_real(k, c, row, 4, 0),
               tangent = ig_dyna_real(k, c, row, 5, 0), beta = ig_dyna_real(k, c, row, 6, 0);
  yield_check(k, c, row, yield, young, tangent);
  if (beta < 0 || beta > 1)
    ig_dyna_fail(k, c, row, "BETA is %g: expected 0 to 1", beta);
  const double plastic = young * tangent / (young - tangent);
  const bool kinematic = beta < 1 && plastic > 0;
  ig_dyna_empty(k, c, after(row), 0, 2, "rates by Cowper and Symonds are not part of a case");
  if (kinematic)
    ig_dyna_empty(k, c, after(row), 2, 3, "failure needs isotropic hardening, BETA 1");
  linear_put(k, yield, kinematic ? beta * plastic : plastic,
             fail_read(ig_dyna_real(k, c, after(row), 2, 0)));
  if (kinematic)
    key_put(k, "kinematic", (1 - beta) * plastic, -1, 1, -2);
}

/* 024: a yield stress and a tangent, eight points, or a curve. */
static void piecewise_put(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row) {
  const double young = elastic_put(k, c, row, 2), fail = ig_dyna_real(k, c, row, 6, 0);
  const ig_dyna_line *second = after(row), *strains = after(second), *stresses = after(strains);
  if (fail < 0)
    ig_dyna_fail(k, c, row, "FAIL is %g: failure by a routine of one's own is not understood",
                 fail);
  ig_dyna_empty(k, c, row, 7, 8, "elements are not deleted by their step");
  ig_dyna_empty(k, c, second, 0, 2, "rates by Cowper and Symonds are not part of a case");
  ig_dyna_empty(k, c, second, 3, 4, "a curve of rates is not part of a case");
  const int64_t id = ig_dyna_int(k, c, second, 2);
  if ((id || ig_dyna_real(k, c, stresses, 1, 0) != 0) && fail_read(fail) > 0)
    ig_dyna_fail(k, c, row, "FAIL is %g: failure needs a yield stress and a tangent, no curve",
                 fail);
  if (id) {
    const ig_dyna_curve *curve = ig_dyna_curve_find(k, c, second, id);
    if (curve)
      hardening_put(k, c, second, curve->x, curve->y, curve->count);
    return;
  }
  double x[8], y[8];
  int n = 0;
  for (int i = 0; i < 8; i++) {
    const double stress = ig_dyna_real(k, c, stresses, i, 0);
    if (stress == 0)
      break;
    x[n] = ig_dyna_real(k, c, strains, i, 0);
    y[n] = stress;
    if (n && x[n] <= x[n - 1])
      ig_dyna_fail(k, c, strains, "plastic strains do not grow from point %d to the next", n);
    n++;
  }
  if (n > 1) {
    hardening_put(k, c, strains, x, y, n);
    return;
  }
  const double yield = ig_dyna_real(k, c, row, 4, 0), tangent = ig_dyna_real(k, c, row, 5, 0);
  yield_check(k, c, row, yield, young, tangent);
  linear_put(k, yield, young * tangent / (young - tangent), fail_read(fail));
}

/* 015 and 098. Solids of 015 have an equation of state in LS-DYNA; here the pressure is linear in
   the volume, which *EOS_LINEAR_POLYNOMIAL with C1 alone says. */
static void johnson_put(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row) {
  const bool simple = strcmp(c->word, "MAT_SIMPLIFIED_JOHNSON_COOK") == 0;
  const ig_dyna_line *second = after(row), *third = after(second), *fourth = after(third);
  const double a = ig_dyna_real(k, c, second, 0, 0);
  elastic_put(k, c, row, simple ? 2 : 3);
  if (!(a > 0))
    ig_dyna_fail(k, c, second ? second : row, "expected the yield stress A on the second line");
  if (simple)
    ig_dyna_empty(k, c, second, 4, 7, "failure and bounds of the stress are not part of a case");
  ig_import_put(&k->b, ", law: johnson_cook");
  key_put(k, "yield", a, -1, 1, -2);
  if (!simple && given(k, c, third, 0))
    key_put(k, "specific_heat", ig_dyna_real(k, c, third, 0, 0), 2, 0, -2);
  ig_import_put(&k->b, ", johnson_cook: {b: ");
  ig_dyna_put(k, ig_dyna_real(k, c, second, 1, 0), -1, 1, -2);
  key_put(k, "n", ig_dyna_real(k, c, second, 2, 1), 0, 0, 0);
  key_put(k, "c", ig_dyna_real(k, c, second, 3, 0), 0, 0, 0);
  const double rate = ig_dyna_real(k, c, second, 7, 0);
  key_put(k, "rate0", rate > 0 ? rate : 1, 0, 0, rate > 0 ? -1 : 0);
  if (!simple) {
    key_put(k, "m", ig_dyna_real(k, c, second, 4, 1), 0, 0, 0);
    key_put(k, "melt", ig_dyna_real(k, c, second, 5, 1800), 0, 0, 0);
    key_put(k, "room", ig_dyna_real(k, c, second, 6, 293.15), 0, 0, 0);
    bool fails = false;
    double failure[5];
    for (int i = 0; i < 5; i++) {
      failure[i] = i < 4 ? ig_dyna_real(k, c, third, 4 + i, 0) : ig_dyna_real(k, c, fourth, 0, 0);
      fails |= failure[i] != 0;
    }
    /* Pressure is positive in compression there, a mean stress in tension here. Decks have either
       sign; what is meant is a material that bears less in tension. */
    if (failure[2] > 0 && failure[1] > 0) {
      ig_dyna_note(k, c, third, "D3 is taken as %g: less strain to failure in tension",
                   -failure[2]);
      failure[2] = -failure[2];
    }
    for (int i = 0; fails && i < 5; i++) {
      ig_import_put(&k->b, i ? ", " : ", failure: [");
      ig_import_real(&k->b, failure[i]);
    }
    ig_import_put(&k->b, fails ? "]" : "");
    if (given(k, c, third, 1) || given(k, c, third, 2))
      ig_dyna_note(k, c, third, "a pressure cutoff (PC, SPALL) has no counterpart");
  }
  ig_import_put(&k->b, "}");
}

/* A pressure that is linear in the volume, by the bulk modulus: what a case has. */
static void state_check(ig_dyna *k, const ig_dyna_part *p) {
  const ig_dyna_card *c = p->state->card, *m = p->material->card;
  const ig_dyna_line *row = p->state->first, *of = p->material->first;
  if (strcmp(m->word, "MAT_JOHNSON_COOK") != 0)
    return;
  double young = ig_dyna_real(k, m, of, 3, 0);
  const double poisson = ig_dyna_real(k, m, of, 4, 0), own = ig_dyna_real(k, c, row, 2, 0);
  if (young == 0)
    young = 2 * ig_dyna_real(k, m, of, 2, 0) * (1 + poisson);
  const double bulk = young / (3 * (1 - 2 * poisson));
  ig_dyna_empty(k, c, row, 1, 2, "a pressure at the start is not part of a case");
  ig_dyna_empty(k, c, row, 3, 8, "only C1 is understood: a pressure linear in the volume");
  ig_dyna_empty(k, c, after(row), 0, 1, "an energy at the start is not part of a case");
  if (!(fabs(own - bulk) < 0.02 * bulk))
    ig_dyna_fail(k, c, row,
                 "C1 is %g, the bulk modulus of E and PR of material %lld is %g: make them agree",
                 own, (long long)p->material->id, bulk);
}

static const struct {
  const char *word;
  void (*put)(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row);
} laws[] = {{"MAT_PLASTIC_KINEMATIC", kinematic_put},
            {"MAT_PIECEWISE_LINEAR_PLASTICITY", piecewise_put},
            {"MAT_JOHNSON_COOK", johnson_put},
            {"MAT_SIMPLIFIED_JOHNSON_COOK", johnson_put}};

/* Materials without parts are left out: a case refuses sets that are not there. */
void ig_dyna_materials_put(ig_dyna *k) {
  for (const ig_dyna_item *m = k->material; m && k->b.status == IG_OK; m = m->next) {
    int parts = 0;
    for (const ig_dyna_part *p = k->part; p; p = p->next)
      if (p->set && p->material == m && p->state)
        state_check(k, p);
    ig_import_put(&k->b, "{name: mat_%lld, set: [", (long long)m->id);
    for (const ig_dyna_part *p = k->part; p; p = p->next)
      if (p->set && p->material == m)
        ig_import_put(&k->b, "%s%s", parts++ ? ", " : "", p->name);
    ig_import_put(&k->b, "]");
    if (parts == 0) {
      k->b.used = 0;
      ig_dyna_note(k, m->card, m->first, "no part has it");
      continue;
    }
    size_t i = 0;
    while (i < sizeof laws / sizeof *laws && strcmp(laws[i].word, m->card->word) != 0)
      i++;
    if (i < sizeof laws / sizeof *laws) {
      laws[i].put(k, m->card, m->first);
    } else {
      elastic_put(k, m->card, m->first, 2);
      if (strcmp(m->card->word, "MAT_ELASTIC") == 0)
        ig_dyna_empty(k, m->card, m->first, 4, 7, "damping of beams is not part of a case");
    }
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "materials", true, ig_dyna_at(m->card, m->first));
  }
}

/* --- sections */

static bool one_of(int64_t value, const int *list) {
  while (*list && *list != value)
    list++;
  return *list != 0;
}

/* ELFORM 1 has one point, 2 eight with a constant pressure; tetrahedra have their own. */
static void solid_put(ig_dyna *k, const ig_dyna_part *p) {
  static const int fine[] = {1, 2, -1, -2, 10, 13, 15, 16, 17, 0};
  const ig_dyna_card *c = p->section->card;
  const ig_dyna_line *row = p->section->first;
  int64_t form = ig_dyna_int(k, c, row, 1);
  bool hexahedra = false;
  form = form ? form : 1;
  if (!one_of(form, fine))
    ig_dyna_fail(k, c, row, "ELFORM %lld is not understood: expected 1, 2, -1, -2, 10, 13, 15, 16",
                 (long long)form);
  for (ig_lid i = 0, local; i < p->set->count && !hexahedra; i++)
    hexahedra = ig_mesh_element(k->mesh, p->set->item[i], &local)->type == IG_HEX8;
  if (hexahedra && form == 1) {
    double hour = k->hour;
    if (p->hourglass) {
      const double own = ig_dyna_real(k, p->hourglass->card, p->hourglass->first, 2, 0);
      hour = own > 0 ? own : hour;
    }
    ig_import_put(&k->b, ", integration: single, hourglass: ");
    ig_import_real(&k->b, hour);
  } else if (hexahedra) {
    ig_import_put(&k->b, ", integration: bbar");
  }
  if (!p->rigid) {
    key_put(k, "bulk_linear", k->bulk[0], 0, 0, 0);
    key_put(k, "bulk_quadratic", sqrt(k->bulk[1]), 0, 0, 0);
  }
}

static void shell_put(ig_dyna *k, const ig_dyna_part *p) {
  static const int fine[] = {1, 2, 3, 4, 6, 7, 8, 10, 11, 16, -16, 17, 18, 20, 21, 25, 26, 0};
  const ig_dyna_card *c = p->section->card;
  const ig_dyna_line *row = p->section->first, *second = after(row);
  const int64_t form = ig_dyna_int(k, c, row, 1), points = ig_dyna_int(k, c, row, 3);
  const double thickness = ig_dyna_real(k, c, second, 0, 0);
  if (form && !one_of(form, fine))
    ig_dyna_fail(k, c, row, "ELFORM %lld is not a shell that bends in space", (long long)form);
  if (points == 1)
    ig_dyna_fail(k, c, row, "one point through the thickness is a membrane: expected a shell");
  ig_dyna_empty(k, c, row, 6, 7, "layers of several materials are not part of a case");
  for (int i = 1; i < 4; i++)
    if (given(k, c, second, i) && ig_dyna_real(k, c, second, i, 0) != thickness)
      ig_dyna_fail(k, c, second, "the thickness differs from corner to corner");
  if (!(thickness > 0))
    ig_dyna_fail(k, c, second ? second : row, "expected the thickness on the second line");
  ig_dyna_empty(k, c, second, 4, 5, "a reference surface off the middle is not part of a case");
  ig_dyna_empty(k, c, second, 5, 6, "further mass is not part of a case: raise the density");
  key_put(k, "thickness", thickness, 1, 0, 0);
  if (k->thinning && p->material && !p->rigid &&
      strcmp(p->material->card->word, "MAT_ELASTIC") != 0)
    ig_import_put(&k->b, ", thinning: true");
}

/* Constants of a section: area, second moments about s and t, torsion. s is `up`, so that bending
   along the height is about t. */
static void beam_put(ig_dyna *k, const ig_dyna_part *p) {
  const ig_dyna_card *c = p->section->card;
  const ig_dyna_line *row = p->section->first, *second = after(row);
  const int64_t form = ig_dyna_int(k, c, row, 1), shape = ig_dyna_int(k, c, row, 4);
  double v[4];
  bool turned = false;
  ig_dyna_empty(k, c, row, 6, 7, "further mass is not part of a case: raise the density");
  for (int i = 0; i < 4; i++)
    v[i] = ig_dyna_real(k, c, second, i, 0);
  if (form == 3) {
    ig_import_put(&k->b, ", line: bar");
    key_put(k, "area", v[0], 2, 0, 0);
    ig_dyna_empty(k, c, second, 1, 3, "an initial stress is not part of a case");
  } else if (form == 2) {
    key_put(k, "area", v[0], 2, 0, 0);
    const double about_t = v[2] > 0 ? v[2] : v[1];
    key_put(k, "iy", about_t, 4, 0, 0);
    key_put(k, "iz", v[1], 4, 0, 0);
    key_put(k, "torsion", v[3] > 0 ? v[3] : v[1] + about_t, 4, 0, 0);
    turned = about_t != v[1];
  } else if (form == 0 || form == 1 || form == 4 || form == 5 || form == 11) {
    if ((v[1] != 0 && v[1] != v[0]) || (v[3] != 0 && v[3] != v[2]))
      ig_dyna_fail(k, c, second, "the section differs from end to end");
    if (shape == 0) {
      ig_import_put(&k->b, ", profile: rectangle");
      key_put(k, "height", v[0], 1, 0, 0);
      key_put(k, "width", v[2], 1, 0, 0);
      turned = v[0] != v[2];
    } else if (shape == 1) {
      ig_import_put(&k->b, v[2] > 0 ? ", profile: tube" : ", profile: circle");
      key_put(k, "radius", v[0] / 2, 1, 0, 0);
      if (v[2] > 0)
        key_put(k, "wall", (v[0] - v[2]) / 2, 1, 0, 0);
    } else {
      ig_dyna_fail(k, c, row, "CST %lld: expected 0 (rectangle) or 1 (tube)", (long long)shape);
    }
  } else {
    ig_dyna_fail(k, c, row, "ELFORM %lld is not understood: expected 1, 2, 3, 4, 5, 11",
                 (long long)form);
  }
  if (!(v[0] > 0))
    ig_dyna_fail(k, c, second ? second : row, "expected the size of the section on line two");
  double up[3];
  if (turned && k->b.status == IG_OK) {
    if (!ig_dyna_beam_axis(k, p, up))
      ig_import_fail(&k->b, &p->at,
                     "beams of part %lld have no third node, or sections that point in several "
                     "directions: make them parts of their own",
                     (long long)p->id);
    ig_import_put(&k->b, ", up: [");
    for (int i = 0; i < 3; i++) {
      ig_import_put(&k->b, i ? ", " : "");
      ig_import_real(&k->b, up[i]);
    }
    ig_import_put(&k->b, "]");
  }
}

/* One entry per part: parts that share a section may differ in hourglass control or axes. */
void ig_dyna_sections_put(ig_dyna *k) {
  static const char *const words[] = {"", "SECTION_BEAM", "SECTION_SHELL", "SECTION_SOLID"};
  for (const ig_dyna_part *p = k->part; p && k->b.status == IG_OK; p = p->next) {
    if (!p->set)
      continue;
    if (strcmp(p->section->card->word, words[p->dim]) != 0) {
      ig_import_fail(&k->b, &p->at, "part %lld has a *%s: its elements need a *%s",
                     (long long)p->id, p->section->card->word, words[p->dim]);
      return;
    }
    ig_import_put(&k->b, "{set: %s", p->name);
    (p->dim == 3 ? solid_put : p->dim == 2 ? shell_put : beam_put)(k, p);
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "sections", true, ig_dyna_at(p->section->card, p->section->first));
  }
}

/* --- rigid bodies */

/* Parts of *MAT_RIGID, with what fixes and leads them. */
void ig_dyna_bodies_put(ig_dyna *k) {
  static const char *const axes[] = {"", "x", "y", "z", "x y", "y z", "z x", "x y z"};
  static const char *const turns[] = {"", "rx", "ry", "rz", "rx ry", "ry rz", "rz rx", "rx ry rz"};
  static const char *const keys[] = {"velocity", "acceleration", "displacement"};
  for (const ig_dyna_part *p = k->part; p && k->b.status == IG_OK; p = p->next) {
    if (!p->set || !p->rigid)
      continue;
    const ig_dyna_card *c = p->material->card;
    const ig_dyna_line *row = after(p->material->first);
    const double kind = ig_dyna_real(k, c, row, 0, 0);
    int64_t code[2] = {0, 0};
    for (int i = 0; i < 2 && kind != 0; i++) {
      code[i] = ig_dyna_int(k, c, row, 1 + i);
      if (kind != 1 || code[i] < 0 || code[i] > 7) {
        ig_dyna_fail(k, c, row, "constraints in local axes are not part of a case: expected CMO 1");
        return;
      }
    }
    ig_dyna_empty(k, c, p->material->first, 4, 8, "coupling to other programs is not understood");
    ig_import_put(&k->b, "{set: %s", p->name);
    if (code[0] || code[1])
      ig_import_put(&k->b, ", fix: '%s%s%s'", axes[code[0]], code[0] && code[1] ? " " : "",
                    turns[code[1]]);
    const ig_dyna_drive *drive = k->drive;
    while (drive && drive->part != p->id)
      drive = drive->next;
    if (drive) {
      ig_import_put(&k->b, ", components: ");
      for (int i = 0; i < 3; i++)
        ig_import_put(&k->b, isnan(drive->value[i]) ? "" : "%c", 'x' + i);
      ig_import_put(&k->b, ", %s: [", keys[drive->kind]);
      for (int i = 0; i < 3; i++) {
        ig_import_put(&k->b, i ? ", " : "");
        ig_dyna_put(k, isnan(drive->value[i]) ? 0 : drive->value[i], 1, 0,
                    drive->kind == 2 ? 0 : -1 - drive->kind);
      }
      ig_import_put(&k->b, "]");
      const ig_dyna_card from = {.at = drive->at, .word = "BOUNDARY_PRESCRIBED_MOTION_RIGID"};
      ig_dyna_history(k, &from, NULL, drive->curve);
    }
    ig_import_put(&k->b, "}");
    ig_import_end(&k->b, "bodies", true, p->at);
  }
  for (const ig_dyna_drive *drive = k->drive; drive && k->b.status == IG_OK; drive = drive->next) {
    const ig_dyna_part *p = k->part;
    while (p && (p->id != drive->part || !p->rigid))
      p = p->next;
    if (!p)
      ig_import_fail(&k->b, &drive->at, "part %lld is not a rigid one (*MAT_RIGID)",
                     (long long)drive->part);
  }
}
