/* The keys of a case of the stress room: one table per struct of stress.h. Help texts, ranges,
   defaults and units become messages, the case reference and the JSON schema. */
#include "stress/stress.h"

/* One table per struct; the macro S is the struct that the rows describe. */
#define S ig_stress_support
static const ig_option support_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "nodes, faces or elements whose nodes it holds"),
    IG_TEXT(S, fix, NULL, "components held where they are: 'all', or some of x y z"),
    IG_TEXT(S, components, "xyz", "components that `displacement` leads; the others stay free"),
    IG_VECTOR3(S, displacement, "m", NULL, "displacement, times the history"),
    IG_TABLE(S, history, "s", "", NULL, 0, 0,
             "factor over time; left out: 1, from 0 on over the first phase in which it acts if "
             "that is of kind load"),
    IG_TEXT(S, equal, NULL,
            "components that are the same for all nodes of the set, whatever they are: a face "
            "that stays plane"),
    IG_TEXT(S, since, NULL, "name of the phase from whose start on it holds, where nodes are then"),
    IG_TEXT(S, until, NULL, "name of the phase at whose start it lets go"),
    IG_END};
#undef S
#define S ig_stress_load
static const ig_option load_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "face set of a pressure, node set of a force"),
    IG_REAL(S, pressure, "Pa", NULL, 0, 0, "pressure against the outward normal as drawn"),
    IG_VECTOR3(
        S, total, "N", NULL,
        "force on the set: evenly on its faces where it is one of faces of solids, else each node "
        "has the same share"),
    IG_TABLE(S, history, "s", "", NULL, 0, 0,
             "factor over time; left out: 1, from 0 on over the first phase in which it acts if "
             "that is of kind load"),
    IG_END};
#undef S
#define S ig_stress_inherent
static const ig_option inherent_options[] = {
    IG_TEXTS(S, set, NULL, "element sets it is for; left out: every element not claimed"),
    IG_VECTOR3(S, strain, "", IG_REQUIRED,
               "inherent strain along the scan lines, across and up; shrinkage is negative"),
    IG_REAL(S, angle, "rad", "0", 0, 0, "scan lines of the first layer, from x towards y"),
    IG_REAL(S, rotation, "rad", "0", 0, 0, "by which they turn from layer to layer"),
    IG_REAL(S, layer_height, "m", NULL, IG_POSITIVE, 1e3,
            "of the layers that turn: a build's layer that holds several takes on their mean; left "
            "out: it counts as one"),
    IG_END};
#undef S
#define S ig_stress_tearing
static const ig_option tearing_options[] = {
    IG_TEXTS(S, set, IG_REQUIRED, "element sets that tear"),
    IG_REAL(
        S, strength, "Pa", NULL, IG_POSITIVE, 1e15,
        "stress at which an element tears: of the support as it is meshed, so the strength of the "
        "metal times its share of the section or of the contact; left out: the yield stress of its "
        "material at 293.15 K, times its share where it is `homogenised`"),
    IG_CHOICE(S, stress, IG_TEARS_BY_CHOICES, "traction",
              "that counts, of the mean stress of an element. traction: sqrt(tension^2 + shear^2) "
              "across horizontal planes, which layers and teeth are; principal: the largest "
              "principal stress"),
    IG_END};
