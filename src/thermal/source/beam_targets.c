/* A batch of the beams: where they are in each step (spots), what is near them (zones), and the
   watts of it all. ig_beams_step writes a step, ig_beams_power has the device compute the batch.

     step  has some spots (place, direction, watts) and one zone
     zone  has targets (faces or elements near the spots) and their nodes; serves steps on end
     watts one per step and node of its zone, in the engine's batch */
#include "backend/backend.h"
#include "thermal/source/beam.h"
#include "thermal/kernels/beam_ops.h"
#include "thermal/engine/heat_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- zones: what is near the beams */

/* A face that is covered by a neighbour stays covered: elements are born and never removed. So
   covered faces leave their bins for good, and only a run that begins anew sorts them in again. */
typedef enum { UNBORN, BARE, COVERED } target_state;

/* Elements of a volume beam are never covered. */
static target_state target_look(const ig_heat *h, const ig_beam *b, ig_lid target) {
  const bool face = b->shape.model == IG_BEAM_SURFACE;
  if ((face ? target / 6 : target) >= h->next.elements)
    return UNBORN;
  return face && ig_heat_is_covered(h, &h->next, target / 6, (int)(target % 6)) ? COVERED : BARE;
}

/* Target t of a beam. */
static ig_status target_add(ig_ctx *cx, const ig_heat *h, ig_beams *beams, int beam, int32_t t) {
  const ig_lid target = beams->beam[beam].target[t];
  IG_TRY(ig_heat_reserve(cx, &beams->of, (size_t)beams->targets, sizeof(int32_t)));
  IG_TRY(ig_heat_reserve(cx, &beams->corner, 8 * (size_t)(beams->targets + 1), sizeof(int32_t)));
  ((int32_t *)beams->of.host)[beams->targets] = beam;
  IG_TRY(ig_heat_reserve(cx, &beams->points, (size_t)beams->targets, sizeof(int32_t)));
  ((int32_t *)beams->points.host)[beams->targets] = beams->beam[beam].points[t];
  ig_lid node[8];
  const int corners = ig_beam_target_nodes(h, &beams->beam[beam], target, node);
  for (int a = 0; a < 8; a++) /* mesh numbers at first; see zone_number */
    ((int32_t *)beams->corner.host)[8 * (int64_t)beams->targets + a] = a < corners ? node[a] : -1;
  beams->targets++;
  return IG_OK;
}

/* The targets of a bin that lie between low and high. Targets stand in the order of their birth, so
   the first unborn one ends it; those covered meanwhile are struck off. `of_all`: the bin's number
   on all ranks. */
static ig_status bin_look(ig_ctx *cx, const ig_heat *h, ig_beams *beams, int beam, int64_t bin,
                          int64_t of_all, const double *low, const double *high) {
  ig_beam *b = &beams->beam[beam];
  int32_t *item = b->bins.item + b->bins.start[bin], kept = 0, n = 0;
  const int32_t live = b->live[bin];
  for (; n < live; n++) {
    const int32_t t = item[n];
    const target_state state = target_look(h, b, b->target[t]);
    if (state == UNBORN)
      break;
    if (state == COVERED)
      continue;
    item[kept++] = t;
    const double *p = &b->place[3 * (int64_t)t];
    if (p[0] >= low[0] && p[0] <= high[0] && p[1] >= low[1] && p[1] <= high[1] && p[2] >= low[2] &&
        p[2] <= high[2])
      IG_TRY(ig_heat_is_divided(h) ? ig_beams_part_near(cx, beams, h, beam, t, of_all)
                                   : target_add(cx, h, beams, beam, t));
  }
  if (kept < n)
    memmove(item + kept, item + n, (size_t)(live - n) * sizeof *item);
  b->live[bin] = live - (n - kept);
  return IG_OK;
}

