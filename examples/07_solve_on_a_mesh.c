/* The linear solver on a mesh of your own: a bar pulled at its end, held against u = F L / (E A),
   then with one half softer. */
#include "heat.h"
#include <ingot/solver.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Marks or loads the nodes of a set of the mesh. */
static void on_set(const ig_mesh *mesh, const char *name, uint8_t *fixed, double *force, double f) {
  const ig_set *set = ig_mesh_find_set(mesh, name, IG_SET_NODES);
  for (ig_lid i = 0; set && i < set->count; i++) {
    if (fixed)
      fixed[set->item[i]] = 7;
    if (force)
      force[3 * set->item[i]] = f / set->count;
  }
}

int main(void) {
  const double length = 2, side = 0.1, young = 210e9, pull = 1e6;
  ig_ctx *cx;
  ig_case *c;
  ig_mesh *mesh;
  ig_solver *solver;
  ig_solver_report report;
  TRY(cx, ig_ctx_open(&(ig_ctx_options){.backend = "auto"}, &cx));
  TRY(cx, ig_case_new(cx, &c));
  TRY(cx, ig_case_set(c, "mesh", "{boxes: {size: [2, 0.1, 0.1], cells: [40, 1, 1]}}"));
  TRY(cx, ig_case_mesh(c, &mesh)); /* or ig_mesh_read, or ig_mesh_new and your own numbers */

  const size_t nodes = (size_t)mesh->nodes, elements = (size_t)mesh->block[0].count;
  uint8_t *fixed = calloc(nodes, 1);
  double *force = calloc(3 * nodes, sizeof *force), *u = calloc(3 * nodes, sizeof *u);
  double *modulus = malloc(elements * sizeof *modulus);
  if (!fixed || !force || !u || !modulus)
    return 1;
  on_set(mesh, "xmin", fixed, NULL, 0);
  on_set(mesh, "xmax", NULL, force, pull);
  ig_lid end = 0; /* a node at the end */
  for (ig_lid i = 0; i < mesh->nodes; i++)
    end = mesh->x[3 * i] > mesh->x[3 * end] ? i : end;

  const ig_solver_options options = {.size = sizeof options, .poisson = 0, .fixed = fixed};
  double worst = 0;
  TRY(cx, ig_solver_open(cx, mesh, &options, &solver));
  for (int soft = 0; soft < 2; soft++) {
    for (size_t e = 0; e < elements; e++)
      modulus[e] = soft && e >= elements / 2 ? young / 10 : young;
    TRY(cx, ig_solver_set_coefficient(solver, modulus));
    TRY(cx, ig_solver_solve(solver, force, u, 1e-10, &report));
    const double wanted = pull * length / (young * side * side) * (soft ? 5.5 : 1);
    printf("%2d iterations: the end moves by %.6g mm, F L / (E A) is %.6g mm\n", report.iterations,
           1e3 * u[3 * end], 1e3 * wanted);
    worst = fmax(worst, fabs(u[3 * end] / wanted - 1));
  }
  ig_solver_close(solver);
  ig_mesh_free(mesh);
  ig_case_close(c);
  ig_ctx_close(cx);
  free(fixed);
  free(force);
  free(u);
  free(modulus);
  return worst < 1e-6 ? 0 : 1;
}
