/* ingot mesh new|convert|info: meshes without an analysis. A mesh comes from a mesh file, or from
   the `mesh` section of a case. */
#include "cli.h"

#include <string.h>
#include <strings.h>

/* By the ending: everything else is taken for a mesh file. */
static bool is_case(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* What one unit of a file's coordinates was taken as, and why. Nothing is shown for a case, whose
   numbers carry units. */
static int unit_show(ig_ctx *cx, const cli_args *args) {
  double named = 0;
  char text[96];
  if (is_case(args->words.item[0]))
    return CLI_GOOD;
  static const char *const endings[] = {".stl", ".obj", ".ply", ".off"};
  const char *dot = strrchr(args->words.item[0], '.');
  bool surface = false;
  for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
    surface = surface || strcasecmp(dot, endings[i]) == 0;
  const int code = cli_result(cx, ig_mesh_file_unit(cx, args->words.item[0], &named));
  /* The option comes before the file's own word, and metres before none. */
  snprintf(text, sizeof text, "%g m, %s",
           args->unit > 0 ? args->unit
           : named > 0    ? named
                          : 1,
           args->unit > 0 ? "as asked"
           : surface      ? "usual for surfaces: --unit m, if it is in metres"
           : named > 0    ? "as the file says"
                          : "the file names none: --unit mm, if it is in millimetres");
  if (code == CLI_GOOD)
    cli_line(NULL, "length unit", text);
  return code;
}

/* The mesh of a case file, or of a mesh file. The mesh is the caller's. Quadratic elements stay as
   they are: no room is there to refuse them. --set is for cases, --unit and --edge are for files:
   those that do not fit have no effect. */
static int open_mesh(ig_ctx *cx, const cli_args *args, ig_mesh **mesh) {
  const char *path = args->words.item[0];
  *mesh = NULL;
  if (!is_case(path)) {
    const ig_mesh_read_options options = {.unit = args->unit,
                                          .edge = args->edge,
                                          .split = args->split,
                                          .quadratic = true,
                                          .time_limit = args->meshing_time,
                                          .memory_limit = args->meshing_memory};
    return cli_result(cx, ig_mesh_read(cx, path, &options, mesh));
  }
  ig_case *c;
  int code = cli_open_case(cx, args, &c);
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_case_mesh(c, mesh));
  ig_case_close(c);
  return code;
}

/* Two words: read and write; one: read and describe. Meshes are made and read on the CPU whatever
   the case says of the backend. */
static int mesh_run(const cli_args *args) {
  ig_ctx *cx;
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  ig_mesh *mesh;
  /* On failure mesh is NULL, which ig_mesh_free allows. */
  code = open_mesh(cx, args, &mesh);
  if (code == CLI_GOOD && args->words.count > 1) {
    code = cli_result(cx, ig_mesh_write(cx, mesh, args->words.item[1]));
    if (code == CLI_GOOD && !args->quiet)
      printf("%s: %s elements, %s nodes\n", args->words.item[1],
             cli_count((double)ig_mesh_elements(mesh)), cli_count((double)mesh->nodes));
  } else if (code == CLI_GOOD) {
    code = unit_show(cx, args);
    if (code == CLI_GOOD)
      code = cli_result(cx, ig_mesh_describe(cx, mesh, cli_line, NULL));
  }
  ig_mesh_free(mesh);
  cli_close(cx);
  return code;
}

/* The same with a check, so that a mesh file given by mistake is not read as a case. */
static int new_run(const cli_args *args) {
  if (!is_case(args->words.item[0])) {
    cli_error("%s: expected a case file, .yaml; 'ingot mesh convert' reads mesh files",
              args->words.item[0]);
    return CLI_BAD_INPUT;
  }
  return mesh_run(args);
}

/* Options of several of the commands below. */
#define UNIT                                                                                       \
  {                                                                                                \
    "unit", 'u', CLI_REAL, CLI_AT(unit), 0, "LENGTH", NULL,                                        \
        "length unit of the file's coordinates, mm for millimetres; m if not given"                \
  }
#define EDGE                                                                                       \
  {                                                                                                \
    "edge", 'e', CLI_REAL, CLI_AT(edge), 0, "LENGTH", NULL,                                        \
        "element size where geometry (.geo, .step) is meshed by Gmsh"                              \
  }

#define SPLIT                                                                                      \
  {                                                                                                \
    "split", 0, CLI_FLAG, CLI_AT(split), 0, NULL, NULL,                                            \
        "cut hexahedra, wedges and pyramids into tetrahedra"                                       \
  }

/* A case has its own unit, edge and limits, so only --set is offered. */
static const cli_option new_options[] = {CLI_SET, CLI_QUIET, {0}};
const cli_command cli_mesh_new = {
    .name = "mesh new",
    .words = "CASE.yaml MESH",
    .least = 2,
    .most = 2,
    .about = "make the mesh a case describes and write it to a file (.vtkhdf, .vtu, .vtk, .inp, "
             ".msh, .stl)",
    .options = new_options,
    .run = new_run,
};

static const cli_option convert_options[] = {UNIT, EDGE, SPLIT, CLI_MESHING, CLI_QUIET, {0}};
const cli_command cli_mesh_convert = {
    .name = "mesh convert",
    .words = "FROM TO",
    .least = 2,
    .most = 2,
    .about = "read a mesh (.vtkhdf, .vtu, .vtk, .inp, .k, .cdb, .msh, .mesh, .unv, .bdf, .step, "
             ".stl …) and "
             "write it as "
             ".vtkhdf, .vtu, .vtk, .inp, .msh or .stl",
    .options = convert_options,
    .run = mesh_run,
};

static const cli_option info_options[] = {UNIT, EDGE, SPLIT, CLI_MESHING, CLI_SET, {0}};
const cli_command cli_mesh_info = {
    .name = "mesh info",
    .words = "MESH|CASE.yaml",
    .least = 1,
    .most = 1,
    .about = "count a mesh's elements, nodes and sets, and measure it",
    .options = info_options,
    .run = mesh_run,
};
