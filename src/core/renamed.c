/* The table of renamed words, and how they are found in a case that still has the old ones. The
   walk through the tree follows the option tables, as the reader in option.c does, but it never
   fails on an unknown key: a file to be upgraded may have several old words, and all of them are
   reported. */
#include "core/renamed.h"

#include <stdio.h>
#include <string.h>

/* Space for the keys of one section, joined by '|'. */
enum { MOST_KEYS = 2400 };

/* Keys that had several meanings, or none that a reader could guess. */
static const struct {
  const char *section, *was, *now;
} keys[] = {
    {"mesh", "move", "translate"},
    {"mesh", "drop", "place_on_plate"},
    {"mesh", "open", "fill_holes"},
    {"mesh", "supports", "support_structure"},
    {"mesh", "pattern", "triangle_pattern"},
    {"annulus", "start", "start_angle"},
    {"tube", "start", "start_angle"},
    {"hatch", "travel", "jump_speed"},
    {"hatch", "start", "start_time"},
    {"parts", "move", "translate"},
    {"path", "travel", "jump_speed"},
    {"path", "start", "start_time"},
    {"paths", "travel", "jump_speed"},
    {"paths", "start", "start_time"},
    {"raster", "travel", "jump_speed"},
    {"raster", "start", "start_time"},
    {"raster", "hatch", "spacing"},
    {"grid", "move", "translate"},
    {"", "start", "initial_design"},
    {"", "draw", "draw_direction"},
    {"penalty_ramp", "start", "initial_value"},
    {"gray_ramp", "start", "initial_value"},
    {"optimiser", "move", "move_limit"},
    {"optimiser", "limits", "move_limit_kind"},
    {"optimiser", "gray", "gray_exponent"},
    {"solver", "fine_steps", "fine_smoothing_steps"},
    {"solver", "steps", "smoothing_steps"},
    {"solver", "visits", "coarse_cycles"},
    {"cohesive", "start", "initial_traction"},
    {"supports", "along", "components"},
    {"bodies", "along", "components"},
    {"sections", "along", "local_x"},
    {"tools", "travel", "displacement"},
    {"analysis", "update", "step_update_every"},
    {"analysis", "least_step", "mass_scaling_step"},
    {"phases", "along", "direction"},
    {"phases", "born", "stress_free_temperature"},
    {"phases", "newborn", "new_nodes"},
    {"", "film", "movie"},
};

static const struct {
  const char *section, *key, *was, *now;
} choices_of[] = {
    {"phases", "new_nodes", "follow", "deformed"},
    {"phases", "new_nodes", "drawn", "undeformed"},
};

bool ig_renamed_at(int i, ig_renamed *line) {
  const int first = (int)(sizeof keys / sizeof *keys),
            all = first + (int)(sizeof choices_of / sizeof *choices_of);
  if (i < 0 || i >= all)
    return false;
  if (i < first)
    *line = (ig_renamed){.section = keys[i].section, .was = keys[i].was, .now = keys[i].now};
  else
    *line = (ig_renamed){.section = choices_of[i - first].section,
                         .key = choices_of[i - first].key,
                         .was = choices_of[i - first].was,
                         .now = choices_of[i - first].now,
                         .choice = true};
  return true;
}

/* The conditions on `now` let two rooms share a section's name: an entry applies only where the
   new key exists and the old one does not. */
const char *ig_renamed_key(const char *section, const char *key, const char *now) {
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i].was, key) == 0 && strcmp(keys[i].section, section) == 0 &&
        ig_choices_find(now, keys[i].now) >= 0 && ig_choices_find(now, key) < 0)
      return keys[i].now;
  return NULL;
}

const char *ig_renamed_choice(const char *key, const char *choice, const char *choices) {
  for (size_t i = 0; i < sizeof choices_of / sizeof *choices_of; i++)
    if (strcmp(choices_of[i].was, choice) == 0 && strcmp(choices_of[i].key, key) == 0 &&
        ig_choices_find(choices, choices_of[i].now) >= 0 && ig_choices_find(choices, choice) < 0)
      return choices_of[i].now;
  return NULL;
}

/* --- in a tree */

/* A section of a case: what it is called and the tables of its keys. */
typedef struct {
  const char *name;
  const ig_option *const *tables;
  int count;
} section;

