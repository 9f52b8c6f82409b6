/* Shapes with straight edges: boxes that join where they touch, and a plate. Boxes are made one by
   one as structured grids, appended, and welded at their outer nodes; before any is made, all are
   checked for overlap and for grids that match where they touch. */
#include "geometry/shape_structured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A box as read: cells along each axis, corner and edge lengths in m, and the thinnest cell. */
typedef struct {
  int dim;
  ig_lid n[3];
  double origin[3], size[3];
  double *at[3]; /* grid lines, n + 1 an axis */
  double smallest;
} box;

static void box_free(box *b) {
  for (int d = 0; d < 3; d++)
    free(b->at[d]);
}

/* Reads and checks one box and lays its grid lines. Messages carry no place: the caller adds it. */
static ig_status box_read(ig_ctx *cx, const ig_box_case *c, box *b) {
  static const char *const axis[] = {"in x", "in y", "in z"};
  memset(b, 0, sizeof *b);
  b->dim = c->cells.count;
  if (b->dim != 2 && b->dim != 3)
    return IG_FAIL(cx, IG_INPUT, "cells has %d entries: expected 2 (plane) or 3 (solid)", b->dim);
  IG_TRY(ig_shape_cells(cx, &c->cells, b->dim, axis, b->n));
  if (c->size.count != b->dim)
    return IG_FAIL(cx, IG_INPUT, "size has %d entries, cells has %d: expected the same",
                   c->size.count, b->dim);
  if (c->origin.count && c->origin.count != b->dim)
    return IG_FAIL(cx, IG_INPUT, "origin has %d entries, cells has %d: expected the same",
                   c->origin.count, b->dim);
  if (c->grading.count && c->grading.count != b->dim)
    return IG_FAIL(cx, IG_INPUT, "grading has %d entries, cells has %d: expected the same",
                   c->grading.count, b->dim);
  /* Cells grow in a geometric row whose last over first is `grading`: line i lies at (r^i - 1) /
     (r^n - 1) of the length with r = grading^(1 / (n - 1)). expm1 keeps the digits for ratios near
     1, and below 1e-12 the row is even. */
  b->smallest = INFINITY;
  for (int d = 0; d < b->dim; d++) {
    const double grading = c->grading.count ? c->grading.value[d] : 1;
    const ig_lid n = b->n[d];
    b->size[d] = c->size.value[d];
    b->origin[d] = c->origin.count ? c->origin.value[d] : 0;
    IG_TRY(ig_shape_positive(cx, "size", b->size[d]));
    if (!(fabs(b->origin[d]) < 1e30))
      return IG_FAIL(cx, IG_INPUT, "origin: %g: expected a length", b->origin[d]);
    if (!(grading >= 1e-6 && grading <= 1e6))
      return IG_FAIL(cx, IG_INPUT, "grading: %g: expected a ratio from 1e-6 to 1e6", grading);
    IG_TRY(IG_NEW(cx, &b->at[d], (size_t)n + 1, "grid lines"));
    const double q = n > 1 ? log(grading) / (n - 1) : 0;
    for (ig_lid i = 0; i <= n; i++) {
      const double share = i == n                ? 1
                           : fabs(q * n) < 1e-12 ? (double)i / n
                                                 : expm1(q * i) / expm1(q * n);
      b->at[d][i] = b->origin[d] + b->size[d] * share;
      /* Grading may make cells thinner than the spacing of numbers at a far origin. */
      if (i > 0) {
        const double step = b->at[d][i] - b->at[d][i - 1];
        if (!(step > 0))
          return IG_FAIL(cx, IG_INPUT, "cells %s are thinner than rounding at %g m: take fewer",
                         axis[d], b->at[d][i]);
        b->smallest = fmin(b->smallest, step);
      }
    }
  }
  return IG_OK;
}

/* Place of grid point i, j of the floor of a box; the height comes with ig_mesh_builder_extrude. */
static void box_map(const void *arg, ig_lid i, ig_lid j, double *x) {
  const box *b = arg;
  x[0] = b->at[0][i];
  x[1] = b->at[1][j];
}

