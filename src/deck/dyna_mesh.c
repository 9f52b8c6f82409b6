/* What the importer of LS-DYNA decks asks the mesh: parts and their elements, segments as faces of
   solids or as shells, axes of beams' sections. */
#include "deck/dyna.h"
#include "mesh/mesh_builder.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By its own reader, which hands out what a mesh does not keep. */
void ig_dyna_mesh_read(ig_dyna *k) {
  const ig_mesh_read_options options = {.loose = true};
  if (k->b.status == IG_OK)
    k->b.status = ig_mesh_read_dyna_deck(k->b.d->cx, k->b.d->path, &options, &k->found, &k->mesh);
  const ig_dyna_card card = {.at = {k->b.d->path, 1, 1, true}, .word = "ELEMENT_BEAM"};
  for (int64_t i = 0; i < k->found.beams && k->b.status == IG_OK; i++)
    if (k->found.beam[i].released) {
      ig_dyna_unanswered(k, &card, NULL,
                         "beam %lld has ends that are released; those of a case are joined",
                         (long long)k->found.beam[i].element);
      break;
    }
}

/* --- segments */

/* A side of an element: its corners, rising, and whose it is. */
typedef struct {
  ig_lid corner[4]; /* the last one repeats the third of a triangle */
  ig_lid element;
  int8_t side;  /* from 1; 0: the shell itself */
  int8_t turns; /* of a match: 1 as the segment, -1 against it */
} side;

static void corners_sort(ig_lid c[4]) {
  for (int i = 1; i < 4; i++)
    for (int j = i; j > 0 && c[j] < c[j - 1]; j--) {
      const ig_lid swap = c[j];
      c[j] = c[j - 1];
      c[j - 1] = swap;
    }
}

/* Corners of a triangle: the least one twice, so that either way of writing it is the same. */
static void corners_key(const ig_lid *node, int count, ig_lid key[4]) {
  for (int i = 0; i < count; i++)
    key[i] = node[i];
  for (int i = count; i < 4; i++) {
    ig_lid least = node[0];
    for (int j = 1; j < count; j++)
      least = node[j] < least ? node[j] : least;
    key[i] = least;
  }
  corners_sort(key);
}

static int side_compare(const void *a, const void *b) {
  const side *p = a, *q = b;
  for (int i = 0; i < 4; i++)
    if (p->corner[i] != q->corner[i])
      return p->corner[i] < q->corner[i] ? -1 : 1;
  return p->element < q->element ? -1 : p->element > q->element;
}

/* Local corners of side `s` of an element, seen from outside; 0: the shell itself. */
static int side_corners(const ig_mesh *mesh, ig_lid element, int s, ig_lid node[4]) {
  ig_lid local;
  const ig_block *b = ig_mesh_element(mesh, element, &local);
  const ig_elem_info *info = ig_elem_info_get(b->type);
  const ig_lid *conn = b->conn + (size_t)local * (size_t)info->nodes;
  if (s == 0) {
    const int count = b->type == IG_TRI3 ? 3 : 4;
    for (int i = 0; i < count; i++)
      node[i] = conn[i];
    return count;
  }
  const int face = ig_elem_side(b->type, s);
  if (face < 0)
    return 0;
  const int count = ig_elem_face_distinct(b->type, face), *at = ig_elem_face(b->type, face);
  for (int i = 0; i < count; i++)
    node[i] = conn[at[i]];
  return count;
}

/* Sides all of whose corners are marked, sorted by corners. */
static ig_status sides_find(ig_ctx *cx, const ig_mesh *mesh, const uint8_t *mark, side **list,
                            int64_t *count) {
  const ig_lid elements = ig_mesh_elements(mesh);
  *count = 0;
  for (ig_lid e = 0; e < elements; e++) {
    ig_lid local;
    const ig_block *b = ig_mesh_element(mesh, e, &local);
    const int dim = ig_elem_info_get(b->type)->dim;
    for (int s = dim == 2 ? 0 : 1; dim > 1 && s <= (dim == 2 ? 0 : 6); s++) {
      ig_lid node[4];
      const int corners = side_corners(mesh, e, s, node);
      bool all = corners > 0;
      for (int i = 0; i < corners; i++)
        all = all && mark[node[i]];
      if (!all)
        continue;
      IG_TRY(IG_MORE(cx, list, *count, "sides"));
      side *one = &(*list)[(*count)++];
      *one = (side){.element = e, .side = (int8_t)s};
      corners_key(node, corners, one->corner);
    }
  }
  qsort(*list, (size_t)*count, sizeof **list, side_compare);
  return IG_OK;
}