static const ig_option *option_find(const ig_option *table, const char *key) {
  const ig_option *found = NULL;
  for (const ig_option *o = table; o && o->key && !found; o++)
    found = o->kind == IG_OPT_KEYS ? option_find(o->sub, key) : strcmp(o->key, key) == 0 ? o : NULL;
  return found;
}

static size_t keys_write(const ig_option *table, char *text, size_t size, size_t used) {
  for (const ig_option *o = table; o && o->key && used < size; o++)
    used = o->kind == IG_OPT_KEYS
               ? keys_write(o->sub, text, size, used)
               : used + (size_t)snprintf(text + used, size - used, "%s%s", used ? "|" : "", o->key);
  return used;
}

/* The option that a key of this section means, by its old name or its new one. */
static const ig_option *option_of(const section *s, const char *key, const char **now) {
  const ig_option *found = NULL;
  *now = NULL;
  for (int t = 0; t < s->count && !found; t++)
    found = option_find(s->tables[t], key);
  if (found)
    return found;
  char text[MOST_KEYS] = "";
  size_t used = 0;
  for (int t = 0; t < s->count; t++)
    used = keys_write(s->tables[t], text, sizeof text, used);
  *now = ig_renamed_key(s->name, key, text);
  for (int t = 0; t < s->count && *now && !found; t++)
    found = option_find(s->tables[t], *now);
  return found;
}

typedef struct {
  ig_rename_fn *each;
  void *user;
} finder;

static ig_status choice_find(const finder *f, const ig_option *o, const ig_node *value) {
  const char *now = o->kind == IG_OPT_CHOICE && value->kind == IG_NODE_SCALAR
                        ? ig_renamed_choice(o->key, value->text, o->choices)
                        : NULL;
  return now ? f->each(f->user, &(ig_rename){&value->at, value->text, 0, value->text, now}) : IG_OK;
}

static ig_status map_find(const finder *f, const ig_node *map, const section *s);

/* A value of a section is a map or a list of maps; anything else has no keys. */
static ig_status value_find(const finder *f, const ig_node *value, const ig_option *o) {
  const section below = {o->key, &o->sub, 1};
  if (!o->sub)
    return choice_find(f, o, value);
  if (value->kind == IG_NODE_MAP)
    return map_find(f, value, &below);
  for (const ig_node *item = value->child; item; item = item->next)
    if (item->kind == IG_NODE_MAP)
      IG_TRY(map_find(f, item, &below));
  return IG_OK;
}

static ig_status map_find(const finder *f, const ig_node *map, const section *s) {
  for (const ig_node *child = map->child; child; child = child->next) {
    const char *now;
    const ig_option *o = option_of(s, child->key, &now);
    if (now)
      IG_TRY(f->each(f->user, &(ig_rename){&child->key_at, child->key, 0, child->key, now}));
    if (o)
      IG_TRY(value_find(f, child, o));
  }
  return IG_OK;
}

ig_status ig_renames_find(const ig_node *map, const ig_option *const *tables, int count,
                          ig_rename_fn *each, void *user) {
  const finder f = {each, user};
  return map->kind == IG_NODE_MAP ? map_find(&f, map, &(section){"", tables, count}) : IG_OK;
}

ig_status ig_renames_find_path(const ig_node *node, int skip, const ig_option *const *tables,
                               int count, ig_rename_fn *each, void *user) {
  const finder f = {each, user};
  const ig_option *o = NULL;
  section s = {"", tables, count};
  for (const char *p = node->key + skip; *p;) {
    char word[64];
    const char *now;
    const size_t length = strcspn(p, ".[");
    if (length >= sizeof word)
      return IG_OK; /* no key is that long */
    snprintf(word, sizeof word, "%.*s", (int)length, p);
    o = option_of(&s, word, &now);
    if (now)
      IG_TRY(each(user, &(ig_rename){&node->key_at, node->key, (int)(p - node->key), word, now}));
    if (!o)
      return IG_OK;
    s = (section){o->key, &o->sub, 1};
    p += length;
    if (*p == '[')
      p += strcspn(p, ".");
    p += *p == '.';
  }
  if (!o)
    return IG_OK;
  IG_TRY(value_find(&f, node, o));
  if (!o->sub && node->kind == IG_NODE_LIST) /* the values that a sweep goes through */
    for (const ig_node *item = node->child; item; item = item->next)
      IG_TRY(choice_find(&f, o, item));
  return IG_OK;
}
