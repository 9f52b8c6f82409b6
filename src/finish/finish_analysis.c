/* Linear statics of a finished part by the room structure, and the figures that follow from its
   displacements.

   Stresses: those of each element at its nodes, averaged over the elements around them, as
   CalculiX and other programs write them. */
#include "finish/finish.h"
#include "core/number.h"
#include "mesh/geometry.h"
#include "solid/nodal.h"
#include "topopt/design/stress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the case */

static void text_real(ig_text *t, double value) {
  char number[IG_NUMBER_TEXT];
  ig_number_text(value, number);
  ig_text_add(t, number);
}

static void text_vector(ig_text *t, const double v[3]) {
  ig_text_add(t, "[");
  for (int d = 0; d < 3; d++) {
    ig_text_add(t, d ? ", " : "");
    text_real(t, v[d]);
  }
  ig_text_add(t, "]");
}

/* Node n as a set of its own. */
static ig_status node_set(ig_ctx *cx, ig_mesh *mesh, ig_lid n, char name[24]) {
  ig_set *set;
  snprintf(name, 24, "n%d", n + 1);
  if (ig_mesh_find_set(mesh, name, IG_SET_NODES))
    return IG_OK;
  IG_TRY(ig_mesh_add_set(cx, mesh, name, IG_SET_NODES, 1, &set));
  set->item[0] = n;
  return IG_OK;
}

/* An entry of a list in a case; `list` is empty at the first. */
static void entry_add(ig_text *list, const char *entry) {
  ig_text_add(list, list->length ? ", " : "[");
  ig_text_add(list, entry);
}

/* Elements or nodes whose mark is `value` as a set; where there are none there is no set. */
static ig_status marked_add(ig_ctx *cx, ig_mesh *mesh, ig_set_kind kind, ig_lid items,
                            const uint8_t *mark, int value, const char *name) {
  ig_lid count = 0;
  ig_set *set;
  for (ig_lid i = 0; i < items; i++)
    count += mark[i] == value;
  if (count == 0 || ig_mesh_find_set(mesh, name, kind))
    return IG_OK;
  IG_TRY(ig_mesh_add_set(cx, mesh, name, kind, count, &set));
  count = 0;
  for (ig_lid i = 0; i < items; i++)
    if (mark[i] == value)
      set->item[count++] = i;
  return IG_OK;
}

static const char *axes(int bits) {
  static const char *const names[] = {"", "x", "y", "x y", "z", "x z", "y z", "x y z"};
  return names[bits];
}

/* Fixed nodes are a set for each combination of components; with displacements other than zero one
   each. */
static ig_status supports_write(const ig_finished *f, const ig_finish_model *m, ig_mesh *mesh,
                                bool moving, ig_text *t) {
  char name[24], line[96];
  for (int bits = 1; bits < 8 && !moving; bits++) {
    snprintf(name, sizeof name, "fixed_%d", bits);
    IG_TRY(marked_add(f->cx, mesh, IG_SET_NODES, mesh->nodes, m->fix, bits, name));
    if (!ig_mesh_find_set(mesh, name, IG_SET_NODES))
      continue;
    snprintf(line, sizeof line, "{set: %s, fix: '%s'}", name, axes(bits));
    entry_add(t, line);
  }
  for (ig_lid n = 0; n < mesh->nodes && moving; n++) {
    if (!m->fix[n])
      continue;
    IG_TRY(node_set(f->cx, mesh, n, name));
    snprintf(line, sizeof line, "{set: %s, components: '%s%s%s', displacement: ", name,
             m->fix[n] & 1 ? "x" : "", m->fix[n] & 2 ? "y" : "", m->fix[n] & 4 ? "z" : "");
    entry_add(t, line);
    text_vector(t, m->value + 3 * (size_t)n);
    ig_text_add(t, "}");
  }
  ig_text_add(t, "]");
  return IG_OK;
}

/* Load case q acts in analysis q + 1 and, where factors of buckling are wanted, in `buckle` + q,
   too. */
