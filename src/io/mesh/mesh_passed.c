/* Keywords of a deck that are skipped, for one warning. */
#include "io/mesh/mesh_passed.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Each family of keywords is noted once. */
void ig_passed_note(ig_passed *p, const char *from, const char *stop, const char *const *words) {
  const size_t length = (size_t)(stop - from);
  while (*words && (strlen(*words) > length || strncasecmp(from, *words, strlen(*words)) != 0))
    words++;
  if (!*words)
    return;
  const int known = p->count < IG_PASSED_MOST ? p->count : IG_PASSED_MOST;
  for (int i = 0; i < known; i++)
    if (strcmp(p->name[i], *words) == 0)
      return;
  if (p->count < IG_PASSED_MOST)
    snprintf(p->name[p->count], IG_PASSED_NAME, "%s", *words);
  p->count++;
}

/* One warning for all, with the first names; nothing if none was passed over. */
void ig_passed_warn(ig_ctx *cx, const char *path, const ig_passed *p) {
  char list[IG_PASSED_MOST * (IG_PASSED_NAME + 2) + 16] = "";
  size_t used = 0;
  for (int i = 0; i < p->count && i < IG_PASSED_MOST; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", p->name[i]);
  if (p->count > IG_PASSED_MOST)
    snprintf(list + used, sizeof list - used, " and others");
  if (p->count)
    ig_warn(cx,
            "%s: nodes, elements and sets are read; what the deck says by %s is not: the case must "
            "give it",
            path, list);
}
