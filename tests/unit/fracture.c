/* The fracture room: patches, capacity, restart, scatter of strength, messages. */
#include "check.h"
#include "verify/fracture/problem.h"
#include "geometry/mesh_case.h"

static void small(ig_frac_problem *p, ig_ctx *cx, ig_elem_type type, double jitter) {
  ig_frac_problem_init(p, cx);
  ig_frac_problem_material(p, 1e9, 0.3, 1000, 50, 8e6);
  const int dim = ig_elem_info_get(type)->dim;
  ig_box_case box = {.size = {dim, (double[]){1, 0.8, 0.6}}, .cells = {dim, (double[]){5, 4, 3}}};
  const ig_mesh_case mesh = {
      .element = (int)type + 1, .boxes = {1, &box}, .jitter = {.amount = jitter, .seed = 2}};
  GOOD(cx, ig_mesh_generate(cx, &mesh, &p->job.mesh));
}

/* A uniform strain gives the stress of Hooke's law everywhere and no force inside. */
static void patch(void **state) {
  (void)state;
  static const ig_elem_type types[] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};
  for (int k = 0; k < 4; k++) {
    ig_ctx *cx = ctx_on("debug", 1);
    ig_frac_problem p;
    ig_frac_model m;
    small(&p, cx, types[k], 0.25);
    double strain[6] = {1e-3, -2e-3, 3e-3, 4e-4, -5e-4, 6e-4};
    const bool plane = k < 2;
    p.initial.strain = (ig_reals){plane ? 3 : 6, strain};
    p.material.cohesive_strength = 1e12;
    GOOD(cx, ig_frac_setup(&p.job, &m));
    GOOD(cx, ig_frac_model_stress(&m));
    void *se, *v;
    GOOD(cx, ig_frac_model_pull(&m, "se", &se));
    const ig_frac_elastic *e = &m.s.elastic[0];
    const double trace = strain[0] + strain[1] + (plane ? 0 : strain[2]);
    const int corners = m.shape.nodes > m.shape.corners ? m.shape.corners : 1;
    for (int64_t n = 0; n < corners * m.s.ne; n++)
      for (int c = 0; c < m.shape.stresses; c++) {
        const bool normal = c < m.shape.dim;
        const double want =
            normal ? e->c12 * trace + (e->c11 - e->c12) * strain[c] : 2 * e->mu * strain[c];
        assert_float_equal(((double *)se)[n * m.shape.stresses + c], want, 1e-3);
      }
    GOOD(cx, ig_frac_model_run(&m, 1));
    GOOD(cx, ig_frac_model_pull(&m, "v", &v));
    for (int64_t n = 0; n < m.count.nodes; n++) {
      const double *x = p.job.mesh->x + 3 * n;
      const bool edge = x[0] < 1e-9 || x[0] > 1 - 1e-9 || x[1] < 1e-9 || x[1] > 0.8 - 1e-9 ||
                        (!plane && (x[2] < 1e-9 || x[2] > 0.6 - 1e-9));
      for (int d = 0; !edge && d < m.shape.dim; d++)
        assert_float_equal(((double *)v)[n * m.shape.dim + d], 0, 1e-9);
    }
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
    ig_ctx_close(cx);
  }
}

/* Stretched until it shatters, from tables that are far too small; mass and momentum stay. */
static void shatter_with(ig_frac_problem *p, ig_ctx *cx, ig_elem_type type, ig_assembly how,
                         int contact, bool surface, ig_frac_model *m) {
  static double strain2[] = {0.02, 0.02, 0}, strain3[] = {0.02, 0.02, 0.02, 0, 0, 0};
  small(p, cx, type, 0.25);
  const int dim = p->job.mesh->dim;
  p->initial.strain = dim == 2 ? (ig_reals){3, strain2} : (ig_reals){6, strain3};
  memcpy(p->initial.velocity, (double[]){3, -2, 1}, 3 * sizeof(double));
  p->c.cohesive.weibull = 10;
  p->c.cohesive.contact = contact;
  p->c.cohesive.friction = contact || surface ? 0.3 : 0;
  p->c.surface_contact = surface;
  p->c.safety = 0.1;
  p->job.assembly = how;
  GOOD(cx, ig_frac_setup(&p->job, m));
}
static void shatter(ig_frac_problem *p, ig_ctx *cx, ig_elem_type type, ig_assembly how,
                    ig_frac_model *m) {
  shatter_with(p, cx, type, how, 0, false, m);
}

