/* Meshes as VTK grids: Ingot's own VTKHDF files and legacy VTK text. A mesh travels as a snapshot
   with its sets as fields: points "nodes:NAME" and cells "elements:NAME" are 0 or 1, cells
   "faces:NAME" hold a bit for each local face, "tag" the region, "shell" marks a flat mesh that
   lives in space. So every set can be looked at in a viewer. */
#include "io/mesh_io.h"
#include "core/number.h"
#include "io/store.h"
#include "io/vtkhdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const prefix[] = {
    [IG_SET_NODES] = "nodes:", [IG_SET_ELEMENTS] = "elements:", [IG_SET_FACES] = "faces:"};

static unsigned types_of(const ig_mesh *mesh) {
  unsigned types = 0;
  for (int b = 0; b < mesh->blocks; b++)
    types |= 1u << mesh->block[b].type;
  return types;
}

/* --- mesh to snapshot */

static ig_status set_field(ig_ctx *cx, const ig_set *set, ig_snapshot *snap) {
  char name[64];
  if (snprintf(name, sizeof name, "%s%s", prefix[set->kind], set->name) >= (int)sizeof name ||
      strchr(set->name, '/'))
    return IG_FAIL(cx, IG_INPUT,
                   "set '%s' cannot be written: expected a name of less than 54 "
                   "letters without '/'",
                   set->name);
  uint8_t *mask;
  IG_TRY(ig_snapshot_add(snap, name, "", set->kind == IG_SET_NODES ? IG_AT_POINTS : IG_AT_CELLS,
                         IG_U8, 1, NULL, (void **)&mask));
  memset(mask, 0, (size_t)(set->kind == IG_SET_NODES ? snap->points : snap->cells));
  for (ig_lid i = 0; i < set->count; i++)
    mask[set->item[i]] |= (uint8_t)(1 << (set->face ? set->face[i] : 0));
  return IG_OK;
}

static ig_status snapshot_fill(ig_ctx *cx, const ig_mesh *mesh, ig_snapshot *snap) {
  int32_t *tag;
  IG_TRY(ig_snapshot_add(snap, "tag", "", IG_AT_CELLS, IG_I32, 1, NULL, (void **)&tag));
  for (int b = 0; b < mesh->blocks; b++) {
    memcpy(tag, mesh->block[b].tag, (size_t)mesh->block[b].count * sizeof *tag);
    tag += mesh->block[b].count;
  }
  if (mesh->dim == 3 && ig_mesh_infer_dim(mesh->x, mesh->nodes, types_of(mesh)) == 2) {
    uint8_t *shell;
    IG_TRY(ig_snapshot_add(snap, "shell", "", IG_AT_CELLS, IG_U8, 1, NULL, (void **)&shell));
    memset(shell, 1, (size_t)snap->cells);
  }
  for (int s = 0; s < mesh->sets; s++)
    IG_TRY(set_field(cx, &mesh->set[s], snap));
  return IG_OK;
}

ig_status ig_mesh_snapshot(ig_ctx *cx, const ig_mesh *mesh, ig_snapshot **out) {
  ig_snapshot *snap;
  *out = NULL;
  IG_TRY(ig_snapshot_of_mesh(cx, mesh, NULL, 0, 0, &snap));
  const ig_status status = snapshot_fill(cx, mesh, snap);
  if (status != IG_OK)
    ig_snapshot_free(snap);
  else
    *out = snap;
  return status;
}

/* --- snapshot to mesh */

static ig_elem_type type_of_vtk(int vtk) {
  int type = 0;
  while (type < IG_ELEM_TYPES && ig_elem_info_get((ig_elem_type)type)->vtk != vtk)
    type++;
  return (ig_elem_type)type;
}

static const ig_field *find_field(const ig_snapshot *snap, const char *name, ig_dtype dtype) {
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    if (f->where == IG_AT_CELLS && f->dtype == dtype && f->components == 1 &&
        strcmp(f->name, name) == 0)
      return f;
  }
  return NULL;
}

