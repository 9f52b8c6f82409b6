/* Rigid tools in statics by Newton's method: a stiff spring pushes particles out of them
   (penalty), and friction is that of contact/contact.h. Each pair of a particle and a tool is an
   element of three unknowns; most give zeros. */
#include "dynamics/statics/statics_parts.h"
#include "backend/backend.h"
#include "contact/contact.h"

#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stiffness over that of the particle's elements: it sinks in by a thousandth of what they give. */
static const double stiffness = 1e3;

/* Distance of a particle's trial position to a tool, and the way out. */
static double gap_of(const ig_dyn_statics *s, int tool, int64_t node, double time, double n[3]) {
  ig_dyn_particles view = {.history_x = s->m->held.history_x.host,
                           .history_y = s->m->held.history_y.host};
  return ig_dyn_tool_gap(&view, (const ig_dyn_tool *)s->m->loading.tool.host + tool, time,
                         s->trial + 3 * node, n);
}

/* The way of a particle over a tool since the accepted state. */
static void way_of(const ig_dyn_statics *s, const ig_trial *at, int32_t e, double way[3]) {
  const ig_dyn_model *m = s->m;
  const ig_dyn_tool *tool = (const ig_dyn_tool *)m->loading.tool.host + e / m->p.nodes;
  const int64_t node = e % m->p.nodes;
  const double *rows_x = m->held.history_x.host, *rows_y = m->held.history_y.host;
  const double travel = tool->history.rows == 0
                            ? 0
                            : ig_history_at(tool->history, rows_x, rows_y, at->time) -
                                  ig_history_at(tool->history, rows_x, rows_y, at->time - at->step);
  for (int c = 0; c < 3; c++)
    way[c] = s->trial[3 * node + c] - s->x[3 * node + c] - tool->velocity[c] * at->step -
             tool->travel[c] * travel;
}

/* Whether a particle pressed on a tool when the step began: see `grip` of ig_newton_model. */
static bool began_inside(const ig_dyn_statics *s, const ig_trial *at, int32_t e) {
  const ig_dyn_particles view = {.history_x = s->m->held.history_x.host,
                                 .history_y = s->m->held.history_y.host};
  double n[3];
  return ig_dyn_tool_gap(&view, (const ig_dyn_tool *)s->m->loading.tool.host + e / s->m->p.nodes,
                         at->time - at->step, s->x + 3 * (int64_t)(e % s->m->p.nodes), n) < 0;
}

bool ig_static_tools_grip(void *self, bool on) {
  ig_dyn_statics *s = self;
  s->gripped = on;
  return true;
}

/* Whether a particle is in touch with a tool: it presses, or it begins the step just there. */
static bool touches(const ig_dyn_statics *s, double gap, const double n[3], const double way[3]) {
  const double nearer = n[0] * way[0] + n[1] * way[1] + n[2] * way[2];
  return gap < 0 || (gap <= 1e-9 * s->length && fabs(nearer) <= 1e-14 * s->length);
}

/* Friction of a particle on a tool, N: `now` from that of the accepted state and the way along the
   surface since then. Below sliding a tenth of the stiffness along the normal. */
static void rub(const ig_dyn_statics *s, int32_t e, double in, const double n[3],
                const double slid[3], double now[3], double T[9], double by[9]) {
  const ig_dyn_model *m = s->m;
  const ig_dyn_tool *tool = (const ig_dyn_tool *)m->loading.tool.host + e / m->p.nodes;
  const double stiff = s->tool_stiff[e % m->p.nodes], *kept = m->loading.tool_pull + 3 * (int64_t)e;
  double pull[3], across = 0;
  for (int c = 0; c < 3; c++)
    across += kept[c] * n[c];
  for (int c = 0; c < 3; c++)
    pull[c] = kept[c] - across * n[c];
  ig_contact_friction(n, pull, slid, stiff / 10, -tool->friction * stiff * in, now, T, by);
}

