/* Beams: heat sources that follow a toolpath. What they deposit depends on the toolpath and on what
   is born, never on temperature. So for a batch of steps the host writes down where the beams are
   and what is near them, and the device distributes the watts of all those steps at once, before
   the engine runs the batch.

   Terms.
        target    an element (volume models) or an outer face (surface model) that a beam may heat
        spot      a beam at one place for part of a step; a fast beam has several spots per step
        zone      the targets within reach of all beams while they move by a small margin, with
                  their nodes: found once, then used for many steps, until a beam leaves the
                  margin or an element is born
        bins      a grid over the targets' centres: a zone is found without looking at all of them

   Passes: ig_beams_step per step (host), ig_beams_power per batch (device), beam.inc is the
   physics. */
#ifndef IG_THERMAL_SOURCE_BEAM_H
#define IG_THERMAL_SOURCE_BEAM_H

#include "core/option.h"
#include "core/toolpath.h"
#include "io/toolpath/path_case.h"
#include "material/keyhole.h"
#include "material/profile_case.h"
#include "thermal/source/beam_types.h"
#include "thermal/source/bins.h"
#include "thermal/engine/heat.h"
#include "thermal/source/raster.h"

/* Members as the case gives them, SI units; NaN: not given. */
typedef struct {
  ig_src at;
  int model;
  double radius, depth, front, rear, reach;
  ig_table absorptivity; /* over temperature, K */
  double axis[3];        /* direction of travel; NaN or zeros: straight down */
  double sampling; /* spacing of sample points over the smallest length of the source; 0: 0.4 */
  double order;    /* exponent of a super-Gaussian; 0: 2 */
  ig_profile_ring ring;
  ig_table profile;       /* relative intensity over the distance from the axis, m */
  ig_table depth_profile; /* cylinder: relative heat over depth, m */
  bool normalise;         /* all the power goes into what is met */
  ig_keyhole_case keyhole;
  ig_path_case path;
  ig_raster_case raster;
  int64_t laser;   /* of the case's hatch, from 1; 0: none */
  double segment;  /* longest piece of the path with the beam on; NaN or 0: as the path has them */
  ig_reals powers; /* of each piece, in place of the path's; none: the path's own */
} ig_beam_case;

typedef struct {
  ig_beam_shape shape;
  double absorptivity;    /* 1 where the engine has a table of it */
  double factor;          /* of its power: 1 unless another program changes it */
  double cutoff;          /* nothing is deposited beyond, m */
  double margin;          /* it may move so far in a zone, m */
  double low[3], high[3]; /* where the last zone serves it */
  ig_toolpath path;
  ig_keyhole *hole; /* of each piece of the path; NULL: none */
  /* piece of the path at the last step: times rise, so the search goes on from there */
  int64_t cursor;
  /* what may be touched of the part's own elements: faces (element x 6 + face) or elements */
  int32_t targets;
  ig_lid *target;
  double *place;         /* targets x 3 */
  uint8_t *points;       /* targets: sample points per side */
  double spacing;        /* of sample points, at most, m */
  int most_points;       /* per side */
  double size;           /* of the largest target of all ranks, m */
  ig_bins_extent extent; /* targets of all ranks */
  ig_bins bins;
  int32_t *live; /* bins: targets that are not covered for good, first in the bin */
  int event;     /* births so far when bins were last swept of covered ones */
} ig_beam;

/* A target of a rank's that a zone needs, as the whole counts it, with its nodes (-1: none) and
   their places, m. */
typedef struct {
  int32_t zone, beam, target, points;
  int64_t bin;
  ig_lid node[8];
  double x[8][3];
} ig_beam_near;

/* A step of the beams' batch, and which step of the engine's it is. */
typedef struct {
  int32_t step, engine;
} ig_beam_turn;

typedef struct {
  int count;
  ig_beam *beam;
  double sent;  /* power so far, J */
  double asked; /* absorptivity x power so far, J; where that depends on temperature, the power */
  bool heated;  /* absorptivity depends on temperature; then `met`: what landed so far, J, absorbed
                   or not */
  double met;
  /* the batch in hand (see beam_types.h) */
  int32_t steps, spots, zones, nodes, targets, refs, most_targets;
  int32_t list; /* of the last zone's nodes, in the engine's batch */
  int event;    /* births when the last zone was made */
  /* nodes of the part: number in the zone in work; all 0 between zones */
  int32_t *number;
  ig_lid *node; /* 2 x node_capacity: of the zone in work, and space to sort them in */
  int64_t node_capacity;
  /* on several ranks: own targets of the batch's zones; its steps that have a zone */
  ig_beam_near *near;
  int64_t nears;
  ig_beam_turn *turn;
  int64_t turns;
  /* the members of ig_beam_view, under the same names; `of` is its `beam`, `landed` its `met` */
  ig_array shape, step, spot, zone, x, of, points, corner, ref_start, ref, scratch, landed;
} ig_beams;

