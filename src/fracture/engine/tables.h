/* What the parts of a model share: its tables by name, and the counts only the device knows. */
#ifndef IG_FRAC_TABLES_H
#define IG_FRAC_TABLES_H

#include "fracture/engine/model.h"

enum {
  SAVED = IG_ARRAY_SAVED,
  FIXED = IG_ARRAY_FIXED,
  GHOSTED = IG_ARRAY_GHOSTED,
  NUMBERS = IG_ARRAY_NUMBERS,
  DEVICE = IG_ARRAY_DEVICE,
  ONE_RANK = IG_ARRAY_ONE_RANK
};
/* Registers arrays of the model; a checkpoint has their bytes. */
IG_MUST_CHECK ig_status ig_frac_arrays_add(ig_frac_model *m, const ig_array_def *def, int count);
extern const ig_arrays_room ig_frac_arrays_room;
/* The host's copy of the device's counts, and back. A pull waits for all work before it. */
IG_MUST_CHECK ig_status ig_frac_count_pull(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_count_push(ig_frac_model *m);
/* More space for nodes and cohesive elements: half as much again, or what is asked for. */
IG_MUST_CHECK ig_status ig_frac_tables_grow(ig_frac_model *m);
/* After any change of addresses, step, loads or openings: the next block records a new graph. */
void ig_frac_graph_drop(ig_frac_model *m);
/* passes.c: an item over a list. */
IG_MUST_CHECK ig_status ig_frac_run_list(ig_frac_model *m, ig_frac_item item,
                                         const ig_frac_list *list);

/* Contact between surfaces (surface.c): sizes of its search, from the mesh; its tables, if it is
   wanted. */
void ig_frac_surface_size(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_surface_open(ig_frac_model *m);

/* Clusters (patch.c) of the mesh as it is now, where the case wants them; after a restart, from
   tables read back: what is loose. */
IG_MUST_CHECK ig_status ig_frac_patches_new(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_patches_follow(ig_frac_model *m);
void ig_frac_patches_free(ig_frac_model *m);

/* Probes (probe.c): each rank keeps its own nodes and elements of what they look at. */
void ig_frac_probes_divide(ig_frac_model *m);
void ig_frac_probes_free(ig_frac_probes *all);

#endif
