/* A surface from the pieces that ranks have of it: vertices that two pieces have become one, and
   numbers are those of a surface made in one go.

   Pieces come in the order of the ranks' elements. A vertex on the rim of a piece has a key, the
   edge of the whole mesh it lies on; the first piece that has it adds it, later ones find it by
   its key. */
#include "ranks/ranks.h"
#include "topopt/surface/surface.h"

#include <stdlib.h>

ig_status ig_topopt_skin_rim(ig_ctx *cx, ig_topopt_skin *skin, ig_topopt_rim rim) {
  IG_TRY(IG_MORE(cx, &skin->rim, skin->rims, "surface"));
  skin->rim[skin->rims++] = rim;
  return IG_OK;
}

void ig_topopt_skin_free(ig_topopt_skin *skin) {
  ig_topopt_part_free(&skin->part);
  free(skin->rim);
  *skin = (ig_topopt_skin){0};
}

void ig_topopt_skins_free(ig_topopt_skins *skins) {
  ig_topopt_keys_free(&skins->keys);
  free(skins->marked);
}

/* A vertex of the rim that is new here. */
static ig_status rim_add(ig_topopt_skins *to, const ig_topopt_rim *rim, int32_t number) {
  if (!rim->on)
    return IG_OK;
  IG_TRY(IG_MORE(to->build.cx, &to->marked, to->marks, "surface"));
  to->marked[to->marks++] = (ig_topopt_rim){rim->key, number, rim->on};
  return IG_OK;
}

/* Rims come in the order of their vertices. */
ig_status ig_topopt_skin_add(ig_topopt_skins *to, const ig_topopt_skin *skin) {
  const ig_topopt_part *part = &skin->part;
  ig_ctx *cx = to->build.cx;
  int32_t *number;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(cx, &number, (size_t)part->vertices + 1, "surface"));
  for (int64_t v = 0, rim = 0; v < part->vertices && status == IG_OK; v++) {
    const double x[3] = {(double)part->vertex[v][0], (double)part->vertex[v][1],
                         (double)part->vertex[v][2]};
    const ig_topopt_rim *at = NULL;
    int32_t *known = NULL;
    if (rim < skin->rims && skin->rim[rim].vertex == v) {
      at = &skin->rim[rim++];
      status = ig_topopt_keys_at(cx, &to->keys, at->key, &known);
    }
    if (status == IG_OK && known && *known >= 0) {
      number[v] = *known;
      continue;
    }
    if (status == IG_OK)
      status = ig_topopt_part_vertex(&to->build, x, &number[v]);
    if (status == IG_OK && known) {
      *known = number[v];
      status = rim_add(to, at, number[v]);
    }
  }
  for (int64_t t = 0; t < part->triangles && status == IG_OK; t++)
    status = ig_topopt_part_triangle(&to->build, number[part->triangle[t][0]],
                                     number[part->triangle[t][1]], number[part->triangle[t][2]]);
  free(number);
  return status;
}

/* Bytes of rank `from` to rank 0; the others have no message. A message to itself is none: rank
   0 has its own piece already. */
static ig_status bytes_bring(ig_ctx *cx, int from, void *bytes, size_t size) {
  const bool first = ig_ranks_first(cx), gives = ig_ranks_rank(cx->ranks) == from;
  const ig_message message = {.rank = first ? from : 0,
                              .send = bytes,
                              .receive = bytes,
                              .send_size = gives ? size : 0,
                              .receive_size = first ? size : 0};
  return ig_ranks_exchange(cx, &message, (first || gives) && size > 0);
}

/* Memory for a piece of another rank, of which only the sizes have arrived. */
static ig_status room_make(ig_ctx *cx, const int64_t *count, ig_topopt_skin *skin) {
  skin->part.vertices = count[0];
  skin->part.triangles = count[1];
  skin->rims = count[2];
  IG_TRY(IG_NEW(cx, &skin->part.vertex, (size_t)count[0] + 1, "surface"));
  IG_TRY(IG_NEW(cx, &skin->part.triangle, (size_t)count[1] + 1, "surface"));
  return IG_NEW(cx, &skin->rim, (size_t)count[2] + 1, "surface");
}

/* Sizes first, then memory, then the arrays; ranks agree in between, so that nobody waits for a
   rank that has failed. */
ig_status ig_topopt_skin_bring(ig_topopt_skins *to, int from, ig_topopt_skin *skin,
                               ig_status status) {
  ig_ctx *cx = to->build.cx;
  const bool first = ig_ranks_first(cx);
  ig_topopt_skin theirs = {0}, *s = first && from > 0 ? &theirs : skin;
  int64_t count[3] = {s->part.vertices, s->part.triangles, s->rims};
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK && from > 0)
    status = bytes_bring(cx, from, count, sizeof count);
  if (status == IG_OK && from > 0 && first)
    status = room_make(cx, count, s);
  status = ig_ranks_agree(cx, status);
  if (status == IG_OK && from > 0)
    status =
        bytes_bring(cx, from, s->part.vertex, (size_t)s->part.vertices * sizeof *s->part.vertex);
  if (status == IG_OK && from > 0)
    status = bytes_bring(cx, from, s->part.triangle,
                         (size_t)s->part.triangles * sizeof *s->part.triangle);
  if (status == IG_OK && from > 0)
    status = bytes_bring(cx, from, s->rim, (size_t)s->rims * sizeof *s->rim);
  if (status == IG_OK && first)
    status = ig_topopt_skin_add(to, s);
  ig_topopt_skin_free(&theirs);
  return status;
}
