/* Watts of the beams on the CPU: threads over steps, each with scratch memory of its own. Steps do
   not depend on each other, so neither do results on the number of threads. */
#include "thermal/kernels/beam_ops.h"

#include "thermal/source/beam.inc"

/* Weights of all targets of a zone under one spot, to `out`. */
static beam_total spot_weigh(const ig_beam_view *v, const ig_beam_zone *c, const ig_beam_spot *s,
                             double *out) {
  const double *x = v->x + 3 * (int64_t)c->nodes;
  beam_total all = {0, 0, -1};
  for (int32_t t = 0; t < c->target_count; t++) {
    double *o = out + (int64_t)IG_BEAM_SCRATCH * t;
    beam_weigh(&v->shape[s->beam], s, v->beam[c->targets + t] == s->beam, v->points[c->targets + t],
               x, v->corner + (int64_t)IG_BEAM_CORNERS * (c->targets + t), o);
    beam_total_add(&all, t, o[8], o[9]);
  }
  return all;
}

/* The same under another spot, of the targets that `own` reaches. */
static beam_total spot_weigh_as(const ig_beam_view *v, const ig_beam_zone *c,
                                const ig_beam_spot *own, const ig_beam_shape *shape,
                                const ig_beam_spot *s, double *out) {
  const double *x = v->x + 3 * (int64_t)c->nodes;
  beam_total all = {0, 0, -1};
  ig_beam_shape b = *shape;
  b.far = b.reach = 1e100; /* `own` decides */
  for (int32_t t = 0; t < c->target_count; t++) {
    double *o = out + (int64_t)IG_BEAM_SCRATCH * t;
    const int32_t *corner = v->corner + (int64_t)IG_BEAM_CORNERS * (c->targets + t);
    const int mine = v->beam[c->targets + t] == s->beam && own->beam == s->beam;
    beam_weigh(&v->shape[own->beam], own, mine, 1, x, corner, o);
    beam_weigh(&b, s, mine && o[9] >= 0, v->points[c->targets + t], x, corner, o);
    beam_total_add(&all, t, o[8], o[9]);
  }
  return all;
}

static void step_power_as(const ig_beam_view *v, const ig_beam_view *as, const int32_t *pair,
                          const ig_beam_step *step) {
  const ig_beam_zone *c = &v->zone[step->zone];
  double *power = as->power + step->power, *out = v->scratch;
  for (int32_t n = 0; n < c->node_count; n++)
    power[n] = 0;
  for (int32_t i = step->spots; i < step->spots + step->spot_count; i++) {
    const ig_beam_spot *s = &as->spot[i];
    const beam_total all = spot_weigh_as(v, c, &v->spot[pair[i]], &as->shape[s->beam], s, out);
    const double sum = beam_whole(&as->shape[s->beam], &all, out);
    for (int32_t n = 0; n < c->node_count && sum > 0; n++)
      power[n] += s->power * (beam_share(v, c, step->zone, n, out) / sum);
  }
}

void ig_beam_power_as_cpu(const ig_beam_view *v, const ig_beam_view *as, const int32_t *pair) {
  for (int32_t k = 0; k < v->steps; k++)
    if (v->step[k].zone >= 0)
      step_power_as(v, as, pair, &as->step[k]);
}

/* One step: for each spot weights of all targets, then every node's share. Weights of one spot are
   overwritten by the next. Targets of other beams take nothing of this
   one's power: they may be of another kind (faces or elements). */
static void step_power(const ig_beam_view *v, const ig_beam_step *step, double *out, double *met) {
  const ig_beam_zone *c = &v->zone[step->zone];
  double *power = v->power + step->power;
  for (int32_t n = 0; n < c->node_count; n++)
    power[n] = 0;
  for (int32_t i = 0; i < step->spot_count; i++) {
    const ig_beam_spot *s = &v->spot[step->spots + i];
    const ig_beam_shape *b = &v->shape[s->beam];
    const beam_total all = spot_weigh(v, c, s, out);
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

/* Weights of a spot as in step_power, then the sum of what its nodes ask of it. */
static void step_back(const ig_beam_view *v, const ig_beam_step *step, const double *bar,
                      double *spot_bar) {
  const ig_beam_zone *c = &v->zone[step->zone];
  for (int32_t i = 0; i < step->spot_count; i++) {
    const ig_beam_spot *s = &v->spot[step->spots + i];
    const ig_beam_shape *b = &v->shape[s->beam];
    const beam_total all = spot_weigh(v, c, s, v->scratch);
    const double sum = beam_whole(b, &all, v->scratch);
    spot_bar[step->spots + i] = 0;
    for (int32_t n = 0; n < c->node_count && sum > 0; n++)
      spot_bar[step->spots + i] +=
          bar[step->power + n] * (beam_share(v, c, step->zone, n, v->scratch) / sum);
  }
}

void ig_beam_power_back_cpu(const ig_beam_view *v, const double *bar, double *spot_bar) {
  for (int32_t i = 0; i < v->steps; i++)
    if (v->step[i].zone >= 0)
      step_back(v, &v->step[i], bar, spot_bar);
}
