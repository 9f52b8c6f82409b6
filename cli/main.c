/* ingot: finds the command, reads its options, runs it. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every command, in the order help shows them. Commands of a family must stand together. */
#define COMMANDS(X)                                                                                \
  X(new)                                                                                           \
  X(run)                                                                                           \
  X(check)                                                                                         \
  X(finish)                                                                                        \
  X(upgrade)                                                                                       \
  X(import)                                                                                        \
  X(sweep)                                                                                         \
  X(view)                                                                                          \
  X(report)                                                                                        \
  X(compare)                                                                                       \
  X(watch)                                                                                         \
  X(sample)                                                                                        \
  X(sensitivity)                                                                                   \
  X(dataset)                                                                                       \
  X(gradient)                                                                                      \
  X(optimise)                                                                                      \
  X(calibrate)                                                                                     \
  X(assimilate)                                                                                    \
  X(verify)                                                                                        \
  X(bench)                                                                                         \
  X(mesh_new)                                                                                      \
  X(mesh_convert)                                                                                  \
  X(mesh_info)                                                                                     \
  X(path_info)                                                                                     \
  X(path_convert)                                                                                  \
  X(path_draw)                                                                                     \
  X(result_probe)                                                                                  \
  X(result_extremes)                                                                               \
  X(result_join)                                                                                   \
  X(materials)                                                                                     \
  X(devices)                                                                                       \
  X(help)                                                                                          \
  X(completion)                                                                                    \
  X(version)
#define X(name) extern const cli_command cli_##name;
COMMANDS(X)
#undef X
static const cli_command *const commands[] = {
#define X(name) &cli_##name,
    COMMANDS(X)
#undef X
        NULL};

/* Reports an unknown command with the nearest one; of two-word commands the first word counts.
   Names beyond the fixed array have no nearest one; there are fewer commands than that. */
static int unknown_command(const char *word) {
  enum { MAX = 64 };
  const char *names[MAX + 1] = {0};
  char family[MAX][16];
  int n = 0;
  for (const cli_command *const *c = cli_commands; *c && n < MAX; c++, n++) {
    snprintf(family[n], sizeof family[n], "%.*s", (int)strcspn((*c)->name, " "), (*c)->name);
    names[n] = family[n];
  }
  const char *near = cli_nearest(word, names);
  if (near)
    cli_error("'%s' is no command: did you mean '%s'?", word, near);
  else
    cli_error("'%s' is no command: 'ingot help' lists them", word);
  return CLI_BAD_INPUT;
}

/* `ingot mesh`, `ingot mesh --help`, `ingot mesh nwe`: a family of commands, not one of them. */
static int family_only(int argc, char **argv) {
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    cli_help_family(stdout, argv[0]);
    return CLI_GOOD;
  }
  /* Second words of the family, for the message. */
  char list[128] = "";
  for (const cli_command *const *c = cli_commands; *c; c++)
    if (cli_in_family(*c, argv[0]))
      snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
               strchr((*c)->name, ' ') + 1);
  cli_error("'ingot %s' needs one of: %s", argv[0], list);
  return CLI_BAD_INPUT;
}

/* Finds and runs a command. Of several copies under mpirun only `run`, `check` and `sweep` go on
   (the last refuses); of others the first copy does the work and the rest return at once. argv is
   without the program's name. Returns the exit code. */
static int run(int argc, char **argv) {
  /* mpirun starts copies of any command: what is no run on ranks the first does alone */
  const bool copy = cli_copies() > 1 && !cli_first_copy();
  if (argc == 0) {
    if (!copy)
      cli_help_all(stderr);
    return CLI_BAD_INPUT;
  }
  if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
    if (!copy)
      cli_help_all(stdout);
    return CLI_GOOD;
  }
  if (strcmp(argv[0], "--version") == 0)
    return copy ? CLI_GOOD : cli_version.run(NULL);
  if (argc == 2 && strcmp(argv[0], CLI_GPU_TRY) == 0)
    return cli_gpu_try(argv[1]);
  int used = 0;
  const cli_command *command = cli_find(argc, argv, &used);
  if (!command)
    return cli_is_family(argv[0]) ? family_only(argc, argv) : unknown_command(argv[0]);
  /* Static: it is large, and lives as long as the program. */
  static cli_args args;
  bool help;
  const int code = cli_parse(command, argc - used, argv + used, &args, &help);
  if (code != CLI_GOOD)
    return code;
  const bool ranks = command == &cli_run || command == &cli_check || command == &cli_sweep;
  if (copy && (help || !ranks))
    return CLI_GOOD;
  if (help) {
    cli_help_command(stdout, command);
    return CLI_GOOD;
  }
  if (!ranks)
    cli_alone();
  return command->run(&args);
}

/* Whether the user asks for one thread, which waits for none. Only the plain spellings are looked
   for: others cost a restart. */
static bool is_one_thread(char **argv) {
  const char *threads = getenv("OMP_NUM_THREADS");
  for (char **a = argv; *a; a++)
    if ((strcmp(*a, "-t") == 0 || strcmp(*a, "--threads") == 0) && a[1])
      return strcmp(a[1], "1") == 0;
  return threads && strcmp(threads, "1") == 0;
}

/* A thread of GNU's OpenMP that waits spins for milliseconds by default, on a core that another run
   beside this one could use. How long is read from the environment before main begins, unless the
   user has said how to wait, or where threads are to stay. cli/spin.c has put the length there;
   where it could not, the program starts itself once more, which takes milliseconds. One thread has
   none to wait for: small models do not pay for a second start. */
static void wait_kindly(char **argv) {
  char self[4096];
  if (cli_spin_done())
    return;
  /* Any of these means that the user has decided; it also ends the chain of restarts, as the second
     start finds GOMP_SPINCOUNT set. */
  static const char *const said[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_PROC_BIND",
                                     "OMP_PLACES", "GOMP_CPU_AFFINITY"};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (getenv(said[i]))
      return;
  if (is_one_thread(argv))
    return;
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0 || setenv("GOMP_SPINCOUNT", "10000", 1) != 0)
    return;
  self[length] = '\0';
  execv(self, argv); /* returns only if it cannot: then we wait as we are */
}

/* A file opened on descriptor 1 or 2 would take what we print: a closed one leads nowhere. */
static void open_standard(void) {
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
      return;
}

/* The order matters: standard streams before anything is opened, the restart before any state. */
int main(int argc, char **argv) {
  cli_commands = commands;
  open_standard();
  wait_kindly(argv);
  signal(SIGPIPE, SIG_IGN); /* a reader that went away must not kill a run */
  const int code = run(argc - 1, argv + 1);
  /* What was printed may be lost on a full disk: that is a failure. A reader that left early is
     not. */
  const bool lost = fflush(stdout) != 0 || ferror(stdout);
  if (lost && errno != EPIPE) {
    cli_error("standard output: %s", strerror(errno));
    return code == CLI_GOOD ? CLI_FAILED : code;
  }
  return code;
}
