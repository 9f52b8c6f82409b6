/* What a deck of LS-DYNA says of its mesh beside nodes, elements and sets: src/deck makes cases of
   it. */
#ifndef IG_IO_MESH_MESH_DYNA_H
#define IG_IO_MESH_MESH_DYNA_H

#include "io/mesh/mesh_io.h"

/* Kinds of sets, each with a numbering of its own. */
typedef enum {
  IG_DYNA_NODES,
  IG_DYNA_SEGMENTS,
  IG_DYNA_SOLIDS,
  IG_DYNA_SHELLS,
  IG_DYNA_BEAMS,
  IG_DYNA_PARTS
} ig_dyna_kind;

enum { IG_DYNA_NAME = 54 };

/* Numbers are those of the deck. All arrays are allocated; ig_dyna_found_free frees them. */
typedef struct {
  int sets;
  struct ig_dyna_set {
    ig_dyna_kind kind;
    int64_t id;
    char name[IG_DYNA_NAME]; /* of the set in the mesh */
  } * set;
  int64_t segments;
  struct ig_dyna_segment {
    int set;         /* place in the list above */
    int64_t node[4]; /* of a triangle the last is that before, or 0 */
  } * segment;
  int64_t beams;
  struct ig_dyna_beam {
    int64_t element, third; /* node that gives the plane of the section's first axis; 0: none */
    bool released;          /* its ends are joined by some components only */
  } * beam;
  int64_t fixed;
  struct ig_dyna_fixed {
    int64_t node;
    int moves, turns; /* codes of *NODE, 0 to 7: none, x, y, z, xy, yz, zx, xyz */
  } * fix;
} ig_dyna_found;
void ig_dyna_found_free(ig_dyna_found *f);

/* As ig_mesh_read_dyna; fills *found, which the caller frees, also after a failure. */
IG_MUST_CHECK ig_status ig_mesh_read_dyna_deck(ig_ctx *cx, const char *path,
                                               const ig_mesh_read_options *options,
                                               ig_dyna_found *found, ig_mesh **mesh);

#endif
