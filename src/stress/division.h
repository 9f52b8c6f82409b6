/* The part of a model that one rank computes.

   A rank owns a range of the nodes, in whole blocks of them, and computes all elements that touch
   an own node; elements on a border are computed by several ranks, with the same bits. Elements of
   the part are numbered as in the whole, without gaps, so that the sum at an own node has the terms
   of one rank in the order of one rank. Dot products are summed block by block, then over the
   blocks of all ranks in the order of the mesh, on one rank, too.

     on the device   arrays of elements (state, tangent, life, ...): those of the part
                     vectors of nodes: of the whole length, valid at own nodes and, of u, at the
                     other nodes of own elements (ghosts)
     on the host     arrays of elements and nodes: the whole, equal on all ranks

   So everything that the host decides (layers, births, cuts, supports, figures) is decided by all
   ranks alike from equal numbers. A push takes the rank's elements out of the whole; a pull
   gathers the elements or nodes of all ranks and is collective. On one rank both are those of
   ig_array. The preconditioner is made and applied by every rank for the whole mesh. */
#ifndef IG_STRESS_DIVISION_H
#define IG_STRESS_DIVISION_H

#include "assembly/assembly.h"
#include "solver/krylov/rows.h"

struct ig_stress;

typedef struct {
  bool blocks;     /* dot products are summed by blocks: assembly color and gather */
  ig_grid sums;    /* the own blocks */
  ig_slab *slab;   /* their division; NULL: one rank, or a model that is too small to be divided */
  ig_rows rows;    /* nodes of each rank, if divided */
  int64_t own[2];  /* own values of a vector: first, one beyond the last */
  ig_halo ghosts;  /* nodes of others in own elements */
  ig_lid elements; /* of the part */
  /* If divided: numbers of the part's elements in the whole, rising; of all elements the rank that
     gives their values to the others, the owner of the lowest node */
  ig_lid *element;
  int32_t *owner;
} ig_stress_division;

/* Chooses the division; needs the connectivity. Fails with assemblies whose sums depend on it, if
   there are several ranks. Collective. */
IG_MUST_CHECK ig_status ig_stress_division_new(struct ig_stress *m, ig_assembly how);
void ig_stress_division_free(struct ig_stress *m);
bool ig_stress_divided(const struct ig_stress *m);

/* The assembly plan of the part. */
IG_MUST_CHECK ig_status ig_stress_division_plan(struct ig_stress *m, ig_assembly how);

/* An array of `per` values of `size` bytes for each element: the part on the device, the whole on
   the host. Then host to device, and device to host (collective). */
IG_MUST_CHECK ig_status ig_stress_elements_new(struct ig_stress *m, ig_array *a, size_t per,
                                               size_t size, const char *what);
IG_MUST_CHECK ig_status ig_stress_elements_push(struct ig_stress *m, ig_array *a);
IG_MUST_CHECK ig_status ig_stress_elements_pull(struct ig_stress *m, ig_array *a);
/* part: `item` bytes per element of the part, on the host; whole: the same of all elements, on all
   ranks. Collective; if not divided nothing is done, and both must be one. */
IG_MUST_CHECK ig_status ig_stress_elements_gather(struct ig_stress *m, const void *part,
                                                  size_t item, void *whole);
/* Elements of `list` (numbers of the whole) that are in the part, as numbers of the part, with
   their values; *kept of them. `own` and `values` have room for `count`. */
void ig_stress_elements_choose(const struct ig_stress *m, const ig_lid *list, const double *value,
                               ig_lid count, ig_lid *own, double *values, ig_lid *kept);
/* States of points, in tiles: of all elements on the first rank, in *whole, which the caller frees
   (not divided: m->state.host); elsewhere *whole is NULL. And back, from the same on all ranks to
   the device. The first is collective. */
IG_MUST_CHECK ig_status ig_stress_state_collect(struct ig_stress *m, double **whole);
IG_MUST_CHECK ig_status ig_stress_state_place(struct ig_stress *m, const double *whole);
int64_t ig_stress_state_count(const struct ig_stress *m);

/* A vector of nodes whose own values are known: to the host, whole, on all ranks; ghosts of a
   vector of 3 doubles per node; all nodes of one, on the device. Collective. */
IG_MUST_CHECK ig_status ig_stress_nodes_pull(struct ig_stress *m, ig_array *a);
IG_MUST_CHECK ig_status ig_stress_ghosts(struct ig_stress *m, double *x);
IG_MUST_CHECK ig_status ig_stress_nodes_join(struct ig_stress *m, size_t item, void *x);
/* a . b over all ranks. */
IG_MUST_CHECK ig_status ig_stress_dot(struct ig_stress *m, const double *a, const double *b,
                                      double *result);

#endif
