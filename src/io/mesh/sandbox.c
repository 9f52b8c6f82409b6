/* Confines a process: resource limits, Landlock (which files) and seccomp (which system calls).
   Constants of Landlock are defined here, because headers of the build machine may be older than
   the kernel of the machine that runs the program. */
#define _GNU_SOURCE /* O_PATH, CLONE_THREAD */
#include "io/mesh/sandbox.h"
#include "core/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))

bool ig_sandbox_enter(const ig_sandbox *sandbox, char *why, size_t size) {
  (void)sandbox;
  snprintf(why, size, "this system is neither Linux on x86-64 nor on aarch64");
  return false;
}
bool ig_sandbox_narrow(const char *const *place, char *why, size_t size) {
  (void)place;
  snprintf(why, size, "this system is neither Linux on x86-64 nor on aarch64");
  return false;
}

#else

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool cannot(const char *what, char *why, size_t size) {
  snprintf(why, size, "%s: %s", what, strerror(errno));
  return false;
}

/* --- Landlock: which files (kernel documentation, userspace-api/landlock) */

/* System call numbers, equal on all architectures. */
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };
enum {
  FS_EXECUTE = 1 << 0,
  FS_WRITE_FILE = 1 << 1,
  FS_READ_FILE = 1 << 2,
  FS_READ_DIR = 1 << 3,
  FS_REMOVE_FILE = 1 << 5,
  FS_MAKE_REG = 1 << 8,
  FS_VERSION_1 = (1 << 13) - 1,
  FS_REFER = 1 << 13,     /* from version 2 on */
  FS_TRUNCATE = 1 << 14,  /* 3 */
  FS_IOCTL_DEV = 1 << 15, /* 5 */
  NET_TCP = 3,            /* 4: bind, connect */
  SCOPE_ALL = 3,          /* 6: abstract sockets, signals */
};
/* Layout of struct landlock_ruleset_attr; older kernels read only the first members and accept
   zeros behind. */
typedef struct {
  uint64_t fs, net, scope;
} landlock_rules;
typedef struct {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed)) landlock_path;

/* Landlock's ABI version; 0: not available. */
static int landlock_version(void) {
  const long version = syscall(LANDLOCK_CREATE, NULL, (size_t)0, 1);
  return version > 0 ? (int)version : 0;
}

/* Allows rights at a folder or file; a file has only the rights of files. A place that does not
   exist needs no rule. */
static bool landlock_allow(int rules, const char *place, uint64_t allowed) {
  struct stat info;
  landlock_path path = {.allowed = allowed, .parent = open(place, O_PATH | O_CLOEXEC)};
  if (path.parent < 0)
    return true;
  if (fstat(path.parent, &info) == 0 && !S_ISDIR(info.st_mode))
    path.allowed &= FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE;
  const bool good = syscall(LANDLOCK_ADD, rules, 1, &path, 0) == 0;
  close(path.parent);
  return good;
}

/* Denies the rights `denied` everywhere, except `allowed` at the places. */
static bool landlock_restrict(const landlock_rules *denied, const char *const *place,
                              uint64_t allowed) {
  const int rules = (int)syscall(LANDLOCK_CREATE, denied, sizeof *denied, 0);
  bool good = rules >= 0;
  for (int i = 0; good && place[i]; i++)
    good = landlock_allow(rules, place[i], allowed);
  good = good && syscall(LANDLOCK_RESTRICT, rules, 0) == 0;
  if (rules >= 0)
    close(rules);
  return good;
}

/* --- seccomp: which system calls (a BPF program that the kernel runs at each call) */

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif
enum { X32 = 0x40000000 }; /* calls of another table of x86-64 */

/* Calls that are allowed with any arguments: memory, threads, time, reading. A call in no list
   returns ENOSYS, on which C libraries fall back to older calls. */
