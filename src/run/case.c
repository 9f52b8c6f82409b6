/* Cases: opening, merging material files, and reading the keys that all rooms have in common.

   A case is a tree (ig_node) built from YAML and changed by ig_case_set. Reading resolves it twice:
   the common table (ig_common_options) and the table of the room that `physics` names. Every key
   must be known to one of them; an unknown key is an error with a suggestion. */
#include "run/case.h"
#include "ingot_io.h"
#include "run/accept.h"
#include "run/job.h"
#include "run/materials.h"
#include "run/rooms.h"
#ifdef INGOT_HAVE_IO
#include "io/format/case_yaml.h"
#endif

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Section `output`, read into ig_output_case. */
#define O ig_output_case
static const ig_option output_options[] = {
    IG_INT(O, every, "0", 0, 1e15,
           "a snapshot every so many steps (iterations of a design); 0: by interval or count"),
    IG_REAL(O, interval, "s", NULL, IG_POSITIVE, IG_UNBOUNDED,
            "a snapshot every so much simulated time"),
    IG_INT(O, count, "10", 0, 1e6,
           "this many snapshots over the whole run, after the one at its start; 0: none"),
    IG_REALS(O, times, "s", NULL, IG_POSITIVE, IG_UNBOUNDED,
             "snapshots at these times, rising, each after the step that reaches it"),
    IG_INT(O, history_every, "0", 0, 1e15,
           "a row of history.csv every so many steps; 0: a thousand rows over the whole run; steps "
           "of stress, of structure and of statics always have one"),
    IG_REAL(O, checkpoint_every, "s", "600", 0, IG_UNBOUNDED,
            "wall time between checkpoints; 0: only at the end"),
    IG_INT(O, compression, "1", 0, 9, "effort spent on compressing snapshots; 0: none"),
    IG_BOOL(O, one_file, "false",
            "when the run is done, write all snapshots into run.vtkhdf besides: VTKHDF 2 with "
            "steps, a mesh that stays the same stored once"),
    IG_TEXTS(O, fields, NULL, "fields to write; left out: the room's usual ones"),
    IG_END};
#undef O

#define A ig_accept_case
static const ig_option accept_options[] = {
    IG_TEXT(A, figure, IG_REQUIRED, "a figure of summary.json"),
    IG_TEXT(A, min, NULL, "the least value that is accepted, with its unit"),
    IG_TEXT(A, max, NULL, "the largest value that is accepted, with its unit"), IG_END};
#undef A

/* Keys of every case, whatever its physics. */
#define C ig_common_case
const ig_option ig_common_options[] = {
    IG_TEXT(C, physics, IG_REQUIRED, "the kind of analysis: the room that runs the case"),
    IG_TEXT(C, title, "''", "a line for reports and pictures"),
    {.key = "backend",
     .kind = IG_OPT_TEXT,
     .offset = offsetof(C, backend),
     .choices = "auto|cpu|debug|cuda",
     .help = "where it runs; left out: what the command line or the program says"},
    IG_INT(C, threads, "0", 0, 4096, "CPU threads; 0: what the command line or the program says"),
    IG_CHOICE(C, precision, IG_PRECISION_CHOICES, "double",
              "of the state and of element work; mixed: state in double, element work in single"),
    IG_CHOICE(
        C, assembly, IG_ASSEMBLY_CHOICES "|auto", "auto",
        "how element contributions meet at a node; all but atomic repeat bit for bit; cluster: "
        "patches of elements, a thread block each; auto: gather; on a CPU in stress and on meshes "
        "to be optimised color, on a GPU in stress cluster"),
    IG_MAP(C, mesh, ig_mesh_case, ig_mesh_options, NULL, "the mesh: generated or imported"),
    IG_LIST(C, materials, ig_material_case, ig_material_options, NULL, "what the part is made of"),
    IG_MAP(C, output, ig_output_case, output_options, NULL, "what is written, and how often"),
    IG_LIST(C, accept, ig_accept_case, accept_options, NULL,
            "limits of figures: the summary says whether the result is accepted"),
    IG_END};
#undef C

/* --- the tree */

/* A context whose backend did not open is kept for its error message only. */
static ig_status ctx_usable(ig_ctx *cx) {
  if (!cx)
    return IG_ARG;
  if (!cx->device) /* its message tells why */
    return cx->status != IG_OK ? cx->status : IG_ARG;
  return IG_OK;
}