/* Whether the corners of a side run as those of the segment. */
static bool same_turn(const ig_lid *a, const ig_lid *b, int count) {
  for (int i = 0; i < count; i++)
    if (b[i] == a[0])
      return b[(i + 1) % count] == a[1];
  return false;
}

/* The node with that number of the deck, -1: none. `by` is sorted by numbers. */
typedef struct {
  int64_t number;
  ig_lid node;
} numbered;

static int numbered_compare(const void *a, const void *b) {
  const numbered *p = a, *q = b;
  return p->number < q->number ? -1 : p->number > q->number;
}

static ig_lid node_find(const ig_mesh *mesh, const numbered *by, int64_t number) {
  const numbered key = {number, 0},
                 *found = bsearch(&key, by, (size_t)mesh->nodes, sizeof key, numbered_compare);
  return found ? found->node : -1;
}

static ig_status numbers_sort(ig_ctx *cx, const ig_mesh *mesh, numbered **by) {
  IG_TRY(IG_NEW(cx, by, mesh->nodes, "numbers"));
  for (ig_lid n = 0; n < mesh->nodes; n++)
    (*by)[n] = (numbered){mesh->node_number[n], n};
  qsort(*by, (size_t)mesh->nodes, sizeof **by, numbered_compare);
  return IG_OK;
}

/* Corners of a segment in the mesh; 0: a node is not there. */
static int segment_corners(const ig_mesh *mesh, const numbered *by,
                           const struct ig_dyna_segment *segment, ig_lid node[4]) {
  const bool triangle = segment->node[3] == 0 || segment->node[3] == segment->node[2];
  for (int i = 0; i < (triangle ? 3 : 4); i++)
    if ((node[i] = node_find(mesh, by, segment->node[i])) < 0)
      return 0;
  return triangle ? 3 : 4;
}

/* A set of the sides `s` that turn in one direction, and its load. Against the segment the pressure
   has the other sign: it acts against the segment's normal. */
static void press_put(ig_dyna *k, ig_src at, const side *match, int64_t count, int s, int turns,
                      const char *name, const ig_dyna_card *c, const ig_dyna_line *row,
                      double pressure, const ig_dyna_curve *curve) {
  char own[160];
  int64_t items = 0;
  snprintf(own, sizeof own, "%.60s line %d%s%s%.0d", name, at.line, turns > 0 ? "" : " reversed",
           s ? " side " : " shells", s);
  for (int64_t i = 0; i < count; i++) {
    if (match[i].side != s || match[i].turns != turns)
      continue;
    if (items++ == 0) {
      ig_import_put(&k->b, "{name: ");
      ig_import_name(&k->b, own);
      ig_import_put(&k->b, s ? ", of: faces, side: %d, numbers: [" : ", of: elements, numbers: [",
                    s);
    }
    ig_import_put(&k->b, "%s%lld", items > 1 ? ", " : "",
                  (long long)k->mesh->element_number[match[i].element]);
  }
  if (items == 0)
    return;
  ig_import_put(&k->b, "]}");
  ig_import_end(&k->b, "mesh.sets", true, at);
  ig_import_put(&k->b, "{set: ");
  ig_import_name(&k->b, own);
  ig_import_put(&k->b, ", pressure: ");
  ig_dyna_put(k, turns * pressure, -1, 1, -2);
  ig_dyna_history(k, c, row, curve);
  ig_import_put(&k->b, "}");
  ig_import_end(&k->b, "loads", true, at);
}

/* Each segment is the side of a solid, or a shell; of two solids that share it the one from which
   it is seen as it is written. */
