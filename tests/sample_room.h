/* A room that only reads its case: every kind of option, so that tests of cases need no physics. */
#ifndef IG_TESTS_SAMPLE_ROOM_H
#define IG_TESTS_SAMPLE_ROOM_H

#include "core/room.h"

typedef struct {
  ig_src at;
  double radius, depth;
  int shape;
} sample_spot;
typedef struct {
  ig_src at;
  double power, start, angle, efficiency;
  const char *path;
  double direction[3];
  sample_spot spot;
} sample_source;
typedef struct {
  ig_src at;
  bool gravity;
  int64_t steps, grid[3];
  double ambient, speed, spin, stiffness, toughness;
  const char *label, *toolpath;
  int scheme, mode;
  double origin[2];
  ig_reals times;
  ig_texts probes;
  ig_table curve;
  sample_spot probe;
  ig_list sources;
} sample_case;

#define S sample_spot
static const ig_option sample_spot_options[] = {
    IG_REAL(S, radius, "m", IG_REQUIRED, IG_POSITIVE, 1, "radius of the spot"),
    IG_REAL(S, depth, "m", "0.5 mm", 0, 1, "depth of the spot"),
    IG_CHOICE(S, shape, "gauss|disc|ellipsoid", "gauss", "shape of the spot"), IG_END};
#undef S
#define S sample_source
static const ig_option sample_source_options[] = {
    IG_REAL(S, power, "W", IG_REQUIRED, IG_POSITIVE, 1e5, "power of the beam"),
    IG_REAL(S, start, "s", "0", 0, IG_UNBOUNDED, "when it is switched on"),
    IG_REAL(S, angle, "rad", NULL, -3.2, 3.2, "tilt of the beam"),
    IG_REAL(S, efficiency, "", "35 %", 0, 1, "share of the power that arrives"),
    IG_TEXT(S, path, NULL, "name of its path"),
    IG_VECTOR(S, direction, 3, "", "[0, 0, -1]", "of the beam"),
    IG_MAP(S, spot, sample_spot, sample_spot_options, IG_REQUIRED, "where the beam arrives"),
    IG_END};
#undef S
#define S sample_case
static const ig_option sample_options[] = {
    IG_BOOL(S, gravity, "no", "whether things fall"),
    IG_INT(S, steps, IG_REQUIRED, 1, 1e9, "number of steps"),
    IG_IVECTOR(S, grid, 3, "[10, 10, 5]", 1, 1e5, "cells"),
    IG_REAL(S, ambient, "K", "25 degC", 0, 1e4, "ambient temperature"),
    IG_REAL(S, speed, "m/s", NULL, 0, IG_UNBOUNDED, "speed of the head"),
    IG_REAL(S, spin, "rad/s", NULL, 0, 0, "speed of the spindle"),
    IG_REAL(S, stiffness, "N/m", NULL, 0, IG_UNBOUNDED, "of the support"),
    IG_REAL(S, toughness, "Pa m^0.5", NULL, 0, IG_UNBOUNDED, "of the part"),
    IG_TEXT(S, label, "plain", "a word"),
    IG_FILE(S, toolpath, NULL, "toolpath to follow"),
    IG_CHOICE(S, scheme, "explicit|implicit", "explicit", "time integration"),
    IG_CHOICE(S, mode, "slow|fast", NULL, "how"),
    IG_VECTOR(S, origin, 2, "m", NULL, "where it starts"),
    IG_REALS(S, times, "s", NULL, 0, IG_UNBOUNDED, "when to look"),
    IG_TEXTS(S, probes, NULL, "where to look"),
    IG_TABLE(S, curve, "K", "W/(m K)", "15", 0, 1e4, "conductivity over temperature"),
    IG_MAP(S, probe, sample_spot, sample_spot_options, NULL, "a spot to watch"),
    IG_LIST(S, sources, sample_source, sample_source_options, NULL, "beams"),
    IG_END};
#undef S

static ig_status sample_check(ig_job *job, ig_check_line *line, void *user) {
  (void)job, (void)line, (void)user;
  return IG_OK;
}
static const ig_room sample_room = {.name = "sample",
                                    .about = "reads its case",
                                    .case_size = sizeof(sample_case),
                                    .options = sample_options,
                                    .check = sample_check,
                                    .precisions = "single|double"};
/* the same, but it cannot do without a mesh */
static const ig_room meshed_room = {.name = "meshed",
                                    .about = "reads its case and wants a mesh",
                                    .needs_mesh = true,
                                    .case_size = sizeof(sample_case),
                                    .options = sample_options,
                                    .check = sample_check};
static const ig_room *const sample_rooms[] = {&sample_room, &meshed_room, NULL};

#endif
