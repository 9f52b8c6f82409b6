/* Boundary values from the fields of files, linear in time between them. Files are read once, at
   the start, onto the nodes of the boundary (file_fields.c finds them by their places); a step only
   mixes two arrays. Values at all nodes of the mesh (`now`) let the engine index them by node
   without a list. */
#include "thermal/source/file_fields.h"
#include "thermal/thermal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ig_thermal_boundary *boundary_of(const ig_thermal_run *run, int i) {
  return IG_ITEM(const ig_thermal_boundary, run->c->boundary, i);
}

/* The field that a file gives for a quantity, NULL: none. kind: IG_GIVEN_TEMPERATURE and so on. */
static const char *name_of(const ig_thermal_given *g, int kind) {
  const char *const names[] = {g->temperature, g->flux, g->convection, g->ambient};
  return names[kind];
}

/* Names for messages, and bounds of a sensible value. A number beyond them is mostly a wrong unit
   or a wrong field. */
static const struct {
  const char *name, *unit;
  double low, high;
} kinds[] = {{"temperature", "K", 0, 1e5},
             {"flux", "W/m^2", -INFINITY, INFINITY},
             {"convection", "W/(m^2 K)", 0, 1e9},
             {"ambient", "K", 0, 1e5}};

/* The nodes of the entry's faces, each once; of all nodes where it names the outer surface. */
static ig_status nodes_find(ig_thermal_run *run, int i, ig_thermal_fields *f) {
  ig_ctx *cx = run->job->cx;
  const ig_mesh *mesh = run->job->mesh;
  uint8_t *mark;
  IG_TRY(IG_NEW(cx, &mark, mesh->nodes, "boundary nodes"));
  for (int k = 0; k < run->conditions; k++) {
    const ig_set *faces = run->condition[k].faces;
    if (run->condition_of[k] != i)
      continue;
    if (!faces)
      memset(mark, 1, (size_t)mesh->nodes);
    for (ig_lid j = 0; faces && j < faces->count; j++) {
      ig_lid local;
      const ig_block *block = ig_mesh_element(mesh, faces->item[j], &local);
      const ig_elem_info *info = ig_elem_info_get(block->type);
      for (int a = 0; a < info->face_nodes; a++)
        mark[block->conn[(int64_t)info->nodes * local +
                         ig_elem_face(block->type, faces->face[j])[a]]] = 1;
    }
  }
  for (ig_lid n = 0; n < mesh->nodes; n++)
    f->count += mark[n];
  const ig_status status = IG_NEW(cx, &f->node, f->count, "boundary nodes");
  for (ig_lid n = 0, at = 0; n < mesh->nodes && status == IG_OK; n++)
    if (mark[n])
      f->node[at++] = n;
  free(mark);
  return status;
}

/* Quantity `kind` of one file, all of its numbers checked. */
static ig_status quantity_read(ig_thermal_run *run, const ig_thermal_given *g, int kind,
                               const ig_thermal_fields *f, const double *place, double *value) {
  ig_ctx *cx = run->job->cx;
  IG_TRY(ig_given_read(cx, &g->at, g->file, name_of(g, kind), IG_AT_POINTS, f->count, place, value,
                       NULL));
  for (ig_lid n = 0; n < f->count; n++)
    if (!(value[n] >= kinds[kind].low && value[n] <= kinds[kind].high) || isinf(value[n]))
      return ig_fail_at(cx, &g->at, "field '%s' of '%s' is %g %s at node %d: not a %s",
                        name_of(g, kind), g->file, value[n], kinds[kind].unit, (int)f->node[n],
                        kinds[kind].name);
  return IG_OK;
}

/* Refuses lists of files whose times do not rise, that give different quantities, or that give what
   the entry has as a number already: each would be ignored in part. */
