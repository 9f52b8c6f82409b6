/* What the parts of a model share: its tables by name, and the counts only the device knows. */
#ifndef IG_FRAC_TABLES_H
#define IG_FRAC_TABLES_H

#include "fracture/model.h"

enum { SAVED = 1, DEVICE_ONLY = 2 };
IG_MUST_CHECK ig_status ig_frac_table_add(ig_frac_model *m, const char *name, void *at,
                                          ig_frac_per per, int64_t width, size_t size, int flags);
ig_frac_table *ig_frac_table_find(ig_frac_model *m, const char *name);
IG_MUST_CHECK ig_status ig_frac_count_pull(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_count_push(ig_frac_model *m);
/* More space for nodes and cohesive elements: half as much again, or what is asked for. */
IG_MUST_CHECK ig_status ig_frac_tables_grow(ig_frac_model *m);
void ig_frac_graph_drop(ig_frac_model *m);

/* Contact between surfaces (surface.c): sizes of its search, from the mesh; its tables, if it is
   wanted. */
void ig_frac_surface_size(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_surface_open(ig_frac_model *m);

/* Clusters (patch.c) of the mesh as it is now, where the case wants them; after a restart, from
   tables read back: what is loose. */
IG_MUST_CHECK ig_status ig_frac_patches_new(ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_patches_follow(ig_frac_model *m);
void ig_frac_patches_free(ig_frac_model *m);

void ig_frac_probes_free(ig_frac_probes *all);

#endif
