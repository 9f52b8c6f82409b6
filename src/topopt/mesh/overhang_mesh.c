/* What can be printed of a design on a mesh: which elements hold others up, level by level.

   On ranks a level lies on several of them, or levels follow each other from rank to rank, as a
   mesh is numbered. Both are stages: a stage is what a rank can compute without another's values of
   that stage; after it ranks exchange what others stand on. Upright along the numbering there are
   as many stages as ranks, across it as many as levels. */
#include "topopt/mesh/mesh_model.h"
#include "backend/backend.h"
#include "mesh/topology.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double key;
  ig_lid element;
} ranked;
/* Elements from the plate upwards; equal heights in the order of their numbers. */
static int rising(const void *a, const void *b) {
  const ranked *p = a, *q = b;
  if (p->key != q->key)
    return p->key < q->key ? -1 : 1;
  return (p->element > q->element) - (p->element < q->element);
}

/* Where an element stands, of the whole. */
typedef struct {
  int32_t stage, level;
  ig_lid element;
} place;

/* While supports are looked for; arrays of elements. */
typedef struct {
  ig_topopt_mesh_model *m;
  const ig_src *at;
  const char *what; /* for messages: the key of the case */
  int axis;
  double sign, angle;    /* angle: least one of a face from the plate, degrees */
  bool faces;            /* elements below a face that lies flat enough hold one up, too */
  double most;           /* elements that hold one up */
  ig_csr around;         /* elements at nodes */
  ig_adjacency adj;      /* and across faces */
  uint8_t *plate, *open; /* stands on the plate; has nothing but air below a face */
  int64_t *start;        /* elements + 1 */
  int32_t *below;
  int64_t count;
  ig_lid *stamp, *near; /* neighbours of the element at hand */
  place *place;         /* level and stage of each */
  int64_t *above_start; /* elements + 2 */
  int32_t *above;
  ig_lid from, own, *number, places; /* own elements; what is called what, how many are here */
  int64_t floating, steep;
  double worst; /* least cosine of a support that was taken for want of a better one */
} search;

/* Along the building direction, of the element's centre. */
static double height(const search *s, ig_lid e) {
  return s->sign * ((const double *)s->m->center.host)[3 * (size_t)e + (size_t)s->axis];
}

/* Elements whose lowest node is on the plate and that have air below, and those with air below
   alone. A face looks down where its middle lies below that of its element, within 72 degrees.
   0.3 is the cosine of 72 degrees. A thousandth of an element is the slack for nodes on the
   plate. */
static void find_plate(search *s) {
  const ig_topopt_mesh_model *m = s->m;
  const int npe = m->info->nodes, faces = m->info->faces;
  double lowest = INFINITY;
  for (ig_lid i = 0; i < m->nodes; i++)
    lowest = fmin(lowest, s->sign * m->mesh->x[3 * (size_t)i + (size_t)s->axis]);
  for (ig_lid e = 0; e < m->elements; e++) {
    const double *c = (const double *)m->center.host + 3 * (size_t)e;
    double low = INFINITY;
    for (int a = 0; a < npe; a++) {
      const size_t node = (size_t)m->conn[(size_t)npe * (size_t)e + (size_t)a];
      low = fmin(low, s->sign * m->mesh->x[3 * node + (size_t)s->axis]);
    }
    for (int f = 0; f < faces; f++) {
      double x[3], far = 0;
      if (s->adj.neighbor[(size_t)faces * (size_t)e + (size_t)f] >= 0)
        continue;
      ig_topopt_mesh_center(m, e, f, x);
      for (int d = 0; d < 3; d++)
        far += (x[d] - c[d]) * (x[d] - c[d]);
      s->open[e] |= s->sign * (c[s->axis] - x[s->axis]) > 0.3 * sqrt(far);
    }
    s->plate[e] = s->open[e] && low - lowest <= 1e-3 * cbrt(m->d.volume);
  }
}

/* Neighbours through a node, each once. `stamp` remembers for which element a neighbour was last
   seen, so that nothing needs to be cleared. */
