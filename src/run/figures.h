/* Names of figures, compared with the list of a room (ig_room.figures) before a run has given them.
 */
#ifndef IG_RUN_FIGURES_H
#define IG_RUN_FIGURES_H

#include "core/room.h"

/* Fails at a name that a case of this room, with the tree `root`, gives in no run; `what` begins
   the message: "stage 'one'". IG_OK where the room has no list. What depends on the course of a
   run, such as the size of a melt pool, may still be missing in its summary. */
IG_MUST_CHECK ig_status ig_figure_check(ig_ctx *cx, const ig_src *at, const char *what,
                                        const ig_room *room, const ig_node *root,
                                        const char *figure);

#endif
