/* Materials as the stress room uses them: tables over temperature, thermal strain as an
   integral. All tables of all materials are rows of two arrays (the pile), which go to the
   device in one piece; a table is a range of rows (ig_history) and is linear between them. */
#include "stress/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pieces that an interval of a table is divided into where the result is not linear: a thermal
   strain from coefficients is quadratic, E Et / (E - Et) a ratio. With 64 pieces the error of a
   parabola is 1/4096 of that of one chord. */
enum { FINER = 64 }; /* pieces that a curved part of a table is cut into */

/* Rows collected so far; x: K, y: the value. Freed by ig_stress_laws. */
typedef struct {
  ig_ctx *cx;
  int rows;
  double *x, *y;
} pile;

/* Appends a row. */
static ig_status pile_add(pile *p, double x, double y) {
  IG_TRY(IG_MORE(p->cx, &p->x, p->rows, "tables of materials"));
  IG_TRY(IG_MORE(p->cx, &p->y, p->rows, "tables of materials"));
  p->x[p->rows] = x;
  p->y[p->rows++] = y;
  return IG_OK;
}

/* A table of the case at x; constant beyond its ends. */
static double table_at(const ig_table *t, double x) {
  return ig_history_at((ig_history){0, t->count}, t->x, t->y, x);
}

/* A table as it is; one number where none is given. */
static ig_status table_add(pile *p, const ig_table *t, double number, ig_history *place) {
  *place = (ig_history){p->rows, 0};
  if (t->count == 0 && isnan(number))
    return IG_OK;
  if (t->count == 0)
    IG_TRY(pile_add(p, 0, number));
  for (int i = 0; i < t->count; i++)
    IG_TRY(pile_add(p, t->x[i], t->y[i]));
  place->rows = p->rows - place->first;
  return IG_OK;
}

/* Thermal strain that a coefficient gives: a mean one from `reference` on, or (NaN) an
   instantaneous one. Beyond the rows a coefficient stays what it was: the strain goes on. */
static ig_status expansion_add(pile *p, const ig_table *t, double reference, ig_history *place) {
  const double first = t->count > 1 ? fmin(t->x[0], 0) : 0,
               last = t->count > 1 ? t->x[t->count - 1] : 0;
  double sum = 0, before = first;
  *place = (ig_history){p->rows, 0};
  /* 20000 K beyond the last row: no case goes there, and the strain goes on with the last
     coefficient */
  for (int i = -1; i < t->count; i++) { /* before the rows, between them, after them */
    const double a = i < 0          ? first
                     : t->count > 1 ? t->x[i]
                                    : 0,
                 b = i + 1 < t->count ? (t->count > 1 ? t->x[i + 1] : 0) : last + 20000;
    const int pieces = i < 0 || i + 1 == t->count ? 1 : FINER;
    if (b <= a)
      continue;
    for (int k = p->rows == place->first ? 0 : 1; k <= pieces; k++) {
      const double T = a + (b - a) * k / pieces;
      sum += 0.5 * (table_at(t, before) + table_at(t, T)) * (T - before);
      before = T;
      IG_TRY(pile_add(p, T, isnan(reference) ? sum : table_at(t, T) * (T - reference)));
    }
  }
  place->rows = p->rows - place->first;
  return IG_OK;
}

/* Thermal strain from a mean coefficient, an instantaneous one, or itself. */
static ig_status strain_add(pile *p, const ig_material_case *mat, ig_history *place) {
  const ig_mechanical_case *m = &mat->mechanical;
  const int given =
      (m->thermal_strain.count > 0) + (m->expansion.count > 0) + (m->expansion_mean.count > 0);
  *place = (ig_history){p->rows, 0};
  if (given > 1)
    return ig_fail_at(p->cx, &m->at,
                      "material '%.60s' gives its thermal strain more than once: keep one of "
                      "thermal_strain, expansion, expansion_mean",
                      mat->name);
  if (m->at.given && m->expansion_mean.count == 0 && m->expansion_reference != 293.15)
    return ig_fail_at(p->cx, &m->at,
                      "`expansion_reference` is that of `expansion_mean`, which is not given");
  if (given == 0)
    return IG_OK;
  if (m->thermal_strain.count > 0)
    return table_add(p, &m->thermal_strain, NAN, place);
  return m->expansion_mean.count
             ? expansion_add(p, &m->expansion_mean, m->expansion_reference, place)
             : expansion_add(p, &m->expansion, NAN, place);
}

