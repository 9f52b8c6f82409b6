/* Device memory shared between ranks of one computer: boxes that this rank offers, and views of the
   boxes of others. On CUDA by IPC handles (processes) or peer access (threads); the debug backend
   imitates this with files in /dev/shm, so that the protocol is tested without a GPU. */
#include "ranks/peer_memory.h"
#include "backend/backend.h"
#include "core/hash.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A box of another rank that is open here. Cached: opening a CUDA IPC handle is slow, and several
   exchanges may receive offers of the same box. */
typedef struct {
  uint64_t process, box;
  bool same_process;
  ig_peer_view view;
} opened;

/* All boxes and views of a rank; ig_ranks.near owns it, ig_peer_close frees it. */
struct ig_peer_memory {
  ig_peer_box **box;
  int boxes;
  opened *open;
  int opens;
  uint64_t computer;
};

/* Identifies the computer: host names may be equal (containers), so the boot id of the kernel is
   hashed with them. Never 0. */
static uint64_t computer_here(const ig_ranks *r) {
  char id[64] = "";
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (file) {
    if (!fgets(id, sizeof id, file))
      id[0] = '\0';
    fclose(file);
  }
  const uint64_t h = ig_hash(IG_HASH_START, id, strlen(id));
  return ig_hash(h, r->host, strlen(r->host)) | 1;
}

/* Identifies the process: pid, address of a static variable and time. The pid alone is not unique
   across containers that share a boot id. */
static uint64_t process_here(void) {
  static char here;
  static uint64_t made; /* the same for all threads that may come first together */
  const pid_t pid = getpid();
  const char *address = &here;
  uint64_t h = __atomic_load_n(&made, __ATOMIC_ACQUIRE), none = 0;
  if (h)
    return h;
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  h = ig_hash(IG_HASH_START, &pid, sizeof pid);
  h = ig_hash(h, &address, sizeof address);
  h = ig_hash(h, &now, sizeof now) | 1;
  return __atomic_compare_exchange_n(&made, &none, h, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
             ? h
             : none;
}

static ig_status near_of(ig_ctx *cx, ig_peer_memory **near) {
  ig_ranks *r = cx->ranks;
  if (!r->near) {
    IG_TRY(IG_NEW(cx, &r->near, 1, "memory near by"));
    r->near->computer = computer_here(r);
  }
  *near = r->near;
  return IG_OK;
}

/* Shared memory for the debug backend: a file in a memory file system. NULL on failure. */
static char *file_map(const char *name, size_t size, bool make) {
  const int file = open(name, O_RDWR | O_CLOEXEC | (make ? O_CREAT | O_EXCL : 0), 0600);
  if (file < 0)
    return NULL;
  void *memory = MAP_FAILED;
  if (!make || ftruncate(file, (off_t)size) == 0)
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

static void box_free(ig_ctx *cx, ig_peer_box *box) {
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA)
    ig_peer_box_free_cuda(box);
#endif
  if (box->view_size) {
    munmap(box->memory, box->view_size);
    unlink(box->offer.memory_handle);
  } else {
    cx->backend->free(cx, box->memory);
  }
  free(box);
}

/* A GPU, or threads of one process: memory of the backend. Processes without a GPU: a mapped file;
   if that fails, backend memory that only this process can use. */
static ig_status memory_new(ig_ctx *cx, ig_peer_box *box) {
  const bool gpu = cx->backend->kernels == IG_KERNELS_CUDA;
  char *name = box->offer.memory_handle;
  if (!gpu && !cx->ranks->one_process) {
    snprintf(name, sizeof box->offer.memory_handle, "/dev/shm/ingot-%ld-%llu", (long)getpid(),
             (unsigned long long)box->offer.box);
    box->memory = file_map(name, box->size, true);
    box->view_size = box->memory ? box->size : 0;
    if (box->memory)
      return IG_OK;
    *name = '\0';
  }
  return cx->backend->alloc(cx, (void **)&box->memory, box->size);
}

/* cudaMalloc serves small requests from shared pieces of 2 MiB, and an IPC handle exposes the whole
   piece. A box therefore takes whole pieces, so that no other array is exposed. */
static ig_status box_new(ig_ctx *cx, ig_peer_memory *near, size_t size, ig_peer_box **out) {
  static const size_t whole = (size_t)2 << 20; /* a handle shows all of such a piece of memory */
  static uint64_t number;                      /* of boxes of the process */
  const bool gpu = cx->backend->kernels == IG_KERNELS_CUDA;
  ig_peer_box *box = NULL;
  IG_TRY(IG_MORE(cx, &near->box, near->boxes, "memory near by"));
  IG_TRY(IG_NEW(cx, &box, 1, "memory near by"));
  box->size = gpu ? (size / whole + 1) * whole : size + 1;
  box->offer = (ig_peer_offer){.computer = near->computer,
                               .process = process_here(),
                               .box = __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED),
                               .size = box->size};
  ig_status status = memory_new(cx, box);
  box->offer.memory = box->memory;
#ifdef INGOT_HAVE_CUDA
  if (status == IG_OK && gpu)
    status = ig_peer_box_cuda(cx, box);
#endif
  if (status != IG_OK) {
    box_free(cx, box);
    return status;
  }
  memcpy(box->offer.mark, box->mark, sizeof box->mark);
  near->box[near->boxes++] = box;
  *out = box;
  return IG_OK;
}

