/* What a run writes besides snapshots: probes and history rows, figures of the summary. Only what
   is asked for is copied from the device. On ranks the functions are collective; rank 0 has the
   numbers and writes. */
#include "dynamics/model/pairs.h"
#include "dynamics/run.h"
#include "dynamics/model/solids.h"
#include "dynamics/model/part.h"
#include "mesh/named.h"
#include "mesh/probe.h"
#include "ranks/allgather.h"
#include "ranks/ranks.h"
#include "solid/nodal.h"
#include "backend/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- probes and histories */

/* What keeps particle n in balance with all else that acts on it: a force (c < 3), a moment:
   internal force less load, contact and weight. In motion this includes the force of inertia
   with opposite sign. */
static double holding(const ig_dyn_model *m, int64_t n, int c) {
  const int D = m->p.dofs;
  const double push =
      c < 3 && m->contact.press.count ? ig_dyn_get(m, &m->contact.press, 3 * n + c) : 0;
  return ig_dyn_get(m, &m->f, m->p.pitch * n + c) -
         (m->load.count ? ig_dyn_get(m, &m->load, D * n + c) : 0) -
         (c < 3 ? push + ig_dyn_gravity_now(m, c) * m->weight.heavy[n] : 0);
}

/* What item n (particle or element) adds to a probe. A moment
   is about the middle of the set at the start, with the particle's place of now. */
static double probe_term(const ig_dyn_job *r, const ig_dyn_probe *p, int64_t n) {
  const ig_dyn_model *m = r->m;
  const int c = p->quantity % 3, D = m->p.dofs;
  if (p->quantity >= IG_PROBE_BEAM)
    return r->report[n * IG_DYN_REPORT + IG_REPORT_SECTION + p->quantity -
                     (p->quantity < IG_PROBE_SHELL ? IG_PROBE_BEAM : IG_PROBE_SHELL)];
  if (p->quantity < IG_PROBE_VELOCITY)
    return ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c];
  if (p->quantity < IG_PROBE_FORCE)
    return ig_dyn_get(m, &m->v, D * n + c);
  if (p->quantity >= IG_PROBE_CONTACT)
    return m->contact.press.count ? ig_dyn_get(m, &m->contact.press, 3 * n + c) : 0;
  if (p->quantity < IG_PROBE_MOMENT)
    return holding(m, n, c);
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  const double *middle = r->probe_middle + 3 * (p - IG_ITEM(const ig_dyn_probe, r->c->probes, 0));
  return (ig_dyn_get(m, &m->x, 3 * n + a) - middle[a]) * holding(m, n, b) -
         (ig_dyn_get(m, &m->x, 3 * n + b) - middle[b]) * holding(m, n, a) +
         (D == 6 ? holding(m, n, 3 + c) : 0);
}

/* Sums of a probe over its items: rows of own items go to rank 0 in the order of the set. */
typedef struct {
  const ig_dyn_job *r;
  const ig_dyn_probe *p;
  double sum;
} probing;
static void probe_row(void *user, int64_t item, void *row) {
  const probing *s = user;
  const double term = probe_term(s->r, s->p, item);
  memcpy(row, &term, sizeof term);
}
static ig_status probe_put(void *user, const void *rows, int64_t first, int64_t count) {
  (void)first;
  for (int64_t i = 0; i < count; i++)
    ((probing *)user)->sum += ((const double *)rows)[i];
  return IG_OK;
}

/* Probe i; on ranks, on the first. */
static ig_status probe_value(const ig_dyn_job *r, int i, double *value) {
  const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
  const bool mean = p->quantity < IG_PROBE_FORCE || p->quantity >= IG_PROBE_BEAM;
  probing s = {r, p, 0};
  const int64_t count = r->probe_item[i].whole_count;
  IG_TRY(ig_collect_rows(r->m->cx, &r->probe_item[i], sizeof(double), probe_row, probe_put, &s,
                         IG_OK));
  *value = mean && count > 0 ? s.sum / (double)count : s.sum;
  return IG_OK;
}

