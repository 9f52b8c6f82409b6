/* Any bytes as a mesh file: the first one picks the format. Read and sound, or refused in one
   line. Gmsh's own parser is not ours to fuzz. */
#define _GNU_SOURCE
#include "io/mesh/mesh_io.h"
#include "mesh/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* HDF5 1.10 loses some of its own memory on damaged files (netCDF's old headers). That nothing of
   ours stays open was seen by H5Fget_obj_count after each of them. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}

static void demand(bool good) {
  if (!good)
    abort();
}

/* What every user of a checked mesh relies on. */
static void use(ig_ctx *cx, const ig_mesh *mesh) {
  ig_boundary boundary;
  ig_coloring coloring;
  demand(ig_mesh_boundary(cx, mesh, &boundary) == IG_OK);
  demand(boundary.count >= 0);
  ig_boundary_free(&boundary);
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const ig_status status =
        ig_mesh_color(cx, mesh->nodes, block->count, ig_elem_info_get(block->type)->nodes,
                      block->conn, &coloring);
    demand(status == IG_OK || status == IG_INPUT);
    if (status == IG_OK)
      ig_coloring_free(&coloring);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct {
    char letter;
    ig_mesh_reader *read;
  } formats[] = {{'v', ig_mesh_read_vtk},    {'i', ig_mesh_read_inp},     {'k', ig_mesh_read_dyna},
                 {'c', ig_mesh_read_cdb},    {'n', ig_mesh_read_nastran}, {'m', ig_mesh_read_med},
                 {'h', ig_mesh_read_vtkhdf}, {'u', ig_mesh_read_vtu},     {'x', ig_mesh_read_xdmf},
                 {'e', ig_mesh_read_exodus}, {'f', ig_mesh_read_mfem}};
  enum { FORMATS = sizeof formats / sizeof *formats };
  size_t f = 0;
  while (f < FORMATS && size && formats[f].letter != data[0])
    f++;
  if (size == 0 || f == FORMATS)
    return 0;
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  const int file = memfd_create("mesh", 0);
  if (ig_ctx_open(&options, &cx) == IG_OK && file >= 0 &&
      write(file, data + 1, size - 1) == (ssize_t)size - 1) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const ig_mesh_read_options plain = {.split = size % 2};
    ig_mesh *mesh = NULL;
    ig_status status = formats[f].read(cx, path, &plain, &mesh);
    demand((status == IG_OK) == (mesh != NULL));
    if (status == IG_OK)
      status = ig_mesh_check(cx, mesh);
    const char *message = ig_ctx_message(cx);
    demand(status == IG_OK || (status == IG_INPUT && *message && !strchr(message, '\n')));
    if (status == IG_OK)
      use(cx, mesh);
    ig_mesh_free(mesh);
  }
  if (file >= 0)
    close(file);
  ig_ctx_close(cx);
  return 0;
}
