/* Shared by the readers of text meshes: lines with positions, fields and numbers, included files;
   and ig_gather, which collects nodes, elements and sets under the file's own numbers and resolves
   them at the end. */
#include "io/mesh/mesh_io.h"
#include "core/hash.h"
#include "core/number.h"
#include "core/sorted.h"
#include "io/mesh/cell_types.h"
#include "io/format/atomic_file.h"
#include "mesh/topology.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- lines */

/* The file is read whole; t->root names it in messages of files that it includes. */
ig_status ig_text_open(ig_ctx *cx, const char *path, ig_mesh_text *t) {
  char *text;
  size_t size;
  *t = (ig_mesh_text){.cx = cx, .path = path, .root = path};
  IG_TRY(ig_file_read(cx, path, 0, &text, &size));
  t->text = t->line = t->line_end = t->next = text;
  t->end = text + size;
  t->bytes = (double)size;
  return IG_OK;
}

/* Allowed after a failed open, when all is zero. */
void ig_text_close(ig_mesh_text *t) {
  free(t->text);
  free(t->own);
  memset(t, 0, sizeof *t);
}

/* Advances to the next line. Both LF and CR LF end a line. `line_end` excludes the line end. */
bool ig_text_line(ig_mesh_text *t) {
  if (t->next >= t->end)
    return false;
  t->line = t->next;
  char *stop = memchr(t->line, '\n', (size_t)(t->end - t->line));
  t->line_end = stop ? stop : t->end;
  t->next = stop ? stop + 1 : t->end;
  if (t->line_end > t->line && t->line_end[-1] == '\r')
    t->line_end--;
  t->number++;
  return true;
}

/* Column of `at` within the current line, from 1. */
ig_status ig_text_fail(ig_mesh_text *t, const char *at, const char *format, ...) {
  char message[1024];
  va_list args;
  va_start(args, format);
  ig_format_args(message, sizeof message, format, args);
  va_end(args);
  return IG_FAIL(t->cx, IG_INPUT, "%s:%d:%d: %s", t->path, t->number,
                 at && at >= t->line ? (int)(at - t->line) + 1 : 1, message);
}

/* Copies a field without spaces around it; false if it is empty or longer than any number. The copy
   is needed because strtoll and strtod require a final 0. */
static bool field_copy(const char **from, const char *stop, char *copy, size_t size) {
  while (*from < stop && (**from == ' ' || **from == '\t'))
    ++*from;
  while (stop > *from && (stop[-1] == ' ' || stop[-1] == '\t'))
    stop--;
  const size_t length = (size_t)(stop - *from);
  if (length == 0 || length >= size || memchr(*from, '\0', length))
    return false;
  memcpy(copy, *from, length);
  copy[length] = '\0';
  return true;
}

static ig_status not_a(ig_mesh_text *t, const char *kind, const char *from, const char *stop) {
  int length = (int)(stop - from > 40 ? 40 : stop - from);
  return ig_text_fail(t, from, "'%.*s': expected %s", length, from, kind);
}

/* errno catches numbers beyond 64 bits, which strtoll would clamp. */
ig_status ig_text_int(ig_mesh_text *t, const char *from, const char *stop, int64_t *value) {
  char copy[32], *end;
  if (!field_copy(&from, stop, copy, sizeof copy))
    return not_a(t, "a whole number", from, stop);
  errno = 0;
  const long long v = strtoll(copy, &end, 10);
  if (*end || errno)
    return not_a(t, "a whole number", from, stop);
  *value = v;
  return IG_OK;
}

/* The whole field must be a number, and finite. */
ig_status ig_text_real(ig_mesh_text *t, const char *from, const char *stop, double *value) {
  char copy[64], *end;
  if (!field_copy(&from, stop, copy, sizeof copy))
    return not_a(t, "a number", from, stop);
  for (char *c = copy; *c; c++)
    if (*c == 'd' || *c == 'D') /* as Fortran writes doubles */
      *c = 'e';
  *value = ig_decimal_read(copy, &end);
  if (*end || !isfinite(*value))
    return not_a(t, "a finite number", from, stop);
  return IG_OK;
}

