/* Sets as a case names them: found by kind, refused with what there is. */
#include "check.h"
#include "geometry/mesh_case.h"
#include "mesh/named.h"

static ig_ctx *cx;
static ig_mesh *mesh;
static const ig_src at = {.file = "case.yaml", .line = 3, .column = 5};

static int open_all(void **state) {
  (void)state;
  cx = ctx_on("cpu", 1);
  return ig_mesh_box(cx, IG_HEX8, (double[]){2, 1, 1}, (int[]){2, 1, 1}, &mesh) == IG_OK ? 0 : -1;
}
static int close_all(void **state) {
  (void)state;
  ig_mesh_free(mesh);
  ig_ctx_close(cx);
  return 0;
}

static void kinds_are_kept_apart(void **state) {
  (void)state;
  const ig_set *set;
  GOOD(cx, ig_mesh_named_set(cx, mesh, &at, "xmin", IG_OF_NODES, &set));
  assert_int_equal(set->kind, IG_SET_NODES);
  GOOD(cx, ig_mesh_named_set(cx, mesh, &at, "xmin", IG_OF_FACES | IG_OF_ELEMENTS, &set));
  assert_int_equal(set->kind, IG_SET_FACES);
  GOOD(cx, ig_mesh_named_set(cx, mesh, &at, "all", IG_OF_ANY, &set));
  assert_int_equal(set->kind, IG_SET_ELEMENTS);
}

static void refusals_say_what_there_is(void **state) {
  (void)state;
  const ig_set *set;
  BAD(cx, ig_mesh_named_set(cx, mesh, &at, "xmn", IG_OF_NODES, &set), "case.yaml:3:5: ");
  BAD(cx, ig_mesh_named_set(cx, mesh, &at, "xminn", IG_OF_NODES, &set), "did you mean 'xmin'?");
  SAYS(cx, "it has xmin, xmax, ymin, ymax, zmin or zmax");
  BAD(cx, ig_mesh_named_set(cx, mesh, &at, "all", IG_OF_NODES, &set), "that is a set of elements");
  BAD(cx, ig_mesh_named_set(cx, mesh, &at, "x", IG_OF_NODES | IG_OF_FACES, &set),
      "no set 'x' of nodes or faces");
}

static void nodes_come_from_any_kind(void **state) {
  (void)state;
  ig_lid *node, count;
  GOOD(cx, ig_mesh_named_nodes(cx, mesh, &at, "all", &node, &count));
  assert_int_equal(count, mesh->nodes);
  for (ig_lid i = 0; i < count; i++)
    assert_int_equal(node[i], i);
  free(node);
  /* a face set alone: the nodes are those of its faces */
  const ig_set *face = ig_mesh_find_set(mesh, "xmax", IG_SET_FACES);
  ig_set *copy;
  GOOD(cx, ig_mesh_add_set(cx, mesh, "right", IG_SET_FACES, face->count, &copy));
  face = ig_mesh_find_set(mesh, "xmax", IG_SET_FACES);
  memcpy(copy->item, face->item, (size_t)face->count * sizeof *face->item);
  memcpy(copy->face, face->face, (size_t)face->count);
  GOOD(cx, ig_mesh_named_nodes(cx, mesh, &at, "right", &node, &count));
  assert_int_equal(count, 4);
  for (ig_lid i = 0; i < count; i++)
    assert_true(mesh->x[3 * node[i]] == 2);
  free(node);
  BAD(cx, ig_mesh_named_nodes(cx, mesh, &at, "rigth", &node, &count), "did you mean 'right'?");
}

static void elements_belong_to_the_last_that_names_them(void **state) {
  (void)state;
  typedef struct {
    ig_src at;
    ig_texts set;
  } entry;
  const ig_lid elements = ig_mesh_elements(mesh);
  ig_set *first;
  GOOD(cx, ig_mesh_add_set(cx, mesh, "first", IG_SET_ELEMENTS, 1, &first));
  first->item[0] = 0;
  int *owner = malloc((size_t)elements * sizeof *owner);
  entry list[] = {{.set = {1, (const char *[]){"all"}}}, {.set = {1, (const char *[]){"first"}}}};
  GOOD(cx, IG_CLAIM(cx, mesh, (&(ig_list){2, list}), entry, "owner", owner));
  assert_true(elements > 1 && owner[0] == 1 && owner[elements - 1] == 0);
  list[0].set.count = 0; /* takes what is left */
  GOOD(cx, IG_CLAIM(cx, mesh, (&(ig_list){2, list}), entry, "owner", owner));
  assert_true(owner[0] == 1 && owner[elements - 1] == 0);
  GOOD(cx, IG_CLAIM(cx, mesh, (&(ig_list){1, list + 1}), entry, NULL, owner));
  assert_true(owner[0] == 0 && owner[elements - 1] == -1);
  BAD(cx, IG_CLAIM(cx, mesh, (&(ig_list){1, list + 1}), entry, "owner", owner),
      "element 1 has no owner");
  list[1].set.value[0] = "frist";
  BAD(cx, IG_CLAIM(cx, mesh, (&(ig_list){1, list + 1}), entry, NULL, owner),
      "did you mean 'first'?");
  free(owner);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_are_kept_apart),
      cmocka_unit_test(refusals_say_what_there_is),
      cmocka_unit_test(nodes_come_from_any_kind),
      cmocka_unit_test(elements_belong_to_the_last_that_names_them),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
