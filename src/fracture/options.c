/* What a fracture case may say.

   Tables of options, one per struct of fracture.h, in the order of the case reference. A default
   of NULL means left out (NaN, no text). */
#include "fracture/fracture.h"
#include "fracture/kernels/state.h"

#define S ig_frac_cohesive_case
static const ig_option cohesive_options[] = {
    IG_CHOICE(S, law, IG_COHESIVE_CHOICES, "ppr",
              "ppr: the potential of Park, Paulino and Roesler; linear: Camacho and Ortiz"),
    IG_REAL(S, shape, "", "2", 1.01, 20, "softening exponent of PPR in mode I; 2: straight"),
    IG_REAL(S, shape_shear, "", NULL, 1.01, 20, "of mode II; left out: as mode I"),
    IG_CHOICE(
        S, contact, "penalty|rigid", "penalty",
        "what keeps closed facets from passing through each other: a spring, or a constraint"),
    IG_REAL(S, friction, "", "0", 0, 10, "Coulomb friction of closed cracks"),
    IG_REAL(S, penalty, "N/m^3", "0", 0, 1e30,
            "stiffness of a facet that holds, and of contact, which the step follows; 0: as much "
            "as the "
            "step bears"),
    IG_CHOICE(S, criterion, IG_FRAC_CRITERION_CHOICES, "facet_max",
              "what is compared with the strength: traction on the facet or principal stress, at "
              "the worst of its nodes or their mean; effective: pull and shear as one, "
              "sqrt(tn^2 + tt^2); best: a node beyond it opens the one facet that is pulled most"),
    IG_REAL(S, insertion_threshold, "", "1", 0.01, 1,
            "share of the strength at which a facet opens; below 1 it still carries up to its "
            "strength"),
    IG_INT(S, check_every, "10", 0, 1000000,
           "steps between checks of the facets; 0: nothing breaks"),
    IG_CHOICE(S, initial_traction, "strength|traction", "traction",
              "what a new facet carries: the strength, or the traction that was there"),
    IG_REAL(S, weibull, "", "0", 0, 1000, "modulus of the scatter of strength; 0: none"),
    IG_INT(S, seed, "1", 0, 9e15, "of the scatter"),
    IG_END};
#undef S

#define S ig_frac_crack_case
static const ig_option crack_options[] = {
    IG_VECTOR23(S, from, "m", IG_REQUIRED, "where the crack begins"),
    IG_VECTOR23(S, to, "m", IG_REQUIRED, "its tip: facets between are cut before the start"),
    IG_VECTOR3(S, depth, "m", NULL, "in space: the vector along which the line is drawn out"),
    IG_BOOL(S, closed, "false", "its sides press and rub against each other; else they are free"),
    IG_END};
#undef S

#define S ig_frac_tip_case
static const ig_option tip_options[] = {
    IG_VECTOR23(S, point, "m", IG_REQUIRED, "where the crack will start"),
    IG_VECTOR23(S, direction, "", NULL, "of the notch there: the crack's angle counts from it"),
    IG_VECTOR3(S, depth, "m", NULL, "in space: along the front"), IG_END};
#undef S

#define S ig_frac_interface_case
static const ig_option interface_options[] = {
    IG_TEXTS(S, between, NULL, "names of two materials: the facets between them"),
    IG_VECTOR23(S, from, "m", NULL, "or a weak plane, along element edges, that begins here"),
    IG_VECTOR23(S, to, "m", NULL, "and ends here"),
    IG_VECTOR3(S, depth, "m", NULL, "in space: the vector along which the line is drawn out"),
    IG_REAL(S, fracture_energy, "J/m^2", IG_REQUIRED, IG_POSITIVE, 1e12, "of these facets, mode I"),
    IG_REAL(S, fracture_energy_shear, "J/m^2", "0", 0, 1e12, "mode II; 0: as mode I"),
    IG_REAL(S, cohesive_strength, "Pa", IG_REQUIRED, IG_POSITIVE, 1e15, "of these facets, mode I"),
    IG_REAL(S, cohesive_strength_shear, "Pa", "0", 0, 1e15, "mode II; 0: as mode I"),
    IG_END};
#undef S

#define S ig_frac_initial_case
static const ig_option initial_options[] = {
    IG_TEXT(S, set, NULL, "node or element set it holds for; left out: everywhere"),
    IG_VECTOR23(S, displacement, "m", NULL, "uniform displacement"),
    IG_REALS(S, strain, "", NULL, 0, 0, "uniform strain xx yy xy, or xx yy zz xy yz zx"),
    IG_VECTOR23(S, velocity, "m/s", NULL, "uniform velocity"),
    IG_REAL(S, expansion, "1/s", "0", 0, 0, "velocity away from `about` (in x and y), by distance"),
    IG_VECTOR3(S, spin, "rad/s", NULL, "rate of rotation; in the plane about z"),
    IG_VECTOR23(S, about, "m", NULL, "point that strain, expansion and spin leave; left out: 0"),
    IG_END};
