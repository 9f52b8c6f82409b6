/* Supports of a case: which components are fixed, which follow a prescribed motion; and
   histories. */
#include "mesh/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A support as a case would give it, for programs; NaN stands for a motion that is not given. */
ig_support_case ig_support_fix(const char *set, const char *fix) {
  return (ig_support_case){.set = set,
                           .fix = fix,
                           .components = "xyz",
                           .displacement = {NAN, NAN, NAN},
                           .velocity = {NAN, NAN, NAN},
                           .acceleration = {NAN, NAN, NAN},
                           .spin = {NAN, NAN, NAN}};
}

/* A vector in the case has as many numbers as the mesh has dimensions. A support filled in by a
   program (no file) may have zeros or NaN in the unused axis. */
ig_status ig_axes_read(ig_ctx *cx, const ig_src *at, const char *key, const double value[3],
                       int dim, double out[3]) {
  if (at->file && !isnan(value[0]) && isnan(value[2]) != (dim == 2))
    return ig_fail_at(cx, at, "`%s`: %d numbers: expected %d", key, 5 - dim, dim);
  for (int d = 0; d < 3; d++)
    out[d] = d < dim && !isnan(value[d]) ? value[d] : 0;
  return IG_OK;
}

/* Parses "all", "xy", "x rx, ry" into flags x y z rx ry rz. Letters x, y, z and, for rotations, rx,
   ry, rz, into on[6]; text NULL: none. Blanks and commas between them are allowed; a component that
   the mesh does not have is refused. */
static ig_status components_read(ig_ctx *cx, const ig_src *at, const char *key, const char *text,
                                 int dofs, bool on[6]) {
  memset(on, 0, 6 * sizeof *on);
  if (!text)
    return IG_OK;
  if (strcmp(text, "all") == 0) {
    for (int i = 0; i < dofs; i++)
      on[i] = true;
    return IG_OK;
  }
  for (const char *s = text; *s; s++) {
    if (*s == ' ' || *s == ',')
      continue;
    const int turn = *s == 'r' ? 3 : 0;
    s += *s == 'r';
    if (*s < 'x' || *s > 'z' || turn + *s - 'x' >= dofs)
      return ig_fail_at(cx, at, "`%s` is 'all' or some of %s, not '%s'", key,
                        dofs == 2   ? "x y (the mesh is plane)"
                        : dofs == 3 ? "x y z"
                                    : "x y z rx ry rz",
                        text);
    on[turn + *s - 'x'] = true;
  }
  return IG_OK;
}

/* Translations may be prescribed by displacement, velocity or acceleration, rotations by spin; each
   component by one of them at most. A component both fixed and prescribed with a value other than 0
   is contradictory and refused. Keys that would have no effect are refused too. */
