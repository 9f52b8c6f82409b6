/* Decks as cases.

   Two entries: ig_deck_open makes a case in memory, ready to run; ig_deck_import writes it as
   text. Both read the deck whole. The mesh is read later by the job, from the same file. */
#include <ingot/deck.h>
#include "deck/deck.h"
#include "deck/dyna.h"
#include "deck/write.h"
#include "run/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* By the ending alone. */
bool ig_deck_is(const char *path) {
  const char *dot = path ? strrchr(path, '.') : NULL;
  return (dot && strcasecmp(dot, ".inp") == 0) || ig_dyna_is(path);
}

/* Cards and tree of a deck of Abaqus or CalculiX. */
static ig_status inp_read(ig_deck *d, const char *unit, ig_node **root) {
  if (unit)
    return IG_FAIL(
        d->cx, IG_INPUT,
        "%s: units are converted in decks of LS-DYNA; of this one results are in its own", d->path);
  IG_TRY(ig_deck_cards(d));
  IG_TRY(ig_deck_model(d));
  return ig_deck_build(d, root);
}

/* The case owns the arena with everything of the deck. d stays valid while the case is open, but
   for its table of names. no_units: numbers may be of any size. */
static ig_status deck_read(ig_ctx *cx, const char *path, const ig_deck_options *options, ig_deck *d,
                           ig_case **out) {
  ig_case *c;
  const char *unit = options ? options->unit : NULL;
  *out = NULL;
  IG_TRY(ig_case_new(cx, &c));
  *d = (ig_deck){.cx = cx,
                 .arena = c->arena,
                 .lenient = options && options->lenient,
                 .unit = unit,
                 .absolute_zero = NAN,
                 .stefan_boltzmann = NAN};
  ig_status status = ig_arena_text(cx, c->arena, &d->path, path, strlen(path));
  if (status == IG_OK)
    status = (ig_dyna_is(path) ? ig_dyna_build : inp_read)(d, unit, &c->root);
  c->path = d->path;
  /* Checks of plausible sizes (run/plausible.c) assume SI and are left out. */
  c->no_units = unit == NULL;
  c->warning = d->warning;
  ig_namemap_free(&d->name_of);
  free((void *)d->name);
  if (status == IG_OK)
    *out = c;
  else
    ig_case_close(c);
  return status;
}

/* Notes go to the log.
   The caller closes *c with ig_case_close. options may be NULL. */
ig_status ig_deck_open(ig_ctx *cx, const char *path, const ig_deck_options *options, ig_case **c) {
  ig_deck d;
  if (!cx || !path || !c)
    return cx ? IG_FAIL(cx, IG_ARG, "no path of a deck is given") : IG_ARG;
  IG_TRY(deck_read(cx, path, options, &d, c));
  for (int i = 0; i < d.notes; i++)
    ig_info(cx, "%s: %s", path, d.note[i]);
  return IG_OK;
}

/* mesh: name of the mesh file to write into the case, NULL: the path of the deck. */
ig_status ig_deck_import(ig_ctx *cx, const char *path, const ig_deck_options *options,
                         const char *mesh, ig_text_fn *text, void *user) {
  ig_deck d;
  ig_case *c;
  if (!cx || !path || !text)
    return cx ? IG_FAIL(cx, IG_ARG, "no path of a deck is given") : IG_ARG;
  IG_TRY(deck_read(cx, path, options, &d, &c));
  ig_deck_write(&d, c->root, mesh ? mesh : path, text, user);
  ig_case_close(c);
  return IG_OK;
}
