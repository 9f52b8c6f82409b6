/* Sequential MUMPS (Amestoy et al. 2001) behind the interface of direct.h. The library is loaded
   when it is first asked for: a build that knows it runs without. */
#ifndef IG_IMPLICIT_MUMPS_H
#define IG_IMPLICIT_MUMPS_H

#include "implicit/direct.h"

typedef struct ig_mumps ig_mumps;

/* The others as the functions of direct.h; without MUMPS in the build ig_mumps_new fails. */
bool ig_mumps_there(void);
IG_MUST_CHECK ig_status ig_mumps_new(ig_ctx *cx, int32_t n, const int64_t *first,
                                     const int32_t *column, ig_mumps **to);
void ig_mumps_free(ig_mumps *m);
IG_MUST_CHECK ig_status ig_mumps_factor(ig_mumps *m, const double *value, bool symmetric,
                                        ig_direct_info *info);
IG_MUST_CHECK ig_status ig_mumps_solve(ig_mumps *m, double *b);

#endif