/* Targets within reach of one beam's spots from `first` on. */
static ig_status beam_look(ig_ctx *cx, const ig_heat *h, ig_beams *beams, int beam, int32_t first) {
  ig_beam *b = &beams->beam[beam];
  double low[3], high[3];
  int from[3], to[3];
  const bool on = ig_beam_box(beams, b, beam, first, low, high);
  if (h->next.event < b->event) /* begun anew: what was covered may be bare again */
    IG_TRY(ig_beam_bins(cx, b));
  b->event = h->next.event;
  if (!on || !ig_bins_range(&b->bins, low, high, from, to))
    return IG_OK;
  for (int k = from[2]; k <= to[2]; k++)
    for (int j = from[1]; j <= to[1]; j++)
      for (int i = from[0]; i <= to[0]; i++)
        IG_TRY(bin_look(cx, h, beams, beam, ig_bins_at(&b->bins, i, j, k),
                        ig_bins_of_all(&b->bins, i, j, k), low, high));
  return IG_OK;
}

/* The nodes of the zone's targets, rising; corners and references in terms of them. */
static ig_status zone_number(ig_ctx *cx, const ig_heat *h, ig_beams *beams, ig_beam_zone *c) {
  int32_t *corner = (int32_t *)beams->corner.host + 8 * (int64_t)c->targets;
  const int64_t corners = 8 * (int64_t)c->target_count;
  if (corners > beams->node_capacity) {
    ig_lid *bigger = realloc(beams->node, 2 * (size_t)corners * sizeof *bigger);
    if (!bigger)
      return IG_FAIL(cx, IG_MEMORY, "no memory for what is near the beams");
    beams->node = bigger;
    beams->node_capacity = corners;
  }
  int32_t count = 0;
  for (int64_t i = 0; i < corners; i++)
    if (corner[i] >= 0 && beams->number[corner[i]]++ == 0)
      beams->node[count++] = corner[i];
  ig_numbers_sort(beams->node, count, beams->node + beams->node_capacity);
  c->node_count = count;
  IG_TRY(ig_beams_zone_reserve(cx, beams, c, beams->zones));
  for (int32_t n = 0; n < count; n++) {
    memcpy((double *)beams->x.host + 3 * (int64_t)(c->nodes + n),
           &h->node.point[3 * (int64_t)beams->node[n]], 3 * sizeof(double));
    beams->number[beams->node[n]] = n;
  }
  for (int64_t i = 0; i < corners; i++)
    corner[i] = corner[i] >= 0 ? beams->number[corner[i]] : -1;
  for (int32_t n = 0; n < count; n++)
    beams->number[beams->node[n]] = 0;
  ig_beams_zone_refs(beams, c, beams->zones);
  return IG_OK;
}

/* The zone of the targets that were added, and the engine's list of their nodes. */
static ig_status zone_close(ig_ctx *cx, ig_beams *beams, ig_heat *h, ig_beam_zone *c) {
  c->target_count = beams->targets - c->targets;
  IG_TRY(zone_number(cx, h, beams, c));
  if (c->target_count > beams->most_targets)
    beams->most_targets = c->target_count;
  return ig_heat_batch_list(cx, h, beams->node, c->node_count, &beams->list);
}

/* A zone for the spots from `first` on; on several ranks it is made with the batch. */
static ig_status zone_make(ig_ctx *cx, ig_beams *beams, ig_heat *h, int32_t first) {
  IG_TRY(ig_heat_reserve(cx, &beams->zone, (size_t)beams->zones, sizeof(ig_beam_zone)));
  ig_beam_zone *c = (ig_beam_zone *)beams->zone.host + beams->zones;
  *c = (ig_beam_zone){
      .nodes = beams->nodes, .targets = beams->targets, .refs = beams->refs, .node_count = 0};
  for (int i = 0; i < beams->count; i++)
    IG_TRY(beam_look(cx, h, beams, i, first));
  if (!ig_heat_is_divided(h))
    IG_TRY(zone_close(cx, beams, h, c));
  beams->event = h->next.event;
  beams->zones++;
  return IG_OK;
}

/* --- steps */

/* Whether the last zone still serves spots [first, spots): nothing was born, none is far off. */
static bool zone_serves(const ig_beams *beams, const ig_heat *h, int32_t first) {
  if (beams->zones == 0 || beams->event != h->next.event)
    return false;
  for (int32_t i = first; i < beams->spots; i++) {
    const ig_beam_spot *s = (const ig_beam_spot *)beams->spot.host + i;
    const ig_beam *b = &beams->beam[s->beam];
    for (int d = 0; d < 3; d++)
      if (!(s->at[d] >= b->low[d] && s->at[d] <= b->high[d]))
        return false;
  }
  return true;
}