static int neighbours(search *s, ig_lid e) {
  const int npe = s->m->info->nodes;
  int n = 0;
  s->stamp[e] = e;
  for (int a = 0; a < npe; a++) {
    const ig_lid node = s->m->conn[(size_t)npe * (size_t)e + (size_t)a];
    for (ig_lid i = s->around.start[node]; i < s->around.start[node + 1]; i++) {
      const ig_lid k = s->around.item[i];
      if (s->stamp[k] == e)
        continue;
      s->stamp[k] = e;
      s->near[n++] = k;
    }
  }
  return n;
}

/* Cosine of the angle between down and the way from one middle to another. 1: straight below;
 * negative: above; -1 also where both middles coincide. */
static double steepness(const search *s, ig_lid e, ig_lid k) {
  const double *p = (const double *)s->m->center.host + 3 * (size_t)e;
  const double *q = (const double *)s->m->center.host + 3 * (size_t)k;
  double far = 0;
  for (int d = 0; d < 3; d++)
    far += (q[d] - p[d]) * (q[d] - p[d]);
  return far > 0 ? (height(s, e) - height(s, k)) / sqrt(far) : -1;
}

static ig_status add_below(search *s, ig_lid k) {
  IG_TRY(IG_MORE(s->m->cx, &s->below, s->count, "supports"));
  s->below[s->count++] = k;
  return IG_OK;
}

/* Elements across faces that lie flat enough. Those of tetrahedra may be there although their
   centres are too far aside. */
static ig_status faces_below(search *s, ig_lid e, double enough) {
  const ig_topopt_mesh_model *m = s->m;
  const int faces = m->info->faces;
  for (int f = 0; f < faces; f++) {
    const ig_lid k = s->adj.neighbor[(size_t)faces * (size_t)e + (size_t)f];
    double normal[3];
    if (k < 0)
      continue;
    ig_topopt_mesh_normal(m, e, f, normal);
    const double size = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    bool known = -s->sign * normal[s->axis] < enough * size;
    for (int64_t i = s->start[e]; i < s->count; i++)
      known |= s->below[i] == k;
    if (!known)
      IG_TRY(add_below(s, k));
  }
  return IG_OK;
}

/* An element is held up by those that touch it and lie below, no flatter than the angle. Inside
   an irregular mesh there may be none; then the steepest one below counts. With a face towards
   air and nothing steep enough below, the element cannot be printed. Inside of the mesh it is
   the mesh's irregularity that leaves no support: the steepest neighbour is taken instead. */
static ig_status find_below(search *s, ig_lid e) {
  const double enough = sin(s->angle / 57.29577951308232) - 1e-6;
  const int n = neighbours(s, e);
  double steepest = 0;
  for (int i = 0; i < n; i++)
    steepest = fmax(steepest, steepness(s, e, s->near[i]));
  double least = enough;
  if (steepest < enough) {
    s->floating += s->open[e] || steepest < 0.1;
    if (s->open[e] || steepest < 0.1)
      return IG_OK;
    s->steep++;
    s->worst = fmin(s->worst, steepest);
    least = steepest - 1e-6;
  }
  for (int i = 0; i < n; i++)
    if (steepness(s, e, s->near[i]) >= least)
      IG_TRY(add_below(s, s->near[i]));
  return IG_OK;
}

/* Both numbers are signs that the mesh does not suit the building direction. */
static void tell_supports(const search *s) {
  if (s->floating > 0)
    ig_warn_at(s->m->cx, s->at,
               "overhang: %" PRId64 " elements have air below them and nothing within %g degrees: "
               "they stay void unless they are held solid",
               s->floating, 90 - s->angle);
  if (s->steep > 0)
    ig_warn_at(s->m->cx, s->at,
               "overhang: %" PRId64 " elements inside the mesh have no neighbour within %g degrees "
               "below: the steepest counts, at most %.0f degrees from upright",
               s->steep, 90 - s->angle, acos(s->worst) * 57.29577951308232);
}

/* --- levels and stages --- */

