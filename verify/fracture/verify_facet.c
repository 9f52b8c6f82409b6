/* Verification of a single facet's laws and of the mesh that comes apart. */
#include "verify/fracture/verify.h"

#include "kern/prec_f64.h"
#include "material/cohesive.inc"
#include "geometry/mesh_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- laws at a point
 * ----------------------------------------------------------------------------- */

/* Work done along a polyline of openings (n, t), from nothing. */
static double path_work(const ig_cohesive *law, int corners, const double (*path)[2], double T[2]) {
  enum { STEPS = 200000 };
  const double k = 1e21;
  double max[2] = {0, 0}, D[2] = {0, 0}, last[2] = {0, 0}, sum = 0;
  for (int c = 0; c < corners; c++) {
    const double from[2] = {D[0], D[1]};
    for (int i = 1; i <= STEPS; i++) {
      const double before[2] = {D[0], D[1]};
      for (int d = 0; d < 2; d++)
        D[d] = from[d] + (path[c][d] - from[d]) * i / STEPS;
      FN(cohesive_point)(law, 2, 1, k, D, before, last, max, T);
      if (c == 0 && i == 1) /* it starts at full traction: no ramp to be counted */
        memcpy(last, T, sizeof last);
      for (int d = 0; d < 2; d++) {
        sum += 0.5 * (T[d] + last[d]) * (D[d] - before[d]);
        last[d] = T[d];
      }
    }
  }
  return sum;
}

ig_status ig_frac_verify_laws(ig_ctx *cx, const ig_verify_sink *sink) {
  (void)cx;
  static const struct {
    const char *name;
    int kind;
    double phi_t, alpha, beta;
  } laws[] = {{"PPR, alpha 2", IG_COHESIVE_PPR, 352.3, 2, 2},
              {"PPR, alpha 1.6, beta 5, phi_t 2 phi_n", IG_COHESIVE_PPR, 704.6, 1.6, 5},
              {"linear", IG_COHESIVE_LINEAR, 352.3, 2, 2},
              {"linear, G_II 2 G_I", IG_COHESIVE_LINEAR, 704.6, 2, 2}};
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    const ig_cohesive law = ig_cohesive_ready((ig_cohesive){.kind = laws[i].kind,
                                                            .phi_n = 352.3,
                                                            .phi_t = laws[i].phi_t,
                                                            .sigma = 324e6,
                                                            .tau = 300e6,
                                                            .alpha = laws[i].alpha,
                                                            .beta = laws[i].beta});
    char text[96];
    double T[2];
    const double far = 2e-5;
    snprintf(text, sizeof text, "%s: work of mode I", laws[i].name);
    row(sink, text, "fracture energy", law.phi_n, path_work(&law, 1, (double[][2]){{far, 0}}, T),
        1e-4, true);
    snprintf(text, sizeof text, "%s: work of mode II", laws[i].name);
    row(sink, text, "fracture energy", law.phi_t, path_work(&law, 1, (double[][2]){{0, far}}, T),
        1e-4, true);
    /* shear half way, then open: PPR has a potential, so the work is its difference */
    const double dn = law.alpha * law.phi_n / law.sigma, dt = law.beta * law.phi_t / law.tau;
    const double an = 0.6, at = 0.95; /* where both tractions still act */
    double psi = law.phi_n;
    if (law.kind == IG_COHESIVE_PPR) {
      const double more = fmax(law.phi_t - law.phi_n, 0);
      const double n = law.phi_n < law.phi_t ? pow(an, law.alpha) : -law.phi_n * pow(an, law.alpha);
      const double t =
          law.phi_n < law.phi_t ? -law.phi_t * pow(at, law.beta) + more : pow(at, law.beta);
      psi = law.phi_n + n * t;
    }
    snprintf(text, sizeof text, "%s: work of a mixed path", laws[i].name);
    if (law.kind == IG_COHESIVE_PPR)
      row(sink, text, "potential", psi,
          path_work(&law, 1, (double[][2]){{(1 - an) * dn, (1 - at) * dt}}, T), 1e-4, true);
    else if (law.phi_n == law.phi_t)
      row(sink, text, "fracture energy", psi, path_work(&law, 1, (double[][2]){{far, far}}, T),
          1e-4, true);
    double top[2], back[2];
    (void)path_work(&law, 1, (double[][2]){{5e-7, 0}}, top);
    (void)path_work(&law, 2, (double[][2]){{5e-7, 0}, {2e-7, 0}}, back);
    snprintf(text, sizeof text, "%s: unloading to 0.4", laws[i].name);
    row(sink, text, "secant", 0.4, back[0] / top[0], 1e-5, true);
  }
  return IG_OK;
}

