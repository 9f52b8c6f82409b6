/* The keys of a powder case: the only place where they are declared; reader, messages and reference
   pages are made from these tables. G, B, P, M, E, F, C stand for the struct that a table fills.
 */
#include "powder/powder.h"
#include "io/toolpath/path_case.h"

#define G ig_powder_grid
static const ig_option grid_options[] = {
    IG_REAL(G, cell, "m", IG_REQUIRED, IG_POSITIVE, 1,
            "edge of a cell of the fine grid; a layer is a whole number of them"),
    IG_INT(G, ratio, "4", 1, 16, "edge of a coarse cell, in fine cells"),
    IG_VECTOR(G, window, 3, "m", NULL,
              "size of the fine grid, which follows the beam: must hold the melt pool and its "
              "tail; rounded up to coarse cells; at least as large as the bed: the whole bed is "
              "fine; left out: it grows and shrinks with the pool"),
    IG_REAL(G, margin, "m", "0.5 mm", 0, 1, "bed around the parts"),
    IG_REAL(G, plate, "m", IG_REQUIRED, IG_POSITIVE, 1, "thickness of the solid plate below"),
    IG_END};
#undef G

#define B ig_powder_beam
static const ig_option beam_options[] = {
    IG_REAL(B, radius, "m", IG_REQUIRED, IG_POSITIVE, 1, "where the intensity has fallen to 1/e^2"),
    IG_REAL(B, order, "", NULL, 1, 100,
            "intensity exp(-2 (r / radius)^order), more is flatter; left out: 2, a Gaussian"),
    IG_MAP(B, ring, ig_profile_ring, ig_profile_ring_options, NULL,
           "a ring about the core, which has the radius above"),
    IG_TABLE(B, profile, "m", "", NULL, 0, 1e30,
             "relative intensity over the distance from the axis, [[0 mm, 1], [0.1 mm, 0]], linear "
             "between rows, none beyond; left out: Gaussian"),
    IG_REAL(B, loss, "", "0", 0, 0.99,
            "share of the light that plume and spatter keep from the bed"),
    IG_REAL(B, depth, "m", NULL, IG_POSITIVE, 1,
            "where heat below the surface has fallen to 1/e^2; left out: all of it in the topmost "
            "cells"),
    IG_REAL(B, powder_absorptivity, "", NULL, 0, 1,
            "share absorbed where the topmost cell is powder; left out: the material's"),
    IG_MAP(
        B, keyhole, ig_keyhole_case, ig_keyhole_options, NULL,
        "absorptivity and depth of the source follow the keyhole that power, speed and radius of "
        "each line make (`{}`: with the defaults); left out: heat by conduction alone"),
    IG_END};
#undef B

#define P ig_powder_probe
static const ig_option probe_options[] = {
    IG_TEXT(P, name, IG_REQUIRED, "column name in history.csv"),
    IG_VECTOR(P, point, 3, "m", IG_REQUIRED, "where"), IG_END};
#undef P

#define M ig_powder_map_case
static const ig_option map_options[] = {
    IG_VECTOR(M, min, 3, "m", IG_REQUIRED, "lowest corner of the box"),
    IG_VECTOR(M, max, 3, "m", IG_REQUIRED, "its highest corner"),
    IG_CHOICE(M, format, "csv|vti", "csv",
              "solidification.csv, a row per cell that was in a window; or solidification.vti, an "
              "image of 17 bytes a cell"),
    IG_END};
#undef M

#define E ig_powder_events_case
static const ig_option events_options[] = {
    IG_VECTOR(E, min, 3, "m", IG_REQUIRED, "lowest corner of the box"),
    IG_VECTOR(E, max, 3, "m", IG_REQUIRED, "its highest corner"),
    IG_VECTOR(E, layers, 2, "", NULL, "first and last layer, from 1; left out: all"),
    IG_REAL(E, high, "K", NULL, 0, 1e5,
            "an event begins above it; left out: the liquidus; others for figures of cameras"),
    IG_REAL(E, low, "K", NULL, 0, 1e5,
            "and ends below this; the cooling rate is the mean from the one to the other; left "
            "out: the solidus"),
    IG_CHOICE(E, format, "csv|catemp", "csv",
              "a file per layer: exaca-0001.csv with x,y,z,tm,tl,cr, or exaca-0001.catemp, the "
              "same as six doubles"),
    IG_END};
