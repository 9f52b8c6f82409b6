/* Files of events in ExaCA's formats: where and when cells melt, when they fall through the
   liquidus, how fast they cool. The grid is made of what is read.

     text    a line of column names, then a line per event: x, y, z [m], tm, ts or tl [s], cr or
             r [K/s]; in any order and case of letters, other columns are skipped
     binary  a name that contains ".catemp": six little-endian doubles per event, no head */
#include "grains/grains.h"
#include "core/number.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "io/format/atomic_file.h"
#endif

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, Z, MELT, LIQUIDUS, COOLING, COLUMNS };
typedef struct {
  double value[COLUMNS];
} row;

/* What is read, in the order of the files, and what the box cuts off on each side. */
typedef struct {
  ig_grains_run *r;
  row *row;
  size_t rows;
  bool cut[2][3]; /* below, above */
  ig_src at;      /* of the row in work */
} reader;

/* Solid around what melts, so that it has neighbours; not where the box cuts events off. */
enum { MARGIN = 2 };

#ifdef INGOT_HAVE_IO
static ig_status row_check(const reader *f, const double *v) {
  for (int i = 0; i < COLUMNS; i++)
    if (!isfinite(v[i]))
      return ig_fail_at(f->r->cx, &f->at, "an event has a value that is no number");
  if (v[MELT] < 0)
    return ig_fail_at(f->r->cx, &f->at,
                      "an event melts at %g s, before the start: set `start_time`", v[MELT]);
  if (v[LIQUIDUS] < v[MELT])
    return ig_fail_at(f->r->cx, &f->at,
                      "an event falls through the liquidus at %g s, before it melts at %g s",
                      v[LIQUIDUS], v[MELT]);
  if (!(v[COOLING] > 0))
    return ig_fail_at(f->r->cx, &f->at, "an event cools by %g K/s: it must be above 0", v[COOLING]);
  return IG_OK;
}

/* Takes an event over, moved as the case says, if it is in the box. */
static ig_status row_take(reader *f, const ig_grains_file *file, const double *value) {
  const ig_grains_grid *g = &f->r->c->grid;
  row at;
  bool in = true;
  memcpy(at.value, value, sizeof at.value);
  for (int d = 0; d < 3; d++)
    at.value[d] += file->shift[d];
  at.value[MELT] += file->start_time;
  at.value[LIQUIDUS] += file->start_time;
  IG_TRY(row_check(f, at.value));
  for (int d = 0; d < 3; d++) {
    const bool below = at.value[d]<g->min[d], above = at.value[d]> g->max[d];
    f->cut[0][d] = f->cut[0][d] || below;
    f->cut[1][d] = f->cut[1][d] || above;
    in = in && !below && !above;
  }
  if (!in) {
    f->r->skipped++;
    return IG_OK;
  }
  IG_TRY(ig_more(f->r->cx, (void **)&f->row, f->rows, sizeof *f->row, "events"));
  f->row[f->rows++] = at;
  return IG_OK;
}

/* --- the two formats */

/* Which value a column holds, -1: none of them. */
static int column_of(const char *name, size_t length) {
  static const struct {
    const char *name;
    int column;
  } known[] = {{"x", X},         {"y", Y},         {"z", Z},        {"tm", MELT},
               {"ts", LIQUIDUS}, {"tl", LIQUIDUS}, {"cr", COOLING}, {"r", COOLING}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t k = 0;
    while (k < length && tolower((unsigned char)name[k]) == known[i].name[k])
      k++;
    if (k == length && !known[i].name[k])
      return known[i].column;
  }
  return -1;
}

enum { MOST = 64 }; /* columns of a file */

