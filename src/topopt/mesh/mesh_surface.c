/* The surface of a design on a mesh: densities averaged to the nodes by volume, cut by marching
   tetrahedra, closed by the parts of the mesh's own boundary that are inside, and mirrored through
   the planes of symmetry.

   A hexahedron is twelve tetrahedra: each face is split through its lowest node and joined to the
   centre, so neighbours agree on every face. A quadratic tetrahedron is eight, four at its corners
   and four around a diagonal between two middles of edges. A vertex is known by the edge it lies on
   (or the node it is), so every edge of the surface belongs to two triangles.

   Elements are cut one after the other. Of a mesh in parts each rank cuts its own, which follow
   those of the rank before, and the first joins the triangles in this order. */
#include "ranks/ranks.h"
#include "solver/krylov/chunks.h"
#include "topopt/mesh/mesh_model.h"
#include "topopt/surface/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points are nodes that are here, then centres of own elements. */
typedef struct {
  const ig_topopt_mesh_model *m;
  ig_topopt_mesh_body b;
  double level;
  double *value;   /* nodes */
  double plane[3]; /* of symmetry, along each axis, through which it is mirrored; NaN: none */
  uint8_t *open;   /* own elements: bits of the faces that are closed: free and on no such plane */
  uint8_t *shared; /* nodes: 1 where other ranks' elements may be; NULL: none are */
  ig_topopt_part_builder build;
  ig_topopt_keys keys;
  ig_topopt_skin
      skin;         /* its rim: vertices that others may have, or that lie on planes, bits `on` */
  ig_lid corner[4]; /* points of the tetrahedron at hand */
} cutter;

static void cutter_free(cutter *c) {
  free(c->value);
  free(c->open);
  free(c->shared);
  ig_topopt_keys_free(&c->keys);
  ig_topopt_skin_free(&c->skin);
}

static const ig_lid *nodes_of(const cutter *c, ig_lid e) {
  return &c->b.conn[(size_t)c->m->info->nodes * (size_t)e];
}

/* Numbers from b.nodes on are centres of hexahedra. */
static void point(const cutter *c, ig_lid p, double *x) {
  if (p < c->b.nodes)
    memcpy(x, &c->b.x[3 * (size_t)p], 3 * sizeof *x);
  else
    ig_topopt_mesh_middle(c->m->type, c->b.x, nodes_of(c, p - c->b.nodes), -1, x);
}

/* The centre of a hexahedron has the mean of its nodes. */
static double value_at(const cutter *c, ig_lid p) {
  const int npe = c->m->info->nodes;
  double mean = 0;
  if (p < c->b.nodes)
    return c->value[p];
  for (int a = 0; a < npe; a++)
    mean += c->value[nodes_of(c, p - c->b.nodes)[a]] / npe;
  return mean;
}

/* A point's number on all ranks. Keys of vertices must agree between ranks, so they are made of
   numbers of the whole: 32 bits each. */
static uint32_t whole_of(const cutter *c, ig_lid p) {
  if (p < c->b.nodes)
    return (uint32_t)(c->b.node ? c->b.node[p] : p);
  return (uint32_t)c->m->nodes + (uint32_t)(c->b.first + (p - c->b.nodes));
}

/* Planes of symmetry a point lies on. A bit for each axis. */
static uint8_t planes_of(const cutter *c, ig_lid p) {
  uint8_t bits = 0;
  double x[3];
  point(c, p, x);
  for (int d = 0; d < 3; d++)
    if (!isnan(c->plane[d]) && fabs(x[d] - c->plane[d]) <= c->m->slack)
      bits |= (uint8_t)(1 << d);
  return bits;
}

/* Vertices on a plane of symmetry are marked as well: the mirrored half shares them. */
static ig_status rim_note(cutter *c, ig_lid low, ig_lid high, uint64_t key, int32_t vertex) {
  const int on = planes_of(c, low) & planes_of(c, high);
  const bool shared = c->shared && high < c->b.nodes && c->shared[low] && c->shared[high];
  if (!on && !shared)
    return IG_OK;
  return ig_topopt_skin_rim(c->build.cx, &c->skin, (ig_topopt_rim){key, vertex, on});
}

