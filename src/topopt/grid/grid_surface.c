/* The surface of a design on a grid: densities averaged to the nodes, mirrored through the planes
   of symmetry, cut by marching tetrahedra, and closed by the parts of the grid's own boundary that
   are inside.

   Every cube is split alike into six tetrahedra around its diagonal, so neighbours agree on every
   face, and a vertex is known by the edge it lies on (or the node it is): each edge of the surface
   then belongs to exactly two triangles, whatever the field.

   Of a grid that is divided between ranks each cuts its own layers of elements and, where z is
   mirrored, their images: cubes need the elements of one layer more on both sides. The first joins
   the triangles in the order of the layers. */
#include "core/threads.h"
#include "ranks/ranks.h"
#include "solver/krylov/chunks.h"
#include "topopt/surface/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Layers of cubes of the mirrored whole that lie together. */
typedef struct {
  int from, to;
  bool image;
  float *value; /* at the nodes of these and of the plane above them */
} layers;

typedef struct {
  ig_ctx *cx;
  const ig_grid *g; /* this rank's part, or the whole */
  const double *density;
  int side[3];          /* -1: mirrored at the lowest plane, +1: at the highest */
  int n[3];             /* nodes of the mirrored whole along each axis */
  double h[3], from[3]; /* element size; place of node 0 */
  layers of[2];         /* in rising order */
  int count;
} body;

typedef struct {
  const body *b;
  const layers *l;
  double level;
  int32_t *known[2]; /* vertices of the nodes of two planes: its own, on the 7 edges up; -1: none */
  ig_topopt_part_builder build;
  ig_topopt_skin *skin;
  int cube[3];
  const int *corner; /* of the tetrahedron at hand */
} cutter;

/* --- values at nodes --- */

/* Elements of the mirrored whole along an axis. */
static int elements_along(const body *b, int d) {
  return b->n[d] - 1;
}
static int own_along(const body *b, int d) {
  return d == 2 ? b->g->all : b->g->n[d];
}

/* The mean of the elements around a node of the mirrored whole. Nodes at the rim have fewer than
   eight elements: the mean is of those that are there. */
static double mean_at(const body *b, const int *i) {
  double sum = 0;
  int count = 0;
  for (int a = 0; a < 8; a++) {
    int e[3];
    bool there = true;
    for (int d = 0; d < 3; d++) {
      const int n = own_along(b, d);
      e[d] = i[d] - (a >> d & 1);
      there = there && e[d] >= 0 && e[d] < elements_along(b, d);
      /* a mirrored element is the one it is the image of. mirrored at the lowest plane: element
         n is the first one, those below are images */
      if (b->side[d] < 0)
        e[d] = e[d] >= n ? e[d] - n : n - 1 - e[d];
      else if (e[d] >= n)
        e[d] = 2 * n - 1 - e[d];
    }
    if (there) {
      sum += b->density[ig_grid_place(b->g, e[0], e[1], e[2] - b->g->from)];
      count++;
    }
  }
  return sum / count;
}

static int64_t node_at(const body *b, const layers *l, const int *i) {
  return ((int64_t)(i[2] - l->from) * b->n[1] + i[1]) * b->n[0] + i[0];
}

/* Threads for a loop over all nodes or elements. */
static int team_of(const body *b) {
  return ig_team(b->cx, b->g->stored, IG_WORK_NODE);
}

/* In single precision: positions of vertices are, too, and the array is as large as the mirrored
   whole. */
static ig_status values_make(const body *b, layers *l) {
  const size_t planes = (size_t)(l->to - l->from) + 1;
  IG_TRY(IG_NEW(b->cx, &l->value, planes * (size_t)b->n[1] * (size_t)b->n[0], "surface"));
#pragma omp parallel for schedule(static) num_threads(team_of(b))
  for (int k = l->from; k <= l->to; k++) {
    int i[3] = {0, 0, k};
    for (i[1] = 0; i[1] < b->n[1]; i[1]++)
      for (i[0] = 0; i[0] < b->n[0]; i[0]++)
        l->value[node_at(b, l, i)] = (float)mean_at(b, i);
  }
  return IG_OK;
}

/* Freed by the caller, failed or not. With z mirrored at the lowest plane, images of the layers
   come first and run downwards. */