/* Element e: a particle and a tool. */
static ig_status push(void *self, const ig_trial *at, int32_t begin, int32_t end, double *f,
                      double *k, ig_trouble *trouble) {
  const ig_dyn_statics *s = self;
  const int32_t nodes = s->m->p.nodes;
  (void)trouble;
  for (int32_t e = begin; e < end; e++, f += 3, k = k ? k + 9 : NULL) {
    const ig_dyn_tool *tool = (const ig_dyn_tool *)s->m->loading.tool.host + e / nodes;
    const double stiff = s->tool_stiff[e % nodes];
    double n[3], way[3];
    const double gap = gap_of(s, e / nodes, e % nodes, at->time, n);
    const bool gripped = s->gripped && began_inside(s, at, e);
    const double in = gripped ? gap : fmin(gap, 0);
    way_of(s, at, e, way);
    const bool touching = gripped || touches(s, gap, n, way);
    for (int c = 0; c < 3; c++)
      f[c] = stiff * in * n[c];
    for (int i = 0; k && i < 9; i++) {
      /* what just touches is stiff, too: it may be all that holds the part, and the matrix would
         be singular without it */
      const double along = touching ? stiff * n[i / 3] * n[i % 3] : 0;
      const double axis =
          tool->shape == IG_TOOL_CYLINDER ? tool->axis[i / 3] * tool->axis[i % 3] : 0;
      const double across =
          tool->shape == IG_TOOL_PLANE
              ? 0
              /* the change of the normal over a curved surface, for displacements across it */
              : stiff * in / (tool->radius + in) * ((i % 4 == 0) - n[i / 3] * n[i % 3] - axis);
      k[i] = along + across;
    }
    if (tool->friction > 0 && touching) {
      double now[3], T[9], by[9];
      rub(s, e, fmin(in, 0), n, way, now, T, by);
      for (int c = 0; c < 3; c++)
        f[c] += now[c];
      for (int i = 0; k && i < 9; i++)
        k[i] += T[i] - tool->friction * stiff * by[i];
    }
  }
  return IG_OK;
}

/* Whether no round tool has passed over a particle in the step: beyond the middle it would push on.
 */
bool ig_static_tools_fits(const ig_dyn_statics *s, const ig_trial *at, char *why, size_t size) {
  const ig_dyn_model *m = s->m;
  const ig_dyn_particles view = {.history_x = m->held.history_x.host,
                                 .history_y = m->held.history_y.host};
  for (int t = 0; t < m->p.tools; t++) {
    const ig_dyn_tool *tool = (const ig_dyn_tool *)m->loading.tool.host + t;
    for (int64_t node = 0; tool->shape != IG_TOOL_PLANE && node < m->p.nodes; node++) {
      double n[2][3];
      for (int k = 0; k < 2; k++) {
        const double far =
            tool->radius + ig_dyn_tool_gap(&view, tool, k ? at->time : at->time - at->step,
                                           (k ? s->trial : s->x) + 3 * node, n[k]);
        for (int c = 0; c < 3; c++)
          n[k][c] *= far;
      }
      if (!ig_contact_round_passes(n[0], n[1], tool->radius))
        continue;
      snprintf(why, size, "tool %d passes through node %d in the step: give a `largest_step`",
               t + 1, (int)node);
      return false;
    }
  }
  return true;
}

/* Friction of the accepted step. */
static ig_status keep(void *self, const ig_trial *at) {
  const ig_dyn_statics *s = self;
  const int32_t nodes = s->m->p.nodes;
  for (int32_t e = 0; s->m->loading.tool_pull && e < nodes * s->m->p.tools; e++) {
    double n[3], way[3], T[9], by[9], *to = s->m->loading.tool_pull + 3 * (int64_t)e,
                                      now[3] = {0, 0, 0};
    const double gap = gap_of(s, e / nodes, e % nodes, at->time, n);
    way_of(s, at, e, way);
    if (gap < 0 && ((const ig_dyn_tool *)s->m->loading.tool.host)[e / nodes].friction > 0)
      rub(s, e, gap, n, way, now, T, by);
    memcpy(to, now, sizeof now);
  }
  return IG_OK;
}

