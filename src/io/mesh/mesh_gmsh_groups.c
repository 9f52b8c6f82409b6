/* Physical groups of a file that Gmsh has read: an element set in the highest dimension, a face set
   and a node set one below, a node set further down. Gmsh lists the faces of a group as elements of
   lower dimension; here they are matched with faces of the solid elements by their nodes. */
#include "mesh/topology.h"

#ifdef INGOT_HAVE_GMSH

#include "io/mesh/mesh_gmsh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Faces of the mesh, grouped by their lowest node (linked lists). */
typedef struct {
  ig_lid *head, *next; /* face id + 1 */
  ig_lid count;
  ig_lid *element;
  uint8_t *face;
} face_table;

/* Safe after a failure half way. */
static void face_table_free(face_table *t) {
  free(t->head);
  free(t->next);
  free(t->element);
  free(t->face);
}

/* All faces of all elements, in lists by their lowest node: a face is then found among few. */
static ig_status face_table_make(ig_gmsh_reader *r, face_table *t) {
  int64_t faces = 0;
  for (int b = 0; b < r->mesh->blocks; b++)
    faces += (int64_t)r->mesh->block[b].count * ig_elem_info_get(r->mesh->block[b].type)->faces;
  if (faces > INT32_MAX)
    return IG_FAIL(r->cx, IG_INPUT, "%s: more faces than can be numbered", r->path);
  IG_TRY(IG_NEW(r->cx, &t->head, r->mesh->nodes, "faces"));
  IG_TRY(IG_NEW(r->cx, &t->next, faces, "faces"));
  IG_TRY(IG_NEW(r->cx, &t->element, faces, "faces"));
  IG_TRY(IG_NEW(r->cx, &t->face, faces, "faces"));
  /* Lists through `next`, with heads by node; 0 ends a list, so entries count from 1. */
  ig_lid element = 0;
  for (int b = 0; b < r->mesh->blocks; b++) {
    const ig_block *block = &r->mesh->block[b];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    const int corners = ig_elem_face_corners(info);
    for (ig_lid e = 0; e < block->count; e++, element++)
      for (int f = 0; f < info->faces; f++) {
        const int *local = ig_elem_face(block->type, f);
        const ig_lid *conn = block->conn + (size_t)e * (size_t)info->nodes;
        ig_lid low = conn[local[0]];
        for (int a = 1; a < corners; a++)
          low = conn[local[a]] < low ? conn[local[a]] : low;
        t->element[t->count] = element;
        t->face[t->count] = (uint8_t)f;
        t->next[t->count] = t->head[low];
        t->head[low] = ++t->count;
      }
  }
  return IG_OK;
}

/* Whether face f has exactly these corner nodes, in any order. */
static bool face_is(const ig_gmsh_reader *r, const face_table *t, ig_lid f, const ig_lid *node,
                    int corners) {
  ig_lid e;
  const ig_block *block = ig_mesh_element(r->mesh, t->element[f], &e);
  const size_t npe = (size_t)ig_elem_info_get(block->type)->nodes;
  const int *local = ig_elem_face(block->type, t->face[f]);
  if (ig_elem_face_distinct(block->type, t->face[f]) != corners)
    return false;
  int found = 0;
  for (int a = 0; a < corners; a++)
    for (int b = 0; b < corners; b++)
      found += block->conn[(size_t)e * npe + (size_t)local[a]] == node[b];
  return found == corners;
}

/* The face with these corner nodes; -1: none. */
static ig_lid face_find(const ig_gmsh_reader *r, const face_table *t, const ig_lid *node,
                        int corners) {
  ig_lid low = node[0];
  for (int a = 1; a < corners; a++)
    low = node[a] < low ? node[a] : low;
  for (ig_lid f = t->head[low]; f; f = t->next[f - 1])
    if (face_is(r, t, f - 1, node, corners))
      return f - 1;
  return -1;
}

/* Nodes or elements of a group: a mark for each of all, and a list of those that have one. A group
   costs what it holds, not what the mesh holds: there may be as many groups as elements. */
typedef struct {
  uint8_t *mark; /* 1; of a group of faces the bits of an element's local faces */
  ig_lid *list, count;
} marked;

static void mark_set(marked *m, ig_lid item, uint8_t bits) {
  if (!m->mark[item])
    m->list[m->count++] = item;
  m->mark[item] |= bits;
}

static void marked_clear(marked *m) {
  for (ig_lid i = 0; i < m->count; i++)
    m->mark[m->list[i]] = 0;
  m->count = 0;
}

/* A group while its entities are visited. An element has at most 6 faces: their bits fit into a
   byte. */
typedef struct {
  int dim;
  face_table *faces;
  marked node, cell;
  ig_lid orphans; /* faces of the group that bound no element */
} group;

/* One entity of a physical group. */
typedef struct {
  int dim, number, entity;
} member;

static int member_compare(const void *a, const void *b) {
  const member *x = a, *y = b;
  const int dim = (x->dim > y->dim) - (x->dim < y->dim);
  return dim ? dim : (x->number > y->number) - (x->number < y->number);
}

