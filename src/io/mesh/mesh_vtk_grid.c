/* From VTK's cells and fields to a mesh and its sets; shared by .vtk, .vtu, .pvtu and .vtkhdf. */
#include "core/vtk_corner.h"
#include "core/sorted.h"
#include "io/mesh/cell_types.h"
#include "io/format/vtk.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A field with more different values is a numbering or a result, not a classification. */
enum { MOST_VALUES = 100 }; /* a field of more different numbers counts, it does not sort */

/* --- cells */

/* VTK's cell types (vtkCellType.h) and our codes; vertices are no elements and are skipped. */
static const struct {
  int vtk, code; /* code -1: not an element */
} types[] = {{1, -1},
             {2, -1},
             {3, IG_BEAM2},
             {4, IG_BEAM2},
             {5, IG_TRI3},
             {6, IG_TRI3},
             {7, IG_TRI3},
             {8, IG_QUAD4},
             {9, IG_QUAD4},
             {10, IG_TET4},
             {11, IG_HEX8},
             {12, IG_HEX8},
             {13, IG_WEDGE6},
             {14, IG_PYRAMID5},
             {21, IG_BEAM3},
             {22, IG_TRI6},
             {23, IG_QUAD8},
             {24, IG_TET10},
             {25, IG_HEX20},
             {26, IG_WEDGE15},
             {27, IG_CELL_PYRAMID13},
             {28, IG_CELL_QUAD9},
             {29, IG_CELL_HEX27},
             {32, IG_CELL_WEDGE18}};

/* Conversion under way. */
typedef struct {
  const ig_vtk_grid *g;
  const char *path;
  ig_lid cells; /* that are elements */
  uint8_t *type, *children;
  int64_t *offset;
  ig_lid *corner, *number, *of; /* of: the grid's cell */
  int32_t *tag;
  const int64_t *ghost; /* of cells: not 0 where another piece has it too; may be NULL */
  ig_mesh *mesh;
} maker;

/* Checks type, number of points and their range, and converts the node order. Ghost cells, which
   another piece has too, are skipped. */
static ig_status cell_take(maker *m, int64_t cell, unsigned *seen) {
  const ig_vtk_grid *g = m->g;
  const int64_t *from = g->corner + g->offset[cell], n = g->offset[cell + 1] - g->offset[cell];
  size_t k = 0;
  while (k < sizeof types / sizeof *types && types[k].vtk != g->type[cell])
    k++;
  if (k == sizeof types / sizeof *types)
    return IG_FAIL(
        g->cx, IG_INPUT,
        "%s: cell %lld is of VTK type %d: expected lines (3, 4), triangles (5, 6, 22), polygons "
        "(7), quadrilaterals (8, 9), tetrahedra (10, 24), hexahedra (11, 12, 25), wedges (13, 26) "
        "or pyramids (14)",
        m->path, (long long)cell, g->type[cell]);
  if (types[k].code < 0 || (m->ghost && m->ghost[cell]))
    return IG_OK;
  const ig_cell_info info = ig_cell_info_get(types[k].code);
  if (n != info.nodes)
    return IG_FAIL(g->cx, IG_INPUT, "%s: cell %lld has %lld points: a %s has %d", m->path,
                   (long long)cell, (long long)n, info.name, info.nodes);
  ig_lid *to = m->corner + m->offset[m->cells];
  for (int64_t i = 0; i < n; i++) {
    if (from[i] < 0 || from[i] >= g->points)
      return IG_FAIL(g->cx, IG_INPUT, "%s: cell %lld uses point %lld: there are %lld", m->path,
                     (long long)cell, (long long)from[i], (long long)g->points);
    /* Pixels (8) and voxels (11) are numbered along rows, quadrilaterals and hexahedra around. */
    const bool crossed = (g->type[cell] == 8 || g->type[cell] == 11) && i % 4 > 1;
    to[crossed ? i ^ 1 : ig_vtk_corner((ig_elem_type)types[k].code, (int)i)] = (ig_lid)from[i];
  }
  m->type[m->cells] = (uint8_t)types[k].code;
  m->of[m->cells] = (ig_lid)cell;
  m->offset[m->cells + 1] = m->offset[m->cells] + n;
  m->cells++;
  *seen |= ig_cell_bit(types[k].code);
  return IG_OK;
}

/* --- sets */

/* A field of cells with one value for each of them; NULL: there is none of the name. */
static const ig_vtk_field *field_find(const ig_vtk_grid *g, const char *name) {
  for (int i = 0; i < g->fields; i++)
    if (!g->field[i].at_points && g->field[i].count == g->cells &&
        strcmp(g->field[i].name, name) == 0)
      return &g->field[i];
  return NULL;
}

