/* Fields of a snapshot as one number per point or cell: components, magnitudes, defaults. */
#include "io/picture/picture.h"
#include "core/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ig_field *ig_vector_find(const ig_snapshot *snap, const char *name) {
  for (const ig_field *f = snap->field; f < snap->field + snap->fields; f++)
    if (f->where == IG_AT_POINTS && f->components == 3 && strcmp(f->name, name) == 0)
      return f;
  return NULL;
}

/* Magnitude: Euclidean norm of vectors, Frobenius norm of symmetric tensors (off-diagonal entries
   count twice). */
double ig_scalar_value(const ig_scalar *s, int64_t i) {
  const int n = s->field->components;
  if (s->component >= 0)
    return ig_field_number(s->field, i * n + s->component);
  if (n == 1)
    return ig_field_number(s->field, i);
  double sum = 0;
  for (int c = 0; c < n; c++) {
    const double v = ig_field_number(s->field, i * n + c);
    sum += (n == 6 && c > 2 ? 2 : 1) * v * v; /* off-diagonals count twice */
  }
  return sqrt(sum);
}

/* For error messages. */
static void field_names(const ig_snapshot *snap, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < snap->fields && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", snap->field[i].name);
}

/* Components by letter (x, xy) or number (from 0). "NAME", "NAME.x" or "NAME.xy"; components
   may be given by number too. The component is -1 where none is named. */
ig_status ig_scalar_find(const ig_snapshot *snap, const char *path, const char *name,
                         ig_scalar *s) {
  static const char *const vector[] = {"x", "y", "z"};
  static const char *const tensor[] = {"xx", "yy", "zz", "xy", "yz", "zx"};
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    const size_t length = strlen(f->name);
    if (strncmp(f->name, name, length) != 0 || (name[length] && name[length] != '.'))
      continue;
    s->field = f;
    s->component = -1;
    /* Components by letter, or by number from 0. */
    for (int c = 0; name[length] && c < f->components; c++) {
      char number[16];
      snprintf(number, sizeof number, "%d", c);
      const char *letter = f->components == 6 ? tensor[c] : c < 3 ? vector[c] : number;
      if (strcmp(name + length + 1, letter) == 0 || strcmp(name + length + 1, number) == 0)
        s->component = c;
    }
    if (name[length] && s->component < 0)
      return IG_FAIL(snap->cx, IG_INPUT, "%s: field '%s' has no component '%s' (it has %d)", path,
                     f->name, name + length + 1, f->components);
    snprintf(s->label, sizeof s->label, "%s", name);
    return IG_OK;
  }
  char names[1024];
  field_names(snap, names, sizeof names);
  return IG_FAIL(snap->cx, IG_INPUT, "%s: no field '%s': it has %s", path, name,
                 names[0] ? names : "none");
}

/* Whether a field differs between the kept cells by more than rounding; a constant field shows
   nothing. */
static bool varies(const ig_snapshot *snap, const ig_field *f, const uint8_t *keep) {
  const int64_t count = f->components * (f->where == IG_AT_CELLS ? snap->cells : snap->points);
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < count; i++) {
    if (keep && f->where == IG_AT_CELLS && !keep[i / f->components])
      continue;
    const double v = ig_field_number(f, i);
    low = isfinite(v) ? fmin(low, v) : low;
    high = isfinite(v) ? fmax(high, v) : high;
  }
  return ig_range_spans(low, high);
}

/* Points between two corners of a quadratic cell get the mean of both. */
static void mids_fill(const ig_snapshot *snap, float *value) {
  static const struct {
    uint8_t vtk, corners, mids, side[6][2];
  } kind[] = {{22, 3, 3, {{0, 1}, {1, 2}, {2, 0}}},
              {24, 4, 6, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}}};
  for (int64_t c = 0; c < snap->cells; c++)
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
      if (snap->type[c] == kind[k].vtk) {
        const int64_t *node = &snap->corner[snap->offset[c]];
        for (int i = 0; i < kind[k].mids; i++)
          value[node[kind[k].corners + i]] =
              0.5F * (value[node[kind[k].side[i][0]]] + value[node[kind[k].side[i][1]]]);
      }
}

/* Crack faces are faces of the bulk, whose nodes the cohesive elements between them share. */
ig_status ig_opening_add(ig_snapshot *snap) {
  const ig_field *block = ig_snapshot_find(snap, IG_AT_CELLS, "block");
  const ig_field *opening = NULL;
  float *count = NULL, *value = NULL;
  bool open = false;
  for (int i = 0; i < snap->fields; i++)
    if (strcmp(snap->field[i].name, "opening") == 0 && snap->field[i].where == IG_AT_CELLS &&
        snap->field[i].components == 2)
      opening = &snap->field[i];
  for (int64_t c = 0; block && opening && c < snap->cells && !open; c++)
    open = ig_field_number(block, c) > 0 && ig_field_number(opening, 2 * c) > 0;
  if (!open)
    return IG_OK;
  ig_status status = IG_NEW(snap->cx, &count, snap->points + 1, "openings");
  if (status == IG_OK)
    status = IG_NEW(snap->cx, &value, snap->points + 1, "openings");
  for (int64_t c = 0; status == IG_OK && c < snap->cells; c++)
    for (int64_t i = snap->offset[c]; ig_field_number(block, c) > 0 && i < snap->offset[c + 1];
         i++) {
      value[snap->corner[i]] +=
          (float)hypot(ig_field_number(opening, 2 * c), ig_field_number(opening, 2 * c + 1));
      count[snap->corner[i]]++;
    }
  for (int64_t i = 0; status == IG_OK && i < snap->points; i++)
    value[i] = count[i] > 0 ? value[i] / count[i] : 0;
  if (status == IG_OK) {
    mids_fill(snap, value);
    status = ig_snapshot_add(snap, "crack_opening", "m", IG_AT_POINTS, IG_F32, 1, value,
                             &(void *){NULL});
  }
  free(count);
  free(value);
  return status;
}

/* Whether metal has flowed so much that its shape shows it: then what is left of the stress says
   less than the strain. */
static bool flowed(const ig_snapshot *snap) {
  const ig_field *f = ig_snapshot_find(snap, IG_AT_CELLS, "plastic_strain");
  for (int64_t c = 0; f && c < snap->cells; c++)
    if (ig_field_number(f, c) > 0.2)
      return true;
  return false;
}

/* In the order of what users look for first, by room. */
const char *ig_field_usual(const ig_snapshot *snap, const uint8_t *keep) {
  static const char *const wanted[] = {"density",     "T",
                                       "temperature", "crack_opening",
                                       "damage",      "nodal_von_mises",
                                       "von_mises",   "principal_stress",
                                       "tag"};
  const char *still = NULL;
  if (flowed(snap))
    return "plastic_strain";
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
    for (int i = 0; i < snap->fields; i++)
      if (strcmp(snap->field[i].name, wanted[k]) == 0) {
        if (varies(snap, &snap->field[i], keep))
          return wanted[k];
        still = still ? still : wanted[k];
      }
  if (still)
    return still;
  return snap->fields ? snap->field[0].name : "none";
}
