/* How fast, and against which limit: every benchmark of every room. */
#include "bench/bench.h"
#include "backend/backend.h"
#include "core/require.h"

typedef struct {
  const char *name;
  const ig_bench_entry *entry;
} table;
static const table rooms[] = {{"thermal", ig_thermal_bench}, {"topopt", ig_topopt_bench},
                              {"fracture", ig_frac_bench},   {"dynamics", ig_dyn_bench},
                              {"stress", ig_stress_bench},   {"powder", ig_powder_bench},
                              {"grains", ig_grains_bench},   {NULL, NULL}};

void ig_bench_list(ig_problem_fn *problem, void *user) {
  for (const table *room = rooms; problem && room->name; room++)
    for (const ig_bench_entry *b = room->entry; b->name; b++) {
      const ig_problem p = {room->name, b->name, b->about, false};
      problem(user, &p);
    }
}

typedef struct {
  const char *room, *bench;
  double copy;
  ig_benched_fn *row;
  void *user;
} listener;

static void pass_on(void *user, const ig_bench_row *r) {
  const listener *to = user;
  const double moved = r->seconds > 0 ? r->bytes / r->seconds : 0;
  const ig_benched row = {.room = to->room,
                          .bench = to->bench,
                          .name = r->name,
                          .rate_unit = r->rate_unit,
                          .note = r->note ? r->note : "",
                          .elements = r->elements,
                          .steps = r->steps,
                          .seconds = r->seconds,
                          .rate = r->rate,
                          .bytes = r->bytes,
                          .memory = r->memory,
                          .copy = to->copy,
                          .fraction = to->copy > 0 ? moved / to->copy : 0};
  to->row(to->user, &row);
}

ig_status ig_bench(ig_ctx *cx, const char *const *names, int count, ig_benched_fn *row,
                   void *user) {
  IG_REQUIRE_ARGS(cx, cx && row && (names || count == 0));
  IG_TRY(ig_problems_check(cx, names, count, ig_bench_list, "benchmark"));
  ig_device_info device = {0};
  cx->backend->describe(cx, &device);
  for (const table *room = rooms; room->name; room++)
    for (const ig_bench_entry *b = room->entry; b->name; b++) {
      if (!ig_problem_chosen(names, count, room->name, b->name))
        continue;
      listener to = {room->name, b->name, device.copy_bytes_per_s, row, user};
      const ig_bench_sink sink = {.user = &to, .row = pass_on};
      IG_TRY(b->run(cx, &sink));
      if (cx->interrupted)
        return IG_FAIL(cx, IG_INTERRUPTED, "interrupted after %s/%s", room->name, b->name);
    }
  return IG_OK;
}

ig_status ig_bench_smoke(ig_ctx *cx, const char *const *names, int count, ig_benched_fn *row,
                         void *user) {
  IG_REQUIRE_ARGS(cx, cx);
  cx->smoke = true;
  const ig_status status = ig_bench(cx, names, count, row, user);
  cx->smoke = false;
  return status;
}
