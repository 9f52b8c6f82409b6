/* Simulations under the control of another program: portions, fields, views, loads, supports,
   states in memory, snapshots and rows handed over. */
#include "check.h"
#include "small_cases.h"
#include <ingot/sim.h>

#include "core/output.h"
#include "io/format/crc.h"

/* --- what a run shows, as a fingerprint */

typedef struct {
  int rows, pictures;
  uint64_t hash;
} shown;

static void take(shown *s, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    s->hash = (s->hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}
static void on_row(void *user, int columns, const char *const *names, const double *values) {
  shown *s = user;
  assert_true(columns > 0 && strlen(names[0]) > 0);
  s->rows++;
  take(s, values, sizeof *values * (size_t)columns);
}
static void on_snapshot(void *user, const ig_snapshot_view *v) {
  shown *s = user;
  s->pictures++;
  assert_true(v->points > 0 && v->cells > 0 && v->fields > 0);
  assert_int_equal(v->offset[0], 0);
  for (int64_t c = 0; c < v->cells; c++)
    for (int64_t k = v->offset[c]; k < v->offset[c + 1]; k++)
      assert_true(v->corner[k] >= 0 && v->corner[k] < v->points);
  for (int i = 0; i < v->fields; i++) {
    const ig_snapshot_field *f = &v->field[i];
    const int64_t items = f->where == IG_AT_POINTS ? v->points : v->cells;
    assert_true(f->where != IG_AT_ELEMENTS);
    take(s, f->data, (size_t)items * (size_t)f->components * ig_dtype_size(f->dtype));
  }
}

/* One step at a time, seven, until half way and on: rows and snapshots have the bits of ig_run. */
static void portions_have_the_bits_of_a_run(void **state) {
  (void)state;
  for (int i = 0; i < SMALL_CASES; i++) {
    ig_ctx *cx = ctx_on("debug", 1);
    shown whole = {0}, part[2] = {{0}};
    ig_case *c = small_open(cx, &small_cases[i]);
    print_message("%s\n", small_cases[i].name);
    GOOD(cx, ig_run(c, &(ig_run_options){.snapshot = on_snapshot, .row = on_row, .user = &whole}));
    ig_case_close(c);
    for (int p = 0; p < 2; p++) {
      ig_sim *sim;
      int64_t done;
      c = small_open(cx, &small_cases[i]);
      GOOD(cx, ig_sim_open(
                   c, &(ig_sim_options){.snapshot = on_snapshot, .row = on_row, .user = &part[p]},
                   &sim));
      while (!ig_sim_ended(sim))
        GOOD(cx, ig_sim_step(sim, p ? 7 : 1, &done));
      GOOD(cx, ig_sim_finish(sim));
      ig_sim_close(sim);
      ig_case_close(c);
      assert_int_equal(part[p].rows, whole.rows);
      assert_int_equal(part[p].pictures, whole.pictures);
      assert_true(part[p].hash == whole.hash);
    }
    assert_int_equal(whole.rows > 0, small_cases[i].first >= 0);
    ig_ctx_close(cx);
  }
}

/* --- fields */

typedef struct {
  int count;
  ig_field_info info[16];
} list;
static void on_field(void *user, const ig_field_info *info) {
  list *l = user;
  assert_true(l->count < 16);
  l->info[l->count++] = *info;
}

/* Every field of every room: a copy and a view agree, a stale view is known as such, setting what
   is there changes nothing, values that are no numbers are refused. */
static void fields_are_read_and_set(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < SMALL_CASES; i++) {
      ig_ctx *cx = ctx_on(*backend, 1);
      ig_case *c = small_open(cx, &small_cases[i]);
      ig_sim *sim;
      list l = {0};
      if (small_cases[i].whole || small_closed(&small_cases[i])) {
        ig_case_close(c);
        ig_ctx_close(cx);
        continue;
      }
      print_message("%s on %s\n", small_cases[i].name, *backend);
      GOOD(cx, ig_sim_open(c, NULL, &sim));
      GOOD(cx, ig_sim_step(sim, 2, NULL));
      ig_sim_fields(sim, on_field, &l);
      assert_true(l.count > 0);
      for (int k = 0; k < l.count; k++) {
        const ig_field_info *f = &l.info[k];
        const size_t n = (size_t)f->count * (size_t)f->components;
        double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
        ig_field_view v;
        assert_non_null(a);
        assert_non_null(b);
        GOOD(cx, ig_sim_get(sim, f->name, a));
        GOOD(cx, ig_sim_view(sim, f->name, IG_ON_HOST, &v));
        assert_true(ig_sim_is_fresh(sim, &v));
        assert_int_equal(v.info.count, f->count);
        for (size_t j = 0; j < n; j++) {
          const char *at = (const char *)v.data + (int64_t)j / f->components * v.stride[0] +
                           (int64_t)j % f->components * v.stride[1];
          const double seen =
              v.info.dtype == IG_F32 ? (double)*(const float *)at : *(const double *)at;
          assert_true(seen == a[j] || (isnan(seen) && isnan(a[j])));
        }
        if (!f->writable) {
          BAD(cx, ig_sim_set(sim, f->name, a), "read only");
        } else {
          GOOD(cx, ig_sim_set(sim, f->name, a));
          assert_false(ig_sim_is_fresh(sim, &v)); /* it was set: the view may be of the past */
          GOOD(cx, ig_sim_get(sim, f->name, b));
          assert_memory_equal(a, b, n * sizeof *a);
          b[n - 1] = NAN;
          BAD(cx, ig_sim_set(sim, f->name, b), "value");
          assert_int_equal(ig_sim_set(sim, f->name, NULL), IG_ARG);
        }
        free(a);
        free(b);
      }
      ig_field_view v;
      GOOD(cx, ig_sim_view(sim, l.info[0].name, IG_ON_HOST, &v));
      GOOD(cx, ig_sim_step(sim, 1, NULL));
      assert_false(ig_sim_is_fresh(sim, &v));
      BAD(cx, ig_sim_view(sim, "nonsense", IG_ON_HOST, &v), "there is no field 'nonsense'");
      ig_sim_close(sim);
      ig_case_close(c);
      ig_ctx_close(cx);
    }
}