static double total(ig_frac_model *m, int component) {
  void *v, *minv;
  double sum = 0;
  GOOD(m->cx, ig_frac_model_pull(m, "minv", &minv));
  GOOD(m->cx, ig_frac_model_pull(m, "v", &v));
  for (int64_t n = 0; n < m->count.nodes; n++)
    sum += (component < 0 ? 1 : ig_frac_model_real(m, v, n * m->shape.dim + component)) /
           ig_frac_model_real(m, minv, n);
  return sum;
}

static void shattering_keeps_mass_momentum_energy(void **state) {
  (void)state;
  static const ig_elem_type types[] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};
  for (int k = 0; k < 4; k++) {
    ig_ctx *cx = ctx_on("cpu", 2);
    ig_frac_problem p;
    ig_frac_model m;
    ig_frac_track track = {0};
    shatter(&p, cx, types[k], IG_GATHER, &m);
    const double mass = total(&m, -1);
    assert_float_equal(mass, 1000 * (k < 2 ? 0.8 : 0.48), 1e-9 * mass);
    const int32_t before = m.s.node_max;
    GOOD(cx, ig_frac_history(&p.job, &m, &track, p.job.sink));
    GOOD(cx, ig_frac_model_run(&m, 400));
    GOOD(cx, ig_frac_history(&p.job, &m, &track, p.job.sink));
    assert_true(m.count.cohesive > m.facets / 3);
    if (k == 1 || k == 3)
      assert_true(m.s.node_max > before); /* the tables grew */
    GOOD(cx, ig_frac_tables_check(&m));
    assert_float_equal(total(&m, -1), mass, 1e-9 * mass);
    assert_float_equal(total(&m, 0), 3 * mass, 1e-7 * mass);
    assert_float_equal(total(&m, 1), -2 * mass, 1e-7 * mass);
    assert_true(ig_frac_track_drift(&track) < 3e-2); /* all at once, on a mesh far too coarse */
    ig_frac_pieces pieces = {0};
    GOOD(cx, ig_frac_pieces_find(&m, &pieces));
    assert_true(pieces.count >= 1 && pieces.count <= m.s.ne);
    for (int32_t e = 0; e < m.s.ne; e++)
      assert_true(pieces.of[e] >= 0 && pieces.of[e] < pieces.count);
    ig_frac_pieces_free(&pieces);
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
    ig_ctx_close(cx);
  }
}

/* Same bits for any thread count with color and gather; node numbers too. */
static void threads_do_not_show(void **state) {
  (void)state;
  for (int how = IG_COLOR; how <= IG_GATHER; how++) {
    double *first = NULL;
    int32_t nodes = 0;
    for (int threads = 1; threads <= 4; threads++) {
      ig_ctx *cx = ctx_on(threads == 4 ? "debug" : "cpu", threads);
      ig_frac_problem p;
      ig_frac_model m;
      shatter(&p, cx, IG_TRI6, how, &m);
      GOOD(cx, ig_frac_model_run(&m, 60));
      void *u;
      GOOD(cx, ig_frac_model_pull(&m, "u", &u));
      if (threads == 1) {
        nodes = m.count.nodes;
        first = malloc((size_t)nodes * 16);
        memcpy(first, u, (size_t)nodes * 16);
      }
      assert_int_equal(m.count.nodes, nodes);
      assert_memory_equal(first, u, (size_t)nodes * 16);
      ig_frac_model_free(&m);
      ig_frac_problem_free(&p);
      ig_ctx_close(cx);
    }
    free(first);
  }
}

