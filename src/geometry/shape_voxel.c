/* A part from a surface of triangles: turned, set down on a plate, cut into equal cubes. A cube
   belongs to the part when its middle is inside the surface (ig_tri_surface_voxels, by counting
   crossings of rays). The surface is then a staircase: good for heat and inherent strain of a
   build, not for stresses at its skin. */
#include "geometry/shape_structured.h"
#include "ingot_io.h"
#include "mesh/tri_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tags of elements; generate() in mesh_case.c makes sets of them by the same numbers. */
enum { PART = 1, PLATE = 2, SUPPORTS = 3 };
/* 400 million bytes of marks; more is most likely a wrong unit. */
#define MOST_VOXELS 400e6

/* --- turning and placing */

/* Turns all points about x, then y, then z, by right-handed angles in rad, in place. Multiples of
   90 degrees use cosines of exactly 0 and 1, or a level face would end up tilted by rounding, with
   a row of voxels more or less at its edge. */
static void soup_turn(ig_tri_surface *s, const double *angle) {
  for (int d = 0; d < 3; d++) {
    if (angle[d] == 0)
      continue;
    const double quarters = angle[d] / (M_PI / 2);
    double c = cos(angle[d]), w = sin(angle[d]);
    if (fabs(quarters - round(quarters)) < 1e-9) { /* right angles are exact */
      c = round(c);
      w = round(w);
    }
    const size_t p = (size_t)(d + 1) % 3, q = (size_t)(d + 2) % 3;
    for (size_t n = 0; n < (size_t)s->nodes; n++) {
      double *x = &s->x[3 * n];
      const double u = x[p], v = x[q];
      x[p] = c * u - w * v;
      x[q] = w * u + c * v;
    }
  }
}

/* Moves all points by a vector, m. */
static void soup_move(ig_tri_surface *s, const double *by) {
  for (size_t n = 0; n < (size_t)s->nodes; n++)
    for (size_t d = 0; d < 3; d++)
      s->x[3 * n + d] += by[d];
}

/* --- saying what the surface is */

/* Surveys the surface and refuses or warns. A surface with holes has no inside, unless the majority
   of rays along x, y and z is taken for it (`fill_holes`). */
static ig_status soup_check(ig_ctx *cx, const ig_voxel_case *c, ig_tri_surface *s,
                            ig_tri_surface_survey *v) {
  IG_TRY(ig_tri_surface_look(cx, s, v));
  if (s->triangles == 0)
    return IG_FAIL(cx, IG_INPUT, "%s: there are no triangles", c->stl);
  if (v->open_edges && !c->fill_holes)
    return IG_FAIL(
        cx, IG_INPUT,
        "%s: the surface is not closed: %d hole%s, %d open edges, the longest rim of %d "
        "about (%.4g, %.4g, %.4g) m: repair it, or set `fill_holes: true` to fill by the "
        "majority of rays along x, y and z",
        c->stl, v->holes, v->holes == 1 ? "" : "s", (int)v->open_edges, (int)v->hole_edges,
        v->hole[0], v->hole[1], v->hole[2]);
  if (!v->oriented)
    ig_warn(cx,
            "%s: its triangles do not all face the same way: inside is what an odd number of "
            "crossings encloses",
            c->stl);
  if (v->crowded_edges)
    ig_warn(cx, "%s: %d edges where more than two triangles meet", c->stl, (int)v->crowded_edges);
  return IG_OK;
}

/* --- voxels to a mesh */

/* The grid of cubes: n of them along each axis, x fastest; `low` its lowest corner and `edge` in m.
   The caller frees `region`. */
typedef struct {
  ig_lid n[3];
  double low[3], edge;
  uint8_t *region; /* 0: empty */
} grid;

static size_t voxel_at(const grid *g, ig_lid i, ig_lid j, ig_lid k) {
  return ((size_t)k * (size_t)g->n[1] + (size_t)j) * (size_t)g->n[0] + (size_t)i;
}

/* Counts the pieces that are connected through faces, by a flood fill with its own stack of at most
   as many entries as there are voxels in use. */
