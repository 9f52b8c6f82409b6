/* Shapes. Each is a plane or curved sheet of quadrilaterals or triangles, some drawn out to
   hexahedra, and names its sides as it goes. */
#include "mesh/draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAU 6.283185307179586476925

void ig_draft_free(ig_draft *draft) {
  ig_mesh_free(draft->mesh);
  free(draft->side);
  memset(draft, 0, sizeof *draft);
}

/* `cells` as whole numbers; what[i] names entry i in messages. */
static ig_status cells_read(ig_ctx *cx, const ig_reals *cells, int count, const char *const *what,
                            ig_lid *n) {
  if (cells->count != count)
    return IG_FAIL(cx, IG_INPUT, "cells has %d entries: expected %d (%s, %s%s%s)", cells->count,
                   count, what[0], what[1], count > 2 ? ", " : "", count > 2 ? what[2] : "");
  double product = 1;
  for (int i = 0; i < count; i++) {
    const double v = cells->value[i];
    if (!(v >= 1 && v <= 1e9) || v != floor(v))
      return IG_FAIL(cx, IG_INPUT, "cells %s: %g: expected a whole number from 1", what[i], v);
    n[i] = (ig_lid)v;
    product *= v + 1;
  }
  if (product > INT32_MAX / 4.0)
    return IG_FAIL(cx, IG_INPUT, "%.3g cells are more than one mesh can number: take fewer",
                   product);
  return IG_OK;
}

static ig_status positive(ig_ctx *cx, const char *key, double value) {
  if (!(value > 0 && value < 1e30))
    return IG_FAIL(cx, IG_INPUT, "%s: %g: expected more than 0", key, value);
  return IG_OK;
}

static ig_status angle_read(ig_ctx *cx, double given, double *angle, bool *round) {
  *angle = given != 0 ? given : TAU;
  *round = *angle > TAU * (1 - 1e-9);
  if (!(*angle > 0 && *angle <= TAU * (1 + 1e-9)))
    return IG_FAIL(cx, IG_INPUT, "angle: %g rad: expected more than 0 and at most a full turn",
                   given);
  return IG_OK;
}

static ig_status type_choose(ig_ctx *cx, ig_elem_type *type, ig_elem_type own, unsigned allowed,
                             const char *shape) {
  if (*type == IG_ELEM_TYPES)
    *type = own;
  if (!(allowed >> *type & 1))
    return IG_FAIL(cx, IG_INPUT, "element: a %s is not made of %s", shape,
                   ig_elem_info_get(*type)->name);
  return IG_OK;
}

/* --- sheets: a grid of n[0] x n[1] cells, closed in a direction that wraps */

typedef void sheet_map(const void *arg, ig_lid i, ig_lid j, double *x);
typedef struct {
  int dim;
  ig_lid n[2];
  bool wrap[2];
  ig_elem_type type; /* quad4 or tri3 */
  int pattern;
  sheet_map *map;
  const void *arg;
} sheet;

static ig_lid sheet_node(const sheet *s, ig_lid i, ig_lid j) {
  const ig_lid across = s->n[0] + !s->wrap[0];
  i = s->wrap[0] && i == s->n[0] ? 0 : i;
  j = s->wrap[1] && j == s->n[1] ? 0 : j;
  return j * across + i;
}