static ig_status field_set(ig_ctx *cx, const char *path, ig_mesh *mesh, const ig_field *f,
                           const ig_lid *number, const ig_snapshot *snap) {
  int kind = 0;
  while (kind < 3 && strncmp(f->name, prefix[kind], strlen(prefix[kind])) != 0)
    kind++;
  if (kind == 3 || f->dtype != IG_U8 || f->components != 1 ||
      (kind == IG_SET_NODES) != (f->where == IG_AT_POINTS) || f->name[strlen(prefix[kind])] == '\0')
    return IG_OK;
  const uint8_t *mask = f->data;
  const int64_t items = kind == IG_SET_NODES ? snap->points : snap->cells;
  /* by element: a cell's place in the file is not its number when types alternate */
  uint8_t *by_number = NULL;
  if (kind != IG_SET_NODES) {
    IG_TRY(IG_NEW(cx, &by_number, items, "set"));
    for (int64_t c = 0; c < items; c++)
      by_number[number[c]] = mask[c];
    mask = by_number;
  }
  int64_t count = 0;
  for (int64_t i = 0; i < items; i++)
    count += kind == IG_SET_FACES ? __builtin_popcount(mask[i]) : mask[i] != 0;
  ig_set *set = NULL;
  ig_status status = count > INT32_MAX
                         ? IG_FAIL(cx, IG_INPUT, "%s: set '%s' is too large", path, f->name)
                         : ig_mesh_add_set(cx, mesh, f->name + strlen(prefix[kind]),
                                           (ig_set_kind)kind, (ig_lid)count, &set);
  for (int64_t i = 0, at = 0; status == IG_OK && i < items; i++)
    for (int bit = 0; kind == IG_SET_FACES ? mask[i] >> bit : bit == 0 && mask[i]; bit++)
      if (kind != IG_SET_FACES || (mask[i] >> bit & 1)) {
        set->item[at] = (ig_lid)i;
        if (set->face)
          set->face[at] = (uint8_t)bit;
        at++;
      }
  free(by_number);
  return status;
}

static ig_status from_snapshot(ig_ctx *cx, const char *path, const ig_snapshot *snap, uint8_t *type,
                               ig_lid *corner, ig_lid *number, ig_mesh **mesh) {
  unsigned types = 0;
  for (int64_t c = 0; c < snap->cells; c++) {
    const ig_elem_type t = type_of_vtk(snap->type[c]);
    if (t == IG_ELEM_TYPES)
      return IG_FAIL(cx, IG_INPUT,
                     "%s: cell %lld is of VTK type %d: expected lines (3), triangles (5, 22), "
                     "quadrilaterals (9), tetrahedra (10, 24) or hexahedra (12)",
                     path, (long long)c, snap->type[c]);
    if (snap->offset[c + 1] - snap->offset[c] != ig_elem_info_get(t)->nodes)
      return IG_FAIL(cx, IG_INPUT, "%s: cell %lld has %lld points: a %s has %d", path, (long long)c,
                     (long long)(snap->offset[c + 1] - snap->offset[c]), ig_elem_info_get(t)->name,
                     ig_elem_info_get(t)->nodes);
    type[c] = (uint8_t)t;
    types |= 1u << t;
  }
  for (int64_t i = 0; i < snap->corners; i++)
    corner[i] = (ig_lid)snap->corner[i];
  const ig_field *tag = find_field(snap, "tag", IG_I32), *shell = find_field(snap, "shell", IG_U8);
  const int dim = shell ? 3 : ig_mesh_infer_dim(snap->point, (ig_lid)snap->points, types);
  IG_TRY(ig_mesh_new(cx, dim, (ig_lid)snap->points, mesh));
  memcpy((*mesh)->x, snap->point, 3 * (size_t)snap->points * sizeof(double));
  const ig_cells cells = {(ig_lid)snap->cells, type, snap->offset, corner, tag ? tag->data : NULL};
  IG_TRY(ig_mesh_add_cells(cx, *mesh, &cells, number));
  for (int i = 0; i < snap->fields; i++)
    IG_TRY(field_set(cx, path, *mesh, &snap->field[i], number, snap));
  return IG_OK;
}

