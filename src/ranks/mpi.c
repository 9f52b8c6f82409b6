/* Ranks as the processes of an MPI job. Messages go through host memory. */
#include "ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_MPI
#include <mpi.h>
#include <unistd.h>

typedef struct {
  MPI_Comm comm;
  bool finalise; /* MPI is ours */
} job;

static ig_status said(int code) {
  return code == MPI_SUCCESS ? IG_OK : IG_IO;
}

static ig_status broadcast(void *self, int root, void *bytes, size_t size) {
  const job *j = self;
  char *at = bytes;
  while (size > 0) { /* a message's count is an int */
    const size_t part = size < (size_t)1 << 30 ? size : (size_t)1 << 30;
    IG_TRY(said(MPI_Bcast(at, (int)part, MPI_BYTE, root, j->comm)));
    at += part;
    size -= part;
  }
  return IG_OK;
}

static ig_status most(void *self, int64_t *values, int count) {
  const job *j = self;
  return said(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, j->comm));
}

static void leave(void *self) {
  job *j = self;
  MPI_Comm_free(&j->comm);
  if (j->finalise)
    MPI_Finalize();
  free(j);
}

static const ig_transport transport = {.broadcast = broadcast, .most = most, .close = leave};

static ig_status job_join(int communicator, job *j, ig_ranks *r) {
  int there, provided, length;
  char library[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
  MPI_Comm node;
  IG_TRY(said(MPI_Initialized(&there)));
  if (!there)
    IG_TRY(said(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided)));
  j->finalise = !there;
  const MPI_Comm of = communicator ? MPI_Comm_f2c((MPI_Fint)communicator) : MPI_COMM_WORLD;
  IG_TRY(said(MPI_Comm_dup(of, &j->comm))); /* our messages do not meet the program's */
  MPI_Comm_set_errhandler(j->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(j->comm, &r->rank);
  MPI_Comm_size(j->comm, &r->count);
  if (MPI_Comm_split_type(j->comm, MPI_COMM_TYPE_SHARED, r->rank, MPI_INFO_NULL, &node) ==
      MPI_SUCCESS) {
    MPI_Comm_rank(node, &r->local);
    MPI_Comm_free(&node);
  }
  MPI_Get_library_version(library, &length);
  library[strcspn(library, ",\n")] = '\0';
  snprintf(r->name, sizeof r->name, "MPI (%.80s)", library);
  MPI_Get_processor_name(host, &length);
  snprintf(r->host, sizeof r->host, "%.60s", host);
  return IG_OK;
}

ig_status ig_ranks_mpi(int communicator, ig_ranks **ranks) {
  if (!ranks)
    return IG_ARG;
  ig_ranks *r = calloc(1, sizeof *r);
  job *j = calloc(1, sizeof *j);
  ig_status status = r && j ? job_join(communicator, j, r) : IG_MEMORY;
  *ranks = NULL;
  if (status != IG_OK) {
    free(r);
    free(j);
    return status;
  }
  r->transport = &transport;
  r->self = j;
  *ranks = r;
  return IG_OK;
}
#else
ig_status ig_ranks_mpi(int communicator, ig_ranks **ranks) {
  (void)communicator;
  if (ranks)
    *ranks = NULL;
  return IG_UNSUPPORTED;
}
#endif
