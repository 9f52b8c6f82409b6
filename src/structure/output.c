/* Tables by number, snapshots, history and figures.

   tables.csv is built in memory (s->text) row by row at the end of each step and handed to the
   sink with the results. Columns are the same for all quantities: analysis, step, time,
   quantity, set, number of node or element, point, up to six values. Numbers are those of the
   mesh file. */
#include "model/loads.h"
#include "structure/structure.h"
#include "core/number.h"
#include "core/schedule.h"
#include "mesh/named.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The buffer doubles. */
static void text_add(ig_structure *s, const char *piece, size_t n) {
  if (s->text_used + n + 1 > s->text_space) {
    const size_t space = 2 * (s->text_used + n + 4096);
    char *more = realloc(s->text, space);
    if (!more)
      return; /* tables end here: results() sees that the last row is missing */
    s->text = more;
    s->text_space = space;
  }
  memcpy(s->text + s->text_used, piece, n);
  s->text_used += n;
  s->text[s->text_used] = '\0';
}

/* The first row writes the head of the table. count: values, at most 6. */
void ig_structure_row(ig_structure *s, const char *quantity, const char *set, int64_t number,
                      int point, int count, const double *value) {
  char line[512];
  if (!s->text_used) {
    const char *head = "analysis,step,time,quantity,set,number,point,v1,v2,v3,v4,v5,v6\n";
    text_add(s, head, strlen(head));
  }
  int n = ig_format(line, sizeof line, "%d,%lld,%.9g,%s,%s,%lld,%d", s->analysis + 1,
                    (long long)s->step + 1, s->time, quantity, set, (long long)number, point);
  for (int i = 0; i < count; i++)
    n += ig_format(line + n, sizeof line - (size_t)n, ",%.9g", value[i]);
  n += snprintf(line + n, sizeof line - (size_t)n, "\n");
  text_add(s, line, (size_t)n);
}

/* A node's vector in fixed axes. */
static void fixed(const ig_structure *s, const double *of, ig_lid node, double v[3]) {
  ig_structure_to_fixed(s, (size_t)node, of + 3 * (size_t)node, v);
}

/* Vectors of the nodes, in their axes. */
static const double *of_nodes(const ig_structure *s, int quantity) {
  return quantity == IG_TABLE_DISPLACEMENT ? s->u
         : quantity == IG_TABLE_VELOCITY   ? s->velocity
                                           : s->reaction;
}

/* A symmetric tensor, xx yy zz xy yz zx, in axes whose rows are R. */
static void tensor_turn(const double R[9], double t[6]) {
  const double a[3][3] = {{t[0], t[3], t[5]}, {t[3], t[1], t[4]}, {t[5], t[4], t[2]}};
  for (int k = 0; k < 6; k++) {
    const double *p = R + (size_t)(3 * (k % 3)), *q = k < 3 ? p : R + (size_t)(3 * ((k + 1) % 3));
    t[k] = 0;
    for (int i = 0; i < 9; i++)
      t[k] += p[i / 3] * a[i / 3][i % 3] * q[i % 3];
  }
}

/* Sums are in fixed axes also where rows are in the axes of nodes: axes of different nodes
   cannot be added. */
static ig_status nodes_table(ig_structure *s, const ig_structure_table *c, const char *name) {
  ig_lid *node, count;
  double sum[3] = {0, 0, 0};
  IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
  for (ig_lid k = 0; k < count; k++) {
    const int64_t number = s->mesh->node_number ? s->mesh->node_number[node[k]] : node[k] + 1;
    double v[3];
    int width = 3;
    if (c->quantity == IG_TABLE_TEMPERATURE || c->quantity == IG_TABLE_HEAT_FLOW) {
      const double *of = c->quantity == IG_TABLE_TEMPERATURE ? s->T : s->heat_flow;
      v[0] = of ? of[node[k]] : 0;
      width = 1;
    } else {
      fixed(s, of_nodes(s, c->quantity), node[k], v);
    }
    for (int d = 0; d < width; d++)
      sum[d] += v[d];
    if (c->axes && width == 3 && s->framed && s->framed[node[k]] >= 0)
      memcpy(v, of_nodes(s, c->quantity) + 3 * (size_t)node[k], sizeof v);
    if (c->total != 2)
      ig_structure_row(s, name, c->set, number, 0, width, v);
  }
  if (c->total) {
    char total[64];
    snprintf(total, sizeof total, "total_%s", name);
    ig_structure_row(s, total, c->set, 0, 0, c->quantity == IG_TABLE_HEAT_FLOW ? 1 : 3, sum);
  }
  free(node);
  return IG_OK;
}

