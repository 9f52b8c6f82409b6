/* Numbers of an LS-DYNA deck in SI units, and its curves. */
#include "deck/dyna.h"
#include "core/number.h"

#include <math.h>

/* Converted numbers are rounded to 15 digits: 7.85e-9 t/mm3 is 7850 and not 7850.000000000001. */
void ig_dyna_put(ig_dyna *k, double value, int m, int kg, int s) {
  char text[32], *end;
  if (!k->units) {
    ig_import_real(&k->b, value);
    return;
  }
  value *= pow(k->length, m) * pow(k->mass, kg) * pow(k->time, s);
  ig_format(text, sizeof text, "%.15g", value);
  ig_import_real(&k->b, ig_decimal_read(text, &end));
}

/* Points scaled and moved: SFA (a + OFFA), SFO (o + OFFO). */
void ig_dyna_curve_read(ig_dyna *k, const ig_dyna_card *c) {
  ig_deck *d = k->b.d;
  const ig_dyna_line *row = ig_dyna_data(c);
  ig_dyna_curve *curve;
  int rows = 0;
  if (!row)
    ig_dyna_fail(k, c, NULL, "expected a line with its number");
  for (const ig_dyna_line *r = (row ? row->next : NULL); r; r = r->next)
    rows++;
  k->b.status = k->b.status == IG_OK ? IG_DECK_ADD(d, &k->curve, &curve) : k->b.status;
  if (k->b.status != IG_OK)
    return;
  curve->at = c->at;
  curve->id = ig_dyna_int(k, c, row, 0);
  curve->static_only = ig_dyna_int(k, c, row, 1) == 1;
  double scale[2], offset[2];
  for (int i = 0; i < 2; i++) {
    scale[i] = ig_dyna_real(k, c, row, 2 + i, 0);
    scale[i] = scale[i] != 0 ? scale[i] : 1;
    offset[i] = ig_dyna_real(k, c, row, 4 + i, 0);
  }
  ig_dyna_empty(k, c, row, 6, 7, "only curves of general use are understood");
  double *value;
  if (k->b.status == IG_OK)
    k->b.status =
        ig_arena_take(d->cx, d->arena, (void **)&value, 2 * (size_t)rows + 1, sizeof *value);
  if (k->b.status != IG_OK)
    return;
  curve->x = value;
  curve->y = value + rows;
  for (row = row->next; row; row = row->next) {
    const int n = curve->count++;
    curve->x[n] = scale[0] * (ig_dyna_real_of(k, c, row, 0, 20, 0) + offset[0]);
    curve->y[n] = scale[1] * (ig_dyna_real_of(k, c, row, 1, 20, 0) + offset[1]);
    if (n && curve->x[n] <= curve->x[n - 1])
      ig_dyna_fail(k, c, row, "the abscissa does not grow from point %d to the next", n);
  }
  if (curve->count < 2)
    ig_dyna_fail(k, c, NULL, "curve %lld has %d points: expected at least 2", (long long)curve->id,
                 curve->count);
}

const ig_dyna_curve *ig_dyna_curve_find(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                                        int64_t id) {
  const ig_dyna_curve *curve = k->curve;
  while (curve && curve->id != id)
    curve = curve->next;
  if (!curve)
    ig_dyna_fail(k, c, row, "there is no *DEFINE_CURVE %lld", (long long)id);
  return curve;
}

/* Beyond its ends a curve is not what every version of LS-DYNA takes it for: it must cover the
   run, or end in zeros. */
void ig_dyna_history(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                     const ig_dyna_curve *curve) {
  if (!curve || k->b.status != IG_OK)
    return;
  const int n = curve->count;
  if (curve->static_only)
    ig_dyna_fail(k, c, row, "curve %lld is of dynamic relaxation only", (long long)curve->id);
  if (curve->x[0] > 0 && (curve->y[0] != 0 || curve->y[1] != 0))
    ig_dyna_fail(k, c, row, "curve %lld begins at %g: give it a point at time 0",
                 (long long)curve->id, curve->x[0]);
  if (curve->x[n - 1] < k->end * (1 - 1e-9) && (curve->y[n - 1] != 0 || curve->y[n - 2] != 0))
    ig_dyna_fail(k, c, row, "curve %lld ends at %g, before the run at %g: give it a later point",
                 (long long)curve->id, curve->x[n - 1], k->end);
  ig_import_put(&k->b, ", history: [");
  for (int i = 0; i < n; i++) {
    ig_import_put(&k->b, i ? ", [" : "[");
    ig_dyna_put(k, curve->x[i], 0, 0, 1);
    ig_import_put(&k->b, ", ");
    ig_import_real(&k->b, curve->y[i]);
    ig_import_put(&k->b, "]");
  }
  ig_import_put(&k->b, "]");
}
