/* Runs cases for tests/differential, many in one process. A request is a line of words separated by
   tabs: the path of a case, then any of

     check        validate only
     threads=N    CPU threads
     ranks=N      N ranks, which are threads of this process
     portion=N    advance N steps at a time; save after the first portion, advance, restore
     cut=N        stop after N steps, write a checkpoint, resume from the file (needs out)
     out=FOLDER   write files there
     KEY:=VALUE   as --set KEY=VALUE

   The answer has a line per figure of the summary, per column of the last history row and per
   warning, then how it ended:

     figure NAME VALUE | column NAME VALUE | steps N | warning TEXT | failed STATUS TEXT | end

   also separated by tabs. The process ends with its input. */
#include <ingot/ingot.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 256, KEYS = 16, RANKS = 16, NAME = 96 };

typedef struct {
  const char *path, *out;
  int threads, ranks;
  int64_t portion, cut;
  bool check;
  int keys;
  char *key[KEYS], *value[KEYS];
} request;

/* One rank's part of a run. Only rank 0 prints. */
typedef struct {
  const request *r;
  ig_ranks *ranks;
  bool first;
  int columns;
  char name[COLUMNS][NAME];
  double value[COLUMNS];
  int64_t steps;
} seat;

static void line_print(const char *text) {
  for (; *text; text++)
    putchar(*text == '\n' || *text == '\t' ? ' ' : *text);
  putchar('\n');
}

static void figure_print(void *user, const char *key, double value, const char *unit,
                         const char *text) {
  (void)unit;
  const seat *s = user;
  if (s->first && !text)
    printf("figure\t%s\t%.17g\n", key, value);
}

static void row_keep(void *user, int columns, const char *const *names, const double *values) {
  seat *s = user;
  s->columns = columns < COLUMNS ? columns : COLUMNS;
  for (int i = 0; i < s->columns; i++) {
    snprintf(s->name[i], NAME, "%s", names[i]);
    s->value[i] = values[i];
  }
}

static void log_print(void *user, ig_log_level level, const char *message) {
  const seat *s = user;
  if (level != IG_LOG_WARN || !s->first)
    return;
  printf("warning\t");
  line_print(message);
}

static void line_drop(void *user, const char *label, const char *value) {
  (void)user, (void)label, (void)value;
}

/* Advances in portions, with a state kept after the first and brought back after two more. */
static ig_status portions_run(ig_case *c, seat *s) {
  ig_sim *sim;
  ig_sim_state *state = NULL;
  const ig_sim_options options = {
      .out = s->r->out, .figure = figure_print, .row = row_keep, .user = s};
  ig_status status = ig_sim_open(c, &options, &sim);
  if (status == IG_OK)
    status = ig_sim_step(sim, s->r->portion, NULL);
  if (status == IG_OK)
    status = ig_sim_save(sim, &state);
  if (status == IG_OK && !ig_sim_ended(sim))
    status = ig_sim_step(sim, 2 * s->r->portion, NULL);
  if (status == IG_OK)
    status = ig_sim_restore(sim, state);
  while (status == IG_OK && !ig_sim_ended(sim))
    status = ig_sim_step(sim, s->r->portion, NULL);
  if (status == IG_OK)
    status = ig_sim_finish(sim);
  if (sim)
    s->steps = ig_sim_steps(sim);
  ig_sim_state_free(state);
  ig_sim_close(sim);
  return status;
}

/* The first part of a run, ended by a checkpoint on disk; or all of it, where a step is the whole
   analysis, and nothing is left to resume. */
static ig_status part_run(ig_case *c, seat *s) {
  ig_sim *sim;
  const ig_sim_options options = {
      .out = s->r->out, .force = true, .figure = figure_print, .row = row_keep, .user = s};
  ig_status status = ig_sim_open(c, &options, &sim);
  if (status == IG_OK)
    status = ig_sim_step(sim, s->r->cut, NULL);
  if (status == IG_OK)
    status = ig_sim_finish(sim);
  ig_sim_close(sim);
  return status;
}

static ig_status whole_run(ig_case *c, seat *s) {
  ig_run_stats stats = {0};
  const ig_status status = ig_run_and_finish(c, &(ig_run_options){.out = s->r->out,
                                                                  .resume = s->r->cut > 0,
                                                                  .force = s->r->cut == 0,
                                                                  .stats = &stats,
                                                                  .figure = figure_print,
                                                                  .row = row_keep,
                                                                  .user = s});
  s->steps = stats.steps;
  return status;
}

