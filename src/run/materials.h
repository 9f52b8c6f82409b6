/* Material files: where a name leads to, and which are shipped. */
#ifndef IG_RUN_MATERIALS_H
#define IG_RUN_MATERIALS_H

#include "core/option.h"

/* Finds the file that the scalar `file` of a case names; path: PATH_MAX bytes. false: not found. A
   relative path is searched from the folder of the case; a bare name also in `materials` there and
   in every folder above, in $INGOT_MATERIALS, and where Ingot is installed. */
bool ig_material_file_find(const ig_node *file, char *path);
/* The shipped material whose name is most like `name`; false: none is like it. */
bool ig_material_nearest(const char *name, char *text, size_t size);

#endif