/* By bisection: elements of a group are in rising order. */
static const ig_structure_group *group_of(const ig_structure *s, ig_lid element, int32_t *at) {
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    int32_t low = 0, high = g->count;
    while (low < high) {
      const int32_t middle = (low + high) / 2;
      if (g->element[middle] < element)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < g->count && g->element[low] == element) {
      *at = low;
      return g;
    }
  }
  return NULL;
}

/* Strains are written as tensor components: engineering shears are halved. */
static ig_status elements_table(ig_structure *s, const ig_structure_table *c, const char *name) {
  const ig_set *set;
  double sum = 0;
  IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_ELEMENTS, &set));
  if (c->total && c->quantity != IG_TABLE_VOLUME)
    return ig_fail_at(s->cx, &c->at, "`total` is for quantities of nodes, and for the volume");
  for (ig_lid k = 0; k < set->count; k++) {
    int32_t e = 0;
    const ig_structure_group *g = group_of(s, set->item[k], &e);
    double report[IG_SOLID_POINTS * IG_SOLID_REPORT];
    if (!g)
      continue;
    const int64_t number =
        s->mesh->element_number ? s->mesh->element_number[set->item[k]] : set->item[k] + 1;
    if (c->quantity == IG_TABLE_VOLUME) {
      double X[3 * IG_SOLID_NODES], u[3 * IG_SOLID_NODES], w[IG_SOLID_NODES];
      ig_structure_gather(s, g->node[e], ig_solid_info_get(g->kind)->nodes, NULL, X, u);
      const double volume = ig_solid_weights(g->kind, ig_structure_law(g, e)->rule, X, w);
      sum += volume;
      ig_structure_row(s, name, c->set, number, 0, 1, &volume);
      continue;
    }
    if (c->quantity == IG_TABLE_HEAT_FLUX) {
      double flux[3 * IG_SOLID_POINTS];
      IG_TRY(ig_structure_flux(s, g, e, flux));
      for (int p = 0; p < ig_solid_info_get(g->kind)->points; p++)
        ig_structure_row(s, name, c->set, number, p + 1, 3, flux + 3 * p);
      continue;
    }
    IG_TRY(ig_structure_report(s, g, e, NULL, report));
    for (int p = 0; p < ig_structure_point_count(g, e); p++) {
      const double *r = report + (size_t)p * IG_SOLID_REPORT;
      double v[6] = {0};
      int width = 6;
      if (c->quantity == IG_TABLE_STRESS)
        memcpy(v, r, sizeof v);
      else if (c->quantity == IG_TABLE_STRAIN) {
        memcpy(v, r + 6, sizeof v);
        for (int i = 3; i < 6; i++)
          v[i] /= 2;
      } else {
        width = 1;
        v[0] = r[12];
      }
      const bool turns = c->axes && width == 6 && g->axes;
      double size = 0;
      for (int i = 0; turns && i < 9; i++)
        size += fabs(g->axes[e][i]);
      if (turns && size > 0)
        tensor_turn(g->axes[e], v);
      ig_structure_row(s, name, c->set, number, p + 1, width, v);
    }
  }
  if (c->total)
    ig_structure_row(s, "total_volume", c->set, 0, 0, 1, &sum);
  return IG_OK;
}

/* Three rows of a section: force and moment, centre and normal, figures. */
static ig_status section_table(ig_structure *s, const ig_structure_table *c) {
  double row[3][6] = {{0}};
  IG_TRY(ig_structure_section_force(s, c, row));
  if (c->quantity == IG_TABLE_SECTION_FLUX) {
    ig_structure_row(s, "section_flux", c->set, 0, 0, 1, row[0]);
    return IG_OK;
  }
  ig_structure_row(s, "section_force", c->set, 0, 0, 6, row[0]);
  ig_structure_row(s, "section_centre", c->set, 0, 0, 6, row[1]);
  ig_structure_row(s, "section_area", c->set, 0, 0, 5, row[2]);
  return IG_OK;
}

