/* A divided model: surfaces that touch. Which of the others' surfaces come near those of a rank is
   found by boxes with a skin: until nodes have moved so far that more could, its own nodes, nodes
   that may press on its facets, and all facets that one of these may press on are looked at, and
   their nodes and cohesive elements take their owners' states. A pair across a border is computed
   on both sides, from the same numbers to the same numbers.

   Cells have edge h. A node finds facets whose middle lies less than 2 h away along each axis. With
   B the box of facets at nodes whose forces are needed here, and s what two nodes can come nearer
   to each other:

     nodes in B + 2 h + s      may press on a facet with such a node, or are such
     facets in B + 4 h + 2 s   may be pressed by one of these */
#include "fracture/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double low[3], high[3];
} box;

/* What a rank looks at; from the part's tables, which are those of the whole here. */
typedef struct {
  const ig_frac_model *q;
  const ig_frac_part *p;
  const int32_t *conn, *opp;
  const void *x, *u;
  uint8_t *press, *need; /* nodes: look for a facet; have their owners' motion */
  uint8_t *crack;        /* cohesive elements: have their owners' state */
} scene;

static double place(const scene *s, int64_t n, int d) {
  const int64_t at = n * s->q->shape.dim + d;
  return ig_frac_model_real(s->q, s->x, at) + ig_frac_model_real(s->q, s->u, at);
}

static int64_t facet_node(const scene *s, int64_t facet, int j) {
  const int faces = s->q->shape.faces;
  return s->conn[ig_frac_face_node(s->q->kind, (int)(facet % faces), j) * (int64_t)s->q->s.ne +
                 facet / faces];
}

/* Whether a facet is free, or may come to be. */
static bool may_be_free(const scene *s, int64_t facet) {
  return s->opp[facet] < 0 || s->opp[facet] >= s->q->s.ne;
}

/* Whether the rank needs the force on a node: it is its own, or (rigid contact of facets, which
   hangs on all forces at both nodes of a pair) has an element in common with an own one. */
static bool wanted(const scene *s, int64_t n) {
  return s->p->node_layer[s->p->origin[n]] <= (s->q->s.zone.law.rigid ? 1 : 0);
}

static bool inside(const box *b, const double at[3], int dim, double more) {
  for (int d = 0; d < dim; d++)
    if (!(at[d] >= b->low[d] - more && at[d] <= b->high[d] + more))
      return false;
  return true;
}

/* Of all facets at nodes whose forces are needed. */
static box own_box(const scene *s) {
  const int64_t facets = (int64_t)s->q->s.ne * s->q->shape.faces;
  const int nodes = s->q->shape.face_nodes;
  box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int64_t f = 0; f < facets; f++) {
    bool mine = false;
    for (int j = 0; j < nodes && may_be_free(s, f); j++)
      mine = mine || wanted(s, facet_node(s, f, j));
    for (int j = 0; j < nodes && mine; j++)
      for (int d = 0; d < s->q->shape.dim; d++) {
        const double at = place(s, facet_node(s, f, j), d);
        b.low[d] = fmin(b.low[d], at);
        b.high[d] = fmax(b.high[d], at);
      }
  }
  return b;
}

static void nodes_choose(scene *s, const box *b, double more) {
  const int64_t facets = (int64_t)s->q->s.ne * s->q->shape.faces;
  for (int64_t f = 0; f < facets; f++)
    for (int j = 0; j < s->q->shape.face_nodes && may_be_free(s, f); j++) {
      const int64_t n = facet_node(s, f, j);
      double at[3] = {0};
      for (int d = 0; d < s->q->shape.dim; d++)
        at[d] = place(s, n, d);
      if (inside(b, at, s->q->shape.dim, more))
        s->press[n] = 1;
    }
}

/* Facets near the box, and all at the chosen nodes. */
static ig_status facets_choose(ig_frac_model *m, scene *s, const box *b, double more) {
  ig_frac_part *p = m->divided;
  const int faces = m->shape.faces, dim = m->shape.dim;
  const int64_t ne = p->local.s.ne;
  p->linked.count = 0;
  for (int64_t f = 0; f < ne * faces; f++) {
    double mid[3] = {0};
    bool chosen = false;
    if (!may_be_free(s, f))
      continue;
    for (int j = 0; j < m->shape.face_nodes; j++) {
      const int64_t n = facet_node(s, f, j);
      chosen = chosen || s->press[n];
      for (int d = 0; d < dim && j < dim; d++)
        mid[d] += place(s, n, d) / dim;
    }
    if (!chosen && !inside(b, mid, dim, more))
      continue;
    IG_TRY(ig_frac_list_add(m->cx, &p->linked, (int32_t)f));
    for (int a = 0; a < m->shape.nodes; a++)
      s->need[s->conn[a * ne + f / faces]] = 1;
    if (s->opp[f] >= ne)
      s->crack[s->opp[f] - ne] = 1;
  }
  return ig_frac_list_push(m->cx, &p->linked, 0);
}