/* Sides 0 to 3 of the draft are i = 0, i = n, j = 0, j = n. */
static ig_status sheet_make(ig_ctx *cx, const sheet *s, ig_draft *draft) {
  const bool crossed = s->type == IG_TRI3 && s->pattern == IG_PATTERN_CROSSED;
  for (int a = 0; a < 2; a++)
    if (s->wrap[a] && s->n[a] < 3)
      return IG_FAIL(cx, IG_INPUT, "cells around: %d: expected 3 or more for a closed ring",
                     s->n[a]);
  const ig_lid across = s->n[0] + !s->wrap[0], along = s->n[1] + !s->wrap[1];
  const ig_lid corners = across * along, quads = s->n[0] * s->n[1];
  const int cut = s->type == IG_QUAD4 ? 1 : crossed ? 4 : 2;
  IG_TRY(ig_mesh_new(cx, s->dim, corners + (crossed ? quads : 0), &draft->mesh));
  IG_TRY(IG_NEW(cx, &draft->side, draft->mesh->nodes, "node sides"));
  for (ig_lid j = 0; j < along; j++)
    for (ig_lid i = 0; i < across; i++) {
      const ig_lid node = j * across + i;
      s->map(s->arg, i, j, draft->mesh->x + 3 * (size_t)node);
      draft->side[node] =
          (uint8_t)((!s->wrap[0] && i == 0) | (!s->wrap[0] && i == s->n[0]) << 1 |
                    (!s->wrap[1] && j == 0) << 2 | (!s->wrap[1] && j == s->n[1]) << 3);
    }
  ig_block *block;
  IG_TRY(ig_mesh_add_block(cx, draft->mesh, s->type, cut * quads, &block));
  ig_lid *conn = block->conn;
  for (ig_lid j = 0; j < s->n[1]; j++)
    for (ig_lid i = 0; i < s->n[0]; i++) {
      const ig_lid q[4] = {sheet_node(s, i, j), sheet_node(s, i + 1, j),
                           sheet_node(s, i + 1, j + 1), sheet_node(s, i, j + 1)};
      if (s->type == IG_QUAD4) {
        memcpy(conn, q, sizeof q);
        conn += 4;
      } else if (crossed) {
        const ig_lid center = corners + j * s->n[0] + i;
        for (int d = 0; d < 3; d++) {
          double sum = 0;
          for (int a = 0; a < 4; a++)
            sum += draft->mesh->x[3 * (size_t)q[a] + (size_t)d];
          draft->mesh->x[3 * (size_t)center + (size_t)d] = sum / 4;
        }
        for (int a = 0; a < 4; a++, conn += 3) {
          conn[0] = q[a];
          conn[1] = q[(a + 1) % 4];
          conn[2] = center;
        }
      } else {
        const int turn = s->pattern == IG_PATTERN_ALTERNATING && (i + j) % 2;
        for (int a = 0; a < 2; a++, conn += 3) {
          conn[0] = q[turn];
          conn[1] = q[(turn + 1 + a) % 4];
          conn[2] = q[(turn + 2 + a) % 4];
        }
      }
    }
  return IG_OK;
}

/* Draws a plane draft of quad4 out to hex8 through the heights z[0] … z[layers]; sides 4 and 5 are
   the bottom and the top. */
static ig_status extrude(ig_ctx *cx, ig_draft *draft, ig_lid layers, const double *z) {
  const ig_mesh *flat = draft->mesh;
  const ig_block *quads = &flat->block[0];
  if ((double)flat->nodes * (layers + 1.0) > INT32_MAX ||
      (double)quads->count * layers > INT32_MAX / 8.0)
    return IG_FAIL(cx, IG_INPUT, "%.3g cells are more than one mesh can number: take fewer",
                   (double)quads->count * layers);
  ig_draft solid = {0};
  memcpy(solid.name, draft->name, sizeof solid.name);
  ig_block *block = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_new(cx, 3, flat->nodes * (layers + 1), &solid.mesh));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &solid.side, solid.mesh->nodes, "node sides"));
  IG_TRY_GOTO(status, done,
              ig_mesh_add_block(cx, solid.mesh, IG_HEX8, quads->count * layers, &block));
  for (ig_lid k = 0; k <= layers; k++)
    for (ig_lid n = 0; n < flat->nodes; n++) {
      const size_t to = (size_t)k * (size_t)flat->nodes + (size_t)n;
      solid.mesh->x[3 * to] = flat->x[3 * (size_t)n];
      solid.mesh->x[3 * to + 1] = flat->x[3 * (size_t)n + 1];
      solid.mesh->x[3 * to + 2] = z[k];
      solid.side[to] = (uint8_t)(draft->side[n] | (k == 0) << 4 | (k == layers) << 5);
    }
  ig_lid *conn = block->conn;
  for (ig_lid k = 0; k < layers; k++)
    for (ig_lid e = 0; e < quads->count; e++, conn += 8)
      for (int a = 0; a < 4; a++) {
        conn[a] = quads->conn[4 * (size_t)e + (size_t)a] + k * flat->nodes;
        conn[4 + a] = conn[a] + flat->nodes;
      }
  ig_draft_free(draft);
  *draft = solid;
  return IG_OK;
done:
  ig_draft_free(&solid);
  return status;
}

static ig_status extrude_even(ig_ctx *cx, ig_draft *draft, ig_lid layers, double height) {
  double *z;
  IG_TRY(IG_NEW(cx, &z, (size_t)layers + 1, "layers"));
  for (ig_lid k = 0; k <= layers; k++)
    z[k] = height * k / layers;
  const ig_status status = extrude(cx, draft, layers, z);
  free(z);
  return status;
}

static void names_set(ig_draft *draft, const char *a, const char *b, const char *c, const char *d,
                      const char *e, const char *f) {
  const char *const name[6] = {a, b, c, d, e, f};
  memcpy(draft->name, name, sizeof name);
}

