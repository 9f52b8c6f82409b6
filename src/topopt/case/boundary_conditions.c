/* From the entries of a case to arrays over nodes and elements: roles, supports, springs, loads,
   ports, constraints. The same code serves grids and meshes: ig_topopt_points says which nodes,
   elements and faces lie where (`each`), and visitors such as add_load write to the arrays.

   Sums over points are made in the order of the points of the whole body. Of a grid that is
   divided between ranks every rank visits all points, with places outside of its arrays for
   those of others: counts and shares are then equal on all ranks without any message, and a
   visitor only has to check the place before it writes.

   Loads become unit vectors with their norm beside them (put): states are then of the order of 1
   whatever the units of the case, which the single-precision preconditioners need. */
#include "topopt/case/boundary_conditions.h"
#include "backend/backend.h"
#include "mesh/load_check.h"
#include "mesh/support.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- points that are there --- */

/* Visitor: adds up weights; the number of nodes, a volume in elements, or an area. */
static void weigh(void *user, int64_t place, double weight) {
  (void)place;
  *(double *)user += weight;
}

/* What the points of an entry of `list` weigh; there must be some. An entry that selects nothing
   is an error with the extent of the body in it: mostly a wrong unit. */
static ig_status count(const ig_topopt_points *p, const char *list, ig_where where,
                       ig_point_kind kind, double *all) {
  static const char *const names[] = {"node", "element's centre", "boundary face", "node"};
  *all = 0;
  IG_TRY(ig_topopt_points_visit(p, where, kind, weigh, all));
  return *all > 0 ? IG_OK
                  : ig_fail_at(p->cx, where.at,
                               "%s: no %s of the %s lies there; it spans %g %g %g to %g %g %g m",
                               list, names[kind], p->name, p->low[0], p->low[1], p->low[2],
                               p->high[0], p->high[1], p->high[2]);
}

/* --- roles --- */

/* Visitors that mark points: a byte is set, or bits are added to it. */
typedef struct {
  uint8_t *byte, value;
  int64_t places;
} marking;
static void set_byte(void *user, int64_t place, double weight) {
  (void)weight;
  const marking *m = user;
  if (place >= 0 && place < m->places)
    m->byte[place] = m->value;
}
static void add_bits(void *user, int64_t place, double weight) {
  (void)weight;
  const marking *m = user;
  if (place >= 0 && place < m->places)
    m->byte[place] |= m->value;
}

/* Order of precedence: everything is designed, then what lies outside of `stl` is void, then the
   entries of `passive` one after the other, of which the last wins. */
ig_status ig_topopt_points_roles(const ig_topopt_points *p, uint8_t *role, int64_t *solid,
                                 int64_t *designed) {
  const ig_topopt_case *c = p->c;
  const ig_place everywhere = {0};
  marking m = {role, IG_ROLE_DESIGN, p->places};
  double all;
  IG_TRY(ig_topopt_points_visit(p, (ig_where){&c->at, NULL, &everywhere}, IG_POINT_ELEMENTS,
                                set_byte, &m));
  if (c->grid.at.given && c->grid.stl)
    IG_TRY(ig_topopt_grid_part(p, role));
  for (int i = 0; i < c->passive.count; i++) {
    const ig_passive_case *passive = IG_ITEM(ig_passive_case, c->passive, i);
    m.value = passive->as == 0 ? IG_ROLE_SOLID : IG_ROLE_VOID;
    IG_TRY(count(p, "passive", IG_WHERE(passive), IG_POINT_ELEMENTS, &all));
    IG_TRY(ig_topopt_points_visit(p, IG_WHERE(passive), IG_POINT_ELEMENTS, set_byte, &m));
  }
  int64_t found[2] = {0, 0};
  for (int64_t i = ig_topopt_own_begin(p); i < ig_topopt_own_end(p, p->places); i++) {
    found[0] += role[i] == IG_ROLE_SOLID;
    found[1] += role[i] == IG_ROLE_DESIGN;
  }
  if (p->slab)
    IG_TRY(ig_slab_count(p->slab, found, 2));
  *solid = found[0];
  *designed = found[1];
  return *designed > 0 ? IG_OK : ig_fail_at(p->cx, &c->at, "passive: no element is left to design");
}

/* --- supports --- */

/* "x-", "x+", ... : two characters, of a plane problem without z. */
bool ig_topopt_plane_read(const char *text, int dim, int *axis, int *side) {
  if (!text || strlen(text) != 2 || text[0] < 'x' || text[0] >= 'x' + dim ||
      (text[1] != '-' && text[1] != '+'))
    return false;
  *axis = text[0] - 'x';
  *side = text[1] == '+';
  return true;
}

/* Bits of what is held; who holds a temperature holds all there is. The words of `fix` are those
   of all rooms (mesh/support.h). A temperature is one unknown and has bit 0 alone. */
static ig_status fix_read(const ig_topopt_points *p, const ig_hold_case *hold, uint8_t *bits) {
  ig_support_case support = ig_support_fix(NULL, hold->fix);
  ig_support_motion motion;
  support.at = hold->at;
  IG_TRY(ig_support_read(p->cx, &support, p->dim, &motion));
  *bits = 0;
  for (int c = 0; c < p->dim; c++)
    if (motion.kind[c] == IG_MOVE_FIXED)
      *bits |= (uint8_t)(p->size == 1 ? 1 : 1 << c);
  return IG_OK;
}

