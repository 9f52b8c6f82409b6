/* Sweeps: the list of runs that a sweep file and the command line describe, and the table of their
   results.

   runs = (case, or each of `runs`) x (every combination of the values in `vary`)

   Runs are only described here; cli/cmd_sweep.c starts them, each as a process or a thread,
   with the settings as --set. */
#include "chain/sweep.h"
#include "chain/chain.h"
#include "chain/run_sets.h"
#include "io/format/case_yaml.h"
#include "io/format/csv.h"
#include "io/format/json.h"
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limits that keep a slip in a list from making millions of runs, and a table within what a
   spreadsheet opens. */
enum { MAX_RUNS = 100000, MAX_KEYS = 64, MAX_FIGURES = 512 };

/* One key and the values it takes, as texts that --set takes back. */
typedef struct {
  const char *key;
  int count;
  const char **value, **from; /* from: where it stands, "sweep.yaml:3:12" */
} axis;

/* One run: its folder's name, its case file, and its settings. All texts are in the arena. */
typedef struct {
  const char *name, *path;
  ig_src at; /* its entry in the file; the file where there is none */
  int sets;
  const char **set, **from;    /* from: where it stands; NULL: --set */
  const char *value[MAX_KEYS]; /* of sweep.key, NULL: not set in this run */
} one_run;

/* Public as an opaque type. The arena has all texts and arrays; closing frees it at once. */
struct ig_sweep {
  ig_ctx *cx;
  ig_arena *arena;
  const char *file; /* the sweep file */
  int count;
  one_run *run;
  int keys; /* the columns of the table: all that differ between runs */
  const char *key[MAX_KEYS];
  ig_texts figures; /* those that come first in the table */
};

/* --- values as text */

/* "KEY=VALUE" (key NULL: the value alone), in the sweep's memory. */
static ig_status set_text(ig_sweep *s, const char *key, const ig_node *value, const char **text) {
  return ig_set_text(s->cx, s->arena, key, value, text);
}

/* "KEY=VALUE" of two texts, in the sweep's memory. */
static ig_status joined(ig_sweep *s, const char *key, const char *value, const char **text) {
  const ig_node scalar = {.kind = IG_NODE_SCALAR, .text = value};
  return ig_set_text(s->cx, s->arena, key, &scalar, text);
}

static ig_status label_text(ig_sweep *s, const ig_src *at, const char *key, const char **label) {
  return ig_set_label(s->cx, s->arena, at, key, label);
}

/* --- what varies */

/* The column of a key in the table of results, added when it is new. */
static ig_status column(ig_sweep *s, const char *key, const ig_src *at, int *place) {
  for (*place = 0; *place < s->keys; ++*place)
    if (strcmp(s->key[*place], key) == 0)
      return IG_OK;
  if (s->keys == MAX_KEYS)
    return ig_fail_at(s->cx, at, "more than %d different keys vary", MAX_KEYS);
  s->key[s->keys++] = key;
  return IG_OK;
}

/* The values of one key; a single value is a list of one. Each keeps the place where it stands. */
static ig_status axis_read(ig_sweep *s, const char *key, const ig_node *values, axis *a) {
  const bool list = values->kind == IG_NODE_LIST;
  a->key = key;
  a->count = 0;
  for (const ig_node *v = list ? values->child : values; v; v = list ? v->next : NULL)
    a->count++;
  if (a->count == 0)
    return ig_fail_at(s->cx, &values->at, "vary: '%.80s' has no values: give a list, [1, 2, 3]",
                      key);
  if (a->count > MAX_RUNS)
    return ig_fail_at(s->cx, &values->at, "vary: '%.80s' has more than %d values", key, MAX_RUNS);
  IG_TRY(ig_arena_take(s->cx, s->arena, (void **)&a->value, (size_t)a->count, sizeof *a->value));
  IG_TRY(ig_arena_take(s->cx, s->arena, (void **)&a->from, (size_t)a->count, sizeof *a->from));
  int i = 0;
  for (const ig_node *v = list ? values->child : values; v; v = list ? v->next : NULL, i++) {
    IG_TRY(set_text(s, NULL, v, &a->value[i]));
    IG_TRY(label_text(s, &v->at, key, &a->from[i]));
  }
  return IG_OK;
}

typedef struct {
  int count;
  axis axis[MAX_KEYS];
} axes;