static ig_status segments_match(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                                const struct ig_dyna_segment *segment, int64_t count,
                                const numbered *by, uint8_t *mark, side **sides, side *match) {
  ig_lid node[4], own[4];
  int64_t found = 0;
  for (int64_t i = 0; i < count; i++) {
    const int corners = segment_corners(k->mesh, by, &segment[i], node);
    if (corners == 0)
      ig_dyna_fail(k, c, row, "segment %lld %lld %lld %lld has a node that is not there",
                   (long long)segment[i].node[0], (long long)segment[i].node[1],
                   (long long)segment[i].node[2], (long long)segment[i].node[3]);
    for (int j = 0; j < corners; j++)
      mark[node[j]] = 1;
  }
  IG_TRY(k->b.status);
  IG_TRY(sides_find(k->b.d->cx, k->mesh, mark, sides, &found));
  for (int64_t i = 0; i < count; i++) {
    const int corners = segment_corners(k->mesh, by, &segment[i], node);
    side key = {.element = -1};
    corners_key(node, corners, key.corner);
    /* the first of its corners, by bisection */
    int64_t low = 0, high = found;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (side_compare(&(*sides)[middle], &key) < 0)
        low = middle + 1;
      else
        high = middle;
    }
    match[i] = (side){.element = -1};
    for (; low < found && memcmp((*sides)[low].corner, key.corner, sizeof key.corner) == 0; low++) {
      side_corners(k->mesh, (*sides)[low].element, (*sides)[low].side, own);
      const bool same = same_turn(node, own, corners);
      if (match[i].element < 0 || (same && match[i].turns < 0)) {
        match[i] = (*sides)[low];
        match[i].turns = same ? 1 : -1;
      }
    }
    if (match[i].element < 0) {
      ig_dyna_fail(k, c, row, "segment %lld %lld %lld %lld is no side of an element",
                   (long long)segment[i].node[0], (long long)segment[i].node[1],
                   (long long)segment[i].node[2], (long long)segment[i].node[3]);
      break;
    }
  }
  return k->b.status;
}

void ig_dyna_segments_press(ig_dyna *k, const ig_dyna_card *c, const ig_dyna_line *row,
                            const struct ig_dyna_segment *segment, int64_t count, const char *name,
                            double pressure, const ig_dyna_curve *curve) {
  ig_ctx *cx = k->b.d->cx;
  numbered *by = NULL;
  side *sides = NULL, *match = NULL;
  uint8_t *mark = NULL;
  if (k->b.status != IG_OK)
    return;
  ig_status status = numbers_sort(cx, k->mesh, &by);
  if (status == IG_OK)
    status = IG_NEW(cx, &mark, k->mesh->nodes, "segments");
  if (status == IG_OK)
    status = IG_NEW(cx, &match, count, "segments");
  if (status == IG_OK && !k->mesh->element_number)
    ig_dyna_fail(k, c, row, "elements were cut: segments cannot be found");
  if (status == IG_OK && k->b.status == IG_OK)
    status = segments_match(k, c, row, segment, count, by, mark, &sides, match);
  if (status != IG_OK && k->b.status == IG_OK)
    k->b.status = status;
  for (int s = 0; k->b.status == IG_OK && s <= 6; s++)
    for (int turns = 1; turns >= -1; turns -= 2)
      press_put(k, ig_dyna_at(c, row), match, count, s, turns, name, c, row, pressure, curve);
  free(by);
  free(mark);
  free(sides);
  free(match);
}

/* --- beams */

/* The part of third - first node that is normal to each beam; all beams of the part must have the
   same one. */
bool ig_dyna_beam_axis(ig_dyna *k, const ig_dyna_part *part, double axis[3]) {
  numbered *by = NULL;
  bool any = false, same = true;
  k->b.status = numbers_sort(k->b.d->cx, k->mesh, &by);
  for (ig_lid i = 0; k->b.status == IG_OK && same && i < part->set->count; i++) {
    ig_lid local;
    const ig_block *b = ig_mesh_element(k->mesh, part->set->item[i], &local);
    const ig_lid *conn = b->conn + 2 * (size_t)local;
    const int64_t number = k->mesh->element_number[part->set->item[i]] & IG_ID_MASK;
    ig_lid third = -1;
    for (int64_t j = 0; j < k->found.beams && third < 0; j++)
      if (k->found.beam[j].element == number)
        third = node_find(k->mesh, by, k->found.beam[j].third);
    if (third < 0) {
      same = false;
      break;
    }
    const double *x0 = k->mesh->x + 3 * (size_t)conn[0], *x1 = k->mesh->x + 3 * (size_t)conn[1],
                 *x2 = k->mesh->x + 3 * (size_t)third;
    double along = 0, length = 0, up[3], size = 0, off = 0;
    for (int d = 0; d < 3; d++) {
      along += (x1[d] - x0[d]) * (x2[d] - x0[d]);
      length += (x1[d] - x0[d]) * (x1[d] - x0[d]);
    }
    for (int d = 0; d < 3; d++) {
      up[d] = x2[d] - x0[d] - (x1[d] - x0[d]) * along / length;
      size += up[d] * up[d];
    }
    for (int d = 0; d < 3; d++) {
      up[d] /= sqrt(size);
      up[d] = fabs(up[d]) < 1e-12 ? 0 : up[d];
      off = any ? fmax(off, fabs(up[d] - axis[d])) : 0;
    }
    same = isfinite(size) && size > 0 && off < 1e-6;
    if (!any)
      memcpy(axis, up, sizeof up);
    any = true;
  }
  free(by);
  return any && same;
}