/* Fields are found one by one, without copying the line. */
void ig_text_field(const ig_mesh_text *t, char **p, char **from, char **stop) {
  char *comma = memchr(*p, ',', (size_t)(t->line_end - *p));
  *from = *p;
  *stop = comma ? comma : t->line_end;
  *p = comma ? comma + 1 : NULL;
  while (*from < *stop && (**from == ' ' || **from == '\t'))
    ++*from;
  while (*stop > *from && ((*stop)[-1] == ' ' || (*stop)[-1] == '\t'))
    --*stop;
}

/* Keywords are case-insensitive in all these formats. */
bool ig_text_is(const char *from, const char *stop, const char *word) {
  const size_t length = strlen(word);
  return (size_t)(stop - from) == length && strncasecmp(from, word, length) == 0;
}

/* Names that no format could write back, or that would disturb a terminal. */
bool ig_name_is_odd(const char *name) {
  const size_t length = strlen(name);
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      return true;
  return length == 0 || name[0] == ' ' || name[length - 1] == ' ';
}

/* --- names */

/* The slot of a name, or the free slot for it. The first character of a key is its kind. */
static size_t name_slot(const ig_namemap *map, int kind, const char *name, size_t length) {
  uint64_t h = ig_hash_word(IG_HASH_START, (uint64_t)kind);
  for (size_t i = 0; i < length; i++)
    h = ig_hash_word(h, (uint64_t)tolower((unsigned char)name[i]));
  for (size_t slot = (size_t)h & map->mask;; slot = (slot + 1) & map->mask) {
    const char *key = map->key[slot];
    if (!key || (key[0] == (char)('0' + kind) && strncasecmp(key + 1, name, length) == 0 &&
                 key[1 + length] == '\0'))
      return slot;
  }
}

/* A name with a 0 byte cannot be a key. */
int ig_namemap_get(const ig_namemap *map, int kind, const char *name, size_t length) {
  if (!map->key || memchr(name, '\0', length))
    return -1;
  const size_t slot = name_slot(map, kind, name, length);
  return map->key[slot] ? map->value[slot] : -1;
}

/* The table doubles when it is half full. Keys are moved, not copied. Open addressing with
   linear probing, at most half full, so that a search is short; doubled when it is not. false:
   no memory. */
bool ig_namemap_put(ig_namemap *map, int kind, const char *name, size_t length, int value) {
  if (!map->key || 2 * (size_t)map->count > map->mask) {
    ig_namemap bigger = {.mask = map->key ? 2 * map->mask + 1 : 15};
    bigger.key = calloc(bigger.mask + 1, sizeof *bigger.key);
    bigger.value = calloc(bigger.mask + 1, sizeof *bigger.value);
    if (!bigger.key || !bigger.value) {
      free(bigger.key);
      free(bigger.value);
      return false;
    }
    /* Entries are placed anew, as the place depends on the size. */
    for (size_t i = 0; map->key && i <= map->mask; i++)
      if (map->key[i]) {
        const char *key = map->key[i];
        const size_t slot = name_slot(&bigger, key[0] - '0', key + 1, strlen(key + 1));
        bigger.key[slot] = map->key[i];
        bigger.value[slot] = map->value[i];
      }
    bigger.count = map->count;
    free(map->key);
    free(map->value);
    *map = bigger;
  }
  /* The kind is the first letter of the key: a node set and an element set may share a name. */
  char *key = malloc(length + 2);
  if (!key)
    return false;
  key[0] = (char)('0' + kind);
  memcpy(key + 1, name, length);
  key[1 + length] = '\0';
  const size_t slot = name_slot(map, kind, name, length);
  map->key[slot] = key;
  map->value[slot] = value;
  map->count++;
  return true;
}

/* Keys are copies and are freed with the map. */
void ig_namemap_free(ig_namemap *map) {
  for (size_t i = 0; map->key && i <= map->mask; i++)
    free(map->key[i]);
  free(map->key);
  free(map->value);
  memset(map, 0, sizeof *map);
}

/* --- numbers of the file */

/* Multiplicative hashing (golden ratio); consecutive numbers spread well. */
static size_t slot_of(const ig_idmap *map, int64_t id) {
  uint64_t h = (uint64_t)id * 0x9e3779b97f4a7c15u;
  size_t i = (size_t)(h ^ h >> 32) & map->mask;
  while (map->key[i] && map->key[i] != id)
    i = (i + 1) & map->mask;
  return i;
}

