/* ingot sweep: many runs at once, each a process of its own or, with GPUs, a thread of this one. A
   process cannot disturb the others; threads share one context of the GPU, on which small runs then
   compute at the same time. This program watches their output through pipes, and starts the next
   run when one ends. */
#include "sweep_member.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs at a time, and the longest line of output that is looked at. */
enum { MAX_JOBS = 256, LINE = 512 };

/* One run in progress. Its messages go into OUT/NAME.log; the last lines are kept here. */
typedef struct {
  bool busy;
  pid_t pid; /* 0: a thread of this process, `member` */
  cli_member member;
  int run, from, log;
  double percent, start;
  char line[LINE], error[LINE]; /* the line being read; the first that says "error" */
  size_t length;
} job;

static volatile sig_atomic_t stop; /* Ctrl-C: start no more */

typedef struct {
  const cli_args *args;
  ig_sweep *sweep;
  const char *out, *backend;
  char self[4096];
  job job[MAX_JOBS];
  int jobs, devices, total, next, done, failed;
  /* Runs to start, in their order. Those that the device was too small for beside the others are
     kept at its front, where runs have been started already. */
  int *queue, queued, agains;
  bool threads; /* runs are threads of this process */
  bool terminal;
  int shown; /* lines of the table on the terminal */
  double start, drawn;
} sweep;

/* Only notes the signal; the loop in run_all acts on it. */
static void on_signal(int sig) {
  stop = sig;
}

/* --- what a person sees */

/* Moves up and clears line by line (ECMA-48: CUU, EL). */
static void table_clear(sweep *s) {
  for (; s->shown > 0; s->shown--)
    fputs("\033[1A\033[2K", stderr);
}

/* Up to 20 runs with their share, and an estimate of the time left. Drawn at most five times a
   second. Nothing on a dumb terminal or into a file: lines of tell_end are enough there. */
static void table_draw(sweep *s, bool always) {
  const double t = cli_now();
  if (!s->terminal || s->args->quiet || (!always && t - s->drawn < 0.2))
    return;
  s->drawn = t;
  table_clear(s);
  for (int j = 0; j < s->jobs && s->shown < 20; j++)
    if (s->job[j].busy) {
      ig_sweep_run run;
      if (ig_sweep_at(s->sweep, s->job[j].run, &run) != IG_OK)
        continue;
      fprintf(stderr, "  %-24.24s %3.0f %%  %s\n", run.name, s->job[j].percent,
              cli_duration(t - s->job[j].start));
      s->shown++;
    }
  /* Runs under way count by their share, so that the estimate does not jump. */
  double part = 0;
  for (int j = 0; j < s->jobs; j++)
    part += s->job[j].busy ? s->job[j].percent / 100 : 0;
  /* The time left assumes that the remaining runs are as long as those so far. */
  const double share = (s->done + part) / s->total;
  fprintf(stderr, "  %d of %d runs done", s->done, s->total);
  if (share > 0 && share < 1)
    fprintf(stderr, ", %s left", cli_duration((t - s->start) * (1 - share) / share));
  fputc('\n', stderr);
  s->shown++;
}

/* A line for each run that ended; with --quiet only for those that failed. */
static void tell_end(sweep *s, const job *j, const char *name, const char *how) {
  if (s->args->quiet && strcmp(how, "done") == 0)
    return;
  table_clear(s);
  fprintf(stderr, "ingot: %d of %d: %s %s after %s%s%s\n", s->done, s->total, name, how,
          cli_duration(cli_now() - j->start), *j->error ? ": " : "", j->error);
}

/* --- processes */

/* The device of a job: its place among those that the user makes visible. CUDA_VISIBLE_DEVICES
   lists numbers or UUIDs, so an entry is passed on as it stands. */
