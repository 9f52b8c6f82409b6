/* What a case of the structure room may say.

   Tables of options (core/option.h), one per struct of structure.h: key, kind, unit, default,
   range, help. The case reference, the schema and error messages are made from them. A list's
   struct is named by S within its table. NULL as default: NaN, or no text, which means "left
   out". */
#include "structure/structure.h"

#define S ig_structure_shell
static const ig_option shell_options[] = {
    IG_TEXTS(S, set, NULL, "element sets it is for; left out: every shell not claimed"),
    IG_REAL(S, thickness, "m", IG_REQUIRED, IG_POSITIVE, IG_UNBOUNDED, "thickness"),
    IG_REAL(S, offset, "", "0", -1e6, 1e6,
            "of the nodes from the middle surface along the normal, over the thickness"),
    IG_BOOL(S, nodal, "false", "`thicknesses` of nodes count where they are given"), IG_END};
#undef S
#define S ig_structure_beam
static const ig_option beam_options[] = {
    IG_TEXTS(S, set, NULL, "element sets it is for; left out: every beam not claimed"),
    IG_CHOICE(S, profile, "rectangle|ellipse|pipe|box", "rectangle",
              "shape of the section; pipe, box: hollow, of beam3 and elastic materials"),
    IG_VECTOR(S, size, 2, "m", IG_REQUIRED, "outer size along its first and second axis"),
    IG_REALS(S, wall, "m", NULL, 0, IG_UNBOUNDED,
             "thickness of a pipe; of a box those of the walls on the side of the positive first "
             "axis, the positive second, the negative first and the negative second"),
    IG_VECTOR3(S, direction, "", "[0, 0, -1]",
               "first axis of the section; the second is tangent x first"),
    IG_VECTOR(S, offset, 2, "", "[0, 0]",
              "of the nodes from the middle of the section along its axes, over the sizes"),
    IG_BOOL(S, nodal, "false", "`thicknesses` of nodes count where they are given"),
    IG_END};
#undef S
#define S ig_structure_truss
static const ig_option truss_options[] = {
    IG_TEXTS(S, set, NULL, "element sets; left out: all lines"),
    IG_REAL(S, area, "m^2", IG_REQUIRED, IG_POSITIVE, IG_UNBOUNDED, "of the section"), IG_END};
#undef S
#define S ig_structure_thickness
static const ig_option thickness_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set"),
    IG_VECTOR(S, thickness, 2, "m", IG_REQUIRED,
              "thickness of shells (the first number), sizes of the sections of beams"),
    IG_END};
#undef S
#define S ig_structure_normal
static const ig_option normal_options[] = {
    IG_INT(S, element, IG_REQUIRED, 1, 1e15, "number of a shell or beam"),
    IG_INT(S, node, IG_REQUIRED, 1, 1e15, "number of one of its nodes"),
    IG_VECTOR3(S, normal, "", IG_REQUIRED, "normal of the shell, first axis of the beam"), IG_END};
#undef S
#define S ig_structure_section
static const ig_option section_options[] = {
    IG_TEXTS(S, set, NULL, "element sets it is for; left out: every element not claimed"),
    IG_CHOICE(S, integration, "auto|full|reduced|incompatible|mean_dilatation", "auto",
              "auto: incompatible modes for hex8, 2 x 2 x 2 points for hex20; full: all points; "
              "reduced: hex20 with 2 x 2 x 2; mean_dilatation: hex8 with B-bar"),
    IG_END};
#undef S
#define S ig_structure_axes
/* The same three keys for axes of nodes and of materials. */
#define AXES                                                                                       \
  IG_CHOICE(                                                                                       \
      S, kind, "rectangular|cylindrical", "rectangular",                                           \
      "rectangular: x along a, b in the plane of x and y; cylindrical: a and b on the axis, "      \
      "x radial, y tangential, z along it"),                                                       \
      IG_VECTOR3(S, a, "m", IG_REQUIRED, "first point"),                                           \
      IG_VECTOR3(S, b, "m", IG_REQUIRED, "second point"), IG_END
static const ig_option axes_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "nodes: their supports, forces and equations are in these axes"),
    AXES};
