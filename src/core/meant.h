#ifndef INGOT_CORE_MEANT_H
#define INGOT_CORE_MEANT_H

#include "core/option.h"

/* What a number that has no unit, and is not usual or not allowed, may have been meant as: "1.5 mm"
   where 1.5 is too many metres. false: nothing comes to mind. */
bool ig_option_meant(const ig_option *option, bool abscissa, const char *text, char *guess,
                     size_t size);

#endif
