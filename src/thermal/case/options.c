/* The keys of a thermal case: name, member, unit, default, range and help of each. The tables are
   the only place where a key is declared; the reader, its error messages, `ingot help --keys` and
   the pages of the case reference are made from them. R, B, G, I, P, C stand for the struct that a
   table fills. */
#include "thermal/thermal.h"
#include "io/toolpath/path_case.h"

/* --- hatched layers */

/* thermal/source/raster.h: a generator of simple paths */
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
    IG_REAL(R, speed, "m/s", IG_REQUIRED, IG_POSITIVE, 1e3, "scan speed"),
    IG_REAL(R, jump_speed, "m/s", "1 m/s", IG_POSITIVE, 1e3, "speed with the beam off"),
    IG_REAL(R, spacing, "m", IG_REQUIRED, IG_POSITIVE, 1, "spacing of the lines"),
    IG_REAL(R, layer_height, "m", IG_REQUIRED, IG_POSITIVE, 1, "height of a layer"),
    IG_REAL(R, base, "m", "0", 0, 0, "where the first layer begins; paths run on top of a layer"),
    IG_INT(R, layers, "1", 1, 1e6, "how many layers"),
    IG_REAL(R, angle, "rad", "0", 0, 0, "direction of the first layer's lines, from the x axis"),
    IG_REAL(R, rotation, "rad", "1.5707963267948966", 0, 0, "turned by this each layer"),
    IG_REAL(R, island, "m", NULL, IG_POSITIVE, 1,
            "edge of square islands, scanned like a chessboard; left out: none"),
    IG_BOOL(R, contour, "false", "scan the outline before the lines of a layer"),
    IG_BOOL(R, one_way, "false", "all lines in one direction, not back and forth"),
    IG_REAL(R, dwell, "s", "0", 0, 1e6, "wait after each layer"),
    IG_REAL(R, part_dwell, "s", "0", 0, 1e6, "wait after each part of a layer"),
    IG_REAL(R, start_time, "s", "0", 0, 1e9, "when the first line begins"),
    IG_LIST(R, regions, ig_raster_region, region_options, NULL,
            "rectangles whose union is scanned"),
    IG_LIST(R, parts, ig_raster_part, part_options, NULL, "or several such parts, one by one"),
    IG_END};
#undef R

/* --- beams */

/* thermal/source/beam.h. Of `path`, `raster` and `laser` a beam has one; NULL as default: the key
   may be left out, and its number is NaN then */
#define B ig_beam_case
static const ig_option beam_options[] = {
    IG_CHOICE(B, model, "surface|gaussian|goldak|cylinder", "surface",
              "flux on the current top surface, or heat in the volume: ellipsoid, Goldak's double "
              "ellipsoid, cylinder"),
    IG_REAL(B, radius, "m", IG_REQUIRED, IG_POSITIVE, 1,
            "beam radius: where a surface flux has fallen to 1/e^2, an ellipsoid to 1/e^3"),
    IG_REAL(B, depth, "m", NULL, IG_POSITIVE, 1, "volume models: depth; left out: the radius"),
    IG_REAL(B, front, "m", NULL, IG_POSITIVE, 1, "goldak: length ahead; left out: the radius"),
    IG_REAL(B, rear, "m", NULL, IG_POSITIVE, 1, "goldak: length behind; left out: twice the front"),
    IG_TABLE(B, absorptivity, "K", "", NULL, 0, 1,
             "share absorbed, over the temperature where the power lands; left out: the first "
             "material's"),
    IG_REAL(B, reach, "m", NULL, IG_POSITIVE, 1,
            "surface: how far above or below the path a face may lie; left out: the radius, or 1.5 "
            "bead heights if that is more"),
    IG_VECTOR(B, axis, 3, "", NULL,
              "direction in which the beam travels, as [1, 0, -2]; left out: straight down"),
    IG_REAL(
        B, order, "", NULL, 1, 100,
        "surface, cylinder: intensity exp(-2 (r / radius)^order), more is flatter; left out: 2, "
        "a Gaussian"),
    IG_MAP(B, ring, ig_profile_ring, ig_profile_ring_options, NULL,
           "surface, cylinder: a ring about the core, which has the radius above"),
    IG_TABLE(B, profile, "m", "", NULL, 0, 1e30,
             "surface, cylinder: relative intensity over the distance from the axis, [[0 mm, 1], "
             "[0.1 mm, 0]], linear between rows, none beyond; left out: Gaussian"),
    IG_TABLE(B, depth_profile, "m", "", NULL, 0, 1e30,
             "cylinder: relative heat over the depth below the path, [[0 mm, 1], [0.2 mm, 0.3]], "
             "linear between rows, none beyond; left out: the same down to `depth`"),
    IG_REAL(B, sampling, "", "0.4", 0.05, 2,
            "spacing of sample points in elements and faces over the smallest length of the source "
            "(radius, depth, ring width); more is faster and coarser"),
    IG_BOOL(B, normalise, "true",
            "all the absorbed power goes into what the beam meets, on any mesh; false: what misses "
            "the part is lost, and reported as beam_missed"),
    IG_MAP(B, keyhole, ig_keyhole_case, ig_keyhole_options, NULL,
           "surface: heat goes down into the keyhole that power, speed and radius of each piece of "
           "the path make in ground at the initial temperature, and as much as that absorbs (`{}`: "
           "with the defaults); `depth` is then the least depth (1/e^2), half the radius if left "
           "out; left out: heat by conduction alone"),
    IG_MAP(B, path, ig_path_case, ig_path_options, NULL, "toolpath from a file"),
    IG_MAP(B, raster, ig_raster_case, raster_options, NULL, "or made from hatched layers"),
    IG_INT(B, laser, "0", 0, 64, "or of this laser of the case's `hatch`, from 1; 0: none"),
    IG_REAL(B, segment, "m", NULL, IG_POSITIVE, 1e3,
            "longest piece of the path with the beam on: longer ones are divided evenly; left out: "
            "as the path has them"),
    IG_REALS(B, powers, "W", NULL, 0, 1e6,
             "power of each piece of the path, in its order, after it was divided by `segment`; "
             "left out: as the path has it"),
    IG_END};