/* Takes the snapshot. */
static ig_status to_mesh(ig_ctx *cx, const char *path, ig_snapshot *snap, ig_mesh **mesh) {
  uint8_t *type = NULL;
  ig_lid *corner = NULL, *number = NULL;
  ig_status status;
  *mesh = NULL;
  if (snap->points > INT32_MAX || snap->cells > INT32_MAX) {
    status = IG_FAIL(cx, IG_INPUT, "%s: %lld points and %lld cells are more than can be numbered",
                     path, (long long)snap->points, (long long)snap->cells);
    goto done;
  }
  IG_TRY_GOTO(status, done, IG_NEW(cx, &type, snap->cells, "cell types"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &corner, snap->corners, "connectivity"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &number, snap->cells, "element numbers"));
  status = from_snapshot(cx, path, snap, type, corner, number, mesh);
done:
  free(type);
  free(corner);
  free(number);
  ig_snapshot_free(snap);
  if (status != IG_OK) {
    ig_mesh_free(*mesh);
    *mesh = NULL;
  }
  return status;
}

/* --- VTKHDF */

ig_status ig_mesh_read_vtkhdf(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                              ig_mesh **mesh) {
  (void)options;
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_read(cx, path, &snap));
  return to_mesh(cx, path, snap, mesh);
}

ig_status ig_mesh_write_vtkhdf(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  ig_snapshot *snap;
  IG_TRY(ig_mesh_snapshot(cx, mesh, &snap));
  const ig_status status = ig_snapshot_write(cx, snap, path, 1);
  ig_snapshot_free(snap);
  return status;
}

/* --- legacy text */

/* The next word, over as many lines as it takes; false at the end of the file. */
static bool word(ig_mesh_text *t, char **p, char **from, char **stop) {
  for (;;) {
    while (*p < t->line_end && (**p == ' ' || **p == '\t' || **p == '\0'))
      ++*p;
    if (*p < t->line_end)
      break;
    if (!ig_text_line(t))
      return false;
    *p = t->line;
  }
  *from = *p;
  while (*p < t->line_end && **p != ' ' && **p != '\t' && **p != '\0')
    ++*p;
  *stop = *p;
  return true;
}

static ig_status end_of_file(ig_mesh_text *t, const char *in) {
  return ig_text_fail(t, t->line_end, "the file ends within %s", in);
}

static ig_status word_int(ig_mesh_text *t, char **p, const char *in, int64_t low, int64_t high,
                          int64_t *value) {
  char *from, *stop;
  if (!word(t, p, &from, &stop))
    return end_of_file(t, in);
  IG_TRY(ig_text_int(t, from, stop, value));
  if (*value < low || *value > high)
    return ig_text_fail(t, from, "%lld in %s: expected %lld to %lld", (long long)*value, in,
                        (long long)low, (long long)high);
  return IG_OK;
}

/* What has been read of a legacy file; becomes a snapshot once all sizes are known. */
typedef struct {
  ig_mesh_text t;
  char *p;
  int64_t points, cells, corners;
  double *point;
  int64_t *corner, *offset;
  uint8_t *type;
  ig_snapshot *snap;
} legacy;

/* Sizes are believed only as far as the file could hold them, two bytes a number. */
static ig_status count_read(legacy *l, const char *in, int per, int64_t *count) {
  IG_TRY(word_int(&l->t, &l->p, in, 0, INT32_MAX, count));
  if (*count * per * 2 > l->t.end - l->t.text + 2)
    return ig_text_fail(&l->t, l->p, "%s: %lld are more than this file can hold", in,
                        (long long)*count);
  return IG_OK;
}

static ig_status points_read(legacy *l) {
  char *from, *stop;
  IG_TRY(count_read(l, "POINTS", 3, &l->points));
  if (!word(&l->t, &l->p, &from, &stop)) /* float or double */
    return end_of_file(&l->t, "POINTS");
  if (l->point)
    return ig_text_fail(&l->t, from, "POINTS comes twice");
  IG_TRY(IG_NEW(l->t.cx, &l->point, 3 * l->points, "points"));
  for (int64_t i = 0; i < 3 * l->points; i++) {
    if (!word(&l->t, &l->p, &from, &stop))
      return end_of_file(&l->t, "POINTS");
    IG_TRY(ig_text_real(&l->t, from, stop, &l->point[i]));
  }
  return IG_OK;
}

