/* Transport over MPI: ranks are the processes of a job.

   Only point-to-point messages, one Allreduce (`most`) and an Alltoall after failures are used. All
   waits are loops of MPI_Test, not MPI_Wait: a rank that waits must notice that another has failed
   and calls it to ig_ranks_agree (message with TAG_CALL). Blocking collectives could not be left.
   The rules of MPI (MPI 4.0 standard, chapter 3) then require that every message sent is also
   received; `settle` does so after a failure. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef INGOT_HAVE_MPI
#include <mpi.h>
#include <sched.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

/* Non-blocking messages under way, receives before sends: after a failure only receives can be
   cancelled reliably. Arrays grow and are freed by job_free. */
typedef struct {
  MPI_Request *request;
  MPI_Status *status; /* not looked at; MPICH's "ignore" is an address compilers warn of */
  /* Per receive: the sending rank, needed to correct `due` if the receive is cancelled. */
  int *from; /* of what is received */
  size_t room;
  int started, receives;
} batch;

/* State of this transport on one rank; ig_ranks.self points to it. */
typedef struct {
  MPI_Comm comm;
  int rank, count;
  bool finalise;       /* MPI is ours */
  int64_t *sent, *due; /* to and from each rank: messages sent, and those received or asked for */
  int64_t *told;       /* how many each rank says that it sent to this one */
  char trouble[MPI_MAX_ERROR_STRING];
  batch swap, share; /* a broadcast may come between `post` and `await` */
} job;

/* Exchanges and broadcasts have different tags because a broadcast may occur between `post` and
   `await` of an exchange. */
enum { TAG_SWAP = 1, TAG_SHARE, TAG_CALL };

/* Converts an MPI error code into a status and keeps its text for the error message. */
static ig_status said(job *j, int code) {
  int length;
  if (code != MPI_SUCCESS && MPI_Error_string(code, j->trouble, &length) != MPI_SUCCESS)
    snprintf(j->trouble, sizeof j->trouble, "MPI error %d", code);
  return code == MPI_SUCCESS ? IG_OK : IG_IO;
}

static const char *trouble(void *self) {
  return ((job *)self)->trouble;
}

/* Called after each unsuccessful test. Where there are more ranks than cores, the rank that is
   waited for may need this core. Open MPI yields by itself if oversubscribed; MPICH never does. */
static void give_way(long looks) {
  if (looks % 100 == 0)
    sched_yield();
}

/* Maximum over ranks. Open MPI's blocking Allreduce yields the processor by itself; with other
   libraries the non-blocking version is polled so that give_way can be called. */
static ig_status most(void *self, int64_t *values, int count) {
  job *j = self;
#ifdef OPEN_MPI
  return said(j, MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, j->comm));
#else
  MPI_Request request;
  MPI_Status status;
  int there = 0,
      code = MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, j->comm, &request);
  for (long looks = 1; !there && code == MPI_SUCCESS; looks++) {
    code = MPI_Test(&request, &there, &status);
    give_way(looks);
  }
  return said(j, code);
#endif
}

/* MPI counts are int (MPI 3): a message above 2 GiB is sent in parts of 1 GiB. Parts with one tag
   between two ranks arrive in order (MPI's non-overtaking rule). */
static const size_t PART = (size_t)1 << 30;

static size_t parts_of(size_t size) {
  return (size + PART - 1) / PART;
}

/* After an MPI error the job ends, so nothing may be waited for: requests are cancelled and
   released. */
static void batch_drop(batch *b) {
  for (int i = 0; i < b->started; i++) { /* the job will end: nothing may be waited for */
    MPI_Cancel(&b->request[i]);
    MPI_Request_free(&b->request[i]);
  }
  b->started = 0;
}

