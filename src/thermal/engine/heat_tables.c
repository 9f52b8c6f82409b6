/* From the tables of a material file to those that kernels read (heat_types.inc): knots, buckets,
   slopes, heat content at knots. Density times specific heat is a product of two piecewise linear
   tables; it is interpolated linearly between the knots of both, which is exact where one of them
   is constant. */
#include "material/keyhole.h"
#include "core/sorted.h"
#include "thermal/engine/heat_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Slopes and buckets of a table whose knots are in place. */
static void table_index(heat_table_f64 *t) {
  const int n = t->knots;
  t->start = t->x[0];
  const double width = t->x[n - 1] - t->x[0];
  /* equal buckets over the table's range: a look-up begins at the first segment of its bucket */
  t->per_bucket = width > 0 ? IG_HEAT_BUCKETS / width : 0;
  for (int s = 0; s + 1 < n; s++) {
    const double dx = t->x[s + 1] - t->x[s];
    t->slope[s] = dx > 0 ? (t->y[s + 1] - t->y[s]) / dx : 0;
  }
  for (int b = 0; b < IG_HEAT_BUCKETS; b++) {
    const double x = t->x[0] + b * width / IG_HEAT_BUCKETS;
    int s = 0;
    while (s + 2 < n && t->x[s + 1] <= x)
      s++;
    t->bucket[b] = (unsigned char)s;
  }
}

/* Copies a table of the material file and checks it. A value of zero or below would make the
   critical step or the inversion of the heat content meaningless. */
static ig_status table_copy(ig_ctx *cx, const ig_material_case *from, const char *what,
                            const ig_table *table, heat_table_f64 *to) {
  if (table->count > IG_HEAT_KNOTS)
    return ig_fail_at(cx, &from->at, "material '%s': %s has %d rows, at most %d are kept",
                      from->name, what, table->count, IG_HEAT_KNOTS);
  to->knots = table->count;
  for (int i = 0; i < table->count; i++) {
    to->x[i] = table->x[i];
    to->y[i] = table->y[i];
    if (!(table->y[i] > 0))
      return ig_fail_at(cx, &from->at, "material '%s': %s must be greater than zero (found %g)",
                        from->name, what, table->y[i]);
  }
  table_index(to);
  return IG_OK;
}

/* rho c over temperature: the knots of both tables, and jumps where melting begins and ends. Latent
   heat is spread evenly over [solidus, liquidus] as an extra capacity rho L / (liquidus - solidus).
 */
static ig_status capacity_make(ig_ctx *cx, const ig_material_case *from, heat_material_f64 *to) {
  heat_table_f64 *c = &to->capacity;
  double knot[2 * IG_HEAT_KNOTS + 6];
  int n = 0;
  const ig_table *tables[] = {&from->density, &from->specific_heat};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < tables[k]->count && tables[k]->count > 1; i++)
      knot[n++] = tables[k]->x[i];
  double low = from->solidus, high = from->liquidus;
  const bool melts = from->latent_heat > 0;
  if (melts) {
    if (!(high >= low))
      return ig_fail_at(cx, &from->at,
                        "material '%s' has a latent heat: give its solidus and a liquidus not "
                        "below it (found %g and %g K)",
                        from->name, low, high);
    const double least = 0.02; /* K: an isothermal change is spread over this */
    if (high - low < least) {
      low -= least / 2;
      high += least / 2;
    }
    knot[n++] = low;
    knot[n++] = high;
    /* look-ups beyond a table take the value at its end, and a jump has two: none at an end */
    double least_knot = low, most_knot = high;
    for (int i = 0; i < n; i++) {
      least_knot = fmin(least_knot, knot[i]);
      most_knot = fmax(most_knot, knot[i]);
    }
    if (least_knot == low)
      knot[n++] = low - 1;
    if (most_knot == high)
      knot[n++] = high + 1;
  }
  if (n == 0) {
    c->knots = 1;
    c->x[0] = 0;
    c->y[0] = from->density.y[0] * from->specific_heat.y[0];
    table_index(c);
    return IG_OK;
  }
  qsort(knot, (size_t)n, sizeof *knot, ig_rising_f64);
  const double middle = 0.5 * (low + high);
  const double extra =
      melts ? ig_table_at(&from->density, middle) * from->latent_heat / (high - low) : 0;
  for (int i = 0; i < n; i++) {
    if (i > 0 && knot[i] == knot[i - 1])
      continue;
    const double x = knot[i];
    const double y = ig_table_at(&from->density, x) * ig_table_at(&from->specific_heat, x);
    if (c->knots + 2 > IG_HEAT_KNOTS)
      return ig_fail_at(cx, &from->at,
                        "material '%s': density and specific heat have too many rows together "
                        "(at most %d temperatures)",
                        from->name, IG_HEAT_KNOTS - 4);
    const double before = melts && x > low && x <= high ? extra : 0;
    const double after = melts && x >= low && x < high ? extra : 0;
    c->x[c->knots] = x;
    c->y[c->knots++] = y + before;
    if (after != before) {
      c->x[c->knots] = x;
      c->y[c->knots++] = y + after;
    }
  }
  table_index(c);
  return IG_OK;
}

/* content[0] = c(x0) x0: the heat content at the lowest knot, as if the capacity were constant
   below it. Only differences matter, but all materials must count from 0 K alike, for nodes that
   two share. */
