/* A controller: keeps the hottest point near a target by changing the laser's power as it goes. */
#include "heat.h"

static double hottest(ig_ctx *cx, ig_sim *sim) {
  ig_field_view T;
  double most = 0;
  TRY(cx, ig_sim_view(sim, "T", IG_ON_HOST, &T));
  for (int64_t n = 0; n < T.info.count; n++) {
    const char *at = (const char *)T.data + n * T.stride[0];
    const double t = T.info.dtype == IG_F64 ? *(const double *)at : *(const float *)at;
    most = t > most ? t : most;
  }
  return most;
}

int main(void) {
  const double target = 1500;
  double factor = 1, most = 0;
  ig_ctx *cx;
  ig_sim *sim;
  TRY(cx, ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &cx));
  ig_case *c = plate_under_a_laser(cx);
  TRY(cx, ig_sim_open(c, NULL, &sim));
  for (int i = 0; !ig_sim_ended(sim); i++) {
    TRY(cx, ig_sim_until(sim, ig_sim_time(sim) + 1e-3));
    const double now = hottest(cx, sim);
    factor *= now > target ? 0.9 : now < target - 100 ? 1.05 : 1;
    factor = factor > 2 ? 2 : factor;
    TRY(cx, ig_sim_scale_load(sim, 0, factor)); /* beam 0, from the next step on */
    if (ig_sim_time(sim) > 0.05 && now > most)
      most = now;
    if (i % 20 == 0)
      printf("%.3f s: %.0f K, power x %.2f\n", ig_sim_time(sim), now, factor);
  }
  printf("hottest after 0.05 s: %.0f K (target %.0f K)\n", most, target);
  ig_sim_close(sim);
  ig_case_close(c);
  ig_ctx_close(cx);
  return most < 1.2 * target ? 0 : 1;
}
