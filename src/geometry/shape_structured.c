/* What shapes are made with: checks of the keys they share, sheets of quadrilaterals or triangles,
   and layers drawn out of them. */
#include "geometry/shape_structured.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The product of points, not of cells, is limited: a quarter of 2^31 leaves room for the four
   corners of a quadrilateral in 32-bit connectivity. */
ig_status ig_shape_cells(ig_ctx *cx, const ig_reals *cells, int count, const char *const *what,
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
    return IG_FAIL(cx, IG_INPUT,
                   "%.3g cells are more than one mesh can number (2^31 corners of elements): "
                   "take fewer",
                   product);
  return IG_OK;
}

/* The upper limit catches infinity; NaN fails the comparison as well. */
ig_status ig_shape_positive(ig_ctx *cx, const char *key, double value) {
  if (!(value > 0 && value < 1e30))
    return IG_FAIL(cx, IG_INPUT, "%s: %g: expected more than 0", key, value);
  return IG_OK;
}

/* A full turn within 1e-9 is closed, so that `360 deg` in a case is, despite its rounding. */
ig_status ig_shape_angle(ig_ctx *cx, double given, double *angle, bool *round) {
  *angle = given != 0 ? given : IG_TAU;
  *round = *angle > IG_TAU * (1 - 1e-9);
  if (!(*angle > 0 && *angle <= IG_TAU * (1 + 1e-9)))
    return IG_FAIL(cx, IG_INPUT, "angle: %g rad: expected more than 0 and at most a full turn",
                   given);
  return IG_OK;
}

/* IG_ELEM_TYPES stands for no wish. `allowed` has bit t set for element type t. */
ig_status ig_shape_type(ig_ctx *cx, ig_elem_type *type, ig_elem_type own, unsigned allowed,
                        const char *shape) {
  if (*type == IG_ELEM_TYPES)
    *type = own;
  if (!(allowed >> *type & 1))
    return IG_FAIL(cx, IG_INPUT, "element: a %s is not made of %s", shape,
                   ig_elem_info_get(*type)->name);
  return IG_OK;
}

/* Number of grid point i, j; the last column or row of a direction that wraps is the first. */
static ig_lid sheet_node(const ig_structured *s, ig_lid i, ig_lid j) {
  const ig_lid across = s->n[0] + !s->wrap[0];
  i = s->wrap[0] && i == s->n[0] ? 0 : i;
  j = s->wrap[1] && j == s->n[1] ? 0 : j;
  return j * across + i;
}

/* Nodes row by row, then, for crossed triangles, the centres of the cells; elements in the same
   order. A ring needs three cells, since with two both would have the same corners. */
ig_status ig_structured_make(ig_ctx *cx, const ig_structured *s, ig_mesh_builder *draft) {
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
  /* Sides are bits of one byte a node; a direction that wraps has none. */
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
      /* A quadrilateral as it is; four triangles about the mean of its corners; or two, whose
         common diagonal starts at corner 0 or, turned, at corner 1. */
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

/* Layer k of nodes is the sheet at height z[k], so node n of it has number k nodes + n. The sheet
   is replaced by the solid only when all was allocated; on failure it is unchanged. Rows of z must
   rise, or elements turn inside out: ig_mesh_check finds that. */
ig_status ig_mesh_builder_extrude(ig_ctx *cx, ig_mesh_builder *draft, ig_lid layers,
                                  const double *z) {
  const ig_mesh *flat = draft->mesh;
  const ig_block *quads = &flat->block[0];
  if ((double)flat->nodes * (layers + 1.0) > INT32_MAX ||
      (double)quads->count * layers > INT32_MAX / 8.0)
    return IG_FAIL(cx, IG_INPUT,
                   "%.3g cells are more than one mesh can number (2^31 corners of elements, 268 "
                   "million hexahedra): take fewer",
                   (double)quads->count * layers);
  ig_mesh_builder solid = {0};
  memcpy(solid.name, draft->name, sizeof solid.name);
  ig_block *block = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_mesh_new(cx, 3, flat->nodes * (layers + 1), &solid.mesh));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &solid.side, solid.mesh->nodes, "node sides"));
  IG_TRY_GOTO(status, done,
              ig_mesh_add_block(cx, solid.mesh, IG_HEX8, quads->count * layers, &block));
/* Layers are independent, so threads share them; the numbers do not depend on how many. */
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, solid.mesh->nodes, IG_WORK_VALUE))
  for (ig_lid k = 0; k <= layers; k++)
    for (ig_lid n = 0; n < flat->nodes; n++) {
      const size_t to = (size_t)k * (size_t)flat->nodes + (size_t)n;
      solid.mesh->x[3 * to] = flat->x[3 * (size_t)n];
      solid.mesh->x[3 * to + 1] = flat->x[3 * (size_t)n + 1];
      solid.mesh->x[3 * to + 2] = z[k];
      solid.side[to] = (uint8_t)(draft->side[n] | (k == 0) << 4 | (k == layers) << 5);
    }
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, block->count, IG_WORK_NODE))
  for (ig_lid k = 0; k < layers; k++) {
    ig_lid *conn = block->conn + 8 * (size_t)k * (size_t)quads->count;
    for (ig_lid e = 0; e < quads->count; e++, conn += 8)
      for (int a = 0; a < 4; a++) {
        conn[a] = quads->conn[4 * (size_t)e + (size_t)a] + k * flat->nodes;
        conn[4 + a] = conn[a] + flat->nodes;
      }
  }
  ig_mesh_builder_free(draft);
  *draft = solid;
  return IG_OK;
done:
  ig_mesh_builder_free(&solid);
  return status;
}

/* Layers of equal height from z = 0. */
ig_status ig_mesh_builder_extrude_even(ig_ctx *cx, ig_mesh_builder *draft, ig_lid layers,
                                       double height) {
  double *z;
  IG_TRY(IG_NEW(cx, &z, (size_t)layers + 1, "layers"));
  for (ig_lid k = 0; k <= layers; k++)
    z[k] = height * k / layers;
  const ig_status status = ig_mesh_builder_extrude(cx, draft, layers, z);
  free(z);
  return status;
}

void ig_mesh_builder_name(ig_mesh_builder *draft, const char *a, const char *b, const char *c,
                          const char *d, const char *e, const char *f) {
  const char *const name[6] = {a, b, c, d, e, f};
  memcpy(draft->name, name, sizeof name);
}

/* Wedges and tetrahedra are cut from hexahedra, and quadratic types come from linear ones. */
ig_elem_type ig_structured_type(ig_elem_type type) {
  return type == IG_TRI3 || type == IG_TRI6 ? IG_TRI3 : IG_QUAD4;
}

/* The message is copied first, as ig_fail_at writes to the same place. */
ig_status ig_mesh_placed(ig_ctx *cx, ig_status status, const ig_src *at) {
  if (status != IG_INPUT || !at)
    return status;
  /* Other failures, such as want of memory, have no place in a case. */
  char message[sizeof cx->message];
  memcpy(message, cx->message, sizeof message);
  return ig_fail_at(cx, at, "%s", message);
}
