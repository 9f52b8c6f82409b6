/* Reading a calibration file: cases, keys with their ranges, measured figures. */
#include "chain/calibrate.h"
#include "chain/run_sets.h"
#include "core/number.h"
#include "io/format/case_yaml.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file as its tables say it. `set` is taken from the tree: its keys are those of the cases. */
typedef struct {
  ig_src at;
  const char *mean, *deviation;
} file_prior;
typedef struct {
  ig_src at;
  ig_texts key;
  const char *from, *to, *start;
  int scale;
  file_prior prior;
} file_key;
typedef struct {
  ig_src at;
  const char *run, *figure, *value, *uncertainty;
  double weight, time;
} file_figure;
typedef struct {
  ig_src at;
  const char *name, *path;
} file_case;
typedef struct {
  ig_src at;
  const char *title, *path, *noise;
  ig_list cases, keys, figures;
  double tolerance;
  int64_t iterations;
} file_top;

/* The key is a word of C, so that no member can have its name. */
#define TEXT_AS(S, word, m, def, text)                                                             \
  {                                                                                                \
    .key = word, .kind = IG_OPT_TEXT, .offset = IG_MEMBER(S, m, ig_opt_text), .fallback = def,     \
    .help = text                                                                                   \
  }
static const ig_option prior_keys[] = {
    IG_TEXT(file_prior, mean, IG_REQUIRED, "what is believed before anything is measured"),
    IG_TEXT(file_prior, deviation, IG_REQUIRED, "its standard deviation"), IG_END};
static const ig_option key_keys[] = {
    IG_TEXTS(file_key, key, IG_REQUIRED, "number of the case that is fitted; of a list, all"),
    IG_TEXT(file_key, from, NULL, "least value"),
    IG_TEXT(file_key, to, NULL, "greatest value"),
    IG_TEXT(file_key, start, NULL, "where the search begins; the case's own value if not given"),
    IG_CHOICE(file_key, scale, "linear|log", "linear", "whether steps are sums or factors"),
    IG_MAP(file_key, prior, file_prior, prior_keys, NULL, "what is known without the figures"),
    IG_END};
static const ig_option figure_keys[] = {
    TEXT_AS(file_figure, "case", run, NULL, "name of its case; may be left out where there is one"),
    IG_TEXT(file_figure, figure, IG_REQUIRED, "name in summary.json or of a column of history.csv"),
    IG_TEXT(file_figure, value, IG_REQUIRED, "what was measured"),
    IG_TEXT(file_figure, uncertainty, NULL, "its standard deviation, as in 2 K or 3 %"),
    IG_REAL(file_figure, weight, "", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "of the squared relative deviation"),
    IG_REAL(file_figure, time, "s", NULL, 0, IG_UNBOUNDED, "when, in a column of history.csv"),
    IG_END};
static const ig_option case_keys[] = {
    IG_TEXT(file_case, name, IG_REQUIRED, "by which figures name it"),
    TEXT_AS(file_case, "case", path, NULL, "its file; that of the whole calibration if not given"),
    IG_END};
static const ig_option top_keys[] = {
    IG_TEXT(file_top, title, NULL, "heading of the report"),
    TEXT_AS(file_top, "case", path, NULL, "case file, from this file's folder"),
    IG_LIST(file_top, cases, file_case, case_keys, NULL, "several cases that share the keys"),
    IG_LIST(file_top, keys, file_key, key_keys, IG_REQUIRED, "what is fitted"),
    IG_LIST(file_top, figures, file_figure, figure_keys, IG_REQUIRED, "what was measured"),
    IG_TEXT(file_top, noise, NULL, "relative noise of the figures, or 'measure'"),
    IG_REAL(file_top, tolerance, "", "1e-6", IG_POSITIVE, 0.1, "where the search ends"),
    IG_INT(file_top, iterations, "50", 0, 10000, "at most"),
    IG_END};

/* --- numbers with units */

/* The end of a chain of calls: the text of one key of an entry, and where it stands. */
static ig_status quantity(ig_cal *c, const ig_node *map, const char *key, const char *text,
                          double *number, const char **unit, ig_unit *factor) {
  char problem[160];
  const ig_src at = ig_key_at(map, key, map->at);
  return ig_quantity_read(text, number, unit, factor, problem, sizeof problem)
             ? IG_OK
             : ig_fail_at(c->cx, &at, "'%s: %.60s': %s", key, text, problem);
}

static bool same_dimensions(const ig_unit *a, const ig_unit *b) {
  return memcmp(a->power, b->power, sizeof a->power) == 0;
}