/* Stages first: a rank computes all its levels of a stage before the exchange. */
static int by_stage(const void *a, const void *b) {
  const place *p = a, *q = b;
  if (p->stage != q->stage)
    return p->stage < q->stage ? -1 : 1;
  if (p->level != q->level)
    return p->level < q->level ? -1 : 1;
  return (p->element > q->element) - (p->element < q->element);
}

static int owner(const search *s, ig_lid e) {
  return s->m->part.divided ? ig_rows_owner(&s->m->part.cells, e) : 0;
}

/* One more than the highest level of those below, and than the last stage of other ranks' below.
   Elements by height: what holds one up is lower and was placed before. */
static ig_status find_places(search *s) {
  ig_topopt_mesh_printing *p = &s->m->printing;
  const size_t n = (size_t)s->m->elements;
  ranked *by;
  IG_TRY(IG_NEW(s->m->cx, &s->place, n, "levels"));
  IG_TRY(IG_NEW(s->m->cx, &by, n, "levels"));
  for (size_t i = 0; i < n; i++)
    by[i] = (ranked){height(s, (ig_lid)i), (ig_lid)i};
  qsort(by, n, sizeof *by, rising);
  p->levels = p->stages = 1;
  for (size_t i = 0; i < n; i++) {
    place *e = &s->place[by[i].element];
    e->element = by[i].element;
    for (int64_t k = s->start[e->element]; k < s->start[e->element + 1]; k++) {
      const place *below = &s->place[s->below[k]];
      const int32_t stage = below->stage + (owner(s, below->element) != owner(s, e->element));
      e->level = below->level >= e->level ? below->level + 1 : e->level;
      e->stage = stage > e->stage ? stage : e->stage;
    }
    p->levels = e->level >= p->levels ? e->level + 1 : p->levels;
    p->stages = e->stage >= p->stages ? e->stage + 1 : p->stages;
  }
  free(by);
  return IG_OK;
}

/* Own elements by stage and level; where levels and stages begin. stage[s] is the first level of
   stage s among the rank's levels; ranks may have no level in a stage. */
static ig_status sort_own(search *s, int32_t *order) {
  ig_topopt_mesh_printing *p = &s->m->printing;
  place *own;
  int levels = 0, stage = 0;
  IG_TRY(IG_NEW(s->m->cx, &p->stage, (size_t)p->stages + 1, "levels"));
  IG_TRY(IG_NEW(s->m->cx, &own, (size_t)s->own + 1, "levels"));
  if (s->own) {
    memcpy(own, s->place + s->from, (size_t)s->own * sizeof *own);
    qsort(own, (size_t)s->own, sizeof *own, by_stage);
  }
  ig_status status = IG_NEW(s->m->cx, &p->level, (size_t)s->own + 1, "levels");
  for (ig_lid i = 0; i < s->own && status == IG_OK; i++) {
    order[i] = own[i].element - s->from;
    if (i > 0 && own[i].stage == own[i - 1].stage && own[i].level == own[i - 1].level)
      continue;
    for (; stage < own[i].stage; stage++)
      p->stage[stage + 1] = levels;
    p->level[levels++] = i;
  }
  for (; stage < p->stages; stage++)
    p->stage[stage + 1] = levels;
  if (status == IG_OK)
    p->level[levels] = s->own;
  p->supports.levels = levels;
  p->supports.level = p->level;
  free(own);
  return status;
}

/* --- lists of own elements --- */

/* Who stands on whom. The transpose of the lists `below`, by a counting sort: gradients go down
   along it. */
static ig_status find_above(search *s) {
  const size_t n = (size_t)s->m->elements;
  IG_TRY(IG_NEW(s->m->cx, &s->above_start, n + 2, "supports"));
  IG_TRY(IG_NEW(s->m->cx, &s->above, s->count + 1, "supports"));
  for (int64_t i = 0; i < s->count; i++)
    s->above_start[s->below[i] + 2]++;
  for (size_t i = 0; i < n; i++)
    s->above_start[i + 2] += s->above_start[i + 1];
  for (size_t e = 0; e < n; e++)
    for (int64_t i = s->start[e]; i < s->start[e + 1]; i++)
      s->above[s->above_start[s->below[i] + 1]++] = (int32_t)e;
  return IG_OK;
}

