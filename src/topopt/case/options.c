/* What a topology optimisation case may say: tables of keys, defaults, ranges and help, one per
   struct of topopt.h (core/option.h explains the macros). The help texts become
   docs/reference/case-reference.md. Keys that have no effect in a case are refused by
   design/unused.c, which knows the defaults of this file. */
#include "topopt/topopt.h"
#include "solver/mesh/ebe.h"

/* keys that say where an entry is */
#define WHERE(S)                                                                                   \
  IG_TEXT(S, set, NULL, "there: a set of the mesh, or one named in 'sets' of a grid"),             \
      IG_PLACE_KEYS(S, place, "there, or in the part of the set that is: everywhere if left out")

/* The body as a regular grid, or a part inside of one. */
static const ig_option grid_options[] = {
    IG_IVECTOR(ig_grid_case, elements, 3, IG_REQUIRED, 0, 1e5,
               "elements along x, y, z; 0 along z for a plane problem"),
    IG_VECTOR(ig_grid_case, size, 3, "m", NULL,
              "size of the whole grid; elements of 1 m if left out"),
    IG_REAL(ig_grid_case, thickness, "m", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "of a plane problem; left out: the third of 'size' if that is more than 0, else 1 m"),
    IG_FILE(
        ig_grid_case, stl, NULL,
        "a part's closed surface (.stl, .obj, .3mf, .ply, .off; of other files the outer surface): "
        "elements "
        "whose middle is outside stay void whatever else the case says, and entries with a place "
        "select nodes and elements of the part alone"),
    IG_REAL(ig_grid_case, unit, "m", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "stl: length of one unit of the file; 1 mm if neither this nor the file says"),
    IG_VECTOR(ig_grid_case, translate, 3, "m", "[0, 0, 0]", "stl: moved by this"),
    IG_END};

/* Prescribed displacements or temperatures; all load cases have the same. */
static const ig_option support_options[] = {
    WHERE(ig_hold_case), IG_TEXT(ig_hold_case, fix, "all", "held: 'all', or some of x y z"),
    IG_VECTOR(ig_hold_case, displacement, 3, "m", NULL,
              "where what is held is moved to, in every load case; left out: nowhere"),
    IG_REAL(ig_hold_case, temperature, "K", NULL, -IG_UNBOUNDED, IG_UNBOUNDED,
            "at which it is held (heat problems), in every load case; left out: 0"),
    IG_END};

/* Loads are constant; entries with the same `load_case` act together. */
static const ig_option load_options[] = {
    WHERE(ig_load_case),
    IG_VECTOR(ig_load_case, force, 3, "N", "[0, 0, 0]", "force"),
    IG_VECTOR(ig_load_case, moment, 3, "N m", "[0, 0, 0]",
              "moment about the middle of the nodes there, as forces that grow with the distance "
              "from its axis; in a plane about z alone"),
    IG_REAL(ig_load_case, pressure, "Pa", "0", -IG_UNBOUNDED, IG_UNBOUNDED,
            "on the boundary faces whose centre is there, against them; it does not follow the "
            "design"),
    IG_VECTOR(ig_load_case, gravity, 3, "m/s^2", "[0, 0, 0]",
              "acceleration: the weight of the design itself, everywhere; the material needs a "
              "density"),
    IG_REAL(ig_load_case, heat, "W", "0", -IG_UNBOUNDED, IG_UNBOUNDED,
            "heat put in (heat problems)"),
    IG_CHOICE(ig_load_case, spread, "each|nodes|faces", "nodes",
              "each node there gets all of it, the nodes share it, or it is a uniform traction on "
              "the boundary faces whose centre is there"),
    IG_INT(ig_load_case, load_case, "1", 1, IG_LOAD_CASES, "load case it belongs to"),
    IG_END};