/* A sink that keeps the last checkpoint. */
typedef struct {
  ig_sink sink;
  ig_restart restart;
  ig_saved saved[64];
  int rows;
} keeper;
static ig_status keep(ig_sink *sink, double time, int64_t step, const ig_saved *saved, int count) {
  keeper *k = sink->self;
  k->restart = (ig_restart){.time = time, .step = step, .count = count, .saved = k->saved};
  for (int i = 0; i < count; i++) {
    k->saved[i] = saved[i];
    k->saved[i].data = malloc((size_t)saved[i].count * ig_dtype_size(saved[i].dtype));
    memcpy(k->saved[i].data, saved[i].data, (size_t)saved[i].count * ig_dtype_size(saved[i].dtype));
  }
  return IG_OK;
}
static ig_status keep_row(ig_sink *sink, int columns, const char *const *names,
                          const double *values) {
  keeper *k = sink->self;
  (void)names;
  for (int i = 0; i < columns; i++)
    assert_true(values[i] == values[i]);
  k->rows++;
  return IG_OK;
}
static ig_status keep_snapshot(ig_sink *sink, ig_snapshot *s) {
  (void)sink;
  for (int64_t i = 0; i < s->corners; i++)
    assert_true(s->corner[i] >= 0 && s->corner[i] < s->points);
  assert_int_equal(s->offset[s->cells], s->corners);
  ig_snapshot_free(s);
  return IG_OK;
}

/* A run that is saved at `stop` goes on to the same bits, rows of the history included: saved
   between steps, or after a row, when the check and the forces of its step are already there. */
static void restarted(const char *backend, ig_assembly how, int contact, bool surface, int64_t stop,
                      bool after_row) {
  ig_ctx *cx = ctx_on(backend, 2);
  ig_frac_problem p, q;
  ig_frac_model a, b;
  ig_frac_track track = {0}, again = {0};
  keeper k = {
      .sink = {.self = &k, .checkpoint = keep, .history = keep_row, .snapshot = keep_snapshot}};
  shatter_with(&p, cx, IG_TRI6, how, contact, surface, &a);
  p.job.sink = &k.sink;
  GOOD(cx, ig_frac_history(&p.job, &a, &track, p.job.sink));
  GOOD(cx, ig_frac_model_run(&a, stop));
  if (after_row)
    GOOD(cx, ig_frac_history(&p.job, &a, &track, p.job.sink));
  GOOD(cx, ig_frac_save(&a, &track, &k.sink));
  if (!after_row)
    GOOD(cx, ig_frac_history(&p.job, &a, &track, p.job.sink));
  GOOD(cx, ig_frac_snapshot(&p.job, &a, p.job.sink));
  GOOD(cx, ig_frac_model_run(&a, 95));
  GOOD(cx, ig_frac_history(&p.job, &a, &track, p.job.sink));
  shatter_with(&q, cx, IG_TRI6, how, contact, surface, &b);
  q.job.sink = &k.sink;
  GOOD(cx, ig_frac_restore(&q.job, &b, &again, &k.restart));
  assert_int_equal(b.count.step, stop);
  if (!after_row)
    GOOD(cx, ig_frac_history(&q.job, &b, &again, q.job.sink));
  GOOD(cx, ig_frac_model_run(&b, 95));
  GOOD(cx, ig_frac_history(&q.job, &b, &again, q.job.sink));
  assert_int_equal(a.count.nodes, b.count.nodes);
  assert_int_equal(a.count.cohesive, b.count.cohesive);
  assert_true(a.count.cohesive > 0 && k.rows >= 4);
  static const char *const tables[] = {"u", "v"};
  for (int i = 0; i < 2; i++) {
    void *x, *y;
    GOOD(cx, ig_frac_model_pull(&a, tables[i], &x));
    GOOD(cx, ig_frac_model_pull(&b, tables[i], &y));
    assert_memory_equal(x, y, (size_t)a.count.nodes * 16);
  }
  assert_memory_equal(track.figures, again.figures, sizeof track.figures);
  assert_true(track.worst_error == again.worst_error && track.pieces == again.pieces);
  for (int i = 0; i < k.restart.count; i++)
    free(k.saved[i].data);
  ig_frac_model_free(&a);
  ig_frac_model_free(&b);
  ig_frac_problem_free(&p);
  ig_frac_problem_free(&q);
  ig_ctx_close(cx);
}
/* A checkpoint may be damaged: numbers that name nothing are found before anything follows them. */
static void a_checkpoint_with_wrong_numbers_is_refused(void **state) {
  (void)state;
  static const char *const tables[] = {"conn", "opp", "coh", "list", "node"};
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_frac_problem p;
  ig_frac_model m;
  ig_frac_track track = {0};
  keeper k = {.sink = {.self = &k, .checkpoint = keep}};
  shatter_with(&p, cx, IG_TRI3, IG_GATHER, 0, false, &m);
  GOOD(cx, ig_frac_model_run(&m, 60));
  assert_true(m.count.cohesive > 0);
  GOOD(cx, ig_frac_save(&m, &track, &k.sink));
  for (int i = 0; i < 5; i++)
    for (int t = 0; t < k.restart.count; t++) {
      int32_t *first = k.saved[t].data, was;
      if (strcmp(k.saved[t].name, tables[i]) != 0)
        continue;
      memcpy(&was, first, sizeof was);
      *first = INT32_MAX;
      assert_int_equal(ig_frac_restore(&p.job, &m, &track, &k.restart), IG_INPUT);
      assert_non_null(strstr(ig_ctx_message(cx), "does not belong to this mesh"));
      *first = was;
      GOOD(cx, ig_frac_restore(&p.job, &m, &track, &k.restart));
    }
  for (int i = 0; i < k.restart.count; i++)
    free(k.saved[i].data);
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}
static void restart_goes_on_to_the_same_bits(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int how = IG_COLOR; how <= IG_CLUSTER; how++)
      for (int contact = 0; contact < 2; contact++)
        for (int surface = 0; surface < 2; surface++)
          for (int after_row = 0; after_row < 2; after_row++) /* 40: a step with a check */
            if (how != IG_CLUSTER || !surface)
              restarted(*backend, how, contact, surface, after_row ? 40 : 37, after_row);
}