/* --- states in memory */

static void first_field(void *user, const ig_field_info *info) {
  ig_field_info *to = user;
  if (!to->name)
    *to = *info;
}

/* Saved, gone on, restored, gone on again: the same bits, with the factor of a load as it was. */
static void a_state_is_saved_and_restored(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++)
    for (int i = 0; i < SMALL_CASES; i++) {
      if (small_cases[i].whole || small_closed(&small_cases[i]))
        continue;
      ig_ctx *cx = ctx_on(*backend, 1);
      ig_case *c = small_open(cx, &small_cases[i]);
      ig_sim *sim;
      ig_sim_state *kept;
      ig_field_info f = {0};
      print_message("%s on %s\n", small_cases[i].name, *backend);
      GOOD(cx, ig_sim_open(c, NULL, &sim));
      ig_sim_fields(sim, first_field, &f);
      const bool loads =
          strcmp(small_cases[i].name, "topopt") != 0 && strcmp(small_cases[i].name, "grains") != 0;
      if (loads)
        GOOD(cx, ig_sim_scale_load(sim, 0, 0.5));
      else
        assert_int_equal(ig_sim_scale_load(sim, 0, 0.5), IG_INPUT);
      GOOD(cx, ig_sim_step(sim, 3, NULL));
      GOOD(cx, ig_sim_save(sim, &kept));
      const double time = ig_sim_time(sim);
      const int64_t step = ig_sim_steps(sim);
      const size_t n = (size_t)f.count * (size_t)f.components;
      double *end[2] = {calloc(n, sizeof(double)), calloc(n, sizeof(double))};
      for (int pass = 0; pass < 2; pass++) {
        GOOD(cx, ig_sim_step(sim, 5, NULL));
        assert_non_null(end[pass]);
        GOOD(cx, ig_sim_get(sim, f.name, end[pass]));
        if (pass == 0) {
          if (loads)
            GOOD(cx, ig_sim_scale_load(sim, 0, 0.9)); /* later than the state */
          if (i % 2 == 0) {                           /* by way of its bytes */
            const size_t size = ig_sim_state_size(kept);
            char *bytes = malloc(size);
            assert_non_null(bytes);
            ig_sim_state_pack(kept, bytes);
            ig_sim_state_free(kept);
            GOOD(cx, ig_sim_state_unpack(cx, bytes, size, &kept));
            free(bytes);
          }
          GOOD(cx, ig_sim_restore(sim, kept));
          assert_true(ig_sim_time(sim) == time);
          assert_int_equal(ig_sim_steps(sim), step);
        }
      }
      assert_memory_equal(end[0], end[1], n * sizeof(double));
      ig_sim_state_free(kept);
      free(end[0]);
      free(end[1]);
      ig_sim_close(sim);
      ig_case_close(c);
      ig_ctx_close(cx);
    }
}