/* *taken: the number exists; its value is not changed. The same for numbers; 0 marks a free place,
   so numbers count from 1. *taken: the number was there before, and its value stays. */
static ig_status idmap_put(ig_ctx *cx, ig_idmap *map, int64_t id, ig_lid value, bool *taken) {
  if (!map->key || 2 * (size_t)map->count > map->mask) {
    ig_idmap bigger = {.mask = map->key ? 2 * map->mask + 1 : 63};
    IG_TRY(IG_NEW(cx, &bigger.key, bigger.mask + 1, "numbers"));
    const ig_status status = IG_NEW(cx, &bigger.value, bigger.mask + 1, "numbers");
    if (status != IG_OK) {
      free(bigger.key);
      return status;
    }
    /* Entries are placed anew, as the place depends on the size. */
    for (size_t i = 0; map->key && i <= map->mask; i++)
      if (map->key[i]) {
        const size_t to = slot_of(&bigger, map->key[i]);
        bigger.key[to] = map->key[i];
        bigger.value[to] = map->value[i];
      }
    bigger.count = map->count;
    free(map->key);
    free(map->value);
    *map = bigger;
  }
  const size_t i = slot_of(map, id);
  *taken = map->key[i] == id;
  if (!*taken) {
    map->key[i] = id;
    map->value[i] = value;
    map->count++;
  }
  return IG_OK;
}

/* -1: not there. */
static ig_lid idmap_get(const ig_idmap *map, int64_t id) {
  if (!map->key || id == 0)
    return -1;
  const size_t i = slot_of(map, id);
  return map->key[i] ? map->value[i] : -1;
}

ig_lid ig_mesh_build_find_node(const ig_gather *g, int64_t id) {
  return idmap_get(&g->node_of, id);
}

ig_lid ig_mesh_build_find_cell(const ig_gather *g, int64_t id) {
  return idmap_get(&g->cell_of, id);
}

void ig_mesh_build_free(ig_gather *g) {
  free(g->x);
  free(g->node_of.key);
  free(g->node_of.value);
  free(g->cell_of.key);
  free(g->cell_of.value);
  free(g->type);
  free(g->tag);
  free(g->offset);
  free(g->corner);
  for (int i = 0; i < g->groups; i++) {
    free(g->group[i].id);
    free(g->group[i].face);
  }
  free(g->group);
  ig_namemap_free(&g->group_of);
  memset(g, 0, sizeof *g);
}

bool ig_mesh_build_lies_at(const ig_gather *g, ig_lid node, const double x[3]) {
  const double *at = &g->x[3 * (size_t)node];
  return at[0] == x[0] && at[1] == x[1] && at[2] == x[2];
}

/* realloc that keeps the old array on failure. */
static bool grow(void **p, size_t items, size_t size) {
  void *more = realloc(*p, items * size);
  *p = more ? more : *p;
  return more != NULL;
}

/* Arrays double, so adding is linear in total. */
ig_status ig_mesh_build_node(ig_gather *g, int64_t id, const double *x, bool *taken) {
  *taken = false;
  if (g->nodes == g->node_capacity) {
    if (g->node_capacity > INT32_MAX / 2)
      return IG_FAIL(g->cx, IG_INPUT, "more nodes than one mesh can number");
    const ig_lid capacity = g->node_capacity ? 2 * g->node_capacity : 64;
    if (!grow((void **)&g->x, 3 * (size_t)capacity, sizeof *g->x))
      return IG_FAIL(g->cx, IG_MEMORY, "no memory for nodes");
    g->node_capacity = capacity;
  }
  IG_TRY(idmap_put(g->cx, &g->node_of, id, g->nodes, taken));
  if (!*taken)
    memcpy(g->x + 3 * (size_t)g->nodes++, x, 3 * sizeof *x);
  return IG_OK;
}

/* Corners are stored as numbers of the file: elements may come before their nodes. Corners are kept
   as numbers of the file and resolved at the end, since nodes may come after elements. */