/* Adds a key to those that vary; one that does twice would make runs twice. */
static ig_status axis_add(ig_sweep *s, axes *all, const char *key, const ig_node *values) {
  int place;
  for (int i = 0; i < all->count; i++)
    if (ig_key_same(all->axis[i].key, key))
      return ig_fail_at(s->cx, &values->at, "'%.80s' varies twice", key);
  IG_TRY(column(s, key, &values->at, &place));
  return axis_read(s, key, values, &all->axis[all->count++]);
}

/* Reads --vary "KEY=V1, V2, V3": the values are parsed as a YAML list, so that they may be lists or
   maps themselves. */
static ig_status axis_parse(ig_sweep *s, axes *all, const char *text) {
  const ig_src at = {.file = "--vary", .given = true};
  const char *equals = strchr(text, '='), *key;
  ig_node *values;
  if (!equals || equals == text || !equals[1])
    return IG_FAIL(s->cx, IG_INPUT, "--vary '%.200s': expected KEY=V1, V2, V3", text);
  IG_TRY(ig_arena_text(s->cx, s->arena, &key, text, (size_t)(equals - text)));
  ig_text list = {0};
  ig_text_add(&list, "[");
  ig_text_add(&list, equals + 1);
  ig_text_add(&list, "]");
  ig_status status = list.failed ? IG_FAIL(s->cx, IG_MEMORY, "no memory for a value")
                                 : ig_node_parse(s->cx, s->arena, list.at, at, &values);
  free(list.at);
  return status == IG_OK ? axis_add(s, all, key, values) : status;
}

/* --- the runs */

/* What the expansion of all entries shares. */
typedef struct {
  const ig_sweep_options *options;
  const ig_node *set; /* for all */
  const axes *axes;
  int combinations;
} plan;

/* Children of a map; 0 for NULL. */
static int children(const ig_node *map) {
  int n = 0;
  for (const ig_node *child = map ? map->child : NULL; child; child = child->next)
    n++;
  return n;
}

/* The sets of one run: the file's for all, the entry's own, the combination's, the command line's;
   what comes later wins. */
static ig_status run_fill(ig_sweep *s, const plan *p, const ig_node *own, int combination,
                          one_run *run) {
  const int most = children(p->set) + children(own) + p->axes->count + p->options->sets;
  int place;
  /* One entry more than needed, so that an empty run still has an array. */
  IG_TRY(ig_arena_take(s->cx, s->arena, (void **)&run->set, (size_t)most + 1, sizeof *run->set));
  IG_TRY(ig_arena_take(s->cx, s->arena, (void **)&run->from, (size_t)most + 1, sizeof *run->from));
  for (const ig_node *v = p->set ? p->set->child : NULL; v; v = v->next) {
    IG_TRY(label_text(s, &v->at, v->key, &run->from[run->sets]));
    IG_TRY(set_text(s, v->key, v, &run->set[run->sets++]));
  }
  for (const ig_node *v = own ? own->child : NULL; v; v = v->next) {
    IG_TRY(label_text(s, &v->at, v->key, &run->from[run->sets]));
    IG_TRY(set_text(s, v->key, v, &run->set[run->sets++]));
    IG_TRY(column(s, v->key, &v->at, &place));
    IG_TRY(set_text(s, NULL, v, &run->value[place]));
  }
  /* The number of a combination is read as digits in a mixed radix: its last digit belongs to the
     last key. */
  for (int i = p->axes->count - 1; i >= 0; i--) { /* the last varies fastest */
    const axis *a = &p->axes->axis[i];
    const char *value = a->value[combination % a->count];
    run->from[run->sets] = a->from[combination % a->count];
    combination /= a->count;
    IG_TRY(joined(s, a->key, value, &run->set[run->sets++]));
    IG_TRY(column(s, a->key, &(ig_src){.file = s->file}, &place));
    run->value[place] = value;
  }
  for (int i = 0; i < p->options->sets; i++)
    run->set[run->sets++] = p->options->set[i];
  return IG_OK;
}

/* Names become folders: safe characters only, and none that hides the folder. */
static bool good_name(const char *name) {
  return *name && *name != '.' && strlen(name) < 100 &&
         !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.=+")];
}

typedef struct {
  ig_src at;
  ig_texts figures;
} sweep_case;

