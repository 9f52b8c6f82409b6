/* Masses of particles, rotary inertia, and critical steps of elements. Each kind of element has
   a function for its size (size.c). Sums at particles run in the order of the whole model on
   every rank, so that masses have the same bits for any number of ranks.

   Mass scaling: elements whose critical step dt is below `least` get the factor (least / dt)^2,
   as dt grows with the root of the mass. */
#include "core/threads.h"
#include "dynamics/model/part.h"
#include "dynamics/model/solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Corners of the element in slot s: as they are now (`current`, from the host copy of x) or at
   the start. */
static void element_points(const ig_dyn_model *m, const ig_dyn_group *g, ig_lid s, bool current,
                           double buffer[][3], const double **x) {
  const int32_t *conn = (const int32_t *)g->conn.host + (int64_t)s * g->g_f64.npe;
  for (int a = 0; a < g->g_f64.npe; a++) {
    for (int i = 0; i < 3; i++)
      buffer[a][i] = current ? ig_dyn_get(m, &m->x, 3 * (int64_t)conn[a] + i)
                             : m->x0[3 * (int64_t)conn[a] + i];
    x[a] = buffer[a];
  }
}

/* Whether all its particles belong to one body: it never deforms, and its step does not count. */
static bool is_rigid(const ig_dyn_model *m, const ig_dyn_group *g, ig_lid s) {
  const int32_t *bound = m->carried.bound.host,
                *conn = (int32_t *)g->conn.host + (int64_t)s * g->g_f64.npe;
  int body = -1;
  for (int a = 0; bound && a < g->g_f64.npe; a++) {
    int b = -1;
    for (int k = 0; k < m->p.bodies.count; k++) {
      const ig_dyn_body *at = (const ig_dyn_body *)m->carried.body.host + k;
      if (bound[conn[a]] > at->first && bound[conn[a]] <= at->first + at->count)
        b = k;
    }
    if (b < 0 || (a > 0 && b != body))
      return false;
    body = b;
  }
  return bound != NULL;
}

/* The same over the own elements of all ranks. Positive numbers have the order of their bits, so
   that an integer maximum serves, of negated bits for the minimum; what is not positive is as
   good as 0. */
static ig_status step_range_all(ig_dyn_model *m, ig_status status, double *least, double *most) {
  const double low = status == IG_OK && *least > 0 ? *least : 0;
  int64_t word[2];
  if (ig_dyn_alone(m))
    return status;
  memcpy(&word[0], &low, sizeof low);
  memcpy(&word[1], most, sizeof *most);
  word[0] = -word[0];
  IG_TRY(ig_ranks_max(m->cx, status, word, 2));
  word[0] = -word[0];
  memcpy(least, &word[0], sizeof *least);
  memcpy(most, &word[1], sizeof *most);
  return IG_OK;
}

/* Shortest and longest critical step of own elements, as they stand now; elements that are rigid
   or have failed do not count. */
static ig_status own_range(ig_dyn_model *m, double *least, double *most) {
  const uint8_t *alive;
  double lo = INFINITY, hi = 0;
  *least = lo;
  *most = hi;
  IG_TRY(ig_array_pull(m->cx, &m->x));
  IG_TRY(ig_dyn_alive(m, &alive));
  for (int k = 0; k < m->groups; k++) {
    const ig_dyn_group *g = &m->group[k];
    const int team = ig_team(m->cx, g->slots, IG_WORK_ELEMENT);
/* minimum and maximum do not depend on the order: any schedule gives the same bits */
#pragma omp parallel for schedule(static) num_threads(team) reduction(min : lo) reduction(max : hi)
    for (ig_lid s = 0; s < g->slots; s++) {
      double buffer[IG_DYN_CORNERS][3], mass, inertia;
      const double *x[IG_DYN_CORNERS];
      if (g->element[s] < 0 || is_rigid(m, g, s) ||
          (alive && !alive[((const ig_lid *)g->ids.host)[s]]))
        continue;
      element_points(m, g, s, true, buffer, x);
      const double dt = ig_dyn_element_of[g->kind].size(g, m->c->inertia_scale, x, &mass, &inertia);
      lo = fmin(lo, dt);
      hi = fmax(hi, dt);
    }
  }
  *least = lo;
  *most = hi;
  return IG_OK;
}

