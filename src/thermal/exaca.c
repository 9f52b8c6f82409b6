/* What ExaCA grows grains from: for each element that melted, its centre, when it last melted, when
   it then fell through the liquidus, and its cooling rate there. */
#include "thermal/heat_part.h"
#include "thermal/thermal.h"
#include "core/number.h"

#include <stdio.h>
#include <stdlib.h>

ig_status ig_thermal_exaca_check(const ig_thermal_run *run) {
  const ig_thermal_case *c = run->c;
  if (!c->exaca || run->heat.past.every)
    return IG_OK;
  const ig_src at = ig_key_at(run->job->tree, "exaca", c->at);
  return ig_fail_at(run->job->cx, &at,
                    "exaca: nothing is kept of melting: give a material with solidus and liquidus, "
                    "and `track_every` of at least 1");
}

static double moment(const float *past, int64_t column, int first) {
  return (double)past[first * column] + (double)past[(first + 1) * column];
}

static int64_t rows_print(const ig_thermal_run *run, FILE *f) {
  const ig_heat *h = &run->heat;
  int64_t rows = 0;
  fputs("x,y,z,tm,tl,cr\n", f);
  for (ig_lid e = 0; e < h->now.elements; e++) {
    const float *past = (const float *)h->past.track.host + e;
    const double melted = moment(past, h->elements, IG_TRACK_MELTED),
                 liquidus = moment(past, h->elements, IG_TRACK_LIQUIDUS);
    if (!(past[IG_TRACK_MELTS * (int64_t)h->elements] > 0 && liquidus > melted))
      continue; /* never liquid, or liquid still */
    ig_lid local;
    const ig_block *block = ig_mesh_element(run->job->mesh, h->birth.order[e], &local);
    const int nodes = ig_elem_info_get(block->type)->nodes;
    const ig_lid *conn = block->conn + (int64_t)nodes * local;
    double x[3] = {0};
    for (int a = 0; a < nodes; a++)
      for (int d = 0; d < 3; d++)
        x[d] += run->job->mesh->x[3 * (int64_t)conn[a] + d] / nodes;
    ig_print(f, "%.9g,%.9g,%.9g,%.12g,%.12g,%.9g\n", x[0], x[1], x[2], melted, liquidus,
             (double)past[IG_TRACK_LIQUIDUS_COOLING * (int64_t)h->elements]);
    rows++;
  }
  return rows;
}

ig_status ig_thermal_exaca(ig_thermal_run *run, ig_sink *sink) {
  ig_ctx *cx = run->job->cx;
  char *text = NULL;
  size_t size = 0;
  if (!run->c->exaca)
    return IG_OK;
  IG_TRY(ig_heat_gather(cx, &run->heat));
  if (!ig_ranks_first(cx))
    return IG_OK;
  IG_TRY(ig_array_pull(cx, &run->heat.past.track));
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return IG_FAIL(cx, IG_MEMORY, "no memory for exaca.csv");
  const int64_t rows = rows_print(run, f);
  const bool failed = ferror(f);
  ig_status status = fclose(f) != 0 || failed ? IG_FAIL(cx, IG_MEMORY, "no memory for exaca.csv")
                                              : sink->file(sink, "exaca.csv", text, size);
  free(text);
  if (status == IG_OK)
    status = sink->result(sink, "exaca_points", "", (double)rows);
  return status;
}