/* What a sheet's elements are before cutting and quadratic ones. */
static ig_elem_type sheet_type(ig_elem_type type) {
  return type == IG_TRI3 || type == IG_TRI6 ? IG_TRI3 : IG_QUAD4;
}
#define BIT(type) (1u << IG_##type)
enum { PLANE = 1 << IG_QUAD4 | 1 << IG_TRI3 | 1 << IG_TRI6 };
enum { SOLID = 1 << IG_HEX8 | 1 << IG_TET4 | 1 << IG_TET10 };

/* --- boxes */

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

static ig_status box_read(ig_ctx *cx, const ig_box_case *c, box *b) {
  static const char *const axis[] = {"in x", "in y", "in z"};
  memset(b, 0, sizeof *b);
  b->dim = c->cells.count;
  if (b->dim != 2 && b->dim != 3)
    return IG_FAIL(cx, IG_INPUT, "cells has %d entries: expected 2 (plane) or 3 (solid)", b->dim);
  IG_TRY(cells_read(cx, &c->cells, b->dim, axis, b->n));
  if (c->size.count != b->dim)
    return IG_FAIL(cx, IG_INPUT, "size has %d entries, cells has %d: expected the same",
                   c->size.count, b->dim);
  if (c->origin.count && c->origin.count != b->dim)
    return IG_FAIL(cx, IG_INPUT, "origin has %d entries, cells has %d: expected the same",
                   c->origin.count, b->dim);
  if (c->grading.count && c->grading.count != b->dim)
    return IG_FAIL(cx, IG_INPUT, "grading has %d entries, cells has %d: expected the same",
                   c->grading.count, b->dim);
  b->smallest = INFINITY;
  for (int d = 0; d < b->dim; d++) {
    const double grading = c->grading.count ? c->grading.value[d] : 1;
    const ig_lid n = b->n[d];
    b->size[d] = c->size.value[d];
    b->origin[d] = c->origin.count ? c->origin.value[d] : 0;
    IG_TRY(positive(cx, "size", b->size[d]));
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

static void box_map(const void *arg, ig_lid i, ig_lid j, double *x) {
  const box *b = arg;
  x[0] = b->at[0][i];
  x[1] = b->at[1][j];
}

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

/* Boxes may touch, with grids that match where they do; they may not overlap. */
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

static ig_status box_make(ig_ctx *cx, const box *b, ig_elem_type flat, const ig_mesh_case *c,
                          ig_draft *draft) {
  const sheet s = {.dim = c->shell ? 3 : 2,
                   .n = {b->n[0], b->n[1]},
                   .type = flat,
                   .pattern = c->pattern,
                   .map = box_map,
                   .arg = b};
  IG_TRY(sheet_make(cx, &s, draft));
  return b->dim == 3 ? extrude(cx, draft, b->n[2], b->at[2]) : IG_OK;
}

/* Appends `more` (one block, the same type) and empties it. */
static ig_status append(ig_ctx *cx, ig_draft *draft, ig_draft *more) {
  ig_mesh *a = draft->mesh, *b = more->mesh;
  ig_block *p = &a->block[0], *q = &b->block[0];
  const size_t npe = (size_t)ig_elem_info_get(p->type)->nodes;
  if ((int64_t)a->nodes + b->nodes > INT32_MAX ||
      ((int64_t)p->count + q->count) * (int64_t)npe > INT32_MAX)
    return IG_FAIL(cx, IG_INPUT, "the boxes together have more cells than one mesh can number");
  double *x = realloc(a->x, 3 * ((size_t)a->nodes + (size_t)b->nodes) * sizeof *x);
  a->x = x ? x : a->x;
  ig_lid *conn = realloc(p->conn, ((size_t)p->count + (size_t)q->count) * npe * sizeof *conn);
  p->conn = conn ? conn : p->conn;
  int32_t *tag = realloc(p->tag, ((size_t)p->count + (size_t)q->count) * sizeof *tag);
  p->tag = tag ? tag : p->tag;
  if (!x || !conn || !tag)
    return IG_FAIL(cx, IG_MEMORY, "no memory to join boxes");
  memcpy(x + 3 * (size_t)a->nodes, b->x, 3 * (size_t)b->nodes * sizeof *x);
  for (size_t i = 0; i < (size_t)q->count * npe; i++)
    conn[(size_t)p->count * npe + i] = q->conn[i] + a->nodes;
  memcpy(tag + p->count, q->tag, (size_t)q->count * sizeof *tag);
  a->nodes += b->nodes;
  p->count += q->count;
  ig_draft_free(more);
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

static ig_status boxes_make(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type, box *list,
                            ig_draft *draft) {
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
                        type_choose(cx, type, solid ? IG_HEX8 : IG_QUAD4, solid ? SOLID : PLANE,
                                    solid ? "solid box" : "plane box (cells with 2 entries)"),
                        &c->at));
  const double tolerance = 1e-6 * smallest;
  for (int i = 0; i < c->boxes.count; i++) {
    for (int k = 0; k < i; k++)
      IG_TRY(ig_mesh_placed(cx, boxes_fit(cx, &list[k], &list[i], tolerance),
                            &IG_ITEM(ig_box_case, c->boxes, i)->at));
    ig_draft one = {0};
    ig_status status = box_make(cx, &list[i], solid ? IG_QUAD4 : sheet_type(*type), c, &one);
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
      ig_draft_free(&one);
      return ig_mesh_placed(cx, status, &IG_ITEM(ig_box_case, c->boxes, i)->at);
    }
  }
  free(draft->side); /* their sides are those of the bounding box */
  draft->side = NULL;
  return c->boxes.count > 1 ? ig_draft_weld(cx, draft, tolerance) : IG_OK;
}

