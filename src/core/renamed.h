/* Words of case files that are spelled otherwise than in earlier versions.

   One table (renamed.c) serves two readers: ig_options_read, whose error message names the new
   spelling, and ig_case_upgrade, which rewrites files. A word is renamed in the section of a case
   in which it stands: `start` of an annulus is an angle, `start` of a path a time. */
#ifndef IG_CORE_RENAMED_H
#define IG_CORE_RENAMED_H

#include "core/option.h"

/* The new spelling of a key of `section` (the key that the section has in the case, "" for the top
   level), NULL if it was never renamed there. `now` are those the section has now, "a|b|c": an
   entry of the table holds only where the section has the new key and not the old one. */
const char *ig_renamed_key(const char *section, const char *key, const char *now);
/* The new spelling of a choice of `key`, NULL if it was never renamed; `choices` are those of now.
 */
const char *ig_renamed_choice(const char *key, const char *choice, const char *choices);

/* Line `i` of the table, from 0; false: there is none. */
typedef struct {
  const char *section, *key; /* key: of a choice */
  const char *was, *now;
  bool choice;
} ig_renamed;
bool ig_renamed_at(int i, ig_renamed *line);

/* One old word that was found. */
typedef struct {
  const ig_src *at;      /* where its token begins in the file */
  const char *token;     /* the whole token, without quotes: the key, or a path as in sweeps */
  int offset;            /* of the word in the token, bytes */
  const char *was, *now; /* the word */
} ig_rename;
typedef ig_status ig_rename_fn(void *user, const ig_rename *rename);

/* Calls `each` for every old word of `map`, whose keys are those of `tables`; sections and lists at
   any depth too. Keys that no table has are passed over. */
IG_MUST_CHECK ig_status ig_renames_find(const ig_node *map, const ig_option *const *tables,
                                        int count, ig_rename_fn *each, void *user);
/* The same of a key that is a path, "beams[0].raster.start", as sweeps have it, from byte `skip` of
   the key on, and of the value or values it is given. */
IG_MUST_CHECK ig_status ig_renames_find_path(const ig_node *node, int skip,
                                             const ig_option *const *tables, int count,
                                             ig_rename_fn *each, void *user);

#endif