static ig_status list_check(ig_thermal_run *run, const ig_thermal_boundary *b) {
  ig_ctx *cx = run->job->cx;
  const ig_table *tables[] = {&b->temperature, &b->flux, &b->convection, &b->ambient};
  for (int j = 0; j < b->from.count; j++) {
    const ig_thermal_given *g = IG_ITEM(const ig_thermal_given, b->from, j);
    bool any = false;
    if (j > 0 && !(g->time > IG_ITEM(const ig_thermal_given, b->from, j - 1)->time))
      return ig_fail_at(cx, &g->at, "times of `from` must rise (found %g s)", g->time);
    for (int k = 0; k < IG_GIVEN_KINDS; k++) {
      const bool named = name_of(g, k) != NULL;
      any |= named;
      if (named != (name_of(IG_ITEM(const ig_thermal_given, b->from, 0), k) != NULL))
        return ig_fail_at(cx, &g->at,
                          "all entries of `from` must give the same values: %s is not "
                          "in all of them",
                          kinds[k].name);
      if (named && tables[k]->count)
        return ig_fail_at(cx, &g->at, "%s is given twice, as a number and from a field",
                          kinds[k].name);
    }
    if (!any)
      return ig_fail_at(cx, &g->at,
                        "which fields of '%s'? give the name of one as temperature, "
                        "flux, convection or ambient",
                        g->file);
  }
  return IG_OK;
}

/* Numbers that stand for the whole field where the engine asks for one: any temperature (it tells
   only that one is prescribed), and the largest convection, which bounds the time step. */
static void numbers_find(ig_thermal_fields *f) {
  const double *h = f->value[IG_GIVEN_H], *T = f->value[IG_GIVEN_TEMPERATURE];
  f->some = T && f->count ? T[0] : 0;
  f->steepest = h ? 0 : NAN;
  for (int64_t n = 0; h && n < (int64_t)f->times * f->count; n++)
    f->steepest = fmax(f->steepest, h[n]);
}

/* Runs before the engine exists, on the whole mesh: run->fields has as many entries as `boundary`,
   and those without `from` stay zero (times == 0). */
ig_status ig_thermal_fields_read(ig_thermal_run *run, int i) {
  ig_ctx *cx = run->job->cx;
  const ig_thermal_boundary *b = boundary_of(run, i);
  if (!run->fields)
    IG_TRY(IG_NEW(cx, &run->fields, run->c->boundary.count, "boundary fields"));
  ig_thermal_fields *f = &run->fields[i];
  IG_TRY(list_check(run, b));
  IG_TRY(nodes_find(run, i, f));
  f->times = b->from.count;
  double *place;
  IG_TRY(ig_thermal_places(cx, run->job->mesh, f->node, f->count, &place));
  ig_status status = IG_OK;
  for (int k = 0; k < IG_GIVEN_KINDS && status == IG_OK; k++) {
    if (!name_of(IG_ITEM(const ig_thermal_given, b->from, 0), k))
      continue;
    status = IG_NEW(cx, &f->value[k], (size_t)f->times * (size_t)f->count, "boundary fields");
    if (status == IG_OK)
      status = IG_NEW(cx, &f->now[k], run->job->mesh->nodes, "boundary fields");
    for (int j = 0; j < f->times && status == IG_OK; j++)
      status = quantity_read(run, IG_ITEM(const ig_thermal_given, b->from, j), k, f, place,
                             &f->value[k][(int64_t)j * f->count]);
  }
  free(place);
  IG_TRY(status);
  numbers_find(f);
  ig_thermal_fields_set(run, i, ig_thermal_fields_moment(run, i, 0));
  return IG_OK;
}

/* Which files a time lies between: 1.25 is a quarter of the way from the second to the third.
   Before the first and after the last file their values hold. */
double ig_thermal_fields_moment(const ig_thermal_run *run, int i, double time) {
  const ig_list *from = &boundary_of(run, i)->from;
  int j = 0;
  while (j + 1 < from->count && IG_ITEM(const ig_thermal_given, *from, j + 1)->time <= time)
    j++;
  const double start = IG_ITEM(const ig_thermal_given, *from, j)->time;
  if (j + 1 == from->count || time <= start)
    return j;
  return j + (time - start) / (IG_ITEM(const ig_thermal_given, *from, j + 1)->time - start);
}