/* The vertex between two points, or at one; made once. */
static ig_status vertex_of(cutter *c, ig_lid p, ig_lid q, int32_t *index) {
  const ig_lid low = p < q ? p : q, high = p < q ? q : p;
  const uint64_t key = (uint64_t)whole_of(c, low) << 32 | whole_of(c, high);
  int32_t *known;
  IG_TRY(ig_topopt_keys_at(c->build.cx, &c->keys, key, &known));
  if (*known < 0) {
    double a[3], b[3];
    point(c, low, a);
    point(c, high, b);
    const double t =
        low == high ? 0 : ig_topopt_part_place(c->level, value_at(c, low), value_at(c, high));
    for (int d = 0; d < 3; d++)
      a[d] += t * (b[d] - a[d]);
    IG_TRY(ig_topopt_part_vertex(&c->build, a, known));
    IG_TRY(rim_note(c, low, high, key, *known));
  }
  *index = *known;
  return IG_OK;
}

static ig_status edge_of_tet(void *user, int p, int q, int32_t *index) {
  cutter *c = user;
  return vertex_of(c, c->corner[p], c->corner[q], index);
}

static bool inside(const cutter *c, ig_lid p) {
  return value_at(c, p) >= c->level;
}

/* A quadrilateral's corners from its lowest node on: the triangles are 0 1 2 and 0 2 3. The
   lowest node of the face is the same for both elements at it (numbers of a part rise as the
   whole's), and so is the diagonal. */
static void quad_nodes(const cutter *c, ig_lid e, int face, ig_lid *node) {
  const int *local = ig_elem_face(IG_HEX8, face);
  const ig_lid *corner = nodes_of(c, e);
  int first = 0;
  for (int i = 1; i < 4; i++)
    if (corner[local[i]] < corner[local[first]])
      first = i;
  for (int i = 0; i < 4; i++)
    node[i] = corner[local[(first + i) % 4]];
}

/* How many tetrahedra an element is, and triangles a face. */
static int tets_in(const cutter *c) {
  return c->m->type == IG_HEX8 ? 12 : c->m->type == IG_TET10 ? 8 : 1;
}
static int triangles_in(const cutter *c) {
  return c->m->type == IG_HEX8 ? 2 : c->m->type == IG_TET10 ? 4 : 1;
}

/* Triangle i of a face, seen from outside counter-clockwise. */
static void triangle_of(const cutter *c, ig_lid e, int face, int i, ig_lid *node) {
  static const int part[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}; /* of a tri6 */
  if (c->m->type == IG_HEX8) {
    ig_lid quad[4];
    quad_nodes(c, e, face, quad);
    node[0] = quad[0];
    node[1] = quad[1 + i];
    node[2] = quad[2 + i];
    return;
  }
  const int *local = ig_elem_face(c->m->type, face);
  for (int k = 0; k < 3; k++)
    node[k] = nodes_of(c, e)[local[c->m->type == IG_TET10 ? part[i][k] : k]];
}

/* Corners of one of an element's tetrahedra. Of a hexahedron: faces look outwards, the centre is
   behind. Triangles of a face look outwards; exchanging two corners makes the tetrahedron with
   the centre positive. */
static void tet_of(const cutter *c, ig_lid e, int tet, ig_lid *corner) {
  /* the middles of edges: 4 of 01, 5 of 12, 6 of 02, 7 of 03, 8 of 13, 9 of 23 */
  static const int part[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                 {4, 5, 6, 9}, {4, 6, 7, 9}, {4, 7, 8, 9}, {4, 8, 5, 9}};
  ig_lid node[4];
  if (c->m->type != IG_HEX8) {
    for (int i = 0; i < 4; i++)
      corner[i] = nodes_of(c, e)[c->m->type == IG_TET10 ? part[tet][i] : i];
    return;
  }
  const int half = tet % 2;
  quad_nodes(c, e, tet / 2, node);
  corner[0] = node[0];
  corner[1] = node[2 + half];
  corner[2] = node[1 + half];
  corner[3] = c->b.nodes + e;
}

