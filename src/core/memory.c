/* How much memory this process may still take: the least of what the machine, the control group it
   runs in (containers, batch systems) and its own limit leave. */
#include "core/memory.h"

#include "core/threads.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static double least(double a, double b) {
  return a < b ? a : b;
}

/* The number behind `key` in a file of "key number" lines; of the whole file if there is no key.
   NO_LIMIT: not there, or "max". */
static const double NO_LIMIT = 1e300;
static double number_in(const char *path, const char *key) {
  char line[256];
  double value = NO_LIMIT;
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f)) {
    const size_t length = key ? strlen(key) : 0;
    if (key && strncmp(line, key, length) != 0)
      continue;
    const char *p = line + length + strspn(line + length, ": \t");
    if (*p >= '0' && *p <= '9')
      value = (double)strtoull(p, NULL, 10);
    break;
  }
  if (f)
    fclose(f);
  return value;
}

static double or_zero(double value) {
  return value < NO_LIMIT ? value : 0;
}

/* Of one control group: its limit less what it holds and cannot drop. Pages of the file cache
   count as used in a group's statistics, though the kernel drops them before it ends a process;
   they are subtracted. Version 1 of control groups says "no limit" by 0x7ffffffffffff000,
   version 2 by the word "max". */
static double group_left(const char *folder, const char *limit, const char *held,
                         const char *inactive, const char *active) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, limit);
  const double most = number_in(path, NULL);
  if (most >= 1e18) /* version 1 says "no limit" by a huge number */
    return NO_LIMIT;
  snprintf(path, sizeof path, "%s/%s", folder, held);
  const double now = or_zero(number_in(path, NULL));
  snprintf(path, sizeof path, "%s/memory.stat", folder);
  const double files = or_zero(number_in(path, inactive)) + or_zero(number_in(path, active));
  const double used = now > files ? now - files : 0;
  return most > used ? most - used : 0;
}

/* The group's own folder and those above it: each may limit. Version 1 is looked up at its usual
   mount point and the root of version 2 besides; the lines "0::" of /proc/self/cgroup are those
   of version 2. */
static double groups_left(void) {
  char line[1024], folder[PATH_MAX];
  double left = group_left("/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                           "memory.usage_in_bytes", "total_inactive_file", "total_active_file");
  left = least(left, group_left("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file",
                                "active_file"));
  FILE *f = fopen("/proc/self/cgroup", "r");
  while (f && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "0::/", 4) != 0)
      continue;
    snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", line + 3);
    for (char *slash; (slash = strrchr(folder, '/')) && strlen(folder) > strlen("/sys/fs/cgroup");
         *slash = '\0')
      left = least(
          left, group_left(folder, "memory.max", "memory.current", "inactive_file", "active_file"));
  }
  if (f)
    fclose(f);
  return left;
}

/* Address space (RLIMIT_AS, `ulimit -v`) is compared with VmSize, the address space in use, not
   with resident memory: that is what the kernel compares it with. */
double ig_memory_left(void) {
  const double kb = 1024;
  double left = NO_LIMIT;
  const double machine = number_in("/proc/meminfo", "MemAvailable:");
  if (machine < NO_LIMIT)
    left = kb * (machine + or_zero(number_in("/proc/meminfo", "SwapFree:")));
  left = least(left, groups_left());
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const double used = kb * or_zero(number_in("/proc/self/status", "VmSize:"));
    left = least(left, (double)limit.rlim_cur > used ? (double)limit.rlim_cur - used : 0);
  }
  /* what libraries need while they write, and cannot do without */
  const double spare = 32e6;
  return left > spare ? left - spare : 0;
}

void ig_memory_used(double *mapped, double *resident) {
  const double kb = 1024;
  *mapped = kb * or_zero(number_in("/proc/self/status", "VmSize:"));
  *resident = kb * or_zero(number_in("/proc/self/status", "VmRSS:"));
}

/* Large pages are 2 MB on x86-64; from 32 MB on they are worth the call.
   Only whole large pages inside the block are named. Failure is no error: it only costs speed. */
void ig_memory_large(void *block, size_t bytes) {
  const uintptr_t page = 2 << 20, begin = ((uintptr_t)block + page - 1) / page * page,
                  end = ((uintptr_t)block + bytes) / page * page;
  /* smaller ones share their pages with others; where large pages are not to be had, small ones do
   */
  if (bytes >= 16 * page && begin < end)
    (void)!madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* 4 MB: two large pages; a thread takes about a millisecond to copy so much. */
enum { PIECE = 4 << 20 };

void ig_memory_clear(int threads, void *to, size_t bytes) {
  const int64_t pieces = (int64_t)((bytes + PIECE - 1) / PIECE);
#pragma omp parallel for schedule(static) num_threads(pieces > 1 ? threads : 1)
  for (int64_t i = 0; i < pieces; i++) {
    const size_t at = (size_t)i * PIECE;
    memset((char *)to + at, 0, bytes - at < PIECE ? bytes - at : PIECE);
  }
}

void ig_memory_copy(int threads, void *to, const void *from, size_t bytes) {
  const int64_t pieces = (int64_t)((bytes + PIECE - 1) / PIECE);
#pragma omp parallel for schedule(static) num_threads(pieces > 1 ? threads : 1)
  for (int64_t i = 0; i < pieces; i++) {
    const size_t at = (size_t)i * PIECE;
    memcpy((char *)to + at, (const char *)from + at, bytes - at < PIECE ? bytes - at : PIECE);
  }
}
