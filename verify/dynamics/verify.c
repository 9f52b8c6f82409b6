/* Verification problems of the dynamics room: exact solutions and published benchmarks. */
#include "verify/dynamics/verify.h"

/* Opens a problem, runs `body`, closes all. */
static ig_status with_problem(ig_ctx *cx, const ig_verify_sink *sink, ig_dyn_verify_fn *body) {
  ig_dyn_problem q;
  ig_dyn_model *m = NULL;
  IG_TRY(ig_dyn_problem_new(cx, &q));
  const ig_status status = body(&q, &m, sink);
  ig_dyn_model_free(m);
  ig_dyn_problem_free(&q);
  return status;
}
#define PROBLEM(name, ...)                                                                         \
  static ig_status verify_##name(ig_ctx *cx, const ig_verify_sink *sink) {                         \
    ig_dyn_verify_fn *const body[] = {__VA_ARGS__};                                                \
    for (size_t i = 0; i < sizeof body / sizeof *body; i++)                                        \
      IG_TRY(with_problem(cx, sink, body[i]));                                                     \
    return IG_OK;                                                                                  \
  }
PROBLEM(slit_plate, ig_dyn_verify_slit_plate)
PROBLEM(hemisphere, ig_dyn_verify_hemisphere)
PROBLEM(pinched, ig_dyn_verify_pinched)
PROBLEM(toggle, ig_dyn_verify_toggle)
PROBLEM(dome, ig_dyn_verify_dome)
PROBLEM(taylor, ig_dyn_verify_taylor_bar, ig_dyn_verify_taylor_single)
PROBLEM(wave, ig_dyn_verify_wave)
PROBLEM(frequency, ig_dyn_verify_frequency_beam, ig_dyn_verify_frequency_shell,
        ig_dyn_verify_frequency_plate, ig_dyn_verify_frequency_block)
PROBLEM(frequency_hex, ig_dyn_verify_frequency_hex, ig_dyn_verify_frequency_single)
PROBLEM(ringing, ig_dyn_verify_ringing)
PROBLEM(collision, ig_dyn_verify_collision)
PROBLEM(friction, ig_dyn_verify_friction)
PROBLEM(strip_shear, ig_dyn_verify_strip_shear)
PROBLEM(elastica, ig_dyn_verify_elastica_1, ig_dyn_verify_elastica_4, ig_dyn_verify_elastica_10)
PROBLEM(roll_up, ig_dyn_verify_roll_up)
PROBLEM(bend, ig_dyn_verify_bend)
PROBLEM(column, ig_dyn_verify_column)
PROBLEM(roof, ig_dyn_verify_roof, ig_dyn_verify_roof_thin)
PROBLEM(rigid, ig_dyn_verify_rigid_top, ig_dyn_verify_rigid_joint)
PROBLEM(tie, ig_dyn_verify_tied_bar, ig_dyn_verify_tied_flight)
PROBLEM(pull, ig_dyn_verify_pull_bar, ig_dyn_verify_pull_hex, ig_dyn_verify_pull_single,
        ig_dyn_verify_pull_tet, ig_dyn_verify_pull_shell, ig_dyn_verify_pull_table,
        ig_dyn_verify_pull_rubber, ig_dyn_verify_pull_rubber_tet, ig_dyn_verify_pull_apart)
PROBLEM(lines, ig_dyn_verify_cable, ig_dyn_verify_i_beam, ig_dyn_verify_collapse)

const ig_verify_entry ig_dyn_verify[] = {
    {"wave", "a step of velocity running down a bar", true, verify_wave},
    {"frequency", "frequencies of beam, strip, plate and block", true, verify_frequency},
    {"frequency-hex", "bending frequency of a cantilever of hexahedra", false,
     verify_frequency_hex},
    {"ringing", "energy of a free elastic block over 1e5 steps", false, verify_ringing},
    {"collision", "two blocks in contact: momentum and energy", true, verify_collision},
    {"bars", "a bar that strikes an equal one, by contact", true, ig_dyn_verify_bars},
    {"contact", "pressed blocks, a block on a slope, a shot at a plate", false,
     ig_dyn_verify_contact},
    {"slow-contact", "ironing and a punch, slowly, beside equilibrium", false, ig_dyn_verify_slow},
    {"friction", "a block that slides to rest on a rigid plane", true, verify_friction},
    {"rigid-body", "a free top, and a rigid bar on a joint of two beams", true, verify_rigid},
    {"tie", "unlike meshes tied: waves and free flight", true, verify_tie},
    {"pull", "laws in uniaxial tension and back, for every element", true, verify_pull},
    {"lines", "cable, I section, plastic collapse of a cantilever", true, verify_lines},
    {"dome", "spherical dome under a step of pressure, elastoplastic", true, verify_dome},
    {"taylor-bar", "copper bar against a rigid wall", false, verify_taylor},
    {"williams-toggle", "shallow toggle pushed through", true, verify_toggle},
    {"slit-plate", "slit annular plate lifted at one lip", false, verify_slit_plate},
    {"hemisphere", "hemisphere under alternating forces", false, verify_hemisphere},
    {"pinched-cylinder", "clamped cylinder pinched at its free end", false, verify_pinched},
    {"strip-shear", "shell cantilever under an end shear force", true, verify_strip_shear},
    {"elastica", "cantilever beam under a dead tip load", true, verify_elastica},
    {"roll-up", "cantilever beam rolled into a circle by an end moment", true, verify_roll_up},
    {"bend-45", "45 degree bend loaded out of its plane", true, verify_bend},
    {"column", "clamped column beyond its buckling load", true, verify_column},
    {"hinged-roof", "cylindrical roof that snaps through", true, verify_roof},
    {"gradient", "derivatives against differences, dot product, Taylor", true,
     ig_dyn_verify_gradient},
    {.name = NULL}};
