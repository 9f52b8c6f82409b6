/* Snapshots of a model: the mesh and fields of a rank's part, on any number of ranks.

   On one rank fields leave the device on a stream of their own, while steps go on. On several, rows
   of own nodes and elements go to rank 0 in pieces, in the order of the whole mesh, and are written
   as they come: the sink on rank 0 asks for one array after the other, all other ranks answer. The
   file has the same bytes on any number of ranks. */
#ifndef IG_MODEL_SHOW_H
#define IG_MODEL_SHOW_H

#include "core/output.h"
#include "ranks/partition.h"

/* A field with values of the part's nodes (IG_AT_POINTS; float or double) or elements
   (IG_AT_ELEMENTS; float). */
typedef struct {
  const char *name, *unit;
  ig_location where;
  ig_dtype dtype;
  int components;
  int what;               /* the room's own */
  const void *dev, *host; /* values; both NULL: `fill` makes them */
} ig_shown_field;

typedef struct {
  ig_ctx *cx;
  const ig_mesh *mesh; /* of the part */
  const ig_partition *part;
  const ig_collect *nodes, *elements; /* own ones; several ranks */
  const uint8_t *alive;               /* elements that are there; NULL: all */
  double time;
  int64_t step;
  char state[64]; /* as a snapshot's */
  const ig_shown_field *field;
  int count;
  /* Writes the values of a field, on the host. */
  void (*fill)(const void *room, const ig_shown_field *f, void *values);
  const void *room;
} ig_shown;

/* Hands the snapshot to the sink. Collective: a rank that has failed (`status`) takes part. */
IG_MUST_CHECK ig_status ig_shown_write(const ig_shown *s, ig_sink *to, ig_status status);

#endif
