/* Writer of Gmsh files, MSH version 4.1 as text, with a physical group for each set.

   An element belongs to one entity, and an entity to any number of groups. Items that are in
   exactly the same sets (a combination) therefore form one entity, so sets may overlap in any way.
*/
#include "core/number.h"
#include "core/sorted.h"
#include "io/gmsh_order.h"
#include "io/mesh/mesh_io.h"
#include "mesh/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gmsh's number of a type, and of its faces (0: not written). */
static const struct {
  int gmsh, face; /* its number there; that of its faces, 0: none is written */
} kinds[IG_ELEM_TYPES] = {
    [IG_BEAM2] = {1, 0},    [IG_TRI3] = {2, 1},    [IG_TRI6] = {9, 8},      [IG_QUAD4] = {3, 1},
    [IG_TET4] = {4, 2},     [IG_TET10] = {11, 9},  [IG_HEX8] = {5, 3},      [IG_WEDGE6] = {6, 3},
    [IG_PYRAMID5] = {7, 3}, [IG_HEX20] = {17, 16}, [IG_WEDGE15] = {18, 16}, [IG_QUAD8] = {16, 8},
    [IG_BEAM3] = {8, 0}};

/* A combination: set `set` and the sets of `parent`; the root (set -1) is in no set. twin: during
   the pass over one set, the combination that contains this set in addition. */
typedef struct {
  int set, parent, twin;
} combination;

/* A line of $Elements: an element, a face (element << 8 | face), or a node. */
typedef struct {
  int dim, entity, type; /* entity: number of the combination */
  ig_set_kind kind;
  int64_t item;
} entry;

typedef struct {
  ig_ctx *cx;
  const ig_mesh *mesh;
  int combinations;
  combination *of;
  int64_t entries;
  entry *entry;
} msh;

/* Order in the file: by dimension, entity, type, kind, number. */
static int entry_compare(const void *a, const void *b) {
  const entry *p = a, *q = b;
  const int64_t d[] = {p->dim - q->dim, p->entity - q->entity, p->type - q->type,
                       (int64_t)p->kind - (int64_t)q->kind, p->item - q->item};
  for (int i = 0; i < 5; i++)
    if (d[i])
      return d[i] < 0 ? -1 : 1;
  return 0;
}

/* Key of an item of a set, unique within its kind. */
static int64_t key_of(const ig_set *set, ig_lid i) {
  return set->kind == IG_SET_FACES ? (int64_t)set->item[i] << 8 | set->face[i] : set->item[i];
}

/* Assigns the items of one kind to combinations by refining step by step: for each set, members
   move from their combination to its twin. key: rising keys (NULL: 0 to count - 1); in: combination
   of each item. Gmsh's groups belong to entities, and an element is in one entity: so each
   combination of sets that occurs becomes an entity, which is in all of those groups. in[i] becomes
   the combination of item i. A chain through `parent` lists its sets. */
static ig_status combine(msh *m, ig_set_kind kind, const int64_t *key, int64_t count, int *in) {
  const int none = m->combinations;
  IG_TRY(IG_MORE(m->cx, &m->of, m->combinations, "sets"));
  m->of[m->combinations++] = (combination){-1, -1, -1};
  for (int64_t i = 0; i < count; i++)
    in[i] = none;
  for (int s = 0; s < m->mesh->sets; s++) {
    const ig_set *set = &m->mesh->set[s];
    if (set->kind != kind)
      continue;
    /* Twins are made anew for each set: the combination with this set added. */
    for (int c = none; c < m->combinations; c++)
      m->of[c].twin = -1;
    for (ig_lid i = 0; i < set->count; i++) {
      const int64_t one = key_of(set, i);
      const int64_t *found =
          key ? bsearch(&one, key, (size_t)count, sizeof one, ig_rising_i64) : NULL;
      const int64_t at = key ? found - key : one;
      const int old = in[at];
      /* A set that names an item twice changes nothing. */
      if (m->of[old].set == s)
        continue;
      if (m->of[old].twin < 0) {
        IG_TRY(IG_MORE(m->cx, &m->of, m->combinations, "sets"));
        m->of[m->combinations] = (combination){s, old, -1};
        m->of[old].twin = m->combinations++;
      }
      in[at] = m->of[old].twin;
    }
  }
  return IG_OK;
}

/* Type and dimension of the line for an item. Faces of wedges and pyramids may be triangles or
   quadrilaterals. */
static entry entry_of(const msh *m, ig_set_kind kind, int64_t item, int combination_of) {
  entry e = {.entity = combination_of, .kind = kind, .item = item, .type = 15};
  if (kind == IG_SET_NODES)
    return e;
  ig_lid local;
  const bool face = kind == IG_SET_FACES;
  const ig_block *b = ig_mesh_element(m->mesh, (ig_lid)(face ? item >> 8 : item), &local);
  const ig_elem_info *info = ig_elem_info_get(b->type);
  e.dim = info->dim - face;
  e.type = kinds[b->type].gmsh;
  if (face && info->face_nodes != 6 && ig_elem_face_distinct(b->type, (int)(item & 255)) == 3 &&
      info->dim == 3)
    e.type = info->face_nodes == 8 ? 9 : 2;
  else if (face)
    e.type = kinds[b->type].face ? kinds[b->type].face : 15;
  return e;
}