static void device_choose(int place) {
  /* Without the variable all devices are visible, and the place is their number. */
  const char *seen = getenv("CUDA_VISIBLE_DEVICES");
  char text[64];
  snprintf(text, sizeof text, "%d", place);
  for (int i = 0; seen && *seen; i++) {
    const size_t length = strcspn(seen, ",");
    if (i == place)
      snprintf(text, sizeof text, "%.*s", (int)length, seen);
    seen += length + (seen[length] == ',');
  }
  setenv("CUDA_VISIBLE_DEVICES", text, 1);
}

/* In the child: becomes `ingot run` with the settings of the run; never returns. Its standard error
   is the pipe, its other streams lead nowhere. TERM=dumb makes it write lines instead of a progress
   bar. Exit code 127, as a shell's, says that the program could not be started. */
static void child(const sweep *s, const ig_sweep_run *run, int place, int to) {
  /* Fixed words, two for each setting, and the NULL at the end. */
  const char *argv[32 + 2 * CLI_MAX_WORDS];
  char folder[4096], threads[16];
  int n = 0;
  snprintf(folder, sizeof folder, "%s/%s", s->out, run->name);
  argv[n++] = "ingot";
  argv[n++] = "run";
  argv[n++] = run->path;
  argv[n++] = "--out";
  argv[n++] = folder;
  argv[n++] = "--resume";
  argv[n++] = "--backend";
  argv[n++] = s->backend;
  snprintf(threads, sizeof threads, "%d", s->args->threads ? s->args->threads : 1);
  argv[n++] = "--threads";
  argv[n++] = threads;
  if (s->args->report)
    argv[n++] = "--report";
  if (s->args->force)
    argv[n++] = "--force";
  for (int i = 0; i < run->sets && n < (int)(sizeof argv / sizeof *argv) - 3; i++) {
    argv[n++] = "--set";
    argv[n++] = run->set[i];
  }
  argv[n] = NULL;
  /* A run must not read what is typed to the sweep. */
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(to, STDERR_FILENO);
  setenv("TERM", "dumb", 1);
  if (s->devices > 0)
    device_choose(place % s->devices);
  execv(s->self, (char *const *)(uintptr_t)argv);
  _exit(127);
}

/* Starts the next run as a process (pid is set); `to` is its end of the pipe, closed here in any
   case. Buffers are flushed before the fork, or both would write them. A fork that fails has pid
   -1, which is reported like a pipe that cannot be made. */
static bool process_start(const sweep *s, job *j, const ig_sweep_run *run, int place, int to) {
  fflush(NULL);
  j->pid = fork();
  if (j->pid == 0)
    child(s, run, place, to);
  close(to);
  return j->pid > 0;
}

/* Starts it as a thread, which closes its end of the pipe itself. */
static bool thread_start(const sweep *s, job *j, const ig_sweep_run *run, int place, int to) {
  j->member = (cli_member){.run = *run,
                           .out = s->out,
                           .backend = s->backend,
                           .device = s->devices > 0 ? place % s->devices : 0,
                           .threads = s->args->threads ? s->args->threads : 1,
                           .report = s->args->report,
                           .force = s->args->force,
                           .to = to};
  if (cli_member_start(&j->member))
    return true;
  close(to);
  return false;
}

/* Opens log and pipe and starts a run in the place `place`, from which its device follows. On
   failure nothing remains open. */
static int job_start(sweep *s, job *j, int number, int place) {
  ig_sweep_run run;
  char log[4096];
  int pipe_of[2];
  if (ig_sweep_at(s->sweep, number, &run) != IG_OK)
    return CLI_FAILED;
  /* A place is used again and again: nothing of the former run remains. */
  memset(j, 0, sizeof *j);
  j->run = number;
  j->start = cli_now();
  snprintf(log, sizeof log, "%s/%s.log", s->out, run.name);
  j->log = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (j->log < 0 || pipe(pipe_of) != 0) {
    cli_error("%s: %s", log, strerror(errno));
    return CLI_FAILED;
  }
  for (int i = 0; i < 2; i++)
    /* Other runs must not inherit this pipe, or its end would never be seen. */
    fcntl(pipe_of[i], F_SETFD, FD_CLOEXEC);
  if (!(s->threads ? thread_start : process_start)(s, j, &run, place, pipe_of[1])) {
    cli_error("cannot start '%s': %s", run.name, strerror(errno));
    close(pipe_of[0]);
    close(j->log);
    return CLI_FAILED;
  }
  j->busy = true;
  j->from = pipe_of[0];
  return CLI_GOOD;
}