/* `case`, `set`, `vary` and `runs` are read from the tree: their keys are the cases' own. */
static ig_status keys_check(ig_sweep *s, const ig_node *map, const char *allowed) {
  for (const ig_node *child = map->child; child; child = child->next)
    if (ig_choices_find(allowed, child->key) < 0) {
      char near[64], all[256];
      const bool found = ig_nearest(child->key, allowed, near, sizeof near);
      ig_choices_list(allowed, all, sizeof all);
      return ig_fail_at(s->cx, &child->key_at, "unknown key '%.60s': %s%s%s", child->key,
                        found ? "did you mean '" : "expected ", found ? near : all,
                        found ? "'?" : "");
    }
  return IG_OK;
}

/* A map in a map: *out is NULL when the key is absent. */
static ig_status map_wanted(ig_sweep *s, const ig_node *map, const char *key, const ig_node **out) {
  *out = ig_node_find(map, key);
  if (*out && (*out)->kind != IG_NODE_MAP)
    return ig_fail_at(s->cx, &(*out)->at, "'%s' must be a map of keys of the case: %s", key,
                      strcmp(key, "vary") == 0 ? "{sources[0].power: [150 W, 200 W]}"
                                               : "{output.count: 1}");
  return IG_OK;
}

/* A text in a map: *out is NULL when the key is absent; empty ones are refused. */
static ig_status text_wanted(ig_sweep *s, const ig_node *map, const char *key, const char **out) {
  const ig_node *node = ig_node_find(map, key);
  *out = NULL;
  if (node && (node->kind != IG_NODE_SCALAR || !*node->text))
    return ig_fail_at(s->cx, &node->at, "'%s' must be a text", key);
  *out = node ? node->text : NULL;
  return IG_OK;
}

/* The file that `case` of a map names, from the sweep file's folder; *path stays if none is named.
 */
static ig_status case_wanted(ig_sweep *s, const ig_node *map, const char **path) {
  const ig_node *node = ig_node_find(map, "case");
  const char *name;
  IG_TRY(text_wanted(s, map, "case", &name));
  if (!name)
    return IG_OK;
  IG_TRY(ig_path_beside(s->cx, s->arena, s->file, name, path));
  return access(*path, R_OK) == 0 ? IG_OK
                                  : ig_fail_at(s->cx, &node->at, "'case': cannot read '%.300s': %s",
                                               *path, strerror(errno));
}

/* Adds all combinations of one entry of `runs` (NULL: the file's own case). Names are NAME-001 and
   so on, or run-001 where an entry has none. `number` counts entries, so that runs without a name
   are numbered through. s->run has room for all combinations of all entries. */
static ig_status entry_expand(ig_sweep *s, const plan *p, const ig_node *entry, const char *path,
                              int number) {
  const ig_node *own = NULL;
  const char *name = NULL;
  if (entry) {
    if (entry->kind != IG_NODE_MAP)
      return ig_fail_at(s->cx, &entry->at, "a run must be a map: {name: a, set: {…}}");
    IG_TRY(keys_check(s, entry, "name|case|set"));
    IG_TRY(map_wanted(s, entry, "set", &own));
    IG_TRY(text_wanted(s, entry, "name", &name));
    if (name && !good_name(name))
      return ig_fail_at(s->cx, &entry->at,
                        "the name '%.60s' is to be a folder: use letters, digits, _ - . = +", name);
    IG_TRY(case_wanted(s, entry, &path));
    if (!path)
      return ig_fail_at(s->cx, &entry->at, "this run has no 'case', nor has the sweep");
  }
  for (int c = 0; c < p->combinations; c++) {
    one_run *run = &s->run[s->count++];
    char text[160];
    run->path = path;
    run->at = entry ? entry->at : (ig_src){.file = s->file};
    if (name)
      snprintf(text, sizeof text, p->combinations > 1 ? "%s-%03d" : "%s", name, c + 1);
    else
      snprintf(text, sizeof text, "run-%03d", number * p->combinations + c + 1);
    IG_TRY(ig_arena_text(s->cx, s->arena, &run->name, text, strlen(text)));
    IG_TRY(run_fill(s, p, own, c, run));
  }
  return IG_OK;
}