static const ig_option material_axes_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "elements: their orthotropic materials are in these axes"), AXES};
#undef S
#define S ig_structure_support
static const ig_option support_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set"),
    IG_TEXT(S, fix, NULL, "held still: 'all', or some of x y z rx ry rz"),
    IG_TEXT(S, components, "xyz", "components that are prescribed below; the others stay free"),
    IG_VECTOR3(S, displacement, "m", NULL, "displacement, times the history"),
    IG_VECTOR3(S, rotation, "rad", NULL, "rotation of a reference node, times the history"),
    IG_HISTORY_ROW(S),
    IG_CHOICE(S, where, "drawn|reached", "drawn",
              "fix: at the position at the start, or where the analysis it begins with finds it"),
    IG_BOOL(S, replaces, "false",
            "this support counts where an entry before has a component at another place; left out, "
            "that is an error, unless this one begins in a later analysis"),
    IG_INT(S, first, "1", 1, 1e6, "the analysis it begins with, from 1"),
    IG_INT(S, last, "0", 0, 1e6, "the last analysis it acts in; 0: all"),
    IG_END};
#undef S
#define S ig_structure_equation
static const ig_option equation_options[] = {
    IG_TEXTS(S, nodes, IG_REQUIRED, "numbers of nodes in the mesh file, or node sets of one size"),
    IG_TEXTS(S, components, IG_REQUIRED, "of each: x, y, z, rx, ry or rz"),
    IG_REALS(S, factors, "", IG_REQUIRED, 0, 0,
             "of each: the sum of factor times component is 0; the first one follows the others"),
    IG_INT(S, first, "1", 1, 1e6, "the analysis it begins with, from 1"),
    IG_INT(S, last, "0", 0, 1e6, "the last analysis it acts in; 0: all"),
    IG_END};
#undef S
#define S ig_structure_spring
static const ig_option spring_options[] = {
    IG_TEXTS(S, nodes, IG_REQUIRED, "numbers of its two nodes, or one, or sets of one node"),
    IG_TEXTS(S, components, NULL,
             "of each: x, y, z, rx, ry or rz; left out: along the line between two nodes"),
    IG_REAL(S, stiffness, "", NULL, 0, IG_UNBOUNDED, "force over elongation, N/m"),
    IG_TABLE(S, curve, "m", "N", NULL, 0, 0, "instead of it: force over elongation"), IG_END};
#undef S
#define S ig_structure_mass
static const ig_option mass_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set: each has this mass"),
    IG_REAL(S, mass, "kg", IG_REQUIRED, IG_POSITIVE, IG_UNBOUNDED, "mass"), IG_END};
#undef S
#define S ig_structure_joint
static const ig_option joint_options[] = {
    IG_CHOICE(S, kind, "distance|straight|plane|mean_rotation", "distance",
              "distance: of two nodes stays; straight: nodes stay on the line of the first two; "
              "plane: in the plane of the first three; mean_rotation: about an axis through their "
              "centre is the x of another node"),
    IG_TEXTS(S, nodes, IG_REQUIRED, "numbers of nodes in the mesh file, or node sets"),
    IG_TEXT(S, node, NULL,
            "mean_rotation: number or set of the node whose x is the angle in rad; the axis is "
            "along its position"),
    IG_END};
#undef S
#define S ig_structure_coupling
static const ig_option coupling_options[] = {
    IG_TEXT(S, node, IG_REQUIRED, "set of one node: the reference"),
    IG_TEXT(S, set, IG_REQUIRED, "nodes or faces that are coupled to it"),
    IG_CHOICE(S, kind, "rigid|kinematic|distributing|mean", "rigid",
              "rigid: they move with it as one body; kinematic: some components do; distributing: "
              "it moves with their mean, and forces on it are shared by area; mean: the same "
              "without rotations, wherever it is"),
    IG_TEXT(S, rotation_node, NULL,
            "rigid: set of one node whose displacements are the rotations of the body"),
    IG_TEXT(S, components, "'x y z'", "kinematic: which components"),
    IG_CHOICE(S, axes, "fixed|rectangular|cylindrical", "fixed",
              "kinematic: axes of the components at the coupled nodes; distributing: axes of "
              "motions, rotations and loads of the reference"),
    IG_VECTOR3(S, a, "m", "[0, 0, 0]", "first point of the axes, as in `axes`"),
    IG_VECTOR3(S, b, "m", "[0, 0, 0]", "second point"),
    IG_END};
