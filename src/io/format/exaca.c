#include "io/format/exaca.h"
#include "core/number.h"

void ig_exaca_head(FILE *to, int format) {
  if (format == IG_EXACA_TEXT)
    fputs("x,y,z,tm,tl,cr\n", to);
}

void ig_exaca_event(FILE *to, int format, const double event[IG_EXACA_COLUMNS]) {
  if (format == IG_EXACA_BINARY) {
    fwrite(event, sizeof *event, IG_EXACA_COLUMNS, to); /* little-endian, as the machines are */
    return;
  }
  /* times with 12 digits: they differ by microseconds after hours of build */
  ig_print(to, "%.9g,%.9g,%.9g,%.12g,%.12g,%.9g\n", event[0], event[1], event[2], event[3],
           event[4], event[5]);
}
