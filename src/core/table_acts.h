/* Whether a history does anything. */
#ifndef IG_CORE_TABLE_ACTS_H
#define IG_CORE_TABLE_ACTS_H

#include "core/option.h"

/* Whether a table is other than 0 somewhere from 0 to `until`; one that was not given is. */
static inline bool ig_table_acts(const ig_table *t, double until) {
  bool acts = t->count == 0 || ig_table_at(t, 0) != 0 || ig_table_at(t, until) != 0;
  for (int i = 0; i < t->count && t->count > 1; i++)
    acts |= t->x[i] >= 0 && t->x[i] <= until && t->y[i] != 0;
  return acts;
}

/* Of a load whose history is 0 until the case ends at `end`: most likely times in another unit. */
static inline void ig_warn_never_acts(ig_ctx *cx, const ig_src *at, double end) {
  ig_warn_at(cx, at,
             "this load never acts: its `history` is 0 until the case ends at %g s: look at the "
             "unit of its times",
             end);
}

#endif