/* Version 5 and up: OFFSETS and CONNECTIVITY, the first count one more than the cells. */
static ig_status cells_read_new(legacy *l) {
  char *from, *stop;
  for (int part = 0; part < 2; part++) {
    if (!word(&l->t, &l->p, &from, &stop))
      return end_of_file(&l->t, "CELLS");
    const char *name = part ? "CONNECTIVITY" : "OFFSETS";
    if (!ig_text_is(from, stop, name))
      return ig_text_fail(&l->t, from, "expected %s", name);
    if (!word(&l->t, &l->p, &from, &stop)) /* its type */
      return end_of_file(&l->t, "CELLS");
    const int64_t count = part ? l->corners : l->cells + 1;
    int64_t *into = part ? l->corner : l->offset, last = 0;
    for (int64_t i = 0; i < count; i++) {
      IG_TRY(word_int(&l->t, &l->p, name, part ? 0 : last, part ? l->points - 1 : l->corners,
                      &into[i]));
      last = into[i];
    }
  }
  if (l->offset[0] != 0 || l->offset[l->cells] != l->corners)
    return ig_text_fail(&l->t, l->p, "OFFSETS do not span CONNECTIVITY");
  return IG_OK;
}

static ig_status cells_read(legacy *l, bool new_style) {
  int64_t cells, size;
  IG_TRY(count_read(l, "CELLS", 1, &cells));
  IG_TRY(count_read(l, "CELLS", 1, &size));
  if (l->corner || !l->point)
    return ig_text_fail(&l->t, l->p, l->corner ? "CELLS comes twice" : "CELLS before POINTS");
  if (new_style && cells == 0)
    return ig_text_fail(&l->t, l->p, "CELLS 0: expected the number of cells plus 1");
  if (!new_style && size < cells)
    return ig_text_fail(&l->t, l->p, "CELLS %lld %lld: expected at least one number a cell",
                        (long long)cells, (long long)size);
  l->cells = new_style ? cells - 1 : cells;
  l->corners = new_style ? size : size - cells;
  IG_TRY(IG_NEW(l->t.cx, &l->offset, l->cells + 1, "cells"));
  IG_TRY(IG_NEW(l->t.cx, &l->corner, l->corners, "cells"));
  if (new_style)
    return cells_read_new(l);
  int64_t at = 0;
  for (int64_t c = 0; c < l->cells; c++) {
    int64_t n;
    IG_TRY(word_int(&l->t, &l->p, "CELLS", 1, l->corners - at, &n));
    l->offset[c] = at;
    for (int64_t i = 0; i < n; i++)
      IG_TRY(word_int(&l->t, &l->p, "CELLS", 0, l->points - 1, &l->corner[at++]));
  }
  l->offset[l->cells] = at;
  l->corners = at;
  return IG_OK;
}

static ig_status types_read(legacy *l) {
  int64_t cells, value;
  IG_TRY(word_int(&l->t, &l->p, "CELL_TYPES", 0, INT32_MAX, &cells));
  if (!l->corner || cells != l->cells || l->type)
    return ig_text_fail(&l->t, l->p, "CELL_TYPES %lld: expected it once, after CELLS, with %lld",
                        (long long)cells, (long long)l->cells);
  IG_TRY(IG_NEW(l->t.cx, &l->type, cells, "cell types"));
  for (int64_t c = 0; c < cells; c++) {
    IG_TRY(word_int(&l->t, &l->p, "CELL_TYPES", 0, 255, &value));
    l->type[c] = (uint8_t)value;
  }
  IG_TRY(ig_snapshot_new(l->t.cx, l->points, l->cells, l->corners, 0, 0, &l->snap));
  memcpy(l->snap->point, l->point, 3 * (size_t)l->points * sizeof *l->point);
  memcpy(l->snap->corner, l->corner, (size_t)l->corners * sizeof *l->corner);
  memcpy(l->snap->offset, l->offset, (size_t)(l->cells + 1) * sizeof *l->offset);
  memcpy(l->snap->type, l->type, (size_t)l->cells);
  return IG_OK;
}

