/* Assembly plans: how the contributions of one block of elements reach the nodes, made once at
   set-up. Strategies are `atomic`, `color` and `gather`; `cluster` has structures of its own
   (cluster.h), for which a plan holds the connectivity only.

   A driver's element loop is the same for all three:

       for each color: for i in [begin, end):
         e = ig_scatter_element(view, i);  compute e;  ig_scatter_add(view, ...)

   `atomic` and `gather` have one range, `color` has one per color.

   Node sums: a pass over the elements ends with ig_plan_sum. Where the update of a node follows at
   once, the update begins with ig_node_add instead, which spares a pass over memory (thermal,
   dynamics, fracture). Nothing else adds up slots.

   Sums with `color` and `gather` have the same bits whatever the number of threads and the
   schedule; those with `atomic` differ by rounding from run to run. */
#ifndef IG_ASSEMBLY_H
#define IG_ASSEMBLY_H

#include "assembly/scatter.h"
#include "core/array.h"

IG_C_BEGIN

/* As cases call them. */
extern const char *const ig_assembly_names[IG_CLUSTER + 1];

/* Slots packed node after node, or rows as wide as the busiest node. */
typedef enum { IG_SLOTS_COMPACT, IG_SLOTS_ROWS } ig_slot_form;

typedef struct ig_plan {
  ig_assembly how;
  ig_lid nodes, elements;
  int npe;
  int colors;    /* 1 unless colored */
  ig_lid *start; /* host: colors + 1, ranges of `order` */
  /* as in ig_scatter_view (scatter.h), where their shapes are; on the host and on the device */
  ig_array conn, order, slot, first, used;
  int width;
  int64_t slots; /* entries (times components) a slot array must hold; 0 unless gather */
} ig_plan;

/* Elements of one type that share nodes with other blocks. */
typedef struct {
  ig_lid elements;
  int npe;
  const ig_lid *conn; /* elements x npe */
  ig_lid *slot;       /* result: elements x npe */
} ig_slot_block;

/* Numbers the slots of all blocks: a node's lie side by side from first[node] to first[node + 1],
   in the order of blocks and elements. */
IG_MUST_CHECK ig_status ig_slots_number(ig_ctx *cx, ig_lid nodes, int blocks,
                                        const ig_slot_block *block, ig_lid *first);
/* conn: elements x npe on the host; copied. */
IG_MUST_CHECK ig_status ig_plan_new(ig_ctx *cx, ig_assembly how, ig_slot_form form, ig_lid nodes,
                                    ig_lid elements, int npe, const ig_lid *conn, ig_plan *plan);
void ig_plan_free(ig_ctx *cx, ig_plan *plan);
/* What kernels see: device pointers. */
ig_scatter_view ig_plan_view(const ig_plan *plan);
/* The part of color c whose elements are below `active` (elements sorted by birth). */
void ig_plan_range(const ig_plan *plan, int c, ig_lid active, ig_lid *begin, ig_lid *end);
/* Bytes the plan holds on the device. */
size_t ig_plan_bytes(const ig_plan *plan);

/* Ends a pass over the elements: sum[node][c] += the node's slots, for m components. Device
   pointers. Nothing to do unless gather: the elements have added to `sum` themselves. */
IG_MUST_CHECK ig_status ig_plan_sum_f32(ig_ctx *cx, const ig_plan *plan, int m, const float *slots,
                                        float *sum);
IG_MUST_CHECK ig_status ig_plan_sum_f64(ig_ctx *cx, const ig_plan *plan, int m, const double *slots,
                                        double *sum);

IG_C_END
#endif
