/* Evaluation of results on disk: values at a point over time (probe), extremes of fields, all
   snapshots in one file. Snapshots are read one at a time. */
#include <ingot/result.h>
#include "run/case.h"
#include "core/number.h"
#include "core/output.h"
#include "ingot_io.h"
#include "mesh/named.h"
#include "mesh/probe.h"
#ifdef INGOT_HAVE_IO
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef INGOT_HAVE_IO

/* Bytes of a cell of an output table. */
enum { CELL = 96 };

/* Snapshot `index` of a folder; *snap NULL: there is none with this number. No snapshot 0 is an
   error. */
static ig_status snapshot_open(ig_ctx *cx, const char *folder, int64_t index, ig_snapshot **snap) {
  char name[IG_FILE_NAME];
  *snap = NULL;
  ig_snapshot_name(index, name);
  char *path = ig_path_join(folder, name);
  if (!path)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  ig_status status = IG_OK;
  if (access(path, F_OK) == 0)
    status = ig_snapshot_read(cx, path, snap);
  else if (index == 0)
    status = IG_FAIL(cx, IG_INPUT, "'%s' holds no snapshots: expected the output folder of a run",
                     folder);
  free(path);
  return status;
}

/* A row of an output table under construction. Pointers are set in row_send, because text may move
   while it grows. */
typedef struct {
  int count;
  char (*text)[CELL];
  const char **cell;
} row;

static ig_status row_cell(ig_ctx *cx, row *r, const char *format, ...) IG_PRINTF(3, 4);
static ig_status row_cell(ig_ctx *cx, row *r, const char *format, ...) {
  IG_TRY(IG_MORE(cx, &r->text, r->count, "row of a table"));
  IG_TRY(IG_MORE(cx, &r->cell, r->count, "row of a table"));
  va_list args;
  va_start(args, format);
  ig_format_args(r->text[r->count++], CELL, format, args);
  va_end(args);
  return IG_OK;
}

static ig_status row_number(ig_ctx *cx, row *r, double value) {
  char text[IG_NUMBER_TEXT];
  ig_number_text(value, text);
  return row_cell(cx, r, "%s", text);
}

/* Sends the row and empties it for the next. */
static void row_send(row *r, ig_row_fn *send, void *user) {
  for (int i = 0; i < r->count; i++)
    r->cell[i] = r->text[i];
  send(user, r->count, r->cell);
  r->count = 0;
}

static void row_free(row *r) {
  free(r->text);
  free(r->cell);
}

/* --- a probe */

/* Cell with the nearest centre, by a linear search: one probe of a file that had to be read
   anyway. */
static int64_t cell_near(const ig_snapshot *snap, const double point[3]) {
  double best = INFINITY;
  int64_t found = 0;
  for (int64_t c = 0; c < snap->cells; c++) {
    double middle[3], d2 = 0;
    ig_snapshot_centre(snap, c, middle);
    for (int d = 0; d < 3; d++)
      d2 += (middle[d] - point[d]) * (middle[d] - point[d]);
    if (d2 < best) {
      best = d2;
      found = c;
    }
  }
  return found;
}

static bool is_set_field(const ig_field *f) {
  return strchr(f->name, ':') != NULL; /* "nodes:zmin": sets of the mesh are stored as fields */
}

static double field_value(const ig_field *f, int64_t item, int component) {
  const size_t at = (size_t)item * (size_t)f->components + (size_t)component;
  switch (f->dtype) {
  case IG_F32:
    return ((const float *)f->data)[at];
  case IG_F64:
    return ((const double *)f->data)[at];
  case IG_I32:
    return ((const int32_t *)f->data)[at];
  case IG_I64:
    return (double)((const int64_t *)f->data)[at];
  case IG_U8:
    return ((const uint8_t *)f->data)[at];
  }
  return NAN;
}

/* "T [K]", "displacement_x [m]". */
static void heading(const ig_field *f, int component, char text[CELL]) {
  static const char *const vector[] = {"_x", "_y", "_z"}, *const tensor[] = {"_xx", "_yy", "_zz",
                                                                             "_xy", "_yz", "_zx"};
  char number[16];
  snprintf(number, sizeof number, "_%d", component + 1);
  const char *which = f->components == 1   ? ""
                      : f->components == 3 ? vector[component]
                      : f->components == 6 ? tensor[component]
                                           : number;
  const bool has = *f->unit;
  const int n =
      snprintf(text, CELL, "%s%s%s%s%s", f->name, which, has ? " [" : "", f->unit, has ? "]" : "");
  if (n >= CELL) /* a heading cut off is still a heading */
    text[CELL - 1] = '\0';
}

