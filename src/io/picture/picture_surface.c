/* The outer surface of a snapshot: faces that belong to exactly one kept cell. */
#include "io/picture/picture.h"
#include "core/vtk_corner.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  LINE = 3,
  TRIANGLE = 5,
  QUAD = 9,
  QUADRATIC_EDGE = 21,
  QUADRATIC_TRIANGLE = 22,
  QUADRATIC_QUAD = 23
}; /* VTK cell types */
static const int8_t plain[4] = {0, 1, 2, 3};
static const int8_t quadratic[6] = {0, 1, 2, 3, 4, 5};

/* Made from the element table; cached for the next cell. */
const ig_solid *ig_solid_of(ig_solid *last, uint8_t vtk) {
  if (last->vtk == vtk)
    return last->faces ? last : NULL;
  *last = (ig_solid){.vtk = vtk};
  for (int t = 0; t < IG_ELEM_TYPES; t++) {
    const ig_elem_type type = (ig_elem_type)t;
    const ig_elem_info *info = ig_elem_info_get(type);
    if (info->vtk != vtk || info->dim != 3)
      continue;
    last->faces = info->faces;
    last->mids = info->face_nodes == 6 ? 3 : 0; /* of an 8-node face the corners are drawn */
    for (int f = 0; f < info->faces; f++) {
      last->corners[f] = ig_elem_face_distinct(type, f);
      for (int i = 0; i < last->corners[f] + last->mids; i++)
        last->node[f][i] = (int8_t)ig_vtk_corner(type, ig_elem_face(type, f)[i]);
    }
  }
  return last->faces ? last : NULL;
}

/* Faces in a hash-like table: lists by lowest point. A face waits there until its twin comes and
   marks both as inner. */
typedef struct {
  int64_t a, b, c; /* the three lowest points, rising: enough to know a face by */
  int64_t cell;
  int64_t next;
  int8_t face, corners;
  bool twin;
} waiting;

/* The three lowest points identify a face of a conforming mesh. */
static void lowest_three(const int64_t *corner, const int8_t *node, int corners, int64_t low[3]) {
  int64_t id[4];
  for (int i = 0; i < corners; i++) {
    int j = i;
    for (; j > 0 && id[j - 1] > corner[node[i]]; j--)
      id[j] = id[j - 1];
    id[j] = corner[node[i]];
  }
  memcpy(low, id, 3 * sizeof *low);
}

/* corner: points of the cell; i, j, k: local numbers. */
static void triangle_add(ig_surface *s, const int64_t *corner, int i, int j, int k, unsigned edges,
                         int64_t cell) {
  s->corner[3 * s->triangles] = corner[i];
  s->corner[3 * s->triangles + 1] = corner[j];
  s->corner[3 * s->triangles + 2] = corner[k];
  s->cell[s->triangles] = cell;
  s->edges[s->triangles++] = (uint8_t)edges;
}

/* A face as triangles: a quadrilateral gives two, a quadratic triangle four. Bits of `edges` tell
   which sides are element edges; diagonals are not. */
static void face_add(ig_surface *s, const int64_t *corner, const int8_t *n, int corners, int mids,
                     int64_t cell) {
  if (corners == 4) {
    triangle_add(s, corner, n[0], n[1], n[2], 3, cell);
    triangle_add(s, corner, n[0], n[2], n[3], 6, cell);
  } else if (mids) {
    triangle_add(s, corner, n[0], n[3], n[5], 5, cell);
    triangle_add(s, corner, n[3], n[1], n[4], 3, cell);
    triangle_add(s, corner, n[5], n[4], n[2], 6, cell);
    triangle_add(s, corner, n[3], n[4], n[5], 0, cell);
  } else {
    triangle_add(s, corner, n[0], n[1], n[2], 7, cell);
  }
}

/* Eight nodes: four triangles at the corners, and the square of the midsides in two. Bits name the
   edges that are drawn: those of the element. */
static void quadratic_quad_add(ig_surface *s, const int64_t *corner, int64_t cell) {
  for (int i = 0; i < 4; i++)
    triangle_add(s, corner, i, 4 + i, 4 + (i + 3) % 4, 5, cell);
  triangle_add(s, corner, 4, 5, 6, 0, cell);
  triangle_add(s, corner, 4, 6, 7, 0, cell);
}

/* A closed cohesive element in the plane is a quadrilateral without area; it is drawn as a line. */
static bool is_thin(const ig_snapshot *snap, int64_t c) {
  if (snap->type[c] != QUAD)
    return false;
  const int64_t *n = &snap->corner[snap->offset[c]];
  const double *p[4] = {&snap->point[3 * n[0]], &snap->point[3 * n[1]], &snap->point[3 * n[2]],
                        &snap->point[3 * n[3]]};
  double along = 0, across = 0;
  for (int d = 0; d < 3; d++) {
    along += (p[1][d] - p[0][d]) * (p[1][d] - p[0][d]);
    across += (p[3][d] - p[0][d]) * (p[3][d] - p[0][d]) + (p[2][d] - p[1][d]) * (p[2][d] - p[1][d]);
  }
  return across < 1e-12 * along;
}

