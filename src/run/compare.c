/* Comparison of two results: figures of summary.json, columns of history.csv, fields of snapshots;
   recursively for the stages of a chain. Each comparison is a row passed to the caller.

   A difference is accepted if |a - b| <= absolute + relative x scale, where scale is the largest
   magnitude of the whole column or field. A relative measure per value would report the rounding of
   values near zero. Fields are compared by number (same mesh) or by position (other numbering or
   mesh). */
#include <ingot/result.h>
#include "core/number.h"
#include "core/option.h"
#include "core/output.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "io/format/case_yaml.h"
#include "io/format/csv.h"
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NAME: bytes of a row's name. DEEPEST: nesting of chains that is followed. */
enum { NAME = 200, DEEPEST = 4 };

/* One comparison; passed by value for a nested stage, with a longer prefix. */
typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  const ig_compare_options *o;
  ig_compared_fn *row;
  void *user;
  char prefix[96]; /* "warp/" in a stage of a chain */
} compare;

/* --- rows */

/* Parses "NAME=REL" or "NAME=REL,ABS". The last '=' separates, because a pattern may contain one.
   false: malformed. */
static bool tolerance_read(const char *text, size_t *name, double *relative, double *absolute) {
  const char *equals = strrchr(text, '=');
  char *end;
  if (!equals || equals == text)
    return false;
  *name = (size_t)(equals - text);
  *relative = ig_decimal_read(equals + 1, &end);
  *absolute = 0;
  bool good = end != equals + 1 && *relative >= 0;
  if (good && *end == ',') {
    const char *from = end + 1;
    *absolute = ig_decimal_read(from, &end);
    good = end != from && *absolute >= 0;
  }
  return good && !*end;
}

/* The last matching pattern is used, so that general patterns may come first. A pattern matches the
   full name or the part behind the last slash (the name within a stage). */
static double allowed_for(const compare *c, const char *name, double scale) {
  double relative = c->o->relative, absolute = c->o->absolute;
  const char *slash = strrchr(name, '/');
  for (int i = 0; i < c->o->tolerances; i++) {
    size_t length;
    double r, a;
    char pattern[NAME];
    if (!tolerance_read(c->o->tolerance[i], &length, &r, &a))
      continue; /* refused before */
    snprintf(pattern, sizeof pattern, "%.*s", (int)length, c->o->tolerance[i]);
    if (fnmatch(pattern, name, 0) == 0 || (slash && fnmatch(pattern, slash + 1, 0) == 0)) {
      relative = r;
      absolute = a;
    }
  }
  return absolute + (isfinite(scale) ? relative * scale : 0);
}

/* a - b|, but 0 if both are the same infinity or both NaN, and infinity if only one is. */
static double distance_of(double a, double b) {
  if (a == b || (isnan(a) && isnan(b)))
    return 0;
  const double d = fabs(a - b);
  return isnan(d) ? INFINITY : d;
}

/* Completes a row and sends it. A NaN difference (texts differ, value missing) is never the
   same. */
static void row_send(const compare *c, ig_compared *r, const char *name) {
  char whole[NAME];
  snprintf(whole, sizeof whole, "%s%.100s", c->prefix, name);
  r->name = whole;
  r->unit = r->unit ? r->unit : "";
  r->allowed = allowed_for(c, whole, r->scale);
  r->same = !isnan(r->difference) && r->difference <= r->allowed;
  c->row(c->user, r);
}

/* Two single numbers: the scale is the larger of them. */
static void numbers_compare(const compare *c, const char *part, const char *name, const char *unit,
                            double a, double b) {
  ig_compared r = {.part = part,
                   .unit = unit,
                   .value = {a, b},
                   .difference = distance_of(a, b),
                   .scale = fmax(fabs(a), fabs(b)),
                   .item = -1,
                   .place = {NAN, NAN, NAN}};
  row_send(c, &r, name);
}

/* Two texts; NULL: one of the results does not have it. */
static void texts_compare(const compare *c, const char *part, const char *name, const char *a,
                          const char *b) {
  ig_compared r = {.part = part,
                   .text = {a ? a : "missing", b ? b : "missing"},
                   .value = {NAN, NAN},
                   .difference = a && b && strcmp(a, b) == 0 ? 0 : (double)NAN,
                   .item = -1,
                   .place = {NAN, NAN, NAN}};
  row_send(c, &r, name);
}