/* Bytes that are cut off, changed or of something else give an error, whatever their head says. */
static void damaged_bytes_of_a_state_are_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = small_open(cx, &(small_case){.set = small_dynamics});
  ig_sim *sim;
  ig_sim_state *kept, *read;
  GOOD(cx, ig_sim_open(c, NULL, &sim));
  GOOD(cx, ig_sim_save(sim, &kept));
  const size_t size = ig_sim_state_size(kept);
  enum { HEAD = 32, CRC = 24 };
  char *bytes = malloc(size);
  assert_non_null(bytes);
  ig_sim_state_pack(kept, bytes);
  for (size_t cut = 0; cut < size; cut += 1 + size / 97)
    assert_int_equal(ig_sim_state_unpack(cx, bytes, cut, &read), IG_INPUT);
  for (size_t at = 0; at < size; at += 1 + size / 97) {
    bytes[at] ^= 0x55;
    if (at < CRC + 4 || at >= HEAD) {
      assert_int_equal(ig_sim_state_unpack(cx, bytes, size, &read), IG_INPUT);
      assert_null(read);
    }
    /* with a checksum that fits, the numbers inside are still checked against the size */
    uint32_t old;
    const uint32_t crc = ig_crc32(0, bytes + HEAD, size - HEAD);
    memcpy(&old, bytes + CRC, sizeof old);
    memcpy(bytes + CRC, &crc, sizeof crc);
    if (ig_sim_state_unpack(cx, bytes, size, &read) == IG_OK)
      ig_sim_state_free(read);
    memcpy(bytes + CRC, &old, sizeof old);
    bytes[at] ^= 0x55;
  }
  GOOD(cx, ig_sim_state_unpack(cx, bytes, size, &read));
  ig_sim_state_free(read);
  memset(bytes, 'x', HEAD);
  BAD(cx, ig_sim_state_unpack(cx, bytes, size, &read), "these bytes are no saved state");
  assert_int_equal(ig_sim_state_size(NULL), 0);
  free(bytes);
  ig_sim_state_free(kept);
  ig_sim_close(sim);
  ig_case_close(c);
  ig_ctx_close(cx);
}

static void a_state_of_another_simulation_is_refused(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *one = small_open(cx, &(small_case){.set = small_dynamics});
  ig_case *two = small_open(cx, &(small_case){.set = small_static});
  ig_sim *sim;
  ig_sim_state *kept;
  GOOD(cx, ig_sim_open(one, NULL, &sim));
  GOOD(cx, ig_sim_save(sim, &kept));
  ig_sim_close(sim);
  GOOD(cx, ig_sim_open(two, NULL, &sim));
  assert_int_equal(ig_sim_restore(sim, kept), IG_ARG);
  SAYS(cx, "not of this simulation");
  GOOD(cx, ig_sim_step(sim, 1, NULL)); /* it is as it was */
  ig_sim_close(sim);
  /* the same mesh and physics with another setting: the key is named; another end is no other case
   */
  ig_case *three = small_open(cx, &(small_case){.set = small_dynamics});
  GOOD(cx, ig_case_set(three, "materials[0].young", "100 GPa"));
  GOOD(cx, ig_sim_open(three, NULL, &sim));
  assert_int_equal(ig_sim_restore(sim, kept), IG_ARG);
  SAYS(cx, "saved when 'materials' in the case was another");
  GOOD(cx, ig_sim_step(sim, 1, NULL));
  ig_sim_close(sim);
  ig_case *four = small_open(cx, &(small_case){.set = small_dynamics});
  GOOD(cx, ig_case_set(four, "title", "longer"));
  GOOD(cx, ig_sim_open(four, NULL, &sim));
  GOOD(cx, ig_sim_restore(sim, kept));
  ig_sim_close(sim);
  ig_case_close(three);
  ig_case_close(four);
  ig_sim_state_free(kept);
  ig_sim_state_free(NULL);
  ig_case_close(one);
  ig_case_close(two);
  ig_ctx_close(cx);
}

