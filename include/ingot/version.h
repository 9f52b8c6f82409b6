/* The version of these headers; ig_version() says that of the library. */
#ifndef INGOT_VERSION_H
#define INGOT_VERSION_H

#define INGOT_VERSION_MAJOR 0
#define INGOT_VERSION_MINOR 2
#define INGOT_VERSION_PATCH 0
/* To compare: #if INGOT_VERSION >= 200 is "0.2.0 or later". */
#define INGOT_VERSION                                                                              \
  (10000 * INGOT_VERSION_MAJOR + 100 * INGOT_VERSION_MINOR + INGOT_VERSION_PATCH)

#endif
