/* Contact between surfaces, the host's part: tables, and a look whether bodies overlap where it is
   off. */
#include "fracture/engine/tables.h"

#include <math.h>
#include <string.h>

/* Facets lie in the cell of their middle. A node behind one is at most two thirds of an edge and
   half a height away from there, so it looks into its own cell and those around it.
   cell: 1.25 times the longest edge of the mesh at the start, so that the search of neighbouring
   cells is complete while elements deform little. Buckets: a power of two, at least as many as
   elements. */
void ig_frac_surface_size(ig_frac_model *m) {
  const int32_t *conn = ig_frac_model_host(m, "conn");
  const void *x = ig_frac_model_host(m, "x");
  const int dim = m->shape.dim;
  const int64_t ne = m->s.ne;
  double longest = 0;
  for (int64_t e = 0; e < ne; e++)
    for (int a = 0; a < m->shape.corners; a++)
      for (int b = 0; b < a; b++) {
        double l2 = 0;
        for (int d = 0; d < dim; d++) {
          const double r = ig_frac_model_real(m, x, (int64_t)conn[a * ne + e] * dim + d) -
                           ig_frac_model_real(m, x, (int64_t)conn[b * ne + e] * dim + d);
          l2 += r * r;
        }
        longest = fmax(longest, l2);
      }
  m->s.surface.bins.mask = ig_buckets_count(ne) - 1;
  m->s.surface.cell = 1.25 * sqrt(longest);
}

enum { TABLES = 12, WATCHED = 5 };
/* Those a look needs come first.
   WATCHED of them serve the look alone, which makes them for the moment and frees them. */
static void tables_list(ig_frac_model *m, ig_array_def out[TABLES]) {
  enum { E = IG_FRAC_PER_ELEMENT, N = IG_FRAC_PER_NODE, WORK = DEVICE | ONE_RANK };
  ig_frac_surface *c = &m->s.surface;
  const int dim = m->shape.dim, nf = m->shape.faces;
  const size_t real = m->wide ? 8 : 4;
  const ig_array_def all[TABLES] = {
      {"bucket", &c->bins.bucket, IG_PLACE_NONE, (int64_t)c->bins.mask + 1, 4, .flags = WORK},
      {"next", &c->bins.chain, E, nf, 4, .flags = WORK},
      {"hit", &c->hit, E, nf, 4, .flags = WORK},
      {"skin", &c->skin, N, 1, 1, .flags = 0},
      {"depth", &c->depth, N, 1, 8, .flags = WORK},
      {"after", &c->after, N, 1, 4, .flags = WORK},
      {"pressed", &c->part, N, 1, 8, .flags = SAVED},
      {"surface_mass", &c->mass, N, 1, real, .flags = SAVED},
      {"surface_gap", &c->gap, N, 1, real, .flags = SAVED},
      {"push", &c->push, N, 2 * dim, real, .flags = WORK},
      {"surface_force", &c->force, N, dim, real, .flags = SAVED},
      {"surface_work", &c->work, N, 2, 8, .flags = SAVED}};
  memcpy(out, all, sizeof all);
}

/* pressed = -1: no node presses on anything at the start. */
ig_status ig_frac_surface_open(ig_frac_model *m) {
  ig_array_def t[TABLES];
  tables_list(m, t);
  IG_TRY(ig_frac_arrays_add(m, t, TABLES));
  const ig_array *pressed = ig_arrays_at(&m->arrays, "pressed");
  for (size_t i = 0; i < pressed->count; i++)
    ((int64_t *)pressed->host)[i] = -1;
  return IG_OK;
}

/* The passes of contact up to the search, then the depth of each node instead of forces. */
static ig_status look(ig_frac_model *m, double *deepest) {
  const ig_frac_surface *c = &m->s.surface;
  static const ig_frac_item items[] = {IG_FRAC_wipe, IG_FRAC_link, IG_FRAC_overlap};
  const int64_t most[] = {(int64_t)c->bins.mask + 1, (int64_t)m->shape.faces * m->s.ne,
                          m->s.node_max};
  for (int i = 0; i < 3; i++)
    IG_TRY(m->ops->run(m->cx, m->kind, m->wide, items[i], &m->s, 0, -most[i]));
  return m->cx->backend->absmax_f64(m->cx, (size_t)m->count.nodes, c->depth, deepest);
}

/* Called between steps while contact is off; restores s.surface. */
ig_status ig_frac_surface_watch(ig_frac_model *m, double *deepest) {
  const ig_frac_surface was = m->s.surface;
  ig_array_def t[TABLES];
  ig_array a[WATCHED] = {{0}};
  *deepest = 0;
  if (m->part.ranks > 1)
    return ig_frac_part_watch(m, deepest);
  tables_list(m, t);
  ig_status status = IG_OK;
  for (int i = 0; i < WATCHED && status == IG_OK; i++) {
    const int64_t rows = t[i].place == IG_PLACE_NONE ? 1 : m->arrays.of->place(m, t[i].place).rows;
    status = ig_array_new_device(m->cx, &a[i], (size_t)(rows * t[i].width), t[i].size, t[i].name);
    *(void **)t[i].at = a[i].dev;
    if (status == IG_OK)
      status = ig_array_zero(m->cx, &a[i]);
  }
  if (status == IG_OK)
    status = look(m, deepest);
  for (int i = 0; i < WATCHED; i++)
    ig_array_free(m->cx, &a[i]);
  m->s.surface = was;
  return status;
}
