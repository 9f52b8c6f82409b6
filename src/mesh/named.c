/* Lookup of sets named in a case: by name and kind, with an error message that lists the names
   there are; assignment of elements to entries of a list (materials, sections). */
#include "mesh/named.h"

#include "core/ctx.h"
#include "core/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

/* Order in which kinds are searched: a name may exist for nodes, faces and elements. */
static const ig_set_kind order[] = {IG_SET_NODES, IG_SET_FACES, IG_SET_ELEMENTS};
static const char *const words[] = {
    [IG_SET_NODES] = "nodes", [IG_SET_FACES] = "faces", [IG_SET_ELEMENTS] = "elements"};
enum { KINDS = 3 };

/* kinds: a bit for each kind of set that will do; the order of kinds decides between sets of one
   name. */
static const ig_set *find(const ig_mesh *mesh, const char *name, int kinds) {
  const ig_set *set = NULL;
  for (int k = 0; k < KINDS && !set; k++)
    if (kinds & 1 << order[k])
      set = ig_mesh_find_set(mesh, name, order[k]);
  return set;
}

/* Names of the sets of these kinds as choices "a|b|c", each once, as many as fit. */
static void list_names(const ig_mesh *mesh, int kinds, char *text, size_t size) {
  *text = '\0';
  for (int i = 0; i < mesh->sets; i++) {
    const ig_set *set = &mesh->set[i];
    const size_t used = strlen(text);
    if ((kinds & 1 << set->kind) && ig_choices_find(text, set->name) < 0 &&
        used + strlen(set->name) + 2 < size)
      snprintf(text + used, size - used, "%s%s", used ? "|" : "", set->name);
  }
}

/* The message: a set of that name but another kind, or the nearest name, and all names. */
static ig_status no_set(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at, const char *name,
                        int kinds) {
  char wanted[48] = "", names[400], all[480], near[64], hint[96] = "";
  for (int k = 0; k < KINDS; k++)
    if (kinds & 1 << order[k])
      snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%s",
               *wanted ? " or " : "", words[order[k]]);
  list_names(mesh, kinds, names, sizeof names);
  if (!*names)
    return ig_fail_at(cx, at,
                      "the mesh has no set '%s' of %s, nor any other: make one in mesh.sets", name,
                      wanted);
  ig_choices_list(names, all, sizeof all);
  const ig_set *other = find(mesh, name, IG_OF_ANY);
  if (other)
    snprintf(hint, sizeof hint, " (that is a set of %s)", words[other->kind]);
  else if (ig_nearest(name, names, near, sizeof near))
    snprintf(hint, sizeof hint, ": did you mean '%s'?", near);
  return ig_fail_at(cx, at, "the mesh has no set '%s' of %s%s; it has %s", name, wanted, hint, all);
}

/* The message lists the sets there are. *set belongs to the mesh and is valid until sets are
   added. */
ig_status ig_mesh_named_set(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at, const char *name,
                            int kinds, const ig_set **set) {
  *set = find(mesh, name, kinds);
  return *set ? IG_OK : no_set(cx, mesh, at, name, kinds);
}

/* Nodes of a node set, of the faces of a face set, or of whole elements. */
static void mark_nodes(const ig_mesh *mesh, const ig_set *set, uint8_t *mark) {
  for (ig_lid i = 0; i < set->count; i++) {
    if (set->kind == IG_SET_NODES) {
      mark[set->item[i]] = 1;
      continue;
    }
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, set->item[i], &local);
    const ig_elem_info *info = ig_elem_info_get(block->type);
    const ig_lid *corner = block->conn + (size_t)local * (size_t)info->nodes;
    const int *face = set->face ? ig_elem_face(block->type, set->face[i]) : NULL;
    for (int a = 0; a < (face ? info->face_nodes : info->nodes); a++)
      mark[corner[face ? face[a] : a]] = 1;
  }
}

/* *node is the caller's to free: sorted, each node once, of a set of any kind. Fails with IG_INPUT
   at the place `at` if no set of the name exists. */