/* A line of a run's log: how far it is, or what is wrong. Only the first error is kept, as later
   ones follow from it. */
static void line_take(job *j) {
  double percent;
  char sign;
  const char *error = strstr(j->line, "error: ");
  if (sscanf(j->line, "%lf %c", &percent, &sign) == 2 && sign == '%')
    j->percent = percent;
  else if (error && !*j->error)
    snprintf(j->error, sizeof j->error, "%s", error + strlen("error: "));
}

/* Reads what has come from a run, into its log and line by line; false: it has closed its end.
   Lines longer than LINE are cut, in what is looked at, not in the log. */
static bool job_listen(job *j) {
  char text[4096];
  const ssize_t n = read(j->from, text, sizeof text);
  /* An interrupted read is repeated by the next poll. */
  if (n < 0)
    return errno == EINTR || errno == EAGAIN;
  if (n == 0)
    return false;
  /* A full disk is reported with the run, which goes on. */
  if (write(j->log, text, (size_t)n) < 0)
    snprintf(j->error, sizeof j->error, "its log: %s", strerror(errno));
  for (ssize_t i = 0; i < n; i++) {
    if (text[i] != '\n') {
      if (j->length + 1 < sizeof j->line)
        j->line[j->length++] = text[i];
      continue;
    }
    j->line[j->length] = '\0';
    line_take(j);
    j->length = 0;
  }
  return true;
}

/* How a run ended, in a word: by its exit status. Waiting may be interrupted by a signal, and goes
   on. */
static const char *process_end(job *j) {
  int status = 0;
  while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "done"
         : WIFSIGNALED(status)                         ? "was killed"
         : stop                                        ? "stopped"
                                                       : "failed";
}

/* How a thread ended; NULL: the device was too small for it beside the others, and it is run again
   after them. */
static const char *thread_end(const sweep *s, job *j) {
  const ig_status status = cli_member_end(&j->member);
  if ((status == IG_MEMORY || status == IG_DEVICE) && s->jobs > 1 && !stop)
    return NULL;
  return status == IG_OK ? "done" : status == IG_INTERRUPTED ? "stopped" : "failed";
}

/* Frees the place of a run for the next one. */
static void job_end(sweep *s, job *j) {
  const char *how = j->pid ? process_end(j) : thread_end(s, j);
  close(j->from);
  close(j->log);
  j->busy = false;
  if (!how) {
    s->queue[s->agains++] = j->run;
    return;
  }
  s->done++;
  ig_sweep_run run;
  s->failed += strcmp(how, "done") != 0;
  if (ig_sweep_at(s->sweep, j->run, &run) == IG_OK)
    tell_end(s, j, run.name, how);
}

/* Ctrl-C: every run is asked to write its checkpoint. A thread may not have begun to listen, and is
   asked until it ends. Processes are asked once, as a second signal would end them without a
   checkpoint. */
static void runs_interrupt(sweep *s, bool first) {
  if (first) {
    table_clear(s);
    fputs("ingot: stopping: every run writes a checkpoint\n", stderr);
  }
  for (int j = 0; j < s->jobs; j++)
    if (s->job[j].busy && !s->job[j].pid)
      cli_member_interrupt(&s->job[j].member);
    else if (s->job[j].busy && first)
      kill(s->job[j].pid, SIGTERM);
}

/* The loop of the sweep: starts runs in free places, draws the table, and waits for output, at most
   a quarter of a second, so that the table and Ctrl-C are not late. */
