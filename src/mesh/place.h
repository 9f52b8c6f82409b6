/* A place: a region of space as a case describes it, the intersection of what is given of box,
   cylinder, sphere and plane. `mesh.sets`, `mesh.remove` and rooms use the same keys: put
   IG_PLACE_KEYS(struct, member, text) into the option table of a struct with an ig_place. */
#ifndef IG_MESH_PLACE_H
#define IG_MESH_PLACE_H

#include "core/option.h"

/* An ig_reals literal: IG_ROW(0, 0, 1). Its memory is that of the enclosing block. */
#define IG_ROW(...)                                                                                \
  ((ig_reals){(int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__}})

/* Coordinates in m, two entries in the plane and three in space. A shape counts as given if its
   at.given is true. */
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

/* To be called once before the place is used. Fails, with the position in the case, if nothing is
   given or a shape is impossible. */
IG_MUST_CHECK ig_status ig_place_check(ig_ctx *cx, const ig_place *place);
/* Whether point x (3 coordinates, m) is in the place. Points up to `tolerance` (m) outside count as
   inside; 1e-9 of the model's size covers rounding. */
bool ig_place_has(const ig_place *place, const double *x, double tolerance);

#endif
