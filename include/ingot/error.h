/* Every fallible function returns an ig_status; the context holds the message. */
#ifndef INGOT_ERROR_H
#define INGOT_ERROR_H

#include <ingot/types.h>

IG_C_BEGIN

/* Name and meaning. IG_INPUT: invalid user input (exit code 2); all others: the run failed (exit
 * code 1).
 */
#define IG_STATUS_LIST(X)                                                                          \
  X(OK, "success")                                                                                 \
  X(INPUT, "bad input")                                                                            \
  X(ARG, "bad argument")                                                                           \
  X(MEMORY, "out of memory")                                                                       \
  X(IO, "file error")                                                                              \
  X(DEVICE, "device failure")                                                                      \
  X(NUMERIC, "numerical failure")                                                                  \
  X(UNSUPPORTED, "not available in this build")                                                    \
  X(INTERRUPTED, "interrupted")

typedef enum {
#define X(name, text) IG_##name,
  IG_STATUS_LIST(X)
#undef X
} ig_status;

/* What a status code means, in two or three words. Never NULL. */
IG_API const char *ig_status_text(ig_status status);

IG_C_END
#endif
