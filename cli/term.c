/* What a person sees while the library works: errors, messages, the progress line, Ctrl-C; and the
   ranks of a program under mpirun. There is one of each in a program, hence static state. */
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* One terminal, one run at a time. */
static struct {
  bool quiet, shown;                       /* shown: a progress line stands on the terminal */
  double start, first, last, next_percent; /* first: how much was done when the clock started */
  double next_line;                        /* of a log, s */
  char unit[32];
} term;
static ig_ctx *volatile running;
static ig_ranks *ranks; /* of all contexts of this program; NULL: it is the only one */

bool cli_on_terminal(void) {
  const char *kind = getenv("TERM");
  return isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

/* CLOCK_MONOTONIC: setting the date does not matter. */
double cli_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Implicit rooms count iterations, explicit ones steps or time. */
const char *cli_rate_unit(void) {
  return strcmp(term.unit, "iteration") == 0 ? "DOF-iterations/s" : "element-steps/s";
}

/* ECMA-48: back to the first column, clear to the end of the line. */
void cli_progress_end(void) {
  if (term.shown)
    fputs("\r\033[K", stderr);
  term.shown = false;
}

/* One message with a word before it, coloured on a terminal. NO_COLOR is a convention of many
   programs (no-color.org). */
static void say(const char *word, const char *color, const char *format, va_list args) {
  cli_progress_end();
  fflush(stdout);
  /* A log has no escape sequences. */
  const bool colored = cli_on_terminal() && !getenv("NO_COLOR");
  char raw[4096], text[8192]; /* one write: others may print at the same time */
  vsnprintf(raw, sizeof raw, format, args);
  ig_printable(raw, text, sizeof text);
  fprintf(stderr, "ingot: %s%s:%s %s\n", colored ? color : "", word, colored ? "\033[0m" : "",
          text);
}

/* Before the ranks are known the environment says which copy is the first. */
void cli_error(const char *format, ...) {
  va_list args;
  if (!ranks && cli_copies() > 1 && !cli_first_copy())
    return; /* they have all met the same mistake: the first one tells of it */
  va_start(args, format);
  say("error", "\033[1;31m", format, args);
  va_end(args);
}

/* Warnings of the library come through here as well. */
void cli_warning(const char *format, ...) {
  va_list args;
  va_start(args, format);
  say("warning", "\033[1;33m", format, args);
  va_end(args);
}

/* Whether a warning of a line of the case ("FILE:LINE:COLUMN: …") was shown before: stages of a
   chain that share a key, and a case that is read for `check` and again for its run, warn of it
   alike. The beginning of the message, 160 bytes, is compared; 64 of them are kept. */
static bool was_shown(const char *message) {
  enum { MOST = 64 };
  static char shown[MOST][160];
  static int count;
  /* Back over "LINE:COLUMN" to the colon behind the file's name. */
  const char *colon = strstr(message, ": ");
  while (colon > message && strchr("0123456789:", colon[-1]))
    colon--;
  if (!colon || *colon != ':')
    return false;
  char start[sizeof *shown];
  snprintf(start, sizeof start, "%.*s", (int)sizeof start - 1, message);
  for (int i = 0; i < count; i++)
    if (strcmp(shown[i], start) == 0)
      return true;
  if (count < MOST)
    memcpy(shown[count++], start, sizeof start);
  return false;
}

/* Messages of the library. Warnings are shown even with --quiet. */
static void log_line(void *user, ig_log_level level, const char *message) {
  (void)user;
  if (level == IG_LOG_WARN) {
    if (!was_shown(message))
      cli_warning("%s", message);
  } else if (!term.quiet) {
    cli_progress_end();
    fprintf(stderr, "ingot: %s\n", message);
  }
}

/* On a terminal one line, redrawn at most ten times a second and cut to its width; in a log a line
   now and then. Time left follows from the speed since the phase began, not since the program did,
   as a restart begins in the middle. Called by the library at every step, so it must be cheap when
   nothing is due. */
static void progress_line(void *user, const ig_progress *p) {
  (void)user;
  if (term.quiet)
    return;
  const double t = cli_now();
  /* A total of 0 is not known: then only what is done is shown. */
  const double fraction = p->total > 0 ? fmin(p->done / p->total, 1) : 0;
  const bool last = fraction >= 1;
  if (strncmp(term.unit, p->unit, sizeof term.unit - 1) != 0 || term.start == 0) {
    snprintf(term.unit, sizeof term.unit, "%s", p->unit); /* a new phase has a clock of its own */
    term.start = t;
    term.first = p->done;
    term.last = 0;
    term.next_percent = 0;
    term.next_line = t + 10;
  }
  const bool counts = strcmp(p->unit, "s") != 0; /* "step 3 of 7", but "2e-06 of 5e-06 s" */
  char left[48] = "", rate[48] = "", text[256];
  if (p->done > term.first && !last && p->total > 0)
    snprintf(left, sizeof left, "  %s left",
             cli_duration((t - term.start) / (p->done - term.first) * (p->total - p->done)));
  if (p->rate > 0)
    snprintf(rate, sizeof rate, "  %s", cli_scaled(p->rate, cli_rate_unit()));
  if (p->total > 0)
    snprintf(text, sizeof text, "%3.0f %%  %s%s%s of %s%s%s%s%s%s", floor(100 * fraction),
             counts ? p->unit : "", counts ? " " : "", cli_count(p->done), cli_count(p->total),
             counts ? "" : " s", rate, left, *p->note ? "  " : "", p->note);
  else
    snprintf(text, sizeof text, "%s %s%s%s%s", p->unit, cli_count(p->done), rate,
             *p->note ? "  " : "", p->note);
  if (cli_on_terminal()) {
    if (!last && t - term.last < 0.1)
      return;
    term.last = t;
    struct winsize size;
    /* One column less than there are, as some terminals wrap at the last. */
    const int columns =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 8 ? size.ws_col - 1 : 79;
    fprintf(stderr, "\r\033[K%.*s", columns, text);
    fflush(stderr);
    term.shown = true;
  } else if (100 * fraction >= term.next_percent || t >= term.next_line) {
    /* a log: a line every tenth of the way, and after 10 s, 20 s, … 10 min, then every 10 min */
    fprintf(stderr, "%s\n", text);
    if (100 * fraction >= term.next_percent)
      term.next_percent = 10 * floor(10 * fraction) + 10;
    term.next_line = t + fmin(fmax(t - term.start, 10), 600);
  }
}

/* The first signal asks for a checkpoint: also SIGUSR1, by which batch systems tell that the time
   is almost up. Shells, wrappers and service managers send it twice, or SIGTERM and SIGHUP
   together: only one that comes later ends the program at once. A signal handler: only functions
   that are safe there are called (write, strlen, clock_gettime, signal, raise), and
   ig_ctx_interrupt, which sets a flag. */
static char stopping[160];
static void interrupt(int sig) {
  /* Time of the first signal, on a clock that never runs backwards; 0: none came. */
  static double first;
  const double t = cli_now();
  if (first > 0) {
    if (t - first > 1) {
      signal(sig, SIG_DFL);
      raise(sig);
    }
    return;
  }
  first = t;
  if (!running)
    return; /* the run is over: mpirun ends those that are left when one has failed */
  ig_ctx_interrupt(running);
  if (cli_first() && write(STDERR_FILENO, stopping, strlen(stopping)) < 0)
    return; /* the terminal is gone */
}

/* --- ranks */

/* Variables of Open MPI, of MPICH and Intel MPI (PMI), and of Slurm. A job step of one task is no
   parallel run. */
int cli_copies(void) {
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
  for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
    const char *text = getenv(sizes[i]);
    if (text && atoi(text) > 1)
      return atoi(text);
  }
  return 1;
}

