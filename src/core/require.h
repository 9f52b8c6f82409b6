/* First in a public function: pointers that it cannot do without. */
#ifndef IG_CORE_REQUIRE_H
#define IG_CORE_REQUIRE_H

#include "core/ctx.h"

#define IG_REQUIRE_ARGS(cx, pointers)                                                              \
  do {                                                                                             \
    if (!(pointers))                                                                               \
      return IG_FAIL(cx, IG_ARG, "%s: a pointer that it needs is NULL", __func__);                 \
  } while (0)

#endif