/* What this rank calls elements: its own, then those of others below or above them. */
static ig_status find_numbers(search *s) {
  const int64_t *const start[] = {s->start, s->above_start};
  const int32_t *const item[] = {s->below, s->above};
  IG_TRY(IG_NEW(s->m->cx, &s->number, s->m->elements, "supports"));
  memset(s->number, 0xff, sizeof *s->number * (size_t)s->m->elements);
  for (int way = 0; way < 2; way++)
    for (int64_t i = start[way][s->from]; i < start[way][s->from + s->own]; i++)
      s->number[item[way][i]] = 0;
  s->places = ig_topopt_mesh_number(s->m, s->number);
  return IG_OK;
}

/* Lists of own elements, from those of the whole. Lists of the whole are cut to own elements;
   their items get the rank's numbers. */
static ig_status list_send(const search *s, const int64_t *start, const int32_t *item,
                           ig_array *to_start, ig_array *to) {
  const int64_t first = start[s->from], count = start[s->from + s->own] - first;
  IG_TRY(ig_array_new(s->m->cx, to_start, (size_t)s->own + 1, sizeof *start, "supports"));
  IG_TRY(ig_array_new(s->m->cx, to, (size_t)count + 1, sizeof *item, "supports"));
  for (ig_lid e = 0; e <= s->own; e++)
    ((int64_t *)to_start->host)[e] = start[s->from + e] - first;
  for (int64_t i = 0; i < count; i++)
    ((int32_t *)to->host)[i] = s->number ? s->number[item[first + i]] : item[first + i];
  IG_TRY(ig_array_push(s->m->cx, to_start));
  return ig_array_push(s->m->cx, to);
}

/* list[0] to list[5] own what p->supports points to. */
static ig_status send_supports(search *s) {
  ig_topopt_mesh_printing *p = &s->m->printing;
  ig_ctx *cx = s->m->cx;
  IG_TRY(list_send(s, s->start, s->below, &p->list[0], &p->list[1]));
  IG_TRY(list_send(s, s->above_start, s->above, &p->list[2], &p->list[3]));
  IG_TRY(ig_array_new(cx, &p->list[4], (size_t)s->own, sizeof(int32_t), "supports"));
  IG_TRY(sort_own(s, p->list[4].host));
  IG_TRY(ig_array_push(cx, &p->list[4]));
  IG_TRY(ig_array_from(cx, &p->list[5], s->plate + s->from, (size_t)s->own, 1, "supports"));
  p->supports.below_start = p->list[0].dev;
  p->supports.below = p->list[1].dev;
  p->supports.above_start = p->list[2].dev;
  p->supports.above = p->list[3].dev;
  p->supports.order = p->list[4].dev;
  p->supports.plate = p->list[5].dev;
  return IG_OK;
}

/* --- between ranks --- */

/* Own elements and others' in their lists: these are taken one way and those given the other.
   What one rank takes from below is what the other gives upwards: both lists come from one loop. */
static ig_status find_pairs(search *s, const int64_t *start, const int32_t *item,
                            ig_halo_pairs *take, ig_halo_pairs *give) {
  ig_ctx *cx = s->m->cx;
  for (ig_lid e = s->from; e < s->from + s->own; e++)
    for (int64_t i = start[e]; i < start[e + 1]; i++) {
      if (item[i] >= s->from && item[i] < s->from + s->own)
        continue;
      IG_TRY(ig_halo_pair_add(cx, take, owner(s, item[i]), s->number[item[i]]));
      IG_TRY(ig_halo_pair_add(cx, give, owner(s, item[i]), e - s->from));
    }
  return IG_OK;
}

/* rise: printed densities, after each stage upwards; sink: gradients by the sum below,
   downwards. */
