/* Topology optimisation with a stopping rule of your own: it ends when fewer than one element in a
   hundred has moved by more than 0.05 in an iteration. */
#include "heat.h"
#include <math.h>
#include <string.h>

int main(void) {
  ig_ctx *cx;
  ig_case *c;
  ig_sim *sim;
  ig_field_view x;
  TRY(cx, ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &cx));
  TRY(cx, ig_case_new(cx, &c));
  TRY(cx, ig_case_set(c, "physics", "topopt"));
  TRY(cx, ig_case_set(c, "grid", "{elements: [24, 12, 0]}"));
  TRY(cx, ig_case_set(c, "supports", "[{box: {min: [0, 0, 0], max: [0, 12, 0]}}]"));
  TRY(cx,
      ig_case_set(c, "loads", "[{box: {min: [24, 0, 0], max: [24, 0, 0]}, force: [0, -1, 0]}]"));
  TRY(cx, ig_case_set_real(c, "volume", 0.4));
  TRY(cx, ig_case_set_int(c, "iterations", 200));
  TRY(cx, ig_sim_open(c, NULL, &sim));
  TRY(cx, ig_sim_view(sim, "design", IG_ON_HOST, &x));
  const size_t n = (size_t)x.info.count;
  double *now = malloc(n * sizeof *now), *before = malloc(n * sizeof *before);
  TRY(cx, ig_sim_get(sim, "design", before));
  bool settled = false;
  while (!settled && !ig_sim_ended(sim)) {
    size_t moved = 0;
    TRY(cx, ig_sim_step(sim, 1, NULL));
    TRY(cx, ig_sim_get(sim, "design", now));
    for (size_t i = 0; i < n; i++)
      moved += fabs(now[i] - before[i]) > 0.05;
    memcpy(before, now, n * sizeof *now);
    settled = 100 * moved < n;
  }
  printf("%s after %lld iterations\n", settled ? "settled" : "not settled",
         (long long)ig_sim_steps(sim));
  free(now);
  free(before);
  ig_sim_close(sim);
  ig_case_close(c);
  ig_ctx_close(cx);
  return settled ? 0 : 1;
}