ig_status ig_draft_boxes(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type, ig_draft *draft) {
  box *list;
  IG_TRY(IG_NEW(cx, &list, c->boxes.count, "boxes"));
  const ig_status status = boxes_make(cx, c, type, list, draft);
  for (int i = 0; i < c->boxes.count; i++)
    box_free(&list[i]);
  free(list);
  return status;
}

static void plate_map(const void *arg, ig_lid i, ig_lid j, double *x) {
  const double *p = arg; /* size and cells in x, y */
  x[0] = p[0] * i / p[2];
  x[1] = p[1] * j / p[3];
}

ig_status ig_draft_plate(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type, ig_draft *draft) {
  static const char *const what[] = {"in x", "in y"};
  const ig_plate_case *p = &c->plate;
  ig_lid n[2];
  IG_TRY(cells_read(cx, &p->cells, 2, what, n));
  IG_TRY(type_choose(cx, type, IG_QUAD4, PLANE, "plate"));
  if (p->size.count != 2)
    return IG_FAIL(cx, IG_INPUT, "size has %d entries: expected 2 (in x, in y)", p->size.count);
  IG_TRY(positive(cx, "size", p->size.value[0]));
  IG_TRY(positive(cx, "size", p->size.value[1]));
  const double arg[4] = {p->size.value[0], p->size.value[1], n[0], n[1]};
  const sheet s = {.dim = c->shell ? 3 : 2,
                   .n = {n[0], n[1]},
                   .type = sheet_type(*type),
                   .pattern = c->pattern,
                   .map = plate_map,
                   .arg = arg};
  names_set(draft, "xmin", "xmax", "ymin", "ymax", NULL, NULL);
  return sheet_make(cx, &s, draft);
}

/* --- rings: annulus, tube, cylinder */

static void annulus_map(const void *arg, ig_lid i, ig_lid j, double *x) {
  const double *p = arg; /* inner, outer, start, angle, cells */
  const double r = p[0] + (p[1] - p[0]) * i / p[4], t = p[2] + p[3] * j / p[5];
  x[0] = r * cos(t);
  x[1] = r * sin(t);
}

static ig_status annulus(ig_ctx *cx, const ig_mesh_case *c, const ig_annulus_case *p, bool solid,
                         ig_elem_type *type, ig_draft *draft) {
  static const char *const what[] = {"radial", "around", "layers"};
  ig_lid n[3];
  double angle;
  bool round;
  IG_TRY(cells_read(cx, &p->cells, solid ? 3 : 2, what, n));
  IG_TRY(angle_read(cx, p->angle, &angle, &round));
  IG_TRY(positive(cx, "inner", p->inner));
  if (!(p->outer > p->inner && p->outer < 1e30))
    return IG_FAIL(cx, IG_INPUT, "outer: %g: expected more than inner, %g", p->outer, p->inner);
  IG_TRY(type_choose(cx, type, solid ? IG_HEX8 : IG_QUAD4, solid ? SOLID : PLANE,
                     solid ? "tube" : "annulus"));
  const double arg[6] = {p->inner, p->outer, p->start, angle, n[0], n[1]};
  const sheet s = {.dim = c->shell && !solid ? 3 : 2,
                   .n = {n[0], n[1]},
                   .wrap = {false, round},
                   .type = solid ? IG_QUAD4 : sheet_type(*type),
                   .pattern = c->pattern,
                   .map = annulus_map,
                   .arg = arg};
  names_set(draft, "inner", "outer", round ? NULL : "start", round ? NULL : "end",
            solid ? "bottom" : NULL, solid ? "top" : NULL);
  IG_TRY(sheet_make(cx, &s, draft));
  if (!solid)
    return IG_OK;
  IG_TRY(positive(cx, "height", p->height));
  return extrude_even(cx, draft, n[2], p->height);
}