/* Rows at the accepted state of each step, for the tables of this analysis. */
ig_status ig_structure_tables(ig_structure *s) {
  for (int i = 0; i < s->c->tables.count; i++) {
    const ig_structure_table *c = IG_ITEM(const ig_structure_table, s->c->tables, i);
    char name[32];
    if (c->analysis && c->analysis != s->analysis + 1)
      continue;
    ig_choice_text(IG_STRUCTURE_QUANTITIES, c->quantity, name, sizeof name);
    IG_TRY(c->quantity <= IG_TABLE_HEAT_FLOW ? nodes_table(s, c, name)
           : c->quantity == IG_TABLE_SECTION || c->quantity == IG_TABLE_SECTION_FLUX
               ? section_table(s, c)
               : elements_table(s, c, name));
  }
  return IG_OK;
}

ig_status ig_structure_tables_write(const ig_structure *s, ig_sink *to) {
  return s->text_used && to && to->file ? to->file(to, "tables.csv", s->text, s->text_used) : IG_OK;
}

/* Modes of the last analysis that found some as `mode_1` ...; where there are several such
   analyses, those of each with its number, too.
   Keys of the summary; all modes are in tables.csv as well. */
static ig_status modes_write(const ig_structure *s, ig_sink *to) {
  for (int i = 0, number = 1; i < s->modes; i++, number++) {
    const int of = s->mode[i].analysis;
    const char *unit = s->mode[i].buckling ? "" : "Hz";
    char key[64];
    number = i > 0 && s->mode[i - 1].analysis != of ? 1 : number;
    snprintf(key, sizeof key, "mode_%d", number);
    if (of == s->mode[s->modes - 1].analysis)
      IG_TRY(to->result(to, key, unit, s->mode[i].value));
    snprintf(key, sizeof key, "analysis_%d_mode_%d", of + 1, number);
    if (s->mode[0].analysis != s->mode[s->modes - 1].analysis)
      IG_TRY(to->result(to, key, unit, s->mode[i].value));
  }
  return IG_OK;
}

/* to NULL: nothing is written. The largest displacement includes nodes of sections. */
ig_status ig_structure_history(void *self, ig_sink *to) {
  ig_structure *s = self;
  double most = 0;
  for (ig_lid n = 0; n < s->nodes; n++) {
    double v[3];
    fixed(s, s->u, n, v);
    most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  enum { OWN = 3, CONTACT = 4 };
  char text[IG_STRUCTURE_SUMS][40];
  const char *names[OWN + IG_STRUCTURE_SUMS + CONTACT] = {"time [s]", "analysis",
                                                          "displacement_max [m]"};
  double values[OWN + IG_STRUCTURE_SUMS + CONTACT] = {s->time, s->analysis + 1, most};
  int columns = OWN;
  bool rests = false;
  for (int i = 0; i < s->c->analysis.count; i++)
    rests |= IG_ITEM(const ig_structure_analysis, s->c->analysis, i)->kind == IG_STRUCTURE_STATIC;
  for (int i = 0; i < IG_STRUCTURE_SUMS; i++) {
    snprintf(text[i], sizeof text[i], "%s [%s]", ig_structure_sums[i],
             i < IG_STRUCTURE_SUMS / 2 ? "N" : "N m");
    names[OWN + i] = text[i];
  }
  ig_structure_balance_list(s, values + OWN);
  columns += rests ? IG_STRUCTURE_SUMS : 0;
  static const char *const contact[CONTACT] = {"contact_force_x [N]", "contact_force_y [N]",
                                               "contact_force_z [N]", "penetration_share"};
  for (int i = 0; i < CONTACT && s->c->contacts.count; i++) {
    names[columns] = contact[i];
    values[columns++] = i < 3 ? s->touched.force[i] : s->touched.share;
  }
  return to ? to->history(to, columns, names, values) : IG_OK;
}

/* Loads and supports at the time of the last snapshot, of the analysis under way: loads.csv. Nodes
   are those of the model, which of shells and beams are those of their solids. */
static ig_status loads_put(ig_structure *s, ig_sink *to) {
  ig_loads loads = {.cx = s->cx};
  double *f;
  if (!to->file || !s->held_of)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &f, s->unknowns, "loads"));
  ig_status status = ig_structure_loads_at(s, s->time, f);
  if (status == IG_OK && s->large)
    status = ig_structure_followers_at(s, s->time, f);
  for (ig_lid n = 0; n < s->nodes && status == IG_OK; n++) {
    double v[3];
    unsigned held = 0;
    fixed(s, f, n, v);
    for (int c = 0; c < 3; c++)
      held |= s->held_of[3 * (size_t)n + (size_t)c] >= 0 ? 1U << c : 0;
    if (v[0] != 0 || v[1] != 0 || v[2] != 0)
      ig_loads_add(&loads, s->mesh->x + 3 * (size_t)n, 1, v);
    if (held)
      ig_loads_hold(&loads, s->mesh->x + 3 * (size_t)n, held);
  }
  if (status == IG_OK)
    status = ig_loads_put(&loads, to);
  free(loads.text.at);
  free(f);
  return status;
}

