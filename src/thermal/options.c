/* What a thermal case may say. */
#include "thermal/thermal.h"
#ifdef INGOT_HAVE_IO
#include "io/toolpath.h"
#else
#define IG_TOOLPATH_FORMATS "auto|csv|crs|segments|gcode|additivefoam|3dthesis|adamantine|ammt|cli"
#endif

/* --- hatched layers */

#define R ig_raster_region
static const ig_option region_options[] = {
    IG_VECTOR(R, min, 2, "m", IG_REQUIRED, "lowest corner in x, y"),
    IG_VECTOR(R, max, 2, "m", IG_REQUIRED, "highest corner in x, y"), IG_END};
#undef R
static const ig_option part_options[] = {IG_LIST(ig_raster_part, regions, ig_raster_region,
                                                 region_options, IG_REQUIRED,
                                                 "rectangles that make up this part"),
                                         IG_END};

#define R ig_raster_case
static const ig_option raster_options[] = {
    IG_REAL(R, power, "W", IG_REQUIRED, 0, 1e6, "power while scanning"),
    IG_REAL(R, speed, "m/s", IG_REQUIRED, IG_TINY, 1e3, "scan speed"),
    IG_REAL(R, travel, "m/s", "1 m/s", IG_TINY, 1e3, "speed with the beam off"),
    IG_REAL(R, hatch, "m", IG_REQUIRED, IG_TINY, 1, "spacing of the lines"),
    IG_REAL(R, layer_height, "m", IG_REQUIRED, IG_TINY, 1, "height of a layer"),
    IG_REAL(R, base, "m", "0", 0, 0, "where the first layer begins; paths run on top of a layer"),
    IG_INT(R, layers, "1", 1, 1e6, "how many layers"),
    IG_REAL(R, angle, "rad", "0", 0, 0, "direction of the first layer's lines, from the x axis"),
    IG_REAL(R, rotation, "rad", "1.5707963267948966", 0, 0, "turned by this each layer"),
    IG_REAL(R, island, "m", NULL, IG_TINY, 1,
            "edge of square islands, scanned like a chessboard; left out: none"),
    IG_BOOL(R, contour, "false", "scan the outline before the lines of a layer"),
    IG_BOOL(R, one_way, "false", "all lines in one direction, not back and forth"),
    IG_REAL(R, dwell, "s", "0", 0, 1e6, "wait after each layer"),
    IG_REAL(R, part_dwell, "s", "0", 0, 1e6, "wait after each part of a layer"),
    IG_REAL(R, start, "s", "0", 0, 1e9, "when the first line begins"),
    IG_LIST(R, regions, ig_raster_region, region_options, NULL,
            "rectangles whose union is scanned"),
    IG_LIST(R, parts, ig_raster_part, part_options, NULL, "or several such parts, one by one"),
    IG_END};
#undef R

/* --- beams */

#define P ig_path_case
static const ig_option path_options[] = {
    IG_FILE(P, file, IG_REQUIRED, "toolpath file"),
    IG_CHOICE(P, format, IG_TOOLPATH_FORMATS, "auto", "its dialect; auto: by what the file says"),
    IG_REAL(P, power, "W", NULL, 0, 1e6, "nominal power, where the file gives none"),
    IG_REAL(P, unit, "m", NULL, IG_TINY, 1, "length unit of the file; left out: the dialect's own"),
    IG_REAL(P, travel, "m/s", "1 m/s", IG_TINY, 1e3,
            "speed with the beam off, where the file gives none; of G-code's G0"),
    IG_REAL(P, feed, "m/s", NULL, IG_TINY, 1e3,
            "speed with the beam on, where the file gives none"),
    IG_REAL(P, z, "m", "0", 0, 0, "height, where the file gives none"),
    IG_REAL(P, sample, "s", NULL, IG_TINY, 1e3,
            "time between rows, where the file gives none; left out: 10 us for ammt"),
    IG_REAL(P, dwell_unit, "s", "1 ms", IG_TINY, 1e3, "G-code: unit of P in G4"),
    IG_REAL(P, full_s, "", NULL, IG_TINY, 1e9,
            "G-code: the S word that means `power`; left out: S is in watts"),
    IG_REAL(P, start, "s", "0", 0, 1e9, "time of the first point, where the file gives none"),
    IG_END};
#undef P

#define B ig_beam_case
static const ig_option beam_options[] = {
    IG_CHOICE(B, model, "surface|gaussian|goldak|cylinder", "surface",
              "flux on the current top surface, or heat in the volume: ellipsoid, Goldak's double "
              "ellipsoid, cylinder"),
    IG_REAL(B, radius, "m", IG_REQUIRED, IG_TINY, 1,
            "beam radius: where a surface flux has fallen to 1/e^2, an ellipsoid to 1/e^3"),
    IG_REAL(B, depth, "m", NULL, IG_TINY, 1, "volume models: depth; left out: the radius"),
    IG_REAL(B, front, "m", NULL, IG_TINY, 1, "goldak: length ahead; left out: the radius"),
    IG_REAL(B, rear, "m", NULL, IG_TINY, 1, "goldak: length behind; left out: twice the front"),
    IG_REAL(B, absorptivity, "", NULL, 0, 1, "share absorbed; left out: the first material's"),
    IG_REAL(B, reach, "m", NULL, IG_TINY, 1,
            "surface: how far above or below the path a face may lie; left out: the radius, or 1.5 "
            "bead heights if that is more"),
    IG_MAP(B, path, ig_path_case, path_options, NULL, "toolpath from a file"),
    IG_MAP(B, raster, ig_raster_case, raster_options, NULL, "or made from hatched layers"),
    IG_END};