static ig_status scene_choose(ig_frac_model *m, scene *s) {
  ig_frac_part *p = m->divided;
  const double h = m->s.surface.cell, skin = p->skin;
  const box b = own_box(s);
  nodes_choose(s, &b, 2 * h + skin);
  IG_TRY(facets_choose(m, s, &b, 4 * h + 2 * skin));
  p->pressing.count = p->reacting.count = 0;
  for (int32_t n = 0; n < p->local.count.nodes; n++) {
    if (s->press[n])
      IG_TRY(ig_frac_list_add(m->cx, &p->pressing, n));
    if (wanted(s, n))
      IG_TRY(ig_frac_list_add(m->cx, &p->reacting, n));
    s->need[n] = s->need[n] || p->node_layer[p->origin[n]] <= p->reach + 1;
  }
  IG_TRY(ig_frac_list_push(m->cx, &p->reacting, 0));
  return ig_frac_list_push(m->cx, &p->pressing, 0);
}

/* --- lists of messages */

/* Flagged items of other ranks, rank by rank. */
static ig_status take_list(ig_frac_model *m, const uint8_t *flag, const int32_t *rank,
                           int32_t count, ig_frac_passing *w) {
  const ig_frac_part *p = m->divided;
  IG_TRY(IG_NEW(m->cx, &w->start, (size_t)p->ranks + 2, "ghosts"));
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < count; i++)
      if (flag[i] && rank[i] != p->rank) {
        if (pass)
          w->node[w->start[rank[i] + 1]++] = i;
        else
          w->start[rank[i] + 2]++;
      }
    for (int r = 0; r < p->ranks && !pass; r++) /* start[r + 1] moves on to the end of r */
      w->start[r + 2] += w->start[r + 1];
    if (!pass)
      IG_TRY(IG_NEW(m->cx, &w->node, (size_t)w->start[p->ranks + 1] + 1, "ghosts"));
  }
  return IG_OK;
}

/* Owners are asked for flagged items; numbers are the same on all ranks. */
static ig_status import_make(ig_frac_model *m, const uint8_t *flag, const int32_t *rank,
                             int32_t count, size_t item, ig_halo *halo) {
  ig_frac_passing take = {0}, give = {0};
  const ig_status found = take_list(m, flag, rank, count, &take);
  ig_status status = ig_ranks_agree(m->cx, found);
  if (status == IG_OK)
    status = ig_frac_ask(m, &take, take.node, &give);
  const ig_halo_lists lists = {m->divided->ranks, give.start, give.node, take.start, take.node};
  if (status == IG_OK)
    status = ig_halo_of(m->cx, &lists, item, halo);
  free(take.start);
  free(take.node);
  free(give.start);
  free(give.node);
  return status;
}

static size_t state_size(const ig_frac_model *m) {
  return (size_t)(m->shape.points * m->shape.state) * (m->wide ? 8 : 4);
}

static ig_status imports_make(ig_frac_model *m, scene *s) {
  ig_frac_part *p = m->divided;
  const ig_frac_count *count = &p->local.count;
  int32_t *rank = NULL;
  ig_status status = IG_NEW(m->cx, &rank, (size_t)count->nodes + 1, "ghosts");
  status = ig_ranks_agree(m->cx, status);
  for (int32_t n = 0; n < count->nodes && status == IG_OK; n++)
    rank[n] = p->owner[p->origin[n]];
  if (status == IG_OK)
    status = import_make(m, s->need, rank, count->nodes,
                         2 * (size_t)m->shape.dim * (m->wide ? 8 : 4), &p->import);
  free(rank);
  const int32_t *held = p->cohesive.a.host;
  for (int64_t i = 0; i < p->cohesive.count && status == IG_OK; i++)
    s->crack[held[i]] = 0; /* this rank computes it */
  if (status == IG_OK)
    status = import_make(m, s->crack, p->crack_owner.a.host, count->cohesive, state_size(m),
                         &p->crack_import);
  return status;
}

