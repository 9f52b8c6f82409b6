/* Forces of contact and their tangent at points of integration of the first side. With the distance
   g = n . (x - y) of a pair, pressure p = <extra - stiffness g>, or p = p0 exp(-ln(100) g / c),
   tied: both signs, all directions; an overlap at which contact is switched on again vanishes over
   the analysis; friction is the return mapping of t = t_accepted + stick (change of x - y across n)
   to |t| <= mu p. In motion through time sides that touch are damped: damping (v.n n + share (v -
   v.n n)) of the relative velocity v. Forces are p n times the area of the point, shared by the
   nodes of both faces.

           first side   o----x----x----o      x: points of integration (area, shares of the nodes)
                             |    |           g: distance along the normal of the other side
           other side   o----+----+----o      +: nearest places, kept through a step

   Why integration points and not nodes: pressures are then constant over a face for constant
   overlap, also where the meshes do not match. Why the pairs are kept through a step: forces are
   smooth functions of the displacements, so that Newton's method converges. */
#include "contact/points.h"
#include "mesh/face_place.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether the stiffness is left to this folder: what penetrates is then pushed out. */
static bool usual(const ig_contact_case *c) {
  return isnan(c->stiffness) && isnan(c->length) && isnan(c->decay[0]) && !(c->times > 0);
}

/* Whether a point is deeper than `most`, or has pressure from earlier rounds while it stands off by
   more than that, as after a load that went down. */
static bool off(const ig_contact *s, const ig_contact_case *c, const ig_contact_point *t,
                double most) {
  const bool laid = t->extra > 0 && t->push > 0 && isnan(c->decay[0]) && isnan(c->tension);
  return !c->tied && ig_contact_meets(t) &&
         (laid ? fabs(t->gap) : -t->gap) > most * ig_contact_face_size(s, t);
}

/* Uzawa's rule: pressures of a converged state become those at no distance. The stiffness is
   usually far above that of the parts, so that each round divides distances by some ten. */
bool ig_contact_augment(ig_contact *s, const ig_trial *at) {
  bool deep = false;
  s->rounds = at ? s->rounds + 1 : 0;
  s->closed = at ? s->closed : 0;
  for (int32_t i = 0; i < s->count; i++) {
    ig_contact_point *t = &s->point[i];
    const ig_contact_case *c = IG_ITEM(const ig_contact_case, *s->list, t->contact);
    const double most = !isnan(c->penetration) ? c->penetration : usual(c) ? 1e-3 : INFINITY;
    if (!at)
      t->extra = t->kept;
    else
      deep |= off(s, c, t, most);
  }
  if (!at || !deep)
    return false;
  if (s->rounds > 20) {
    if (!s->deep)
      ig_warn(s->bodies.cx,
              "contact penetrates or stands off by more than `penetration` after 20 rounds of "
              "augmented Lagrange: give a higher `stiffness`, or leave it out");
    s->deep = true;
    return false;
  }
  for (int32_t i = 0; i < s->count; i++) {
    ig_contact_point *t = &s->point[i];
    const ig_contact_case *c = IG_ITEM(const ig_contact_case, *s->list, t->contact);
    if (!isnan(c->penetration) || usual(c))
      t->extra = t->push;
  }
  return true;
}

/* The sum of numbers that belong to the points that press (those of splitmix64). */
bool ig_contact_unsettled(ig_contact *s) {
  uint64_t sum = 0;
  for (int32_t i = 0; i < s->count; i++) {
    uint64_t z = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    sum += s->point[i].push > 0 ? z ^ (z >> 27) : 0;
  }
  const bool changed = sum != s->closed;
  s->closed = sum;
  return changed;
}