#undef B

/* --- births */

#define B ig_birth_case
static const ig_option birth_options[] = {
    IG_CHOICE(B, by, "bead|layers", "bead",
              "an element is born when the beam, scanning, comes within `lead` of it and it lies "
              "in the bead; or with its whole layer, when the path first reaches the layer's top"),
    IG_TEXTS(B, set, IG_REQUIRED, "element sets that are born; all others are there"),
    IG_REAL(B, width, "m", NULL, IG_TINY, 1, "bead: its width about the path"),
    IG_REAL(B, height, "m", IG_REQUIRED, IG_TINY, 1,
            "height of a bead or layer, below the path's z"),
    IG_REAL(B, lead, "m", "0", 0, 1, "bead: how far ahead of the beam elements are born"),
    IG_CHOICE(B, temperature, "ambient|melt|inherited", "ambient",
              "temperature of new nodes: ambient, the liquidus, or what they touch has"),
    IG_END};
#undef B

/* --- the case */

#define B ig_thermal_boundary
static const ig_option boundary_options[] = {
    IG_TEXTS(B, set, IG_REQUIRED,
             "face sets; `surface`: the outer surface, which moves as elements are born"),
    IG_REAL(B, temperature, "K", NULL, 0, 1e5, "held at this temperature (named face sets only)"),
    IG_REAL(B, flux, "W/m^2", NULL, 0, 0, "heat flux into the body"),
    IG_REAL(B, convection, "W/(m^2 K)", NULL, 0, 1e9, "heat transfer coefficient"),
    IG_REAL(B, emissivity, "", NULL, 0, 1, "radiation to the ambient with this emissivity"),
    IG_REAL(B, ambient, "K", NULL, 0, 1e5, "ambient temperature here; left out: the case's"),
    IG_END};
#undef B

#define P ig_thermal_probe
static const ig_option probe_options[] = {
    IG_TEXT(P, name, IG_REQUIRED, "column name in history.csv"),
    IG_VECTOR(P, point, 3, "m", IG_REQUIRED, "where"),
    IG_VECTOR(P, to, 3, "m", NULL, "given: probes along the line from point to here"),
    IG_INT(P, count, "2", 2, 1000, "how many of them"), IG_END};
#undef P

#define C ig_thermal_case
const ig_option ig_thermal_options[] = {
    IG_REAL(C, initial_temperature, "K", "300 K", 0, 1e5, "temperature at the start"),
    IG_REAL(C, ambient, "K", "300 K", 0, 1e5, "temperature of the surroundings"),
    IG_REAL(C, duration, "s", IG_REQUIRED, IG_TINY, 1e9, "how long to simulate"),
    IG_REAL(C, time_step, "s", NULL, IG_TINY, 1e9,
            "step of the explicit integration; left out: safety x the critical step"),
    IG_REAL(C, safety, "", "0.9", 0.01, 1, "share of the critical step to take"),
    IG_REAL(C, dwell_change, "K", NULL, IG_TINY, 1e4,
            "while no beam is on, take longer steps, growing as long as no node changes by more "
            "than this in one; left out: all steps are alike"),
    IG_CHOICE(
        C, conduction, "auto|recompute|classes|stencil", "auto",
        "how conduction is made: geometry every step, one matrix a class of alike elements, "
        "or assembled rows of alike nodes (constant properties); auto: the fastest that fits"),
    IG_CHOICE(C, surface, "auto|switch|branch|lumped", "auto",
              "surface fluxes at face points with dead faces multiplied by zero (switch) or "
              "skipped (branch), or at the nodes (lumped, auto)"),
    IG_CHOICE(C, latent, "enthalpy|apparent", "enthalpy",
              "how capacity that depends on temperature enters: as heat content, which closes the "
              "energy balance, or as apparent capacity"),
    IG_REAL(C, body_source, "W/m^3", "0", 0, 0, "heat made everywhere in the body"),
    IG_LIST(C, boundary, ig_thermal_boundary, boundary_options, NULL, "boundary conditions"),
    IG_LIST(C, beams, ig_beam_case, beam_options, NULL, "heat sources that follow a path"),
    IG_MAP(C, birth, ig_birth_case, birth_options, NULL, "elements born as they are built"),
    IG_INT(C, track_every, "10", 0, 1e9,
           "steps between looks at each element's peak, melting and solidification; 0: not kept"),
    IG_LIST(C, probes, ig_thermal_probe, probe_options, NULL, "points whose temperature is kept"),
    IG_END};
#undef C