/* Order of pointers to runs by their names. */
static int by_name(const void *a, const void *b) {
  const one_run *p = *(const one_run *const *)a, *q = *(const one_run *const *)b;
  return strcmp(p->name, q->name);
}

/* The run of that name, NULL: none. */
static const one_run *run_find(const one_run *const *sorted, int count, const char *name) {
  const one_run key = {.name = name}, *wanted = &key;
  const one_run *const *found =
      bsearch(&wanted, sorted, (size_t)count, sizeof(const one_run *), by_name);
  return found ? *found : NULL;
}

/* Each run has a folder NAME and a file NAME.log beside the table results.csv: none of these may
   have the name of another. Sorted by name, so that equal ones are neighbours and others are found
   by bisection: a sweep may have 100000 runs. */
static ig_status names_check(ig_sweep *s) {
  const one_run **sorted;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(s->cx, &sorted, s->count, "runs"));
  for (int i = 0; i < s->count; i++)
    sorted[i] = &s->run[i];
  qsort(sorted, (size_t)s->count, sizeof *sorted, by_name);
  for (int i = 0; i < s->count && status == IG_OK; i++) {
    char log[160];
    snprintf(log, sizeof log, "%s.log", sorted[i]->name);
    const one_run *other = run_find(sorted, s->count, log);
    if (i > 0 && strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
      status = ig_fail_at(s->cx, &sorted[i]->at, "two runs are named '%s'", sorted[i]->name);
    else if (other)
      status = ig_fail_at(s->cx, &other->at,
                          "the run '%s' has the name of the log of run '%s': give it another",
                          other->name, sorted[i]->name);
    else if (strcmp(sorted[i]->name, "results.csv") == 0)
      status = ig_fail_at(s->cx, &sorted[i]->at,
                          "the run '%s' has the name of the table of results: give it another",
                          sorted[i]->name);
  }
  free(sorted);
  return status;
}

/* --- validation */

/* The case of a run, as its process makes it. */
static ig_status case_make(ig_ctx *cx, const one_run *run, ig_case **out) {
  return ig_case_with(cx, run->path, run->set, run->from, run->sets, out);
}

/* Reads the case of a run, which checks all its keys and values. */
static ig_status case_check(ig_ctx *cx, const one_run *run) {
  ig_case *c;
  ig_status status = case_make(cx, run, &c);
  if (status == IG_OK && !ig_case_is_chain(c)) /* a chain reads its stages when they run */
    status = ig_case_read(c);
  ig_case_close(c);
  return status;
}

/* A context without a callback for warnings: each run reports its own when it is computed. */
static ig_status quiet_open(ig_ctx **quiet) {
  return ig_ctx_open(&(ig_ctx_options){.backend = "cpu", .threads = 1}, quiet);
}

/* Every run is read before the first starts. The first failure is passed on with the run's name. */
static ig_status runs_check(ig_sweep *s) {
  ig_ctx *quiet;
  ig_status status = quiet_open(&quiet);
  int i = 0;
  for (; i < s->count && status == IG_OK; i++)
    status = case_check(quiet, &s->run[i]);
  if (status != IG_OK)
    status = IG_FAIL(s->cx, status, "%s (run '%s')",
                     quiet ? ig_ctx_message(quiet) : ig_status_text(status),
                     i ? s->run[i - 1].name : "");
  ig_ctx_close(quiet);
  return status;
}

/* --- opening */

/* `figures` alone is read by a table of options, from a map made for it on the stack. */
static ig_status figures_read(ig_sweep *s, const ig_node *root) {
  static const ig_option options[] = {
      IG_TEXTS(sweep_case, figures, NULL, "figures of summary.json that come first in the table"),
      IG_END};
  sweep_case c = {0};
  const ig_node *figures = ig_node_find(root, "figures");
  if (!figures)
    return IG_OK;
  ig_node alone = *figures, map = {.kind = IG_NODE_MAP, .at = root->at, .child = &alone};
  alone.next = NULL;
  const ig_option_table table = {options, &c};
  IG_TRY(ig_options_read(s->cx, s->arena, &map, &table, 1));
  s->figures = c.figures;
  return IG_OK;
}

