/* Groups of elements that are computed one by one, on the whole of a mesh or on a rank's part.

   Groups may reach through all ranks: columns do that are drawn along the axis a mesh is numbered
   by. One rank computes a group as a whole, in its own order, so that the bits are those of one;
   which one goes around among those that have elements of it: each computes about as many as it
   has, and none waits for another. */
#include "topopt/mesh/mesh_model.h"
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t count;
  const int64_t *start, *order;
  int arrays;
} lists;

/* The owner of one of the group's elements, a different one for each group: work is spread
   evenly, and every rank finds the same answer without a message. */
static int computed_by(const ig_topopt_mesh_model *m, const lists *l, int64_t group) {
  const int64_t from = l->start[group], n = l->start[group + 1] - from;
  return ig_rows_owner(&m->part.cells, (ig_lid)l->order[from + group % n]);
}

/* Numbers of own and borrowed elements; returns how many there are. Counts own groups and their
   elements. Elements of own groups that belong to others get numbers after the own ones. */
static ig_lid choose(const ig_topopt_mesh_model *m, const lists *l, ig_lid *number, int64_t *groups,
                     int64_t *members) {
  memset(number, 0xff, sizeof *number * (size_t)m->elements);
  *groups = *members = 0;
  for (int64_t g = 0; g < l->count; g++) {
    if (computed_by(m, l, g) != m->part.cells.rank)
      continue;
    ++*groups;
    *members += l->start[g + 1] - l->start[g];
    for (int64_t i = l->start[g]; i < l->start[g + 1]; i++)
      number[l->order[i]] = 0;
  }
  return ig_topopt_mesh_number(m, number);
}

/* Who lends what to whom. Lending and returning are the same pairs in opposite directions. */
static ig_status lending_make(ig_topopt_mesh_model *m, const lists *l, const ig_lid *number,
                              ig_topopt_mesh_groups *g) {
  const ig_rows *cells = &m->part.cells;
  ig_halo_pairs give[2] = {0}, take[2] = {0}; /* to lend, and back */
  ig_status status = IG_OK;
  for (int64_t group = 0; group < l->count; group++) {
    const int by = computed_by(m, l, group);
    for (int64_t i = l->start[group]; i < l->start[group + 1] && status == IG_OK; i++) {
      const ig_lid e = (ig_lid)l->order[i];
      const int owner = ig_rows_owner(cells, e);
      if (owner == by || (owner != cells->rank && by != cells->rank))
        continue;
      const bool lends = owner == cells->rank;
      status = ig_halo_pair_add(m->cx, lends ? &give[0] : &take[0], lends ? by : owner, number[e]);
      if (status == IG_OK)
        status =
            ig_halo_pair_add(m->cx, lends ? &take[1] : &give[1], lends ? by : owner, number[e]);
    }
  }
  if (status == IG_OK)
    status =
        ig_halo_of_pairs(m->cx, &give[0], &take[0], (size_t)l->arrays * sizeof(double), &g->lend);
  if (status == IG_OK)
    status = ig_halo_of_pairs(m->cx, &give[1], &take[1], sizeof(double), &g->back);
  for (int i = 0; i < 2; i++) {
    free(give[i].item);
    free(take[i].item);
  }
  return status;
}

/* Lists of own groups, roles and values of `all` elements. Roles are copied with the lists, as
   roles of borrowed elements are not in the rank's own array. */