static ig_status make_ghosts(search *s) {
  ig_topopt_mesh_printing *p = &s->m->printing;
  ig_ctx *cx = s->m->cx;
  ig_halo_pairs take[2] = {0}, give[2] = {0}; /* from below, from above */
  ig_halo_stages *const to[] = {&p->rise, &p->sink};
  int32_t *stage;
  IG_TRY(IG_NEW(cx, &stage, (size_t)s->places + 1, "supports"));
  for (ig_lid e = 0; e < s->m->elements; e++)
    if (s->number[e] >= 0)
      stage[s->number[e]] = s->place[e].stage;
  ig_status status = find_pairs(s, s->start, s->below, &take[0], &give[1]);
  if (status == IG_OK)
    status = find_pairs(s, s->above_start, s->above, &take[1], &give[0]);
  for (int way = 0; way < 2; way++) {
    ig_halo all = {0};
    if (status == IG_OK)
      status = ig_halo_of_pairs(cx, &give[way], &take[way], sizeof(double), &all);
    if (status == IG_OK)
      status = ig_halo_stages_new(cx, &all, p->stages, stage, to[way]);
    free(give[way].item);
    free(take[way].item);
  }
  free(stage);
  IG_TRY(status);
  const size_t places = (size_t)s->places;
  IG_TRY(ig_array_new_device(cx, &p->printed, places, sizeof(double), "printed densities"));
  return ig_array_new_device(cx, &p->work, places, sizeof(double), "printed densities");
}

/* --- */

static void search_free(search *s) {
  ig_csr_free(&s->around);
  ig_adjacency_free(&s->adj);
  free(s->plate);
  free(s->open);
  free(s->start);
  free(s->below);
  free(s->stamp);
  free(s->near);
  free(s->place);
  free(s->above_start);
  free(s->above);
  free(s->number);
}

/* On the whole mesh. `most` is the largest number of elements below one, which the smooth
   maximum of printed densities needs (ig_print_exponent). */
static ig_status find_supports(search *s) {
  ig_topopt_mesh_model *m = s->m;
  const size_t n = (size_t)m->elements;
  bool any = false;
  IG_TRY(ig_mesh_node_elements(m->cx, m->nodes, m->elements, m->info->nodes, m->conn, &s->around));
  IG_TRY(ig_mesh_adjacency(m->cx, m->mesh, &s->adj));
  IG_TRY(IG_NEW(m->cx, &s->plate, n, "supports"));
  IG_TRY(IG_NEW(m->cx, &s->open, n, "supports"));
  IG_TRY(IG_NEW(m->cx, &s->start, n + 1, "supports"));
  IG_TRY(IG_NEW(m->cx, &s->stamp, n, "supports"));
  IG_TRY(IG_NEW(m->cx, &s->near, n, "supports"));
  for (size_t e = 0; e < n; e++)
    s->stamp[e] = -1;
  find_plate(s);
  s->most = 1;
  for (size_t e = 0; e < n; e++) {
    any |= s->plate[e];
    if (!s->plate[e])
      IG_TRY(find_below(s, (ig_lid)e));
    if (!s->plate[e] && s->faces)
      IG_TRY(faces_below(s, (ig_lid)e, sin(s->angle / 57.29577951308232) - 1e-6));
    s->start[e + 1] = s->count;
    s->most = fmax(s->most, (double)(s->count - s->start[e]));
  }
  return any ? IG_OK : ig_fail_at(m->cx, s->at, "%s: no element stands on the plate", s->what);
}

/* From the whole mesh to the lists of this rank. */
static ig_status make(search *s) {
  IG_TRY(find_supports(s));
  tell_supports(s);
  s->m->printing.supports.most = s->most;
  IG_TRY(find_above(s));
  IG_TRY(find_places(s));
  if (!s->m->part.divided)
    return send_supports(s);
  IG_TRY(find_numbers(s));
  IG_TRY(send_supports(s));
  return make_ghosts(s);
}

/* --- what the design sees --- */