static ig_status body_make(body *b, ig_ctx *cx, const ig_grid *g, const double *density,
                           const ig_texts *mirror) {
  *b = (body){.cx = cx, .g = g, .density = density};
  for (int s = 0; s < mirror->count; s++)
    b->side[mirror->value[s][0] - 'x'] = mirror->value[s][1] == '+' ? 1 : -1;
  for (int d = 0; d < 3; d++)
    b->n[d] = own_along(b, d) * (b->side[d] ? 2 : 1) + 1;
  const int n = g->all, side = b->side[2], from = g->from, to = from + ig_grid_layers(g);
  const int up = side < 0 ? n : 0, top = side < 0 ? n : 2 * n; /* images are below or above */
  const layers own = {from + up, to + up, false, NULL}, image = {top - to, top - from, true, NULL};
  if (side < 0)
    b->of[b->count++] = image;
  b->of[b->count++] = own;
  if (side > 0)
    b->of[b->count++] = image;
  for (int i = 0; i < b->count; i++)
    IG_TRY(values_make(b, &b->of[i]));
  return IG_OK;
}

static void body_free(body *b) {
  for (int i = 0; i < b->count; i++)
    free(b->of[i].value);
}

static float value_at(const cutter *c, const int *i) {
  return c->l->value[node_at(c->b, c->l, i)];
}

/* --- cubes --- */

/* Other layers may have a vertex in the lowest or the highest plane of nodes, too. */
static ig_status rim_note(cutter *c, const int *low, const int *high, int edge, int32_t vertex) {
  const body *b = c->b;
  const bool bottom = high[2] == c->l->from && high[2] > 0;
  const bool top = low[2] == c->l->to && low[2] < elements_along(b, 2);
  if (!(bottom || top))
    return IG_OK;
  const uint64_t node =
      ((uint64_t)low[2] * (uint64_t)b->n[1] + (uint64_t)low[1]) * (uint64_t)b->n[0] +
      (uint64_t)low[0];
  return ig_topopt_skin_rim(b->cx, c->skin, (ig_topopt_rim){8 * node + (uint64_t)edge, vertex, 0});
}

/* the vertex between two corners of the cube, or at one; made once. p and q are corners of one
   tetrahedron, whose edges run from a corner to one with more bits set: a ^ b names the edge
   among the 7 that start at a, 0 the node itself. */
static ig_status vertex_of(cutter *c, int p, int q, int32_t *index) {
  const int a = p < q ? p : q, b = a ^ p ^ q; /* a's bits are part of b's */
  const int *cube = c->cube;
  const int low[3] = {cube[0] + (a & 1), cube[1] + (a >> 1 & 1), cube[2] + (a >> 2)};
  const int high[3] = {cube[0] + (b & 1), cube[1] + (b >> 1 & 1), cube[2] + (b >> 2)};
  const int64_t node = (int64_t)low[1] * c->b->n[0] + low[0];
  int32_t *known = &c->known[low[2] & 1][node * 8 + (a ^ b)];
  if (*known < 0) {
    const double t =
        a == b ? 0 : ig_topopt_part_place(c->level, value_at(c, low), value_at(c, high));
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = c->b->from[d] + c->b->h[d] * (low[d] + t * (high[d] - low[d]));
    IG_TRY(ig_topopt_part_vertex(&c->build, x, known));
    IG_TRY(rim_note(c, low, high, a ^ b, *known));
  }
  *index = *known;
  return IG_OK;
}

static ig_status edge_of_cube(void *user, int p, int q, int32_t *index) {
  cutter *c = user;
  return vertex_of(c, c->corner[p], c->corner[q], index);
}

/* Two triangles of the cube's face normal to `axis`, split as its tetrahedra are; seen from
   outside they run the other way round on the low side. Faces are divided along the diagonal
   that the tetrahedra of the cube have on them, so that the closing triangles meet the cut ones
   edge to edge. */
static ig_status close_face(cutter *c, int in, int axis, int side) {
  const int e = 1 << (axis + 1) % 3, f = 1 << (axis + 2) % 3, at = side << axis;
  const int half[2][3] = {{at, at | e, at | e | f}, {at, at | e | f, at | f}};
  for (int h = 0; h < 2; h++) {
    const int corner[3] = {half[h][0], half[h][side ? 1 : 2], half[h][side ? 2 : 1]};
    bool inside[3];
    for (int i = 0; i < 3; i++)
      inside[i] = in >> corner[i] & 1;
    c->corner = corner;
    IG_TRY(ig_topopt_part_close(&c->build, inside, edge_of_cube, c));
  }
  return IG_OK;
}

/* corners of the six tetrahedra, all of positive volume */
static const int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                     {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};