ig_status ig_mesh_build_cell(ig_gather *g, int64_t id, int type, int32_t tag, const int64_t *node,
                             bool *taken) {
  const int npe = ig_cell_info_get(type).nodes;
  *taken = false;
  if (g->cells == g->cell_capacity) {
    /* Doubling beyond this would exceed 32 bits. */
    if (g->cell_capacity > INT32_MAX / 2)
      return IG_FAIL(g->cx, IG_INPUT, "more elements than one mesh can number");
    const ig_lid capacity = g->cell_capacity ? 2 * g->cell_capacity : 64;
    if (!grow((void **)&g->type, (size_t)capacity, sizeof *g->type) ||
        !grow((void **)&g->tag, (size_t)capacity, sizeof *g->tag) ||
        !grow((void **)&g->offset, (size_t)capacity + 1, sizeof *g->offset))
      return IG_FAIL(g->cx, IG_MEMORY, "no memory for elements");
    g->cell_capacity = capacity;
  }
  if (g->corners + npe > g->corner_capacity) {
    const int64_t capacity = g->corner_capacity ? 2 * g->corner_capacity : 512;
    if (!grow((void **)&g->corner, (size_t)capacity, sizeof *g->corner))
      return IG_FAIL(g->cx, IG_MEMORY, "no memory for elements");
    g->corner_capacity = capacity;
  }
  /* A number that is taken leaves everything as it was. */
  IG_TRY(idmap_put(g->cx, &g->cell_of, id, g->cells, taken));
  if (*taken)
    return IG_OK;
  g->type[g->cells] = (uint8_t)type;
  g->tag[g->cells] = tag;
  g->offset[g->cells] = g->corners;
  memcpy(g->corner + g->corners, node, (size_t)npe * sizeof *node);
  g->corners += npe;
  g->offset[++g->cells] = g->corners;
  return IG_OK;
}

/* --- groups */

/* Limits against files that define sets of sets exponentially. OFTEN: above this size a full group
   is compacted before it grows. */
enum { MOST_GROUPS = 1 << 20, MOST_MEMBERS = 500000000, OFTEN = 1 << 16 };

ig_group *ig_mesh_build_find(ig_gather *g, const char *name, size_t length, ig_set_kind kind) {
  const int at = ig_namemap_get(&g->group_of, (int)kind, name, length);
  return at < 0 ? NULL : &g->group[at];
}

/* Names are cut to the length of the field. */
ig_group *ig_mesh_build_group(ig_gather *g, const char *name, size_t length, ig_set_kind kind) {
  length = length < sizeof g->group->name ? length : sizeof g->group->name - 1;
  ig_group *found = ig_mesh_build_find(g, name, length, kind);
  if (found)
    return found;
  if (g->groups == g->group_capacity) {
    const int capacity = g->group_capacity ? 2 * g->group_capacity : 16;
    if (capacity > MOST_GROUPS || !grow((void **)&g->group, (size_t)capacity, sizeof *g->group))
      return NULL;
    g->group_capacity = capacity;
  }
  if (!ig_namemap_put(&g->group_of, (int)kind, name, length, g->groups))
    return NULL;
  ig_group *group = &g->group[g->groups++];
  *group = (ig_group){.kind = kind};
  memcpy(group->name, name, length);
  return group;
}

/* A member for sorting. */
typedef struct {
  int64_t id;
  uint8_t face;
} member;

static int member_compare(const void *a, const void *b) {
  const member *p = a, *q = b;
  return p->id != q->id ? (p->id < q->id ? -1 : 1) : (int)p->face - (int)q->face;
}

/* Removes duplicates by sorting: sets of sets may name a member many times. A group that rises
   strictly has none. Sorts and removes repetitions. Decks name the same members again and again;
   without this a small file could fill the memory. */
static ig_status group_compact(ig_gather *g, ig_group *group) {
  ig_lid rising = 1;
  while (rising < group->count && group->id[rising - 1] < group->id[rising])
    rising++;
  if (rising >= group->count)
    return IG_OK;
  member *all;
  g->members += 4 * (int64_t)group->count; /* sorting is work, too */
  IG_TRY(IG_NEW(g->cx, &all, group->count, "set"));
  for (ig_lid i = 0; i < group->count; i++)
    all[i] = (member){group->id[i], group->face[i]};
  qsort(all, (size_t)group->count, sizeof *all, member_compare);
  ig_lid kept = 0;
  for (ig_lid i = 0; i < group->count; i++)
    if (i == 0 || member_compare(&all[i], &all[i - 1]) != 0) {
      group->id[kept] = all[i].id;
      group->face[kept++] = all[i].face;
    }
  group->count = kept;
  free(all);
  return IG_OK;
}