/* Spots of one beam over one step: its energy piece by piece of the path. Where the beam moves by
   more than half its radius, the piece has several spots, so that a long step still draws a line.
   The power of a spot is its energy over the whole step, so energies add up whatever the pieces
   are. */
static ig_status beam_spots(ig_ctx *cx, ig_beams *beams, int beam, double time, double dt) {
  ig_beam *b = &beams->beam[beam];
  double at = time;
  const ig_toolpath *p = &b->path;
  while (at < time + dt) {
    const int64_t i = ig_path_piece(p, &b->cursor, at);
    if (i + 1 >= p->count)
      return IG_OK;
    double until = fmin(time + dt, p->t[i + 1]);
    if (i < 0 || p->power[i] <= 0 || until <= at) {
      at = until > at ? until : p->t[i + 1];
      continue;
    }
    const double length = p->t[i + 1] - p->t[i];
    double v[3], speed = 0, d[2] = {1, 0};
    for (int k = 0; k < 3; k++) {
      v[k] = (p->x[3 * (i + 1) + k] - p->x[3 * i + k]) / length;
      speed += v[k] * v[k];
    }
    speed = sqrt(speed);
    const double flat = sqrt(v[0] * v[0] + v[1] * v[1]);
    if (flat > 0)
      d[0] = v[0] / flat, d[1] = v[1] / flat;
    const double places_real = ceil(speed * (until - at) / (0.5 * b->shape.radius));
    /* 64 spots per piece: at most 32 radii in one step are drawn without gaps */
    const int places = places_real < 1 ? 1 : places_real > 64 ? 64 : (int)places_real;
    for (int k = 0; k < places; k++) {
      const double when = at + (until - at) * (k + 0.5) / places - p->t[i];
      const double energy = b->factor * (b->hole ? b->hole[i].absorptivity : b->absorptivity) *
                            p->power[i] * (until - at) / places;
      IG_TRY(ig_heat_reserve(cx, &beams->spot, (size_t)beams->spots, sizeof(ig_beam_spot)));
      ((ig_beam_spot *)beams->spot.host)[beams->spots++] = (ig_beam_spot){
          {p->x[3 * i] + v[0] * when, p->x[3 * i + 1] + v[1] * when, p->x[3 * i + 2] + v[2] * when},
          {d[0], d[1]},
          energy / dt,
          b->hole ? b->hole[i].depth : 0,
          beam,
          (int32_t)i};
      beams->asked += energy;
      beams->sent += b->factor * p->power[i] * (until - at) / places;
    }
    at = until;
  }
  return IG_OK;
}

/* A step without a lit beam has zone -1 and no watts. Otherwise the last zone serves again or a new
   one is made; the engine's step is given space for a watt per node of the zone. */
ig_status ig_beams_step(ig_ctx *cx, ig_beams *beams, ig_heat *h, double time, double dt) {
  if (beams->count == 0)
    return IG_OK;
  const int32_t first = beams->spots;
  for (int i = 0; i < beams->count; i++)
    IG_TRY(beam_spots(cx, beams, i, time, dt));
  IG_TRY(ig_heat_reserve(cx, &beams->step, (size_t)beams->steps, sizeof(ig_beam_step)));
  ig_beam_step *step = (ig_beam_step *)beams->step.host + beams->steps++;
  *step = (ig_beam_step){.zone = -1, .spots = first, .spot_count = beams->spots - first, .dt = dt};
  if (beams->spots == first)
    return IG_OK;
  if (!zone_serves(beams, h, first))
    IG_TRY(zone_make(cx, beams, h, first));
  step->zone = beams->zones - 1;
  if (ig_heat_is_divided(h))
    return ig_beams_part_step(cx, beams, h);
  return ig_heat_batch_powers(
      cx, h, beams->list, ((ig_beam_zone *)beams->zone.host)[step->zone].node_count, &step->power);
}

/* What has landed, step by step in their order. */
static ig_status landed_take(ig_ctx *cx, ig_beams *beams) {
  if (cx->backend->separate)
    IG_TRY(cx->backend->copy_out(cx, beams->landed.host, beams->landed.dev,
                                 (size_t)beams->steps * sizeof(double)));
  for (int32_t i = 0; i < beams->steps; i++)
    beams->met +=
        ((double *)beams->landed.host)[i] * ((const ig_beam_step *)beams->step.host)[i].dt;
  return IG_OK;
}