bool ig_contact_fits(const ig_contact *s, const ig_trial *at, char *why, size_t size) {
  for (int32_t i = 0; i < s->count; i++) {
    const ig_contact_point *t = &s->point[i];
    const ig_contact_case *c = IG_ITEM(const ig_contact_case, *s->list, t->contact);
    double now[3], face, n[3], moved[3], gap = t->shift;
    if (c->tied || (!t->tool && (c->sliding || !t->masters)))
      continue;
    ig_contact_relative(s, t, at->u, now);
    if (t->tool) {
      ig_contact_tool_gap(s, t->tool, at->time, now, n, moved, NULL);
      if (!ig_contact_tool_passes(s, t, moved))
        continue;
      snprintf(why, size, "the tool '%s' passes through '%s' in the step: give a `largest_step`",
               c->to, c->set);
      return false;
    }
    for (int k = 0; k < 3; k++)
      gap += now[k] * t->normal[k];
    if (gap > 0 || ig_contact_slid(s, t, now, t->before, &face) < 0.5 * face)
      continue;
    snprintf(why, size, "contact of '%s' and '%s' slides by more than half a face in the step",
             c->set, c->to);
    return false;
  }
  return true;
}

void ig_contact_friction(const double n[3], const double pull[3], const double slid[3],
                         double stick, double most, double now[3], double T[9], double by[9]) {
  double across = 0, trial[3], size = 0;
  for (int i = 0; i < 3; i++)
    across += slid[i] * n[i];
  for (int i = 0; i < 3; i++) {
    trial[i] = pull[i] + stick * (slid[i] - across * n[i]);
    size += trial[i] * trial[i];
  }
  size = sqrt(size);
  /* a side that just touches has no friction yet, and resists as one that sticks */
  const bool slides = size > most && most > 0;
  for (int i = 0; i < 3; i++) {
    const double e = slides ? trial[i] / size : 0;
    now[i] = slides ? most / size * trial[i] : most > 0 ? trial[i] : 0;
    for (int j = 0; j < 3; j++) {
      const double k = (i == j) - n[i] * n[j];
      T[3 * i + j] = stick * (slides ? most / size * (k - e * trial[j] / size) : k);
      by[3 * i + j] = e * n[j]; /* not symmetric: sliding depends on the pressure */
    }
  }
}

/* Traction on the first side from the relative position, and its derivative.
   r: relative position x - y; factor: share of the analysis that has passed, by which the
   overlap of a contact that was switched on again has been released. p is the traction on the
   first side (internal force, thus with the sign of -pressure x n), D = dp/dr, 3 x 3. moved: the
   relative position of the points of both sides that were opposite when the step began, from which
   friction counts; T = dp/dmoved.

   soft: share of the stiffness that counts. exp is limited at exp(60), so that a trial far inside
   does not overflow. Friction: elastic predictor from the accepted traction, radial return to
   Coulomb's cone. t->now keeps the tangential traction for acceptance. */
static void traction(const ig_contact_case *c, ig_contact_point *t, double soft, const double n[3],
                     const double r[3], const double moved[3], double factor, double p[3],
                     double D[9], double T[9]) {
  const double k = soft * t->stiffness;
  const double gap = n[0] * r[0] + n[1] * r[1] + n[2] * r[2] + t->shift - (1 - factor) * t->overlap;
  memset(D, 0, 9 * sizeof *D);
  memset(T, 0, 9 * sizeof *T);
  if (c->tied) {
    for (int d = 0; d < 3; d++) {
      p[d] = k * (r[d] - t->offset[d]);
      D[4 * d] = k;
    }
    return;
  }
  /* Pressure on the first side and its derivative by penetration. Three laws: exponential (soft
     contact), regularised with a small tension, and the plain penalty. */
  double push, stiff, nearer = 0;
  for (int i = 0; i < 3; i++)
    nearer += n[i] * (moved[i] - t->before[i]);
  /* where the step begins; a point that has moved in it is pressed, or open */
  const bool touching = fabs(gap) <= 1e-9 * sqrt(t->area) && fabs(nearer) <= 1e-14 * sqrt(t->area);
  if (!isnan(c->decay[0])) {
    const double rate = log(100) / c->decay[1];
    push = c->decay[0] * exp(fmin(-rate * gap, 60));
    stiff = rate * push;
  } else if (!isnan(c->tension)) { /* beyond a thousandth of the size nothing pulls */
    const double width = M_PI * c->tension / k, share = atan(-gap / width) / M_PI + 0.5;
    const bool near = gap < 1e-3 * sqrt(t->area);
    push = near ? -k * gap * share : 0;
    stiff = near ? k * (share - gap * width / (M_PI * (width * width + gap * gap))) : 0;
  } else {
    push = fmax(0, t->extra - k * gap);
    /* what just touches is stiff, too: it may be all that supports a part */
    stiff = push > 0 || touching ? k : 0;
  }
  t->gap = gap;
  t->push = push;
  for (int i = 0; i < 3; i++) {
    p[i] = -push * n[i];
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = stiff * n[i] * n[j];
  }
  memset(t->now, 0, sizeof t->now);
  if (!(c->friction > 0) || !(push > 0 || touching))
    return;
  /* below sliding a tenth of the normal stiffness, unless the case gives it */
  const double stick = isnan(c->stick) ? k / 10 : soft * c->stick;
  double slid[3], by[9];
  for (int i = 0; i < 3; i++)
    slid[i] = moved[i] - t->before[i];
  ig_contact_friction(n, t->pull, slid, stick, c->friction * push, t->now, T, by);
  for (int i = 0; i < 9; i++)
    D[i] -= c->friction * stiff * by[i];
  for (int i = 0; i < 3; i++)
    p[i] += t->now[i];
}