/* Columns of every history; probes follow. */
static const char *const fixed_columns[] = {
    "time [s]",     "step_size [s]", "kinetic [J]", "internal [J]", "plastic [J]",
    "external [J]", "damping [J]",   "contact [J]", "scaling [J]",  "error"};
enum { FIXED = sizeof fixed_columns / sizeof *fixed_columns };

/* Units of quantities, three quantities to an entry, in the order of IG_PROBE_CHOICES. */
static const char *probe_unit(const ig_dyn_probe *p) {
  static const char *const unit[11] = {"m",   "m/s", "N", "N m", "N", "N",
                                       "N m", "N/m", "N", "Pa",  "Pa"};
  return unit[p->quantity / 3];
}

/* Owner of the items of probe i. Sets of the whole mesh are freed after the start. */
static ig_status probe_divide(ig_dyn_job *r, int i, bool elements) {
  ig_dyn_model *m = r->m;
  const ig_partition *part = &m->division->part;
  const ig_set *set = r->probe_set[i];
  const int64_t count = set ? set->count : 1;
  int32_t *owner, *mine = NULL;
  int64_t own = 0;
  IG_TRY(IG_NEW(m->cx, &owner, (size_t)count + 1, "probes"));
  ig_status status = IG_NEW(m->cx, &mine, (size_t)count + 1, "probes");
  /* owner of each item, and which of them are this rank's, in the order of the set */
  for (int64_t k = 0; k < count && status == IG_OK; k++) {
    const ig_lid item = set ? set->item[k] : r->probe_node[i];
    owner[k] = elements ? ig_dyn_part_owner(m, item) : ig_dyn_node_owner(m, item);
    if (owner[k] == part->rank)
      mine[own++] = elements ? ig_dyn_element_here(m, item) : ig_dyn_node_here(m, item);
  }
  if (status == IG_OK)
    status = ig_collect_new(m->cx, part, owner, count, mine, own, &r->probe_item[i]);
  if (status == IG_OK)
    ig_collect_drop_index(m->cx, &r->probe_item[i]);
  free(owner);
  return status;
}

/* Section forces are those of lines or of shells. */
static ig_status probe_check(ig_dyn_job *r, int i) {
  const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
  if (p->quantity < IG_PROBE_BEAM || !r->probe_set[i])
    return IG_OK;
  const int dim = p->quantity < IG_PROBE_SHELL ? 1 : 2;
  for (ig_lid k = 0; k < r->probe_set[i]->count; k++) {
    ig_lid local;
    const ig_block *b = ig_dyn_block_of(ig_dyn_whole(r->m)->mesh, r->probe_set[i]->item[k], &local);
    if (ig_elem_info_get(b->type)->dim == dim)
      return IG_OK;
  }
  return ig_fail_at(r->job->cx, &p->at, "no element of '%s' is a %s, which alone has this quantity",
                    p->set, dim == 1 ? "beam" : "shell");
}

/* Probes of forces and motions look at nodes, those of sections at elements. The middle of a
   probe's nodes at the start is the point that its moments are about. On ranks the owner of each
   item is found now, while sets of the whole mesh exist. */