typedef struct {
  const double *point;
  const char *field; /* NULL: all */
  bool headings;     /* what is wanted now */
} probe;

/* Shapes of modes are in single snapshots: they are asked for by name. */
static bool probe_wants(const probe *p, const ig_field *f) {
  return p->field ? strcmp(p->field, f->name) == 0
                  : !is_set_field(f) && strncmp(f->name, "mode_", 5) != 0;
}

/* Whether a snapshot has the field that is asked for. */
static bool probe_has(const probe *p, const ig_snapshot *snap) {
  bool any = !p->field;
  for (int i = 0; i < snap->fields; i++)
    any |= probe_wants(p, &snap->field[i]);
  return any;
}

/* Writes headings or values for one snapshot; both follow the same path through the fields, so
   columns agree. */
static ig_status probe_row(ig_ctx *cx, const ig_snapshot *snap, const probe *p, row *r) {
  const int64_t node = ig_node_near(snap->point, (ig_lid)snap->points, p->point);
  const int64_t cell = snap->cells ? cell_near(snap, p->point) : -1;
  if (p->headings)
    IG_TRY(row_cell(cx, r, snap->iterations ? "iteration" : "time [s]"));
  else
    IG_TRY(row_number(cx, r, snap->time));
  for (int d = 0; d < 3; d++)
    if (p->headings)
      IG_TRY(row_cell(cx, r, "%c [m]", 'x' + d));
    else
      IG_TRY(row_number(cx, r, snap->point[3 * node + d]));
  int taken = 0;
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    if (!probe_wants(p, f))
      continue;
    taken++;
    for (int c = 0; c < f->components; c++) {
      char text[CELL];
      heading(f, c, text);
      const int64_t item = f->where == IG_AT_POINTS ? node : cell;
      if (p->headings)
        IG_TRY(row_cell(cx, r, "%s", text));
      else
        IG_TRY(row_number(cx, r, item < 0 ? NAN : field_value(f, item, c)));
    }
  }
  if (taken == 0) {
    char list[400] = "";
    for (int i = 0; i < snap->fields; i++)
      if (!is_set_field(&snap->field[i]) && strlen(list) < sizeof list - 80)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
                 snap->field[i].name);
    return IG_FAIL(cx, IG_INPUT, "there is no field '%.60s': expected %s", p->field ? p->field : "",
                   list);
  }
  return IG_OK;
}

/* All snapshots must have the same columns, or the table would be inconsistent; the first defines
   them. Those that lack the field that is asked for are passed over, unless all do. */
ig_status ig_result_probe(ig_ctx *cx, const char *folder, const double point[3], const char *field,
                          ig_row_fn *send, void *user) {
  row r = {0};
  probe p = {.point = point, .field = field, .headings = true};
  ig_status status = IG_OK;
  int columns = 0;
  ig_snapshot *lacks = NULL;
  if (!folder || !point || !send)
    return IG_ARG;
  for (int64_t i = 0; status == IG_OK; i++) {
    ig_snapshot *snap;
    status = snapshot_open(cx, folder, i, &snap);
    if (status != IG_OK || !snap)
      break;
    if (!probe_has(&p, snap)) {
      ig_snapshot_free(lacks);
      lacks = snap;
      continue;
    }
    for (int line = p.headings ? 0 : 1; status == IG_OK && line < 2; line++) {
      p.headings = line == 0;
      status = probe_row(cx, snap, &p, &r);
      if (status == IG_OK && line == 0)
        columns = r.count;
      if (status == IG_OK && r.count != columns)
        status = IG_FAIL(cx, IG_INPUT,
                         "'%s': snapshot %lld has other fields than the first: name "
                         "one field",
                         folder, (long long)i);
      if (status == IG_OK)
        row_send(&r, send, user);
    }
    p.headings = false;
    ig_snapshot_free(snap);
  }
  if (status == IG_OK && lacks && columns == 0) /* says what there is */
    status = probe_row(cx, lacks, &p, &r);
  ig_snapshot_free(lacks);
  row_free(&r);
  return status;
}

/* --- extremes */

/* Least [0] and greatest [1] value of one field component over all snapshots, with time (s) and
   place (m). */
typedef struct {
  char name[CELL];
  double value[2], time[2], place[2][3]; /* least, greatest */
} extreme;

