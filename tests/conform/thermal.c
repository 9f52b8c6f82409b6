/* Heat: every driver (backend x precision x assembly x conduction x surface) against a plain serial
   element loop written from the textbook, over a few steps with births, surfaces and sources. */
#include "check.h"
#include "backend/backend.h"
#include "geometry/mesh_case.h"
#include "thermal/engine/heat.h"

enum { NX = 5, NY = 4, NZ = 4, ELEMS = NX * NY * NZ, NODES = (NX + 1) * (NY + 1) * (NZ + 1) };
enum { STEPS = 12 };

/* A box grid; `bend` moves inner nodes about. Face set "bottom". */
static ig_mesh *grid(ig_ctx *cx, double bend) {
  ig_mesh *mesh;
  ig_block *block;
  ig_set *set;
  GOOD(cx, ig_mesh_new(cx, 3, NODES, &mesh));
  GOOD(cx, ig_mesh_add_block(cx, mesh, IG_HEX8, ELEMS, &block));
  for (int k = 0, n = 0; k <= NZ; k++)
    for (int j = 0; j <= NY; j++)
      for (int i = 0; i <= NX; i++, n++) {
        mesh->x[3 * n] = 1e-3 * (i + bend * sin(3. * j + 5. * k));
        mesh->x[3 * n + 1] = 1e-3 * (j + bend * sin(7. * i + 2. * k));
        mesh->x[3 * n + 2] = 0.8e-3 * (k + bend * sin(4. * i + 3. * j));
      }
  for (int k = 0, e = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++, e++) {
        const int n = i + (NX + 1) * (j + (NY + 1) * k), y = NX + 1, z = (NX + 1) * (NY + 1);
        const int corner[8] = {n,     n + 1,     n + 1 + y,     n + y,
                               n + z, n + 1 + z, n + 1 + y + z, n + y + z};
        memcpy(&block->conn[8 * e], corner, sizeof corner);
      }
  GOOD(cx, ig_mesh_add_set(cx, mesh, "bottom", IG_SET_FACES, NX * NY, &set));
  for (int e = 0; e < NX * NY; e++) {
    set->item[e] = e;
    for (int f = 0; f < 6; f++) {
      int low = 1;
      for (int a = 0; a < 4; a++)
        low &= ig_elem_face(IG_HEX8, f)[a] < 4;
      if (low)
        set->face[e] = (uint8_t)f;
    }
  }
  return mesh;
}

typedef struct {
  bool tables, births, held;
} variant;

static double table_x[] = {0, 500, 1500}, k_y[] = {10, 20, 30}, c_y[] = {400, 500, 700};
static double one_x[] = {0}, rho_y[] = {8000}, k0_y[] = {25}, c0_y[] = {500};

static ig_material_case metal(const variant *v) {
  ig_material_case m;
  memset(&m, 0, sizeof m);
  m.name = "metal";
  m.density = (ig_table){1, one_x, rho_y};
  m.conductivity = v->tables ? (ig_table){3, table_x, k_y} : (ig_table){1, one_x, k0_y};
  m.specific_heat = v->tables ? (ig_table){3, table_x, c_y} : (ig_table){1, one_x, c0_y};
  m.solidus = m.liquidus = m.emissivity = NAN;
  return m;
}

static double start_temperature(int n) {
  return 600 + 300 * sin(0.7 * n);
}
static double birth_time(int e) {
  return e < 2 * NX * NY ? -INFINITY : 1e-3 * (1 + (e / 3) % 8);
}
static const double dt = 1e-3, ambient = 300, sigma = 5.670374419e-8;
static const ig_heat_condition conditions[] = {
    {.faces = NULL, .temperature = NAN, .flux = NAN, .h = 40, .emissivity = 0.4, .ambient = NAN},
    {.faces = NULL, .temperature = NAN, .flux = 2e5, .h = NAN, .emissivity = NAN, .ambient = NAN},
    {.faces = NULL, .temperature = 450, .flux = NAN, .h = NAN, .emissivity = NAN, .ambient = NAN}};

/* --- the reference: shape functions, Jacobian, gradient, one element after the other */