ig_status ig_case_usable(const ig_case *c) {
  return c ? ctx_usable(c->cx) : IG_ARG;
}

/* An empty case, a map without keys, to be filled with ig_case_set. On failure *out is NULL. */
ig_status ig_case_new(ig_ctx *cx, ig_case **out) {
  if (!out)
    return IG_ARG;
  *out = NULL;
  IG_TRY(ctx_usable(cx));
  ig_case *c;
  IG_TRY(IG_NEW(cx, &c, 1, "case"));
  c->cx = cx;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_arena_new(cx, &c->arena));
  IG_TRY_GOTO(status, done, ig_arena_take(cx, c->arena, (void **)&c->root, 1, sizeof *c->root));
  c->root->kind = IG_NODE_MAP;
  c->root->at.given = true;
  *out = c;
done:
  if (status != IG_OK)
    ig_case_close(c);
  return status;
}

/* A build without INGOT_IO can run cases made by ig_case_set, but reads no files. */
static ig_status yaml_open(ig_ctx *cx, ig_arena *arena, const char *path, ig_node **root) {
#ifdef INGOT_HAVE_IO
  return ig_yaml_open(cx, arena, path, root);
#else
  (void)arena;
  *root = NULL;
  return IG_FAIL(cx, IG_UNSUPPORTED, "%s: this build reads no files: configure with -DINGOT_IO=ON",
                 path);
#endif
}

/* Only the YAML is read here; keys are checked by ig_case_read. *out is NULL after a failure. */
ig_status ig_case_open(ig_ctx *cx, const char *path, ig_case **out) {
  ig_case *c;
  if (!out)
    return IG_ARG;
  *out = NULL;
  if (!path)
    return cx ? IG_FAIL(cx, IG_ARG, "no path of a case is given") : IG_ARG;
  IG_TRY(ig_case_new(cx, &c));
  ig_status status = yaml_open(cx, c->arena, path, &c->root);
  if (status == IG_OK)
    status = ig_arena_text(cx, c->arena, &c->path, path, strlen(path));
  *out = status == IG_OK ? c : NULL;
  if (status != IG_OK)
    ig_case_close(c);
  return status;
}

/* NULL is allowed. All trees, texts and option structs are in the arena. */
void ig_case_close(ig_case *c) {
  if (!c)
    return;
  ig_mesh_free(c->mesh);
  ig_arena_free(c->arena);
  free(c);
}

/* --- material files */

/* A scalar given in the case replaces a table over temperature of the material file at all
   temperatures. That is allowed, but often not intended, so it is reported. Only `stress` reads the
   tables of `mechanical`. */
static void tables_warn(const ig_case *c, const ig_node *material, const ig_node *base,
                        const char *file) {
  const ig_node *own = ig_node_find(material, "mechanical"),
                *theirs = ig_node_find(base, "mechanical");
  for (const ig_node *t = theirs && theirs->kind == IG_NODE_MAP ? theirs->child : NULL; t;
       t = t->next) {
    const ig_node *top = ig_node_find(material, t->key),
                  *given = own && ig_node_find(own, t->key) ? ig_node_find(own, t->key) : top;
    if (t->kind == IG_NODE_LIST && t->child && t->child->next && given &&
        given->kind == IG_NODE_SCALAR)
      ig_warn_at(c->cx, &given->key_at,
                 "'%s' holds at every temperature and replaces the table of '%.100s': give rows "
                 "[temperature, value] in `mechanical` to keep a dependence on temperature",
                 t->key, file);
  }
}

/* A value that an entry gives by itself and as a single one in `mechanical`: rooms would take
   different ones. Beside a table it is that of rooms which compute at one temperature. */
static ig_status twice_refuse(ig_case *c, const ig_node *material) {
  static const char *const keys[] = {"young",     "poisson",   "yield",
                                     "hardening", "kinematic", "tangent"};
  const ig_node *own = ig_node_find(material, "mechanical");
  for (size_t i = 0; own && own->kind == IG_NODE_MAP && i < sizeof keys / sizeof *keys; i++) {
    const ig_node *again = ig_node_find(own, keys[i]);
    if (again && again->kind == IG_NODE_SCALAR && ig_node_find(material, keys[i]))
      return ig_fail_at(c->cx, &again->key_at,
                        "'%s' is given by itself and in `mechanical`: leave one of them out",
                        keys[i]);
  }
  return IG_OK;
}

/* Adds the values of the material file named by `file` to the map `material`, where the case does
   not give them. A file may not refer to another one: precedence would be hard to follow. */