/* The group of tools; stiffnesses follow when the system is closed. */
ig_status ig_static_tools_new(ig_dyn_statics *s) {
  const ig_dyn_model *m = s->m;
  const int D = m->p.dofs;
  if (m->p.tools == 0)
    return IG_OK;
  const size_t count = (size_t)m->p.tools * (size_t)m->p.nodes;
  IG_TRY(IG_NEW(m->cx, &s->tool_unknown, 3 * count + 1, "tools"));
  IG_TRY(IG_NEW(m->cx, &s->tool_stiff, (size_t)m->p.nodes + 1, "tools"));
  for (size_t i = 0; i < 3 * count; i++)
    s->tool_unknown[i] = (int32_t)(i / 3 % (size_t)m->p.nodes) * D + (int32_t)(i % 3);
  s->group[s->groups++] = (ig_implicit_group){.name = "tools",
                                              .self = s,
                                              .count = (int32_t)count,
                                              .unknowns = 3,
                                              .unknown = s->tool_unknown,
                                              .evaluate = push,
                                              .accept = keep};
  return IG_OK;
}

/* Springs by what the elements resist at the start: the largest diagonal entry of a particle's
   three displacements, times `stiffness`. Particles of bodies have no equation and get the mean
   of the others. */
ig_status ig_static_tools_scale(ig_dyn_statics *s) {
  ig_dyn_model *m = s->m;
  ig_system *y = s->system;
  const int D = m->p.dofs;
  double size[2], count[2], *u, mean = 0;
  int group, some = 0;
  ig_trouble trouble;
  if (m->p.tools == 0)
    return IG_OK;
  IG_TRY(IG_NEW(m->cx, &u, 2 * (size_t)s->unknowns + 1, "tools"));
  ig_static_follow(s, u);
  const ig_trial at = {u, 0, 0, 0};
  const ig_status status = ig_system_assemble(y, s->elements, s->group, &at, true, NULL,
                                              u + s->unknowns, size, count, &group, &trouble);
  free(u);
  IG_TRY(status);
  for (int32_t i = 0; i < s->body_first; i++) {
    const int32_t e = y->equation[i];
    for (int64_t k = e < 0 || i % D >= 3 ? 0 : y->first[e];
         e >= 0 && i % D < 3 && k < y->first[e + 1]; k++)
      if (y->column[k] == e)
        s->tool_stiff[i / D] = fmax(s->tool_stiff[i / D], stiffness * y->value[k]);
  }
  for (int32_t n = 0; n < m->p.nodes; n++)
    mean += s->tool_stiff[n], some += s->tool_stiff[n] > 0;
  for (int32_t n = 0; n < m->p.nodes && some; n++) /* of bodies: as the others */
    s->tool_stiff[n] = s->tool_stiff[n] > 0 ? s->tool_stiff[n] : mean / some;
  return IG_OK;
}

ig_status ig_static_tools_back(ig_dyn_statics *s, double time, double *press) {
  const ig_dyn_model *m = s->m;
  for (int64_t node = 0; node < m->p.nodes; node++) {
    double n[3];
    for (int t = 0; t < m->p.tools; t++) {
      const double gap = fmin(gap_of(s, t, node, time, n), 0);
      const double *pull =
          m->loading.tool_pull ? m->loading.tool_pull + 3 * ((int64_t)t * m->p.nodes + node) : NULL;
      for (int c = 0; c < 3; c++)
        press[3 * node + c] -= s->tool_stiff[node] * gap * n[c] + (pull ? pull[c] : 0);
    }
  }
  return IG_OK;
}
