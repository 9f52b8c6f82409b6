/* Sums on the CPU: per chunk of fixed size, then over the chunks in order, the same for any number
   of threads. Chunks of a grid in space do not reach over its planes of nodes, so that the sum has
   the same bits on any number of ranks, too. */
#ifndef IG_SOLVER_KRYLOV_CHUNKS_H
#define IG_SOLVER_KRYLOV_CHUNKS_H

#include "solver/grid/grid.h"

/* values of a chunk: 64 kB of doubles, some microseconds of work */
enum { IG_CHUNK = 1 << 13 };

typedef struct {
  /* all chunks of a plane together are `length` values; the last chunk of a plane is shorter */
  int64_t length, per, count; /* values of a plane (or all there are); chunks of it; of all */
  int64_t values;
} ig_chunks;

/* Of n values over a grid; NULL: over nothing in particular. */
static inline ig_chunks ig_chunks_of(const ig_grid *g, int64_t n) {
  const int64_t length = g && g->dim == 3 ? g->plane : n > 0 ? n : 1;
  const int64_t per = (length + IG_CHUNK - 1) / IG_CHUNK;
  return (ig_chunks){length, per, (n + length - 1) / length * per, n};
}
static inline int64_t ig_chunk_begin(const ig_chunks *k, int64_t chunk) {
  return chunk / k->per * k->length + chunk % k->per * IG_CHUNK;
}
static inline int64_t ig_chunk_end(const ig_chunks *k, int64_t chunk) {
  const int64_t end = ig_chunk_begin(k, chunk) + IG_CHUNK, last = (chunk / k->per + 1) * k->length;
  const int64_t there = last < k->values ? last : k->values; /* a mesh's last "plane" is short */
  return end < there ? end : there;
}
static inline bool ig_chunks_divided(const ig_grid *g) {
  return g && g->slab;
}

/* part[chunk][each] to sum[each], over all ranks; changes `part`. NULL: it could not be made, which
   fails here, on all ranks (only where the grid is divided). */
IG_MUST_CHECK ig_status ig_chunks_total(const ig_grid *g, const ig_chunks *k, int each,
                                        double *part, double *sum);

#endif