/* Traction of sides that are drawn together where they are no further apart than half a face, and
   stick: contact as a bond, by which loose parts come to where they will touch. */
static void bond(const ig_contact *s, const ig_contact_point *t, double k, const double n[3],
                 const double r[3], const double moved[3], double p[3], double D[9], double T[9]) {
  const double gap = n[0] * r[0] + n[1] * r[1] + n[2] * r[2] + t->shift;
  const bool near = gap < 0.5 * ig_contact_face_size(s, t);
  double slid[3], across = 0;
  for (int i = 0; i < 3; i++) {
    slid[i] = moved[i] - t->before[i];
    across += slid[i] * n[i];
  }
  for (int i = 0; i < 3; i++) {
    p[i] = near ? k * gap * n[i] + k / 10 * (slid[i] - across * n[i]) : 0;
    for (int j = 0; j < 3; j++) {
      D[3 * i + j] = near ? k * n[i] * n[j] : 0;
      T[3 * i + j] = near ? k / 10 * ((i == j) - n[i] * n[j]) : 0;
    }
  }
}

/* Adds the damping of sides that touch: those whose traction changes with the distance.
   v: relative velocity; its derivative by displacements is `rate` (Newmark). */
static void damp(const ig_contact *s, const ig_contact_case *c, const ig_contact_point *t,
                 const ig_trial *at, const double n[3], double p[3], double D[9]) {
  double v[3] = {0, 0, 0}, rate = 0, across = 0, stiff = 0;
  for (int i = 0; i < 9; i++)
    stiff += n[i / 3] * D[i] * n[i % 3];
  if (!(stiff > 0))
    return;
  for (int a = 0; a < t->slaves + t->masters; a++) {
    double own[3];
    s->bodies.velocity(s->bodies.self, at, t->node[a], own, &rate);
    for (int d = 0; d < 3; d++)
      v[d] += t->share[a] * own[d];
  }
  for (int d = 0; d < 3; d++)
    across += n[d] * v[d];
  for (int i = 0; i < 3; i++) {
    p[i] += c->damping * (across * n[i] + c->tangential * (v[i] - across * n[i]));
    for (int j = 0; j < 3; j++)
      D[3 * i + j] += rate * c->damping * (n[i] * n[j] + c->tangential * ((i == j) - n[i] * n[j]));
  }
}

/* The same of a point that pressed on a tool when the step began, with `gap` then: it goes with the
   tool, whose pressure may be less than nothing. */