ig_status ig_support_read(ig_ctx *cx, const ig_support_case *c, int dofs,
                          ig_support_motion *motion) {
  const int dim = dofs == 2 ? 2 : 3;
  bool fixed[6], led[6];
  IG_TRY(components_read(cx, &c->at, "fix", c->fix, dofs, fixed));
  /* The default "xyz" means "xy" in the plane. */
  const char *along = dim == 2 && strcmp(c->components, "xyz") == 0 ? "xy" : c->components;
  IG_TRY(components_read(cx, &c->at, "components", along, dim, led));
  /* The four keys that prescribe motion, with the first component that each concerns; spin only if
     there are rotations. */
  const struct {
    const char *key;
    ig_move kind;
    int first; /* component */
    const double *value;
  } asked[] = {{"displacement", IG_MOVE_DISPLACEMENT, 0, c->displacement},
               {"velocity", IG_MOVE_VELOCITY, 0, c->velocity},
               {"acceleration", IG_MOVE_ACCELERATION, 0, c->acceleration},
               {"spin", IG_MOVE_VELOCITY, 3, c->spin}};
  bool moves = false;
  *motion = (ig_support_motion){0};
  for (int d = 0; d < dofs; d++)
    motion->kind[d] = fixed[d] ? IG_MOVE_FIXED : IG_MOVE_FREE;
  for (int q = 0; q < (dofs == 6 ? 4 : 3); q++) {
    double unused[3];
    const double *value = asked[q].value;
    IG_TRY(ig_axes_read(cx, &c->at, asked[q].key, value, dim, unused));
    for (int d = 0; d < dim; d++) {
      const int to = asked[q].first + d;
      if (!led[d] || isnan(value[d]))
        continue;
      moves = true;
      if (motion->kind[to] > IG_MOVE_FIXED)
        return ig_fail_at(cx, &c->at, "`%s` and another motion both given: take one", asked[q].key);
      if (fixed[to] && value[d] != 0)
        return ig_fail_at(cx, &c->at,
                          "`fix` holds %s%c still and `%s` leads it: leave it out of `fix`, or say "
                          "with `components` what the motion leads",
                          to < 3 ? "" : "r", 'x' + d, asked[q].key);
      if (asked[q].kind == IG_MOVE_DISPLACEMENT && value[d] != 0 && c->history.count < 2)
        return ig_fail_at(cx, &c->at,
                          "`displacement` without a `history` moves nothing: say how it grows, "
                          "[[0 s, 0], [1 ms, 1]]");
      motion->kind[to] = (uint8_t)asked[q].kind;
      motion->scale[to] = value[d];
    }
  }
  if (c->history.count > 0 && !moves)
    return ig_fail_at(cx, &c->at, "a `history` without a motion, `velocity` say, does nothing");
  if (!moves && strcmp(c->components, "xyz") != 0)
    return ig_fail_at(cx, &c->at,
                      "`components` names what a motion leads, and there is none: hold with `fix`");
  return IG_OK;
}

/* A support without any effect is refused: most likely a key is missing or misspelt. */
ig_status ig_support_holds(ig_ctx *cx, const ig_support_case *c, const ig_support_motion *motion) {
  for (int d = 0; d < 6; d++)
    if (motion->kind[d] != IG_MOVE_FREE)
      return IG_OK;
  return ig_fail_at(cx, &c->at,
                    "this support holds nothing: give `fix` or a motion, `velocity` say");
}

/* Appends the rows of a table; *place is where they are. count 0: no history (factor 1). */
ig_status ig_histories_add(ig_ctx *cx, ig_histories *h, const ig_table *t, ig_history *place) {
  *place = (ig_history){h->rows, t->count};
  if (t->count == 0)
    return IG_OK;
  if (t->count > INT32_MAX - h->rows)
    return IG_FAIL(cx, IG_INPUT, "too many rows of histories");
  const size_t rows = (size_t)h->rows + (size_t)t->count;
  void *x = realloc(h->x, rows * sizeof *h->x);
  h->x = x ? x : h->x;
  void *y = realloc(h->y, rows * sizeof *h->y);
  h->y = y ? y : h->y;
  if (!x || !y)
    return IG_FAIL(cx, IG_MEMORY, "no memory for histories");
  memcpy(h->x + h->rows, t->x, (size_t)t->count * sizeof *h->x);
  memcpy(h->y + h->rows, t->y, (size_t)t->count * sizeof *h->y);
  h->rows += t->count;
  return IG_OK;
}

void ig_histories_free(ig_histories *h) {
  free(h->x);
  free(h->y);
  *h = (ig_histories){0};
}

static bool is_still(const ig_led *a) {
  return a->kind == IG_MOVE_FIXED ||
         (a->scale == 0 && (a->kind == IG_MOVE_DISPLACEMENT || a->kind == IG_MOVE_VELOCITY));
}

/* Histories are straight between their rows: it is enough to look there. */
bool ig_led_same(const ig_led *a, const ig_led *b, const ig_histories *rows) {
  const ig_led *const both[2] = {a, b};
  if (is_still(a) || is_still(b))
    return is_still(a) && is_still(b);
  if (a->kind != b->kind)
    return false;
  bool same = a->history.rows || b->history.rows || a->scale == b->scale;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < both[k]->history.rows; i++) {
      const double time = rows->x[both[k]->history.first + i],
                   one = a->scale * ig_history_at(a->history, rows->x, rows->y, time),
                   two = b->scale * ig_history_at(b->history, rows->x, rows->y, time);
      same &= fabs(one - two) <= 1e-12 * fmax(fabs(one), fabs(two));
    }
  return same;
}
