/* Reader through Gmsh's own library: .msh files, and geometry (.step, .geo and others), which Gmsh
   meshes. Elements of the highest dimension become blocks; a physical group becomes an element set
   in that dimension, a face set and a node set one below, a node set further down. Everything runs
   in a confined child process (mesh_read_isolated.c). */
#include "io/mesh/mesh_io.h"

#ifndef INGOT_HAVE_GMSH

ig_status ig_mesh_read_gmsh(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                            ig_mesh **mesh) {
  (void)options;
  *mesh = NULL;
  return IG_FAIL(cx, IG_UNSUPPORTED,
                 "%s: Gmsh is not compiled in: install libgmsh-dev and configure with "
                 "INGOT_GMSH=ON, or convert the mesh to .inp or .vtk",
                 path);
}

bool ig_mesh_gmsh_usable(void) {
  return false;
}

#else

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/gmsh_order.h"
#include "io/mesh/mesh_gmsh.h"
#include "io/format/atomic_file.h"

/* Most elements that Gmsh is asked to generate. */
#define MOST_ELEMENTS 1e8 /* what Gmsh is asked to make */

/* --- nodes */

/* Gmsh's node tags are arbitrary positive integers, so a table maps them to consecutive
   numbers. Gmsh's tags may have gaps: a table leads from tags to numbers, of the length of the
   largest tag. */
static ig_status nodes_read(ig_gmsh_reader *r) {
  double *x = NULL, *parameters = NULL;
  size_t coordinates = 0, none = 0, most = 0;
  int ierr = 0;
  ig_gmsh.ModelMeshGetNodes(&r->node_tag, &r->node_count, &x, &coordinates, &parameters, &none, -1,
                            -1, 0, 0, &ierr);
  ig_gmsh.Free(parameters);
  ig_status status = IG_OK;
  if (ierr)
    status = ig_gmsh_failed(r, "Gmsh cannot list the nodes");
  else if (r->node_count == 0 || coordinates != 3 * r->node_count)
    status = IG_FAIL(r->cx, IG_INPUT, "%s: the file holds no mesh nodes", r->path);
  /* Tags are positive but may have gaps. */
  for (size_t i = 0; i < r->node_count; i++)
    most = r->node_tag[i] > most ? r->node_tag[i] : most;
  if (status == IG_OK && (most > INT32_MAX - 1 || r->node_count > INT32_MAX))
    status = IG_FAIL(r->cx, IG_INPUT, "%s: node number %zu is beyond %d: renumber the mesh",
                     r->path, most, INT32_MAX);
  if (status == IG_OK)
    status = IG_NEW(r->cx, &r->node_of, most + 1, "node numbers");
  /* -1: there is no node of that tag. */
  if (status == IG_OK) {
    r->node_most = (ig_lid)most;
    for (size_t i = 0; i <= most; i++)
      r->node_of[i] = -1;
    status = ig_mesh_new(r->cx, 3, (ig_lid)r->node_count, &r->mesh);
  }
  for (size_t i = 0; status == IG_OK && i < r->node_count; i++) {
    r->node_of[r->node_tag[i]] = (ig_lid)i;
    memcpy(r->mesh->x + 3 * i, x + 3 * i, 3 * sizeof *x);
  }
  ig_gmsh.Free(x);
  return status;
}

/* --- elements */

/* All elements of the top dimension, collected until their number is known. */
typedef struct {
  size_t count, corners;
  uint8_t *type;
  size_t *tag;
  int64_t *offset;
  ig_lid *corner;
} bulk;

/* Appends the elements of one type; node order is converted from Gmsh's to ours. Grows all
   arrays at once; those that could be enlarged are kept when a later one fails, and freed by
   the caller. */
