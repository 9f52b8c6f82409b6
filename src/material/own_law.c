/* The list of a program's material laws. It is one block of memory, so that the context, which
   lies below this folder, frees it without knowing what it is. */
#include "material/own_law.h"
#include "core/ctx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ig_own_laws {
  int count;
  ig_law_description law[];
};

/* As of a room: members that an older program does not know stay zero. */
static ig_status describe(ig_ctx *cx, const ig_law_description *d, ig_law_description *own) {
  if (!d || d->size < sizeof d->size || d->size > sizeof *d)
    return IG_FAIL(cx, IG_INPUT, "ig_law_add: `size` is not that of the description");
  memset(own, 0, sizeof *own);
  memcpy(own, d, d->size);
  if (!own->name || !own->name[0] || !own->stress)
    return IG_FAIL(cx, IG_INPUT, "ig_law_add: a law needs a name and `stress`");
  if (own->constants < 0 || own->states < 0 || own->states > IG_LAW_MOST_STATES)
    return IG_FAIL(cx, IG_INPUT,
                   "ig_law_add: '%.60s' has %d constants and %d numbers of history: expected 0 or "
                   "more, and 0 to %d",
                   own->name, own->constants, own->states, IG_LAW_MOST_STATES);
  if (own->plastic < 0 || own->plastic > own->states)
    return IG_FAIL(cx, IG_INPUT,
                   "ig_law_add: '%.60s': `plastic` is %d: expected 0, or 1 to %d for a number of "
                   "its history",
                   own->name, own->plastic, own->states);
  return IG_OK;
}

ig_status ig_law_add(ig_ctx *cx, const ig_law_description *law) {
  ig_law_description own;
  IG_TRY(describe(cx, law, &own));
  const int count = cx->laws ? cx->laws->count : 0;
  for (int i = 0; i < count; i++)
    if (strcmp(cx->laws->law[i].name, own.name) == 0)
      return IG_FAIL(cx, IG_INPUT, "ig_law_add: there is a law '%.60s' already", own.name);
  struct ig_own_laws *longer =
      realloc(cx->laws, sizeof *longer + ((size_t)count + 1) * sizeof longer->law[0]);
  if (!longer)
    return IG_FAIL(cx, IG_MEMORY, "not enough memory for a material law");
  longer->law[count] = own;
  longer->count = count + 1;
  cx->laws = longer;
  return IG_OK;
}

ig_status ig_own_law_of(ig_ctx *cx, const ig_material_case *m, const ig_law_description **law) {
  *law = NULL;
  if (!m->own_law)
    return m->constants.count ? ig_fail_at(cx, &m->at,
                                           "material '%.60s': `constants` has no effect without "
                                           "`own_law`",
                                           m->name)
                              : IG_OK;
  const int count = cx->laws ? cx->laws->count : 0;
  for (int i = 0; i < count && !*law; i++)
    if (strcmp(cx->laws->law[i].name, m->own_law) == 0)
      *law = &cx->laws->law[i];
  if (!*law)
    return ig_fail_at(cx, &m->at,
                      "material '%.60s': this program has added no law '%.60s': `own_law` is for "
                      "programs that call ig_law_add (ingot/law.h)",
                      m->name, m->own_law);
  if (m->constants.count != (*law)->constants)
    return ig_fail_at(cx, &m->at, "material '%.60s': %d `constants`: the law '%.60s' needs %d",
                      m->name, m->constants.count, m->own_law, (*law)->constants);
  return IG_OK;
}