static ig_status head_read(reader *f, const char *line, int *column, int *columns) {
  static const char *const name[COLUMNS] = {"x", "y", "z", "tm", "ts", "cr"};
  bool there[COLUMNS] = {false};
  *columns = 0;
  for (const char *p = line; *columns < MOST; p++) {
    p += strspn(p, " \t\"");
    size_t length = strcspn(p, ",\r\n");
    const char *end = p + length;
    while (length > 0 && strchr(" \t\"", p[length - 1]))
      length--;
    const int is = column[*columns] = column_of(p, length);
    f->at.column = (int)(p - line) + 1;
    if (is >= 0 && there[is])
      return ig_fail_at(f->r->cx, &f->at, "a second column for '%s': leave out one", name[is]);
    if (is >= 0)
      there[is] = true;
    (*columns)++;
    if (*end != ',')
      break;
    p = end;
  }
  f->at.column = 1;
  for (int i = 0; i < COLUMNS; i++)
    if (!there[i])
      return ig_fail_at(f->r->cx, &f->at,
                        "the line of column names has no '%s': x, y, z, tm, ts and cr are needed",
                        name[i]);
  return IG_OK;
}

static ig_status line_read(reader *f, const char *line, const int *column, int columns,
                           double *value) {
  const char *p = line;
  for (int i = 0; i < columns; i++) {
    char *end;
    f->at.column = (int)(p - line) + 1;
    const double number = ig_decimal_read(p, &end);
    if (column[i] >= 0) {
      if (end == p)
        return ig_fail_at(f->r->cx, &f->at, "a number is missing");
      value[column[i]] = number;
      end += strspn(end, " \t");
      if (*end && !strchr(",\r\n", *end))
        return ig_fail_at(f->r->cx, &f->at, "this is no number");
    }
    p += strcspn(p, ",\r\n");
    if (i + 1 < columns && *p++ != ',')
      return ig_fail_at(f->r->cx, &f->at, "the line has %d values and not %d", i + 1, columns);
  }
  if (*p == ',') {
    f->at.column = (int)(p - line) + 1;
    return ig_fail_at(f->r->cx, &f->at,
                      "the line has more than %d values, one for each column name: a comma must "
                      "not stand within a number, nor at the end",
                      columns);
  }
  f->at.column = 1;
  return IG_OK;
}

static ig_status text_read(reader *f, const ig_grains_file *file, FILE *in) {
  char *line = NULL;
  size_t capacity = 0;
  int column[MOST], columns = 0;
  ig_status status = IG_OK;
  while (status == IG_OK && getline(&line, &capacity, in) > 0) {
    double value[COLUMNS];
    f->at.line++;
    f->at.column = 1;
    if (line[strspn(line, " \t\r\n")] == 0)
      continue;
    if (columns == 0) {
      status = head_read(f, line, column, &columns);
      continue;
    }
    status = line_read(f, line, column, columns, value);
    if (status == IG_OK)
      status = row_take(f, file, value);
  }
  free(line);
  if (status == IG_OK && columns == 0)
    status = ig_fail_at(f->r->cx, &f->at, "the file is empty");
  return status;
}

/* `line` counts events: there are no lines. */
static ig_status binary_read(reader *f, const ig_grains_file *file, FILE *in) {
  double value[COLUMNS];
  size_t got;
  while ((got = fread(value, 1, sizeof value, in)) == sizeof value) {
    f->at.line++;
    f->at.column = 1;
    IG_TRY(row_take(f, file, value));
  }
  if (got > 0)
    return ig_fail_at(f->r->cx, &f->at,
                      "the file ends within an event: its size is no multiple of 48 bytes");
  return IG_OK;
}

static ig_status file_read(reader *f, const ig_grains_file *file) {
  FILE *in;
  IG_TRY(ig_file_open(f->r->cx, file->file, &in));
  f->at = (ig_src){.file = file->file, .line = 0, .column = 1, .given = true};
  ig_status status = strstr(ig_base_name(file->file), ".catemp") ? binary_read(f, file, in)
                                                                 : text_read(f, file, in);
  if (status == IG_OK && ferror(in))
    status = IG_FAIL(f->r->cx, IG_IO, "%s: reading failed", file->file);
  fclose(in);
  return status;
}
#else
static ig_status file_read(reader *f, const ig_grains_file *file) {
  return IG_FAIL(f->r->cx, IG_UNSUPPORTED,
                 "%s: this build reads no files: configure with -DINGOT_IO=ON", file->file);
}
#endif

