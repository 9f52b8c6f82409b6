/* ingot finish: the part of a topology optimisation, analysed on meshes that fit its surface. */
#include "cli.h"

static void line_show(void *user, const char *label, const char *value) {
  (void)user;
  printf("%-24s %s\n", label, value);
}

static int finish_run(const cli_args *args) {
  const ig_finish_options options = {.size = args->edge,
                                     .meshes = args->meshes,
                                     .frequencies = args->frequencies,
                                     .buckling = args->buckling,
                                     .step = args->step,
                                     .large_deflections = args->large_deflections,
                                     .spectrum = args->spectrum,
                                     .time_limit = args->meshing_time,
                                     .memory_limit = args->meshing_memory,
                                     .line = line_show};
  ig_ctx *cx;
  if (args->meshes < 0 || args->meshes > 3) {
    cli_error("--meshes: expected 1 to 3");
    return CLI_BAD_INPUT;
  }
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  cli_catch_signals("ending: what is begun is not kept");
  const ig_status status = ig_finish(cx, args->words.item[0], &options);
  code = cli_result(cx, status);
  if (status == IG_INTERRUPTED)
    fprintf(stderr, "ingot: the same command begins anew\n");
  cli_close(cx);
  return code;
}

static const cli_option options[] = {
    {"edge", 'e', CLI_REAL, CLI_AT(edge), 0, "LENGTH", NULL,
     "element size of the finest mesh; 0.7 of the design's if not given"},
    {"meshes", 0, CLI_INT, CLI_AT(meshes), 0, "N", NULL,
     "1 to 3: each coarser by a factor of 1.4; errors need 3, which is the default"},
    {"step", 0, CLI_FLAG, CLI_AT(step), 0, NULL, NULL,
     "write part.step, too: planes, cylinders and facets, at most 20,000"},
    {"frequencies", 0, CLI_INT, CLI_AT(frequencies), 0, "N", NULL,
     "lowest natural frequencies of the part"},
    {"buckling", 0, CLI_INT, CLI_AT(buckling), 0, "N", NULL,
     "lowest factors of the loads, of each load case, at which the part buckles"},
    {"large-deflections", 0, CLI_FLAG, CLI_AT(large_deflections), 0, NULL, NULL,
     "analyse the finest mesh with large displacements and rotations, too"},
    {"spectrum", 0, CLI_TEXT, CLI_AT(spectrum), 0, "BLOCKS", NULL,
     "cycles whose damage is added up, as finish.spectrum of a case: '[{cycles: 1e5, ratio: 0}]'"},
    CLI_MESHING,
    CLI_THREADS,
    CLI_QUIET,
    {0}};
const cli_command cli_finish = {
    .name = "finish",
    .words = "FOLDER",
    .least = 1,
    .most = 1,
    .about = "analyse the part of a topology optimisation on meshes that fit its surface",
    .detail = "Meshes the surface of the result by Gmsh (quadratic tetrahedra, three sizes), puts "
              "the supports and loads of the case on it, and analyses it. FOLDER/finished has the "
              "figures (summary.json), the mesh (part.msh) and a deck that CalculiX runs as it is "
              "(part.inp). For example:\n"
              "  ingot run bracket.yaml\n"
              "  ingot finish bracket-out\n"
              "What is not given follows from the section `finish` of the case.",
    .options = options,
    .run = finish_run,
};
