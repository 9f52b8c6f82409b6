/* exaca.csv (io/format/exaca.h): an event for each element that melted and solidified again. Only
   the last event counts: grains of earlier ones were molten again. */
#include "thermal/engine/heat_arrays.h"
#include "thermal/thermal.h"
#include "io/format/exaca.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A row: 1, centre of the element, when it melted, when it fell through the liquidus, how fast. */
enum { ROW = 7 };

/* Of cell e of an engine; zeros: never liquid, or liquid still. */
static void row_fill(const ig_heat *h, ig_lid e, double *row) {
  const float *past = (const float *)h->past.track.host + e;
  const double melted = moment(past, h->elements, IG_TRACK_MELTED),
               liquidus = moment(past, h->elements, IG_TRACK_LIQUIDUS);
  memset(row, 0, ROW * sizeof *row);
  if (!(past[IG_TRACK_MELTS * (int64_t)h->elements] > 0 && liquidus > melted))
    return;
  ig_lid local;
  const ig_block *block = ig_mesh_element(h->mesh, h->birth.order[e], &local);
  const int nodes = ig_elem_info_get(block->type)->nodes;
  const ig_lid *conn = block->conn + (int64_t)nodes * local;
  row[0] = 1;
  for (int a = 0; a < nodes; a++)
    for (int d = 0; d < 3; d++)
      row[1 + d] += h->mesh->x[3 * (int64_t)conn[a] + d] / nodes;
  row[4] = melted;
  row[5] = liquidus;
  row[6] = (double)past[IG_TRACK_LIQUIDUS_COOLING * (int64_t)h->elements];
}

typedef struct {
  const ig_heat *h; /* whose elements are written */
  FILE *f;
  int64_t rows;
} printing;

static void row_write(void *user, int64_t e, void *row) {
  const ig_heat *h = ((const printing *)user)->h;
  memset(row, 0, ROW * sizeof(double));
  if (e < h->now.elements)
    row_fill(h, (ig_lid)e, row);
}

static ig_status rows_print(void *user, const void *rows, int64_t first, int64_t count) {
  printing *p = user;
  const double *row = rows;
  (void)first;
  for (int64_t i = 0; i < count; i++, row += ROW)
    if (row[0] != 0) {
      ig_exaca_event(p->f, IG_EXACA_TEXT, row + 1);
      p->rows++;
    }
  return IG_OK;
}

/* Rows of all elements that are there, to the file. */
static ig_status rows_write(ig_ctx *cx, ig_heat *h, printing *p) {
  p->h = h;
  const ig_status pulled = h->elements ? ig_array_pull(cx, &h->past.track) : IG_OK;
  return ig_arrays_rows(ig_heat_arrays(h), IG_HEAT_CELLS, ROW * sizeof(double), row_write,
                        rows_print, p, pulled);
}

/* The file is made in memory and handed to the sink as a whole: files appear complete or not at
   all. On several ranks rows come to rank 0 in the order of the whole; the other ranks print
   nothing. */
ig_status ig_thermal_exaca(ig_thermal_run *run, ig_sink *sink) {
  ig_ctx *cx = run->job->cx;
  char *text = NULL;
  size_t size = 0;
  if (!run->c->exaca)
    return IG_OK;
  printing p = {.f = open_memstream(&text, &size)};
  ig_status status = p.f ? IG_OK : IG_FAIL(cx, IG_MEMORY, "no memory for exaca.csv");
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK) {
    ig_exaca_head(p.f, IG_EXACA_TEXT);
    status = rows_write(cx, &run->heat, &p);
  }
  const bool failed = p.f && ferror(p.f);
  if (p.f && (fclose(p.f) != 0 || failed) && status == IG_OK)
    status = IG_FAIL(cx, IG_MEMORY, "no memory for exaca.csv");
  if (status == IG_OK && ig_ranks_first(cx))
    status = sink->file(sink, "exaca.csv", text, size);
  free(text);
  if (status == IG_OK && ig_ranks_first(cx))
    status = sink->result(sink, "exaca_points", "", (double)p.rows);
  return status;
}