/* --- the grid */

static int64_t divisor(int64_t a, int64_t b) {
  while (b) {
    const int64_t c = a % b;
    a = b;
    b = c;
  }
  return a;
}

/* Along an axis points must be on a lattice of this spacing, and not on a coarser one. */
static ig_status lattice(const reader *f, int d, double spacing, double *low, double *count) {
  const ig_grains_run *r = f->r;
  double high = -INFINITY;
  int64_t common = 0;
  *low = INFINITY;
  for (size_t i = 0; i < f->rows; i++) {
    *low = fmin(*low, f->row[i].value[d]);
    high = fmax(high, f->row[i].value[d]);
  }
  for (size_t i = 0; i < f->rows; i++) {
    const double at = (f->row[i].value[d] - *low) / spacing;
    if (!(at < 2e9) || fabs(at - round(at)) > 0.01)
      return ig_fail_at(r->cx, &r->c->grid.at,
                        "grid.cell, %g m: events at %c = %.9g and %.9g m are %.6g cells apart, and "
                        "must be a whole number of grid.refine: give the spacing of the files",
                        r->c->grid.cell, "xyz"[d], *low, f -> row[i].value[d],
                        at *(double)r->c->grid.refine);
    common = divisor(common, (int64_t)round(at));
  }
  if (common > 1)
    return ig_fail_at(r->cx, &r->c->grid.at,
                      "grid.cell, %g m: events are %g m apart along %c: give that, or grid.refine: "
                      "%lld",
                      r->c->grid.cell, (double)common * spacing, "xyz"[d],
                      (long long)common * r -> c -> grid.refine);
  *count = round((high - *low) / spacing) + 1;
  return IG_OK;
}

/* Cells along an axis. */
static ig_status axis_make(reader *f, int d) {
  ig_grains_run *r = f->r;
  const double cell = r->c->grid.cell;
  const int below = f->cut[0][d] ? 0 : MARGIN, above = f->cut[1][d] || d == 2 ? 0 : MARGIN;
  double low, count;
  IG_TRY(lattice(f, d, cell, &low, &count));
  r->low[d] = low - (0.5 + below) * cell;
  r->view.n[d] = (int)fmin(count + below + above, 2e9);
  return IG_OK;
}

/* --- refinement: an event becomes refine^3 of them, with times by straight lines to the events of
   the neighbouring points that are molten at the same time */

typedef struct {
  int64_t n[3];
  double low[3], spacing;
  int32_t *first, *order; /* points + 1; rows by points */
} points;

static int64_t point_of(const points *p, const double *x) {
  int64_t at = 0;
  for (int d = 2; d >= 0; d--)
    at = at * p->n[d] + (int64_t)round((x[d] - p->low[d]) / p->spacing);
  return at;
}

static ig_status points_make(const reader *f, points *p) {
  double all = 1, count;
  for (int d = 0; d < 3; d++) {
    IG_TRY(lattice(f, d, p->spacing, &p->low[d], &count));
    p->n[d] = (int64_t)count;
    all *= count;
  }
  const double rows = (double)f->rows * pow((double)f->r->c->grid.refine, 3);
  if (all > 1e9 || rows > 2e9)
    return ig_fail_at(f->r->cx, &f->r->c->grid.at,
                      "grid.refine: the files have %.3g points and would have %.3g events: limit "
                      "them by `min` and `max`",
                      all, rows);
  IG_TRY(IG_NEW(f->r->cx, &p->first, (size_t)all + 2, "events"));
  IG_TRY(IG_NEW(f->r->cx, &p->order, f->rows, "events"));
  for (size_t i = 0; i < f->rows; i++)
    p->first[point_of(p, f->row[i].value) + 2]++;
  for (int64_t c = 2; c < (int64_t)all + 2; c++)
    p->first[c] += p->first[c - 1];
  for (size_t i = 0; i < f->rows; i++)
    p->order[p->first[point_of(p, f->row[i].value) + 1]++] = (int32_t)i;
  return IG_OK;
}