static ig_status bulk_take(ig_gmsh_reader *r, const ig_gmsh_elem *kind, size_t count,
                           const size_t *tag, const size_t *node, void *user) {
  bulk *b = user;
  const size_t npe = kind->nodes;
  const size_t cells = b->count + count, corners = b->corners + count * npe;
  if (cells > INT32_MAX || corners > INT32_MAX)
    return IG_FAIL(r->cx, IG_INPUT, "%s: more elements than one mesh can number", r->path);
  /* Each array that could be enlarged is kept even when a later one fails; nothing leaks. */
  uint8_t *types_now = realloc(b->type, cells);
  b->type = types_now ? types_now : b->type;
  size_t *tags = realloc(b->tag, cells * sizeof *tags);
  b->tag = tags ? tags : b->tag;
  int64_t *offset = realloc(b->offset, (cells + 1) * sizeof *offset);
  b->offset = offset ? offset : b->offset;
  ig_lid *corner = realloc(b->corner, corners * sizeof *corner);
  b->corner = corner ? corner : b->corner;
  if (count && (!types_now || !tags || !offset || !corner))
    return IG_FAIL(r->cx, IG_MEMORY, "no memory for the elements of %s", r->path);
  for (size_t e = 0; e < count; e++) {
    b->type[b->count] = (uint8_t)kind->code;
    b->tag[b->count] = tag[e];
    b->offset[b->count++] = (int64_t)b->corners;
    /* Gmsh's order of nodes differs from ours for some quadratic elements. */
    for (size_t a = 0; a < npe; a++) {
      const size_t from = (size_t)ig_gmsh_node((ig_elem_type)kind->code, (int)a);
      const ig_lid n = ig_gmsh_lookup(r->node_of, r->node_most, node[e * npe + from]);
      if (n < 0)
        return IG_FAIL(r->cx, IG_INPUT, "%s: element %zu uses node %zu, which is not in the file",
                       r->path, tag[e], node[e * npe + from]);
      b->corner[b->corners++] = n;
    }
    b->offset[b->count] = (int64_t)b->corners;
  }
  return IG_OK;
}

/* Makes the blocks and the table from Gmsh's element tags to elements. Cells become blocks of
   elements, and a table leads from Gmsh's tags to elements, for the groups. */
static ig_status blocks_make(ig_gmsh_reader *r, bulk *b) {
  ig_lid *number;
  size_t most = 0;
  unsigned seen = 0;
  for (size_t i = 0; i < b->count; i++) {
    most = b->tag[i] > most ? b->tag[i] : most;
    seen |= ig_cell_bit(b->type[i]);
  }
  if (most > INT32_MAX - 1)
    return IG_FAIL(r->cx, IG_INPUT, "%s: element number %zu is beyond %d: renumber the mesh",
                   r->path, most, INT32_MAX);
  /* Plane if all points are and no solid is there. */
  r->mesh->dim = ig_mesh_infer_dim(r->mesh->x, r->mesh->nodes, seen);
  IG_TRY(IG_NEW(r->cx, &r->cell_of, most + 1, "element numbers"));
  r->cell_most = (ig_lid)most;
  IG_TRY(IG_NEW(r->cx, &number, b->count, "element numbers"));
  uint8_t *children = NULL;
  ig_status status = IG_NEW(r->cx, &children, b->count, "element numbers");
  if (status == IG_OK)
    status = IG_NEW(r->cx, &r->children, most + 1, "element numbers");
  const ig_cells cells = {(ig_lid)b->count, b->type,  b->offset,    b->corner, NULL,
                          r->split,         children, r->quadratic, r->curved};
  if (status == IG_OK)
    status = ig_mesh_add_cells(r->cx, r->mesh, &cells, number);
  /* -1: no element has that tag, or it was of a lower dimension. */
  for (size_t i = 0; i <= most; i++)
    r->cell_of[i] = -1;
  for (size_t i = 0; status == IG_OK && i < b->count; i++) {
    r->cell_of[b->tag[i]] = number[i];
    r->children[b->tag[i]] = children[i];
  }
  free(number);
  free(children);
  return status;
}

