/* Whether MPI sends device memory, tried in a child process: an MPI that cannot may crash, or may
   never return. The child sends a little between two buffers of its own. */
#include "cli.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Whether a variable is one of a launcher's. The child is no part of the job: with them it would
   try to join it. */
static bool launchers(const char *variable) {
  /* Open MPI, PMIx, PMI, MPICH's Hydra, Intel MPI and Slurm. */
  static const char *const begins[] = {"OMPI_COMM", "OMPI_MCA_ess", "OMPI_MCA_orte", "PMIX",
                                       "PMI_",      "HYDRA",        "MPIEXEC",       "SLURM"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (strncmp(variable, begins[i], strlen(begins[i])) == 0)
      return true;
  return false;
}

/* Starts this program again with CLI_GPU_TRY; -1: it cannot be started. posix_spawn rather than
   fork, as MPI forbids a fork after its start on some networks. */
static pid_t child_start(const char *backend) {
  /* Open MPI then starts a process alone without looking for a daemon. */
  static char isolated[] = "OMPI_MCA_ess_singleton_isolated=1";
  char self[4096], name[32], word[] = CLI_GPU_TRY;
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  size_t count = 0, kept = 0;
  pid_t pid = -1;
  while (environ[count])
    count++;
  /* All variables at most, one more, and the NULL at the end. */
  char **environment = calloc(count + 2, sizeof *environment);
  if (length < 0 || !environment) {
    free(environment);
    return -1;
  }
  self[length] = '\0';
  snprintf(name, sizeof name, "%s", backend ? backend : "auto");
  for (size_t i = 0; i < count; i++)
    if (!launchers(environ[i]))
      environment[kept++] = environ[i];
  environment[kept] = isolated;
  char *const words[] = {self, word, name, NULL};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", 1, 0);
  if (posix_spawn(&pid, self, &files, NULL, words, environment) != 0)
    pid = -1;
  posix_spawn_file_actions_destroy(&files);
  free(environment);
  return pid;
}

/* Waits for the child, 30 s at most, then ends it. Only a clean exit counts. A child that was
   killed by a signal, as by a crash in the driver, counts as no. */
bool cli_gpu_works(const char *backend) {
  enum { TENTHS = 300 }; /* of a second: a card's first context takes some */
  const pid_t pid = child_start(backend);
  int result = 1;
  if (pid < 0)
    return false;
  for (int i = 0; i < TENTHS; i++) {
    if (waitpid(pid, &result, WNOHANG) == pid)
      return WIFEXITED(result) && WEXITSTATUS(result) == 0;
    nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
  }
  kill(pid, SIGKILL);
  waitpid(pid, &result, 0);
  return false;
}

/* In the child: one rank, one context, one exchange of device memory. */
int cli_gpu_try(const char *backend) {
  ig_ranks *alone;
  ig_ctx *cx = NULL;
  if (ig_ranks_mpi(0, &alone) != IG_OK)
    return CLI_FAILED;
  const ig_ctx_options options = {.backend = backend, .ranks = alone};
  ig_status status = ig_ctx_open(&options, &cx);
  if (status == IG_OK)
    status = ig_ranks_gpu_try(cx);
  ig_ctx_close(cx);
  ig_ranks_close(alone);
  return status == IG_OK ? CLI_GOOD : CLI_FAILED;
}
