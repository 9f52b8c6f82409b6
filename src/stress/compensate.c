/* The compensated shape: the drawn part moved by a factor times its distortion in the opposite
   direction, as a surface of triangles (binary STL) and as a mesh (Gmsh MSH 2.2). With several
   runs ig_stress_shape_next makes the shape that is built next: a fixed-point iteration on the
   shape. */
#include "mesh/topology.h"
#include "core/number.h"
#include "stress/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kern/prec_f32.h"

/* Binary STL: a head of 80 bytes and a count of triangles (uint32, little endian); then per
   triangle 12 floats (normal, three corners) and a 16-bit attribute. */
enum { HEAD = 84, TRIANGLE = 50 };

/* One triangle of the file: corners n of the mesh at x - factor off, its unit normal by the
   right-hand rule, attribute 0. `to` has TRIANGLE bytes; a float is not aligned there, hence
   memcpy. */
static void triangle(const double *x, const double *off, double factor, const ig_lid n[3],
                     char *to) {
  float v[12], *corner = v + 3;
  for (int i = 0; i < 9; i++) {
    const int64_t at = 3 * (int64_t)n[i / 3] + i % 3;
    corner[i] = (float)((x[at] - factor * off[at]) * 1e3); /* mm: STL names no unit */
  }
  const float a[3] = {corner[3] - corner[0], corner[4] - corner[1], corner[5] - corner[2]};
  const float b[3] = {corner[6] - corner[0], corner[7] - corner[1], corner[8] - corner[2]};
  cross_f32(a, b, v);
  normalise_f32(v);
  memcpy(to, v, sizeof v);
  memset(to + sizeof v, 0, 2);
}

/* Elements of the part: what the build phases laid down and is still there; without such phases
   all that is there. */
static ig_status part_of(ig_stress_run *r, uint8_t *part) {
  const ig_stress *m = r->m;
  const uint8_t *alive = m->alive.host;
  bool built = false;
  for (int i = 0; i < r->c->phases.count; i++) {
    if (IG_ITEM(const ig_stress_phase, r->c->phases, i)->kind != IG_PHASE_BUILD)
      continue;
    built = true;
    IG_TRY(ig_stress_steps_group(r, i));
    for (ig_lid e = 0; e < m->elements; e++)
      part[e] |= r->group[e] >= 0 && alive[e];
  }
  if (!built)
    memcpy(part, alive, (size_t)m->elements);
  return IG_OK;
}

/* What the files move the shape of this run by, over its distortion. Of several runs the last shape
   is written as it is: its distortion is known. */
static double factor_of(const ig_stress_run *r) {
  return r->c->compensation_runs > 1 ? 0 : r->c->compensation;
}

/* Faces of part elements whose neighbour is not in the part, two triangles each, of tetrahedra
   four. The first pass counts, the second writes. */
