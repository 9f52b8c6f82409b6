/* Verification problems: the verification manual, executed. Each room has its own in verify/ROOM;
   the table in verify.c lists them. Part of the program, not of the library. */
#ifndef IG_VERIFY_VERIFY_H
#define IG_VERIFY_VERIFY_H

#include "verify/problems.h"

/* One row of `ingot verify`, as a problem hands it over. */
typedef struct {
  const char *quantity, *source; /* what; where the expected value comes from */
  double expected, computed, tolerance;
  bool relative; /* tolerance is relative to expected */
} ig_verify_row;
typedef struct ig_verify_sink {
  void *user;
  void (*row)(void *user, const ig_verify_row *row);
} ig_verify_sink;
typedef struct {
  const char *name, *about;
  bool quick; /* runs in the test suite too */
  ig_status (*run)(ig_ctx *cx, const ig_verify_sink *sink);
} ig_verify_entry;

/* The problems of the rooms, each table ended by a NULL name. */
extern const ig_verify_entry ig_thermal_verify[], ig_topopt_verify[], ig_frac_verify[],
    ig_dyn_verify[], ig_stress_verify[], ig_powder_verify[], ig_structure_verify[],
    ig_grains_verify[];

/* One compared figure of a verification problem. */
typedef struct {
  const char *room, *problem, *quantity, *source;
  double expected, computed, error, tolerance; /* error as it is compared with the tolerance */
  bool relative;                               /* error and tolerance are relative to expected */
  bool pass;
} ig_verified;
typedef void ig_verified_fn(void *user, const ig_verified *row);
/* Runs the problems of the rooms or names given (none: all; `quick`: only the quick ones). A figure
   out of tolerance is a row that does not pass, not a failure of the call. A problem that cannot
   run is a row with `computed` NaN and the reason as its source. */
IG_MUST_CHECK ig_status ig_verify(ig_ctx *cx, const char *const *names, int count, bool quick,
                                  ig_verified_fn *row, void *user);
/* All problems of all rooms, one call each. */
void ig_verify_list(ig_problem_fn *problem, void *user);

#endif