/* Bits are added: several entries may hold different components of one node. */
ig_status ig_topopt_points_support(const ig_topopt_points *p, const ig_hold_case *hold,
                                   uint8_t *fix) {
  marking m = {.byte = fix, .places = p->nodes};
  double all;
  IG_TRY(fix_read(p, hold, &m.value));
  IG_TRY(count(p, "supports", IG_WHERE(hold), IG_POINT_ALL_NODES, &all));
  return ig_topopt_points_visit(p, IG_WHERE(hold), IG_POINT_ALL_NODES, add_bits, &m);
}

/* A plane of symmetry holds the displacement normal to it; for heat the natural condition is
   symmetry already. */
static ig_status planes_hold(const ig_topopt_points *p, uint8_t *fix) {
  const ig_topopt_case *c = p->c;
  marking m = {.byte = fix, .places = p->nodes};
  for (int i = 0; i < c->symmetry.count; i++) {
    int axis, side;
    if (!ig_topopt_plane_read(c->symmetry.value[i], p->dim, &axis, &side))
      return ig_fail_at(p->cx, &c->at, "symmetry: '%.20s' is no plane: expected x-, x+, y-, y+%s",
                        c->symmetry.value[i], p->dim == 3 ? ", z- or z+" : "");
    for (int k = 0; k < i; k++)
      if (c->symmetry.value[k][0] == c->symmetry.value[i][0])
        return ig_fail_at(p->cx, &c->at,
                          "symmetry: %s and %s are planes of one axis: give one, and supports that "
                          "fix %c on the other side",
                          c->symmetry.value[k], c->symmetry.value[i], c->symmetry.value[i][0]);
    if (p->size == 1)
      continue; /* no heat crosses a free side as it is */
    double point[3] = {0}, normal[3] = {0};
    point[axis] = (side ? p->high : p->low)[axis];
    normal[axis] = 1;
    const ig_place plane = {
        .at.given = true, .plane = {.at.given = true, .point = {3, point}, .normal = {3, normal}}};
    m.value = (uint8_t)(1 << axis);
    IG_TRY(ig_topopt_points_visit(p, (ig_where){&c->at, NULL, &plane}, IG_POINT_ALL_NODES, add_bits,
                                  &m));
  }
  return IG_OK;
}

typedef struct {
  const ig_topopt_points *p;
  const uint8_t *fix;
  const ig_hold_case *hold;
  double *u, scale;
  uint8_t *before; /* components that entries before hold */
  bool differs;    /* from what they say */
} leading;

/* Visitor: the prescribed value at the components that this entry holds, in units of the state
   (displacement times stiffness). */
static void lead(void *user, int64_t node, double weight) {
  leading *l = user;
  (void)weight;
  for (int c = 0; ig_topopt_in_nodes(l->p, node) && c < l->p->size; c++) {
    const double given = l->p->size == 1 ? l->hold->temperature : l->hold->displacement[c];
    const double value = isnan(given) ? 0 : given * l->scale;
    double *u = &l->u[node * l->p->step + c * l->p->stride];
    if (!(l->fix[node] >> c & 1))
      continue;
    l->differs |= l->before[node] >> c & 1 && *u != value;
    *u = value;
    l->before[node] |= (uint8_t)(1 << c);
  }
}

/* Displacements and temperatures belong to different problems. */
static ig_status check_hold(const ig_topopt_points *p, const ig_hold_case *hold, bool *moves,
                            bool *warm) {
  *warm = !isnan(hold->temperature);
  *moves = false;
  for (int d = 0; d < 3; d++)
    *moves = *moves || !isnan(hold->displacement[d]);
  if (p->size == 1 && *moves)
    return ig_fail_at(p->cx, &hold->at,
                      "supports: displacement: a heat problem has a temperature instead");
  if (p->size > 1 && *warm)
    return ig_fail_at(p->cx, &hold->at, "supports: temperature: only in a heat problem");
  return IG_OK;
}

/* Entries overwrite each other where they hold the same component, which is said where they differ;
   along a plane of symmetry nothing moves across it. Nothing is allocated where
   all values are zero, so that the design skips the lifting (design/load.c). */