/* Largest difference over many pairs, with its place, and the largest magnitude (scale). */
typedef struct {
  double difference, scale, value[2];
  int64_t item;
  int component;
} largest;

/* Values that are not finite do not contribute to the scale. The first pair is stored even if
   equal, so that the row shows values. */
static void pair_add(largest *l, double a, double b, int64_t item, int component) {
  const double d = distance_of(a, b);
  if (isfinite(a))
    l->scale = fmax(l->scale, fabs(a));
  if (isfinite(b))
    l->scale = fmax(l->scale, fabs(b));
  if (l->item >= 0 && !(d > l->difference))
    return;
  *l = (largest){d, l->scale, {a, b}, item, component};
}

/* --- figures */

/* A scalar of summary.json as a number; null stands for NaN, which JSON cannot express. */
static bool number_of(const ig_node *node, double *value) {
  char *end;
  if (node->kind != IG_NODE_SCALAR || node->quoted)
    return false;
  if (strcmp(node->text, "null") == 0) {
    *value = NAN;
    return true;
  }
  *value = ig_decimal_read(node->text, &end);
  return end != node->text && !*end;
}

/* Keys that depend on the clock or on how the run was started are not compared. */
static bool of_clock(const char *key) {
  return strncmp(key, "seconds", 7) == 0 || strcmp(key, "up_to_date") == 0;
}

/* As numbers if both are, otherwise as texts; maps and lists are skipped. */
static void node_compare(const compare *c, const char *key, const char *unit, const ig_node *a,
                         const ig_node *b) {
  double x, y;
  if (a && b && number_of(a, &x) && number_of(b, &y))
    numbers_compare(c, "figure", key, unit, x, y);
  else if ((!a || a->kind == IG_NODE_SCALAR) && (!b || b->kind == IG_NODE_SCALAR))
    texts_compare(c, "figure", key, a ? a->text : NULL, b ? b->text : NULL);
}

/* Scalars of two maps: those of the first in its order, then those that only the second has. */
static void maps_compare(const compare *c, const ig_node *a, const ig_node *b,
                         const ig_node *units) {
  for (const ig_node *one = a ? a->child : NULL; one; one = one->next)
    if (!of_clock(one->key)) {
      const ig_node *unit = units ? ig_node_find(units, one->key) : NULL;
      node_compare(c, one->key, unit ? unit->text : "", one, b ? ig_node_find(b, one->key) : NULL);
    }
  for (const ig_node *one = b ? b->child : NULL; one; one = one->next)
    if (!of_clock(one->key) && !(a && ig_node_find(a, one->key)))
      node_compare(c, one->key, "", NULL, one);
}

/* Top-level keys that belong to the result; others (device, seconds, version) may differ. */
static void summaries_compare(const compare *c, const ig_node *a, const ig_node *b) {
  static const char *const keys[] = {"physics", "status", "elements", "nodes",
                                     "dofs",    "steps",  "snapshots"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const ig_node *one = ig_node_find(a, keys[i]), *other = ig_node_find(b, keys[i]);
    if (one || other)
      node_compare(c, keys[i], "", one, other);
  }
  static const char *const maps[] = {"result", "report"};
  for (int i = 0; i < 2; i++)
    maps_compare(c, ig_node_find(a, maps[i]), ig_node_find(b, maps[i]), ig_node_find(a, "units"));
}

/* --- history.csv: a line of headings, then numbers; a missing file is an empty table */

/* A folder without a history gives an empty table. */
static ig_status table_read(ig_ctx *cx, const char *folder, ig_csv_table *t) {
  size_t size;
  char *text = NULL, *path = ig_path_join(folder, IG_HISTORY);
  ig_status status = path ? IG_OK : IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  *t = (ig_csv_table){0};
  if (status == IG_OK && access(path, F_OK) == 0)
    status = ig_file_read(cx, path, 0, &text, &size);
  if (status == IG_OK && text)
    status = ig_csv_table_parse(cx, text, t);
  /* Rows that cannot be read are detected by counting lines: a damaged file must not pass as a
     shorter one. */
  int64_t lines = 0;
  for (const char *c = text; c && *c; c++)
    lines += *c == '\n' || c[1] == '\0';
  if (status == IG_OK && lines > 0 && t->rows != lines - 1)
    status = IG_FAIL(cx, IG_INPUT, "'%s' is damaged: %lld of its %lld rows can be read", path,
                     (long long)t->rows, (long long)lines - 1);
  free(text);
  free(path);
  return status;
}

