/* Gmsh's own library reads .msh files and meshes geometry. Elements of the highest dimension become
   blocks; a physical group becomes an element set in that dimension, a face set and a node set one
   below, a node set further down. */
#include "io/geo_check.h"
#include "io/mesh_io.h"
#include "mesh/topology.h"

#ifndef INGOT_HAVE_GMSH

ig_status ig_mesh_read_gmsh(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                            ig_mesh **mesh) {
  (void)options;
  *mesh = NULL;
  return IG_FAIL(cx, IG_UNSUPPORTED,
                 "%s: Gmsh is not compiled in: install libgmsh-dev and configure with "
                 "INGOT_GMSH=ON, or convert the mesh to .inp or .vtk",
                 path);
}

#else

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <gmshc.h>

#define MOST_ELEMENTS 1e8 /* what Gmsh is asked to make */

/* Gmsh's state is global. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* It brings a hundred libraries along, so it is loaded by the first file that needs it, not by
   every start of the program. */
#define GMSH_LIST(X)                                                                               \
  X(Finalize)                                                                                      \
  X(Free)                                                                                          \
  X(Initialize)                                                                                    \
  X(LoggerGetLastError)                                                                            \
  X(ModelGetBoundingBox)                                                                           \
  X(ModelGetDimension)                                                                             \
  X(ModelGetEntitiesForPhysicalGroup)                                                              \
  X(ModelGetPhysicalGroups)                                                                        \
  X(ModelGetPhysicalName)                                                                          \
  X(ModelMeshGenerate)                                                                             \
  X(ModelMeshGetElementProperties)                                                                 \
  X(ModelMeshGetElements)                                                                          \
  X(ModelMeshGetNodes)                                                                             \
  X(Open)                                                                                          \
  X(OptionGetString)                                                                               \
  X(OptionSetNumber)
static struct {
  void *library;
#define X(name) __typeof__(gmsh##name) *name;
  GMSH_LIST(X)
#undef X
} api;