ig_status ig_dyn_probes_open(ig_dyn_job *r) {
  ig_ctx *cx = r->job->cx;
  ig_dyn_model *w = ig_dyn_whole(r->m);
  const int n = r->c->probes.count;
  r->columns = FIXED + n;
  IG_TRY(IG_NEW(cx, &r->name, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->column, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->values, r->columns, "history"));
  IG_TRY(IG_NEW(cx, &r->probe_node, n + 1, "probes"));
  IG_TRY(IG_NEW(cx, &r->probe_set, n + 1, "probes"));
  IG_TRY(IG_NEW(cx, &r->probe_middle, 3 * (size_t)n + 1, "probes"));
  IG_TRY(IG_NEW(cx, &r->probe_item, n + 1, "probes"));
  for (int i = 0; i < FIXED; i++)
    r->column[i] = fixed_columns[i];
  for (int i = 0; i < n; i++) {
    const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
    snprintf(r->name[i], sizeof r->name[i], "%.48s [%s]", p->name, probe_unit(p));
    r->column[FIXED + i] = r->name[i];
    const bool section = p->quantity >= IG_PROBE_BEAM;
    if (p->set && section)
      IG_TRY(ig_mesh_named_set(cx, w->mesh, &p->at, p->set, IG_OF_ELEMENTS, &r->probe_set[i]));
    else if (p->set)
      IG_TRY(ig_dyn_nodes_of(w, &p->at, p->set, &r->probe_set[i]));
    /* section forces belong to elements: a point cannot name one */
    if (!p->set && (section || isnan(p->point[0])))
      return ig_fail_at(cx, &p->at,
                        section ? "section forces need a `set` of elements"
                                : "a probe needs a `set` or a `point`");
    if (p->at.given && p->set && !isnan(p->point[0]))
      return ig_fail_at(cx, &p->at, "a probe has a `set` or a `point`, not both");
    if (!p->set)
      r->probe_node[i] = ig_node_near(w->x0, w->mesh->nodes, p->point);
    const ig_lid count = section ? 0 : p->set ? r->probe_set[i]->count : 1;
    for (ig_lid k = 0; k < 3 * count; k++) {
      const int64_t node = p->set ? r->probe_set[i]->item[k / 3] : r->probe_node[i];
      r->probe_middle[3 * i + k % 3] += w->x0[3 * node + k % 3] / count;
    }
    IG_TRY(probe_check(r, i));
    IG_TRY(probe_divide(r, i, section));
  }
  return IG_OK;
}

/* Reports of elements on the host. */
static ig_status report_now(ig_dyn_job *r) {
  if (!r->report)
    IG_TRY(IG_NEW(r->job->cx, &r->report, (int64_t)ig_mesh_elements(r->m->mesh) * IG_DYN_REPORT + 1,
                  "element results"));
  return ig_dyn_report(r->m, r->report);
}

/* What the probes look at comes to the host, nothing else. On ranks each pulls its part. */
static ig_status probes_pull(ig_dyn_job *r) {
  ig_dyn_model *m = r->m;
  bool x = false, v = false, f = false, touch = false, report = false;
  for (int i = 0; i < r->c->probes.count; i++) {
    const int q = IG_ITEM(const ig_dyn_probe, r->c->probes, i)->quantity;
    x |= q < IG_PROBE_VELOCITY || (q >= IG_PROBE_MOMENT && q < IG_PROBE_CONTACT);
    v |= q >= IG_PROBE_VELOCITY && q < IG_PROBE_FORCE;
    f |= q >= IG_PROBE_FORCE && q < IG_PROBE_CONTACT;
    touch |= q >= IG_PROBE_FORCE && q < IG_PROBE_BEAM;
    report |= q >= IG_PROBE_BEAM;
  }
  IG_TRY(ig_array_pull(m->cx, &m->clock));
  if (x)
    IG_TRY(ig_array_pull(m->cx, &m->x));
  if (v)
    IG_TRY(ig_array_pull(m->cx, &m->v));
  if (f) /* summed with the energies */
    IG_TRY(ig_array_pull(m->cx, &m->f));
  if (f && m->load.count)
    IG_TRY(ig_array_pull(m->cx, &m->load));
  if (touch && m->contact.press.count)
    IG_TRY(ig_array_pull(m->cx, &m->contact.press));
  return report ? report_now(r) : IG_OK;
}

/* The columns' values as things stand; on ranks those of probes on the first. The worst error of
   the energy balance is kept for the summary. */
static ig_status row_now(ig_dyn_job *r, ig_dyn_energy *e) {
  IG_TRY(ig_dyn_energies(r->m, e));
  const ig_status pulled = probes_pull(r);
  IG_TRY(ig_dyn_agree(r->m, pulled));
  r->worst_error = fmax(r->worst_error, fabs(e->error));
  const ig_dyn_clock *k = ig_dyn_clock_of(r);
  const double fixed[FIXED] = {k->time,     k->dt,      e->plain,   e->internal, e->plastic,
                               e->external, e->damping, e->contact, e->scaling,  e->error};
  memcpy(r->values, fixed, sizeof fixed);
  for (int i = 0; i < r->c->probes.count; i++)
    IG_TRY(probe_value(r, i, &r->values[FIXED + i]));
  return IG_OK;
}