static ig_status material_fold(ig_case *c, ig_node *material, bool warn) {
  IG_TRY(twice_refuse(c, material));
  const ig_node *file = ig_node_find(material, "file");
  if (!file || file->kind != IG_NODE_SCALAR || !*file->text)
    return IG_OK; /* none, or the option table will say what is wrong with it */
  char path[PATH_MAX], near[64];
  if (!ig_material_file_find(file, path) && ig_material_nearest(file->text, near, sizeof near))
    return ig_fail_at(
        c->cx, &file->at,
        "no material file '%.200s': did you mean '%s'? ('ingot materials' lists those "
        "that are shipped)",
        file->text, near);
  if (!ig_material_file_find(file, path))
    return ig_fail_at(
        c->cx, &file->at,
        "no material file '%.200s': looked beside the case, in the 'materials' folder "
        "there and above, in $INGOT_MATERIALS and in %s; 'ingot materials' lists those that are "
        "shipped",
        file->text, IG_MATERIALS_DIR);
  ig_node *base = NULL;
  IG_TRY(yaml_open(c->cx, c->arena, path, &base));
  const ig_node *further = ig_node_find(base, "file");
  if (further)
    return ig_fail_at(c->cx, &further->key_at, "a material file cannot name a further one");
  if (warn)
    tables_warn(c, material, base, file->text);
  ig_material_fold(material, base);
  return IG_OK;
}

/* A copy of the tree with material files merged in. Only the top level and `materials` are copied.
   The case's own tree stays unchanged, because a later ig_case_set may name another file. */
static ig_status fold(ig_case *c, ig_node **root, bool warn) {
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)root, 1, sizeof **root));
  **root = *c->root;
  ig_node **end = &(*root)->child, *materials = NULL;
  for (const ig_node *child = c->root->child; child; child = child->next, end = &(*end)->next) {
    if (strcmp(child->key, "materials") == 0) {
      IG_TRY(ig_node_copy(c->cx, c->arena, child, end));
      materials = *end;
    } else {
      IG_TRY(ig_arena_take(c->cx, c->arena, (void **)end, 1, sizeof **end));
      **end = *child;
    }
  }
  if (!materials)
    return IG_OK;
  if (materials->kind == IG_NODE_MAP)
    return material_fold(c, materials, warn);
  for (ig_node *material = materials->child; material; material = material->next)
    if (material->kind == IG_NODE_MAP)
      IG_TRY(material_fold(c, material, warn));
  return IG_OK;
}

ig_status ig_case_fold(ig_case *c, ig_node **root) {
  return fold(c, root, false);
}

/* --- reading */

/* Finds the room. The list of names serves the error message and the search for the nearest
   spelling. */
static ig_status room_choose(ig_case *c, const ig_room *const *rooms) {
  char names[512] = "";
  size_t used = 0;
  if (!rooms[0])
    return IG_FAIL(c->cx, IG_UNSUPPORTED, "no kind of analysis is compiled into this build");
  for (int i = 0; rooms[i] && used < sizeof names; i++)
    used +=
        (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? "|" : "", rooms[i]->name);
  const ig_node *physics = ig_node_find(c->root, "physics");
  if (!physics) {
    char list[512];
    ig_choices_list(names, list, sizeof list);
    return ig_fail_at(c->cx, &c->root->at, "missing key 'physics' at the top level: expected %s",
                      list);
  }
  int i;
  IG_TRY(ig_choice_read(c->cx, physics, names, &i));
  c->room = rooms[i];
  return IG_OK;
}

/* A common key that the room ignores (room->unused, "a|output.b") is reported: no key of the user
   is ignored silently. */
static void unused_warn(const ig_case *c) {
  for (const char *key = c->room->unused; key && *key;) {
    const size_t length = strcspn(key, "|");
    const bool nested = strncmp(key, "output.", 7) == 0;
    const ig_node *map = nested ? ig_node_find(c->root, "output") : c->root;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length - (nested ? 7 : 0), key + (nested ? 7 : 0));
    const ig_node *given = map ? ig_node_find(map, name) : NULL;
    if (given)
      ig_warn_at(c->cx, &given->key_at, "%s does not look at '%.*s'", c->room->name, (int)length,
                 key);
    key += length + (key[length] == '|');
  }
}

