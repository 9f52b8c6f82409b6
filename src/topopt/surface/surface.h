/* Surfaces by marching tetrahedra: what grids and meshes share. A surface is a list of vertices
   and a list of triangles whose corners run counter-clockwise seen from outside. It is closed by
   construction: vertices are identified by the edge of the mesh they lie on, never by their
   position.

   Tetrahedra instead of cubes: each has one way of being cut only, so that neighbours always
   agree and no table of ambiguous cases is needed. The price is twice as many triangles, many of
   them thin; surface_improve.c works on those. */
#ifndef IG_TOPOPT_SURFACE_SURFACE_H
#define IG_TOPOPT_SURFACE_SURFACE_H

#include "topopt/topopt.h"

/* A part that grows. */
typedef struct {
  ig_ctx *cx;
  ig_topopt_part *out;
  int64_t vertex_capacity, triangle_capacity;
} ig_topopt_part_builder;

IG_MUST_CHECK ig_status ig_topopt_part_vertex(ig_topopt_part_builder *b, const double *x,
                                              int32_t *index);
IG_MUST_CHECK ig_status ig_topopt_part_triangle(ig_topopt_part_builder *b, int32_t p, int32_t q,
                                                int32_t r);
/* Where between a and b the level lies, a twentieth away from either at least. */
double ig_topopt_part_place(double level, double va, double vb);

/* The vertex on the edge from corner p to q (0..3) of the tetrahedron at hand. */
typedef ig_status ig_cut_edge(void *user, int p, int q, int32_t *index);
/* The triangles that part the corners inside (bits) a tetrahedron of positive volume from those
   outside; normals point out. */
IG_MUST_CHECK ig_status ig_topopt_part_cut(ig_topopt_part_builder *b, int inside, ig_cut_edge *edge,
                                           void *user);

/* The part of a boundary triangle that is inside; `edge` gives the vertex of corner p where p is q.
 */
IG_MUST_CHECK ig_status ig_topopt_part_close(ig_topopt_part_builder *b, const bool *inside,
                                             ig_cut_edge *edge, void *user);

/* What a surface is like: edges with a triangle on one side alone, or with more than two (0: it is
   closed); vertices at which it only touches itself; shells; handles, as a torus has one. */
typedef struct {
  int64_t open, pinched, shells, handles;
} ig_topopt_part_shape;
IG_MUST_CHECK ig_status ig_topopt_part_look(ig_ctx *cx, const ig_topopt_part *s,
                                            ig_topopt_part_shape *shape);

/* surface_improve.c. Radius ratio of a triangle: twice that of the inscribed circle over that of
   the circumscribed one, 1 where it is equilateral. The share of a surface's triangles of at least
   such a quality. */
double ig_topopt_triangle_quality(const double *a, const double *b, const double *c);
double ig_topopt_part_good(const ig_topopt_part *s, double least);
/* Faces that are not to be left: `project` puts a point back onto one of them (false: there is none
   near); `side` says whether a triangle lies in a side of the body (NULL: not known). */
typedef struct {
  bool (*project)(void *user, int32_t face, double *x);
  bool (*side)(void *user, const ig_topopt_part *s, int64_t triangle);
  void *user;
} ig_surface_faces;
/* Collapses, flips and smooths triangles of poor quality; no vertex leaves the planes of the
   triangles it came from by more than `deviation` (m, root mean square), nor sides of the body.
   Vertices of a face other than 0, on[vertex], stay on it. */
IG_MUST_CHECK ig_status ig_topopt_part_improve(ig_ctx *cx, ig_topopt_part *s, double deviation,
                                               const int32_t *on, const ig_surface_faces *faces);
/* Triangles of about that edge length (m): longer edges are split, shorter ones collapsed, within
   the deviation. Thin and curved places keep shorter edges. */
IG_MUST_CHECK ig_status ig_topopt_part_remesh(ig_ctx *cx, ig_topopt_part *s, double edge,
                                              double deviation);

