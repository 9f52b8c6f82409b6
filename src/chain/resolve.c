/* From a stage in a chain to a case of its own: what stands beside the stages is added, and what is
   said to come from another stage is looked up in that one's results.

     from: design                      a snapshot (the shape room's `file`)
     mesh: {from: shape}               the mesh that stage made
     mesh: {from: print, keep: {…}}    the mesh that stage ran on, as far as its result says, and
                                       where it has moved it
     path: {from: shape}               the toolpath that stage made
     residual: {from: distort}         the last snapshot of that stage, with its stresses
     phases: {kind: heat, from: print} the folder with that stage's snapshots
     duration: {from: shape, figure: print_time, times: 1, plus: 5 s}    a number */
#include "chain/chain.h"
#include "core/number.h"
#include "core/unit.h"
#include "mesh/topology.h"
#include "io/format/atomic_file.h"
#include "io/result/vtkhdf.h"
#include "mesh/split.h"
#include "run/rooms.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- who is meant */

/* The stage that `from` names, which must come before the one that reads it: so a chain has no
   loops. */
static ig_status source_find(ig_chain *chain, int stage, const ig_node *from, int *source) {
  const char *name = from->kind == IG_NODE_SCALAR ? from->text : "?";
  *source = ig_stage_find(chain, stage, name);
  if (*source >= 0)
    return IG_OK;
  if (stage == 0)
    return ig_fail_at(chain->cx, &from->at, "there is no stage before '%s' to take this from",
                      chain->stage[stage].name);
  char list[512];
  ig_stage_list(chain, stage, list, sizeof list);
  return ig_fail_at(chain->cx, &from->at, "there is no stage '%.60s' before '%s': expected %s",
                    name, chain->stage[stage].name, list);
}

/* A phase of the stress room that takes the temperatures of a stage. */
static bool takes_heat(const ig_node *node) {
  const ig_node *kind = ig_node_find(node, "kind");
  return kind && kind->text && strcmp(kind->text, "heat") == 0;
}

/* `from` where it means a stage: a number of a summary, a mesh, a path, residual stresses, a
   thermal phase, or the shape's design at the top of its case. Elsewhere `from` is a key of the
   case itself and stays. */
static const ig_node *source_of(const ig_node *node, bool top) {
  const ig_node *from = ig_node_find(node, "from");
  if (!from)
    return NULL;
  const bool named =
      node->key && (strcmp(node->key, "mesh") == 0 || strcmp(node->key, "path") == 0 ||
                    strcmp(node->key, "residual") == 0);
  return top || named || takes_heat(node) || ig_node_find(node, "figure") ? from : NULL;
}

/* Depth first through the tree of a stage. Failures of `each` end the walk. */
static ig_status sources_walk(ig_chain *chain, int stage, const ig_node *node, bool top,
                              ig_source_fn *each) {
  const ig_node *from = node->kind == IG_NODE_MAP ? source_of(node, top) : NULL;
  if (from) {
    int source;
    IG_TRY(source_find(chain, stage, from, &source));
    IG_TRY(each(chain, stage, source, from));
  }
  for (const ig_node *child = node->child; child; child = child->next)
    IG_TRY(sources_walk(chain, stage, child, false, each));
  return IG_OK;
}

ig_status ig_stage_sources(ig_chain *chain, int stage, ig_source_fn *each) {
  return sources_walk(chain, stage, chain->stage[stage].node, true, each);
}

/* The same walk without looking the stages up. */
static bool reads(const ig_node *node, bool top) {
  bool any = node->kind == IG_NODE_MAP && source_of(node, top);
  for (const ig_node *child = node->child; child && !any; child = child->next)
    any = reads(child, false);
  return any;
}

bool ig_stage_reads(const ig_chain *chain, int stage) {
  return reads(chain->stage[stage].node, true);
}

/* --- small changes to a tree */

#define SOME_FILE "/dev/null" /* stands for a file that an earlier stage has yet to write */

/* Turns `node` into a scalar in its place; children stay in the arena and are forgotten. */
static ig_status scalar_become(ig_case *c, ig_node *node, const char *text) {
  node->kind = IG_NODE_SCALAR;
  node->child = NULL;
  node->quoted = true;
  return ig_arena_text(c->cx, c->arena, &node->text, text, strlen(text));
}

/* `from` becomes `file`, with the full path: a case reads paths relative to its own file, and the
   folders of stages are relative to where the program was started. */