/* A variable that is not set counts as rank 0. */
bool cli_first_copy(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (getenv(names[i]) && atoi(getenv(names[i])) > 0)
      return false;
  return true;
}

/* Set by commands that are no run on ranks: MPI is then not started, though a launcher is there. */
static bool alone;
void cli_alone(void) {
  alone = true;
}

/* Starts MPI where a launcher was found; otherwise the copies would all run the same case and write
   over each other's results. */
static int ranks_open(void) {
  if (cli_copies() == 1 || ranks || alone)
    return CLI_GOOD;
  const ig_status status = ig_ranks_mpi(0, &ranks);
  if (status == IG_UNSUPPORTED)
    cli_error("%d copies of this case would run: this ingot was built without MPI; build it with "
              "-DINGOT_MPI=ON, or run many cases with 'ingot sweep'",
              cli_copies());
  else if (status == IG_OK && ig_ranks_count(ranks) == 1) {
    cli_error("%d copies of this case would run: they do not find each other; was mpirun or srun "
              "that of another MPI than %s?",
              cli_copies(), ig_ranks_transport(ranks));
    return CLI_BAD_INPUT;
  } else if (status != IG_OK)
    cli_error("MPI cannot be started: %s", ig_status_text(status));
  return status == IG_OK ? CLI_GOOD : status == IG_UNSUPPORTED ? CLI_BAD_INPUT : CLI_FAILED;
}

