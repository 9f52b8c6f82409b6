/* Mesh files: the reader or writer for a name. */
#include "io/mesh_io.h"

#include <string.h>
#include <strings.h>

static const struct {
  const char *ending;
  ig_mesh_reader *read;
  ig_mesh_writer *write;
} formats[] = {
    {NULL, NULL, NULL},
};

static const char *ending_of(const char *path) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  return dot ? dot : "";
}

ig_status ig_mesh_read(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                       ig_mesh **mesh) {
  static const ig_mesh_read_options defaults;
  *mesh = NULL;
  options = options ? options : &defaults;
  const char *ending = ending_of(path);
  for (size_t i = 0; formats[i].ending; i++)
    if (formats[i].read && strcasecmp(ending, formats[i].ending) == 0)
      return formats[i].read(cx, path, options, mesh);
  return IG_FAIL(cx, IG_INPUT,
                 "%s: a mesh file cannot end in '%s': expected .vtkhdf, .msh, .inp, .k, .vtk, .geo "
                 "or .step",
                 path, ending);
}

ig_status ig_mesh_write(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  const char *ending = ending_of(path);
  for (size_t i = 0; formats[i].ending; i++)
    if (formats[i].write && strcasecmp(ending, formats[i].ending) == 0)
      return formats[i].write(cx, mesh, path);
  return IG_FAIL(cx, IG_INPUT,
                 "%s: a mesh cannot be written as '%s': expected .vtkhdf, .vtk or .inp", path,
                 ending);
}