ig_status ig_draft_annulus(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type, ig_draft *draft) {
  return annulus(cx, c, &c->annulus, c->annulus.height != 0, type, draft);
}
ig_status ig_draft_tube(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type, ig_draft *draft) {
  return annulus(cx, c, &c->tube, true, type, draft);
}

/* Node k on the rim of an m x m grid, counter-clockwise from its first corner. */
static ig_lid core_edge(ig_lid m, ig_lid k) {
  const ig_lid q = k % m;
  switch (k / m) {
  case 0:
    return q;
  case 1:
    return q * (m + 1) + m;
  case 2:
    return m * (m + 1) + m - q;
  default:
    return (m - q) * (m + 1);
  }
}

/* A square core of m x m cells, its sides half way between straight and round, and a collar of
   4m x rim cells around it. */
static ig_status butterfly(ig_ctx *cx, double radius, ig_lid m, ig_lid rim, ig_draft *draft) {
  if (((double)m + 1) * (m + 1) + 4.0 * m * rim > INT32_MAX / 8.0)
    return IG_FAIL(cx, IG_INPUT, "the section has more cells than one mesh can number: take fewer");
  const ig_lid core = (m + 1) * (m + 1), around = 4 * m;
  const double share = (double)m / (m + 2.0 * rim) + 0.15; /* of the radius, to a core corner */
  const double reach = radius * fmin(fmax(share, 0.35), 0.75);
  IG_TRY(ig_mesh_new(cx, 2, core + around * rim, &draft->mesh));
  IG_TRY(IG_NEW(cx, &draft->side, draft->mesh->nodes, "node sides"));
  double *x = draft->mesh->x;
  for (ig_lid j = 0; j <= m; j++)
    for (ig_lid i = 0; i <= m; i++) {
      const double u = 2.0 * i / m - 1, v = 2.0 * j / m - 1;
      double *p = x + 3 * (size_t)(j * (m + 1) + i);
      p[0] = reach * u * (sqrt(0.5) + sqrt(1 - v * v / 2)) / 2;
      p[1] = reach * v * (sqrt(0.5) + sqrt(1 - u * u / 2)) / 2;
    }
  ig_block *block;
  IG_TRY(ig_mesh_add_block(cx, draft->mesh, IG_QUAD4, m * m + around * rim, &block));
  ig_lid *conn = block->conn;
  for (ig_lid j = 0; j < m; j++)
    for (ig_lid i = 0; i < m; i++, conn += 4) {
      const ig_lid at = j * (m + 1) + i;
      memcpy(conn, (ig_lid[]){at, at + 1, at + m + 2, at + m + 1}, 4 * sizeof *conn);
    }
  for (ig_lid k = 0; k < around; k++) {
    const ig_lid next = (k + 1) % around;
    const ig_lid first = core_edge(m, k), second = core_edge(m, next);
    const double t = TAU * (k / (double)around - 0.375);
    for (ig_lid r = 1; r <= rim; r++) {
      const ig_lid node = core + (r - 1) * around + k;
      const double s = (double)r / rim;
      x[3 * (size_t)node] = (1 - s) * x[3 * (size_t)first] + s * radius * cos(t);
      x[3 * (size_t)node + 1] = (1 - s) * x[3 * (size_t)first + 1] + s * radius * sin(t);
      draft->side[node] = r == rim ? 2 : 0;
    }
    for (ig_lid r = 0; r < rim; r++, conn += 4) {
      conn[0] = r ? core + (r - 1) * around + k : first;
      conn[1] = core + r * around + k;
      conn[2] = core + r * around + next;
      conn[3] = r ? core + (r - 1) * around + next : second;
    }
  }
  return IG_OK;
}

ig_status ig_draft_cylinder(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                            ig_draft *draft) {
  static const char *const what[] = {"across the core", "core to rim", "layers"};
  const ig_cylinder_case *p = &c->cylinder;
  ig_lid n[3];
  IG_TRY(cells_read(cx, &p->cells, 3, what, n));
  IG_TRY(positive(cx, "radius", p->radius));
  IG_TRY(positive(cx, "height", p->height));
  IG_TRY(type_choose(cx, type, IG_HEX8, SOLID, "cylinder"));
  names_set(draft, NULL, "side", NULL, NULL, "bottom", "top");
  IG_TRY(butterfly(cx, p->radius, n[0], n[1], draft));
  return extrude_even(cx, draft, n[2], p->height);
}

