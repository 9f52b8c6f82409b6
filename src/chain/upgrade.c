/* Case files of earlier versions: the words of core/renamed.c are replaced where they stand.

   The file is read as a tree, whose nodes keep the line and column of their tokens, and walked
   along the tables of options that would read it. Each old word becomes an edit of some bytes at a
   place; nothing else of the text is touched. The result is read again before it is written: it
   must be valid YAML and have no old word left. */
#include <ingot/upgrade.h>
#include "chain/chain.h"
#include "core/renamed.h"
#include "io/format/atomic_file.h"
#include "io/format/case_yaml.h"
#include "io/format/json.h"
#include "run/rooms.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The largest file that is read, as in case_yaml.c. */
enum { MOST_BYTES = 16 << 20 }; /* as case_yaml.c */

/* Replaces `length` bytes at `at` by the word `now`, which is a constant of core/renamed.c. */
typedef struct {
  size_t at, length; /* bytes of the text that go */
  const char *now;
} edit;

/* One file while it is upgraded. The text is the caller's; edits are collected in any order. */
typedef struct {
  ig_ctx *cx;
  ig_arena *arena;
  const char *path;
  const char *text;
  size_t size;
  int count, room;
  edit *edit;
  ig_renamed_fn *each;
  void *user;
} upgrade;

/* --- places in the text */

/* Bytes of the line break at `p`, as YAML 1.1 counts lines: CR LF, CR, LF, and the Unicode breaks
   NEL, LS and PS in UTF-8; 0: there is none. */
static size_t line_break(const char *p, size_t left) {
  const unsigned char *u = (const unsigned char *)p;
  if (u[0] == '\r')
    return left > 1 && u[1] == '\n' ? 2 : 1;
  if (u[0] == '\n')
    return 1;
  if (left > 1 && u[0] == 0xc2 && u[1] == 0x85)
    return 2;
  return left > 2 && u[0] == 0xe2 && u[1] == 0x80 && (u[2] == 0xa8 || u[2] == 0xa9) ? 3 : 0;
}

/* The byte at which a line and column (characters, both from 1) stand. A byte order mark at the
   start counts for neither; bytes 10xxxxxx continue a UTF-8 character. */
