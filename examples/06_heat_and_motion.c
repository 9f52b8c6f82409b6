/* Two rooms coupled by hand: a laser heats a plate, and the same plate swings with a load that
   fades as its material softens with the mean temperature. One way, once per interval; to show the
   calls, not a model to trust. */
#include "heat.h"

int main(void) {
  ig_ctx *hot, *cold; /* one context per simulation */
  ig_sim *heat, *motion;
  ig_case *c;
  ig_mesh *mesh;
  TRY(hot, ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &hot));
  TRY(cold, ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &cold));
  ig_case *plate = plate_under_a_laser(hot);
  TRY(hot, ig_case_mesh(plate, &mesh));
  TRY(hot, ig_sim_open(plate, NULL, &heat));
  TRY(cold, ig_case_new(cold, &c));
  TRY(cold, ig_case_set_mesh(c, mesh)); /* the same nodes in both */
  TRY(cold, ig_case_set(c, "physics", "dynamics"));
  TRY(cold,
      ig_case_set(c, "materials", "[{name: steel, density: 7950, young: 2e11, poisson: 0.3}]"));
  TRY(cold, ig_case_set(c, "supports", "[{set: xmin, fix: xyz}]"));
  TRY(cold, ig_case_set(c, "loads", "[{set: xmax, total: [0, 0, -10]}]"));
  TRY(cold, ig_case_set(c, "analysis", "[{kind: dynamic, duration: 20 us}]"));
  TRY(cold, ig_sim_open(c, NULL, &motion));
  const size_t n = (size_t)mesh->nodes;
  double *T = malloc(n * sizeof *T), *u = malloc(3 * n * sizeof *u), lowest = 0;
  for (int i = 1; i <= 10; i++) { /* a tenth of each run at a time */
    double mean = 0;
    TRY(hot, ig_sim_until(heat, 0.02 * i));
    TRY(hot, ig_sim_get(heat, "T", T));
    for (size_t k = 0; k < n; k++)
      mean += T[k] / (double)n;
    TRY(cold, ig_sim_scale_load(motion, 0, 1 - (mean - 300) / 2000));
    TRY(cold, ig_sim_until(motion, 2e-6 * i));
    TRY(cold, ig_sim_get(motion, "displacement", u));
    for (size_t k = 0; k < n; k++)
      lowest = u[3 * k + 2] < lowest ? u[3 * k + 2] : lowest;
    printf("mean %.1f K, lowest point %.4g um\n", mean, 1e6 * lowest);
  }
  free(T);
  free(u);
  ig_sim_close(heat);
  ig_sim_close(motion);
  ig_case_close(plate);
  ig_case_close(c);
  ig_mesh_free(mesh);
  ig_ctx_close(hot);
  ig_ctx_close(cold);
  return lowest < 0 ? 0 : 1;
}