ig_status ig_dyn_history_write(ig_dyn_job *r, ig_dyn_energy *e, ig_sink *to) {
  IG_TRY(row_now(r, e));
  return to ? to->history(to, r->columns, r->column, r->values) : IG_OK;
}

/* --- the summary */

/* The largest displacement, plastic strain and coordinate, of all ranks. */
static ig_status most_find(ig_dyn_job *r, double most[3]) {
  const ig_dyn_model *m = r->m;
  most[0] = most[1] = most[2] = 0;
  ig_status status = ig_dyn_pull(r->m);
  if (status == IG_OK)
    status = report_now(r);
  for (int64_t n = 0; n < m->mesh->nodes && status == IG_OK; n++) {
    double u = 0;
    for (int c = 0; c < 3; c++) {
      u += pow(ig_dyn_get(m, &m->x, 3 * n + c) - m->x0[3 * n + c], 2);
      most[2] = fmax(most[2], fabs(m->x0[3 * n + c]));
    }
    most[0] = fmax(most[0], sqrt(u));
  }
  for (int64_t i = 0; i < ig_mesh_elements(m->mesh) && status == IG_OK; i++)
    most[1] = fmax(most[1], r->report[i * IG_DYN_REPORT + IG_REPORT_PLASTIC]);
  return ig_dyn_most(r->m, status, most, 3);
}

/* Every step rounds a position in single precision, by 2^-25 of it: errors that add up as a random
   walk, and that hide a motion of less per step. */
static void rounding_warn(const ig_dyn_job *r, double moved, double place) {
  /* 2^-25: half of the least relative spacing of floats; steps add up as a random walk */
  const double steps = (double)ig_dyn_clock_of(r)->step, off = ldexp(place, -25) * sqrt(steps);
  if (r->m->precision == IG_SINGLE && steps > 0 && off > 0.05 * moved)
    ig_warn(r->m->cx,
            "displacements of %.2g m are rounded to about %.1g m: positions are in single "
            "precision; take `precision: mixed` or `double`",
            moved, off);
}

/* What supports and driven bodies hold, what loads and gravity push, what tools push: N. */
typedef struct {
  const ig_dyn_model *m;
  double sum[9];
} resulting;

/* Whether a motion prescribes component c. */
static bool leads(const ig_dyn_model *m, int32_t motion, int c) {
  return motion > 0 && ((const ig_dyn_motion *)m->held.motion.host)[motion].kind[c] != IG_MOVE_FREE;
}

/* The motion that leads particle n, or its body. */
static int32_t motion_of(const ig_dyn_model *m, int64_t n) {
  const int32_t *bound = m->carried.bound.host;
  if (!bound || bound[n] <= 0)
    return m->held.move.host ? ((const int32_t *)m->held.move.host)[n] : 0;
  const ig_dyn_body *b = m->carried.body.host;
  while (bound[n] - 1 >= b->first + b->count)
    b++;
  return b->motion;
}

/* On a tied particle what holds those that carry it. */
static double held_share(const resulting *s, int64_t n, int c) {
  const ig_dyn_carried *k = &s->m->carried;
  double share = 0;
  if (!k->bound.host || ((const int32_t *)k->bound.host)[n] >= 0)
    return leads(s->m, motion_of(s->m, n), c);
  for (int32_t i = 0; i < s->m->p.ties.count; i++)
    for (int a = 0; a < 3 && ((const int32_t *)k->tie_node.host)[i] == n; a++)
      if (leads(s->m, motion_of(s->m, ((const int32_t *)k->tie_to.host)[3 * i + a]), c))
        share += ((const double *)k->tie_share.host)[3 * i + a];
  return share;
}

/* A particle's part of the resultants: what holds it where a support does, its loads, forces of
   tools. */