static size_t offset_of(const upgrade *u, const ig_src *at) {
  size_t i = u->size >= 3 && memcmp(u->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  for (int line = 1; line < at->line && i < u->size;) {
    const size_t n = line_break(u->text + i, u->size - i);
    line += n > 0;
    i += n ? n : 1;
  }
  for (int column = 1; column < at->column && i < u->size; column++)
    do
      i++;
    while (i < u->size && ((unsigned char)u->text[i] & 0xc0) == 0x80);
  return i;
}

/* Whether the token stands at `i`, plain or in quotes, without escapes; *i: its first character. */
static bool token_at(const upgrade *u, const char *token, size_t *i) {
  const size_t length = strlen(token);
  const char quote = *i < u->size ? u->text[*i] : '\0';
  const bool quoted = quote == '\'' || quote == '"';
  *i += quoted;
  return *i + length + quoted <= u->size && memcmp(u->text + *i, token, length) == 0 &&
         (!quoted || u->text[*i + length] == quote);
}

/* Called for each old word found in the tree. Words that do not stand in the text as they are
   (escapes, anchors, several lines) are refused rather than guessed. r->offset is where within the
   token the word stands, for paths such as output.every. */
static ig_status edit_add(void *user, const ig_rename *r) {
  upgrade *u = user;
  size_t at = offset_of(u, r->at);
  if (!token_at(u, r->token, &at))
    return ig_fail_at(u->cx, r->at,
                      "'%.60s' is called '%s' now, but stands behind an anchor or is written with "
                      "escapes or on several lines: change it by hand",
                      r->was, r->now);
  at += (size_t)r->offset;
  for (int i = 0; i < u->count; i++)
    if (u->edit[i].at == at)
      return IG_OK; /* an alias of it was there before */
  if (u->count == u->room) {
    const int room = u->room ? 2 * u->room : 64;
    edit *more = realloc(u->edit, (size_t)room * sizeof *more);
    if (!more)
      return IG_FAIL(u->cx, IG_MEMORY, "no memory for %d words of '%s'", room, u->path);
    u->edit = more;
    u->room = room;
  }
  u->edit[u->count++] = (edit){at, strlen(r->was), r->now};
  if (u->each)
    u->each(u->user, &(ig_renamed_word){u->path, r->at->line, r->at->column, r->was, r->now});
  return IG_OK;
}

/* --- what kind of file it is, and which keys it has */

/* Tables of options that read one map; at most three. */
typedef struct {
  int count;
  const ig_option *table[3];
} tables;

/* Of a case, or of a stage of a chain; a room that does not exist has no keys of its own. */
static tables case_tables(const ig_node *map) {
  const ig_node *physics = ig_node_find(map, "physics");
  const ig_room *room = physics && physics->text ? ig_room_find(physics->text) : NULL;
  tables t = {.table = {ig_common_options, ig_stage_keys}, .count = 2};
  if (room)
    t.table[t.count++] = room->options;
  return t;
}

/* Keys beside the stages, then each stage by the tables of its own room. */
static ig_status chain_find(upgrade *u, const ig_node *root) {
  static const ig_option *const top[] = {ig_common_options, ig_chain_keys};
  const ig_node *stages = ig_node_find(root, "stages");
  IG_TRY(ig_renames_find(root, top, 2, edit_add, u));
  for (const ig_node *stage = stages->child; stage; stage = stage->next) {
    const tables t = case_tables(stage);
    IG_TRY(ig_renames_find(stage, t.table, t.count, edit_add, u));
  }
  return IG_OK;
}

/* The keys of `set` or `vary` are paths into the case `of`, or, as stages.NAME.KEY, into a stage of
   that chain; `skip` is the length of that beginning. */
static ig_status paths_find(upgrade *u, const ig_node *map, const ig_node *of) {
  const ig_node *stages = ig_node_find(of, "stages");
  for (const ig_node *v = map && map->kind == IG_NODE_MAP ? map->child : NULL; v; v = v->next) {
    int skip = 0;
    tables t = case_tables(of);
    const ig_node *stage = stages && strncmp(v->key, "stages.", 7) == 0 ? stages->child : NULL;
    for (; stage && !skip; stage = stage->next) {
      /* A dot must follow the name, so that a name which begins another one is no match. */
      const size_t length = strlen(stage->key);
      if (strncmp(v->key + 7, stage->key, length) == 0 && v->key[7 + length] == '.') {
        skip = 8 + (int)length;
        t = case_tables(stage);
      }
    }
    IG_TRY(ig_renames_find_path(v, skip, t.table, t.count, edit_add, u));
  }
  return IG_OK;
}

/* The case that a map of a sweep names, from the sweep's folder; *of stays if it names none. */
static ig_status case_open(upgrade *u, const ig_node *map, const ig_node **of) {
  const ig_node *name = ig_node_find(map, "case");
  const char *slash = strrchr(u->path, '/');
  char path[PATH_MAX];
  ig_node *root;
  if (!name || !name->text)
    return IG_OK;
  if (*name->text == '/' || !slash)
    snprintf(path, sizeof path, "%s", name->text);
  else
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - u->path), u->path, name->text);
  IG_TRY(ig_yaml_open(u->cx, u->arena, path, &root));
  *of = root;
  return IG_OK;
}

/* Paths of all runs are read by the first case there is: cases of one sweep are of one kind. A
   sweep without a case that can be opened has nothing to rename. */
static ig_status sweep_find(upgrade *u, const ig_node *root) {
  const ig_node *of = NULL, *runs = ig_node_find(root, "runs");
  IG_TRY(case_open(u, root, &of));
  const ig_node *all = of;
  for (const ig_node *run = runs ? runs->child : NULL; run; run = run->next) {
    const ig_node *own = of;
    IG_TRY(case_open(u, run, &own));
    all = all ? all : own;
    if (own)
      IG_TRY(paths_find(u, ig_node_find(run, "set"), own));
  }
  if (!all)
    return IG_OK;
  IG_TRY(paths_find(u, ig_node_find(root, "set"), all));
  return paths_find(u, ig_node_find(root, "vary"), all);
}

/* A file of a single material: every key of it is one of a material. */
static bool is_material(const ig_node *root) {
  bool all = root->child != NULL;
  for (const ig_node *child = root->child; child && all; child = child->next) {
    const ig_option *o = ig_material_options;
    while (o->key && strcmp(o->key, child->key) != 0)
      o++;
    all = o->key != NULL;
  }
  return all;
}