#undef S
/* Keys of all kinds of phases; steps.c refuses those that have no effect in a phase's kind. */
#define S ig_stress_phase
static const ig_option phase_options[] = {
    IG_TEXT(S, name, NULL, "name, for supports and figures"),
    IG_CHOICE(S, kind, IG_PHASE_KINDS, "load",
              "load: supports, loads and temperature act; build: a set comes layer by layer; cut: "
              "a set of elements goes, or a set of nodes is let go, along a moving line; heat: "
              "temperatures of a thermal run"),
    IG_REAL(S, duration, "s", "1", IG_POSITIVE, 1e9, "duration; of a build: of each layer"),
    IG_INT(S, steps, "1", 1, 1e6, "steps; of a build: for each layer; of a cut: of the line"),
    IG_TABLE(S, temperature, "s", "K", NULL, 0, 1e5,
             "temperature of everything over the phase's time; left out: as it is"),
    IG_TEXT(S, set, NULL, "build: element set; cut: element or node set"),
    IG_REAL(S, height, "m", NULL, IG_POSITIVE, 1e3,
            "build: height of a layer, or of several at once"),
    IG_REAL(S, stress_free_temperature, "K", NULL, 0, 1e5,
            "build: temperature at which new material has no stress; left out: that of now with "
            "an inherent strain, else the material's `anneal` or solidus"),
    IG_REAL(
        S, decay, "s", NULL, IG_POSITIVE, 1e9,
        "build: flash heating: what a new layer is hotter than the rest falls as "
        "exp(-t / decay), in all steps that follow; left out: in equal steps, to nothing at the "
        "end of the layer"),
    IG_REAL(
        S, clearance, "m", NULL, 0, 1e3,
        "build: height above its nominal level from which on a finished layer is touched by the "
        "recoater: the thickness of a real layer, say; warns, and adds the figure "
        "recoater_touches"),
    IG_CHOICE(S, new_nodes, IG_NODES_CHOICES, "level",
              "build, heat: position of new nodes. level: nominal, as the recoater levels a powder "
              "bed (on the part where it stands higher); surface: nominal in x and y, in z on the "
              "displaced surface below (directed energy); deformed: displaced as the nodes below; "
              "undeformed: nominal"),
    IG_CHOICE(S, direction, "x|y|z", "x", "cut: direction in which the line moves"),
    IG_BOOL(S, back, "false", "cut: the line comes from the far end"),
    IG_FILE(S, file, NULL, "heat: folder with the results of a thermal run"),
    IG_REAL(
        S, every, "s", NULL, IG_POSITIVE, 1e9,
        "heat with `from: STAGE` in a chain: that stage runs along in this process and hands its "
        "temperatures over in memory, so often; left out: its snapshots are read"),
    IG_REAL(
        S, step_error, "", NULL, IG_POSITIVE, 1,
        "heat with `from: STAGE` in a chain: steps are chosen so that what becomes solid in one "
        "puts displacements wrong by no more than this share of the largest; that stage runs "
        "along, and its state is looked at `every` so often (left out: a thousand times). 0.05 "
        "where "
        "neither this phase nor the `output` of that stage says how often"),
    IG_REAL(
        S, change, "K", "0", 0, 1e4,
        "heat: a step is taken where temperatures have changed by more than this since the last "
        "one, where something was born or remelted, and at the end"),
    IG_BOOL(S, layers, "false",
            "heat: a step is taken where something was deposited, and at the end"),
    IG_TEXTS(S, consolidated, NULL,
             "heat: element sets that are solid from their deposition on, without stress at their "
             "temperature then; all others are soft until they have been above `anneal`"),
    IG_END};
#undef S
#define S ig_stress_probe
static const ig_option probe_options[] = {
    IG_TEXT(S, name, IG_REQUIRED, "name of its column and figure"),
    IG_TEXT(S, set, NULL, "node set (elements for stresses): mean of motions, sum of forces"),
    IG_VECTOR3(S, point, "m", NULL, "or the node, or element, nearest to this point"),
    IG_CHOICE(
        S, quantity, IG_STRESS_PROBES, "uz",
        "displacement; force that holds the nodes; stress, plastic strain, temperature, elastic "
        "strain, fraction of martensite of elements"),
    IG_TEXT(
        S, since, NULL,
        "name of a phase: less the value at its start, and 0 before: the rise during a cut, say"),
    IG_END};
#undef S
#define S ig_stress_part
static const ig_option part_options[] = {
    IG_TEXT(S, name, IG_REQUIRED, "name, in front of its figures"),
    IG_TEXT(S, set, IG_REQUIRED, "its elements"),
    IG_CHOICE(S, datum, IG_DATUM_CHOICES, "fit",
              "what its deviation is measured from. fit: the best-fit rigid motion of the part is "
              "taken off; machine: nothing is; set: the best-fit rigid motion of `datum_set`"),
    IG_TEXT(S, datum_set, NULL, "with `datum: set`: the plate, or faces that are clamped"),
    IG_REAL(S, tolerance, "m", NULL, 0, 1e3,
            "adds the figure out_of_tolerance: the share of its surface that is off by more"),
    IG_END};