/* --- loads and supports */

static double last_of(ig_ctx *cx, ig_sim *sim, const char *name, int components) {
  list l = {0};
  ig_sim_fields(sim, on_field, &l);
  for (int i = 0; i < l.count; i++)
    if (strcmp(l.info[i].name, name) == 0) {
      const size_t n = (size_t)l.info[i].count * (size_t)components;
      double *v = calloc(n, sizeof *v);
      assert_non_null(v);
      GOOD(cx, ig_sim_get(sim, name, v));
      const double x = v[n - (size_t)components];
      free(v);
      return x;
    }
  fail_msg("no field %s", name);
  return 0;
}

static const char *const pulled[] = {
    "physics",   "dynamics",
    "precision", "double",
    "mesh",      "{boxes: [{size: [1, 0.1, 0.1], cells: [10, 1, 1]}]}",
    "materials", "[{name: steel, density: 7850, young: 210 GPa, poisson: 0}]",
    "supports",  "[{set: xmin, fix: xyz}, {set: xmax, components: x, velocity: [1 m/s, 0, 0]}]",
    "analysis",  "[{kind: dynamic, duration: 1 ms}]",
    NULL};

static const char *const warmed[] = {
    "physics",   "thermal",
    "precision", "double",
    "mesh",      "{boxes: [{size: [1 mm, 1 mm, 1 mm], cells: [1, 1, 1]}]}",
    "materials", "[{name: m, density: 8000, conductivity: 1e-9, specific_heat: 500}]",
    "boundary",  "[{set: zmin, temperature: 400 K}, {set: zmax, flux: 1 MW/m^2}]",
    "time_step", "1 ms",
    "duration",  "1 s",
    NULL};

/* A cube that hardly conducts: its floor takes 400 K, then 1.25 times that. Its top, with half the
   cube's heat capacity of 4 MJ/(m^3 K), gains q t / 2000 J/(m^2 K): 0.5 K per ms at 1 MW/m^2. A
   state taken between the changes goes on to the same bits. */
static void boundary_of_heat(ig_ctx *cx, ig_case *c) {
  ig_sim *sim;
  ig_sim_state *state;
  double T[8], again[8];
  GOOD(cx, ig_sim_open(c, NULL, &sim));
  GOOD(cx, ig_sim_step(sim, 10, NULL));
  GOOD(cx, ig_sim_get(sim, "T", T));
  assert_near(T[0], 400, 1e-9);
  assert_near(T[7], 300 + 10 * 0.5, 1e-6);
  GOOD(cx, ig_sim_scale_support(sim, 0, 1.25));
  GOOD(cx, ig_sim_scale_support(sim, 1, -2));
  GOOD(cx, ig_sim_step(sim, 4, NULL));
  GOOD(cx, ig_sim_save(sim, &state));
  GOOD(cx, ig_sim_step(sim, 6, NULL));
  GOOD(cx, ig_sim_get(sim, "T", T));
  assert_near(T[0], 500, 1e-9);
  assert_near(T[7], 300 + 10 * 0.5 - 2 * 10 * 0.5, 1e-6);
  GOOD(cx, ig_sim_scale_support(sim, 1, 7));
  GOOD(cx, ig_sim_restore(sim, state));
  GOOD(cx, ig_sim_step(sim, 6, NULL));
  GOOD(cx, ig_sim_get(sim, "T", again));
  assert_memory_equal(T, again, sizeof T);
  BAD(cx, ig_sim_scale_support(sim, 2, 1), "there is no boundary 2: the case has 2");
  BAD(cx, ig_sim_scale_support(sim, 0, -1), "temperatures in K are not negative");
  ig_sim_state_free(state);
  ig_sim_close(sim);
}