static void result_row(void *user, int64_t n, double *row) {
  const resulting *s = user;
  const ig_dyn_model *m = s->m;
  for (int c = 0; c < 3; c++) {
    const double share = held_share(s, n, c);
    row[c] = share > 0 ? share * holding(m, n, c) : 0;
    row[3 + c] = (m->load.count ? ig_dyn_get(m, &m->load, m->p.dofs * n + c) : 0) +
                 ig_dyn_gravity_now(m, c) * m->weight.heavy[n];
    row[6 + c] = m->p.tools ? ig_dyn_get(m, &m->contact.press, 3 * n + c) : 0;
  }
}
static void result_add(void *user, const double *row) {
  for (int i = 0; i < 9; i++)
    ((resulting *)user)->sum[i] += row[i];
}

/* Contact pushes both ways: in the sum what tools do is left. */
static ig_status resultants_find(ig_dyn_job *r, double sum[9]) {
  ig_dyn_model *m = r->m;
  resulting s = {m, {0}};
  ig_status status = ig_array_pull(m->cx, &m->f);
  if (status == IG_OK && m->load.count)
    status = ig_array_pull(m->cx, &m->load);
  if (status == IG_OK && m->contact.press.count)
    status = ig_array_pull(m->cx, &m->contact.press);
  IG_TRY(ig_dyn_particles_add(m, status, 9, result_row, result_add, &s));
  ig_dyn_solids_pushed(m, ig_dyn_clock_of(r)->time, false, s.sum + 3);
  memcpy(sum, s.sum, sizeof s.sum);
  return IG_OK;
}

static ig_status resultants_write(const ig_dyn_job *r, const double sum[9], ig_sink *s) {
  static const char *const name[] = {"reaction_x", "reaction_y", "reaction_z", "load_x", "load_y",
                                     "load_z",     "tool_x",     "tool_y",     "tool_z"};
  for (int i = 0; i < (r->c->tools.count ? 9 : 6); i++)
    IG_TRY(s->result(s, name[i], "N", sum[i]));
  return IG_OK;
}

/* Modes of the last modal analysis with effective masses; of earlier ones values alone, with the
   number of their analysis in the key. */
static ig_status modes_write(const ig_dyn_job *r, ig_sink *s) {
  const ig_dyn_modes *k = &r->modes.of;
  char name[64];
  for (int i = 0; i < k->count; i++) {
    snprintf(name, sizeof name, "%s_%d", r->modes.buckling ? "load_factor" : "frequency", i + 1);
    IG_TRY(s->result(s, name, r->modes.buckling ? "" : "Hz", k->value[i]));
    for (int c = 0; c < 3 && !r->modes.buckling; c++) {
      snprintf(name, sizeof name, "effective_mass_%c_%d", 'x' + c, i + 1);
      IG_TRY(s->result(s, name, "kg", k->mass[i][c]));
    }
  }
  for (int i = 0; i < r->modes.befores; i++) {
    const bool buckling = r->modes.before[i].buckling;
    snprintf(name, sizeof name, "analysis_%lld_%s_%d", (long long)r->modes.before[i].analysis + 1,
             buckling ? "load_factor" : "frequency", r->modes.before[i].number);
    IG_TRY(s->result(s, name, buckling ? "" : "Hz", r->modes.before[i].value));
  }
  return k->count ? s->result(s, "modes_error", "", k->error) : IG_OK;
}

/* The largest stress at a node of all ranks, on rank 0, where the model came to rest. */
static ig_status peak_find(ig_dyn_job *r, ig_nodal_peak *peak) {
  ig_dyn_model *m = r->m;
  const ig_partition *p = &m->division->part;
  ig_nodal_stress *stress = NULL;
  void *all = NULL;
  *peak = (ig_nodal_peak){.node = -1};
  if (!ig_dyn_at_rest(r) || !ig_dyn_has_stresses(m))
    return IG_OK;
  ig_status status = IG_NEW(m->cx, &stress, (size_t)m->mesh->nodes + 1, "stresses at nodes");
  if (status == IG_OK)
    status = ig_dyn_stresses(m, stress);
  if (status == IG_OK)
    *peak = ig_nodal_peak_of(m->mesh->nodes, p->ghost, p->node, m->x0, stress);
  const ig_nodal_peak mine = *peak;
  status = ig_ranks_gather(m->cx, status, &mine, sizeof mine, &all);
  const ig_nodal_peak *part = all;
  for (int i = 0; status == IG_OK && ig_ranks_first(m->cx) && i < ig_ranks_count(m->cx->ranks); i++)
    ig_nodal_peak_take(peak, part[i].mises, part[i].x, part[i].node);
  free(all);
  free(stress);
  return status;
}