/* --- */

static ig_status scene_open(ig_frac_model *m, scene *s) {
  ig_frac_model *q = &m->divided->local;
  static const char *const names[] = {"conn", "opp", "x", "u"};
  void *host[4];
  *s = (scene){.q = q, .p = m->divided};
  for (int i = 0; i < 4; i++)
    IG_TRY(ig_frac_model_pull(q, names[i], &host[i]));
  s->conn = host[0];
  s->opp = host[1];
  s->x = host[2];
  s->u = host[3];
  IG_TRY(IG_NEW(m->cx, &s->press, (size_t)q->count.nodes + 1, "surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->need, (size_t)q->count.nodes + 1, "surfaces"));
  IG_TRY(IG_NEW(m->cx, &s->crack, (size_t)q->count.cohesive + 1, "surfaces"));
  return ig_array_zero(m->cx, &ig_frac_table_find(q, "skin")->a);
}

/* All of the state to all ranks; then who is near whom. */
static ig_status look(ig_frac_model *m, ig_status status) {
  ig_frac_part *p = m->divided;
  const ig_frac_state *q = &p->local.s;
  const size_t real = m->wide ? 8 : 4, vector = (size_t)m->shape.dim * real;
  const ig_halo_array all[] = {{q->nodal.u, vector},
                               {q->nodal.v, vector},
                               {q->surface.part, sizeof *q->surface.part},
                               {q->surface.mass, real},
                               {q->surface.gap, real}};
  scene s = {0};
  status = ig_halo_refresh_all(m->cx, &p->halo[IG_FRAC_ALL], all, 5, status);
  status = ig_halo_refresh(m->cx, &p->crack_halo, q->crack.state, state_size(m), status);
  p->skin = m->s.surface.cell;
  p->moved = 0;
  if (status == IG_OK)
    status = scene_open(m, &s);
  if (status == IG_OK)
    status = scene_choose(m, &s);
  status = ig_ranks_agree(m->cx, status);
  if (status == IG_OK)
    status = imports_make(m, &s);
  p->unseen = status != IG_OK;
  free(s.press);
  free(s.need);
  free(s.crack);
  return status;
}

ig_status ig_frac_part_surfaces(ig_frac_model *m, ig_status status) {
  ig_frac_part *p = m->divided;
  ig_frac_model *q = &p->local;
  if (!m->s.surface.on)
    return status;
  if (p->unseen)
    status = look(m, status);
  else
    status = ig_halo_refresh(m->cx, &p->crack_import, q->s.crack.state, state_size(m), status);
  if (status == IG_OK)
    status = m->ops->run(m->cx, m->kind, m->wide, IG_FRAC_wipe, &q->s, 0,
                         (int64_t)m->s.surface.mask + 1);
  if (status == IG_OK)
    status = ig_frac_run_list(q, IG_FRAC_link, &p->linked);
  if (status == IG_OK)
    status = ig_frac_run_list(q, IG_FRAC_press, &p->pressing);
  return status == IG_OK ? ig_frac_run_list(q, IG_FRAC_react, &p->reacting) : status;
}

/* A step moves a node by dt v: how far any can have moved is known from the largest component. */
ig_status ig_frac_part_moved(ig_frac_model *m, ig_status status) {
  ig_frac_part *p = m->divided;
  const ig_frac_model *q = &p->local;
  const ig_backend *b = m->cx->backend;
  const size_t count = (size_t)q->count.nodes * (size_t)m->shape.dim;
  double most = 0;
  int64_t word = 0;
  if (!m->s.surface.on)
    return status;
  if (status == IG_OK)
    status = m->wide ? b->absmax_f64(m->cx, count, q->s.nodal.v, &most)
                     : b->absmax_f32(m->cx, count, q->s.nodal.v, &most);
  if (!(most < 1e300)) /* it blows up, which others see */
    most = 1e300;
  memcpy(&word, &most, sizeof word); /* numbers above 0 have the order of their bits */
  status = ig_ranks_most(m->cx, status, &word, 1);
  memcpy(&most, &word, sizeof most);
  p->moved += m->s.dt * most;
  if (!(2.02 * p->moved < p->skin)) /* two towards each other, and rounding */
    p->unseen = true;
  return status;
}