static ig_status file_become(ig_case *c, ig_node *map, const char *path) {
  ig_node *from = ig_node_find(map, "from");
  char *whole = realpath(path, NULL); /* not from the case's folder */
  from->key = "file";
  const ig_status status = scalar_become(c, from, whole ? whole : path);
  free(whole);
  return status;
}

/* --- numbers */

/* What the option tables say of a place in a stage's tree. */
typedef struct {
  const ig_option *table[2]; /* of the keys of a map; NULL: nothing is known */
  const ig_option *o;        /* of the value; NULL: nothing is known */
  int depth;                 /* of lists within the value */
  bool abscissa;             /* the first column of a table */
} declared;

/* The option of a key in a table, and in those that it includes by IG_OPT_KEYS. */
static const ig_option *option_find(const ig_option *table, const char *key) {
  for (const ig_option *o = table; o && o->key; o++) {
    const ig_option *found = o->kind == IG_OPT_KEYS     ? option_find(o->sub, key)
                             : strcmp(o->key, key) == 0 ? o
                                                        : NULL;
    if (found)
      return found;
  }
  return NULL;
}

/* What the tables say of entry `index` of a map or list. The entries of a list have the option of
   the list itself; in a table [[x, y], …] the first of each inner pair is the abscissa, with a unit
   of its own. */
static declared declared_of(const declared *d, const ig_node *parent, const ig_node *child,
                            int index) {
  declared of = {.depth = 0};
  if (parent->kind == IG_NODE_MAP) {
    for (int t = 0; t < 2 && !of.o; t++)
      of.o = option_find(d->table[t], child->key);
    of.table[0] = of.o ? of.o->sub : NULL;
    return of;
  }
  of = *d;
  of.depth++;
  of.abscissa = d->o && d->o->kind == IG_OPT_TABLE && of.depth == 2 && index == 0;
  return of;
}

/* Kinds of values that a figure of another stage may stand for. */
static bool is_number(const ig_option *o) {
  return o->kind == IG_OPT_REAL || o->kind == IG_OPT_INT || o->kind == IG_OPT_VECTOR ||
         o->kind == IG_OPT_IVECTOR || o->kind == IG_OPT_REALS || o->kind == IG_OPT_TABLE;
}

/* `from`, `figure`, `times` and `plus`, and nothing else. Anything else in such a map is a
   misspelling, and would be ignored in silence. */
static ig_status number_keys_check(ig_case *c, const ig_node *node) {
  static const char known[] = "from|figure|times|plus";
  const char *const key = node->key ? node->key : "a number";
  for (const ig_node *child = node->child; child; child = child->next) {
    char near[16] = "";
    const bool expected = ig_choices_find(known, child->key) >= 0;
    if (expected && child->kind == IG_NODE_SCALAR)
      continue;
    if (expected)
      return ig_fail_at(c->cx, &child->at, "'%s' of '%.60s' must be a single value", child->key,
                        key);
    const bool found = ig_nearest(child->key, known, near, sizeof near);
    return ig_fail_at(
        c->cx, &child->key_at,
        "unknown key '%.60s' in '%.60s': %s%s%sa number from a stage has from, figure, times and "
        "plus%s",
        child->key, key, found ? "did you mean '" : "", near, found ? "'? (" : "",
        found ? ")" : "");
  }
  static const char *const needed[] = {"from", "figure"};
  for (int i = 0; i < 2; i++)
    if (!ig_node_find(node, needed[i]))
      return ig_fail_at(c->cx, &node->at,
                        "'%.60s' is a map of keys: a number from a stage needs `from` and "
                        "`figure`, the key of a figure in that stage's summary.json",
                        key);
  return IG_OK;
}

/* Reads `plus`, a difference in the unit of the key that it is added for. Temperatures on a scale
   with an offset (25 degC) are refused: zero of that unit is not zero of SI, so a difference in it
   would be ambiguous. */
static ig_status plus_read(ig_case *c, const ig_node *plus, const char *unit, double *more) {
  char problem[160];
  double zero = 0;
  if (!ig_number_read(plus->text, unit, more, problem, sizeof problem))
    return ig_fail_at(c->cx, &plus->at, "plus '%.60s': %s", plus->text, problem);
  char *own, nothing[64];
  (void)ig_decimal_read(plus->text, &own);
  snprintf(nothing, sizeof nothing, "0 %.60s", own);
  if (ig_number_read(nothing, unit, &zero, problem, sizeof problem) && zero != 0)
    return ig_fail_at(c->cx, &plus->at,
                      "plus '%.60s': a difference of temperatures is given in K, not on a scale "
                      "with a zero of its own",
                      plus->text);
  return IG_OK;
}