/* Bits of the corners of the cube at hand that are inside. */
static int corners_inside(const cutter *c, const int *cube, double level) {
  int in = 0;
  for (int a = 0; a < 8; a++) {
    const int at[3] = {cube[0] + (a & 1), cube[1] + (a >> 1 & 1), cube[2] + (a >> 2)};
    in |= (value_at(c, at) >= (float)level) << a;
  }
  return in;
}

/* Most cubes are entirely outside and are left at once. Cubes entirely inside have no cut, but
   those at the rim of the grid close the surface there. */
static ig_status cut_cube(cutter *c) {
  const int in = corners_inside(c, c->cube, c->level);
  if (in == 0)
    return IG_OK;
  for (int t = 0; t < 6 && in != 255; t++) {
    int inside = 0;
    for (int i = 0; i < 4; i++)
      inside |= (in >> tetrahedra[t][i] & 1) << i;
    c->corner = tetrahedra[t];
    IG_TRY(ig_topopt_part_cut(&c->build, inside, edge_of_cube, c));
  }
  for (int d = 0; d < 3; d++) {
    if (c->cube[d] == 0)
      IG_TRY(close_face(c, in, d, 0));
    if (c->cube[d] == c->b->n[d] - 2)
      IG_TRY(close_face(c, in, d, 1));
  }
  return IG_OK;
}

/* The triangles of the layers, in their order. Vertices are remembered for two planes of nodes:
   a layer of cubes needs no more, and memory stays that of two planes. */
static ig_status march(cutter *c) {
  const body *b = c->b;
  int *cube = c->cube;
  const size_t nodes = (size_t)b->n[0] * (size_t)b->n[1], plane = nodes * 8 * sizeof(int32_t);
  ig_status status = IG_OK;
  for (int p = 0; p < 2; p++)
    IG_TRY_GOTO(status, done, IG_NEW(b->cx, &c->known[p], nodes * 8, "surface edges"));
  memset(c->known[c->l->from & 1], 0xff, plane);
  for (cube[2] = c->l->from; cube[2] < c->l->to; cube[2]++) {
    memset(c->known[(cube[2] + 1) & 1], 0xff, plane);
    for (cube[1] = 0; cube[1] + 1 < b->n[1]; cube[1]++)
      for (cube[0] = 0; cube[0] + 1 < b->n[0]; cube[0]++)
        IG_TRY_GOTO(status, done, cut_cube(c));
  }
done:
  free(c->known[0]);
  free(c->known[1]);
  return status;
}

/* Slabs of the layers by several threads, joined from the lowest up: numbers of vertices are those
   of layers cut in one go. Each thread has messages of its own. */
static ig_status slabs_cut(const body *b, const layers *l, double level, ig_topopt_skins *to) {
  const int all = l->to - l->from, team = team_of(b), most = team > 1 ? 4 * team : 1;
  const int count = most < all ? most : all;
  const size_t plane = (size_t)b->n[0] * (size_t)b->n[1];
  ig_topopt_skin *skin;
  IG_TRY(IG_NEW(b->cx, &skin, count, "surface"));
  int failed = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(team) reduction(| : failed)
  for (int s = 0; s < count; s++) {
    ig_ctx own = {.threads = 1};
    body part = *b;
    layers slab = *l;
    slab.from = l->from + (int)((int64_t)all * s / count);
    slab.to = l->from + (int)((int64_t)all * (s + 1) / count);
    slab.value = l->value + plane * (size_t)(slab.from - l->from);
    part.cx = &own;
    cutter c = {.b = &part,
                .l = &slab,
                .level = level,
                .build = {.cx = &own, .out = &skin[s].part},
                .skin = &skin[s]};
    failed |= march(&c) != IG_OK;
  }
  ig_status status =
      failed ? IG_FAIL(b->cx, IG_MEMORY, "no memory for the surface, or too many triangles")
             : IG_OK;
  for (int s = 0; s < count; s++) {
    if (status == IG_OK)
      status = ig_topopt_skin_add(to, &skin[s]);
    ig_topopt_skin_free(&skin[s]);
  }
  free(skin);
  return status;
}

/* --- volumes --- */

/* Share of a cube that is inside, by the values at its corners. */
static double corners_share(const float *corner, double level) {
  int in = 0;
  for (int a = 0; a < 8; a++)
    in |= (corner[a] >= (float)level) << a;
  double sum = in == 255;
  for (int t = 0; t < 6 && in != 0 && in != 255; t++) {
    double value[4];
    for (int i = 0; i < 4; i++)
      value[i] = (double)corner[tetrahedra[t][i]];
    sum += ig_topopt_part_share(value, level) / 6;
  }
  return sum;
}
/* Shares of the six tetrahedra, each a sixth of the cube. */
static double cube_share(const cutter *c, const int *cube, double level) {
  float value[8];
  for (int a = 0; a < 8; a++)
    value[a] =
        value_at(c, (const int[3]){cube[0] + (a & 1), cube[1] + (a >> 1 & 1), cube[2] + (a >> 2)});
  return corners_share(value, level);
}