#undef S

static const ig_option support_options[] = {IG_TEXT(ig_support_case, set, IG_REQUIRED, "node set"),
                                            IG_SUPPORT_ROWS(IG_VECTOR23, "x y z", ""),
                                            IG_HISTORY_ROW(ig_support_case), IG_END};

#define S ig_frac_load_case
static const ig_option load_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "face set"),
    IG_REAL(S, pressure, "Pa", NULL, 0, 0, "pressure against the outward normal"),
    IG_VECTOR23(S, traction, "Pa", NULL, "or force per area"), IG_HISTORY_ROW(S), IG_END};
#undef S

#define S ig_frac_probe_case
static const ig_option probe_options[] = {
    IG_TEXT(S, name, IG_REQUIRED, "name of its column and figure"),
    IG_TEXT(S, set, NULL, "node set: mean of motions, sum of forces; element set: mean of stress"),
    IG_VECTOR23(S, point, "m", NULL, "or the node, or element, nearest to this point"),
    IG_CHOICE(S, quantity, IG_FRAC_PROBE_CHOICES, IG_REQUIRED,
              "displacement; velocity; reaction, the force of supports on the nodes; stress of "
              "elements, its largest principal value"),
    IG_END};
#undef S

#define S ig_frac_insertion_case
static const ig_option insertion_options[] = {
    IG_INT(S, batches, "20", 1, 1000000, "batches in which all facets are opened"),
    IG_INT(S, seed, "1", 0, 9e15, "of the order"), IG_END};
#undef S

#define S ig_frac_residual_case
static const ig_option residual_options[] = {
    IG_FILE(S, file, IG_REQUIRED,
            "snapshot with the cell field `stress`, of the room `stress` or `dynamics`: each "
            "element takes that of the nearest cell (in a chain: from: STAGE)"),
    IG_END};
#undef S

#define S ig_frac_case
/* Keys of the room. The limits of `safety` come from ig_frac_setup, which checks the step
   against what open facets and contact bear. */
const ig_option ig_frac_options[] = {
    IG_CHOICE(S, plane, "strain|stress", "strain", "plane meshes: strain or stress"),
    IG_REAL(S, thickness, "m", "1", IG_POSITIVE, 1e6, "of plane meshes"),
    IG_CHOICE(S, rotation, "small|finite", "small", "finite: elements turn with their material"),
    IG_BOOL(S, surface_contact, "false",
            "bodies and fragments press and rub on each other where their surfaces meet; else they "
            "pass through each other, with a warning"),
    IG_REAL(S, duration, "s", NULL, IG_POSITIVE, 1e6, "how long; required, but for `insertion`"),
    IG_REAL(S, time_step, "s", NULL, IG_POSITIVE, 1, "step; left out: from the critical one"),
    IG_REAL(S, safety, "", "0.2", 0.001, 1,
            "share of the bulk's critical step, where no step is given; at most 0.7 in the plane "
            "and 0.5 in space where facets may open, 0.54 and 0.22 with `surface_contact` besides"),
    IG_MAP(S, cohesive, ig_frac_cohesive_case, cohesive_options, NULL, "how facets open"),
    IG_LIST(S, cracks, ig_frac_crack_case, crack_options, NULL, "notches, cut before the start"),
    IG_LIST(S, tips, ig_frac_tip_case, tip_options, NULL,
            "crack tips to follow besides those of `cracks`: of notches that the mesh has"),
    IG_REAL(S, tip_window, "s", NULL, IG_POSITIVE, 1e6,
            "time over which tip speeds are taken; left out: a tenth of the run"),
    IG_LIST(S, interfaces, ig_frac_interface_case, interface_options, NULL,
            "facets with a strength and an energy of their own"),
    IG_LIST(S, initial, ig_frac_initial_case, initial_options, NULL,
            "fields at the start; entries add up"),
    IG_MAP(S, residual, ig_frac_residual_case, residual_options, NULL,
           "stress at the start, brought into balance before the first step; tetrahedra only"),
    IG_LIST(S, supports, ig_support_case, support_options, NULL, "what holds and leads nodes"),
    IG_LIST(S, loads, ig_frac_load_case, load_options, NULL, "what pushes on faces"),
    IG_LIST(S, probes, ig_frac_probe_case, probe_options, NULL, "columns of the history"),
    IG_MAP(S, insertion, ig_frac_insertion_case, insertion_options, NULL,
           "no mechanics: open all facets in random order and count"),
    IG_END};
#undef S