/* A full, large group is compacted first; it grows only if that does not free half of it. So memory
   stays within twice the number of different members. Members are numbers of the file; face 0 where
   it is no set of faces. A limit on all members of a file guards against sets of sets. */
ig_status ig_mesh_build_member(ig_gather *g, ig_group *group, int64_t id, int face) {
  if (++g->members > MOST_MEMBERS)
    return IG_FAIL(g->cx, IG_INPUT, "set '%s': the sets of the file name more than %d members",
                   group->name, MOST_MEMBERS);
  bool full = group->count == group->capacity;
  if (full && group->count >= OFTEN) { /* half empty at least afterwards, or it grows */
    IG_TRY(group_compact(g, group));
    full = group->count > group->capacity / 2;
  }
  if (full) {
    if (group->capacity > INT32_MAX / 2)
      return IG_FAIL(g->cx, IG_INPUT, "set '%s' has more members than can be numbered",
                     group->name);
    const ig_lid capacity = group->capacity ? 2 * group->capacity : 64;
    if (!grow((void **)&group->id, (size_t)capacity, sizeof *group->id) ||
        !grow((void **)&group->face, (size_t)capacity, sizeof *group->face))
      return IG_FAIL(g->cx, IG_MEMORY, "no memory for set '%s'", group->name);
    group->capacity = capacity;
  }
  group->id[group->count] = id;
  group->face[group->count++] = (uint8_t)face;
  return IG_OK;
}

/* --- to a mesh */

/* Everything a group needs to be resolved. */
typedef struct {
  ig_gather *g;
  const char *path;
  ig_mesh *mesh;
  const ig_lid *corner, *number; /* nodes of cells; first element of a cell */
  const uint8_t *children;
} resolved;

/* Items of the mesh that a member became: node << 8, or element << 8 | face; several if the element
   was cut. *count may be 0. The elements, faces or nodes that one number of the file has become:
   several where a cell was cut. */
static ig_status member_find(const resolved *r, const ig_group *group, ig_lid i, int64_t *out,
                             int *count) {
  ig_gather *g = r->g;
  const bool nodes = group->kind == IG_SET_NODES;
  const ig_lid at = idmap_get(nodes ? &g->node_of : &g->cell_of, group->id[i]);
  *count = 0;
  g->absent += at < 0;
  if (at < 0 && group->gaps)
    return IG_OK;
  if (at < 0)
    return IG_FAIL(g->cx, IG_INPUT, "%s: set '%s' names %s %lld, which is not in the file", r->path,
                   group->name, nodes ? "node" : "element", (long long)(group->id[i] & IG_ID_MASK));
  /* Sides count from 0 here, from 1 in messages. */
  const int face = group->kind == IG_SET_FACES ? group->face[i] : 0;
  if (face && face >= ig_cell_faces(g->type[at]))
    return IG_FAIL(g->cx, IG_INPUT, "%s: set '%s' names side %d of element %lld: it has %d",
                   r->path, group->name, face + 1, (long long)(group->id[i] & IG_ID_MASK),
                   ig_cell_faces(g->type[at]));
  /* Number and face in one value, number << 8 | face, so that both are sorted together. */
  if (nodes)
    out[(*count)++] = (int64_t)at << 8;
  else if (group->kind == IG_SET_FACES)
    *count = ig_cell_faces_made(g->type[at], r->corner + g->offset[at], face, r->mesh,
                                r->number[at], r->children[at], out);
  else
    for (int k = 0; k < r->children[at]; k++)
      out[(*count)++] = (int64_t)(r->number[at] + k) << 8;
  return IG_OK;
}

/* Makes a set from a group: numbers resolved, sorted, without duplicates. An empty group with gaps
   makes no set. A set of the mesh: sorted, without repetitions. */
