/* Mesh files: selects reader or writer by the ending of the name; unit, orientation and checks that
   all formats have in common. */
#include "io/mesh/mesh_io.h"
#include "core/require.h"
#include "io/mesh/cell_types.h"
#include "io/format/atomic_file.h"
#include <ingot/run.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static ig_mesh_reader read_dat, read_mesh;

/* Formats by ending. NULL: cannot be read, or written. */
static const struct {
  const char *ending;
  ig_mesh_reader *read;
  ig_mesh_writer *write;
} formats[] = {
    /* Endings, readers and writers; NULL: that direction is not supported. */
    {".vtkhdf", ig_mesh_read_vtkhdf, ig_mesh_write_vtkhdf},
    {".vtu", ig_mesh_read_vtu, ig_mesh_write_vtu},
    {".pvtu", ig_mesh_read_vtu, NULL},
    {".msh", ig_mesh_read_gmsh, ig_mesh_write_msh},
    {".inp", ig_mesh_read_inp, ig_mesh_write_inp},
    {".k", ig_mesh_read_dyna, NULL},
    {".key", ig_mesh_read_dyna, NULL},
    {".cdb", ig_mesh_read_cdb, NULL},
    {".vtk", ig_mesh_read_vtk, ig_mesh_write_vtk},
    {".hdf", ig_mesh_read_vtkhdf, NULL},
    {".stl", ig_mesh_read_surface, ig_mesh_write_stl},
    {".obj", ig_mesh_read_surface, NULL},
    {".ply", ig_mesh_read_surface, NULL},
    {".off", ig_mesh_read_surface, NULL},
    {".geo", ig_mesh_read_gmsh, NULL},
    {".step", ig_mesh_read_gmsh, NULL},
    {".stp", ig_mesh_read_gmsh, NULL},
    {".brep", ig_mesh_read_gmsh, NULL},
    {".iges", ig_mesh_read_gmsh, NULL},
    {".igs", ig_mesh_read_gmsh, NULL},
    {".unv", ig_mesh_read_gmsh, NULL},
    {".med", ig_mesh_read_med, NULL},
    {".cgns", ig_mesh_read_gmsh, NULL},
    {".xdmf", ig_mesh_read_xdmf, NULL},
    {".xmf", ig_mesh_read_xdmf, NULL},
    {".e", ig_mesh_read_exodus, NULL},
    {".exo", ig_mesh_read_exodus, NULL},
    {".ex2", ig_mesh_read_exodus, NULL},
    {".g", ig_mesh_read_exodus, NULL},
    {".bdf", ig_mesh_read_nastran, NULL},
    {".nas", ig_mesh_read_nastran, NULL},
    {".mesh", read_mesh, NULL},
    {".dat", read_dat, NULL},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Bytes: less is a missing unit. LARGE is the length above which a file without unit is suspected
   to be in millimetres. */
#define LEAST_MEMORY 64e6
#define LARGE 20. /* m: a longer part is more likely one in millimetres */

static const char *ending_of(const char *path) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  return dot ? dot : "";
}

/* Adds the file name to a message of the common checks, unless it is there. */
static ig_status in_file(ig_ctx *cx, const char *path, ig_status status) {
  if (status != IG_INPUT || strncmp(cx->message, path, strlen(path)) == 0)
    return status;
  char message[sizeof cx->message];
  memcpy(message, cx->message, sizeof message);
  return IG_FAIL(cx, IG_INPUT, "%s: %.1800s", path, message);
}

/* Removes nodes that no element uses, such as mid-side nodes of reduced elements: they would have
   no mass and no stiffness. Nodes that no element uses would be degrees of freedom without
   stiffness. *dropped says how many there were. */