ig_status ig_mesh_named_nodes(ig_ctx *cx, const ig_mesh *mesh, const ig_src *at, const char *name,
                              ig_lid **node, ig_lid *count) {
  const ig_set *set;
  /* Marks instead of a sorted list: elements of a set share nodes, and marks give each node once,
     in rising order. */
  uint8_t *mark = NULL;
  *node = NULL;
  *count = 0;
  IG_TRY(ig_mesh_named_set(cx, mesh, at, name, IG_OF_ANY, &set));
  IG_TRY(IG_NEW(cx, &mark, mesh->nodes, "set"));
  mark_nodes(mesh, set, mark);
  ig_lid n = 0;
  for (ig_lid i = 0; i < mesh->nodes; i++)
    n += mark[i];
  const ig_status status = IG_NEW(cx, node, n, "set");
  for (ig_lid i = 0; status == IG_OK && i < mesh->nodes; i++)
    if (mark[i])
      (*node)[(*count)++] = i;
  free(mark);
  return status;
}

/* Later entries override earlier ones. The first element without an owner is reported, whatever the
   number of threads. */
ig_status ig_mesh_claim(ig_ctx *cx, const ig_mesh *mesh, const ig_list *list, size_t size,
                        size_t set, const char *what, int *owner) {
  const ig_lid elements = ig_mesh_elements(mesh);
  const int team = ig_team(cx, elements, IG_WORK_VALUE);
  int rest = -1;
#pragma omp parallel for schedule(static) num_threads(team)
  for (ig_lid e = 0; e < elements; e++)
    owner[e] = -1;
  for (int i = 0; i < list->count; i++) {
    const char *entry = (const char *)list->items + size * (size_t)i;
    const ig_texts *names = (const void *)(entry + set);
    if (names->count == 0 && rest >= 0)
      return ig_fail_at(cx, (const void *)entry,
                        "an entry before this one has no `set` either: one alone takes all that is "
                        "left");
    if (names->count == 0)
      rest = i;
    for (int k = 0; k < names->count; k++) {
      const ig_set *found;
      IG_TRY(ig_mesh_named_set(cx, mesh, (const void *)entry, names->value[k], IG_OF_ELEMENTS,
                               &found));
      for (ig_lid j = 0; j < found->count; j++)
        owner[found->item[j]] = i;
    }
  }
  /* The lowest element that no entry takes; a minimum, so it does not depend on threads. */
  ig_lid without = elements;
#pragma omp parallel for schedule(static) num_threads(team) reduction(min : without)
  for (ig_lid e = 0; e < elements; e++) {
    owner[e] = owner[e] < 0 ? rest : owner[e];
    without = owner[e] < 0 && e < without ? e : without;
  }
  if (without < elements && what && list->count == 0)
    return IG_FAIL(cx, IG_INPUT,
                   "the case gives no %s: add `%ss`, one without `set` for all elements", what,
                   what);
  if (without < elements && what)
    return ig_fail_at(cx, list->count ? (const ig_src *)list->items : &(ig_src){0},
                      "element %d has no %s: give one without `set` for all that is left",
                      (int)without, what);
  return IG_OK;
}

bool ig_plane_holds(void *side, const double x[3]) {
  const ig_plane *s = side;
  return fabs(x[s->axis] - s->at) < s->near;
}

/* Two passes over the nodes: count, then fill. The predicate must not change in between. */
ig_status ig_set_where(ig_ctx *cx, ig_mesh *mesh, const char *name, ig_inside_fn *in, void *user) {
  ig_lid n = 0;
  ig_set *set;
  for (ig_lid i = 0; i < mesh->nodes; i++)
    n += in(user, mesh->x + 3 * (int64_t)i);
  IG_TRY(ig_mesh_add_set(cx, mesh, name, IG_SET_NODES, n, &set));
  n = 0;
  for (ig_lid i = 0; i < mesh->nodes; i++)
    if (in(user, mesh->x + 3 * (int64_t)i))
      set->item[n++] = i;
  return IG_OK;
}