static void run_all(sweep *s) {
  bool told = false;
  for (;;) {
    /* watch[i] belongs to job of[i]; free places are not watched. */
    struct pollfd watch[MAX_JOBS];
    int of[MAX_JOBS], busy = 0;
    for (int j = 0; j < s->jobs; j++) {
      if (!s->job[j].busy && !stop && s->next < s->queued &&
          job_start(s, &s->job[j], s->queue[s->next++], j) != CLI_GOOD) {
        s->failed++;
        stop = SIGTERM; /* those that run write their checkpoints */
      }
      if (s->job[j].busy) {
        watch[busy] = (struct pollfd){.fd = s->job[j].from, .events = POLLIN};
        of[busy++] = j;
      }
    }
    if (busy == 0)
      return;
    if (stop) {
      runs_interrupt(s, !told);
      told = true;
    }
    table_draw(s, false);
    /* Nothing came, or a signal did. */
    if (poll(watch, (nfds_t)busy, 250) <= 0)
      continue;
    for (int i = 0; i < busy; i++)
      if (watch[i].revents && !job_listen(&s->job[of[i]]))
        job_end(s, &s->job[of[i]]);
  }
}

/* Runs that failed for the device's memory, or with the device itself: one at a time, each in a
   process of its own, which has a device that nobody else has disturbed. */
static void run_again(sweep *s) {
  s->queued = s->agains;
  s->next = 0;
  s->threads = false;
  s->jobs = 1;
  run_all(s);
}

/* --- the table of results */

/* Columns and letters of the table on the terminal; results.csv has everything. */
enum { MAX_COLUMNS = 48, CELL = 28 };
typedef struct {
  int rows, columns, capacity;
  char (*cell)[MAX_COLUMNS][CELL];
} table;

/* Keeps a row; numbers are shortened to six digits. */
static void row_keep(void *user, int count, const char *const *cells) {
  table *t = user;
  if (t->rows == t->capacity) {
    const int more = t->capacity ? 2 * t->capacity : 64;
    void *grown = realloc(t->cell, (size_t)more * sizeof *t->cell);
    if (!grown)
      return; /* results.csv has it */
    t->cell = grown;
    t->capacity = more;
  }
  t->columns = count < MAX_COLUMNS ? count : MAX_COLUMNS;
  for (int i = 0; i < t->columns; i++) {
    char *end;
    const double value = strtod(cells[i], &end);
    if (*cells[i] && !*end)
      snprintf(t->cell[t->rows][i], CELL, "%.6g", value);
    else
      snprintf(t->cell[t->rows][i], CELL, "%s", cells[i]);
  }
  t->rows++;
}

/* Whether a figure is the same in all runs (row 0 is the heading): it tells nothing of the sweep.
 */
static bool same_in_all(const table *t, int c) {
  bool same = t->rows > 2;
  for (int r = 2; r < t->rows; r++)
    same &= strcmp(t->cell[r][c], t->cell[1][c]) == 0;
  return same;
}

/* Name, status, and of what differs between the runs as many columns as fit into 120. */
static void table_print(const table *t) {
  enum { NAMED = 2 };
  int width[MAX_COLUMNS] = {0}, shown[MAX_COLUMNS], columns = 0, line = 0;
  for (int c = 0; c < t->columns; c++) {
    if (c >= NAMED && same_in_all(t, c))
      continue;
    for (int r = 0; r < t->rows; r++) {
      const int w = (int)strlen(t->cell[r][c]);
      width[c] = w > width[c] ? w : width[c];
    }
    line += width[c] + 2;
    if (line > 120)
      break;
    shown[columns++] = c;
  }
  for (int r = 0; r < t->rows; r++) {
    for (int i = 0; i < columns; i++)
      printf("%-*s%s", i + 1 < columns ? width[shown[i]] : 0, t->cell[r][shown[i]],
             i + 1 < columns ? "  " : "");
    putchar('\n');
  }
}

/* results.csv is written whether or not all runs succeeded: rows say which did. The table is read
   back from the folders of the runs, so it has those of earlier calls too. */
static int results(sweep *s, ig_ctx *cx) {
  table t = {0};
  const int code = cli_result(cx, ig_sweep_results(s->sweep, s->out, row_keep, &t));
  if (code == CLI_GOOD && !s->args->quiet) {
    char text[4200];
    table_print(&t);
    snprintf(text, sizeof text, "%s/results.csv", s->out);
    cli_line(NULL, "results", text);
  }
  free(t.cell);
  return code;
}