/* The event of a point that is molten longest together with `e`; NULL: none. */
static const double *together(const reader *f, const points *p, int64_t point, const double *e) {
  const double *best = NULL;
  double most = 0;
  for (int32_t i = p->first[point]; i < p->first[point + 1]; i++) {
    const double *other = f->row[p->order[i]].value;
    const double shared = fmin(e[LIQUIDUS], other[LIQUIDUS]) - fmax(e[MELT], other[MELT]);
    if (shared > most) {
      most = shared;
      best = other;
    }
  }
  return best;
}

/* Changes of both times per spacing along an axis: the mean of both sides, or that of one. */
static void slopes(const reader *f, const points *p, const double *e, int d, double *slope) {
  const int64_t step = d == 0 ? 1 : d == 1 ? p->n[0] : p->n[0] * p->n[1];
  const int64_t here = point_of(p, e), at = (int64_t)round((e[d] - p->low[d]) / p->spacing);
  int sides = 0;
  slope[0] = slope[1] = 0;
  for (int side = -1; side <= 1; side += 2) {
    if (at + side < 0 || at + side >= p->n[d])
      continue;
    const double *other = together(f, p, here + side * step, e);
    if (!other)
      continue;
    sides++;
    slope[0] += side * (other[MELT] - e[MELT]);
    slope[1] += side * (other[LIQUIDUS] - e[LIQUIDUS]);
  }
  for (int i = 0; i < 2 && sides == 2; i++)
    slope[i] /= 2;
}

static void row_refine(const reader *f, const points *p, const double *e, row *to) {
  const int64_t k = f->r->c->grid.refine;
  double slope[3][2];
  for (int d = 0; d < 3; d++)
    slopes(f, p, e, d, slope[d]);
  for (int64_t i = 0; i < k * k * k; i++, to++) {
    const int64_t at[3] = {i % k, i / k % k, i / k / k};
    memcpy(to->value, e, sizeof to->value);
    for (int d = 0; d < 3; d++) {
      const double off = ((double)at[d] + 0.5) / (double)k - 0.5;
      to->value[d] += off * p->spacing;
      to->value[MELT] += off * slope[d][0];
      to->value[LIQUIDUS] += off * slope[d][1];
    }
    to->value[MELT] = fmax(to->value[MELT], 0);
    to->value[LIQUIDUS] = fmax(to->value[LIQUIDUS], to->value[MELT]);
  }
}

static ig_status rows_refine(reader *f) {
  const int64_t k = f->r->c->grid.refine, each = k * k * k;
  points p = {.spacing = f->r->c->grid.cell * (double)k};
  row *fine = NULL;
  if (k == 1)
    return IG_OK;
  ig_status status = points_make(f, &p);
  if (status == IG_OK)
    status = IG_NEW(f->r->cx, &fine, f->rows * (size_t)each, "events");
  for (size_t i = 0; i < f->rows && status == IG_OK; i++)
    row_refine(f, &p, f->row[i].value, &fine[i * (size_t)each]);
  if (status == IG_OK) {
    free(f->row);
    f->row = fine;
    f->rows *= (size_t)each;
  }
  free(p.first);
  free(p.order);
  return status;
}

static int by_melting(const void *a, const void *b) {
  const ig_grains_event *p = a, *q = b;
  if (p->melt != q->melt)
    return p->melt < q->melt ? -1 : 1;
  return (p->liquidus > q->liquidus) - (p->liquidus < q->liquidus);
}