/* A value of a key in the key's unit. A difference has no offset. */
static ig_status in_unit(ig_cal *c, const ig_cal_key *k, const ig_node *map, const char *key,
                         const char *text, bool difference, double *x) {
  const char *unit;
  ig_unit f;
  double number;
  const ig_src at = ig_key_at(map, key, map->at);
  if (!text)
    return IG_OK;
  IG_TRY(quantity(c, map, key, text, &number, &unit, &f));
  /* A number without unit is in SI, as in a case. */
  if (*unit && !same_dimensions(&f, &k->factor))
    return ig_fail_at(c->cx, &at, "'%s: %.60s' does not go with the unit of this key, '%s'", key,
                      text, *k->unit ? k->unit : "none");
  if (strcmp(unit, k->unit) == 0)
    *x = number;
  else if (difference)
    *x = number * f.factor / k->factor.factor;
  else
    *x = (number * f.factor + f.offset - k->factor.offset) / k->factor.factor;
  return IG_OK;
}

void ig_cal_value_text(const ig_cal_key *key, double x, char text[96]) {
  ig_format(text, 96, "%.17g%s%.60s", x, *key->unit ? " " : "", key->unit);
}

/* --- the parts of the file */

/* The settings of a case: those for all, its own, the command line's. */
static ig_status sets_fill(ig_cal *c, const ig_node *all, const ig_node *own, ig_cal_case *run) {
  const ig_node *const of[2] = {all, own};
  int most = c->o->sets;
  for (int i = 0; i < 2; i++) {
    if (of[i] && of[i]->kind != IG_NODE_MAP)
      return ig_fail_at(c->cx, &of[i]->at,
                        "'set' must be a map of keys of the case: {output.count: 1}");
    for (const ig_node *v = of[i] ? of[i]->child : NULL; v; v = v->next)
      most++;
  }
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&run->set, (size_t)most + 1, sizeof *run->set));
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&run->from, (size_t)most + 1, sizeof *run->from));
  for (int i = 0; i < 2; i++)
    for (const ig_node *v = of[i] ? of[i]->child : NULL; v; v = v->next) {
      IG_TRY(ig_set_label(c->cx, c->arena, &v->at, v->key, &run->from[run->sets]));
      IG_TRY(ig_set_text(c->cx, c->arena, v->key, v, &run->set[run->sets++]));
    }
  for (int i = 0; i < c->o->sets; i++)
    run->set[run->sets++] = c->o->set[i];
  return IG_OK;
}

/* Takes a map out of another one. */
static ig_node *taken(ig_node *map, const char *key) {
  ig_node *found = map && map->kind == IG_NODE_MAP ? ig_node_find(map, key) : NULL;
  if (found)
    ig_node_drop(map, key);
  return found;
}

static ig_status path_check(ig_cal *c, const ig_src *at, const char *name, const char **path) {
  IG_TRY(ig_path_beside(c->cx, c->arena, c->file, name, path));
  return access(*path, R_OK) == 0
             ? IG_OK
             : ig_fail_at(c->cx, at, "'case': cannot read '%.300s': %s", *path, strerror(errno));
}

/* sets[i]: the settings of case i, already taken out of the tree. */
static ig_status cases_read(ig_cal *c, const file_top *top, const ig_node *root, const ig_node *set,
                            ig_node *const *sets) {
  const char *path = NULL;
  const ig_src at = ig_key_at(root, "case", top->at);
  if (top->path)
    IG_TRY(path_check(c, &at, top->path, &path));
  c->cases = top->cases.count ? top->cases.count : 1;
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&c->run, (size_t)c->cases, sizeof *c->run));
  if (!top->cases.count && !path)
    return ig_fail_at(c->cx, &top->at, "a calibration needs 'case' or 'cases'");
  c->run[0] = (ig_cal_case){.name = "", .path = path};
  if (!top->cases.count)
    return sets_fill(c, set, NULL, &c->run[0]);
  for (int i = 0; i < c->cases; i++) {
    const file_case *f = IG_ITEM(const file_case, top->cases, i);
    c->run[i] = (ig_cal_case){.name = f->name, .path = path};
    if (!*f->name || f->name[strcspn(f->name, "/\"\n,")])
      return ig_fail_at(c->cx, &f->at, "'%.60s' is no name for a case: use letters and digits",
                        f->name);
    for (int j = 0; j < i; j++)
      if (strcmp(c->run[j].name, f->name) == 0)
        return ig_fail_at(c->cx, &f->at, "two cases are named '%.60s'", f->name);
    if (f->path)
      IG_TRY(path_check(c, &f->at, f->path, &c->run[i].path));
    if (!c->run[i].path)
      return ig_fail_at(c->cx, &f->at, "this case names no file, nor does the calibration");
    IG_TRY(sets_fill(c, set, sets[i], &c->run[i]));
  }
  return IG_OK;
}