static const char *const bent[] = {
    "physics",
    "dynamics",
    "mesh",
    "{boxes: [{size: [10 mm, 2 mm, 2 mm], cells: [8, 2, 2]}]}",
    "materials",
    "[{name: steel, density: 7850, young: 200 GPa, poisson: 0.3, yield: 200 MPa, "
    "hardening: 1 GPa}]",
    "supports",
    "[{set: xmin, fix: xyz}]",
    "loads",
    "[{set: xmax, total: [0, 0, -55 N]}]",
    "analysis",
    "[{kind: static}]",
    NULL};

/* A cantilever that yields, by Newton's method: saved on the way, and after its end, a run ends
   with the same displacements and figures as without. */
static void statics_are_saved_on_the_way(void **state) {
  (void)state;
  enum { VALUES = 3 * 9 * 3 * 3 };
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 1);
    ig_case *c = small_open(cx, &(small_case){.set = bent});
    double u[4][VALUES];
    for (int i = 0; i < 4; i++) { /* saved after so many steps: never, 1, 4, all */
      ig_sim *sim;
      ig_sim_state *kept = NULL;
      GOOD(cx, ig_sim_open(c, NULL, &sim));
      if (i > 0) {
        GOOD(cx, ig_sim_step(sim, i == 1 ? 1 : i == 2 ? 4 : 1000, NULL));
        GOOD(cx, ig_sim_save(sim, &kept));
        if (!ig_sim_ended(sim))
          GOOD(cx, ig_sim_step(sim, 2, NULL));
        GOOD(cx, ig_sim_restore(sim, kept));
      }
      while (!ig_sim_ended(sim))
        GOOD(cx, ig_sim_step(sim, 3, NULL));
      GOOD(cx, ig_sim_get(sim, "displacement", u[i]));
      assert_true(ig_sim_steps(sim) > 4);
      assert_memory_equal(u[i], u[0], sizeof u[0]);
      ig_sim_state_free(kept);
      ig_sim_close(sim);
    }
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

/* The end of a bar is led at 1 m/s, then at half of it, then it stands still: by hand
   0.2 ms x 1 + 0.2 ms x 0.5 = 0.3 mm, to a step's length. */
static void a_support_is_changed_between_steps(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 1);
    ig_case *c = small_open(cx, &(small_case){.set = pulled});
    ig_sim *sim;
    double u[3];
    GOOD(cx, ig_sim_open(c, NULL, &sim));
    GOOD(cx, ig_sim_until(sim, 2e-4));
    const double first = ig_sim_time(sim);
    u[0] = last_of(cx, sim, "displacement", 3);
    assert_near(u[0], first, 1e-12);
    GOOD(cx, ig_sim_scale_support(sim, 1, 0.5));
    GOOD(cx, ig_sim_until(sim, 4e-4));
    u[1] = last_of(cx, sim, "displacement", 3);
    assert_near(u[1], first + 0.5 * (ig_sim_time(sim) - first), 1e-12);
    GOOD(cx, ig_sim_scale_support(sim, 1, 0));
    GOOD(cx, ig_sim_step(sim, 5, NULL));
    u[2] = last_of(cx, sim, "displacement", 3);
    assert_near(u[2], u[1], 1e-15);
    BAD(cx, ig_sim_scale_support(sim, 2, 1), "there is no support 2: the case has 2");
    assert_int_equal(ig_sim_scale_support(sim, 1, NAN), IG_ARG);
    assert_int_equal(ig_sim_scale_support(sim, -1, 1), IG_ARG);
    ig_sim_close(sim);
    ig_case_close(c);
    c = small_open(cx, &(small_case){.set = small_fracture}); /* led at 20 m/s: reversed */
    GOOD(cx, ig_sim_open(c, NULL, &sim));
    GOOD(cx, ig_sim_scale_support(sim, 0, -1));
    GOOD(cx, ig_sim_scale_support(sim, 1, -1));
    GOOD(cx, ig_sim_step(sim, 20, NULL));
    double *v = calloc(100000, sizeof *v);
    assert_non_null(v);
    GOOD(cx, ig_sim_get(sim, "velocity", v));
    assert_near(v[0], 20, 1e-9); /* xmin moves inwards */
    free(v);
    BAD(cx, ig_sim_scale_support(sim, 2, 1), "there is no support 2");
    ig_sim_close(sim);
    ig_case_close(c);
    c = small_open(cx, &(small_case){.set = warmed});
    boundary_of_heat(cx, c);
    ig_case_close(c);
    c = small_open(cx, &(small_case){.set = small_topopt});
    GOOD(cx, ig_sim_open(c, NULL, &sim));
    BAD(cx, ig_sim_scale_support(sim, 0, 2), "the supports of 'topopt' cannot be changed");
    ig_sim_close(sim);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