/* Upper limits: four triangles per face or plane cell. */
static ig_status surface_reserve(ig_ctx *cx, ig_surface *s, int64_t triangles, int64_t rods) {
  IG_TRY(IG_NEW(cx, &s->corner, 3 * triangles, "surface triangles"));
  IG_TRY(IG_NEW(cx, &s->cell, triangles, "surface cells"));
  IG_TRY(IG_NEW(cx, &s->edges, triangles, "surface edges"));
  IG_TRY(IG_NEW(cx, &s->rod, 2 * rods, "rods"));
  return IG_NEW(cx, &s->rod_cell, rods, "rod cells");
}

/* Three passes: count, match faces, make triangles. `flat`: only plane cells at z = 0, which are
   drawn from the front. Faces that occur once are the surface: each face waits in a list of its
   lowest node until its twin comes; those that are left have none. keep NULL: all cells. */
ig_status ig_surface_new(ig_ctx *cx, const ig_snapshot *snap, const uint8_t *keep,
                         ig_surface *surface) {
  memset(surface, 0, sizeof *surface);
  int64_t faces = 0, planar = 0, eights = 0, rods = 0;
  ig_solid last = {0};
  for (int64_t c = 0; c < snap->cells; c++) {
    if (keep && !keep[c])
      continue;
    const ig_solid *kind = ig_solid_of(&last, snap->type[c]);
    faces += kind ? kind->faces : 0;
    const bool line = snap->type[c] == LINE || snap->type[c] == QUADRATIC_EDGE;
    planar += !kind && !line;
    eights += snap->type[c] == QUADRATIC_QUAD;
    rods += line || is_thin(snap, c);
  }
  /* head: the first waiting face by its lowest node; lists go on through `next`. */
  int64_t *head = NULL;
  waiting *list = NULL;
  ig_status status = IG_NEW(cx, &head, snap->points, "face search");
  if (status == IG_OK)
    status = IG_NEW(cx, &list, faces + 1, "face search"); /* entry 0 means none */
  if (status != IG_OK)
    goto done;

  int64_t used = 0, alone = 0;
  for (int64_t c = 0; c < snap->cells; c++) {
    if (c % 65536 == 0)
      IG_TRY_GOTO(status, done, ig_interrupt_take(cx, "drawing"));
    const ig_solid *kind = keep && !keep[c] ? NULL : ig_solid_of(&last, snap->type[c]);
    const int64_t *corner = &snap->corner[snap->offset[c]];
    /* A face meets its twin at most once: both are inner faces then. Three lowest corners identify
       a face. */
    for (int f = 0; kind && f < kind->faces; f++) {
      int64_t low[3], at;
      lowest_three(corner, kind->node[f], kind->corners[f], low);
      for (at = head[low[0]]; at; at = list[at].next)
        if (!list[at].twin && list[at].b == low[1] && list[at].c == low[2] &&
            list[at].corners == kind->corners[f])
          break;
      if (at) {
        list[at].twin = true;
        alone--;
        continue;
      }
      list[++used] = (waiting){
          low[0], low[1], low[2], c, head[low[0]], (int8_t)f, (int8_t)kind->corners[f], false};
      head[low[0]] = used;
      alone++;
    }
  }

  IG_TRY_GOTO(status, done, surface_reserve(cx, surface, 4 * (alone + planar) + 2 * eights, rods));
  for (int64_t i = 1; i <= used; i++)
    if (!list[i].twin) {
      const ig_solid *kind = ig_solid_of(&last, snap->type[list[i].cell]);
      face_add(surface, &snap->corner[snap->offset[list[i].cell]], kind->node[list[i].face],
               kind->corners[list[i].face], kind->mids, list[i].cell);
    }
  for (int64_t c = 0; c < snap->cells; c++) {
    const int64_t *corner = &snap->corner[snap->offset[c]];
    if (keep && !keep[c])
      continue;
    switch (snap->type[c]) {
    case LINE:
    case QUADRATIC_EDGE: /* as a straight one */
      surface->rod[2 * surface->rods] = corner[0];
      surface->rod[2 * surface->rods + 1] = corner[1];
      surface->rod_cell[surface->rods++] = c;
      break;
    case TRIANGLE:
      face_add(surface, corner, plain, 3, 0, c);
      break;
    case QUAD:
      if (is_thin(snap, c)) {
        surface->rod[2 * surface->rods] = corner[0];
        surface->rod[2 * surface->rods + 1] = corner[1];
        surface->rod_cell[surface->rods++] = c;
        break;
      }
      face_add(surface, corner, plain, 4, 0, c);
      break;
    case QUADRATIC_TRIANGLE:
      face_add(surface, corner, quadratic, 3, 3, c);
      break;
    case QUADRATIC_QUAD:
      quadratic_quad_add(surface, corner, c);
      break;
    default:
      break;
    }
  }
  surface->flat = faces == 0;
  for (int64_t p = 0; p < snap->points && surface->flat; p++)
    surface->flat = snap->point[3 * p + 2] == 0;
done:
  free(head);
  free(list);
  if (status != IG_OK)
    ig_surface_free(surface);
  return status;
}

void ig_surface_free(ig_surface *surface) {
  free(surface->corner);
  free(surface->cell);
  free(surface->edges);
  free(surface->rod);
  free(surface->rod_cell);
  free(surface->between);
  memset(surface, 0, sizeof *surface);
}