/* item: one per field component, found by heading. */
typedef struct {
  ig_ctx *cx;
  extreme *item;
  int count;
  uint8_t *node, *element; /* those of the set; NULL: all count */
  ig_lid nodes, elements;
} extremes;

static ig_status extreme_find(extremes *x, const char *name, extreme **found) {
  for (int i = 0; i < x->count; i++)
    if (strcmp(x->item[i].name, name) == 0) {
      *found = &x->item[i];
      return IG_OK;
    }
  IG_TRY(IG_MORE(x->cx, &x->item, x->count, "extremes"));
  *found = &x->item[x->count++];
  **found = (extreme){.value = {INFINITY, -INFINITY}};
  snprintf((*found)->name, CELL, "%s", name);
  return IG_OK;
}

/* NaN never compares as less or greater, so it is ignored. */
static void extreme_add(extreme *e, double value, double time, const ig_snapshot *snap,
                        const ig_field *f, int64_t item) {
  for (int k = 0; k < 2; k++) {
    if (k == 0 ? !(value < e->value[0]) : !(value > e->value[1]))
      continue;
    e->value[k] = value;
    e->time[k] = time;
    if (f->where == IG_AT_POINTS)
      memcpy(e->place[k], &snap->point[3 * item], sizeof e->place[k]);
    else
      ig_snapshot_centre(snap, item, e->place[k]);
  }
}

/* Adds one snapshot. Points that no cell uses (not yet built) do not count. Fields whose length
   is not that of the mesh (a snapshot with fewer cells) cannot be restricted to a set and are
   skipped. */
static ig_status extremes_add(extremes *x, const ig_snapshot *snap) {
  uint8_t *used = NULL;
  IG_TRY(ig_snapshot_used(x->cx, snap, &used));
  ig_status status = IG_OK;
  for (int i = 0; status == IG_OK && i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    const bool points = f->where == IG_AT_POINTS;
    const int64_t count = points ? snap->points : snap->cells;
    const uint8_t *chosen = points ? x->node : x->element;
    if (is_set_field(f) || (chosen && count != (points ? x->nodes : x->elements)))
      continue;
    for (int c = 0; status == IG_OK && c < f->components; c++) {
      char name[CELL];
      extreme *e = NULL;
      heading(f, c, name);
      status = extreme_find(x, name, &e);
      for (int64_t n = 0; status == IG_OK && n < count; n++)
        if ((!chosen || chosen[n]) && (!points || used[n]))
          extreme_add(e, field_value(f, n, c), snap->time, snap, f, n);
    }
  }
  free(used);
  return status;
}

/* Marks the nodes and elements of a set. Snapshots have no sets of every room; the mesh is
   therefore made again from the case that is stored in the folder. */
static ig_status set_find(extremes *x, const char *folder, const char *name) {
  ig_ctx *cx = x->cx;
  ig_case *c = NULL;
  ig_mesh *mesh = NULL;
  ig_lid *node = NULL, count;
  static const ig_src nowhere;
  char *path = ig_path_join(folder, IG_CASE);
  ig_status status = path ? IG_OK : IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  if (status == IG_OK && access(path, F_OK) != 0)
    status = IG_FAIL(cx, IG_INPUT, "'%s' holds no " IG_CASE ", which tells the sets of the mesh",
                     folder);
  if (status == IG_OK)
    status = ig_case_open(cx, path, &c);
  if (status == IG_OK)
    status = ig_case_mesh(c, &mesh);
  if (status == IG_OK)
    status = ig_mesh_named_nodes(cx, mesh, &nowhere, name, &node, &count);
  if (status == IG_OK) {
    x->nodes = mesh->nodes;
    x->elements = ig_mesh_elements(mesh);
    status = IG_NEW(cx, &x->node, x->nodes, "a set");
  }
  if (status == IG_OK)
    status = IG_NEW(cx, &x->element, x->elements, "a set");
  for (ig_lid i = 0; status == IG_OK && i < count; i++)
    x->node[node[i]] = 1;
  for (int s = 0; status == IG_OK && s < mesh->sets; s++)
    if (mesh->set[s].kind == IG_SET_ELEMENTS && strcmp(mesh->set[s].name, name) == 0)
      for (ig_lid i = 0; i < mesh->set[s].count; i++)
        x->element[mesh->set[s].item[i]] = 1;
  free(node);
  free(path);
  ig_mesh_free(mesh);
  ig_case_close(c);
  return status;
}