static const ig_option spring_options[] = {
    WHERE(ig_spring_case),
    IG_VECTOR(ig_spring_case, stiffness, 3, "N/m", IG_REQUIRED,
              "to ground along x, y, z; shared by the nodes there"),
    IG_END};

/* What an objective looks at: displacements of mechanisms, temperatures. */
static const ig_option port_options[] = {
    WHERE(ig_port_case),
    IG_VECTOR(ig_port_case, direction, 3, "", NULL,
              "along which the mean displacement of the nodes there is made as large as possible "
              "(mechanisms), or small; not of temperatures"),
    IG_END};

static const ig_option passive_options[] = {
    WHERE(ig_passive_case),
    IG_CHOICE(ig_passive_case, as, "solid|void", "solid", "what the elements there are held at"),
    IG_END};

static const ig_option set_options[] = {
    IG_TEXT(ig_set_case, name, IG_REQUIRED, "what entries call it by 'set'"),
    IG_PLACE_KEYS(ig_set_case, place, "what is there"), IG_END};

/* One table for all kinds of bounds: exactly one of the quantities is given (design/limits.c). */
static const ig_option cycle_options[] = {
    IG_REAL(ig_cycle_case, ratio, "", "-1", -1, 0.99,
            "least over largest load of a cycle; -1: to and fro, 0: on and off"),
    IG_REAL(ig_cycle_case, mean_stress, "", NULL, 0, 10,
            "weight of the mean stress (sum of its normal components) beside the amplitude, after "
            "Sines"),
    IG_REAL(ig_cycle_case, ultimate, "Pa", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "tensile strength, instead of mean_stress: bound over strength, after Goodman"),
    IG_END};

static const ig_option limit_options[] = {
    WHERE(ig_limit_case),
    IG_REAL(ig_limit_case, volume, "", NULL, IG_POSITIVE, 1,
            "share of the elements there that may be solid"),
    IG_REAL(ig_limit_case, compliance, "J", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "most work the load case may do"),
    IG_REAL(ig_limit_case, displacement, "m", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "most the nodes there may move on average along 'direction'"),
    IG_REAL(ig_limit_case, stress, "Pa", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "most the von Mises stress may be in the elements there"),
    IG_MAP(ig_limit_case, cycle, ig_cycle_case, cycle_options, NULL,
           "the stress is that of a cycle, its bound the amplitude that is endured to and fro"),
    IG_REAL(ig_limit_case, frequency, "Hz", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "least the lowest natural frequency may be"),
    IG_REAL(ig_limit_case, buckling, "", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "least factor of the loads at which the body may buckle"),
    IG_REAL(ig_limit_case, temperature, "K", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "most the temperature may be at the nodes there (heat problems)"),
    IG_REAL(ig_limit_case, mass, "kg", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "most the material there may weigh, of all materials together; with `symmetry` in the "
            "model, not in the whole part"),
    IG_REAL(ig_limit_case, member, "m", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "largest member size: no ball of this diameter around an element there may be solid"),
    IG_REAL(ig_limit_case, distortion, "m", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "most the nodes there may be off their places after printing, root mean square"),
    IG_REAL(ig_limit_case, support_volume, "m^3", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "most the supports may fill that hold the elements there up while they are printed; "
            "with `symmetry` in the model, not in the whole part"),
    IG_REAL(ig_limit_case, removal_force, "N", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "most it may take to tear all supports off the elements there; with `symmetry` off the "
            "model"),
    IG_REAL(ig_limit_case, overheating, "", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "most a new layer there may heat up over what it would on a solid part"),
    IG_VECTOR(ig_limit_case, direction, 3, "", NULL, "of the displacement"),
    IG_INT(ig_limit_case, load_case, "0", 0, IG_LOAD_CASES,
           "under which load; 0: the first, of a stress or buckling the worst of all"),
    IG_END};