/* --- curved shells */

static void cylinder_shell_map(const void *arg, ig_lid i, ig_lid j, double *x) {
  const double *p = arg; /* radius, height, angle, cells */
  const double t = p[2] * i / p[3];
  x[0] = p[0] * cos(t);
  x[1] = p[0] * sin(t);
  x[2] = p[1] * j / p[4];
}

/* A shell of revolution: `map` takes radius, a second length or angle, the angle round, and cells
   around and along; `low` and `high` name the sides where those along begin and end. */
static ig_status turned_make(ig_ctx *cx, const ig_mesh_case *c, const double shape[3],
                             const ig_reals *cells, const char *const *what, sheet_map *map,
                             const char *low, const char *high, ig_elem_type *type,
                             ig_draft *draft) {
  ig_lid n[2];
  double angle;
  bool round;
  IG_TRY(cells_read(cx, cells, 2, what, n));
  IG_TRY(angle_read(cx, shape[2], &angle, &round));
  IG_TRY(positive(cx, "radius", shape[0]));
  const double arg[5] = {shape[0], shape[1], angle, n[0], n[1]};
  const sheet s = {.dim = 3,
                   .n = {n[0], n[1]},
                   .wrap = {round, false},
                   .type = sheet_type(*type),
                   .pattern = c->pattern,
                   .map = map,
                   .arg = arg};
  names_set(draft, round ? NULL : "start", round ? NULL : "end", low, high, NULL, NULL);
  return sheet_make(cx, &s, draft);
}

ig_status ig_draft_cylinder_shell(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                  ig_draft *draft) {
  static const char *const what[] = {"around", "along"};
  const ig_cylinder_shell_case *p = &c->cylinder_shell;
  IG_TRY(positive(cx, "height", p->height));
  IG_TRY(type_choose(cx, type, IG_TRI3, PLANE, "cylinder_shell"));
  return turned_make(cx, c, (double[]){p->radius, p->height, p->angle}, &p->cells, what,
                     cylinder_shell_map, "bottom", "top", type, draft);
}

static void hemisphere_map(const void *arg, ig_lid i, ig_lid j, double *x) {
  const double *p = arg; /* radius, hole, angle, cells */
  const double t = p[2] * i / p[3], up = (TAU / 4 - p[1]) * j / p[4];
  x[0] = p[0] * cos(up) * cos(t);
  x[1] = p[0] * cos(up) * sin(t);
  x[2] = p[0] * sin(up);
}

ig_status ig_draft_hemisphere(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                              ig_draft *draft) {
  static const char *const what[] = {"around", "up"};
  const ig_hemisphere_case *p = &c->hemisphere;
  if (!(p->hole > 0 && p->hole < TAU / 4))
    return IG_FAIL(cx, IG_INPUT, "hole: %g rad: expected more than 0 and less than a quarter turn",
                   p->hole);
  IG_TRY(type_choose(cx, type, IG_TRI3, PLANE, "hemisphere"));
  return turned_make(cx, c, (double[]){p->radius, p->hole, p->angle}, &p->cells, what,
                     hemisphere_map, "edge", "hole", type, draft);
}

/* --- rings about a centre: ring r holds sectors x r nodes */

static ig_lid ring_first(ig_lid sectors, ig_lid r) {
  return r == 0 ? 0 : 1 + sectors * (r * (r - 1) / 2);
}
static ig_lid ring_node(ig_lid sectors, ig_lid r, ig_lid k) {
  return r == 0 ? 0 : ring_first(sectors, r) + k % (sectors * r);
}

static ig_status rings_read(ig_ctx *cx, const ig_rings_case *p, bool cap, ig_lid *sectors) {
  const int64_t s = p->sectors ? p->sectors : 6;
  if (s < 3 || s > 1000)
    return IG_FAIL(cx, IG_INPUT, "sectors: %lld: expected 3 to 1000", (long long)s);
  if (p->rings < 1 || (double)s * (double)p->rings * (double)p->rings > INT32_MAX / 8.0)
    return IG_FAIL(cx, IG_INPUT,
                   "rings: %lld: expected at least 1 and fewer than one mesh can "
                   "number",
                   (long long)p->rings);
  IG_TRY(positive(cx, "radius", p->radius));
  if (cap && !(p->angle > 0 && p->angle < TAU / 2))
    return IG_FAIL(cx, IG_INPUT, "angle: %g rad: expected more than 0 and less than half a turn",
                   p->angle);
  *sectors = (ig_lid)s;
  return IG_OK;
}