ig_status ig_peer_take(ig_ctx *cx, size_t size, ig_peer_box **box) {
  ig_peer_memory *near;
  *box = NULL;
  IG_TRY(near_of(cx, &near));
  for (int i = 0; i < near->boxes; i++) { /* the smallest that will do */
    ig_peer_box *b = near->box[i];
    if (!b->used && b->size >= size && (!*box || b->size < (*box)->size))
      *box = b;
  }
  if (!*box)
    IG_TRY(box_new(cx, near, size, box));
  (*box)->used = true;
  return IG_OK;
}

void ig_peer_return(ig_peer_box *box) {
  if (box)
    box->used = false;
}

/* Keeps the reason for the table of ranks. */
static bool refused(const ig_ctx *cx, const char *why) {
  snprintf(cx->ranks->near_trouble, sizeof cx->ranks->near_trouble, "%s", why);
  return false;
}

bool ig_peer_open(ig_ctx *cx, const ig_peer_offer *offer, ig_peer_view *view) {
  ig_peer_memory *near;
  *view = (ig_peer_view){0};
  if (near_of(cx, &near) != IG_OK || IG_MORE(cx, &near->open, near->opens, "memory near by"))
    return refused(cx, "no memory");
  if (!offer->box)
    return refused(cx, "the other rank offers none");
  if (offer->computer != near->computer)
    return refused(cx, "the ranks are on several computers");
  for (int i = 0; i < near->opens; i++)
    if (near->open[i].process == offer->process && near->open[i].box == offer->box) {
      *view = near->open[i].view;
      return true;
    }
  const bool same = offer->process == process_here();
  opened one = {.process = offer->process, .box = offer->box, .same_process = same};
#ifdef INGOT_HAVE_CUDA
  if (cx->backend->kernels == IG_KERNELS_CUDA) {
    const char *why = ig_peer_open_cuda(cx, offer, same, &one.view);
    if (why)
      return refused(cx, why);
  } else
#endif
  {
    one.view.size = same ? 0 : offer->size;
    one.view.memory = same ? offer->memory : file_map(offer->memory_handle, offer->size, false);
    if (!one.view.memory)
      return refused(cx, "the other process' memory cannot be mapped");
  }
  near->open[near->opens++] = one;
  *view = one.view;
  return true;
}

/* Closes views of other ranks' boxes, then frees the own boxes, once the stream is idle. */
void ig_peer_close(ig_ctx *cx) {
  ig_peer_memory *near = cx->ranks ? cx->ranks->near : NULL;
  if (!near)
    return;
  (void)cx->backend->sync(cx);
#ifdef INGOT_HAVE_CUDA
  for (int i = 0; i < near->opens && cx->backend->kernels == IG_KERNELS_CUDA; i++)
    if (!near->open[i].same_process)
      ig_peer_view_free_cuda(&near->open[i].view);
#endif
  for (int i = 0; i < near->opens; i++)
    if (near->open[i].view.size)
      munmap(near->open[i].view.memory, near->open[i].view.size);
  for (int i = 0; i < near->boxes; i++)
    box_free(cx, near->box[i]);
  free(near->box);
  free(near->open);
  free(near);
  cx->ranks->near = NULL;
}
