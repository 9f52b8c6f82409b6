/* Bodies inside each other. Contact acts on what crosses a surface from outside; a particle that
   is inside another body without contact stays there. So this is looked for: at the start, and
   as often as bodies could pass through each other.

   Search: boxes of the parts first; then surface particles, sorted by x, against the boxes of
   solid elements; then the element cut into tetrahedra from its middle. How deep a particle lies
   is the distance to the nearest triangle of that part: O(triangles), hence at most MEASURED of
   them. */
#include "dynamics/contact/overlap.h"
#include "core/union_find.h"
#include "dynamics/model/rigid_body_check.h"
#include "dynamics/model/model.h"
#include "dynamics/model/part.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/contact/contact.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEASURED = 200 }; /* particles whose depth is measured, at most */

/* A box along the axes; empty while low is above high. */
typedef struct {
  double low[3], high[3];
} box;
static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

/* Grows a box to hold x. */
static void box_grow(box *b, const double x[3]) {
  for (int c = 0; c < 3; c++) {
    b->low[c] = fmin(b->low[c], x[c]);
    b->high[c] = fmax(b->high[c], x[c]);
  }
}
/* Whether x lies in a box, boundary included. */
static bool box_has(const box *b, const double x[3]) {
  bool in = true;
  for (int c = 0; c < 3; c++)
    in &= x[c] >= b->low[c] && x[c] <= b->high[c];
  return in;
}
/* Shortest side of a box; longest side. */
static double box_least(const box *b) {
  return fmin(b->high[0] - b->low[0], fmin(b->high[1] - b->low[1], b->high[2] - b->low[2]));
}
static double box_size(const box *b) {
  return fmax(b->high[0] - b->low[0], fmax(b->high[1] - b->low[1], b->high[2] - b->low[2]));
}

/* A surface particle by its x, for the sorted list. */
typedef struct {
  double x;
  int32_t node;
} place;
static int by_x(const void *a, const void *b) {
  const place *p = a, *q = b;
  return p->x < q->x ? -1 : p->x > q->x;
}

/* What one search needs: positions, surface particles by x, how many depths were measured
   already. */
typedef struct {
  ig_dyn_model *m;
  const double *x;
  place *by;
  int32_t count;
  int measured;
  double share; /* of an element's size: less deep does not count */
} search;

/* Whether y is in the tetrahedron of a triangle and a point: its barycentric coordinates. */
static bool is_within(const double *const at[4], const double y[3]) {
  double e[4][3], n[3];
  for (int i = 0; i < 3; i++)
    ig_dyn_sub(at[i], at[3], e[i]);
  ig_dyn_sub(y, at[3], e[3]);
  cross_f64(e[1], e[2], n);
  const double volume = dot_f64(e[0], n);
  if (volume == 0)
    return false;
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    cross_f64(e[(i + 1) % 3], e[(i + 2) % 3], n);
    const double w = dot_f64(e[3], n) / volume;
    if (w < 0)
      return false;
    sum += w;
  }
  return sum <= 1;
}

/* Whether y is in a solid element: in one of the tetrahedra of its face triangles and its
   middle. */
static bool is_inside(const search *s, const ig_block *b, ig_lid local, const double y[3]) {
  const ig_elem_info *info = ig_elem_info_get(b->type);
  double middle[3] = {0};
  for (int a = 0; a < info->nodes; a++)
    for (int c = 0; c < 3; c++)
      middle[c] += s->x[3 * (int64_t)b->conn[(int64_t)local * info->nodes + a] + c] / info->nodes;
  for (int f = 0; f < info->faces; f++) {
    ig_lid cut[4][3];
    const int n = ig_dyn_face_triangles(b, local, f, cut);
    for (int k = 0; k < n; k++) {
      const double *const at[4] = {s->x + 3 * (int64_t)cut[k][0], s->x + 3 * (int64_t)cut[k][1],
                                   s->x + 3 * (int64_t)cut[k][2], middle};
      if (is_within(at, y))
        return true;
    }
  }
  return false;
}