ig_status ig_heat_material_make(ig_ctx *cx, const ig_material_case *from, heat_material_f64 *to) {
  memset(to, 0, sizeof *to);
  IG_TRY(ig_material_require(cx, from, "density|specific_heat|conductivity", "heat conduction"));
  if (from->density.count + from->specific_heat.count > 2 * IG_HEAT_KNOTS)
    return ig_fail_at(cx, &from->at, "material '%s': at most %d rows a table", from->name,
                      IG_HEAT_KNOTS);
  IG_TRY(table_copy(cx, from, "conductivity", &from->conductivity, &to->conductivity));
  to->powder = to->conductivity;
  if (from->powder_conductivity.count) {
    IG_TRY(table_copy(cx, from, "powder_conductivity", &from->powder_conductivity, &to->powder));
    to->powdered = 1;
  }
  IG_TRY(capacity_make(cx, from, to));
  to->solidus = from->solidus;
  to->liquidus = from->liquidus;
  if (!isnan(from->boiling + from->evaporation_heat + from->molar_mass + from->liquidus)) {
    to->boiling = from->boiling;
    ig_vapour_of(from, &to->evaporation, &to->vapour);
  }
  to->diffusivity = ig_heat_material_diffusivity(to);
  const heat_table_f64 *c = &to->capacity;
  to->content[0] = c->y[0] * c->x[0];
  for (int i = 1; i < c->knots; i++)
    to->content[i] = to->content[i - 1] + 0.5 * (c->y[i] + c->y[i - 1]) * (c->x[i] - c->x[i - 1]);
  to->heat.knots = c->knots;
  for (int i = 0; i < c->knots; i++)
    to->heat.x[i] = to->content[i];
  table_index(&to->heat);
  return IG_OK;
}

/* To single precision; buckets are numbers of segments and stay. */
static void table_round(const heat_table_f64 *from, heat_table_f32 *to) {
  to->knots = from->knots;
  to->start = (float)from->start;
  to->per_bucket = (float)from->per_bucket;
  for (int i = 0; i < IG_HEAT_KNOTS; i++) {
    to->x[i] = (float)from->x[i];
    to->y[i] = (float)from->y[i];
    to->slope[i] = (float)from->slope[i];
  }
  memcpy(to->bucket, from->bucket, sizeof to->bucket);
}

void ig_heat_material_round(const heat_material_f64 *from, heat_material_f32 *to) {
  memset(to, 0, sizeof *to);
  table_round(&from->conductivity, &to->conductivity);
  table_round(&from->powder, &to->powder);
  table_round(&from->capacity, &to->capacity);
  table_round(&from->heat, &to->heat);
  for (int i = 0; i < IG_HEAT_KNOTS; i++)
    to->content[i] = (float)from->content[i];
  to->diffusivity = (float)from->diffusivity;
  to->solidus = (float)from->solidus;
  to->liquidus = (float)from->liquidus;
  to->powdered = (float)from->powdered;
  to->boiling = (float)from->boiling;
  to->vapour = (float)from->vapour;
  to->evaporation = (float)from->evaporation;
}

/* Absorptivity acts at nodes, in the precision of the state: single or double, never both. */
ig_status ig_heat_absorb_make(ig_ctx *cx, const ig_table *from, heat_table_f64 *wide,
                              heat_table_f32 *narrow) {
  if (from->count > IG_HEAT_KNOTS)
    return IG_FAIL(cx, IG_INPUT, "absorptivity has %d rows, at most %d are kept", from->count,
                   IG_HEAT_KNOTS);
  memset(wide, 0, sizeof *wide);
  memset(narrow, 0, sizeof *narrow);
  wide->knots = from->count;
  for (int i = 0; i < from->count; i++) {
    wide->x[i] = from->x[i];
    wide->y[i] = from->y[i];
  }
  table_index(wide);
  table_round(wide, narrow);
  return IG_OK;
}

/* Of solid and powder. */
static double conductivity_max(const heat_material_f64 *m) {
  double k = 0;
  for (int i = 0; i < m->conductivity.knots; i++)
    k = fmax(k, m->conductivity.y[i]);
  for (int i = 0; i < m->powder.knots; i++)
    k = fmax(k, m->powder.y[i]);
  return k;
}

/* At knots: between them capacity is linear. */
double ig_heat_material_capacity_min(const heat_material_f64 *m) {
  double c = m->capacity.y[0];
  for (int i = 1; i < m->capacity.knots; i++)
    c = fmin(c, m->capacity.y[i]);
  return c;
}

double ig_heat_material_diffusivity(const heat_material_f64 *m) {
  return conductivity_max(m) / ig_heat_material_capacity_min(m);
}

/* Just below or above a knot, where tables may jump. */
static double table_side(const heat_table_f64 *t, double x, int above) {
  if (t->knots == 1 || x < t->x[0])
    return t->y[0];
  double y = t->y[t->knots - 1];
  for (int i = 0; i + 1 < t->knots; i++) {
    const bool inside = above ? x >= t->x[i] && x < t->x[i + 1] : x > t->x[i] && x <= t->x[i + 1];
    if (inside)
      y = t->y[i] + t->slope[i] * (x - t->x[i]);
  }
  return !above && x <= t->x[0] ? t->y[0] : y;
}

/* A ratio of two linear functions is largest at an end: looking at all knots is enough. */
double ig_heat_material_diffusivity_at_one(const heat_material_f64 *m) {
  const heat_table_f64 *tables[] = {&m->conductivity, &m->powder, &m->capacity};
  double most = 0;
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < tables[t]->knots; i++)
      for (int above = 0; above < 2; above++) {
        const double x = tables[t]->x[i];
        const double k =
            fmax(table_side(&m->conductivity, x, above), table_side(&m->powder, x, above));
        most = fmax(most, k / table_side(&m->capacity, x, above));
      }
  return most;
}