/* Columns are matched by heading; differing numbers of rows give a row of their own, and the common
   rows are compared. Columns are matched by name; one that the other lacks is a difference. */
static void tables_compare(const compare *c, const ig_csv_table *a, const ig_csv_table *b) {
  char name[NAME], unit[IG_CSV_UNIT];
  if (a->columns == 0 && b->columns == 0)
    return;
  numbers_compare(c, "history", "rows", "", (double)a->rows, (double)b->rows);
  for (int i = 0; i < a->columns; i++) {
    int k = 0;
    while (k < b->columns && strcmp(a->name[i], b->name[k]) != 0)
      k++;
    snprintf(name, NAME, "%.*s", (int)fmin((double)ig_csv_name(a->name[i], unit), NAME - 1),
             a->name[i]);
    if (k == b->columns) {
      texts_compare(c, "history", a->name[i], "", NULL);
      continue;
    }
    largest l = {.item = -1};
    for (int64_t r = 0; r < a->rows && r < b->rows; r++)
      pair_add(&l, a->value[r * a->columns + i], b->value[r * b->columns + k], r, 0);
    ig_compared row = {.part = "history",
                       .unit = unit,
                       .value = {l.value[0], l.value[1]},
                       .difference = l.difference,
                       .scale = l.scale,
                       .item = l.item,
                       .place = {NAN, NAN, NAN}};
    row_send(c, &row, name);
  }
  for (int k = 0; k < b->columns; k++) {
    int i = 0;
    while (i < a->columns && strcmp(a->name[i], b->name[k]) != 0)
      i++;
    if (i == a->columns)
      texts_compare(c, "history", b->name[k], NULL, "");
  }
}

/* Both tables are freed here; the other one is empty if the first cannot be read. */
static ig_status histories_compare(const compare *c, const char *a, const char *b) {
  ig_csv_table one, other = {0};
  ig_status status = table_read(c->cx, a, &one);
  if (status == IG_OK)
    status = table_read(c->cx, b, &other);
  if (status == IG_OK)
    tables_compare(c, &one, &other);
  ig_csv_table_free(&one);
  ig_csv_table_free(&other);
  return status;
}

/* --- matching by position: nodes, or centres of cells, of one snapshot in the other */

/* Spatial hash of the points of the second snapshot. Cells have the edge 2 x near, so all partners
   of a point are in its own cell or one of the 26 around it. head: by hash value; next: chain
   within a hash value. */
typedef struct {
  double low[3], edge;
  uint64_t mask;
  int64_t *head, *next; /* items of the second by the hash of their cell; -1: none */
} bins;

/* FNV-1a offset and the golden-ratio multiplier of Knuth: any mixing would do, collisions only cost
   time. */
static uint64_t bin_of(const bins *g, const double x[3], const int shift[3]) {
  uint64_t h = 1469598103934665603u;
  for (int d = 0; d < 3; d++) {
    const int64_t i = (int64_t)floor((x[d] - g->low[d]) / g->edge) + shift[d];
    h = (h ^ (uint64_t)i) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h & g->mask;
}

/* of[i]: nearest point of the second snapshot within `near` of point i that is not yet taken; -1:
   none. Points at the same place (both sides of a crack) are assigned in their order. */
static ig_status places_match(ig_ctx *cx, int64_t na, const double *xa, int64_t nb,
                              const double *xb, double near, int64_t *of) {
  bins g = {.edge = 2 * near};
  uint8_t *taken = NULL;
  uint64_t size = 1;
  ig_status status;
  while (size < (uint64_t)nb + 1)
    size *= 2;
  g.mask = size - 1;
  for (int d = 0; d < 3; d++)
    g.low[d] = nb ? xb[d] : 0;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &g.head, size, "places"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &g.next, nb + 1, "places"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &taken, nb + 1, "places"));
  for (uint64_t i = 0; i < size; i++)
    g.head[i] = -1;
  for (int64_t i = nb - 1; i >= 0; i--) { /* the first of a bin is the lowest */
    const uint64_t at = bin_of(&g, &xb[3 * i], (int[3]){0});
    g.next[i] = g.head[at];
    g.head[at] = i;
  }
  for (int64_t i = 0; i < na; i++) {
    double best = near * near;
    of[i] = -1;
    for (int s = 0; s < 27; s++)
      for (int64_t k =
               g.head[bin_of(&g, &xa[3 * i], (int[3]){s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1})];
           k >= 0; k = g.next[k]) {
        double d2 = 0;
        for (int d = 0; d < 3; d++)
          d2 += (xa[3 * i + d] - xb[3 * k + d]) * (xa[3 * i + d] - xb[3 * k + d]);
        /* A point may be met twice (two shifts with the same hash); equal distances take the lowest
           number, so the result does not depend on the hash. */
        if (taken[k] || d2 > best || (d2 == best && of[i] >= 0 && k >= of[i]))
          continue;
        best = d2;
        of[i] = k;
      }
    if (of[i] >= 0)
      taken[of[i]] = 1;
  }
