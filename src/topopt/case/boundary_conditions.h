/* Supports, springs, loads, ports, roles and constraints of a case, put on the points of a grid or
   of a mesh. Those only say which of their points are where. */
#ifndef IG_TOPOPT_CASE_BOUNDARY_CONDITIONS_H
#define IG_TOPOPT_CASE_BOUNDARY_CONDITIONS_H

#include "topopt/topopt.h"

/* Where an entry of the case is: in the set, and at the place; nothing given: everywhere. */
enum { IG_ELEMENT_NODES = 10 }; /* of the largest element */

typedef struct {
  const ig_src *at;
  const char *set;
  const ig_place *place;
} ig_where;
#define IG_WHERE(entry) ((ig_where){&(entry)->at, (entry)->set, &(entry)->place})

/* Nodes; elements by their centres; boundary faces by their centres, node by node. Of a grid with
   `stl` these are nodes, elements and faces of the part alone, once it is cut; ALL_NODES are those
   outside of it, too. */
typedef enum {
  IG_POINT_NODES,
  IG_POINT_ELEMENTS,
  IG_POINT_FACES,
  IG_POINT_ALL_NODES
} ig_point_kind;
/* `weight`: 1 of a node, an element's volume over the mean, a node's part of a face's area. */
typedef void ig_visit(void *user, int64_t place, double weight);

typedef struct {
  /* The points of a body, as a grid or a mesh describes them. Made on the stack for the time of
     a call; `self` is the model. All positions are in m. */
  ig_ctx *cx;
  const ig_topopt_case *c;
  const char *name;      /* "grid" */
  int dim, size;         /* unknowns per node */
  bool one_piece;        /* all elements together are connected */
  int64_t nodes, places; /* of node arrays; of element arrays */
  int64_t all_nodes;     /* of node arrays of the whole */
  /* Of a grid divided between ranks: places [begin, end) are this rank's own, and points of other
     ranks are visited, too, with places that may lie outside of the arrays. */
  ig_slab *slab;
  int64_t begin, end;
  int64_t step, stride;   /* unknown i of node n is at n step + i stride of a state */
  double low[3], high[3]; /* corners of the body */
  void *self;
  /* calls `visit` for all points that are there, in their order; a set that there is not fails */
  ig_status (*each)(void *self, ig_where where, ig_point_kind kind, ig_visit *visit, void *user);
  /* whether a set (NULL: the boundary) has faces; NULL: all elements are alike */
  bool (*faces)(void *self, const char *set);
  const double *normal; /* out of the body, of the face being visited */
  void (*position)(void *self, int64_t node, double x[3]);
  /* the nodes of the element at a place, at most IG_ELEMENT_NODES; how many */
  int (*corners)(void *self, int64_t place, int64_t *node);
  /* adds `source` x the integrals of the shape functions to f */
  void (*source)(void *self, double source, double *f);
} ig_topopt_points;

/* Own places of an array of n, all unless ranks divide it. */
static inline int64_t ig_topopt_own_begin(const ig_topopt_points *p) {
  return p->slab ? p->begin : 0;
}
static inline int64_t ig_topopt_own_end(const ig_topopt_points *p, int64_t n) {
  return p->slab ? p->end : n;
}

static inline bool ig_topopt_in_nodes(const ig_topopt_points *p, int64_t node) {
  return node >= 0 && node < p->nodes;
}
static inline bool ig_topopt_in_places(const ig_topopt_points *p, int64_t place) {
  return place >= 0 && place < p->places;
}
/* Calls `each` for all points of an entry, in their order, once its place is checked. */
static inline ig_status ig_topopt_points_visit(const ig_topopt_points *p, ig_where where,
                                               ig_point_kind kind, ig_visit *each, void *user) {
  if (where.place->at.given)
    IG_TRY(ig_place_check(p->cx, where.place));
  return p->each(p->self, where, kind, each, user);
}
/* Where the grid is divided: a failure of one is that of all. Before they count together. */
static inline ig_status ig_topopt_points_meet(const ig_topopt_points *p, ig_status status) {
  return p->slab ? ig_ranks_agree(p->cx, status) : status;
}

/* 1: designed, and so on, for every element (host). */
IG_MUST_CHECK ig_status ig_topopt_points_roles(const ig_topopt_points *p, uint8_t *role,
                                               int64_t *solid, int64_t *designed);
/* Of a grid with `stl`: elements outside the part become void, and `inside` of the model is made.
 */
IG_MUST_CHECK ig_status ig_topopt_grid_part(const ig_topopt_points *p, uint8_t *role);
/* Bits of the components held, a byte per node. */
IG_MUST_CHECK ig_status ig_topopt_points_supports(const ig_topopt_points *p, uint8_t *fix);
/* In units of `stiffness`, sorted by node and component; to be freed. */
IG_MUST_CHECK ig_status ig_topopt_points_springs(const ig_topopt_points *p, double stiffness,
                                                 ig_spring **spring, int *count);