static ig_status surface_write(ig_stress_run *r, const ig_adjacency *adj, const uint8_t *part,
                               const double *off, ig_sink *to) {
  const ig_stress *m = r->m;
  const double factor = factor_of(r);
  char *file = NULL;
  uint32_t count = 0;
  ig_status status = IG_OK;
  for (int pass = 0; pass < 2 && status == IG_OK; pass++) {
    count = 0;
    for (ig_lid e = 0; e < m->elements; e++)
      for (int f = 0; part[e] && f < m->faces; f++) {
        const ig_lid other = adj->neighbor[m->faces * (int64_t)e + f];
        if (other >= 0 && part[other])
          continue;
        const int *c = ig_elem_face(m->type, f);
        const ig_lid *n = m->conn + m->npe * (int64_t)e;
        static const int half[2][3] = {{0, 1, 2}, {0, 2, 3}},
                         quarter[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
        const bool hex = m->type == IG_HEX8;
        for (int i = 0; i < (hex ? 2 : 4); i++, count++) {
          const int *k = hex ? half[i] : quarter[i];
          const ig_lid t[3] = {n[c[k[0]]], n[c[k[1]]], n[c[k[2]]]};
          if (pass)
            triangle(m->mesh->x, off, factor, t, file + HEAD + TRIANGLE * (size_t)count);
        }
      }
    if (pass == 0)
      status = IG_NEW(m->cx, &file, HEAD + TRIANGLE * (size_t)count, "compensated shape");
  }
  if (status == IG_OK) {
    memcpy(file, "compensated shape, millimetres", 30);
    memcpy(file + 80, &count, sizeof count);
    status = to->file(to, "compensated.stl", file, HEAD + TRIANGLE * (size_t)count);
  }
  free(file);
  return status;
}

/* The same as a mesh, in Gmsh's format 2.2: elements of the part and their nodes. */
static ig_status mesh_write(ig_stress_run *r, const uint8_t *part, const double *off, ig_sink *to) {
  const ig_stress *m = r->m;
  const double factor = factor_of(r);
  enum { HEAD_BYTES = 200, LINE = 192 }; /* 15 integers or an integer and three numbers fit */
  ig_lid *number = NULL, nodes = 0, elements = 0;
  char *text = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &number, m->nodes, "compensated mesh"));
  for (ig_lid e = 0; e < m->elements; e++)
    elements += part[e] != 0;
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    if (part[i / m->npe])
      number[m->conn[i]] = 1;
  for (ig_lid n = 0; n < m->nodes; n++)
    if (number[n])
      number[n] = ++nodes;
  const size_t room = HEAD_BYTES + LINE * ((size_t)nodes + (size_t)elements);
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &text, room, "compensated mesh"));
  size_t at =
      (size_t)snprintf(text, room, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", nodes);
  for (ig_lid n = 0; n < m->nodes; n++) {
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = m->mesh->x[3 * (int64_t)n + d] - factor * off[3 * (int64_t)n + d];
    if (number[n])
      at += (size_t)ig_format(text + at, room - at, "%d %.17g %.17g %.17g\n", number[n], x[0], x[1],
                              x[2]);
  }
  at += (size_t)snprintf(text + at, room - at, "$EndNodes\n$Elements\n%d\n", elements);
  for (ig_lid e = 0, k = 0; e < m->elements; e++) {
    if (!part[e])
      continue;
    const bool hex = m->type == IG_HEX8;
    at += (size_t)snprintf(text + at, room - at, "%d %d 2 1 1", ++k, hex ? 5 : 11);
    for (int a = 0; a < m->npe; a++) { /* Gmsh has the last two middles of edges the other way */
      const int of = hex || a < 8 ? a : 17 - a;
      at +=
          (size_t)snprintf(text + at, room - at, " %d", number[m->conn[m->npe * (int64_t)e + of]]);
    }
    at += (size_t)snprintf(text + at, room - at, "\n");
  }
  at += (size_t)snprintf(text + at, room - at, "$EndElements\n");
  status = to->file(to, "compensated.msh", text, at);
done:
  free(number);
  free(text);
  return status;
}

/* Called once at the end of a run. `to` receives compensated.stl and compensated.msh. */
ig_status ig_stress_compensate(ig_stress_run *r, ig_sink *to) {
  const ig_stress *m = r->m;
  uint8_t *part = NULL;
  double *off = NULL, worst;
  ig_adjacency adj;
  IG_TRY(ig_mesh_adjacency(m->cx, m->mesh, &adj));
  ig_status status = IG_NEW(m->cx, &part, m->elements, "compensated shape");
  if (status == IG_OK)
    status = IG_NEW(m->cx, &off, 3 * (size_t)m->nodes, "distortion");
  if (status == IG_OK)
    status = ig_stress_distortion_now(r, off, &worst);
  if (status == IG_OK)
    status = part_of(r, part);
  if (status == IG_OK)
    status = surface_write(r, &adj, part, off, to);
  if (status == IG_OK)
    status = mesh_write(r, part, off, to);
  free(off);
  free(part);
  ig_adjacency_free(&adj);
  return status;
}

/* Next shape of an iterated compensation: the shape of the run that has ended, less factor times
   its distortion against the drawn shape. Elements that were there before the build (a plate) do
   not follow: nodes that the part shares with them stay where they are. */
ig_status ig_stress_shape_next(ig_stress_run *r, double *x) {
  const ig_stress *m = r->m;
  double *off = NULL, worst;
  uint8_t *part = NULL, *moves = m->scratch;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &off, 3 * (size_t)m->nodes, "compensated shape"));
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &part, 2 * (size_t)m->elements, "compensated shape"));
  IG_TRY_GOTO(status, done, ig_stress_distortion_now(r, off, &worst));
  IG_TRY_GOTO(status, done, part_of(r, part));
  uint8_t *built = part + m->elements;
  bool any = false;
  for (int i = 0; i < r->c->phases.count; i++)
    if (IG_ITEM(const ig_stress_phase, r->c->phases, i)->kind == IG_PHASE_BUILD) {
      IG_TRY_GOTO(status, done, ig_stress_steps_group(r, i));
      any = true;
      for (ig_lid e = 0; e < m->elements; e++)
        built[e] |= r->group[e] >= 0;
    }
  memset(moves, 0, (size_t)m->nodes);
  for (int64_t i = 0; i < m->npe * (int64_t)m->elements; i++)
    moves[m->conn[i]] |= part[i / m->npe];
  for (int64_t i = 0; any && i < m->npe * (int64_t)m->elements; i++)
    if (!built[i / m->npe])
      moves[m->conn[i]] = 0;
  for (int64_t i = 0; i < 3 * (int64_t)m->nodes; i++)
    x[i] = m->mesh->x[i] - (moves[i / 3] ? r->c->compensation * off[i] : 0);
done:
  free(off);
  free(part);
  return status;
}