static ig_status group_set(const resolved *r, const ig_group *group) {
  int64_t *all = NULL;
  ig_lid count = 0, kept = 0;
  ig_set *set;
  ig_status status = IG_NEW(r->g->cx, &all, (size_t)group->count * IG_CELL_MOST_FACES + 1, "set");
  for (ig_lid i = 0; i < group->count && status == IG_OK; i++) {
    int64_t some[IG_CELL_MOST_FACES];
    int made;
    status = member_find(r, group, i, some, &made);
    for (int k = 0; k < made && status == IG_OK; k++)
      all[count++] = some[k];
  }
  /* Sets are sorted, and each item is in them once. */
  if (count)
    qsort(all, (size_t)count, sizeof *all, ig_rising_i64);
  for (ig_lid i = 0; i < count; i++)
    if (i == 0 || all[i] != all[i - 1])
      all[kept++] = all[i];
  if (kept == 0 && group->gaps) { /* nothing of it is there */
    free(all);
    return status;
  }
  if (status == IG_OK)
    status = ig_mesh_add_set(r->g->cx, r->mesh, group->name, group->kind, kept, &set);
  for (ig_lid i = 0; i < kept && status == IG_OK; i++) {
    set->item[i] = (ig_lid)(all[i] >> 8);
    if (set->face)
      set->face[i] = (uint8_t)(all[i] & 255);
  }
  free(all);
  return status;
}

/* Keeps the file's numbers of nodes, and of elements unless some were cut: cases may refer to them
   (sets by `numbers`), and result files of decks use them. */
static ig_status numbers_keep(const ig_gather *g, const ig_lid *number, const uint8_t *children,
                              ig_mesh *mesh) {
  bool whole = true;
  for (ig_lid c = 0; c < g->cells; c++)
    whole = whole && children[c] == 1;
  IG_TRY(IG_NEW(g->cx, &mesh->node_number, g->nodes, "node numbers"));
  for (size_t i = 0; i <= g->node_of.mask; i++)
    if (g->node_of.key[i])
      mesh->node_number[g->node_of.value[i]] = g->node_of.key[i];
  if (!whole)
    return IG_OK;
  IG_TRY(IG_NEW(g->cx, &mesh->element_number, g->cells, "element numbers"));
  for (size_t i = 0; g->cell_of.key && i <= g->cell_of.mask; i++)
    if (g->cell_of.key[i])
      mesh->element_number[number[g->cell_of.value[i]]] = g->cell_of.key[i];
  return IG_OK;
}

/* Order: corners resolved, mesh with blocks, numbers, sets. Resolves corners, then makes blocks. An
   element of a node that is not there is refused with both numbers. */
static ig_status gather_mesh(ig_gather *g, const char *path, bool plane, ig_lid *corner,
                             ig_lid *number, uint8_t *children, ig_mesh **mesh) {
  ig_cells cells = {g->cells, g->type,  g->offset,    corner,   g->tag,
                    g->split, children, g->quadratic, g->curved};
  unsigned types = 0;
  for (ig_lid c = 0; c < g->cells; c++) {
    types |= ig_cell_bit(g->type[c]);
    for (int64_t i = g->offset[c]; i < g->offset[c + 1]; i++)
      if ((corner[i] = idmap_get(&g->node_of, g->corner[i])) < 0)
        return IG_FAIL(g->cx, IG_INPUT, "%s: element %d uses node %lld, which is not in the file",
                       path, c + 1, (long long)(g->corner[i] & IG_ID_MASK));
  }
  const int dim = plane ? ig_mesh_infer_dim(g->x, g->nodes, types) : 3;
  IG_TRY(ig_mesh_new(g->cx, dim, g->nodes, mesh));
  memcpy((*mesh)->x, g->x, 3 * (size_t)g->nodes * sizeof *g->x);
  IG_TRY(ig_mesh_add_cells(g->cx, *mesh, &cells, number));
  IG_TRY(numbers_keep(g, number, children, *mesh));
  const resolved r = {g, path, *mesh, corner, number, children};
  for (int i = 0; i < g->groups; i++)
    IG_TRY(group_set(&r, &g->group[i]));
  return IG_OK;
}