/* How far y is from the surface of a part, m: over all its outer triangles. */
static double depth_of(const search *s, int32_t part, const double y[3]) {
  const ig_dyn_touching *t = &s->m->contact;
  double best = INFINITY;
  for (int64_t k = 0; k < t->outer; k++) {
    double r[3][3], w[3];
    if (s->m->overlap.part[t->skin[3 * k]] != part)
      continue;
    for (int a = 0; a < 3; a++)
      ig_dyn_sub(s->x + 3 * (int64_t)t->skin[3 * k + a], y, r[a]);
    best = fmin(best, contact_closest_f64(r[0], r[1], r[2], w));
  }
  return sqrt(best);
}

/* The first particle with this x or more, by bisection. */
static int32_t first_from(const search *s, double x) {
  int32_t lo = 0, hi = s->count;
  while (lo < hi) {
    const int32_t mid = (lo + hi) / 2;
    if (s->by[mid].x < x)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* Particles of other parts inside an element: those in its box first, then by tetrahedra, then
   by depth. */
static void element_look(search *s, const ig_block *b, ig_lid local, ig_dyn_overlap *found) {
  const int npe = ig_elem_info_get(b->type)->nodes;
  const ig_lid *conn = b->conn + (int64_t)local * npe;
  const int32_t part = s->m->overlap.part[conn[0]];
  box at = nothing;
  for (int a = 0; a < npe; a++)
    box_grow(&at, s->x + 3 * (int64_t)conn[a]);
  for (int32_t i = first_from(s, at.low[0]); i < s->count && s->by[i].x <= at.high[0]; i++) {
    const double *y = s->x + 3 * (int64_t)s->by[i].node;
    /* order of tests: cheap ones first */
    if (!box_has(&at, y) || s->m->overlap.part[s->by[i].node] == part || s->measured >= MEASURED ||
        !is_inside(s, b, local, y))
      continue;
    const double depth = depth_of(s, part, y);
    s->measured++;
    if (!(depth > s->share * box_least(&at)))
      continue;
    found->count++;
    if (depth <= found->depth)
      continue;
    found->depth = depth;
    memcpy(found->at, y, sizeof found->at);
  }
}

/* Whether the boxes of any two parts overlap, without which nothing can lie inside another; the
   least thickness of a part, m. */
static ig_status boxes_look(const search *s, bool *any, double *thin) {
  const ig_dyn_model *m = s->m;
  box *of;
  IG_TRY(IG_NEW(m->cx, &of, (size_t)m->overlap.parts + 1, "overlap"));
  for (int32_t k = 0; k < m->overlap.parts; k++)
    of[k] = nothing;
  for (int32_t n = 0; n < m->p.nodes; n++)
    box_grow(&of[m->overlap.part[n]], s->x + 3 * (int64_t)n);
  *any = m->overlap.parts > 64; /* pairs are too many to look at */
  *thin = INFINITY;
  for (int32_t k = 0; k < m->overlap.parts; k++) {
    double least = INFINITY;
    for (int c = 0; c < 3; c++)
      least = fmin(least, of[k].high[c] - of[k].low[c]);
    *thin = least > 0 ? fmin(*thin, least) : *thin;
    for (int32_t l = 0; l < k && !*any; l++) {
      bool both = true;
      for (int c = 0; c < 3; c++)
        both &= of[k].low[c] < of[l].high[c] && of[l].low[c] < of[k].high[c];
      *any |= both;
    }
  }
  free(of);
  return IG_OK;
}

/* Nodes of the outer triangles, each once, without those that contact pushes out. */
static ig_status places_list(search *s) {
  ig_dyn_model *m = s->m;
  const int32_t surfaces = m->p.contact.surfaces;
  IG_TRY(IG_NEW(m->cx, &s->by, (size_t)m->p.nodes + 1, "overlap"));
  for (int32_t i = 0; i < surfaces; i++) {
    const int32_t n = ((const int32_t *)m->contact.surface.host)[i];
    const double *kept = (const double *)m->contact.kept.host + IG_DYN_KEPT * (int64_t)i;
    if (kept[0] < 0 && kept[3] < 0)
      s->by[s->count++] = (place){s->x[3 * (int64_t)n], n};
  }
  uint8_t *seen;
  IG_TRY(IG_NEW(m->cx, &seen, (size_t)m->p.nodes + 1, "overlap"));
  for (int64_t i = 0; i < 3 * m->contact.outer && !surfaces; i++) {
    const int32_t n = m->contact.skin[i];
    if (!seen[n])
      s->by[s->count++] = (place){s->x[3 * (int64_t)n], n};
    seen[n] = 1;
  }
  free(seen);
  qsort(s->by, (size_t)s->count, sizeof *s->by, by_x);
  return IG_OK;
}

/* Particles inside other parts at positions x; `share`: shallower than this share of the
   element's least extent does not count. Also measures the thinnest part (m->overlap.thin). */
static ig_status find(ig_dyn_model *m, const double *x, double share, ig_dyn_overlap *found) {
  search s = {.m = m, .x = x, .share = share};
  bool any;
  *found = (ig_dyn_overlap){0};
  IG_TRY(boxes_look(&s, &any, &m->overlap.thin));
  if (!any)
    return IG_OK;
  const ig_status status = places_list(&s);
  for (int b = 0; b < m->mesh->blocks && status == IG_OK; b++) {
    const ig_block *block = &m->mesh->block[b];
    for (ig_lid l = 0; ig_elem_info_get(block->type)->dim == 3 && l < block->count; l++)
      element_look(&s, block, l, found);
  }
  free(s.by);
  return status;
}

/* Whether a surface particle is inside an element of its own part that it is no corner of, beyond a
   tenth of the element's size. */
static bool enters_itself(const search *s, const ig_block *b, ig_lid local, double at[3]) {
  const int npe = ig_elem_info_get(b->type)->nodes;
  const ig_lid *conn = b->conn + (int64_t)local * npe;
  box around = nothing;
  double middle[3] = {0};
  for (int a = 0; a < npe; a++) {
    const double *x = s->x + 3 * (int64_t)conn[a];
    box_grow(&around, x);
    for (int c = 0; c < 3; c++)
      middle[c] += x[c] / npe;
  }
  for (int32_t i = first_from(s, around.low[0]); i < s->count && s->by[i].x <= around.high[0];
       i++) {
    const double *y = s->x + 3 * (int64_t)s->by[i].node;
    double out[3];
    bool own = s->m->overlap.part[s->by[i].node] != s->m->overlap.part[conn[0]];
    for (int a = 0; a < npe; a++)
      own |= conn[a] == s->by[i].node;
    for (int c = 0; c < 3; c++) /* seen from the middle 1.25 times as far */
      out[c] = middle[c] + 1.25 * (y[c] - middle[c]);
    if (own || !box_has(&around, y) || !is_inside(s, b, local, out))
      continue;
    memcpy(at, y, 3 * sizeof *at);
    return true;
  }
  return false;
}

ig_status ig_dyn_self_look(ig_dyn_model *m, const double *x, bool *found, double at[3]) {
  search s = {.m = m, .x = x};
  const ig_status status = places_list(&s);
  *found = false;
  for (int b = 0; b < m->mesh->blocks && status == IG_OK; b++) {
    const ig_block *block = &m->mesh->block[b];
    for (ig_lid l = 0; ig_elem_info_get(block->type)->dim == 3 && l < block->count && !*found; l++)
      *found = enters_itself(&s, block, l, at);
  }
  free(s.by);
  return status;
}

/* Particles of other solid parts nearer to a triangle than the distance from which contact acts. */
static void triangle_look(search *s, int64_t k, const bool *solid, double distance,
                          ig_dyn_overlap *found) {
  const ig_dyn_touching *t = &s->m->contact;
  const int32_t *part = s->m->overlap.part, own = part[t->skin[3 * k]];
  /* the box of the triangle, larger by the distance */
  box at = nothing;
  for (int a = 0; a < 3; a++)
    box_grow(&at, s->x + 3 * (int64_t)t->skin[3 * k + a]);
  for (int c = 0; c < 3; c++) {
    at.low[c] -= distance;
    at.high[c] += distance;
  }
  for (int32_t i = first_from(s, at.low[0]); i < s->count && s->by[i].x <= at.high[0]; i++) {
    const double *y = s->x + 3 * (int64_t)s->by[i].node;
    double r[3][3], w[3];
    if (s->measured >= MEASURED || !box_has(&at, y) || part[s->by[i].node] == own ||
        !solid[part[s->by[i].node]])
      continue;
    for (int a = 0; a < 3; a++)
      ig_dyn_sub(s->x + 3 * (int64_t)t->skin[3 * k + a], y, r[a]);
    const double depth = distance - sqrt(contact_closest_f64(r[0], r[1], r[2], w));
    if (!(depth > s->share * distance))
      continue;
    s->measured++;
    found->count++;
    if (depth <= found->depth)
      continue;
    found->depth = depth;
    memcpy(found->at, y, sizeof found->at);
  }
}

/* Solids that start nearer to each other than `thickness`, the distance of contact: they would
   not touch until they are apart. Triangles of solids against surface particles, by boxes along
   x. */
static ig_status near_find(ig_dyn_model *m, double distance, ig_dyn_overlap *found) {
  search s = {.m = m, .x = m->x0, .share = 1e-4, .count = m->p.contact.surfaces};
  bool *solid = NULL;
  ig_status status = IG_OK;
  *found = (ig_dyn_overlap){0};
  IG_TRY(IG_NEW(m->cx, &solid, (size_t)m->overlap.parts + 1, "overlap"));
  for (int b = 0; b < m->mesh->blocks; b++) {
    const ig_block *block = &m->mesh->block[b];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    for (ig_lid l = 0; info->dim == 3 && l < block->count; l++)
      solid[m->overlap.part[block->conn[(int64_t)l * info->nodes]]] = true;
  }
  IG_TRY_GOTO(status, done, IG_NEW(m->cx, &s.by, (size_t)s.count + 1, "overlap"));
  for (int32_t i = 0; i < s.count; i++) {
    const int32_t n = ((const int32_t *)m->contact.surface.host)[i];
    s.by[i] = (place){s.x[3 * (int64_t)n], n};
  }
  qsort(s.by, (size_t)s.count, sizeof *s.by, by_x);
  for (int64_t k = 0; k < m->contact.outer && s.measured < MEASURED; k++)
    if (solid[m->overlap.part[m->contact.skin[3 * k]]])
      triangle_look(&s, k, solid, distance, found);
done:
  free(s.by);
  free(solid);
  return status;
}

/* Parts are connected by elements, bodies and ties (ig_dyn_parts_join). */
ig_status ig_dyn_parts_new(ig_dyn_model *m) {
  const int32_t nodes = m->p.nodes;
  int32_t *up = NULL;
  IG_TRY(IG_NEW(m->cx, &m->overlap.part, (size_t)nodes + 1, "overlap"));
  IG_TRY(IG_NEW(m->cx, &up, (size_t)nodes + 1, "overlap"));
  for (int32_t n = 0; n < nodes; n++)
    up[n] = n;
  ig_dyn_parts_join(m, up);
  for (int32_t n = 0; n < nodes; n++) /* a root is the lowest of its part */
    m->overlap.part[n] = up[n] == n ? m->overlap.parts++ : m->overlap.part[ig_union_root(up, n)];
  free(up);
  return IG_OK;
}

/* At the start: overlaps are an error, an interference fit (fit), or let be (keep). Solids
   nearer than the thickness given for contact are an error, too. */
ig_status ig_dyn_overlap_new(ig_dyn_model *m) {
  const ig_dyn_contact *c = &m->c->contact;
  ig_dyn_overlap found;
  if ((m->p.contact.surfaces == 0 && !m->pairs.on) || c->overlap == IG_OVERLAP_KEEP ||
      m->overlap.parts < 2)
    return IG_OK;
  /* 1e-4 of an element: faces that coincide but for rounding are allowed */
  IG_TRY(find(m, m->x0, 1e-4, &found));
  if (found.count == 0 && c->thickness > 0) {
    IG_TRY(near_find(m, c->thickness, &found));
    if (found.count)
      return ig_fail_at(m->cx, &c->at,
                        "bodies start nearer to each other than `thickness`, from which contact "
                        "acts: %.3g m at (%.4g, %.4g, %.4g) m; move the bodies apart, give that or "
                        "less as `thickness`, or let them be by `overlap: keep`: they then touch "
                        "only after they were apart",
                        c->thickness - found.depth, found.at[0], found.at[1], found.at[2]);
  }
  if (found.count == 0)
    return IG_OK;
  if (c->overlap == IG_OVERLAP_FIT) {
    /* the search must see the deepest particle */
    m->p.contact.gap = fmax(m->p.contact.gap, 1.5 * found.depth);
    ig_info(m->cx, "interference fit: %d%s nodes lie inside another body, the deepest %.3g m",
            found.count, found.count >= MEASURED ? " or more" : "", found.depth);
    return IG_OK;
  }
  return ig_fail_at(m->cx, &c->at,
                    "bodies overlap at the start: %d%s nodes lie inside another body, the deepest "
                    "%.3g m below its surface, at (%.4g, %.4g, %.4g) m; move the bodies apart, tie "
                    "them, press them apart by `overlap: fit`, or let them be by `overlap: keep`",
                    found.count, found.count >= MEASURED ? " or more" : "", found.depth,
                    found.at[0], found.at[1], found.at[2]);
}

/* Range of the velocities, as a speed; of all ranks. */
typedef struct {
  const ig_dyn_model *m;
  box range;
} speeds;
static void speed_row(void *user, int64_t n, double *row) {
  const ig_dyn_model *m = ((const speeds *)user)->m;
  for (int c = 0; c < 3; c++)
    row[c] = ig_dyn_get(m, &m->v, n * m->p.dofs + c);
}
static void speed_add(void *user, const double *row) {
  box_grow(&((speeds *)user)->range, row);
}
/* Diagonal of the box of all velocities: a bound of how fast two particles approach each other.
   Collective. */
static ig_status speed_find(ig_dyn_model *m, double *speed) {
  speeds s = {m, nothing};
  double d[3];
  const ig_status pulled = ig_array_pull(m->cx, &m->v);
  IG_TRY(ig_dyn_particles_add(m, pulled, 3, speed_row, speed_add, &s));
  ig_dyn_sub(s.range.high, s.range.low, d);
  *speed = sqrt(dot_f64(d, d));
  return ig_dyn_share(m, IG_OK, speed, sizeof *speed);
}

/* Overlaps: not with `keep`; not with erosion, whose surfaces change. */
static bool passing_watched(const ig_dyn_model *m) {
  return m->c->contact.overlap != IG_OVERLAP_KEEP && !m->p.erosion.alive;
}

static bool slides_watched(const ig_dyn_model *m) {
  return m->p.contact.surfaces > 0 && !m->overlap.sliding.said;
}

/* Not on ranks, where no rank has the whole. */
bool ig_dyn_overlap_watched(const ig_dyn_model *m) {
  return m->overlap.parts > 1 && ig_dyn_alone(m) && (passing_watched(m) || slides_watched(m));
}

/* Steps to the next look: before anything can have passed through the thinnest part at the
   present speeds. */
static ig_status next_find(ig_dyn_model *m, int64_t *next) {
  double speed;
  IG_TRY(speed_find(m, &speed));
  const double way = speed * ((const ig_dyn_clock *)m->clock.host)->dt;
  /* a quarter of the thinnest part: nothing passes through unseen. At least 20 steps, at most
     5000 */
  const double steps = way > 0 && m->overlap.thin > 0 && isfinite(m->overlap.thin)
                           ? 0.25 * m->overlap.thin / way
                           : 5000;
  *next = (int64_t)fmax(20, fmin(5000, steps));
  return IG_OK;
}

/* Steps to the second look at what slides; each further one comes after twice as many, so that long
   runs do not pay for them. The last one is at the end. */
enum { SLIDES = 500 };

/* Bodies that have passed into each other are an error. */
static ig_status passing_look(ig_dyn_model *m, const double *x) {
  const ig_dyn_clock *k = m->clock.host;
  ig_dyn_overlap found;
  /* 0.2: a penalty lets surfaces overlap a little */
  IG_TRY(find(m, x, 0.2, &found));
  if (found.count == 0) {
    IG_TRY(next_find(m, &m->overlap.due));
    m->overlap.due += k->step;
    return IG_OK;
  }
  return IG_FAIL(m->cx, IG_NUMERIC,
                 "by step %lld, t = %.4g s, bodies have passed into each other: %d%s nodes lie "
                 "inside another body, the deepest %.3g m below its surface, at (%.4g, %.4g, %.4g) "
                 "m; take a smaller step (`safety`)",
                 (long long)k->step, k->time, found.count,
                 found.count >= MEASURED ? " or more" : "", found.depth, found.at[0], found.at[1],
                 found.at[2]);
}

/* Pulls positions and contact memory, searches, and says after how many steps to look again. */
ig_status ig_dyn_overlap_check(ig_dyn_model *m, bool last, int64_t *next) {
  const ig_dyn_clock *k = m->clock.host;
  double *x;
  IG_TRY(ig_array_pull(m->cx, &m->x));
  IG_TRY(ig_array_pull(m->cx, &m->contact.kept));
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  IG_TRY(IG_NEW(m->cx, &x, 3 * (size_t)m->p.nodes + 1, "overlap"));
  for (int64_t i = 0; i < 3 * (int64_t)m->p.nodes; i++)
    x[i] = ig_dyn_get(m, &m->x, i);
  ig_status status = IG_OK;
  if (passing_watched(m) && (last || k->step >= m->overlap.due))
    status = passing_look(m, x);
  if (status == IG_OK)
    status = ig_dyn_slide_look(m, x, k->time);
  free(x);
  *next = passing_watched(m) ? m->overlap.due - k->step : INT64_MAX;
  if (slides_watched(m)) {
    int64_t *pause = &m->overlap.sliding.pause;
    *pause = !*pause ? SLIDES : *pause < INT32_MAX ? 2 * *pause : *pause;
    *next = *next < *pause ? *next : *pause;
  }
  return status;
}

/* Largest step in which contact can see a crossing at present speeds; 0: no limit. */
ig_status ig_dyn_overlap_step(ig_dyn_model *m, double *step) {
  double speed;
  *step = 0;
  if (!ig_dyn_touches(m))
    return IG_OK;
  IG_TRY(speed_find(m, &speed));
  if (speed > 0)
    /* 0.15 of the margin per step: what crosses a surface is found with reserve for acceleration */
    *step = 0.15 * m->contact.margin / speed;
  return IG_OK;
}

/* A node inside a tool would be pushed out by a blow in the first step. */
ig_status ig_dyn_tools_check(ig_dyn_model *m) {
  ig_dyn_particles p = m->p;
  box all = nothing;
  p.history_x = m->held.history_x.host;
  p.history_y = m->held.history_y.host;
  for (int32_t n = 0; n < m->mesh->nodes; n++)
    box_grow(&all, m->x0 + 3 * (int64_t)n);
  for (int i = 0; i < m->c->tools.count; i++) {
    const ig_dyn_tool *tool = (const ig_dyn_tool *)m->loading.tool.host + i;
    ig_dyn_overlap found = {0};
    for (int32_t n = 0; n < m->mesh->nodes; n++) {
      const double *x = m->x0 + 3 * (int64_t)n;
      double out[3];
      const double depth = -ig_dyn_tool_gap(&p, tool, 0, x, out);
      found.count += depth > 1e-6 * box_size(&all);
      if (depth <= fmax(found.depth, 1e-6 * box_size(&all)))
        continue;
      found.depth = depth;
      memcpy(found.at, x, sizeof found.at);
    }
    if (found.count)
      return ig_fail_at(m->cx, &IG_ITEM(const ig_dyn_tool_case, m->c->tools, i)->at,
                        "%d nodes lie inside this tool at the start, the deepest %.3g m, at (%.4g, "
                        "%.4g, %.4g) m: move it, or for a plane turn `axis`, which points to where "
                        "nodes may be",
                        found.count, found.depth, found.at[0], found.at[1], found.at[2]);
  }
  return IG_OK;
}