#undef S
#define S ig_structure_tie
static const ig_option tie_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "nodes or faces that are tied"),
    IG_TEXT(S, to, IG_REQUIRED, "faces that carry them"),
    IG_REAL(S, distance, "m", NULL, 0, 1e9,
            "nodes no further away are tied; left out: a twentieth of the size of the faces"),
    IG_BOOL(S, adjust, "false", "tied nodes are moved onto the faces at the start, without strain"),
    IG_END};
#undef S
#define S ig_contact_tool
static const ig_option tool_options[] = {
    IG_TEXT(S, name, IG_REQUIRED, "`to` of contacts"),
    IG_CHOICE(S, shape, "plane|sphere|cylinder", "plane", "shape"),
    IG_VECTOR3(S, point, "m", "[0, 0, 0]", "a point of the plane or axis; the centre"),
    IG_VECTOR3(S, axis, "", "[0, 0, 1]", "normal of a plane, towards the part; axis of a cylinder"),
    IG_REAL(S, radius, "m", "0", 0, 1e9, "of a sphere or cylinder"),
    IG_BOOL(S, hollow, "false", "the part is inside of the sphere or cylinder"),
    IG_VECTOR3(S, displacement, "m", "[0, 0, 0]", "its way, times the history"),
    IG_HISTORY_ROW(S),
    IG_END};
#undef S
#define S ig_contact_case
static const ig_option contact_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "faces whose points may touch, or nodes"),
    IG_CHOICE(S, of, "faces|nodes", "faces",
              "what the set is; a node has its share of all faces of the surface around it"),
    IG_TEXT(S, to, IG_REQUIRED, "faces that they touch, or a tool"),
    IG_REAL(S, stiffness, "", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "pressure over penetration, Pa/m; left out: 50 times Young's modulus of the first side "
            "over `length`"),
    IG_REAL(S, length, "m", NULL, IG_POSITIVE, 1e9,
            "without `stiffness`; left out: thickness of the first side's element at each point, "
            "its volume over the area of the face"),
    IG_REAL(S, penetration, "", NULL, IG_POSITIVE, 1,
            "largest one, over the size of a face: pressures are added until no point is deeper "
            "(augmented Lagrange); left out: 1e-3 without `stiffness`, `length` and `decay`, else "
            "any"),
    IG_VECTOR(S, decay, 2, "", NULL,
              "instead of it: pressure at no distance, Pa, and distance in m at which a hundredth "
              "of it is left"),
    IG_REAL(S, tension, "Pa", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "with `stiffness`: pressure = stiffness d (1/2 + arctan(d / c) / pi) of the "
            "penetration d, c = pi tension / stiffness: smooth, with this tension far away"),
    IG_CHOICE(S, sliding, "large|small", "large",
              "large: points meet another place as they slide, step by step; small: they keep the "
              "place they meet where an analysis begins"),
    IG_BOOL(S, tied, "false", "both sides stick to each other, whatever pulls"),
    IG_REAL_USUAL(S, friction, "", "0", 0, IG_UNBOUNDED, 0, 2, "Coulomb friction"),
    IG_REAL(S, stick, "", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "tangential traction over displacement, Pa/m, below sliding; left out: a tenth of the "
            "stiffness"),
    IG_REAL(S, distance, "m", NULL, 0, 1e9,
            "points that begin no further away may touch; left out: a fifth of the model's size"),
    IG_REAL(S, clearance, "m", NULL, 0, 0,
            "distance at the start, whatever the mesh has; negative: overlap"),
    IG_REAL(S, damping, "", "0", 0, IG_UNBOUNDED,
            "dynamic: pressure over the speed at which sides that touch approach, Pa s/m"),
    IG_REAL(S, tangential, "", "0", 0, IG_UNBOUNDED, "share of `damping` that acts on sliding"),
    IG_REAL(S, adjust, "m", NULL, 0, 1e9,
            "nodes of `set` no further from the other side are moved onto it at the start, without "
            "strain"),
    IG_TEXT(S, adjust_nodes, NULL, "instead of it: these nodes, wherever they are"),
    IG_REALS(S, without, "", NULL, 1, 1e6, "analyses in which it is off, from 1"),
    IG_END};
