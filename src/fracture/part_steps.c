/* A divided model: its steps. */
#include "fracture/part_surface.h"
#include "core/rising.h"
#include "ranks/lists.h"

#include <stdlib.h>
#include <string.h>

/* An item of the part over a list. */
static ig_status run_list(ig_frac_model *m, ig_frac_item item, const ig_frac_list *list) {
  return ig_frac_run_list(&m->divided->local, item, list);
}

/* Elements of a list; they have an order of their own, which their drivers know. */
static ig_status elements(ig_frac_model *m, const ig_frac_list *list) {
  ig_frac_state s = m->divided->local.s;
  s.topo.order = list->a.dev;
  return list->count ? m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_element, &s, 0, list->count)
                     : IG_OK;
}

/* Displacements; velocities too where contact needs them. */
static int moving(const ig_frac_model *m, ig_halo_array array[2]) {
  const size_t item = (size_t)m->shape.dim * (m->wide ? 8 : 4);
  const ig_frac_nodal *nodal = &m->divided->local.s.nodal;
  array[0] = (ig_halo_array){nodal->u, item};
  array[1] = (ig_halo_array){nodal->v, item};
  return m->s.surface.on || m->s.zone.law.rigid ? 2 : 1;
}

/* What programs may change in the whole between steps. */
static void settings_follow(ig_frac_model *m) {
  ig_frac_state *s = &m->divided->local.s;
  s->dt = m->s.dt;
  memcpy(s->drive.motion, m->s.drive.motion, sizeof s->drive.motion);
  memcpy(s->drive.load, m->s.drive.load, sizeof s->drive.load);
}

/* --- the check */

/* Facets of own elements that would open, as the whole numbers them, on the host. */
static ig_status marks_read(ig_frac_model *m, int32_t **list, int64_t *count) {
  ig_frac_part *p = m->divided;
  ig_frac_model *q = &p->local;
  const int faces = m->shape.faces;
  IG_TRY(run_list(m, IG_FRAC_stress, &p->stressed));
  IG_TRY(run_list(m, IG_FRAC_average, &p->averaged));
  IG_TRY(run_list(m, IG_FRAC_check, &p->facets));
  if (p->facets.count) {
    IG_TRY(ig_frac_model_pass(q, 0)); /* lists them */
    IG_TRY(ig_frac_count_pull(q));
    *count = q->count.broken;
  }
  IG_TRY(IG_NEW(m->cx, list, (size_t)*count + 1, "facets to open"));
  if (*count)
    IG_TRY(
        m->cx->backend->copy_out(m->cx, *list, q->s.grow.opened, (size_t)*count * sizeof **list));
  for (int64_t i = 0; i < *count; i++)
    (*list)[i] = p->element[(*list)[i] / faces] * faces + (*list)[i] % faces;
  return IG_OK;
}