static bool grip(const ig_contact_case *c, const ig_contact_point *t, double k, double gap,
                 const double n[3], const double r[3], const double moved[3], double p[3],
                 double D[9], double T[9]) {
  if (!isnan(c->decay[0]) || !isnan(c->tension) || !(t->extra - k * gap > 0))
    return false;
  const double now = n[0] * r[0] + n[1] * r[1] + n[2] * r[2] + t->shift;
  const double stick = c->friction > 0 ? k / 10 : 0;
  double slid[3], across = 0;
  for (int i = 0; i < 3; i++) {
    slid[i] = moved[i] - t->before[i];
    across += slid[i] * n[i];
  }
  for (int i = 0; i < 3; i++) {
    p[i] = (k * now - t->extra) * n[i] + t->pull[i] + stick * (slid[i] - across * n[i]);
    for (int j = 0; j < 3; j++) {
      D[3 * i + j] = k * n[i] * n[j];
      T[3 * i + j] = stick * ((i == j) - n[i] * n[j]);
    }
  }
  return true;
}

/* Adds to the tangent ke (3 IG_CONTACT_NODES)^2 what the traction P, with the pressure `push`, owes
   to the normal and the place below the point, which move with the nodes of both faces x:

     d xi^a = A^ab (T_b + gap N_b) . du,  d n = -t^a (N_a . du),

   t_a the derivatives of the place by the natural coordinates xi, t^a = A^ab t_b, A_ab = t_a . t_b,
   T_b = share t_b, N_b = n times the derivatives of the shape functions of the second face, whose
   curvature is left out (Laursen and Simo 1993). */
static void tangent_turn(const ig_contact_point *t, const ig_face_place *on, const double (*x)[3],
                         const double *share, const double P[3], double push, double gap,
                         double *ke) {
  const int n = 3 * IG_CONTACT_NODES, nodes = t->slaves + t->masters;
  double axis[2][3] = {{0}}, dual[2][3], A[3] = {0, 0, 0};
  for (int a = 0; a < t->masters; a++)
    for (int k = 0; k < 6; k++)
      axis[k / 3][k % 3] += on->d[a][k / 3] * x[t->slaves + a][k % 3];
  for (int k = 0; k < 3; k++) {
    A[0] += axis[0][k] * axis[0][k];
    A[1] += axis[0][k] * axis[1][k];
    A[2] += axis[1][k] * axis[1][k];
  }
  const double det = A[0] * A[2] - A[1] * A[1];
  const double B[2][2] = {{A[2] / det, -A[1] / det}, {-A[1] / det, A[0] / det}};
  for (int k = 0; k < 6; k++)
    dual[k / 3][k % 3] = B[k / 3][0] * axis[0][k % 3] + B[k / 3][1] * axis[1][k % 3];
  for (int b = 0; b < nodes; b++)
    for (int e = 0; e < 3; e++) {
      double N[2] = {0, 0}, xi[2], turn[3];
      for (int m = 0; m < 2 && b >= t->slaves; m++)
        N[m] = on->d[b - t->slaves][m] * on->normal[e];
      for (int m = 0; m < 2; m++)
        xi[m] = share[b] * dual[m][e] + gap * (B[m][0] * N[0] + B[m][1] * N[1]);
      for (int d = 0; d < 3; d++)
        turn[d] = -(dual[0][d] * N[0] + dual[1][d] * N[1]);
      for (int a = 0; a < nodes; a++) {
        const double *own = a < t->slaves ? NULL : on->d[a - t->slaves];
        const double moves = own ? -(own[0] * xi[0] + own[1] * xi[1]) : 0;
        for (int d = 0; d < 3; d++)
          ke[(3 * a + d) * n + 3 * b + e] += t->area * (moves * P[d] - share[a] * push * turn[d]);
      }
    }
}

/* Share of the stiffness that tangents have between sides of loose parts: far below that of the
   parts themselves, so that iterations converge as without. */
static const double weak = 1e-7;

/* Forces fe and tangent ke (NULL: not wanted) of a point, in fixed axes. Where displacements are
   large the place below the point follows it over the face, so that forces of both sides are on one
   line.
 */