/* Whether a box has a grid line at x in direction d, found by bisection of its sorted lines. */
static bool has_line(const box *b, int d, double x, double tolerance) {
  ig_lid low = 0, high = b->n[d];
  while (low < high) {
    const ig_lid middle = (low + high) / 2;
    if (b->at[d][middle] < x - tolerance)
      low = middle + 1;
    else
      high = middle;
  }
  return fabs(b->at[d][low] - x) <= tolerance;
}

/* Boxes may touch, with grids that match where they do; they may not overlap. `inside` counts the
   directions in which they share a length, `touching` those in which they share a point only. A
   face is shared when exactly one direction touches and all others overlap. */
static ig_status boxes_fit(ig_ctx *cx, const box *a, const box *b, double tolerance) {
  double low[3], high[3];
  int inside = 0, touching = 0;
  for (int d = 0; d < a->dim; d++) {
    low[d] = fmax(a->origin[d], b->origin[d]);
    high[d] = fmin(a->origin[d] + a->size[d], b->origin[d] + b->size[d]);
    inside += high[d] - low[d] > tolerance;
    touching += fabs(high[d] - low[d]) <= tolerance;
  }
  if (inside == a->dim)
    return IG_FAIL(cx, IG_INPUT,
                   "two boxes overlap from (%g, %g) to (%g, %g) m in x and y: boxes "
                   "may only touch",
                   low[0], low[1], high[0], high[1]);
  if (touching != 1 || inside != a->dim - 1)
    return IG_OK;
  static const char *const axis[] = {"x", "y", "z"};
  for (int d = 0; d < a->dim; d++) {
    if (high[d] - low[d] <= tolerance)
      continue;
    /* Lines of both are looked at, since either grid may be the finer one. */
    for (int swap = 0; swap < 2; swap++) {
      const box *one = swap ? b : a, *other = swap ? a : b;
      for (ig_lid i = 0; i <= one->n[d]; i++) {
        const double x = one->at[d][i];
        if (x > low[d] + tolerance && x < high[d] - tolerance && !has_line(other, d, x, tolerance))
          return IG_FAIL(cx, IG_INPUT,
                         "two boxes touch but their grids do not match at %s = %.9g m: give them "
                         "the same cells there",
                         axis[d], x);
      }
    }
  }
  return IG_OK;
}

/* The grid of one box: a sheet in x and y, drawn out along z for a solid. */
static ig_status box_make(ig_ctx *cx, const box *b, ig_elem_type flat, const ig_mesh_case *c,
                          ig_mesh_builder *draft) {
  const ig_structured s = {.dim = c->shell ? 3 : 2,
                           .n = {b->n[0], b->n[1]},
                           .type = flat,
                           .pattern = c->triangle_pattern,
                           .map = box_map,
                           .arg = b};
  IG_TRY(ig_structured_make(cx, &s, draft));
  return b->dim == 3 ? ig_mesh_builder_extrude(cx, draft, b->n[2], b->at[2]) : IG_OK;
}

/* Elements that one cell of the grid is cut into, by type; six tetrahedra are those of the cut
   along the long diagonal of a cube (Kuhn 1960). */
static int pieces_of_cell(ig_elem_type type, int pattern) {
  switch (type) {
  case IG_QUAD4:
  case IG_HEX8:
  case IG_HEX20:
    return 1;
  case IG_WEDGE6:
  case IG_WEDGE15:
    return 2;
  case IG_TET4:
  case IG_TET10:
    return 6;
  default: /* triangles */
    return pattern == IG_PATTERN_CROSSED ? 4 : 2;
  }
}

