/* Snapshots of a mesh, and arrays of one that is divided between ranks: ranges of its nodes and
   elements go to the first rank one after the other. */
#include "topopt/mesh/mesh_model.h"
#include "backend/backend.h"
#include "core/vtk_corner.h"

#include <string.h>

ig_status ig_topopt_mesh_snapshot(void *self, int64_t step, ig_snapshot **snap) {
  ig_topopt_mesh_model *m = self;
  return ig_snapshot_of_mesh(m->cx, m->mesh, NULL, (double)step, step, snap);
}

void ig_topopt_mesh_pack(void *self, bool nodes, int components, const double *from, float *to) {
  const ig_topopt_mesh_model *m = self;
  const size_t n = (size_t)components * (size_t)(nodes ? m->nodes : m->elements);
  for (size_t i = 0; i < n; i++)
    to[i] = (float)from[i];
}

/* --- divided --- */

/* Values on the stack at a time: 32 kB. */
enum { CHUNK = 4096 };

typedef struct {
  const ig_topopt_mesh_model *m;
  const double *from; /* the first own value */
  bool host;
  int size; /* values of an item */
  double scale;
  ig_stream_take *take;
  void *user;
} passing;

/* `host`: the array is a copy that a checkpoint keeps. */
static ig_status bytes_out(const passing *p, const void *from, size_t size, void *to) {
  const ig_ctx *cx = p->m->cx;
  if (p->host) {
    memcpy(to, from, size);
    return IG_OK;
  }
  IG_TRY(cx->backend->copy_out(p->m->cx, to, from, size));
  return cx->backend->sync(p->m->cx);
}

/* Own values from `begin` on, counted in items of `size` values. */
static ig_status values_give(void *user, int64_t begin, int64_t count, void *items) {
  const passing *p = user;
  return bytes_out(p, p->from + p->size * begin, sizeof(double) * (size_t)(p->size * count), items);
}

/* Converted to single precision in pieces, so that no second array of the whole part is needed. */
static ig_status shown_give(void *user, int64_t begin, int64_t count, void *items) {
  const passing *p = user;
  double chunk[CHUNK];
  float *to = items;
  for (int64_t at = p->size * begin, n; at < p->size * (begin + count); at += n) {
    n = p->size * (begin + count) - at < CHUNK ? p->size * (begin + count) - at : CHUNK;
    IG_TRY(bytes_out(p, p->from + at, sizeof *chunk * (size_t)n, chunk));
    for (int64_t i = 0; i < n; i++)
      *to++ = (float)(p->scale * chunk[i]);
  }
  return IG_OK;
}

/* Corners of own elements, in numbers of the whole and VTK's order. Connectivity lies on the
   device with the part's numbers; part.node turns them into the whole's. */
static ig_status corners_give(void *user, int64_t begin, int64_t count, void *items) {
  const passing *p = user;
  const ig_topopt_mesh_model *m = p->m;
  const int npe = m->info->nodes;
  ig_lid corner[CHUNK];
  int64_t *to = items;
  for (int64_t at = begin, n; at < begin + count; at += n) {
    n = begin + count - at < CHUNK / npe ? begin + count - at : CHUNK / npe;
    IG_TRY(bytes_out(p, m->part.own.scatter.conn + npe * at, sizeof *corner * (size_t)(npe * n),
                     corner));
    for (int64_t e = 0; e < n; e++)
      for (int a = 0; a < npe; a++)
        *to++ = m->part.node[corner[npe * e + ig_vtk_corner(m->type, a)]];
  }
  return IG_OK;
}

static ig_status rows_put(void *user, const void *items, int64_t first, int64_t count) {
  const passing *p = user;
  (void)first;
  return p->take(p->user, items, count);
}
/* Every value is a row. */
static ig_status values_put(void *user, const void *items, int64_t first, int64_t count) {
  const passing *p = user;
  (void)first;
  return p->take(p->user, items, count * p->size);
}

/* Elements or nodes of a part: where its own values begin, and what those of others are. */
static passing values_of(const ig_topopt_mesh_model *m, bool states, const double *from,
                         ig_stream_take *take, void *user) {
  return (passing){.m = m,
                   .from = states ? from + m->d.own_states[0] : from,
                   .size = states ? m->size : 1,
                   .take = take,
                   .user = user};
}
static const ig_lid *ranges_of(const ig_topopt_mesh_model *m, bool states) {
  return states ? m->part.rows.start : m->part.cells.start;
}

ig_status ig_topopt_mesh_stream(void *self, bool states, const double *from, bool host,
                                ig_stream_take *take, void *user) {
  const ig_topopt_mesh_model *m = self;
  passing p = values_of(m, states, from, take, user);
  p.host = host;
  return ig_ranges_stream(m->cx, ranges_of(m, states), sizeof(double) * (size_t)p.size, values_give,
                          values_put, &p, IG_OK);
}

ig_status ig_topopt_mesh_show(void *self, bool states, double scale, const double *from,
                              ig_stream_take *take, void *user) {
  const ig_topopt_mesh_model *m = self;
  passing p = values_of(m, states, from, take, user);
  p.scale = scale;
  return ig_ranges_stream(m->cx, ranges_of(m, states), sizeof(float) * (size_t)p.size, shown_give,
                          rows_put, &p, IG_OK);
}

/* All elements have one type. */
static ig_status types_take(const ig_topopt_mesh_model *m, ig_stream_take *take, void *user) {
  uint8_t type[CHUNK];
  memset(type, m->info->vtk, sizeof type);
  for (int64_t e = 0; take && e < m->elements; e += CHUNK)
    IG_TRY(take(user, type, m->elements - e < CHUNK ? m->elements - e : CHUNK));
  return IG_OK;
}

/* Types need no message: all elements have the same. */
ig_status ig_topopt_mesh_outline(void *self, int array, ig_stream_take *take, void *user) {
  const ig_topopt_mesh_model *m = self;
  passing p = {.m = m, .size = 3, .take = take, .user = user};
  if (array == IG_STREAM_TYPES)
    return types_take(m, take, user);
  if (array == IG_STREAM_POINTS) {
    p.from = (const double *)m->x.dev + 3 * (int64_t)m->part.node_at;
    return ig_ranges_stream(m->cx, m->part.rows.start, 3 * sizeof(double), values_give, rows_put,
                            &p, IG_OK);
  }
  p.size = m->info->nodes;
  return ig_ranges_stream(m->cx, m->part.cells.start, sizeof(int64_t) * (size_t)p.size,
                          corners_give, values_put, &p, IG_OK);
}
