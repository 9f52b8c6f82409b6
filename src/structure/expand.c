/* Shells and beams become solids: directions at nodes, nodes, elements, sets.

   Why: CalculiX computes shells and beams as solids, and decks are expected to give its results.
   One kind of element then serves all, with laws, contact and large rotations as they are. The
   price are many nodes and stiff thin elements, which a direct solver bears.

        shell (quad8 at a corner)        beam (beam3 at an end), section seen along the axis

          1  front                          3 --- 6 --- 2
          |                                 |           |      second axis
          2  middle (quadratic corner)      7     x     5         ^
          |                                 |           |         |
          0  back                           0 --- 4 --- 1         +--> first axis

   Order of work (ig_structure_expand): thicknesses of nodes; a `corner` for every element at
   every node; corners of one node that are alike share a section (sections_make), whose nodes
   are `members` of that drawn node; elements, sets and numbers are copied to the new mesh. Later
   ig_structure_knots_number adds unknowns and ig_structure_expansion_constrain the constraints. */
#include "structure/expand.h"
#include "structure/constrain.h"
#include "mesh/face_place.h"
#include "mesh/mesh_builder.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An element at one of its nodes.
   One per element and node. size: thickness, or sizes of the section; offset over size. */
typedef struct {
  ig_lid element, node;
  int local;
  bool beam, given;    /* given: its normal is the case's */
  bool corner, curved; /* not in the middle of an edge; of a quadratic element */
  int profile;
  double axis[2][3]; /* shell: normal; beam: the axes of the section */
  double size[2], offset[2];
  int32_t first; /* member of the first node of its section */
} corner;

/* Scratch of ig_structure_expand; freed there. */
typedef struct {
  ig_structure *s;
  const ig_mesh *mesh;
  int *shell, *beam; /* of each element: entry of the case, -1 */
  int32_t corners;
  corner *corner;         /* element by element */
  int32_t *at;            /* first corner of each element, -1 */
  double (*thickness)[2]; /* of nodes, NaN: that of the section; NULL: none given */
} work;

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* False: v has no length and is left as it is. */
static bool unit3(double v[3]) {
  const double length = sqrt(dot3(v, v));
  for (int d = 0; d < 3 && length > 0; d++)
    v[d] /= length;
  return length > 0;
}

/* c = a x b; c must be another vector. */
static void cross3(const double a[3], const double b[3], double c[3]) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Shells and beams: elements of dimension 2 or 1. */
static bool is_thin(ig_elem_type type) {
  return ig_elem_info_get(type)->dim < 3;
}

/* Whether an element becomes a solid: trusses do not. */
static bool expands(const work *w, ig_lid element, ig_elem_type type) {
  return is_thin(type) && !ig_structure_is_truss(w->s, element);
}

/* As the user knows the element. */
static int64_t number_of(const ig_mesh *mesh, ig_lid element) {
  return mesh->element_number ? mesh->element_number[element] : element + 1;
}

/* --- directions of elements at their nodes */

/* Tangents of a shell at its node a.
   Natural coordinates of node a, then derivatives of the position there. A shell's normal thus
   varies over a curved element. */
