/* Case files: from libyaml's event stream to a tree of ig_node in an arena. Every node keeps its
   line and column for error messages.

   YAML allows documents that expand exponentially (aliases of aliases, "billion laughs"), recurse
   or contain themselves. Size, depth, nodes after expansion, keys and anchors are therefore
   bounded. */
#include "io/format/case_yaml.h"
#include "io/format/atomic_file.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* Limits. Far above any sensible case; they bound memory to some 100 MB. */
enum {
  MOST_BYTES = 16 << 20,
  MOST_NODES = 1000000, /* after aliases are expanded */
  MOST_DEPTH = 64,
  MOST_KEYS = 200, /* of one map */
  MOST_ANCHORS = 200
};

/* An anchor (&name) seen so far; names may be reused, the last one counts. */
typedef struct {
  const char *name;
  const ig_node *node;
  bool open; /* still being read: an alias to it would contain itself */
} anchor;

/* State of the reader. `event` is the event at hand and owned by the reader; next() replaces it. */
typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  const char *file;
  const unsigned char *bytes;
  size_t size;
  yaml_parser_t parser;
  yaml_event_t event;
  bool have_event;
  int nodes, depth, anchors;
  anchor *anchor;
} reader;

/* libyaml counts lines and columns from 0, users from 1. */
static ig_src src_of(const reader *r, yaml_mark_t mark) {
  return (ig_src){r->file, (int)mark.line + 1, (int)mark.column + 1, true};
}

/* Line and column of a byte offset, for invalid UTF-8, which libyaml reports before it counts
   lines. */
static ig_src src_of_offset(const reader *r, size_t offset) {
  ig_src at = {r->file, 1, 1, true};
  for (size_t i = 0; i < offset && i < r->size; i++) {
    at.column++;
    if (r->bytes[i] == '\n') {
      at.line++;
      at.column = 1;
    }
  }
  return at;
}

/* Whether a line is indented with a tab: YAML forbids it, and libyaml's own message does not say
   so. */
static bool tab_leads(const reader *r, size_t line) {
  size_t i = 0;
  for (; line && i < r->size; i++)
    line -= r->bytes[i] == '\n';
  while (i < r->size && r->bytes[i] == ' ')
    i++;
  return i < r->size && r->bytes[i] == '\t';
}

/* Advances to the next event and translates libyaml's errors into messages with a position. The
   former event is freed here, so that a caller never has to. Positions of libyaml count from 0,
   those of messages from 1. */
static ig_status next(reader *r) {
  if (r->have_event)
    yaml_event_delete(&r->event);
  r->have_event = yaml_parser_parse(&r->parser, &r->event);
  if (r->have_event)
    return IG_OK;
  const yaml_parser_t *p = &r->parser;
  const char *problem = p->problem ? p->problem : "not valid YAML";
  if (p->error == YAML_MEMORY_ERROR)
    return IG_FAIL(r->cx, IG_MEMORY, "%s: no memory to read it", r->file);
  if (p->error == YAML_READER_ERROR) {
    const ig_src at = src_of_offset(r, p->problem_offset);
    return ig_fail_at(r->cx, &at, "not a text in UTF-8: %s", problem);
  }
  const ig_src at = src_of(r, p->problem_mark);
  if (tab_leads(r, p->problem_mark.line))
    return ig_fail_at(r->cx, &at, "not valid YAML: indent with spaces, not with tabs");
  if (p->context)
    return ig_fail_at(r->cx, &at, "not valid YAML: %s %s (line %d)", problem, p->context,
                      (int)p->context_mark.line + 1);
  return ig_fail_at(r->cx, &at, "not valid YAML: %s", problem);
}

/* Counts nodes, copies made for aliases included. */
static ig_status node_count(reader *r, const ig_src *at) {
  return ++r->nodes <= MOST_NODES
             ? IG_OK
             : ig_fail_at(r->cx, at, "the case holds more than %d values (aliases expanded)",
                          MOST_NODES);
}

/* Nodes count towards the limit, so that aliases of aliases cannot fill the memory. */
static ig_status node_new(reader *r, ig_node_kind kind, ig_src at, ig_node **node) {
  IG_TRY(node_count(r, &at));
  IG_TRY(ig_arena_take(r->cx, r->arena, (void **)node, 1, sizeof **node));
  (*node)->kind = kind;
  (*node)->at = (*node)->key_at = at;
  return IG_OK;
}

/* Copies the scalar's text into the arena. C strings end at a 0 byte, so a text with one is
   refused. */
static ig_status text_keep(reader *r, const char **text) {
  const char *value = (const char *)r->event.data.scalar.value;
  const size_t length = r->event.data.scalar.length;
  const ig_src at = src_of(r, r->event.start_mark);
  if (strlen(value) != length)
    return ig_fail_at(r->cx, &at, "a text holds a zero character");
  return ig_arena_text(r->cx, r->arena, text, value, length);
}

