/* Running cases: figures reach the caller, failures are told, a continuation ends as a run in one
   go. A room of four numbers stands in for physics. */
#include "check.h"
#include "ingot_io.h"
#include "run/job.h"
#include <unistd.h>

typedef struct {
  ig_src at;
  int64_t steps, stop_at, fail_at;
  bool refuse;
} four_case;
static const ig_option four_options[] = {
    IG_INT(four_case, steps, "10", 1, 1000, "steps"),
    IG_INT(four_case, stop_at, "0", 0, 1000, "pretend Ctrl-C at this step"),
    IG_INT(four_case, fail_at, "0", 0, 1000, "fail at this step"),
    IG_BOOL(four_case, refuse, "false", "find fault with the case"), IG_END};

typedef struct {
  ig_job *job;
  const four_case *c;
  double x[4];
  int64_t step;
} four;

static ig_status four_open(ig_job *job, void **self) {
  four *f;
  IG_TRY(IG_NEW(job->cx, &f, 1, "four"));
  *self = f;
  *f = (four){.job = job, .c = job->room_case, .x = {1, 2, 3, 4}};
  job->elements = 7;
  return f->c->refuse ? ig_fail_at(job->cx, &f->c->at, "refused") : IG_OK;
}
static ig_status four_restore(void *self, const ig_restart *from) {
  four *f = self;
  const void *data;
  IG_TRY(ig_restart_find(f->job->cx, from, "x", IG_F64, 4, &data));
  memcpy(f->x, data, sizeof f->x);
  f->step = from->step;
  return IG_OK;
}
static ig_status four_advance(void *self, int64_t most, int64_t ahead) {
  four *f = self;
  (void)most, (void)ahead;
  for (int i = 0; i < 4; i++)
    f->x[i] = 1.01 * f->x[i] + sin(f->x[(i + 1) % 4]);
  f->step++;
  if (f->step == f->c->fail_at)
    return IG_FAIL(f->job->cx, IG_NUMERIC, "element 3 is on fire");
  if (f->step == f->c->stop_at)
    ig_ctx_interrupt(f->job->cx);
  return IG_OK;
}
static void four_stand(const void *self, ig_run_status *now) {
  const four *f = self;
  *now = (ig_run_status){.at = {f->step, (double)f->step},
                         .clock = (double)f->step,
                         .duration = (double)f->c->steps,
                         .steps = f->c->steps,
                         .dt = 1,
                         .ended = f->step >= f->c->steps};
}
static ig_status four_save(void *self, ig_sink *to) {
  four *f = self;
  const ig_saved saved = {.name = "x", .dtype = IG_F64, .count = 4, .data = f->x};
  return to->checkpoint(to, (double)f->step, f->step, &saved, 1);
}
static ig_status four_results(void *self, ig_sink *to) {
  const four *f = self;
  IG_TRY(to->result(to, "x0", "m", f->x[0]));
  return to->result_text(to, "mood", "good");
}
static const ig_room four_room = {.name = "four",
                                  .about = "four numbers",
                                  .case_size = sizeof(four_case),
                                  .options = four_options,
                                  .open = four_open,
                                  .close = free,
                                  .restore = four_restore,
                                  .advance = four_advance,
                                  .stand = four_stand,
                                  .save = four_save,
                                  .results = four_results};
static const ig_room *const rooms[] = {&four_room, NULL};

typedef struct {
  double x0;
  char mood[16];
} seen;
static void look(void *user, const char *key, double value, const char *unit, const char *text) {
  (void)unit;
  seen *s = user;
  if (strcmp(key, "x0") == 0)
    s->x0 = value;
  if (strcmp(key, "mood") == 0)
    snprintf(s->mood, sizeof s->mood, "%s", text);
}

static bool force, resume; /* of the run options below */

