/* A place: a part of space as a case names it, inside everything of box, cylinder, sphere and plane
   that is given. `mesh.sets`, `mesh.remove` and whatever a room places on a grid say it with the
   same keys: put IG_PLACE_KEYS(struct, member) in the option table of a struct with an ig_place. */
#ifndef IG_MESH_PLACE_H
#define IG_MESH_PLACE_H

#include "core/option.h"

/* An ig_reals written down: IG_ROW(0, 0, 1). Lives as long as the block it stands in. */
#define IG_ROW(...)                                                                                \
  ((ig_reals){(int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__}})

/* Points have two entries in the plane, three in space. A part counts as given when its at.given
   is true. */
typedef struct {
  ig_src at;
  ig_reals min, max;
} ig_in_box;
typedef struct {
  ig_src at;
  ig_reals from, to;
  double inner, radius;
} ig_in_cylinder;
typedef struct {
  ig_src at;
  ig_reals center;
  double inner, radius;
} ig_in_sphere;
typedef struct {
  ig_src at;
  ig_reals point, normal;
  double within; /* on either side; 0: as close as rounding allows */
} ig_in_plane;
typedef struct {
  ig_src at; /* at.given: some of it was */
  ig_in_box box;
  ig_in_cylinder cylinder;
  ig_in_sphere sphere;
  ig_in_plane plane;
} ig_place;

extern const ig_option ig_place_options[];
#define IG_PLACE_KEYS(S, m, text) IG_KEYS(S, m, ig_place, ig_place_options, text)

/* Once, before the place is used: fails, saying where, when none of it is given or what is given
   cannot be. */
IG_MUST_CHECK ig_status ig_place_check(ig_ctx *cx, const ig_place *place);
/* Is the point x[3] there? Up to `tolerance` (m) outside counts as inside: 1e-9 of the size of the
   whole model is rounding. */
bool ig_place_has(const ig_place *place, const double *x, double tolerance);

#endif