/* In pure shear below the tensile strength a facet opens by its shear strength, where it is less.
 */
static void shear_alone_opens_facets(void **state) {
  (void)state;
  static const ig_elem_type types[] = {IG_TRI6, IG_TET4};
  for (int k = 0; k < 2; k++)
    for (int law = 0; law < 2; law++)
      for (int weak = 0; weak < 2; weak++) {
        ig_ctx *cx = ctx_on("cpu", 1);
        ig_frac_problem p;
        ig_frac_model m;
        small(&p, cx, types[k], 0.25);
        double strain2[] = {0, 0, 0.01}, strain3[] = {0, 0, 0, 0.01, 0, 0}; /* 7.7 MPa */
        p.initial.strain = k ? (ig_reals){6, strain3} : (ig_reals){3, strain2};
        p.c.cohesive.law = law;
        p.material.cohesive_strength = 12e6;
        p.material.cohesive_strength_shear = weak ? 5e6 : 12e6;
        GOOD(cx, ig_frac_setup(&p.job, &m));
        GOOD(cx, ig_frac_model_run(&m, 1));
        assert_int_equal(m.count.cohesive > 0, weak);
        ig_frac_model_free(&m);
        ig_frac_problem_free(&p);
        ig_ctx_close(cx);
      }
}

/* A closed crack parts the mesh, holds against a push and lets go of a pull. */
static void a_closed_crack_only_pushes(void **state) {
  (void)state;
  for (int contact = 0; contact < 2; contact++)
    for (int pull = 0; pull < 2; pull++) {
      ig_ctx *cx = ctx_on("debug", 1);
      ig_frac_problem p;
      ig_frac_model m;
      small(&p, cx, IG_TRI6, 0);
      p.c.cohesive.contact = contact;
      p.crack = (ig_frac_crack_case){.from = {0, 0.4}, .to = {1, 0.4}, .closed = true};
      p.c.cracks = (ig_list){1, &p.crack};
      p.load[0] =
          (ig_frac_load_case){.set = "ymax", .pressure = pull ? -1e4 : 1e4, .traction = {NAN}};
      p.load[1] = p.load[0];
      p.c.loads = (ig_list){2, p.load}; /* twice on the same faces: they add up */
      p.support[0] = ig_support_fix("ymin", "all");
      p.c.supports = (ig_list){1, p.support};
      GOOD(cx, ig_frac_setup(&p.job, &m));
      GOOD(cx, ig_frac_tables_check(&m));
      assert_int_equal(m.count.cohesive, 5);
      const double t = 20e-3;
      GOOD(cx, ig_frac_model_run(&m, (int64_t)(t / m.s.dt)));
      void *u;
      GOOD(cx, ig_frac_model_pull(&m, "u", &u));
      double most = 0;
      for (int64_t i = 0; i < m.count.nodes; i++)
        most = fmax(most, fabs(((double *)u)[2 * i + 1]));
      if (pull) /* the upper half flies off: u = 1/2 (2 p / rho h) t^2 */
        assert_float_equal(most, 0.5 * 2e4 / (1000 * 0.4) * t * t, 0.1 * most);
      else
        assert_true(most < 4 * 2e4 * 0.8 / 1e9);
      ig_frac_model_free(&m);
      ig_frac_problem_free(&p);
      ig_ctx_close(cx);
    }
}

