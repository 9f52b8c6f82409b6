/* The lasers, seen from the host: where they are, when they are on, how far their line is straight.
   The device has its own search along the paths (beam.inc). */
#include "powder/powder.h"

#include <math.h>

/* The piece of a path at a time, looked for from another. */
static int64_t piece_at(const ig_toolpath *p, int64_t i, double time) {
  i = i < p->count ? i : p->count - 1;
  while (i > 0 && p->t[i] > time)
    i--;
  while (i + 1 < p->count && p->t[i + 1] <= time)
    i++;
  return i;
}

double ig_powder_beam_at(ig_powder_run *r, int beam, double time, double *x) {
  const ig_toolpath *p = &r->laser[beam].path;
  const int64_t i = piece_at(p, r->laser[beam].cursor, time), next = i + 1 < p->count ? i + 1 : i;
  const double length = p->t[next] - p->t[i];
  const double s = length > 0 ? fmin(fmax((time - p->t[i]) / length, 0), 1) : 0;
  for (int d = 0; d < 3; d++)
    x[d] = p->x[3 * i + d] + s * (p->x[3 * next + d] - p->x[3 * i + d]);
  return next > i && time >= p->t[0] ? p->power[i] : 0;
}

double ig_powder_beam_way(ig_powder_run *r, int beam, double time, double *way) {
  const ig_toolpath *p = &r->laser[beam].path;
  const int64_t i = piece_at(p, r->laser[beam].cursor, time), next = i + 1 < p->count ? i + 1 : i;
  const double x = p->x[3 * next] - p->x[3 * i], y = p->x[3 * next + 1] - p->x[3 * i + 1];
  const double length = hypot(x, y), takes = p->t[next] - p->t[i];
  way[0] = length > 0 ? x / length : 1;
  way[1] = length > 0 ? y / length : 0;
  return takes > 0 ? length / takes : 0;
}

/* Cosine of the turn from piece i to piece j of a path; 1 where one of them stands still. */
static double turn(const ig_toolpath *p, int64_t i, int64_t j) {
  const double *a = &p->x[3 * i], *b = &p->x[3 * j];
  const double u[2] = {a[3] - a[0], a[4] - a[1]}, v[2] = {b[3] - b[0], b[4] - b[1]};
  const double both = hypot(u[0], u[1]) * hypot(v[0], v[1]);
  return both > 0 ? (u[0] * v[0] + u[1] * v[1]) / both : 1;
}

/* Goes back along the line piece by piece and compares directions with the present one; an arc is
   many short chords, none of which turns by much, while a corner turns at once. */
double ig_powder_beam_straight(const ig_powder_run *r, int beam, int64_t first, double time,
                               bool *corner) {
  const ig_toolpath *p = &r->laser[beam].path;
  const double same = cos(15 * M_PI / 180), sharp = cos(30 * M_PI / 180),
               /* no pool is longer than that: the search back along the line ends */
      enough = 1000 * r->radius;
  const int64_t i = piece_at(p, r->laser[beam].cursor, time);
  double reach = 0;
  *corner = false;
  for (int64_t k = i; k >= first && k + 1 < p->count && reach < enough; k--) {
    if (turn(p, k, i) < same) {
      *corner = turn(p, k, k + 1) < sharp;
      return reach;
    }
    const double *x = &p->x[3 * k], takes = p->t[k + 1] - p->t[k];
    const double share = k == i && takes > 0 ? fmin((time - p->t[k]) / takes, 1) : 1;
    reach += share * hypot(x[3] - x[0], x[4] - x[1]);
  }
  return INFINITY;
}

double ig_powder_beam_next(const ig_powder_run *r, int beam, double time) {
  const ig_toolpath *p = &r->laser[beam].path;
  for (int64_t i = piece_at(p, r->laser[beam].cursor, time); i + 1 < p->count; i++)
    if (p->power[i] > 0 && p->t[i + 1] > p->t[i])
      return fmax(time, p->t[i]);
  return INFINITY;
}

void ig_powder_beams_seek(ig_powder_run *r, double time) {
  for (int b = 0; b < r->beams; b++) {
    ig_powder_laser *l = &r->laser[b];
    l->cursor = piece_at(&l->path, l->cursor, time);
    r->view.way[b].piece = r->way[b].piece = l->cursor;
  }
}