/* Fields in output.fields that the room does not have are an error. */
static ig_status fields_check(const ig_case *c) {
  const ig_texts *asked = &c->common.output.fields;
  for (int i = 0; i < asked->count && c->room->fields; i++) {
    char near[64], all[512];
    if (ig_choices_find(c->room->fields, asked->value[i]) >= 0)
      continue;
    const bool found = ig_nearest(asked->value[i], c->room->fields, near, sizeof near);
    ig_choices_list(c->room->fields, all, sizeof all);
    return ig_fail_at(c->cx, &c->common.output.at, "%s has no field '%.40s': %s%s%s", c->room->name,
                      asked->value[i], found ? "did you mean '" : "expected ", found ? near : all,
                      found ? "'?" : "");
  }
  return IG_OK;
}

/* Checked only if given: the default is allowed in every room, which takes what it has. */
static ig_status precision_check(const ig_case *c) {
  const ig_node *given = ig_node_find(c->root, "precision");
  char name[16], all[64];
  if (!given || !c->room->precisions)
    return IG_OK;
  ig_choice_text(IG_PRECISION_CHOICES, c->common.precision, name, sizeof name);
  if (ig_choices_find(c->room->precisions, name) >= 0)
    return IG_OK;
  ig_choices_list(c->room->precisions, all, sizeof all);
  return ig_fail_at(c->cx, &given->at, "precision: %s does not compute in %s: expected %s",
                    c->room->name, name, all);
}

/* Checks that concern several keys: a mesh where the room needs one, at most one rhythm of
   snapshots, rising times, known fields, a precision that the room supports. */
static ig_status common_check(ig_case *c) {
  const ig_common_case *common = &c->common;
  if (c->room->needs_mesh && !common->mesh.at.given && !c->mesh)
    return ig_fail_at(c->cx, &common->at, "missing key 'mesh' at the top level: %s needs one",
                      c->room->name);
  const ig_node *output = ig_node_find(c->root, "output"), *first = NULL;
  static const char *const rhythms[] = {"every", "interval", "count", "times"};
  for (int i = 0; i < 4 && output; i++) {
    const ig_node *given = ig_node_find(output, rhythms[i]);
    if (given && first)
      return ig_fail_at(c->cx, &given->key_at,
                        "'output.%s' and 'output.%s' exclude each other: give one of every, "
                        "interval, count, times",
                        first->key, given->key);
    first = given ? given : first;
  }
  const ig_reals *times = &common->output.times;
  for (int i = 1; i < times->count; i++)
    if (times->value[i] <= times->value[i - 1])
      return ig_fail_at(c->cx, &first->at, "output.times: %g s after %g s: times must rise",
                        times->value[i], times->value[i - 1]);
  IG_TRY(fields_check(c));
  for (int i = 0; i < common->accept.count; i++)
    IG_TRY(ig_accept_check(c, IG_ITEM(ig_accept_case, common->accept, i)));
  for (int i = 0; i < common->materials.count && strcmp(c->room->name, "structure") != 0; i++) {
    const ig_material_case *m = IG_ITEM(ig_material_case, common->materials, i);
    if (m->own_law || m->constants.count)
      return ig_fail_at(c->cx, &m->at, "`%s` of a material is for physics: structure, not %s",
                        m->own_law ? "own_law" : "constants", c->room->name);
  }
  return precision_check(c);
}

/* May be called again after ig_case_set: everything is read anew into fresh memory of the arena;
   c->common is overwritten. */
ig_status ig_case_read_for(ig_case *c, const ig_room *const *rooms) {
  IG_TRY(room_choose(c, rooms));
  ig_node *root;
  /* the others use single values */
  const bool warn = strcmp(c->room->name, "stress") == 0 || strcmp(c->room->name, "structure") == 0;
  IG_TRY(fold(c, &root, warn));
  IG_TRY(ig_arena_take(c->cx, c->arena, &c->room_case, 1, c->room->case_size));
  const ig_option_table tables[] = {{ig_common_options, &c->common},
                                    {c->room->options, c->room_case}};
  IG_TRY(ig_options_read(c->cx, c->arena, root, tables, 2));
  /* Derived values, for example single values at room temperature from tables. */
  for (int i = 0; i < c->common.materials.count; i++) {
    ig_material_case *m = IG_ITEM(ig_material_case, c->common.materials, i);
    ig_material_complete(m);
    IG_TRY(ig_material_homogenise(c->cx, m));
  }
  unused_warn(c);
  return common_check(c);
}

ig_status ig_case_read(ig_case *c) {
  return ig_case_read_for(c, ig_rooms_of(c->cx));
}
