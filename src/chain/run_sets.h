/* Settings of runs that a file describes, "KEY=VALUE", and the cases made of them: what sweeps and
   calibrations share. Texts are in the arena given. */
#ifndef IG_CHAIN_RUN_SETS_H
#define IG_CHAIN_RUN_SETS_H

#include "run/case.h"

/* "KEY=VALUE" (key NULL: the value alone) on one line, as ig_case_set takes it. */
IG_MUST_CHECK ig_status ig_set_text(ig_ctx *cx, ig_arena *arena, const char *key,
                                    const ig_node *value, const char **text);
/* "sweep.yaml:3:12", or "--vary KEY" where `at` has no line: how messages about a value begin. */
IG_MUST_CHECK ig_status ig_set_label(ig_ctx *cx, ig_arena *arena, const ig_src *at, const char *key,
                                     const char **label);
/* A path as `file` names it, from the folder that file is in; absolute ones as they are. */
IG_MUST_CHECK ig_status ig_path_beside(ig_ctx *cx, ig_arena *arena, const char *file,
                                       const char *path, const char **found);
/* The case at `path` with all settings applied in order. from[i]: the label of set[i], NULL: that
   of --set; `from` NULL: of all. Close it after a failure too. */
IG_MUST_CHECK ig_status ig_case_with(ig_ctx *cx, const char *path, const char *const *set,
                                     const char *const *from, int sets, ig_case **out);
/* Whether two keys name one value: one map is a list of one, so that materials.young and
   materials[0].young are the same. */
bool ig_key_same(const char *a, const char *b);

#endif
