/* Structs that the beam kernels share with the host: beams, where they are in each step, and what
   is near them. Double precision throughout: weights of far targets span many orders of magnitude,
   and their cost is small beside the steps. */
#ifndef IG_BEAM_TYPES_H
#define IG_BEAM_TYPES_H

#include "kern/hd.h"
#include "material/profile.h"

typedef enum { IG_BEAM_SURFACE, IG_BEAM_GAUSSIAN, IG_BEAM_GOLDAK, IG_BEAM_CYLINDER } ig_beam_model;

typedef struct {
  int32_t model;                     /* ig_beam_model */
  double radius, depth, front, rear; /* m */
  int32_t tilted;                    /* 0: axis is 0 0 -1 */
  double axis[3];                    /* unit vector along which the beam travels */
  ig_profile across;                 /* surface, cylinder */
  int32_t deep_knots;                /* of the table over depth; 0: none */
  double deep[IG_PROFILE_KNOTS], deep_level[IG_PROFILE_KNOTS]; /* m, relative heat */
  double reach; /* surface: how far above or below the beam a face may lie, m */
  double whole; /* integral of the intensity over all space it is meant for, m^2 or m^3: what is
                   not met is lost; 0: all the power goes into what is met */
  double far;   /* targets whose centre is further away take nothing, m */
} ig_beam_shape;

/* A beam at one place for part of a step. */
typedef struct {
  double at[3], along[2]; /* m; unit vector of travel in the plane */
  double power;           /* absorbed, as a mean over the step, W */
  double depth;           /* of its keyhole, m; 0: that of the beam's shape */
  int32_t beam;
  int32_t piece; /* of its path */
} ig_beam_spot;

/* What beams may touch while they move a little: nodes, rising, and faces or elements on them. */
typedef struct {
  int32_t nodes, node_count, targets, target_count, refs;
} ig_beam_zone;

/* One step of a batch. */
typedef struct {
  int32_t zone, spots, spot_count; /* zone -1: no beam is on */
  int32_t power;                   /* where the watts of the zone's nodes go */
  double dt;                       /* s */
} ig_beam_step;

/* Corners of a target at most; doubles of scratch per target (see `scratch` below). */
enum { IG_BEAM_CORNERS = 8, IG_BEAM_SCRATCH = 10 };

typedef struct {
  int32_t steps, workers;
  int64_t share; /* doubles of scratch per worker */
  const ig_beam_shape *shape;
  const ig_beam_step *step;
  const ig_beam_spot *spot;
  const ig_beam_zone *zone;
  const double *x;          /* zone nodes x 3 */
  const int32_t *beam;      /* zone targets: whose they are */
  const int32_t *points;    /* zone targets: sample points per side */
  const int32_t *corner;    /* zone targets x 8: nodes, counted in the zone */
  const int32_t *ref_start; /* zone nodes + 1 per zone: from its `nodes` + its number on */
  const int32_t *ref;       /* target x 8 + corner, of each node */
  double *scratch;          /* workers x share: of each target 8 weights, their sum, distance^2 */
  double *power;            /* W */
  double *met;              /* steps: W that landed; NULL: nobody asks */
} ig_beam_view;

#endif
