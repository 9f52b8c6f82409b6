/* The files that a run has read, with their SHA-256: what its summary names as `inputs`.

   A list belongs to one run. While it is the context's (cx->inputs), readers add the files that
   they open. Digests are computed by a thread of the list's own, beside the run: SHA-256 of a mesh
   of some gigabytes takes seconds. */
#ifndef IG_CORE_INPUTS_H
#define IG_CORE_INPUTS_H

#include "core/ctx.h"
#include "core/sha256.h"

typedef struct ig_input {
  char *path;
  char sha256[IG_SHA256_TEXT]; /* "": not computed, or the file could not be read */
  struct ig_input *next;
} ig_input;

typedef struct ig_inputs {
  ig_input *first, *last;
  struct ig_hasher *hasher; /* the thread, NULL: none runs */
} ig_inputs;

/* Adds a file once. Of a folder with the results of a run its summary.json is added, and files in
   the folder are not. Does nothing without a list; a failure only leaves the file out. */
void ig_input_note(ig_ctx *cx, const char *path);
/* Begins to compute the digests of the files so far. Files may be added meanwhile. */
void ig_inputs_start(ig_inputs *inputs);
/* Waits for them and computes those of the others. */
void ig_inputs_finish(ig_inputs *inputs);
void ig_inputs_free(ig_inputs *inputs);

#endif
