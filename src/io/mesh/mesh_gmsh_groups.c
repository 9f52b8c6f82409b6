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

/* A group while its entities are visited. Marks are per node and per element; an element has at
   most 6 faces, so their bits fit into a byte. */
typedef struct {
  int dim;
  face_table *faces;
  uint8_t *node;  /* mark a node */
  uint8_t *cell;  /* bits of local faces, or 1 for the element */
  ig_lid orphans; /* faces of the group that bound no element */
} group;

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
      g->node[conn[a]] = 1;
    }
    if (g->dim == r->dim) {
      const ig_lid element = ig_gmsh_lookup(r->cell_of, r->cell_most, tag[e]);
      if (element < 0)
        return IG_FAIL(r->cx, IG_INPUT, "%s: a group names element %zu, which is not in the file",
                       r->path, tag[e]);
      memset(&g->cell[element], 1, r->children[tag[e]]);
    } else if (g->dim == r->dim - 1) {
      /* a quadrilateral of elements that were cut is two triangles, by either diagonal */
      static const int part[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
      const bool cut = r->split && kind->corners == 4;
      int found = 0;
      for (int k = 0; k < (cut ? 4 : 1); k++) {
        const ig_lid some[3] = {conn[part[k][0]], conn[part[k][1]], conn[part[k][2]]};
        const ig_lid face = face_find(r, g->faces, cut ? some : conn, cut ? 3 : kind->corners);
        if (face >= 0)
          g->cell[g->faces->element[face]] |= (uint8_t)(1 << g->faces->face[face]);
        found += face >= 0;
      }
      g->orphans += !found;
    }
  }
  return IG_OK;
}

/* A set from the marks; of faces one entry per bit. */
static ig_status set_of_marks(ig_gmsh_reader *r, const char *name, ig_set_kind kind,
                              const uint8_t *mark, ig_lid items) {
  ig_lid count = 0;
  for (ig_lid i = 0; i < items; i++)
    count += kind == IG_SET_FACES ? __builtin_popcount(mark[i]) : mark[i] != 0;
  ig_set *set;
  IG_TRY(ig_mesh_add_set(r->cx, r->mesh, name, kind, count, &set));
  ig_lid at = 0;
  for (ig_lid i = 0; i < items; i++)
    for (int f = 0; f < 8; f++) {
      if (!(mark[i] >> f & 1))
        continue;
      set->item[at] = i;
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
      g->node[n] = 1;
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
        g->node[n] = 1;
    }
  ig_gmsh_list_free(&l);
}

/* Names longer than 53 letters would not survive in result files, so such groups are numbered
   instead. A physical group becomes a set of elements, faces or nodes by its dimension. Groups
   without a name are called by dimension and number; slashes are replaced. */
static ig_status group_read(ig_gmsh_reader *r, int dim, int number, group *g) {
  int *entity = NULL, ierr = 0;
  size_t entities = 0;
  char *given = NULL, name[54];
  ig_gmsh.ModelGetPhysicalName(dim, number, &given, &ierr);
  /* A group without a name, or with one that is too long, is named by dimension and number. */
  if (given && *given && strlen(given) < sizeof name)
    snprintf(name, sizeof name, "%s", given);
  else
    snprintf(name, sizeof name, "group_%d_%d", dim, number);
  for (char *c = name; *c; c++)
    *c = *c == '/' ? '_' : *c;
  ig_gmsh.Free(given);
  ig_gmsh.ModelGetEntitiesForPhysicalGroup(dim, number, &entity, &entities, &ierr);
  ig_status status = ierr ? ig_gmsh_failed(r, "Gmsh cannot list a physical group") : IG_OK;
  /* The masks are used again for each group. */
  const ig_lid elements = ig_mesh_elements(r->mesh);
  memset(g->node, 0, (size_t)r->mesh->nodes);
  memset(g->cell, 0, (size_t)elements);
  g->dim = dim;
  g->orphans = 0;
  for (size_t i = 0; i < entities && status == IG_OK; i++)
    if (dim > 0)
      status = ig_gmsh_elements_each(r, dim, entity[i], group_take, g);
    else
      points_take(r, entity[i], g);
  ig_gmsh.Free(entity);
  if (status == IG_OK && g->orphans)
    ig_warn(r->cx, "%s: %d faces of group '%s' bound no element and are left out", r->path,
            g->orphans, name);
  if (status != IG_OK || dim > r->dim)
    return status;
  /* one name may serve groups of several dimensions; the highest keeps the node set */
  if (!ig_mesh_find_set(r->mesh, name, IG_SET_NODES))
    IG_TRY(set_of_marks(r, name, IG_SET_NODES, g->node, r->mesh->nodes));
  if (dim == r->dim && !ig_mesh_find_set(r->mesh, name, IG_SET_ELEMENTS)) {
    IG_TRY(set_of_marks(r, name, IG_SET_ELEMENTS, g->cell, elements));
    ig_lid element = 0;
    for (int b = 0; b < r->mesh->blocks; b++)
      for (ig_lid e = 0; e < r->mesh->block[b].count; e++, element++)
        if (g->cell[element])
          r->mesh->block[b].tag[e] = number;
  }
  if (dim == r->dim - 1 && dim > 0 && !ig_mesh_find_set(r->mesh, name, IG_SET_FACES))
    IG_TRY(set_of_marks(r, name, IG_SET_FACES, g->cell, elements));
  return IG_OK;
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
  if (status == IG_OK)
    status = IG_NEW(r->cx, &g.node, r->mesh->nodes, "groups");
  if (status == IG_OK)
    status = IG_NEW(r->cx, &g.cell, ig_mesh_elements(r->mesh), "groups");
  for (int dim = 3; dim >= 0; dim--)
    for (size_t i = 0; i + 1 < numbers && status == IG_OK; i += 2)
      if (pair[i] == dim)
        status = group_read(r, dim, pair[i + 1], &g);
  ig_gmsh.Free(pair);
  free(g.node);
  free(g.cell);
  face_table_free(&faces);
  return status;
}

#endif