/* All items of a kind that are written: every element, and the faces and nodes of sets. Elements,
   faces and nodes of sets as entries; faces are elements of a lower dimension there. */
static ig_status kind_add(msh *m, ig_set_kind kind) {
  int64_t count = 0, most = 0, *key = NULL;
  int *in = NULL;
  ig_status status = IG_OK;
  for (int s = 0; s < m->mesh->sets; s++)
    most += m->mesh->set[s].kind == kind ? m->mesh->set[s].count : 0;
  if (kind == IG_SET_ELEMENTS) {
    count = ig_mesh_elements(m->mesh);
  } else {
    IG_TRY(IG_NEW(m->cx, &key, most + 1, "sets"));
    for (int s = 0; s < m->mesh->sets; s++)
      for (ig_lid i = 0; m->mesh->set[s].kind == kind && i < m->mesh->set[s].count; i++)
        key[count++] = key_of(&m->mesh->set[s], i);
    /* Each face or node once, however many sets name it. */
    qsort(key, (size_t)count, sizeof *key, ig_rising_i64);
    most = count;
    count = 0;
    for (int64_t i = 0; i < most; i++)
      if (i == 0 || key[i] != key[i - 1])
        key[count++] = key[i];
  }
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &in, count + 1, "sets"));
  IG_TRY_GOTO(status, done, combine(m, kind, key, count, in));
  entry *more = realloc(m->entry, (size_t)(m->entries + count + 1) * sizeof *more);
  if (!more) {
    status = IG_FAIL(m->cx, IG_MEMORY, "no memory for elements");
    goto done;
  }
  m->entry = more;
  for (int64_t i = 0; i < count; i++)
    m->entry[m->entries++] = entry_of(m, kind, key ? key[i] : i, in[i]);
done:
  free(in);
  free(key);
  return status;
}

/* --- writing */

/* Number of entries from i on that are in the same entity (and of the same type). */
static int64_t run_of(const msh *m, int64_t i, bool type) {
  int64_t k = i;
  while (k < m->entries && m->entry[k].dim == m->entry[i].dim &&
         m->entry[k].entity == m->entry[i].entity &&
         (!type || m->entry[k].type == m->entry[i].type))
    k++;
  return k - i;
}