#undef B

/* --- births */

/* thermal/source/birth.h. Choices are stored by their place in the text, as the enums there */
#define B ig_birth_entry
static const ig_option entry_options[] = {
    IG_TEXTS(B, set, IG_REQUIRED,
             "element sets that are born then; in several entries: at the "
             "earliest"),
    IG_REAL(B, time, "s", IG_REQUIRED, 0, 1e9, "when"), IG_END};
#undef B

#define B ig_birth_case
static const ig_option birth_options[] = {
    IG_CHOICE(B, by, "bead|layers|list|field", "bead",
              "an element is born when the beam, scanning, comes within `lead` of it and it lies "
              "in the bead; or with its whole layer, when the path first reaches the layer's top; "
              "or at the time a list gives, or a field of a file"),
    IG_TEXTS(B, set, NULL,
             "bead, layers, field: element sets that are born; all others are there; field: left "
             "out: all"),
    IG_CHOICE(B, rule, "centre|touch", "centre",
              "bead: which elements lie in it: those whose centre does, or all that its box "
              "touches, born when its front meets them"),
    IG_FILE(B, file, NULL, "field: VTKHDF file, as a snapshot, with a cell for each element"),
    IG_TEXT(B, field, "birth",
            "field: its cell field of birth times, s; below 0: there from the start; infinite: "
            "never"),
    IG_LIST(B, list, ig_birth_entry, entry_options, NULL, "list: which elements are born when"),
    IG_REAL(B, width, "m", NULL, IG_POSITIVE, 1, "bead: its width about the path"),
    IG_REAL(B, height, "m", NULL, IG_POSITIVE, 1,
            "bead, layers: height of a bead or layer, below the path's z"),
    IG_REAL(B, lead, "m", "0", 0, 1, "bead: how far ahead of the beam elements are born"),
    IG_CHOICE(B, temperature, "ambient|melt|inherited", "ambient",
              "temperature of newborn elements: ambient, the liquidus of their material, or what "
              "they touch has"),
    IG_CHOICE(B, timing, "auto|exact|step", "auto",
              "exact: a step in which elements are born is divided at their times; step: they are "
              "born when the next step begins; auto: exact, but for beads where a step is shorter "
              "than 1/10000 of the path's time"),
    IG_END};
#undef B

/* --- the case */

/* thermal/thermal.h. Tables over time may be single numbers */
#define G ig_thermal_given
static const ig_option given_options[] = {
    IG_REAL(G, time, "s", "0", 0, 1e9, "when the values hold; linear between several files"),
    IG_FILE(G, file, IG_REQUIRED,
            "VTKHDF file, as a snapshot, with a point at each node of the boundary"),
    IG_TEXT(G, temperature, NULL, "its point field with held temperatures, K"),
    IG_TEXT(G, flux, NULL, "with heat fluxes into the body, W/m^2"),
    IG_TEXT(G, convection, NULL, "with heat transfer coefficients, W/(m^2 K)"),
    IG_TEXT(G, ambient, NULL, "with ambient temperatures, K"),
    IG_END};
#undef G

#define B ig_thermal_boundary
static const ig_option boundary_options[] = {
    IG_TEXTS(B, set, IG_REQUIRED,
             "face sets; `surface`: the outer surface, which moves as elements are born"),
    IG_TABLE(B, temperature, "s", "K", NULL, 0, 1e5,
             "held at this temperature, over time (named face sets only)"),
    IG_TABLE(B, flux, "s", "W/m^2", NULL, 0, 0, "heat flux into the body, over time"),
    IG_TABLE_USUAL(B, convection, "s", "W/(m^2 K)", NULL, 0, 1e9, 0.01, 1e6,
                   "heat transfer coefficient, over time"),
    IG_REAL(B, emissivity, "", NULL, 0, 1, "radiation to the ambient with this emissivity"),
    IG_BOOL(B, evaporation, "false",
            "what is molten loses heat as vapour; needs the material's boiling, evaporation_heat "
            "and molar_mass"),
    IG_TABLE(B, ambient, "s", "K", NULL, 0, 1e5,
             "ambient temperature here, over time; left out: the case's"),
    IG_LIST(B, from, ig_thermal_given, given_options, NULL,
            "values node by node from the fields of a file, or of several over time"),
    IG_END};
