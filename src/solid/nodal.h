/* Stresses at nodes: those of integration points continued to the nodes of their element
   (ig_solid_continuation) and averaged over the elements around a node that belong together.

   Elements belong together if they have the same key (a material, a section), and of shells also
   the same direction, to 25 degrees: across an interface or a fold stresses jump, and a mean over
   it would be nobody's. Where several kinds meet, a node shows the one whose von Mises stress is
   largest. That is the von Mises stress of the mean tensor.

   A field of 6 components: xx yy zz xy yz zx, Pa, in the axes of the mesh. */
#ifndef IG_SOLID_NODAL_H
#define IG_SOLID_NODAL_H

#include "core/output.h"
#include "core/schedule.h"
#include "solid/solid.h"

/* The elements of one kind around a node. value: sums of 6, of shells top, bottom and normal. */
typedef struct {
  int32_t next, key, count;
} ig_nodal_part;

typedef struct {
  ig_ctx *cx;
  ig_lid nodes;
  bool shells;
  int width;
  int32_t *first; /* part of each node, -1: none */
  int32_t parts;
  ig_nodal_part *part;
  double *value; /* parts x width */
  /* the continuation that was asked for last */
  int fitted;
  const ig_solid_rule *rule;
  double fit[IG_SOLID_NODES * IG_SOLID_POINTS];
} ig_nodal;

/* Of a node: the tensor with the larger von Mises stress, and both surfaces of shells (elsewhere
   the same three times). Zeros where there is no element. */
typedef struct {
  double stress[6], surface[2][6]; /* top, bottom */
  double mises;
} ig_nodal_stress;

IG_MUST_CHECK ig_status ig_nodal_new(ig_ctx *cx, ig_lid nodes, bool shells, ig_nodal *n);
void ig_nodal_free(ig_nodal *n);
/* Stresses of the points of an element, `stride` numbers apart. rule: NULL where it is filled. */
IG_MUST_CHECK ig_status ig_nodal_add_solid(ig_nodal *n, ig_solid_kind kind,
                                           const ig_solid_rule *rule, const ig_lid *node, int key,
                                           const double *points, int stride);
/* A value at one node; a shell has two, at the surface its normal points to and at the other. */
IG_MUST_CHECK ig_status ig_nodal_add(ig_nodal *n, ig_lid node, int key, const double stress[6]);
IG_MUST_CHECK ig_status ig_nodal_add_shell(ig_nodal *n, ig_lid node, int key,
                                           const double normal[3], const double top[6],
                                           const double bottom[6]);
void ig_nodal_get(const ig_nodal *n, ig_lid node, ig_nodal_stress *to);
/* Von Mises' stress of a tensor. */
double ig_nodal_mises(const double stress[6]);
/* Fields of a snapshot: nodal_stress, nodal_von_mises, of shells nodal_stress_top and _bottom;
   those that the case asks for. */
bool ig_nodal_wanted(const ig_output_case *output);
IG_MUST_CHECK ig_status ig_nodal_fields(ig_snapshot *snap, const ig_output_case *output,
                                        bool shells, ig_lid nodes, const ig_nodal_stress *stress);
/* The node with the largest von Mises stress; the first of equals. node: -1: none. */
typedef struct {
  double mises, x[3];
  int64_t node;
} ig_nodal_peak;
/* Takes one more node, or that of another part (node -1: none). */
void ig_nodal_peak_take(ig_nodal_peak *peak, double mises, const double x[3], int64_t node);
/* Of the own nodes of a part (ghost: 0, NULL: all), whose numbers in the whole are `number` (NULL:
   they have their own). x: nodes x 3, m. */
ig_nodal_peak ig_nodal_peak_of(ig_lid nodes, const uint8_t *ghost, const ig_lid *number,
                               const double *x, const ig_nodal_stress *stress);
/* It and its place in the summary. */
IG_MUST_CHECK ig_status ig_nodal_peak_put(ig_sink *to, const ig_nodal_peak *peak);
/* The same of a model that is not divided. */
IG_MUST_CHECK ig_status ig_nodal_results(ig_sink *to, ig_lid nodes, const double *x,
                                         const ig_nodal_stress *stress);

#endif
