/* Shapes about an axis: annulus, tube, cylinder, and shells of revolution. */
#include "geometry/shape_structured.h"

#include <math.h>
#include <string.h>

/* --- plane rings and what is drawn out of them: annulus, tube, cylinder */

/* Grid point i radially, j around; the cells of both follow the four lengths and angles in arg. */
static void annulus_map(const void *arg, ig_lid i, ig_lid j, double *x) {
  const double *p = arg; /* inner, outer, start, angle, cells */
  const double r = p[0] + (p[1] - p[0]) * i / p[4], t = p[2] + p[3] * j / p[5];
  x[0] = r * cos(t);
  x[1] = r * sin(t);
}

/* A ring in the plane, or drawn out to a tube. All the way round, the grid wraps and the sides
   `start` and `end` do not exist. */
static ig_status annulus(ig_ctx *cx, const ig_mesh_case *c, const ig_annulus_case *p, bool solid,
                         ig_elem_type *type, ig_mesh_builder *draft) {
  static const char *const what[] = {"radial", "around", "layers"};
  ig_lid n[3];
  double angle;
  bool round;
  IG_TRY(ig_shape_cells(cx, &p->cells, solid ? 3 : 2, what, n));
  IG_TRY(ig_shape_angle(cx, p->angle, &angle, &round));
  IG_TRY(ig_shape_positive(cx, "inner", p->inner));
  if (!(p->outer > p->inner && p->outer < 1e30))
    return IG_FAIL(cx, IG_INPUT, "outer: %g: expected more than inner, %g", p->outer, p->inner);
  IG_TRY(ig_shape_type(cx, type, solid ? IG_HEX8 : IG_QUAD4,
                       solid ? IG_SHAPE_SOLID : IG_SHAPE_PLANE, solid ? "tube" : "annulus"));
  const double arg[6] = {p->inner, p->outer, p->start_angle, angle, n[0], n[1]};
  const ig_structured s = {.dim = c->shell && !solid ? 3 : 2,
                           .n = {n[0], n[1]},
                           .wrap = {false, round},
                           .type = solid ? IG_QUAD4 : ig_structured_type(*type),
                           .pattern = c->triangle_pattern,
                           .map = annulus_map,
                           .arg = arg};
  ig_mesh_builder_name(draft, "inner", "outer", round ? NULL : "start", round ? NULL : "end",
                       solid ? "bottom" : NULL, solid ? "top" : NULL);
  IG_TRY(ig_structured_make(cx, &s, draft));
  if (!solid)
    return IG_OK;
  IG_TRY(ig_shape_positive(cx, "height", p->height));
  return ig_mesh_builder_extrude_even(cx, draft, n[2], p->height);
}