/* Side 0 is the outermost ring, side 1 the centre. `extra` nodes are left for the caller. */
static ig_status rings_nodes(ig_ctx *cx, const ig_rings_case *p, ig_lid sectors, bool cap, int dim,
                             ig_lid extra, ig_draft *draft) {
  const ig_lid rings = (ig_lid)p->rings;
  IG_TRY(ig_mesh_new(cx, dim, ring_first(sectors, rings + 1) + extra, &draft->mesh));
  IG_TRY(IG_NEW(cx, &draft->side, draft->mesh->nodes, "node sides"));
  for (ig_lid r = 0; r <= rings; r++) {
    const double share = (double)r / rings, fall = p->angle * share;
    const double out = p->radius * (cap ? sin(fall) : share);
    for (ig_lid k = 0; k < (r ? sectors * r : 1); k++) {
      const ig_lid node = ring_first(sectors, r) + k;
      double *x = draft->mesh->x + 3 * (size_t)node;
      const double t = r ? TAU * k / ((double)sectors * r) : 0;
      x[0] = out * cos(t);
      x[1] = out * sin(t);
      x[2] = cap && r < rings ? p->radius * (cos(fall) - cos(p->angle)) : 0;
      draft->side[node] = r == rings ? 1 : r == 0 ? 2 : 0;
    }
  }
  return IG_OK;
}

static ig_status rings_triangles(ig_ctx *cx, const ig_rings_case *p, bool cap, int dim,
                                 ig_draft *draft) {
  ig_lid sectors;
  IG_TRY(rings_read(cx, p, cap, &sectors));
  const ig_lid rings = (ig_lid)p->rings;
  IG_TRY(rings_nodes(cx, p, sectors, cap, dim, 0, draft));
  ig_block *block;
  IG_TRY(ig_mesh_add_block(cx, draft->mesh, IG_TRI3, sectors * rings * rings, &block));
  ig_lid *conn = block->conn;
  for (ig_lid r = 1; r <= rings; r++)
    for (ig_lid q = 0; q < sectors; q++)
      for (ig_lid k = 0; k < r; k++) {
        const ig_lid in = ring_node(sectors, r - 1, q * (r - 1) + k);
        const ig_lid out = ring_node(sectors, r, q * r + k + 1);
        memcpy(conn, (ig_lid[]){in, ring_node(sectors, r, q * r + k), out}, 3 * sizeof *conn);
        conn += 3;
        if (k + 1 < r) {
          memcpy(conn, (ig_lid[]){in, out, ring_node(sectors, r - 1, q * (r - 1) + k + 1)},
                 3 * sizeof *conn);
          conn += 3;
        }
      }
  return IG_OK;
}

ig_status ig_draft_disc(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type, ig_draft *draft) {
  IG_TRY(type_choose(cx, type, IG_TRI3, BIT(TRI3) | BIT(TRI6), "disc"));
  names_set(draft, "edge", "center", NULL, NULL, NULL, NULL);
  return rings_triangles(cx, &c->disc, false, c->shell ? 3 : 2, draft);
}

ig_status ig_draft_dome(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type, ig_draft *draft) {
  IG_TRY(type_choose(cx, type, IG_TRI3, BIT(TRI3) | BIT(TRI6), "dome"));
  names_set(draft, "edge", "apex", NULL, NULL, NULL, NULL);
  return rings_triangles(cx, &c->dome, true, 3, draft);
}

/* A bar from node a to node b, in `cells` beams through new nodes. */
static void bar(ig_mesh *mesh, ig_lid a, ig_lid b, ig_lid cells, ig_lid *node, ig_lid **conn) {
  ig_lid last = a;
  for (ig_lid i = 1; i <= cells; i++, *conn += 2) {
    ig_lid next = b;
    if (i < cells) {
      next = (*node)++;
      for (size_t d = 0; d < 3; d++)
        mesh->x[3 * (size_t)next + d] =
            mesh->x[3 * (size_t)a + d] +
            (mesh->x[3 * (size_t)b + d] - mesh->x[3 * (size_t)a + d]) * i / cells;
    }
    (*conn)[0] = last;
    (*conn)[1] = next;
    last = next;
  }
}