static const double corner_at[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                       {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static double interpolate(const double *y, double x) {
  if (x >= table_x[2])
    return y[2];
  const int s = x >= table_x[1];
  return y[s] + (y[s + 1] - y[s]) * (x - table_x[s]) / (table_x[s + 1] - table_x[s]);
}

static void element(const ig_mesh *mesh, const ig_lid *conn, const variant *v, const double *T,
                    double *r, double *volume) {
  memset(r, 0, 8 * sizeof *r);
  memset(volume, 0, 8 * sizeof *volume);
  for (int q = 0; q < 8; q++) {
    double N[8], D[8][3], J[3][3] = {{0}}, I[3][3], g[3] = {0}, Tq = 0;
    for (int a = 0; a < 8; a++) {
      double f[3], d[3];
      for (int c = 0; c < 3; c++) {
        f[c] = 0.5 * (1 + corner_at[a][c] * corner_at[q][c] / sqrt(3.));
        d[c] = 0.5 * corner_at[a][c];
      }
      N[a] = f[0] * f[1] * f[2];
      D[a][0] = d[0] * f[1] * f[2];
      D[a][1] = f[0] * d[1] * f[2];
      D[a][2] = f[0] * f[1] * d[2];
      Tq += N[a] * T[conn[a]];
      for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
          J[c][k] += D[a][c] * mesh->x[3 * conn[a] + k];
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        I[j][i] = J[i1][j1] * J[i2][j2] - J[i1][j2] * J[i2][j1];
      }
    const double det = J[0][0] * I[0][0] + J[0][1] * I[1][0] + J[0][2] * I[2][0];
    for (int a = 0; a < 8; a++) {
      volume[a] += N[a] * det;
      for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
          g[k] += I[k][c] / det * D[a][c] * T[conn[a]];
    }
    const double k = v->tables ? interpolate(k_y, Tq) : k0_y[0];
    for (int a = 0; a < 8; a++)
      for (int d = 0; d < 3; d++)
        for (int c = 0; c < 3; c++)
          r[a] -= k * det * I[d][c] / det * D[a][c] * g[d];
  }
}

static double film(double T) {
  return 2e5 - 40 * (T - ambient) - sigma * 0.4 * (pow(T, 4) - pow(ambient, 4));
}

static void face(const ig_mesh *mesh, const ig_lid *conn, int f, bool lumped, const double *T,
                 double *R) {
  static const int s[4] = {-1, 1, 1, -1}, t[4] = {-1, -1, 1, 1};
  const int *corner = ig_elem_face(IG_HEX8, f);
  for (int q = 0; q < 4; q++) {
    double N[4], a[3] = {0}, b[3] = {0}, Tq = 0;
    for (int i = 0; i < 4; i++) {
      const double x = s[q] / sqrt(3.), y = t[q] / sqrt(3.);
      N[i] = 0.25 * (1 + s[i] * x) * (1 + t[i] * y);
      for (int d = 0; d < 3; d++) {
        a[d] += 0.25 * s[i] * (1 + t[i] * y) * mesh->x[3 * conn[corner[i]] + d];
        b[d] += 0.25 * t[i] * (1 + s[i] * x) * mesh->x[3 * conn[corner[i]] + d];
      }
      Tq += N[i] * T[conn[corner[i]]];
    }
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    const double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 4; i++)
      R[conn[corner[i]]] += N[i] * area * film(lumped ? T[conn[corner[i]]] : Tq);
  }
}

/* Heat content of a kilogram from 0 K, J; the temperature at a content, by bisection. */
static double content(const variant *v, double T) {
  if (!v->tables)
    return c0_y[0] * T;
  double sum = 0;
  for (int s = 0; s < 2; s++) {
    const double end = fmin(T, table_x[s + 1]);
    if (end > table_x[s])
      sum += (end - table_x[s]) * 0.5 * (c_y[s] + interpolate(c_y, end));
  }
  return sum + (T > table_x[2] ? c_y[2] * (T - table_x[2]) : 0);
}
static double temperature_at(const variant *v, double heat) {
  double low = 0, high = 1e5;
  for (int i = 0; i < 200; i++) {
    const double middle = 0.5 * (low + high);
    *(content(v, middle) > heat ? &high : &low) = middle;
  }
  return 0.5 * (low + high);
}

static void reference(const ig_mesh *mesh, const variant *v, bool lumped, double *T) {
  const ig_lid *conn = mesh->block[0].conn;
  ig_adjacency adj;
  ig_ctx *cx = ctx_on("cpu", 1);
  GOOD(cx, ig_mesh_adjacency(cx, mesh, &adj));
  bool there[ELEMS] = {0};
  for (int n = 0; n < NODES; n++)
    T[n] = start_temperature(n);
  for (int n = 0; n < (NX + 1) * (NY + 1) && v->held; n++)
    T[n] = 450;
  for (int s = 0; s < STEPS; s++) {
    const double time = s * dt;
    double R[NODES] = {0}, C[NODES] = {0}, r[8], volume[8];
    double old[NODES] = {0}, grown[NODES] = {0}; /* volumes, m^3 */
    for (int e = 0; e < ELEMS; e++) {
      const bool now = !v->births || birth_time(e) <= time * (1 + 1e-12);
      if (now)
        element(mesh, conn + 8 * e, v, T, r, volume);
      for (int a = 0; a < 8 && now; a++)
        (there[e] ? old : grown)[conn[8 * e + a]] += volume[a];
      there[e] = now;
    }
    for (int n = 0; n < NODES; n++) /* what is born is mixed in */
      if (grown[n] > 0 && s > 0 && !(v->held && n < (NX + 1) * (NY + 1)))
        T[n] = temperature_at(v, (old[n] * content(v, T[n]) + grown[n] * content(v, ambient)) /
                                     (old[n] + grown[n]));
    for (int e = 0; e < ELEMS; e++) {
      if (!there[e])
        continue;
      element(mesh, conn + 8 * e, v, T, r, volume);
      for (int a = 0; a < 8; a++) {
        const int n = conn[8 * e + a];
        R[n] += r[a];
        C[n] += volume[a] * rho_y[0] * (v->tables ? interpolate(c_y, T[n]) : c0_y[0]);
      }
      for (int f = 0; f < 6; f++) {
        const ig_lid other = adj.neighbor[6 * e + f];
        if (other < 0 || !there[other])
          face(mesh, conn + 8 * e, f, lumped, T, R);
      }
    }
    R[40] += 3;
    R[41] += 1.5;
    for (int n = 0; n < NODES; n++)
      if (C[n] > 0 && !(v->held && n < (NX + 1) * (NY + 1)))
        T[n] += dt * R[n] / C[n];
  }
  ig_adjacency_free(&adj);
  ig_ctx_close(cx);
}

static void engine(ig_ctx *cx, const ig_mesh *mesh, const variant *v, ig_heat_setup *setup,
                   double *T, ig_heat_ledger *ledger) {
  const ig_material_case m = metal(v);
  const ig_material_case *materials[] = {&m};
  double birth[ELEMS];
  ig_heat_condition c[3];
  memcpy(c, conditions, sizeof c);
  c[2].faces = ig_mesh_find_set(mesh, "bottom", IG_SET_FACES);
  for (int e = 0; e < ELEMS; e++)
    birth[e] = birth_time(e);
  setup->mesh = mesh;
  setup->materials = 1;
  setup->material = materials;
  setup->birth = v->births ? birth : NULL;
  setup->conditions = v->held ? 3 : 2;
  setup->condition = c;
  setup->initial = setup->ambient = ambient;
  ig_heat h;
  GOOD(cx, ig_heat_new(cx, setup, &h));
  assert_true(dt < 2 / h.limit.rate);
  GOOD(cx, ig_heat_begin(cx, &h));
  double start[NODES];
  for (int n = 0; n < NODES; n++)
    start[n] = v->held && n < (NX + 1) * (NY + 1) ? 450 : start_temperature(n);
  GOOD(cx, ig_heat_set_temperatures(cx, &h, start));
  for (int s = 0; s < STEPS; s++) {
    GOOD(cx, ig_heat_batch_births(cx, &h, s * dt * (1 + 1e-12)));
    GOOD(cx, ig_heat_batch_source(cx, &h, 40, 3));
    GOOD(cx, ig_heat_batch_source(cx, &h, 41, 1.5));
    GOOD(cx, ig_heat_batch_step(cx, &h, dt));
    if (s % 5 == 3)
      GOOD(cx, ig_heat_batch_run(cx, &h));
  }
  GOOD(cx, ig_heat_batch_run(cx, &h));
  GOOD(cx, ig_fault_check(cx, "node", NULL));
  GOOD(cx, ig_heat_temperatures(cx, &h, T));
  GOOD(cx, ig_heat_ledger_read(cx, &h, ledger));
  ig_heat_free(cx, &h);
}

static const variant variants[] = {
    {false, false, false}, {true, false, true}, {true, true, false}, {false, true, true}};

/* conduction on a bent grid can only be recomputed; on a box grid all three forms must agree */
static void drivers_agree(ig_heat_conduction conduction) {
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    ig_mesh *mesh = grid(cx, conduction == IG_HEAT_RECOMPUTE ? 0.08 : 0);
    for (int i = 0; i < 4; i++) {
      const variant *v = &variants[i];
      if (conduction != IG_HEAT_RECOMPUTE && v->tables)
        continue;
      double want[2][NODES];
      reference(mesh, v, false, want[0]);
      reference(mesh, v, true, want[1]);
      for (int p = 0; p < 3; p++)
        for (int a = 0; a <= IG_CLUSTER; a++)
          for (int s = 0; s < 3; s++)
            for (int form = 0; form < 2; form++) {
              if ((form && a != IG_GATHER) ||
                  (conduction == IG_HEAT_STENCIL && (a || s != IG_HEAT_LUMPED)))
                continue;
              ig_heat_setup setup = {.precision = (ig_precision)p,
                                     .assembly = (ig_assembly)a,
                                     .slots = (ig_slot_form)form,
                                     .conduction = conduction,
                                     .surface = (ig_heat_surface)s,
                                     .cluster = 4 + 3 * i, /* inner nodes, and many borders */
                                     .enthalpy = false};
              double T[NODES], worst = 0;
              ig_heat_ledger l;
              engine(cx, mesh, v, &setup, T, &l);
              for (int n = 0; n < NODES; n++)
                worst = fmax(worst, fabs(T[n] - want[s == IG_HEAT_LUMPED][n]));
              const double bound = p == IG_DOUBLE ? 1e-9 : p == IG_MIXED ? 1e-3 : 5e-3;
              if (!(worst < bound))
                print_message("%s variant %d precision %d assembly %d surface %d: %g K\n", *backend,
                              i, p, a, s, worst);
              assert_true(worst < bound);
              if (p == IG_DOUBLE && !v->tables)
                assert_true(fabs(ig_heat_ledger_gap(&l)) < 1e-12 * fabs(l.stored));
            }
    }
    ig_mesh_free(mesh);
    ig_ctx_close(cx);
  }
}

