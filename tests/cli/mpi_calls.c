/* Preloaded before MPI: what an MPI may do and seldom does.
     MPI_SYNC   set: a send is complete when its receive has begun (nothing is buffered)
     MPI_SLEEP  rank that sleeps for a random while before every call
     MPI_RANK, MPI_AT, MPI_DO  rank and number of its call (of those below) that fails
                ("fail"), kills its process ("kill") or leaves without a word ("exit") */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long calls;

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : -1;
}

/* Whether this call fails. */
static int trouble(void) {
  int rank = -1;
  const char *what = getenv("MPI_DO");
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (number("MPI_SLEEP") == rank)
    usleep((useconds_t)(rand() % 3000));
  if (!what || number("MPI_RANK") != rank || ++calls != number("MPI_AT"))
    return 0;
  if (strcmp(what, "kill") == 0)
    raise(SIGKILL);
  if (strcmp(what, "exit") == 0)
    _exit(3);
  return 1;
}

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  if (trouble())
    return MPI_ERR_OTHER;
  return getenv("MPI_SYNC") ? PMPI_Issend(bytes, count, type, to, tag, comm, request)
                            : PMPI_Isend(bytes, count, type, to, tag, comm, request);
}
int MPI_Irecv(void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request) {
  return trouble() ? MPI_ERR_OTHER : PMPI_Irecv(bytes, count, type, from, tag, comm, request);
}
/* One that comes to its end counts as a call. */
int MPI_Testall(int count, MPI_Request *request, int *there, MPI_Status *status) {
  const int code = PMPI_Testall(count, request, there, status);
  return code == MPI_SUCCESS && *there && trouble() ? MPI_ERR_OTHER : code;
}
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return trouble() ? MPI_ERR_OTHER : PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request) {
  return trouble() ? MPI_ERR_OTHER : PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
