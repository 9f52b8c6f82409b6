/* The verification problems of the structure room. */
#include "verify/structure/verify.h"

const ig_verify_entry ig_structure_verify[] = {
    {"tangents", "tangents of every element against differences of its forces", true,
     ig_structure_verify_tangents},
    {"newton", "how fast residuals of every element fall", true, ig_structure_verify_newton},
    {"straight-beam", "slender beam of six regular or leaning elements", true,
     ig_structure_verify_beams},
    {"twisted-beam", "beam twisted by a right angle", true, ig_structure_verify_twisted},
    {"cook", "tapered panel under shear", true, ig_structure_verify_cook},
    {"thick-cylinder", "nearly incompressible cylinder under pressure", true,
     ig_structure_verify_cylinder},
    {"plastic-cylinder", "cylinder that yields from the inside", true, ig_structure_verify_plastic},
    {"creep", "bars and a tube that creep", true, ig_structure_verify_creep},
    {"modes", "cantilever, and a tapered membrane", true, ig_structure_verify_modes},
    {"column", "Euler's loads of a clamped column", true, ig_structure_verify_column},
    {"scordelis-lo", "cylindrical roof under its weight", true, ig_structure_verify_roof},
    {"hemisphere", "hemisphere with a hole under point loads", true,
     ig_structure_verify_hemisphere},
    {"snap-through", "hinged roof pushed through", false, ig_structure_verify_snap},
    {"snap-back", "thin hinged roof by arc length", false, ig_structure_verify_snap_back},
    {"contact-patch", "uniform pressure through two blocks", true, ig_structure_verify_patch},
    {"hertz", "cylinder on a plane", false, ig_structure_verify_hertz},
    {"punch", "flat punch on a half plane", true, ig_structure_verify_punch},
    {"ironing", "round die drawn along a slab", false, ig_structure_verify_ironing},
    {"gradient", "derivatives against differences, dot product, Taylor", true,
     ig_structure_verify_gradient},
    {.name = NULL}};
