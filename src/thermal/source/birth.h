/* When elements are born: as a beam passes over, or layer by layer. */
#ifndef IG_THERMAL_SOURCE_BIRTH_H
#define IG_THERMAL_SOURCE_BIRTH_H

#include "core/option.h"
#include "core/toolpath.h"
#include <ingot/mesh.h>

typedef enum { IG_BIRTH_BEAD, IG_BIRTH_LAYERS, IG_BIRTH_LIST, IG_BIRTH_FIELD } ig_birth_mode;
/* An element belongs to a bead whose box holds its centre, or touches it anywhere (adamantine). */
typedef enum { IG_BIRTH_CENTRE, IG_BIRTH_TOUCH } ig_birth_rule;
/* Births within a step divide it, or wait for the next one; see ig_thermal_births_start. */
typedef enum { IG_BIRTH_AUTO, IG_BIRTH_EXACT, IG_BIRTH_STEP } ig_birth_timing;

/* One entry of `birth.list`: these elements are born then. */
typedef struct {
  ig_src at;
  ig_texts set;
  double time;
} ig_birth_entry;

typedef struct {
  ig_src at;
  int by;
  ig_texts set; /* element sets */
  ig_list list; /* of ig_birth_entry */
  double width, height, lead;
  int rule;                 /* ig_birth_rule; beads */
  const char *file, *field; /* by field */
  int temperature;          /* ig_heat_newborn */
  int timing;               /* ig_birth_timing */
} ig_birth_case;

/* birth: elements, s; -infinity for those of no set, infinity for those no pass reaches. A list or
   a field needs no paths. *never: how many are infinite. Fails, with the place in the case, where
   keys contradict each other. */
IG_MUST_CHECK ig_status ig_birth_times(ig_ctx *cx, const ig_birth_case *c, const ig_mesh *mesh,
                                       const ig_toolpath *paths, int count, double *birth,
                                       ig_lid *never);

#endif