/* Replaces the map by factor * figure + more, as text with all 17 digits of a double. In a trial
   the figure is not there yet: 1 stands for it, and `later` tells the reader not to check its
   range. */
static ig_status figure_become(ig_chain *chain, ig_case *c, ig_node *node, int source, bool trial,
                               const declared *d) {
  const ig_node *figure = ig_node_find(node, "figure"), *times = ig_node_find(node, "times"),
                *plus = ig_node_find(node, "plus");
  const char *name = chain->stage[source].name;
  const char *unit = d->o ? d->abscissa ? d->o->xunit : d->o->unit : NULL;
  double value = 1, factor = 1, more = 0;
  char text[40], problem[160], of[IG_UNIT_TEXT] = "";
  ig_node *summary = NULL;
  unit = unit ? unit : "";
  if (times && !ig_number_read(times->text, "", &factor, problem, sizeof problem))
    return ig_fail_at(c->cx, &times->at, "times '%.60s': %s", times->text, problem);
  if (plus && d->o)
    IG_TRY(plus_read(c, plus, unit, &more));
  IG_TRY(trial ? ig_stage_figure_check(chain, source, &figure->at, figure->text)
               : ig_stage_summary(chain, source, &summary));
  if (!trial && !ig_summary_figure(summary, figure->text, &value, of))
    return ig_fail_at(c->cx, &figure->at,
                      "stage '%s' has left no figure '%.60s': see %s/summary.json", name,
                      figure->text, chain->stage[source].folder);
  /* Without a factor the figure's unit and the key's must agree; with one, the case takes the
     responsibility for it. */
  if (*of && d->o && !times && !ig_units_alike(of, unit)) {
    char expected[128];
    ig_unit_describe(unit, expected, sizeof expected);
    return ig_fail_at(c->cx, &figure->at,
                      "figure '%.60s' of stage '%s' is in %s, '%.60s' is %s: give a factor "
                      "`times` that leads from one to the other, in SI units",
                      figure->text, name, of, node->key ? node->key : d->o->key, expected);
  }
  const double sum = factor * value + more;
  /* The range is checked here, where the message can name the figure and its stage. */
  if (!trial && d->o && !d->abscissa && !(d->o->min == 0 && d->o->max == 0) &&
      !(sum >= d->o->min && sum <= d->o->max)) {
    char range[128];
    ig_option_range(d->o, range, sizeof range);
    return ig_fail_at(c->cx, &node->at,
                      "'%.60s' becomes %.10g (figure '%.60s' of stage '%s' is %.10g): expected %s",
                      node->key ? node->key : d->o->key, sum, figure->text, name, value, range);
  }
  ig_format(text, sizeof text, "%.17g", sum);
  IG_TRY(scalar_become(c, node, text));
  node->quoted = false;
  node->later = trial;
  return IG_OK;
}

/* --- meshes */

/* What is kept of a stage's mesh; texts are NULL and numbers NaN where the key was left out. */
typedef struct {
  ig_src at;
  const char *set, *field;
  double min, max;
  bool left, moved, split;
} keep_case;
static const ig_option keep_options[] = {
    IG_TEXT(keep_case, set, NULL, "elements of this set"),
    IG_TEXT(keep_case, field, NULL, "elements whose value of this field of the result is in range"),
    IG_REAL(keep_case, min, NULL, NULL, 0, 0, "at least, in the field's unit"),
    IG_REAL(keep_case, max, NULL, NULL, 0, 0, "at most"),
    IG_BOOL(keep_case, left, "false",
            "elements that its last snapshot still holds: what a cut has left"),
    IG_BOOL(keep_case, moved, "false",
            "nodes where the field `displacement` of its last snapshot has moved them"),
    IG_BOOL(keep_case, split, "false",
            "each hexahedron is cut into six tetrahedra, as fracture needs them"),
    IG_END};

/* Whether a stage makes a part from a design: its mesh is then in its snapshot. */
static bool is_shape(const ig_chain *chain, int stage) {
  const ig_node *physics = ig_node_find(chain->stage[stage].node, "physics");
  return physics && physics->text && strcmp(physics->text, "shape") == 0;
}

/* Path of the last snapshot of a stage; free it. Fails if the stage has left none. */
static ig_status last_snapshot(ig_chain *chain, int stage, char **path) {
  ig_series series;
  IG_TRY(ig_series_read(chain->cx, chain->stage[stage].folder, &series));
  *path = series.path[series.count - 1];
  series.path[series.count - 1] = NULL;
  ig_series_free(&series);
  return IG_OK;
}