/* The p-norm of design/stress.c. A higher exponent is nearer to the maximum and less smooth. */
static const ig_option stress_options[] = {
    IG_REAL(ig_topopt_stress_case, exponent, "", "8", 2, 100,
            "of the norm that stands for the largest stress"),
    IG_REAL(ig_topopt_stress_case, relaxation, "", "0.5", 0.01, 3,
            "exponent of the density by which stresses of gray elements are reduced"),
    IG_INT(ig_topopt_stress_case, clusters, "1", 1, IG_LIMITS,
           "elements are divided by their stress into so many, each with a bound of its own"),
    IG_TEXTS(ig_topopt_stress_case, exclude, "[]",
             "sets of elements whose stresses do not count, at loads and supports for example"),
    IG_END};

/* 8 modes at most: IG_MODES in design/modes.h. */
static const ig_option frequency_options[] = {
    IG_INT(ig_frequency_case, modes, "3", 1, 8,
           "lowest modes that are looked at: as many as may come together, or more"),
    IG_REAL(ig_frequency_case, exponent, "", "20", 2, 200,
            "of the norm that stands for the lowest frequency"),
    IG_END};

/* 12 modes at most: IG_BUCKLINGS in design/buckling.h. */
static const ig_option buckling_options[] = {
    IG_INT(ig_buckling_case, modes, "6", 1, 12,
           "lowest load factors that are looked at: as many as may come together, or more"),
    IG_REAL(ig_buckling_case, exponent, "", "16", 2, 200,
            "of the norm that stands for the lowest load factor"),
    IG_END};

static const ig_option mass_options[] = {
    WHERE(ig_mass_case),
    IG_REAL(ig_mass_case, mass, "kg", IG_REQUIRED, 0, IG_UNBOUNDED, "shared by the nodes there"),
    IG_END};

/* Continuation: a value that grows during the run, for the penalty and the gray exponent. */
static const ig_option ramp_options[] = {
    IG_REAL(ig_ramp_case, initial_value, "", "1", 1, 100, "first value"),
    IG_REAL(ig_ramp_case, factor, "", "1.02", 1, 10, "growth per iteration afterwards"),
    IG_INT(ig_ramp_case, hold, "20", 0, 1e6, "iterations at the first value"), IG_END};

/* The length scale. The cone filter costs as the cube of the radius in elements, the Helmholtz
   filter the same for any radius. */
static const ig_option filter_options[] = {
    IG_CHOICE(ig_filter_case, kind, "none|sensitivity|density|helmholtz", "sensitivity",
              "cone filter of the sensitivities or of the densities, or the density filter as a "
              "differential equation, for large radii"),
    IG_REAL(ig_filter_case, radius, "m", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "filter radius; one and a half elements if left out"),
    IG_BOOL(ig_filter_case, padded, "false",
            "cone filters of grids: elements near any side see mirrored neighbours, as near planes "
            "of symmetry"),
    IG_END};

/* Sharpness doubles step by step: a sharp step from the start would keep densities where they
   are. */
static const ig_option projection_options[] = {
    IG_REAL(ig_projection_case, beta, "", "0", 0, 1e4, "first sharpness of the step; 0: no step"),
    IG_REAL(ig_projection_case, eta, "", "0.5", 0, 1, "density at which it steps"),
    IG_REAL(ig_projection_case, robust, "", "0", 0, 0.5,
            "spread of the threshold: the worst of an eroded, an intermediate and a dilated design "
            "is improved"),
    IG_REAL(ig_projection_case, beta_max, "", "64", 0, 1e4, "last sharpness"),
    IG_INT(ig_projection_case, every, "40", 1, 1e6, "iterations after which sharpness doubles"),
    IG_END};

/* Angles are measured from the build plate: 90 degrees is a vertical wall. */
static const ig_option overhang_options[] = {
    IG_TEXT(ig_overhang_case, direction, "z+",
            "in which the part is built: x- x+ y- y+ z- z+ (y+ in a plane problem)"),
    IG_REAL(
        ig_overhang_case, angle, "", NULL, 30, 60,
        "least angle of a face from the build plate, in degrees; on a grid elements must be that "
        "steep: their height over their width is its tangent; left out: 45, on a grid what its "
        "elements give"),
    IG_END};