/* The same over all ranks. Collective. */
static ig_status step_range(ig_dyn_model *m, double *least, double *most) {
  const ig_status status = own_range(m, least, most);
  IG_TRY(step_range_all(m, status, least, most));
  if (m->groups == 0)
    *least = *most = 1; /* nothing moves in steps of time */
  if (!(*least > 0))
    return IG_FAIL(m->cx, IG_NUMERIC, "an element has collapsed: the critical step is %g s",
                   *least);
  return IG_OK;
}

/* What contact leaves of the elements' critical step dt: a particle that touches is pushed by one
   triangle and, as a corner, by what its own triangles push, each with at most `touch` m; rows of
   both matrices sum to (4 / dt^2 + 4 touch) m at most, and 4 m / step^2 is what a step bears. Edges
   add half of that: at a particle three edges with half of each pair's stiffness, of half the
   length, and the same from an edge that crosses there. */
double ig_dyn_contact_load(const ig_dyn_model *m) {
  return (ig_dyn_edges_touch(m) ? 1.5 : 1) * m->weight.touch;
}
static double shared(const ig_dyn_model *m, double dt) {
  return isfinite(dt) ? dt / sqrt(1 + ig_dyn_contact_load(m) * dt * dt) : dt;
}

ig_status ig_dyn_critical_step(ig_dyn_model *m, double *dt) {
  double most;
  IG_TRY(step_range(m, dt, &most));
  *dt = shared(m, fmax(*dt, m->weight.scaled_to));
  return IG_OK;
}

ig_status ig_dyn_largest_step(ig_dyn_model *m, double *dt) {
  double least;
  return step_range(m, &least, dt);
}

/* What an element weighs: critical step (s), mass (kg), moment of inertia at a corner (kg m^2). */
typedef struct {
  double dt, mass, inertia;
} weight;

enum { WEIGHED = 16384 }; /* elements at a time */

/* A group's elements, pads left out, in the order of the whole: order NULL, one after the other.
   On ranks the order is a merged list, which group_weigh frees. */
typedef struct {
  const ig_dyn_group *g;
  ig_lid *order;
  ig_lid count;
} sequence;
static ig_lid slot_of(const sequence *q, ig_lid i) {
  return q->order ? q->order[i] : i;
}

/* Elements [first, last) of a group, by all threads. */
static void weigh(const ig_dyn_model *m, const sequence *q, ig_lid first, ig_lid last, weight *of) {
#pragma omp parallel for schedule(static) num_threads(ig_team(m->cx, last - first, IG_WORK_ELEMENT))
  for (ig_lid i = first; i < last; i++) {
    double buffer[IG_DYN_CORNERS][3];
    const double *x[IG_DYN_CORNERS];
    const ig_lid s = slot_of(q, i);
    weight *w = &of[i - first];
    if (((const ig_lid *)q->g->ids.host)[s] < 0)
      continue;
    element_points(m, q->g, s, false, buffer, x);
    w->dt = ig_dyn_element_of[q->g->kind].size(q->g, m->c->inertia_scale, x, &w->mass, &w->inertia);
  }
}

/* What an element adds to the whole: its mass and the factor by which mass scaling multiplies
   it. */
typedef struct {
  double mass, scale;
} ig_dyn_added;

static void masses_add(ig_dyn_weight *all, const ig_dyn_added *e) {
  all->total += e->mass;
  all->scaled += e->mass * (e->scale - 1);
}

/* A group's elements, added to its particles one after the other: sums have one order. by: slots of
   the group. */
