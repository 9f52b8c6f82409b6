/* A run of a sweep on a thread of this process. It writes the same lines to its pipe as a process
   would, so that cmd_sweep.c treats both alike. */
#include "sweep_member.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* One line into the pipe, whole: a write may be cut short by a signal. */
static void put(cli_member *m, const char *format, ...) IG_PRINTF(2, 3);
static void put(cli_member *m, const char *format, ...) {
  char line[4600];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  length = length < (int)sizeof line ? length : (int)sizeof line - 1;
  for (int done = 0; done < length;) {
    const ssize_t n = write(m->to, line + done, (size_t)(length - done));
    if (n <= 0)
      return; /* the sweep listens no more */
    done += (int)n;
  }
}

/* Messages of the library; `user` is the member. */
static void log_line(void *user, ig_log_level level, const char *message) {
  put(user, "ingot: %s%s\n", level == IG_LOG_WARN ? "warning: " : "", message);
}

/* A line every tenth of the way. The same form as term.c writes into a log, which cmd_sweep.c
   reads. */
static void progress_line(void *user, const ig_progress *p) {
  cli_member *m = user;
  const double percent = p->total > 0 ? 100 * fmin(p->done / p->total, 1) : 0;
  if (percent < m->next_percent)
    return;
  m->next_percent = 10 * floor(percent / 10) + 10;
  put(m, "%3.0f %%  %s %.6g of %.6g\n", floor(percent), p->unit, p->done, p->total);
}

/* Runs resume by themselves, as a sweep that is started again goes on where it was. A chain resumes
   stage by stage, whatever is asked for. */
static ig_status case_run(cli_member *m, ig_case *c, const char *folder) {
  if (ig_case_is_chain(c)) {
    const ig_chain_options options = {.out = folder, .force = m->force};
    return ig_chain_run(c, &options);
  }
  const ig_run_options options = {.out = folder, .force = m->force, .resume = true};
  return ig_run_and_finish(c, &options);
}

/* The case, the run, the report, all in this thread's own context. */
static ig_status member_run(cli_member *m) {
  /* The folder is the one a process would be given by --out. */
  char folder[4096];
  ig_case *c = NULL;
  snprintf(folder, sizeof folder, "%s/%s", m->out, m->run.name);
  ig_status status = cli_case_read(m->cx, m->run.path, NULL, m->run.set, m->run.sets, &c);
  if (status == IG_OK)
    status = case_run(m, c, folder);
  if (status == IG_OK && m->report)
    status = ig_report(m->cx, folder, NULL);
  ig_case_close(c);
  return status;
}

/* The context is published under the lock, since an interruption may come from the main thread at
   any time, and withdrawn before it is closed. The end of the pipe is closed last, which tells the
   sweep that this thread can be joined without waiting. */
static void *thread_run(void *user) {
  cli_member *m = user;
  const ig_ctx_options options = {.backend = m->backend,
                                  .threads = m->threads,
                                  .device = m->device,
                                  .log = log_line,
                                  .progress = progress_line,
                                  .user = m};
  ig_ctx *cx = NULL;
  m->status = ig_ctx_open(&options, &cx);
  pthread_mutex_lock(&m->lock);
  m->cx = cx;
  pthread_mutex_unlock(&m->lock);
  if (m->status == IG_OK)
    m->status = member_run(m);
  if (m->status != IG_OK)
    put(m, "ingot: error: %s\n",
        cx && *ig_ctx_message(cx) ? ig_ctx_message(cx) : ig_status_text(m->status));
  pthread_mutex_lock(&m->lock);
  m->cx = NULL;
  pthread_mutex_unlock(&m->lock);
  ig_ctx_close(cx);
  close(m->to); /* the last act: who listens now waits for this thread */
  return NULL;
}

/* Signals are blocked while the thread starts, and it inherits that: they are all delivered to the
   main thread. On failure nothing is left behind, and `to` is still open. */
bool cli_member_start(cli_member *m) {
  /* The caller's mask is restored whether or not the thread started. */
  sigset_t all, former;
  if (pthread_mutex_init(&m->lock, NULL) != 0)
    return false;
  sigfillset(&all); /* signals are the sweep's */
  pthread_sigmask(SIG_BLOCK, &all, &former);
  const int error = pthread_create(&m->thread, NULL, thread_run, m);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  if (error != 0)
    pthread_mutex_destroy(&m->lock);
  return error == 0;
}

/* Nothing happens while there is no context, before the run and after it. */
void cli_member_interrupt(cli_member *m) {
  pthread_mutex_lock(&m->lock);
  if (m->cx)
    ig_ctx_interrupt(m->cx);
  pthread_mutex_unlock(&m->lock);
}

/* To be called once for each member that started. */
ig_status cli_member_end(cli_member *m) {
  pthread_join(m->thread, NULL);
  pthread_mutex_destroy(&m->lock);
  return m->status;
}