ig_status ig_topopt_points_held(const ig_topopt_points *p, const uint8_t *fix, double stiffness,
                                const double *expanded, ig_array *held) {
  double *u, most = 0;
  const size_t n = (size_t)(p->nodes * p->size);
  bool any = false, moves, warm;
  for (int i = 0; i < p->c->supports.count; i++) {
    IG_TRY(check_hold(p, IG_ITEM(ig_hold_case, p->c->supports, i), &moves, &warm));
    any = any || moves || warm;
  }
  if (!any && !expanded)
    return IG_OK;
  uint8_t *before = NULL;
  ig_status status = IG_NEW(p->cx, &u, n, "supports");
  if (status == IG_OK)
    status = IG_NEW(p->cx, &before, p->nodes, "supports");
  if (status == IG_OK && p->size > 1)
    status = planes_hold(p, before);
  for (int i = 0; i < p->c->supports.count && status == IG_OK; i++) {
    const ig_hold_case *hold = IG_ITEM(ig_hold_case, p->c->supports, i);
    uint8_t *own; /* what this entry holds, no matter what others do */
    status = IG_NEW(p->cx, &own, p->nodes, "supports");
    if (status == IG_OK)
      status = ig_topopt_points_support(p, hold, own);
    leading l = {p, own, hold, u, stiffness, before, false};
    if (status == IG_OK)
      status = p->each(p->self, IG_WHERE(hold), IG_POINT_ALL_NODES, lead, &l);
    if (status == IG_OK && l.differs)
      ig_warn_at(
          p->cx, &hold->at,
          "supports: some nodes there are held at another value by a support before, or by a "
          "plane of symmetry: this one counts there; take them out of one of the two");
    free(own);
  }
  free(before);
  for (int64_t i = 0; u && expanded && i < p->nodes; i++)
    for (int c = 0; c < p->size; c++)
      if (fix[i] >> c & 1)
        u[i * p->step + c * p->stride] -= expanded[i * p->step + c * p->stride];
  for (size_t i = 0; u && i < n; i++)
    most = fmax(most, fabs(u[i]));
  status = ig_topopt_points_meet(p, status);
  if (status == IG_OK && p->slab) /* a rank may have none of these nodes */
    status = ig_slab_most(p->slab, &most, 1);
  if (status == IG_OK && most > 0)
    status = ig_array_from(p->cx, held, u, n, sizeof *u, "supports");
  free(u);
  return status;
}

typedef struct {
  const ig_topopt_points *p;
  double *u, scale;
} expanding;

static void expand(void *user, int64_t node, double weight) {
  const expanding *e = user;
  double x[3];
  (void)weight;
  if (!ig_topopt_in_nodes(e->p, node))
    return;
  e->p->position(e->p->self, node, x);
  for (int c = 0; c < e->p->size; c++)
    e->u[node * e->p->step + c * e->p->stride] = e->scale * (x[c] - e->p->low[c]);
}

/* What every node would be displaced by if nothing held it, times stiffness; NULL: no change of
   temperature. */
static ig_status expansion_make(const ig_topopt_points *p, const ig_loading *l, double **to) {
  const ig_place all = {0};
  *to = NULL;
  if (l->expansion == 0)
    return IG_OK;
  IG_TRY(ig_topopt_points_meet(p, IG_NEW(p->cx, to, p->nodes * p->size, "expansion")));
  return p->each(p->self, (ig_where){&p->c->at, NULL, &all}, IG_POINT_ALL_NODES, expand,
                 &(expanding){p, *to, l->expansion * l->stiffness});
}

/* Those of the entries, and planes of symmetry. */
ig_status ig_topopt_points_supports(const ig_topopt_points *p, uint8_t *fix) {
  const ig_topopt_case *c = p->c;
  for (int i = 0; i < c->supports.count; i++)
    IG_TRY(ig_topopt_points_support(p, IG_ITEM(ig_hold_case, c->supports, i), fix));
  return planes_hold(p, fix);
}

/* --- springs --- */

typedef struct {
  ig_spring *spring; /* NULL: counted */
  int64_t count;
  int size;
  double share[3];
} springs;
/* Visitor of two passes: the first, without memory, counts. */
static void add_springs(void *user, int64_t place, double weight) {
  (void)weight;
  springs *s = user;
  for (int c = 0; c < s->size; c++)
    if (s->share[c] > 0) {
      if (s->spring)
        s->spring[s->count] = (ig_spring){place, c, s->share[c]};
      s->count++;
    }
}

/* By node, then by component: equal entries become neighbours. */
static int spring_order(const void *a, const void *b) {
  const ig_spring *p = a, *q = b;
  return p->node != q->node ? (p->node < q->node ? -1 : 1) : p->component - q->component;
}

/* One pass over all entries: counts where s->spring is NULL, writes otherwise. The stiffness of
   an entry is shared equally by its nodes. */
static ig_status springs_fill(const ig_topopt_points *p, double stiffness, springs *s) {
  s->count = 0;
  for (int i = 0; i < p->c->springs.count; i++) {
    const ig_spring_case *k = IG_ITEM(ig_spring_case, p->c->springs, i);
    double nodes;
    IG_TRY(count(p, "springs", IG_WHERE(k), IG_POINT_NODES, &nodes));
    for (int c = 0; c < 3; c++)
      s->share[c] = k->stiffness[c] / nodes / stiffness;
    if (s->share[0] < 0 || s->share[1] < 0 || s->share[2] < 0)
      return ig_fail_at(p->cx, &k->at, "springs: a stiffness is below 0");
    IG_TRY(ig_topopt_points_visit(p, IG_WHERE(k), IG_POINT_NODES, add_springs, s));
  }
  return IG_OK;
}