/* ---- one facet pulled apart
 * ---------------------------------------------------------------------- */

/* Two elements with one open facet; one stands still, the other moves off as a block. */
static ig_status separate(ig_ctx *cx, ig_elem_type type, int law, bool shear, double *work) {
  const int dim = ig_elem_info_get(type)->dim, corners = dim + 1;
  ig_mesh *mesh;
  ig_block *block;
  const int nn = ig_elem_info_get(type)->nodes, nfn = nn == corners ? dim : 3 * (dim - 1);
  const ig_lid nodes = 2 * nn - nfn;
  IG_TRY(ig_mesh_new(cx, dim, nodes, &mesh));
  ig_status status = ig_mesh_add_block(cx, mesh, type, 2, &block);
  ig_frac_model m = {0};
  if (status == IG_OK) {
    static const double x2[4][2] = {{0, 0}, {1e-3, 0}, {0, 1e-3}, {1e-3, 1e-3}};
    static const double x3[5][3] = {
        {0, 0, 0}, {1e-3, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-3}, {1e-3, 1e-3, 1e-3}};
    static const ig_lid c2[2][3] = {{0, 1, 2}, {3, 2, 1}}, c3[2][4] = {{0, 1, 2, 3}, {4, 1, 3, 2}};
    static const int pairs[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int n = 0; n < corners + 1; n++)
      for (int d = 0; d < dim; d++)
        mesh->x[3 * n + d] = dim == 2 ? x2[n][d] : x3[n][d];
    ig_lid next = corners + 1, mid[5][5];
    memset(mid, 0, sizeof mid);
    for (int e = 0; e < 2; e++)
      for (int a = 0; a < nn; a++) {
        ig_lid *to = &block->conn[e * nn + a];
        if (a < corners) {
          *to = dim == 2 ? c2[e][a] : c3[e][a];
          continue;
        }
        const ig_lid p = block->conn[e * nn + pairs[a - corners][0]];
        const ig_lid q = block->conn[e * nn + pairs[a - corners][1]];
        if (!mid[p][q]) {
          mid[p][q] = mid[q][p] = next++;
          for (int d = 0; d < dim; d++)
            mesh->x[3 * mid[p][q] + d] = 0.5 * (mesh->x[3 * p + d] + mesh->x[3 * q + d]);
        }
        *to = mid[p][q];
      }
    ig_frac_settings set = {.precision = IG_DOUBLE,
                            .assembly = IG_GATHER,
                            .thickness = 1,
                            .dt = 1e-9,
                            .materials = 1,
                            .penalty = 1e18,
                            .law = {.kind = law,
                                    .phi_n = 352.3,
                                    .phi_t = 352.3,
                                    .sigma = 324e6,
                                    .tau = 324e6,
                                    .alpha = 2,
                                    .beta = 2}};
    set.elastic[0] = ig_frac_elastic_of(3.24e9, 0.35, 1190, 0);
    status = ig_frac_model_new(cx, mesh, &set, &m);
  }
  if (status == IG_OK)
    status = ig_frac_model_start(&m);
  if (status == IG_OK) {
    uint8_t *mark = ig_frac_model_host(&m, "mark");
    const int32_t *opp = ig_frac_model_host(&m, "opp");
    for (int f = 0; f < 2 * corners; f++)
      mark[f] = f < corners && opp[f] == 1;
    status = cx->backend->copy_in(cx, m.s.grow.mark, mark, 2 * (size_t)corners);
  }
  if (status == IG_OK)
    status = ig_frac_model_insert(&m, IG_FRAC_HOLD);
  double area = dim == 2 ? sqrt(2) * 1e-3 : 0.5 * sqrt(3) * 1e-6;
  *work = 0;
  if (status == IG_OK) {
    void *conn, *u = ig_frac_model_host(&m, "u");
    status = ig_frac_model_pull(&m, "conn", &conn);
    const int steps = 2000;
    for (int i = 0; status == IG_OK && i <= steps; i++) {
      /* along (1, 1[, 1]) the facet opens, along its edge it slides */
      const double s = 3e-6 * i / steps;
      for (int a = 0; a < nn; a++)
        for (int d = 0; d < dim; d++) {
          const double open = s / sqrt(dim), slide = d == 0   ? s / sqrt(2)
                                                     : d == 1 ? -s / sqrt(2)
                                                              : 0;
          ((double *)u)[((int32_t *)conn)[a * 2 + 1] * dim + d] = shear ? slide : open;
        }
      status =
          cx->backend->copy_in(cx, m.s.nodal.u, u, (size_t)(m.count.nodes * dim) * sizeof(double));
      if (status == IG_OK)
        status = m.ops->run(cx, m.kind, m.wide, IG_FRAC_cohesive, &m.s, 0, 1);
    }
    void *done;
    if (status == IG_OK)
      status = ig_frac_model_pull(&m, "cwork", &done);
    if (status == IG_OK)
      *work = *(double *)done / area;
  }
  ig_frac_model_free(&m);
  ig_mesh_free(mesh);
  return status;
}