static void recomputed_elements(void **state) {
  (void)state;
  drivers_agree(IG_HEAT_RECOMPUTE);
}
static void element_classes(void **state) {
  (void)state;
  drivers_agree(IG_HEAT_CLASSES);
}
static void node_rows(void **state) {
  (void)state;
  drivers_agree(IG_HEAT_STENCIL);
}

/* color, gather and cluster: the same bits whatever the number of threads */
static void threads_do_not_show(void **state) {
  (void)state;
  for (int a = IG_COLOR; a <= IG_CLUSTER; a++) {
    double T[2][NODES];
    for (int i = 0; i < 2; i++) {
      ig_ctx *cx = ctx_on("cpu", 1 + 2 * i);
      ig_mesh *mesh = grid(cx, 0.05);
      ig_heat_setup setup = {.precision = IG_SINGLE, .assembly = (ig_assembly)a, .cluster = 12};
      ig_heat_ledger l;
      engine(cx, mesh, &variants[2], &setup, T[i], &l);
      ig_mesh_free(mesh);
      ig_ctx_close(cx);
    }
    assert_memory_equal(T[0], T[1], sizeof T[0]);
  }
}

/* Clusters of the size that runs have: the bits repeat, and agree with gather as rounding allows.
 */
static void cluster_run(ig_ctx *cx, const ig_mesh *mesh, ig_precision precision,
                        ig_assembly assembly, double *T) {
  const ig_material_case m = metal(&variants[1]);
  const ig_material_case *materials[] = {&m};
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = precision,
                               .assembly = assembly,
                               .conduction = IG_HEAT_CLASSES,
                               .surface = IG_HEAT_LUMPED,
                               .enthalpy = true,
                               .materials = 1,
                               .material = materials,
                               .conditions = 2,
                               .condition = conditions,
                               .initial = ambient,
                               .ambient = ambient};
  ig_heat h;
  GOOD(cx, ig_heat_new(cx, &setup, &h));
  GOOD(cx, ig_heat_begin(cx, &h));
  for (ig_lid n = 0; n < mesh->nodes; n++)
    T[n] = start_temperature(n);
  GOOD(cx, ig_heat_set_temperatures(cx, &h, T));
  for (int s = 0; s < 20; s++)
    GOOD(cx, ig_heat_batch_step(cx, &h, dt));
  GOOD(cx, ig_heat_batch_run(cx, &h));
  GOOD(cx, ig_heat_temperatures(cx, &h, T));
  ig_heat_free(cx, &h);
}