static ig_status own_make(ig_topopt_mesh_model *m, const lists *l, const ig_lid *number, ig_lid all,
                          int64_t groups, int64_t members, ig_topopt_mesh_groups *g) {
  IG_TRY(ig_array_new(m->cx, &g->start, (size_t)groups + 1, sizeof(int64_t), "groups"));
  IG_TRY(ig_array_new(m->cx, &g->order, (size_t)members + 1, sizeof(int64_t), "groups"));
  IG_TRY(ig_array_new(m->cx, &g->role, (size_t)all, 1, "roles"));
  for (int i = 0; i < l->arrays; i++)
    IG_TRY(ig_array_new_device(m->cx, &g->value[i], (size_t)all, sizeof(double), "groups"));
  int64_t *start = g->start.host, *order = g->order.host, at = 0;
  uint8_t *role = g->role.host;
  for (int64_t group = 0; group < l->count; group++) {
    if (computed_by(m, l, group) != m->part.cells.rank)
      continue;
    for (int64_t i = l->start[group]; i < l->start[group + 1]; i++)
      order[at++] = number[l->order[i]];
    *++start = at;
  }
  for (ig_lid e = 0; e < m->elements; e++)
    if (number[e] >= 0)
      role[number[e]] = ((const uint8_t *)m->role.host)[e];
  g->links = (ig_links){groups, g->start.dev, g->order.dev};
  IG_TRY(ig_array_push(m->cx, &g->start));
  IG_TRY(ig_array_push(m->cx, &g->order));
  return ig_array_push(m->cx, &g->role);
}

/* Lists are of the whole mesh here; the rank keeps those of the groups it computes. */
static ig_status part_make(ig_topopt_mesh_model *m, const lists *l, ig_topopt_mesh_groups *g) {
  ig_lid *number;
  int64_t groups, members;
  IG_TRY(IG_NEW(m->cx, &number, m->elements, "groups"));
  const ig_lid all = choose(m, l, number, &groups, &members);
  ig_status status = own_make(m, l, number, all, groups, members, g);
  if (status == IG_OK)
    status = lending_make(m, l, number, g);
  free(number);
  return status;
}

/* On one rank the lists are used as they are. */
ig_status ig_topopt_mesh_groups_new(ig_topopt_mesh_model *m, int64_t count, const int64_t *start,
                                    const int64_t *order, int arrays, ig_topopt_mesh_groups *g) {
  const lists l = {count, start, order, arrays};
  g->all = count;
  if (m->part.divided)
    return part_make(m, &l, g);
  IG_TRY(ig_array_from(m->cx, &g->start, start, (size_t)count + 1, sizeof *start, "groups"));
  IG_TRY(ig_array_from(m->cx, &g->order, order, (size_t)start[count], sizeof *order, "groups"));
  g->links = (ig_links){count, g->start.dev, g->order.dev};
  return IG_OK;
}

void ig_topopt_mesh_groups_free(ig_topopt_mesh_model *m, ig_topopt_mesh_groups *g) {
  ig_array *const arrays[] = {&g->start,    &g->order,    &g->role,
                              &g->value[0], &g->value[1], &g->value[2]};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    ig_array_free(m->cx, arrays[i]);
  ig_halo_free(m->cx, &g->lend);
  ig_halo_free(m->cx, &g->back);
}

/* All arrays travel in one exchange. */
ig_status ig_topopt_mesh_groups_borrow(ig_topopt_mesh_model *m, ig_topopt_mesh_groups *g,
                                       int arrays, const double *const *from) {
  ig_halo_array all[3];
  for (int i = 0; i < arrays; i++) {
    all[i] = (ig_halo_array){g->value[i].dev, sizeof(double)};
    IG_TRY(m->cx->backend->copy(m->cx, g->value[i].dev, from[i],
                                (size_t)m->d.places * sizeof(double)));
  }
  return ig_halo_refresh_all(m->cx, &g->lend, all, arrays, IG_OK);
}

/* After the exchange own values are at the front of the array. */
ig_status ig_topopt_mesh_groups_return(ig_topopt_mesh_model *m, ig_topopt_mesh_groups *g, int array,
                                       double *to) {
  IG_TRY(ig_halo_refresh(m->cx, &g->back, g->value[array].dev, sizeof *to, IG_OK));
  return m->cx->backend->copy(m->cx, to, g->value[array].dev, (size_t)m->d.places * sizeof *to);
}

ig_status ig_topopt_mesh_direction(const ig_topopt_mesh_model *m, const ig_src *at, const char *key,
                                   const char *text, int *axis, double *sign) {
  int up;
  if (!ig_topopt_plane_read(text, 3, axis, &up))
    return ig_fail_at(m->cx, at, "%s: '%.20s' is no direction: expected x-, x+, y-, y+, z- or z+",
                      key, text);
  *sign = up ? 1 : -1;
  return IG_OK;
}
