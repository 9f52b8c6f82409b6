/* Figures of a run through time: functions (model/readings.h) of signals that are read in each
   step.

     NAME                  a probe of the case: displacement, velocity or force
     displacement(SET, x)  mean over the nodes of a set
     velocity(SET, x)      the same, of the half step before
     reaction(SET, x)      sum of the forces that hold the nodes of a set, as probes have them: with
                           the force of inertia of nodes that move
     energy, energy(SET)   internal energy of all elements, or of a set
     plastic_strain(SET), von_mises(SET)  mean over the elements of a set */
#include "dynamics/adjoint/adjoint.h"
#include "mesh/named.h"
#include "model/readings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *word;
  ig_dyn_signal_kind kind;
  int report;
} words[] = {{"displacement", IG_SIGNAL_DISPLACEMENT, 0},
             {"velocity", IG_SIGNAL_VELOCITY, 0},
             {"reaction", IG_SIGNAL_FORCE, 0},
             {"energy", IG_SIGNAL_REPORT, IG_REPORT_ENERGY},
             {"plastic_strain", IG_SIGNAL_REPORT, IG_REPORT_PLASTIC},
             {"von_mises", IG_SIGNAL_REPORT, IG_REPORT_MISES}};

/* --- which */

static ig_status nodes_find(ig_dyn_tape *t, ig_dyn_signal *s, const char *set) {
  const ig_set *found;
  IG_TRY(ig_dyn_nodes_of(t->run->m, &t->run->c->at, set, &found));
  s->nodes = found->count;
  s->node = found->item;
  s->share = s->kind == IG_SIGNAL_FORCE || found->count == 0 ? 1 : 1.0 / found->count;
  return IG_OK;
}

/* Weight of each element; set "": all. */
static ig_status elements_find(ig_dyn_tape *t, ig_dyn_signal *s, const char *set) {
  const ig_mesh *mesh = t->run->m->mesh;
  const ig_lid all = ig_mesh_elements(mesh);
  const ig_set *found = NULL;
  if (*set)
    IG_TRY(ig_mesh_named_set(t->cx, mesh, &t->run->c->at, set, IG_OF_ELEMENTS, &found));
  IG_TRY(IG_NEW(t->cx, &s->weight, all, "a figure"));
  const ig_lid count = found ? found->count : all;
  const double one = s->component == IG_REPORT_ENERGY || count == 0 ? 1 : 1.0 / count;
  for (ig_lid i = 0; i < count; i++)
    s->weight[found ? found->item[i] : i] = one;
  return IG_OK;
}

/* "WORD(SET, x)", "WORD(SET)" or "WORD" at the beginning of `text`; *found: it is one. */
static ig_status own_read(ig_dyn_tape *t, const char *text, ig_dyn_signal *s, bool *found) {
  char set[256] = "", axis[2] = "";
  *found = false;
  for (size_t i = 0; i < sizeof words / sizeof *words && !*found; i++) {
    const size_t length = strlen(words[i].word);
    const bool nodes = words[i].kind != IG_SIGNAL_REPORT;
    int used = 0;
    if (strncmp(text, words[i].word, length) != 0)
      continue;
    const char *rest = text + length;
    s->kind = words[i].kind;
    s->component = words[i].report;
    if (nodes) {
      *found = sscanf(rest, "( %255[^,)] , %1[xyz] )%n", set, axis, &used) == 2 && used > 0;
      s->component = *axis - 'x';
    } else if (sscanf(rest, "( %255[^,)] )%n", set, &used) == 1 && used > 0) {
      *found = true;
    } else {
      *found = s->component == IG_REPORT_ENERGY && (*rest == '\0' || strchr("@),", *rest));
    }
  }
  for (size_t end = strlen(set); end > 0 && set[end - 1] == ' ';)
    set[--end] = '\0';
  if (!*found)
    return IG_OK;
  return s->kind == IG_SIGNAL_REPORT ? elements_find(t, s, set) : nodes_find(t, s, set);
}

/* A probe of the case. */
static ig_status probe_read(ig_dyn_tape *t, int i, ig_dyn_signal *s) {
  const ig_dyn_job *r = t->run;
  const ig_dyn_probe *p = IG_ITEM(const ig_dyn_probe, r->c->probes, i);
  s->name = p->name;
  s->component = p->quantity % 3;
  s->kind = p->quantity < IG_PROBE_VELOCITY ? IG_SIGNAL_DISPLACEMENT
            : p->quantity < IG_PROBE_FORCE  ? IG_SIGNAL_VELOCITY
            : p->quantity < IG_PROBE_MOMENT ? IG_SIGNAL_FORCE
                                            : IG_SIGNAL_NONE;
  if (s->kind == IG_SIGNAL_NONE)
    return IG_OK;
  if (p->set)
    return nodes_find(t, s, p->set);
  s->single = r->probe_node[i];
  s->nodes = 1;
  s->share = 1;
  return IG_OK;
}

/* Whether a figure is a probe's name, or looks at all probes. */
static bool whole_of(const char *figure) {
  return strncmp(figure, "misfit(", 7) != 0;
}

ig_status ig_dyn_tape_signals(ig_dyn_tape *t, const char *figure) {
  const int probes = t->run->c->probes.count;
  static const char *const moments[] = {"mean(", "max(", "variance("};
  const char *inner = figure;
  bool found;
  IG_TRY(IG_NEW(t->cx, &t->signal, probes + 1, "signals"));
  for (int i = 0; i < probes; i++)
    IG_TRY(probe_read(t, i, &t->signal[i]));
  t->signals = probes;
  t->each = strchr(figure, '@') || !whole_of(figure);
  for (int i = 0; i < 3; i++)
    if (strncmp(figure, moments[i], strlen(moments[i])) == 0) {
      inner = figure + strlen(moments[i]);
      t->each = true;
    }
  if (!whole_of(figure))
    return IG_OK;
  IG_TRY(own_read(t, inner, &t->signal[probes], &found));
  t->signals += found;
  for (int i = 0; i < t->signals; i++)
    if (t->signal[i].kind == IG_SIGNAL_FORCE && t->run->m->p.tools > 0 && i == probes)
      return IG_FAIL(t->cx, IG_INPUT,
                     "no gradient: forces that hold nodes are not separated from those of tools");
  return IG_OK;
}