/* The one table of absorptivity over temperature that all beams have; NULL: they have numbers.
   `own`: the material's, where a beam gives none. */
IG_MUST_CHECK ig_status ig_beams_absorptivity(ig_ctx *cx, const ig_list *cases, const ig_table *own,
                                              const ig_table **table);

/* The paths, one per beam, become the beams' own. The material's absorptivity, reach (or the
   radius, if larger): where a case gives none. ground: temperature that keyholes are in, K. */
IG_MUST_CHECK ig_status ig_beams_new(ig_ctx *cx, const ig_list *cases, ig_toolpath *paths,
                                     const ig_heat *h, const ig_material_case *material,
                                     double ground, double reach, const ig_mesh *mesh,
                                     ig_beams *beams);
void ig_beams_free(ig_ctx *cx, ig_beams *beams);
/* beam.c: space for a zone's nodes and references, once its nodes are counted; its references
   (beam_types.h), once its corners are numbers of its nodes. zone: its number. */
IG_MUST_CHECK ig_status ig_beams_zone_reserve(ig_ctx *cx, ig_beams *beams, const ig_beam_zone *c,
                                              int32_t zone);
void ig_beams_zone_refs(ig_beams *beams, const ig_beam_zone *c, int32_t zone);
/* beam_part.c, on several ranks alone: target t of a beam is near, in this bin of all; a step has
   the last zone; when the batch is written, zones of what is near on all ranks, and the engine's
   lists. */
IG_MUST_CHECK ig_status ig_beams_part_near(ig_ctx *cx, ig_beams *beams, const ig_heat *h, int beam,
                                           int32_t t, int64_t bin);
IG_MUST_CHECK ig_status ig_beams_part_step(ig_ctx *cx, ig_beams *beams, ig_heat *h);
IG_MUST_CHECK ig_status ig_beams_part_batch(ig_ctx *cx, ig_beams *beams, ig_heat *h);
/* The box of one beam's spots from `first` on, and a margin for it to move in; where its targets
   may be; false: it has no spot. */
bool ig_beam_box(const ig_beams *beams, ig_beam *b, int beam, int32_t first, double *low,
                 double *high);
/* beam_width.c: warns where the elements under a beam are wider than its radius. Collective. */
IG_MUST_CHECK ig_status ig_beam_width_warn(ig_ctx *cx, const ig_beam_case *c, const ig_heat *h,
                                           const ig_beam *b);
/* The path a beam's case asks for, unless it is a laser of the case's hatch. */
IG_MUST_CHECK ig_status ig_beam_path(ig_ctx *cx, const ig_beam_case *c, ig_toolpath *path);
/* Writes where all beams are from `time` to `time` + dt into the batch. Steps must rise in time
   within a batch. Nothing is computed yet. */
IG_MUST_CHECK ig_status ig_beams_step(ig_ctx *cx, ig_beams *beams, ig_heat *h, double time,
                                      double dt);
/* Has the device work out the watts of the batch's steps; before the engine runs it. */
IG_MUST_CHECK ig_status ig_beams_power(ig_ctx *cx, ig_beams *beams, ig_heat *h);
/* Before it, on a CPU: from bars of the batch's watts to those of its spots' powers (adjoint/). */
IG_MUST_CHECK ig_status ig_beams_power_back(ig_ctx *cx, ig_beams *beams, const double *bar,
                                            double *spot_bar);
/* Before it, on a CPU: watts (as many as the batch has) that other beams would send into the same
   nodes in the same steps, which begin at `start`. Of the zones nothing is left out, near or far,
   so that watts are smooth functions of places and sizes. The others have no batch of their own. */
IG_MUST_CHECK ig_status ig_beams_power_as(ig_ctx *cx, const ig_beams *beams, ig_beams *as,
                                          const double *start, double *watt);
/* Sorts a beam's targets into bins, all of them live. */
IG_MUST_CHECK ig_status ig_beam_bins(ig_ctx *cx, ig_beam *b);
/* Nodes of a target: of a face (element x 6 + face), else of an element; how many. */
int ig_beam_target_nodes(const ig_heat *h, const ig_beam *b, ig_lid target, ig_lid *node);
/* Rising order, a byte at a time; `spare` is as long. */
void ig_numbers_sort(ig_lid *item, int32_t count, ig_lid *spare);
/* The piece of a path that holds a time: -1 before it, its last point after. */
int64_t ig_path_piece(const ig_toolpath *path, int64_t *cursor, double time);
/* When a beam is on again, `time` or later; infinity: never. */
double ig_beam_next_on(const ig_beam *b, double time);
/* Where a path is at a time, and its power; cursor speeds up rising times. */
double ig_path_at(const ig_toolpath *path, int64_t *cursor, double time, double *x);

#endif