/* What the first case says for a key, NULL: nothing, or no scalar. The text is copied. */
static ig_status own_value(ig_cal *c, const char *key, const char **text) {
  ig_case *kase = NULL;
  *text = NULL;
  const ig_cal_case *r = &c->run[0];
  ig_status status = ig_case_with(c->quiet, r->path, r->set, r->from, r->sets, &kase);
  if (status != IG_OK)
    status = IG_FAIL(c->cx, status, "%s", ig_ctx_message(c->quiet));
  const char *own = status == IG_OK ? ig_case_get(kase, key) : NULL;
  if (own)
    status = ig_arena_text(c->cx, c->arena, text, own, strlen(own));
  ig_case_close(kase);
  return status;
}

/* Where the file gives no start: the case's own value, the prior, or the middle. */
static ig_status start_find(ig_cal *c, ig_cal_key *k, const file_key *f, const ig_node *map,
                            const char *own) {
  ig_calibrated_key *o = &k->out;
  const bool both = isfinite(o->from) && isfinite(o->to);
  if (f->start)
    IG_TRY(in_unit(c, k, map, "start", f->start, false, &o->start));
  else if (own)
    IG_TRY(in_unit(c, k, map, "key", own, false, &o->start));
  else if (f->prior.at.given)
    o->start = o->prior;
  else if (both)
    o->start = k->log ? sqrt(o->from * o->to) : (o->from + o->to) / 2;
  else
    return ig_fail_at(c->cx, &k->at,
                      "'%.80s' has no value in the case: give 'start', or 'from' and 'to'", o->key);
  if (o->start < o->from || o->start > o->to) {
    if (f->start)
      return ig_fail_at(c->cx, &k->at, "'start' %g lies outside of %g to %g", o->start, o->from,
                        o->to);
    ig_warn_at(c->cx, &k->at,
               "'%.80s' is %g%s%s in the case, outside of its range: the search "
               "begins at the bound",
               o->key, o->start, *k->unit ? " " : "", k->unit);
    o->start = fmin(fmax(o->start, o->from), o->to);
  }
  return IG_OK;
}

/* How large a step of 1 is: the range; without one the deviation of the prior, or the start. */
static ig_status width_find(ig_cal *c, ig_cal_key *k) {
  const ig_calibrated_key *o = &k->out;
  const bool both = isfinite(o->from) && isfinite(o->to);
  if (k->log && (o->from <= 0 || (!isfinite(o->from) && o->start <= 0)) && isfinite(o->from))
    return ig_fail_at(c->cx, &k->at, "'scale: log' needs 'from' above 0");
  if (k->log && o->start <= 0)
    return ig_fail_at(c->cx, &k->at, "'scale: log' needs a start above 0");
  if (k->log)
    k->width = both ? log(o->to / o->from) : 1;
  else
    k->width = both                           ? o->to - o->from
               : isfinite(o->prior_deviation) ? o->prior_deviation
               : fabs(o->start) > 0           ? fabs(o->start)
                                              : 1;
  return IG_OK;
}

static ig_status key_read(ig_cal *c, const file_key *f, const ig_node *map, ig_cal_key *k) {
  ig_calibrated_key *o = &k->out;
  const char *own = NULL;
  double number;
  if (f->key.count == 0)
    return ig_fail_at(c->cx, &f->at, "'key' names no key of the case");
  *k = (ig_cal_key){.at = f->at, .key = f->key, .log = f->scale == 1};
  *o = (ig_calibrated_key){.key = f->key.value[0],
                           .from = -INFINITY,
                           .to = INFINITY,
                           .prior = NAN,
                           .prior_deviation = NAN};
  const ig_src at = ig_key_at(map, "key", f->at);
  IG_TRY(ig_set_label(c->cx, c->arena, &at, o->key, &k->label));
  IG_TRY(own_value(c, o->key, &own));
  /* The unit is that of the first of these that has one. */
  const char *const text[] = {f->start, f->from, f->to, f->prior.mean, own};
  static const char *const word[] = {"start", "from", "to", "prior", "key"};
  IG_TRY(quantity(c, map, "key", "1", &number, &k->unit, &k->factor));
  for (int i = 0; i < 5 && !*k->unit; i++)
    if (text[i])
      IG_TRY(quantity(c, map, word[i], text[i], &number, &k->unit, &k->factor));
  o->unit = k->unit;
  IG_TRY(in_unit(c, k, map, "from", f->from, false, &o->from));
  IG_TRY(in_unit(c, k, map, "to", f->to, false, &o->to));
  if (o->from >= o->to)
    return ig_fail_at(c->cx, &k->at, "'from' must be less than 'to'");
  if (f->prior.at.given) {
    const ig_node *prior = ig_node_find(map, "prior");
    IG_TRY(in_unit(c, k, prior, "mean", f->prior.mean, false, &o->prior));
    IG_TRY(in_unit(c, k, prior, "deviation", f->prior.deviation, true, &o->prior_deviation));
    if (!(o->prior_deviation > 0))
      return ig_fail_at(c->cx, &f->prior.at, "the 'deviation' of a prior must be above 0");
    c->priors++;
  }
  IG_TRY(start_find(c, k, f, map, own));
  return width_find(c, k);
}

