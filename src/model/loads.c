/* The table of loads and supports. */
#include "model/loads.h"
#include "core/number.h"
#include "io/result/result_folder.h"

#include <stdlib.h>

/* A row: place, load case (0: a support), load, components held. */
static void row_add(ig_loads *l, const double x[3], int number, const double load[3],
                    unsigned held) {
  const int size = l->heat ? 1 : 3;
  char row[IG_NUMBER_TEXT * 8];
  if (!l->text.at)
    ig_text_add(&l->text, l->heat ? "x [m],y [m],z [m],load_case,heat [W],held\n"
                                  : "x [m],y [m],z [m],load_case,force_x [N],force_y [N],"
                                    "force_z [N],held_x,held_y,held_z\n");
  ig_format(row, sizeof row, "%.9g,%.9g,%.9g,%d", x[0], x[1], x[2], number);
  ig_text_add(&l->text, row);
  for (int c = 0; c < size; c++) {
    ig_format(row, sizeof row, ",%.9g", load ? load[c] : 0);
    ig_text_add(&l->text, row);
  }
  for (int c = 0; c < size; c++)
    ig_text_add(&l->text, held >> c & 1 ? ",1" : ",0");
  ig_text_add(&l->text, "\n");
}

void ig_loads_add(ig_loads *l, const double x[3], int number, const double load[3]) {
  row_add(l, x, number, load, 0);
}

void ig_loads_hold(ig_loads *l, const double x[3], unsigned held) {
  row_add(l, x, 0, NULL, held);
}

ig_status ig_loads_put(ig_loads *l, ig_sink *to) {
  ig_status status = IG_OK;
  if (l->text.failed)
    status = IG_FAIL(l->cx, IG_MEMORY, "no memory for the table of loads");
  else if (l->text.at && to && to->file)
    status = to->file(to, IG_LOADS, l->text.at, l->text.length);
  free(l->text.at);
  l->text = (ig_text){0};
  return status;
}