/* The value at a node of the grid twice as fine: nodes between two others lie on an edge of a
   tetrahedron, along which values are linear. The tetrahedra of the eight cubes in a cube divide
   those of the cube: both grids have the same surface. */
static float value_between(const cutter *c, const int *fine) {
  const int low[3] = {fine[0] / 2, fine[1] / 2, c->l->from + fine[2] / 2};
  const int high[3] = {low[0] + fine[0] % 2, low[1] + fine[1] % 2, low[2] + fine[2] % 2};
  return 0.5F * (value_at(c, low) + value_at(c, high));
}

/* Sums of layers in the order of the grid, over all ranks: part[plane of nodes, as stored][per].
   One number per plane (and per image): added in the order of planes on all ranks alike. */
static ig_status planes_total(const ig_grid *g, int per, double *part, double *sum) {
  const ig_chunks k = {.per = per, .count = per * (g->stored / g->plane)};
  return ig_chunks_total(g, &k, 1, part, sum);
}
/* Two numbers per stored plane, for layers and their images. All ranks fail together. */
static ig_status planes_new(const body *b, double **part) {
  ig_status status = IG_NEW(b->cx, part, 2 * (b->g->stored / b->g->plane), "surface");
  if (b->g->slab)
    status = ig_ranks_agree(b->cx, status);
  if (status != IG_OK)
    free(*part);
  return status;
}

/* Volume inside, in elements. */
static ig_status volume_of(void *self, double level, double *volume) {
  const body *b = self;
  const int ghosts = b->g->ghosts;
  double *part;
  IG_TRY(planes_new(b, &part));
  for (int i = 0; i < b->count; i++) {
    const cutter c = {.b = b, .l = &b->of[i]};
#pragma omp parallel for schedule(dynamic) num_threads(team_of(b))
    for (int k = c.l->from; k < c.l->to; k++) {
      const int layer = c.l->image ? c.l->to - 1 - k : k - c.l->from;
      double sum = 0;
      for (int j = 0; j + 1 < b->n[1]; j++)
        for (int e = 0; e + 1 < b->n[0]; e++)
          sum += cube_share(&c, (const int[3]){e, j, k}, level);
      part[(ghosts + layer) * b->count + i] += sum;
    }
  }
  const ig_status status = planes_total(b->g, b->count, part, volume);
  free(part);
  return status;
}