/* The entries of a list; a single map is a list of one. */
static const ig_node *entries(const ig_node *root, const char *key) {
  const ig_node *list = ig_node_find(root, key);
  return list && list->kind == IG_NODE_LIST ? list->child : list;
}

/* No number of a case may get two values. */
static ig_status keys_differ(ig_cal *c, int k) {
  for (int j = 0; j <= k; j++)
    for (int i = 0; i < c->key[k].key.count; i++)
      for (int n = 0; n < (j < k ? c->key[j].key.count : i); n++)
        if (ig_key_same(c->key[k].key.value[i], c->key[j].key.value[n]))
          return ig_fail_at(c->cx, &c->key[k].at, "'%.80s' is fitted twice",
                            c->key[k].key.value[i]);
  return IG_OK;
}

static ig_status keys_read(ig_cal *c, const file_top *top, const ig_node *root) {
  const ig_node *map = entries(root, "keys");
  c->keys = top->keys.count;
  if (c->keys < 1 || c->keys > IG_CAL_KEYS)
    return ig_fail_at(c->cx, &top->at, "1 to %d 'keys' can be fitted, not %d", IG_CAL_KEYS,
                      c->keys);
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&c->key, (size_t)c->keys, sizeof *c->key));
  for (int i = 0; i < c->keys; i++, map = map->next) {
    IG_TRY(key_read(c, IG_ITEM(const file_key, top->keys, i), map, &c->key[i]));
    IG_TRY(keys_differ(c, i));
  }
  return IG_OK;
}

/* Uncertainty, or weight of the relative deviation. */
static ig_status deviation_read(ig_cal *c, const file_figure *f, const ig_node *map,
                                ig_cal_figure *to) {
  ig_calibrated_figure *o = &to->out;
  const char *unit;
  ig_unit factor;
  double number;
  const ig_src at = ig_key_at(map, "uncertainty", f->at);
  o->uncertainty = NAN;
  if (f->uncertainty && !isnan(f->weight))
    return ig_fail_at(c->cx, &f->at, "give 'uncertainty' or 'weight', not both");
  if (f->uncertainty) {
    char *rest;
    number = ig_decimal_read(f->uncertainty, &rest);
    rest += strspn(rest, " ");
    if (strcmp(rest, "%") == 0) {
      o->uncertainty = number / 100 * fabs(o->measured);
    } else {
      IG_TRY(quantity(c, map, "uncertainty", f->uncertainty, &number, &unit, &factor));
      if (!same_dimensions(&factor, &to->factor))
        return ig_fail_at(c->cx, &at, "'uncertainty: %.60s' does not go with 'value: %.60s'",
                          f->uncertainty, f->value);
      o->uncertainty = number * factor.factor / to->factor.factor;
    }
    if (!(o->uncertainty > 0))
      return ig_fail_at(c->cx, &at, "an uncertainty must be above 0");
    to->deviation = o->uncertainty;
    return IG_OK;
  }
  if (fabs(o->measured) <= 0)
    return ig_fail_at(c->cx, &f->at,
                      "a measured value of 0 has no relative deviation: give 'uncertainty'");
  to->deviation = fabs(o->measured) / sqrt(isnan(f->weight) ? 1 : f->weight);
  return IG_OK;
}