static void clusters_repeat(void **state) {
  (void)state;
  enum { N = 25 * 21 * 17 };
  const double size[] = {24e-3, 20e-3, 16e-3};
  const int cells[] = {24, 20, 16};
  static double want[N], got[2][N];
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    ig_mesh *mesh;
    GOOD(cx, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
    assert_int_equal(mesh->nodes, N);
    for (int p = 0; p < 3; p++) {
      cluster_run(cx, mesh, (ig_precision)p, IG_GATHER, want);
      for (int i = 0; i < 2; i++)
        cluster_run(cx, mesh, (ig_precision)p, IG_CLUSTER, got[i]);
      assert_memory_equal(got[0], got[1], sizeof want);
      double worst = 0;
      for (int n = 0; n < N; n++)
        worst = fmax(worst, fabs(got[0][n] - want[n]));
      assert_true(worst < (p == IG_DOUBLE ? 1e-9 : 5e-3));
    }
    ig_mesh_free(mesh);
    ig_ctx_close(cx);
  }
}

/* Long rows of alike nodes, where the stencil's bulk form takes over: cubes (20 neighbours) and
   boxes (26), with sources in the bulk, over enough steps for one launch to take many. */
static void bulk_rows(void **state) {
  (void)state;
  enum { N = 201 * 6 * 5, MANY = 40 };
  for (const char *const *backend = backends_here(); *backend; backend++) {
    ig_ctx *cx = ctx_on(*backend, 2);
    for (int cubes = 0; cubes < 2; cubes++)
      for (int p = 0; p < 3; p++) {
        const double size[] = {0.2, 5e-3, cubes ? 4e-3 : 3e-3};
        const int cells[] = {200, 5, 4};
        static double T[2][N];
        ig_mesh *mesh;
        GOOD(cx, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
        assert_int_equal(mesh->nodes, N);
        for (int form = 0; form < 2; form++) {
          const ig_material_case m = metal(&variants[0]);
          const ig_material_case *materials[] = {&m};
          const ig_heat_setup setup = {.mesh = mesh,
                                       .precision = form ? (ig_precision)p : IG_DOUBLE,
                                       .assembly = IG_GATHER,
                                       .conduction = form ? IG_HEAT_STENCIL : IG_HEAT_RECOMPUTE,
                                       .surface = IG_HEAT_LUMPED,
                                       .materials = 1,
                                       .material = materials,
                                       .conditions = 2,
                                       .condition = conditions,
                                       .initial = ambient,
                                       .ambient = ambient};
          ig_heat h;
          GOOD(cx, ig_heat_new(cx, &setup, &h));
          GOOD(cx, ig_heat_begin(cx, &h));
          for (int n = 0; n < N; n++)
            T[form][n] = start_temperature(n);
          GOOD(cx, ig_heat_set_temperatures(cx, &h, T[form]));
          for (int s = 0; s < MANY; s++) {
            GOOD(cx, ig_heat_batch_source(cx, &h, 201 * 8 + 100 + s, 2));
            GOOD(cx, ig_heat_batch_step(cx, &h, dt));
          }
          GOOD(cx, ig_heat_batch_run(cx, &h));
          GOOD(cx, ig_heat_temperatures(cx, &h, T[form]));
          ig_heat_free(cx, &h);
        }
        double worst = 0;
        for (int n = 0; n < N; n++)
          worst = fmax(worst, fabs(T[0][n] - T[1][n]));
        assert_true(worst < (p == IG_SINGLE ? 5e-3 : 1e-9));
        ig_mesh_free(mesh);
      }
    ig_ctx_close(cx);
  }
}

/* --- looks, surveys and long steps: every driver against the serial one */

enum { BX = 24, BY = 6, BZ = 5, BN = (BX + 1) * (BY + 1) * (BZ + 1), BE = BX * BY * BZ };

typedef struct {
  double T[BN];
  float track[IG_TRACK_COLUMNS * BE];
  uint8_t solid[BE];
  ig_heat_survey survey;
  ig_heat_ledger ledger;
  double picked[2];
} outcome;

/* The list of crossings has every melting that elements have counted, and their last moments. */
static void crossings_check(ig_ctx *cx, ig_heat *h, const float *track) {
  GOOD(cx, ig_array_pull(cx, &h->past.crossing));
  GOOD(cx, ig_array_pull(cx, &h->past.crossings));
  const ig_heat_crossing *c = h->past.crossing.host;
  const int64_t count = *(const int64_t *)h->past.crossings.host;
  double last[2][BE] = {{0}};
  int melts = 0, counted = 0;
  for (int64_t i = 0; i < count; i++) {
    assert_true(c[i].element >= 0 && c[i].element < BE);
    melts += c[i].kind == IG_CROSSING_MELTS;
    if (c[i].kind != IG_CROSSING_FREEZES)
      last[c[i].kind][c[i].element] = fmax(last[c[i].kind][c[i].element], c[i].time);
  }
  for (int e = 0; e < BE; e++) {
    counted += (int)track[IG_TRACK_MELTS * BE + e];
    for (int k = 0; k < 2; k++) {
      const int64_t first = k ? IG_TRACK_LIQUIDUS : IG_TRACK_MELTED;
      const double moment = (double)track[first * BE + e] + (double)track[(first + 1) * BE + e];
      assert_true(fabs(last[k][e] - moment) <= 1e-12);
    }
  }
  assert_int_equal(melts, counted);
}

static double warm_x[] = {300, 1700}, warm_k[] = {15, 30}, warm_c[] = {450, 700};
static double powder_k[] = {0.5};

/* A source crosses a bar whose upper half is born as it passes: melts, solidifies, cools in leaps.
 */
static void crossing(ig_ctx *cx, ig_precision precision, ig_assembly assembly,
                     ig_heat_conduction conduction, ig_heat_surface surface, int kind, outcome *o) {
  const double size[] = {BX * 1e-3, BY * 1e-3, BZ * 0.9e-3};
  const int cells[] = {BX, BY, BZ};
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_box(cx, IG_HEX8, size, cells, &mesh));
  assert_int_equal(mesh->nodes, BN);
  ig_material_case m = metal(&variants[0]);
  m.solidus = 700;
  m.liquidus = 750;
  if (kind) { /* tables, latent heat, powder */
    m.conductivity = (ig_table){2, warm_x, warm_k};
    m.specific_heat = (ig_table){2, warm_x, warm_c};
    m.powder_conductivity = (ig_table){1, one_x, powder_k};
    m.latent_heat = 5e4;
  }
  const ig_material_case *materials[] = {&m};
  static double birth[BE];
  for (int e = 0; e < BE; e++)
    birth[e] = e < BX * BY * (BZ - 2) ? -INFINITY : 2e-3 + 4e-3 * (e % BX);
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = precision,
                               .assembly = assembly,
                               .conduction = conduction,
                               .surface = surface,
                               .cluster = 60,
                               .enthalpy = kind != 2,
                               .materials = 1,
                               .material = materials,
                               .birth = birth,
                               .conditions = 1,
                               .condition = conditions,
                               .initial = 500,
                               .ambient = ambient,
                               .newborn = IG_BORN_INHERITED,
                               .track = 3,
                               .crossings = true,
                               .leaps = true};
  ig_heat h;
  GOOD(cx, ig_heat_new(cx, &setup, &h));
  GOOD(cx, ig_heat_begin(cx, &h));
  const double critical = 1.8 / h.limit.rate, step = fmin(critical, 1e-3);
  for (int s = 0; s < 140; s++) {
    GOOD(cx, ig_heat_batch_births(cx, &h, s * step));
    const int at = (int)(s * step / 4e-3);
    for (int j = 2; j < 5 && at <= BX; j++)
      assert_int_equal(ig_heat_batch_source(cx, &h, at + (BX + 1) * (j + (BY + 1) * (BZ - 2)), 560),
                       IG_OK);
    GOOD(cx, ig_heat_batch_step(cx, &h, step));
    if (s % 50 == 17)
      GOOD(cx, ig_heat_batch_run(cx, &h));
  }
  for (int i = 1; i < 4; i++)
    GOOD(cx, ig_heat_batch_leap(cx, &h, 5 * i * critical, critical));
  GOOD(cx, ig_heat_batch_run(cx, &h));
  GOOD(cx, ig_fault_check(cx, "node", NULL));
  GOOD(cx, ig_heat_temperatures(cx, &h, o->T));
  GOOD(cx, ig_array_pull(cx, &h.past.track));
  memcpy(o->track, h.past.track.host, sizeof o->track);
  crossings_check(cx, &h, o->track);
  if (h.material.solid.host) {
    GOOD(cx, ig_array_pull(cx, &h.material.solid));
    memcpy(o->solid, h.material.solid.host, sizeof o->solid);
  }
  const int32_t node[] = {7, BN - 9};
  ig_array pick, picked;
  GOOD(cx, ig_array_from(cx, &pick, node, 2, sizeof *node, "picks"));
  GOOD(cx, ig_array_new(cx, &picked, 2, sizeof(double), "picked"));
  const ig_heat_question q = {.melt = 1,
                              .stiff = 1,
                              .layered = 1,
                              .change = 1,
                              .along = {0.6, 0.8},
                              .layer = (BZ - 1) * 0.9e-3,
                              .thick = 1e-4,
                              .picks = 2,
                              .pick = pick.dev,
                              .picked = picked.dev};
  GOOD(cx, ig_heat_ask(cx, &h, &q, &o->survey));
  GOOD(cx, ig_array_pull(cx, &picked));
  memcpy(o->picked, picked.host, sizeof o->picked);
  o->ledger = ig_heat_ledger_of(&h, &o->survey);
  ig_array_free(cx, &pick);
  ig_array_free(cx, &picked);
  ig_heat_free(cx, &h);
  ig_mesh_free(mesh);
}