/* surface_snap.c: walls of regions in `passive` and of the part in a grid; density: of the whole.
   Vertices near them are put onto them: on[vertex] becomes the number of the wall, 0: none. */
typedef struct ig_surface_walls ig_surface_walls;
IG_MUST_CHECK ig_status ig_surface_walls_new(ig_ctx *cx, const ig_topopt_grid_model *m,
                                             const double *density, bool mirror,
                                             ig_surface_walls **out);
void ig_surface_walls_free(ig_surface_walls *w);
bool ig_surface_walls_any(const ig_surface_walls *w); /* whether there are some */
IG_MUST_CHECK ig_status ig_surface_walls_snap(const ig_surface_walls *w, ig_topopt_part *s,
                                              int32_t *on);
/* Single vertices off a wall that their neighbours are on are put onto it, one by one. */
IG_MUST_CHECK ig_status ig_surface_walls_again(const ig_surface_walls *w, ig_topopt_part *s,
                                               int32_t *on);
/* Single vertices off a wall that their neighbours are on: how many are a fiftieth of an element
   off or more, by how much at most (m), and where that is. */
typedef struct {
  int64_t count;
  double most, at[3];
} ig_surface_off;
IG_MUST_CHECK ig_status ig_surface_walls_off(const ig_surface_walls *w, const ig_topopt_part *s,
                                             ig_surface_off *off);
ig_surface_faces ig_surface_walls_faces(ig_surface_walls *w);

/* Area and enclosed volume. */
void ig_topopt_part_measure(ig_ctx *cx, ig_topopt_part *s);

/* Share of a tetrahedron in which a field, given at its corners, is at least `level`. */
double ig_topopt_part_share(const double *value, double level);
/* The level at which the volume inside is the target; it falls with the level. */
typedef ig_status ig_topopt_part_volume(void *self, double level, double *volume);
IG_MUST_CHECK ig_status ig_topopt_part_level(ig_topopt_part_volume *volume, void *self,
                                             double target, double *level);

/* Which vertex has a key: any 64 bits but all ones. `at` makes room for one that is new: -1 is
   there, to be set before the next call. */
typedef struct {
  uint64_t *key;
  int32_t *of;
  int64_t capacity, count;
} ig_topopt_keys;
IG_MUST_CHECK ig_status ig_topopt_keys_at(ig_ctx *cx, ig_topopt_keys *k, uint64_t key,
                                          int32_t **of);
void ig_topopt_keys_free(ig_topopt_keys *k);

/* surface_join.c. A surface whose parts several ranks have: of each piece vertices that other
   pieces may have, too, are known by keys. */
typedef struct {
  uint64_t key;
  int32_t vertex;
  int32_t on; /* what else is known of it; 0: nothing */
} ig_topopt_rim;
typedef struct {
  ig_topopt_part part;
  ig_topopt_rim *rim;
  int64_t rims;
} ig_topopt_skin;
typedef struct {
  ig_topopt_part_builder build;
  ig_topopt_keys keys;
  ig_topopt_rim *marked; /* vertices of which something is known */
  int64_t marks;
} ig_topopt_skins;
IG_MUST_CHECK ig_status ig_topopt_skin_rim(ig_ctx *cx, ig_topopt_skin *skin, ig_topopt_rim rim);
void ig_topopt_skins_free(ig_topopt_skins *skins);
void ig_topopt_skin_free(ig_topopt_skin *skin);
/* What rank `from` has is added to the surface of rank 0; all ranks of a divided grid or mesh call
   it, `skin` is looked at on that rank. */
IG_MUST_CHECK ig_status ig_topopt_skin_bring(ig_topopt_skins *to, int from, ig_topopt_skin *skin,
                                             ig_status status);
/* The same on one rank. */
IG_MUST_CHECK ig_status ig_topopt_skin_add(ig_topopt_skins *to, const ig_topopt_skin *skin);

#endif