/* Twice the count is allocated, so that repeated growth is rare. */
static ig_status batch_fit(job *j, batch *b, size_t count) {
  if (count <= b->room)
    return IG_OK;
  MPI_Request *more = realloc(b->request, 2 * count * sizeof *more);
  if (more)
    b->request = more;
  MPI_Status *status = more ? realloc(b->status, 2 * count * sizeof *status) : NULL;
  if (status)
    b->status = status;
  int *from = status ? realloc(b->from, 2 * count * sizeof *from) : NULL;
  if (!from) {
    snprintf(j->trouble, sizeof j->trouble, "no memory for %zu messages", count);
    return IG_MEMORY;
  }
  b->from = from;
  b->room = 2 * count;
  return IG_OK;
}

/* Starts all receives, then all sends: a receive that is posted before its message arrives avoids a
   copy inside MPI. sent and due are counted per part, for `settle`. */
static ig_status batch_start(job *j, batch *b, int tag, const ig_message *message, int count) {
  size_t all = 0;
  int code = MPI_SUCCESS;
  for (int i = 0; i < count; i++)
    all += parts_of(message[i].send_size) + parts_of(message[i].receive_size);
  b->started = b->receives = 0;
  IG_TRY(batch_fit(j, b, all));
  for (int i = 0; i < count && code == MPI_SUCCESS; i++)
    for (size_t at = 0; at < message[i].receive_size && code == MPI_SUCCESS; at += PART) {
      const size_t left = message[i].receive_size - at;
      code = MPI_Irecv((char *)message[i].receive + at, (int)(left < PART ? left : PART), MPI_BYTE,
                       message[i].rank, tag, j->comm, &b->request[b->started]);
      b->from[b->started] = message[i].rank;
      j->due[message[i].rank]++;
      b->started += code == MPI_SUCCESS;
    }
  b->receives = b->started;
  for (int i = 0; i < count && code == MPI_SUCCESS; i++)
    for (size_t at = 0; at < message[i].send_size && code == MPI_SUCCESS; at += PART) {
      const size_t left = message[i].send_size - at;
      code = MPI_Isend((const char *)message[i].send + at, (int)(left < PART ? left : PART),
                       MPI_BYTE, message[i].rank, tag, j->comm, &b->request[b->started]);
      j->sent[message[i].rank]++;
      b->started += code == MPI_SUCCESS;
    }
  if (code != MPI_SUCCESS)
    batch_drop(b);
  return said(j, code);
}

/* Whether a rank that has failed calls for a meeting; the message is left in the queue for
   `settle`. */
static bool called(job *j) {
  int there = 0;
  MPI_Status from;
  return MPI_Iprobe(MPI_ANY_SOURCE, TAG_CALL, j->comm, &there, &from) == MPI_SUCCESS && there;
}

/* Returns when all messages are complete, or IG_INTERRUPTED when a failed rank calls. Probing costs
   more than testing, so it is done once in 1000 tests. */
static ig_status batch_wait(job *j, batch *b) {
  enum { LOOKS = 1000 }; /* messages come soon as a rule */
  int code = MPI_SUCCESS, there = b->started == 0;
  for (long looks = 1; !there && code == MPI_SUCCESS; looks++) {
    code = MPI_Testall(b->started, b->request, &there, b->status);
    if (!there)
      give_way(looks);
    if (!there && looks % LOOKS == 0 && called(j))
      return IG_INTERRUPTED;
  }
  b->started = 0;
  return said(j, code);
}

static ig_status post(void *self, const ig_message *message, int count) {
  job *j = self;
  return batch_start(j, &j->swap, TAG_SWAP, message, count);
}

static ig_status await(void *self) {
  job *j = self;
  return batch_wait(j, &j->swap);
}

static ig_status swap(void *self, const ig_message *message, int count) {
  IG_TRY(post(self, message, count));
  return await(self);
}

/* Broadcast by messages, whose wait a call can interrupt (MPI_Bcast could not be left). Binomial
   tree: with ranks counted from the root, rank r receives from r without its lowest set bit, and
   sends to r + bit for all lower bits. 32 children suffice for any int. */