static void looks_and_leaps(void **state) {
  (void)state;
  outcome *want = calloc(1, sizeof *want), *got = calloc(1, sizeof *got);
  assert_true(want && got);
  for (int kind = 0; kind < 3; kind++) {
    ig_ctx *serial = ctx_on("cpu", 1);
    crossing(serial, IG_DOUBLE, IG_GATHER, IG_HEAT_CLASSES, IG_HEAT_LUMPED, kind, want);
    ig_ctx_close(serial);
    int melted = 0, frozen = 0, fused = 0, powdery = 0;
    for (int e = 0; e < BE; e++) {
      melted += want->track[IG_TRACK_MELTS * BE + e] > 0;
      frozen += want->track[IG_TRACK_COOLING * BE + e] > 0;
      fused += e >= BX * BY * (BZ - 2) && want->solid[e];
      powdery += want->solid[e] == 0;
    }
    assert_true(melted > 20 && frozen > 10); /* else nothing is tested */
    assert_true(kind == 0 || (fused > 20 && powdery > 20));
    if (kind < 2)
      assert_true(fabs(ig_heat_ledger_gap(&want->ledger)) < 1e-11 * want->ledger.source);
    for (const char *const *backend = backends_here(); *backend; backend++) {
      ig_ctx *cx = ctx_on(*backend, strcmp(*backend, "cpu") == 0 ? 2 : 1);
      for (int p = 0; p < 3; p++)
        for (int a = 0; a <= IG_CLUSTER; a++)
          for (int form = IG_HEAT_CLASSES; form <= (kind ? IG_HEAT_CLASSES : IG_HEAT_STENCIL);
               form++) {
            if (a != IG_GATHER && p != IG_DOUBLE)
              continue;
            crossing(cx, (ig_precision)p, (ig_assembly)a, (ig_heat_conduction)form, IG_HEAT_LUMPED,
                     kind, got);
            double worst = 0;
            int other = 0;
            for (int n = 0; n < BN; n++)
              worst = fmax(worst, fabs(got->T[n] - want->T[n]));
            for (int e = 0; e < BE; e++)
              other += got->track[IG_TRACK_MELTS * BE + e] != want->track[IG_TRACK_MELTS * BE + e];
            const double bound = p == IG_DOUBLE ? 1e-8 : 0.2;
            if (!(worst < bound))
              print_message("%s kind %d precision %d assembly %d form %d: %g K\n", *backend, kind,
                            p, a, form, worst);
            assert_true(worst < bound);
            assert_true(other <= (p == IG_DOUBLE ? 0 : 4));
            const double near = p == IG_DOUBLE ? 1e-9 : 1e-3;
            for (int i = 0; i < IG_SURVEY_EXTREMES; i++)
              assert_true(fabs(got->survey.high[i] - want->survey.high[i]) <=
                          near * fabs(want->survey.high[i]) + 2 * bound);
            for (int i = IG_SURVEY_STORED; i < IG_SURVEY_FROZEN; i++)
              assert_true(fabs(got->survey.sum[i] - want->survey.sum[i]) <=
                          near * fabs(want->survey.sum[i]));
            for (int i = 0; i < 2; i++)
              assert_true(fabs(got->picked[i] - want->picked[i]) <= 2 * bound);
            for (int e = 0; e < BE; e++)
              assert_true(fabs(got->track[IG_TRACK_PEAK * BE + e] -
                               want->track[IG_TRACK_PEAK * BE + e]) <= 2 * bound + 1e-3);
          }
      ig_ctx_close(cx);
    }
  }
  free(want);
  free(got);
}