/* One pass over the boundary's nodes; `now` of other nodes stays 0 and is never read. */
void ig_thermal_fields_set(ig_thermal_run *run, int i, double moment) {
  ig_thermal_fields *f = &run->fields[i];
  const int j = (int)moment;
  const double s = moment - j;
  for (int k = 0; k < IG_GIVEN_KINDS; k++)
    for (ig_lid n = 0; f->value[k] && n < f->count; n++) {
      const double *v = &f->value[k][(int64_t)j * f->count + n];
      f->now[k][f->node[n]] = s > 0 ? v[0] + s * (v[f->count] - v[0]) : v[0];
    }
  f->moment = moment;
}

double ig_thermal_fields_steepest(const ig_thermal_run *run, int i) {
  return run->fields[i].steepest;
}

/* The numbers beside the fields only say that a quantity is given (not NaN); of h, the largest,
   since the critical step is computed from it. */
void ig_thermal_fields_condition(const ig_thermal_run *run, int i, ig_heat_condition *c) {
  const ig_thermal_fields *f = &run->fields[i];
  c->temperature_of = f->now[IG_GIVEN_TEMPERATURE];
  c->flux_of = f->now[IG_GIVEN_FLUX];
  c->h_of = f->now[IG_GIVEN_H];
  c->ambient_of = f->now[IG_GIVEN_AMBIENT];
  if (c->temperature_of)
    c->temperature = f->some;
  if (c->flux_of)
    c->flux = 1; /* some number: it is given */
  if (c->h_of)
    c->h = ig_thermal_fields_steepest(run, i);
}

/* Reduces an entry to the nodes of this rank's part, in place: `at` never overtakes what is still
   to be read. Nodes are renumbered last, because the loop before needs their old numbers. */
static ig_status field_part(ig_ctx *cx, const ig_partition *part, ig_thermal_fields *f) {
  const ig_lid count = f->count;
  double *now[IG_GIVEN_KINDS] = {NULL};
  ig_status status = IG_OK;
  for (int k = 0; k < IG_GIVEN_KINDS && status == IG_OK; k++)
    if (f->now[k])
      status = IG_NEW(cx, &now[k], (size_t)part->mesh->nodes + 1, "boundary fields");
  for (int k = 0; k < IG_GIVEN_KINDS; k++)
    for (ig_lid n = 0; n < part->mesh->nodes && now[k] && status == IG_OK; n++)
      now[k][n] = f->now[k][part->node[n]];
  if (status != IG_OK) {
    for (int k = 0; k < IG_GIVEN_KINDS; k++)
      free(now[k]);
    return status;
  }
  for (int k = 0; k < IG_GIVEN_KINDS; k++) {
    int64_t at = 0; /* behind what is read */
    for (int j = 0; j < f->times && f->value[k]; j++)
      for (ig_lid n = 0; n < count; n++)
        if (ig_partition_node(part, f->node[n]) >= 0)
          f->value[k][at++] = f->value[k][(int64_t)j * count + n];
    double *fits = f->value[k] ? realloc(f->value[k], ((size_t)at + 1) * sizeof *fits) : NULL;
    f->value[k] = fits ? fits : f->value[k];
    free(f->now[k]);
    f->now[k] = now[k];
  }
  f->count = 0;
  for (ig_lid n = 0; n < count; n++) {
    const ig_lid local = ig_partition_node(part, f->node[n]);
    if (local >= 0)
      f->node[f->count++] = local;
  }
  return IG_OK;
}

/* After the engine has divided the mesh: face sets are now those of the part, too. */
ig_status ig_thermal_fields_part(ig_thermal_run *run) {
  const ig_partition *part = &run->heat.part.of;
  for (int i = 0; i < run->conditions; i++)
    run->condition[i].faces = run->heat.elements ? run->heat.face.condition[i].faces : NULL;
  for (int i = 0; i < run->c->boundary.count && run->fields && part->node; i++)
    if (run->fields[i].times)
      IG_TRY(field_part(run->job->cx, part, &run->fields[i]));
  return IG_OK;
}

void ig_thermal_fields_free(ig_thermal_run *run) {
  for (int i = 0; run->fields && i < run->c->boundary.count; i++) {
    free(run->fields[i].node);
    for (int k = 0; k < IG_GIVEN_KINDS; k++) {
      free(run->fields[i].value[k]);
      free(run->fields[i].now[k]);
    }
  }
  free(run->fields);
}
