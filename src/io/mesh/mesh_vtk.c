/* Meshes as VTK grids: Ingot's VTKHDF files, and legacy VTK text (writing). A mesh is converted to
   a snapshot with its sets as fields: point field "nodes:NAME" and cell field "elements:NAME" are 0
   or 1, cell field "faces:NAME" has a bit per local face, "tag" is the region, "shell" marks a flat
   mesh that lives in space. So every set can be looked at in a viewer. */
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/format/vtk.h"
#include "io/result/vtkhdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const prefix[] = {
    [IG_SET_NODES] = "nodes:", [IG_SET_ELEMENTS] = "elements:", [IG_SET_FACES] = "faces:"};

/* Bits of the element types in use. */
static unsigned types_of(const ig_mesh *mesh) {
  unsigned types = 0;
  for (int b = 0; b < mesh->blocks; b++)
    types |= 1u << mesh->block[b].type;
  return types;
}

/* --- mesh to snapshot */

/* 64 bytes are the length of field names in snapshots; '/' separates groups in HDF5. */
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

/* "shell" is needed because a flat mesh at z = 0 would be read back as a plane one. */
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

/* Sets become fields of zeros and ones, named nodes:NAME, elements:NAME and faces:NAME, by which
   they are read back. *out is the caller's. */
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

/* --- VTKHDF */

/* Only fields of single whole numbers can be sets; others are not copied. */
static ig_status snapshot_grid(const ig_snapshot *snap, ig_vtk_grid *g) {
  IG_TRY(ig_vtk_grow(g, snap->points, snap->cells, snap->corners));
  memcpy(g->point, snap->point, 3 * (size_t)snap->points * sizeof *g->point);
  memcpy(g->corner, snap->corner, (size_t)snap->corners * sizeof *g->corner);
  memcpy(g->offset, snap->offset, (size_t)(snap->cells + 1) * sizeof *g->offset);
  memcpy(g->type, snap->type, (size_t)snap->cells);
  for (int i = 0; i < snap->fields; i++) {
    const ig_field *f = &snap->field[i];
    const bool at_points = f->where == IG_AT_POINTS;
    int64_t *value, count = at_points ? snap->points : snap->cells;
    if (f->components != 1 || (f->dtype != IG_U8 && f->dtype != IG_I32 && f->dtype != IG_I64))
      continue;
    IG_TRY(ig_vtk_field_add(g, f->name, at_points, count, &value));
    for (int64_t k = 0; value && k < count; k++)
      value[k] = f->dtype == IG_U8    ? ((const uint8_t *)f->data)[k]
                 : f->dtype == IG_I32 ? ((const int32_t *)f->data)[k]
                                      : ((const int64_t *)f->data)[k];
  }
  return IG_OK;
}

/* The last step of a file with several. */
ig_status ig_mesh_read_vtkhdf(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                              ig_mesh **mesh) {
  ig_snapshot *snap;
  ig_vtk_grid grid = {.cx = cx};
  *mesh = NULL;
  IG_TRY(ig_snapshot_read(cx, path, &snap));
  ig_status status = snapshot_grid(snap, &grid);
  ig_snapshot_free(snap);
  if (status == IG_OK)
    status = ig_vtk_mesh(&grid, path, options, mesh);
  ig_vtk_free(&grid);
  return status;
}

ig_status ig_mesh_write_vtkhdf(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  ig_snapshot *snap;
  IG_TRY(ig_mesh_snapshot(cx, mesh, &snap));
  const ig_status status = ig_snapshot_write(cx, snap, path, 1);
  ig_snapshot_free(snap);
  return status;
}

/* --- legacy text (VTK file formats, "simple legacy formats") */

/* 17 digits reproduce doubles exactly. The legacy format, version 3.0, as text: the form that all
   programs read. */
static void legacy_write(FILE *f, const ig_snapshot *snap) {
  fprintf(f, "# vtk DataFile Version 3.0\nIngot mesh\nASCII\nDATASET UNSTRUCTURED_GRID\n");
  fprintf(f, "POINTS %lld double\n", (long long)snap->points);
  for (int64_t i = 0; i < snap->points; i++)
    ig_print(f, "%.17g %.17g %.17g\n", snap->point[3 * i], snap->point[3 * i + 1],
             snap->point[3 * i + 2]);
  fprintf(f, "CELLS %lld %lld\n", (long long)snap->cells,
          (long long)snap->cells + (long long)snap->corners);
  /* Each cell begins with the number of its corners. */
  for (int64_t c = 0; c < snap->cells; c++) {
    fprintf(f, "%lld", (long long)(snap->offset[c + 1] - snap->offset[c]));
    for (int64_t i = snap->offset[c]; i < snap->offset[c + 1]; i++)
      fprintf(f, " %lld", (long long)snap->corner[i]);
    fputc('\n', f);
  }
  fprintf(f, "CELL_TYPES %lld\n", (long long)snap->cells);
  for (int64_t c = 0; c < snap->cells; c++)
    fprintf(f, "%d\n", snap->type[c]);
  /* Points first, then cells; every field has one component. */
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

/* Words end at spaces in this format, so names with spaces cannot be written. Names of fields end
   at a space in this format, hence the check. */
ig_status ig_mesh_write_vtk(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  ig_snapshot *snap;
  IG_TRY(ig_mesh_snapshot(cx, mesh, &snap));
  ig_status status = IG_OK;
  for (int i = 0; i < snap->fields && status == IG_OK; i++)
    if (strchr(snap->field[i].name, ' ') || ig_name_is_odd(snap->field[i].name))
      status =
          IG_FAIL(cx, IG_INPUT,
                  "set '%s' cannot be written to .vtk: its name has spaces or control characters",
                  strchr(snap->field[i].name, ':') + 1);
  char *text = NULL;
  size_t size = 0;
  FILE *f = status == IG_OK ? open_memstream(&text, &size) : NULL;
  if (f) {
    legacy_write(f, snap);
    status = ig_text_store(cx, path, f, &text, &size);
  } else if (status == IG_OK) {
    status = IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path);
  }
  ig_snapshot_free(snap);
  return status;
}