static ig_status loads_write(const ig_finished *f, const ig_finish_model *m, ig_mesh *mesh,
                             int buckle, ig_text *t) {
  for (int q = 0; q < f->cases; q++)
    for (ig_lid n = 0; n < mesh->nodes; n++) {
      const double *force = m->force[q] + 3 * (size_t)n;
      const int in[] = {q + 1, buckle + q};
      char name[24], line[160], grows[64] = "";
      if (force[0] == 0 && force[1] == 0 && force[2] == 0)
        continue;
      IG_TRY(node_set(f->cx, mesh, n, name));
      for (int i = 0; i < (buckle > 0 ? 2 : 1); i++) {
        if (i > 0) /* over that analysis; all but frequencies take a second */
          snprintf(grows, sizeof grows, "history: [[%d, 0], [%d, 1]], ", f->cases + q,
                   f->cases + q + 1);
        snprintf(line, sizeof line, "{set: %s, first: %d, last: %d, %sforce: ", name, in[i], in[i],
                 grows);
        entry_add(t, line);
        text_vector(t, force);
        ig_text_add(t, "}");
      }
    }
  ig_text_add(t, t->length ? "]" : "[]");
  return IG_OK;
}

/* Designs for large deflections are analysed for them, by their law. */
static bool deflects(const ig_finished *f) {
  return f->t->analysis.large_deflections;
}

static bool neo_hookean(const ig_finished *f) {
  return deflects(f) && f->t->analysis.law == IG_LARGE_NEO_HOOKEAN;
}

/* Materials that elements have, each with its set of them. */
static ig_status materials_write(const ig_finished *f, const ig_finish_model *m, ig_mesh *mesh,
                                 ig_text *t) {
  for (int k = 0; k < f->materials; k++) {
    const ig_finish_material *one = &f->material[k];
    char name[24], line[96];
    snprintf(name, sizeof name, "material_%d", k + 1);
    IG_TRY(marked_add(f->cx, mesh, IG_SET_ELEMENTS, ig_mesh_elements(mesh), m->material, k, name));
    if (!ig_mesh_find_set(mesh, name, IG_SET_ELEMENTS))
      continue;
    snprintf(line, sizeof line, "{name: %s, set: %s, young: ", name, name);
    entry_add(t, line);
    text_real(t, one->young);
    ig_text_add(t, ", poisson: ");
    text_real(t, one->poisson);
    if (neo_hookean(f))
      ig_text_add(t, ", law: neo_hookean");
    if (!isnan(one->density)) {
      ig_text_add(t, ", density: ");
      text_real(t, one->density);
    }
    ig_text_add(t, "}");
  }
  ig_text_add(t, "]");
  return IG_OK;
}

static bool moves(const ig_finish_model *m) {
  for (ig_lid i = 0; i < 3 * m->mesh->nodes; i++)
    if (m->value[i] != 0)
      return true;
  return false;
}

static ig_status set_list(ig_case *c, const char *key, ig_text *t, ig_status status) {
  if (status == IG_OK && t->failed)
    status = IG_FAIL(c->cx, IG_MEMORY, "no memory for the analysis");
  if (status == IG_OK)
    status = ig_case_set(c, key, t->at);
  free(t->at);
  memset(t, 0, sizeof *t);
  return status;
}

/* Numbers of analyses: load cases, frequencies, buckling of each load case (0: not wanted). */
static int buckling_first(const ig_finished *f, const ig_finish_options *o) {
  return o->buckling > 0 ? f->cases + (o->frequencies > 0) + 1 : 0;
}

static ig_status case_fill(const ig_finished *f, const ig_finish_model *m, ig_mesh *mesh,
                           const ig_finish_options *o, bool large, ig_case *c) {
  const int buckle = buckling_first(f, o);
  ig_text t = {0};
  char line[64];
  IG_TRY(ig_case_set(c, "physics", "structure"));
  IG_TRY(set_list(c, "materials", &t, materials_write(f, m, mesh, &t)));
  snprintf(line, sizeof line, "{kind: static, large: true, first_step: %.6g}",
           deflects(f) ? 1.0 / (double)f->t->analysis.load_steps : 1.0);
  for (int q = 0; q < f->cases; q++)
    entry_add(&t, large || deflects(f) ? line : "{kind: static}");
  snprintf(line, sizeof line, "{kind: frequency, modes: %d}", o->frequencies);
  if (o->frequencies > 0)
    entry_add(&t, line);
  /* those of loads the other way round come among them */
  snprintf(line, sizeof line, "{kind: buckling, modes: %d}", 2 * o->buckling + 2);
  for (int q = 0; q < f->cases && buckle > 0; q++)
    entry_add(&t, line);
  ig_text_add(&t, "]");
  IG_TRY(set_list(c, "analysis", &t, IG_OK));
  IG_TRY(set_list(c, "supports", &t, supports_write(f, m, mesh, moves(m), &t)));
  IG_TRY(set_list(c, "loads", &t, loads_write(f, m, mesh, buckle, &t)));
  IG_TRY(ig_case_set(c, "output.fields", "[displacement, reaction]"));
  c->no_units = true; /* forces of single nodes are small */
  return ig_case_set_mesh(c, mesh);
}

