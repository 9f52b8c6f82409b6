/* Chains: several cases in one file, run one after the other, each reading what earlier ones left.
   A chain is a case file whose top level has `stages`. In builds with input and output. */
#ifndef INGOT_CHAIN_H
#define INGOT_CHAIN_H

#include <ingot/run.h>

IG_C_BEGIN

/* Whether a case is a chain. */
IG_API bool ig_case_is_chain(const ig_case *c);

typedef struct {
  const char *out;   /* folder: each stage writes into one of its name in it */
  const char *stage; /* run this one, on what the others have left; NULL: all that are not done */
  /* With `stage`: take earlier results though their cases have changed since; replace files that
     have the names of results though nothing says that they are ours. */
  bool force;
  ig_line_fn *line; /* the chain's report at the end, NULL: not wanted */
  void *user;       /* for `line` */
} ig_chain_options;
/* Runs a chain. A stage whose result is complete and of this very case is not run again, one that
   was interrupted goes on from its checkpoint. IG_INTERRUPTED: call again to go on. */
IG_API IG_MUST_CHECK ig_status ig_chain_run(ig_case *c, const ig_chain_options *options);
/* Validates every stage whose inputs exist, and reports the state of its results in `out`. */
IG_API IG_MUST_CHECK ig_status ig_chain_check(ig_case *c, const char *out, ig_line_fn *line,
                                              void *user);

IG_C_END
#endif