static const ig_option draw_options[] = {
    IG_TEXT(ig_draw_case, direction, "z+",
            "in which the tool is drawn off the part: x- x+ y- y+ z- z+ (y+ in a plane problem)"),
    IG_REAL(ig_draw_case, parting, "m", NULL, -IG_UNBOUNDED, IG_UNBOUNDED,
            "where two tools meet, drawn both ways along the axis; left out: one tool"),
    IG_REAL(ig_draw_case, angle, "", "0", 0, 25,
            "draft: least angle between walls and the direction, in degrees (grids)"),
    IG_END};

static const ig_option pattern_options[] = {
    IG_TEXT(ig_pattern_case, extrude, NULL, "axis along which the part has one section: x, y or z"),
    IG_IVECTOR(ig_pattern_case, repeat, 3, "[1, 1, 1]", 1, 1e5,
               "equal parts the body is divided into along x, y, z"),
    IG_TEXTS(ig_pattern_case, mirror, "[]",
             "axes along which the part (each of them) is its own mirror image"),
    IG_END};

/* Most keys are for optimality criteria; moving asymptotes need the move limit alone. */
static const ig_option optimiser_options[] = {
    IG_CHOICE(ig_optimiser_case, method, "oc|mma|auto|gcmma", "auto",
              "optimality criteria, the method of moving asymptotes, or its globally convergent "
              "version, which tries designs until none of its approximations was too hopeful; "
              "auto: mma where there is a "
              "projection, an overhang or draw filter, weight, a frequency, a constraint or the "
              "worst of several load cases, oc elsewhere"),
    IG_REAL(ig_optimiser_case, move_limit, "", "0.2", IG_POSITIVE, 1,
            "largest change of a density at once; of a projected one twice as much"),
    IG_CHOICE(ig_optimiser_case, move_limit_kind, "absolute|relative", "absolute",
              "whether move_limit is a density, or a share of the density it limits (oc)"),
    IG_REAL(ig_optimiser_case, damping, "", "0.5", IG_POSITIVE, 1,
            "exponent of the optimality ratio"),
    IG_REAL(ig_optimiser_case, gray_exponent, "", "1", 1, 10,
            "exponent on the updated density that drives out intermediate ones"),
    IG_MAP(ig_optimiser_case, gray_ramp, ig_ramp_case, ramp_options, NULL,
           "how that exponent grows to its value"),
    IG_REAL(ig_optimiser_case, x_min, "", NULL, 0, 0.5,
            "lowest density (oc): 0.001 of mechanisms with absolute limits, 0 elsewhere, if left "
            "out"),
    IG_REAL(ig_optimiser_case, tolerance, "", "1e-9", 1e-15, 0.5,
            "of the multiplier of the volume constraint"),
    IG_CHOICE(ig_optimiser_case, tolerance_kind, "relative|absolute", "relative",
              "oc: whether the bisection ends at tolerance times the sum of its bounds, or at "
              "tolerance itself"),
    IG_REAL(ig_optimiser_case, multiplier_max, "", "1e9", IG_POSITIVE, IG_UNBOUNDED,
            "oc: upper bound with which that bisection begins; published codes have 1e5 or 1e9"),
    IG_END};

static const ig_option sequence_options[] = {
    IG_INT(ig_sequence_case, grids, "2", 0, 12,
           "coarser grids on which the design begins, each half as fine as the next"),
    IG_INT(ig_sequence_case, iterations, "40", 1, 1e6, "most design iterations on each of them"),
    IG_END};

static const ig_option start_options[] = {
    IG_FILE(ig_start_case, file, IG_REQUIRED, "VTKHDF file, a snapshot of any grid or mesh"),
    IG_TEXT(ig_start_case, field, "density", "its field, one number from 0 to 1 per cell"), IG_END};