/* --- displacements to figures */

typedef struct {
  ig_finished *f;
  const ig_finish_model *m;
  const ig_finish_options *o;
  ig_finish_figures *to;
  ig_status status;
  int done;         /* load cases seen */
  uint8_t *skipped; /* nodes whose stress does not count */
  double *stress;   /* nodes x 6, then the count of elements */
  int *count;
  double *damage; /* nodes, of each material; NULL: there is no spectrum */
  bool large;     /* large displacements and rotations */
  double reached; /* of these: the time */
} reading;

/* Means at the nodes over the elements of one material, of the stresses continued to them. */
static void stresses(reading *r, const double *u, int material) {
  const ig_mesh *mesh = r->m->mesh;
  const ig_block *block = &mesh->block[0];
  const ig_finish_material *f = &r->f->material[material];
  ig_solid_law law = ig_solid_isotropic(f->young, f->poisson, 0);
  law.large = deflects(r->f);
  law.law = neo_hookean(r->f) ? IG_LAW_NEOHOOKE : law.law;
  const double none[1] = {0}; /* no history */
  double fit[40];
  ig_solid_continuation(IG_SOLID_TET10, NULL, fit);
  memset(r->stress, 0, 6 * (size_t)mesh->nodes * sizeof *r->stress);
  memset(r->count, 0, (size_t)mesh->nodes * sizeof *r->count);
  for (ig_lid e = 0; e < block->count; e++) {
    const ig_lid *node = block->conn + 10 * (size_t)e;
    double X[30], v[30], point[4 * IG_SOLID_REPORT];
    if (r->m->material[e] != material)
      continue;
    for (int i = 0; i < 30; i++) {
      X[i] = mesh->x[3 * (size_t)node[i / 3] + (size_t)(i % 3)];
      v[i] = u[3 * (size_t)node[i / 3] + (size_t)(i % 3)];
    }
    ig_solid_report(IG_SOLID_TET10, &law, X, v, NULL, none, point);
    for (int a = 0; a < 10; a++) {
      for (int i = 0; i < 24; i++)
        r->stress[6 * (size_t)node[a] + (size_t)(i % 6)] +=
            fit[4 * a + i / 6] * point[i / 6 * IG_SOLID_REPORT + i % 6];
      r->count[node[a]]++;
    }
  }
  for (ig_lid n = 0; n < mesh->nodes; n++)
    for (int k = 0; k < 6 && r->count[n]; k++)
      r->stress[6 * (size_t)n + (size_t)k] /= r->count[n];
}

/* The largest by[0] x (von Mises' stress + by[1] x trace) in a region (NULL: everywhere); -1: there
   is no node. */
static double stress_most(const reading *r, const ig_finish_region *region, const double by[2],
                          ig_lid *at) {
  const ig_mesh *mesh = r->m->mesh;
  double most = -1;
  for (ig_lid n = 0; n < mesh->nodes; n++) {
    const double *t = r->stress + 6 * (size_t)n;
    const double s = r->count[n] && !r->skipped[n]
                         ? fmax(0, by[0] * (ig_nodal_mises(t) + by[1] * (t[0] + t[1] + t[2])))
                         : -1;
    bool in = !region;
    for (int image = 0; image < 8 && s > most && !in; image++)
      in = ig_finish_image_is(r->f, image) &&
           ig_finish_image_has(region, image, mesh->x + 3 * (size_t)n, 0.1 * r->f->edge);
    if (s > most && in) {
      most = s;
      *at = n;
    }
  }
  return most;
}