static ig_status nodes_drop(ig_ctx *cx, ig_mesh *mesh, ig_lid *dropped) {
  uint8_t *used = NULL, *keep = NULL;
  ig_lid idle = mesh->nodes;
  *dropped = 0;
  const ig_lid elements = ig_mesh_elements(mesh);
  ig_status status = IG_NEW(cx, &used, mesh->nodes, "nodes");
  for (int b = 0; status == IG_OK && b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const size_t corners = (size_t)block->count * (size_t)ig_elem_info_get(block->type)->nodes;
    for (size_t i = 0; i < corners; i++) {
      idle -= !used[block->conn[i]];
      used[block->conn[i]] = 1;
    }
  }
  if (status == IG_OK && idle > 0 && idle < mesh->nodes) {
    status = IG_NEW(cx, &keep, elements, "elements");
    if (status == IG_OK) {
      memset(keep, 1, (size_t)elements);
      status = ig_mesh_keep(cx, mesh, keep, NULL);
      *dropped = idle;
    }
  }
  free(used);
  free(keep);
  return status;
}

/* Whether the first word of a file begins with `word`. */
static ig_status begins_with(ig_ctx *cx, const char *path, const char *word, bool *is) {
  char head[64] = "";
  FILE *f;
  IG_TRY(ig_file_open(cx, path, &f));
  const size_t length = fread(head, 1, sizeof head - 1, f);
  fclose(f);
  size_t i = 0;
  while (i < length && strchr(" \t\r\n", head[i]))
    i++;
  *is = strncmp(head + i, word, strlen(word)) == 0;
  return IG_OK;
}

/* .mesh is used by MFEM and by Medit, whose files Gmsh reads. */
static ig_status read_mesh(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                           ig_mesh **mesh) {
  bool is;
  *mesh = NULL;
  IG_TRY(begins_with(cx, path, "MFEM", &is));
  return (is ? ig_mesh_read_mfem : ig_mesh_read_gmsh)(cx, path, options, mesh);
}

/* .dat is used by Nastran, Ansys and Abaqus: the first typical line decides. .dat is used by
   several programs: the first line that begins with one of these words decides. */
static ig_status read_dat(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                          ig_mesh **mesh) {
  static const struct {
    const char *word;
    ig_mesh_reader *read;
  } signs[] = {
      {"BEGIN BULK", ig_mesh_read_nastran}, {"GRID", ig_mesh_read_nastran},
      {"NBLOCK", ig_mesh_read_cdb},         {"*KEYWORD", ig_mesh_read_dyna},
      {"*NODE", ig_mesh_read_inp},          {"*INCLUDE", ig_mesh_read_inp},
      {"*HEADING", ig_mesh_read_inp},       {"*PART", ig_mesh_read_inp},
  };
  enum { SIGNS = sizeof signs / sizeof *signs };
  ig_mesh_text t;
  ig_mesh_reader *read = NULL;
  *mesh = NULL;
  IG_TRY(ig_text_open(cx, path, &t));
  /* Only words at the beginning of a line count, in any case. */
  while (!read && ig_text_line(&t))
    for (int i = 0; i < SIGNS && !read; i++)
      if (strncasecmp(t.line, signs[i].word, strlen(signs[i].word)) == 0)
        read = signs[i].read;
  ig_text_close(&t);
  if (!read)
    return IG_FAIL(cx, IG_INPUT,
                   "%s: no mesh is seen in it: expected Nastran's GRID, Ansys's NBLOCK or Abaqus's "
                   "*NODE at the beginning of a line",
                   path);
  return read(cx, path, options, mesh);
}

/* Order: reader, unit, unused nodes, checks, then messages about a valid mesh. The reader is chosen
   by the ending; then units, orientation, unused nodes and checks are the same for all. options may
   be NULL. *out is the caller's, NULL after a failure. */