/* How K u = f is solved. No result depends on these beyond the tolerance. */
static const ig_option solver_options[] = {
    IG_CHOICE(ig_solver_case, preconditioner, "jacobi|block_jacobi|multigrid|petsc", "multigrid",
              "of the conjugate gradients: by unknowns, by nodes (meshes), multigrid, geometric on "
              "grids and algebraic on meshes, or PETSc's (meshes, where compiled in)"),
    IG_CHOICE(ig_solver_case, operator, IG_EBE_CHOICES, "recompute",
              "how products are made on a mesh; see docs/explanation/topopt.md"),
    IG_CHOICE(ig_solver_case, smoother, "jacobi|block_jacobi|chebyshev", "chebyshev",
              "of multigrid: damped Jacobi by unknowns or by nodes, or Chebyshev's over Jacobi"),
    IG_INT(ig_solver_case, fine_smoothing_steps, "0", 0, 20,
           "grids: smoothing steps before and after each correction, on the grid itself; 0: three "
           "of mechanisms, else one"),
    IG_INT(ig_solver_case, smoothing_steps, "1", 1, 20,
           "the same on coarser levels, and on meshes"),
    IG_CHOICE(ig_solver_case, cycle, "v|w|k", "k",
              "multigrid cycle: one visit to each coarser level, two, or two joined by conjugate "
              "gradients where they cost little"),
    IG_INT(ig_solver_case, coarse_cycles, "0", 0, 4,
           "grids, cycle k: visits to the first coarse level; more take fewer iterations, each "
           "longer; "
           "0: three of bodies in space, else one"),
    IG_CHOICE(ig_solver_case, storage, "auto|single|half", "auto",
              "of multigrid's largest stored level, computed in single either way; auto: half on a "
              "GPU, where it saves time"),
    IG_REAL(ig_solver_case, damping, "", "0.8", IG_POSITIVE, 0.99,
            "of Jacobi smoothing, as a share of the largest stable one"),
    IG_REAL(ig_solver_case, tolerance, "", "0", 0, 0.1,
            "residual over load; 0: follows the change of the design"),
    IG_INT(ig_solver_case, limit, "20000", 1, 1e9, "iterations of one solve"),
    IG_END};

/* The part that is exported, and whether it is analysed. */
static const ig_option surface_options[] = {
    IG_REAL(ig_surface_case, level, "", NULL, 0.01, 0.99,
            "density at the surface; left out: what keeps the volume of the design"),
    IG_TEXTS(ig_surface_case, formats, NULL,
             "files written at the end: stl, 3mf, obj, ply, [stl] if left out; of plane problems "
             "their outline, svg or dxf in millimetres, none if left out"),
    IG_REAL(ig_surface_case, unit, "m", "1 mm", IG_POSITIVE, IG_UNBOUNDED,
            "length of one unit of part.stl, part.obj and part.ply, which do not name it; slicers "
            "and `mesh: {stl: …}` expect 1 mm"),
    IG_REAL(ig_surface_case, deviation, "m", NULL, 0, IG_UNBOUNDED,
            "how far the surface may move where slivers are collapsed, flipped and smoothed; 0: "
            "they stay; left out: a twentieth of an element"),
    IG_BOOL(ig_surface_case, mirror, "true", "through the planes of symmetry"),
    IG_BOOL(ig_surface_case, islands, "false",
            "keep pieces that touch no load, no support and are not the largest"),
    IG_CHOICE(
        ig_surface_case, analyse, "false|true", NULL,
        "solve once more for the part itself, on a grid twice as fine, too: its stiffness and "
        "stress with their errors, and how far they are from the design's; left out: where a "
        "stress, compliance or displacement is bounded, or a stress minimised"),
    IG_END};