/* Mean displacement of the model's nodes in the region along a direction. */
static double displacement_mean(const reading *r, const ig_finish_region *region,
                                const double *direction, const double *u) {
  const ig_mesh *mesh = r->m->mesh;
  double sum = 0, size = 0;
  ig_lid count = 0;
  for (int d = 0; d < 3; d++)
    size += direction[d] * direction[d];
  for (ig_lid n = 0; n < mesh->nodes; n++)
    if (ig_finish_image_has(region, 0, mesh->x + 3 * (size_t)n, 0.1 * r->f->edge)) {
      for (int d = 0; d < 3; d++)
        sum +=
            (u[3 * (size_t)n + (size_t)d] + ig_finish_expanded(r->f, mesh->x + 3 * (size_t)n, d)) *
            direction[d] / sqrt(size);
      count++;
    }
  return count ? sum / count : NAN;
}

/* Bounds of the case that depend on the analysis, after load case q. Stresses are those of one
   material: called for each. */
static ig_status limits_read(reading *r, int q, const double *u) {
  const ig_topopt_case *t = r->f->t;
  for (int i = 0; i < t->constraints.count && i < IG_LIMITS; i++) {
    const ig_limit_case *l = IG_ITEM(const ig_limit_case, t->constraints, i);
    const int of = l->load_case > 0 ? (int)l->load_case - 1 : 0;
    double *to = &r->to->limit[i];
    if (!isnan(l->compliance) && of == q)
      *to = r->to->work[q] / ig_finish_images(r->f);
    if (isnan(l->stress) && isnan(l->displacement))
      continue;
    ig_finish_region region;
    ig_lid at = 0;
    const ig_status status = ig_finish_region_open(r->f, &l->at, l->set, &l->place, &region);
    if (status == IG_OK && !isnan(l->stress) && (l->load_case == 0 || of == q)) {
      double by[2];
      ig_topopt_stress_cycle(l, &by[0], &by[1]);
      const double most = stress_most(r, l->set || l->place.at.given ? &region : NULL, by, &at);
      *to = most >= 0 ? fmax(isnan(*to) ? 0 : *to, most) : *to;
    } else if (status == IG_OK && !isnan(l->displacement) && of == q) {
      *to = displacement_mean(r, &region, l->direction, u);
    }
    ig_finish_region_close(&region);
    IG_TRY(status);
  }
  return IG_OK;
}

/* t.Kt of the free expansion t: see topopt/design/load.h. */
static double expansion_energy(const reading *r) {
  const ig_block *block = &r->m->mesh->block[0];
  double sum = 0;
  for (ig_lid e = 0; e < block->count && r->f->expansion != 0; e++) {
    const ig_finish_material *m = &r->f->material[r->m->material[e]];
    sum += 3 * m->young / (1 - 2 * m->poisson) * r->f->expansion * r->f->expansion *
           ig_elem_measure(r->m->mesh, block, e, NULL);
  }
  return sum;
}

static void case_read(reading *r, int q, const double *u, const double *reaction) {
  const ig_finish_model *m = r->m;
  ig_finish_figures *to = r->to;
  ig_lid at = 0;
  for (ig_lid n = 0; n < m->mesh->nodes; n++) {
    double square = 0;
    for (int d = 0; d < 3; d++) {
      const size_t k = 3 * (size_t)n + (size_t)d;
      to->work[q] += m->force[q][k] * u[k];
      to->sum[q][d] += m->force[q][k];
      if (m->value[k] != 0) /* 2 f.u - u.Ku */
        to->work[q] -= reaction[k] * u[k];
      const double free = ig_finish_expanded(r->f, m->mesh->x + 3 * (size_t)n, d);
      to->work[q] += 2 * m->force[q][k] * free;
      square += (u[k] + free) * (u[k] + free);
    }
    to->moved[q] = fmax(to->moved[q], sqrt(square));
  }
  to->displacement = fmax(to->displacement, to->moved[q]);
  to->work[q] += expansion_energy(r);
  to->compliance += r->f->weight[q] * to->work[q];
  for (int k = 0; k < r->f->materials && r->status == IG_OK; k++) {
    stresses(r, u, k);
    const double most = stress_most(r, NULL, (const double[2]){1, 0}, &at);
    if (most > to->stress) {
      to->stress = most;
      memcpy(to->where, m->mesh->x + 3 * (size_t)at, sizeof to->where);
    }
    r->status = limits_read(r, q, u);
    if (r->damage)
      ig_finish_damage_add(r->f, &r->f->material[k].of->fatigue, q, m->mesh->nodes, r->stress,
                           r->damage + (size_t)k * (size_t)m->mesh->nodes);
  }
}