/* The gatherer stays the caller's to free; *mesh is NULL after a failure. */
ig_status ig_mesh_build_mesh(ig_gather *g, const char *path, bool plane, ig_mesh **mesh) {
  *mesh = NULL;
  if (g->nodes == 0 || (g->cells == 0 && !g->bare))
    return IG_FAIL(g->cx, IG_INPUT, "%s: no mesh found: %d nodes, %d elements", path, g->nodes,
                   g->cells);
  ig_lid *corner = NULL, *number = NULL;
  uint8_t *children = NULL;
  ig_status status = IG_NEW(g->cx, &corner, g->corners, "connectivity");
  if (status == IG_OK)
    status = IG_NEW(g->cx, &children, g->cells, "element numbers");
  if (status == IG_OK)
    status = IG_NEW(g->cx, &number, g->cells, "element numbers");
  if (status == IG_OK)
    status = gather_mesh(g, path, plane, corner, number, children, mesh);
  if (status == IG_OK && g->absent)
    ig_warn(g->cx, "%s: %d numbers of its sets are no nodes or elements of the mesh: left out",
            path, g->absent);
  if (status != IG_OK) {
    ig_mesh_free(*mesh);
    *mesh = NULL;
  }
  free(corner);
  free(number);
  free(children);
  return status;
}

/* --- included files */

/* Depth, number and total bytes of included files. */
enum { INCLUDES = 8, INCLUDED_FILES = 1000, INCLUDED_NAME = 256 };
#define INCLUDED_BYTES 16e9

/* Opens `name` in the folder of `beside` and makes it the current text; counts go on from the
   including one. Included files are looked for beside the file that names them. The nesting is
   limited, so that a file which includes itself ends in a message. */
static ig_status beside_open(ig_mesh_text *t, const char *beside, const char *name,
                             const char *root) {
  char path[1024];
  const char *slash = strrchr(beside, '/');
  const int folder = slash ? (int)(slash - beside) + 1 : 0;
  if (snprintf(path, sizeof path, "%.*s%s", folder, beside, name) >= (int)sizeof path)
    return IG_FAIL(t->cx, IG_INPUT, "the name of the file is too long");
  ig_mesh_text inner;
  char *own = strdup(path);
  if (!own)
    return IG_FAIL(t->cx, IG_MEMORY, "no memory for the name of a file");
  const ig_status status = ig_text_open(t->cx, own, &inner);
  if (status != IG_OK) {
    free(own);
    return status;
  }
  inner.own = own;
  inner.root = root;
  inner.files = t->files + 1;
  inner.bytes += t->bytes;
  *t = inner;
  return IG_OK;
}

/* Absolute paths and ".." are refused: a file from elsewhere must not read other files of the
   user. */
ig_status ig_text_enter(ig_mesh_text *t, const char *at, int length, int depth,
                        ig_mesh_text *outer) {
  char name[INCLUDED_NAME], message[512];
  if (length <= 0 || length >= INCLUDED_NAME)
    return ig_text_fail(t, at, "expected the name of a file, of less than %d letters",
                        INCLUDED_NAME);
  snprintf(name, sizeof name, "%.*s", length, at);
  if (name[0] == '/' || strstr(name, "..") || strchr(name, '\\'))
    return ig_text_fail(t, at, "'%s': files are included from this one's folder and below", name);
  if (depth >= INCLUDES)
    return ig_text_fail(t, at, "files include each other more than %d deep", INCLUDES);
  if (t->files >= INCLUDED_FILES)
    return ig_text_fail(t, at, "more than %d files are included: join them", INCLUDED_FILES);
  if (t->bytes > INCLUDED_BYTES)
    return ig_text_fail(t, at, "included files have more than %g GB in all", 1e-9 * INCLUDED_BYTES);
  *outer = *t;
  if (beside_open(t, outer->path, name, outer->root) == IG_OK)
    return IG_OK;
  snprintf(message, sizeof message, "%.500s", t->cx->message);
  /* programs differ: some look beside the file that includes, some beside the outermost one */
  if (outer->own && beside_open(t, outer->root, name, outer->root) == IG_OK) {
    t->cx->message[0] = '\0'; /* of the first place */
    return IG_OK;
  }
  return ig_text_fail(t, at, "%s", message);
}

/* Counts of files and bytes continue, so that the limits hold for the whole tree of includes. */
void ig_text_leave(ig_mesh_text *t, const ig_mesh_text *outer) {
  const int files = t->files;
  const double bytes = t->bytes;
  ig_text_close(t);
  *t = *outer;
  t->files = files;
  t->bytes = bytes;
}