/* Multiplied in 64 bits and stopped at the limit, so that nothing overflows. */
static ig_status combinations_count(ig_sweep *s, axes *all, int entries, int *combinations) {
  int64_t n = 1;
  for (int i = 0; i < all->count && n <= MAX_RUNS; i++)
    n *= all->axis[i].count;
  if (n * entries > MAX_RUNS || n > MAX_RUNS)
    return IG_FAIL(s->cx, IG_INPUT, "%s: more than %d runs", s->file, MAX_RUNS);
  *combinations = (int)n;
  return IG_OK;
}

/* A file with neither `case` nor `runs` is the case itself, varied by the command line alone. */
static ig_status sweep_read(ig_sweep *s, const ig_node *root, const ig_sweep_options *options) {
  const ig_node *vary = NULL, *runs = ig_node_find(root, "runs");
  axes all = {0};
  plan p = {.options = options, .axes = &all};
  const char *path = NULL;
  /* Keys of a case cannot be mistaken for those of a sweep: no case has `case` or `runs`. */
  const bool file = ig_node_find(root, "case") || runs; /* else it is the case itself */
  if (file) {
    IG_TRY(keys_check(s, root, "title|case|set|vary|runs|figures"));
    IG_TRY(map_wanted(s, root, "set", &p.set));
    IG_TRY(map_wanted(s, root, "vary", &vary));
    IG_TRY(case_wanted(s, root, &path));
    IG_TRY(figures_read(s, root));
    if (runs && (runs->kind != IG_NODE_LIST || !runs->child))
      return ig_fail_at(s->cx, &runs->at, "'runs' must be a list: [{name: a, set: {…}}, …]");
  } else {
    path = s->file;
  }
  for (const ig_node *v = vary ? vary->child : NULL; v; v = v->next)
    IG_TRY(axis_add(s, &all, v->key, v));
  for (int i = 0; i < options->varied; i++)
    IG_TRY(axis_parse(s, &all, options->vary[i]));
  if (!runs && all.count == 0)
    return IG_FAIL(s->cx, IG_INPUT,
                   "%s: nothing varies: give --vary KEY=V1,V2, or a sweep file with 'case' and "
                   "'vary' or 'runs'",
                   s->file);
  /* Runs are counted first: their array is taken from the arena in one piece. */
  const int entries = runs ? children(runs) : 1;
  IG_TRY(combinations_count(s, &all, entries, &p.combinations));
  IG_TRY(ig_arena_take(s->cx, s->arena, (void **)&s->run, (size_t)entries * (size_t)p.combinations,
                       sizeof *s->run));
  if (!runs)
    return entry_expand(s, &p, NULL, path, 0);
  int number = 0;
  for (const ig_node *entry = runs->child; entry; entry = entry->next)
    IG_TRY(entry_expand(s, &p, entry, path, number++));
  return IG_OK;
}

/* Opens and checks a sweep; options may be NULL. On failure *sweep is NULL. */
ig_status ig_sweep_open(ig_ctx *cx, const char *path, const ig_sweep_options *options,
                        ig_sweep **sweep) {
  if (!cx || !sweep)
    return IG_ARG;
  *sweep = NULL;
  if (!path)
    return IG_FAIL(cx, IG_ARG, "no path of a sweep is given");
  const ig_sweep_options none = {0};
  ig_sweep *s;
  ig_node *root = NULL;
  ig_status status;
  IG_TRY(IG_NEW(cx, &s, 1, "sweep"));
  s->cx = cx;
  IG_TRY_GOTO(status, done, ig_arena_new(cx, &s->arena));
  IG_TRY_GOTO(status, done, ig_arena_text(cx, s->arena, &s->file, path, strlen(path)));
  IG_TRY_GOTO(status, done, ig_yaml_open(cx, s->arena, path, &root));
  IG_TRY_GOTO(status, done, sweep_read(s, root, options ? options : &none));
  IG_TRY_GOTO(status, done, names_check(s));
  IG_TRY_GOTO(status, done, runs_check(s));
  *sweep = s;
done:
  if (status != IG_OK)
    ig_sweep_close(s);
  return status;
}

/* NULL is allowed. */
void ig_sweep_close(ig_sweep *sweep) {
  if (!sweep)
    return;
  ig_arena_free(sweep->arena);
  free(sweep);
}

int ig_sweep_count(const ig_sweep *sweep) {
  return sweep ? sweep->count : 0;
}

int ig_sweep_keys(const ig_sweep *sweep) {
  return sweep->keys;
}