static ig_status figure_read(ig_cal *c, const file_figure *f, const ig_node *map,
                             ig_cal_figure *to) {
  *to = (ig_cal_figure){.at = f->at, .run = -1};
  to->out = (ig_calibrated_figure){
      .figure = f->figure, .time = f->time, .at_start = NAN, .computed = NAN, .residual = NAN};
  for (int i = 0; i < c->cases; i++)
    if (f->run ? strcmp(c->run[i].name, f->run) == 0 : c->cases == 1)
      to->run = i;
  const ig_src at = ig_key_at(map, "case", f->at);
  if (to->run < 0)
    return f->run ? ig_fail_at(c->cx, &at, "there is no case named '%.60s' in 'cases'", f->run)
                  : ig_fail_at(c->cx, &at, "which of the cases? Give 'case'");
  to->out.run = c->run[to->run].name;
  IG_TRY(quantity(c, map, "value", f->value, &to->out.measured, &to->out.unit, &to->factor));
  return deviation_read(c, f, map, to);
}

static ig_status figures_read(ig_cal *c, const file_top *top, const ig_node *root) {
  const ig_node *map = entries(root, "figures");
  int uncertain = 0;
  c->figures = top->figures.count;
  if (c->figures < 1 || c->figures > IG_CAL_FIGURES)
    return ig_fail_at(c->cx, &top->at, "1 to %d 'figures' can be met, not %d", IG_CAL_FIGURES,
                      c->figures);
  IG_TRY(
      ig_arena_take(c->cx, c->arena, (void **)&c->figure, (size_t)c->figures, sizeof *c->figure));
  for (int i = 0; i < c->figures; i++, map = map->next) {
    IG_TRY(figure_read(c, IG_ITEM(const file_figure, top->figures, i), map, &c->figure[i]));
    uncertain += isfinite(c->figure[i].out.uncertainty);
  }
  c->uncertain = uncertain > 0;
  for (int i = 0; i < c->figures; i++)
    if (c->uncertain && isnan(c->figure[i].out.uncertainty))
      return ig_fail_at(c->cx, &c->figure[i].at,
                        "others have an 'uncertainty', this figure has none: give all of them "
                        "one, or none");
  for (int i = 0; i < c->keys; i++)
    if (!c->uncertain && isfinite(c->key[i].out.prior))
      return ig_fail_at(c->cx, &c->key[i].at,
                        "a prior can only be weighed against figures with an 'uncertainty'");
  for (int i = 0; i < c->cases; i++) {
    bool used = false;
    for (int k = 0; k < c->figures; k++)
      used |= c->figure[k].run == i;
    if (!used)
      return ig_fail_at(c->cx, &top->at, "no figure is of the case '%.60s'", c->run[i].name);
  }
  return IG_OK;
}

static ig_status noise_read(ig_cal *c, const file_top *top, const ig_node *root) {
  const ig_src at = ig_key_at(root, "noise", top->at);
  char *rest;
  c->noise = 1e-6;
  if (!top->noise)
    return IG_OK;
  c->noise_measured = strcmp(top->noise, "measure") == 0;
  if (c->noise_measured)
    return IG_OK;
  c->noise = ig_decimal_read(top->noise, &rest);
  c->noise_given = true;
  return rest != top->noise && !*rest && c->noise >= 1e-16 && c->noise <= 0.1
             ? IG_OK
             : ig_fail_at(c->cx, &at,
                          "'noise: %.40s': expected a number from 1e-16 to 0.1, or 'measure'",
                          top->noise);
}

/* `set` of the file and of its cases is taken out before the tables see the tree. */
static ig_status tree_read(ig_cal *c, ig_node *root) {
  file_top top = {0};
  ig_node *set = taken(root, "set"), *list = ig_node_find(root, "cases"), **sets = NULL;
  int n = 0;
  for (ig_node *e = list ? list->child : NULL; e && list->kind == IG_NODE_LIST; e = e->next)
    n++;
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&sets, (size_t)n + 1, sizeof *sets));
  n = 0;
  for (ig_node *e = list ? list->child : NULL; e && list->kind == IG_NODE_LIST; e = e->next)
    sets[n++] = taken(e, "set");
  if (list && list->kind == IG_NODE_MAP)
    sets[0] = taken(list, "set");
  const ig_option_table table = {top_keys, &top};
  IG_TRY(ig_options_read(c->cx, c->arena, root, &table, 1));
  c->title = top.title ? top.title : "";
  c->tolerance = top.tolerance;
  c->iterations = top.iterations;
  IG_TRY(cases_read(c, &top, root, set, sets));
  IG_TRY(keys_read(c, &top, root));
  IG_TRY(figures_read(c, &top, root));
  return noise_read(c, &top, root);
}

ig_status ig_cal_read(ig_cal *c, const char *path) {
  ig_node *root = NULL;
  IG_TRY(ig_arena_text(c->cx, c->arena, &c->file, path, strlen(path)));
  IG_TRY(ig_yaml_open(c->cx, c->arena, path, &root));
  return tree_read(c, root);
}
