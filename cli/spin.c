/* How long threads of GNU's OpenMP spin while they wait, said before OpenMP's library reads it.

   The library reads GOMP_SPINCOUNT in its constructor, before main, so that a program which wants
   another value than the user's environment has would have to start itself anew. Functions in the
   section .preinit_array of a program run before the constructors of its libraries. The environment
   cannot grow there, since the C library takes its address afterwards, but an entry can be
   replaced: that of `_`, which shells set to the name of the program and which says nothing to it.
   main calls cli_spin_done, which puts the entry back. */
#include "cli.h"

#include <stdlib.h>

extern char **environ;

static char spin[] = "GOMP_SPINCOUNT=10000";
static char *kept; /* the entry of `_` that `spin` replaces; NULL: none was replaced */

#if defined(__GNUC__) && defined(__linux__)
/* No function of the C library, and no sanitizer: neither is ready yet. */
#define EARLY                                                                                      \
  __attribute__((no_sanitize("address"), no_sanitize("undefined"), no_sanitize("thread")))

EARLY static int begins(const char *text, const char *with) {
  while (*with && *text == *with) {
    text++;
    with++;
  }
  return *with == '\0';
}

/* The user has said how threads wait or where they stay. */
EARLY static int is_said(char **envp) {
  for (char **e = envp; *e; e++)
    if (begins(*e, "OMP_WAIT_POLICY=") || begins(*e, "GOMP_SPINCOUNT=") ||
        begins(*e, "OMP_PROC_BIND=") || begins(*e, "OMP_PLACES=") ||
        begins(*e, "GOMP_CPU_AFFINITY="))
      return 1;
  return 0;
}

EARLY static void spin_say(int argc, char **argv, char **envp) {
  (void)argc, (void)argv;
  if (is_said(envp))
    return;
  for (char **e = envp; *e && !kept; e++)
    if (begins(*e, "_=")) {
      kept = *e;
      *e = spin;
    }
}

__attribute__((section(".preinit_array"), used)) static void (*early)(int, char **,
                                                                      char **) = spin_say;
#endif

/* The processes that this one starts are to have the length, too, and `_` as it was. */
bool cli_spin_done(void) {
  if (!kept)
    return false;
  for (char **e = environ; e && *e; e++)
    if (*e == spin)
      *e = kept;
  return setenv("GOMP_SPINCOUNT", "10000", 1) == 0;
}
