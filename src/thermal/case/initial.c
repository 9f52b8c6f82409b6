/* Temperatures at the start, where a case gives them by set or from another run's snapshot. Entries
   are applied in their order; of several that name a node the last one holds. */
#include "mesh/named.h"
#include "thermal/thermal.h"
#include "thermal/source/file_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Temperatures of the file at the nodes it knows. NaN marks a node that was not born in the other
   run; it keeps what it has. */
static ig_status from_file(ig_thermal_run *run, const ig_thermal_initial *c, const ig_lid *node,
                           ig_lid count, double *T) {
  ig_ctx *cx = run->job->cx;
  double *place = NULL, *value = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_thermal_places(cx, run->job->mesh, node, count, &place));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &value, count, "initial temperatures"));
  IG_TRY_GOTO(
      status, done,
      ig_given_read(cx, &c->at, c->file, c->field, IG_AT_POINTS, count, place, value, NULL));
  for (ig_lid i = 0; i < count; i++) {
    if (isnan(value[i]))
      continue;
    if (!(value[i] >= 0 && value[i] < 1e5)) {
      status = ig_fail_at(cx, &c->at, "'%s' has %g K at node %d: expected 0 to 1e5 K", c->file,
                          value[i], (int)node[i]);
      goto done;
    }
    T[node[i]] = value[i];
  }
done:
  free(place);
  free(value);
  return status;
}

ig_status ig_thermal_places(ig_ctx *cx, const ig_mesh *mesh, const ig_lid *node, ig_lid count,
                            double **place) {
  IG_TRY(IG_NEW(cx, place, 3 * (size_t)count, "places"));
  for (ig_lid i = 0; i < count; i++)
    for (int d = 0; d < 3; d++)
      (*place)[3 * (int64_t)i + d] = mesh->x[3 * (int64_t)node[i] + d];
  return IG_OK;
}

static ig_status nodes_of(ig_thermal_run *run, const ig_thermal_initial *c, ig_lid **node,
                          ig_lid *count) {
  const ig_mesh *mesh = run->job->mesh;
  if (c->set)
    return ig_mesh_named_nodes(run->job->cx, mesh, &c->at, c->set, node, count);
  *count = mesh->nodes;
  IG_TRY(IG_NEW(run->job->cx, node, *count, "nodes"));
  for (ig_lid n = 0; n < *count; n++)
    (*node)[n] = n;
  return IG_OK;
}

/* Entries in their order: of several that name a node the last holds. run->initial stays NULL where
   the case gives one temperature for all. */
ig_status ig_thermal_initials(ig_thermal_run *run) {
  const ig_list *list = &run->c->initial;
  if (list->count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(run->job->cx, &run->initial, run->job->mesh->nodes, "initial temperatures"));
  for (ig_lid n = 0; n < run->job->mesh->nodes; n++)
    run->initial[n] = run->c->initial_temperature;
  for (int i = 0; i < list->count; i++) {
    const ig_thermal_initial *c = IG_ITEM(const ig_thermal_initial, *list, i);
    if (isnan(c->temperature) == !c->file)
      return ig_fail_at(run->job->cx, &c->at,
                        "an initial temperature needs either a temperature or a file");
    if (c->at.given && !c->file && c->field && strcmp(c->field, "T") != 0)
      return ig_fail_at(run->job->cx, &c->at, "`field` is that of a `file`, which is not given");
    ig_lid *node = NULL, count = 0;
    ig_status status = nodes_of(run, c, &node, &count);
    for (ig_lid n = 0; n < count && status == IG_OK && !c->file; n++)
      run->initial[node[n]] = c->temperature;
    if (status == IG_OK && c->file)
      status = from_file(run, c, node, count, run->initial);
    free(node);
    IG_TRY(status);
  }
  return IG_OK;
}