/* Called per element type. In the top dimension marks elements (all children of a cut one), one
   below marks faces. */
static ig_status group_take(ig_gmsh_reader *r, const ig_gmsh_elem *kind, size_t count,
                            const size_t *tag, const size_t *node, void *user) {
  group *g = user;
  const size_t npe = kind->nodes;
  for (size_t e = 0; e < count; e++) {
    ig_lid conn[IG_CELL_MOST_NODES];
    for (size_t a = 0; a < npe; a++) {
      conn[a] = ig_gmsh_lookup(r->node_of, r->node_most, node[e * npe + a]);
      if (conn[a] < 0)
        return IG_FAIL(r->cx, IG_INPUT, "%s: element %zu uses node %zu, which is not in the file",
                       r->path, tag[e], node[e * npe + a]);
      mark_set(&g->node, conn[a], 1);
    }
    if (g->dim == r->dim) {
      const ig_lid element = ig_gmsh_lookup(r->cell_of, r->cell_most, tag[e]);
      if (element < 0)
        return IG_FAIL(r->cx, IG_INPUT, "%s: a group names element %zu, which is not in the file",
                       r->path, tag[e]);
      for (int k = 0; k < r->children[tag[e]]; k++)
        mark_set(&g->cell, element + k, 1);
    } else if (g->dim == r->dim - 1) {
      /* a quadrilateral of elements that were cut is two triangles, by either diagonal */
      static const int part[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
      const bool cut = r->split && kind->corners == 4;
      int found = 0;
      for (int k = 0; k < (cut ? 4 : 1); k++) {
        const ig_lid some[3] = {conn[part[k][0]], conn[part[k][1]], conn[part[k][2]]};
        const ig_lid face = face_find(r, g->faces, cut ? some : conn, cut ? 3 : kind->corners);
        if (face >= 0)
          mark_set(&g->cell, g->faces->element[face], (uint8_t)(1 << g->faces->face[face]));
        found += face >= 0;
      }
      g->orphans += !found;
    }
  }
  return IG_OK;
}

/* A set from the marks; of faces one entry per bit. */
static ig_status set_of_marks(ig_gmsh_reader *r, const char *name, ig_set_kind kind, marked *m) {
  ig_lid count = 0;
  ig_lids_sort(m->list, m->count);
  for (ig_lid i = 0; i < m->count; i++)
    count += __builtin_popcount(m->mark[m->list[i]]);
  ig_set *set;
  IG_TRY(ig_mesh_add_set(r->cx, r->mesh, name, kind, count, &set));
  ig_lid at = 0;
  for (ig_lid i = 0; i < m->count; i++)
    for (int f = 0; f < 8; f++) {
      if (!(m->mark[m->list[i]] >> f & 1))
        continue;
      set->item[at] = m->list[i];
      if (set->face)
        set->face[at] = (uint8_t)f;
      at++;
    }
  return IG_OK;
}

/* Nodes of a group of points: those that lie on the point, and those named by point elements. Nodes
   of a point entity, into the mask of the group. */
static void points_take(ig_gmsh_reader *r, int entity, group *g) {
  size_t *tag = NULL, count = 0, coordinates = 0, parameters = 0;
  double *x = NULL, *p = NULL;
  int ierr = 0;
  ig_gmsh.ModelMeshGetNodes(&tag, &count, &x, &coordinates, &p, &parameters, 0, entity, 0, 0,
                            &ierr);
  for (size_t k = 0; !ierr && k < count; k++) {
    const ig_lid n = ig_gmsh_lookup(r->node_of, r->node_most, tag[k]);
    if (n >= 0)
      mark_set(&g->node, n, 1);
  }
  ig_gmsh.Free(tag);
  ig_gmsh.Free(x);
  ig_gmsh.Free(p);
  ig_gmsh_listed l;
  ierr = ig_gmsh_list(0, entity, &l);
  for (size_t i = 0; !ierr && i < l.nodes; i++)
    for (size_t k = 0; k < l.node_count[i]; k++) {
      const ig_lid n = ig_gmsh_lookup(r->node_of, r->node_most, l.node[i][k]);
      if (n >= 0)
        mark_set(&g->node, n, 1);
    }
  ig_gmsh_list_free(&l);
}

/* The sets of a group whose entities have been marked. */
static ig_status group_sets(ig_gmsh_reader *r, const char *name, int number, group *g) {
  /* one name may serve groups of several dimensions; the highest keeps the node set */
  if (!ig_mesh_find_set(r->mesh, name, IG_SET_NODES))
    IG_TRY(set_of_marks(r, name, IG_SET_NODES, &g->node));
  if (g->dim == r->dim && !ig_mesh_find_set(r->mesh, name, IG_SET_ELEMENTS)) {
    IG_TRY(set_of_marks(r, name, IG_SET_ELEMENTS, &g->cell));
    for (ig_lid i = 0; i < g->cell.count; i++) {
      ig_lid local;
      const ig_block *block = ig_mesh_element(r->mesh, g->cell.list[i], &local);
      block->tag[local] = number;
    }
  }
  if (g->dim == r->dim - 1 && g->dim > 0 && !ig_mesh_find_set(r->mesh, name, IG_SET_FACES))
    IG_TRY(set_of_marks(r, name, IG_SET_FACES, &g->cell));
  return IG_OK;
}

/* of: its entities, `count` of them. Names longer than 53 letters would not survive in result
   files: such groups are numbered instead. */
static ig_status group_read(ig_gmsh_reader *r, int dim, int number, const member *of, size_t count,
                            group *g) {
  int ierr = 0;
  char *given = NULL, name[54];
  ig_gmsh.ModelGetPhysicalName(dim, number, &given, &ierr);
  const char *ours = ig_gmsh_names_find(&r->names, dim, number), *known = ours ? ours : given;
  /* A group without a name, or with one that is too long, is named by dimension and number. */
  if (known && *known && strlen(known) < sizeof name)
    snprintf(name, sizeof name, "%s", known);
  else
    snprintf(name, sizeof name, "group_%d_%d", dim, number);
  for (char *c = name; *c; c++)
    *c = *c == '/' ? '_' : *c;
  ig_gmsh.Free(given);
  ig_status status = IG_OK;
  g->dim = dim;
  g->orphans = 0;
  for (size_t i = 0; i < count && status == IG_OK; i++)
    if (dim > 0)
      status = ig_gmsh_elements_each(r, dim, of[i].entity, group_take, g);
    else
      points_take(r, of[i].entity, g);
  if (status == IG_OK && g->orphans)
    ig_warn(r->cx, "%s: %d faces of group '%s' bound no element and are left out", r->path,
            g->orphans, name);
  if (status == IG_OK && dim <= r->dim)
    status = group_sets(r, name, number, g);
  marked_clear(&g->node);
  marked_clear(&g->cell);
  return status;
}

/* All entities with their groups, by dimension and number. To ask for the entities of one group
   goes through all of them each time. */
static ig_status members_list(ig_gmsh_reader *r, member **list, size_t *count) {
  int *pair = NULL, ierr = 0;
  size_t numbers = 0;
  ig_status status = IG_OK;
  ig_gmsh.ModelGetEntities(&pair, &numbers, -1, &ierr);
  for (size_t i = 0; !ierr && status == IG_OK && i + 1 < numbers; i += 2) {
    int *number = NULL;
    size_t groups = 0;
    ig_gmsh.ModelGetPhysicalGroupsForEntity(pair[i], pair[i + 1], &number, &groups, &ierr);
    for (size_t k = 0; !ierr && status == IG_OK && k < groups; k++) {
      status = IG_MORE(r->cx, list, *count, "groups");
      if (status == IG_OK) /* a negative number: the entity is reversed */
        (*list)[(*count)++] = (member){pair[i], abs(number[k]), pair[i + 1]};
    }
    ig_gmsh.Free(number);
  }
  ig_gmsh.Free(pair);
  if (status == IG_OK && ierr)
    status = ig_gmsh_failed(r, "Gmsh cannot list the physical groups");
  if (*count)
    qsort(*list, *count, sizeof **list, member_compare);
  return status;
}

static ig_status marked_new(ig_ctx *cx, marked *m, ig_lid items) {
  IG_TRY(IG_NEW(cx, &m->mark, items, "groups"));
  return IG_NEW(cx, &m->list, items, "groups");
}

static void marked_free(marked *m) {
  free(m->mark);
  free(m->list);
}

/* Highest dimension first, because the first group of a name keeps it. The table of faces is made
   once for all groups, and only if there are any. */
ig_status ig_gmsh_groups_read(ig_gmsh_reader *r) {
  int *pair = NULL, ierr = 0;
  size_t numbers = 0;
  ig_gmsh.ModelGetPhysicalGroups(&pair, &numbers, -1, &ierr);
  ig_status status = ierr ? ig_gmsh_failed(r, "Gmsh cannot list the physical groups") : IG_OK;
  face_table faces = {0};
  group g = {.faces = &faces};
  if (status == IG_OK && numbers)
    status = face_table_make(r, &faces);
  member *all = NULL;
  size_t members = 0;
  if (status == IG_OK)
    status = marked_new(r->cx, &g.node, r->mesh->nodes);
  if (status == IG_OK)
    status = marked_new(r->cx, &g.cell, ig_mesh_elements(r->mesh));
  if (status == IG_OK && numbers)
    status = members_list(r, &all, &members);
  for (int dim = 3; dim >= 0; dim--)
    for (size_t i = 0; i + 1 < numbers && status == IG_OK; i += 2) {
      const member key = {dim, pair[i + 1], 0};
      if (pair[i] != dim)
        continue;
      member *first = members ? bsearch(&key, all, members, sizeof key, member_compare) : NULL,
             *end = first;
      while (first && first > all && member_compare(first - 1, &key) == 0)
        first--;
      while (end && end < all + members && member_compare(end, &key) == 0)
        end++;
      status = group_read(r, dim, pair[i + 1], first, (size_t)(end - first), &g);
    }
  ig_gmsh.Free(pair);
  free(all);
  marked_free(&g.node);
  marked_free(&g.cell);
  face_table_free(&faces);
  return status;
}

#endif
