/* Pictures of snapshots. */
#ifndef INGOT_VIEW_H
#define INGOT_VIEW_H

#include <ingot/context.h>

IG_C_BEGIN

/* Zero-initialise, then set what matters: 0, NULL and false mean "the usual". */
typedef struct {
  const char *field; /* NULL: density, temperature, damage, stress, else the first one;
                        "displacement.z" takes a component, a vector's   or tensor's bare name its
                        magnitude; "none": plain grey */
  const char
      *palette;     /* viridis (usual), cividis, inferno, coolwarm, rainbow, gray, embers, steel */
  bool fixed_range; /* use `range`; else the field's own */
  double range[2];
  int width, height;         /* pixels, 0: 1600 x 1000 */
  bool fixed_camera;         /* use azimuth and elevation; else a good three-quarter view */
  double azimuth, elevation; /* degrees */
  double zoom;               /* 0: 1 */
  bool edges;                /* draw element edges */
  const char *threshold;     /* field: only cells within threshold_range are drawn */
  double threshold_range[2];
  const char *warp;   /* vector field the points are moved by */
  double warp_scale;  /* 0: 1 */
  const char *title;  /* NULL: none */
  bool bare;          /* no color bar, axes, time */
  int cut_axis;       /* 0: not cut; 1, 2, 3: by a plane across x, y, z at `cut_at` */
  double cut_at;      /* metres */
  bool slice;         /* the cut face alone; else the part below the plane */
  const char *arrows; /* vector field drawn as arrows, NULL: none */
  bool outline;       /* the shape before `warp`, as lines */
  const char *second; /* another snapshot, drawn to the right with the same colors; NULL: none */
  bool difference;    /* instead: this snapshot minus the second one, on the same mesh */
  double dpi;         /* pixels per inch, written into the file; 0: not said */
  bool elementwise;   /* values of elements as they are; else quantities with a unit and strains
                         are averaged at the nodes */
  bool celsius; /* temperatures in degrees Celsius, `range` and `threshold_range` of them too */
  bool loads;   /* arrows and marks of loads.csv beside the snapshot; usual where neither field
                   nor selection nor deformation is asked for */
} ig_view_options;

/* Draws the outer surface of a snapshot into a PNG file, written whole or not at all. */
IG_API IG_MUST_CHECK ig_status ig_view(ig_ctx *cx, const char *snapshot,
                                       const ig_view_options *options, const char *png);

/* The range of the field over what would be drawn: one for several pictures. */
IG_API IG_MUST_CHECK ig_status ig_view_range(ig_ctx *cx, const char *snapshot,
                                             const ig_view_options *options, double range[2]);

IG_C_END
#endif
