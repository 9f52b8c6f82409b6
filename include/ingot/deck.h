/* Decks: input files of Abaqus, CalculiX and LS-DYNA, run as they are or turned into cases. */
#ifndef INGOT_DECK_H
#define INGOT_DECK_H

#include <ingot/run.h>

IG_C_BEGIN

typedef struct {
  /* Pass over what has no counterpart in a case: of .inp what does not change the mechanics, of .k
     every keyword that is not understood, with a warning each. */
  bool lenient;
  /* Of .k: units of the deck, LENGTH-MASS-TIME as in "mm-t-s", which are converted to SI. NULL:
     numbers are taken as they are. */
  const char *unit;
} ig_deck_options;

/* Reads a deck as a case, which runs like any other; free it with ig_case_close. Its mesh is the
   deck itself. Fails with IG_INPUT and "file:line:column: …" where a keyword or a parameter is not
   understood. What was passed over is reported as warnings, a line each. `options` may be NULL. */
IG_API IG_MUST_CHECK ig_status ig_deck_open(ig_ctx *cx, const char *path,
                                            const ig_deck_options *options, ig_case **c);
/* The same case as the text of a case file, with the lines of the deck and what was passed over as
   comments. `mesh`: how the text names the deck, from the folder the text will be stored in. */
IG_API IG_MUST_CHECK ig_status ig_deck_import(ig_ctx *cx, const char *path,
                                              const ig_deck_options *options, const char *mesh,
                                              ig_text_fn *text, void *user);
/* Whether the name of a file ends as decks do: .inp, .k, .key. */
IG_API bool ig_deck_is(const char *path);

IG_C_END
#endif