done:
  free(g.head);
  free(g.next);
  free(taken);
  return status;
}

/* Longest side of the bounding box, m; the default search radius is 1e-6 of it. */
static double size_of(const ig_snapshot *s) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t i = 0; i < s->points; i++)
    for (int d = 0; d < 3; d++) {
      low[d] = fmin(low[d], s->point[3 * i + d]);
      high[d] = fmax(high[d], s->point[3 * i + d]);
    }
  return s->points ? fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) : 0;
}

/* --- snapshots */

/* The two snapshots in comparison. */
typedef struct {
  const ig_snapshot *snap[2];
  int64_t *of[2]; /* of points, of cells: the partner in the second; NULL: the same number */
  char prefix[32];
} both;

/* Components of symmetric tensors are ordered as VTK does: xx, yy, zz, xy, yz, zx. */
static void component_name(const ig_field *f, int component, char name[NAME]) {
  static const char *const vector[] = {"_x", "_y", "_z"}, *const tensor[] = {"_xx", "_yy", "_zz",
                                                                             "_xy", "_yz", "_zx"};
  char number[16];
  snprintf(number, sizeof number, "_%d", component + 1);
  snprintf(name, NAME, "%s%s", f->name,
           f->components == 1   ? ""
           : f->components == 3 ? vector[component]
           : f->components == 6 ? tensor[component]
                                : number);
}

/* By name and place; NULL: the other snapshot has none. */
static const ig_field *field_find(const ig_snapshot *s, const ig_field *like) {
  for (int i = 0; i < s->fields; i++)
    if (s->field[i].where == like->where && strcmp(s->field[i].name, like->name) == 0)
      return &s->field[i];
  return NULL;
}

static bool is_set(const ig_field *f) {
  return strchr(f->name, ':') != NULL; /* "nodes:zmin": sets of the mesh are stored as fields */
}

/* Largest difference of one field over all points or cells that have a partner, with the place
   where it occurs. The largest difference over all items, with the item and its place. */
static void field_compare(const compare *c, const both *s, const ig_field *f, const ig_field *g) {
  const bool points = f->where == IG_AT_POINTS;
  const int64_t *of = s->of[points ? 0 : 1];
  const int64_t count = points ? s->snap[0]->points : s->snap[0]->cells;
  const int n = f->components;
  largest l = {.item = -1};
  char name[NAME], whole[NAME + 40];
  for (int64_t i = 0; i < count; i++) {
    const int64_t k = of ? of[i] : i;
    for (int d = 0; d < n && k >= 0; d++)
      pair_add(&l, ig_field_number(f, i * n + d), ig_field_number(g, k * n + d), i, d);
  }
  ig_compared row = {.part = "snapshot",
                     .unit = f->unit,
                     .value = {l.value[0], l.value[1]},
                     .difference = l.difference,
                     .scale = l.scale,
                     .item = l.item,
                     .place = {NAN, NAN, NAN}};
  component_name(f, l.component, name);
  snprintf(whole, sizeof whole, "%s%s", s->prefix, name);
  if (l.item >= 0 && points)
    memcpy(row.place, &s->snap[0]->point[3 * l.item], sizeof row.place);
  else if (l.item >= 0)
    ig_snapshot_centre(s->snap[0], l.item, row.place);
  row_send(c, &row, whole);
}

/* Fields of one location: common ones are compared, missing ones reported. Sets of the mesh, stored
   as fields, are skipped. */