/* Clears inside[] for cells whose value is outside the range. Comparisons are written so that a
   limit of NaN, one that was left out, excludes nothing, while a value of NaN is excluded. */
static ig_status field_keep(ig_ctx *cx, const keep_case *keep, const ig_snapshot *snap,
                            const char *path, uint8_t *inside) {
  const ig_field *f = ig_snapshot_find(snap, IG_AT_CELLS, keep->field);
  if (!f)
    return ig_fail_at(cx, &keep->at, "'%s' has no cell field '%.60s' of single numbers", path,
                      keep->field);
  for (int64_t c = 0; c < snap->cells; c++) {
    const double v = ig_field_number(f, c);
    inside[c] &= !(v < keep->min) && !(v > keep->max) && !isnan(v);
  }
  return IG_OK;
}

/* What is kept must be one piece: up to a tenth of it may be in smaller pieces, which go with a
   warning; more than that is a failure. So is a node set that loses all its nodes, as supports and
   loads of the next stage are bound to sets. `inside` has one byte an element; the mesh is changed
   in place. */
static ig_status whole_keep(ig_ctx *cx, const keep_case *keep, ig_mesh *mesh, const uint8_t *inside,
                            const char *stage) {
  ig_lid count = 0, all = ig_mesh_elements(mesh);
  int pieces;
  double lost;
  for (ig_lid e = 0; e < all; e++)
    count += inside[e];
  if (count == 0)
    return ig_fail_at(cx, &keep->at, "nothing of the result of '%s' is kept: see its fields",
                      stage);
  ig_lid *before; /* sizes of the sets, which follow */
  IG_TRY(IG_NEW(cx, &before, mesh->sets + 1, "sets"));
  for (int i = 0; i < mesh->sets; i++)
    before[i] = mesh->set[i].count;
  ig_status status = ig_mesh_keep(cx, mesh, inside, NULL);
  if (status == IG_OK)
    status = ig_mesh_keep_largest(cx, mesh, &pieces, &lost);
  for (int i = 0; i < mesh->sets && status == IG_OK; i++)
    if (mesh->set[i].kind == IG_SET_NODES && before[i] && !mesh->set[i].count)
      status = ig_fail_at(cx, &keep->at,
                          "of the set '%.60s' nothing is kept of the result of '%s': was the part "
                          "molten there?",
                          mesh->set[i].name, stage);
  free(before);
  IG_TRY(status);
  if (lost > 0.1)
    return ig_fail_at(
        cx, &keep->at,
        "what is kept of '%s' falls apart into %d pieces, the largest with %.0f %% of "
        "it: was the whole part molten?",
        stage, pieces, 100 * (1 - lost));
  if (lost > 0)
    ig_warn(cx, "%.2g %% of what is kept of '%s' hung loose and was dropped", 100 * lost, stage);
  return IG_OK;
}

/* Cells of a snapshot are elements of the mesh, in their order; elements that are missing are
   cleared in inside[]. Both lists are walked once: an element with other corners than the next cell
   is one that was cut. Cells left over mean that the snapshot is of another mesh. */
static ig_status left_keep(ig_ctx *cx, const keep_case *keep, const ig_snapshot *snap,
                           const ig_mesh *mesh, const char *name, uint8_t *inside) {
  const ig_lid elements = ig_mesh_elements(mesh);
  ig_lid e = 0;
  for (int64_t c = 0; c < snap->cells; c++, e++) {
    const int64_t *corner = snap->corner + snap->offset[c],
                  count = snap->offset[c + 1] - snap->offset[c];
    for (; e < elements; e++) {
      ig_lid local;
      const ig_block *b = ig_mesh_element(mesh, e, &local);
      const int nodes = ig_elem_info_get(b->type)->nodes;
      int64_t same = nodes == count ? 0 : -1;
      while (same >= 0 && same < count && corner[same] == b->conn[(int64_t)local * nodes + same])
        same++;
      if (same == count)
        break;
      inside[e] = 0;
    }
    if (e == elements)
      return ig_fail_at(cx, &keep->at, "the last snapshot of '%s' is of another mesh", name);
  }
  for (; e < elements; e++)
    inside[e] = 0;
  return IG_OK;
}

/* Places in the snapshot of the nodes of a mesh that was read from it: nodes that no cell uses were
   left out. The array belongs to the caller. It is filled in place: the index written never passes
   the one read. */