/* Figures of the whole run. Reactions and loads are given where the last analysis was static:
   only then do they balance. */
ig_status ig_dyn_results_write(void *self, ig_sink *s) {
  ig_dyn_job *r = self;
  ig_dyn_model *m = r->m;
  double most[3], sum[9];
  ig_dyn_energy e;
  const int64_t last = r->c->analysis.count - 1;
  /* reactions are figures of an equilibrium */
  const bool rests = last >= 0 && IG_ITEM(const ig_dyn_analysis, r->c->analysis, (int)last)->kind ==
                                      IG_ANALYSIS_STATIC;
  IG_TRY(row_now(r, &e));
  IG_TRY(most_find(r, most));
  ig_nodal_peak peak = {.node = -1};
  if (rests) {
    IG_TRY(resultants_find(r, sum));
    IG_TRY(peak_find(r, &peak));
  }
  if (!ig_ranks_first(m->cx))
    return IG_OK;
  if (!rests && e.kinetic > 0)
    rounding_warn(r, most[0], most[2]);
  IG_TRY(s->result(s, "time", "s", ig_dyn_clock_of(r)->time));
  IG_TRY(s->result(s, "time_step", "s", ig_dyn_clock_of(r)->dt));
  IG_TRY(s->result(s, "energy_error", "", r->worst_error));
  bool statics = false;
  for (int i = 0; i < r->c->analysis.count; i++)
    statics |= IG_ITEM(const ig_dyn_analysis, r->c->analysis, i)->kind == IG_ANALYSIS_STATIC;
  if (statics)
    IG_TRY(s->result(s, "static_error", "", r->static_error));
  if (r->newton.steps > 0) {
    IG_TRY(s->result(s, "static_steps", "", (double)r->newton.steps));
    IG_TRY(s->result(s, "newton_iterations", "", (double)r->newton.iterations));
    IG_TRY(s->result(s, "negative_pivots", "", (double)r->newton.negative));
  }
  /* what was lost on the way matters only where material yields */
  if (statics && ig_dyn_yields(m))
    IG_TRY(s->result(s, "static_path_error", "", r->static_path));
  /* 0, less by what friction took; above it contact has made energy. After statics alone no step
     has said how stiff it is. */
  if (ig_dyn_touches(m)) {
    IG_TRY(s->result(s, "contact_energy_made", "J", e.made - m->balance.made));
    IG_TRY(s->result(s, "contact_energy_stored", "J", e.stored));
  }
  if (m->pairs.of) {
    IG_TRY(s->result(s, "penetration_max", "m", m->pairs.of->last.depth));
    IG_TRY(s->result(s, "penetration_share", "", m->pairs.of->last.share));
  }
  if (r->c->residual.at.given)
    IG_TRY(s->result(s, "residual_unbalance", "", m->unbalance));
  IG_TRY(s->result(s, "mass", "kg", m->weight.total));
  IG_TRY(s->result(s, "added_mass", "kg", m->weight.scaled));
  IG_TRY(s->result(s, "displacement_max", "m", most[0]));
  IG_TRY(s->result(s, "plastic_strain_max", "", most[1]));
  if (rests) {
    IG_TRY(ig_nodal_peak_put(s, &peak));
    IG_TRY(resultants_write(r, sum, s));
  }
  IG_TRY(modes_write(r, s));
  for (int i = 0; i < r->c->probes.count; i++) {
    const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
    IG_TRY(s->result(s, p->name, probe_unit(p), r->values[FIXED + i]));
  }
  return IG_OK;
}