/* Counts the nodes that a copy of `node` would add, before it is made; checks the depth as well. */
static ig_status measure(reader *r, const ig_node *node, int depth, const ig_src *at) {
  if (depth >= MOST_DEPTH)
    return ig_fail_at(r->cx, at, "more than %d levels of nesting", MOST_DEPTH);
  IG_TRY(node_count(r, at));
  for (const ig_node *child = node->child; child; child = child->next)
    IG_TRY(measure(r, child, depth + 1, at));
  return IG_OK;
}

/* An alias is replaced by a copy. The last anchor of that name is used, as YAML requires. */
static ig_status alias_read(reader *r, ig_node **node) {
  const char *name = (const char *)r->event.data.alias.anchor;
  const ig_src at = src_of(r, r->event.start_mark);
  for (int i = r->anchors - 1; i >= 0; i--)
    if (strcmp(r->anchor[i].name, name) == 0) {
      if (r->anchor[i].open)
        return ig_fail_at(r->cx, &at, "alias '*%.40s' stands inside the value it names", name);
      IG_TRY(measure(r, r->anchor[i].node, r->depth, &at));
      return ig_node_copy(r->cx, r->arena, r->anchor[i].node, node);
    }
  return ig_fail_at(r->cx, &at, "alias '*%.40s' has no anchor '&%.40s' before it", name, name);
}

/* Handles anchor and tag of a node. *number: of the anchor, -1 if there is none. Tags (!!float)
   would change the type that the option tables decide on, so they are refused. */
static ig_status anchor_note(reader *r, const yaml_char_t *name, const yaml_char_t *tag,
                             const ig_node *node, int *number) {
  *number = -1;
  if (tag)
    return ig_fail_at(r->cx, &node->at, "the tag '%.40s' has no meaning in a case: leave it out",
                      (const char *)tag);
  if (!name)
    return IG_OK;
  if (r->anchors == MOST_ANCHORS)
    return ig_fail_at(r->cx, &node->at, "more than %d anchors", MOST_ANCHORS);
  *number = r->anchors++;
  r->anchor[*number] = (anchor){.node = node, .open = true};
  return ig_arena_text(r->cx, r->arena, &r->anchor[*number].name, (const char *)name,
                       strlen((const char *)name));
}

static ig_status value_read(reader *r, ig_node **node);

/* The event of the end is taken as well. */
static ig_status list_read(reader *r, ig_node *list) {
  ig_node **end = &list->child;
  for (;;) {
    IG_TRY(next(r));
    if (r->event.type == YAML_SEQUENCE_END_EVENT)
      return IG_OK;
    IG_TRY(value_read(r, end));
    end = &(*end)->next;
  }
}

/* Merge key "<<" of YAML 1.1: keys of the merged maps are added where the map has none. libyaml
   does not implement it. */
/* Values under "<<" are maps whose keys stand in where the map has none of its own. */
static ig_status merge(reader *r, ig_node *map, ig_node *value) {
  ig_node *item = value->kind == IG_NODE_MAP ? value : value->child;
  if (!item)
    return ig_fail_at(r->cx, &value->at, "'<<' takes a map, or a list of maps");
  for (; item; item = item->next) {
    if (item->kind != IG_NODE_MAP)
      return ig_fail_at(r->cx, &item->at, "'<<' takes a map, or a list of maps");
    ig_node_fold(map, item);
    int keys = 0;
    for (const ig_node *child = map->child; child; child = child->next)
      keys++;
    if (keys > MOST_KEYS)
      return ig_fail_at(r->cx, &map->at, "more than %d keys in one map", MOST_KEYS);
  }
  return IG_OK;
}

/* Keys of a map. Duplicates are an error: the last value would otherwise replace the first
   silently. Merge keys (`<<`) are kept aside and applied last, as keys of the map itself win
   wherever they stand (YAML 1.1 merge type). */
static ig_status map_read(reader *r, ig_node *map) {
  ig_node **end = &map->child, *merged = NULL;
  int keys = 0;
  for (;;) {
    IG_TRY(next(r));
    if (r->event.type == YAML_MAPPING_END_EVENT)
      return merged ? merge(r, map, merged) : IG_OK;
    const ig_src at = src_of(r, r->event.start_mark);
    if (r->event.type != YAML_SCALAR_EVENT)
      return ig_fail_at(r->cx, &at, "a key must be a plain word");
    /* The limit bounds the work of finding keys that are given twice, which grows with their
       square. */
    if (++keys > MOST_KEYS)
      return ig_fail_at(r->cx, &at, "more than %d keys in one map", MOST_KEYS);
    const char *key;
    IG_TRY(text_keep(r, &key));
    const bool plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (!*key)
      return ig_fail_at(r->cx, &at, "a key is empty");
    /* YAML forbids a key that comes twice; many readers keep the last one in silence, which hides
       slips of the pen. */
    const ig_node *before = ig_node_find(map, key);
    const bool is_merge = plain && strcmp(key, "<<") == 0;
    if (before || (is_merge && merged))
      return ig_fail_at(r->cx, &at, "key '%.60s' is given twice, first in line %d", key,
                        (before ? before : merged)->key_at.line);
    /* The value may be of any kind; its key and place are set on the node. */
    IG_TRY(next(r));
    ig_node *value;
    IG_TRY(value_read(r, &value));
    value->key = key;
    value->key_at = at;
    if (is_merge) {
      merged = value;
    } else {
      *end = value;
      end = &value->next;
    }
  }
}

