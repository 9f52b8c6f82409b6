/* What a case may say of the scan paths that Ingot makes. The default turn of 67 degrees a layer is
   common in laser powder-bed fusion: it is no divisor of a full turn, so that directions repeat
   only after many layers. */
#include "scan/hatch.h"

/* A part: a file or a box. */
#define P ig_scan_part
static const ig_option part_options[] = {
    IG_FILE(P, stl, NULL,
            "surface of the part: STL, OBJ or 3MF; or a voxel image: .vti, .nrrd or .npy"),
    IG_REAL(P, unit, "m", NULL, IG_POSITIVE, 1,
            "length unit of the file; left out: its own, or millimetres; of an image that names no "
            "sizes, the edge of a voxel"),
    IG_REAL(P, threshold, "", "0", 0, 0, "voxels of an image above this value are the part"),
    IG_TEXT(P, field, NULL, "the array of a .vti; left out: its only one"),
    IG_VECTOR(P, translate, 3, "m", NULL, "the part is moved by this"),
    IG_VECTOR(P, min, 3, "m", NULL, "or a box: its lowest corner"),
    IG_VECTOR(P, max, 3, "m", NULL, "and its highest"),
    IG_INT(P, laser, "0", 0, 64, "the laser that scans it, from 1; 0: whichever is free"),
    IG_END};
#undef P

/* Values left out are NaN and become those of the lines when the contour is scanned. */
#define C ig_hatch_contour
static const ig_option contour_options[] = {
    IG_INT(C, count, "1", 1, 100, "how many, from the outside in"),
    IG_REAL(C, offset, "m", IG_REQUIRED, 0, 1, "distance of the outermost from the outline"),
    IG_REAL(C, spacing, "m", NULL, IG_POSITIVE, 1,
            "distance between them; left out: that of lines"),
    IG_REAL(C, power, "W", NULL, 0, 1e6, "left out: that of lines"),
    IG_REAL(C, speed, "m/s", NULL, IG_POSITIVE, 1e3, "left out: that of lines"),
    IG_BOOL(C, last, "false", "scan them after the lines of a layer"),
    IG_END};
#undef C

#define S ig_hatch_skin
static const ig_option skin_options[] = {
    IG_INT(S, layers, "1", 1, 1000, "how many layers deep it is"),
    IG_REAL(S, power, "W", NULL, 0, 1e6, "left out: that of lines"),
    IG_REAL(S, speed, "m/s", NULL, IG_POSITIVE, 1e3, "left out: that of lines"), IG_END};
#undef S

/* The section. Limits of 1 m and 1e3 m/s catch slips of the unit. */
#define H ig_hatch_case
const ig_option ig_hatch_options[] = {
    IG_LIST(H, parts, ig_scan_part, part_options, IG_REQUIRED, "parts, scanned one by one"),
    IG_REAL(H, layer_height, "m", IG_REQUIRED, IG_POSITIVE, 1, "height of a layer"),
    IG_REAL(H, base, "m", NULL, 0, 0,
            "where the first layer begins; left out: at the lowest point of all parts; paths run "
            "on top of a layer"),
    IG_INT(H, first_layer, "1", 1, 1e6, "scan from this layer on"),
    IG_INT(H, layers, "0", 0, 1e6, "so many; 0: all of the parts"),
    IG_REAL(H, spacing, "m", IG_REQUIRED, IG_POSITIVE, 1, "distance between lines"),
    IG_REAL(H, border, "m", "0", 0, 1, "lines keep this distance from the outline"),
    IG_REAL(H, power, "W", IG_REQUIRED, 0, 1e6, "power on the lines"),
    IG_REAL(H, speed, "m/s", IG_REQUIRED, IG_POSITIVE, 1e3, "scan speed on the lines"),
    IG_REAL(H, jump_speed, "m/s", "5 m/s", IG_POSITIVE, 1e3, "speed of jumps, with the beam off"),
    IG_REAL(H, settle, "s", "0", 0, 1, "wait after each jump"),
    IG_REAL(H, angle, "rad", "0", 0, 0, "direction of the first layer's lines, from the x axis"),
    IG_REAL(H, rotation, "rad", "67 deg", 0, 0, "turned by this each layer"),
    IG_CHOICE(H, pattern, "lines|stripes|islands", "lines",
              "lines across the whole part; strips of `width`, one after the other; or squares of "
              "`width`, every second one first, their lines at right angles to the others'"),
    IG_REAL(H, width, "m", NULL, IG_POSITIVE, 1, "of a stripe or an island"),
    IG_REAL(H, overlap, "m", "0", 0, 1, "lines go so far beyond their stripe or island"),
    IG_BOOL(H, one_way, "false", "all lines in one direction, not back and forth"),
    IG_REAL(H, skywriting, "m", "0", 0, 1,
            "run-up and run-out of each line at scan speed, with the beam off"),
    IG_MAP(H, contour, ig_hatch_contour, contour_options, NULL, "lines along the outline"),
    IG_MAP(H, up_skin, ig_hatch_skin, skin_options, NULL,
           "parameters where the part does not go on above"),
    IG_MAP(H, down_skin, ig_hatch_skin, skin_options, NULL,
           "parameters where there is no part below; first of the two"),
    IG_REAL(H, recoating, "s", "0", 0, 1e6, "between two layers, all lasers off"),
    IG_REAL(H, layer_time, "s", "0", 0, 1e6, "a layer with its recoating takes at least this"),
    IG_REAL(H, start_time, "s", "0", 0, 1e9, "when the first line begins"),
    IG_INT(H, lasers, "1", 1, 64,
           "lasers that work at once: the next stripe, island, block of lines or contour goes to "
           "the one that is free first"),
    IG_END};
#undef H
