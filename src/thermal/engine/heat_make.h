/* Internal header of the engine: functions that its files give each other while it is made and
   stepped, and small accessors that kernels and sources use too.

   Order in which an engine is made (ig_heat_make): cells of the mesh, materials, births sorted,
   connectivity and assembly plan, neighbours of faces, shapes (classes), conditions on faces,
   critical step, arrays of nodes, rows of the stencil, what the backend adds (ops->open). */
#ifndef IG_HEAT_MAKE_H
#define IG_HEAT_MAKE_H

#include "thermal/engine/heat.h"
#include "thermal/kernels/heat_cells.h"

#include <math.h>

/* Values of arrays in the precision of the state, or of element work. */
static inline size_t ig_heat_state_size(const ig_heat *h) {
  return h->precision == IG_SINGLE ? sizeof(float) : sizeof(double);
}
static inline size_t ig_heat_work_size(const ig_heat *h) {
  return h->precision == IG_DOUBLE ? sizeof(double) : sizeof(float);
}
static inline void ig_heat_put(void *array, size_t size, int64_t i, double value) {
  if (size == sizeof(float))
    ((float *)array)[i] = (float)value;
  else
    ((double *)array)[i] = value;
}
static inline double ig_heat_get(const void *array, size_t size, int64_t i) {
  return size == sizeof(float) ? (double)((const float *)array)[i] : ((const double *)array)[i];
}
/* What follows what (ig_heat_runs): after the plan and the classes. */
IG_MUST_CHECK ig_status ig_heat_runs_make(ig_ctx *cx, ig_heat *h);
/* Elements of a cluster: one per thread of a block, whose registers must suffice for two blocks on
   a multiprocessor. On all backends the same, so that sums have the same order. */
static inline int ig_heat_cluster_size(const ig_heat *h, const ig_heat_setup *setup) {
  const int most = h->conduction == IG_HEAT_CLASSES && h->precision != IG_DOUBLE ? 512 : 256;
  const int wish = setup->cluster > 0 ? setup->cluster : 256; /* the fastest on an H200 */
  return wish < most ? wish : most;
}
/* Films: sums over areas; one of an array in either precision. */
static inline void ig_heat_film_add(heat_film_f64 *sum, const heat_film_f64 *film, double area) {
  sum->flux += film->flux * area;
  sum->h += film->h * area;
  sum->h_amb += film->h_amb * area;
  sum->e += film->e * area;
  sum->e_amb += film->e_amb * area;
  sum->boils += film->boils * area;
}
static inline heat_film_f32 ig_heat_film_round(const heat_film_f64 *film) {
  return (heat_film_f32){(float)film->flux, (float)film->h,     (float)film->h_amb,
                         (float)film->e,    (float)film->e_amb, (float)film->boils};
}
static inline void ig_heat_film_put(void *array, bool single, int64_t i,
                                    const heat_film_f64 *film) {
  if (single)
    ((heat_film_f32 *)array)[i] = ig_heat_film_round(film);
  else
    ((heat_film_f64 *)array)[i] = *film;
}
static inline size_t ig_heat_film_size(bool single) {
  return single ? sizeof(heat_film_f32) : sizeof(heat_film_f64);
}
static inline bool ig_heat_held(const ig_heat *h, ig_lid n) {
  return h->node.held && !isnan(h->node.held[n]);
}

/* What node n, if it is there, begins with, K. */
static inline double ig_heat_start(const ig_heat *h, ig_lid n) {
  return ig_heat_held(h, n)   ? h->node.held[n]
         : h->node.initial_of ? h->node.initial_of[n]
                              : h->node.initial;
}

/* Whether other ranks have parts of the mesh, too. */
static inline bool ig_heat_is_divided(const ig_heat *h) {
  return h->part.of.ranks > 1;
}

/* Whether this rank's sums count element e: its lowest node is this rank's. */
static inline bool ig_heat_is_own(const ig_heat *h, ig_lid e) {
  const ig_lid *conn = ig_heat_conn(h, e);
  ig_lid lowest = conn[0];
  for (int a = 1; a < 8 && h->ghost; a++)
    lowest = conn[a] < lowest ? conn[a] : lowest;
  return !h->ghost || !h->ghost[lowest];
}

/* heat.c: an engine, to zeros: of the setup's mesh, which on several ranks is an outline; or, with
   h->part, of this rank's part of `whole`, where the setup is that of the part. After a failure
   free what there is. */
IG_MUST_CHECK ig_status ig_heat_make(ig_ctx *cx, const ig_heat_setup *setup, const ig_heat *whole,
                                     ig_heat *h);

/* heat_shape.c: classes of congruent elements, where conduction uses them (a part takes those of
   the `whole`, whose first elements decide them); the unit conductivity
   matrix of a shape; its largest rate at unit diffusivity, exact only where above `best`, 1/m^2. */
IG_MUST_CHECK ig_status ig_heat_shapes_make(ig_ctx *cx, ig_heat *h, const ig_heat *whole,
                                            const double anisotropy[3]);
bool ig_heat_is_anisotropic(const double anisotropy[3]);
void ig_heat_shape_matrix(const double *point, const ig_lid *conn, const double anisotropy[3],
                          ig_heat_shape *shape);
double ig_heat_shape_rate(const ig_heat_shape *s, const ig_lid *conn, double best);