static ig_status pieces_count(ig_ctx *cx, const grid *g, int64_t *pieces) {
  const size_t count = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
  uint8_t *seen = NULL;
  int64_t *stack = NULL, top = 0, solid = 0;
  ig_status status;
  *pieces = 0;
  for (size_t i = 0; i < count; i++)
    solid += g->region[i] != 0;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &seen, count, "voxels"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &stack, solid + 1, "voxels"));
  const int64_t step[3] = {1, g->n[0], (int64_t)g->n[0] * g->n[1]};
  for (size_t first = 0; first < count; first++) {
    if (!g->region[first] || seen[first])
      continue;
    ++*pieces;
    seen[first] = 1;
    stack[top++] = (int64_t)first;
    while (top) {
      const int64_t at = stack[--top];
      for (int d = 0; d < 3; d++)
        for (int way = -1; way <= 1; way += 2) {
          /* The index along the axis guards against stepping round the end of a row. */
          const int64_t here = at / step[d] % g->n[d], next = at + way * step[d];
          if (here + way < 0 || here + way >= g->n[d] || !g->region[next] || seen[next])
            continue;
          seen[next] = 1;
          stack[top++] = next;
        }
    }
  }
done:
  free(seen);
  free(stack);
  return status;
}

/* Turns the marked voxels into hexahedra; only the corners in use become nodes. number[] is first a
   mark, then the node's number. Nodes and elements are in the order of the grid. */
static ig_status grid_mesh(ig_ctx *cx, const grid *g, ig_mesh_builder *draft) {
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const size_t wide = (size_t)g->n[0] + 1, tall = (size_t)g->n[1] + 1;
  const size_t points = wide * tall * ((size_t)g->n[2] + 1);
  ig_lid *number = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &number, points, "voxels"));
  int64_t elements = 0, nodes = 0;
  for (ig_lid k = 0; k < g->n[2]; k++)
    for (ig_lid j = 0; j < g->n[1]; j++)
      for (ig_lid i = 0; i < g->n[0]; i++) {
        if (!g->region[voxel_at(g, i, j, k)])
          continue;
        elements++;
        for (int a = 0; a < 8; a++)
          number[((size_t)(k + corner[a][2]) * tall + (size_t)(j + corner[a][1])) * wide +
                 (size_t)(i + corner[a][0])] = 1;
      }
  for (size_t p = 0; p < points; p++)
    nodes += number[p];
  if (8 * elements > INT32_MAX || nodes > INT32_MAX) {
    status =
        IG_FAIL(cx, IG_INPUT, "%lld voxels are more than one mesh can number: take larger ones",
                (long long)elements);
    goto done;
  }
  IG_TRY_GOTO(status, done, ig_mesh_new(cx, 3, (ig_lid)nodes, &draft->mesh));
  ig_block *block;
  IG_TRY_GOTO(status, done, ig_mesh_add_block(cx, draft->mesh, IG_HEX8, (ig_lid)elements, &block));
  ig_lid n = 0;
  for (size_t p = 0; p < points; p++) {
    if (!number[p])
      continue;
    const size_t at[3] = {p % wide, p / wide % tall, p / wide / tall};
    for (size_t d = 0; d < 3; d++)
      draft->mesh->x[3 * (size_t)n + d] = g->low[d] + (double)at[d] * g->edge;
    number[p] = n++;
  }
  ig_lid e = 0;
  for (ig_lid k = 0; k < g->n[2]; k++)
    for (ig_lid j = 0; j < g->n[1]; j++)
      for (ig_lid i = 0; i < g->n[0]; i++) {
        const uint8_t region = g->region[voxel_at(g, i, j, k)];
        if (!region)
          continue;
        for (int a = 0; a < 8; a++)
          block->conn[8 * (size_t)e + (size_t)a] =
              number[((size_t)(k + corner[a][2]) * tall + (size_t)(j + corner[a][1])) * wide +
                     (size_t)(i + corner[a][0])];
        block->tag[e++] = region;
      }
done:
  free(number);
  return status;
}

/* --- */

/* A grid that holds the part, in the middle of it in x and y, on its floor in z; `below` and
   `around` are the voxels of the plate. A millionth of a voxel is forgiven before another row is
   added, so that a part of exactly ten voxels gets ten. */
