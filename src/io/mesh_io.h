/* Mesh files: one reader a format, chosen by the ending of the name. */
#ifndef IG_IO_MESH_IO_H
#define IG_IO_MESH_IO_H

#include "core/ctx.h"
#include <ingot/mesh.h>

typedef ig_status ig_mesh_reader(ig_ctx *cx, const char *path, const ig_mesh_read_options *options,
                                 ig_mesh **mesh);
typedef ig_status ig_mesh_writer(ig_ctx *cx, const ig_mesh *mesh, const char *path);

#endif