static int corners_inside(const cutter *c, ig_lid e) {
  int in = 0;
  for (int a = 0; a < c->m->info->nodes; a++)
    in += inside(c, nodes_of(c, e)[a]);
  return in;
}

/* The part of a boundary triangle that is inside closes the surface there. */
static ig_status close_triangle(cutter *c, const ig_lid *p) {
  bool in[3];
  for (int i = 0; i < 3; i++) {
    c->corner[i] = p[i];
    in[i] = inside(c, p[i]);
  }
  return ig_topopt_part_close(&c->build, in, edge_of_tet, c);
}

/* Elements entirely inside have no cut, but may have faces on the boundary to be closed. */
static ig_status cut_element(cutter *c, ig_lid e) {
  const int in = corners_inside(c, e);
  if (in == 0)
    return IG_OK;
  for (int tet = 0; tet < tets_in(c) && in != c->m->info->nodes; tet++) {
    int bits = 0;
    tet_of(c, e, tet, c->corner);
    for (int i = 0; i < 4; i++)
      bits |= inside(c, c->corner[i]) << i;
    IG_TRY(ig_topopt_part_cut(&c->build, bits, edge_of_tet, c));
  }
  for (int face = 0; face < c->m->info->faces; face++)
    for (int k = 0; k < triangles_in(c) && (c->open[e] >> face & 1); k++) {
      ig_lid node[3];
      triangle_of(c, e, face, k, node);
      IG_TRY(close_triangle(c, node));
    }
  return IG_OK;
}

/* Which faces are closed: not those on a plane, where the mirrored half follows. Faces between
   ranks have a neighbour (IG_TOPOPT_MESH_ELSEWHERE) and are not closed. */
static ig_status open_find(cutter *c) {
  const int faces = c->m->info->faces;
  ig_adjacency adj;
  IG_TRY(IG_NEW(c->m->cx, &c->open, c->b.elements, "surface"));
  IG_TRY(ig_topopt_mesh_behind(c->m, &adj));
  for (ig_lid i = 0; i < adj.faces; i++) {
    const ig_lid e = i / faces;
    const int face = (int)(i % faces), *local = ig_elem_face(c->m->type, face);
    uint8_t on = 7;
    if (adj.neighbor[i] != IG_NO_NEIGHBOR)
      continue;
    for (int a = 0; a < c->m->info->face_nodes; a++)
      on &= planes_of(c, nodes_of(c, e)[local[a]]);
    c->open[e] |= (uint8_t)(!on << face);
  }
  ig_adjacency_free(&adj);
  return IG_OK;
}

/* Nodes of which others may have elements: all that are not own, since who knows those are their
   owners; own ones with elements of others around them. */
static ig_status shared_find(cutter *c) {
  const ig_topopt_mesh_body *b = &c->b;
  const ig_topopt_mesh_range own = ig_topopt_mesh_own(c->m);
  const int64_t npe = c->m->info->nodes, from = npe * c->m->part.element_at;
  if (!c->m->part.divided)
    return IG_OK;
  IG_TRY(IG_NEW(c->m->cx, &c->shared, b->nodes, "surface"));
  for (ig_lid n = 0; n < b->nodes; n++)
    c->shared[n] = n < own.from || n >= own.from + own.count;
  for (int64_t i = 0; i < npe * b->held; i++)
    if (i < from || i >= from + npe * b->elements)
      c->shared[b->held_conn[i]] = 1;
  return IG_OK;
}

/* --- volumes --- */