#undef B

#define I ig_thermal_initial
static const ig_option initial_options[] = {
    IG_TEXT(I, set, NULL, "node, face or element set it holds for; left out: everywhere"),
    IG_REAL(I, temperature, "K", NULL, 0, 1e5, "temperature"),
    IG_FILE(I, file, NULL,
            "or a snapshot of another run on the same mesh; nodes that were not born there keep "
            "what they have"),
    IG_TEXT(I, field, "T", "which of its fields"), IG_END};
#undef I

#define P ig_thermal_probe
static const ig_option probe_options[] = {
    IG_TEXT(P, name, IG_REQUIRED, "column name in history.csv"),
    IG_VECTOR(P, point, 3, "m", IG_REQUIRED, "where"),
    IG_VECTOR(P, to, 3, "m", NULL, "given: probes along the line from point to here"),
    IG_INT(P, count, "2", 2, 1000, "how many of them"), IG_END};
#undef P

/* conduction, surface: `auto` is 0, and the engine's own enums begin with the next choice */
#define C ig_thermal_case
const ig_option ig_thermal_options[] = {
    IG_REAL(C, initial_temperature, "K", "300 K", 0, 1e5, "temperature at the start"),
    IG_LIST(C, initial, ig_thermal_initial, initial_options, NULL,
            "temperatures at the start that differ from it; of several the last holds"),
    IG_TABLE(C, ambient, "s", "K", "300 K", 0, 1e5, "temperature of the surroundings, over time"),
    IG_REAL(C, duration, "s", IG_REQUIRED, IG_POSITIVE, 1e9, "how long to simulate"),
    IG_REAL(C, time_step, "s", NULL, IG_POSITIVE, 1e9,
            "step of the explicit integration; left out: safety x the critical step"),
    IG_REAL(C, safety, "", "0.9", 0.01, 1, "share of the critical step to take"),
    IG_VECTOR3(
        C, anisotropy, "", "[1, 1, 1]",
        "conductivity along x, y and z over that of the material, of all materials; not with "
        "`conduction: recompute`"),
    IG_CHOICE(C, step_limit, "tables|state", "tables",
              "critical step from the largest conductivity and the smallest capacity that the "
              "tables hold, whatever the temperatures; or from both at one temperature, which is "
              "longer; a warning tells if the state allows less"),
    IG_REAL(C, dwell_change, "K", NULL, IG_POSITIVE, 1e4,
            "while no beam is on, take longer steps, growing as long as no node changes by more "
            "than this in one; left out: all steps are alike"),
    IG_CHOICE(
        C, conduction, "auto|recompute|classes|stencil", "auto",
        "how conduction is made: geometry every step, one matrix per class of equal elements, "
        "or assembled rows of alike nodes (constant properties); auto: the fastest that fits"),
    IG_CHOICE(C, surface, "auto|switch|branch|lumped", "auto",
              "surface fluxes at face points with dead faces multiplied by zero (switch) or "
              "skipped (branch), or at the nodes (lumped, auto)"),
    IG_CHOICE(C, latent, "enthalpy|apparent", "enthalpy",
              "how capacity that depends on temperature enters: as heat content, which closes the "
              "energy balance, or as apparent capacity"),
    IG_REAL(C, body_source, "W/m^3", "0", 0, 0, "heat made everywhere in the body"),
    IG_LIST(C, boundary, ig_thermal_boundary, boundary_options, NULL, "boundary conditions"),
    IG_MAP(C, hatch, ig_hatch_case, ig_hatch_options, NULL,
           "scan paths made from the surface of a part; beams take them as `laser: 1`"),
    IG_LIST(C, beams, ig_beam_case, beam_options, NULL, "heat sources that follow a path"),
    IG_MAP(C, birth, ig_birth_case, birth_options, NULL, "elements born as they are built"),
    IG_INT(C, track_every, NULL, 0, 1e9,
           "steps between looks at each element's peak, melting and solidification; 0: not kept; "
           "left out: 10, with `exaca` 1"),
    IG_CHOICE(C, exaca, "false|true|catemp", "false",
              "write every melting and solidification of every element at the end, for ExaCA and "
              "grains: exaca.csv, or exaca.catemp, ExaCA's binary form"),
    IG_LIST(C, probes, ig_thermal_probe, probe_options, NULL, "points whose temperature is kept"),
    IG_END};
#undef C