/* Runs with `set` ("key=value", NULL: nothing) in a context of its own. */
static ig_status run(const char *set, const char *out, const char *restart, seen *s,
                     ig_run_stats *stats, char *message) {
  ig_ctx *cx = ctx_on("cpu", 1);
  ig_case *c;

  assert_int_equal(ig_case_new(cx, &c), IG_OK);
  assert_int_equal(ig_case_set(c, "physics", "four"), IG_OK);
  if (set) {
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(set, "="), set);
    assert_int_equal(ig_case_set(c, key, strchr(set, '=') + 1), IG_OK);
  }
  const ig_run_options o = {.out = out,
                            .restart = restart,
                            .force = force,
                            .resume = resume,
                            .stats = stats,
                            .figure = look,
                            .user = s};
  const ig_status status = ig_run_for(c, &o, rooms);
  snprintf(message, 256, "%s", ig_ctx_message(cx));
  ig_case_close(c);
  ig_ctx_close(cx);
  return status;
}

static void figures_reach_the_caller_without_files(void **state) {
  (void)state;
  seen s = {0};
  ig_run_stats stats;
  char message[256];
  assert_int_equal(run(NULL, NULL, NULL, &s, &stats, message), IG_OK);
  assert_true(s.x0 != 0);
  assert_string_equal(s.mood, "good");
  assert_int_equal(stats.elements, 7);
  assert_int_equal(stats.steps, 10);
  assert_true(stats.seconds_total > 0);
}

#ifdef INGOT_HAVE_IO
static char folder[64];
static int make_folder(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/ingot-run-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}
static int drop_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}
static const char *in_folder(const char *name) {
  static char path[4][256];
  static int turn;
  char *p = path[turn++ % 4];
  snprintf(p, 256, "%s/%s", folder, name);
  return p;
}
static bool file_says(const char *path, const char *words) {
  static char text[8192];
  FILE *f = fopen(path, "r");
  if (!f)
    return false;
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  return strstr(text, words) != NULL;
}

/* What is under `key` in a summary, NAN: nothing. */
static double number_of(const char *text, const char *key) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char *at = strstr(text, quoted);
  return at ? strtod(at + strlen(quoted), NULL) : NAN;
}

/* Every second of a run belongs to one part; opening the backend comes before it. */
static void the_split_adds_up(void **state) {
  (void)state;
  static const char *const part[] = {"read",  "mesh",  "topology", "coloring", "plans", "solver",
                                     "setup", "first", "steps",    "output",   "caller"};
  seen s = {0};
  ig_run_stats stats;
  char message[256], text[8192];
  assert_int_equal(run(NULL, in_folder("split"), NULL, &s, &stats, message), IG_OK);
  FILE *f = fopen(in_folder("split/summary.json"), "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  const char *split = strstr(text, "\"split\"");
  assert_non_null(split);
  assert_true(number_of(split, "start") > 0);
  double sum = 0;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    const double seconds = number_of(split, part[i]);
    assert_true(seconds >= 0);
    sum += seconds;
  }
  /* the total is taken a little before the split, when the summary is put together */
  const double total = number_of(text, "total");
  assert_true(total > 0 && sum >= 0.999 * total && sum < total + 0.05);
}

static void an_interrupted_run_goes_on_to_the_same_end(void **state) {
  (void)state;
  seen whole = {0}, rest = {0};
  ig_run_stats stats;
  char message[256];
  assert_int_equal(run(NULL, in_folder("whole"), NULL, &whole, &stats, message), IG_OK);
  assert_true(file_says(in_folder("whole/summary.json"), "\"complete\""));
  assert_true(file_says(in_folder("whole/summary.json"), "\"mood\": \"good\""));
  assert_int_equal(run("stop_at=6", in_folder("half"), NULL, &rest, &stats, message),
                   IG_INTERRUPTED);
  assert_string_equal(message,
                      "interrupted at step 6 of 10; it can be continued from the checkpoint");
  assert_int_equal(stats.steps, 6);
  assert_true(file_says(in_folder("half/summary.json"), "\"interrupted\""));
  /* a case that was changed since is refused by the key that changed, unless it is insisted on */
  assert_int_equal(
      run(NULL, in_folder("half"), in_folder("half/checkpoint.h5"), &rest, &stats, message),
      IG_INPUT);
  assert_non_null(strstr(message, "'stop_at'"));
  assert_non_null(strstr(message, "--force"));
  force = true;
  assert_int_equal(
      run(NULL, in_folder("half"), in_folder("half/checkpoint.h5"), &rest, &stats, message), IG_OK);
  force = false;
  assert_int_equal(stats.steps, 10); /* from the start of the run */
  assert_true(rest.x0 == whole.x0);
}

