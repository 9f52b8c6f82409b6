/* Which blocks the matrices of multigrid on a mesh have: products and transposes of patterns. They
   are made where values will be, on the device; the host sees what it asks for (ig_array_show). */
#ifndef IG_SOLVER_MESH_MESH_PATTERN_H
#define IG_SOLVER_MESH_MESH_PATTERN_H

#include "core/array.h"

IG_C_BEGIN

/* A pattern in compressed rows; owns its arrays. */
typedef struct {
  ig_lid rows, cols;
  ig_array start, column; /* rows + 1, on the host, too; columns rise in each row */
} ig_pattern;

typedef struct {
  /* c = a b; b's rows need not be sorted */
  ig_status (*times)(ig_ctx *cx, const ig_pattern *a, const ig_pattern *b, ig_pattern *c);
  /* the transpose, and where each of its entries is in a */
  ig_status (*turn)(ig_ctx *cx, const ig_pattern *a, ig_pattern *t, ig_array *from);
} ig_pattern_ops;
extern const ig_pattern_ops ig_pattern_cpu;
extern const ig_pattern_ops ig_pattern_cuda;

void ig_pattern_free(ig_ctx *cx, ig_pattern *p);
static inline size_t ig_pattern_entries(const ig_pattern *p) {
  return (size_t)((const ig_lid *)p->start.host)[p->rows];
}

/* --- for who makes one: ig_pattern_begin, after which start[i + 1] is set to the number of entries
   of row i, on the host; then ig_pattern_room makes where rows begin of it, and space for columns
   --- */
IG_MUST_CHECK ig_status ig_pattern_begin(ig_ctx *cx, ig_lid rows, ig_lid cols, ig_pattern *p);
IG_MUST_CHECK ig_status ig_pattern_room(ig_ctx *cx, ig_pattern *p);

ig_status ig_pattern_times_cuda(ig_ctx *cx, const ig_pattern *a, const ig_pattern *b,
                                ig_pattern *c);
ig_status ig_pattern_turn_cuda(ig_ctx *cx, const ig_pattern *a, ig_pattern *t, ig_array *from);

IG_C_END
#endif
