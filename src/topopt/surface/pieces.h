/* Into how many pieces a design falls, and how many cavities it encloses. Elements are connected
   through faces only: two that touch in an edge or a node are separate. */
#ifndef IG_TOPOPT_SURFACE_PIECES_H
#define IG_TOPOPT_SURFACE_PIECES_H

#include "topopt/topopt.h"
#include "ranks/crossings.h"

/* Elements of one kind that hang together: solid where the density is at least the level. Where
   ranks have parts it is one on each of them. */
typedef struct {
  int64_t first, last; /* its lowest and highest element, numbers of the whole */
  int64_t size;
  bool solid;
  uint8_t touched; /* IG_TOUCH_… of its elements */
  bool open;       /* a face of it is on the outside */
  bool mine;       /* this rank has its first element */
} ig_topopt_piece;

struct ig_topopt_pieces {
  ig_ctx *cx;
  int64_t places, whole; /* of this rank; what the first of them is in the whole */
  uint8_t *solid;        /* places; 2: no element */
  uint8_t *open;
  int32_t *of; /* the forest; then numbers of pieces, -1: no element */
  ig_crossing *crossing;
  int64_t crossings;
  ig_topopt_piece *piece;
  int32_t count;
};

/* For discretisations: two elements share a face; a face is free and on no plane of symmetry (both
   by several threads at a time); a face is shared with an element of another rank, `other` in the
   whole. */
void ig_topopt_pieces_join(ig_topopt_pieces *p, int64_t a, int64_t b);
void ig_topopt_pieces_open(ig_topopt_pieces *p, int64_t a);
IG_MUST_CHECK ig_status ig_topopt_pieces_cross(ig_topopt_pieces *p, int64_t own, int rank,
                                               int64_t other);

/* What a design falls into. */
typedef struct {
  int64_t pieces, cavities; /* cavities: void that no free face leads to */
  int64_t loaded;           /* elements with a loaded node */
  int64_t firm, loose;      /* loaded pieces with a support or spring; without */
} ig_topopt_tally;

/* All ranks that have parts call these; `density` and `touched` (marks IG_TOUCH_…) of own elements,
   on the host. */
IG_MUST_CHECK ig_status ig_topopt_pieces_count(ig_ctx *cx, const ig_discretisation *d,
                                               const double *density, double level,
                                               const uint8_t *touched, ig_topopt_tally *tally);
/* Sets to 0 the densities of pieces without a touched element, one at a load or support, but for
   the largest: how many, of how many elements. */
IG_MUST_CHECK ig_status ig_topopt_islands_clear(ig_ctx *cx, const ig_discretisation *d,
                                                double *density, double level,
                                                const uint8_t *touched, int64_t *islands,
                                                int64_t *elements);
/* pieces_ranks.c: pieces of several ranks that are one become so; also on a rank that has failed.
 */
IG_MUST_CHECK ig_status ig_topopt_pieces_meet(ig_topopt_pieces *p, ig_status status);

#endif
