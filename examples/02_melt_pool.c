/* Steps a simulation and reads the melt pool from its temperatures: how long, wide and deep the
   region above the liquidus is. */
#include "heat.h"

int main(void) {
  const double liquidus = 1723;
  ig_ctx *cx;
  ig_sim *sim;
  ig_mesh *mesh;
  TRY(cx, ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &cx));
  ig_case *c = plate_under_a_laser(cx);
  TRY(cx, ig_case_mesh(c, &mesh)); /* nodes of fields are the nodes of this mesh */
  TRY(cx, ig_sim_open(c, NULL, &sim));
  double *T = malloc(sizeof *T * (size_t)mesh->nodes), longest = 0;
  while (!ig_sim_ended(sim)) {
    double low[3] = {1, 1, 1}, high[3] = {-1, -1, -1};
    TRY(cx, ig_sim_until(sim, ig_sim_time(sim) + 0.02));
    TRY(cx, ig_sim_get(sim, "T", T));
    for (ig_lid n = 0; n < mesh->nodes; n++)
      for (int d = 0; d < 3 && T[n] > liquidus; d++) {
        const double x = mesh->x[3 * n + d];
        low[d] = x < low[d] ? x : low[d];
        high[d] = x > high[d] ? x : high[d];
      }
    const bool molten = high[0] >= low[0];
    printf("%.3f s: ", ig_sim_time(sim));
    if (molten)
      printf("melt pool %.2f x %.2f x %.2f mm\n", 1e3 * (high[0] - low[0]),
             1e3 * (high[1] - low[1]), 1e3 * (high[2] - low[2]));
    else
      printf("solid\n");
    if (molten && high[0] - low[0] > longest)
      longest = high[0] - low[0];
  }
  free(T);
  ig_sim_close(sim);
  ig_mesh_free(mesh);
  ig_case_close(c);
  ig_ctx_close(cx);
  return longest > 0 ? 0 : 1;
}