#undef S
#define S ig_structure_load
static const ig_option load_options[] = {
    IG_TEXT(
        S, set, IG_REQUIRED,
        "nodes of forces, faces of pressures, elements of accelerations, or nodes with `masses`"),
    IG_VECTOR3(S, force, "N", NULL, "force on each node, in its axes"),
    IG_VECTOR3(
        S, total, "N", NULL,
        "force on the set: evenly on its faces where it is one of faces of solids, else each "
        "node has the same share"),
    IG_VECTOR3(S, moment, "N m", NULL, "moment on each reference node"),
    IG_REAL(S, pressure, "Pa", NULL, 0, 0,
            "pressure against the outward normal; on sides 1 and 2 of beams along the first and "
            "second axis of their rectangular section"),
    IG_VECTOR3(S, acceleration, "m/s^2", NULL, "gravity and its like"),
    IG_REAL(S, rate, "rad/s", NULL, 0, 1e12, "rate of a rotation: centrifugal forces"),
    IG_VECTOR3(S, point, "m", "[0, 0, 0]", "a point of its axis"),
    IG_VECTOR3(S, axis, "", "[0, 0, 1]", "its axis"),
    IG_HISTORY_ROW(S),
    IG_INT(S, first, "1", 1, 1e6, "the analysis it begins with, from 1"),
    IG_INT(S, last, "0", 0, 1e6, "the last analysis it acts in; 0: all"),
    IG_REALS(S, given, "", NULL, 1, 1e6,
             "analyses in which a deck gives it a value: another load given in other ones, with a "
             "node and component or a face in common, is refused. Loads add up; a deck means that "
             "what a later step gives replaces what was there"),
    IG_END};
#undef S
#define S ig_structure_temperature
static const ig_option initial_temperature_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set"),
    IG_REAL(S, temperature, "", IG_REQUIRED, 0, 0, "temperature without thermal strain, K"),
    IG_END};
static const ig_option temperature_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set"),
    IG_REAL(S, temperature, "", IG_REQUIRED, 0, 0, "temperature it comes to, K"),
    IG_REAL(S, from, "s", "0", 0, 1e9, "time at which it begins to change"),
    IG_REAL(S, to, "s", "1", 0, 1e9, "time at which it is reached"), IG_END};
#undef S
#define S ig_structure_initial
static const ig_option initial_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set"),
    IG_VECTOR3(S, velocity, "m/s", "[0, 0, 0]", "velocity at the start; entries add up"),
    IG_VECTOR3(S, displacement, "m", "[0, 0, 0]", "displacement at the start; entries add up"),
    IG_END};
#undef S
#define S ig_structure_prestress
static const ig_option prestress_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "element set"),
    IG_INT(S, point, "0", 0, 27, "point of the elements, from 1; 0: all of them"),
    IG_VECTOR(S, stress, 6, "Pa", IG_REQUIRED, "xx yy zz xy yz zx; the last entry counts"), IG_END};
#undef S
#define S ig_structure_damping
static const ig_option damping_options[] = {
    IG_TEXT(S, material, IG_REQUIRED, "name of a material"),
    IG_REAL(S, mass, "1/s", "0", 0, IG_UNBOUNDED, "share of the mass matrix"),
    IG_REAL(S, stiffness, "s", "0", 0, IG_UNBOUNDED,
            "share of the stiffness matrix, that of the drawn, elastic structure"),
    IG_END};
#undef S
#define S ig_structure_hyperelastic
static const ig_option hyperelastic_options[] = {
    IG_TEXT(S, material, IG_REQUIRED, "name of a material, whose other moduli are not used"),
    IG_REALS(S, polynomial, "Pa", NULL, 0, 0,
             "factors of (I1 - 3)^i (I2 - 3)^j: C10 C01 C20 C11 C02 C30 C21 C12 C03"),
    IG_REALS(S, ogden, "", NULL, 0, 0, "mu (Pa) and alpha of up to three terms of Ogden's"),
    IG_REALS(S, compressibility, "", NULL, 0, 0,
             "D of (J - 1)^2i / D, 1/Pa; left out or 0: Poisson's ratio is 0.475"),
    IG_END};
#undef S
#define S ig_structure_prescribed
static const ig_option prescribed_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "node set"),
    IG_REAL(S, temperature, "", IG_REQUIRED, 0, 0, "temperature, times the history, K"),
    IG_HISTORY_ROW(S),
    IG_INT(S, first, "1", 1, 1e6, "the analysis it begins with, from 1"),
    IG_INT(S, last, "0", 0, 1e6, "the last analysis it acts in; 0: all"),
    IG_END};