/* A model too large to stay on the GPU takes a launch a step: against the CPU, with births, films
   and sources. */
static ig_mesh *plate_and_block(ig_ctx *cx) {
  const ig_box_case boxes[] = {
      {.name = "plate", .size = IG_ROW(72e-3, 64e-3, 16e-3), .cells = IG_ROW(72, 64, 16)},
      {.name = "block",
       .origin = IG_ROW(12e-3, 8e-3, 16e-3),
       .size = IG_ROW(48e-3, 48e-3, 24e-3),
       .cells = IG_ROW(48, 48, 24)}};
  const ig_mesh_case c = {.boxes = {2, (void *)boxes}};
  ig_mesh *mesh;
  GOOD(cx, ig_mesh_generate(cx, &c, &mesh));
  return mesh;
}

static void large_run(ig_ctx *cx, const ig_mesh *mesh, ig_precision precision, double *T,
                      ig_heat_ledger *ledger) {
  const ig_lid elements = mesh->block[0].count;
  double *birth = malloc((size_t)elements * sizeof *birth);
  assert_non_null(birth);
  for (ig_lid e = 0; e < elements; e++)
    birth[e] = e < elements - 48 * 48 * 8 ? -INFINITY : 1e-3 * (1 + e % 7);
  const ig_material_case m = metal(&variants[0]);
  const ig_material_case *materials[] = {&m};
  const ig_heat_setup setup = {.mesh = mesh,
                               .precision = precision,
                               .conduction = IG_HEAT_STENCIL,
                               .surface = IG_HEAT_LUMPED,
                               .materials = 1,
                               .material = materials,
                               .birth = birth,
                               .conditions = 2,
                               .condition = conditions,
                               .initial = 600,
                               .ambient = ambient};
  ig_heat h;
  GOOD(cx, ig_heat_new(cx, &setup, &h));
  assert_false(h.resident.on);
  GOOD(cx, ig_heat_begin(cx, &h));
  for (int s = 0; s < 20; s++) {
    GOOD(cx, ig_heat_batch_births(cx, &h, s * dt));
    for (int i = 0; i < 3; i++)
      GOOD(cx, ig_heat_batch_source(cx, &h, 30000 + 35000 * i + s, 5));
    GOOD(cx, ig_heat_batch_step(cx, &h, dt));
  }
  GOOD(cx, ig_heat_batch_run(cx, &h));
  GOOD(cx, ig_heat_temperatures(cx, &h, T));
  GOOD(cx, ig_heat_ledger_read(cx, &h, ledger));
  ig_heat_free(cx, &h);
  free(birth);
}