/* What supports and springs leave the body free to do, "moves along x"; NULL: nothing. */
const char *ig_topopt_points_loose(const ig_topopt_points *p, const uint8_t *fix,
                                   const ig_spring *spring, int count);
/* Nodes of springs, for `loading->sprung`. */
IG_MUST_CHECK ig_status ig_topopt_points_sprung(const ig_topopt_points *p, const ig_spring *spring,
                                                int count, ig_loading *to);
/* placing_footing.c: fails where a load, port, spring or mass is on a node all of whose elements
   are held void, where a support holds no other nodes, and where elements that may carry do not
   connect a load with a support. */
IG_MUST_CHECK ig_status ig_topopt_points_footing(const ig_topopt_points *p, const uint8_t *fix,
                                                 const uint8_t *role, const ig_loading *l);
/* Loads and ports, unit vectors on the device; after ig_topopt_points_footing. */
IG_MUST_CHECK ig_status ig_topopt_points_loads(const ig_topopt_points *p, const uint8_t *fix,
                                               const uint8_t *role, ig_loading *to);
/* Bits that one entry of the supports holds. */
IG_MUST_CHECK ig_status ig_topopt_points_support(const ig_topopt_points *p,
                                                 const ig_hold_case *hold, uint8_t *fix);
/* placing_follow.c: whether an entry has gravity; what a unit mass at each node weighs in load case
   q, and what an element does, N; displacements (temperatures) that nodes are held at. */
bool ig_topopt_load_weighs(const ig_load_case *load);
IG_MUST_CHECK ig_status ig_topopt_points_gravity(const ig_topopt_points *p, const uint8_t *fix,
                                                 int q, ig_loading *to, double *weight);
IG_MUST_CHECK ig_status ig_topopt_points_held(const ig_topopt_points *p, const uint8_t *fix,
                                              double stiffness, const double *expanded,
                                              ig_array *held);
/* Strain of the free expansion by `temperature_change`; 0: none. */
IG_MUST_CHECK ig_status ig_topopt_points_expansion(const ig_topopt_points *p,
                                                   const ig_list *materials, double *strain);
/* Where elements choose their material: those there are, and modulus and density of the heaviest.
 */
IG_MUST_CHECK ig_status ig_topopt_points_candidates(const ig_topopt_points *p,
                                                    const ig_list *materials, double *stiffness,
                                                    double *poisson, double *density,
                                                    ig_loading *to);
/* What a pattern makes the same along each axis. placing_links.c */
typedef struct {
  bool extruded[3], mirrored[3];
  int64_t repeat[3];
} ig_topopt_sameness;
IG_MUST_CHECK ig_status ig_topopt_points_sameness(const ig_topopt_points *p, ig_topopt_sameness *s);
/* Designed elements of a mesh that share a density: group after group, (*start)[groups + 1], freed
   by the caller as *order is. placing_links.c */
IG_MUST_CHECK ig_status ig_topopt_points_links(const ig_topopt_points *p, const uint8_t *role,
                                               int64_t *groups, int64_t **start, int64_t **order);
/* Masses added at nodes. */
IG_MUST_CHECK ig_status ig_topopt_points_masses(const ig_topopt_points *p, ig_loading *to);
void ig_topopt_loading_free(ig_ctx *cx, ig_loading *l);
/* What a constraint measures: elements that are there, or the mean displacement of nodes. */
IG_MUST_CHECK ig_status ig_topopt_points_limit(const ig_topopt_points *p, const uint8_t *fix,
                                               const ig_limit_case *limit, ig_array *to,
                                               double *norm);
/* Marks of the elements marked become those of their nodes, IG_TOUCH_…: held, loaded or a port.
   placing_links.c */
IG_MUST_CHECK ig_status ig_topopt_points_touched(const ig_topopt_points *p, const uint8_t *fix,
                                                 const ig_loading *l, uint8_t *mark);
/* Modulus (or conductivity) and Poisson's ratio of the first material; where there are several,
   each element's modulus over the first's and, where ratios differ, each element's ratio (places;
   `poissons` NULL: they must not). Values that are missing fail. */
IG_MUST_CHECK ig_status ig_topopt_points_materials(const ig_topopt_points *p,
                                                   const ig_list *materials, double *stiffness,
                                                   double *poisson, ig_array *scale,
                                                   ig_array *poissons);
/* Density of the first material in kg/m^3 (NaN: not given) and, where there are several, of each
   element over it. */
IG_MUST_CHECK ig_status ig_topopt_points_densities(const ig_topopt_points *p,
                                                   const ig_list *materials, double *density,
                                                   ig_array *heavy);
/* Load cases there are. */
int ig_topopt_load_cases(const ig_topopt_case *c);
/* "x-": axis 0, side 0; false if it is none of these. */
bool ig_topopt_plane_read(const char *text, int dim, int *axis, int *side);

/* The points of both kinds of body. */
ig_topopt_points ig_topopt_grid_points(ig_topopt_grid_model *m);
typedef struct ig_topopt_mesh_model ig_topopt_mesh_model;
ig_topopt_points ig_topopt_mesh_points(ig_topopt_mesh_model *m);

#endif