#undef S
#define S ig_structure_heat_load
static const ig_option heat_load_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "nodes of `power`, elements of `source`, faces of the others"),
    IG_REAL(S, power, "W", NULL, 0, 0, "heat into each node, times the history"),
    IG_REAL(S, flux, "W/m^2", NULL, 0, 0, "heat into the faces, times the history"),
    IG_REAL(S, source, "W/m^3", NULL, 0, 0, "heat in the elements, times the history"),
    IG_REAL(S, film, "W/(m^2 K)", NULL, 0, IG_UNBOUNDED, "convection to `sink`"),
    IG_REAL(S, emissivity, "", NULL, 0, 1, "radiation to `sink`"),
    IG_REAL(S, sink, "", NULL, 0, 0, "temperature around it, times the history, K"),
    IG_HISTORY_ROW(S),
    IG_INT(S, first, "1", 1, 1e6, "the analysis it begins with, from 1"),
    IG_INT(S, last, "0", 0, 1e6, "the last analysis it acts in; 0: all"),
    IG_END};
#undef S
#define S ig_structure_until
static const ig_option until_options[] = {
    IG_TEXT(S, set, NULL, "node set of one node"), IG_TEXT(S, component, NULL, "x, y or z of it"),
    IG_REAL(S, displacement, "m", NULL, 0, 0, "displacement of that component"),
    IG_REAL(S, factor, "", NULL, 0, 0, "load factor, 1: loads as they are given"), IG_END};
#undef S
#define S ig_structure_analysis
static const ig_option analysis_options[] = {
    IG_CHOICE(S, kind, "static|dynamic|frequency|buckling|heat", "static",
              "equilibrium, motion through time, natural frequencies, critical load factors, "
              "temperatures by conduction"),
    IG_CHOICE(S, method, "newton|arc_length", "newton",
              "static: arc_length follows loads that fall while displacements grow "
              "(snap-through); what acts grows in proportion"),
    IG_MAP(S, until, ig_structure_until, until_options, NULL,
           "arc_length: the last analysis goes on until this is passed, also beyond the loads "
           "given, and ends with the step that passes it, which ends just beyond "
           "(`until_passed_by` in the summary); left out: until they are reached"),
    IG_BOOL(S, steady, "false", "heat: the temperatures that are reached in the end"),
    IG_BOOL(S, large, "false", "large displacements and rotations"),
    IG_REAL(S, duration, "s", "1", IG_POSITIVE, 1e9, "all but frequency: time that passes"),
    IG_REAL(S, first_step, "s", NULL, IG_POSITIVE, 1e9,
            "static, dynamic: first step; left out: all of it"),
    IG_REAL(S, largest_step, "s", NULL, IG_POSITIVE, 1e9, "static, dynamic: largest step"),
    IG_BOOL(S, fixed_steps, "false", "static, dynamic: every step is as long as the first"),
    IG_BOOL(
        S, creep, "false",
        "static: materials with `mechanical.creep` creep as time passes; otherwise they do not"),
    IG_REAL(S, creep_change, "", "1e-6", IG_POSITIVE, 1,
            "with `creep`: steps are cut until no creep strain of a step would differ by more at "
            "the stress of its start"),
    IG_REAL(S, tolerance, "", "1e-5", IG_POSITIVE, 0.1,
            "of forces, over the mean force in the model"),
    IG_INT(S, steps, "100000", 1, 1e9, "most steps"),
    IG_REAL(S, alpha, "", "-0.05", -1, 0, "dynamic: numerical damping (Hilber, Hughes, Taylor)"),
    IG_INT(S, modes, "1", 1, 10000, "frequency, buckling: how many"),
    IG_BOOL(S, reached, "false",
            "frequency, buckling: of the state reached, with its stresses; with `large` at the "
            "displaced shape"),
    IG_REAL(S, lowest, "Hz", NULL, 0, 1e12, "frequency: those below are not written"),
    IG_REAL(S, highest, "Hz", NULL, 0, 1e12, "frequency: those above are not written"),
    IG_END};
#undef S
#define S ig_structure_table
static const ig_option table_options[] = {
    IG_TEXT(S, set, IG_REQUIRED, "nodes, elements or faces"),
    IG_CHOICE(
        S, quantity, IG_STRUCTURE_QUANTITIES, "displacement",
        "of nodes: displacement to heat_flow (reaction: the force of the elements on a node, which "
        "supports and loads there bear together); of faces: section, the force through them by "
        "stresses, and section_flux, the heat out of them; at the points of elements: the others"),
    IG_CHOICE(S, total, "none|also|only", "none", "the sum over the set"),
    IG_INT(S, analysis, "0", 0, 1e6, "in this analysis, from 1; 0: in all"),
    IG_CHOICE(S, axes, "fixed|own", "fixed",
              "own: vectors of nodes in their `axes`, stresses and strains in the `material_axes`; "
              "sums over a set are in fixed ones"),
    IG_END};
