/* Watts of the beams on the CPU: threads over steps, each with scratch memory of its own. Steps do
   not depend on each other, so neither do results on the number of threads. */
#include "thermal/kernels/beam_ops.h"

#include "thermal/source/beam.inc"

/* One step: for each spot weights of all targets, then every node's share. Weights of one spot are
   overwritten by the next. Targets of other beams take nothing of this
   one's power: they may be of another kind (faces or elements). */
static void step_power(const ig_beam_view *v, const ig_beam_step *step, double *out, double *met) {
  const ig_beam_zone *c = &v->zone[step->zone];
  const double *x = v->x + 3 * (int64_t)c->nodes;
  double *power = v->power + step->power;
  for (int32_t n = 0; n < c->node_count; n++)
    power[n] = 0;
  for (int32_t i = 0; i < step->spot_count; i++) {
    const ig_beam_spot *s = &v->spot[step->spots + i];
    const ig_beam_shape *b = &v->shape[s->beam];
    beam_total all = {0, 0, -1};
    for (int32_t t = 0; t < c->target_count; t++) {
      double *o = out + (int64_t)IG_BEAM_SCRATCH * t;
      beam_weigh(b, s, v->beam[c->targets + t] == s->beam, v->points[c->targets + t], x,
                 v->corner + (int64_t)IG_BEAM_CORNERS * (c->targets + t), o);
      beam_total_add(&all, t, o[8], o[9]);
    }
    if (met)
      *met += s->power * beam_landed(b, &all);
    const double sum = beam_whole(b, &all, out);
    for (int32_t n = 0; n < c->node_count && sum > 0; n++)
      power[n] += s->power * (beam_share(v, c, step->zone, n, out) / sum);
  }
}

ig_status ig_beam_power_cpu(ig_ctx *cx, const ig_beam_view *v) {
  const int threads = v->workers;
  (void)cx;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int r = 0; r < threads; r++)
    for (int64_t i = (int64_t)v->steps * r / threads; i < (int64_t)v->steps * (r + 1) / threads;
         i++) {
      if (v->met)
        v->met[i] = 0;
      if (v->step[i].zone >= 0)
        step_power(v, &v->step[i], v->scratch + v->share * r, v->met ? &v->met[i] : NULL);
    }
  return IG_OK;
}