/* Plastic moduli from the tangent: H = E Et / (E - Et), split. */
static ig_status tangent_add(pile *p, const ig_material_case *mat, const ig_table *tangent,
                             double number, double share, ig_history young, ig_stress_law *law) {
  const int rows = tangent->count > 1 ? tangent->count : 1;
  for (int part = 0; part < 2; part++) {
    ig_history *place = part ? &law->kinematic : &law->hardening;
    *place = (ig_history){p->rows, 0};
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < (i + 1 < rows ? FINER : 1); k++) {
        const double T =
            rows == 1 ? 0
                      : tangent->x[i] +
                            (i + 1 < rows ? (tangent->x[i + 1] - tangent->x[i]) * k / FINER : 0);
        const double Et = tangent->count ? table_at(tangent, T) : number,
                     E = ig_history_at(young, p->x, p->y, T);
        if (!(Et < E))
          return ig_fail_at(p->cx, &mat->at,
                            "material '%.60s': the tangent modulus %g Pa is not below Young's "
                            "modulus %g Pa at %g K",
                            mat->name, Et, E, T);
        IG_TRY(pile_add(p, T, (part ? share : 1 - share) * E * Et / (E - Et)));
      }
    place->rows = p->rows - place->first;
  }
  return IG_OK;
}

/* The transformation: the tables of austenite, its thermal strain moved so that it is `strain`
   below that of martensite where that is given. */
static ig_status transformation_make(pile *p, const ig_material_case *mat, ig_stress_law *law) {
  const ig_transformation_case *t = &mat->mechanical.transformation;
  if (!t->at.given)
    return IG_OK;
  if (!(t->martensite_start < t->austenite_start && t->austenite_start < t->austenite_end &&
        t->austenite_end <= law->anneal && law->anneal < IG_UNBOUNDED))
    return ig_fail_at(
        p->cx, &t->at,
        "material '%.60s': the temperatures martensite_start %g K, "
        "austenite_start %g K, austenite_end %g K and `anneal` (or the solidus) must be "
        "given and rise in this order",
        mat->name, t->martensite_start, t->austenite_start, t->austenite_end);
  if (!law->strain.rows)
    return ig_fail_at(p->cx, &t->at,
                      "material '%.60s' transforms and has no thermal expansion: give `expansion`, "
                      "`expansion_mean` or `thermal_strain` of its martensite",
                      mat->name);
  if (!law->plastic && (t->yield.count || t->hardening.count) && mat->law != IG_MATERIAL_ELASTIC)
    return ig_fail_at(p->cx, &t->at,
                      "material '%.60s': austenite yields and martensite has no yield stress: give "
                      "`mechanical.yield`",
                      mat->name);
  law->transforms = 1;
  law->martensite_start = t->martensite_start;
  law->martensite_rate = t->rate;
  law->austenite_start = t->austenite_start;
  law->austenite_end = t->austenite_end;
  law->trip = t->trip;
  law->leblond = t->saturation == IG_TRIP_LEBLOND;
  law->austenite_yield = law->yield;
  law->austenite_hardening = law->hardening;
  if (law->plastic && t->yield.count)
    IG_TRY(table_add(p, &t->yield, NAN, &law->austenite_yield));
  if (law->plastic && t->hardening.count)
    IG_TRY(table_add(p, &t->hardening, NAN, &law->austenite_hardening));
  ig_history *of = &law->austenite_strain;
  if (t->expansion.count)
    IG_TRY(expansion_add(p, &t->expansion, NAN, of));
  else {
    *of = (ig_history){p->rows, law->strain.rows};
    for (int i = 0; i < law->strain.rows; i++)
      IG_TRY(pile_add(p, p->x[law->strain.first + i], p->y[law->strain.first + i]));
  }
  const double T = t->strain_temperature, move = ig_history_at(law->strain, p->x, p->y, T) -
                                                 ig_history_at(*of, p->x, p->y, T) - t->strain;
  for (int i = 0; i < of->rows; i++)
    p->y[of->first + i] += move;
  return IG_OK;
}

/* NaN, that is not given, becomes a temperature that is never reached. */
static double or_huge(double v) {
  return isnan(v) ? IG_UNBOUNDED : v;
}

/* Hardening of what never yields would be passed over in silence. */
static ig_status hardening_check(ig_ctx *cx, const ig_material_case *mat, bool yields) {
  const ig_mechanical_case *m = &mat->mechanical;
  const bool hardens = m->hardening.count || m->kinematic.count || m->tangent.count ||
                       mat->hardening > 0 || mat->kinematic > 0 || !isnan(mat->tangent);
  if (hardens && !yields && mat->law != IG_MATERIAL_ELASTIC)
    return ig_fail_at(cx, &mat->at,
                      "material '%.60s' hardens and has no yield stress: give `yield`, or law: "
                      "elastic",
                      mat->name);
  return IG_OK;
}

/* One material. Missing or contradictory values are located errors. A table of the `mechanical`
   section has precedence over the single number of the material. */