/* A field without a finite value has infinities and is not listed. */
static ig_status extremes_tell(extremes *x, bool iterations, ig_row_fn *send, void *user) {
  static const char *const columns[] = {"field", "", "value", NULL, "x [m]", "y [m]", "z [m]"};
  row r = {0};
  ig_status status = IG_OK;
  for (int i = 0; status == IG_OK && i < 7; i++)
    status = row_cell(x->cx, &r, "%s",
                      columns[i]   ? columns[i]
                      : iterations ? "iteration"
                                   : "time [s]");
  if (status == IG_OK)
    row_send(&r, send, user);
  for (int i = 0; status == IG_OK && i < x->count; i++)
    for (int k = 0; status == IG_OK && k < 2; k++) {
      const extreme *e = &x->item[i];
      if (isinf(e->value[k]))
        continue;
      status = row_cell(x->cx, &r, "%s", e->name);
      if (status == IG_OK)
        status = row_cell(x->cx, &r, k ? "max" : "min");
      const double number[] = {e->value[k], e->time[k], e->place[k][0], e->place[k][1],
                               e->place[k][2]};
      for (int n = 0; status == IG_OK && n < 5; n++)
        status = row_cell(x->cx, &r, "%.6g", number[n]);
      if (status == IG_OK)
        row_send(&r, send, user);
    }
  row_free(&r);
  return status;
}

ig_status ig_result_extremes(ig_ctx *cx, const char *folder, const char *set, ig_row_fn *send,
                             void *user) {
  extremes x = {.cx = cx};
  bool iterations = false;
  if (!folder || !send)
    return IG_ARG;
  ig_status status = set ? set_find(&x, folder, set) : IG_OK;
  for (int64_t i = 0; status == IG_OK; i++) {
    ig_snapshot *snap;
    status = snapshot_open(cx, folder, i, &snap);
    if (status != IG_OK || !snap)
      break;
    iterations = snap->iterations;
    status = extremes_add(&x, snap);
    ig_snapshot_free(snap);
  }
  if (status == IG_OK && x.count == 0)
    status = IG_FAIL(cx, IG_INPUT, "'%s': no field of its snapshots belongs to set '%s'", folder,
                     set ? set : "all");
  if (status == IG_OK)
    status = extremes_tell(&x, iterations, send, user);
  free(x.item);
  free(x.node);
  free(x.element);
  return status;
}

/* --- one file */

/* Reads all snapshots into memory, because VTKHDF stores the steps of an array one behind the
   other. */
ig_status ig_result_join(ig_ctx *cx, const char *folder, const char *file) {
  ig_snapshot **snap = NULL;
  int count = 0;
  if (!folder || !file)
    return IG_ARG;
  ig_status status = IG_OK;
  const char *dot = strrchr(file, '.');
  if (!dot || (strcmp(dot, ".vtkhdf") != 0 && strcmp(dot, ".hdf") != 0))
    return IG_FAIL(cx, IG_INPUT, "%s: expected a name that ends in .vtkhdf or .hdf", file);
  for (;;) {
    ig_snapshot *one;
    status = snapshot_open(cx, folder, count, &one);
    if (status != IG_OK || !one)
      break;
    status = IG_MORE(cx, &snap, count, "snapshots");
    if (status != IG_OK) {
      ig_snapshot_free(one);
      break;
    }
    snap[count++] = one;
  }
  if (status == IG_OK)
    status = ig_snapshots_write(cx, (const ig_snapshot *const *)snap, count, file, 1);
  for (int i = 0; i < count; i++)
    ig_snapshot_free(snap[i]);
  free(snap);
  return status;
}

#else
static ig_status no_files(ig_ctx *cx) {
  return IG_FAIL(cx, IG_UNSUPPORTED, "this build reads no files: configure with -DINGOT_IO=ON");
}
ig_status ig_result_probe(ig_ctx *cx, const char *folder, const double point[3], const char *field,
                          ig_row_fn *send, void *user) {
  (void)folder, (void)point, (void)field, (void)send, (void)user;
  return no_files(cx);
}
ig_status ig_result_extremes(ig_ctx *cx, const char *folder, const char *set, ig_row_fn *send,
                             void *user) {
  (void)folder, (void)set, (void)send, (void)user;
  return no_files(cx);
}
ig_status ig_result_join(ig_ctx *cx, const char *folder, const char *file) {
  (void)folder, (void)file;
  return no_files(cx);
}
#endif