/* The highest dimension that has elements becomes the mesh: 3, 2 or 1. */
static ig_status elements_read(ig_gmsh_reader *r) {
  for (r->dim = 3; r->dim >= 1; r->dim--) {
    bulk b = {0};
    ig_status status = ig_gmsh_elements_each(r, r->dim, -1, bulk_take, &b);
    const bool found = b.count > 0;
    if (status == IG_OK && found)
      status = blocks_make(r, &b);
    free(b.type);
    free(b.tag);
    free(b.offset);
    free(b.corner);
    if (status != IG_OK || found)
      return status;
  }
  return IG_FAIL(r->cx, IG_INPUT,
                 "%s: the file holds no elements: mesh it first, or give a "
                 "geometry file",
                 r->path);
}

/* --- the whole file */

static bool is_mesh(const char *path) {
  return ig_path_ends(path, ".msh");
}

/* Formats for which Gmsh needs another library. Without it Gmsh would execute such a file as a
   script. */
static const struct { const char *ending, *name, *option; } extras[] = {{".cgns", "CGNS", "Cgns"}};

/* Whether the library was built with an optional part. */
static bool built_with(const char *option) {
  char *built = NULL;
  int ierr = 0;
  ig_gmsh.OptionGetString("General.BuildOptions", &built, &ierr);
  const bool there = !ierr && built && strstr(built, option);
  ig_gmsh.Free(built);
  return there;
}

/* Formats that Gmsh reads only if it was built with a further library: said here, as Gmsh's own
   message does not. */
static ig_status extras_check(ig_gmsh_reader *r) {
  for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
    if (ig_path_ends(r->path, extras[i].ending) && !built_with(extras[i].option))
      return IG_FAIL(r->cx, IG_INPUT,
                     "%s: this Gmsh has no %s support: convert the file, 'meshio convert %s "
                     "part.vtu' does it",
                     r->path, extras[i].name, r->path);
  }
  return IG_OK;
}

/* An edge length in the wrong unit would make Gmsh mesh until memory is exhausted: the number of
   elements is estimated from the bounding box (6 tetrahedra per cube of the edge). */
static ig_status size_check(ig_gmsh_reader *r, int dim, double edge, double unit) {
  double low[3], high[3], elements = 6;
  int ierr = 0;
  ig_gmsh.ModelGetBoundingBox(-1, -1, &low[0], &low[1], &low[2], &high[0], &high[1], &high[2],
                              &ierr);
  for (int d = 0; d < 3 && !ierr; d++)
    elements *= fmax(1, (high[d] - low[d]) / edge);
  if (ierr || dim < 2 || elements <= MOST_ELEMENTS)
    return IG_OK;
  return IG_FAIL(
      r->cx, IG_INPUT,
      "%s: elements of %g m in a part of %.4g x %.4g x %.4g m would be some %.1g: take a "
      "larger edge; is the unit right?",
      r->path, edge * unit, unit * (high[0] - low[0]), unit * (high[1] - low[1]),
      unit * (high[2] - low[2]), elements);
}

/* A script may ask for an optimisation that this Gmsh does not have: the mesh is made without. */
static void netgen_skip(const ig_gmsh_reader *r) {
  double asked = 0;
  int ierr = 0;
  ig_gmsh.OptionGetNumber("Mesh.OptimizeNetgen", &asked, &ierr);
  if (ierr || asked == 0 || built_with("Netgen"))
    return;
  ig_info(r->cx, "%s: Mesh.OptimizeNetgen is skipped: this Gmsh has no Netgen", r->path);
  ig_gmsh.OptionSetNumber("Mesh.OptimizeNetgen", 0, &ierr);
}

