/* Memory of patterns, for both backends: the rows' beginnings are on both sides, columns on the
   device alone, until the host asks for them (ig_array_show). */
#include "solver/mesh/mesh_pattern.h"

#include <string.h>

void ig_pattern_free(ig_ctx *cx, ig_pattern *p) {
  ig_array_free(cx, &p->start);
  ig_array_free(cx, &p->column);
  memset(p, 0, sizeof *p);
}

ig_status ig_pattern_begin(ig_ctx *cx, ig_lid rows, ig_lid cols, ig_pattern *p) {
  *p = (ig_pattern){.rows = rows, .cols = cols};
  return ig_array_new(cx, &p->start, (size_t)rows + 1, sizeof(ig_lid), "multigrid pattern");
}

/* Prefix sum of the counts, checked: places of blocks are numbered in 32 bits. */
ig_status ig_pattern_room(ig_ctx *cx, ig_pattern *p) {
  ig_lid *start = p->start.host;
  start[0] = 0;
  for (ig_lid i = 0; i < p->rows; i++) {
    if (start[i + 1] > INT32_MAX - start[i])
      return IG_FAIL(cx, IG_MEMORY, "the mesh is too large for multigrid: use block_jacobi");
    start[i + 1] += start[i];
  }
  IG_TRY(ig_array_push(cx, &p->start));
  return ig_array_new_device(cx, &p->column, (size_t)start[p->rows], sizeof(ig_lid),
                             "multigrid pattern");
}