bool cli_ranks(void) {
  return ig_ranks_count(ranks) > 1;
}
bool cli_first(void) {
  return ig_ranks_rank(ranks) == 0;
}
void cli_line_first(void *user, const char *label, const char *value) {
  if (cli_first())
    cli_line(user, label, value);
}
/* One line before a run, so that a wrong launcher is noticed at once. */
void cli_ranks_show(const ig_ctx *cx) {
  if (cli_ranks() && cli_first() && !term.quiet)
    fprintf(stderr, "ingot: %d ranks over %s, the first on %s\n", ig_ranks_count(ranks),
            ig_ranks_transport(ranks), ig_ctx_device(cx));
}

/* --gpu-mpi: `on` is tried before it is believed, once per computer. */
static int gpu_open(const char *backend, const cli_args *args, ig_ctx *cx) {
  if (!args->gpu_mpi || !ranks)
    return CLI_GOOD;
  /* The first rank of each computer tries, the others wait for its answer. */
  ig_status status = IG_OK;
  if (strcmp(args->gpu_mpi, "on") == 0 && ig_ranks_local(ranks) == 0 && !cli_gpu_works(backend))
    status = IG_UNSUPPORTED;
  status = ig_ranks_agree(cx, status);
  if (status != IG_OK && cli_first())
    cli_error("--gpu-mpi on: %s did not send device memory (tried in a process of its own): leave "
              "it out, or take an MPI that knows GPUs",
              ig_ranks_transport(ranks));
  return status == IG_OK ? CLI_GOOD : CLI_BAD_INPUT;
}

/* Ranks first, then their settings, then the context, which belongs to a device of its rank's own.
   All commands but `run`, `check` and `sweep` have called cli_alone before, and have no ranks. */
int cli_open(const char *backend, const cli_args *args, ig_ctx **cx) {
  *cx = NULL;
  const int joined = ranks_open();
  if (joined != CLI_GOOD)
    return joined;
  /* The name was checked by the table; only a library that is not compiled in can fail. */
  const ig_status divided = args->partition ? ig_ranks_divide(ranks, args->partition) : IG_OK;
  if (divided != IG_OK) {
    if (cli_first())
      cli_error("--partition %s: METIS is not compiled in: install libmetis-dev and configure "
                "again, or leave it out",
                args->partition);
    return CLI_BAD_INPUT;
  }
  if (args->gpu_mpi && ig_ranks_gpu(ranks, args->gpu_mpi) != IG_OK)
    return CLI_BAD_INPUT; /* args.c knows the words */
  if (args->gpu_ipc && ig_ranks_ipc(ranks, args->gpu_ipc) != IG_OK)
    return CLI_BAD_INPUT;
  term.quiet = args->quiet || !cli_first();
  const ig_ctx_options options = {
      .backend = backend,
      .threads = args->threads,
      .ranks = ranks,
      .log = cli_first() ? log_line : NULL,
      .progress = progress_line,
  };
  const ig_status status = ig_ctx_open(&options, cx);
  if (status != IG_OK) {
    const int code = cli_result(*cx, status);
    ig_ctx_close(*cx);
    *cx = NULL;
    return code;
  }
  /* From here on a signal reaches this context. */
  running = *cx;
  const int sent = gpu_open(backend, args, *cx);
  if (sent != CLI_GOOD) {
    running = NULL;
    ig_ctx_close(*cx);
    *cx = NULL;
  }
  return sent;
}