static ig_status nodes_used(ig_ctx *cx, const ig_snapshot *snap, int64_t **place, int64_t *count) {
  IG_TRY(IG_NEW(cx, place, snap->points + 1, "nodes"));
  for (int64_t i = 0; i < snap->corners; i++)
    (*place)[snap->corner[i]] = 1;
  *count = 0;
  for (int64_t i = 0; i < snap->points; i++)
    if ((*place)[i])
      (*place)[(*count)++] = i;
  return IG_OK;
}

/* Adds the displacements of the last snapshot to the nodes, m. The mesh has either all points of
   the snapshot or only those that cells use. */
static ig_status nodes_move(ig_ctx *cx, const keep_case *keep, const ig_snapshot *snap,
                            const char *name, ig_mesh *mesh) {
  const ig_field *f = NULL;
  for (int i = 0; i < snap->fields && !f; i++)
    if (snap->field[i].where == IG_AT_POINTS && snap->field[i].components == 3 &&
        strcmp(snap->field[i].name, "displacement") == 0)
      f = snap->field + i;
  if (!f)
    return ig_fail_at(cx, &keep->at, "the last snapshot of '%s' has no field 'displacement'", name);
  int64_t *place, count;
  const bool whole = snap->points == mesh->nodes;
  IG_TRY(nodes_used(cx, snap, &place, &count));
  for (int64_t k = 0; (whole || count == mesh->nodes) && k < 3 * (int64_t)mesh->nodes; k++)
    mesh->x[k] += ig_field_number(f, whole ? k : 3 * place[k / 3] + k % 3);
  free(place);
  return whole || count == mesh->nodes
             ? IG_OK
             : ig_fail_at(cx, &keep->at, "the last snapshot of '%s' is of another mesh", name);
}

/* Applies set, left, field and moved, in that order, then keeps one piece and splits it. */
static ig_status mesh_keep(ig_chain *chain, const keep_case *keep, int source, ig_mesh *mesh) {
  ig_ctx *cx = chain->cx;
  ig_snapshot *snap = NULL;
  uint8_t *inside = NULL;
  char *result = NULL;
  const char *name = chain->stage[source].name;
  const ig_lid elements = ig_mesh_elements(mesh);
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &inside, elements, "mesh"));
  /* Without a set everything is inside at first, with one only its elements. */
  memset(inside, !keep->set, (size_t)elements);
  if (keep->set) {
    const ig_set *set = ig_mesh_find_set(mesh, keep->set, IG_SET_ELEMENTS);
    if (!set) {
      status =
          ig_fail_at(cx, &keep->at, "the mesh of '%s' has no element set '%.60s'", name, keep->set);
      goto done;
    }
    for (ig_lid i = 0; i < set->count; i++)
      inside[set->item[i]] = 1;
  }
  /* The snapshot is read only if something of it is needed. */
  if (keep->field || keep->left || keep->moved) {
    IG_TRY_GOTO(status, done, last_snapshot(chain, source, &result));
    IG_TRY_GOTO(status, done, ig_snapshot_read(cx, result, &snap));
    if (keep->field && (snap->cells != elements || snap->points != mesh->nodes)) {
      status = ig_fail_at(cx, &keep->at,
                          "the last snapshot of '%s' holds %" PRId64 " of the %" PRId32
                          " elements of its mesh: let the stage run until all are there",
                          name, snap->cells, elements);
      goto done;
    }
    if (keep->left && snap->cells != elements)
      IG_TRY_GOTO(status, done, left_keep(cx, keep, snap, mesh, name, inside));
    if (keep->field)
      IG_TRY_GOTO(status, done, field_keep(cx, keep, snap, result, inside));
    if (keep->moved)
      IG_TRY_GOTO(status, done, nodes_move(cx, keep, snap, name, mesh));
  }
  status = whole_keep(cx, keep, mesh, inside, name);
  if (status == IG_OK && keep->split)
    status = ig_mesh_split(cx, mesh);
done:
  free(result);
  free(inside);
  ig_snapshot_free(snap);
  return status;
}

/* Reads `keep` with the usual checks; the struct lives in the arena of the chain's case. */
static ig_status keep_read(ig_chain *chain, const ig_node *node, keep_case **keep) {
  ig_ctx *cx = chain->cx;
  ig_arena *arena = chain->c->arena;
  IG_TRY(ig_arena_take(cx, arena, (void **)keep, 1, sizeof **keep));
  return ig_options_read(cx, arena, node, &(ig_option_table){keep_options, *keep}, 1);
}

