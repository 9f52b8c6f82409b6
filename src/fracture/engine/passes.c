/* Items of a model run one by one: the passes of an insertion, items over a list. */
#include "fracture/engine/tables.h"

ig_status ig_frac_run(ig_frac_model *m, ig_frac_item item, int64_t begin, int64_t n) {
  return m->ops->run(m->cx, m->kind, m->wide, item, &m->s, begin, n);
}

/* -most: the kernel itself reads how many items there are; `most` only bounds the launch. */
ig_status ig_frac_run_all(ig_frac_model *m, ig_frac_item item, int64_t most) {
  return most ? ig_frac_run(m, item, 0, -most) : IG_OK;
}

/* Marked facets become cohesive elements: filter and compact, see that there is room, open, take
   their nodes apart. */
const char *const ig_frac_pass_names[IG_FRAC_PASSES] = {
    "list facets", "capacity", "open", "state", "list nodes", "take apart", "settle"};

/* Between the passes the device alone knows the counts (count->broken, touched), so that an
   insertion needs no copy to the host. facets and node_max are upper bounds of launches. */
ig_status ig_frac_model_pass(ig_frac_model *m, int pass) {
  ig_frac_state *s = &m->s;
  switch (pass) {
  case 0:
    return m->ops->compact(m->cx, s, s->grow.mark, (int64_t)m->shape.faces * s->ne, s->grow.opened,
                           &s->count->broken);
  case 1:
    return ig_frac_run(m, IG_FRAC_capacity, 0, 1);
  case 2:
    return ig_frac_run_all(m, IG_FRAC_open, m->facets);
  case 3:
    return s->zone.opening == IG_FRAC_CUT || s->zone.opening == IG_FRAC_BARE
               ? IG_OK
               : ig_frac_run_all(m, IG_FRAC_state, m->facets * m->shape.points);
  case 4:
    return m->ops->compact(m->cx, s, s->grow.touch, s->node_max, s->grow.touched,
                           &s->count->touched);
  case 5:
    return m->ops->apart(m->cx, m->kind, m->wide, s);
  default:
    return ig_frac_run(m, IG_FRAC_settle, 0, 1);
  }
}

ig_status ig_frac_run_list(ig_frac_model *m, ig_frac_item item, const ig_frac_list *list) {
  ig_frac_state s = m->s;
  s.pick = list->a.dev;
  return list->count ? m->ops->run(m->cx, m->kind, m->wide, item, &s, 0, list->count) : IG_OK;
}