static ig_status grid_lay(ig_ctx *cx, const ig_voxel_case *c, const ig_tri_surface_survey *v,
                          grid *g, ig_lid *below, ig_lid *around) {
  const double edge = c->voxel;
  double cells = 1;
  const bool plate = c->build_plate.at.given;
  const double deep = plate ? ceil(c->build_plate.thickness / edge - 1e-6) : 0;
  const double wide = plate ? ceil(c->build_plate.margin / edge - 1e-6) : 0;
  double n[3];
  for (int d = 0; d < 3; d++) {
    n[d] = fmax(1, ceil((v->high[d] - v->low[d]) / edge - 1e-6));
    cells *= n[d] + (d < 2 ? 2 * wide : deep);
  }
  if (!(cells <= MOST_VOXELS))
    return IG_FAIL(cx, IG_INPUT,
                   "voxels of %g m make %.3g of them about a part of %.4g x %.4g x %.4g m: take "
                   "larger ones; is the unit right?",
                   edge, cells, v->high[0] - v->low[0], v->high[1] - v->low[1],
                   v->high[2] - v->low[2]);
  *below = (ig_lid)deep;
  *around = (ig_lid)wide;
  g->edge = edge;
  for (int d = 0; d < 3; d++) {
    const double spare = d < 2 ? 0.5 * (n[d] * edge - (v->high[d] - v->low[d])) : 0;
    g->n[d] = (ig_lid)n[d];
    g->low[d] = v->low[d] - spare;
  }
  return IG_OK;
}

/* Marks the part's voxels in the grid, enlarged by the plate below and its margin around. vote:
   inside is what two of three rays say. *solid counts the voxels of the part. */
static ig_status region_fill(ig_ctx *cx, const ig_tri_surface *s, const ig_tri_surface_survey *v,
                             bool vote, ig_lid below, ig_lid around, grid *g, int64_t *solid) {
  uint8_t *inside;
  const ig_lid n[3] = {g->n[0], g->n[1], g->n[2]};
  const double low[3] = {g->low[0], g->low[1], g->low[2]};
  IG_TRY(IG_NEW(cx, &inside, (size_t)n[0] * (size_t)n[1] * (size_t)n[2], "voxels"));
  ig_status status = ig_tri_surface_voxels(cx, s, low, g->edge, n, v->oriented, vote, inside);
  for (int d = 0; d < 3; d++) {
    g->n[d] += d < 2 ? 2 * around : below;
    g->low[d] -= (d < 2 ? around : below) * g->edge;
  }
  if (status == IG_OK)
    status = IG_NEW(cx, &g->region, (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2], "voxels");
  for (size_t i = 0; status == IG_OK && i < (size_t)g->n[0] * (size_t)g->n[1] * (size_t)below; i++)
    g->region[i] = PLATE;
  *solid = 0;
  for (ig_lid k = 0; status == IG_OK && k < n[2]; k++)
    for (ig_lid j = 0; j < n[1]; j++)
      for (ig_lid i = 0; i < n[0]; i++)
        if (inside[((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0] + (size_t)i]) {
          g->region[voxel_at(g, i + around, j + around, k + below)] = PART;
          ++*solid;
        }
  free(inside);
  return status;
}

/* --- supports */

/* Whether a triangle faces down at less than the angle above the horizontal, rad. outward: 1 or -1
   for the side to which its corners turn; 0: not known, and both sides count as down. The small
   amount beyond the cosine leaves a surface at exactly the angle unsupported. */
static bool overhangs(const double *const x[3], double angle, int outward) {
  /* Normal by the cross product of two edges; a triangle without area has none. */
  double n[3], length = 0;
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    n[d] = (x[1][e] - x[0][e]) * (x[2][f] - x[0][f]) - (x[1][f] - x[0][f]) * (x[2][e] - x[0][e]);
    length += n[d] * n[d];
  }
  length = sqrt(length);
  const double down = outward ? -outward * n[2] : fabs(n[2]);
  return length > 0 && down > 0 && down / length > cos(angle) + 1e-9;
}

