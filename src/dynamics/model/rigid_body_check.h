/* Parts of a model that no support holds: what keeps a relaxation from ending; and loads along
   rigid motions that nothing resists: what has no equilibrium at all. */
#ifndef IG_DYN_LOOSE_H
#define IG_DYN_LOOSE_H

#include "dynamics/dynamics.h"

/* Of the parts that no support holds the one whose middle has moved farthest. */
typedef struct {
  int32_t parts;   /* 0: all are held */
  int64_t nodes;   /* of that one */
  double at[3];    /* its middle at the start, m */
  double way, far; /* how far it has moved, and the size of the model, m */
} ig_dyn_loose;

/* Elements, bodies and ties join particles into parts: `up` is a forest of nodes entries
   (core/union_find.h), which the caller starts with up[n] = n. */
void ig_dyn_parts_join(const ig_dyn_model *m, int32_t *up);
/* Finds which parts nothing holds, of an undivided model; a second call does nothing. The part of a
   rank takes them from its whole. */
IG_MUST_CHECK ig_status ig_dyn_loose_new(ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_loose_take(ig_dyn_model *m);
void ig_dyn_loose_free(ig_dyn_model *m);
/* All ranks; positions must have been pulled. */
IG_MUST_CHECK ig_status ig_dyn_loose_find(ig_dyn_model *m, ig_dyn_loose *found);
/* Fails where a part has left the model and there is no tool it could come to rest on. */
IG_MUST_CHECK ig_status ig_dyn_loose_check(ig_dyn_model *m);

/* Whether supports leave some part a rigid motion. While the whole mesh is there. */
IG_MUST_CHECK ig_status ig_dyn_free_look(const ig_dyn_model *m, bool *any);
/* Refuses statics in which loads push a part along a rigid motion that no support resists; where
   contact or tools may resist it, nothing is said. While the whole mesh is there. */
IG_MUST_CHECK ig_status ig_dyn_free_check(ig_dyn_model *m, const ig_dyn_analysis *a);

#endif