static void fields_compare(const compare *c, const both *s, bool points, bool comparable) {
  const ig_snapshot *a = s->snap[0], *b = s->snap[1];
  const ig_location where = points ? IG_AT_POINTS : IG_AT_CELLS;
  char whole[NAME];
  for (int i = 0; i < a->fields; i++) {
    const ig_field *f = &a->field[i], *g = field_find(b, f);
    if (f->where != where || is_set(f))
      continue;
    snprintf(whole, sizeof whole, "%s%s", s->prefix, f->name);
    if (!g || g->components != f->components)
      texts_compare(c, "snapshot", whole, "", g ? "other components" : NULL);
    else if (comparable)
      field_compare(c, s, f, g);
  }
  for (int i = 0; i < b->fields; i++) {
    const ig_field *g = &b->field[i];
    snprintf(whole, sizeof whole, "%s%s", s->prefix, g->name);
    if (g->where == where && !is_set(g) && !field_find(a, g))
      texts_compare(c, "snapshot", whole, NULL, "");
  }
}

/* Finds partners of all points or cells by position; a row reports how many have none. For each
   point or cell of the first its partner in the second within the distance, m; those without one
   are counted and reported. */
static ig_status partners_find(const compare *c, both *s, bool points) {
  const ig_snapshot *a = s->snap[0], *b = s->snap[1];
  const int64_t na = points ? a->points : a->cells, nb = points ? b->points : b->cells;
  const double near = c->o->distance > 0 ? c->o->distance : fmax(1e-6 * size_of(a), 1e-300);
  double *xa = NULL, *xb = NULL;
  int64_t **of = &s->of[points ? 0 : 1], found = 0;
  char name[64];
  ig_status status = IG_NEW(c->cx, of, na + 1, "places");
  if (status == IG_OK && !points)
    status = ig_snapshot_centres(c->cx, a, &xa);
  if (status == IG_OK && !points)
    status = ig_snapshot_centres(c->cx, b, &xb);
  if (status == IG_OK)
    status = places_match(c->cx, na, points ? a->point : xa, nb, points ? b->point : xb, near, *of);
  for (int64_t i = 0; status == IG_OK && i < na; i++)
    found += (*of)[i] >= 0;
  free(xa);
  free(xb);
  IG_TRY(status);
  snprintf(name, sizeof name, "%s%s without partner", s->prefix, points ? "points" : "cells");
  ig_compared row = {.part = "snapshot",
                     .value = {(double)(na - found), (double)(nb - found)},
                     .difference = (double)(na > nb ? na - found : nb - found),
                     .item = -1,
                     .place = {NAN, NAN, NAN}};
  row_send(c, &row, name);
  return IG_OK;
}

/* Compares numbering: same counts, same connectivity, coordinates within tolerance. false:
   fields cannot be compared by number. false: the meshes are so different that fields cannot be
   compared. */
static bool mesh_compare(const compare *c, const both *s, bool points) {
  const ig_snapshot *a = s->snap[0], *b = s->snap[1];
  char name[64];
  largest l = {.item = -1};
  snprintf(name, sizeof name, "%s%s", s->prefix, points ? "points" : "cells");
  if (points ? a->points != b->points : a->cells != b->cells) {
    numbers_compare(c, "snapshot", name, "", (double)(points ? a->points : a->cells),
                    (double)(points ? b->points : b->cells));
    return false;
  }
  if (!points) {
    bool same = a->corners == b->corners;
    for (int64_t i = 0; same && i < a->corners; i++)
      same = a->corner[i] == b->corner[i];
    if (!same) {
      snprintf(name, sizeof name, "%snodes of cells", s->prefix);
      texts_compare(c, "snapshot", name, "", "other numbers");
    }
    return same;
  }
  for (int64_t i = 0; i < 3 * a->points; i++)
    pair_add(&l, a->point[i], b->point[i], i / 3, 0);
  ig_compared row = {.part = "snapshot",
                     .unit = "m",
                     .value = {l.value[0], l.value[1]},
                     .difference = l.difference,
                     .scale = l.scale,
                     .item = l.item,
                     .place = {NAN, NAN, NAN}};
  if (l.item >= 0)
    memcpy(row.place, &a->point[3 * l.item], sizeof row.place);
  snprintf(name, sizeof name, "%scoordinates", s->prefix);
  row_send(c, &row, name);
  return true;
}