/* Sorted and merged, so that each unknown has one entry and the matrix gets it once. */
ig_status ig_topopt_points_springs(const ig_topopt_points *p, double stiffness, ig_spring **spring,
                                   int *spring_count) {
  springs s = {.size = p->size};
  *spring = NULL;
  *spring_count = 0;
  if (p->c->springs.count && p->size == 1)
    return ig_fail_at(p->cx, &IG_ITEM(ig_spring_case, p->c->springs, 0)->at,
                      "springs: a heat problem has none");
  IG_TRY(springs_fill(p, stiffness, &s));
  if (s.count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(p->cx, &s.spring, s.count, "springs"));
  *spring = s.spring;
  IG_TRY(springs_fill(p, stiffness, &s));
  qsort(s.spring, (size_t)s.count, sizeof *s.spring, spring_order);
  int kept = 0; /* springs on one component add up */
  for (int64_t i = 1; i < s.count; i++)
    if (spring_order(&s.spring[kept], &s.spring[i]) == 0)
      s.spring[kept].stiffness += s.spring[i].stiffness;
    else
      s.spring[++kept] = s.spring[i];
  *spring_count = kept + 1;
  return IG_OK;
}

/* The end of a run asks which elements touch a spring (ig_topopt_points_touched). */
ig_status ig_topopt_points_sprung(const ig_topopt_points *p, const ig_spring *spring, int count,
                                  ig_loading *to) {
  to->springs = count;
  if (count == 0)
    return IG_OK;
  IG_TRY(IG_NEW(p->cx, &to->sprung, count, "springs"));
  for (int i = 0; i < count; i++)
    to->sprung[i] = spring[i].node;
  return IG_OK;
}

/* --- what is still loose --- */

/* Adds the motion that a held component of a node stops: its row over the rigid-body motions.
   Rows of the rigid-body motions at a held component: translation along c and rotations about
   the two other axes. Coordinates are relative to the middle of the body and its size, so that
   all six columns are of the same order. */
static void stop(const ig_topopt_points *p, int64_t node, int c, double gram[6][6]) {
  double x[3], row[6] = {0}, size = 0;
  p->position(p->self, node, x);
  for (int d = 0; d < 3; d++)
    size = fmax(size, p->high[d] - p->low[d]);
  for (int d = 0; d < 3; d++)
    x[d] = (x[d] - 0.5 * (p->low[d] + p->high[d])) / size;
  row[c] = 1;
  row[3 + (c + 1) % 3] = x[(c + 2) % 3]; /* turning about the next axis, and the one after */
  row[3 + (c + 2) % 3] = -x[(c + 1) % 3];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      gram[i][j] += row[i] * row[j];
}

/* The Gram matrix of those rows is singular exactly where some rigid-body motion is free.
   Elimination without pivoting names the first motion without a pivot; 1e-9 is far above
   rounding, and below any sensible arrangement of supports. */
const char *ig_topopt_points_loose(const ig_topopt_points *p, const uint8_t *fix,
                                   const ig_spring *spring, int count) {
  static const char *const motions[] = {"moves along x",          "moves along y",
                                        "moves along z",          "turns about the x axis",
                                        "turns about the y axis", "turns about the z axis"};
  struct {
    double gram[6][6], held;
  } found = {0};
  double(*gram)[6] = found.gram;
  for (int turn = 0; turn < (p->slab ? p->slab->ranks : 1); turn++) { /* nodes in their order */
    const int64_t end = !p->slab || turn == p->slab->rank ? ig_topopt_own_end(p, p->nodes) : 0;
    for (int64_t n = ig_topopt_own_begin(p); n < end; n++)
      for (int c = 0; fix[n] && c < p->size; c++)
        if (fix[n] >> c & 1) {
          found.held = 1;
          if (p->size > 1)
            stop(p, n, c, gram);
        }
    if (p->slab && ig_ranks_bcast(p->cx, turn, &found, sizeof found) != IG_OK)
      return NULL; /* the next call fails */
  }
  if (p->size == 1)
    return found.held != 0 ? NULL : "takes any temperature";
  for (int i = 0; i < count; i++)
    stop(p, spring[i].node, spring[i].component, gram);
  /* motions that are stopped leave a pivot */
  for (int k = 0; k < 6; k++) {
    const bool there = p->dim == 3 || k < 2 || k == 5;
    const double own = gram[k][k];
    if (there && !(own > 1e-9))
      return motions[k];
    for (int i = k + 1; there && i < 6; i++)
      for (int j = k + 1; j < 6; j++)
        gram[i][j] -= gram[i][k] * gram[k][j] / own;
  }
  return NULL;
}

/* --- loads, ports, constraints --- */

/* reach: of a load, whether it acts where nothing is held; NULL: it is none. */
typedef struct {
  const ig_topopt_points *p;
  double *f, share[3];
  const uint8_t *fix;
  ig_load_reach *reach;
} loading;
/* Adds v to the load at a node. */
static void add_at(const loading *l, int64_t place, const double v[3]) {
  if (!ig_topopt_in_nodes(l->p, place))
    return;
  for (int c = 0; c < l->p->size; c++)
    l->f[place * l->p->step + c * l->p->stride] += v[c];
  if (l->reach)
    ig_load_reaches(l->reach, v, l->p->size, l->fix[place]);
}
/* Visitor: adds share x weight; points of other ranks are outside of the arrays and are passed
   over. */
static void add_load(void *user, int64_t place, double weight) {
  const loading *l = user;
  const double v[3] = {l->share[0] * weight, l->share[1] * weight, l->share[2] * weight};
  add_at(l, place, v);
}

/* `value` shared by what is there, or all of it for each. Each node its share of the whole, by
   number (IG_SPREAD_NODES) or by the integrals of the face shape functions (IG_SPREAD_FACES). */