/* --- from one simulation to another */

static const char *const heated[] = {
    "physics",
    "thermal",
    "mesh",
    "{boxes: [{size: [10 mm, 2 mm, 2 mm], cells: [5, 1, 1]}]}",
    "materials",
    "[{name: steel, density: 7800, conductivity: 40, specific_heat: 500}]",
    "initial_temperature",
    "300 K",
    "boundary",
    "[{set: xmin, temperature: 300 K}, {set: xmax, temperature: 500 K}]",
    "duration",
    "20 s",
    "output",
    "{checkpoint_every: 0}",
    NULL};
static const char *const strained[] = {
    "physics",
    "stress",
    "mesh",
    "{boxes: [{size: [10 mm, 2 mm, 2 mm], cells: [5, 1, 1]}]}",
    "materials",
    "[{name: steel, density: 7800, young: 210 GPa, poisson: 0, mechanical: {expansion: 1e-5}}]",
    "temperature",
    "300 K",
    "supports",
    "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]",
    "phases",
    "[{name: warm, kind: load, steps: 3, duration: 1 s}]",
    "output",
    "{checkpoint_every: 0}",
    NULL};

/* Temperatures of a thermal simulation, handed over in memory: a bar from 300 to 500 K, free to
   expand, grows by 1e-5 x 100 K x 10 mm = 10 um. A state saved before the step goes on to the same
   bits. */
static void heat_is_handed_to_stress(void **state) {
  (void)state;
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *hot = ctx_on(*backend, 1), *cold = ctx_on(*backend, 1);
    ig_case *ch = small_open(hot, &(small_case){.set = heated});
    ig_case *cs = small_open(cold, &(small_case){.set = strained});
    ig_sim *heat, *stress;
    ig_sim_state *kept;
    double T[24], u[2][72], back[24];
    GOOD(hot, ig_sim_open(ch, NULL, &heat));
    GOOD(cold, ig_sim_open(cs, NULL, &stress));
    GOOD(hot, ig_sim_step(heat, INT64_MAX, NULL));
    GOOD(hot, ig_sim_get(heat, "T", T));
    GOOD(cold, ig_sim_set(stress, "T", T));
    GOOD(cold, ig_sim_get(stress, "T", back));
    assert_memory_equal(T, back, sizeof T);
    GOOD(cold, ig_sim_save(stress, &kept));
    for (int pass = 0; pass < 2; pass++) {
      GOOD(cold, ig_sim_step(stress, 1, NULL));
      GOOD(cold, ig_sim_get(stress, "displacement", u[pass]));
      if (pass == 0)
        GOOD(cold, ig_sim_restore(stress, kept));
    }
    double mean = 0; /* over the far end: no force goes through any section */
    ig_mesh *mesh;
    GOOD(cold, ig_case_mesh(cs, &mesh));
    assert_int_equal(mesh->nodes, 24);
    for (int n = 0; n < 24; n++)
      mean += mesh->x[3 * n] > 9.9e-3 ? u[0][3 * n] / 4 : 0;
    ig_mesh_free(mesh);
    assert_near(mean, 1e-5, 1e-9);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    GOOD(cold, ig_sim_step(stress, 1, NULL)); /* they stay until they are set again */
    GOOD(cold, ig_sim_get(stress, "T", back));
    assert_memory_equal(T, back, sizeof T);
    ig_sim_state_free(kept);
    ig_sim_close(heat);
    ig_sim_close(stress);
    ig_case_close(ch);
    ig_case_close(cs);
    ig_ctx_close(hot);
    ig_ctx_close(cold);
  }
}

