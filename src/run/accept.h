/* Limits of figures, the section `accept` of a case: judged when the run has given its figures. */
#ifndef IG_RUN_ACCEPT_H
#define IG_RUN_ACCEPT_H

#include "run/case.h"

/* A limit must have a figure of the case's room, a least or a largest value, and these must be
   numbers with units. */
IG_MUST_CHECK ig_status ig_accept_check(const ig_case *c, const ig_accept_case *limit);
/* What the figures with limits were. Embedded in ig_sim. */
typedef struct {
  const ig_list *limits; /* of the case; NULL: none */
  struct ig_accept_seen *seen;
} ig_accept;
/* limits: of ig_accept_case; lives as long as the case. */
IG_MUST_CHECK ig_status ig_accept_open(ig_ctx *cx, const ig_list *limits, ig_accept *accept);
/* A figure of the run; a later value replaces a former one. */
void ig_accept_figure(ig_accept *accept, const char *key, const char *unit, double value);
/* Gives the figure "accepted", yes or no, to the sink, and warns of each limit that is not kept.
   Nothing without limits. */
IG_MUST_CHECK ig_status ig_accept_finish(ig_ctx *cx, ig_accept *accept, ig_sink *sink);
void ig_accept_close(ig_accept *accept);

#endif