static void shell_tangents(ig_elem_type type, const double (*x)[3], int a, double t[2][3]) {
  static const double quad[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                    {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
  static const double tri[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
  const int nodes = ig_elem_info_get(type)->nodes;
  double N[8], d[8][2];
  ig_face_values(nodes, nodes % 4 ? tri[a] : quad[a], N, d);
  memset(t, 0, 6 * sizeof(double));
  for (int i = 0; i < nodes; i++)
    for (int k = 0; k < 3; k++) {
      t[0][k] += d[i][0] * x[i][k];
      t[1][k] += d[i][1] * x[i][k];
    }
}

/* The normal follows from the order of the nodes by the right-hand rule. */
static ig_status shell_corner(work *w, const ig_structure_shell *c, const double (*x)[3],
                              ig_elem_type type, int a, corner *to) {
  double t[2][3];
  shell_tangents(type, x, a, t);
  cross3(t[0], t[1], to->axis[0]);
  if (!unit3(to->axis[0]))
    return ig_fail_at(w->s->cx, &c->at, "shell element %lld has no normal: its edges are on a line",
                      (long long)number_of(w->mesh, to->element));
  to->size[0] = c->thickness;
  to->offset[0] = c->offset;
  to->corner = type == IG_QUAD8 ? a < 4 : type == IG_TRI6 ? a < 3 : true;
  to->curved = type == IG_QUAD8 || type == IG_TRI6;
  return IG_OK;
}

/* slope: derivatives of the three quadratic shape functions at the nodes -1, 1, 0. Second axis =
   tangent x direction, first axis = second x tangent: `direction` need not be normal to the
   beam. */
static ig_status beam_corner(work *w, const ig_structure_beam *c, const double (*x)[3],
                             ig_elem_type type, int a, corner *to) {
  static const double slope[3][3] = {{-1.5, -0.5, 2}, {0.5, 1.5, -2}, {-0.5, 0.5, 0}};
  double t[3];
  for (int d = 0; d < 3; d++)
    t[d] = type == IG_BEAM2 ? x[1][d] - x[0][d]
                            : slope[a][0] * x[0][d] + slope[a][1] * x[1][d] + slope[a][2] * x[2][d];
  if (!unit3(t))
    return ig_fail_at(w->s->cx, &c->at, "beam element %lld has no length",
                      (long long)number_of(w->mesh, to->element));
  cross3(t, c->direction, to->axis[1]);
  if (!unit3(to->axis[1]))
    return ig_fail_at(w->s->cx, &c->at, "`direction` is along the axis of beam element %lld",
                      (long long)number_of(w->mesh, to->element));
  cross3(to->axis[1], t, to->axis[0]);
  to->beam = true;
  to->profile = c->profile;
  for (int k = 0; k < 2; k++) {
    to->size[k] = k && isnan(c->size[1]) ? c->size[0] : c->size[k];
    to->offset[k] = c->offset[k];
  }
  to->corner = type == IG_BEAM2 || a < 2;
  to->curved = type == IG_BEAM3;
  if (!to->curved && c->profile != IG_PROFILE_RECTANGLE)
    return ig_fail_at(w->s->cx, &c->at,
                      "beam2 has rectangular sections: expected beam3 for others");
  return IG_OK;
}

/* *NORMAL of decks: a normal that is given is used as it is and not averaged with others that
   differ by more than half a degree (same_section). */
static ig_status normals_read(work *w) {
  const ig_structure *s = w->s;
  for (int i = 0; i < s->c->normals.count; i++) {
    const ig_structure_normal *c = IG_ITEM(const ig_structure_normal, s->c->normals, i);
    bool found = false;
    for (int32_t k = 0; k < w->corners; k++) {
      corner *to = &w->corner[k];
      const int64_t node = w->mesh->node_number ? w->mesh->node_number[to->node] : to->node + 1;
      if (number_of(w->mesh, to->element) != c->element || node != c->node)
        continue;
      memcpy(to->axis[0], c->normal, sizeof c->normal);
      if (!unit3(to->axis[0]))
        return ig_fail_at(s->cx, &c->at, "`normal` has no length");
      to->given = found = true;
    }
    if (!found)
      return ig_fail_at(s->cx, &c->at, "element %lld is no shell or beam with a node %lld",
                        (long long)c->element, (long long)c->node);
  }
  return IG_OK;
}

/* Corners of an element are consecutive, w->at[e] is the first. `nodal` sections take sizes from
   `thicknesses`. */
static ig_status corners_make(work *w) {
  ig_structure *s = w->s;
  ig_lid e = 0;
  for (int b = 0; b < w->mesh->blocks; b++)
    w->corners += is_thin(w->mesh->block[b].type)
                      ? w->mesh->block[b].count * ig_elem_info_get(w->mesh->block[b].type)->nodes
                      : 0;
  IG_TRY(IG_NEW(s->cx, &w->corner, w->corners, "shells and beams"));
  IG_TRY(IG_NEW(s->cx, &w->at, ig_mesh_elements(w->mesh), "shells and beams"));
  int32_t n = 0;
  for (int b = 0; b < w->mesh->blocks; b++) {
    const ig_block *block = &w->mesh->block[b];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    for (ig_lid i = 0; i < block->count; i++, e++) {
      w->at[e] = expands(w, e, block->type) ? n : -1;
      if (w->at[e] < 0)
        continue;
      const ig_lid *conn = block->conn + (size_t)i * (size_t)info->nodes;
      double x[8][3];
      const int entry = info->dim == 2 ? w->shell[e] : w->beam[e];
      if (entry < 0)
        return ig_fail_at(s->cx, &s->c->at, "element %lld is a %s: `%s` gives it no %s",
                          (long long)number_of(w->mesh, e), info->name,
                          info->dim == 2 ? "shells" : "beams",
                          info->dim == 2 ? "thickness" : "section, and `trusses` no area");
      for (int a = 0; a < info->nodes; a++)
        memcpy(x[a], w->mesh->x + 3 * (size_t)conn[a], sizeof x[a]);
      for (int a = 0; a < info->nodes; a++) {
        corner *to = &w->corner[n++];
        *to = (corner){.element = e, .node = conn[a], .local = a};
        IG_TRY(info->dim == 2
                   ? shell_corner(w, IG_ITEM(const ig_structure_shell, s->c->shells, entry),
                                  (const double(*)[3])x, block->type, a, to)
                   : beam_corner(w, IG_ITEM(const ig_structure_beam, s->c->beams, entry),
                                 (const double(*)[3])x, block->type, a, to));
        const bool nodal = info->dim == 2
                               ? IG_ITEM(const ig_structure_shell, s->c->shells, entry)->nodal
                               : IG_ITEM(const ig_structure_beam, s->c->beams, entry)->nodal;
        for (int k = 0; k < 2 && nodal && w->thickness; k++)
          if (!isnan(w->thickness[to->node][k]))
            to->size[k] = w->thickness[to->node][k];
      }
    }
  }
  w->corners = n;
  return normals_read(w);
}

/* Sizes at nodes, for sections with `nodal: true`; later entries replace former ones. */
static ig_status thicknesses_read(work *w) {
  ig_structure *s = w->s;
  if (!s->c->thicknesses.count)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &w->thickness, w->mesh->nodes, "thicknesses"));
  for (ig_lid n = 0; n < w->mesh->nodes; n++)
    w->thickness[n][0] = w->thickness[n][1] = NAN;
  for (int i = 0; i < s->c->thicknesses.count; i++) {
    const ig_structure_thickness *c = IG_ITEM(const ig_structure_thickness, s->c->thicknesses, i);
    ig_lid *node, count;
    if (!(c->thickness[0] > 0) || c->thickness[1] <= 0)
      return ig_fail_at(s->cx, &c->at, "`thickness`: expected positive numbers");
    IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
    for (ig_lid k = 0; k < count; k++)
      memcpy(w->thickness[node[k]], c->thickness, sizeof c->thickness);
    free(node);
  }
  return IG_OK;
}

/* --- nodes */

/* 20 degrees as in CalculiX: a sharper angle makes a knot. Given normals share a section where
   they agree to half a degree. */
static bool same_section(const corner *a, const corner *b) {
  /* Least cosine between directions that share a section. */
  const double least = a->given || b->given ? cos(0.5 * M_PI / 180) : cos(20 * M_PI / 180);
  if (a->beam != b->beam || a->given != b->given || a->profile != b->profile ||
      a->curved != b->curved || a->corner != b->corner)
    return false;
  for (int k = 0; k < (a->beam ? 2 : 1); k++)
    if (fabs(a->size[k] - b->size[k]) > 1e-10 * a->size[k] ||
        fabs(a->offset[k] - b->offset[k]) > 1e-10 || dot3(a->axis[k], b->axis[k]) < least)
      return false;
  return true;
}

/* Places of a section's nodes in its axes, in units of its sizes: corners, then middles of edges
   where there are some.
   Units: 1 is the whole size of the section along an axis, so that corners are at +-0.5 less the
   offset. */
static int section_places(const corner *c, double place[8][2]) {
  static const double edge[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                    {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
  if (!c->beam) { /* back, front, middle */
    const int count = c->curved && c->corner ? 3 : 2;
    for (int i = 0; i < count; i++) {
      place[i][0] = (i == 0 ? -0.5 : i == 1 ? 0.5 : 0) - c->offset[0];
      place[i][1] = 0;
    }
    return count;
  }
  const int count = c->curved && c->corner ? 8 : 4;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++)
      place[i][k] = 0.5 * edge[i][k] * (c->profile == IG_PROFILE_ELLIPSE && i < 4 ? M_SQRT1_2 : 1) -
                    c->offset[k];
  return count;
}

/* Members of a section are consecutive: s->member[first ...]. share: weight of the outer nodes
   in the mean at the drawn node, by (bi)linear interpolation at its offset; the ellipse's
   corners are at 1/sqrt(2) of its half axes, so that all nodes lie on the ellipse. */
static ig_status section_add(work *w, const corner *c, const double axis[2][3]) {
  ig_structure *s = w->s;
  double place[8][2];
  const int count = section_places(c, place), outer = c->beam ? 4 : 2;
  const double round = c->profile == IG_PROFILE_ELLIPSE ? M_SQRT1_2 : 1;
  for (int i = 0; i < count; i++) {
    IG_TRY(IG_MORE(s->cx, &s->member, s->members, "shells and beams"));
    ig_structure_member *m = &s->member[s->members];
    *m = (ig_structure_member){.node = w->mesh->nodes + s->members, .of = c->node};
    for (int d = 0; d < 3; d++)
      m->arm[d] = place[i][0] * c->size[0] * axis[0][d] +
                  (c->beam ? place[i][1] * c->size[1] * axis[1][d] : 0);
    m->outer = i < outer;
    m->side = c->beam || i > 1 ? 0 : i ? 1 : -1;
    if (m->outer) { /* (bi)linear interpolation at the drawn node, place 0 */
      m->share = 1;
      for (int k = 0; k < (c->beam ? 2 : 1); k++)
        m->share *= 0.5 + (place[i][k] + c->offset[k] < 0 ? -1 : 1) * c->offset[k] / round;
    }
    s->members++;
  }
  return IG_OK;
}

/* Sections at drawn nodes, and their nodes.
   head, next: lists of the corners of each node. Axes of the corners that share a section are
   averaged; sizes are those of the first. */
static ig_status sections_make(work *w) {
  ig_structure *s = w->s;
  int32_t *head = NULL, *next = NULL;
  ig_status status;
  IG_TRY(IG_NEW(s->cx, &s->cluster, w->mesh->nodes, "shells and beams"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &head, w->mesh->nodes, "shells and beams"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &next, w->corners, "shells and beams"));
  for (ig_lid n = 0; n < w->mesh->nodes; n++)
    head[n] = -1;
  for (int32_t k = w->corners - 1; k >= 0; k--) { /* lists in rising order */
    next[k] = head[w->corner[k].node];
    head[w->corner[k].node] = k;
    w->corner[k].first = -1;
  }
  for (ig_lid n = 0; n < w->mesh->nodes; n++) {
    ig_structure_cluster *cluster = &s->cluster[n];
    int sections = 0;
    cluster->first = s->members;
    for (int32_t k = head[n]; k >= 0; k = next[k]) {
      const corner *c = &w->corner[k];
      double axis[2][3] = {{0}};
      if (c->first >= 0)
        continue;
      for (int32_t j = k; j >= 0; j = next[j])
        if (w->corner[j].first < 0 && same_section(c, &w->corner[j])) {
          w->corner[j].first = s->members;
          for (int d = 0; d < 6; d++)
            axis[d / 3][d % 3] += w->corner[j].axis[d / 3][d % 3];
        }
      unit3(axis[0]);
      unit3(axis[1]);
      IG_TRY_GOTO(status, done, section_add(w, c, (const double(*)[3])axis));
      sections++;
    }
    cluster->count = s->members - cluster->first;
    cluster->knot = sections > 1;
  }
  status = IG_OK;
done:
  free(head);
  free(next);
  return status;
}

/* --- elements and sets */

/* Quadratic shells and beams become hex20 or wedge15. */
static ig_elem_type solid_of(ig_elem_type type) {
  switch (type) {
  case IG_TRI3:
    return IG_WEDGE6;
  case IG_TRI6:
    return IG_WEDGE15;
  case IG_QUAD4:
  case IG_BEAM2:
    return IG_HEX8;
  default:
    return IG_HEX20;
  }
}

/* Nodes of the solid of an element whose corners begin at c.
   Shells: node a of the back and front of the element, then mid-sides, then the middles of the
   edges through the thickness, in the order of hex20 and wedge15. */
static void solid_nodes(const work *w, ig_elem_type type, const corner *c, ig_lid *to) {
  const ig_lid drawn = w->mesh->nodes;
  if (c->beam) { /* xi along the axis, eta against the second axis of the section, zeta along the
                    first: points are numbered as in CalculiX */
    static const struct {
      int end, place; /* 2: the middle of the element */
    } of[20] = {{0, 3}, {1, 3}, {1, 0}, {0, 0}, {0, 2}, {1, 2}, {1, 1}, {0, 1}, {2, 3}, {1, 7},
                {2, 0}, {0, 7}, {2, 2}, {1, 5}, {2, 1}, {0, 5}, {0, 6}, {1, 6}, {1, 4}, {0, 4}};
    for (int i = 0; i < (type == IG_BEAM3 ? 20 : 8); i++)
      to[i] = drawn + c[of[i].end].first + of[i].place;
    return;
  }
  const int nodes = ig_elem_info_get(type)->nodes;
  const int n = type == IG_QUAD8 || type == IG_QUAD4 ? 4 : 3;
  for (int a = 0; a < nodes; a++)
    for (int side = 0; side < 2; side++)
      to[a < n ? a + n * side : a + n + n * side] = drawn + c[a].first + side;
  for (int a = 0; a < n && nodes > n; a++)
    to[4 * n + a] = drawn + c[a].first + 2;
}

/* Blocks keep their order and elements their index, so that sets of elements hold as they are.
   Where trusses and beams take turns in a block, each run of them becomes a block of its own. */
static ig_status blocks_copy(work *w, ig_mesh *to) {
  const ig_mesh *from = w->mesh;
  ig_lid e = 0;
  for (int b = 0; b < from->blocks; b++) {
    const ig_block *block = &from->block[b];
    for (ig_lid first = 0, next; first < block->count; first = next) {
      const bool thin = expands(w, e, block->type);
      const ig_elem_type type = thin ? solid_of(block->type) : block->type;
      const size_t npe = (size_t)ig_elem_info_get(type)->nodes;
      ig_block *made;
      for (next = first + 1; next < block->count; next++)
        if (expands(w, e + next - first, block->type) != thin)
          break;
      IG_TRY(ig_mesh_add_block(w->s->cx, to, type, next - first, &made));
      memcpy(made->tag, block->tag + first, (size_t)(next - first) * sizeof *made->tag);
      if (!thin)
        memcpy(made->conn, block->conn + (size_t)first * npe,
               (size_t)(next - first) * npe * sizeof *made->conn);
      for (ig_lid i = first; i < next; i++, e++)
        if (thin)
          solid_nodes(w, block->type, &w->corner[w->at[e]], made->conn + (size_t)(i - first) * npe);
    }
  }
  return IG_OK;
}

/* Sides of a shell: 1 its back, 2 its front, then its edges; of the solid, the same sides. Sides 1
   and 2 of a beam are those that a pressure along the first and second axis of its section acts on.

   Numbers of sides are those of Abaqus, from 1; `face` counts from 0. */
static int side_of(ig_elem_type type, int face) {
  const bool beam = ig_elem_info_get(type)->dim == 1;
  return ig_elem_side(solid_of(type), beam && face == 1 ? 5 : face + 1);
}

/* Node sets have drawn nodes only. */
static ig_status sets_copy(work *w, ig_mesh *to) {
  for (int i = 0; i < w->mesh->sets; i++) {
    const ig_set *set = &w->mesh->set[i];
    ig_set *made;
    IG_TRY(ig_mesh_add_set(w->s->cx, to, set->name, set->kind, set->count, &made));
    memcpy(made->item, set->item, (size_t)set->count * sizeof *made->item);
    for (ig_lid k = 0; set->kind == IG_SET_FACES && k < set->count; k++) {
      ig_lid local;
      const ig_block *block = ig_mesh_element(w->mesh, set->item[k], &local);
      made->face[k] = expands(w, set->item[k], block->type)
                          ? (uint8_t)side_of(block->type, set->face[k])
                          : set->face[k];
    }
  }
  return IG_OK;
}

/* Nodes of solids have the number 0 in files with numbers, so that they are never found by
   number. */
static ig_status numbers_copy(work *w, ig_mesh *to) {
  const ig_mesh *from = w->mesh;
  if (from->node_number) { /* nodes of solids have none: 0 */
    IG_TRY(IG_NEW(w->s->cx, &to->node_number, to->nodes, "numbers"));
    memcpy(to->node_number, from->node_number, (size_t)from->nodes * sizeof *to->node_number);
  }
  if (from->element_number) {
    const ig_lid elements = ig_mesh_elements(from);
    IG_TRY(IG_NEW(w->s->cx, &to->element_number, elements, "numbers"));
    memcpy(to->element_number, from->element_number, (size_t)elements * sizeof *to->element_number);
  }
  return IG_OK;
}

/* s->expanded has drawn nodes first, members after them, at drawn position + arm. */
static ig_status mesh_make(work *w) {
  ig_structure *s = w->s;
  ig_mesh *to;
  IG_TRY(ig_mesh_new(s->cx, 3, w->mesh->nodes + s->members, &to));
  s->expanded = to;
  memcpy(to->x, w->mesh->x, 3 * (size_t)w->mesh->nodes * sizeof *to->x);
  for (int32_t i = 0; i < s->members; i++)
    for (int d = 0; d < 3; d++)
      to->x[3 * (size_t)s->member[i].node + (size_t)d] =
          w->mesh->x[3 * (size_t)s->member[i].of + (size_t)d] + s->member[i].arm[d];
  IG_TRY(blocks_copy(w, to));
  IG_TRY(sets_copy(w, to));
  return numbers_copy(w, to);
}

/* --- knots */

/* straight: rotations are prescribed there, which keeps the section straight. */
static ig_status mark(ig_structure *s, const ig_src *at, const char *set, bool straight) {
  ig_lid *node, count;
  IG_TRY(ig_structure_nodes(s, at, set, &node, &count));
  for (ig_lid k = 0; k < count; k++)
    if (node[k] < s->drawn && s->cluster[node[k]].count) {
      s->cluster[node[k]].turning = true;
      s->cluster[node[k]].straight |= straight;
    }
  free(node);
  return IG_OK;
}

/* Nodes whose rotations the case uses.
   A load's moment or an equation needs rotational unknowns as much as a support does. Nodes
   without them are `plain` and cheaper: no unknowns are added. */
static ig_status knots_find(ig_structure *s) {
  for (int i = 0; i < s->c->supports.count; i++) {
    const ig_structure_support *c = IG_ITEM(const ig_structure_support, s->c->supports, i);
    if ((c->fix && (strchr(c->fix, 'r') || strstr(c->fix, "all"))) || !isnan(c->rotation[0]))
      IG_TRY(mark(s, &c->at, c->set, true));
  }
  for (int i = 0; i < s->c->loads.count; i++) {
    const ig_structure_load *c = IG_ITEM(const ig_structure_load, s->c->loads, i);
    if (!isnan(c->moment[0]))
      IG_TRY(mark(s, &c->at, c->set, false));
  }
  for (int i = 0; i < s->c->couplings.count; i++) {
    const ig_structure_coupling *c = IG_ITEM(const ig_structure_coupling, s->c->couplings, i);
    IG_TRY(mark(s, &c->at, c->node, true));
    if (c->kind < IG_COUPLING_DISTRIBUTING)
      IG_TRY(mark(s, &c->at, c->set, false));
  }
  for (int i = 0; i < s->c->equations.count; i++) {
    const ig_structure_equation *c = IG_ITEM(const ig_structure_equation, s->c->equations, i);
    for (int k = 0; k < c->nodes.count && k < c->components.count; k++) {
      char *end;
      const long long number = strtoll(c->nodes.value[k], &end, 10);
      if (c->components.value[k][0] != 'r')
        continue;
      if (*end) {
        IG_TRY(mark(s, &c->at, c->nodes.value[k], true));
        continue;
      }
      if (!s->number_of && s->mesh->node_number)
        IG_TRY(ig_structure_numbers(s));
      const ig_lid n =
          s->mesh->node_number ? ig_structure_numbered(s, number) : (ig_lid)(number - 1);
      if (n >= 0 && n < s->drawn && s->cluster[n].count)
        s->cluster[n].turning = s->cluster[n].straight = true;
    }
  }
  return IG_OK;
}

/* What the section of a node can do beside moving and turning.
   B_k of expand.h. Edges of the section are taken from its members: 0 to 1 along the first axis,
   0 to 3 along the second of a beam. sigma: +1, -1, +1, -1 at the corners, less its weighted
   mean, so that the mode does not move the drawn node. */
static void stretches_make(ig_structure *s, ig_structure_cluster *c) {
  ig_structure_member *m = s->member + c->first;
  if (c->knot) {
    c->stretches = 1;
    for (int d = 0; d < 3; d++)
      c->basis[0][4 * d] = 1;
    return;
  }
  /* A shell's section has 2 or 3 members, a beam's 4 or 8. */
  const bool beam = c->count >= 4;
  double edge[2][3], square[2] = {0, 0}, mean = 0;
  for (int d = 0; d < 3; d++) {
    edge[0][d] = m[1].arm[d] - m[0].arm[d];
    edge[1][d] = beam ? m[3].arm[d] - m[0].arm[d] : 0;
  }
  for (int k = 0; k < 2; k++) {
    square[k] = dot3(edge[k], edge[k]);
    unit3(edge[k]);
  }
  c->stretches = beam ? 3 : 1;
  c->modes = beam ? 3 : 0;
  for (int p = 0; p < 3; p++)
    for (int q = 0; q < 3; q++) {
      for (int k = 0; k < 2; k++)
        c->basis[k][3 * p + q] = edge[k][p] * edge[k][q];
      c->basis[2][3 * p + q] = /* a shear whose mean rotation over the corners is 0 */
          (square[0] * edge[0][p] * edge[1][q] + square[1] * edge[1][p] * edge[0][q]) /
          (square[0] + square[1]);
    }
  for (int i = 0; i < 4 && beam; i++) {
    m[i].sigma = i % 2 ? -1 : 1;
    mean += m[i].share * m[i].sigma;
  }
  for (int i = 0; i < 4 && beam; i++)
    m[i].sigma -= mean;
  for (int i = 4; i < c->count && beam; i++) /* on the side from corner i % 4 to the next one */
    m[i].sigma = (m[i % 4].sigma + m[(i + 1) % 4].sigma) / 2;
}

/* Unknowns after those of nodes: 3 rotations where the node has none yet, then stretches, then
   modes. */
ig_status ig_structure_knots_number(ig_structure *s) {
  if (!s->expanded)
    return IG_OK;
  IG_TRY(knots_find(s));
  for (ig_lid n = 0; n < s->drawn; n++) {
    ig_structure_cluster *c = &s->cluster[n];
    if (!c->knot && !c->turning)
      continue;
    if (!s->turn) {
      IG_TRY(IG_NEW(s->cx, &s->turn, s->nodes, "rotations"));
      for (ig_lid k = 0; k < s->nodes; k++)
        s->turn[k] = -1;
    }
    if (s->turn[n] < 0) {
      s->turn[n] = s->unknowns;
      s->unknowns += 3;
    }
    stretches_make(s, c);
    c->stretch = s->unknowns;
    s->unknowns += c->stretches + c->modes;
  }
  return IG_OK;
}

/* --- constraints */

/* NULL: the node has fixed axes. */
static const double *frame_of(const ig_structure *s, ig_lid node) {
  return s->framed && s->framed[node] >= 0 ? s->frame[s->framed[node]] : NULL;
}

/* A vector of a drawn node, from its axes to fixed ones. */
static void node_vector(const ig_structure *s, ig_lid node, int32_t first, const double *add,
                        double v[3]) {
  const double *R = frame_of(s, node);
  double own[3];
  for (int d = 0; d < 3; d++)
    own[d] = s->u[first + d] + (add ? add[first + d] : 0);
  for (int d = 0; d < 3; d++)
    v[d] = R ? R[d] * own[0] + R[3 + d] * own[1] + R[6 + d] * own[2] : own[d];
}

/* Place of a member of a knot, from its drawn node, at a turn and stretches: R (1 + s B) r; its
   derivatives by the three rotations in fixed axes and by the stretches.

   place = R (1 + sum s_k B_k) r. slope[0..2]: lever of the rotated arm times T, slope[3..]: R
   B_k r. */
static void member_place(const ig_structure_cluster *c, const ig_structure_member *m,
                         const double turn[3], const double *stretch, double place[3],
                         double slope[6][3]) {
  double R[3][3], T[3][3], a[3], b[3][3], L[3][3];
  ig_structure_turned(turn, R, T);
  memcpy(a, m->arm, sizeof a);
  for (int k = 0; k < c->stretches; k++)
    for (int d = 0; d < 3; d++) {
      b[k][d] = dot3(c->basis[k] + (size_t)(3 * d), m->arm);
      a[d] += stretch[k] * b[k][d];
    }
  for (int d = 0; d < 3; d++)
    place[d] = dot3(R[d], a);
  ig_structure_lever(place, L);
  for (int q = 0; q < 3; q++)
    for (int d = 0; d < 3; d++)
      slope[q][d] = L[d][0] * T[0][q] + L[d][1] * T[1][q] + L[d][2] * T[2][q];
  for (int k = 0; k < c->stretches; k++)
    for (int d = 0; d < 3; d++)
      slope[3 + k][d] = dot3(R[d], b[k]);
}

/* Coefficients of component d of a member: of the drawn node's motion, its turn, stretches.
   The order of terms is the same at the start (knot_add) and later (ig_structure_knots_follow):
   only coefficients are overwritten. */
static int member_row(const ig_structure *s, ig_lid n, const ig_structure_cluster *c,
                      const ig_structure_member *m, double slope[6][3], int d, int32_t *master,
                      double *factor) {
  const double *R = frame_of(s, n);
  int count = 0;
  for (int k = 0; k < 3; k++)
    if (R || k == d) {
      master[count] = 3 * n + k;
      factor[count++] = R ? R[3 * k + d] : 1;
    }
  for (int k = 0; k < 3; k++) {
    master[count] = s->turn[n] + k;
    factor[count++] =
        R ? R[3 * k] * slope[0][d] + R[3 * k + 1] * slope[1][d] + R[3 * k + 2] * slope[2][d]
          : slope[k][d];
  }
  for (int k = 0; k < c->stretches; k++) {
    master[count] = c->stretch + k;
    factor[count++] = slope[3 + k][d];
  }
  if (c->modes) {
    master[count] = c->stretch + c->stretches + d;
    factor[count++] = m->sigma;
  }
  return count;
}

/* Whether the motion of a member is that of its drawn node: see expand.h. */
static bool follows(const ig_structure_cluster *c, const ig_structure_member *m) {
  return c->knot || (c->turning && (m->outer || c->straight));
}

/* A shell does not turn about its normal.
   The rotation about the normal would be free, since the outer nodes of a shell lie on the
   normal: turn . normal = 0, solved for its largest component. */
static ig_status drill_add(ig_structure *s, ig_lid n) {
  const ig_structure_member *m = s->member + s->cluster[n].first;
  const double *R = frame_of(s, n);
  double normal[3], own[3];
  for (int d = 0; d < 3; d++)
    normal[d] = m[1].arm[d] - m[0].arm[d];
  unit3(normal);
  int most = 0;
  for (int d = 0; d < 3; d++) {
    own[d] = R ? dot3(R + 3 * d, normal) : normal[d];
    most = fabs(own[d]) > fabs(own[most]) + 1e-12 ? d : most;
  }
  int32_t master[2];
  double factor[2];
  for (int k = 0; k < 2; k++) {
    const int d = (most + 1 + k) % 3;
    master[k] = s->turn[n] + d;
    factor[k] = -own[d] / own[most];
  }
  return ig_system_constrain(s->system, s->turn[n] + most, 2, master, factor, 0, NULL);
}

/* Constraints of a turning node or knot: every member that follows gets three rows. */
static ig_status knot_add(ig_structure *s, ig_lid n) {
  const ig_structure_cluster *c = &s->cluster[n];
  const double none[3] = {0, 0, 0};
  if (!c->knot && !c->modes)
    IG_TRY(drill_add(s, n));
  for (int i = 0; i < c->count; i++) {
    ig_structure_member *m = &s->member[c->first + i];
    double place[3], slope[6][3];
    if (!follows(c, m))
      continue;
    member_place(c, m, none, none, place, slope);
    for (int d = 0; d < 3; d++) {
      int32_t master[10];
      double factor[10];
      const int count = member_row(s, n, c, m, slope, d, master, factor);
      IG_TRY(
          ig_system_constrain(s->system, 3 * m->node + d, count, master, factor, 0, &m->number[d]));
    }
  }
  return IG_OK;
}

/* The drawn node moves with the mean of its section: solved for the node of the largest share.
   u_drawn = sum of share x u_i, written for the member with the largest share as slave, so that
   the drawn node itself stays free for supports. */
static ig_status plain_add(ig_structure *s, ig_lid n) {
  const ig_structure_cluster *c = &s->cluster[n];
  const ig_structure_member *m = s->member + c->first;
  const double *R = frame_of(s, n);
  int last = 0;
  for (int i = 1; i < c->count; i++)
    last = fabs(m[i].share) > fabs(m[last].share) + 1e-12 ? i : last;
  for (int d = 0; d < 3; d++) {
    /* Three components of the drawn node and up to eight members. */
    int32_t master[16];
    double factor[16];
    int count = 0;
    for (int k = 0; k < 3; k++)
      if (R || k == d) {
        master[count] = 3 * n + k;
        factor[count++] = (R ? R[3 * k + d] : 1) / m[last].share;
      }
    for (int i = 0; i < c->count; i++)
      if (i != last && m[i].share != 0) {
        master[count] = 3 * m[i].node + d;
        factor[count++] = -m[i].share / m[last].share;
      }
    IG_TRY(ig_system_constrain(s->system, 3 * m[last].node + d, count, master, factor, 0, NULL));
  }
  return IG_OK;
}

ig_status ig_structure_expansion_constrain(ig_structure *s) {
  for (ig_lid n = 0; s->expanded && n < s->drawn; n++)
    if (s->cluster[n].count)
      IG_TRY(s->cluster[n].knot || s->cluster[n].turning ? knot_add(s, n) : plain_add(s, n));
  return IG_OK;
}

/* Large rotations: members are put where the rotation and the stretches have them, and the
   coefficients of their constraints become the derivatives there. */
void ig_structure_knots_follow(ig_structure *s, double *u) {
  for (ig_lid n = 0; s->expanded && n < s->drawn; n++) {
    const ig_structure_cluster *c = &s->cluster[n];
    double at[3], turn[3], stretch[3];
    if (!c->knot && !c->turning)
      continue;
    node_vector(s, n, 3 * n, u, at);
    node_vector(s, n, s->turn[n], u, turn);
    for (int k = 0; k < c->stretches; k++)
      stretch[k] = s->u[c->stretch + k] + u[c->stretch + k];
    for (int i = 0; i < c->count; i++) {
      const ig_structure_member *m = &s->member[c->first + i];
      double place[3], slope[6][3];
      if (!follows(c, m))
        continue;
      member_place(c, m, turn, stretch, place, slope);
      for (int d = 0; d < 3; d++) {
        const int32_t mode = c->stretch + c->stretches + d;
        int32_t master[10];
        double factor[10];
        const int count = member_row(s, n, c, m, slope, d, master, factor);
        const int32_t slave = 3 * m->node + d;
        u[slave] = at[d] + place[d] - m->arm[d] - s->u[slave];
        u[slave] += c->modes ? m->sigma * (s->u[mode] + u[mode]) : 0;
        memcpy(s->system->coefficient + s->system->constraint[m->number[d]].at, factor,
               (size_t)count * sizeof *factor);
      }
    }
  }
}

/* Elsewhere than at plain corners of quadratic shells the force goes to the drawn node itself,
   and constraints distribute it. */
void ig_structure_expansion_load(const ig_structure *s, ig_lid node, const double force[3],
                                 double factor, double *f) {
  const ig_structure_cluster *c = s->cluster && node < s->drawn ? &s->cluster[node] : NULL;
  const double *R = frame_of(s, node);
  if (!c || c->count != 3 || c->knot || c->turning) {
    for (int d = 0; d < 3; d++)
      f[3 * node + d] += factor * force[d];
    return;
  }
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 3; d++) {
      const double fixed =
          R ? R[d] * force[0] + R[3 + d] * force[1] + R[6 + d] * force[2] : force[d];
      f[3 * s->member[c->first + i].node + d] += (i == 2 ? 2 : -0.5) * factor * fixed;
    }
}

/* A drawn node without a force of its own (no solid of the mesh is at it) reports the sum of the
   forces of its members. */
void ig_structure_expansion_gather(const ig_structure *s, const double *f, double *reaction) {
  for (ig_lid n = 0; s->expanded && n < s->drawn; n++) {
    const ig_structure_cluster *c = &s->cluster[n];
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < c->count; i++)
      for (int d = 0; d < 3; d++)
        sum[d] += f[3 * s->member[c->first + i].node + d];
    if (!c->count || f[3 * n] != 0 || f[3 * n + 1] != 0 || f[3 * n + 2] != 0)
      continue;
    ig_structure_to_local(s, &n, 1, sum, NULL);
    memcpy(reaction + 3 * (size_t)n, sum, sizeof sum);
  }
}

