/* First in a public function: pointers that it cannot do without. */
#ifndef IG_CORE_GIVEN_H
#define IG_CORE_GIVEN_H

#include "core/ctx.h"

#define IG_GIVEN(cx, pointers)                                                                     \
  do {                                                                                             \
    if (!(pointers))                                                                               \
      return IG_FAIL(cx, IG_ARG, "%s: a pointer that it needs is NULL", __func__);                 \
  } while (0)

#endif
