/* Rings about a centre (disc, dome, dome of bars), and lines of beams. Ring r has r times `sectors`
   nodes, so that triangles keep about the same size from the centre to the edge, and there is no
   node where many thin triangles meet. */
#include "geometry/shape_structured.h"

#include <math.h>
#include <string.h>

/* Number of the first node of ring r: 1 + sectors (1 + 2 + … + (r - 1)); the centre is node 0. And
   node k of a ring, counted round without end. */
static ig_lid ring_first(ig_lid sectors, ig_lid r) {
  return r == 0 ? 0 : 1 + sectors * (r * (r - 1) / 2);
}
static ig_lid ring_node(ig_lid sectors, ig_lid r, ig_lid k) {
  return r == 0 ? 0 : ring_first(sectors, r) + k % (sectors * r);
}

/* Checks what the three shapes have in common; a mesh of 2^31 / 8 triangles is the limit. A cap
   ends before half a turn, where its edge would shrink to a point. */
static ig_status rings_read(ig_ctx *cx, const ig_rings_case *p, bool cap, ig_lid *sectors) {
  const int64_t s = p->sectors ? p->sectors : 6;
  if (s < 3 || s > 1000)
    return IG_FAIL(cx, IG_INPUT, "sectors: %lld: expected 3 to 1000", (long long)s);
  if (p->rings < 1 || (double)s * (double)p->rings * (double)p->rings > INT32_MAX / 8.0)
    return IG_FAIL(cx, IG_INPUT,
                   "rings: %lld: expected at least 1 and fewer than one mesh can "
                   "number",
                   (long long)p->rings);
  IG_TRY(ig_shape_positive(cx, "radius", p->radius));
  if (cap && !(p->angle > 0 && p->angle < IG_TAU / 2))
    return IG_FAIL(cx, IG_INPUT, "angle: %g rad: expected more than 0 and less than half a turn",
                   p->angle);
  *sectors = (ig_lid)s;
  return IG_OK;
}

/* Makes the nodes. A cap is a part of a sphere whose edge lies in z = 0: the polar angle grows
   evenly from ring to ring. Side 0 is the outermost ring, side 1 the centre. `extra` nodes are left
   for the caller. */
static ig_status rings_nodes(ig_ctx *cx, const ig_rings_case *p, ig_lid sectors, bool cap, int dim,
                             ig_lid extra, ig_mesh_builder *draft) {
  const ig_lid rings = (ig_lid)p->rings;
  IG_TRY(ig_mesh_new(cx, dim, ring_first(sectors, rings + 1) + extra, &draft->mesh));
  IG_TRY(IG_NEW(cx, &draft->side, draft->mesh->nodes, "node sides"));
  for (ig_lid r = 0; r <= rings; r++) {
    const double share = (double)r / rings, fall = p->angle * share;
    const double out = p->radius * (cap ? sin(fall) : share);
    for (ig_lid k = 0; k < (r ? sectors * r : 1); k++) {
      const ig_lid node = ring_first(sectors, r) + k;
      double *x = draft->mesh->x + 3 * (size_t)node;
      const double t = r ? IG_TAU * k / ((double)sectors * r) : 0;
      x[0] = out * cos(t);
      x[1] = out * sin(t);
      /* The edge is set to z = 0 exactly, so that supports by place find it. */
      x[2] = cap && r < rings ? p->radius * (cos(fall) - cos(p->angle)) : 0;
      draft->side[node] = r == rings ? 1 : r == 0 ? 2 : 0;
    }
  }
  return IG_OK;
}

/* Triangles between ring r - 1 and ring r, sector by sector: r that stand on the outer ring and r -
   1 that stand on the inner one, in all sectors x rings^2. */
static ig_status rings_triangles(ig_ctx *cx, const ig_rings_case *p, bool cap, int dim,
                                 ig_mesh_builder *draft) {
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
        /* The node of the inner ring that both triangles of this step share. */
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

/* Sides of a disc: `edge` and `center`. */
ig_status ig_mesh_builder_disc(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                               ig_mesh_builder *draft) {
  IG_TRY(ig_shape_type(cx, type, IG_TRI3, 1u << IG_TRI3 | 1u << IG_TRI6, "disc"));
  ig_mesh_builder_name(draft, "edge", "center", NULL, NULL, NULL, NULL);
  return rings_triangles(cx, &c->disc, false, c->shell ? 3 : 2, draft);
}

/* A dome is always a surface in space; sides `edge` and `apex`. */
ig_status ig_mesh_builder_dome(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                               ig_mesh_builder *draft) {
  IG_TRY(ig_shape_type(cx, type, IG_TRI3, 1u << IG_TRI3 | 1u << IG_TRI6, "dome"));
  ig_mesh_builder_name(draft, "edge", "apex", NULL, NULL, NULL, NULL);
  return rings_triangles(cx, &c->dome, true, 3, draft);
}

/* A bar from node a to node b, in `cells` beams through new nodes on the straight line between
   them. *node is the next free number, *conn the next free place; both move on. */
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

/* Bars of a dome: along each ring, inward along the ribs, and diagonals between the ribs. Their
 * number is the sum over rings of sectors (3 r - 1). */
ig_status ig_mesh_builder_lattice_dome(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                       ig_mesh_builder *draft) {
  const ig_rings_case *p = &c->lattice_dome;
  ig_lid sectors;
  IG_TRY(rings_read(cx, p, true, &sectors));
  IG_TRY(ig_shape_type(cx, type, IG_BEAM2, 1u << IG_BEAM2, "lattice_dome"));
  /* A program that fills the struct may leave it at 0. */
  const int64_t cells = p->cells ? p->cells : 1;
  const int64_t rings = p->rings, bars = sectors * (rings * (3 * rings + 1) / 2);
  if (cells < 1 || cells > 1000 || bars * cells > INT32_MAX / 8)
    return IG_FAIL(cx, IG_INPUT,
                   "cells: %lld a bar: expected 1 to 1000, and fewer beams in all "
                   "than one mesh can number",
                   (long long)cells);
  ig_mesh_builder_name(draft, "edge", "apex", NULL, NULL, NULL, NULL);
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

/* Beams along a polyline or an arc. A full ring has no ends: its last beam leads to node 0, and it
   has no sides. */
ig_status ig_mesh_builder_beam_line(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                    ig_mesh_builder *draft) {
  const ig_beam_line_case *p = &c->beam_line;
  IG_TRY(ig_shape_type(cx, type, IG_BEAM2, 1u << IG_BEAM2, "beam_line"));
  const bool arc = p->radius > 0;
  const ig_reals *line[3] = {&p->x, &p->y, &p->z};
  int points = 0;
  for (int d = 0; d < 3; d++)
    points = line[d]->count > points ? line[d]->count : points;
  /* A list that was left out stands for zeros; the others agree in their number of corners. */
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
  IG_TRY(ig_shape_angle(cx, arc ? p->angle : 0, &angle, &round));
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
  /* Nodes lie evenly on each piece. The last node belongs to the last piece, at its end. */
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
    ig_mesh_builder_name(draft, "start", "end", NULL, NULL, NULL, NULL);
  }
  return IG_OK;
}
