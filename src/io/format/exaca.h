/* Events of melting and solidification as ExaCA, a cellular automaton of grain growth (LLNL and
   ORNL), reads them: six numbers per event, in SI units.

     x, y, z   centre of the cell, m
     tm        when it rose above the liquidus, s
     tl        when it then fell below it, s
     cr        its cooling rate there, K/s

   As text with the header x,y,z,tm,tl,cr; as binary six little-endian doubles per event and nothing
   else, in a file whose name contains `.catemp`. */
#ifndef IG_EXACA_H
#define IG_EXACA_H

#include "core/ctx.h"

#include <stdio.h>

enum { IG_EXACA_TEXT, IG_EXACA_BINARY };
enum { IG_EXACA_COLUMNS = 6 };

/* Bytes per event: exact for binary, of text about. */
enum { IG_EXACA_BINARY_BYTES = 48, IG_EXACA_TEXT_BYTES = 90 };

/* What stands before the first event. */
void ig_exaca_head(FILE *to, int format);
void ig_exaca_event(FILE *to, int format, const double event[IG_EXACA_COLUMNS]);
#endif
