/* What the parts of a model share: its tables by name, and the counts only the device knows. */
#ifndef IG_FRAC_TABLES_H
#define IG_FRAC_TABLES_H

#include "fracture/model.h"

enum { SAVED = 1, DEVICE_ONLY = 2 };
IG_MUST_CHECK ig_status frac_table_add(frac_model *m, const char *name, void *at, frac_per per,
                                       int64_t width, size_t size, int flags);
frac_table *frac_table_find(frac_model *m, const char *name);
IG_MUST_CHECK ig_status frac_count_pull(frac_model *m);
IG_MUST_CHECK ig_status frac_count_push(frac_model *m);
/* Work space of the drivers, for the tables as large as they are now. */
IG_MUST_CHECK ig_status frac_temp_new(frac_model *m);
/* More room for nodes and cohesive elements: half as much again, or what is asked for. */
IG_MUST_CHECK ig_status frac_tables_grow(frac_model *m);
void frac_graph_drop(frac_model *m);

#endif