static ig_status group_masses(ig_dyn_model *m, const sequence *q, double least, weight *of,
                              ig_dyn_added *by) {
  const ig_dyn_group *g = q->g;
  double *mass = m->weight.mass, *inertia = m->weight.inertia;
  const int npe = g->g_f64.npe;
  /* elements in pieces: threads find sizes of one piece, then one thread adds them in order */
  for (ig_lid i = 0, last = 0; i < q->count; i++) {
    if (i == last) {
      last = q->count - i < WEIGHED ? q->count : i + WEIGHED;
      weigh(m, q, i, last, of);
    }
    const ig_lid s = slot_of(q, i), element = ((const ig_lid *)g->ids.host)[s];
    if (element < 0)
      continue;
    /* pieces begin at multiples of WEIGHED */
    const weight w = of[i % WEIGHED];
    if (!(w.mass > 0))
      return IG_FAIL(m->cx, IG_NUMERIC, "element %d is inverted or flat",
                     ig_dyn_element_number(m, element));
    /* rigid elements never deform: their critical step does not matter */
    const double scale = w.dt < least && !is_rigid(m, g, s) ? (least / w.dt) * (least / w.dt) : 1;
    by[s] = (ig_dyn_added){w.mass, scale};
    for (int a = 0; a < npe; a++) {
      const int32_t n = ((const int32_t *)g->conn.host)[(int64_t)s * npe + a];
      mass[n] += ig_dyn_mass_share(g->kind, scale * w.mass, a);
      if (m->heavy.count)
        /* weight in dynamics follows the scaled mass, so that bodies fall alike; in statics it
           is the true one */
        m->weight.heavy[n] += ig_dyn_mass_share(g->kind, (m->relax.on ? 1 : scale) * w.mass, a);
      if (scale != 1)
        m->weight.added[n] += ig_dyn_mass_share(g->kind, (scale - 1) * w.mass, a);
      if (w.inertia != 0)
        inertia[n] += scale * w.inertia;
    }
  }
  return IG_OK;
}

/* Rows of own elements go to rank 0, which adds them in the order of the whole. */
typedef struct {
  ig_dyn_weight *all;
  const ig_dyn_added *by;
} counting;
static void added_row(void *user, int64_t slot, void *row) {
  memcpy(row, ((const counting *)user)->by + slot, sizeof(ig_dyn_added));
}
static ig_status added_put(void *user, const void *rows, int64_t first, int64_t count) {
  const ig_dyn_added *e = rows;
  (void)first;
  for (int64_t i = 0; i < count; i++)
    masses_add(((const counting *)user)->all, e + i);
  return IG_OK;
}

/* Of group k: masses of particles of this rank, and what all of its elements weigh. */
static ig_status group_weigh(ig_dyn_model *m, int k, double least, weight *of) {
  const ig_dyn_group *g = &m->group[k];
  sequence q = {g, NULL, 0};
  ig_dyn_added *by = NULL;
  ig_status status = IG_NEW(m->cx, &by, (size_t)g->slots + 1, "masses");
  if (status == IG_OK)
    status = ig_dyn_slots_ordered(m, k, &q.order);
  q.count = q.order ? g->count : g->slots;
  if (status == IG_OK)
    status = group_masses(m, &q, least, of, by);
  counting c = {&m->weight, by};
  status = ig_dyn_group_rows(m, k, sizeof *by, added_row, added_put, &c, status);
  free(q.order);
  free(by);
  return status;
}

/* What elements give to their particles. */
static ig_status elements_masses(ig_dyn_model *m, double least) {
  ig_dyn_weight *w = &m->weight;
  const size_t bytes = sizeof(double) * (size_t)m->mesh->nodes;
  memset(w->mass, 0, bytes);
  memset(w->added, 0, bytes);
  memset(w->inertia, 0, bytes);
  memset(w->heavy, 0, bytes);
  m->weight.total = m->weight.scaled = 0;
  weight *of;
  ig_status status = IG_NEW(m->cx, &of, WEIGHED, "masses");
  status = ig_dyn_agree(m, status);
  for (int k = 0; k < m->groups && status == IG_OK; k++)
    status = group_weigh(m, k, least, of);
  if (status == IG_OK)
    status = ig_dyn_solids_masses(m);
  free(of);
  return status;
}

/* Spring of contact at a particle, 0: it does not touch. */
static double spring_of(const ig_dyn_model *m, int64_t n) {
  const double *spring = m->contact.spring.host;
  return spring ? spring[n] : 0;
}

/* Mass that a particle needs in statics, whose step is that of the elements, for its spring.
   Summed over the particles of all ranks for the report of added mass. */
