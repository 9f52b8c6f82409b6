/* Files that a run has read: each once, with its digest. */
#include "check.h"
#include "core/inputs.h"
#include "folder.h"

#include <sys/stat.h>

static void files_are_noted_once(void **state) {
  (void)state;
  ig_ctx *cx = ctx_on("cpu", 1);
  char *folder = folder_new();
  char a[256], b[256], run[256], inside[300], summary[300];
  snprintf(a, sizeof a, "%s/a", folder);
  snprintf(b, sizeof b, "%s/b", folder);
  snprintf(run, sizeof run, "%s/run", folder);
  snprintf(inside, sizeof inside, "%s/snap", run);
  snprintf(summary, sizeof summary, "%s/summary.json", run);
  assert_int_equal(mkdir(run, 0700), 0);
  file_write(a, "abc", 3);
  file_write(b, "", 0);
  file_write(inside, "x", 1);
  file_write(summary, "{}", 2);
  ig_inputs list = {0};
  ig_input_note(cx, a); /* nobody listens */
  cx->inputs = &list;
  ig_input_note(cx, a);
  ig_input_note(cx, run);
  ig_input_note(cx, inside); /* its folder has a summary */
  ig_input_note(cx, a);
  ig_input_note(cx, NULL);
  ig_input_note(cx, "/nowhere/at/all");
  ig_inputs_start(&list);
  ig_input_note(cx, b); /* while the others are computed */
  cx->inputs = NULL;
  ig_inputs_finish(&list);
  const ig_input *one = list.first;
  assert_string_equal(one->path, a);
  assert_string_equal(one->sha256,
                      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  one = one->next;
  assert_string_equal(one->path, summary);
  one = one->next;
  assert_string_equal(one->path, b);
  assert_string_equal(one->sha256,
                      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert_null(one->next);
  ig_inputs_free(&list);
  assert_null(list.first);
  remove(inside);
  remove(summary);
  rmdir(run);
  folder_remove(folder);
  ig_ctx_close(cx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_are_noted_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
