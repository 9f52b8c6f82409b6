/* Solids that slide over each other deep in contact. It gives way by a little, so that nodes of one
   surface stand above the lower edges of the other body; they pass under it without harm as long as
   that is less than IG_DYN_SHALLOW of an element (contact.inc: contact_turned), beyond it front
   faces take hold of them. A particle that is so deep behind the triangle it touches, and goes
   along it by a share of the triangle, is such a case; one that touches at a distance (half
   thicknesses, `contact.thickness`) stays in front. Looked for where overlaps are: the host has
   positions and contact memory there. */
#include "dynamics/contact/overlap.h"
#include "dynamics/model/model.h"
#include "dynamics/model/part.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/contact/contact.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a triangle's size. What sticks moves by the friction spring's stretch alone, far less. */
static const double SHARE = 0.1;

/* How far particle n has gone along the triangle it is deep behind since the last look, m;
   negative: it is not behind one. */
static double slid(const ig_dyn_model *m, const double *x, const double *was, int32_t n,
                   double code, double *size) {
  const int32_t *t = m->contact.skin + 3 * (int64_t)((int64_t)code / 2);
  const double side = (int64_t)code % 2 ? -1 : 1;
  contact_spot_f64 at;
  double r[3], way[3], across = 0, sum = 0;
  if (!contact_plane_f64(x, t, n, &at, r) || side * at.height >= -IG_DYN_SHALLOW * at.size)
    return -1;
  contact_closer_f64(r, &at);
  for (int c = 0; c < 3; c++) {
    way[c] = x[3 * (int64_t)n + c] - was[3 * (int64_t)n + c];
    for (int a = 0; a < 3; a++)
      way[c] -= at.w[a] * (x[3 * (int64_t)t[a] + c] - was[3 * (int64_t)t[a] + c]);
    across += way[c] * at.normal[c];
  }
  for (int c = 0; c < 3; c++)
    sum += (way[c] - across * at.normal[c]) * (way[c] - across * at.normal[c]);
  *size = at.size;
  return sqrt(sum);
}

void ig_dyn_slide_forget(ig_dyn_model *m) {
  free(m->overlap.sliding.was);
  free(m->overlap.sliding.way);
  m->overlap.sliding.was = m->overlap.sliding.way = NULL;
}

ig_status ig_dyn_slide_look(ig_dyn_model *m, const double *x, double time) {
  const size_t nodes = (size_t)m->p.nodes;
  const int32_t *surface = m->contact.surface.host, count = m->p.contact.surfaces;
  const double *kept = m->contact.kept.host;
  ig_dyn_sliding *s = &m->overlap.sliding;
  if (count == 0 || s->said || m->overlap.parts < 2)
    return IG_OK;
  if (!s->was) { /* the first look has none before it */
    IG_TRY(IG_NEW(m->cx, &s->was, 3 * nodes + 1, "contact"));
    IG_TRY(IG_NEW(m->cx, &s->way, (size_t)count + 1, "contact"));
    for (int32_t i = 0; i < count; i++)
      s->way[i] = -1;
    memcpy(s->was, m->x0, 3 * nodes * sizeof *x);
  }
  for (int32_t i = 0; i < count && !s->said; i++) {
    double most = -1, size = 0;
    for (int k = 0; k < IG_DYN_SLOTS; k++) {
      const double code = kept[IG_DYN_KEPT * (int64_t)i + 3 * k];
      double one = 0;
      const double way = code < 0 ? -1 : slid(m, x, s->was, surface[i], code, &one);
      const int32_t *t = m->contact.skin + 3 * (int64_t)((int64_t)code / 2);
      if (way <= most || m->overlap.part[surface[i]] == m->overlap.part[t[0]])
        continue;
      most = way;
      size = one;
    }
    /* one that was not behind a triangle before may have come from afar */
    s->way[i] = most < 0 ? -1 : s->way[i] < 0 ? 0 : s->way[i] + most;
    if (!(s->way[i] > SHARE * size))
      continue;
    const double *at = x + 3 * (int64_t)surface[i];
    s->said = true;
    ig_warn_at(
        m->cx, m->c->contact.at.given ? &m->c->contact.at : &m->c->at,
        "solids slide over each other %g %% of a face deep in contact or more (by t = %.4g s "
        "at (%.4g, %.4g, %.4g) m): there a front face may catch on nodes and be stopped; "
        "take a larger `contact.penalty`, draw these bodies a distance apart and give it as "
        "`contact.thickness`, make one of them a rigid tool, or use statics",
        100 * IG_DYN_SHALLOW, time, at[0], at[1], at[2]);
  }
  memcpy(s->was, x, 3 * nodes * sizeof *x);
  return IG_OK;
}
