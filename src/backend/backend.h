/* The backends there are; what each must do is in core/backend.h. */
#ifndef IG_BACKEND_H
#define IG_BACKEND_H

#include "core/backend.h"
#include "backend/backend_list.h"

IG_C_BEGIN

#define X(name) extern const ig_backend ig_backend_##name;
IG_BACKEND_LIST(X)
#undef X

IG_C_END
#endif