/* Stresses at nodes, where the case asks for any of them. */
static ig_status nodal_add(ig_structure *s, ig_snapshot *snap) {
  ig_nodal_stress *stress;
  if (!ig_nodal_wanted(s->job->output))
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &stress, (size_t)s->drawn + 1, "stresses at nodes"));
  ig_status status = ig_structure_stresses(s, stress);
  if (status == IG_OK)
    status = ig_nodal_fields(snap, s->job->output, ig_structure_has_shells(s), s->drawn, stress);
  free(stress);
  return status;
}

/* On the drawn mesh: solids of shells and beams are not shown, their drawn nodes are. Stresses
   of elements are means over their points; the von Mises stress is the mean of the points'
   values, not that of the mean stress. */
ig_status ig_structure_snapshot(void *self, ig_sink *to) {
  ig_structure *s = self;
  ig_snapshot *snap;
  void *data;
  IG_TRY(ig_snapshot_of_mesh(s->cx, s->job->mesh, NULL, s->time, s->step, &snap));
  ig_status status = IG_OK;
  static const char *const kinds[] = {"static", "dynamic", "frequency", "buckling", "heat"};
  if (s->c->analysis.count > 1)
    snprintf(snap->state, sizeof snap->state, "analysis %d of %d: %s", s->analysis + 1,
             s->c->analysis.count,
             kinds[IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis)->kind]);
  static const char *const names[] = {"displacement", "reaction"}, *const units[] = {"m", "N"};
  for (int q = 0; q < 2 && status == IG_OK; q++) {
    if (!ig_output_wants(s->job->output, names[q]))
      continue;
    IG_TRY_GOTO(status, done,
                ig_snapshot_add(snap, names[q], units[q], IG_AT_POINTS, IG_F64, 3, NULL, &data));
    for (ig_lid n = 0; n < s->drawn; n++)
      fixed(s, q ? s->reaction : s->u, n, (double *)data + 3 * (size_t)n);
  }
  for (int k = 0;
       k < s->shapes && s->shaped == s->analysis && ig_output_wants(s->job->output, "modes"); k++) {
    char name[32];
    snprintf(name, sizeof name, "mode_%d", k + 1);
    IG_TRY_GOTO(status, done,
                ig_snapshot_add(snap, name, "", IG_AT_POINTS, IG_F32, 3,
                                s->shape + (size_t)k * 3 * (size_t)s->drawn, NULL));
  }
  if (s->T && ig_output_wants(s->job->output, "T"))
    IG_TRY_GOTO(status, done, ig_snapshot_add(snap, "T", "K", IG_AT_POINTS, IG_F64, 1, s->T, NULL));
  double *stress = NULL, *mises = NULL, *plastic = NULL;
  if (ig_output_wants(s->job->output, "stress"))
    IG_TRY_GOTO(
        status, done,
        ig_snapshot_add(snap, "stress", "Pa", IG_AT_ELEMENTS, IG_F64, 6, NULL, (void **)&stress));
  if (ig_output_wants(s->job->output, "von_mises"))
    IG_TRY_GOTO(
        status, done,
        ig_snapshot_add(snap, "von_mises", "Pa", IG_AT_ELEMENTS, IG_F64, 1, NULL, (void **)&mises));
  if (ig_output_wants(s->job->output, "plastic_strain"))
    IG_TRY_GOTO(status, done,
                ig_snapshot_add(snap, "plastic_strain", "", IG_AT_ELEMENTS, IG_F64, 1, NULL,
                                (void **)&plastic));
  for (int i = 0; i < s->groups && (stress || mises || plastic); i++)
    for (int32_t e = 0; e < s->group[i].count; e++) {
      const ig_structure_group *g = &s->group[i];
      const int points = ig_structure_point_count(g, e);
      double report[IG_SOLID_POINTS * IG_SOLID_REPORT], mean[IG_SOLID_REPORT] = {0};
      IG_TRY_GOTO(status, done, ig_structure_report(s, g, e, NULL, report));
      for (int p = 0; p < points; p++)
        for (int k = 0; k < IG_SOLID_REPORT; k++)
          mean[k] += report[p * IG_SOLID_REPORT + k] / points;
      const size_t at = (size_t)g->element[e];
      if (stress)
        memcpy(stress + 6 * at, mean, 6 * sizeof *mean);
      if (mises)
        mises[at] = mean[13];
      if (plastic)
        plastic[at] = mean[12];
    }
  IG_TRY_GOTO(status, done, nodal_add(s, snap));
  s->pictured = s->step;
  IG_TRY(ig_sink_snapshot(to, snap));
  return loads_put(s, to);