static ig_status spread(const ig_topopt_points *p, const char *list, ig_where where, int how,
                        const double *value, loading l) {
  const ig_point_kind kind = how == IG_SPREAD_FACES ? IG_POINT_FACES : IG_POINT_NODES;
  double all;
  IG_TRY(count(p, list, where, kind, &all));
  for (int c = 0; c < p->size; c++)
    l.share[c] = isnan(value[c]) ? 0 : value[c] / (how == IG_SPREAD_EACH ? 1 : all);
  return ig_topopt_points_visit(p, where, kind, add_load, &l);
}

/* The middle of points by their weights, their bounds, and a bit in the bytes of all of them. */
typedef struct {
  const ig_topopt_points *p;
  uint8_t *mark, bit;
  double weight, middle[3], low[3], high[3];
} region;
static void add_region(void *user, int64_t place, double weight) {
  region *g = user;
  double x[3];
  g->p->position(g->p->self, place, x);
  g->mark[place] |= g->bit;
  for (int d = 0; d < 3; d++) {
    g->low[d] = g->weight == 0 ? x[d] : fmin(g->low[d], x[d]);
    g->high[d] = g->weight == 0 ? x[d] : fmax(g->high[d], x[d]);
    g->middle[d] += weight * x[d];
  }
  g->weight += weight;
}

/* Equal shares of nodes put a force at the mean of the nodes. Where elements on one side are
   smaller, that is beside the middle of the faces, and a bar that is pulled bends, too: with a
   distance e in a height h by 12 e^2 / h^2 of its energy, 1 % for the 0.03 below. Compared where
   nodes and faces of the entry are the same region. */
static ig_status check_middle(const ig_topopt_points *p, const ig_load_case *load) {
  region at[2] = {{.p = p, .bit = 1}, {.p = p, .bit = 2}};
  uint8_t *mark;
  if (!p->faces || !p->faces(p->self, load->set))
    return IG_OK;
  IG_TRY(IG_NEW(p->cx, &mark, p->nodes, "nodes of a load"));
  ig_status status = IG_OK;
  for (int k = 0; k < 2 && status == IG_OK; k++) {
    at[k].mark = mark;
    status = ig_topopt_points_visit(p, IG_WHERE(load), k ? IG_POINT_FACES : IG_POINT_NODES,
                                    add_region, &at[k]);
  }
  bool same = at[1].weight > 0;
  for (int64_t i = 0; i < p->nodes; i++)
    same = same && (mark[i] == 0 || mark[i] == 3);
  free(mark);
  IG_TRY(status);
  double away = 0, extent = 0;
  for (int d = 0; same && d < 3; d++) {
    const double by = at[0].middle[d] / at[0].weight - at[1].middle[d] / at[1].weight;
    away += by * by;
    extent = fmax(extent, at[0].high[d] - at[0].low[d]);
  }
  if (sqrt(away) > 0.03 * extent)
    ig_warn_at(p->cx, &load->at,
               "loads: equal shares of the nodes put the load %.3g m beside the middle of their "
               "faces, because elements differ in size: give `spread: faces` for a uniform one",
               sqrt(away));
  return IG_OK;
}

static void add_pressure(void *user, int64_t place, double weight) {
  const loading *l = user;
  double v[3];
  for (int c = 0; c < 3; c++)
    v[c] = -(l->share[0] * weight * l->p->normal[c]);
  add_at(l, place, v);
}

/* A pressure acts against the outer normal, hence the minus in add_pressure. */
static ig_status press(const ig_topopt_points *p, const ig_load_case *load, loading l) {
  const double thick = p->dim == 2 ? ig_topopt_thickness(p->c) : 1;
  double all;
  l.share[0] = load->pressure * thick;
  IG_TRY(count(p, "loads", IG_WHERE(load), IG_POINT_FACES, &all));
  return ig_topopt_points_visit(p, IG_WHERE(load), IG_POINT_FACES, add_pressure, &l);
}

/* Forces w x r about the middle of some nodes; their moment is J w, J = sum of r.r I - r r^T. */
typedef struct {
  const ig_topopt_points *p;
  const loading *to;
  double middle[3], count, inertia[3][3], w[3];
} turning;

/* Visitor: every node counts, those of other ranks, too, so that all ranks find the same middle. */
static void add_middle(void *user, int64_t place, double weight) {
  turning *t = user;
  double x[3];
  (void)weight;
  t->p->position(t->p->self, place, x);
  t->count++;
  for (int d = 0; d < 3; d++)
    t->middle[d] += x[d];
}
/* Visitor: adds r.r I - r r^T of a node to the inertia of the point set; every node has unit
   mass. */
static void add_inertia(void *user, int64_t place, double weight) {
  turning *t = user;
  double x[3], rr = 0;
  (void)weight;
  t->p->position(t->p->self, place, x);
  for (int d = 0; d < 3; d++) {
    x[d] -= t->middle[d];
    rr += x[d] * x[d];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      t->inertia[i][j] += (i == j ? rr : 0) - x[i] * x[j];
}
/* Visitor: the force w x r at a node, component by component. */
static void add_turning(void *user, int64_t place, double weight) {
  turning *t = user;
  double x[3], v[3];
  (void)weight;
  t->p->position(t->p->self, place, x);
  for (int d = 0; d < 3; d++)
    x[d] -= t->middle[d];
  for (int c = 0; c < 3; c++) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    v[c] = t->w[a] * x[b] - t->w[b] * x[a];
  }
  add_at(t->to, place, v);
}