/* A physical name is needed per dimension in which a set has items. */
static ig_status names_write(FILE *f, const msh *m) {
  uint8_t *dims;
  int names = 0;
  IG_TRY(IG_NEW(m->cx, &dims, m->mesh->sets + 1, "sets"));
  for (int64_t i = 0; i < m->entries; i += run_of(m, i, false))
    for (int c = m->entry[i].entity; m->of[c].set >= 0; c = m->of[c].parent)
      dims[m->of[c].set] |= (uint8_t)(1 << m->entry[i].dim);
  for (int s = 0; s < m->mesh->sets; s++)
    for (int d = 0; d < 4; d++)
      names += dims[s] >> d & 1;
  fprintf(f, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n", names);
  for (int s = 0; s < m->mesh->sets; s++)
    for (int d = 0; d < 4; d++)
      if (dims[s] >> d & 1)
        fprintf(f, "%d %d \"%s\"\n", d, s + 1, m->mesh->set[s].name);
  fprintf(f, "$EndPhysicalNames\n");
  free(dims);
  return IG_OK;
}

/* Gmsh wants a bounding box per entity; that of the whole mesh is sufficient. MSH 4.1: bounding
   box, groups, no boundaries. The box of the whole mesh does for all. */
static void entities_write(FILE *f, const msh *m) {
  int count[4] = {0};
  double low[3], high[3];
  ig_mesh_bounds(m->mesh, low, high);
  for (int64_t i = 0; i < m->entries; i += run_of(m, i, false))
    count[m->entry[i].dim]++;
  fprintf(f, "$Entities\n%d %d %d %d\n", count[0], count[1], count[2], count[3]);
  for (int64_t i = 0; i < m->entries; i += run_of(m, i, false)) {
    const entry *e = &m->entry[i];
    int groups = 0;
    ig_print(f, "%d %.17g %.17g %.17g", e->entity + 1, low[0], low[1], low[2]);
    if (e->dim > 0)
      ig_print(f, " %.17g %.17g %.17g", high[0], high[1], high[2]);
    for (int c = e->entity; m->of[c].set >= 0; c = m->of[c].parent)
      groups++;
    fprintf(f, " %d", groups);
    for (int c = e->entity; m->of[c].set >= 0; c = m->of[c].parent)
      fprintf(f, " %d", m->of[c].set + 1);
    fputs(e->dim > 0 ? " 0\n" : "\n", f);
  }
  fprintf(f, "$EndEntities\n");
}

/* All nodes are assigned to the last entity, one of the highest dimension: readers use nodes of all
   entities. */
static void nodes_write(FILE *f, const msh *m) {
  const ig_mesh *mesh = m->mesh;
  const entry *last = &m->entry[m->entries - 1];
  fprintf(f, "$Nodes\n1 %d 1 %d\n%d %d 0 %d\n", mesh->nodes, mesh->nodes, last->dim,
          last->entity + 1, mesh->nodes);
  for (ig_lid n = 0; n < mesh->nodes; n++)
    fprintf(f, "%d\n", n + 1);
  for (size_t n = 0; n < (size_t)mesh->nodes; n++)
    ig_print(f, "%.17g %.17g %.17g\n", mesh->x[3 * n], mesh->x[3 * n + 1], mesh->x[3 * n + 2]);
  fprintf(f, "$EndNodes\n");
}

/* Mid-side nodes in Gmsh's order. One element: its number and nodes, in Gmsh's order. */
static void entry_write(FILE *f, const msh *m, const entry *e, long long number) {
  fprintf(f, "%lld", number);
  if (e->kind == IG_SET_NODES) {
    fprintf(f, " %lld\n", (long long)e->item + 1);
    return;
  }
  const bool face = e->kind == IG_SET_FACES;
  ig_lid local;
  const ig_block *b = ig_mesh_element(m->mesh, (ig_lid)(face ? e->item >> 8 : e->item), &local);
  const ig_elem_info *info = ig_elem_info_get(b->type);
  const ig_lid *conn = b->conn + (size_t)local * (size_t)info->nodes;
  const int *side = face ? ig_elem_face(b->type, (int)(e->item & 255)) : NULL;
  const int nodes = !face           ? info->nodes
                    : e->type == 15 ? 1
                    : e->type == 2  ? 3
                    : e->type == 9  ? 6
                                    : info->face_nodes;
  static const int triangle[6] = {0, 1, 2, 4, 5, 7}; /* of an 8-node face with two corners in one */
  for (int a = 0; a < nodes; a++) {
    const int at = face && nodes == 6 && info->face_nodes == 8 ? triangle[a]
                   : face                                      ? a
                                                               : ig_gmsh_place(b->type, a);
    fprintf(f, " %d", conn[side ? side[at] : at] + 1);
  }
  fputc('\n', f);
}

/* Elements keep their numbers; faces and nodes are numbered after them. */
static void elements_write(FILE *f, const msh *m) {
  int blocks = 0;
  long long next = ig_mesh_elements(m->mesh);
  for (int64_t i = 0; i < m->entries; i += run_of(m, i, true))
    blocks++;
  fprintf(f, "$Elements\n%d %lld 1 %lld\n", blocks, (long long)m->entries, (long long)m->entries);
  for (int64_t i = 0; i < m->entries;) {
    const int64_t count = run_of(m, i, true);
    fprintf(f, "%d %d %d %lld\n", m->entry[i].dim, m->entry[i].entity + 1, m->entry[i].type,
            (long long)count);
    for (const int64_t stop = i + count; i < stop; i++) {
      const entry *e = &m->entry[i];
      entry_write(f, m, e, e->kind == IG_SET_ELEMENTS ? (long long)e->item + 1 : ++next);
    }
  }
  fprintf(f, "$EndElements\n");
}

/* Text, version 4.1. Names stand in quotes, so they must have none. */
ig_status ig_mesh_write_msh(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  for (int s = 0; s < mesh->sets; s++)
    if (ig_name_is_odd(mesh->set[s].name) || strchr(mesh->set[s].name, '"'))
      return IG_FAIL(cx, IG_INPUT,
                     "set '%s' cannot be written to .msh: its name has quotes or control "
                     "characters",
                     mesh->set[s].name);
  if (ig_mesh_elements(mesh) == 0)
    return IG_FAIL(cx, IG_INPUT, "%s: the mesh has no elements to write", path);
  msh m = {.cx = cx, .mesh = mesh};
  char *text = NULL;
  size_t size = 0;
  FILE *f = NULL;
  ig_status status;
  /* Elements are all written; faces and nodes only where a set has them. */
  IG_TRY_GOTO(status, done, kind_add(&m, IG_SET_ELEMENTS));
  IG_TRY_GOTO(status, done, kind_add(&m, IG_SET_FACES));
  IG_TRY_GOTO(status, done, kind_add(&m, IG_SET_NODES));
  qsort(m.entry, (size_t)m.entries, sizeof *m.entry, entry_compare);
  f = open_memstream(&text, &size);
  if (!f) {
    status = IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path);
    goto done;
  }
  status = names_write(f, &m);
  entities_write(f, &m);
  nodes_write(f, &m);
  elements_write(f, &m);
  if (status == IG_OK) {
    status = ig_text_store(cx, path, f, &text, &size);
  } else {
    fclose(f);
    free(text);
  }
done:
  free(m.of);
  free(m.entry);
  return status;
}
