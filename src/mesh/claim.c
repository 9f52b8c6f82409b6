/* Which entry of a list each element belongs to. */
#include "mesh/claim.h"

ig_status ig_mesh_claim(ig_ctx *cx, const ig_mesh *mesh, const ig_list *list, size_t size,
                        size_t set, const char *what, int *owner) {
  const ig_lid elements = ig_mesh_elements(mesh);
  int rest = -1;
  for (ig_lid e = 0; e < elements; e++)
    owner[e] = -1;
  for (int i = 0; i < list->count; i++) {
    const char *entry = (const char *)list->items + size * (size_t)i;
    const ig_texts *names = (const void *)(entry + set);
    if (names->count == 0)
      rest = i;
    for (int k = 0; k < names->count; k++) {
      const ig_set *found = ig_mesh_find_set(mesh, names->value[k], IG_SET_ELEMENTS);
      if (!found)
        return ig_fail_at(cx, (const void *)entry, "the mesh has no element set '%.60s'",
                          names->value[k]);
      for (ig_lid j = 0; j < found->count; j++)
        owner[found->item[j]] = i;
    }
  }
  for (ig_lid e = 0; e < elements; e++) {
    if (owner[e] < 0)
      owner[e] = rest;
    if (owner[e] < 0 && what)
      return ig_fail_at(cx, list->count ? (const ig_src *)list->items : &(ig_src){0},
                        "element %d has no %s: give one without `set` for all that is left", (int)e,
                        what);
  }
  return IG_OK;
}