/* An annulus with a height is a tube; a tube needs one. */
ig_status ig_mesh_builder_annulus(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                  ig_mesh_builder *draft) {
  return annulus(cx, c, &c->annulus, c->annulus.height != 0, type, draft);
}
ig_status ig_mesh_builder_tube(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                               ig_mesh_builder *draft) {
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

/* A square core of m x m cells, its sides half way between straight and round, and a collar of 4 m
   x rim cells around it. A polar grid would have degenerate cells at the centre; this one has none
   (a butterfly or O-grid). The core reaches from 0.35 to 0.75 of the radius, by its share of the
   cells plus 0.15, so that core and collar cells are of similar size. */
static ig_status butterfly(ig_ctx *cx, double radius, ig_lid m, ig_lid rim,
                           ig_mesh_builder *draft) {
  if (((double)m + 1) * (m + 1) + 4.0 * m * rim > INT32_MAX / 8.0)
    return IG_FAIL(cx, IG_INPUT, "the section has more cells than one mesh can number: take fewer");
  const ig_lid core = (m + 1) * (m + 1), around = 4 * m;
  /* The core's share of the cells along a diameter, and a little more, as its corners reach further
     out than its sides. */
  const double share = (double)m / (m + 2.0 * rim) + 0.15; /* of the radius, to a core corner */
  const double reach = radius * fmin(fmax(share, 0.35), 0.75);
  IG_TRY(ig_mesh_new(cx, 2, core + around * rim, &draft->mesh));
  IG_TRY(IG_NEW(cx, &draft->side, draft->mesh->nodes, "node sides"));
  double *x = draft->mesh->x;
  /* Each grid line is the mean of a straight one, factor sqrt(1/2), and of the elliptical one that
     maps a square to a disc, sqrt(1 - v^2 / 2). */
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
  /* The collar: rays from the rim of the core, starting at its corner at -135 degrees, to points
     evenly spaced on the circle. The first ring of cells begins at nodes of the core. */
  for (ig_lid k = 0; k < around; k++) {
    const ig_lid next = (k + 1) % around;
    const ig_lid first = core_edge(m, k), second = core_edge(m, next);
    const double t = IG_TAU * (k / (double)around - 0.375);
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

/* A cylinder about z: the section drawn out evenly. Its sides are `side`, `bottom`, `top`. */
ig_status ig_mesh_builder_cylinder(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                   ig_mesh_builder *draft) {
  /* Names of the three entries of `cells` in messages. */
  static const char *const what[] = {"across the core", "core to rim", "layers"};
  const ig_cylinder_case *p = &c->cylinder;
  ig_lid n[3];
  IG_TRY(ig_shape_cells(cx, &p->cells, 3, what, n));
  IG_TRY(ig_shape_positive(cx, "radius", p->radius));
  IG_TRY(ig_shape_positive(cx, "height", p->height));
  IG_TRY(ig_shape_type(cx, type, IG_HEX8, IG_SHAPE_SOLID, "cylinder"));
  /* The collar marks its rim as side 1, the outer one of a ring; side 0 does not exist. */
  ig_mesh_builder_name(draft, NULL, "side", NULL, NULL, "bottom", "top");
  IG_TRY(butterfly(cx, p->radius, n[0], n[1], draft));
  return ig_mesh_builder_extrude_even(cx, draft, n[2], p->height);
}

/* --- curved shells */

/* Grid point i around, j along the axis. */
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
                             const ig_reals *cells, const char *const *what, ig_structured_map *map,
                             const char *low, const char *high, ig_elem_type *type,
                             ig_mesh_builder *draft) {
  ig_lid n[2];
  double angle;
  bool round;
  IG_TRY(ig_shape_cells(cx, cells, 2, what, n));
  IG_TRY(ig_shape_angle(cx, shape[2], &angle, &round));
  IG_TRY(ig_shape_positive(cx, "radius", shape[0]));
  const double arg[5] = {shape[0], shape[1], angle, n[0], n[1]};
  const ig_structured s = {.dim = 3,
                           .n = {n[0], n[1]},
                           .wrap = {round, false},
                           .type = ig_structured_type(*type),
                           .pattern = c->triangle_pattern,
                           .map = map,
                           .arg = arg};
  ig_mesh_builder_name(draft, round ? NULL : "start", round ? NULL : "end", low, high, NULL, NULL);
  return ig_structured_make(cx, &s, draft);
}

/* Triangles unless asked otherwise, as shells are computed with them. */
ig_status ig_mesh_builder_cylinder_shell(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                         ig_mesh_builder *draft) {
  static const char *const what[] = {"around", "along"};
  const ig_cylinder_shell_case *p = &c->cylinder_shell;
  IG_TRY(ig_shape_positive(cx, "height", p->height));
  IG_TRY(ig_shape_type(cx, type, IG_TRI3, IG_SHAPE_PLANE, "cylinder_shell"));
  return turned_make(cx, c, (double[]){p->radius, p->height, p->angle}, &p->cells, what,
                     cylinder_shell_map, "bottom", "top", type, draft);
}

/* Grid point i around, j from the equator up to the rim of the hole. */
static void hemisphere_map(const void *arg, ig_lid i, ig_lid j, double *x) {
  const double *p = arg; /* radius, hole, angle, cells */
  const double t = p[2] * i / p[3], up = (IG_TAU / 4 - p[1]) * j / p[4];
  x[0] = p[0] * cos(up) * cos(t);
  x[1] = p[0] * cos(up) * sin(t);
  x[2] = p[0] * sin(up);
}

/* The hole keeps the pole out, at which the grid would degenerate. */
ig_status ig_mesh_builder_hemisphere(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                     ig_mesh_builder *draft) {
  static const char *const what[] = {"around", "up"};
  const ig_hemisphere_case *p = &c->hemisphere;
  if (!(p->hole > 0 && p->hole < IG_TAU / 4))
    return IG_FAIL(cx, IG_INPUT, "hole: %g rad: expected more than 0 and less than a quarter turn",
                   p->hole);
  IG_TRY(ig_shape_type(cx, type, IG_TRI3, IG_SHAPE_PLANE, "hemisphere"));
  return turned_make(cx, c, (double[]){p->radius, p->hole, p->angle}, &p->cells, what,
                     hemisphere_map, "edge", "hole", type, draft);
}