#undef E

#define F ig_powder_film_case
static const ig_option film_options[] = {
    IG_INT(F, layer, IG_REQUIRED, 1, 1e9, "from 1; of those that are scanned"),
    IG_INT(F, frames, "50", 1, 1e5, "from its first line to the end of its last"),
    IG_VECTOR(F, min, 2, "m", NULL, "only this rectangle: its lowest corner"),
    IG_VECTOR(F, max, 2, "m", NULL, "and its highest"), IG_END};
#undef F

#define C ig_powder_case
const ig_option ig_powder_options[] = {
    IG_REAL(C, duration, "s", NULL, IG_POSITIVE, 1e9,
            "how long to simulate; left out: the whole path"),
    IG_REAL(C, initial_temperature, "K", "300 K", 0, 1e5, "of plate and bed at the start"),
    IG_REAL(C, powder_temperature, "K", NULL, 0, 1e5, "of new layers; left out: the initial one"),
    IG_REAL(
        C, packing, "", "1", 0.05, 1,
        "density of powder over that of the solid; what it lacks comes from the powder above as "
        "it melts"),
    IG_REAL(C, liquid_conductivity, "", "1", 0.1, 100,
            "conductivity of the melt over the material's, for the flow that mixes it; keyholes "
            "keep the material's"),
    IG_REAL(C, plate_temperature, "K", NULL, 0, 1e5,
            "held at the plate's bottom; left out: no heat passes"),
    IG_REAL(C, ambient, "K", "300 K", 0, 1e5, "above the bed"),
    IG_REAL(C, convection, "W/(m^2 K)", "0", 0, 1e6, "heat transfer coefficient of the bed's top"),
    IG_REAL(C, emissivity, "", "0", 0, 1, "radiation of the bed's top"),
    IG_BOOL(C, evaporation, "false",
            "the melt's surface loses heat as vapour; needs the material's boiling, "
            "evaporation_heat and molar_mass"),
    IG_REAL(C, safety, "", "0.8", 0.01, 0.9, "share of the critical steps to take"),
    IG_INT(C, fine_stages, "1", 1, 2,
           "2: fine steps in pairs of unequal lengths, which are stable over three plain ones"),
    IG_CHOICE(
        C, checkpoint, "exact|small", "exact",
        "small: compressed, temperatures to 10 mK and sizes of pools to 0.05 %, so that a run "
        "that goes on from it has nearly the same results; exact: the same bits"),
    IG_REAL(C, dwell_change, "K", "2 K", IG_POSITIVE, 1e4,
            "between layers coarse steps grow as long as no cell changes by more than this"),
    IG_MAP(C, grid, ig_powder_grid, grid_options, IG_REQUIRED, "fine grid and coarse grid"),
    IG_MAP(C, beam, ig_powder_beam, beam_options, IG_REQUIRED, "the laser"),
    IG_MAP(C, hatch, ig_hatch_case, ig_hatch_options, NULL,
           "scan paths made from the surface of a part"),
    IG_LIST(C, paths, ig_path_case, ig_path_options, NULL,
            "or from files, one per laser; layers are spread as they rise"),
    IG_REAL(C, layer_height, "m", NULL, IG_POSITIVE, 1, "of the layers of `paths`"),
    IG_MAP(
        C, map, ig_powder_map_case, map_options, NULL,
        "fine cells whose peak temperature, and cooling rate, gradient and speed of the front at "
        "their last freezing, are kept and written"),
    IG_MAP(C, events, ig_powder_events_case, events_options, NULL,
           "fine cells of which every melting and solidification is written, for ExaCA"),
    IG_MAP(C, movie, ig_powder_film_case, film_options, NULL,
           "the surface of one layer in fine cells, while it is scanned: these frames are the "
           "snapshots of the run"),
    IG_LIST(C, probes, ig_powder_probe, probe_options, NULL,
            "points of the bed whose temperature is kept, at most 64"),
    IG_END};
#undef C