/* Entries of `initial` add up, each where its set is. */
static void initial_fields_add_up(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_frac_problem p;
  ig_frac_model m;
  small(&p, cx, IG_TRI6, 0);
  double strain[] = {1e-3, 0, 2e-3};
  ig_frac_initial_case in[] = {
      {.displacement = {0.1, 0.2}, .strain = {3, strain}},
      {.set = "some", .velocity = {3, 4}, .spin = {0, 0, 10}, .expansion = 2, .about = {0.5, 0.4}}};
  p.c.initial = (ig_list){2, in};
  ig_set *set;
  GOOD(cx, ig_mesh_add_set(cx, p.job.mesh, "some", IG_SET_ELEMENTS, 1, &set));
  set->item[0] = 7;
  GOOD(cx, ig_frac_setup(&p.job, &m));
  const double *u = ig_frac_model_host(&m, "u"), *w = ig_frac_model_host(&m, "v");
  const ig_lid *conn = p.job.mesh->block[0].conn + 7 * 6;
  int moving = 0;
  for (int64_t n = 0; n < m.count.nodes; n++) {
    const double *x = p.job.mesh->x + 3 * n;
    bool on = false;
    for (int a = 0; a < 6; a++)
      on = on || conn[a] == n;
    moving += on;
    assert_float_equal(u[2 * n], 0.1 + 1e-3 * x[0] + 2e-3 * x[1], 1e-12);
    assert_float_equal(u[2 * n + 1], 0.2 + 2e-3 * x[0], 1e-12);
    assert_float_equal(w[2 * n], on ? 3 + 2 * (x[0] - 0.5) - 10 * (x[1] - 0.4) : 0, 1e-12);
    assert_float_equal(w[2 * n + 1], on ? 4 + 2 * (x[1] - 0.4) + 10 * (x[0] - 0.5) : 0, 1e-12);
  }
  assert_int_equal(moving, 6);
  ig_frac_model_free(&m);
  in[1].set = "none";
  BAD(cx, ig_frac_setup(&p.job, &m), "'none'");
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}

static void wrong_cases_are_explained(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_frac_problem p;
  ig_frac_model m;
  small(&p, cx, IG_TRI6, 0.25);
  p.crack = (ig_frac_crack_case){.from = {0.1, 0.111}, .to = {0.2, 0.222}};
  p.c.cracks = (ig_list){1, &p.crack};
  BAD(cx, ig_frac_setup(&p.job, &m), "must run along element edges");
  ig_frac_model_free(&m);
  p.c.cracks.count = 0;
  p.support[0] = ig_support_fix("nowhere", "x");
  p.c.supports = (ig_list){1, p.support};
  BAD(cx, ig_frac_setup(&p.job, &m), "'nowhere'");
  ig_frac_model_free(&m);
  p.support[0] = ig_support_fix("xmin", NULL);
  BAD(cx, ig_frac_setup(&p.job, &m), "holds nothing");
  ig_frac_model_free(&m);
  p.c.supports.count = 0;
  p.c.time_step = 1;
  BAD(cx, ig_frac_setup(&p.job, &m), "beyond the critical one");
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patch),
      cmocka_unit_test(shattering_keeps_mass_momentum_energy),
      cmocka_unit_test(threads_do_not_show),
      cmocka_unit_test(restart_goes_on_to_the_same_bits),
      cmocka_unit_test(a_checkpoint_with_wrong_numbers_is_refused),
      cmocka_unit_test(shear_alone_opens_facets),
      cmocka_unit_test(a_closed_crack_only_pushes),
      cmocka_unit_test(initial_fields_add_up),
      cmocka_unit_test(wrong_cases_are_explained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