static void a_run_resumes_what_is_there(void **state) {
  (void)state;
  seen s = {0};
  ig_run_stats stats;
  char message[256];
  resume = true;
  assert_int_equal(run(NULL, in_folder("r"), NULL, &s, &stats, message), IG_OK);
  assert_int_equal(stats.steps, 10);
  assert_int_equal(run(NULL, in_folder("r"), NULL, &s, &stats, message), IG_OK);
  assert_true(stats.up_to_date);
  assert_int_equal(stats.steps, 0);
  assert_int_equal(run("steps=12", in_folder("r"), NULL, &s, &stats, message), IG_OK);
  assert_false(stats.up_to_date); /* another case: from the start */
  assert_int_equal(stats.steps, 12);
  assert_int_equal(run("stop_at=6", in_folder("r"), NULL, &s, &stats, message), IG_INTERRUPTED);
  assert_int_equal(run("stop_at=6", in_folder("r"), NULL, &s, &stats, message), IG_OK);
  assert_int_equal(stats.steps, 10);
  resume = false;
}

/* A room may refuse its case when the folder is open already. */
static void a_refused_case_leaves_former_results_alone(void **state) {
  (void)state;
  seen s = {0};
  ig_run_stats stats;
  char message[256];
  assert_int_equal(run(NULL, in_folder("kept"), NULL, &s, &stats, message), IG_OK);
  assert_int_equal(run("refuse=true", in_folder("kept"), NULL, &s, &stats, message), IG_INPUT);
  assert_true(file_says(in_folder("kept/summary.json"), "\"complete\""));
  assert_int_equal(access(in_folder("kept/checkpoint.h5"), F_OK), 0);
  assert_int_equal(run("refuse=true", in_folder("fresh"), NULL, &s, &stats, message), IG_INPUT);
  assert_int_equal(access(in_folder("fresh"), F_OK), -1);
}

static void a_failure_is_told_here_and_in_the_summary(void **state) {
  (void)state;
  seen s = {0};
  ig_run_stats stats;
  char message[256];
  assert_int_equal(run("fail_at=3", in_folder("bad"), NULL, &s, &stats, message), IG_NUMERIC);
  assert_non_null(strstr(message, "element 3 is on fire"));
  assert_true(file_says(in_folder("bad/summary.json"), "\"failed\""));
  assert_true(file_says(in_folder("bad/summary.json"), "element 3 is on fire"));
}

static void another_mesh_s_checkpoint_is_refused(void **state) {
  (void)state;
  seen s = {0};
  ig_run_stats stats;
  char message[256];
  assert_int_equal(run(NULL, in_folder("none"), NULL, &s, &stats, message), IG_OK);
  assert_int_equal(run("mesh={boxes: [{size: [1, 1, 1], cells: [2, 2, 2]}]}", in_folder("meshed"),
                       in_folder("none/checkpoint.h5"), &s, &stats, message),
                   IG_INPUT);
  assert_non_null(strstr(message, "checkpoint.h5"));
  assert_int_equal(access(in_folder("meshed"), F_OK), -1); /* nothing written */
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_reach_the_caller_without_files),
#ifdef INGOT_HAVE_IO
      cmocka_unit_test_setup_teardown(the_split_adds_up, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(an_interrupted_run_goes_on_to_the_same_end, make_folder,
                                      drop_folder),
      cmocka_unit_test_setup_teardown(a_run_resumes_what_is_there, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(a_refused_case_leaves_former_results_alone, make_folder,
                                      drop_folder),
      cmocka_unit_test_setup_teardown(a_failure_is_told_here_and_in_the_summary, make_folder,
                                      drop_folder),
      cmocka_unit_test_setup_teardown(another_mesh_s_checkpoint_is_refused, make_folder,
                                      drop_folder),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
