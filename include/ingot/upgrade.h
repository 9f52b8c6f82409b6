/* Case files of earlier versions: words that were renamed are found and rewritten. In builds with
   input and output. */
#ifndef INGOT_UPGRADE_H
#define INGOT_UPGRADE_H

#include <ingot/run.h>

IG_C_BEGIN

/* One word that is spelled otherwise now, and where it stands. */
typedef struct {
  const char *file;
  int line, column;      /* from 1; of the key or value that the word is in */
  const char *was, *now; /* valid during the call */
} ig_renamed_word;
typedef void ig_renamed_fn(void *user, const ig_renamed_word *word);

/* Finds the renamed words of a case, a chain, a sweep or a material file, tells `each` of them
   (NULL: not wanted) and writes the file with the new words to `to`, which may be `path` itself
   (NULL: nothing is written). Only these words change: comments, order and layout stay. A file
   without old words is not rewritten in place. *words: how many there were; may be NULL.
   Fails with IG_INPUT where a word is written in a form that cannot be replaced, and if the result
   would not be a valid file; nothing is written then. */
IG_API IG_MUST_CHECK ig_status ig_case_upgrade(ig_ctx *cx, const char *path, const char *to,
                                               ig_renamed_fn *each, void *user, int *words);

IG_C_END
#endif