/* The mesh with its sets that a stage made or runs on: where it makes its mesh itself, what its
   last snapshot shows; where it took it from another stage, that one's, by recursion, less what was
   not kept. *mesh is the caller's, NULL after a failure. */
static ig_status mesh_of(ig_chain *chain, int stage, ig_mesh **mesh) {
  const ig_node *section = ig_node_find(chain->stage[stage].node, "mesh");
  const ig_node *from = section ? ig_node_find(section, "from") : NULL;
  if (is_shape(chain, stage) || !from) {
    char *path;
    IG_TRY(last_snapshot(chain, stage, &path));
    const ig_status status = ig_mesh_read(chain->cx, path, NULL, mesh);
    free(path);
    return status;
  }
  int source;
  keep_case *keep;
  const ig_node *kept = ig_node_find(section, "keep");
  IG_TRY(source_find(chain, stage, from, &source));
  IG_TRY(mesh_of(chain, source, mesh));
  if (!kept)
    return IG_OK;
  ig_status status = keep_read(chain, kept, &keep);
  if (status == IG_OK)
    status = mesh_keep(chain, keep, source, *mesh);
  if (status != IG_OK) {
    ig_mesh_free(*mesh);
    *mesh = NULL;
  }
  return status;
}

/* Which mesh a case wants, in the arena of that case. */
typedef struct {
  ig_chain *chain;
  int stage;
} whose;
/* Called by the case when it needs its mesh, with the context of the run. */
static ig_status mesh_make(ig_ctx *cx, void *user, ig_mesh **mesh) {
  const whose *w = user;
  (void)cx;
  *mesh = NULL;
  return mesh_of(w->chain, w->stage, mesh);
}

/* In a trial: the mesh that a source makes itself, without results of any stage. */
static ig_status mesh_ahead(ig_ctx *cx, void *user, ig_mesh **mesh) {
  const whose *w = user;
  ig_case *own;
  *mesh = NULL;
  IG_TRY(ig_stage_as_case(w->chain, w->stage, true, cx, &own));
  const ig_status status = ig_case_mesh(own, mesh);
  ig_case_close(own);
  return status;
}
/* The stage whose own mesh a stage runs on, as a whole; -1: none, or it comes of results. */
static int mesh_origin(ig_chain *chain, int stage) {
  const ig_node *section = ig_node_find(chain->stage[stage].node, "mesh");
  const ig_node *from = section ? ig_node_find(section, "from") : NULL;
  int source;
  if (is_shape(chain, stage) || !section || ig_node_find(section, "keep"))
    return -1;
  if (!from)
    return stage;
  return source_find(chain, stage, from, &source) == IG_OK ? mesh_origin(chain, source) : -1;
}

/* --- heat of another stage */

/* The keys by which an `output` has a rhythm. */
static const char *const rhythms[] = {"every", "interval", "count", "times"};

static bool has_rhythm(const ig_node *output) {
  bool any = false;
  for (int i = 0; i < 4 && output; i++)
    any |= ig_node_find(output, rhythms[i]) != NULL;
  return any;
}

/* Whether a phase of heat chooses its steps by default: it says nothing of them, and the stage that
   it follows says nothing of its snapshots. */
static bool chooses_steps(const ig_chain *chain, const ig_node *phase, int source) {
  static const char *const own[] = {"every", "step_error", "change", "layers"};
  bool said = has_rhythm(ig_node_find(chain->stage[source].node, "output"));
  for (int i = 0; i < 4; i++)
    said |= ig_node_find(phase, own[i]) != NULL;
  return !said;
}

/* The folder of the stage, and by which error steps are chosen where nothing is said. */
static ig_status heat_become(ig_chain *chain, ig_case *c, ig_node *phase, int source) {
  void *place;
  IG_TRY(file_become(c, phase, chain->stage[source].folder));
  if (!chooses_steps(chain, phase, source))
    return IG_OK;
  IG_TRY(ig_arena_take(c->cx, c->arena, &place, 1, sizeof(ig_node)));
  ig_node *error = place;
  *error = (ig_node){.key = "step_error", .at = phase->at, .key_at = phase->at};
  error->next = phase->child;
  phase->child = error;
  return scalar_become(c, error, "0.05");
}