static ig_status broadcast(void *self, int root, void *bytes, size_t size) {
  job *j = self;
  ig_message message[32];
  const int mine = (j->rank - root + j->count) % j->count;
  int bit = 1, children = 0;
  for (; bit < j->count && !(mine & bit); bit *= 2)
    if (mine + bit < j->count)
      message[children++] =
          (ig_message){.rank = (mine + bit + root) % j->count, .send = bytes, .send_size = size};
  if (mine) {
    const ig_message from = {
        .rank = (mine - bit + root) % j->count, .receive = bytes, .receive_size = size};
    IG_TRY(batch_start(j, &j->share, TAG_SHARE, &from, 1));
    IG_TRY(batch_wait(j, &j->share));
  }
  IG_TRY(batch_start(j, &j->share, TAG_SHARE, message, children));
  return batch_wait(j, &j->share);
}

/* Zero-byte messages to all. The requests are released at once: the data is empty, so no buffer
   must stay valid. */
static void call(void *self) {
  job *j = self;
  MPI_Request request;
  for (int r = 0; r < j->count; r++)
    if (r != j->rank &&
        MPI_Isend(j->trouble, 0, MPI_BYTE, r, TAG_CALL, j->comm, &request) == MPI_SUCCESS) {
      MPI_Request_free(&request);
      j->sent[r]++;
    }
}

/* Cancels receives that no message has matched yet. A receive that was matched meanwhile completes
   and counts as received. */
static int receives_end(job *j, batch *b) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < b->receives && i < b->started && code == MPI_SUCCESS; i++)
    if (b->request[i] != MPI_REQUEST_NULL) {
      int cancelled = 0;
      MPI_Cancel(&b->request[i]);
      code = MPI_Wait(&b->request[i], b->status);
      if (code == MPI_SUCCESS)
        code = MPI_Test_cancelled(b->status, &cancelled);
      j->due[b->from[i]] -= cancelled != 0;
    }
  return code;
}

/* Receives and discards one message of any tag. Without memory the receive is truncated, which is
   harmless here because the data is not used. */
static int message_take(job *j, int from) {
  MPI_Status status;
  int size = 0, code = MPI_Probe(from, MPI_ANY_TAG, j->comm, &status);
  if (code == MPI_SUCCESS)
    code = MPI_Get_count(&status, MPI_BYTE, &size);
  if (code != MPI_SUCCESS)
    return code;
  void *bytes = malloc((size_t)size + 1);
  code = MPI_Recv(bytes ? bytes : j->trouble, bytes ? size : 0, MPI_BYTE, from, status.MPI_TAG,
                  j->comm, &status);
  j->due[from]++;
  if (bytes)
    free(bytes);
  else
    code = MPI_SUCCESS; /* cut off: no rank reads it */
  return code;
}

static int sends_end(batch *b) {
  const int sends = b->started - b->receives;
  b->started = 0;
  return sends > 0 ? MPI_Waitall(sends, b->request + b->receives, b->status) : MPI_SUCCESS;
}

/* Drains the communicator after a failure: ranks exchange how many messages each has sent to each,
   and receive the rest. Otherwise a late message could be matched with a receive of a later run: an
   MPI may give a new communicator the context id of a freed one (MPICH does). */
static ig_status settle(void *self) {
  job *j = self;
  IG_TRY(said(j, receives_end(j, &j->swap)));
  IG_TRY(said(j, receives_end(j, &j->share)));
  IG_TRY(said(j, MPI_Alltoall(j->sent, 1, MPI_INT64_T, j->told, 1, MPI_INT64_T, j->comm)));
  for (int r = 0; r < j->count; r++)
    while (j->due[r] < j->told[r])
      IG_TRY(said(j, message_take(j, r)));
  IG_TRY(said(j, sends_end(&j->swap)));
  return said(j, sends_end(&j->share));
}

/* Whether this MPI accepts device pointers: both libraries have an extension that says so, in
   recent versions. -1: unknown. */
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

