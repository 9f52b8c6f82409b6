/* A mesh of your own: a bar of hexahedra, pulled at its end, held against u = F L / (E A). */
#include "heat.h"
#include <math.h>

/* A bar along x of n cubes of edge h, with its two ends as sets of nodes. */
static ig_mesh *bar(ig_ctx *cx, int n, double h) {
  ig_mesh *mesh;
  ig_block *block;
  ig_set *root, *end;
  TRY(cx, ig_mesh_new(cx, 3, 4 * (n + 1), &mesh));
  for (int i = 0; i <= n; i++)
    for (int k = 0; k < 4; k++) {
      double *x = &mesh->x[3 * (4 * i + k)];
      x[0] = i * h;
      x[1] = k == 1 || k == 2 ? h : 0;
      x[2] = k > 1 ? h : 0;
    }
  TRY(cx, ig_mesh_add_block(cx, mesh, IG_HEX8, n, &block));
  for (int e = 0; e < n; e++)
    for (int k = 0; k < 4; k++) {
      block->conn[8 * e + k] = 4 * e + k;
      block->conn[8 * e + 4 + k] = 4 * (e + 1) + k;
    }
  TRY(cx, ig_mesh_add_set(cx, mesh, "root", IG_SET_NODES, 4, &root));
  for (int k = 0; k < 4; k++)
    root->item[k] = k;
  TRY(cx, ig_mesh_add_set(cx, mesh, "end", IG_SET_NODES, 4, &end));
  for (int k = 0; k < 4; k++)
    end->item[k] = 4 * n + k;
  return mesh;
}

int main(void) {
  enum { CELLS = 10 };
  const double h = 0.1, young = 210e9, force = 1e6;
  double u[3 * 4 * (CELLS + 1)];
  ig_ctx *cx;
  ig_case *c;
  ig_sim *sim;
  TRY(cx, ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &cx));
  ig_mesh *mesh = bar(cx, CELLS, h);
  TRY(cx, ig_case_new(cx, &c));
  TRY(cx, ig_case_set_mesh(c, mesh));
  TRY(cx, ig_case_set(c, "physics", "dynamics"));
  TRY(cx, ig_case_set(c, "materials", "[{name: steel, density: 7850, poisson: 0}]"));
  TRY(cx, ig_case_set_real(c, "materials[0].young", young));
  TRY(cx, ig_case_set(c, "supports", "[{set: root, fix: xyz}]"));
  TRY(cx, ig_case_set_text(c, "loads[0].set", "end"));
  TRY(cx, ig_case_set_reals(c, "loads[0].total", (double[]){force, 0, 0}, 3));
  TRY(cx, ig_case_set(c, "analysis", "[{kind: static, tolerance: 1e-6}]"));
  TRY(cx, ig_sim_open(c, NULL, &sim));
  TRY(cx, ig_sim_step(sim, INT64_MAX, NULL));
  TRY(cx, ig_sim_get(sim, "displacement", u));
  const double got = u[3 * 4 * CELLS], wanted = force / (h * h) / young * CELLS * h;
  printf("end moves by %.6g mm, F L / (E A) is %.6g mm\n", 1e3 * got, 1e3 * wanted);
  ig_sim_close(sim);
  ig_case_close(c);
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
  return fabs(got - wanted) < 0.01 * wanted ? 0 : 1;
}
