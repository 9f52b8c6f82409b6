/* Material files: where a name leads to, and which are shipped. */
#ifndef IG_RUN_MATERIALS_H
#define IG_RUN_MATERIALS_H

#include "core/option.h"

/* The path, PATH_MAX long, of the file that a case's scalar `file` names; false: there is none. It
   is looked for from the case's folder; a bare name also in the `materials` folder there and in
   every folder above, in $INGOT_MATERIALS and where Ingot is installed. */
bool ig_material_file_find(const ig_node *file, char *path);

#endif
