/* Preloaded: makes the FAIL_AT-th call of a kind fail, once or from then on.
     FAIL_CALL  write, fsync, rename, open, malloc   (malloc: malloc, calloc, realloc,
   aligned_alloc) FAIL_AT    1 for the first of them in files of ours or in allocations of the
   program FAIL_ERROR errno of a failing call, ENOSPC if not given FAIL_ALL   set: all later ones
   fail too Calls are counted only once the program says so by opening a file whose name has
   FAIL_FROM in it (anything: from the start). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long count;
static atomic_bool armed;
static const char *kind;
static long at = -1;
static int error = ENOSPC, all;

__attribute__((constructor)) static void read_environment(void) {
  kind = getenv("FAIL_CALL");
  at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : -1;
  error = getenv("FAIL_ERROR") ? atoi(getenv("FAIL_ERROR")) : ENOSPC;
  all = getenv("FAIL_ALL") != NULL;
  armed = getenv("FAIL_FROM") == NULL;
}

static int fails(const char *what) {
  if (!kind || at < 0 || strcmp(kind, what) != 0 || !armed)
    return 0;
  const long n = atomic_fetch_add(&count, 1) + 1;
  if (n != at && !(all && n > at))
    return 0;
  errno = error;
  return 1;
}
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* messages to a terminal or a log are not what is tried here */
static int is_file(int fd) {
  struct stat info;
  return fd > 2 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t size) {
  if (is_file(fd) && fails("write"))
    return -1;
  return NEXT(write)(fd, bytes, size);
}
int fsync(int fd) {
  return fails("fsync") ? -1 : NEXT(fsync)(fd);
}
int rename(const char *from, const char *to) {
  return fails("rename") ? -1 : NEXT(rename)(from, to);
}
static void arm(const char *path) {
  if (getenv("FAIL_FROM") && strstr(path, getenv("FAIL_FROM")))
    armed = 1;
}
FILE *fopen(const char *path, const char *mode) {
  arm(path);
  return NEXT(fopen)(path, mode);
}
int open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
  va_end(args);
  arm(path);
  if ((flags & O_CREAT) && fails("open"))
    return -1;
  return NEXT(open)(path, flags, mode);
}

/* Allocations of the program itself: those of libraries cannot be told by it. */
static _Thread_local int inside;
static int ours(const void *caller) {
  Dl_info info;
  if (!kind || strcmp(kind, "malloc") != 0 || inside)
    return 0;
  inside = 1;
  const int found = dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "ingot");
  inside = 0;
  return found;
}
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
#define FAILS (ours(__builtin_return_address(0)) && fails("malloc"))
void *malloc(size_t n) {
  return FAILS ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
  return FAILS ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
  return FAILS ? NULL : __libc_realloc(p, n);
}
void *aligned_alloc(size_t align, size_t n) {
  return FAILS ? NULL : __libc_memalign(align, n);
}