/* `prefix`: "3: " for snapshot 3, empty for the last. */
static ig_status snapshots_compare(const compare *c, const char *a, const char *b,
                                   const char *prefix) {
  ig_snapshot *one = NULL, *other = NULL;
  both s = {.of = {0}};
  ig_status status;
  char name[64];
  snprintf(s.prefix, sizeof s.prefix, "%.30s", prefix);
  IG_TRY_GOTO(status, done, ig_snapshot_read(c->cx, a, &one));
  IG_TRY_GOTO(status, done, ig_snapshot_read(c->cx, b, &other));
  s.snap[0] = one;
  s.snap[1] = other;
  snprintf(name, sizeof name, "%stime", s.prefix);
  numbers_compare(c, "snapshot", name, one->iterations ? "" : "s", one->time, other->time);
  for (int cells = 0; cells < 2; cells++) {
    bool comparable = true;
    if (c->o->by_position)
      IG_TRY_GOTO(status, done, partners_find(c, &s, !cells));
    else
      comparable = mesh_compare(c, &s, !cells);
    fields_compare(c, &s, !cells, comparable);
  }
done:
  free(s.of[0]);
  free(s.of[1]);
  ig_snapshot_free(one);
  ig_snapshot_free(other);
  return status;
}

/* --- folders */

/* NULL: there is no such snapshot; free it. */
static char *snapshot_path(const char *folder, int64_t index) {
  char name[IG_FILE_NAME];
  ig_snapshot_name(index, name);
  char *path = ig_path_join(folder, name);
  if (path && access(path, R_OK) != 0) {
    free(path);
    return NULL;
  }
  return path;
}

/* 0 where the summary does not say. */
static int64_t snapshots_in(const ig_node *summary) {
  double count = 0;
  const ig_node *node = ig_node_find(summary, "snapshots");
  return node && number_of(node, &count) ? (int64_t)count : 0;
}

/* The last snapshots, or pairs with equal numbers; the difference in count is a row of the
   summary. */
static ig_status all_snapshots_compare(const compare *c, const char *a, const char *b, int64_t na,
                                       int64_t nb) {
  const bool last = c->o->snapshots == IG_COMPARE_LAST;
  const int64_t count = last ? 1 : na < nb ? na : nb;
  ig_status status = IG_OK;
  for (int64_t i = 0; status == IG_OK && i < count && na > 0 && nb > 0; i++) {
    char *one = snapshot_path(a, last ? na - 1 : i), *other = snapshot_path(b, last ? nb - 1 : i);
    char prefix[32] = "";
    if (!last)
      snprintf(prefix, sizeof prefix, "%lld: ", (long long)i);
    if (one && other)
      status = snapshots_compare(c, one, other, prefix);
    else if (one || other)
      texts_compare(c, "snapshot", *prefix ? prefix : "last", one ? "" : NULL, other ? "" : NULL);
    free(one);
    free(other);
  }
  return status;
}

/* A folder without summary.json is no result: the run has not ended, or it is another folder. */
static ig_status summary_open(const compare *c, const char *folder, ig_node **root) {
  char *path = ig_path_join(folder, IG_SUMMARY);
  if (!path)
    return IG_FAIL(c->cx, IG_MEMORY, "no memory for a path");
  ig_status status = access(path, R_OK) == 0
                         ? ig_yaml_open(c->cx, c->arena, path, root)
                         : IG_FAIL(c->cx, IG_INPUT,
                                   "'%s' holds no " IG_SUMMARY
                                   ": expected the output folder of a run that has ended",
                                   folder);
  free(path);
  return status;
}

static ig_status folders_compare(const compare *c, const char *a, const char *b, int depth);

/* Stages of a chain: each has a folder of its name. A name with a slash is not followed, so that a
   damaged summary cannot lead out of the folder. */
