/* The keys of a case of grains: the only place where they are declared. */
#include "grains/grains.h"

#define G ig_grains_grid
static const ig_option grid_options[] = {
    IG_REAL_USUAL(G, cell, "m", IG_REQUIRED, IG_POSITIVE, 1, 1e-8, 1e-3, "edge of a cell"),
    IG_INT(G, refine, "1", 1, 64,
           "with `events`: cells along the spacing of the points of the files; times between them "
           "are interpolated"),
    IG_VECTOR(G, size, 3, "m", NULL,
              "of the box, whose lowest corner is the origin; with `field`, a whole number of "
              "cells"),
    IG_VECTOR(G, min, 3, "m", NULL,
              "with `events`: only cells from this corner on; left out: all that melt"),
    IG_VECTOR(G, max, 3, "m", NULL, "and up to this one"),
    IG_END};
#undef G

#define F ig_grains_field
static const ig_option field_options[] = {
    IG_REAL(F, gradient, "K/m", "0", 0, 1e12, "of the temperature, upwards"),
    IG_REAL(F, speed, "m/s", NULL, IG_POSITIVE, 1e4,
            "of isotherms, upwards: the cooling rate is the gradient times this"),
    IG_REAL(F, cooling_rate, "K/s", NULL, 0, 1e12, "instead of `speed`"),
    IG_REAL(F, undercooling, "K", "0", 0, 1e4, "of the lowest cells at the start"), IG_END};
#undef F

#define E ig_grains_file
static const ig_option file_options[] = {
    IG_FILE(E, file, IG_REQUIRED,
            "text with the columns x, y, z, tm, ts (or tl) and cr, or, where its name contains "
            ".catemp, six binary numbers an event: places in m, times in s, cooling rate in K/s"),
    IG_REAL(E, start_time, "s", "0", 0, 1e9, "added to its times"),
    IG_VECTOR(E, shift, 3, "m", "[0, 0, 0]", "added to its places"), IG_END};
#undef E

#define W ig_grains_growth
static const ig_option growth_options[] = {
    IG_CHOICE(W, law, "in625|in718|custom", "in625",
              "speed of dendrite tips by undercooling; in718: coefficients that are not verified; "
              "custom: by the three coefficients"),
    IG_REAL(W, linear, "m/(s K)", NULL, -1e3, 1e3, "coefficient of the undercooling"),
    IG_REAL(W, quadratic, "m/(s K^2)", NULL, -1e3, 1e3, "of its square"),
    IG_REAL(W, cubic, "m/(s K^3)", NULL, -1e3, 1e3, "of its third power"),
    IG_REAL(W, limit, "K", NULL, IG_POSITIVE, 1e4,
            "undercooling above which tips are not faster; left out: the alloy's freezing range"),
    IG_END};
#undef W

#define S ig_grains_substrate
static const ig_option substrate_options[] = {
    IG_REAL(S, grain_size, "m", IG_REQUIRED, IG_POSITIVE, 1,
            "edge of a cube (with `field`: a square) as large as the mean grain"),
    IG_REAL(S, top, "m", NULL, 0, 0,
            "with `events`: what lies above is powder, a grain in each cell; left out: no powder"),
    IG_END};
#undef S

#define N ig_grains_nucleation
static const ig_option nucleation_options[] = {
    IG_REAL(N, density, "1/m^3", IG_REQUIRED, 0, 1e24, "of nuclei in the melt"),
    IG_REAL(N, mean, "K", IG_REQUIRED, 0, 1e4, "undercooling at which they begin to grow"),
    IG_REAL(N, deviation, "K", "0", 0, 1e4, "standard deviation of that undercooling"), IG_END};
#undef N

#define P ig_grains_seed
static const ig_option seed_options[] = {
    IG_VECTOR(P, point, 3, "m", IG_REQUIRED, "in this cell a grain grows from the start"),
    IG_VECTOR(P, euler, 3, "rad", NULL,
              "its orientation: Bunge's angles (about z, x, z); left out: random"),
    IG_END};
#undef P

#define C ig_grains_case
const ig_option ig_grains_options[] = {
    IG_MAP(C, grid, ig_grains_grid, grid_options, IG_REQUIRED, "cubic cells"),
    IG_MAP(C, field, ig_grains_field, field_options, NULL,
           "temperature by a constant gradient and a constant cooling rate; all is liquid at the "
           "start, but for the lowest cells where there is a substrate"),
    IG_LIST(C, events, ig_grains_file, file_options, NULL,
            "or by files of melting and solidification; all is solid at the start"),
    IG_MAP(C, growth, ig_grains_growth, growth_options, NULL, "speed of dendrite tips"),
    IG_MAP(C, substrate, ig_grains_substrate, substrate_options, NULL,
           "grains of random orientation that growth begins at"),
    IG_MAP(C, nucleation, ig_grains_nucleation, nucleation_options, NULL,
           "grains that appear in the melt; left out: none"),
    IG_LIST(C, seeds, ig_grains_seed, seed_options, NULL,
            "with `field`: grains at given places of the melt"),
    IG_BOOL(C, periodic, "false", "the box goes on at its opposite sides, in x and y"),
    IG_REAL(C, time_step, "s", NULL, IG_POSITIVE, 1e3, "left out: by `safety`"),
    IG_REAL(C, safety, "", "0.2", 0.001, 1, "cells that the fastest tip may advance in a step"),
    IG_REAL(C, duration, "s", NULL, IG_POSITIVE, 1e9,
            "how long to simulate; left out: until all is solid"),
    IG_INT(C, random_seed, "1", 0, 1e15, "another number gives other random grains and nuclei"),
    IG_CHOICE(C, ipf_axis, "x|y|z", "z", "whose crystal direction the colours of `ipf` show"),
    IG_END};
#undef C
