/* What kernels of the automaton see: the arrays of a run, by value in one struct. C and CUDA. */
#ifndef IG_GRAINS_VIEW_H
#define IG_GRAINS_VIEW_H

#include "core/ctx.h"
#include "kern/hd.h"

/* States of a cell. ACTIVE: solid, with an octahedron that still may reach liquid neighbours. */
enum { IG_GRAINS_SOLID, IG_GRAINS_LIQUID, IG_GRAINS_ACTIVE };

/* Cells are worked on in segments along x: rows begin a new one, so the last of a row may be
   shorter. A segment of 32 is a warp on a GPU. */
enum { IG_GRAINS_SEGMENT = 32 };
/* Grains without an orientation of their own share this many random ones; a power of 2. */
enum { IG_GRAINS_ORIENTATIONS = 1 << 14 };
/* What a segment contains, bits. */
enum { IG_GRAINS_HAS_SOLID = 1, IG_GRAINS_HAS_LIQUID = 2, IG_GRAINS_HAS_ACTIVE = 4 };

/* A melting and solidification of a cell, in order of `melt` within it. */
typedef struct {
  double melt, liquidus; /* s: when it melts, when it falls through the liquidus */
  double cooling;        /* K/s from then on */
} ig_grains_event;

/* A place where a grain appears once the undercooling is reached, if the cell is still liquid. */
typedef struct {
  int32_t cell;
  int32_t melting; /* of which melting of the cell, from 1 */
  int32_t grain;
  float undercooling; /* K */
} ig_grains_nucleus;

typedef struct {
  int n[3], across; /* cells; segments in a row */
  bool periodic;    /* in x and y */
  int own_y[2];     /* rows of cells in y that this rank computes, [0] to [1] - 1 */
  int64_t cells, segments;
  uint64_t seed; /* of random numbers */

  /* temperature: undercooling = start - fall z + rate t of level z (cells), or by events */
  double start, fall, rate;     /* K, K per cell, K/s */
  const ig_grains_event *event; /* NULL: none */
  const int32_t *first;         /* cells + 1: events of a cell */
  int32_t *next;                /* cells: its next melting */

  /* growth in cells per step: (law[0] + law[1] u + law[2] u^2) u, u up to `limit` K */
  double law[3], limit;
  const float *axes; /* orientations x 9: rows are the axes of the crystal */
  int32_t own;       /* grains 1 .. own have an orientation each, the others share the rest */

  /* state, one per cell */
  uint8_t *state, *melts;
  int32_t *grain; /* 0: liquid and not captured */
  float *size;    /* half diagonal of the octahedron, cells; negative: nothing left to reach */
  float *centre;  /* x 3: of the octahedron, from the cell's centre, in axes of the crystal */
  float *under;   /* undercooling when it was captured, K */

  /* one per segment; written by `own` (flags, wake) and `take` (woken) */
  uint8_t *flags, *woken;
  double *wake;          /* s: earliest melting that is left */
  const int32_t *nuclei; /* segments + 1 */
  const ig_grains_nucleus *nucleus;

  double time; /* at the end of the step */
} ig_grains_view;

/* Cells by state, and the earliest melting that is left. */
typedef struct {
  unsigned long long liquid, active;
  double wake;
} ig_grains_count;

/* A cell as another rank needs it between `own` and `take`. */
typedef struct {
  float size, centre[3];
  int32_t grain, state; /* and flags of its segment, from bit 8 on */
} ig_grains_ghost;

IG_C_BEGIN
/* The two passes of a step of this rank's cells to v->time (cells.inc). */
IG_MUST_CHECK ig_status ig_grains_own_cpu(ig_ctx *cx, const ig_grains_view *v);
IG_MUST_CHECK ig_status ig_grains_own_cuda(ig_ctx *cx, const ig_grains_view *v);
IG_MUST_CHECK ig_status ig_grains_take_cpu(ig_ctx *cx, const ig_grains_view *v);
IG_MUST_CHECK ig_status ig_grains_take_cuda(ig_ctx *cx, const ig_grains_view *v);
/* Cells at y, n[0] x n[2] of them, to a list on the device, or from it. */
IG_MUST_CHECK ig_status ig_grains_ghosts_cpu(ig_ctx *cx, const ig_grains_view *v, int y, bool from,
                                             ig_grains_ghost *list);
IG_MUST_CHECK ig_status ig_grains_ghosts_cuda(ig_ctx *cx, const ig_grains_view *v, int y, bool from,
                                              ig_grains_ghost *list);
/* Counts cells. CUDA: `count` is in device memory. */
void ig_grains_count_cpu(ig_ctx *cx, const ig_grains_view *v, ig_grains_count *count);
IG_MUST_CHECK ig_status ig_grains_count_cuda(ig_ctx *cx, const ig_grains_view *v,
                                             ig_grains_count *count);
IG_C_END

#endif