/* Forces proportional to the distance from the axis, f_i = w x r_i, with w from the moment: J w
   = m. Nodes on a line have no inertia about it: a moment about that line cannot be applied. */
static ig_status turn(const ig_topopt_points *p, const ig_load_case *load, const loading *to) {
  turning t = {.p = p, .to = to};
  double all, m[3] = {load->moment[0], load->moment[1], load->moment[2]}, trace = 0;
  if (p->dim == 2 && (m[0] != 0 || m[1] != 0))
    return ig_fail_at(p->cx, &load->at, "loads: moment: in a plane only the last, about z");
  IG_TRY(count(p, "loads", IG_WHERE(load), IG_POINT_NODES, &all));
  IG_TRY(ig_topopt_points_visit(p, IG_WHERE(load), IG_POINT_NODES, add_middle, &t));
  for (int d = 0; d < 3; d++)
    t.middle[d] /= t.count;
  IG_TRY(ig_topopt_points_visit(p, IG_WHERE(load), IG_POINT_NODES, add_inertia, &t));
  for (int d = 0; d < 3; d++)
    trace += t.inertia[d][d];
  for (int k = 0; k < 3; k++) { /* elimination; a direction without inertia takes no moment */
    const double pivot = t.inertia[k][k];
    if (!(pivot > 1e-9 * trace)) {
      if (fabs(m[k]) > 1e-12 * fabs(load->moment[k]) && load->moment[k] != 0)
        return ig_fail_at(p->cx, &load->at,
                          "loads: moment: the nodes there lie on its axis: select more");
      continue;
    }
    for (int i = k + 1; i < 3; i++) {
      const double share = t.inertia[i][k] / pivot;
      for (int j = k; j < 3; j++)
        t.inertia[i][j] -= share * t.inertia[k][j];
      m[i] -= share * m[k];
    }
  }
  for (int k = 2; k >= 0; k--) {
    double rest = m[k];
    for (int j = k + 1; j < 3; j++)
      rest -= t.inertia[k][j] * t.w[j];
    t.w[k] = t.inertia[k][k] > 1e-9 * trace ? rest / t.inertia[k][k] : 0;
  }
  return ig_topopt_points_visit(p, IG_WHERE(load), IG_POINT_NODES, add_turning, &t);
}

/* Takes the held components out of a load, makes it unit and sends it to the device. `other`:
   norm of what else acts, 0: nothing. The norm is summed in the order of nodes, rank after rank,
   so that it has the same bits on any number of ranks. `other` keeps the unit sensible where
   forces are small beside weight or prescribed displacements. Squares outside of 1e-280 to 1e280
   would have lost digits. */
static ig_status put(const ig_topopt_points *p, const ig_src *at, double *f, const uint8_t *fix,
                     const char *list, double other, ig_array *to, double *norm) {
  const int64_t n = p->nodes * p->size;
  double s = 0, most = 0;
  for (int c = 0; c < p->size; c++)
    for (int64_t i = 0; i < p->nodes; i++)
      if (fix[i] >> c & 1)
        f[i * p->step + c * p->stride] = 0;
  for (int c = 0; c < p->size; c++)
    for (int turn = 0; turn < (p->slab ? p->slab->ranks : 1); turn++) {
      double sums[2] = {s, most}; /* ranks take turns: one order of the sum */
      const int64_t end = !p->slab || turn == p->slab->rank ? ig_topopt_own_end(p, p->nodes) : 0;
      for (int64_t i = ig_topopt_own_begin(p); i < end; i++) {
        const double v = f[i * p->step + c * p->stride];
        sums[0] += v * v;
        sums[1] = fmax(sums[1], fabs(v));
      }
      if (p->slab)
        IG_TRY(ig_ranks_bcast(p->cx, turn, sums, sizeof sums));
      s = sums[0];
      most = sums[1];
    }
  *norm = fmax(sqrt(s), other);
  if (most > 0 && !(s > 1e-280 && s < 1e280))
    return ig_fail_at(p->cx, at, "%s: of %g: give them in a unit that suits them", list, most);
  if (!(*norm > 0))
    return ig_fail_at(p->cx, at, "%s: nothing acts on a node that is free to move%s", list,
                      p->c->problem == IG_PROBLEM_HEAT ? ": give 'heat' in it, or a 'source'" : "");
  for (int64_t i = 0; i < n; i++)
    f[i] /= *norm;
  return ig_array_from(p->cx, to, f, (size_t)n, sizeof *f, list);
}

/* A frequency problem may have none. */
int ig_topopt_load_cases(const ig_topopt_case *c) {
  int cases = c->problem == IG_PROBLEM_FREQUENCY ? 0 : 1;
  for (int i = 0; i < c->loads.count; i++) {
    const int64_t of = IG_ITEM(ig_load_case, c->loads, i)->load_case;
    cases = of > cases ? (int)of : cases;
  }
  return cases;
}