/* The height of a triangle above a point of the plane, by barycentric coordinates in x and y;
   false: it is not above it, or the triangle stands upright. The slack of 1e-9 lets a point on a
   common edge belong to both triangles rather than to none. */
static bool height_at(const double *const x[3], const double *p, double *z) {
  const double det =
      (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
  if (det == 0)
    return false;
  const double u = ((p[0] - x[0][0]) * (x[2][1] - x[0][1]) -
                    (x[2][0] - x[0][0]) * (p[1] - x[0][1])) /
                   det,
               v = ((x[1][0] - x[0][0]) * (p[1] - x[0][1]) -
                    (p[0] - x[0][0]) * (x[1][1] - x[0][1])) /
                   det;
  *z = x[0][2] + u * (x[1][2] - x[0][2]) + v * (x[2][2] - x[0][2]);
  return u >= -1e-9 && v >= -1e-9 && u + v <= 1 + 1e-9;
}

/* Fills the column below the part's voxel that begins near level k, down to the next voxel of
   anything. The surface may lie one voxel off the voxels made from it, so three levels are tried.
   Returns the voxels filled. */
static int64_t column_fill(grid *g, ig_lid i, ig_lid j, ig_lid k) {
  int64_t filled = 0;
  for (ig_lid at = k - 1; at <= k + 1; at++) {
    if (at < 1 || at >= g->n[2] || g->region[voxel_at(g, i, j, at)] != PART)
      continue;
    for (ig_lid b = at - 1; b >= 0 && !g->region[voxel_at(g, i, j, b)]; b--, filled++)
      g->region[voxel_at(g, i, j, b)] = SUPPORTS;
    break;
  }
  return filled;
}

/* Every column whose middle is below an overhanging triangle is filled once; a second triangle
   above it finds it filled. The sign of the volume says whether an oriented surface faces
   outward. */
static int64_t supports_fill(const ig_tri_surface *s, const ig_tri_surface_survey *v, double angle,
                             grid *g) {
  const int outward = !v->oriented ? 0 : v->volume > 0 ? 1 : -1;
  int64_t filled = 0;
  for (size_t t = 0; t < (size_t)s->triangles; t++) {
    const double *x[3];
    ig_lid from[2], to[2];
    for (size_t a = 0; a < 3; a++)
      x[a] = &s->x[3 * (size_t)s->corner[3 * t + a]];
    if (!overhangs(x, angle, outward))
      continue;
    for (int d = 0; d < 2; d++) { /* the columns whose middle may be below it */
      const double low = fmin(x[0][d], fmin(x[1][d], x[2][d])),
                   high = fmax(x[0][d], fmax(x[1][d], x[2][d]));
      from[d] = (ig_lid)fmax(0, floor((low - g->low[d]) / g->edge - 0.5));
      to[d] = (ig_lid)fmin(g->n[d] - 1, ceil((high - g->low[d]) / g->edge - 0.5));
    }
    for (ig_lid j = from[1]; j <= to[1]; j++)
      for (ig_lid i = from[0]; i <= to[0]; i++) {
        const double p[2] = {g->low[0] + (i + 0.5) * g->edge, g->low[1] + (j + 0.5) * g->edge};
        double z;
        if (height_at(x, p, &z))
          filled += column_fill(g, i, j, (ig_lid)lround((z - g->low[2]) / g->edge));
      }
  }
  return filled;
}

/* From the surface to the draft. The volume of the voxels is compared with that of the surface:
   more than a tenth apart, the voxels are too coarse to describe the part. */
static ig_status voxels_make(ig_ctx *cx, const ig_voxel_case *c, ig_tri_surface *s, grid *g,
                             ig_mesh_builder *draft) {
  ig_tri_surface_survey v;
  ig_lid below = 0, around = 0;
  int64_t solid = 0, pieces = 0;
  soup_turn(s, c->rotate);
  IG_TRY(soup_check(cx, c, s, &v));
  /* The survey is moved along rather than made again. */
  double by[3] = {c->translate[0], c->translate[1], c->translate[2]};
  if (c->build_plate.at.given || c->place_on_plate)
    by[2] -= v.low[2];
  soup_move(s, by);
  for (int d = 0; d < 3; d++)
    v.low[d] += by[d], v.high[d] += by[d];
  IG_TRY(grid_lay(cx, c, &v, g, &below, &around));
  IG_TRY(region_fill(cx, s, &v, v.seams > 0 || v.open_edges > 0, below, around, g, &solid));
  if (solid == 0)
    return IG_FAIL(cx, IG_INPUT, "%s: no voxel of %g m has its middle inside: take smaller ones",
                   c->stl, c->voxel);
  /* Volumes in m^3; messages give them in mm^3, the unit in which parts are thought of. */
  const double volume = (double)solid * pow(c->voxel, 3);
  ig_info(cx, "%s: %d triangles, %s, %.4g x %.4g x %.4g mm, volume %.6g mm3; %lld voxels, %.6g mm3",
          c->stl, (int)s->triangles, v.open_edges ? "not closed" : "closed",
          1e3 * (v.high[0] - v.low[0]), 1e3 * (v.high[1] - v.low[1]), 1e3 * (v.high[2] - v.low[2]),
          1e9 * fabs(v.volume), (long long)solid, 1e9 * volume);
  if (!v.open_edges && v.oriented && fabs(volume / fabs(v.volume) - 1) > 0.1)
    ig_warn(cx, "%s: the voxels hold %.3g of the part's volume: take smaller ones", c->stl,
            volume / fabs(v.volume));
  /* Supports that support nothing are refused: the key would have no effect. */
  if (c->support_structure.at.given) {
    const int64_t filled = supports_fill(s, &v, c->support_structure.angle, g);
    ig_info(cx, "%s: supports of %lld voxels, %.6g mm3", c->stl, (long long)filled,
            1e9 * (double)filled * pow(c->voxel, 3));
    if (filled == 0)
      return ig_fail_at(cx, &c->support_structure.at,
                        "nothing overhangs by less than %.3g degrees above the horizontal: leave "
                        "out `support_structure`",
                        c->support_structure.angle * 180 / M_PI);
  }
  IG_TRY(pieces_count(cx, g, &pieces));
  if (pieces > 1)
    ig_warn(cx, "%s: the voxels are in %lld pieces that share no face", c->stl, (long long)pieces);
  return grid_mesh(cx, g, draft);
}

/* The surface of a part, from a file where files can be read. A volume mesh or CAD file gives its
   outer surface, and an image the surface of its voxels above the threshold. */
static ig_status surface_read(ig_ctx *cx, const ig_mesh_case *c, ig_tri_surface *soup) {
#ifdef INGOT_HAVE_IO
  const ig_tri_surface_how how = {.unit = c->unit > 0 ? c->unit : 0,
                                  .edge = c->voxels.voxel,
                                  .threshold = c->voxels.threshold,
                                  .field = c->voxels.field,
                                  .time_limit = c->meshing_time,
                                  .memory_limit = c->meshing_memory};
  return ig_tri_surface_read_as(cx, c->voxels.stl, &how, soup);
#else
  (void)soup;
  return IG_FAIL(cx, IG_UNSUPPORTED, "%s: files are not compiled in: configure with INGOT_IO=ON",
                 c->voxels.stl);
#endif
}

/* Voxels are hexahedra by nature; other solids are cut from them later. */
ig_status ig_mesh_builder_voxels(ig_ctx *cx, const ig_mesh_case *c, ig_elem_type *type,
                                 ig_mesh_builder *draft) {
  if (!(c->voxels.voxel > 0))
    return IG_FAIL(cx, IG_INPUT, "a part from `stl` needs `voxel`, the edge of its voxels");
  if (*type == IG_ELEM_TYPES)
    *type = IG_HEX8;
  if (!(IG_SHAPE_SOLID >> *type & 1))
    return IG_FAIL(cx, IG_INPUT,
                   "voxels are hexahedra, or tetrahedra or wedges cut from them: expected "
                   "element hex8, tet4, tet10 or wedge6");
  ig_tri_surface soup = {0};
  grid g = {.region = NULL};
  ig_status status = surface_read(cx, c, &soup);
  if (status == IG_OK)
    status = voxels_make(cx, &c->voxels, &soup, &g, draft);
  ig_tri_surface_free(&soup);
  free(g.region);
  return status;
}