static const ig_option mill_options[] = {
    IG_TEXTS(ig_mill_case, directions, IG_REQUIRED,
             "from which tools come: x- x+ y- y+ z- z+; z+: from above, downwards"),
    IG_END};

static const ig_option printing_options[] = {
    WHERE(ig_printing_case),
    IG_TEXT(ig_printing_case, direction, "z+",
            "x-, x+, y-, y+, z- or z+: in which layers are added, from the lowest plane on, which "
            "is the build plate"),
    IG_INT(ig_printing_case, layers, "0", 0, 250,
           "steps in which the part is made; 0: 10, or one for each layer of elements"),
    IG_VECTOR3(
        ig_printing_case, strain, "", NULL,
        "inherent strain of a new layer along x, y, z; shrinkage is negative; for distortion"),
    IG_REAL(ig_printing_case, angle, "", "45", 20, 70,
            "faces that are flatter need supports: least angle from the build plate, in degrees"),
    IG_REAL(ig_printing_case, support_strength, "Pa", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "of the contact between supports and part, over its whole area: what tears them off; "
            "for removal_force"),
    IG_REAL(ig_printing_case, slab, "m", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "depth below a new layer in which heat is conducted while the layer is made; left out: "
            "ten layers of elements; for overheating"),
    IG_END};

static const ig_option spectrum_options[] = {
    IG_INT(ig_spectrum_case, load_case, "1", 1, IG_LOAD_CASES, "load case that comes and goes"),
    IG_REAL(ig_spectrum_case, factor, "", "1", -1e6, 1e6, "of its loads, at their largest"),
    IG_REAL(ig_spectrum_case, ratio, "", "-1", -1, 0.99,
            "least over largest load of a cycle; -1: to and fro, 0: on and off"),
    IG_REAL(ig_spectrum_case, cycles, "", IG_REQUIRED, IG_POSITIVE, IG_UNBOUNDED,
            "how often, in one pass of the spectrum"),
    IG_END};

static const ig_option finish_options[] = {
    IG_REAL(ig_finish_case, size, "m", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "edge of the finest mesh's elements; left out: 0.7 of the design's"),
    IG_INT(ig_finish_case, meshes, "3", 1, 3, "each is coarser by a factor of 1.4; errors need 3"),
    IG_INT(ig_finish_case, frequencies, "0", 0, 50, "lowest natural frequencies of the part"),
    IG_INT(ig_finish_case, buckling, "0", 0, 20,
           "lowest factors of the loads, of each load case, at which the part buckles"),
    IG_BOOL(ig_finish_case, step, "false",
            "write part.step, too: planes, cylinders and facets, at most 20,000"),
    IG_BOOL(ig_finish_case, large_deflections, "false",
            "analyse the finest mesh with large displacements and rotations, too"),
    IG_LIST(ig_finish_case, spectrum, ig_spectrum_case, spectrum_options, NULL,
            "cycles whose damage is added up (Miner), by the `fatigue` of the material"),
    IG_END};

static const ig_option analysis_options[] = {
    IG_BOOL(ig_analysis_case, large_deflections, "false",
            "large displacements and rotations: equilibrium of the deformed body by Newton's "
            "method"),
    IG_CHOICE(ig_analysis_case, law, "elastic|neo_hookean", "elastic",
              "of large deflections: St. Venant and Kirchhoff's (Hooke's law with Green's "
              "strain), or the compressible neo-Hookean law, for strains that are large, too"),
    IG_CHOICE(
        ig_analysis_case, linear_solver, "auto|direct|iterative|matrix_free", "auto",
        "of large deflections: how Newton's method solves for its corrections; iterative: "
        "conjugate gradients with the preconditioner of `solver`; matrix_free: the same "
        "without a stored matrix; auto: direct (on the host) up to 200,000 unknowns in a plane "
        "and 10,000 in space, above iterative, or matrix_free on cuda"),
    IG_INT(ig_analysis_case, load_steps, "1", 1, 1000,
           "of large deflections: equal steps in which the loads are applied; shorter where "
           "Newton's method does not converge"),
    IG_END};