/* --- */

/* Does nothing for meshes of solids. The new mesh is owned by s (expanded); job->mesh stays as
   drawn and is what snapshots show. */
ig_status ig_structure_expand(ig_structure *s) {
  work w = {.s = s, .mesh = s->mesh};
  const ig_lid elements = ig_mesh_elements(s->mesh);
  bool thin = false;
  ig_status status;
  IG_TRY(ig_structure_trusses_find(s));
  ig_lid e = 0;
  for (int b = 0; b < s->mesh->blocks; b++)
    for (ig_lid i = 0; i < s->mesh->block[b].count; i++, e++)
      thin |= expands(&w, e, s->mesh->block[b].type);
  if (!thin)
    return IG_OK;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w.shell, elements, "shells"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &w.beam, elements, "beams"));
  IG_TRY_GOTO(status, done,
              IG_CLAIM(s->cx, s->mesh, &s->c->shells, ig_structure_shell, NULL, w.shell));
  IG_TRY_GOTO(status, done,
              IG_CLAIM(s->cx, s->mesh, &s->c->beams, ig_structure_beam, NULL, w.beam));
  IG_TRY_GOTO(status, done, thicknesses_read(&w));
  IG_TRY_GOTO(status, done, corners_make(&w));
  IG_TRY_GOTO(status, done, sections_make(&w));
  IG_TRY_GOTO(status, done, mesh_make(&w));
  s->mesh = s->expanded;
done:
  free(w.shell);
  free(w.beam);
  free(w.corner);
  free(w.at);
  free(w.thickness);
  return status;
}

void ig_structure_expansion_free(ig_structure *s) {
  ig_mesh_free(s->expanded);
  free(s->member);
  free(s->cluster);
}