/* Reads the value whose first event is at hand: scalar, list, map or alias. */
static ig_status value_read(reader *r, ig_node **node) {
  const ig_src at = src_of(r, r->event.start_mark);
  if (r->depth >= MOST_DEPTH)
    return ig_fail_at(r->cx, &at, "more than %d levels of nesting", MOST_DEPTH);
  int number;
  ig_status status;
  switch (r->event.type) {
  case YAML_ALIAS_EVENT:
    return alias_read(r, node);
  case YAML_SCALAR_EVENT:
    IG_TRY(node_new(r, IG_NODE_SCALAR, at, node));
    /* An anchor is noted before the value is complete, so that an alias to it from within can be
       recognised and refused. */
    IG_TRY(anchor_note(r, r->event.data.scalar.anchor, r->event.data.scalar.tag, *node, &number));
    (*node)->quoted = r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    status = text_keep(r, &(*node)->text);
    if (!(*node)->quoted && status == IG_OK &&
        (strcmp((*node)->text, "~") == 0 || strcmp((*node)->text, "null") == 0))
      (*node)->text = ""; /* YAML's words for nothing */
    break;
  case YAML_SEQUENCE_START_EVENT:
    IG_TRY(node_new(r, IG_NODE_LIST, at, node));
    IG_TRY(anchor_note(r, r->event.data.sequence_start.anchor, r->event.data.sequence_start.tag,
                       *node, &number));
    /* Depth counts lists and maps alike. */
    r->depth++;
    status = list_read(r, *node);
    r->depth--;
    break;
  case YAML_MAPPING_START_EVENT:
    IG_TRY(node_new(r, IG_NODE_MAP, at, node));
    IG_TRY(anchor_note(r, r->event.data.mapping_start.anchor, r->event.data.mapping_start.tag,
                       *node, &number));
    r->depth++;
    status = map_read(r, *node);
    r->depth--;
    break;
  default:
    return ig_fail_at(r->cx, &at, "not valid YAML: a value is missing");
  }
  if (number >= 0)
    r->anchor[number].open = false;
  return status;
}

/* Exactly one document, whose top is a map. */
static ig_status document_read(reader *r, ig_node **root) {
  const ig_src top = {r->file, 1, 1, true};
  IG_TRY(next(r)); /* stream start */
  IG_TRY(next(r));
  if (r->event.type == YAML_STREAM_END_EVENT)
    return ig_fail_at(r->cx, &top,
                      "the file is empty: expected a map of keys, 'physics' among them");
  IG_TRY(next(r)); /* past document start */
  const ig_src at = src_of(r, r->event.start_mark);
  IG_TRY(value_read(r, root));
  if ((*root)->kind != IG_NODE_MAP)
    return ig_fail_at(r->cx, &at, "expected a map of keys (key: value) at the top level");
  IG_TRY(next(r)); /* document end */
  IG_TRY(next(r));
  if (r->event.type != YAML_STREAM_END_EVENT) {
    const ig_src more = src_of(r, r->event.start_mark);
    return ig_fail_at(r->cx, &more, "a second document starts here: a case is one document");
  }
  return IG_OK;
}

/* The arena keeps all nodes and texts, so the bytes may be freed afterwards. `name` is for messages
   only. Exactly one document is expected. Nodes live in the arena, also after a failure. */
ig_status ig_yaml_read(ig_ctx *cx, ig_arena *arena, const char *name, const unsigned char *bytes,
                       size_t size, ig_node **root) {
  reader r = {.cx = cx, .arena = arena, .bytes = bytes, .size = size};
  *root = NULL;
  IG_TRY(ig_arena_text(cx, arena, &r.file, name, strlen(name)));
  if (size > MOST_BYTES)
    return ig_fail_at(cx, &(ig_src){r.file, 1, 1, true}, "the file is larger than %d MiB",
                      MOST_BYTES >> 20);
  IG_TRY(IG_NEW(cx, &r.anchor, MOST_ANCHORS, "anchors"));
  ig_status status = IG_MEMORY;
  if (yaml_parser_initialize(&r.parser)) {
    yaml_parser_set_input_string(&r.parser, bytes, size);
    status = document_read(&r, root);
    if (r.have_event)
      yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
  } else {
    status = IG_FAIL(cx, IG_MEMORY, "%s: no memory to read it", name);
  }
  free(r.anchor);
  return status;
}

/* The text can go once the tree is there: the arena has copies. */
ig_status ig_yaml_open(ig_ctx *cx, ig_arena *arena, const char *path, ig_node **root) {
  char *text;
  size_t size;
  *root = NULL;
  IG_TRY(ig_file_read(cx, path, MOST_BYTES, &text, &size));
  const ig_status status = ig_yaml_read(cx, arena, path, (unsigned char *)text, size, root);
  free(text);
  return status;
}
