/* Ranks as the processes of an MPI job. */
#include "ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_MPI
#include <mpi.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

typedef struct {
  MPI_Comm comm;
  bool finalise; /* MPI is ours */
  char trouble[MPI_MAX_ERROR_STRING];
  MPI_Request *request; /* of messages under way */
  MPI_Status *status;   /* not looked at; MPICH's "ignore" is an address compilers warn of */
  size_t room;
  int started;
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

static void requests_drop(job *j) {
  for (int i = 0; i < j->started; i++) { /* the job will end: nothing may be waited for */
    MPI_Cancel(&j->request[i]);
    MPI_Request_free(&j->request[i]);
  }
  j->started = 0;
}

static ig_status requests_fit(job *j, size_t count) {
  if (count <= j->room)
    return IG_OK;
  MPI_Request *more = realloc(j->request, 2 * count * sizeof *more);
  if (more)
    j->request = more;
  MPI_Status *status = more ? realloc(j->status, 2 * count * sizeof *status) : NULL;
  if (!status) {
    snprintf(j->trouble, sizeof j->trouble, "no memory for %zu messages", count);
    return IG_MEMORY;
  }
  j->status = status;
  j->room = 2 * count;
  return IG_OK;
}

static ig_status post(void *self, const ig_message *message, int count) {
  job *j = self;
  size_t all = 0;
  int code = MPI_SUCCESS;
  for (int i = 0; i < count; i++)
    all += parts_of(message[i].send_size) + parts_of(message[i].receive_size);
  j->started = 0;
  IG_TRY(requests_fit(j, all));
  for (int i = 0; i < count && code == MPI_SUCCESS; i++)
    for (size_t at = 0; at < message[i].receive_size && code == MPI_SUCCESS; at += PART) {
      const size_t left = message[i].receive_size - at;
      code = MPI_Irecv((char *)message[i].receive + at, (int)(left < PART ? left : PART), MPI_BYTE,
                       message[i].rank, 1, j->comm, &j->request[j->started]);
      j->started += code == MPI_SUCCESS;
    }
  for (int i = 0; i < count && code == MPI_SUCCESS; i++)
    for (size_t at = 0; at < message[i].send_size && code == MPI_SUCCESS; at += PART) {
      const size_t left = message[i].send_size - at;
      code = MPI_Isend((const char *)message[i].send + at, (int)(left < PART ? left : PART),
                       MPI_BYTE, message[i].rank, 1, j->comm, &j->request[j->started]);
      j->started += code == MPI_SUCCESS;
    }
  if (code != MPI_SUCCESS)
    requests_drop(j);
  return said(j, code);
}

static ig_status await(void *self) {
  job *j = self;
  const int count = j->started;
  j->started = 0;
  return count ? said(j, MPI_Waitall(count, j->request, j->status)) : IG_OK;
}

static ig_status swap(void *self, const ig_message *message, int count) {
  IG_TRY(post(self, message, count));
  return await(self);
}

static int devices(void *self) {
  (void)self;
#if defined(OMPI_HAVE_MPI_EXT_CUDA) && OMPI_HAVE_MPI_EXT_CUDA
  return MPIX_Query_cuda_support() != 0;
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000
  int can = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &can) == MPI_SUCCESS ? can != 0 : -1;
#else
  return -1;
#endif
}

static void leave(void *self) {
  job *j = self;
  MPI_Comm_free(&j->comm);
  if (j->finalise)
    MPI_Finalize();
  free(j->request);
  free(j->status);
  free(j);
}

/* The others wait, in calls that nothing but the end of the job can end. A program that has started
   MPI itself does so. */
static void abandon(void *self) {
  job *j = self;
  if (j->finalise)
    MPI_Abort(j->comm, 1);
  free(j->request);
  free(j->status);
  free(j);
}

static const ig_transport transport = {.broadcast = broadcast,
                                       .most = most,
                                       .swap = swap,
                                       .post = post,
                                       .await = await,
                                       .close = leave,
                                       .abandon = abandon,
                                       .trouble = trouble,
                                       .devices = devices};

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
  r->communicator = (int)MPI_Comm_c2f(j->comm);
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