/* Share of an element that is inside. By volume of its tetrahedra: hexahedra may be distorted. */
static double element_share(cutter *c, ig_lid e) {
  const int in = corners_inside(c, e);
  double part = 0, all = 0;
  if (in == 0 || in == c->m->info->nodes)
    return in != 0;
  for (int tet = 0; tet < tets_in(c); tet++) {
    double x[4][3], value[4], v = 0;
    tet_of(c, e, tet, c->corner);
    for (int i = 0; i < 4; i++) {
      point(c, c->corner[i], x[i]);
      value[i] = value_at(c, c->corner[i]);
      for (int d = 0; d < 3 && i; d++)
        x[i][d] -= x[0][d];
    }
    for (int d = 0; d < 3; d++)
      v +=
          x[1][d] * (x[2][(d + 1) % 3] * x[3][(d + 2) % 3] - x[2][(d + 2) % 3] * x[3][(d + 1) % 3]);
    part += v * ig_topopt_part_share(value, c->level);
    all += v;
  }
  return all > 0 ? part / all : 0;
}

/* The sum of own elements' volumes (over the mean), each times its density, or, where `density`
   is NULL, times what is inside of it: in the order of the whole, over all ranks. In blocks of
   elements (mesh_part.c): the level that keeps the volume must not depend on the ranks. */
static ig_status volume_sum(cutter *c, const double *density, double *sum) {
  const ig_grid *blocks = c->m->d.grid;
  const ig_chunks k = ig_chunks_of(blocks, c->b.elements);
  double *part;
  ig_status status = IG_NEW(c->m->cx, &part, (size_t)k.count + 1, "surface");
  if (c->m->part.divided)
    status = ig_ranks_agree(c->m->cx, status);
  for (int64_t i = 0; status == IG_OK && i < k.count; i++)
    for (int64_t e = ig_chunk_begin(&k, i); e < ig_chunk_end(&k, i); e++)
      part[i] += c->b.share[e] * (density ? density[e] : element_share(c, (ig_lid)e));
  if (status == IG_OK)
    status = ig_chunks_total(blocks, &k, 1, part, sum);
  free(part);
  return status;
}

static ig_status volume_of(void *self, double level, double *volume) {
  cutter *c = self;
  c->level = level;
  return volume_sum(c, NULL, volume);
}

/* Keeps the volume of the design: sum of density x volume. */
static ig_status level_find(cutter *c, const double *density, double *level) {
  double wanted;
  IG_TRY(volume_sum(c, density, &wanted));
  return ig_topopt_part_level(volume_of, c, wanted, level);
}

/* --- the whole --- */

/* The other half, one axis after the other; vertices on the plane are shared. Corners 1 and 2 of
   a mirrored triangle change places, as mirroring turns its orientation round. */
static ig_status mirror_part(ig_topopt_part_builder *build, const double *plane,
                             const ig_topopt_rim *mark, int64_t marks) {
  ig_ctx *cx = build->cx;
  ig_topopt_part *s = build->out;
  uint8_t *on = NULL;
  int32_t *image = NULL;
  int64_t copies = 1;
  ig_status status;
  for (int d = 0; d < 3; d++)
    copies *= isnan(plane[d]) ? 1 : 2;
  if (copies == 1)
    return IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &on, copies * s->vertices + 1, "surface"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &image, copies / 2 * s->vertices + 1, "surface"));
  for (int64_t i = 0; i < marks; i++)
    on[mark[i].vertex] = (uint8_t)mark[i].on;
  for (int d = 0; d < 3; d++) {
    const int64_t vertices = s->vertices, triangles = s->triangles;
    if (isnan(plane[d]))
      continue;
    for (int64_t i = 0; i < vertices; i++) {
      double x[3] = {(double)s->vertex[i][0], (double)s->vertex[i][1], (double)s->vertex[i][2]};
      image[i] = (int32_t)i;
      if (on[i] >> d & 1)
        continue;
      x[d] = 2 * plane[d] - x[d];
      IG_TRY_GOTO(status, done, ig_topopt_part_vertex(build, x, &image[i]));
      on[image[i]] = on[i];
    }
    for (int64_t t = 0; t < triangles; t++)
      IG_TRY_GOTO(status, done,
                  ig_topopt_part_triangle(build, image[s->triangle[t][0]], image[s->triangle[t][2]],
                                          image[s->triangle[t][1]]));
  }