/* Each signal blocks the others while it is handled. SIGHUP stays ignored under nohup. */
void cli_catch_signals(const char *what) {
  snprintf(stopping, sizeof stopping, "\ningot: %s; once more, after a second, ends at once\n",
           what);
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART}, former;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaddset(&action.sa_mask, SIGHUP);
  sigaddset(&action.sa_mask, SIGUSR1);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  if (sigaction(SIGHUP, NULL, &former) == 0 && former.sa_handler != SIG_IGN) /* nohup */
    sigaction(SIGHUP, &action, NULL);
}

/* The ranks are closed last, as closing the context may still send. NULL is allowed. */
void cli_close(ig_ctx *cx) {
  cli_progress_end();
  running = NULL;
  ig_ctx_close(cx);
  ig_ranks_close(ranks);
  ranks = NULL;
}

/* A sleep that a signal may cut short, which does not matter here. */
static void nap(double seconds) {
  nanosleep(&(struct timespec){.tv_sec = (time_t)seconds,
                               .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))},
            NULL);
}

/* Where a rank was lost, the others may not agree on anything any more: the lowest that is left
   reports it, by waiting longer the higher its rank. */
int cli_result(ig_ctx *cx, ig_status status) {
  cli_progress_end();
  if (status == IG_OK)
    return CLI_GOOD;
  const bool lost = strcmp(ig_ranks_transport(ranks), "lost") == 0;
  if (lost) /* no other rank knows; of several the lowest reports it, as that ends the job */
    nap(0.1 * fmin(ig_ranks_rank(ranks), 20));
  else if (!cli_first()) /* the first tells it */
    return status == IG_INPUT ? CLI_BAD_INPUT : CLI_FAILED;
  const char *message = ig_ctx_message(cx);
  if (!*message)
    message = ig_status_text(status);
  if (status == IG_INTERRUPTED)
    fprintf(stderr, "ingot: %s\n", message);
  else
    cli_error("%s", message);
  return status == IG_INPUT ? CLI_BAD_INPUT : CLI_FAILED;
}

/* Labels and values may come from files, so control characters are replaced. */
void cli_line(void *user, const char *label, const char *value) {
  char shown[2][1024];
  (void)user;
  cli_progress_end();
  ig_printable(label, shown[0], sizeof shown[0]);
  ig_printable(value, shown[1], sizeof shown[1]);
  printf("%-24s %s\n", shown[0], shown[1]);
}

/* The next of eight buffers: as many texts can stand in one call of printf. */
static char *turn(void) {
  static char text[8][64];
  static int which;
  return text[which++ % 8];
}

/* Groups of three digits with blanks between (ISO 80000-1), from five digits on. */
const char *cli_count(double n) {
  char *out = turn(), digits[32];
  if (n != floor(n) || fabs(n) >= 1e15) {
    snprintf(out, 64, "%.4g", n);
    return out;
  }
  const int length = snprintf(digits, sizeof digits, "%.0f", fabs(n));
  char *p = out;
  if (n < 0)
    *p++ = '-';
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0 && length > 4)
      *p++ = ' ';
    *p++ = digits[i];
  }
  *p = '\0';
  return out;
}

/* Decimal prefixes, three digits; 999.5 is where "%.3g" would need four. */
const char *cli_scaled(double value, const char *unit) {
  /* Decimal prefixes, for bytes too: 1 GB is 1e9 B. */
  static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
  int i = 0;
  while (fabs(value) >= 999.5 && i < 5)
    value /= 1000, i++;
  char *out = turn();
  snprintf(out, 64, "%.3g %s%s", value, prefix[i], unit);
  return out;
}

/* Limits lie where rounding would give 10.0 s, 100 s or 100 min. */
const char *cli_duration(double s) {
  char *out = turn();
  if (s < 9.95)
    snprintf(out, 64, "%.2g s", s);
  else if (s < 99.5)
    snprintf(out, 64, "%.0f s", s);
  else if (s < 5970)
    snprintf(out, 64, "%.0f min", s / 60);
  else
    snprintf(out, 64, "%.1f h", s / 3600);
  return out;
}
