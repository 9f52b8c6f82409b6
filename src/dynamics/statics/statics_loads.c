/* What holds and pushes the model in statics by Newton's method: constraints (supports,
   prescribed motions, bodies, ties), forces and gravity, pressures with their tangent. */
#include "dynamics/model/solids.h"
#include "dynamics/statics/statics_parts.h"
#include "backend/backend.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/kernels/body.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A history at time t; 1 without rows. */
static double factor_at(const ig_dyn_statics *s, ig_history h, double t) {
  return ig_history_at(h, s->m->held.history_x.host, s->m->held.history_y.host, t);
}

/* --- constraints: u[slave] = sum of factor x u[master] + g, see implicit/system.h */

/* Constraints for the prescribed components of dofs unknowns from `first` on; those that move
   are listed in s->led and get their values in ig_static_motions. */
static ig_status hold(ig_dyn_statics *s, const ig_dyn_motion *motion, int32_t first, int dofs) {
  for (int c = 0; c < dofs; c++) {
    int32_t number;
    if (motion->kind[c] == IG_MOVE_FREE)
      continue;
    IG_TRY(ig_system_constrain(s->system, first + c, 0, NULL, NULL, 0, &number));
    if (motion->kind[c] == IG_MOVE_FIXED)
      continue;
    IG_TRY(ig_more(s->m->cx, (void **)&s->led, (size_t)s->motions, sizeof *s->led, "motions"));
    s->led[s->motions].number = number;
    s->led[s->motions].motion = motion;
    s->led[s->motions++].component = c;
  }
  return IG_OK;
}

/* Node i of a body: its way is the centre's and the rotation's of its arm. Coefficients of the
   rotation are set by ig_static_follow, as they depend on the attitude. */
static ig_status carry(ig_dyn_statics *s, int32_t body, int32_t i) {
  const int D = s->m->p.dofs;
  const int32_t node = ((const int32_t *)s->m->carried.body_node.host)[i];
  const int32_t first = s->body_first + 6 * body;
  s->carried[i].node = node;
  for (int c = 0; c < D; c++) {
    const int32_t master[3] = {first + c, first + 3 + (c + 1) % 3, first + 3 + (c + 2) % 3};
    const double factor[3] = {1, 0, 0};
    int32_t number;
    IG_TRY(ig_system_constrain(s->system, D * node + c, c < 3 ? 3 : 1, master, factor, 0, &number));
    if (c == 0)
      s->carried[i].number = number;
  }
  return IG_OK;
}

/* A tied particle follows its carriers by their shares; rotations only where all of them turn. */
static ig_status tie(ig_dyn_statics *s, int32_t k) {
  const ig_dyn_carried *t = &s->m->carried;
  const int D = s->m->p.dofs;
  const int32_t node = ((const int32_t *)t->tie_node.host)[k];
  for (int c = 0; c < (((const int32_t *)t->tie_turns.host)[k] ? D : 3); c++) {
    int32_t master[3], terms = 0;
    double share[3];
    for (int a = 0; a < 3; a++) {
      share[terms] = ((const double *)t->tie_share.host)[3 * k + a];
      master[terms] = ((const int32_t *)t->tie_to.host)[3 * k + a] * D + c;
      terms += share[terms] != 0;
    }
    IG_TRY(ig_system_constrain(s->system, D * node + c, terms, master, share, 0, NULL));
  }
  return IG_OK;
}

/* Kinds of unknowns (0 displacement, 1 rotation) for the engine's norms, then all constraints. */
ig_status ig_static_constraints_new(ig_dyn_statics *s) {
  ig_dyn_model *m = s->m;
  const int D = m->p.dofs;
  const int32_t *move = m->held.move.host, *bound = m->carried.bound.host;
  const ig_dyn_motion *motion = m->held.motion.host;
  for (int32_t n = 0; n < m->p.nodes; n++)
    for (int c = 3; c < D; c++)
      s->system->kind[D * n + c] = 1;
  for (int32_t i = s->body_first; i < s->unknowns; i++)
    s->system->kind[i] = (i - s->body_first) % 6 >= 3;
  for (int32_t n = 0; move && n < m->p.nodes; n++)
    if (move[n] && !(bound && bound[n]))
      IG_TRY(hold(s, &motion[move[n]], D * n, D));
  IG_TRY(IG_NEW(m->cx, &s->carried, m->carried.body_node.count + 1, "bodies"));
  for (int32_t k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    for (int32_t i = b->first; i < b->first + b->count; i++)
      IG_TRY(carry(s, k, i));
    if (b->motion)
      IG_TRY(hold(s, &motion[b->motion], s->body_first + 6 * k, 6));
  }
  for (int32_t k = 0; k < m->p.ties.count; k++)
    IG_TRY(tie(s, k));
  return IG_OK;
}