typedef struct {
  const ig_dyn_model *m;
  double least, *scaled;
} touching;
static void more_row(void *user, int64_t n, double *row) {
  enum { BORNE = 2 }; /* springs up to mass / (BORNE step^2) */
  const touching *t = user;
  row[0] = fmax(0, BORNE * spring_of(t->m, n) * t->least * t->least - t->m->weight.mass[n]);
}
static void more_add(void *user, const double *row) {
  *((const touching *)user)->scaled += row[0];
}
/* Adds mass where a spring of contact asks for a shorter step than the elements' common one.
   Statics alone: masses are fictitious there. */
static ig_status touch_masses(ig_dyn_model *m, double least) {
  touching t = {m, least, &m->weight.scaled};
  IG_TRY(ig_dyn_particles_add(m, IG_OK, 1, more_row, more_add, &t));
  for (ig_lid n = 0; n < m->mesh->nodes; n++) {
    double more;
    more_row(&t, n, &more);
    m->weight.added[n] += more;
    m->weight.mass[n] += more;
  }
  return IG_OK;
}

/* Masses of elements, and in statics what springs of contact need. */
static ig_status nodes_masses(ig_dyn_model *m, double least) {
  IG_TRY(elements_masses(m, least));
  if (!ig_dyn_touches(m))
    return IG_OK;
  if (m->relax.on)
    IG_TRY(touch_masses(m, least));
  return ig_dyn_touch_find(m);
}

ig_status ig_dyn_touch_find(ig_dyn_model *m) {
  m->weight.touch = 0;
  for (ig_lid n = 0; n < m->mesh->nodes; n++)
    if (ig_dyn_owns(m, n) && m->weight.mass[n] > 0)
      m->weight.touch = fmax(m->weight.touch, spring_of(m, n) / m->weight.mass[n]);
  return ig_dyn_most(m, IG_OK, &m->weight.touch, 1);
}

/* Masses, inertia and weights of the particles from the host's doubles to the device, in its
   precision. */
static ig_status masses_push(ig_dyn_model *m) {
  ig_array *to[3] = {&m->mass, &m->inertia, &m->heavy};
  const double *from[3] = {m->weight.mass, m->weight.inertia, m->weight.heavy};
  for (int i = 0; i < 3; i++) {
    if (!to[i]->count)
      continue;
    for (ig_lid n = 0; n < m->mesh->nodes; n++)
      if (m->part == sizeof(double))
        ((double *)to[i]->host)[n] = from[i][n];
      else
        ((float *)to[i]->host)[n] = (float)from[i][n];
    IG_TRY(ig_array_push(m->cx, to[i]));
  }
  return IG_OK;
}

/* Elements, then contact, then ties and bodies, which take over what their particles weigh;
   ghosts get the masses of their owners. */
static ig_status masses_find(ig_dyn_model *m, double least) {
  double *mass = m->weight.mass;
  ig_status status = nodes_masses(m, least);
  for (ig_lid n = 0; n < m->mesh->nodes && status == IG_OK; n++)
    if (!(mass[n] > 0))
      mass[n] = 1; /* no element holds it: it stays where it is */
  if (status == IG_OK)
    status = ig_dyn_ties_mass(m);
  if (status == IG_OK)
    status = ig_dyn_bodies_mass(m);
  status = ig_dyn_part_weights(m, status);
  return status == IG_OK ? masses_push(m) : status;
}

/* Particle masses; elements whose critical step is below `least` are made heavier. What is heavier
   falls as before, so gravity pulls it more; but where it comes to rest its weight is its own. */
ig_status ig_dyn_masses(ig_dyn_model *m, double least) {
  m->weight.scaled_to = least;
  const ig_status status = masses_find(m, least);
  /* sums are rank 0's, to all; what was imported from other ranks has old masses */
  double sums[2] = {m->weight.total, m->weight.scaled};
  IG_TRY(ig_dyn_bodies_gather(m, status));
  IG_TRY(ig_dyn_share(m, IG_OK, sums, sizeof sums));
  m->weight.total = sums[0];
  m->weight.scaled = sums[1];
  ig_dyn_part_changed(m);
  return IG_OK;
}
