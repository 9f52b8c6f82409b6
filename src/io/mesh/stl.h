/* Surfaces of triangles, binary STL. */
#ifndef IG_IO_MESH_STL_H
#define IG_IO_MESH_STL_H

#include "core/output.h"

/* Reads a surface as a snapshot without fields and without time (NAN): corners at one place are one
   point. */
IG_MUST_CHECK ig_status ig_stl_read(ig_ctx *cx, const char *path, ig_snapshot **snap);

#endif