/* Whether a section below follows a stage while both run. */
static bool follows(ig_chain *chain, int stage, const ig_node *node) {
  const ig_node *from = ig_node_find(node, "from");
  int source;
  bool any =
      node->kind == IG_NODE_MAP && from && takes_heat(node) &&
      (ig_node_find(node, "every") || ig_node_find(node, "step_error") ||
       (source_find(chain, stage, from, &source) == IG_OK && chooses_steps(chain, node, source)));
  for (const ig_node *child = node->child; child && !any; child = child->next)
    any = follows(chain, stage, child);
  return any;
}

/* Whether a section below takes what another stage leaves, by `from` beside `key`: a `figure` of
   its summary. */
static bool takes(const ig_node *node, const char *key) {
  bool any = node->kind == IG_NODE_MAP && ig_node_find(node, key) && ig_node_find(node, "from");
  for (const ig_node *child = node->child; child && !any; child = child->next)
    any = takes(child, key);
  return any;
}
bool ig_stage_opens(ig_chain *chain, int stage) {
  const ig_node *section = ig_node_find(chain->stage[stage].node, "mesh");
  const bool from = section && ig_node_find(section, "from");
  const int origin = from ? mesh_origin(chain, stage) : stage;
  return !is_shape(chain, stage) && origin >= 0 && !takes(chain->stage[stage].node, "figure") &&
         !follows(chain, stage, chain->stage[stage].node) &&
         !takes(chain->stage[origin].node, "figure");
}
bool ig_stage_waits(const ig_ctx *cx) {
  return strstr(cx->message, SOME_FILE);
}

/* The stage's mesh is made when it is asked for, and nothing is written. The path of the snapshot
   replaces `from` all the same: it enters the stamp of the case, by which a result is recognised as
   up to date. */
static ig_status mesh_become(ig_chain *chain, ig_case *c, int stage, ig_node *mesh, int source,
                             bool trial) {
  const ig_node *kept = ig_node_find(mesh, "keep");
  keep_case *keep;
  if (kept) /* what is wrong with it is reported before anything runs */
    IG_TRY(keep_read(chain, kept, &keep));
  ig_node_drop(mesh, "keep");
  whose *w;
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&w, 1, sizeof *w));
  *w = (whose){chain, stage};
  if (trial) {
    w->stage = mesh_origin(chain, stage);
    if (w->stage >= 0) {
      c->mesh_make = mesh_ahead;
      c->mesh_user = w;
    }
    return file_become(c, mesh, SOME_FILE);
  }
  c->mesh_make = mesh_make;
  c->mesh_user = w;
  char *path;
  IG_TRY(last_snapshot(chain, source, &path));
  const ig_status status = file_become(c, mesh, path);
  free(path);
  return status;
}

/* --- the walk */

/* A design with planes of symmetry is a half or a quarter of the part, and no shape mirrors it. */
static void warn_of_half(ig_chain *chain, int stage, const ig_node *node, int source) {
  const ig_node *symmetry = ig_node_find(chain->stage[source].node, "symmetry");
  if (is_shape(chain, stage) && symmetry &&
      (symmetry->child || (symmetry->text && *symmetry->text)))
    ig_warn_at(chain->cx, &ig_node_find(node, "from")->at,
               "from: '%.60s' has planes of symmetry: the shape is that of its model, not of the "
               "whole part; design the whole to build it",
               chain->stage[source].name);
}

/* Replaces `from` in `node` by whatever it stands for: a number, a mesh, a folder of snapshots for
   a thermal phase, path.csv of a shape, else the last snapshot. In a trial a file that always
   exists stands in. */
static ig_status source_become(ig_chain *chain, ig_case *c, int stage, ig_node *node, int source,
                               bool trial, const declared *d) {
  const char *key = node->key ? node->key : "";
  if (ig_node_find(node, "figure"))
    return figure_become(chain, c, node, source, trial, d);
  if (strcmp(key, "mesh") == 0)
    return mesh_become(chain, c, stage, node, source, trial);
  if (trial) {
    warn_of_half(chain, stage, node, source);
    return file_become(c, node, SOME_FILE);
  }
  if (takes_heat(node))
    return heat_become(chain, c, node, source);
  char *path = NULL;
  ig_status status = IG_OK;
  if (strcmp(key, "path") != 0)
    status = last_snapshot(chain, source, &path);
  else if (!(path = ig_path_join(chain->stage[source].folder, "path.csv")))
    status = IG_FAIL(c->cx, IG_MEMORY, "no memory for a path");
  if (status == IG_OK)
    status = file_become(c, node, path);
  free(path);
  return status;
}

/* Resolves one node and all below it. A map where the table wants a number must be a reference to a
   figure; such a reference where it wants none is refused. */
