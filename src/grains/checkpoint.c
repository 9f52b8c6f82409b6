/* Checkpoints: the state of all cells, and how far the run is. What segments contain is found anew.
   A resumed run has the bits of one that was not interrupted. */
#include "grains/grains.h"

#include <string.h>

enum { KEPT = 3 }; /* step, tick, done; whole numbers are exact in doubles up to 2^53 */

#define X(name, type) +1
enum { ARRAYS = IG_GRAINS_STATE_ARRAYS(X) };
#undef X

/* One list serves writing and reading.  */
static int arrays(ig_grains_run *r, ig_saved *s) {
  int count = 0;
#define X(name, type)                                                                              \
  if (r->array.name.count) {                                                                       \
    const ig_array *a = &r->array.name;                                                            \
    s[count++] =                                                                                   \
        (ig_saved){#name, type, (int64_t)(a->count * a->size / ig_dtype_size(type)), a->host};     \
  }
  IG_GRAINS_STATE_ARRAYS(X)
#undef X
  return count;
}

ig_status ig_grains_save(void *self, ig_sink *to) {
  ig_grains_run *r = self;
  ig_saved saved[ARRAYS + 1];
  double kept[KEPT] = {(double)r->step, (double)r->tick, r->done};
  IG_TRY(ig_grains_pull(r));
  const int count = arrays(r, saved);
  saved[count] = (ig_saved){"kept", IG_F64, KEPT, kept};
  return to->checkpoint(to, ig_grains_time(r), r->step, saved, count + 1);
}

/* Whether what was read can be of this case: everything that is an index later. */
static bool sensible(const ig_grains_run *r) {
  const uint8_t *state = r->array.state.host;
  const int32_t *grain = r->array.grain.host, *next = r->array.next.host,
                *first = r->array.first.host;
  for (int64_t c = 0; c < r->view.cells; c++)
    if (state[c] > IG_GRAINS_ACTIVE || grain[c] < 0 || grain[c] >= r->grains_end ||
        (grain[c] == 0 && state[c] != IG_GRAINS_LIQUID) ||
        (next && (next[c] < first[c] || next[c] > first[c + 1])))
      return false;
  return true;
}

ig_status ig_grains_restore(void *self, const ig_restart *from) {
  ig_grains_run *r = self;
  ig_saved all[ARRAYS + 1];
  const void *data;
  double kept[KEPT];
  IG_TRY(ig_restart_find(r->cx, from, "kept", IG_F64, KEPT, &data));
  memcpy(kept, data, sizeof kept);
  const int count = arrays(r, all);
  for (int i = 0; i < count; i++) {
    IG_TRY(ig_restart_find(r->cx, from, all[i].name, all[i].dtype, all[i].count, &data));
    memcpy(all[i].data, data, (size_t)all[i].count * ig_dtype_size(all[i].dtype));
  }
  if (!(kept[0] >= 0 && kept[0] < 9e15 && kept[1] >= 0 && kept[1] < 9e15) || !sensible(r))
    return IG_FAIL(r->cx, IG_INPUT, "the checkpoint is not of this case");
  r->step = (int64_t)kept[0];
  r->tick = (int64_t)kept[1];
  r->done = kept[2] != 0;
  return ig_grains_push(r);
}
