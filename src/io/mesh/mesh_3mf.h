/* Surfaces of 3MF files (3D Manufacturing Format, core specification 1.3 and its production
   extension). */
#ifndef IG_IO_MESH_3MF_H
#define IG_IO_MESH_3MF_H

#include "mesh/tri_surface.h"

/* Fills *s, empty before, with everything that the file's build places, in the file's unit, whose
   length in metres is *unit. `bytes`: the archive. After a failure the caller frees *s. */
IG_MUST_CHECK ig_status ig_3mf_read(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                                    ig_tri_surface *s, double *unit);

#endif
