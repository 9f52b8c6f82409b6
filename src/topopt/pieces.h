/* Into how many pieces a design falls, and how many cavities it encloses. */
#ifndef IG_TOPOPT_PIECES_H
#define IG_TOPOPT_PIECES_H

#include "topopt/topopt.h"

/* Elements of one kind that hang together: solid where the density is at least the level. */
struct ig_topopt_pieces {
  uint8_t *solid; /* places; 2: no element */
  uint8_t *open;  /* a face of it is on the outside */
  int32_t *parent;
  int64_t places;
};

/* For discretisations: two elements share a face; a face is free and on no plane of symmetry. */
void ig_topopt_pieces_join(ig_topopt_pieces *p, int64_t a, int64_t b);
void ig_topopt_pieces_open(ig_topopt_pieces *p, int64_t a);

/* `density` on the host. Cavities are void that no free face leads to. */
IG_MUST_CHECK ig_status ig_topopt_pieces_count(ig_ctx *cx, const ig_discretisation *d,
                                               const double *density, double level, int64_t *pieces,
                                               int64_t *cavities);
/* Sets to 0 the densities of pieces without a touched element, one at a load or support, but for
   the largest: how many, of how many elements. */
IG_MUST_CHECK ig_status ig_topopt_islands_clear(ig_ctx *cx, const ig_discretisation *d,
                                                double *density, double level,
                                                const uint8_t *touched, int64_t *islands,
                                                int64_t *elements);

#endif