static void job_free(job *j) {
  for (int i = 0; i < 2; i++) {
    batch *b = i ? &j->share : &j->swap;
    free(b->request);
    free(b->status);
    free(b->from);
  }
  free(j->sent);
  free(j->due);
  free(j->told);
  free(j);
}

/* Regular end. MPI is finalised only if this library initialised it. */
static void leave(void *self) {
  job *j = self;
  MPI_Comm_free(&j->comm);
  if (j->finalise)
    MPI_Finalize();
  job_free(j);
}

/* After an MPI error the other ranks wait in calls that only the end of the job can end, so
   MPI_Abort is called; unless the program started MPI itself, in which case that is its
   decision. */
static void abandon(void *self) {
  job *j = self;
  if (j->finalise)
    MPI_Abort(j->comm, 1);
  job_free(j);
}

static const ig_transport transport = {.broadcast = broadcast,
                                       .most = most,
                                       .swap = swap,
                                       .post = post,
                                       .await = await,
                                       .call = call,
                                       .settle = settle,
                                       .close = leave,
                                       .abandon = abandon,
                                       .trouble = trouble,
                                       .devices = devices};

/* Cores available to this rank: each core of its affinity mask counts as 1 over the number of ranks
   on this computer that may also use it. This gives sensible thread counts however the launcher
   binds processes: to a core, to a socket, or not at all. 0: not known. */
static int cores_of(MPI_Comm node) {
  cpu_set_t mine;
  int users[CPU_SETSIZE];
  double share = 0;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0)
    CPU_ZERO(&mine);
  for (int i = 0; i < CPU_SETSIZE; i++)
    users[i] = CPU_ISSET(i, &mine) != 0;
  if (MPI_Allreduce(MPI_IN_PLACE, users, CPU_SETSIZE, MPI_INT, MPI_SUM, node) != MPI_SUCCESS)
    return 0;
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &mine))
      share += 1.0 / users[i];
  return share > 0 && share < 1 ? 1 : (int)(share + 1e-6);
}

/* Joins the communicator and fills rank, count, local rank, cores and names. MPI is initialised
   with FUNNELED: only the thread that opened the ranks calls MPI. The communicator is duplicated so
   that messages of the library cannot match those of the program. */
static ig_status job_join(int communicator, job *j, ig_ranks *r) {
  int there, provided, length;
  char library[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
  MPI_Comm node;
  IG_TRY(said(j, MPI_Initialized(&there)));
  if (!there)
    IG_TRY(said(j, MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided)));
  j->finalise = !there;
  if (!there) { /* errors of messages under way are the program's, not a communicator's, in MPICH */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  const MPI_Comm of = communicator ? MPI_Comm_f2c((MPI_Fint)communicator) : MPI_COMM_WORLD;
  IG_TRY(said(j, MPI_Comm_dup(of, &j->comm))); /* our messages do not meet the program's */
  MPI_Comm_set_errhandler(j->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(j->comm, &j->rank);
  MPI_Comm_size(j->comm, &j->count);
  const size_t count = (size_t)j->count;
  j->sent = calloc(count, sizeof *j->sent);
  j->due = calloc(count, sizeof *j->due);
  j->told = calloc(count, sizeof *j->told);
  if (!j->sent || !j->due || !j->told)
    return IG_MEMORY;
  r->rank = j->rank;
  r->count = j->count;
  r->communicator = (int)MPI_Comm_c2f(j->comm);
  if (MPI_Comm_split_type(j->comm, MPI_COMM_TYPE_SHARED, r->rank, MPI_INFO_NULL, &node) ==
      MPI_SUCCESS) {
    MPI_Comm_rank(node, &r->local);
    r->cores = cores_of(node);
    MPI_Comm_free(&node);
  }
  MPI_Get_library_version(library, &length);
  library[strcspn(library, ",\n")] = '\0';
  for (char *tab = library; (tab = strchr(tab, '\t'));)
    *tab = ' '; /* MPICH's words are a table */
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
    if (j)
      job_free(j);
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