ig_status ig_mesh_read(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                       ig_mesh **out) {
  static const ig_mesh_read_options defaults;
  IG_REQUIRE_ARGS(cx, cx && path && out);
  *out = NULL;
  options = options ? options : &defaults;
  if (!(options->unit >= 0 && isfinite(options->unit)) ||
      !(options->edge >= 0 && isfinite(options->edge)))
    return IG_FAIL(cx, IG_INPUT, "%s: unit %g m and edge %g m: expected positive lengths", path,
                   options->unit, options->edge);
  /* Limits are for readers that run in a process of their own. */
  if (!(options->time_limit >= 0) || !(options->memory_limit >= 0))
    return IG_FAIL(cx, IG_INPUT, "%s: limits of %g s and %g bytes: expected positive numbers", path,
                   options->time_limit, options->memory_limit);
  if (options->memory_limit > 0 && options->memory_limit < LEAST_MEMORY)
    return IG_FAIL(cx, IG_INPUT,
                   "%s: %g bytes of memory are too few to read it: give them a unit, "
                   "as in 8 GB",
                   path, options->memory_limit);
  /* Upper and lower case endings are the same. */
  const char *ending = ending_of(path);
  int i = 0;
  while (i < FORMATS && strcasecmp(ending, formats[i].ending) != 0)
    i++;
  if (i == FORMATS || !formats[i].read)
    return IG_FAIL(
        cx, IG_INPUT,
        "%s: a mesh file cannot end in '%s': expected .vtkhdf, .vtu, .vtk, .inp, .k, "
        ".cdb, .msh, .mesh, .unv, .med, .cgns, .xdmf, .exo, .bdf, .dat, .geo, .step or a surface "
        "(.stl, .obj, .ply, .off); these and .3mf are cut into voxels by `mesh: {stl: …, voxel: "
        "…}`",
        path, ending);
  /* The unit: what was asked for, or what the file names, or metres. */
  double named;
  IG_TRY(ig_mesh_file_unit(cx, path, &named));
  const ig_mesh_read_options known = {.unit = options->unit > 0 ? options->unit : named,
                                      .edge = options->edge,
                                      .split = options->split,
                                      .quadratic = options->quadratic,
                                      .curved = options->curved,
                                      .loose = options->loose,
                                      .time_limit = options->time_limit,
                                      .memory_limit = options->memory_limit};
  const double unit = known.unit > 0 ? known.unit : 1;
  ig_mesh *mesh = NULL;
  bool keywords = false;
  /* CalculiX GraphiX also names its Abaqus files .msh: they start with a star. */
  if (strcmp(formats[i].ending, ".msh") == 0)
    IG_TRY(begins_with(cx, path, "*", &keywords));
  ig_mesh_reader *const read = keywords ? ig_mesh_read_inp : formats[i].read;
  IG_TRY(in_file(cx, path, read(cx, path, &known, &mesh)));
  for (size_t n = 0; unit != 1 && n < 3 * (size_t)mesh->nodes; n++)
    mesh->x[n] *= unit;
  ig_lid dropped = 0;
  ig_status status = known.loose ? IG_OK : nodes_drop(cx, mesh, &dropped);
  const bool bare = known.loose && ig_mesh_elements(mesh) == 0; /* of a deck of springs */
  if (status == IG_OK && !bare)
    status = in_file(cx, path, ig_mesh_check(cx, mesh));
  if (status != IG_OK) {
    ig_mesh_free(mesh);
    return status;
  }
  double low[3], high[3], size = 0;
  ig_mesh_bounds(mesh, low, high);
  for (int d = 0; d < 3; d++)
    size = fmax(size, high[d] - low[d]);
  if (size > LARGE && !known.unit && !known.loose)
    ig_warn(cx,
            "%s: %.4g m long, as the file names no unit: give `unit: 1 mm` (--unit mm) if its "
            "lengths are millimetres",
            path, size);
  /* said of a mesh that is good: one that is refused has one message; Gmsh has points of its own */
  if (read == ig_mesh_read_surface)
    ig_info(cx,
            "%s: its triangles are taken as shells; `mesh: {stl: …, voxel: …}` fills a closed "
            "surface with hexahedra",
            path);
  if (dropped > 0 && read != ig_mesh_read_gmsh)
    ig_info(cx, "%s: %d nodes belong to no element: left out", path, dropped);
  *out = mesh;
  return IG_OK;
}

/* Formats with a writer are listed in the error message. */
ig_status ig_mesh_write(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  IG_REQUIRE_ARGS(cx, cx && mesh && path);
  const char *ending = ending_of(path);
  for (int i = 0; i < FORMATS; i++)
    if (formats[i].write && strcasecmp(ending, formats[i].ending) == 0)
      return formats[i].write(cx, mesh, path);
  return IG_FAIL(cx, IG_INPUT,
                 "%s: a mesh cannot be written as '%s': expected .vtkhdf, .vtu, .vtk, .inp, .msh "
                 "or .stl",
                 path, ending);
}