/* Work of the loads, which keep their directions, and the largest displacement. */
static void large_read(reading *r, int q, const double *u) {
  double work = 0, most = 0;
  for (ig_lid n = 0; n < r->m->mesh->nodes; n++) {
    const double *v = u + 3 * (size_t)n, *force = r->m->force[q] + 3 * (size_t)n;
    work += v[0] * force[0] + v[1] * force[1] + v[2] * force[2];
    most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  r->to->large_work[q] = work;
  r->to->large_moved[q] = most;
}

/* A snapshot at the end of each analysis, which takes a second, and of each step of large ones; the
   one before the first step has time 0. */
static void snapshot_take(void *user, const ig_snapshot_view *s) {
  reading *r = user;
  const double *u = NULL, *reaction = NULL;
  if (s->time <= 0 || (r->done == r->f->cases && !r->large) || r->status != IG_OK)
    return;
  if (deflects(r->f) && s->time < r->done + 1 - 1e-9)
    return; /* on the way */
  for (int i = 0; i < s->fields; i++) {
    if (strcmp(s->field[i].name, "displacement") == 0)
      u = s->field[i].data;
    if (strcmp(s->field[i].name, "reaction") == 0)
      reaction = s->field[i].data;
  }
  if (!u || !reaction || s->points != r->m->mesh->nodes)
    r->status = IG_FAIL(r->f->cx, IG_ARG, "the analysis of the finished part has other nodes");
  else if (r->large) { /* each analysis takes a second, in steps: the last one stays */
    r->done = (int)fmin(r->f->cases, fmax(1, ceil(s->time - 1e-9)));
    r->reached = s->time;
    large_read(r, r->done - 1, u);
  } else
    case_read(r, r->done++, u, reaction);
}

/* Nodes in the sets of stress.exclude. */
static ig_status skipped_find(reading *r) {
  const ig_topopt_case *t = r->f->t;
  for (int i = 0; i < t->stress.exclude.count; i++) {
    ig_finish_region region;
    ig_status status =
        ig_finish_region_open(r->f, &t->stress.at, t->stress.exclude.value[i], NULL, &region);
    for (ig_lid n = 0; status == IG_OK && n < r->m->mesh->nodes; n++)
      for (int image = 0; image < 8 && !r->skipped[n]; image++)
        r->skipped[n] =
            ig_finish_image_is(r->f, image) &&
            ig_finish_image_has(&region, image, r->m->mesh->x + 3 * (size_t)n, 0.1 * r->f->edge);
    ig_finish_region_close(&region);
    IG_TRY(status);
  }
  return IG_OK;
}

/* mode_1, … of the one analysis that has modes, analysis_2_mode_1, … of several: Hz, or factors of
   the loads, of either sign. */
static void figure_take(void *user, const char *key, double value, const char *unit,
                        const char *text) {
  reading *r = user;
  ig_finish_figures *to = r->to;
  const int buckle = buckling_first(r->f, r->o);
  const bool one = (r->o->frequencies > 0) + (buckle > 0 ? r->f->cases : 0) == 1;
  int of = r->f->cases + 1, number = 0;
  (void)unit;
  (void)text;
  if (sscanf(key, one ? "mode_%d" : "analysis_%d_mode_%d", one ? &number : &of, &number) < 1 ||
      number < 1)
    return;
  const int q = of - buckle;
  if (buckle > 0 && q >= 0 && q < r->f->cases) {
    if (value > 0 && to->bucklings[q] < r->o->buckling)
      to->buckling[q][to->bucklings[q]++] = value;
  } else if (number <= (int)(sizeof to->frequency / sizeof *to->frequency)) {
    to->frequency[number - 1] = value;
    to->frequencies = to->frequencies > number ? to->frequencies : number;
  }
}

static ig_status run(reading *r, ig_mesh *mesh) {
  ig_case *c;
  IG_TRY(ig_case_new(r->f->cx, &c));
  ig_status status = case_fill(r->f, r->m, mesh, r->o, r->large, c);
  if (status == IG_OK)
    status =
        ig_run(c, &(ig_run_options){.snapshot = snapshot_take, .figure = figure_take, .user = r});
  ig_case_close(c);
  if (status == IG_OK)
    status = r->status;
  if (status == IG_OK && r->done != r->f->cases)
    status = IG_FAIL(r->f->cx, IG_ARG, "the analysis of the finished part ended early");
  return status;
}

/* The largest damage of all materials, and where. */
static void damage_most(const reading *r) {
  const ig_mesh *mesh = r->m->mesh;
  for (int k = 0; r->damage && k < r->f->materials; k++)
    for (ig_lid n = 0; n < mesh->nodes; n++) {
      const double damage = r->damage[(size_t)k * (size_t)mesh->nodes + (size_t)n];
      if (r->skipped[n] || !(damage > r->to->damage))
        continue;
      r->to->damage = damage;
      memcpy(r->to->damage_at, mesh->x + 3 * (size_t)n, sizeof r->to->damage_at);
    }
}

/* A part that finds no equilibrium under its loads has a figure that says so, not a failed run. */
ig_status ig_finish_analyse_large(ig_finished *f, const ig_finish_model *m,
                                  ig_finish_figures *figures) {
  const ig_finish_options none = {0};
  reading r = {.f = f, .m = m, .o = &none, .to = figures, .large = true};
  for (int q = 0; q < f->cases; q++)
    figures->large_work[q] = figures->large_moved[q] = NAN;
  const ig_status status = run(&r, m->mesh);
  if (status != IG_NUMERIC)
    return status;
  const int failed = (int)floor(r.reached + 1e-9);
  for (int q = failed; q < f->cases; q++) /* what it got to on the way is no figure */
    figures->large_work[q] = figures->large_moved[q] = NAN;
  ig_finish_warn(f,
                 "large deflections: under load case %d the part finds no equilibrium: it buckles, "
                 "snaps through or folds before its full load",
                 failed + 1);
  return IG_OK;
}

/* A design for large deflections whose part finds no equilibrium: figures that are none. */
static ig_status lost(reading *r) {
  ig_finish_figures *to = r->to;
  to->lost = r->done + 1;
  for (int q = r->done; q < r->f->cases; q++) {
    to->work[q] = to->moved[q] = NAN;
    for (ig_lid i = 0; i < 3 * r->m->mesh->nodes; i++)
      to->sum[q][i % 3] += r->m->force[q][i];
  }
  to->compliance = to->displacement = to->stress = NAN;
  for (int i = 0; i < IG_LIMITS; i++)
    to->limit[i] = NAN;
  return IG_OK;
}

ig_status ig_finish_analyse(ig_finished *f, const ig_finish_model *m, const ig_finish_options *o,
                            ig_finish_figures *to) {
  const size_t n = (size_t)m->mesh->nodes;
  reading r = {.f = f, .m = m, .o = o, .to = to};
  *to = (ig_finish_figures){.elements = ig_mesh_elements(m->mesh), .nodes = m->mesh->nodes};
  to->size = cbrt(m->volume / to->elements);
  for (int i = 0; i < IG_LIMITS; i++)
    to->limit[i] = NAN;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(f->cx, &r.skipped, n + 1, "stresses"));
  IG_TRY_GOTO(status, done, IG_NEW(f->cx, &r.stress, 6 * n + 1, "stresses"));
  IG_TRY_GOTO(status, done, IG_NEW(f->cx, &r.count, n + 1, "stresses"));
  if (f->t->finish.spectrum.count > 0)
    IG_TRY_GOTO(status, done, IG_NEW(f->cx, &r.damage, n * (size_t)f->materials, "damage"));
  IG_TRY_GOTO(status, done, skipped_find(&r));
  status = run(&r, m->mesh);
  if (status == IG_NUMERIC && deflects(f))
    status = lost(&r);
  damage_most(&r);
done:
  free(r.skipped);
  free(r.stress);
  free(r.count);
  free(r.damage);
  return status;
}
