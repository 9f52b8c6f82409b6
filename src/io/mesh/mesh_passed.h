/* Keywords of a deck that define something about the model and are not read: only the mesh is taken
   from it. */
#ifndef IG_IO_MESH_MESH_PASSED_H
#define IG_IO_MESH_MESH_PASSED_H

#include "core/ctx.h"

/* Keywords that are listed by name; further ones are "and others". */
enum { IG_PASSED_MOST = 12, IG_PASSED_NAME = 32 };
typedef struct {
  int count; /* of different ones; names of the first IG_PASSED_MOST */
  char name[IG_PASSED_MOST][IG_PASSED_NAME];
} ig_passed;

/* Notes the keyword [from, stop), star included, if it begins with one of `words` (ended by
   NULL). */
void ig_passed_note(ig_passed *p, const char *from, const char *stop, const char *const *words);
/* One warning with all of them; none if there are none. */
void ig_passed_warn(ig_ctx *cx, const char *path, const ig_passed *p);

#endif