static ig_status case_open(ig_ctx *cx, const request *r, ig_case **c) {
  ig_status status = ig_case_open(cx, r->path, c);
  for (int i = 0; i < r->keys && status == IG_OK; i++)
    status = ig_case_set(*c, r->key[i], r->value[i]);
  return status;
}

static void *seat_run(void *user) {
  seat *s = user;
  const request *r = s->r;
  ig_ctx *cx = NULL;
  ig_case *c = NULL;
  ig_status status = ig_ctx_open(
      &(ig_ctx_options){.threads = r->threads, .ranks = s->ranks, .log = log_print, .user = s},
      &cx);
  if (status == IG_OK)
    status = case_open(cx, r, &c);
  if (cx)
    status = ig_ranks_agree(cx, status);
  if (status == IG_OK && r->check)
    status = ig_check(c, line_drop, NULL);
  else if (status == IG_OK && r->portion)
    status = portions_run(c, s);
  else if (status == IG_OK) {
    if (r->cut) {
      status = part_run(c, s);
      ig_case_close(c);
      c = NULL;
      if (status == IG_OK)
        status = case_open(cx, r, &c);
    }
    if (status == IG_OK)
      status = whole_run(c, s);
  }
  if (s->first && status != IG_OK) {
    const char *message = cx ? ig_ctx_message(cx) : "";
    printf("failed\t%d\t", (int)status);
    line_print(*message ? message : ig_status_text(status));
  }
  ig_case_close(c);
  ig_ctx_close(cx);
  return NULL;
}

static void request_read(char *line, request *r) {
  *r = (request){.threads = 1, .ranks = 1};
  char *rest = line;
  r->path = strtok_r(line, "\t\n", &rest);
  for (char *word; (word = strtok_r(NULL, "\t\n", &rest));) {
    char *value = strchr(word, '=');
    if (value)
      *value++ = '\0';
    const size_t length = strlen(word);
    if (strcmp(word, "check") == 0)
      r->check = true;
    else if (!value)
      continue;
    else if (strcmp(word, "threads") == 0)
      r->threads = atoi(value);
    else if (strcmp(word, "ranks") == 0)
      r->ranks = atoi(value);
    else if (strcmp(word, "portion") == 0)
      r->portion = atoll(value);
    else if (strcmp(word, "cut") == 0)
      r->cut = atoll(value);
    else if (strcmp(word, "out") == 0)
      r->out = value;
    else if (length && word[length - 1] == ':' && r->keys < KEYS) {
      word[length - 1] = '\0';
      r->key[r->keys] = word;
      r->value[r->keys++] = value;
    }
  }
  r->ranks = r->ranks < 1 ? 1 : r->ranks > RANKS ? RANKS : r->ranks;
}

static void request_run(const request *r, seat *seats) {
  ig_ranks *ranks[RANKS] = {0};
  pthread_t thread[RANKS];
  if (r->ranks > 1 && ig_ranks_threads(r->ranks, ranks) != IG_OK) {
    printf("failed\t%d\tno ranks\n", (int)IG_MEMORY);
    return;
  }
  for (int i = 0; i < r->ranks; i++) {
    seats[i] = (seat){.r = r, .ranks = ranks[i], .first = i == 0};
    if (i && pthread_create(&thread[i], NULL, seat_run, &seats[i]) != 0)
      abort(); /* ranks that have begun would wait for it */
  }
  seat_run(&seats[0]);
  for (int i = 1; i < r->ranks; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < r->ranks; i++)
    ig_ranks_close(ranks[i]);
  for (int i = 0; i < seats[0].columns; i++)
    printf("column\t%s\t%.17g\n", seats[0].name[i], seats[0].value[i]);
  printf("steps\t%lld\n", (long long)seats[0].steps);
}

int main(void) {
  char *line = NULL;
  size_t room = 0;
  seat *seats = malloc(RANKS * sizeof *seats);
  if (!seats)
    return 1;
  while (getline(&line, &room, stdin) > 0) {
    request r;
    request_read(line, &r);
    if (!r.path)
      continue;
    request_run(&r, seats);
    printf("end\n");
    fflush(stdout);
  }
  free(seats);
  free(line);
  return 0;
}