/* A cell that melts while it is molten: a file that is given twice, or files that overlap. */
static void overlaps_warn(const ig_grains_run *r, int64_t cells) {
  const int32_t *first = r->array.first.host;
  const ig_grains_event *event = r->array.event.host;
  int64_t count = 0;
  for (int64_t c = 0; c < cells; c++)
    for (int32_t i = first[c] + 1; i < first[c + 1]; i++)
      count += event[i].melt < event[i - 1].liquidus;
  if (count > 0 && r->c->grid.refine == 1) /* refined times are interpolated, and may overlap */
    ig_warn_at(r->cx, &IG_ITEM(ig_grains_file, r->c->events, 0)->at,
               "%lld of %lld events melt a cell that is still molten by another event: is a file "
               "given twice, or do files overlap in time? See `start_time`",
               (long long)count, (long long)r->events);
}

/* Events of a cell follow each other, in order of their times. */
static ig_status events_sort(reader *f) {
  ig_grains_run *r = f->r;
  const int *n = r->view.n;
  const double cells = (double)n[0] * n[1] * n[2];
  if (cells > 1e9 || (double)f->rows > 2e9)
    return IG_OK; /* refused by the caller, with numbers */
  IG_TRY(ig_array_new(r->cx, &r->array.first, (size_t)cells + 1, 4, "events"));
  IG_TRY(ig_array_new(r->cx, &r->array.event, f->rows, sizeof(ig_grains_event), "events"));
  int32_t *first = r->array.first.host;
  ig_grains_event *event = r->array.event.host;
  for (int fill = 0; fill < 2; fill++) {
    for (size_t i = 0; i < f->rows; i++) {
      int64_t cell;
      if (!ig_grains_cell_of(r, f->row[i].value, &cell))
        return IG_FAIL(r->cx, IG_NUMERIC, "an event is outside of its own grid");
      if (fill)
        event[first[cell]++] = (ig_grains_event){f->row[i].value[MELT], f->row[i].value[LIQUIDUS],
                                                 f->row[i].value[COOLING]};
      else
        first[cell + 1]++;
    }
    for (int64_t c = 0; c < (int64_t)cells && !fill; c++)
      first[c + 1] += first[c];
  }
  /* filling has moved each start to the next one */
  memmove(first + 1, first, 4 * (size_t)cells);
  first[0] = 0;
  for (int64_t c = 0; c < (int64_t)cells; c++)
    if (first[c + 1] - first[c] > 1)
      qsort(&event[first[c]], (size_t)(first[c + 1] - first[c]), sizeof *event, by_melting);
  overlaps_warn(r, (int64_t)cells);
  IG_TRY(ig_array_push(r->cx, &r->array.first));
  return ig_array_push(r->cx, &r->array.event);
}

static ig_status all_read(reader *f) {
  ig_grains_run *r = f->r;
  for (int i = 0; i < r->c->events.count; i++)
    IG_TRY(file_read(f, IG_ITEM(ig_grains_file, r->c->events, i)));
  if (f->rows == 0)
    return ig_fail_at(r->cx, &r->c->grid.at, "no event lies in the box of the grid (%lld outside)",
                      (long long)r->skipped);
  IG_TRY(rows_refine(f));
  for (int d = 0; d < 3; d++)
    IG_TRY(axis_make(f, d));
  for (size_t i = 0; i < f->rows; i++) {
    const double cooling = f->row[i].value[COOLING];
    r->duration = fmax(r->duration, f->row[i].value[LIQUIDUS] + r->limit / cooling);
    r->cooling = fmax(r->cooling, cooling);
  }
  r->events = (int64_t)f->rows;
  return events_sort(f);
}

ig_status ig_grains_events_read(ig_grains_run *r) {
  reader f = {.r = r};
  const ig_status status = all_read(&f);
  free(f.row);
  return status;
}
