/* Bytes that ranks of dynamics send in a step, with and without contact, are those of the model in
   docs/scaling.md; how often surfaces are imported. */
#include "counting_ranks.h"
#include "ranks_threads.h"
#include "dynamics/contact/part_surface.h"
#include "verify/dynamics/problem.h"
#include <ingot/ranks.h>

#include <math.h>
#include <stdio.h>

/* A bar of 64 x 4 x 4 cubes on five ranks of 13 layers of nodes each: bytes that each sends per
   step. */
typedef struct {
  ig_ranks *ranks;
  counting *counted;
  const char *backend;
  bool touch;
  double speed; /* of the bar */
  int64_t sent, imports;
  double skin, gap, moved;
  ig_status status;
  char message[512];
} sender;
enum { FIRST = 3, COUNTED = 8 };

static ig_status bar_steps(sender *s, ig_dyn_problem *q, ig_dyn_model **m) {
  const double size[3] = {64, 4, 4};
  const int cells[3] = {64, 4, 4};
  ig_dyn_initial start = {.velocity = {0, s->speed, 0}};
  double dt;
  ig_dyn_problem_material(q, 1000, 1e7, 0.3);
  IG_TRY(ig_dyn_problem_box(q, size, cells));
  q->c.initial = (ig_list){1, &start};
  q->c.contact = (ig_dyn_contact){
      .at = {.given = s->touch}, .on = true, .edges = true, .penalty = 0.1, .thickness = NAN};
  IG_TRY(ig_dyn_problem_open(q, IG_DOUBLE, IG_GATHER, m));
  IG_TRY(ig_dyn_critical_step(*m, &dt));
  IG_TRY(ig_dyn_set_clock(*m, 0.5 * dt, 0));
  const ig_dyn_surfaces *const surfaces = (*m)->division->surfaces;
  IG_TRY(ig_dyn_advance(*m, FIRST)); /* ranks get to know each other */
  s->sent = -s->counted->bytes;
  s->imports = surfaces ? -surfaces->imports : 0;
  s->moved = COUNTED * 0.5 * dt * s->speed;
  IG_TRY(ig_dyn_advance(*m, COUNTED));
  s->sent += s->counted->bytes;
  if (surfaces) {
    s->imports += surfaces->imports;
    s->skin = surfaces->skin;
    s->gap = (*m)->p.contact.gap;
  }
  return IG_OK;
}

static void *bar_sit(void *user) {
  sender *s = user;
  ig_ctx *cx;
  ig_dyn_problem q = {0};
  ig_dyn_model *m = NULL;
  const ig_ctx_options options = {.backend = s->backend, .threads = 1, .ranks = s->ranks};
  s->ranks->division = IG_DIVIDE_BOXES;
  s->status = ig_ctx_open(&options, &cx);
  if (s->status == IG_OK)
    s->status = ig_dyn_problem_new(cx, &q);
  if (s->status == IG_OK)
    s->status = bar_steps(s, &q, &m);
  snprintf(s->message, sizeof s->message, "%s", ig_ctx_message(cx));
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  ig_ctx_close(cx);
  return NULL;
}

/* docs/scaling.md: 24 bytes per particle that another rank needs. Without contact those are the 25
   nodes of the layer at a cut. With it also those on the surface, 16 in a layer, whose triangles
   begin within `reach` of the other rank's, which end at that layer: of 1 + reach layers behind it.
   Nothing else travels until a particle has moved by half of the skin: then surfaces are imported.
 */
static void a_step_sends_the_bytes_of_the_model(void **state) {
  (void)state;
  enum { RANKS = 5 };
  static const struct {
    bool touch;
    double speed;
  } given[] = {{false, 0}, {true, 0}, {true, 20}};
  for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
    ig_ranks *ranks[RANKS];
    sender s[RANKS];
    assert_int_equal(ig_ranks_threads(RANKS, ranks), IG_OK);
    for (int i = 0; i < RANKS; i++)
      s[i] = (sender){.ranks = ranks[i],
                      .counted = counting_use(ranks[i]),
                      .backend = "cpu",
                      .touch = given[g].touch,
                      .speed = given[g].speed};
    threads_sit(RANKS, ranks, bar_sit, s, sizeof *s);
    const double edge = (2 + sqrt(2)) / 3;
    for (int i = 0; i < RANKS; i++) {
      if (s[i].status != IG_OK)
        fail_msg("rank %d: %s", i, s[i].message);
      if (given[g].speed > 0) {
        const double step = s[i].moved / COUNTED, half = s[i].skin / 2;
        assert_true((double)s[i].imports <= 1 + s[i].moved / half);
        assert_true((double)s[i].imports >= floor(s[i].moved / (half + step)) && s[i].imports > 0);
        continue;
      }
      const int neighbours = i == 0 || i == RANKS - 1 ? 1 : 2;
      const double reach = 2 * (s[i].gap + s[i].skin) + edge + sqrt(2) + s[i].skin;
      const int layers = given[g].touch ? 1 + (int)reach : 0;
      if (given[g].touch) {
        assert_near(s[i].gap, edge / 10, 1e-12);
        assert_near(s[i].skin, edge / 2, 1e-12);
      }
      assert_int_equal(s[i].imports, 0);
      assert_int_equal(s[i].sent, COUNTED * 24 * neighbours * (25 + 16 * layers));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_sends_the_bytes_of_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