/* Integral of a history from 0 to t. */
static double integral_at(const ig_dyn_statics *s, ig_history h, double t) {
  const double *x = (const double *)s->m->held.history_x.host + h.first,
               *y = (const double *)s->m->held.history_y.host + h.first;
  if (h.rows == 0)
    return t;
  /* before the first row the history is constant, from 0 on */
  double sum = y[0] * (fmin(t, x[0]) - fmin(0, x[0]));
  for (int32_t i = 0; i + 1 < h.rows; i++) {
    const double a = fmax(x[i], 0), b = fmin(x[i + 1], t);
    if (b > a)
      sum += (b - a) * 0.5 * (factor_at(s, h, a) + factor_at(s, h, b));
  }
  return t > x[h.rows - 1] ? sum + y[h.rows - 1] * (t - fmax(0, x[h.rows - 1])) : sum;
}

/* Increments of prescribed components over a step from `from` to `to`, s: of displacements
   differences of the history, of velocities its integral. */
ig_status ig_static_motions(void *self, double from, double to) {
  ig_dyn_statics *s = self;
  for (int32_t i = 0; i < s->motions; i++) {
    const ig_dyn_motion *motion = s->led[i].motion;
    const int c = s->led[i].component;
    const ig_history h = motion->history[c];
    const double way = motion->kind[c] == IG_MOVE_VELOCITY
                           ? integral_at(s, h, to) - integral_at(s, h, from)
                           : factor_at(s, h, to) - factor_at(s, h, from);
    s->system->constraint[s->led[i].number].g = motion->scale[c] * way;
  }
  return IG_OK;
}

/* Called by the engine before each evaluation: nodes of bodies are put where the exact rotation
   has them, and the coefficients of their constraints are renewed for that position. */
void ig_static_follow(void *self, double *u) {
  ig_dyn_statics *s = self;
  ig_dyn_model *m = s->m;
  const int D = m->p.dofs;
  for (int32_t k = 0; k < m->p.bodies.count; k++) {
    const ig_dyn_body *b = (const ig_dyn_body *)m->carried.body.host + k;
    const double *way = u + s->body_first + 6 * k, *turn = way + 3;
    static const double upright[4] = {1, 0, 0, 0};
    double q[4];
    ig_dyn_attitude(upright, turn, 1, q);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
      const int32_t node = s->carried[i].node;
      double arm[3], now[3];
      minus_f64(s->x + 3 * (int64_t)node, b->at, arm);
      ig_dyn_turn(q, arm, now);
      for (int c = 0; c < D; c++) {
        ig_constraint *row = &s->system->constraint[s->carried[i].number + c];
        double *factor = s->system->coefficient + row->at;
        u[D * node + c] = c < 3 ? way[c] + now[c] - arm[c] : turn[c - 3];
        /* derivative of the rotated arm by the rotation vector: turn x arm, exact at the trial's
           attitude */
        if (c < 3) { /* turn x arm */
          factor[1] = now[(c + 2) % 3];
          factor[2] = -now[(c + 1) % 3];
        }
      }
    }
  }
  for (int32_t k = 0; m->p.bodies.count && k < m->p.ties.count; k++) { /* tied to bodies */
    const int32_t node = ((const int32_t *)m->carried.tie_node.host)[k];
    for (int c = 0; c < (((const int32_t *)m->carried.tie_turns.host)[k] ? D : 3); c++) {
      u[D * node + c] = 0;
      for (int a = 0; a < 3; a++)
        u[D * node + c] += ((const double *)m->carried.tie_share.host)[3 * k + a] *
                           u[D * ((const int32_t *)m->carried.tie_to.host)[3 * k + a] + c];
    }
  }
  ig_static_place(s, u);
}

/* Centres and attitudes of the bodies after an accepted step; they are at rest. */
ig_status ig_static_bodies_back(ig_dyn_statics *s, const double *u) {
  ig_dyn_model *m = s->m;
  if (m->p.bodies.count == 0)
    return IG_OK;
  for (int32_t k = 0; k < m->p.bodies.count; k++) {
    ig_dyn_body *b = (ig_dyn_body *)m->carried.body.host + k;
    const double *way = u + s->body_first + 6 * k;
    double q[4];
    ig_dyn_attitude(b->q, way + 3, 1, q);
    memcpy(b->q, q, sizeof q);
    for (int c = 0; c < 3; c++) {
      b->at[c] += way[c];
      b->v[c] = b->spin[c] = b->momentum[c] = 0;
    }
  }
  return ig_array_push(m->cx, &m->carried.body);
}

/* --- loads */

/* Adds loads at the trial's time to f. Pressures are groups of their own, as they depend on
   positions. */
ig_status ig_static_loads(void *self, const ig_trial *at, double *f) {
  const ig_dyn_statics *s = self;
  const ig_dyn_model *m = s->m;
  const int D = m->p.dofs;
  const int32_t *node = m->loading.loaded_node.host, *first = m->loading.force_start.host,
                *bound = m->carried.bound.host;
  const ig_dyn_force *force = m->loading.force.host;
  ig_dyn_solids_pressures(s->m, at->time);
  for (int32_t k = 0; k < m->p.loads.count; k++)
    for (int32_t i = first[k]; i < first[k + 1]; i++)
      for (int c = 0; c < D; c++)
        f[D * node[k] + c] += factor_at(s, force[i].history, at->time) * force[i].value[c];
  if (!m->p.loads.has_gravity)
    return IG_OK;
  const double g = factor_at(s, m->p.loads.gravity_history, at->time);
  for (int32_t n = 0; n < m->p.nodes; n++)
    for (int c = 0; c < 3 && !(bound && bound[n] < 0);
         c++) /* what is tied weighs on its carriers */
      f[D * n + c] += g * m->p.loads.gravity[c] * m->weight.heavy[n];
  return IG_OK;
}

