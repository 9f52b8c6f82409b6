/* The scan path of a case's beam, generated or read by its room, without making the mesh. For
   `ingot path`. */
#include <ingot/path.h>
#include "run/case.h"
#include "ingot_io.h"
#ifdef INGOT_HAVE_IO
#include "io/toolpath/toolpath.h"

#include <stdlib.h>
#endif

/* beam: counted from 1, as users count. The path is freed by ig_path_close. */
ig_status ig_path_of_case(ig_case *c, int beam, ig_path **path) {
  IG_TRY(ig_case_usable(c));
  if (!path)
    return IG_FAIL(c->cx, IG_ARG, "there is no place for the path");
  *path = NULL;
  IG_TRY(ig_case_read(c));
  if (!c->room->path)
    return IG_FAIL(c->cx, IG_INPUT, "physics: %s has no beams", c->room->name);
#ifdef INGOT_HAVE_IO
  ig_path *p;
  IG_TRY(IG_NEW(c->cx, &p, 1, "toolpath"));
  p->as = (ig_toolpath_read_as){.dialect = "path of a case", .unit = 1};
  const ig_status status = c->room->path(c->cx, c->room_case, beam - 1, &p->path);
  if (status != IG_OK)
    free(p);
  else
    *path = p;
  return status;
#else
  (void)beam;
  return IG_FAIL(c->cx, IG_UNSUPPORTED, "this build draws no paths: configure with -DINGOT_IO=ON");
#endif
}
