/* The verification manual, executed: every problem of every room. */
#include "verify/verify.h"
#include "backend/backend.h"
#include "core/require.h"

#include <math.h>

typedef struct {
  const char *name;
  const ig_verify_entry *entry;
} table;
static const table rooms[] = {
    {"thermal", ig_thermal_verify},     {"topopt", ig_topopt_verify}, {"fracture", ig_frac_verify},
    {"dynamics", ig_dyn_verify},        {"stress", ig_stress_verify}, {"powder", ig_powder_verify},
    {"structure", ig_structure_verify}, {"grains", ig_grains_verify}, {NULL, NULL}};

void ig_verify_list(ig_problem_fn *problem, void *user) {
  for (const table *room = rooms; problem && room->name; room++)
    for (const ig_verify_entry *v = room->entry; v->name; v++) {
      const ig_problem p = {room->name, v->name, v->about, v->quick};
      problem(user, &p);
    }
}

typedef struct {
  const char *room, *problem;
  ig_verified_fn *row;
  void *user;
} listener;

static void judge(void *user, const ig_verify_row *r) {
  const listener *to = user;
  const double difference = fabs(r->computed - r->expected);
  const bool relative = r->relative && r->expected != 0;
  const double error = relative ? difference / fabs(r->expected) : difference;
  const ig_verified row = {.room = to->room,
                           .problem = to->problem,
                           .quantity = r->quantity,
                           .source = r->source,
                           .expected = r->expected,
                           .computed = r->computed,
                           .error = error,
                           .tolerance = r->tolerance,
                           .relative = relative,
                           .pass = error <= r->tolerance}; /* a NaN does not pass */
  to->row(to->user, &row);
}

ig_status ig_verify(ig_ctx *cx, const char *const *names, int count, bool quick,
                    ig_verified_fn *row, void *user) {
  IG_REQUIRE_ARGS(cx, cx && row && (names || count == 0));
  IG_TRY(ig_problems_check(cx, names, count, ig_verify_list, "verification problem"));
  for (const table *room = rooms; room->name; room++)
    for (const ig_verify_entry *v = room->entry; v->name; v++) {
      if ((quick && !v->quick) || !ig_problem_chosen(names, count, room->name, v->name))
        continue;
      listener to = {room->name, v->name, row, user};
      const ig_verify_sink sink = {.user = &to, .row = judge};
      const ig_status status = v->run(cx, &sink);
      if (status == IG_INTERRUPTED || cx->interrupted)
        return IG_FAIL(cx, IG_INTERRUPTED, "interrupted in %s/%s", room->name, v->name);
      if (status != IG_OK) {
        const ig_verified bad = {.room = room->name,
                                 .problem = v->name,
                                 .quantity = "runs",
                                 .source = ig_ctx_message(cx),
                                 .computed = NAN,
                                 .error = NAN};
        row(user, &bad);
        IG_TRY(ig_fault_clear(cx));
      }
    }
  return IG_OK;
}
