/* ig_run_and_finish: a run, the analysis of its part, and the figures of both in one summary.

   The summary of the run is read as a tree and written again: what the part's own summary has under
   `result` follows with `finished_` before its keys, `feasible` is no where the part says so, and
   its warnings are added. A run that is up to date and has a finished part is left alone. */
#include "finish/finish.h"
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/format/case_yaml.h"
#include "io/result/result_folder.h"
#include "ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A value as it was read. */
static void value_write(ig_json *json, const char *key, const ig_node *node) {
  if (node->kind == IG_NODE_SCALAR) {
    if (node->quoted)
      ig_json_text(json, key, node->text);
    else
      ig_json_raw(json, key, *node->text ? node->text : "null"); /* read as an empty text */
    return;
  }
  const bool map = node->kind == IG_NODE_MAP;
  (map ? ig_json_object : ig_json_list)(json, key);
  for (const ig_node *n = node->child; n; n = n->next)
    value_write(json, map ? n->key : NULL, n);
  ig_json_end(json, map ? '}' : ']');
}

static void section_write(ig_json *json, const ig_node *run, const ig_node *part,
                          const char *feasible) {
  ig_json_object(json, run->key);
  for (const ig_node *n = run->child; n; n = n->next)
    if (feasible && strcmp(n->key, "feasible") == 0)
      ig_json_text(json, n->key, feasible);
    else
      value_write(json, n->key, n);
  for (const ig_node *n = part ? part->child : NULL; n; n = n->next) {
    char key[96];
    snprintf(key, sizeof key, "finished_%s", n->key);
    value_write(json, key, n);
  }
  ig_json_end(json, '}');
}

static void warned_write(ig_json *json, const ig_node *run, const ig_node *part) {
  ig_json_list(json, "warned");
  for (const ig_node *n = run ? run->child : NULL; n; n = n->next)
    value_write(json, NULL, n);
  for (const ig_node *n = part ? part->child : NULL; n; n = n->next)
    value_write(json, NULL, n);
  ig_json_end(json, ']');
}

static const char *text_of(const ig_node *map, const char *key) {
  const ig_node *node = map ? ig_node_find(map, key) : NULL;
  return node && node->text ? node->text : "";
}

/* What the design keeps the part may exceed; the other way round the design stays infeasible. */
static void feasible_join(const ig_node *run, const ig_node *part, char *text, size_t size) {
  const char *design = text_of(ig_node_find(run, "result"), "feasible"),
             *own = text_of(ig_node_find(part, "result"), "feasible");
  if (strncmp(design, "yes", 3) == 0 && strncmp(own, "no: ", 4) == 0)
    snprintf(text, size, "no: of the finished part: %s", own + 4);
  else
    snprintf(text, size, "%s", design);
}

static ig_status tree_read(ig_ctx *cx, ig_arena *arena, const char *folder, const char *name,
                           ig_node **root) {
  char *path = ig_path_join(folder, name);
  if (!path)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  const ig_status status = ig_yaml_open(cx, arena, path, root);
  free(path);
  return status;
}

static long count_of(const ig_node *list) {
  long count = 0;
  for (const ig_node *n = list ? list->child : NULL; n; n = n->next)
    count++;
  return count;
}

/* The figures of the part for the caller, too. */
static void figures_tell(const ig_node *part, const char *feasible, const ig_run_options *o) {
  const ig_node *result = ig_node_find(part, "result"), *units = ig_node_find(part, "units");
  for (const ig_node *n = result ? result->child : NULL; n; n = n->next) {
    char key[96], *end;
    if (!n->quoted && !*n->text)
      continue;
    snprintf(key, sizeof key, "finished_%s", n->key);
    o->figure(o->user, key, n->quoted ? 0 : ig_decimal_read(n->text, &end), text_of(units, n->key),
              n->quoted ? n->text : NULL);
  }
  o->figure(o->user, "feasible", 0, "", feasible);
}

static ig_status summaries_join(ig_ctx *cx, ig_arena *arena, const char *out,
                                const ig_run_options *o) {
  ig_node *run = NULL, *part = NULL;
  ig_json json = {0};
  char feasible[400];
  IG_TRY(tree_read(cx, arena, out, IG_SUMMARY, &run));
  IG_TRY(tree_read(cx, arena, out, IG_FINISHED "/" IG_SUMMARY, &part));
  if (*text_of(ig_node_find(run, "result"), "finished_feasible"))
    return IG_OK; /* joined already */
  feasible_join(run, part, feasible, sizeof feasible);
  const ig_node *more = ig_node_find(part, "warned");
  ig_json_object(&json, NULL);
  bool warned = false;
  for (const ig_node *n = run->child; n; n = n->next)
    if (strcmp(n->key, "result") == 0 || strcmp(n->key, "units") == 0) {
      section_write(&json, n, ig_node_find(part, n->key), feasible);
    } else if (strcmp(n->key, "warnings") == 0) {
      ig_json_int(&json, n->key, strtol(n->text, NULL, 10) + count_of(more));
    } else if (strcmp(n->key, "warned") == 0) {
      warned_write(&json, n, more);
      warned = true;
    } else {
      value_write(&json, n->key, n);
    }
  if (!warned)
    warned_write(&json, NULL, more);
  ig_json_end(&json, '}');
  ig_text_add(&json.text, "\n");
  const ig_status status = ig_store_text(cx, out, IG_SUMMARY, &json.text);
  free(json.text.at);
  if (status == IG_OK && o && o->figure)
    figures_tell(part, feasible, o);
  return status;
}

/* Whether the folder has a finished part already. */
static bool done(const char *out) {
  char *path = ig_path_join(out, IG_FINISHED "/" IG_SUMMARY);
  const bool there = path && access(path, R_OK) == 0;
  free(path);
  return there;
}

static ig_status part_finish(ig_case *c, const char *out, const ig_run_options *o) {
  ig_ctx *cx = c->cx;
  ig_arena *arena = NULL;
  ig_status status = done(out) ? IG_OK : ig_finish(cx, out, NULL);
  if (status == IG_OK)
    status = ig_arena_new(cx, &arena);
  if (status == IG_OK)
    status = summaries_join(cx, arena, out, o);
  ig_arena_free(arena);
  return status;
}

ig_status ig_finish_after(ig_case *c, const ig_run_options *options) {
  IG_TRY(ig_case_usable(c));
  ig_ctx *cx = c->cx;
  const ig_node *physics = ig_node_find(c->root, "physics"),
                *finish = ig_node_find(c->root, "finish");
  if (!finish || !physics || !physics->text || strcmp(physics->text, "topopt") != 0)
    return IG_OK;
  if (!options || !options->out)
    return ig_fail_at(cx, &finish->key_at,
                      "finish: the part is read from an output folder: give one");
  ig_ranks *ranks = cx->ranks;
  ig_status status = IG_OK;
  if (ig_ranks_first(cx)) { /* alone, as if there were no others */
    cx->ranks = NULL;
    status = part_finish(c, options->out, options);
    cx->ranks = ranks;
  }
  return ig_ranks_agree(cx, status);
}

ig_status ig_run_and_finish(ig_case *c, const ig_run_options *options) {
  IG_TRY(ig_case_usable(c));
  const ig_node *finish = ig_node_find(c->root, "finish");
  if (finish && !(options && options->out))
    return ig_fail_at(c->cx, &finish->key_at,
                      "finish: the part is read from an output folder: give one");
  IG_TRY(ig_run(c, options));
  return finish ? ig_finish_after(c, options) : IG_OK;
}