/* Warns of a load on held nodes; what of it acts where it moves something may be on another rank.
 */
static ig_status held_warn(const ig_topopt_points *p, const ig_load_case *load,
                           ig_load_reach *reach) {
  double number[IG_REACH_NUMBERS];
  if (p->slab) {
    ig_load_reach_get(reach, number);
    IG_TRY(ig_slab_most(p->slab, number, IG_REACH_NUMBERS));
    ig_load_reach_set(reach, number);
  }
  ig_warn_held(p->cx, &load->at, reach);
  return IG_OK;
}

/* Everything that acts in one load case, added into f (zeroed first). The volume source of a
   heat problem belongs to every load case. */
static ig_status loads_of_case(const ig_topopt_points *p, const uint8_t *fix, int number,
                               double *f) {
  const ig_topopt_case *c = p->c;
  memset(f, 0, (size_t)(p->nodes * p->size) * sizeof *f);
  for (int i = 0; i < c->loads.count; i++) {
    const ig_load_case *load = IG_ITEM(ig_load_case, c->loads, i);
    if (load->load_case != number)
      continue;
    const double *moment = load->moment;
    const bool turns = moment[0] != 0 || moment[1] != 0 || moment[2] != 0;
    if (p->size == 1 && (turns || load->pressure != 0))
      return ig_fail_at(p->cx, &load->at, "loads: a heat problem has heat alone");
    const double *value = p->c->problem == IG_PROBLEM_HEAT ? &load->heat : load->force;
    bool acts = false;
    for (int k = 0; k < p->size; k++)
      acts = acts || (!isnan(value[k]) && value[k] != 0);
    if (acts && load->spread == IG_SPREAD_NODES)
      IG_TRY(check_middle(p, load));
    ig_load_reach reach = {0};
    const loading l = {.p = p, .f = f, .fix = fix, .reach = &reach};
    IG_TRY(spread(p, "loads", IG_WHERE(load), load->spread, value, l));
    IG_TRY(turns ? turn(p, load, &l) : IG_OK);
    IG_TRY(load->pressure != 0 ? press(p, load, l) : IG_OK);
    if (p->size > 1)
      IG_TRY(held_warn(p, load, &reach));
  }
  if (c->problem == IG_PROBLEM_HEAT && c->source != 0)
    p->source(p->self, c->source, f);
  return IG_OK;
}

/* Where a message about a load case points: its first load. */
static const ig_src *load_place(const ig_topopt_case *c, int number) {
  for (int i = 0; i < c->loads.count; i++)
    if (IG_ITEM(ig_load_case, c->loads, i)->load_case == number)
      return &IG_ITEM(ig_load_case, c->loads, i)->at;
  return &c->at;
}

/* Norm of the weight of load case q, of an element at every node, and of what held nodes do. */
static ig_status others(const ig_topopt_points *p, const uint8_t *fix, int q, ig_loading *to,
                        double *norm) {
  double weight, held = 0;
  const size_t n = (size_t)(p->nodes * p->size);
  ig_status status = ig_topopt_points_gravity(p, fix, q, to, &weight);
  if (status == IG_OK && to->held.dev)
    status = p->cx->backend->absmax_f64(p->cx, n, to->held.dev, &held);
  if (status == IG_OK && to->expanded.dev && !to->held.dev)
    status = p->cx->backend->absmax_f64(p->cx, n, to->expanded.dev, &held);
  IG_TRY(ig_topopt_points_meet(p, status));
  if (p->slab)
    IG_TRY(ig_slab_most(p->slab, &held, 1));
  *norm = fmax(weight * sqrt((double)p->all_nodes), held);
  return IG_OK;
}

/* Checks that everything has something to stand on, then makes prescribed values, masses, the
   load vectors of all cases, and the vector of the ports: the mean displacement of their nodes
   along their directions is port . u. */
ig_status ig_topopt_points_loads(const ig_topopt_points *p, const uint8_t *fix, const uint8_t *role,
                                 ig_loading *to) {
  const ig_topopt_case *c = p->c;
  double *f, other;
  if (ig_topopt_has_port(c) && c->ports.count == 0)
    return ig_fail_at(p->cx, &c->at, "ports: of what is the displacement meant? Give one");
  IG_TRY(ig_topopt_points_footing(p, fix, role, to));
  double *expanded;
  ig_status status = expansion_make(p, to, &expanded);
  if (status == IG_OK)
    status = ig_topopt_points_held(p, fix, to->stiffness, expanded, &to->held);
  if (status == IG_OK && expanded)
    status = ig_array_from(p->cx, &to->expanded, expanded, (size_t)(p->nodes * p->size),
                           sizeof *expanded, "expansion");
  free(expanded);
  IG_TRY(ig_topopt_points_meet(p, status));
  IG_TRY(ig_topopt_points_masses(p, to));
  status = IG_NEW(p->cx, &f, p->nodes * p->size, "loads");
  IG_TRY(ig_topopt_points_meet(p, status)); /* ranks take turns from here on */
  to->cases = ig_topopt_load_cases(c);
  for (int q = 0; q < to->cases; q++) {
    to->weight[q] = q < c->weights.count ? c->weights.value[q] : 1;
    IG_TRY_GOTO(status, done, loads_of_case(p, fix, q + 1, f));
    IG_TRY_GOTO(status, done, others(p, fix, q, to, &other));
    const ig_src *at = load_place(c, q + 1);
    IG_TRY_GOTO(status, done, put(p, at, f, fix, "loads", other, &to->f[q], &to->norm[q]));
  }
  if (ig_topopt_has_port(c)) {
    memset(f, 0, (size_t)(p->nodes * p->size) * sizeof *f);
    for (int i = 0; i < c->ports.count; i++) {
      const ig_port_case *port = IG_ITEM(ig_port_case, c->ports, i);
      if (isnan(port->direction[0]))
        status = ig_fail_at(p->cx, &port->at, "ports: give a direction");
      IG_TRY_GOTO(status, done, status);
      IG_TRY_GOTO(status, done,
                  spread(p, "ports", IG_WHERE(port), IG_SPREAD_NODES, port->direction,
                         (loading){.p = p, .f = f}));
    }
    const ig_src *at = &IG_ITEM(ig_port_case, c->ports, 0)->at;
    IG_TRY_GOTO(status, done, put(p, at, f, fix, "ports", 0, &to->port, &to->norm_port));
  }
done:
  free(f);
  return status;
}

