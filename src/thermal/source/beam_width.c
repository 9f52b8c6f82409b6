/* A beam narrower than the elements under it heats their nodes, and is as wide as they make it.
   Said when a run or a check begins, of elements at places along the path where it is on. */
#include "thermal/source/beam.h"
#include "core/threads.h"
#include "thermal/engine/heat_part.h"

#include <math.h>

enum { PLACES = 24 };

/* Places at even times of the beam's light; how many. */
static int places_choose(const ig_toolpath *p, double (*x)[3]) {
  double on = 0, done = 0;
  int count = 0;
  for (int64_t i = 0; i + 1 < p->count; i++)
    on += p->power[i] > 0 ? p->t[i + 1] - p->t[i] : 0;
  for (int64_t i = 0; i + 1 < p->count && on > 0; i++) {
    const double takes = p->power[i] > 0 ? p->t[i + 1] - p->t[i] : 0;
    for (; takes > 0 && count < PLACES && (count + 0.5) / PLACES * on <= done + takes; count++)
      for (int d = 0; d < 3; d++)
        x[count][d] = p->x[3 * i + d] + ((count + 0.5) / PLACES * on - done) / takes *
                                            (p->x[3 * i + 3 + d] - p->x[3 * i + d]);
    done += takes;
  }
  return count;
}

/* Adds an edge to a mean, if it lies across the beam and has a length: tetrahedra and wedges have
   nodes twice. */
static void edge_add(const ig_beam_shape *s, const double *p, const double *q, double *sum,
                     int *count) {
  double square = 0, along = 0;
  for (int d = 0; d < 3; d++) {
    square += (q[d] - p[d]) * (q[d] - p[d]);
    along += (q[d] - p[d]) * s->axis[d];
  }
  if (square > 0 && along * along <= 0.25 * square) {
    *sum += sqrt(square);
    ++*count;
  }
}

/* Mean edge of a target across the beam, m. */
static double edge_across(const ig_heat *h, const ig_beam *b, ig_lid target) {
  ig_lid node[8];
  const int corners = ig_beam_target_nodes(h, b, target, node);
  double sum = 0;
  int count = 0;
  for (int a = 0; a < corners; a++) {
    const double *p = &h->node.point[3 * (int64_t)node[a]];
    if (corners == 4) /* round a face */
      edge_add(&b->shape, p, &h->node.point[3 * (int64_t)node[(a + 1) % 4]], &sum, &count);
    for (int bit = 1; bit < corners && corners == 8; bit *= 2) /* nodes in binary order */
      if (!(a & bit))
        edge_add(&b->shape, p, &h->node.point[3 * (int64_t)node[a | bit]], &sum, &count);
  }
  return count ? sum / count : 0;
}

/* The smallest length of the source across its axis. */
static double width_of(const ig_beam_shape *s) {
  const double least = s->model == IG_BEAM_SURFACE || s->model == IG_BEAM_CYLINDER
                           ? ig_profile_least(&s->across)
                           : s->radius;
  return s->model == IG_BEAM_GOLDAK ? fmin(least, fmin(s->front, s->rear)) : least;
}

/* Edges of the targets nearest to places, of all ranks; 0: there is none. Two looks: who is
   nearest, then its edge. */
static ig_status edges_find(ig_ctx *cx, const ig_heat *h, const ig_beam *b, double (*x)[3],
                            int places, double *edge) {
  double own[PLACES], most[PLACES];
  int32_t nearest[PLACES];
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, b->targets, IG_WORK_NODE))
  for (int i = 0; i < places; i++) {
    own[i] = -INFINITY;
    nearest[i] = -1;
    for (int32_t t = 0; t < b->targets; t++) {
      const double *q = &b->place[3 * (int64_t)t];
      const double far = (q[0] - x[i][0]) * (q[0] - x[i][0]) + (q[1] - x[i][1]) * (q[1] - x[i][1]) +
                         (q[2] - x[i][2]) * (q[2] - x[i][2]);
      if (-far > own[i])
        own[i] = -far, nearest[i] = t;
    }
  }
  for (int i = 0; i < places; i++)
    most[i] = own[i];
  IG_TRY(ig_heat_part_most(cx, most, places, IG_OK));
  for (int i = 0; i < places; i++)
    edge[i] = nearest[i] >= 0 && own[i] == most[i] ? edge_across(h, b, b->target[nearest[i]]) : 0;
  return ig_heat_part_most(cx, edge, places, IG_OK);
}

ig_status ig_beam_width_warn(ig_ctx *cx, const ig_beam_case *c, const ig_heat *h,
                             const ig_beam *b) {
  double x[PLACES][3], edge[PLACES];
  const double radius = width_of(&b->shape);
  const int places = places_choose(&b->path, x);
  int wide = 0, worst = 0;
  if (places == 0)
    return IG_OK;
  IG_TRY(edges_find(cx, h, b, x, places, edge));
  for (int i = 0; i < places; i++) {
    wide += edge[i] > radius * (1 + 1e-6);
    worst = edge[i] > edge[worst] ? i : worst;
  }
  if (wide)
    ig_warn_at(cx, &c->at,
               "a beam of %.3g m radius is narrower than the elements of %.3g m under it (at %d of "
               "%d places of its path, as (%.4g, %.4g, %.4g) m): it is as wide as these, and "
               "temperatures near it depend on them; take elements of at most %.2g m there, or a "
               "radius of at least %.2g m where the heat of the part as a whole is enough",
               radius, edge[worst], wide, places, x[worst][0], x[worst][1], x[worst][2],
               0.5 * radius, edge[worst]);
  return IG_OK;
}