/* Element or face set of the cells whose value passes: equal to `wanted` (one_value), or not 0.
   faces: the value has a bit per local face. Elements that were cut are followed. A mask over
   elements first, as one cell may have become several; the value of a set of
   faces has a bit for each face of the cell. */
static ig_status set_of_cells(maker *m, const char *name, const int64_t *value, bool one_value,
                              int64_t wanted, bool faces) {
  uint8_t *mask;
  const ig_lid elements = ig_mesh_elements(m->mesh);
  ig_lid count = 0;
  ig_set *set;
  IG_TRY(IG_NEW(m->g->cx, &mask, elements + 1, "set"));
  for (ig_lid c = 0; c < m->cells; c++) {
    /* of[]: the cell of the file that a cell of ours was. */
    const int64_t v = value[m->of[c]];
    for (int k = 0; k < m->children[c] && !faces; k++)
      mask[m->number[c] + k] = one_value ? v == wanted : v != 0;
    for (int f = 0; faces && f < ig_cell_faces(m->type[c]); f++) {
      int64_t made[IG_CELL_MOST_FACES];
      int count_made = 0;
      if (v >> f & 1)
        count_made = ig_cell_faces_made(m->type[c], m->corner + m->offset[c], f, m->mesh,
                                        m->number[c], m->children[c], made);
      for (int k = 0; k < count_made; k++)
        mask[made[k] >> 8] |= (uint8_t)(1 << (made[k] & 255));
    }
    if (faces && v >> ig_cell_faces(m->type[c])) {
      free(mask);
      return IG_FAIL(m->g->cx, IG_INPUT,
                     "%s: set '%s' names face %d of element %lld (%s): it has %d", m->path, name,
                     63 - __builtin_clzll((unsigned long long)v), (long long)m->of[c],
                     ig_elem_info_get(ig_cell_type(m->type[c]))->name, ig_cell_faces(m->type[c]));
    }
  }
  /* One bit a face: the number of bits is the number of faces. */
  for (ig_lid e = 0; e < elements; e++)
    count += faces ? __builtin_popcount(mask[e]) : mask[e];
  ig_status status =
      ig_mesh_add_set(m->g->cx, m->mesh, name, faces ? IG_SET_FACES : IG_SET_ELEMENTS, count, &set);
  for (ig_lid e = 0, at = 0; status == IG_OK && e < elements; e++)
    for (int bit = 0; faces ? mask[e] >> bit : bit == 0 && mask[e]; bit++)
      if (mask[e] >> bit & 1) {
        set->item[at] = e;
        if (faces)
          set->face[at] = (uint8_t)bit;
        at++;
      }
  free(mask);
  return status;
}

/* Every point with a value other than zero. */
static ig_status set_of_points(maker *m, const char *name, const int64_t *value) {
  ig_lid count = 0;
  ig_set *set;
  for (int64_t i = 0; i < m->g->points; i++)
    count += value[i] != 0;
  IG_TRY(ig_mesh_add_set(m->g->cx, m->mesh, name, IG_SET_NODES, count, &set));
  for (int64_t i = 0, at = 0; i < m->g->points; i++)
    if (value[i])
      set->item[at++] = (ig_lid)i;
  return IG_OK;
}

/* One set NAME_value for each value of a whole-number field (material, part, physical group). VTK's
   own fields are skipped. A field of whole numbers with few values, such as a region or a part,
   becomes a set for each of them. */
static ig_status sets_by_value(maker *m, const ig_vtk_field *f) {
  int64_t value[MOST_VALUES + 1];
  int values = 0;
  char name[96];
  for (ig_lid c = 0; c < m->cells && values <= MOST_VALUES; c++) {
    const int64_t v = f->value[m->of[c]];
    int i = values - 1;
    while (i >= 0 && value[i] != v)
      i--;
    if (i < 0)
      value[values++] = v;
  }
  if (values > MOST_VALUES || strncmp(f->name, "vtk", 3) == 0)
    return IG_OK;
  if (values)
    qsort(value, (size_t)values, sizeof *value, ig_rising_i64);
  for (int i = 0; i < values; i++) {
    snprintf(name, sizeof name, "%.30s_%lld", f->name, (long long)value[i]);
    for (char *c = name; *c; c++)
      *c = isalnum((unsigned char)*c) || *c == '-' || *c == '.' ? *c : '_';
    if (!ig_mesh_find_set(m->mesh, name, IG_SET_ELEMENTS))
      IG_TRY(set_of_cells(m, name, f->value, true, value[i], false));
  }
  return IG_OK;
}