/* SCALARS name type [1], LOOKUP_TABLE name, values: ours are kept, others passed over. */
static ig_status scalars_read(legacy *l, ig_location where) {
  char *from, *stop, name[64] = "";
  if (!word(&l->t, &l->p, &from, &stop))
    return end_of_file(&l->t, "SCALARS");
  const size_t length = (size_t)(stop - from);
  if (length < sizeof name)
    memcpy(name, from, length);
  bool wanted = strcmp(name, "tag") == 0 || strcmp(name, "shell") == 0;
  for (int kind = 0; kind < 3; kind++)
    wanted = wanted || strncmp(name, prefix[kind], strlen(prefix[kind])) == 0;
  wanted = wanted && !strchr(name, '/');
  int64_t components = 1;
  if (!word(&l->t, &l->p, &from, &stop)) /* type */
    return end_of_file(&l->t, "SCALARS");
  if (!word(&l->t, &l->p, &from, &stop))
    return end_of_file(&l->t, "SCALARS");
  if (!ig_text_is(from, stop, "LOOKUP_TABLE")) {
    IG_TRY(ig_text_int(&l->t, from, stop, &components));
    if (components < 1 || components > 4)
      return ig_text_fail(&l->t, from, "SCALARS of %lld components: expected 1 to 4",
                          (long long)components);
    if (!word(&l->t, &l->p, &from, &stop) || !ig_text_is(from, stop, "LOOKUP_TABLE"))
      return ig_text_fail(&l->t, from, "expected LOOKUP_TABLE");
  }
  if (!word(&l->t, &l->p, &from, &stop)) /* its name */
    return end_of_file(&l->t, "SCALARS");
  const bool is_tag = strcmp(name, "tag") == 0;
  const int64_t items = where == IG_AT_POINTS ? l->points : l->cells;
  void *data = NULL;
  if (wanted && components == 1) {
    for (int i = 0; i < l->snap->fields; i++)
      if (strcmp(l->snap->field[i].name, name) == 0)
        return ig_text_fail(&l->t, from, "'%s' comes twice", name);
    IG_TRY(ig_snapshot_add(l->snap, name, "", where, is_tag ? IG_I32 : IG_U8, 1, NULL, &data));
  }
  for (int64_t i = 0; i < items * components; i++) {
    int64_t value;
    if (data)
      IG_TRY(
          word_int(&l->t, &l->p, name, is_tag ? INT32_MIN : 0, is_tag ? INT32_MAX : 255, &value));
    else if (!word(&l->t, &l->p, &from, &stop))
      return end_of_file(&l->t, "SCALARS");
    if (data && is_tag)
      ((int32_t *)data)[i] = (int32_t)value;
    else if (data)
      ((uint8_t *)data)[i] = (uint8_t)value;
  }
  return IG_OK;
}

static ig_status header_read(legacy *l, bool *new_style) {
  int major = 0, minor = 0;
  ig_mesh_text *t = &l->t;
  if (!ig_text_line(t) || sscanf(t->line, "# vtk DataFile Version %3d.%3d", &major, &minor) != 2)
    return ig_text_fail(t, t->line, "expected '# vtk DataFile Version …'");
  *new_style = major >= 5;
  const bool title = ig_text_line(t);
  if (!title || !ig_text_line(t)) /* then the encoding */
    return end_of_file(t, "the header");
  char *from, *stop;
  l->p = t->line;
  if (!word(t, &l->p, &from, &stop))
    return end_of_file(t, "the header");
  if (ig_text_is(from, stop, "BINARY"))
    return ig_text_fail(t, from, "binary VTK files are not read: save it as ASCII or as .vtkhdf");
  if (!ig_text_is(from, stop, "ASCII"))
    return ig_text_fail(t, from, "expected ASCII");
  if (!word(t, &l->p, &from, &stop) || !ig_text_is(from, stop, "DATASET"))
    return ig_text_fail(t, l->p, "expected DATASET UNSTRUCTURED_GRID");
  if (!word(t, &l->p, &from, &stop) || !ig_text_is(from, stop, "UNSTRUCTURED_GRID"))
    return ig_text_fail(t, from, "expected UNSTRUCTURED_GRID");
  return IG_OK;
}

static ig_status legacy_read(legacy *l) {
  bool new_style = false;
  IG_TRY(header_read(l, &new_style));
  ig_location where = IG_AT_CELLS;
  bool in_data = false;
  char *from, *stop;
  while (word(&l->t, &l->p, &from, &stop)) {
    if (ig_text_is(from, stop, "POINTS"))
      IG_TRY(points_read(l));
    else if (ig_text_is(from, stop, "CELLS"))
      IG_TRY(cells_read(l, new_style));
    else if (ig_text_is(from, stop, "CELL_TYPES"))
      IG_TRY(types_read(l));
    else if (ig_text_is(from, stop, "CELL_DATA") || ig_text_is(from, stop, "POINT_DATA")) {
      where = ig_text_is(from, stop, "CELL_DATA") ? IG_AT_CELLS : IG_AT_POINTS;
      in_data = true;
      const int64_t expected = where == IG_AT_POINTS ? l->points : l->cells;
      int64_t count;
      IG_TRY(word_int(&l->t, &l->p, "data", expected, expected, &count));
      if (!l->snap)
        return ig_text_fail(&l->t, from, "data before CELL_TYPES");
    } else if (in_data && ig_text_is(from, stop, "SCALARS"))
      IG_TRY(scalars_read(l, where));
    else if (in_data) /* other people's data: the mesh is complete */
      break;
    else
      return ig_text_fail(&l->t, from, "'%.*s': expected POINTS, CELLS, CELL_TYPES or data",
                          (int)(stop - from > 40 ? 40 : stop - from), from);
  }
  return l->snap ? IG_OK : end_of_file(&l->t, "the grid: expected POINTS, CELLS and CELL_TYPES");
}