typedef struct {
  double *f, value;
  int64_t places;
} setting;
static void set_value(void *user, int64_t place, double weight) {
  const setting *s = user;
  (void)weight;
  if (place >= 0 && place < s->places)
    s->f[place] = s->value;
}

/* A node's weight in the mean over a body of which this is a half or a quarter: a node on a plane
   of symmetry is there once, others twice. */
typedef struct {
  const ig_topopt_points *p;
  double *f, sum;
} mirrored;
static void set_mirrored(void *user, int64_t place, double weight) {
  mirrored *s = user;
  const ig_topopt_points *p = s->p;
  double x[3], share = 1;
  (void)weight;
  if (!ig_topopt_in_nodes(p, place))
    return;
  p->position(p->self, place, x);
  for (int i = 0; i < p->c->symmetry.count; i++) {
    int axis, side;
    if (ig_topopt_plane_read(p->c->symmetry.value[i], p->dim, &axis, &side) &&
        fabs(x[axis] - (side ? p->high : p->low)[axis]) <= 1e-6 * (p->high[axis] - p->low[axis]))
      share /= 2;
  }
  s->sum += share - s->f[place]; /* a node may be visited twice */
  s->f[place] = share;
}

/* Volumes, masses, stresses and members count elements (1 where they count); temperatures and
   distortions count nodes; a displacement is measured by a unit vector that gives the mean along
   its direction. */
ig_status ig_topopt_points_limit(const ig_topopt_points *p, const uint8_t *fix,
                                 const ig_limit_case *limit, ig_array *to, double *norm) {
  const bool shape = limit->distortion > 0; /* not one of the others, whatever they are */
  const bool volume = !shape && isnan(limit->displacement) && isnan(limit->temperature);
  const size_t n = (size_t)(volume ? p->places : p->nodes * (shape ? 1 : p->size));
  double *f;
  ig_status status;
  if (!shape && !isnan(limit->displacement) && p->size == 1)
    return ig_fail_at(p->cx, &limit->at, "constraints: nothing is displaced in a heat problem");
  status = IG_NEW(p->cx, &f, n, "constraint");
  IG_TRY(ig_topopt_points_meet(p, status));
  if (volume) {
    IG_TRY_GOTO(status, done, count(p, "constraints", IG_WHERE(limit), IG_POINT_ELEMENTS, norm));
    IG_TRY_GOTO(status, done,
                ig_topopt_points_visit(p, IG_WHERE(limit), IG_POINT_ELEMENTS, set_value,
                                       &(setting){f, 1, p->places}));
    for (int i = 0; !isnan(limit->stress) && i < p->c->stress.exclude.count; i++) {
      const ig_place all = {0};
      const ig_where where = {&p->c->stress.at, p->c->stress.exclude.value[i], &all};
      IG_TRY_GOTO(status, done,
                  ig_topopt_points_visit(p, where, IG_POINT_ELEMENTS, set_value,
                                         &(setting){f, 0, p->places}));
    }
    status = ig_array_from(p->cx, to, f, n, sizeof *f, "constraint");
  } else if (shape || !isnan(limit->temperature)) { /* nodes that count */
    mirrored whole = {p, f, 0};
    setting one = {f, 1, p->nodes};
    IG_TRY_GOTO(status, done, count(p, "constraints", IG_WHERE(limit), IG_POINT_NODES, norm));
    IG_TRY_GOTO(status, done,
                ig_topopt_points_visit(p, IG_WHERE(limit), IG_POINT_NODES,
                                       shape ? set_mirrored : set_value,
                                       shape ? (void *)&whole : (void *)&one));
    *norm = shape ? whole.sum : *norm; /* of distortions: not on ranks */
    status = ig_array_from(p->cx, to, f, n, sizeof *f, "constraint");
  } else {
    IG_TRY_GOTO(status, done,
                spread(p, "constraints", IG_WHERE(limit), IG_SPREAD_NODES, limit->direction,
                       (loading){.p = p, .f = f}));
    status = put(p, &limit->at, f, fix, "constraints", 0, to, norm);
  }
done:
  free(f);
  return status;
}
