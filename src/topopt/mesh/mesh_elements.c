/* A mesh's elements with their nodes, for analyses that assemble them: see ig_topopt_body. */
#include "topopt/mesh/mesh_model.h"
#include "solid/solid.h"

#include <stdlib.h>
#include <string.h>

ig_status ig_topopt_mesh_elements(void *self, ig_topopt_body *b) {
  const ig_topopt_mesh_model *m = self;
  ig_ctx *cx = m->cx;
  const size_t points = (size_t)m->nodes, elements = (size_t)m->elements;
  *b = (ig_topopt_body){.dim = 3,
                        .corners = m->info->nodes,
                        .kind = m->type == IG_TET4    ? IG_SOLID_TET4
                                : m->type == IG_TET10 ? IG_SOLID_TET10
                                                      : IG_SOLID_HEX8,
                        .elements = m->elements,
                        .points = m->nodes};
  const size_t nodes = elements * (size_t)b->corners;
  ig_status status;
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &b->place, elements, "elements"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &b->node, nodes, "elements"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &b->at, points, "nodes"));
  IG_TRY_GOTO(status, failed, IG_NEW(cx, &b->x, 3 * points, "nodes"));
  for (size_t e = 0; e < elements; e++)
    b->place[e] = (int64_t)e;
  for (size_t n = 0; n < points; n++)
    b->at[n] = (int64_t)n;
  for (size_t i = 0; i < nodes; i++)
    b->node[i] = m->conn[i];
  memcpy(b->x, m->mesh->x, 3 * points * sizeof *b->x);
  if (m->spring.host) {
    IG_TRY_GOTO(status, failed, IG_NEW(cx, &b->spring, 3 * points, "springs"));
    memcpy(b->spring, m->spring.host, 3 * points * sizeof *b->spring);
  }
  return IG_OK;
failed:
  ig_topopt_body_free(b);
  return status;
}
