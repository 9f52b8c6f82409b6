/* Bodies inside each other: found at the start, and on the way. Not looked for with `overlap:
   keep`; after the start not on ranks, nor where elements erode. Solids that slide at distance 0:
   on the way, not on ranks. */
#ifndef IG_DYNAMICS_OVERLAP_H
#define IG_DYNAMICS_OVERLAP_H

#include "dynamics/dynamics.h"

/* Particles found inside another part; the deepest (m) and where it is. Counting stops at
   MEASURED. */
typedef struct {
  int count;
  double depth, at[3];
} ig_dyn_overlap;

/* Numbers the parts of the mesh, for contact and overlaps: m->overlap.part of the nodes. */
IG_MUST_CHECK ig_status ig_dyn_parts_new(ig_dyn_model *m);
/* Refuses parts that overlap at the start, or prepares an interference fit. */
IG_MUST_CHECK ig_status ig_dyn_overlap_new(ig_dyn_model *m);
/* Refuses tools with nodes inside them at the start. */
IG_MUST_CHECK ig_status ig_dyn_tools_check(ig_dyn_model *m);
/* Whether a part has passed into itself at positions x, and where. */
IG_MUST_CHECK ig_status ig_dyn_self_look(ig_dyn_model *m, const double *x, bool *found,
                                         double at[3]);
/* Warns once where solids slide over each other at distance 0, by positions x at `time` (slide.c);
   contact memory is on the host. */
IG_MUST_CHECK ig_status ig_dyn_slide_look(ig_dyn_model *m, const double *x, double time);
/* After positions were set from outside. */
void ig_dyn_slide_forget(ig_dyn_model *m);
/* Whether a run looks again; the look, an error that says where, and after how many steps the next
   one is due. last: the analysis is over. */
bool ig_dyn_overlap_watched(const ig_dyn_model *m);
IG_MUST_CHECK ig_status ig_dyn_overlap_check(ig_dyn_model *m, bool last, int64_t *next);
/* The largest step in which what comes at the present speeds is found when it crosses a surface. 0:
   any. */
IG_MUST_CHECK ig_status ig_dyn_overlap_step(ig_dyn_model *m, double *step);

#endif