/* The texts of a run belong to the sweep. */
ig_status ig_sweep_at(const ig_sweep *sweep, int i, ig_sweep_run *run) {
  if (!sweep || !run || i < 0 || i >= sweep->count)
    return IG_ARG;
  const one_run *r = &sweep->run[i];
  *run = (ig_sweep_run){.name = r->name, .path = r->path, .sets = r->sets, .set = r->set};
  return IG_OK;
}

/* --- results */

/* Columns of figures, in the order in which they were met. Further ones than MAX_FIGURES are left
   out of the table. */
typedef struct {
  int figures;
  const char *figure[MAX_FIGURES];
  const char *heading[MAX_FIGURES]; /* "name [unit]" */
} heads;

/* The unit is the one of the first run that has the figure. */
static ig_status head_add(ig_sweep *s, heads *h, const char *key, const ig_node *units) {
  for (int i = 0; i < h->figures; i++)
    if (strcmp(h->figure[i], key) == 0)
      return IG_OK;
  if (h->figures == MAX_FIGURES)
    return IG_OK;
  const ig_node *unit = units ? ig_node_find(units, key) : NULL;
  const bool has = unit && unit->text && *unit->text;
  char text[256];
  const int n = snprintf(text, sizeof text, "%s%s%s%s", key, has ? " [" : "", has ? unit->text : "",
                         has ? "]" : "");
  IG_TRY(ig_arena_text(s->cx, s->arena, &h->heading[h->figures], text, strnlen(text, (size_t)n)));
  h->figure[h->figures++] = key;
  return IG_OK;
}

/* Whether the folder has this very case's result, and not that of other values. *part: a run that
   can go on. Chains decide stage by stage when they run, so theirs are taken as they are. */
static bool is_current(ig_ctx *quiet, const one_run *run, const char *folder, bool *part) {
  ig_case *c = NULL;
  ig_folder_state result = IG_RESULT_NONE;
  const bool chain = case_make(quiet, run, &c) == IG_OK && ig_case_is_chain(c);
  if (c && !chain && ig_folder_inspect(c, folder, &result) != IG_OK)
    result = IG_RESULT_NONE;
  ig_case_close(c);
  *part = result == IG_RESULT_PART;
  return chain || *part || result == IG_RESULT_COMPLETE;
}

/* *summary stays NULL where there is no current result: the row then says "not run". So it does of
   a run that has ended though the case goes on: it had another duration. */
static ig_status summary_read(ig_sweep *s, ig_ctx *quiet, const char *out, const one_run *run,
                              ig_node **summary) {
  char folder[PATH_MAX], path[PATH_MAX + 32];
  if (snprintf(folder, sizeof folder, "%s/%s", out, run->name) >= (int)sizeof folder)
    return IG_FAIL(s->cx, IG_INPUT, "the path '%.200s…' is too long", out);
  snprintf(path, sizeof path, "%s/" IG_SUMMARY, folder);
  bool part = false;
  if (access(path, R_OK) != 0 || !is_current(quiet, run, folder, &part))
    return IG_OK;
  IG_TRY(ig_yaml_open(s->cx, s->arena, path, summary));
  const ig_node *status = ig_node_find(*summary, "status");
  if (part && status && status->text && strcmp(status->text, "complete") == 0)
    *summary = NULL;
  return IG_OK;
}

/* A figure that the file names and no run has is a slip of the pen. */
static void figures_warn(const ig_sweep *s, const heads *h, bool any) {
  for (int k = 0; k < s->figures.count && any; k++) {
    bool found = false;
    for (int i = 0; i < h->figures && !found; i++)
      found = strcmp(h->figure[i], s->figures.value[k]) == 0;
    if (!found)
      ig_warn(s->cx,
              "%s: no run has a figure '%s': those there are head the columns of "
              "results.csv",
              s->file, s->figures.value[k]);
  }
}