/* --- the command */

/* Some runs per GPU, which one small run does not fill, or one per core and thread. Four is where
   the throughput of small runs levels off on one GPU. */
enum { PER_GPU = 4 };
cli_places cli_places_count(const cli_args *args, const char *backend) {
  ig_device_info rows[64];
  cli_places p = {0};
  const int threads = args->threads ? args->threads : 1;
  /* GPUs do not count where they are not to be used; looking for them takes seconds. */
  const bool cpu = strcmp(backend, "cpu") == 0 || strcmp(backend, "debug") == 0;
  const int n = cpu ? 0 : ig_devices(rows, 64);
  for (int i = 0; i < n && i < 64; i++)
    p.devices += rows[i].available && strcmp(rows[i].backend, "cuda") == 0;
  p.threads = args->each ? strcmp(args->each, "thread") == 0 : p.devices > 0;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  p.jobs = args->jobs         ? args->jobs
           : p.devices > 0    ? p.devices * (p.threads ? PER_GPU : 1)
           : cores >= threads ? (int)(cores / threads)
                              : 1;
  p.jobs = p.jobs > MAX_JOBS ? MAX_JOBS : p.jobs;
  return p;
}

/* Makes a folder and those above it, like mkdir -p. A folder that is there already is fine, a file
   is not. */
static int folder_make(const char *out) {
  char path[4096];
  struct stat info;
  if (snprintf(path, sizeof path, "%s", out) >= (int)sizeof path) {
    cli_error("'%.200s…' is too long", out);
    return CLI_BAD_INPUT;
  }
  /* Each part in turn; a failure shows in the last one. */
  for (char *slash = path; (slash = strchr(slash + 1, '/')); *slash = '/') {
    *slash = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
      break;
  }
  if ((mkdir(path, 0777) == 0 || errno == EEXIST) && stat(out, &info) == 0 && S_ISDIR(info.st_mode))
    return CLI_GOOD;
  cli_error("'%s': %s", out, strerror(errno));
  return CLI_FAILED;
}

/* The folder's lock, as runs have theirs: one sweep at a time, and `ingot watch` sees that it goes
   on. Released by the end of this process. The descriptor stays open on purpose: closing it would
   release the lock. */
static int folder_lock(const char *out) {
  const int fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return CLI_GOOD; /* a file system without locks */
  cli_error("'%s': another sweep or run writes there: wait for its end, or give another folder "
            "with --out",
            out);
  close(fd);
  return CLI_FAILED;
}

/* Signals are caught without SA_RESTART, so that poll returns at once. The exit code is 1 if any
   run failed or the sweep was stopped; results.csv is written all the same. */
static int run_sweep(sweep *s, ig_ctx *cx) {
  /* The same program, wherever PATH leads by now; s is static and zeroed, so the text ends. */
  const ssize_t length = readlink("/proc/self/exe", s->self, sizeof s->self - 1);
  if (length <= 0) {
    cli_error("cannot find this program again: %s", strerror(errno));
    return CLI_FAILED;
  }
  const cli_places places = cli_places_count(s->args, s->backend);
  s->jobs = places.jobs;
  s->devices = places.devices;
  s->threads = places.threads;
  s->total = ig_sweep_count(s->sweep);
  s->start = cli_now();
  if (folder_make(s->out) != CLI_GOOD || folder_lock(s->out) != CLI_GOOD)
    return CLI_FAILED;
  s->queue = malloc(((size_t)s->total + 1) * sizeof *s->queue);
  if (!s->queue) {
    cli_error("no memory for a list of %d runs", s->total);
    return CLI_FAILED;
  }
  for (; s->queued < s->total; s->queued++)
    s->queue[s->queued] = s->queued;
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  run_all(s);
  run_again(s);
  free(s->queue);
  table_clear(s);
  const int code = results(s, cx);
  if (stop)
    fprintf(stderr, "ingot: the same command goes on from here\n");
  if (s->failed > 0 && !stop)
    cli_error("%d of %d runs failed: their logs are in '%s'", s->failed, s->total, s->out);
  return code == CLI_GOOD && (s->failed > 0 || stop) ? CLI_FAILED : code;
}