/* The batch in hand, as kernels see it. */
static ig_beam_view beams_view(const ig_beams *beams, int workers, int64_t share) {
  return (ig_beam_view){.steps = beams->steps,
                        .workers = workers,
                        .share = share,
                        .shape = beams->shape.dev,
                        .step = beams->step.dev,
                        .spot = beams->spot.dev,
                        .zone = beams->zone.dev,
                        .x = beams->x.dev,
                        .beam = beams->of.dev,
                        .points = beams->points.dev,
                        .corner = beams->corner.dev,
                        .ref_start = beams->ref_start.dev,
                        .ref = beams->ref.dev,
                        .scratch = beams->scratch.dev};
}

/* Counters begin anew afterwards; arrays keep their memory for the next batch. On several ranks
   zones are made of all ranks' targets first. */
ig_status ig_beams_power(ig_ctx *cx, ig_beams *beams, ig_heat *h) {
  if (ig_heat_is_divided(h) && beams->count)
    IG_TRY(ig_beams_part_batch(cx, beams, h));
  if (beams->spots > 0) {
    const bool cuda = cx->backend->kernels == IG_KERNELS_CUDA;
    /* blocks of the GPU that take steps in turn; memory for scratch is per worker */
    const int workers = cuda ? 256 : cx->threads;
    const int64_t share = IG_BEAM_SCRATCH * ((int64_t)beams->most_targets + 1);
    if (beams->scratch.count < (size_t)(workers * share)) {
      ig_array_free(cx, &beams->scratch);
      IG_TRY(ig_array_new_device(cx, &beams->scratch, 2 * (size_t)(workers * share), sizeof(double),
                                 "beam scratch"));
    }
    IG_TRY(ig_heat_push(cx, &beams->step, (size_t)beams->steps));
    IG_TRY(ig_heat_push(cx, &beams->spot, (size_t)beams->spots));
    IG_TRY(ig_heat_push(cx, &beams->zone, (size_t)beams->zones));
    IG_TRY(ig_heat_push(cx, &beams->x, 3 * (size_t)beams->nodes));
    IG_TRY(ig_heat_push(cx, &beams->of, (size_t)beams->targets));
    IG_TRY(ig_heat_push(cx, &beams->points, (size_t)beams->targets));
    IG_TRY(ig_heat_push(cx, &beams->corner, 8 * (size_t)beams->targets));
    IG_TRY(ig_heat_push(cx, &beams->ref_start, (size_t)(beams->nodes + beams->zones)));
    IG_TRY(ig_heat_push(cx, &beams->ref, (size_t)beams->refs));
    if (beams->heated)
      IG_TRY(ig_heat_reserve(cx, &beams->landed, (size_t)beams->steps, sizeof(double)));
    ig_beam_view v = beams_view(beams, workers, share);
    v.power = h->batch.source_power.dev;
    v.met = beams->heated ? beams->landed.dev : NULL;
#ifdef INGOT_HAVE_CUDA
    IG_TRY(cuda ? ig_beam_power_cuda(cx, &v) : ig_beam_power_cpu(cx, &v));
#else
    IG_TRY(ig_beam_power_cpu(cx, &v));
#endif
    if (beams->heated)
      IG_TRY(landed_take(cx, beams));
  }
  beams->steps = beams->spots = beams->zones = beams->nodes = beams->targets = beams->refs = 0;
  return IG_OK;
}

/* The transpose of ig_beams_power on a CPU: bar of each watt of the batch to that of each spot's
   power. Before ig_beams_power, which ends the batch. */
ig_status ig_beams_power_back(ig_ctx *cx, ig_beams *beams, const double *bar, double *spot_bar) {
  const int64_t share = IG_BEAM_SCRATCH * ((int64_t)beams->most_targets + 1);
  double *scratch;
  IG_TRY(IG_NEW(cx, &scratch, share, "beam scratch"));
  ig_beam_view v = beams_view(beams, 1, share);
  v.scratch = scratch;
  ig_beam_power_back_cpu(&v, bar, spot_bar);
  free(scratch);
  return IG_OK;
}