/* All boxes together, before any is made: corners of their elements are numbered in 32 bits. */
static ig_status boxes_number(ig_ctx *cx, const box *list, int count, ig_elem_type type,
                              int pattern) {
  const double pieces = pieces_of_cell(type, pattern);
  double elements = 0;
  for (int i = 0; i < count; i++)
    elements += pieces * list[i].n[0] * list[i].n[1] * (list[i].dim == 3 ? list[i].n[2] : 1);
  const ig_elem_info *info = ig_elem_info_get(type);
  if (elements * info->nodes > INT32_MAX)
    return IG_FAIL(
        cx, IG_INPUT,
        "%.3g elements (%s) are more than one mesh can number: at most %d; take fewer cells",
        elements, info->name, INT32_MAX / info->nodes);
  return IG_OK;
}

/* Appends `more` (one block, the same type) and empties it. Nodes stay double where boxes touch
   until they are welded. On failure both drafts remain valid and are freed by the caller: each
   array that could be enlarged is kept, and no count has changed yet. */
static ig_status append(ig_ctx *cx, ig_mesh_builder *draft, ig_mesh_builder *more) {
  ig_mesh *a = draft->mesh, *b = more->mesh;
  ig_block *p = &a->block[0], *q = &b->block[0];
  const size_t npe = (size_t)ig_elem_info_get(p->type)->nodes;
  if ((int64_t)a->nodes + b->nodes > INT32_MAX ||
      ((int64_t)p->count + q->count) * (int64_t)npe > INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "the boxes together have more cells than one mesh can number");
  /* Each array is enlarged on its own and taken over at once if that succeeded, so that none is
     lost or freed twice when a later one fails. */
  double *x = realloc(a->x, 3 * ((size_t)a->nodes + (size_t)b->nodes) * sizeof *x);
  a->x = x ? x : a->x;
  ig_lid *conn = realloc(p->conn, ((size_t)p->count + (size_t)q->count) * npe * sizeof *conn);
  p->conn = conn ? conn : p->conn;
  int32_t *tag = realloc(p->tag, ((size_t)p->count + (size_t)q->count) * sizeof *tag);
  p->tag = tag ? tag : p->tag;
  uint8_t *side = realloc(draft->side, (size_t)a->nodes + (size_t)b->nodes);
  draft->side = side ? side : draft->side;
  if (!x || !conn || !tag || !side)
    return IG_FAIL(cx, IG_MEMORY, "no memory to join boxes");
  memcpy(side + a->nodes, more->side, (size_t)b->nodes);
  memcpy(x + 3 * (size_t)a->nodes, b->x, 3 * (size_t)b->nodes * sizeof *x);
  for (size_t i = 0; i < (size_t)q->count * npe; i++)
    conn[(size_t)p->count * npe + i] = q->conn[i] + a->nodes;
  memcpy(tag + p->count, q->tag, (size_t)q->count * sizeof *tag);
  a->nodes += b->nodes;
  p->count += q->count;
  ig_mesh_builder_free(more);
  return IG_OK;
}

/* The region number of box i: that of the first box of the same name; 0 without a name. */
static int32_t box_region(const ig_list *boxes, int i) {
  const char *name = IG_ITEM(ig_box_case, *boxes, i)->name;
  for (int k = 0; name && k <= i; k++) {
    const char *other = IG_ITEM(ig_box_case, *boxes, k)->name;
    if (other && strcmp(name, other) == 0)
      return k + 1;
  }
  return 0;
}

/* Reads all boxes into list[], checks them against each other, and makes them one by one. A
   millionth of the thinnest cell is the tolerance of touching and welding. */