/* With the lock held. */
static ig_status api_load(ig_ctx *cx, const char *path) {
  if (api.library)
    return IG_OK;
  void *library = dlopen(INGOT_GMSH_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    library = dlopen(INGOT_GMSH_FILE, RTLD_NOW | RTLD_LOCAL);
  bool whole = library != NULL;
#define X(name)                                                                                    \
  *(void **)&api.name = library ? dlsym(library, "gmsh" #name) : NULL;                             \
  whole = whole && api.name;
  GMSH_LIST(X)
#undef X
  if (!whole) {
    const char *why = dlerror();
    const ig_status status =
        IG_FAIL(cx, IG_UNSUPPORTED, "%s: Gmsh's library (%s) does not load: %s", path,
                INGOT_GMSH_SONAME, why ? why : "it lacks a function");
    if (library)
      dlclose(library);
    return status;
  }
  api.library = library;
  return IG_OK;
}

typedef struct {
  ig_ctx *cx;
  const char *path;
  int dim;                      /* of the elements that become blocks */
  size_t *node_tag, node_count; /* Gmsh's numbers, rising order not promised */
  ig_lid *node_of, node_most;   /* Gmsh's number -> ours, -1: none */
  ig_lid *cell_of, cell_most;
  ig_mesh *mesh;
} reader;

static ig_status failed(reader *r, const char *what) {
  char *error = NULL;
  int ierr;
  api.LoggerGetLastError(&error, &ierr);
  const ig_status status = IG_FAIL(r->cx, IG_INPUT, "%s: %s%s%.800s", r->path, what,
                                   error && *error ? ": " : "", error ? error : "");
  api.Free(error);
  return status;
}

/* `type` is IG_ELEM_TYPES for what can only be a face of others. */
typedef struct {
  int gmsh;
  ig_elem_type type;
  size_t nodes;
  int corners;
} elem;
static const elem elems[] = {
    {1, IG_BEAM2, 2, 2},      {2, IG_TRI3, 3, 3}, {9, IG_TRI6, 6, 3},    {3, IG_QUAD4, 4, 4},
    {8, IG_ELEM_TYPES, 3, 2}, {4, IG_TET4, 4, 4}, {11, IG_TET10, 10, 4}, {5, IG_HEX8, 8, 8},
};

static const elem *elem_of(int gmsh) {
  for (size_t i = 0; i < sizeof elems / sizeof *elems; i++)
    if (elems[i].gmsh == gmsh)
      return &elems[i];
  return NULL;
}

static ig_lid lookup(const ig_lid *of, ig_lid most, size_t tag) {
  return tag <= (size_t)most ? of[tag] : -1;
}

/* --- nodes */

static ig_status nodes_read(reader *r) {
  double *x = NULL, *parameters = NULL;
  size_t coordinates = 0, none = 0, most = 0;
  int ierr = 0;
  api.ModelMeshGetNodes(&r->node_tag, &r->node_count, &x, &coordinates, &parameters, &none, -1, -1,
                        0, 0, &ierr);
  api.Free(parameters);
  ig_status status = IG_OK;
  if (ierr)
    status = failed(r, "Gmsh cannot list the nodes");
  else if (r->node_count == 0 || coordinates != 3 * r->node_count)
    status = IG_FAIL(r->cx, IG_INPUT, "%s: the file holds no mesh nodes", r->path);
  for (size_t i = 0; i < r->node_count; i++)
    most = r->node_tag[i] > most ? r->node_tag[i] : most;
  if (status == IG_OK && (most > INT32_MAX - 1 || r->node_count > INT32_MAX))
    status = IG_FAIL(r->cx, IG_INPUT, "%s: node number %zu is beyond %d: renumber the mesh",
                     r->path, most, INT32_MAX);
  if (status == IG_OK)
    status = IG_NEW(r->cx, &r->node_of, most + 1, "node numbers");
  if (status == IG_OK) {
    r->node_most = (ig_lid)most;
    for (size_t i = 0; i <= most; i++)
      r->node_of[i] = -1;
    status = ig_mesh_new(r->cx, 3, (ig_lid)r->node_count, &r->mesh);
  }
  for (size_t i = 0; status == IG_OK && i < r->node_count; i++) {
    r->node_of[r->node_tag[i]] = (ig_lid)i;
    memcpy(r->mesh->x + 3 * i, x + 3 * i, 3 * sizeof *x);
  }
  api.Free(x);
  return status;
}

/* --- elements of one entity or of all (tag -1), handed to `take` type by type */

typedef ig_status take_fn(reader *r, const elem *kind, size_t count, const size_t *tag,
                          const size_t *node, void *user);

static ig_status elements_each(reader *r, int dim, int entity, take_fn *take, void *user) {
  int *type = NULL, ierr = 0;
  size_t count = 0, **tag = NULL, *tag_count = NULL, tags = 0, **node = NULL, *node_count = NULL,
         nodes = 0;
  api.ModelMeshGetElements(&type, &count, &tag, &tag_count, &tags, &node, &node_count, &nodes, dim,
                           entity, &ierr);
  ig_status status = ierr ? failed(r, "Gmsh cannot list the elements") : IG_OK;
  for (size_t i = 0; i < count && status == IG_OK; i++) {
    const elem *kind = elem_of(type[i]);
    if (!kind || (kind->type == IG_ELEM_TYPES && dim == r->dim)) {
      if (dim == r->dim) {
        char *name = NULL;
        int d, order, n, primary, e = 0;
        double *local = NULL;
        size_t local_count = 0;
        api.ModelMeshGetElementProperties(type[i], &name, &d, &order, &n, &local, &local_count,
                                          &primary, &e);
        status = IG_FAIL(r->cx, IG_INPUT,
                         "%s: the mesh has elements of Gmsh type %d (%s): expected lines, "
                         "triangles, quadrilaterals, tetrahedra or hexahedra",
                         r->path, type[i], e == 0 && name ? name : "unknown");
        api.Free(name);
        api.Free(local);
      }
      continue;
    }
    if (node_count[i] != tag_count[i] * kind->nodes)
      status = IG_FAIL(r->cx, IG_INPUT, "%s: elements of Gmsh type %d have a wrong number of nodes",
                       r->path, type[i]);
    else
      status = take(r, kind, tag_count[i], tag[i], node[i], user);
  }
  for (size_t i = 0; i < tags; i++)
    api.Free(tag[i]);
  for (size_t i = 0; i < nodes; i++)
    api.Free(node[i]);
  api.Free(type);
  api.Free(tag);
  api.Free(tag_count);
  api.Free(node);
  api.Free(node_count);
  return status;
}

/* All elements of the top dimension, kept until blocks can be made of them. */
typedef struct {
  size_t count, corners;
  uint8_t *type;
  size_t *tag;
  int64_t *offset;
  ig_lid *corner;
} bulk;

static ig_status bulk_take(reader *r, const elem *kind, size_t count, const size_t *tag,
                           const size_t *node, void *user) {
  bulk *b = user;
  const size_t npe = kind->nodes;
  const size_t cells = b->count + count, corners = b->corners + count * npe;
  if (cells > INT32_MAX || corners > INT32_MAX)
    return IG_FAIL(r->cx, IG_INPUT, "%s: more elements than one mesh can number", r->path);
  uint8_t *types_now = realloc(b->type, cells);
  b->type = types_now ? types_now : b->type;
  size_t *tags = realloc(b->tag, cells * sizeof *tags);
  b->tag = tags ? tags : b->tag;
  int64_t *offset = realloc(b->offset, (cells + 1) * sizeof *offset);
  b->offset = offset ? offset : b->offset;
  ig_lid *corner = realloc(b->corner, corners * sizeof *corner);
  b->corner = corner ? corner : b->corner;
  if (count && (!types_now || !tags || !offset || !corner))
    return IG_FAIL(r->cx, IG_MEMORY, "no memory for the elements of %s", r->path);
  for (size_t e = 0; e < count; e++) {
    b->type[b->count] = (uint8_t)kind->type;
    b->tag[b->count] = tag[e];
    b->offset[b->count++] = (int64_t)b->corners;
    for (size_t a = 0; a < npe; a++) {
      /* Gmsh numbers the last two edges of a tetrahedron the other way round */
      const size_t from = kind->type == IG_TET10 && a >= 8 ? 17 - a : a;
      const ig_lid n = lookup(r->node_of, r->node_most, node[e * npe + from]);
      if (n < 0)
        return IG_FAIL(r->cx, IG_INPUT, "%s: element %zu uses node %zu, which is not in the file",
                       r->path, tag[e], node[e * npe + from]);
      b->corner[b->corners++] = n;
    }
    b->offset[b->count] = (int64_t)b->corners;
  }
  return IG_OK;
}

static ig_status blocks_make(reader *r, bulk *b) {
  ig_lid *number;
  size_t most = 0;
  unsigned seen = 0;
  for (size_t i = 0; i < b->count; i++) {
    most = b->tag[i] > most ? b->tag[i] : most;
    seen |= 1u << b->type[i];
  }
  if (most > INT32_MAX - 1)
    return IG_FAIL(r->cx, IG_INPUT, "%s: element number %zu is beyond %d: renumber the mesh",
                   r->path, most, INT32_MAX);
  r->mesh->dim = ig_mesh_infer_dim(r->mesh->x, r->mesh->nodes, seen);
  IG_TRY(IG_NEW(r->cx, &r->cell_of, most + 1, "element numbers"));
  r->cell_most = (ig_lid)most;
  IG_TRY(IG_NEW(r->cx, &number, b->count, "element numbers"));
  const ig_cells cells = {(ig_lid)b->count, b->type, b->offset, b->corner, NULL, false, NULL};
  const ig_status status = ig_mesh_add_cells(r->cx, r->mesh, &cells, number);
  for (size_t i = 0; i <= most; i++)
    r->cell_of[i] = -1;
  for (size_t i = 0; status == IG_OK && i < b->count; i++)
    r->cell_of[b->tag[i]] = number[i];
  free(number);
  return status;
}

static ig_status elements_read(reader *r) {
  for (r->dim = 3; r->dim >= 1; r->dim--) {
    bulk b = {0};
    ig_status status = elements_each(r, r->dim, -1, bulk_take, &b);
    const bool found = b.count > 0;
    if (status == IG_OK && found)
      status = blocks_make(r, &b);
    free(b.type);
    free(b.tag);
    free(b.offset);
    free(b.corner);
    if (status != IG_OK || found)
      return status;
  }
  return IG_FAIL(r->cx, IG_INPUT,
                 "%s: the file holds no elements: mesh it first, or give a "
                 "geometry file",
                 r->path);
}

/* --- groups */

/* Faces of the mesh by their corner nodes: chains at the lowest node. */
typedef struct {
  ig_lid *head, *next; /* face id + 1 */
  ig_lid count;
  ig_lid *element;
  uint8_t *face;
} face_table;

static void face_table_free(face_table *t) {
  free(t->head);
  free(t->next);
  free(t->element);
  free(t->face);
}

static ig_status face_table_make(reader *r, face_table *t) {
  int64_t faces = 0;
  for (int b = 0; b < r->mesh->blocks; b++)
    faces += (int64_t)r->mesh->block[b].count * ig_elem_info_get(r->mesh->block[b].type)->faces;
  if (faces > INT32_MAX)
    return IG_FAIL(r->cx, IG_INPUT, "%s: more faces than can be numbered", r->path);
  IG_TRY(IG_NEW(r->cx, &t->head, r->mesh->nodes, "faces"));
  IG_TRY(IG_NEW(r->cx, &t->next, faces, "faces"));
  IG_TRY(IG_NEW(r->cx, &t->element, faces, "faces"));
  IG_TRY(IG_NEW(r->cx, &t->face, faces, "faces"));
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

/* The face with these corner nodes, -1: none. */
static ig_lid face_find(const reader *r, const face_table *t, const ig_lid *node, int corners) {
  ig_lid low = node[0];
  for (int a = 1; a < corners; a++)
    low = node[a] < low ? node[a] : low;
  for (ig_lid f = t->head[low]; f; f = t->next[f - 1]) {
    ig_lid e;
    const ig_block *block = ig_mesh_element(r->mesh, t->element[f - 1], &e);
    const ig_elem_info *info = ig_elem_info_get(block->type);
    const int *local = ig_elem_face(block->type, t->face[f - 1]);
    if (ig_elem_face_corners(info) != corners)
      continue;
    int found = 0;
    for (int a = 0; a < corners; a++)
      for (int b = 0; b < corners; b++)
        found += block->conn[(size_t)e * (size_t)info->nodes + (size_t)local[a]] == node[b];
    if (found == corners)
      return f - 1;
  }
  return -1;
}

/* A group while its entities are gone through. */
typedef struct {
  int dim;
  face_table *faces;
  uint8_t *node;  /* mark a node */
  uint8_t *cell;  /* bits of local faces, or 1 for the element */
  ig_lid orphans; /* faces of the group that bound no element */
} group;

static ig_status group_take(reader *r, const elem *kind, size_t count, const size_t *tag,
                            const size_t *node, void *user) {
  group *g = user;
  const size_t npe = kind->nodes;
  for (size_t e = 0; e < count; e++) {
    ig_lid conn[10];
    for (size_t a = 0; a < npe; a++) {
      conn[a] = lookup(r->node_of, r->node_most, node[e * npe + a]);
      if (conn[a] < 0)
        return IG_FAIL(r->cx, IG_INPUT, "%s: element %zu uses node %zu, which is not in the file",
                       r->path, tag[e], node[e * npe + a]);
      g->node[conn[a]] = 1;
    }
    if (g->dim == r->dim) {
      const ig_lid element = lookup(r->cell_of, r->cell_most, tag[e]);
      if (element < 0)
        return IG_FAIL(r->cx, IG_INPUT, "%s: a group names element %zu, which is not in the file",
                       r->path, tag[e]);
      g->cell[element] = 1;
    } else if (g->dim == r->dim - 1) {
      const ig_lid face = face_find(r, g->faces, conn, kind->corners);
      if (face < 0)
        g->orphans++;
      else
        g->cell[g->faces->element[face]] |= (uint8_t)(1 << g->faces->face[face]);
    }
  }
  return IG_OK;
}

static ig_status set_of_marks(reader *r, const char *name, ig_set_kind kind, const uint8_t *mark,
                              ig_lid items) {
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

static ig_status group_read(reader *r, int dim, int number, group *g) {
  int *entity = NULL, ierr = 0;
  size_t entities = 0;
  char *given = NULL, name[54];
  api.ModelGetPhysicalName(dim, number, &given, &ierr);
  if (given && *given && strlen(given) < sizeof name)
    snprintf(name, sizeof name, "%s", given);
  else
    snprintf(name, sizeof name, "group_%d_%d", dim, number);
  for (char *c = name; *c; c++)
    *c = *c == '/' ? '_' : *c;
  api.Free(given);
  api.ModelGetEntitiesForPhysicalGroup(dim, number, &entity, &entities, &ierr);
  ig_status status = ierr ? failed(r, "Gmsh cannot list a physical group") : IG_OK;
  const ig_lid elements = ig_mesh_elements(r->mesh);
  memset(g->node, 0, (size_t)r->mesh->nodes);
  memset(g->cell, 0, (size_t)elements);
  g->dim = dim;
  g->orphans = 0;
  for (size_t i = 0; i < entities && status == IG_OK; i++) {
    if (dim > 0) {
      status = elements_each(r, dim, entity[i], group_take, g);
      continue;
    }
    size_t *tag = NULL, count = 0, coordinates = 0, parameters = 0;
    double *x = NULL, *p = NULL;
    api.ModelMeshGetNodes(&tag, &count, &x, &coordinates, &p, &parameters, 0, entity[i], 0, 0,
                          &ierr);
    for (size_t k = 0; !ierr && k < count; k++) {
      const ig_lid n = lookup(r->node_of, r->node_most, tag[k]);
      if (n >= 0)
        g->node[n] = 1;
    }
    api.Free(tag);
    api.Free(x);
    api.Free(p);
  }
  api.Free(entity);
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

static ig_status groups_read(reader *r) {
  int *pair = NULL, ierr = 0;
  size_t numbers = 0;
  api.ModelGetPhysicalGroups(&pair, &numbers, -1, &ierr);
  ig_status status = ierr ? failed(r, "Gmsh cannot list the physical groups") : IG_OK;
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
  api.Free(pair);
  free(g.node);
  free(g.cell);
  face_table_free(&faces);
  return status;
}

/* --- the whole */

static bool ends_in(const char *path, const char *ending) {
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcasecmp(path + length - tail, ending) == 0;
}
static bool is_mesh(const char *path) {
  return ends_in(path, ".msh");
}

/* Formats that Gmsh knows only with another library; without it, it would run them as scripts. */
static const struct { const char *ending, *name, *option; } extras[] = {{".cgns", "CGNS", "Cgns"}};

static ig_status extras_check(reader *r) {
  for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
    char *built = NULL;
    int ierr = 0;
    if (!ends_in(r->path, extras[i].ending))
      continue;
    api.OptionGetString("General.BuildOptions", &built, &ierr);
    const bool there = !ierr && built && strstr(built, extras[i].option);
    api.Free(built);
    if (!there)
      return IG_FAIL(r->cx, IG_INPUT,
                     "%s: this Gmsh has no %s support: convert the file, 'meshio convert %s "
                     "part.vtu' does it",
                     r->path, extras[i].name, r->path);
  }
  return IG_OK;
}

/* An edge of the wrong unit would mesh until memory ends. */
static ig_status size_check(reader *r, int dim, double edge, double unit) {
  double low[3], high[3], elements = 6;
  int ierr = 0;
  api.ModelGetBoundingBox(-1, -1, &low[0], &low[1], &low[2], &high[0], &high[1], &high[2], &ierr);
  for (int d = 0; d < 3 && !ierr; d++)
    elements *= fmax(1, (high[d] - low[d]) / edge);
  if (ierr || dim < 2 || elements <= MOST_ELEMENTS)
    return IG_OK;
  return IG_FAIL(
      r->cx, IG_INPUT,
      "%s: elements of %g m in a part of %.4g x %.4g x %.4g m would be some %.1g: take a "
      "larger edge; is the unit right?",
      r->path, edge * unit, unit * (high[0] - low[0]), unit * (high[1] - low[1]),
      unit * (high[2] - low[2]), elements);
}

static ig_status model_open(reader *r, const ig_mesh_read_options *options) {
  int ierr = 0;
  api.OptionSetNumber("General.Terminal", 0, &ierr);
  /* several threads mesh the same geometry differently each time: nothing could be resumed */
  api.OptionSetNumber("General.NumThreads", 1, &ierr);
  IG_TRY(extras_check(r));
  api.Open(r->path, &ierr);
  if (ierr)
    return failed(r, "Gmsh cannot read the file");
  if (is_mesh(r->path))
    return IG_OK;
  const double unit = options->unit > 0 ? options->unit : 1;
  if (options->edge > 0) {
    api.OptionSetNumber("Mesh.CharacteristicLengthMin", options->edge / unit, &ierr);
    api.OptionSetNumber("Mesh.CharacteristicLengthMax", options->edge / unit, &ierr);
  }
  const int dim = api.ModelGetDimension(&ierr);
  if (options->edge > 0)
    IG_TRY(size_check(r, dim, options->edge / unit, unit));
  if (!ierr)
    api.ModelMeshGenerate(dim, &ierr);
  return ierr ? failed(r, "Gmsh cannot mesh the geometry") : IG_OK;
}

static ig_status read_there(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                            ig_mesh **mesh) {
  reader r = {.cx = cx, .path = path};
  int ierr = 0;
  pthread_mutex_lock(&one_at_a_time);
  ig_status status = api_load(cx, path);
  if (status != IG_OK) {
    pthread_mutex_unlock(&one_at_a_time);
    return status;
  }
  api.Initialize(0, NULL, 0, &ierr);
  status = ierr ? IG_FAIL(cx, IG_IO, "Gmsh does not start") : IG_OK;
  if (status == IG_OK)
    status = model_open(&r, options);
  if (status == IG_OK)
    status = nodes_read(&r);
  if (status == IG_OK)
    status = elements_read(&r);
  if (status == IG_OK)
    status = groups_read(&r);
  api.Free(r.node_tag);
  free(r.node_of);
  free(r.cell_of);
  api.Finalize(&ierr);
  pthread_mutex_unlock(&one_at_a_time);
  if (status == IG_OK)
    *mesh = r.mesh;
  else
    ig_mesh_free(r.mesh);
  return status;
}

ig_status ig_mesh_read_gmsh(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                            ig_mesh **mesh) {
  *mesh = NULL;
  char head[16] = "";
  FILE *f = fopen(path, "rb");
  if (!f)
    return IG_FAIL(cx, IG_INPUT, "cannot open '%s': %s", path, strerror(errno));
  const size_t length = fread(head, 1, sizeof head - 1, f);
  fclose(f);
  /* Gmsh runs what it does not recognise as a script: a mesh must look like one. */
  if (is_mesh(path) && (length < 11 || strncmp(head, "$MeshFormat", 11) != 0))
    return IG_FAIL(cx, IG_INPUT, "%s:1:1: expected $MeshFormat: this is no Gmsh mesh", path);
  for (size_t i = 0; i < sizeof extras / sizeof *extras; i++)
    if (ends_in(path, extras[i].ending) && strncmp(head, "\x89HDF", 4) != 0 &&
        strncmp(head, "@(#)ADF", 7) != 0)
      return IG_FAIL(cx, IG_INPUT, "%s: this is no %s file", path, extras[i].name);
  IG_TRY(ig_geo_check(cx, path));
  return ig_mesh_read_apart(cx, path, options, "Gmsh", read_there, mesh);
}

#endif
