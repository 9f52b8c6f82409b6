/* Case files: YAML into the tree that ig_options_read takes. */
#ifndef IG_IO_FORMAT_CASE_YAML_H
#define IG_IO_FORMAT_CASE_YAML_H

#include "core/option.h"

/* Reads one document whose top is a map. Anchors, aliases and merge keys (<<) are expanded, within
   limits on size, depth and number of nodes; tags and further documents are refused. name: file
   name in messages, copied. Nodes are in `arena`. */
IG_MUST_CHECK ig_status ig_yaml_read(ig_ctx *cx, ig_arena *arena, const char *name,
                                     const unsigned char *bytes, size_t size, ig_node **root);
/* The same from a file. */
IG_MUST_CHECK ig_status ig_yaml_open(ig_ctx *cx, ig_arena *arena, const char *path, ig_node **root);

#endif
