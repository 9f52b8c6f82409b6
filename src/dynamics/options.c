/* The keys of a case of the dynamics room: one table per struct of dynamics.h. Help texts,
   ranges, defaults and units become messages, the case reference and the JSON schema. Where a
   default has a number here, checks of keys without effect compare with the same number
   (dynamics.c, group.c). */
#include "dynamics/dynamics.h"
#include "implicit/direct.h"

/* Sections: keys of solids, shells and lines in one table; group.c refuses those of another
   family. */
#define S ig_dyn_section
static const ig_option section_options[] = {
    IG_TEXTS(S, set, NULL, "element sets it is for; left out: every element not claimed"),
    IG_CHOICE(S, integration, "auto|bbar|full|single|incompatible|reduced", "auto",
              "hex8: eight points with mean dilation (bbar), eight plain ones (full), one with "
              "hourglass control (single), or eight with incompatible modes; hex20: 27 points "
              "(full) or 8 (reduced). auto: in cases of static analyses by Newton's method, "
              "frequencies and buckling alone incompatible modes, else bbar; reduced for hex20"),
    IG_REAL(S, hourglass, "", "0.1", 0, 10, "hexahedra, one point: stiffness of hourglass control"),
    IG_REAL(S, bulk_linear, "", "0", 0, 10, "solids: linear bulk viscosity"),
    IG_REAL(S, bulk_quadratic, "", "0", 0, 10, "solids: quadratic bulk viscosity"),
    IG_REAL(S, thickness, "m", NULL, IG_POSITIVE, 1e6, "shells: thickness"),
    IG_INT(S, planes, "4", 3, 4,
           "plastic shells: points in the plane (five through the thickness)"),
    IG_BOOL(S, thinning, "false", "plastic shells: the thickness follows the strain"),
    IG_VECTOR3(S, local_x, "", "[1, 0, 0]",
               "shells: x of section forces and surface stresses: this direction in space, laid "
               "onto the shell"),
    IG_CHOICE(S, line, "beam|bar|cable", "beam", "lines: beams, bars, or cables that only pull"),
    IG_CHOICE(S, profile, "circle|tube|rectangle|i", "circle", "lines: shape of the section"),
    IG_REAL(S, radius, "m", NULL, IG_POSITIVE, 1e6, "circle, tube: outer radius"),
    IG_REAL(S, wall, "m", NULL, IG_POSITIVE, 1e6, "tube: wall thickness"),
    IG_REAL(S, width, "m", NULL, IG_POSITIVE, 1e6, "rectangle, i: width"),
    IG_REAL(S, height, "m", NULL, IG_POSITIVE, 1e6, "rectangle, i: height"),
    IG_REAL(S, flange, "m", NULL, IG_POSITIVE, 1e6, "i: thickness of the flanges"),
    IG_REAL(S, web, "m", NULL, IG_POSITIVE, 1e6, "i: thickness of the web"),
    IG_REAL(S, area, "m^2", NULL, IG_POSITIVE, 1e6, "area, instead of a profile"),
    IG_REAL(S, iy, "m^4", NULL, 0, 1e6, "second moment for bending along the height"),
    IG_REAL(S, iz, "m^4", NULL, 0, 1e6, "second moment for bending along the width"),
    IG_REAL(S, torsion, "m^4", NULL, 0, 1e6, "torsion constant"),
    IG_VECTOR3(S, up, "", NULL, "beams: where the section's height points"),
    IG_END};
#undef S
/* Supports of nodes and of rigid bodies have the same keys (mesh/support.h). */
#define S ig_support_case
static const ig_option support_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set"), IG_SUPPORT_ROWS(IG_VECTOR3, "x y z rx ry rz", ""),
    IG_VECTOR3(S, spin, "rad/s", NULL, "rate of rotation, times the history"), IG_HISTORY_ROW(S),
    IG_END};
static const ig_option body_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set that moves as one"),
    IG_SUPPORT_ROWS(IG_VECTOR3, "x y z rx ry rz", " of the centre"),
    IG_VECTOR3(S, spin, "rad/s", NULL, "rate of rotation, times the history"), IG_HISTORY_ROW(S),
    IG_END};
#undef S
#define S ig_dyn_tie
static const ig_option tie_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "nodes that are tied"),
    IG_TEXT(S, to, IG_REQUIRED, "what carries them: faces, shell elements, or nodes"),
    IG_REAL(S, distance, "m", IG_REQUIRED, 0, 1e6,
            "nodes no further away are tied, and begin on the surface"),
    IG_END};
#undef S
/* Loads: forces and moments count at every node, `total` once for the set, a pressure follows
   its faces. */
