/* Confines a process that is about to run code on files from strangers. Linux only: seccomp is
   required, Landlock is used where the kernel has it.

   After ig_sandbox_enter the process cannot run programs (it is killed with SIGSYS), open sockets,
   signal other processes, change limits, or write outside `folder`; without Landlock it cannot
   write at all. After ig_sandbox_narrow it cannot read outside the named places either; without
   Landlock this call changes nothing. Both apply to threads started later and cannot be undone.
   Call them from the only thread of a child process. */
#ifndef IG_IO_MESH_SANDBOX_H
#define IG_IO_MESH_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *folder; /* of its own, to write into */
  double seconds;     /* of processor time */
  double bytes;       /* of memory, beyond what it has when it enters */
  double file_bytes;  /* of one file that it writes */
} ig_sandbox;

/* false: not possible here; `why` says what is missing. */
bool ig_sandbox_enter(const ig_sandbox *sandbox, char *why, size_t size);
/* place: folders and files, ended by NULL; a folder includes everything below it. */
bool ig_sandbox_narrow(const char *const *place, char *why, size_t size);

#endif