static void large_rows_on_the_gpu(void **state) {
  (void)state;
  if (!backend_here("cuda"))
    skip();
  ig_ctx *gpu = ctx_on("cuda", 1), *cpu = ctx_on("cpu", 2);
  ig_mesh *mesh = plate_and_block(cpu);
  const size_t nodes = (size_t)mesh->nodes;
  double *want = malloc(nodes * sizeof *want), *got = malloc(nodes * sizeof *got);
  assert_true(want && got);
  ig_heat_ledger l;
  large_run(cpu, mesh, IG_DOUBLE, want, &l);
  for (int p = 0; p < 3; p++) {
    double worst = 0;
    large_run(gpu, mesh, (ig_precision)p, got, &l);
    for (size_t n = 0; n < nodes; n++)
      worst = fmax(worst, fabs(got[n] - want[n]));
    assert_true(worst < (p == IG_SINGLE ? 5e-3 : 1e-9));
    if (p == IG_DOUBLE)
      assert_true(fabs(ig_heat_ledger_gap(&l)) < 1e-12 * fabs(l.stored));
  }
  free(want);
  free(got);
  ig_mesh_free(mesh);
  ig_ctx_close(cpu);
  ig_ctx_close(gpu);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recomputed_elements), cmocka_unit_test(element_classes),
      cmocka_unit_test(node_rows),           cmocka_unit_test(bulk_rows),
      cmocka_unit_test(threads_do_not_show), cmocka_unit_test(clusters_repeat),
      cmocka_unit_test(looks_and_leaps),     cmocka_unit_test(large_rows_on_the_gpu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