/* The volume of the design itself. Each mirrored axis doubles the volume. */
static ig_status wanted_of(const body *b, double *wanted) {
  const ig_grid *g = b->g;
  double *part;
  IG_TRY(planes_new(b, &part));
#pragma omp parallel for schedule(static) num_threads(team_of(b))
  for (int k = 0; k < ig_grid_layers(g); k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        part[g->ghosts + k] += b->density[ig_grid_place(g, i, j, k)];
  const ig_status status = planes_total(g, 1, part, wanted);
  free(part);
  for (int d = 0; d < 3; d++)
    *wanted *= b->side[d] ? 2 : 1;
  return status;
}

/* --- the whole --- */

/* Layers of all ranks, from the lowest up; images come the other way round. */
static ig_status layers_join(const body *b, ig_topopt_skins *to) {
  const int ranks = ig_ranks_count(b->cx->ranks), rank = ig_ranks_rank(b->cx->ranks);
  ig_status status = IG_OK;
  for (int i = 0; i < b->count; i++) {
    ig_topopt_skin skin = {0};
    cutter c = {.b = b,
                .l = &b->of[i],
                .level = to->build.out->level,
                .build = {.cx = b->cx, .out = &skin.part},
                .skin = &skin};
    status = march(&c);
    for (int q = 0; q < ranks; q++) {
      const int r = b->of[i].image ? ranks - 1 - q : q;
      status = ig_topopt_skin_bring(to, r, &skin, status);
      if (r == rank) /* it has gone */
        ig_topopt_skin_free(&skin);
    }
    ig_topopt_skin_free(&skin);
    if (status != IG_OK)
      break;
  }
  return ig_ranks_agree(b->cx, status);
}

/* Groups of layers (slabs of threads, images, ranks) are joined by keys of their common vertices.
 */
static ig_status layers_cut(const body *b, ig_topopt_part *surface) {
  ig_topopt_skins to = {.build = {.cx = b->cx, .out = surface}};
  ig_status status = IG_OK;
  if (b->g->slab)
    status = layers_join(b, &to);
  for (int i = 0; i < b->count && !b->g->slab && status == IG_OK; i++)
    status = slabs_cut(b, &b->of[i], surface->level, &to);
  ig_topopt_skins_free(&to);
  return status;
}

/* Collective where the grid is divided; the triangles are rank 0's. */
ig_status ig_topopt_part_of_grid(ig_ctx *cx, const ig_grid *g, const double *h,
                                 const double *density, double level, const ig_texts *mirror,
                                 ig_topopt_part *surface) {
  body b;
  double wanted;
  memset(surface, 0, sizeof *surface);
  ig_status status = body_make(&b, cx, g, density, mirror);
  for (int d = 0; d < 3; d++) {
    b.h[d] = h[d];
    b.from[d] = b.side[d] < 0 ? -own_along(&b, d) * h[d] : 0;
  }
  if (g->slab)
    status = ig_ranks_agree(cx, status);
  surface->level = level;
  if (status == IG_OK && isnan(level)) {
    status = wanted_of(&b, &wanted);
    if (status == IG_OK)
      status = ig_topopt_part_level(volume_of, &b, wanted, &surface->level);
  }
  if (status == IG_OK)
    status = layers_cut(&b, surface);
  if (status == IG_OK)
    ig_topopt_part_measure(cx, surface);
  body_free(&b);
  if (status != IG_OK)
    ig_topopt_part_free(surface);
  return status;
}

/* A plane grid as one layer of cubes, whose values are the same on both sides. */
static ig_grid in_space(const ig_grid *g) {
  ig_grid solid = *g;
  if (g->dim == 2) {
    solid.dim = 3;
    solid.n[2] = solid.all = 1;
    solid.ghosts = 0;
  }
  return solid;
}

/* Without mirroring: shares are those of the model's own elements. */
ig_status ig_topopt_part_inside_grid(ig_ctx *cx, const ig_grid *g, const double *density,
                                     double *level, double *share) {
  const ig_texts none = {0};
  const ig_grid space = in_space(g);
  double wanted;
  body b;
  ig_status status = body_make(&b, cx, &space, density, &none);
  const cutter c = {.b = &b, .l = &b.of[0]};
  if (g->slab)
    status = ig_ranks_agree(cx, status);
  if (status == IG_OK && isnan(*level)) {
    status = wanted_of(&b, &wanted);
    if (status == IG_OK)
      status = ig_topopt_part_level(volume_of, &b, wanted, level);
  }
  const int top = status == IG_OK ? ig_grid_layers(g) : 0;
#pragma omp parallel for schedule(dynamic) num_threads(team_of(&b))
  for (int k = 0; k < top; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        share[ig_grid_place(g, i, j, k)] =
            cube_share(&c, (const int[3]){i, j, c.l->from + k}, *level);
  body_free(&b);
  return status;
}

/* `density` and `least` are arrays of the whole grid on this rank, `fine` is its part of the
   fine one. */
ig_status ig_topopt_part_inside_fine(ig_ctx *cx, const ig_grid *g, const double *density,
                                     double level, const double *least, const ig_grid *fine,
                                     double *share) {
  const ig_texts none = {0};
  const ig_grid space = in_space(g);
  const bool flat = g->dim == 2;
  body b;
  const ig_status status = body_make(&b, cx, &space, density, &none);
  const cutter c = {.b = &b, .l = &b.of[0]};
  const int top = status == IG_OK ? ig_grid_layers(fine) : 0;
#pragma omp parallel for schedule(dynamic) num_threads(ig_team(cx, fine->stored, IG_WORK_NODE))
  for (int k = 0; k < top; k++)
    for (int j = 0; j < fine->n[1]; j++)
      for (int i = 0; i < fine->n[0]; i++) {
        float value[8];
        for (int a = 0; a < 8; a++)
          value[a] = value_between(&c, (const int[3]){i + (a & 1), j + (a >> 1 & 1),
                                                      flat ? 0 : fine->from + k + (a >> 2)});
        share[ig_grid_place(fine, i, j, k)] =
            fmax(corners_share(value, level),
                 least[ig_grid_place(g, i / 2, j / 2, flat ? 0 : (fine->from + k) / 2)]);
      }
  body_free(&b);
  return status;
}