/* Under mpirun each copy would start all runs: refused. The context is for reading the sweep and
   its results only; runs have their own. */
static int sweep_run(const cli_args *args) {
  static sweep s; /* large, and there is one */
  static char folder[512];
  ig_ctx *cx;
  if (cli_copies() > 1) {
    cli_error("a sweep starts its runs itself, and %d copies of it would: start one on each "
              "computer, without mpirun or srun",
              cli_copies());
    return CLI_BAD_INPUT;
  }
  cli_usual_folder(args->words.item[0], folder, sizeof folder);
  s.args = args;
  s.out = args->out ? args->out : folder;
  s.backend = args->backend ? args->backend : "auto";
  s.terminal = cli_on_terminal();
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  const ig_sweep_options options = {.vary = args->vary.item,
                                    .varied = args->vary.count,
                                    .set = args->set.item,
                                    .sets = args->set.count};
  code = cli_result(cx, ig_sweep_open(cx, args->words.item[0], &options, &s.sweep));
  if (code == CLI_GOOD && args->list)
    for (int i = 0; i < ig_sweep_count(s.sweep); i++) {
      ig_sweep_run run;
      if (ig_sweep_at(s.sweep, i, &run) != IG_OK)
        break;
      printf("%s: ingot run %s", run.name, run.path);
      for (int k = 0; k < run.sets; k++)
        printf(" --set '%s'", run.set[k]);
      putchar('\n');
    }
  else if (code == CLI_GOOD)
    code = run_sweep(&s, cx);
  ig_sweep_close(s.sweep);
  cli_close(cx);
  return code;
}

/* --threads is that of a run here: with one a core, runs do not wait for each other. */
static const cli_option sweep_options[] = {
    CLI_BACKEND,
    {"vary", 'v', CLI_REPEAT, CLI_AT(vary), 0, "KEY=V1,V2,…", NULL,
     "values that a key of the case takes; of several, all combinations are run"},
    CLI_SET,
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "DIR", NULL,
     "folder for results.csv and one folder per run; FILE-out in this folder if not given"},
    {"jobs", 'j', CLI_COUNT, CLI_AT(jobs), 0, "N", NULL,
     "runs at a time; if not given, four per GPU, or without GPU one per CPU core"},
    {"each", 0, CLI_TEXT, CLI_AT(each), 0, "KIND", "process|thread",
     "what a run is: a process of its own, or a thread of this one; if not given, a thread with "
     "GPUs, which runs then share, else a process"},
    {"threads", 't', CLI_INT, CLI_AT(threads), 0, "N", NULL, "CPU threads per run, 1 if not given"},
    {"list", 0, CLI_FLAG, CLI_AT(list), 0, NULL, NULL, "print the runs; run nothing"},
    {"report", 0, CLI_FLAG, CLI_AT(report), 0, NULL, NULL, "write a report.html for each run"},
    {"force", 0, CLI_FLAG, CLI_AT(force), 0, NULL, NULL,
     "replace files in the runs' folders that have the names of results but do not come from "
     "Ingot"},
    CLI_QUIET,
    {0}};
const cli_command cli_sweep = {
    .name = "sweep",
    .words = "FILE.yaml",
    .least = 1,
    .most = 1,
    .about = "run a case many times with different values, on all cores or GPUs",
    .detail = "FILE is a case, with --vary; or a sweep file that names a case and what varies "
              "(docs/how-to/sweep.md). Each run writes into DIR/NAME; its messages go to "
              "DIR/NAME.log. At the end DIR/results.csv has one row per run. The "
              "same command again runs what is missing: finished runs are kept, interrupted ones "
              "go on from their checkpoint.",
    .options = sweep_options,
    .run = sweep_run,
};