/* The top level of a case with `physics: topopt`. */
const ig_option ig_topopt_options[] = {
    IG_CHOICE(ig_topopt_case, problem, "stiffness|heat|mechanism|frequency", "stiffness",
              "what is wanted; frequency: the lowest natural frequency as high as possible"),
    IG_CHOICE(ig_topopt_case, minimise,
              "response|volume|stress|displacement|temperature|buckling|distortion|"
              "support_volume|overheating",
              "response",
              "what is made small: what 'problem' says, within the volume; the volume, within the "
              "constraints ('volume' is the density of the start then); within the volume the "
              "largest stress, the mean displacement of the ports, the highest temperature (of "
              "the ports, where there are any), one over the least factor of the loads at which "
              "the body buckles, the distortion by printing, the volume of supports, or the "
              "overheating while it is printed"),
    IG_CHOICE(ig_topopt_case, combine, "sum|worst", "sum",
              "load cases: their weighted sum, or a smooth maximum of the weighted ones"),
    IG_CHOICE(ig_topopt_case, plane, "stress|strain", "stress",
              "plane problems: free across the plane, or held there"),
    IG_MAP(ig_topopt_case, grid, ig_grid_case, grid_options, NULL,
           "a regular grid; left out where there is a mesh"),
    IG_LIST(ig_topopt_case, supports, ig_hold_case, support_options, NULL,
            "held nodes (zero displacement or temperature)"),
    IG_LIST(ig_topopt_case, loads, ig_load_case, load_options, NULL, "forces, or heat"),
    IG_LIST(ig_topopt_case, springs, ig_spring_case, spring_options, NULL, "springs to ground"),
    IG_LIST(ig_topopt_case, masses, ig_mass_case, mass_options, NULL,
            "masses beside the design's (frequencies, gravity)"),
    IG_LIST(ig_topopt_case, ports, ig_port_case, port_options, NULL,
            "outputs of a mechanism; where a displacement or a temperature is made small"),
    IG_LIST(ig_topopt_case, passive, ig_passive_case, passive_options, NULL,
            "elements that are not designed; later entries win"),
    IG_LIST(ig_topopt_case, constraints, ig_limit_case, limit_options, NULL,
            "bounds beside the volume, each with one of volume, mass, compliance, displacement, "
            "stress, temperature, frequency, buckling, distortion, support_volume, removal_force, "
            "overheating, member (by mma)"),
    IG_LIST(ig_topopt_case, sets, ig_set_case, set_options, NULL,
            "places of a grid by name; a mesh has mesh.sets"),
    IG_TEXTS(ig_topopt_case, symmetry, "[]",
             "planes of symmetry: x- (lowest x), x+ (highest), y-, y+, z-, z+"),
    IG_REAL(ig_topopt_case, source, "W/m^3", "0", -IG_UNBOUNDED, IG_UNBOUNDED,
            "heat generated everywhere"),
    IG_REAL(ig_topopt_case, temperature_change, "K", "0", -IG_UNBOUNDED, IG_UNBOUNDED,
            "of the whole body since it was put on its supports, in all load cases; the material "
            "has mechanical.expansion"),
    IG_REALS(ig_topopt_case, weights, "", "[]", 0, IG_UNBOUNDED,
             "of the load cases; 1 each if left out"),
    IG_REAL(ig_topopt_case, volume, "", "0.5", IG_POSITIVE, 1,
            "share of the grid that may be solid"),
    IG_REAL(ig_topopt_case, penalty, "", "3", 1, 100, "exponent of the density in the modulus"),
    IG_MAP(ig_topopt_case, penalty_ramp, ig_ramp_case, ramp_options, NULL,
           "how the exponent grows to its value"),
    IG_REAL(
        ig_topopt_case, void_ratio, "", NULL, IG_POSITIVE, 1,
        "modulus of void over that of solid, 1e-9 if left out; of conductivities 1e-3: a source "
        "heats void, too"),
    IG_BOOL(ig_topopt_case, choose_material, "false",
            "each element takes one of the materials, or none; 'volume' is then the mass over that "
            "of a body of the heaviest"),
    IG_REAL(ig_topopt_case, mass_threshold, "", "0.1", IG_POSITIVE, 1,
            "elements of lower density weigh far less than their density says, as their stiffness "
            "does (gravity, frequencies); so do stresses that make the body buckle"),
    IG_MAP(ig_topopt_case, stress, ig_topopt_stress_case, stress_options, NULL,
           "how stresses are bounded or made small"),
    IG_MAP(ig_topopt_case, frequency, ig_frequency_case, frequency_options, NULL,
           "how natural frequencies are bounded or made large"),
    IG_MAP(ig_topopt_case, buckling, ig_buckling_case, buckling_options, NULL,
           "how factors of linear buckling are bounded or made large"),
    IG_MAP(ig_topopt_case, filter, ig_filter_case, filter_options, NULL, "length scale"),
    IG_MAP(ig_topopt_case, projection, ig_projection_case, projection_options, NULL,
           "smoothed step on the filtered density"),
    IG_MAP(ig_topopt_case, overhang, ig_overhang_case, overhang_options, NULL,
           "density only where what lies below supports it, within 45 degrees or another angle"),
    IG_MAP(ig_topopt_case, draw_direction, ig_draw_case, draw_options, NULL,
           "no density behind which a tool could not be drawn: casting, milling"),
    IG_MAP(ig_topopt_case, milling, ig_mill_case, mill_options, NULL,
           "no void that a tool could not reach along a straight line from one of some directions "
           "(grids)"),
    IG_MAP(ig_topopt_case, printing, ig_printing_case, printing_options, NULL,
           "how the part is printed, for its distortion, supports and overheating; "
           "set or place: where one of them is made small by minimise"),
    IG_MAP(ig_topopt_case, pattern, ig_pattern_case, pattern_options, NULL,
           "elements that share one density: extrusion, repetition, symmetry of the design"),
    IG_MAP(ig_topopt_case, optimiser, ig_optimiser_case, optimiser_options, NULL, "update"),
    IG_MAP(ig_topopt_case, analysis, ig_analysis_case, analysis_options, NULL,
           "how the body deforms under its loads"),
    IG_MAP(ig_topopt_case, solver, ig_solver_case, solver_options, NULL, "linear solver"),
    IG_MAP(ig_topopt_case, surface, ig_surface_case, surface_options, NULL, "the finished part"),
    IG_MAP(ig_topopt_case, finish, ig_finish_case, finish_options, NULL,
           "after the run the part is meshed along its surface and analysed; its figures decide "
           "whether it is feasible"),
    IG_MAP(ig_topopt_case, sequence, ig_sequence_case, sequence_options, NULL,
           "begin on coarser grids: most iterations there, few on the grid itself"),
    IG_MAP(ig_topopt_case, initial_design, ig_start_case, start_options, NULL,
           "densities to begin with: each element takes those of the nearest cell of a file"),
    IG_INT(ig_topopt_case, iterations, "100", 0, 1e6, "most design iterations"),
    IG_REAL(ig_topopt_case, change, "", "0.01", 0, 1, "stop when no density changes by more"),
    IG_REAL(ig_topopt_case, objective_change, "", "0", 0, 1,
            "and the objective by no more than this share; 0: not asked"),
    IG_CHOICE(ig_topopt_case, ranks, "auto|share|divide", "auto",
              "what several ranks do: each solves its share of the linear systems of a design, or "
              "they divide the grid or the nodes of a mesh; auto: share where there are as many "
              "systems as ranks and the "
              "grid is not too large for each, see docs/how-to/ranks.md"),
    IG_END};
