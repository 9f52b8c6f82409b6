/* Beams: heat sources that follow a toolpath. What they deposit depends on the toolpath and on what
   is born, never on temperature, so the host works it out, in double precision, ahead of the
   device. */
#ifndef IG_THERMAL_BEAM_H
#define IG_THERMAL_BEAM_H

#include "core/option.h"
#include "core/toolpath.h"
#include "thermal/bins.h"
#include "thermal/heat.h"
#include "thermal/raster.h"

typedef enum { IG_BEAM_SURFACE, IG_BEAM_GAUSSIAN, IG_BEAM_GOLDAK, IG_BEAM_CYLINDER } ig_beam_model;

typedef struct {
  ig_src at;
  const char *file;
  int format;
  double power, unit, travel, start;
} ig_path_case;

typedef struct {
  ig_src at;
  int model;
  double radius, depth, front, rear, absorptivity, reach;
  ig_path_case path;
  ig_raster_case raster;
} ig_beam_case;

extern const ig_option ig_beam_options[];

typedef struct {
  ig_beam_model model;
  double radius, depth, front, rear, absorptivity;
  double reach;  /* surface: how far above or below the beam a face may lie, m */
  double cutoff; /* nothing is deposited beyond, m */
  ig_toolpath path;
  int64_t cursor;
  /* what may be touched: faces (element x 6 + face) or elements */
  int32_t targets;
  ig_lid *target;
  double *place; /* targets x 3 */
  double size;   /* of the largest target, m */
  ig_bins bins;
  /* near the beam as it was last looked for */
  int32_t near_count, near_room;
  int32_t *near;
  ig_lid *near_node;   /* near x 8; the first -1: too far */
  double *near_weight; /* near x 8 */
  double near_at[3], near_margin;
  int near_event;
} ig_beam;

typedef struct {
  int count;
  ig_beam *beam;
  double *power; /* nodes: of the step being written */
  ig_lid *touched;
  ig_lid touched_count;
  double asked, given; /* J: absorptivity x power; what of it found material */
} ig_beams;

/* The paths, one a beam, become the beams' own. absorptivity, reach (or the radius, if larger):
   where a case gives none. */
IG_MUST_CHECK ig_status ig_beams_new(ig_ctx *cx, const ig_list *cases, ig_toolpath *paths,
                                     const ig_heat *h, double absorptivity, double reach,
                                     const ig_mesh *mesh, ig_beams *beams);
void ig_beams_free(ig_beams *beams);
/* The path a beam's case asks for. */
IG_MUST_CHECK ig_status ig_beam_path(ig_ctx *cx, const ig_beam_case *c, ig_toolpath *path);
/* Writes what all beams deposit from `time` to `time` + dt into the batch. */
IG_MUST_CHECK ig_status ig_beams_step(ig_ctx *cx, ig_beams *beams, ig_heat *h, double time,
                                      double dt);
/* The piece of a path that holds a time: -1 before it, its last point after. */
int64_t ig_path_piece(const ig_toolpath *path, int64_t *cursor, double time);
/* Where a path is at a time, and its power; cursor speeds up rising times. */
double ig_path_at(const ig_toolpath *path, int64_t *cursor, double time, double *x);

#endif