/* --- looking on request, misuse */

static void the_state_is_shown_on_request(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("debug", 1);
  ig_case *c = small_open(cx, &(small_case){.set = small_dynamics});
  ig_sim *sim;
  shown a = {0}, b = {0}, later = {0};
  GOOD(cx, ig_sim_open(c, NULL, &sim));
  GOOD(cx, ig_sim_step(sim, 3, NULL));
  GOOD(cx, ig_sim_show(sim, on_snapshot, &a));
  GOOD(cx, ig_sim_show(sim, on_snapshot, &b));
  GOOD(cx, ig_sim_step(sim, 1, NULL));
  GOOD(cx, ig_sim_show(sim, on_snapshot, &later));
  assert_int_equal(a.pictures, 1);
  assert_true(a.hash == b.hash && a.hash != later.hash);
  assert_int_equal(ig_sim_show(sim, NULL, NULL), IG_ARG);
  ig_sim_close(sim);
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* A request to stop ends one run, not all later ones (M3); a context that failed to open, and no
   context at all, are refused in words (L9). */
static void requests_and_contexts_that_failed(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c = small_open(cx, &(small_case){.set = small_dynamics});
  ig_sim *sim;
  int64_t done;
  ig_ctx_interrupt(cx);
  assert_int_equal(ig_run(c, NULL), IG_INTERRUPTED);
  GOOD(cx, ig_run(c, NULL));
  GOOD(cx, ig_sim_open(c, NULL, &sim));
  ig_ctx_interrupt(cx);
  assert_int_equal(ig_sim_step(sim, 5, &done), IG_INTERRUPTED);
  assert_int_equal(done, 0);
  GOOD(cx, ig_sim_step(sim, 5, &done)); /* and it goes on */
  assert_int_equal(done, 5);
  assert_int_equal(ig_sim_step(sim, -1, &done), IG_ARG);
  assert_int_equal(ig_sim_until(sim, NAN), IG_ARG);
  GOOD(cx, ig_sim_finish(sim));
  assert_int_equal(ig_sim_step(sim, 1, &done), IG_ARG);
  SAYS(cx, "finished");
  assert_true(ig_sim_ended(sim));
  ig_sim_close(sim);
  ig_case_close(c);
  ig_ctx_close(cx);

  assert_int_equal(ig_ctx_open(&(ig_ctx_options){.backend = "nope"}, &cx), IG_INPUT);
  assert_non_null(cx);
  assert_true(ig_case_new(cx, &c) != IG_OK);
  ig_ctx_close(cx);
  assert_true(ig_case_new(NULL, &c) != IG_OK);
  assert_true(ig_case_open(NULL, "x.yaml", &c) != IG_OK);
  assert_int_equal(ig_sim_open(NULL, NULL, &sim), IG_ARG);
  assert_int_equal(ig_sim_step(NULL, 1, NULL), IG_ARG);
  assert_true(ig_sim_ended(NULL));
  ig_sim_close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(portions_have_the_bits_of_a_run),
      cmocka_unit_test(fields_are_read_and_set),
      cmocka_unit_test(a_state_is_saved_and_restored),
      cmocka_unit_test(damaged_bytes_of_a_state_are_refused),
      cmocka_unit_test(a_state_of_another_simulation_is_refused),
      cmocka_unit_test(statics_are_saved_on_the_way),
      cmocka_unit_test(a_support_is_changed_between_steps),
      cmocka_unit_test(heat_is_handed_to_stress),
      cmocka_unit_test(the_state_is_shown_on_request),
      cmocka_unit_test(requests_and_contexts_that_failed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