static void point_evaluate(const ig_contact *s, ig_contact_point *t, const ig_trial *at, double *fe,
                           double *ke) {
  const int n = 3 * IG_CONTACT_NODES;
  const ig_contact_case *c = IG_ITEM(const ig_contact_case, *s->list, t->contact);
  const int nodes = t->slaves + t->masters;
  double x[IG_CONTACT_NODES][3], r[3] = {0, 0, 0}, moved[3], normal[3], p[3], D[9], T[9];
  double share[IG_CONTACT_NODES], bend[9], began = 0;
  ig_face_place on;
  bool turns = false;
  memset(fe, 0, (size_t)n * sizeof *fe);
  if (ke)
    memset(ke, 0, (size_t)(n * n) * sizeof *ke);
  memset(t->now, 0, sizeof t->now);
  t->gap = t->push = 0;
  if (!ig_contact_meets(t))
    return;
  for (int a = 0; a < nodes; a++) {
    s->bodies.place(s->bodies.self, t->node[a], at->u, x[a]);
    for (int d = 0; d < 3; d++)
      r[d] += t->share[a] * x[a][d];
  }
  memcpy(normal, t->normal, sizeof normal);
  memcpy(moved, r, sizeof moved);
  memcpy(share, t->share, sizeof share);
  if (t->tool) {
    const double gap = ig_contact_tool_gap(s, t->tool, at->time, (const double[]){r[0], r[1], r[2]},
                                           normal, moved, bend);
    if (s->gripped) { /* the same tool, and the place beside it when the step began */
      double was[3], out[3], beside[3];
      for (int d = 0; d < 3; d++)
        was[d] = r[d] - moved[d] + t->before[d];
      began = ig_contact_tool_gap(s, t->tool, at->time, was, out, beside, NULL) + t->shift;
    }
    for (int d = 0; d < 3; d++)
      r[d] = gap * normal[d];
  } else if (s->large && (c->tied || c->sliding))
    ig_face_normal(t->masters, (const double(*)[3])(x + t->slaves), (const double(*)[2])t->slope,
                   normal); /* the normal follows the second face */
  else if (s->large) {
    double y[3] = {0, 0, 0};
    for (int a = 0; a < t->slaves; a++)
      for (int d = 0; d < 3; d++)
        y[d] += share[a] * x[a][d];
    ig_face_project(t->masters, (const double(*)[3])(x + t->slaves), y, t->at, &on);
    turns = true;
    memcpy(normal, on.normal, sizeof normal);
    for (int a = 0; a < t->masters; a++)
      share[t->slaves + a] = -on.N[a];
    for (int d = 0; d < 3; d++) {
      r[d] = 0;
      for (int a = 0; a < nodes; a++)
        r[d] += share[a] * x[a][d];
    }
  }
  const double soft = s->soft > 0 ? s->soft : 1;
  const double k = soft * t->stiffness;
  const bool gripped = s->gripped && t->tool && grip(c, t, k, began, normal, r, moved, p, D, T);
  if (!gripped && s->bonded)
    bond(s, t, k, normal, r, moved, p, D, T);
  else if (!gripped)
    traction(c, t, soft, normal, r, moved, at->factor, p, D, T);
  if (s->moving && c->damping > 0)
    damp(s, c, t, at, normal, p, D);
  for (int i = 0; i < 9 && t->tool; i++)
    D[i] -= t->push * bend[i];
  for (int d = 0; d < 3 && (c->loose || s->loose); d++)
    D[4 * d] += weak * t->stiffness;
  for (int a = 0; a < nodes; a++) {
    for (int d = 0; d < 3; d++)
      fe[3 * a + d] = t->area * share[a] * p[d];
    for (int b = 0; ke && b < nodes; b++)
      for (int d = 0; d < 3; d++)
        for (int e = 0; e < 3; e++)
          ke[(3 * a + d) * n + 3 * b + e] =
              t->area * share[a] * (share[b] * D[3 * d + e] + t->share[b] * T[3 * d + e]);
  }
  if (ke && turns && t->push > 0)
    tangent_turn(t, &on, (const double(*)[3])x, share, p, t->push,
                 normal[0] * r[0] + normal[1] * r[1] + normal[2] * r[2], ke);
}