#define S ig_dyn_load
static const ig_option load_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set; for a pressure faces of solids or shell elements"),
    IG_VECTOR3(S, force, "N", NULL, "force on each node"),
    IG_VECTOR3(S, moment, "N m", NULL, "moment on each node"),
    IG_VECTOR3(
        S, total, "N", NULL,
        "force on the set: evenly on its faces where it is one of faces of solids, else each node "
        "has the same share"),
    IG_REAL(S, pressure, "Pa", NULL, 0, 0, "pressure against the outward normal; follows it"),
    IG_HISTORY_ROW(S),
    IG_END};
#undef S
#define S ig_dyn_initial
static const ig_option initial_options[] = {
    IG_TEXT(S, set, NULL, "node set; left out: all"),
    IG_VECTOR3(S, velocity, "m/s", "[0, 0, 0]",
               "velocity; where entries share nodes the last one counts, they do not add up"),
    IG_VECTOR3(S, spin, "rad/s", "[0, 0, 0]", "rate of rotation"),
    IG_VECTOR3(S, about, "m", "[0, 0, 0]", "point it turns about"), IG_END};
#undef S
/* Tools: rigid, frictionless by default; they move by velocity, or by displacement with a
   history. */
#define S ig_dyn_tool_case
static const ig_option tool_options[] = {
    IG_CHOICE(S, shape, IG_TOOL_CHOICES, "plane", "shape"),
    IG_VECTOR3(S, point, "m", "[0, 0, 0]", "a point of the plane or axis; the centre"),
    IG_VECTOR3(S, axis, "", "[0, 0, 1]", "outward normal of a plane; axis of a cylinder"),
    IG_REAL(S, radius, "m", "0", 0, 1e9, "of a sphere or cylinder"),
    IG_VECTOR3(S, velocity, "m/s", "[0, 0, 0]", "it moves at"),
    IG_VECTOR3(S, displacement, "m", "[0, 0, 0]", "its way, times the history"),
    IG_REAL_USUAL(S, friction, "", "0", 0, 100, 0, 2, "Coulomb friction"),
    IG_TABLE(S, history, "s", "", NULL, 0, 0, "share of the way over time"),
    IG_END};
#undef S
#define S ig_dyn_gravity
static const ig_option gravity_options[] = {
    IG_VECTOR3(S, acceleration, "m/s^2", "[0, 0, -9.81]", "acceleration"), IG_HISTORY_ROW(S),
    IG_END};
#undef S
/* Contact of the mesh with itself: all outer surfaces, one setting. */
#define S ig_dyn_contact
static const ig_option contact_options[] = {
    IG_BOOL(S, on, "true", "surfaces of the mesh do not pass through each other"),
    IG_BOOL(S, edges, "true",
            "edges touch edges: of beams, of shells' boundaries, and sharp ones of solids"),
    IG_CHOICE(
        S, overlap, "refuse|keep|fit", "refuse",
        "bodies that overlap at the start: an error, and so is passing into each other; keep: "
        "not looked for, what overlaps does not touch until it is apart; fit: an interference "
        "fit, contact presses it apart"),
    IG_REAL(S, penalty, "", NULL, IG_POSITIVE, 1000,
            "stiffness of an interface, times that of the layer of elements under it; left out: 10 "
            "in relaxation, 1 where an analysis is dynamic, whose step is made smaller for it, by "
            "Newton's method 50, and what penetrates is pushed out"),
    IG_REAL_USUAL(S, friction, "", "0", 0, 100, 0, 2, "Coulomb friction"),
    IG_REAL(S, thickness, "m", NULL, 0, 1e6,
            "distance of two surfaces that touch, in place of half thicknesses; left out: those of "
            "shells and lines, none of solids"),
    IG_END};
#undef S
#define S ig_dyn_residual
static const ig_option residual_options[] = {
    IG_FILE(
        S, file, IG_REQUIRED,
        "snapshot of a run on the same mesh, of `stress` or `dynamics`: its `stress` and, where "
        "it has it, `plastic_strain` (in a chain: from: STAGE)"),
    IG_END};