ig_status ig_mesh_read_vtk(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  (void)options;
  *mesh = NULL;
  legacy l = {0};
  IG_TRY(ig_text_open(cx, path, &l.t));
  const ig_status status = legacy_read(&l);
  ig_text_close(&l.t);
  free(l.point);
  free(l.corner);
  free(l.offset);
  free(l.type);
  if (status != IG_OK) {
    ig_snapshot_free(l.snap);
    return status;
  }
  return to_mesh(cx, path, l.snap, mesh);
}

static void legacy_write(FILE *f, const ig_snapshot *snap) {
  fprintf(f, "# vtk DataFile Version 3.0\nIngot mesh\nASCII\nDATASET UNSTRUCTURED_GRID\n");
  fprintf(f, "POINTS %lld double\n", (long long)snap->points);
  for (int64_t i = 0; i < snap->points; i++)
    ig_print(f, "%.17g %.17g %.17g\n", snap->point[3 * i], snap->point[3 * i + 1],
             snap->point[3 * i + 2]);
  fprintf(f, "CELLS %lld %lld\n", (long long)snap->cells,
          (long long)snap->cells + (long long)snap->corners);
  for (int64_t c = 0; c < snap->cells; c++) {
    fprintf(f, "%lld", (long long)(snap->offset[c + 1] - snap->offset[c]));
    for (int64_t i = snap->offset[c]; i < snap->offset[c + 1]; i++)
      fprintf(f, " %lld", (long long)snap->corner[i]);
    fputc('\n', f);
  }
  fprintf(f, "CELL_TYPES %lld\n", (long long)snap->cells);
  for (int64_t c = 0; c < snap->cells; c++)
    fprintf(f, "%d\n", snap->type[c]);
  for (int where = 0; where < 2; where++) {
    const int64_t items = where ? snap->cells : snap->points;
    fprintf(f, "%s %lld\n", where ? "CELL_DATA" : "POINT_DATA", (long long)items);
    for (int i = 0; i < snap->fields; i++) {
      const ig_field *field = &snap->field[i];
      if ((field->where == IG_AT_POINTS) == where)
        continue;
      const bool tag = field->dtype == IG_I32;
      fprintf(f, "SCALARS %s %s 1\nLOOKUP_TABLE default\n", field->name,
              tag ? "int" : "unsigned_char");
      for (int64_t k = 0; k < items; k++)
        fprintf(f, "%d\n", tag ? ((int32_t *)field->data)[k] : ((uint8_t *)field->data)[k]);
    }
  }
}

ig_status ig_mesh_write_vtk(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  ig_snapshot *snap;
  IG_TRY(ig_mesh_snapshot(cx, mesh, &snap));
  ig_status status = IG_OK;
  for (int i = 0; i < snap->fields && status == IG_OK; i++)
    if (strpbrk(snap->field[i].name, " \t\r\n"))
      status = IG_FAIL(cx, IG_INPUT, "set '%s' cannot be written to .vtk: its name has spaces",
                       strchr(snap->field[i].name, ':') + 1);
  char *text = NULL;
  size_t size = 0;
  FILE *f = status == IG_OK ? open_memstream(&text, &size) : NULL;
  if (f) {
    legacy_write(f, snap);
    const bool failed = ferror(f);
    status = fclose(f) != 0 || failed ? IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path)
                                      : ig_store(cx, path, text, size);
  } else if (status == IG_OK) {
    status = IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path);
  }
  free(text);
  ig_snapshot_free(snap);
  return status;
}
