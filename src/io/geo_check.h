/* Geometry scripts of Gmsh are programs: they can run commands and write files. */
#ifndef IG_IO_GEO_CHECK_H
#define IG_IO_GEO_CHECK_H

#include "core/ctx.h"

/* Refuses a script, with file and line, that would do more than describe geometry; scripts it
   includes are looked at too. To be called before Gmsh sees it. */
IG_MUST_CHECK ig_status ig_geo_check(ig_ctx *cx, const char *path);

#endif