/* heat_birth.c: elements sorted by birth, into the events of the `whole` where this is a part; the
   event an element is born with; the next event's elements arrive and cover faces. */
IG_MUST_CHECK ig_status ig_heat_births_sort(ig_ctx *cx, const ig_heat_setup *setup,
                                            const ig_heat *whole, const ig_lid *parent, ig_heat *h);
int ig_heat_event_of(const ig_heat *h, ig_lid e);
void ig_heat_event_expose(ig_ctx *cx, ig_heat *h);

/* heat_birth.c: elements around nodes, for who looks for a donor: conn in the numbers of these
   nodes; cell: the elements' numbers in birth order, NULL: as they stand; first: nodes' first
   elements in that order, NULL: as `around` has them; point: coordinates of the nodes. */
typedef struct {
  const ig_csr *around;
  const ig_lid *conn, *cell, *first;
  const double *point;
} ig_heat_neighbours;
/* The nearest node already there that new node n touches through the elements [begin, end) born
   now; -1: none. `deep`: or touches through another new node. */
ig_lid ig_heat_donor(const ig_heat_neighbours *kin, ig_lid n, ig_lid begin, ig_lid end, bool deep);

/* heat_surface.c: which conditions act on each face if it is bare; faces with their lives. */
IG_MUST_CHECK ig_status ig_heat_surfaces_mark(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h,
                                              const ig_heat_cells *cells, const ig_lid *place);
IG_MUST_CHECK ig_status ig_heat_faces_collect(ig_ctx *cx, const ig_heat_setup *setup, ig_heat *h);

/* heat.c: frees the engine's arrays; its part stays. */
void ig_heat_release(ig_ctx *cx, ig_heat *h);

/* Of a condition at node n: a field's value, where there is one and n is a node. */
static inline double ig_heat_value_at(const double *field, double number, ig_lid n) {
  return field && n >= 0 ? field[n] : number;
}
/* heat_node.c: what the conditions in `mask` do together, at node n or (-1) where none of them
   varies; what a class does at a node. */
heat_film_f64 ig_heat_class_sum(const ig_heat_condition *condition, int count, double ambient,
                                uint32_t mask, ig_lid n);
heat_film_f64 ig_heat_film_at(const ig_heat *h, int class, ig_lid n);

/* heat_limit.c: the bound of the largest rate. */
IG_MUST_CHECK ig_status ig_heat_rate_bound(ig_ctx *cx, ig_heat *h);

/* heat_node.c: nodes' arrays; as the elements of the start make them; what node n is now, into a
   patch and its volumes (materials); heat content of volumes, J. _place: the nodes' coordinates
   on the device, where they are not there yet. */
IG_MUST_CHECK ig_status ig_heat_nodes_place(ig_ctx *cx, ig_heat *h);
IG_MUST_CHECK ig_status ig_heat_state_make(ig_ctx *cx, ig_heat *h); /* those of the state alone */
IG_MUST_CHECK ig_status ig_heat_nodes_make(ig_ctx *cx, ig_heat *h, bool leaps, bool crossings);
IG_MUST_CHECK ig_status ig_heat_nodes_begin(ig_ctx *cx, ig_heat *h);
void ig_heat_node_values(const ig_heat *h, ig_lid n, ig_heat_patch *patch, double *volume);
double ig_heat_content_of(const ig_heat *h, const double *volume, double T);
/* Of a cubic metre of material m, J/m^3. */
double ig_heat_content_at(const ig_heat *h, int m, double T);

/* heat_node.c: films of all nodes, as faces are exposed now, to the device. */
IG_MUST_CHECK ig_status ig_heat_films_fill(ig_ctx *cx, ig_heat *h);
/* heat_surface.c: the classes' values in the precision of element work, to the device. */
IG_MUST_CHECK ig_status ig_heat_classes_push(ig_ctx *cx, ig_heat *h);
/* heat_batch.c: node n takes the temperature it is held at now, before the batch's first step. */
IG_MUST_CHECK ig_status ig_heat_batch_hold(ig_ctx *cx, ig_heat *h, ig_lid n);
/* heat_batch.c: changes of nodes to the device; nothing is written any more. */
IG_MUST_CHECK ig_status ig_heat_patches_push(ig_ctx *cx, ig_heat *h);
void ig_heat_batch_clear(ig_heat *h);
/* heat_survey.c: sums and extremes over the part's arrays. */
IG_MUST_CHECK ig_status ig_heat_survey_make(ig_ctx *cx, ig_heat *h, const ig_heat_question *q,
                                            ig_heat_survey *found);
enum { IG_HEAT_SURVEY_PARTS = 264 };
/* heat_survey.c: whether the element across face f of element e is there in `range`, on whichever
   rank; e is an own one. */
bool ig_heat_is_covered(const ig_heat *h, const ig_heat_range *range, ig_lid e, int f);
/* heat_survey.c: what element e adds to the sums of ig_heat_measure, and of ig_heat_born_content:
   volumes and bare areas at its corners; heat contents there. */
enum { IG_HEAT_SIZES = 8 + 24 };
void ig_heat_sizes_of(const ig_heat *h, ig_lid e, double *row);
void ig_heat_contents_of(const ig_heat *h, ig_lid e, double T, double *row);
/* heat_survey.c: stencil: the second copy of temperatures is the first's, also where no step
   writes it. */
IG_MUST_CHECK ig_status ig_heat_next_fill(ig_ctx *cx, ig_heat *h);

#endif
