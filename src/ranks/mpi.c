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
  char trouble[MPI_MAX_ERROR_STRING];
} job;

static ig_status said(job *j, int code) {
  int length;
  if (code != MPI_SUCCESS && MPI_Error_string(code, j->trouble, &length) != MPI_SUCCESS)
    snprintf(j->trouble, sizeof j->trouble, "MPI error %d", code);
  return code == MPI_SUCCESS ? IG_OK : IG_IO;
}

static const char *trouble(void *self) {
  return ((job *)self)->trouble;
}

static ig_status broadcast(void *self, int root, void *bytes, size_t size) {
  job *j = self;
  char *at = bytes;
  while (size > 0) { /* a message's count is an int */
    const size_t part = size < (size_t)1 << 30 ? size : (size_t)1 << 30;
    IG_TRY(said(j, MPI_Bcast(at, (int)part, MPI_BYTE, root, j->comm)));
    at += part;
    size -= part;
  }
  return IG_OK;
}

static ig_status most(void *self, int64_t *values, int count) {
  job *j = self;
  return said(j, MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, j->comm));
}

/* A message's count is an int: long ones go in parts. */
static const size_t PART = (size_t)1 << 30;

static size_t parts_of(size_t size) {
  return (size + PART - 1) / PART;
}

static ig_status swap(void *self, const ig_message *message, int count) {
  job *j = self;
  size_t all = 0;
  int started = 0, code = MPI_SUCCESS;
  for (int i = 0; i < count; i++)
    all += parts_of(message[i].send_size) + parts_of(message[i].receive_size);
  if (all == 0)
    return IG_OK;
  MPI_Request *request = malloc(all * sizeof *request);
  if (!request) {
    snprintf(j->trouble, sizeof j->trouble, "no memory for %zu messages", all);
    return IG_MEMORY;
  }
  for (int i = 0; i < count && code == MPI_SUCCESS; i++)
    for (size_t at = 0; at < message[i].receive_size && code == MPI_SUCCESS; at += PART) {
      const size_t left = message[i].receive_size - at;
      code = MPI_Irecv((char *)message[i].receive + at, (int)(left < PART ? left : PART), MPI_BYTE,
                       message[i].rank, 1, j->comm, &request[started]);
      started += code == MPI_SUCCESS;
    }
  for (int i = 0; i < count && code == MPI_SUCCESS; i++)
    for (size_t at = 0; at < message[i].send_size && code == MPI_SUCCESS; at += PART) {
      const size_t left = message[i].send_size - at;
      code = MPI_Isend((const char *)message[i].send + at, (int)(left < PART ? left : PART),
                       MPI_BYTE, message[i].rank, 1, j->comm, &request[started]);
      started += code == MPI_SUCCESS;
    }
  if (code == MPI_SUCCESS)
    code = MPI_Waitall(started, request, MPI_STATUSES_IGNORE);
  else /* the job will end: nothing may be waited for */
    for (int i = 0; i < started; i++) {
      MPI_Cancel(&request[i]);
      MPI_Request_free(&request[i]);
    }
  free(request);
  return said(j, code);
}

static void leave(void *self) {
  job *j = self;
  MPI_Comm_free(&j->comm);
  if (j->finalise)
    MPI_Finalize();
  free(j);
}

/* The others wait, in calls that nothing but the end of the job can end. A program that has started
   MPI itself does so. */
static void abandon(void *self) {
  job *j = self;
  if (j->finalise)
    MPI_Abort(j->comm, 1);
  free(j);
}

static const ig_transport transport = {.broadcast = broadcast,
                                       .most = most,
                                       .swap = swap,
                                       .close = leave,
                                       .abandon = abandon,
                                       .trouble = trouble};

static ig_status job_join(int communicator, job *j, ig_ranks *r) {
  int there, provided, length;
  char library[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
  MPI_Comm node;
  IG_TRY(said(j, MPI_Initialized(&there)));
  if (!there)
    IG_TRY(said(j, MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided)));
  j->finalise = !there;
  const MPI_Comm of = communicator ? MPI_Comm_f2c((MPI_Fint)communicator) : MPI_COMM_WORLD;
  IG_TRY(said(j, MPI_Comm_dup(of, &j->comm))); /* our messages do not meet the program's */
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