ig_status ig_draft_lattice_dome(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                ig_draft *draft) {
  const ig_rings_case *p = &c->lattice_dome;
  ig_lid sectors;
  IG_TRY(rings_read(cx, p, true, &sectors));
  IG_TRY(type_choose(cx, type, IG_BEAM2, BIT(BEAM2), "lattice_dome"));
  const int64_t cells = p->cells ? p->cells : 1;
  const int64_t rings = p->rings, bars = sectors * (rings * (3 * rings + 1) / 2);
  if (cells < 1 || cells > 1000 || bars * cells > INT32_MAX / 8)
    return IG_FAIL(cx, IG_INPUT,
                   "cells: %lld a bar: expected 1 to 1000, and fewer beams in all "
                   "than one mesh can number",
                   (long long)cells);
  names_set(draft, "edge", "apex", NULL, NULL, NULL, NULL);
  IG_TRY(rings_nodes(cx, p, sectors, true, 3, (ig_lid)(bars * (cells - 1)), draft));
  ig_block *block;
  IG_TRY(ig_mesh_add_block(cx, draft->mesh, IG_BEAM2, (ig_lid)(bars * cells), &block));
  ig_lid *conn = block->conn, node = ring_first(sectors, (ig_lid)rings + 1);
  for (ig_lid r = 1; r <= rings; r++)
    for (ig_lid k = 0; k < sectors * r; k++) {
      const ig_lid here = ring_node(sectors, r, k), q = k / r, in = q * (r - 1) + k % r;
      bar(draft->mesh, here, ring_node(sectors, r, k + 1), (ig_lid)cells, &node, &conn);
      bar(draft->mesh, here, ring_node(sectors, r - 1, in), (ig_lid)cells, &node, &conn);
      if (k % r) /* between two ribs: a diagonal as well */
        bar(draft->mesh, here, ring_node(sectors, r - 1, in - 1), (ig_lid)cells, &node, &conn);
    }
  return IG_OK;
}

ig_status ig_draft_beam_line(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                             ig_draft *draft) {
  const ig_beam_line_case *p = &c->beam_line;
  IG_TRY(type_choose(cx, type, IG_BEAM2, BIT(BEAM2), "beam_line"));
  const bool arc = p->radius > 0;
  const ig_reals *line[3] = {&p->x, &p->y, &p->z};
  int points = 0;
  for (int d = 0; d < 3; d++)
    points = line[d]->count > points ? line[d]->count : points;
  for (int d = 0; d < 3; d++)
    if (line[d]->count && line[d]->count != points)
      return IG_FAIL(cx, IG_INPUT,
                     "x, y and z have %d, %d and %d entries: expected the same, or "
                     "none for zeros",
                     p->x.count, p->y.count, p->z.count);
  if (arc ? points != 0 : points < 2)
    return IG_FAIL(cx, IG_INPUT,
                   arc ? "give either x, y, z or radius and angle"
                       : "x, y, z: expected 2 or more corners of the line");
  double angle;
  bool round;
  IG_TRY(angle_read(cx, arc ? p->angle : 0, &angle, &round));
  const ig_lid pieces = arc ? 1 : points - 1;
  if (p->cells < 1 || (double)p->cells * pieces > 1e8)
    return IG_FAIL(cx, IG_INPUT, "cells: %lld: expected 1 to 1e8 beams in all",
                   (long long)p->cells);
  const ig_lid cells = (ig_lid)p->cells, beams = pieces * cells;
  if (arc && round && cells < 3)
    return IG_FAIL(cx, IG_INPUT, "cells: %d: expected 3 or more for a closed ring", cells);
  const bool closed = arc && round;
  IG_TRY(ig_mesh_new(cx, 3, beams + !closed, &draft->mesh));
  IG_TRY(IG_NEW(cx, &draft->side, draft->mesh->nodes, "node sides"));
  for (ig_lid i = 0; i < draft->mesh->nodes; i++) {
    double *x = draft->mesh->x + 3 * (size_t)i;
    if (arc) {
      x[0] = p->radius * cos(angle * i / cells);
      x[1] = p->radius * sin(angle * i / cells);
      continue;
    }
    const ig_lid piece = i == beams ? pieces - 1 : i / cells;
    const double s = (double)(i - piece * cells) / cells;
    for (int d = 0; d < 3; d++)
      if (line[d]->count)
        x[d] = (1 - s) * line[d]->value[piece] + s * line[d]->value[piece + 1];
  }
  ig_block *block;
  IG_TRY(ig_mesh_add_block(cx, draft->mesh, IG_BEAM2, beams, &block));
  for (ig_lid e = 0; e < beams; e++) {
    block->conn[2 * (size_t)e] = e;
    block->conn[2 * (size_t)e + 1] = closed && e + 1 == beams ? 0 : e + 1;
  }
  if (!closed) {
    draft->side[0] = 1;
    draft->side[beams] = 2;
    names_set(draft, "start", "end", NULL, NULL, NULL, NULL);
  }
  return IG_OK;
}