/* Fields of a mesh written by Ingot (own) are sets only where their name says so. */
static ig_status field_sets(maker *m, const ig_vtk_field *f, bool own) {
  const ig_vtk_grid *g = m->g;
  const bool set = strncmp(f->name, "elements:", 9) == 0 || strncmp(f->name, "faces:", 6) == 0;
  for (int64_t i = 0; set && i < f->count; i++)
    if (f->value[i] < 0 || f->value[i] > 255)
      return IG_FAIL(g->cx, IG_INPUT, "%s: %lld in %s: expected 0 to 255", m->path,
                     (long long)f->value[i], f->name);
  if (f->count != (f->at_points ? g->points : g->cells))
    return IG_OK; /* some piece did not have it */
  if (f->at_points)
    return strncmp(f->name, "nodes:", 6) == 0 && f->name[6]
               ? set_of_points(m, f->name + 6, f->value)
               : IG_OK;
  if (strncmp(f->name, "elements:", 9) == 0 && f->name[9])
    return set_of_cells(m, f->name + 9, f->value, false, 0, false);
  if (strncmp(f->name, "faces:", 6) == 0 && f->name[6])
    return set_of_cells(m, f->name + 6, f->value, false, 0, true);
  if (own || strcmp(f->name, "tag") == 0 || strcmp(f->name, "shell") == 0)
    return IG_OK;
  return sets_by_value(m, f);
}

/* --- the mesh */

/* The first whole-number cell field becomes the tag if there is none of that name. Cells that are
   ghosts of another piece are left out, as vtkGhostType marks them. */
static ig_status make(maker *m, const ig_mesh_read_options *options) {
  const ig_vtk_grid *g = m->g;
  unsigned seen = 0;
  const ig_vtk_field *tag = field_find(g, "tag"), *shell = field_find(g, "shell");
  const ig_vtk_field *ghost = field_find(g, "vtkGhostType");
  /* A tag of our own, or else the first field of cells that can be one. */
  const bool own = tag != NULL;
  m->ghost = ghost ? ghost->value : NULL;
  for (int i = 0; i < g->fields && !tag; i++)
    tag = !g->field[i].at_points && strchr(g->field[i].name, ':') == NULL
              ? field_find(g, g->field[i].name)
              : NULL;
  IG_TRY(IG_NEW(g->cx, &m->type, g->cells, "cells"));
  IG_TRY(IG_NEW(g->cx, &m->children, g->cells, "cells"));
  IG_TRY(IG_NEW(g->cx, &m->offset, g->cells + 1, "cells"));
  IG_TRY(IG_NEW(g->cx, &m->corner, g->corners, "cells"));
  IG_TRY(IG_NEW(g->cx, &m->number, g->cells, "cells"));
  IG_TRY(IG_NEW(g->cx, &m->of, g->cells, "cells"));
  IG_TRY(IG_NEW(g->cx, &m->tag, g->cells, "cells"));
  /* Cells that are ghosts or of no known type are left out. */
  for (int64_t c = 0; c < g->cells; c++)
    IG_TRY(cell_take(m, c, &seen));
  if (m->cells == 0)
    return IG_FAIL(g->cx, IG_INPUT, "%s: no mesh found: %lld points, %lld cells", m->path,
                   (long long)g->points, (long long)g->cells);
  for (ig_lid c = 0; tag && c < m->cells; c++) {
    const int64_t v = tag->value[m->of[c]];
    m->tag[c] = v >= INT32_MIN && v <= INT32_MAX ? (int32_t)v : 0;
  }
  /* A mesh that was a shell stays one, also if it is flat. */
  const int dim = shell ? 3 : ig_mesh_infer_dim(g->point, (ig_lid)g->points, seen);
  IG_TRY(ig_mesh_new(g->cx, dim, (ig_lid)g->points, &m->mesh));
  memcpy(m->mesh->x, g->point, 3 * (size_t)g->points * sizeof(double));
  const ig_cells cells = {m->cells,       m->type,     m->offset,          m->corner,      m->tag,
                          options->split, m->children, options->quadratic, options->curved};
  IG_TRY(ig_mesh_add_cells(g->cx, m->mesh, &cells, m->number));
  /* Sets are made last, when the numbers of elements are known. */
  for (int i = 0; i < g->fields; i++)
    IG_TRY(field_sets(m, &g->field[i], own));
  return IG_OK;
}

ig_status ig_vtk_mesh(const ig_vtk_grid *g, const char *path, const ig_mesh_read_options *options,
                      ig_mesh **mesh) {
  ig_vtk_grid *cut;
  *mesh = NULL;
  IG_TRY(IG_NEW(g->cx, &cut, 1, "cells"));
  ig_status status = ig_vtk_split(g, path, cut);
  maker m = {.g = cut->cells ? cut : g, .path = path};
  if (status == IG_OK)
    status = make(&m, options);
  ig_vtk_split_free(cut);
  free(cut);
  free(m.type);
  free(m.children);
  free(m.offset);
  free(m.corner);
  free(m.number);
  free(m.of);
  free(m.tag);
  if (status != IG_OK)
    ig_mesh_free(m.mesh);
  *mesh = status == IG_OK ? m.mesh : NULL;
  return status;
}
