/* --set KEY=VALUE means the same as KEY: VALUE in the file: for every key of every room, a case
   with the one and a case with the other read to the same values, or fail with the same words. */
#include "check.h"
#include "folder.h"
#include "ingot_io.h"
#include "run/case.h"
#include "run/fingerprint.h"
#include "run/rooms.h"

#ifdef INGOT_HAVE_IO
#include "io/format/json.h"

/* --- a case file written from a tree, by the test itself */

static void node_print(FILE *f, const ig_node *n) {
  if (n->kind == IG_NODE_SCALAR) {
    if (n->quoted)
      fprintf(f, "'%s'", n->text);
    else
      fputs(n->text, f);
    return;
  }
  fputs(n->kind == IG_NODE_MAP ? "{" : "[", f);
  for (const ig_node *child = n->child; child; child = child->next) {
    if (n->kind == IG_NODE_MAP)
      fprintf(f, "%s: ", child->key);
    node_print(f, child);
    fputs(child->next ? ", " : "", f);
  }
  fputs(n->kind == IG_NODE_MAP ? "}" : "]", f);
}

/* A place in the tree: keys and the first entries of lists. */
typedef struct {
  int depth;
  struct {
    const char *key;
    bool list;
  } step[12];
} place;

/* The tree with `value` at the place. `n` may be NULL: what is missing on the way is written. */
static void tree_print(FILE *f, const ig_node *n, const place *p, int depth, const char *value) {
  if (depth == p->depth) {
    fputs(value, f);
    return;
  }
  const char *key = p->step[depth].key;
  bool found = false;
  fputs("{", f);
  for (const ig_node *child = n ? n->child : NULL; child; child = child->next) {
    fprintf(f, "%s: ", child->key);
    if (strcmp(child->key, key) != 0)
      node_print(f, child);
    else if (!p->step[depth].list)
      tree_print(f, child, p, depth + 1, value);
    else { /* one map is a list of one */
      const ig_node *one = child->kind == IG_NODE_LIST ? child->child : child;
      fputs("[", f);
      tree_print(f, one, p, depth + 1, value);
      for (one = child->kind == IG_NODE_LIST ? one->next : NULL; one; one = one->next) {
        fputs(", ", f);
        node_print(f, one);
      }
      fputs("]", f);
    }
    found |= strcmp(child->key, key) == 0;
    fputs(child->next ? ", " : "", f);
  }
  if (!found) {
    fprintf(f, "%s%s: %s", n && n->child ? ", " : "", key, p->step[depth].list ? "[" : "");
    tree_print(f, NULL, p, depth + 1, value);
    fputs(p->step[depth].list ? "]" : "", f);
  }
  fputs("}", f);
}

/* --- comparing */

typedef struct {
  ig_ctx *cx;
  const char *path; /* of the case */
  char edited[300];
  int keys, good;
} trial;

static void text_add(void *user, const char *more) {
  ig_text_add(user, more);
}

/* What a case says once it is read; or why it is refused, without the place. */
static char *meaning(ig_ctx *cx, ig_case *c, bool *good) {
  ig_text text = {0};
  char stamp[IG_STAMP_TEXT];
  ig_status status = ig_case_read(c);
  if (status == IG_OK)
    status = ig_case_print(c, text_add, &text);
  *good = status == IG_OK;
  if (*good) {
    ig_job_stamp(c, &(ig_job){0}, stamp);
    ig_text_add(&text, stamp);
    return text.at;
  }
  const char *message = ig_ctx_message(cx);
  const char *words = strstr(message, ": ");
  return strdup(words ? words + 2 : message);
}

static void key_try(trial *t, const place *p, const char *value) {
  ig_case *c, *d;
  char key[256] = "";
  bool one, other;
  for (int i = 0; i < p->depth; i++)
    snprintf(key + strlen(key), sizeof key - strlen(key), "%s%s%s", i ? "." : "", p->step[i].key,
             p->step[i].list ? "[0]" : "");
  GOOD(t->cx, ig_case_open(t->cx, t->path, &c));
  FILE *f = fopen(t->edited, "w");
  assert_non_null(f);
  tree_print(f, c->root, p, 0, value);
  fclose(f);
  GOOD(t->cx, ig_case_set(c, key, value));
  GOOD(t->cx, ig_case_open(t->cx, t->edited, &d));
  char *a = meaning(t->cx, c, &one), *b = meaning(t->cx, d, &other);
  if (one != other || strcmp(a, b) != 0)
    fail_msg("%s: --set %s=%s:\n%s\nin the file:\n%s", t->path, key, value, a, b);
  t->keys++;
  t->good += one;
  free(a);
  free(b);
  ig_case_close(c);
  ig_case_close(d);
}