/* One thread: with several, Gmsh's meshes differ from run to run, and no run could be resumed. */
static ig_status model_open(ig_gmsh_reader *r, const ig_mesh_read_options *options) {
  int ierr = 0;
  ig_gmsh.OptionSetNumber("General.Terminal", 0, &ierr);
  /* several threads mesh the same geometry differently each time: nothing could be resumed */
  ig_gmsh.OptionSetNumber("General.NumThreads", 1, &ierr);
  IG_TRY(extras_check(r));
  const char *open = r->path;
  if (is_mesh(r->path))
    IG_TRY(ig_gmsh_names_take(r->cx, r->path, &r->names, &open));
  ig_gmsh.Open(open, &ierr);
  if (ierr)
    return ig_gmsh_failed(r, "Gmsh cannot read the file");
  if (is_mesh(r->path))
    return IG_OK;
  const double unit = options->unit > 0 ? options->unit : 1;
  if (options->edge > 0) {
    ig_gmsh.OptionSetNumber("Mesh.CharacteristicLengthMin", options->edge / unit, &ierr);
    ig_gmsh.OptionSetNumber("Mesh.CharacteristicLengthMax", options->edge / unit, &ierr);
  }
  const int dim = ig_gmsh.ModelGetDimension(&ierr);
  if (options->edge > 0)
    IG_TRY(size_check(r, dim, options->edge / unit, unit));
  netgen_skip(r);
  if (!ierr)
    ig_gmsh.ModelMeshGenerate(dim, &ierr);
  return ierr ? ig_gmsh_failed(r, "Gmsh cannot mesh the geometry") : IG_OK;
}

/* In the child. Gmsh is initialised for one file and finalised afterwards. Runs in the guarded
   process: a crash of Gmsh ends that one only. */
static ig_status read_there(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                            ig_mesh **mesh) {
  ig_gmsh_reader r = {.cx = cx,
                      .path = path,
                      .split = options->split,
                      .quadratic = options->quadratic,
                      .curved = options->curved};
  int ierr = 0;
#if GMSH_API_VERSION_MAJOR == 4 && GMSH_API_VERSION_MINOR < 9
  ig_gmsh.Initialize(0, NULL, 0, &ierr);
#else /* and whether to run what the arguments say */
  ig_gmsh.Initialize(0, NULL, 0, 0, &ierr);
#endif
  ig_status status = ierr ? IG_FAIL(cx, IG_IO, "Gmsh does not start") : IG_OK;
  /* Each step only if those before succeeded; what Gmsh allocated is freed before it is closed. */
  if (status == IG_OK)
    status = model_open(&r, options);
  if (status == IG_OK)
    status = nodes_read(&r);
  if (status == IG_OK)
    status = elements_read(&r);
  if (status == IG_OK)
    status = ig_gmsh_groups_read(&r);
  ig_gmsh.Free(r.node_tag);
  free(r.node_of);
  free(r.cell_of);
  free(r.children);
  ig_gmsh_names_free(&r.names);
  ig_gmsh.Finalize(&ierr);
  if (status == IG_OK)
    *mesh = r.mesh;
  else
    ig_mesh_free(r.mesh);
  return status;
}

/* In the parent: the first bytes are checked, because Gmsh executes files that it does not
   recognise as scripts. */
ig_status ig_mesh_read_gmsh(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                            ig_mesh **mesh) {
  *mesh = NULL;
  char head[16] = "";
  FILE *f;
  IG_TRY(ig_file_open(cx, path, &f));
  (void)!fread(head, 1, sizeof head - 1, f);
  fclose(f);
  /* Gmsh runs what it does not recognise as a script: a mesh must look like one. */
  /* $NOD begins a mesh of format 1. */
  if (is_mesh(path) && strncmp(head, "$MeshFormat", 11) != 0 && strncmp(head, "$NOD", 4) != 0)
    return IG_FAIL(cx, IG_INPUT, "%s:1:1: expected $MeshFormat: this is no Gmsh mesh", path);
  for (size_t i = 0; i < sizeof extras / sizeof *extras; i++)
    if (ig_path_ends(path, extras[i].ending) && strncmp(head, "\x89HDF", 4) != 0 &&
        strncmp(head, "@(#)ADF", 7) != 0)
      return IG_FAIL(cx, IG_INPUT, "%s: this is no %s file", path, extras[i].name);
  static const ig_mesh_guest gmsh = {"Gmsh", ig_gmsh_load, read_there};
  return ig_mesh_read_apart(cx, path, options, &gmsh, mesh);
}

#endif