#undef S
#define S ig_structure_case
/* The keys of a case of this room, in the order of the reference. */
const ig_option ig_structure_options[] = {
    IG_LIST(S, shells, ig_structure_shell, shell_options, NULL, "thickness of shells"),
    IG_LIST(S, beams, ig_structure_beam, beam_options, NULL, "sections of beams"),
    IG_LIST(S, trusses, ig_structure_truss, truss_options, NULL,
            "lines that are bars, with stress along their axis alone and hinges at their nodes"),
    IG_LIST(S, thicknesses, ig_structure_thickness, thickness_options, NULL,
            "sizes at nodes of the shells and beams whose entries are `nodal`"),
    IG_LIST(S, normals, ig_structure_normal, normal_options, NULL,
            "directions of shells and beams at nodes"),
    IG_LIST(S, springs, ig_structure_spring, spring_options, NULL, "springs"),
    IG_LIST(S, masses, ig_structure_mass, mass_options, NULL, "masses on nodes"),
    IG_LIST(S, sections, ig_structure_section, section_options, NULL, "how elements are computed"),
    IG_LIST(S, axes, ig_structure_axes, axes_options, NULL, "axes of nodes"),
    IG_LIST(S, material_axes, ig_structure_axes, material_axes_options, NULL,
            "axes of orthotropic materials"),
    IG_LIST(S, supports, ig_structure_support, support_options, NULL, "prescribed motions"),
    IG_LIST(S, equations, ig_structure_equation, equation_options, NULL,
            "linear equations between components"),
    IG_LIST(S, couplings, ig_structure_coupling, coupling_options, NULL,
            "nodes coupled to a reference node"),
    IG_LIST(S, joints, ig_structure_joint, joint_options, NULL,
            "conditions on the positions of nodes"),
    IG_LIST(S, ties, ig_structure_tie, tie_options, NULL, "nodes tied to faces"),
    IG_LIST(S, contacts, ig_contact_case, contact_options, NULL, "pairs of surfaces that touch"),
    IG_LIST(S, tools, ig_contact_tool, tool_options, NULL, "rigid tools that contacts name"),
    IG_LIST(S, loads, ig_structure_load, load_options, NULL, "forces, pressures, accelerations"),
    IG_LIST(S, initial_temperatures, ig_structure_temperature, initial_temperature_options, NULL,
            "temperatures at the start"),
    IG_LIST(S, temperatures, ig_structure_temperature, temperature_options, NULL,
            "temperatures that change, in the order given"),
    IG_LIST(S, initial, ig_structure_initial, initial_options, NULL, "velocities at the start"),
    IG_LIST(S, initial_stresses, ig_structure_prestress, prestress_options, NULL,
            "stresses of elastic elements at no strain"),
    IG_LIST(S, hyperelastic, ig_structure_hyperelastic, hyperelastic_options, NULL,
            "strain energies of materials, for analyses that are `large`"),
    IG_LIST(S, prescribed_temperatures, ig_structure_prescribed, prescribed_options, NULL,
            "heat: temperatures of nodes"),
    IG_LIST(S, heat_loads, ig_structure_heat_load, heat_load_options, NULL,
            "heat: what flows in, films, radiation"),
    IG_REAL(S, absolute_zero, "", "0", 0, 0, "on the scale of the temperatures, for radiation"),
    IG_REAL(S, stefan_boltzmann, "", "5.670374419e-8", IG_POSITIVE, IG_UNBOUNDED,
            "constant of radiation, W/(m^2 K^4)"),
    IG_LIST(S, damping, ig_structure_damping, damping_options, NULL,
            "dynamic: damping of a material, proportional to mass and stiffness (Rayleigh)"),
    IG_LIST(S, analysis, ig_structure_analysis, analysis_options, IG_REQUIRED,
            "analyses, one after the other on the same model; time goes on from one to the next"),
    IG_LIST(S, tables, ig_structure_table, table_options, NULL,
            "rows of tables.csv at the end of every step"),
    IG_END};
#undef S