/* Forces of a pressure on the corners of its face, as they are now, and their derivatives:
   pressure x area vector, a quarter or a third to each corner; as particle_load. */
static ig_status press(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                       double *k, ig_trouble *trouble) {
  const ig_dyn_statics *s = self;
  (void)trouble;
  for (int32_t e = begin; e < end; e++, f += 12, k = k ? k + 144 : NULL) {
    const ig_static_face *a = &s->face[e];
    const bool quad = a->corners == 4;
    /* diagonals of a quadrilateral, edges of a triangle: from, to */
    const int u0 = 0, u1 = quad ? 2 : 1, v0 = quad ? 1 : 0, v1 = quad ? 3 : 2;
    const double p = factor_at(s, a->history, at->time) * a->pressure / (quad ? 8.0 : 6.0);
    double u[3], v[3], n[3];
    minus_f64(s->trial + 3 * (int64_t)a->node[u1], s->trial + 3 * (int64_t)a->node[u0], u);
    minus_f64(s->trial + 3 * (int64_t)a->node[v1], s->trial + 3 * (int64_t)a->node[v0], v);
    cross_f64(u, v, n);
    memset(f, 0, 12 * sizeof *f);
    /* each corner gets the same share of the area vector */
    for (int i = 0; i < 3 * a->corners; i++)
      f[i] = p * n[i % 3]; /* internal forces: the other way round */
    if (!k)
      continue;
    memset(k, 0, 144 * sizeof *k);
    for (int c = 0; c < 3; c++) {
      double axis[3] = {0}, by_u[3], by_v[3];
      axis[c] = 1;
      cross_f64(axis, v, by_u);
      cross_f64(u, axis, by_v);
      for (int i = 0; i < 3 * a->corners; i++) {
        k[12 * i + 3 * u1 + c] += p * by_u[i % 3];
        k[12 * i + 3 * u0 + c] -= p * by_u[i % 3];
        k[12 * i + 3 * v1 + c] += p * by_v[i % 3];
        k[12 * i + 3 * v0 + c] -= p * by_v[i % 3];
      }
    }
  }
  return IG_OK;
}

/* Pressures on solids of solids.h. */
static ig_status solid_faces_new(ig_dyn_statics *s) {
  ig_dyn_solids *all = s->m->solids;
  if (!all || all->pressed == 0)
    return IG_OK;
  ig_solid_face *face;
  IG_TRY(IG_NEW(s->m->cx, &face, (size_t)all->pressed, "pressures"));
  for (int32_t i = 0; i < all->pressed; i++)
    face[i] = all->press[i].face;
  ig_solid_faces_free(&all->faces);
  const ig_status status =
      ig_solid_faces_new(s->m->cx, all->pressed, face, s->m->p.dofs, &all->faces);
  free(face);
  all->faces.start = s->m->x0;
  all->faces.trial = s->trial;
  all->faces.large = true;
  if (status == IG_OK)
    s->group[s->groups++] = ig_solid_faces_of(&all->faces);
  return status;
}

/* Faces of pressures as a group. The lists have a face with each of its corners: it is taken
   with the first. */
ig_status ig_static_faces_new(ig_dyn_statics *s) {
  const ig_dyn_model *m = s->m;
  const int32_t *node = m->loading.loaded_node.host, *first = m->loading.face_start.host;
  const ig_dyn_face *face = m->loading.face.host;
  IG_TRY(IG_NEW(m->cx, &s->face, (size_t)m->loading.faces + 1, "pressures"));
  IG_TRY(IG_NEW(m->cx, &s->face_unknown, 12 * (size_t)m->loading.faces + 1, "pressures"));
  for (int32_t k = 0; k < m->p.loads.count; k++)
    for (int32_t i = first[k]; i < first[k + 1]; i++) {
      if (face[i].node[0] != node[k])
        continue;
      ig_static_face *to = &s->face[s->faces];
      *to = (ig_static_face){
          .history = face[i].history, .corners = face[i].corners, .pressure = face[i].pressure};
      for (int a = 0; a < 12; a++) {
        const bool there = a / 3 < face[i].corners;
        to->node[a / 3] = there ? face[i].node[a / 3] : 0;
        s->face_unknown[12 * (int64_t)s->faces + a] =
            there ? face[i].node[a / 3] * m->p.dofs + a % 3 : -1;
      }
      s->faces++;
    }
  if (s->faces > 0)
    s->group[s->groups++] = (ig_implicit_group){.name = "pressures",
                                                .self = s,
                                                .count = s->faces,
                                                .unknowns = 12,
                                                .unknown = s->face_unknown,
                                                .evaluate = press};
  return solid_faces_new(s);
}
