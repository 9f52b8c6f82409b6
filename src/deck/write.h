/* The tree of a deck's case as text. */
#ifndef IG_DECK_WRITE_H
#define IG_DECK_WRITE_H

#include <ingot/run.h>
#include "deck/deck.h"

/* `mesh` stands for the name of the deck. Items of lists are one line each, with the line of the
   deck as a comment.
   text is called with pieces in order, `user` is handed through. Nothing is returned: the sink
   keeps its own errors. */
void ig_deck_write(const ig_deck *d, const ig_node *root, const char *mesh, ig_text_fn *text,
                   void *user);

#endif