static ig_status node_resolve(ig_chain *chain, ig_case *c, int stage, ig_node *node, bool top,
                              bool trial, const declared *d) {
  /* Without an option of the key, which is then refused by the reader, nothing is checked here. */
  const bool map = node->kind == IG_NODE_MAP, number = map && d->o && is_number(d->o);
  if (number || (map && !top && ig_node_find(node, "figure") && ig_node_find(node, "from")))
    IG_TRY(number_keys_check(c, node));
  if (map && !number && d->o && ig_node_find(node, "figure") && ig_node_find(node, "from"))
    return ig_fail_at(c->cx, &node->at, "'%.60s' takes no number from a stage", d->o->key);
  const ig_node *from = map ? source_of(node, top) : NULL;
  if (from) {
    int source;
    IG_TRY(source_find(chain, stage, from, &source));
    IG_TRY(source_become(chain, c, stage, node, source, trial, d));
  }
  int index = 0;
  for (ig_node *child = node->child; child; child = child->next, index++) {
    const declared of = declared_of(d, node, child, index);
    IG_TRY(node_resolve(chain, c, stage, child, false, trial, &of));
  }
  return IG_OK;
}

/* Whether a stage's room has a use for a key given for all of them. An unknown room takes all keys:
   its name is refused later, with a better message. */
static bool heeds(const ig_case *stage, const ig_node *common) {
  const ig_node *physics = ig_node_find(stage->root, "physics");
  const ig_room *room = physics && physics->text ? ig_room_find(physics->text) : NULL;
  if (!room)
    return true;
  if (strcmp(common->key, "precision") == 0 && room->precisions && common->text)
    return ig_choices_find(room->precisions, common->text) >= 0;
  return !room->unused || ig_choices_find(room->unused, common->key) < 0;
}

/* What holds for every stage that can follow it and does not say otherwise: keys of `output` one by
   one, the others as a whole. */
static ig_status common_fold(ig_chain *chain, ig_case *c) {
  for (const ig_node *common = chain->c->root->child; common; common = common->next) {
    if (ig_choices_find(IG_CHAIN_COMMON, common->key) < 0 || !heeds(c, common))
      continue;
    ig_node *copy, *const own = ig_node_find(c->root, common->key);
    IG_TRY(ig_node_copy(c->cx, c->arena, common, &copy));
    if (!own) {
      copy->next = c->root->child;
      c->root->child = copy;
    } else if (own->kind == IG_NODE_MAP && copy->kind == IG_NODE_MAP &&
               strcmp(own->key, "output") == 0) {
      /* A stage that sets the rhythm of its output keeps it: a second rhythm from the chain would
         contradict it, as a case has one. */
      const bool rhythm = has_rhythm(own);
      for (int i = 0; i < 4 && rhythm; i++)
        ig_node_drop(copy, rhythms[i]);
      ig_node_fold(own, copy);
    }
  }
  return IG_OK;
}

/* Makes the stage anew: results of earlier stages may have changed since. */
ig_status ig_stage_resolve(ig_chain *chain, int stage, bool trial) {
  ig_stage *s = &chain->stage[stage];
  ig_case_close(s->own);
  s->own = NULL;
  return ig_stage_as_case(chain, stage, trial, chain->cx, &s->own);
}

/* The tree is copied, so that the file's stays as it is for a second resolve. After a failure *out
   may be set: the caller closes it. */
ig_status ig_stage_as_case(ig_chain *chain, int stage, bool trial, ig_ctx *cx, ig_case **out) {
  ig_stage *s = &chain->stage[stage];
  ig_case *c;
  *out = NULL;
  IG_TRY(ig_case_new(cx, &c));
  *out = c;
  c->state_of = trial ? NULL : chain->state_of;
  c->state_user = chain;
  IG_TRY(ig_node_copy(c->cx, c->arena, s->node, &c->root));
  /* Keys of the chain itself, picture and curve, are dropped below, as no case knows them. */
  c->root->key = NULL; /* the name of the stage is none of the case's */
  c->path = chain->c->path;
  for (const ig_option *o = ig_stage_keys; o->key; o++)
    ig_node_drop(c->root, o->key);
  IG_TRY(common_fold(chain, c));
  const ig_node *physics = ig_node_find(c->root, "physics");
  const ig_room *room = physics && physics->text ? ig_room_find(physics->text) : NULL;
  const declared top = {.table = {ig_common_options, room ? room->options : NULL}};
  return node_resolve(chain, c, stage, c->root, true, trial, &top);
}