static const int plain[] = {
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_mincore,
    SYS_msync,
    /* threads and signals of its own */
    SYS_futex,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_set_tid_address,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_getcpu,
    SYS_gettid,
    SYS_getpid,
    SYS_getppid,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
    /* time */
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_times,
    SYS_getrusage,
    /* files */
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_preadv,
    SYS_write,
    SYS_writev,
    SYS_pwrite64,
    SYS_pwritev,
    SYS_lseek,
    SYS_close,
    SYS_dup,
    SYS_dup3,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_chdir,
    SYS_fsync,
    SYS_fdatasync,
    SYS_ftruncate,
    SYS_ppoll,
    SYS_fadvise64,
    /* who and where */
    SYS_uname,
    SYS_sysinfo,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_umask,
    SYS_getrlimit,
    SYS_getrandom,
    /* can only take more away */
    LANDLOCK_CREATE,
    LANDLOCK_ADD,
    LANDLOCK_RESTRICT,
#ifdef SYS_statx
    SYS_statx,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef __x86_64__
    SYS_arch_prctl,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_dup2,
    SYS_poll,
    SYS_time,
#endif
};
/* Calls that change folders: allowed if Landlock restricts them to the own folder. */
static const int writing[] = {
    SYS_unlinkat, SYS_renameat, SYS_renameat2,
#ifdef __x86_64__
    SYS_unlink,   SYS_rename,   SYS_creat,
#endif
};
/* Calls that start a process or program: the process is killed, because a script that does so is an
   attack or a mistake. */
static const int killed[] = {
    SYS_execve,
    SYS_execveat,
#ifdef __x86_64__
    SYS_fork,
    SYS_vfork,
#endif
};

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE(error) (SECCOMP_RET_ERRNO | (error))
#ifdef SECCOMP_RET_KILL_PROCESS
#define KILL SECCOMP_RET_KILL_PROCESS
#else
#define KILL SECCOMP_RET_KILL
#endif
#define ARG(i) ((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (i))) /* lower half */

/* A BPF program under construction; 512 instructions are far more than needed. */
typedef struct {
  struct sock_filter code[512];
  unsigned short count;
} program;