done:
  free(on);
  free(image);
  return status;
}

static ig_status march(cutter *c) {
  IG_TRY(open_find(c));
  IG_TRY(shared_find(c));
  for (ig_lid e = 0; e < c->b.elements; e++)
    IG_TRY(cut_element(c, e));
  return IG_OK;
}

/* What each rank has cut, one after the other. */
static ig_status parts_join(cutter *c, ig_status status, ig_topopt_skins *to) {
  const int ranks = ig_ranks_count(c->m->cx->ranks), rank = ig_ranks_rank(c->m->cx->ranks);
  for (int r = 0; r < ranks; r++) {
    status = ig_topopt_skin_bring(to, r, &c->skin, status);
    if (r == rank) /* it has gone */
      ig_topopt_skin_free(&c->skin);
  }
  return ig_ranks_agree(c->m->cx, status);
}

/* Mirroring is done once all triangles are together, on rank 0. */
static ig_status surface_cut(cutter *c, ig_topopt_part *surface) {
  const bool divided = c->m->part.divided;
  ig_topopt_skins all = {.build = {.cx = c->m->cx, .out = surface}};
  c->build = (ig_topopt_part_builder){.cx = c->m->cx, .out = divided ? &c->skin.part : surface};
  ig_status status = march(c);
  ig_topopt_keys_free(&c->keys);
  if (divided) {
    status = parts_join(c, status, &all);
    if (status == IG_OK)
      status = mirror_part(&all.build, c->plane, all.marked, all.marks);
    status = ig_ranks_agree(c->m->cx, status);
  } else if (status == IG_OK) {
    status = mirror_part(&c->build, c->plane, c->skin.rim, c->skin.rims);
  }
  ig_topopt_skins_free(&all);
  return status;
}

/* Values at the nodes; also on a rank that fails. */
static ig_status cutter_make(ig_topopt_mesh_model *m, const double *density, double level,
                             cutter *c) {
  *c = (cutter){.m = m, .b = ig_topopt_mesh_body_of(m), .level = level, .plane = {NAN, NAN, NAN}};
  const ig_status status = ig_topopt_mesh_values(m, density, &c->value);
  return m->part.divided ? ig_ranks_agree(m->cx, status) : status;
}

ig_status ig_topopt_mesh_inside(void *self, double *density, double *level, double *share) {
  cutter c;
  ig_status status = cutter_make(self, density, *level, &c);
  if (status == IG_OK && isnan(*level))
    status = level_find(&c, density, level);
  c.level = *level;
  for (ig_lid e = 0; status == IG_OK && e < c.b.elements; e++)
    share[e] = element_share(&c, e);
  cutter_free(&c);
  return status;
}

/* One plane per axis: with symmetry on both sides of an axis it is mirrored at the upper one. */
ig_status ig_topopt_mesh_surface(void *self, double *density, double level, bool mirror,
                                 ig_topopt_part *surface) {
  const ig_topopt_mesh_model *m = self;
  cutter c;
  memset(surface, 0, sizeof *surface);
  surface->level = level;
  ig_status status = cutter_make(self, density, level, &c);
  for (int d = 0; d < 3 && mirror; d++)
    c.plane[d] = m->plane[isnan(m->plane[2 * d + 1]) ? 2 * d : 2 * d + 1];
  if (status == IG_OK && isnan(level))
    status = level_find(&c, density, &surface->level);
  c.level = surface->level;
  if (status == IG_OK)
    status = surface_cut(&c, surface);
  if (status == IG_OK)
    ig_topopt_part_measure(m->cx, surface);
  cutter_free(&c);
  if (status != IG_OK)
    ig_topopt_part_free(surface);
  return status;
}