static ig_status law_make(pile *p, const ig_stress_case *c, const ig_material_case *mat,
                          ig_stress_law *law) {
  const ig_mechanical_case *m = &mat->mechanical;
  const double none = NAN;
  memset(law, 0, sizeof *law);
  if (m->young.count == 0)
    IG_TRY(ig_material_require(p->cx, mat, "young", "the stress room"));
  if (m->poisson.count == 0)
    IG_TRY(ig_material_require(p->cx, mat, "poisson", "the stress room"));
  if (mat->law > IG_MATERIAL_PLASTIC || mat->hardening_curve.count)
    return ig_fail_at(p->cx, &mat->at,
                      "material '%.60s': the stress room knows elastic and plastic laws with "
                      "`yield` and moduli of hardening; no curves, no Johnson-Cook",
                      mat->name);
  IG_TRY(table_add(p, &m->young, mat->young, &law->young));
  IG_TRY(table_add(p, &m->poisson, mat->poisson, &law->poisson));
  IG_TRY(strain_add(p, mat, &law->strain));
  const bool yields = m->yield.count > 0 || !isnan(mat->yield);
  if (mat->law == IG_MATERIAL_PLASTIC && !yields)
    IG_TRY(ig_material_require(p->cx, mat, "yield", "its plastic law"));
  IG_TRY(hardening_check(p->cx, mat, yields));
  law->plastic = yields && mat->law != IG_MATERIAL_ELASTIC;
  if (law->plastic) {
    IG_TRY(table_add(p, &m->yield, mat->yield, &law->yield));
    const double tangent = isnan(mat->tangent) ? none : mat->tangent;
    if (m->tangent.count || (!isnan(tangent) && !m->hardening.count))
      IG_TRY(tangent_add(p, mat, &m->tangent, tangent, m->kinematic_share, law->young, law));
    else {
      IG_TRY(table_add(p, &m->hardening, mat->hardening, &law->hardening));
      IG_TRY(
          table_add(p, &m->kinematic, mat->kinematic > 0 ? mat->kinematic : none, &law->kinematic));
    }
  }
  if (m->kinematic_share > 0 && !m->tangent.count && isnan(mat->tangent))
    return ig_fail_at(p->cx, &m->at, "`kinematic_share` is a share of `tangent`: give that too");
  /* the annealing temperature is the solidus unless the case gives another */
  law->anneal = isnan(m->anneal) ? or_huge(mat->solidus) : m->anneal;
  if (isnan(m->recovery_start) != isnan(m->recovery_end) || m->recovery_start >= m->recovery_end)
    return ig_fail_at(p->cx, &m->at, "recovery_start and recovery_end: give both, rising");
  law->recover = or_huge(m->recovery_start);
  law->recovered = or_huge(m->recovery_end);
  law->young_least = c->floors.modulus * p->y[law->young.first];
  /* soft material keeps 0.1 % of its stiffness at least: the linear system stays well enough
     conditioned, and what is soft hardly restrains the rest */
  law->young_soft = fmax(c->floors.modulus, 1e-3) * p->y[law->young.first];
  law->yield_least = law->plastic ? c->floors.yield * p->y[law->yield.first] : 0;
  law->hardening_least = c->floors.hardening;
  if (m->creep.time_power != 0 || m->creep.hardening != IG_CREEP_TIME)
    return ig_fail_at(p->cx, &m->creep.at,
                      "stress has creep without hardening: leave out `time_power` and "
                      "`hardening`, or take `structure`");
  if (m->creep.at.given) {
    law->creep = m->creep.factor;
    law->creep_power = m->creep.power;
    law->creep_energy = m->creep.energy;
  }
  return transformation_make(p, mat, law);
}

/* Laws of all materials, and flags for what the case has: plasticity or creep, kinematic
   hardening, transformations. */
ig_status ig_stress_laws(ig_stress *m, const ig_list *materials) {
  pile p = {.cx = m->cx};
  ig_status status = IG_OK;
  ig_stress_law *law = m->material.laws.host;
  for (int i = 0; status == IG_OK && i < materials->count; i++)
    status = law_make(&p, m->c, IG_ITEM(const ig_material_case, *materials, i), law + i);
  if (status == IG_OK && p.rows == 0)
    status = IG_FAIL(m->cx, IG_INPUT, "the case has no materials");
  if (status == IG_OK)
    status = ig_array_from(m->cx, &m->material.row_x, p.x, (size_t)p.rows, sizeof *p.x, "tables");
  if (status == IG_OK)
    status = ig_array_from(m->cx, &m->material.row_y, p.y, (size_t)p.rows, sizeof *p.y, "tables");
  if (status == IG_OK) {
    m->material.poisson = fmin(fmax(p.y[law[0].poisson.first], 0), 0.4);
    for (int i = 0; i < materials->count; i++)
      m->material.plastic |= law[i].plastic || law[i].creep > 0;
    for (int i = 0; i < materials->count; i++)
      m->material.kinematic |= law[i].kinematic.rows > 0;
    for (int i = 0; i < materials->count; i++)
      m->material.transforms |= law[i].transforms != 0;
    status = ig_array_push(m->cx, &m->material.laws);
  }
  free(p.x);
  free(p.y);
  return status;
}
