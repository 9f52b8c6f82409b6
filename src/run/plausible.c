/* Warnings about unusual values: walks the tree of a case beside the tables that read it. A table
   gives for each option a usual range (ig_option_usual), narrower than the allowed one: 20 K or a
   Young's modulus of 210 Pa are allowed, and almost certainly wrong. */
#include "run/plausible.h"
#include "core/meant.h"
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* path: the key in full, "materials[0].young", for messages. */
typedef struct {
  ig_ctx *cx;
  char path[200];
} walk;

/* 0 is usual for everything (switched off, at rest) except temperatures. */
static bool is_usual(double value, double low, double high, bool temperature) {
  return (value >= low && value <= high) || (value == 0 && !temperature);
}

/* abscissa: the first column of a table, which has a unit and range of its own. node->later: a
   placeholder whose value is not known yet (chains). Checks one number. Text is read again here,
   because the struct has only the value and not whether a unit was given. */
static void number_look(const walk *w, const ig_node *node, const ig_option *o, bool abscissa) {
  const char *const unit = abscissa ? o->xunit : o->unit;
  double value, low, high;
  char problem[160], range[96], guess[64], hint[128];
  if (node->kind != IG_NODE_SCALAR || node->later || !ig_option_usual(o, abscissa, &low, &high) ||
      !ig_number_read(node->text, unit, &value, problem, sizeof problem) ||
      is_usual(value, low, high, !abscissa && strcmp(unit, "K") == 0))
    return;
  char *end;
  (void)ig_decimal_read(node->text, &end);
  const bool bare = !*(end + strspn(end, " "));
  snprintf(hint, sizeof hint,
           !*unit ? "look at the value"
           : bare ? "a number without a unit is in %s"
                  : "look at the unit",
           unit);
  if (ig_option_meant(o, abscissa, node->text, guess, sizeof guess))
    snprintf(hint, sizeof hint, "a number without a unit is in %s; did you mean '%.60s'?", unit,
             guess);
  ig_option_usual_text(o, abscissa, range, sizeof range);
  range[strlen(range) - (*range && !*unit)] = 0; /* the space before a unit */
  ig_warn_at(w->cx, &node->at, "'%s'%s is %g%s%s, usual is %s: %s", w->path,
             abscissa ? " has a row that" : "", value, *unit ? " " : "", unit, range, hint);
}

/* A number of a list without a unit beside others that have one: it is in the SI unit, which is
   hardly meant. 0 has no unit; ends of places may be far away, as in min: [-1, 0, 2 mm]. */
static void mixed_look(const walk *w, const ig_node *list, const ig_option *o) {
  const ig_node *bare = NULL, *whole = NULL;
  if (!o->unit || !*o->unit || ig_choices_find("min|max|from|to|point", o->key) >= 0)
    return;
  for (const ig_node *row = list->child; row; row = row->next) {
    char *end = NULL;
    if (row->kind != IG_NODE_SCALAR || row->later || !row->text)
      return;
    const double value = ig_decimal_read(row->text, &end);
    if (end == row->text)
      return;
    if (*(end + strspn(end, " ")))
      whole = whole ? whole : row;
    else if (value < 0 || value > 0)
      bare = bare ? bare : row;
  }
  if (bare && whole)
    ig_warn_at(w->cx, &bare->at,
               "'%s' has %.40s beside %.40s: a number without a unit is in %s; give all of them a "
               "unit, or none",
               w->path, bare->text, whole->text, o->unit);
}

/* All values of one option. A table has rows of two values; its first column may be a
   temperature. */
static void value_look(walk *w, const ig_node *node, const ig_option *o) {
  if (node->kind == IG_NODE_SCALAR) {
    number_look(w, node, o, false);
    return;
  }
  if (o->kind == IG_OPT_VECTOR || o->kind == IG_OPT_REALS)
    mixed_look(w, node, o);
  for (const ig_node *row = node->child; row; row = row->next)
    if (o->kind != IG_OPT_TABLE)
      number_look(w, row, o, false);
    else if (row->child && row->child->next) {
      number_look(w, row->child, o, true);
      number_look(w, row->child->next, o, false);
    }
}