static ig_status stages_compare(const compare *c, const ig_node *one, const ig_node *other,
                                const char *a, const char *b, int depth) {
  for (const ig_node *stage = one->child; stage; stage = stage->next) {
    if (!other || !ig_node_find(other, stage->key) || strchr(stage->key, '/')) {
      texts_compare(c, "figure", stage->key, "", NULL);
      continue;
    }
    compare inner = *c;
    snprintf(inner.prefix, sizeof inner.prefix, "%.40s%.40s/", c->prefix, stage->key);
    char *from = ig_path_join(a, stage->key), *to = ig_path_join(b, stage->key);
    const ig_status status = from && to ? folders_compare(&inner, from, to, depth + 1)
                                        : IG_FAIL(c->cx, IG_MEMORY, "no memory for a path");
    free(from);
    free(to);
    IG_TRY(status);
  }
  for (const ig_node *stage = other ? other->child : NULL; stage; stage = stage->next)
    if (!ig_node_find(one, stage->key))
      texts_compare(c, "figure", stage->key, NULL, "");
  return IG_OK;
}

/* A chain has stages and no history or snapshots of its own. */
static ig_status folders_compare(const compare *c, const char *a, const char *b, int depth) {
  ig_node *one, *other;
  IG_TRY(summary_open(c, a, &one));
  IG_TRY(summary_open(c, b, &other));
  summaries_compare(c, one, other);
  const ig_node *stages = ig_node_find(one, "stages");
  if (stages && stages->kind == IG_NODE_MAP && depth < DEEPEST)
    return stages_compare(c, stages, ig_node_find(other, "stages"), a, b, depth);
  IG_TRY(histories_compare(c, a, b));
  return c->o->snapshots == IG_COMPARE_NONE
             ? IG_OK
             : all_snapshots_compare(c, a, b, snapshots_in(one), snapshots_in(other));
}

static bool is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Two folders, two summaries or two snapshots; anything else is refused. */
static ig_status paths_compare(const compare *c, const char *a, const char *b) {
  if (is_folder(a) && is_folder(b))
    return folders_compare(c, a, b, 0);
  if (ig_path_ends(a, ".json") && ig_path_ends(b, ".json")) {
    ig_node *one, *other;
    IG_TRY(ig_yaml_open(c->cx, c->arena, a, &one));
    IG_TRY(ig_yaml_open(c->cx, c->arena, b, &other));
    summaries_compare(c, one, other);
    return IG_OK;
  }
  if ((ig_path_ends(a, ".vtkhdf") || ig_path_ends(a, ".hdf")) &&
      (ig_path_ends(b, ".vtkhdf") || ig_path_ends(b, ".hdf")))
    return snapshots_compare(c, a, b, "");
  for (int i = 0; i < 2; i++) /* one that is not there is the likelier reason */
    if (access(i ? b : a, R_OK) != 0)
      return IG_FAIL(c->cx, IG_INPUT, "cannot read '%s'", i ? b : a);
  return IG_FAIL(c->cx, IG_INPUT,
                 "'%s' and '%s' cannot be compared: expected two output folders, two files "
                 "summary.json, or two snapshots (.vtkhdf)",
                 a, b);
}

/* Tolerances are parsed once before, so that a malformed one is refused even if no name matches
   it. */
ig_status ig_result_compare(ig_ctx *cx, const char *a, const char *b,
                            const ig_compare_options *options, ig_compared_fn *row, void *user) {
  static const ig_compare_options none;
  if (!cx || !a || !b || !row)
    return IG_ARG;
  compare c = {.cx = cx, .o = options ? options : &none, .row = row, .user = user};
  for (int i = 0; i < c.o->tolerances; i++) {
    size_t length;
    double r, abs;
    if (!tolerance_read(c.o->tolerance[i], &length, &r, &abs))
      return IG_FAIL(cx, IG_INPUT,
                     "tolerance '%.60s': expected NAME=RELATIVE or "
                     "NAME=RELATIVE,ABSOLUTE, as in u_max=1e-6",
                     c.o->tolerance[i]);
  }
  if (!(c.o->relative >= 0) || !(c.o->absolute >= 0) || !(c.o->distance >= 0))
    return IG_FAIL(cx, IG_INPUT, "tolerances and distances must not be negative");
  IG_TRY(ig_arena_new(cx, &c.arena));
  const ig_status status = paths_compare(&c, a, b);
  ig_arena_free(c.arena);
  return status;
}
#else
ig_status ig_result_compare(ig_ctx *cx, const char *a, const char *b,
                            const ig_compare_options *options, ig_compared_fn *row, void *user) {
  (void)a, (void)b, (void)options, (void)row, (void)user;
  return IG_FAIL(cx, IG_UNSUPPORTED, "this build reads no files: configure with -DINGOT_IO=ON");
}
#endif