static void put(program *p, unsigned code, uint32_t k, unsigned yes, unsigned no) {
  p->code[p->count++] = (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, k};
}
static void load(program *p, uint32_t offset) {
  put(p, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}
static void end(program *p, uint32_t action) {
  put(p, BPF_RET | BPF_K, action, 0, 0);
}
/* The instructions: skip the next `more` unless the loaded word equals `word`, or has one of
   `bits`. */
static void unless_equal(program *p, uint32_t word, unsigned more) {
  put(p, BPF_JMP | BPF_JEQ | BPF_K, word, 0, more);
}
static void unless_any(program *p, uint32_t bits, unsigned more) {
  put(p, BPF_JMP | BPF_JSET | BPF_K, bits, 0, more);
}

/* Each of the following expects the number of the call to be loaded, and leaves it loaded if the
   call is another. */
static void all(program *p, const int *call, size_t count, uint32_t action) {
  for (size_t i = 0; i < count; i++) {
    unless_equal(p, (uint32_t)call[i], 1);
    end(p, action);
  }
}

/* Decides by bits of an argument. */
static void by_bits(program *p, int call, int arg, uint32_t bits, uint32_t with, uint32_t without) {
  unless_equal(p, (uint32_t)call, 4);
  load(p, ARG(arg));
  unless_any(p, bits, 1);
  end(p, with);
  end(p, without);
}

/* Allows a call if an argument has one of these values, at most 8. */
static void by_value(program *p, int call, int arg, const uint32_t *value, unsigned count) {
  unless_equal(p, (uint32_t)call, 2 + 2 * count);
  load(p, ARG(arg));
  for (unsigned i = 0; i < count; i++) {
    unless_equal(p, value[i], 1);
    end(p, ALLOW);
  }
  end(p, REFUSE(EPERM));
}

/* Opening for writing is refused without Landlock. With Landlock only O_TRUNC on a read-only open
   is refused, which its versions before 3 do not control. */
static void opening(program *p, int call, int flags, bool writes) {
  const uint32_t bits = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  if (!writes) {
    by_bits(p, call, flags, bits, REFUSE(EPERM), ALLOW);
    return;
  }
  unless_equal(p, (uint32_t)call, 5);
  load(p, ARG(flags));
  put(p, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_TRUNC, 0, 0);
  unless_equal(p, O_TRUNC, 1);
  end(p, REFUSE(EPERM));
  end(p, ALLOW);
}

/* Order of checks: architecture, call table, lists, then calls with conditions on arguments. 32-bit
   calls and x32 have other numbers and would bypass the lists. */
static bool seccomp_enter(bool writes, char *why, size_t size) {
  const uint32_t self = (uint32_t)getpid();
  static const uint32_t commands[] = {F_DUPFD, F_GETFD, F_SETFD, F_GETFL,
                                      F_SETFL, F_SETLK, F_GETLK, F_DUPFD_CLOEXEC};
  static const uint32_t names[] = {PR_SET_NAME};
  program p = {.count = 0};
  load(&p, offsetof(struct seccomp_data, arch));
  unless_equal(&p, ARCH, 1);
  put(&p, BPF_JMP | BPF_JA, 1, 0, 0);
  end(&p, KILL);
  load(&p, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  put(&p, BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
  end(&p, KILL);
#endif
  all(&p, plain, COUNT(plain), ALLOW);
  all(&p, writing, COUNT(writing), writes ? ALLOW : REFUSE(EPERM));
  all(&p, killed, COUNT(killed), KILL);
  by_bits(&p, SYS_clone, 0, CLONE_THREAD, ALLOW, KILL); /* clone3 hides its flags: no such call */
#ifdef __x86_64__
  opening(&p, SYS_open, 1, writes);
#endif
  opening(&p, SYS_openat, 2, writes);
  by_value(&p, SYS_tgkill, 0, &self, 1);
  by_value(&p, SYS_fcntl, 1, commands, COUNT(commands));
  by_value(&p, SYS_prctl, 0, names, COUNT(names));
  /* prlimit: of itself (0), and asked for only: its third argument is NULL */
  unless_equal(&p, SYS_prlimit64, 8);
  load(&p, ARG(0));
  unless_equal(&p, 0, 5);
  load(&p, ARG(2));
  unless_equal(&p, 0, 3);
  load(&p, ARG(2) + 4);
  unless_equal(&p, 0, 1);
  end(&p, ALLOW);
  end(&p, REFUSE(EPERM));
  end(&p, REFUSE(ENOSYS));
  const struct sock_fprog filter = {p.count, p.code};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ||
         cannot("seccomp filters are not to be had", why, size);
}

/* --- limits */

/* Lowers a resource limit; a lower one stays. */
static bool limit(int what, double value) {
  struct rlimit now;
  if (getrlimit(what, &now) != 0)
    return false;
  const rlim_t most = value < 9e18 ? (rlim_t)value : RLIM_INFINITY;
  if (now.rlim_max > most)
    now.rlim_max = most;
  if (now.rlim_cur > now.rlim_max)
    now.rlim_cur = now.rlim_max;
  return setrlimit(what, &now) == 0;
}

/* no_new_privs is required by both mechanisms for unprivileged processes. Limits of memory are
   relative to what is mapped already, because the parent's mappings are inherited by the fork.
   Limits, no new privileges, Landlock for files where the kernel has it, then seccomp for system
   calls; in this order, as each step forbids what the one before needs. There is no way back. */
bool ig_sandbox_enter(const ig_sandbox *s, char *why, size_t size) {
  const int version = landlock_version();
  double mapped, resident; /* after a fork its parent's among them */
  ig_memory_used(&mapped, &resident);
  if (!limit(RLIMIT_AS, mapped + s->bytes) || !limit(RLIMIT_CPU, s->seconds) ||
      !limit(RLIMIT_FSIZE, s->file_bytes) || !limit(RLIMIT_CORE, 0))
    return cannot("limits of memory and time cannot be set", why, size);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return cannot("privileges cannot be given up", why, size);
  if (version) {
    const uint64_t newer = (version >= 2 ? FS_REFER : 0) | (version >= 3 ? FS_TRUNCATE : 0);
    const landlock_rules denied = {
        .fs = ((FS_VERSION_1 | newer) & ~(uint64_t)(FS_READ_FILE | FS_READ_DIR)) |
              (version >= 5 ? FS_IOCTL_DEV : 0),
        .net = version >= 4 ? NET_TCP : 0,
        .scope = version >= 6 ? SCOPE_ALL : 0};
    const char *const own[] = {s->folder, NULL};
    if (!landlock_restrict(&denied, own,
                           FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG |
                               (version >= 3 ? FS_TRUNCATE : 0)))
      return cannot("Landlock", why, size);
  }
  return seccomp_enter(version > 0, why, size);
}

/* The second stage: reading is restricted only now, after the libraries have been loaded from
   anywhere. */
bool ig_sandbox_narrow(const char *const *place, char *why, size_t size) {
  const landlock_rules denied = {.fs = FS_READ_FILE | FS_READ_DIR};
  return !landlock_version() || landlock_restrict(&denied, place, FS_READ_FILE | FS_READ_DIR) ||
         cannot("Landlock", why, size);
}

#endif