static ig_status boxes_make(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type, box *list,
                            ig_mesh_builder *draft) {
  double smallest = INFINITY;
  for (int i = 0; i < c->boxes.count; i++) {
    const ig_box_case *given = IG_ITEM(ig_box_case, c->boxes, i);
    IG_TRY(ig_mesh_placed(cx, box_read(cx, given, &list[i]), &given->at));
    if (list[i].dim != list[0].dim)
      return ig_fail_at(cx, &given->at,
                        "cells has %d entries, the first box's has %d: a mesh is "
                        "plane or solid",
                        list[i].dim, list[0].dim);
    smallest = fmin(smallest, list[i].smallest);
  }
  const bool solid = list[0].dim == 3;
  IG_TRY(ig_mesh_placed(cx,
                        ig_shape_type(cx, type, solid ? IG_HEX8 : IG_QUAD4,
                                      solid ? IG_SHAPE_SOLID : IG_SHAPE_PLANE,
                                      solid ? "solid box" : "plane box (cells with 2 entries)"),
                        &c->at));
  IG_TRY(ig_mesh_placed(cx, boxes_number(cx, list, c->boxes.count, *type, c->triangle_pattern),
                        &c->at));
  const double tolerance = 1e-6 * smallest;
  for (int i = 0; i < c->boxes.count; i++) {
    for (int k = 0; k < i; k++)
      IG_TRY(ig_mesh_placed(cx, boxes_fit(cx, &list[k], &list[i], tolerance),
                            &IG_ITEM(ig_box_case, c->boxes, i)->at));
    ig_mesh_builder one = {0};
    ig_status status =
        box_make(cx, &list[i], solid ? IG_QUAD4 : ig_structured_type(*type), c, &one);
    if (status == IG_OK) {
      const int32_t region = box_region(&c->boxes, i);
      for (ig_lid e = 0; region && e < one.mesh->block[0].count; e++)
        one.mesh->block[0].tag[e] = region;
      if (i == 0)
        *draft = one;
      else
        status = append(cx, draft, &one);
    }
    if (status != IG_OK) {
      ig_mesh_builder_free(&one);
      return ig_mesh_placed(cx, status, &IG_ITEM(ig_box_case, c->boxes, i)->at);
    }
  }
  /* Nodes inside a box cannot meet another box: only outer ones are offered to the weld, which
     makes its search short. */
  uint8_t *outer = draft->side; /* only there can they touch */
  draft->side = NULL;           /* the sides of all are those of the bounding box */
  const ig_status status =
      c->boxes.count > 1 ? ig_mesh_builder_weld(cx, draft, tolerance, outer) : IG_OK;
  free(outer);
  return status;
}

/* Boxes know their own places in the case, unlike the other shapes. */
ig_status ig_mesh_builder_boxes(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                ig_mesh_builder *draft) {
  box *list;
  IG_TRY(IG_NEW(cx, &list, c->boxes.count, "boxes"));
  const ig_status status = boxes_make(cx, c, type, list, draft);
  for (int i = 0; i < c->boxes.count; i++)
    box_free(&list[i]);
  free(list);
  return status;
}

/* Grid point i, j of a plate with its corner at the origin. */
static void plate_map(const void *arg, ig_lid i, ig_lid j, double *x) {
  const double *p = arg; /* size and cells in x, y */
  x[0] = p[0] * i / p[2];
  x[1] = p[1] * j / p[3];
}

/* A plate: one even sheet, plane or as a shell in space. */
ig_status ig_mesh_builder_plate(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                ig_mesh_builder *draft) {
  static const char *const what[] = {"in x", "in y"};
  const ig_plate_case *p = &c->plate;
  ig_lid n[2];
  IG_TRY(ig_shape_cells(cx, &p->cells, 2, what, n));
  IG_TRY(ig_shape_type(cx, type, IG_QUAD4, IG_SHAPE_PLANE, "plate"));
  if (p->size.count != 2)
    return IG_FAIL(cx, IG_INPUT, "size has %d entries: expected 2 (in x, in y)", p->size.count);
  IG_TRY(ig_shape_positive(cx, "size", p->size.value[0]));
  IG_TRY(ig_shape_positive(cx, "size", p->size.value[1]));
  const double arg[4] = {p->size.value[0], p->size.value[1], n[0], n[1]};
  const ig_structured s = {.dim = c->shell ? 3 : 2,
                           .n = {n[0], n[1]},
                           .type = ig_structured_type(*type),
                           .pattern = c->triangle_pattern,
                           .map = plate_map,
                           .arg = arg};
  ig_mesh_builder_name(draft, "xmin", "xmax", "ymin", "ymax", NULL, NULL);
  return ig_structured_make(cx, &s, draft);
}