/* Stage by stage; on one rank there is a single stage with all levels. */
static ig_status print(void *self, const double *in, double *out) {
  ig_topopt_mesh_model *m = self;
  ig_topopt_mesh_printing *p = &m->printing;
  const ig_topopt_making_ops *ops = ig_topopt_making_ops_of(m->cx);
  double *printed = m->part.divided ? p->printed.dev : out;
  for (int s = 0; s < p->stages; s++) {
    IG_TRY(ops->print(m->cx, &p->supports, p->stage[s], p->stage[s + 1], m->role.dev, in, printed));
    if (m->part.divided)
      IG_TRY(ig_halo_stage(m->cx, &p->rise, s, printed, sizeof *printed));
  }
  return m->part.divided
             ? m->cx->backend->copy(m->cx, out, printed, (size_t)m->d.places * sizeof *out)
             : IG_OK;
}

/* Printed densities of elements below are needed again; gradients sink from stage to stage. */
static ig_status print_back(void *self, const double *in, const double *printed, double *work,
                            double *slope) {
  ig_topopt_mesh_model *m = self;
  ig_topopt_mesh_printing *p = &m->printing;
  const ig_topopt_making_ops *ops = ig_topopt_making_ops_of(m->cx);
  if (m->part.divided) {
    const size_t own = (size_t)m->d.places * sizeof *printed;
    IG_TRY(m->cx->backend->copy(m->cx, p->printed.dev, printed, own));
    IG_TRY(ig_halo_refresh(m->cx, &p->rise.all, p->printed.dev, sizeof *printed, IG_OK));
    printed = p->printed.dev;
    work = p->work.dev;
  }
  for (int s = p->stages - 1; s >= 0; s--) {
    IG_TRY(ops->print_back(m->cx, &p->supports, p->stage[s], p->stage[s + 1], m->role.dev, in,
                           printed, work, slope));
    if (m->part.divided)
      IG_TRY(ig_halo_stage(m->cx, &p->sink, s, work, sizeof *work));
  }
  return IG_OK;
}

/* Everything of the search is freed; what remains is in m->printing. */
ig_status ig_topopt_mesh_print_new(ig_topopt_mesh_model *m) {
  const ig_rows *cells = &m->part.cells;
  const ig_overhang_case *c = &m->c->overhang;
  search s = {.m = m,
              .at = &c->at,
              .what = "overhang",
              .angle = isnan(c->angle) ? 45 : c->angle,
              .worst = 1,
              .own = m->elements};
  if (m->part.divided) {
    s.from = cells->from;
    s.own = cells->to - cells->from;
  }
  IG_TRY(ig_topopt_mesh_direction(m, &c->at, s.what, c->direction, &s.axis, &s.sign));
  m->d.print = print;
  m->d.print_back = print_back;
  const ig_status status = make(&s);
  search_free(&s);
  return status;
}

ig_status ig_topopt_mesh_holders(ig_topopt_mesh_model *m, int axis, double sign, double angle,
                                 int64_t **start, int32_t **held, uint8_t **plate) {
  search s = {.m = m,
              .at = &m->c->printing.at,
              .what = "printing",
              .axis = axis,
              .sign = sign,
              .angle = angle,
              .faces = true,
              .worst = 1};
  const ig_status status = find_supports(&s);
  if (status == IG_OK) {
    *start = s.start;
    *held = s.below;
    *plate = s.plate;
    s.start = NULL;
    s.below = NULL;
    s.plate = NULL;
  }
  search_free(&s);
  return status;
}

void ig_topopt_mesh_print_free(ig_topopt_mesh_model *m) {
  ig_topopt_mesh_printing *p = &m->printing;
  for (int i = 0; i < IG_PRINT_LISTS; i++)
    ig_array_free(m->cx, &p->list[i]);
  ig_array_free(m->cx, &p->printed);
  ig_array_free(m->cx, &p->work);
  ig_halo_stages_free(m->cx, &p->rise);
  ig_halo_stages_free(m->cx, &p->sink);
  free(p->stage);
  free(p->level);
}