#undef S
#define S ig_stress_solver
static const ig_option solver_options[] = {
    IG_REAL(S, tolerance, "", "1e-6", 1e-14, 0.1, "residual force over all force"),
    IG_INT(S, iterations, "25", 1, 1000,
           "most Newton iterations before a step is halved; with finite rotations four times as "
           "many while the residual falls steadily"),
    IG_INT(S, halvings, "20", 0, 1000, "most halvings in one step"),
    IG_INT(S, linear_limit, "2000", 1, 1e7, "most iterations of a linear solve"),
    IG_CHOICE(
        S, preconditioner, "multigrid|aggregation|blocks", "multigrid",
        "of conjugate gradients: geometric multigrid where the mesh is part of a regular grid, "
        "else aggregation with rigid-body modes; always the latter; blocks of the nodes"),
    IG_END};
#undef S
/* Floors keep the tangent regular where material is molten; see ig_stress_moduli_at. */
#define S ig_stress_floors
static const ig_option floor_options[] = {
    IG_REAL(S, modulus, "", "0.01", 0, 1, "least Young's modulus, as a share of the cold one"),
    IG_REAL(S, yield, "", "0.01", 0, 1, "least yield stress, as a share of the cold one"),
    IG_REAL(S, hardening, "", "0", 0, 1,
            "least plastic modulus, as a share of Young's modulus at that temperature"),
    IG_END};
#undef S
#define S ig_stress_case
const ig_option ig_stress_options[] = {
    IG_LIST(S, supports, ig_stress_support, support_options, NULL, "what holds and moves nodes"),
    IG_LIST(S, loads, ig_stress_load, load_options, NULL, "pressures and forces"),
    IG_LIST(S, inherent, ig_stress_inherent, inherent_options, NULL,
            "strain that every newborn element takes on"),
    IG_REAL(S, inherent_scale, "", "1", 0, 1e3,
            "factor on all inherent strains; `ingot calibrate` finds it"),
    IG_LIST(
        S, tearing, ig_stress_tearing, tearing_options, NULL,
        "supports that tear off: elements that are removed once their stress reaches `strength`"),
    IG_LIST(S, phases, ig_stress_phase, phase_options, IG_REQUIRED,
            "what happens, one after the other"),
    IG_LIST(S, probes, ig_stress_probe, probe_options, NULL, "columns of the history"),
    IG_LIST(S, parts, ig_stress_part, part_options, NULL,
            "parts whose deviation from their nominal surface is reported, each by itself"),
    IG_REAL(S, temperature, "K", "293.15", 0, 1e5,
            "at the start; what is there then has no stress at it"),
    IG_CHOICE(S, element, IG_ELEMENT_CHOICES, "assumed",
              "assumed: assumed strain, bends and flows without locking (tetrahedra: strains as "
              "they are); "
              "bbar: mean dilatation, too stiff in bending (tetrahedra: too soft)"),
    IG_CHOICE(S, rotations, "small|finite", "small",
              "finite: each element is seen from its own rotated position; strains stay small"),
    IG_CHOICE(S, reference, "birth|nominal", "birth",
              "shape in which new material has no stress, and molten material once it is solid. "
              "birth: where its nodes are then; nominal: as drawn, so that what is born in a "
              "deformed body is stressed (total strain, for comparison with other codes: with "
              "new_nodes: deformed)"),
    IG_TEXT(S, distortion, NULL,
            "set whose best-fit rigid motion is taken off the field `distortion`; left out: all"),
    IG_REAL(S, compensation, "", NULL, -10, 10,
            "writes compensated.stl and compensated.msh: the part as built, each point moved by so "
            "many times its final "
            "distortion the other way; 1 is the usual factor"),
    IG_INT(S, compensation_runs, "1", 1, 20,
           "the compensated shape is built in its turn, and compensated again, in at most so many "
           "runs; the last one's shape is written"),
    IG_REAL(S, compensation_tolerance, "m", "0", 0, 1e3,
            "no further run once the largest distortion is below this"),
    IG_MAP(S, solver, ig_stress_solver, solver_options, NULL, "equilibrium"),
    IG_MAP(S, floors, ig_stress_floors, floor_options, NULL, "what hot material keeps at least"),
    IG_END};
#undef S