/* --- every key, with a value that it may have and one that it may not */

static void number_text(const ig_option *o, char *text, size_t size) {
  double v = 0.3;
  if (!(o->min == 0 && o->max == 0)) {
    v = v < o->min ? o->min : v;
    v = v > o->max ? o->max : v;
  }
  if (o->kind == IG_OPT_INT || o->kind == IG_OPT_IVECTOR)
    snprintf(text, size, "%lld", (long long)(v < 1 && o->min <= 2 && o->max >= 2 ? 2 : v));
  else
    snprintf(text, size, "%.15g%s%s", v, o->unit && *o->unit ? " " : "", o->unit ? o->unit : "");
}

static void option_try(trial *t, const ig_option *o, const place *p) {
  char one[80], value[512] = "";
  number_text(o, one, sizeof one);
  switch (o->kind) {
  case IG_OPT_BOOL:
    key_try(t, p, "true");
    key_try(t, p, "false");
    break;
  case IG_OPT_INT:
  case IG_OPT_REAL:
    key_try(t, p, one);
    break;
  case IG_OPT_CHOICE:
  case IG_OPT_TEXT:
    for (const char *w = o->choices ? o->choices : "'it is a text'"; *w;) {
      const size_t length = strcspn(w, "|");
      snprintf(value, sizeof value, "%.*s", (int)length, w);
      key_try(t, p, value);
      w += length + (w[length] == '|');
    }
    break;
  case IG_OPT_VECTOR:
  case IG_OPT_IVECTOR:
    for (int i = 0; i < o->length; i++)
      snprintf(value + strlen(value), sizeof value - strlen(value), "%s%s", i ? ", " : "[", one);
    strcat(value, "]");
    key_try(t, p, value);
    break;
  case IG_OPT_REALS:
    snprintf(value, sizeof value, "[%s, %s]", one, one);
    key_try(t, p, one);
    key_try(t, p, value);
    break;
  case IG_OPT_TEXTS:
    key_try(t, p, "[a, 'b c']");
    break;
  case IG_OPT_TABLE:
    snprintf(value, sizeof value, "[[1 %s, %s], [2 %s, %s]]", o->xunit ? o->xunit : "", one,
             o->xunit ? o->xunit : "", one);
    key_try(t, p, one);
    key_try(t, p, value);
    break;
  default:
    break;
  }
  key_try(t, p, "{no: 'such, key'}");
}

static void table_try(trial *t, const ig_option *options, const place *above) {
  for (const ig_option *o = options; o->key; o++) {
    place p = *above;
    if (o->kind == IG_OPT_KEYS) {
      table_try(t, o->sub, above);
      continue;
    }
    if (p.depth == 5 || strcmp(o->key, "physics") == 0)
      continue;
    p.step[p.depth].key = o->key;
    p.step[p.depth++].list = o->kind == IG_OPT_LIST;
    if (o->sub)
      table_try(t, o->sub, &p);
    else
      option_try(t, o, &p);
  }
}

static void setting_is_writing(void **state) {
  (void)state;
  static const char *const rooms[] = {"thermal", "powder",   "stress",
                                      "topopt",  "dynamics", "fracture"};
  ig_ctx *cx = ctx_on("cpu", 1);
  char *folder = folder_new();
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    const ig_room *room = ig_room_find(rooms[i]);
    char path[256];
    trial t = {.cx = cx, .path = path};
    snprintf(path, sizeof path, "tests/cli/small/%s.yaml", rooms[i]);
    snprintf(t.edited, sizeof t.edited, "%s/edited.yaml", folder);
    table_try(&t, ig_common_options, &(place){0});
    table_try(&t, room->options, &(place){0});
    /* beside a material's file, too */
    char with[300];
    snprintf(with, sizeof with, "%s/file.yaml", folder);
    ig_case *c;
    GOOD(cx, ig_case_open(cx, path, &c));
    FILE *f = fopen(with, "w");
    assert_non_null(f);
    char value[300], here[200];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(value, sizeof value, "{file: %s/materials/SS316L.yaml}", here);
    tree_print(f, c->root, &(place){1, {{"materials", true}}}, 0, value);
    fclose(f);
    ig_case_close(c);
    t.path = with;
    table_try(&t, ig_common_options, &(place){0});
    print_message("%s: %d settings, %d of them good\n", rooms[i], t.keys, t.good);
    /* keys of maps and lists that are left out have no good setting by themselves */
    assert_true(t.keys > 300 && t.good > t.keys / 5);
  }
  folder_remove(folder);
  ig_ctx_close(cx);
}
#else
static void setting_is_writing(void **state) {
  (void)state;
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(setting_is_writing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