void ig_dyn_tape_signals_free(ig_dyn_tape *t) {
  for (int i = 0; i < t->signals; i++)
    free(t->signal[i].weight);
  free(t->signal);
}

/* --- readings */

/* What holds node n: internal force less load and weight, as probes have it. */
static double holding(const ig_dyn_model *m, int64_t n, int c) {
  const int D = m->p.dofs;
  return ((const double *)m->f.host)[D * n + c] -
         (m->load.count ? ((const double *)m->load.host)[D * n + c] : 0) -
         (m->p.loads.has_gravity ? ig_dyn_gravity_now(m, c) * ((const double *)m->heavy.host)[n]
                                 : 0);
}

static double nodes_read(const ig_dyn_model *m, const ig_dyn_signal *s) {
  double sum = 0;
  for (ig_lid i = 0; i < s->nodes; i++) {
    const int64_t n = s->node ? s->node[i] : s->single;
    const int c = s->component;
    sum += s->kind == IG_SIGNAL_DISPLACEMENT
               ? ((const double *)m->x.host)[3 * n + c] - m->x0[3 * n + c]
           : s->kind == IG_SIGNAL_VELOCITY ? ((const double *)m->v.host)[m->p.dofs * n + c]
                                           : holding(m, n, c);
  }
  return s->share * sum;
}

static ig_status report_read(ig_dyn_tape *t, const ig_dyn_signal *s, double *value) {
  ig_dyn_model *m = t->run->m;
  const int64_t elements = ig_mesh_elements(m->mesh);
  double *report;
  IG_TRY(IG_NEW(t->cx, &report, elements * IG_DYN_REPORT + 1, "element results"));
  const ig_status status = ig_dyn_report(m, report);
  *value = 0;
  for (int64_t e = 0; status == IG_OK && e < elements; e++)
    *value += s->weight[e] * report[e * IG_DYN_REPORT + s->component];
  free(report);
  return status;
}

ig_status ig_dyn_tape_read(ig_dyn_tape *t, int64_t row) {
  ig_dyn_model *m = t->run->m;
  bool forces = false;
  for (int i = 0; i < t->signals; i++)
    forces |= t->signal[i].kind == IG_SIGNAL_FORCE;
  if (forces) {
    IG_TRY(ig_dyn_forces_sum(m));
    if (m->p.loads.count > 0)
      IG_TRY(m->ops->loads(m->cx, &m->p));
  }
  for (int i = 0; i < t->signals; i++) {
    const ig_dyn_signal *s = &t->signal[i];
    double *to = &t->reading[row * t->signals + i];
    *to = 0;
    if (s->kind == IG_SIGNAL_REPORT)
      IG_TRY(report_read(t, s, to));
    else if (s->kind != IG_SIGNAL_NONE)
      *to = nodes_read(m, s);
  }
  return IG_OK;
}

/* --- the figure */

/* The figure's own signal is the last; a probe goes by its name, with its unit or without. */
static int signal_find(void *user, const char *name, size_t length) {
  const ig_dyn_tape *t = user;
  const int probes = t->run->c->probes.count;
  for (int i = 0; i < probes; i++) {
    const char *own = t->signal[i].name;
    if (strncmp(own, name, length) == 0 && own[length] == '\0' &&
        t->signal[i].kind != IG_SIGNAL_NONE &&
        !(t->signal[i].kind == IG_SIGNAL_FORCE && t->run->m->p.tools > 0))
      return i;
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (t->signals > probes && strncmp(name, words[i].word, strlen(words[i].word)) == 0)
      return probes;
  return -1;
}

static const char *signal_unit(void *user, int signal, bool squared) {
  const ig_dyn_signal *s = &((const ig_dyn_tape *)user)->signal[signal];
  switch (s->kind) {
  case IG_SIGNAL_DISPLACEMENT:
    return squared ? "m^2" : "m";
  case IG_SIGNAL_VELOCITY:
    return squared ? "m^2/s^2" : "m/s";
  case IG_SIGNAL_FORCE:
    return squared ? "N^2" : "N";
  default:
    break;
  }
  if (s->component == IG_REPORT_ENERGY)
    return squared ? "J^2" : "J";
  if (s->component == IG_REPORT_MISES)
    return squared ? "Pa^2" : "Pa";
  return "";
}

ig_status ig_dyn_tape_figure(ig_dyn_tape *t, const char *figure, double *value, char unit[16]) {
  const int64_t rows = t->steps + 1;
  free(t->weight);
  t->weight = NULL;
  IG_TRY(IG_NEW(t->cx, &t->weight, rows * (t->signals > 0 ? t->signals : 1), "figure"));
  ig_readings r = {
      .rows = rows,
      .signals = t->signals,
      .time = t->time,
      .reading = t->reading,
      .weight = t->weight,
      .user = t,
      .find = signal_find,
      .unit = signal_unit,
      .signals_are = "the name of a probe of displacements, velocities or (without tools) forces, "
                     "displacement(SET, x), velocity(SET, x), reaction(SET, x), energy, "
                     "energy(SET), plastic_strain(SET) or von_mises(SET)"};
  IG_TRY(ig_readings_figure(t->cx, &r, figure, value, unit));
  t->measured = r.measured;
  return IG_OK;
}
