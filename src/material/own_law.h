/* Material laws that a program adds to a context (include/ingot/law.h). */
#ifndef IG_MATERIAL_OWN_LAW_H
#define IG_MATERIAL_OWN_LAW_H

#include "material/material.h"
#include <ingot/law.h>

/* The law that the material names in `own_law`, with the constants it needs, NULL where it names
   none. Fails, at the material, where the program has no such law. The context owns it. */
IG_MUST_CHECK ig_status ig_own_law_of(ig_ctx *cx, const ig_material_case *m,
                                      const ig_law_description **law);

#endif