/* summary[i] stays NULL for runs without a current result. Only scalars become columns. */
static ig_status summaries_read(ig_sweep *s, const char *out, ig_node **summary, heads *h) {
  ig_ctx *quiet;
  ig_status status = quiet_open(&quiet);
  bool any = false;
  for (int i = 0; i < s->count && status == IG_OK; i++) {
    status = summary_read(s, quiet, out, &s->run[i], &summary[i]);
    any |= summary[i] && ig_node_find(summary[i], "result");
  }
  ig_ctx_close(quiet);
  if (status != IG_OK)
    return status;
  for (int asked = 0; asked < 2; asked++) /* those the file names first, then all others */
    for (int i = 0; i < s->count; i++) {
      const ig_node *units = summary[i] ? ig_node_find(summary[i], "units") : NULL;
      const ig_node *result = summary[i] ? ig_node_find(summary[i], "result") : NULL;
      if (!result)
        continue;
      for (int k = 0; asked == 0 && k < s->figures.count; k++)
        if (ig_node_find(result, s->figures.value[k]))
          IG_TRY(head_add(s, h, s->figures.value[k], units));
      for (const ig_node *f = result->child; asked == 1 && f; f = f->next)
        if (f->kind == IG_NODE_SCALAR)
          IG_TRY(head_add(s, h, f->key, units));
    }
  figures_warn(s, h, any);
  return IG_OK;
}

/* A scalar of a map as text; `otherwise` where there is none. */
static const char *text_of(const ig_node *map, const char *key, const char *otherwise) {
  const ig_node *node = map ? ig_node_find(map, key) : NULL;
  return node && node->kind == IG_NODE_SCALAR && node->text ? node->text : otherwise;
}

/* One row to the table and, if wanted, to the caller, who must not keep the cells. */
static void row_write(ig_text *csv, const char **cells, int count, ig_row_fn *row, void *user) {
  for (int i = 0; i < count; i++)
    ig_csv_cell(csv, cells[i], i == 0);
  ig_text_add(csv, "\n");
  if (row)
    row(user, count, cells);
}

/* The table: run, status, keys, figures, wall time. Values are copied as text, so no digit
   changes. */
static ig_status table_write(ig_sweep *s, ig_node *const *summary, const heads *h, ig_text *csv,
                             ig_row_fn *row, void *user) {
  const char **cells;
  const int count = 3 + s->keys + h->figures;
  IG_TRY(IG_NEW(s->cx, &cells, count, "cells"));
  int n = 0;
  cells[n++] = "run";
  cells[n++] = "status";
  for (int k = 0; k < s->keys; k++)
    cells[n++] = s->key[k];
  for (int k = 0; k < h->figures; k++)
    cells[n++] = h->heading[k];
  cells[n++] = "wall time [s]";
  row_write(csv, cells, n, row, user);
  for (int i = 0; i < s->count; i++) {
    const ig_node *result = summary[i] ? ig_node_find(summary[i], "result") : NULL;
    n = 0;
    cells[n++] = s->run[i].name;
    cells[n++] = text_of(summary[i], "status", "not run");
    for (int k = 0; k < s->keys; k++)
      cells[n++] = s->run[i].value[k] ? s->run[i].value[k] : "";
    for (int k = 0; k < h->figures; k++)
      cells[n++] = text_of(result, h->figure[k], "");
    cells[n++] = text_of(summary[i] ? ig_node_find(summary[i], "seconds") : NULL, "total", "");
    row_write(csv, cells, n, row, user);
  }
  free(cells);
  return IG_OK;
}

/* Can be called at any time, also while runs are under way; results.csv is replaced as a whole. */
ig_status ig_sweep_results(const ig_sweep *sweep, const char *out, ig_row_fn *row, void *user) {
  if (!sweep || !out)
    return IG_ARG;
  /* The copy shares the runs with the sweep, which is not changed, and has an arena of its own. */
  ig_sweep look = *sweep; /* its memory for what is read lasts no longer than this call */
  ig_text csv = {0};
  heads *h = NULL;
  ig_node **summary = NULL;
  ig_status status;
  look.arena = NULL;
  IG_TRY_GOTO(status, done, ig_arena_new(look.cx, &look.arena));
  IG_TRY_GOTO(status, done, IG_NEW(look.cx, &h, 1, "table"));
  IG_TRY_GOTO(status, done, IG_NEW(look.cx, &summary, look.count, "table"));
  IG_TRY_GOTO(status, done, summaries_read(&look, out, summary, h));
  IG_TRY_GOTO(status, done, table_write(&look, summary, h, &csv, row, user));
  status = ig_store_text(look.cx, out, "results.csv", &csv);
done:
  free(csv.at);
  free(summary);
  free(h);
  ig_arena_free(look.arena);
  return status;
}