static int by_number(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* The number in the part of an element of the whole, -1: it is not there. */
static int32_t element_find(const ig_frac_part *p, int32_t whole) {
  return ig_rising_at(p->element, p->local.s.ne, whole);
}

ig_status ig_frac_open_list(ig_frac_model *m, const ig_frac_list *list) {
  IG_TRY(ig_frac_run_list(m, IG_FRAC_mark, list));
  do {
    if (m->count.full)
      IG_TRY(ig_frac_tables_grow(m));
    for (int pass = 0; pass < IG_FRAC_PASSES; pass++)
      IG_TRY(ig_frac_model_pass(m, pass));
    IG_TRY(ig_frac_count_pull(m));
  } while (m->count.full);
  return ig_frac_run_list(m, IG_FRAC_unmark, list);
}

/* Opens those of the facets whose elements are both here. */
static ig_status marks_open(ig_frac_model *m, const int32_t *facet, int64_t count) {
  ig_frac_part *p = m->divided;
  const int faces = m->shape.faces;
  int32_t *here;
  int64_t kept = 0;
  ig_status status = IG_NEW(m->cx, &here, (size_t)count + 1, "facets to open");
  for (int64_t i = 0; i < count && status == IG_OK; i++) {
    const int32_t e = element_find(p, facet[i] / faces), f = facet[i] % faces;
    if (e < 0 || !(p->inside[e] >> f & 1))
      continue;
    here[kept++] = e * faces + f;
    status = ig_frac_list_add(m->cx, &p->crack_number, m->count.cohesive + (int32_t)i);
  }
  if (status == IG_OK)
    status = ig_frac_list_put(m->cx, &p->marked, here, kept);
  free(here);
  IG_TRY(status);
  if (kept)
    IG_TRY(ig_frac_open_list(&p->local, &p->marked));
  return ig_frac_part_grow(m);
}

/* All ranks take part, also one that has failed (`status`), and all learn of it. */
static ig_status check(ig_frac_model *m, ig_status status) {
  int32_t *mine = NULL;
  void *all = NULL;
  int64_t count = 0, sum = 0, split = 0, touched = 0;
  ig_halo_array move[2];
  const int arrays = moving(m, move);
  if (!m->divided->far_known)
    status = ig_halo_refresh_all(m->cx, &m->divided->halo[IG_FRAC_FAR], move, arrays, status);
  m->divided->far_known = true;
  if (status == IG_OK)
    status = marks_read(m, &mine, &count);
  int64_t most = count;
  status = ig_ranks_most(m->cx, status, &most, 1);
  m->count.broken = m->count.touched = 0; /* as the passes would leave it */
  if (status != IG_OK || most == 0) {
    free(mine);
    return status;
  }
  status = ig_lists_share(m->cx, status, mine, count, sizeof *mine, by_number, &all, &sum, NULL);
  if (status == IG_OK)
    status = marks_open(m, all, sum);
  status = ig_frac_numbers_grow(m, status, &split, &touched);
  m->count.broken = (int32_t)sum;
  m->count.touched = (int32_t)touched;
  m->count.cohesive += (int32_t)sum;
  m->count.nodes += (int32_t)split;
  free(mine);
  free(all);
  return ig_ranks_agree(m->cx, status);
}

/* --- steps */

/* A rank that fails goes on exchanging, for the others wait for it. */
static ig_status force(ig_frac_model *m, ig_status status) {
  ig_frac_part *p = m->divided;
  const bool ahead = p->ahead;
  p->ahead = false;
  if (status == IG_OK)
    status = run_list(m, IG_FRAC_load, &p->loads);
  if (status == IG_OK)
    status = run_list(m, IG_FRAC_cohesive, &p->cohesive);
  status = ig_frac_part_surfaces(m, status);
  if (status == IG_OK)
    status = elements(m, ahead ? &p->late : &p->elements);
  return status == IG_OK && m->s.zone.law.rigid ? run_list(m, IG_FRAC_contact, &p->touching)
                                                : status;
}

static bool due(const ig_frac_model *m, int64_t step) {
  return m->check_every && step % m->check_every == 0;
}

ig_status ig_frac_part_begin(ig_frac_model *m) {
  settings_follow(m);
  if (due(m, m->count.step))
    IG_TRY(check(m, IG_OK));
  return force(m, IG_OK);
}

ig_status ig_frac_part_elements(ig_frac_model *m) {
  return elements(m, &m->divided->elements);
}

ig_status ig_frac_part_show(ig_frac_model *m) {
  return run_list(m, IG_FRAC_show, &m->divided->nodes);
}

ig_status ig_frac_part_speeds(ig_frac_model *m) {
  ig_frac_part *p = m->divided;
  const size_t item = (size_t)m->shape.dim * (m->wide ? 8 : 4);
  return p ? ig_halo_refresh(m->cx, &p->halo[IG_FRAC_NEAR], p->local.s.nodal.v, item, IG_OK)
           : IG_OK;
}

ig_status ig_frac_part_stress(ig_frac_model *m) {
  return run_list(m, IG_FRAC_stress, &m->divided->elements);
}

/* ahead: what can be computed of the next step's forces is, while ghosts travel. (A check changes
   no force of an element: one of whose facets opens is computed again.) checked: a check follows,
   which needs far nodes; near ones are among them. */
static ig_status finish(ig_frac_model *m, bool ahead, bool checked, ig_status status) {
  ig_frac_model *q = &m->divided->local;
  const int layer = m->s.surface.on || checked ? IG_FRAC_FAR : IG_FRAC_NEAR;
  ig_halo *halo = &m->divided->halo[layer];
  ig_halo_array move[4];
  int arrays = moving(m, move);
  if (m->s.surface.on && !m->divided->unseen) {
    ig_frac_contact *contact = m->divided->contact;
    halo = &contact->import;
    move[arrays++] = (ig_halo_array){contact->u.dev, move[0].item};
    move[arrays++] = (ig_halo_array){contact->v.dev, move[1].item};
  }
  const ig_frac_list *nodes = &m->divided->nodes;
  if (status == IG_OK)
    status = run_list(m, IG_FRAC_node, nodes);
  if (status == IG_OK && nodes->count == 0 && m->cx->backend->kernels == IG_KERNELS_CUDA) {
    status = ig_frac_count_pull(q); /* there the last node counts the step */
    q->count.step++;
    if (status == IG_OK)
      status = ig_frac_count_push(q);
  } else if (status == IG_OK)
    status = m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_advance, &q->s, 0, 1);
  status = ig_halo_start(m->cx, halo, move, arrays, status);
  if (status == IG_OK && ahead) {
    status = elements(m, &m->divided->inner);
    m->divided->ahead = true;
  }
  m->divided->far_known = layer != IG_FRAC_NEAR;
  status = ig_halo_finish(m->cx, halo, move, arrays, status);
  return ig_frac_part_moved(m, status);
}

ig_status ig_frac_part_run(ig_frac_model *m, int64_t step) {
  ig_frac_model *q = &m->divided->local;
  ig_status status = IG_OK;
  settings_follow(m);
  for (int64_t i = m->count.step; i < step; i++) {
    if (!m->begun && due(m, i))
      IG_TRY(check(m, status)); /* of all ranks alike */
    if (!m->begun)
      status = force(m, status);
    m->begun = false;
    status = finish(m, i + 1 < step, due(m, i + 1), status);
  }
  IG_TRY(status);
  IG_TRY(ig_frac_count_pull(q));
  m->count.step = q->count.step;
  return IG_OK;
}