done:
  ig_snapshot_free(snap);
  return status;
}

/* The largest stress at a node at the end, where an analysis has loaded the model. */
static ig_status nodal_write(ig_structure *s, ig_sink *to) {
  ig_nodal_stress *stress;
  bool loaded = false;
  for (int i = 0; i < s->c->analysis.count; i++) {
    const int kind = IG_ITEM(const ig_structure_analysis, s->c->analysis, i)->kind;
    loaded |= kind == IG_STRUCTURE_STATIC || kind == IG_STRUCTURE_DYNAMIC;
  }
  if (!loaded)
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &stress, (size_t)s->drawn + 1, "stresses at nodes"));
  ig_status status = ig_structure_stresses(s, stress);
  if (status == IG_OK)
    status = ig_nodal_results(to, s->drawn, s->mesh->x, stress);
  free(stress);
  return status;
}

/* Figures of the summary. Temperatures only where a heat analysis ran. */
ig_status ig_structure_results(void *self, ig_sink *to) {
  ig_structure *s = self;
  double most = 0;
  for (ig_lid n = 0; n < s->nodes; n++) {
    double v[3];
    fixed(s, s->u, n, v);
    most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  IG_TRY(to->result(to, "displacement_max", "m", most));
  IG_TRY(nodal_write(s, to));
  if (s->heated) {
    double least = INFINITY, hottest = -INFINITY;
    for (ig_lid n = 0; n < s->nodes; n++) {
      least = fmin(least, s->heated[n]);
      hottest = fmax(hottest, s->heated[n]);
    }
    IG_TRY(to->result(to, "temperature_min", "K", least));
    IG_TRY(to->result(to, "temperature_max", "K", hottest));
  }
  double sum[IG_STRUCTURE_SUMS];
  ig_structure_balance_list(s, sum);
  for (int i = 0; i < IG_STRUCTURE_SUMS && s->balanced; i++)
    IG_TRY(to->result(to, ig_structure_sums[i], i < IG_STRUCTURE_SUMS / 2 ? "N" : "N m", sum[i]));
  if (s->c->contacts.count) {
    static const char *const names[] = {"contact_force_x", "contact_force_y", "contact_force_z"};
    for (int d = 0; d < 3; d++)
      IG_TRY(to->result(to, names[d], "N", s->touched.force[d]));
    IG_TRY(to->result(to, "penetration_max", "m", s->touched.depth));
    IG_TRY(to->result(to, "penetration_share", "", s->touched.share));
  }
  for (int i = 0; i < s->limits; i++) {
    char name[32];
    snprintf(name, sizeof name, "limit_%d", i + 1);
    IG_TRY(to->result(to, name, "", s->limit[i]));
  }
  if (!isnan(s->beyond[0]))
    IG_TRY(to->result(to, "until_passed_by", "m", s->beyond[0]));
  if (!isnan(s->beyond[1]))
    IG_TRY(to->result(to, "until_passed_by_factor", "", s->beyond[1]));
  IG_TRY(to->result(to, "newton_iterations", "", (double)s->iterations));
  IG_TRY(to->result(to, "step_cuts", "", (double)s->cuts));
  IG_TRY(modes_write(s, to));
  if (s->solver)
    IG_TRY(to->result_text(to, "solver", s->solver));
  return ig_structure_tables_write(s, to);
}