/* Through tables that are included by IG_OPT_KEYS; NULL: an unknown key, which the reader has
   refused. */
static const ig_option *option_find(const ig_option *options, const char *key) {
  for (const ig_option *o = options; o->key; o++) {
    const ig_option *found = o->kind == IG_OPT_KEYS     ? option_find(o->sub, key)
                             : strcmp(o->key, key) == 0 ? o
                                                        : NULL;
    if (found)
      return found;
  }
  return NULL;
}

/* Two tables only at the top level (common and room); sections have one. */
static void map_look(walk *w, const ig_node *map, const ig_option *const tables[], int count) {
  const size_t length = strlen(w->path);
  for (const ig_node *child = map->child; child; child = child->next) {
    const ig_option *o = NULL;
    for (int t = 0; t < count && !o; t++)
      o = option_find(tables[t], child->key);
    if (!o)
      continue;
    snprintf(w->path + length, sizeof w->path - length, "%s%.60s", length ? "." : "", o->key);
    const size_t deeper = strlen(w->path);
    int index = 0;
    switch (o->kind) {
    case IG_OPT_REAL:
    case IG_OPT_VECTOR:
    case IG_OPT_REALS:
    case IG_OPT_TABLE:
      value_look(w, child, o);
      break;
    case IG_OPT_MAP:
    case IG_OPT_LIST:
      if (child->kind == IG_NODE_MAP)
        map_look(w, child, &o->sub, 1);
      for (const ig_node *one = child->kind == IG_NODE_LIST ? child->child : NULL; one;
           one = one->next) {
        snprintf(w->path + deeper, sizeof w->path - deeper, "[%d]", index++);
        map_look(w, one, &o->sub, 1);
      }
      break;
    default:
      break;
    }
    w->path[length] = '\0';
  }
}

/* Metals yield at about a thousandth of Young's modulus, whiskers at up to a tenth (theoretical
   strength), so more is a wrong unit. */
static void material_look(ig_ctx *cx, const ig_material_case *m) {
  if (m->yield > m->young / 10)
    ig_warn_at(cx, &m->at,
               "material '%.60s': the yield stress %g Pa is more than a tenth of Young's modulus "
               "%g Pa: look at their units",
               m->name, m->yield, m->young);
}

/* Largest extent, m. Parts of additive manufacturing are between micrometres (a melt pool) and some
   metres. */
static void mesh_look(const ig_case *c, const ig_mesh *mesh) {
  double low[3], high[3], most = 0;
  if (mesh->nodes == 0)
    return;
  ig_mesh_bounds(mesh, low, high);
  for (int d = 0; d < 3; d++)
    most = fmax(most, high[d] - low[d]);
  if (most > 100 || (most > 0 && most < 1e-6))
    ig_warn_at(c->cx, &c->common.mesh.at, "the mesh is %.4g m long, usual is 1e-6 to 100 m: %s",
               most,
               c->common.mesh.file ? "is a unit missing, such as mesh.unit: 1 mm?"
                                   : "a length without a unit is in m");
}

/* Cases made from decks without units are not checked. */
ig_status ig_case_plausible(ig_case *c, const ig_mesh *mesh) {
  if (c->no_units)
    return IG_OK;
  ig_node *root;
  walk w = {.cx = c->cx};
  const ig_option *const tables[] = {ig_common_options, c->room->options};
  IG_TRY(ig_case_fold(c, &root));
  map_look(&w, root, tables, 2);
  for (int i = 0; i < c->common.materials.count; i++)
    material_look(c->cx, IG_ITEM(const ig_material_case, c->common.materials, i));
  if (mesh)
    mesh_look(c, mesh);
  return IG_OK;
}
