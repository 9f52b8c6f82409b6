/* What the section `finish` of a case with `physics: topopt` asks for after its run. */
#ifndef IG_FINISH_AFTER_H
#define IG_FINISH_AFTER_H

#include <ingot/finish.h>

/* Of the result that the run of `c` has left in `out`; collective. Nothing where there is no such
   section. finish_run.c */
IG_MUST_CHECK ig_status ig_finish_after(ig_case *c, const char *out);

#endif