/* The kind of file follows from its keys, in an order in which none is mistaken for another. */
static ig_status words_find(upgrade *u) {
  ig_node *root;
  IG_TRY(ig_yaml_read(u->cx, u->arena, u->path, (const unsigned char *)u->text, u->size, &root));
  if (ig_node_find(root, "stages"))
    return chain_find(u, root);
  if (ig_node_find(root, "physics")) {
    const tables t = case_tables(root);
    return ig_renames_find(root, t.table, t.count, edit_add, u);
  }
  if (ig_node_find(root, "case") || ig_node_find(root, "runs"))
    return sweep_find(u, root);
  if (is_material(root))
    return ig_renames_find(root, (const ig_option *const[]){ig_material_options}, 1, edit_add, u);
  return ig_fail_at(
      u->cx, &root->at,
      "neither a case ('physics'), a chain ('stages'), a sweep ('case' or 'runs') nor "
      "a material");
}

/* --- the new text */

static int by_place(const void *a, const void *b) {
  const edit *p = a, *q = b;
  return (p->at > q->at) - (p->at < q->at);
}

/* Copies the text with all edits; comments and layout stay as they are. */
static ig_status text_make(upgrade *u, ig_text *to) {
  size_t from = 0;
  if (u->count)
    qsort(u->edit, (size_t)u->count, sizeof *u->edit, by_place);
  for (int i = 0; i < u->count; i++) {
    ig_text_add_bytes(to, u->text + from, u->edit[i].at - from);
    ig_text_add(to, u->edit[i].now);
    from = u->edit[i].at + u->edit[i].length;
  }
  ig_text_add_bytes(to, u->text + from, u->size - from);
  return to->failed ? IG_FAIL(u->cx, IG_MEMORY, "%s: no memory to rewrite it", u->path) : IG_OK;
}

/* What is to be written must be readable, and the same after another upgrade. */
static ig_status text_check(const upgrade *u, const ig_text *made) {
  upgrade again = {.cx = u->cx, .arena = u->arena, .path = u->path};
  /* The second look reports nothing to the caller: it has no callback. */
  again.text = made->at;
  again.size = made->length;
  ig_status status = words_find(&again);
  if (status == IG_OK && again.count)
    status = IG_FAIL(u->cx, IG_INPUT, "%s: '%s' could not be replaced everywhere", u->path,
                     again.edit[0].now);
  free(again.edit);
  return status;
}

/* A link stays a link: the file that it leads to is replaced, and keeps its permissions. */
static ig_status text_store(const upgrade *u, const char *to, const ig_text *made) {
  char real[PATH_MAX];
  struct stat old;
  const bool there = realpath(to, real) && stat(real, &old) == 0;
  IG_TRY(ig_store(u->cx, there ? real : to, made->at, made->length));
  if (there && chmod(real, old.st_mode & 07777) != 0)
    ig_warn(u->cx, "%s: its permissions could not be kept", real);
  return IG_OK;
}

/* Nothing is written unless the new text was read again without fault. A file without old words is
   left alone, or copied where it is to go elsewhere. */
static ig_status upgrade_file(upgrade *u, const char *to) {
  ig_text made = {0};
  ig_status status = words_find(u);
  if (status == IG_OK && u->count) {
    IG_TRY_GOTO(status, done, text_make(u, &made));
    status = text_check(u, &made);
  } else if (status == IG_OK) {
    ig_text_add_bytes(&made, u->text, u->size);
    status = made.failed ? IG_FAIL(u->cx, IG_MEMORY, "%s: no memory to copy it", u->path) : IG_OK;
  }
  if (status == IG_OK && to && (u->count || strcmp(to, u->path) != 0))
    status = text_store(u, to, &made);
done:
  free(made.at);
  return status;
}

/* to may be NULL: words are only counted and reported through `each`, which may be NULL too. */
ig_status ig_case_upgrade(ig_ctx *cx, const char *path, const char *to, ig_renamed_fn *each,
                          void *user, int *words) {
  if (!cx)
    return IG_ARG;
  if (words)
    *words = 0;
  if (!path)
    return IG_FAIL(cx, IG_ARG, "no path of a case is given");
  upgrade u = {.cx = cx, .path = path, .each = each, .user = user};
  char *text = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_arena_new(cx, &u.arena));
  IG_TRY_GOTO(status, done, ig_file_read(cx, path, MOST_BYTES, &text, &u.size));
  u.text = text;
  status = upgrade_file(&u, to);
  if (words)
    *words = u.count;
done:
  free(text);
  free(u.edit);
  ig_arena_free(u.arena);
  return status;
}
