/* The part of a model that one rank computes.

   Every node has an owner, and a rank computes all elements that touch one of its nodes; elements
   on a border are computed by several ranks, with the same bits. Elements of the part are numbered
   in the order of the whole, so that the sum at an own node has the terms of one rank in the order
   of one rank. After forces and products the ranks exchange the values of their nodes.

     on the device   arrays of elements (state, tangent, life, ...): those of the part
     on the host     life and materials of elements: all of them, equal on all ranks; shares,
                     temperatures, values at points, moduli, what has grown: those of the part
     both            vectors of nodes: all nodes, equal on all ranks

   So solvers and the host (layers, births, cuts, supports, figures) compute the same on all ranks,
   from equal numbers, as on one. A push takes the rank's elements out of the whole; a pull gathers
   the elements of all ranks and is collective. On one rank both are those of ig_array. */
#ifndef IG_STRESS_DIVISION_H
#define IG_STRESS_DIVISION_H

#include "assembly/assembly.h"
#include "ranks/partition.h"

struct ig_stress;

typedef struct {
  ig_lid elements; /* of the part */
  /* If divided, else NULL: numbers of the part's elements in the whole, rising; of all elements the
     rank that gives their values to the others, the owner of the lowest node */
  ig_lid *element;
  int32_t *owner;
  ig_halo nodes; /* each rank gives its nodes to all others */
} ig_stress_division;

/* Chooses the division; needs the connectivity. Fails with assemblies whose sums depend on it, if
   there are several ranks. Collective. */
IG_MUST_CHECK ig_status ig_stress_division_new(struct ig_stress *m, ig_assembly how);
void ig_stress_division_free(struct ig_stress *m);
bool ig_stress_divided(const struct ig_stress *m);
/* Number in the whole of element i of the part; number in the part of element e of the whole, -1:
   not there. */
ig_lid ig_stress_element(const struct ig_stress *m, int64_t i);
int64_t ig_stress_own(const struct ig_stress *m, ig_lid e);

/* A line per rank, what it has and needs; nothing if not divided. Collective. */
IG_MUST_CHECK ig_status ig_stress_division_tell(struct ig_stress *m, ig_partition_line *line,
                                                void *user);

/* An assembly plan of the part. */
IG_MUST_CHECK ig_status ig_stress_division_plan(struct ig_stress *m, ig_assembly how,
                                                ig_plan *plan);

/* An array of `per` values of `size` bytes for each element: the part on the device, the whole on
   the host. Then host to device, and device to host (collective). */
IG_MUST_CHECK ig_status ig_stress_elements_new(struct ig_stress *m, ig_array *a, size_t per,
                                               size_t size, const char *what);
IG_MUST_CHECK ig_status ig_stress_elements_push(struct ig_stress *m, ig_array *a);
IG_MUST_CHECK ig_status ig_stress_elements_pull(struct ig_stress *m, ig_array *a);
/* Rows of elements, `item` bytes each, some at a time. make: those of the part's elements begin …
   begin + count - 1; take: the same of all elements, in their order, on all ranks (`everyone`) or
   on the first. Collective. */
typedef struct {
  size_t item;
  ig_status (*make)(void *user, ig_lid begin, ig_lid count, void *rows);
  ig_status (*take)(void *user, ig_lid begin, ig_lid count, const void *rows);
  void *user;
  bool everyone;
} ig_stress_flow;
/* Bytes of what is made at a time, at most: on one rank, where larger portions would not be
   quicker, and of what travels between several. */
size_t ig_stress_portion(const struct ig_stress *m);
IG_MUST_CHECK ig_status ig_stress_elements_flow(struct ig_stress *m, const ig_stress_flow *f);
/* Elements of `list` (numbers of the whole) that are in the part, as numbers of the part, with
   their values; *kept of them. `own` and `values` have room for `count`. */
void ig_stress_elements_choose(const struct ig_stress *m, const ig_lid *list, const double *value,
                               ig_lid count, ig_lid *own, double *values, ig_lid *kept);
/* Rows of the part, `item` bytes each (host), to `to` on the ranks that want them: those of the
   elements in `list` (numbers of the whole, rising; NULL: of all), `count` of them. Collective. */
IG_MUST_CHECK ig_status ig_stress_elements_fetch(struct ig_stress *m, size_t item, const void *part,
                                                 const ig_lid *list, ig_lid count, void *to);
/* States of points, in tiles, from the host to `take` on the first rank, some at a time; it is NULL
   on others. The same of an array of the part's elements with `per` doubles each. Collective, if
   divided. And back, from the same on all ranks: states to both sides, others to the host. */
IG_MUST_CHECK ig_status ig_stress_state_pass(struct ig_stress *m, ig_stream_take *take, void *user);
IG_MUST_CHECK ig_status ig_stress_elements_pass(struct ig_stress *m, int per, const double *part,
                                                ig_stream_take *take, void *user);
IG_MUST_CHECK ig_status ig_stress_state_place(struct ig_stress *m, const double *whole);
void ig_stress_elements_place(const struct ig_stress *m, int per, const double *whole,
                              double *part);
int64_t ig_stress_state_count(const struct ig_stress *m);

/* Makes the exchange by which all ranks get the values of all nodes, up to `item` bytes each, from
   the owners of the nodes. Collective. */
IG_MUST_CHECK ig_status ig_stress_nodes_exchange(struct ig_stress *m, const int32_t *owner,
                                                 size_t item, ig_halo *halo);
/* A vector whose values at own nodes are known, `item` bytes per node (at most 36), on the device:
   all values of all ranks. Collective. */
IG_MUST_CHECK ig_status ig_stress_nodes_join(struct ig_stress *m, size_t item, void *x);

#endif