ig_status ig_contact_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                              double *k, ig_trouble *trouble) {
  const ig_contact *s = self;
  const size_t n = 3 * IG_CONTACT_NODES;
  (void)trouble;
  for (int32_t i = begin; i < end; i++, f += n, k = k ? k + n * n : NULL) {
    ig_contact_point *t = &s->point[i];
    point_evaluate(s, t, at, f, k);
    if (!s->bodies.turn)
      continue;
    ig_lid node[IG_CONTACT_NODES]; /* rows of nodes beyond the last are zero */
    for (int a = 0; a < IG_CONTACT_NODES; a++)
      node[a] = t->node[a < t->slaves + t->masters ? a : 0];
    s->bodies.turn(s->bodies.self, node, IG_CONTACT_NODES, f, k);
  }
  return IG_OK;
}

/* Warns once an analysis of a point of small sliding that has left the face it was paired with. */
static void slide_look(ig_contact *all, const ig_contact_point *t) {
  const ig_contact_case *c = IG_ITEM(const ig_contact_case, *all->list, t->contact);
  double gap = t->shift, size;
  for (int k = 0; k < 3; k++)
    gap += t->before[k] * t->normal[k];
  const double far = ig_contact_slid(all, t, t->before, t->offset, &size);
  if (c->tied || !c->sliding || gap > 0 || far < size)
    return;
  all->warned = true;
  ig_warn(all->bodies.cx,
          "contact of '%s' and '%s': a point has slid by %.3g, further than a face is long, and "
          "still pushes on the face it met when the analysis began: `sliding: large` lets it meet "
          "others",
          c->set, c->to, far);
}

/* Relative positions and tangential tractions of the converged trial become those that the next
   step starts from. */
ig_status ig_contact_accept(void *self, const ig_trial *at) {
  ig_contact *all = self;
  for (int32_t i = 0; i < all->count; i++) {
    ig_contact_point *t = &all->point[i];
    ig_contact_relative(all, t, at->u, t->before);
    if (t->tool) {
      double n[3], x[3] = {t->before[0], t->before[1], t->before[2]};
      ig_contact_tool_gap(all, t->tool, at->time, x, n, t->before, NULL);
    }
    memcpy(t->pull, t->now, sizeof t->pull);
    t->kept = t->extra;
    if (!all->warned && !t->tool)
      slide_look(all, t);
  }
  return IG_OK;
}

/* Forces on the nodes of first sides alone: those of both sides are in balance. */
void ig_contact_sum(const ig_contact *s, const ig_trial *at, ig_contact_total *to) {
  *to = (ig_contact_total){.depth = 0};
  for (int32_t i = 0; i < s->count; i++) {
    ig_contact_point *t = &s->point[i];
    double f[3 * IG_CONTACT_NODES];
    if (!ig_contact_meets(t) || IG_ITEM(const ig_contact_case, *s->list, t->contact)->tied)
      continue;
    point_evaluate(s, t, at, f, NULL);
    for (int a = 0; a < 3 * t->slaves; a++)
      to->force[a % 3] -= f[a];
    for (int a = 0; a < t->slaves && t->tool; a++) {
      const double *e = f + (size_t)(3 * a);
      double x[3];
      memcpy(x, s->bodies.mesh->x + 3 * (size_t)t->node[a], sizeof x);
      if (s->large)
        s->bodies.place(s->bodies.self, t->node[a], NULL, x);
      for (int d = 0; d < 3; d++) {
        const int next = (d + 1) % 3, last = (d + 2) % 3;
        to->tools[0][d] -= e[d];
        to->tools[1][d] -= x[next] * e[last] - x[last] * e[next];
      }
    }
    to->depth = fmax(to->depth, -t->gap);
    to->share = fmax(to->share, -t->gap / ig_contact_face_size(s, t));
  }
}