ig_status ig_frac_verify_separation(ig_ctx *cx, const ig_verify_sink *sink) {
  static const ig_elem_type types[] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};
  for (int i = 0; i < 4; i++)
    for (int law = 0; law < 2; law++)
      for (int shear = 0; shear < 2; shear++) {
        double work;
        char text[96];
        IG_TRY(separate(cx, types[i], law, shear, &work));
        snprintf(text, sizeof text, "%s facet, %s, mode %s", ig_elem_info_get(types[i])->name,
                 law ? "linear" : "PPR", shear ? "II" : "I");
        row(sink, text, "fracture energy", 352.3, work, 1e-3, true);
      }
  return IG_OK;
}

/* ---- insertion
 * ----------------------------------------------------------------------------------- */

static ig_status insertion_row(ig_ctx *cx, const ig_verify_sink *sink, int radial, int around) {
  ig_frac_problem p;
  ig_frac_model m = {0};
  IG_TRY(ig_frac_problem_annulus(&p, cx, radial, around, IG_TRI6));
  const double ne = 4.0 * radial * around, nb = 2.0 * around, edges = (3 * ne + nb) / 2;
  double seconds;
  ig_status status = ig_frac_setup(&p.job, &m);
  char text[96];
  if (status == IG_OK) {
    snprintf(text, sizeof text, "%dx%d: nodes before", radial, around);
    row(sink, text, "Table V", 2 * edges - ne, m.count.nodes, 0, false);
    status = ig_frac_open_all(&m, 20, 1, &seconds, NULL);
  }
  if (status == IG_OK)
    status = ig_frac_tables_check(&m);
  if (status == IG_OK) {
    snprintf(text, sizeof text, "%dx%d: nodes after", radial, around);
    row(sink, text, "Table V", 6 * ne, m.count.nodes, 0, false);
    snprintf(text, sizeof text, "%dx%d: cohesive elements", radial, around);
    row(sink, text, "Table V", (3 * ne - nb) / 2, m.count.cohesive, 0, false);
  }
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  return status;
}

ig_status ig_frac_verify_insertion(ig_ctx *cx, const ig_verify_sink *sink) {
  return insertion_row(cx, sink, 100, 600);
}
ig_status ig_frac_verify_insertion_large(ig_ctx *cx, const ig_verify_sink *sink) {
  for (int k = 2; k <= 4; k++)
    IG_TRY(insertion_row(cx, sink, 100 * k, 600 * k));
  return IG_OK;
}

/* A block of tetrahedra comes apart completely. */
ig_status ig_frac_verify_insertion_3d(ig_ctx *cx, const ig_verify_sink *sink) {
  static const ig_elem_type types[] = {IG_TET4, IG_TET10};
  for (int i = 0; i < 2; i++) {
    ig_frac_problem p;
    ig_frac_model m = {0};
    ig_frac_problem_init(&p, cx);
    ig_frac_problem_material(&p, 1e9, 0, 1000, 100, 1e6);
    IG_TRY(ig_mesh_box(cx, types[i], (double[]){1, 1, 1}, (int[]){6, 5, 4}, &p.job.mesh));
    double seconds;
    ig_status status = ig_frac_setup(&p.job, &m);
    const int64_t facets = m.facets;
    if (status == IG_OK)
      status = ig_frac_open_all(&m, 20, 1, &seconds, NULL);
    if (status == IG_OK)
      status = ig_frac_tables_check(&m);
    if (status == IG_OK) {
      char text[64];
      const char *name = ig_elem_info_get(types[i])->name;
      snprintf(text, sizeof text, "%s block: nodes after", name);
      row(sink, text, "one element each", (double)m.s.ne * m.shape.nodes, m.count.nodes, 0, false);
      snprintf(text, sizeof text, "%s block: cohesive elements", name);
      row(sink, text, "interior faces", (double)facets, m.count.cohesive, 0, false);
    }
    ig_frac_model_free(&m);
    ig_frac_problem_free(&p);
    IG_TRY(status);
  }
  return IG_OK;
}