#undef S
/* Analyses: keys of all kinds; dynamics.c refuses those that have no effect in a kind or method. */
#define S ig_dyn_analysis
static const ig_option analysis_options[] = {
    IG_CHOICE(S, kind, "dynamic|static|frequency|buckling", "dynamic",
              "through time; to equilibrium; natural frequencies, or load factors of linear "
              "buckling, about the state reached so far"),
    IG_INT(S, modes, "10", 1, 1000, "frequency, buckling: how many"),
    IG_REAL(S, duration, "s", NULL, IG_POSITIVE, 1e9, "dynamic: how long"),
    IG_REAL(S, time_step, "s", NULL, IG_POSITIVE, 1e9,
            "dynamic: step; left out: from the critical one"),
    IG_REAL(S, safety, "", "0.9", IG_POSITIVE, 1, "share of the critical step"),
    IG_INT(S, step_update_every, "100", 0, 1e9,
           "steps between updates of the critical step; 0: it is computed once"),
    IG_REAL(S, damping, "1/s", NULL, 0, 1e12,
            "mass damping; relaxation, viscous: found if left out"),
    IG_REAL(S, mass_scaling_step, "s", "0", 0, 1e9,
            "mass scaling: elements with a smaller critical step get mass until theirs is this; 0: "
            "none"),
    IG_CHOICE(S, method, "newton|relaxation|arc_length|auto", "auto",
              "static: Newton's method; dynamic relaxation; Newton's method that follows a load "
              "that falls again (snap-through); auto: newton, and relaxation with `contact` that "
              "Newton's method does not do"),
    IG_REAL(S, first_step, "", NULL, 1e-6, 1,
            "newton, arc_length: share of the load in the first step; left out: 1 where nothing "
            "yields or turns, else 0.1"),
    IG_REAL(S, largest_step, "", "1", 1e-6, 1, "newton: largest share of the load in a step"),
    IG_CHOICE(
        S, solver, IG_DIRECT_CHOICES, "auto",
        "all but dynamic and relaxation: direct solver of the equations; own, or MUMPS where it "
        "is installed"),
    IG_CHOICE(S, relaxation, "viscous|kinetic", "viscous", "relaxation: how motion is taken away"),
    IG_REAL(
        S, tolerance, "", "1e-3", IG_POSITIVE, 1,
        "newton: largest force out of balance, over the mean force of the elements; relaxation: "
        "estimated error of the displacements, over the displacements"),
    IG_INT(S, steps, "1000000", 1, 1e12, "static: most steps"),
    IG_REAL(
        S, ramp, "", NULL, 1, 1e12,
        "relaxation: steps over which the load grows; left out: 500, where material can yield as "
        "many as keep the motion slow"),
    IG_REAL(S, at_time, "s", "1", 0, 1e9, "static, buckling: time at which histories are read"),
    IG_END};
#undef S
/* Probes: one quantity of a set or of the nearest node. */
#define S ig_dyn_probe
static const ig_option probe_options[] = {
    IG_TEXT(S, name, IG_REQUIRED, "name of its column"),
    IG_TEXT(S, set, NULL,
            "node set: mean of motions, sum of forces; for section forces an element set: their "
            "mean"),
    IG_VECTOR3(S, point, "m", NULL, "or the node nearest to this point"),
    IG_CHOICE(
        S, quantity, IG_PROBE_CHOICES, "uz",
        "displacement, velocity, force and moment that hold the nodes (moment: about the middle of "
        "the set at the start), contact force on them; "
        "section forces of beams; of shells; stresses at the surfaces of shells"),
    IG_END};
#undef S
/* The room's own keys. */
#define S ig_dyn_case
const ig_option ig_dyn_options[] = {
    IG_LIST(S, sections, ig_dyn_section, section_options, NULL, "what elements are like"),
    IG_LIST(S, supports, ig_support_case, support_options, NULL, "what holds and moves nodes"),
    IG_LIST(S, bodies, ig_support_case, body_options, NULL, "rigid bodies: nodes that move as one"),
    IG_LIST(S, ties, ig_dyn_tie, tie_options, NULL, "nodes tied to surfaces or to nodes"),
    IG_LIST(S, loads, ig_dyn_load, load_options, NULL, "what pushes nodes and faces"),
    IG_LIST(S, initial, ig_dyn_initial, initial_options, NULL, "velocities at the start"),
    IG_LIST(S, tools, ig_dyn_tool_case, tool_options, NULL, "rigid tools"),
    IG_MAP(S, gravity, ig_dyn_gravity, gravity_options, NULL, "gravity"),
    IG_MAP(S, contact, ig_dyn_contact, contact_options, NULL, "contact of the mesh with itself"),
    IG_MAP(S, residual, ig_dyn_residual, residual_options, NULL,
           "solids: stress and plastic strain at the start"),
    IG_LIST(S, analysis, ig_dyn_analysis, analysis_options, IG_REQUIRED,
            "analyses, one after the other on the same particles"),
    IG_LIST(S, probes, ig_dyn_probe, probe_options, NULL, "columns of the history"),
    IG_REAL(S, inertia_scale, "", "0.125", 0, 1,
            "rotary inertia of shells is at least this x area x mass; 0: the physical one"),
    IG_REAL(S, energy_error, "", "0.1", IG_POSITIVE, 1e9,
            "stop when the balance is off by this share"),
    IG_REAL(S, added_mass, "", "0.5", IG_POSITIVE, 1e9,
            "stop when scaling adds this share of mass"),
    IG_END};
#undef S
