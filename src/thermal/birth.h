/* When elements are born: as a beam passes over, or layer by layer. */
#ifndef IG_THERMAL_BIRTH_H
#define IG_THERMAL_BIRTH_H

#include "core/option.h"
#include "core/toolpath.h"
#include <ingot/mesh.h>

typedef enum { IG_BIRTH_BEAD, IG_BIRTH_LAYERS } ig_birth_mode;

typedef struct {
  ig_src at;
  int by;
  ig_texts set; /* element sets */
  double width, height, lead;
  int temperature; /* ig_heat_newborn */
} ig_birth_case;

/* birth: elements, s; -infinity for those of no set, infinity for those no pass reaches. */
IG_MUST_CHECK ig_status ig_birth_times(ig_ctx *cx, const ig_birth_case *c, const ig_mesh *mesh,
                                       const ig_toolpath *paths, int count, double *birth,
                                       ig_lid *never);

#endif
